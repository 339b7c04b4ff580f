/**
 * Planes: the memories of the machine.
 *
 * A plane is a bit-exact address space of *slots*; what a slot holds is the algebra's business. In `bits` it is bytes,
 * so that any read of any bytes means what it means on the chip. In any other algebra an element occupies the slots of its
 * bytes: the first holds the carrier, the rest are its tail, and a read with another width or start finds no element there
 * (`retyped`). In `shadow` it is bytes, each with a mark that says if it is known (`marks.ts`). In `unit` a plane holds nothing.
 *
 * A plane is a value: what is written is another plane. How that is quick is behind it: pages, of which a write copies those that it touches
 * (`fast/byte-pages.ts`, `fast/slot-pages.ts`) unless its run owns them (`edit`), and bytes that are moved in runs where they lie together
 * (`fast/runs.ts`). A plane is made with runs or without.
 *
 * Laws
 * 1. read after write of the same dtype and addresses gives what was written; other addresses are as before.
 * 2. a write with an edit token equals a write without, for everyone who does not hold the token.
 * 3. the parts of a byte are apart: law 1 for elements of 4 and 6 bits.
 * 4. a plane with runs reads, and is written, as one without.
 * 5. `copy` is `write` of what `read` gives.
 * 6. `copyOut` of all of `ofBytes` gives the bytes back.
 * 7. of a plane that is asked, `plainAt` says of bytes that they were last written by `writePlain`, as plain: by a word that no data has decided.
 * 8. `writeLate` is `write`: what a chain of products writes to one place again and again is kept beside the pages, as it was given, until something else
 *    is written or read. It may be still to come: then it is made when it is read.
 * 9. a plane of shadows that nothing unknown was written to is one of bytes; what is read of it elsewhere is what was written, unknown bytes as zeros with
 *    their marks.
 */
import { datumOf, mark, marked, markOf, patternOf } from '../../numerics/shadow.js'
import { bytesOf, cells, isPacked, type Cells, type Edit, type Read } from './cells.js'
import {
  blank,
  bytePage,
  paging,
  readBytes,
  readPacked,
  unwritten,
  writeBytes,
  writePacked,
  littleEndian,
  type Pages,
} from './fast/byte-pages.js'
import { moveRuns, readRuns, writeRuns } from './fast/runs.js'
import { cellsOfMarks, known, knownOf, marksOf, repeated, withMarks } from './marks.js'
import {
  readPackedSlots,
  readSlots,
  writePackedSlots,
  writeSlots,
  type SlotPages,
} from './fast/slot-pages.js'
import * as Plain from './plain.js'

export {
  addressesInByte,
  bytesOf,
  cells,
  firstByteAt,
  isPacked,
  lastByteAt,
  type Cells,
  type Edit,
  type Read,
} from './cells.js'

// ---------------------------------------------------------------- model

/** Carriers that are made when they are first asked for. */
export interface Coming {
  readonly count: number
  readonly made: () => Float64Array
}

interface Late {
  readonly cells: Cells
  readonly data: Float64Array | Coming
}

const hasCome = (data: Float64Array | Coming): data is Float64Array => data instanceof Float64Array

const dataOf = ({ data }: Late): Float64Array => (hasCome(data) ? data : data.made())

interface BytePlane {
  readonly _tag: 'bytes'
  readonly size: number
  readonly pages: Pages
  /** moved in runs */
  readonly runs: boolean
  /** written last, and not in the pages */
  readonly late: Late | null
  /** which bytes hold what no data has decided; null: it is not asked */
  readonly plain: Plain.Plain | null
}

export type Plane =
  | BytePlane
  | {
      readonly _tag: 'shadow'
      readonly size: number
      readonly bytes: BytePlane
      readonly marks: BytePlane
      /** these were forgotten last, of this datum */
      readonly forgotten: { readonly cells: Cells; readonly datum: number } | null
    }
  | { readonly _tag: 'slots'; readonly size: number; readonly pages: SlotPages }
  | { readonly _tag: 'none'; readonly size: number }

// ---------------------------------------------------------------- constructors

const blankBytes = (size: number, runs: boolean): BytePlane => ({
  _tag: 'bytes',
  size,
  pages: [],
  runs: runs && littleEndian,
  late: null,
  plain: null,
})

