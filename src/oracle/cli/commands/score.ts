/**
 * `tcspec score [--suite NAME ...] -- COMMAND`: asks another back end the questions of the vectors, over its standard input and output, and says of every
 * rule whether it keeps it. The protocol is a page: `docs/Score.md`.
 *
 * Exit status 1 when anything failed, 3 when nothing was answered.
 */
import type { Command } from 'commander'
import * as E from 'fp-ts/lib/Either.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { pipe } from 'fp-ts/lib/function.js'
import { refuse, type Failure } from '../../../failure.js'
import { cardDocument, cardText, cardXml, isGood, type Card } from '../../score/card.js'
import { spoken, type Start } from '../../score/back-end.js'
import { examine, type Marked } from '../../score/examine.js'
import { suiteNamed, suites, type Suite } from '../../vectors/index.js'
import { features, type Feature } from '../../vectors/suite.js'
import { paletteOf } from '../colours.js'
import type { CliCommand, Options, Report, World } from '../command.js'
import { oneOf, refuseFlag } from '../flags/choice.js'
import { numberOption } from '../flags/number.js'
import { wordOf, wordsOf } from '../flags/words.js'
import type { AskedFile } from '../outputs.js'

const define = (command: Command): Command =>
  command
    .argument('<command...>', 'the back end and its arguments, after --')
    .option('--suite <name...>', 'suites to ask; all if not given')
    .option('--without-feature <name...>', 'leave out the cases that need one of these')
    .option('--random <n>', 'random questions about each rule, in addition to its cases', '20')
    .option('--seed <n>', 'seed of the random questions', '1')
    .option('--timeout <ms>', 'milliseconds that a question may take', '10000')
    .option('--window <n>', 'questions that may be open at once', '8')
    .option('--junit <file>', 'write the card as JUnit XML')
    .option('--json', 'print one JSON document')

const count = (options: Options, name: string, least: number, most: number): TE.TaskEither<Failure, number> =>
  pipe(
    numberOption(options, name, least),
    E.chainW((n) =>
      n >= least && n <= most
        ? E.right(n)
        : refuseFlag(`--${name}`, `an integer from ${String(least)} to ${String(most)}`, String(n)),
    ),
    TE.fromEither,
  )

const suitesAsked = (options: Options): TE.TaskEither<Failure, ReadonlyArray<Suite>> => {
  const named = wordsOf(options, 'suite')
  return TE.traverseArray(suiteNamed)(named.length === 0 ? suites.map((s) => s.name) : named)
}

const asksFor = (options: Options): ReadonlyArray<AskedFile> => {
  const junit = wordOf(options, 'junit')
  return junit === null ? [] : [{ flag: '--junit', file: junit }]
}

interface Asked {
  readonly start: Start
  readonly suites: ReadonlyArray<Suite>
  readonly without: ReadonlyArray<Feature>
  readonly random: number
  readonly seed: number
  readonly timeout: number
  readonly window: number
}

/** Asks everything, and ends the back end. */
const examined = async (world: World, asked: Asked): Promise<E.Either<Failure, ReadonlyArray<Marked>>> => {
  const backEnd = spoken(asked.start, asked.timeout)
  const rules: Marked[] = []
  for (const suite of asked.suites) {
    const bar = world.progress(`asking ${suite.name}`)
    const marked = await examine(suite, backEnd, {
      random: asked.random,
      seed: asked.seed,
      window: asked.window,
      leaveOut: (one) => one.features.some((f) => asked.without.includes(f)),
      progress: bar.update,
    })
    bar.stop()
    for (const rule of marked) rules.push(rule)
  }
  await backEnd.close()
  const lost = backEnd.lost()
  return lost !== null && rules.every((rule) => rule.pass === 0)
    ? refuse('back-end', `the back end: ${lost}`)
    : E.right(rules)
}

const reportOf = (world: World, options: Options, card: Card): Report => ({
  good: isGood(card),
  text: () => cardText(paletteOf(world))(card),
  json: () => cardDocument(card),
  files: asksFor(options).map(({ file }) => ({ file, bytes: new TextEncoder().encode(cardXml(card)) })),
})

const run: CliCommand['run'] = (world) => (operands, options) =>
  pipe(
    TE.Do,
    TE.bind('start', (): TE.TaskEither<Failure, Start> =>
      TE.fromEither(
        world.processes === undefined
          ? refuse('usage', 'score: no process can be started here')
          : E.right(world.processes(operands[0] ?? '', operands.slice(1))),
      ),
    ),
    TE.bindW('suites', () => suitesAsked(options)),
    TE.bindW('without', () =>
      TE.fromEither(
        E.traverseArray(oneOf('--without-feature', features))(wordsOf(options, 'withoutFeature')),
      ),
    ),
    TE.bindW('random', () => count(options, 'random', 0, 100000)),
    TE.bindW('seed', () => count(options, 'seed', 0, 2 ** 31 - 1)),
    TE.bindW('timeout', () => count(options, 'timeout', 1, 3600000)),
    TE.bindW('window', () => count(options, 'window', 1, 1000)),
    TE.chainW((asked) =>
      pipe(
        () => examined(world, asked),
        TE.map((rules) =>
          reportOf(world, options, { backEnd: operands, version: world.version, seed: asked.seed, rules }),
        ),
      ),
    ),
  )

export const scoreCommand: CliCommand = { define, outputs: asksFor, run }
