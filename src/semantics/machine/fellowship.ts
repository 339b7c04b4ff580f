/**
 * Fellowships: clusters that are followed beside one that runs.
 *
 * CTAs of one grid run one program and differ in their coordinates. Most of them do the same at other addresses of global memory. A front that can follow them computes
 * what depends on the coordinates for each of them, beside what it computes for the cluster that runs (`core/fellows.ts`, `warps/fellows.ts`). What all fronts share is here: how the
 * effects of a fellow lie to those of the cluster that runs.
 *
 * | effects of a fellow                                                     | it is                                        |
 * |-------------------------------------------------------------------------|----------------------------------------------|
 * | equal in all that they say                                              | alike                                        |
 * | equal, but some bytes further on in global memory                       | alike; how far is kept with the footprint    |
 * | equal, but other data stored in global memory                           | alike; the plane is kept, and must not be read |
 * | anything else: another barrier, a box that is clipped in another way, a fault | *parted*: it will be run               |
 *
 * Fellows that hold the same are of one *kind*, and what depends on that alone is computed once for each kind: of 32 x 64 tiles of a matrix product the box of a row is one of 32.
 *
 * Laws
 * 1. A fellow that is alike at the end has the same events, in the same order, but for places of global memory, and these are moved by `moves`: if it finds what the cluster
 *    finds wherever it reads, which is for those to ask who run it (`findAlike` of `execution/find-alike.ts`).
 * 2. Who is parted stays so.
 * 3. Kinds are disjoint, and together they are the fellows; two fellows are of one kind of `met(a, b)` where they are of one of `a` and of one of `b`.
 */
import { remembered } from '../../remembered.js'
import type { Header } from '../log/events.js'
import type { Elements } from './elements.js'
import type { Prepared } from './operation.js'

// ---------------------------------------------------------------- model

/** The clusters that are followed beside one that runs, as long as they come the same way. Of one run; filled in place. */
export interface Fellowship {
  /** their numbers */
  readonly clusters: ReadonlyArray<number>
  /** by fellow: 1, as long as it does what the cluster that runs does */
  readonly alike: Uint8Array
  /** how many bytes further on each fellow touches something, once for each way in which they differ; the first: all at the same place */
  readonly ways: Float64Array[]
  /** by the number of a footprint of global memory, the ways in which it is moved */
  readonly moves: Map<number, ReadonlyArray<number>>
  /** the last of these ways, which is that of the access that comes next */
  readonly latest: Map<number, number>
  /** the same of loads, and of all else */
  readonly loads: Map<number, ReadonlyArray<number>>
  readonly others: Map<number, ReadonlyArray<number>>
  /** planes into which they store what is not alike */
  readonly unlike: Set<number>
  /** footprints of global memory of which a plain load has brought bytes that are known: what the fellows find there is taken to be the same */
  readonly known: Set<number>
  /** the kinds that were asked for, each once */
  readonly kinds: Kinds[]
}

/** Fellows by what they hold. */
export interface Kinds {
  /** by fellow, its kind */
  readonly of: Int32Array
  /** by kind, the fellows of it, ascending */
  readonly members: ReadonlyArray<ReadonlyArray<number>>
  /** with these others, which kinds there are */
  readonly met: Map<Kinds, Kinds>
}

/** By the cluster that runs those that are followed beside it. */
export type Fellowships = ReadonlyMap<number, Fellowship>

export const fellowship = (clusters: ReadonlyArray<number>): Fellowship => ({
  clusters,
  alike: new Uint8Array(clusters.length).fill(1),
  ways: [new Float64Array(clusters.length)],
  moves: new Map(),
  latest: new Map(),
  loads: new Map(),
  others: new Map(),
  unlike: new Set(),
  known: new Set(),
  kinds: [],
})

export const part = ({ alike }: Fellowship, fellow: number): void => {
  alike[fellow] = 0
}

export const partAll = ({ alike }: Fellowship): void => {
  alike.fill(0)
}

// ---------------------------------------------------------------- kinds

