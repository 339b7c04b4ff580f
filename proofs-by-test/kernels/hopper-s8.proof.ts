/** hopper-s8: all mixes, for fewer steps than slots, as many, and more; the textbook product; and sums beyond 32 bits, both ways. */
import { describe, expect, test } from 'vitest'
import * as E from 'fp-ts/lib/Either.js'
import { instanceOf, kernelNamed } from '../../src/kernels/catalogue/index.js'
import { hopperS8, type HopperS8 } from '../../src/kernels/hopper/hopper-s8.js'
import { referenceOf } from '../../src/kernels/reference.js'
import { randomIntegers } from '../../src/kernels/reference-inputs.js'
import { integerRange, type IntDtype } from '../../src/numerics/index.js'
import { readTensor } from '../../src/semantics/execution/launch.js'
import { checked } from '../dialects/pallas/programs.js'
import { configurations } from './hopper-forms.js'
import { right } from '../either.js'
import { nightly } from '../extent.js'
import { bits } from '../arithmetic.js'

const base: HopperS8 = {
  aDtype: 'i8',
  bDtype: 'i8',
  saturate: false,
  m: 128,
  n: 32,
  k: 224,
  tileM: 128,
  tileN: 16,
  tileK: 32,
  stages: 3,
}

type Inputs = ReadonlyMap<string, Float64Array>
const operands = (c: HopperS8): Inputs =>
  new Map([
    ['a', randomIntegers(c.aDtype, 1, 0, c.m * c.k)],
    ['b', randomIntegers(c.bDtype, 1, 1, c.k * c.n)],
  ])

const run = (c: HopperS8, inputs: Inputs = operands(c)): Float64Array => {
  const { verdict, world, machine } = checked(right(hopperS8(c)), {}, bits('hopper'), inputs)
  expect(verdict).toMatchObject({
    verdict: 'ok',
    decidedBy: 'one-schedule',
    findings: [],
    notes: [],
    provenance: { proved: true, inOrder: true },
  })
  return readTensor(world, machine, 'out') ?? new Float64Array(0)
}

const mixes = (['i8', 'u8'] as const).flatMap((aDtype) =>
  (['i8', 'u8'] as const).flatMap((bDtype) =>
    [false, true].map((saturate) => ({ aDtype, bDtype, saturate })),
  ),
)

const textbook = (c: HopperS8, inputs: Inputs): Float64Array => {
  const [a, b] = [inputs.get('a')!, inputs.get('b')!]
  return Float64Array.from({ length: c.m * c.n }, (_, at) => {
    const [i, j] = [Math.floor(at / c.n), at % c.n]
    let sum = 0
    for (let p = 0; p < c.k; p++) sum += a[i * c.k + p]! * b[p * c.n + j]!
    return sum
  })
}

describe('steps and slots', () => {
  test.each(configurations(128, 16).map((c, i) => [i, c] as const))('configuration %i', (i, tiles) => {
    const c: HopperS8 = {
      ...base,
      ...tiles,
      ...mixes[i % mixes.length]!,
      k: 2 * tiles.k,
      tileK: 2 * tiles.tileK,
    }
    const inputs = operands(c)
    const out = run(c, inputs)
    expect(out).toEqual(right(referenceOf(right(hopperS8(c)), bits('hopper'), inputs)).values)
    expect(out).toEqual(textbook(c, inputs))
  })
  test('a swizzle of 128 bytes', () => {
    const c: HopperS8 = { ...base, aDtype: 'u8', k: 384, tileK: 128, tileN: 32, stages: 2 }
    expect(run(c)).toEqual(textbook(c, operands(c)))
  })
})

describe('sums beyond the bits of the accumulator: what the program says it computes', () => {
  // the sum leaves 31 bits by day, 32 by night
  const c: HopperS8 = { ...base, aDtype: 'u8', bDtype: 'u8', n: 16, k: nightly ? 66_112 : 33_280 }
  const all = new Map([
    ['a', new Float64Array(c.m * c.k).fill(255)],
    ['b', new Float64Array(c.k * c.n).fill(255)],
  ])
  test.each([
    [false, ((c.k * 255 ** 2) % 2 ** 32) | 0],
    [true, 2 ** 31 - 1],
  ])('saturate %s: %i', (saturate, sum) => {
    const { values } = right(referenceOf(right(hopperS8({ ...c, saturate })), bits('hopper'), all))
    expect(new Set(values)).toEqual(new Set([sum]))
  })
})

describe('settings', () => {
  test('the catalogue: nine steps on four slots', () => {
    const { settings } = right(instanceOf(right(kernelNamed('hopper-s8')), {}, []))
    expect(settings).toMatchObject({
      k: 1152,
      tileK: 128,
      stages: 4,
      dtype: 'i8',
      bDtype: 'i8',
      saturate: false,
    })
  })
  test('what is given is taken', () => {
    const given = { dtype: 'u8', bDtype: 'u8', saturate: true, m: 128, n: 16, k: 64 }
    const made = right(instanceOf(right(kernelNamed('hopper-s8')), given, []))
    expect(made.settings).toMatchObject(given)
    expect(made.program.computes).toMatchObject({ accumulator: 'i32', saturate: true, blockK: 32 })
  })
  test.each<readonly [Partial<HopperS8>, RegExp]>([
    [{ tileM: 64 }, /^hopper-s8: tileM is 64: expected a multiple of 128/],
    [{ tileK: 16 }, /tileK is 16: expected a multiple of 32, the k of one wgmma/],
    [{ n: 40 }, /n is 40: expected a multiple of tileN, which is 16/],
  ])('refuses %j', (c, message) => {
    expect(hopperS8({ ...base, ...c })).toMatchObject(
      E.left({ code: 'kernel.settings', message: expect.stringMatching(message) }),
    )
  })
})

describe('seeded integers', () => {
  test.each(['i1', 'i8', 'u8', 'i16', 'u16', 'i32', 'u32'] as const)(
    '%s: in range, even, the same every time',
    (dtype: IntDtype) => {
      const count = 20_000
      const x = randomIntegers(dtype, 3, 1, count)
      const { least, greatest } = integerRange(dtype)
      expect(x.every((v) => Number.isInteger(v) && v >= least && v <= greatest)).toBe(true)
      expect(randomIntegers(dtype, 3, 1, count)).toEqual(x)
      expect(randomIntegers(dtype, 3, 2, count)).not.toEqual(x)
      const span = Math.min(greatest - least + 1, 67_108_859)
      const middle = dtype === 'u32' ? span / 2 : dtype === 'i32' ? 0 : (least + greatest) / 2
      const mean = x.reduce((s, v) => s + v, 0) / count
      expect(Math.abs(mean - middle) / span).toBeLessThan(0.02)
      if (span <= 256) expect(new Set(x).size).toBe(span)
    },
  )
})
