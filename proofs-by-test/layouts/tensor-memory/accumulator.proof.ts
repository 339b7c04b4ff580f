import { describe, expect, test } from 'vitest'
import * as A from '../../../src/layouts/tensor-memory/accumulator.js'
import type { AccumulatorId } from '../../../src/layouts/tensor-memory/accumulator.js'
import * as Ref from '../../../src/transforms/ref.js'
import { indices, range } from '../captured.js'
import { byModes } from './bases.js'
import { code, right } from '../../either.js'

const lane = 1 << 16
const cta = 1 << 24

/** CuTe: shape:stride of M and of N into column + 2^16 lane + 2^24 CTA. */
const cute: Readonly<
  Record<
    AccumulatorId,
    (n: number) => readonly [(readonly [number, number])[], (readonly [number, number])[]]
  >
> = {
  A: (n) => [
    [
      [128, lane],
      [2, cta],
    ],
    [[n, 1]],
  ],
  B: (n) => [
    [
      [64, lane],
      [2, cta],
    ],
    [
      [n / 2, 1],
      [2, 64 * lane],
    ],
  ],
  C: (n) => [
    [
      [16, lane],
      [4, 32 * lane],
      [2, cta],
    ],
    [[n, 1]],
  ],
  D: (n) => [[[128, lane]], [[n, 1]]],
  E: (n) => [
    [[64, lane]],
    [
      [n / 2, 1],
      [2, 64 * lane],
    ],
  ],
  F: (n) => [
    [
      [16, lane],
      [4, 32 * lane],
    ],
    [[n, 1]],
  ],
  G: (n) => [
    [[32, lane]],
    [
      [n / 4, 1],
      [4, 32 * lane],
    ],
  ],
}
const rows: Readonly<Record<AccumulatorId, number>> = { A: 256, B: 128, C: 128, D: 128, E: 64, F: 64, G: 32 }

describe.each([...A.accumulatorIds])('%s', (id) => {
  const alignments = id === 'C' || id === 'F' ? ([0, 16] as const) : ([0] as const)
  test.each(alignments.flatMap((a) => [8, 16, 32].map((n) => [a, n] as const)))(
    'laws 1 and 2 with alignment %i, %i columns: CuTe, injective, the inverse, lanes filled',
    (alignment, n) => {
      const acc = right(A.accumulator(id, n, alignment))
      const [m, ctas] = [rows[id], id < 'D' ? 2 : 1]
      expect([acc.m, A.rowsOf(id), A.ctasOf(id)]).toEqual([m, m, ctas])
      const [mModes, nModes] = cute[id](n)
      const [atM, atN] = [byModes(mModes), byModes(nModes)]
      const used = new Set<number>()
      const wrong: unknown[] = []
      for (const [i, j] of indices([m, n])) {
        const cell = A.accumulatorCell(acc, i!, j!)
        const address = cell.column + lane * cell.lane + cta * cell.cta
        const [bi, bj] = A.accumulatorElement(acc, cell) ?? []
        if (address !== atM(i!) + atN(j!) + alignment * lane || bi !== i || bj !== j) wrong.push([i, j, cell])
        used.add(address)
      }
      expect(wrong).toEqual([])
      expect(used.size).toBe(m * n)
      const columns = A.columnsOf(acc)
      expect(used.size).toBe(ctas * columns * (id === 'C' || id === 'F' ? 64 : 128))
      // Cells without an element.
      for (const [c, l] of indices([ctas, 128])) {
        const cell = { cta: c!, lane: l!, column: columns - 1 }
        expect(A.accumulatorElement(acc, cell) === null).toBe(!used.has(columns - 1 + lane * l! + cta * c!))
      }
      expect(A.accumulatorElement(acc, { cta: 0, lane: alignment, column: columns })).toBeNull()
      expect(A.accumulatorElement(acc, { cta: ctas, lane: alignment, column: 0 })).toBeNull()
    },
  )
})

test('which data path a product takes', () => {
  const modes = ['one', 'pair', 'pair-sparse', 'ws'] as const
  expect(modes.map((mode) => [32, 64, 128, 256].map((m) => A.accumulatorIdOf(m, mode)))).toEqual([
    [null, 'F', 'D', null],
    [null, null, 'B', 'A'],
    [null, null, 'C', 'A'],
    ['G', 'E', 'D', null],
  ])
  expect(A.accumulatorIds.filter((id) => !A.isConfirmed(id))).toEqual(['C'])
})

