/**
 * Products of one warp: `mma` and `wmma.mma`, from registers to registers.
 *
 * `wmma.load` and `wmma.store` are loads and stores of the lanes, and before them the demand that all lanes are there with one address and one stride
 * (`wholeWarp`).
 */
import type { WarpProduct } from '../../../numerics/warp-product.js'
import type { Row } from '../../machine/warp-stand.js'
import type { Metadata } from '../sparsity.js'

export type ProductsOperation =
  | {
      readonly _tag: 'multiply'
      readonly product: WarpProduct
      readonly layouts: readonly ['row' | 'col', 'row' | 'col']
      /** by register; of f64 two rows each, the low words first */
      readonly a: ReadonlyArray<Row>
      readonly b: ReadonlyArray<Row>
      readonly c: ReadonlyArray<Row>
      readonly d: ReadonlyArray<Row>
      /** of a sparse A: which of its elements are stored */
      readonly sparsity: Metadata | null
    }
  | {
      readonly _tag: 'wholeWarp'
      readonly what: string
      /** rows that hold one word for all lanes, and what they are */
      readonly alike: ReadonlyArray<{ readonly row: Row; readonly what: string }>
    }
