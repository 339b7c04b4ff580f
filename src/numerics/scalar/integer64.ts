/**
 * Integer arithmetic of 64 bits, on pairs of words, and the operations with carries of 32 and 64 bits.
 *
 * A number is (low, high): 2^32 high + low, the lower word unsigned. Sums carry from word to word; products are four products of words;
 * quotients go through f64 below 2^53 and through BigInt above.
 *
 * By hand: mul.lo.u64 of 2^32 + 1 by itself: the words (1, 1) (1, 1) give low 1, high 1 + 1 = 2; mul.hi.u64 is 1.
 *
 * | form                  | result                          | carry out                       |
 * |-----------------------|---------------------------------|---------------------------------|
 * | add.cc, addc.cc       | a + b (+ carry)                 | of the sum                      |
 * | sub.cc, subc.cc       | a + ~b + 1 (~b + carry)         | of the sum: 1 if nothing borrows |
 * | mad.lo.cc, madc.hi.cc | a half of a b, + c (+ carry)    | of the last sum                 |
 *
 * There is one flag: a difference is a sum with the complement, and `addc` behind `sub.cc` adds 1 where nothing was borrowed. Quotients of 128 bits,
 * as nvcc expands them, count on it. Measured.
 *
 * Division by zero is not specified. Measured: `div` and `rem` give all ones.
 *
 * Laws
 * 1. a = div(a, b) b + rem(a, b) modulo 2^64, for b not 0.
 * 2. add.cc and addc on words are add on pairs; mad.lo.cc and madc.hi the product of words.
 *
 * Source: PTX ISA, "Integer Arithmetic Instructions", "Extended-Precision Integer Arithmetic Instructions".
 */
import { operation, rest, type Compute, type ScalarOperation } from './operation.js'
import { productHigh, productHighSigned } from './words.js'

type Wide = 'u64' | 's64'

/** Leaves the upper word, returns the lower. */
const pair = (low: number, high: number): number => {
  rest[0] = high
  return low
}

const unsigned = (low: number, high: number): number => (high >>> 0) * 4294967296 + (low >>> 0)
const signed = (low: number, high: number): number => high * 4294967296 + (low >>> 0)

const bigOf = {
  u64: (l: number, h: number): bigint => big(l, h),
  s64: (l: number, h: number): bigint => BigInt.asIntN(64, big(l, h)),
}
const big = (low: number, high: number): bigint => (BigInt(high >>> 0) << 32n) | BigInt(low >>> 0)

const fromBig = (x: bigint): number => pair(Number(BigInt.asIntN(32, x)), Number(BigInt.asIntN(32, x >> 32n)))

/** Of a 64-bit product the words 1, 2 and 3; the word 0 is imul. */
const lessUnsigned = (al: number, ah: number, bl: number, bh: number): boolean =>
  ah === bh ? al >>> 0 < bl >>> 0 : ah >>> 0 < bh >>> 0
const lessSigned = (al: number, ah: number, bl: number, bh: number): boolean =>
  ah === bh ? al >>> 0 < bl >>> 0 : ah < bh

/** a < b of pairs. */
export const less64: Readonly<Record<Wide, (al: number, ah: number, bl: number, bh: number) => boolean>> = {
  u64: lessUnsigned,
  s64: lessSigned,
}

const add: Compute = (al, ah, bl, bh) => {
  const sum = (al >>> 0) + (bl >>> 0)
  rest[0] = ah + bh + (sum > 0xffffffff ? 1 : 0)
  return sum | 0
}

const sub: Compute = (al, ah, bl, bh) => {
  rest[0] = ah - bh - (al >>> 0 < bl >>> 0 ? 1 : 0)
  return (al - bl) | 0
}

const low64: Compute = (al, ah, bl, bh) =>
  pair(Math.imul(al, bl), (productHigh(al, bl) + Math.imul(al, bh) + Math.imul(ah, bl)) | 0)

