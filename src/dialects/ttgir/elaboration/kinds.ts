/** Element types: from those of a text to those of the library. */
import { bitsOf, type Dtype } from '../../../numerics/dtype.js'
import type { ScalarName } from '../../../semantics/language/types.js'
import type { Type } from '../text/syntax.js'
import { own } from '../../../own.js'

const floats: Readonly<Record<string, Dtype & ScalarName>> = {
  f16: 'f16',
  bf16: 'bf16',
  f32: 'f32',
  tf32: 'tf32',
  f8E4M3FN: 'e4m3',
  f8E5M2: 'e5m2',
}
const integers: Readonly<Record<number, Dtype>> = { 1: 'i1', 8: 'i8', 16: 'i16', 32: 'i32', 64: 'i64' }
/** Narrow ones are widened (`narrow.ts`). */
const scalars: Readonly<Record<number, ScalarName>> = { 1: 'i1', 8: 'i32', 16: 'i32', 32: 'i32', 64: 'i64' }

/** In memory; null where there is none. */
export const dtypeOf = (t: Type): Dtype | null =>
  t._tag === 'float'
    ? (own(floats, t.name) ?? null)
    : t._tag === 'integer'
      ? (integers[t.bits] ?? null)
      : null

/** Behind a pointer: a truth value takes a byte. */
export const behindPointer = (t: Type): Dtype | null => {
  const dtype = dtypeOf(t)
  return dtype === 'i1' ? 'i8' : dtype
}

/** What a tensor of a launch has elements of. Nothing here computes with f64; in PTX its elements are two words. */
export type Element = Dtype | 'f64'
export const isDouble = (t: Type): boolean => t._tag === 'float' && t.name === 'f64'

/** In a register; null where there is none. */
export const scalarOf = (t: Type): ScalarName | null =>
  t._tag === 'float' ? (own(floats, t.name) ?? null) : t._tag === 'integer' ? (scalars[t.bits] ?? null) : null

/** The element type of a tensor or a buffer, the pointee of a pointer, and any other type itself. */
export const elementOf = (t: Type): Type =>
  t._tag === 'tensor' || t._tag === 'memdesc' ? t.element : t._tag === 'pointer' ? t.pointee : t

export const shapeOf = (t: Type): ReadonlyArray<number> =>
  t._tag === 'tensor' || t._tag === 'memdesc' ? t.shape : []

/** Bytes of all elements, without what an encoding leaves out; 0 where the element type is not one of the library's. */
export const bytesOf = (t: Type): number => {
  const dtype = dtypeOf(elementOf(t))
  return (shapeOf(t).reduce((n, extent) => n * extent, 1) * (dtype === null ? 0 : bitsOf(dtype))) / 8
}
