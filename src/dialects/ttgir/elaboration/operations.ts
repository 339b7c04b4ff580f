/**
 * Operations: from the text to calls of `dialects/ttng`, one operation to one call.
 *
 *     %y = ttg.memdesc_index %x[%i]       memdescIndex(label, x, i)
 *
 * A row an operation, by families; an operation that has no row is refused at its line.
 *
 * Source: Triton 3.6, dialects tt, ttg and ttng; MLIR, arith, math and scf.
 */
import { block, located, type Build, type Steps } from '../../../semantics/writing/builder.js'
import type { Expr } from '../../../semantics/language/expression.js'
import { arithmeticRows } from './arithmetic.js'
import { barrierRows } from './barriers.js'
import { bufferRows } from './buffers.js'
import { controlRows } from './control.js'
import { copyRows } from './copies.js'
import { labelOf, placed, refusedAt, valueOf, type Here, type Rows } from './here.js'
import { placeOf } from './places.js'
import { productRows } from './products.js'
import { reductionRows } from './reductions.js'
import { operationsOf } from './regions.js'
import { tensorMemoryRows } from './tensor-memory.js'
import { tensorRows } from './tensors.js'
import { warpSpecializeRows } from './warp-specialize.js'
import type { Operation } from '../text/syntax.js'

export const rows: Rows = {
  ...arithmeticRows,
  ...tensorRows,
  ...reductionRows,
  ...controlRows,
  ...bufferRows,
  ...barrierRows,
  ...copyRows,
  ...productRows,
  ...tensorMemoryRows,
  ...warpSpecializeRows,
}

/** An operation, at its place in the source; what it gives is known from here on. */
const one = (h: Here, op: Operation): Build<void> => {
  const body = function* (): Steps<void> {
    const row = rows[op.name]
    if (row === undefined) return yield* refusedAt(op, 'an operation that can be run', 'one that cannot')
    const results = yield* placed(
      op,
      block(() => row(h, op, labelOf(h, op))),
    )
    let from = 0
    for (const { name, count } of op.names) {
      h.values.set(name, results.slice(from, from + count))
      from += count
    }
  }
  const place = placeOf(h.text, op.location)
  return place === null ? block(body) : located(place, body)
}

/** What stands before the last operation of a region, and the values that the last one hands on. */
export const run: Here['run'] = function* (h, region) {
  const operations = operationsOf(region)
  for (const op of operations) {
    if (op.name === 'scf.yield' || op.name === 'ttg.warp_yield') {
      const values: Expr[] = []
      for (const value of op.operands['values'] ?? []) values.push(yield* valueOf(h, op, value))
      return values
    }
    if (op.name === 'ttg.warp_return' || op.name === 'tt.return') return []
    yield* one(h, op)
  }
  return []
}
