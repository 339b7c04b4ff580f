/**
 * Box images: where the elements of a TMA copy lie in shared memory, and which elements of the tensor they are.
 *
 * A tensor map has a box: how many elements of each dimension one copy takes (here outermost first). The copy puts row j of the box, all outer
 * dimensions flattened, at
 *
 *     X(destination + j * pitch + column)      pitch = bytes of the inner box, or the span of the swizzle if there is one
 *
 * with X the swizzle of the absolute address: a function (index in the box, destination) -> byte address that is a swizzled ref, `boxImage`. An
 * inner box narrower than the span leaves the rest of each row of the image as it was. On the other side, the box at coordinates c stands
 * on the elements c + index * step of the tensor (`tensorIndex`); the step is the element stride, but 1 in the innermost dimension. An element
 * outside the tensor is filled in by a load and left out by a store; both count it.
 *
 *     f16, box (3, 32), swizzle 128: 192 bytes, rows at 0, 128, 256; element (1, 8) at 128 + 16 -> X -> 128
 *
 * | rule                                             | else                          |
 * |--------------------------------------------------|-------------------------------|
 * | rank 1 to 5, extents 1 to 256, element strides 1 to 8 | the map is refused        |
 * | inner box a multiple of 16 bytes                 | the map is refused            |
 * | inner box at most the span of the swizzle        | the map is refused            |
 * | innermost coordinate at a multiple of 16 bytes   | illegal instruction           |
 * | no negative coordinate in a store                | illegal instruction           |
 * | shared memory at a multiple of 128 bytes         | misaligned address            |
 *
 * Padded maps (`16U4_ALIGN16B`, `16U6_ALIGN16B`; elements of 6 bits have no others) have elements without gaps in the tensor, and 16 of them in every 16
 * bytes of the image of a load: elements of 4 bits in the first 8, of 6 bits in the first 12; what the rest holds is not said. A store takes elements of 6 bits from
 * the low bits of a byte each. Their bytes are counted as in the tensor.
 *
 *     6 bits, box (2, 128): 192 bytes, rows at 0 and 128; element (1, 17) at bit 6 of 128 + 16
 *
 * | rule of padded maps                              | else                          |
 * |--------------------------------------------------|-------------------------------|
 * | inner box 128 elements                           | the map is refused            |
 * | swizzle of 128 bytes, or none                    | the map is refused            |
 * | innermost coordinate a multiple of 128           | illegal instruction           |
 * | no store of elements of 4 bits                   | illegal instruction           |
 *
 * Not described: interleaved maps (the order of the bytes that a box of one brings is not documented), swizzles with other atoms than 16 bytes.
 *
 * Names: CUDA `cuTensorMapEncodeTiled` (innermost first); Pallas `copy_gmem_to_smem`; Triton `tt.make_tensor_descriptor`; CuTe `SM90_TMA_LOAD`.
 *
 * Laws
 * 1. The image and the tensor elements of every captured copy, byte for byte.
 * 2. `boxBytes` is the transaction count of every captured load: elements of `boxShape`, in bounds or not, times their size.
 * 3. `checkBox` refuses exactly the captured maps that the driver refused; `checkCopy` exactly the copies that faulted, by the fault.
 * 4. `tensorOffsets` lists `tensorIndex` over the box, as dot products with strides, and -1 where it is null; there is none if `isInside`.
 * 5. `boxImage` of a box as wide as the span is the ref of the plain swizzle transform.
 *
 * @fidelity silicon; padded maps: documented, and what is counted as shipped kernels expect it
 *
 * Source: CUDA driver API, tensor map objects; PTX ISA, cp.async.bulk.tensor; copies captured on an H100 (conformance/hopper/structure).
 */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { Failure } from '../../failure.js'
import { refuse } from '../../failure.js'
import type { RefError, TransformedRef } from '../../transforms/ref.js'
import { ofChains, ofStrides, strideBits } from '../../transforms/ref.js'
import type { Index, Shape } from '../../transforms/shape.js'
import { showShape, sizeOf } from '../../transforms/shape.js'
import type { Swizzle } from '../../transforms/swizzle.js'
import { swizzleElements } from '../../transforms/swizzle.js'

// ---------------------------------------------------------------------------------------------- model

/** The part of a tensor map that says what one copy takes. All lists outermost first. */
export interface Box {
  /** Bits of an element. */
  readonly bits: number
  /** Extents in elements of the tensor, before element strides thin them out. */
  readonly extents: Shape
  readonly elementStrides: ReadonlyArray<number>
  readonly swizzle: Swizzle
  /** Elements of 4 bits have gaps in shared memory; those of 6 bits always have. */
  readonly padded?: boolean
}

