/**
 * An encoding that stands alone: one attribute, or the definitions of a module up to the one that is meant.
 *
 *     #ttg.blocked<{sizePerThread = [1, 8], ...}>
 *     #mma = #ttg.nvidia_mma<{...}>  #row = #ttg.slice<{dim = 1, parent = #mma}>        the last of them
 *
 * Law 1. It is what a module has in which a tensor or a buffer is encoded so.
 */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { refuse, type Failure } from '../../../failure.js'
import type { EncodingSpec } from '../../../layouts/triton/encoding.js'
import { readModule } from '../text/reader.js'
import { registerEncoding, resolved, sharedEncoding, tensorMemoryEncoding } from './encodings.js'

/** Characters of a text that is read: an encoding has some hundred. */
const mostCharacters = 65_536

const isDefined = (text: string): boolean => /^\s*#[\w.]+\s*=/.test(text)

export const encodingOfText = (text: string): E.Either<Failure, EncodingSpec> => {
  if (text.length > mostCharacters)
    return refuse(
      'ttgir.encoding',
      `expected an encoding of at most ${String(mostCharacters)} characters, found ${String(text.length)}`,
    )
  return pipe(
    readModule(`${isDefined(text) ? text : `#layout = ${text}`}\nmodule {\n}\n`),
    E.chainW((m): E.Either<Failure, EncodingSpec> => {
      const last = m.definitions[m.definitions.length - 1]?.attribute ?? null
      const attribute = last === null ? null : resolved(m, last)
      const name = attribute?._tag === 'dialect' ? attribute.name : ''
      return name.startsWith('ttng.')
        ? tensorMemoryEncoding(m, attribute)
        : name.includes('shared')
          ? sharedEncoding(m, attribute)
          : registerEncoding(m, attribute)
    }),
  )
}
