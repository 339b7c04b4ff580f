/**
 * Block-scaled tensor-core arithmetic: products of narrow floats that share scales.
 *
 * Every `block` elements of a row of A, and of a column of B, share a scale: D = sum over blocks of (A_b SFA_b)(B_b SFB_b) + C. The sum is
 * the one-shot aligned truncated sum of `tensor-core.ts`; what differs is its terms.
 *
 * | kind            | inputs                 | scales      | block  | K  | terms                                       | exponent of a term          | F  |
 * |-----------------|------------------------|-------------|--------|----|---------------------------------------------|-----------------------------|----|
 * | mxf8f6f4        | e4m3, e5m2, e2m3, e3m2, e2m1, mix | e8m0        | 32     | 32 | the 32 products                             | e_a + e_b + both scales'    | 25 |
 * | mxf4, mxf4nvf4  | e2m1                   | e8m0, ue4m3 | 32, 16 | 64 | 4 sums of 16 products, exact, times the significands of both scales | both scales' | 35 |
 *
 * with c as one more term; f32 results, toward zero. A scale is significand * 2^exponent: of e8m0 the significand is 1, of ue4m3 it is below 2,
 * and below 1 where the scale is subnormal.
 *
 * By hand, mxf4, c = 0, sixteen products 0.5 * 0.5 under scales 2^3 and 2^-1: the group's sum is 4, its exponent 2, D = 4 * 2^2 = 16.
 *
 * Two operands of e2m1 are of either kind: `types.kind` says which.
 *
 * NaN: if an input or a scale is; e5m2 has infinities, which behave as in `tensor-core.ts`. A group whose sum is zero takes no part in the alignment.
 *
 * No model was published for e2m3 and e3m2: the row of their kind is taken for them. Not known here, and refused: K of 96.
 *
 * Laws
 * 1. `scaledMma` equals `scaledSum` chained over k, bit for bit.
 * 2. With all scales 1 the first row is the f8f6f4 row of `tensor-core.ts`.
 * 3. Where no term reaches below 2^(E - F), a block is its exact sum, rounded once.
 * 4. Doubling a scale of e8m0 in all of A doubles the product, where nothing over- or underflows and c is 0.
 *
 * Source: the model of Blackwell's block-scaled products in MMA-Sim (arXiv 2511.10909); PTX ISA, tcgen05.mma, block scaling.
 *
 * @fidelity documented
 */
import * as O from 'fp-ts/lib/Option.js'
import { greatest } from '../greatest.js'
import type { MmaShape, ScaledTypes } from './algebra.js'
import type { FloatDtype } from './dtype.js'
import {
  binaryExponent,
  decoder,
  encoder,
  formatOf,
  maxExponent,
  minExponent,
  powerOfTwo,
} from './float-format.js'

// ---------------------------------------------------------------------------------------------- model

export interface ScaledRules {
  readonly types: ScaledTypes
  /** products in one instruction, and in one term */
  readonly blockK: number
  readonly group: number
  /** F: bits kept below the largest exponent */
  readonly alignmentBits: number
  readonly exponentFloor: number
}

// ---------------------------------------------------------------------------------------- constructors

const ofKindF8f6f4: readonly FloatDtype[] = ['e4m3', 'e5m2', 'e2m3', 'e3m2', 'e2m1']

/** The rules for a combination of types, none if no instruction has it or its arithmetic is not published. */
export const scaledRules = (types: ScaledTypes): O.Option<ScaledRules> => {
  const { a, b, acc, scale, block, kind } = types
  const exponentFloor = minExponent(formatOf('f32')) - 7
  if (acc !== 'f32') return O.none
  if (a === 'e2m1' && b === 'e2m1' && kind === undefined && (scale === 'e8m0' || block === 16))
    return O.some({ types, blockK: 64, group: 16, alignmentBits: 35, exponentFloor })
  return ofKindF8f6f4.includes(a) && ofKindF8f6f4.includes(b) && scale === 'e8m0' && block === 32
    ? O.some({ types, blockK: 32, group: 1, alignmentBits: 25, exponentFloor })
    : O.none
}

