/**
 * Words: reads and writes that say nothing of types.
 *
 * A warp loads words and stores words (`warps/origins.ts`). What a word holds memory knows: two elements of f16, or half of one of f64. So the value of a
 * read of words is taken with the type that was written there, or that the tensor has; and a write of words whose bytes are those of such values is a write
 * of their elements, in their type or in that of their cast.
 *
 *     ld.shared.v2.b32 of 32 lanes, over f16      64 words, 128 elements of f16
 *     st.global.b32 of bytes 2 3 0 1 of a word    two elements of f16, exchanged
 *     st.global.b16 of bytes 1 2 of a word        the middle of two elements: cannot be said
 *
 * Laws
 * 1. `put` of what `take` took, byte for byte, writes the terms that were read.
 * 2. a write is followed only if every element of it is whole.
 */
import { constant, scattered, type Footprint } from '../../log/events.js'
import { bitsOf, dtypes, isInt, type Dtype } from '../../../numerics/dtype.js'
import { firstComputed, type Stretches } from '../../log/computed.js'
import { forEachAddress, share } from '../../machine/footprint.js'
import { castOf } from '../../log/casts.js'
import { addElements } from './sums.js'
import { read, readEach, siteName, together, widthOf, type LeftElement, type Memory } from './memory.js'
import { elementOf, other, zero, zeroElement, type Element, type Terms } from './terms.js'

/** The value of a read, with the type of its elements. */
export interface Typed {
  readonly terms: Terms
  readonly dtype: Dtype
  /** the site that read it */
  readonly site: number
}

// ---------------------------------------------------------------- as other elements

/** Footprints of this fold alone have numbers below those of the log. */
const first = -2

const numberOf = (f: Footprint, dtype: Dtype): number => first - dtypes.length * f.id - dtypes.indexOf(dtype)

/** The bytes of a footprint as elements of another type, in the same order; null: they do not divide. */
const retyped = (f: Footprint, dtype: Dtype): Footprint | null => {
  const bits = bitsOf(dtype)
  if (bits < 8) return null
  const [from, to] = [widthOf(f), bits / 8]
  const starts: number[] = []
  let whole = true
  let last = -1
  let left = 0
  forEachAddress(f, (address) => {
    for (let b = 0; b < from; b += Math.min(from, to)) {
      if (left === 0) {
        starts.push(address + b)
        left = to
      } else if (address + b !== last) whole = false
      const step = Math.min(from, to)
      left -= Math.min(left, step)
      last = address + b + step
    }
  })
  if (!whole || left !== 0) return null
  const addresses = Int32Array.from(starts)
  return {
    id: numberOf(f, dtype),
    plane: f.plane,
    spans: f.spans,
    dtype,
    map: scattered([addresses.length], addresses),
  }
}

/** The type of what lies under a footprint: that of its newest write, else of its tensor. */
const typeUnder = (m: Memory, f: Footprint): Dtype | null => {
  const writes = [...m.writes[f.plane]!.values()].filter((w) => share(f.spans, w.footprint.spans))
  const newest = writes.reverse().find((w) => w.terms._tag !== 'zero')
  return newest?.footprint.dtype ?? m.header.tensors.find(({ plane }) => plane === f.plane)?.dtype ?? null
}

/** Words of a tensor, as its elements. */
export const ofTensor = (m: Memory, f: Footprint): Footprint => {
  const t = m.header.tensors.find(({ plane }) => plane === f.plane)
  return t === undefined || t.dtype === f.dtype ? f : (retyped(f, t.dtype) ?? f)
}

/** The value of a read of words, of which memory has said `terms`. */
export const take = (m: Memory, f: Footprint, terms: Terms, site: number): Typed => {
  const dtype = typeUnder(m, f)
  const as = dtype === null || dtype === f.dtype ? null : retyped(f, dtype)
  return as === null ? { terms, dtype: f.dtype, site } : { terms: read(m, as), dtype: as.dtype, site }
}

/** The type of what a copy of a box moves: a tensor map says bytes, and the tensor that they are signed. */
export const typeOf = (m: Memory, f: Footprint): Dtype => {
  const t = m.header.tensors.find(({ plane }) => plane === f.plane)
  return t !== undefined && isInt(t.dtype) && isInt(f.dtype) && bitsOf(t.dtype) === bitsOf(f.dtype)
    ? t.dtype
    : f.dtype
}

