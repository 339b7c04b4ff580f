/**
 * Missing edges as they are published: with what a language needs to say them, read off what they are about and off the header.
 *
 *     about  fence shared                 fence     shared
 *     about  barrier 3, generation 2      barrier   full[1], phase 0
 *     sides  warp 0@0, warp 3@0           distance  cta
 *
 * Law 1. What is not known is not there; the words of the edge are those that it has.
 */
import type { Header } from '../log/events.js'
import { clusterOf } from '../log/events.js'
import { lineOrder } from './lines.js'
import type { Deed } from './deed.js'
import type { Diagnosis, Distance, MissingEdge, Operation } from './finding.js'

const distanceOf = (header: Header, a: Operation, b: Operation): Distance => {
  const [x, y] = [header.agents[a.index]?.cta ?? 0, header.agents[b.index]?.cta ?? 0]
  if (a.index === b.index) return 'warp'
  if (x === y) return 'cta'
  return clusterOf(header, x) === clusterOf(header, y) ? 'cluster' : 'grid'
}

const siteOf = ({ sites }: Header, { site, loc }: Operation): number =>
  sites.findIndex((s) => s.label === site && s.loc === loc)

/** Turns of loops: less than 0 where the first is of an earlier one. */
const turnOrder = (a: Operation, b: Operation): number => {
  const k = a.iteration.findIndex((n, i) => n !== (b.iteration[i] ?? n))
  return k < 0 ? 0 : a.iteration[k]! - b.iteration[k]!
}

/** A compiler that unrolls a loop copies its lines. Where a line has sites on both sides of the other's site, it does not tell which of the two is of the earlier turn. */
const isOnBothSides = ({ sites }: Header, place: string | undefined, between: number): boolean =>
  place !== undefined &&
  sites.some((s, k) => k < between && s.loc === place) &&
  sites.some((s, k) => k > between && s.loc === place)

/** Of one agent what it does first is first; of two, what is of an earlier turn of a loop, else what the author has first, else what the text has first. */
const isReversed = (header: Header, a: Operation, b: Operation): boolean => {
  if (a.index === b.index) return b.at < a.at
  const [x, y] = [siteOf(header, a), siteOf(header, b)]
  const isUnrolled = isOnBothSides(header, a.loc, y) && isOnBothSides(header, b.loc, x)
  const order = [turnOrder(a, b), isUnrolled ? 0 : lineOrder(a, b), x - y]
  return (order.find((n) => n !== 0) ?? 0) > 0
}

/** A meeting orders what an agent does itself; what a unit does for it goes on behind the meeting. */
const isOfAgent = (d: Deed | null): boolean =>
  d !== null && (d._tag === 'reads' || d._tag === 'writes') && d.unit === 'agent'
const isAccess = (d: Deed | null): boolean => d !== null && (d._tag === 'reads' || d._tag === 'writes')

export const publishedMissing = (
  header: Header,
  { a, b, deeds, missing }: Diagnosis,
): MissingEdge | undefined => {
  if (missing === undefined) return undefined
  const edge: { -readonly [K in keyof MissingEdge]: MissingEdge[K] } = {
    kind: missing.kind,
    text: missing.text,
  }
  const { about, generation, after, before, ahead, lacks, moves } = missing
  if (after !== undefined) edge.after = after
  if (before !== undefined) edge.before = before
  if (ahead !== undefined) edge.ahead = ahead
  if (lacks !== undefined) edge.lacks = lacks
  if (moves !== undefined) edge.moves = moves
  const fence = about.flatMap((s) => (s._tag === 'fence' ? [s.fence] : []))[0] ?? missing.fence
  if (fence !== undefined) edge.fence = fence
  if (missing.moved === true) edge.moved = true
  const family = about.flatMap((s) => (s._tag === 'group' ? [s.family] : []))[0]
  if (family !== undefined) edge.family = family
  const barrier = about.flatMap((s) => (s._tag === 'barrier' ? [header.barriers[s.barrier]] : []))[0]
  if (barrier !== undefined)
    edge.barrier =
      generation === undefined ? { name: barrier.name } : { name: barrier.name, phase: generation % 2 }
  if (b !== undefined) {
    const reversed = isReversed(header, a, b)
    const [first, second] = reversed ? [deeds.b, deeds.a] : [deeds.a, deeds.b]
    if (isOfAgent(first) && isAccess(second)) edge.distance = distanceOf(header, a, b)
    if (reversed) edge.reversed = true
  }
  return edge
}
