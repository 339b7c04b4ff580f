/**
 * hopper-pipelined: what JAX's kernel gave on an H100, and what it refuses. The laws of every matmul are in `matmul-laws`.
 */
import { describe, expect, test } from 'vitest'
import * as E from 'fp-ts/lib/Either.js'
import { hopperPipelined, type HopperPipelined } from '../../src/kernels/hopper/hopper-pipelined.js'
import { expectCaptured } from './hopper-forms.js'
import { nightly } from '../extent.js'

const base: HopperPipelined = {
  dtype: 'f16',
  m: 64,
  n: 16,
  k: 112,
  tileM: 64,
  tileN: 16,
  tileK: 16,
  stages: 3,
}

describe('captured products', () => {
  const tiles = { tileM: 128, tileN: 128, tileK: 64, stages: 3 }
  test('256 x 256 x 256, f16', () => {
    expectCaptured(hopperPipelined, 'f16', (sizes) => ({ ...sizes, ...tiles }))
  })
  test.skipIf(!nightly)('512 x 512 x 1024, bf16', () => {
    expectCaptured(hopperPipelined, 'bf16', (sizes) => ({ ...sizes, ...tiles }))
  })
})

test.each<readonly [Partial<HopperPipelined>, RegExp]>([
  [{ tileM: 32 }, /^hopper-pipelined: tileM is 32: expected a multiple of 64, the rows of one wgmma/],
  [{ tileN: 24 }, /tileN is 24: expected a multiple of 16/],
  [{ tileN: 272, n: 272 }, /multiplies 272 columns at once: expected at most 256/],
  [{ tileK: 8 }, /tileK is 8: expected a multiple of 16/],
  [{ stages: 1 }, /stages is 1: expected 2 to 32/],
  [{ n: 24 }, /n is 24: expected a multiple of tileN, which is 16/],
  [{ k: 0 }, /k is 0: expected a positive integer/],
])('refuses %j', (c, message) => {
  expect(hopperPipelined({ ...base, ...c })).toMatchObject(
    E.left({ code: 'kernel.settings', message: expect.stringMatching(message) }),
  )
})
