/** `--threads N`: how many share the work of a command. */
import type { Command } from 'commander'
import * as E from 'fp-ts/lib/Either.js'
import type { Options } from '../command.js'
import { refuseFlag, type FlagFailure } from './choice.js'
import { wordOf } from './words.js'

export const threadsOption = (command: Command): Command =>
  command.option('--threads <count>', 'threads that share the points; default: one for each core')

/** What was asked for, or null for as many as there are. */
export const threadsAsked = (options: Options): E.Either<FlagFailure, number | null> => {
  const text = wordOf(options, 'threads')
  return text === null
    ? E.right(null)
    : /^[1-9]\d?$/.test(text)
      ? E.right(Number(text))
      : refuseFlag('--threads', 'a number from 1 to 99', text)
}
