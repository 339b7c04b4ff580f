/**
 * Tensors: `arith`, `math`, and the operations of `tt` that make, rearrange and reduce tensors.
 *
 * A tensor is a tile whose register layout is that of its encoding on its shape. An operation takes an encoding where its result type
 * cannot be read off its operands; each is one `let`:
 *
 *     %rm_1 = tt.make_range {end = 64, start = 0} : tensor<64xi32, #slice>      makeRange('rm_1', 0, 64, slice)
 *     %rm_4 = tt.splat %rm : i32 -> tensor<64xi32, #slice>                      splat('rm_4', rm, [64], slice)
 *     %rm_6 = arith.addi %rm_4, %rm_1                                           addi('rm_6', rm4, rm1)
 *     %pa   = tt.expand_dims %rm_6 {axis = 1} : ... -> tensor<64x1xi32, #b>     expandDims('pa', rm6, 1, b)
 *
 * | in MLIR                       | here                                                                       |
 * |-------------------------------|----------------------------------------------------------------------------|
 * | operands of one type          | the same element, shape and layout, or refused                             |
 * | `maxnumf`, `minnumf`          | the other operand where one is NaN                                         |
 * | `cmpf`                        | ordered ones and `une` are the core's; the others are made of them         |
 * | `truncf`, `sitofp`            | to nearest, ties to even                                                   |
 * | `fptosi`                      | towards zero                                                               |
 * | the region of `tt.reduce`     | a function of two scalars; the result's encoding is the slice of the operand's |
 *
 * Not here: `math.exp` (a compiler makes it of `exp2`), `tt.dot` and gathers.
 *
 * Laws
 * 1. An operation is one `let` whose name is its label, and its type is the result type that MLIR infers.
 * 2. `expand_dims` of a tensor is legal exactly if the tensor's layout is the slice of the result's; so is `reduce`, the other way.
 *
 * Source: MLIR, arith and math dialects; Triton, Triton dialect.
 */
import * as E from 'fp-ts/lib/Either.js'
import { sliceDimension, type LinearLayout } from '../../layouts/linear/linear-layout.js'
import type { DistributedSpec } from '../../layouts/triton/encoding.js'
import { onShape } from '../../layouts/triton/to-linear.js'
import type { FloatDtype } from '../../numerics/dtype.js'
import {
  block,
  letIn,
  of,
  typedHere,
  typeHere,
  type Build,
  type Steps,
} from '../../semantics/writing/builder.js'
import * as X from '../../semantics/language/expression.js'
import type {
  Above,
  Arithmetic,
  Below,
  Condition,
  Expr,
  Int,
  Like,
  Truth,
} from '../../semantics/language/expression.js'
import { checked } from '../../semantics/language/index-types.js'
import { accepts, layoutsAgree, showType } from '../../semantics/language/typecheck.js'
import {
  isBitcast,
  isInteger,
  type PtrIndex,
  type ScalarName,
  type TileIndex,
  type Type,
  type TypeIndex,
} from '../../semantics/language/types.js'
import { rememberedBy } from '../../remembered.js'
import { sameShape, showShape, type Shape } from '../../transforms/shape.js'
import { isPermutation } from '../../transforms/transpose.js'
import { refuse, refused, type Code } from './codes.js'
import { tensorHere, type Tensor } from './types.js'

// ---------------------------------------------------------------- encodings

const slices = rememberedBy<DistributedSpec, number, DistributedSpec>()
/** An encoding without one dimension: one object for both, so that its layouts are worked out once. */
const sliceOf = (parent: DistributedSpec, dim: number): DistributedSpec =>
  slices(parent, dim, () => ({ _tag: 'slice', dim, parent }))

/** The layout of a tensor of this shape. */
export const layoutOf = (label: string, encoding: DistributedSpec, shape: Shape): Build<LinearLayout> => {
  const layout = onShape(encoding)(shape)
  return E.isRight(layout)
    ? of(layout.right)
    : refused(
        'ttng.encoding',
        `${label}: a ${encoding._tag} is not an encoding of ${showShape(shape)}: ${layout.left.message}`,
      )
}

