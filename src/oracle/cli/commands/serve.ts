/**
 * `tcspec serve`: the oracle as a process. Requests on standard input, answers on standard output: JSON-RPC 2.0, one JSON document a line (docs/Serve.md).
 *
 * It keeps nothing between requests, and reads no file but those that requests bring and, with `--files DIR`, those of one folder.
 */
import type { Command } from 'commander'
import * as E from 'fp-ts/lib/Either.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { pipe } from 'fp-ts/lib/function.js'
import { refuse, type Failure } from '../../../failure.js'
import type { CliCommand, Options, Report, Serving } from '../command.js'
import { refuseFlag } from '../flags/choice.js'
import { numberOption } from '../flags/number.js'
import { wordOf } from '../flags/words.js'

const mebi = 2 ** 20
const standard = { threads: 2, memory: 4096, line: 64 * mebi, result: 256 * mebi, requests: 256 }

const define = (command: Command): Command =>
  command
    .option('--files <dir>', 'folder whose files requests may name; default: none')
    .option(
      '--threads <n>',
      `threads for long requests; default: ${String(standard.threads)} (quick requests have a thread of their own)`,
    )
    .option('--memory <mib>', `memory that a thread may keep; default: ${String(standard.memory)} MiB`)
    .option('--max-line <bytes>', `bytes of a request; default: ${String(standard.line)}`)
    .option('--max-result <bytes>', `bytes of a result; default: ${String(standard.result)}`)
    .option('--max-requests <n>', `requests at once; default: ${String(standard.requests)}`)

const servingAsked = (options: Options): E.Either<Failure, Serving> => {
  const within = (name: string, flag: string, otherwise: number, least: number, most: number) =>
    pipe(
      numberOption(options, name, otherwise),
      E.chain((n) =>
        n >= least && n <= most
          ? E.right(n)
          : refuseFlag(flag, `a number from ${String(least)} to ${String(most)}`, String(n)),
      ),
    )
  return pipe(
    E.Do,
    E.bindW('threads', () => within('threads', '--threads', standard.threads, 1, 99)),
    E.bindW('memory', () => within('memory', '--memory', standard.memory, 64, 999_999)),
    // a text has no more
    E.bindW('line', () => within('maxLine', '--max-line', standard.line, 1024, 2 ** 28)),
    E.bindW('result', () => within('maxResult', '--max-result', standard.result, 1024, 2 ** 28)),
    E.bindW('requests', () => within('maxRequests', '--max-requests', standard.requests, 1, 99_999)),
    E.map((numbers) => ({ ...numbers, folder: wordOf(options, 'files') })),
  )
}

/** What was to be said has been said. */
const over: Report = { good: true, text: () => '', json: () => null }

const run: CliCommand['run'] = (world) => (_operands, options) =>
  pipe(
    TE.fromEither(servingAsked(options)),
    TE.chainW((asked): TE.TaskEither<Failure, Report> => {
      const { serve } = world
      return serve === undefined
        ? TE.fromEither(refuse('serve.streams', 'serve: expected standard input and output, found none'))
        : async () => {
            await serve(asked)
            return E.right(over)
          }
    }),
  )

export const serveCommand: CliCommand = { define, run }
