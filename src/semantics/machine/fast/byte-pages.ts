/**
 * Pages of bytes: a plane of bytes in pieces of 4096, so that a write copies what it touches and no more.
 *
 * A page that was not written is not there. Inside one run the pages made by that run may be overwritten: `edit` names the run, and a page belongs to
 * at most one. Bytes are also seen two and four at a time, for `runs.ts`.
 *
 * Laws (the plain plane: one map from addresses to bytes, copied whole at every write)
 * 1. What is read of the pages is what is read of the map, after any writes, at any width, over the edge of a page, and for elements that begin inside bytes.
 * 2. A write with a token gives what one without gives, and changes no page of another.
 */
import { bitsOf } from '../../../numerics/dtype.js'
import { addressesInByte, bytesOf, isSigned, type Cells, type Edit } from '../cells.js'

export interface BytePage {
  readonly edit: Edit | null
  readonly bytes: Uint8Array
  /** the same, two and four at a time */
  readonly halves: Uint16Array
  readonly words: Uint32Array
}
export type Pages = ReadonlyArray<BytePage | undefined>

const pageBits = 12
const pageSize = 1 << pageBits
const pageMask = pageSize - 1
/** Where a byte is: `page[a >> bits]`, at `a & mask`. */
export const paging: { readonly bits: number; readonly size: number; readonly mask: number } = {
  bits: pageBits,
  size: pageSize,
  mask: pageMask,
}
/** What unwritten memory reads as: all ones, a NaN in every float. */
export const unwritten = 0xff
export const bytePage = (edit: Edit | null, bytes: Uint8Array<ArrayBuffer>): BytePage => ({
  edit,
  bytes,
  halves: new Uint16Array(bytes.buffer),
  words: new Uint32Array(bytes.buffer),
})
/** A page that was not written. */
export const blank: BytePage = bytePage(null, new Uint8Array(pageSize).fill(unwritten))

// ---------------------------------------------------------------- reading

/** Elements that begin inside bytes, and may end in the next one. */
export const readPacked = (pages: Pages, { dtype, offsets, origin }: Cells, fill: number): Float64Array => {
  const away = isSigned(dtype) ? 32 - bitsOf(dtype) : 0
  const out = new Float64Array(offsets.length)
  const inByte = addressesInByte(dtype)
  const [step, mask] = [8 / inByte, 2 ** bitsOf(dtype) - 1]
  const byteAt = (a: number): number => pages[a >> pageBits]?.bytes[a & pageMask] ?? unwritten
  for (let i = 0; i < out.length; i++) {
    const at = offsets[i]! + origin
    const a = Math.floor(at / inByte)
    const shift = step * (at & (inByte - 1))
    const found = ((byteAt(a) | (byteAt(a + 1) << 8)) >> shift) & mask
    out[i] = at < 0 ? fill : (found << away) >> away
  }
  return out
}

const wordAt = (page: Uint8Array, at: number): number =>
  page[at]! | (page[at + 1]! << 8) | (page[at + 2]! << 16) | (page[at + 3]! << 24)
/** Two words as a number: exact below 2^53, and rounded once beyond. */
const long = (low: number, high: number, signed: boolean): number =>
  (signed ? high : high >>> 0) * 2 ** 32 + (low >>> 0)

/** Two and four bytes at a time are what they are one by one if the least comes first. */
export const littleEndian: boolean = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1

/** Whole words, or halves of words, that all stand at multiples of their width; null: one does not. */
const readAligned = (
  pages: Pages,
  { offsets, origin }: Cells,
  fill: number,
  width: 2 | 4,
  signed: boolean,
): Float64Array | null => {
  const count = offsets.length
  const out = new Float64Array(count)
  let { halves, words } = blank
  let number = -1
  for (let i = 0; i < count; i++) {
    const a = offsets[i]! + origin
    if (a < 0) {
      out[i] = fill
      continue
    }
    if ((a & (width - 1)) !== 0) return null
    if (a >> pageBits !== number) {
      number = a >> pageBits
      const page = pages[number] ?? blank
      halves = page.halves
      words = page.words
    }
    const at = a & pageMask
    if (width === 2) {
      const half = halves[at >> 1]!
      out[i] = signed ? (half << 16) >> 16 : half
    } else {
      const word = words[at >> 2]!
      out[i] = signed ? word | 0 : word
    }
  }
  return out
}

export const readBytes = (pages: Pages, cells: Cells, fill: number): Float64Array => {
  const { dtype } = cells
  const width = bytesOf(dtype)
  return (
    (littleEndian && (width === 2 || width === 4)
      ? readAligned(pages, cells, fill, width, isSigned(dtype))
      : null) ?? readByBytes(pages, cells, fill)
  )
}

const readByBytes = (pages: Pages, { dtype, offsets, origin }: Cells, fill: number): Float64Array => {
  const out = new Float64Array(offsets.length)
  const width = bytesOf(dtype)
  const signed = isSigned(dtype)
  let page = blank.bytes
  let number = -1
  for (let i = 0; i < out.length; i++) {
    const a = offsets[i]! + origin
    if (a < 0) {
      out[i] = fill
      continue
    }
    if (a >> pageBits !== number) {
      number = a >> pageBits
      page = (pages[number] ?? blank).bytes
    }
    const at = a & pageMask
    if (at + width <= pageSize) {
      switch (width) {
        case 1:
          out[i] = page[at]!
          break
        case 2:
          out[i] = page[at]! | (page[at + 1]! << 8)
          break
        case 4: {
          const word = wordAt(page, at)
          out[i] = signed ? word : word >>> 0
          break
        }
        default:
          out[i] = long(wordAt(page, at), wordAt(page, at + 4), signed)
      }
    } else {
      let low = 0
      let high = 0
      for (let b = width - 1; b >= 0; b--) {
        const byte = pages[(a + b) >> pageBits]?.bytes[(a + b) & pageMask] ?? unwritten
        if (b < 4) low = (low << 8) | byte
        else high = (high << 8) | byte
      }
      out[i] = width === 8 ? long(low, high, signed) : signed && width === 4 ? low : low >>> 0
    }
    if (signed && width < 4) out[i] = width === 1 ? (out[i]! << 24) >> 24 : (out[i]! << 16) >> 16
  }
  return out
}

