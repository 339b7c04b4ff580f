/**
 * Layouts of tensor memory as linear layouts.
 *
 * The inputs are a lane (Triton calls it row) and a column counted in parts, the elements that a layout packs into 32 bits; so of
 * a layout that fills its columns the second is Triton's column, in elements.
 *
 *     default(1) on (128, 64)           row [1,0] ... [64,0]                            col [0,1] ... [0,32]
 *     half_lane(64, 1) on (64, 64)      row [1,0] ... [8,0] [0,32] [16,0] [32,0]        col [0,1] ... [0,16]
 *
 * Laws
 * 1. `elementAt(l, s, {lane, column, part}) = apply(linearOfTensorMemory(l, s))({ row: lane, col: column * vectorLength + part })`
 *    at every place.
 * 2. Copies are zero bases.
 *
 * Source: Triton, tensor_memory encodings; JAX docs, Pallas:MGPU reference (tensor memory).
 */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { Failure } from '../../failure.js'
import type { Shape } from '../../transforms/shape.js'
import type { LinearLayout } from '../linear/linear-layout.js'
import { standardOutputs } from '../linear/linear-layout.js'
import { tmemLanes } from '../tensor-memory/geometry.js'
import type { TensorMemoryLayout } from '../tensor-memory/tensor-memory-layout.js'
import { columnsOf, elementAt, vectorLength } from '../tensor-memory/tensor-memory-layout.js'
import * as Tiled from '../tiled.js'
import type { CarryFreeError, ExtentError } from './carry-free.js'
import { carryFree, checkExtents, doublings } from './carry-free.js'

export type TensorMemoryConversionError = Tiled.ShapeError | ExtentError | CarryFreeError

/** Errors: a shape that the base tile does not divide, an extent that is not a power of two. */
export const linearOfTensorMemory = (
  layout: TensorMemoryLayout,
  shape: Shape,
): E.Either<Failure<TensorMemoryConversionError>, LinearLayout> =>
  pipe(
    Tiled.checkShape(layout.tiled, shape),
    E.chainW(checkExtents((d) => `dimension ${String(d)}`)),
    E.chainW(() => {
      const parts = vectorLength(layout)
      return carryFree({
        inputs: [
          {
            name: 'row',
            bases: doublings(tmemLanes, 1).map((lane) =>
              elementAt(layout, shape, { lane, column: 0, part: 0 }),
            ),
          },
          {
            name: 'col',
            bases: doublings(columnsOf(layout, shape) * parts, 1).map((at) =>
              elementAt(layout, shape, { lane: 0, column: Math.floor(at / parts), part: at % parts }),
            ),
          },
        ],
        outputs: standardOutputs(shape),
      })
    }),
  )
