/**
 * movmatrix, and what is known of its result. Oracle: a matrix of 8 x 8 halves of words, of which lane l holds columns 2(l%4) and 2(l%4)+1 of row l/4, turned over element by element.
 */
import { expect, test } from 'vitest'
import { transpose } from '../../../src/semantics/warps/effects/matrices.js'
import { follow, origins } from '../../../src/semantics/warps/origins.js'
import { forget, rows, setLane, wordAt, type Rows } from '../../../src/semantics/warps/rows.js'

const o = { _tag: 'transposeMatrix', from: 0, to: 1 } as const
const lanes = Array.from({ length: 32 }, (_, lane) => lane)
const half = (row: number, column: number): number => 0x100 * row + column + 1
const filled = (r: Rows): Rows => {
  for (const lane of lanes) {
    const [row, column] = [Math.floor(lane / 4), 2 * (lane % 4)]
    setLane(r, 0, lane, half(row, column) | (half(row, column + 1) << 16))
  }
  return r
}

test('rows become columns', () => {
  const r = filled(rows(2, 0, null, null, null, null, null, null))
  transpose(r, o)
  for (const lane of lanes) {
    const [row, column] = [Math.floor(lane / 4), 2 * (lane % 4)]
    expect(wordAt(r, 1, lane)).toBe(half(column, row) | (half(column + 1, row) << 16))
  }
  expect(r.unknown[1]).toBe(0)
})

test('a lane that holds nothing leaves nothing to those that hold its row as a column, and to no other', () => {
  for (const lane of lanes) {
    const r = filled(rows(2, 0, null, null, null, null, null, null))
    forget(r, 0, 1 << lane)
    transpose(r, o)
    const [row, columns] = [Math.floor(lane / 4), [2 * (lane % 4), 2 * (lane % 4) + 1]]
    // element (i, j) of the result is (j, i)
    const without = lanes.filter(
      (to) => columns.includes(Math.floor(to / 4)) && Math.floor(row / 2) === to % 4,
    )
    expect(lanes.filter((to) => ((r.unknown[1]! >>> to) & 1) === 1)).toEqual(without)
  }
})

test('each byte of the result is that of its element', () => {
  const from = origins(2, 0)
  for (const lane of lanes)
    for (let b = 0; b < 4; b++) {
      from.values[4 * lane + b] = 1
      from.bytes[4 * lane + b] = 4 * lane + b
    }
  const r = filled(rows(2, 0, null, from, null, null, null, null))
  follow(r, o, -1, null)
  for (const lane of lanes)
    for (let b = 0; b < 4; b++) {
      // the element of the result that the byte is of, and where it was
      const [i, j] = [Math.floor(lane / 4), 2 * (lane % 4) + Math.floor(b / 2)]
      const source = 4 * (4 * j + Math.floor(i / 2)) + 2 * (i % 2) + (b % 2)
      expect([from.values[128 + 4 * lane + b], from.bytes[128 + 4 * lane + b]]).toEqual([1, source])
    }
})
