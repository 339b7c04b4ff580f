/**
 * Barrier operations: what a pipeline asks of the barriers of its array.
 *
 * A method of a pipeline is a pure function: it gives the next state and the operation that is due, and the caller carries the
 * operation out. `perform` does so in a program; a proof compares a list of them with a table.
 *
 * | operation     | carried out by                 | becomes                                         |
 * |---------------|--------------------------------|-------------------------------------------------|
 * | `init`        | one thread of the block        | `mbarrier.init`                                 |
 * | `wait`        | every thread of the role       | `mbarrier.wait` for a parity                    |
 * | `expectBytes` | the thread that copies         | `mbarrier.arriveExpectTx`                       |
 * | `arrive`      | `threads` threads of the role  | `mbarrier.arrive`                               |
 * | `commit`      | the thread that multiplies     | `tcgen05.commit`: arrives behind earlier MMAs   |
 *
 * A barrier is named by its number in the array. Counts are of threads, as the chip counts; the core counts agents, so `perform` divides by
 * the threads that arrive together.
 *
 * Law 1. What `perform` writes is the row of the table, on the barrier that the number names.
 *
 * Source: PTX ISA 9, mbarrier, tcgen05.commit; Mojo, layout/tma_async.
 */
import * as B from '../../semantics/writing/builder.js'
import { slot, i32, type Barrier, type Int } from '../../semantics/language/expression.js'

// ---------------------------------------------------------------- model

export interface Init<W> {
  readonly _tag: 'init'
  readonly barrier: W
  /** arrivals that complete a phase, and how many of them come together */
  readonly count: number
  readonly threads: number
}
export interface Wait<W> {
  readonly _tag: 'wait'
  readonly barrier: W
  readonly parity: W
}
export interface ExpectBytes<W> {
  readonly _tag: 'expectBytes'
  readonly barrier: W
  readonly bytes: number
}
export interface Arrive<W> {
  readonly _tag: 'arrive'
  readonly barrier: W
  readonly threads: number
}
export interface Commit<W> {
  readonly _tag: 'commit'
  readonly barrier: W
}
export type BarrierOperation<W = number> = Init<W> | Wait<W> | ExpectBytes<W> | Arrive<W> | Commit<W>

// ---------------------------------------------------------------- destructors

/** Carries an operation out on the barriers of the array. */
export const perform = (
  label: string,
  array: Barrier<'ptx', true, 1>,
  operation: BarrierOperation<Int>,
): B.Build<void> => {
  const barrier = slot(array, operation.barrier)
  switch (operation._tag) {
    case 'init':
      return B.run(label, { _tag: 'mbarrier.init', barrier, count: operation.count / operation.threads })
    case 'wait':
      return B.run(label, {
        _tag: 'mbarrier.wait',
        barrier,
        parity: operation.parity,
        acquire: true,
        scope: 'cta',
      })
    case 'expectBytes':
      return B.run(label, {
        _tag: 'mbarrier.arriveExpectTx',
        barrier,
        bytes: i32(operation.bytes),
        release: true,
        scope: 'cta',
      })
    case 'arrive':
      return B.run(label, { _tag: 'mbarrier.arrive', barrier, count: 1, release: true, scope: 'cta' })
    case 'commit':
      return B.run(label, { _tag: 'tcgen05.commit', barrier, ctaGroup: 1 })
  }
}
