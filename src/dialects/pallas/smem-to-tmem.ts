/**
 * Copies from shared to tensor memory: left operands, scales, sparse metadata.
 *
 * A copy is tensor-core work of its thread: a product that the same thread issues behind it needs no wait, and a commit covers both.
 *
 * | copy                                | SMEM                                                   | TMEM                                | instruction             |
 * |-------------------------------------|--------------------------------------------------------|-------------------------------------|-------------------------|
 * | `async_copy_smem_to_tmem`           | (128, k), tiled (8, 8S/bits), swizzled by S, not for S = 16 | the same, packed, default layout    | cp 128x256b or 128x128b |
 * | `async_copy_scales_to_tmem`         | (mn / 128, k / 4, 32, 16), contiguous, mn 128 or 256   | (mn, k), scales                     | cp 32x128b.warpx4       |
 * | of a pair with 64 rows of a each    | (1, k / 4, 64, 16), contiguous                         | (256, k), b scales                  | cp 64x128b.warpx2::01_23 |
 * | `async_copy_sparse_metadata_to_tmem` | (m / 128, words / 4, 128, 4), contiguous, m = 128     | (128, words), sparse metadata       | cp 128x128b             |
 *
 * Scales (mn, k) are prepared for it by reshape(mn / 128, 4, 32, k / 4, 4).transpose(0, 3, 2, 1, 4): row x and factor j lie at byte
 *
 *     512 ((x div 128) (k / 4) + j div 4) + 16 (x mod 32) + 4 ((x mod 128) div 32) + j mod 4
 *
 * Sparse metadata are numbers of 2 bits, two for every group of 4 elements of k that say which 2 of them are stored (of e2m1: every group of 8, and pairs).
 * This library has no dtype of 2 bits: 16 numbers are a word, the first lowest. The copy puts line i of 16 bytes into lane i, whatever the elements.
 * `format_tcgen05_sparse_metadata` makes the lines of (m, groups, 2), so that the tensor core finds in them what it looks for: of elements of 16 bits
 * a line has halves of two rows (`layouts/tensor-memory/sparsity.ts`).
 *
 * Laws
 * 1. After the copy the tensor-memory ref holds, element for element, the array that was prepared.
 * 2. `formatTcgen05SparseMetadata` is a bijection of the numbers, and gives what JAX's function gives.
 *
 * Names: `plgpu.async_copy_smem_to_tmem`, `plgpu.async_copy_scales_to_tmem`, `plgpu.async_copy_sparse_metadata_to_tmem`,
 * `plgpu.format_tcgen05_sparse_metadata`.
 *
 * Source: JAX docs, Pallas:MGPU reference; PTX ISA, tcgen05.cp, layouts of scale factors and of sparsity metadata.
 */
import * as E from 'fp-ts/lib/Either.js'
import type { Failure } from '../../failure.js'
import type { CopyShape } from '../../layouts/tensor-memory/copy-shape.js'
import { tmemColumnBits } from '../../layouts/tensor-memory/geometry.js'
import { placeInTensorMemory } from '../../layouts/tensor-memory/sparsity.js'
import { vectorLength } from '../../layouts/tensor-memory/tensor-memory-layout.js'
import { bitsOf, type Dtype } from '../../numerics/dtype.js'
import { block, run, typeHere, type Build } from '../../semantics/writing/builder.js'
import { reinterpret, type Condition, type View } from '../../semantics/language/expression.js'
import type { ViewType } from '../../semantics/language/types.js'
import { ofChains, type Chains } from '../../transforms/ref.js'
import { rowMajorStrides, sameShape, showShape } from '../../transforms/shape.js'
import { swizzleElements } from '../../transforms/swizzle.js'
import { refuse, refused, type Code } from './codes.js'
import { holdsMetadata, tensorMemoryLayoutOf } from './memory.js'
import { belongsTo, groupOf } from './pair.js'
import { scaleDtype } from '../read-as.js'

export interface TensorCopyOptions {
  /** both blocks of a pair copy, each from its own shared memory to its own tensor memory */
  readonly collectiveAxis?: string
  readonly when?: Condition
}

// ---------------------------------------------------------------- preconditions

const isContiguous = ({ layout }: ViewType): boolean =>
  layout.swizzle === 16 &&
  layout.tiling.length === 0 &&
  rowMajorStrides(layout.shape).every((s, d) => layout.shape[d] === 1 || layout.strides[d] === s)

/** Tiles of 8 lines of S bytes, a line behind the other; S is 16 where nothing is swizzled. */
const hasTilesOfLines = ({ layout: { tiling, strides, swizzle } }: ViewType, bits: number): boolean => {
  const line = swizzleElements(swizzle, bits)
  return tiling.length === 1 && sameShape(tiling[0]!, [8, line]) && strides[2] === line && strides[3] === 1
}

