/**
 * mbarriers as the detector sees them: generations, computed from the log and never believed.
 *
 * A barrier counts down arrivals and counts bytes up (expected) and down (delivered). When both are zero its generation
 * is complete and the next one begins. A wait that passes while n generations are complete observes generation n - 1.
 *
 * | rule | asked at                 | of                                                                  | else          |
 * |------|--------------------------|---------------------------------------------------------------------|---------------|
 * | C3   | an event of generation g | it knows every event of g - 1                                       | B3, undecided |
 * | C4 upper | g + 1 completes      | for each wait that observed g, some event of g + 1 knows it         | B1, undecided |
 * | C4 lower | a wait observes g    | its agent knew, without it, every event of g - 1                    | B3, undecided |
 * | C6   | g completes, or the end  | each expectTx is known to a counted arrival of g (if there is one)  | B4, undecided |
 * | B2   | an arrive                | arrivals are still expected                                         | fault         |
 * | B7   | any event, a wait that stands at the end | the object is initialised, and the initialisation is known | fault  |
 * | B9   | an event of another CTA  | the initialisation was fenced (fence.mbarrier_init) or released to its agent | hazard |
 * | B8   | a wait (Pallas)          | the agent skips no generation                                       | contract      |
 * | B8   | inval, or the end (Pallas) | every agent that has waited has seen all that any agent has seen  | contract      |
 * | U1   | inval, or the end (Pallas) | every completion was observed                                     | contract; hazard if the storage is used again |
 *
 * Of peeks, and of the waits that they may spare, C4 asks more (`peeks.ts`).
 *
 * Worked: count 1, T0 `expectTx b 16`, T1 `arrive b`. If the arrive comes first generation 0 completes without the bytes, and
 * the expectTx belongs to generation 1. So C6 asks that the arrive knows the expectTx, and C3 that the expectTx of 1 knows the arrive of 0.
 *
 * "Some event of g + 1 knows the wait" is one comparison with the join of what those events know.
 *
 * Who waits, for B8, are warps: a thread that parts into its four warps and meets again has seen what all four have seen, and each of them what
 * their thread has seen.
 *
 *     thread (warps 0 to 3)      wait b: generation 1                  its warps have seen generation 0, so it skips nothing
 *     warps 0, 1, 2, 3           wait b: generation 0, each
 *     warp 0 alone               wait b: generation 2                  at the end: the thread has waited for b, and warps 1 to 3 miss generation 2
 *
 * Law 1. The generations do not depend on what the log says beyond the order of its events.
 *
 * Source: PTX ISA, mbarrier phases and transaction counts; the conditions are docs/hazards.md's theorem.
 */
import type { Scope } from '../../language/instruction.js'
import { publishesBarriers, type Fencing, type Stamp } from '../../log/events.js'
import type { BlockingId, ConditionId } from '../hazards.js'
import { units } from '../../log/units.js'
import { limit } from '../../machine/mbarrier.js'
import { other } from '../deed.js'
import { ofBarrier } from '../subject.js'
import type { AgentState, Context } from './context.js'
import { receive } from './context.js'
import type { Asked, Contribution, Generation, Peeked } from './generation.js'
import { contribute, generation, renewed, unknownEvent } from './generation.js'
import type { Extent, Knowledge } from './knowledge.js'
import {
  advance,
  advanceOrder,
  barrierClock,
  joinOrder,
  programOf,
  seesFencedInits,
  seesInitialisation,
} from './knowledge.js'
import { allLanes } from './activity.js'
import { fencedEvent, isAmong, knowsEvent, knowsAttendance, lanesDone } from './lanes.js'
import type { Operation } from './operation.js'
import { cameTo, changesPlaces, quiet, type Quiet } from './quiet.js'
import { valueAt } from './sparse.js'
import type { Failure } from './report.js'
import { actor, agentName, barrierName, draft, fail, file, keyOf, leftByCompiler, where } from './report.js'

// ---------------------------------------------------------------- model

