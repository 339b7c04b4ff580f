/**
 * What an author wrote: the line of a finding's statement, and the operation that the compiler made of it.
 *
 *     kernel.py:31: acc = tl.dot(x, y, acc)  (ttng.warp_group_dot, line 107)
 *
 * The text of a line is quoted if a file of its name lies beside the module.
 */
import { ownerOf, type Labelled } from '../../dialects/ttgir/index.js'
import type { LaunchedModule } from './launched.js'

const textAt = ({ sources }: LaunchedModule, place: string): string => {
  const [, file = '', line = ''] = /^(.*):(\d+)$/s.exec(place) ?? []
  return sources.get(file)?.[Number(line) - 1]?.trim() ?? ''
}

const lineOf = (module: LaunchedModule, place: string): string => {
  const text = textAt(module, place)
  return text === '' ? place : `${place}: ${text}`
}

const operationText = ({ op }: Labelled): string => `${op.name}, line ${String(op.at.line)}`

/** Of a statement by its label; null where it is of no operation. */
export const quoteOf = (module: LaunchedModule): ((o: { readonly site: string }) => string | null) => {
  const owner = ownerOf(module.operations)
  return ({ site }) => {
    const found = owner(site)
    if (found === null) return null
    return found.place === null
      ? operationText(found)
      : `${lineOf(module, found.place)}  (${operationText(found)})`
  }
}

/** Where an author wrote a statement, and what stands there; the line of the module where that is not known. */
export const sourceIn = (
  module: LaunchedModule,
): ((o: { readonly site: string }) => { readonly place: string; readonly text: string } | null) => {
  const owner = ownerOf(module.operations)
  return ({ site }) => {
    const found = owner(site)
    if (found === null) return null
    return found.place === null
      ? { place: `line ${String(found.op.at.line)} of the module`, text: found.op.name }
      : { place: found.place, text: textAt(module, found.place) }
  }
}
