/**
 * Cells: elements of one dtype at places of a plane, and what is read there.
 *
 *     two f16 from byte 6 on     dtype f16, offsets 0 2, origin 6
 *     two e2m1 in byte 3         dtype e2m1, offsets 0 1, origin 6: halves of bytes are counted, the low one first
 *     four e3m2 from byte 3 on   dtype e3m2, offsets 0 3 6 9, origin 12: quarters of bytes are counted, and each has three
 */
import { bitsOf, type Dtype } from '../../numerics/dtype.js'

/** Names the run that may overwrite the pages it made. */
export interface Edit {
  readonly run: symbol
}

/**
 * Addresses that a byte has for elements of a dtype: two for those of 4 bits, four for those of 6, the low ones first; else one. So an element of 4
 * bits at half 2a + h lies in the low (h = 0) or the high half of byte a, and one of 6 bits at quarter 4a + q begins at bit 2q of byte a: where q is 2 or 3,
 * it ends in byte a + 1.
 */
export const addressesInByte = (dtype: Dtype): 1 | 2 | 4 => {
  const bits = bitsOf(dtype)
  return bits === 4 ? 2 : bits === 6 ? 4 : 1
}

/** Do elements of this dtype begin inside bytes, too? */
export const isPacked = (dtype: Dtype): boolean => addressesInByte(dtype) !== 1

/** Bytes that an element occupies; of elements that begin inside bytes, the one that it begins in. */
export const bytesOf = (dtype: Dtype): number => Math.ceil(bitsOf(dtype) / 8)

/** The byte in which an element at this address begins, and the one in which it ends. */
export const firstByteAt = (dtype: Dtype, address: number): number =>
  Math.floor(address / addressesInByte(dtype))
export const lastByteAt = (dtype: Dtype, address: number): number => {
  const inByte = addressesInByte(dtype)
  return Math.floor((address * (8 / inByte) + bitsOf(dtype) - 1) / 8)
}

export const isSigned = (dtype: Dtype): boolean =>
  dtype === 'i4' || dtype === 'i8' || dtype === 'i16' || dtype === 'i32' || dtype === 'i64'

export interface Read {
  readonly data: Float64Array | null
  /** a slot that holds no element of this dtype, if one was read: the address of the first */
  readonly retyped: number | null
}

/** Elements of one dtype: the i-th is at `origin + offsets[i]` (a byte, or a part of one: `addressesInByte`), or nowhere if that is negative. Places of one shape share their offsets. */
export interface Cells {
  readonly dtype: Dtype
  readonly offsets: Int32Array
  readonly origin: number
}
export const cells = (dtype: Dtype, addresses: Int32Array): Cells => ({
  dtype,
  offsets: addresses,
  origin: 0,
})
