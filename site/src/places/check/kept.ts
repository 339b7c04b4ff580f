/**
 * What is checked, as a file that opens again: texts, launch, tensors and what if.
 *
 * Law 1. `readKept(printKept(s))` is `s`.
 */
import { isMembers } from '../../machine/members.js'
import { paramsOf, stateOf, type State } from './subject.js'

const schema = 'tcspec.page-check/1'

export const printKept = (s: State): string =>
  `${JSON.stringify(
    {
      schema,
      params: Object.fromEntries(Object.entries(paramsOf(s)).filter(([, text]) => text !== null)),
      ...(Object.keys(s.tensors).length === 0 ? {} : { tensors: s.tensors }),
    },
    null,
    1,
  )}\n`

const texts = (u: unknown): Readonly<Record<string, string>> =>
  isMembers(u)
    ? Object.fromEntries(
        Object.entries(u).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
      )
    : {}

/** The state that a file holds; null: it is no such file. */
export const readKept = (text: string): State | null => {
  if (!text.slice(0, 200).includes(schema)) return null
  try {
    const said: unknown = JSON.parse(text)
    return isMembers(said) && said['schema'] === schema
      ? { ...stateOf(texts(said['params'])), tensors: texts(said['tensors']) }
      : null
  } catch {
    return null
  }
}
