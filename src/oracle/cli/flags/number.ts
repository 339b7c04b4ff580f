/** A flag whose value is a number: bytes, lines, an index. */
import * as E from 'fp-ts/lib/Either.js'
import type { Options } from '../command.js'
import { refuseFlag, type FlagFailure } from './choice.js'
import { wordOf } from './words.js'

export const numberIn = (
  name: string,
  text: string | null,
  otherwise: number,
): E.Either<FlagFailure, number> => {
  if (text === null) return E.right(otherwise)
  return /^\d{1,9}$/.test(text) ? E.right(Number(text)) : refuseFlag(`--${name}`, 'a number', text)
}

export const numberOption = (
  options: Options,
  name: string,
  otherwise: number,
): E.Either<FlagFailure, number> => numberIn(name, wordOf(options, name), otherwise)
