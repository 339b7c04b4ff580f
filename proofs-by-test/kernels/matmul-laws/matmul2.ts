import type { Plan } from './laws.js'
import { oneTileEach, pointOf, type Grain } from './points.js'
import { tutorialLeaves } from './unawaited.js'

/** One piece, two or four. */
const grain: Grain = {
  rows: 128,
  columns: 32,
  tile: (tileN) => ({ tileM: 128, tileN, epilogueTileN: tileN === 32 ? 32 : 16 }),
}
const pieces: Grain = { ...grain, tile: (tileN) => ({ tileM: 128, tileN, epilogueTileN: 16 }) }
const inPieces = oneTileEach(pieces)

export const plan: Plan = {
  kernel: 'matmul2',
  points: oneTileEach(grain).map((p, i) => (i % 2 === 0 ? p : inPieces[i]!)),
  // four pieces through two buffers
  small: pointOf(pieces, [1, 1], 5, 2, { wide: 2 }),
  unawaited: tutorialLeaves({ blocks: 1, storeDone: false }),
}
