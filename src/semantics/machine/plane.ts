/**
 * Planes: the memories of the machine.
 *
 * A plane is a bit-exact address space of *slots*; what a slot holds is the algebra's business. In `bits` it is bytes,
 * so that any read of any bytes means what it means on the chip. In any other algebra an element occupies the slots of its
 * bytes: the first holds the carrier, the rest are its tail, and a read with another width or start finds no element there
 * (`retyped`). In `unit` a plane holds nothing.
 *
 * A plane is a value: what is written is another plane. How that is quick is behind it: pages, of which a write copies those that it touches
 * (`fast/byte-pages.ts`, `fast/slot-pages.ts`) unless its run owns them (`edit`), and bytes that are moved in runs where they lie together
 * (`fast/runs.ts`). A plane is made with runs or without.
 *
 * Laws
 * 1. read after write of the same dtype and addresses gives what was written; other addresses are as before.
 * 2. a write with an edit token equals a write without, for everyone who does not hold the token.
 * 3. the two halves of a byte are apart: law 1 for elements of 4 bits.
 * 4. a plane with runs reads, and is written, as one without.
 * 5. `copy` is `write` of what `read` gives.
 * 6. `copyOut` of all of `ofBytes` gives the bytes back.
 * 7. of a plane that is asked, `plainAt` says of bytes that they were last written by `writePlain`, as plain: by a word that no data has decided.
 * 8. `writeLate` is `write`: what a chain of products writes to one place again and again is kept beside the pages, as it was given, until something else
 *    is written or read.
 */
import { addressesInByte, bytesOf, type Cells, type Edit, type Read } from './cells.js'
import {
  blank,
  bytePage,
  paging,
  readBytes,
  readHalves,
  unwritten,
  writeBytes,
  writeHalves,
  littleEndian,
  type Pages,
} from './fast/byte-pages.js'
import { moveRuns, readRuns, writeRuns } from './fast/runs.js'
import { readHalfSlots, readSlots, writeHalfSlots, writeSlots, type SlotPages } from './fast/slot-pages.js'
import * as Plain from './plain.js'

export { addressesInByte, bytesOf, cells, type Cells, type Edit, type Read } from './cells.js'

// ---------------------------------------------------------------- model

interface Late {
  readonly cells: Cells
  readonly data: Float64Array
}