// ---------------------------------------------------------------- operands

/** A type as Triton writes it. */
export const shown = (type: Type): string =>
  showType(type).replace(/^tile/, 'tensor').replace(/^view/, 'memdesc')

type Wanted = 'float' | 'integer' | 'any'

export const elementOf = (type: Type): ScalarName | null =>
  type._tag === 'scalar'
    ? type.dtype
    : type._tag === 'tile' && type.element._tag === 'scalar'
      ? type.element.dtype
      : null

export const wantedOf = (op: string, label: string, wanted: Wanted, expr: Expr): Build<Type> =>
  typedHere(expr, (type) => {
    const element = elementOf(type)
    return element !== null && (wanted === 'any' || isInteger(element) === (wanted === 'integer'))
      ? E.right(type)
      : refuse(
          'ttng.arith.element_type',
          `${label}: ${op} takes ${wanted === 'any' ? 'numbers' : wanted === 'float' ? 'floats' : 'integers'}, found ${shown(type)}`,
        )
  })

export const alike = function* (op: string, label: string, wanted: Wanted, x: Expr, y: Expr): Steps<void> {
  const left = yield* wantedOf(op, label, wanted, x)
  const right = yield* wantedOf(op, label, wanted, y)
  if (!accepts(left, right))
    yield* refused(
      'ttng.arith.operands',
      `${label}: ${op} takes operands of one type, found ${shown(left)} and ${shown(right)}`,
    )
}

// ---------------------------------------------------------------- arith: two operands

export type Binary = <I extends Arithmetic>(label: string, x: Expr<I>, y: Expr<I>) => Build<Expr<I>>

export const binary =
  (op: string, wanted: Wanted, of: (x: Expr<'i32'>, y: Expr<'i32'>) => Expr<'i32'>): Binary =>
  <I extends Arithmetic>(label: string, x: Expr<I>, y: Expr<I>): Build<Expr<I>> =>
    block(function* () {
      yield* alike(op, label, wanted, x, y)
      return yield* letIn(
        label,
        checked<Expr<I>, Expr>(of(checked<Expr<'i32'>, Expr>(x), checked<Expr<'i32'>, Expr>(y))),
      )
    })

export const addi: Binary = binary('addi', 'integer', X.add)
export const subi: Binary = binary('subi', 'integer', X.sub)
export const muli: Binary = binary('muli', 'integer', X.mul)
/** Rounds towards zero. */
export const divsi: Binary = binary('divsi', 'integer', X.quo)
export const remsi: Binary = binary('remsi', 'integer', X.rem)
export const minsi: Binary = binary('minsi', 'integer', X.min)
export const maxsi: Binary = binary('maxsi', 'integer', X.max)
export const andi: Binary = binary('andi', 'integer', X.and)
export const ori: Binary = binary('ori', 'integer', X.or)
export const xori: Binary = binary('xori', 'integer', X.xor)
export const shli: Binary = binary('shli', 'integer', X.shl)
export const shrsi: Binary = binary('shrsi', 'integer', X.shrS)
export const shrui: Binary = binary('shrui', 'integer', X.shrU)

/** A number, repeated for every element of a type. */
export const everywhere = (type: Type, value: number): Expr =>
  type._tag === 'tile' && type.element._tag === 'scalar'
    ? X.splat<ScalarName, number>(literal(type.element.dtype, value), type.shape, type.layout)
    : literal(type._tag === 'scalar' ? type.dtype : 'i32', value)

export const addf: Binary = binary('addf', 'float', X.add)
export const subf: Binary = binary('subf', 'float', X.sub)
export const mulf: Binary = binary('mulf', 'float', X.mul)
export const divf: Binary = binary('divf', 'float', (x, y) =>
  checked<Expr<'i32'>, Expr>(X.fdiv(checked<Expr<'f32'>, Expr>(x), checked<Expr<'f32'>, Expr>(y))),
)
export const minnumf: Binary = binary('minnumf', 'float', X.min)
export const maxnumf: Binary = binary('maxnumf', 'float', X.max)

