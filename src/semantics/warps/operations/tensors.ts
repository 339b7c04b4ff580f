/**
 * Operations of lanes on tensors: copies of boxes through tensor maps, and the maps themselves.
 *
 * Every lane of the mask makes a copy of its own; kernels let one lane do it.
 */
import type { ReduceKind, Scope } from '../../language/instruction.js'
import type { MapField } from '../../instructions/tma/object.js'
import type { Row } from '../../machine/warp-stand.js'
import type { Address } from './address.js'

export type TensorsOperation =
  | {
      readonly _tag: 'tensorCopy'
      /** `in`: to shared memory, with its bytes on a barrier */
      readonly direction: 'in' | 'out'
      /** a box; four rows anywhere; columns of pixels */
      readonly mode: 'tile' | 'rows' | 'im2col'
      readonly map: Address
      /** innermost first; of rows: the column, and four rows */
      readonly coordinates: ReadonlyArray<Row>
      /** of columns of pixels: 16 bits each, innermost first */
      readonly offsets: ReadonlyArray<Row>
      readonly shared: Address
      readonly barrier: Address | null
      /** CTAs of the cluster */
      readonly multicast: Row | null
      readonly group: 1 | 2
      readonly combine: ReduceKind | null
    }
  | {
      readonly _tag: 'tensormapReplace'
      readonly map: Address
      readonly field: MapField
      readonly ordinal: number
      readonly value: ReadonlyArray<Row>
    }
  | {
      readonly _tag: 'tensormapPublish'
      readonly into: Address
      readonly from: Address
      readonly scope: Scope
    }
  | { readonly _tag: 'tensormapAcquire'; readonly map: Address; readonly scope: Scope }
