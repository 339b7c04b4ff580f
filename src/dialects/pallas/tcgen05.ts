/**
 * Pallas on Blackwell's tensor core: `tcgen05_mma`, dense, scaled and sparse, of one block or of a pair, and commits.
 *
 * An accumulator is tensor memory. `tcgen05_mma` returns at once; the barrier that it names, if it names one, is arrived at when it, and whatever
 * tensor-core work its thread issued before, is done.
 *
 *     tcgen05_mma(acc, a, b, barrier, accumulate)    tcgen05.mma with one completion
 *     tcgen05_mma(acc, a, b, accumulate)             tcgen05.mma
 *     tcgen05_commit_arrive(barrier)                 tcgen05.commit
 *
 * acc (m, n) = (accumulate ? acc : 0) + a (m, k) @ b (k, n), each block's own part:
 *
 * | of one block                                        | of a pair: `collective_axis`, issued by the leader alone (`pair.ts`)     |
 * |-----------------------------------------------------|---------------------------------------------------------------------------|
 * | acc (m, n), a (m, k), b (k, n)                      | acc (m, 2n), a (m, k), b (k, n): each has its rows of a and columns of b  |
 * | m 64 or 128; n at most 256, or 512; by 8, of integers by 16 | m 64 or 128; 2n at most 256, by 16, of integers by 32             |
 *
 * | rule             | asked for                                                                                                |
 * |------------------|----------------------------------------------------------------------------------------------------------|
 * | dtypes           | f16 into f16 or f32; bf16, f32 (as tf32) into f32; e4m3 and e5m2, mixed, into f16 or f32; i8 into i32, and u8 as i8; e2m1 only scaled |
 * | a, b in SMEM     | tiled (8, 8S/bits) and swizzled by the same S, or so and transposed; e2m1 runs along k                   |
 * | k                | whole spans of b's swizzle; of a sparse product twice as many of a's                                     |
 * | a in TMEM        | m = 128, packed, under the layout that TMEM infers                                                       |
 * | acc              | unpacked, under the layout that TMEM infers                                                              |
 * | scales           | of both; e8m0 for 32 elements of fp8; e8m0 for 16 or 32, or ue4m3 (or e4m3, read without its sign) for 16, of e2m1; into f32; m = 128 of one block |
 * |                  | a_scale (128, k / block); b_scale (n in whole blocks of 128 rows, k / block)                             |
 * | sparse           | a holds half of k (of a scale's block: stored elements); metadata (m, k / 32) words, (m, k / 64) of e2m1; m = 128; n by 16; no f32 |
 *
 * 64 rows of one block lie in half of the lanes of each quarter, the first half of the columns below, the second above: that is two instructions,
 * each with its half of b, so a tile of b must not reach over the middle.
 *
 * A scale array covers whole blocks of 128 rows; what the product takes of it is seen as its first n rows. (n that is neither a multiple of 32
 * nor below it has no such view here: refused.)
 *
 * Laws
 * 1. What is accepted here is accepted by the validation of the core.
 * 2. A product of a pair is, in block v, rows v of the product of the stacked a by the joined b.
 * 3. The non-leader block issues nothing.
 *
 * Sums of i8 wrap. Limits of the machine: e2m3 and e3m2 are no operands; `.ws` is no instruction.
 *
 * Names: `plgpu.tcgen05_mma(acc, a, b, barrier, a_scale=, b_scale=, a_sparse_metadata=, accumulate=, collective_axis=)`,
 * `plgpu.tcgen05_commit_arrive(barrier, collective_axis=)`.
 *
 * Source: JAX docs, Pallas:MGPU reference and the Blackwell matmul tutorial; PTX ISA, tcgen05.mma: shapes, types, block scaling, sparsity.
 */
