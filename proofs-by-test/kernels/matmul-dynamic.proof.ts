/**
 * matmul-dynamic: for all inputs, for one to six tiles, for fewer steps than slots, as many, and more; whatever is granted; balanced, so that the strict
 * reading finds nothing.
 */
import { describe, expect, test } from 'vitest'
import * as E from 'fp-ts/lib/Either.js'
import { without } from '../../src/kernels/broken/index.js'
import { instanceOf, kernelNamed } from '../../src/kernels/catalogue/index.js'
import { matmulDynamic, type MatmulDynamic } from '../../src/kernels/blackwell/matmul-dynamic.js'
import { referenceOf } from '../../src/kernels/reference.js'
import { randomPatterns } from '../../src/kernels/reference-inputs.js'
import { bits, field, unit } from '../../src/numerics/index.js'
import type { Checked } from '../../src/semantics/check.js'
import { readTensor } from '../../src/semantics/launch.js'
import * as Policy from '../../src/semantics/policy.js'
import { checked, right } from '../dialects/pallas/programs.js'

const nightly = process.env['TCSPEC_NIGHTLY'] !== undefined

const base: MatmulDynamic = {
  dtype: 'f16',
  m: 128,
  n: 48,
  k: 64,
  tileM: 128,
  tileN: 16,
  tileK: 16,
  stages: 3,
}
const clean = {
  verdict: 'ok',
  decidedBy: 'one-schedule',
  findings: [],
  notes: [],
  provenance: { proved: true, inOrder: true },
}

/** Runs with so many requests granted before one fails. */
const granting = (
  c: MatmulDynamic,
  grants: number | undefined,
  algebra = unit,
  tensors: ReadonlyMap<string, Float64Array> = new Map(),
  policy: Policy.AnyPolicy = Policy.eager,
): Checked => {
  const given = { scalars: new Map<string, number>(), tensors }
  return checked(right(matmulDynamic(c)), {
    algebra,
    policy,
    arguments: grants === undefined ? given : { ...given, grants },
  })
}

describe('steps and slots, three tiles', () => {
  const all = (nightly ? [1, 2, 3, 4] : [1, 3]).flatMap((stages) =>
    [...new Set([Math.max(1, stages - 1), stages, stages + 1, 2 * stages + 1])].map(
      (steps): MatmulDynamic => ({
        ...base,
        stages,
        k: 16 * steps,
        dtype: stages % 2 === 1 ? 'bf16' : 'f16',
      }),
    ),
  )
  test.each(all)('$stages slots, k $k, $dtype', (c) => {
    const algebra = bits('blackwell')
    const inputs = new Map([
      ['a', randomPatterns(c.dtype, 1, 0, c.m * c.k)],
      ['b', randomPatterns(c.dtype, 1, 1, c.k * c.n)],
    ])
    const { verdict, world, machine } = granting(c, undefined, algebra, inputs)
    expect(verdict).toMatchObject(clean)
    expect(readTensor(world, machine, 'out')).toEqual(
      right(referenceOf(right(matmulDynamic(c)), algebra, inputs)).values,
    )
  })
})

describe('whatever is granted', () => {
  test.each([0, 1, 3, 5])('%i of five requests: the same output', (grants) => {
    const c = { ...base, m: 256, n: 48, k: 32 }
    const f = field(7)
    const elements = (t: number, size: number): Float64Array =>
      Float64Array.from({ length: size }, (_, i) => f.element(t, i))
    const inputs = new Map([
      ['a', elements(0, c.m * c.k)],
      ['b', elements(1, c.k * c.n)],
    ])
    const { verdict, world, machine } = granting(c, grants, f, inputs)
    expect(verdict).toMatchObject(clean)
    expect(readTensor(world, machine, 'out')).toEqual(
      right(referenceOf(right(matmulDynamic(c)), f, inputs)).values,
    )
    // a cluster that takes over the work of others leaves less to launch
    expect(verdict.counts.clusters).toBe(6 - grants)
  })
  test('one to six tiles on one block', () => {
    for (let tiles = 1; tiles <= 6; tiles++)
      expect([tiles, granting({ ...base, n: 16 * tiles }, undefined).verdict]).toMatchObject([tiles, clean])
  })
  test(`${nightly ? '200' : '15'} schedules: one digest`, () => {
    const seen = Array.from({ length: nightly ? 200 : 15 }, (_, i) => {
      const { verdict } = granting({ ...base, k: 32 }, 1, unit, new Map(), Policy.seeded(i + 1))
      return `${verdict.verdict} ${verdict.decidedBy} ${verdict.digest.order}`
    })
    expect(new Set(seen).size).toBe(1)
    expect(seen[0]).toMatch(/^ok one-schedule/)
  })
})

describe('what matters', () => {
  const p = right(matmulDynamic(base))
  test.each<readonly [string, string, ReadonlyArray<string>]>([
    ['wait consumed', 'deadlock', ['W1']],
    ['wait loaded', 'deadlock', ['R1']],
    ['wait read', 'hazard', ['B8']],
    ['wait multiplied', 'deadlock', ['M2']],
    ['wait_load_tmem', 'hazard', ['M3']],
    ['arrive read', 'deadlock', ['B5']],
    ['commit multiplied', 'deadlock', ['B5']],
    ['wait out_smem', 'hazard', ['W4']],
    ['commit_smem', 'hazard', ['P1']],
    ['wait out', 'hazard', ['U2']],
    ['wait consumed last', 'hazard', ['U1']],
    ['wait read last', 'hazard', ['U1']],
    ['tile.wait asked', 'hazard', ['R1', 'W1']],
  ])('without `%s`: %s, %j', (label, verdict, ids) => {
    const v = checked(right(without(label)(p))).verdict
    expect([v.verdict, v.findings.map((f) => f.id)]).toEqual([verdict, expect.arrayContaining([...ids])])
  })
})

describe('settings', () => {
  test('the catalogue: nine steps on four slots, three tiles', () => {
    expect(right(instanceOf(right(kernelNamed('matmul-dynamic')), {}, [])).settings).toMatchObject({
      m: 384,
      n: 128,
      k: 576,
      tileK: 64,
      stages: 4,
    })
  })
  test.each<readonly [Partial<MatmulDynamic>, RegExp]>([
    [{ tileM: 64 }, /^matmul-dynamic: tileM is 64: expected 128/],
    [{ tileN: 512 }, /tileN is 512: 2 accumulators of 512 columns, expected at most 512 together/],
    [{ tileK: 8 }, /tileK is 8: expected a multiple of 16/],
    [{ stages: 33 }, /stages is 33: expected 1 to 32/],
    [{ n: 24 }, /n is 24: expected a multiple of tileN, which is 16/],
    [{ k: 0 }, /k is 0: expected a positive integer/],
  ])('refuses %j', (c, message) => {
    expect(matmulDynamic({ ...base, ...c })).toMatchObject(
      E.left({ code: 'kernel.settings', message: expect.stringMatching(message) }),
    )
  })
})
