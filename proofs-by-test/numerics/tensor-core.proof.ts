import * as O from 'fp-ts/lib/Option.js'
import { describe, expect, it } from 'vitest'
import type { MmaShape } from '../../src/numerics/algebra.js'
import { type ArithmeticRules, blockSum, hopperRules, tensorCoreMma } from '../../src/numerics/tensor-core.js'
import { type CapturedCase, capturedCases, mismatches } from './captured.js'

const nightly = process.env['TCSPEC_NIGHTLY'] !== undefined

const rulesOf = (types: ArithmeticRules['types']): ArithmeticRules =>
  O.getOrElseW(() => {
    throw new Error(JSON.stringify(types))
  })(hopperRules(types))

/** The definition, element by element and instruction by instruction. */
const byDefinition =
  (rules: ArithmeticRules, { m, n, k }: MmaShape) =>
  (a: Float64Array, b: Float64Array, c: Float64Array): Float64Array => {
    const one = blockSum(rules)
    return Float64Array.from({ length: m * n }, (_, at) => {
      const i = Math.floor(at / n)
      const j = at % n
      let sum = c[at]!
      for (let from = 0; from < k; from += rules.blockK) {
        const steps = Array.from({ length: rules.blockK }, (_, p) => from + p)
        sum = one(
          steps.map((p) => a[i * k + p]!),
          steps.map((p) => b[p * n + j]!),
          sum,
        )
      }
      return sum
    })
  }

/** Mismatches against the chip over the tiles of cases, by the fast form. */
const wrong = (cases: readonly CapturedCase[], change: (rules: ArithmeticRules) => ArithmeticRules): number =>
  cases.reduce((total, { types, m, n, k, tiles }) => {
    const mma = tensorCoreMma(change(rulesOf(types)), { m, n, k })
    return total + tiles.reduce((count, t) => count + mismatches(mma(t.a, t.b, t.c), t.d), 0)
  }, 0)

const same = (rules: ArithmeticRules): ArithmeticRules => rules
const select = (a: string, acc: string): readonly CapturedCase[] =>
  capturedCases.filter(({ types }) => types.a === a && types.acc === acc)

describe('tensor-core law 1: the fast form equals the chip (captured H100 results, NaNs as bits)', () => {
  it('covers every float combination of wgmma', () => {
    expect(capturedCases.length).toBe(37)
    expect(capturedCases.reduce((sum, { tiles, m, n }) => sum + tiles.length * m * n, 0)).toBeGreaterThan(
      250_000,
    )
  })
  it.each(capturedCases)('$file', (captured) => {
    expect(captured.instructionK).toBe(rulesOf(captured.types).blockK)
    expect(wrong([captured], same)).toBe(0)
  })
})

describe('tensor-core laws 1 and 2: the definition equals the chip, and so the fast form', () => {
  // Rows of a captured tile are independent dot products: every eighth row of each tile is the quick share.
  it.each(capturedCases)('$file', ({ types, m, n, k, tiles }) => {
    const rules = rulesOf(types)
    const rows = Array.from({ length: m }, (_, i) => i).filter((i) => nightly || i % 8 === 3)
    const shape = { m: rows.length, n: n, k }
    const pick = (x: Float64Array, width: number): Float64Array =>
      Float64Array.from(rows.flatMap((i) => [...x.subarray(i * width, (i + 1) * width)]))
    for (const t of tiles)
      expect(mismatches(byDefinition(rules, shape)(pick(t.a, k), t.b, pick(t.c, n)), pick(t.d, n))).toBe(0)
  })
})

describe('tensor-core law 1, sensitivity: the captured data reject every neighbouring rule', () => {
  const inputs: readonly (readonly [string, string])[] = [
    ['f16', 'f32'],
    ['bf16', 'f32'],
    ['tf32', 'f32'],
    ['f16', 'f16'],
    ['e4m3', 'f32'],
    ['e5m2', 'f16'],
  ]
  it.each(inputs)('alignment bits off by one, %s -> %s', (a, acc) => {
    const cases = select(a, acc)
    for (const off of [-1, 1])
      expect(wrong(cases, (r) => ({ ...r, alignmentBits: r.alignmentBits + off }))).toBeGreaterThan(100)
  })
  it.each(inputs)('the other rounding, %s -> %s', (a, acc) => {
    expect(
      wrong(select(a, acc), (r) => ({ ...r, rounding: r.rounding === 'rn' ? 'rz' : 'rn' })),
    ).toBeGreaterThan(100)
  })
  it('a floor of -132, -134 or -126 for f32', () => {
    const cases = [...select('bf16', 'f32'), ...select('tf32', 'f32')]
    for (const floor of [-132, -134, -126])
      expect(wrong(cases, (r) => ({ ...r, exponentFloor: floor }))).toBeGreaterThan(0)
  })
  it('a floor of -20 or -22 for f16', () => {
    for (const floor of [-20, -22])
      expect(wrong(select('f16', 'f16'), (r) => ({ ...r, exponentFloor: floor }))).toBeGreaterThan(0)
  })
  it('fp8 results with 12 or 14 fraction bits', () => {
    for (const bits of [12, 14])
      expect(wrong(select('e4m3', 'f32'), (r) => ({ ...r, resultFractionBits: bits }))).toBeGreaterThan(100)
  })
  it('blocks of 8 instead of 16', () => {
    expect(wrong(select('f16', 'f32'), (r) => ({ ...r, blockK: 8 }))).toBeGreaterThan(100)
  })
})
