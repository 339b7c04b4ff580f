/**
 * Bytes of files, as a command asks for them.
 *
 * A `Files` is what a command may do to the disk, as a value: `disk.ts` does it, a request of `tcspec serve` brings its own, a proof gives a table in
 * memory. Every failure names the file, in one line. Nothing here knows of a disk, so this loads in a browser too.
 */
import * as E from 'fp-ts/lib/Either.js'
import type { IOEither } from 'fp-ts/lib/IOEither.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import { failure, type Failure } from '../../failure.js'
import type { Tensor } from './tensor.js'

// ---------------------------------------------------------------- model

export type FileFault =
  | 'file-missing'
  | 'file-is-directory'
  | 'file-forbidden'
  | 'file-unreadable'
  | 'file-unwritable'
  | 'file-too-large'
export type FileFailure = Failure<FileFault>

/** What is to be written, and where. */
export interface OutputFile {
  readonly file: string
  readonly bytes: Uint8Array
  /** what the bytes hold, where that is a tensor: they may not say its element type */
  readonly tensor?: Tensor
}

export interface Files {
  readonly read: (file: string) => IOEither<FileFailure, Uint8Array>
  /** A file that is there as a tensor and not as bytes; null where it is not. */
  readonly tensor?: (file: string) => Tensor | null
  /** The file that a write would make or replace, now found writable; null for what takes any number of writes. */
  readonly destination: (file: string) => IOEither<FileFailure, string | null>
  /** All of them, or none. */
  readonly write: (outputs: ReadonlyArray<OutputFile>) => TaskEither<FileFailure, void>
}

// ---------------------------------------------------------------- limits

/** Bytes of a file, which one buffer holds. */
export const mostBytes: number = 2 ** 31 - 1
/** Bytes of what says nowhere how long it is: a pipe, a device, which may never end. */
export const mostStreamed: number = 2 ** 28
/** Bytes of a text: a string has no more characters. */
export const mostTextBytes: number = 2 ** 29 - 24

export const tooLarge = (file: string, what: string, most: number, found: string): FileFailure =>
  failure('file-too-large', `${file}: expected ${what} of at most ${String(most)} bytes, found ${found}`)

/** What a file says, as text. */
export const asText =
  (file: string) =>
  (bytes: Uint8Array): E.Either<FileFailure, string> =>
    bytes.length <= mostTextBytes
      ? E.right(new TextDecoder().decode(bytes))
      : E.left(tooLarge(file, 'a text', mostTextBytes, String(bytes.length)))
