/**
 * The reference: what a program says it computes, done the naive way in the same algebra.
 *
 * A matmul is one matrix product over all of k from zero, then one conversion: out = cast(0 + a b). In `bits` the chain of tensor-core
 * instructions is part of what is computed, and the product follows it, one instruction's k after the other. So a kernel must give
 * these bits, all of them: there is no tolerance. The k tiles of a kernel do not show, because a tile is a whole number of
 * instructions (law 3 of `algebra.ts`).
 *
 * Integers have one product, in every algebra: it wraps, or saturates if the program says so.
 *
 * A block-scaled matmul is the same of elements that were multiplied by their scales first; the scales of the program lie in atoms, and are
 * read from there.
 *
 * By hand, bits, f16, k = 16: a row of ones times a column of halves: 16 * 0.5 = 8 in f32, and 0x4800 in f16.
 *
 * Law 1. In `real64` the reference is the textbook triple loop.
 */
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import { pipe } from 'fp-ts/lib/function.js'
import { failure, refuse, type Failure } from '../failure.js'
import { scaleOffset } from '../layouts/shared-memory/scale-factors.js'
import { mmaTypes, zeroOf, type Algebra, type MmaShape, type ScaledTypes } from '../numerics/algebra.js'
import { isFloat, type Dtype, type FloatDtype } from '../numerics/dtype.js'
import type { Program, Scales, Spec, TensorParam } from '../semantics/language/program.js'

export type ReferenceFailure = Failure<'reference.missing' | 'reference.algebra' | 'reference.shape'>

/** Row-major carriers of the algebra. */
export interface Reference {
  readonly tensor: string
  /** what it is called when it is compared with: `naive matmul` */
  readonly name: string
  readonly values: Float64Array
}

const product = (xs: ReadonlyArray<number>): number => xs.reduce((n, x) => n * x, 1)

/** The shape of a parameter, when it is known without running. */
export const shapeOf = (p: TensorParam): ReadonlyArray<number> | null => {
  const shape = p.shape.map((e) => (e._tag === 'const' ? Number(e.value) : NaN))
  return shape.some(Number.isNaN) ? null : shape
}

export const tensorsOf = (program: Program): ReadonlyArray<TensorParam> =>
  program.params.flatMap((p) => (p._tag === 'tensor' ? [p] : []))

const constant = (
  program: Program,
  name: string,
): E.Either<
  ReferenceFailure,
  { readonly param: TensorParam; readonly dtype: Dtype; readonly shape: ReadonlyArray<number> }
> => {
  const param = tensorsOf(program).find((p) => p.name === name)
  const shape = param === undefined ? null : shapeOf(param)
  return param === undefined || shape === null
    ? refuse(
        'reference.shape',
        `${program.name}: expected a tensor ${name} of constant shape to compare with`,
      )
    : E.right({ param, dtype: param.dtype, shape })
}

export interface MatmulTypes {
  readonly operand: Dtype
  /** of b, if it is another */
  readonly right?: Dtype
  readonly accumulator: Dtype
  readonly out: Dtype
  readonly saturate?: boolean
}

/** The piece of a large product that is computed at once: its operands fit a cache, and 512 is a whole number of instructions of any. */
const piece: MmaShape = { m: 256, n: 256, k: 512 }

/** Rows [r, r + rows) and columns [c, c + columns) of a matrix of `width` columns. */
const partOf = (
  x: Float64Array,
  width: number,
  r: number,
  rows: number,
  c: number,
  columns: number,
): Float64Array => {
  if (columns === width) return x.subarray(r * width, (r + rows) * width)
  const out = new Float64Array(rows * columns)
  for (let i = 0; i < rows; i++)
    out.set(x.subarray((r + i) * width + c, (r + i) * width + c + columns), i * columns)
  return out
}

/**
 * Rows [from, to) of what `matmul` means: out = cast(a b), a m x k, b k x n. In pieces: one along k continues the one before it (law 3 of
 * `algebra.ts`).
 */
