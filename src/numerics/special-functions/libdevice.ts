/**
 * Functions of libdevice, CUDA's mathematical library for compilers.
 *
 * Triton and others link the library as bitcode and inline it, so each function is a fixed sequence of instructions. They compile it with `__nvvm_reflect`
 * saying that subnormals are flushed: then its multiply-adds are `fma.rn.ftz`, while its products and sums stay `mul.f32` and `add.f32`. Mosaic GPU and nvcc
 * keep subnormals; then the multiply-adds are `fma.rn`, and an operand is compared as it is.
 *
 * | function    | how                                                                                                             |
 * |-------------|-----------------------------------------------------------------------------------------------------------------|
 * | log, log2   | x = m 2^e with m in [2/3, 4/3); a polynomial in m - 1; e ln 2, or e, is added                                     |
 * | log1p       | the same with m - 1 made of x, not of 1 + x                                                                     |
 * | exp         | n of the exponent by a rounded sum, ex2 of the rest, times 2^n                                                  |
 * | expm1       | x = n ln 2 + r; a polynomial in r, times 2^n                                                                    |
 * | sin, cos    | x = q pi/2 + r by three multiply-adds, from 105615 on by the digits of 2/pi; a polynomial in r^2                |
 * | erf         | two polynomials, of x^2 below 1.0029, of abs x from there, the second an exponent of 2                          |
 * | tanh        | a polynomial in x^2 below 0.6, else 1 - 2 / (1 + e^2x) with ex2 and rcp of the chip                              |
 *
 * By hand: log2(8): 8 is 1 * 2^3, the polynomial of 0 is 0, and the answer is 3 (0x40400000). sin(pi as f32) is -8.7422777e-8 (0xB3BBBD2E): q = 2,
 * and what f32 loses of pi is the rest.
 *
 * Laws
 * 1. Each is what its instructions compute one after the other, on every pattern.
 * 2. Each is within 2^-21 of the function it is named for, of the result or of 1, where the result is not subnormal.
 * 3. Where subnormals are kept, a function is the same on operands that are far from them, and right on subnormals.
 *
 * Source: the PTX that Triton 3.6 makes of a kernel that asks for each; CUDA libdevice user's guide.
 */
import { binary32Rows, flush32, nan32 } from '../scalar/binary32.js'
import type { Compute } from '../scalar/operation.js'
import { doubleOf, floatOf, productHigh, signBit, wordOf } from '../scalar/words.js'
import { ex2Flushed } from './ex2.js'
import { rcpFlushed } from './rcp.js'

const compute = (name: string): Compute => binary32Rows.find((row) => row.name === name)!.compute
const fma = compute('fma.rn.ftz.f32')
const fmaDown = compute('fma.rm.ftz.f32')
const addToZero = compute('add.rz.ftz.f32')
const mul = compute('mul.f32')
const mulFlushed = compute('mul.rn.ftz.f32')
const add = compute('add.f32')

/** From words to words, as from patterns to patterns. */
const onPatterns =
  (f: (x: number) => number): ((x: number) => number) =>
  (x) =>
    f(x | 0) >>> 0
const ex2 = (x: number): number => ex2Flushed(x >>> 0) | 0
const rcp = (x: number): number => rcpFlushed(x >>> 0) | 0
const fromInteger = (n: number): number => wordOf(n)
const magnitude = (x: number): number => flush32(x & 0x7fffffff)
const negated = (x: number): number => x ^ signBit

const one = 0x3f800000
const minusOne = 0xbf800000 | 0
const infinity = 0x7f800000
const minusInfinity = 0xff800000 | 0

/** The first coefficient times x, plus the next, times x, ... */
const polynomialBy =
  (multiplyAdd: Compute) =>
  (x: number, coefficients: ReadonlyArray<number>): number => {
    let sum = coefficients[0]!
    for (let k = 1; k < coefficients.length; k++) sum = multiplyAdd(sum, x, coefficients[k]!)
    return sum
  }
