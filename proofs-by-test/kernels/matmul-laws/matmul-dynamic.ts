import { balanced, type Plan } from './laws.js'
import { oneTileEach, pointOf, type Grain } from './points.js'

const grain: Grain = { rows: 128, columns: 16, tile: (tileN) => ({ tileM: 128, tileN }) }

export const plan: Plan = {
  kernel: 'matmul-dynamic',
  points: oneTileEach(grain),
  small: pointOf(grain, [1, 3], 3, 2),
  unawaited: balanced,
}