export type Plane =
  | {
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
  | { readonly _tag: 'slots'; readonly size: number; readonly pages: SlotPages }
  | { readonly _tag: 'none'; readonly size: number }

// ---------------------------------------------------------------- constructors

/** A plane that was not written; bytes in runs if asked. */
export const empty = (memory: 'bytes' | 'slots' | 'none', size: number, runs: boolean = false): Plane => {
  switch (memory) {
    case 'bytes':
      return { _tag: 'bytes', size, pages: [], runs: runs && littleEndian, late: null, plain: null }
    case 'slots':
      return { _tag: 'slots', size, pages: [] }
    case 'none':
      return { _tag: 'none', size }
  }
}

// ---------------------------------------------------------------- reading

/** The carriers in the cells, in order; a cell that is nowhere reads `fill`. */
export const read = (plane: Plane, c: Cells, fill: number = 0): Read => {
  switch (plane._tag) {
    case 'none':
      return { data: null, retyped: null }
    case 'bytes': {
      const { late, runs } = plane
      if (late !== null && sameCells(late.cells, c)) return { data: late.data, retyped: null }
      const pages = pagesOf(plane)
      return {
        data:
          addressesInByte(c.dtype) === 2
            ? readHalves(pages, c, fill)
            : ((runs ? readRuns(pages, c, fill) : null) ?? readBytes(pages, c, fill)),
        retyped: null,
      }
    }
    case 'slots':
      return addressesInByte(c.dtype) === 2
        ? readHalfSlots(plane.pages, c, fill)
        : readSlots(plane.pages, c, fill)
  }
}

// ---------------------------------------------------------------- writing

/** Write the carriers to the cells, except those that are nowhere. `edit` may overwrite its own pages. */
export const write = (plane: Plane, c: Cells, data: Float64Array | null, edit: Edit | null): Plane => {
  if (plane._tag === 'none' || data === null) return plane
  if (addressesInByte(c.dtype) === 2)
    return plane._tag === 'bytes'
      ? withPages(
          plane,
          writeHalves(pagesOf(plane, edit), c, data, edit),
          Plain.without(plane.plain, c, edit),
        )
      : { _tag: 'slots', size: plane.size, pages: writeHalfSlots(plane.pages, c, data, edit) }
  return plane._tag === 'bytes'
    ? withPages(
        plane,
        written(plane, pagesOf(plane, edit), c, data, edit),
        Plain.without(plane.plain, c, edit),
      )
    : { _tag: 'slots', size: plane.size, pages: writeSlots(plane.pages, c, data, edit) }
}

type BytePlane = Extract<Plane, { readonly _tag: 'bytes' }>
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
  const made = written(plane, plane.pages, late.cells, late.data, edit)
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
export const writeLate = (plane: Plane, c: Cells, data: Float64Array | null, edit: Edit | null): Plane => {
  if (
    plane._tag !== 'bytes' ||
    data === null ||
    edit === null ||
    c.origin < 0 ||
    addressesInByte(c.dtype) === 2 ||
    data.length !== c.offsets.length ||
    !areApart(c.offsets, bytesOf(c.dtype))
  )
    return write(plane, c, data, edit)
  return {
    _tag: 'bytes',
    size: plane.size,
    pages: plane.late !== null && sameCells(plane.late.cells, c) ? plane.pages : pagesOf(plane, edit),
    runs: plane.runs,
    late: { cells: c, data },
    plain: Plain.without(plane.plain, c, edit),
  }
}

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
  const moved =
    from._tag === 'bytes' && to._tag === 'bytes' && from.runs && to.runs && from !== to
      ? moveRuns(pagesOf(from), source, pagesOf(to, edit), target, edit)
      : null
  return moved !== null && to._tag === 'bytes'
    ? withPages(to, moved, Plain.without(to.plain, target, edit))
    : write(to, target, read(from, source, fill).data, edit)
}

/** The bytes [start, end) of a plane of bytes, at the same addresses of `into`. */
export const copyOut = (plane: Plane, start: number, end: number, into: Uint8Array): void => {
  if (plane._tag !== 'bytes') return
  const pages = pagesOf(plane)
  for (let a = start; a < end;) {
    const from = a & paging.mask
    const n = Math.min(end - a, paging.size - from)
    into.set((pages[a >> paging.bits] ?? blank).bytes.subarray(from, from + n), a)
    a += n
  }
}

/** A plane that holds these bytes. */
export const ofBytes = (bytes: Uint8Array, runs: boolean = false): Plane => {
  const pages = Array.from({ length: Math.ceil(bytes.length / paging.size) }, (_, number) => {
    const own = new Uint8Array(paging.size).fill(unwritten)
    own.set(bytes.subarray(number * paging.size, (number + 1) * paging.size))
    return bytePage(null, own)
  })
  return { _tag: 'bytes', size: bytes.length, pages, runs: runs && littleEndian, late: null, plain: null }
}

/** The same plane, asked which bytes hold what no data has decided: all of them as it is now, or none. */
export const asked = (plane: Plane, plain: boolean): Plane =>
  plane._tag === 'bytes' ? withPages(plane, pagesOf(plane), Plain.of(plane.size, plain)) : plane

/** A plane of the same kind that was not written. */
export const blankOf = (plane: Plane, memory: 'bytes' | 'slots' | 'none', runs: boolean = false): Plane => {
  const made = empty(memory, plane.size, runs)
  return plane._tag === 'bytes' && plane.plain !== null ? asked(made, false) : made
}
