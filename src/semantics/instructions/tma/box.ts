/**
 * The two sides of a bulk tensor copy: elements of the tensor, and their image in shared memory.
 *
 * A descriptor sees a tensor with `dims` and `strides`, and a box in it; what a box is, where its image lies and what faults is said in
 * `layouts/shared-memory/box-image.ts`. Two kinds of instructions take elements of the tensor:
 *
 * | instruction             | elements of the tensor                             | image                                      |
 * |-------------------------|----------------------------------------------------|--------------------------------------------|
 * | load, store, reduce     | the box at the coordinates                         | the box                                    |
 * | gather, scatter         | four rows, anywhere, `box` columns from a column   | a box of four rows, in the order of the list |
 * | load, store, reduce in mode im2col | pixels of a window (`layouts/shared-memory/im2col.ts`) | a box of pixels and channels |
 *
 * Elements outside the tensor have no address: who reads them finds the fill, who writes them writes nothing.
 *
 * A gather of rows 5, 0, 9, 2 of an f16 tensor (8, 64), a box of (1, 16), column 16: the image has rows of 32 bytes; row 0 is tensor[5, 16:32],
 * row 2 is fill, for there is no row 9.
 *
 * Names: `cp.async.bulk.tensor` with `.tile`, `.tile::gather4`, `.tile::scatter4`, `.im2col` (PTX); `async_tma_gather` (Triton).
 *
 * Laws
 * 1. the image of every captured load and store, byte for byte; a fault wherever the capture has one.
 * 2. gathering rows r is loading the boxes (1, n) at rows r, one under the other.
 *
 * Source: PTX ISA, cp.async.bulk.tensor; CUDA driver API, tensor map; behaviour of tiles captured on an H100 (of gathers documented).
 */
import { addressesInByte } from '../../machine/plane.js'
import * as E from 'fp-ts/lib/Either.js'
import { bitsOf, isFloat } from '../../../numerics/dtype.js'
import type { Failure } from '../../../failure.js'
import * as Box from '../../../layouts/shared-memory/box-image.js'
import * as Im2col from '../../../layouts/shared-memory/im2col.js'
import * as Ref from '../../../transforms/ref.js'
import type { RefError } from '../../../transforms/ref.js'
import { elementsAt } from '../../machine/effect.js'
import { outOfFuel, spend } from '../../machine/effort.js'
import { remembered } from '../../../remembered.js'
import * as Footprint from '../../machine/footprint.js'
import type { Elements, Outside } from '../../machine/operation.js'
import * as V from '../../machine/value.js'
import type { DescriptorValue, FaultValue, ViewValue } from '../../machine/value.js'
import type { World } from '../../machine/world.js'

// ---------------------------------------------------------------- model

/** Rows of one message of a gather or a scatter. */
export const rowsOfMessage = 4

/** The columns of a map of columns of pixels; null: it has boxes. */
export const columnsOf = (
  d: Pick<DescriptorValue, 'dtype' | 'box' | 'elementStrides' | 'swizzle' | 'window'>,
): Im2col.Columns | null =>
  d.window === null
    ? null
    : {
        bits: bitsOf(d.dtype),
        pixels: d.box[0]!,
        channels: d.box[1]!,
        lower: d.window.lower,
        upper: d.window.upper,
        elementStrides: d.elementStrides,
        swizzle: d.swizzle,
      }

/** A box, and the bytes that a copy of it counts. */
interface Counted {
  readonly box: Box.Box
  readonly bytes: number
}
const counted = remembered((d: DescriptorValue): Counted => {
  const columns = columnsOf(d)
  const box: Box.Box =
    columns === null
      ? {
          bits: bitsOf(d.dtype),
          extents: d.box,
          elementStrides: d.elementStrides,
          swizzle: d.swizzle,
          padded: d.padded,
        }
      : Im2col.columnsBox(columns)
  return { box, bytes: Box.boxBytes(box) }
})
export const boxOf = (d: DescriptorValue): Box.Box => counted(d).box
export const boxBytesOf = (d: DescriptorValue): number => counted(d).bytes

/** What one message of a gather or a scatter fills or takes. */
export const messageOf = (d: DescriptorValue): Box.Box => ({
  bits: bitsOf(d.dtype),
  extents: [rowsOfMessage, d.box[1] ?? 1],
  elementStrides: [1, 1],
  swizzle: d.swizzle,
  padded: d.padded,
})

