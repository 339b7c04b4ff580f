/** The names of the six axioms (PTX ISA 8.10), in the manual's order; `axioms.ts` says what each forbids. */

/** The name of an axiom. */
export type Axiom = 'coherence' | 'fence-sc' | 'atomicity' | 'no-thin-air' | 'sc-per-location' | 'causality'

/** Every axiom. */
export const everyAxiom: ReadonlyArray<Axiom> = [
  'coherence',
  'fence-sc',
  'atomicity',
  'no-thin-air',
  'sc-per-location',
  'causality',
]