// ---------------------------------------------------------------- arith: comparisons and choices

const swapped =
  (of: typeof X.ltU): typeof X.ltU =>
  (x, y) =>
    of(y, x)
type Comparison = typeof X.ltU
export type IntegerPredicate = 'eq' | 'ne' | 'slt' | 'sle' | 'sgt' | 'sge' | 'ult' | 'ule' | 'ugt' | 'uge'
/** `o`: false if an operand is a NaN; `u`: true if an operand is a NaN. */
export const floatPredicateNames = [
  'false',
  'oeq',
  'ogt',
  'oge',
  'olt',
  'ole',
  'one',
  'ord',
  'ueq',
  'ugt',
  'uge',
  'ult',
  'ule',
  'une',
  'uno',
  'true',
] as const
export type FloatPredicate = (typeof floatPredicateNames)[number]
const integerPredicates: Readonly<Record<IntegerPredicate, Comparison>> = {
  eq: X.eq,
  ne: X.ne,
  slt: X.lt,
  sle: X.le,
  sgt: X.gt,
  sge: X.ge,
  ult: X.ltU,
  ule: X.leU,
  ugt: swapped(X.ltU),
  uge: swapped(X.leU),
}
type Truths = Expr<'i1'>
const truth = (of: Expr): Truths => checked<Truths, Expr>(of)
/** Of two predicates of the same operands. */
const joined =
  (join: (x: Truths, y: Truths) => Truths, of: Comparison, and: Comparison): Comparison =>
  <I extends Arithmetic>(x: Expr<I>, y: Expr<I>) =>
    checked<Expr<Truth<I>>, Expr>(join(truth(of(x, y)), truth(and(x, y))))
const opposite =
  (of: Comparison): Comparison =>
  <I extends Arithmetic>(x: Expr<I>, y: Expr<I>) =>
    checked<Expr<Truth<I>>, Expr>(X.not(truth(of(x, y))))
const itself =
  (of: Comparison): Comparison =>
  (x) =>
    of(x, x)
const ordered = joined(X.and, itself(X.eq), swapped(itself(X.eq)))
const unequal = joined(X.or, X.lt, X.gt)
const floatPredicates: Readonly<Record<FloatPredicate, Comparison>> = {
  false: joined(X.and, X.eq, X.ne),
  oeq: X.eq,
  ogt: X.gt,
  oge: X.ge,
  olt: X.lt,
  ole: X.le,
  one: unequal,
  ord: ordered,
  ueq: opposite(unequal),
  ugt: opposite(X.le),
  uge: opposite(X.lt),
  ult: opposite(X.ge),
  ule: opposite(X.gt),
  une: X.ne,
  uno: opposite(ordered),
  true: joined(X.or, X.eq, X.ne),
}

/** `arith.cmpi predicate, %x, %y`. */
export const cmpi = <I extends Arithmetic>(
  label: string,
  predicate: IntegerPredicate,
  x: Expr<I>,
  y: Expr<I>,
): Build<Expr<Truth<I>>> =>
  block(function* () {
    yield* alike('cmpi', label, 'integer', x, y)
    return yield* letIn(label, integerPredicates[predicate](x, y))
  })
/** `arith.cmpf predicate, %x, %y`. */
export const cmpf = <I extends Arithmetic>(
  label: string,
  predicate: FloatPredicate,
  x: Expr<I>,
  y: Expr<I>,
): Build<Expr<Truth<I>>> =>
  block(function* () {
    yield* alike('cmpf', label, 'float', x, y)
    return yield* letIn(label, floatPredicates[predicate](x, y))
  })

/** `arith.select %condition, %x, %y`: the condition is one, or one for each element. */
export const select = <I extends TypeIndex>(
  label: string,
  condition: Condition | Tensor<'i1'>,
  x: Expr<I>,
  y: Expr<I>,
): Build<Expr<I>> =>
  block(function* () {
    const left = yield* typeHere(x)
    const right = yield* typeHere(y)
    if (!accepts(left, right))
      return yield* refused(
        'ttng.arith.operands',
        `${label}: select takes operands of one type, found ${shown(left)} and ${shown(right)}`,
      )
    return yield* letIn(label, X.select(condition, x, y))
  })

