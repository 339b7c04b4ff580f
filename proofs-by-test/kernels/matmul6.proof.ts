/** matmul6: matmul5 but for the order of the tiles, which is the snake's. */
import { describe, expect, test } from 'vitest'
import { matmul5 } from '../../src/kernels/blackwell/matmul5.js'
import { matmul6 } from '../../src/kernels/blackwell/matmul6.js'
import type { TiledGrid } from '../../src/kernels/blackwell/setup.js'
import { unit } from '../../src/numerics/index.js'
import { launch, noArguments } from '../../src/semantics/execution/launch.js'
import type { LogEvent } from '../../src/semantics/log/events.js'
import * as Policy from '../../src/semantics/execution/policy.js'
import * as Run from '../../src/semantics/execution/run.js'
import { base, edges, pairNotes, refused, rightFor, type Make } from './blackwell-steps.js'
import { startOf } from '../../src/semantics/log/events.js'
import { right } from '../either.js'

rightFor(
  matmul6,
  [
    { m: 512, n: 96, k: 16, gridMinorDim: 1 },
    { m: 768, n: 64, k: 48, dtype: 'bf16', gridTileWidth: 1 },
    { m: 512, n: 64, k: 48, clusters: 2, gridMinorDim: 1, gridTileWidth: 5 },
    { m: 768, n: 96, k: 32, clusters: 2, gridTileWidth: 2 },
  ],
  pairNotes,
)
edges(matmul6, { m: 512, n: 64 }, [
  ['wait store_done', 'deadlock', ['M3', 'B1']],
  ['wait_load_tmem', 'hazard', ['M3']],
])

const logOf = (make: Make, c: TiledGrid): readonly [ReadonlyArray<LogEvent>, Run.Outcome] => {
  const { world, machine } = right(launch(right(make(c)), unit, noArguments))
  const how = { policy: Policy.eager, fuel: 1e6, keepSchedule: false, transient: true }
  const ran = Run.run(world, machine, how, Run.collect)
  return [ran.result, ran.outcome]
}
/** Rows and columns of the output, in the order in which the leader's epilogue stores them. */
const stored = (make: Make, c: TiledGrid): ReadonlyArray<string> => {
  const { world } = right(launch(right(make(c)), unit, noArguments))
  const out = world.header.planes.findIndex((p) => p.name === 'out')
  const tiles: string[] = []
  for (const e of logOf(make, c)[0]) {
    if (e._tag !== 'access' || e.rw !== 'w' || e.footprint.plane !== out) continue
    if (world.header.agents[e.stamp.agent]!.cta !== 0) continue
    const element = startOf(e.footprint.spans) / 2
    const [row, column] = [Math.floor(element / c.n), element % c.n]
    const tile = `${String(Math.floor(row / 256))} ${String(Math.floor(column / 32))}`
    if (tiles[tiles.length - 1] !== tile) tiles.push(tile)
  }
  return tiles
}

describe('the order of the tiles', () => {
  const square: TiledGrid = { ...base, m: 1024, n: 128, k: 16, gridMinorDim: 1, gridTileWidth: 2 }
  test('by hand: (4, 4), minor dimension 1, two wide', () => {
    expect(stored(matmul6, square)).toEqual([
      ...['0 0', '0 1', '1 0', '1 1', '2 0', '2 1', '3 0', '3 1'],
      ...['3 2', '3 3', '2 2', '2 3', '1 2', '1 3', '0 2', '0 3'],
    ])
  })
  test('matmul5 goes row by row', () => {
    expect(stored(matmul5, { ...square, m: 512, n: 64 })).toEqual(['0 0', '0 1', '1 0', '1 1'])
  })
  test('and that is all: both do the same things, equally often', () => {
    const did = (make: Make): ReadonlyArray<string> => {
      const counts = new Map<string, number>()
      for (const e of logOf(make, { ...base, m: 768, n: 64 })[0]) {
        const key = 'stamp' in e ? `${e._tag} ${String(e.stamp.agent)}` : e._tag
        counts.set(key, (counts.get(key) ?? 0) + 1)
      }
      return [...counts].map(([key, n]) => `${key}: ${String(n)}`).sort()
    }
    expect(did(matmul6)).toEqual(did(matmul5))
  })
})

refused('matmul6', matmul6, [
  [{ gridTileWidth: 0 }, 'gridTileWidth is 0: expected a positive integer'],
  [{ gridTileWidth: 1.5 }, 'gridTileWidth is 1.5: expected a positive integer'],
  [{ n: 48 }, 'n is 48: expected a multiple of 2 * tileN, which is 32'],
])
