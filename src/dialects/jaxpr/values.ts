/**
 * What the variables of a jaxpr are, once elaborated.
 *
 * | variable of type          | is                                                                                                 |
 * |---------------------------|----------------------------------------------------------------------------------------------------|
 * | a scalar                  | an expression; integers narrower than 32 bits in an `i32`, with their sign or without as their type says |
 * | an array                  | a tile: a name that is bound to it; its layout is that of the tile (`typeHere`)                     |
 * | a ref                     | what was allocated, or an operand; what a use applies to it is applied where it is used (`refs.ts`)   |
 * | barriers, semaphores      | those of the Pallas surface                                                                         |
 * | a ref of `run_state`      | a cell: a value that may be another one further on                                                  |
 *
 * A ref in shared memory is the view that its author sees; `physical` are the transforms of its allocation, with which every use of it begins.
 */
import type { Dtype } from '../../numerics/dtype.js'
import type { Expr, Int, Tile, View } from '../../semantics/language/expression.js'
import { checked } from '../../semantics/language/index-types.js'
import type { ScalarName } from '../../semantics/language/types.js'
import type { Build, Tensor } from '../../semantics/writing/builder.js'
import type * as Pallas from '../pallas/index.js'
import type { Transform } from './document.js'

// ---------------------------------------------------------------- values

export interface Scalar {
  readonly _tag: 'scalar'
  readonly dtype: Dtype
  readonly expr: Expr<ScalarName>
}
export interface ArrayValue {
  readonly _tag: 'array'
  readonly dtype: Dtype
  readonly shape: ReadonlyArray<number>
  readonly tile: Tile<ScalarName>
  /** where it is what an accumulator holds: how a part of it is read */
  readonly part?: Part
}
/** A part of an array that an accumulator holds, read as that part of the accumulator, for as long as the accumulator holds it. */
export interface Part {
  readonly read: (
    label: string,
    starts: readonly [number, number],
    sizes: readonly [number, number],
  ) => Build<Expr>
  /** the block in which it was read, and the products that were issued before */
  readonly block: object
  readonly products: number
}

export type Number = Scalar | ArrayValue
export const exprOf = (x: Number): Expr => (x._tag === 'scalar' ? x.expr : x.tile)
/** A number of the same kind by another expression; an array is no longer what an accumulator holds. */
export const withExpr = (x: Number, e: Expr): Number =>
  x._tag === 'scalar'
    ? { ...x, expr: checked<Scalar['expr'], Expr>(e) }
    : { _tag: 'array', dtype: x.dtype, shape: x.shape, tile: checked<ArrayValue['tile'], Expr>(e) }

// ---------------------------------------------------------------- refs

export interface GmemRef {
  readonly _tag: 'gmem'
  readonly name: string
  readonly dtype: Dtype
  /** an operand of the kernel; null: memory of its own */
  readonly tensor: Tensor | null
  readonly view: View<'gmem'>
  readonly shape: ReadonlyArray<number>
}
export interface SmemRef {
  readonly _tag: 'smem'
  readonly name: string
  readonly dtype: Dtype
  /** as its author sees it, transforms and all */
  readonly view: View<'smem'>
  /** the transforms of the allocation: uses begin with them */
  readonly physical: ReadonlyArray<Transform>
}
export interface TmemRef {
  readonly _tag: 'tmem'
  readonly name: string
  readonly dtype: Dtype
  /** as its author sees it: a batch has a dimension of its own */
  readonly view: View<'tmem'>
  readonly physical: ReadonlyArray<Transform>
  readonly collective: boolean
}
export interface AccumulatorRef {
  readonly _tag: 'accumulator'
  readonly acc: Pallas.Accumulator<Pallas.AccumulatorDtype>
}
export interface BarrierRef {
  readonly _tag: 'barrier'
  readonly barrier: Pallas.Barrier
}
export interface SemaphoreRef {
  readonly _tag: 'semaphore'
  readonly semaphore: Pallas.Semaphore
  /** of those that there are for every block */
  readonly shape: ReadonlyArray<number>
  /** the first of this block; null: there is one for all blocks */
  readonly base: Int | null
}
/** A value that a `run_state` keeps. */
export interface CellRef {
  readonly _tag: 'cell'
  readonly cell: { value: Scalar | ArrayValue }
}
/** A ref that was handed to a jaxpr with something applied to it. */
export interface BoundRef {
  readonly _tag: 'bound'
  readonly of: Exclude<Ref, BoundRef>
  readonly view: ReadonlyArray<Transform>
  /** the variables of the view */
  readonly from: Map<number, Elaborated>
}
/** Groups of refs at the same bytes, each with its place. */
export interface UnionRef {
  readonly _tag: 'union'
  readonly name: string
  readonly members: ReadonlyArray<UnionMember>
}
export interface UnionMember {
  readonly group: number
  /** among the refs of its group */
  readonly position: number
  readonly dtype: string
  readonly shape: ReadonlyArray<number>
  readonly ref: SmemRef | TmemRef
}

export type Ref =
  GmemRef | SmemRef | TmemRef | AccumulatorRef | BarrierRef | SemaphoreRef | CellRef | UnionRef | BoundRef

export type Elaborated = Scalar | ArrayValue | Ref

export const isRef = (x: Elaborated): x is Ref => x._tag !== 'scalar' && x._tag !== 'array'

/** What a thing is, in a refusal. */
export const showKind = (x: Elaborated | undefined): string => {
  switch (x?._tag) {
    case undefined:
      return 'nothing'
    case 'scalar':
      return `a scalar of ${x.dtype}`
    case 'array':
      return `an array of ${x.dtype} (${x.shape.map(String).join(', ')})`
    case 'gmem':
    case 'smem':
    case 'tmem':
      return `the ref ${x.name} in ${x._tag.toUpperCase()}`
    case 'accumulator':
      return `the accumulator ${x.acc.name}`
    case 'barrier':
      return `the barrier ${x.barrier.name}`
    case 'semaphore':
      return `the semaphore ${x.semaphore.name}`
    case 'cell':
      return 'a ref of run_state'
    case 'union':
      return `the union ${x.name}`
    case 'bound':
      return showKind(x.of)
  }
}