// ---------------------------------------------------------------- arith: conversions

export type Convert = <I extends Arithmetic, D extends ScalarName>(
  label: string,
  x: Expr<I>,
  to: D,
) => Build<Expr<Like<I, D>>>

const width: Readonly<Record<string, number>> = {
  i1: 1,
  i32: 32,
  i64: 64,
  f16: 16,
  bf16: 16,
  tf32: 32,
  f32: 32,
}
const widthOf = (dtype: ScalarName): number => width[dtype] ?? 8

export const convert =
  (
    op: string,
    from: Wanted,
    into: Wanted,
    widths: 'wider' | 'narrower' | 'any' | 'bits',
    of: <I extends Arithmetic, D extends ScalarName>(x: Expr<I>, to: D) => Expr<Like<I, D>>,
  ): Convert =>
  <I extends Arithmetic, D extends ScalarName>(label: string, x: Expr<I>, to: D): Build<Expr<Like<I, D>>> =>
    block(function* () {
      const type = yield* wantedOf(op, label, from, x)
      const found = elementOf(type)!
      const [a, b] = [widthOf(found), widthOf(to)]
      const legal =
        widths === 'any' ||
        (widths === 'wider' ? b > a : widths === 'narrower' ? b < a : isBitcast(found, to))
      if ((into !== 'any' && isInteger(to) !== (into === 'integer')) || !legal)
        return yield* refused(
          'ttng.arith.cast',
          `${label}: ${op} gives ${widths === 'any' ? '' : widths === 'bits' ? 'an equally wide ' : `a ${widths} `}${into === 'any' ? 'type' : into} than it takes, found ${found} to ${to}`,
        )
      return yield* letIn(label, of(x, to))
    })

export const extsi: Convert = convert('extsi', 'integer', 'integer', 'wider', X.extS)
export const extui: Convert = convert('extui', 'integer', 'integer', 'wider', X.extU)
export const trunci: Convert = convert('trunci', 'integer', 'integer', 'narrower', X.trunc)
export const extf: Convert = convert('extf', 'float', 'float', 'wider', X.cast)
/** To nearest, ties to even. */
export const truncf: Convert = convert('truncf', 'float', 'float', 'narrower', X.cast)
export const sitofp: Convert = convert('sitofp', 'integer', 'float', 'any', X.cast)
/** Towards zero. */
export const fptosi: Convert = convert('fptosi', 'float', 'integer', 'any', (x, to) => X.cast(x, to, 'rz'))
/** `arith.bitcast`, `tt.bitcast`; narrow integers are i32 here, the bits of narrow floats its low ones. */
export const bitcast: Convert = convert('bitcast', 'any', 'any', 'bits', X.bitcast)

// ---------------------------------------------------------------- math

export type Floating = FloatDtype | TileIndex<FloatDtype, number>
export type Unary = <I extends Floating>(label: string, x: Expr<I>) => Build<Expr<I>>
export const unary =
  (op: string, of: <I extends Floating>(x: Expr<I>) => Expr<I>): Unary =>
  <I extends Floating>(label: string, x: Expr<I>): Build<Expr<I>> =>
    block(function* () {
      yield* wantedOf(op, label, 'float', x)
      return yield* letIn(label, of(x))
    })
export const negf: Unary = unary('negf', X.neg)
export const absf: Unary = unary('absf', X.abs)
export const exp2: Unary = unary('exp2', X.exp2)
export const log2: Unary = unary('log2', X.log2)
export const sqrt: Unary = unary('sqrt', X.sqrt)
/** `math.fma %x, %y, %z`: rounded once. */
export const fma = <I extends Floating>(label: string, x: Expr<I>, y: Expr<I>, z: Expr<I>): Build<Expr<I>> =>
  block(function* () {
    yield* alike('fma', label, 'float', x, y)
    yield* alike('fma', label, 'float', x, z)
    return yield* letIn(label, X.fma(x, y, z))
  })

// ---------------------------------------------------------------- constants

