/**
 * Random tilings, swizzles, and lists of transforms that are legal for a shape.
 *
 * A cut is drawn as numbers that pick divisors, so it exists for every shape and shrinks with the numbers. Where a swizzle is wanted
 * and the minor dimension is long enough, the cut is made to end in a row of exactly the span: most transforms of a shape with long rows are
 * those that hardware reads.
 *
 * Laws
 * 1. A tile or tiling divides the shape; one to three levels and every rank up to that of the shape occur.
 * 2. `transforms(shape, bits)` have a physical shape; all four swizzles, cuts and transposes occur.
 */
import * as fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { unreachable } from '../failure.js'
import type { Shape } from '../transforms/shape.js'
import type { Swizzle } from '../transforms/swizzle.js'
import { swizzleElements, swizzles } from '../transforms/swizzle.js'
import type { Tile, Tiling } from '../transforms/tile.js'
import { isTiling, tileShape } from '../transforms/tile.js'
import type { Transform } from '../transforms/transform.js'
import { isPermutation, permute } from '../transforms/transpose.js'
import { permutation } from './shape.js'

/** Bits of an element: 8, 16, 32 and 4. */
export const elementBits: fc.Arbitrary<number> = fc.constantFrom(16, 8, 32, 4)

export const swizzle: fc.Arbitrary<Swizzle> = fc.constantFrom(...swizzles)

// ----------------------------------------------------------------------------------------------- cuts

/** Numbers that become a tile of whatever shape there is. */
interface Picks {
  readonly rank: number
  readonly divisors: ReadonlyArray<number>
}

const picks: fc.Arbitrary<Picks> = fc.record({
  rank: fc.nat(11),
  divisors: fc.array(fc.nat(719), { minLength: 4, maxLength: 4 }),
})

const divisorsOf = (n: number): ReadonlyArray<number> =>
  Array.from({ length: n }, (_, k) => k + 1).filter((d) => n % d === 0)

/** Of the last dimensions, as many as `rank` says, each the divisor picked. The shape has at least one dimension. */
const chosenTile = (shape: Shape, { rank, divisors }: Picks): Tile =>
  shape.slice(rank % shape.length).map((n, k) => {
    const all = divisorsOf(n)
    return all[(divisors[k] ?? 0) % all.length]!
  })

const levelsOf = (shape: Shape, cuts: ReadonlyArray<Picks>): Tiling => {
  const levels: Tile[] = []
  for (const cut of cuts) levels.push(chosenTile(levels[levels.length - 1] ?? shape, cut))
  return isTiling(levels) ? levels : unreachable('divisors of a shape of rank 1 or more are a tiling')
}

/** A tile that divides the last dimensions of a shape of rank 1 or more. */
export const tile = (shape: Shape): fc.Arbitrary<Tile> => picks.map((cut) => chosenTile(shape, cut))

/** A tiling of one to three levels that divides the last dimensions of a shape of rank 1 or more. */
export const tiling = (shape: Shape): fc.Arbitrary<Tiling> =>
  fc.array(picks, { minLength: 1, maxLength: 3 }).map((cuts) => levelsOf(shape, cuts))

// ------------------------------------------------------------------------------------------ transforms

const afterCut = (levels: Tiling, shape: Shape): Shape =>
  pipe(
    tileShape(levels)(shape),
    E.getOrElseW((why) => unreachable(why.message)),
  )

/** The order of the dimensions but for the last, which stays. */
const keepingLast = (shape: Shape, order: ReadonlyArray<number>): ReadonlyArray<number> => {
  const front = order.filter((d) => d < shape.length - 1)
  return [...front, shape.length - 1]
}

const transposed = (order: ReadonlyArray<number>): ReadonlyArray<Transform> =>
  order.every((d, k) => d === k) || !isPermutation(order) ? [] : [{ _tag: 'Transpose', permutation: order }]

/** A list of transforms that an array of this shape, of rank 1 or more, can carry. */
export const transforms = (shape: Shape, bits: number): fc.Arbitrary<ReadonlyArray<Transform>> =>
  fc
    .record({
      before: permutation(shape.length),
      transposes: fc.boolean(),
      cuts: fc.array(picks, { maxLength: 3 }),
      after: permutation(8),
      transposesAfter: fc.boolean(),
      span: fc.option(swizzle),
    })
    .map(({ before, transposes, cuts, after, transposesAfter, span }) => {
      const list: Transform[] = []
      let physical = shape
      if (transposes) {
        for (const t of transposed(before)) list.push(t)
        physical = permute(before)(physical)
      }
      const minor = physical[physical.length - 1]!
      const row = span === null ? 0 : swizzleElements(span, bits)
      const swizzled = Number.isInteger(row) && row > 0 && minor % row === 0
      if (cuts.length > 0 || (swizzled && minor !== row)) {
        const [first = { rank: 0, divisors: [] }] = cuts
        const levels = swizzled
          ? levelsOf(physical, [first]).map((level) => [...level.slice(0, -1), row])
          : levelsOf(physical, cuts)
        if (isTiling(levels)) {
          list.push({ _tag: 'Tile', tiling: levels })
          physical = afterCut(levels, physical)
        }
      }
      if (transposesAfter)
        for (const t of transposed(
          keepingLast(
            physical,
            after.filter((d) => d < physical.length),
          ),
        ))
          list.push(t)
      if (swizzled && span !== null) list.push({ _tag: 'Swizzle', swizzle: span })
      return list
    })
