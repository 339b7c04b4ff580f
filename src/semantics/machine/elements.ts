/**
 * The elements of an access: what a view, a tile of pointers or a box comes to when an agent stands before it.
 *
 *     slot 1 of a ring (2, 64, 32) f16 in shared memory     2048 offsets from byte 4096 on, and the spans that they cover
 */
import type { Dtype } from '../../numerics/dtype.js'
import type { Footprint } from '../log/events.js'

/** Its interned footprint, and where in its plane each element is, row-major: at `origin + offsets[i]`, or nowhere if that is negative: a byte, or for elements of 4 and 6 bits a half or a quarter of one (`cells.ts`). */
export interface Elements {
  readonly footprint: Footprint
  readonly plane: number
  readonly dtype: Dtype
  readonly shape: ReadonlyArray<number>
  /** shared by all elements of one layout whose bases differ by a multiple of its period */
  readonly offsets: Int32Array
  readonly origin: number
}
