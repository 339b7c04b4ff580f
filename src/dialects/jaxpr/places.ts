/** Where the author wrote it: from the location of an equation to a file and a line. */
import type { Document, Eqn, Location } from './document.js'

const locationOf = ({ locations }: Document, eqn: Eqn): Location | null =>
  eqn.at == null ? null : (locations?.[eqn.at] ?? null)

const baseName = (file: string): string => file.replace(/^.*[/\\]/s, '')

const placeOfLocation = ({ files }: Document, l: Location): string =>
  `${baseName(files?.[l.file] ?? 'kernel')}:${String(l.line)}`

/** `kernel.py:31`, the file by its base name. */
export const placeOf = (d: Document, eqn: Eqn): string | null => {
  const l = locationOf(d, eqn)
  return l === null ? null : placeOfLocation(d, l)
}

/** The line and those of the calls that led there, the innermost first. */
export const placesOf = (d: Document, eqn: Eqn): ReadonlyArray<string> => {
  const found: string[] = []
  let l = locationOf(d, eqn)
  // a chain that leads back to itself is one of no program
  for (let n = 0; l !== null && n < 64; n++) {
    found.push(placeOfLocation(d, l))
    l = l.caller == null ? null : (d.locations?.[l.caller] ?? null)
  }
  return found
}

/** The text of the lines that there are, by their places. */
export const linesOf = (d: Document): ReadonlyMap<string, string> =>
  new Map(
    (d.locations ?? []).flatMap((l) =>
      l.text === undefined || l.text === '' ? [] : [[placeOfLocation(d, l), l.text]],
    ),
  )

/** The line of the author's file. */
export const lineOf = (d: Document, eqn: Eqn): number | null => locationOf(d, eqn)?.line ?? null
