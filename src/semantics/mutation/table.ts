/**
 * Tables: what became of the mutants of a kernel, by operator.
 *
 *     operator  sites  mutants  equivalent                     real  killed  named  accurate  first ids
 *     DROP      22     22       initialisation fence 1         21    21      21     21        R1 2, B5 4, ...
 *
 * Real are those that are not equivalent; the rate is the killed of them, and the accuracy the accurate of those.
 */
import type { JudgedMutant } from './kill.js'
import { operators, type MutantClass, type Operator } from './model.js'

export interface Tally {
  readonly sites: number
  readonly mutants: number
  /** by certificate */
  readonly equivalent: Readonly<Record<string, number>>
  readonly real: number
  readonly killed: number
  readonly named: number
  readonly accurate: number
  /** killed by a contract that the kernel keeps, alone */
  readonly strict: number
  /** kills by their first id, or their verdict */
  readonly ids: Readonly<Record<string, number>>
}

const counted = (words: ReadonlyArray<string>): Readonly<Record<string, number>> => {
  const counts = new Map<string, number>()
  for (const w of words) counts.set(w, (counts.get(w) ?? 0) + 1)
  return Object.fromEntries([...counts].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1)))
}

export const tally = (all: ReadonlyArray<JudgedMutant>): Tally => {
  const killed = all.filter((j) => j.fate === 'killed')
  const certified = all.filter((j) => j.certificate !== null)
  return {
    sites: new Set(all.map((j) => j.mutant.site)).size,
    mutants: all.length,
    equivalent: counted(certified.map((j) => j.certificate ?? '')),
    real: all.length - certified.length,
    killed: killed.length,
    named: killed.filter((j) => j.named).length,
    accurate: killed.filter((j) => j.accurate).length,
    strict: killed.filter((j) => j.strict).length,
    ids: counted(killed.map((j) => j.ids[0] ?? j.verdict)),
  }
}

export interface OperatorTally extends Tally {
  readonly operator: Operator
}

/** By operator, in their order; without those that have no site. */
export const byOperator = (all: ReadonlyArray<JudgedMutant>): ReadonlyArray<OperatorTally> =>
  operators.flatMap((operator) => {
    const of = all.filter((j) => j.mutant.operator === operator)
    return of.length === 0 ? [] : [Object.assign({ operator }, tally(of))]
  })

export const ofClass = (all: ReadonlyArray<JudgedMutant>, c: MutantClass): ReadonlyArray<JudgedMutant> =>
  all.filter((j) => j.mutant.class === c)

/** Nothing real is alive, and every kill names. */
export const isWhole = (t: Pick<Tally, 'killed' | 'real' | 'named'>): boolean =>
  t.killed === t.real && t.named === t.killed

/** A share as per cent; 100 only for all. */
export const percent = (part: number, whole: number): string =>
  whole === 0 ? '-' : `${String(Math.floor((part / whole) * 1000) / 10)} %`
