/**
 * A directory of files that appears whole or not at all.
 *
 * It is made beside its place under another name, synced, and renamed: a reader finds the old one or the new one.
 *
 * | at the place                                     | what happens                                                                      |
 * |--------------------------------------------------|-----------------------------------------------------------------------------------|
 * | nothing                                          | the new directory                                                                 |
 * | an empty directory                               | it is replaced                                                                    |
 * | a directory that one of these writes made        | it is replaced: moved aside, and removed once the new one stands                  |
 * | anything else                                    | refused: what is there was not made here                                          |
 *
 * Which directories are ours is said by a file in them, the *mark*, and what it has to contain.
 *
 * Laws
 * 1. after `write` answers Right, the directory holds the files and nothing else
 * 2. when `write` answers Left, or a signal ends the process, what was at the place is there, and nothing is left beside it
 * 3. where `free` answers Left, `write` would
 */
import * as fs from 'node:fs'
import * as path from 'node:path'
import * as E from 'fp-ts/lib/Either.js'
import type { IOEither } from 'fp-ts/lib/IOEither.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { pipe } from 'fp-ts/lib/function.js'
import { failure, refuse, type Failure } from '../../failure.js'
import type { OutputFile } from './files.js'

// ---------------------------------------------------------------- model

export type DirectoryFault = 'directory-taken' | 'directory-forbidden' | 'directory-unwritable'
export type DirectoryFailure = Failure<DirectoryFault>

/** A file that tells directories of one kind from all others, and a text in it. */
export interface Mark {
  readonly file: string
  readonly says: string
}

/** A whole directory: names of its files are relative to it, with `/`. */
export interface OutputDirectory {
  readonly directory: string
  readonly mark: Mark
  readonly files: ReadonlyArray<OutputFile>
}

export interface Directories {
  /** May a directory with this mark be written here? */
  readonly free: (directory: string, mark: Mark) => IOEither<DirectoryFailure, null>
  readonly write: (output: OutputDirectory) => TE.TaskEither<DirectoryFailure, void>
}

// ---------------------------------------------------------------- what is there

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'unknown'

const failed = (directory: string, error: unknown): DirectoryFailure => {
  const code = codeOf(error)
  return code === 'EACCES' || code === 'EPERM' || code === 'EROFS'
    ? failure(
        'directory-forbidden',
        `${directory}: expected a place for a directory, found no write permission`,
      )
    : code === 'ENOENT' || code === 'ENOTDIR'
      ? failure(
          'directory-unwritable',
          `${directory}: expected a place for a directory, found no directory ${path.dirname(directory)}`,
        )
      : failure('directory-unwritable', `${directory}: cannot be written (${code})`)
}

const taken = (directory: string, found: string): E.Either<DirectoryFailure, never> =>
  refuse(
    'directory-taken',
    `${directory}: expected nothing, an empty directory or one that this command wrote, found ${found}`,
  )

/** Bytes of a mark that are looked at. */
const markBytes = 4096

const beginningOf = (file: string): string => {
  const open = fs.openSync(file, 'r')
  try {
    const bytes = new Uint8Array(markBytes)
    return new TextDecoder().decode(bytes.subarray(0, fs.readSync(open, bytes, 0, markBytes, 0)))
  } finally {
    fs.closeSync(open)
  }
}

/** Throws what the file system does. */
const lookAt = (directory: string, mark: Mark): E.Either<DirectoryFailure, null> => {
  const found = fs.lstatSync(directory, { throwIfNoEntry: false })
  fs.accessSync(path.dirname(path.resolve(directory)), fs.constants.W_OK | fs.constants.X_OK)
  if (found === undefined) return E.right(null)
  if (!found.isDirectory()) return taken(directory, found.isSymbolicLink() ? 'a link' : 'a file')
  const names = fs.readdirSync(directory)
  if (names.length === 0) return E.right(null)
  const marked = path.join(directory, mark.file)
  const ours =
    fs.lstatSync(marked, { throwIfNoEntry: false })?.isFile() === true &&
    beginningOf(marked).includes(mark.says)
  return ours ? E.right(null) : taken(directory, `a directory with ${String(names.length)} other entries`)
}

const free: Directories['free'] = (directory, mark) => () =>
  directory === ''
    ? taken(directory, 'no name')
    : pipe(
        E.tryCatch(
          () => lookAt(directory, mark),
          (error) => failed(directory, error),
        ),
        E.flatten,
      )

// ---------------------------------------------------------------- writing

/** Everything under another name; throws what the file system does. */
const fill = async (part: string, files: ReadonlyArray<OutputFile>): Promise<void> => {
  await fs.promises.mkdir(part)
  for (const folder of new Set(files.map(({ file }) => path.dirname(file))))
    await fs.promises.mkdir(path.join(part, folder), { recursive: true })
  for (const { file, bytes } of files)
    await fs.promises.writeFile(path.join(part, file), bytes, { flag: 'wx' })
}

/** The old one aside, the new one in its place; or everything as it was. No signal comes between the two. */
const exchange = (directory: string, part: string): E.Either<DirectoryFailure, void> => {
  const place = path.resolve(directory)
  const old = `${part}.old`
  const rename = (from: string, to: string): E.Either<DirectoryFailure, void> =>
    E.tryCatch(
      () => {
        fs.renameSync(from, to)
      },
      (error) => failed(directory, error),
    )
  if (!fs.existsSync(place)) return rename(part, place)
  return pipe(
    rename(place, old),
    E.chain(() =>
      pipe(
        rename(part, place),
        E.mapLeft((why) => {
          rename(old, place)
          return why
        }),
      ),
    ),
    E.map(() => {
      fs.rmSync(old, { recursive: true, force: true })
    }),
  )
}

/** Signals that end a process and leave it a moment. */
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** What is being written: removed at the end, or when a signal ends the process. */
interface Part {
  readonly name: string
  readonly end: () => void
}

const beginPart = (directory: string): Part => {
  const name = path.join(
    path.dirname(path.resolve(directory)),
    `.tcspec-${String(process.pid)}-${Math.random().toString(36).slice(2, 10)}.part`,
  )
  const end = (): void => {
    for (const signal of signals) process.off(signal, obey)
    fs.rmSync(name, { recursive: true, force: true })
  }
  const obey = (signal: NodeJS.Signals): void => {
    end()
    process.kill(process.pid, signal)
  }
  for (const signal of signals) process.on(signal, obey)
  return { name, end }
}

const write: Directories['write'] = ({ directory, mark, files }) =>
  pipe(
    TE.fromIOEither(free(directory, mark)),
    TE.chain(() =>
      TE.bracket(
        TE.fromIO(() => beginPart(directory)),
        ({ name }) =>
          pipe(
            TE.tryCatch(
              () => fill(name, files),
              (error) => failed(directory, error),
            ),
            TE.chainEitherK(() => exchange(directory, name)),
          ),
        ({ end }) => TE.fromIO(end),
      ),
    ),
  )

/** Directories of the disk. */
export const directoriesOnDisk: Directories = { free, write }
