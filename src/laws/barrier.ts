/**
 * Barriers: does an implementation count as an mbarrier does?
 *
 * The subject is a record of functions from a state to the next; a mutable implementation may give back the state it was given, for
 * each state is used once. What may not be done to a barrier (more arrivals than are pending) is not asked.
 *
 * Laws that the kit states
 * - `barrier.fresh`: on a fresh barrier a test of parity 1 passes and one of parity 0 does not.
 * - `barrier.count`: a phase ends with the n-th arrival, not before, and the next phase asks for n again.
 * - `barrier.at-once`: k arrivals at once are k arrivals.
 * - `barrier.bytes`: with all arrivals made, a phase is open as long as bytes are missing.
 * - `barrier.early-bytes`: bytes that arrive before they are expected are counted.
 * - `barrier.drop`: who drops is not waited for in this phase nor in later ones.
 * - `barrier.parity`: of the tests of parity 0 and 1 exactly one passes, at any time.
 * - `barrier.definition`: after every operation of any script the tests say what the specification says.
 */
import {
  afterOperation,
  barrierScript,
  showBarrierOperation,
  showBarrierScript,
  type BarrierOperation,
  type BarrierScript,
} from '../arbitraries/barrier.js'
import * as Mbarrier from '../semantics/machine/mbarrier.js'
import { expectSame, expectThat, forAll, forDrawn, numbers, type Fault, type Kit } from './law.js'

export interface ForeignBarrier<S> {
  readonly init: (count: number) => S
  readonly arrive: (state: S, count: number) => S
  readonly expectTx: (state: S, bytes: number) => S
  readonly completeTx: (state: S, bytes: number) => S
  /** arrives and leaves for good */
  readonly drop?: (state: S, count: number) => S
  /** does a wait for this parity pass? */
  readonly test: (state: S, parity: 0 | 1) => boolean
}

const apply = <S>(b: ForeignBarrier<S>, state: S, o: BarrierOperation): S => {
  switch (o.op) {
    case 'arrive':
      return b.arrive(state, o.count)
    case 'expectTx':
      return b.expectTx(state, o.bytes)
    case 'completeTx':
      return b.completeTx(state, o.bytes)
    case 'drop':
      return b.drop === undefined ? state : b.drop(state, o.count)
  }
}

/** A script without its drops is one, too. */
const asked = <S>(
  b: ForeignBarrier<S>,
  operations: ReadonlyArray<BarrierOperation>,
): ReadonlyArray<BarrierOperation> =>
  b.drop === undefined ? operations.filter((o) => o.op !== 'drop') : operations

/** Which parity passes: `parity 0`, `parity 1`, both or none. */
const passing = <S>(b: ForeignBarrier<S>, state: S): string => {
  const [zero, one] = [b.test(state, 0), b.test(state, 1)]
  return zero && one
    ? 'both parities pass'
    : zero
      ? 'parity 0 passes'
      : one
        ? 'parity 1 passes'
        : 'none passes'
}
const passingOf = (m: Mbarrier.Mbarrier): string =>
  Mbarrier.passes(m, 0) ? 'parity 0 passes' : 'parity 1 passes'

const mostArrivals = 64
const counts = numbers(mostArrivals, 'count 1 +')

/** What passes after each of the operations, as far as it is as expected. */
const walk = <S>(
  b: ForeignBarrier<S>,
  count: number,
  steps: ReadonlyArray<readonly [operation: BarrierOperation | null, expected: string]>,
): Fault | null => {
  let state = b.init(count)
  const done = [`init ${String(count)}`]
  for (const [o, expected] of steps) {
    if (o !== null) {
      state = apply(b, state, o)
      done.push(showBarrierOperation(o))
    }
    const found = passing(b, state)
    if (found !== expected) return { input: done.join('; '), expected, found }
  }
  return null
}

