/**
 * Memory as provenance sees it: which write holds which byte, and the terms that it left there.
 *
 * A copy moves terms by address: the reader's element takes the term of the bytes that it reads, wherever its own view thinks they are.
 * How two footprints lie to each other depends on the two alone, so it is found once for a pair.
 *
 *     write  ring slot 1, tiled [8, 64], swizzle 128
 *     read   ring slot 1, tiled [8, 64], swizzle 128     same: element i is element i
 *     read   ring slot 1, tiled [8, 64], swizzle 64      inside: another permutation, and so other coordinates
 *     read   the two slots together                      across: element by element, the newest write of each byte
 *
 * Laws
 * 1. a read takes, for each element, the term of the newest write of its bytes; all of its bytes belong to one element of it.
 * 2. what was never written is an input where the memory was there before the launch, and nothing elsewhere.
 */
import { bitsOf } from '../../../numerics/dtype.js'
import type { Footprint, Header } from '../../log/events.js'
import { bytesIn, endOf, startOf } from '../../log/events.js'
import { offsetsIn, share } from '../../machine/footprint.js'
import { ascending, sameIntervals, show, unordered } from './intervals.js'
import { remembered, table, type Table, type Tables } from './tables.js'
import {
  elementOf,
  input,
  nowhere,
  other,
  pick,
  sum,
  zero,
  zeroElement,
  type Element,
  type Terms,
} from './terms.js'

// ---------------------------------------------------------------- model

/** One write: what it left where, and who did it. */
export interface Written {
  readonly footprint: Footprint
  readonly terms: Terms
  readonly site: number
}

/** How a read's footprint lies to a write's: apart, the same, wholly inside (each element read is one of its elements), or neither. */
type Relation =
  | { readonly _tag: 'apart' }
  | { readonly _tag: 'same' }
  | { readonly _tag: 'inside'; readonly elements: Table }
  | { readonly _tag: 'across' }

export interface Memory {
  readonly header: Header
  readonly tables: Tables
  /** of each plane, by footprint, the writes that no later one of the same footprint has replaced; oldest first */
  readonly writes: ReadonlyArray<Map<number, Written>>
  readonly relations: Map<number, Map<number, Relation>>
  readonly found: Places
}

/** How writes lie in the matrix that they should fill: so many bytes apart from it, with rows and columns from least to most. */
export interface InPlace {
  readonly apart: number
  readonly rows: readonly [number, number]
  readonly columns: readonly [number, number]
}

/** What is remembered of tables of offsets. */
export interface Places {
  /** how reads lie to writes, by the two tables, then by how far the read's lie behind the write's */
  readonly lying: Map<number, Map<number, Map<number, Table | 'across'>>>
  /** by the matrix and the tables of offsets, rows and columns */
  readonly inPlace: Map<string, InPlace | null>
}

export const places = (): Places => ({ lying: new Map(), inPlace: new Map() })

export const memory = (header: Header, tables: Tables, found: Places = places()): Memory => ({
  header,
  tables,
  writes: header.planes.map(() => new Map()),
  relations: new Map(),
  found,
})

// ---------------------------------------------------------------- places

/** In place of an element's number: the rest of an element, and nothing. */
export const tail = -2
export const unwritten = -1

/** The table of a footprint's offsets, and from where they count. */
export const placeOf = (m: Memory, f: Footprint): readonly [Table, origin: number] => {
  const [offsets, origin] = offsetsIn(f)
  return [table(m.tables, offsets), origin]
}

export const widthOf = (f: Footprint): number => bitsOf(f.dtype) / 8

/** The element of a footprint at each byte of its range: its number at the first byte, `tail` at the rest, `unwritten` between. */
const elementsByByte = (f: Footprint): Int32Array => {
  const start = startOf(f.spans)
  const out = new Int32Array(endOf(f.spans) - start).fill(unwritten)
  const [offsets, origin] = offsetsIn(f)
  numberElements(out, offsets, origin, start, widthOf(f))
  return out
}

const numberElements = (
  out: Int32Array,
  offsets: Int32Array,
  origin: number,
  start: number,
  width: number,
): void => {
  const count = offsets.length
  for (let e = 0; e < count; e++) {
    const a = offsets[e]! + origin
    if (a < 0) continue
    out[a - start] = e
    for (let b = 1; b < width; b++) out[a - start + b] = tail
  }
}

const apart: Relation = { _tag: 'apart' }
const same: Relation = { _tag: 'same' }
const across: Relation = { _tag: 'across' }