type ShadowPlane = Extract<Plane, { readonly _tag: 'shadow' }>
const shadowed = (size: number, bytes: BytePlane, marks: BytePlane): ShadowPlane => ({
  _tag: 'shadow',
  size,
  bytes,
  marks,
  forgotten: null,
})

/** A plane that was not written; bytes in runs if asked. */
export const empty = (memory: Plane['_tag'], size: number, runs: boolean = false): Plane => {
  switch (memory) {
    case 'bytes':
      return blankBytes(size, runs)
    case 'shadow':
      return shadowed(size, blankBytes(size, runs), blankBytes(size, runs))
    case 'slots':
      return { _tag: 'slots', size, pages: [] }
    case 'none':
      return { _tag: 'none', size }
  }
}

// ---------------------------------------------------------------- reading

const readOf = (plane: BytePlane, c: Cells, fill: number): Float64Array => {
  const { late, runs } = plane
  if (late !== null && sameCells(late.cells, c)) return dataOf(late)
  const pages = pagesOf(plane)
  return isPacked(c.dtype)
    ? readPacked(pages, c, fill)
    : ((runs ? readRuns(pages, c, fill) : null) ?? readBytes(pages, c, fill))
}

/** Nothing unknown was ever written to it. */
const isWholly = ({ marks }: ShadowPlane): boolean => marks.pages.length === 0

/** The carriers in the cells, in order; a cell that is nowhere reads `fill`. */
export const read = (plane: Plane, c: Cells, fill: number = 0): Read => {
  switch (plane._tag) {
    case 'none':
      return { data: null, retyped: null }
    case 'bytes':
      return { data: readOf(plane, c, fill), retyped: null }
    case 'shadow': {
      const data = readOf(plane.bytes, c, fill)
      return {
        data: isWholly(plane) ? data : withMarks(c, data, readOf(plane.marks, cellsOfMarks(c), knownOf(c))),
        retyped: null,
      }
    }
    case 'slots':
      return isPacked(c.dtype) ? readPackedSlots(plane.pages, c, fill) : readSlots(plane.pages, c, fill)
  }
}

// ---------------------------------------------------------------- writing

/** Write the carriers to the cells, except those that are nowhere. `edit` may overwrite its own pages. */
export const write = (plane: Plane, c: Cells, data: Float64Array | null, edit: Edit | null): Plane => {
  if (plane._tag === 'none' || data === null) return plane
  if (plane._tag === 'bytes') return writtenBytes(plane, c, data, edit)
  if (plane._tag === 'shadow') return writtenShadow(plane, c, data, edit)
  return {
    _tag: 'slots',
    size: plane.size,
    pages: isPacked(c.dtype)
      ? writePackedSlots(plane.pages, c, data, edit)
      : writeSlots(plane.pages, c, data, edit),
  }
}

const writtenBytes = (plane: BytePlane, c: Cells, data: Float64Array, edit: Edit | null): BytePlane =>
  withPages(
    plane,
    isPacked(c.dtype)
      ? writePacked(pagesOf(plane, edit), c, data, edit)
      : written(plane, pagesOf(plane, edit), c, data, edit),
    Plain.without(plane.plain, c, edit),
  )

const writtenShadow = (plane: ShadowPlane, c: Cells, data: Float64Array, edit: Edit | null): ShadowPlane => {
  const patterns = isPacked(c.dtype) ? data.map(patternOf) : data
  const bytes = writtenBytes(plane.bytes, c, patterns, edit)
  const marks = marksOf(c, data)
  if (marks === null && isWholly(plane)) return shadowed(plane.size, bytes, plane.marks)
  const cells = cellsOfMarks(c)
  const all = marks ?? new Float64Array(cells.offsets.length).fill(knownOf(c))
  // of a byte of two elements one that is not known makes it so
  if (isPacked(c.dtype))
    readOf(plane.marks, cells, known).forEach((before, i) => {
      if (all[i] === known) all[i] = before
    })
  return shadowed(plane.size, bytes, writtenBytes(plane.marks, cells, all, edit))
}

/** The cells hold data of `datum`, of a plane of shadows; any other is as it was. */
export const forget = (plane: Plane, c: Cells, datum: number, edit: Edit | null): Plane => {
  if (plane._tag !== 'shadow') return plane
  const { forgotten } = plane
  if (forgotten !== null && forgotten.datum === datum && sameCells(forgotten.cells, c)) return plane
  const cells = cellsOfMarks(c)
  const marks = new Float64Array(cells.offsets.length).fill(repeated(datum))
  return {
    _tag: 'shadow',
    size: plane.size,
    bytes: plane.bytes,
    marks: writtenBytes(plane.marks, cells, marks, edit),
    forgotten: { cells: c, datum },
  }
}

