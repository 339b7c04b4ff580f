/**
 * Where the author wrote it: from the location of an equation to a file and a line.
 *
 * JAX's own loops and pipelines write equations, too. An author of a kernel looks for no mistake there, so the place is the innermost line that is not
 * JAX's; a kernel that ships with JAX is one like any other.
 */
import type { Document, Eqn, Location } from './document.js'

const locationOf = ({ locations }: Document, eqn: Eqn): Location | null =>
  eqn.at == null ? null : (locations?.[eqn.at] ?? null)

/** Files of JAX itself, but for kernels that ship with it. */
const isLibrary = (file: string): boolean =>
  /(^|[/\\])jax[/\\](_src|interpreters|experimental[/\\](mosaic|pallas[/\\](?!ops[/\\])))/.test(file)

/** The location and those of the calls that led there, the innermost first. */
const chainOf = (d: Document, eqn: Eqn): ReadonlyArray<Location> => {
  const found: Location[] = []
  let l = locationOf(d, eqn)
  // a chain that leads back to itself is one of no program
  for (let n = 0; l !== null && n < 64; n++) {
    found.push(l)
    l = l.caller == null ? null : (d.locations?.[l.caller] ?? null)
  }
  return found
}

/** The line of the author. */
const ownLocation = (d: Document, eqn: Eqn): Location | null => {
  const chain = chainOf(d, eqn)
  return chain.find((l) => !isLibrary(d.files?.[l.file] ?? '')) ?? chain[0] ?? null
}

const baseName = (file: string): string => file.replace(/^.*[/\\]/s, '')

const placeOfLocation = ({ files }: Document, l: Location): string =>
  `${baseName(files?.[l.file] ?? 'kernel')}:${String(l.line)}`

/** `kernel.py:31`, the file by its base name. */
export const placeOf = (d: Document, eqn: Eqn): string | null => {
  const l = ownLocation(d, eqn)
  return l === null ? null : placeOfLocation(d, l)
}

/** The line and those of the calls that led there, the innermost first. */
export const placesOf = (d: Document, eqn: Eqn): ReadonlyArray<string> =>
  chainOf(d, eqn).map((l) => placeOfLocation(d, l))

/** A line has no line in it, whatever a document says. */
const oneLine = (text: string): string => text.replace(/\s*[\r\n\u0085\u2028\u2029]+\s*/gu, ' ')

/** The text of the known lines, by place. */
export const linesOf = (d: Document): ReadonlyMap<string, string> =>
  new Map(
    (d.locations ?? []).flatMap((l) =>
      l.text === undefined || l.text === '' ? [] : [[placeOfLocation(d, l), oneLine(l.text)]],
    ),
  )
