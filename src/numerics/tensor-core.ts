/**
 * Tensor-core arithmetic: what one MMA instruction does to one accumulator element.
 *
 * An instruction takes a block of K products and the accumulator c and adds them *in one shot*: every term is
 * exact, all are aligned to the largest exponent among them, each is cut off (toward zero) F bits below that
 * exponent, the remains are added as integers, and the sum is rounded once. There is no order of summation and
 * no intermediate rounding; what a term loses depends on its largest neighbour. A longer K is a chain of
 * instructions through the accumulator register, which rounds each time.
 *
 * The formula. A value is s * m * 2^(e - f): sign, integer significand, exponent clamped at the format's least,
 * fraction bits. A product has exponent e_a + e_b, *not* normalised (its significand may be anything below 4).
 *
 * 1. Specials. NaN if an input is NaN, a product is infinity * 0, or both infinities meet; else an infinity if
 *    there is one. A finite product beyond the accumulator's range is not infinite.
 * 2. E = the largest exponent of a non-zero term, at least the floor.
 * 3. T = sign * floor(|term| / 2^(E - F)) for each term, c included.
 * 4. S = the sum of all T; S = 0 gives +0, whatever the signs.
 * 5. S * 2^(E - F) is rounded to the accumulator: toward zero (f32) or to nearest even (f16), at the format's
 *    fraction bits or fewer, at its least quantum when subnormal. 2^128 (65520 for f16) and above is infinite,
 *    also under truncation. A result that vanishes is +0.
 *
 * By hand, f16 -> f32, F = 25, c = 1, products 2^-25, 2^-25, 2^-26 and -2^-24, the rest zero: E = 0, so T is in
 * units of 2^-25: 2^25 + 1 + 1 + 0 - 2 = 2^25, D = 1. Exact arithmetic gives 1 + 2^-26, and f32 additions one
 * by one, to nearest, give 1, 1, 1, then 1 - 2^-24. The term 2^-26 was lost to c = 1; with c = 0 it would not be.
 *
 * The numbers that differ between chips and formats are data, `ArithmeticRules`:
 *
 * | instruction                | inputs                | K  | F  | floor f32, f16 | result                               |
 * |----------------------------|-----------------------|----|----|----------------|--------------------------------------|
 * | Hopper wgmma               | f16, bf16             | 16 | 25 | -133, -21      | f32 toward zero; f16 to nearest even |
 * | Hopper wgmma               | tf32                  | 8  | 25 | -133           | f32 toward zero                      |
 * | Hopper wgmma               | e4m3, e5m2, any mix   | 32 | 13 | -133, -21      | f32 toward zero at 13 fraction bits; f16 to nearest even |
 * | Blackwell tcgen05 f16      | f16, bf16             | 16 | 25 | -133, -21      | f32 toward zero; f16 to nearest even |
 * | Blackwell tcgen05 tf32     | tf32                  | 8  | 25 | -133           | f32 toward zero                      |
 * | Blackwell tcgen05 f8f6f4   | e4m3, e5m2, e2m3, e3m2, e2m1, mix | 32 | 25 | -133, -21 | f32 toward zero; f16 to nearest even |
 *
 * f16 results are of f16 and 8-bit inputs, not of bf16. So the two chips differ where Hopper drops bits of fp8,
 * and only there. By hand, e4m3 -> f32, c = 1 and one product 2^-9 * 2^-6 = 2^-15: E = 0; Hopper counts in units of
 * 2^-13 and gives 1, Blackwell in units of 2^-25 and gives 1 + 2^-15.
 *
 * Fidelity. Hopper: silicon; every row reproduces captured results of an H100, NaNs included
 * (`conformance/hopper`). Blackwell: documented; these rows are the published rule, and none was measured here.
 * The two published models agree on them but for step 2: Khattak and Mikaitis have a floor of -133 for f32 and
 * leave zeros out; MMA-Sim counts a zero at exponent -126, in effect a floor of -126 for every sum that holds
 * one. The first is taken, for all rows: the H100 decides for it (-126 contradicts the captured data), and
 * nothing says that this changed. It shows only in f32 sums of bf16 or tf32 near 2^-126 and below. Least certain is the
 * f16 floor, which shows only in f16 sums of f16: -21 is the H100's, and a revision of the B200 model of
 * Khattak and Mikaitis has -15. No model was published for e2m3 and e3m2: the row of their kind is taken for them. It can be
 * wrong only where it cuts off: products of both are multiples of 2^-8 of at most 784, so every block of them with c = 0 is exact. Not modelled: `scale-input-d`. Block-scaled kinds: `scaled-tensor-core.ts`; integers: `integer-product.ts`.
 *
 * Names: Pallas `wgmma`, `tcgen05_mma`; Triton `ttng.warp_group_dot`, `ttng.tc_gen5_mma`; PTX `wgmma.mma_async`,
 * `tcgen05.mma`; CuTe `SM90_64xNx16_..._SS`, `SM100_MMA_F16BF16_SS`.
 *
 * Laws
 * 1. By Hopper's rules, `blockSum` equals the captured results of the chip, bit for bit.
 * 2. `tensorCoreMma` equals `blockSum` chained over k, bit for bit, for all inputs.
 * 3. The order of the products does not matter; a block padded with zero products is the same block.
 * 4. Results are canonical: no negative zero, one NaN.
 * 5. On f16, bf16 and tf32 inputs the documented rule of Blackwell is the measured rule of Hopper.
 * 6. Where no term reaches below 2^(E - F), a block is its exact sum, rounded once.
 *
 * Source: own measurements on an H100; models published by Khattak and Mikaitis (arXiv 2512.07004) and in MMA-Sim
 * (arXiv 2511.10909); for the types of each kind, PTX ISA, "tcgen05.mma".
 *
 * @fidelity silicon (Hopper)
 * @fidelity documented (Blackwell)
 */
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import * as RA from 'fp-ts/lib/ReadonlyArray.js'
import { greatest } from '../greatest.js'
import type { FloatMmaTypes, MmaShape } from './algebra.js'
import type { FloatDtype } from './dtype.js'
import {
  binaryExponent,
  decoder,
  encoder,
  formatOf,
  maxExponent,
  minExponent,
  powerOfTwo,
  type FloatFormat,
} from './float-format.js'