const withPages = (plane: BytePlane, pages: Pages, plain: Plain.Plain | null): BytePlane => ({
  _tag: 'bytes',
  size: plane.size,
  pages,
  runs: plane.runs,
  late: null,
  plain,
})

/** `write`, where byte i of the elements, in their order, is plain if `plain[i]` is 1. */
export const writePlain = (
  plane: Plane,
  c: Cells,
  data: Float64Array | null,
  plain: Uint8Array | null,
  edit: Edit | null,
): Plane => {
  const after = write(plane, c, data, edit)
  return plain === null || after._tag !== 'bytes' || after.plain === null
    ? after
    : withPages(after, after.pages, Plain.within(after.plain, c, plain, edit))
}

/** Of every byte of the elements, in their order, 1 if it is plain; null: none is, or it is not asked. */
export const plainAt = (plane: Plane, c: Cells): Uint8Array | null =>
  plane._tag === 'bytes' && plane.plain !== null ? Plain.at(plane.plain, c) : null

const written = ({ runs }: BytePlane, pages: Pages, c: Cells, data: Float64Array, edit: Edit | null): Pages =>
  (runs ? writeRuns(pages, c, data, edit) : null) ?? writeBytes(pages, c, data, edit)

// ---------------------------------------------------------------- late writing

const sameCells = (x: Cells, y: Cells): boolean =>
  x.offsets === y.offsets && x.origin === y.origin && x.dtype === y.dtype

const madeLate = new WeakMap<BytePlane, Pages>()

/** The pages of a plane with all that was written. With a token they are its own; without they are made once. */
const pagesOf = (plane: BytePlane, edit: Edit | null = null): Pages => {
  const { late } = plane
  if (late === null) return plane.pages
  const known = madeLate.get(plane)
  if (known !== undefined) return known
  const made = written(plane, plane.pages, late.cells, dataOf(late), edit)
  madeLate.set(plane, made)
  return made
}

/** A plane whose pages are all of it. */
export const settled = (plane: Plane): Plane =>
  plane._tag === 'bytes' && plane.late !== null ? withPages(plane, pagesOf(plane), plane.plain) : plane

const apart = new WeakMap<Int32Array, number>()

/** Are these elements of so many bytes all somewhere, each in bytes of its own? Then a read of them is what was written. */
const areApart = (offsets: Int32Array, width: number): boolean => {
  const known = apart.get(offsets)
  if (known !== undefined) return known >= width
  const sorted = offsets.slice().sort()
  let least = sorted.length === 0 || sorted[0]! < 0 ? 0 : Infinity
  for (let i = 1; i < sorted.length; i++) least = Math.min(least, sorted[i]! - sorted[i - 1]!)
  apart.set(offsets, least)
  return least >= width
}

/**
 * `write`, of carriers of the type that nothing changes any more, at a place that is likely to be read and written next. Late only for a run with a
 * token: a search compares and shares pages.
 */
export const writeLate = (
  plane: Plane,
  c: Cells,
  data: Float64Array | Coming | null,
  edit: Edit | null,
): Plane => {
  if (
    plane._tag !== 'bytes' ||
    data === null ||
    edit === null ||
    c.origin < 0 ||
    isPacked(c.dtype) ||
    (hasCome(data) ? data.length : data.count) !== c.offsets.length ||
    !areApart(c.offsets, bytesOf(c.dtype))
  )
    return write(plane, c, data === null || hasCome(data) ? data : data.made(), edit)
  return {
    _tag: 'bytes',
    size: plane.size,
    pages: plane.late !== null && sameCells(plane.late.cells, c) ? plane.pages : pagesOf(plane, edit),
    runs: plane.runs,
    late: { cells: c, data },
    plain: Plain.without(plane.plain, c, edit),
  }
}

/** What was written late to these cells and was still to come; null: nothing else is there. */
export const comingAt = (plane: Plane, c: Cells): Coming | null =>
  plane._tag === 'bytes' && plane.late !== null && !hasCome(plane.late.data) && sameCells(plane.late.cells, c)
    ? plane.late.data
    : null

