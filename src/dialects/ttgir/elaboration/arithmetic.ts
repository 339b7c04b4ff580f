/**
 * Numbers, and tensors of numbers element by element: `arith`, `math`, and what of `tt` is one of them.
 *
 * What LLVM contracts is contracted here (`sum`), and an f32 quotient is the chip's quick one: the bits of an output depend on both.
 *
 * Source: MLIR, arith and math; Triton 3.6, its lowering to PTX.
 */
import { decode } from '../../../numerics/float-format.js'
import type { SpecialUnary } from '../../../numerics/special-functions/names.js'
import { bitsOf, isFloat } from '../../../numerics/dtype.js'
import { block, letIn, run, typeHere, type Build, type Steps } from '../../../semantics/writing/builder.js'
import * as X from '../../../semantics/language/expression.js'
import type { Expr, View } from '../../../semantics/language/expression.js'
import { checked } from '../../../semantics/language/index-types.js'
import * as T from '../../ttng/index.js'
import type { AnyTile } from '../../../semantics/language/instruction.js'
import { keyOf } from './flight.js'
import { refusedAt, valueOf, type Here, type Row, type Rows } from './here.js'
import { behindPointer, elementOf, shapeOf } from './kinds.js'
import { above, narrowOf, signed, unsigned } from './narrow.js'
import { as, isFlight, layoutOfResult, operand, operands, resultType, scalarHere, word } from './operands.js'
import { untyped } from './regions.js'
import { showAttribute, showType } from '../text/show.js'
import { attributeOf, type Attribute, type Operation, type Type } from '../text/syntax.js'
import { own } from '../../../own.js'

const binary = (of: (label: string, x: never, y: never) => Build<Expr>): Row =>
  function* (h, op, label) {
    return [yield* of(label, yield* operand(h, op, 'lhs'), yield* operand(h, op, 'rhs'))]
  }
const narrowOperands = function* (
  label: string,
  x: Expr,
  y: Expr,
  bits: 8 | 16,
  taken: 'signed' | 'unsigned',
): Steps<readonly [Expr, Expr]> {
  return taken === 'signed'
    ? [x, y]
    : [yield* unsigned(`${label}.lhs`, x, bits), yield* unsigned(`${label}.rhs`, y, bits)]
}

/** A truth, or a tensor of such. */
const isTruth = (t: Type): boolean => {
  const element = elementOf(t)
  return element._tag === 'integer' && element.bits === 1
}

/**
 * Of integers, narrow ones too. What leaves the range of a narrow one is brought back, and an operation on unsigned ones has zeros above them.
 * A product of two truths is that both hold (`mask * mask`); a sum of them, and a difference, is that they differ.
 */
const integers = (
  of: (label: string, x: never, y: never) => Build<Expr>,
  taken: 'signed' | 'unsigned' = 'signed',
  ofTruths = of,
): Row =>
  function* (h, op, label) {
    const bits = narrowOf(resultType(op))
    const [x, y]: readonly [Expr, Expr] = [yield* operand(h, op, 'lhs'), yield* operand(h, op, 'rhs')]
    if (isTruth(resultType(op))) return [yield* ofTruths(label, as(x), as(y))]
    if (bits === null) return [yield* of(label, as(x), as(y))]
    const [left, right] = yield* narrowOperands(label, x, y, bits, taken)
    return [yield* signed(label, yield* of(`${label}.wide`, as(left), as(right)), bits)]
  }

/** A choice that may be in flight: the registers of the product, in which the tensor is written where the loop hands on. */
const chosenLater = function* (h: Here, op: Operation, label: string, key: string): Steps<Expr> {
  const condition = yield* operand(h, op, 'condition')
  const [x, y] = [op.operands['true']![0]!, op.operands['false']![0]!]
  const first = yield* valueOf(h, op, x)
  const isFirst = yield* isFlight(first)
  const view = isFirst ? first : yield* valueOf(h, op, y)
  const value = yield* operand(h, op, isFirst ? 'false' : 'true')
  const write = function* (): Steps<never> {
    yield* run(`${label}.write`, {
      _tag: 'regs.write',
      destination: checked<View<'regs'>, Expr>(view),
      value: checked<AnyTile, Expr>(value),
    })
    return untyped({})
  }
  const isWritten = isFirst ? as(yield* T.xori(`${label}.written`, condition, as(X.i1(true)))) : condition
  h.resets.set(key, function* () {
    yield* T.scfIf(label, isWritten, write)
  })
  return view
}

