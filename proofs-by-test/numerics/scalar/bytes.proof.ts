/**
 * Conversions that no kernel of the capture has. Between bytes and bf16: through wider types, whose conversions an H100 was asked for. Of elements of 4
 * and 6 bits and of scales: by a search over all of them.
 */
import { describe, expect, it } from 'vitest'
import { scalarOperation } from '../../../src/numerics/scalar/index.js'
import { sampled } from '../../extent.js'

const of = (name: string): ((word: number) => number) => {
  const { compute } = scalarOperation(name)!
  return (word) => compute(word)
}
const halves = sampled(
  7,
  Array.from({ length: 65536 }, (_, word) => word),
)

describe('bytes and bf16', () => {
  it.each(['s8', 'u8'])('a bf16 becomes %s as the f32 of the same value does', (byte) => {
    for (const rounding of ['rni', 'rzi', 'rmi', 'rpi']) {
      const [direct, wide] = [of(`cvt.${rounding}.${byte}.bf16`), of(`cvt.${rounding}.${byte}.f32`)]
      expect(halves.filter((word) => direct(word) !== wide(word << 16))).toEqual([])
    }
  })

  it.each([
    ['s8', 's16', -128],
    ['u8', 'u16', 0],
  ])('a %s becomes bf16 as the %s of the same value does', (byte, wider, least) => {
    for (const rounding of ['rn', 'rz', 'rm', 'rp']) {
      const [direct, wide] = [of(`cvt.${rounding}.bf16.${byte}`), of(`cvt.${rounding}.bf16.${wider}`)]
      const values = Array.from({ length: 256 }, (_, i) => i + least)
      expect(values.filter((value) => direct(value) !== wide(value))).toEqual([])
    }
  })
})

/** Values of the non-negative patterns, in order, from what the format is. */
const magnitudes = (exponentBits: number, fractionBits: number): readonly number[] =>
  Array.from({ length: 2 ** (exponentBits + fractionBits) }, (_, pattern) => {
    const [e, f] = [pattern >> fractionBits, (pattern % 2 ** fractionBits) / 2 ** fractionBits]
    const bias = 2 ** (exponentBits - 1) - 1
    return e === 0 ? f * 2 ** (1 - bias) : (1 + f) * 2 ** (e - bias)
  })

const wordOf = (x: number): number => new Int32Array(new Float32Array([x]).buffer)[0]!

describe('elements of 4 and 6 bits, and scales', () => {
  it.each([
    ['e2m1', 2, 1, 4],
    ['e2m3', 2, 3, 8],
    ['e3m2', 3, 2, 8],
  ])('%s is the nearest of all, the even one of two, the largest beyond', (type, e, m, bits) => {
    const all = magnitudes(e, m)
    const sign = all.length
    const { compute } = scalarOperation(`cvt.rn.satfinite.${type}x2.f32`)!
    const nearest = (x: number): number => {
      const best = Math.min(...all.map((v) => Math.abs(v - x)))
      const of2 = all.flatMap((v, i) => (Math.abs(v - x) === best ? [i] : []))
      return of2.find((i) => i % 2 === 0) ?? of2[0]!
    }
    for (let k = 0; k < 700; k++) {
      const x = k / 64 + (k % 3) * 2 ** -20
      expect([x, compute(wordOf(x), wordOf(-x))]).toEqual([x, (nearest(x) << bits) | sign | nearest(x)])
    }
    const most = sign - 1
    expect(compute(wordOf(NaN), wordOf(-Infinity))).toBe((most << bits) | sign | most)
  })

  it.each([
    ['e2m1', 2, 1, 4],
    ['e2m3', 2, 3, 8],
    ['e3m2', 3, 2, 8],
  ])('two of %s are halves, exactly', (type, e, m, bits) => {
    const widened = of(`cvt.rn.f16x2.${type}x2`)
    const toFloat = of('cvt.f32.f16')
    magnitudes(e, m).forEach((v, i, all) => {
      const word = widened((i << bits) | all.length | i)
      expect([toFloat(word >>> 16), toFloat(word & 0xffff)]).toEqual([wordOf(v), wordOf(-v)])
    })
  })

  it('a scale is the power of two above or below a magnitude', () => {
    const [up, down] = ['rp', 'rz'].map((d) => scalarOperation(`cvt.${d}.satfinite.ue8m0x2.f32`)!.compute)
    const power = of('cvt.rn.bf16x2.ue8m0x2')
    const all = Array.from({ length: 255 }, (_, i) => 2 ** (i - 127))
    for (const x of [
      0,
      2 ** -140,
      2 ** -127,
      3 * 2 ** -128,
      1,
      1.5,
      3,
      2 ** 60 + 2 ** 40,
      2 ** 127,
      1.7e38,
      1.8e38,
      3e38,
    ]) {
      const above = all.findIndex((v) => v >= x)
      const below = all.filter((v) => v <= x).length - 1
      const [a, b] = [above < 0 ? 254 : above, Math.max(below, 0)]
      expect([x, up!(wordOf(x), wordOf(-x)), down!(wordOf(x), wordOf(-x))]).toEqual([x, a * 257, b * 257])
    }
    expect(up!(wordOf(NaN), wordOf(Infinity))).toBe(0xfffe)
    all.forEach((v, i) => {
      expect(power(i) << 16).toBe(wordOf(v))
    })
  })
})
