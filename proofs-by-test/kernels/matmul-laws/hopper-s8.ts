import { balanced, type Plan } from './laws.js'
import { oneTileEach, pointOf, type Grain } from './points.js'

/** One instruction has 32 products of a sum. */
const grain: Grain = { rows: 128, columns: 16, depth: 32, tile: (tileN) => ({ tileM: 128, tileN }) }

export const plan: Plan = {
  kernel: 'hopper-s8',
  points: oneTileEach(grain, (i) => ({
    dtype: i % 2 === 0 ? 'i8' : 'u8',
    bDtype: i % 3 === 0 ? 'u8' : 'i8',
    saturate: i % 5 === 0,
  })),
  small: pointOf(grain, [1, 1], 5, 2),
  unawaited: balanced,
}
