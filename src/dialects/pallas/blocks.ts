/**
 * Blocks: which part of a tensor a step of a grid works on, and where a pipeline keeps it.
 *
 * A `BlockSpec` cuts a tensor into blocks of one shape. Its index map takes the indices of a step to the block's place, counted in blocks.
 *
 *     tensor (64, 32), blocks (16, 16), (i, j) => (j, 0)        step (1, 3) works on rows 48 to 63, columns 0 to 15
 *
 * A pipeline keeps `slots` blocks of an operand in shared memory, one behind the other. An operand in GMEM is not cut: every step is given all of it.
 *
 * An index map that does not look at the indices is *invariant*: every step works on the same block. That is read off the map, not said by its user.
 *
 * A grid has extents that are numbers, or values of the run (a *dynamic* grid).
 *
 * Laws
 * 1. The steps of a grid are its places, row by row.
 * 2. A map is invariant iff none of the indices occurs in what it gives.
 *
 * Names: `plgpu.BlockSpec(block_shape, index_map, memory_space=..., transforms=..., delay_release=...)`.
 *
 * Source: JAX docs, Pallas:MGPU reference; the definition of its pipelines.
 */
import * as E from 'fp-ts/lib/Either.js'
import type { Failure } from '../../failure.js'
import type { Dtype } from '../../numerics/dtype.js'
import { block, fromEither, sharedMemory, type Build, type Tensor } from '../../semantics/writing/builder.js'
import {
  children,
  i32,
  mul,
  name,
  quo,
  rem,
  slot,
  type Condition,
  type Expr,
  type ExprNode,
  type Int,
  type View,
} from '../../semantics/language/expression.js'
import { checked } from '../../semantics/language/index-types.js'
import type { Transform } from '../../transforms/transform.js'
import { refuse } from './codes.js'
import { at, type CopyOptions, type GmemSlice, type OOBFillMode } from './copy.js'
import { batchTransform } from './transforms.js'

// ---------------------------------------------------------------- model

/** The block of a tensor that a step works on. */
export interface BlockSpec<D extends Dtype = Dtype, R extends number = number> {
  readonly tensor: Tensor<D, R>
  /** of one block; an operand in GMEM needs none */
  readonly shape?: ReadonlyArray<number>
  /** the block's place, counted in blocks; an operand in GMEM needs none */
  readonly indexMap?: (...indices: ReadonlyArray<Int>) => ReadonlyArray<Int>
  /** default SMEM; an operand in GMEM is passed through */
  readonly memorySpace?: 'SMEM' | 'GMEM'
  readonly transforms?: ReadonlyArray<Transform>
  /** inputs: how many further bodies return before the block may be overwritten (default 0) */
  readonly delayRelease?: number
  /** axes of the cluster whose blocks all work on this one; of inputs of a warp-specialized pipeline alone */
  readonly collectiveAxes?: ReadonlyArray<string>
  /** what elements of a block outside of the tensor are (default ZEROS) */
  readonly oobFillMode?: OOBFillMode
  /** of the general `BlockSpec`; a pipeline takes none */
  readonly pipelineMode?: string
}

type SpaceOf<S> = S extends { readonly memorySpace: 'GMEM' } ? 'gmem' : 'smem'

/** The argument of a body for an operand. */
export type RefOf<S> = S extends { readonly tensor: Tensor<infer D, infer R> }
  ? View<SpaceOf<S>, D, R>
  : never
export type RefsOf<Specs extends ReadonlyArray<BlockSpec>> = {
  readonly [K in keyof Specs]: RefOf<Specs[K]>
}

/** Steps per axis; the last axis runs fastest. */
export type Grid = ReadonlyArray<number | Int>

/** An operand and its slots. */
export type Operand =
  | {
      readonly _tag: 'smem'
      readonly name: string
      readonly spec: BlockSpec
      readonly shape: ReadonlyArray<number>
      readonly slots: number
      readonly invariant: boolean
      readonly blockAt: (indices: ReadonlyArray<Int>) => ReadonlyArray<Int>
      readonly ref: View<'smem'>
    }
  | { readonly _tag: 'gmem'; readonly name: string; readonly spec: BlockSpec }
export type Buffered = Operand & { readonly _tag: 'smem' }

// ---------------------------------------------------------------- grids

