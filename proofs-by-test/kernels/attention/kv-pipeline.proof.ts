/**
 * The KV pipeline alone: sums against sums written as loops, a slot that is given back too early, and its mutants. By day every sixteenth of them; all in the
 * kill rate of the night.
 */
import { describe, expect, test } from 'vitest'
import { kvPipelineKernel, type KvPipelineKernel } from '../../../src/kernels/attention/kv-pipeline.js'
import { followedAt, judgedAt, kernelNamed } from '../../../src/kernels/catalogue/index.js'
import { field, prime } from '../../../src/numerics/field.js'
import { check } from '../../../src/semantics/verdict/check.js'
import { readTensor } from '../../../src/semantics/execution/launch.js'
import { cutDown, judging, mutantsOf } from '../../../src/semantics/mutation/index.js'
import { lazy, seeded } from '../../../src/semantics/execution/policy.js'
import { options } from '../../semantics/mutation/settings.js'
import { nightly } from '../../extent.js'
import { right } from '../../either.js'

const base: KvPipelineKernel = {
  kv: 64,
  headDim: 64,
  blockKv: 16,
  stages: 3,
  rings: 'shared',
  release: 'commit',
  dtype: 'f16',
}
const p = BigInt(prime)

describe('law 1: the sums', () => {
  test.each([
    base,
    { ...base, kv: 16 },
    { ...base, kv: 32, stages: 2 },
    { ...base, kv: 80, stages: 5, dtype: 'bf16' as const },
    { ...base, kv: 80, stages: 4, rings: 'separate' as const },
    { ...base, kv: 96, blockKv: 32, headDim: 128 },
  ])('kv $kv, $stages slots, $rings, tiles of $blockKv x $headDim', (c) => {
    const algebra = field(5)
    const of = (tensor: number, rows: number): Float64Array =>
      Float64Array.from({ length: rows * c.headDim }, (_, i) => algebra.element(tensor, i))
    const [q, k, v] = [of(0, 128), of(1, c.kv), of(2, c.kv)]
    const tensors = new Map([
      ['q', q],
      ['k', k],
      ['v', v],
    ])
    const { verdict, world, machine } = right(
      check(right(kvPipelineKernel(c)), {
        ...options,
        algebra,
        arguments: { scalars: new Map(), tensors },
      }),
    )
    expect([verdict.verdict, verdict.reason]).toEqual([
      'ok',
      'no hazards in any schedule (conditions C1-C6 hold, so one run is enough)',
    ])
    const some = [0, 1, 77, 127]
    for (const [name, x] of [
      ['qk', k],
      ['qv', v],
    ] as const) {
      const out = readTensor(world, machine, name)!
      for (const i of some)
        for (let j = 0; j < c.blockKv; j++) {
          let sum = 0n
          for (let row = j; row < c.kv; row += c.blockKv)
            for (let d = 0; d < c.headDim; d++)
              sum += BigInt(q[i * c.headDim + d]!) * BigInt(x[row * c.headDim + d]!)
          expect(out[i * c.blockKv + j]).toBe(Number(sum % p))
        }
    }
  })
})

describe('law 2: a slot that is given back when its products are issued', () => {
  test.each([
    [1, 3, 'ok'],
    [2, 4, 'ok'],
    [2, 3, 'hazard'],
    [4, 3, 'hazard'],
  ] as const)('%i tiles of keys on %i slots: %s', (tiles, stages, verdict) => {
    const program = right(kvPipelineKernel({ ...base, kv: 16 * tiles, stages, release: 'arrive' }))
    for (const policy of nightly ? [options.policy, lazy, seeded(3)] : [options.policy, seeded(3)]) {
      const got = right(check(program, { ...options, policy })).verdict
      expect(got.verdict).toBe(verdict)
      if (verdict === 'hazard') expect(got.findings.map((f) => f.id)).toContain('W2')
    }
  })
})

test('what is no ring, or no tile, is refused', () => {
  for (const [c, text] of [
    [{ stages: 1 }, /stages is 1/],
    [{ stages: 3, rings: 'separate' as const }, /stages is 3/],
    [{ kv: 24 }, /kv is 24/],
    [{ blockKv: 24 }, /blockKv is 24/],
    [{ headDim: 96 }, /headDim is 96/],
  ] as const) {
    const made = kvPipelineKernel({ ...base, ...c })
    expect(made._tag === 'Left' ? made.left.message : 'accepted').toMatch(text)
  }
})

test('mutants: killed by name, or equivalent by certificate', () => {
  const kernel = right(kernelNamed('kv-pipeline'))
  const { program } = right(judgedAt(kernel))
  const judge = judging(
    program,
    options,
    followedAt(kernel).map((i) => cutDown(i.program, options)),
  )
  const mutants = mutantsOf(program)
  expect(mutants.length).toBeGreaterThan(250)
  const wrong = mutants
    .filter((_, i) => i % (nightly ? 16 : 160) === 0)
    .map(judge)
    .filter((j) => (j.fate === 'killed' ? !j.named : j.certificate === null))
  expect(wrong.map((j) => `${j.mutant.key}: ${j.verdict} ${j.ids.join()}`)).toEqual([])
})
