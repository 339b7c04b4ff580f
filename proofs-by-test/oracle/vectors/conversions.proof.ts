/**
 * The suite of conversions: its answers by a search of exact values and by hand, both places of a word, and back ends with the mistakes that are made in conversions,
 * each of which the cases of its rule find.
 */
import { readFileSync } from 'node:fs'
import * as fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { suiteNamed } from '../../../src/oracle/vectors/index.js'
import { scalarOperation, scalarOperations } from '../../../src/numerics/scalar/index.js'
import { right } from '../../either.js'

interface Tensor {
  readonly dtype: string
  readonly shape: ReadonlyArray<number>
  readonly bits: ReadonlyArray<number>
}
interface Question {
  readonly instruction: string
  readonly x: Tensor
}

const suite = right(await suiteNamed('conversions')())
const cases = [...suite.cases()].filter(({ rule }) => rule !== 'conversions.refused')
const questionOf = (one: (typeof cases)[number]): Question => one.question as unknown as Question
const answered = (q: Question): Tensor =>
  (right(suite.ask(q)) as unknown as { readonly result: Tensor }).result
const one = (instruction: string, dtype: string, x: number): number =>
  answered({ instruction, x: { dtype, shape: [1], bits: [x] } }).bits[0]!

const view = new DataView(new ArrayBuffer(4))
const f32 = (x: number): number => (view.setFloat32(0, x), view.getUint32(0))
const valueOfF32 = (p: number): number => (view.setUint32(0, p), view.getFloat32(0))

test('by hand', () => {
  const e4m3 = (x: number): number => one('cvt.rn.satfinite.e4m3x2.f32', 'f32', f32(x))
  // 432 and 17/512 * 1/2 are ties; 2^-10 is half the least value, and goes to 0
  expect([448, 432, 431.9, 1e9, -1, 2 ** -9, 2 ** -10, 3 * 2 ** -10, -0].map(e4m3)).toEqual([
    0x7e, 0x7e, 0x7d, 0x7e, 0xb8, 1, 0, 2, 0x80,
  ])
  expect([2.5, 3.5, -1.5, 3e9].map((x) => one('cvt.rni.s32.f32', 'f32', f32(x)))).toEqual([
    2,
    4,
    2 ** 32 - 2,
    2 ** 31 - 1,
  ])
  expect(one('cvt.s8.s32', 'i32', 200)).toBe(200)
  expect(one('cvt.sat.s8.s32', 'i32', 200)).toBe(127)
  expect(one('cvt.sat.s8.s32', 'i32', 2 ** 32 - 200)).toBe(0x80)
  expect(one('cvt.rn.f32.s32', 'i32', 0x1000001)).toBe(f32(0x1000000))
  expect(one('cvt.rna.tf32.f32', 'f32', f32(1 + 2 ** -11))).toBe(f32(1 + 2 ** -10))
  expect(one('cvt.rn.satfinite.e2m1x2.f32', 'f32', f32(2.5))).toBe(4)
})

describe('8-bit floats: the nearest of all values', () => {
  /** Values of magnitudes from the definition of the format alone. */
  const valuesOf = (fraction: number, bias: number, count: number): ReadonlyArray<number> =>
    Array.from({ length: count }, (_, p) => {
      const [e, m] = [p >> fraction, p % 2 ** fraction]
      return e === 0 ? m * 2 ** (1 - bias - fraction) : (2 ** fraction + m) * 2 ** (e - bias - fraction)
    })
  it.each([
    ['e4m3', valuesOf(3, 7, 0x7f)],
    ['e5m2', valuesOf(2, 15, 0x7c)],
  ] as const)('%s', (to, values) => {
    const wanted = cases.filter((c) => c.rule === 'conversions.fp8' && c.name === `rn-satfinite-${to}x2-f32`)
    expect(wanted.map(questionOf)).toHaveLength(1)
    for (const q of wanted.map(questionOf)) {
      const found = answered(q).bits
      const wrong = q.x.bits.filter((p, k) => {
        const x = Math.min(Math.abs(valueOfF32(p)), 2 ** 20)
        const distance = values.map((v) => Math.abs(v - x))
        const least = Math.min(...distance)
        const nearest = distance.flatMap((d, at) => (d === least ? [at] : []))
        const best = nearest.find((at) => nearest.length === 1 || at % 2 === 0)!
        return found[k] !== (p >= 2 ** 31 ? 0x80 : 0) + best
      })
      expect(wrong).toEqual([])
      expect(new Set(found).size).toBe(2 * values.length)
    }
  })
})

