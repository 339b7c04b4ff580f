import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import * as A from '../../../src/layouts/tensor-memory/access-shape.js'
import type { AccessShapeName } from '../../../src/layouts/tensor-memory/access-shape.js'
import { indices, range } from '../captured.js'
import { byBases, byModes, log2 } from './bases.js'
import { code, right } from '../../either.js'

interface FragmentCase {
  readonly op: string
  readonly id: string
  readonly inputs: { readonly shape: AccessShapeName; readonly num: number }
  readonly expected: {
    readonly registers: number
    readonly lanes: number
    readonly columns: number
    readonly samples_thread_reg_lane_col: readonly (readonly number[])[]
  }
}

const golden: readonly FragmentCase[] = JSON.parse(
  readFileSync(new URL('../../../conformance/layouts/cute.json', import.meta.url), 'utf8'),
).cases.filter((c: { readonly op: string }) => c.op === 'tmem_ld_fragment')

test.each(golden.map((c) => [c.id, c] as const))('%s: the fragment of CuTe', (_, { inputs, expected }) => {
  const access = right(A.accessShape(inputs.shape, inputs.num))
  expect(A.registersOf(access)).toBe(expected.registers)
  expect(A.lanesOf(access)).toBe(expected.lanes)
  expect(A.columnsOf(access)).toBe(expected.columns)
  for (const [thread, register, lane, column] of expected.samples_thread_reg_lane_col)
    expect(A.cellOf(access, { thread: thread!, register: register! })).toEqual({ lane, column })
})

test('there are given cases', () => {
  expect(golden.length).toBeGreaterThan(3)
})

/** Triton's atoms: bases of register and lane, each (row, column). Repetitions follow in the columns. */
const atoms: Readonly<Record<string, readonly [(readonly number[])[], (readonly number[])[]]>> = {
  '32x32b': [
    [],
    [
      [1, 0],
      [2, 0],
      [4, 0],
      [8, 0],
      [16, 0],
    ],
  ],
  '16x64b': [
    [],
    [
      [8, 0],
      [0, 1],
      [1, 0],
      [2, 0],
      [4, 0],
    ],
  ],
  '16x128b': [
    [[8, 0]],
    [
      [0, 1],
      [0, 2],
      [1, 0],
      [2, 0],
      [4, 0],
    ],
  ],
  '16x256b': [
    [
      [0, 1],
      [8, 0],
    ],
    [
      [0, 2],
      [0, 4],
      [1, 0],
      [2, 0],
      [4, 0],
    ],
  ],
}
const widths: Readonly<Record<string, number>> = { '32x32b': 1, '16x64b': 2, '16x128b': 4, '16x256b': 8 }

describe.each(Object.entries(atoms))('%s', (name, [registers, lanes]) => {
  const shape = A.accessShapeNames.find((s) => s === name)!

  test.each([1, 2, 4, 8])(
    'identity 13 and law 1, x%i: = Triton, a bijection, registerAt its inverse',
    (num) => {
      const access = right(A.accessShape(shape, num))
      const width = widths[name]!
      const triton = byBases([...registers, ...log2(num).map((k) => [0, width << k])], lanes)
      expect(A.registersOf(access)).toBe(num << registers.length)
      expect(A.columnsOf(access)).toBe(width * num)
      expect(A.lanesOf(access)).toBe(name === '32x32b' ? 32 : 16)
      const seen = new Set<number>()
      for (const thread of range(32))
        for (const register of range(A.registersOf(access))) {
          const cell = A.cellOf(access, { thread, register })
          expect([cell.lane, cell.column]).toEqual(triton(register, thread))
          expect(A.registerAt(access, cell)).toEqual({ thread, register })
          seen.add(cell.lane * 1024 + cell.column)
        }
      expect(seen.size).toBe(A.lanesOf(access) * A.columnsOf(access))
      expect(A.registerAt(access, { lane: A.lanesOf(access), column: 0 })).toBeNull()
      expect(A.registerAt(access, { lane: 0, column: A.columnsOf(access) })).toBeNull()
    },
  )
})

test('identity 13: 16x256b is the fragment of a product, CuTe ((4,8),(2,2,N/8)):((2 cols, 1 row),(1 col, 8 rows, 8 cols))', () => {
  const access = right(A.accessShape('16x256b', 4))
  // Into row + 16 column.
  const thread = byModes([
    [4, 32],
    [8, 1],
  ])
  const value = byModes([
    [2, 16],
    [2, 8],
    [4, 128],
  ])
  for (const [t, r] of indices([32, 16])) {
    const { lane, column } = A.cellOf(access, { thread: t!, register: r! })
    expect(lane + 16 * column).toBe(thread(t!) + value(r!))
  }
})

test.each([4, 16, 40])('law 1: 16x32bx2 x4 with a split of %i: two accesses', (split) => {
  const access = right(A.accessShape('16x32bx2', 4, split))
  expect([A.registersOf(access), A.lanesOf(access), A.columnsOf(access)]).toEqual([4, 16, 4])
  for (const [thread, register] of indices([32, 4])) {
    const cell = A.cellOf(access, { thread: thread!, register: register! })
    expect(cell).toEqual({ lane: thread! % 16, column: (thread! < 16 ? 0 : split) + register! })
    expect(A.registerAt(access, cell)).toEqual({ thread, register })
  }
  const moved = range(64).filter((column) => A.registerAt(access, { lane: 3, column }) !== null)
  expect(moved).toEqual([...new Set([...range(4), ...range(4).map((c) => c + split)])].sort((a, b) => a - b))
  expect(A.registerAt(access, { lane: 16, column: 0 })).toBeNull()
})

test('law 2: how often, and what is refused', () => {
  const most = A.accessShapeNames.map((shape) =>
    Math.max(...range(300).filter((num) => code(A.accessShape(shape, num)) === null)),
  )
  expect(most).toEqual([128, 128, 64, 32, 128])
  expect(range(33).filter((num) => code(A.accessShape('16x256b', num)) === null)).toEqual([
    1, 2, 4, 8, 16, 32,
  ])
  expect(code(A.accessShape('32x32b', 0.5))).toBe('tmem.access-num')
  expect(code(A.accessShape('32x32b', 256))).toBe('tmem.access-num')
  expect(code(A.accessShape('32x32b', 3, 1))).toBe('tmem.access-num')
  expect(code(A.accessShape('32x32b', 2, 1))).toBe('tmem.access-split')
  expect(code(A.accessShape('16x32bx2', 2, -1))).toBe('tmem.access-split')
  expect(code(A.accessShape('16x32bx2', 2, 0.5))).toBe('tmem.access-split')
  expect(code(A.accessShape('16x32bx2', 2))).toBeNull()
  expect(A.accessShape('16x256b', 64)).toMatchObject({
    left: { message: '16x256b: expected a power of two from 1 to 32, found 64' },
  })
  expect(A.accessShape('16x32bx2', 2, -1)).toMatchObject({
    left: { message: expect.stringContaining('expected a number of columns from 0') },
  })
  expect(A.accessShape('16x64b', 2, 1)).toMatchObject({
    left: { message: expect.stringContaining('expected no split') },
  })
})

test('packed columns are two neighbours', () => {
  expect(range(3).map(A.packedColumns)).toEqual([
    [0, 1],
    [2, 3],
    [4, 5],
  ])
})
