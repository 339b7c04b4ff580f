import { describe, expect, test } from 'vitest'
import type { Tile } from '../../src/transforms/tile.js'
import {
  baseTile,
  canonicalTiling,
  dimensionChains,
  isTiling,
  tileIndex,
  tileShape,
  tileStrides,
  tiledRank,
  tiling,
  untileIndex,
  untileShape,
} from '../../src/transforms/tile.js'
import { permutation } from '../../src/transforms/transpose.js'
import { ravel, rowMajorStrides, showShape, sizeOf, unravel } from '../../src/transforms/shape.js'
import { indices, range } from './captured.js'
import { code, right } from '../either.js'

type Case = readonly [shape: readonly number[], levels: readonly Tile[], tiled: readonly number[]]

const cases: readonly Case[] = [
  [[16, 128], [[8, 64]], [2, 2, 8, 64]],
  [
    [64, 16],
    [
      [64, 8],
      [8, 8],
    ],
    [1, 2, 8, 1, 8, 8],
  ],
  [
    [128, 16],
    [[64, 8], [16, 8], [8, 8], [2]],
    [2, 2, 4, 1, 2, 1, 8, 4, 2],
  ],
  [[3, 6, 4], [[3, 2]], [3, 2, 2, 3, 2]],
  [
    [3, 6, 4],
    [[6, 4], [3, 2], [1]],
    [3, 1, 1, 2, 2, 3, 2, 1],
  ],
  [[12], [[6], [3], [1]], [2, 2, 3, 1]],
  [
    [4, 4],
    [
      [2, 2],
      [1, 2],
    ],
    [2, 2, 2, 1, 1, 2],
  ],
]

/** Division with remainder, one level, written without the library. */
const cutOnce = (tile: readonly number[], index: readonly number[]): readonly number[] => {
  const head = index.length - tile.length
  const quotients: number[] = []
  const remainders: number[] = []
  tile.forEach((t, k) => {
    let q = 0
    let rest = index[head + k]!
    while (rest >= t) {
      rest -= t
      q++
    }
    quotients.push(q)
    remainders.push(rest)
  })
  return [...index.slice(0, head), ...quotients, ...remainders]
}

describe.each(cases.map((c) => [`${showShape(c[0])} by ${c[1].map(showShape).join('')}`, c] as const))(
  '%s',
  (_, [shape, levels, tiled]) => {
    const t = right(tiling(levels))

    test('law 2: shapes, both ways', () => {
      expect(right(tileShape(t)(shape))).toEqual(tiled)
      expect(right(untileShape(t)(tiled))).toEqual(shape)
      expect(baseTile(t)).toEqual(levels[0])
      expect(tiledRank(t)).toBe(levels[0]!.length)
    })

    test('laws 1 and 3: indices, both ways, and a bijection', () => {
      const images = new Set<string>()
      for (const index of indices(shape)) {
        const expected = levels.reduce((i, tile) => cutOnce(tile, i), index)
        expect(tileIndex(t)(index)).toEqual(expected)
        expect(untileIndex(t)(expected)).toEqual(index)
        expect(expected.every((i, k) => i < tiled[k]!)).toBe(true)
        images.add(expected.join())
      }
      expect(images.size).toBe(sizeOf(tiled))
      for (const index of indices(tiled)) expect(tileIndex(t)(untileIndex(t)(index))).toEqual(index)
    })

    test('law 4: strides', () => {
      const strides = shape.map((_, k) => 1000 ** k + 7 * k)
      const dot = (a: readonly number[], b: readonly number[]): number =>
        a.reduce((sum, x, k) => sum + x * b[k]!, 0)
      const physical = tileStrides(t)(strides)
      for (const index of indices(shape)) expect(dot(tileIndex(t)(index), physical)).toBe(dot(index, strides))
    })

    test('law 1: the chain of a dimension is its quotients and last remainder', () => {
      const strides = rowMajorStrides(shape)
      const physical = tileStrides(t)(strides)
      dimensionChains(shape.length, levels).forEach((chain, d) => {
        expect(chain.reduce((product, k) => product * tiled[k]!, 1)).toBe(shape[d])
        expect(physical[chain[chain.length - 1]!]).toBe(strides[d])
      })
    })
  },
)

