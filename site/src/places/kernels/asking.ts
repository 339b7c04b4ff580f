/**
 * What the address of this place asks: the params of `view`, and the command line that says the same.
 *
 * | param      | is                                                         |
 * |------------|------------------------------------------------------------|
 * | `kernel`   | a name that `tcspec kernels` lists, or `own`               |
 * | `program`  | the text of a program of the reader's own                  |
 * | `set`      | settings: `k=192 stages=2`                                 |
 * | `without`  | labels that are left out, a line each                      |
 * | `schedule` | the words of a schedule; eager where there are none        |
 * | `at`       | the position                                               |
 * | `finding`  | the finding that is looked at, by its place in the verdict; where there is neither this nor `at`, the first one |
 *
 * Law 1. `settingsOf(settingWords(s))` is `s`, of settings whose words have no blank.
 */
import type { Params } from '../../address.js'
import type { Refused } from '../../machine/protocol.js'

export const own = 'own'
export const firstKernel = 'matmul1'
/** Characters of a program that a link still carries. */
const mostProgram = 4_000_000

export type SettingValues = Readonly<Record<string, string | number>>

export const settingsOf = (words: string): SettingValues =>
  Object.fromEntries(
    words.split(/\s+/).flatMap((word) => {
      const at = word.indexOf('=')
      if (at <= 0) return []
      const value = word.slice(at + 1)
      return [[word.slice(0, at), /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : value] as const]
    }),
  )

export const settingWords = (settings: SettingValues): string =>
  Object.entries(settings)
    .map(([name, value]) => `${name}=${String(value)}`)
    .join(' ')

export const withoutOf = (params: Params): ReadonlyArray<string> =>
  (params['without'] ?? '').split('\n').filter((label) => label !== '')

export const kernelOf = (params: Params): string =>
  params['kernel'] ?? (params['program'] === undefined ? firstKernel : own)

type Read = { readonly program: unknown } | { readonly refused: Refused }

const refuse = (message: string): Read => ({ refused: { code: 'program', message: `program: ${message}` } })

/** Levels that JSON may nest, as `tcspec serve` has them: what is deeper ends the stack of what writes it again. */
const mostLevels = 512

const levelsOf = (text: string): number => {
  let [level, most] = [0, 0]
  let isString = false
  for (let i = 0; i < text.length; i++) {
    const c = text[i]
    if (isString) {
      if (c === '\\') i++
      else if (c === '"') isString = false
    } else if (c === '"') isString = true
    else if (c === '[' || c === '{') most = Math.max(most, ++level)
    else if (c === ']' || c === '}') level--
  }
  return most
}

/** A program that was pasted: an object of JSON; what it says is the library's to judge. */
const programOf = (text: string): Read => {
  if (text.trim() === '') return refuse('expected JSON, found nothing: paste or drop one')
  if (text.length > mostProgram)
    return refuse(
      `expected at most ${mostProgram.toLocaleString('en')} characters, found ${text.length.toLocaleString('en')}`,
    )
  if (/^\s*(#|module\b)/.test(text))
    return refuse('expected JSON, found a Triton module: open it under Check')
  const levels = levelsOf(text)
  if (levels > mostLevels)
    return refuse(`expected at most ${String(mostLevels)} levels, found ${levels.toLocaleString('en')}`)
  try {
    const program: unknown = JSON.parse(text)
    return typeof program === 'object' && program !== null && !Array.isArray(program)
      ? { program }
      : refuse('expected an object, found JSON of another kind')
  } catch (error) {
    return refuse(`expected JSON: ${error instanceof Error ? error.message.slice(0, 160) : 'it is none'}`)
  }
}

/** What is asked of the machine, or why nothing is. */
export const questionOf = (
  params: Params,
): { readonly question: unknown } | { readonly refused: Refused } => {
  const kernel = kernelOf(params)
  const settings = settingsOf(params['set'] ?? '')
  const without = withoutOf(params)
  const schedule = params['schedule'] ?? ''
  const read = kernel === own ? programOf(params['program'] ?? '') : null
  if (read !== null && 'refused' in read) return read
  return {
    question: {
      kernel: read === null ? kernel : read.program,
      ...(kernel === own || Object.keys(settings).length === 0 ? {} : { set: settings }),
      ...(without.length === 0 ? {} : { without }),
      ...(schedule === '' ? {} : { schedule }),
    },
  }
}

const quoted = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replace(/'/g, `'\\''`)}'`

/** The command line of the same run, in a file. */
export const commandOf = (params: Params): string => {
  const kernel = kernelOf(params)
  const set = kernel === own ? '' : settingWords(settingsOf(params['set'] ?? ''))
  const schedule = params['schedule'] ?? ''
  return [
    'tcspec view',
    kernel === own ? 'program.json' : quoted(kernel),
    ...(set === '' ? [] : ['--set', set]),
    ...withoutOf(params).flatMap((label) => ['--without', quoted(label)]),
    ...(schedule === '' ? [] : ['--schedule', quoted(schedule)]),
    '-o run.html',
  ].join(' ')
}