/** Fellows for which this says the same are of one kind. */
export const kindsBy = ({ clusters, kinds }: Fellowship, label: (fellow: number) => number): Kinds => {
  const numbers = new Map<number, number>()
  const members: number[][] = []
  const of = Int32Array.from(clusters, (_, fellow) => {
    const said = label(fellow)
    const kind = numbers.get(said) ?? members.push([]) - 1
    numbers.set(said, kind)
    members[kind]!.push(fellow)
    return kind
  })
  const known = kinds.find(
    (k) => k.members.length === members.length && k.of.every((kind, fellow) => kind === of[fellow]),
  )
  if (known !== undefined) return known
  const made: Kinds = { of, members, met: new Map() }
  kinds.push(made)
  return made
}

/** Each fellow is a kind of its own. */
export const eachApart: (of: Fellowship) => Kinds = remembered((of) => kindsBy(of, (fellow) => fellow))

/** Fellows that are of one kind both here and there. */
export const met = (of: Fellowship, a: Kinds, b: Kinds): Kinds => {
  if (a === b) return a
  const before = a.met.get(b)
  if (before !== undefined) return before
  const made = kindsBy(of, (fellow) => a.of[fellow]! * b.members.length + b.of[fellow]!)
  a.met.set(b, made)
  return made
}

/** One of a kind that has not been parted; null: all have. */
export const oneOf = ({ alike }: Fellowship, kinds: Kinds, kind: number): number | null =>
  kinds.members[kind]!.find((fellow) => alike[fellow] === 1) ?? null

export const partKind = (of: Fellowship, kinds: Kinds, kind: number): void => {
  for (const fellow of kinds.members[kind]!) part(of, fellow)
}

// ---------------------------------------------------------------- effects of a fellow

/** What an instruction comes to, with whatever a front keeps beside it. */
interface Effect {
  readonly prepared: Prepared
}

/** Effects that do not depend on where the cluster is: the fellows touch the same places. */
export const unmoved = (header: Header, of: Fellowship, done: ReadonlyArray<Effect>): void => {
  for (const one of done)
    for (const { footprint } of globalIn(header, one)) moved(of, one.prepared, footprint.id, atTheSamePlace)
}

/**
 * Effects that may depend on where the cluster is: `theirs` says what they are for a fellow of each kind. Null: it is lost; a number: they are the same, but so many bytes further on in
 * global memory. Who does something else is parted; of the others it is kept how far they are moved.
 */
export const follow = <A extends Effect>(
  header: Header,
  of: Fellowship,
  kinds: Kinds,
  done: ReadonlyArray<A>,
  theirs: (fellow: number) => ReadonlyArray<A> | number | null,
): void => {
  const own = done.flatMap((one) => globalIn(header, one).map((elements) => ({ one, elements })))
  const by = own.map(() => new Float64Array(of.clusters.length))
  kinds.members.forEach((members, kind) => {
    const fellow = oneOf(of, kinds, kind)
    if (fellow === null) return
    const found = theirs(fellow)
    if (found === null || (typeof found !== 'number' && !isAlike(header, of, done, found))) {
      partKind(of, kinds, kind)
      return
    }
    const places = typeof found === 'number' ? null : globalIn(header, found)
    for (let i = 0; i < own.length; i++) {
      const further =
        typeof found === 'number'
          ? found
          : (movedBy(own[i]!.elements.footprint.spans, places![i]!.footprint.spans) ?? 0)
      for (const member of members) by[i]![member] = further
    }
  })
  own.forEach(({ one, elements }, i) => moved(of, one.prepared, elements.footprint.id, wayOf(of, by[i]!)))
}

// ---------------------------------------------------------------- places of global memory

const isElements = (x: object): x is Elements => 'footprint' in x && 'offsets' in x
const isGlobal = (h: Header, { plane }: Elements): boolean => h.planes[plane]?.space === 'gmem'

/** The elements of global memory that effects name, in the order in which they stand there. */
const globalIn = (h: Header, x: unknown, into: Elements[] = []): ReadonlyArray<Elements> => {
  if (typeof x !== 'object' || x === null || !hasFields(x)) return into
  if (isElements(x)) {
    if (isGlobal(h, x)) into.push(x)
    return into
  }
  for (const key in x) globalIn(h, x[key], into)
  return into
}
type Fields = Readonly<Record<string, unknown>>
const isNumbers = (x: object): x is Float64Array | Int32Array | Uint8Array =>
  x instanceof Float64Array || x instanceof Int32Array || x instanceof Uint8Array
