/**
 * Repetition: a map that is a tile, over and over.
 *
 * An instruction moves a tile: its low register, lane and warp bits go to fixed places. A map is made of such instructions if
 * its low bits are the tile's, and all its other bits move the tile as a whole, that is, leave alone the output bits that the
 * tile uses. What the other bits do is the *repetition*; unlike a quotient it need not start where the tile ends.
 *
 *     tile  register [1], lane [2]                 map  register [1] [8], lane [2] [4 + 8]
 *     repetition  register [0] [8], lane [0] [12]       bits 1 and 2 of the output are the tile's, nothing else touches them
 *
 * A compiler may number the registers of a thread as it likes: `registersFirst` finds the numbering in which the tile's
 * registers come first.
 *
 * Names: Triton `getReps`, `regPermForDivide`.
 *
 * Laws
 * 1. `repetitions(map, tile)` exists exactly when the map is the tile on the tile's inputs and else changes only output bits that
 *    the tile never sets; then map(x) = tile(low bits of x) xor repetition(x).
 * 2. `divideLeft(map, tile) = some` implies a repetition.
 * 3. After `registersFirst(map, tile)` the low registers of the map are the tile's.
 *
 * Source: Triton, layout utilities.
 */
import * as O from 'fp-ts/lib/Option.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { Index } from '../../transforms/shape.js'
import { sameShape } from '../../transforms/shape.js'
import type { LinearLayout, LinearSpec } from '../linear/linear-layout.js'
import { basesOf, linearLayout, outputNames } from '../linear/linear-layout.js'

/** The tile's bases with one coordinate for each output of the map. */
const spread = (tile: LinearSpec, map: LinearSpec, name: string): ReadonlyArray<Index> =>
  basesOf(tile, name).map((basis) =>
    outputNames(map).map((out) => basis[outputNames(tile).indexOf(out)] ?? 0),
  )

/** What the map does beside the tile, on the same inputs and outputs; none if it is not made of tiles. */
export const repetitions = (map: LinearSpec, tile: LinearSpec): O.Option<LinearLayout> => {
  const parts = map.inputs.map(({ name, bases }) => ({ name, bases, low: spread(tile, map, name) }))
  const used = map.outputs.map((_, d) => parts.flatMap(({ low }) => low).reduce((mask, v) => mask | v[d]!, 0))
  const fits = parts.every(
    ({ bases, low }) =>
      low.length <= bases.length &&
      bases.every((basis, bit) =>
        bit < low.length ? sameShape(basis, low[bit]!) : basis.every((v, d) => (v & used[d]!) === 0),
      ),
  )
  return fits
    ? O.fromEither(
        linearLayout({
          inputs: parts.map(({ name, bases, low }) => ({
            name,
            bases: bases.map((basis, bit) => (bit < low.length ? basis.map(() => 0) : basis)),
          })),
          outputs: map.outputs,
        }),
      )
    : O.none
}

/** The map with its registers in an order that begins with the tile's; none if it lacks one. */
export const registersFirst = (map: LinearSpec, tile: LinearSpec): O.Option<LinearLayout> => {
  const bases = basesOf(map, 'register')
  const first = spread(tile, map, 'register').map((wanted) =>
    bases.findIndex((basis) => sameShape(basis, wanted)),
  )
  return pipe(
    first.includes(-1) ? O.none : O.some(first),
    O.chain((found) =>
      O.fromEither(
        linearLayout({
          inputs: map.inputs.map((input) =>
            input.name === 'register'
              ? {
                  name: input.name,
                  bases: [
                    ...found.map((bit) => bases[bit]!),
                    ...bases.filter((_, bit) => !found.includes(bit)),
                  ],
                }
              : input,
          ),
          outputs: map.outputs,
        }),
      ),
    ),
  )
}
