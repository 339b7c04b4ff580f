/**
 * One generation of a barrier: the events that make it complete, and what it tells those who wait for it.
 *
 * mbarriers and named barriers differ in how a generation completes (arrivals and bytes, or threads). What they share is
 * here: every event of generation g is published to every wait that observes g, and to none that observes g + 1; and the
 * events of g and of g + 1 must be in order (condition C3), or else which generation an arrival joins is a matter of timing.
 *
 * | event                   | order      | visible, async                | tensor             |
 * |-------------------------|------------|-------------------------------|--------------------|
 * | arrive, release         | the agent's| the agent's                   | published (all, if it carries tensor order) |
 * | arrive of another CTA, release.cta | the agent's| nothing              | nothing            |
 * | arrive, relaxed         | the agent's| nothing                       | nothing            |
 * | expectTx                | the agent's| nothing                       | nothing            |
 * | complete_tx of a copy   | the issue's| this generation and no more   | nothing            |
 * | tcgen05 commit          | the issue's and the queue so far | nothing | the queue so far   |
 * | cp.async arrive         | the issue's and the copies so far | the copies so far | nothing |
 *
 * An agent of another CTA than the barrier's is heard only by scope: a release of scope CTA publishes nothing there, and what a wider one
 * publishes is acquired by waits of a wider scope (`far`). Copies and commits signal with cluster scope, and every wait hears them.
 *
 * Laws
 * 1. The message is the join of the events' contributions, whatever their order.
 * 2. `renewed(g)` is `generation` again, in the arrays of g.
 */
import type { Stamp, Wait } from '../../log/events.js'
import type { Extent, Knowledge, Vector } from './knowledge.js'
import { copy, forget, join, nothing, programOf } from './knowledge.js'
import { knowsAttendance, knowsDone } from './lanes.js'
import { valueAt } from './sparse.js'

// ---------------------------------------------------------------- model

/** An event of a generation: known where `clock` is at `at`. */
export interface Contribution {
  readonly clock: number
  readonly at: number
  readonly counted: boolean
  /** it answers an increment (cp.async), so it is none of the arrivals that the barrier counts */
  readonly offset: boolean
  /** it says that bytes will come */
  readonly announces: boolean
  readonly stamp: Stamp
  readonly does: string
}

export interface Generation {
  readonly message: Knowledge
  /** what agents of other CTAs have released to more than their own; for those who acquire from more than theirs */
  far: Knowledge | null
  events: Array<Contribution>
  /** per agent, the latest program counter that some counted arrival knew (C6) */
  readonly counted: Int32Array
  arrivals: number
  /** of them, those that the barrier counts */
  based: number
}

// ---------------------------------------------------------------- constructors

export const generation = (extent: Extent): Generation => ({
  message: nothing(),
  far: null,
  events: [],
  counted: new Int32Array(extent.agents),
  arrivals: 0,
  based: 0,
})

/** Over, and not to be asked for any more: its arrays serve the generation that begins. */
export const renewed = (g: Generation): Generation => {
  forget(g.message)
  g.far = null
  g.events = []
  g.counted.fill(0)
  g.arrivals = 0
  g.based = 0
  return g
}

/** All that it tells, to keep. */
export const told = (g: Generation): Knowledge => {
  const all = copy(g.message)
  if (g.far !== null) join(all, g.far)
  return all
}

// ---------------------------------------------------------------- combinators

/** Records an event, made by someone with this order vector. What it publishes is joined by the caller. */
export const contribute = (g: Generation, event: Contribution, order: Vector): void => {
  g.events.push(event)
  if (event.counted) {
    g.arrivals++
    if (event.offset) return
    g.based++
    for (let x = 0; x < g.counted.length; x++) {
      const at = valueAt(order, programOf(x))
      if (at > g.counted[x]!) g.counted[x] = at
    }
  }
}

/** What is asked of the lanes that did it: what memory says, or whether they have gone on from it; of a weakening, the warp alone. */
export type Asked = 'done' | 'attended' | 'warps'

const isKnown = (e: Contribution, k: Knowledge, by: Stamp, asked: Asked): boolean => {
  switch (asked) {
    case 'warps':
      return valueAt(k.order, e.clock) >= e.at
    case 'attended':
      if (e.clock === programOf(e.stamp.agent)) return knowsAttendance(k, e.stamp, by)
      return knowsDone(k, e.stamp, e.clock, e.at, by)
    case 'done':
      return knowsDone(k, e.stamp, e.clock, e.at, by)
  }
}

/**
 * An event of `g` that `by`, who knows this, does not know. `clock` is the barrier's (-1 without one) and
 * `number` the generation: to know a generation is to know all of its events.
 */
export const unknownEvent = (
  g: Generation,
  number: number,
  k: Knowledge,
  by: Stamp,
  clock: number,
  countedOnly: boolean,
  asked: Asked = 'done',
): Contribution | undefined => {
  if (clock >= 0 && valueAt(k.order, clock) > number) return undefined
  for (const e of g.events) {
    if (countedOnly && !e.counted) continue
    if (!isKnown(e, k, by, asked)) return e
  }
  return undefined
}

// ---------------------------------------------------------------- peeks

/** The last peek of an agent at a barrier. */
export interface Peeked {
  readonly wait: Wait
  /** the generation that its wait must observe */
  readonly generation: number
  readonly ready: boolean
  /** it could not be false, and was judged as the wait */
  readonly certain: boolean
  /** what the agent did not know of the generation before */
  readonly unknown: Contribution | undefined
}
