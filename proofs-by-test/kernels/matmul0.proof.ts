/**
 * matmul0: for all inputs, for fewer steps than slots, as many, and more; balanced, so that the strict reading finds nothing.
 */
import { describe, expect, test } from 'vitest'
import * as E from 'fp-ts/lib/Either.js'
import { labelsOf, without } from '../../src/kernels/broken/index.js'
import { instanceOf, kernelNamed } from '../../src/kernels/catalogue/index.js'
import { matmul0, type Matmul0 } from '../../src/kernels/blackwell/matmul0.js'
import { naiveMatmul } from '../../src/kernels/reference.js'
import { randomPatterns } from '../../src/kernels/reference-inputs.js'
import { bits, field } from '../../src/numerics/index.js'
import { readTensor } from '../../src/semantics/launch.js'
import * as Policy from '../../src/semantics/policy.js'
import { checked, right } from '../dialects/pallas/programs.js'

const nightly = process.env['TCSPEC_NIGHTLY'] !== undefined

const base: Matmul0 = {
  dtype: 'f16',
  m: 128,
  n: 16,
  k: 112,
  tileM: 128,
  tileN: 16,
  tileK: 16,
  stages: 3,
}

/** Twelve configurations: slots 2, 3, 4 with steps fewer, as many, one more and twice as many and one. */
const twelve: ReadonlyArray<Matmul0> = [2, 3, 4].flatMap((stages) =>
  [stages - 1, stages, stages + 1, 2 * stages + 1].map((steps): Matmul0 => ({
    ...base,
    stages,
    tileK: stages === 3 ? 32 : 16,
    tileN: stages === 4 ? 32 : 16,
    n: 32,
    k: steps * (stages === 3 ? 32 : 16),
    dtype: stages === 4 ? 'bf16' : 'f16',
  })),
)

describe('twelve configurations', () => {
  test.each(twelve)('$stages slots, k $k of $tileK, n $n of $tileN, $dtype', (c) => {
    const p = right(matmul0(c))
    const types = { operand: c.dtype, accumulator: 'f32', out: c.dtype } as const
    // bits: the naive chain, and everything else that a verdict says
    const b = bits('blackwell')
    const inputs = new Map([
      ['a', randomPatterns(c.dtype, 1, 0, c.m * c.k)],
      ['b', randomPatterns(c.dtype, 1, 1, c.k * c.n)],
    ])
    const run = checked(p, {}, b, inputs)
    expect(run.verdict).toMatchObject({
      verdict: 'ok',
      decidedBy: 'one-schedule',
      findings: [],
      notes: [],
      provenance: { proved: true, inOrder: true },
    })
    expect(readTensor(run.world, run.machine, 'out')).toEqual(
      right(naiveMatmul(b, types, c, inputs.get('a')!, inputs.get('b')!)),
    )
    // the field
    const f = field(c.k)
    const elements = (t: number, size: number): Float64Array =>
      Float64Array.from({ length: size }, (_, i) => f.element(t, i))
    const [fa, fb] = [elements(0, c.m * c.k), elements(1, c.k * c.n)]
    const over = checked(
      p,
      { explain: false },
      f,
      new Map([
        ['a', fa],
        ['b', fb],
      ]),
    )
    expect(readTensor(over.world, over.machine, 'out')).toEqual(right(naiveMatmul(f, types, c, fa, fb)))
  })
  test('the tutorial keeps its rule here: as many completions as waits for 1 to 12 steps', () => {
    for (let steps = 1; steps <= 12; steps++) {
      const { verdict } = checked(right(matmul0({ ...base, k: 16 * steps })))
      expect([steps, verdict.verdict, verdict.notes]).toEqual([steps, 'ok', []])
    }
  })
  test(`${nightly ? '200' : '40'} schedules: one digest`, () => {
    const p = right(matmul0(base))
    const seen = Array.from({ length: nightly ? 200 : 40 }, (_, i) => {
      const { verdict } = checked(p, { policy: Policy.seeded(i + 1) })
      return `${verdict.verdict} ${verdict.decidedBy} ${verdict.digest.order}`
    })
    expect(new Set(seen).size).toBe(1)
    expect(seen[0]).toMatch(/^ok one-schedule/)
  })
})