/** A product of numbers, which a sum of its basic block may take into one rounding. */
const product: Row = function* (h, op, label) {
  const [x, y]: readonly [Expr, Expr] = [yield* operand(h, op, 'lhs'), yield* operand(h, op, 'rhs')]
  for (const { name } of op.names) h.products.set(name, [x, y])
  return [yield* T.mulf(label, as(x), as(y))]
}

/**
 * A sum or a difference of numbers, which takes a product of its basic block into one rounding (`contraction.ts`).
 */
const sum = (sign: 1 | -1): Row =>
  function* (h, op, label) {
    const [x, y]: readonly [Expr, Expr] = [yield* operand(h, op, 'lhs'), yield* operand(h, op, 'rhs')]
    const [left, right] = ['lhs', 'rhs'].map((name) =>
      h.products.get(own(op.operands, name)?.[0]?.name ?? ''),
    )
    const negated = function* (e: Expr): Steps<Expr> {
      return sign === 1 ? e : yield* T.negf(`${label}.neg`, as(e))
    }
    const isLeft = left !== undefined && (right === undefined || h.contracted.get(op) !== 'rhs')
    if (isLeft) return [yield* T.fma(label, as(left[0]), as(left[1]), as(yield* negated(y)))]
    if (right !== undefined) return [yield* T.fma(label, as(yield* negated(right[0])), as(right[1]), as(x))]
    return [yield* (sign === 1 ? T.addf : T.subf)(label, as(x), as(y))]
  }

/** Of f32 the compiler takes the chip's quick quotient; `tt.precise_divf` is the one that is rounded to nearest. */
const quotient: Row = function* (h, op, label) {
  const [x, y] = [yield* operand(h, op, 'lhs'), yield* operand(h, op, 'rhs')]
  const dtype = yield* scalarHere(op, resultType(op))
  if (dtype !== 'f32') return [yield* T.divf(label, x, y)]
  if (h.quotients.has(op)) {
    const factors = [
      X.special('reciprocal.div.full.f32', y),
      X.specialQuotient('dividend.div.full.f32', x, y),
    ] as const
    for (const { name } of op.names) h.products.set(name, factors)
  }
  return [yield* letIn(label, X.specialQuotient('div.full.f32', x, y))]
}

const unary = (of: (label: string, x: never) => Build<Expr>): Row =>
  function* (h, op, label) {
    return [yield* of(label, yield* operand(h, op, 'operand'))]
  }
const conversion = (of: (label: string, x: never, to: never) => Build<Expr>, name = 'in'): Row =>
  function* (h, op, label) {
    const to = yield* scalarHere(op, resultType(op))
    return [yield* of(label, yield* operand(h, op, name), checked<never, string>(to))]
  }

/** Both halves of a product; that of narrow ones lies in 32 bits. */
const halves = (
  upper: (label: string, x: never, y: never) => Build<Expr>,
  taken: 'signed' | 'unsigned',
): Row =>
  function* (h, op, label) {
    const bits = narrowOf(resultType(op))
    const [x, y]: readonly [Expr, Expr] = [yield* operand(h, op, 'lhs'), yield* operand(h, op, 'rhs')]
    if (bits !== null) {
      const [left, right] = yield* narrowOperands(label, x, y, bits, taken)
      const whole = yield* T.muli(`${label}.wide`, as(left), as(right))
      return [yield* signed(`${label}.low`, whole, bits), yield* above(`${label}.high`, whole, bits)]
    }
    return [yield* T.muli(`${label}.low`, as(x), as(y)), yield* upper(`${label}.high`, as(x), as(y))]
  }

/** Functions of f32: the chip's, and those of the library. */
type OfF32 = Exclude<SpecialUnary, `${string}.f16` | `${string}.bf16`>

/** A function of f32 alone. */
const ofF32 = (name: OfF32): Row =>
  function* (h, op, label) {
    const x = yield* operand(h, op, 'operand')
    yield* floatOfF32(op)
    return [yield* letIn(label, X.special(name, x))]
  }
