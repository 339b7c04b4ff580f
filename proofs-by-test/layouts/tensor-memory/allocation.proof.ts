import { expect, test } from 'vitest'
import * as A from '../../../src/layouts/tensor-memory/allocation.js'
import * as G from '../../../src/layouts/tensor-memory/geometry.js'
import { range } from '../captured.js'
import { code, right } from '../../either.js'

const use = (columns: number, rows: number = 128, collective: boolean = false): A.TensorMemoryUse => ({
  rows,
  columns,
  collective,
})

test('geometry, laws 1 and 2', () => {
  for (const lane of range(128))
    for (const column of [0, 5, 511]) {
      const address = G.addressOf({ lane, column })
      expect([G.laneOf(address), G.columnOf(address)]).toEqual([lane, column])
    }
  expect(G.addressOf({ lane: 33, column: 5 })).toBe(0x00210005)
  expect(range(600).filter(G.isAllocation)).toEqual([32, 64, 128, 256, 512])
  // The powers of two by hand.
  expect([0, 1, 32, 33, 64, 65, 129, 256, 257, 512, 513].map(G.roundToAllocation)).toEqual([
    32,
    32,
    32,
    64,
    64,
    128,
    256,
    256,
    512,
    512,
    null,
  ])
  expect(range(128).map(G.quarterOf)).toEqual([0, 1, 2, 3].flatMap((q) => range(32).map(() => q)))
  expect(range(12).map(G.quarterOfWarp)).toEqual([0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3])
  expect([G.tmemLanes, G.tmemColumns, G.tmemColumnBits, G.tmemLaneBytes, G.tmemQuarterLanes]).toEqual([
    128,
    512,
    32,
    (512 * 32) / 8,
    128 / 4,
  ])
})

test('laws 1 and 2: columns of a kernel', () => {
  // Three packed bf16 refs of 128 x 256.
  expect(right(A.allocate([use(128), use(128), use(128)]))).toEqual({
    starts: [0, 128, 256],
    used: 384,
    allocated: 512,
  })
  expect(right(A.allocate([use(2), use(30)]))).toEqual({ starts: [0, 4], used: 40, allocated: 64 })
  expect(right(A.allocate([use(1)]))).toEqual({ starts: [0], used: 8, allocated: 32 })
  expect(right(A.allocate([]))).toEqual({ starts: [], used: 0, allocated: 0 })
  expect(right(A.allocate([use(509)])).allocated).toBe(512)
  expect(right(A.allocate([use(512)])).allocated).toBe(512)
  expect(code(A.allocate([use(512), use(1)]))).toBe('tmem.columns-limit')
  expect(A.allocate([use(512), use(1)])).toMatchObject({
    left: { message: 'Tensor memory has 512 columns, the refs take 520' },
  })
  for (const columns of range(40)) {
    const { starts, used } = right(A.allocate([use(columns), use(3), use(columns)]))
    expect(starts.every((start) => start % 4 === 0)).toBe(true)
    expect(starts[1]).toBeGreaterThanOrEqual(columns)
    expect(starts[2]).toBe(starts[1]! + 4)
    expect(used % 8).toBe(0)
    expect(used - (starts[2]! + columns)).toBeLessThan(8)
    expect(used).toBeGreaterThanOrEqual(starts[2]! + columns)
  }
})

test('collective throughout or not at all', () => {
  expect(code(A.allocate([use(4, 128, true), use(4, 64, true)]))).toBeNull()
  expect(code(A.allocate([use(4, 128, true), use(4)]))).toBe('tmem.collective-mixed')
  expect(code(A.unionOf([[use(4, 128, false)], [use(4, 128, true)]]))).toBe('tmem.collective-mixed')
})

test('law 3: unions take the columns of the largest group', () => {
  expect(right(A.unionOf([[use(6), use(10)], [use(17)]]))).toEqual(use(20))
  expect(right(A.unionOf([[use(6, 64, true)], [use(10, 64, true), use(10, 64, true)]]))).toEqual(
    use(24, 64, true),
  )
  for (const group of [[use(5)], [use(5), use(9), use(1)]])
    expect(right(A.allocate([right(A.unionOf([group]))])).used).toBe(right(A.allocate(group)).used)
  expect(code(A.unionOf([[use(4)], [use(4), use(4, 64)]]))).toBe('tmem.union-rows')
  expect(right(A.unionOf([]))).toEqual(use(0, 0))
})
