/**
 * Random linear layouts of given sizes.
 *
 * Any choice of bases is a layout. One of full rank is drawn as a product: a permutation of the output bits, unit lower triangular, the
 * identity as far as it goes, unit upper triangular, a permutation of the input bits. Each factor but the middle one is invertible, so the
 * rank is that of the middle; and drawn numbers of 0 make it the identity, towards which it shrinks.
 *
 *     2 output bits, 3 input bits:   M = P L [1 0 0] U Q       rank 2: onto
 *                                            [0 1 0]
 *
 * Laws
 * 1. Every layout is legal and has the sizes asked for.
 * 2. Full rank: surjective with at least as many input bits as output bits, injective with at most as many, so invertible with as many.
 * 3. Every 2 x 2 matrix occurs, and every invertible one among those of full rank.
 */
import * as fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { unreachable } from '../failure.js'
import type { LinearLayout } from '../layouts/linear/linear-layout.js'
import { linearLayout as legal } from '../layouts/linear/linear-layout.js'
import { permutation } from './shape.js'

/** A dimension of 2^bits coordinates. */
export interface LinearDimension {
  readonly name: string
  readonly bits: number
}

/** Output bits together are at most 30, and so are those of an input. */
export interface LinearSizes {
  readonly inputs: ReadonlyArray<LinearDimension>
  readonly outputs: ReadonlyArray<LinearDimension>
}

const bitsOf = (dimensions: ReadonlyArray<LinearDimension>): number =>
  dimensions.reduce((sum, { bits }) => sum + bits, 0)

/** Registers, lanes and warps of a matrix or vector. */
export const linearSizes = (): fc.Arbitrary<LinearSizes> =>
  fc
    .tuple(fc.nat(3), fc.nat(5), fc.nat(2), fc.array(fc.nat(4), { minLength: 1, maxLength: 3 }))
    .map(([register, lane, warp, outputs]) => ({
      inputs: [
        { name: 'register', bits: register },
        { name: 'lane', bits: lane },
        { name: 'warp', bits: warp },
      ],
      outputs: outputs.map((bits, d) => ({ name: `dim${String(d)}`, bits })),
    }))

/** Columns are the values of the input bits, in order; the bits of the last output are the low ones. */
const ofColumns = ({ inputs, outputs }: LinearSizes, columns: ReadonlyArray<number>): LinearLayout => {
  const split = (column: number): ReadonlyArray<number> => {
    let rest = column
    const coordinates: number[] = []
    for (const { bits } of [...outputs].reverse()) {
      coordinates.unshift(rest % 2 ** bits)
      rest = Math.floor(rest / 2 ** bits)
    }
    return coordinates
  }
  let from = 0
  return pipe(
    legal({
      inputs: inputs.map(({ name, bits }) => {
        const bases = columns.slice(from, from + bits).map(split)
        from += bits
        return { name, bases }
      }),
      outputs: outputs.map(({ name, bits }) => ({ name, size: 2 ** bits })),
    }),
    E.getOrElseW((why) => unreachable(why.message)),
  )
}

const vectors = (count: number, bits: number): fc.Arbitrary<ReadonlyArray<number>> =>
  fc.array(fc.nat(2 ** bits - 1), { minLength: count, maxLength: count })

/** Any linear layout of these sizes. */
export const linearLayout = (sizes: LinearSizes): fc.Arbitrary<LinearLayout> =>
  vectors(bitsOf(sizes.inputs), bitsOf(sizes.outputs)).map((columns) => ofColumns(sizes, columns))

/** The sum over GF(2) of the columns that the bits of x choose. */
const combine = (columns: ReadonlyArray<number>, x: number): number =>
  columns.reduce((sum, column, bit) => (((x >>> bit) & 1) === 1 ? sum ^ column : sum), 0)

/** Unit triangular from any numbers: what is on the wrong side of the diagonal is dropped. */
const lower = (noise: ReadonlyArray<number>): ReadonlyArray<number> =>
  noise.map((column, k) => ((column >>> (k + 1)) << (k + 1)) | (1 << k))
const upper = (noise: ReadonlyArray<number>): ReadonlyArray<number> =>
  noise.map((column, k) => (column & ((1 << k) - 1)) | (1 << k))

/** A linear layout of these sizes and of the largest rank they allow. At most 30 input bits. */
export const fullRankLinearLayout = (sizes: LinearSizes): fc.Arbitrary<LinearLayout> => {
  const [m, n] = [bitsOf(sizes.outputs), bitsOf(sizes.inputs)]
  return fc
    .tuple(permutation(m), vectors(m, m), vectors(n, n), permutation(n))
    .map(([rows, below, above, order]) => {
      const l = lower(below)
      const scattered = rows.map((row) => 2 ** row)
      const columns = upper(above).map((column) => combine(scattered, combine(l, column)))
      return ofColumns(
        sizes,
        order.map((k) => columns[k]!),
      )
    })
}
