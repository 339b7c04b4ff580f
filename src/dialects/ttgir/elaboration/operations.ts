/**
 * Operations: from the text to calls of `dialects/ttng`, one operation to one call.
 *
 *     %y = ttg.memdesc_index %x[%i]       memdescIndex(label, x, i)
 *
 * A row an operation, by families; an operation that has no row is refused at its line.
 *
 * Source: Triton 3.6, dialects tt, ttg and ttng; MLIR, arith, math and scf.
 */
import * as E from 'fp-ts/lib/Either.js'
import { block, located, typedHere, type Build, type Steps } from '../../../semantics/writing/builder.js'
import * as X from '../../../semantics/language/expression.js'
import type { Expr } from '../../../semantics/language/expression.js'
import { checked } from '../../../semantics/language/index-types.js'
import type { TileType } from '../../../semantics/language/types.js'
import { arithmeticRows } from './arithmetic.js'
import { atomicRows } from './atomics.js'
import { barrierRows } from './barriers.js'
import { runBlocks } from './blocks.js'
import { bufferRows } from './buffers.js'
import { callRows } from './calls.js'
import { controlRows } from './control.js'
import { copyRows } from './copies.js'
import { inlineAsmRows } from './inline-asm.js'
import { labelOf, placed, refusedAt, valueOf, type Here, type Rows } from './here.js'
import { placeOf } from './places.js'
import { productRows } from './products.js'
import { refusals } from './refusals.js'
import { reductionRows } from './reductions.js'
import { operationsOf } from './regions.js'
import { tensorMemoryRows } from './tensor-memory.js'
import { tensorRows } from './tensors.js'
import { warpSpecializeRows } from './warp-specialize.js'
import type { Operation } from '../text/syntax.js'
import { own } from '../../../own.js'

export { refusals }

export const rows: Rows = {
  ...arithmeticRows,
  ...tensorRows,
  ...reductionRows,
  ...atomicRows,
  ...inlineAsmRows,
  ...controlRows,
  ...callRows,
  ...bufferRows,
  ...barrierRows,
  ...copyRows,
  ...productRows,
  ...tensorMemoryRows,
  ...warpSpecializeRows,
}

/** In the region of a reduction a number stands for a tensor of it. */
const asLifted = (e: Expr, { shape, layout }: TileType): Build<Expr> =>
  typedHere(e, (type) =>
    E.right(type._tag === 'scalar' ? X.splat(checked<Expr<'i32'>, Expr>(e), shape, layout) : e),
  )

/** An operation, at its place in the source; what it gives is known from here on. */
const one = (h: Here, op: Operation): Build<void> => {
  const body = function* (): Steps<void> {
    const row = own(rows, op.name)
    if (row === undefined)
      return yield* refusedAt(op, 'an operation that can be run', own(refusals, op.name) ?? 'one that cannot')
    const given = yield* row(h, op, labelOf(h, op))
    const results: Expr[] = []
    for (const e of given) results.push(h.lifted === null ? e : yield* asLifted(e, h.lifted))
    let from = 0
    for (const { name, count } of op.names) {
      h.values.set(name, results.slice(from, from + count))
      from += count
    }
  }
  const place = placeOf(h.text, op.location)
  return placed(op, place === null ? block(body) : located(place, body))
}

const endings: ReadonlySet<string> = new Set([
  'scf.yield',
  'scf.condition',
  'tt.return',
  'tt.reduce.return',
  'tt.scan.return',
  'tt.map_elementwise.return',
  'ttg.warp_yield',
  'ttg.warp_return',
])

/** What is elaborated: what has a row, the ends of regions, and what is a frame for others. */
export const handled: ReadonlySet<string> = new Set([
  ...Object.keys(rows),
  ...endings,
  'cf.br',
  'cf.cond_br',
  'tt.func',
])

/** The values that the last operation of a region hands on; before those of a condition, the condition. */
const handsOn = function* (h: Here, op: Operation): Steps<ReadonlyArray<Expr>> {
  const values: Expr[] = []
  for (const value of [...(op.operands['condition'] ?? []), ...(op.operands['values'] ?? [])])
    values.push(yield* valueOf(h, op, value))
  return values
}

const inBlocks = runBlocks({ one, handsOn })

/** What stands before the last operation of a region, and the values that the last one hands on. */
export const run: Here['run'] = function* (h, region) {
  if (region !== undefined && region.blocks.length > 1) return yield* inBlocks(h, region)
  for (const op of operationsOf(region)) {
    if (endings.has(op.name)) return yield* handsOn(h, op)
    yield* one(h, op)
  }
  return []
}
