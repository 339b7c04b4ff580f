import { describe, expect, test } from 'vitest'
import { linearOfTensorMemory } from '../../../src/layouts/conversion/tensor-memory.js'
import { apply } from '../../../src/layouts/linear/linear-layout.js'
import type { TensorMemoryLayout } from '../../../src/layouts/tensor-memory/tensor-memory-layout.js'
import * as Tmem from '../../../src/layouts/tensor-memory/tensor-memory-layout.js'
import { range } from '../captured.js'
import { code, right } from '../../either.js'

const cases: ReadonlyArray<
  readonly [name: string, layout: TensorMemoryLayout, shape: ReadonlyArray<number>]
> = [
  ['default, unpacked', right(Tmem.defaultLayout(1)), [128, 64]],
  ['default, two a column', right(Tmem.defaultLayout(2)), [128, 32]],
  ['default, four a column, two blocks', right(Tmem.defaultLayout(4)), [256, 16]],
  ['half-lane', right(Tmem.halfLane(64, 1)), [64, 64]],
  ['half-lane, packed, two blocks', right(Tmem.halfLane(32, 2)), [64, 64]],
  ['m64 of a pair', right(Tmem.m64Collective(64, 1)), [64, 64]],
  ['scales', Tmem.scales, [128, 4]],
  ['scales, beyond one block', Tmem.scales, [256, 8]],
  ['B scales of a pair', Tmem.bScalesM64Collective, [256, 8]],
  ['sparse metadata', Tmem.sparseMetadata, [128, 32]],
]

describe('layouts of tensor memory as linear layouts', () => {
  test.each(cases)('Law 1: %s', (_, layout, shape) => {
    const parts = Tmem.vectorLength(layout)
    const f = apply(right(linearOfTensorMemory(layout, shape)))
    const wrong = range(128).flatMap((lane) =>
      range(Tmem.columnsOf(layout, shape) * parts).filter((at) => {
        const place = { lane, column: Math.floor(at / parts), part: at % parts }
        return f({ row: lane, col: at }).join() !== Tmem.elementAt(layout, shape, place).join()
      }),
    )
    expect(wrong).toEqual([])
  })

  test('the essay: half_lane(64, 1); Law 2: scales are in all quarters', () => {
    const bases = (layout: TensorMemoryLayout, shape: ReadonlyArray<number>): unknown =>
      right(linearOfTensorMemory(layout, shape)).inputs.map((input) => input.bases)
    expect(bases(right(Tmem.halfLane(64, 1)), [64, 64])).toEqual([
      [
        [1, 0],
        [2, 0],
        [4, 0],
        [8, 0],
        [0, 32],
        [16, 0],
        [32, 0],
      ],
      [
        [0, 1],
        [0, 2],
        [0, 4],
        [0, 8],
        [0, 16],
      ],
    ])
    expect(bases(Tmem.scales, [128, 4])).toEqual([
      [
        [1, 0],
        [2, 0],
        [4, 0],
        [8, 0],
        [16, 0],
        [0, 0],
        [0, 0],
      ],
      [
        [0, 1],
        [0, 2],
        [32, 0],
        [64, 0],
      ],
    ])
  })

  test('refusals', () => {
    expect(code(linearOfTensorMemory(right(Tmem.defaultLayout(1)), [128, 24]))).toBe('conversion.extent')
    expect(code(linearOfTensorMemory(right(Tmem.defaultLayout(1)), [64, 32]))).toBe('layout.shape')
  })
})
