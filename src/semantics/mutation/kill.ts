/**
 * Killing: is a mutant found out, and by name?
 *
 * A mutant is killed when its verdict is a hazard, a deadlock or invalid; one of the class *data* also when provenance refutes what it computes. A
 * time-out is no kill, a difference of numbers is none (nothing is computed), and neither is `undecided`. Whether a kill names the mutant is said in
 * `naming.ts`; whether it is called what a mutant of its kind should be called, in `labels.ts`.
 *
 * What is found ok is *equivalent* only by certificate: a rule (`certificate.ts`), or all schedules of cut-down instances (`cut-down.ts`). What has
 * neither is a survivor, `undecided` ones too.
 *
 *     hopper-matmul   DROP compute / k / wait loaded         deadlock    named: site, edge     R1, as expected
 *                     COUNT compute / k / wgmma_wait one less ok          rule: stronger wait
 *
 * Laws
 * 1. the program itself is not killed.
 * 2. a mutant with a certificate has the verdict, the provenance and the output of the program.
 */
import * as E from 'fp-ts/lib/Either.js'
import { check, type CheckOptions } from '../check.js'
import type { Program } from '../program.js'
import type { VerdictName } from '../verdict.js'
import { ruleFor } from './certificate.js'
import { comparedWith, type CutDown } from './cut-down.js'
import type { Mutant, MutantClass } from './model.js'
import { namingOf, refusalNames, type Naming } from './naming.js'

export type Fate = 'killed' | 'undecided' | 'survived'

export interface Judged {
  readonly mutant: Mutant
  readonly verdict: VerdictName
  readonly fate: Fate
  readonly named: boolean
  /** how the verdict points at the mutant */
  readonly naming: Naming | null
  /** the rule by which a survivor changes nothing */
  readonly certificate: string | null
  /** ids of the findings, in their order */
  readonly ids: ReadonlyArray<string>
  readonly reason: string
}

/** The certificate of a search of all schedules of cut-down instances. */
export const allSchedules = 'all schedules'

const fateOf = (v: VerdictName, of: MutantClass): Fate => {
  switch (v) {
    case 'hazard':
    case 'deadlock':
    case 'invalid':
      return 'killed'
    case 'wrong-result':
      return of === 'data' ? 'killed' : 'survived'
    case 'undecided':
    case 'out-of-fuel':
      return 'undecided'
    case 'ok':
      return 'survived'
  }
}

/** Check a mutant of `program`. One that cannot even be launched is killed: it is refused by name. */
export const judgeMutant = (
  program: Program,
  options: CheckOptions,
  m: Mutant,
  smaller: ReadonlyArray<CutDown> = [],
): Judged => {
  const checked = check(m.program, options)
  if (E.isLeft(checked)) {
    const named = refusalNames(program, m, checked.left.message)
    return {
      mutant: m,
      verdict: 'invalid',
      fate: 'killed',
      named,
      naming: named ? 'rule' : null,
      certificate: null,
      ids: [checked.left.code],
      reason: checked.left.message,
    }
  }
  const { verdict } = checked.right
  const fate = fateOf(verdict.verdict, m.class)
  const naming = fate === 'killed' ? namingOf(program, m, verdict) : null
  const certificate =
    verdict.verdict !== 'ok'
      ? null
      : (ruleFor(program, m, verdict) ??
        (comparedWith(smaller, m.key, options) === 'equal' ? allSchedules : null))
  return {
    mutant: m,
    verdict: verdict.verdict,
    fate,
    named: naming !== null,
    naming,
    certificate,
    ids: verdict.findings.map((f) => f.id),
    reason: verdict.reason,
  }
}
