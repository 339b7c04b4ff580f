/**
 * Operations: from the text to calls of `dialects/ttng`, one operation to one call.
 *
 *     %y = ttg.memdesc_index %x[%i]       memdescIndex(label, x, i)
 *
 * An operation that has no row here is refused at its line. Those with regions stand in `elaborate.ts`.
 *
 * Source: Triton 3.6, dialects tt, ttg and ttng; MLIR, arith and math.
 */
import * as E from 'fp-ts/lib/Either.js'
import { failure, type Failure } from '../../failure.js'
import { decode } from '../../numerics/float-format.js'
import { isFloat } from '../../numerics/dtype.js'
import {
  block,
  build,
  fail,
  fromEither,
  letIn,
  typeHere,
  type Build,
  type Steps,
} from '../../semantics/writing/builder.js'
import * as X from '../../semantics/language/expression.js'
import type { Expr } from '../../semantics/language/expression.js'
import { checked } from '../../semantics/language/index-types.js'
import * as T from '../ttng/index.js'
import { registerEncoding, sharedEncoding, tensorMemoryEncoding } from './encodings.js'
import { bytesOf, dtypeOf, elementOf, scalarOf, shapeOf } from './kinds.js'
import { showPosition } from './position.js'
import { showAttribute, showType } from './show.js'
import { attributeOf, type Attribute, type Module, type Operation, type Type, type Value } from './syntax.js'

// ---------------------------------------------------------------- where an operation stands

/** What is known where an operation is elaborated. */
export interface Here {
  readonly text: Module
  readonly module: T.Module
  /** who runs it */
  readonly from: T.Issuer
  readonly grid: ReadonlyArray<number>
  /** what the values of the text are, by name */
  readonly values: Map<string, ReadonlyArray<Expr>>
  /** numbers that are constants, by the name of their value */
  readonly constants: Map<string, number>
  /** tensor maps in global memory that are acquired, by the name of their pointer */
  readonly acquired: Map<string, T.RawDesc>
  /** what a pointer to a tensor map is taken as, further on */
  readonly maps: ReadonlyMap<string, Type>
  /** values that may still be on their way (`flight.ts`) */
  readonly flying: ReadonlySet<string>
  /** products of this basic block, by the name of their value (`contracted`) */
  readonly products: Map<string, readonly [Expr, Expr]>
  /** buffers that are given back, for those that come behind; null: each has bytes of its own */
  readonly freed: Array<{ readonly bytes: number; readonly by: T.Freed }> | null
  /** a name for each operation that no other has */
  readonly labels: ReadonlyMap<Operation, string>
}

export const labelOf = (h: Here, op: Operation): string => h.labels.get(op) ?? op.name

/** Refused at the line of the operation. */
export const refusedAt = (op: Operation, expected: string, found: string): Build<never> =>
  fail(failure('ttgir.operation', `${showPosition(op.at)}: ${op.name}: expected ${expected}, found ${found}`))

/** A refusal of what is called, at the line of the operation. */
export const placed = <A>(op: Operation, made: Build<A>): Build<A> =>
  build((state) =>
    E.mapLeft((f: Failure) =>
      f.message.startsWith(`${showPosition(op.at)}: `)
        ? f
        : failure(f.code, `${showPosition(op.at)}: ${op.name}: ${f.message}`),
    )(made.run(state)),
  )

export const valueOf = (h: Here, op: Operation, value: Value): Build<Expr> =>
  block(function* () {
    const found = h.values.get(value.name)?.[value.index ?? 0]
    return found ?? (yield* refusedAt(op, `a value that is known where %${value.name} stands`, 'none'))
  })

// ---------------------------------------------------------------- operands, attributes, types

/** The text has been checked against its types, so an operand is taken as what the call takes; the call checks it again. */
const as = (e: Expr): never => checked<never, Expr>(e)

const operand = (h: Here, op: Operation, name: string): Build<never> =>
  block(function* () {
    const [value] = op.operands[name] ?? []
    return value === undefined ? yield* refusedAt(op, name, 'none') : as(yield* valueOf(h, op, value))
  })