const arrive = (count: number): BarrierOperation => ({ op: 'arrive', count })
const expectTx = (bytes: number): BarrierOperation => ({ op: 'expectTx', bytes })
const completeTx = (bytes: number): BarrierOperation => ({ op: 'completeTx', bytes })
const [even, odd] = ['parity 1 passes', 'parity 0 passes'] as const

const byDefinition =
  <S>(b: ForeignBarrier<S>) =>
  ({ count, operations }: BarrierScript): Fault | null => {
    let model = Mbarrier.init(count)
    return walk(b, count, [
      [null, passingOf(model)],
      ...asked(b, operations).map((o): readonly [BarrierOperation, string] => {
        model = afterOperation(model, o)
        return [o, passingOf(model)]
      }),
    ])
  }

/** For barriers of up to 64 arrivals. */
export const barrierLaws = <S>(): Kit<ForeignBarrier<S>> => ({
  name: 'barrier',
  laws: [
    forAll(
      'barrier.fresh',
      'a fresh barrier passes parity 1 and blocks parity 0',
      counts,
      (b) => (k) => walk(b, k + 1, [[null, even]]),
    ),
    forAll(
      'barrier.count',
      'a phase of n arrivals ends with the n-th, and so does the next',
      counts,
      (b) => (k) =>
        walk(
          b,
          k + 1,
          Array.from({ length: 2 * (k + 1) }, (_, i) => [
            arrive(1),
            Math.floor((i + 1) / (k + 1)) % 2 === 0 ? even : odd,
          ]),
        ),
    ),
    forAll(
      'barrier.at-once',
      'k arrivals at once are k arrivals',
      counts,
      (b) => (k) =>
        k === 0
          ? walk(b, 1, [[arrive(1), odd]])
          : walk(b, k + 1, [
              [arrive(k), even],
              [arrive(1), odd],
              [arrive(k + 1), even],
            ]),
    ),
    forAll(
      'barrier.bytes',
      'after all arrivals, the phase stays open while bytes are missing',
      numbers(16, 'copies 1 +'),
      (b) => (k) =>
        walk(b, 1, [
          [expectTx(16 * (k + 1)), even],
          [arrive(1), even],
          ...Array.from({ length: k + 1 }, (_, i): readonly [BarrierOperation, string] => [
            completeTx(16),
            i < k ? even : odd,
          ]),
        ]),
    ),
    forAll(
      'barrier.early-bytes',
      'bytes that arrive before they are expected are counted',
      numbers(16, 'copies 1 +'),
      (b) => (k) =>
        walk(b, 2, [
          [arrive(1), even],
          [completeTx(16 * (k + 1)), even],
          [expectTx(16 * (k + 1)), even],
          [arrive(1), odd],
        ]),
    ),
    forAll(
      'barrier.drop',
      'a barrier does not wait for dropped arrivals, in this phase or later',
      numbers(mostArrivals - 1, 'count 2 +'),
      (b) =>
        b.drop === undefined
          ? null
          : (k) =>
              walk(b, k + 2, [
                [{ op: 'drop', count: 1 }, even],
                [arrive(k + 1), odd],
                [arrive(k + 1), even],
              ]),
    ),
    forDrawn(
      'barrier.parity',
      'at any time, a wait passes for exactly one of the two parities',
      barrierScript(),
      showBarrierScript,
      (b) =>
        ({ count, operations }) => {
          let state = b.init(count)
          for (const o of asked(b, operations)) {
            state = apply(b, state, o)
            const zero = b.test(state, 0)
            const wrong = expectThat(zero !== b.test(state, 1), 'one of them', zero ? 'both' : 'none')
            if (wrong !== null) return wrong
          }
          return expectSame(true, b.test(b.init(count), 1))
        },
    ),
    forDrawn(
      'barrier.definition',
      'after every operation, the tests agree with the specification',
      barrierScript(),
      showBarrierScript,
      byDefinition,
    ),
  ],
})
