/**
 * What is judged: options that a user chooses, and the rules of the theory that a theorem test may switch off one at a
 * time to see that each is needed. A verdict is given under `standard` rules only.
 */

import type { Severity } from '../finding.js'

/** The weakenings. Each was once thought enough; each has a counterexample. */
export interface Rules {
  /** C4 without its lower half: a wait is not asked to know the generation before the one it observed */
  readonly oneSidedC4: boolean
  /** C3 between counted arrivals only, not expectTx and complete_tx */
  readonly c3CountedOnly: boolean
  /** no C6 */
  readonly noC6: boolean
  /** C5 without the order of allocations */
  readonly anyAllocation: boolean
  /** a write over a write always needs visibility, also where a read in between shows that the first has landed */
  readonly noWriteWriteException: boolean
  /** visible generations as a maximum, not a set */
  readonly maxGenerations: boolean
  /** K1 for remote arrives only, not for an agent's loads and stores in another CTA's shared memory */
  readonly arrivesOnlyAtExit: boolean
}

export const standard: Rules = {
  oneSidedC4: false,
  c3CountedOnly: false,
  noC6: false,
  anyAllocation: false,
  noWriteWriteException: false,
  maxGenerations: false,
  arrivesOnlyAtExit: false,
}

export interface Options {
  /**
   * broken contracts (B8, U1, M5) and a load not waited for at a dealloc count as hazards, and relaxed arrives and waits order no ordinary access
   */
  readonly strict: boolean
  /** a generic read before an asynchronous overwrite needs a proxy fence too (P3) */
  readonly strictProxies: boolean
  /** wgmma of one warpgroup are ordered as issued; `documented` orders none of them */
  readonly wgmmaOrder: 'issue' | 'documented'
  /** the products of one agent's tensor queue happen in order of issue; `documented` grants the pairs that the ISA lists alone (`queue.ts`) */
  readonly tensorPipe: 'issueOrder' | 'documented'
  /** a register write before a wgmma that uses the register needs a wgmma.fence */
  readonly registerFence: boolean
  readonly rules: Rules
}

/** A finding of this severity makes a verdict bad; others are notes. */
export const bites = (severity: Severity, options: Options): boolean =>
  severity === 'E' || (options.strict && severity === 'C')

export const defaults: Options = {
  strict: false,
  strictProxies: false,
  wgmmaOrder: 'issue',
  tensorPipe: 'issueOrder',
  registerFence: true,
  rules: standard,
}
