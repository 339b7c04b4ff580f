/**
 * Linear layouts: functions on bits.
 *
 * A linear layout maps named input coordinates (register, lane, warp) to named output coordinates (dim0, dim1, ...), all of
 * power-of-two size, and is linear over GF(2): L(x xor y) = L(x) xor L(y). So it is given by its values at the powers
 * of two, the *bases*: `bases[i]` is the value at coordinate 2^i of that input.
 *
 *     lane 4 (i mod 8) + j div 2 of an 8 x 8 tile:  register [0,1]   lane [0,2] [0,4] [1,0] [2,0] [4,0]
 *     lane 13 = 8 + 4 + 1, register 1  ->  [2,0] xor [1,0] xor [0,2] xor [0,1] = [3, 3]
 *
 * A zero basis replicates: the lanes on both sides of that bit hold the same elements.
 *
 * Names: Triton `LinearLayout`, `#ttg.linear`; its blocked, mma, slice and dot-operand encodings are all of this kind.
 * CuTe's power-of-two layouts with an XOR swizzle are too.
 *
 * Laws
 * 1. `apply(l)(x xor y) = apply(l)(x) xor apply(l)(y)`, coordinate by coordinate.
 * 2. Surjective exactly when the rank over GF(2) is the number of output bits, injective when it is the number of input bits.
 * 3. `sliceDimension(d)` drops output d and then the registers that do nothing: lanes and warps replicate instead.
 * 4. `positionTable` lists the row-major positions of `apply`.
 *
 * Source: Triton, LinearLayout (arXiv 2505.23819) and its conversion tests.
 */
import * as E from 'fp-ts/lib/Either.js'
import type { Failure } from '../../failure.js'
import { refuse } from '../../failure.js'
import type { Index, Shape } from '../../transforms/shape.js'
import { rowMajorStrides } from '../../transforms/shape.js'

// ---------------------------------------------------------------------------------------------- model

export interface LinearInput {
  readonly name: string
  /** One value per bit, low bit first: one number per output. */
  readonly bases: ReadonlyArray<Index>
}

export interface LinearOutput {
  readonly name: string
  readonly size: number
}

declare const legalLinearLayout: unique symbol

/** A linear layout that nobody has checked yet. */
export interface LinearSpec {
  /** Minor to major. */
  readonly inputs: ReadonlyArray<LinearInput>
  readonly outputs: ReadonlyArray<LinearOutput>
}

/** Only `linearLayout` and `isLinearLayout` make one. */
export interface LinearLayout extends LinearSpec {
  readonly _tag: 'linear'
  readonly [legalLinearLayout]: true
}

export type LinearError = 'linear.output-size' | 'linear.basis-rank' | 'linear.basis-range' | 'linear.name'

// ---------------------------------------------------------------------------------------- constructors

const isPowerOfTwo = (n: number): boolean =>
  Number.isSafeInteger(n) && n > 0 && n < 2 ** 31 && (n & (n - 1)) === 0

const fault = ({ inputs, outputs }: LinearSpec): Failure<LinearError> | null => {
  for (const names of [inputs, outputs].map((dims) => dims.map((dim) => dim.name)))
    if (new Set(names).size !== names.length)
      return { code: 'linear.name', message: `Dimension names must be distinct, found ${names.join(', ')}` }
  const bad = outputs.find((out) => !isPowerOfTwo(out.size))
  if (bad !== undefined)
    return {
      code: 'linear.output-size',
      message: `Output ${bad.name} must have a power of two as size, found ${String(bad.size)}`,
    }
  for (const { name, bases } of inputs)
    for (const [bit, basis] of bases.entries()) {
      if (basis.length !== outputs.length)
        return {
          code: 'linear.basis-rank',
          message: `Basis ${String(bit)} of ${name} must have one coordinate for each of the ${String(outputs.length)} outputs, found [${basis.join(', ')}]`,
        }
      const d = basis.findIndex((v, k) => !(Number.isInteger(v) && v >= 0 && v < outputs[k]!.size))
      if (d >= 0)
        return {
          code: 'linear.basis-range',
          message: `Basis ${String(bit)} of ${name}, [${basis.join(', ')}], leaves output ${outputs[d]!.name} of size ${String(outputs[d]!.size)}`,
        }
    }
  return null
}

export const isLinearLayout = (spec: LinearSpec & { readonly _tag: 'linear' }): spec is LinearLayout =>
  fault(spec) === null

/** A linear layout. Refuses sizes that are not powers of two, bases of another rank or out of range, and repeated names. */
export const linearLayout = (spec: LinearSpec): E.Either<Failure<LinearError>, LinearLayout> => {
  const layout = { _tag: 'linear' as const, inputs: spec.inputs, outputs: spec.outputs }
  if (isLinearLayout(layout)) return E.right(layout)
  const why = fault(spec)
  return why === null ? refuse('linear.name', 'Illegal linear layout') : E.left(why)
}