const typesOf = (
  label: string,
  source: View<'smem'>,
  destination: View<'tmem', Dtype, 2>,
): Build<readonly [from: ViewType, to: ViewType]> =>
  block(function* () {
    const from = yield* typeHere(source)
    const to = yield* typeHere(destination)
    if (from._tag !== 'view' || to._tag !== 'view')
      return yield* refused('pallas.tmem.copy', `${label}: expected an SMEM ref and a TMEM ref`)
    if (from.dtype !== to.dtype)
      return yield* refused(
        'pallas.tmem.copy',
        `${label}: the SMEM ref is ${from.dtype} and the TMEM ref ${to.dtype}: expected the same dtype`,
      )
    return [from, to]
  })

const copy = (
  label: string,
  source: View<'smem', Dtype, 2>,
  destination: View<'tmem', Dtype, 2>,
  shape: CopyShape,
  { collectiveAxis, when }: TensorCopyOptions,
): Build<void> =>
  block(function* () {
    const group = yield* groupOf(label, collectiveAxis, when)
    yield* belongsTo(label, 'the TMEM ref', destination, group)
    yield* run(
      label,
      { _tag: 'tcgen05.cp', source, destination, shape, ctaGroup: group.ctaGroup },
      group.when === null ? {} : { when: group.when },
    )
  })

/** A contiguous ref seen as a matrix. Strides are in elements. */
const seenAs = (source: View<'smem'>, type: ViewType, chains: Chains): View<'smem', Dtype, 2> =>
  reinterpret<Dtype, 2, 'smem'>(
    source,
    type.dtype,
    ofChains(chains, bitsOf(type.dtype), type.layout.byteOffset, 16),
  )

// ---------------------------------------------------------------- data

/** `async_copy_smem_to_tmem(smem_ref, tmem_ref)`. */
export const asyncCopySmemToTmem = (
  label: string,
  source: View<'smem', Dtype, 2>,
  destination: View<'tmem', Dtype, 2>,
  options: TensorCopyOptions = {},
): Build<void> =>
  block(function* () {
    const [from, to] = yield* typesOf(label, source, destination)
    const no = (what: string): Build<never> => refused('pallas.tmem.copy', `${label}: ${what}`)
    const bits = bitsOf(from.dtype)
    if (!sameShape(from.layout.shape, to.layout.shape))
      return yield* no(
        `expected shapes to match, found an SMEM ref of ${showShape(from.layout.shape)} and a TMEM ref of ${showShape(to.layout.shape)}`,
      )
    const [rows = 0, columns = 0] = from.layout.shape
    const layout = tensorMemoryLayoutOf(to.layout)
    if (rows !== 128 || layout?.kind !== 'default' || vectorLength(layout) * bits !== tmemColumnBits)
      return yield* no(
        `the TMEM ref ${showShape(to.layout.shape)}: expected 128 rows of ${from.dtype}, packed, in the default layout`,
      )
    if (!hasTilesOfLines(from, bits))
      return yield* no(
        `the SMEM ref: expected tiling (8, 8S/${String(bits)}) and swizzle S of 32, 64 or 128, or S = 16 and no swizzle, not transposed`,
      )
    const isWide = from.layout.swizzle !== 16 && (columns * bits) % 256 === 0
    yield* copy(label, source, destination, isWide ? '128x256b' : '128x128b', options)
  })

// ---------------------------------------------------------------- scales

/** `async_copy_scales_to_tmem(smem_ref, tmem_ref)`. */
export const asyncCopyScalesToTmem = (
  label: string,
  source: View<'smem', Dtype, 4>,
  destination: View<'tmem', Dtype, 2>,
  options: TensorCopyOptions = {},
): Build<void> =>
  block(function* () {
    const [from, to] = yield* typesOf(label, source, destination)
    const no = (what: string): Build<never> => refused('pallas.tmem.scales', `${label}: ${what}`)
    const [rows = 0, columns = 0] = to.layout.shape
    if (from.dtype !== 'e8m0' && scaleDtype(from.dtype) !== 'ue4m3')
      return yield* no(`scales are e8m0, ue4m3 or e4m3, found ${from.dtype}`)
    if (rows % 128 !== 0 || rows > 256 || columns % 4 !== 0)
      return yield* no(
        `the TMEM ref ${showShape(to.layout.shape)}: expected 128 or 256 rows, and a multiple of 4 columns`,
      )
    const kind = tensorMemoryLayoutOf(to.layout)?.kind
    if (kind !== 'scales' && kind !== 'b-scales-m64-collective')
      return yield* no('the TMEM ref: expected the layout of scales')
    const halves = kind === 'b-scales-m64-collective'
    const shape = halves ? [1, columns / 4, 64, 16] : [rows / 128, columns / 4, 32, 16]
    if (!sameShape(from.layout.shape, shape) || !isContiguous(from))
      return yield* no(
        `the SMEM ref ${showShape(from.layout.shape)}: expected ${showShape(shape)}, contiguous, for scales ${showShape(to.layout.shape)}`,
      )
    const line = 16
    const atom = line * (halves ? 64 : 32)
    const words = [
      { size: 4, stride: 4 },
      { size: 32, stride: line },
    ]
    const chains: Chains = [
      [{ size: rows / 128, stride: halves ? 32 * line : (atom * columns) / 4 }, ...words],
      [
        { size: columns / 4, stride: atom },
        { size: 4, stride: 1 },
      ],
    ]
    yield* copy(
      label,
      seenAs(
        source,
        from,
        chains.map((c) => c.filter(({ size }) => size > 1)),
      ),
      destination,
      halves ? '64x128b.warpx2::01_23' : '32x128b.warpx4',
      options,
    )
  })

