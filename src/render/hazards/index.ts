/** The page of the hazards, the manifest of the zoo, and which clauses each hazard needs. */
export { manifest } from './manifest.js'
export type { Entry } from './manifest.js'
export { evidence } from './evidence.js'
export type { Evidence } from './evidence.js'
export { needs } from './needs.js'
export type { Needs } from './needs.js'
export { flagsOf, hazardsPage, laneJudged } from './page.js'
