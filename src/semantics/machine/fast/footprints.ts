/**
 * Footprints, interned: one object for one place, and its bytes listed once.
 *
 * The same view at the same base is one `Elements` object for the whole run, and footprints are compared as numbers. Spans and element addresses are
 * listed once for a layout, as long as its program lives; a view elsewhere has the same lists and another origin. The store grows while a run uses it;
 * nothing but speed and the numbers of the footprints depends on it.
 *
 * Laws (plain: the addresses of the layout at the base, and their spans, listed anew at every access)
 * 1. Equal (plane, dtype, layout, base), and equal (plane, dtype, shape, addresses), give the identical object; different ones give different numbers.
 * 2. `ofInstruction` is `make()`, of the first call with this instruction and these words.
 * 3. `addressesOf` of it are `layoutAddresses` of the layout at the base, or the addresses that were given; its spans are `spansAt` of these.
 */
import { dtypes, type Dtype } from '../../../numerics/dtype.js'
import * as Ref from '../../../transforms/ref.js'
import { asSpans, type Footprint, type Map as PlaceMap, type Spans } from '../../log/events.js'
import { layoutAddresses, spansAt } from '../addresses.js'
import { addressesInByte } from '../cells.js'
import type { Elements } from '../elements.js'
import { rememberedBy } from '../../../remembered.js'

export interface Footprints {
  /** by plane and dtype and layout, then by base */
  readonly byBase: Map<number, Map<number, Elements>>
  /** by a hash of the addresses */
  readonly scattered: Map<string, ReadonlyArray<Elements>>
  readonly layouts: Map<string, number>
  readonly layoutIds: WeakMap<Ref.TransformedRef, number>
  /** what an instruction of a program came to, by words that say all of it beside the instruction */
  readonly byInstruction: WeakMap<object, Map<string, Elements>>
  readonly count: { footprints: number }
}

export const footprints = (): Footprints => ({
  byBase: new Map(),
  scattered: new Map(),
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
): Elements => {
  const key = `${String(plane)}/${dtype}/@${shape.join()}/${String(hashOf(addresses))}`
  const bucket = store.scattered.get(key) ?? []
  const known = bucket.find((e) => sameAddresses(e.offsets, addresses))
  if (known !== undefined) return known
  const made: Elements = {
    footprint: footprint(store, plane, asSpans(spansAt(dtype, addresses)), dtype, {
      _tag: 'scatter',
      shape,
      addresses,
    }),
    plane,
    dtype,
    shape,
    offsets: addresses,
    origin: 0,
  }
  store.scattered.set(key, [...bucket, made])
  return made
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

const hashOf = (addresses: Int32Array): number => {
  let h = 0x811c9dc5
  for (let i = 0; i < addresses.length; i++) h = Math.imul(h ^ addresses[i]!, 0x01000193)
  return h
}
const sameAddresses = (a: Int32Array, b: Int32Array): boolean => {
  if (a.length !== b.length) return false
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false
  return true
}