const floatOfF32 = function* (op: Operation): Steps<void> {
  for (const { type } of Object.values(op.operands).flat()) {
    const element = elementOf(type)
    if (element._tag !== 'float' || element.name !== 'f32')
      return yield* refusedAt(op, 'f32', showType(element))
  }
}

/** Functions of libdevice by their symbols, where they are of f32: what they become when they are inlined and subnormals are flushed. */
const ofLibrary: Readonly<Record<string, OfF32>> = {
  __nv_expf: '__nv_expf',
  __nv_exp2f: 'ex2.approx.ftz.f32',
  __nv_expm1f: '__nv_expm1f',
  __nv_logf: '__nv_logf',
  __nv_log2f: '__nv_log2f',
  __nv_log1pf: '__nv_log1pf',
  __nv_sinf: '__nv_sinf',
  __nv_cosf: '__nv_cosf',
  __nv_tanhf: '__nv_tanhf',
  __nv_erff: '__nv_erff',
  __nv_sqrtf: 'sqrt.approx.ftz.f32',
  __nv_rsqrtf: 'rsqrt.approx.ftz.f32',
  __nv_fast_log2f: 'lg2.approx.ftz.f32',
  __nv_fast_sinf: 'sin.approx.ftz.f32',
  __nv_fast_cosf: 'cos.approx.ftz.f32',
}
/** Rounded to f32. */
const ln2 = Math.fround(Math.LN2)
const log2e = Math.fround(Math.LOG2E)

/** A number for each element. */
const factor = function* (x: Expr, value: number): Steps<Expr> {
  return T.everywhere(yield* typeHere(x), value)
}
/** To a whole number towards zero. */
const truncated = function* (label: string, x: never): Steps<Expr> {
  const isBelow = yield* T.cmpf(`${label}.below`, 'olt', x, as(yield* factor(x, 0)))
  const [up, down] = [yield* T.ceil(`${label}.up`, x), yield* T.floor(`${label}.down`, x)]
  return yield* T.select(label, as(isBelow), as(up), as(down))
}
/** Of larger ones each is a whole number. */
const wholeFrom = 2 ** 23
/** To the nearest whole number, of two the one further from zero: a half is added, and what is behind the point left out. Below a half that sum could round up to one. */
const rounded = function* (label: string, x: never): Steps<Expr> {
  const magnitude: never = as(yield* T.absf(`${label}.magnitude`, x))
  const isBelow = yield* T.cmpf(`${label}.sign`, 'olt', x, as(yield* factor(x, 0)))
  const half = yield* T.select(
    `${label}.half`,
    as(isBelow),
    as(yield* factor(x, -0.5)),
    as(yield* factor(x, 0.5)),
  )
  const further = yield* truncated(`${label}.further`, as(yield* T.addf(`${label}.sum`, x, as(half))))
  const isLess = yield* T.cmpf(`${label}.less`, 'olt', magnitude, as(yield* factor(x, 0.5)))
  const near = yield* T.select(
    `${label}.near`,
    as(isLess),
    as(yield* truncated(`${label}.zero`, x)),
    as(further),
  )
  const isWhole = yield* T.cmpf(`${label}.whole`, 'ogt', magnitude, as(yield* factor(x, wholeFrom)))
  return yield* T.select(label, as(isWhole), x, as(near))
}

/** Functions that are made of others. */
const madeOf: Readonly<Record<string, (op: Operation, label: string, x: never, h: Here) => Steps<Expr>>> = {
  __nv_fast_expf: function* (_, label, x) {
    const scaled = yield* T.mulf(`${label}.scaled`, x, as(yield* factor(x, log2e)))
    return yield* letIn(label, X.special('ex2.approx.ftz.f32', as(scaled)))
  },
  __nv_truncf: (_, label, x) => truncated(label, x),
  __nv_roundf: (_, label, x) => rounded(label, x),
  // a product at its end, which a sum may take into its rounding
  __nv_fast_logf: function* (op, label, x, h) {
    const log2: Expr = yield* letIn(`${label}.log2`, X.special('lg2.approx.ftz.f32', x))
    const by = yield* factor(log2, ln2)
    for (const { name } of op.names) h.products.set(name, [log2, by])
    return yield* T.mulf(label, as(log2), as(by))
  },
}