export interface BarrierState {
  readonly index: number
  readonly clock: number
  live: boolean
  init: Stamp | undefined
  /** the first fence.mbarrier_init by the thread that initialised it */
  published: Stamp | undefined
  /** where its last life ended */
  ended: Stamp | undefined
  count: number
  pending: number
  /** arrivals of the generation under way beyond its count */
  surplus: number
  bytes: number
  /** generation at which this life of the object began, and the one under way */
  base: number
  number: number
  current: Generation
  last: Generation | undefined
  beforeLast: Generation | undefined
  /** per agent: the latest wait of each of its lanes that observed generation `number - 1`, their latest expectTx of generation `number` */
  readonly waits: Array<ReadonlyArray<Stamp>>
  readonly expects: Array<ReadonlyArray<Stamp>>
  /** the same of arrivals asked for beyond the count */
  readonly increments: Array<Stamp | undefined>
  /** per agent: the latest peek of each of its lanes in this life that has not spared a wait yet */
  readonly peeks: Array<ReadonlyArray<Peeked>>
  /** per agent: its latest wait in this life */
  readonly waiters: Array<Stamp | undefined>
  /** per agent: last generation observed plus one; and the same over all agents */
  readonly observed: Int32Array
  observedByAny: number
  readonly arrivers: Uint8Array
  /** where it was invalidated with completions that were not observed */
  unobserved: Stamp | undefined
  /** null: it is not asked for */
  quiet: Quiet | null
}

/** An event that counts towards a generation. */
export interface BarrierArrival {
  readonly clock: number
  readonly at: number
  readonly counted: number
  /** it answers an increment, not one of the arrivals that the barrier counts */
  readonly offset: boolean
  readonly bytes: number
  /** what its agent knows, or the operation whose event it is */
  readonly knowledge: Knowledge
  /** it orders what comes before it by the manual's word: it is no relaxed one */
  readonly firm: boolean
  readonly stamp: Stamp
  readonly does: string
  /** adds to the message what it publishes */
  readonly publish: (message: Knowledge, generation: number) => void
}

// ---------------------------------------------------------------- constructors

const none: ReadonlyArray<Stamp> = []

export const barrierState = (extent: Extent, index: number): BarrierState => ({
  index,
  clock: barrierClock(extent, index),
  live: false,
  init: undefined,
  published: undefined,
  ended: undefined,
  count: 0,
  pending: 0,
  surplus: 0,
  bytes: 0,
  base: 0,
  number: 0,
  current: generation(extent),
  last: undefined,
  beforeLast: undefined,
  waits: Array.from({ length: extent.agents }, () => none),
  expects: Array.from({ length: extent.agents }, () => none),
  increments: Array.from({ length: extent.agents }, () => undefined),
  peeks: Array.from({ length: extent.agents }, () => []),
  waiters: Array.from({ length: extent.agents }, () => undefined),
  observed: new Int32Array(extent.agents),
  observedByAny: 0,
  arrivers: new Uint8Array(extent.agents),
  unobserved: undefined,
  quiet: null,
})

/** The object's life begins again; generation numbers go on, so that clocks stay monotone. */
const begin = (b: BarrierState, extent: Extent, count: number, stamp: Stamp, asked: boolean): void => {
  b.quiet = asked ? quiet(b.number) : null
  b.live = true
  b.init = stamp
  b.published = undefined
  b.ended = undefined
  b.count = count
  b.pending = count
  b.surplus = 0
  b.bytes = 0
  b.base = b.number
  b.current = generation(extent)
  b.last = undefined
  b.beforeLast = undefined
  b.waits.fill(none)
  b.expects.fill(none)
  b.increments.fill(undefined)
  b.peeks.fill([])
  b.waiters.fill(undefined)
  b.observed.fill(b.number)
  b.observedByAny = b.number
}

// ---------------------------------------------------------------- destructors

const name = (c: Context, b: BarrierState): string => barrierName(c.header, b.index)
const isPallas = (c: Context, b: BarrierState): boolean => c.header.barriers[b.index]?.contract === 'pallas'

const generations = (n: number): string => `${String(n)} generation${n === 1 ? '' : 's'}`

/** Completions of this life that no wait has observed, or arrivals of a generation that is not complete. */
export const isUnobserved = (b: BarrierState): boolean =>
  b.live && (b.number > b.observedByAny || b.current.arrivals > 0 || b.bytes !== 0)

