/**
 * Swizzled CuTe layouts as linear layouts, and the swizzle in a linear layout found again.
 *
 * A composed layout S o 0 o L first adds strides and then moves bits; both steps are linear over GF(2) where the strides do not
 * carry. The way back asks for strides *and* a swizzle: a linear layout in which some value has a bit of another one, as the
 * rows of a swizzled tile do, becomes carry-free once the right swizzle is taken off.
 *
 *     bases 1 2 4 8 16 32 | 64+8 128+16 256+32     S<3,3,3> o 0 o (64,8):(1,64)
 *
 * A swizzle is its own inverse, so it is taken off by applying it. The search goes through all of them, fewest bits first, then lowest;
 * the first that leaves no carry is the answer.
 *
 * Laws
 * 1. `apply(linearOfComposed(c))({ index }) = at(c, index)` for every index below the size.
 * 2. `at(composedOfLinear(l), index)` is the value of l at index, all inputs of l side by side, first lowest.
 * 3. `composedOfLinear` finds a swizzle whenever there is one.
 *
 * Source: CUTLASS, CuTe: swizzle layouts; Triton, LinearLayout (arXiv 2505.23819).
 */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { Failure } from '../../failure.js'
import { refuse } from '../../failure.js'
import type { ComposedLayout } from '../cute/composed.js'
import { composed } from '../cute/composed.js'
import type { Layout } from '../cute/layout.js'
import type { Swizzle } from '../cute/swizzle.js'
import * as Sw from '../cute/swizzle.js'
import { compose } from '../linear/algebra.js'
import type { LinearError, LinearLayout } from '../linear/linear-layout.js'
import { linearLayout } from '../linear/linear-layout.js'
import type { FromCuteError, ToCuteError } from './cute.js'
import { cuteOfLinear, linearOfCute } from './cute.js'
import { linearOfSwizzle } from './swizzle.js'

export type FromComposedError = FromCuteError | LinearError | 'conversion.offset' | 'conversion.outer'
export type ToComposedError = ToCuteError | LinearError | 'conversion.outer' | 'conversion.no-swizzle'

/** Inputs and outputs as of `linearOfCute`. Errors: an outer layout that is no swizzle, an offset, and those of the inner layout. */
export const linearOfComposed = ({
  outer,
  offset,
  inner,
}: ComposedLayout): E.Either<Failure<FromComposedError>, LinearLayout> => {
  if (outer._tag !== 'swizzle')
    return refuse(
      'conversion.outer',
      'Expected a swizzle as the outer layout; compose two layouts of strides first',
    )
  if (offset !== 0)
    return refuse('conversion.offset', 'A linear layout maps 0 to 0, but this layout starts at an offset')
  return pipe(
    linearOfCute(inner),
    E.chainW((strided) =>
      pipe(
        linearOfSwizzle(outer, strided.outputs[0]!.size),
        E.chainW((swizzled) => compose(strided, swizzled)),
      ),
    ),
  )
}

/** All swizzles of offsets of so many bits, fewest bits first, then lowest, then nearest. */
const swizzlesWithin = (bits: number): ReadonlyArray<Swizzle> => {
  const all: Swizzle[] = []
  for (let b = 1; 2 * b <= bits; b++)
    for (let base = 0; base + 2 * b <= bits; base++)
      for (let shift = b; base + shift + b <= bits; shift++)
        for (const signed of [shift, -shift]) all.push({ _tag: 'swizzle', bits: b, base, shift: signed })
  return all
}

/** Strides, under a swizzle if need be. Errors: more than one output, and bits that no swizzle disentangles. */
export const composedOfLinear = (
  linear: LinearLayout,
): E.Either<Failure<ToComposedError>, Layout | ComposedLayout> => {
  const [output, ...more] = linear.outputs
  if (output === undefined || more.length > 0)
    return refuse(
      'conversion.outer',
      `A swizzle acts on one output, found ${String(linear.outputs.length)}: flatten them first`,
    )
  const strided = cuteOfLinear(linear)
  if (E.isRight(strided)) return strided
  for (const swizzle of swizzlesWithin(Math.log2(output.size))) {
    const without = pipe(
      linearLayout({
        inputs: linear.inputs.map(({ name, bases }) => ({
          name,
          bases: bases.map(([value]) => [Sw.apply(swizzle)(value!)]),
        })),
        outputs: linear.outputs,
      }),
      E.chainW(cuteOfLinear),
    )
    if (E.isRight(without)) return E.right(composed(swizzle, without.right))
  }
  return refuse(
    'conversion.no-swizzle',
    `The bases of ${output.name} share bits in a way that no swizzle S<B,M,S> makes`,
  )
}
