/**
 * Loops, branches and calls.
 *
 * | equation                            | becomes                                                                                   |
 * |-------------------------------------|-------------------------------------------------------------------------------------------|
 * | `scan` of a length                  | a counted loop; of length 0 nothing                                                        |
 * | `while i < n`, i + 1 each time      | a counted loop from i to n                                                                 |
 * | any other `while`                   | a loop with a test                                                                         |
 * | `cond`, its index known             | the branch that is taken                                                                   |
 * | `cond`                              | a branch; of more than two, one in another; an index beyond the last is the last           |
 * | `call`, `inline_mgpu`               | what is called, in its place                                                               |
 * | `jaxpr_call`                        | the same, of refs with something applied to them                                           |
 *
 * A body is written once, with the index as a name. A loop carries what it must (`counters.ts`), what it writes of `run_state` (`cells.ts`), and the
 * parities of the waits in it (`dialects/pallas/parities.ts`). Slices of arrays by a scan (xs, ys) are none of a kernel: refused, and so is a scan in reverse, as in lowering.
 */
import { block, letIn, type Build, type Exprs, type Steps } from '../../semantics/writing/builder.js'
import * as X from '../../semantics/language/expression.js'
import type { Condition, Expr, Int } from '../../semantics/language/expression.js'
import { checked } from '../../semantics/language/index-types.js'
import type { TypeIndex } from '../../semantics/language/types.js'
import { isFloat } from '../../numerics/dtype.js'
import { branchWithMasks, loopWithMasks, whileWithMasks } from '../pallas/parities.js'
import { constantOf, integerBinary, integerCompare, integerConvert } from './arithmetic.js'
import { cellsWritten, keptIn } from './cells.js'
import { carriedBy, countedWhile } from './counters.js'
import type { Eqn } from './document.js'
import { inside, refusedAt, type Here, type Row, type Rows } from './here.js'
import {
  asI32,
  flag,
  jaxprOf,
  jaxprsOf,
  number,
  operand,
  operandCount,
  operands,
  scalarOperand,
  valueOf,
} from './operands.js'
import { exprOf, isRef, showKind, withExpr, type Elaborated, type Number, type Scalar } from './values.js'

type Values = Readonly<Record<string, Expr>>
type Carried = Readonly<Record<string, TypeIndex>>

const recorded = (values: Values): Exprs<Carried> => checked<Exprs<Carried>, Values>(values)
const recordedIn = (values: Exprs<Carried>): Values => checked<Values, Exprs<Carried>>(values)

// ---------------------------------------------------------------- what goes around

/** Values that a region takes and gives, under names; the others stand where they are. */
interface Around {
  readonly inits: Values
  /** the arguments, from what is carried */
  readonly args: (carried: Values) => ReadonlyArray<Elaborated>
  /** what is carried on, from results */
  readonly next: (results: ReadonlyArray<Elaborated | null>) => Steps<Values>
}

const numberOf = function* (h: Here, eqn: Eqn, x: Elaborated | null | undefined, k: number): Steps<Number> {
  return x?._tag === 'scalar' || x?._tag === 'array'
    ? x
    : yield* refusedAt(
        h,
        eqn,
        'jaxpr.operand',
        `a number or an array to be carried as ${String(k)}`,
        showKind(x ?? undefined),
      )
}

const around = (
  h: Here,
  eqn: Eqn,
  label: string,
  values: ReadonlyArray<Elaborated>,
  carries: (k: number) => boolean,
): Around => {
  const key = (k: number): string => `${label}.${String(k)}`
  const moving = (k: number): boolean => carries(k) && !isRef(values[k]!)
  return {
    inits: Object.fromEntries(
      values.flatMap((x, k) => (moving(k) && !isRef(x) ? [[key(k), exprOf(x)] as const] : [])),
    ),
    args: (carried) => values.map((x, k) => (moving(k) && !isRef(x) ? withExpr(x, carried[key(k)]!) : x)),
    next: function* (results) {
      const record: [string, Expr][] = []
      for (const k of values.keys()) {
        if (!moving(k)) continue
        record.push([key(k), exprOf(yield* numberOf(h, eqn, results[k], k))])
      }
      return Object.fromEntries(record)
    },
  }
}

// ---------------------------------------------------------------- counted loops

const plus = (dtype: Number['dtype'], x: Expr, y: Int): Expr =>
  integerBinary('add', dtype, x, integerConvert('i32', dtype, y)) ?? x

