/**
 * Pallas on Hopper's tensor core: accumulators, `wgmma`, `wgmma_wait`.
 *
 * An accumulator is registers of one warpgroup that the tensor core writes in the background. `ACC` starts at zero. Each `wgmma` is one
 * commit group; reading the accumulator waits for all groups first. Whether a `wgmma` waits for those before it depends on whom you ask:
 *
 *     `wgmma` of         the reference                        the implementation
 *     becomes            wgmma.mma  commit  wait_group 1      wgmma.mma  commit
 *     so it returns      with one group running, its own      with every group perhaps still running
 *
 * `WgmmaWait` says which. What is safe as `implemented` is safe as `documented` too, so that is the default.
 *
 * What is multiplied: acc (m, n) += a (m, k) @ b (k, n).
 *
 * | rule                       | asked for                                                                                     |
 * |----------------------------|-----------------------------------------------------------------------------------------------|
 * | m, n                       | multiples of 64 and of 8, n at most 256; of integers 8, 24 or multiples of 16                 |
 * | k                          | whole spans of the swizzle                                                                    |
 * | a, b in shared memory      | tiled (8, 8S/bits) and swizzled by S of 32, 64 or 128, the same S in both, or so and transposed |
 * | transposed                 | only elements of 16 bits: of others a and b must both run along k                             |
 * | dtypes                     | f16 into f16 or f32; bf16 and f32 (as tf32) into f32; e4m3 and e5m2, mixed or not, into f16 or f32; i8 into i32, and u8 as i8 |
 *
 * The page says "transposed" of a ref as the user sees it. For an element of 16 bits both ways work. Of others the tensor core takes b only as
 * (n, k) in memory, so b must be a `transpose_ref` of an (n, k) ref, and a must be none.
 *
 * A may be an array, in registers. When that is legal:
 *
 *     1 layout      its elements lie where the tensor core looks: `Layout.WGMMA` for 16 bits, `Layout.WGMMA_8BIT` for 8; no other widths, no
 *                   transpose; k in slices of 64 rows by the swizzle span of b
 *     2 fence       the registers are written before the tensor core is told so: `wgmma.fence` between the two (put in here)
 *     3 lifetime    they stay what they are until a `wgmma_wait` covers the product: then only may they be written again
 *
 *     wgmma(acc, x, b)      regs.write x.registers   wgmma.fence   wgmma.mma   commit
 *
 * The first is a precondition. The second is the surface's. The third is the kernel's, and its text does not show it: the array is a
 * value, and which registers hold it is the compiler's choice. Here each `wgmma` of the text has its own registers, so a loop writes them again
 * in its next turn, and must have waited: W3 otherwise.
 *
 * Sums of i8 wrap: the surface has no word for `.satfinite`. Bytes are multiplied with their signs, those of a ref of u8 too: that is what Mosaic GPU
 * asks the instruction for.
 *
 * Law 1. A documented `wgmma` is an implemented one and `wgmma_wait(1)`: statement for statement, but for the label of the wait.
 * Law 2. An operand in registers gives what the same operand gives in shared memory.
 * Law 3. What is accepted here is accepted by the validation of the core.
 *
 * Names: `plgpu.wgmma(acc, a, b)`, `plgpu.wgmma_wait(n)`, `plgpu.wgmma_accumulator_load(acc, wait_n=n)`, `acc[...]`, `acc.at[...]`.
 *
 * Source: JAX docs, Pallas:MGPU reference, wgmma; PTX ISA, wgmma.mma_async: matrix fragments in registers.
 */
