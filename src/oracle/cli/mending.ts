/**
 * `--mend N`: the missing edge of finding N is added to the program, and that is judged (`semantics/mending`).
 *
 *     tcspec check zoo/R1 --mend 1          mbarrier.wait @full parity=0 before `read s` of consumer: ok
 *
 * Given again, the next one is a finding of the verdict that the one before has led to.
 */
import type { Command } from 'commander'
import * as E from 'fp-ts/lib/Either.js'
import type { Failure } from '../../failure.js'
import { mended as mendedProgram } from '../../semantics/mending/index.js'
import type { MendedFinding, Verdict } from '../../semantics/judging/verdict.js'
import type { Program } from '../../semantics/language/program.js'
import type { Checked } from '../../semantics/verdict/check.js'
import type { Options } from './command.js'
import { refuseFlag, type FlagFailure } from './flags/choice.js'
import { again, wordsOf } from './flags/words.js'

export const mendOption = (command: Command): Command =>
  command.option(
    '--mend <n>',
    'apply the fix of finding N, and judge again; may be repeated for a finding of the new verdict',
    again,
  )

/** Numbers of findings, counted from 1. */
export const mendAsked = (options: Options): E.Either<FlagFailure, ReadonlyArray<number>> => {
  const said = wordsOf(options, 'mend')
  const wrong = said.find((word) => !/^[1-9]\d{0,5}$/.test(word))
  return wrong === undefined
    ? E.right(said.map(Number))
    : refuseFlag('--mend', 'the number of a finding, counted from 1', wrong)
}

/** A program that was judged, perhaps with edges added. */
export interface Mended {
  readonly program: Program
  readonly checked: Checked
  readonly mended: ReadonlyArray<MendedFinding>
}

/** A program with the missing edges of these findings; `judge` judges it as it was judged, and looks for missing edges only where it is said. */
export const mend = (
  before: Mended,
  numbers: ReadonlyArray<number>,
  judge: (program: Program, explain: boolean) => E.Either<Failure, Checked>,
): E.Either<Failure, Mended> => {
  const [number, ...rest] = numbers
  if (number === undefined) return E.right(before)
  const { findings } = before.checked.reasons
  const finding = findings[number - 1]
  if (finding === undefined)
    return refuseFlag(
      '--mend',
      findings.length === 0
        ? `a verdict with findings, and this one is ${before.checked.verdict.verdict} with none`
        : `a finding from 1 to ${String(findings.length)}`,
      String(number),
    )
  const found = mendedProgram(before.program, before.checked, finding, (p) => judge(p, false))
  if (E.isLeft(found)) return found
  const { program, added } = found.right
  const checked = judge(program, true)
  if (E.isLeft(checked)) return checked
  const { id, text } = finding
  const was = before.checked.verdict.verdict
  const mended = [...before.mended, { finding: number, id, text, was, added }]
  return mend({ program, checked: checked.right, mended }, rest, judge)
}

/** The verdict, with what was added before it. */
export const withMended = (verdict: Verdict, mended: ReadonlyArray<MendedFinding>): Verdict =>
  mended.length === 0 ? verdict : { ...verdict, mended }
