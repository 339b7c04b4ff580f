/**
 * hopper-pipeline-ws: `emit_pipeline_warp_specialized` around two warpgroups that share a tile. By columns; what JAX's
 * kernel gave on an H100. The laws of every matmul are in `matmul-laws`.
 */
import { describe, expect, test } from 'vitest'
import * as E from 'fp-ts/lib/Either.js'
import { without } from '../../src/kernels/broken/index.js'
import { hopperPipelineWs, type HopperPipelineWs } from '../../src/kernels/hopper/hopper-pipeline-ws.js'
import { checked } from '../dialects/pallas/programs.js'
import { configurations, expectCaptured, expectMatmul } from './hopper-forms.js'
import { nightly } from '../extent.js'
import { right } from '../either.js'

const base: HopperPipelineWs = {
  dtype: 'f16',
  m: 128,
  n: 16,
  k: 112,
  tileM: 128,
  tileN: 16,
  tileK: 16,
  stages: 3,
  split: 'rows',
}

describe('steps and slots', () => {
  test.each(configurations(64, 32).filter((c) => nightly || c.stages === 3))(
    'by columns: $stages slots, k $k of $tileK, $m x $n, $dtype',
    (c) => {
      expectMatmul(hopperPipelineWs, { ...c, split: 'columns' })
    },
  )
})

describe('captured products', () => {
  const tiles = { tileM: 128, tileN: 128, tileK: 64, stages: 3, split: 'rows' } as const
  test('256 x 256 x 256, f16', () => {
    expectCaptured(hopperPipelineWs, 'f16', (sizes) => ({ ...sizes, ...tiles }))
  })
  test.skipIf(!nightly)('512 x 512 x 1024, bf16', () => {
    expectCaptured(hopperPipelineWs, 'bf16', (sizes) => ({ ...sizes, ...tiles }))
  })
})

describe('what matters', () => {
  const p = right(hopperPipelineWs(base))
  test('without the last waits: balanced no longer, which the strict reading says', () => {
    const open = right(without('pipeline.wait drained')(p))
    expect(checked(open, { strict: false }).verdict.verdict).toBe('ok')
    expect(checked(open).verdict.findings.map((f) => f.id)).toContain('U1')
  })
})

test.each<readonly [Partial<HopperPipelineWs>, RegExp]>([
  [{ tileM: 64 }, /^hopper-pipeline-ws: tileM is 64: expected a multiple of 128/],
  [{ split: 'columns' }, /tileN is 16: expected a multiple of 32/],
  [{ tileN: 272, n: 272 }, /multiplies 272 columns at once: expected at most 256/],
  [{ tileK: 8 }, /tileK is 8: expected a multiple of 16/],
  [{ stages: 1 }, /stages is 1: expected 2 to 32/],
  [{ m: 192 }, /m is 192: expected a multiple of tileM, which is 128/],
])('refuses %j', (c, message) => {
  expect(hopperPipelineWs({ ...base, ...c })).toMatchObject(
    E.left({ code: 'kernel.settings', message: expect.stringMatching(message) }),
  )
})
