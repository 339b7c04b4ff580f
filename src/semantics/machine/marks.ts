/**
 * Marks: which bytes of a plane are known.
 *
 * A plane of shadows is two planes of bytes at the same addresses: what is there, and its marks. A byte is known where its mark has all ones, as in a page
 * that was never written; else its mark is the datum that it is of (`numerics/shadow.ts`). An element is read with the marks of its bytes, as one carrier.
 *
 *     bytes   34 12        marks   ff 02       u16: the pattern 0x0034, and a mark: byte 1 is of datum 2
 *
 * Laws
 * 1. `withMarks(data, marksOf(data))` is `data`, of carriers with zeros in their unknown bytes.
 */
import type { Header } from '../log/events.js'
import { mark, marked, markOf, mostDatum, bytesOfMark, datumOf, ofProduct } from '../../numerics/shadow.js'
import { addressesInByte, bytesOf, firstByteAt, isPacked, lastByteAt, type Cells } from './cells.js'
import { fault, type FaultValue } from './value.js'

/** The mark of a byte that is known. */
export const known = 0xff

const unsigned = { 1: 'u8', 2: 'u16', 4: 'u32' } as const
const widthOf = (c: Cells): 1 | 2 | 4 => {
  const bytes = bytesOf(c.dtype)
  return bytes === 1 || bytes === 2 ? bytes : 4
}

/** Where the marks of elements are: as many unsigned numbers of the same width; of 8 bytes two words each, of 6 bits the byte they begin in and the one they end in. */
export const cellsOfMarks = (c: Cells): Cells => {
  const dtype = unsigned[widthOf(c)]
  if (isPacked(c.dtype)) {
    const each = numbersOfMark(c)
    const offsets = new Int32Array(each * c.offsets.length)
    for (let i = 0; i < c.offsets.length; i++) {
      const at = c.offsets[i]! + c.origin
      offsets[each * i] = at < 0 ? -1 : firstByteAt(c.dtype, at)
      if (each === 2) offsets[2 * i + 1] = at < 0 ? -1 : lastByteAt(c.dtype, at)
    }
    return { dtype, offsets, origin: 0 }
  }
  if (bytesOf(c.dtype) <= 4) return { dtype, offsets: c.offsets, origin: c.origin }
  const offsets = new Int32Array(2 * c.offsets.length)
  for (let i = 0; i < c.offsets.length; i++) {
    const at = c.offsets[i]! + c.origin
    offsets[2 * i] = at
    offsets[2 * i + 1] = at < 0 ? -1 : at + 4
  }
  return { dtype, offsets, origin: 0 }
}

/** How many numbers the marks of an element are. */
const numbersOfMark = (c: Cells): 1 | 2 => (bytesOf(c.dtype) > 4 || addressesInByte(c.dtype) === 4 ? 2 : 1)

/** The marks of an element of which everything is known. */
export const knownOf = (c: Cells): number => 2 ** (8 * widthOf(c)) - 1

/** The mark of an element, of the marks of its bytes. */
const ofBytes = (marks: number, width: number): number => {
  let bytes = 0
  let datum = 0
  for (let b = 0; b < width; b++) {
    const of = (marks >>> (8 * b)) & 0xff
    if (of === known) continue
    bytes |= 1 << b
    datum = Math.max(datum, of)
  }
  return mark(bytes, datum)
}

/** What was read, with what was read of its marks. In place. */
export const withMarks = (c: Cells, data: Float64Array, marks: Float64Array): Float64Array => {
  const all = knownOf(c)
  const width = widthOf(c)
  if (addressesInByte(c.dtype) === 4) {
    for (let i = 0; i < data.length; i++) {
      const datum = Math.max(datumOf(ofBytes(marks[2 * i]!, 1)), datumOf(ofBytes(marks[2 * i + 1]!, 1)))
      if (datum > 0) data[i] = marked(data[i]!, mark(1, datum))
    }
    return data
  }
  if (marks.length !== data.length) {
    // a number of 64 bits has no room for a mark
    for (let i = 0; i < data.length; i++) if (marks[2 * i] !== all || marks[2 * i + 1] !== all) data[i] = NaN
    return data
  }
  for (let i = 0; i < data.length; i++)
    if (marks[i] !== all) data[i] = marked(data[i]!, ofBytes(marks[i]!, width))
  return data
}

/** The marks of what is to be written; null: all of it is known. */
export const marksOf = (c: Cells, data: Float64Array): Float64Array | null => {
  const all = knownOf(c)
  const width = widthOf(c)
  if (addressesInByte(c.dtype) === 4) {
    const found = Float64Array.from(data, (x) => (markOf(x) === 0 ? known : datumOf(markOf(x))))
    return found.every((m) => m === known)
      ? null
      : found.reduce((out, m, i) => out.fill(m, 2 * i, 2 * i + 2), new Float64Array(2 * found.length))
  }
  if (bytesOf(c.dtype) > 4) {
    if (!data.some(Number.isNaN)) return null
    const out = new Float64Array(2 * data.length)
    data.forEach((x, i) => out.fill(Number.isNaN(x) ? repeated(ofProduct) : all, 2 * i, 2 * i + 2))
    return out
  }
  let first = 0
  while (first < data.length && markOf(data[first]!) === 0) first++
  if (first === data.length) return null
  const out = new Float64Array(data.length).fill(all, 0, first)
  for (let i = first; i < data.length; i++) {
    const m = markOf(data[i]!)
    if (m === 0) {
      out[i] = all
      continue
    }
    let marks = 0
    for (let b = 0; b < width; b++) marks |= ((bytesOfMark(m) >>> b) & 1 ? datumOf(m) : known) << (8 * b)
    out[i] = marks >>> 0
  }
  return out
}

// ---------------------------------------------------------------- data

/** The datum that a tensor is, by its plane of global memory. */
export const datumOfPlane = (plane: number): number => Math.min(plane + 1, mostDatum)

/** What cannot be decided, or done, without data that were not brought. */
export const lacking = ({ planes }: Pick<Header, 'planes'>, what: string, datum: number): FaultValue => {
  if (datum === ofProduct)
    return fault(
      'algebra.control',
      `${what} depends on what a product of matrices makes, which is not computed: run over bits`,
    )
  const { name = 'a tensor' } = datum === mostDatum ? {} : (planes[datum - 1] ?? {})
  return fault(
    'algebra.control',
    `${what} depends on the data of ${name}, which are not known: give them, or run over bits`,
  )
}

/** A datum in each byte of a word. */
export const repeated = (datum: number): number => Math.imul(datum, 0x01010101) >>> 0
