/**
 * `tt.dot`: products of tensors in registers, by the threads or by the tensor core of a warp.
 *
 * The threads multiply and add (`dot`):
 *
 *     d[m, n] = fma(a[m, K-1], b[K-1, n], ... fma(a[m, 1], b[1, n], fma(a[m, 0], b[0, n], c[m, n])))
 *
 * A warp does m16n8k16 of 16 bits, m16n8k8 of tf32, m16n8k32 of bytes (`warpDot`), along K one instruction after another on one accumulator, which
 * begins with c. Which elements of K an instruction takes follows from kWidth, the neighbours along K that a thread holds: a register of four bytes is a part of
 * one instruction, and the next register a part of the next one.
 *
 * | 16 bits, K = 32 | the first instruction                        | the second one                                |
 * |-----------------|----------------------------------------------|-----------------------------------------------|
 * | kWidth = 2      | 0 .. 15                                      | 16 .. 31                                      |
 * | kWidth = 4      | 0 1, 4 5, 8 9, 12 13, 16 17, ..., 28 29      | 2 3, 6 7, 10 11, 14 15, 18 19, ..., 30 31     |
 *
 * Bytes are summed exactly, and a sum beyond 32 bits is the nearest number there is (`satfinite`), instruction by instruction. Of f32 the tensor core reads the bits
 * of tf32. Of 8-bit floats Triton makes f16 before the product.
 *
 * Laws
 * 1. By threads, each step is rounded once, in the order of K.
 * 2. By a warp, the bits are those of the PTX that Triton makes of it.
 *
 * Source: Triton, Triton dialect; Triton 3.6, its lowering of blocked dot operands and of version 2 of nvidia_mma; PTX ISA, mma.sync.
 */
import type { FloatDtype } from '../../numerics/dtype.js'
import { block, letIn, typeHere, type Build, type Steps } from '../../semantics/writing/builder.js'
import * as X from '../../semantics/language/expression.js'
import type { Expr } from '../../semantics/language/expression.js'
import { checked } from '../../semantics/language/index-types.js'
import { isInteger, type ScalarName, type TileType } from '../../semantics/language/types.js'
import { showShape } from '../../transforms/shape.js'
import { refused } from './codes.js'
import { elementOf, sameShapes, shown } from './tensor.js'
import { tensorHere, type Tensor } from './types.js'
import { own } from '../../own.js'

interface Matrices {
  readonly left: TileType
  readonly right: TileType
  readonly into: TileType
  readonly m: number
  readonly n: number
  readonly k: number
}
/** Are they matrices that can be multiplied? */
const matrices = function* (label: string, a: Tensor, b: Tensor, c: Tensor): Steps<Matrices> {
  const [left, right, into] = [
    yield* tensorHere(label, 'a', a),
    yield* tensorHere(label, 'b', b),
    yield* tensorHere(label, 'c', c),
  ]
  if (left.shape.length !== 2)
    return yield* refused('ttng.dot.shape', `${label}: a must have rank 2, found ${showShape(left.shape)}`)
  const [m = 0, k = 0] = left.shape
  const n = right.shape[1] ?? 0
  yield* sameShapes(label, 'ttng.dot.shape', 'b must have as many rows as a has columns', [k, n], right.shape)
  yield* sameShapes(
    label,
    'ttng.dot.shape',
    'c must have the rows of a and the columns of b',
    [m, n],
    into.shape,
  )
  return { left, right, into, m, n, k }
}

