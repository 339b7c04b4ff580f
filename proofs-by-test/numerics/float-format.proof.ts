import { getFloat16, setFloat16 } from '@petamoriken/float16'
import { describe, expect, it } from 'vitest'
import { bitsOf, floatDtypes, type FloatDtype } from '../../src/numerics/dtype.js'
import {
  binaryExponent,
  decode,
  decodeBy,
  decoder,
  encode,
  encodeBy,
  encoder,
  formatOf,
  isNaNPattern,
  maxExponent,
  minExponent,
  ordinal,
  powerOfTwo,
  ulpDistance,
  valueTable,
} from '../../src/numerics/float-format.js'
import { generator, nearest, nextDown, nextUp, ranges, rational, spreadValue, towardZero } from './exact.js'
import { nightly } from '../extent.js'

const view = new DataView(new ArrayBuffer(8))
const hostF32 = (pattern: number): number => {
  view.setUint32(0, pattern)
  return view.getFloat32(0)
}
const differing = (count: number, same: (pattern: number) => boolean): readonly number[] =>
  Array.from({ length: count }, (_, p) => p).filter((p) => !same(p))

describe('values: exhaustion of all patterns against independent readers', () => {
  it('f16, 65,536 patterns, against @petamoriken/float16', () => {
    const table = valueTable('f16')
    expect(table.length).toBe(65536)
    const other = (p: number): number => {
      view.setUint16(0, p)
      return getFloat16(view, 0)
    }
    expect(differing(65536, (p) => Object.is(table[p], other(p)))).toEqual([])
  })
  it('bf16, 65,536 patterns, as the upper half of an f32', () => {
    const table = valueTable('bf16')
    expect(table.length).toBe(65536)
    expect(differing(65536, (p) => Object.is(table[p], hostF32(p * 65536)))).toEqual([])
  })
  it('e5m2, 256 patterns, as the upper half of an f16', () => {
    const table = valueTable('e5m2')
    const other = (p: number): number => {
      view.setUint16(0, p * 256)
      return getFloat16(view, 0)
    }
    expect(differing(256, (p) => Object.is(table[p], other(p)))).toEqual([])
  })
  it('f32: every exponent and sign with edge and random fractions, by the definition and by the host', () => {
    const next = generator(1)
    const defined = decodeBy(formatOf('f32'))
    for (let top = 0; top < 512; top++)
      for (const low of [0, 1, 2, 0x400000, 0x7fffff, next() % 0x800000, next() % 0x800000]) {
        const p = top * 0x800000 + low
        expect(defined(p)).toBe(hostF32(p))
        expect(decode('f32', p)).toBe(hostF32(p))
      }
  })
  it('tf32 is f32 without its low 13 bits: a NaN that lives there reads as infinity', () => {
    const next = generator(2)
    const truncates = (): boolean => {
      const p = next()
      return Object.is(decode('tf32', p), hostF32(p - (p % 8192)))
    }
    expect(differing(20000, truncates)).toEqual([])
    expect(decode('tf32', 0x7f801fff)).toBe(Infinity)
    expect(decode('tf32', 0xff802000)).toBe(NaN)
  })
  it('the small formats: tables of the OCP specifications', () => {
    const positive = (d: 'e2m1' | 'e2m3' | 'e3m2'): number[] => [
      ...valueTable(d).slice(0, 2 ** (bitsOf(d) - 1)),
    ]
    expect(positive('e2m1')).toEqual([0, 0.5, 1, 1.5, 2, 3, 4, 6])
    expect(positive('e2m3')).toEqual([
      ...[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15].map((x) => x / 8),
      ...[2, 2.25, 2.5, 2.75, 3, 3.25, 3.5, 3.75, 4, 4.5, 5, 5.5, 6, 6.5, 7, 7.5],
    ])
    expect(positive('e3m2')).toEqual([
      ...[0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, 24, 28].map((x) => x / 16),
      ...[2, 2.5, 3, 3.5, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, 24, 28],
    ])
    for (const d of ['e2m1', 'e2m3', 'e3m2'] as const) {
      const negative = [...valueTable(d).slice(2 ** (bitsOf(d) - 1))]
      expect(negative).toEqual(positive(d).map((x) => -x))
    }
    expect([0, 1, 7, 8, 0x38, 0x7e, 0x7f, 0x80, 0xb8, 0xff].map((p) => decode('e4m3', p))).toEqual([
      0,
      2 ** -9,
      7 * 2 ** -9,
      2 ** -6,
      1,
      448,
      NaN,
      -0,
      -1,
      NaN,
    ])
    expect([0, 1, 0x38, 0x7e, 0x7f].map((p) => decode('ue4m3', p))).toEqual([0, 2 ** -9, 1, 448, NaN])
    expect([...valueTable('e8m0')]).toEqual(
      Array.from({ length: 256 }, (_, p) => (p < 255 ? 2 ** (p - 127) : NaN)),
    )
  })
  it('exponent ranges', () => {
    const range = (d: FloatDtype): readonly number[] => [minExponent(formatOf(d)), maxExponent(formatOf(d))]
    expect(floatDtypes.map((d) => [d, ...range(d)])).toEqual([
      ['f32', -126, 127],
      ['tf32', -126, 127],
      ['f16', -14, 15],
      ['bf16', -126, 127],
      ['e4m3', -6, 8],
      ['e5m2', -14, 15],
      ['ue4m3', -6, 8],
      ['e8m0', -127, 127],
      ['e2m3', 0, 2],
      ['e3m2', -2, 4],
      ['e2m1', 0, 2],
    ])
  })
})

