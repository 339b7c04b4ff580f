/**
 * Comparisons, selections and tests.
 *
 * | form                       | results                                                                                  |
 * |----------------------------|------------------------------------------------------------------------------------------|
 * | setp.lt.f32 p|q            | p = a < b, q = not that                                                                  |
 * | setp.lt.and.f32 p|q, a, b, c | p = (a < b) and c, q = not (a < b) and c                                               |
 * | setp.lt.f16x2 p|q          | p of the lower halves, q of the upper ones                                               |
 * | set.lt.u32.f32             | all ones, or 1.0 for a float result; 0                                                   |
 * | selp d, a, b, c            | c ? a : b                                                                                |
 * | slct d, a, b, c            | c >= 0 ? a : b; a NaN chooses b, and -0 is not below 0                                   |
 * | testp                      | what kind of float; zeros are normal                                                     |
 *
 * | compare                    | integers                | floats                                                         |
 * |----------------------------|-------------------------|----------------------------------------------------------------|
 * | eq ne lt le gt ge          | by the type's sign      | ordered: false on a NaN                                        |
 * | lo ls hi hs                | unsigned                |                                                                |
 * | equ neu ltu leu gtu geu    |                         | true on a NaN                                                  |
 * | num nan                    |                         | neither is a NaN; one is                                       |
 *
 * By hand: of 0x7FC00000 (a NaN) and 1, lt is false, ltu true, ne false, neu true, nan true.
 *
 * Laws
 * 1. q of a form without a third operand is not p.
 * 2. lt or eq is le; ltu is not ge.
 * 3. The ftz form compares flushed operands.
 *
 * Source: PTX ISA, "Comparison and Selection Instructions"; measured on an H100.
 */
import { flush32, isNaN32 } from './binary32.js'
import { isNaN64 } from './binary64.js'
import { flush16, half } from './half.js'
import { less64 } from './integer64.js'
import { operation, rest, wordsOf, type Compute, type ScalarOperation, type ScalarType } from './operation.js'
import { doubleOf, floatOf, integerOf, signBit } from './words.js'

/** Words of two operands to 1 or 0. */
type Holds = (al: number, ah: number, bl: number, bh: number) => boolean

/** -1, 0, 1, or 2 where an operand is a NaN. */
type Order = -1 | 0 | 1 | 2

const bit = (x: boolean): number => (x ? 1 : 0)

const orderOfNumbers = (x: number, y: number): Order => (x < y ? -1 : x > y ? 1 : x === y ? 0 : 2)

/** What a comparison asks of the order: bits 0 to 3 for less, equal, greater, unordered. */
const asked = {
  eq: 0b0010,
  ne: 0b0101,
  lt: 0b0001,
  le: 0b0011,
  gt: 0b0100,
  ge: 0b0110,
  lo: 0b0001,
  ls: 0b0011,
  hi: 0b0100,
  hs: 0b0110,
  equ: 0b1010,
  neu: 0b1101,
  ltu: 0b1001,
  leu: 0b1011,
  gtu: 0b1100,
  geu: 0b1110,
  num: 0b0111,
  nan: 0b1000,
} as const
type Comparison = keyof typeof asked

const equality: readonly Comparison[] = ['eq', 'ne']
const signedOnes: readonly Comparison[] = ['eq', 'ne', 'lt', 'le', 'gt', 'ge']
const unsignedOnes: readonly Comparison[] = [...signedOnes, 'lo', 'ls', 'hi', 'hs']
const floatOnes: readonly Comparison[] = [
  ...signedOnes,
  'equ',
  'neu',
  'ltu',
  'leu',
  'gtu',
  'geu',
  'num',
  'nan',
]