/** `tt.dot %a, %b, %c` of operands whose parent is blocked. */
export const dot = <D extends FloatDtype>(
  label: string,
  a: Tensor<FloatDtype, 2>,
  b: Tensor<FloatDtype, 2>,
  c: Tensor<D, 2>,
): Build<Tensor<D, 2>> =>
  block(function* () {
    const { left, right, into, m, n, k } = yield* matrices(label, a, b, c)
    const to = elementOf(into)
    for (const type of [left, right]) {
      const from = elementOf(type)
      if (to === null || from === null || isInteger(from) || isInteger(to) || (from !== to && to !== 'f32'))
        return yield* refused(
          'ttng.dot.element_type',
          `${label}: a product of threads is of floats, into their own type or f32, found ${shown(type)} into ${shown(into)}`,
        )
    }
    const widened = function* (name: string, x: Tensor<FloatDtype, 2>) {
      const type = yield* typeHere(x)
      return elementOf(type) === to
        ? checked<Tensor<'f32', 2>, Expr>(x)
        : yield* letIn(`${label}.${name}`, checked<Tensor<'f32', 2>, Expr>(X.cast(x, 'f32')))
    }
    const [rows, columns] = [yield* widened('a', a), yield* widened('b', b)]
    const step = (j: number, sum: Tensor<'f32', 2>): Tensor<'f32', 2> =>
      X.fma(
        X.broadcast(X.gather(rows, X.iota<2>([m, 1], 1, 'any', j), 1), [m, n], into.layout),
        X.broadcast(X.gather(columns, X.iota<2>([1, n], 0, 'any', j), 0), [m, n], into.layout),
        sum,
      )
    let sum = checked<Tensor<'f32', 2>, Expr>(c)
    for (let j = 0; j < k; j++)
      sum = yield* letIn(j === k - 1 ? label : `${label}.${String(j)}`, step(j, sum))
    return checked<Tensor<D, 2>, Expr>(sum)
  })

// ---------------------------------------------------------------- by a warp

/** By the type of an element in registers. */
const multiplied: Readonly<
  Record<string, { readonly as: X.DotDtype; readonly bits: 8 | 16 | 32; readonly into: string }>
> = {
  f16: { as: 'f16', bits: 16, into: 'f16 or f32' },
  bf16: { as: 'bf16', bits: 16, into: 'f32' },
  f32: { as: 'tf32', bits: 32, into: 'f32' },
  i32: { as: 'i8', bits: 8, into: 'i32' },
}

/** `tt.dot %a, %b, %c` of operands whose parent is nvidia_mma of version 2; `kWidth` is theirs. Bytes lie in i32. */
export const warpDot = <D extends 'f32' | 'f16' | 'i32'>(
  label: string,
  a: Tensor<ScalarName, 2>,
  b: Tensor<ScalarName, 2>,
  c: Tensor<D, 2>,
  kWidth: number,
): Build<Tensor<D, 2>> =>
  block(function* () {
    const { left, right, into, m, n, k } = yield* matrices(label, a, b, c)
    const [from, to] = [elementOf(left) ?? '', elementOf(into) ?? '']
    const row = own(multiplied, from)
    if (row === undefined || elementOf(right) !== from || !row.into.split(' or ').includes(to))
      return yield* refused(
        'ttng.dot.element_type',
        `${label}: a warp multiplies two tensors of ${Object.entries(multiplied)
          .map(([of, { into: sum }]) => `${of} into ${sum}`)
          .join(', ')}, found ${shown(left)} and ${shown(right)} into ${shown(into)}`,
      )
    // elements of a register, and how many instructions a thread's neighbours go to
    const packed = 32 / row.bits
    const parts = kWidth / packed
    if (!Number.isInteger(parts) || k % (8 * kWidth) !== 0)
      return yield* refused(
        'ttng.dot.shape',
        `${label}: K must be a multiple of ${String(8 * packed)}, of the elements of eight threads' neighbours, found ${String(k)} with kWidth = ${String(kWidth)}`,
      )
    /** Along its dimension `axis` of K, the elements of an instruction together. */
    const dealt = (x: Tensor<ScalarName, 2>, axis: 0 | 1, other: number): Tensor<ScalarName, 2> => {
      if (parts === 1) return x
      const steps = [k / (8 * kWidth), 8, parts, packed]
      const shape = axis === 0 ? [...steps, other] : [other, ...steps]
      const perm = axis === 0 ? [0, 2, 1, 3, 4] : [0, 1, 3, 2, 4]
      const apart = X.transpose(X.reshape<ScalarName, 5>(x, shape), perm)
      return X.reshape<ScalarName, 2>(apart, axis === 0 ? [k, other] : [other, k])
    }
    return yield* letIn(label, X.dot(dealt(a, 1, m), dealt(b, 0, n), c, row.as, row.as === 'i8'))
  })