const operands = (h: Here, op: Operation, name: string): Build<ReadonlyArray<never>> =>
  block(function* () {
    const found: never[] = []
    for (const value of op.operands[name] ?? []) found.push(as(yield* valueOf(h, op, value)))
    return found
  })
const isGiven = (op: Operation, name: string): boolean => (op.operands[name] ?? []).length > 0
/** An operand that may be left out, under the name that a call gives it. */
const optional = function* <N extends string>(
  h: Here,
  op: Operation,
  name: string,
  called: N,
): Steps<{ readonly [K in N]?: never }> {
  return checked<{ readonly [K in N]?: never }, object>(
    isGiven(op, name) ? { [called]: yield* operand(h, op, name) } : {},
  )
}
const when = (h: Here, op: Operation): Steps<{ readonly when?: never }> => optional(h, op, 'pred', 'when')

const resultType = (op: Operation, k = 0): Type => op.results[k] ?? { _tag: 'index' }

const number = (op: Operation, name: string, instead?: number): Build<number> =>
  block(function* () {
    const a = attributeOf(op.attributes, name)
    if (a?._tag === 'integer') return Number(a.value)
    if (a === undefined && instead !== undefined) return instead
    return yield* refusedAt(op, `${name} = a number`, a === undefined ? 'none' : showAttribute(a))
  })
const flag = (op: Operation, name: string): boolean => {
  const a = attributeOf(op.attributes, name)
  return a?._tag === 'unit' || (a?._tag === 'boolean' && a.value) || (a?._tag === 'integer' && a.value !== 0n)
}
const word = (op: Operation, name: string): string | undefined => {
  const a = attributeOf(op.attributes, name)
  return a?._tag === 'word' ? a.word : undefined
}
const numbers = (op: Operation, name: string): Build<ReadonlyArray<number>> =>
  block(function* () {
    const a = attributeOf(op.attributes, name)
    const items = a?._tag === 'array' || a?._tag === 'list' ? a.items : []
    const found = items.flatMap((item) => (item._tag === 'integer' ? [Number(item.value)] : []))
    return found.length > 0 && found.length === items.length
      ? found
      : yield* refusedAt(op, `${name} = numbers`, a === undefined ? 'none' : showAttribute(a))
  })

const encoded = <A>(
  op: Operation,
  read: E.Either<{ readonly code: string; readonly message: string }, A>,
): Build<A> => placed(op, fromEither(read))

const encodingOf = (t: Type): Attribute | null =>
  t._tag === 'tensor' ? t.encoding : t._tag === 'memdesc' ? t.encoding : null

/** How the result of an operation lies in registers. */
const layoutOfResult = (h: Here, op: Operation, k = 0) =>
  encoded(op, registerEncoding(h.text, encodingOf(resultType(op, k))))

const dtypeHere = (op: Operation, t: Type) =>
  block(function* () {
    return (
      dtypeOf(elementOf(t)) ??
      (yield* refusedAt(op, 'an element type of this library', showType(elementOf(t))))
    )
  })
const scalarHere = (op: Operation, t: Type) =>
  block(function* () {
    return (
      scalarOf(elementOf(t)) ??
      (yield* refusedAt(op, 'an element of i1, i32, i64 or a float in a register', showType(elementOf(t))))
    )
  })

// ---------------------------------------------------------------- rows

/** What an operation gives, one for each result. */
type Row = (h: Here, op: Operation, label: string) => Steps<ReadonlyArray<Expr>>

const binary = (of: (label: string, x: never, y: never) => Build<Expr>): Row =>
  function* (h, op, label) {
    return [yield* of(label, yield* operand(h, op, 'lhs'), yield* operand(h, op, 'rhs'))]
  }
/** A product of numbers, which a sum of its basic block may take into one rounding. */
const product: Row = function* (h, op, label) {
  const [x, y]: readonly [Expr, Expr] = [yield* operand(h, op, 'lhs'), yield* operand(h, op, 'rhs')]
  for (const { name } of op.names) h.products.set(name, [x, y])
  return [yield* T.mulf(label, as(x), as(y))]
}

/**
 * A sum or a difference of numbers. The compiler rounds `x * y + z` once wherever a product of the same basic block is an operand, also of a product
 * that is used elsewhere; of two products the first.
 */
