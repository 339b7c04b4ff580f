import { balanced, type Plan } from './laws.js'
import { oneTileEach, pointOf, type Grain } from './points.js'

const grain: Grain = { rows: 128, columns: 16, tile: (tileN) => ({ tileM: 128, tileN }) }

export const plan: Plan = {
  kernel: 'matmul0',
  points: oneTileEach(grain),
  small: pointOf(grain, [1, 1], 5, 2),
  // of the tutorial's kernels the one that awaits what completes, for every number of steps
  unawaited: balanced,
}