const relate = (m: Memory, r: Footprint, w: Footprint): Relation => {
  if (!share(r.spans, w.spans)) return apart
  if (widthOf(r) !== widthOf(w)) return across
  const [reads, readAt] = placeOf(m, r)
  const [writes, writeAt] = placeOf(m, w)
  if (reads === writes && readAt === writeAt && isInjective(w, writes)) return same
  // both moved by as much lie to each other as before: the slots of a ring are one case
  const shifts = remembered(m.found.lying, reads.id, writes.id, () => new Map<number, Table | 'across'>())
  const shift = readAt - writeAt
  const elements = shifts.get(shift) ?? elementsOf(m, r, w)
  shifts.set(shift, elements)
  return elements === 'across' ? across : { _tag: 'inside', elements }
}

/** Has each element bytes of its own? */
const isInjective = (f: Footprint, offsets: Table): boolean =>
  bytesIn(f.spans) === offsets.values.length * widthOf(f)

/** For each element of a read the element of the write that lies there. */
const elementsOf = (m: Memory, r: Footprint, w: Footprint): Table | 'across' => {
  const [offsets, origin] = offsetsIn(r)
  const elements = numbersAt(elementsByByte(w), offsets, origin, startOf(w.spans))
  return elements === null ? 'across' : table(m.tables, elements)
}

const numbersAt = (at: Int32Array, offsets: Int32Array, origin: number, start: number): Int32Array | null => {
  const count = offsets.length
  const elements = new Int32Array(count)
  for (let i = 0; i < count; i++) {
    const a = offsets[i]! + origin
    const e = a < 0 ? unwritten : (at[a - start] ?? unwritten)
    if (e < 0) return null
    elements[i] = e
  }
  return elements
}

// ---------------------------------------------------------------- writing and reading

export const write = (m: Memory, footprint: Footprint, terms: Terms, site: number): void => {
  const live = m.writes[footprint.plane]!
  live.delete(footprint.id)
  live.set(footprint.id, { footprint, terms, site })
}

export const siteName = (m: Memory, site: number): string => m.header.sites[site]?.label ?? 'somewhere'

const inputOf = (m: Memory, f: Footprint): Terms => {
  const [offsets, origin] = placeOf(m, f)
  return input(f.plane, offsets, origin)
}

/** The terms of the elements under a footprint, as memory holds them now. */
export const read = (m: Memory, f: Footprint): Terms => {
  if (bitsOf(f.dtype) < 8) return other('elements of less than a byte are not followed')
  const plane = m.header.planes[f.plane]!
  const live = m.writes[f.plane]!
  let newest: Written | undefined
  let how: Relation = apart
  if (live.size > 0) {
    let relations = m.relations.get(f.id)
    if (relations === undefined) {
      relations = new Map()
      m.relations.set(f.id, relations)
    }
    for (const w of live.values()) {
      let to = relations.get(w.footprint.id)
      if (to === undefined) {
        to = relate(m, f, w.footprint)
        relations.set(w.footprint.id, to)
      }
      if (to._tag === 'apart') continue
      newest = w
      how = to
    }
  }
  if (newest === undefined)
    return plane.initialised
      ? plane.zeros === true
        ? zero
        : inputOf(m, f)
      : other(`${plane.name} is read before anything was written to it`)
  if (how._tag !== 'inside' && how._tag !== 'same') {
    const each = piecewise(m, f, [...live.values()])
    return typeof each === 'string' ? other(each) : together(m, each.length, (e) => each[e]!)
  }
  if (newest.footprint.dtype !== f.dtype && newest.terms._tag !== 'zero')
    return other(whyRetyped(m, f, newest))
  return how._tag === 'same' ? newest.terms : pick(m.tables, newest.terms, how.elements)
}

/** Of elements that cannot be said, the reason is the one to name. */
const whyRetyped = (m: Memory, f: Footprint, w: Written): string =>
  w.terms._tag === 'other'
    ? w.terms.why
    : `${m.header.planes[f.plane]!.name} holds ${w.footprint.dtype} (${siteName(m, w.site)}) and is read as ${f.dtype}`

/** The same one by one: they need not be of one kind. */
export const readEach = (m: Memory, f: Footprint): ReadonlyArray<Element> => {
  const [offsets] = offsetsIn(f)
  const each = piecewise(m, f, [...m.writes[f.plane]!.values()])
  return typeof each === 'string'
    ? Array.from(offsets, (): Element => ({ _tag: 'other', why: each }))
    : each.map(({ element }) => element)
}

