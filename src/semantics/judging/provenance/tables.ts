/**
 * Tables: lists of integers that many terms share.
 *
 * Step after step a pipeline moves boxes of one shape: what changes is where the box begins. So a term is a table, which is the same
 * object in every step, and an origin, which is a number; work on tables is done once for each pair of tables and remembered.
 *
 *     A[0:128, 64:128]    table [0, 1 .. 63, 4096 ..], origin 64
 *     A[0:128, 128:192]   the same table,              origin 128
 *
 * Laws
 * 1. equal contents give one table.
 * 2. `picked(t, s)` is t[s[0]], t[s[1]], ... as a table that begins with 0 and what it is moved by: parts of a box that differ in where they
 *    begin have one table.
 *
 * Source: hash consing (Ershov; Filliâtre and Conchon).
 */

// ---------------------------------------------------------------- model

export interface Table {
  readonly id: number
  readonly values: Int32Array
  /** the least of them; 0 of none */
  readonly least: number
}

/** The values of a table, each with `by` added. */
export interface Moved {
  readonly table: Table
  readonly by: number
}

/** The tables of the runs of one program: updated in place, and nothing but speed depends on what it holds. */
export interface Tables {
  readonly byArray: WeakMap<Int32Array, Table>
  readonly byHash: Map<number, Table[]>
  readonly picks: Map<number, Map<number, Moved>>
  count: number
  /** of all tables together */
  elements: number
}

export const tables = (): Tables => ({
  byArray: new WeakMap(),
  byHash: new Map(),
  picks: new Map(),
  count: 0,
  elements: 0,
})

// ---------------------------------------------------------------- constructors

/** Of a sample: tables of boxes that differ do so in most places, and equal hashes are compared. */
const hashOf = (xs: Int32Array): number => {
  const stride = Math.max(1, Math.floor(xs.length / 64) | 1)
  let h = xs.length
  for (let i = 0; i < xs.length; i += stride) h = Math.imul(h ^ xs[i]!, 0x01000193)
  return h
}

const sameValues = (a: Int32Array, b: Int32Array): boolean => {
  const count = a.length
  if (count !== b.length) return false
  for (let i = 0; i < count; i++) if (a[i] !== b[i]) return false
  return true
}

const leastOf = (xs: Int32Array): number => {
  const count = xs.length
  let least = count === 0 ? 0 : xs[0]!
  for (let i = 1; i < count; i++) if (xs[i]! < least) least = xs[i]!
  return least
}

/** The table of an array, which must not change any more. */
export const table = (s: Tables, values: Int32Array): Table => {
  const known = s.byArray.get(values)
  if (known !== undefined) return known
  const hash = hashOf(values)
  const bucket = s.byHash.get(hash) ?? []
  let found = bucket.find((t) => sameValues(t.values, values))
  if (found === undefined) {
    found = { id: s.count++, values, least: leastOf(values) }
    s.elements += values.length
    bucket.push(found)
    s.byHash.set(hash, bucket)
  }
  s.byArray.set(values, found)
  return found
}

// ---------------------------------------------------------------- combinators

/** Memory of a function of two tables. */
export const remembered = <A>(
  memory: Map<number, Map<number, A>>,
  x: number,
  y: number,
  make: () => A,
): A => {
  let row = memory.get(x)
  if (row === undefined) {
    row = new Map()
    memory.set(x, row)
  }
  const known = row.get(y)
  if (known !== undefined) return known
  const made = make()
  row.set(y, made)
  return made
}

export const picked = (s: Tables, from: Table, elements: Table): Moved =>
  remembered(s.picks, from.id, elements.id, () => {
    const by = elements.values.length === 0 ? 0 : from.values[elements.values[0]!]!
    return { table: table(s, pickedValues(from.values, elements.values, by)), by }
  })

const pickedValues = (from: Int32Array, elements: Int32Array, by: number): Int32Array => {
  const count = elements.length
  const out = new Int32Array(count)
  for (let i = 0; i < count; i++) out[i] = from[elements[i]!]! - by
  return out
}
