/** Visiting orders: each tile once, waves as nd_loop deals them out, and the tables of the essay. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  bands,
  columns,
  orderName,
  rows,
  snake,
  visitingOrder,
  wavesOf,
  type Order,
  type TileGrid,
  type TilePlace,
} from '../../../src/kernels/traffic/visiting-order.js'
import { right } from '../../either.js'

/** The number of the visit at every place: how the essay's tables are written. */
const picture = (grid: TileGrid, order: Order): ReadonlyArray<ReadonlyArray<number>> => {
  const table = Array.from({ length: grid[0] }, () => Array.from({ length: grid[1] }, () => -1))
  right(visitingOrder(grid, order)).forEach(([m, n], step) => {
    expect(table[m]![n]).toBe(-1)
    table[m]![n] = step
  })
  return table
}
const small: ReadonlyArray<TileGrid> = [1, 2, 3, 4, 5].flatMap((m) =>
  [1, 2, 3, 4, 5].map((n): TileGrid => [m, n]),
)
const widths = [1, 2, 3, 4, 5, 7]
const orders: ReadonlyArray<Order> = [
  rows,
  columns,
  ...widths.flatMap((w) => [snake(0, w), snake(1, w), bands(0, w), bands(1, w)]),
]

describe('orders', () => {
  it('the tables of the essay', () => {
    expect(picture([4, 4], rows)).toEqual([
      [0, 1, 2, 3],
      [4, 5, 6, 7],
      [8, 9, 10, 11],
      [12, 13, 14, 15],
    ])
    expect(picture([4, 4], snake(0, 2))).toEqual([
      [0, 2, 4, 6],
      [1, 3, 5, 7],
      [14, 12, 10, 8],
      [15, 13, 11, 9],
    ])
    expect(picture([4, 4], bands(0, 2))).toEqual([
      [0, 2, 4, 6],
      [1, 3, 5, 7],
      [8, 10, 12, 14],
      [9, 11, 13, 15],
    ])
    // the other minor dimension, a band that is left over
    expect(picture([2, 5], snake(1, 2))).toEqual([
      [0, 1, 6, 7, 8],
      [2, 3, 4, 5, 9],
    ])
  })
  it('law 1: every place once', () => {
    for (const grid of small)
      for (const order of orders) {
        const places = right(visitingOrder(grid, order))
        expect(places).toHaveLength(grid[0] * grid[1])
        // nothing is left without a number, nothing has two
        expect(picture(grid, order).flat()).not.toContain(-1)
      }
  })
  it('law 2: rows and columns, counted; they are snakes as wide as the grid', () => {
    for (const grid of small) {
      expect(picture(grid, rows).flat()).toEqual(Array.from({ length: grid[0] * grid[1] }, (_, k) => k))
      const turned = picture([grid[1], grid[0]], rows)
      expect(picture(grid, columns)).toEqual(
        Array.from({ length: grid[0] }, (_, m) => turned.map((line) => line[m]!)),
      )
      expect(picture(grid, columns)).toEqual(picture(grid, snake(0, grid[0])))
      expect(picture(grid, rows)).toEqual(picture(grid, snake(1, grid[1])))
    }
  })
  it('law 4: the bands of a snake are those of bands, every second one along the major dimension turned round', () => {
    for (const grid of small)
      for (const width of widths)
        for (const minor of [0, 1] as const) {
          const straight = picture(grid, bands(minor, width))
          const turning = picture(grid, snake(minor, width))
          for (let m = 0; m < grid[0]; m++)
            for (let n = 0; n < grid[1]; n++) {
              const odd = Math.floor((minor === 0 ? m : n) / width) % 2 === 1
              const mirrored = minor === 0 ? [m, grid[1] - 1 - n] : [grid[0] - 1 - m, n]
              expect(turning[m]![n]).toBe(odd ? straight[mirrored[0]!]![mirrored[1]!] : straight[m]![n])
            }
        }
  })
  it('what is not positive is refused', () => {
    for (const order of [rows, columns, bands(0, 2), snake(1, 2)])
      for (const grid of [
        [0, 3],
        [3, 0],
        [1.5, 2],
      ] as const)
        expect(visitingOrder(grid, order)).toMatchObject({ left: { code: 'pallas.planar_snake.shape' } })
    for (const width of [0, -1, 1.5])
      for (const order of [bands(0, width), snake(1, width)])
        expect(visitingOrder([4, 4], order)).toMatchObject({
          left: { message: expect.stringContaining(`tile_width is ${String(width)}`) },
        })
  })
  it('names', () => {
    expect([rows, columns, bands(0, 2), snake(1, 4)].map(orderName)).toEqual([
      'rows',
      'columns',
      'bands, minor 0, width 2',
      'snake, minor 1, width 4',
    ])
  })
})

describe('waves', () => {
  it('law 3: cluster c does the steps c, c + C, ...: wave w, position c', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 40 }), fc.integer({ min: 1, max: 9 }), (steps, clusters) => {
        const places = Array.from({ length: steps }, (_, k): TilePlace => [k, 2 * k])
        const waves = right(wavesOf(clusters)(places))
        expect(waves.flat()).toEqual(places)
        for (let c = 0; c < clusters; c++) {
          const mine: TilePlace[] = []
          for (let step = c; step < steps; step += clusters) mine.push(places[step]!)
          expect(waves.flatMap((wave) => (wave[c] === undefined ? [] : [wave[c]]))).toEqual(mine)
        }
        for (const wave of waves.slice(0, -1)) expect(wave).toHaveLength(clusters)
      }),
    )
  })
  it('a number of clusters that is not positive is refused', () => {
    for (const clusters of [0, -2, 0.5])
      expect(wavesOf(clusters)([])).toMatchObject({
        left: {
          code: 'traffic.clusters',
          message: `clusters is ${String(clusters)}, expected a positive integer`,
        },
      })
  })
})