import * as E from 'fp-ts/lib/Either.js'
import { showLayout } from '../../layouts/register-layout.js'
import { wgmmaShape } from '../../layouts/shared-memory/wgmma-shape.js'
import { WGMMA, WGMMA_8BIT, sameTiledLayout } from '../../layouts/tiled.js'
import { bitsOf, type Dtype } from '../../numerics/dtype.js'
import {
  block,
  freshStorage,
  registers,
  regsRead,
  run,
  typeHere,
  type Build,
  type ElementIndex,
} from '../../semantics/writing/builder.js'
import { i1, i32, slice, type Expr, type Tile, type View } from '../../semantics/language/expression.js'
import { checked } from '../../semantics/language/index-types.js'
import type { TileType, ViewType } from '../../semantics/language/types.js'
import { mmaOperand, type MmaOperand } from '../../transforms/mma-operand.js'
import { showShape } from '../../transforms/shape.js'
import { swizzleElements } from '../../transforms/swizzle.js'
import { refused, type Code } from './codes.js'
import type { Accumulator, AccumulatorDtype } from './accumulator.js'
import { storageOf } from './storage-of.js'
import { asSignedOperand } from '../read-as.js'

// ---------------------------------------------------------------- accumulators

/** `acc.at[pl.ds(row, rows), pl.ds(column, columns)]`: static slices of whole pieces of 64 rows and 8
 * columns. */
export const accumulatorAt = <D extends AccumulatorDtype>(
  label: string,
  acc: Accumulator<D>,
  starts: readonly [number, number],
  sizes: readonly [number, number],
): Build<Accumulator<D>> =>
  block(function* () {
    const pieces = [64, 8] as const
    for (const d of [0, 1] as const) {
      const [start, size, piece, whole] = [starts[d], sizes[d], pieces[d], acc.shape[d]]
      if (start % piece !== 0 || size % piece !== 0 || start < 0 || size < piece || start + size > whole)
        return yield* refused(
          'pallas.wgmma.slice',
          `${label}: dimension ${String(d)} of an accumulator of shape ${showShape(acc.shape)} is sliced in multiples of ${String(piece)} inside it, found ${String(size)} from ${String(start)}`,
        )
    }
    return { ...acc, view: slice(acc.view, starts.map(i32), sizes), shape: sizes }
  })

// ---------------------------------------------------------------- preconditions

/** An operand as `wgmma` is given it; of an array with the dtype that its author has, which a tile of integers does not say. */
type Given = ViewType | (TileType & { readonly of: Dtype })

const dtypeOf = (given: Given): Dtype => (given._tag === 'view' ? given.dtype : given.of)
const shapeOf = (given: Given): ReadonlyArray<number> =>
  given._tag === 'view' ? given.layout.shape : given.shape

/** What may be multiplied, and into what. */
const products: ReadonlyArray<{
  readonly operands: ReadonlyArray<Dtype>
  readonly into: ReadonlyArray<Dtype>
}> = [
  { operands: ['f16'], into: ['f16', 'f32'] },
  { operands: ['bf16'], into: ['f32'] },
  { operands: ['f32'], into: ['f32'] },
  { operands: ['e4m3', 'e5m2'], into: ['f16', 'f32'] },
  { operands: ['i8', 'u8'], into: ['i32'] },
]

const inRegisters: ReadonlyArray<Dtype> = ['f16', 'bf16', 'e4m3', 'e5m2', 'i8']

