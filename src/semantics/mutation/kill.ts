/**
 * Killing: is a mutant found out, and by name?
 *
 * A mutant is killed when its verdict is a hazard, a deadlock or invalid; one of the class *data* also when provenance refutes what it computes, or, where
 * the program does not say what that is, when its outputs are other terms of the inputs than the program's (`sameness.ts`). A
 * time-out is no kill, a difference of numbers is none (nothing is computed), and neither is `undecided`. Whether a kill names the mutant is said in
 * `naming.ts`; whether it is called what a mutant of its kind should be called, in `labels.ts`.
 *
 * What is found ok is *equivalent* only by certificate: a rule (`certificate.ts`), or all schedules of cut-down instances (`cut-down.ts`). What has
 * neither is a survivor, `undecided` ones too; unless one of the smaller instances kills it: a step that is peeled off a loop may matter only where it is
 * the last.
 *
 *     hopper-matmul   DROP compute / k / wait loaded         deadlock    named: site, edge     R1, as expected
 *                     COUNT compute / k / wgmma_wait one less ok          rule: stronger wait
 *
 * Strictly. Some changes only break a contract: a completion that is not observed (U1) is a note. Where the program keeps all contracts, so that
 * `strict` finds it ok, breaking one kills.
 *
 * Laws
 * 1. the program itself is not killed.
 * 2. a mutant with a certificate has the verdict, the provenance and the output of the program.
 */
import * as E from 'fp-ts/lib/Either.js'
import type { Failure } from '../../failure.js'
import { check, type Check, type Checked, type CheckOptions } from '../verdict/check.js'
import { leftIn, type End } from '../schedules/explore/index.js'
import type { Program } from '../language/program.js'
import { validate } from '../language/validate.js'
import type { VerdictName } from '../judging/verdict.js'
import { ruleFor } from './certificate.js'
import { compareEnds, comparedWith, cutDown, type CutDown } from './cut-down.js'
import type { Mutant, MutantClass, Named } from './model.js'
import { isExpected } from './labels.js'
import { namingOf, refusalNames, type Naming } from './naming.js'

export type Fate = 'killed' | 'undecided' | 'survived'

export interface Judged {
  readonly mutant: Named
  readonly verdict: VerdictName
  readonly fate: Fate
  /** killed by a contract that the program itself keeps */
  readonly strict: boolean
  readonly named: boolean
  /** how the verdict points at the mutant */
  readonly naming: Naming | null
  /** called what it should be called (`labels.ts`) */
  readonly accurate: boolean
  /** the rule by which a survivor changes nothing */
  readonly certificate: string | null
  /** ids of the findings, in their order */
  readonly ids: ReadonlyArray<string>
  readonly reason: string
}

/** A mutant and its fate as plain data: without programs, so that it may come from another thread, or out of a file. */
export interface JudgedMutant extends Pick<
  Judged,
  'verdict' | 'fate' | 'strict' | 'named' | 'accurate' | 'certificate' | 'ids' | 'reason'
> {
  readonly mutant: Pick<Named, 'class' | 'operator' | 'site' | 'change' | 'key'>
}

export const withoutPrograms = (j: Judged): JudgedMutant => ({
  mutant: {
    class: j.mutant.class,
    operator: j.mutant.operator,
    site: j.mutant.site,
    change: j.mutant.change,
    key: j.mutant.key,
  },
  verdict: j.verdict,
  fate: j.fate,
  strict: j.strict,
  named: j.named,
  accurate: j.accurate,
  certificate: j.certificate,
  ids: j.ids,
  reason: j.reason,
})

/** The certificate of a search of all schedules of cut-down instances. */
export const allSchedules = 'all schedules'
/** The same, where only phases of the changed barriers differ in the end, which no agent waits for any more. */
export const neverObserved = 'generation never observed'

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

/** Findings that count for the name of a kill: at most three stand before the one that names. */
const counted = 4

/** Are there races that are notes, because both writes store one value? */
const storesTwice = (checked: ReturnType<Check>): boolean =>
  E.isRight(checked) && checked.right.verdict.notes.some(({ id }) => id === 'N4')

/**
 * A program's verdict, where a race of equal values is the race that it is unless the original has one: what is doubled by a mutant is no accident that
 * nothing shows.
 */
const asRaces = (original: Program, options: CheckOptions): ((program: Program) => ReturnType<Check>) => {
  const races: CheckOptions = Object.assign({}, options, { equalWrites: 'none' })
  let own: boolean | null = null
  return (program) => {
    const checked = check(program, options)
    if (!storesTwice(checked)) return checked
    own ??= storesTwice(check(original, options))
    return own ? checked : check(program, races)
  }
}

/** How the mutants of a program are judged: what is the same for all of them is found out once. */
export type Judge = (m: Mutant) => Judged

/**
 * A judge. Where the program keeps all contracts, the mutants have to, too: what is found ok is checked once more, strictly, and a contract that it breaks
 * kills it.
 */
