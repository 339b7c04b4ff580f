/**
 * Footprints, interned: one object for one place, and its bytes listed once.
 *
 * The same view at the same base is one `Elements` object for the whole run, and footprints are compared as numbers. Spans and element addresses are
 * listed once for a layout, as long as its program lives; a view elsewhere has the same lists and another origin. So have elements at given addresses: the
 * lanes of a warp that write a row of words each time write them in one *pattern*, at another base. The store grows while a run uses it; nothing but speed
 * and the numbers of the footprints depends on it.
 *
 *     words at 64 72 80 88, at 96 104 112 120     one pattern, 0 8 16 24, at 64 and at 96
 *     words at 64 72 -1 88                        a pattern of its own, at 0: what is nowhere has no base
 *
 * Laws (plain: the addresses of the layout at the base, and their spans, listed anew at every access)
 * 1. Equal (plane, dtype, layout, base), and equal (plane, dtype, shape, addresses), give the identical object; different ones give different numbers.
 * 2. `ofInstruction` is `make()`, of the first call with this instruction and these words.
 * 3. `addressesOf` of it are `layoutAddresses` of the layout at the base, or the addresses that were given; its spans are `spansAt` of these.
 * 4. A store made for a program answers as one of its own, and what was listed for an earlier one is not listed again.
 * 5. `ofKept` is `ofAddresses`, of a list that is never written again.
 * 6. `ofStarts` is `ofAddresses` of `count` addresses from each start on, `bytes` apart.
 */
import { dtypes, type Dtype } from '../../../numerics/dtype.js'
import * as Ref from '../../../transforms/ref.js'
import type { Footprint, Map as PlaceMap, Spans } from '../../log/events.js'
import { layoutAddresses, spansAt } from '../addresses.js'
import { addressesInByte } from '../cells.js'
import type { Elements } from '../elements.js'
import { remembered, rememberedBy } from '../../../remembered.js'

export interface Footprints {
  /** by plane and dtype and layout, then by base */
  readonly byBase: Map<number, Map<number, Elements>>
  /** by a hash of how they lie */
  readonly patterns: Map<number, Pattern[]>
  readonly listed: Map<number, Lying[]>
  readonly layouts: Map<string, number>
  readonly layoutIds: WeakMap<Ref.TransformedRef, number>
  /** what an instruction of a program came to, by words that say all of it beside the instruction */
  readonly byInstruction: WeakMap<object, Map<string, Elements>>
  readonly count: { footprints: number }
}

/** Elements at addresses of their own, as they lie from the least of them on. */
interface Lying {
  readonly dtype: Dtype
  readonly shape: ReadonlyArray<number>
  readonly offsets: Int32Array
  readonly spans: Int32Array
  readonly hash: number
}
interface Pattern {
  readonly lying: Lying
  /** by plane, then by base */
  readonly at: Map<number, Map<number, Elements>>
}

const listedFor = remembered<object, Map<number, Lying[]>>(() => new Map())

/** `program`: what is listed serves all its runs; null: this store alone. */
export const footprints = (program: object | null = null): Footprints => ({
  byBase: new Map(),
  patterns: new Map(),
  listed: program === null ? new Map() : listedFor(program),
  layouts: new Map(),
  layoutIds: new WeakMap(),
  byInstruction: new WeakMap(),
  count: { footprints: 0 },
})

/** Equal layouts have equal numbers, whether or not they are one object. */
const layoutId = (store: Footprints, layout: Ref.TransformedRef): number => {
  const known = store.layoutIds.get(layout)
  if (known !== undefined) return known
  const key = JSON.stringify(layout)
  const id = store.layouts.get(key) ?? store.layouts.size
  store.layouts.set(key, id)
  store.layoutIds.set(layout, id)
  return id
}

const footprint = (
  store: Footprints,
  plane: number,
  spans: Spans,
  dtype: Dtype,
  map: PlaceMap,
): Footprint => ({
  id: store.count.footprints++,
  plane,
  spans,
  dtype,
  map,
})

/** A layout's bytes at the least base of a class: they move with the base as long as the swizzle's pattern does. */
export interface Placed {
  readonly spans: Int32Array
  readonly addresses: Int32Array
}
const placements = new WeakMap<Ref.TransformedRef, Map<number, Placed>>()

// what a launch computes from a program it computes again in the next one: equal layouts, but other objects
const layoutsOf = rememberedBy<object, string, Ref.TransformedRef>()
/** The first layout equal to this one that was made for a part of a program: what is remembered of it serves all runs of the program. */
export const asBefore = (part: object, layout: Ref.TransformedRef): Ref.TransformedRef =>
  layoutsOf(part, JSON.stringify(layout), () => layout)

/** A swizzle repeats after so many bytes: a view that is moved by them has the same bytes, moved. */
const phaseOf = (layout: Ref.TransformedRef, base: number): number => {
  const period = layout.swizzle === 16 ? 1 : 8 * layout.swizzle
  return ((base % period) + period) % period
}

