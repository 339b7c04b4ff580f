/** The page of the hazards and the manifest of the zoo. */
export { manifest } from './manifest.js'
export type { Entry } from './manifest.js'
export { hazardsPage } from './page.js'
