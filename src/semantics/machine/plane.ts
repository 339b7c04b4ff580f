/**
 * Planes: the memories of the machine.
 *
 * A plane is a bit-exact address space of *slots*; what a slot holds is the algebra's business. In `bits` it is bytes,
 * so that any read of any bytes means what it means on the chip. In any other algebra an element occupies the slots of its
 * bytes: the first holds the carrier, the rest are its tail, and a read with another width or start finds no element there
 * (`retyped`). In `unit` a plane holds nothing.
 *
 * A plane is a value. It is cut into pages, and a write makes new ones of the pages that it touches. Inside one run the pages
 * made by that run may be overwritten: `edit` names the run, and a page belongs to at most one.
 *
 * Bytes can be moved in runs (`contiguous.ts`) where they lie together: sooner, and the same. A plane is made with or without.
 *
 * Laws
 * 1. read after write of the same dtype and addresses gives what was written; other addresses are as before.
 * 2. a write with an edit token equals a write without, for everyone who does not hold the token.
 * 3. the two halves of a byte are apart: law 1 for elements of 4 bits.
 * 4. a plane with runs reads, and is written, as one without.
 * 5. `copy` is `write` of what `read` gives.
 * 6. `copyOut` of all of `ofBytes` gives the bytes back.
 */
import { bitsOf, type Dtype } from '../../numerics/dtype.js'
import { movesOf, runsOf, type Moves, type Runs } from './contiguous.js'

// ---------------------------------------------------------------- model

/** Names the run that may overwrite the pages it made. */
export interface Edit {
  readonly run: symbol
}

interface BytePage {
  readonly edit: Edit | null
  readonly bytes: Uint8Array
  /** the same, two and four at a time */
  readonly halves: Uint16Array
  readonly words: Uint32Array
}
interface SlotPage {
  readonly edit: Edit | null
  readonly slots: Float64Array
  /** of bytes that hold two elements, the second; null where none does */
  readonly high: Float64Array | null
  /** 0 nothing, 1 + dtype code: the head of an element, `tail`: the rest of one */
  readonly kinds: Uint8Array
}

export type Plane =
  | {
      readonly _tag: 'bytes'
      readonly size: number
      readonly pages: ReadonlyArray<BytePage | undefined>
      /** moved in runs */
      readonly runs: boolean
    }
  | { readonly _tag: 'slots'; readonly size: number; readonly pages: ReadonlyArray<SlotPage | undefined> }
  | { readonly _tag: 'none'; readonly size: number }

const pageBits = 12
const pageSize = 1 << pageBits
const pageMask = pageSize - 1
const tail = 255
/** What unwritten memory reads as: all ones, a NaN in every float. */
const unwritten = 0xff
const bytePage = (edit: Edit | null, bytes: Uint8Array<ArrayBuffer>): BytePage => ({
  edit,
  bytes,
  halves: new Uint16Array(bytes.buffer),
  words: new Uint32Array(bytes.buffer),
})
/** A page that was not written. */
const blank: BytePage = bytePage(null, new Uint8Array(pageSize).fill(unwritten))
/** Two and four bytes at a time are what they are one by one if the least comes first. */
const littleEndian = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1

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

// ---------------------------------------------------------------- element codes

const codes: ReadonlyArray<Dtype> = [
  'f16',
  'bf16',
  'f32',
  'tf32',
  'e4m3',
  'e5m2',
  'e2m1',
  'e2m3',
  'e3m2',
  'e8m0',
  'ue4m3',
  'i1',
  'i8',
  'u8',
  'i16',
  'u16',
  'i32',
  'u32',
  'i64',
  'u64',
]
const codeOf = (dtype: Dtype): number => codes.indexOf(dtype) + 1

const isSigned = (dtype: Dtype): boolean =>
  dtype === 'i8' || dtype === 'i16' || dtype === 'i32' || dtype === 'i64'

/**
 * Addresses that a byte has for elements of a dtype: two for those of 4 bits, the low half first; else one. So an element of 4 bits at half
 * 2a + h lies in the low (h = 0) or the high half of byte a. Elements of 6 bits are not packed: each takes the byte it begins in.
 */
export const addressesInByte = (dtype: Dtype): 1 | 2 => (bitsOf(dtype) === 4 ? 2 : 1)

/** Bytes that an element occupies. */
export const bytesOf = (dtype: Dtype): number => Math.ceil(bitsOf(dtype) / 8)

