/**
 * The types of the core language.
 *
 * A core type says three things: what kind of thing a name stands for, where it lives, and how big it is.
 * `Type` is the run-time form, which travels in JSON. Beside it stand the *indices*: TypeScript types that an
 * expression carries so that tsc refuses a TMEM view as the destination of a TMA copy, or an f32 as a
 * condition. The index keeps what is known when a kernel is written (space, dtype, rank, discipline of a
 * barrier); sizes stay in the run-time type and are checked by validation.
 *
 * | kind    | index                     | run-time type                                   | Pallas            | Triton            |
 * |---------|---------------------------|-------------------------------------------------|-------------------|-------------------|
 * | scalar  | `'i1'`, `'i32'`, `'f16'`  | `{ scalar }`                                    | jnp scalar        | i32, f16          |
 * | pointer | `PtrIndex<D>`             | `{ ptr, dtype }`                                | (none)            | `!tt.ptr<f16>`    |
 * | view    | `ViewIndex<S, D, R>`      | `{ view, space, dtype, layout }`                | ref               | memdesc           |
 * | barrier | `BarrierIndex<C, O, R>`   | `{ barrier, contract, ordersTensorCore, shape}` | Barrier           | memdesc<..xi64>   |
 * | descriptor | `DescriptorIndex<D, R>` | `{ descriptor, dtype, rank }`                   | (made by the copy)| tensordesc        |
 * | tile    | `TileIndex<E, R>`         | `{ tile, element, shape, layout }`              | array in registers| tensor            |
 * | token   | `'token'`                 | `{ token }`                                     | (none)            | async.token       |
 *
 * A view is *static but for its place*: its shape, strides, tiling and swizzle belong to the type, its base
 * address is a run-time value. So the footprint of an access is known as soon as its base is.
 */
import { bitsOf, type Dtype, type FloatDtype } from '../../numerics/dtype.js'
import type { RegisterLayout } from '../../layouts/register-layout.js'
import type { TransformedRef } from '../../transforms/ref.js'

// ---------------------------------------------------------------- model

/** The four memory spaces. `regs` holds the registers that an asynchronous unit reads or writes. */
export type Space = 'gmem' | 'smem' | 'tmem' | 'regs'
export const spaces: ReadonlyArray<Space> = ['gmem', 'smem', 'tmem', 'regs']

/** The scalars that control and addresses are made of, and every float. */
export type ScalarName = 'i1' | 'i32' | 'i64' | FloatDtype

/** The rules that a barrier's user has signed: bare PTX, or Pallas's (every completion is awaited, by everyone who waits at all). */
export type Contract = 'ptx' | 'pallas'

export interface ScalarType {
  readonly _tag: 'scalar'
  readonly dtype: ScalarName
}
export interface PtrType {
  readonly _tag: 'ptr'
  /** what it points to: `addptr` counts in elements of this dtype */
  readonly dtype: Dtype
}
export interface ViewType {
  readonly _tag: 'view'
  readonly space: Space
  readonly dtype: Dtype
  /** logical index -> byte, relative to the view's base; the swizzle acts on the absolute address */
  readonly layout: TransformedRef
}
export interface BarrierType {
  readonly _tag: 'barrier'
  readonly contract: Contract
  readonly ordersTensorCore: boolean
  /** `[]` is one barrier, `[n]` an array of them */
  readonly shape: ReadonlyArray<number>
}
export interface DescriptorType {
  readonly _tag: 'descriptor'
  readonly dtype: Dtype
  readonly rank: number
}
export interface TileType {
  readonly _tag: 'tile'
  readonly shape: ReadonlyArray<number>
  readonly element: ScalarType | PtrType
  readonly layout: RegisterLayout | 'any'
}
export interface TokenType {
  readonly _tag: 'token'
}

export type Type = ScalarType | PtrType | ViewType | BarrierType | DescriptorType | TileType | TokenType

// ---------------------------------------------------------------- indices

export interface PtrIndex<D extends Dtype = Dtype> {
  readonly ptr: D
}
export interface ViewIndex<S extends Space = Space, D extends Dtype = Dtype, R extends number = number> {
  readonly view: { readonly space: S; readonly dtype: D; readonly rank: R }
}
export interface BarrierIndex<
  C extends Contract = Contract,
  O extends boolean = boolean,
  R extends number = 0,
> {
  readonly barrier: { readonly contract: C; readonly ordersTensorCore: O; readonly rank: R }
}
export interface DescriptorIndex<D extends Dtype = Dtype, R extends number = number> {
  readonly descriptor: { readonly dtype: D; readonly rank: R }
}
export interface TileIndex<
  E extends ScalarName | PtrIndex = ScalarName | PtrIndex,
  R extends number = number,
> {
  readonly tile: { readonly element: E; readonly rank: R }
}
export type TypeIndex =
  | ScalarName
  | PtrIndex
  | ViewIndex
  | BarrierIndex<Contract, boolean, number>
  | DescriptorIndex
  | TileIndex
  | 'token'

// ---------------------------------------------------------------- constructors

export const scalar = (dtype: ScalarName): ScalarType => ({ _tag: 'scalar', dtype })
export const ptr = (dtype: Dtype): PtrType => ({ _tag: 'ptr', dtype })
export const view = (space: Space, dtype: Dtype, layout: TransformedRef): ViewType => ({
  _tag: 'view',
  space,
  dtype,
  layout,
})
export const barrier = (
  contract: Contract,
  ordersTensorCore: boolean,
  shape: ReadonlyArray<number>,
): BarrierType => ({ _tag: 'barrier', contract, ordersTensorCore, shape })
export const descriptor = (dtype: Dtype, rank: number): DescriptorType => ({
  _tag: 'descriptor',
  dtype,
  rank,
})
export const tile = (
  shape: ReadonlyArray<number>,
  element: ScalarType | PtrType,
  layout: RegisterLayout | 'any',
): TileType => ({ _tag: 'tile', shape, element, layout })
export const token: TokenType = { _tag: 'token' }

export const i1: ScalarType = scalar('i1')
export const i32: ScalarType = scalar('i32')
export const i64: ScalarType = scalar('i64')

/** Do the bits of one go into the other? Those of a narrow float lie in the low ones of an i32, as narrow integers do. */
export const isBitcast = (from: ScalarName, to: ScalarName): boolean =>
  bitsOf(from) === bitsOf(to) ||
  (from === 'i32' && !isInteger(to) && bitsOf(to) < 32) ||
  (to === 'i32' && !isInteger(from) && bitsOf(from) < 32)

export const isInteger = (dtype: ScalarName): dtype is 'i1' | 'i32' | 'i64' =>
  dtype === 'i1' || dtype === 'i32' || dtype === 'i64'