/** Bases of registers, lanes and warps over dim0, dim1, ... of an array of this shape. */
export const registerLinearLayout = (
  shape: Shape,
  register: ReadonlyArray<Index>,
  lane: ReadonlyArray<Index>,
  warp: ReadonlyArray<Index>,
): E.Either<Failure<LinearError>, LinearLayout> =>
  linearLayout({
    inputs: [
      { name: 'register', bases: register },
      { name: 'lane', bases: lane },
      { name: 'warp', bases: warp },
    ],
    outputs: shape.map((size, d) => ({ name: `dim${String(d)}`, size })),
  })

// ----------------------------------------------------------------------------------------- destructors

/** Coordinates per input, 2^bits; 1 for an input the layout does not have. */
export const inputSize = (layout: LinearSpec, name: string): number =>
  2 ** (layout.inputs.find((input) => input.name === name)?.bases.length ?? 0)

export const outputShape = (layout: LinearSpec): Shape => layout.outputs.map((out) => out.size)

/** The value at the given input coordinates; inputs not named are 0. */
export const apply =
  (layout: LinearSpec) =>
  (coordinates: Readonly<Record<string, number>>): Index => {
    const value: number[] = new Array<number>(layout.outputs.length).fill(0)
    for (const { name, bases } of layout.inputs) {
      const x = coordinates[name] ?? 0
      for (let bit = 0; bit < bases.length; bit++)
        if (((x >>> bit) & 1) === 1) for (let d = 0; d < value.length; d++) value[d]! ^= bases[bit]![d]!
    }
    return value
  }

/** Row-major positions of the values at all coordinates of the named inputs, the first named running slowest. */
export const positionTable = (layout: LinearSpec, names: ReadonlyArray<string>): Int32Array => {
  // Sizes are powers of two, so row-major positions are the outputs' bits side by side and positions add by xor.
  const strides = rowMajorStrides(outputShape(layout))
  let table = new Int32Array(1)
  for (const name of names) {
    const bases = layout.inputs.find((input) => input.name === name)?.bases ?? []
    const positions = new Int32Array(2 ** bases.length)
    bases.forEach((basis, bit) => {
      const position = basis.reduce((sum, v, d) => sum + v * strides[d]!, 0)
      for (let x = 2 ** bit; x < 2 ** (bit + 1); x++) positions[x] = positions[x - 2 ** bit]! ^ position
    })
    const longer = new Int32Array(table.length * positions.length)
    for (let i = 0, at = 0; i < table.length; i++)
      for (const position of positions) longer[at++] = table[i]! ^ position
    table = longer
  }
  return table
}

/** Every basis as one number: the outputs' bits side by side, dim0 major. */
const columns = (layout: LinearSpec): ReadonlyArray<bigint> =>
  layout.inputs.flatMap(({ bases }) =>
    bases.map((basis) =>
      basis.reduce((packed, v, d) => packed * BigInt(layout.outputs[d]!.size) + BigInt(v), 0n),
    ),
  )

/** Rank over GF(2). */
export const rank = (layout: LinearSpec): number => {
  const reduced: bigint[] = []
  for (const column of columns(layout)) {
    let rest = column
    for (const pivot of reduced) if ((rest ^ pivot) < rest) rest ^= pivot
    if (rest !== 0n) reduced.push(rest)
  }
  return reduced.length
}

const inputBits = (layout: LinearSpec): number =>
  layout.inputs.reduce((bits, input) => bits + input.bases.length, 0)
const outputBits = (layout: LinearSpec): number =>
  layout.outputs.reduce((bits, out) => bits + Math.log2(out.size), 0)

export const isSurjective = (layout: LinearSpec): boolean => rank(layout) === outputBits(layout)
export const isInjective = (layout: LinearSpec): boolean => rank(layout) === inputBits(layout)

// ----------------------------------------------------------------------------------------- combinators

/** The layout of an array that lost dimension d (Triton's slice encoding): registers that only told d apart are dropped. */
export const sliceDimension =
  (d: number) =>
  (layout: LinearLayout): E.Either<Failure<LinearError>, LinearLayout> => {
    const without = (index: Index): Index => index.filter((_, k) => k !== d)
    return linearLayout({
      inputs: layout.inputs.map(({ name, bases }) => ({
        name,
        bases: bases.map(without).filter((basis) => name !== 'register' || basis.some((v) => v !== 0)),
      })),
      outputs: layout.outputs
        .filter((_, k) => k !== d)
        .map(({ size }, k) => ({ name: `dim${String(k)}`, size })),
    })
  }
