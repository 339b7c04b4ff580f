/**
 * A program without one of its author's operations, of a launched module or of a kernel that JAX traced (`traced.ts`): the statements that it became are left out, but for what gives results that others read. A wait is
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

// ---------------------------------------------------------------- whatever the author wrote

/** The operations of an author, and how they are spoken of. */
export interface Authored<L extends { readonly label: string }> {
  /** whose a statement is, by its label */
  readonly owner: (label: string) => L | null
  readonly meantBy: (text: string) => ReadonlyArray<L>
  /** `wait_barrier` */
  readonly kind: (operation: L) => string
  /** its label, and where it stands */
  readonly names: (operation: L) => string
  /** the line that is asked for, and that of an operation beside it (infinite: of another file); null: no line is */
  readonly lines: (text: string) => { readonly line: number; readonly of: (operation: L) => number } | null
}

/** The nearest lines, where a line is asked for, else the nearest labels. */
const nearby = <L extends { readonly label: string }>(
  { lines, names }: Authored<L>,
  text: string,
  acting: ReadonlyArray<L>,
): string => {
  const asked = lines(text)
  const near =
    asked === null
      ? []
      : acting
          .filter((o) => asked.of(o) < Infinity)
          .sort((x, y) => Math.abs(asked.of(x) - asked.line) - Math.abs(asked.of(y) - asked.line))
          .slice(0, 3)
  return near.length === 0
    ? didYouMean(acting.map((o) => o.label))(text)
    : `the nearest are ${near.map(names).join(', ')}`
}

const one =
  <L extends { readonly label: string }>(authored: Authored<L>) =>
  (text: string) =>
  (program: Program): E.Either<Failure, Program> => {
    const { owner, meantBy: meantIn, kind, names } = authored
    const doing = new Map<L, Set<string>>()
    for (const { site } of effectsOf(program.entry.body)) {
      const found = owner(site.label)
      if (found !== null) doing.set(found, (doing.get(found) ?? new Set()).add(site.label))
    }
    const acting = [...doing.keys()]
    const meant = meantIn(text)
    const [found, ...others] = meant.filter((o) => doing.has(o))
    if (others.length > 0)
      return refuse(
        'broken.label',
        `--without: expected one operation, found ${String(others.length + 1)} by '${text}': ${[found!, ...others].map(names).join(', ')}`,
      )
    if (found === undefined)
      return refuse(
        'broken.label',
        `--without: expected an operation that does something, found ${meant[0] === undefined ? '' : `${kind(meant[0])} by `}'${text}'; ${nearby(authored, text, acting)}`,
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
export const withoutAuthored =
  <L extends { readonly label: string }>(authored: Authored<L>, texts: ReadonlyArray<string>) =>
  (program: Program): E.Either<Failure, Program> =>
    texts.reduce<E.Either<Failure, Program>>(
      (made, text) => pipe(made, E.chain(one(authored)(text))),
      E.right(program),
    )

// ---------------------------------------------------------------- a module's

const authoredIn = ({ operations }: LaunchedModule): Authored<Labelled> => ({
  owner: ownerOf(operations),
  meantBy: meantBy(operations),
  kind: ({ op }) => op.name,
  names: ({ label, op, place }) =>
    `'${label}' (${[`${op.name} in line ${String(op.at.line)}`, ...(place === null ? [] : [place])].join(', ')})`,
  lines: (text) => {
    const line = /(?:^|\s|:)(\d+)$/.exec(text)?.[1]
    const author = /^(.*\.py):\d+$/.exec(text)?.[1]
    if (line === undefined) return null
    return {
      line: Number(line),
      of: ({ op, place }) =>
        author === undefined
          ? op.at.line
          : place?.startsWith(`${author}:`) === true
            ? Number(place.slice(author.length + 1))
            : Infinity,
    }
  },
})

/** Without the operations of a module that these texts name. */
export const withoutOperations = (
  launched: LaunchedModule,
  texts: ReadonlyArray<string>,
): E.Either<Failure, Program> => withoutAuthored(authoredIn(launched), texts)(launched.program)