describe('law 1: encode(decode(p)) = p, exhausted', () => {
  const narrow = floatDtypes.filter((d) => d !== 'f32' && d !== 'tf32')
  it.each(narrow)('%s', (dtype) => {
    const value = decoder(dtype)
    for (const rounding of ['rn', 'rz'] as const) {
      const pattern = encoder(dtype, rounding)
      const count = dtype === 'ue4m3' ? 128 : 2 ** bitsOf(dtype)
      expect(differing(count, (p) => isNaNPattern(dtype, p) || pattern(value(p)) === p)).toEqual([])
    }
  })
  it('f32 and tf32: every exponent', () => {
    const next = generator(3)
    for (let top = 0; top < 511; top++)
      for (const low of [0, 1, 0x7fffff, next() % 0x800000]) {
        const p = top * 0x800000 + low
        if (isNaNPattern('f32', p)) continue
        expect(encode('f32', decode('f32', p))).toBe(p)
        expect(encodeBy(formatOf('f32'), 'rn', false)(decode('f32', p))).toBe(p)
        expect(encode('tf32', decode('tf32', p))).toBe(p - (p % 8192))
      }
  })
  it('every NaN becomes the canonical one', () => {
    const canonical = { f32: 0x7fffffff, tf32: 0x7fffffff, f16: 0x7fff, bf16: 0x7fff, e4m3: 0x7f, e5m2: 0x7f }
    for (const [dtype, pattern] of Object.entries(canonical)) {
      expect(encode(dtype as FloatDtype, NaN)).toBe(pattern)
      expect(encoder(dtype as FloatDtype, 'rz', true)(NaN)).toBe(pattern)
    }
    expect(['e8m0', 'ue4m3', 'e2m1', 'e2m3', 'e3m2'].map((d) => encode(d as FloatDtype, NaN))).toEqual([
      0xff, 0x7f, 0x7, 0x1f, 0x1f,
    ])
    expect(encode('ue4m3', -1)).toBe(0x7f)
    expect([0x7c01, 0xfe00, 0xffff].every((p) => encode('f16', decode('f16', p)) === 0x7fff)).toBe(true)
  })
})

/**
 * Rounding is a monotone step function, so it is known when it is known at its steps: the midpoint of every two
 * neighbouring values, and the f64 just below and just above it. All steps of f16 and bf16 are visited.
 */
const steps = (
  dtype: 'f16' | 'bf16' | 'e4m3' | 'e5m2' | 'e2m1' | 'e2m3' | 'e3m2',
  last: number,
  beyond: number,
): void => {
  const table = valueTable(dtype)
  const sign = 2 ** (bitsOf(dtype) - 1)
  const toNearest = encoder(dtype)
  const toZero = encoder(dtype, 'rz')
  const bad: number[] = []
  for (let p = 0; p <= last; p++) {
    const here = table[p]!
    const after = p === last ? beyond : table[p + 1]!
    const middle = (here + after) / 2
    const top = p === last ? toNearest(Infinity) : p + 1
    const topToZero = p === last ? last : p + 1
    const even = p % 2 === 0 ? p : top
    const ok =
      toNearest(middle) === even &&
      toNearest(nextDown(middle)) === p &&
      toNearest(nextUp(middle)) === top &&
      toZero(here) === p &&
      toZero(nextUp(middle)) === p &&
      toZero(nextDown(after)) === p &&
      toZero(after) === topToZero &&
      toNearest(-middle) === even + (isNaNPattern(dtype, even) ? 0 : sign) &&
      toNearest(-nextDown(middle)) === p + sign &&
      toZero(-nextUp(middle)) === p + sign
    if (!ok) bad.push(p)
  }
  expect(bad).toEqual([])
}

