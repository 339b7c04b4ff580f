/**
 * Operations of a warp on its part of a warpgroup's products.
 *
 * All lanes of the warp take part, and what is no register of D or A is one value in all of them.
 */
import type { Predicate, Row } from '../../machine/warp-stand.js'
import type { Metadata } from '../sparsity.js'

/** An operand in shared memory: the two words of its matrix descriptor, and which of its dimensions is contiguous. */
export interface Described {
  readonly _tag: 'described'
  readonly descriptor: ReadonlyArray<Row>
  readonly major: 'k' | 'mn'
}

export type WgmmaOperation =
  | {
      readonly _tag: 'wgmma'
      /** columns of D, and the extent along K */
      readonly n: number
      readonly k: number
      readonly a: Described | { readonly _tag: 'registers'; readonly rows: ReadonlyArray<Row> }
      readonly b: Described
      /** registers of the accumulator */
      readonly d: ReadonlyArray<Row>
      readonly aType: 'f16' | 'bf16' | 'tf32' | 'e4m3' | 'e5m2' | 'i8' | 'u8'
      readonly bType: 'f16' | 'bf16' | 'tf32' | 'e4m3' | 'e5m2' | 'i8' | 'u8'
      readonly dType: 'f16' | 'f32' | 'i32'
      readonly saturate: boolean
      /** of bytes: each is eight bits, and what is summed is how many A and B have in common */
      readonly counts: boolean
      /** of a sparse A, of which half is stored along K: which elements */
      readonly sparsity: Metadata | null
      /** does D enter the sum? */
      readonly accumulates: { readonly predicate: Predicate; readonly negated: boolean }
      readonly negateA: boolean
      readonly negateB: boolean
    }
  | { readonly _tag: 'wgmmaFence' }
  | { readonly _tag: 'wgmmaCommit' }
  | { readonly _tag: 'wgmmaWait'; readonly pending: number }