const times = (x: number | Int, y: number | Int): number | Int =>
  typeof x === 'number' && typeof y === 'number' ? x * y : x === 1 ? y : y === 1 ? x : mul(asInt(x), asInt(y))

export const asInt = (x: number | Int): Int => (typeof x === 'number' ? i32(x) : x)

/** The number of steps of a grid. */
export const stepsOf = (grid: Grid): number | Int => grid.reduce(times, 1)

/** The indices of a step. */
export const indicesOf = (grid: Grid, step: Int): ReadonlyArray<Int> =>
  grid.map((n, d) => {
    const below = stepsOf(grid.slice(d + 1))
    const high = below === 1 ? step : quo(step, asInt(below))
    return d === 0 ? high : rem(high, asInt(n))
  })

export const show = (shape: ReadonlyArray<number>): string =>
  `(${shape.join(', ')}${shape.length === 1 ? ',' : ''})`

/** Refuses a grid with an extent that is not a positive integer. */
export const legalGrid = (label: string, grid: Grid): E.Either<Failure, null> =>
  grid.every((n) => typeof n !== 'number' || (Number.isInteger(n) && n > 0))
    ? E.right(null)
    : refuse(
        'pallas.emit_pipeline.grid',
        `${label}: All elements in the grid must be strictly positive, found (${grid.map((n) => (typeof n === 'number' ? String(n) : 'dynamic')).join(', ')})`,
      )

// ---------------------------------------------------------------- index maps

const probe = (d: number): string => `: index ${String(d)}`

const mentions = (e: ExprNode, names: ReadonlySet<string>): boolean =>
  (e._tag === 'name' && names.has(e.name)) || children(e).some((c) => mentions(c, names))

/** Whether the map gives the same block for every step. */
export const isInvariant = (
  rank: number,
  indexMap: (...indices: ReadonlyArray<Int>) => ReadonlyArray<Int>,
): boolean => {
  const names = Array.from({ length: rank }, (_, d) => probe(d))
  return !indexMap(...names.map((n) => name<'i32'>(n))).some((e) => mentions(e, new Set(names)))
}

// ---------------------------------------------------------------- operands

const legalBlock = (
  label: string,
  operand: string,
  spec: BlockSpec,
  gridRank: number,
): E.Either<
  Failure,
  {
    readonly shape: ReadonlyArray<number>
    readonly indexMap: (...indices: ReadonlyArray<Int>) => ReadonlyArray<Int>
  }
> => {
  const { shape, indexMap, tensor } = spec
  const rank = tensor.dims.length
  if (shape === undefined || indexMap === undefined)
    return refuse(
      'pallas.emit_pipeline.block',
      `${label}: ${operand} has no ${shape === undefined ? 'block shape' : 'index map'}: expected one, or memory_space=GMEM`,
    )
  if (shape.length !== rank)
    return refuse(
      'pallas.emit_pipeline.block',
      `${label}: ${operand} has blocks of shape ${show(shape)}, expected ${String(rank)} dimensions as the ref has`,
    )
  const bad = shape.findIndex((n) => !Number.isInteger(n) || n < 1)
  if (bad >= 0)
    return refuse(
      'pallas.emit_pipeline.block',
      `${label}: dimension ${String(bad)} of the blocks of ${operand} is ${String(shape[bad])}, expected a positive integer`,
    )
  const given = indexMap(...Array.from({ length: gridRank }, (_, d) => name<'i32'>(probe(d)))).length
  return given === rank
    ? E.right({ shape, indexMap })
    : refuse(
        'pallas.emit_pipeline.index-map',
        `${label}: the index map of ${operand} gives ${String(given)} indices, expected ${String(rank)}, one for each dimension`,
      )
}

/** Checks the rules for every operand of a pipeline. */
export const legalSpec = (
  label: string,
  operand: string,
  spec: BlockSpec,
  gridRank: number,
): E.Either<Failure, null> => {
  const delay = spec.delayRelease ?? 0
  if (spec.pipelineMode !== undefined)
    return refuse(
      'pallas.emit_pipeline.mode',
      `${label}: ${operand} has pipeline_mode ${spec.pipelineMode}: pipeline_mode is not supported in a pipeline`,
    )
  if (!Number.isInteger(delay) || delay < 0)
    return refuse(
      'pallas.emit_pipeline.delay',
      `${label}: delay_release of ${operand} is ${String(delay)}, expected a natural number of steps`,
    )
  return spec.memorySpace === 'GMEM'
    ? E.right(null)
    : E.map(() => null)(legalBlock(label, operand, spec, gridRank))
}