/** Order of the operands of a type of one word. */
const ordersOfWords = {
  b16: (a, b) => orderOfNumbers(a & 0xffff, b & 0xffff),
  u16: (a, b) => orderOfNumbers(a & 0xffff, b & 0xffff),
  s16: (a, b) => orderOfNumbers(integerOf.s16(a), integerOf.s16(b)),
  b32: (a, b) => orderOfNumbers(a >>> 0, b >>> 0),
  u32: (a, b) => orderOfNumbers(a >>> 0, b >>> 0),
  s32: (a, b) => orderOfNumbers(a, b),
  f32: (a, b) => orderOfNumbers(floatOf(a), floatOf(b)),
  f16: (a, b) => orderOfNumbers(half.f16.value(a), half.f16.value(b)),
  bf16: (a, b) => orderOfNumbers(half.bf16.value(a), half.bf16.value(b)),
} as const satisfies Partial<Record<ScalarType, (a: number, b: number) => Order>>
type OneWord = keyof typeof ordersOfWords

const ordersOfPairs = {
  u64: (al, ah, bl, bh) => (al === bl && ah === bh ? 0 : less64.u64(al, ah, bl, bh) ? -1 : 1),
  b64: (al, ah, bl, bh) => (al === bl && ah === bh ? 0 : less64.u64(al, ah, bl, bh) ? -1 : 1),
  s64: (al, ah, bl, bh) => (al === bl && ah === bh ? 0 : less64.s64(al, ah, bl, bh) ? -1 : 1),
  f64: (al, ah, bl, bh) => orderOfNumbers(doubleOf(al, ah), doubleOf(bl, bh)),
} as const satisfies Partial<Record<ScalarType, (al: number, ah: number, bl: number, bh: number) => Order>>
type TwoWords = keyof typeof ordersOfPairs

type Compared = OneWord | TwoWords

const isTwoWords = (type: Compared): type is TwoWords => wordsOf(type) === 2

const flushOf = (type: Compared): ((word: number) => number) =>
  type === 'f32'
    ? flush32
    : type === 'f16' || type === 'bf16'
      ? (word) => flush16(type, word)
      : (word) => word

const holds = (comparison: Comparison, type: Compared, ftz: boolean): Holds => {
  const wanted = asked[comparison]
  const answer = (order: Order): boolean => ((wanted >> (order + 1)) & 1) === 1
  if (isTwoWords(type)) {
    const order = ordersOfPairs[type]
    return (al, ah, bl, bh) => answer(order(al, ah, bl, bh))
  }
  const order = ordersOfWords[type]
  const flush = flushOf(type)
  return ftz ? (a, b) => answer(order(flush(a), flush(b))) : (a, b) => answer(order(a, b))
}

interface ComparedType {
  readonly type: Compared
  readonly comparisons: readonly Comparison[]
  readonly ftz: readonly boolean[]
}

const compared: readonly ComparedType[] = [
  ...(['b16', 'b32', 'b64'] as const).map((type) => ({ type, comparisons: equality, ftz: [false] })),
  ...(['u16', 'u32', 'u64'] as const).map((type) => ({ type, comparisons: unsignedOnes, ftz: [false] })),
  ...(['s16', 's32', 's64'] as const).map((type) => ({ type, comparisons: signedOnes, ftz: [false] })),
  { type: 'f32', comparisons: floatOnes, ftz: [false, true] },
  { type: 'f64', comparisons: floatOnes, ftz: [false] },
  { type: 'f16', comparisons: floatOnes, ftz: [false, true] },
  { type: 'bf16', comparisons: floatOnes, ftz: [false] },
]

/** How a third operand joins the comparison. */
const joins = {
  and: (x: number, c: number): number => x & c,
  or: (x: number, c: number): number => x | c,
  xor: (x: number, c: number): number => x ^ c,
} as const
type Join = keyof typeof joins

/** The forms of a comparison: alone, and joined with a third operand. */
const joined = (
  name: (join: string) => string,
  of: (join: Join | null) => Omit<ScalarOperation, 'name'>,
): readonly ScalarOperation[] =>
  ([null, 'and', 'or', 'xor'] as const).map((join) => {
    const { family, operands, results, compute } = of(join)
    return operation(
      family,
      name(join === null ? '' : `.${join}`),
      join === null ? operands : [...operands, 'pred'],
      results,
      compute,
    )
  })

const onePredicate: readonly ScalarType[] = ['pred']
const predicates: readonly ScalarType[] = ['pred', 'pred']

/** p and q. */
const both = (p: number, q: number): number => {
  rest[0] = q
  return p
}