/** All that distinguishes one tensor-core arithmetic from another. */
export interface ArithmeticRules {
  readonly types: FloatMmaTypes
  /** Products in one instruction. */
  readonly blockK: number
  /** F: bits kept below the largest exponent. */
  readonly alignmentBits: number
  /** The least alignment exponent. */
  readonly exponentFloor: number
  readonly rounding: 'rn' | 'rz'
  /** Fraction bits of the result; fewer than the accumulator's where the chip drops some. */
  readonly resultFractionBits: number
  /** silicon: reproduces captured results. documented: the published rule. */
  readonly fidelity: 'silicon' | 'documented'
}

// --- constructors ---------------------------------------------------------------------------------------------

/** A row of the header's table: any two of `inputs`, mixed or not, into any of `accumulators`. */
interface Row {
  readonly inputs: readonly FloatDtype[]
  readonly accumulators: readonly FloatDtype[]
  readonly blockK: number
  readonly alignmentBits: number
  /** Fraction bits of an f32 result. */
  readonly f32FractionBits: number
}

const hopperRows: readonly Row[] = [
  { inputs: ['f16'], accumulators: ['f32', 'f16'], blockK: 16, alignmentBits: 25, f32FractionBits: 23 },
  { inputs: ['bf16'], accumulators: ['f32'], blockK: 16, alignmentBits: 25, f32FractionBits: 23 },
  { inputs: ['tf32'], accumulators: ['f32'], blockK: 8, alignmentBits: 25, f32FractionBits: 23 },
  {
    inputs: ['e4m3', 'e5m2'],
    accumulators: ['f32', 'f16'],
    blockK: 32,
    alignmentBits: 13,
    f32FractionBits: 13,
  },
]

