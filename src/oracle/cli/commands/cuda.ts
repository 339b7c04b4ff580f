/**
 * `tcspec cuda -- ./program arguments`: a CUDA program runs without a GPU. Every launch is executed bit for bit and judged, and so is what is between launches.
 *
 * The program is built with `-cudart shared`, and finds a stand-in for libcudart. What it does is told in the verdict of the program that its calls come to
 * (`tcspec.host/1`); `--save` keeps that program.
 *
 * Exit status 1 if something was found; otherwise that of the program (of one that a signal has ended, 128 and the signal); and 3 in place of 0 if a launch is not decided.
 */
import type { Command } from 'commander'
import * as E from 'fp-ts/lib/Either.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { pipe } from 'fp-ts/lib/function.js'
import { refuse, type Failure } from '../../../failure.js'
import { session, type Session } from '../../cuda/session.js'
import { usualFuel } from '../../host/perform.js'
import type { Mark } from '../../tensor-files/directory.js'
import type { OutputFile } from '../../tensor-files/files.js'
import { hostSchema } from '../../host/file.js'
import type { CliCommand, EndedProgram, Options, Report, World } from '../command.js'
import { wordOf } from '../flags/words.js'
import { answerOf, judgeBy, judgeFlag, judgingAsked, reportFlags } from '../host.js'
import { algebraAsked } from '../ptx.js'
import { exploringOptions, fuelAsked, judgingOptions } from '../judging.js'

const define = (command: Command): Command =>
  exploringOptions(
    judgingOptions(command.argument('<command...>', 'the program and its arguments, after --')),
  )
    .option(...judgeFlag)
    .option(...reportFlags.junit)
    .option(...reportFlags.report)
    .option(
      '--save <folder>',
      'keep the program as data: program.json (tcspec.host/1) with its PTX and its bytes',
    )
    .option('--json', 'print the verdict as one JSON document')

/** Events of a search for one launch among the many of a program whose end is waited for. */
const budgetOfOne = '30000'

/** Events of a run of one launch that is judged: some twenty seconds. It is executed to its end whatever they say. */
const fuelOfOne = '500000'

/** A program does not choose its grids for this: they are judged as far as the events last. */
const ofProgram = (options: Options): Options => ({
  ...options,
  fuel: options['fuel'] ?? fuelOfOne,
  ...(options['budget'] === undefined && options['explore'] === undefined ? { budget: budgetOfOne } : {}),
})

/** The program as files. */
const saved = (name: string, s: Session): ReadonlyArray<OutputFile> => [
  { file: mark.file, bytes: new TextEncoder().encode(`${JSON.stringify(s.program(name), null, 1)}\n`) },
  ...[...s.files()].map(([file, bytes]) => ({ file, bytes })),
]

/** What a directory of a program is known by. */
const mark: Mark = { file: 'program.json', says: `"schema": "${hostSchema.replace(/\d+$/, '')}` }

/** What cannot be written is refused before the program is started. */
const placeOf = ({ directories }: World, options: Options): E.Either<Failure, null> => {
  const into = wordOf(options, 'save')
  return into === null || directories === undefined ? E.right(null) : directories.free(into, mark)()
}

const outputs: CliCommand['outputs'] = (options) =>
  (['junit', 'report'] as const).flatMap((flag) => {
    const file = wordOf(options, flag)
    return file === null ? [] : [{ flag: `--${flag}`, file }]
  })

const endedText = ({ status, signal }: EndedProgram): string =>
  signal !== null ? `ended by ${signal}` : `exit status ${String(status)}`

const run: CliCommand['run'] = (world) => (operands, options) => {
  const [command = '', ...words] = operands
  const { programs } = world
  return pipe(
    TE.Do,
    TE.bindW('how', () => TE.fromEither(judgingAsked(options, 'first'))),
    TE.bindW('fuel', () => TE.fromEither(fuelAsked(options, 0))),
    TE.chainFirstW(() => TE.fromEither(placeOf(world, options))),
    TE.chainW(({ how, fuel }) =>
      programs === undefined
        ? TE.fromEither(refuse('cuda.program', 'programs cannot be started here'))
        : ran(world, programs, command, words, options, how, Math.max(fuel, usualFuel)),
    ),
  )
}

const ran =
  (
    world: World,
    programs: NonNullable<World['programs']>,
    command: string,
    words: ReadonlyArray<string>,
    options: Options,
    how: 'all' | 'first' | 'none',
    fuel: number,
  ): TE.TaskEither<Failure, Report> =>
  async () => {
    const folder = await programs.library()
    if (E.isLeft(folder)) return folder
    const s = session(
      {
        algebra: algebraAsked(options),
        judge: options['hazards'] === false || how === 'none' ? null : judgeBy(world, ofProgram(options)),
        judgeAll: how === 'all',
        fuel,
      },
      programs.tell,
      wordOf(options, 'save') !== null,
    )
    const ended = await programs.start(folder.right, command, words, s.answer)
    if (E.isLeft(ended)) return ended
    if (!ended.right.connected)
      return refuse(
        'cuda.static',
        `${command}: never called the shared CUDA runtime (${endedText(ended.right)}); build the program with \`nvcc -cudart shared\``,
      )
    const into = wordOf(options, 'save')
    const report = answerOf(
      world,
      options,
      command,
      s.count(),
      s.host(),
      [['ended', endedText(ended.right)]],
      ended.right.status ?? 128 + (ended.right.number ?? 0),
      into,
      s.refused(),
    )
    return E.right(
      into === null
        ? report
        : Object.assign({}, report, { directory: { directory: into, mark, files: saved(command, s) } }),
    )
  }

export const cudaCommand: CliCommand = { define, outputs, run }
