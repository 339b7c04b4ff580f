/**
 * A launched module without one of its operations: the statements that it became are left out, but for what gives results that others read. A wait is
 * gone; the registers that it hands on are read all the same.
 *
 * An operation is named by what findings call it, by its result, by its line (`57`, `wait_barrier 57`), or by the line of its author (`kernel.py:31`),
 * if that names one operation that does something.
 *
 * Laws
 * 1. What is left out has statements; an operation that only computes is no answer to a line.
 * 2. A text that names several operations is refused with their labels, and one that names none with the nearest.
 */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { refuse, type Failure } from '../../failure.js'
import { unread, withoutThose } from '../../kernels/broken/without.js'
import { didYouMean } from '../../nearest.js'
import { meantBy, ownerOf, type Labelled } from '../../dialects/ttgir/index.js'
import { effectsOf, type Program } from '../../semantics/language/program.js'
import type { LaunchedModule } from './launched.js'

const names = ({ label, op, place }: Labelled): string =>
  `'${label}' (${[`${op.name} in line ${String(op.at.line)}`, ...(place === null ? [] : [place])].join(', ')})`

/** The nearest lines, where a line is asked for, else the nearest labels. */
const nearby = (text: string, acting: ReadonlyArray<Labelled>): string => {
  const line = /(?:^|\s|:)(\d+)$/.exec(text)?.[1]
  const author = /^(.*\.py):\d+$/.exec(text)?.[1]
  if (line === undefined) return didYouMean(acting.map((o) => o.label))(text)
  const lineOf = ({ op, place }: Labelled): number =>
    author === undefined
      ? op.at.line
      : place?.startsWith(`${author}:`) === true
        ? Number(place.slice(author.length + 1))
        : Infinity
  const near = [...acting]
    .filter((o) => lineOf(o) < Infinity)
    .sort((x, y) => Math.abs(lineOf(x) - Number(line)) - Math.abs(lineOf(y) - Number(line)))
    .slice(0, 3)
  return near.length === 0
    ? didYouMean(acting.map((o) => o.label))(text)
    : `the nearest are ${near.map(names).join(', ')}`
}

const one =
  (launched: LaunchedModule) =>
  (text: string) =>
  (program: Program): E.Either<Failure, Program> => {
    const { operations } = launched
    const owner = ownerOf(operations)
    const statements = effectsOf(program.entry.body).map((s) => s.site.label)
    const doing = new Map<Labelled, Set<string>>()
    for (const s of statements) {
      const found = owner(s)
      if (found !== null) doing.set(found, (doing.get(found) ?? new Set()).add(s))
    }
    const acting = [...doing.keys()]
    const meant = meantBy(operations)(text)
    const [found, ...others] = meant.filter((o) => doing.has(o))
    if (others.length > 0)
      return refuse(
        'broken.label',
        `--without: expected one operation, found ${String(others.length + 1)} by '${text}': ${[found!, ...others].map(names).join(', ')}`,
      )
    if (found === undefined)
      return refuse(
        'broken.label',
        `--without: expected an operation that does something, found ${meant[0] === undefined ? '' : `${meant[0].op.name} by `}'${text}'; ${nearby(text, acting)}`,
      )
    const dropped = unread(program)(doing.get(found) ?? new Set())
    return dropped.size === 0
      ? refuse(
          'broken.result',
          `--without: expected an operation whose results are not read, found ${names(found)}`,
        )
      : withoutThose(text, dropped)(program)
  }

/** Without the operations that these texts name, one after the other. */
export const withoutOperations = (
  launched: LaunchedModule,
  texts: ReadonlyArray<string>,
): E.Either<Failure, Program> =>
  texts.reduce<E.Either<Failure, Program>>(
    (program, text) => pipe(program, E.chain(one(launched)(text))),
    E.right(launched.program),
  )
