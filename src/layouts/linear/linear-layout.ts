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
 * Inputs and outputs are ordered, minor to major. The order says nothing about the function; it matters where several
 * coordinates become one number (`columns`, reshaping) and for equality.
 *
 * Names: Triton `LinearLayout`, `#ttg.linear`; its blocked, mma, slice and dot-operand encodings are all of this kind.
 * CuTe's power-of-two layouts with an XOR swizzle are too.
 *
 * Laws
 * 1. `apply(l)(x xor y) = apply(l)(x) xor apply(l)(y)`, coordinate by coordinate.
 * 2. Surjective exactly when the rank over GF(2) is the number of output bits, injective when it is the number of input
 *    bits.
 * 3. `sliceDimension(d)` drops output d and then the registers that do nothing: lanes and warps replicate instead.
 * 4. `positionTable` lists the row-major positions of `apply`.
 * 5. `identity1D(n)(x) = x`, `strided1D(n, s)(x) = s x`, `zeros1D(n)(x) = 0` for x < n.
 * 6. `linearLayoutInferred` gives every output the least size its bases fit in, and accepts what is onto these sizes.
 * 7. `fromColumns(inputDimensions(l), l.outputs, columns(l)) = l`.
 *
 * Source: Triton, LinearLayout (arXiv 2505.23819) and its conversion tests.
 */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { greatest } from '../../greatest.js'
import type { Failure } from '../../failure.js'
import { failure, refuse, unreachable } from '../../failure.js'
import type { Index, Shape } from '../../transforms/shape.js'
import { rowMajorStrides } from '../../transforms/shape.js'
import * as GF2 from '../gf2.js'
import { own } from '../../own.js'

// ---------------------------------------------------------------------------------------------- model

export interface LinearInput {
  readonly name: string
  /** One value per bit, low bit first: one number per output. */
  readonly bases: ReadonlyArray<Index>
}

export interface Dimension {
  readonly name: string
  /** A power of two. */
  readonly size: number
}

export type LinearOutput = Dimension

declare const legalLinearLayout: unique symbol

/** A linear layout that is not checked yet. */
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

export type LinearError =
  | 'linear.output-size'
  | 'linear.input-size'
  | 'linear.basis-rank'
  | 'linear.basis-range'
  | 'linear.name'
  /** A dimension that the layout has not, or two sets of dimensions that should be one. */
  | 'linear.dimension'
  /** Two layouts list the dimensions that they share in different orders. */
  | 'linear.order'
  /** A dimension of another size than the operation needs. */
  | 'linear.size'
  | 'linear.not-surjective'
  | 'linear.not-invertible'
  /** Asked to find an input for a value that the layout does not take. */
  | 'linear.outside-image'

/** What the operations on linear layouts return. */
export type Result<A> = E.Either<Failure<LinearError>, A>

// ------------------------------------------------------------------------------------------- dimensions

export const inputNames = (layout: LinearSpec): ReadonlyArray<string> =>
  layout.inputs.map((input) => input.name)

export const outputNames = (layout: LinearSpec): ReadonlyArray<string> =>
  layout.outputs.map((out) => out.name)

/** The inputs and their sizes. */
export const inputDimensions = (layout: LinearSpec): ReadonlyArray<Dimension> =>
  layout.inputs.map(({ name, bases }) => ({ name, size: 2 ** bases.length }))

/** `dim0 8, dim1 16`: how messages list dimensions. */
export const showDimensions = (dimensions: ReadonlyArray<Dimension>): string =>
  `(${dimensions.map(({ name, size }) => `${name} ${String(size)}`).join(', ')})`

/** Bits of an index into these dimensions. */
export const bitsOf = (dimensions: ReadonlyArray<Dimension>): number =>
  dimensions.reduce((bits, { size }) => bits + Math.log2(size), 0)

// ---------------------------------------------------------------------------------------- constructors

/** 2^0 to 2^30: what 32-bit integers xor without a sign. */
export const isPowerOfTwo = (n: number): boolean =>
  Number.isSafeInteger(n) && n > 0 && n < 2 ** 31 && (n & (n - 1)) === 0

/** The first size that is no power of two, as a failure. */
export const unevenSize = (
  kind: 'input' | 'output',
  dimensions: ReadonlyArray<Dimension>,
): Failure<LinearError> | null => {
  const bad = dimensions.find(({ size }) => !isPowerOfTwo(size))
  return bad === undefined
    ? null
    : failure(
        `linear.${kind}-size`,
        `The size of ${kind} ${bad.name} must be a power of two, at most 2^30, found ${String(bad.size)}`,
      )
}

const repeatedName = (names: ReadonlyArray<string>): Failure<LinearError> | null =>
  new Set(names).size === names.length
    ? null
    : failure('linear.name', `Dimension names must be distinct, found ${names.join(', ')}`)