const literal = (dtype: ScalarName, value: number | bigint | boolean): Expr<ScalarName> => {
  switch (dtype) {
    case 'i1':
      return X.i1(Boolean(value))
    case 'i32':
      return X.i32(Number(value))
    case 'i64':
      return X.i64(BigInt(value))
    default:
      return X.float(dtype, Number(value))
  }
}

type Constant = {
  <D extends ScalarName>(label: string, dtype: D, value: number | bigint | boolean): Build<Expr<D>>
  <D extends ScalarName, const S extends Shape>(
    label: string,
    dtype: D,
    value: number | bigint | boolean,
    shape: S,
    encoding: DistributedSpec,
  ): Build<Tensor<D, S['length']>>
}
/** `arith.constant value`, or with a shape `arith.constant dense<value>`. */
export const constant: Constant = (
  label: string,
  dtype: ScalarName,
  value: number | bigint | boolean,
  shape?: Shape,
  encoding?: DistributedSpec,
): Build<never> =>
  block(function* () {
    if (isInteger(dtype) && typeof value === 'number' && !Number.isInteger(value))
      return yield* refused(
        'ttng.constant.value',
        `${label}: a constant of ${dtype} is an integer, found ${String(value)}`,
      )
    const one = literal(dtype, value)
    if (shape === undefined || encoding === undefined) return checked<never, Expr>(yield* letIn(label, one))
    return checked<never, Expr>(
      yield* letIn(label, X.splat<ScalarName, number>(one, shape, yield* layoutOf(label, encoding, shape))),
    )
  })

// ---------------------------------------------------------------- tt: tensors that are made

/** `tt.get_program_id axis`. */
export const getProgramId = (label: string, axis: 'x' | 'y' | 'z'): Build<Int> =>
  letIn(label, X.place('programId', 'xyz'.indexOf(axis)))
/** `tt.get_num_programs axis`. */
export const getNumPrograms = (label: string, axis: 'x' | 'y' | 'z'): Build<Int> =>
  letIn(label, X.place('gridDim', 'xyz'.indexOf(axis)))

/** `tt.make_range {start, end}`. */
export const makeRange = (
  label: string,
  start: number,
  end: number,
  encoding: DistributedSpec,
): Build<Tensor<'i32', 1>> =>
  block(function* () {
    const size = end - start
    if (!Number.isInteger(start) || !(size > 0) || !Number.isInteger(Math.log2(size)))
      return yield* refused(
        'ttng.make_range.range',
        `${label}: make_range counts from start up to end, a power of two of numbers, found ${String(start)} to ${String(end)}`,
      )
    return yield* letIn(label, X.iota<1>([size], 0, yield* layoutOf(label, encoding, [size]), start))
  })

type Element = ScalarName | PtrIndex
/** `tt.splat %x`: of a scalar or a pointer. */
export const splat = <D extends Element, const S extends Shape>(
  label: string,
  x: Expr<D>,
  shape: S,
  encoding: DistributedSpec,
): Build<Tensor<D, S['length']>> =>
  block(function* () {
    const type = yield* typeHere(x)
    if (type._tag !== 'scalar' && type._tag !== 'ptr')
      return yield* refused(
        'ttng.splat.operand',
        `${label}: splat takes a scalar or a pointer, found ${shown(type)}`,
      )
    return yield* letIn(label, X.splat<D, S['length']>(x, shape, yield* layoutOf(label, encoding, shape)))
  })

// ---------------------------------------------------------------- tt: tensors that are rearranged

export const axisOf = (
  label: string,
  op: 'expand_dims' | 'reduce',
  axis: number,
  rank: number,
): Build<void> =>
  block(function* () {
    if (!Number.isInteger(axis) || axis < 0 || axis >= rank)
      return yield* refused(
        op === 'reduce' ? 'ttng.reduce.axis' : 'ttng.expand_dims.axis',
        `${label}: axis of ${op} must be one of the ${String(rank)} dimensions, from 0, found ${String(axis)}`,
      )
  })