/** A name for every operand: that of its tensor, with a number if the tensor is an operand twice. */
export const operandNames = (specs: ReadonlyArray<BlockSpec>): ReadonlyArray<string> =>
  specs.map((s, k) => {
    const same = specs.slice(0, k).filter((t) => t.tensor.param.name === s.tensor.param.name).length
    return same === 0 ? s.tensor.param.name : `${s.tensor.param.name}_${String(same)}`
  })

/** The operand with its slots allocated. */
export const allocate = (
  label: string,
  operand: string,
  spec: BlockSpec,
  grid: Grid,
  slotsOf: (invariant: boolean) => number,
): Build<Operand> =>
  block(function* () {
    if (spec.memorySpace === 'GMEM') return { _tag: 'gmem', name: operand, spec } as const
    const { shape, indexMap } = yield* fromEither(legalBlock(label, operand, spec, grid.length))
    const invariant = isInvariant(grid.length, indexMap)
    const slots = slotsOf(invariant)
    const transforms: Transform[] = []
    for (const t of spec.transforms ?? []) transforms.push(yield* fromEither(batchTransform(1)(t)))
    const ref = yield* sharedMemory(`${label}.${operand}`, spec.tensor.dtype, [slots, ...shape], transforms)
    return {
      _tag: 'smem',
      name: operand,
      spec,
      shape,
      slots,
      invariant,
      blockAt: (indices) => indexMap(...indices),
      ref,
    } as const
  })

/** The same buffers for other blocks of the same shape and dtype; null if the shape or the dtype differs. */
export const rebound = (
  label: string,
  o: Operand,
  operand: string,
  spec: BlockSpec,
  grid: Grid,
): E.Either<Failure, Operand | null> => {
  if (o._tag === 'gmem' || spec.memorySpace === 'GMEM')
    return E.right(
      o._tag === 'gmem' && spec.memorySpace === 'GMEM' ? { _tag: 'gmem', name: operand, spec } : null,
    )
  const legal = legalBlock(label, operand, spec, grid.length)
  if (E.isLeft(legal)) return legal
  const { shape, indexMap } = legal.right
  const invariant = isInvariant(grid.length, indexMap)
  const same =
    shape.length === o.shape.length &&
    shape.every((n, d) => n === o.shape[d]) &&
    spec.tensor.dtype === o.spec.tensor.dtype &&
    invariant === o.invariant
  return E.right(
    same
      ? {
          _tag: 'smem',
          name: operand,
          spec,
          shape,
          slots: o.slots,
          invariant,
          blockAt: (indices) => indexMap(...indices),
          ref: o.ref,
        }
      : null,
  )
}

export const isBuffered = (o: Operand): o is Buffered => o._tag === 'smem'

/** The block of a step, in GMEM. */
export const blockOf = (b: Buffered, indices: ReadonlyArray<Int>): GmemSlice<Dtype, number> =>
  at(
    b.spec.tensor,
    b.blockAt(indices).map((index, d) => mul(index, i32(b.shape[d]!))),
    b.shape,
  )

/** The copy of an input. */
export const copyOptions = (s: BlockSpec, when?: Condition): CopyOptions => ({
  when,
  ...(s.oobFillMode === undefined ? {} : { oobMode: s.oobFillMode }),
  ...(s.collectiveAxes === undefined ? {} : { collectiveAxes: s.collectiveAxes }),
})

/** The slot of a step, in SMEM. */
export const slotOf = (b: Buffered, step: Int): View<'smem'> => slot(b.ref, step)

/** The arguments of a body, in the order of the specs; their types follow from the specs. */
export const refsOf = <Refs extends ReadonlyArray<Expr>>(
  operands: ReadonlyArray<Operand>,
  slotIn: (b: Buffered) => Int,
): Refs =>
  checked<Refs, ReadonlyArray<Expr>>(
    operands.map((o): Expr => (o._tag === 'gmem' ? o.spec.tensor.view : slotOf(o, slotIn(o)))),
  )
