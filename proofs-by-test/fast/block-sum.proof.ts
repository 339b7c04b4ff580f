/** Block sums in vectors against the captured results of the chip and against the plain form: laws 1 and 2, and what they reject. */
import * as O from 'fp-ts/lib/Option.js'
import { describe, expect, it } from 'vitest'
import { fastBlockSum } from '../../src/fast/block-sum.js'
import type { Link, Mma, MmaShape } from '../../src/numerics/algebra.js'
import { decoder, encode, formatOf, powerOfTwo } from '../../src/numerics/float-format.js'
import {
  blackwellRules,
  hopperRules,
  tensorCoreMma,
  type ArithmeticRules,
} from '../../src/numerics/tensor-core.js'
import { combinations, kinds, matrix } from '../numerics/adversarial.js'
import { capturedCases, mismatches, type CapturedCase } from '../numerics/captured.js'
import { generator } from '../numerics/exact.js'
import { nightly, sampled } from '../extent.js'

const chips = { hopper: hopperRules, blackwell: blackwellRules } as const
const rulesOf = (types: ArithmeticRules['types'], chip: keyof typeof chips = 'hopper'): ArithmeticRules =>
  O.getOrElseW(() => {
    throw new Error(JSON.stringify(types))
  })(chips[chip](types))
const fast = (rules: ArithmeticRules, shape: MmaShape): Mma => {
  const mma = fastBlockSum(rules, shape)
  if (mma === null) throw new Error('no vectors')
  return mma
}
const wrong = (cases: readonly CapturedCase[], change: (rules: ArithmeticRules) => ArithmeticRules): number =>
  cases.reduce((total, { types, m, n, k, tiles }) => {
    const mma = fast(change(rulesOf(types)), { m, n, k })
    return total + tiles.reduce((count, t) => count + mismatches(mma(t.a, t.b, t.c), t.d), 0)
  }, 0)
const select = (a: string, acc: string): readonly CapturedCase[] =>
  capturedCases.filter(({ types }) => types.a === a && types.acc === acc)

describe('law 1: the captured results of the chip, NaNs as bits', () => {
  it.each(sampled(2, capturedCases))('$file', (captured) => {
    expect(wrong([captured], (rules) => rules)).toBe(0)
  })
})

describe('law 1: the plain form, on matrices that stress it', () => {
  it.each(combinations)('%s x %s -> %s, %s', (a, b, acc, chip) => {
    const rules = rulesOf({ a, b, acc }, chip)
    const next = generator(77)
    // one column, a whole panel, a panel and a bit; one instruction, and a chain of them
    for (const [m, n, blocks] of [
      [5, 1, 1],
      [3, 8, 2],
      [4, 19, 3],
    ] as const)
      for (const left of kinds)
        for (const right of kinds) {
          // by day every second pair of kinds; every kind of C beside every kind of A, and nightly beside every pair
          if (!nightly && (kinds.indexOf(left) + kinds.indexOf(right) + blocks) % 2 === 1) continue
          for (const [at, acc0] of kinds.entries())
            if (nightly || at === (kinds.indexOf(left) + 2 * kinds.indexOf(right)) % kinds.length)
              for (let round = 0; round < (nightly ? 12 : 1); round++) {
                const shape = { m, n, k: blocks * rules.blockK }
                const A = matrix(left, a, m * shape.k, next)
                const B = matrix(right, b, shape.k * n, next)
                const C = matrix(acc0, acc, m * n, next)
                const [x, y] = [fast(rules, shape)(A, B, C), tensorCoreMma(rules, shape)(A, B, C)]
                if (mismatches(x, y) !== 0)
                  expect([left, right, acc0, ...x]).toEqual([left, right, acc0, ...y])
              }
        }
  })
})