/** Do 16 elements have 16 bytes of shared memory, though they fill fewer? */
export const isPadded = ({ bits, padded }: Pick<Box, 'bits' | 'padded'>): boolean =>
  bits === 6 || (bits === 4 && padded === true)
/** Elements of the inner box of a padded map, and bytes of a row of its image. */
const paddedRow = 128
const paddedGroup = 16

export type CopyDirection = 'load' | 'store'
export type BoxError = 'box.rank' | 'box.extent' | 'box.inner-bytes' | 'box.swizzle' | 'box.element-stride'
export type CopyError =
  'box.rank' | 'box.inner-coordinate' | 'box.negative-coordinate' | 'box.shared-address' | 'box.direction'

// ---------------------------------------------------------------------------------------- constructors

/** Whole numbers from `low` to `high`. */
export const isBetween =
  (low: number, high: number) =>
  (x: number): boolean =>
    Number.isInteger(x) && x >= low && x <= high

/** Would the driver encode a map with this box? */
export const checkBox = (box: Box): E.Either<Failure<BoxError>, Box> => {
  const { extents, elementStrides, swizzle } = box
  const rank = extents.length
  if (rank < 1 || rank > 5 || elementStrides.length !== rank)
    return refuse(
      'box.rank',
      `A box has rank 1 to 5 and one element stride for each dimension, found ${showShape(extents)} and ${showShape(elementStrides)}`,
    )
  const wide = extents.findIndex((n) => !isBetween(1, 256)(n))
  if (wide >= 0)
    return refuse(
      'box.extent',
      `Dimension ${String(wide)} of a box has 1 to 256 elements, found ${String(extents[wide])}`,
    )
  const sparse = elementStrides.findIndex((n) => !isBetween(1, 8)(n))
  if (sparse >= 0)
    return refuse(
      'box.element-stride',
      `Element stride ${String(sparse)} of a box is 1 to 8, found ${String(elementStrides[sparse])}`,
    )
  if (isPadded(box)) {
    if (extents[rank - 1] !== paddedRow)
      return refuse(
        'box.inner-bytes',
        `The inner box dimension of padded elements is ${String(paddedRow)}, found ${String(extents[rank - 1])}`,
      )
    return swizzle === 16 || swizzle === paddedRow
      ? E.right(box)
      : refuse(
          'box.swizzle',
          `Padded elements have a swizzle of ${String(paddedRow)} bytes, or none, found ${String(swizzle)}`,
        )
  }
  const innerBytes = (extents[rank - 1]! * box.bits) / 8
  if (innerBytes % 16 !== 0)
    return refuse(
      'box.inner-bytes',
      `The inner box dimension must be a multiple of 16 bytes, found ${String(innerBytes)}`,
    )
  return swizzle === 16 || innerBytes <= swizzle
    ? E.right(box)
    : refuse(
        'box.swizzle',
        `The inner box dimension must fit in the swizzle of ${String(swizzle)} bytes, found ${String(innerBytes)}`,
      )
}

/** Do the coordinates of a copy fault? They may be outside the tensor. */
export const checkCoordinates = (
  box: Box,
  direction: CopyDirection,
  coordinates: Index,
): E.Either<Failure<CopyError>, Index> => {
  const rank = box.extents.length
  if (coordinates.length !== rank)
    return refuse(
      'box.rank',
      `A box of rank ${String(rank)} needs that many coordinates, found ${showShape(coordinates)}`,
    )
  const inner = (coordinates[rank - 1]! * box.bits) / 8
  if (isPadded(box) && coordinates[rank - 1]! % paddedRow !== 0)
    return refuse(
      'box.inner-coordinate',
      `The innermost coordinate of padded elements must be a multiple of ${String(paddedRow)}, found ${String(coordinates[rank - 1])}`,
    )
  if (isPadded(box) && box.bits === 4 && direction === 'store')
    return refuse('box.direction', 'Padded elements of 4 bits are loaded, and not stored')
  if (inner % 16 !== 0)
    return refuse(
      'box.inner-coordinate',
      `The innermost coordinate must be at a multiple of 16 bytes, found byte ${String(inner)}`,
    )
  return direction === 'store' && coordinates.some((c) => c < 0)
    ? refuse(
        'box.negative-coordinate',
        `The coordinates of a store must be 0 or more, found ${showShape(coordinates)}`,
      )
    : E.right(coordinates)
}

