/** matmul0, beyond the laws of every matmul (`matmul-laws/`): what it may do without, and its settings. */
import { describe, expect, test } from 'vitest'
import * as E from 'fp-ts/lib/Either.js'
import { labelsOf, without } from '../../src/kernels/broken/index.js'
import { instanceOf, kernelNamed } from '../../src/kernels/catalogue/index.js'
import { matmul0 } from '../../src/kernels/blackwell/matmul0.js'
import type { TuningConfig } from '../../src/kernels/blackwell/setup.js'
import { checked } from '../dialects/pallas/programs.js'
import { right } from '../either.js'

const base: TuningConfig = {
  dtype: 'f16',
  m: 128,
  n: 16,
  k: 112,
  tileM: 128,
  tileN: 16,
  tileK: 16,
  stages: 3,
}

describe('what it may do without', () => {
  const p = right(matmul0(base))
  /** Left out, still right: what one agent says twice, or what one block and one agent do not need. */
  const needless = /\.sync$|^publish barriers$|^relinquish$|^init |^block (starts|ends)$/
  test('without `wait_load_tmem`, as printed: a note, and an error with strict', () => {
    const printed = right(without('wait_load_tmem')(p))
    const { verdict } = checked(printed, { strict: false })
    expect([verdict.verdict, verdict.notes.map((f) => [f.id, f.a.site, f.b?.site])]).toEqual([
      'ok',
      [['M3', 'load acc', 'deallocate']],
    ])
    const strictly = checked(printed, { strict: true }).verdict
    expect([strictly.verdict, strictly.findings.map((f) => f.id)]).toEqual(['hazard', ['M3']])
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
  test.each<readonly [Partial<TuningConfig>, RegExp]>([
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