import * as E from 'fp-ts/lib/Either.js'
import { tmemColumnBits, tmemLaneBytes } from '../../layouts/tensor-memory/geometry.js'
import { kOfWord } from '../../layouts/tensor-memory/sparsity.js'
import {
  showTensorMemoryLayout,
  vectorLength,
  type TensorMemoryLayout,
} from '../../layouts/tensor-memory/tensor-memory-layout.js'
import { bitsOf, isInt, type Dtype } from '../../numerics/dtype.js'
import { block, run, typeHere, type Build, type DoOptions } from '../../semantics/writing/builder.js'
import {
  i1,
  i32,
  reinterpret,
  slice,
  type Barrier as BarrierExpr,
  type Condition,
  type Expr,
  type View,
} from '../../semantics/language/expression.js'
import { checked } from '../../semantics/language/index-types.js'
import type { AccumulatorDtype, Completion, InstructionOf } from '../../semantics/language/instruction.js'
import type { ViewType } from '../../semantics/language/types.js'
import { mmaOperand, type MmaOperand } from '../../transforms/mma-operand.js'
import { ofChains, type Mode } from '../../transforms/ref.js'
import { sameShape, showShape } from '../../transforms/shape.js'
import { swizzleElements } from '../../transforms/swizzle.js'
import { barrierSlot, type Barrier, type BarrierIndex } from './barrier.js'
import { refused, type Code } from './codes.js'
import { holdsMetadata, tensorMemoryLayoutOf } from './memory.js'
import { belongsTo, groupOf, pairMask, type Group } from './pair.js'
import { asSignedOperand, asScales, scaleDtype } from '../read-as.js'

// ---------------------------------------------------------------- model

export interface Tcgen05Options {
  /** the axis of the cluster along which two blocks act as one */
  readonly collectiveAxis?: string
  readonly aScale?: View<'tmem', Dtype, 2>
  readonly bScale?: View<'tmem', Dtype, 2>
  /** words of 32 bits, each 16 numbers of 2 bits */
  readonly aSparseMetadata?: View<'tmem', 'u32', 2>
  /** predicated off, it does nothing */
  readonly when?: Condition
}

/** The refs of a product, as they lie. */
interface Types {
  readonly acc: ViewType
  readonly a: ViewType
  readonly b: ViewType
  readonly aScale: ViewType | null
  readonly bScale: ViewType | null
  readonly metadata: ViewType | null
}

type Why = readonly [Code, string] | null

// ---------------------------------------------------------------- preconditions: shapes and dtypes

const products: ReadonlyArray<{
  readonly operands: ReadonlyArray<Dtype>
  readonly into: ReadonlyArray<Dtype>
}> = [
  { operands: ['f16'], into: ['f16', 'f32'] },
  { operands: ['bf16'], into: ['f32'] },
  { operands: ['f32'], into: ['f32'] },
  { operands: ['e4m3', 'e5m2'], into: ['f16', 'f32'] },
  { operands: ['i8', 'u8'], into: ['i32'] },
  { operands: ['e2m1'], into: ['f32'] },
]

const shapeOf = (t: ViewType): ReadonlyArray<number> => t.layout.shape

const shapes = ({ acc, a, b, metadata }: Types, pair: boolean): Why => {
  const [m = 0, n = 0] = shapeOf(acc)
  const [k = 0] = shapeOf(b)
  const stored = metadata === null ? k : k / 2
  const all = `a ${showShape(shapeOf(a))}, b ${showShape(shapeOf(b))} and an accumulator ${showShape(shapeOf(acc))}`
  const no = (what: string): Why => ['pallas.tcgen05.shape', `${what}, found ${all}`]
  if (!sameShape(shapeOf(a), [m, stored]) || !sameShape(shapeOf(b), [k, pair ? n / 2 : n]))
    return no(
      `expected a (m, k${metadata === null ? '' : ' / 2'}), b (k, n) and an accumulator (m, ${pair ? '2n) in each block of the pair' : 'n)'}`,
    )
  if (m !== 64 && m !== 128) return no(`dimension 0 of a, m, is ${String(m)}: expected 64 or 128`)
  const step = (pair ? 16 : 8) * (isInt(acc.dtype) || (metadata !== null && !pair) ? 2 : 1)
  const most = pair ? 256 : 512
  if (n % step !== 0 || n > most || (n > 256 && n !== 512))
    return no(
      `dimension 1 of the accumulator, ${pair ? '2n' : 'n'}, is ${String(n)}: expected a multiple of ${String(step)} up to 256${pair ? '' : ', or 512'}`,
    )
  return null
}

