/**
 * The file of a sweep's results while it grows: lines that are appended, each whole.
 *
 * | the file is                     | a new sweep                     | a sweep that goes on                    |
 * |---------------------------------|---------------------------------|-----------------------------------------|
 * | not there, or empty             | begins it                       | begins it                               |
 * | lines                           | refuses it                      | goes on behind them                     |
 * | lines, and the torn part of one | refuses it                      | cuts the part off, and goes on          |
 * | a pipe, a device                | writes to it                    | refuses it: what it holds cannot be read |
 *
 * A file is looked at before anything is done to it: what lies behind its last whole line is cut off by the first line that is appended, or by the close, and
 * only then. Whose file it is, the caller sees from what it holds; one that is not its own it leaves by `leave`, and the file is what it was, byte for byte.
 *
 * A line goes to the file in one write, with its end; so a process that is killed leaves whole lines, and at most a part of one behind them.
 */
import * as fs from 'node:fs'
import * as E from 'fp-ts/lib/Either.js'
import { refuse, type Failure } from '../../failure.js'
import { errorCode, onDisk, writeFailure } from '../tensor-files/disk.js'

export interface Journal {
  /** the whole lines that are there */
  readonly text: string
  /** the part of a line behind them */
  readonly torn: string
  /** cuts the torn part off, once, and goes on behind the whole lines */
  readonly append: (line: string) => E.Either<Failure, null>
  /** the torn part is gone, and what was appended is on the disk */
  readonly close: () => E.Either<Failure, null>
  /** instead of `close`: the file stays as it was */
  readonly leave: () => void
}

/** Opens a journal; `goesOn`: behind the lines that are there. */
export type OpenJournal = (file: string, goesOn: boolean) => E.Either<Failure, Journal>

const attempt = <A>(file: string, act: () => A): E.Either<Failure, A> =>
  E.tryCatch(act, (error) => writeFailure(file, errorCode(error)))

const writeWhole = (open: number, line: string): void => {
  const bytes = new TextEncoder().encode(`${line}\n`)
  for (let from = 0; from < bytes.length;) from += fs.writeSync(open, bytes, from)
}

/** What of a file is whole, and what is not. */
const opened = (file: string, there: Uint8Array): E.Either<Failure, Journal> => {
  const end = there.lastIndexOf(0x0a) + 1
  const open = attempt(file, () => fs.openSync(file, 'a'))
  if (E.isLeft(open)) return open
  let isTorn = end < there.length
  const mend = (): void => {
    if (isTorn) fs.ftruncateSync(open.right, end)
    isTorn = false
  }
  const text = new TextDecoder()
  return E.right({
    text: text.decode(there.subarray(0, end)),
    torn: text.decode(there.subarray(end)),
    append: (line) =>
      attempt(file, () => {
        mend()
        writeWhole(open.right, line)
        return null
      }),
    close: () =>
      attempt(file, () => {
        mend()
        if (fs.fstatSync(open.right).isFile()) fs.fsyncSync(open.right)
        fs.closeSync(open.right)
        return null
      }),
    leave: () => {
      fs.closeSync(open.right)
    },
  })
}

const nothing = new Uint8Array(0)

export const journalOnDisk: OpenJournal = (file, goesOn) => {
  const place = onDisk.destination(file)()
  if (E.isLeft(place)) return place
  const there = attempt(file, () => fs.statSync(file, { throwIfNoEntry: false }) ?? null)
  if (E.isLeft(there)) return there
  if (there.right === null || (there.right.isFile() && there.right.size === 0)) return opened(file, nothing)
  if (!there.right.isFile())
    return goesOn
      ? refuse(
          'bad-flag',
          `--resume: expected a file with the results so far, found '${file}', which has none`,
        )
      : opened(file, nothing)
  if (!goesOn) return refuse('bad-flag', `-o: expected a new file, found '${file}'; --resume continues it`)
  const read = onDisk.read(file)()
  if (E.isLeft(read)) return read
  return opened(file, read.right)
}
