/**
 * Operations of a warp on tensor memory.
 *
 * An address of tensor memory is a word, the lane in its upper half and the column in its lower. All lanes of the mask must have the same one where a
 * warp does an operation as a whole; what one thread asks for (a product, a copy, a shift, a commit) every lane of the mask asks for once.
 */
import type { AccessShapeName } from '../../../layouts/tensor-memory/access-shape.js'
import type { CopyShape } from '../../../layouts/tensor-memory/copy-shape.js'
import type { MmaKind } from '../../../layouts/shared-memory/instruction-descriptor.js'
import type { Predicate, Row } from '../../machine/warp-stand.js'
import type { Address } from './address.js'

/** A word, and what is added to it. */
export interface TensorAddress {
  readonly row: Row
  readonly offset: number
}

/** What a load or a store moves: the shape, how often, the columns between the halves of 16x32bx2, and whether two columns share a register. */
export interface Moved {
  readonly shape: AccessShapeName
  readonly num: number
  readonly split: number
  readonly packed: boolean
}

export type Tcgen05Operation =
  | { readonly _tag: 'tcgen05Alloc'; readonly into: Address; readonly columns: Row; readonly group: 1 | 2 }
  | { readonly _tag: 'tcgen05Dealloc'; readonly at: Row; readonly columns: Row; readonly group: 1 | 2 }
  | { readonly _tag: 'tcgen05Relinquish'; readonly group: 1 | 2 }
  | {
      readonly _tag: 'tcgen05Load'
      readonly at: TensorAddress
      readonly moved: Moved
      readonly to: ReadonlyArray<Row>
      /** the least or the greatest of what each lane loads, by an operation of `numerics/scalar` */
      readonly extreme?: { readonly by: string; readonly magnitudes: boolean; readonly to: Row }
    }
  | {
      readonly _tag: 'tcgen05Store'
      readonly at: TensorAddress
      readonly moved: Moved
      readonly value: ReadonlyArray<Row>
    }
  | { readonly _tag: 'tcgen05Wait'; readonly of: 'ld' | 'st' }
  | {
      readonly _tag: 'tcgen05Copy'
      readonly into: TensorAddress
      /** two words of a matrix descriptor */
      readonly from: ReadonlyArray<Row>
      readonly shape: CopyShape
      readonly group: 1 | 2
    }
  | { readonly _tag: 'tcgen05Shift'; readonly at: TensorAddress; readonly group: 1 | 2 }
  | {
      readonly _tag: 'tcgen05Mma'
      readonly kind: MmaKind
      readonly group: 1 | 2
      /** `.ws`: B is kept and A streams by; D lies otherwise */
      readonly weightStationary: boolean
      /** two words of a mask of the columns of B that are zero; null: none is */
      readonly columnMask: ReadonlyArray<Row> | null
      readonly d: TensorAddress
      /** in tensor memory, or two words of a matrix descriptor */
      readonly a: TensorAddress | ReadonlyArray<Row>
      readonly b: ReadonlyArray<Row>
      readonly descriptor: Row
      /** the words that say which elements of A are stored; null: all are */
      readonly sparsity: TensorAddress | null
      /** does D enter the sum? */
      readonly accumulates: { readonly predicate: Predicate; readonly negated: boolean }
      /** words of a mask of the lanes of D that are left as they are, one lane a bit; null: none is */
      readonly disabled: ReadonlyArray<Row> | null
      /** D enters the sum divided by 2 to this power */
      readonly shift: number
      /** the scales, and how many elements along k share one */
      readonly scales: {
        readonly a: TensorAddress
        readonly b: TensorAddress
        readonly block: 16 | 32
      } | null
    }
  | {
      readonly _tag: 'tcgen05Commit'
      readonly barrier: Address
      readonly multicast: Row | null
      readonly group: 1 | 2
    }
