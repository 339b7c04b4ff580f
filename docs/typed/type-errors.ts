/**
 * Reasons: what tsc prints when literal shapes do not fit.
 *
 * A parameter of type `T & Check<S, T>` accepts a `T` for which the check is `unknown`. When it is a *reason*, an interface with one
 * property that no argument has, tsc reports one error, at the argument, and prints the reason:
 *
 *     tile(ref([128, 128], 'f16', 'smem'), [48, 64])
 *     Argument of type '[48, 64]' is not assignable to parameter of type 'readonly [48, 64] & IllegalTile<"dim 0: 48 does not divide 128">'.
 *
 * Division is a lookup in a generated table (`quotients.ts`). A number that is not a literal, or an extent that is not in the table,
 * is left to run time: the check is `unknown` and the quotient is `number`.
 *
 * Laws
 * 1. A refused call has exactly one diagnostic, and its text contains the reason.
 * 2. What tsc refuses, the run-time check refuses; what the run-time check accepts, tsc accepts.
 */
import type { Dtype } from '../../src/numerics/dtype.js'
import type { Space } from '../../src/semantics/language/types.js'
import type { Shape } from '../../src/transforms/shape.js'
import type { Swizzle } from '../../src/transforms/swizzle.js'
import type { Quotients, SwizzleElements } from './quotients.js'

// ---------------------------------------------------------------------------------------------- reasons

export interface IllegalTile<Reason extends string> {
  readonly illegalTile: Reason
}
export interface IllegalSwizzle<Reason extends string> {
  readonly illegalSwizzle: Reason
}
export interface IllegalSlice<Reason extends string> {
  readonly illegalSlice: Reason
}
export interface IllegalTranspose<Reason extends string> {
  readonly illegalTranspose: Reason
}
export interface IllegalOperand<Reason extends string> {
  readonly illegalOperand: Reason
}
export interface WrongSpace<Reason extends string> {
  readonly wrongSpace: Reason
}
export interface KMismatch<Reason extends string> {
  readonly kMismatch: Reason
}
export interface ShapeMismatch<Reason extends string> {
  readonly shapeMismatch: Reason
}
export interface DtypeMismatch<Reason extends string> {
  readonly dtypeMismatch: Reason
}

// -------------------------------------------------------------------------------------------- arithmetic

/** `N / D`; `number` when either is no literal or N is not in the table; `never` when D does not divide N. */
export type Div<N extends number, D extends number> = number extends N | D
  ? number
  : N extends keyof Quotients
    ? D extends keyof Quotients[N]
      ? Extract<Quotients[N][D], number>
      : never
    : number

/** Are two extents equal, as far as is known? */
export type Same<A, B> = number extends A | B ? true : [A, B] extends [B, A] ? true : false

/** Is the list of unknown length? */
type Unknown<S extends Shape> = number extends S['length'] ? true : false

/** `(128, 64)` */
export type Show<S extends Shape> = S extends readonly [infer A extends number, infer B extends number]
  ? `(${A}, ${B})`
  : S extends readonly [infer A extends number]
    ? `(${A},)`
    : S extends readonly [...infer Front extends Shape, infer Last extends number]
      ? Show<Front> extends `${infer Open})`
        ? `${Open}, ${Last})`
        : never
      : '()'

// ------------------------------------------------------------------------------------------------- tiles

/** Every `D`, in turn, against the extent on the same place counted from the right; the leftmost fault, or `never`. */
type TileFault<S extends Shape, T extends Shape> = T extends readonly [
  ...infer T0 extends Shape,
  infer D extends number,
]
  ? S extends readonly [...infer S0 extends Shape, infer N extends number]
    ? [TileFault<S0, T0>] extends [never]
      ? [Div<N, D>] extends [never]
        ? `dim ${S0['length']}: ${D} does not divide ${N}`
        : never
      : TileFault<S0, T0>
    : 'a tile of higher rank than the shape'
  : never

/** The divisors of an extent. */
type Divisors<N> = N extends keyof Quotients ? keyof Quotients[N] : number

/** The tiles of rank 2 that divide S. */
type Dividing<S> = S extends readonly [...Shape, infer N0, infer N1]
  ? readonly [Divisors<N0>, Divisors<N1>]
  : never

/** `unknown` when the tile T cuts the last dimensions of S. Rank 2 goes first because one answer per shape serves all its tiles. */
export type TileCheck<S extends Shape, T extends Shape> = T extends Dividing<S> ? unknown : AnyTileCheck<S, T>

type AnyTileCheck<S extends Shape, T extends Shape> = true extends Unknown<S> | Unknown<T>
  ? unknown
  : T extends readonly []
    ? IllegalTile<'a tile has at least one dimension'>
    : [TileFault<S, T>] extends [never]
      ? unknown
      : IllegalTile<TileFault<S, T>>