describe('law 2: a chain is its links one after another', () => {
  const chained = (mma: Mma, links: ReadonlyArray<Link>, c: Float64Array): Float64Array => {
    if (mma.chain === undefined) throw new Error('no chain')
    return mma.chain(links, c)
  }
  const oneByOne = (
    rules: ArithmeticRules,
    shape: MmaShape,
    links: ReadonlyArray<Link>,
    c: Float64Array,
  ): Float64Array => links.reduce((d, { a, b }) => tensorCoreMma(rules, shape)(a, b, d), c)

  it.each(sampled(1, combinations))('%s x %s -> %s, %s, of matrices that stress it', (a, b, acc, chip) => {
    const rules = rulesOf({ a, b, acc }, chip)
    const next = generator(78)
    for (const [m, n, blocks] of [
      [3, 11, 1],
      [2, 8, 2],
    ] as const)
      for (const kind of kinds) {
        const shape = { m, n, k: blocks * rules.blockK }
        const mma = fast(rules, shape)
        const link = (of: (typeof kinds)[number]): Link => ({
          a: matrix(of, a, m * shape.k, next),
          b: matrix(of, b, shape.k * n, next),
        })
        const links = [link('ordinary'), link(kind), link('ordinary')]
        const C = matrix(kind, acc, m * n, next)
        expect(mismatches(chained(mma, links, C), oneByOne(rules, shape, links, C))).toBe(0)
        // the same matrices again, in another order and with others for A
        const others = links.map(({ b: B }, i) => ({ a: links[(i + 1) % 3]!.a, b: B })).reverse()
        expect(mismatches(chained(mma, others, C), oneByOne(rules, shape, others, C))).toBe(0)
      }
  })

  it('a matrix that is kept is the same matrix: as one of other columns, of another type, and after more than there is room for', () => {
    const next = generator(79)
    const wide = { m: 1, n: 256, k: 16 }
    const asked = (types: ArithmeticRules['types'], shape: MmaShape, links: ReadonlyArray<Link>): void => {
      const c = new Float64Array(shape.m * shape.n)
      const rules = rulesOf(types)
      expect(mismatches(chained(fast(rules, shape), links, c), oneByOne(rules, shape, links, c))).toBe(0)
    }
    const f16 = { a: 'f16', b: 'f16', acc: 'f32' } as const
    const links = Array.from({ length: 120 }, (): Link => ({
      a: matrix('ordinary', 'f16', 64, next),
      b: matrix('ordinary', 'f16', 16 * 256, next),
    }))
    const ofOne = (many: ReadonlyArray<Link>): ReadonlyArray<Link> =>
      many.map(({ a, b }) => ({ a: a.subarray(0, 16), b }))
    asked(f16, wide, ofOne(links))
    // from the first again: some are where they were, and others there instead
    asked(f16, wide, ofOne(links.slice(0, 8)))
    const [first] = links
    if (first === undefined) throw new Error('no link')
    asked({ a: 'bf16', b: 'bf16', acc: 'f32' }, wide, ofOne([first]))
    asked(f16, wide, ofOne([first]))
    asked(f16, { m: 1, n: 64, k: 64 }, [first])
    asked(f16, wide, ofOne([first]))
    // there is no room for it at all
    const large = { m: 1, n: 512, k: 1024 }
    asked(f16, large, [
      { a: matrix('ordinary', 'f16', large.k, next), b: matrix('ordinary', 'f16', large.k * large.n, next) },
    ])
  })

  it('a product alone keeps nothing: its operands may change', () => {
    const rules = rulesOf({ a: 'f16', b: 'f16', acc: 'f32' })
    const shape = { m: 1, n: 1, k: 16 }
    const mma = fast(rules, shape)
    const b = new Float64Array(16).fill(encode('f16', 1))
    const c = Float64Array.of(0)
    expect(decoder('f32')(mma(b, b, c)[0]!)).toBe(16)
    const ones = b.slice()
    b.fill(encode('f16', 2))
    expect(decoder('f32')(mma(ones, b, c)[0]!)).toBe(32)
  })
})

