/**
 * Where is this element? Linear layouts backwards.
 *
 * `invertAndCompose(a, b)` is the layout X with b(X(x)) = a(x): where `b` keeps what `a` has at x. With `a` a register
 * layout and `b` a shared-memory one, X gives the address that each register of each lane is stored at. If `b`
 * keeps the element in several places, X has to choose:
 *
 * - an input that both have with the same bases is mapped to itself (replicated warps stay where they are);
 * - otherwise it takes the least place, the inputs of `b` side by side, minor first, those mapped to themselves last.
 *
 *     b: offset [0] [1] [2], a: lane [2] [1]   ->  lane [4] [2]: offsets 4 and 5 hold 2, 2 and 3 hold 1
 *     both with warp [0] [0]                    ->  warp [1] [2]
 *
 * The sizes of the outputs play no part in this, but that `b` must be able to hold the values of `a`.
 *
 * Names: Triton `invertAndCompose`, `pseudoinvert`, `invert`, `getFreeVariableMasks`.
 *
 * Laws
 * 1. `compose(invertAndCompose(a, b), b) = a`, up to order and sizes of the outputs; refused when some value of `a` is
 *    none of `b`.
 * 2. `a(pseudoinvert(a)(y)) = y` for every y; refused when `a` is not onto.
 * 3. `invert(a)` undoes `a` on both sides; refused when `a` is not a bijection.
 * 4. `freeVariableMasks` marks the input bits that lower bits (or earlier inputs) can stand for: the value of the layout
 *    at a free bit is its value somewhere on the bits below. There are in all as many as bits less rank.
 * 5. `invertAndComposeBlockLocal` satisfies law 1, and bits of the block that `b` ignores are those of the block asking.
 *
 * Source: Triton, LinearLayout (arXiv 2505.23819).
 */
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import { pipe } from 'fp-ts/lib/function.js'
import { failure, refuse } from '../../failure.js'
import * as GF2 from '../gf2.js'
import { sameNames } from './equality.js'
import type { Dimension, LinearLayout, LinearSpec, Result } from './linear-layout.js'
import {
  basesOf,
  bitsOf,
  columns,
  fromColumns,
  inputDimensions,
  inputNames,
  isInjective,
  isSurjective,
  linearLayout,
  outputNames,
  outputSize,
  rank,
  showDimensions,
} from './linear-layout.js'

// ------------------------------------------------------------------------------------------ input bits

interface InputBit {
  readonly input: string
  readonly bit: number
  /** Which column it is, and the column. */
  readonly at: number
  readonly column: bigint
}

/** Every input bit with its column over these outputs. */
const inputBits = (layout: LinearSpec, outputs: ReadonlyArray<Dimension>): ReadonlyArray<InputBit> => {
  const matrix = columns(layout, outputs)
  return layout.inputs
    .flatMap(({ name, bases }) => bases.map((_, bit) => ({ input: name, bit })))
    .map(({ input, bit }, at) => ({ input, bit, at, column: matrix[at]! }))
}

/** The columns of one input, as text. */
const fingerprint = (bits: ReadonlyArray<InputBit>, name: string): string =>
  bits
    .filter(({ input }) => input === name)
    .map(({ column }) => column)
    .join()

// --------------------------------------------------------------------------------------------- inverses