test('law 1: every cvt without 64 bits is asked about at random or in a case, and finite operands are apart from others', () => {
  const forms = scalarOperations
    .map(({ name }) => name)
    .filter((name) => name.startsWith('cvt.') && !name.startsWith('cvt.pack') && !name.includes('64'))
  expect(forms.length).toBeGreaterThan(400)
  for (const instruction of forms) {
    // of a wrong type every form that there is says which it takes
    const refused = suite.ask({ instruction, x: { dtype: 'u64', shape: [1], bits: [0] } })
    expect(refused).toMatchObject({ left: { code: 'conversions.operands' } })
  }
  const isSpecial = (dtype: string, p: number): boolean =>
    dtype === 'f32' ? (p & 0x7f800000) === 0x7f800000 : dtype === 'f16' && (p & 0x7c00) === 0x7c00
  for (const c of cases) {
    const { x } = questionOf(c)
    if (x.dtype === 'f32' || x.dtype === 'f16')
      expect([c.name, x.bits.every((p) => isSpecial(x.dtype, p))]).toEqual([
        c.name,
        c.rule.endsWith('specials'),
      ])
    if (!c.rule.endsWith('specials'))
      expect([c.name, x.bits.some((p) => isSpecial(x.dtype, p))]).toEqual([c.name, false])
  }
})

test('law 2: both places of a word are made alike', () => {
  const pairs = cases.map(questionOf).filter((q) => /x2\.f32$/u.test(q.instruction))
  expect(pairs.length).toBeGreaterThan(10)
  for (const q of pairs) {
    const row = scalarOperation(q.instruction)!
    const bits = { e2m1x2: 4, f16x2: 16, bf16x2: 16 }[q.instruction.split('.').at(-2)!] ?? 8
    const found = answered(q).bits
    const other = q.x.bits[0]! | 0
    const place = 2 ** bits - 1
    const wrong = q.x.bits.filter(
      (p, k) =>
        ((row.compute(p | 0, other) >>> bits) & place) !== found[k] ||
        (row.compute(other, p | 0) & place) !== found[k],
    )
    expect([q.instruction, wrong]).toEqual([q.instruction, []])
  }
})

test('law 3: what is known from the chip was captured', () => {
  const known = new Set(
    readFileSync(new URL('../../../conformance/hopper/ptx/forms.txt', import.meta.url), 'utf8')
      .split('\n')
      .map((line) => line.split(' ')[0]),
  )
  for (const { id, fidelity } of suite.rules.filter((rule) => rule.id !== 'conversions.refused')) {
    const asked = [
      ...cases.filter(({ rule }) => rule === id).map(questionOf),
      ...fc.sample(suite.questions(id), { seed: 1, numRuns: 40 }).map((q) => q as unknown as Question),
    ].map(({ instruction }) => instruction)
    expect([id, asked.every((name) => known.has(name)), asked.some((name) => known.has(name))]).toEqual([
      id,
      fidelity === 'silicon',
      fidelity === 'silicon',
    ])
  }
})

// ---------------------------------------------------------------- mistakes

