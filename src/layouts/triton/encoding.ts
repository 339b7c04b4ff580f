/**
 * Encodings: what a compiler writes instead of a layout.
 *
 * An encoding says with a few numbers how tensors of *every* shape are laid out: how a tile is dealt to registers, lanes and
 * warps, how rows of a buffer are swizzled, in which cells of tensor memory a block lies. Together with one shape it is a linear
 * layout (`toLinear`); this module says which encodings there are, and which are legal.
 *
 *     distributed      blocked, slice, nvidia_mma, dot_operand, linear      (register, lane, warp, block) -> index
 *     shared memory    swizzled_shared, nvmma_shared, shared_linear         (offset, block) -> index
 *     tensor memory    tensor_memory, tensor_memory_scales                  (row, col, block) -> index
 *
 *     blocked {sizePerThread [1, 8], threadsPerWarp [8, 4], warpsPerCTA [4, 1], order [1, 0]}
 *       on (64, 32):  register [0,1] [0,2] [0,4] [32,0]   lane [0,8] [0,16] [1,0] [2,0] [4,0]   warp [8,0] [16,0]
 *
 * `cgaBases` deals the tensor to the blocks of a cluster: one row for each bit of the block's number, counted in tiles of a
 * block. A zero row: the two blocks hold the same. None: one block.
 *
 * Names: Triton `#ttg.blocked`, `#ttg.slice`, `#ttg.nvidia_mma`, `#ttg.dot_op`, `#ttg.linear`, `#ttg.swizzled_shared`,
 * `#ttg.nvmma_shared`, `#ttg.shared_linear`, `#ttng.tensor_memory_encoding`, `#ttng.tensor_memory_scales_encoding`; Gluon calls
 * them layouts (`BlockedLayout`, `NVMMASharedLayout`, ...).
 *
 * Laws
 * 1. `encoding` accepts exactly the specs that keep the rules stated with the fields, and returns them unchanged.
 *
 * Source: Triton, the attribute definitions of its TritonGPU and TritonNvidiaGPU dialects.
 */
import * as E from 'fp-ts/lib/Either.js'
import type { Failure } from '../../failure.js'
import { failure, unreachable } from '../../failure.js'
import type { Index, Shape } from '../../transforms/shape.js'
import { showShape } from '../../transforms/shape.js'
import { isPermutation } from '../../transforms/transpose.js'
import type { LinearLayout } from '../linear/linear-layout.js'
import { isPowerOfTwo } from '../linear/linear-layout.js'

// ---------------------------------------------------------------------------------------------- model

interface Blocks {
  /** One row for each bit of the block's number, in tiles of a block; absent: one block. */
  readonly cgaBases?: ReadonlyArray<Index>
}

export interface Blocked extends Blocks {
  readonly _tag: 'blocked'
  /** All counts are powers of two. */
  readonly sizePerThread: Shape
  readonly threadsPerWarp: Shape
  readonly warpsPerCTA: Shape
  /** A permutation of the dimensions, the fastest first. */
  readonly order: ReadonlyArray<number>
}

/** The layout of the parent, without one of its dimensions. */
export interface Slice {
  readonly _tag: 'slice'
  /** A dimension of the parent, which has at least two. */
  readonly dim: number
  readonly parent: DistributedSpec
}

/** The accumulators of `mma.sync` (version 2) or `wgmma` (version 3). */
export interface NvidiaMma extends Blocks {
  readonly _tag: 'nvidia_mma'
  readonly versionMajor: 2 | 3
  readonly versionMinor?: number
  /** Version 2: rows and columns of the instruction, after a 1 for a batch. Version 3: rows of a warp, columns, depth. */
  readonly instrShape: Shape
  /** Rank 2, or rank 3 with a batch in version 2. */
  readonly warpsPerCTA: Shape
}

