/**
 * Bytes of casts: which byte of which value a byte of an `Origin` is.
 *
 * A byte is a number: below 2^26 a byte of the value as it was read; above, a byte of the value with each of its elements converted from one type to another.
 *
 *     5                      byte 5 of the value
 *     2^26 + 4               the first byte of element 2 of the value, of f32, converted to f16
 *     6 * 2^26 + 4           the first byte of element 1 of the value, of f16, converted to f32
 *
 * Law 1. `castOf` of a byte that is made of a cast and a byte gives the two back.
 */
import type { FloatDtype } from '../../numerics/dtype.js'

export interface Cast {
  readonly from: FloatDtype
  readonly to: FloatDtype
}
const cast = (from: FloatDtype, to: FloatDtype): Cast => ({ from, to })

/** What a value has been converted to; the first: it is as it was read. */
export const casts: ReadonlyArray<Cast | null> = [
  null,
  cast('f32', 'f16'),
  cast('f32', 'bf16'),
  cast('f32', 'e4m3'),
  cast('f32', 'e5m2'),
  cast('f32', 'tf32'),
  cast('f16', 'f32'),
  cast('bf16', 'f32'),
  cast('f16', 'e4m3'),
  cast('f16', 'e5m2'),
  cast('f16', 'bf16'),
  cast('bf16', 'f16'),
  cast('e4m3', 'f16'),
  cast('e5m2', 'f16'),
]
/** Bytes of a value are counted below; above them stands the cast. */
const castShift = 26
export const mostBytes: number = 2 ** castShift

/** What a byte's element was converted from and to (null: it is as it was read), and which byte of the converted value this is. */
export const castOf = (place: number): { readonly cast: Cast | null; readonly byte: number } => ({
  cast: casts[place >>> castShift] ?? null,
  byte: place % mostBytes,
})
