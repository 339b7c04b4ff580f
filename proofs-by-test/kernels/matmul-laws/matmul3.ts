import type { Plan } from './laws.js'
import { oneTileEach, pointOf } from './points.js'
import { pairGrain, pairPieces } from './pair.js'
import { tutorialLeaves } from './unawaited.js'

const inPieces = oneTileEach(pairPieces)

export const plan: Plan = {
  kernel: 'matmul3',
  points: oneTileEach(pairGrain).map((p, i) => (i % 2 === 0 ? p : inPieces[i]!)),
  // four pieces through two buffers
  small: pointOf(pairPieces, [1, 1], 5, 2, { wide: 2 }),
  unawaited: tutorialLeaves({ blocks: 2, storeDone: false }),
}