const dtypes = ({ acc, a, b, aScale, metadata }: Types): Why => {
  const row = products.find(({ operands }) => operands.includes(a.dtype) && operands.includes(b.dtype))
  const no = (what: string): Why => ['pallas.tcgen05.dtype', what]
  if (row === undefined)
    return no(
      `a is ${a.dtype} and b is ${b.dtype}: expected both f16, bf16, f32 or e2m1, or each e4m3 or e5m2, or each i8 or u8`,
    )
  if (!row.into.includes(acc.dtype))
    return no(
      `the accumulator is ${acc.dtype}: products of ${a.dtype} and ${b.dtype} accumulate in ${row.into.join(' or ')}`,
    )
  if (a.dtype === 'e2m1' && aScale === null) return no('operands of e2m1 are multiplied with scales only')
  if (metadata !== null && bitsOf(a.dtype) === 32)
    return no(`a sparse operand a cannot have elements of ${a.dtype}`)
  return null
}

// ---------------------------------------------------------------- preconditions: where the operands lie

const operandOf = (side: 'a' | 'b', type: ViewType): MmaOperand | readonly [Code, string] => {
  const found = mmaOperand(side)(type.layout)
  return E.isRight(found) ? found.right : ['pallas.tcgen05.transforms', `${side}: ${found.left.message}`]
}
const isWhy = (x: MmaOperand | readonly [Code, string]): x is readonly [Code, string] => Array.isArray(x)

const inferred = (
  type: ViewType,
  layout: TensorMemoryLayout | null,
  kind: TensorMemoryLayout['kind'],
  packing: number,
): boolean =>
  layout !== null &&
  layout.kind === kind &&
  vectorLength(layout) === packing &&
  (kind === 'default' || type.layout.shape[1] === layout.tiled.tiling[0]![1])

const shown = (layout: TensorMemoryLayout | null): string =>
  layout === null ? 'none of the layouts of tensor memory' : showTensorMemoryLayout(layout)

const operands = (t: Types, pair: boolean): Why => {
  const { acc, a, b, metadata } = t
  const [m = 0, n = 0] = shapeOf(acc)
  const [k = 0] = shapeOf(b)
  const right = operandOf('b', b)
  if (isWhy(right)) return right
  const onlyAlongK = (side: 'a' | 'b', found: MmaOperand): Why =>
    bitsOf(a.dtype) < 8 && found.major !== 'k'
      ? [
          'pallas.tcgen05.transforms',
          `${side}: operands of ${a.dtype} run along k in memory, found ${side === 'a' ? 'm' : 'n'}`,
        ]
      : null
  const wrongB = onlyAlongK('b', right)
  if (wrongB !== null) return wrongB
  const span =
    swizzleElements(right.swizzle, bitsOf(b.dtype)) * (metadata !== null && a.space === 'smem' ? 2 : 1)
  if (a.space === 'smem') {
    const left = operandOf('a', a)
    if (isWhy(left)) return left
    if (left.swizzle !== right.swizzle)
      return [
        'pallas.tcgen05.swizzle',
        `a is swizzled by ${String(left.swizzle)} bytes and b by ${String(right.swizzle)}: expected the same swizzle`,
      ]
    const wrongA = onlyAlongK('a', left)
    if (wrongA !== null) return wrongA
  } else {
    const layout = tensorMemoryLayoutOf(a.layout)
    if (m !== 128) return ['pallas.tcgen05.tmem', `a in TMEM has 128 rows, found ${String(m)}`]
    if (!inferred(a, layout, 'default', tmemColumnBits / bitsOf(a.dtype)))
      return [
        'pallas.tcgen05.tmem',
        `a in TMEM is packed, ${String(tmemColumnBits / bitsOf(a.dtype))} elements of ${a.dtype} to a column: found ${shown(layout)}`,
      ]
    if (metadata !== null && t.aScale !== null)
      return ['pallas.tcgen05.tmem', 'a of a product that is scaled and sparse is in SMEM, found TMEM']
  }
  if (k % span !== 0)
    return [
      'pallas.tcgen05.shape',
      `dimension 0 of b, k, is ${String(k)}: expected a multiple of ${String(span)}, the elements of ${b.dtype} in a swizzle of ${String(right.swizzle)} bytes${span === swizzleElements(right.swizzle, bitsOf(b.dtype)) ? '' : ', twice: half of them are stored in a'}`,
    ]
  const kind = m === 128 ? 'default' : pair ? 'm64-collective' : 'half-lane'
  const layout = tensorMemoryLayoutOf(acc.layout)
  if (!inferred(acc, layout, kind, 1))
    return [
      'pallas.tcgen05.accumulator',
      `the accumulator ${showShape(shapeOf(acc))}${pair ? ' of a pair' : ''} is unpacked and lies as ${kind}: found ${shown(layout)}`,
    ]
  const tile =
    right.major === 'k' ? (isInt(b.dtype) ? 16 : 8) : swizzleElements(right.swizzle, bitsOf(b.dtype))
  if (kind === 'half-lane' && (n / 2) % tile !== 0)
    return [
      'pallas.tcgen05.shape',
      `dimension 1 of b, n, is ${String(n)}: 64 rows are two products of n / 2 = ${String(n / 2)} columns, expected a multiple of the tile's ${String(tile)}`,
    ]
  return null
}

