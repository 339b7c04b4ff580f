/**
 * Random transformed refs: allocations, and views of them.
 *
 * Half of the shapes are rows that a swizzle fills, since a shape drawn at random seldom is one. A view is a few slices and
 * transposes; one that the core refuses, as a slice through a tile, leaves the ref as it is.
 *
 * Laws
 * 1. `check` accepts every ref; the allocation is `ofTransforms` of its parts.
 * 2. All four swizzles, ranks 1 to 4, refs cut and uncut, transposed ones and refs with an offset occur.
 */
import * as fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { unreachable } from '../failure.js'
import type { TransformedRef } from '../transforms/ref.js'
import { ofTransforms, slice, startUnits, transpose } from '../transforms/ref.js'
import type { Shape } from '../transforms/shape.js'
import { swizzleElements } from '../transforms/swizzle.js'
import type { Transform } from '../transforms/transform.js'
import { permutation, shape } from './shape.js'
import { elementBits, swizzle, transforms } from './transform.js'

/** What `ofTransforms` takes. */
export interface Allocation {
  readonly shape: Shape
  readonly bits: number
  readonly transforms: ReadonlyArray<Transform>
}

/** Shapes whose rows hold a whole number of swizzle spans. */
const rows = (bits: number): fc.Arbitrary<Shape> =>
  fc
    .tuple(
      shape({ minRank: 0, maxRank: 2, maxSize: 4 }),
      fc.integer({ min: 1, max: 4 }),
      swizzle,
      fc.integer({ min: 1, max: 2 }),
    )
    .map(([slots, eights, span, spans]) => [...slots, 8 * eights, spans * swizzleElements(span, bits)])

/** A shape of rank 1 to 4, a width of elements, and transforms that fit. */
export const allocation = (): fc.Arbitrary<Allocation> =>
  elementBits
    .chain((bits) =>
      fc.tuple(fc.constant(bits), fc.oneof({ withCrossShrink: true }, shape({ maxSize: 1024 }), rows(bits))),
    )
    .chain(([bits, extents]) =>
      transforms(extents, bits).map((list) => ({ shape: extents, bits, transforms: list })),
    )

const allocated = (of: Allocation): TransformedRef =>
  pipe(
    ofTransforms(of.shape, of.bits, of.transforms),
    E.getOrElseW((why) => unreachable(why.message)),
  )

/** One step of a view, as numbers. */
interface Step {
  readonly order: ReadonlyArray<number> | null
  readonly parts: ReadonlyArray<readonly [start: number, size: number]>
}

const step: fc.Arbitrary<Step> = fc.record({
  order: fc.option(permutation(4)),
  parts: fc.array(fc.tuple(fc.nat(63), fc.nat(63)), { minLength: 4, maxLength: 4 }),
})

const viewed = (ref: TransformedRef, { order, parts }: Step): TransformedRef => {
  const turned = pipe(
    ref,
    transpose(order === null ? ref.shape.map((_, d) => d) : order.filter((d) => d < ref.shape.length)),
    E.getOrElseW(() => ref),
  )
  const units = startUnits(turned)
  const starts: number[] = []
  const sizes: number[] = []
  turned.shape.forEach((extent, d) => {
    const unit = units[d]!.multipleOf
    const count = extent / unit
    const [start, size] = parts[d] ?? [0, 0]
    const from = start % count
    starts.push(from * unit)
    // A drawn 0 keeps all there is, so views shrink to no view.
    sizes.push((count - from - (size % (count - from))) * unit)
  })
  return pipe(
    turned,
    slice(starts, sizes),
    E.getOrElseW(() => turned),
  )
}

/**
 * A ref of rank 1 to 4 with a few hundred elements.
 *
 * @example
 * ```ts
 * import * as fc from 'fast-check'
 * import { transformedRef } from 'tensorcore-spec/arbitraries'
 *
 * const [drawn] = fc.sample(transformedRef(), { numRuns: 1, seed: 7 })
 * console.log(drawn !== undefined && drawn.shape.length <= 4) // true
 * ```
 */
export const transformedRef = (): fc.Arbitrary<TransformedRef> =>
  fc
    .tuple(allocation(), fc.array(step, { maxLength: 2 }))
    .map(([of, steps]) => steps.reduce(viewed, allocated(of)))
