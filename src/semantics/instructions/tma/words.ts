/**
 * How a copy carries elements: as they are, or 64-bit ones as two words each.
 *
 * A carrier is a JavaScript number, exact below 2^53, which is enough for every element but those of 64 bits. Where memory holds bytes, a
 * copy does not need to know the numbers: it moves the low word and then the high word of each. Where memory holds elements it moves
 * elements.
 *
 *     i64 at 0, 8     u32 at 0, 4, 8, 12
 *
 * Law 1. what a copy writes is what it read, bit for bit.
 */
import { bitsOf, type Dtype } from '../../../numerics/dtype.js'
import type { Elements } from '../../machine/operation.js'
import { cells, type Cells, type Plane } from '../../machine/plane.js'

/** Are elements of this memory carried as words? */
export const inWords = (plane: Plane, dtype: Dtype): boolean =>
  (plane._tag === 'bytes' || plane._tag === 'shadow') && bitsOf(dtype) === 64

export const carried = (plane: Plane, e: Elements): Cells => {
  if (!inWords(plane, e.dtype)) return e
  const offsets = new Int32Array(2 * e.offsets.length)
  for (let i = 0; i < e.offsets.length; i++) {
    const a = e.offsets[i]! + e.origin
    offsets[2 * i] = a
    offsets[2 * i + 1] = a < 0 ? -1 : a + 4
  }
  return cells('u32', offsets)
}
