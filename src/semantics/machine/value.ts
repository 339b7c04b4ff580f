/**
 * Values: what a name holds while a program runs.
 *
 * Integers are exact in every algebra, because control and addresses are made of them: an `i1` is a boolean, an
 * `i32` a number, an `i64` a bigint. A float is whatever the algebra's carrier says. A view is a plane, a static
 * layout and a base address, so its footprint is known without looking at memory. A tile is row-major carriers.
 *
 * The outcome of a peek (`language/peeks.ts`) remembers which test it is of: the linker has seen that nothing is made of it but to spare a wait.
 *
 * A tile whose `data` is null is *unknown*: the algebra keeps no data (`unit`), or it came from such a tile. Control
 * that needs one is a fault, never a guess.
 *
 * Evaluation is total: what cannot be computed is a `FaultValue`, and it propagates like a NaN.
 */
import type { Dtype, FloatDtype } from '../../numerics/dtype.js'
import type { RegisterLayout } from '../../layouts/register-layout.js'
import type { TransformedRef } from '../../transforms/ref.js'
import type { Origin } from '../log/events.js'
import type { Contract, ScalarName, Space } from '../language/types.js'
import type { Elements } from './elements.js'

// ---------------------------------------------------------------- model

export interface FloatValue {
  readonly _tag: 'float'
  readonly dtype: FloatDtype
  readonly x: number
}
/** `address` in bytes of the plane. */
export interface PtrValue {
  readonly _tag: 'ptr'
  readonly dtype: Dtype
  readonly plane: number
  readonly address: number
}
export interface ViewValue {
  readonly _tag: 'view'
  readonly space: Space
  readonly dtype: Dtype
  readonly plane: number
  readonly layout: TransformedRef
  readonly base: number
}
/** `first` is the barrier's index in the header; an array of barriers occupies consecutive ones. */
export interface BarrierValue {
  readonly _tag: 'barrier'
  readonly first: number
  readonly shape: ReadonlyArray<number>
  readonly contract: Contract
  readonly ordersTensorCore: boolean
}
/** The window of a map of columns of pixels (im2col): its corners, outermost first (`layouts/shared-memory/im2col.ts`). */
export interface PixelWindow {
  readonly lower: ReadonlyArray<number>
  readonly upper: ReadonlyArray<number>
}
export interface DescriptorValue {
  readonly _tag: 'descriptor'
  readonly name: string
  readonly plane: number
  readonly base: number
  readonly dtype: Dtype
  readonly dims: ReadonlyArray<number>
  /** elements */
  readonly strides: ReadonlyArray<number>
  /** of columns: pixels, channels */
  readonly box: ReadonlyArray<number>
  readonly elementStrides: ReadonlyArray<number>
  readonly swizzle: 16 | 32 | 64 | 128
  readonly fill: 'zero' | 'nan'
  /** elements of 4 bits have gaps in shared memory */
  readonly padded: boolean
  /** of columns of pixels; null: boxes */
  readonly window: PixelWindow | null
  /** loads round f32 to tf32 */
  readonly rounds: boolean
  /** sums of f32 take and leave zero for a subnormal number */
  readonly flushes: boolean
  /** the object in memory that it was read from; null for one of the launch */
  readonly map: Elements | null
}
export interface TileValue {
  readonly _tag: 'tile'
  readonly shape: ReadonlyArray<number>
  readonly element: ScalarName | 'ptr'
  /** of a tile of pointers: what they point to, and the plane they all point into */
  readonly pointee: Dtype
  readonly plane: number
  readonly layout: RegisterLayout | 'any'
  readonly data: Float64Array | null
  readonly origin: Origin
  /** 1 of every byte that no data has decided, as it was read; absent: of none it is known */
  readonly plain?: Uint8Array
}
export interface TokenValue {
  readonly _tag: 'token'
}
/** The outcome of a peek: whether the phase was over, and which event of its agent asked. */
export interface PeekValue {
  readonly _tag: 'peek'
  readonly ready: boolean
  readonly at: number
}
export interface FaultValue {
  readonly _tag: 'fault'
  readonly code: string
  readonly message: string
  /** it is about which columns of tensor memory are allocated */
  readonly columns?: true
}

export type Value =
  | boolean
  | number
  | bigint
  | FloatValue
  | PtrValue
  | ViewValue
  | BarrierValue
  | DescriptorValue
  | TileValue
  | TokenValue
  | PeekValue
  | FaultValue

// ---------------------------------------------------------------- constructors

export const fault = (code: string, message: string): FaultValue => ({ _tag: 'fault', code, message })
export const faultOfColumns = (code: string, message: string): FaultValue => ({
  _tag: 'fault',
  code,
  message,
  columns: true,
})
export const float = (dtype: FloatDtype, x: number): FloatValue => ({ _tag: 'float', dtype, x })
export const ptr = (dtype: Dtype, plane: number, address: number): PtrValue => ({
  _tag: 'ptr',
  dtype,
  plane,
  address,
})
export const view = (
  space: Space,
  dtype: Dtype,
  plane: number,
  layout: TransformedRef,
  base: number,
): ViewValue => ({ _tag: 'view', space, dtype, plane, layout, base })
export const barrier = (
  first: number,
  shape: ReadonlyArray<number>,
  contract: Contract,
  ordersTensorCore: boolean,
): BarrierValue => ({ _tag: 'barrier', first, shape, contract, ordersTensorCore })
export const tile = (
  shape: ReadonlyArray<number>,
  element: ScalarName,
  layout: RegisterLayout | 'any',
  data: Float64Array | null,
  origin: Origin,
): TileValue => ({ _tag: 'tile', shape, element, pointee: 'i8', plane: -1, layout, data, origin })
export const ptrTile = (
  shape: ReadonlyArray<number>,
  pointee: Dtype,
  plane: number,
  layout: RegisterLayout | 'any',
  data: Float64Array | null,
): TileValue => ({ _tag: 'tile', shape, element: 'ptr', pointee, plane, layout, data, origin: otherOrigin })
export const peek = (ready: boolean, at: number): PeekValue => ({ _tag: 'peek', ready, at })
export const token: TokenValue = { _tag: 'token' }
export const otherOrigin: Origin = { _tag: 'other' }
export const zeroOrigin: Origin = { _tag: 'zero' }

// ---------------------------------------------------------------- destructors

export const isFault = (v: unknown): v is FaultValue => {
  if (typeof v !== 'object' || v === null) return false
  // asked of every operand: one look at it, whatever its shape
  const tagged: { readonly _tag?: unknown } = v
  return tagged._tag === 'fault'
}

/** What a value is, for messages. */
export const kindOf = (v: Value): string => {
  if (typeof v === 'boolean') return 'i1'
  if (typeof v === 'number') return 'i32'
  if (typeof v === 'bigint') return 'i64'
  return v._tag
}
