/**
 * The program: from the words of a command line to an outcome, a function that prints nothing and ends nothing.
 *
 * Commander parses; what it has to complain about becomes one line that also says what is known, with status 2. Only the command that the
 * words name is loaded.
 *
 * Commander takes any word for the value of an option; here a value that looks like an option is none, an option that takes one value is
 * given once (but for one that says it may be given again: one value each time), and a flag of pairs (`--set m=1 n=2 NAME`) takes pairs and leaves
 * the name.
 *
 * Laws
 *  1. every argv has an outcome; its status is 0, 1, 2, 3, 70 or 130
 *  2. with `--json` among the words, and unless help or the version was asked for, stdout is one JSON document
 *  3. status 2 comes with exactly one line on stderr
 */
import { Command, CommanderError } from 'commander'
import * as E from 'fp-ts/lib/Either.js'
import type { Task } from 'fp-ts/lib/Task.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { pipe } from 'fp-ts/lib/function.js'
import { failure } from '../../failure.js'
import { didYouMean } from '../../nearest.js'
import { holdsMany } from '../tensor-files/place.js'
import { again } from './flags/words.js'
import { outputsFit } from './outputs.js'
import {
  crashed,
  refused,
  reported,
  type CliCommand,
  type Listed,
  type Outcome,
  type World,
} from './command.js'

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

const quiet = (parser: Command, world: World, sink: Sink): Command =>
  parser
    .exitOverride()
    .showSuggestionAfterError(false)
    .showHelpAfterError(false)
    // else what is narrower stays as wide as its words
    .configureHelp({ minWidthToWrap: 20 })
    .configureOutput({
      writeOut: sink.print,
      ...(world.columns === undefined ? {} : { getOutHelpWidth: () => world.columns ?? 80 }),
      writeErr: () => undefined,
      outputError: (text) => {
        sink.complain({ parser, text })
      },
    })

/** The command that the words speak of: commander's first operand, and `help` speaks of another. */
const spokenOf = (argv: ReadonlyArray<string>): string | undefined => {
  const [first, second] = argv.filter((word) => !word.startsWith('-'))
  return first === 'help' ? second : first
}

interface Loaded {
  readonly listed: Listed
  readonly command: CliCommand
  /** what its help ends with, where help is asked for */
  readonly examples: string
}

/** Whether the words ask for help: examples are loaded for nothing else. */
const asksForHelp = (argv: ReadonlyArray<string>): boolean =>
  argv.some((word) => word === 'help' || word === '--help' || word === '-h')

/** What commander lets pass: an option in the place of a value, and an option that is given again. */
const watchValues = (parser: Command, sink: Sink): void => {
  const flags = ['-h', ...parser.options.flatMap((o) => o.short ?? [])]
  for (const option of parser.options.filter((o) => o.required)) {
    let times = 0
    parser.on(`option:${option.name()}`, (value: unknown) => {
      times++
      if (typeof value === 'string' && (value.startsWith('--') || flags.includes(value)))
        sink.complain({
          parser,
          text: `option '${option.flags}' expected a value, found the option '${value}'`,
        })
      else if (times === 2 && !option.variadic && option.parseArg !== again)
        sink.complain({ parser, text: `option '${option.flags}' expected once, found twice` })
    })
  }
}

const parserOf = (
  commands: ReadonlyArray<Listed>,
  loaded: Loaded | null,
  world: World,
  sink: Sink,
): { readonly program: Command; readonly chosen: Command | null } => {
  const program = quiet(new Command('tcspec'), world, sink)
    .description(
      'the oracle of asynchronous tensor-core kernels: memory, barriers, arithmetic and races, bit for bit',
    )
    .version(world.version)
  let chosen: Command | null = null
  for (const listed of commands) {
    const bare = quiet(new Command(listed.name), world, sink).description(listed.description)
    if (listed.name === loaded?.listed.name) {
      const { command } = loaded
      const parser = command.define(bare).addHelpText('after', loaded.examples)
      parser.action(() => {
        sink.choose({ command, operands: parser.args, options: parser.opts() })
      })
      watchValues(parser, sink)
      chosen = parser
      program.addCommand(parser)
    } else program.addCommand(bare)
  }
  return { program, chosen }
}

/** The whole command line as a parser that runs nothing: every command with its arguments and options, for the manual and for completion. */
export const wholeParser = async (commands: ReadonlyArray<Listed>, version: string): Promise<Command> => {
  const program = new Command('tcspec').version(version)
  for (const listed of commands) {
    const command = await listed.load()
    program.addCommand(command.define(new Command(listed.name).description(listed.description)))
  }
  return program
}

/** What a flag of pairs takes: a pair, or a file of several tensors, which stands for pairs. */
const isPair = (word: string): boolean => word.includes('=') || holdsMany(word)

/** `--set m=1 n=2 NAME` as `--set=m=1 --set=n=2 NAME`: flags of pairs spelled out, so that they take no name for a pair. */
const spelledOut = (parser: Command | null, argv: ReadonlyArray<string>): ReadonlyArray<string> => {
  const pairs = (parser?.options ?? [])
    .filter((o) => o.variadic && o.flags.includes('='))
    .flatMap((o) => o.long ?? [])
  const words: string[] = []
  let flag: string | null = null
  for (const [i, word] of argv.entries()) {
    if (word === '--') return [...words, ...argv.slice(i)]
    const next = argv[i + 1]
    if (flag !== null && !word.startsWith('-') && isPair(word)) words.push(`${flag}=${word}`)
    else {
      flag = pairs.includes(word) && next?.startsWith('-') === false && isPair(next) ? word : null
      if (flag === null) words.push(word)
    }
  }
  return words
}