const faultOf = (
  field: string,
  d: DescriptorValue,
  e: Failure<Box.CopyError | Im2col.ColumnsCopyError>,
): FaultValue => V.fault(e.code === 'box.rank' ? 'type.mismatch' : 'A4', `${field}: ${d.name}: ${e.message}`)

// ---------------------------------------------------------------- checks

export const checkCoords = (
  d: DescriptorValue,
  coords: ReadonlyArray<number>,
  direction: Box.CopyDirection,
): FaultValue | null => {
  if (d.window !== null)
    return V.fault(
      'A4',
      `descriptor: ${d.name}: a copy of a box is through a map of boxes, found columns of pixels (im2col)`,
    )
  const checked = Box.checkCoordinates(boxOf(d), direction, coords)
  return E.isLeft(checked) ? faultOf('coords', d, checked.left) : null
}

/** A column of pixels that begins there, with the offsets of the copy, outermost first. */
export const checkColumn = (
  d: DescriptorValue,
  coords: ReadonlyArray<number>,
  offsets: ReadonlyArray<number>,
  direction: Box.CopyDirection,
): FaultValue | null => {
  const columns = columnsOf(d)
  if (columns === null)
    return V.fault(
      'A4',
      `descriptor: ${d.name}: a copy in mode im2col is through a map of columns of pixels, found boxes`,
    )
  const checked = Im2col.checkStart(columns, d.dims, direction, coords, offsets)
  return E.isLeft(checked) ? faultOf('coords', d, checked.left) : null
}

/** A map for gathers and scatters: a matrix, and boxes of one row. */
export const checkRowMap = (d: DescriptorValue): FaultValue | null =>
  d.box.length === 2 && d.box[0] === 1 && d.window === null
    ? null
    : V.fault(
        'A4',
        `descriptor: ${d.name}: rows are gathered and scattered through boxes (1, n) of a matrix, found (${d.box.join(', ')})`,
      )

// ---------------------------------------------------------------- the tensor's side

const bytesOf = (d: DescriptorValue): number => bitsOf(d.dtype) / 8

/** The elements of global memory under the box; those outside the tensor have no address. */
export const boxElements = (
  world: World,
  d: DescriptorValue,
  coords: ReadonlyArray<number>,
): Elements | FaultValue => {
  const box = boxOf(d)
  if (Box.isInside(box, d.dims, coords)) {
    const layout = tensorLayout(d)
    if (E.isLeft(layout)) return layout.left
    const base = d.base + coords.reduce((sum, c, i) => sum + c * d.strides[i]! * bytesOf(d), 0)
    return elementsAt(world, 'coords', d.plane, d.dtype, layout.right, base)
  }
  const addresses = Box.tensorOffsets(box, d.dims, d.strides, coords)
  return elementsThere(world, d, Box.boxShape(box), addresses)
}

/** The elements of global memory under a column of pixels; those outside the tensor have no address. */
export const columnElements = (
  world: World,
  d: DescriptorValue,
  coords: ReadonlyArray<number>,
  offsets: ReadonlyArray<number>,
): Elements | FaultValue => {
  const columns = columnsOf(d)
  return columns === null
    ? boxElements(world, d, coords)
    : elementsThere(world, d, d.box, Im2col.columnOffsets(columns, d.dims, d.strides, coords, offsets))
}

/** Elements of the tensor at those offsets; -1: outside. */
const elementsThere = (
  world: World,
  d: DescriptorValue,
  shape: ReadonlyArray<number>,
  offsets: Int32Array,
): Elements | FaultValue => {
  const bytes = bytesOf(d)
  for (let i = 0; i < offsets.length; i++)
    if (offsets[i]! >= 0) offsets[i] = (d.base + offsets[i]! * bytes) * addressesInByte(d.dtype)
  return spend(world.effort, offsets.length / 4)
    ? Footprint.ofAddresses(world.footprints, d.plane, d.dtype, shape, offsets)
    : outOfFuel
}

