/**
 * `tcspec open [KERNEL]`: the page on a free port of this machine, until it is interrupted.
 *
 * Its address is printed as soon as it can be opened. Nothing but this machine can reach it, and it answers with the files of the page and no others.
 */
import type { Command } from 'commander'
import * as E from 'fp-ts/lib/Either.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { pipe } from 'fp-ts/lib/function.js'
import { refuse, type Failure } from '../../../failure.js'
import { kernelNamed } from '../../../kernels/catalogue/index.js'
import type { CliCommand, Opening, Options, Report } from '../command.js'
import { refuseFlag } from '../flags/choice.js'
import { numberOption } from '../flags/number.js'

const define = (command: Command): Command =>
  command
    .argument('[kernel]', 'kernel to show first: a name that `tcspec kernels` lists')
    .option('--port <n>', 'port; default: any free port')

const portOf = (options: Options): E.Either<Failure, number> =>
  pipe(
    numberOption(options, 'port', 0),
    E.chainW((port) =>
      port <= 65535 ? E.right(port) : refuseFlag('--port', 'a port, a number from 0 to 65535', String(port)),
    ),
  )

/** Where the page begins: its front, or a kernel. */
const hashOf = (kernel: string | undefined): E.Either<Failure, string> =>
  kernel === undefined
    ? E.right('')
    : pipe(
        kernelNamed(kernel),
        E.map(() => `#/kernels?${new URLSearchParams({ kernel }).toString()}`),
      )

const openingAsked = (operands: ReadonlyArray<string>, options: Options): E.Either<Failure, Opening> =>
  pipe(
    E.Do,
    E.bind('port', () => portOf(options)),
    E.bind('hash', () => hashOf(operands[0])),
  )

/** What was to be said has been said. */
const over: Report = { good: true, text: () => '', json: () => null }

const run: CliCommand['run'] = (world) => (operands, options) =>
  pipe(
    TE.fromEither(openingAsked(operands, options)),
    TE.chainW((asked) =>
      world.open === undefined
        ? TE.fromEither(refuse('site.port', 'open: this environment has no network ports'))
        : world.open(asked),
    ),
    TE.map(() => over),
  )

export const openCommand: CliCommand = { define, run }
