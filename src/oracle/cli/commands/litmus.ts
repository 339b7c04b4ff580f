/**
 * `tcspec litmus release`, `tcspec litmus test.litmus.txt`: what the memory model says of a litmus test, and why.
 *
 * | `tcspec litmus X`        | is                                                                                 |
 * |--------------------------|------------------------------------------------------------------------------------|
 * | the name of a clause     | the test of docs/MemoryModel.md that needs it, under the options that it is for     |
 * | a file                   | its lines, an event each (`semantics/model/litmus.ts`); what follows `//` is a remark |
 *
 * `--without CLAUSE` leaves a clause out; the relations are then those of the model without it, and both verdicts are told. The exit status is that of the model that
 * is shown: 0 if nothing is wrong with the test, 1 else.
 */
import type { Command } from 'commander'
import * as E from 'fp-ts/lib/Either.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { pipe } from 'fp-ts/lib/function.js'
import { failure, type Failure } from '../../../failure.js'
import { litmusDocument, type LitmusDocument, type LitmusOptions } from '../../../render/litmus-document.js'
import { litmusSvg } from '../../../render/litmus-svg.js'
import { eventText, litmusText, pairText } from '../../../render/litmus.js'
import { clauses } from '../../../semantics/model/index.js'
import { litmusLines, litmusLog } from '../../../semantics/model/litmus.js'
import { outputAsked, reportAnswer, withFormats, type Answer } from '../answer.js'
import type { CliCommand, Options, Report, World } from '../command.js'
import { refuseFlag } from '../flags/choice.js'
import { again, wordsOf } from '../flags/words.js'
import { strictnessAsked } from '../judging.js'

const define = (command: Command): Command =>
  withFormats(
    command
      .argument(
        '<test>',
        'a clause of docs/MemoryModel.md (its test), or a file of lines such as `T0: write x`',
      )
      .option('--without <clause>', 'leave out a clause of the model; again for another', again)
      .option('--strict', 'relaxed arrives and waits order no access')
      .option('--strict-proxies', 'demand a proxy fence before an asynchronous overwrite, too')
      .option(
        '--tensor-pipe <order>',
        'order of tensor-memory products: issue-order or documented; default: issue-order',
      ),
  )

// ---------------------------------------------------------------- what is asked

interface Test {
  readonly name: string
  readonly lines: ReadonlyArray<string>
  readonly numbers: ReadonlyArray<number>
  /** what it is for */
  readonly options: Partial<LitmusOptions>
}

const isPlain = (word: string): boolean => /^[A-Za-z0-9-]+$/.test(word)

const testOf = (world: World, word: string): E.Either<Failure, Test> => {
  const clause = clauses.find(({ id }) => id === word)
  if (clause !== undefined)
    return E.right({
      name: clause.id,
      lines: clause.litmus.log,
      numbers: clause.litmus.log.map((_, k) => k + 1),
      options: clause.litmus.options ?? {},
    })
  return pipe(
    world.files.read(word)(),
    E.bimap(
      (f): Failure =>
        isPlain(word)
          ? failure(
              f.code,
              `litmus: expected a file of lines, or a clause (${clauses.map(({ id }) => id).join(', ')}), found '${word}'`,
            )
          : f,
      (bytes) => Object.assign({ name: word, options: {} }, litmusLines(new TextDecoder().decode(bytes))),
    ),
  )
}

const leftOutOf = (options: Options): E.Either<Failure, ReadonlyArray<string>> => {
  const said = wordsOf(options, 'without')
  const unknown = said.find((word) => !clauses.some(({ id }) => id === word))
  return unknown === undefined
    ? E.right([...new Set(said)])
    : refuseFlag('--without', `a clause: ${clauses.map(({ id }) => id).join('|')}`, unknown)
}

const documentOf = (world: World, word: string, options: Options): E.Either<Failure, LitmusDocument> =>
  pipe(
    E.Do,
    E.bindW('strictness', () => strictnessAsked(options)),
    E.bindW('leftOut', () => leftOutOf(options)),
    E.bindW('test', () => testOf(world, word)),
    E.bindW('log', ({ test }) =>
      pipe(
        litmusLog(test.lines, test.numbers),
        E.mapLeft((f) => failure(f.code, `${test.name}: ${f.message}`)),
      ),
    ),
    E.map(({ strictness, leftOut, test: { name, lines, numbers, options: own }, log }) =>
      litmusDocument(
        name,
        lines,
        numbers,
        log,
        {
          strict: strictness.strict || own.strict === true,
          strictProxies: strictness.strictProxies || own.strictProxies === true,
          tensorPipe: own.tensorPipe ?? strictness.tensorPipe,
        },
        leftOut,
      ),
    ),
  )

// ---------------------------------------------------------------- the answer

const answerOf = (d: LitmusDocument): Answer => ({
  what: 'a litmus test',
  good: (d.without ?? d.model).ok,
  table: (palette) => litmusText(palette, d),
  json: () => d,
  csv: () => [
    ['first', 'line', 'then', 'line', 'is', 'before', 'seen', 'why'],
    ...d.pairs.map((p) => [
      eventText(d, p.a),
      d.events[p.a]?.line ?? 0,
      eventText(d, p.b),
      d.events[p.b]?.line ?? 0,
      p.is ?? 'does not meet',
      String(p.before),
      p.seen === null ? '' : String(p.seen),
      pairText(d, p),
    ]),
  ],
  svg: () => litmusSvg(d),
})

const run: CliCommand['run'] = (world) => (operands, options) =>
  TE.fromIOEither((): E.Either<Failure, Report> =>
    pipe(
      documentOf(world, operands[0] ?? '', options),
      E.map(answerOf),
      E.chain(reportAnswer(world, options)),
    ),
  )

export const litmusCommand: CliCommand = { define, outputs: outputAsked, run }