const sum = (sign: 1 | -1): Row =>
  function* (h, op, label) {
    const [x, y]: readonly [Expr, Expr] = [yield* operand(h, op, 'lhs'), yield* operand(h, op, 'rhs')]
    const [left, right] = ['lhs', 'rhs'].map((name) => h.products.get(op.operands[name]?.[0]?.name ?? ''))
    const negated = function* (e: Expr): Steps<Expr> {
      return sign === 1 ? e : yield* T.negf(`${label}.neg`, as(e))
    }
    if (left !== undefined) return [yield* T.fma(label, as(left[0]), as(left[1]), as(yield* negated(y)))]
    if (right !== undefined) return [yield* T.fma(label, as(yield* negated(right[0])), as(right[1]), as(x))]
    return [yield* (sign === 1 ? T.addf : T.subf)(label, as(x), as(y))]
  }

/** Of f32 the compiler takes the chip's quick quotient; `tt.precise_divf` is the one that is rounded to nearest. */
const quotient: Row = function* (h, op, label) {
  const [x, y] = [yield* operand(h, op, 'lhs'), yield* operand(h, op, 'rhs')]
  const dtype = yield* scalarHere(op, resultType(op))
  return dtype === 'f32'
    ? [yield* letIn(label, X.specialQuotient('div.full.f32', x, y))]
    : [yield* T.divf(label, x, y)]
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
    return [yield* T.constant(label, dtype, value, shapeOf(type), encoding)]
  }
  const value = yield* valueOfConstant(op, a, dtype)
  if (typeof value === 'number') for (const { name } of op.names) h.constants.set(name, value)
  return [yield* T.constant(label, dtype, value)]
}

/** The numbers that values are, where they are constants. */
const constantsOf = (h: Here, op: Operation, name: string): Build<ReadonlyArray<number>> =>
  block(function* () {
    const found: number[] = []
    for (const value of op.operands[name] ?? []) {
      const n = h.constants.get(value.name)
      if (n === undefined) return yield* refusedAt(op, `constants for ${name}`, `%${value.name}`)
      found.push(n)
    }
    return found
  })

const options = (h: Here): { readonly from: T.Issuer } => ({ from: h.from })

const shapeChange = (
  of: (label: string, x: never, shape: ReadonlyArray<number>, encoding: never) => Build<Expr>,
): Row =>
  function* (h, op, label) {
    const encoding = yield* layoutOfResult(h, op)
    return [
      yield* of(
        label,
        yield* operand(h, op, 'src'),
        shapeOf(resultType(op)),
        checked<never, typeof encoding>(encoding),
      ),
    ]
  }

/** The first buffer that was given back and is large enough, for the new one. */
const takeFreed = (h: Here, bytes: number): { readonly reuses?: T.Freed } => {
  const at = h.freed?.findIndex((f) => f.bytes >= bytes) ?? -1
  const [found] = at < 0 ? [] : (h.freed?.splice(at, 1) ?? [])
  return found === undefined ? {} : { reuses: found.by }
}

const localAlloc: Row = function* (h, op, label) {
  const type = resultType(op)
  const encoding = yield* encoded(op, sharedEncoding(h.text, encodingOf(type)))
  const src = yield* optional(h, op, 'src', 'src')
  const mutable = type._tag === 'memdesc' && type.mutable
  return [
    yield* T.localAlloc(label, shapeOf(type), yield* dtypeHere(op, type), encoding, {
      mutable,
      ...src,
      ...takeFreed(h, bytesOf(type)),
    }),
  ]
}

const tmemAlloc: Row = function* (h, op, label) {
  const type = resultType(op)
  const encoding = yield* encoded(op, tensorMemoryEncoding(h.text, encodingOf(type)))
  const src = yield* optional(h, op, 'src', 'src')
  const { result, token } = yield* T.tmemAlloc(label, yield* dtypeHere(op, type), shapeOf(type), {
    ...options(h),
    encoding,
    mutable: type._tag === 'memdesc' && type.mutable,
    ...src,
  })
  return [result, token]
}

