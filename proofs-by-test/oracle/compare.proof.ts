import { getFloat16 } from '@petamoriken/float16'
import * as E from 'fp-ts/lib/Either.js'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compare, printComparison, type Comparison } from '../../src/oracle/compare.js'
import { tensor, type Tensor, type TensorDtype } from '../../src/oracle/tensor-files/tensor.js'
import { nightly, sampled } from '../extent.js'
import { right } from '../either.js'

const made = (
  dtype: TensorDtype,
  patterns: ReadonlyArray<number | bigint>,
  shape?: ReadonlyArray<number>,
): Tensor => right(tensor(dtype, shape ?? [patterns.length], patterns))
const compared = (got: Tensor, expected: Tensor, limit?: number): Comparison =>
  right(compare(got, expected, limit))

/** f16 by enumeration: all patterns in order of their value, NaNs left out, the two zeros at one place. */
const view = new DataView(new ArrayBuffer(2))
const f16 = (p: number): number => {
  view.setUint16(0, p)
  return getFloat16(view, 0)
}
const all = Array.from({ length: 65536 }, (_, p) => p)
const line = [
  ...new Set(
    all
      .map(f16)
      .filter((v) => !Number.isNaN(v))
      .map((v) => v + 0),
  ),
].sort((a, b) => a - b)
const place = new Map(line.map((v, i) => [v, i]))
/** Steps from one value to the other along that enumeration. */
const steps = (p: number, q: number): number | undefined => {
  const a = place.get(f16(p) + 0)
  const b = place.get(f16(q) + 0)
  return a === undefined || b === undefined ? undefined : Math.abs(a - b)
}
const bucket = (d: number): string => {
  if (d <= 2) return String(d)
  let top = 4
  while (d > top) top *= 2
  return `${String(top / 2 + 1)}-${String(top)}`
}

/** Every f16 against a shuffled f16, counted by hand. */
const byHand = (got: ReadonlyArray<number>, expected: ReadonlyArray<number>): Partial<Comparison> => {
  const histogram: Record<string, number> = {}
  let [different, maxUlp, nanMismatch, nanPayload, zeroSign] = [0, 0, 0, 0, 0]
  got.forEach((g, i) => {
    const e = expected[i]!
    const d = g === e ? 0 : steps(g, e)
    if (g !== e) different++
    if (d === undefined) {
      if (Number.isNaN(f16(g)) && Number.isNaN(f16(e))) nanPayload++
      else nanMismatch++
      return
    }
    if (g !== e && d === 0) zeroSign++
    maxUlp = Math.max(maxUlp, d)
    histogram[bucket(d)] = (histogram[bucket(d)] ?? 0) + 1
  })
  return {
    equal: different === 0,
    different,
    maxUlp,
    ulpHistogram: histogram,
    nanMismatch,
    nanPayload,
    zeroSign,
  }
}

describe('compare against the enumeration of all f16 in order', () => {
  const shuffles: ReadonlyArray<readonly [string, (p: number) => number]> = [
    ['itself', (p) => p],
    ['the next pattern', (p) => (p + 1) % 65536],
    ['the same with the other sign', (p) => p ^ 0x8000],
    ['a multiplicative shuffle', (p) => (p * 40503 + 12345) % 65536],
    ['the reverse', (p) => 65535 - p],
    ['zero', () => 0],
    ['a NaN', () => 0x7e00],
  ]
  // by day one of them
  it.each(shuffles.filter((_, i) => nightly || i === 3))('every f16 against %s', (_, shuffle) => {
    // by day every seventh
    const some = sampled(7, all)
    const other = some.map(shuffle)
    expect(compared(made('f16', some), made('f16', other))).toMatchObject(byHand(some, other))
  })
})

describe('the table of the module header', () => {
  it.each([
    ['one bit', 0x3c01, 0x3c00, { ulpHistogram: { '1': 1 } }],
    ['across zero', 0x0001, 0x8001, { maxUlp: 2, ulpHistogram: { '2': 1 } }],
    ['zeros of two signs', 0x8000, 0x0000, { maxUlp: 0, zeroSign: 1, ulpHistogram: { '0': 1 } }],
    ['infinity after the largest', 0x7c00, 0x7bff, { maxUlp: 1 }],
    ['a NaN and a number', 0x7e00, 0x3c00, { nanMismatch: 1, nanPayload: 0, ulpHistogram: {}, maxUlp: 0 }],
    ['two payloads', 0x7e00, 0x7e01, { nanMismatch: 0, nanPayload: 1, ulpHistogram: {} }],
  ] as const)('%s', (_, got, expected, part) => {
    const c = compared(made('f16', [got]), made('f16', [expected]))
    expect(c).toMatchObject({ equal: false, elements: 1, different: 1 })
    expect(c).toMatchObject(part)
  })
  it('equal NaNs are equal', () => {
    expect(compared(made('f16', [0x7e01]), made('f16', [0x7e01]))).toMatchObject({
      equal: true,
      different: 0,
      ulpHistogram: { '0': 1 },
    })
  })
})

