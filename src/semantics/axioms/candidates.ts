/**
 * Candidate executions: everything that a run chooses, chosen in every way.
 *
 * | choice                                         | ways                                                                              |
 * |------------------------------------------------|-----------------------------------------------------------------------------------|
 * | the way of each thread                         | `paths.ts`                                                                        |
 * | the write that each read takes its value from  | each write of the location but its own                                            |
 * | the phases of barriers                         | `barriers.ts`                                                                     |
 * | Fence-SC order (8.9.3)                         | each partial order that relates every pair of morally strong `fence.sc`s          |
 * | coherence order (8.9.6)                        | each partial order that relates the overlapping writes that are morally strong, or ordered in causality |
 *
 * An execution is a candidate that no axiom forbids (`axioms.ts`). What the axioms forbid for sure is not followed: a read does not take what its own thread has
 * overwritten or has yet to write, and coherence follows causality. Such a cut is made only where the axioms that justify it are `enforced`; who asks for the reason of
 * a refusal enforces none, and sees every candidate.
 *
 * Laws
 * 1. Values are consistent: a read finds what the write it reads from wrote, and each thread goes the way of its values.
 * 2. With every axiom enforced, the candidates that no axiom forbids are those without any enforced: cuts lose none.
 */
import type { Axiom } from './axiom.js'
import { meetings } from './barriers.js'
import { addressOf, eventsOf, isRead, isWrite, type Event } from './events.js'
import {
  acquirePatterns,
  baseCausality,
  causality,
  morallyStrong,
  observation,
  overlap,
  patternsSynchronize,
  programOrder,
  proxyPreserved,
  readsBefore,
  releasePatterns,
  sameAddress,
  type Pattern,
  type Synchronizes,
} from './orders.js'
import { compares, valueOf, type Path } from './paths.js'
import type { Program } from './program.js'
import { closure, has, isAcyclic, none, pairs, relation, withPair, type Relation } from './relation.js'

/** What the events of a run determine, before anything is chosen. */
export interface Shape {
  readonly events: ReadonlyArray<Event>
  readonly paths: ReadonlyArray<Path>
  readonly programOrder: Relation
  readonly overlap: Relation
  readonly sameAddress: Relation
  readonly strong: Relation
  readonly releases: ReadonlyArray<Pattern>
  readonly acquires: ReadonlyArray<Pattern>
  /** the first event of each thread */
  readonly starts: ReadonlyArray<number>
}

/** A candidate execution: the choices of a run, and the orders that follow from them. */
export interface Candidate {
  readonly shape: Shape
  /** the write that each read takes its value from; -1: it is no read */
  readonly readsFrom: ReadonlyArray<number>
  readonly found: ReadonlyArray<number | undefined>
  readonly wrote: ReadonlyArray<number | undefined>
  readonly observation: Relation
  readonly synchronizes: Synchronizes
  readonly baseCausality: Relation
  readonly proxyPreserved: Relation
  readonly causality: Relation
  readonly coherence: Relation
  /** from a read to the writes that are later in coherence than what it found */
  readonly readsBefore: Relation
}

/** What the events of one way for each thread determine. */
export const shapeOf = (program: Program, paths: ReadonlyArray<Path>): Shape => {
  const events = eventsOf(program, paths)
  return {
    events,
    paths,
    programOrder: programOrder(events),
    overlap: overlap(events),
    sameAddress: sameAddress(events),
    strong: morallyStrong(events),
    releases: releasePatterns(events),
    acquires: acquirePatterns(events),
    starts: program.threads.map((_, t) => events.findIndex(({ thread }) => thread === t)),
  }
}

/** `readsFrom` as a relation from writes to reads. */
export const readsFromRelation = (readsFrom: ReadonlyArray<number>): Relation =>
  relation(readsFrom.length, (w, r) => readsFrom[r] === w)