const hasFields = (x: object): x is Fields => !isNumbers(x) && !(x instanceof Map) && !(x instanceof Set)

/** Effects that are the same but for places of global memory, and for what is stored there. */
const isAlike = (h: Header, of: Fellowship, x: unknown, y: unknown): boolean => {
  if (x === y) return true
  if (typeof x !== 'object' || typeof y !== 'object' || x === null || y === null) return false
  if (isNumbers(x) || isNumbers(y)) return isNumbers(x) && isNumbers(y) && isSameNumbers(x, y)
  if (isElements(x)) return isElements(y) && isSamePlace(h, x, y)
  if (Array.isArray(x) !== Array.isArray(y) || !hasFields(x) || !hasFields(y)) return false
  for (const key in x)
    if (!(key in y) || !(isAlike(h, of, x[key], y[key]) || isStored(h, of, key, x))) return false
  for (const key in y) if (!(key in x)) return false
  return true
}

/** Is it what is stored in global memory? What is stored strongly others may go by: a fellow that stores anything else there does something else. */
const isStored = (h: Header, of: Fellowship, key: string, { destination, strong, _tag }: Fields): boolean => {
  if (strong !== undefined || _tag === 'atomic.words') return false
  if (key !== 'data' || typeof destination !== 'object' || destination === null) return false
  if (!isElements(destination) || !isGlobal(h, destination)) return false
  of.unlike.add(destination.plane)
  return true
}

const isSameNumbers = (x: ArrayLike<number>, y: ArrayLike<number>): boolean => {
  if (x.length !== y.length) return false
  for (let i = 0; i < x.length; i++) if (!Object.is(x[i], y[i])) return false
  return true
}

const isSamePlace = (h: Header, x: Elements, y: Elements): boolean => {
  if (x.plane !== y.plane || x.dtype !== y.dtype) return false
  if (x.shape.length !== y.shape.length || x.shape.some((extent, d) => extent !== y.shape[d])) return false
  const by = movedBy(x.footprint.spans, y.footprint.spans)
  if (by === null || (by !== 0 && !isGlobal(h, x))) return false
  // elements that are nowhere are so for all
  if (x.offsets === y.offsets) return true
  if (x.offsets.length !== y.offsets.length) return false
  let step: number | null = null
  for (let i = 0; i < x.offsets.length; i++) {
    const [p, q] = [x.offsets[i]! + x.origin, y.offsets[i]! + y.origin]
    if (p < 0 !== q < 0) return false
    if (p < 0) continue
    step ??= q - p
    if (q - p !== step) return false
  }
  return true
}

/** How many bytes further on the second spans lie; null: they lie in another way. */
const movedBy = (x: Elements['footprint']['spans'], y: Elements['footprint']['spans']): number | null => {
  if (x.list === y.list) return y.by - x.by
  if (x.list.length !== y.list.length) return null
  if (x.list.length === 0) return 0
  const by = y.list[0]! + y.by - x.list[0]! - x.by
  for (let i = 0; i < x.list.length; i++) if (y.list[i]! + y.by - x.list[i]! - x.by !== by) return null
  return by
}

/** A footprint is touched, by the fellows in this way. */
const moved = (
  { moves, latest, loads, others }: Fellowship,
  prepared: Prepared,
  footprint: number,
  way: number,
): void => {
  latest.set(footprint, way)
  for (const all of [moves, prepared._tag === 'load' ? loads : others]) {
    const known = all.get(footprint)
    if (known === undefined) all.set(footprint, [way])
    else if (!known.includes(way)) all.set(footprint, [...known, way])
  }
}

/** The number of the way in which each fellow is so many bytes further on. */
const wayOf = ({ ways, alike }: Fellowship, by: Float64Array): number => {
  const isThis = (way: Float64Array): boolean =>
    way.every((b, fellow) => alike[fellow] === 0 || b === by[fellow])
  const at = ways.findIndex(isThis)
  return at < 0 ? ways.push(by) - 1 : at
}
const atTheSamePlace = 0