/** Operand 0 (M x K) or 1 (K x N) in registers. */
export interface DotOperand {
  readonly _tag: 'dot_operand'
  /** Version 3 takes only operand 0 from registers. */
  readonly opIdx: 0 | 1
  /** Neighbours along K in a lane. With a blocked parent it is absent or 0, because the compiler does not
   * read it. */
  readonly kWidth?: number
  readonly parent: NvidiaMma | Blocked
}

/** A linear layout written out, for one shape. Other shapes repeat or cut it. */
export interface Linear {
  readonly _tag: 'linear'
  readonly layout: LinearLayout
}

export interface SwizzledShared extends Blocks {
  readonly _tag: 'swizzled_shared'
  /** Number of elements that stay together. */
  readonly vec: number
  /** Number of rows with the same swizzle. */
  readonly perPhase: number
  /** Number of phases before the pattern repeats. */
  readonly maxPhase: number
  /** A permutation of the dimensions, the fastest first. */
  readonly order: ReadonlyArray<number>
}

export interface NvmmaShared extends Blocks {
  readonly _tag: 'nvmma_shared'
  /** 0, 32, 64 or 128. */
  readonly swizzlingByteWidth: number
  /** The first dimension is contiguous, not the last. */
  readonly transposed: boolean
  /** 8, 16, 32 or 64. */
  readonly elementBitWidth: number
  /** Each byte holds two 4-bit numbers, with a gap of 8 bytes after every 8; only with a swizzle of 128 bytes
   * and elements of 8 bits. */
  readonly fp4Padded: boolean
}

export interface SharedLinear {
  readonly _tag: 'shared_linear'
  readonly offsetBases: ReadonlyArray<Index>
  readonly blockBases?: ReadonlyArray<Index>
  /** Bytes. */
  readonly alignment?: number
}

export interface TensorMemory extends Blocks {
  readonly _tag: 'tensor_memory'
  /** 64 or 128. */
  readonly blockM: number
  /** At most 512. */
  readonly blockN: number
  /** 1, 2 or 4: columns of the element's width from one element to the next. */
  readonly colStride: number
  /** A pair of blocks works on one product; if blocks split the tensor, the pair splits the rows: the first row of `cgaBases` is [1, 0]. */
  readonly twoCTAs: boolean
  /** Every second column is a gap; column stride 1. */
  readonly fp4Padded: boolean
}

export interface TensorMemoryScales extends Blocks {
  readonly _tag: 'tensor_memory_scales'
  /** Which dimension repeats first; absent: mnThenK. */
  readonly blockRepOrder?: 'mnThenK' | 'kThenMn'
}

/** Encodings of tensors in registers. */
export type DistributedSpec = Blocked | Slice | NvidiaMma | DotOperand | Linear
/** Encodings of buffers in shared memory. */
export type SharedSpec = SwizzledShared | NvmmaShared | SharedLinear
/** Encodings of buffers in tensor memory. */
export type TensorMemorySpec = TensorMemory | TensorMemoryScales
/** An encoding that is not checked yet. */
export type EncodingSpec = DistributedSpec | SharedSpec | TensorMemorySpec

declare const legalEncoding: unique symbol

/** Only `encoding` and `isEncoding` make one. Plain data at run time. */
export type Encoding<Spec extends EncodingSpec = EncodingSpec> = Spec & { readonly [legalEncoding]: true }

export type EncodingError =
  /** Lists that should be of one length are not, or a rank that the encoding does not have. */
  | 'triton.rank'
  | 'triton.power-of-two'
  | 'triton.order'
  /** A number that is not one of the legal ones. */
  | 'triton.choice'
  /** A parent of which there is no such child. */
  | 'triton.parent'

// ----------------------------------------------------------------------------------------------- rules

type Fault = Failure<EncodingError> | null

const firstOf = (rules: Iterable<() => Fault>): Fault => {
  for (const rule of rules) {
    const fault = rule()
    if (fault !== null) return fault
  }
  return null
}

const ranked =
  (what: string, list: ReadonlyArray<unknown>, rank: number): (() => Fault) =>
  () =>
    list.length === rank
      ? null
      : failure(
          'triton.rank',
          `${what} must have ${String(rank)} entries, one per dimension, found ${String(list.length)}`,
        )

