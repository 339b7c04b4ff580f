/** What the headers of the special functions promise, by the functions themselves: no captured data, but for the tables. */
import { describe, expect, it, test } from 'vitest'
import { decoder, encoder } from '../../../src/numerics/float-format.js'
import {
  flush,
  multiply,
  multiplyFlushed,
  truncatedPattern,
} from '../../../src/numerics/special-functions/binary32.js'
import {
  binaryFunction,
  isSpecialBinary,
  isSpecialUnary,
  lowerings,
  specialBinaryNames,
  specialDtype,
  type SpecialUnary,
  specialUnaryNames,
  unaryFunction,
} from '../../../src/numerics/special-functions/index.js'
import { truncatedSquare } from '../../../src/numerics/special-functions/square.js'
import * as tablesHere from '../../../src/numerics/special-functions/tables.js'
import { generator } from '../exact.js'
import { octave, tables } from './captured.js'
import { nightly } from '../../extent.js'

/** Every so many operands of an octave; a prime, so that the low bits take all values. */
const stride = nightly ? 1 : 181

const value = decoder('f32')
const pattern = encoder('f32')
const signBit = 0x80000000
const NaNPattern = 0x7fffffff
/** A unit in the last place of the f32s around x. */
const ulp = (x: number): number => 2 ** (Math.floor(Math.log2(Math.abs(x))) - 23)

interface Swept {
  /** Extremes of the error in units in the last place. */
  readonly low: number
  readonly high: number
  readonly relative: number
  readonly absolute: number
  readonly falls: number
  readonly rises: number
}

/** Over an octave, from the pattern `first` on. */
const sweep = (name: SpecialUnary, first: number, wanted: (x: number) => number): Swept => {
  const f = unaryFunction[name]
  let [low, high, relative, absolute, falls, rises] = [0, 0, 0, 0, 0, 0]
  let before = NaN
  for (let i = 0; i < octave; i += stride) {
    const y = value(f(first + i))
    const t = wanted(value(first + i))
    const off = y - t
    low = Math.min(low, off / ulp(t))
    high = Math.max(high, off / ulp(t))
    relative = Math.max(relative, Math.abs(off / t))
    absolute = Math.max(absolute, Math.abs(off))
    if (y < before) falls += 1
    if (y > before) rises += 1
    before = y
  }
  return { low, high, relative, absolute, falls, rises }
}

const samples = (seed: number, count: number): readonly number[] => {
  const next = generator(seed)
  return Array.from({ length: count }, () => next() % 4294967296)
}
const any = [
  ...samples(5, nightly ? 20000 : 1500),
  ...[
    0, 1, 0x7fffff, 0x800000, 0x3f800000, 0x7e800000, 0x7e800001, 0x7f7fffff, 0x7f800000, 0x7f800001,
  ].flatMap((x) => [x, x + signBit]),
]
const isNaNOf = (x: number): boolean => Number.isNaN(value(x))

describe('tables.ts', () => {
  it('the module is the captured file', () => {
    const list = ({ c0, c1, c2 }: tablesHere.Quadratic): unknown => ({
      c0: [...c0],
      c1: [...c1],
      c2: [...c2],
    })
    const { ex2Table, rcpTable, lg2Table, rsqrtEvenTable, rsqrtOddTable, tanhBands } = tablesHere
    expect([ex2Table, rcpTable, lg2Table, rsqrtEvenTable, rsqrtOddTable].map(list)).toEqual(
      (['ex2', 'rcp', 'lg2', 'rsq_even', 'rsq_odd'] as const).map((name) => tables.tables[name]),
    )
    expect(
      tanhBands.map((band) => ({
        exponent: band.exponent,
        ignored_bits: band.ignoredBits,
        unit: band.unit,
        ...Object(list(band)),
      })),
    ).toEqual(tables.tanh)
  })

  it('the heads of the quadratics are Taylor coefficients at the segment', () => {
    for (let i = 0; i < 64; i++) {
      const y = 2 ** (i / 64)
      expect(Math.abs(tablesHere.ex2Table.c0[i]! / 2 ** 25 - y)).toBeLessThan(2 ** -22)
      expect(Math.abs(tablesHere.ex2Table.c1[i]! / 2 ** 15 - y * Math.LN2)).toBeLessThan(2 ** -13)
      expect(Math.abs(tablesHere.lg2Table.c0[i]! / 2 ** 26 - Math.log2(1 + i / 64))).toBeLessThan(2 ** -22)
    }
  })
})

