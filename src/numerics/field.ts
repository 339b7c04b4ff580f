/**
 * The algebra of a prime field: equality of kernels as polynomials.
 *
 * A carrier is a residue modulo p = 2^26 - 5, the largest prime below 2^26. Give every input element an
 * independent random residue, run two kernels, compare the outputs: kernels that compute the same polynomial agree
 * always; kernels that differ agree with probability at most degree / p a trial (Schwartz-Zippel), 3e-8 for the
 * products of a matmul. Dtypes do not round, so an add in another order is the same, and a dropped, doubled or
 * misplaced tile is not.
 *
 * A literal x maps by the ring homomorphism from the dyadic rationals: every finite f64 is an integer over a power
 * of two, and 2 has an inverse. By hand: 3 -> 3, -1 -> p - 1, 0.5 -> (p + 1) / 2 = 33554430, since twice that is
 * p + 1. Infinities and NaN have no residue: they and a division by zero give the carrier NaN, which spreads.
 *
 * Lacking, since a field has no order and no analysis: compare, min, max, abs, the roots, exponentials and
 * logarithms, and conversion of a float to an integer. Casts between floats are the identity.
 *
 * Every product of two residues is below 2^52: exact in f64, no big integers needed.
 *
 * Laws: 1 (for every pattern: `constant` of the decoded value), 2, 3, 4 (exactly) of `algebra.ts`; and
 * 1. The field axioms, p prime: commutative, associative, distributive, 0 and 1, negation, inverses of non-zeros.
 * 2. `constant` is a homomorphism: of sums and products that are exact in f64.
 * 3. `element` is a function of (seed, tensor, index) and spreads evenly over the residues.
 */
import * as O from 'fp-ts/lib/Option.js'
import type {
  Algebra,
  Binary,
  BinaryOp,
  ElementaryUnary,
  Mma,
  MmaShape,
  ScaledMma,
  Unary,
  UnaryOp,
} from './algebra.js'
import { dequantised, dequantisedColumns } from './scales.js'
import { isFloat } from './dtype.js'
import { decode } from './float-format.js'
import { integerCast } from './integer.js'
import { integerMma } from './integer-product.js'
import { isSpecialUnary, meaningOf, type Meaning } from './special-functions/names.js'

/** The prime, 2^26 - 5. */
export const prime = 67108859

const inversePrime = 1 / prime

/**
 * A natural number below 2^26 p to its residue. The rounded quotient never crosses an integer: it is right at every
 * q p and every q p - 1, which exhaustion shows (law 1), and monotone in between.
 */
const reduce = (t: number): number => t - Math.floor(t * inversePrime) * prime

/** Sum of residues. */
export const addResidues: Binary = (x, y) => {
  const t = x + y
  return t >= prime ? t - prime : t
}

/** Difference of residues. */
export const subResidues: Binary = (x, y) => {
  const t = x - y
  return t < 0 ? t + prime : t
}

/** Product of residues. */
export const mulResidues: Binary = (x, y) => reduce(x * y)

const power = (x: number, exponent: number): number => {
  let result = 1
  let square = x
  for (let e = exponent; e > 0; e = Math.floor(e / 2)) {
    if (e % 2 === 1) result = mulResidues(result, square)
    square = mulResidues(square, square)
  }
  return result
}

/** Multiplicative inverse (Fermat); zero has none: NaN. */
export const inverseResidue: Unary = (x) => (x === 0 || x !== x ? NaN : power(x, prime - 2))

const half = (prime + 1) / 2

/** The residue of a dyadic rational, that is of any finite f64; NaN for the others. */
export const residueOf = (x: number): number => {
  if (!Number.isFinite(x)) return NaN
  let numerator = Math.abs(x)
  let denominatorPower = 0
  while (!Number.isInteger(numerator)) {
    numerator *= 2
    denominatorPower += 1
  }
  const magnitude = mulResidues(numerator % prime, power(half, denominatorPower))
  return x < 0 && magnitude !== 0 ? prime - magnitude : magnitude
}

/** A 32-bit finaliser: every output bit depends on every input bit. */
const mix = (x: number): number => {
  const y = Math.imul(x ^ (x >>> 16), 0x21f0aaad)
  const z = Math.imul(y ^ (y >>> 15), 0x735a2d97)
  return (z ^ (z >>> 15)) >>> 0
}

/** 2^32 is this modulo the prime. */
const word = 320

