/** Block sums in vectors against the captured results of the chip and against the plain form: law 1, and what it rejects. */
import * as O from 'fp-ts/lib/Option.js'
import { describe, expect, it } from 'vitest'
import { fastBlockSum } from '../../src/fast/block-sum.js'
import type { Mma, MmaShape } from '../../src/numerics/algebra.js'
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