describe('square.ts', () => {
  it('law 1: Q is the double sum of the definition, for all 131072 operands', () => {
    const definition = (x: number): number => {
      const bits = Array.from({ length: 17 }, (_, i) => i).filter((i) => (x >>> i) % 2 === 1)
      let sum = 0
      for (const i of bits)
        for (const j of bits) {
          if (i === j && 2 * i >= 19) sum += 2 ** (2 * i - 19)
          if (i < j && i + j + 1 >= 19) sum += 2 ** (i + j + 1 - 19)
        }
      return sum
    }
    for (let x = 0; x < 131072; x += nightly ? 1 : 11)
      if (truncatedSquare[x] !== definition(x)) expect([x, truncatedSquare[x]]).toEqual([x, definition(x)])
  })

  it('law 2: too small by 0 to 34 quarters', () => {
    let most = 0
    for (let x = 0; x < 131072; x++) {
      const lost = (x * x) / 2 ** 19 - truncatedSquare[x]!
      if (lost < 0 || truncatedSquare[x]! >= 32768) expect(lost).toBe(x)
      most = Math.max(most, lost)
    }
    expect(Math.floor(4 * most)).toBe(34)
  })
})

describe('binary32.ts', () => {
  it('laws 1 and 2: products rounded once, and flushed', () => {
    expect(multiply(pattern(2 ** -100), pattern(2 ** -30))).toBe(0x00080000)
    expect(multiplyFlushed(pattern(-(2 ** -100)), pattern(2 ** -30))).toBe(signBit)
    expect(multiplyFlushed(0x007fffff, pattern(2 ** 100))).toBe(0)
    expect(multiply(0, 0x7f800000)).toBe(NaNPattern)
    const [a, b] = [samples(11, 2000), samples(12, 2000)]
    a.forEach((x, i) => {
      const product = Math.fround(value(x) * value(b[i]!))
      expect(multiply(x, b[i]!)).toBe(pattern(product))
      expect(multiplyFlushed(x, b[i]!)).toBe(flush(multiply(flush(x), flush(b[i]!))))
    })
  })

  it('cutting off is rounding to zero', () => {
    const cut = encoder('f32', 'rz')
    for (const x of samples(13, 5000)) {
      const wide = (1 + x / 2 ** 32 + x / 2 ** 50) * 2 ** ((x % 250) - 125)
      expect(truncatedPattern(wide)).toBe(cut(wide))
    }
  })
})

describe('ex2.ts', () => {
  const f = unaryFunction['ex2.approx.ftz.f32']
  const full = unaryFunction['ex2.approx.f32']
  it('law 1: exact at integers; flushed below -126, where the full form has the subnormals', () => {
    for (let n = -126; n <= 127; n++) expect(value(f(pattern(n)))).toBe(2 ** n)
    for (let n = -149; n < -126; n++) {
      expect(f(pattern(n))).toBe(0)
      // The square of 2^(n/2): exact if n is even.
      const off = Math.abs(value(full(pattern(n))) - 2 ** n)
      expect(off).toBeLessThanOrEqual(n % 2 === 0 ? 0 : 2 ** (n - 20))
    }
    for (const x of [128, 1e9, Infinity]) expect(f(pattern(x))).toBe(0x7f800000)
    for (const x of [-151, -1e9, -Infinity]) expect([f(pattern(x)), full(pattern(x))]).toEqual([0, 0])
    for (const x of [0, -0, 1e-40, -1e-40, 2 ** -24, -(2 ** -24)]) expect(f(pattern(x))).toBe(0x3f800000)
  })
  it('laws 2 and 3: ordered, and how far off', () => {
    const up = sweep('ex2.approx.ftz.f32', 0x3f800000, (x) => 2 ** x)
    expect([up.falls, up.rises > 0]).toEqual([0, true])
    expect([up.low >= -0.745, up.high <= 1.395]).toEqual([true, true])
    if (nightly) expect([up.low.toFixed(2), up.high.toFixed(2)]).toEqual(['-0.74', '1.39'])
    const down = sweep('ex2.approx.ftz.f32', 0xbf800000, (x) => 2 ** x)
    expect([down.rises, down.falls > 0]).toEqual([0, true])
    expect([down.low > -2.1, down.high < 0.6]).toEqual([true, true])
  })
  it('2^-f is 2^-1 times 2^(1-f), with f one step larger: the complement', () => {
    for (let u = 1; u < octave; u += 4099) {
      const half = f(pattern(1 - (u + 1) / octave)) - octave
      expect(f(pattern(-u / octave))).toBe(half)
    }
  })
})