export const judging = (
  program: Program,
  options: CheckOptions,
  smaller: ReadonlyArray<CutDown> = [],
): Judge => {
  const strictly: CheckOptions = Object.assign({}, options, { strict: true })
  const original = check(program, strictly)
  const end = E.isRight(original) ? endAt(original.right) : nothingLeft
  const keepsContracts = E.isRight(original) && original.right.verdict.verdict === 'ok'
  const { sameness } = cutDown(program, options)
  const judgedAlone = asRaces(program, options)
  return (m) => {
    const valid = validate(m.program)
    const checked = E.isLeft(valid) ? valid : judgedAlone(m.program)
    if (E.isLeft(checked)) {
      const { left } = checked
      return refused(m, left, refusalNames(program, m.program, m, left.about ?? []))
    }
    const first = checked.right.verdict
    const rule = first.verdict === 'ok' ? ruleFor(program, m, first) : null
    const again =
      first.verdict === 'ok' && rule === null && keepsContracts ? check(m.program, strictly) : null
    const strict =
      again !== null && E.isRight(again) && fateOf(again.right.verdict.verdict, m.class) === 'killed'
    const judged = strict && again !== null && E.isRight(again) ? again.right : checked.right
    const { verdict } = judged
    const result =
      sameness === null || rule !== null || verdict.verdict !== 'ok' ? null : sameness()(m.program)
    if (result?._tag === 'other') return otherResult(m, result.text)
    const fate = fateOf(verdict.verdict, m.class)
    const certificate =
      verdict.verdict === 'ok' && result?._tag !== 'unknown'
        ? (rule ?? certified(smaller, m, endAt(checked.right), end))
        : null
    // ok here, and no certificate: perhaps a smaller instance shows it
    const shown = fate === 'survived' && certificate === null ? shownBy(smaller, m) : null
    if (shown !== null)
      return 'text' in shown
        ? otherResult(m, shown.text)
        : judgedIn(shown.program, m, shown.mutant, shown.checked, false, null)
    return judgedIn(program, m, m, judged, strict, certificate)
  }
}

/** Refused before it runs; `named`: the refusal is about what was changed. */
export const refused = (m: Named, { code, message }: Failure, named: boolean): Judged => ({
  mutant: m,
  verdict: 'invalid',
  fate: 'killed',
  strict: false,
  named,
  naming: named ? 'rule' : null,
  accurate: true,
  certificate: null,
  ids: [code],
  reason: message,
})

/** What a verdict says of a mutant, which `at` is in the instance that was judged. */
const judgedIn = (
  program: Program,
  m: Mutant,
  at: Mutant,
  checked: Checked,
  strict: boolean,
  certificate: string | null,
): Judged => {
  const { verdict } = checked
  const fate = fateOf(verdict.verdict, m.class)
  const naming = fate === 'killed' ? namingOf(program, at, checked) : null
  const ids = verdict.findings.map((f) => f.id)
  return {
    mutant: m,
    verdict: verdict.verdict,
    fate,
    strict,
    named: naming !== null,
    naming,
    accurate:
      fate === 'killed' &&
      (ids.length === 0 || isExpected(program, at, ids.slice(0, counted), verdict.verdict)),
    certificate,
    ids,
    reason: verdict.reason,
  }
}

/** The first smaller instance in which the mutant is killed: a peeled first step may matter only where there is no second. */
const shownBy = (
  smaller: ReadonlyArray<CutDown>,
  m: Mutant,
):
  | { readonly program: Program; readonly mutant: Mutant; readonly checked: Checked }
  | { readonly text: string }
  | null => {
  for (const instance of smaller) {
    const mutant = instance.find(m.key)
    const checked = mutant === undefined ? null : check(mutant.program, instance.options)
    if (mutant === undefined || checked === null || E.isLeft(checked)) continue
    const { verdict } = checked.right
    if (fateOf(verdict.verdict, m.class) === 'killed')
      return { program: instance.program, mutant, checked: checked.right }
    const result =
      verdict.verdict === 'ok' && m.class === 'data' ? instance.sameness?.()(mutant.program) : undefined
    if (result?._tag === 'other') return { text: result.text }
  }
  return null
}

/** Found ok, but it computes something else: that kills what moves data, and is no certificate for the rest. */
const otherResult = (m: Mutant, reason: string): Judged => {
  const killed = m.class === 'data'
  return {
    mutant: m,
    verdict: 'wrong-result',
    fate: fateOf('wrong-result', m.class),
    strict: false,
    named: killed,
    naming: killed ? 'tile' : null,
    accurate: killed,
    certificate: null,
    ids: [],
    reason,
  }
}

const nothingLeft: End = { wave: 0, left: [] }
const endAt = ({ world, machine }: Checked): End => ({ wave: 0, left: leftIn(world, machine) })

/** By all schedules of the smaller instances; the run that was judged has to end alike, too, for a small one may not come to the change. */
const certified = (smaller: ReadonlyArray<CutDown>, m: Mutant, its: End, mine: End): string | null => {
  const here = compareEnds([mine], [its], m.barriers)
  if (here === 'different') return null
  const there = comparedWith(smaller, m)
  if (there === 'equal' && here === 'equal') return allSchedules
  return there === 'equal' || there === 'unobserved' ? neverObserved : null
}
