/**
 * What is asked of a verdict, by every command that gives one: on which schedule, how strictly, and where the schedule is kept.
 *
 * | option             | asks                                                                                     |
 * |--------------------|------------------------------------------------------------------------------------------|
 * | `--schedule`       | the run that is judged                                                                   |
 * | `--strict`         | broken contracts are errors; relaxed arrives and waits order no ordinary access          |
 * | `--strict-proxies` | a proxy fence before an asynchronous overwrite, too                                      |
 * | `--lanes`          | whether lanes of a warp are threads; else the verdict is about the schedules of warps    |
 * | `--every-cta`      | every cluster of a grid, also where one stands for others                                |
 * | `--tensor-pipe`    | whether products of tensor memory with different accumulators are ordered                |
 * | `--explore`, `--budget` | how far other schedules are tried where one does not decide                         |
 * | `--fuel`           | how many events a run may have                                                           |
 * | `--record`         | the schedule of the first finding, or of the run where nothing is found, in a file       |
 */
import type { Command } from 'commander'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { allowedBy, failure, type Failure } from '../../failure.js'
import { own } from '../../own.js'
import type { Algebra } from '../../numerics/algebra.js'
import { thousands } from '../../render/table.js'
import { standardBudget } from '../../semantics/verdict/budget.js'
import type { Foreseen } from '../../semantics/verdict/foresight.js'
import { wantsData } from '../../semantics/verdict/settled.js'
import { type Checked, type CheckOptions } from '../../semantics/verdict/check.js'
import type { Options as DetectorOptions } from '../../semantics/judging/detector/index.js'
import { mostAlong } from '../../semantics/execution/launch-warps.js'
import { leastEvents } from '../../semantics/language/cost.js'
import { constantsOf } from '../../semantics/language/typecheck/constant.js'
import type { Program } from '../../semantics/language/program.js'
import { standardFuel, type Outcome } from '../../semantics/execution/run.js'
import type { Verdict } from '../../semantics/judging/verdict.js'
import type { DataSet } from '../launch/data-sets.js'
import type { Subject } from './subject.js'
import type { OutputFile } from '../tensor-files/files.js'
import type { Options } from './command.js'
import { refuseFlag, type FlagFailure } from './flags/choice.js'
import {
  parseSchedule,
  parseLanes,
  parseTensorPipe,
  printSchedule,
  type ScheduleFlag,
} from './flags/machine.js'
import { switchOf, wordOf } from './flags/words.js'
import type { AskedFile } from './outputs.js'
import { scheduleFile } from './schedule.js'

export const scheduleOption = (command: Command): Command =>
  command.option(
    '--schedule <policy>',
    'eager, lazy, roundrobin, seeded:N, starving:AGENT[:EVENT],seeded:N, each with detours ("eager 12=1:4/write.0": at step 12 that event), or recorded:FILE; default: eager',
  )

export const fuelOption = (command: Command): Command =>
  command.option(
    '--fuel <events>',
    `limit of the events of a run, and so of its computation; default: ${thousands(standardFuel)}, and more for a large product`,
  )

export const judgingOptions = (command: Command): Command =>
  fuelOption(scheduleOption(command))
    .option('--record <file>', 'write the schedule of the run, or of its first finding, to a file')
    .option(
      '--strict',
      'report contract notes as errors, and do not let relaxed arrives and waits order ordinary accesses',
    )
    .option('--strict-proxies', 'also demand a proxy fence before an asynchronous overwrite')
    .option('--every-cta', 'run every CTA of a grid, also those that do the same at other addresses')
    .option(
      '--lanes <how>',
      'lanes of a warp: threads (default), converged (lanes that run together are in order, and findings that depend on this are notes) or off (a warp acts as one)',
    )
    .option(
      '--tensor-pipe <order>',
      'order of tensor-memory products: issue-order or documented; default: issue-order',
    )

export const exploringOptions = (command: Command): Command =>
  command
    .option(
      '--explore',
      'if one schedule does not decide, try others without a budget, and then search all of them',
    )
    .option('--no-explore', 'try no other schedules except the orders in which agents reach a deciding word')
    .option(
      '--budget <events>',
      `events that other schedules and other data may cost where one schedule does not decide; default: ${thousands(standardBudget)}`,
    )

/** How far other schedules are tried where one does not decide. */
export type Exploring = Required<Pick<CheckOptions, 'explore' | 'budget'>>

/** Unless something else is asked for: within the standard budget; where it is one schedule that is asked about, no more than what it takes to judge that. */
export const exploringAsked = (options: Options): E.Either<FlagFailure, Exploring> => {
  const [switched, budget] = [own(options, 'explore'), wordOf(options, 'budget')]
  if (budget !== null)
    return typeof switched === 'boolean'
      ? refuseFlag('--budget', `no --${switched ? '' : 'no-'}explore with it`, budget)
      : /^\d{1,12}$/.test(budget)
        ? E.right({ explore: Number(budget) > 0, budget: Number(budget) })
        : refuseFlag('--budget', 'a number of events below 10^12', budget)
  if (switched === true) return E.right({ explore: true, budget: Infinity })
  const asksAll = switched !== false && wordOf(options, 'schedule') === null
  return E.right({ explore: asksAll, budget: standardBudget })
}

