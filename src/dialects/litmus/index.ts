/** Litmus tests of the format that tools share, read into programs of `semantics/axioms`. */
export * from './read.js'
export type { LitmusTextFailure } from './tokens.js'