// ---------------------------------------------------------------- preconditions: scales and metadata

const scales = ({ acc, a, b, aScale, bScale, metadata }: Types, pair: boolean): Why => {
  if (aScale === null && bScale === null) return null
  const no = (what: string): Why => ['pallas.tcgen05.scales', what]
  if (aScale === null || bScale === null)
    return no(
      `expected scales of a and of b, or of neither: found those of ${aScale === null ? 'b' : 'a'} alone`,
    )
  const [m = 0, n = 0] = shapeOf(acc)
  const [k = 0] = shapeOf(b)
  const stored = metadata === null ? k : k / 2
  if (bitsOf(a.dtype) > 8) return no(`operands of ${a.dtype} have no scales: expected e4m3, e5m2 or e2m1`)
  if (acc.dtype !== 'f32') return no(`scaled products add up in f32, found an accumulator of ${acc.dtype}`)
  if (m === 64 && !pair) return no('m is 64: a scaled product of one block has 128 rows')
  const [rowsA = 0, columnsA = 0] = shapeOf(aScale)
  const size = stored / columnsA
  const legal =
    aScale.dtype === bScale.dtype &&
    ((aScale.dtype === 'e8m0' && (size === 32 || (size === 16 && a.dtype === 'e2m1'))) ||
      (scaleDtype(aScale.dtype) === 'ue4m3' && size === 16 && a.dtype === 'e2m1'))
  if (!legal)
    return no(
      `a_scale is ${aScale.dtype} ${showShape(shapeOf(aScale))} and b_scale ${bScale.dtype} ${showShape(shapeOf(bScale))} for ${String(stored)} stored elements of ${a.dtype} in a row: expected ${a.dtype === 'e2m1' ? 'e8m0 for every 16 or 32, or ue4m3 or e4m3 for every 16' : 'e8m0 for every 32'}`,
    )
  if (rowsA !== 128) return no(`a_scale ${showShape(shapeOf(aScale))}: expected (128, ${String(columnsA)})`)
  const halves = pair && m === 64
  const rows = halves ? 256 : 128 * Math.ceil(n / 128)
  if (!sameShape(shapeOf(bScale), [rows, columnsA]))
    return no(
      `b_scale ${showShape(shapeOf(bScale))}: expected (${String(rows)}, ${String(columnsA)}), whole blocks of 128 rows for ${String(n)} columns`,
    )
  for (const [name, type, kind] of [
    ['a_scale', aScale, 'scales'],
    ['b_scale', bScale, halves ? 'b-scales-m64-collective' : 'scales'],
  ] as const)
    if (tensorMemoryLayoutOf(type.layout)?.kind !== kind)
      return no(`${name} lies in TMEM as ${kind}: found ${shown(tensorMemoryLayoutOf(type.layout))}`)
  const each = halves ? n / 2 : n
  return each % 32 === 0 || each < 32
    ? null
    : [
        'pallas.tcgen05.scales-view',
        `b_scale: the first ${String(each)} rows of an array of scales are not a view in this library: expected a multiple of 32, or fewer`,
      ]
}

