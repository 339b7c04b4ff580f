/**
 * What an array holds after so many steps of a run: the elements as numbers, and where each of them lies.
 *
 * A window of it, as a matrix: rows are all dimensions but the last. The address of an element before the swizzle and after it is its way through memory;
 * the bank, the row of 128 bytes and the lane of tensor memory follow from that alone, and who draws them counts.
 *
 * Laws
 *  1. a value is what the machine would read at the element's address
 *  2. the arrays are those that a recording has as buffers, the tensors of global memory, and the registers that a program declares
 */
import { decoder } from '../../numerics/float-format.js'
import { isFloat, type Dtype } from '../../numerics/dtype.js'
import { addressesInByte, cells } from '../../semantics/machine/cells.js'
import * as Plane from '../../semantics/machine/plane.js'
import type { Machine } from '../../semantics/machine/state.js'
import type { World } from '../../semantics/machine/world.js'
import {
  byteOffsets,
  elementOffsets,
  strideBits,
  swizzledAddresses,
  type TransformedRef,
} from '../../transforms/ref.js'

/** An array, wherever it is. */
export interface Place {
  readonly name: string
  readonly space: 'gmem' | 'smem' | 'tmem' | 'regs'
  /** null: it is in no CTA */
  readonly cta: number | null
  readonly dtype: Dtype
  readonly shape: ReadonlyArray<number>
}

interface Placed {
  readonly place: Place
  readonly plane: number
  readonly offset: number
  readonly layout: TransformedRef
}

export interface Values extends Place {
  readonly schema: 'tcspec.values/1'
  readonly kernel: string
  /** steps that have happened */
  readonly at: number
  /** the first row and column that are shown, and how many of each */
  readonly window: {
    readonly row: number
    readonly column: number
    readonly rows: number
    readonly columns: number
  }
  /** row by row; a word is no finite number. Empty: the run keeps no data */
  readonly values: ReadonlyArray<number | string>
  /** by element: its byte in the memory of its CTA, or in its tensor */
  readonly bytes: ReadonlyArray<number>
  /** the same before the swizzle, where there is one */
  readonly unswizzled: ReadonlyArray<number> | null
  /** bytes that the swizzle spans; 16: none */
  readonly swizzle: number
  /** levels of the tiling, outermost first: the extents of a tile */
  readonly tiles: ReadonlyArray<ReadonlyArray<number>>
  readonly places: ReadonlyArray<Place>
}

/** Rows and columns of a window. */
export const mostRows = 256
export const mostColumns = 256

// ---------------------------------------------------------------- arrays

const placedIn = (world: World): ReadonlyArray<Placed> => {
  const tensors = [...world.tensors.values()].map(({ name, dtype, plane, layout, shape }): Placed => ({
    place: { name, space: 'gmem', cta: null, dtype, shape },
    plane,
    offset: 0,
    layout,
  }))
  const storages = Array.from({ length: world.ctas * world.resident }, (_, cta) =>
    [...world.storages.values()].flatMap(({ id, space, contents, plane, offset }): ReadonlyArray<Placed> =>
      space === 'gmem' || contents._tag !== 'elements'
        ? []
        : [
            {
              place: { name: id, space, cta, dtype: contents.dtype, shape: contents.layout.shape },
              plane: plane + cta * world.planesPerCta,
              offset,
              layout: contents.layout,
            },
          ],
    ),
  )
  return [...storages.flat(), ...tensors]
}

/** What an array is asked for by: its name, and its CTA where that is not the first. */
export const placeName = ({ name, cta }: Place): string =>
  cta === null || cta === 0 ? name : `${name}@${String(cta)}`

export const placesOf = (world: World): ReadonlyArray<Place> => placedIn(world).map(({ place }) => place)

// ---------------------------------------------------------------- elements

const product = (xs: ReadonlyArray<number>): number => xs.reduce((n, x) => n * x, 1)

/** Addresses as cells count them, of bytes and what is left of one: elements of 4 or 6 bits share bytes. */
const cellAddresses = (dtype: Dtype, layout: TransformedRef, bytes: Int32Array): Int32Array => {
  const parts = addressesInByte(dtype)
  if (parts === 1) return bytes
  const units = elementOffsets(layout)
  const unit = strideBits(layout.bits)
  return bytes.map((byte, i) => byte * parts + (((units[i]! * unit) % 8) * parts) / 8)
}

/** A number as JSON writes it, or its name. */
const named = (x: number): number | string => (Number.isFinite(x) ? x : String(x))

/** The rows and columns from here on, as many as are shown. */
const windowOf = (shape: ReadonlyArray<number>, row: number, column: number): Values['window'] => {
  const columns = shape.at(-1) ?? 1
  const rows = product(shape) / columns
  const from = (at: number, of: number): number => Math.max(0, Math.min(at, of - 1))
  return {
    row: from(row, rows),
    column: from(column, columns),
    rows: Math.min(mostRows, rows - from(row, rows)),
    columns: Math.min(mostColumns, columns - from(column, columns)),
  }
}

/** What the array of this name holds; null: there is none. */
export const valuesOf = (
  { world, machine }: { readonly world: World; readonly machine: Machine },
  kernel: string,
  at: number,
  name: string,
  corner: { readonly row: number; readonly column: number },
): Values | null => {
  const all = placedIn(world)
  const found = all.find(({ place }) => placeName(place) === name)
  if (found === undefined) return null
  const { place, plane, offset, layout } = found
  const { dtype, shape } = place
  const window = windowOf(shape, corner.row, corner.column)
  const columns = shape.at(-1) ?? 1
  const places = Array.from(
    { length: window.rows * window.columns },
    (_, i) => (window.row + Math.floor(i / window.columns)) * columns + window.column + (i % window.columns),
  )
  const linear = byteOffsets(layout).map((byte) => byte + offset)
  const bytes = swizzledAddresses(layout, offset)
  const addresses = cellAddresses(dtype, layout, bytes)
  const { data } = Plane.read(
    machine.planes[plane]!,
    cells(
      dtype,
      Int32Array.from(places, (i) => addresses[i]!),
    ),
  )
  const read = isFloat(dtype) && world.algebra.name === 'bits' ? decoder(dtype) : (x: number): number => x
  return {
    schema: 'tcspec.values/1',
    kernel,
    at,
    name: place.name,
    space: place.space,
    cta: place.cta,
    dtype,
    shape,
    window,
    values: data === null ? [] : Array.from(data, (x) => named(read(x))),
    bytes: places.map((i) => bytes[i]!),
    unswizzled: layout.swizzle !== 16 ? places.map((i) => linear[i]!) : null,
    swizzle: layout.swizzle,
    tiles: layout.tiling.map((tile) => [...tile]),
    places: all.map((p) => p.place),
  }
}
