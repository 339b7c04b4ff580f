/**
 * Instructions with results, each with the index of what it gives.
 *
 * Here the types of tsc meet those of the signature: a load of a view of `D` and rank `R` gives a tile of `ElementIndex<D>` and `R`.
 * Narrow integers are widened when they come into registers, as PTX does with .u8 and .s8.
 *
 * | memory    | register            |
 * |-----------|---------------------|
 * | any float | the same            |
 * | i1        | i1                  |
 * | i64, u64  | i64                 |
 * | all other integers | i32        |
 *
 * Laws
 * 1. The index is the run-time type's: `ElementIndex<D>` is `elementOf(d)` (exhausted over the dtypes).
 *
 * Source: PTX ISA 9, ld and st (operand size conversions); `signature.ts`.
 */
import { pipe } from 'fp-ts/lib/function.js'
import type { Dtype, FloatDtype } from '../../../numerics/dtype.js'
import type { Condition, Descriptor, Expr, Int, Ptr, Tile, View } from '../../language/expression.js'
import { checked } from '../../language/index-types.js'
import type { AnyBarrier, AnyTile, AtomicOp, Instruction, Scope } from '../../language/instruction.js'
import { type PtrIndex, type TypeIndex } from '../../language/types.js'
import { type Build, map } from './monad.js'
import { type DoOptions, type ResultOptions, runFor } from './statements.js'

// ---------------------------------------------------------------- model

/** The index of an element once it is in a register: narrow integers are widened. */
export type ElementIndex<D extends Dtype> = D extends FloatDtype
  ? D
  : D extends 'i1'
    ? 'i1'
    : D extends 'i64' | 'u64'
      ? 'i64'
      : 'i32'

// ---------------------------------------------------------------- one result

const one = <I extends TypeIndex>(
  label: string,
  instruction: Instruction,
  options: ResultOptions,
): Build<Expr<I>> =>
  pipe(
    runFor([label], instruction, options),
    map((results) => checked<Expr<I>, Expr>(results[0]!)),
  )

// ---------------------------------------------------------------- loads

/** The contents of a shared-memory view, in registers. */
export const smemLoad = <D extends Dtype, R extends number>(
  label: string,
  source: View<'smem', D, R>,
  options: ResultOptions = {},
): Build<Tile<ElementIndex<D>, R>> => one(label, { _tag: 'smem.load', source }, options)
export const gmemLoad = <D extends Dtype, R extends number>(
  label: string,
  source: View<'gmem', D, R>,
  options: ResultOptions = {},
): Build<Tile<ElementIndex<D>, R>> => one(label, { _tag: 'gmem.load', source }, options)
export const regsRead = <D extends Dtype, R extends number>(
  label: string,
  source: View<'regs', D, R>,
  options: ResultOptions = {},
): Build<Tile<ElementIndex<D>, R>> => one(label, { _tag: 'regs.read', source }, options)
export const loadPtr = <D extends Dtype, R extends number>(
  label: string,
  source: Tile<PtrIndex<D>, R>,
  options: ResultOptions & { readonly mask?: Tile<'i1'>; readonly other?: AnyTile } = {},
): Build<Tile<ElementIndex<D>, R>> =>
  one(
    label,
    options.mask === undefined
      ? { _tag: 'gmem.loadPtr', source }
      : options.other === undefined
        ? { _tag: 'gmem.loadPtr', source, mask: options.mask }
        : { _tag: 'gmem.loadPtr', source, mask: options.mask, other: options.other },
    options,
  )

// ---------------------------------------------------------------- atomics

/** The old contents. */
export const smemAtomic = <D extends Dtype, R extends number>(
  label: string,
  op: Exclude<AtomicOp, 'cas'>,
  destination: View<'smem', D, R>,
  value: AnyTile,
  options: ResultOptions = {},
): Build<Tile<ElementIndex<D>, R>> =>
  one(label, { _tag: 'smem.atomic', op, destination, value, scope: 'cta' }, options)
/** The old pointees. */
export const atomicPtr = <D extends Dtype, R extends number>(
  label: string,
  op: Exclude<AtomicOp, 'cas'>,
  destination: Tile<PtrIndex<D>, R>,
  value: AnyTile,
  options: ResultOptions & { readonly scope?: Scope } = {},
): Build<Tile<ElementIndex<D>, R>> =>
  one(label, { _tag: 'gmem.atomicPtr', op, destination, value, scope: options.scope ?? 'gpu' }, options)

// ---------------------------------------------------------------- barriers, election, descriptors

/** True when a wait for this parity would pass now. */
export const testBarrier = (
  label: string,
  barrier: AnyBarrier,
  parity: Int,
  options: DoOptions = {},
): Build<Condition> =>
  one(label, { _tag: 'mbarrier.test', barrier, parity, acquire: true, scope: 'cta' }, options)
export const elect = (label: string): Build<Condition> => one(label, { _tag: 'elect' }, {})
/** Granted, then the coordinates of the cancelled cluster. */
export const clcQuery = (
  label: string,
  response: View<'smem'>,
): Build<readonly [granted: Condition, x: Int, y: Int, z: Int]> =>
  pipe(
    runFor([label, `${label}_x`, `${label}_y`, `${label}_z`], { _tag: 'clc.query', response }),
    map((results) => checked<readonly [Condition, Int, Int, Int], ReadonlyArray<Expr>>(results)),
  )
/** The descriptor that lies in memory. */
export const acquireTensormap = <D extends Dtype, R extends number>(
  label: string,
  at: Ptr,
  dtype: D,
  rank: R,
): Build<Descriptor<D, R>> => one(label, { _tag: 'tensormap.acquire', at, dtype, rank }, {})

// ---------------------------------------------------------------- tokens

/** `cp.async` through a tile of pointers; the token stands for the copy in a text that has such tokens. */
export const copyAsync = <D extends Dtype, R extends number>(
  label: string,
  source: Tile<PtrIndex<D>, R>,
  destination: View<'smem', D, R>,
  options: DoOptions & { readonly mask?: Tile<'i1', R> } = {},
): Build<Expr<'token'>> =>
  one(
    label,
    options.mask === undefined
      ? { _tag: 'cpAsync.copy', source, destination }
      : { _tag: 'cpAsync.copy', source, mask: options.mask, destination },
    options,
  )
export const commitAsync = (label: string): Build<Expr<'token'>> =>
  one(label, { _tag: 'cpAsync.commitGroup' }, {})
export const waitAsync = (label: string, pending: number): Build<Expr<'token'>> =>
  one(label, { _tag: 'cpAsync.waitGroup', pending }, {})
