/**
 * Calls: parameters are copied into the bytes that a function has for them, and its results out of these.
 *
 * A function of the compiler's library that every kernel may call is known by its name: a failed assertion is a trap, what is printed goes nowhere.
 *
 * Source: PTX ISA, call; parameter state space.
 */
import type { Function } from '../text/module.js'
import type { Value } from '../opcodes/resolve.js'
import { constant, emit, newRow, refuse } from './emitter.js'
import type { Here } from './here.js'
import { placeOfSymbol, type Place } from './storage.js'

type Local = Extract<Place, { readonly _tag: 'local' | 'parameter' }>

const copyLocal = (h: Here, from: number, to: number, bytes: number): void => {
  const row = newRow(h.e)
  for (let at = 0; at < bytes;) {
    const width = bytes - at >= 4 ? 4 : 1
    const one = { bytes: width, count: 1, signed: false } as const
    const place = (offset: number) => ({ space: 'local', rows: [], offset: offset + at }) as const
    emit(
      h.e,
      { _tag: 'load', from: place(from), width: one, to: [[row]], ordering: 'weak', scope: 'cta' },
      h.guard,
    )
    emit(
      h.e,
      { _tag: 'store', into: place(to), width: one, value: [[row]], ordering: 'weak', scope: 'cta' },
      h.guard,
    )
    at += width
  }
}

const valuesOf = (v: Value | undefined): ReadonlyArray<Value> => (v?._tag === 'list' ? v.items : [])

const localOf = (h: Here, v: Value | undefined): Local | null => {
  const there = v?._tag === 'symbol' ? placeOfSymbol(h.names.storage, v.symbol) : null
  return there?._tag === 'local' ? there : null
}

/** A function of the compiler's library; false: it is none. */
const builtin = (h: Here, name: string, results: ReadonlyArray<Value>): boolean => {
  if (name === '__assertfail' || name === '__assert_fail') {
    emit(h.e, { _tag: 'trap', why: 'an assertion fails' }, h.guard)
    return true
  }
  if (name !== 'vprintf') return false
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

/** The function that is called, with its parameters in place and its results behind it; null: one that is known by its name, or refused. */
export const call = (
  h: Here,
  labelOf: (f: Function) => number | null,
  placesOf: (f: Function) => {
    readonly formals: ReadonlyArray<Place>
    readonly results: ReadonlyArray<Place>
  },
): Function | null => {
  const callee = h.operands['function']
  if (callee?._tag !== 'symbol' || callee.symbol._tag !== 'function') {
    refuse(h.e, 'ptx.operand', 'a call of a function by its name', 'the address of one')
    return null
  }
  const { function: f, name } = callee.symbol
  const results = valuesOf(h.operands['results'])
  if (builtin(h, name, results)) return null
  const target = labelOf(f)
  if (target === null) {
    refuse(h.e, 'ptx.name', 'a function with a body in this module', name)
    return null
  }
  const places = placesOf(f)
  const copied = (
    given: ReadonlyArray<Value>,
    formals: ReadonlyArray<Place>,
    copy: (actual: Local, formal: Local) => void,
  ): void => {
    if (given.length !== formals.length) {
      refuse(h.e, 'ptx.operand', `${name}: ${String(formals.length)} parameters`, String(given.length))
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
  copied(valuesOf(h.operands['arguments']), places.formals, (actual, formal) => {
    copyLocal(h, actual.offset, formal.offset, formal.bytes)
  })
  emit(h.e, { _tag: 'call', target }, h.guard)
  copied(results, places.results, (actual, formal) => {
    copyLocal(h, formal.offset, actual.offset, formal.bytes)
  })
  return f
}
