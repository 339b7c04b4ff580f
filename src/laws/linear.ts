/**
 * A linear layout of your own: a function on named coordinates, of power-of-two size, that xor goes through.
 *
 * Laws that the kit states, for all coordinates x
 * - `linear.range`: apply(x) has one coordinate for each output, inside its size.
 * - `linear.xor`: apply(0) = 0 and apply(x) = apply(low) xor apply(x without low) for the lowest set bit of the first input that is not 0.
 *   By induction that is linearity over GF(2).
 * - `linear.inverse`: invert(apply(x)) = x, for a layout that can be inverted.
 * - `linear.compose`: compose(outer)(x) = outer(apply(x)), for drawn layouts `outer` on the outputs.
 * - `linear.definition`: apply(x) is that of the layout.
 */
import * as fc from 'fast-check'
import type { LinearSizes } from '../arbitraries/linear.js'
import { linearLayout } from '../arbitraries/linear.js'
import type { LinearLayout, LinearSpec } from '../layouts/linear/linear-layout.js'
import { apply as defined, inputDimensions, isInjective } from '../layouts/linear/linear-layout.js'
import type { Index } from '../transforms/shape.js'
import { showShape } from '../transforms/shape.js'
import type { Domain, Kit, Law } from './law.js'
import { expectSame, expectThat, forAll, forDrawn } from './law.js'
import { inside } from './transform.js'

export type Coordinates = Readonly<Record<string, number>>

export interface ForeignLinearLayout {
  /** One number for each output, in the order of the outputs. */
  readonly apply: (coordinates: Coordinates) => Index
  readonly invert?: (value: Index) => Coordinates
  /** The layout followed by `outer`, whose inputs are the outputs of this one, by name. */
  readonly compose?: (outer: LinearLayout) => (coordinates: Coordinates) => Index
}

const bitsOf = (dimensions: LinearSizes['inputs']): number =>
  dimensions.reduce((sum, { bits }) => sum + bits, 0)

/** All coordinates of the inputs, the first input running fastest. */
const coordinates = (inputs: LinearSizes['inputs']): Domain<Coordinates> => ({
  size: 2 ** bitsOf(inputs),
  at: (position) => {
    let rest = position
    return Object.fromEntries(
      inputs.map(({ name, bits }) => {
        const x = rest % 2 ** bits
        rest = Math.floor(rest / 2 ** bits)
        return [name, x]
      }),
    )
  },
  show: (x) => inputs.map(({ name }) => `${name} ${String(x[name])}`).join(', '),
})

/** The lowest set bit of the first coordinate that is not 0, and what is left. */
const split = (
  inputs: LinearSizes['inputs'],
  x: Coordinates,
): { readonly low: Coordinates; readonly rest: Coordinates } | null => {
  const first = inputs.find(({ name }) => x[name] !== 0)
  if (first === undefined) return null
  const value = x[first.name] ?? 0
  const low = value & -value
  return {
    low: Object.fromEntries(inputs.map(({ name }) => [name, name === first.name ? low : 0])),
    rest: Object.fromEntries(
      inputs.map(({ name }) => [name, name === first.name ? value ^ low : (x[name] ?? 0)]),
    ),
  }
}

const xor = (a: Index, b: Index): Index => a.map((v, k) => v ^ (b[k] ?? 0))

const composition = (sizes: LinearSizes, all: Domain<Coordinates>): Law<ForeignLinearLayout> => {
  const outer = linearLayout({
    inputs: sizes.outputs,
    outputs: [
      { name: 'p', bits: 3 },
      { name: 'q', bits: 2 },
    ],
  })
  return forDrawn(
    'linear.compose',
    'compose(outer)(x) = outer(apply(x))',
    fc.tuple(outer, fc.nat(all.size - 1)),
    ([drawn, at]) =>
      `${all.show(all.at(at))} and outer bases ${JSON.stringify(Object.fromEntries(drawn.inputs.map(({ name, bases }) => [name, bases])))}`,
    ({ apply, compose }) =>
      compose === undefined
        ? null
        : ([drawn, at]) => {
            const x = all.at(at)
            const middle = apply(x)
            const between = Object.fromEntries(sizes.outputs.map(({ name }, k) => [name, middle[k] ?? 0]))
            return expectSame(defined(drawn)(between), compose(drawn)(x))
          },
  )
}

const kit = (
  sizes: LinearSizes,
  layout: LinearSpec | null,
  invertible: boolean,
): Kit<ForeignLinearLayout> => {
  const all = coordinates(sizes.inputs)
  const extents = sizes.outputs.map(({ bits }) => 2 ** bits)
  const definition: ReadonlyArray<Law<ForeignLinearLayout>> =
    layout === null
      ? []
      : [
          forAll(
            'linear.definition',
            'the value of the layout',
            all,
            ({ apply }) =>
              (x) =>
                expectSame(defined(layout)(x), apply(x)),
          ),
        ]
  return {
    name: `linear layout onto ${showShape(extents)}`,
    laws: [
      forAll('linear.range', 'every value is inside the outputs', all, ({ apply }) => (x) => {
        const found = apply(x)
        return expectThat(inside(found, extents), `an index of ${showShape(extents)}`, found)
      }),
      forAll('linear.xor', 'apply(x xor y) = apply(x) xor apply(y)', all, ({ apply }) => (x) => {
        const parts = split(sizes.inputs, x)
        return expectSame(
          parts === null ? extents.map(() => 0) : xor(apply(parts.low), apply(parts.rest)),
          apply(x),
        )
      }),
      forAll('linear.inverse', 'invert(apply(x)) = x', all, ({ apply, invert }) =>
        invert === undefined || !invertible
          ? null
          : (x) => {
              const back = invert(apply(x))
              const listed = (c: Coordinates): string => all.show(c)
              return listed(back) === listed(x) ? null : { expected: listed(x), found: listed(back) }
            },
      ),
      composition(sizes, all),
      ...definition,
    ],
  }
}

/** For any linear layout of these sizes; `invert`, if there is one, has to undo it. At most 30 bits on either side. */
export const anyLinearLayoutLaws = (sizes: LinearSizes): Kit<ForeignLinearLayout> => kit(sizes, null, true)

/** For this layout; an `invert` is asked for only where no two coordinates have one value. */
export const linearLayoutLaws = (layout: LinearLayout): Kit<ForeignLinearLayout> =>
  kit(
    {
      inputs: inputDimensions(layout).map(({ name, size }) => ({ name, bits: Math.log2(size) })),
      outputs: layout.outputs.map(({ name, size }) => ({ name, bits: Math.log2(size) })),
    },
    layout,
    isInjective(layout),
  )
