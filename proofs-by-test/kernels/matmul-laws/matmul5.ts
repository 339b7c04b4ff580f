import type { Settings } from '../../../src/kernels/catalogue/index.js'
import type { Plan } from './laws.js'
import { pairGrain, pairPieces } from './pair.js'
import { pointOf, tilesShared } from './points.js'
import { tutorialLeaves } from './unawaited.js'

const rest = (_: number, clusters: number): Settings => ({ clusters })
const inPieces = tilesShared(pairPieces, rest)

export const plan: Plan = {
  kernel: 'matmul5',
  points: tilesShared(pairGrain, rest).map((p, i) => (i % 2 === 0 ? p : inPieces[i]!)),
  // three tiles, one after the other
  small: pointOf(pairPieces, [1, 3], 3, 2, { clusters: 1, rest: { clusters: 1 } }),
  unawaited: tutorialLeaves({ blocks: 2, storeDone: true }),
}
