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
import {
  effectsOf,
  mapRegions,
  type Program,
  type Region,
  type Stmt,
} from '../../semantics/language/program.js'

export type WithoutFailure = Failure<'broken.label' | 'broken.result'>

const filtered = (r: Region, keep: (s: Stmt) => boolean): Region => ({
  ...r,
  body: r.body.filter(keep).map((s) => mapRegions(s, (inner) => filtered(inner, keep))),
})

/** Labels of the statements that have an effect, each once, in program order. */
export const labelsOf = (program: Program): ReadonlyArray<string> => [
  ...new Set(effectsOf(program.entry.body).map((s) => s.site.label)),
]

/** Leaves out every effect with this label. */
export const without =
  (label: string) =>
  (program: Program): E.Either<WithoutFailure, Program> => {
    const dropped = effectsOf(program.entry.body).filter((s) => s.site.label === label)
    if (dropped.length === 0)
      return refuse(
        'broken.label',
        `${program.name}: expected the label of an effect to leave out, one of ${labelsOf(program)
          .map((l) => `'${l}'`)
          .join(', ')}; found '${label}'`,
      )
    return dropped.some((s) => s.results.length > 0)
      ? refuse('broken.result', `${program.name}: '${label}' gives a result, so it cannot be left out`)
      : E.right({
          ...program,
          entry: filtered(program.entry, (s) => s._tag !== 'Do' || s.site.label !== label),
        })
  }
