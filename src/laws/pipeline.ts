/**
 * Pipelines: does a ring of slots hand each item from its producer to its consumer once, in order, and never before it is there?
 *
 * The subject is the bookkeeping of a producer and a consumer over S slots, as records of index and phase over barriers or in any other way.
 * An acquire and a wait give the slot and the next state, or null when they would block; a commit says that the data of the oldest acquired
 * slot have arrived, a release that the oldest slot waited for may be filled again.
 *
 *     S = 2    acquire 0, acquire 1, acquire blocks; commit; wait 0; release; acquire 0
 *
 * Laws that the kit states
 * - `pipeline.capacity`: S slots are acquired one after the other, 0 to S-1, and no more.
 * - `pipeline.empty`: no slot can be waited for before it is committed; what was acquired alone is not there.
 * - `pipeline.laps`: item after item, each through its slot, for eight laps: phases flip where they must.
 * - `pipeline.full-laps`: the same with the ring filled and emptied each time.
 * - `pipeline.refill`: a slot that is waited for and not released is not acquired again.
 * - `pipeline.definition`: any steps in any order pass or block as the counts require.
 *
 * Names: PipelineState, producer_acquire, producer_commit, consumer_wait, consumer_release in CUTLASS; the parity of a lap is the phase.
 */
import {
  afterStep,
  goesThrough,
  noSteps,
  pipelineScript,
  type PipelineCounts,
  type PipelineStep,
} from '../arbitraries/barrier.js'
import { forAll, forDrawn, numbers, type Fault, type Kit } from './law.js'

/** The slot and what comes after; null: it would block. */
export type Through<S> = { readonly slot: number; readonly state: S } | null

export interface ForeignPipeline<S> {
  readonly start: (stages: number) => S
  readonly producerAcquire: (state: S) => Through<S>
  readonly producerCommit: (state: S) => S
  readonly consumerWait: (state: S) => Through<S>
  readonly consumerRelease: (state: S) => S
}

const shown = (slot: number | null): string => (slot === null ? 'it blocks' : `slot ${String(slot)}`)

/** Steps against counting; the first that goes otherwise. */
const follow = <S>(
  p: ForeignPipeline<S>,
  stages: number,
  steps: ReadonlyArray<PipelineStep>,
): Fault | null => {
  let state = p.start(stages)
  let counts: PipelineCounts = noSteps
  const done: string[] = []
  for (const step of steps) {
    done.push(step)
    const through = goesThrough(stages, counts, step)
    if (step === 'commit' || step === 'release') {
      if (!through) continue
      state = step === 'commit' ? p.producerCommit(state) : p.consumerRelease(state)
    } else {
      const found = step === 'acquire' ? p.producerAcquire(state) : p.consumerWait(state)
      const number = step === 'acquire' ? counts.acquired : counts.waited
      const expected = through ? number % stages : null
      if ((found === null ? null : found.slot) !== expected)
        return {
          input: done.join(', '),
          expected: shown(expected),
          found: shown(found === null ? null : found.slot),
        }
      if (found !== null) state = found.state
    }
    if (through) counts = afterStep(counts, step)
  }
  return null
}

const times = <A>(n: number, of: ReadonlyArray<A>): ReadonlyArray<A> =>
  Array.from({ length: n }, () => of).flat()
const laps = 8

/** For a ring of this many slots. */
export const pipelineLaws = <S>(stages: number): Kit<ForeignPipeline<S>> => {
  const all = numbers(stages + 1, 'after items')
  return {
    name: `pipeline of ${String(stages)} slots`,
    laws: [
      forAll(
        'pipeline.capacity',
        `slots 0 to ${String(stages - 1)} are acquired, and no more`,
        numbers(1, 'start'),
        (p) => () => follow(p, stages, times(stages + 1, ['acquire'])),
        'wholly',
      ),
      forAll(
        'pipeline.empty',
        'no slot can be waited for before it is committed',
        all,
        (p) => (k) =>
          follow(p, stages, [
            ...times<PipelineStep>(k, ['acquire', 'commit', 'wait', 'release']),
            'wait',
            'acquire',
            'wait',
            'commit',
            'wait',
            'wait',
          ]),
      ),
      forAll(
        'pipeline.laps',
        'each item passes through its slot in turn',
        numbers(1, 'start'),
        (p) => () => follow(p, stages, times(laps * stages, ['acquire', 'commit', 'wait', 'release'])),
        'wholly',
      ),
      forAll(
        'pipeline.full-laps',
        'the ring is filled and emptied, again and again',
        numbers(1, 'start'),
        (p) => () =>
          follow(
            p,
            stages,
            times<PipelineStep>(laps, [
              ...times<PipelineStep>(stages, ['acquire', 'commit']),
              'acquire',
              ...times<PipelineStep>(stages, ['wait', 'release']),
              'wait',
            ]),
          ),
        'wholly',
      ),
      forAll(
        'pipeline.refill',
        'a slot is not acquired again before it is released',
        all,
        (p) => (k) =>
          follow(p, stages, [
            ...times<PipelineStep>(k, ['acquire', 'commit', 'wait', 'release']),
            ...times<PipelineStep>(stages, ['acquire', 'commit']),
            'wait',
            'acquire',
            'release',
            'acquire',
            'acquire',
          ]),
      ),
      forDrawn(
        'pipeline.definition',
        'steps in any order pass or block as the counts require',
        pipelineScript(stages),
        (steps) => (steps.length === 0 ? 'no steps' : steps.join(', ')),
        (p) => (steps) => follow(p, stages, steps),
      ),
    ],
  }
}
