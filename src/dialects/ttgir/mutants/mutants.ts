/**
 * Mutants of a module: its changed texts, each as a mutant of the program that it elaborates to.
 *
 * There is one judge (`semantics/mutation`), and it judges programs. So a changed text is elaborated, and what was changed of it is said in terms of the
 * program: the statements that came of the operation, by their labels; their barriers; what stands before and behind them. An operation keeps its label in a
 * changed module, so a finding at a statement is a finding at an operation. Where the text says nothing that the program keeps, both programs are the
 * same, and that is their certificate.
 *
 *     kernels.py:31 ttng.wait_barrier, line 84      DROP left out
 *     statements  wait_barrier 84                   barriers  acc
 *
 * The same change is found again by its key at another launch: that is how schedules of small instances are followed.
 *
 * Laws
 * 1. Keys are different, and do not depend on the launch.
 */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { Failure } from '../../../failure.js'
import type { CheckOptions } from '../../../semantics/verdict/check.js'
import {
  cutDown,
  describe,
  inlined,
  refusalNames,
  refused,
  type CutDown,
  type Judge,
  type Judged,
  type Mutant,
} from '../../../semantics/mutation/index.js'
import { isRefusedAt } from '../elaboration/here.js'
import type { Program } from '../../../semantics/language/program.js'
import type { Refusal } from '../../../semantics/language/refusal.js'
import { elaborate, type Elaborate } from '../elaboration/elaborate.js'
import { functionOf } from '../elaboration/function.js'
import { labelsOf, reservedBy } from '../elaboration/labels.js'
import { placeOf } from '../elaboration/places.js'
import { everyOperation } from '../elaboration/regions.js'
import type { Module, Operation } from '../text/syntax.js'
import { changesOf, type TextChange } from './changes.js'

export interface TextMutant {
  readonly key: string
  /** `kernels.py:31 ttng.wait_barrier, line 84` */
  readonly site: string
  readonly change: TextChange
  /** as a mutant of the program at a launch; judged already where its text does not elaborate */
  readonly at: (ground: Ground) => E.Either<Judged, Mutant>
}

/** A module at a launch: the parts that all its mutants share. */
export interface Ground {
  readonly launch: Elaborate
  readonly program: Program
  /** what operations are called, by where they stand */
  readonly labels: ReadonlyMap<string, string>
}

/** Rules and names of mutants read what a statement is about off itself. */
const programOf = (m: Module, launch: Elaborate): E.Either<Refusal, Program> =>
  E.map(inlined)(elaborate(m, launch))

/** An operation by where it stands in the text that was read. */
const keyOf = ({ at, name }: Operation): string => `${String(at.line)}:${String(at.column)} ${name}`

export const groundOf = (m: Module, launch: Elaborate): E.Either<Failure, Ground> =>
  pipe(
    programOf(m, launch),
    E.bindTo('program'),
    E.bindW('wanted', () => functionOf(m, launch.function)),
    E.map(({ program, wanted }): Ground => ({
      launch,
      program,
      labels: new Map(
        [...labelsOf(everyOperation([wanted]), new Set(reservedBy(launch)))].map(
          ([op, label]) => [keyOf(op), label] as const,
        ),
      ),
    })),
  )

/** Every mutant of a function of a module; what it calls stays as it is. */
export const textMutants = (
  m: Module,
  name: string | undefined = undefined,
): E.Either<Failure, ReadonlyArray<TextMutant>> =>
  E.map((wanted: Operation) => {
    const inside = everyOperation([wanted])
    const placed = (op: Operation): string => {
      const place = placeOf(m, op.location)
      return place === null ? op.name : `${place} ${op.name}`
    }
    const times = new Map<string, number>()
    const changes = changesOf(m, placed).filter(({ site }) => inside.includes(site.operation))
    return changes.map((change): TextMutant => {
      const op = change.site.operation
      const site = `${placed(op)}, line ${String(op.at.line)}`
      const words = `${change.operator} | ${site} | ${change.change}`
      const n = times.get(words) ?? 0
      times.set(words, n + 1)
      const key = n === 0 ? words : `${words} | ${String(n + 1)}`
      return {
        key,
        site,
        change,
        at: ({ launch, program, labels }) => {
          const called = (of: Operation): string | undefined => labels.get(keyOf(of))
          const other = change.module()
          const made = programOf(other, { ...launch, called })
          const labelled = (x: Operation): ReadonlyArray<string> => {
            const label = called(x)
            return label === undefined ? [] : [label]
          }
          const said = describe(program, E.isLeft(made) ? program : made.right, {
            operator: change.operator,
            class: change.class,
            change: change.change,
            manner: change.manner,
            declares: change.declares,
            label: called(op) ?? op.name,
            labels: [...labels.values()],
            of: labelled(op),
            others: change.other === null ? [] : labelled(change.other),
            passes: change.passes.flatMap(labelled),
          })
          return E.isLeft(made)
            ? E.left(
                refused(
                  { site, key, ...said },
                  made.left,
                  isAbout(made.left, other, op) ||
                    refusalNames(program, program, said, made.left.about ?? []),
                ),
              )
            : E.right({ site, key, program: made.right, ...said })
        },
      }
    })
  })(functionOf(m, name))

/** Is the operation that is refused the one that was changed, or is given what that was given? */
const isAbout = (f: Failure, m: Module, changed: Operation): boolean => {
  if (!isRefusedAt(f)) return false
  const { line, column } = f.at
  const valuesOf = (op: Operation): ReadonlyArray<string> => [
    ...op.names.map(({ name }) => name),
    ...Object.values(op.operands).flatMap((values) => values.map(({ name }) => name)),
  ]
  const own = new Set(valuesOf(changed))
  return everyOperation(m.operations).some(
    (op) => op.at.line === line && op.at.column === column && valuesOf(op).some((name) => own.has(name)),
  )
}

/** The judge of programs decides, except for a text that is refused before it becomes a program. */
export const judgedAt =
  (ground: Ground, judge: Judge) =>
  (m: TextMutant): Judged => {
    const made = m.at(ground)
    return E.isLeft(made) ? made.left : judge(made.right)
  }

/** A smaller launch of the same module; its mutants are those of the text. */
export const smallerAt = (
  mutants: ReadonlyArray<TextMutant>,
  ground: Ground,
  options: CheckOptions,
): CutDown => {
  const byKey = new Map(mutants.map((m) => [m.key, m]))
  return cutDown(ground.program, options, (key) => {
    const found = byKey.get(key)?.at(ground)
    return found === undefined || E.isLeft(found) ? undefined : found.right
  })
}
