/**
 * `tt.call`: a function of the module, elaborated in the place of the call. Triton's functions call no function that calls them.
 *
 * Source: Triton 3.6, dialect tt.
 */
import type { Expr } from '../../../semantics/language/expression.js'
import { inFlightIn } from './flight.js'
import { refusedAt, valueOf, type Here, type Row, type Rows } from './here.js'
import { relabelled } from './labels.js'
import { mapsOf } from './maps.js'
import { everyOperation } from './regions.js'
import { showType } from '../text/show.js'
import { attributeOf, type Operation } from '../text/syntax.js'

const calleeOf = (op: Operation): string => {
  const a = attributeOf(op.attributes, 'callee')
  return a?._tag === 'symbol' ? a.name : ''
}

/** The operations of a function, and of those that it calls. */
export const reached = (
  functions: ReadonlyMap<string, Operation>,
  from: Operation,
): ReadonlyArray<Operation> => {
  const found = new Set([from])
  const operations: Operation[] = []
  for (const of of found)
    for (const op of everyOperation([of])) {
      operations.push(op)
      const callee = op.name === 'tt.call' ? functions.get(calleeOf(op)) : undefined
      if (callee !== undefined) found.add(callee)
    }
  return operations
}

const call: Row = function* (h, op, label) {
  const name = calleeOf(op)
  const callee = h.functions.get(name)
  if (callee === undefined) return yield* refusedAt(op, 'a function of the module', `@${name}`)
  if (h.calls.includes(name)) return yield* refusedAt(op, 'a function that does not call itself', `@${name}`)
  const [body] = callee.regions
  const parameters = body?.blocks[0]?.parameters ?? []
  const given: Expr[] = []
  for (const value of op.operands['operands'] ?? []) given.push(yield* valueOf(h, op, value))
  const expected = parameters.map((p) => showType(p.type)).join(', ')
  const found = (op.operands['operands'] ?? []).map((value) => showType(value.type)).join(', ')
  if (expected !== found)
    return yield* refusedAt(op, `operands of (${expected}), as @${name} takes`, `(${found})`)
  const inside = everyOperation([callee])
  const here: Here = {
    ...relabelled(h, inside, label),
    values: new Map(parameters.map((p, k) => [p.name, [given[k]!]])),
    constants: new Map(),
    acquired: new Map(),
    products: new Map(),
    resets: new Map(),
    maps: mapsOf(inside),
    body,
    flying: body === undefined ? new Set() : inFlightIn(body),
    calls: [...h.calls, name],
  }
  return yield* h.run(here, body)
}

export const callRows: Rows = { 'tt.call': call }