/** No Thin Air (8.10.4): from a read to the reads that find a write which depends on it. */
export const dependence = ({ events, starts }: Shape, readsFrom: ReadonlyArray<number>): Relation => {
  return relation(events.length, (a, r) => {
    const w = readsFrom[r]!
    const does = w < 0 ? undefined : events[w]!.does
    return does?._tag === 'access' && does.dependsOn.some((local) => starts[events[w]!.thread]! + local === a)
  })
}

// ---------------------------------------------------------------- values

interface Values {
  readonly found: ReadonlyArray<number | undefined>
  readonly wrote: ReadonlyArray<number | undefined>
}

/** What is found and written, as far as it follows; `guessed` is what some reads find though nothing says so. */
const propagate = (
  { events, starts }: Shape,
  readsFrom: ReadonlyArray<number>,
  guessed: ReadonlyMap<number, number>,
): Values => {
  const found: Array<number | undefined> = events.map((_, k) => guessed.get(k))
  const wrote: Array<number | undefined> = events.map(({ does }) =>
    does._tag === 'start' ? does.value : undefined,
  )
  for (let changed = true; changed;) {
    changed = false
    events.forEach(({ does, thread }, k) => {
      if (found[k] === undefined && readsFrom[k]! >= 0) {
        found[k] = wrote[readsFrom[k]!]
        changed ||= found[k] !== undefined
      }
      if (wrote[k] === undefined && does._tag === 'access' && does.writes !== undefined) {
        wrote[k] = valueOf(does.writes, (local) => found[starts[thread]! + local])
        changed ||= wrote[k] !== undefined
      }
    })
  }
  return { found, wrote }
}

/** Whether every thread goes the way of its values; `undefined` values hinder nothing. */
const goesItsWay = (shape: Shape, found: ReadonlyArray<number | undefined>): boolean => {
  return shape.paths.every(({ conditions }, thread) =>
    conditions.every(({ is, a, b }) => {
      const read = (local: number): number | undefined => found[shape.starts[thread]! + local]
      const [x, y] = [valueOf(a, read), valueOf(b, read)]
      return x === undefined || y === undefined || compares(is, x, y)
    }),
  )
}

/** Every way to give the reads values. More than one only where values depend on themselves: each is then taken out of thin air, from `pool`. */
const valuesOf = (
  shape: Shape,
  readsFrom: ReadonlyArray<number>,
  pool: ReadonlyArray<number>,
  guessed: ReadonlyMap<number, number> = new Map(),
): ReadonlyArray<Values> => {
  const values = propagate(shape, readsFrom, guessed)
  const open = readsFrom.findIndex((w, r) => w >= 0 && values.found[r] === undefined)
  if (open >= 0)
    return pool.flatMap((v) => valuesOf(shape, readsFrom, pool, new Map([...guessed, [open, v]])))
  return readsFrom.every((w, r) => w < 0 || values.wrote[w] === values.found[r]) &&
    goesItsWay(shape, values.found)
    ? [values]
    : []
}

// ---------------------------------------------------------------- who reads from whom

/** Whether a read may take a write's value, as far as the two threads alone say. */
const mayRead = (
  { events, programOrder: po, sameAddress: same, strong }: Shape,
  enforced: ReadonlySet<Axiom>,
  w: number,
  r: number,
): boolean => {
  if (!enforced.has('causality') || !enforced.has('coherence')) return true
  // in one thread and through one proxy, program order is causality
  const ordered = (a: number, b: number): boolean => has(po, a, b) && has(same, a, b) && has(strong, a, b)
  return (
    !ordered(r, w) &&
    !events.some(
      (e, k) => isWrite(e) && ordered(k, r) && (events[w]!.thread < 0 || (k !== w && ordered(w, k))),
    )
  )
}

/** Whether two atomic operations both read the write that sets memory up, though they are morally strong: one of them would not be atomic. */
const isTorn = ({ events, strong }: Shape, readsFrom: ReadonlyArray<number>, r: number): boolean =>
  isWrite(events[r]!) &&
  events[readsFrom[r]!]!.thread < 0 &&
  readsFrom.some((w, o) => o !== r && w === readsFrom[r] && isWrite(events[o]!) && has(strong, r, o))

