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
 */
import { addressesInByte, type Cells, type Edit, type Read } from './cells.js'
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

export { addressesInByte, bytesOf, cells, type Cells, type Edit, type Read } from './cells.js'

// ---------------------------------------------------------------- model

export type Plane =
  | {
      readonly _tag: 'bytes'
      readonly size: number
      readonly pages: Pages
      /** moved in runs */
      readonly runs: boolean
    }
  | { readonly _tag: 'slots'; readonly size: number; readonly pages: SlotPages }
  | { readonly _tag: 'none'; readonly size: number }

// ---------------------------------------------------------------- constructors

/** A plane that was not written; bytes in runs if asked. */
export const empty = (memory: 'bytes' | 'slots' | 'none', size: number, runs: boolean = false): Plane => {
  switch (memory) {
    case 'bytes':
      return { _tag: 'bytes', size, pages: [], runs: runs && littleEndian }
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
    case 'bytes':
      return {
        data:
          addressesInByte(c.dtype) === 2
            ? readHalves(plane.pages, c, fill)
            : ((plane.runs ? readRuns(plane.pages, c, fill) : null) ?? readBytes(plane.pages, c, fill)),
        retyped: null,
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
      ? withPages(plane, writeHalves(plane.pages, c, data, edit))
      : { _tag: 'slots', size: plane.size, pages: writeHalfSlots(plane.pages, c, data, edit) }
  return plane._tag === 'bytes'
    ? withPages(
        plane,
        (plane.runs ? writeRuns(plane.pages, c, data, edit) : null) ?? writeBytes(plane.pages, c, data, edit),
      )
    : { _tag: 'slots', size: plane.size, pages: writeSlots(plane.pages, c, data, edit) }
}

type BytePlane = Extract<Plane, { readonly _tag: 'bytes' }>
const withPages = (plane: BytePlane, pages: Pages): BytePlane => ({
  _tag: 'bytes',
  size: plane.size,
  pages,
  runs: plane.runs,
})

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
      ? moveRuns(from.pages, source, to.pages, target, edit)
      : null
  return moved !== null && to._tag === 'bytes'
    ? withPages(to, moved)
    : write(to, target, read(from, source, fill).data, edit)
}

/** The bytes [start, end) of a plane of bytes, at the same addresses of `into`. */
export const copyOut = (plane: Plane, start: number, end: number, into: Uint8Array): void => {
  if (plane._tag !== 'bytes') return
  for (let a = start; a < end;) {
    const from = a & paging.mask
    const n = Math.min(end - a, paging.size - from)
    into.set((plane.pages[a >> paging.bits] ?? blank).bytes.subarray(from, from + n), a)
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
  return { _tag: 'bytes', size: bytes.length, pages, runs: runs && littleEndian }
}
