/**
 * The emitter: a program of warps while it is made.
 *
 * Rows are handed out as they are asked for: one for each register of up to 32 bits, as many as it has words for a wider one; constants and what a warp
 * is given have one row each, however often they are named. The first thing that is refused stays, and ends the elaboration.
 */
import type { Failure } from '../../../failure.js'
import type {
  Given,
  Guard,
  Instruction,
  Operation,
  Predicate,
  Row,
} from '../../../semantics/warps/program.js'
import type { Site } from '../../../semantics/language/program.js'
import { failureAt, type Position, type PtxError } from '../text/position.js'

export type ElaborationError = PtxError | 'ptx.unsupported' | 'ptx.entry'

export interface Emitter {
  readonly code: Instruction[]
  readonly sites: Site[]
  /** where each site is in the text */
  readonly positions: Position[]
  readonly constants: Map<number, Row>
  readonly givens: Map<string, { readonly row: Row; readonly given: Given }>
  rows: number
  predicates: number
  local: number
  site: number
  at: Position
  /** how many CTAs the instructions of tensor memory are for, once one has said it */
  group: 1 | 2 | null
  failed: Failure<ElaborationError> | null
}

export const emitter = (): Emitter => ({
  code: [],
  sites: [],
  positions: [],
  constants: new Map(),
  givens: new Map(),
  rows: 0,
  predicates: 0,
  local: 0,
  site: 0,
  at: { line: 1, column: 1 },
  group: null,
  failed: null,
})

export const refuse = (e: Emitter, code: PtxError, expected: string, found: string): void => {
  e.failed ??= failureAt(code, e.at, expected, found)
}

// ---------------------------------------------------------------- rows

export const newRow = (e: Emitter): Row => e.rows++
export const newRows = (e: Emitter, words: number): ReadonlyArray<Row> =>
  Array.from({ length: words }, () => newRow(e))
export const newPredicate = (e: Emitter): Predicate => e.predicates++

export const constant = (e: Emitter, word: number): Row => {
  const known = e.constants.get(word | 0)
  if (known !== undefined) return known
  const row = newRow(e)
  e.constants.set(word | 0, row)
  return row
}

export const given = (e: Emitter, g: Given): Row => {
  const key = JSON.stringify(g)
  const known = e.givens.get(key)
  if (known !== undefined) return known.row
  const row = newRow(e)
  e.givens.set(key, { row, given: g })
  return row
}

/** Bytes of local memory, of their own. */
export const localBytes = (e: Emitter, bytes: number, align: number): number => {
  const at = Math.ceil(e.local / align) * align
  e.local = at + bytes
  return at
}

// ---------------------------------------------------------------- code

export const emit = (e: Emitter, operation: Operation, guard: Guard | null): void => {
  e.code.push({ site: e.site, guard, operation })
}

export const scalar = (
  e: Emitter,
  name: string,
  to: ReadonlyArray<number | null>,
  from: ReadonlyArray<number>,
  guard: Guard | null,
): void => {
  emit(e, { _tag: 'scalar', name, to, from }, guard)
}
