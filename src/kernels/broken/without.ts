/**
 * A program without one of its statements.
 *
 * A program is data, so a broken kernel needs no source of its own: it is a kernel and the label of what to leave out. Every `Do` with
 * that label goes, wherever it stands; the values around it stay, so nothing else changes.
 *
 *     without('wait consumed')(hopperMatmul)      the producer no longer waits for a slot to be free
 *
 * Laws
 * 1. The listing of `without(label)(p)` is the listing of p less the lines of that label.
 * 2. A label that no effect carries is refused, with those there are.
 * 3. A statement whose results are read cannot be left out: it is refused.
 */
import * as E from 'fp-ts/lib/Either.js'
import { refuse, type Failure } from '../../failure.js'
import { didYouMean } from '../../nearest.js'
import { children, type ExprNode } from '../../semantics/language/expression.js'
import {
  effectsOf,
  expressionsOf,
  mapRegions,
  statementsOf,
  type Program,
  type Region,
  type Stmt,
} from '../../semantics/language/program.js'

export type WithoutFailure = Failure<'broken.label' | 'broken.result'>

const filtered = (r: Region, keep: (s: Stmt) => boolean): Region => ({
  ...r,
  body: r.body.filter(keep).map((s) => mapRegions(s, (inner) => filtered(inner, keep))),
})

const namesOf = (e: ExprNode): ReadonlyArray<string> =>
  e._tag === 'name' ? [e.name] : children(e).flatMap(namesOf)

/** Names that the statements of a region read. */
const namesRead = (r: Region): ReadonlySet<string> =>
  new Set([...statementsOf(r.body).flatMap(expressionsOf), ...r.yields].flatMap(namesOf))

/** Labels of the statements that have an effect, each once, in program order. */
export const labelsOf = (program: Program): ReadonlyArray<string> => [
  ...new Set(effectsOf(program.entry.body).map((s) => s.site.label)),
]

/** Leaves out every effect with this label. */
export const without =
  (label: string) =>
  (program: Program): E.Either<WithoutFailure, Program> => {
    const labels = labelsOf(program)
    return labels.includes(label)
      ? withoutThose(label, new Set([label]))(program)
      : refuse(
          'broken.label',
          `${program.name}: no statement '${label}' to leave out; ${didYouMean(labels.map((l) => `'${l}'`))(`'${label}'`)} The statements are ${labels
            .map((l) => `'${l}'`)
            .join(', ')}`,
        )
  }

/** Of these labels, those whose effects give nothing that the rest reads. */
export const unread =
  (program: Program) =>
  (labels: ReadonlySet<string>): ReadonlySet<string> => {
    const dropped = effectsOf(program.entry.body).filter((s) => labels.has(s.site.label))
    const read = namesRead(filtered(program.entry, (s) => s._tag !== 'Do' || !labels.has(s.site.label)))
    const needed = dropped.filter((s) => s.results.some((r) => read.has(r.name))).map((s) => s.site.label)
    return needed.length === 0
      ? labels
      : unread(program)(new Set([...labels].filter((label) => !needed.includes(label))))
  }

/** Leaves out every effect with one of these labels, which together are called `name`. */
export const withoutThose =
  (name: string, labels: ReadonlySet<string>) =>
  (program: Program): E.Either<WithoutFailure, Program> => {
    const isDropped = (s: Stmt): boolean => s._tag === 'Do' && labels.has(s.site.label)
    const entry = filtered(program.entry, (s) => !isDropped(s))
    const read = namesRead(entry)
    return effectsOf(program.entry.body).some((s) => isDropped(s) && s.results.some((r) => read.has(r.name)))
      ? refuse(
          'broken.result',
          `${program.name}: '${name}' gives a result that is read, so it cannot be left out`,
        )
      : E.right({ ...program, entry })
  }