/** A function of libdevice, by its symbol. */
const library: Row = function* (h, op, label) {
  const symbol = attributeOf(op.attributes, 'symbol')
  const name = symbol?._tag === 'string' ? symbol.value : ''
  const [x, y]: ReadonlyArray<never> = yield* operands(h, op, 'args')
  const isQuotient = name === '__nv_fast_fdividef'
  if (
    x === undefined ||
    (y !== undefined) !== isQuotient ||
    !(isQuotient || Object.hasOwn(ofLibrary, name) || Object.hasOwn(madeOf, name))
  )
    return yield* refusedAt(
      op,
      `a function of libdevice that is known here (${[...Object.keys(ofLibrary), ...Object.keys(madeOf), '__nv_fast_fdividef'].join(', ')})`,
      name === '' ? 'none' : name,
    )
  yield* floatOfF32(op)
  const [known, made] = [own(ofLibrary, name), own(madeOf, name)]
  if (known !== undefined) return [yield* letIn(label, X.special(known, x))]
  if (made !== undefined) return [yield* made(op, label, x, h)]
  return [yield* letIn(label, X.specialQuotient('div.approx.ftz.f32', x, y!))]
}

/** The number that a constant is everywhere. */
const constantOf = (h: Here, op: Operation, name: string): number | undefined =>
  h.constants.get(own(op.operands, name)?.[0]?.name ?? '')

const clamp: Row = function* (h, op, label) {
  const [low, high] = [constantOf(h, op, 'min'), constantOf(h, op, 'max')]
  return [
    yield* T.clampf(
      label,
      yield* operand(h, op, 'x'),
      yield* operand(h, op, 'min'),
      yield* operand(h, op, 'max'),
      {
        propagateNan: word(op, 'propagateNan') === 'all',
        symmetric: low !== undefined && high !== undefined && low === -high,
      },
    ),
  ]
}

const fromOf = (op: Operation, name: string): Type =>
  elementOf(own(op.operands, name)?.[0]?.type ?? resultType(op))

/** From a narrower integer to a wider one. */
const widening = (of: typeof T.extsi, how: 'signed' | 'unsigned'): Row =>
  function* (h, op, label) {
    const to = yield* scalarHere(op, resultType(op))
    const bits = narrowOf(fromOf(op, 'in'))
    const x: Expr = yield* operand(h, op, 'in')
    if (bits === null) return [yield* of(label, as(x), to)]
    const wide = how === 'signed' ? x : yield* unsigned(to === 'i64' ? `${label}.low` : label, x, bits)
    return [to === 'i64' ? yield* of(label, as(wide), to) : wide]
  }

/** To a narrower integer: what is above is gone. */
const narrowing: Row = function* (h, op, label) {
  const to = yield* scalarHere(op, resultType(op))
  const bits = narrowOf(resultType(op))
  const from = fromOf(op, 'in')
  const x: Expr = yield* operand(h, op, 'in')
  if (bits === null) return [yield* T.trunci(label, as(x), to)]
  const low = from._tag === 'integer' && from.bits === 64 ? yield* T.trunci(`${label}.low`, as(x), 'i32') : x
  return [yield* signed(label, low, bits)]
}

/** To an integer, towards zero. */
const rounding = (of: typeof T.fptosi): Row =>
  function* (h, op, label) {
    const to = yield* scalarHere(op, resultType(op))
    const bits = narrowOf(resultType(op))
    const x: never = yield* operand(h, op, 'in')
    return bits === null
      ? [yield* of(label, x, to)]
      : [yield* signed(label, yield* of(`${label}.wide`, x, to), bits)]
  }

const fromUnsigned: Row = function* (h, op, label) {
  const to = yield* scalarHere(op, resultType(op))
  const bits = narrowOf(fromOf(op, 'in'))
  const x: Expr = yield* operand(h, op, 'in')
  return [yield* T.uitofp(label, as(bits === null ? x : yield* unsigned(`${label}.low`, x, bits)), to)]
}

const magnitude: Row = function* (h, op, label) {
  const bits = narrowOf(resultType(op))
  const x = yield* operand(h, op, 'operand')
  return bits === null
    ? [yield* T.absi(label, x)]
    : [yield* signed(label, yield* T.absi(`${label}.wide`, x), bits)]
}

/** The pointer, or one of the pointers, that a type is. */
const pointerOf = (t: Type): Extract<Type, { readonly _tag: 'pointer' }> | null => {
  const one = t._tag === 'tensor' ? t.element : t
  return one._tag === 'pointer' ? one : null
}

