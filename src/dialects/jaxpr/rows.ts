/**
 * Operations: a row an operation, by families; one that has no row is refused at its line.
 *
 *     { op: 'barrier_wait', uses: { barrier } }      barrierWait(label, barrier, null)
 *
 * | family                                            | module               |
 * |---------------------------------------------------|----------------------|
 * | copies, barriers, products, tensor memory, ...    | `operations/`        |
 */
import { block, located, type Build, type Steps } from '../../semantics/writing/builder.js'
import type { Eqn } from './document.js'
import { labelOf, placed, refusedAt, type Here, type Rows } from './here.js'
import { asynchronousRows } from './operations/index.js'
import { placeOf } from './places.js'
import { valueOf } from './operands.js'
import type { Elaborated } from './values.js'

export const rows: Rows = { ...asynchronousRows }

/** An equation, at its place in the source; what it gives is known from here on. */
const one = (h: Here, eqn: Eqn): Build<void> => {
  const body = function* (): Steps<void> {
    const row = rows[eqn.op]
    if (row === undefined)
      return yield* refusedAt(h, eqn, 'jaxpr.operation', 'an operation that is known here', `'${eqn.op}'`)
    const given = yield* row(h, eqn, labelOf(h, eqn))
    for (const [k, out] of (eqn.out ?? []).entries()) {
      const value = given[k]
      if (out !== null && value != null) h.values.set(out.v, value)
    }
  }
  const place = placeOf(h.document, eqn)
  return placed(h, eqn, place === null ? block(body) : located(place, body))
}

/** A jaxpr with these arguments. */
export const run: Here['run'] = function* (h, number, args) {
  const jaxpr = h.document.jaxprs[number]
  const parameters = jaxpr?.in ?? []
  const inside: Here = { ...h, values: new Map() }
  parameters.forEach(({ v }, k) => {
    const value = args[k]
    if (value != null) inside.values.set(v, value)
  })
  for (const eqn of jaxpr?.eqns ?? []) yield* one(inside, eqn)
  const results: (Elaborated | null)[] = []
  for (const value of jaxpr?.out ?? [])
    results.push(value === null ? null : yield* valueOf(inside, { op: 'the result' }, value))
  return results
}
