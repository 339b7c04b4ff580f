import { balanced, type Plan } from './laws.js'
import { oneTileEach, pointOf, type Grain } from './points.js'

const rows: Grain = { rows: 128, columns: 16, tile: (tileN) => ({ tileM: 128, tileN, split: 'rows' }) }
const columns: Grain = { rows: 64, columns: 32, tile: (tileN) => ({ tileM: 64, tileN, split: 'columns' }) }

/** Every third point shares a tile by columns. */
const byColumns = oneTileEach(columns)

export const plan: Plan = {
  kernel: 'hopper-pipeline-ws',
  points: oneTileEach(rows).map((p, i) => (i % 3 === 2 ? byColumns[i]! : p)),
  small: pointOf(columns, [1, 1], 5, 2),
  unawaited: balanced,
}
