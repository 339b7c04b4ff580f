import * as O from 'fp-ts/lib/Option.js'
import { describe, expect, it } from 'vitest'
import type { MmaShape } from '../../src/numerics/algebra.js'
import { bitsOf, floatDtypes, type FloatDtype } from '../../src/numerics/dtype.js'
import { decode, encode, formatOf, isNaNPattern, minExponent } from '../../src/numerics/float-format.js'
import {
  type ArithmeticRules,
  blackwellRules,
  blockSum,
  hopperRules,
  tensorCoreMma,
} from '../../src/numerics/tensor-core.js'

import { combinations, kinds, matrix } from './adversarial.js'
import { type CapturedCase, capturedCases, capturedIntegers, dotProducts, mismatches } from './captured.js'
import { generator, nearest, plus, rational, times, towardZero } from './exact.js'
import { nightly, sampled } from '../extent.js'

const chips = { hopper: hopperRules, blackwell: blackwellRules } as const
type Chip = keyof typeof chips

const rulesOf = (types: ArithmeticRules['types'], chip: Chip = 'hopper'): ArithmeticRules =>
  O.getOrElseW(() => {
    throw new Error(JSON.stringify(types))
  })(chips[chip](types))

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
    // the other ten are of integers (integer-product.proof.ts)
    expect(capturedCases.length + capturedIntegers.length).toBe(47)
    expect(dotProducts(capturedCases) + dotProducts(capturedIntegers)).toBe(347_648)
  })
  it.each(capturedCases)('$file', (captured) => {
    expect(captured.instructionK).toBe(rulesOf(captured.types).blockK)
    expect(wrong([captured], same)).toBe(0)
  })
})