describe('rcp.ts', () => {
  const f = unaryFunction['rcp.approx.ftz.f32']
  const full = unaryFunction['rcp.approx.f32']
  it('law 1: odd', () => {
    for (const x of any.filter((p) => p < signBit && !isNaNOf(p))) {
      expect(f(x + signBit)).toBe(f(x) + signBit)
      expect(full(x + signBit)).toBe(full(x) + signBit)
    }
  })
  it('law 2: exact at powers of two; the edges', () => {
    for (let e = -126; e <= 127; e++) {
      expect(value(f(pattern(2 ** e)))).toBe(e === 127 ? 0 : 2 ** -e)
      expect(value(full(pattern(2 ** e)))).toBe(2 ** -e)
    }
    expect(full(pattern(2 ** -128))).toBe(0x7f800000)
    expect(value(full(pattern(1.5 * 2 ** -128)))).toBeCloseTo(2 ** 128 / 1.5, -32)
    expect([f(0), f(signBit), f(1), f(0x7f800000), f(0xff800000)]).toEqual([
      0x7f800000,
      0xff800000,
      0x7f800000,
      0,
      signBit,
    ])
  })
  it('law 3: ordered, and within one unit', () => {
    const s = sweep('rcp.approx.ftz.f32', 0x3f800000, (x) => 1 / x)
    expect([s.rises, s.falls > 0, s.low > -1, s.high < 1]).toEqual([0, true, true, true])
  })
})

describe('lg2.ts', () => {
  const f = unaryFunction['lg2.approx.ftz.f32']
  const full = unaryFunction['lg2.approx.f32']
  it('law 1: exact at powers of two from 1 up, and at none below', () => {
    for (let k = 0; k <= 127; k++) expect(value(f(pattern(2 ** k)))).toBe(k)
    for (let k = -126; k < 0; k++) {
      const found = value(f(pattern(2 ** k)))
      expect(found).toBeGreaterThan(k)
      expect(found - k).toBeLessThan(-k * 2 ** -22)
    }
    expect(f(pattern(0.5))).toBe(0xbf7ffffe)
    for (const x of [0, signBit, 1, 0x807fffff]) expect(f(x)).toBe(0xff800000)
    expect([0, signBit].map(full)).toEqual([0xff800000, 0xff800000])
    expect([f(pattern(-1)), f(0xff800000), full(0x80000001), f(0x7f800000)]).toEqual([
      NaNPattern,
      NaNPattern,
      NaNPattern,
      0x7f800000,
    ])
    expect(value(full(1))).toBeCloseTo(-149, 4)
  })
  it('laws 2 and 3: ordered, and how far off', () => {
    for (const first of [0x3f000000, 0x3f800000, 0x40000000]) {
      const s = sweep('lg2.approx.ftz.f32', first, Math.log2)
      expect([s.falls, s.rises > 0]).toEqual([0, true])
      expect(first === 0x40000000 ? s.relative : s.absolute).toBeLessThan(2 ** -22)
    }
  })
})

describe('rsqrt.ts', () => {
  const f = unaryFunction['rsqrt.approx.ftz.f32']
  const full = unaryFunction['rsqrt.approx.f32']
  it('law 1: exact at even powers of two; the edges', () => {
    for (let h = -63; h <= 63; h++) expect(value(f(pattern(4 ** h)))).toBe(2 ** -h)
    expect([f(0), f(signBit), f(1), f(0x7f800000), f(pattern(-1)), f(0xff800000)]).toEqual([
      0x7f800000,
      0xff800000,
      0x7f800000,
      0,
      NaNPattern,
      NaNPattern,
    ])
    expect([value(full(pattern(2 ** -148))), full(0), full(signBit), full(0x80000001)]).toEqual([
      2 ** 74,
      0x7f800000,
      0xff800000,
      NaNPattern,
    ])
  })
  it('law 2: a quarter of the operand is twice the result', () => {
    for (const p of any) {
      const x = p % signBit
      const e = x >>> 23
      if (e >= 1 && e <= 252) expect(f(x + 2 * octave)).toBe(f(x) - octave)
    }
  })
  it('law 3: ordered, and how far off', () => {
    for (const first of [0x3f800000, 0x40000000]) {
      const s = sweep('rsqrt.approx.ftz.f32', first, (x) => 1 / Math.sqrt(x))
      expect([s.rises, s.falls > 0, s.low > -1.6, s.high < 1.6]).toEqual([0, true, true, true])
    }
  })
})

