/**
 * Foreign bugs: what public kernels had wrong, told in our words and written in the core, each with its mended twin; and kernels that are right
 * and that other tools have complained about.
 *
 * | name                     | id | what it was                                                   |
 * |--------------------------|----|---------------------------------------------------------------|
 * | two-cta-allocation       | M7 | a product into the peer's tensor memory before it is allocated |
 * | zero-tiles               | D4 | the wait for an allocation in a loop that does not run         |
 * | never-allocated          | I2 | a tutorial without an allocation                              |
 * | early-release            | W2 | a slot given back at the issue of the MMA                     |
 * | statistics-without-wait  | M4 | statistics published before the store is done                 |
 * | freed-under-load         | M3 | tensor memory freed under a load                              |
 * | one-cta-expects          | B5 | a multicast of which one CTA announces the bytes               |
 * | bytes-of-the-cluster     | B4 | bytes counted for the whole cluster                           |
 * | every-lane-arrives       | B2 | 32 arrivals at a count of 1                                   |
 * | fence-before-store       | P2 | the fence on the wrong side                                   |
 */
import type { Twin } from '../zoo/twin.js'
import { pipelines } from './pipelines.js'
import { tensorMemory } from './tensor-memory.js'

export { clean } from './clean.js'
export type { Clean } from './clean.js'

export const foreign: ReadonlyArray<Twin> = [...tensorMemory, ...pipelines]
