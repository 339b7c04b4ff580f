/**
 * Scope: what a verdict leaves out, and of which schedules it speaks, in words.
 *
 * An `ok` is worth what it covers. So each restriction of a check has a sentence that every verdict under it carries, and a name of the schedules that it speaks of. They
 * are all here, and a part of the check that covers less names one of them.
 *
 * Law 1. A verdict that leaves something out says so in `scope`.
 */
import { thousands } from '../judging/counted.js'
import type { Schedules } from '../judging/decision.js'
import { multiprocessors } from '../machine/multiprocessors.js'
import type { World } from '../machine/world.js'
import { oneGrouping } from './who-runs.js'
import { otherGrants } from '../judging/verdict.js'
import type { CheckOptions } from './checked.js'

/** What the verdict of this program leaves out. */
export const scopeOf = (world: World, { lanes }: CheckOptions): ReadonlyArray<string> => [
  ...(lanes === undefined ? [] : [withoutLanes[lanes]]),
  ...world.front.outside,
  ...(world.front.asksWhoRuns ? [oneGrouping] : []),
  ...(world.front.instructions.has('clc.tryCancel') ? [otherGrants] : []),
  ...beyondChip(world),
]

/** CTAs that may wait for one another are run together, whatever a chip holds. */
const beyondChip = ({ header, ctas, resident }: World): ReadonlyArray<string> => {
  const [count, most] = [ctas * resident, multiprocessors[header.arch]]
  return resident === 1 || count <= most
    ? []
    : [
        `whether a chip holds all ${thousands(count)} CTAs at once, because some may wait for others (with one on each multiprocessor it holds ${String(most)}; a cooperative launch requires it)`,
      ]
}

export const keptTogether: Schedules =
  'any schedule in which nothing comes between atomics of one instruction'
export const otherTurns =
  'orders in which other threads come between the atomics of one instruction (four schedules were tried)'

export const askedInPairs: Schedules =
  'any schedule that gives each two reads of one instruction any two values'
export const inPairs =
  'other combinations of older values of the lanes and words that one instruction reads (each was tried alone, each pair separately, and all together)'

export const otherOutputs =
  'whether outputs depend on timing: the program tests the progress of other agents, and all schedules were searched for hazards only'

export const oneOrderOfLanes =
  'orders of unordered strong accesses by lanes of one warp (one order was followed)'

const withoutLanes: Readonly<Record<NonNullable<CheckOptions['lanes']>, string>> = {
  off: 'races between lanes of one warp (with --lanes off each warp acts as one thread)',
  converged: 'races between lanes of one warp that run together (with --lanes converged they are notes)',
}
