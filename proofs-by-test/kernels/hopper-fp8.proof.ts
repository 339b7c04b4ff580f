/**
 * hopper-fp8: bits of the chain of instructions by the definition of one element, for all mixes of e4m3 and e5m2; and only operands that run along k.
 * The laws of every matmul are in `matmul-laws`.
 */
import { describe, expect, test } from 'vitest'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import { instanceOf, kernelNamed } from '../../src/kernels/catalogue/index.js'
import { hopperFp8, type HopperFp8 } from '../../src/kernels/hopper/hopper-fp8.js'
import { naiveMatmul } from '../../src/kernels/reference.js'
import { randomPatterns } from '../../src/kernels/reference-inputs.js'
import { decode, encode, field } from '../../src/numerics/index.js'
import { blockSum, hopperRules } from '../../src/numerics/tensor-core.js'
import { i32 } from '../../src/semantics/language/expression.js'
import { readTensor } from '../../src/semantics/execution/launch.js'
import type { Program } from '../../src/semantics/language/program.js'
import { checked } from '../dialects/pallas/programs.js'
import { right } from '../either.js'
import { sampled } from '../extent.js'
import { bits } from '../arithmetic.js'

const base: HopperFp8 = {
  aDtype: 'e4m3',
  bDtype: 'e4m3',
  outDtype: 'f16',
  m: 128,
  n: 32,
  k: 224,
  tileM: 128,
  tileN: 16,
  tileK: 32,
  stages: 3,
}

const operands = (c: HopperFp8): ReadonlyMap<string, Float64Array> =>
  new Map([
    ['a', randomPatterns(c.aDtype, 1, 0, c.m * c.k)],
    ['b', randomPatterns(c.bDtype, 1, 1, c.k * c.n)],
  ])

const run = (c: HopperFp8): Float64Array => {
  const { verdict, world, machine } = checked(right(hopperFp8(c)), {}, bits('hopper'), operands(c))
  expect(verdict).toMatchObject({
    verdict: 'ok',
    decidedBy: 'one-schedule',
    findings: [],
    notes: [],
    provenance: { proved: true, inOrder: true },
  })
  return readTensor(world, machine, 'out') ?? new Float64Array(0)
}

const dtypes = ['e4m3', 'e5m2'] as const
const mixes = dtypes.flatMap((aDtype) =>
  dtypes.flatMap((bDtype) =>
    (['f16', 'bf16', 'f32'] as const).map((outDtype) => ({ aDtype, bDtype, outDtype })),
  ),
)

describe('arithmetic', () => {
  test.each(
    sampled(
      2,
      mixes.filter(({ outDtype }) => outDtype === 'f32'),
    ),
  )('$aDtype by $bDtype: the chain of instructions, 32 products each, element by element', (mix) => {
    const c: HopperFp8 = { ...base, ...mix, n: 16, k: 96, stages: 2 }
    const inputs = operands(c)
    const [a, b] = [inputs.get('a')!, inputs.get('b')!]
    const rules = hopperRules({ a: c.aDtype, b: c.bDtype, acc: 'f32' })
    if (O.isNone(rules)) throw new Error('no rules')
    const instruction = blockSum(rules.value)
    const expected = Float64Array.from({ length: c.m * c.n }, (_, i) => {
      const [row, column] = [Math.floor(i / c.n), i % c.n]
      return Array.from({ length: c.k / 32 }, (_x, step) => step * 32).reduce((sum, at) => {
        const ks = Array.from({ length: 32 }, (_x, j) => at + j)
        return instruction(
          ks.map((k) => a[row * c.k + k]!),
          ks.map((k) => b[k * c.n + column]!),
          sum,
        )
      }, 0)
    })
    expect(run(c)).toEqual(expected)
  })
  test('small integers are exact: the textbook product, one rounding', () => {
    const c: HopperFp8 = { ...base, n: 16, k: 64, stages: 2 }
    const small = (size: number, by: number): ReadonlyArray<number> =>
      Array.from({ length: size }, (_, i) => ((i * by) % 7) - 3)
    const [a, b] = [small(c.m * c.k, 5), small(c.k * c.n, 3)]
    const inputs = new Map([
      ['a', Float64Array.from(a, (x) => encode('e4m3', x))],
      ['b', Float64Array.from(b, (x) => encode('e4m3', x))],
    ])
    const { world, machine } = checked(right(hopperFp8(c)), {}, bits('hopper'), inputs)
    const out = readTensor(world, machine, 'out')!
    for (let i = 0; i < c.m; i++)
      for (let j = 0; j < c.n; j++) {
        let sum = 0
        for (let k = 0; k < c.k; k++) sum += a[i * c.k + k]! * b[k * c.n + j]!
        expect(decode('f16', out[i * c.n + j]!) + 0).toBe(sum)
      }
  })
  test('over the field, two trials', () => {
    for (const seed of [1, 2]) {
      const f = field(seed)
      const [a, b] = [base.m * base.k, base.k * base.n].map((size, t) =>
        Float64Array.from({ length: size }, (_, i) => f.element(t, i)),
      )
      const inputs = new Map([
        ['a', a!],
        ['b', b!],
      ])
      const { world, machine } = checked(right(hopperFp8(base)), { explain: false }, f, inputs)
      const types = { operand: 'e4m3', accumulator: 'f32', out: 'f16' } as const
      expect(readTensor(world, machine, 'out')).toEqual(right(naiveMatmul(f, types, base, a!, b!)))
    }
  })
})

