import { describe, expect, test } from 'vitest'
import {
  findSwizzle,
  isSwizzle,
  swizzleAddress,
  swizzleElements,
  swizzleOf,
  swizzlePeriodBytes,
  swizzles,
} from '../../src/transforms/swizzle.js'
import { range } from './captured.js'
import { code, right } from '../either.js'

const domain = range(65536)

/** CuTe: bits [m + s, m + s + b) added without carry to bits [m, m + b). */
const cute =
  (b: number, m: number, s: number) =>
  (address: number): number => {
    let result = address
    for (let bit = 0; bit < b; bit++)
      if (Math.floor(address / 2 ** (m + s + bit)) % 2 === 1) {
        const weight = 2 ** (m + bit)
        result += Math.floor(result / weight) % 2 === 1 ? -weight : weight
      }
    return result
  }

/** Triton: an array with rows of S bytes; vec = 16 bytes, perPhase = 128/S, maxPhase = S/16. */
const triton =
  (span: number) =>
  (address: number): number => {
    const row = Math.floor(address / span)
    const chunk = Math.floor((address % span) / 16)
    const phase = Math.floor(row / (128 / span)) % (span / 16)
    return row * span + (chunk ^ phase) * 16 + (address % 16)
  }

/** Mosaic: tiles of 8 rows of S bytes; what row r does to chunk j, one table per span. */
const rowTables: Readonly<Record<number, (r: number) => number>> = {
  16: () => 0,
  32: (r) => [0, 0, 0, 0, 1, 1, 1, 1][r]!,
  64: (r) => [0, 0, 1, 1, 2, 2, 3, 3][r]!,
  128: (r) => r,
}
const tileRows =
  (span: number) =>
  (address: number): number => {
    const tile = Math.floor(address / (8 * span))
    const r = Math.floor(address / span) % 8
    const j = Math.floor(address / 16) % (span / 16)
    return tile * 8 * span + r * span + (j ^ rowTables[span]!(r)) * 16 + (address % 16)
  }

describe.each([...swizzles])('swizzle %i', (span) => {
  const x = swizzleAddress(span)

  test('law 1: CuTe S<B,4,3>, all 65,536 bytes', () => {
    const oracle = cute({ 16: 0, 32: 1, 64: 2, 128: 3 }[span], 4, 3)
    expect(domain.filter((b) => x(b) !== oracle(b))).toEqual([])
  })

  test('law 2: Triton chunk form, all 65,536 bytes', () => {
    const oracle = triton(span)
    expect(domain.filter((b) => x(b) !== oracle(b))).toEqual([])
  })

  test('law 3: (8, S)-tile row form, all 65,536 bytes', () => {
    const oracle = tileRows(span)
    expect(domain.filter((b) => x(b) !== oracle(b))).toEqual([])
  })

  test('law 4: a bijection of every aligned period, and its own inverse', () => {
    const period = swizzlePeriodBytes(span)
    for (let start = 0; start < 65536; start += period) {
      const image = new Set(range(period).map((b) => x(start + b)))
      expect(image.size).toBe(period)
      expect(Math.min(...image)).toBe(start)
      expect(Math.max(...image)).toBe(start + period - 1)
    }
    expect(domain.filter((b) => x(x(b)) !== b)).toEqual([])
  })

  test('law 5: the period is 8 S, and no smaller power of two', () => {
    const repeats = (p: number): boolean => range(4096).every((b) => x(b + p) === x(b) + p)
    expect(swizzlePeriodBytes(span)).toBe({ 16: 128, 32: 256, 64: 512, 128: 1024 }[span])
    expect(repeats(swizzlePeriodBytes(span))).toBe(true)
    if (span > 16)
      expect(
        [16, 32, 64, 128, 256, 512].filter((p) => p < swizzlePeriodBytes(span) && repeats(p) && p >= 128),
      ).toEqual([])
  })

  test('law 6: linear over GF(2), rank 16 on 16 bits', () => {
    const basis = range(16).map((bit) => x(1 << bit))
    const fromBasis = (b: number): number =>
      basis.reduce((sum, value, bit) => ((b >> bit) & 1 ? sum ^ value : sum), 0)
    expect(domain.filter((b) => x(b) !== fromBasis(b))).toEqual([])
    const pivots: number[] = []
    for (const value of basis) {
      const rest = pivots.reduce((r, p) => Math.min(r, r ^ p), value)
      if (rest !== 0) pivots.push(rest)
    }
    expect(pivots.length).toBe(16)
  })

  test('law 7: from every base address, a period of bytes reaches every byte of the period once', () => {
    const period = swizzlePeriodBytes(span)
    for (const base of range(period)) {
      const image = range(period).map((b) => x(base + b) % period)
      expect(new Set(image).size).toBe(period)
    }
  })

  test('law 7: from a base in line k of the pattern, byte for byte the picture that starts there', () => {
    const period = swizzlePeriodBytes(span)
    const lines = span / 16
    for (let base = 0; base < 2 * period; base += 128)
      for (const b of range(period)) {
        const line = (base / 128 + Math.floor(b / 128)) % lines
        const chunk = Math.floor((b % 128) / 16)
        if (x(base + b) !== base + b + 16 * ((chunk ^ line) - chunk))
          expect.fail(`${String(base)} + ${String(b)}`)
      }
  })
})

test('law 1: chunks of successive 128-byte lines, written out', () => {
  const lines = (span: 32 | 64 | 128): readonly string[] =>
    range(8).map((line) =>
      range(8)
        .map((chunk) => (swizzleAddress(span)(line * 128 + chunk * 16) % 128) / 16)
        .join(''),
    )
  expect(lines(128)).toEqual([
    '01234567',
    '10325476',
    '23016745',
    '32107654',
    '45670123',
    '54761032',
    '67452301',
    '76543210',
  ])
  expect(lines(64).slice(0, 5)).toEqual(['01234567', '10325476', '23016745', '32107654', '01234567'])
  expect(lines(32).slice(0, 3)).toEqual(['01234567', '10325476', '01234567'])
})

test('law 3: an 8 x 32 f32 array swizzled by 128 takes chunk j xor i of row i', () => {
  const image = new Array<number>(256)
  for (const i of range(8))
    for (const c of range(32)) image[swizzleAddress(128)(4 * (32 * i + c)) / 4] = 100 * i + c
  for (const i of range(8))
    for (const c of range(32)) expect(image[32 * i + c]).toBe(100 * i + 4 * (Math.floor(c / 4) ^ i) + (c % 4))
})

test('constructors: the widest span that divides, refusals by code', () => {
  expect([1024, 512, 256, 128, 3072, 1536, 768, 384].map((bits) => right(findSwizzle(bits)))).toEqual([
    128, 64, 32, 16, 128, 64, 32, 16,
  ])
  expect([1, 64, 192, 0, -1024].map((bits) => code(findSwizzle(bits)))).toEqual(
    new Array(5).fill('swizzle.none-fits'),
  )
  expect(range(300).filter(isSwizzle)).toEqual([16, 32, 64, 128])
  expect(right(swizzleOf(64))).toBe(64)
  expect(code(swizzleOf(96))).toBe('swizzle.span')
  expect([8, 16, 32].map((bits) => swizzles.map((s) => swizzleElements(s, bits)))).toEqual([
    [16, 32, 64, 128],
    [8, 16, 32, 64],
    [4, 8, 16, 32],
  ])
})