const condition = (
  c: Context,
  b: BarrierState,
  id: ConditionId,
  text: string,
  a: Stamp,
  doesA: string,
  other: Stamp | undefined,
  doesB: string,
): Failure => ({
  text: `${id}: ${text}`,
  draft: draft(
    id,
    'E',
    text,
    [ofBarrier(b.index)],
    actor(a, doesA),
    other === undefined ? undefined : actor(other, doesB),
    undefined,
    other === undefined
      ? undefined
      : `${agentName(c.header, other.agent)} is not ordered after ${where(c.header, a)}`,
  ),
})

// ---------------------------------------------------------------- life

/** What the end of its life does, in words. */
export const lifeOver = (c: Context, b: BarrierState): string => `invalidates ${name(c, b)}`

const lifecycle = (c: Context, b: BarrierState, stamp: Stamp, does: string, text: string): void =>
  file(c.report, `B7|${String(b.index)}|${String(stamp.agent)}`, () =>
    draft(
      'B7',
      'E',
      text,
      [ofBarrier(b.index)],
      b.init === undefined ? actor(stamp, does) : actor(b.init, `initialises ${name(c, b)}`),
      b.init === undefined ? undefined : actor(stamp, does),
    ),
  )

/** B9: in order, but what a relaxed barrier orders it does not publish. */
const unpublished = (c: Context, b: BarrierState, init: Stamp, stamp: Stamp, does: string): void =>
  file(c.report, keyOf(`B9|${String(b.index)}`, init, stamp), () =>
    draft(
      'B9',
      'E',
      `${name(c, b)} is used by ${agentName(c.header, stamp.agent)}, of another CTA, to which its initialisation is not published`,
      [ofBarrier(b.index)],
      actor(init, `initialises ${name(c, b)}`),
      actor(stamp, does),
    ),
  )

/** B7 and B9: the object must be live, and its initialisation known; to other CTAs, published. */
export const checkLive = (c: Context, b: BarrierState, stamp: Stamp, k: Knowledge, does: string): boolean => {
  if (!b.live) {
    lifecycle(
      c,
      b,
      stamp,
      does,
      `${name(c, b)} is used ${b.init === undefined ? 'before it is initialised' : 'after it is invalidated'}`,
    )
    return false
  }
  const init = b.init
  if (init === undefined) return true
  if (!knowsEvent(k, init, stamp))
    lifecycle(c, b, stamp, does, `${name(c, b)} is used by an agent that does not know its initialisation`)
  else if (
    c.header.agents[init.agent]!.cta !== c.header.agents[stamp.agent]!.cta &&
    !seesInitialisation(k, init.agent, init.at) &&
    !isAnnounced(b, stamp, k) &&
    !c.options.rules.noB9
  )
    unpublished(c, b, init, stamp, does)
  return true
}

/** Whose a missing fence is, if not the author's. */
const whose: Readonly<Record<Exclude<Fencing, 'lowered'>, string>> = {
  author: '',
  library: ": the library that initialises it has no such fence, and neither have the library's own examples",
  compiler: leftByCompiler,
}

/** A fence.mbarrier_init is of what its own thread has initialised. */
export const publishInit = (b: BarrierState, fence: Stamp): void => {
  if (b.live && b.init?.agent === fence.agent && isAmong(b.init, fence)) b.published ??= fence
}

/** Was who knows this told of a fence.mbarrier_init by the lanes that have initialised it? One by other lanes of their warp is of other barriers. */
const isAnnounced = ({ published }: BarrierState, stamp: Stamp, k: Knowledge): boolean =>
  published !== undefined &&
  knowsEvent(k, published, stamp) &&
  seesFencedInits(k, published.agent, published.at)

/** Does who knows this know of a fence by which asynchronous units find the barrier: that of its initialiser, or a proxy fence? */
const isPublished = (b: BarrierState, init: Stamp, stamp: Stamp, k: Knowledge): boolean =>
  fencedEvent(k, init, stamp) || isAnnounced(b, stamp, k)