/** Whether a read finds what memory held at first, though an earlier read of its thread found a later write, all of them morally strong. */
const isStale = (
  { events, strong, overlap: overlapping, programOrder: po }: Shape,
  readsFrom: ReadonlyArray<number>,
  r: number,
): boolean =>
  events[readsFrom[r]!]!.thread < 0 &&
  readsFrom.some(
    (w, o) =>
      w >= 0 &&
      has(po, o, r) &&
      has(overlapping, o, r) &&
      events[w]!.thread >= 0 &&
      has(strong, w, o) &&
      has(strong, w, r),
  )

/** Every choice of writes to read from; `undefined` for each that is given up on the way. */
function* readsFromOf(
  shape: Shape,
  enforced: ReadonlySet<Axiom>,
): Generator<ReadonlyArray<number> | undefined, void, undefined> {
  const { events } = shape
  const isAtomic = ({ does }: Event): boolean => does._tag === 'access' && does.atomic
  // location by location, atomic operations first: what others depend on is then known soon
  const reads = events
    .flatMap((e, k) => (isRead(e) ? [k] : []))
    .sort(
      (a, b) =>
        Number(isAtomic(events[b]!)) - Number(isAtomic(events[a]!)) ||
        (addressOf(events[a]!)?.location ?? '').localeCompare(addressOf(events[b]!)?.location ?? '') ||
        a - b,
    )
  const writers = reads.map((r) =>
    events.flatMap((e, w) =>
      w !== r &&
      isWrite(e) &&
      addressOf(e)?.location === addressOf(events[r]!)?.location &&
      mayRead(shape, enforced, w, r)
        ? [w]
        : [],
    ),
  )
  const chosen = events.map(() => -1)
  function* choose(k: number): Generator<ReadonlyArray<number> | undefined, void, undefined> {
    if (k === reads.length) {
      yield [...chosen]
      return
    }
    const r = reads[k]!
    for (const w of writers[k]!) {
      chosen[r] = w
      if (
        !(enforced.has('atomicity') && isTorn(shape, chosen, r)) &&
        !(enforced.has('sc-per-location') && isStale(shape, chosen, r)) &&
        !(enforced.has('no-thin-air') && !isAcyclic(dependence(shape, chosen))) &&
        goesItsWay(shape, propagate(shape, chosen, new Map()).found)
      )
        yield* choose(k + 1)
      else yield undefined
    }
    chosen[r] = -1
  }
  yield* choose(0)
}

// ---------------------------------------------------------------- partial orders

/** The partial orders that include `given` and relate every pair, each transitive. */
const ordersThatRelate = (
  given: Relation,
  must: ReadonlyArray<readonly [number, number]>,
): ReadonlyArray<Relation> => {
  const start = closure(given)
  if (start.some((row, a) => ((row >>> a) & 1) === 1)) return []
  const open = must.find(([a, b]) => !has(start, a, b) && !has(start, b, a))
  if (open === undefined) return [start]
  const [a, b] = open
  return [...ordersThatRelate(withPair(start, a, b), must), ...ordersThatRelate(withPair(start, b, a), must)]
}

const pairsOf = (
  n: number,
  holds: (a: number, b: number) => boolean,
): ReadonlyArray<readonly [number, number]> => {
  const out: Array<readonly [number, number]> = []
  for (let a = 0; a < n; a++) for (let b = a + 1; b < n; b++) if (holds(a, b)) out.push([a, b])
  return out
}

/** The Fence-SC orders (8.9.3). */
const fenceOrders = ({ events, strong }: Shape): ReadonlyArray<Relation> => {
  const isSc = ({ does }: Event): boolean => does._tag === 'fence' && does.sem === 'sc'
  const n = events.length
  return ordersThatRelate(
    none(n),
    pairsOf(n, (a, b) => isSc(events[a]!) && isSc(events[b]!) && has(strong, a, b)),
  )
}

