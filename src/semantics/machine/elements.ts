/**
 * The elements of an access: what a view, a tile of pointers or a box comes to when an agent stands before it.
 *
 *     slot 1 of a ring (2, 64, 32) f16 in shared memory     2048 addresses from byte 4096 on, and the spans that they cover
 */
import type { Dtype } from '../../numerics/dtype.js'
import type { Footprint } from '../log.js'

/** Its interned footprint, and the byte address of each element in its plane, row-major; a negative one is no element. */
export interface Elements {
  readonly footprint: Footprint
  readonly plane: number
  readonly dtype: Dtype
  readonly shape: ReadonlyArray<number>
  readonly addresses: Int32Array
}