describe('what 32 bits would not hold', () => {
  const f16 = rulesOf({ a: 'f16', b: 'f16', acc: 'f32' })
  /** The sum of one block in units of 2^(E - F), by the formula, C aside and with it. */
  const sums = (a: readonly number[], b: readonly number[], c: number): readonly [number, number] => {
    const products = a.map((x, p) => x * b[p]!)
    const exponent = (x: number, bits: number): number =>
      x === 0 ? -Infinity : Math.max(Math.floor(Math.log2(Math.abs(x))), bits)
    const least = 1 - formatOf('f16').bias
    const alignment = Math.max(
      exponent(c, -126),
      ...a.map((x, p) => (x * b[p]! === 0 ? -Infinity : exponent(x, least) + exponent(b[p]!, least))),
    )
    const cut = (x: number): number => Math.trunc(x * powerOfTwo(25 - alignment))
    const s = products.reduce((total, x) => total + cut(x), 0)
    return [s, s + cut(c)]
  }
  const largest = 2 - 2 ** -10
  const below = (c: number): number => c * (1 - 2 ** -24)
  it.each([
    ['the largest products there are, no C: just below 2^31', 0, 2 ** 31 - 2 ** 22, 2 ** 31],
    ['and C of their exponent, just below 2^(E + 1)', below(2), 2 ** 31, 2 ** 32],
    ['and C just below 2^(E + 2), which raises E', below(4), 2 ** 30, 2 ** 31],
  ])('%s', (_, c, atLeast, below32) => {
    const a = Array.from({ length: 16 }, () => largest)
    expect(sums(a, a, c)[1]).toBeGreaterThanOrEqual(atLeast)
    expect(sums(a, a, c)[1]).toBeLessThan(below32)
    const pattern = (x: number): number => encode('f16', x)
    for (const sign of [1, -1]) {
      const A = Float64Array.from(a, (x) => pattern(sign * x))
      const B = Float64Array.from(a, pattern)
      const C = Float64Array.of(encode('f32', sign * c))
      const shape = { m: 1, n: 1, k: 16 }
      const d = fast(f16, shape)(A, B, C)
      expect(d).toEqual(tensorCoreMma(f16, shape)(A, B, C))
      // exact here but for the last bits: the sign is right
      expect(Math.sign(decoder('f32')(d[0]!))).toBe(sign)
    }
  })
  it('32 products of 8 bits on Blackwell reach 2^32 without C', () => {
    const rules = rulesOf({ a: 'e5m2', b: 'e5m2', acc: 'f32' }, 'blackwell')
    const shape = { m: 1, n: 1, k: 32 }
    const A = new Float64Array(32).fill(encode('e5m2', 1.75))
    const C = Float64Array.of(encode('f32', 0))
    expect(32 * 1.75 ** 2 * 2 ** 25).toBeGreaterThan(2 ** 31)
    const d = fast(rules, shape)(A, A, C)
    expect(d).toEqual(tensorCoreMma(rules, shape)(A, A, C))
    expect(decoder('f32')(d[0]!)).toBe(32 * 1.75 ** 2)
  })
})

describe('the captured results reject every neighbouring rule', () => {
  const inputs: readonly (readonly [string, string])[] = [
    ['f16', 'f32'],
    ['bf16', 'f32'],
    ['tf32', 'f32'],
    ['f16', 'f16'],
    ['e4m3', 'f32'],
    ['e5m2', 'f16'],
  ]
  // the same is asked of the plain form, of every pair (numerics/tensor-core.proof.ts)
  it.each(sampled(3, inputs))('alignment bits off by one, or the other rounding, %s -> %s', (a, acc) => {
    const cases = select(a, acc)
    for (const off of [-1, 1])
      expect(wrong(cases, (r) => ({ ...r, alignmentBits: r.alignmentBits + off }))).toBeGreaterThan(100)
    expect(
      wrong(cases, (r) => ({ ...r, rounding: r.rounding === 'rn' ? ('rz' as const) : ('rn' as const) })),
    ).toBeGreaterThan(100)
  })
  it('another floor', () => {
    const cases = [...select('bf16', 'f32'), ...select('tf32', 'f32')]
    for (const floor of [-132, -126])
      expect(wrong(cases, (r) => ({ ...r, exponentFloor: floor }))).toBeGreaterThan(0)
    for (const floor of [-20])
      expect(wrong(select('f16', 'f16'), (r) => ({ ...r, exponentFloor: floor }))).toBeGreaterThan(0)
  })
})