/** The same elements, of another type as wide. */
const named = (f: Footprint, dtype: Dtype): Footprint => ({
  id: numberOf(f, dtype),
  plane: f.plane,
  spans: f.spans,
  dtype,
  map: f.map,
})

const countOf = (f: Footprint): number =>
  f.map._tag === 'scatter' ? f.map.offsets.length : f.map.layout.shape.reduce((n, d) => n * d, 1)

/** What a copy leaves that has read such a value: words in their type. */
export const left = (
  m: Memory,
  f: Footprint,
  { terms, dtype }: Typed,
  site: number,
): { readonly footprint: Footprint; readonly terms: Terms } => {
  if (f.map._tag !== 'scatter')
    return {
      footprint: dtype !== f.dtype && bitsOf(dtype) === bitsOf(f.dtype) && isInt(dtype) ? named(f, dtype) : f,
      terms,
    }
  if (dtype === f.dtype) return { footprint: f, terms }
  const footprint = retyped(f, dtype)
  if (footprint === null)
    return { footprint: f, terms: other(`${siteName(m, site)} copies elements of ${dtype} in pieces`) }
  return terms._tag === 'input' && terms.offsets.values.length !== countOf(footprint)
    ? { footprint, terms: other(`${siteName(m, site)} copies a part of what it reads`) }
    : { footprint, terms }
}

// ---------------------------------------------------------------- stretches

/** A value that an agent has: one of a read, or one that it has computed. */
export interface Held {
  readonly dtype: Dtype
  /** the site that read it, or that said what was computed */
  readonly site: number
  /** why none of its elements can be said, if that is so */
  readonly why: string | null
  readonly at: (element: number) => Element
}

/** The value of a number, as stretches have it: neither zeros nor anything else. */
export type HeldBy = (value: number) => Held | undefined

export const heldOf = ({ terms, dtype, site }: Typed): Held => ({
  dtype,
  site,
  why: terms._tag === 'other' ? terms.why : null,
  at: (e) => elementOf(terms, e),
})

/** Elements as stretches say them: a sentence, if some are no elements or of several types; no type, if all are zeros. */
interface Said {
  readonly dtype: Dtype | null
  readonly elements: ReadonlyArray<LeftElement>
}

/** The type of the first of them that is of a value. */
const typeSaid = (held: HeldBy, stretches: Stretches): Dtype | null => {
  for (let s = 0; s < stretches.length; s += 3) {
    const one = stretches[s] === 0 ? undefined : held(stretches[s]!)
    if (one !== undefined) return castOf(stretches[s + 1]!).cast?.to ?? one.dtype
  }
  return null
}

/** `wanted`: the type of an operand; null: that of the values is found. A zero is one of any type. */
const saidBy = (
  held: HeldBy,
  stretches: Stretches,
  where: string,
  site: number,
  wanted: Dtype | null,
): Said | string => {
  const whole = wanted ?? typeSaid(held, stretches)
  const width = whole === null ? 1 : bitsOf(whole) / 8
  const elements: LeftElement[] = []
  let dtype: Dtype | null = null
  for (let s = 0; s < stretches.length; s += 3) {
    const [value, start, count] = [stretches[s]!, stretches[s + 1]!, stretches[s + 2]!]
    if (value === 0) {
      if (count % width !== 0) return `${where} has a part of a zero`
      for (let b = 0; b < count; b += width) elements.push({ element: zeroElement, site })
      continue
    }
    if (value === constant && wanted !== null) {
      const bits = 8 * width
      for (let b = 0; b < count; b += width) {
        const word = bits === 32 ? start : (start >>> (8 * (b % 4))) & ((1 << bits) - 1)
        elements.push({ element: { _tag: 'number', dtype: wanted, word }, site })
      }
      continue
    }
    if (value < 0 && value > firstComputed)
      return `${where} writes a value computed by other means than a matrix product`
    const one = held(value)
    if (one === undefined) return `${where} writes a value that nothing computed`
    if (one.why !== null) return one.why
    const { cast, byte } = castOf(start)
    if (cast !== null && cast.from !== one.dtype)
      return `${where} writes what was converted from ${cast.from} and is ${one.dtype}`
    const own = cast?.to ?? one.dtype
    if (dtype !== null && dtype !== own) return `${where} writes ${dtype} and ${own} side by side`
    dtype = own
    const wide = bitsOf(own) / 8
    if (count % wide !== 0 || byte % wide !== 0) return `${where} writes a part of an element`
    for (let b = 0; b < count; b += wide)
      elements.push({ element: one.at((byte + b) / wide), site: one.site })
  }
  return { dtype, elements }
}

