/**
 * `plgpu.mma`: the synchronous product of arrays in registers, by the instructions of one warp (`mma.sync`, m16n8).
 *
 *     mma(acc, a, b)        d = acc + a b        acc, d (m, n), a (m, k), b (k, n), all of them in registers
 *
 * The four warps of the thread stand along m, or some of them along n: the layout of the accumulator says how many (`mWarps`), and those of a and b follow from it.
 * Every warp has what it multiplies in its own registers, so nothing is exchanged and nothing is waited for.
 *
 * | elements          | k in multiples of | into | an instruction                                                                                  |
 * |-------------------|-------------------|------|-------------------------------------------------------------------------------------------------|
 * | f16, bf16         | 16                | f32  | one block of the tensor core                                                                     |
 * | e4m3, e5m2        | 32                | f32  | of f16: two blocks from zero, whose sum is then added to the accumulator as f32                  |
 * | i8, u8            | 32                | i32  | the exact sum, modulo 2^32                                                                       |
 * | i4, u4            | 64                | i32  | the same                                                                                         |
 *
 * Instructions follow each other along k through the accumulator. The two blocks of 8-bit floats are not the halves of k: a register holds four neighbours, and the first
 * block takes the first two of each four (`numerics/warp-product.ts`, measured on Hopper). So they are written as what the assembler makes of them; nothing that the
 * core says of f16 had to be said again of bytes.
 *
 * By hand, e4m3: acc = 1, one product 2^-14 and the rest zero. The blocks give 2^-14, the sum is 1 + 2^-14; `wgmma`, which keeps 13 bits behind the point, gives 1.
 *
 * Mosaic GPU's lowering for lanes tells the instruction whether bytes have signs; that for warpgroups has lost it on the way, and asks for signs: there 200 of u8 is multiplied as -56
 * and 15 of u4 as -1 (`Signs`).
 *
 * Laws
 * 1. The result is that of `numerics/warp-product.ts`, instruction after instruction along k.
 * 2. What is accepted here is accepted by the validation of the core.
 *
 * Names: `plgpu.mma(acc, a, b)`, `plgpu.Layout.MMA_ACC(dtype)`, `MMA_LHS(dtype)`, `MMA_RHS(dtype)`.
 *
 * Source: JAX, Mosaic GPU's lowering of `mma`; PTX ISA, mma.sync; own measurements on an H100 and an H200.
 */
import * as E from 'fp-ts/lib/Either.js'
import { checkShape, showLayout, type RegisterLayout } from '../../layouts/register-layout.js'
import * as Tiled from '../../layouts/tiled.js'
import { bitsOf, type Dtype } from '../../numerics/dtype.js'
import { block, letIn, typeHere, type Build, type Steps } from '../../semantics/writing/builder.js'
import * as X from '../../semantics/language/expression.js'
import type { Expr, Tile } from '../../semantics/language/expression.js'
import { checked } from '../../semantics/language/index-types.js'
import type { ScalarName, TileType } from '../../semantics/language/types.js'
import { showShape } from '../../transforms/shape.js'
import { own } from '../../own.js'
import { refused } from './codes.js'

type Array2 = Tile<ScalarName, 2>

/** What is multiplied: how the core names it, and what it is summed up in. */
const multiplied: Readonly<
  Record<string, { readonly as: X.DotDtype; readonly into: 'f32' | 'i32'; readonly isByteFloat: boolean }>
> = {
  f16: { as: 'f16', into: 'f32', isByteFloat: false },
  bf16: { as: 'bf16', into: 'f32', isByteFloat: false },
  e4m3: { as: 'f16', into: 'f32', isByteFloat: true },
  e5m2: { as: 'f16', into: 'f32', isByteFloat: true },
  i8: { as: 'i8', into: 'i32', isByteFloat: false },
  u8: { as: 'u8', into: 'i32', isByteFloat: false },
  // the register has the number, and a byte holds it
  i4: { as: 'i8', into: 'i32', isByteFloat: false },
  u4: { as: 'u8', into: 'i32', isByteFloat: false },
}

const tileHere = function* (label: string, name: string, x: Array2): Steps<TileType> {
  const type = yield* typeHere(x)
  return type._tag === 'tile' && type.shape.length === 2
    ? type
    : yield* refused('pallas.mma.shape', `${label}: ${name} must be an array of two dimensions`)
}

const shown = (layout: TileType['layout']): string => (layout === 'any' ? 'none' : showLayout(layout))

const isLaidOut = (
  found: TileType['layout'],
  wanted: E.Either<unknown, Tiled.TiledLayout>,
): found is Tiled.TiledLayout =>
  found !== 'any' && found._tag === 'tiled' && E.isRight(wanted) && Tiled.sameTiledLayout(found, wanted.right)

