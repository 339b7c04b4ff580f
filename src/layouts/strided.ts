/**
 * The strided layout: the row-major elements of an array dealt out to the 128 lanes of a warpgroup, V at a time.
 *
 *     element at row-major position p  ->  register p div 128V, thread (p div V) mod 128, vector p mod V
 *
 *     WG_STRIDED((4, 128), V = 2):  thread 0 holds positions 0 1, 256 257;  thread 1 holds 2 3, 258 259;  thread 127: 254 255, 510 511
 *
 * Names: Mosaic GPU `WGStridedFragLayout(shape, vec_size)`, `plgpu.Layout.WG_STRIDED`; in Triton a `blocked` layout
 * on the flattened array with sizePerThread V.
 *
 * Laws
 * 1. A bijection from (register, thread, vector) to the elements: replication is 1.
 * 2. `defaultVectorLength` is the largest V = min(64/bits, size/128) halved until 128V divides the size.
 *
 * Source: JAX docs, Pallas:MGPU reference (layouts), and Mosaic GPU's definition.
 */
import * as E from 'fp-ts/lib/Either.js'
import type { Failure } from '../failure.js'
import { refuse } from '../failure.js'
import type { Shape } from '../transforms/shape.js'
import { isExtent, showShape, sizeOf } from '../transforms/shape.js'

declare const legalStridedLayout: unique symbol

/** Only `stridedLayout` and `isStridedLayout` make one. */
export interface StridedLayout {
  readonly _tag: 'strided'
  readonly shape: Shape
  /** Neighbouring elements in one register. */
  readonly vectorLength: number
  readonly [legalStridedLayout]: true
}

export type StridedError = 'strided.shape' | 'strided.vector' | 'strided.not-divisible' | 'strided.no-default'

const threads = 128

export const isStridedLayout = (layout: {
  readonly _tag: 'strided'
  readonly shape: Shape
  readonly vectorLength: number
}): layout is StridedLayout =>
  layout.shape.every(isExtent) &&
  isExtent(layout.vectorLength) &&
  sizeOf(layout.shape) % (threads * layout.vectorLength) === 0

/** A strided layout. Refuses a size that 128 * V does not divide. */
export const stridedLayout = (
  shape: Shape,
  vectorLength: number,
): E.Either<Failure<StridedError>, StridedLayout> => {
  const layout = { _tag: 'strided' as const, shape, vectorLength }
  if (isStridedLayout(layout)) return E.right(layout)
  const bad = shape.findIndex((extent) => !isExtent(extent))
  if (bad >= 0)
    return refuse(
      'strided.shape',
      `Dimension ${String(bad)} of a strided layout must be a positive extent, found ${String(shape[bad])}`,
    )
  return isExtent(vectorLength)
    ? refuse(
        'strided.not-divisible',
        `A strided layout deals out 128 * ${String(vectorLength)} elements at a time, which does not divide the ${String(sizeOf(shape))} elements of ${showShape(shape)}`,
      )
    : refuse('strided.vector', `Expected a positive vector length, found ${String(vectorLength)}`)
}

/** The vector length that fills at most 8 bytes, for elements of `bits` bits. */
export const defaultVectorLength = (shape: Shape, bits: number): E.Either<Failure<StridedError>, number> => {
  const size = sizeOf(shape)
  const no = (why: string): E.Either<Failure<StridedError>, never> =>
    refuse(
      'strided.no-default',
      `No strided layout for ${String(bits)}-bit elements of shape ${showShape(shape)}: ${why}`,
    )
  if (!isExtent(size) || size % threads !== 0)
    return no(`the ${String(size)} elements are not a multiple of 128`)
  let vectorLength = Math.min(Math.max(1, Math.floor(64 / bits)), size / threads)
  while (vectorLength > 1 && size % (threads * vectorLength) !== 0)
    vectorLength = Math.floor(vectorLength / 2)
  return (vectorLength * bits) % 8 === 0
    ? E.right(vectorLength)
    : no(`${String(vectorLength)} of them are not whole bytes`)
}

/** Mosaic GPU's and Pallas' name. */
export const WG_STRIDED: typeof stridedLayout = stridedLayout
