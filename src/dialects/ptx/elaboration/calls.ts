/**
 * Calls: parameters are copied into the bytes that a function has for them, and its results out of these.
 *
 * A call through an address is one of each function that it may be (`functions.ts`).
 *
 * A function of the compiler's library that every kernel may call is known by its name: a failed assertion is a trap that says what the assertion says, and prints it;
 * `vprintf` prints, and its result is 0.
 *
 * Source: PTX ISA, call; parameter state space.
 */
import { ofPredicate, type Guard, type Row } from '../../../semantics/warps/program.js'
import type { Function } from '../text/module.js'
import type { Value } from '../opcodes/resolve.js'
import { isAssertion } from '../flow/assertions.js'
import { constant, emit, newPredicate, newRow, refuse, scalar } from './emitter.js'
import { comesTo, functionWindow, shapeOf } from './functions.js'
import { source, type Here } from './here.js'
import { placeOfSymbol, type Place } from './storage.js'

type Local = Extract<Place, { readonly _tag: 'local' }>

/** What has fields is copied byte by byte: a word with some bytes that nothing has written would be one that is not known. */
const copyLocal = (
  h: Here,
  guard: Guard | null,
  from: number,
  to: number,
  { bytes, hasFields }: Local,
): void => {
  const row = newRow(h.e)
  for (let at = 0; at < bytes;) {
    const width = !hasFields && bytes - at >= 4 ? 4 : 1
    const one = { bytes: width, count: 1, signed: false } as const
    const place = (offset: number) => ({ space: 'local', rows: [], offset: offset + at }) as const
    emit(
      h.e,
      { _tag: 'load', from: place(from), width: one, to: [[row]], ordering: 'weak', scope: 'cta' },
      guard,
    )
    emit(
      h.e,
      { _tag: 'store', into: place(to), width: one, value: [[row]], ordering: 'weak', scope: 'cta' },
      guard,
    )
    at += width
  }
}

const valuesOf = (v: Value | undefined): ReadonlyArray<Value> => (v?._tag === 'list' ? v.items : [])

const localOf = (h: Here, v: Value | undefined): Local | null => {
  const there = v?._tag === 'symbol' ? placeOfSymbol(h.names.storage, v.symbol) : null
  return there?._tag === 'local' ? there : null
}

/** What a call needs to know of functions: the label of one, null where it has no body, and where its parameters and results lie; and what fails where it is of an assertion. */
export interface Callable {
  readonly labelOf: (f: Function) => number | null
  readonly placesOf: (f: Function) => {
    readonly formals: ReadonlyArray<Place>
    readonly results: ReadonlyArray<Place>
  }
  readonly asserted: () => string
}

/** Text of the arguments that a call is given, which are so wide; what a module gives in another way is not printed. */
const emitPrint = (h: Here, text: 'formatted' | 'asserted', widths: ReadonlyArray<4 | 8>): void => {
  const given = valuesOf(h.operands['arguments'])
  const from: Row[] = []
  for (const [i, bytes] of widths.entries()) {
    const there = localOf(h, given[i])
    if (there === null || there.bytes < bytes) return
    const rows = bytes === 8 ? [newRow(h.e), newRow(h.e)] : [newRow(h.e)]
    rows.forEach((row, k) => {
      from.push(row)
      emit(
        h.e,
        {
          _tag: 'load',
          from: { space: 'local', rows: [], offset: there.offset + 4 * k },
          width: { bytes: 4, count: 1, signed: false },
          to: [[row]],
          ordering: 'weak',
          scope: 'cta',
        },
        h.guard,
      )
    })
  }
  emit(h.e, { _tag: 'print', text, from }, h.guard)
}

/** A function of the compiler's library; false: it is none. */
const builtin = (h: Here, of: Callable, name: string, results: ReadonlyArray<Value>): boolean => {
  if (isAssertion(name)) {
    emitPrint(h, 'asserted', [8, 8, 4, 8])
    emit(h.e, { _tag: 'trap', why: of.asserted(), asserted: true }, h.guard)
    return true
  }
  if (name !== 'vprintf') return false
  emitPrint(h, 'formatted', [8, 8])
  const to = localOf(h, results[0])
  if (to !== null)
    emit(
      h.e,
      {
        _tag: 'store',
        into: { space: 'local', rows: [], offset: to.offset },
        width: { bytes: 4, count: 1, signed: false },
        value: [[constant(h.e, 0)]],
        ordering: 'weak',
        scope: 'cta',
      },
      h.guard,
    )
  return true
}