describe('what matters', () => {
  const p = right(matmul0(base))
  /** Left out, still right: what one agent says twice, or what one block and one agent do not need. */
  const needless = /\.sync$|^publish barriers$|^relinquish$|^init |^block (starts|ends)$/
  test.each<readonly [string, string, ReadonlyArray<string>]>([
    ['arrive consumed[1]', 'deadlock', ['B5']],
    ['pipeline.wait loaded', 'hazard', ['R1', 'W1']],
    ['tcgen05_mma', 'deadlock', ['B5']],
    ['wait consumed', 'hazard', ['W2', 'M2']],
    ['wait final', 'hazard', ['M2']],
    ['load acc', 'hazard', ['I1']],
    ['load acc.use', 'hazard', ['M3']],
    ['acc_smem[...] = acc', 'hazard', ['I1']],
    ['commit_smem', 'hazard', ['P1']],
    ['copy out', 'hazard', ['O1']],
    ['wait out', 'hazard', ['U2']],
    ['allocate', 'invalid', []],
    ['deallocate', 'hazard', ['T1']],
  ])('without `%s`: %s, %j', (label, verdict, ids) => {
    const v = checked(right(without(label)(p)), { strict: false }).verdict
    expect([v.verdict, v.findings.map((f) => f.id)]).toEqual([verdict, expect.arrayContaining([...ids])])
  })
  test('without `wait_load_tmem`, as printed: a note, and an error with strict', () => {
    const printed = right(without('wait_load_tmem')(p))
    const { verdict } = checked(printed, { strict: false })
    expect([verdict.verdict, verdict.notes.map((f) => [f.id, f.a.site, f.b?.site])]).toEqual([
      'ok',
      [['M3', 'load acc', 'deallocate']],
    ])
    const strictly = checked(printed, { strict: true }).verdict
    expect([strictly.verdict, strictly.findings.map((f) => f.id)]).toEqual(['hazard', ['U2']])
  })
  test('the automatic barriers and the block barriers of one agent order nothing', () => {
    for (const label of labelsOf(p).filter((l) => /\.sync$/.test(l)))
      expect([label, checked(right(without(label)(p))).verdict.verdict]).toEqual([label, 'ok'])
    expect(labelsOf(p).filter((l) => needless.test(l)).length).toBeGreaterThan(10)
  })
})

describe('settings', () => {
  test('the catalogue: nine steps on four slots', () => {
    const kernel = right(kernelNamed('matmul0'))
    expect(right(instanceOf(kernel, {}, [])).settings).toEqual({
      dtype: 'f16',
      m: 256,
      n: 256,
      k: 576,
      tileM: 128,
      tileN: 128,
      tileK: 64,
      stages: 4,
    })
    expect(instanceOf(kernel, { m: 64 }, [])).toMatchObject(
      E.left({ message: expect.stringMatching(/m is 64: expected a multiple of 128/) }),
    )
  })
  test.each<readonly [Partial<Matmul0>, RegExp]>([
    [{ tileM: 64 }, /^matmul0: tileM is 64: expected 128/],
    [{ tileN: 24 }, /tileN is 24: expected a multiple of 16 up to 256, or 512/],
    [{ tileN: 272 }, /tileN is 272/],
    [{ tileK: 8 }, /tileK is 8: expected a multiple of 16/],
    [{ stages: 1 }, /stages is 1: expected 2 to 32/],
    [{ n: 24 }, /n is 24: expected a multiple of tileN, which is 16/],
    [{ k: 0 }, /k is 0: expected a positive integer/],
  ])('refuses %j', (c, message) => {
    expect(matmul0({ ...base, ...c })).toMatchObject(
      E.left({ code: 'kernel.settings', message: expect.stringMatching(message) }),
    )
  })
})
