/** What runs really load: their boxes, cluster by cluster and tile by tile, are those of the visiting order. */
import { describe, expect, it } from 'vitest'
import { instanceOf, kernelNamed, type Settings } from '../../../src/kernels/catalogue/index.js'
import { loadsOf, type Load } from '../../../src/kernels/traffic/observed.js'
import { footprints } from '../../../src/kernels/traffic/footprint.js'
import { lru, type Request } from '../../../src/kernels/traffic/lru.js'
import {
  columns,
  rows,
  snake,
  visitingOrder,
  wavesOf,
  type Order,
  type TileGrid,
} from '../../../src/kernels/traffic/visiting-order.js'
import { unit } from '../../../src/numerics/unit.js'
import { launch, noArguments } from '../../../src/semantics/execution/launch.js'
import type { Header, LogEvent } from '../../../src/semantics/log/events.js'
import * as Policy from '../../../src/semantics/execution/policy.js'
import type { Program } from '../../../src/semantics/language/program.js'
import { collect, run, settings } from '../../../src/semantics/execution/run.js'
import { asSpans } from '../../../src/semantics/log/events.js'
import { nightly } from '../../extent.js'
import { right } from '../../either.js'

interface Ran {
  readonly header: Header
  readonly events: ReadonlyArray<LogEvent>
}
const logOf = (program: Program, resident?: number, policy: Policy.AnyPolicy = Policy.eager): Ran => {
  const { world, machine } = right(
    launch(program, unit, resident === undefined ? noArguments : { ...noArguments, resident }),
  )
  return { header: world.header, events: run(world, machine, settings(policy), collect).result }
}
const programOf = (kernel: string, given: Settings): Program =>
  right(instanceOf(right(kernelNamed(kernel)), given, [])).program

/** `a[0:128, 64:128]` */
const text = (l: Load): string => `${l.tensor}[${l.rows.join(':')}, ${l.columns.join(':')}]`

interface Cut {
  readonly grid: TileGrid
  readonly tile: readonly [m: number, n: number, k: number]
  readonly steps: number
  readonly clusters: number
}
/** What cluster c must load, in its order: for every tile of its own and every step the box of `a` and the box of `b`. */
const expected = (cut: Cut, order: Order): ReadonlyArray<ReadonlyArray<string>> => {
  const [tm, tn, tk] = cut.tile
  const waves = right(wavesOf(cut.clusters)(right(visitingOrder(cut.grid, order))))
  return Array.from({ length: cut.clusters }, (_, c) =>
    waves.flatMap((wave) => {
      const place = wave[c]
      return place === undefined
        ? []
        : Array.from({ length: cut.steps }, (_unused, k) => k).flatMap((k) => [
            `a[${[place[0] * tm, (place[0] + 1) * tm].join(':')}, ${[k * tk, (k + 1) * tk].join(':')}]`,
            `b[${[k * tk, (k + 1) * tk].join(':')}, ${[place[1] * tn, (place[1] + 1) * tn].join(':')}]`,
          ])
    }),
  )
}
const byCluster = (loads: ReadonlyArray<Load>, clusters: number): ReadonlyArray<ReadonlyArray<string>> =>
  Array.from({ length: clusters }, (_, c) => loads.filter((l) => l.cluster === c).map(text))

const areBoxes = (loads: ReadonlyArray<Load>): void => {
  for (const l of loads) expect(l.elements).toBe((l.rows[1] - l.rows[0]) * (l.columns[1] - l.columns[0]))
}

describe('one tile a cluster: the launch itself is the order, row by row', () => {
  it.each(['hopper-matmul', 'matmul0'])('%s', (kernel) => {
    const program = programOf(kernel, {
      m: 256,
      n: 384,
      k: 192,
      tileM: 128,
      tileN: 128,
      tileK: 64,
      stages: 2,
    })
    const cut: Cut = { grid: [2, 3], tile: [128, 128, 64], steps: 3, clusters: 6 }
    for (const resident of [undefined, 6, 3]) {
      const { header, events } = logOf(program, resident)
      const loads = loadsOf(header, events)
      areBoxes(loads)
      expect(byCluster(loads, 6)).toEqual(expected(cut, rows))
    }
  })
})

