/**
 * `--accept FILE`, `--accept-write FILE`: findings that a check may pass with, and the file of them (`semantics/judging/accept.ts`).
 *
 *     tcspec check mm.ttgir --launch mm.json --accept-write accepted.json      writes a row for each finding
 *     tcspec check mm.ttgir --launch mm.json --accept accepted.json            exit 0, and says what it accepted
 *
 * A row names statements by the text of their lines. Where no text of the author lies beside the kernel, it is the place that the compiler wrote down.
 */
import type { Command } from 'commander'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { failure, type Failure } from '../../failure.js'
import { decodeBaseline } from '../../semantics/files/accept-codec.js'
import {
  baselineOf,
  baselinesTogether,
  withAccepted,
  type AcceptedRow,
  type Launching,
  type StatementAt,
} from '../../semantics/judging/accept.js'
import type { Operation } from '../../semantics/judging/finding.js'
import type { Verdict } from '../../semantics/judging/verdict.js'
import { asText } from '../tensor-files/files.js'
import type { Options, World } from './command.js'
import type { Written } from './judging.js'
import type { AskedFile } from './outputs.js'
import { wordOf } from './flags/words.js'
import type { Site } from '../../semantics/language/program.js'

/** Where an author wrote a statement, and the lines of a file of its author. */
export interface Authored {
  readonly authored: (site: Site) => { readonly place: string; readonly text: string } | null
  readonly linesOf: (file: string) => ReadonlyArray<string>
}

/** A verdict, and what its rows name. */
export interface Accepting extends Authored {
  readonly verdict: Verdict
  readonly launch: string
}

export const acceptOptions = (command: Command): Command =>
  command
    .option(
      '--accept <file>',
      'pass with the findings that this file lists (exit 0), and fail with any other; the verdict says what was accepted',
    )
    .option(
      '--accept-write <file>',
      'write the findings to a file for --accept; rows of --accept keep their reasons',
    )

export const acceptWritten = (options: Options): ReadonlyArray<AskedFile> => {
  const file = wordOf(options, 'acceptWrite')
  return file === null ? [] : [{ flag: '--accept-write', file }]
}

const parsed = (file: string, text: string): E.Either<Failure, unknown> =>
  E.tryCatch(
    (): unknown => JSON.parse(text),
    () => failure('json.syntax', `${file}: not JSON`),
  )

/** The rows of the file; null where none is asked for. */
export const acceptAsked = (
  { files }: Pick<World, 'files'>,
  options: Options,
): E.Either<Failure, ReadonlyArray<AcceptedRow> | null> => {
  const file = wordOf(options, 'accept')
  if (file === null) return E.right(null)
  return pipe(
    files.read(file)(),
    E.chainW(asText(file)),
    E.chainW((text) => parsed(file, text)),
    E.chainW(decodeBaseline),
    E.bimap(
      (f: Failure) => failure(f.code, f.message.startsWith(file) ? f.message : `${file}: ${f.message}`),
      ({ accepted }) => accepted,
    ),
  )
}

/** The statement of an operation: where it was written, and which of the lines with its text it is. */
const statementsOf =
  ({ authored, linesOf }: Authored): StatementAt =>
  ({ site, path, loc }: Operation) => {
    const found = authored(loc === undefined ? { label: site, path } : { label: site, path, loc })
    if (found === null) return null
    const [, file, line] = /^(.*):(\d+)$/su.exec(found.place) ?? []
    // no line of a file: its label names it
    if (file === undefined || line === undefined) return null
    const lines = linesOf(file).map((l) => l.trim())
    const statement = lines[Number(line) - 1]
    return statement === undefined || statement === ''
      ? { file, statement: `line ${line}`, nth: 0 }
      : { file, statement, nth: lines.slice(0, Number(line) - 1).filter((l) => l === statement).length }
  }

const launchingOf = (judged: Accepting): Launching => ({
  kernel: judged.verdict.kernel,
  launch: judged.launch,
  at: statementsOf(judged),
})

/** A verdict with what is accepted of it. */
export const withBaseline = (judged: Accepting, rows: ReadonlyArray<AcceptedRow> | null): Verdict =>
  rows === null ? judged.verdict : withAccepted(judged.verdict, launchingOf(judged), rows)

/** Does a verdict pass with the rows that are asked for? Without any, none does that would not by itself. */
export const passing = (
  world: Pick<World, 'files'>,
  options: Options,
): E.Either<Failure, (judged: Accepting) => boolean> =>
  pipe(
    acceptAsked(world, options),
    E.map((rows) => (judged) => withBaseline(judged, rows).passes === true),
  )

/** The file that is to be written of a kernel, judged in one form or in several. */
export const baselineFiles = (
  options: Options,
  judged: ReadonlyArray<Accepting>,
  rows: ReadonlyArray<AcceptedRow> | null,
): ReadonlyArray<Written> =>
  acceptWritten(options).map(({ file }) => ({
    what: 'accepted findings',
    file,
    bytes: new TextEncoder().encode(
      `${JSON.stringify(
        baselinesTogether(judged.map((one) => baselineOf(one.verdict, launchingOf(one), rows ?? []))),
        null,
        2,
      )}\n`,
    ),
  }))