const sparsity = ({ acc, a, b, metadata }: Types): Why => {
  if (metadata === null) return null
  const no = (what: string): Why => ['pallas.tcgen05.sparse', what]
  const [m = 0] = shapeOf(acc)
  const [k = 0] = shapeOf(b)
  if (m !== 128) return no(`a sparse product has 128 rows in a block, found m ${String(m)}`)
  const words = k / kOfWord(a.dtype)
  if (metadata.dtype !== 'u32' || !sameShape(shapeOf(metadata), [m, words]))
    return no(
      `the metadata are ${metadata.dtype} ${showShape(shapeOf(metadata))}: expected u32 (${String(m)}, ${String(words)}), a word for ${String(kOfWord(a.dtype))} of k`,
    )
  if (!holdsMetadata(metadata.layout))
    return no(
      `the metadata must be in TMEM as sparse-metadata: found ${shown(tensorMemoryLayoutOf(metadata.layout))}`,
    )
  const right = mmaOperand('b')(b.layout)
  return E.isRight(right) && right.right.swizzle === 32 && right.right.major === 'k'
    ? no('b of a sparse product is swizzled by 64 or 128 bytes where it runs along k, found 32')
    : null
}

// ---------------------------------------------------------------- views of the scales

/** The scales of n rows (of each half, if `halves`): rows in lanes of 32, then words; 4 factors a word. */
const scaleRows = (
  scale: View<'tmem', Dtype, 2>,
  type: ViewType,
  n: number,
  halves: boolean,
): View<'tmem', Dtype, 2> => {
  const [rows = 0, columns = 0] = type.layout.shape
  if (rows === n) return asScales(scale, type)
  const [lane, word] = [tmemLaneBytes, tmemColumnBits / 8]
  const each = halves ? n / 2 : n
  const blocks = halves ? 1 : rows / 128
  const inHalf: ReadonlyArray<Mode> =
    each < 32
      ? [{ size: each, stride: lane }]
      : [
          { size: each / 32, stride: word },
          { size: 32, stride: lane },
        ]
  return reinterpret<Dtype, 2, 'tmem'>(
    scale,
    scaleDtype(type.dtype),
    ofChains(
      [
        halves ? [{ size: 2, stride: 64 * lane }, ...inHalf] : inHalf,
        [
          { size: columns / 4, stride: 4 * blocks * word },
          { size: 4, stride: 1 },
        ],
      ],
      8,
      type.layout.byteOffset,
      16,
    ),
  )
}

// ---------------------------------------------------------------- products

/** A barrier that the tensor core may arrive on. */
const arrivesOn = (
  label: string,
  barrier: Barrier<true>,
  index: BarrierIndex,
): Build<BarrierExpr<'pallas', true>> =>
  block(function* () {
    // the types say so already; a value from elsewhere may not
    if (!barrier.ordersTensorCore)
      return yield* refused(
        'pallas.tcgen05.barrier',
        `${label}: barrier ${barrier.name}: expected orders_tensor_core=True for a barrier of the tensor core`,
      )
    return yield* barrierSlot(label, barrier, index)
  })

const predicated = ({ when }: Group): DoOptions => (when === null ? {} : { when })

const viewTypeOf = (label: string, ref: View<'smem' | 'tmem', Dtype, 2>): Build<ViewType> =>
  block(function* () {
    const type = yield* typeHere(ref)
    return type._tag === 'view' && type.layout.shape.length === 2
      ? type
      : yield* refused('pallas.tcgen05.shape', `${label}: expected refs of two dimensions`)
  })

