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
 * | an instruction on pairs, of any widths     | that half of each operand         |
 * | `and`, `or`, `xor`, `not`, `lop3`          | the bits there, if the bits of an immediate leave them a say |
 * | a shift by an immediate; `prmt` by one     | the bits that go there            |
 * | a sum, a difference, the low word of a product | the bits there and below      |
 * | another instruction that computes          | all bits of its operands          |
 * | a load, a shuffle, several instructions    | the word                          |
 *
 * An instruction reads its operands when it runs, and this asks when the word is stored. So each question is about what a word held when its reader ran last, and
 *
 * | there is no way                                                              | else                                          |
 * |------------------------------------------------------------------------------|-----------------------------------------------|
 * | from the reader past one that writes the word to the store, but past the reader again | the word is another by now: it is not asked if it is known |
 * | to the reader but past what writes the word                                  | the word was never written                    |
 * | from that past another that writes the word to the reader, but past that again | another has written the word                  |
 *
 * As all ways to the store lead past what is looked through, and all ways to that past what writes its operands, none of these has run again since.
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

/** Indices of what writes places; of a program with calls, none. */
const writersIn: (p: WarpProgram) => ReadonlyMap<Place, ReadonlyArray<number>> = remembered(({ code }) => {
  const found = new Map<Place, Array<number>>()
  if (code.some(({ operation: o }) => o._tag === 'call' || o._tag === 'return')) return found
  for (const [at, { operation }] of code.entries())
    for (const place of usesOf(operation).writes) {
      const known = found.get(place)
      if (known === undefined) found.set(place, [at])
      else known.push(at)
    }
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

/** Bits of each half of a pair of numbers. */
const halves: ReadonlyMap<string, number> = new Map([
  ['s16x2', 16],
  ['u16x2', 16],
  ['f16x2', 16],
  ['bf16x2', 16],
  ['e4m3x2', 8],
  ['e5m2x2', 8],
  ['e2m3x2', 8],
  ['e3m2x2', 8],
  ['ue8m0x2', 8],
  ['e2m1x2', 4],
])

/** Bits of a row. */
interface Bits {
  readonly row: Row
  readonly bits: number
}
const lowest = (count: number): number => (count >= 32 ? everyBit : (1 << count) - 1)
const everyBit = -1
const whole = (row: Row): Bits => ({ row, bits: everyBit })
const some = (those: ReadonlyArray<Bits>): ReadonlyArray<Bits> => those.filter(({ bits }) => bits !== 0)

/** Words of immediates. */
type Immediates = ReadonlyMap<Row, number>
const immediatesIn: (p: WarpProgram) => Immediates = remembered(
  ({ constants }) => new Map(constants.map(({ row, word }) => [row, word])),
)

/** How the bits of a result come of those of its operands; `sums`: of those there and below. */
type Way = 'sums' | 'left' | 'right' | 'bytes' | 'looks up' | Table

/** What each of eight triples of bits gives, as that of `lop3`. */
interface Table {
  readonly table: number
}

const ways: ReadonlyMap<string, Way> = new Map<string, Way>([
  ...(['b16', 'b32'] as const).flatMap((type): ReadonlyArray<readonly [string, Way]> => [
    [`and.${type}`, { table: 0xc0 }],
    [`or.${type}`, { table: 0xfc }],
    [`xor.${type}`, { table: 0x3c }],
    [`not.${type}`, { table: 0x0f }],
    [`shl.${type}`, 'left'],
  ]),
  ['shr.u16', 'right'],
  ['shr.u32', 'right'],
  ['shr.b16', 'right'],
  ['shr.b32', 'right'],
  ['prmt.b32', 'bytes'],
  ['lop3.b32', 'looks up'],
  ...(['s16', 'u16', 's32', 'u32'] as const).flatMap((type): ReadonlyArray<readonly [string, Way]> => [
    [`add.${type}`, 'sums'],
    [`sub.${type}`, 'sums'],
    [`mul.lo.${type}`, 'sums'],
    [`mad.lo.${type}`, 'sums'],
  ]),
])

/** Bits of three operands that have a say in `bits` of what a table of eight makes of them; `words`: what is known of each. */
const consulted = (
  table: number,
  words: ReadonlyArray<number | undefined>,
  bits: number,
): ReadonlyArray<number> =>
  words.map((_, k) => {
    let found = 0
    for (let at = 0; at < 32; at++) {
      if (((bits >>> at) & 1) === 0) continue
      // indices of the table that the known words leave
      const left = [0, 1, 2, 3, 4, 5, 6, 7].filter((index) =>
        words.every((word, n) => word === undefined || ((word >>> at) & 1) === ((index >>> (2 - n)) & 1)),
      )
      const turned = 4 >>> k
      if (
        left.some((i) => left.includes(i ^ turned) && ((table >>> i) & 1) !== ((table >>> (i ^ turned)) & 1))
      )
        found |= 1 << at
    }
    return found
  })

/** Bits of two words that `prmt` takes by a selector. */
const taken = (selector: number, bits: number): readonly [number, number] => {
  let a = 0
  let b = 0
  for (let byte = 0; byte < 4; byte++) {
    const asked = (bits >>> (8 * byte)) & 0xff
    const from = (selector >>> (4 * byte)) & 0xf
    // a sign is spread over the byte
    const those = asked === 0 ? 0 : (from & 8) !== 0 ? 0x80 : asked
    if ((from & 4) === 0) a |= those << (8 * (from & 3))
    else b |= those << (8 * (from & 3))
  }
  return [a, b]
}

const byWay = (
  way: Way,
  from: ReadonlyArray<Row>,
  bits: number,
  known: Immediates,
): ReadonlyArray<Bits> | null => {
  const [a = 0, b = 0, c = 0, d = 0] = from
  if (typeof way === 'object') {
    const asked = consulted(
      way.table,
      [0, 1, 2].map((k) => (k < from.length ? known.get(from[k]!) : 0)),
      bits,
    )
    return from.map((row, k) => ({ row, bits: asked[k]! }))
  }
  switch (way) {
    case 'sums':
      return from.map((row) => ({ row, bits: lowest(32 - Math.clz32(bits)) }))
    case 'left':
    case 'right': {
      const by = known.get(b)
      if (by === undefined || by < 0 || by > 31) return null
      return [{ row: a, bits: way === 'left' ? bits >>> by : bits << by }]
    }
    case 'bytes': {
      const selector = known.get(c)
      if (selector === undefined) return null
      const [first, second] = taken(selector, bits)
      return [
        { row: a, bits: first },
        { row: b, bits: second },
      ]
    }
    case 'looks up': {
      const table = known.get(d)
      return table === undefined ? null : byWay({ table }, [a, b, c], bits, known)
    }
  }
}

/** The bits of both halves of an operand of `width` that those of a pair of halves of `half` are made of. */
const halfway = (bits: number, half: number, width: number): number =>
  ((bits & lowest(half)) === 0 ? 0 : lowest(width)) |
  (((bits >>> half) & lowest(half)) === 0 ? 0 : lowest(width) << width)

/** What bits of a row are made of by the instruction that writes it; null: it is not looked through. */
const madeOf = (o: Operation, { row, bits }: Bits, known: Immediates): ReadonlyArray<Bits> | null => {
  if (!isComputing(o)) return null
  switch (o._tag) {
    case 'move':
      return [{ row: o.from[o.to.indexOf(row)]!, bits }]
    case 'part':
      return some([{ row: o.from, bits: (bits & lowest(o.bits)) << o.at }])
    case 'pack':
      return some(o.from.map((from, k) => ({ row: from, bits: (bits >>> (k * o.bits)) & lowest(o.bits) })))
    case 'scalar': {
      if (o.from.some((from) => from < 0)) return null
      const { operands = [], results = [] } = scalarOperation(o.name) ?? {}
      const half = results.length === 1 ? halves.get(results[0]!) : undefined
      if (half !== undefined) {
        const [upper, lower] = o.from
        if (operands.length === 2 && operands.every((t) => t === 'f32'))
          return some([
            { row: lower!, bits: (bits & lowest(half)) === 0 ? 0 : everyBit },
            { row: upper!, bits: ((bits >>> half) & lowest(half)) === 0 ? 0 : everyBit },
          ])
        const widths = operands.flatMap((t) => halves.get(t) ?? [])
        if (widths.length === o.from.length)
          return some(o.from.map((from, k) => ({ row: from, bits: halfway(bits, half, widths[k]!) })))
      }
      const way = ways.get(o.name)
      const made = way === undefined ? null : byWay(way, o.from, bits, known)
      return made === null ? o.from.map(whole) : some(made)
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
  const immediates = immediatesIn(p)
  const { fromStart, onward } = waysOf(p)
  const at = p.code.findIndex(({ operation }) => operation === store)
  const known = new Map<string, number>()
  /** Does `by` run after the last time that `reader` does? */
  const isLater = (by: number, reader: number): boolean =>
    reader !== at && (by === reader || (onward(reader, by, reader) && onward(by, at, reader)))
  /** What has written the row that `reader` reads, if it is one instruction. */
  const writerOf = (row: Row, reader: number): number | undefined => {
    const those = writers.get(row) ?? []
    return those.find(
      (one) =>
        one !== reader &&
        p.code[one]!.guard === null &&
        !fromStart(reader, one) &&
        those.every((other) => other === one || !(onward(one, other, one) && onward(other, reader, one))),
    )
  }
  /** `reader`: the index of what reads it */
  const lost = (of: Bits, reader: number): number => {
    const stands = (writers.get(of.row) ?? []).every((by) => !isLater(by, reader))
    const unknown = stands ? rows.unknown[of.row]! & mask : mask
    if (unknown === 0) return 0
    const key = `${String(of.row)} ${String(of.bits)} ${String(reader)}`
    const before = known.get(key)
    if (before !== undefined) return before
    const written = writerOf(of.row, reader)
    const made = written === undefined ? null : madeOf(p.code[written]!.operation, of, immediates)
    const found = made === null ? unknown : unknown & made.reduce((all, one) => all | lost(one, written!), 0)
    known.set(key, found)
    return found
  }
  return at < 0 ? rows.unknown[from]! & mask : lost({ row: from, bits: lowest(bits) }, at)
}
