/** Where the author wrote it: from a location of the text to a file and a line. */
import { definitionOf, type Location, type Module } from '../text/syntax.js'

/** Functions of Triton's own, in which no author of a kernel looks for a mistake. */
const isLibrary = (place: string): boolean => /(^|\/)triton\/(language|experimental)\//.test(place)

/** `kernel.py:31`, the file by its base name: for an inlined function, its own line, or the line of the call
 * if the function is Triton's. */
export const placeOf = (m: Module, l: Location | null): string | null =>
  columnOf(m, l)?.replace(/:\d+$/s, '') ?? null

/** The same with its column: `kernel.py:31:12`. */
export const columnOf = (m: Module, l: Location | null): string | null =>
  fullPlace(m, l)?.replace(/^.*[/\\]/s, '') ?? null

const fullPlace = (m: Module, l: Location | null): string | null => {
  switch (l?._tag) {
    case 'file':
      return `${l.file}:${String(l.line)}:${String(l.column)}`
    case 'name':
      return fullPlace(m, l.of)
    case 'call': {
      const own = fullPlace(m, l.callee)
      return own === null || isLibrary(own) ? (fullPlace(m, l.caller) ?? own) : own
    }
    case 'fused':
      return l.of.reduce<string | null>((found, of) => found ?? fullPlace(m, of), null)
    case 'alias': {
      const definition = definitionOf(m, l.name)
      return definition?.location == null ? null : fullPlace(m, definition.location)
    }
    case undefined:
    case 'unknown':
      return null
  }
}