/** Does shared memory at this address fault? */
export const checkSharedAddress = (address: number): E.Either<Failure<CopyError>, number> =>
  address % 128 === 0
    ? E.right(address)
    : refuse(
        'box.shared-address',
        `A box needs a multiple of 128 bytes in shared memory, found ${String(address)}`,
      )

/** Does a copy of a lawful box fault? Returns the address. */
export const checkCopy = (
  box: Box,
  direction: CopyDirection,
  coordinates: Index,
  sharedAddress: number,
): E.Either<Failure<CopyError>, number> =>
  pipe(
    checkCoordinates(box, direction, coordinates),
    E.chain(() => checkSharedAddress(sharedAddress)),
  )

// ----------------------------------------------------------------------------------------- destructors

/** How far apart in the tensor neighbours of the box are: the element strides, but 1 innermost, where the engine ignores them. */
export const elementSteps = (box: Box): ReadonlyArray<number> =>
  box.elementStrides.map((stride, d) => (d === box.extents.length - 1 ? 1 : stride))

/** Elements that are copied, in each dimension. */
export const boxShape = (box: Box): Shape => {
  const steps = elementSteps(box)
  return box.extents.map((n, d) => Math.ceil(n / steps[d]!))
}

/** Bytes of the whole box: what a load takes off its barrier's transaction count. */
export const boxBytes = (box: Box): number => (sizeOf(boxShape(box)) * box.bits) / 8

/** The element of the tensor under an element of the box; null outside of the tensor. */
export const tensorIndex =
  (box: Box, dims: Shape, coordinates: Index) =>
  (index: Index): Index | null => {
    const steps = elementSteps(box)
    const at = coordinates.map((c, d) => c + index[d]! * steps[d]!)
    return at.every((c, d) => c >= 0 && c < dims[d]!) ? at : null
  }

/** Is no element of the box outside of the tensor? */
export const isInside = (box: Box, dims: Shape, coordinates: Index): boolean => {
  const steps = elementSteps(box)
  const shape = boxShape(box)
  return coordinates.every((c, d) => c >= 0 && c + (shape[d]! - 1) * steps[d]! < dims[d]!)
}

/** Offsets in the tensor of all elements of the box, row-major, in units of `strides`; -1 outside of the tensor. */
export const tensorOffsets = (
  box: Box,
  dims: Shape,
  strides: ReadonlyArray<number>,
  coordinates: Index,
): Int32Array => {
  const steps = elementSteps(box)
  let offsets = new Int32Array(1)
  boxShape(box).forEach((extent, d) => {
    const longer = new Int32Array(offsets.length * extent)
    for (let i = 0, at = 0; i < offsets.length; i++)
      for (let k = 0; k < extent; k++) {
        const c = coordinates[d]! + k * steps[d]!
        longer[at++] = offsets[i]! < 0 || c < 0 || c >= dims[d]! ? -1 : offsets[i]! + c * strides[d]!
      }
    offsets = longer
  })
  return offsets
}

/** What fills the elements outside of the tensor when the map asks for NaN: the same 16 bits over and over, as a number of `bits` bits. */
export const nanFill = (bits: 16 | 32): number => (bits === 32 ? 0x7ff77ff7 : 0x7ff7)

// ----------------------------------------------------------------------------------------- combinators

/** The image of padded elements: a row has 128 bytes. */
const paddedImage = (box: Box, direction: CopyDirection): TransformedRef => {
  const shape = boxShape(box)
  const inner = shape.length - 1
  const [inByte, element] = [8 / strideBits(box.bits), box.bits / strideBits(box.bits)]
  return ofChains(
    shape.map((size, d) =>
      d < inner
        ? [{ size, stride: paddedRow * inByte * sizeOf(shape.slice(d + 1, inner)) }]
        : direction === 'store'
          ? [{ size, stride: inByte }]
          : [
              { size: size / paddedGroup, stride: paddedGroup * inByte },
              { size: paddedGroup, stride: element },
            ],
    ),
    box.bits,
    0,
    box.swizzle,
  )
}

/** The image in shared memory of the box: a ref of `boxShape`, to be put at the destination's address. */
export const boxImage = (
  box: Box,
  direction: CopyDirection = 'load',
): E.Either<Failure<RefError>, TransformedRef> => {
  if (isPadded(box)) return E.right(paddedImage(box, direction))
  const shape = boxShape(box)
  const inner = shape.length - 1
  const pitch = box.swizzle === 16 ? shape[inner]! : swizzleElements(box.swizzle, box.bits)
  const strides = shape.map((_, d) => (d === inner ? 1 : pitch * sizeOf(shape.slice(d + 1, inner))))
  return ofStrides(shape, box.bits, strides, box.swizzle)
}
