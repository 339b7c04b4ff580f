/**
 * Semaphores: who inherits what from a counter.
 *
 * A signal is a release and an atomic addition; a wait that passes at value v inherits **all signals so far**. That is what happened in this run. It
 * stands for every schedule if no other set of signals could have let the wait pass. For a wait w that needs n and passes at v:
 *
 * | asked                                                                              | else             |
 * |------------------------------------------------------------------------------------|------------------|
 * | every signal that comes after w knows w                                            | it could have come first, in the place of another |
 * | no signal before w could be spared: for the last signal s of each agent that w did not know anyhow, v - s < n | w could have passed without s |
 * | of two waits of which one takes something away, the later knows the earlier, not by this counter alone | the other could have taken it |
 *
 * Failing: C4 (B3), undecided. Why the last signal of each agent is enough: a schedule in which w passes without some of its signals lacks with each
 * of them whatever comes after it, hence a last one, and then at least that one's value.
 *
 *     A: write x, signal s 1      B: write y, signal s 1      C: wait s >= 2, read x, y         v = 2: 2 - 1 < 2, both needed
 *     C: wait s >= 1 instead      if A came first: v = 1, A inherited, B's signal does not know the wait: C4 fails
 *
 * Order is inherited whatever the scopes. Visibility is, of every signal that the wait and it reach one another: each in the other's scope. So a signal of
 * the CTA behind one of the whole GPU adds nothing for another CTA, and tells its own CTA all that its agent has seen by then. The counter itself is memory: a
 * plain access of it that is not ordered is a race (D2, D3), like any other beside atomics.
 *
 * Laws
 * 1. If the three questions hold for every wait, the set of signals that a wait inherits is the same in every schedule.
 * 2. What a wait inherits grows with the log: a signal inherited by one wait is inherited by every later one of that counter.
 *
 * Source: PTX ISA, memory consistency model (release and acquire patterns, observation through atomic operations).
 */
import type { Access, SemaphoreEvent, Stamp } from '../../log/events.js'
import { clusterOf, startOf } from '../../log/events.js'
import { between, reachOf, type Reach } from '../../log/reach.js'
import type { Context } from './context.js'
import { publish, receive, tick } from './context.js'
import * as Digest from './digest.js'
import { nothing, programOf, type Vector } from './knowledge.js'
import { access } from './memory.js'
import { actor, draft, fail, keyOf, planeName, where } from './report.js'
import type { SemaphoreState, Semaphores } from './semaphore-state.js'
import type { Detector } from './state.js'
import { watched } from './strong-waits.js'
import { copyOf, valueAt } from './sparse.js'

// ---------------------------------------------------------------- constructors

const semaphoreOf = (c: Context, all: Semaphores, e: SemaphoreEvent): SemaphoreState => {
  const { plane, spans } = e.footprint
  const key = `${String(plane)}+${String(startOf(spans))}`
  const found = all.get(key)
  if (found !== undefined) return found
  const none = (): Array<undefined> => c.agents.map(() => undefined)
  const made: SemaphoreState = {
    label: `semaphore ${planeName(c.header, plane)}+${String(startOf(spans))}`,
    signals: none(),
    waits: none(),
    taken: none(),
    told: c.agents.map(() => []),
  }
  all.set(key, made)
  return made
}

const accessOf = (e: SemaphoreEvent, rw: 'r' | 'w'): Access => ({
  _tag: 'access',
  stamp: e.stamp,
  rw,
  proxy: 'generic',
  footprint: e.footprint,
  role: rw === 'r' ? 'source' : 'destination',
  atomic: true,
  scope: e.scope,
  combine: 'add',
})

// ---------------------------------------------------------------- the questions

const ambiguous = (c: Context, s: SemaphoreState, first: Stamp, second: Stamp, text: string): void =>
  fail(c.report, 'C4', keyOf(s.label, first, second), () => ({
    text: `B3: ${s.label}: ${text}`,
    draft: draft('B3', 'E', `${s.label}: ${text}`, [], actor(first, 'uses it'), actor(second, 'uses it')),
  }))

