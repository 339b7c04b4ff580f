/**
 * Draws: programs whose CTAs take numbers from a counter, turn after turn, and remember nothing from one turn to the next.
 *
 *     for (;;) {                                           the *head* of the loop: what is live here the loop does not write
 *       if (tid == 0) tile = atomicAdd(next, 1)            the draw, of which a turn has one
 *       __syncthreads(); t = tile; __syncthreads()
 *       if (t >= tiles) break
 *       ... work on tile t ...
 *     }
 *
 * | asked of the text                                                                        | else          |
 * |------------------------------------------------------------------------------------------|---------------|
 * | E1 it asks for nothing by which CTAs can tell one another apart, nor for a clock          | null          |
 * | E2 one instruction alone draws; it is in a loop that no other is around, and every way from the draw to itself leads through the head | null |
 * | E3 what may be read behind the head before it is written is not written in the loop      | null          |
 * | E4 nothing is in it but arithmetic, loads, stores, sums, barriers of the CTA, fences and exchanges between lanes; it has no local memory | null |
 * | E5 no line of the loop stands outside it as well                                         | null          |
 *
 * So registers are the same at the head in every turn and in every CTA, thread by thread: what a thread does in a turn depends on the number that is drawn and on memory alone.
 *
 * Law 1. Where the answer is not null, E1 to E5 hold.
 */
import type { Draws } from '../machine/front.js'
import { reversed, type Graph } from './flow.js'
import { readBeforeWritten, successorsOf } from './live.js'
import type { Given, Operation, WarpProgram } from './program.js'
import { usesOf } from './uses.js'

/** Is it the same in every CTA, whenever it is asked? */
export const isOfGrid = (g: Given): boolean => {
  switch (g._tag) {
    case 'cta':
    case 'cluster':
    case 'ctaInCluster':
    case 'ctaRank':
    case 'unspecified':
    case 'localWindow':
      return false
    case 'thread':
    case 'threads':
    case 'ctas':
    case 'clusters':
    case 'ctasInCluster':
    case 'ctaRanks':
    case 'explicitCluster':
    case 'lane':
    case 'warps':
    case 'lanes':
    case 'sharedBytes':
    case 'sharedAddress':
    case 'dynamicAddress':
    case 'globalAddress':
      return true
  }
}

/** E4. What it leaves behind is in registers and memory, and it goes on in one way. */
const isPlain = (o: Operation): boolean => plain.has(o._tag)
const plain: ReadonlySet<Operation['_tag']> = new Set([
  'scalar',
  'move',
  'part',
  'pack',
  'predicate',
  'setPredicate',
  'branch',
  'exit',
  'trap',
  'turn',
  'nothing',
  'shuffle',
  'vote',
  'match',
  'reduce',
  'meetLanes',
  'load',
  'store',
  'atomic',
  'bar',
  'barReduce',
  'fence',
  'loadMatrices',
  'storeMatrices',
  'multiply',
])

/** All that is come to from a node, itself only if a way leads back to it; `closed`: through this one no way goes. */
const reached = (g: Graph, from: number, closed: number = -1): ReadonlySet<number> => {
  const out = new Set<number>()
  const stack = [...g[from]!]
  while (stack.length > 0) {
    const k = stack.pop()!
    if (out.has(k) || k === closed) continue
    out.add(k)
    for (const to of g[k]!) stack.push(to)
  }
  return out
}

const sitesOf = ({ code }: WarpProgram, some: Iterable<number>): ReadonlySet<number> =>
  new Set([...some].map((k) => code[k]!.site))

export const drawsOf = (p: WarpProgram): Draws | null => {
  const { code, givens, loops, localBytes } = p
  if (localBytes > 0 || !givens.every(({ given }) => isOfGrid(given))) return null
  if (!code.every(({ operation }) => isPlain(operation))) return null
  const drawing = code.flatMap(({ operation: o }, k) => (o._tag === 'atomic' && o.to !== null ? [k] : []))
  const [draw] = drawing
  if (draw === undefined || drawing.length > 1) return null
  const around = loops[draw] ?? []
  const [loop] = around
  const head = code.findIndex(({ operation: o }) => o._tag === 'turn' && o.loop === loop)
  if (loop === undefined || around.length > 1 || head < 0) return null
  const next: Graph = code.map((one, k) => successorsOf(one, k).filter((to) => to < code.length))
  const back = reversed(next)
  const [ahead, behind] = [reached(next, draw), reached(back, draw)]
  const inside = new Set([...ahead].filter((k) => behind.has(k)))
  const isWhole =
    inside.has(draw) &&
    inside.has(head) &&
    code.every((_, k) => inside.has(k) === (loops[k]?.[0] === loop)) &&
    next.every((to, k) => inside.has(k) || to.every((t) => !inside.has(t) || t === head)) &&
    (!inside.has(0) || head === 0) &&
    !reached(next, draw, head).has(draw)
  if (!isWhole) return null
  const written = new Set([...inside].flatMap((k) => usesOf(code[k]!.operation).writes))
  if ([...written].some((place) => readBeforeWritten(code, head, place))) return null
  const toHead = reached(back, head)
  const outside = code.flatMap((_, k) => (inside.has(k) ? [] : [k]))
  const [own, before, after] = [
    sitesOf(p, inside),
    sitesOf(
      p,
      outside.filter((k) => toHead.has(k)),
    ),
    sitesOf(
      p,
      outside.filter((k) => !toHead.has(k)),
    ),
  ]
  if ([...before, ...after].some((site) => own.has(site)) || [...before].some((site) => after.has(site)))
    return null
  return { site: code[draw]!.site, inside: own, before }
}
