/**
 * Types: what the values of a ttng program are in the core.
 *
 * | Triton                                         | here         | in the core                                              |
 * |------------------------------------------------|--------------|----------------------------------------------------------|
 * | `!ttg.memdesc<64x32xf16, #shared, #smem>`      | `MemDesc`    | a view of shared or tensor memory: the share of one CTA  |
 * | `!ttg.memdesc<1xi64, #shared, #smem>`          | `BarrierDesc`| a barrier, or an array of one                            |
 * | `!tt.tensordesc<tensor<64x32xf16>>`            | `TensorDesc` | a descriptor                                             |
 * | `tensor<64x64xf32, #mma>`                      | `Tensor`     | a tile                                                   |
 * | the same, not awaited yet                      | `InFlight`   | a view of registers: a unit writes them by itself        |
 * | `!ttg.async.token` of tensor memory            | `Token`      | nothing: a constant that is handed around                |
 *
 * All are expressions, so loops carry them and partitions capture them. A memdesc of a block that several CTAs share is here what one
 * CTA has of it; where an operation must know how a block is dealt to the CTAs it takes the rows of the CGA layout as an option.
 *
 * Tokens order nothing. In Triton they let the compiler see which accesses alias; what is right without them is right with them, and
 * what is wrong stays wrong. So an operation takes them, and gives `token`.
 *
 * In flight: `warp_group_dot` with isAsync gives the place of its result, which it and the products behind it write. It may be carried by
 * a loop, waited for, and accumulated on; `warp_group_dot_wait` with a layout reads it.
 *
 * Not known of a view: whether it is mutable, and whether it is a part of its allocation. The verifier's rules about these are not
 * asked here, but of an allocation that is never written (`ttng.tmem_alloc.mutable`).
 *
 * Source: Triton, types of the TritonGPU and TritonNvidiaGPU dialects.
 */
import * as E from 'fp-ts/lib/Either.js'
import type { Dtype } from '../../numerics/dtype.js'
import { block, freshStorage, registers, typedHere, type Build } from '../../semantics/writing/builder.js'
import {
  i1,
  type Barrier,
  type Condition,
  type Descriptor,
  type Expr,
  type Tile,
  type View,
} from '../../semantics/language/expression.js'
import type { Agent } from '../../semantics/language/program.js'
import type { Contract, PtrIndex, ScalarName, TileType, ViewType } from '../../semantics/language/types.js'
import { refuse, refused } from './codes.js'

// ---------------------------------------------------------------- model

export type MemDesc<
  S extends 'smem' | 'tmem' = 'smem' | 'tmem',
  D extends Dtype = Dtype,
  R extends number = number,
> = View<S, D, R>
/** All barriers here carry all order, so the tensor core may arrive on each. */
export type BarrierDesc = Barrier<Contract, true> | Barrier<Contract, true, 1>
export type TensorDesc<D extends Dtype = Dtype, R extends number = number> = Descriptor<D, R>
export type Tensor<E extends ScalarName | PtrIndex = ScalarName | PtrIndex, R extends number = number> = Tile<
  E,
  R
>
/** The result of a product that may not be done yet. */
export type InFlight<D extends 'f32' | 'f16' | 'i32' = 'f32' | 'f16' | 'i32'> = View<'regs', D, 2>
export type Token = Expr<'i1' | 'token'>

/** The token of every operation on tensor memory. */
export const token: Token = i1(true)

/** A memdesc and the token beside it. */
export interface WithToken<A> {
  readonly result: A
  readonly token: Token
}

// ---------------------------------------------------------------- who runs an operation

/**
 * The warps that run an operation: a partition of `warp_specialize`, or the kernel's own. Usually one agent.
 * If a partition is several agents, all of them run the same code, and `issue.ts` lists which operations one
 * of them does for all.
 */
export interface Issuer {
  readonly agents: ReadonlyArray<Agent>
  /** `ttg.num-ctas` of the module; 1 if not given */
  readonly numCtas?: number
  /** the named barrier of a partition of several agents; 1 if not given */
  readonly barrierId?: number
  /** is it a partition of `warp_specialize`? */
  readonly specialized?: boolean
}

/** The options of every operation. */
export interface OpOptions {
  /** the operand `pred`: false, and nothing is done */
  readonly when?: Condition
  /** one agent of one CTA if not given */
  readonly from?: Issuer
}

// ---------------------------------------------------------------- what an operand is

/** The run-time type of a memdesc. */
export const memDescHere = (label: string, field: string, of: MemDesc | InFlight): Build<ViewType> =>
  typedHere(of, (type) =>
    type._tag === 'view'
      ? E.right(type)
      : refuse('ttng.memdesc', `${label}: ${field} must be a memdesc, found a ${type._tag}`),
  )

/** The run-time type of a tensor. */
export const tensorHere = (label: string, field: string, of: Tensor): Build<TileType> =>
  typedHere(of, (type) =>
    type._tag === 'tile'
      ? E.right(type)
      : refuse('ttng.tensor', `${label}: ${field} must be a tensor, found a ${type._tag}`),
  )

/** Registers of the issuer under a name that no storage has yet. */
export const freshRegisters = <D extends Dtype>(
  label: string,
  from: Issuer | undefined,
  dtype: D,
  shape: readonly [number, number],
): Build<View<'regs', D, 2>> =>
  block(function* () {
    const [agent, ...others] = from?.agents ?? []
    if (agent === undefined || others.length > 0)
      return yield* refused(
        'ttng.partition',
        `${label}: a tensor lies in the registers of one agent, so \`from\` must name exactly one, found ${String(from?.agents.length ?? 0)}`,
      )
    return yield* registers(yield* freshStorage(`${label}.registers`), agent.name, dtype, shape)
  })