/** The same bits, of another type; of a pointer the same address, of other elements. */
const sameBits = (name: string): Row =>
  function* (h, op, label) {
    const pointer = pointerOf(resultType(op))
    if (pointer !== null) {
      const to = behindPointer(pointer.pointee)
      if (to === null)
        return yield* refusedAt(op, 'pointers to elements of this library', showType(pointer.pointee))
      return [yield* letIn(label, X.castPtr(yield* operand(h, op, name), to))]
    }
    const to = yield* scalarHere(op, resultType(op))
    const bits = narrowOf(resultType(op))
    const x: Expr = yield* operand(h, op, name)
    if (narrowOf(fromOf(op, name)) !== null && bits !== null) return [x]
    return bits === null
      ? [yield* T.bitcast(label, as(x), to)]
      : [yield* signed(label, yield* T.bitcast(`${label}.wide`, as(x), to), bits)]
  }

/** Between floats. To eight bits the chip converts to the nearest finite one. */
const fpToFp: Row = function* (h, op, label) {
  const to = yield* scalarHere(op, resultType(op))
  const rounding_ = word(op, 'rounding') === 'rtz' ? 'rz' : 'rn'
  const x: never = yield* operand(h, op, 'src')
  return [yield* letIn(label, X.cast(x, to, rounding_, isFloat(to) && bitsOf(to) === 8))]
}

/** The bits of a float constant, or its digits. */
const floatOf = (text: string, dtype: string): number => {
  if (!text.startsWith('0x')) return Number(text)
  return isFloat(dtype) ? decode(dtype, Number(text)) : Number.NaN
}

const valueOfConstant = (op: Operation, a: Attribute, dtype: string): Build<number | bigint | boolean> =>
  block(function* () {
    switch (a._tag) {
      case 'boolean':
        return a.value
      case 'integer':
        return dtype === 'i64' ? a.value : dtype === 'i1' ? a.value !== 0n : Number(a.value)
      case 'float':
        return floatOf(a.text, dtype)
      default:
        return yield* refusedAt(op, 'a number, or one number for all elements', showAttribute(a))
    }
  })

const constant: Row = function* (h, op, label) {
  const a = attributeOf(op.attributes, 'value')
  if (a === undefined) return yield* refusedAt(op, 'a value', 'none')
  const type = resultType(op)
  const dtype = yield* scalarHere(op, type)
  if (a._tag === 'dense') {
    const value = yield* valueOfConstant(op, a.value, dtype)
    const encoding = yield* layoutOfResult(h, op)
    if (typeof value === 'number') for (const { name } of op.names) h.constants.set(name, value)
    return [yield* T.constant(label, dtype, value, shapeOf(type), encoding)]
  }
  const value = yield* valueOfConstant(op, a, dtype)
  if (typeof value === 'number') for (const { name } of op.names) h.constants.set(name, value)
  return [yield* T.constant(label, dtype, value)]
}

/** A value that is none; whatever stands there is right, and here it is zero. */
const poison: Row = function* (h, op, label) {
  const type = resultType(op)
  const dtype = yield* scalarHere(op, type)
  const zero = dtype === 'i64' ? 0n : dtype === 'i1' ? false : 0
  return type._tag === 'tensor'
    ? [yield* T.constant(label, dtype, zero, shapeOf(type), yield* layoutOfResult(h, op))]
    : [yield* T.constant(label, dtype, zero)]
}

