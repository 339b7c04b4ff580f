/**
 * `--in a=a.npy b:bf16=b.npy`, `--out out:bf16=o.npy`: which file holds which tensor, and what `compare` is given.
 *
 * | text             | name | dtype      | file    |
 * |------------------|------|------------|---------|
 * | `a=a.npy`        | a    | the file's | a.npy   |
 * | `b:bf16=b.npy`   | b    | bf16       | b.npy   |
 * | `1=y.npy`        | 1, an argument of PTX by its number | the file's | y.npy |
 * | `b=x=y:z.npy`    | b    | the file's | x=y:z.npy |
 * | `b=all.npz:w`    | b    | the file's | all.npz, its array w (`tensor-file.ts`) |
 * | `all.npz`        | each name in the file, or each output, that is not bound otherwise | the file's | all.npz |
 * | `*`, in `--out`  | each output that is not bound otherwise | the output's | NAME.npy |
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
import type { Failure } from '../../../failure.js'
import type { Files } from '../../tensor-files/files.js'
import { holdsMany, placeOf } from '../../tensor-files/place.js'
import { tensorNames } from '../../tensor-files/tensor-file.js'
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
/** What a flag binds by name, and the files of several tensors that bind what is left. */
export interface Bindings {
  readonly named: ReadonlyArray<Binding>
  readonly whole: ReadonlyArray<string>
}

/** A dtype by name. */
export const parseDtype = (flag: string, text: string): E.Either<FlagFailure, TensorDtype> =>
  isTensorDtype(text) ? E.right(text) : refuseFlag(flag, `a dtype of ${tensorDtypes.join(' ')}`, text)

const parseBinding =
  (flag: string) =>
  (text: string): E.Either<FlagFailure, Binding> => {
    const m = /^((?:[A-Za-z_]\w*|\d+)(?:\+\d+)?)(?::([^=]*))?=(.+)$/s.exec(text)
    if (m === null)
      return refuseFlag(flag, 'name=file, name:dtype=file or one .npz or .safetensors file', text)
    const name = m[1]!
    const file = m[3]!
    return m[2] === undefined
      ? E.right({ name, dtype: undefined, file })
      : pipe(
          parseDtype(`${flag} ${name}`, m[2]),
          E.map((dtype) => ({ name, dtype, file })),
        )
  }

/** Each output in a file of its name. */
const all = '*'

/** The whole of a file of several tensors, or all outputs. */
const isWhole =
  (flag: string) =>
  (text: string): boolean =>
    (flag === '--out' && text === all) ||
    (!/^\w+(\+\d+)?(:[^=]*)?=/.test(text) && holdsMany(text) && placeOf(text).name === undefined)

const eachOnce =
  (flag: string) =>
  (bindings: ReadonlyArray<Binding>): E.Either<FlagFailure, ReadonlyArray<Binding>> => {
    const twice = bindings.find((b, i) => bindings.findIndex((other) => other.name === b.name) < i)
    return twice === undefined ? E.right(bindings) : refuseFlag(flag, 'each name once', `${twice.name} twice`)
  }

/** All bindings of one flag (`--in` or `--out`), however often it was given. */
export const parseBindings =
  (flag: string) =>
  (texts: ReadonlyArray<string>): E.Either<FlagFailure, Bindings> =>
    pipe(
      texts.filter((text) => !isWhole(flag)(text)),
      E.traverseArray(parseBinding(flag)),
      E.chain(eachOnce(flag)),
      E.map((named) => ({ named, whole: texts.filter(isWhole(flag)) })),
    )

/** Every input that is bound: those with names, and what else the whole files hold. */
export const inputBindings =
  (files: Files) =>
  ({ named, whole }: Bindings): E.Either<Failure, ReadonlyArray<Binding>> =>
    pipe(
      whole,
      E.traverseArray((file) =>
        pipe(
          tensorNames(files)(file)(),
          E.map((names) =>
            names
              .filter((name) => named.every((b) => b.name !== name))
              .map((name): Binding => ({ name, dtype: undefined, file: `${file}:${name}` })),
          ),
        ),
      ),
      E.chainW((found) => eachOnce('--in')([...named, ...found.flat()])),
    )

/** A name as that of a file: `argument 0 (float*)` as `argument_0_float`. */
const fileNameOf = (name: string): string =>
  name.replace(/[^\p{L}\p{N}_.+-]+/gu, '_').replace(/_$/u, '') || '_'

/** Every output that is bound: those with names, and the others in the file that takes them all. */
export const outputBindings = (
  { named, whole }: Bindings,
  outputs: ReadonlyArray<string>,
): E.Either<FlagFailure, ReadonlyArray<Binding>> => {
  const left = outputs.filter((name) => named.every((b) => b.name !== name))
  const [file, other] = whole
  if (file === undefined) return E.right(named)
  if (other !== undefined) return refuseFlag('--out', `one file for all outputs, ${file}`, other)
  return left.length === 0
    ? refuseFlag('--out', 'an output that is bound to no other file', file)
    : E.right([
        ...named,
        ...left.map((name): Binding => ({
          name,
          dtype: undefined,
          file: file === all ? `${fileNameOf(name)}.npy` : file,
        })),
      ])
}

/** The files of the bindings of a flag, where they can be read; one that several tensors go to is one. */
export const bindingsAsked = (flag: string, texts: ReadonlyArray<string>): ReadonlyArray<AskedFile> =>
  pipe(
    parseBindings(flag)(texts),
    E.match(
      () => [],
      ({ named, whole }) => {
        const together = new Map<string, Set<string>>()
        return [
          ...named.flatMap(({ name, file: said }): ReadonlyArray<AskedFile> => {
            const { file, format, name: called = name } = placeOf(said)
            const names = together.get(file)
            if (format === 'npy' || names === undefined || names.has(called)) {
              together.set(file, new Set([...(names ?? []), called]))
              return [{ flag: `${flag} ${name}`, file }]
            }
            names.add(called)
            return []
          }),
          ...whole
            .filter((file) => !together.has(file))
            .map((file): AskedFile => ({ flag: `${flag} ${file}`, file })),
        ]
      },
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
