/** How `copy_gmem_to_smem` is asked for, of a slice or of rows. */
import type { Condition } from '../../../semantics/language/expression.js'
import type { CollectiveOptions } from './collective.js'

/** `plgpu.OOBFillMode`. */
export type OOBFillMode = 'ZEROS' | 'UNDEFINED' | 'PROMISE_IN_BOUNDS'

export interface CopyOptions extends CollectiveOptions {
  /** a `pl.when` around the copy: if false there is no copy and no arrival */
  readonly when?: Condition | undefined
  /** if false, the copy arrives on the barrier and copies nothing */
  readonly predicate?: Condition | undefined
  /** default `ZEROS` */
  readonly oobMode?: OOBFillMode
}