/** Have the bytes of a layout been listed already, for this base or one of its class? */
export const isPlaced = (layout: Ref.TransformedRef, base: number): boolean =>
  placements.get(layout)?.has(phaseOf(layout, base)) === true

/** The bytes of a layout at `base`: those of its class, moved by `by`. */
export const placedAt = (
  layout: Ref.TransformedRef,
  base: number,
): { readonly placed: Placed; readonly by: number } => {
  const phase = phaseOf(layout, base)
  const known = placements.get(layout) ?? new Map<number, Placed>()
  if (!placements.has(layout)) placements.set(layout, known)
  const first = known.get(phase) ?? {
    spans: flat(Ref.spans(layout, phase)),
    addresses: layoutAddresses(layout, phase),
  }
  known.set(phase, first)
  return { placed: first, by: base - phase }
}

/** Addresses of the elements, as offsets that footprints of one shape share, from an origin. A scattered element that is not there is -1. */
export const offsetsIn = (f: Footprint): readonly [Int32Array, origin: number] => {
  if (f.map._tag === 'scatter') return [f.map.offsets, f.map.by]
  const { placed, by } = placedAt(f.map.layout, f.map.base)
  return [placed.addresses, by]
}

/** How many elements, of which some may be nowhere. */
export const elementsIn = (f: Footprint): number => offsetsIn(f)[0].length

/** Each element of a footprint that is somewhere, and its address. */
export const forEachAddress = (f: Footprint, visit: (address: number, element: number) => void): void => {
  const [offsets, origin] = offsetsIn(f)
  for (let e = 0; e < offsets.length; e++) if (offsets[e]! + origin >= 0) visit(offsets[e]! + origin, e)
}

const flat = (spans: ReadonlyArray<Ref.Span>): Int32Array =>
  Int32Array.from(spans.flatMap(([s, n]) => [s, s + n]))

/** Plane, dtype and layout as one number. */
const kindOf = (store: Footprints, plane: number, dtype: Dtype, layout: Ref.TransformedRef): number =>
  (layoutId(store, layout) * 2 ** 20 + plane) * 32 + dtypes.indexOf(dtype)

/** What `ofLayout` has made before. */
export const known = (
  store: Footprints,
  plane: number,
  dtype: Dtype,
  layout: Ref.TransformedRef,
  base: number,
): Elements | undefined => store.byBase.get(kindOf(store, plane, dtype, layout))?.get(base)

/** Elements of a layout at a base address of a plane. */
export const ofLayout = (
  store: Footprints,
  plane: number,
  dtype: Dtype,
  layout: Ref.TransformedRef,
  base: number,
): Elements => {
  const kind = kindOf(store, plane, dtype, layout)
  let bases = store.byBase.get(kind)
  if (bases === undefined) {
    bases = new Map()
    store.byBase.set(kind, bases)
  }
  const before = bases.get(base)
  if (before !== undefined) return before
  const { placed, by } = placedAt(layout, base)
  const made: Elements = {
    footprint: footprint(store, plane, { list: placed.spans, by }, dtype, { _tag: 'view', layout, base }),
    plane,
    dtype,
    shape: layout.shape,
    offsets: placed.addresses,
    origin: by * addressesInByte(dtype),
  }
  bases.set(base, made)
  return made
}

/** Elements at given addresses, in row-major order of `shape`; a negative address is an element that is not accessed. */
export const ofAddresses = (
  store: Footprints,
  plane: number,
  dtype: Dtype,
  shape: ReadonlyArray<number>,
  addresses: Int32Array,
): Elements => patterned(store, plane, dtype, shape, addresses, 0, 1)

/** How addresses lie that a program keeps for all its runs: from which base on. */
interface Kept {
  readonly base: number
  readonly lying: Lying
}
const keptBefore = new WeakMap<Int32Array, Kept>()

/** `ofAddresses` of a list that is never written again: a program keeps it, so how it lies is asked once and not in each launch. */
export const ofKept = (
  store: Footprints,
  plane: number,
  dtype: Dtype,
  shape: ReadonlyArray<number>,
  addresses: Int32Array,
): Elements => {
  const before = keptBefore.get(addresses)
  if (before?.lying.dtype === dtype && sameNumbers(before.lying.shape, shape)) {
    const { base, lying: own } = before
    const bucket = store.patterns.get(own.hash)
    const pattern = bucket?.find((x) => x.lying === own)
    if (pattern !== undefined) return elementsAt(store, plane, pattern, base)
    if (bucket === undefined) return elementsAt(store, plane, begun(store, own), base)
  }
  const base = baseOf(dtype, addresses)
  const pattern = patternOf(store, dtype, shape, addresses, base, 0, 1)
  keptBefore.set(addresses, { base, lying: pattern.lying })
  return elementsAt(store, plane, pattern, base)
}

/** `count` elements from each of these bytes on, `bytes` apart; of a negative start, elements that are not accessed. */
export const ofStarts = (
  store: Footprints,
  plane: number,
  dtype: Dtype,
  starts: ReadonlyArray<number>,
  bytes: number,
  count: number,
): Elements =>
  patterned(store, plane, dtype, count === 1 ? [starts.length] : [starts.length, count], starts, bytes, count)