/** A body for each index from..to; what counts, stays and is carried. Gives the carried values behind it. */
const counted = function* (
  h: Here,
  eqn: Eqn,
  label: string,
  body: number,
  consts: ReadonlyArray<Elaborated>,
  values: ReadonlyArray<Elaborated>,
  length: Int,
  tested: { readonly index: Elaborated; readonly below: Int } | null,
): Steps<ReadonlyArray<Elaborated>> {
  const how = carriedBy(h.document.jaxprs[body]!, consts.length)
  const counts = (k: number): boolean => {
    const x = values[k]
    return how[k] === 'counts' && x?._tag === 'scalar' && !isFloat(x.dtype)
  }
  const ring = around(h, eqn, label, values, (k) => how[k] !== 'same' && !counts(k))
  const state = keptIn(label, cellsWritten(h, body, [...consts, ...values]))
  // the index of the loop begins with what counts first
  const first = values.findIndex((_, k) => counts(k))
  const start = first < 0 ? null : values[first]!
  const begins = start?._tag === 'scalar' ? start : null
  const index0 = begins === null ? X.i32(0) : asI32(begins)
  const end =
    tested !== null && tested.index === start
      ? tested.below
      : begins === null
        ? length
        : integerBinary('add', 'i32', index0, length)!
  const [first0, last0] = [constantOf(index0), constantOf(end)]
  const at = (x: Elaborated, index: Int): Elaborated => {
    if (x._tag !== 'scalar') return x
    if (x === begins)
      return { ...x, expr: checked<Scalar['expr'], Expr>(integerConvert('i32', x.dtype, index)) }
    const passed = integerBinary('sub', 'i32', index, index0)!
    return { ...x, expr: checked<Scalar['expr'], Expr>(plus(x.dtype, x.expr, passed)) }
  }
  const behind = (carried: Values): ReadonlyArray<Elaborated> => {
    const last = first0 === null || last0 === null ? X.max(index0, end) : last0 < first0 ? index0 : end
    return ring.args(carried).map((x, k) => (counts(k) ? at(values[k]!, last) : x))
  }
  if (first0 !== null && last0 !== null && last0 <= first0) return behind(ring.inits)
  const done = yield* loopWithMasks<Carried>(
    { label, from: index0, to: end },
    recorded({ ...ring.inits, ...state.held() }),
    (index, carried) =>
      block(function* () {
        state.hold(recordedIn(carried))
        const args = ring.args(recordedIn(carried)).map((x, k) => (counts(k) ? at(x, index) : x))
        const results = yield* h.run(inside(h), body, [...consts, ...args])
        return recorded({ ...(yield* ring.next(results)), ...state.held() })
      }),
  )
  state.hold(recordedIn(done))
  return behind(recordedIn(done))
}

const scan: Row = function* (h, eqn, label) {
  const all = yield* operands(h, eqn)
  const [length, numConsts, numCarry] = [
    yield* number(h, eqn, 'length'),
    yield* number(h, eqn, 'numConsts', 0),
    yield* number(h, eqn, 'numCarry', 0),
  ]
  const body = yield* jaxprOf(h, eqn, 'body')
  if (flag(eqn, 'reverse'))
    return yield* refusedAt(h, eqn, 'jaxpr.operation', 'a scan from the first to the last', 'one in reverse')
  if (all.length !== numConsts + numCarry)
    return yield* refusedAt(
      h,
      eqn,
      'jaxpr.operation',
      'a loop that carries values',
      `a scan over ${String(all.length - numConsts - numCarry)} arrays`,
    )
  return yield* counted(
    h,
    eqn,
    label,
    body,
    all.slice(0, numConsts),
    all.slice(numConsts),
    X.i32(length),
    null,
  )
}

// ---------------------------------------------------------------- while

const whileRow: Row = function* (h, eqn, label) {
  const all = yield* operands(h, eqn)
  const [condConsts, bodyConsts] = [
    yield* number(h, eqn, 'condConsts', 0),
    yield* number(h, eqn, 'bodyConsts', 0),
  ]
  const [test, body] = [yield* jaxprOf(h, eqn, 'cond'), yield* jaxprOf(h, eqn, 'body')]
  const ofTest = all.slice(0, condConsts)
  const consts = all.slice(condConsts, condConsts + bodyConsts)
  const values = all.slice(condConsts + bodyConsts)
  const count = countedWhile(h.document, test, body, condConsts, bodyConsts)
  const [index, below] = [values[count?.index ?? -1], values[count?.below ?? -1]]
  if (index?._tag === 'scalar' && below?._tag === 'scalar' && !isFloat(index.dtype)) {
    const length = integerBinary('sub', 'i32', asI32(below), asI32(index))!
    return yield* counted(h, eqn, label, body, consts, values, length, { index, below: asI32(below) })
  }
  const how = carriedBy(h.document.jaxprs[body]!, bodyConsts)
  const ring = around(h, eqn, label, values, (k) => how[k] !== 'same')
  if (cellsWritten(h, test, [...ofTest, ...values]).length > 0)
    return yield* refusedAt(
      h,
      eqn,
      'jaxpr.operation',
      'a test that only reads the state of run_state',
      'one that writes it',
    )
  const state = keptIn(label, cellsWritten(h, body, [...consts, ...values]))
  const done = yield* whileWithMasks<Carried>(
    label,
    recorded({ ...ring.inits, ...state.held() }),
    (carried) =>
      block(function* () {
        state.hold(recordedIn(carried))
        const [go] = yield* h.run(inside(h), test, [...ofTest, ...ring.args(recordedIn(carried))])
        return go?._tag === 'scalar' && go.dtype === 'i1'
          ? checked<Condition, Expr>(go.expr)
          : yield* refusedAt(h, eqn, 'jaxpr.operand', 'a truth value of the test', showKind(go ?? undefined))
      }),
    (carried) =>
      block(function* () {
        state.hold(recordedIn(carried))
        const results = yield* h.run(inside(h), body, [...consts, ...ring.args(recordedIn(carried))])
        return recorded({ ...(yield* ring.next(results)), ...state.held() })
      }),
  )
  state.hold(recordedIn(done))
  return ring.args(recordedIn(done))
}

