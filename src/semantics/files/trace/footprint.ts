/**
 * Footprints in a trace: each is written out once, with a number, and named by that number from then on.
 *
 * | written   | says                                      | meaning                                                            |
 * |-----------|-------------------------------------------|--------------------------------------------------------------------|
 * | `view`    | layout number, base                       | a layout at a base; `define` gives the layout at its first use     |
 * | `scatter` | shape, addresses                          | one byte address an element, -1 where there is none                |
 * | `spans`   | [[start, bytes], ...] and perhaps a dtype | bytes in ascending order: all that a foreign producer needs to say |
 * | a number  |                                           | the footprint that had this `id`                                   |
 *
 * A reader has to make of it what the machine had: one object for one place. It believes neither numbers nor sizes: bytes must lie in their
 * plane, and are counted before they are listed.
 *
 * Laws
 * 1. Reading what was written gives a footprint that is equal in plane, dtype, map and spans, and one object where it was one.
 * 2. What is refused is refused before anything as large as it says is made.
 */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { bitsOf, type Dtype } from '../../../numerics/dtype.js'
import type { TransformedRef } from '../../../transforms/ref.js'
import * as Ref from '../../../transforms/ref.js'
import { showShape, sizeOf } from '../../../transforms/shape.js'
import {
  define,
  described,
  either,
  integer,
  list,
  nat,
  oneOf,
  pair,
  record,
  tagged,
  type Wire,
} from '../../../wire.js'
import { dtypeWire, refWire } from '../codec.js'
import { mostElements } from '../../language/limits.js'
import type { Footprint, Header } from '../../log/events.js'
import { addressesIn, endOf, startOf } from '../../log/events.js'
import * as Footprints from '../../machine/footprint.js'
import { addressesInByte, bytesOf, firstByteAt, isPacked, lastByteAt } from '../../machine/plane.js'
import { wrong, type Fault } from './error.js'

// ---------------------------------------------------------------- model

interface WrittenView {
  readonly _tag: 'view'
  readonly id: number
  readonly plane: number
  readonly dtype: Dtype
  readonly layout: number
  readonly base: number
  readonly define?: TransformedRef
}
interface WrittenScatter {
  readonly _tag: 'scatter'
  readonly id: number
  readonly plane: number
  readonly dtype: Dtype
  readonly shape: ReadonlyArray<number>
  readonly addresses: ReadonlyArray<number>
}
interface WrittenSpans {
  readonly _tag: 'spans'
  readonly id?: number
  readonly plane: number
  readonly dtype?: Dtype
  readonly spans: ReadonlyArray<readonly [start: number, bytes: number]>
}
type WholeFootprint = WrittenView | WrittenScatter | WrittenSpans
export type WrittenFootprint = number | WholeFootprint

// ---------------------------------------------------------------- form

const nats: Wire<ReadonlyArray<number>> = list(nat)

const tag = <T extends string>(name: T): Wire<T> => described(oneOf(name), 'which form this is')
const id: Wire<number> = described(nat, 'its number, which later events use')
const plane: Wire<number> = described(nat, 'index of the memory in the header')
/** The type of elements. */
export const dtype: Wire<Dtype> = described(dtypeWire, 'type of the elements')

export const footprintWire: Wire<WrittenFootprint> = define('Footprint', () =>
  either(
    'the number of a footprint, or a footprint',
    nat,
    tagged<WholeFootprint>()('a footprint', {
      view: record<WrittenView>()(
        'a view',
        {
          _tag: tag('view'),
          id,
          plane,
          dtype,
          layout: described(nat, 'number of the layout'),
          base: described(nat, 'its offset in the memory, in bytes'),
        },
        { define: described(refWire, 'the layout, if its number is new') },
      ),
      scatter: record<WrittenScatter>()(
        'a scatter',
        {
          _tag: tag('scatter'),
          id,
          plane,
          dtype,
          shape: described(nats, 'extent of every dimension'),
          addresses: described(list(integer), 'a byte address for each element, -1 where there is none'),
        },
        {},
      ),
      spans: record<WrittenSpans>()(
        'spans',
        {
          _tag: tag('spans'),
          plane,
          spans: described(list(pair(nat)), 'intervals [start, bytes], in ascending order'),
        },
        { id, dtype: described(dtypeWire, 'type of the elements; absent: bytes') },
      ),
    }),
  ),
)

// ---------------------------------------------------------------- writing