/** The coherence orders (8.9.6); the write that sets memory up is the first. */
const coherenceOrders = (
  { events, overlap: overlapping, strong }: Shape,
  caused: Relation,
  readsFrom: ReadonlyArray<number>,
  enforced: ReadonlySet<Axiom>,
): ReadonlyArray<Relation> => {
  const n = events.length
  const writes = (a: number, b: number): boolean =>
    isWrite(events[a]!) && isWrite(events[b]!) && has(overlapping, a, b)
  // coherence follows causality, and an atomic operation follows what it reads
  const follows = (a: number, b: number): boolean =>
    (enforced.has('coherence') && has(caused, a, b)) ||
    (enforced.has('sc-per-location') && readsFrom[b] === a && has(strong, a, b))
  return ordersThatRelate(
    relation(n, (a, b) => writes(a, b) && (events[a]!.thread < 0 || follows(a, b))),
    pairsOf(n, (a, b) => writes(a, b) && (has(strong, a, b) || has(caused, a, b) || has(caused, b, a))),
  )
}

// ---------------------------------------------------------------- candidates

/** Every number that a program says: what a value out of thin air may be. */
const poolOf = (program: Program, more: ReadonlyArray<number>): ReadonlyArray<number> => [
  ...new Set([
    ...program.memory.values(),
    ...more,
    ...program.threads.flatMap((t) => [
      ...t.registers.values(),
      ...t.body.flatMap((i) =>
        (i._tag === 'store' || i._tag === 'atomic') && i.value._tag === 'number' ? [i.value.value] : [],
      ),
    ]),
  ]),
]

/** The candidates of one way for each thread; `undefined` for each choice that is given up, so that who counts can end. `pool`: further numbers that a value out of thin air may be. */
export function* candidatesOf(
  program: Program,
  paths: ReadonlyArray<Path>,
  enforced: ReadonlySet<Axiom>,
  pool: ReadonlyArray<number> = [],
): Generator<Candidate | undefined, void, undefined> {
  const waiting = paths.filter(({ waits }) => waits).length
  if (waiting > 0 && waiting === paths.length) return
  const shape = shapeOf(program, paths)
  const { events, strong, starts } = shape
  const lasts = paths.map((p, t) => (p.waits ? starts[t]! + p.events.length - 1 : -1))
  const numbers = poolOf(program, pool)
  for (const readsFrom of readsFromOf(shape, enforced)) {
    if (readsFrom === undefined) {
      yield undefined
      continue
    }
    const rf = readsFromRelation(readsFrom)
    const observed = observation(events, strong, rf)
    const patterns = patternsSynchronize(events, strong, observed, shape.releases, shape.acquires)
    for (const { found, wrote } of valuesOf(shape, readsFrom, numbers)) {
      const operandAt = (event: number, which: 'id' | 'count'): number | undefined => {
        const { does, thread } = events[event]!
        const term = does._tag === 'barrier' ? does[which] : undefined
        return term === undefined ? undefined : valueOf(term, (local) => found[starts[thread]! + local])
      }
      for (const barriers of meetings(events, operandAt, (e) => lasts.includes(e)))
        for (const fences of fenceOrders(shape)) {
          const synchronizes: Synchronizes = { patterns, fences, barriers }
          const base = baseCausality(events, shape.programOrder, synchronizes)
          if (enforced.has('fence-sc') && pairs(fences).some(([a, b]) => has(base, b, a))) continue
          const preserved = proxyPreserved(events, shape.overlap, base)
          const caused = causality(preserved, observed)
          for (const coherence of coherenceOrders(shape, caused, readsFrom, enforced))
            yield {
              shape,
              readsFrom,
              found,
              wrote,
              observation: observed,
              synchronizes,
              baseCausality: base,
              proxyPreserved: preserved,
              causality: caused,
              coherence,
              readsBefore: readsBefore(readsFrom, coherence),
            }
        }
    }
  }
}