const tensorLayout = remembered((d: DescriptorValue): E.Either<FaultValue, Ref.TransformedRef> => {
  const box = boxOf(d)
  const steps = Box.elementSteps(box)
  const strides = d.strides.map((s, i) => s * steps[i]!)
  return layoutFor(d, Ref.ofStrides(Box.boxShape(box), box.bits, strides))
})

/** One object for all runs of the program whose box it is. */
const layoutFor = (
  d: DescriptorValue,
  made: E.Either<Failure<RefError>, Ref.TransformedRef>,
): E.Either<FaultValue, Ref.TransformedRef> =>
  E.isLeft(made)
    ? E.left(V.fault(made.left.code, made.left.message))
    : E.right(Footprint.asBefore(d.box, made.right))

/** Some rows of a matrix from a column on, as wide as the box. */
export const rowElements = (
  world: World,
  d: DescriptorValue,
  rows: ArrayLike<number>,
  column: number,
): Elements => {
  const columns = d.box[1]!
  const bytes = bytesOf(d)
  const perByte = addressesInByte(d.dtype)
  const addresses = new Int32Array(rows.length * columns)
  for (let r = 0, at = 0; r < rows.length; r++) {
    const row = rows[r]!
    const there = row >= 0 && row < d.dims[0]!
    for (let k = 0; k < columns; k++) {
      const c = column + k
      addresses[at++] =
        there && c >= 0 && c < d.dims[1]!
          ? (d.base + (row * d.strides[0]! + c * d.strides[1]!) * bytes) * perByte
          : -1
    }
  }
  return Footprint.ofAddresses(world.footprints, d.plane, d.dtype, [rows.length, columns], addresses)
}

/** What fills the elements outside the tensor. */
export const fillOf = (world: World, d: DescriptorValue): number => {
  if (!isFloat(d.dtype)) return 0
  if (d.fill === 'zero') return world.algebra.constant(d.dtype, 0)
  return world.algebra.fromBits(d.dtype, Box.nanFill(bitsOf(d.dtype) === 32 ? 32 : 16))
}

export const outsideOf = (d: DescriptorValue): Outside =>
  d.fill === 'zero' || !isFloat(d.dtype) ? 'zero' : 'other'

// ---------------------------------------------------------------- the image

const imageLayout = remembered((d: DescriptorValue) => layoutFor(d, Box.boxImage(boxOf(d))))
const storedLayout = remembered((d: DescriptorValue) => layoutFor(d, Box.boxImage(boxOf(d), 'store')))
const messageLayout = remembered((d: DescriptorValue) => layoutFor(d, Box.boxImage(messageOf(d))))
const storedMessage = remembered((d: DescriptorValue) => layoutFor(d, Box.boxImage(messageOf(d), 'store')))

/** A byte of a shared memory, where an image begins. */
export interface Start {
  readonly plane: number
  readonly at: number
}
export const startOf = (v: ViewValue): Start => ({ plane: v.plane, at: v.base + v.layout.byteOffset })

const placed = (
  world: World,
  d: DescriptorValue,
  start: Start,
  field: string,
  layout: E.Either<FaultValue, Ref.TransformedRef>,
  after: number,
): Elements | FaultValue => {
  const base = start.at + after
  const aligned = Box.checkSharedAddress(base)
  if (E.isLeft(aligned)) return faultOf(field, d, aligned.left)
  return E.isLeft(layout) ? layout.left : elementsAt(world, field, start.plane, d.dtype, layout.right, base)
}

/** The image of the box that begins there. */
export const boxImage = (
  world: World,
  d: DescriptorValue,
  start: Start,
  field: string,
  direction: Box.CopyDirection = 'load',
): Elements | FaultValue =>
  placed(world, d, start, field, direction === 'load' ? imageLayout(d) : storedLayout(d), 0)

/** The image of the rows of message `k` of a gather or a scatter. */
export const messageImage = (
  world: World,
  d: DescriptorValue,
  start: Start,
  field: string,
  k: number,
  direction: Box.CopyDirection = 'load',
): Elements | FaultValue => {
  const layout = direction === 'load' ? messageLayout(d) : storedMessage(d)
  if (E.isLeft(layout)) return layout.left
  const row = Box.isPadded(messageOf(d)) ? d.box[1]! : d.swizzle === 16 ? d.box[1]! * bytesOf(d) : d.swizzle
  return placed(world, d, start, field, layout, k * rowsOfMessage * row)
}