const setp: readonly ScalarOperation[] = compared.flatMap(({ type, comparisons, ftz }) =>
  ftz.flatMap((flushes) =>
    comparisons.flatMap((comparison) => {
      const f = holds(comparison, type, flushes)
      const two = wordsOf(type) === 2
      return joined(
        (join) => `setp.${comparison}${join}${flushes ? '.ftz' : ''}.${type}`,
        (join) => {
          const plain = (p: number): number => both(p, p ^ 1)
          const compute: Compute =
            join === null
              ? two
                ? (al, ah, bl, bh) => plain(bit(f(al, ah, bl, bh)))
                : (a, b) => plain(bit(f(a, b, 0, 0)))
              : two
                ? (al, ah, bl, bh, c) => {
                    const p = bit(f(al, ah, bl, bh))
                    return both(joins[join](p, c), joins[join](p ^ 1, c))
                  }
                : (a, b, c) => {
                    const p = bit(f(a, b, 0, 0))
                    return both(joins[join](p, c), joins[join](p ^ 1, c))
                  }
          // Of one half there is no q.
          const results = type === 'f16' || type === 'bf16' ? onePredicate : predicates
          return { family: 'comparison', operands: [type, type], results, compute }
        },
      )
    }),
  ),
)

const setpPairs: readonly ScalarOperation[] = (['f16', 'bf16'] as const).flatMap((type) =>
  (type === 'f16' ? [false, true] : [false]).flatMap((flushes) =>
    floatOnes.flatMap((comparison) => {
      const f = holds(comparison, type, flushes)
      return joined(
        (join) => `setp.${comparison}${join}${flushes ? '.ftz' : ''}.${type}x2`,
        (join) => ({
          family: 'comparison',
          operands: [`${type}x2`, `${type}x2`],
          results: predicates,
          compute: (a, b, c) => {
            const p = bit(f(a & 0xffff, b & 0xffff, 0, 0))
            const q = bit(f(a >>> 16, b >>> 16, 0, 0))
            return join === null ? both(p, q) : both(joins[join](p, c), joins[join](q, c))
          },
        }),
      )
    }),
  ),
)

/** What true is in a result of `set`. */
const truths = {
  u32: -1,
  s32: -1,
  u16: 0xffff,
  s16: -1,
  f32: 0x3f800000,
  f16: 0x3c00,
  bf16: 0x3f80,
} as const
type Truth = keyof typeof truths

const truthTypes = (type: Compared): readonly Truth[] =>
  type === 'f16'
    ? ['u32', 's32', 'u16', 's16', 'f16']
    : type === 'bf16'
      ? ['u32', 's32', 'u16', 's16', 'bf16']
      : ['u32', 's32', 'f32', 'f16', 'bf16']

const set: readonly ScalarOperation[] = compared.flatMap(({ type, comparisons, ftz }) =>
  ftz.flatMap((flushes) =>
    comparisons.flatMap((comparison) => {
      const f = holds(comparison, type, flushes)
      const two = wordsOf(type) === 2
      const results = truthTypes(type).filter((result) => !(flushes && type === 'f32' && result === 'bf16'))
      return results.flatMap((result) => {
        const truth = truths[result]
        return joined(
          (join) => `set.${comparison}${join}${flushes ? '.ftz' : ''}.${result}.${type}`,
          (join) => {
            const value = (p: number, c: number): number =>
              (join === null ? p : joins[join](p, c)) === 1 ? truth : 0
            const compute: Compute = two
              ? (al, ah, bl, bh, c) => value(bit(f(al, ah, bl, bh)), c)
              : (a, b, c) => value(bit(f(a, b, 0, 0)), c)
            return { family: 'comparison', operands: [type, type], results: [result], compute }
          },
        )
      })
    }),
  ),
)

