/**
 * The zoo: for every hazard a kernel of a few lines that has it, and the same kernel mended.
 *
 * In the order of the taxonomy. See `twin.ts` for what a twin is.
 */
import { barriers } from './barriers.js'
import { clusters } from './clusters.js'
import { contents } from './contents.js'
import { limits, layouts } from './limits.js'
import { proxies } from './proxies.js'
import { races } from './races.js'
import { rings } from './rings.js'
import { tensorCore, tensorMemory } from './tensor-core.js'
import type { Twin } from './twin.js'

export { linesOf, programName } from './twin.js'
export type { Shows, Twin } from './twin.js'

export const zoo: ReadonlyArray<Twin> = [
  ...races,
  ...proxies,
  ...rings,
  ...barriers,
  ...tensorCore,
  ...tensorMemory,
  ...clusters,
  ...limits,
  ...layouts,
  ...contents,
]