const strayBasis = ({ inputs, outputs }: LinearSpec): Failure<LinearError> | null => {
  for (const { name, bases } of inputs)
    for (const [bit, basis] of bases.entries()) {
      if (basis.length !== outputs.length)
        return failure(
          'linear.basis-rank',
          `Basis ${String(bit)} of ${name} must have one coordinate for each of the ${String(outputs.length)} outputs, found [${basis.join(', ')}]`,
        )
      const d = basis.findIndex((v, k) => !(Number.isInteger(v) && v >= 0 && v < outputs[k]!.size))
      if (d >= 0)
        return failure(
          'linear.basis-range',
          `Basis ${String(bit)} of ${name}, [${basis.join(', ')}], leaves output ${outputs[d]!.name} of size ${String(outputs[d]!.size)}`,
        )
    }
  return null
}

/** Inputs, and outputs: what is asked of a layout is asked of every pair of them. */
export const mostDimensions = 256

/** More dimensions than are looked at, as a failure. */
export const tooMany = (
  kind: 'inputs' | 'outputs',
  dimensions: ReadonlyArray<unknown>,
): Failure<LinearError> | null =>
  dimensions.length <= mostDimensions
    ? null
    : failure(
        'linear.dimension',
        `A layout has at most ${String(mostDimensions)} ${kind}, found ${String(dimensions.length)}`,
      )

const fault = (spec: LinearSpec): Failure<LinearError> | null =>
  tooMany('inputs', spec.inputs) ??
  tooMany('outputs', spec.outputs) ??
  repeatedName(inputNames(spec)) ??
  repeatedName(outputNames(spec)) ??
  unevenSize('output', spec.outputs) ??
  unevenSize('input', inputDimensions(spec)) ??
  strayBasis(spec)

export const isLinearLayout = (spec: LinearSpec & { readonly _tag: 'linear' }): spec is LinearLayout =>
  fault(spec) === null

/** A linear layout. Refuses sizes that are not powers of two, bases of another rank or out of range, and repeated names. */
export const linearLayout = ({ inputs, outputs }: LinearSpec): Result<LinearLayout> =>
  pipe(
    { _tag: 'linear' as const, inputs, outputs },
    E.fromPredicate(isLinearLayout, (spec) => fault(spec) ?? unreachable('a fault that comes and goes')),
  )

/** A layout onto its outputs, each of the least size that its bases fit in. Refuses a layout that leaves out values. */
export const linearLayoutInferred = (
  inputs: ReadonlyArray<LinearInput>,
  outputs: ReadonlyArray<string>,
): Result<LinearLayout> => {
  const bases = inputs.flatMap((input) => input.bases)
  return pipe(
    linearLayout({
      inputs,
      outputs: outputs.map((name, d) => ({
        name,
        size: 2 ** (32 - Math.clz32(greatest(0)(bases.map((basis) => basis[d] ?? 0)))),
      })),
    }),
    E.chain((layout) =>
      isSurjective(layout)
        ? E.right(layout)
        : refuse(
            'linear.not-surjective',
            `The bases reach 2^${String(rank(layout))} values of the outputs ${showDimensions(layout.outputs)}: give the sizes, or bases onto them`,
          ),
    ),
  )
}

/** The powers of two below `size`: at most 31, whatever `size` is. */
const powersBelow = (size: number): ReadonlyArray<number> => {
  const powers: number[] = []
  for (let bit = 0; bit < 31 && 2 ** bit < size; bit++) powers.push(2 ** bit)
  return powers
}

/** x -> stride * x for x < size; the output has size stride * size. */
export const strided1D = (
  size: number,
  stride: number,
  input: string,
  output: string,
): Result<LinearLayout> =>
  linearLayout({
    inputs: [{ name: input, bases: powersBelow(size).map((power) => [stride * power]) }],
    outputs: [{ name: output, size: stride * size }],
  })

/** x -> x for x < size. */
export const identity1D = (size: number, input: string, output: string): Result<LinearLayout> =>
  strided1D(size, 1, input, output)

/** x -> 0 for x < size. */
export const zeros1D = (
  size: number,
  input: string,
  output: string,
  outputSize: number = 1,
): Result<LinearLayout> => {
  const uneven = unevenSize('input', [{ name: input, size }])
  return uneven === null
    ? linearLayout({
        inputs: [{ name: input, bases: powersBelow(size).map(() => [0]) }],
        outputs: [{ name: output, size: outputSize }],
      })
    : E.left(uneven)
}

/** No inputs, no outputs. */
export const empty: LinearLayout = pipe(
  linearLayout({ inputs: [], outputs: [] }),
  E.getOrElse((why): LinearLayout => unreachable(why.message)),
)