// ---------------------------------------------------------------- copying

/** Write to `target` of the plane `to` what `source` of `from` reads. */
export const copy = (
  from: Plane,
  source: Cells,
  fill: number,
  to: Plane,
  target: Cells,
  edit: Edit | null,
): Plane => {
  if (from._tag === 'bytes' && to._tag === 'bytes') return copied(from, source, fill, to, target, edit)
  if (
    from._tag !== 'shadow' ||
    to._tag !== 'shadow' ||
    source.dtype !== target.dtype ||
    isPacked(source.dtype)
  )
    return write(to, target, read(from, source, fill).data, edit)
  const bytes = copied(from.bytes, source, fill, to.bytes, target, edit)
  const marks =
    isWholly(from) && isWholly(to)
      ? to.marks
      : copied(from.marks, cellsOfMarks(source), knownOf(source), to.marks, cellsOfMarks(target), edit)
  return shadowed(to.size, bytes, marks)
}

const copied = (
  from: BytePlane,
  source: Cells,
  fill: number,
  to: BytePlane,
  target: Cells,
  edit: Edit | null,
): BytePlane => {
  const moved =
    from.runs && to.runs && from !== to
      ? moveRuns(pagesOf(from), source, pagesOf(to, edit), target, edit)
      : null
  return moved === null
    ? writtenBytes(to, target, readOf(from, source, fill), edit)
    : withPages(to, moved, Plain.without(to.plain, target, edit))
}

/** The bytes [start, end) of a plane of bytes, at the same addresses of `into`. */
export const copyOut = (plane: Plane, start: number, end: number, into: Uint8Array): void => {
  const held = plane._tag === 'shadow' ? plane.bytes : plane
  if (held._tag !== 'bytes') return
  const pages = pagesOf(held)
  for (let a = start; a < end;) {
    const from = a & paging.mask
    const n = Math.min(end - a, paging.size - from)
    into.set((pages[a >> paging.bits] ?? blank).bytes.subarray(from, from + n), a)
    a += n
  }
}

/** A plane of bytes all of whose pages are this one. */
const ofPage = (size: number, runs: boolean, page: Pages[number]): BytePlane =>
  withPages(
    blankBytes(size, runs),
    Array.from({ length: Math.ceil(size / paging.size) }, () => page),
    null,
  )

/** A plane of shadows that holds these bytes; `datum`: none of them is known, and what is not known is zero in its pattern. */
export const ofShadow = (bytes: Uint8Array, datum: number | null, runs: boolean = false): Plane =>
  datum === null
    ? shadowed(bytes.length, ofBytes(bytes, runs), blankBytes(bytes.length, runs))
    : shadowed(
        bytes.length,
        ofPage(bytes.length, runs, bytePage(null, new Uint8Array(paging.size))),
        ofPage(bytes.length, runs, bytePage(null, new Uint8Array(paging.size).fill(datum))),
      )

/** A plane of one datum of which nothing is known: all of its pages are one. */
export const ofUnknown = (size: number, datum: number, runs: boolean = false): Plane => {
  const marks = bytePage(null, new Uint8Array(paging.size).fill(datum))
  const count = Math.ceil(size / paging.size)
  return shadowed(
    size,
    ofZeros(size, runs),
    withPages(blankBytes(size, runs), new Array<Pages[number]>(count).fill(marks), null),
  )
}

/** A plane of shadows that holds what one of bytes holds; of those that are 0 in `there` (null: none is) nothing is known but their datum. */
export const doubted = (
  plane: Plane,
  there: Uint8Array | null,
  datum: number,
  runs: boolean = false,
): Plane =>
  plane._tag !== 'bytes'
    ? plane
    : shadowed(
        plane.size,
        plane,
        there === null
          ? blankBytes(plane.size, runs)
          : ofBytes(
              there.map((one) => (one === 0 ? datum : known)),
              runs,
            ),
      )

/** Is some byte of these (start, end, start, end ...) of a plane of shadows not known? */
export const isDoubtful = (plane: Plane, spans: Int32Array): boolean => {
  if (plane._tag !== 'shadow' || isWholly(plane)) return false
  const marks = new Uint8Array(plane.size)
  copyOut(plane.marks, 0, plane.size, marks)
  for (let i = 0; i < spans.length; i += 2)
    if (marks.subarray(spans[i], spans[i + 1]).some((mark) => mark !== known)) return true
  return false
}

