/**
 * A command of `tcspec`, and what comes of running one.
 *
 * A command is what it adds to commander's parser, and a function from the parsed words to a *report* or
 * a refusal. A report is the answer twice, for people and for programs, and whether it is good. What is
 * printed where follows from these alone:
 *
 * | came of it                                | status | standard output     | standard error           |
 * |-------------------------------------------|--------|---------------------|--------------------------|
 * | report, good                              | 0      | text, or JSON       |                          |
 * | report, bad (verdict, mismatch)           | 1      | text, or JSON       |                          |
 * | refusal: usage, file, input               | 2      | nothing, or `error` | one line                 |
 * | report, undecided                         | 3      | text, or JSON       |                          |
 * | exception: a bug in this library          | 70     | nothing, or `error` | one line                 |
 * | report, stopped by a signal               | 130    | text, or JSON       | one line                 |
 *
 * With `--json` standard output holds exactly one JSON document in every case; of a refusal it is
 * `{"schema": "tcspec.error/1", "error": {"code", "message"}}`.
 *
 * Whatever a file held, what is printed has no control characters but newlines, tabs and our own colours (`printable.ts`).
 *
 * A new command is a module in `commands/` and an entry in `commands/index.ts`, which loads it when it is asked for: `tcspec --help` loads none.
 */
import type { Command } from 'commander'
import type { Either } from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { Failure } from '../../failure.js'
import { hazardIds } from '../../semantics/judging/hazards.js'
import type { Player } from '../../render/recording/page.js'
import type { Assemble } from '../parallel/work.js'
import type { Start } from '../score/back-end.js'
import type { OpenJournal } from '../sweep/journal.js'
import type { Hire } from '../sweep/model.js'
import type { Directories, OutputDirectory } from '../tensor-files/directory.js'
import type { Files, OutputFile } from '../tensor-files/files.js'
import type { AskedFile } from './outputs.js'
import { printable, printableJson, printablePlain } from './printable.js'

// ---------------------------------------------------------------- model

/** What a command may touch besides its arguments. */
export interface World {
  readonly files: Files
  /** of this package */
  readonly version: string
  /** version of Node.js, where that is what this runs on */
  readonly node?: string
  /** how this program was called, for commands that are printed to be copied; absent: `tcspec` */
  readonly called?: string
  /** whether standard output is a terminal that takes colours */
  readonly colours: boolean
  /** how wide lines of text may be, where that is known */
  readonly columns?: number
  /** milliseconds since some moment */
  readonly clock: () => number
  /** the directory of captured data, where there is one: the repository has it, the package does not */
  readonly conformance: string | null
  /** shows how far long work has come, where it is watched; `stop` takes it away */
  readonly progress: (what: string) => ProgressBar
  /** starts another program that is spoken to, where that can be done */
  readonly processes?: (command: string, words: ReadonlyArray<string>) => Start
  /** programs with a stand-in for the runtime of CUDA, where they can be started */
  readonly programs?: Programs
  /** what records launches, where programs can be started */
  readonly recorder?: Recorder
  /** whole directories, where they can be written */
  readonly directories?: Directories
  /** threads that large work is shared by, where there are any, and how many there are if it is not said */
  readonly threads?: { readonly assemble: Assemble; readonly count: number }
  /** answers requests on standard input until it ends, where there are such streams */
  readonly serve?: (how: Serving) => Promise<void>
  /** what plays a recording in one file: null where the page has not been built */
  readonly player?: () => Player | null
  /** serves the page until it is interrupted, where there are ports */
  readonly open?: (how: Opening) => TaskEither<Failure, void>
  /** what a sweep needs beyond its own thread */
  readonly sweeps?: Sweeps
}

/** The program as it was called. */
export const calledIn = ({ called = 'tcspec' }: Pick<World, 'called'>): string => called

/** What starts a program whose calls of the runtime are answered. */
export interface Programs {
  /** the folder of the stand-in, built if it is not there */
  readonly library: () => Promise<Either<Failure, string>>
  readonly start: (
    library: string,
    command: string,
    words: ReadonlyArray<string>,
    answer: (message: Uint8Array) => Uint8Array,
  ) => Promise<Either<Failure, EndedProgram>>
  /** a line of progress, for people */
  readonly tell: (line: string) => void
}

/** What of a program is recorded. */
export interface Recording {
  readonly folder: string
  /** a part of the kernel's name; null: all */
  readonly only: string | null
  readonly first: number
  /** null: to the end */
  readonly last: number | null
  /** bytes of a memory */
  readonly most: number
}

/** What records the launches of a program on a GPU. */
export interface Recorder {
  readonly record: (
    how: Recording,
    command: string,
    words: ReadonlyArray<string>,
  ) => Promise<Either<Failure, EndedProgram>>
  /** puts PTX of these folders in the place of machine code */
  readonly withPtx: (
    folder: string,
    from: ReadonlyArray<string>,
  ) => Promise<
    Either<
      Failure,
      {
        readonly launches: number
        readonly without: ReadonlyArray<string>
        readonly large: ReadonlyArray<string>
      }
    >
  >
}