/** P6: an asynchronous unit completes on a barrier; where a program fences by hand, its initialisation must have been fenced for the unit before the issue. */
export const checkPublished = (
  c: Context,
  b: BarrierState,
  op: Pick<Operation, 'id' | 'stamp' | 'unit' | 'row' | 'knowledge'>,
): void => {
  const { init } = b
  const { fences } = c.header
  if (publishesBarriers(fences) || init === undefined || !b.live || op.row.proxy !== 'async') return
  // who does not know the initialisation is told so (B7)
  if (!knowsEvent(op.knowledge, init, op.stamp) || isPublished(b, init, op.stamp, op.knowledge)) return
  file(c.report, keyOf(`P6|${String(b.index)}`, init, op.stamp), () =>
    draft(
      'P6',
      fences === 'author' ? 'E' : 'L',
      `${name(c, b)} is completed by ${units[op.unit].title} of ${agentName(c.header, op.stamp.agent)}, and no fence makes its initialisation visible to asynchronous units${whose[fences]}`,
      [ofBarrier(b.index)],
      actor(init, `initialises ${name(c, b)}`),
      actor(op.stamp, `${op.unit} completes on it`, op.id, other, op.unit),
    ),
  )
}

export const initialise = (c: Context, b: BarrierState, stamp: Stamp, count: number): void => {
  if (b.live) lifecycle(c, b, stamp, 'initialises it again', `${name(c, b)} is initialised twice`)
  reused(c, b, stamp, 'initialises it again')
  disturb(c, b)
  begin(b, c.extent, count, stamp, c.options.quiet === true)
}

/** Its life ends: what may change places in it is not quiet. */
export const disturb = (c: Context, b: BarrierState): void => {
  if (b.quiet !== null && b.quiet.disputed < Infinity) c.restless = true
}

/** Its storage is used again: completions left unobserved can be mistaken for new ones. */
export const reused = (c: Context, b: BarrierState, stamp: Stamp, does: string): void => {
  const left = b.unobserved
  if (left === undefined) return
  b.unobserved = undefined
  file(c.report, keyOf(`U1|${String(b.index)}`, left, undefined), () =>
    draft(
      'U1',
      'E',
      `${name(c, b)} was invalidated with completions that no wait has observed, and its storage is used again`,
      [ofBarrier(b.index)],
      actor(left, `invalidates ${name(c, b)}`),
      actor(stamp, does),
    ),
  )
}

export const invalidate = (c: Context, b: BarrierState, stamp: Stamp, k: Knowledge): void => {
  const does = lifeOver(c, b)
  if (!checkLive(c, b, stamp, k, does)) return
  const missing =
    unknownEvent(b.current, b.number, k, stamp, -1, false, 'attended') ??
    (b.last === undefined
      ? undefined
      : unknownEvent(b.last, b.number - 1, k, stamp, b.clock, false, 'attended'))
  if (missing !== undefined)
    file(c.report, keyOf(`B7|${String(b.index)}`, missing.stamp, stamp), () =>
      draft(
        'B7',
        'E',
        `${name(c, b)} is invalidated while it is in use`,
        [ofBarrier(b.index)],
        actor(missing.stamp, missing.does),
        actor(stamp, does),
      ),
    )
  else {
    const waiting = b.waits.flat().find((w) => !knowsAttendance(k, w, stamp))
    if (waiting !== undefined)
      file(c.report, keyOf(`B7|${String(b.index)}`, waiting, stamp), () =>
        draft(
          'B7',
          'E',
          `${name(c, b)} is invalidated while it is in use`,
          [ofBarrier(b.index)],
          actor(waiting, `waits for ${name(c, b)}`),
          actor(stamp, does),
        ),
      )
  }
  if (isPallas(c, b)) {
    skippedLast(c, b)
    if (isUnobserved(b)) b.unobserved = stamp
  }
  disturb(c, b)
  b.ended = stamp
  b.live = false
}

// ---------------------------------------------------------------- generations

/** C4's upper half: the generation after `observed` can be over before this wait. */
export const overrun = (
  c: Context,
  b: BarrierState,
  wait: Stamp,
  observed: number,
  by: Pick<Contribution, 'stamp' | 'does'> | undefined,
): void =>
  fail(c.report, 'C4', keyOf(`upper|${String(b.index)}`, wait, undefined), () =>
    condition(
      c,
      b,
      'B1',
      `${name(c, b)}: generation ${String(observed + 1 - b.base)} can complete before ${where(c.header, wait)} has seen generation ${String(observed - b.base)}`,
      wait,
      `waits for ${name(c, b)}`,
      by?.stamp,
      by?.does ?? 'arrives',
    ),
  )

