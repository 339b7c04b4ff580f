/**
 * hopper-ping-pong: two warpgroups that take turns, with odd and even numbers of tiles, fewer tiles than turns, in every order; what JAX's kernel gave on
 * an H100; and they do take turns. The laws of every matmul are in `matmul-laws`.
 */
import { describe, expect, test } from 'vitest'
import * as E from 'fp-ts/lib/Either.js'
import { without } from '../../src/kernels/broken/index.js'
import { hopperPingPong, type HopperPingPong } from '../../src/kernels/hopper/hopper-ping-pong.js'
import { unit } from '../../src/numerics/index.js'
import { launch } from '../../src/semantics/execution/launch.js'
import * as Policy from '../../src/semantics/execution/policy.js'
import type { Program } from '../../src/semantics/language/program.js'
import * as Run from '../../src/semantics/execution/run.js'
import { checked } from '../dialects/pallas/programs.js'
import { expectCaptured, expectMatmul } from './hopper-forms.js'
import { nightly } from '../extent.js'
import { right } from '../either.js'

const base: HopperPingPong = {
  dtype: 'f16',
  m: 64,
  n: 80,
  k: 64,
  tileM: 64,
  tileN: 16,
  tileK: 16,
  stages: 2,
  blocks: 1,
  order: 'row-major',
  gridMinorDim: 'm',
  gridTileWidth: 1,
}

describe('tiles', () => {
  test.each([1, 2, 3, 4, 5, 6])('%i tiles on one block', (tiles) => {
    expectMatmul(hopperPingPong, { ...base, n: 16 * tiles })
  })
  test.each(['m', 'n'] as const)('planar snake along %s, six tiles on two blocks', (gridMinorDim) => {
    const snake = { order: 'planar-snake', gridMinorDim, gridTileWidth: 2 } as const
    expectMatmul(hopperPingPong, { ...base, ...snake, m: 128, n: 48, blocks: 2 })
  })
})

describe('captured products', () => {
  const tiles = { tileM: 128, tileN: 128, tileK: 64, stages: 2 } as const
  test('256 x 256 x 256, f16, four tiles on one block', () => {
    expectCaptured(hopperPingPong, 'f16', (sizes) => ({ ...base, ...sizes, ...tiles }))
  })
  test.skipIf(!nightly)('512 x 512 x 1024, bf16', () => {
    expectCaptured(hopperPingPong, 'bf16', (sizes) => ({ ...base, ...sizes, ...tiles, blocks: 5 }))
  })
})

describe('what matters', () => {
  const p = right(hopperPingPong(base))
  /** Which thread issues, product after product. */
  const issuers = (of: Program, seed: number): string => {
    const l = right(launch(of, unit, { scalars: new Map(), tensors: new Map() }))
    return Run.run(l.world, l.machine, Run.settings(Policy.seeded(seed)), {
      init: () => '',
      observe: (seen: string, e) =>
        e._tag === 'issue' && e.unit === 'wgmma' ? seen + String(e.stamp.agent) : seen,
      finish: (seen) => seen,
    }).result
  }
  const seeds = Array.from({ length: 40 }, (_, i) => i + 1)
  test('they take turns: two products each, under every one of 40 schedules', () => {
    // both rings are full at once, so nothing else holds either of the two
    const two = right(hopperPingPong({ ...base, k: 32 }))
    for (const seed of seeds) expect([seed, issuers(two, seed)]).toEqual([seed, '0011001100'])
    const free = right(without('wait turn')(two))
    expect(seeds.some((seed) => issuers(free, seed) !== '0011001100')).toBe(true)
  })
  test('without `wait turn` the sums are the same, but completions are not waited for', () => {
    const v = checked(right(without('wait turn')(p))).verdict
    expect(v.provenance?.proved).toBe(true)
    expect(v.findings.map((f) => f.id)).toContain('U1')
  })
})

test.each<readonly [Partial<HopperPingPong>, RegExp]>([
  [{ tileM: 32 }, /^hopper-ping-pong: tileM is 32: expected a multiple of 64/],
  [{ stages: 17 }, /stages is 17: expected 2 to 16, two rings/],
  [{ blocks: -1 }, /blocks is -1: expected a positive integer/],
  [{ gridTileWidth: 0.5 }, /gridTileWidth is 0.5: expected a positive integer/],
  [{ tileN: 272, n: 272 }, /multiplies 272 columns at once/],
  [{ k: 72 }, /k is 72: expected a multiple of tileK, which is 16/],
])('refuses %j', (c, message) => {
  expect(hopperPingPong({ ...base, ...c })).toMatchObject(
    E.left({ code: 'kernel.settings', message: expect.stringMatching(message) }),
  )
})
