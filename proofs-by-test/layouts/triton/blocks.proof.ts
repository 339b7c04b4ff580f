/** Tensors dealt to blocks. */
import { expect, test } from 'vitest'
import { identity1D, isSurjective } from '../../../src/layouts/linear/linear-layout.js'
import { blockLayout, dims, overBlocks, shapePerBlock } from '../../../src/layouts/triton/blocks.js'
import { basesByInput } from './readers.js'
import { code, right } from '../../either.js'

test('law 1: shares', () => {
  const share = (cga: readonly (readonly number[])[], shape: readonly number[]): readonly number[] =>
    shapePerBlock(right(blockLayout(cga, shape.length)), shape)
  expect(share([], [8, 4])).toEqual([8, 4])
  expect(
    share(
      [
        [0, 1],
        [1, 0],
      ],
      [1024, 128],
    ),
  ).toEqual([512, 64])
  expect(
    share(
      [
        [1, 0],
        [2, 0],
      ],
      [8, 4],
    ),
  ).toEqual([2, 4])
  expect(share([[0, 0]], [8, 4])).toEqual([8, 4])
  expect(share([[1], [2]], [2])).toEqual([1])
  expect(right(blockLayout(undefined, 2))).toEqual(right(blockLayout([], 2)))
  expect(code(blockLayout([[2, 0]], 2))).toBe('linear.not-surjective')
  expect(dims(3)).toEqual(['dim0', 'dim1', 'dim2'])
})

test('law 2: a tile over the share of a block', () => {
  const tile = identity1D(4, 'lane', 'dim0')
  const over = (cga: readonly (readonly number[])[], extent: number): unknown => {
    const layout = right(overBlocks(tile, cga, [extent]))
    expect(isSurjective(layout)).toBe(true)
    return basesByInput(layout)
  }
  expect(over([[1]], 16)).toEqual({ lane: [[1], [2], [4]], block: [[8]] })
  expect(over([[1], [2]], 8)).toEqual({ lane: [[1], [0]], block: [[2], [4]] })
  expect(over([[1], [2]], 2)).toEqual({ lane: [[0], [0]], block: [[1], [0]] })
})
