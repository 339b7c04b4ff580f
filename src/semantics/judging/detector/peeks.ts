/**
 * Peeks as the detector sees them: tests that no more than spare a later wait (`language/peeks.ts` says which those are).
 *
 * A run is judged as if each peek had been false, and its wait made, but for those that cannot be false. So whatever a run's peeks were, it is judged alike.
 *
 *     T0   peek b 0        write y        wait b 0, unless the peek was true        read x
 *     T1   write x         arrive b
 *
 *     the peek comes before the arrive    false: the wait observes generation 0, and the read is in order
 *     the peek comes after the arrive     true: so is the read; but that the write of y is in order as well is luck, and is not said
 *
 * | the peek, and what its agent knows there         | is judged as                                               |
 * |--------------------------------------------------|------------------------------------------------------------|
 * | true, all events of the generation are known     | the wait itself: it is true in every schedule, and the later wait is never made |
 * | true, some are not                               | nothing: some schedule has it false; the later wait observes that generation |
 * | false                                            | nothing; the later wait is made, and observes what it observes |
 *
 * | rule         | asked at                  | of                                                                  | else          |
 * |--------------|---------------------------|---------------------------------------------------------------------|---------------|
 * | C4 lower     | a peek whose wait observes g | its agent knew, at the peek, every event of g - 1                | B3, undecided |
 * | C4 upper     | the wait that is spared   | the generation of the peek is still the last one                    | B1, undecided |
 * | C4           | a wait that is made       | it observes the generation that began before the peek               | B3, undecided |
 * | C1           | the wait                  | the last peek of the barrier in this life, by its lanes, is the one that spares it, and spares no other; of the same parity; and it acquires what the wait would, as far | undecided |
 *
 * Why C4 at the peek: a peek may be true for the generation before the last as well as a wait may pass on it, and then nothing waits later. Why C4 at the spared wait:
 * had the peek been false, the wait would come too late. Acquiring earlier only adds order and visibility, so what is found with the wait
 * where it stands is all that there is; and it is not too much, for a schedule in which the peek is true goes through the same states, and only sees more in
 * them. Where it cannot but see more (first row), that is said.
 *
 * Limit. That two peeks can each be false does not say that both can be in one schedule. A visibility hazard (no race) that needs both to be false, between agents
 * that order one another's arrivals through relaxed ones, is found though no schedule has it.
 *
 * Laws
 * 1. Two runs of one program that differ in what its peeks were are judged alike, where C3, C4 and C6 hold.
 * 2. A peek that no wait follows changes nothing, but where it cannot be false.
 *
 * Source: PTX ISA, mbarrier.test_wait and try_wait (a completed phase: true); the laws are compared with every schedule of random programs with peeks.
 */
import type { Stamp, Wait } from '../../log/events.js'
import { allLanes } from './activity.js'
import type { BarrierState } from './barriers.js'
import { checkLive, lastArrival, overrun, tooEarly, unknownOf } from './barriers.js'
import type { AgentState, Context } from './context.js'
import type { Peeked } from './generation.js'
import { barrierName, fail, keyOf, where } from './report.js'

// ---------------------------------------------------------------- model

/** What is to be done with the event of a wait, or a peek. */
export type Judged = 'observes' | 'nothing'

// ---------------------------------------------------------------- peeks

/** Has some lane made both? Lanes that have parted peek and wait each for themselves, in turn. */
const isOfSameLanes = (a: Stamp, b: Stamp): boolean => ((a.lanes ?? allLanes) & (b.lanes ?? allLanes)) !== 0

/** A peek. Its stamp has not been ticked yet. */
export const peeked = (c: Context, b: BarrierState, a: AgentState, e: Wait): Judged => {
  checkLive(c, b, e.stamp, a.knowledge, `tests ${barrierName(c.header, b.index)}`)
  const { rules } = c.options
  const ready = e.outcome === 'passed'
  const generation = ready ? b.number - 1 : b.number
  const certain =
    ready &&
    (rules.peeksAsTheyWent ||
      (!rules.noCertainPeeks && unknownOf(b, generation, a.knowledge, e.stamp) === undefined))
  const unknown =
    rules.lateC4 || rules.oneSidedC4 ? undefined : unknownOf(b, generation - 1, a.knowledge, e.stamp)
  b.peeks[e.stamp.agent] = [
    ...b.peeks[e.stamp.agent]!.filter((p) => !isOfSameLanes(p.wait.stamp, e.stamp)),
    { wait: e, generation, ready, certain, unknown },
  ]
  return certain ? 'observes' : 'nothing'
}

// ---------------------------------------------------------------- waits

const reaches: Readonly<Record<Wait['scope'], number>> = { cta: 0, cluster: 1, gpu: 2, sys: 3 }

/** Why the test that names itself as the peek of this wait is none; undefined if it is one. */
const unlike = (c: Context, b: BarrierState, p: Peeked | undefined, e: Wait): string | undefined => {
  const { rules } = c.options
  const name = barrierName(c.header, b.index)
  if (p === undefined || p.wait.stamp.at !== e.peek)
    return `it waits for ${name}, and its agent’s last test of that barrier is ${p === undefined ? 'none, or has spared another wait' : where(c.header, p.wait.stamp)}`
  if (p.wait.parity !== e.parity)
    return `it waits for parity ${String(e.parity)}, and the test is of parity ${String(p.wait.parity)}`
  if (rules.weakPeeks) return undefined
  if (e.acquire && !p.wait.acquire) return 'it acquires, and the test does not'
  return reaches[p.wait.scope] < reaches[e.scope]
    ? `it acquires from ${e.scope} scope, and the test from ${p.wait.scope}`
    : undefined
}

/** The outcome is of another test than it should be: what is found is found of this run alone. */
const misled = (c: Context, e: Wait, why: string): void => {
  c.misled = true
  const text = `${where(c.header, e.stamp)} is spared by a test that is not a peek of it: ${why}`
  fail(c.report, 'C1', keyOf('peek', e.stamp, undefined), () => ({ text, draft: undefined }))
}

/** A wait that a peek may spare. Its stamp has not been ticked yet. */
export const spared = (c: Context, b: BarrierState, e: Wait): Judged => {
  const open = b.peeks[e.stamp.agent]!
  const its = open.filter((one) => isOfSameLanes(one.wait.stamp, e.stamp))
  const p = its.find((one) => one.wait.stamp.at === e.peek) ?? its.at(-1)
  const why = unlike(c, b, p, e)
  if (p === undefined || why !== undefined) {
    if (c.options.rules.anyPeek) return 'observes'
    misled(c, e, why ?? '')
    return e.outcome === 'passed' ? 'observes' : 'nothing'
  }
  b.peeks[e.stamp.agent] = open.filter((one) => one !== p)
  if (p.certain) return e.outcome === 'passed' ? 'observes' : 'nothing'
  if (p.ready && b.number - 1 !== p.generation) {
    if (!c.options.rules.noSparedC4) overrun(c, b, e.stamp, p.generation, lastArrival(b))
    return 'nothing'
  }
  // of a later generation it can be true two generations too early, whatever its agent knew of the one before its own
  const unknown =
    p.unknown ?? (b.number - 1 !== p.generation && !c.options.rules.lateC4 ? lastArrival(b) : undefined)
  if (unknown !== undefined) tooEarly(c, b, p.wait.stamp, unknown, b.number - 1, 'peek')
  return 'observes'
}
