export { provenance, type ProvenanceState } from './fold.js'