const setPairs: readonly ScalarOperation[] = (['f16', 'bf16'] as const).flatMap((type) =>
  (type === 'f16' ? [false, true] : [false]).flatMap((flushes) =>
    floatOnes.flatMap((comparison) => {
      const f = holds(comparison, type, flushes)
      return ([`${type}x2`, 'u32', 's32'] as const).flatMap((result) => {
        const truth = result === 'u32' || result === 's32' ? 0xffff : truths[type]
        return joined(
          (join) => `set.${comparison}${join}${flushes ? '.ftz' : ''}.${result}.${type}x2`,
          (join) => ({
            family: 'comparison',
            operands: [`${type}x2`, `${type}x2`],
            results: [result],
            compute: (a, b, c) => {
              const p = bit(f(a & 0xffff, b & 0xffff, 0, 0))
              const q = bit(f(a >>> 16, b >>> 16, 0, 0))
              const low = join === null ? p : joins[join](p, c)
              const high = join === null ? q : joins[join](q, c)
              return ((high === 1 ? truth : 0) << 16) | (low === 1 ? truth : 0)
            },
          }),
        )
      })
    }),
  ),
)

const selected = ['b16', 'u16', 's16', 'b32', 'u32', 's32', 'f32', 'b64', 'u64', 's64', 'f64'] as const

const pair = (low: number, high: number): number => {
  rest[0] = high
  return low
}

const narrowOf = (type: (typeof selected)[number]): ((word: number) => number) =>
  type === 's16' ? integerOf.s16 : type === 'b16' || type === 'u16' ? integerOf.u16 : (word) => word

const selections: readonly ScalarOperation[] = selected.flatMap((type) => {
  const word = narrowOf(type)
  const choose = (name: string, by: ScalarType, first: (c: number) => boolean): ScalarOperation =>
    operation(
      'comparison',
      name,
      [type, type, by],
      [type],
      wordsOf(type) === 2
        ? (al, ah, bl, bh, c) => (first(c) ? pair(al, ah) : pair(bl, bh))
        : (a, b, c) => word(first(c) ? a : b),
    )
  // A NaN chooses b; -0 is not below 0.
  const notNegative = (c: number): boolean => (c >= 0 ? c <= 0x7f800000 : c === signBit)
  return [
    choose(`selp.${type}`, 'pred', (c) => c === 1),
    choose(`slct.${type}.s32`, 's32', (c) => c >= 0),
    choose(`slct.${type}.f32`, 'f32', notNegative),
    choose(`slct.ftz.${type}.f32`, 'f32', (c) => notNegative(flush32(c))),
  ]
})

/** The magnitude of a float: its kind. */
const kinds = ['finite', 'infinite', 'number', 'notanumber', 'normal', 'subnormal'] as const

const testp: readonly ScalarOperation[] = kinds.flatMap((kind) => [
  operation('comparison', `testp.${kind}.f32`, ['f32'], ['pred'], (a) => {
    const exponent = a & 0x7f800000
    switch (kind) {
      case 'finite':
        return bit(exponent !== 0x7f800000)
      case 'infinite':
        return bit((a & 0x7fffffff) === 0x7f800000)
      case 'number':
        return bit(!isNaN32(a))
      case 'notanumber':
        return bit(isNaN32(a))
      case 'normal':
        return bit(exponent !== 0x7f800000 && (exponent !== 0 || (a & 0x7fffff) === 0))
      case 'subnormal':
        return bit(exponent === 0 && (a & 0x7fffff) !== 0)
    }
  }),
  operation('comparison', `testp.${kind}.f64`, ['f64'], ['pred'], (l, h) => {
    const exponent = h & 0x7ff00000
    switch (kind) {
      case 'finite':
        return bit(exponent !== 0x7ff00000)
      case 'infinite':
        return bit((h & 0x7fffffff) === 0x7ff00000 && l === 0)
      case 'number':
        return bit(!isNaN64(l, h))
      case 'notanumber':
        return bit(isNaN64(l, h))
      case 'normal':
        return bit(exponent !== 0x7ff00000 && (exponent !== 0 || ((h & 0xfffff) | l) === 0))
      case 'subnormal':
        return bit(exponent === 0 && ((h & 0xfffff) | l) !== 0)
    }
  }),
])

export const comparisonRows: readonly ScalarOperation[] = [
  ...setp,
  ...setpPairs,
  ...set,
  ...setPairs,
  ...selections,
  ...testp,
]
