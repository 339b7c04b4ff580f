/** Small linear layouts, and what they do, point by point. */
import fc from 'fast-check'
import type {
  Dimension,
  LinearInput,
  LinearLayout,
  LinearSpec,
} from '../../../src/layouts/linear/linear-layout.js'
import * as L from '../../../src/layouts/linear/linear-layout.js'
import { indices, range } from '../captured.js'
import { right } from '../../either.js'

/** A layout of `[name, bases]` and `[name, size]`. */
export const layout = (
  inputs: readonly (readonly [string, readonly (readonly number[])[]])[],
  outputs: readonly (readonly [string, number])[],
): LinearLayout =>
  right(
    L.linearLayout({
      inputs: inputs.map(([name, bases]) => ({ name, bases })),
      outputs: outputs.map(([name, size]) => ({ name, size })),
    }),
  )

/** What somebody reads off a layout. */
export const plain = ({ inputs, outputs }: LinearSpec): unknown => ({
  inputs: inputs.map(({ name, bases }) => [name, bases]),
  outputs: outputs.map(({ name, size }) => [name, size]),
})

export type Point = Readonly<Record<string, number>>

/** All points of some dimensions, the first running fastest: the order of the flattened numbers. */
export const points = (dimensions: readonly Dimension[]): readonly Point[] =>
  indices([...dimensions].reverse().map(({ size }) => size)).map((index) =>
    Object.fromEntries([...index].reverse().map((v, k) => [dimensions[k]!.name, v])),
  )

export const pointsIn = (l: LinearSpec): readonly Point[] => points(L.inputDimensions(l))
export const pointsOut = (l: LinearSpec): readonly Point[] => points(l.outputs)

/** The value at a point, by repeated halving of its coordinates; coordinates that are not given are 0. */
export const valueAt =
  (l: LinearSpec) =>
  (x: Point): Point => {
    const value: Record<string, number> = Object.fromEntries(l.outputs.map(({ name }) => [name, 0]))
    for (const { name, bases } of l.inputs) {
      let rest = x[name] ?? 0
      for (const basis of bases) {
        if (rest % 2 === 1) l.outputs.forEach((out, d) => (value[out.name] = value[out.name]! ^ basis[d]!))
        rest = Math.floor(rest / 2)
      }
    }
    return value
  }

/** A point as text, whatever the order of its dimensions. */
export const key = (x: Point): string =>
  Object.entries(x)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, v]) => `${name}=${String(v)}`)
    .join()

/** How many values a layout takes. */
export const imageSize = (l: LinearSpec): number => new Set(pointsIn(l).map((x) => key(valueAt(l)(x)))).size

/** All layouts of these input and output bits. */
export const every = (
  inputs: readonly (readonly [string, number])[],
  outputs: readonly (readonly [string, number])[],
): readonly LinearLayout[] => {
  const bits = inputs.reduce((sum, [, n]) => sum + n, 0)
  const shape = outputs.map(([, size]) => size)
  return indices(range(bits).flatMap(() => shape)).map((flat) => {
    let from = 0
    return layout(
      inputs.map(([name, n]) => [name, range(n).map(() => flat.slice(from, (from += shape.length)))]),
      outputs,
    )
  })
}

/** A layout of some of these inputs and outputs, in this order, with up to `bits` bits each. */
export const layouts = (
  inputs: readonly string[],
  outputs: readonly string[],
  bits = 2,
): fc.Arbitrary<LinearLayout> =>
  fc
    .record({
      ins: fc.subarray([...inputs]),
      outs: fc.subarray([...outputs]),
      inBits: fc.array(fc.nat(bits), { minLength: inputs.length, maxLength: inputs.length }),
      outBits: fc.array(fc.nat(bits), { minLength: outputs.length, maxLength: outputs.length }),
    })
    .chain(({ ins, outs, inBits, outBits }) => {
      const dims = outs.map((name, k) => [name, 2 ** outBits[k]!] as const)
      return fc
        .tuple(
          ...ins.map((name, k) =>
            fc
              .array(fc.tuple(...dims.map(([, size]) => fc.nat(size - 1))), {
                minLength: inBits[k]!,
                maxLength: inBits[k]!,
              })
              .map((bases): readonly [string, readonly (readonly number[])[]] => [name, bases]),
          ),
        )
        .map((made) => layout(made, dims))
    })

export type { LinearInput, LinearLayout }