/** Upper 64 bits of the unsigned product. */
const high64: Compute = (al, ah, bl, bh) => {
  const one = (productHigh(al, bl) >>> 0) + (Math.imul(al, bh) >>> 0) + (Math.imul(ah, bl) >>> 0)
  const two =
    Math.floor(one / 4294967296) +
    (productHigh(al, bh) >>> 0) +
    (productHigh(ah, bl) >>> 0) +
    (Math.imul(ah, bh) >>> 0)
  return pair(two | 0, (Math.floor(two / 4294967296) + productHigh(ah, bh)) | 0)
}

/** Upper 64 bits of the signed product. */
const highSigned64: Compute = (al, ah, bl, bh) => {
  let low = high64(al, ah, bl, bh)
  if (ah < 0) low = sub(low, rest[0]!, bl, bh)
  if (bh < 0) low = sub(low, rest[0]!, al, ah)
  return low
}

const exactLimit = 9007199254740992

const divide = (type: Wide): Compute => {
  const value = type === 'u64' ? unsigned : signed
  const exact = bigOf[type]
  return (al, ah, bl, bh) => {
    if (bl === 0 && bh === 0) return pair(-1, -1)
    const a = value(al, ah)
    const b = value(bl, bh)
    if (Math.abs(a) < exactLimit && Math.abs(b) < exactLimit) {
      const q = Math.trunc(a / b)
      return pair(q | 0, Math.floor(q / 4294967296) | 0)
    }
    return fromBig(exact(al, ah) / exact(bl, bh))
  }
}

const modulo = (type: Wide): Compute => {
  const value = type === 'u64' ? unsigned : signed
  const exact = bigOf[type]
  return (al, ah, bl, bh) => {
    if (bl === 0 && bh === 0) return pair(-1, -1)
    const a = value(al, ah)
    const b = value(bl, bh)
    if (Math.abs(a) < exactLimit && Math.abs(b) < exactLimit) {
      const r = a % b
      return pair(r | 0, Math.floor(r / 4294967296) | 0)
    }
    return fromBig(exact(al, ah) % exact(bl, bh))
  }
}

const arithmetic = (type: Wide): readonly ScalarOperation[] => {
  const less = less64[type]
  const high = type === 'u64' ? high64 : highSigned64
  const row = (name: string, arity: number, compute: Compute): ScalarOperation =>
    operation(
      'integer',
      `${name}.${type}`,
      Array.from({ length: arity }, () => type),
      [type],
      compute,
    )
  const negate: Compute = (l, h) => sub(0, 0, l, h)
  return [
    row('add', 2, add),
    row('sub', 2, sub),
    row('mul.lo', 2, low64),
    row('mul.hi', 2, high),
    row('mad.lo', 3, (al, ah, bl, bh, cl, ch) => add(low64(al, ah, bl, bh), rest[0]!, cl, ch)),
    row('mad.hi', 3, (al, ah, bl, bh, cl, ch) => add(high(al, ah, bl, bh), rest[0]!, cl, ch)),
    row('sad', 3, (al, ah, bl, bh, cl, ch) =>
      add(less(al, ah, bl, bh) ? sub(bl, bh, al, ah) : sub(al, ah, bl, bh), rest[0]!, cl, ch),
    ),
    row('div', 2, divide(type)),
    row('rem', 2, modulo(type)),
    row('min', 2, (al, ah, bl, bh) => (less(al, ah, bl, bh) ? pair(al, ah) : pair(bl, bh))),
    row('max', 2, (al, ah, bl, bh) => (less(al, ah, bl, bh) ? pair(bl, bh) : pair(al, ah))),
    ...(type === 's64'
      ? [row('abs', 1, (l, h) => (h < 0 ? negate(l, h) : pair(l, h))), row('neg', 1, negate)]
      : []),
  ]
}

/** Sum of words and a carry; leaves the carry. */
const addCarry = (a: number, b: number, carry: number): number => {
  const sum = (a >>> 0) + (b >>> 0) + carry
  rest[0] = sum > 0xffffffff ? 1 : 0
  return sum | 0
}

/** Difference of words as the sum with the complement; leaves its carry. */
const subCarry = (a: number, b: number, carry: number): number => addCarry(a, ~b, carry)

type CarryStep = (a: number, b: number, carry: number) => number

