/**
 * The edge: bytes of files, read and written.
 *
 * A `Files` is what a command may do to the disk, as a value: `onDisk` does it, a proof gives a table in memory.
 * Every failure names the file, in one line.
 *
 * Laws
 *  1. after `write(path, bytes)` answers Right, `read(path)` answers `bytes`
 *  2. when `write` answers Left, or the process dies on the way, the file is what it was before
 *  3. nothing throws: a missing file, a directory, a file without permission are Lefts
 *
 * Law 2 holds for regular files: the bytes go to a new file in the same directory, which is then renamed. A
 * device or a pipe (`/dev/stdout`) cannot be replaced so and is written to directly. A symbolic link stays one:
 * its target is replaced.
 */
import * as fs from 'node:fs'
import * as path from 'node:path'
import * as E from 'fp-ts/lib/Either.js'
import type { IOEither } from 'fp-ts/lib/IOEither.js'
import { pipe } from 'fp-ts/lib/function.js'
import { failure, type Failure } from '../../failure.js'

// ---------------------------------------------------------------- model

export type FileFault =
  'file-missing' | 'file-is-directory' | 'file-forbidden' | 'file-unreadable' | 'file-unwritable'
export type FileFailure = Failure<FileFault>

export interface Files {
  readonly read: (file: string) => IOEither<FileFailure, Uint8Array>
  readonly write: (file: string, bytes: Uint8Array) => IOEither<FileFailure, void>
}

// ---------------------------------------------------------------- failures

const errorCode = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'unknown'

const readFailure = (file: string, code: string): FileFailure => {
  switch (code) {
    case 'ENOENT':
    case 'ENOTDIR':
      return failure('file-missing', `${file}: expected a file to read, found none`)
    case 'EISDIR':
      return failure('file-is-directory', `${file}: expected a file to read, found a directory`)
    case 'EACCES':
    case 'EPERM':
      return failure('file-forbidden', `${file}: expected a file to read, found one without read permission`)
    default:
      return failure('file-unreadable', `${file}: cannot be read (${code})`)
  }
}

const writeFailure = (file: string, code: string): FileFailure => {
  switch (code) {
    case 'ENOENT':
      return failure(
        'file-missing',
        `${file}: expected a directory ${path.dirname(file)} to write to, found none`,
      )
    case 'ENOTDIR':
      return failure('file-missing', `${file}: expected a file in a directory to write, found no such place`)
    case 'EISDIR':
      return failure('file-is-directory', `${file}: expected a file to write, found a directory`)
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return failure('file-forbidden', `${file}: expected a place to write, found no write permission`)
    default:
      return failure('file-unwritable', `${file}: cannot be written (${code})`)
  }
}

// ---------------------------------------------------------------- effects

/** What stands at the path now, links followed. A link to nothing is nothing. */
const targetOf = (
  file: string,
): { readonly path: string; readonly kind: 'none' | 'file' | 'directory' | 'device' } => {
  const stat = fs.statSync(file, { throwIfNoEntry: false })
  if (stat === undefined) return { path: file, kind: 'none' }
  const kind = stat.isFile() ? 'file' : stat.isDirectory() ? 'directory' : 'device'
  return { path: kind === 'file' ? fs.realpathSync(file) : file, kind }
}

/**
 * A name in the same directory, so that the rename stays within one file system; short, so that it is legal
 * wherever the target's name is.
 */
const neighbour = (file: string): string =>
  path.join(
    path.dirname(file),
    `.tcspec-${String(process.pid)}-${Math.random().toString(36).slice(2, 10)}.part`,
  )

const replaceWhole = (target: string, bytes: Uint8Array): void => {
  const part = neighbour(target)
  try {
    fs.writeFileSync(part, bytes, { flag: 'wx' })
    fs.renameSync(part, target)
  } finally {
    // After the rename there is nothing left to remove.
    fs.rmSync(part, { force: true })
  }
}

const writeTo = (file: string, bytes: Uint8Array): E.Either<FileFailure, void> => {
  const target = targetOf(file)
  switch (target.kind) {
    case 'directory':
      return E.left(writeFailure(file, 'EISDIR'))
    case 'device':
      fs.writeFileSync(target.path, bytes)
      return E.right(undefined)
    case 'file':
      // A file that may not be written must not be replaced either.
      fs.accessSync(target.path, fs.constants.W_OK)
      replaceWhole(target.path, bytes)
      return E.right(undefined)
    case 'none':
      replaceWhole(target.path, bytes)
      return E.right(undefined)
  }
}

/** The same bytes without Buffer's own `slice`, which shares memory where Uint8Array's copies. */
const plainBytes = (buffer: Buffer): Uint8Array =>
  new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.byteLength)

/** The disk. Paths are relative to the working directory, as the shell gives them. */
export const onDisk: Files = {
  read: (file) => () =>
    E.tryCatch(
      () => plainBytes(fs.readFileSync(file)),
      (error) => readFailure(file, errorCode(error)),
    ),
  write: (file, bytes) => () =>
    pipe(
      E.tryCatch(
        () => writeTo(file, bytes),
        (error) => writeFailure(file, errorCode(error)),
      ),
      E.flatten,
    ),
}
