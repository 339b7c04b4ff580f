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
import { spoken } from '../../score/back-end.js'
import { examine, type Asking, type Marked } from '../../score/examine.js'
import { suiteNamed, suites, type Suite } from '../../vectors/index.js'
import { features } from '../../vectors/suite.js'
import { paletteOf } from '../colours.js'
import type { CliCommand, Options, Report, World } from '../command.js'
import { oneOf } from '../flags/choice.js'
import { numberOption } from '../flags/number.js'
import { wordOf, wordsOf } from '../flags/words.js'

const define = (command: Command): Command =>
  command
    .argument('<command...>', 'behind --: the back end and its words')
    .option('--suite <name...>', 'suites to ask; all if not given')
    .option('--without-feature <name...>', 'leave out the cases that need one of these')
    .option('--random <n>', 'random questions about each rule besides its cases', '20')
    .option('--seed <n>', 'of the random questions', '1')
    .option('--timeout <ms>', 'milliseconds that a question may take', '10000')
    .option('--window <n>', 'questions that are asked before the first is answered', '8')
    .option('--junit <file>', 'write the card as JUnit XML')
    .option('--json', 'print one JSON document')

const count =
  (options: Options, name: string, least: number, mostOf: number) => (): E.Either<Failure, number> =>
    pipe(
      numberOption(options, name, least),
      E.chainW((n) =>
        n >= least && n <= mostOf
          ? E.right(n)
          : refuse(
              'usage',
              `--${name}: expected an integer from ${String(least)} to ${String(mostOf)}, found ${String(n)}`,
            ),
      ),
    )

const suitesAsked = (options: Options): TE.TaskEither<Failure, ReadonlyArray<Suite>> => {
  const named = wordsOf(options, 'suite')
  return TE.traverseArray(suiteNamed)(named.length === 0 ? suites.map((s) => s.name) : named)
}

const file = (options: Options): ReadonlyArray<{ readonly flag: string; readonly file: string }> => {
  const junit = wordOf(options, 'junit')
  return junit === null ? [] : [{ flag: '--junit', file: junit }]
}

const run: CliCommand['run'] = (world: World) => (operands, options) =>
  pipe(
    TE.Do,
    TE.bind('start', () =>
      TE.fromEither(
        world.processes === undefined
          ? refuse('usage', 'score: no processes can be started here')
          : E.right(world.processes(operands[0] ?? '', operands.slice(1))),
      ),
    ),
    TE.bind('asked', () => suitesAsked(options)),
    TE.bindW('without', () =>
      TE.fromEither(
        E.traverseArray(oneOf('--without-feature', features))(wordsOf(options, 'withoutFeature')),
      ),
    ),
    TE.bindW('random', () => TE.fromEither(count(options, 'random', 0, 100000)())),
    TE.bindW('seed', () => TE.fromEither(count(options, 'seed', 0, 2 ** 31 - 1)())),
    TE.bindW('timeout', () => TE.fromEither(count(options, 'timeout', 1, 3600000)())),
    TE.bindW('window', () => TE.fromEither(count(options, 'window', 1, 1000)())),
    TE.chainTaskK(({ start, asked, without, random, seed, timeout, window }) => async (): Promise<Report> => {
      const backEnd = spoken(start, timeout)
      const rules: Marked[] = []
      for (const suite of asked) {
        const bar = world.progress(`asking ${suite.name}`)
        const asking: Asking = {
          random,
          seed,
          window,
          leaveOut: (one) => one.features.some((f) => without.includes(f)),
          progress: bar.update,
        }
        for (const rule of await examine(suite, backEnd, asking)) rules.push(rule)
        bar.stop()
      }
      await backEnd.close()
      const card: Card = { backEnd: operands, version: world.version, seed, rules }
      return {
        good: isGood(card),
        text: () => cardText(paletteOf(world))(card),
        json: () => cardDocument(card),
        files: file(options).map((asked) => ({
          file: asked.file,
          bytes: new TextEncoder().encode(cardXml(card)),
        })),
      }
    }),
  )

export const scoreCommand: CliCommand = { define, outputs: file, run }