const barriersOf = function* (h: Here, op: Operation): Steps<ReadonlyArray<T.MmaBarrier>> {
  const barriers = yield* operands(h, op, 'barriers')
  const predicates = yield* operands(h, op, 'barrier_preds')
  return barriers.map((barrier, k) => ({ barrier, when: predicates[k]! }))
}

const warpGroupDot: Row = function* (h, op, label) {
  const type = resultType(op)
  const layout = yield* T.layoutOf(label, yield* layoutOfResult(h, op), shapeOf(type))
  const useC = yield* optional(h, op, 'useC', 'useC')
  const most = attributeOf(op.attributes, 'maxNumImpreciseAcc')
  const imprecise = most === undefined ? {} : { maxNumImpreciseAcc: yield* number(op, 'maxNumImpreciseAcc') }
  const common = {
    ...options(h),
    inputPrecision: checked<0, number>(yield* number(op, 'inputPrecision', 0)),
    ...useC,
    ...imprecise,
  }
  const [a, b, c] = [yield* operand(h, op, 'a'), yield* operand(h, op, 'b'), yield* operand(h, op, 'c')]
  return flag(op, 'isAsync')
    ? [yield* T.warpGroupDot(label, a, b, c, { ...common, isAsync: true })]
    : [yield* T.warpGroupDot(label, a, b, c, { ...common, layout })]
}

const warpGroupDotWait: Row = function* (h, op, label) {
  const inputs = op.operands['inputs'] ?? []
  const pendings = yield* number(op, 'pendings')
  const given = yield* operands(h, op, 'inputs')
  const flights: number[] = []
  const buffers: number[] = []
  for (const [k, input] of given.entries()) {
    const type = yield* typeHere(input)
    if (type._tag === 'view') (type.space === 'regs' ? flights : buffers).push(k)
  }
  const results: Expr[] = [...given]
  // one wait for all; then what is read of it, each in its own layout
  const isRead = (k: number): boolean => !h.flying.has(`${op.names[0]?.name ?? ''}#${String(k)}`)
  yield* T.warpGroupDotWait(
    label,
    [...flights, ...buffers].map((k) => given[k]!),
    { pendings },
  )
  for (const k of flights.filter(isRead)) {
    const type = inputs[k]!.type
    const encoding = yield* encoded(op, registerEncoding(h.text, encodingOf(type)))
    const layout = yield* T.layoutOf(label, encoding, shapeOf(type))
    const [tensor] = yield* T.warpGroupDotWait(`${label}.${String(k)}`, [given[k]!], { pendings, layout })
    results[k] = tensor!
  }
  return results
}