test('law 1: (128, 128) by (8, 64), by hand', () => {
  const t = right(tiling([[8, 64]]))
  expect(right(tileShape(t)([128, 128]))).toEqual([16, 2, 8, 64])
  const offset = ravel([16, 2, 8, 64])
  for (const i of range(128))
    for (const j of range(128))
      expect(offset(tileIndex(t)([i, j]))).toBe(((i >> 3) * 2 + (j >> 6)) * 512 + (i % 8) * 64 + (j % 64))
})

describe('canonical form', () => {
  const extents = [1, 2, 4]
  const tiles: readonly Tile[] = [
    ...extents.map((a) => [a]),
    ...extents.flatMap((a) => extents.map((b) => [a, b])),
  ]
  const lists: readonly (readonly Tile[])[] = tiles.flatMap((a) => [
    [a],
    ...tiles.flatMap((b) => [[a, b], ...tiles.map((c) => [a, b, c])]),
  ])
  const tilings = lists.filter(isTiling).filter((t) => code(tileShape(t)(t[0]!)) === null)

  test('law 5: idempotent (every legal tiling of up to three tiles with extents 1, 2, 4)', () => {
    expect(tilings.length).toBeGreaterThan(150)
    for (const t of tilings) expect(canonicalTiling(canonicalTiling(t))).toEqual(canonicalTiling(t))
  })

  test('law 6: the longer dimensions and their coordinates stay', () => {
    for (const t of tilings) {
      const c = canonicalTiling(t)
      const shape = [...t[0]!].map((extent) => extent * 2)
      const [before, after] = [right(tileShape(t)(shape)), right(tileShape(c)(shape))]
      const long = (values: readonly number[], extents: readonly number[]): readonly number[] =>
        values.filter((_, k) => extents[k]! > 1)
      expect(long(after, after)).toEqual(long(before, before))
      const [there, here] = [tileIndex(c), tileIndex(t)]
      for (const index of indices(shape)) expect(long(there(index), after)).toEqual(long(here(index), before))
    }
  })

  test('law 6: cases by hand', () => {
    const canonical = (levels: readonly Tile[]): readonly Tile[] => canonicalTiling(right(tiling(levels)))
    expect(
      canonical([
        [8, 8],
        [8, 8],
      ]),
    ).toEqual([[8, 8]])
    expect(
      canonical([
        [8, 8],
        [1, 4],
      ]),
    ).toEqual([[8, 8], [4]])
    expect(
      canonical([
        [8, 8],
        [1, 1],
      ]),
    ).toEqual([[8, 8], [1]])
    expect(canonical([[1, 8], [8]])).toEqual([[1, 8]])
    expect(canonical([[64, 8], [16, 8], [8, 8], [2], [1]])).toEqual([[64, 8], [16, 8], [8, 8], [2], [1]])
  })
})

test('refusals by code', () => {
  expect(code(tiling([]))).toBe('tile.empty')
  expect(code(tiling([[8], []]))).toBe('tile.empty')
  expect(code(tiling([[8, 0]]))).toBe('tile.not-positive')
  expect(code(tiling([[8, -1]]))).toBe('tile.not-positive')
  expect(code(tiling([[1.5]]))).toBe('tile.not-positive')
  expect(code(tiling([[8], [8, 8]]))).toBe('tile.rank-increases')
  expect(isTiling([[8], [8, 8]])).toBe(false)
  const t = right(tiling([[8, 64]]))
  const refused = tileShape(t)([128, 48])
  expect(refused).toMatchObject({
    left: {
      code: 'tile.not-divisible',
      message: 'Tile (8, 64) does not apply to shape (128, 48): dimension 1 is 48, not divisible by 64',
    },
  })
  expect(code(tileShape(t)([64]))).toBe('tile.rank')
  expect(code(tileShape(t)([12, 64]))).toBe('tile.not-divisible')
  expect(code(untileShape(t)([2, 2, 8, 32]))).toBe('tile.not-tiled')
  expect(code(untileShape(t)([8, 64]))).toBe('tile.rank')
  expect(code(permutation([0, 0]))).toBe('transpose.not-a-permutation')
})

test('shapes, laws 1 and 2: ravel and unravel', () => {
  for (const shape of [[], [1], [5], [2, 3], [3, 1, 4], [2, 2, 3, 2]]) {
    expect(sizeOf(shape)).toBe(indices(shape).length)
    indices(shape).forEach((index, position) => {
      expect(ravel(shape)(index)).toBe(position)
      expect(unravel(shape)(position)).toEqual(index)
      expect(index.reduce((sum, i, k) => sum + i * rowMajorStrides(shape)[k]!, 0)).toBe(position)
    })
  }
})