const polynomial = polynomialBy(fma)

/** What of a function is otherwise where subnormals are kept. */
interface Subnormals {
  readonly fma: Compute
  readonly flush: (x: number) => number
}
const flushing: Subnormals = { fma, flush: flush32 }
const keeping: Subnormals = { fma: compute('fma.rn.f32'), flush: (x) => x }
const of = <A>(f: (how: Subnormals) => A): { readonly flushed: A; readonly kept: A } => ({
  flushed: f(flushing),
  kept: f(keeping),
})
/** Coefficients as the instructions have them. */
const words = (...patterns: ReadonlyArray<number>): ReadonlyArray<number> => patterns.map((p) => p | 0)

// ---------------------------------------------------------------- logarithms

/** x (not a subnormal) = m 2^e; m lies from `lowest` to twice that. */
const parts = (x: number, lowest: number): { readonly exponent: number; readonly fraction: number } => {
  const exponent = ((x - lowest) | 0) & 0xff800000
  return { exponent, fraction: add((x - exponent) | 0, minusOne) }
}
/** 2^-23: the exponent of a word as a number. */
const unit = 0x34000000

const logarithm =
  ({ fma }: Subnormals, lowest: number, of: (fraction: number, exponent: number) => number) =>
  (given: number): number => {
    const isSmall = floatOf(given) < 2 ** -126
    const x = isSmall ? mul(given, 0x4b000000) : given
    const { exponent, fraction } = parts(x, lowest)
    const e = fma(fromInteger(exponent), unit, isSmall ? 0xc1b80000 | 0 : 0)
    // negative ones too: their sign is the uppermost bit
    const found = x >>> 0 < infinity ? of(fraction, e) : fma(x, infinity, infinity)
    return floatOf(x) === 0 ? minusInfinity : found
  }

const log2Coefficients = words(
  ...[0x3dc6b27f, 0xbe2c7f30, 0x3e2fcf2a, 0xbe374e43, 0x3e520bf4, 0xbe763c8b],
  ...[0x3e93bf99, 0xbeb8aa49, 0x3ef6384a, 0xbf38aa3b],
)
const log2f = of((how) =>
  onPatterns(
    logarithm(how, 1060439283, (x, e) => {
      const p = mul(x, mul(x, polynomialBy(how.fma)(x, log2Coefficients)))
      return add(e, how.fma(x, 0x3fb8aa3b, p))
    }),
  ),
)

const ln2 = 0x3f317218
const logCoefficients = words(
  ...[0xbe055027, 0x3e1039f6, 0xbdf8cdcc, 0x3e0f2955, 0xbe2ad8b9, 0x3e4ced0b],
  ...[0xbe7fff22, 0x3eaaaa78, 0xbf000000],
)
const logf = of((how) =>
  onPatterns(
    logarithm(how, 1059760811, (x, e) =>
      how.fma(e, ln2, how.fma(mul(x, polynomialBy(how.fma)(x, logCoefficients)), x, x)),
    ),
  ),
)

const log1pCoefficients = words(
  ...[0xbd39bf78, 0x3dd80012, 0xbe0778e0, 0x3e146475, 0xbe2a68dd, 0x3e4caf9e],
  ...[0xbe800042, 0x3eaaaae6, 0xbf000000],
)
export const log1pf: (x: number) => number = onPatterns((x) => {
  const exponent = (addToZero(x, one) - 1061158912) & 0xff800000
  // 4 2^-e / 4 - 1
  const scale = fma(0x3e800000, (1082130432 - exponent) | 0, minusOne)
  const fraction = add(scale, (x - exponent) | 0)
  const p = fma(mul(fraction, polynomial(fraction, log1pCoefficients)), fraction, fraction)
  const found = fma(mul(fromInteger(exponent), unit), ln2, p)
  if (x >>> 0 < infinity) return found
  const beyond = x < -1082130431 ? found : fma(x, infinity, infinity)
  return floatOf(x) === 0 ? signBit : beyond
})