// ---------------------------------------------------------------- writing

/** A write under way: the list of pages is copied where a page of it is, and the pages that the run has made are not. */
export interface Writing {
  readonly old: Pages
  own: (BytePage | undefined)[] | null
  readonly edit: Edit | null
  /** without a token: pages of this write */
  fresh: Set<number> | null
}
export const writing = (old: Pages, edit: Edit | null): Writing => ({ old, own: null, edit, fresh: null })
export const written = ({ old, own }: Writing): Pages => own ?? old

export const ownPage = (w: Writing, number: number): BytePage => {
  const page = (w.own ?? w.old)[number]
  if (page !== undefined && (w.edit === null ? w.fresh?.has(number) === true : page.edit === w.edit))
    return page
  const bytes = new Uint8Array(pageSize)
  if (page === undefined) bytes.fill(unwritten)
  else bytes.set(page.bytes)
  const own = bytePage(w.edit, bytes)
  w.own ??= w.old.slice()
  w.own[number] = own
  if (w.edit === null) (w.fresh ??= new Set()).add(number)
  return own
}

type InWords = 'all' | 'those that are somewhere' | 'not'
const inWords = new WeakMap<Int32Array, InWords>()

const inWordsOf = (offsets: Int32Array): InWords => {
  const count = offsets.length
  let somewhere: InWords = 'all'
  for (let i = 0; i < count; i++) {
    const a = offsets[i]!
    if (a === -1) somewhere = 'those that are somewhere'
    else if ((a & 3) !== 0) return 'not'
  }
  return somewhere
}

/** Do all of them stand at multiples of four? Offsets are shared, and asked often. */
const isAligned = (offsets: Int32Array, origin: number): boolean => {
  if ((origin & 3) !== 0) return false
  const known = inWords.get(offsets)
  const made = known ?? inWordsOf(offsets)
  if (known === undefined) inWords.set(offsets, made)
  // an origin would bring somewhere what is nowhere
  return made === 'all' || (made !== 'not' && origin === 0)
}

/** The same where every element is a word of four bytes in its place. */
const writeWords = (old: Pages, { offsets, origin }: Cells, data: Float64Array, edit: Edit | null): Pages => {
  const w = writing(old, edit)
  const count = offsets.length
  let { words } = blank
  let number = -1
  for (let i = 0; i < count; i++) {
    const a = offsets[i]! + origin
    if (a < 0) continue
    if (a >> pageBits !== number) {
      number = a >> pageBits
      words = ownPage(w, number).words
    }
    words[(a & pageMask) >> 2] = data[i]!
  }
  return written(w)
}

export const writeBytes = (old: Pages, cells: Cells, data: Float64Array, edit: Edit | null): Pages =>
  littleEndian && bytesOf(cells.dtype) === 4 && isAligned(cells.offsets, cells.origin)
    ? writeWords(old, cells, data, edit)
    : writeByBytes(old, cells, data, edit)

const writeByBytes = (
  old: Pages,
  { dtype, offsets, origin }: Cells,
  data: Float64Array,
  edit: Edit | null,
): Pages => {
  const w = writing(old, edit)
  const width = bytesOf(dtype)
  let page: Uint8Array = new Uint8Array(0)
  let number = -1
  for (let i = 0; i < offsets.length; i++) {
    const a = offsets[i]! + origin
    if (a < 0) continue
    if (a >> pageBits !== number) {
      number = a >> pageBits
      page = ownPage(w, number).bytes
    }
    const at = a & pageMask
    let x = data[i]!
    if (at + width <= pageSize) {
      if (width <= 4) {
        page[at] = x
        if (width > 1) page[at + 1] = x >> 8
        if (width > 2) {
          page[at + 2] = x >> 16
          page[at + 3] = x >> 24
        }
      } else {
        for (let b = 0; b < width; b++) {
          page[at + b] = x % 256
          x = Math.floor(x / 256)
        }
      }
    } else {
      for (let b = 0; b < width; b++) {
        const byte = a + b
        ownPage(w, byte >> pageBits).bytes[byte & pageMask] = ((x % 256) + 256) % 256
        x = Math.floor(x / 256)
      }
    }
  }
  return written(w)
}

export const writePacked = (
  old: Pages,
  { dtype, offsets, origin }: Cells,
  data: Float64Array,
  edit: Edit | null,
): Pages => {
  const w = writing(old, edit)
  const inByte = addressesInByte(dtype)
  const [step, mask] = [8 / inByte, 2 ** bitsOf(dtype) - 1]
  for (let i = 0; i < offsets.length; i++) {
    const at = offsets[i]! + origin
    if (at < 0) continue
    const shift = step * (at & (inByte - 1))
    // of an element that ends in the next byte, that one has the high bits
    let [own, bits] = [mask << shift, (data[i]! & mask) << shift]
    for (let a = Math.floor(at / inByte); own > 0; a++) {
      const page = ownPage(w, a >> pageBits).bytes
      page[a & pageMask] = (page[a & pageMask]! & ~own) | bits
      own >>= 8
      bits >>= 8
    }
  }
  return written(w)
}