/** The elements of an input: residues drawn from (seed, tensor number, element index), the same every time. */
export const elementsOf = (seed: number, tensor: number): ((index: number) => number) => {
  const first = mix(mix(seed + 0x9e3779b9) ^ (tensor + 0x7f4a7c15))
  const keyOf = (part: number): number => mix(first ^ part)
  const key0 = keyOf(0)
  return (index) => {
    const key = index < 4294967296 ? key0 : keyOf(Math.floor(index / 4294967296))
    const high = mix(key ^ mix(index >>> 0))
    const low = mix(high + 0x9e3779b9 + (index >>> 0))
    // 53 random bits, so the residues are even to within 2^-27
    return reduce((high >>> 11) * word + low)
  }
}

/** One of them. */
export const elementOf = (seed: number, tensor: number, index: number): number =>
  elementsOf(seed, tensor)(index)

const elementary = (op: ElementaryUnary | Meaning): O.Option<Unary> => {
  switch (op) {
    case 'neg':
      return O.some((x) => subResidues(0, x))
    case 'rcp':
      return O.some(inverseResidue)
    case 'abs':
    case 'exp2':
    case 'log2':
    case 'sqrt':
    case 'rsqrt':
    case 'exp':
    case 'log':
    case 'tanh':
    case 'expm1':
    case 'log1p':
    case 'sin':
    case 'cos':
    case 'erf':
      return O.none
  }
}

/** A special function is what it approximates. */
const unary = (op: UnaryOp): O.Option<Unary> => elementary(isSpecialUnary(op) ? meaningOf[op] : op)

const binary = (op: BinaryOp): O.Option<Binary> => {
  switch (op) {
    case 'add':
      return O.some(addResidues)
    case 'sub':
      return O.some(subResidues)
    case 'mul':
      return O.some(mulResidues)
    case 'div':
    case 'div.full.f32':
    case 'div.full.ftz.f32':
    case 'div.approx.ftz.f32':
      return O.some((x, y) => mulResidues(x, inverseResidue(y)))
    case 'dividend.div.full.f32':
      return O.some((x) => x)
    case 'min':
    case 'max':
      return O.none
  }
}

const mma =
  ({ m, n, k }: MmaShape): Mma =>
  (a, b, c) => {
    const d = c.slice()
    for (let i = 0; i < m; i++) {
      const row = d.subarray(i * n, (i + 1) * n)
      for (let p = 0; p < k; p++) {
        const x = a[i * k + p]!
        for (let j = 0; j < n; j++) {
          const t = x * b[p * n + j]!
          // A residue: 2^25 of them sum exactly, and still reduce.
          row[j]! += reduce(t)
        }
      }
    }
    return d.map(reduce)
  }

const scaledMma =
  (block: number, shape: MmaShape): ScaledMma =>
  (a, b, sa, sb, c) => {
    const product = mma(shape)
    return product(
      dequantised(a, shape.k, block, sa, mulResidues),
      dequantisedColumns(b, shape.n, shape.k, block, sb, mulResidues),
      c,
    )
  }

/** The algebra, and where its inputs come from. */
export interface Field extends Algebra {
  readonly name: 'field'
  readonly seed: number
  /** The residue of an input element: `tensor` is the number of the input, `index` the element's row-major index. */
  readonly element: (tensor: number, index: number) => number
}

/**
 * The field modulo 2^26 - 5 with the inputs of a seed.
 *
 * @example
 * ```ts
 * import { field } from 'tensorcore-spec/numerics'
 *
 * console.log(field(1).name) // field
 * ```
 */
export const field = (seed: number): Field => ({
  name: 'field',
  description: `residues modulo ${String(prime)}, inputs drawn from seed ${String(seed)}`,
  memory: 'slots',
  seed,
  element: (tensor, index) => elementOf(seed, tensor, index),
  constant: (_dtype, x) => residueOf(x),
  fromBits: (dtype, pattern) => residueOf(decode(dtype, pattern)),
  unary,
  binary,
  fma: () => O.some((x, y, z) => addResidues(mulResidues(x, y), z)),
  compare: () => O.none,
  cast: (from, to, _rounding, saturate) => {
    if (isFloat(from)) return isFloat(to) ? O.some((x) => x) : O.none
    return isFloat(to) ? O.some(residueOf) : integerCast(from, to, saturate)
  },
  mma: (types, shape) => (types.acc === 'i32' ? integerMma(types, shape) : O.some(mma(shape))),
  scaledMma: (types, shape) => O.some(scaledMma(types.block, shape)),
})