const patterned = (
  store: Footprints,
  plane: number,
  dtype: Dtype,
  shape: ReadonlyArray<number>,
  starts: ArrayLike<number>,
  step: number,
  count: number,
): Elements => {
  const base = baseOf(dtype, starts)
  return elementsAt(store, plane, patternOf(store, dtype, shape, starts, base, step, count), base)
}

/** A pattern that the store has not had. */
const begun = (store: Footprints, own: Lying): Pattern => {
  const pattern: Pattern = { lying: own, at: new Map() }
  const bucket = store.patterns.get(own.hash) ?? []
  store.patterns.set(own.hash, bucket)
  bucket.push(pattern)
  return pattern
}

const patternOf = (
  store: Footprints,
  dtype: Dtype,
  shape: ReadonlyArray<number>,
  starts: ArrayLike<number>,
  base: number,
  step: number,
  count: number,
): Pattern => {
  const hash = hashOf(starts, base, step, count)
  const bucket = store.patterns.get(hash) ?? []
  for (const pattern of bucket)
    if (lies(pattern.lying, dtype, shape, starts, base, step, count)) return pattern
  return begun(store, lying(store, hash, dtype, shape, starts, base, step, count))
}

/** The elements of a pattern at a base. */
const elementsAt = (store: Footprints, plane: number, pattern: Pattern, base: number): Elements => {
  let bases = pattern.at.get(plane)
  if (bases === undefined) {
    bases = new Map()
    pattern.at.set(plane, bases)
  }
  const known = bases.get(base)
  if (known !== undefined) return known
  const { dtype, offsets, spans, shape: own } = pattern.lying
  const made: Elements = {
    footprint: footprint(store, plane, { list: spans, by: base / addressesInByte(dtype) }, dtype, {
      _tag: 'scatter',
      shape: own,
      offsets,
      by: base,
    }),
    plane,
    dtype,
    shape: own,
    offsets,
    origin: base,
  }
  bases.set(base, made)
  return made
}

/** Most hashes of what is listed for all runs of a program: where elements lie at random, every run would leave its own. */
const mostListed = 1 << 14

const lying = (
  store: Footprints,
  hash: number,
  dtype: Dtype,
  shape: ReadonlyArray<number>,
  starts: ArrayLike<number>,
  base: number,
  step: number,
  count: number,
): Lying => {
  const before = store.listed.get(hash) ?? []
  for (const x of before) if (lies(x, dtype, shape, starts, base, step, count)) return x
  const offsets = new Int32Array(starts.length * count)
  for (let i = 0; i < starts.length; i++)
    for (let k = 0; k < count; k++) offsets[i * count + k] = offsetOf(starts[i]!, base, k * step)
  const made: Lying = { dtype, shape, offsets, spans: spansAt(dtype, offsets), hash }
  before.push(made)
  if (store.listed.size < mostListed) store.listed.set(hash, before)
  return made
}

/** What is nowhere stays there. */
const offsetOf = (start: number, base: number, by: number): number => (start < 0 ? start : start - base + by)

/** The least address, of a whole byte; 0 where one is nowhere. */
const baseOf = (dtype: Dtype, addresses: ArrayLike<number>): number => {
  if (addresses.length === 0) return 0
  let least = addresses[0]!
  for (let i = 1; i < addresses.length; i++) if (addresses[i]! < least) least = addresses[i]!
  return least < 0 ? 0 : least - (least % addressesInByte(dtype))
}

/** What `make` answered for this instruction and these words before; a fault is made anew. */
export const ofInstruction = <F extends object>(
  store: Footprints,
  instruction: object,
  words: string,
  make: () => Elements | F,
): Elements | F => {
  let own = store.byInstruction.get(instruction)
  if (own === undefined) {
    own = new Map()
    store.byInstruction.set(instruction, own)
  }
  const known = own.get(words)
  if (known !== undefined) return known
  const made = make()
  if ('footprint' in made) own.set(words, made)
  return made
}

const hashOf = (starts: ArrayLike<number>, base: number, step: number, count: number): number => {
  let h = 0x811c9dc5
  for (let i = 0; i < starts.length; i++) {
    const start = starts[i]!
    for (let k = 0; k < count; k++) h = Math.imul(h ^ offsetOf(start, base, k * step), 0x01000193)
  }
  return h
}
const lies = (
  { dtype: own, shape: extents, offsets }: Lying,
  dtype: Dtype,
  shape: ReadonlyArray<number>,
  starts: ArrayLike<number>,
  base: number,
  step: number,
  count: number,
): boolean => {
  if (own !== dtype || offsets.length !== starts.length * count || !sameNumbers(extents, shape)) return false
  for (let i = 0, at = 0; i < starts.length; i++) {
    const start = starts[i]!
    for (let k = 0; k < count; k++) if (offsets[at++] !== offsetOf(start, base, k * step)) return false
  }
  return true
}
const sameNumbers = (a: ReadonlyArray<number>, b: ReadonlyArray<number>): boolean => {
  if (a.length !== b.length) return false
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false
  return true
}