/** Without the flag, the eager one. */
export const scheduleAsked = (options: Options): E.Either<FlagFailure, ScheduleFlag> =>
  parseSchedule(wordOf(options, 'schedule') ?? 'eager')

/** Events whose schedule fits memory: three gigabytes of it. */
const mostFuel = 6 * standardFuel
/** A run may take so much without being asked: a product that the program says it computes is no endless one. */
const fuelOf = (multiplyAdds: number): number =>
  Math.min(mostFuel, standardFuel + Math.ceil(multiplyAdds / 4096))

/** Without the flag, enough for so many multiply-adds. */
export const fuelAsked = (options: Options, work: number): E.Either<FlagFailure, number> => {
  const said = wordOf(options, 'fuel')
  return said === null
    ? E.right(fuelOf(work))
    : /^[1-9]\d{0,11}$/.test(said)
      ? E.right(Number(said))
      : refuseFlag('--fuel', 'a positive number of events, below 10^12', said)
}

/** CTAs that are launched without being asked for: a run of so many small ones takes some ten seconds. */
export const mostCtas: number = 2 ** 14

/** How large a launch is. */
export interface Extent {
  readonly ctas: number
  /** of each CTA, that begin at once */
  readonly agents: number
  /** what they are called */
  readonly kind: 'warps' | 'agents'
  /** events of a run of it, at least */
  readonly least: number
}

/** What costs so much is run if it is asked for. */
const tooDear = (message: string): E.Either<Failure<'run.cost'>, never> =>
  E.left(allowedBy(failure('run.cost', message), 'fuel', 'EVENTS'))

/** Seconds of a run on one core, to a digit: some 90,000 events a second. */
const secondsOf = (events: number): string => thousands(Math.max(1, Math.round(events / 90_000)))

/**
 * A launch of a million CTAs has a million of everything before its first finding, and what is wrong between CTAs is wrong between a few. So it is refused
 * at once, with what it costs; with --fuel it is run as far as that goes.
 */
const launchFits = (options: Options, name: string, of: Extent): E.Either<Failure<'run.cost'>, null> =>
  of.ctas <= mostCtas || wordOf(options, 'fuel') !== null
    ? E.right(null)
    : tooDear(
        `${name}: expected a launch of at most ${thousands(mostCtas)} CTAs, found ${thousands(of.ctas)} of ${String(of.agents)} ${of.kind}: at least ${thousands(of.least)} events, some ${secondsOf(of.least)} s. Make the grid smaller`,
      )

const product = (xs: ReadonlyArray<number>): number => xs.reduce((n, x) => n * x, 1)

/**
 * The fuel of a grid of which every cluster is run, where `fits` has nothing against it. When it is known how long that is: enough for it, and what it is goes to the bar; or a refusal,
 * before the first event. Where the flag says how far to go, so far.
 */
export const fuelForeseen =
  (
    options: Options,
    name: string,
    fits: () => E.Either<Failure, unknown>,
    fuel: number,
    told: (what: string) => void,
  ) =>
  (foreseen: () => Foreseen | null): E.Either<Failure, number> =>
    E.chain(() => {
      const found = foreseen()
      return found === null ? E.right<Failure, number>(fuel) : enoughFor(options, name, found, fuel, told)
    })(fits())

const enoughFor = (
  options: Options,
  name: string,
  { events, clusters }: Foreseen,
  fuel: number,
  told: (what: string) => void,
): E.Either<Failure, number> => {
  if (wordOf(options, 'fuel') === null && events > mostFuel)
    return tooDear(
      `${name}: expected a run of at most ${thousands(mostFuel)} events, found one of some ${thousands(events)} (${thousands(clusters)} clusters, some ${secondsOf(events)} s). Make the grid smaller`,
    )
  told(
    `checking ${thousands(clusters)} clusters, some ${thousands(events)} events and ${secondsOf(events)} s`,
  )
  return E.right(wordOf(options, 'fuel') === null ? Math.max(fuel, 2 * events) : fuel)
}

/** Enough for a launch of PTX, of which each warp has an event at least. */
export const fuelForPtx = (
  options: Options,
  name: string,
  { grid, block }: { readonly grid: ReadonlyArray<number>; readonly block: ReadonlyArray<number> },
): E.Either<Failure<'bad-flag' | 'run.cost'>, number> => {
  const [ctas, agents] = [product(grid), Math.ceil(product(block) / 32)]
  const isLegal =
    grid.every((n, d) => n <= mostAlong.grid[d]!) && block.every((n, d) => n <= mostAlong.block[d]!)
  return pipe(
    fuelAsked(options, 0),
    // what no launch may be is refused by the launch, which knows why
    E.chainFirstW(() =>
      !isLegal
        ? E.right(null)
        : launchFits(options, name, { ctas, agents, kind: 'warps', least: ctas * (1 + agents) }),
    ),
  )
}