/** C4's lower half: this wait, or peek, of generation `observed` can also pass on the one before the last. */
export const tooEarly = (
  c: Context,
  b: BarrierState,
  wait: Stamp,
  unknown: Contribution,
  observed: number,
  what: 'wait' | 'peek',
): void => {
  c.passedEarly = true
  fail(c.report, 'C4', keyOf(`lower|${String(b.index)}`, unknown.stamp, wait), () =>
    condition(
      c,
      b,
      'B3',
      what === 'wait'
        ? `${name(c, b)}: ${where(c.header, wait)} observed generation ${String(observed - b.base)} and can also pass on generation ${String(observed - b.base - 2)}`
        : `${name(c, b)}: ${where(c.header, wait)} spares the wait for generation ${String(observed - b.base)} and can also be true of generation ${String(observed - b.base - 2)}`,
      unknown.stamp,
      unknown.does,
      wait,
      `${what === 'wait' ? 'waits for' : 'tests'} ${name(c, b)}`,
    ),
  )
}

/** What `by` does not know of one of the last two generations; nothing of one before the object's life. */
export const unknownOf = (
  b: BarrierState,
  number: number,
  k: Knowledge,
  by: Stamp,
  asked: Asked = 'done',
): Contribution | undefined => {
  const g = number === b.number - 1 ? b.last : number === b.number - 2 ? b.beforeLast : undefined
  return g === undefined ? undefined : unknownEvent(g, number, k, by, b.clock, false, asked)
}

const complete = (c: Context, b: BarrierState, completing: BarrierArrival): void => {
  const known = b.current.message
  for (let x = 0; x < c.extent.agents; x++)
    for (const w of b.waits[x]!)
      if (!knowsAttendance(known, w, undefined)) overrun(c, b, w, b.number - 1, completing)
  checkExpects(c, b)
  advanceOrder(b.current.message, b.clock, b.number + 1)
  // a wait observes the last one, and asks after the one before it: no earlier one is asked for
  const spent = b.beforeLast
  b.beforeLast = b.last
  b.last = b.current
  b.current = spent === undefined ? generation(c.extent) : renewed(spent)
  b.number++
  b.pending = b.count
  b.surplus = 0
  for (let x = 0; x < c.extent.agents; x++) {
    b.waits[x] = none
    b.expects[x] = none
    b.increments[x] = undefined
  }
}

/** C6 of the generation under way. */
export const checkExpects = (c: Context, b: BarrierState): void => {
  if (c.options.rules.noC6) return
  for (let x = 0; x < c.extent.agents; x++) {
    for (const e of b.expects[x]!) {
      const byWarp = e.lanes === undefined || c.options.rules.warpExpects
      if (byWarp && b.current.counted[x]! >= e.at) continue
      fail(c.report, 'C6', keyOf(String(b.index), e, undefined), () =>
        condition(
          c,
          b,
          'B4',
          `${name(c, b)}: no arrival of generation ${String(b.number - b.base)} is ordered after ${where(c.header, e)}, so the generation can complete without these bytes`,
          e,
          `expects bytes on ${name(c, b)}`,
          b.current.events.find((z) => z.counted)?.stamp,
          'arrives',
        ),
      )
    }
    const i = b.increments[x]
    if (i !== undefined && b.current.based > 0 && b.current.counted[x]! < i.at)
      fail(c.report, 'C6', keyOf(`more|${String(b.index)}`, i, undefined), () =>
        condition(
          c,
          b,
          'B4',
          `${name(c, b)}: no arrival of generation ${String(b.number - b.base)} is ordered after ${where(c.header, i)}, so the generation can complete without the requested arrival`,
          i,
          `asks for an arrival on ${name(c, b)}`,
          b.current.events.find((z) => z.counted && !z.offset)?.stamp,
          'arrives',
        ),
      )
  }
}

