import { expect, test } from 'vitest'
import * as C from '../../../src/layouts/tensor-memory/copy-shape.js'
import { range } from '../captured.js'
import { byModes } from './bases.js'

/** CuTe: a lane's row, ((lane modes)):((strides in rows)); a broadcast has stride 0. */
const rows: Readonly<Record<C.CopyShape, readonly (readonly [number, number])[]>> = {
  '128x256b': [[128, 1]],
  '128x128b': [[128, 1]],
  '64x128b.warpx2::02_13': [
    [64, 1],
    [2, 0],
  ],
  '64x128b.warpx2::01_23': [
    [32, 1],
    [2, 0],
    [2, 32],
  ],
  '32x128b.warpx4': [
    [32, 1],
    [4, 0],
  ],
  '4x256b': [
    [1, 0],
    [4, 1],
  ],
}

test.each([...C.copyShapes])('laws 1 and 2: %s, all lanes and rows', (shape) => {
  const row = byModes(rows[shape])
  const lanes = shape === '4x256b' ? range(4).map((q) => 32 * q) : range(128)
  // Of 4x256b one lane of each quarter is written.
  expect(lanes.map((lane) => C.rowAt(shape, lane))).toEqual(
    lanes.map((lane) => (shape === '4x256b' ? lane / 32 : row(lane))),
  )
  const copies = lanes.length / C.copyRows(shape)
  for (const r of range(C.copyRows(shape))) {
    const found = C.copyLanes(shape, r)
    expect(found).toEqual(lanes.filter((lane) => C.rowAt(shape, lane) === r))
    expect(found.length).toBe(copies)
    expect(found.slice(1).every((lane, k) => [32, 64].includes(lane - found[k]!))).toBe(true)
  }
  expect(C.rowAt(shape, shape === '4x256b' ? 1 : 128)).toBeNull()
})

test('rows, columns, and what is not confirmed', () => {
  expect(C.copyShapes.map(C.copyRows)).toEqual([128, 128, 64, 64, 32, 4])
  expect(C.copyShapes.map(C.copyColumns)).toEqual([8, 4, 4, 4, 4, 8])
  expect(C.copyShapes.filter((shape) => !C.isConfirmed(shape))).toEqual(['4x256b'])
})
