import type { Plan } from './laws.js'
import { oneTileEach, pointOf, type Grain } from './points.js'
import { tutorialLeaves } from './unawaited.js'

const grain: Grain = { rows: 128, columns: 16, tile: (tileN) => ({ tileM: 128, tileN }) }

export const plan: Plan = {
  kernel: 'matmul1',
  points: oneTileEach(grain),
  small: pointOf(grain, [1, 1], 5, 2),
  unawaited: tutorialLeaves({ blocks: 1, storeDone: false }),
}