export const naiveRows = (
  algebra: Algebra,
  types: MatmulTypes,
  { n, k }: MmaShape,
  a: Float64Array,
  b: Float64Array,
  from: number,
  to: number,
): E.Either<ReferenceFailure, Float64Array> => {
  const own = mmaTypes(types.operand, types.right ?? types.operand, types.accumulator, types.saturate)
  const cast = algebra.cast(types.accumulator, types.out, 'rn', false)
  const out = new Float64Array((to - from) * n)
  for (let i = from; i < to; i += piece.m)
    for (let j = 0; j < n; j += piece.n) {
      const [rows, columns] = [Math.min(piece.m, to - i), Math.min(piece.n, n - j)]
      let sum: Float64Array = new Float64Array(rows * columns).fill(
        O.isNone(own) ? 0 : zeroOf(algebra, own.value),
      )
      for (let p = 0; p < k || p === 0; p += piece.k) {
        const depth = Math.min(piece.k, k - p)
        const mma = O.isNone(own) ? O.none : algebra.mma(own.value, { m: rows, n: columns, k: depth })
        if (O.isNone(mma) || O.isNone(cast))
          return refuse(
            'reference.algebra',
            `${algebra.name}: no product of ${types.operand} into ${types.accumulator} for k = ${String(k)}, or no cast to ${types.out}`,
          )
        sum = mma.value(partOf(a, k, i, rows, p, depth), partOf(b, n, p, depth, j, columns), sum)
      }
      if (O.isNone(cast)) continue
      for (let r = 0; r < rows; r++)
        for (let c = 0; c < columns; c++) out[(i - from + r) * n + j + c] = cast.value(sum[r * columns + c]!)
    }
  return E.right(out)
}

/**
 * What `matmul` means: out = cast(a b), a m x k, b k x n.
 *
 * @example
 * ```ts
 * import { naiveMatmul } from 'tensorcore-spec/kernels'
 * import { real64 } from 'tensorcore-spec/numerics'
 *
 * const ones = new Float64Array(4).fill(1)
 * const types = { operand: 'f16', accumulator: 'f32', out: 'f32' } as const
 * const out = naiveMatmul(real64, types, { m: 2, n: 2, k: 2 }, ones, ones)
 * console.log(out._tag === 'Right' ? [...out.right] : out.left.message) // [ 2, 2, 2, 2 ]
 * ```
 */
export const naiveMatmul = (
  algebra: Algebra,
  types: MatmulTypes,
  shape: MmaShape,
  a: Float64Array,
  b: Float64Array,
): E.Either<ReferenceFailure, Float64Array> => naiveRows(algebra, types, shape, a, b, 0, shape.m)

/** What a block-scaled `matmul` means: out = cast((a sa)(b sb)), sa m x k / block, sb n x k / block. */
export const naiveScaledMatmul = (
  algebra: Algebra,
  types: ScaledTypes & { readonly out: FloatDtype },
  shape: MmaShape,
  [a, b, sa, sb]: readonly [a: Float64Array, b: Float64Array, sa: Float64Array, sb: Float64Array],
): E.Either<ReferenceFailure, Float64Array> => {
  const mma = algebra.scaledMma(types, shape)
  const cast = algebra.cast(types.acc, types.out, 'rn', false)
  if (O.isNone(mma) || O.isNone(cast))
    return refuse(
      'reference.algebra',
      `${algebra.name}: no product of ${types.a} and ${types.b} with scales of ${types.scale} every ${String(types.block)} for k = ${String(shape.k)}, or no cast to ${types.out}`,
    )
  const zero = new Float64Array(shape.m * shape.n).fill(algebra.constant(types.acc, 0))
  return E.right(mma.value(a, b, sa, sb, zero).map(cast.value))
}

/** Scales that lie in atoms, as a matrix of rows by blocks. */
const unpacked = (packed: Float64Array, rows: number, blocks: number): E.Either<Failure, Float64Array> =>
  E.map((offset: (x: number, j: number) => number) =>
    Float64Array.from(
      { length: rows * blocks },
      (_, e) => packed[offset(Math.floor(e / blocks), e % blocks)]!,
    ),
  )(scaleOffset(rows, blocks))

interface Matrix {
  readonly dtype: Dtype
  readonly shape: ReadonlyArray<number>
}

/** A factor whose tensor is its transpose. */
const transposeOf = (
  { dtype, shape }: Matrix,
  values: Float64Array,
): Matrix & { readonly values: Float64Array } => {
  const [rows, columns] = [shape[0]!, shape[1]!]
  return {
    dtype,
    shape: [columns, rows],
    values: values.map((_, at) => values[(at % rows) * columns + Math.floor(at / rows)]!),
  }
}

