/**
 * Sums and products: operations whose results are computed values, named in the log with their operands.
 *
 * All lanes of an instruction compute alike, so they are one computed value of as many elements. To multiply by one and then add is an addition: compilers write it so,
 * and the proof of a result should not depend on that. Where an operand is not known byte for byte, the result is data of which nothing can be said.
 *
 * Law 1. A computed value is what the operation gives for all inputs, and not only for those of this run.
 */
import { firstComputed, type Computed, type Stretches } from '../log/computed.js'
import type { ByteOrigins } from '../machine/warp-stand.js'
import type { Operation, Place, Row } from './program.js'
import { computedOf, matrixType, oneOf, type Arithmetic } from './computed.js'
import type { LinkedProduct } from './products.js'
import { lowest, wordAt, type Rows } from './rows.js'
import { usesOf } from './uses.js'
import {
  at,
  data,
  plain,
  isPlain,
  placeWord,
  setPlace,
  plainWord,
  dataWord,
  wordOf,
  lowerOf,
} from './byte-words.js'
import { isNumber, stretches, extendOperand, extend } from './byte-stretches.js'

export type Of<K extends Operation['_tag']> = Extract<Operation, { readonly _tag: K }>

/** A value is computed; its number among those of values. */
const compute = ({ computed }: ByteOrigins, value: Computed): number => {
  computed.unsaid.push(value)
  return firstComputed - computed.count++
}

/** Are these bytes of a word all of a value, or zeros that no data has made? */
const isSayable = (r: Rows, o: ByteOrigins, row: Row, lane: number, from: number, bytes: number): boolean => {
  const word = wordAt(r, row, lane)
  if ((r.unknown[row]! & (1 << lane)) !== 0) return false
  for (let b = from; b < from + bytes; b++) {
    const held = o.values[at(row, lane) + b]!
    if (held === data || (held === plain && ((word >>> (8 * b)) & 0xff) !== 0)) return false
  }
  return true
}

const rowsOfOperand = (i: Of<'scalar'>, { rows }: Arithmetic, k: number): ReadonlyArray<Place> =>
  i.from.slice(k * rows, (k + 1) * rows)

/** Which of the first two operands is multiplied by a one that no data has made; null: none is. */
const multipliedByOne = (
  r: Rows,
  o: ByteOrigins,
  i: Of<'scalar'>,
  how: Arithmetic,
  lane: number,
): 0 | 1 | null => {
  const isOne = (k: number): boolean =>
    rowsOfOperand(i, how, k).every((row) => {
      const word = wordAt(r, row, lane) & (how.bytes === 4 ? -1 : 0xffff)
      return isNumber(r, o, row, lane) && word === (oneOf(how) | 0)
    })
  return how.how === 'add' ? null : isOne(1) ? 0 : isOne(0) ? 1 : null
}

/** The lanes compute alike, each with elements of its own. */
export const arithmetic = (r: Rows, o: ByteOrigins, i: Of<'scalar'>, how: Arithmetic, mask: number): void => {
  const lanes: number[] = []
  /** lanes of which one operand is multiplied by one, and then a third is added, if there is one */
  const byOne: [number[], number[]] = [[], []]
  const operands = Array.from({ length: i.from.length / how.rows }, (_, k) => rowsOfOperand(i, how, k))
  for (let m = mask; m !== 0; m &= m - 1) {
    const lane = lowest(m)
    if (i.from.every((p) => isPlain(placeWord(o, p, lane)))) {
      for (const to of i.to) if (to !== null) setPlace(o, to, lane, plainWord)
      continue
    }
    const kept = multipliedByOne(r, o, i, how, lane)
    const isSaid = (rows: ReadonlyArray<Place>): boolean =>
      rows.every((p) => isSayable(r, o, p, lane, 0, how.bytes) || isNumber(r, o, p, lane))
    if (kept !== null && operands.every((rows, k) => k === 1 - kept || isSaid(rows))) byOne[kept].push(lane)
    else if (operands.every(isSaid)) lanes.push(lane)
    else for (const to of i.to) if (to !== null) setPlace(o, to, lane, dataWord)
  }
  computeBy(r, o, i, how, how.how, lanes, [0, 1, 2])
  for (const kept of [0, 1] as const) {
    if (how.how === 'multiplyAdd') computeBy(r, o, i, how, 'add', byOne[kept], [kept, 2])
    else
      for (const lane of byOne[kept]) {
        const words = i.to.map((_, w) => wordOf(o, i.from[kept * how.rows + w]!, lane))
        i.to.forEach((to, w) => {
          if (to !== null) setPlace(o, to, lane, lowerOf(words[w]!, how.bytes))
        })
      }
  }
}