// ---------------------------------------------------------------- branches

/** What a side gives is known by its form from the first that is written. */
const branchOf = (
  h: Here,
  eqn: Eqn,
  label: string,
  index: Scalar,
  branches: ReadonlyArray<number>,
  from: number,
  args: ReadonlyArray<Elaborated>,
): Build<ReadonlyArray<Elaborated | null>> =>
  block(function* () {
    const [first, ...rest] = branches
    if (rest.length === 0) return yield* h.run(h, first!, args)
    const isFirst = integerCompare('eq', index.dtype, index.expr, zeroLike(index, from))
    const decided = constantOf(isFirst)
    if (decided === 1n) return yield* h.run(h, first!, args)
    if (decided === 0n) return yield* branchOf(h, eqn, label, index, rest, from + 1, args)
    const key = (k: number): string => `${label}.${String(k)}`
    const outs = eqn.out ?? []
    const wanted = outs.flatMap((out, k) => (out === null ? [] : [k]))
    const kinds = new Map<number, Number>()
    const cells = new Set(branches.flatMap((branch) => cellsWritten(h, branch, args)))
    const state = keptIn(label, [...cells])
    const before = state.held()
    const given = function* (results: ReadonlyArray<Elaborated | null>): Steps<Exprs<Carried>> {
      const record: [string, Expr][] = []
      for (const k of wanted) {
        const x = yield* numberOf(h, eqn, results[k], k)
        kinds.set(k, x)
        record.push([key(k), exprOf(x)])
      }
      return recorded({ ...Object.fromEntries(record), ...state.held() })
    }
    const side = (of: () => Build<ReadonlyArray<Elaborated | null>>) =>
      function* (): Steps<Exprs<Carried>> {
        state.hold(before)
        return yield* given(yield* of())
      }
    const otherwise = side(() => branchOf(inside(h), eqn, label, index, rest, from + 1, args))
    const then = side(() => block(() => h.run(inside(h), first!, args)))
    const done = recordedIn(
      // the last of two is the one that is taken if the condition holds
      rest.length === 1
        ? yield* branchWithMasks<Carried>(
            label,
            integerCompare('ne', index.dtype, index.expr, zeroLike(index, from)),
            otherwise,
            then,
          )
        : yield* branchWithMasks<Carried>(label, isFirst, then, otherwise),
    )
    state.hold(done)
    return outs.map((out, k) => (out === null ? null : withExpr(kinds.get(k)!, done[key(k)]!)))
  })

const zeroLike = (index: Scalar, value: number): Expr => integerConvert('i32', index.dtype, X.i32(value))

const cond: Row = function* (h, eqn, label) {
  const index = yield* scalarOperand(h, eqn, 0)
  const args: Elaborated[] = []
  for (let k = 1; k < operandCount(eqn); k++) args.push(yield* operand(h, eqn, k))
  const branches = yield* jaxprsOf(h, eqn, 'branches')
  const named: Scalar =
    branches.length > 2 && index.expr._tag !== 'const'
      ? { ...index, expr: yield* letIn(`${label}.index`, index.expr) }
      : index
  return yield* branchOf(h, eqn, label, named, branches, 0, args)
}

// ---------------------------------------------------------------- calls

const call: Row = function* (h, eqn) {
  return yield* h.run(h, yield* jaxprOf(h, eqn, 'body'), yield* operands(h, eqn))
}

/** A step of the pipeline of a `pallas_call`: refs are handed on with what is applied to them, and places in the grid are said. */
const pipelineStep: Row = function* (h, eqn) {
  const handed = eqn.uses?.['refs'] ?? []
  const args: Elaborated[] = []
  for (const { ref, view = [] } of Array.isArray(handed) ? handed : [handed]) {
    const of = yield* valueOf(h, eqn, ref)
    if (!isRef(of) || of._tag === 'bound')
      return yield* refusedAt(h, eqn, 'jaxpr.operand', 'a ref for refs', showKind(of))
    args.push(view.length === 0 ? of : { _tag: 'bound', of, view, from: h.values })
  }
  return yield* h.run({ ...h, programIds: yield* operands(h, eqn) }, yield* jaxprOf(h, eqn, 'body'), args)
}

export const controlRows: Rows = {
  scan,
  while: whileRow,
  cond,
  call,
  inline_mgpu: call,
  jaxpr_call: pipelineStep,
}
