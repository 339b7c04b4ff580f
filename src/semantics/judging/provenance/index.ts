export { layoutMismatch } from './layouts.js'
export { provenance, provenanceOfClasses, type ProvenanceState } from './fold.js'
export type { Kin, Moves } from './kin.js'
