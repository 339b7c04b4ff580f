/**
 * Addresses: which bytes the elements of an access have.
 *
 *     f16 (2, 3), rows of 8 bytes, from 100     addresses 100 102 104 108 110 112     spans 100..106, 108..114
 *     e2m1 (3), from 5                          addresses 10 11 12 (halves)           spans 5..7
 *     e3m2 (3), from 5                          addresses 20 23 26 (quarters)         spans 5..8
 *
 * Laws
 * 1. `intervalsOf` is the sorted list of maximal intervals of the bytes.
 * 2. Two accesses share a byte if `share` says so of their spans.
 */
import { bitsOf, type Dtype } from '../../numerics/dtype.js'
import * as Ref from '../../transforms/ref.js'
import type { Spans } from '../log/events.js'
import { addressesInByte } from './cells.js'
import type { Elements } from './elements.js'

/** The addresses of all elements of a layout: bytes, or halves or quarters of bytes for elements of 4 and 6 bits. */
export const layoutAddresses = (layout: Ref.TransformedRef, base: number): Int32Array => {
  const bytes = Ref.swizzledAddresses(layout, base)
  if (layout.bits !== 4 && layout.bits !== 6) return bytes
  const inByte = 8 / Ref.strideBits(layout.bits)
  const offsets = Ref.elementOffsets(layout)
  return bytes.map((byte, i) => inByte * byte + (offsets[i]! & (inByte - 1)))
}

/** The spans of elements at these addresses. */
export const spansAt = (dtype: Dtype, addresses: Int32Array): Int32Array => {
  const inByte = addressesInByte(dtype)
  if (inByte === 1) return intervalsOf(addresses, Math.ceil(bitsOf(dtype) / 8))
  // of halves or quarters first: an element of 6 bits has bytes of its neighbours
  const parts = intervalsOf(addresses, (bitsOf(dtype) * inByte) / 8)
  const bytes: number[] = []
  for (let i = 0; i < parts.length; i += 2) {
    const [first, end] = [Math.floor(parts[i]! / inByte), Math.ceil(parts[i + 1]! / inByte)]
    if (bytes.length > 0 && first <= bytes[bytes.length - 1]!) bytes[bytes.length - 1] = end
    else bytes.push(first, end)
  }
  return Int32Array.from(bytes)
}

/** Do two lists of spans share a byte? */
export const share = (x: Spans, y: Spans): boolean => {
  const [a, b] = [x.list, y.list]
  const by = y.by - x.by
  // most of what is compared lies apart altogether
  if (a[0]! >= b[b.length - 1]! + by || b[0]! + by >= a[a.length - 1]!) return false
  for (let i = 0, j = 0; i < a.length && j < b.length;) {
    const end = b[j + 1]! + by
    if (a[i]! < end && b[j]! + by < a[i + 1]!) return true
    if (a[i + 1]! <= end) i += 2
    else j += 2
  }
  return false
}

/** Those that are somewhere, ascending; most are so already. */
const ascending = (addresses: Int32Array): Int32Array => {
  const count = addresses.length
  let last = 0
  for (let i = 0; i < count; i++) {
    const a = addresses[i]!
    if (a < last) return addresses.filter((x) => x >= 0).sort()
    last = a
  }
  return addresses
}

/** Maximal intervals of the bytes at these addresses. */
export const intervalsOf = (addresses: Int32Array, bytes: number): Int32Array => {
  const sorted = ascending(addresses)
  const out: number[] = []
  for (const a of sorted) {
    const end = out[out.length - 1]
    if (end !== undefined && a <= end) out[out.length - 1] = Math.max(end, a + bytes)
    else out.push(a, a + bytes)
  }
  return Int32Array.from(out)
}

const moved = (xs: Int32Array, by: number): Int32Array => {
  if (by === 0) return xs
  const count = xs.length
  const out = new Int32Array(count)
  for (let i = 0; i < count; i++) out[i] = xs[i]! + by
  return out
}

/** The address of the first element. */
export const firstOf = (e: Elements): number => e.offsets[0]! + e.origin
/** The address of each element. */
export const addressesOf = (e: Elements): Int32Array => moved(e.offsets, e.origin)