// ---------------------------------------------------------------- sparse metadata

const wordsInLine = 4
const numbersInWord = 16

/** `async_copy_sparse_metadata_to_tmem(smem_ref, tmem_ref)`. */
export const asyncCopySparseMetadataToTmem = (
  label: string,
  source: View<'smem', 'u32', 4>,
  destination: View<'tmem', 'u32', 2>,
  options: TensorCopyOptions = {},
): Build<void> =>
  block(function* () {
    const [from, to] = yield* typesOf(label, source, destination)
    const no = (what: string): Build<never> => refused('pallas.tmem.metadata', `${label}: ${what}`)
    const [rows = 0, words = 0] = to.layout.shape
    if (rows !== 128 || words % wordsInLine !== 0 || !holdsMetadata(to.layout))
      return yield* no(
        `the TMEM ref ${showShape(to.layout.shape)}: expected (128, words) in the layout of sparse metadata, a multiple of ${String(wordsInLine)} words`,
      )
    const shape = [1, words / wordsInLine, 128, wordsInLine]
    if (!sameShape(from.layout.shape, shape) || !isContiguous(from))
      return yield* no(
        `the SMEM ref ${showShape(from.layout.shape)}: expected ${showShape(shape)}, contiguous, for metadata ${showShape(to.layout.shape)}`,
      )
    const chains: Chains = [
      [{ size: 128, stride: wordsInLine }],
      [
        { size: words / wordsInLine, stride: 128 * wordsInLine },
        { size: wordsInLine, stride: 1 },
      ],
    ]
    yield* copy(
      label,
      seenAs(
        source,
        from,
        chains.map((c) => c.filter(({ size }) => size > 1)),
      ),
      destination,
      '128x128b',
      options,
    )
  })

/**
 * `format_tcgen05_sparse_metadata(meta, operand_dtype)`: numbers of 2 bits (m, groups, 2), row-major, as the words (m / 128, words / 4, 128, 4) that
 * `async_copy_sparse_metadata_to_tmem` copies, for operands of a dtype.
 */
export const formatTcgen05SparseMetadata = (
  numbers: ReadonlyArray<number>,
  shape: readonly [m: number, groups: number, two: number],
  operand: Dtype,
): E.Either<Failure<Code>, ReadonlyArray<number>> => {
  const [m, groups, two] = shape
  const no = (what: string): E.Either<Failure<Code>, never> =>
    refuse('pallas.sparse.metadata', `format_tcgen05_sparse_metadata: ${what}`)
  if (two !== 2 || m % 128 !== 0 || m < 128 || groups % 32 !== 0 || groups < 32)
    return no(
      `the metadata ${showShape(shape)}: expected (m, groups, 2), m a multiple of 128 and groups of 32`,
    )
  if (numbers.length !== m * groups * 2)
    return no(`${String(numbers.length)} numbers for metadata ${showShape(shape)}`)
  const bad = numbers.find((x) => !Number.isInteger(x) || x < 0 || x > 3)
  if (bad !== undefined) return no(`expected numbers of 2 bits, found ${String(bad)}`)
  const words = (groups * 2) / numbersInWord
  const out = new Array<number>(m * words).fill(0)
  numbers.forEach((x, at) => {
    const [row, entry] = [Math.floor(at / (groups * 2)), at % (groups * 2)]
    const { lane, column, bit } = placeInTensorMemory(operand, row % 128, Math.floor(entry / 2))
    const line =
      (Math.floor(row / 128) * (words / wordsInLine) + Math.floor(column / wordsInLine)) * 128 + lane
    const place = line * wordsInLine + (column % wordsInLine)
    out[place] = out[place]! + x * 2 ** (bit + 2 * (entry % 2))
  })
  return E.right(out)
}