/** How many warps stand along m; each operand must lie as its instruction reads it. */
const checkLayouts = function* (
  label: string,
  types: Readonly<Record<'acc' | 'a' | 'b', TileType>>,
  bits: number,
): Steps<void> {
  const mWarps = [4, 2, 1].find((n) => isLaidOut(types.acc.layout, Tiled.MMA_ACC(n)))
  if (mWarps === undefined)
    return yield* refused(
      'pallas.mma.layout',
      `${label}: expected Layout.MMA_ACC for acc, found ${shown(types.acc.layout)}`,
    )
  for (const [name, wanted] of [
    ['a', Tiled.MMA_LHS(bits, mWarps)],
    ['b', Tiled.MMA_RHS(bits, mWarps)],
  ] as const)
    if (!isLaidOut(types[name].layout, wanted))
      return yield* refused(
        'pallas.mma.layout',
        `${label}: expected Layout.MMA_${name === 'a' ? 'LHS' : 'RHS'} of ${String(bits)} bits with ${String(mWarps)} warps along m for ${name}, found ${shown(types[name].layout)}`,
      )
  for (const name of ['acc', 'a', 'b'] as const) {
    const { layout, shape } = types[name]
    const fits = layout === 'any' ? E.right(null) : checkShape(layout, shape)
    if (E.isLeft(fits)) return yield* refused('pallas.mma.shape', `${label}: ${name}: ${fits.left.message}`)
  }
}

// ---------------------------------------------------------------- 8-bit floats

/** Elements of an instruction. */
const instruction = 32

/** Along its dimension `axis` of k, in f16 and in the order in which the two blocks of each instruction take them. */
const dealt = (x: Array2, axis: 0 | 1, k: number, other: number): Tile<'f16', 2> => {
  const steps = [k / instruction, instruction / 4, 2, 2]
  const apart = X.transpose(
    X.reshape<ScalarName, 5>(x, axis === 0 ? [...steps, other] : [other, ...steps]),
    axis === 0 ? [0, 2, 1, 3, 4] : [0, 1, 3, 2, 4],
  )
  return X.cast(
    checked<Tile<'f32', 2>, Expr>(X.reshape<ScalarName, 2>(apart, axis === 0 ? [k, other] : [other, k])),
    'f16',
  )
}

const byteFloats = function* (
  label: string,
  acc: Tile<'f32', 2>,
  a: Array2,
  b: Array2,
  [m, n, k]: readonly [number, number, number],
  layout: RegisterLayout | 'any',
): Steps<Tile<'f32', 2>> {
  const left = yield* letIn(`${label}.a`, dealt(a, 1, k, m))
  const right = yield* letIn(`${label}.b`, dealt(b, 0, k, n))
  let sum = acc
  for (let from = 0; from < k; from += instruction) {
    const at = String(from / instruction)
    const step = yield* letIn(
      `${label}.step${at}`,
      X.dot(
        X.gather(left, X.iota<2>([m, instruction], 1, 'any', from), 1),
        X.gather(right, X.iota<2>([instruction, n], 0, 'any', from), 0),
        X.splat<'f32', 2>(X.float('f32', 0), [m, n], layout),
        'f16',
      ),
    )
    sum = yield* letIn(from + instruction === k ? label : `${label}.sum${at}`, X.add(step, sum))
  }
  return sum
}

// ---------------------------------------------------------------- the product

/** Whether integers of a and b have the signs that their type says, or always one: `kept` for lanes, `always` for warpgroups. */
export type Signs = 'kept' | 'always'

const signed: Readonly<Record<string, 'i8' | 'i4'>> = { u8: 'i8', u4: 'i4' }

/** The low four bits of a register as a number with a sign. */
const ofNibbles = (x: Array2): Array2 => {
  const shift = checked<Expr<'i32'>, Expr>(X.i32(28))
  const up = X.shl(checked<Expr<'i32'>, Expr>(x), shift)
  return checked<Array2, Expr>(X.shrS(up, shift))
}

/** `mma(acc, a, b)`; `dtype` is that of a and b, which registers of integers do not say. */
export const mma = <D extends 'f32' | 'i32'>(
  label: string,
  acc: Tile<D, 2>,
  a: Array2,
  b: Array2,
  dtype: Dtype,
  signs: Signs = 'kept',
): Build<Tile<D, 2>> =>
  block(function* () {
    const types = {
      acc: yield* tileHere(label, 'acc', acc),
      a: yield* tileHere(label, 'a', a),
      b: yield* tileHere(label, 'b', b),
    }
    const [m = 0, n = 0] = types.acc.shape
    const [rows, k = 0] = types.a.shape
    const [depth, columns] = types.b.shape
    if (rows !== m || depth !== k || columns !== n)
      return yield* refused(
        'pallas.mma.shape',
        `${label}: expected acc (m, n), a (m, k) and b (k, n), found ${[types.acc, types.a, types.b].map(({ shape }) => showShape(shape)).join(', ')}`,
      )
    const row = own(multiplied, dtype)
    const into = types.acc.element
    if (row === undefined || into._tag !== 'scalar' || into.dtype !== row.into)
      return yield* refused(
        'pallas.mma.dtype',
        `${label}: expected f16, bf16, e4m3 or e5m2 into f32, or integers of 8 or 4 bits into i32, found ${dtype} into ${into._tag === 'scalar' ? into.dtype : 'pointers'}`,
      )
    yield* checkLayouts(label, types, bitsOf(dtype))
    if (row.isByteFloat) {
      const of = checked<Tile<'f32', 2>, Expr>(acc)
      return checked<Tile<D, 2>, Expr>(yield* byteFloats(label, of, a, b, [m, n, k], types.acc.layout))
    }
    const read = signs === 'always' ? (own(signed, dtype) ?? dtype) : dtype
    const { as } = own(multiplied, read) ?? row
    if (read === dtype) return yield* letIn(label, X.dot(a, b, acc, as))
    const [left, right] = read === 'i4' ? [ofNibbles(a), ofNibbles(b)] : [a, b]
    return yield* letIn(label, X.dot(left, right, acc, as))
  })