describe('tanh.ts', () => {
  const f = unaryFunction['tanh.approx.f32']
  it('law 1: odd; itself below 2^-8, 1 from 8 on', () => {
    for (const x of any.filter((p) => p < signBit && !isNaNOf(p))) {
      expect(f(x + signBit)).toBe(f(x) + signBit)
      expect(value(f(x))).toBeLessThanOrEqual(1)
    }
    for (const x of [0, 1, 0x3b7fffff]) expect(f(x)).toBe(x)
    for (const x of [8, 1e30, Infinity]) expect(f(pattern(x))).toBe(0x3f800000)
    expect(f(0xff800001)).toBe(NaNPattern)
  })
  it('law 2: how far off, exponent by exponent', () => {
    for (let e = -8; e <= 2; e++) {
      const s = sweep('tanh.approx.f32', (127 + e) * octave, Math.tanh)
      expect(s.relative).toBeLessThan(1.12e-5)
    }
  })
})

describe('half.ts', () => {
  it('the narrow forms are the wide one, cut off', () => {
    const [f16, bf16] = [decoder('f16'), decoder('bf16')]
    const [toF16, toBf16] = [encoder('f16', 'rz'), encoder('bf16', 'rz')]
    const wrong: number[] = []
    for (let p = 0; p < 65536; p++) {
      const y = value(unaryFunction['ex2.approx.ftz.f32'](pattern(f16(p))))
      if (!Object.is(unaryFunction['ex2.approx.f16'](p), y >= 65536 ? 0x7c00 : toF16(y))) wrong.push(p)
      const z = value(unaryFunction['tanh.approx.f32'](pattern(bf16(p))))
      if (!Object.is(unaryFunction['tanh.approx.bf16'](p), toBf16(z))) wrong.push(p)
    }
    expect(wrong).toEqual([])
  })
})

describe('division.ts', () => {
  const { 'div.full.f32': full, 'div.full.ftz.f32': flushed, 'div.approx.ftz.f32': approx } = binaryFunction
  const one = 0x3f800000
  it('law 1: powers of two by themselves', () => {
    for (let e = -149; e <= 127; e++) {
      const x = pattern(2 ** e)
      expect(full(x, x)).toBe(one)
      expect(flushed(x, x)).toBe(e < -126 ? NaNPattern : one)
      expect(approx(x, x)).toBe(e < -126 ? NaNPattern : e === 127 ? 0 : one)
    }
  })
  it('law 2: odd in either operand', () => {
    const other = samples(21, any.length)
    for (const f of [full, flushed, approx])
      any.forEach((a, i) => {
        const b = other[i]!
        const q = f(a, b)
        if (isNaNOf(q)) return
        const turned = (q + signBit) % 4294967296
        const found = [f((a + signBit) % 4294967296, b), f(a, (b + signBit) % 4294967296)]
        if (found.some((x) => !Object.is(x, turned))) expect([a, b, ...found]).toEqual([a, b, turned, turned])
      })
  })
  it('law 3: within two units', () => {
    const next = generator(22)
    let most = 0
    for (let i = 0; i < 50000; i++) {
      const b = (1 + (next() % 251)) * octave + (next() % octave)
      const a = (1 + (next() % 253)) * octave + (next() % octave)
      const exact = value(a) / value(b)
      if (Math.abs(exact) < 2 ** -126 || Math.abs(exact) > 1.7e38) continue
      most = Math.max(most, Math.abs(value(full(a, b)) - exact) / ulp(exact))
    }
    expect(most).toBeLessThan(2)
  })
})

describe('exponential.ts', () => {
  const { expf, __expf: intrinsic } = unaryFunction
  it('law 1: the edges', () => {
    expect([expf(0), intrinsic(0), expf(signBit)]).toEqual([0x3f800000, 0x3f800000, 0x3f800000])
    for (const x of [88.73, 1e10, Infinity]) expect(expf(pattern(x))).toBe(0x7f800000)
    for (const x of [-104, -1e10, -Infinity]) expect(expf(pattern(x))).toBe(0)
    expect([expf(NaNPattern), intrinsic(0xffc00000)]).toEqual([NaNPattern, NaNPattern])
    expect([88.72, -103.9].map((x) => expf(pattern(x)) > 0 && expf(pattern(x)) < 0x7f800000)).toEqual([
      true,
      true,
    ])
  })
  it('law 2: how far off', () => {
    const next = generator(31)
    let [library, short] = [0, 0]
    for (let i = 0; i < 100000; i++) {
      const x = Math.fround(-87 + (next() / 2 ** 32) * 175)
      const exact = Math.exp(x)
      library = Math.max(library, Math.abs(value(expf(pattern(x))) - exact) / ulp(exact))
      short = Math.max(short, Math.abs(value(intrinsic(pattern(x))) - exact) / ulp(exact))
    }
    expect(library).toBeLessThan(2)
    expect(short).toBeGreaterThan(30)
  })
})