/** f32 to e4m3 with its steps to be replaced; right with the steps that are here. */
interface Steps {
  readonly round: (x: number) => number
  readonly least: number
  readonly carries: boolean
  readonly most: number
}
const even = (x: number): number => {
  const below = Math.floor(x)
  return x - below > 0.5 || (x - below === 0.5 && below % 2 === 1) ? below + 1 : below
}
const steps: Steps = { round: even, least: 0, carries: true, most: 0x7e }
const toE4m3 =
  ({ round, least, carries, most }: Steps) =>
  (p: number): number => {
    const [sign, x] = [p >= 2 ** 31 ? 0x80 : 0, Math.abs(valueOfF32(p))]
    if (x < least) return sign
    if (x >= 512) return sign + most
    if (x < 2 ** -6) return sign + round(x * 2 ** 9)
    const e = Math.floor(Math.log2(x))
    const fraction = round((x / 2 ** e - 1) * 8)
    return sign + Math.min((e + 7) * 8 + (carries ? fraction : Math.min(fraction, 7)), most)
  }

test('mistakes in e4m3 are found by the case, the right program is not', () => {
  const q = questionOf(cases.find(({ name }) => name === 'rn-satfinite-e4m3x2-f32')!)
  const found = answered(q).bits
  const wrongOf = (of: Steps): number => q.x.bits.filter((p, k) => toE4m3(of)(p) !== found[k]).length
  expect(wrongOf(steps)).toBe(0)
  const mistakes: Readonly<Record<string, Steps>> = {
    'ties away': { ...steps, round: (x) => Math.floor(x + 0.5) },
    'toward zero': { ...steps, round: Math.floor },
    up: { ...steps, round: Math.ceil },
    'ties to odd': {
      ...steps,
      round: (x) => (x % 1 === 0.5 ? 4 * Math.floor(x / 2) + 1 - even(x) : even(x)),
    },
    'subnormal values are 0': { ...steps, least: 2 ** -6 },
    'the least value is 0': { ...steps, least: 2 ** -9 },
    'no carry into the exponent': { ...steps, carries: false },
    'a NaN above the largest': { ...steps, most: 0x7f },
    'the largest is one too small': { ...steps, most: 0x7d },
  }
  for (const [name, mistake] of Object.entries(mistakes))
    expect([name, wrongOf(mistake) > 0]).toEqual([name, true])
})

test('forms that differ are told apart by a case that both could be asked', () => {
  // each pair: what a back end has instead of the first; none has the results of the other on all operands
  const pairs: ReadonlyArray<readonly [string, string]> = [
    ['cvt.rn.f16.f32', 'cvt.rz.f16.f32'],
    ['cvt.rn.f16.f32', 'cvt.rn.satfinite.f16.f32'],
    ['cvt.rn.relu.bf16.f32', 'cvt.rn.bf16.f32'],
    ['cvt.rn.bf16.f32', 'cvt.rz.bf16.f32'],
    ['cvt.rna.tf32.f32', 'cvt.rn.tf32.f32'],
    ['cvt.rn.tf32.f32', 'cvt.rz.tf32.f32'],
    ['cvt.rni.s8.f32', 'cvt.rzi.s8.f32'],
    ['cvt.rmi.s32.f32', 'cvt.rzi.s32.f32'],
    ['cvt.rpi.u16.f16', 'cvt.rni.u16.f16'],
    ['cvt.rn.f32.u32', 'cvt.rz.f32.u32'],
    ['cvt.rn.f32.s32', 'cvt.rp.f32.s32'],
    ['cvt.rn.bf16.s16', 'cvt.rz.bf16.s16'],
    ['cvt.sat.s8.s32', 'cvt.s8.s32'],
    ['cvt.sat.u8.s16', 'cvt.u8.s16'],
    ['cvt.rn.satfinite.relu.e5m2x2.f32', 'cvt.rn.satfinite.e5m2x2.f32'],
    ['cvt.rz.satfinite.ue8m0x2.f32', 'cvt.rp.satfinite.ue8m0x2.f32'],
  ]
  for (const [instruction, other] of pairs) {
    const q = cases.map(questionOf).find((asked) => asked.instruction === instruction)!
    expect([instruction, other, answered(q).bits]).not.toEqual([
      instruction,
      other,
      answered({ instruction: other, x: q.x }).bits,
    ])
  }
})