/** A call by the lanes of a guard: parameters into place, results behind it. */
const callOf = (h: Here, of: Callable, f: Function, guard: Guard | null): void => {
  const target = of.labelOf(f)
  if (target === null) {
    refuse(h.e, 'ptx.name', 'a function with a body in this module', f.name)
    return
  }
  const places = of.placesOf(f)
  const by = (
    copy: (actual: Local, formal: Local) => void,
    given: ReadonlyArray<Value>,
    formals: ReadonlyArray<Place>,
  ): void => {
    if (given.length !== formals.length) {
      refuse(h.e, 'ptx.operand', `${f.name}: ${String(formals.length)} parameters`, String(given.length))
      return
    }
    given.forEach((v, i) => {
      const actual = localOf(h, v)
      const formal = formals[i]
      if (actual === null || formal?._tag !== 'local')
        refuse(h.e, 'ptx.operand', 'a variable of the parameter space', 'another operand')
      else copy(actual, formal)
    })
  }
  by(
    (actual, formal) => {
      copyLocal(h, guard, actual.offset, formal.offset, formal)
    },
    valuesOf(h.operands['arguments']),
    places.formals,
  )
  emit(h.e, { _tag: 'call', target }, guard)
  by(
    (actual, formal) => {
      copyLocal(h, guard, formal.offset, actual.offset, formal)
    },
    valuesOf(h.operands['results']),
    places.results,
  )
}

/** Of each function that it may be, a call by the lanes that have its address; what is none of them traps. */
const callThrough = (h: Here, of: Callable, from: Function, address: Value): void => {
  const { functions } = h.names.storage
  const [low, high] = source(h, address, 'b64')
  const prototype = h.operands['prototype']
  const wanted =
    prototype?._tag === 'prototype'
      ? shapeOf(prototype.prototype.parameters, prototype.prototype.results)
      : null
  const none = newPredicate(h.e)
  emit(h.e, { _tag: 'setPredicate', to: none, value: false }, null)
  emit(h.e, { _tag: 'setPredicate', to: none, value: true }, h.guard)
  for (const f of functions.taken) {
    if (wanted !== null && shapeOf(f.parameters ?? [], f.results) !== wanted) continue
    const [mine, ours] = [newPredicate(h.e), newPredicate(h.e)]
    for (const p of [mine, ours]) emit(h.e, { _tag: 'setPredicate', to: p, value: false }, null)
    const code = constant(h.e, functions.addresses.get(f.name) ?? 0)
    scalar(h.e, 'setp.eq.u32', [ofPredicate(mine), null], [low!, code], h.guard)
    scalar(h.e, 'setp.eq.u32', [ofPredicate(ours), null], [high!, constant(h.e, functionWindow)], h.guard)
    const both = [mine, ours].map((predicate) => ({ predicate, negated: false }))
    emit(h.e, { _tag: 'predicate', op: 'and', to: mine, from: both }, null)
    const others = [
      { predicate: none, negated: false },
      { predicate: mine, negated: true },
    ]
    emit(h.e, { _tag: 'predicate', op: 'and', to: none, from: others }, null)
    const guard = { predicate: mine, negated: false }
    if (comesTo(functions.all, f, from))
      emit(h.e, { _tag: 'trap', why: `${f.name} would call itself`, asserted: false }, guard)
    else callOf(h, of, f, guard)
  }
  emit(
    h.e,
    { _tag: 'trap', why: 'the callee is not a function that may be called here', asserted: false },
    { predicate: none, negated: false },
  )
}

/** A call in a function: of a name, or of an address. */
export const call = (h: Here, of: Callable, from: Function): void => {
  const callee = h.operands['function']
  if (callee?._tag === 'register') {
    callThrough(h, of, from, callee)
    return
  }
  if (callee?._tag !== 'symbol' || callee.symbol._tag !== 'function') {
    refuse(h.e, 'ptx.operand', 'a call of a function', 'another operand')
    return
  }
  const { function: f, name } = callee.symbol
  if (builtin(h, of, name, valuesOf(h.operands['results']))) return
  if (comesTo(h.names.storage.functions.direct, f, from))
    refuse(h.e, 'ptx.name', 'a function that does not call itself', name)
  else callOf(h, of, f, h.guard)
}
