/**
 * `--set name=value ...`: the settings of a kernel.
 *
 * | text            | setting               |
 * |-----------------|-----------------------|
 * | `m=256`         | `m` is the number 256 |
 * | `scale=0.125`   | a number              |
 * | `causal=true`   | a truth value         |
 * | `gridMinorDim=n`| a word                |
 *
 * Which names a kernel knows and which values it takes is the kernel's business.
 *
 * Laws
 *  1. each name appears once: setting it again is refused, also with the same value
 *  2. a number is read as JavaScript reads its decimal literal, and is finite
 */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { refuseFlag, type FlagFailure } from './choice.js'

export type SettingValue = number | boolean | string
export type Settings = Readonly<Record<string, SettingValue>>

const flag = '--set'

const parseValue = (text: string): E.Either<FlagFailure, SettingValue> => {
  if (text === 'true' || text === 'false') return E.right(text === 'true')
  if (/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text)) {
    return Number.isFinite(Number(text)) ? E.right(Number(text)) : refuseFlag(flag, 'a finite number', text)
  }
  return /^[A-Za-z][\w-]*$/.test(text)
    ? E.right(text)
    : refuseFlag(flag, 'a number, true, false or a word', text)
}

const parseSetting = (text: string): E.Either<FlagFailure, readonly [string, SettingValue]> => {
  const m = /^([A-Za-z]\w*)=(.*)$/s.exec(text)
  return m === null
    ? refuseFlag(flag, 'name=value (the kernel comes before the flags)', text)
    : pipe(
        parseValue(m[2]!),
        E.map((value) => [m[1]!, value] as const),
      )
}

/** All settings of a command line, in any number of `--set`. */
export const parseSettings = (texts: ReadonlyArray<string>): E.Either<FlagFailure, Settings> =>
  pipe(
    texts,
    E.traverseArray(parseSetting),
    E.chain((pairs) => {
      const twice = pairs.find(([name], i) => pairs.findIndex(([other]) => other === name) < i)
      return twice === undefined
        ? E.right(Object.fromEntries(pairs))
        : refuseFlag(flag, 'each setting once', `${twice[0]} twice`)
    }),
  )
