/**
 * Tensors in files: the codecs, the carriers and the disk put together, with the file named in every failure.
 *
 * Laws
 *  1. what `tensorOutputs` writes of a tensor, `readTensor` reads by the same words, for every dtype (that of an npy carrier being named)
 */
import * as E from 'fp-ts/lib/Either.js'
import type { IOEither } from 'fp-ts/lib/IOEither.js'
import * as IOE from 'fp-ts/lib/IOEither.js'
import { pipe } from 'fp-ts/lib/function.js'
import { failure, refuse, type Failure } from '../../failure.js'
import type { FileFault, Files, OutputFile } from './files.js'
import { decodeNpy, encodeNpy, type NpyFault } from './npy.js'
import { arrayOf, encodeNpz, namesOf, type NpzFault } from './npz.js'
import { placeOf, type Place } from './place.js'
import { contentsOf, encodeSafetensors, tensorIn, type SafetensorsFault } from './safetensors.js'
import {
  npyOfTensor,
  storedOfTensor,
  tensorOfNpy,
  tensorOfStored,
  type Tensor,
  type TensorDtype,
  type TensorFault,
} from './tensor.js'

type CodecFailure = Failure<NpyFault | NpzFault | SafetensorsFault | TensorFault>
export type TensorFileFailure = Failure<FileFault> | CodecFailure

/** What the codecs say knows nothing of files. */
const inFile =
  (file: string) =>
  <Code extends string>(f: Failure<Code>): Failure<Code> =>
    failure(f.code, `${file}: ${f.message}`)

// ---------------------------------------------------------------- reading

const namesIn = (
  format: Place['format'],
  bytes: Uint8Array,
): E.Either<CodecFailure, ReadonlyArray<string>> => {
  switch (format) {
    case 'npy':
      return E.right([])
    case 'npz':
      return namesOf(bytes)
    case 'safetensors':
      return pipe(
        contentsOf(bytes),
        E.map(({ tensors }) => [...tensors.keys()]),
      )
  }
}

/** Names that are shown of a file that has many. */
const mostNames = 8

/** The tensor that is meant: as said, or the only one, or that which is called as asked. */
const meant = (
  place: Place,
  asked: string | undefined,
  bytes: Uint8Array,
): E.Either<CodecFailure, string> => {
  if (place.name !== undefined) return E.right(place.name)
  return pipe(
    namesIn(place.format, bytes),
    E.chain((names) => {
      const name = names.length === 1 ? names[0] : names.find((n) => n === asked)
      const shown = names.slice(0, mostNames).join(', ')
      return name === undefined
        ? refuse(
            'tensor-name',
            `expected one tensor, or the name of one after the file (FILE:NAME), found ${names.length > mostNames ? `${shown} and ${String(names.length - mostNames)} more` : shown || 'none'}`,
          )
        : E.right(name)
    }),
  )
}

const tensorOf = (
  place: Place,
  dtype: TensorDtype | undefined,
  asked: string | undefined,
  bytes: Uint8Array,
): E.Either<CodecFailure, Tensor> => {
  switch (place.format) {
    case 'npy':
      return pipe(decodeNpy(bytes), E.chainW(tensorOfNpy(dtype)))
    case 'npz':
      return pipe(
        meant(place, asked, bytes),
        E.chainW((name) =>
          pipe(
            arrayOf(bytes)(name),
            E.chainW((array) => pipe(array, tensorOfNpy(dtype), E.mapLeft(inFile(name)))),
          ),
        ),
      )
    case 'safetensors':
      return pipe(
        meant(place, asked, bytes),
        E.chainW((name) =>
          pipe(
            tensorIn(bytes)(name),
            E.chainW((stored) => pipe(stored, tensorOfStored(dtype), E.mapLeft(inFile(name)))),
          ),
        ),
      )
  }
}

/** A tensor that is there says its element type, which must be the one that is asked for. */
const held =
  (file: string, dtype: TensorDtype | undefined) =>
  (t: Tensor): E.Either<TensorFileFailure, Tensor> =>
    dtype === undefined || dtype === t.dtype
      ? E.right(t)
      : refuse('tensor-dtype', `${file}: expected elements of ${dtype}, found ${t.dtype}`)

/**
 * Reads one tensor; `dtype` undefined takes the file's own. Of several in a file that does not say which, it is the one that is called `asked`.
 */
export const readTensor =
  (files: Files) =>
  (said: string, dtype: TensorDtype | undefined, asked?: string): IOEither<TensorFileFailure, Tensor> => {
    const place = placeOf(said)
    const there = files.tensor?.(place.file) ?? null
    if (there !== null) return IOE.fromEither(held(place.file, dtype)(there))
    return pipe(
      files.read(place.file),
      IOE.chainW((bytes) =>
        IOE.fromEither(pipe(tensorOf(place, dtype, asked, bytes), E.mapLeft(inFile(place.file)))),
      ),
    )
  }

/** The names of the tensors that a file holds. */
export const tensorNames =
  (files: Files) =>
  (said: string): IOEither<TensorFileFailure, ReadonlyArray<string>> => {
    const { file, format } = placeOf(said)
    return pipe(
      files.read(file),
      IOE.chainW((bytes) => IOE.fromEither(pipe(namesIn(format, bytes), E.mapLeft(inFile(file))))),
    )
  }

// ---------------------------------------------------------------- writing

/** A tensor, where it is to be written, and what it is called there if that does not say it. */
export interface Written {
  readonly said: string
  readonly called: string
  readonly tensor: Tensor
}

const encoded = (
  format: Place['format'],
  tensors: ReadonlyMap<string, Tensor>,
): E.Either<CodecFailure, Uint8Array> => {
  const each = <A>(form: (t: Tensor) => A): ReadonlyMap<string, A> =>
    new Map([...tensors].map(([name, t]) => [name, form(t)]))
  switch (format) {
    case 'npy':
      // one alone: a second would be of the same place, which is refused
      return pipe([...tensors.values()], ([t]) =>
        t === undefined ? refuse('tensor-name', 'expected a tensor, found none') : encodeNpy(npyOfTensor(t)),
      )
    case 'npz':
      return encodeNpz(each(npyOfTensor))
    case 'safetensors':
      return encodeSafetensors(each(storedOfTensor))
  }
}

/** Tensors as files to write: those that go to one file are together in it. */
export const tensorOutputs = (
  all: ReadonlyArray<Written>,
): E.Either<TensorFileFailure, ReadonlyArray<OutputFile>> => {
  const files = new Map<string, { readonly format: Place['format']; readonly tensors: Map<string, Tensor> }>()
  for (const { said, called, tensor } of all) {
    const { file, format, name = called } = placeOf(said)
    const open = files.get(file) ?? { format, tensors: new Map<string, Tensor>() }
    if (open.tensors.has(name) || (format === 'npy' && open.tensors.size > 0))
      return refuse('tensor-name', `${file}: expected one tensor ${name}, found two`)
    open.tensors.set(name, tensor)
    files.set(file, open)
  }
  return pipe(
    [...files],
    E.traverseArray(([file, { format, tensors }]) =>
      pipe(
        encoded(format, tensors),
        E.bimap(inFile(file), (bytes): OutputFile => {
          const [alone] = [...tensors.values()]
          return format === 'npy' && alone !== undefined ? { file, bytes, tensor: alone } : { file, bytes }
        }),
      ),
    ),
  )
}
