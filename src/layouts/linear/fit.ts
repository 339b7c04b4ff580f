/**
 * Fitting a tile to a shape.
 *
 * An instruction or a thread block fixes a tile; the tensor is larger or smaller. A tile that is too small is repeated, one
 * more register (or offset) bit per doubling, first output first. One that is too large keeps its threads, and those beyond
 * the shape replicate: the coordinates that do not fit become 0.
 *
 *     register [1, 0], lane [2, 0] [4, 0] [0, 1] on 8 x 2, fitted to 4 x 8:
 *       grown  to 8 x 8:  register [1, 0] [0, 2] [0, 4]   lane [2, 0] [4, 0] [0, 1]
 *       shrunk to 4 x 8:  register [1, 0] [0, 2] [0, 4]   lane [2, 0] [0, 0] [0, 1]
 *
 * Among thread blocks, the shape is split at its major bits: every block has its own tile, fitted to its share.
 *
 * Names: Triton `ensureLayoutNotSmallerThan`, `ensureLayoutNotLargerThan`, `combineCtaCgaWithShape`. Triton shrinks by
 * zeroing the largest values until the size fits, which for layouts onto their outputs is the same.
 *
 * Laws
 * 1. `ensureNotSmaller`: outputs have at least the sizes; the layout is the product of what it was and identities from the
 *    first input. Nothing changes where nothing is too small.
 * 2. `ensureNotLarger`: outputs have at most the sizes; the bases that fit stay.
 * 3. The outputs of `combine` are the sizes, in their order, and the fitted thread blocks divide it on the right. It is onto
 *    when its parts are and their coordinates are powers of two, as those of tiles are.
 *
 * Source: Triton, layout conversions.
 */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { refuse } from '../../failure.js'
import { product, resizeOut } from './algebra.js'
import type { Dimension, LinearLayout, Result } from './linear-layout.js'
import { identity1D, outputNames, outputSize, unevenSize } from './linear-layout.js'
import { transposeOuts } from './reshape.js'

/** The layout, if the sizes are sizes of its outputs. */
const named =
  (sizes: ReadonlyArray<Dimension>) =>
  (layout: LinearLayout): Result<LinearLayout> => {
    const stranger = sizes.find(({ name }) => !outputNames(layout).includes(name))
    const uneven = unevenSize('output', sizes)
    if (uneven !== null) return E.left(uneven)
    return stranger === undefined
      ? E.right(layout)
      : refuse('linear.dimension', `No output ${stranger.name} among ${outputNames(layout).join(', ')}`)
  }

/** At least these sizes: the layout repeats along its first input, in the order of its outputs. */
export const ensureNotSmaller =
  (sizes: ReadonlyArray<Dimension>) =>
  (layout: LinearLayout): Result<LinearLayout> =>
    layout.outputs.reduce((done, { name, size }) => {
      const wanted = sizes.find((to) => to.name === name)?.size ?? size
      if (wanted <= size) return done
      const first = layout.inputs[0]
      return first === undefined
        ? refuse(
            'linear.dimension',
            `Output ${name} must grow from ${String(size)} to ${String(wanted)}, but the layout has no input`,
          )
        : pipe(
            E.Do,
            E.apS('grown', done),
            E.apS('repeats', identity1D(wanted / size, first.name, name)),
            E.chain(({ grown, repeats }) => product(grown, repeats)),
          )
    }, named(sizes)(layout))

/** At most these sizes: the coordinates that do not fit become 0. */
export const ensureNotLarger =
  (sizes: ReadonlyArray<Dimension>) =>
  (layout: LinearLayout): Result<LinearLayout> =>
    sizes.reduce(
      (done, { name, size }) =>
        size >= outputSize(layout, name) ? done : pipe(done, E.chain(resizeOut(name, size))),
      named(sizes)(layout),
    )

/** The outputs in this order, in which they may be already. */
const ordered =
  (names: ReadonlyArray<string>) =>
  (layout: LinearLayout): Result<LinearLayout> => {
    const found = outputNames(layout)
    const isOrdered = found.length === names.length && found.every((name, d) => name === names[d])
    return isOrdered ? E.right(layout) : transposeOuts(names)(layout)
  }

/** A tile and a split among thread blocks over a tensor of these sizes; the blocks take the major bits. */
export const combine = (
  cta: LinearLayout,
  cga: LinearLayout,
  sizes: ReadonlyArray<Dimension>,
): Result<LinearLayout> =>
  pipe(
    ensureNotLarger(sizes)(cga),
    E.chain(ordered(outputNames(cta))),
    E.chain((blocks) => {
      const share = sizes.map(({ name, size }) => ({ name, size: size / outputSize(blocks, name) }))
      return pipe(
        ensureNotSmaller(share)(cta),
        E.chain(ensureNotLarger(share)),
        E.chain((tile) => product(tile, blocks)),
      )
    }),
    E.chain(ordered(sizes.map(({ name }) => name))),
  )