type Quotient<S extends Shape, T extends Shape> = T extends readonly [
  ...infer T0 extends Shape,
  infer D extends number,
]
  ? S extends readonly [...infer S0 extends Shape, infer N extends number]
    ? readonly [...Quotient<S0, T0>, Div<N, D>]
    : readonly []
  : S

/** The shape after the cut: quotients, then the tile. */
export type Tiled<S extends Shape, T extends Shape> = true extends Unknown<S> | Unknown<T>
  ? Shape
  : readonly [...Quotient<S, T>, ...T]

// ---------------------------------------------------------------------------------------------- swizzles

/** How many elements fill the span. `never` when they do not fill it. */
export type ElementsOf<W extends Swizzle, D extends Dtype> = D extends keyof SwizzleElements[W]
  ? Extract<SwizzleElements[W][D], number>
  : never

type Last<S extends Shape> = S extends readonly [...Shape, infer N extends number] ? N : number

/** The extent of the last physical dimension. */
export type Minor<S extends Shape, T extends Shape> = T extends readonly [] ? Last<S> : Last<T>

export type SwizzleCheck<
  S extends Shape,
  D extends Dtype,
  T extends Shape,
  W extends number,
> = number extends W
  ? unknown
  : W extends Swizzle
    ? [ElementsOf<W, D>] extends [never]
      ? IllegalSwizzle<`elements of ${D} do not fill ${W} bytes`>
      : Same<Minor<S, T>, ElementsOf<W, D>> extends true
        ? unknown
        : IllegalSwizzle<`the minor dimension is ${Minor<S, T>}, swizzle ${W} of ${D} needs ${ElementsOf<W, D>}`>
    : IllegalSwizzle<`a swizzle spans 16, 32, 64 or 128 bytes, not ${W}`>

// ------------------------------------------------------------------------------------- slices, transposes

type StartFault<I extends Shape, T extends Shape> = T extends readonly [
  ...infer T0 extends Shape,
  infer D extends number,
]
  ? I extends readonly [...infer I0 extends Shape, infer N extends number]
    ? [StartFault<I0, T0>] extends [never]
      ? N extends 0
        ? never
        : [Div<N, D>] extends [never]
          ? `dim ${I0['length']}: ${N} is not a multiple of the tile's ${D}`
          : never
      : StartFault<I0, T0>
    : never
  : never

/** `unknown` when starts or sizes respect the tile and there is one for each dimension. */
export type SliceCheck<S extends Shape, T extends Shape, I extends Shape> = true extends
  Unknown<S> | Unknown<T> | Unknown<I>
  ? unknown
  : I['length'] extends S['length']
    ? [StartFault<I, T>] extends [never]
      ? unknown
      : IllegalSlice<StartFault<I, T>>
    : IllegalSlice<`expected ${S['length']} numbers, found ${I['length']}`>

/** The dimensions of an array of each rank. */
interface Dimensions {
  readonly 0: never
  readonly 1: 0
  readonly 2: 0 | 1
  readonly 3: 0 | 1 | 2
  readonly 4: 0 | 1 | 2 | 3
  readonly 5: 0 | 1 | 2 | 3 | 4
}

export type TransposeCheck<S extends Shape, P extends Shape> = true extends Unknown<S> | Unknown<P>
  ? unknown
  : number extends P[number]
    ? unknown
    : S['length'] extends keyof Dimensions
      ? [P['length'], P[number], Dimensions[S['length']]] extends [
          S['length'],
          Dimensions[S['length']],
          P[number],
        ]
        ? unknown
        : IllegalTranspose<`${Show<P>} is not a permutation of ${S['length']} dimensions`>
      : unknown

type Chosen<S extends Shape, P extends Shape> = { readonly [K in keyof P]: S[P[K] & number] }

/** Dimension k of the result is dimension P[k] of S. */
export type Permuted<S extends Shape, P extends Shape> = true extends Unknown<S> | Unknown<P>
  ? Shape
  : Chosen<S, P> extends infer R extends Shape
    ? R
    : Shape

/** The tile of a transposed ref; unknown when it does not cut every dimension. */
export type PermutedTile<S extends Shape, T extends Shape, P extends Shape> = T extends readonly []
  ? T
  : T['length'] extends S['length']
    ? Permuted<T, P>
    : Shape

// ----------------------------------------------------------------------------------------------- spaces

export type SpaceCheck<
  Found extends Space,
  Expected extends Space,
  Message extends string,
> = Found extends Expected ? unknown : WrongSpace<`expected ${Message}, found ${Found}`>
