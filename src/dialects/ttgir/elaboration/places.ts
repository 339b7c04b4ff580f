/** Where the author wrote it: from a location of the text to a file and a line. */
import type { Location, Module } from '../text/syntax.js'

/** `kernel.py:31` */
export const placeOf = (m: Module, l: Location | null): string | null => {
  switch (l?._tag) {
    case 'file':
      return `${l.file}:${String(l.line)}`
    case 'name':
      return placeOf(m, l.of)
    case 'call':
      return placeOf(m, l.callee) ?? placeOf(m, l.caller)
    case 'fused':
      return l.of.reduce<string | null>((found, of) => found ?? placeOf(m, of), null)
    case 'alias': {
      const definition = m.definitions.find(({ name }) => name === l.name)
      return definition?.location == null ? null : placeOf(m, definition.location)
    }
    default:
      return null
  }
}