/** The first rule that fails. */
const why = (
  acc: { readonly dtype: Dtype; readonly shape: ReadonlyArray<number> },
  a: Given,
  b: ViewType,
): readonly [Code, string] | null => {
  const [m = 0, n = 0] = acc.shape
  const [aDtype, bDtype] = [dtypeOf(a), b.dtype]
  const [aShape, bShape] = [shapeOf(a), b.layout.shape]
  const [k = 0] = bShape
  const shapes = `a ${showShape(aShape)}, b ${showShape(bShape)} and an accumulator ${showShape(acc.shape)}`
  if (aShape.length !== 2 || bShape.length !== 2 || aShape[0] !== m || aShape[1] !== k || bShape[1] !== n)
    return ['pallas.wgmma.shape', `expected a (m, k), b (k, n) and an accumulator (m, n), found ${shapes}`]
  if (m % 64 !== 0)
    return [
      'pallas.wgmma.shape',
      `dimension 0 of a, m, is ${String(m)}: expected a multiple of 64 in ${shapes}`,
    ]
  if (n % 8 !== 0 || n > 256)
    return [
      'pallas.wgmma.shape',
      `dimension 1 of b, n, is ${String(n)}: expected a multiple of 8, at most 256, in ${shapes}`,
    ]
  const row = products.find(({ operands }) => operands.includes(aDtype) && operands.includes(bDtype))
  if (row === undefined)
    return [
      'pallas.wgmma.dtype',
      `a is ${aDtype} and b is ${bDtype}: expected both f16, bf16 or f32, or each e4m3 or e5m2, or each i8 or u8`,
    ]
  if (!row.into.includes(acc.dtype))
    return [
      'pallas.wgmma.dtype',
      `the accumulator is ${acc.dtype}: products of ${aDtype} and ${bDtype} accumulate in ${row.into.join(' or ')}`,
    ]
  const instruction = wgmmaShape(aDtype, bDtype, acc.dtype, n)
  if (E.isLeft(instruction))
    return ['pallas.wgmma.shape', `dimension 1 of b, n, is ${String(n)}: ${instruction.left.message}`]
  const bits = bitsOf(bDtype)
  const right = mmaOperand('b')(b.layout)
  if (E.isLeft(right)) return ['pallas.wgmma.transforms', `b: ${right.left.message}`]
  const span = swizzleElements(right.right.swizzle, bits)
  if (k % span !== 0)
    return [
      'pallas.wgmma.shape',
      `dimension 0 of b, k, is ${String(k)}: expected a multiple of the ${String(span)} elements of ${bDtype} in a swizzle of ${String(right.right.swizzle)} bytes`,
    ]
  const left = a._tag === 'view' ? whyOfShared(a, right.right) : whyOfRegisters(a)
  if (left !== null) return left
  return bits !== 16 && right.right.major !== 'k'
    ? onlySixteen('b', bDtype, 'transpose_ref of an (n, k) ref')
    : null
}

const onlySixteen = (side: 'a' | 'b', dtype: Dtype, instead: string): readonly [Code, string] => [
  'pallas.wgmma.transposed',
  `${side}: only operands of 16 bits may run along ${side === 'a' ? 'm' : 'n'} in memory, found ${dtype}: expected a ${instead}`,
]

const whyOfShared = (a: ViewType, b: MmaOperand): readonly [Code, string] | null => {
  const left = mmaOperand('a')(a.layout)
  if (E.isLeft(left)) return ['pallas.wgmma.transforms', `a: ${left.left.message}`]
  if (left.right.swizzle !== b.swizzle)
    return [
      'pallas.wgmma.swizzle',
      `a is swizzled by ${String(left.right.swizzle)} bytes and b by ${String(b.swizzle)}: expected the same swizzle`,
    ]
  return bitsOf(a.dtype) !== 16 && left.right.major !== 'k'
    ? onlySixteen('a', a.dtype, 'ref (m, k) that is not transposed')
    : null
}

const whyOfRegisters = (a: TileType & { readonly of: Dtype }): readonly [Code, string] | null => {
  const dtype = a.of
  if (!inRegisters.includes(dtype))
    return [
      'pallas.wgmma.registers',
      `a is an array of ${dtype}: in registers a has elements of ${inRegisters.join(', ')}`,
    ]
  const [wanted, name] = bitsOf(dtype) === 16 ? [WGMMA, 'WGMMA'] : [WGMMA_8BIT, 'WGMMA_8BIT']
  return a.layout !== 'any' && a.layout._tag === 'tiled' && sameTiledLayout(a.layout, wanted)
    ? null
    : [
        'pallas.wgmma.registers',
        `a is an array of ${dtype} with ${a.layout === 'any' ? 'no layout of its own' : `layout ${showLayout(a.layout)}`}: expected Layout.${name}`,
      ]
}

// ---------------------------------------------------------------- products

/** Whether a `wgmma` waits for the previous ones. */
export type WgmmaWait = 'implemented' | 'documented'

/** The thread that the registers of an accumulator belong to. */
const threadOf = (acc: View<'regs', Dtype, 2>): Build<string> =>
  block(function* () {
    const owner = (yield* storageOf(acc))?.owner
    return owner === undefined || owner === 'cta' ? '' : owner.agent
  })

