/**
 * The language that a kernel is written in, and what commands need to know of a language: a table with one row each.
 *
 * | a name                                             | language | launched | level   | known data |
 * |----------------------------------------------------|----------|----------|---------|------------|
 * | `k.ptx`; a kernel of the zoo that is PTX           | `ptx`    | yes      | `ptx`   | yes        |
 * | `k.ttgir`                                          | `ttgir`  | yes      | `ttgir` | no         |
 * | any other: the catalogue, `k.json`, `k.jaxpr.json` | `core`   | no       | none    | no         |
 *
 * A command asks for a column of this table, or has a table of its own with a function for each language. No command asks "is it PTX": such a question leaves
 * out the languages that come later, and tsc does not notice. A table without one of them does not compile.
 *
 * Laws
 * 1. Every name has one language, and it depends on the name alone, unless a launch of a program of a host is asked for (`--operation`): that is PTX.
 * 2. The ending of a file counts in any case of its letters.
 */
import { laneTwinOf } from '../launch/lane-twins.js'
import type { Options } from './command.js'
import { asksOperation } from './programs.js'

export interface Language {
  readonly name: LanguageName
  /** how the name of a file in it ends; null: no ending is its own */
  readonly ending: string | null
  /** a launch file or flags launch it; others bring their launch with them, or have none */
  readonly isLaunched: boolean
  /** the word of `--level` for a kernel in it that has no other form */
  readonly level: 'ptx' | 'ttgir' | null
  /** a check of it can be told which data it knows, and may know none */
  readonly takesKnown: boolean
}
export type LanguageName = 'ptx' | 'ttgir' | 'core'

const languages: Readonly<Record<LanguageName, Language>> = {
  ptx: { name: 'ptx', ending: '.ptx', isLaunched: true, level: 'ptx', takesKnown: true },
  ttgir: { name: 'ttgir', ending: '.ttgir', isLaunched: true, level: 'ttgir', takesKnown: false },
  core: { name: 'core', ending: null, isLaunched: false, level: null, takesKnown: false },
}

/** The language of a file, by the ending of its name. */
export const languageOfFile = (file: string): Language => {
  const lower = file.toLowerCase()
  return (
    Object.values(languages).find(({ ending }) => ending !== null && lower.endsWith(ending)) ?? languages.core
  )
}

/** The language of a kernel that is named: one in a file, or one that the library has. */
export const languageOf = (name: string): Language =>
  laneTwinOf(name) === undefined ? languageOfFile(name) : languages.ptx

/** The language that a command line is about: that of its name, or of one launch of a program. */
export const languageAsked = (name: string, options: Options): Language =>
  asksOperation(options) ? languages.ptx : languageOf(name)