/** The numbers given so far. */
export interface Numbering {
  readonly layouts: Map<string, number>
  readonly known: WeakMap<TransformedRef, number>
  readonly footprints: Map<number, number>
}

export const numbering = (): Numbering => ({
  layouts: new Map(),
  known: new WeakMap(),
  footprints: new Map(),
})

const writeView = (
  n: Numbering,
  id: number,
  f: Footprint,
  layout: TransformedRef,
  base: number,
): WrittenView => {
  const known = n.known.get(layout)
  if (known !== undefined) return { _tag: 'view', id, plane: f.plane, dtype: f.dtype, layout: known, base }
  const key = JSON.stringify(layout)
  const equal = n.layouts.get(key)
  const number = equal ?? n.layouts.size
  n.layouts.set(key, number)
  n.known.set(layout, number)
  return equal === undefined
    ? { _tag: 'view', id, plane: f.plane, dtype: f.dtype, layout: number, base, define: layout }
    : { _tag: 'view', id, plane: f.plane, dtype: f.dtype, layout: number, base }
}

export const writeFootprint = (n: Numbering, f: Footprint): WrittenFootprint => {
  const known = n.footprints.get(f.id)
  if (known !== undefined) return known
  const id = n.footprints.size
  n.footprints.set(f.id, id)
  return f.map._tag === 'view'
    ? writeView(n, id, f, f.map.layout, f.map.base)
    : {
        _tag: 'scatter',
        id,
        plane: f.plane,
        dtype: f.dtype,
        shape: f.map.shape,
        addresses: [...addressesIn(f.map)],
      }
}

// ---------------------------------------------------------------- reading

/** The footprints that were read so far, and how many elements were listed for them. */
export interface Known {
  readonly header: Header
  readonly layouts: Map<number, TransformedRef>
  readonly footprints: Map<number, Footprint>
  readonly store: Footprints.Footprints
  elements: number
}

export const known = (header: Header): Known => ({
  header,
  layouts: new Map(),
  footprints: new Map(),
  store: Footprints.footprints(),
  elements: 0,
})

/**
 * Elements that few words list: a quarter of a gigabyte. Views of one layout share a list wherever they are, and an address for each element is as long as
 * its line, so this bounds what a short trace asks for and not how long a trace may be.
 */
const mostListed = 2 ** 26

const layoutOf = (k: Known, f: WrittenView): E.Either<Fault, TransformedRef> => {
  const before = k.layouts.get(f.layout)
  if (f.define !== undefined) {
    if (before !== undefined && !Ref.sameRef(before, f.define))
      return wrong(
        'trace.reference',
        '$.footprint.define',
        `layout ${String(f.layout)} as it was defined before`,
        'another',
      )
    k.layouts.set(f.layout, before ?? f.define)
    return E.right(before ?? f.define)
  }
  return before === undefined
    ? wrong('trace.reference', '$.footprint.layout', 'a layout that was defined before', f.layout)
    : E.right(before)
}

const few = (field: string, elements: number): E.Either<Fault, null> =>
  elements <= mostElements
    ? E.right(null)
    : wrong('trace.size', field, `at most ${String(mostElements)} elements in an access`, elements)

/** So many elements are listed, if there is room for them. */
const count = (k: Known, field: string, elements: number): E.Either<Fault, null> => {
  const small = few(field, elements)
  if (E.isLeft(small)) return small
  k.elements += elements
  return k.elements <= mostListed
    ? E.right(null)
    : wrong(
        'trace.size',
        field,
        `at most ${String(mostListed)} elements in all spans and layouts together`,
        k.elements,
      )
}

const inside = (
  k: Known,
  plane: number,
  field: string,
  start: number,
  end: number,
): E.Either<Fault, null> => {
  const p = k.header.planes[plane]!
  return start >= 0 && end <= p.bytes
    ? E.right(null)
    : wrong(
        'trace.reference',
        field,
        `bytes inside of ${p.name}, which has ${String(p.bytes)}`,
        `byte ${String(start < 0 ? start : end)}`,
      )
}