describe('law 2: rounding, at every step', () => {
  it('f16: 31,744 midpoints and their neighbours; 65520 is the last', () => {
    steps('f16', 0x7bff, 65536)
  })
  it('bf16: 32,640 midpoints and their neighbours', () => {
    steps('bf16', 0x7f7f, 2 ** 128)
  })
  it('e5m2, e4m3, e3m2, e2m3, e2m1', () => {
    // Formats of finite numbers only: everything from the largest value upwards is the largest value.
    steps('e3m2', 0x1f, 32)
    steps('e2m3', 0x1f, 8)
    steps('e2m1', 0x7, 8)
    steps('e5m2', 0x7b, 65536)
    // 464 is the midpoint of 448 and the NaN's place, 480; ties to even keep 448.
    steps('e4m3', 0x7e, 480)
  })
  it('f16 agrees with @petamoriken/float16 on random f64', () => {
    const next = generator(4)
    const agrees = (): boolean => {
      const x = spreadValue(next, -28, 17)
      setFloat16(view, 0, x)
      return encode('f16', x) === view.getUint16(0)
    }
    expect(differing(50000, agrees)).toEqual([])
  })
  it('one rounding, not two: values that an f32 on the way would spoil', () => {
    // Just below a midpoint: an f32 would land on the midpoint and then go to even, up.
    expect(encode('f16', nextDown(65520))).toBe(0x7bff)
    expect(encode('f16', Math.fround(nextDown(65520)))).toBe(0x7c00)
    const belowTie = 1 + 3 * 2 ** -11 - 2 ** -40
    expect(encode('f16', belowTie)).toBe(0x3c01)
    expect(encode('f16', Math.fround(belowTie))).toBe(0x3c02)
    expect(encode('bf16', 1 + 3 * 2 ** -8 - 2 ** -40)).toBe(0x3f81)
  })
  it.each(ranges)('%s against exact rationals, random f64', (dtype, from, to) => {
    const next = generator(5)
    const toZero = encoder(dtype, 'rz')
    for (let i = 0; i < 2000; i++) {
      const x = spreadValue(next, from, to)
      expect(encode(dtype, x)).toBe(nearest(dtype, rational(x)))
      expect(toZero(x)).toBe(towardZero(dtype, rational(x)))
    }
  })
  it('f32: the definition and the host form agree at midpoints of every exponent', () => {
    const next = generator(6)
    const defined = encodeBy(formatOf('f32'), 'rn', false)
    for (let top = 0; top < 255; top += nightly ? 1 : 2)
      for (const low of [0, 1, 0x7ffffe, 0x7fffff, next() % 0x800000, next() % 0x800000]) {
        const p = top * 0x800000 + low
        const here = hostF32(p)
        const after = p === 0x7f7fffff ? 2 ** 128 : hostF32(p + 1)
        const middle = (here + after) / 2
        for (const x of [here, nextDown(middle), middle, nextUp(middle), -middle, -nextUp(middle)]) {
          view.setFloat32(0, x)
          expect(defined(x)).toBe(view.getUint32(0))
          expect(encode('f32', x)).toBe(view.getUint32(0))
        }
        expect(encoder('f32', 'rz')(nextDown(after))).toBe(p)
        expect(encoder('f32', 'rz')(after)).toBe(p === 0x7f7fffff ? p : p + 1)
      }
  })
  it('below the smallest subnormal', () => {
    for (const [dtype, tiny] of [
      ['f16', 2 ** -24],
      ['bf16', 2 ** -133],
      ['f32', 2 ** -149],
    ] as const) {
      expect(encode(dtype, tiny / 2)).toBe(0)
      expect(encode(dtype, nextUp(tiny / 2))).toBe(1)
      expect(encode(dtype, -5e-324)).toBe(2 ** (bitsOf(dtype) - 1))
      expect(encoder(dtype, 'rz')(nextDown(tiny))).toBe(0)
      expect(Object.is(decode(dtype, encode(dtype, -0)), -0)).toBe(true)
    }
  })
})

