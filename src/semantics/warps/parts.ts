/**
 * Which lanes of a word that is stored come from what nothing has written.
 *
 * An instruction whose operand is not known gives a word that is not known (`rows.ts`). That is too much where a word holds two numbers: a conversion of two numbers into one word may have one number only. A compiler that converts a single element leaves the other operand out, and stores the lower part. Nothing
 * wrote the other, and nothing of it is stored. So a lane counts if its word is not known, and neither are the bits that these bits are made of.
 *
 *     cvt.rn.satfinite.e4m3x2.f32 %rs2, %r7, %r6;   st.global.b8 [x], %rs2       stores what %r6 gave; nothing has written %r7
 *
 * | the word comes from                        | its bits are made of              |
 * |--------------------------------------------|-----------------------------------|
 * | `cvt` of two f32 into two narrow floats     | the operand of that half          |
 * | `mov` that packs, and that takes apart      | the words there; the word's part  |
 * | an instruction on pairs of 16 bits         | that half of each operand         |
 * | another instruction that computes          | all bits of its operands          |
 * | a load, a shuffle, several instructions    | the word                          |
 *
 * Operands are read where the word is stored. So they must hold then what they held when the word was written: at most one instruction writes an operand, whatever the guard, and
 *
 * | there is no way                                                              | else                                          |
 * |------------------------------------------------------------------------------|-----------------------------------------------|
 * | to the store but past what writes the word, and to that but past what writes the operand | the word, or the operand, was never written |
 * | from what writes the word past what writes the operand to the store, but past the first again | the operand is another by then |
 *
 *     again: add %r6, %r5, %r4;   @%p1 bra out;   cvt.rn.satfinite.e4m3x2.f32 %rs2, %r7, %r6;   ...   bra again;   out: st.global.b8 [x], %rs2     %r6 is of a later turn
 *
 * Of a program with calls the text does not show the ways: no word is looked through.
 *
 * Laws
 * 1. Bits of which all are made of written ones are no I1; bits that are made of what nothing has written are.
 *
 * Source: PTX ISA, cvt: "for .e4m3x2, the converted value of a is in the upper 8 bits, that of b in the lower 8".
 */
import { scalarOperation } from '../../numerics/scalar/index.js'
import { remembered } from '../../remembered.js'
import { successorsOf } from './live.js'
import type { Operation, Place, Row, WarpProgram } from './program.js'
import type { Rows } from './rows.js'
import { isComputing, usesOf } from './uses.js'

interface Written {
  readonly operation: Operation
  readonly at: number
}

/** Places that one instruction writes, and places that several do (null); of a program with calls, none. */
const writersIn: (p: WarpProgram) => ReadonlyMap<Place, Written | null> = remembered(({ code }) => {
  const found = new Map<Place, Written | null>()
  if (code.some(({ operation: o }) => o._tag === 'call' || o._tag === 'return')) return found
  for (const [at, { operation, guard }] of code.entries())
    for (const place of usesOf(operation).writes)
      found.set(place, found.has(place) || guard !== null ? null : { operation, at })
  return found
})

