/**
 * matmul-dynamic: one to six tiles, whatever is granted; and the completions that only a balanced kernel awaits. The laws of every matmul are in
 * `matmul-laws`.
 */
import { describe, expect, test } from 'vitest'
import * as E from 'fp-ts/lib/Either.js'
import { without } from '../../src/kernels/broken/index.js'
import { instanceOf, kernelNamed } from '../../src/kernels/catalogue/index.js'
import { matmulDynamic, type MatmulDynamic } from '../../src/kernels/blackwell/matmul-dynamic.js'
import { referenceOf } from '../../src/kernels/reference.js'
import { field, unit } from '../../src/numerics/index.js'
import type { Checked } from '../../src/semantics/verdict/check.js'
import { readTensor } from '../../src/semantics/execution/launch.js'
import * as Policy from '../../src/semantics/execution/policy.js'
import { checked } from '../dialects/pallas/programs.js'
import { right } from '../either.js'

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
})

describe('what matters', () => {
  const p = right(matmulDynamic(base))
  test.each<readonly [string, string, ReadonlyArray<string>]>([
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