// ---------------------------------------------------------------- reading

export interface Read {
  readonly data: Float64Array | null
  /** a slot that holds no element of this dtype, if one was read: the address of the first */
  readonly retyped: number | null
}

/** Elements of one dtype: the i-th is at `origin + offsets[i]` (a byte, or a half of one: `addressesInByte`), or nowhere if that is negative. Places of one shape share their offsets. */
export interface Cells {
  readonly dtype: Dtype
  readonly offsets: Int32Array
  readonly origin: number
}
export const cells = (dtype: Dtype, addresses: Int32Array): Cells => ({
  dtype,
  offsets: addresses,
  origin: 0,
})

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

const readHalves = (
  pages: ReadonlyArray<BytePage | undefined>,
  { offsets, origin }: Cells,
  fill: number,
): Float64Array => {
  const out = new Float64Array(offsets.length)
  for (let i = 0; i < out.length; i++) {
    const half = offsets[i]! + origin
    const a = half >> 1
    const byte = pages[a >> pageBits]?.bytes[a & pageMask] ?? unwritten
    out[i] = half < 0 ? fill : (half & 1) === 0 ? byte & 0xf : byte >> 4
  }
  return out
}

/** A byte of two elements of 4 bits holds the low one in its slot and the high one beside it. */
const readHalfSlots = (
  pages: ReadonlyArray<SlotPage | undefined>,
  { dtype, offsets, origin }: Cells,
  fill: number,
): Read => {
  const out = new Float64Array(offsets.length)
  const code = codeOf(dtype)
  let retyped: number | null = null
  for (let i = 0; i < out.length; i++) {
    const half = offsets[i]! + origin
    const a = half >> 1
    const page = half < 0 ? undefined : pages[a >> pageBits]
    const kind = page === undefined ? 0 : page.kinds[a & pageMask]!
    if (half < 0) out[i] = fill
    else if (kind === code)
      out[i] = (half & 1) === 0 ? page!.slots[a & pageMask]! : (page!.high?.[a & pageMask] ?? NaN)
    else {
      out[i] = NaN
      if (kind !== 0) retyped ??= a
    }
  }
  return { data: out, retyped }
}

const wordAt = (page: Uint8Array, at: number): number =>
  page[at]! | (page[at + 1]! << 8) | (page[at + 2]! << 16) | (page[at + 3]! << 24)
/** Two words as a number: exact below 2^53, and rounded once beyond. */
const long = (low: number, high: number, signed: boolean): number =>
  (signed ? high : high >>> 0) * 2 ** 32 + (low >>> 0)