// ---------------------------------------------------------------- exponential functions

const log2e = 0x3fb8aa3b
const saturated = (x: number): number => {
  const value = floatOf(flush32(x))
  return value > 0 ? wordOf(Math.min(value, 1)) : 0
}
export const expf: (x: number) => number = onPatterns((x) => {
  const t = saturated(fma(x, 0x3bbb989d, 0x3f000000))
  const sum = fmaDown(t, 0x437c0000, 0x4b400001)
  const n = add(sum, 0xcb40007f | 0)
  const rest = fma(x, 0x32a57060, fma(x, log2e, negated(n)))
  return mul(ex2(rest), sum << 23)
})

const nearest = (x: number): number => {
  const value = floatOf(x)
  if (value !== value) return nan32
  if (Math.abs(value) >= 2 ** 23) return x
  const down = Math.floor(value)
  const up = value - down > 0.5 || (value - down === 0.5 && down % 2 !== 0)
  return wordOf(Math.abs(up ? down + 1 : down)) | (x & signBit)
}
const expm1Coefficients = words(0x3ab5ebe6, 0x3c095663, 0x3d2aabe3, 0x3e2aa9f6, 0x3efffffe)
export const expm1f: (x: number) => number = onPatterns((x) => {
  const whole = nearest(mul(x, log2e))
  const n = floatOf(magnitude(x)) < floatOf(0x3ed1eb85) ? 0 : whole
  // 2^128 is no number: half of it, twice
  const isTop = floatOf(n) === 128
  const exponent = isTop ? 0x42fe0000 : n
  const scale = ex2(exponent)
  const rest = fma(negated(n), 0x35bfbe8e, fma(negated(n), 0x3f317200, x))
  const p = fma(mul(rest, polynomial(rest, expm1Coefficients)), rest, rest)
  const found = fma(p, scale, add(scale, minusOne))
  const whole2 = isTop ? add(found, found) : found
  const above = floatOf(exponent) > 128 ? infinity : whole2
  const within = floatOf(exponent) < -25 ? minusOne : above
  return floatOf(x) === 0 ? add(x, x) : within
})

const tanhCoefficients = words(0x3c80f082, 0xbd563cae, 0x3e085941, 0xbeaaa9ed, 0)
const tanhf = of(({ fma, flush }) =>
  onPatterns((x) => {
    const size = flush(x & 0x7fffffff)
    if (!(floatOf(size) >= floatOf(0x3f19999a)))
      return fma(polynomialBy(fma)(mul(x, x), tanhCoefficients), x, x)
    const quotient = rcp(add(ex2(mul(size, 0x4038aa3b)), one))
    const found = floatOf(size) >= floatOf(0x41102cb4) ? one : fma(quotient, 0xc0000000 | 0, one)
    return (x & signBit) | found
  }),
)

// ---------------------------------------------------------------- the error function

const erfOfLarge = words(0x3789ca3c, 0xb9f560b9, 0x3bac840b, 0xbd0c8162, 0x3e1cf906, 0x3f6a937e, 0x3f20d842)
const erfOfSmall = words(0x38b1e96a, 0xba574d20, 0x3baad5ea, 0xbcdc1be7, 0x3de718af, 0xbec093ac, 0x3e0375d3)
export const erff: (x: number) => number = onPatterns((x) => {
  const size = magnitude(x)
  const isLarge = floatOf(size) >= floatOf(0x3f8060fe)
  const t = isLarge ? size : mul(x, x)
  const factor = isLarge ? negated(t) : x
  const found = fma(polynomial(t, isLarge ? erfOfLarge : erfOfSmall), factor, factor)
  return isLarge ? (x & signBit) | add(one, negated(ex2(found))) : found
})

// ---------------------------------------------------------------- sine and cosine

/** Bits of 2 / pi behind the point, the lowest word first. */
const twoOverPi = words(0x3c439041, 0xdb629599, 0xf534ddc0, 0xfc2757d1, 0x4e441529, 0xa2f9836e)

