/**
 * What an author wrote: the line of a finding's statement, and the operation that the compiler made of it.
 *
 *     kernel.py:31: acc = tl.dot(x, y, acc)  (ttng.warp_group_dot, line 107)
 *
 * The text of a line is quoted if a file of its name lies beside the module.
 */
import { ownerOf, type Labelled } from '../../dialects/ttgir/index.js'
import type { LaunchedModule } from './launched.js'

const lineOf = ({ sources }: LaunchedModule, place: string): string => {
  const [, file = '', line = ''] = /^(.*):(\d+)$/s.exec(place) ?? []
  const text = sources.get(file)?.[Number(line) - 1]?.trim() ?? ''
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
