/**
 * Pages of slots: a plane of whole elements in pieces of 4096 slots, written like pages of bytes.
 *
 * The first slot of an element holds its carrier, the others are its tail; a write ends every element that it cuts into.
 *
 * Elements of 4 and 6 bits begin in the low or in the high half of a byte, one of 6 bits at its first or its second quarter; one that begins in a high half
 * ends in the next byte. The kind of such a byte says for each half what begins there.
 *
 *     quarters      0 1 2 3   0 1 2 3   0 1 2 3
 *     elements      0 0 0 1   1 1 2 2   2 3 3 3       begin  low 0, high 1; high 0; low 1
 *
 * Laws (the plain plane: a map from addresses to the elements that live, from which a write takes all that it overlaps)
 * 1. What is read of the pages is what is read of the map, after any writes, over the edge of a page, and for elements that begin inside bytes.
 * 2. A write with a token gives what one without gives, and changes no page of another.
 */
import { bitsOf, type Dtype } from '../../../numerics/dtype.js'
import { addressesInByte, bytesOf, type Cells, type Edit, type Read } from '../cells.js'
import { paging } from './byte-pages.js'

// of this module, so that they are constants where it is compiled: an imported binding is looked up at every use
const { bits: pageBits, size: pageSize, mask: pageMask } = paging

export interface SlotPage {
  readonly edit: Edit | null
  readonly slots: Float64Array
  /** of bytes in whose high half an element begins, that one; null where none does */
  readonly high: Float64Array | null
  /** 0 nothing, 1 + dtype code: the head of an element, `tail`: the rest of one, from `packed` on: what begins in each half */
  readonly kinds: Uint8Array
}

export type SlotPages = ReadonlyArray<SlotPage | undefined>

const tail = 255

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
  'i4',
  'u4',
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

// ---------------------------------------------------------------- reading

// ---------------------------------------------------------------- elements that begin inside bytes

/** What begins in a half of a byte: nothing, or an element and at which of its quarters. */
const packedDtypes: ReadonlyArray<readonly [dtype: Dtype, quarter: 0 | 1]> = [
  ['e2m1', 0],
  ['i4', 0],
  ['u4', 0],
  ['e2m3', 0],
  ['e2m3', 1],
  ['e3m2', 0],
  ['e3m2', 1],
]
const states = packedDtypes.length + 1
/** The kind of a byte in which nothing begins. */
const packed = 64
const lowOf = (kind: number): number => (isPackedKind(kind) ? (kind - packed) % states : 0)
const highOf = (kind: number): number => (isPackedKind(kind) ? Math.floor((kind - packed) / states) : 0)
const kindOfHalves = (low: number, high: number): number => packed + states * high + low
const isPackedKind = (kind: number): boolean => kind >= packed && kind !== tail

/** An element by its first quarter, the half in which that is, and the one behind its last. */
interface Place {
  readonly state: number
  readonly first: number
  readonly half: number
  readonly end: number
}
const placeOf = (dtype: Dtype, address: number): Place => {
  const first = (4 / addressesInByte(dtype)) * address
  const quarter = first & 1
  const state = packedDtypes.findIndex(([d, q]) => d === dtype && q === quarter) + 1
  return { state, first, half: first >> 1, end: first + bitsOf(dtype) / 2 }
}
/** The quarters of what begins in a half. */
const extentOf = (half: number, state: number): readonly [first: number, end: number] => {
  const [dtype, quarter] = packedDtypes[state - 1]!
  const first = 2 * half + quarter
  return [first, first + bitsOf(dtype) / 2]
}

const kindAt = (pages: SlotPages, a: number): number =>
  a < 0 ? 0 : (pages[a >> pageBits]?.kinds[a & pageMask] ?? 0)
const stateAt = (pages: SlotPages, half: number): number => {
  const kind = kindAt(pages, half >> 1)
  return (half & 1) === 0 ? lowOf(kind) : highOf(kind)
}

/** Does an element of another dtype lie in this byte? `dtype` null: any. */
const another = (pages: SlotPages, a: number, dtype: Dtype | null): boolean => {
  const kind = kindAt(pages, a)
  if (kind !== 0 && !isPackedKind(kind)) return true
  return [2 * a - 1, 2 * a, 2 * a + 1].some((half) => {
    const state = half < 0 ? 0 : stateAt(pages, half)
    return (
      state !== 0 &&
      packedDtypes[state - 1]![0] !== dtype &&
      (half >= 2 * a || extentOf(half, state)[1] > 4 * a)
    )
  })
}

