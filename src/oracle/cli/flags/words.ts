/**
 * What commander hands over, read as what it was declared to be: repeated words, one word, a switch.
 *
 * Law 1. An option that was not given is no words, nothing, or false.
 */
import type { Options } from '../command.js'
import { own } from '../../../own.js'

export const wordsOf = (options: Options, name: string): ReadonlyArray<string> => {
  const value = own(options, name)
  return Array.isArray(value) ? value.filter((word) => typeof word === 'string') : []
}

/** For an option that takes one word each time: its words so far, and this one. */
export const again = (word: string, before: ReadonlyArray<string> = []): ReadonlyArray<string> => [
  ...before,
  word,
]

export const wordOf = (options: Options, name: string): string | null => {
  const value = own(options, name)
  return typeof value === 'string' ? value : null
}

export const switchOf = (options: Options, name: string): boolean => own(options, name) === true