describe('names.ts, functions.ts', () => {
  it('law 1: a name ends in its dtype, and a result is a pattern of it, its NaN the canonical one', () => {
    for (const name of specialUnaryNames) {
      const dtype = specialDtype(name)
      const valueOf = decoder(dtype)
      if (name.includes('.')) expect(name.endsWith(`.${dtype}`)).toBe(true)
      else expect(dtype).toBe('f32')
      const size = dtype === 'f32' ? 4294967296 : 65536
      const nan = dtype === 'f32' ? 0x7fffffff : 0x7fff
      for (const x of any) {
        const y = unaryFunction[name](x % size)
        if (!(Number.isInteger(y) && y >= 0 && y < size)) expect([name, x]).toBe(y)
        if (Number.isNaN(valueOf(y)) && y !== nan) expect([name, x, y]).toEqual([name, x, nan])
      }
      expect([isSpecialUnary(name), isSpecialBinary(name)]).toEqual([true, false])
    }
    for (const name of specialBinaryNames)
      expect([isSpecialUnary(name), isSpecialBinary(name), specialDtype(name)]).toEqual([false, true, 'f32'])
    expect([isSpecialUnary('exp2'), isSpecialUnary('toString'), isSpecialBinary('div')]).toEqual([
      false,
      false,
      false,
    ])
  })
})

describe('compilers.ts', () => {
  const named = unaryFunction
  const log2e = pattern(Math.LOG2E)
  const ln2 = pattern(Math.LN2)
  const compositions: readonly (readonly [keyof typeof lowerings, string, (x: number) => number])[] = [
    ['pallas.approx', 'exp2', named['ex2.approx.ftz.f32']],
    ['pallas.approx', 'exp', (x) => named['ex2.approx.ftz.f32'](multiply(x, log2e))],
    ['pallas.approx', 'log', (x) => multiply(named['lg2.approx.ftz.f32'](x), ln2)],
    ['pallas.approx', 'rcp', named['rcp.approx.f32']],
    ['pallas.approx', 'rsqrt', named['rsqrt.approx.f32']],
    ['pallas', 'exp2', named['ex2.approx.f32']],
    ['pallas', 'exp', named.expf],
    ['pallas', 'rcp', named['rcp.approx.f32']],
    ['pallas', 'rsqrt', named['rsqrt.approx.f32']],
    ['xla', 'exp2', (x) => named.expf(multiply(x, ln2))],
    ['xla', 'exp', named.expf],
    ['triton', 'exp2', named['ex2.approx.ftz.f32']],
    ['triton', 'exp', (x) => named['ex2.approx.f32'](multiply(x, log2e))],
    ['pytorch', 'exp2', named['ex2.approx.f32']],
    ['pytorch', 'exp', named.expf],
  ]
  test('law 1: each place is the composition it names, and there are no others', () => {
    const places = Object.entries(lowerings).flatMap(([c, l]) => Object.keys(l).map((op) => `${c} ${op}`))
    expect(compositions.map(([c, op]) => `${c} ${op}`)).toEqual(places)
    for (const [compiler, op, wanted] of compositions) {
      const found = new Map(Object.entries(lowerings[compiler])).get(op)!
      for (const x of any)
        if (found(x) !== wanted(x)) expect([compiler, op, x, found(x)]).toEqual([compiler, op, x, wanted(x)])
    }
  })
  test('law 2: powers of two at integers', () => {
    const integers = Array.from({ length: 254 }, (_, i) => i - 126)
    const inexact = (exp2: (x: number) => number): number =>
      integers.filter((n) => value(exp2(pattern(n))) !== 2 ** n).length
    expect(Object.entries(lowerings).map(([c, l]) => [c, inexact(l.exp2!)])).toEqual([
      ['pallas.approx', 0],
      ['pallas', 0],
      ['xla', 216],
      ['triton', 0],
      ['pytorch', 0],
    ])
    expect(lowerings.xla.exp2!(pattern(100))).toBe(0x71800012)
  })
})