// ------------------------------------------------------------------- the definition: one element, one instruction

interface Exact {
  /** value * 2^scaleBits, exact */
  readonly units: bigint
  readonly exponent: number
}
/** Every number here is a multiple of 2^-unitBits. */
const unitBits = 700
const exact = (x: number): bigint => {
  const e = x === 0 ? 0 : binaryExponent(Math.abs(x)) - 52
  const integer = BigInt(x * powerOfTwo(-Math.max(e, -1000)))
  return integer * 2n ** BigInt(unitBits + Math.max(e, -1000))
}
const exponentOf = (dtype: FloatDtype, x: number): number =>
  Math.max(binaryExponent(Math.abs(x)), minExponent(formatOf(dtype)))

/**
 * One instruction on one accumulator element. All arguments and the result are bit patterns; `sa` and `sb` have one scale for each block.
 * Written to be read; `scaledMma` is its fast form.
 */
export const scaledSum =
  (rules: ScaledRules) =>
  (
    aPatterns: readonly number[],
    bPatterns: readonly number[],
    saPatterns: readonly number[],
    sbPatterns: readonly number[],
    cPattern: number,
  ): number => {
    const { types, group, alignmentBits, exponentFloor } = rules
    const a = aPatterns.map(decoder(types.a))
    const b = bPatterns.map(decoder(types.b))
    const sa = saPatterns.map(decoder(types.scale))
    const sb = sbPatterns.map(decoder(types.scale))
    const c = decoder('f32')(cPattern)
    const result = encoder('f32', 'rz')
    const scaleAt = (k: number): number => Math.floor(k / types.block)
    const specials = [...a.map((x, k) => x * b[k]! * sa[scaleAt(k)]! * sb[scaleAt(k)]!), c].filter(
      (x) => !Number.isFinite(x),
    )
    if (specials.length > 0) return result(specials.reduce((x, y) => x + y))
    const terms: Exact[] = []
    for (let k = 0; k < a.length; k += group) {
      const [p, q] = [sa[scaleAt(k)]!, sb[scaleAt(k)]!]
      const sum = Array.from({ length: group }, (_, i) => exact(a[k + i]! * b[k + i]!)).reduce(
        (x, y) => x + y,
      )
      if (sum === 0n || p === 0 || q === 0) continue
      const scales = exponentOf(types.scale, p) + exponentOf(types.scale, q)
      const own = group === 1 ? exponentOf(types.a, a[k]!) + exponentOf(types.b, b[k]!) : 0
      terms.push({ units: (sum * exact(p) * exact(q)) >> BigInt(2 * unitBits), exponent: scales + own })
    }
    if (c !== 0) terms.push({ units: exact(c), exponent: exponentOf('f32', c) })
    const alignment = greatest(exponentFloor)(terms.map((t) => t.exponent))
    const unit = 2n ** BigInt(unitBits + alignment - alignmentBits)
    const total = terms.reduce((sum, t) => sum + t.units / unit, 0n)
    const value = Number(total) * powerOfTwo(alignment - alignmentBits)
    return total === 0n ? result(0) : finite(value, result)
  }

/** A finite sum beyond the range is infinite, also toward zero; one that vanishes is +0. */
const finite = (x: number, pattern: (x: number) => number): number => {
  const overflows = binaryExponent(Math.abs(x)) > maxExponent(formatOf('f32'))
  const found = pattern(overflows ? (x < 0 ? -Infinity : Infinity) : x)
  return found === 0x80000000 ? 0 : found
}

// --------------------------------------------------------------------------------- the fast form: matrices