/** An arrival of some lane knows what lanes have announced before it: the generation cannot complete before the bytes are expected. */
const announced = (b: BarrierState, e: BarrierArrival): void => {
  const { agent, lanes = allLanes } = e.stamp
  b.expects.forEach((all, x) => {
    if (!all.some((one) => one.lanes !== undefined)) return
    b.expects[x] = all.flatMap((one) => {
      if (one.lanes === undefined) return [one]
      const left = one.lanes & ~lanesDone(e.knowledge, one, programOf(x), one.at, { agent, lanes })
      return left === 0 ? [] : [ofLanes(one, left)]
    })
  })
}

const ofLanes = ({ agent, at, site, iteration }: Stamp, lanes: number): Stamp => ({
  agent,
  at,
  site,
  iteration,
  lanes,
})

/** The latest of each lane. */
export const withLatest = (all: ReadonlyArray<Stamp>, one: Stamp): ReadonlyArray<Stamp> => {
  const { lanes } = one
  return lanes === undefined ? [one] : [...all.filter((s) => ((s.lanes ?? 0) & ~lanes) !== 0), one]
}

/** An arrive, an expectTx or delivered bytes. */
export const barrierEvent = (c: Context, b: BarrierState, e: BarrierArrival): void => {
  if (!checkLive(c, b, e.stamp, e.knowledge, e.does)) return
  const countedOnly = c.options.rules.c3CountedOnly
  if (b.last !== undefined && (!countedOnly || e.counted > 0)) {
    const missing = unknownEvent(
      b.last,
      b.number - 1,
      e.knowledge,
      e.stamp,
      b.clock,
      countedOnly,
      c.options.rules.warpArrivals ? 'warps' : 'done',
    )
    if (missing !== undefined && b.quiet !== null) {
      const earlier = unknownOf(b, b.number - 2, e.knowledge, e.stamp) !== undefined
      changesPlaces(b.quiet, earlier ? valueAt(e.knowledge.order, b.clock) : b.number - 1)
    }
    if (missing !== undefined)
      fail(c.report, 'C3', keyOf(String(b.index), missing.stamp, e.stamp), () =>
        condition(
          c,
          b,
          'B3',
          `${name(c, b)}: ${where(c.header, missing.stamp)} (generation ${String(b.number - b.base - 1)}) and ${where(c.header, e.stamp)} (generation ${String(b.number - b.base)}) can change places`,
          missing.stamp,
          missing.does,
          e.stamp,
          e.does,
        ),
      )
  }
  const contribution: Contribution = {
    clock: e.clock,
    at: e.at,
    counted: e.counted > 0,
    offset: e.offset,
    announces: e.bytes > 0,
    stamp: e.stamp,
    does: e.does,
  }
  if (b.quiet !== null) {
    const counted = e.bytes === 0 && !e.offset ? e.counted : 0
    cameTo(b.quiet, b.number, b.current.events.length === 0, b.count, counted, e.knowledge, e.stamp)
  }
  contribute(b.current, contribution, e.knowledge.order)
  if (e.counted > 0 && !e.offset) announced(b, e)
  joinOrder(b.current.message, e.knowledge, e.firm)
  e.publish(b.current.message, b.number)
  b.arrivers[e.stamp.agent] = 1
  c.tookPart[e.stamp.agent * c.extent.barriers + b.index] = 1
  if (e.counted > 0) {
    if (b.count > limit) {
      file(c.report, keyOf(`B2|${String(b.index)}`, e.stamp, undefined), () =>
        draft(
          'B2',
          'E',
          `${name(c, b)} is initialised for ${String(b.count)} arrivals: a phase has at most ${String(limit)}`,
          [ofBarrier(b.index)],
          actor(b.init ?? e.stamp, `initialises ${name(c, b)}`),
          actor(e.stamp, e.does),
        ),
      )
      return
    }
    if (b.pending < e.counted) {
      b.surplus += e.counted
      const found = b.count - b.pending + b.surplus
      file(c.report, keyOf(`B2|${String(b.index)}`, e.stamp, undefined), () =>
        draft(
          'B2',
          'E',
          `${name(c, b)}: generation ${String(b.number - b.base)} counts ${String(b.count)} arrivals and ${String(found)} come before it is complete${b.bytes > 0 ? ` (${String(b.bytes)} bytes are still missing)` : ''}`,
          [ofBarrier(b.index)],
          actor(b.current.events[0]?.stamp ?? e.stamp, b.current.events[0]?.does ?? e.does),
          actor(e.stamp, e.does),
        ),
      )
      return
    }
    b.pending -= e.counted
  }
  const bytes = b.bytes + e.bytes
  if (bytes > limit || bytes < -limit) {
    file(c.report, keyOf(`B4|${String(b.index)}`, e.stamp, undefined), () =>
      draft(
        'B4',
        'E',
        `${name(c, b)}: the transaction count of generation ${String(b.number - b.base)} reaches ${String(bytes)}, beyond ${String(limit)} either way`,
        [ofBarrier(b.index)],
        actor(e.stamp, e.does),
      ),
    )
    return
  }
  b.bytes = bytes
  if (b.pending === 0 && b.bytes === 0) complete(c, b, e)
}

