/**
 * Arithmetic of f64 in four roundings.
 *
 * To nearest, the host's own arithmetic is the operation, but for the fused multiply-add. That one, and every directed rounding, goes
 * through integers: an f64 is m 2^e with integers m and e, so a product plus an addend is an integer in units of 2^-2148, which is rounded once. A
 * quotient or root in a direction is the nearest one, moved if the exact remainder says so.
 *
 * The common fma stays in f64: the product as an unevaluated sum of two (Dekker), added with one rounding to odd (Boldo and Melquiond
 * 2008), where nothing can overflow or underflow.
 *
 * | operand           | result of arithmetic, measured                                                                  |
 * |-------------------|-------------------------------------------------------------------------------------------------|
 * | NaN               | a NaN operand made quiet, with its sign (abs and neg too): b before a; of fma b, c, a; of div a before b |
 * | inf - inf, 0 inf, 0/0, root of a negative | 0xFFF80000 00000000                                                     |
 *
 * By hand: fma(1 + 2^-52, 1 + 2^-52, -1): the product is 1 + 2^-51 + 2^-104, and the result 2^-51 + 2^-104 is exact; two roundings give
 * 2^-51.
 *
 * Laws
 * 1. Each operation is the exact result rounded once in the direction.
 * 2. The short way of fma and the long one agree.
 *
 * Source: PTX ISA, "Floating-Point Instructions"; IEEE 754-2019, 4.3 and 5.4.1; measured on an H100.
 */
import { addToOdd } from '../rounded-arithmetic.js'
import { directions, type Direction } from './binary32.js'
import { operation, rest, type Compute, type ScalarOperation } from './operation.js'
import { doubleOf, highWordOf, lowWordOf, signBit } from './words.js'

const pair = (low: number, high: number): number => {
  rest[0] = high
  return low
}

/** The words of a number that is no NaN. */
export const words64 = (x: number): number => pair(lowWordOf(x), highWordOf(x))

export const isNaN64 = (l: number, h: number): boolean => {
  const top = h & 0x7fffffff
  return top > 0x7ff00000 || (top === 0x7ff00000 && l !== 0)
}

/** A NaN made quiet. */
export const quiet64 = (l: number, h: number): number => pair(l, h | 0x00080000)

/** What an invalid operation gives. */
const invalid = (): number => pair(0, -0x00080000)

/** A finite f64 as an integer in units of 2^-1074. */
export const unitsOf = (x: number): bigint => {
  const h = highWordOf(x)
  const biased = (h >>> 20) & 0x7ff
  const fraction = (BigInt(h & 0xfffff) << 32n) | BigInt(lowWordOf(x) >>> 0)
  const magnitude = biased === 0 ? fraction : (fraction | 0x10000000000000n) << BigInt(biased - 1)
  return h < 0 ? -magnitude : magnitude
}

/** Does a magnitude between two neighbours go to the outer one? */
const outwards = (direction: Direction, negative: boolean, odd: boolean, half: -1 | 0 | 1): boolean => {
  switch (direction) {
    case 'rn':
      return half > 0 || (half === 0 && odd)
    case 'rz':
      return false
    case 'rm':
      return negative
    case 'rp':
      return !negative
  }
}

const bitLength = (x: bigint): number => {
  const digits = x.toString(16)
  return 4 * (digits.length - 1) + (32 - Math.clz32(parseInt(digits.charAt(0), 16)))
}

const power = (e: number): number => (e < -1022 ? 2 ** -1000 * 2 ** (e + 1000) : 2 ** e)

/** An integer, not 0, in units of 2^exponent to the f64 in a direction. */
const roundInteger = (direction: Direction, x: bigint, exponent: number): number => {
  const negative = x < 0n
  const magnitude = negative ? -x : x
  const drop = Math.max(bitLength(magnitude) - 53, -1074 - exponent)
  const sign = negative ? -1 : 1
  if (drop <= 0) return sign * Number(magnitude) * power(exponent)
  const kept = magnitude >> BigInt(drop)
  const lost = magnitude - (kept << BigInt(drop))
  const middle = 1n << BigInt(drop - 1)
  const half = lost > middle ? 1 : lost === middle ? 0 : -1
  const up = lost !== 0n && outwards(direction, negative, (kept & 1n) === 1n, half)
  const significand = Number(kept) + (up ? 1 : 0)
  const unit = exponent + drop
  // 2^53 2^971 is the first number beyond f64.
  if (unit > 971 || (unit === 971 && significand >= 9007199254740992))
    return outwards(direction, negative, true, 1) ? sign * Infinity : sign * Number.MAX_VALUE
  return sign * significand * power(unit)
}

const zeroOf = (direction: Direction, p: number, z: number): number =>
  Object.is(p, z) ? p : direction === 'rm' ? -0 : 0

