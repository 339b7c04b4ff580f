/**
 * Indices on run-time data.
 *
 * An expression is a plain tree, the same in memory and in JSON. What tsc should know of it (its space, dtype,
 * rank, discipline) is a phantom: a property that no value has. This module attaches it, and it is the only
 * one that may: `as` is a lint error everywhere else. Two doors lead here. Smart constructors know the index of
 * what they build; validation has checked a decoded tree against its run-time types and so may open the
 * existential (`withProgram`).
 */
import type { TypeIndex } from './types.js'

declare const index: unique symbol

/** `T` together with the index `I`; there is no such property at run time. */
export type Indexed<T, I extends TypeIndex> = T & { readonly [index]: I }

/** Attach an index that the caller's own types or checks justify. */
export const indexed = <I extends TypeIndex, T>(tree: T): Indexed<T, I> => tree as Indexed<T, I>

/** Take a structure whose operands have been checked as one whose operands carry their indices. */
export const checked = <Checked extends Shape, Shape>(shape: Shape): Checked => shape as Checked
