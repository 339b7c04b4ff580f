import { balanced, type Plan } from './laws.js'
import { oneTileEach, pointOf, type Grain } from './points.js'

const grain: Grain = { rows: 64, columns: 16, tile: (tileN) => ({ tileM: 64, tileN }) }

/** Every way of waiting that suffices. */
const safe = [
  { wgmmaWait: 'documented', explicitWait: false },
  { wgmmaWait: 'documented', explicitWait: true },
  { wgmmaWait: 'implemented', explicitWait: true },
] as const

export const plan: Plan = {
  kernel: 'wgmma-loop',
  points: oneTileEach(grain, (i) => ({ dtype: i % 2 === 0 ? 'f16' : 'bf16', ...safe[i % 3]! })),
  small: pointOf(grain, [1, 1], 5, 2),
  unawaited: balanced,
}