/** `tt.expand_dims %x {axis}`: the encoding of `x` is the slice of the result's. */
export const expandDims = <D extends Element, R extends number>(
  label: string,
  x: Tensor<D, R>,
  axis: number,
  encoding: DistributedSpec,
): Build<Tensor<D, Above<R>>> =>
  block(function* () {
    const type = yield* tensorHere(label, 'src', x)
    yield* axisOf(label, 'expand_dims', axis, type.shape.length + 1)
    const shape = [...type.shape.slice(0, axis), 1, ...type.shape.slice(axis)]
    const layout = yield* layoutOf(label, encoding, shape)
    const sliced = yield* layoutOf(label, sliceOf(encoding, axis), type.shape)
    if (!layoutsAgree(type.layout, sliced, type.shape))
      return yield* refused(
        'ttng.expand_dims.encoding',
        `${label}: the encoding of src must be the slice of dimension ${String(axis)} of the result's ${encoding._tag}, on ${showShape(type.shape)}`,
      )
    return yield* letIn(label, X.expandDims(x, axis, layout))
  })

/** `tt.broadcast %x`: dimensions of extent 1 repeat; the encoding stays. */
export const broadcast = <D extends Element, R extends number>(
  label: string,
  x: Tensor<D, R>,
  shape: Shape,
  encoding: DistributedSpec,
): Build<Tensor<D, R>> =>
  block(function* () {
    const type = yield* tensorHere(label, 'src', x)
    if (
      shape.length !== type.shape.length ||
      type.shape.some((extent, d) => extent !== 1 && extent !== shape[d])
    )
      return yield* refused(
        'ttng.broadcast.shape',
        `${label}: broadcast repeats dimensions of extent 1 and keeps the others, found ${showShape(type.shape)} to ${showShape(shape)}`,
      )
    if (!layoutsAgree(type.layout, yield* layoutOf(label, encoding, type.shape), type.shape))
      return yield* refused(
        'ttng.broadcast.encoding',
        `${label}: src and result of broadcast must have one encoding, and src is not the result's ${encoding._tag} on ${showShape(type.shape)}`,
      )
    return yield* letIn(label, X.broadcast(x, shape, yield* layoutOf(label, encoding, shape)))
  })

/** `tt.reshape %x`: the elements in row-major order. */
export const reshape = <D extends Element, const S extends Shape>(
  label: string,
  x: Tensor<D>,
  shape: S,
  encoding: DistributedSpec,
): Build<Tensor<D, S['length']>> =>
  block(function* () {
    const type = yield* tensorHere(label, 'src', x)
    const size = (of: Shape): number => of.reduce((n, extent) => n * extent, 1)
    if (size(type.shape) !== size(shape))
      return yield* refused(
        'ttng.reshape.shape',
        `${label}: reshape keeps the number of elements, found ${showShape(type.shape)} to ${showShape(shape)}`,
      )
    return yield* letIn(label, X.reshape<D, S['length']>(x, shape, yield* layoutOf(label, encoding, shape)))
  })

/** `tt.trans %x {order}`. */
export const trans = <D extends Element, R extends number>(
  label: string,
  x: Tensor<D, R>,
  order: ReadonlyArray<number>,
  encoding: DistributedSpec,
): Build<Tensor<D, R>> =>
  block(function* () {
    const type = yield* tensorHere(label, 'src', x)
    if (order.length !== type.shape.length || !isPermutation(order))
      return yield* refused(
        'ttng.trans.order',
        `${label}: order must be a permutation of the dimensions of ${showShape(type.shape)}, found ${showShape(order)}`,
      )
    const shape = order.map((d) => type.shape[d]!)
    return yield* letIn(label, X.transpose(x, order, yield* layoutOf(label, encoding, shape)))
  })

/**
 * The bits of an axis by their holders, the least significant first: registers of a thread, lanes of a warp,
 * warps. Null if a basis reaches along several axes.
 */
