/**
 * `--in a=a.npy b:bf16=b.npy`, `--out out:bf16=o.npy`: which file holds which tensor, and what `compare` is given.
 *
 * | text             | name | dtype      | file    |
 * |------------------|------|------------|---------|
 * | `a=a.npy`        | a    | the file's | a.npy   |
 * | `b:bf16=b.npy`   | b    | bf16       | b.npy   |
 * | `b=x=y:z.npy`    | b    | the file's | x=y:z.npy |
 *
 * An operand of `compare` has no name: `got.npy`, or `bf16=got.npy`. A file whose own name begins with a word and
 * an equals sign is written `./word=file.npy`.
 *
 * Laws
 *  1. the first equals sign ends the name; the file may hold any character
 *  2. each name appears once in a flag
 *  3. a dtype that does not exist is refused with the list of those that do
 */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { isTensorDtype, tensorDtypes, type TensorDtype } from '../../tensor-files/tensor.js'
import type { AskedFile } from '../outputs.js'
import { refuseFlag, type FlagFailure } from './choice.js'

/** `dtype: undefined` leaves it to the file. */
export interface Operand {
  readonly dtype: TensorDtype | undefined
  readonly file: string
}
export interface Binding extends Operand {
  readonly name: string
}

/** A dtype by name. */
export const parseDtype = (flag: string, text: string): E.Either<FlagFailure, TensorDtype> =>
  isTensorDtype(text) ? E.right(text) : refuseFlag(flag, `a dtype of ${tensorDtypes.join(' ')}`, text)

const parseBinding =
  (flag: string) =>
  (text: string): E.Either<FlagFailure, Binding> => {
    const m = /^([A-Za-z_]\w*)(?::([^=]*))?=(.+)$/s.exec(text)
    if (m === null) return refuseFlag(flag, 'name=file or name:dtype=file', text)
    const name = m[1]!
    const file = m[3]!
    return m[2] === undefined
      ? E.right({ name, dtype: undefined, file })
      : pipe(
          parseDtype(`${flag} ${name}`, m[2]),
          E.map((dtype) => ({ name, dtype, file })),
        )
  }

/** All bindings of one flag (`--in` or `--out`), however often it was given. */
export const parseBindings =
  (flag: string) =>
  (texts: ReadonlyArray<string>): E.Either<FlagFailure, ReadonlyArray<Binding>> =>
    pipe(
      texts,
      E.traverseArray(parseBinding(flag)),
      E.chain((bindings) => {
        const twice = bindings.find((b, i) => bindings.findIndex((other) => other.name === b.name) < i)
        return twice === undefined
          ? E.right(bindings)
          : refuseFlag(flag, 'each name once', `${twice.name} twice`)
      }),
    )

/** The files of the bindings of a flag, where they can be read. */
export const bindingsAsked = (flag: string, texts: ReadonlyArray<string>): ReadonlyArray<AskedFile> =>
  pipe(
    parseBindings(flag)(texts),
    E.match(
      () => [],
      (bindings) => bindings.map(({ name, file }) => ({ flag: `${flag} ${name}`, file })),
    ),
  )

/** A file, or `dtype=file`. */
export const parseOperand = (text: string): E.Either<FlagFailure, Operand> => {
  const m = /^(\w+)=(.*)$/s.exec(text)
  if (m === null)
    return text === ''
      ? refuseFlag('file', 'a file or dtype=file', text)
      : E.right({ dtype: undefined, file: text })
  return m[2] === ''
    ? refuseFlag('file', 'a file or dtype=file', text)
    : pipe(
        parseDtype(text, m[1]!),
        E.map((dtype) => ({ dtype, file: m[2]! })),
      )
}