describe('tensor-core laws 1 and 2: the definition equals the chip, and so the fast form', () => {
  // Rows of a captured tile are independent dot products: every sixteenth row of each tile is the quick share.
  it.each(capturedCases)('$file', ({ types, m, n, k, tiles }) => {
    const rules = rulesOf(types)
    const rows = Array.from({ length: m }, (_, i) => i).filter((i) => nightly || i % 32 === 3)
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
  it.each(sampled(2, inputs))('alignment bits off by one, %s -> %s', (a, acc) => {
    const cases = select(a, acc)
    for (const off of [-1, 1])
      expect(wrong(cases, (r) => ({ ...r, alignmentBits: r.alignmentBits + off }))).toBeGreaterThan(100)
  })
  it.each(sampled(2, inputs))('the other rounding, %s -> %s', (a, acc) => {
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

describe('tensor-core law 2: the fast form equals the definition on adversarial matrices', () => {
  it.each(sampled(3, combinations))('%s x %s -> %s, %s', (a, b, acc, chip) => {
    const rules = rulesOf({ a, b, acc }, chip)
    const next = generator(31)
    // An odd number of rows and columns, and a chain of three instructions.
    const shape = { ...(nightly ? { m: 63, n: 31 } : { m: 5, n: 3 }), k: 3 * rules.blockK }
    const fast = tensorCoreMma(rules, shape)
    const slow = byDefinition(rules, shape)
    for (const inputs of kinds)
      for (const accumulators of kinds) {
        // by day every second pair of kinds
        if (!nightly && (kinds.indexOf(inputs) + kinds.indexOf(accumulators)) % 2 === 1) continue
        const x = matrix(inputs, a, shape.m * shape.k, next)
        const y = matrix(inputs, b, shape.k * shape.n, next)
        const z = matrix(accumulators, acc, shape.m * shape.n, next)
        const kept = [x.slice(), y.slice(), z.slice()]
        expect([inputs, accumulators, mismatches(fast(x, y, z), slow(x, y, z))]).toEqual([
          inputs,
          accumulators,
          0,
        ])
        expect([x, y, z].map((now, i) => mismatches(now, kept[i]!))).toEqual([0, 0, 0])
      }
  })
})

describe('tensor-core law 3: order does not matter, zeros do not count', () => {
  it.each(sampled(3, combinations))('%s x %s -> %s, %s', (a, b, acc, chip) => {
    const rules = rulesOf({ a, b, acc }, chip)
    const next = generator(32)
    const one = blockSum(rules)
    for (const kind of kinds)
      for (let trial = 0; trial < (nightly ? 20 : 3); trial++) {
        const half = rules.blockK / 2
        const x = [...matrix(kind, a, half, next)]
        const y = [...matrix(kind, b, half, next)]
        const c = matrix(kind, acc, 1, next)[0]!
        const d = one(x, y, c)
        const order = x.map((_, i) => i).sort(() => (next() % 2 ? 1 : -1))
        const [px, py] = [order.map((i) => x[i]!), order.map((i) => y[i]!)]
        const pad = x.map(() => 0)
        expect(one(px, py, c)).toBe(d)
        expect(one([...pad, ...px], [...pad, ...py], c)).toBe(d)
      }
  })
})

describe('tensor-core law 4: results are canonical', () => {
  it.each(sampled(3, combinations))('%s x %s -> %s, %s', (a, b, acc, chip) => {
    const rules = rulesOf({ a, b, acc }, chip)
    const next = generator(33)
    const shape = { m: 16, n: 16, k: rules.blockK }
    const negativeZero = 2 ** (bitsOf(acc) - 1)
    for (const kind of kinds) {
      const d = tensorCoreMma(rules, shape)(
        matrix(kind, a, shape.m * shape.k, next),
        matrix(kind, b, shape.k * shape.n, next),
        matrix(kind, acc, shape.m * shape.n, next),
      )
      const { canonicalNaN } = formatOf(acc)
      const wrong = d.filter((p) => p === negativeZero || (isNaNPattern(acc, p) && p !== canonicalNaN))
      expect([...wrong]).toEqual([])
    }
  })
})

describe('tensor-core: worked examples', () => {
  const f16 = (x: number): number => encode('f16', x)
  const f32 = (x: number): number => encode('f32', x)
  const dot = (acc: 'f32' | 'f16', products: readonly (readonly [number, number])[], c: number): number =>
    decode(
      acc,
      blockSum(rulesOf({ a: 'f16', b: 'f16', acc }))(
        products.map(([x]) => f16(x)),
        products.map(([, y]) => f16(y)),
        encode(acc, c),
      ),
    )
  it('the header: what a term loses depends on its largest neighbour', () => {
    const products = [
      [2 ** -12, 2 ** -13],
      [2 ** -12, 2 ** -13],
      [2 ** -13, 2 ** -13],
      [-(2 ** -12), 2 ** -12],
    ] as const
    expect(dot('f32', products, 1)).toBe(1)
    expect(dot('f32', products, 0)).toBe(2 ** -26)
  })
  it('a product beyond f32 is not infinite, a sum is; f16 overflows from 65520 on', () => {
    const bf16 = rulesOf({ a: 'bf16', b: 'bf16', acc: 'f32' })
    const big = encode('bf16', 2 ** 127)
    const minus = encode('bf16', -(2 ** 127))
    expect(blockSum(bf16)([big, big], [big, minus], f32(1))).toBe(0)
    expect(blockSum(bf16)([big], [big], f32(0))).toBe(0x7f800000)
    expect(
      dot(
        'f16',
        [
          [65504, 1],
          [15, 1],
        ],
        0,
      ),
    ).toBe(65504)
    expect(
      dot(
        'f16',
        [
          [65504, 1],
          [16, 1],
        ],
        0,
      ),
    ).toBe(Infinity)
  })
  it('negative zeros add up to +0, and no k-steps change nothing', () => {
    expect(
      Object.is(
        dot(
          'f32',
          [
            [-0, 1],
            [-1, 0],
          ],
          -0,
        ),
        0,
      ),
    ).toBe(true)
    const rules = rulesOf({ a: 'f16', b: 'f16', acc: 'f32' })
    const c = Float64Array.of(0x80000000, 0x7fc00000)
    const empty = new Float64Array(0)
    const d = tensorCoreMma(rules, { m: 1, n: 2, k: 0 })(empty, empty, c)
    expect(d).toEqual(c)
    expect(d).not.toBe(c)
  })
  it('a result that rounds up to the next power of two has its exponent from then on', () => {
    const rules = rulesOf({ a: 'f16', b: 'f16', acc: 'f16' })
    const chain = (c: number, blocks: readonly (readonly number[])[]): number => {
      const addends = blocks.flatMap((block) => Array.from({ length: 16 }, (_, p) => f16(block[p] ?? 0)))
      const shape = { m: 1, n: 1, k: addends.length }
      const ones = Float64Array.from(addends, () => f16(1))
      return decode(
        'f16',
        tensorCoreMma(rules, shape)(Float64Array.from(addends), ones, Float64Array.of(f16(c)))[0]!,
      )
    }
    // Infinite after the first instruction, whatever the second takes away.
    expect(chain(65504, [[16], [-1000]])).toBe(Infinity)
    // 2047.5 becomes 2048; aligned to 2^11, the 2^-15 that would break the next tie is cut off.
    expect(chain(2047, [[0.5]])).toBe(2048)
    expect(chain(2047, [[0.5], [1, 2 ** -15]])).toBe(2048)
    expect(chain(2047, [[0.5], [1, 2 ** -14]])).toBe(2050)
  })
  it('combinations without an instruction have no rules', () => {
    for (const [a, b, acc] of [
      ['bf16', 'bf16', 'f16'],
      ['f16', 'bf16', 'f32'],
      ['tf32', 'tf32', 'f16'],
      ['e4m3', 'f16', 'f32'],
      ['f32', 'f32', 'f32'],
      ['f16', 'f16', 'bf16'],
    ] as const)
      expect(hopperRules({ a, b, acc })).toEqual(O.none)
  })
})

describe('tensor-core law 5: on f16, bf16 and tf32 the documented Blackwell is the measured Hopper', () => {
  const shared = [
    ['f16', 'f32'],
    ['f16', 'f16'],
    ['bf16', 'f32'],
    ['tf32', 'f32'],
  ] as const
  it.each(shared)('%s -> %s: the same numbers; only how they are known differs', (input, acc) => {
    const types = { a: input, b: input, acc }
    expect(rulesOf(types, 'blackwell')).toEqual({ ...rulesOf(types), fidelity: 'documented' })
    expect(rulesOf(types).fidelity).toBe('silicon')
  })
  it.each(shared)('%s -> %s: the results that an H100 gave', (input, acc) => {
    const cases = select(input, acc)
    expect(cases.length).toBeGreaterThan(0)
    expect(wrong(cases, ({ types }) => rulesOf(types, 'blackwell'))).toBe(0)
  })
  it.each([
    ['e4m3', 'f32'],
    ['e5m2', 'f32'],
    ['e4m3', 'f16'],
    ['e5m2', 'f16'],
  ])('%s -> %s: not the results that an H100 gave', (input, acc) => {
    expect(wrong(select(input, acc), ({ types }) => rulesOf(types, 'blackwell'))).toBeGreaterThan(1000)
  })
  it('the table of the published rule: K, F, floor, rounding, fraction bits', () => {
    const row = (a: FloatDtype, b: FloatDtype, acc: FloatDtype): readonly (number | string)[] => {
      const r = rulesOf({ a, b, acc }, 'blackwell')
      return [r.blockK, r.alignmentBits, r.exponentFloor, r.rounding, r.resultFractionBits, r.fidelity]
    }
    expect(row('f16', 'f16', 'f32')).toEqual([16, 25, -133, 'rz', 23, 'documented'])
    expect(row('bf16', 'bf16', 'f32')).toEqual([16, 25, -133, 'rz', 23, 'documented'])
    expect(row('f16', 'f16', 'f16')).toEqual([16, 25, -21, 'rn', 10, 'documented'])
    expect(row('tf32', 'tf32', 'f32')).toEqual([8, 25, -133, 'rz', 23, 'documented'])
    for (const a of ['e4m3', 'e5m2', 'e2m3', 'e3m2', 'e2m1'] as const)
      for (const b of ['e4m3', 'e5m2', 'e2m3', 'e3m2', 'e2m1'] as const) {
        expect(row(a, b, 'f32')).toEqual([32, 25, -133, 'rz', 23, 'documented'])
        expect(row(a, b, 'f16')).toEqual([32, 25, -21, 'rn', 10, 'documented'])
      }
  })
  it('exactly those combinations have rules', () => {
    const count = (rules: (typeof chips)[Chip]): number =>
      floatDtypes
        .flatMap((a) => floatDtypes.flatMap((b) => floatDtypes.map((acc) => rules({ a, b, acc }))))
        .filter(O.isSome).length
    expect([count(hopperRules), count(blackwellRules)]).toEqual([4 + 2 * 4, 4 + 2 * 25])
    for (const [a, b, acc] of [
      ['f16', 'bf16', 'f32'],
      ['bf16', 'bf16', 'f16'],
      ['tf32', 'tf32', 'f16'],
      ['e4m3', 'f16', 'f32'],
      ['e2m3', 'f16', 'f32'],
      ['e3m2', 'e4m3', 'bf16'],
      ['f16', 'f16', 'bf16'],
    ] as const)
      expect(blackwellRules({ a, b, acc })).toEqual(O.none)
    expect(hopperRules({ a: 'e2m1', b: 'e2m1', acc: 'f32' })).toEqual(O.none)
  })
})

describe('tensor-core, fp8 by hand: 13 bits against 25', () => {
  /** One instruction on both chips: c plus the products, as values. */
  const both = (
    input: FloatDtype,
    acc: 'f32' | 'f16',
    products: readonly (readonly [number, number])[],
    c: number,
  ): readonly number[] =>
    (['hopper', 'blackwell'] as const).map((chip) =>
      decode(
        acc,
        blockSum(rulesOf({ a: input, b: input, acc }, chip))(
          products.map(([x]) => encode(input, x)),
          products.map(([, y]) => encode(input, y)),
          encode(acc, c),
        ),
      ),
    )
  const times16 = <A>(x: A): readonly A[] => Array.from({ length: 16 }, () => x)

  it('the header: 1 + 2^-15, in units of 2^-13 and of 2^-25', () => {
    expect(both('e4m3', 'f32', [[2 ** -9, 2 ** -6]], 1)).toEqual([1, 1 + 2 ** -15])
  })
  it('a c of more than 13 fraction bits survives a product of zero only on Blackwell', () => {
    expect(both('e4m3', 'f32', [[0, 1]], 1 + 2 ** -14 + 2 ** -23)).toEqual([1, 1 + 2 ** -14 + 2 ** -23])
  })
  it('sixteen times 2^-14: the f16 sum 1 + 2^-10, or nothing', () => {
    expect(both('e5m2', 'f16', times16([2 ** -7, 2 ** -7] as const), 1)).toEqual([1, 1 + 2 ** -10])
    expect(both('e4m3', 'f16', times16([2 ** -8, 2 ** -6] as const), 1)).toEqual([1, 1 + 2 ** -10])
  })
  it('2^-25 is the last bit kept: four of them reach f32, four of 2^-26 are gone', () => {
    expect(both('e5m2', 'f32', Array(4).fill([2 ** -12, 2 ** -13]), 1)).toEqual([1, 1 + 2 ** -23])
    expect(both('e5m2', 'f32', Array(4).fill([2 ** -13, 2 ** -13]), 1)).toEqual([1, 1])
    // Three reach 2^-25, not 2^-23: truncated by the final rounding.
    expect(both('e5m2', 'f32', Array(3).fill([2 ** -12, 2 ** -13]), 1)).toEqual([1, 1])
  })
  it('e2m1: 32 products 6 * 6 and a half are 1152.5', () => {
    const one = blockSum(rulesOf({ a: 'e2m1', b: 'e2m1', acc: 'f32' }, 'blackwell'))
    const sixes = Array<number>(32).fill(0x7)
    expect(decode('f32', one(sixes, sixes, encode('f32', 0.5)))).toBe(1152.5)
  })
})

describe('tensor-core law 6: where nothing is cut off, a block is its exact sum, rounded once', () => {
  // Inputs below 16 and c at most 2^8: E <= 8, so Blackwell keeps 2^-17 and up; with e4m3 x e4m3 c is at most 2^6 and
  // 2^-19 is kept. The last number of a row is the quantum of its products.
  const inputs: readonly (readonly [FloatDtype, FloatDtype, number])[] = [
    ['e4m3', 'e4m3', 2 ** -18],
    ['e2m1', 'e4m3', 2 ** -10],
    ['e2m1', 'e2m1', 2 ** -2],
  ]
  const trials = nightly ? 20_000 : 80
  const choices = (dtype: FloatDtype): readonly [readonly number[], readonly number[], readonly number[]] => {
    const all = Array.from({ length: 2 ** bitsOf(dtype) }, (_, p) => p).filter(
      (p) => Math.abs(decode(dtype, p)) < 16,
    )
    const tiny = 2 ** minExponent(formatOf(dtype))
    return [
      all.filter((p) => decode(dtype, p) >= 4),
      all.filter((p) => Math.abs(decode(dtype, p)) < tiny && decode(dtype, p) !== 0),
      all,
    ]
  }
  const disagreements = (
    chip: Chip,
    a: FloatDtype,
    b: FloatDtype,
    acc: 'f32' | 'f16',
    quantum: number,
  ): number => {
    const next = generator(34)
    // Large positive products make sums longer than 24 bits, tiny ones set their last bit.
    const [largeA, tinyA, anyA] = choices(a)
    const [largeB, tinyB, anyB] = choices(b)
    const among = (patterns: readonly number[]): number => patterns[next() % patterns.length]!
    const pair = (): readonly [number, number] => {
      const kind = next() % 3
      if (kind === 0) return [among(largeA), among(largeB)]
      return kind === 1 ? [among(tinyA), among(tinyB)] : [among(anyA), among(anyB)]
    }
    const one = blockSum(rulesOf({ a, b, acc }, chip))
    const round = acc === 'f32' ? towardZero : nearest
    return Array.from({ length: trials }, () => {
      const pairs = Array.from({ length: 32 }, pair)
      const [x, y] = [pairs.map(([p]) => p), pairs.map(([, q]) => q)]
      // In f16 a c of 10 fraction bits.
      const c = ((next() % 2048) - 1024) * Math.max(quantum, acc === 'f16' ? 2 ** -4 : 2 ** -10)
      const exact = x.reduce(
        (sum, p, k) => plus(sum, times(rational(decode(a, p)), rational(decode(b, y[k]!)))),
        rational(c),
      )
      return one(x, y, encode(acc, c)) === round(acc, exact)
    }).filter((same) => !same).length
  }
  it.each(inputs)('%s x %s, into f32 and f16', (a, b, quantum) => {
    for (const acc of ['f32', 'f16'] as const)
      expect([acc, disagreements('blackwell', a, b, acc, quantum)]).toEqual([acc, 0])
  })
  it('which Hopper, cutting at 13 bits, does not keep for e4m3', () => {
    expect(disagreements('hopper', 'e4m3', 'e4m3', 'f32', 2 ** -18)).toBeGreaterThan(trials / 2)
  })
})
