/**
 * Bytes of casts: which byte of which value a byte of an `Origin` is.
 *
 * A byte is a number: below 2^26 a byte of the value as it was read; above, that of a cast of one of its elements, at the place of the element.
 *
 *     5               byte 5 of the value
 *     2^26 + 4        the first byte of the f16 that the element at byte 4 was converted to
 *     2 * 2^26 + 4    the same of bf16
 *
 * Law 1. `castOf` of a byte that is made of a cast and a byte gives the two back.
 */
import type { Dtype } from '../../numerics/dtype.js'

/** What the bytes of a value have been converted to; the first: they are as they were read. A cast has no more bytes than what it is of. */
export const casts: ReadonlyArray<Dtype | null> = [null, 'f16', 'bf16', 'e4m3', 'e5m2', 'tf32']
/** Bytes of a value are counted below; above them stands the cast. */
const castShift = 26
export const mostBytes: number = 2 ** castShift

/** The type that a byte's element was converted to (null: none), and which byte of the value as it was read this is. */
export const castOf = (place: number): { readonly to: Dtype | null; readonly byte: number } => ({
  to: casts[place >>> castShift] ?? null,
  byte: place % mostBytes,
})
