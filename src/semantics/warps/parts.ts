/**
 * The lower part of a word, and the place that it came from.
 *
 * A conversion of two numbers into one word may have one number only: a compiler that converts a single element leaves the other operand out, and stores
 * the lower part of the word. Nothing wrote the other, and nothing of it is stored.
 *
 *     cvt.rn.satfinite.e4m3x2.f32 %rs2, %r7, %r6;   st.global.b8 [x], %rs2       stores what %r6 gave; nothing has written %r7
 *
 * | the word comes from                        | its lower bits come from          |
 * |--------------------------------------------|-----------------------------------|
 * | `cvt` of two f32 into two narrow floats     | the second operand                |
 * | `mov` that packs, and that takes apart      | the first words; the word's part  |
 * | `mov`                                      | what it moves                     |
 * | anything else, or several instructions      | the word                          |
 *
 * An operand counts only if at most one instruction writes it, one that stands before.
 *
 * Laws
 * 1. What is stored of a word is written by nothing if and only if one of these places is.
 *
 * Source: PTX ISA, cvt: "for .e4m3x2, the converted value of a is in the upper 8 bits, that of b in the lower 8".
 */
import { scalarOperation } from '../../numerics/scalar/index.js'
import { remembered } from '../../remembered.js'
import type { Operation, Place, Row, WarpProgram } from './program.js'
import { usesOf } from './uses.js'

interface Written {
  readonly operation: Operation
  readonly at: number
}

/** Places that one instruction writes, and places that several do (null). */
const writersIn: (p: WarpProgram) => ReadonlyMap<Place, Written | null> = remembered(({ code }) => {
  const found = new Map<Place, Written | null>()
  for (const [at, { operation, guard }] of code.entries())
    for (const place of usesOf(operation).writes)
      found.set(place, found.has(place) || guard !== null ? null : { operation, at })
  return found
})

/** Bits of each half of what a conversion of two f32 gives. */
const halves: ReadonlyMap<string, number> = new Map([
  ['f16x2', 16],
  ['bf16x2', 16],
  ['e4m3x2', 8],
  ['e5m2x2', 8],
])
const halfOf = (name: string): number | undefined => {
  const { operands = [], results = [] } = scalarOperation(name) ?? {}
  return operands.length === 2 && operands.every((o) => o === 'f32')
    ? halves.get(results[0] ?? '')
    : undefined
}

/** The places that bits `low` to `low + bits` of a row came from. */
export const cameFrom = (p: WarpProgram, row: Row, bits: number, low = 0): ReadonlyArray<Row> => {
  const writers = writersIn(p)
  const written = writers.get(row)
  if (written == null) return [row]
  const { operation: o, at } = written
  /** an operand as it was there: nothing writes it, or one instruction before */
  const stands = (from: Row): boolean => {
    const by = writers.get(from)
    return !writers.has(from) || (by != null && by.at < at)
  }
  const through = (from: Row, part: number, first: number): ReadonlyArray<Row> =>
    stands(from) ? cameFrom(p, from, part, first) : [row]
  if (o._tag === 'move') return through(o.from[o.to.indexOf(row)]!, bits, low)
  if (o._tag === 'part') return through(o.from, Math.min(bits, o.bits), low + o.at)
  if (o._tag === 'pack') {
    const first = Math.floor(low / o.bits)
    const last = Math.ceil((low + bits) / o.bits)
    return o.from.slice(first, last).flatMap((from) => through(from, o.bits, 0))
  }
  if (o._tag === 'scalar') {
    const half = halfOf(o.name)
    const [upper, lower] = o.from
    if (half === undefined || upper === undefined || lower === undefined) return [row]
    if (low + bits <= half) return stands(lower) ? [lower] : [row]
    if (low >= half && low + bits <= 2 * half) return stands(upper) ? [upper] : [row]
  }
  return [row]
}