/** x y + z of finite numbers in integers. The product of two zeros, or with one, has the sign of its factors. */
const fmaExact = (direction: Direction, x: number, y: number, z: number): number => {
  const product = unitsOf(x) * unitsOf(y)
  const total = product + (unitsOf(z) << 1074n)
  if (total !== 0n) return roundInteger(direction, total, -2148)
  return product === 0n && z === 0 ? zeroOf(direction, x * y, z) : direction === 'rm' ? -0 : 0
}

const splitter = 134217729 // 2^27 + 1

/** Is the exponent such that products and their errors stay far from both ends? */
const moderate = (x: number): boolean => {
  const magnitude = Math.abs(x)
  return magnitude > 1e-130 && magnitude < 1e130
}

/** x y + z to nearest. */
export const fma64 = (x: number, y: number, z: number): number => {
  if (!moderate(x) || !moderate(y) || (z !== 0 && !moderate(z))) {
    const p = x * y
    if (!Number.isFinite(x) || !Number.isFinite(y) || !Number.isFinite(z))
      return Number.isFinite(z) ? p + z : Number.isFinite(x) && Number.isFinite(y) ? z : p + z
    return fmaExact('rn', x, y, z)
  }
  const p = x * y
  const xs = splitter * x
  const ys = splitter * y
  const xh = xs - (xs - x)
  const xl = x - xh
  const yh = ys - (ys - y)
  const yl = y - yh
  const e = xl * yl - (p - xh * yh - xl * yh - xh * yl)
  // p + e + z: the small parts rounded to odd, then once to nearest (Boldo and Melquiond, Fmac).
  const u = z + e
  const uFrom = u - z
  const uLost = z - (u - uFrom) + (e - uFrom)
  const t = p + u
  const tFrom = t - p
  const tLost = p - (t - tFrom) + (u - tFrom)
  return t + addToOdd(tLost, uLost)
}

/** x y + z in a direction. */
const fusedIn = (direction: Direction): ((x: number, y: number, z: number) => number) =>
  direction === 'rn'
    ? fma64
    : (x, y, z) =>
        Number.isFinite(x) && Number.isFinite(y) && Number.isFinite(z)
          ? fmaExact(direction, x, y, z)
          : fma64(x, y, z)

/** The next f64 above or below a number that is no NaN. */
const next = (x: number, up: boolean): number => {
  if (x === 0) return up ? Number.MIN_VALUE : -Number.MIN_VALUE
  const l = lowWordOf(x)
  const h = highWordOf(x)
  const outer = up === x > 0
  return outer ? doubleOf((l + 1) | 0, l === -1 ? h + 1 : h) : doubleOf((l - 1) | 0, l === 0 ? h - 1 : h)
}

/** A nearest result moved to the side of a direction; `excess` has the sign of x - exact value. */
const moved = (direction: Direction, x: number, excess: number): number => {
  switch (direction) {
    case 'rn':
      return x
    case 'rz':
      return x > 0 || Object.is(x, 0) ? (excess > 0 ? next(x, false) : x) : excess < 0 ? next(x, true) : x
    case 'rm':
      return excess > 0 ? next(x, false) : x
    case 'rp':
      return excess < 0 ? next(x, true) : x
  }
}

const signOf = (x: bigint): number => (x > 0n ? 1 : x < 0n ? -1 : 0)

const quotientIn = (direction: Direction): ((x: number, y: number) => number) =>
  direction === 'rn'
    ? (x, y) => x / y
    : (x, y) => {
        const q = x / y
        if (x === 0 || y === 0 || !Number.isFinite(x) || !Number.isFinite(y)) return q
        const excess =
          Math.abs(q) === Infinity
            ? Math.sign(q)
            : signOf(unitsOf(q) * unitsOf(y) - (unitsOf(x) << 1074n)) * Math.sign(y)
        return moved(direction, q, excess)
      }

const rootIn = (direction: Direction): ((x: number) => number) =>
  direction === 'rn'
    ? Math.sqrt
    : (x) => {
        const root = Math.sqrt(x)
        if (!(root > 0) || root === Infinity) return root
        const units = unitsOf(root)
        return moved(direction, root, signOf(units * units - (unitsOf(x) << 1074n)))
      }

/** A NaN among the operands goes through; a NaN of numbers is the invalid one. */
const unary =
  (f: (x: number) => number): Compute =>
  (l, h) => {
    if (isNaN64(l, h)) return quiet64(l, h)
    const d = f(doubleOf(l, h))
    return d !== d ? invalid() : words64(d)
  }