describe('a persistent grid of pairs: the visiting order, cluster by cluster', () => {
  // (m, n) tiles of 256 x 32 for a pair of blocks, three steps
  const given = ([m, n]: TileGrid, clusters: number): Settings => ({
    ...{ m: 256 * m, n: 32 * n, k: 48, tileM: 128, tileN: 16, tileK: 16, stages: 2, epilogueTileN: 16 },
    clusters,
  })
  const cutOf = (grid: TileGrid, clusters: number): Cut => ({
    grid,
    tile: [256, 32, 16],
    steps: 3,
    clusters,
  })
  const grids: ReadonlyArray<readonly [TileGrid, clusters: number]> = [
    [[1, 1], 1],
    [[2, 3], 2],
    [[3, 5], 4],
    ...(nightly ? [[[4, 4], 4] as const] : []),
  ]
  const snakes: ReadonlyArray<readonly [minor: 0 | 1, width: number]> = nightly
    ? ([0, 1] as const).flatMap((minor) => [1, 2, 3, 4, 5].map((width) => [minor, width] as const))
    : [
        [0, 2],
        [1, 3],
      ]
  const observed = (kernel: string, settings: Settings, cut: Cut, order: Order): void => {
    const { header, events } = logOf(programOf(kernel, settings))
    const loads = loadsOf(header, events)
    areBoxes(loads)
    // each block of the pair copies half
    expect(new Set(loads.map((l) => l.parts))).toEqual(new Set([2]))
    expect(byCluster(loads, cut.clusters)).toEqual(expected(cut, order))
  }
  it.each(grids)('matmul4 and matmul5, %j tiles on %d clusters: row by row', (grid, clusters) => {
    for (const kernel of ['matmul4', 'matmul5'])
      observed(kernel, given(grid, clusters), cutOf(grid, clusters), rows)
  })
  it.each(grids)('matmul6, %j tiles on %d clusters: a snake', (grid, clusters) => {
    for (const [gridMinorDim, gridTileWidth] of snakes)
      observed(
        'matmul6',
        { ...given(grid, clusters), gridMinorDim, gridTileWidth },
        cutOf(grid, clusters),
        snake(gridMinorDim, gridTileWidth),
      )
  })

  it('clusters that run together, in turns: their waves are those of the order, and a cache gains by the snake', () => {
    const [grid, clusters] = [[4, 4], 4] as const
    const caught = (kernel: string, more: Settings, order: Order): ReadonlyArray<number> => {
      const { header, events } = logOf(
        programOf(kernel, { ...given(grid, clusters), ...more }),
        clusters,
        Policy.roundRobin,
      )
      const loads = loadsOf(header, events)
      const cut = cutOf(grid, clusters)
      expect(byCluster(loads, clusters)).toEqual(expected(cut, order))
      // wave w: what each cluster does w-th
      const waves = footprints({ a: 1, b: 1 }, right(wavesOf(clusters)(right(visitingOrder(grid, order)))))
      const perTile = 2 * cut.steps
      waves.forEach((wave, w) => {
        const read = Array.from({ length: clusters }, (_, c) =>
          loads.filter((l) => l.cluster === c).slice(w * perTile, (w + 1) * perTile),
        ).flat()
        const panels = (tensor: string, from: (l: Load) => number): number =>
          new Set(read.filter((l) => l.tensor === tensor).map(from)).size
        expect([panels('a', (l) => l.rows[0]), panels('b', (l) => l.columns[0])]).toEqual([
          wave.rows.length,
          wave.columns.length,
        ])
      })
      // every load as one request, in the order of the log: no clusters that keep pace are supposed
      const numbers = new Map<string, number>()
      const requests = loads.map((l): Request => {
        const known = numbers.get(text(l)) ?? numbers.size
        numbers.set(text(l), known)
        // counted in blocks, as if both operands had blocks of one size
        return { block: known, bytes: 1 }
      })
      const all = 8 * cut.steps
      expect(lru(all, requests).misses).toBe(all)
      return [4, 6, 8].map((blocks) => lru(blocks, requests).misses)
    }
    const snaking = caught('matmul6', { gridMinorDim: 0, gridTileWidth: 2 }, snake(0, 2))
    const columnwise = caught('matmul6', { gridMinorDim: 0, gridTileWidth: 4 }, columns)
    const rowwise = caught('matmul5', {}, rows)
    // 16 tiles and 3 steps: at least 24 blocks, asked for 96 times
    for (const other of [columnwise, rowwise])
      snaking.forEach((misses, k) => expect(misses).toBeLessThan(other[k]!))
  })
})

