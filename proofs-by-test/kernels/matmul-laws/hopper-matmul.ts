import { balanced, type Plan } from './laws.js'
import { oneTileEach, pointOf, type Grain } from './points.js'

const grain: Grain = { rows: 64, columns: 16, tile: (tileN) => ({ tileM: 64, tileN }) }

export const plan: Plan = {
  kernel: 'hopper-matmul',
  points: oneTileEach(grain),
  small: pointOf(grain, [1, 1], 5, 2),
  unawaited: balanced,
}
