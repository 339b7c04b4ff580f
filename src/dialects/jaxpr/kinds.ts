/** What variables are by their types: a scalar, an array, a ref. */
import type { ArrayType, RefType, Type, Var } from './document.js'

export const isArrayType = (t: Type): t is ArrayType => 'dtype' in t && !('ref' in t)
export const isRefType = (t: Type): t is RefType => 'ref' in t && !('union' in t)
export const isScalarType = (t: Type): boolean => isArrayType(t) && t.shape.length === 0

/** The shape of a variable that is no ref; a ref has its own. */
export const shapeOfType = (t: Type): ReadonlyArray<number> => ('shape' in t ? t.shape : [])
export const shapeOfVar = (v: Var | null | undefined): ReadonlyArray<number> =>
  v == null ? [] : shapeOfType(v.type)