/** A wait that passes. Its stamp has not been ticked yet: C4's lower half asks what the agent knew before. */
export const observeWait = (
  c: Context,
  b: BarrierState,
  a: AgentState,
  stamp: Stamp,
  acquire: boolean,
  scope: Scope,
  tensor: boolean,
): number => {
  const observed = b.number - 1
  if (!c.options.rules.oneSidedC4) {
    const unknown = unknownOf(
      b,
      observed - 1,
      a.knowledge,
      stamp,
      c.options.rules.warpArrivals ? 'warps' : 'done',
    )
    if (unknown !== undefined) tooEarly(c, b, stamp, unknown, observed, 'wait')
  }
  advanceOrder(a.knowledge, programOf(stamp.agent), stamp.at)
  advance(a.knowledge.visible.counters, programOf(stamp.agent), stamp.at)
  b.waits[stamp.agent] = c.options.rules.lastLaneWaits ? [stamp] : withLatest(b.waits[stamp.agent]!, stamp)
  if (b.last !== undefined) {
    receive(a, b.last.message, acquire, tensor)
    if (b.last.far !== null && (scope !== 'cta' || c.options.rules.anyScope))
      receive(a, b.last.far, acquire, tensor)
  }
  b.waiters[stamp.agent] = stamp
  const before = isPallas(c, b) ? seenBy(c, b, stamp.agent, observed) : observed
  if (before < observed)
    file(c.report, keyOf(`B8|${String(b.index)}`, stamp, undefined), () =>
      draft(
        'B8',
        'C',
        `${name(c, b)}: ${agentName(c.header, stamp.agent)} observes generation ${String(observed - b.base)} and has skipped ${String(observed - before)} before it`,
        [ofBarrier(b.index)],
        actor(stamp, `waits for ${name(c, b)}`),
      ),
    )
  if (observed + 1 > b.observed[stamp.agent]!) b.observed[stamp.agent] = observed + 1
  if (observed + 1 > b.observedByAny) b.observedByAny = observed + 1
  return observed
}

/**
 * Generations, from the first on, that an agent has seen: that each of its warps has seen, in any of the agents that it is part of. No caller asks
 * about more than `enough`.
 */
const seenBy = (c: Context, b: BarrierState, agent: number, enough: number): number => {
  const own = b.observed[agent]!
  const { cta, warps, firstWarp } = c.header.agents[agent]!
  if (own >= enough || firstWarp === undefined) return own
  const ofWarp = (warp: number): number =>
    c.header.agents.reduce(
      (most, y, i) =>
        y.cta === cta && y.firstWarp !== undefined && y.firstWarp <= warp && warp < y.firstWarp + y.warps
          ? Math.max(most, b.observed[i]!)
          : most,
      own,
    )
  return Array.from({ length: warps }, (_, w) => ofWarp(firstWarp + w)).reduce((x, y) => Math.min(x, y))
}

/** The generation that an agent waits for, if it waits for one after another. */
export const wantedBy = (c: Context, b: BarrierState, agent: number): number =>
  seenBy(c, b, agent, b.number) - b.base

/** B8 where the life of a barrier ends: an agent has waited, and not for the last generations that others have seen. */
const skippedLast = (c: Context, b: BarrierState): void => {
  b.waiters.forEach((w, x) => {
    if (w === undefined) return
    const seen = seenBy(c, b, x, b.observedByAny)
    if (seen >= b.observedByAny) return
    const missing = b.observedByAny - seen
    file(c.report, keyOf(`B8|last|${String(b.index)}`, w, undefined), () =>
      draft(
        'B8',
        'C',
        `${name(c, b)}: ${agentName(c.header, x)} ends without having observed generation ${String(seen - b.base)}${missing === 1 ? '' : ` and ${String(missing - 1)} after it`}, which others have`,
        [ofBarrier(b.index)],
        actor(w, `waits for ${name(c, b)}`),
      ),
    )
  })
}

