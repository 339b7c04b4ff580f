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
import { bitsOf, type Dtype } from '../../../numerics/dtype.js'
import { scattered, type Footprint } from '../../log/events.js'
import { share } from '../../machine/footprint.js'
import { castOf } from '../../log/casts.js'
import { forEachAddress, gather, read, siteName, widthOf, type Left, type Memory } from './memory.js'
import { other, zero, type Terms } from './terms.js'

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
    id: first - 64 * f.id - ((bits + dtype.charCodeAt(0)) % 64),
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

const countOf = (f: Footprint): number =>
  f.map._tag === 'scatter' ? f.map.offsets.length : f.map.layout.shape.reduce((n, d) => n * d, 1)

/** What a copy leaves that has read such a value: words in their type. */
export const left = (
  m: Memory,
  f: Footprint,
  { terms, dtype }: Typed,
  site: number,
): { readonly footprint: Footprint; readonly terms: Terms } => {
  if (dtype === f.dtype || f.map._tag !== 'scatter') return { footprint: f, terms }
  const footprint = retyped(f, dtype)
  if (footprint === null)
    return { footprint: f, terms: other(`${siteName(m, site)} copies elements of ${dtype} in pieces`) }
  return terms._tag === 'input' && terms.offsets.values.length !== countOf(footprint)
    ? { footprint, terms: other(`${siteName(m, site)} copies a part of what it reads`) }
    : { footprint, terms }
}

// ---------------------------------------------------------------- writes

/** Which element of which value each element of a write is. */
interface Elements {
  readonly dtype: Dtype
  readonly left: ReadonlyArray<Left>
  readonly elements: Int32Array
}

const elementsOf = (
  values: ReadonlyMap<number, Typed>,
  stretches: ReadonlyArray<number>,
  where: string,
): Elements | string => {
  const left: Left[] = []
  const elements: number[] = []
  let dtype: Dtype | null = null
  for (let s = 0; s < stretches.length; s += 3) {
    const [value, start, count] = [stretches[s]!, stretches[s + 1]!, stretches[s + 2]!]
    const computed = `${where} writes a value computed by other means than a matrix product`
    if (value < 0) return computed
    if (value === 0) return `${where} writes zeros beside data`
    const typed = values.get(value - 1)
    if (typed === undefined) return `${where} writes a value from nowhere`
    if (typed.terms._tag === 'other') return typed.terms.why
    const { cast, byte } = castOf(start)
    if (cast !== null && cast.from !== typed.dtype)
      return `${where} writes what was converted from ${cast.from} and is ${typed.dtype}`
    const own = cast?.to ?? typed.dtype
    if (dtype !== null && dtype !== own) return `${where} writes ${dtype} and ${own} side by side`
    dtype = own
    const width = bitsOf(own) / 8
    if (count % width !== 0 || byte % width !== 0) return `${where} writes a part of an element`
    for (let b = 0; b < count; b += width) {
      left.push(typed)
      elements.push((byte + b) / width)
    }
  }
  return dtype === null ? `${where} writes nothing` : { dtype, left, elements: Int32Array.from(elements) }
}

/** What a write of words leaves: its elements with their terms. */
export const put = (
  m: Memory,
  values: ReadonlyMap<number, Typed>,
  f: Footprint,
  stretches: ReadonlyArray<number>,
  site: number,
): { readonly footprint: Footprint; readonly terms: Terms } => {
  const { length } = stretches
  if (length === 3 && stretches[0] === 0) return { footprint: ofTensor(m, f), terms: zero }
  const found = elementsOf(values, stretches, siteName(m, site))
  if (typeof found === 'string') return { footprint: ofTensor(m, f), terms: other(found) }
  const footprint = retyped(f, found.dtype)
  return footprint === null
    ? {
        footprint: ofTensor(m, f),
        terms: other(`${siteName(m, site)} writes elements of ${found.dtype} in pieces`),
      }
    : { footprint, terms: gather(m, found.left, found.elements) }
}