/** Options and commands that may have been meant. */
const meant = (parser: Command, commands: ReadonlyArray<Listed>, text: string): string => {
  const option = /^unknown option '(.*)'$/s.exec(text)?.[1]
  const command = /^unknown command '(.*)'$/s.exec(text)?.[1]
  const known =
    option === undefined
      ? commands.map((c) => c.name)
      : ['--help', ...parser.options.flatMap((o) => o.long ?? [])]
  const written = option ?? command
  return written === undefined ? text : `${text}; ${didYouMean(known)(written)}`
}

/** What may stand where the complaint arose: the flags and arguments of a command, or the commands. */
const known = (parser: Command, commands: ReadonlyArray<Listed>): string =>
  parser.parent === null
    ? `usage: tcspec <command> ...; known commands: ${commands.map((c) => c.name).join(', ')}`
    : `usage: tcspec ${[
        parser.name(),
        ...parser.registeredArguments.map((a) => (a.required ? `<${a.name()}>` : `[${a.name()}]`)),
        ...parser.options.map(
          (o) =>
            `[${o.long ?? o.flags}${o.flags.replace(/^[^<[]*/, ' ').trimEnd()}]${o.parseArg === again ? '...' : ''}`,
        ),
      ].join(' ')}`

/** More words than a command has arguments for, and the options among them that took one word and no more. */
const tooMany = (parser: Command): string => {
  const most = parser.registeredArguments.map((a) => `<${a.name()}>`).join(' ')
  const found = parser.args.map((word) => `'${word}'`).join(' ')
  const single = parser.options.filter(
    (o) => o.parseArg === again && parser.getOptionValueSource(o.attributeName()) === 'cli',
  )
  const why = single.map((o) => `; ${o.long ?? o.flags} takes one word each time`)
  return `too many arguments: expected ${most === '' ? 'none' : most}, found ${found}${why.join('')}`
}

const complaintText = (text: string): string =>
  text
    .replace(/^error: /, '')
    .trim()
    .replace(/\.$/, '')

const parse = async (
  commands: ReadonlyArray<Listed>,
  world: World,
  said: ReadonlyArray<string>,
): Promise<E.Either<Outcome, Parsed>> => {
  // who says nothing asks what there is
  const argv = said.length === 0 ? ['--help'] : said
  const json = argv.includes('--json')
  const printed: string[] = []
  const complaints: Complaint[] = []
  const chosen: Parsed[] = []
  const name = spokenOf(argv)
  const listed = commands.find((c) => c.name === name)
  const examples = asksForHelp(argv)
    ? (await import('./examples.js')).exampleText(name ?? '', world.columns ?? 80)
    : ''
  const parser = parserOf(
    commands,
    listed === undefined ? null : { listed, command: await listed.load(), examples },
    world,
    {
      print: (text) => printed.push(text),
      complain: (complaint) => complaints.push(complaint),
      choose: (parsed) => chosen.push(parsed),
    },
  )
  const { program } = parser
  const parsing = E.tryCatch(
    () => program.parse(spelledOut(parser.chosen, argv), { from: 'user' }),
    (error) => error,
  )
  const complaint = complaints[0]
  if (chosen[0] !== undefined && complaint === undefined) return E.right(chosen[0])
  const error = E.isLeft(parsing) ? parsing.left : null
  if (error !== null && !(error instanceof CommanderError)) return E.left(crashed(json, error))
  if (error?.exitCode === 0) return E.left({ status: 0, stdout: printed.join(''), stderr: '' })
  const at = complaint?.parser ?? program
  const what =
    complaint !== undefined
      ? /^error: too many arguments/.test(complaint.text)
        ? tooMany(at)
        : meant(at, commands, complaintText(complaint.text))
      : name === undefined || listed !== undefined
        ? 'expected a command'
        : meant(at, commands, `unknown command '${name}'`)
  return E.left(
    refused(json, failure('usage', `${what}${what.endsWith('?') ? '' : ';'} ${known(at, commands)}`)),
  )
}

/**
 * Runs one command line. `argv` begins with the command's name.
 *
 * @example
 * ```ts
 * import { cli } from 'tensorcore-spec/oracle'
 *
 * console.log(cli.commands.length > 10) // true
 * ```
 */
export const tcspec =
  (commands: ReadonlyArray<Listed>, world: World) =>
  (argv: ReadonlyArray<string>): Task<Outcome> =>
    pipe(
      // Whatever is thrown, now or later, is a bug of ours and not the caller's.
      TE.tryCatch(
        async () => {
          const parsed = await parse(commands, world, argv)
          if (E.isLeft(parsed)) return parsed.left
          const { command, operands, options } = parsed.right
          const json = options['json'] === true
          const outputs = outputsFit(world.files, operands, command.outputs?.(options) ?? [])
          if (E.isLeft(outputs)) return refused(json, outputs.left)
          const answer = await command.run(world)(operands, options)()
          if (E.isLeft(answer)) return refused(json, answer.left)
          // what cannot be printed has written nothing
          const outcome = reported(json, answer.right, world.colours)
          const { files = [], directory } = answer.right
          const written = await pipe(
            world.files.write(files),
            TE.chainW(() =>
              directory === undefined || world.directories === undefined
                ? TE.right(undefined)
                : world.directories.write(directory),
            ),
          )()
          return E.isLeft(written) ? refused(json, written.left) : outcome
        },
        (error) => crashed(argv.includes('--json'), error),
      ),
      TE.toUnion,
    )