export const arithmeticRows: Rows = {
  'ub.poison': poison,
  'arith.constant': constant,
  'arith.addi': integers(T.addi, 'signed', T.xori),
  'arith.subi': integers(T.subi, 'signed', T.xori),
  'arith.muli': integers(T.muli, 'signed', T.andi),
  'arith.divsi': integers(T.divsi),
  'arith.remsi': binary(T.remsi),
  'arith.divui': integers(T.divui, 'unsigned'),
  'arith.remui': integers(T.remui, 'unsigned'),
  'arith.minsi': binary(T.minsi),
  'arith.maxsi': binary(T.maxsi),
  'arith.andi': binary(T.andi),
  'arith.ori': binary(T.ori),
  'arith.xori': binary(T.xori),
  'arith.shli': integers(T.shli),
  'arith.shrsi': binary(T.shrsi),
  'arith.shrui': integers(T.shrui, 'unsigned'),
  'arith.addf': sum(1),
  'arith.subf': sum(-1),
  'arith.mulf': product,
  'arith.divf': quotient,
  'arith.minnumf': binary(T.minnumf),
  'arith.maxnumf': binary(T.maxnumf),
  'arith.negf': unary(T.negf),
  'arith.remf': binary(T.remf),
  'arith.maximumf': binary(T.maximumf),
  'arith.minimumf': binary(T.minimumf),
  'arith.maxui': binary(T.maxui),
  'arith.minui': binary(T.minui),
  'arith.ceildivsi': integers(T.ceildivsi),
  'arith.ceildivui': integers(T.ceildivui, 'unsigned'),
  'arith.floordivsi': integers(T.floordivsi),
  'arith.mulsi_extended': halves(T.mulhisi, 'signed'),
  'arith.mului_extended': halves(T.mulhiui, 'unsigned'),
  'tt.mulhiui': function* (h, op, label) {
    return [yield* T.mulhiui(label, yield* operand(h, op, 'x'), yield* operand(h, op, 'y'))]
  },
  'math.absf': unary(T.absf),
  'math.absi': magnitude,
  'math.ceil': unary(T.ceil),
  'math.cos': ofF32('__nv_cosf'),
  'math.erf': ofF32('__nv_erff'),
  // ex2.approx.f32 of x log2 e, which is rounded
  'math.exp': ofF32('__expf'),
  'math.exp2': unary(T.exp2),
  'math.floor': unary(T.floor),
  'math.log': ofF32('__nv_logf'),
  'math.log2': ofF32('__nv_log2f'),
  'math.rsqrt': ofF32('rsqrt.approx.ftz.f32'),
  'math.sin': ofF32('__nv_sinf'),
  'math.sqrt': ofF32('sqrt.approx.ftz.f32'),
  'math.tanh': ofF32('__nv_tanhf'),
  'tt.extern_elementwise': library,
  'tt.precise_sqrt': function* (h, op, label) {
    return [yield* T.sqrt(label, yield* operand(h, op, 'x'))]
  },
  'tt.clampf': clamp,
  'math.fma': function* (h, op, label) {
    return [
      yield* T.fma(label, yield* operand(h, op, 'a'), yield* operand(h, op, 'b'), yield* operand(h, op, 'c')),
    ]
  },
  'arith.cmpi': function* (h, op, label) {
    const predicate = checked<T.IntegerPredicate, string>(word(op, 'predicate') ?? '')
    return [yield* T.cmpi(label, predicate, yield* operand(h, op, 'lhs'), yield* operand(h, op, 'rhs'))]
  },
  'arith.cmpf': function* (h, op, label) {
    const predicate = word(op, 'predicate') ?? ''
    return [
      yield* T.cmpf(
        label,
        checked<T.FloatPredicate, string>(predicate),
        yield* operand(h, op, 'lhs'),
        yield* operand(h, op, 'rhs'),
      ),
    ]
  },
  'arith.select': function* (h, op, label) {
    const key = keyOf(op.names[0]?.name ?? '', null)
    if (h.flying.has(key)) return [yield* chosenLater(h, op, label, key)]
    return [
      yield* T.select(
        label,
        yield* operand(h, op, 'condition'),
        yield* operand(h, op, 'true'),
        yield* operand(h, op, 'false'),
      ),
    ]
  },
  'arith.extsi': widening(T.extsi, 'signed'),
  'arith.extui': widening(T.extui, 'unsigned'),
  'arith.trunci': narrowing,
  'arith.extf': conversion(T.extf),
  'arith.truncf': conversion(T.truncf),
  'arith.sitofp': conversion(T.sitofp),
  'arith.uitofp': fromUnsigned,
  'arith.fptosi': rounding(T.fptosi),
  'arith.fptoui': rounding(T.fptoui),
  'arith.bitcast': sameBits('in'),
  'tt.bitcast': sameBits('src'),
  'tt.fp_to_fp': fpToFp,
  'tt.precise_divf': function* (h, op, label) {
    return [yield* T.divf(label, yield* operand(h, op, 'x'), yield* operand(h, op, 'y'))]
  },
}