const blackwellRows: readonly Row[] = [
  { inputs: ['f16'], accumulators: ['f32', 'f16'], blockK: 16, alignmentBits: 25, f32FractionBits: 23 },
  { inputs: ['bf16'], accumulators: ['f32'], blockK: 16, alignmentBits: 25, f32FractionBits: 23 },
  { inputs: ['tf32'], accumulators: ['f32'], blockK: 8, alignmentBits: 25, f32FractionBits: 23 },
  {
    inputs: ['e4m3', 'e5m2', 'e2m3', 'e3m2', 'e2m1'],
    accumulators: ['f32', 'f16'],
    blockK: 32,
    alignmentBits: 25,
    f32FractionBits: 23,
  },
]

const rulesOf =
  (rows: readonly Row[], fidelity: ArithmeticRules['fidelity']) =>
  (types: FloatMmaTypes): O.Option<ArithmeticRules> => {
    const { a, b, acc } = types
    const accumulator = formatOf(acc)
    return pipe(
      rows,
      RA.findFirst(
        (row) => row.inputs.includes(a) && row.inputs.includes(b) && row.accumulators.includes(acc),
      ),
      O.map(({ blockK, alignmentBits, f32FractionBits }) => ({
        types,
        blockK,
        alignmentBits,
        exponentFloor: minExponent(accumulator) - 7,
        rounding: acc === 'f32' ? 'rz' : 'rn',
        resultFractionBits: acc === 'f32' ? f32FractionBits : accumulator.fractionBits,
        fidelity,
      })),
    )
  }

/**
 * Hopper's wgmma: the rules for a combination of types, none if the instruction does not exist.
 *
 * @fidelity silicon
 */
export const hopperRules: (types: FloatMmaTypes) => O.Option<ArithmeticRules> = rulesOf(hopperRows, 'silicon')

/**
 * Blackwell's tcgen05.mma of kinds f16, tf32 and f8f6f4, by the documented rule: the rules for a combination of types,
 * none if no instruction has it.
 *
 * @fidelity documented
 */
export const blackwellRules: (types: FloatMmaTypes) => O.Option<ArithmeticRules> = rulesOf(
  blackwellRows,
  'documented',
)

// --- the definition: one element, one instruction -------------------------------------------------------------

/** (-1)^negative * significand * 2^(exponent - fractionBits). */
interface Term {
  readonly negative: boolean
  readonly significand: bigint
  readonly exponent: number
  readonly fractionBits: number
}

/** The finite number that a pattern of the format stands for, in the form that alignment looks at. */
const termOf = (f: FloatFormat, value: number): Term => {
  const exponent = value === 0 ? minExponent(f) : Math.max(binaryExponent(Math.abs(value)), minExponent(f))
  return {
    negative: value < 0,
    significand: BigInt(Math.abs(value) * powerOfTwo(f.fractionBits - exponent)),
    exponent,
    fractionBits: f.fractionBits,
  }
}

const productOf = (x: Term, y: Term): Term => ({
  negative: x.negative !== y.negative,
  significand: x.significand * y.significand,
  exponent: x.exponent + y.exponent,
  fractionBits: x.fractionBits + y.fractionBits,
})

/** x * 2^shift for a natural x, rounded down. */
const shifted = (x: bigint, shift: number): bigint => (shift >= 0 ? x << BigInt(shift) : x >> BigInt(-shift))

/** x * 2^-drop for a natural x, rounded. */
const rounded = (x: bigint, drop: number, rounding: 'rn' | 'rz'): bigint => {
  const kept = shifted(x, -drop)
  if (rounding === 'rz' || drop <= 0) return kept
  const twiceRest = (x - (kept << BigInt(drop))) * 2n
  const unit = 1n << BigInt(drop)
  return twiceRest > unit || (twiceRest === unit && kept % 2n === 1n) ? kept + 1n : kept
}