export const rows: Readonly<Record<string, Row>> = {
  // ---------------------------------------------------------------- arith, math

  'arith.constant': constant,
  'arith.addi': binary(T.addi),
  'arith.subi': binary(T.subi),
  'arith.muli': binary(T.muli),
  'arith.divsi': binary(T.divsi),
  'arith.remsi': binary(T.remsi),
  'arith.divui': binary(T.divui),
  'arith.remui': binary(T.remui),
  'arith.minsi': binary(T.minsi),
  'arith.maxsi': binary(T.maxsi),
  'arith.andi': binary(T.andi),
  'arith.ori': binary(T.ori),
  'arith.xori': binary(T.xori),
  'arith.shli': binary(T.shli),
  'arith.shrsi': binary(T.shrsi),
  'arith.shrui': binary(T.shrui),
  'arith.addf': sum(1),
  'arith.subf': sum(-1),
  'arith.mulf': product,
  'arith.divf': quotient,
  'tt.precise_divf': function* (h, op, label) {
    return [yield* T.divf(label, yield* operand(h, op, 'x'), yield* operand(h, op, 'y'))]
  },
  'arith.minnumf': binary(T.minnumf),
  'arith.maxnumf': binary(T.maxnumf),
  'arith.negf': unary(T.negf),
  'math.absf': unary(T.absf),
  'math.exp2': unary(T.exp2),
  'math.log2': unary(T.log2),
  'math.sqrt': unary(T.sqrt),
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
    const known: ReadonlyArray<string> = ['oeq', 'une', 'olt', 'ole', 'ogt', 'oge']
    const predicate = word(op, 'predicate') ?? ''
    if (!known.includes(predicate)) return yield* refusedAt(op, `one of ${known.join(', ')}`, predicate)
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
    return [
      yield* T.select(
        label,
        yield* operand(h, op, 'condition'),
        yield* operand(h, op, 'true'),
        yield* operand(h, op, 'false'),
      ),
    ]
  },
  'arith.extsi': conversion(T.extsi),
  'arith.extui': conversion(T.extui),
  'arith.trunci': conversion(T.trunci),
  'arith.extf': conversion(T.extf),
  'arith.truncf': conversion(T.truncf),
  'arith.sitofp': conversion(T.sitofp),
  'arith.fptosi': conversion(T.fptosi),
  'arith.bitcast': conversion(T.bitcast),

  // ---------------------------------------------------------------- tt

  'tt.get_program_id': function* (_, op, label) {
    return [yield* T.getProgramId(label, checked<'x', string>(word(op, 'axis') ?? 'x'))]
  },
  'tt.get_num_programs': function* (_, op, label) {
    return [yield* T.getNumPrograms(label, checked<'x', string>(word(op, 'axis') ?? 'x'))]
  },
  'tt.make_range': function* (h, op, label) {
    return [
      yield* T.makeRange(
        label,
        yield* number(op, 'start'),
        yield* number(op, 'end'),
        yield* layoutOfResult(h, op),
      ),
    ]
  },
  'tt.splat': shapeChange(T.splat),
  'tt.broadcast': shapeChange(T.broadcast),
  'tt.reshape': shapeChange(T.reshape),
  'tt.expand_dims': function* (h, op, label) {
    return [
      yield* T.expandDims(
        label,
        yield* operand(h, op, 'src'),
        yield* number(op, 'axis'),
        yield* layoutOfResult(h, op),
      ),
    ]
  },
  'tt.trans': function* (h, op, label) {
    return [
      yield* T.trans(
        label,
        yield* operand(h, op, 'src'),
        yield* numbers(op, 'order'),
        yield* layoutOfResult(h, op),
      ),
    ]
  },
  'tt.addptr': function* (h, op, label) {
    return [yield* T.addptr(label, yield* operand(h, op, 'ptr'), yield* operand(h, op, 'offset'))]
  },
  'tt.load': function* (h, op, label) {
    const mask = yield* optional(h, op, 'mask', 'mask')
    const other = yield* optional(h, op, 'other', 'other')
    return [yield* T.load(label, yield* operand(h, op, 'ptr'), { ...mask, ...other })]
  },
  'tt.store': function* (h, op, label) {
    const mask = yield* optional(h, op, 'mask', 'mask')
    yield* T.store(label, yield* operand(h, op, 'ptr'), yield* operand(h, op, 'value'), mask)
    return []
  },

  // ---------------------------------------------------------------- ttg

  'ttg.convert_layout': function* (h, op, label) {
    return [yield* T.convertLayout(label, yield* operand(h, op, 'src'), yield* layoutOfResult(h, op))]
  },
  'ttg.local_alloc': localAlloc,
  'ttg.local_dealloc': function* (h, op, label) {
    const by = yield* T.localDealloc(label, yield* operand(h, op, 'src'))
    h.freed?.push({ bytes: bytesOf(op.operands['src']![0]!.type), by })
    return []
  },
  'ttg.local_load': function* (h, op, label) {
    return [yield* T.localLoad(label, yield* operand(h, op, 'src'), yield* layoutOfResult(h, op))]
  },
  'ttg.local_store': function* (h, op, label) {
    yield* T.localStore(label, yield* operand(h, op, 'src'), yield* operand(h, op, 'dst'))
    return []
  },
  'ttg.memdesc_index': function* (h, op, label) {
    return [yield* T.memdescIndex(label, yield* operand(h, op, 'src'), yield* operand(h, op, 'index'))]
  },
  'ttg.memdesc_subslice': function* (h, op, label) {
    const shape = shapeOf(resultType(op))
    return [
      yield* T.memdescSubslice(label, yield* operand(h, op, 'src'), yield* numbers(op, 'offsets'), shape),
    ]
  },
  'ttg.memdesc_trans': function* (h, op, label) {
    return [yield* T.memdescTrans(label, yield* operand(h, op, 'src'), yield* numbers(op, 'order'))]
  },
  'ttg.async_copy_global_to_local': function* (h, op, label) {
    if (isGiven(op, 'other'))
      return yield* refusedAt(op, 'no `other`: where a mask is false zeros are written', 'one')
    const mask = yield* optional(h, op, 'mask', 'mask')
    const contiguity = yield* number(op, 'contiguity', 0)
    return [
      yield* T.asyncCopyGlobalToLocal(label, yield* operand(h, op, 'src'), yield* operand(h, op, 'result'), {
        ...mask,
        ...(contiguity === 0 ? {} : { contiguity }),
      }),
    ]
  },
  'ttg.async_commit_group': function* (h, op, label) {
    return [yield* T.asyncCommitGroup(label, yield* operands(h, op, 'inputTokens'))]
  },
  'ttg.async_wait': function* (h, op, label) {
    return [yield* T.asyncWait(label, yield* operands(h, op, 'asyncToken'), yield* number(op, 'num'))]
  },
  'ttg.global_scratch_alloc': function* (h, op, label) {
    return [
      yield* T.globalScratchAlloc(label, {
        nbytes: yield* number(op, 'nbytes'),
        alignment: yield* number(op, 'alignment'),
        ...(h.grid.every((n) => n === 1) ? {} : { grid: h.grid }),
      }),
    ]
  },

  // ---------------------------------------------------------------- ttng: barriers, fences

  'ttng.init_barrier': function* (h, op, label) {
    yield* T.initBarrier(label, yield* operand(h, op, 'alloc'), yield* number(op, 'count'), options(h))
    return []
  },
  'ttng.inval_barrier': function* (h, op, label) {
    yield* T.invalBarrier(label, yield* operand(h, op, 'alloc'), options(h))
    return []
  },
  'ttng.barrier_expect': function* (h, op, label) {
    yield* T.barrierExpect(label, yield* operand(h, op, 'alloc'), yield* number(op, 'size'), {
      ...options(h),
      ...(yield* when(h, op)),
    })
    return []
  },
  'ttng.wait_barrier': function* (h, op, label) {
    yield* T.waitBarrier(label, yield* operand(h, op, 'alloc'), yield* operand(h, op, 'phase'), {
      ...options(h),
      ...(yield* when(h, op)),
      deps: yield* operands(h, op, 'deps'),
    })
    return []
  },
  'ttng.arrive_barrier': function* (h, op, label) {
    yield* T.arriveBarrier(label, yield* operand(h, op, 'alloc'), yield* number(op, 'count'), {
      ...options(h),
      ...(yield* when(h, op)),
    })
    return []
  },
  'ttng.async_copy_mbarrier_arrive': function* (h, op, label) {
    yield* T.asyncCopyMbarrierArrive(label, yield* operand(h, op, 'barrier'), {
      ...options(h),
      noIncrement: flag(op, 'noIncrement'),
    })
    return []
  },
  'ttng.fence_async_shared': function* (_, op, label) {
    yield* T.fenceAsyncShared(label, { bCluster: flag(op, 'bCluster') })
    return []
  },
  'gpu.barrier': function* (h, _, label) {
    yield* T.partitionSync(label, h.from)
    return []
  },
  'ttng.cluster_arrive': function* (h, op, label) {
    yield* T.clusterArrive(label, { ...options(h), relaxed: flag(op, 'relaxed') })
    return []
  },
  'ttng.cluster_wait': function* (h, _, label) {
    yield* T.clusterWait(label, options(h))
    return []
  },

  // ---------------------------------------------------------------- ttng: tensor maps and copies

  'ttng.tensormap_create': function* (h, op, label) {
    const attribute = (name: string) => number(op, name)
    yield* T.tensormapCreate(
      label,
      yield* operand(h, op, 'desc_ptr'),
      yield* operand(h, op, 'global_address'),
      yield* constantsOf(h, op, 'box_dim'),
      yield* operands(h, op, 'global_dim'),
      yield* operands(h, op, 'global_stride'),
      yield* constantsOf(h, op, 'element_stride'),
      {
        ...options(h),
        elemType: checked<0, number>(yield* attribute('elem_type')),
        interleaveLayout: checked<0, number>(yield* attribute('interleave_layout')),
        swizzleMode: checked<0, number>(yield* attribute('swizzle_mode')),
        fillMode: checked<0, number>(yield* attribute('fill_mode')),
      },
    )
    return []
  },
  'ttng.tensormap_fenceproxy_acquire': function* (h, op, label) {
    const pointer = op.operands['desc_ptr']?.[0]?.name ?? ''
    const type = h.maps.get(pointer)
    if (type?._tag !== 'descriptor')
      return yield* refusedAt(op, 'a pointer that is taken as a tensor descriptor further on', `%${pointer}`)
    const acquired = yield* T.tensormapFenceproxyAcquire(label, yield* operand(h, op, 'desc_ptr'), {
      dtype: yield* dtypeHere(op, type.block),
      rank: shapeOf(type.block).length,
    })
    h.acquired.set(pointer, acquired)
    return []
  },
  'ttng.reinterpret_tensor_descriptor': function* (h, op, label) {
    const pointer = op.operands['rawDesc']?.[0]?.name ?? ''
    const acquired = h.acquired.get(pointer)
    const type = resultType(op)
    if (acquired === undefined || type._tag !== 'descriptor')
      return yield* refusedAt(op, 'a tensor map that has been acquired', `%${pointer}`)
    return [
      yield* T.reinterpretTensorDescriptor(label, acquired, {
        dtype: yield* dtypeHere(op, type.block),
        rank: shapeOf(type.block).length,
      }),
    ]
  },
  'ttng.async_tma_copy_global_to_local': function* (h, op, label) {
    yield* T.asyncTmaCopyGlobalToLocal(
      label,
      yield* operand(h, op, 'desc'),
      yield* operands(h, op, 'coord'),
      yield* operand(h, op, 'result'),
      yield* operand(h, op, 'barrier'),
      { ...options(h), ...(yield* when(h, op)) },
    )
    return []
  },
  'ttng.async_tma_copy_local_to_global': function* (h, op, label) {
    yield* T.asyncTmaCopyLocalToGlobal(
      label,
      yield* operand(h, op, 'desc'),
      yield* operands(h, op, 'coord'),
      yield* operand(h, op, 'src'),
      options(h),
    )
    return []
  },
  'ttng.async_tma_store_wait': function* (_, op, label) {
    yield* T.asyncTmaStoreWait(label, yield* number(op, 'pendings'))
    return []
  },

  // ---------------------------------------------------------------- ttng: products

  'ttng.warp_group_dot': warpGroupDot,
  'ttng.warp_group_dot_wait': warpGroupDotWait,
  'ttng.tc_gen5_mma': function* (h, op, label) {
    const token = yield* T.tcGen5Mma(
      label,
      yield* operand(h, op, 'a'),
      yield* operand(h, op, 'b'),
      yield* operand(h, op, 'd'),
      yield* operand(h, op, 'useD'),
      {
        ...options(h),
        ...(yield* when(h, op)),
        barriers: yield* barriersOf(h, op),
        isAsync: flag(op, 'is_async'),
        twoCtas: flag(op, 'two_ctas'),
      },
    )
    return [token]
  },
  'ttng.tc_gen5_commit': function* (h, op, label) {
    yield* T.tcGen5Commit(label, yield* operand(h, op, 'barrier'), {
      ...options(h),
      ...(yield* when(h, op)),
    })
    return []
  },
  'ttng.tmem_alloc': tmemAlloc,
  'ttng.tmem_load': function* (h, op, label) {
    const layout = yield* T.layoutOf(label, yield* layoutOfResult(h, op), shapeOf(resultType(op)))
    const { result, token } = yield* T.tmemLoad(label, yield* operand(h, op, 'src'), layout, options(h))
    return [result, token]
  },
  'ttng.tmem_store': function* (h, op, label) {
    const token = yield* T.tmemStore(label, yield* operand(h, op, 'src'), yield* operand(h, op, 'dst'), {
      ...options(h),
      ...(yield* when(h, op)),
    })
    return [token]
  },
}