const powers =
  (what: string, counts: Shape): (() => Fault) =>
  () => {
    const d = counts.findIndex((count) => !isPowerOfTwo(count))
    return d < 0
      ? null
      : failure(
          'triton.power-of-two',
          `${what} must be powers of two, found ${String(counts[d])} in dimension ${String(d)} of ${showShape(counts)}`,
        )
  }

const among =
  <A>(what: string, value: A, legal: ReadonlyArray<A>): (() => Fault) =>
  () =>
    legal.includes(value)
      ? null
      : failure('triton.choice', `${what} must be ${legal.join(', ')}, found ${String(value)}`)

const permutes =
  (order: ReadonlyArray<number>): (() => Fault) =>
  () =>
    order.length > 0 && isPermutation(order)
      ? null
      : failure('triton.order', `order must list every dimension once, found ${showShape(order)}`)

const blocksRanked = (cgaBases: ReadonlyArray<Index> | undefined, rank: number): ReadonlyArray<() => Fault> =>
  (cgaBases ?? []).map((basis, bit) => ranked(`cgaBases row ${String(bit)}`, basis, rank))

const mmaFault = ({ versionMajor, instrShape, warpsPerCTA, cgaBases }: NvidiaMma): Fault => {
  const rank = warpsPerCTA.length
  const [rows, columns] = versionMajor === 2 ? instrShape.slice(-2) : instrShape
  return firstOf([
    among('nvidia_mma versionMajor', versionMajor, [2, 3]),
    among(
      `The rank of an nvidia_mma of version ${String(versionMajor)}`,
      rank,
      versionMajor === 2 ? [2, 3] : [2],
    ),
    ranked('instrShape', instrShape, versionMajor === 2 ? rank : 3),
    powers('instrShape', instrShape),
    powers('warpsPerCTA', warpsPerCTA),
    among('instrShape rows', rows, [16]),
    among('instrShape columns', columns, versionMajor === 2 ? [8] : [8, 16, 32, 64, 128, 256]),
    among('instrShape batch', instrShape.length > 2 && versionMajor === 2 ? instrShape[0] : 1, [1]),
    ...blocksRanked(cgaBases, rank),
  ])
}

const blockedFault = (spec: Blocked): Fault => {
  const rank = spec.order.length
  return firstOf([
    permutes(spec.order),
    ...(['sizePerThread', 'threadsPerWarp', 'warpsPerCTA'] as const).flatMap((what) => [
      ranked(what, spec[what], rank),
      powers(what, spec[what]),
    ]),
    ...blocksRanked(spec.cgaBases, rank),
  ])
}

const kWidthFault = ({ kWidth, parent }: DotOperand): Fault => {
  const none = kWidth === undefined || kWidth === 0
  if (parent._tag === 'blocked')
    return none
      ? null
      : failure(
          'triton.choice',
          `A blocked parent has no kWidth: expected none or 0, found ${String(kWidth)}`,
        )
  return none
    ? failure(
        'triton.choice',
        `Under an nvidia_mma parent kWidth must be given, found ${kWidth === undefined ? 'none' : '0'}`,
      )
    : powers('kWidth', [kWidth])()
}

const dotFault = (spec: DotOperand): Fault => {
  const { opIdx, parent } = spec
  return firstOf([
    () => faultOf(parent),
    among('dot_operand opIdx', opIdx, [0, 1]),
    () =>
      parent._tag === 'blocked' && parent.order.length < 2
        ? failure('triton.parent', 'A dot operand needs a parent of rank 2 or more, found rank 1')
        : null,
    () =>
      parent._tag === 'nvidia_mma' && parent.versionMajor === 3 && opIdx === 1
        ? failure('triton.parent', 'Version 3 takes operand 1 from shared memory, not from registers')
        : null,
    () => kWidthFault(spec),
  ])
}