/** The registers of an array that the tensor core will read: written, and fenced. */
const givenInRegisters = (
  label: string,
  agent: string,
  type: TileType,
  dtype: Dtype,
  value: Tile<ElementIndex<Dtype>, 2>,
): Build<View<'regs', Dtype, 2>> =>
  block(function* () {
    const id = yield* freshStorage(`${label}.registers`)
    const into = yield* registers<Dtype, readonly [number, number]>(id, agent, dtype, [
      type.shape[0]!,
      type.shape[1]!,
    ])
    yield* run(`${label}.a`, { _tag: 'regs.write', destination: into, value })
    yield* run(`${label}.fence`, { _tag: 'wgmma.fence' })
    return into
  })

/**
 * `wgmma(acc, a, b)`: acc += a @ b, as one group; `documented` ones wait until no other group runs. `aDtype`: of an array of narrow integers, whose tile
 * has 32 bits for each.
 */
export const wgmma = <D extends AccumulatorDtype>(
  label: string,
  acc: Accumulator<D>,
  a: View<'smem', Dtype, 2> | Tile<ElementIndex<Dtype>, 2>,
  b: View<'smem', Dtype, 2>,
  waits: WgmmaWait = 'implemented',
  aDtype: Dtype | null = null,
): Build<void> =>
  block(function* () {
    const into = yield* typeHere(acc.view)
    const left = yield* typeHere(a)
    const right = yield* typeHere(b)
    if (into._tag !== 'view' || right._tag !== 'view' || (left._tag !== 'view' && left._tag !== 'tile'))
      return yield* refused(
        'pallas.wgmma.shape',
        `${label}: expected an accumulator, an operand a and a ref b`,
      )
    const dtype = left._tag === 'view' ? left.dtype : (aDtype ?? left.element.dtype)
    const given: Given = left._tag === 'view' ? left : { ...left, of: dtype }
    const found = why({ dtype: into.dtype, shape: into.layout.shape }, given, right)
    if (found !== null) return yield* refused(found[0], `${label}: ${found[1]}`)
    const operand =
      left._tag === 'tile'
        ? yield* givenInRegisters(
            label,
            yield* threadOf(acc.view),
            left,
            dtype,
            checked<Tile<ElementIndex<Dtype>, 2>, Expr>(a),
          )
        : asSignedOperand(checked<View<'smem', Dtype, 2>, Expr>(a), left)
    yield* run(label, {
      _tag: 'wgmma.mma',
      accumulator: acc.view,
      a: operand,
      b: asSignedOperand(b, right),
      scaleD: i1(true),
      negateA: false,
      negateB: false,
    })
    yield* run(`${label}.group`, { _tag: 'wgmma.commitGroup' })
    if (waits === 'documented') yield* wgmmaWait(`${label}.wait`, 1)
  })

/** `wgmma_wait(n)`: at most n groups are still running. */
export const wgmmaWait = (label: string, n: number): Build<void> =>
  Number.isSafeInteger(n) && n >= 0
    ? run(label, { _tag: 'wgmma.waitGroup', pending: n })
    : refused('pallas.wgmma.wait', `${label}: n groups may still run, n from 0, found ${String(n)}`)

/** `wgmma_accumulator_load(acc, wait_n)`: waits until at most so many groups run, or not at all, then reads. */
export const wgmmaAccumulatorLoad = <D extends AccumulatorDtype>(
  label: string,
  acc: Accumulator<D>,
  waitN: number | null = 0,
): Build<Tile<ElementIndex<D>, 2>> =>
  block(function* () {
    if (waitN !== null) yield* wgmmaWait(`${label}.wait`, waitN)
    return yield* regsRead(label, acc.view, { layout: acc.layout })
  })

/** `acc[...]`: waits for every group, then reads. */
export const readAccumulator = <D extends AccumulatorDtype>(
  label: string,
  acc: Accumulator<D>,
): Build<Tile<ElementIndex<D>, 2>> => wgmmaAccumulatorLoad(label, acc, 0)
