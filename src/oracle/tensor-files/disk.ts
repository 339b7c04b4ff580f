/**
 * The edge: bytes of files, read from the disk and written to it.
 *
 * | written to                                   | how                                                                         |
 * |----------------------------------------------|-----------------------------------------------------------------------------|
 * | a new file                                   | beside it under another name, synced, then renamed                          |
 * | a file                                       | the same; the new one has the mode of the old one, and its owner if it may   |
 * | a symbolic link                              | what it points to, also when that is not there yet                          |
 * | a device, a named pipe                       | directly: there is nothing to replace                                       |
 * | `/dev/stdout`, `/dev/fd/N`                   | the open file of this process, where it stands: `-o /dev/stdout >> log`      |
 *
 * Laws
 *  1. after `write` answers Right, `read` answers the bytes of each file
 *  2. when `write` answers Left, or the process is ended on the way, each file is what it was before, and nothing else is left. (What went to a
 *     device cannot be called back, and between two renamings of one `write` the first file is new already.)
 *  3. nothing throws: a missing file, a directory, a file without permission are Lefts
 *  4. where `destination` answers Left, `write` would; files with the same destination are one
 *  5. every read ends: what is longer than the limits of `files.ts` is a Left
 */
import { constants } from 'node:fs'
import * as fs from 'node:fs'
import * as path from 'node:path'
import * as E from 'fp-ts/lib/Either.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { pipe } from 'fp-ts/lib/function.js'
import { failure } from '../../failure.js'
import { mostBytes, mostStreamed, tooLarge, type FileFailure, type Files, type OutputFile } from './files.js'

// ---------------------------------------------------------------- failures

export const errorCode = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'unknown'

const readFailure = (file: string, code: string): FileFailure => {
  switch (code) {
    case 'ENOENT':
    case 'ENOTDIR':
      return failure('file-missing', `${file}: no such file`)
    case 'EISDIR':
      return failure('file-is-directory', `${file}: it is a directory, not a file`)
    case 'EACCES':
    case 'EPERM':
      return failure('file-forbidden', `${file}: no permission to read it`)
    default:
      return failure('file-unreadable', `${file}: cannot be read (${code})`)
  }
}