describe('other dtypes', () => {
  const one = (dtype: TensorDtype, got: number | bigint, expected: number | bigint): Comparison =>
    compared(made(dtype, [got]), made(dtype, [expected]))
  it.each([
    ['bf16', 0x3f81, 0x3f80, 1],
    ['bf16', 0xff80, 0x7f80, 2 * 0x7f80],
    ['f32', 0x7f800000, 0xff800000, 2 * 0x7f800000],
    ['e4m3', 0x7e, 0xfe, 2 * 0x7e],
    ['e8m0', 0, 254, 254],
    ['e2m1', 7, 15, 14],
    ['i8', 0x80, 0x7f, 255],
    ['u8', 0, 255, 255],
    ['i16', 0x8000, 0x7fff, 65535],
    ['i32', 0x80000000, 0x7fffffff, 4294967295],
    ['u32', 0, 0xffffffff, 4294967295],
    ['i1', 0, 1, 1],
    ['i64', 5n, (1n << 64n) - 3n, 8],
    ['u64', 0n, (1n << 64n) - 1n, 2 ** 64],
    ['f64', 0x3ff0000000000001n, 0x3ff0000000000000n, 1],
    ['f64', 1n, (1n << 63n) + 1n, 2],
  ] as const)('%s %s against %s: %s apart', (dtype, got, expected, ulp) => {
    const c = one(dtype, got, expected)
    expect(c.maxUlp).toBe(ulp)
    expect(c.first[0]?.ulp).toBe(ulp)
    expect(Object.values(c.ulpHistogram)).toEqual([1])
  })
  it('bits that tf32 ignores are bits all the same', () => {
    expect(one('tf32', 0x3f800001, 0x3f800000)).toMatchObject({ equal: false, maxUlp: 0, zeroSign: 0 })
  })
  it('a NaN of e4m3 and of f64', () => {
    expect(one('e4m3', 0x7f, 0x7e)).toMatchObject({ nanMismatch: 1 })
    expect(one('f64', 0x7ff8000000000000n, 0x7ff8000000000001n)).toMatchObject({ nanPayload: 1 })
  })
  it('buckets double, and their ends belong below', () => {
    const ds = [0, 1, 2, 3, 4, 5, 8, 9, 16, 17, 2 ** 16, 2 ** 16 + 1, 2 ** 31, 2 ** 31 + 1, 2 ** 32 - 1]
    const c = compared(
      made('u32', ds),
      made(
        'u32',
        ds.map(() => 0),
      ),
    )
    expect(c.ulpHistogram).toEqual({
      '0': 1,
      '1': 1,
      '2': 1,
      '3-4': 2,
      '5-8': 2,
      '9-16': 2,
      '17-32': 1,
      '32769-65536': 1,
      '65537-131072': 1,
      '1073741825-2147483648': 1,
      '2147483649-4294967296': 2,
    })
    const wide = compared(
      made('u64', ds.map(BigInt)),
      made(
        'u64',
        ds.map(() => 0n),
      ),
    )
    expect(wide.ulpHistogram).toEqual(c.ulpHistogram)
  })
})