/** Ways between instructions that do not come past another, by their indices. */
interface Ways {
  readonly fromStart: (to: number, past: number) => boolean
  readonly onward: (from: number, to: number, past: number) => boolean
}
const waysOf: (p: WarpProgram) => Ways = remembered(({ code }) => {
  const next = code.map(successorsOf)
  const known = new Map<string, boolean>()
  const leads = (first: ReadonlyArray<number>, to: number, past: number): boolean => {
    const seen = new Set([past])
    const stack = [...first]
    while (stack.length > 0) {
      const k = stack.pop()!
      if (seen.has(k)) continue
      if (k === to) return true
      seen.add(k)
      for (const onward of next[k] ?? []) stack.push(onward)
    }
    return false
  }
  const asked = (first: ReadonlyArray<number>, from: number, to: number, past: number): boolean => {
    const key = `${String(from)} ${String(to)} ${String(past)}`
    const found = known.get(key) ?? leads(first, to, past)
    known.set(key, found)
    return found
  }
  return {
    fromStart: (to, past) => asked([0], -1, to, past),
    onward: (from, to, past) => asked(next[from]!, from, to, past),
  }
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

/** Two numbers of 16 bits in a word, each computed alone. */
const isPair = (type: string): boolean => ['s16x2', 'u16x2', 'f16x2', 'bf16x2'].includes(type)
const computesPairs = (name: string): boolean => {
  const { operands = [], results = [] } = scalarOperation(name) ?? {}
  return operands.length > 0 && [...operands, ...results].every(isPair)
}

/** Some bits of a row. */
interface Bits {
  readonly row: Row
  readonly bits: number
  readonly low: number
}
const whole = (row: Row): Bits => ({ row, bits: 32, low: 0 })

/** What bits of a row are made of by the instruction that writes it; null: it is not looked through. */
const madeOf = (o: Operation, { row, bits, low }: Bits): ReadonlyArray<Bits> | null => {
  if (!isComputing(o)) return null
  switch (o._tag) {
    case 'move':
      return [{ row: o.from[o.to.indexOf(row)]!, bits, low }]
    case 'part':
      return [{ row: o.from, bits: Math.min(bits, o.bits), low: low + o.at }]
    case 'pack':
      return o.from
        .slice(Math.floor(low / o.bits), Math.ceil((low + bits) / o.bits))
        .map((from) => ({ row: from, bits: o.bits, low: 0 }))
    case 'scalar': {
      const half = halfOf(o.name)
      const [upper, lower] = o.from
      if (half !== undefined && upper !== undefined && lower !== undefined) {
        if (low + bits <= half) return [whole(lower)]
        if (low >= half && low + bits <= 2 * half) return [whole(upper)]
      }
      if (o.from.some((from) => from < 0)) return null
      if (computesPairs(o.name) && Math.floor(low / 16) === Math.floor((low + bits - 1) / 16))
        return o.from.map((from) => ({ row: from, bits: 16, low: 16 * Math.floor(low / 16) }))
      return o.from.map(whole)
    }
    case 'predicate':
    case 'setPredicate':
    case 'activeLanes':
    case 'mbarrierPending':
    case 'transposeMatrix':
    case 'multiply':
    case 'wholeWarp':
    case 'shuffle':
    case 'vote':
    case 'match':
    case 'reduce':
    case 'elect':
    case 'meetLanes':
      return null
  }
}

/** The lanes of `mask` in which the low `bits` of a row that `store` stores come from what nothing has written. */
export const fromNothing = (
  p: WarpProgram,
  rows: Rows,
  store: Operation,
  from: Row,
  bits: number,
  mask: number,
): number => {
  const writers = writersIn(p)
  const { fromStart, onward } = waysOf(p)
  const at = p.code.findIndex(({ operation }) => operation === store)
  const known = new Map<string, number>()
  /** `reader`: the index of what reads it */
  const lost = (of: Bits, reader: number): number => {
    const unknown = rows.unknown[of.row]! & mask
    const written = writers.get(of.row)
    if (unknown === 0 || written == null) return unknown
    const key = `${String(of.row)} ${String(of.bits)} ${String(of.low)} ${String(reader)}`
    const before = known.get(key)
    if (before !== undefined) return before
    /** an operand holds what it held there */
    const stands = ({ row }: Bits): boolean => {
      const by = writers.get(row)
      if (by == null) return by === undefined
      return (
        by.at !== written.at &&
        !fromStart(written.at, by.at) &&
        !(onward(written.at, by.at, written.at) && onward(by.at, at, written.at))
      )
    }
    const made = fromStart(reader, written.at) ? null : madeOf(written.operation, of)
    const found =
      made === null || !made.every(stands)
        ? unknown
        : unknown & made.reduce((all, one) => all | lost(one, written.at), 0)
    known.set(key, found)
    return found
  }
  return at < 0 ? rows.unknown[from]! & mask : lost({ row: from, bits, low: 0 }, at)
}