/** The dimensions of the tensors; null for any number. */
export const rankOf = (spec: EncodingSpec): number | null => {
  switch (spec._tag) {
    case 'blocked':
    case 'swizzled_shared':
      return spec.order.length
    case 'slice':
      return (rankOf(spec.parent) ?? 0) - 1
    case 'nvidia_mma':
      return spec.warpsPerCTA.length
    case 'dot_operand':
      return rankOf(spec.parent)
    case 'linear':
      return spec.layout.outputs.length
    case 'nvmma_shared':
      return null
    case 'shared_linear':
      return spec.offsetBases[0]?.length ?? 0
    case 'tensor_memory':
    case 'tensor_memory_scales':
      return 2
    default:
      return unreachable(spec)
  }
}

const faultOf = (spec: EncodingSpec): Fault => {
  switch (spec._tag) {
    case 'blocked':
      return blockedFault(spec)
    case 'slice': {
      const rank = rankOf(spec.parent) ?? 0
      return firstOf([
        () => faultOf(spec.parent),
        () =>
          rank > 1
            ? null
            : failure(
                'triton.parent',
                `A slice needs a parent of rank 2 or more, found rank ${String(rank)}`,
              ),
        among(
          'slice dim',
          spec.dim,
          Array.from({ length: rank }, (_, d) => d),
        ),
      ])
    }
    case 'nvidia_mma':
      return mmaFault(spec)
    case 'dot_operand':
      return dotFault(spec)
    case 'linear':
      return null
    case 'swizzled_shared':
      return firstOf([
        permutes(spec.order),
        powers('vec, perPhase and maxPhase', [spec.vec, spec.perPhase, spec.maxPhase]),
        ...blocksRanked(spec.cgaBases, spec.order.length),
      ])
    case 'nvmma_shared':
      return firstOf([
        among('swizzlingByteWidth', spec.swizzlingByteWidth, [0, 32, 64, 128]),
        among('elementBitWidth', spec.elementBitWidth, [8, 16, 32, 64]),
        ...(spec.fp4Padded
          ? [
              among('swizzlingByteWidth, fp4Padded,', spec.swizzlingByteWidth, [128]),
              among('elementBitWidth, fp4Padded,', spec.elementBitWidth, [8]),
            ]
          : []),
      ])
    case 'shared_linear': {
      const rank = rankOf(spec) ?? 0
      return firstOf([
        () => (rank > 0 ? null : failure('triton.rank', 'offsetBases must have a row, found none')),
        ...[...spec.offsetBases, ...(spec.blockBases ?? [])].map((basis) => ranked('A basis', basis, rank)),
        powers('alignment', [spec.alignment ?? 1]),
      ])
    }
    case 'tensor_memory':
      return firstOf([
        among('blockM', spec.blockM, [64, 128]),
        among('blockN', spec.blockN, [1, 2, 4, 8, 16, 32, 64, 128, 256, 512]),
        among('colStride', spec.colStride, spec.fp4Padded ? [1] : [1, 2, 4]),
        ...blocksRanked(spec.cgaBases, 2),
        () =>
          spec.twoCTAs && spec.cgaBases?.[0] !== undefined && showShape(spec.cgaBases[0]) !== '(1, 0)'
            ? failure(
                'triton.choice',
                `The first row of cgaBases must be (1, 0) for a pair of blocks, found ${showShape(spec.cgaBases[0])}`,
              )
            : null,
      ])
    case 'tensor_memory_scales':
      return firstOf(blocksRanked(spec.cgaBases, 2))
    default:
      return unreachable(spec)
  }
}

// ---------------------------------------------------------------------------------------- constructors

export const isEncoding = <Spec extends EncodingSpec>(spec: Spec): spec is Encoding<Spec> =>
  faultOf(spec) === null

/** A legal encoding. Refuses an encoding that breaks a rule of its fields. */
export const encoding = <Spec extends EncodingSpec>(
  spec: Spec,
): E.Either<Failure<EncodingError>, Encoding<Spec>> => {
  if (isEncoding(spec)) return E.right(spec)
  return E.left(faultOf(spec) ?? unreachable('an illegal encoding breaks a rule'))
}
