export { layoutMismatch } from './layouts.js'
export { provenance, type ProvenanceState } from './fold.js'