describe('compare laws', () => {
  const dtypesTried: ReadonlyArray<readonly [TensorDtype, bigint]> = [
    ['f16', 65535n],
    ['e4m3', 255n],
    ['i8', 255n],
    ['f64', (1n << 64n) - 1n],
    ['i64', (1n << 64n) - 1n],
  ]
  const pairs = fc.constantFrom(...dtypesTried).chain(([dtype, max]) =>
    fc
      .array(fc.tuple(fc.bigInt({ min: 0n, max }), fc.bigInt({ min: 0n, max }), fc.boolean()), {
        maxLength: 30,
      })
      .map((rows) => ({
        got: made(
          dtype,
          rows.map(([g]) => g),
        ),
        expected: made(
          dtype,
          rows.map(([g, e, same]) => (same ? g : e)),
        ),
      })),
  )
  it('1: equal is equal bits', () => {
    fc.assert(
      fc.property(pairs, ({ got, expected }) => {
        const c = compared(got, expected)
        const same = String(got.bits) === String(expected.bits)
        expect(c.equal).toBe(same)
        expect(c.different === 0).toBe(same)
      }),
    )
  })
  it('2: every element is counted once', () => {
    fc.assert(
      fc.property(pairs, ({ got, expected }) => {
        const c = compared(got, expected)
        const counted = Object.values(c.ulpHistogram).reduce((n, m) => n + m, 0)
        expect(counted + c.nanMismatch + c.nanPayload).toBe(got.bits.length)
        expect(c.elements).toBe(got.bits.length)
      }),
    )
  })
  it('3: symmetric', () => {
    fc.assert(
      fc.property(pairs, ({ got, expected }) => {
        const [c, d] = [compared(got, expected), compared(expected, got)]
        expect({ ...d, first: [] }).toEqual({ ...c, first: [] })
        expect(
          d.first.map((m) => ({
            ...m,
            got: m.expected,
            expected: m.got,
            gotBits: m.expectedBits,
            expectedBits: m.gotBits,
          })),
        ).toEqual(c.first)
      }),
    )
  })
  it('4: the first mismatches, in C order', () => {
    const shape = [3, 5]
    const base = Array.from({ length: 15 }, (_, i) => 0x3c00 + i)
    const got = base.map((b, i) => (i === 7 || i === 4 || i === 14 ? b + 1 : b))
    const c = compared(made('f16', got, shape), made('f16', base, shape))
    expect(c.first.map((m) => m.index)).toEqual([
      [0, 4],
      [1, 2],
      [2, 4],
    ])
    expect(c.first[0]).toEqual({
      index: [0, 4],
      got: 1 + 5 * 2 ** -10,
      expected: 1 + 4 * 2 ** -10,
      gotBits: '0x3c05',
      expectedBits: '0x3c04',
      ulp: 1,
    })
    expect(compared(made('f16', got, shape), made('f16', base, shape), 2).first).toEqual(c.first.slice(0, 2))
    const many = compared(
      made(
        'u8',
        Array.from({ length: 50 }, () => 1),
      ),
      made(
        'u8',
        Array.from({ length: 50 }, () => 0),
      ),
    )
    expect(many.first.map((m) => m.index)).toEqual(Array.from({ length: 10 }, (_, i) => [i]))
  })
  it('nothing to compare is equal', () => {
    expect(compared(made('f16', [], [0, 4]), made('f16', [], [0, 4]))).toMatchObject({
      equal: true,
      elements: 0,
      ulpHistogram: {},
    })
  })
  it('refuses different dtypes and shapes', () => {
    expect(compare(made('u16', [1]), made('bf16', [1]))).toEqual(
      E.left({ code: 'compare-dtype', message: 'expected dtype bf16, found u16' }),
    )
    expect(compare(made('u8', [1, 2], [2, 1]), made('u8', [1, 2], [1, 2]))).toEqual(
      E.left({ code: 'compare-shape', message: 'expected shape (1, 2), found (2, 1)' }),
    )
  })
})

describe('printed', () => {
  it('equal', () => {
    expect(printComparison(compared(made('f16', [1, 2]), made('f16', [1, 2])))).toBe(
      'equal: 2 elements of f16 (2,), bit for bit\n',
    )
  })
  it('different', () => {
    const c = compared(made('f16', [0x3c01, 0x7e00, 0x8000, 5]), made('f16', [0x3c00, 0x3c00, 0, 5]))
    expect(printComparison(c)).toBe(
      [
        'different: 3 of 4 elements of f16 (4,); at most 1 ulp apart',
        '  1: a NaN on one side only',
        '  1: zeros of different sign',
        '',
        '  ulp  elements',
        '  0    2',
        '  1    1',
        '',
        '  index  got                   expected          ulp',
        '  (0,)   1.0009765625  0x3c01  1         0x3c00  1',
        '  (1,)   nan           0x7e00  1         0x3c00  -',
        '  (2,)   -0            0x8000  0         0x0000  0',
        '',
      ].join('\n'),
    )
  })
})