describe('law 3: monotone', () => {
  it('the value is strictly monotone in the ordinal, exhausted for f16 and bf16', () => {
    for (const [dtype, infinity] of [
      ['f16', 0x7c00],
      ['bf16', 0x7f80],
    ] as const) {
      const table = valueTable(dtype)
      const monotone = (p: number): boolean =>
        table[p]! < table[p + 1]! &&
        table[0x8000 + p]! > table[0x8000 + p + 1]! &&
        ordinal(dtype, p) === p &&
        ordinal(dtype, 0x8000 + p) === 0 - p
      expect(differing(infinity, monotone)).toEqual([])
    }
  })
  it('ordinals order the values, exhausted over all pairs of patterns of up to 8 bits', () => {
    for (const dtype of floatDtypes.filter((d) => bitsOf(d) <= 8)) {
      const numbers = Array.from({ length: 2 ** bitsOf(dtype) }, (_, p) => p).filter(
        (p) => !isNaNPattern(dtype, p),
      )
      const values = numbers.map((p) => decode(dtype, p))
      const places = numbers.map((p) => ordinal(dtype, p))
      const agree = (i: number, j: number): boolean =>
        Math.sign(values[i]! - values[j]!) === Math.sign(places[i]! - places[j]!) || values[i] === values[j]
      const wrong = numbers.filter((_, i) => numbers.some((_, j) => !agree(i, j)))
      expect([dtype, wrong]).toEqual([dtype, []])
      const equal = numbers.filter((_, i) =>
        numbers.some((_, j) => values[i] === values[j] && places[i] !== places[j]),
      )
      expect([dtype, equal]).toEqual([dtype, []])
    }
  })
  it('ue4m3 has seven bits in a byte: the eighth changes neither value nor place', () => {
    for (let p = 0; p < 128; p++) {
      expect(ordinal('ue4m3', p)).toBe(p)
      expect(ordinal('ue4m3', p + 128)).toBe(p)
      expect(decode('ue4m3', p + 128)).toBe(decode('ue4m3', p))
    }
    expect(ulpDistance('ue4m3', 0x38, 0xb9)).toBe(1)
  })
  it.each(ranges)('%s: x <= y gives encode x <= encode y', (dtype, from, to) => {
    const next = generator(7)
    const xs = Float64Array.from({ length: 3000 }, () => spreadValue(next, from, to)).sort()
    for (const rounding of ['rn', 'rz'] as const) {
      const places = xs.map((x) => ordinal(dtype, encoder(dtype, rounding)(x)))
      expect(places.every((place, i) => i === 0 || places[i - 1]! <= place)).toBe(true)
    }
  })
})

describe('law 4: saturation', () => {
  it('the largest finite magnitude instead of an overflow', () => {
    const largest: readonly (readonly [FloatDtype, number, number])[] = [
      ['f16', 0x7bff, 65504],
      ['bf16', 0x7f7f, 2 ** 128 - 2 ** 120],
      ['f32', 0x7f7fffff, 2 ** 128 - 2 ** 104],
      ['e5m2', 0x7b, 57344],
      ['e4m3', 0x7e, 448],
      ['e2m1', 0x7, 6],
    ]
    for (const [dtype, pattern, value] of largest) {
      const sign = 2 ** (bitsOf(dtype) - 1)
      expect(decode(dtype, pattern)).toBe(value)
      for (const rounding of ['rn', 'rz'] as const)
        for (const x of [value, value * 1.5, value * 2 ** 40, Infinity]) {
          expect(encoder(dtype, rounding, true)(x)).toBe(pattern)
          expect(encoder(dtype, rounding, true)(-x)).toBe(pattern + sign)
        }
      expect(encoder(dtype, 'rz')(value * 1.5)).toBe(pattern)
    }
  })
  it('without it: infinity, or NaN where there is none, or the largest where there is neither', () => {
    expect(encode('f16', 65520)).toBe(0x7c00)
    expect(encode('f16', -1e9)).toBe(0xfc00)
    expect(encoder('f16', 'rz')(-Infinity)).toBe(0xfc00)
    expect([encode('e4m3', 464), encode('e4m3', 465), encode('e4m3', -Infinity)]).toEqual([0x7e, 0x7f, 0x7f])
    expect([encode('e2m1', 100), encode('e2m1', -Infinity)]).toEqual([0x7, 0xf])
  })
  it('changes nothing in range', () => {
    const next = generator(8)
    for (const [dtype, from] of ranges)
      for (let i = 0; i < 1000; i++) {
        const x = spreadValue(next, from, 14)
        expect(encoder(dtype, 'rn', true)(x)).toBe(encode(dtype, x))
      }
  })
})

