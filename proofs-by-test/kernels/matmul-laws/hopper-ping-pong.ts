import { balanced, type Plan } from './laws.js'
import { pointOf, tilesShared, type Grain } from './points.js'

const grain: Grain = { rows: 64, columns: 16, tile: (tileN) => ({ tileM: 64, tileN }) }

const orders = [
  { order: 'row-major', gridMinorDim: 'm', gridTileWidth: 1 },
  { order: 'planar-snake', gridMinorDim: 'm', gridTileWidth: 1 },
  { order: 'planar-snake', gridMinorDim: 'n', gridTileWidth: 2 },
  { order: 'planar-snake', gridMinorDim: 'm', gridTileWidth: 2 },
  { order: 'planar-snake', gridMinorDim: 'n', gridTileWidth: 3 },
] as const

export const plan: Plan = {
  kernel: 'hopper-ping-pong',
  points: tilesShared(grain, (i, blocks) => ({ blocks, ...orders[i % 5]! })),
  // three tiles: the first thread has two of them
  small: pointOf(grain, [1, 3], 3, 2, { clusters: 1, rest: { blocks: 1 } }),
  unawaited: balanced,
}
