/** Conversions: every 16-bit pattern into every narrow format in every mode, against a search of the table of values; relu; words of two. */
import { describe, expect, it, test } from 'vitest'
import { conversion, pack, unpack } from '../../src/numerics/conversion.js'
import { bitsOf, type FloatDtype } from '../../src/numerics/dtype.js'
import {
  decode,
  encode,
  formatOf,
  roundingModes,
  valueTable,
  type RoundingMode,
} from '../../src/numerics/float-format.js'
import { floatToInteger } from '../../src/numerics/integer.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import { nightly } from '../extent.js'

/** By day every fifth pattern. */
const every = nightly ? 1 : 17

type Narrow = Exclude<FloatDtype, 'f32' | 'tf32'>

/** By the table of values alone: the neighbours of |x|, and which of them the mode takes. */
const bySearch = (to: Narrow, mode: RoundingMode, saturate: boolean): ((x: number) => number) => {
  const half = 2 ** (bitsOf(to) - 1)
  const all = [...valueTable(to)].slice(0, half)
  const values = all.filter((v) => Number.isFinite(v))
  const last = values.length - 1
  const specials = formatOf(to).specials
  const above = specials === 'ieee' ? last + 1 : specials === 'nanOnly' ? null : last
  // where the value after the last would be: the rule of rounding knows no last one
  const step = values[last]! - values[last - 1]!
  const next = values[last]! + step
  return (x) => {
    const nan = formatOf(to).canonicalNaN
    if (Number.isNaN(x)) return nan
    const negative = x < 0 || Object.is(x, -0)
    const ax = Math.abs(x)
    const out = (p: number | null): number => (p === null ? nan : negative ? half + p : p)
    if (ax === Infinity) return out(saturate ? last : above)
    let low = 0
    let high = last
    while (low < high) {
      const middle = Math.ceil((low + high) / 2)
      if (values[middle]! <= ax) low = middle
      else high = middle - 1
    }
    if (values[low] === ax) return out(low)
    const upper = low === last ? next : values[low + 1]!
    const [below, beyond] = [ax - values[low]!, upper - ax]
    const up =
      mode === 'rz'
        ? false
        : mode === 'rm'
          ? negative
          : mode === 'rp'
            ? !negative
            : below !== beyond
              ? below > beyond
              : mode === 'rna' || low % 2 === 1
    if (!up) return out(low)
    return out(low === last ? (saturate ? last : above) : low + 1)
  }
}

describe('law 1: all patterns, all modes', () => {
  const targets: readonly Narrow[] = ['f16', 'bf16', 'e4m3', 'e5m2', 'e2m3', 'e3m2', 'e2m1']
  it.each(targets.flatMap((to) => (['f16', 'bf16'] as const).map((from) => [from, to] as const)))(
    '%s to %s',
    (from, to) => {
      const values = valueTable(from)
      for (const rounding of roundingModes)
        for (const satfinite of [false, true]) {
          const f = conversion({ from, to, rounding, satfinite, relu: false })
          const g = bySearch(to, rounding, satfinite)
          let wrong = -1
          for (let p = 0; p < 65536 && wrong < 0; p += every) if (f(p) !== g(values[p]!)) wrong = p
          expect([rounding, satfinite, wrong]).toEqual([rounding, satfinite, -1])
        }
    },
  )
  test('rna of tf32: the header, and all ties of an exponent', () => {
    const to = (rounding: RoundingMode, x: number): number =>
      decode(
        'tf32',
        conversion({ from: 'f32', to: 'tf32', rounding, satfinite: false, relu: false })(encode('f32', x)),
      )
    const tie = 1 + 2 ** -11
    expect(roundingModes.map((mode) => to(mode, tie))).toEqual([1, 1, 1 + 2 ** -10, 1, 1 + 2 ** -10])
    for (let i = 0; i < 1024; i++) {
      const x = 1 + i * 2 ** -10 + 2 ** -11
      for (const sign of [1, -1]) expect(to('rna', sign * x)).toBe(sign * (x + 2 ** -11))
    }
  })
  test('into integers', () => {
    const of = (mode: RoundingMode): readonly number[] =>
      [-2.5, -1.5, -0.25, 0.25, 0.5, 2.5].map((x) =>
        pipe(
          floatToInteger('i32', mode),
          O.match(
            () => NaN,
            (f) => f(x) + 0,
          ),
        ),
      )
    expect(roundingModes.map(of)).toEqual([
      [-2, -2, 0, 0, 0, 2],
      [-2, -1, 0, 0, 0, 2],
      [-3, -2, 0, 0, 1, 3],
      [-3, -2, -1, 0, 0, 2],
      [-2, -1, 0, 1, 1, 3],
    ])
  })
})

test('law 2: relu, all patterns', () => {
  for (const to of ['f16', 'bf16', 'e4m3', 'e5m2', 'e2m1'] as const)
    for (const from of ['f16', 'bf16'] as const) {
      const values = valueTable(from)
      const how = { from, to, rounding: 'rn', satfinite: true } as const
      const [f, g] = [conversion({ ...how, relu: true }), conversion({ ...how, relu: false })]
      let wrong = -1
      for (let p = 0; p < 65536 && wrong < 0; p += every) {
        const x = values[p]!
        const expected = x < 0 || Object.is(x, -0) ? 0 : g(p)
        if (f(p) !== expected) wrong = p
      }
      expect([from, to, wrong]).toEqual([from, to, -1])
    }
})

test('law 3: words of two, and the header', () => {
  for (const dtype of ['e4m3', 'e5m2', 'e2m3', 'e3m2', 'e2m1'] as const)
    for (let first = 0; first < 2 ** bitsOf(dtype); first++)
      for (const second of [0, 1, 2 ** bitsOf(dtype) - 1])
        expect(unpack(dtype, pack(dtype, first, second))).toEqual([first, second])
  expect(unpack('bf16', pack('bf16', 0xffff, 1))).toEqual([0xffff, 1])
  expect(pack('e4m3', encode('e4m3', 448), encode('e4m3', -1))).toBe(0x7eb8)
  expect(pack('e2m1', 7, 9)).toBe(0x79)
  expect(pack('e3m2', 0x3f, 0x3f)).toBe(0x3f3f)
  expect(pack('f16', 0x3c00, 0xc000)).toBe(0x3c00c000)
})