/** Specials need no alignment: they follow the arithmetic of the extended reals. */
const specialSum = (a: readonly number[], b: readonly number[], c: number): O.Option<number> => {
  const products = a.map((x, k) => x * b[k]!)
  const specials = [...products, c].filter((x) => !Number.isFinite(x))
  return specials.length === 0 ? O.none : O.some(specials.reduce((x, y) => x + y))
}

/**
 * One instruction on one accumulator element: c plus the sum of a[k] * b[k].
 *
 * All arguments and the result are bit patterns, of `rules.types`; a and b have equal lengths, at most
 * `rules.blockK` (a shorter block is one padded with zeros). Written to be read; `tensorCoreMma` is its fast form.
 */
export const blockSum =
  (rules: ArithmeticRules) =>
  (aPatterns: readonly number[], bPatterns: readonly number[], cPattern: number): number => {
    const { types, alignmentBits, exponentFloor, resultFractionBits } = rules
    const accumulator = formatOf(types.acc)
    const a = aPatterns.map(decoder(types.a))
    const b = bPatterns.map(decoder(types.b))
    const c = decoder(types.acc)(cPattern)
    const result = encoder(types.acc)

    // 1. Specials. (The product of two finite inputs is finite in f64.)
    const special = specialSum(a, b, c)
    if (O.isSome(special)) return result(special.value)

    // 2. The alignment exponent.
    const products = a.map((x, k) =>
      productOf(termOf(formatOf(types.a), x), termOf(formatOf(types.b), b[k]!)),
    )
    const terms = [...products, termOf(accumulator, c)].filter((t) => t.significand !== 0n)
    const alignment = greatest(exponentFloor)(terms.map((t) => t.exponent))

    // 3. and 4. The exact sum of the aligned, truncated terms, in units of 2^(alignment - F).
    const sum = terms.reduce((total, t) => {
      const kept = shifted(t.significand, t.exponent - t.fractionBits - (alignment - alignmentBits))
      return t.negative ? total - kept : total + kept
    }, 0n)
    if (sum === 0n) return result(0)

    // 5. One rounding.
    const unit = alignment - alignmentBits
    const magnitude = sum < 0n ? -sum : sum
    const leading = magnitude.toString(2).length - 1 + unit
    const quantum = Math.max(leading, minExponent(accumulator)) - resultFractionBits
    const significand = Number(rounded(magnitude, quantum - unit, rules.rounding))
    if (significand === 0) return result(0)
    // Now representable, or beyond the range: `result` does not round any more, but it overflows.
    const scaled = quantum > maxExponent(accumulator) ? Infinity : significand * powerOfTwo(quantum)
    return result(sum < 0n ? -scaled : scaled)
  }

// --- the fast form: matrices ----------------------------------------------------------------------------------

// Exponents of a zero and of a special: one never is the largest, the other always is, in any sum of two.
const zeroExponent = -(2 ** 20)
const specialExponent = 2 ** 22
const specialThreshold = 2 ** 20

/** The exponent by which a value takes part in alignment. */
const alignmentExponent = (x: number, minimum: number): number =>
  x === 0
    ? zeroExponent
    : Number.isFinite(x)
      ? Math.max(binaryExponent(Math.abs(x)), minimum)
      : specialExponent

interface Operand {
  readonly values: Float64Array
  readonly exponents: Int32Array
}

/** Values and exponents of a rows x columns matrix of patterns, transposed if asked. */
const operand = (
  dtype: FloatDtype,
  patterns: Float64Array,
  rows: number,
  columns: number,
  transpose: boolean,
): Operand => {
  const value = decoder(dtype)
  const minimum = minExponent(formatOf(dtype))
  const values = new Float64Array(rows * columns)
  const exponents = new Int32Array(rows * columns)
  for (let r = 0; r < rows; r++) {
    for (let s = 0; s < columns; s++) {
      const x = value(patterns[r * columns + s]!)
      const at = transpose ? s * rows + r : r * columns + s
      values[at] = x
      exponents[at] = alignmentExponent(x, minimum)
    }
  }
  return { values, exponents }
}