/** Types whose elements are one another's. */
const isAlso = (found: Dtype, wanted: Dtype): boolean =>
  found === wanted || (found === 'u32' && wanted === 'i32') || (found === 'f32' && wanted === 'tf32')

/** The elements of an operand of this type; one sentence in the place of all that cannot be said. */
export const elementsSaid = (
  held: HeldBy,
  stretches: Stretches,
  dtype: Dtype,
  where: string,
  site: number,
): ReadonlyArray<LeftElement> => {
  const said = saidBy(held, stretches, where, site, dtype)
  const why =
    typeof said === 'string'
      ? said
      : said.dtype === null || isAlso(said.dtype, dtype)
        ? null
        : `${where} computes with elements of ${said.dtype} as if they were ${dtype}`
  if (typeof said !== 'string' && why === null) return said.elements
  const bytes = stretches.reduce((n, x, i) => (i % 3 === 2 ? n + x : n), 0)
  const element: Element = { _tag: 'other', why: why! }
  return Array.from({ length: (8 * bytes) / bitsOf(dtype) }, () => ({ element, site }))
}

// ---------------------------------------------------------------- writes

/** What a write of words leaves: its elements with their terms. */
export const put = (
  m: Memory,
  held: HeldBy,
  f: Footprint,
  stretches: Stretches,
  site: number,
): { readonly footprint: Footprint; readonly terms: Terms } => {
  const { length } = stretches
  if (length === 3 && stretches[0] === 0) return { footprint: ofTensor(m, f), terms: zero }
  const where = siteName(m, site)
  const said = saidBy(held, stretches, where, site, null)
  if (typeof said === 'string') return { footprint: ofTensor(m, f), terms: other(said) }
  const { dtype, elements } = said
  if (dtype === null) return { footprint: ofTensor(m, f), terms: other(`${where} writes nothing`) }
  const footprint = retyped(f, dtype)
  return footprint === null
    ? {
        footprint: ofTensor(m, f),
        terms: other(`${where} writes elements of ${dtype} in pieces`),
      }
    : { footprint, terms: together(m, elements.length, (e) => elements[e]!) }
}

/**
 * What a write of words leaves that adds them to those that are there, one after the other: elements of one address are added to it in their order.
 */
export const putSum = (
  m: Memory,
  held: HeldBy,
  f: Footprint,
  stretches: Stretches,
  site: number,
): { readonly footprint: Footprint; readonly terms: Terms } => {
  const where = siteName(m, site)
  const said = saidBy(held, stretches, where, site, null)
  const as = typeof said === 'string' || said.dtype === null ? null : retyped(f, said.dtype)
  if (typeof said === 'string' || as === null)
    return {
      footprint: ofTensor(m, f),
      terms: other(typeof said === 'string' ? said : `${where} adds words`),
    }
  const sums = new Map<number, Element>()
  let e = 0
  forEachAddress(as, (address) => {
    const by = said.elements[e++]!.element
    const old = sums.get(address)
    sums.set(address, old === undefined ? by : addElements(old, by))
  })
  const addresses = Int32Array.from(sums.keys())
  const footprint: Footprint = {
    id: as.id,
    plane: as.plane,
    spans: as.spans,
    dtype: as.dtype,
    map: scattered([addresses.length], addresses),
  }
  const before = readEach(m, footprint)
  const made = [...sums.values()].map((by, i): LeftElement => ({
    element: addElements(before[i]!, by),
    site,
  }))
  return { footprint, terms: together(m, made.length, (i) => made[i]!) }
}
