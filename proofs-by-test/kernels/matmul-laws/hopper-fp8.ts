import { balanced, type Plan } from './laws.js'
import { oneTileEach, pointOf, type Grain } from './points.js'

/** One instruction has 32 products of a sum. */
const grain: Grain = { rows: 128, columns: 16, depth: 32, tile: (tileN) => ({ tileM: 128, tileN }) }

export const plan: Plan = {
  kernel: 'hopper-fp8',
  points: oneTileEach(grain, (i) => ({
    dtype: i % 2 === 0 ? 'e4m3' : 'e5m2',
    bDtype: i % 3 === 0 ? 'e5m2' : 'e4m3',
    outDtype: (['f16', 'bf16', 'f32'] as const)[i % 3]!,
  })),
  small: pointOf(grain, [1, 1], 5, 2),
  unawaited: balanced,
}
