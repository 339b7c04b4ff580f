/**
 * Pages of slots: a plane of whole elements in pieces of 4096 slots, written like pages of bytes.
 *
 * The first slot of an element holds its carrier, the others are its tail; a write ends every element that it cuts into.
 *
 * Laws (the plain plane: a map from addresses to the elements that live, from which a write takes all that it overlaps)
 * 1. What is read of the pages is what is read of the map, after any writes, over the edge of a page, and for halves of bytes.
 * 2. A write with a token gives what one without gives, and changes no page of another.
 */
import type { Dtype } from '../../../numerics/dtype.js'
import { bytesOf, type Cells, type Edit, type Read } from '../cells.js'
import { paging } from './byte-pages.js'

// of this module, so that they are constants where it is compiled: an imported binding is looked up at every use
const { bits: pageBits, size: pageSize, mask: pageMask } = paging

export interface SlotPage {
  readonly edit: Edit | null
  readonly slots: Float64Array
  /** of bytes that hold two elements, the second; null where none does */
  readonly high: Float64Array | null
  /** 0 nothing, 1 + dtype code: the head of an element, `tail`: the rest of one */
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

/** A byte of two elements of 4 bits holds the low one in its slot and the high one beside it. */
export const readHalfSlots = (pages: SlotPages, { dtype, offsets, origin }: Cells, fill: number): Read => {
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
      if (kind !== 0) retyped ??= a
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
    page.slots[a & pageMask] = data[i]!
    page.kinds[a & pageMask] = code
    for (let b = 1; b < width; b++) {
      const at = a + b
      ownSlots(pages, at >> pageBits, edit, fresh).kinds[at & pageMask] = tail
    }
  }
  return pages
}

export const writeHalfSlots = (
  old: SlotPages,
  { dtype, offsets, origin }: Cells,
  data: Float64Array,
  edit: Edit | null,
): SlotPages => {
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