export const holdersOf = (
  layout: LinearLayout,
  axis: number,
): ReadonlyArray<ReadonlyArray<number>> | null => {
  const found = ['register', 'lane', 'warp'].map((name) =>
    (layout.inputs.find((input) => input.name === name)?.bases ?? [])
      .filter((basis) => basis[axis] !== 0)
      .map((basis) => (basis.every((x, d) => d === axis || x === 0) ? Math.log2(basis[axis]!) : -1)),
  )
  return found.flat().every((bit) => Number.isInteger(bit) && bit >= 0) ? found : null
}

/**
 * Combines along an axis as the compiler does: a thread its registers, one after another; then lanes, and then warps, by butterflies, those that
 * are furthest apart first. Where sums are rounded, this order is the result.
 *
 *     8 columns of nvidia_mma, lanes 0 to 3, two neighbours a lane      ((0 + 1) + (4 + 5)) + ((2 + 3) + (6 + 7))
 */
const combined = (
  x: Tensor,
  shape: Shape,
  axis: number,
  [registers = [], ...others]: ReadonlyArray<ReadonlyArray<number>>,
  combine: (x: Expr<'f32'>, y: Expr<'f32'>) => Expr<'f32'>,
  layout: LinearLayout | 'any',
): Expr => {
  const bits = Math.log2(shape[axis]!)
  const [before, behind] = [shape.slice(0, axis), shape.slice(axis + 1)]
  // the axis as its bits, the most significant first; then warps, lanes, registers, each from its most significant on
  const split = X.reshape(checked<Tensor<'f32'>, Tensor>(x), [
    ...before,
    ...Array<number>(bits).fill(2),
    ...behind,
  ])
  const descending = others.map((of) => [...of].reverse()).reverse()
  const order = [...descending.flat(), ...[...registers].reverse()].map((bit) => axis + bits - 1 - bit)
  const arranged = X.transpose(split, [
    ...before.map((_, d) => d),
    ...order,
    ...behind.map((_, d) => axis + bits + d),
  ])
  // lanes before warps: what is furthest apart of the lanes stands behind the warps
  const [lanes = [], warps = []] = others
  const outer = [...Array<number>(warps.length + lanes.length).fill(2)]
  const steps = [...lanes.map(() => axis + warps.length), ...warps.map(() => axis)]
  const grouped = X.reshape<'f32', number>(arranged, [...before, ...outer, 2 ** registers.length, ...behind])
  const inThread = X.reduce(grouped, axis + outer.length, combine, steps.length === 0 ? layout : 'any')
  return steps.reduce<Tensor<'f32'>>(
    (partial, at, k) => X.reduce(partial, at, combine, k === steps.length - 1 ? layout : 'any'),
    inThread,
  )
}

/** `"tt.reduce"(%x) <{axis}> ({ combine })`. */
export const reduce = <D extends ScalarName, R extends number>(
  label: string,
  x: Tensor<D, R>,
  axis: number,
  combine: (x: Expr<D>, y: Expr<D>) => Expr<D>,
): Build<Tensor<D, Below<R>>> =>
  block(function* () {
    const type = yield* tensorHere(label, 'operand', x)
    yield* axisOf(label, 'reduce', axis, type.shape.length)
    const linear = type.layout === 'any' || type.layout._tag !== 'linear' ? null : type.layout
    const sliced = linear === null ? null : sliceDimension(axis)(linear)
    const layout = sliced !== null && E.isRight(sliced) ? sliced.right : 'any'
    const holders = linear === null ? null : holdersOf(linear, axis)
    const isWhole = holders !== null && 2 ** holders.flat().length === type.shape[axis]
    const value = isWhole
      ? combined(x, type.shape, axis, holders, checked<never, typeof combine>(combine), layout)
      : X.reduce(x, axis, combine, layout)
    return yield* letIn(label, checked<Tensor<D, Below<R>>, Expr>(value))
  })

/** Refuses two tensors of different shapes, with the code `code`. */
export const sameShapes = (
  label: string,
  code: Code,
  what: string,
  expected: Shape,
  found: Shape,
): Build<void> =>
  block(function* () {
    if (!sameShape(expected, found))
      return yield* refused(
        code,
        `${label}: ${what}, expected ${showShape(expected)}, found ${showShape(found)}`,
      )
  })