/** Bytes become elements of their dtype (of bytes, when there is none), one address each. */
const ofSpans = (k: Known, f: WrittenSpans): E.Either<Fault, Footprint> => {
  const dtype = f.dtype ?? 'u8'
  const perByte = addressesInByte(dtype)
  // the least bytes that whole elements fill, how many these are, and their addresses apart
  const width = perByte === 4 ? 3 : bytesOf(dtype)
  const several = perByte === 1 ? 1 : perByte === 2 ? 2 : 4
  const step = perByte === 1 ? width : (bitsOf(dtype) * perByte) / 8
  let end = -1
  let elements = 0
  for (const [n, [start, bytes]] of f.spans.entries()) {
    const field = `$.footprint.spans[${String(n)}]`
    if (start <= end) return wrong('trace.reference', field, `a start after byte ${String(end)}`, start)
    if (bytes === 0 || bytes % width !== 0)
      return wrong(
        'trace.reference',
        field,
        `a positive multiple of ${String(width)} bytes (${dtype})`,
        bytes,
      )
    end = start + bytes
    elements += (bytes / width) * several
    const there = inside(k, f.plane, '$.footprint', start, end)
    if (E.isLeft(there)) return there
  }
  const counted = count(k, '$.footprint.spans', elements)
  if (E.isLeft(counted)) return counted
  const addresses = new Int32Array(elements)
  let at = 0
  for (const [start, bytes] of f.spans)
    for (let a = start * perByte; a < (start + bytes) * perByte; a += step) addresses[at++] = a
  return E.right(Footprints.ofAddresses(k.store, f.plane, dtype, [elements], addresses).footprint)
}

const ofScatter = (k: Known, f: WrittenScatter): E.Either<Fault, Footprint> => {
  const elements = sizeOf(f.shape)
  if (f.addresses.length !== elements)
    return wrong(
      'trace.reference',
      '$.footprint.addresses',
      `${String(elements)} of them for shape ${showShape(f.shape)}`,
      f.addresses.length,
    )
  const width = bytesOf(f.dtype)
  for (const [n, address] of f.addresses.entries()) {
    const byte = firstByteAt(f.dtype, address)
    const end = isPacked(f.dtype) ? lastByteAt(f.dtype, address) + 1 : byte + width
    const there =
      address === -1 ? E.right(null) : inside(k, f.plane, `$.footprint.addresses[${String(n)}]`, byte, end)
    if (E.isLeft(there)) return there
  }
  return pipe(
    few('$.footprint.addresses', elements),
    E.map(
      () =>
        Footprints.ofAddresses(k.store, f.plane, f.dtype, f.shape, Int32Array.from(f.addresses)).footprint,
    ),
  )
}

const ofView = (k: Known, f: WrittenView): E.Either<Fault, Footprint> =>
  pipe(
    layoutOf(k, f),
    E.chain((layout) => {
      if (layout.bits !== bitsOf(f.dtype))
        return wrong(
          'trace.reference',
          '$.footprint.dtype',
          `${String(layout.bits)} bits as in the layout`,
          f.dtype,
        )
      const start = f.base + layout.byteOffset
      return pipe(
        inside(k, f.plane, '$.footprint', start, start + Ref.extentBytes(layout)),
        E.chain(() =>
          Footprints.isPlaced(layout, f.base)
            ? E.right(null)
            : count(k, '$.footprint.layout', sizeOf(layout.shape)),
        ),
        E.map(() => Footprints.ofLayout(k.store, f.plane, f.dtype, layout, f.base).footprint),
      )
    }),
  )

const whole = (k: Known, f: WholeFootprint): E.Either<Fault, Footprint> => {
  switch (f._tag) {
    case 'spans':
      return ofSpans(k, f)
    case 'scatter':
      return ofScatter(k, f)
    case 'view':
      return ofView(k, f)
  }
}

/** What a written footprint stands for. */
export const readFootprint = (k: Known, f: WrittenFootprint): E.Either<Fault, Footprint> => {
  if (typeof f === 'number') {
    const before = k.footprints.get(f)
    return before === undefined
      ? wrong('trace.reference', '$.footprint', 'a footprint seen before', f)
      : E.right(before)
  }
  if (f.plane >= k.header.planes.length)
    return wrong(
      'trace.reference',
      '$.footprint.plane',
      `one of ${String(k.header.planes.length)} planes of the header`,
      f.plane,
    )
  return pipe(
    whole(k, f),
    E.chain((made) => {
      const there = inside(k, f.plane, '$.footprint', startOf(made.spans), endOf(made.spans))
      if (E.isLeft(there)) return there
      if (f.id !== undefined) {
        const before = k.footprints.get(f.id)
        if (before !== undefined && before !== made)
          return wrong('trace.reference', '$.footprint.id', 'a number that is not in use', f.id)
        k.footprints.set(f.id, made)
      }
      return E.right(made)
    }),
  )
}
