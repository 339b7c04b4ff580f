/**
 * `scf`: loops and conditions, and what they carry.
 *
 * Source: MLIR, scf.
 */
import type { Steps } from '../../../semantics/writing/builder.js'
import type { Expr } from '../../../semantics/language/expression.js'
import * as X from '../../../semantics/language/expression.js'
import { checked } from '../../../semantics/language/index-types.js'
import * as T from '../../ttng/index.js'
import { keyOf, keyOfValue } from './flight.js'
import { inner, refusedAt, valueOf, type Row, type Rows } from './here.js'
import { isFlight, landed } from './operands.js'
import { named, operationsOf, untyped, type Named } from './regions.js'
import type { Operation, Region, Type, Value } from '../text/syntax.js'
import { own } from '../../../own.js'

/** A loop by turns of i32, and what its variable is in a turn. */
interface Turns {
  readonly from: Expr
  readonly to: Expr
  readonly step: Expr
  /** null: the turn itself */
  readonly at: ((turn: Expr) => Steps<Expr>) | null
}

/** More turns than a loop of i32 counts are more than any run has fuel for. */
const mostTurns = 0x7fffffffn

/** A loop over i64 counts its turns: from + step * turn. */
const byTurns = function* (label: string, from: Expr, to: Expr, step: Expr): Steps<Turns> {
  const long = checked<Expr<'i64'>, Expr>
  const constant = (name: string, value: bigint): Steps<Expr<'i64'>> =>
    (function* () {
      return long(yield* T.constant(`${label}.${name}`, 'i64', value))
    })()
  const way = yield* T.subi(`${label}.way`, long(to), long(from))
  const turns = yield* T.ceildivsi(`${label}.turns`, way, long(step))
  const some = yield* T.maxsi(`${label}.some`, turns, yield* constant('none', 0n))
  const few = yield* T.minsi(`${label}.few`, some, yield* constant('most', mostTurns))
  return {
    from: X.i32(0),
    to: yield* T.trunci(`${label}.count`, few, 'i32'),
    step: X.i32(1),
    at: function* (turn: Expr) {
      const wide = yield* T.extsi(`${label}.turn`, checked<Expr<'i32'>, Expr>(turn), 'i64')
      const gone = yield* T.muli(`${label}.gone`, wide, long(step))
      return yield* T.addi(`${label}.at`, long(from), gone)
    },
  }
}

const isLong = (t: Type | undefined): boolean => t?._tag === 'integer' && t.bits === 64

const forLoop: Row = function* (h, op, label) {
  const [variable, ...carried] = op.regions[0]?.blocks[0]?.parameters ?? []
  if (variable === undefined) return yield* refusedAt(op, 'a variable', 'none')
  const bounds: Expr[] = []
  for (const name of ['lowerBound', 'upperBound', 'step'])
    bounds.push(yield* valueOf(h, op, own(op.operands, name)![0]!))
  const entries: Array<readonly [string, Expr]> = []
  for (const [k, p] of carried.entries()) {
    const value = yield* valueOf(h, op, op.operands['initArgs']![k]!)
    const type = yield* isFlight(value)
    entries.push([
      p.name,
      h.flying.has(keyOf(p.name, null)) && !type
        ? yield* T.inFlight(p.name, checked<never, Expr>(value), h.from)
        : value,
    ])
  }
  const [first, last, by] = bounds
  const { from, to, step, at } = isLong(variable.type)
    ? yield* byTurns(label, first!, last!, by!)
    : { from: first!, to: last!, step: by!, at: null }
  const region = op.regions[0]
  const loop = function* (index: Expr, args: Named): Steps<Named> {
    const here = inner(h)
    here.values.set(variable.name, [at === null ? index : yield* at(index)])
    for (const p of carried) here.values.set(p.name, [own(args, p.name)!])
    const values = yield* h.run(here, region)
    for (const reset of here.resets.values()) yield* reset()
    return named(
      carried.map((p) => p.name),
      values,
    )
  }
  const options = {
    from: checked<never, Expr>(from),
    to: checked<never, Expr>(to),
    step: checked<never, Expr>(step),
  }
  if (carried.length === 0) {
    yield* T.scfFor(label, options, function* (index) {
      yield* loop(index, {})
    })
    return []
  }
  const results = checked<Named, unknown>(
    yield* T.scfFor(
      label,
      { ...options, iterArgs: untyped(Object.fromEntries(entries)) },
      function* (index: Expr, args: Named) {
        return untyped(yield* loop(index, args))
      },
    ),
  )
  return carried.map((p) => own(results, p.name)!)
}

/** What a region hands on: its last operation, and the values. */
const handedOn = (region: Region | undefined): readonly [Operation | undefined, ReadonlyArray<Value>] => {
  const last = operationsOf(region).at(-1)
  return [last, last?.operands['values'] ?? []]
}

const condition: Row = function* (h, op, label) {
  const test = checked<never, Expr>(yield* valueOf(h, op, op.operands['condition']![0]!))
  const names = op.results.map((_, k) => `${label}.${String(k)}`)
  const [then, otherwise] = op.regions
  const sides = [then, otherwise].map((region) => handedOn(region)[1])
  /** Does one side hand on what is in flight, and the other a tensor? */
  const isRead = (k: number): boolean =>
    new Set(sides.map((values) => values[k] !== undefined && h.flying.has(keyOfValue(values[k])))).size > 1
  const side = (region: Region | undefined) =>
    function* (): Steps<never> {
      const here = inner(h)
      const values: Expr[] = [...(yield* h.run(here, region))]
      const [last, handed] = handedOn(region)
      for (const [k, value] of values.entries())
        if (last !== undefined && isRead(k) && (yield* isFlight(value)))
          values[k] = yield* landed(here, last, handed[k]!, value)
      return untyped(named(names, values))
    }
  if (names.length === 0) {
    yield* T.scfIf(label, test, side(then), side(otherwise))
    return []
  }
  const results = checked<Named, unknown>(yield* T.scfIf(label, test, side(then), side(otherwise)))
  return names.map((name) => own(results, name)!)
}

/** What is carried has the names of the region's parameters; what the condition hands on is counted. */
const whileLoop: Row = function* (h, op, label) {
  const [before, after] = op.regions
  const carried = before?.blocks[0]?.parameters ?? []
  const handed = after?.blocks[0]?.parameters ?? []
  const names = handed.map((_, k) => `${label}.${String(k)}`)
  const inits: Expr[] = []
  for (const value of op.operands['inits'] ?? []) inits.push(yield* valueOf(h, op, value))
  const keys = carried.map((p) => p.name)
  const results = checked<Named, unknown>(
    yield* T.scfWhile(
      label,
      untyped(named(keys, inits)),
      function* (args: Named) {
        const here = inner(h)
        for (const key of keys) here.values.set(key, [own(args, key)!])
        const [test, ...values] = yield* h.run(here, before)
        return [checked<never, Expr | undefined>(test), untyped(named(names, values))] as const
      },
      function* (args: Named) {
        const here = inner(h)
        handed.forEach((p, k) => here.values.set(p.name, [own(args, names[k]!)!]))
        return untyped(named(keys, yield* h.run(here, after)))
      },
    ),
  )
  return names.map((name) => own(results, name)!)
}

export const controlRows: Rows = { 'scf.for': forLoop, 'scf.if': condition, 'scf.while': whileLoop }