/** U1, B8 and C6 at the end. `stuck`: the run deadlocked, and left-overs are its consequence. */
export const atEnd = (c: Context, b: BarrierState, stuck: boolean): void => {
  if (b.current.arrivals > 0) checkExpects(c, b)
  if (stuck || !isPallas(c, b)) return
  if (b.live) skippedLast(c, b)
  const left = b.unobserved
  const isComplete = b.number > b.observedByAny
  const first = (isComplete ? b.last : b.current)?.events[0]
  const stamp = left ?? first?.stamp ?? b.init
  if (stamp === undefined || (left === undefined && !isUnobserved(b))) return
  const does =
    left !== undefined
      ? `invalidates ${name(c, b)}`
      : isComplete || first === undefined
        ? `completes ${name(c, b)}`
        : first.does
  file(c.report, keyOf(`U1|${String(b.index)}`, stamp, undefined), () =>
    draft(
      'U1',
      'C',
      isComplete
        ? `${name(c, b)} ends with completions that no wait has observed: ${generations(b.number - b.base)} complete, ${String(b.observedByAny - b.base)} observed`
        : `${lacking(c, b)}, and no wait waits for it`,
      [ofBarrier(b.index)],
      actor(stamp, does),
    ),
  )
}

/** For texts about deadlocks: the generation under way and what it lacks. */
export const lacking = (c: Context, b: BarrierState): string =>
  `${name(c, b)} generation ${String(b.number - b.base)}: ${lackingText(b)}`

const lackingText = ({ pending, count, bytes }: BarrierState): string => {
  const arrivals = `${String(pending)} of ${String(count)} arrivals`
  if (bytes < 0)
    return `${pending === 0 ? 'all arrivals came' : `${arrivals} missing`}, ${String(-bytes)} bytes more than expected have arrived`
  if (bytes === 0) return `${arrivals} missing`
  return pending === 0
    ? `all arrivals came, ${String(bytes)} bytes missing`
    : `${arrivals} and ${String(bytes)} bytes missing`
}

/** The same of one that is not there: why it is not. */
export const absence = (c: Context, b: BarrierState): string =>
  `${name(c, b)}, which ${b.ended === undefined ? 'is not initialised' : `${where(c.header, b.ended)} has invalidated`}`

/**
 * Why a wait can never be satisfied. A barrier that is not there passes no wait (B7). The agent wants the generation `wanted`, after the last one that it observed; with a parity of one bit it
 * sleeps, too, if that generation is over and the next one as well (B1), or if its very first parity is the wrong one (B6).
 */
export const deadlockId = (
  b: BarrierState,
  wanted: number,
  parity: number,
  nothingDone: boolean,
): BlockingId => {
  if (!b.live) return 'B7'
  if (b.pending === 0 && b.bytes !== 0) return 'B4'
  if (b.number - b.base > wanted) {
    if ((wanted & 1) === parity) return 'B1'
    if (wanted === 0) return 'B6'
  }
  return nothingDone && b.number === b.base && b.current.arrivals === 0 ? 'B6' : 'B5'
}

/** What completed the last generation: who overran a waiter. */
export const lastArrival = (b: BarrierState): Contribution | undefined => {
  const counted = b.last?.events.filter((e) => e.counted)
  return counted?.[counted.length - 1]
}

/** What announced bytes to the generation under way, the latest; else to the one before, whose bytes may be what is too many. */
export const lastAnnouncement = (b: BarrierState): Contribution | undefined => {
  const of = (g: Generation | undefined): Contribution | undefined => {
    const announced = g?.events.filter((e) => e.announces)
    return announced?.[announced.length - 1]
  }
  return of(b.current) ?? of(b.last)
}

/** Some of the arrivals that it counts have come, and not all. */
export const isPartly = (b: BarrierState): boolean => b.live && b.pending > 0 && b.pending < b.count