/** A read over several writes, element by element: the newest write that holds a byte of the element decides. */
const piecewise = (
  m: Memory,
  f: Footprint,
  live: ReadonlyArray<Written>,
): ReadonlyArray<LeftElement> | string => {
  const plane = m.header.planes[f.plane]!
  const touching = live.filter((w) => share(f.spans, w.footprint.spans)).reverse()
  const maps = touching.map((w) => elementsByByte(w.footprint))
  const [offsets, origin] = offsetsIn(f)
  const width = widthOf(f)
  const each: LeftElement[] = []
  const holder = (byte: number): number => {
    for (let i = 0; i < touching.length; i++)
      if ((maps[i]![byte - startOf(touching[i]!.footprint.spans)] ?? unwritten) !== unwritten) return i
    return -1
  }
  for (let e = 0; e < offsets.length; e++) {
    const a = offsets[e]! + origin
    if (a < 0) return 'elements outside the tensor take part'
    const i = holder(a)
    if (i < 0) {
      if (plane.zeros !== true)
        return plane.initialised
          ? `${plane.name} is read where it was partly overwritten`
          : `${plane.name} is read before anything was written to byte ${String(a)}`
      for (let b = 1; b < width; b++)
        if (holder(a + b) >= 0) return `${plane.name} is read across two elements, at byte ${String(a)}`
      each.push({ element: zeroElement, site: 0 })
      continue
    }
    const w = touching[i]!
    const element = maps[i]![a - startOf(w.footprint.spans)]!
    // a zero is one in every type
    if (w.terms._tag === 'zero') {
      let whole = true
      for (let b = 1; b < width; b++) whole &&= holder(a + b) === i
      if (whole) {
        each.push({ element: zeroElement, site: w.site })
        continue
      }
    }
    if (element === tail) return `${plane.name} is read from the middle of an element, at byte ${String(a)}`
    for (let b = 1; b < width; b++)
      if (holder(a + b) !== i || maps[i]![a + b - startOf(w.footprint.spans)] !== tail)
        return `${plane.name} is read across two elements, at byte ${String(a)}`
    if (w.footprint.dtype !== f.dtype) return whyRetyped(m, f, w)
    each.push({ element: elementOf(w.terms, element), site: w.site })
  }
  return each.length === 0 ? 'nothing is read' : each
}

/** The term of an element, and the site that left it. */
export interface LeftElement {
  readonly element: Element
  readonly site: number
}

/**
 * The terms of so many elements; they must be of one kind and, if sums, over the same ks. Where these were added in different orders, the sums are those of no
 * order. Zeros beside elements of an input are elements that are nowhere.
 */
export const together = (m: Memory, count: number, at: (e: number) => LeftElement): Terms => {
  let start = 0
  while (start < count && at(start).element._tag === 'zero') start++
  const { element: first, site } = at(start < count ? start : 0)
  if (isOfEpilogue(first)) return eachOf(count, at)
  const x = new Int32Array(count)
  const y = new Int32Array(count)
  let ks = first._tag === 'sum' ? first.ks : []
  for (let e = 0; e < count; e++) {
    const { element, site: own } = at(e)
    if (element._tag === 'other') return element
    if (element._tag === 'input' && first._tag === 'input' && element.plane === first.plane)
      x[e] = element.address
    else if (element._tag === 'zero' && first._tag === 'input') x[e] = nowhere
    else if (
      element._tag === 'sum' &&
      first._tag === 'sum' &&
      element.a === first.a &&
      element.b === first.b &&
      element.scaled === first.scaled &&
      (element.ks === ks ||
        sameIntervals(element.ks, ks) ||
        sameIntervals(unordered(element.ks), unordered(ks)))
    ) {
      x[e] = element.row
      y[e] = element.column
      if (element.ks !== ks && !sameIntervals(element.ks, ks)) ks = unordered(ks)
    } else if (element._tag !== 'zero' || first._tag !== 'zero') {
      for (let k = e; k < count; k++) if (isOfEpilogue(at(k).element)) return eachOf(count, at)
      return other(
        element._tag === 'sum' &&
          first._tag === 'sum' &&
          element.a === first.a &&
          element.b === first.b &&
          element.scaled === first.scaled
          ? `elements that are sums over ${show(ascending(first.ks))} and over ${show(ascending(element.ks))} of k are adjacent: from ${siteName(m, site)} and from ${siteName(m, own)}`
          : `elements of different kinds are adjacent: from ${siteName(m, site)} and from ${siteName(m, own)}`,
      )
    }
  }
  switch (first._tag) {
    case 'input':
      return input(first.plane, table(m.tables, x), 0)
    case 'sum':
      return sum(first.a, first.b, table(m.tables, x), 0, table(m.tables, y), 0, ks, first.scaled)
    case 'zero':
    case 'other':
      return first
  }
}

const isOfEpilogue = (e: Element): e is Extract<Element, { readonly _tag: 'made' | 'number' }> =>
  e._tag === 'made' || e._tag === 'number'

/** One by one; what cannot be said of one is said of all. */
const eachOf = (count: number, at: (e: number) => LeftElement): Terms => {
  const elements = Array.from({ length: count }, (_, e) => at(e).element)
  return elements.find((e) => e._tag === 'other') ?? { _tag: 'each', elements }
}