describe('boxes', () => {
  const header = (shape: readonly [number, number], strides: readonly [number, number]): Header => ({
    ...logOf(programOf('hopper-matmul', { m: 64, n: 64, k: 64 })).header,
    ctas: 2,
    resident: 1,
    agents: [0, 1].map((cta) => ({ name: 'loader', cta, warps: 1, starts: true })),
    planes: [{ space: 'gmem', name: 't', bytes: 4096, initialised: true }],
    tensors: [{ name: 't', plane: 0, dtype: 'f16', shape, strides }],
  })
  const load = (operation: number, agent: number, spans: ReadonlyArray<number>): ReadonlyArray<LogEvent> => {
    const stamp = { agent, at: 1, site: 0, iteration: [7] }
    const footprint = {
      id: operation,
      plane: 0,
      spans: asSpans(Int32Array.from(spans)),
      dtype: 'f16',
      map: { _tag: 'scatter', shape: [1], offsets: Int32Array.of(0), by: 0 },
    } as const
    return [
      { _tag: 'issue', stamp, operation, unit: 'tmaLoad', bytes: 0, macs: 0, accumulates: false },
      { _tag: 'perform', operation, stage: 'write', part: 0 },
      { _tag: 'access', stamp, operation, rw: 'r', proxy: 'async', footprint, role: 'source', atomic: false },
    ]
  }
  const begun: LogEvent = { _tag: 'cluster', id: 3 }
  it('rows 2 and 3, columns 4 to 7 of (8, 16), 2 bytes each; the other way round where columns lie together', () => {
    const spans = [2 * 32 + 8, 2 * 32 + 16, 3 * 32 + 8, 3 * 32 + 16]
    const found = { cluster: 3, tensor: 't', iteration: [7], elements: 8, parts: 1 }
    expect(loadsOf(header([8, 16], [16, 1]), [begun, ...load(0, 0, spans)])).toEqual([
      { ...found, rows: [2, 4], columns: [4, 8] },
    ])
    expect(loadsOf(header([16, 8], [1, 16]), [begun, ...load(0, 0, spans)])).toEqual([
      { ...found, rows: [4, 8], columns: [2, 4] },
    ])
  })
  it('whole rows are one span', () => {
    expect(loadsOf(header([8, 16], [16, 1]), [begun, ...load(0, 0, [64, 160])])).toMatchObject([
      { rows: [2, 5], columns: [0, 16], elements: 48 },
    ])
  })
  it('the parts of two CTAs are one load, that of another iteration or of later clusters is not', () => {
    const h = header([8, 16], [16, 1])
    const both = [...load(0, 0, [0, 8]), ...load(1, 1, [8, 16])]
    expect(loadsOf(h, [begun, ...both])).toMatchObject([
      { rows: [0, 1], columns: [0, 8], elements: 8, parts: 2 },
    ])
    const later = [begun, ...both, { _tag: 'cluster', id: 4 } as const, ...load(0, 0, [0, 8])]
    expect(loadsOf(h, later).map((l) => [l.cluster, l.parts])).toEqual([
      [3, 2],
      [4, 1],
    ])
  })
  it('a statement that is reached again with the same iteration loads again', () => {
    const h = header([8, 16], [16, 1])
    const twice = [
      ...load(0, 0, [0, 8]),
      ...load(1, 0, [32, 40]),
      ...load(2, 1, [8, 16]),
      ...load(3, 1, [40, 48]),
    ]
    expect(loadsOf(h, [begun, ...twice]).map((l) => [l.rows[0], l.columns[1], l.parts])).toEqual([
      [0, 8, 2],
      [1, 8, 2],
    ])
  })
  it('a load that never reads and a tensor of another rank are left out', () => {
    const h = header([8, 16], [16, 1])
    expect(loadsOf(h, [begun, load(0, 0, [0, 8])[0]!])).toEqual([])
    const flat = { ...h, tensors: [{ ...h.tensors[0]!, shape: [128], strides: [1] }] }
    expect(loadsOf(flat, [begun, ...load(0, 0, [0, 8])])).toEqual([])
  })
})