/** These lanes compute by these operands. */
const computeBy = (
  r: Rows,
  o: ByteOrigins,
  i: Of<'scalar'>,
  how: Arithmetic,
  by: Arithmetic['how'],
  lanes: ReadonlyArray<number>,
  operands: ReadonlyArray<number>,
): void => {
  if (lanes.length === 0) return
  const operand = (k: number): Stretches => {
    const made = stretches()
    for (const lane of lanes)
      for (let w = 0; w < how.rows; w++) extendOperand(r, o, made, i.from[k * how.rows + w]!, lane, how.bytes)
    return made.list
  }
  const value = compute(
    o,
    computedOf(
      { how: by, dtype: how.dtype, bytes: how.bytes, rows: how.rows },
      operands.filter((k) => k * how.rows < i.from.length).map(operand),
    ),
  )
  lanes.forEach((lane, n) => {
    i.to.forEach((to, w) => {
      if (to === null) return
      const first = (n * how.rows + w) * how.bytes
      const within = (b: number): boolean => b < how.bytes
      setPlace(o, to, lane, {
        values: [0, 1, 2, 3].map((b) => (within(b) ? value : plain)),
        bytes: [0, 1, 2, 3].map((b) => (within(b) ? first + b : 0)),
      })
    })
  })
}

/** A product of matrices; null: it is not followed, or reads what cannot be said. */
const matrices = (r: Rows, o: ByteOrigins, i: Of<'multiply'>, linked: LinkedProduct): Computed | null => {
  const { shape, products, saturate, a, b, c, d } = i.product
  const [aType, bType, cType, dtype] = [a, b, c, d].map(matrixType)
  if (
    products !== 1 ||
    saturate ||
    i.sparsity !== null ||
    aType == null ||
    bType == null ||
    cType == null ||
    dtype == null
  )
    return null
  const operand = (which: 'a' | 'b' | 'c'): Stretches | null => {
    const { fragment, places } = linked[which]
    const bytes = fragment.bits / 8
    const made = stretches()
    for (let e = 0; e < fragment.rows * fragment.columns; e++) {
      const row = i[which][places.registers[e]!]!
      const [lane, from] = [places.lanes[e]!, places.shifts[e]! / 8]
      if (!isSayable(r, o, row, lane, from, bytes)) return null
      extend(r, o, made, row, lane, from, bytes)
    }
    return made.list
  }
  const [x, y, z] = [operand('a'), operand('b'), operand('c')]
  return x === null || y === null || z === null
    ? null
    : { _tag: 'matrices', m: shape.m, n: shape.n, k: shape.k, aType, bType, cType, dtype, a: x, b: y, c: z }
}

export const multiply = (
  r: Rows,
  o: ByteOrigins,
  i: Of<'multiply'>,
  linked: LinkedProduct,
  mask: number,
): void => {
  const areAllPlain = usesOf(i).reads.every((row) => everyLane.every((lane) => isPlain(wordOf(o, row, lane))))
  const made = areAllPlain ? null : matrices(r, o, i, linked)
  if (made === null) {
    tainted(o, i, mask)
    return
  }
  const value = compute(o, made)
  const { fragment, places } = linked.d
  const bytes = fragment.bits / 8
  for (let e = 0; e < fragment.rows * fragment.columns; e++) {
    const start = at(i.d[places.registers[e]!]!, places.lanes[e]!) + places.shifts[e]! / 8
    for (let b = 0; b < bytes; b++) {
      o.values[start + b] = value
      o.bytes[start + b] = e * bytes + b
    }
  }
}
const everyLane = Array.from({ length: 32 }, (_, lane) => lane)

/** Everything that is written is data if anything that is read in these lanes is. */
export const tainted = (o: ByteOrigins, i: Operation, mask: number): void => {
  const { reads, writes } = usesOf(i)
  let isData = false
  for (let m = mask; m !== 0 && !isData; m &= m - 1)
    isData = reads.some((p) => !isPlain(placeWord(o, p, lowest(m))))
  for (let m = mask; m !== 0; m &= m - 1)
    for (const p of writes) setPlace(o, p, lowest(m), isData ? dataWord : plainWord)
}
