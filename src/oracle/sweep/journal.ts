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
 * A line goes to the file in one write, with its end; so a process that is killed leaves whole lines, and at most a part of one behind them.
 */
import * as fs from 'node:fs'
import * as E from 'fp-ts/lib/Either.js'
import { refuse, type Failure } from '../../failure.js'
import { errorCode, onDisk, writeFailure } from '../tensor-files/disk.js'

export interface Journal {
  /** the whole lines that are there */
  readonly text: string
  readonly append: (line: string) => E.Either<Failure, null>
  /** what was appended is on the disk */
  readonly close: () => E.Either<Failure, null>
}

/** Opens a journal; `goesOn`: behind the lines that are there. */
export type OpenJournal = (file: string, goesOn: boolean) => E.Either<Failure, Journal>

const attempt = <A>(file: string, act: () => A): E.Either<Failure, A> =>
  E.tryCatch(act, (error) => writeFailure(file, errorCode(error)))

const writeWhole = (open: number, line: string): void => {
  const bytes = new TextEncoder().encode(`${line}\n`)
  for (let from = 0; from < bytes.length;) from += fs.writeSync(open, bytes, from)
}

const opened = (file: string, text: string): E.Either<Failure, Journal> => {
  const open = attempt(file, () => fs.openSync(file, 'a'))
  if (E.isLeft(open)) return open
  return E.right({
    text,
    append: (line) =>
      attempt(file, () => {
        writeWhole(open.right, line)
        return null
      }),
    close: () =>
      attempt(file, () => {
        if (fs.fstatSync(open.right).isFile()) fs.fsyncSync(open.right)
        fs.closeSync(open.right)
        return null
      }),
  })
}

export const journalOnDisk: OpenJournal = (file, goesOn) => {
  const place = onDisk.destination(file)()
  if (E.isLeft(place)) return place
  const there = attempt(file, () => fs.statSync(file, { throwIfNoEntry: false }) ?? null)
  if (E.isLeft(there)) return there
  if (there.right === null || (there.right.isFile() && there.right.size === 0)) return opened(file, '')
  if (!there.right.isFile())
    return goesOn
      ? refuse(
          'bad-flag',
          `--resume: expected a file with the results so far, found '${file}', which is none`,
        )
      : opened(file, '')
  if (!goesOn)
    return refuse(
      'bad-flag',
      `-o: expected a file that is not there yet, found '${file}': --resume goes on with it`,
    )
  const read = onDisk.read(file)()
  if (E.isLeft(read)) return read
  const end = read.right.lastIndexOf(0x0a) + 1
  const cut = attempt(file, () => {
    if (end < read.right.length) fs.truncateSync(file, end)
    return null
  })
  if (E.isLeft(cut)) return cut
  return opened(file, new TextDecoder().decode(read.right.subarray(0, end)))
}
