/**
 * An entry by what a person calls it: by its symbol, or by its name in C++ where no other entry has that name.
 *
 *     --entry _ZN3gem5scaleIfLi4EEEvPT_i        always
 *     --entry 'gem::scale<float, 4>'            where there is one
 *     --entry scale                             where one entry is called so
 *
 * Law 1. A symbol of the module is that entry, whatever others are called.
 */
import * as E from 'fp-ts/lib/Either.js'
import { failure, type Failure } from '../../../failure.js'
import { isCalled, shownName } from './itanium.js'

/** The symbol of the entry that is meant; null says none, and of a module with one entry means that. */
export const entryNamed = (
  entries: ReadonlyArray<string>,
  said: string | null,
): E.Either<Failure<'ptx.entry'>, string> => {
  const listed = entries.map(shownName).join(', ')
  const found =
    said === null ? entries : entries.includes(said) ? [said] : entries.filter((name) => isCalled(name, said))
  const [only, another] = found
  if (only !== undefined && another === undefined) return E.right(only)
  return E.left(
    failure(
      'ptx.entry',
      said === null
        ? `expected the name of one of ${String(entries.length)} entries: ${listed}`
        : only === undefined
          ? `there is no entry ${said}; there is ${listed === '' ? 'none' : listed}`
          : `${String(found.length)} entries are called ${said}: ${found.map(shownName).join(', ')}`,
    ),
  )
}