/** The block-scaled product of a program that says where its scales are. */
const scaledOf = (
  program: Program,
  algebra: Algebra,
  { accumulator: acc }: Pick<Extract<Spec, { readonly _tag: 'matmul' }>, 'accumulator'>,
  scales: Scales,
  { a, b, out }: { readonly a: Matrix; readonly b: Matrix; readonly out: Matrix },
  given: (name: string, shape: ReadonlyArray<number>) => E.Either<ReferenceFailure, Float64Array>,
  av: Float64Array,
  bv: Float64Array,
): E.Either<ReferenceFailure, Float64Array> => {
  const [m, k, n] = [a.shape[0]!, a.shape[1]!, b.shape[1]!]
  const [left, right, into] = [a.dtype, b.dtype, out.dtype]
  if (!isFloat(left) || !isFloat(right) || !isFloat(into) || !isFloat(acc))
    return refuse(
      'reference.shape',
      `${program.name}: expected floats under scales, found ${left}, ${right} and ${into}`,
    )
  const read = (name: string, rows: number): E.Either<ReferenceFailure, readonly [Dtype, Float64Array]> =>
    pipe(
      constant(program, name),
      E.chainW(({ dtype, shape }) =>
        pipe(
          given(name, shape),
          E.chainW((packed): E.Either<ReferenceFailure, Float64Array> =>
            packed.length === (rows * k) / scales.block
              ? pipe(
                  unpacked(packed, rows, k / scales.block),
                  E.mapLeft(({ message }) =>
                    failure('reference.shape', `${program.name}: ${name}: ${message}`),
                  ),
                )
              : refuse(
                  'reference.shape',
                  `${program.name}: ${name} has not a scale for every ${String(scales.block)} of k`,
                ),
          ),
          E.map((values) => [dtype, values] as const),
        ),
      ),
    )
  return pipe(
    E.Do,
    E.bind('sa', () => read(scales.a, m)),
    E.bind('sb', () => read(scales.b, n)),
    E.chainW(({ sa: [scale, sa], sb: [other, sb] }) =>
      scale === other && (scale === 'e8m0' || scale === 'ue4m3')
        ? naiveScaledMatmul(
            algebra,
            { a: left, b: right, acc, scale, block: scales.block, out: into },
            { m, n, k },
            [av, bv, sa, sb],
          )
        : refuse(
            'reference.shape',
            `${program.name}: expected scales of e8m0 or ue4m3, found ${scale} and ${other}`,
          ),
    ),
  )
}

/** The output that the program should give for these inputs. Refuses a program that does not say what it computes. */
export const referenceOf = (
  program: Program,
  algebra: Algebra,
  inputs: ReadonlyMap<string, Float64Array>,
): E.Either<ReferenceFailure, Reference> => {
  const computes = program.computes
  if (computes === undefined)
    return refuse('reference.missing', `${program.name} does not say what it computes`)
  const given = (name: string, shape: ReadonlyArray<number>): E.Either<ReferenceFailure, Float64Array> => {
    const values = inputs.get(name)
    return values === undefined || values.length !== product(shape)
      ? refuse('reference.missing', `${program.name}: no values for input ${name}`)
      : E.right(values)
  }
  if (computes._tag === 'copy') {
    const from = constant(program, computes.from)
    if (E.isLeft(from)) return from
    const values = given(computes.from, from.right.shape)
    return E.isLeft(values)
      ? values
      : E.right({ tensor: computes.out, name: `its input ${computes.from}`, values: values.right })
  }
  const [a, b, out] = [
    constant(program, computes.a),
    constant(program, computes.b),
    constant(program, computes.out),
  ]
  if (E.isLeft(a)) return a
  if (E.isLeft(b)) return b
  if (E.isLeft(out)) return out
  const av = given(computes.a, a.right.shape)
  if (E.isLeft(av)) return av
  const bv = given(computes.b, b.right.shape)
  if (E.isLeft(bv)) return bv
  const scales = computes.scales
  const turned = (which: 'a' | 'b'): boolean =>
    computes.transposed === which || computes.transposed === 'both'
  const [left, right] = [
    turned('a')
      ? transposeOf(a.right, av.right)
      : { dtype: a.right.dtype, shape: a.right.shape, values: av.right },
    turned('b')
      ? transposeOf(b.right, bv.right)
      : { dtype: b.right.dtype, shape: b.right.shape, values: bv.right },
  ]
  const values =
    scales === undefined
      ? naiveMatmul(
          algebra,
          {
            operand: left.dtype,
            right: right.dtype,
            accumulator: computes.accumulator,
            out: out.right.dtype,
            saturate: computes.saturate === true,
          },
          { m: left.shape[0]!, n: right.shape[1]!, k: left.shape[1]! },
          left.values,
          right.values,
        )
      : scaledOf(
          program,
          algebra,
          computes,
          scales,
          { a: left, b: right, out: out.right },
          given,
          left.values,
          right.values,
        )
  const [rows, columns] = [left.shape[0]!, right.shape[1]!]
  return E.isLeft(values)
    ? values
    : E.right({
        tensor: computes.out,
        name: scales === undefined ? 'naive matmul' : 'naive block-scaled matmul',
        values:
          computes.transposedOut === true
            ? transposeOf({ dtype: out.right.dtype, shape: [rows, columns] }, values.right).values
            : values.right,
      })
}