export const writeFailure = (file: string, code: string): FileFailure => {
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

// ---------------------------------------------------------------- where a write goes

type Target =
  | { readonly _tag: 'new'; readonly path: string }
  | { readonly _tag: 'file'; readonly path: string; readonly old: fs.Stats }
  | { readonly _tag: 'directory' }
  | { readonly _tag: 'device'; readonly path: string }
  /** a descriptor of this process */
  | { readonly _tag: 'open'; readonly descriptor: number }

/** As many links as Linux follows. */
const mostLinks = 40

/** Follows links to a place that is none, whether something is there or not; throws what the file system does. */
const targetOf = (file: string): Target => {
  const ours = new RegExp(String.raw`^/(?:dev|proc/(?:self|${String(process.pid)}))/fd/(\d+)$`)
  if (file === '' || file.endsWith(path.sep)) return { _tag: 'directory' }
  // ELOOP, ENOTDIR, EACCES on the way
  fs.statSync(file, { throwIfNoEntry: false })
  let at = path.resolve(file)
  for (let links = 0; links < mostLinks; links++) {
    const place = path.join(fs.realpathSync(path.dirname(at)), path.basename(at))
    const descriptor = ours.exec(place)?.[1]
    if (descriptor !== undefined) return { _tag: 'open', descriptor: Number(descriptor) }
    const found = fs.lstatSync(place, { throwIfNoEntry: false })
    if (found === undefined) return { _tag: 'new', path: place }
    if (found.isDirectory()) return { _tag: 'directory' }
    if (found.isFile()) return { _tag: 'file', path: place, old: found }
    if (!found.isSymbolicLink()) return { _tag: 'device', path: place }
    at = path.resolve(path.dirname(place), fs.readlinkSync(place))
  }
  return { _tag: 'directory' }
}

/** Where a write would go, if it may. */
const destinationOf = (file: string): E.Either<FileFailure, string | null> => {
  const target = targetOf(file)
  switch (target._tag) {
    case 'directory':
      return E.left(writeFailure(file, 'EISDIR'))
    case 'open':
      fs.fstatSync(target.descriptor)
      return E.right(null)
    case 'device':
      fs.accessSync(target.path, constants.W_OK)
      return E.right(null)
    case 'file':
      // A file that may not be written must not be replaced either.
      fs.accessSync(target.path, constants.W_OK)
      fs.accessSync(path.dirname(target.path), constants.W_OK | constants.X_OK)
      return E.right(target.path)
    case 'new':
      fs.accessSync(path.dirname(target.path), constants.W_OK | constants.X_OK)
      return E.right(target.path)
  }
}

const destination: Files['destination'] = (file) => () =>
  pipe(
    E.tryCatch(
      () => destinationOf(file),
      (error) => writeFailure(file, errorCode(error)),
    ),
    E.flatten,
  )

// ---------------------------------------------------------------- writing

/**
 * A name in the same directory, so that the rename stays within one file system; short, so that it is legal
 * wherever the target's name is.
 */
const neighbour = (file: string): string =>
  path.join(
    path.dirname(file),
    `.tcspec-${String(process.pid)}-${Math.random().toString(36).slice(2, 10)}.part`,
  )

/** A file that stands beside its place, whole. */
interface Staged {
  readonly file: string
  readonly part: string
  readonly path: string
}

/** Bytes to a descriptor, whose reader may be slow. */
const writeOpen = async (descriptor: number, bytes: Uint8Array): Promise<void> => {
  for (let from = 0; from < bytes.length;) {
    const written = await new Promise<number>((resolve, reject) => {
      fs.write(descriptor, bytes, from, (error, count) => {
        if (error === null) resolve(count)
        else if (error.code === 'EAGAIN') setTimeout(resolve, 10, 0)
        else reject(error)
      })
    })
    from += written
  }
}

const stagePart = async (part: string, old: fs.Stats | null, bytes: Uint8Array): Promise<void> => {
  // what it replaces may be secret
  const handle = await fs.promises.open(part, 'wx', old === null ? 0o666 : 0o600)
  try {
    await handle.writeFile(bytes)
    if (old !== null) {
      const made = await handle.stat()
      if (made.uid !== old.uid || made.gid !== old.gid)
        // only the superuser may give a file away
        await handle.chown(old.uid, old.gid).catch(() => undefined)
      await handle.chmod(old.mode & 0o777)
    }
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Writes to a device, or beside the place of a file; throws what the file system does. */
const stage = async (
  parts: Set<string>,
  { file, bytes }: OutputFile,
): Promise<E.Either<FileFailure, Staged | null>> => {
  const allowed = destinationOf(file)
  if (E.isLeft(allowed)) return allowed
  const target = targetOf(file)
  switch (target._tag) {
    case 'directory':
      return E.left(writeFailure(file, 'EISDIR'))
    case 'open':
      await writeOpen(target.descriptor, bytes)
      return E.right(null)
    case 'device':
      await fs.promises.writeFile(target.path, bytes)
      return E.right(null)
    case 'file':
    case 'new': {
      const part = neighbour(target.path)
      parts.add(part)
      await stagePart(part, target._tag === 'file' ? target.old : null, bytes)
      return E.right({ file, part, path: target.path })
    }
  }
}

/** The name is on the disk when its directory is; not every file system can say so. */
const syncDirectory = async (directory: string): Promise<void> => {
  const handle = await fs.promises.open(directory, 'r')
  await handle.sync().finally(() => handle.close())
}

const attempt = <A>(file: string, act: () => Promise<A>): TE.TaskEither<FileFailure, A> =>
  TE.tryCatch(act, (error) => writeFailure(file, errorCode(error)))

const commit = ({ file, part, path: place }: Staged): TE.TaskEither<FileFailure, void> =>
  attempt(file, async () => {
    await fs.promises.rename(part, place)
    await syncDirectory(path.dirname(place)).catch(() => undefined)
  })

/** Signals that end a process and leave it a moment. */
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** Parts that are being written: removed at the end, or when a signal ends the process. */
interface Parts {
  readonly names: Set<string>
  readonly end: () => void
}

const beginParts = (): Parts => {
  const names = new Set<string>()
  const end = (): void => {
    for (const signal of signals) process.off(signal, obey)
    for (const name of names) fs.rmSync(name, { force: true })
  }
  const obey = (signal: NodeJS.Signals): void => {
    end()
    process.kill(process.pid, signal)
  }
  for (const signal of signals) process.on(signal, obey)
  return { names, end }
}

const write: Files['write'] = (outputs) =>
  outputs.length === 0
    ? TE.right(undefined)
    : TE.bracket(
        TE.fromIO(beginParts),
        ({ names }) =>
          pipe(
            outputs,
            TE.traverseSeqArray((output) =>
              pipe(
                attempt(output.file, () => stage(names, output)),
                TE.chainEitherK((staged) => staged),
              ),
            ),
            TE.map((staged) => staged.filter((s) => s !== null)),
            TE.chain(TE.traverseSeqArray(commit)),
            TE.map(() => undefined),
          ),
        ({ end }) => TE.fromIO(end),
      )

/** The same bytes without Buffer's own `slice`, which shares memory where Uint8Array's copies. */
const plainBytes = (buffer: Buffer): Uint8Array =>
  new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.byteLength)

const pieceBytes = 2 ** 20

/** Everything that comes, as long as it is no more than it may be: in pieces, each filled before the next, and copied once at the end. */
const readStream = (file: string, open: number): E.Either<FileFailure, Uint8Array> => {
  const pieces: Uint8Array[] = []
  for (let length = 0; ;) {
    const at = length % pieceBytes
    if (at === 0) pieces.push(new Uint8Array(pieceBytes))
    const more = fs.readSync(open, pieces.at(-1)!, at, pieceBytes - at, null)
    if (more === 0) {
      const bytes = new Uint8Array(length)
      pieces.forEach((piece, k) => {
        bytes.set(piece.subarray(0, length - k * pieceBytes), k * pieceBytes)
      })
      return E.right(bytes)
    }
    length += more
    if (length > mostStreamed) return E.left(tooLarge(file, 'a stream', mostStreamed, 'more'))
  }
}

const readWhole = (file: string): E.Either<FileFailure, Uint8Array> => {
  const open = fs.openSync(file, 'r')
  try {
    const stat = fs.fstatSync(open)
    if (stat.size > mostBytes) return E.left(tooLarge(file, 'a file', mostBytes, String(stat.size)))
    // what the kernel makes up as it is read, as in /proc, says that it has no bytes
    return stat.isFile() && stat.size > 0
      ? E.right(plainBytes(fs.readFileSync(open)))
      : readStream(file, open)
  } finally {
    fs.closeSync(open)
  }
}

/** The disk. Paths are relative to the working directory, as the shell gives them. */
export const onDisk: Files = {
  read: (file) => () =>
    pipe(
      E.tryCatch(
        () => readWhole(file),
        (error) => readFailure(file, errorCode(error)),
      ),
      E.flatten,
    ),
  destination,
  write,
}