/** A byte of two elements holds the low one in its slot and the high one beside it. */
export const readPackedSlots = (pages: SlotPages, { dtype, offsets, origin }: Cells, fill: number): Read => {
  const out = new Float64Array(offsets.length)
  let retyped: number | null = null
  for (let i = 0; i < out.length; i++) {
    const address = offsets[i]! + origin
    if (address < 0) {
      out[i] = fill
      continue
    }
    const { half, state } = placeOf(dtype, address)
    const a = half >> 1
    const page = pages[a >> pageBits]
    if (page !== undefined && stateAt(pages, half) === state)
      out[i] = (half & 1) === 0 ? page.slots[a & pageMask]! : page.high![a & pageMask]!
    else {
      out[i] = NaN
      if (retyped === null && another(pages, a, dtype)) retyped = a
    }
  }
  return { data: out, retyped }
}

export const readSlots = (pages: SlotPages, { dtype, offsets, origin }: Cells, fill: number): Read => {
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
      if (retyped === null && another(pages, a, null)) retyped = a
    }
  }
  return { data: out, retyped }
}

// ---------------------------------------------------------------- writing

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

export const writeSlots = (
  old: SlotPages,
  { dtype, offsets, origin }: Cells,
  data: Float64Array,
  edit: Edit | null,
): SlotPages => {
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
    endHalf(pages, 2 * a - 1, 4 * a, 4 * (a + width), edit, fresh)
    page.slots[a & pageMask] = data[i]!
    page.kinds[a & pageMask] = code
    for (let b = 1; b < width; b++) {
      const at = a + b
      ownSlots(pages, at >> pageBits, edit, fresh).kinds[at & pageMask] = tail
    }
  }
  return pages
}

export const writePackedSlots = (
  old: SlotPages,
  { dtype, offsets, origin }: Cells,
  data: Float64Array,
  edit: Edit | null,
): SlotPages => {
  const pages = old.slice()
  const fresh = new Set<number>()
  for (let i = 0; i < offsets.length; i++) {
    const address = offsets[i]! + origin
    if (address < 0) continue
    const { half, first, end, state } = placeOf(dtype, address)
    for (let other = half - 1; 2 * other < end; other++) endHalf(pages, other, first, end, edit, fresh)
    const a = half >> 1
    const page = ownHalves(pages, a, edit, fresh)
    // it goes on in the next byte
    if (end > 4 * (a + 1)) ownHalves(pages, a + 1, edit, fresh)
    const kind = page.kinds[a & pageMask]!
    if ((half & 1) === 0) page.slots[a & pageMask] = data[i]!
    else page.high![a & pageMask] = data[i]!
    page.kinds[a & pageMask] =
      (half & 1) === 0 ? kindOfHalves(state, highOf(kind)) : kindOfHalves(lowOf(kind), state)
  }
  return pages
}

/** The page of a byte in whose halves elements begin, or nothing does; of one that was another's, that one is ended. */
const ownHalves = (
  pages: (SlotPage | undefined)[],
  a: number,
  edit: Edit | null,
  fresh: Set<number>,
): SlotPage => {
  const at = a & pageMask
  const own = ownSlots(pages, a >> pageBits, edit, fresh)
  const page: SlotPage =
    own.high === null
      ? { edit: own.edit, slots: own.slots, high: new Float64Array(pageSize).fill(NaN), kinds: own.kinds }
      : own
  pages[a >> pageBits] = page
  if (!isPackedKind(page.kinds[at]!)) {
    dissolve(pages, a, edit, fresh)
    dissolve(pages, a + 1, edit, fresh)
    page.kinds[at] = packed
  }
  return page
}

/** What begins in that half, and has one of the quarters from `first` to `end`, is no element any more. */
const endHalf = (
  pages: (SlotPage | undefined)[],
  half: number,
  first: number,
  end: number,
  edit: Edit | null,
  fresh: Set<number>,
): void => {
  const state = half < 0 ? 0 : stateAt(pages, half)
  if (state === 0) return
  const [from, to] = extentOf(half, state)
  if (to <= first || end <= from) return
  const a = half >> 1
  const page = ownSlots(pages, a >> pageBits, edit, fresh)
  const kind = page.kinds[a & pageMask]!
  page.kinds[a & pageMask] = (half & 1) === 0 ? kindOfHalves(0, highOf(kind)) : kindOfHalves(lowOf(kind), 0)
}

/** If `a` is inside an element, not at its head, the part before `a` loses its head and the part from `a` on its tail. */
const dissolve = (
  pages: (SlotPage | undefined)[],
  a: number,
  edit: Edit | null,
  fresh: Set<number>,
): void => {
  if (kindAt(pages, a) !== tail) return
  let start = a
  while (kindAt(pages, start) === tail) start--
  let end = a
  while (kindAt(pages, end) === tail) end++
  for (let x = Math.max(start, 0); x < end; x++)
    ownSlots(pages, x >> pageBits, edit, fresh).kinds[x & pageMask] = 0
}