/** Values and exponents of a matrix, transposed if asked; a zero has an exponent that is never the largest. */
const zeroExponent = -(2 ** 20)
interface Operand {
  readonly values: Float64Array
  readonly exponents: Int32Array
}
const operand = (
  dtype: FloatDtype,
  patterns: Float64Array,
  rows: number,
  columns: number,
  transpose: boolean,
): Operand => {
  const value = decoder(dtype)
  const values = new Float64Array(rows * columns)
  const exponents = new Int32Array(rows * columns)
  for (let r = 0; r < rows; r++)
    for (let s = 0; s < columns; s++) {
      const x = value(patterns[r * columns + s]!)
      const at = transpose ? s * rows + r : r * columns + s
      values[at] = x
      exponents[at] = x === 0 || !Number.isFinite(x) ? zeroExponent : exponentOf(dtype, x)
    }
  return { values, exponents }
}

/** Values apart from their exponents; zeros and specials as they are. */
const significandsOf = ({ values, exponents }: Operand): Float64Array =>
  values.map((x, i) => (exponents[i] === zeroExponent ? x : x * powerOfTwo(-exponents[i]!)))

/**
 * d = c + (a sa)(b sb), `rules.blockK` of k at a time. Bit patterns, row-major: a m x k, b k x n, sa m x k/block, sb n x k/block, c and d m x n. k
 * must be a multiple of `rules.blockK`.
 *
 * In f64: a product or a group's sum is an integer of few bits, times significands of 4 bits; scaled by 2^(F - E) it stays below 2^50.
 */
export const scaledMma =
  (rules: ScaledRules, { m, n, k }: MmaShape) =>
  (a: Float64Array, b: Float64Array, sa: Float64Array, sb: Float64Array, c: Float64Array): Float64Array => {
    if (k === 0) return c.slice()
    const { types, blockK, group, alignmentBits, exponentFloor } = rules
    const blocks = k / types.block
    const { values: av, exponents: ae } = operand(types.a, a, m, k, false)
    const { values: bv, exponents: be } = operand(types.b, b, k, n, true)
    const p = operand(types.scale, sa, m, blocks, false)
    const q = operand(types.scale, sb, n, blocks, false)
    const [ps, qs] = [significandsOf(p), significandsOf(q)]
    const [pe, qe] = [p.exponents, q.exponents]
    const scaleOf = Int32Array.from({ length: k / group }, (_, t) => Math.floor((t * group) / types.block))
    const cv = c.map(decoder('f32'))
    const pattern = encoder('f32', 'rz')
    const value = decoder('f32')
    const d = new Float64Array(m * n)
    const terms = blockK / group
    const sums = new Float64Array(terms)
    const exponents = new Int32Array(terms)
    for (let i = 0; i < m; i++)
      for (let j = 0; j < n; j++) {
        let sum = cv[i * n + j]!
        for (let first = 0; first < k; first += blockK) {
          let alignment =
            sum === 0 || !Number.isFinite(sum)
              ? exponentFloor
              : Math.max(exponentFloor, exponentOf('f32', sum))
          let special = Number.isFinite(sum) ? 0 : sum
          for (let t = 0; t < terms; t++) {
            const k0 = first + t * group
            const s = scaleOf[k0 / group]!
            let products = 0
            for (let g = 0; g < group; g++) products += av[i * k + k0 + g]! * bv[j * k + k0 + g]!
            // significands apart from their exponents, so that nothing is out of range
            const term = products * ps[i * blocks + s]! * qs[j * blocks + s]!
            sums[t] = term
            if (term === 0) continue
            if (!Number.isFinite(term)) {
              special += term
              continue
            }
            const scales = pe[i * blocks + s]! + qe[j * blocks + s]!
            exponents[t] = scales
            const exponent = scales + (group === 1 ? ae[i * k + k0]! + be[j * k + k0]! : 0)
            if (exponent > alignment) alignment = exponent
          }
          if (special !== 0) {
            sum = special
            continue
          }
          const up = alignmentBits - alignment
          let total = Math.trunc(sum * powerOfTwo(up))
          for (let t = 0; t < terms; t++)
            if (sums[t] !== 0) total += Math.trunc(sums[t]! * powerOfTwo(exponents[t]! + up))
          sum = total === 0 ? 0 : value(finite(total * powerOfTwo(alignment - alignmentBits), pattern))
        }
        d[i * n + j] = pattern(sum)
      }
    return d
  }
