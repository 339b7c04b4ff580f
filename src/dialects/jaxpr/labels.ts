/**
 * Labels: what findings call an equation, and which equation a label or a line means.
 *
 * An equation has no name, so its label is what it does and where: `barrier_wait 31` is the wait in line 31; of several in one line, all but the first
 * are counted: `barrier_wait 31, 2`. A line of another file than the kernel's first has its file: `barrier_wait util.py:7`.
 *
 * An equation may be several statements of a program: behind its label these have a dot and a word, `copy_gmem_to_smem 12.expect`. All threads run one
 * text: an equation has one label in all of them, and to leave it out is to leave it out of the text.
 *
 * Laws
 * 1. No two equations have one label.
 * 2. Every statement that an equation becomes is that equation's (`ownerOf`).
 */
import type { Document, Eqn } from './document.js'
import { placeOf, placesOf } from './places.js'

/** An equation, its label in findings, and the place where its author wrote it. */
export interface Labelled {
  readonly eqn: Eqn
  readonly label: string
  /** `kernel.py:31` */
  readonly place: string | null
  /** that, and the calls that led there */
  readonly places: ReadonlyArray<string>
}

/** The file that most equations are of, the first of as many: its lines need no name of a file. */
const mainFile = (d: Document): string | null => {
  const times = new Map<string, number>()
  for (const { eqns = [] } of d.jaxprs)
    for (const eqn of eqns) {
      const file = placeOf(d, eqn)?.replace(/:\d+$/, '')
      if (file !== undefined) times.set(file, (times.get(file) ?? 0) + 1)
    }
  let most: string | null = null
  for (const [file, n] of times) if (most === null || n > times.get(most)!) most = file
  return most
}

/** A name for each equation that no other has. */
export const labelsOf = (d: Document): ReadonlyMap<Eqn, string> => {
  const main = mainFile(d)
  const taken = new Set<string>()
  const labels = new Map<Eqn, string>()
  for (const { eqns = [] } of d.jaxprs)
    for (const eqn of eqns) {
      const place = placeOf(d, eqn)
      const where =
        place === null
          ? ''
          : ` ${main !== null && place.startsWith(`${main}:`) ? place.slice(main.length + 1) : place}`
      const base = `${eqn.op}${where}`
      let label = base
      for (let k = 2; taken.has(label); k++) label = `${base}, ${String(k)}`
      taken.add(label)
      labels.set(eqn, label)
    }
  return labels
}

/** The equations of a document, by their labels. */
export const labelledIn = (d: Document): ReadonlyMap<string, Labelled> =>
  new Map(
    [...labelsOf(d)].map(([eqn, label]) => [
      label,
      { eqn, label, place: placeOf(d, eqn), places: placesOf(d, eqn) },
    ]),
  )

/** The equation that became the statement with this label; null for a statement of no equation. */
export const ownerOf =
  (labelled: ReadonlyMap<string, Labelled>) =>
  (statement: string): Labelled | null => {
    for (let end = statement.length; end > 0; end = statement.lastIndexOf('.', end - 1)) {
      const found = labelled.get(statement.slice(0, end))
      if (found !== undefined) return found
    }
    return null
  }

/** Equations that a text can refer to: a label, `kernel.py:31`, `31`, or an operation and a line. */
export const meantBy =
  (labelled: ReadonlyMap<string, Labelled>) =>
  (text: string): ReadonlyArray<Labelled> => {
    const exact = labelled.get(text)
    const all = [...labelled.values()]
    // the first of a line has the bare label: alone it is meant only if it is the one
    if (exact !== undefined) return [exact]
    const bare = text.replace(/^.*[/\\]/s, '')
    const of = (place: string): ReadonlyArray<Labelled> => {
      const own = all.filter((o) => o.place === place)
      return own.length > 0 ? own : all.filter((o) => o.places.includes(place))
    }
    if (/^[^:\s]+:\d+$/.test(bare)) return of(bare)
    const [, op, line] = /^(?:(\S+)\s+)?(\d+)$/.exec(bare) ?? []
    return line === undefined
      ? all.filter((o) => o.eqn.op === bare)
      : all.filter((o) => (op === undefined || o.eqn.op === op) && o.place?.endsWith(`:${line}`) === true)
  }