/** A step of words on pairs: leaves the upper word and the carry. */
const onPairs =
  (step: CarryStep): Compute =>
  (al, ah, bl, bh, carry) => {
    const low = step(al, bl, carry)
    const high = step(ah, bh, rest[0]!)
    rest[1] = rest[0]!
    rest[0] = high
    return low
  }

const extendedOf = (type: 'u32' | 's32'): readonly ScalarOperation[] => {
  const high = type === 'u32' ? productHigh : productHighSigned
  const two = [type, type] as const
  const three = [type, type, type] as const
  const row = (
    name: string,
    operands: ScalarOperation['operands'],
    results: ScalarOperation['results'],
    compute: Compute,
  ): ScalarOperation => operation('extended', `${name}.${type}`, operands, results, compute)
  return [
    row('add.cc', two, [type, 'pred'], (a, b) => addCarry(a, b, 0)),
    row('addc', [...two, 'pred'], [type], (a, b, carry) => addCarry(a, b, carry)),
    row('addc.cc', [...two, 'pred'], [type, 'pred'], (a, b, carry) => addCarry(a, b, carry)),
    row('sub.cc', two, [type, 'pred'], (a, b) => subCarry(a, b, 1)),
    row('subc', [...two, 'pred'], [type], (a, b, carry) => subCarry(a, b, carry)),
    row('subc.cc', [...two, 'pred'], [type, 'pred'], (a, b, carry) => subCarry(a, b, carry)),
    ...(['lo', 'hi'] as const).flatMap((half) => {
      const product = half === 'lo' ? Math.imul : high
      return [
        row(`mad.${half}.cc`, three, [type, 'pred'], (a, b, c) => addCarry(product(a, b), c, 0)),
        row(`madc.${half}`, [...three, 'pred'], [type], (a, b, c, carry) =>
          addCarry(product(a, b), c, carry),
        ),
        row(`madc.${half}.cc`, [...three, 'pred'], [type, 'pred'], (a, b, c, carry) =>
          addCarry(product(a, b), c, carry),
        ),
      ]
    }),
  ]
}

const addPairs = onPairs(addCarry)
const subPairs = onPairs(subCarry)

const extendedWide = (type: Wide): readonly ScalarOperation[] => {
  const high = type === 'u64' ? high64 : highSigned64
  const two = [type, type] as const
  const three = [type, type, type] as const
  const row = (
    name: string,
    operands: ScalarOperation['operands'],
    results: ScalarOperation['results'],
    compute: Compute,
  ): ScalarOperation => operation('extended', `${name}.${type}`, operands, results, compute)
  return [
    row('add.cc', two, [type, 'pred'], (al, ah, bl, bh) => addPairs(al, ah, bl, bh, 0)),
    row('addc', [...two, 'pred'], [type], addPairs),
    row('addc.cc', [...two, 'pred'], [type, 'pred'], addPairs),
    row('sub.cc', two, [type, 'pred'], (al, ah, bl, bh) => subPairs(al, ah, bl, bh, 1)),
    row('subc', [...two, 'pred'], [type], subPairs),
    row('subc.cc', [...two, 'pred'], [type, 'pred'], subPairs),
    ...(['lo', 'hi'] as const).flatMap((half) => {
      const product = half === 'lo' ? low64 : high
      const mad: Compute = (al, ah, bl, bh, cl, ch, carry) =>
        addPairs(product(al, ah, bl, bh), rest[0]!, cl, ch, carry)
      return [
        row(`mad.${half}.cc`, three, [type, 'pred'], (al, ah, bl, bh, cl, ch) =>
          mad(al, ah, bl, bh, cl, ch, 0),
        ),
        row(`madc.${half}`, [...three, 'pred'], [type], mad),
        row(`madc.${half}.cc`, [...three, 'pred'], [type, 'pred'], mad),
      ]
    }),
  ]
}

export const integer64Rows: readonly ScalarOperation[] = [...arithmetic('u64'), ...arithmetic('s64')]

export const extendedRows: readonly ScalarOperation[] = [
  ...extendedOf('u32'),
  ...extendedOf('s32'),
  ...extendedWide('u64'),
  ...extendedWide('s64'),
]