/** The words of a whole page of some bytes; null: there is no whole one, or it does not begin at a word. */
const wordsOfPage = (bytes: Uint8Array, number: number): Uint32Array | null => {
  const at = bytes.byteOffset + number * paging.size
  return (number + 1) * paging.size > bytes.length || at % 4 !== 0
    ? null
    : new Uint32Array(bytes.buffer, at, paging.size / 4)
}

const isZero = (words: Uint32Array): boolean => {
  for (let i = 0; i < words.length; i++) if (words[i] !== 0) return false
  return true
}

/** A plane that holds these bytes: pages of zeros are one. */
export const ofBytes = (bytes: Uint8Array, runs: boolean = false): BytePlane => {
  const zeros = bytePage(null, new Uint8Array(paging.size))
  const pages = Array.from({ length: Math.ceil(bytes.length / paging.size) }, (_, number) => {
    const words = wordsOfPage(bytes, number)
    if (words !== null && isZero(words)) return zeros
    const own = new Uint8Array(paging.size).fill(unwritten)
    own.set(bytes.subarray(number * paging.size, (number + 1) * paging.size))
    return bytePage(null, own)
  })
  return { _tag: 'bytes', size: bytes.length, pages, runs: runs && littleEndian, late: null, plain: null }
}

/** A plane of zeros: all of its pages are one. */
export const ofZeros = (size: number, runs: boolean = false): BytePlane => {
  const page = bytePage(null, new Uint8Array(paging.size))
  return {
    _tag: 'bytes',
    size,
    pages: new Array<Pages[number]>(Math.ceil(size / paging.size)).fill(page),
    runs: runs && littleEndian,
    late: null,
    plain: null,
  }
}

/** A plane of bytes in which these stand from a byte on: pages that they do not touch are those of before. */
export const withBytes = (plane: Plane, start: number, bytes: Uint8Array): Plane => {
  if (plane._tag !== 'bytes' || plane.plain !== null) {
    const all = new Uint8Array(plane.size)
    copyOut(plane, 0, plane.size, all)
    all.set(bytes, start)
    return ofBytes(all, plane._tag === 'bytes' && plane.runs)
  }
  const pages = pagesOf(plane).slice()
  for (let a = start; a < start + bytes.length;) {
    const from = a & paging.mask
    const n = Math.min(start + bytes.length - a, paging.size - from)
    const number = a >> paging.bits
    const own = (pages[number] ?? blank).bytes.slice()
    own.set(bytes.subarray(a - start, a - start + n), from)
    pages[number] = bytePage(null, own)
    a += n
  }
  return withPages(plane, pages, null)
}

/** A plane that holds these bytes in the pages that are named by 1, and elsewhere what it holds. */
export const withPagesOf = (plane: Plane, bytes: Uint8Array, named: Uint8Array): Plane => {
  if (plane._tag !== 'bytes' || plane.plain !== null)
    return ofBytes(bytes.subarray(0, plane.size), plane._tag === 'bytes' && plane.runs)
  const pages = pagesOf(plane).slice()
  for (let number = named.indexOf(1); number >= 0; number = named.indexOf(1, number + 1)) {
    const own = new Uint8Array(paging.size).fill(unwritten)
    own.set(bytes.subarray(number * paging.size, Math.min((number + 1) * paging.size, plane.size)))
    pages[number] = bytePage(null, own)
  }
  return withPages(plane, pages, null)
}

/** Do two planes of bytes hold the same? Pages that they share are not looked at. */
export const isSame = (one: Plane, other: Plane): boolean => {
  if (one === other) return true
  if (one._tag !== 'bytes' || other._tag !== 'bytes' || one.plain !== null || other.plain !== null)
    return false
  const [a, b] = [pagesOf(one), pagesOf(other)]
  return (
    one.size === other.size &&
    Array.from({ length: Math.ceil(one.size / paging.size) }, (_, i) => i).every((i) => {
      const [x, y] = [a[i] ?? blank, b[i] ?? blank]
      return x === y || x.bytes.every((byte, at) => byte === y.bytes[at])
    })
  )
}

