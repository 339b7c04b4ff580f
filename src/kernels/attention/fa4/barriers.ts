/** Waits and signals of FA4's own barriers, by the number of the tile of rows. */
import * as B from '../../../semantics/writing/builder.js'
import { i32, slot, type Barrier, type Int } from '../../../semantics/language/expression.js'

type Pair = Barrier<'ptx', boolean, 1>

/** Blocks while the current phase has this parity. */
export const wait = (label: string, pair: Pair, i: number, parity: Int): B.Build<void> =>
  B.run(label, { _tag: 'mbarrier.wait', barrier: slot(pair, i32(i)), parity, acquire: true, scope: 'cta' })

/** By the threads of this role; of a barrier that tensor memory is handed over by. */
export const arrive = (label: string, pair: Pair, i: number): B.Build<void> =>
  B.run(label, {
    _tag: 'mbarrier.arrive',
    barrier: slot(pair, i32(i)),
    count: 1,
    release: true,
    scope: 'cta',
  })

/** When all products issued so far are done. */
export const commit = (label: string, pair: Barrier<'ptx', true, 1>, i: number): B.Build<void> =>
  B.run(label, { _tag: 'tcgen05.commit', barrier: slot(pair, i32(i)), ctaGroup: 1 })

/** What is known of tensor memory goes with the next arrivals. */
export const fenceBefore = (label: string): B.Build<void> =>
  B.run(`${label}.fence`, { _tag: 'tcgen05.fenceBefore' })
/** What came with the last waits is known of tensor memory. */
export const fenceAfter = (label: string): B.Build<void> =>
  B.run(`${label}.fence`, { _tag: 'tcgen05.fenceAfter' })