/** 2^52: adding it to a number in [0, 2^51) and taking it away again rounds to an integer, ties to even. */
const integerBit = 2 ** 52

/**
 * The matrix form: d = c + a b through a chain of instructions, `rules.blockK` of k at a time.
 *
 * `Float64Array`s of bit patterns, row-major: a m x k, b k x n, c and d m x n. k must be a multiple of
 * `rules.blockK`; the arguments are not changed. With k = 0, d is c.
 *
 * The same formula in f64: a truncated term is an integer below 2^(F + 2), a sum of them is far below 2^53, so
 * scaling by 2^(F - E), `Math.trunc` and `+` are exact.
 */
export const tensorCoreMma =
  (rules: ArithmeticRules, { m, n, k }: MmaShape) =>
  (a: Float64Array, b: Float64Array, c: Float64Array): Float64Array => {
    if (k === 0) return c.slice()
    const { types, blockK, alignmentBits, exponentFloor, resultFractionBits } = rules
    const { values: av, exponents: ae } = operand(types.a, a, m, k, false)
    const { values: bv, exponents: be } = operand(types.b, b, k, n, true)
    const { values: cv, exponents: ce } = operand(types.acc, c, m, n, false)
    const accumulator = formatOf(types.acc)
    const least = minExponent(accumulator)
    const largest = maxExponent(accumulator)
    const toNearest = rules.rounding === 'rn'
    const pattern = encoder(types.acc)
    const d = new Float64Array(m * n)

    for (let i = 0; i < m; i++) {
      for (let j = 0; j < n; j++) {
        let sum = cv[i * n + j]!
        let sumExponent = ce[i * n + j]!
        for (let block = 0; block < k; block += blockK) {
          const aFrom = i * k + block
          const bFrom = j * k + block

          let alignment = sumExponent > exponentFloor ? sumExponent : exponentFloor
          for (let p = 0; p < blockK; p++) {
            const exponent = ae[aFrom + p]! + be[bFrom + p]!
            if (exponent > alignment) alignment = exponent
          }

          if (alignment > specialThreshold) {
            for (let p = 0; p < blockK; p++) sum += av[aFrom + p]! * bv[bFrom + p]!
            sumExponent = specialExponent
            continue
          }

          const scale = powerOfTwo(alignmentBits - alignment)
          let total = Math.trunc(sum * scale)
          for (let p = 0; p < blockK; p++) total += Math.trunc(av[aFrom + p]! * bv[bFrom + p]! * scale)

          let magnitude = Math.abs(total)
          if (magnitude === 0) {
            sum = 0
            sumExponent = zeroExponent
            continue
          }
          const unit = alignment - alignmentBits
          const leading =
            magnitude < 4294967296 ? 31 - Math.clz32(magnitude) : 63 - Math.clz32(magnitude / 4294967296)
          const drop = (leading + unit > least ? leading : least - unit) - resultFractionBits
          if (drop > 0) {
            const scaled = magnitude * powerOfTwo(-drop)
            magnitude = (toNearest ? scaled + integerBit - integerBit : Math.trunc(scaled)) * powerOfTwo(drop)
            if (magnitude === 0) {
              sum = 0
              sumExponent = zeroExponent
              continue
            }
          }
          // Rounding to nearest may carry into the next exponent.
          const lead = (magnitude >= powerOfTwo(leading + 1) ? leading + 1 : leading) + unit
          sumExponent = lead > least ? lead : least
          sum = (total < 0 ? -magnitude : magnitude) * powerOfTwo(unit)
          if (sumExponent > largest) {
            sum = total < 0 ? -Infinity : Infinity
            sumExponent = specialExponent
          }
        }
        d[i * n + j] = pattern(sum)
      }
    }
    return d
  }
