/**
 * Operations: a row an operation, by families; one that has no row is refused at its line.
 *
 *     { op: 'barrier_wait', uses: { barrier } }      barrierWait(label, barrier, null)
 *
 * | family                                            | module               |
 * |---------------------------------------------------|----------------------|
 * | numbers, element by element                       | `elementwise.ts`     |
 * | arrays of other shapes and layouts                | `arrays.ts`          |
 * | loads and stores                                  | `memory.ts`          |
 * | allocations                                       | `allocation.ts`      |
 * | loops, branches, calls                            | `control.ts`         |
 * | places in the grid, and what does nothing         | `coordinates.ts`     |
 * | copies, barriers, products, tensor memory, ...    | `operations/`        |
 */
import { allocationRows } from './allocation.js'
import { arrayRows } from './arrays.js'
import { controlRows } from './control.js'
import { coordinateRows } from './coordinates.js'
import { memoryRows } from './memory.js'
import { elementwiseRows } from './elementwise.js'
import { block, located, type Build, type Steps } from '../../semantics/writing/builder.js'
import type { Eqn, Value } from './document.js'
import { labelOf, placed, refusedAt, type Here, type Rows } from './here.js'
import { asynchronousRows } from './operations/index.js'
import * as Pallas from '../pallas/index.js'
import { isLoweredInWarps } from './warps.js'
import { placeOf } from './places.js'
import { refusals } from './refusals.js'
import { valueOf } from './operands.js'
import { isVariable } from './document.js'
import type { Elaborated } from './values.js'
import { own } from '../../own.js'

export const rows: Rows = {
  ...elementwiseRows,
  ...arrayRows,
  ...memoryRows,
  ...allocationRows,
  ...controlRows,
  ...coordinateRows,
  ...asynchronousRows,
}

const pure: ReadonlySet<string> = new Set([
  ...Object.keys(elementwiseRows),
  ...Object.keys(arrayRows),
  'axis_index',
  'program_id',
  'num_programs',
  'block_id',
  'grid_dim',
  'multiple_of',
  'optimization_barrier',
])
/** Does it only compute? */
export const isPure = (op: string): boolean => pure.has(op)

const changesAccumulators: ReadonlySet<string> = new Set(['wgmma', 'wgmma_accumulator_store'])

/** An equation, at its place in the source; what it gives is known from here on. */
const one = (h: Here, eqn: Eqn): Build<void> => {
  const body = function* (): Steps<void> {
    const row = own(rows, eqn.op)
    if (row === undefined)
      return yield* refusedAt(
        h,
        eqn,
        'jaxpr.operation',
        'an operation that is known here',
        own(refusals, eqn.op) ?? `'${eqn.op}'`,
      )
    if ((yield* Pallas.contextHere).warp !== null && !isLoweredInWarps(eqn.op, h))
      return yield* refusedAt(
        h,
        eqn,
        'jaxpr.operation',
        `an operation that the ${h.lowering} lowering of JAX has a rule for in a warp`,
        'none',
      )
    const label = labelOf(h, eqn)
    const given = yield* row(
      eqn.jaxprs === undefined ? h : { ...h, chain: `${h.chain} / ${label}` },
      eqn,
      label,
    )
    if (eqn.jaxprs !== undefined || changesAccumulators.has(eqn.op)) h.issued.count++
    for (const [k, out] of (eqn.out ?? []).entries()) {
      const value = given[k]
      if (out !== null && value != null) h.values.set(out.v, value)
    }
  }
  const place = placeOf(h.document, eqn)
  return placed(h, eqn, place === null ? block(body) : located(place, body))
}

/** A result; one that was not computed because nothing reads it is dropped. */
const resultOf = function* (h: Here, value: Value): Steps<Elaborated | null> {
  return isVariable(value) && !h.values.has(value.v) ? null : yield* valueOf(h, { op: 'the result' }, value)
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
  for (const eqn of jaxpr?.eqns ?? []) if (h.isLive(eqn)) yield* one(inside, eqn)
  const results: (Elaborated | null)[] = []
  for (const value of jaxpr?.out ?? []) results.push(value === null ? null : yield* resultOf(inside, value))
  return results
}
