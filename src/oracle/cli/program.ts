/**
 * The program: from the words of a command line to an outcome, a function that prints nothing and ends nothing.
 *
 * Commander parses; what it has to complain about becomes one line that also says what is known, with status 2.
 *
 * Laws
 *  1. every argv has an outcome; its status is 0, 1, 2 or 70
 *  2. with `--json` among the words, and unless help or the version was asked for, stdout is one JSON document
 *  3. status 2 comes with exactly one line on stderr
 */
import { Command, CommanderError } from 'commander'
import * as E from 'fp-ts/lib/Either.js'
import type { Task } from 'fp-ts/lib/Task.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { pipe } from 'fp-ts/lib/function.js'
import { failure } from '../../failure.js'
import { crashed, refused, reported, type CliCommand, type Outcome, type World } from './command.js'

interface Parsed {
  readonly command: CliCommand
  readonly operands: ReadonlyArray<string>
  readonly options: Readonly<Record<string, unknown>>
}

/** A complaint of commander's, and the parser that made it. */
interface Complaint {
  readonly parser: Command
  readonly text: string
}

/** Where commander puts what it wanted to do to the process. */
interface Sink {
  readonly print: (text: string) => void
  readonly complain: (complaint: Complaint) => void
  readonly choose: (parsed: Parsed) => void
}

const quiet = (parser: Command, sink: Sink): Command =>
  parser
    .exitOverride()
    .showSuggestionAfterError(false)
    .showHelpAfterError(false)
    .configureOutput({
      writeOut: sink.print,
      writeErr: () => undefined,
      outputError: (text) => {
        sink.complain({ parser, text })
      },
    })

const parserOf = (commands: ReadonlyArray<CliCommand>, world: World, sink: Sink): Command => {
  const program = quiet(new Command('tcspec'), sink)
    .description(
      'the oracle of asynchronous tensor-core kernels: memory, barriers, arithmetic and races, bit for bit',
    )
    .version(world.version)
  commands.forEach((command) => {
    const parser = command.define(quiet(new Command(command.name), sink))
    parser.action(() => {
      sink.choose({ command, operands: parser.args, options: parser.opts() })
    })
    program.addCommand(parser)
  })
  return program
}

/** What may stand where the complaint arose: the flags and arguments of a command, or the commands. */
const known = (parser: Command, commands: ReadonlyArray<CliCommand>): string =>
  parser.parent === null
    ? `usage: tcspec <command> ...; known commands: ${commands.map((c) => c.name).join(', ')}`
    : `usage: tcspec ${[
        parser.name(),
        ...parser.registeredArguments.map((a) => (a.required ? `<${a.name()}>` : `[${a.name()}]`)),
        ...parser.options.map((o) => `[${o.long ?? o.flags}${o.flags.replace(/^[^<[]*/, ' ').trimEnd()}]`),
      ].join(' ')}`

const complaintText = (text: string): string =>
  text
    .replace(/^error: /, '')
    .trim()
    .replace(/\.$/, '')

const parse = (
  commands: ReadonlyArray<CliCommand>,
  world: World,
  argv: ReadonlyArray<string>,
): E.Either<Outcome, Parsed> => {
  const json = argv.includes('--json')
  const printed: string[] = []
  const complaints: Complaint[] = []
  const chosen: Parsed[] = []
  const program = parserOf(commands, world, {
    print: (text) => printed.push(text),
    complain: (complaint) => complaints.push(complaint),
    choose: (parsed) => chosen.push(parsed),
  })
  const parsing = E.tryCatch(
    () => program.parse(argv, { from: 'user' }),
    (error) => error,
  )
  if (chosen[0] !== undefined) return E.right(chosen[0])
  const error = E.isLeft(parsing) ? parsing.left : 'no command was chosen'
  if (!(error instanceof CommanderError)) return E.left(crashed(json, error))
  if (error.exitCode === 0) return E.left({ status: 0, stdout: printed.join(''), stderr: '' })
  const complaint = complaints[0]
  const what = complaint === undefined ? 'expected a command' : complaintText(complaint.text)
  return E.left(refused(json, failure('usage', `${what}; ${known(complaint?.parser ?? program, commands)}`)))
}

/** Runs one command line. `argv` begins with the command's name. */
export const tcspec =
  (commands: ReadonlyArray<CliCommand>, world: World) =>
  (argv: ReadonlyArray<string>): Task<Outcome> =>
    pipe(
      // Whatever is thrown, now or later, is a bug of ours and not the caller's.
      TE.tryCatch(
        async () => {
          const parsed = parse(commands, world, argv)
          if (E.isLeft(parsed)) return parsed.left
          const { command, operands, options } = parsed.right
          const json = options['json'] === true
          const answer = await command.run(world)(operands, options)()
          return E.isLeft(answer) ? refused(json, answer.left) : reported(json, answer.right)
        },
        (error) => crashed(argv.includes('--json'), error),
      ),
      TE.toUnion,
    )
