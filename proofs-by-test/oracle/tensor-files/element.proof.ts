import { getFloat16 } from '@petamoriken/float16'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { hexOfPattern, jsonOfValue, positionOf, valueOf } from '../../../src/oracle/tensor-files/element.js'

const range = (n: number): ReadonlyArray<number> => Array.from({ length: n }, (_, i) => i)
const dataView = new DataView(new ArrayBuffer(8))

/** Another reading of a pattern: by the host, or by the float16 library. */
const hostFloat = {
  f16: (p: number): number => {
    dataView.setUint16(0, p)
    return getFloat16(dataView, 0)
  },
  bf16: (p: number): number => {
    dataView.setUint16(0, p)
    dataView.setUint16(2, 0)
    return dataView.getFloat32(0)
  },
  f32: (p: number): number => {
    dataView.setUint32(0, p)
    return dataView.getFloat32(0)
  },
  f64: (p: bigint): number => {
    dataView.setBigUint64(0, p)
    return dataView.getFloat64(0)
  },
}

describe('element laws 1 and 2: position is the rank of the value', () => {
  it.each(['f16', 'bf16'] as const)('%s: all 65,536 patterns, against sorting', (dtype) => {
    const values = range(65536).map(hostFloat[dtype])
    const sorted = [...new Set(values.filter((v) => !Number.isNaN(v)).map((v) => v + 0))].sort(
      (a, b) => a - b,
    )
    const rank = new Map(sorted.map((v, i) => [v, i]))
    const zero = rank.get(0)!
    const position = positionOf(dtype)
    const value = valueOf(dtype)
    const wrongValues = values.filter((v, p) => !Object.is(value(p), v))
    const wrongPositions = values.filter(
      (v, p) => position(p) !== (Number.isNaN(v) ? undefined : rank.get(v + 0)! - zero),
    )
    expect([wrongValues, wrongPositions]).toEqual([[], []])
  })
  it.each(['e4m3', 'e5m2', 'ue4m3', 'e8m0', 'e2m3', 'e3m2', 'e2m1'] as const)(
    '%s: all patterns, monotone',
    (dtype) => {
      // ue4m3 has seven bits in its byte.
      const count = { e4m3: 256, e5m2: 256, ue4m3: 128, e8m0: 256, e2m3: 64, e3m2: 64, e2m1: 16 }[dtype]
      const points = range(count)
        .map((p) => ({ value: Number(valueOf(dtype)(p)), position: positionOf(dtype)(p) }))
        .filter(({ value }) => !Number.isNaN(value))
        .sort((a, b) => a.value - b.value)
      points.slice(1).forEach((point, i) => {
        const before = points[i]!
        expect(Number(point.position) - Number(before.position)).toBe(point.value === before.value ? 0 : 1)
      })
    },
  )
  it('f32 and f64: the next pattern of a positive value is one further, of a negative one one back', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 0x7f7fffff }), (p) => {
        const position = positionOf('f32')
        expect(position(p)).toBe(p)
        expect(position(p + 1)).toBe(p + 1)
        expect(position(p + 0x80000000)).toBe(0 - p)
        expect(valueOf('f32')(p)).toBe(hostFloat.f32(p))
      }),
    )
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 0x7ff0000000000000n }), (p) => {
        const position = positionOf('f64')
        expect(position(p)).toBe(p)
        expect(position(p | (1n << 63n))).toBe(-p)
        expect(valueOf('f64')(p)).toBe(hostFloat.f64(p))
      }),
    )
    expect(positionOf('f32')(0x7f800001)).toBe(undefined)
    expect(positionOf('f64')(0x7ff0000000000001n)).toBe(undefined)
    expect(positionOf('f64')(0xfff8000000000000n)).toBe(undefined)
  })
  it('tf32: the low 13 bits do not matter', () => {
    expect(positionOf('tf32')(0x3f800000)).toBe(positionOf('tf32')(0x3f801fff))
    expect(Number(positionOf('tf32')(0x3f802000)) - Number(positionOf('tf32')(0x3f800000))).toBe(1)
  })
})

describe('element law 3: integers', () => {
  const host = {
    i8: new Int8Array(range(256)),
    u8: new Uint8Array(range(256)),
    i16: new Int16Array(range(65536)),
    u16: new Uint16Array(range(65536)),
  }
  it.each(['i8', 'u8', 'i16', 'u16'] as const)("%s: all patterns, against the host's arrays", (dtype) => {
    const values = [...host[dtype]]
    expect(values.map((_, p) => valueOf(dtype)(p))).toEqual(values)
    expect(values.map((_, p) => positionOf(dtype)(p))).toEqual(values)
  })
  it('i1, and the ends of the wider ones', () => {
    expect([0, 1].map(valueOf('i1'))).toEqual([0, 1])
    expect([0, 0x7fffffff, 0x80000000, 0xffffffff].map(valueOf('i32'))).toEqual([
      0, 2147483647, -2147483648, -1,
    ])
    expect([0, 0xffffffff].map(valueOf('u32'))).toEqual([0, 4294967295])
    expect([(1n << 63n) - 1n, 1n << 63n, (1n << 64n) - 1n].map(valueOf('i64'))).toEqual([
      2n ** 63n - 1n,
      -(2n ** 63n),
      -1n,
    ])
    expect([(1n << 64n) - 1n].map(valueOf('u64'))).toEqual([2n ** 64n - 1n])
  })
})

describe('values in JSON', () => {
  it.each([
    [1.5, 1.5],
    [0, 0],
    [-0, '-0'],
    [NaN, 'nan'],
    [Infinity, 'inf'],
    [-Infinity, '-inf'],
    [12n, 12],
    [-12n, -12],
    [2n ** 52n - 1n, 4503599627370495],
    [2n ** 60n + 1n, '1152921504606846977'],
    [-(2n ** 63n), '-9223372036854775808'],
  ] as const)('%s', (value, json) => {
    expect(jsonOfValue(value)).toBe(json)
    const back: unknown = JSON.parse(JSON.stringify(jsonOfValue(value)))
    expect(back).toBe(json)
  })
  it('patterns are as wide as the dtype', () => {
    expect(hexOfPattern('f16', 1)).toBe('0x0001')
    expect(hexOfPattern('e2m1', 15)).toBe('0xf')
    expect(hexOfPattern('e2m3', 15)).toBe('0x0f')
    expect(hexOfPattern('f64', 1n << 63n)).toBe('0x8000000000000000')
  })
})
