/**
 * The two ends of a copy by the tensor memory accelerator: global memory and shared memory, of one shape and dtype.
 *
 *     tmaLoad(gmem, smem)     tmaStore(smem, gmem)
 *     tmaLoad(gmem, tmem)     // tsc: WrongSpace<"expected smem, found tmem">
 *
 * The value is the core's types of both ends.
 *
 * Law 1. `Right` exactly when the spaces are these, dtypes and shapes are equal, and both layouts are legal.
 */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { Failure } from '../../src/failure.js'
import { refuse } from '../../src/failure.js'
import type { Dtype } from '../../src/numerics/dtype.js'
import type { Space, ViewType } from '../../src/semantics/language/types.js'
import type { Shape } from '../../src/transforms/shape.js'
import { sameShape, showShape } from '../../src/transforms/shape.js'
import type { Swizzle } from '../../src/transforms/swizzle.js'
import type { DtypeMismatch, Same, ShapeMismatch, Show, SpaceCheck } from './type-errors.js'
import type { AnyRef, Ref, Stage } from './ref.js'
import { view } from './ref.js'

export interface Copy {
  readonly source: ViewType
  readonly destination: ViewType
}

type SameShape<A extends Shape, B extends Shape> = A['length'] extends B['length']
  ? { readonly [K in keyof A]: K extends keyof B ? Same<A[K], B[K]> : true } extends ReadonlyArray<true>
    ? true
    : false
  : number extends A['length'] | B['length']
    ? true
    : false

type EndsCheck<S extends Shape, D extends Dtype, S2 extends Shape, D2 extends Dtype> = [D, D2] extends [D2, D]
  ? SameShape<S, S2> extends true
    ? unknown
    : ShapeMismatch<`the source is ${Show<S>}, the destination is ${Show<S2>}`>
  : DtypeMismatch<`the source is ${D}, the destination is ${D2}`>

type CopyBetween<From extends Space, To extends Space> = <
  S extends Shape,
  D extends Dtype,
  M extends Space,
  S2 extends Shape,
  D2 extends Dtype,
  M2 extends Space,
>(
  source: Ref<S, D, M, Shape, Swizzle, Stage> & SpaceCheck<M, From, From>,
  destination: Ref<S2, D2, M2, Shape, Swizzle, Stage> & SpaceCheck<M2, To, To> & EndsCheck<S, D, S2, D2>,
) => E.Either<Failure, Copy>

const copy =
  (from: Space, to: Space) =>
  (source: AnyRef, destination: AnyRef): E.Either<Failure, Copy> => {
    if (source.space !== from)
      return refuse('typed.space', `The source of this copy lies in ${from}, found ${source.space}`)
    if (destination.space !== to)
      return refuse('typed.space', `The destination of this copy lies in ${to}, found ${destination.space}`)
    if (source.dtype !== destination.dtype)
      return refuse('typed.dtype', `A copy keeps the dtype, found ${source.dtype} and ${destination.dtype}`)
    if (!sameShape(source.shape, destination.shape))
      return refuse(
        'typed.shape',
        `A copy keeps the shape, found ${showShape(source.shape)} and ${showShape(destination.shape)}`,
      )
    return pipe(
      view(source),
      E.bindTo('source'),
      E.bind('destination', () => view(destination)),
    )
  }

/** Global to shared memory. */
export const tmaLoad: CopyBetween<'gmem', 'smem'> = copy('gmem', 'smem')

/** Shared to global memory. */
export const tmaStore: CopyBetween<'smem', 'gmem'> = copy('smem', 'gmem')
