/**
 * `tcspec litmus release`, `tcspec litmus test.litmus.txt`, `tcspec litmus MP.litmus`: what a memory model says of a litmus test, and why.
 *
 * | `tcspec litmus X`        | is                                                                                 |
 * |--------------------------|------------------------------------------------------------------------------------|
 * | the name of a clause     | the test of docs/MemoryModel.md that needs it, under the options that it is for     |
 * | a file                   | its lines, an event each (`semantics/model/litmus.ts`); what follows `//` is a remark |
 * | a file whose first word is `PTX` | a program and a question (`dialects/litmus`), answered by the axioms of the PTX ISA (`semantics/axioms`) |
 *
 * `--without CLAUSE` leaves a clause out; the relations are then those of the model without it, and both verdicts are told. The exit status is that of the model that
 * is shown: 0 if nothing is wrong with the test, 1 else. For a `PTX` test, `--without` leaves out an axiom, and the exit status is 0 if its question holds.
 */
import type { Command } from 'commander'
import * as E from 'fp-ts/lib/Either.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { pipe } from 'fp-ts/lib/function.js'
import { isPtxLitmus, readPtxLitmus } from '../../../dialects/litmus/index.js'
import { failure, refuse, type Failure } from '../../../failure.js'
import { didYouMean } from '../../../nearest.js'
import { litmusAnswerDocument, type LitmusAnswerDocument } from '../../../render/litmus-answer-document.js'
import { litmusAnswerText, stateText } from '../../../render/litmus-answer.js'
import { litmusDocument, type LitmusDocument, type LitmusOptions } from '../../../render/litmus-document.js'
import { litmusSvg } from '../../../render/litmus-svg.js'
import { eventText, litmusText, pairText } from '../../../render/litmus.js'
import { answerTo, everyAxiom, type Axiom } from '../../../semantics/axioms/index.js'
import { clauses } from '../../../semantics/model/index.js'
import { litmusLines, litmusLog } from '../../../semantics/model/litmus.js'
import { outputAsked, reportAnswer, withFormats, type Answer } from '../answer.js'
import type { CliCommand, Options, Report, World } from '../command.js'
import { refuseWord } from '../flags/choice.js'
import { again, wordsOf } from '../flags/words.js'
import { strictnessAsked } from '../judging.js'

const define = (command: Command): Command =>
  withFormats(
    command
      .argument(
        '<test>',
        'a clause of docs/MemoryModel.md (its test), a file of lines such as `T0: write x`, or a litmus test of PTX (its first word is PTX)',
      )
      .option(
        '--without <clause>',
        'leave out a clause of the model, or an axiom for a litmus test of PTX; may be repeated',
        again,
      )
      .option('--strict', 'do not let relaxed arrives and waits order accesses')
      .option('--strict-proxies', 'also demand a proxy fence before an asynchronous overwrite')
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

const testOfClause = (word: string): Test | undefined => {
  const clause = clauses.find(({ id }) => id === word)
  return clause === undefined
    ? undefined
    : {
        name: clause.id,
        lines: clause.litmus.log,
        numbers: clause.litmus.log.map((_, k) => k + 1),
        options: clause.litmus.options ?? {},
      }
}

const textOf = (world: World, word: string): E.Either<Failure, string> =>
  pipe(
    world.files.read(word)(),
    E.bimap(
      (f): Failure =>
        isPlain(word)
          ? failure(
              f.code,
              `no litmus test named '${word}': it is no file, and no clause of docs/MemoryModel.md; ${didYouMean(clauses.map(({ id }) => id))(word)}`,
            )
          : f,
      (bytes) => new TextDecoder().decode(bytes),
    ),
  )

const testOfText = (word: string, text: string): Test =>
  Object.assign({ name: word, options: {} }, litmusLines(text))

const leftOutOf = (options: Options): E.Either<Failure, ReadonlyArray<string>> => {
  const said = wordsOf(options, 'without')
  const unknown = said.find((word) => !clauses.some(({ id }) => id === word))
  return unknown === undefined
    ? E.right([...new Set(said)])
    : refuseWord(
        '--without',
        clauses.map(({ id }) => id),
        unknown,
        `a clause: ${clauses.map(({ id }) => id).join('|')}`,
      )
}

const documentOf = (asked: Test, options: Options): E.Either<Failure, LitmusDocument> =>
  pipe(
    E.Do,
    E.let('test', () => asked),
    E.bindW('strictness', () => strictnessAsked(options)),
    E.bindW('leftOut', () => leftOutOf(options)),
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

// ---------------------------------------------------------------- a test of PTX

const axiomsLeftOut = (options: Options): E.Either<Failure, ReadonlyArray<Axiom>> => {
  const said = wordsOf(options, 'without')
  const unknown = said.find((word) => !everyAxiom.some((a) => a === word))
  return unknown === undefined
    ? E.right(everyAxiom.filter((a) => said.includes(a)))
    : refuseWord('--without', everyAxiom, unknown, `an axiom: ${everyAxiom.join('|')}`)
}

/** Options that ask about agents and their operations say nothing about a test of PTX. */
const onlyOfLines = ['strict', 'strictProxies', 'tensorPipe'] as const

const answered = (name: string, text: string, options: Options): E.Either<Failure, LitmusAnswerDocument> => {
  const foreign = onlyOfLines.find((flag) => options[flag] !== undefined)
  return foreign === undefined
    ? pipe(
        E.Do,
        E.bindW('leftOut', () => axiomsLeftOut(options)),
        E.bindW('test', () => readPtxLitmus(text)),
        E.bindW('answer', ({ leftOut, test }) => answerTo(test.program, test.question, { without: leftOut })),
        E.bimap(
          (f): Failure =>
            f.code.startsWith('litmus.') || f.code.startsWith('axioms.')
              ? failure(f.code, `${name}: ${f.message}`)
              : f,
          ({ leftOut, test, answer }) => litmusAnswerDocument(name, test, answer, leftOut),
        ),
      )
    : refuse(
        'bad-flag',
        `--${foreign.replace(/[A-Z]/g, (c) => `-${c.toLowerCase()}`)}: a litmus test of PTX is answered by the axioms of the PTX ISA, which have no such option`,
      )
}

const answerOfPtx = (d: LitmusAnswerDocument): Answer => ({
  what: 'a litmus test of PTX',
  good: d.holds === true,
  table: (palette) => litmusAnswerText(palette, d),
  json: () => d,
  csv: () => [['state', 'satisfies'], ...d.states.map((s) => [stateText(s), String(s.satisfies)])],
  svg: null,
})

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

const answerFor = (world: World, word: string, options: Options): E.Either<Failure, Answer> => {
  const clause = testOfClause(word)
  if (clause !== undefined) return E.Functor.map(documentOf(clause, options), answerOf)
  return E.Monad.chain(textOf(world, word), (text) =>
    isPtxLitmus(text)
      ? E.Functor.map(answered(word, text, options), answerOfPtx)
      : E.Functor.map(documentOf(testOfText(word, text), options), answerOf),
  )
}

const run: CliCommand['run'] = (world) => (operands, options) =>
  TE.fromIOEither((): E.Either<Failure, Report> =>
    pipe(answerFor(world, operands[0] ?? '', options), E.chain(reportAnswer(world, options))),
  )

export const litmusCommand: CliCommand = { define, outputs: outputAsked, run }
