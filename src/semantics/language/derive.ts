/**
 * Types from text: the TypeScript type of an instruction, read off its row.
 *
 * A row of `rows.ts` is text, and tsc can read text. So the type of an instruction depends on the data that describes it, and the two cannot drift:
 *
 *     'gmem.loadPtr': { source: 'tile ptr', 'mask?': 'tile i1' }
 *
 *     Derived<'gmem.loadPtr'>  =  { readonly _tag: 'gmem.loadPtr'; readonly source: Tile<PtrIndex>; readonly mask?: Tile<'i1'> }
 *
 * Law 1. Text that is none of the forms of `rows.ts` is of type `never`, so that nothing can be given for it.
 */
import type { Dtype } from '../../numerics/dtype.js'
import type { Barrier, Descriptor, Expr, Ptr, Tile, View } from './expression.js'
import type { completion, rows } from './rows.js'
import type { Contract, PtrIndex, ScalarName, Space } from './types.js'
import type { Choice, Words } from './words.js'

export type Rows = typeof rows

type ViewIn<S extends string, D, R extends number> = [Words<S, '|'>, D] extends [
  infer In extends Space,
  infer Of extends Dtype,
]
  ? View<In, Of, R>
  : never
type RankedView<T extends string, R extends number> = T extends `${infer S} of ${infer D}`
  ? ViewIn<S, Words<D, '|'>, R>
  : ViewIn<T, Dtype, R>
type RankedTile<T extends string, R extends number> = T extends 'scalar'
  ? Tile<ScalarName, R>
  : T extends 'ptr'
    ? Tile<PtrIndex, R>
    : T extends ScalarName
      ? Tile<T, R>
      : never

/** An operand: an expression with the index that the words say. */
export type Operand<T extends string> = T extends ScalarName
  ? Expr<T>
  : T extends 'ptr'
    ? Ptr
    : T extends 'descriptor'
      ? Descriptor
      : T extends 'barrier'
        ? Barrier<Contract, boolean>
        : T extends 'tensor barrier'
          ? Barrier<Contract, true>
          : T extends `view ${infer V} rank ${infer R extends number}`
            ? RankedView<V, R>
            : T extends `view ${infer V}`
              ? RankedView<V, number>
              : T extends `tile ${infer E} rank ${infer R extends number}`
                ? RankedTile<E, R>
                : T extends `tile ${infer E}`
                  ? RankedTile<E, number>
                  : never

/** What is given for a field. */
export type Given<T> = T extends `= ${string}`
  ? Choice<T>
  : T extends 'completion ...'
    ? ReadonlyArray<Fields<typeof completion>>
    : T extends `${infer Each} ...`
      ? ReadonlyArray<Given<Each>>
      : T extends 'nat'
        ? number
        : T extends 'bool'
          ? boolean
          : T extends 'dtype'
            ? Dtype
            : T extends 'text'
              ? string
              : T extends string
                ? Operand<T>
                : never

type Apart<R> = {
  readonly [F in keyof R as F extends `${string}?` ? never : F]: Given<R[F]>
} & {
  readonly [F in keyof R as F extends `${infer Name}?` ? Name : never]?: Given<R[F]>
}
/** A record of the fields of a row. */
export type Fields<R> = { readonly [F in keyof Apart<R>]: Apart<R>[F] }

type Tagged<K extends keyof Rows> = { readonly _tag: K } & Apart<Rows[K]>
/** The instruction of this name. */
export type Derived<K extends keyof Rows> = { readonly [F in keyof Tagged<K>]: Tagged<K>[F] }
