import { balanced, type Plan } from './laws.js'
import { pointOf, tilesShared, type Grain } from './points.js'

const rows: Grain = { rows: 128, columns: 16, tile: (tileN) => ({ tileM: 128, tileN, split: 'rows' }) }
const columns: Grain = { rows: 64, columns: 32, tile: (tileN) => ({ tileM: 64, tileN, split: 'columns' }) }

const orders = [
  { order: 'row-major', gridMinorDim: 'm', gridTileWidth: 1 },
  { order: 'planar-snake', gridMinorDim: 'm', gridTileWidth: 1 },
  { order: 'planar-snake', gridMinorDim: 'n', gridTileWidth: 2 },
  { order: 'planar-snake', gridMinorDim: 'm', gridTileWidth: 2 },
  { order: 'planar-snake', gridMinorDim: 'n', gridTileWidth: 3 },
] as const

const pointsOf = (grain: Grain): ReturnType<typeof tilesShared> =>
  tilesShared(grain, (i, blocks) => ({
    blocks,
    ...orders[i % 5]!,
    epilogue: i % 3 === 0 ? 'waited' : 'overlapped',
  }))

const byColumns = pointsOf(columns)

export const plan: Plan = {
  kernel: 'hopper-persistent',
  points: pointsOf(rows).map((p, i) => (i % 4 === 3 ? byColumns[i]! : p)),
  // three tiles, one after the other: the buffer of the store is used again
  small: pointOf(columns, [1, 3], 3, 2, { clusters: 1, rest: { blocks: 1 } }),
  unawaited: balanced,
}