/** How a program ended. */
export interface EndedProgram {
  readonly status: number | null
  readonly signal: string | null
  /** of the signal */
  readonly number: number | null
  /** it has called the runtime */
  readonly connected: boolean
}

/** How the page is served. */
export interface Opening {
  /** 0: any that is free */
  readonly port: number
  /** where it begins */
  readonly hash: string
}

export interface Sweeps {
  /** workers, and how many there are if it is not said */
  readonly hire: Hire
  readonly count: number
  readonly journal: OpenJournal
  /** tells when the process is asked to end, which then goes on until it has answered; gives what ends the listening */
  readonly interrupted: (told: () => void) => () => void
}

/** How far `tcspec serve` goes. */
export interface Serving {
  readonly folder: string | null
  /** threads for what may take long */
  readonly threads: number
  /** MiB that a thread may keep */
  readonly memory: number
  /** bytes of a line, and of a result */
  readonly line: number
  readonly result: number
  /** requests at once */
  readonly requests: number
}

export interface ProgressBar {
  readonly update: (done: number, of: number) => void
  readonly stop: () => void
}

/** A bar that is told, while it stands, what it is now. */
export interface ToldBar extends ProgressBar {
  readonly tell: (what: string) => void
}

export const progressTold = ({ progress }: Pick<World, 'progress'>, what: string): ToldBar => {
  let bar = progress(what)
  return {
    update: (done, of) => {
      bar.update(done, of)
    },
    tell: (now) => {
      bar.stop()
      bar = progress(now)
    },
    stop: () => {
      bar.stop()
    },
  }
}

/** It is not watched. */
export const silent: ProgressBar = { update: () => undefined, stop: () => undefined }

/** The answer of a command that did its work, whatever it found. */
export interface Report {
  /** null: not decided */
  readonly good: boolean | null
  /** the exit status of what was run, where `good` does not say it */
  readonly status?: number
  /** a signal came before all of it was answered, and what was answered is kept */
  readonly stopped?: boolean
  readonly text: () => string
  readonly json: () => unknown
  /** what is to be written: all of it, or the answer is a refusal */
  readonly files?: ReadonlyArray<OutputFile>
  /** and a whole directory, after the files */
  readonly directory?: OutputDirectory
  /** a line on standard error: what the answer leaves out */
  readonly notice?: string
}

export type Options = Readonly<Record<string, unknown>>

export interface CliCommand {
  /** Declares arguments and options. */
  readonly define: (command: Command) => Command
  /** The files that the options ask for; what cannot be written is refused before the command runs. */
  readonly outputs?: (options: Options) => ReadonlyArray<AskedFile>
  readonly run: (
    world: World,
  ) => (operands: ReadonlyArray<string>, options: Options) => TaskEither<Failure, Report>
}

/** A command as the list knows it. */
export interface Listed {
  readonly name: string
  readonly description: string
  readonly load: () => Promise<CliCommand>
}

export interface Outcome {
  readonly status: number
  readonly stdout: string
  readonly stderr: string
}

// ---------------------------------------------------------------- outcomes

const document = (value: unknown): string => `${printableJson(JSON.stringify(value, null, 2))}\n`
/** What a refusal says to who wrote the command. */
const saidOf = ({ message, allowedBy }: Failure): string =>
  allowedBy === undefined ? message : `${message}, or say --${allowedBy.option} ${allowedBy.value}`
const errorDocument = (json: boolean, f: Failure): string =>
  json ? document({ schema: 'tcspec.error/1', error: { code: f.code, message: shortened(saidOf(f)) } }) : ''
/** Characters of a refusal that are shown: what was found may be a whole file. */
export const mostShown = 2800
const shortened = (text: string): string =>
  text.length <= mostShown
    ? text
    : `${text.slice(0, mostShown)}... (${String(text.length - mostShown)} characters more)`
/** A refusal is one line that can be read, whatever a file's name contains. */
const oneLine = (text: string): string => printablePlain(shortened(text).replace(/\s*[\r\n]+\s*/g, ' '))

export const reported = (json: boolean, report: Report, colours: boolean): Outcome => ({
  status: report.stopped === true ? 130 : (report.status ?? (report.good === null ? 3 : report.good ? 0 : 1)),
  stdout: json ? document(report.json()) : (colours ? printable : printablePlain)(report.text()),
  stderr: report.notice === undefined ? '' : `tcspec: ${oneLine(report.notice)}\n`,
})

export const refused = (json: boolean, f: Failure): Outcome => ({
  status: 2,
  stdout: errorDocument(json, f),
  stderr: `tcspec: ${idOf(f)}${oneLine(saidOf(f))}\n`,
})

/** A refusal that the list of hazards explains begins with its id there. */
const idOf = (f: Failure): string => (hazardIds.some((id) => id === f.code) ? `${f.code}: ` : '')

/** For what was thrown: nothing in this library throws unless it is wrong. */
export const crashed = (json: boolean, error: unknown): Outcome => {
  const what = error instanceof Error ? error.message : String(error)
  const message = `this is a bug in tensorcore-spec: ${oneLine(what)}`
  return { status: 70, stdout: errorDocument(json, { code: 'bug', message }), stderr: `tcspec: ${message}\n` }
}
