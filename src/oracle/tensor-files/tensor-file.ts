/**
 * Tensors in files: the npy codec, the carriers and the disk put together, with the file named in every failure.
 */
import * as E from 'fp-ts/lib/Either.js'
import type { IOEither } from 'fp-ts/lib/IOEither.js'
import * as IOE from 'fp-ts/lib/IOEither.js'
import { pipe } from 'fp-ts/lib/function.js'
import { failure, type Failure } from '../../failure.js'
import type { FileFault, Files, OutputFile } from './files.js'
import { decodeNpy, encodeNpy, type NpyFault } from './npy.js'
import { npyOfTensor, tensorOfNpy, type Tensor, type TensorDtype, type TensorFault } from './tensor.js'

export type TensorFileFailure = Failure<FileFault | NpyFault | TensorFault>

/** What the codecs say knows nothing of files. */
const inFile =
  (file: string) =>
  <Code extends string>(f: Failure<Code>): Failure<Code> =>
    failure(f.code, `${file}: ${f.message}`)

/** Reads one tensor; `dtype` undefined takes the file's own. */
export const readTensor =
  (files: Files) =>
  (file: string, dtype: TensorDtype | undefined): IOEither<TensorFileFailure, Tensor> =>
    pipe(
      files.read(file),
      IOE.chainW((bytes) =>
        IOE.fromEither(pipe(bytes, decodeNpy, E.chainW(tensorOfNpy(dtype)), E.mapLeft(inFile(file)))),
      ),
    )

/** One tensor as a file to write. */
export const tensorOutput =
  (file: string) =>
  (tensor: Tensor): E.Either<TensorFileFailure, OutputFile> =>
    pipe(
      tensor,
      npyOfTensor,
      encodeNpy,
      E.bimap(inFile(file), (bytes) => ({ file, bytes })),
    )