const readBytes = (
  pages: ReadonlyArray<BytePage | undefined>,
  { dtype, offsets, origin }: Cells,
  fill: number,
): Float64Array => {
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

/** What has runs: whole unsigned elements of at most four bytes, at an origin that leaves them whole and what is nowhere nowhere. */
const runnable = ({ dtype, offsets, origin }: Cells): Runs | null => {
  const width = bytesOf(dtype)
  if (width > 4 || isSigned(dtype) || origin < 0 || origin % width !== 0) return null
  const runs = runsOf(offsets, width)
  if (runs === null || origin === 0) return runs
  for (let r = 0; r < runs.length; r += 2) if (runs[r]! < 0) return null
  return runs
}

const readRuns = (
  pages: ReadonlyArray<BytePage | undefined>,
  c: Cells,
  fill: number,
): Float64Array | null => {
  const runs = runnable(c)
  if (runs === null) return null
  const width = bytesOf(c.dtype)
  const out = new Float64Array(c.offsets.length)
  let number = -1
  let page = blank
  let i = 0
  for (let r = 0; r < runs.length; r += 2) {
    const end = i + runs[r + 1]!
    if (runs[r]! < 0) {
      out.fill(fill, i, end)
      i = end
      continue
    }
    for (let a = runs[r]! + c.origin; i < end;) {
      if (a >> pageBits !== number) {
        number = a >> pageBits
        page = pages[number] ?? blank
      }
      const from = a & pageMask
      const n = Math.min(end - i, (pageSize - from) / width)
      // runs of eight elements of two bytes are most: a swizzled tile
      if (width === 2 && n === 8) {
        const { halves } = page
        const first = from >> 1
        out[i] = halves[first]!
        out[i + 1] = halves[first + 1]!
        out[i + 2] = halves[first + 2]!
        out[i + 3] = halves[first + 3]!
        out[i + 4] = halves[first + 4]!
        out[i + 5] = halves[first + 5]!
        out[i + 6] = halves[first + 6]!
        out[i + 7] = halves[first + 7]!
      } else readPiece(page, from, width, out, i, n)
      i += n
      a += n * width
    }
  }
  return out
}

/** Elements from which on an array is sooner asked to copy them itself. */
const longRun = 64

const readPiece = (
  { bytes, halves, words }: BytePage,
  from: number,
  width: number,
  out: Float64Array,
  at: number,
  n: number,
): void => {
  const of = width === 1 ? bytes : width === 2 ? halves : words
  const first = from / width
  if (n >= longRun) out.set(of.subarray(first, first + n), at)
  else for (let x = 0; x < n; x++) out[at + x] = of[first + x]!
}

const readSlots = (
  pages: ReadonlyArray<SlotPage | undefined>,
  { dtype, offsets, origin }: Cells,
  fill: number,
): Read => {
  const out = new Float64Array(offsets.length)
  const code = codeOf(dtype)
  let retyped: number | null = null
  for (let i = 0; i < out.length; i++) {
    const a = offsets[i]! + origin
    if (a < 0) {
      out[i] = fill
      continue
    }
    const page = pages[a >> pageBits]
    const kind = page === undefined ? 0 : page.kinds[a & pageMask]!
    if (kind === code) out[i] = page!.slots[a & pageMask]!
    else {
      out[i] = NaN
      if (kind !== 0) retyped ??= a
    }
  }
  return { data: out, retyped }
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
const withPages = (plane: BytePlane, pages: ReadonlyArray<BytePage | undefined>): BytePlane => ({
  _tag: 'bytes',
  size: plane.size,
  pages,
  runs: plane.runs,
})

const ownPage = (
  pages: (BytePage | undefined)[],
  number: number,
  edit: Edit | null,
  fresh: Set<number>,
): BytePage => {
  const page = pages[number]
  if (page !== undefined && (fresh.has(number) || (edit !== null && page.edit === edit))) return page
  const bytes = new Uint8Array(pageSize)
  if (page === undefined) bytes.fill(unwritten)
  else bytes.set(page.bytes)
  const own = bytePage(edit, bytes)
  pages[number] = own
  fresh.add(number)
  return own
}
const ownBytes = (
  pages: (BytePage | undefined)[],
  number: number,
  edit: Edit | null,
  fresh: Set<number>,
): Uint8Array => ownPage(pages, number, edit, fresh).bytes

const writeBytes = (
  old: ReadonlyArray<BytePage | undefined>,
  { dtype, offsets, origin }: Cells,
  data: Float64Array,
  edit: Edit | null,
): ReadonlyArray<BytePage | undefined> => {
  const pages = old.slice()
  const fresh = new Set<number>()
  const width = bytesOf(dtype)
  let page: Uint8Array = new Uint8Array(0)
  let number = -1
  for (let i = 0; i < offsets.length; i++) {
    const a = offsets[i]! + origin
    if (a < 0) continue
    if (a >> pageBits !== number) {
      number = a >> pageBits
      page = ownBytes(pages, number, edit, fresh)
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
        ownBytes(pages, byte >> pageBits, edit, fresh)[byte & pageMask] = ((x % 256) + 256) % 256
        x = Math.floor(x / 256)
      }
    }
  }
  return pages
}

const writeRuns = (
  old: ReadonlyArray<BytePage | undefined>,
  c: Cells,
  data: Float64Array,
  edit: Edit | null,
): ReadonlyArray<BytePage | undefined> | null => {
  const runs = runnable(c)
  if (runs === null || data.length < c.offsets.length) return null
  const width = bytesOf(c.dtype)
  const pages = old.slice()
  const fresh = new Set<number>()
  let i = 0
  for (let r = 0; r < runs.length; r += 2) {
    const end = i + runs[r + 1]!
    if (runs[r]! < 0) {
      i = end
      continue
    }
    for (let a = runs[r]! + c.origin; i < end;) {
      const page = ownPage(pages, a >> pageBits, edit, fresh)
      const to = a & pageMask
      const n = Math.min(end - i, (pageSize - to) / width)
      writePiece(page, to, width, data, i, n)
      i += n
      a += n * width
    }
  }
  return pages
}

const writePiece = (
  { bytes, halves, words }: BytePage,
  to: number,
  width: number,
  data: Float64Array,
  at: number,
  n: number,
): void => {
  switch (width) {
    case 1:
      for (let x = 0; x < n; x++) bytes[to + x] = data[at + x]!
      return
    case 2: {
      const first = to >> 1
      for (let x = 0; x < n; x++) halves[first + x] = data[at + x]!
      return
    }
    default: {
      const first = to >> 2
      let x = 0
      for (; x + 4 <= n; x += 4) {
        words[first + x] = data[at + x]!
        words[first + x + 1] = data[at + x + 1]!
        words[first + x + 2] = data[at + x + 2]!
        words[first + x + 3] = data[at + x + 3]!
      }
      for (; x < n; x++) words[first + x] = data[at + x]!
    }
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
    const from = a & pageMask
    const n = Math.min(end - a, pageSize - from)
    into.set((plane.pages[a >> pageBits] ?? blank).bytes.subarray(from, from + n), a)
    a += n
  }
}

/** A plane that holds these bytes. */
export const ofBytes = (bytes: Uint8Array, runs: boolean = false): Plane => {
  const pages = Array.from({ length: Math.ceil(bytes.length / pageSize) }, (_, number) => {
    const own = new Uint8Array(pageSize).fill(unwritten)
    own.set(bytes.subarray(number * pageSize, (number + 1) * pageSize))
    return bytePage(null, own)
  })
  return { _tag: 'bytes', size: bytes.length, pages, runs: runs && littleEndian }
}

/** Elements that are moved as they are: whole ones of at most four bytes, the same on both sides. */
const moveRuns = (
  from: ReadonlyArray<BytePage | undefined>,
  source: Cells,
  old: ReadonlyArray<BytePage | undefined>,
  target: Cells,
  edit: Edit | null,
): ReadonlyArray<BytePage | undefined> | null => {
  const width = bytesOf(source.dtype)
  if (
    source.dtype !== target.dtype ||
    addressesInByte(source.dtype) === 2 ||
    width > 4 ||
    source.origin < 0 ||
    target.origin < 0
  )
    return null
  const moves = movesOf(source.offsets, target.offsets, width)
  return moves === null ? null : moved(from, source.origin, old, target.origin, moves, edit)
}

const moved = (
  from: ReadonlyArray<BytePage | undefined>,
  fromOrigin: number,
  old: ReadonlyArray<BytePage | undefined>,
  toOrigin: number,
  moves: Moves,
  edit: Edit | null,
): ReadonlyArray<BytePage | undefined> => {
  const pages = old.slice()
  const fresh = new Set<number>()
  let number = -1
  let page = blank
  let sourceNumber = -1
  let source = blank
  for (let r = 0; r < moves.length; r += 3) {
    let a = moves[r]! + fromOrigin
    let b = moves[r + 1]! + toOrigin
    for (let left = moves[r + 2]!; left > 0;) {
      if (b >> pageBits !== number) {
        number = b >> pageBits
        page = ownPage(pages, number, edit, fresh)
      }
      if (a >> pageBits !== sourceNumber) {
        sourceNumber = a >> pageBits
        source = from[sourceNumber] ?? blank
      }
      const x = a & pageMask
      const y = b & pageMask
      const n = Math.min(left, pageSize - x, pageSize - y)
      // 16 bytes are most: a piece of a swizzled row
      if (n === 16 && ((x | y) & 3) === 0) {
        const [f, t] = [x >> 2, y >> 2]
        const w = source.words
        const v = page.words
        v[t] = w[f]!
        v[t + 1] = w[f + 1]!
        v[t + 2] = w[f + 2]!
        v[t + 3] = w[f + 3]!
      } else movePiece(source, x, page, y, n)
      a += n
      b += n
      left -= n
    }
  }
  return pages
}

const movePiece = (from: BytePage, x: number, to: BytePage, y: number, n: number): void => {
  if (n > 256) to.bytes.set(from.bytes.subarray(x, x + n), y)
  else if (((x | y | n) & 3) === 0) {
    const [source, target] = [from.words, to.words]
    const [first, second] = [x >> 2, y >> 2]
    for (let w = 0; w < n >> 2; w++) target[second + w] = source[first + w]!
  } else for (let w = 0; w < n; w++) to.bytes[y + w] = from.bytes[x + w]!
}

const writeHalves = (
  old: ReadonlyArray<BytePage | undefined>,
  { offsets, origin }: Cells,
  data: Float64Array,
  edit: Edit | null,
): ReadonlyArray<BytePage | undefined> => {
  const pages = old.slice()
  const fresh = new Set<number>()
  for (let i = 0; i < offsets.length; i++) {
    const half = offsets[i]! + origin
    if (half < 0) continue
    const a = half >> 1
    const page = ownBytes(pages, a >> pageBits, edit, fresh)
    const byte = page[a & pageMask]!
    page[a & pageMask] = (half & 1) === 0 ? (byte & 0xf0) | data[i]! : (byte & 0xf) | (data[i]! << 4)
  }
  return pages
}

const ownSlots = (
  pages: (SlotPage | undefined)[],
  number: number,
  edit: Edit | null,
  fresh: Set<number>,
): SlotPage => {
  const page = pages[number]
  if (page !== undefined && (fresh.has(number) || (edit !== null && page.edit === edit))) return page
  const own: SlotPage =
    page === undefined
      ? { edit, slots: new Float64Array(pageSize), high: null, kinds: new Uint8Array(pageSize) }
      : {
          edit,
          slots: page.slots.slice(),
          high: page.high === null ? null : page.high.slice(),
          kinds: page.kinds.slice(),
        }
  pages[number] = own
  fresh.add(number)
  return own
}

const writeSlots = (
  old: ReadonlyArray<SlotPage | undefined>,
  { dtype, offsets, origin }: Cells,
  data: Float64Array,
  edit: Edit | null,
): ReadonlyArray<SlotPage | undefined> => {
  const pages = old.slice()
  const fresh = new Set<number>()
  const width = bytesOf(dtype)
  const code = codeOf(dtype)
  for (let i = 0; i < offsets.length; i++) {
    const a = offsets[i]! + origin
    if (a < 0) continue
    const page = ownSlots(pages, a >> pageBits, edit, fresh)
    // an element that this one cuts into is no element any more: its head and the rest of its tail go
    dissolve(pages, a, edit, fresh)
    dissolve(pages, a + width, edit, fresh)
    page.slots[a & pageMask] = data[i]!
    page.kinds[a & pageMask] = code
    for (let b = 1; b < width; b++) {
      const at = a + b
      ownSlots(pages, at >> pageBits, edit, fresh).kinds[at & pageMask] = tail
    }
  }
  return pages
}

const writeHalfSlots = (
  old: ReadonlyArray<SlotPage | undefined>,
  { dtype, offsets, origin }: Cells,
  data: Float64Array,
  edit: Edit | null,
): ReadonlyArray<SlotPage | undefined> => {
  const pages = old.slice()
  const fresh = new Set<number>()
  const code = codeOf(dtype)
  for (let i = 0; i < offsets.length; i++) {
    const half = offsets[i]! + origin
    if (half < 0) continue
    const a = half >> 1
    const at = a & pageMask
    const own = ownSlots(pages, a >> pageBits, edit, fresh)
    const page: SlotPage =
      own.high === null
        ? { edit: own.edit, slots: own.slots, high: new Float64Array(pageSize).fill(NaN), kinds: own.kinds }
        : own
    pages[a >> pageBits] = page
    if (page.kinds[at] !== code) {
      dissolve(pages, a, edit, fresh)
      dissolve(pages, a + 1, edit, fresh)
      page.slots[at] = NaN
      page.high![at] = NaN
      page.kinds[at] = code
    }
    if ((half & 1) === 0) page.slots[at] = data[i]!
    else page.high![at] = data[i]!
  }
  return pages
}

/** If `a` is inside an element, not at its head, the part before `a` loses its head and the part from `a` on its tail. */
const dissolve = (
  pages: (SlotPage | undefined)[],
  a: number,
  edit: Edit | null,
  fresh: Set<number>,
): void => {
  const kindAt = (x: number): number => (x < 0 ? 0 : (pages[x >> pageBits]?.kinds[x & pageMask] ?? 0))
  if (kindAt(a) !== tail) return
  let start = a
  while (kindAt(start) === tail) start--
  let end = a
  while (kindAt(end) === tail) end++
  for (let x = Math.max(start, 0); x < end; x++)
    ownSlots(pages, x >> pageBits, edit, fresh).kinds[x & pageMask] = 0
}
