/**
 * A flag whose value is one word out of a list, and a flag whose value is a seed.
 *
 * Laws
 *  1. a word of the list parses to itself; every other text is refused with the whole list and the word that is nearest
 *  2. a seed is a decimal integer from 0 to 2^32 - 1
 */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { failure, refuse, type Failure } from '../../../failure.js'
import { meant } from '../../../nearest.js'

/** A flag, a setting or a file argument that cannot be read. */
export type FlagFailure = Failure<'bad-flag'>

/** `--flag: expected this, found that`: the form of every refusal of a flag. */
export const refuseFlag = (flag: string, expected: string, found: string): E.Either<FlagFailure, never> =>
  refuse('bad-flag', `${flag}: expected ${expected}, found ${found === '' ? 'nothing' : `'${found}'`}`)

/** The refusal of a word that is none of `known`: `expected` says them as the help does. */
export const refuseWord = (
  flag: string,
  known: ReadonlyArray<string>,
  text: string,
  expected: string = known.join('|'),
): E.Either<FlagFailure, never> =>
  pipe(
    refuseFlag(flag, expected, text),
    E.mapLeft(({ code, message }) => failure(code, `${message}${meant(known)(text)}`)),
  )

/** One word of `known`. */
export const oneOf =
  <Word extends string>(flag: string, known: ReadonlyArray<Word>) =>
  (text: string): E.Either<FlagFailure, Word> => {
    const word = known.find((k) => k === text)
    return word === undefined ? refuseWord(flag, known, text) : E.right(word)
  }

/** A seed of a random number generator: 32 bits. */
export const parseSeed = (flag: string, text: string): E.Either<FlagFailure, number> =>
  /^\d{1,10}$/.test(text) && Number(text) < 2 ** 32
    ? E.right(Number(text))
    : refuseFlag(flag, 'a seed from 0 to 4294967295', text)