describe('law 5: ulp distance', () => {
  it('a table', () => {
    expect(ulpDistance('f16', 0x3c00, 0x3c01)).toBe(1)
    expect(ulpDistance('f16', 0x0000, 0x8000)).toBe(0)
    expect(ulpDistance('f16', 0x0001, 0x8001)).toBe(2)
    expect(ulpDistance('f16', 0x7bff, 0x7c00)).toBe(1)
    expect(ulpDistance('f16', 0x7c00, 0xfc00)).toBe(0xf800)
    expect(ulpDistance('f32', 0x3f800000, 0x3f7fffff)).toBe(1)
    expect(ulpDistance('f32', 0xff7fffff, 0x7f7fffff)).toBe(2 * 0x7f7fffff)
    expect(ulpDistance('tf32', 0x3f800000, 0x3f802000)).toBe(1)
    expect(ulpDistance('f16', 0x7e00, 0x7fff)).toBe(0)
    expect([ulpDistance('f16', 0x7e00, 0), ulpDistance('f16', 0, 0x7e00)]).toEqual([Infinity, Infinity])
  })
  it('counts the values in between: brute force on e5m2', () => {
    const values = [...new Set([...valueTable('e5m2')].filter((x) => x === x).map((x) => x + 0))].sort(
      (x, y) => x - y,
    )
    const places = [...valueTable('e5m2')].map((x) => values.indexOf(x + 0))
    const counts = (pair: number): boolean => {
      const [a, b] = [pair >> 8, pair & 255]
      return (
        isNaNPattern('e5m2', a) ||
        isNaNPattern('e5m2', b) ||
        ulpDistance('e5m2', a, b) === Math.abs(places[a]! - places[b]!)
      )
    }
    expect(differing(65536, counts)).toEqual([])
  })
})

describe('powers of two and binary exponents are exact', () => {
  it('every exponent of f64', () => {
    for (let e = -1074; e <= 1023; e++) {
      view.setBigUint64(0, e >= -1022 ? BigInt(e + 1023) << 52n : 1n << BigInt(e + 1074))
      const x = view.getFloat64(0)
      expect(powerOfTwo(e)).toBe(x)
      expect(binaryExponent(x)).toBe(e)
      if (e > -1022) expect(binaryExponent(nextDown(x))).toBe(e - 1)
      if (e > -1074) expect(binaryExponent(nextUp(x))).toBe(e)
    }
  })
})

describe('decoder and encoder', () => {
  const settings = [
    ['rn', false],
    ['rz', false],
    ['rn', true],
    ['rz', true],
  ] as const
  it('are built once, and are the definitions', () => {
    const next = generator(11)
    const xs = [
      0,
      -0,
      NaN,
      Infinity,
      -Infinity,
      ...Array.from({ length: 200 }, () => spreadValue(next, -160, 135)),
    ]
    for (const dtype of floatDtypes) {
      const f = formatOf(dtype)
      expect(decoder(dtype)).toBe(decoder(dtype))
      const all = 2 ** bitsOf(dtype)
      const patterns = Array.from({ length: 200 }, () => next() % all)
      expect(patterns.map(decoder(dtype))).toEqual(patterns.map(decodeBy(f)))
      for (const [rounding, saturate] of settings) {
        expect(encoder(dtype, rounding, saturate)).toBe(encoder(dtype, rounding, saturate))
        expect(xs.map(encoder(dtype, rounding, saturate))).toEqual(xs.map(encodeBy(f, rounding, saturate)))
      }
      expect(encoder(dtype)).toBe(encoder(dtype, 'rn', false))
    }
  })
})