/** The same for a program. What cannot come to its end is refused before it begins, unless it is to go so far and no farther. */
export const fuelFor = (
  options: Options,
  program: Program,
  work: number,
): E.Either<Failure<'bad-flag' | 'run.cost'>, number> =>
  pipe(
    fuelAsked(options, work),
    E.chainW((fuel) => {
      const least = leastEvents(program)
      return least <= fuel || wordOf(options, 'fuel') !== null
        ? E.right(fuel)
        : tooDear(
            `${program.name}: expected a run of at most ${thousands(fuel)} events, found one of at least ${thousands(least)}: make it smaller`,
          )
    }),
    E.chainFirstW(() =>
      launchFits(options, program.name, {
        ctas: product(constantsOf(program.launch.grid) ?? [1]),
        agents: program.launch.agents.length,
        kind: 'agents',
        least: leastEvents(program),
      }),
    ),
  )

export type Strictness = Pick<DetectorOptions, 'strict' | 'strictProxies' | 'tensorPipe' | 'lanes'>

/** Of a record that takes them. */
export const lanesOf = ({ lanes }: Strictness): Pick<Strictness, 'lanes'> =>
  lanes === undefined ? {} : { lanes }

export const strictnessAsked = (options: Options): E.Either<FlagFailure, Strictness> =>
  pipe(
    parseTensorPipe(wordOf(options, 'tensorPipe') ?? 'issue-order'),
    E.bindTo('tensorPipe'),
    E.bind('lanes', () => parseLanes(wordOf(options, 'lanes') ?? 'threads')),
    E.map(({ tensorPipe, lanes }): Strictness => {
      const asked = {
        tensorPipe,
        strict: switchOf(options, 'strict'),
        strictProxies: switchOf(options, 'strictProxies'),
      }
      return lanes === 'threads' ? asked : { ...asked, lanes }
    }),
  )

/** Is every cluster of a grid to be run? It is where that is asked for, and where the run itself is wanted: as a schedule, or as a picture. */
export const everyClusterAsked = (options: Options, schedule: ScheduleFlag): boolean =>
  switchOf(options, 'everyCta') ||
  schedule._tag !== 'eager' ||
  wordOf(options, 'record') !== null ||
  wordOf(options, 'timeline') !== null

/** Constants that a compiled or a traced kernel stores are what they are; in a sketch of a kernel they may stand for data (`verdict/same-value.ts`). */
export const equalWritesOf = (
  strict: boolean,
  { launched, traced }: Pick<Subject, 'launched' | 'traced'>,
): NonNullable<CheckOptions['equalWrites']> =>
  strict ? 'none' : launched === undefined && traced === undefined ? 'of inputs' : 'any'

/** A file to write, and what it is. */
export interface Written extends OutputFile {
  readonly what: string
}

/** `a schedule to FILE` */
export const writtenText = (files: ReadonlyArray<Written>): string =>
  files.map(({ what, file }) => `${what} to ${file}`).join(', ')

/** Where the schedule goes. */
export const recordAsked = (options: Options): ReadonlyArray<AskedFile> => {
  const file = wordOf(options, 'record')
  return file === null ? [] : [{ flag: '--record', file }]
}

/** A word of a command line. */
const quoted = (text: string): string => (text.includes(' ') ? `"${text}"` : text)

/** How to see again what replays by a schedule of this verdict, on this set of data; the first schedule is the one that was asked for. */
export const replayText =
  (asked: ScheduleFlag, { schedules }: Verdict, set: DataSet) =>
  (schedule: string): string => {
    const data = set === 'random' ? '' : `--data ${set} `
    return schedule === schedules[0]
      ? `${data}--schedule ${quoted(printSchedule(asked))} (a run is deterministic)`
      : E.isRight(parseSchedule(schedule))
        ? `${data}--schedule ${quoted(schedule)} (a run is deterministic)`
        : `${data}--record FILE keeps the schedule, --schedule recorded:FILE replays it`
  }

/** The schedule, where it is asked for. */
export const record = (
  options: Options,
  { verdict, recorded }: Pick<Checked, 'verdict' | 'recorded'>,
): ReadonlyArray<Written> =>
  recordAsked(options).map(({ file }) => ({
    what: 'a schedule',
    file,
    bytes: scheduleFile(recorded[verdict.findings[0]?.schedule ?? 0] ?? []),
  }))

/** What lets a run go on that was stopped before its end. */
export const nextStep = (
  outcome: Outcome,
  { memory }: Pick<Algebra, 'memory'>,
): ReadonlyArray<readonly [label: string, text: string]> =>
  outcome._tag === 'outOfFuel'
    ? [['next', 'the run did not end: raise the limit with --fuel EVENTS']]
    : wantsData(outcome)
      ? [
          [
            'next',
            memory === 'shadow'
              ? '--known TENSOR gives the run the data of a tensor, --over bits all data'
              : 'this algebra does not have what the run needs: run --over bits, on seeded inputs or --in NAME=FILE',
          ],
        ]
      : []

/** What a verdict makes of a report: good, bad, or not decided. */
export const goodOf = ({ verdict, passes }: Pick<Verdict, 'verdict' | 'passes'>): boolean | null =>
  passes === true ? true : verdict === 'undecided' || verdict === 'out-of-fuel' ? null : verdict === 'ok'
