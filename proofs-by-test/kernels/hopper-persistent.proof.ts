/**
 * hopper-persistent: several tiles a block, in every order, with more tiles than blocks, as many, and fewer; what JAX's kernel gave on an H100. The laws of
 * every matmul are in `matmul-laws`.
 */
import { describe, expect, test } from 'vitest'
import * as E from 'fp-ts/lib/Either.js'
import { without } from '../../src/kernels/broken/index.js'
import { hopperPersistent, type HopperPersistent } from '../../src/kernels/hopper/hopper-persistent.js'
import { checked } from '../dialects/pallas/programs.js'
import { expectCaptured, expectMatmul } from './hopper-forms.js'
import { nightly } from '../extent.js'
import { right } from '../either.js'

const rowMajor = { order: 'row-major', gridMinorDim: 'm', gridTileWidth: 1 } as const
const base: HopperPersistent = {
  dtype: 'f16',
  m: 256,
  n: 48,
  k: 64,
  tileM: 128,
  tileN: 16,
  tileK: 16,
  stages: 3,
  split: 'rows',
  blocks: 2,
  ...rowMajor,
  epilogue: 'overlapped',
}
const orders = [
  rowMajor,
  ...(['m', 'n'] as const).flatMap((gridMinorDim) =>
    [1, 2, 3].map((gridTileWidth) => ({ order: 'planar-snake', gridMinorDim, gridTileWidth }) as const),
  ),
]

describe('orders', () => {
  test.each(orders)('$order $gridMinorDim $gridTileWidth: six tiles on four blocks', (order) => {
    expectMatmul(hopperPersistent, { ...base, ...order, k: 32, blocks: 4 })
  })
  test.each([1, 5, 6, 8])('%i blocks for six tiles, by columns', (blocks) => {
    expectMatmul(hopperPersistent, { ...base, k: 32, n: 96, tileN: 32, split: 'columns', blocks })
  })
})

describe('captured products', () => {
  const tiles = { tileM: 128, tileN: 128, tileK: 64, stages: 3, split: 'rows' } as const
  test('256 x 256 x 256, f16, four tiles on three blocks', () => {
    expectCaptured(hopperPersistent, 'f16', (sizes) => ({ ...base, ...sizes, ...tiles, blocks: 3 }))
  })
  test.skipIf(!nightly)('512 x 512 x 1024, bf16', () => {
    expectCaptured(hopperPersistent, 'bf16', (sizes) => ({ ...base, ...sizes, ...tiles, blocks: 5 }))
  })
})

describe('what matters', () => {
  const cases: ReadonlyArray<readonly [HopperPersistent['epilogue'], string, string, ReadonlyArray<string>]> =
    [['waited', 'wait out', 'hazard', ['W4', 'U2']]]
  test.each(cases)('%s, without `%s`: %s, %j', (epilogue, label, verdict, ids) => {
    const p = right(hopperPersistent({ ...base, epilogue, blocks: 3 }))
    const v = checked(right(without(label)(p))).verdict
    expect([v.verdict, v.findings.map((f) => f.id)]).toEqual([verdict, expect.arrayContaining([...ids])])
  })
})

test.each<readonly [Partial<HopperPersistent>, RegExp]>([
  [{ tileM: 64 }, /^hopper-persistent: tileM is 64: expected a multiple of 128/],
  [{ blocks: 0 }, /blocks is 0: expected a positive integer/],
  [{ blocks: 1.5 }, /blocks is 1.5: expected a positive integer/],
  [{ gridTileWidth: 0 }, /gridTileWidth is 0: expected a positive integer/],
  [{ stages: 1 }, /stages is 1: expected 2 to 32/],
  [{ n: 40 }, /n is 40: expected a multiple of tileN, which is 16/],
])('refuses %j', (c, message) => {
  expect(hopperPersistent({ ...base, ...c })).toMatchObject(
    E.left({ code: 'kernel.settings', message: expect.stringMatching(message) }),
  )
})