interface Reduced {
  /** how many quarters of a turn; two bits of it count */
  readonly quarters: number
  readonly rest: number
}
/** Two words shifted to the left, the upper one of what comes out; by less than 32. */
const funnel = (low: number, high: number, by: number): number =>
  by === 0 ? high : (high << by) | (low >>> (32 - by))

/** pi / 2 in units of 2^64, as the library has it. */
const quarterOfUnit = doubleOf(0x54442d19, 0x3bf921fb)

/** Of a number from 105615 on: its significand times 2 / pi, all bits of it that count. */
const reducedByDigits = (x: number): Reduced => {
  const significand = (x << 8) | signBit
  const product: number[] = []
  let carry = 0
  for (const digits of twoOverPi) {
    const low = Math.imul(digits, significand) >>> 0
    const sum = low + (carry >>> 0)
    product.push(sum | 0)
    carry = (productHigh(digits, significand) + (sum >= 2 ** 32 ? 1 : 0)) | 0
  }
  product.push(carry)
  const skipped = (((x >>> 23) & 224) - 128) >> 5
  const by = (x >>> 23) & 31
  const [third, second, first] = [4, 5, 6].map((k) => product[k - skipped] ?? 0)
  const high = funnel(second!, first!, by)
  const low = funnel(third!, second!, by)
  const fraction = funnel(low, high, 2)
  const turned = ((fraction >>> 31) + (high >>> 30)) | 0
  // to the nearest quarter: above a half the rest is negative
  const flip = fraction >> 31
  const exact = (BigInt(flip ^ fraction) << 32n) | BigInt((flip ^ (low << 2)) >>> 0)
  const size = wordOf(Number(exact) * quarterOfUnit)
  return { quarters: x < 0 ? -turned : turned, rest: (fraction ^ x) < 0 ? negated(size) : size }
}

/** To the nearest integer, ties to even, of an f32 below 2^22. */
const toInteger = (x: number): number => {
  const value = floatOf(nearest(flush32(x)))
  return value !== value ? 0 : value | 0
}
const reduced = (x: number): Reduced => {
  if (floatOf(magnitude(x)) >= floatOf(0x47ce4780))
    return magnitude(x) === infinity ? { quarters: 0, rest: mulFlushed(x, 0) } : reducedByDigits(x)
  const quarters = toInteger(mul(x, 0x3f22f983))
  const q = fromInteger(quarters)
  return { quarters, rest: fma(q, 0xa7c234c5 | 0, fma(q, 0xb3a22168 | 0, fma(q, 0xbfc90fda | 0, x))) }
}

const sineCoefficients = words(0xb94d4153, 0x3c0885e4, 0xbe2aaaa8)
const cosineCoefficients = words(0x37cbac00, 0xbab607ed, 0x3d2aaabb, 0xbeffffff)
/** Sine, so many quarters of a turn further on. */
const wave =
  (further: 0 | 1) =>
  (x: number): number => {
    const { quarters, rest } = reduced(x)
    const turn = quarters + further
    const square = mulFlushed(rest, rest)
    const isCosine = (turn & 1) !== 0
    const lead = isCosine ? one : rest
    const found = fma(
      polynomial(square, isCosine ? cosineCoefficients : sineCoefficients),
      fma(square, lead, 0),
      lead,
    )
    return (turn & 2) === 0 ? found : fma(found, minusOne, 0)
  }
export const sinf: (x: number) => number = onPatterns(wave(0))
export const cosf: (x: number) => number = onPatterns(wave(1))

/** Those of which both are known: where subnormals are flushed, and where they are kept. */
type Both = Readonly<Record<'logf' | 'log2f' | 'tanhf', (x: number) => number>>
export const flushed: Both = { logf: logf.flushed, log2f: log2f.flushed, tanhf: tanhf.flushed }
export const kept: Both = { logf: logf.kept, log2f: log2f.kept, tanhf: tanhf.kept }