/** `tcgen05_mma(acc, a, b, barrier, accumulate)`: acc = (accumulate ? acc : 0) + a @ b, then one arrival, if there is a barrier. */
export const tcgen05Mma = (
  label: string,
  acc: View<'tmem', Dtype, 2>,
  a: View<'smem' | 'tmem', Dtype, 2>,
  b: View<'smem', Dtype, 2>,
  barrier: Barrier<true> | null,
  index: BarrierIndex,
  accumulate: Condition,
  { collectiveAxis, aScale, bScale, aSparseMetadata, when }: Tcgen05Options = {},
): Build<void> =>
  block(function* () {
    const group = yield* groupOf(label, collectiveAxis, when)
    const pair = group.ctaGroup === 2
    const types: Types = {
      acc: yield* viewTypeOf(label, acc),
      a: yield* viewTypeOf(label, a),
      b: yield* viewTypeOf(label, b),
      aScale: aScale === undefined ? null : yield* viewTypeOf(label, aScale),
      bScale: bScale === undefined ? null : yield* viewTypeOf(label, bScale),
      metadata: aSparseMetadata === undefined ? null : yield* viewTypeOf(label, aSparseMetadata),
    }
    const why =
      shapes(types, pair) ?? dtypes(types) ?? sparsity(types) ?? operands(types, pair) ?? scales(types, pair)
    if (why !== null) return yield* refused(why[0], `${label}: ${why[1]}`)
    for (const [name, ref] of [
      ['the accumulator', acc],
      ...(types.a.space === 'tmem' ? [['a', a] as const] : []),
      ...(aScale === undefined ? [] : [['a_scale', aScale] as const]),
      ...(bScale === undefined ? [] : [['b_scale', bScale] as const]),
      ...(aSparseMetadata === undefined ? [] : [['a_sparse_metadata', aSparseMetadata] as const]),
    ] as const)
      yield* belongsTo(label, name, ref, group)
    const [m = 0, n = 0] = types.acc.layout.shape
    const completions: ReadonlyArray<Completion> =
      barrier === null ? [] : [yield* completionOf(label, barrier, index, group)]
    const product = (
      into: View<'tmem', AccumulatorDtype, 2>,
      by: View<'smem', Dtype, 2>,
      done: ReadonlyArray<Completion>,
    ): InstructionOf<'tcgen05.mma'> => ({
      _tag: 'tcgen05.mma',
      accumulator: into,
      a: asSignedOperand(a, types.a),
      b: by,
      accumulate,
      ctaGroup: group.ctaGroup,
      ...(aScale === undefined || types.aScale === null
        ? {}
        : { scaleA: scaleRows(aScale, types.aScale, m, false) }),
      ...(bScale === undefined || types.bScale === null
        ? {}
        : { scaleB: scaleRows(bScale, types.bScale, n, pair && m === 64) }),
      ...(aSparseMetadata === undefined ? {} : { sparsity: aSparseMetadata }),
      completions: done,
    })
    const right = asSignedOperand(b, types.b)
    // its dtype is one that the products add up in (`dtypes`)
    const sums = checked<View<'tmem', AccumulatorDtype, 2>, Expr>(acc)
    if (m === 64 && !pair) {
      const [k = 0] = types.b.layout.shape
      for (const half of [0, 1]) {
        const from = [i32(0), i32((half * n) / 2)]
        yield* run(
          half === 0 ? `${label}.first` : label,
          product(
            slice(sums, from, [m, n / 2]),
            slice(right, from, [k, n / 2]),
            half === 0 ? [] : completions,
          ),
          predicated(group),
        )
      }
    } else yield* run(label, product(sums, right, completions), predicated(group))
  })

const completionOf = (
  label: string,
  barrier: Barrier<true>,
  index: BarrierIndex,
  group: Group,
): Build<Completion> =>
  block(function* () {
    const on = yield* arrivesOn(label, barrier, index)
    const mask = yield* pairMask(label, group)
    const one = { barrier: on, when: i1(true) }
    return mask === null ? one : { ...one, multicast: i32(mask) }
  })

/** `tcgen05_commit_arrive(barrier, collective_axis)`: one arrival when all tensor-core work of the thread so far is done. */
export const tcgen05CommitArrive = (
  label: string,
  barrier: Barrier<true>,
  index: BarrierIndex,
  { collectiveAxis, when }: Pick<Tcgen05Options, 'collectiveAxis' | 'when'> = {},
): Build<void> =>
  block(function* () {
    const group = yield* groupOf(label, collectiveAxis, when)
    const on = yield* arrivesOn(label, barrier, index)
    const mask = yield* pairMask(label, group)
    const commit = { _tag: 'tcgen05.commit', barrier: on, ctaGroup: group.ctaGroup } as const
    yield* run(label, mask === null ? commit : { ...commit, multicast: i32(mask) }, predicated(group))
  })
