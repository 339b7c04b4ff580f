/** CuTe's thread-value layouts against the captured fragments and the project's own layouts (identities 8, 9, 12, 13, 14). */
import { expect, test } from 'vitest'
import {
  accumulatorPlace,
  scaleAtom,
  tensorMemoryLoad,
  wgmmaAccumulator,
  wgmmaOperand16,
  wgmmaOperand8,
  wgmmaOperandTf32,
} from '../../../src/layouts/cute/fragments.js'
import type { AccumulatorLayout, LoadShape } from '../../../src/layouts/cute/fragments.js'
import type { Layout } from '../../../src/layouts/cute/layout.js'
import { evaluate, modes, size, table as layoutTable } from '../../../src/layouts/cute/layout.js'
import { leaves } from '../../../src/layouts/cute/tree.js'
import { showLayout } from '../../../src/layouts/cute/text.js'
import { elementOf, registersPerLane } from '../../../src/layouts/register-layout.js'
import { WGMMA, WGMMA_8BIT } from '../../../src/layouts/tiled.js'
import { cellOf, accessShape } from '../../../src/layouts/tensor-memory/access-shape.js'
import { fragments } from '../captured.js'
import { extent, image, range } from './readers.js'
import { right } from '../../either.js'

/** (thread, value) to element, out of one table: threads are the faster mode. */
const elements = (l: Layout): ((thread: number, v: number) => number) => {
  const threads = size(modes(l)[0]!)
  const table = image(l)
  return (thread, v) => table[thread + threads * v]!
}

test('law 1: bijections onto the tile', () => {
  for (const [l, k] of [
    [wgmmaAccumulator(8), 8],
    [wgmmaAccumulator(64), 64],
    [wgmmaOperand16, 16],
    [wgmmaOperand8, 32],
    [wgmmaOperandTf32, 8],
  ] as const) {
    expect([...image(l)].sort((a, b) => a - b)).toEqual(range(64 * k))
    expect(modes(l).map(size)).toEqual([128, k / 2])
  }
  expect(right(evaluate(wgmmaAccumulator(8), [6, 3]))).toBe(9 + 64 * 5)
  expect(showLayout(wgmmaAccumulator(8))).toBe('((4,8,4),(2,2,1)):((128,1,16),(64,8,512))')
})

test('law 1: equal to the fragments of an H100', () => {
  const { d_fragments, a_fragments } = fragments()
  let checked = 0
  for (const { n, row_col } of Object.values(d_fragments)) {
    const element = elements(wgmmaAccumulator(n))
    for (let t = 0; t < 128; t++)
      for (let v = 0; v < n / 2; v++) {
        // One list a thread: row, column, row, column ...
        const [row, column] = [row_col[t]![2 * v]!, row_col[t]![2 * v + 1]!]
        if (element(t, v) !== row + 64 * column) expect.fail(`D ${String(n)} ${String(t)} ${String(v)}`)
        checked++
      }
  }
  for (const { k, thread_plus_128_times_element } of Object.values(a_fragments)) {
    const element = elements(k === 16 ? wgmmaOperand16 : k === 32 ? wgmmaOperand8 : wgmmaOperandTf32)
    for (let t = 0; t < 128; t++)
      for (let v = 0; v < k / 2; v++) {
        const e = element(t, v)
        const held = thread_plus_128_times_element[e % 64]![Math.floor(e / 64)]!
        if (held !== t + 128 * v) expect.fail(`A ${String(k)} ${String(t)} ${String(v)}`)
        checked++
      }
  }
  expect(checked).toBeGreaterThan(5000)
})

test('law 2: the register layouts of Mosaic, in register order', () => {
  for (const n of [8, 64, 256]) {
    const element = elements(wgmmaAccumulator(n))
    for (let t = 0; t < 128; t++)
      for (let v = 0; v < n / 2; v++) {
        const [i, j] = elementOf(WGMMA, [64, n], t >> 5, t & 31, v)
        if (element(t, v) !== i! + 64 * j!) expect.fail(`${String(n)} ${String(t)} ${String(v)}`)
      }
  }
  expect(registersPerLane(WGMMA, [64, 16])).toBe(8)
  const held = range(2048).map((i) => elementOf(WGMMA_8BIT, [64, 32], (i % 128) >> 5, i & 31, i >> 7))
  expect(image(wgmmaOperand8)).toEqual(held.map(([i, j]) => i! + 64 * j!))
  expect(wgmmaOperand16).toEqual(wgmmaAccumulator(16))
})

test('law 3: tcgen05.ld, as tensor memory has it', () => {
  const cells: Readonly<Record<LoadShape, readonly [lanes: number, columns: number]>> = {
    '32x32b': [32, 1],
    '16x64b': [16, 2],
    '16x128b': [16, 4],
    '16x256b': [16, 8],
  }
  const shapes: readonly LoadShape[] = ['32x32b', '16x64b', '16x128b', '16x256b']
  for (const shape of shapes)
    for (const num of [1, 2, 8]) {
      const l = tensorMemoryLoad(shape, num)
      const [lanes, columns] = cells[shape]
      const access = right(accessShape(shape, num))
      const seen = new Set<string>()
      const want: (readonly number[])[] = []
      let inside = true
      for (let r = 0; r < extent(l) / 32; r++)
        for (let t = 0; t < 32; t++) {
          const { lane, column } = cellOf(access, { thread: t, register: r })
          want.push([lane, column])
          inside &&= lane < lanes && column < columns * num
          seen.add(`${String(lane)} ${String(column)}`)
        }
      expect(layoutTable(l)).toEqual(want)
      expect([inside, seen.size]).toEqual([true, lanes * columns * num])
    }
})

test('law 4: where accumulators lie', () => {
  const n = 32
  /** PTX's table, by hand: (CTA, lane, column) of row m, column c. */
  const places: Readonly<
    Record<AccumulatorLayout, (m: number, c: number) => readonly [number, number, number]>
  > = {
    A: (m, c) => [m >> 7, m & 127, c],
    B: (m, c) => [m >> 6, (m & 63) + 64 * (c >> 4), c & 15],
    D: (m, c) => [0, m, c],
    E: (m, c) => [0, m + 64 * (c >> 4), c & 15],
    F: (m, c) => [0, (m & 15) + 32 * (m >> 4), c],
    G: (m, c) => [0, m + 32 * (c >> 3), c & 7],
  }
  const rows: Readonly<Record<AccumulatorLayout, number>> = { A: 256, B: 128, D: 128, E: 64, F: 64, G: 32 }
  const ids: readonly AccumulatorLayout[] = ['A', 'B', 'D', 'E', 'F', 'G']
  for (const id of ids) {
    const l = accumulatorPlace(id, n)
    expect(modes(l).map(size)).toEqual([rows[id], n])
    const cells = layoutTable(l).map((cell) => {
      const [lane, column, cta = 0] = leaves(cell)
      return [cta, lane!, column!]
    })
    expect(cells).toEqual(range(rows[id] * n).map((i) => places[id](i % rows[id], Math.floor(i / rows[id]))))
    expect(new Set(cells.map(String)).size).toBe(rows[id] * n)
  }
})

test('law 5: the atom of scale factors (identity 14)', () => {
  for (const block of [16, 32]) {
    const l = scaleAtom(block)
    const bytes = image(l)
    expect(bytes).toEqual(
      bytes.map((_, i) => (i % 32) * 16 + ((i % 128) >> 5) * 4 + Math.floor((i >> 7) / block)),
    )
    expect([bytes.length, new Set(bytes).size]).toEqual([512 * block, 512])
  }
})