const binary =
  (f: (x: number, y: number) => number): Compute =>
  (al, ah, bl, bh) => {
    const d = f(doubleOf(al, ah), doubleOf(bl, bh))
    if (d === d) return words64(d)
    return isNaN64(bl, bh) ? quiet64(bl, bh) : isNaN64(al, ah) ? quiet64(al, ah) : invalid()
  }

/** Of two NaNs a quotient gives the first. */
const division = (f: (x: number, y: number) => number): Compute => {
  const quotient = binary(f)
  return (al, ah, bl, bh) => (isNaN64(al, ah) ? quiet64(al, ah) : quotient(al, ah, bl, bh))
}

const ternary =
  (f: (x: number, y: number, z: number) => number): Compute =>
  (al, ah, bl, bh, cl, ch) => {
    const d = f(doubleOf(al, ah), doubleOf(bl, bh), doubleOf(cl, ch))
    if (d === d) return words64(d)
    return isNaN64(bl, bh)
      ? quiet64(bl, bh)
      : isNaN64(cl, ch)
        ? quiet64(cl, ch)
        : isNaN64(al, ah)
          ? quiet64(al, ah)
          : invalid()
  }

const sumIn = (direction: Direction): ((x: number, y: number) => number) => {
  if (direction === 'rn') return (x, y) => x + y
  const fused = fusedIn(direction)
  return (x, y) => fused(x, 1, y)
}

const differenceIn = (direction: Direction): ((x: number, y: number) => number) => {
  const sum = sumIn(direction)
  return (x, y) => sum(x, -y)
}

const productIn = (direction: Direction): ((x: number, y: number) => number) => {
  if (direction === 'rn') return (x, y) => x * y
  const fused = fusedIn(direction)
  // A zero addend of the sign of the product leaves its zero as it is.
  return (x, y) => (x === 0 || y === 0 ? x * y : fused(x, y, x > 0 === y > 0 ? 0 : -0))
}

const named = (unrounded: boolean): readonly (readonly [string, Direction])[] => [
  ...(unrounded ? [['', 'rn'] as const] : []),
  ...directions.map((d) => [`.${d}`, d] as const),
]

const one = ['f64'] as const
const two = ['f64', 'f64'] as const
const three = ['f64', 'f64', 'f64'] as const

const rounded: readonly ScalarOperation[] = [
  ...named(true).flatMap(([mark, d]) => [
    operation('f64', `add${mark}.f64`, two, one, binary(sumIn(d))),
    operation('f64', `sub${mark}.f64`, two, one, binary(differenceIn(d))),
    operation('f64', `mul${mark}.f64`, two, one, binary(productIn(d))),
  ]),
  ...named(false).flatMap(([mark, d]) => [
    operation('f64', `fma${mark}.f64`, three, one, ternary(fusedIn(d))),
    operation('f64', `mad${mark}.f64`, three, one, ternary(fusedIn(d))),
    operation('f64', `div${mark}.f64`, two, one, division(quotientIn(d))),
    operation(
      'f64',
      `rcp${mark}.f64`,
      one,
      one,
      unary((x) => quotientIn(d)(1, x)),
    ),
    operation('f64', `sqrt${mark}.f64`, one, one, unary(rootIn(d))),
  ]),
]

/** a < b in the order of numbers, -0 below +0. */
const precedes = (al: number, ah: number, bl: number, bh: number): boolean => {
  if (ah >> 31 !== bh >> 31) return ah < 0
  const smaller = ah === bh ? al >>> 0 < bl >>> 0 : ah < bh
  return ah < 0 ? !smaller && !(al === bl && ah === bh) : smaller
}

const extreme =
  (first: (al: number, ah: number, bl: number, bh: number) => boolean): Compute =>
  (al, ah, bl, bh) => {
    if (isNaN64(al, ah)) return isNaN64(bl, bh) ? quiet64(bl, bh) : pair(bl, bh)
    if (isNaN64(bl, bh)) return pair(al, ah)
    return first(al, ah, bl, bh) ? pair(al, ah) : pair(bl, bh)
  }

export const binary64Rows: readonly ScalarOperation[] = [
  ...rounded,
  operation('f64', 'min.f64', two, one, extreme(precedes)),
  operation(
    'f64',
    'max.f64',
    two,
    one,
    extreme((al, ah, bl, bh) => precedes(bl, bh, al, ah)),
  ),
  operation('f64', 'abs.f64', one, one, (l, h) => (isNaN64(l, h) ? quiet64(l, h) : pair(l, h & 0x7fffffff))),
  operation('f64', 'neg.f64', one, one, (l, h) => (isNaN64(l, h) ? quiet64(l, h) : pair(l, h ^ signBit))),
  operation('f64', 'copysign.f64', two, one, (_al, ah, bl, bh) =>
    pair(bl, (ah & signBit) | (bh & 0x7fffffff)),
  ),
]