describe('how b lies', () => {
  const square: HopperFp8 = { ...base, n: 64, k: 64, stages: 2 }
  const p = right(hopperFp8(square))
  const rowByRow: Program = {
    ...p,
    params: p.params.map((q) =>
      q._tag === 'tensor' && q.name === 'b' ? { ...q, strides: [i32(64), i32(1)] } : q,
    ),
  }
  test('column by column it is the matmul; row by row the same copies multiply by the transpose', () => {
    expect(checked(p).verdict.provenance).toMatchObject({ proved: true, inOrder: true })
    const wrong = checked(rowByRow).verdict.provenance
    expect(wrong?.proved).toBe(false)
    const f = field(3)
    const [a, b] = [square.m * 64, 64 * 64].map((size, t) =>
      Float64Array.from({ length: size }, (_, i) => f.element(t, i)),
    )
    const transposed = Float64Array.from(
      { length: 64 * 64 },
      (_, i) => b![(i % 64) * 64 + Math.floor(i / 64)]!,
    )
    const types = { operand: 'e4m3', accumulator: 'f32', out: 'f16' } as const
    for (const [program, of] of [
      [p, b!],
      [rowByRow, transposed],
    ] as const) {
      const { world, machine } = checked(
        program,
        { provenance: false },
        f,
        new Map([
          ['a', a!],
          ['b', b!],
        ]),
      )
      expect(readTensor(world, machine, 'out')).toEqual(right(naiveMatmul(f, types, square, a!, of)))
    }
  })
})

describe('settings', () => {
  test('the catalogue: nine steps on four slots', () => {
    const { settings } = right(instanceOf(right(kernelNamed('hopper-fp8')), {}, []))
    expect(settings).toMatchObject({ k: 1152, tileK: 128, stages: 4, dtype: 'e4m3', bDtype: 'e4m3' })
  })
  test.each<readonly [Partial<HopperFp8>, RegExp]>([
    [{ tileM: 64 }, /^hopper-fp8: tileM is 64: expected a multiple of 128/],
    [{ tileK: 16 }, /tileK is 16: expected a multiple of 32, the k of one wgmma/],
    [{ tileN: 272, n: 272 }, /multiplies 272 columns at once: expected at most 256/],
    [{ stages: 1 }, /stages is 1: expected 2 to 32/],
    [{ n: 40 }, /n is 40: expected a multiple of tileN, which is 16/],
  ])('refuses %j', (c, message) => {
    expect(hopperFp8({ ...base, ...c })).toMatchObject(
      E.left({ code: 'kernel.settings', message: expect.stringMatching(message) }),
    )
  })
})