test('refused', () => {
  expect(code(A.accumulator('D', 0))).toBe('tmem.accumulator-n')
  expect(code(A.accumulator('D', 8.5))).toBe('tmem.accumulator-n')
  expect(A.accumulatorIds.map((id) => code(A.accumulator(id, 1)))).toEqual(
    A.accumulatorIds.map((id) => ('BEG'.includes(id) ? 'tmem.accumulator-n' : null)),
  )
  expect(code(A.accumulator('G', 6))).toBe('tmem.accumulator-n')
  expect(code(A.accumulator('B', 6))).toBeNull()
  expect(A.accumulatorIds.map((id) => code(A.accumulator(id, 8, 16)))).toEqual(
    A.accumulatorIds.map((id) => ('CF'.includes(id) ? null : 'tmem.accumulator-alignment')),
  )
})

describe('left operands in tensor memory', () => {
  const cells = (
    m: number,
    pair: boolean,
    bits: number,
    i: number,
    k: number,
  ): readonly (readonly number[])[] =>
    right(A.leftOperandCells({ m, pair, bits }, i, k)).map((c) => [c.cta, c.lane, c.column, c.part])

  test('lanes of D; packed columns; a pair with 128 rows has them twice', () => {
    for (const i of range(128)) expect(cells(128, false, 16, i, 5)).toEqual([[0, i, 2, 1]])
    for (const i of range(64))
      expect(cells(64, false, 8, i, 7)).toEqual([[0, (i % 16) + 32 * (i >> 4), 1, 3]])
    for (const i of range(256)) expect(cells(256, true, 32, i, 7)).toEqual([[i >> 7, i % 128, 7, 0]])
    for (const i of range(128))
      expect(cells(128, true, 4, i, 9)).toEqual([
        [i >> 6, i % 64, 1, 1],
        [i >> 6, (i % 64) + 64, 1, 1],
      ])
  })

  test('refused', () => {
    const operand = (m: number, pair: boolean, bits: number): string | null =>
      code(A.leftOperandCells({ m, pair, bits }, 0, 0))
    expect([4, 8, 16, 32, 64, 6].map((bits) => operand(128, false, bits))).toEqual([
      null,
      null,
      null,
      null,
      'tmem.operand-bits',
      'tmem.operand-bits',
    ])
    expect([32, 64, 128, 256].map((m) => operand(m, false, 16))).toEqual([
      'tmem.operand-m',
      null,
      null,
      'tmem.operand-m',
    ])
    expect([32, 64, 128, 256].map((m) => operand(m, true, 16))).toEqual([
      'tmem.operand-m',
      'tmem.operand-m',
      null,
      null,
    ])
    expect(A.leftOperandCells({ m: 32, pair: true, bits: 8 }, 0, 0)).toMatchObject({
      left: { message: expect.stringContaining('128 or 256 rows for a pair') },
    })
  })
})

test('law 3: the halves of a pair', () => {
  expect([A.pairShare(256, 128, 0), A.pairShare(256, 128, 1)]).toEqual([
    { rows: [0, 128], columnsOfB: [0, 64] },
    { rows: [128, 256], columnsOfB: [64, 128] },
  ])
  // The rows of a share are those that data paths A and B put in that CTA.
  for (const id of ['A', 'B'] as const) {
    const acc = right(A.accumulator(id, 8))
    for (const i of range(acc.m)) {
      const { cta: v } = A.accumulatorCell(acc, i, 0)
      const [from, to] = A.pairShare(acc.m, 8, v === 0 ? 0 : 1).rows
      expect(from <= i && i < to).toBe(true)
    }
  }
})

test('law 4: the views give every element its cell', () => {
  const wrong: unknown[] = []
  for (const id of A.accumulatorIds)
    for (const alignment of id === 'C' || id === 'F' ? ([0, 16] as const) : ([0] as const))
      for (const bits of [16, 32] as const) {
        const acc = right(A.accumulator(id, 32, alignment))
        const rows = acc.m / A.ctasOf(id)
        const ref = right(Ref.check(A.accumulatorRef(acc, bits)))
        const addresses = Ref.swizzledAddresses(ref, 0)
        for (let i = 0; i < rows; i++)
          for (let j = 0; j < 32; j++) {
            const { lane, column } = A.accumulatorCell(acc, i, j)
            if (addresses[i * 32 + j] !== lane * 2048 + column * 4) wrong.push([id, bits, i, j])
          }
      }
  for (const [m, pair] of [
    [64, false],
    [128, false],
    [128, true],
    [256, true],
  ] as const)
    for (const bits of [8, 16, 32]) {
      const options = { m, pair, bits }
      const ref = right(Ref.check(right(A.leftOperandRef(options, 16))))
      const addresses = Ref.swizzledAddresses(ref, 0)
      for (let i = 0; i < ref.shape[0]!; i++)
        for (let j = 0; j < 16; j++) {
          const { lane, column, part } = right(A.leftOperandCells(options, i, j))[0]!
          if (addresses[i * 16 + j] !== lane * 2048 + column * 4 + (part * bits) / 8)
            wrong.push([m, pair, bits, i, j])
        }
    }
  expect(wrong).toEqual([])
})