const knows = (order: Vector, s: Stamp): boolean => valueAt(order, programOf(s.agent)) >= s.at

/** Stamps that are not known. */
const unknown = (among: ReadonlyArray<Stamp | undefined>, order: Vector): ReadonlyArray<Stamp> =>
  among.flatMap((s) => (s === undefined || knows(order, s) ? [] : [s]))

/** Do a signal with this reach and a wait by `waiter` reach one another? */
const reaches = (c: Context, signaller: number, told: Reach, waiter: number, acquire: Reach): boolean => {
  const a = c.header.agents[signaller]!.cta
  const b = c.header.agents[waiter]!.cta
  return Math.min(told, acquire) >= between(a === b, clusterOf(c.header, a) === clusterOf(c.header, b))
}

// ---------------------------------------------------------------- events

const signal = (d: Detector, s: SemaphoreState, e: SemaphoreEvent): void => {
  const c = d.context
  const x = e.stamp.agent
  access(d, accessOf(e, 'r'))
  access(d, accessOf(e, 'w'))
  const a = tick(c, e.stamp)
  for (const w of unknown(s.waits, a.knowledge.order))
    ambiguous(c, s, w, e.stamp, `${where(c.header, e.stamp)} can come before ${where(c.header, w)}`)
  s.signals[x] = { stamp: e.stamp, value: e.value }
  const knowledge = nothing()
  publish(knowledge, a, false)
  const reach = reachOf(e.scope)
  // a later signal tells what an earlier one told, wherever it reaches; farther out, the earlier one still does
  s.told[x] = [...s.told[x]!.filter((t) => t.reach > reach), { knowledge, reach }]
}

const passed = (d: Detector, s: SemaphoreState, e: SemaphoreEvent): void => {
  const c = d.context
  const x = e.stamp.agent
  access(d, accessOf(e, 'r'))
  const a = tick(c, e.stamp)
  const before = copyOf(a.knowledge.order)
  for (const one of s.signals)
    if (one !== undefined && !knows(before, one.stamp) && e.before - one.value >= e.value)
      ambiguous(
        c,
        s,
        one.stamp,
        e.stamp,
        `${where(c.header, e.stamp)} needs ${String(e.value)} and passes at ${String(e.before)}: it can pass without ${where(c.header, one.stamp)}`,
      )
  const acquire = reachOf(e.scope)
  s.told.forEach((all, y) => {
    for (const { knowledge, reach } of all) receive(a, knowledge, reaches(c, y, reach, x, acquire), false)
  })
  for (const w of unknown(e.decrement ? s.waits : s.taken, before))
    ambiguous(
      c,
      s,
      w,
      e.stamp,
      `${where(c.header, w)} and ${where(c.header, e.stamp)} can change places, and what one takes away the other lacks`,
    )
  s.waits[x] = e.stamp
  if (!e.decrement) return
  s.taken[x] = e.stamp
  access(d, accessOf(e, 'w'))
}

export const semaphore = (d: Detector, e: SemaphoreEvent): void => {
  const c = d.context
  const s = semaphoreOf(c, d.semaphores, e)
  if (e.outcome === 'blocked') {
    tick(c, e.stamp)
    const signallers = s.signals.flatMap((one, y) => (one === undefined || y === e.stamp.agent ? [] : [y]))
    d.blocked.push({
      stamp: e.stamp,
      barrier: -1,
      parity: 0,
      named: undefined,
      family: undefined,
      lacking: { label: s.label, before: e.before, value: e.value, until: e.until ?? null, signallers },
    })
    return
  }
  Digest.ofAgent(c.digest, e.stamp.agent, 11, e.stamp.at, e.kind === 'wait' ? 1 : 2, e.value)
  if (e.until !== undefined) {
    access(d, accessOf(e, 'r'))
    watched(d, e, tick(c, e.stamp))
  } else if (e.kind === 'signal') signal(d, s, e)
  else passed(d, s, e)
}
