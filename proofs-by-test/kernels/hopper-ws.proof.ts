/**
 * hopper-ws: two warpgroups that share a tile by rows or by columns. By columns; what JAX's kernel gave on an H100. The laws
 * of every matmul are in `matmul-laws`.
 */
import { describe, expect, test } from 'vitest'
import * as E from 'fp-ts/lib/Either.js'
import { hopperWs, type HopperWs } from '../../src/kernels/hopper/hopper-ws.js'
import { configurations, expectCaptured, expectMatmul } from './hopper-forms.js'
import { nightly } from '../extent.js'

const base: HopperWs = {
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
      expectMatmul(hopperWs, { ...c, split: 'columns' })
    },
  )
})

describe('captured products', () => {
  const tiles = { tileM: 128, tileN: 128, tileK: 64, stages: 3 }
  test.each(['rows', 'columns'] as const)('256 x 256 x 256, f16, by %s', (split) => {
    expectCaptured(hopperWs, 'f16', (sizes) => ({ ...sizes, ...tiles, split }))
  })
  test.skipIf(!nightly).each(['rows', 'columns'] as const)('512 x 512 x 1024, bf16, by %s', (split) => {
    expectCaptured(hopperWs, 'bf16', (sizes) => ({ ...sizes, ...tiles, split }))
  })
})

test.each<readonly [Partial<HopperWs>, RegExp]>([
  [{ tileM: 64 }, /^hopper-ws: tileM is 64: expected a multiple of 128, .* each of two warpgroups/],
  [{ split: 'columns' }, /tileN is 16: expected a multiple of 32/],
  [{ tileN: 272, n: 272 }, /multiplies 272 columns at once: expected at most 256/],
  [{ split: 'columns', tileN: 544, n: 544 }, /multiplies 272 columns at once/],
  [{ tileK: 8 }, /tileK is 8: expected a multiple of 16/],
  [{ stages: 33 }, /stages is 33: expected 2 to 32/],
  [{ m: 192 }, /m is 192: expected a multiple of tileM, which is 128/],
  [{ k: -16 }, /k is -16: expected a positive integer/],
])('refuses %j', (c, message) => {
  expect(hopperWs({ ...base, ...c })).toMatchObject(
    E.left({ code: 'kernel.settings', message: expect.stringMatching(message) }),
  )
})
