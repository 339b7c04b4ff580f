/**
 * What is asked of a verdict, by every command that gives one: on which schedule, how strictly, and where the schedule is kept.
 *
 * | option             | asks                                                                                     |
 * |--------------------|------------------------------------------------------------------------------------------|
 * | `--schedule`       | the run that is judged                                                                   |
 * | `--strict`         | broken contracts are errors                                                              |
 * | `--strict-proxies` | a proxy fence before an asynchronous overwrite, too                                      |
 * | `--tensor-pipe`    | whether products of tensor memory with different accumulators are ordered                |
 * | `--record`         | the schedule of the first finding, or of the run where nothing is found, in a file       |
 */
import type { Command } from 'commander'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { Failure } from '../../failure.js'
import type { Checked } from '../../semantics/check.js'
import type { Options as DetectorOptions } from '../../semantics/detector/index.js'
import { showSchedule } from '../../semantics/run.js'
import type { Options, World } from './command.js'
import type { FlagFailure } from './flags/choice.js'
import { parseSchedule, parseTensorPipe, type ScheduleFlag } from './flags/machine.js'
import { switchOf, wordOf } from './flags/words.js'
import { scheduleFile } from './schedule.js'

export const scheduleOption = (command: Command): Command =>
  command.option('--schedule <policy>', 'eager, lazy, roundrobin, seeded:N or recorded:FILE; default: eager')

export const judgingOptions = (command: Command): Command =>
  scheduleOption(command)
    .option('--record <file>', 'write the schedule of the run, or of its first finding, to a file')
    .option('--strict', 'broken contracts are errors')
    .option('--strict-proxies', 'demand a proxy fence before an asynchronous overwrite, too')
    .option(
      '--tensor-pipe <order>',
      'order of tensor-memory products: issue-order or documented; default: issue-order',
    )

/** Without the flag, the eager one. */
export const scheduleAsked = (options: Options): E.Either<FlagFailure, ScheduleFlag> =>
  parseSchedule(wordOf(options, 'schedule') ?? 'eager')

export type Strictness = Pick<DetectorOptions, 'strict' | 'strictProxies' | 'tensorPipe'>

export const strictnessAsked = (options: Options): E.Either<FlagFailure, Strictness> =>
  pipe(
    parseTensorPipe(wordOf(options, 'tensorPipe') ?? 'issue-order'),
    E.map((tensorPipe) => ({
      tensorPipe,
      strict: switchOf(options, 'strict'),
      strictProxies: switchOf(options, 'strictProxies'),
    })),
  )

/** Writes the schedule where one is asked for; what was written. */
export const record = (
  world: World,
  options: Options,
  { verdict, schedule }: Pick<Checked, 'verdict' | 'schedule'>,
): E.Either<Failure, ReadonlyArray<string>> => {
  const file = wordOf(options, 'record')
  return file === null
    ? E.right([])
    : pipe(
        world.files.write(file, scheduleFile(verdict.findings[0]?.schedule ?? showSchedule(schedule)))(),
        E.map(() => [`a schedule to ${file}`]),
      )
}