/** The layout X from the inputs of `a` to those of `b` with `b(X(x)) = a(x)`. */
export const invertAndCompose = (a: LinearSpec, b: LinearSpec): Result<LinearLayout> => {
  if (!sameNames(outputNames(a), outputNames(b)))
    return refuse(
      'linear.dimension',
      `Expected the same outputs, found ${showDimensions(a.outputs)} and ${showDimensions(b.outputs)}`,
    )
  const large = a.outputs.find(({ name, size }) => size > outputSize(b, name))
  if (large !== undefined)
    return refuse(
      'linear.size',
      `Output ${large.name} has size ${String(large.size)}, but ${String(outputSize(b, large.name))} in the layout to invert`,
    )
  const [asked, places] = [inputBits(a, b.outputs), inputBits(b, b.outputs)]
  const staying = new Set(
    inputNames(a).filter((name) => fingerprint(asked, name) === fingerprint(places, name)),
  )
  const stays = ({ input }: InputBit): boolean => staying.has(input)
  // Inputs that stay put come last, so that the others do without them where they can.
  const order = [...places.filter((place) => !stays(place)), ...places.filter(stays)]
  const find = GF2.solve(order.map(({ column }) => column))
  const inPlace = GF2.multiply(order.map(({ at }) => 1n << BigInt(at)))
  const placeOf = (one: InputBit): O.Option<bigint> =>
    stays(one)
      ? pipe(
          places.find(({ input, bit }) => input === one.input && bit === one.bit),
          O.fromNullable,
          O.map(({ at }) => 1n << BigInt(at)),
        )
      : pipe(find(one.column), O.map(inPlace))
  return pipe(
    asked,
    E.traverseArray((one) =>
      pipe(
        placeOf(one),
        E.fromOption(() =>
          failure(
            'linear.outside-image' as const,
            `Bit ${String(one.bit)} of ${one.input}, [${basesOf(a, one.input)[one.bit]!.join(', ')}] of ${showDimensions(a.outputs)}, is not in the layout to invert`,
          ),
        ),
      ),
    ),
    E.chain((matrix) => fromColumns(inputDimensions(a), inputDimensions(b), matrix)),
  )
}

/** The layout from outputs to inputs whose value is the canonical place of every element. Refuses one not onto. */
export const pseudoinvert = (layout: LinearSpec): Result<LinearLayout> =>
  isSurjective(layout)
    ? pipe(
        fromColumns(
          layout.outputs,
          layout.outputs,
          Array.from({ length: bitsOf(layout.outputs) }, (_, bit) => 1n << BigInt(bit)),
        ),
        E.chain((identity) => invertAndCompose(identity, layout)),
      )
    : refuse(
        'linear.not-surjective',
        `Only a layout onto its outputs ${showDimensions(layout.outputs)} has an inverse, this one has rank ${String(rank(layout))}`,
      )

/** Is the layout a bijection? */
export const isInvertible = (layout: LinearSpec): boolean => isSurjective(layout) && isInjective(layout)

/** The inverse of a bijection. */
export const invert = (layout: LinearSpec): Result<LinearLayout> =>
  isInvertible(layout)
    ? pseudoinvert(layout)
    : refuse(
        'linear.not-invertible',
        `Only a bijection has an inverse; this layout from ${showDimensions(inputDimensions(layout))} to ${showDimensions(layout.outputs)} has rank ${String(rank(layout))}`,
      )

/**
 * `invertAndCompose` for a memory that every thread block has its own part of: where `b` replicates over a bit of the
 * block, a block goes to its own copy.
 */
export const invertAndComposeBlockLocal = (
  a: LinearSpec,
  b: LinearSpec,
  block: string = 'block',
): Result<LinearLayout> =>
  pipe(
    invertAndCompose(a, b),
    E.chain((x) => {
      const d = outputNames(x).indexOf(block)
      const own = basesOf(b, block).map((basis, bit) => (basis.every((v) => v === 0) ? 2 ** bit : 0))
      return linearLayout({
        inputs: x.inputs.map((input) =>
          input.name === block
            ? {
                name: block,
                bases: input.bases.map((basis, bit) =>
                  basis.map((v, k) => (k === d ? v | (own[bit] ?? 0) : v)),
                ),
              }
            : input,
        ),
        outputs: x.outputs,
      })
    }),
  )

// --------------------------------------------------------------------------------------- free variables

/** Per input, the bits whose column is a sum of earlier ones: they reach nothing new. */
export const freeVariableMasks = (
  layout: LinearSpec,
): ReadonlyArray<{ readonly name: string; readonly mask: number }> => {
  const bits = inputBits(layout, layout.outputs)
  const pivots = new Set(GF2.pivots(bits.map(({ column }) => column)))
  return layout.inputs.map(({ name }) => ({
    name,
    mask: bits
      .filter(({ input, at }) => input === name && !pivots.has(at))
      .reduce((mask, { bit }) => mask | (1 << bit), 0),
  }))
}