/** Does every byte of a plane say the same: that it is not known, of one datum, or one number? */
export const isOfOneKind = (plane: Plane): boolean => {
  if (plane._tag === 'none') return true
  if (plane._tag !== 'shadow') return false
  const { size, bytes, marks } = plane
  const first = marks.pages[0]
  if (first !== undefined && first.bytes[0] !== known)
    return (
      marks.pages.length * paging.size >= size &&
      marks.pages.every((page) => page === first) &&
      first.bytes.every((mark) => mark === first.bytes[0])
    )
  if (marks.pages.some((page) => page?.bytes.some((mark) => mark !== known) === true)) return false
  const number = bytes.pages[0]?.bytes[0] ?? unwritten
  for (let at = 0; at < size; at += paging.size) {
    const page = bytes.pages[at >> paging.bits]?.bytes
    if (
      page?.subarray(0, Math.min(paging.size, size - at)).some((byte) => byte !== number) ??
      number !== unwritten
    )
      return false
  }
  return true
}

/** The pages of its bytes, and of what is known of them. */
const allPages = (plane: Plane): ReadonlyArray<Pages> =>
  plane._tag === 'bytes'
    ? [pagesOf(plane)]
    : plane._tag === 'shadow'
      ? [pagesOf(plane.bytes), pagesOf(plane.marks)]
      : []

/** Where two planes of bytes differ in what they hold, or in what is known of it. */
export const bytesApart = (one: Plane, other: Plane): ReadonlyArray<number> => {
  if (one === other) return []
  const out = new Set<number>()
  const others = allPages(other)
  for (const [k, pages] of allPages(one).entries())
    for (let n = 0; n < Math.max(pages.length, others[k]!.length); n++) {
      const [a, b] = [pages[n] ?? blank, others[k]![n] ?? blank]
      if (a !== b)
        for (let i = 0; i < paging.size; i++) if (a.bytes[i] !== b.bytes[i]) out.add(n * paging.size + i)
    }
  return [...out].sort((x, y) => x - y)
}

/**
 * Bytes of a plane as text: two hexadecimal digits for each, the first byte first, or `?` and two for one that is not known, of that datum.
 *
 *     00000001     1 as a big-endian machine has it; 01000000 here
 *     ?02?02?02?02 a word of datum 2
 */
export const wordAt = (plane: Plane, byte: number, bytes: number): string => {
  const { data } = read(plane, eachByte(byte, bytes))
  return Array.from(data ?? [], (x) => {
    const m = markOf(x)
    return m === 0
      ? (patternOf(x) & 0xff).toString(16).padStart(2, '0')
      : `?${datumOf(m).toString(16).padStart(2, '0')}`
  }).join('')
}

/** The same of a word that is known. */
export const textOfWord = (word: number): string =>
  [0, 8, 16, 24].map((bit) => ((word >>> bit) & 0xff).toString(16).padStart(2, '0')).join('')

/** The plane with these bytes in it, named pair `wordAt`. */
export const withWord = (plane: Plane, byte: number, text: string): Plane => {
  const all = text.match(/\?[0-9a-f]{2}|[0-9a-f]{2}/gu) ?? []
  return write(
    plane,
    eachByte(byte, all.length),
    Float64Array.from(all, (x) =>
      x.startsWith('?') ? marked(0, mark(1, Number.parseInt(x.slice(1), 16))) : Number.parseInt(x, 16),
    ),
    null,
  )
}

const eachByte = (byte: number, bytes: number): Cells =>
  cells(
    'u8',
    Int32Array.from({ length: bytes }, (_, k) => byte + k),
  )

/** Four bytes of a plane and what is known of them, as text. */
export const wordAsText = (plane: Plane, byte: number): string =>
  allPages(plane)
    .map((pages) =>
      [0, 1, 2, 3]
        .map((k) => (pages[(byte + k) >> paging.bits] ?? blank).bytes[(byte + k) & paging.mask])
        .join(),
    )
    .join(';')

/** The same plane, asked which bytes hold what no data has decided: all of them as it is now, or none. */
export const asked = (plane: Plane, plain: boolean): Plane =>
  plane._tag === 'bytes' ? withPages(plane, pagesOf(plane), Plain.of(plane.size, plain)) : plane

/** A plane of the same kind that was not written. */
export const blankOf = (plane: Plane, memory: Plane['_tag'], runs: boolean = false): Plane => {
  const made = empty(memory, plane.size, runs)
  return plane._tag === 'bytes' && plane.plain !== null ? asked(made, false) : made
}
