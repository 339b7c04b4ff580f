/**
 * Operations of all lanes of a warp on matrices in shared memory and in their registers.
 *
 * Which byte of which row comes to which lane: `layouts/shared-memory/matrix-rows.ts`.
 */
import type { MatrixShape } from '../../../layouts/shared-memory/matrix-rows.js'
import type { Row } from '../../machine/warp-stand.js'
import type { Address } from './address.js'

export type MatricesOperation =
  | {
      readonly _tag: 'loadMatrices'
      /** of each lane the address of one row; lanes behind the last row give none */
      readonly from: Address
      readonly shape: MatrixShape
      readonly count: 1 | 2 | 4
      readonly transposed: boolean
      /** bits of an element as it is stored: one of 4 or 6 comes to a byte, with zeros above */
      readonly stored: 4 | 6 | 8 | 16
      readonly to: ReadonlyArray<Row>
    }
  | {
      readonly _tag: 'storeMatrices'
      readonly into: Address
      readonly shape: MatrixShape
      readonly count: 1 | 2 | 4
      readonly transposed: boolean
      readonly value: ReadonlyArray<Row>
    }
  /** a matrix of 8 x 8 halves, rows and columns exchanged */
  | { readonly _tag: 'transposeMatrix'; readonly to: Row; readonly from: Row }