/** dim0, dim1, ... of these sizes. */
export const standardOutputs = (shape: Shape): ReadonlyArray<Dimension> =>
  shape.map((size, d) => ({ name: `dim${String(d)}`, size }))

/** The layout with these columns: the inputs take as many as they have bits, in order; see `columns`. */
export const fromColumns = (
  inputs: ReadonlyArray<Dimension>,
  outputs: ReadonlyArray<Dimension>,
  columns: GF2.Matrix,
): Result<LinearLayout> => {
  const uneven = unevenSize('input', inputs) ?? unevenSize('output', outputs)
  if (uneven !== null) return E.left(uneven)
  if (bitsOf(inputs) !== columns.length)
    return refuse(
      'linear.size',
      `Inputs ${showDimensions(inputs)} have ${String(bitsOf(inputs))} bits, expected the ${String(columns.length)} of the layout`,
    )
  let from = 0
  return linearLayout({
    inputs: inputs.map((input) => {
      const mine = columns.slice(from, from + bitsOf([input]))
      from += mine.length
      return { name: input.name, bases: mine.map(unpack(outputs)) }
    }),
    outputs,
  })
}

/** Low bits first: one coordinate per output. */
const unpack =
  (outputs: ReadonlyArray<Dimension>) =>
  (column: bigint): Index => {
    let rest = column
    return outputs.map(({ size }) => {
      const coordinate = Number(rest % BigInt(size))
      rest /= BigInt(size)
      return coordinate
    })
  }

/** Bases of registers, lanes and warps over dim0, dim1, ... of an array of this shape. */
export const registerLinearLayout = (
  shape: Shape,
  register: ReadonlyArray<Index>,
  lane: ReadonlyArray<Index>,
  warp: ReadonlyArray<Index>,
): Result<LinearLayout> =>
  linearLayout({
    inputs: [
      { name: 'register', bases: register },
      { name: 'lane', bases: lane },
      { name: 'warp', bases: warp },
    ],
    outputs: standardOutputs(shape),
  })

// ----------------------------------------------------------------------------------------- destructors

/** The bases of an input; none for an input the layout does not have. */
export const basesOf = (layout: LinearSpec, name: string): ReadonlyArray<Index> =>
  layout.inputs.find((input) => input.name === name)?.bases ?? []

/** Coordinates per input, 2^bits; 1 for an input the layout does not have. */
export const inputSize = (layout: LinearSpec, name: string): number => 2 ** basesOf(layout, name).length

/** Size of an output; 1 for an output the layout does not have. */
export const outputSize = (layout: LinearSpec, name: string): number =>
  layout.outputs.find((out) => out.name === name)?.size ?? 1

export const outputShape = (layout: LinearSpec): Shape => layout.outputs.map((out) => out.size)

/** The value at the given input coordinates; inputs not named are 0. */
export const apply =
  (layout: LinearSpec) =>
  (coordinates: Readonly<Record<string, number>>): Index => {
    const value: number[] = new Array<number>(layout.outputs.length).fill(0)
    for (const { name, bases } of layout.inputs) {
      const x = own(coordinates, name) ?? 0
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
    const bases = basesOf(layout, name)
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

/**
 * The matrix of a layout: inputs and outputs flattened, minor first, low bits first. The outputs may be given in another
 * order or larger; coordinates of outputs that are not given are left out.
 */
export const columns = (
  layout: LinearSpec,
  outputs: ReadonlyArray<Dimension> = layout.outputs,
): GF2.Matrix => {
  const places = outputs.map(({ name }) => outputNames(layout).indexOf(name))
  return layout.inputs.flatMap(({ bases }) =>
    bases.map((basis) =>
      outputs.reduceRight(
        (packed, { size }, k) => packed * BigInt(size) + BigInt(basis[places[k]!] ?? 0),
        0n,
      ),
    ),
  )
}

/** Rank over GF(2). */
export const rank = (layout: LinearSpec): number => GF2.rank(columns(layout))

export const isSurjective = (layout: LinearSpec): boolean => rank(layout) === bitsOf(layout.outputs)
export const isInjective = (layout: LinearSpec): boolean => rank(layout) === bitsOf(inputDimensions(layout))

// ----------------------------------------------------------------------------------------- combinators

/** The layout of an array that lost dimension d (Triton's slice encoding): registers that only told d apart are dropped. */
export const sliceDimension =
  (d: number) =>
  (layout: LinearLayout): Result<LinearLayout> => {
    const without = (index: Index): Index => index.filter((_, k) => k !== d)
    return linearLayout({
      inputs: layout.inputs.map(({ name, bases }) => ({
        name,
        bases: bases.map(without).filter((basis) => name !== 'register' || basis.some((v) => v !== 0)),
      })),
      outputs: standardOutputs(without(outputShape(layout))),
    })
  }
