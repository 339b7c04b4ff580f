/**
 * `check`, `run`, `view` and `trace` of a module of PTX: it is launched as its launch file or its flags say, over the bits that its inputs hold.
 *
 * A kernel of PTX keeps addresses among its data. Where a check is to know nothing of some (`ptx-data.ts`) it is one over shadows.
 */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { refuse, type Failure } from '../../failure.js'
import * as fast from '../../fast/index.js'
import { shownName } from '../../dialects/ptx/names/itanium.js'
import { callersOfLine } from '../../dialects/ptx/elaboration/sources.js'
import { withoutProducts, type Algebra } from '../../numerics/algebra.js'
import { bits } from '../../numerics/bits.js'
import { shadow } from '../../numerics/shadow.js'
import type { Script } from '../../render/recording/record.js'
import type { Buffers } from '../../render/recording/slots.js'
import { thousands } from '../../render/table.js'
import type { Row } from '../../render/verdict.js'
import * as Policy from '../../semantics/execution/policy.js'
import * as Run from '../../semantics/execution/run.js'
import type { EventKey } from '../../semantics/execution/step.js'
import { warpSource } from '../../semantics/execution/launch-warps.js'
import { grouped } from '../../semantics/judging/alike.js'
import { copied, tensorOf, type Copied } from '../../semantics/judging/copied.js'
import { detailed } from '../../semantics/judging/details.js'
import type { Operation } from '../../semantics/judging/finding.js'
import { renamed, type Verdict } from '../../semantics/judging/verdict.js'
import { noArguments, type Arguments, type Source } from '../../semantics/machine/source.js'
import type { World as Launched } from '../../semantics/machine/world.js'
import { productsSteer } from '../../semantics/warps/steering.js'
import * as Plane from '../../semantics/machine/plane.js'
import type { OpenBytes } from '../../semantics/verdict/hardware.js'
import { checkSource, type Checked, type CheckOptions } from '../../semantics/verdict/check.js'
import { standardBudget } from '../../semantics/verdict/budget.js'
import { defaultBounds } from '../../semantics/verdict/confirm.js'
import { wantsData } from '../../semantics/verdict/settled.js'
import { spreadLaunch } from '../parallel/spread-warps.js'
import { gathered, type View } from '../launch/lowered.js'
import { beside } from '../launch/beside.js'
import type { DataSet } from '../launch/data-sets.js'
import { onDataSets, type OnSets } from './on-data-sets.js'
import { tensorOfBytes } from '../launch/ptx-tensors.js'
import { filesOfTwin } from '../launch/lane-twins.js'
import { launchedPtx, type LaunchedPtx } from '../launch/ptx.js'
import { withoutInstructions } from '../launch/without-ptx.js'
import { launchAt } from '../host/single.js'
import { asText } from '../tensor-files/files.js'
import { placeOf } from '../tensor-files/place.js'
import { tensorOutputs } from '../tensor-files/tensor-file.js'
import type { Tensor } from '../tensor-files/tensor.js'
import { paletteOf } from './colours.js'
import { progressTold, type Options, type Report, type World } from './command.js'
import { drawingAsked, type Drawing } from './drawing.js'
import type { ScheduleFlag } from './flags/machine.js'
import { ptxLaunchAsked } from './flags/launch.js'
import { outputBindings, parseBindings, type Bindings } from './flags/binding.js'
import { wordOf, wordsOf } from './flags/words.js'
import { atOneLevel, checkReport, drawnOf, judgedText, type Judged } from './judged.js'
import { passing } from './accepting.js'
import { onScalars, variedWords } from './on-scalars.js'
import { launchOfPtx } from './launch-words.js'
import {
  everyClusterAsked,
  fuelAsked,
  fuelForeseen,
  fuelForPtx,
  goodOf,
  nextStep,
  record,
  replayText,
  exploringAsked,
  scheduleAsked,
  lanesOf,
  strictnessAsked,
  writtenText,
  type Written,
} from './judging.js'
import { placedInPtx } from '../launch/placed.js'
import { isCompilers } from '../../semantics/log/events.js'
import { languageOf, whoseOf, writesBarriers } from '../../semantics/judging/ownership.js'
import { mendAsked, withMended } from './mending.js'
import { mendPtx, type JudgedText } from './mending-ptx.js'
import { meetingAt, type Module } from '../../dialects/ptx/index.js'
import type { Meeting } from '../../semantics/judging/fix.js'
import { dataAsked, otherSeeds, unknownAsked, unknownText, withData, type Unknown } from './ptx-data.js'
import { asksOperation, operationAsked } from './programs.js'
import { policyOf } from './schedule.js'
import { traceOf } from './traces.js'
import { own } from '../../own.js'

// ---------------------------------------------------------------- what is asked

/** What is a matter of programs of the core alone. */
const elsewhere: ReadonlyArray<string> = ['set', 'in', 'arithmetic']

/** A module of PTX with its launch, as a source of runs, a listing and the lines of its author. */
export interface PtxSubject {
  readonly launched: LaunchedPtx
  readonly source: Source
  readonly script: Script
  readonly algebra: Algebra
  readonly authored: Judged['authored']
  readonly linesOf: Judged['linesOf']
}

/** The lines of a text that lies beside a file; none where there is no such text. */
const linesBeside = (
  world: Pick<World, 'files'>,
  file: string,
): ((name: string) => ReadonlyArray<string>) => {
  const known = new Map<string, ReadonlyArray<string>>()
  return (name) => {
    const before = known.get(name)
    if (before !== undefined) return before
    const path = beside(file, name)
    const read = pipe(world.files.read(path)(), E.chainW(asText(path)))
    const lines = E.isLeft(read) ? [] : read.right.split(/\r?\n/u)
    known.set(name, lines)
    return lines
  }
}

/** The module that a command line names, launched as its launch file and its flags say. */
export const ptxSubject = (
  world: World,
  file: string,
  options: Options,
  instead: Module | null = null,
): E.Either<Failure, PtxSubject> => {
  if (asksOperation(options)) return launchSubject(world, file, options, instead)
  const twin = filesOfTwin(file, world.files)
  if (twin !== undefined)
    return ptxSubject(
      Object.assign({}, world, { files: twin.files }),
      twin.text,
      Object.assign({ launch: twin.launch }, options),
      instead,
    )
  const meaningless = elsewhere.find((name) => own(options, name) !== undefined)
  if (meaningless !== undefined)
    return refuse('bad-flag', `--${meaningless}: expected a kernel or a program, found PTX '${file}'`)
  return pipe(
    ptxLaunchAsked(options),
    E.chainW((asking) =>
      launchedPtx(
        world.files,
        instead === null ? withoutInstructions(wordsOf(options, 'without')) : () => () => E.right(instead),
      )(file, asking),
    ),
    E.bindTo('given'),
    E.bindW('set', () => dataAsked(options)),
    E.map(({ given, set }) => subjectOf(world, file, options, set === null ? given : withData(given, set))),
  )
}

/** The launch of a program that a command line names. */
const launchSubject = (
  world: World,
  name: string,
  options: Options,
  instead: Module | null,
): E.Either<Failure, PtxSubject> =>
  pipe(
    operationAsked(world, name, options),
    E.chainW(({ file, program, which }) =>
      launchAt(
        { files: world.files, where: file, algebra: algebraAsked(options), fuel: Run.standardFuel },
        program,
        which,
        instead === null ? withoutInstructions(wordsOf(options, 'without')) : () => () => E.right(instead),
      ),
    ),
    E.map(({ launched, path }) => subjectOf(world, path, options, launched)),
  )

/** The algebra of launches. */
export const algebraAsked =
  (options: Options) =>
  (arch: 'sm90a' | 'sm100a'): Algebra =>
    (options['fast'] === false ? bits : fast.bits)(arch === 'sm100a' ? 'blackwell' : 'hopper')

/** A launch of a module as what is run and judged. */
export const subjectOf = (
  world: Pick<World, 'files'>,
  file: string,
  options: Options,
  launched: LaunchedPtx,
): PtxSubject => {
  const { program, positions } = launched.elaborated
  const lines = linesBeside(world, file)
  const own = lines(file.split(/[/\\]/u).pop() ?? file)
  const lineAt = (site: number): number => positions[site]?.line ?? 0
  const numbers = new Map(program.sites.map((site, i) => [site.label, i]))
  return {
    launched,
    source: warpSource(program, launched.arguments),
    algebra: algebraAsked(options)(program.arch),
    script: {
      name: program.name,
      listing: () =>
        program.sites.map((_, i) => ({
          text: (own[lineAt(i) - 1] ?? program.sites[i]!.label).trim(),
          depth: 1,
          site: i,
        })),
      buffers: (launchedWorld) => sharedBuffers(launchedWorld),
    },
    linesOf: lines,
    authored: ({ label, loc }) => {
      const [, name = '', line = ''] = /^(.*):(\d+):\d+$/su.exec(loc ?? '') ?? []
      const site = numbers.get(label)
      return name === ''
        ? null
        : {
            place: `${name}:${line}`,
            text: (lines(name)[Number(line) - 1] ?? own[lineAt(site ?? 0) - 1] ?? '').trim(),
          }
    },
  }
}

/** Shared memory of every CTA as one buffer: PTX does not say how it is divided. */
const sharedBuffers = ({ header }: Launched): Buffers => {
  const planes = header.planes.flatMap((p, plane) =>
    p.space === 'smem' && p.bytes > 0 ? [{ plane, cta: p.cta ?? 0, bytes: p.bytes }] : [],
  )
  return {
    buffers: planes.map(({ cta, bytes }) => ({
      name: 'shared memory',
      cta,
      space: 'smem',
      start: 0,
      bytes,
      slots: 1,
      slotBytes: bytes,
      holds: 'bytes',
    })),
    slots: planes.map(({ plane, bytes }, buffer) => ({ buffer, slot: 0, plane, bytes: [0, bytes] })),
  }
}

/** The line of the author, and the line of the text, of an operation of a finding. */
const quoteOf =
  ({ authored, linesOf, launched }: PtxSubject) =>
  (o: Pick<Operation, 'site' | 'loc'>): string | null => {
    const number = siteOf(launched, o)
    const known = launched.elaborated.program.sites[number]
    const from = known === undefined ? null : authored(known)
    const line = launched.elaborated.positions[number]?.line ?? 0
    return from === null
      ? null
      : `${quoted(linesOf, from.place, from.text)}  (line ${String(line)} of the PTX)${calledFrom(linesOf, callersOfLine(launched.module, line))}`
  }

const siteOf = (
  { elaborated: { program } }: LaunchedPtx,
  { site, loc }: Pick<Operation, 'site' | 'loc'>,
): number => program.sites.findIndex(({ label, loc: at }) => label === site && at === loc)

/** `kernel.cu:31: x[t] = 1;` */
const quoted = (linesOf: PtxSubject['linesOf'], place: string, known?: string): string => {
  const [, file = '', line = ''] = /^(.*):(\d+)$/su.exec(place) ?? []
  const text = known ?? (linesOf(file)[Number(line) - 1] ?? '').trim()
  return text === '' ? place : `${place}: ${text}`
}

/** The calls that a statement of a function comes from, innermost first; the last one stands in the kernel, and is quoted. */
const calledFrom = (linesOf: PtxSubject['linesOf'], callers: ReadonlyArray<string>): string => {
  const outer = callers.at(-1)
  return outer === undefined
    ? ''
    : `, called from ${[...callers.slice(0, -1), quoted(linesOf, outer)].join(', ')}`
}

/** Where a barrier of the block between two operations can stand. */
const meetingIn =
  ({ launched }: PtxSubject) =>
  (x: Operation, y: Operation): Meeting<string> | null => {
    const { positions } = launched.elaborated
    const [first, second] = [positions[siteOf(launched, x)], positions[siteOf(launched, y)]]
    return first === undefined || second === undefined
      ? null
      : meetingAt(launched.module, launched.file, first, second)
  }

/** The tensor that an operation copies: the run that shows it is made again, once, where a finding asks. */
const tensorsOf = (
  { launched, source, algebra }: PtxSubject,
  given: Arguments,
  { schedule: first, recorded }: Checked,
  fuel: number,
): ((o: Operation, schedule: number | null) => string | null) => {
  const known = new Map<ReadonlyArray<EventKey>, Copied>()
  return (o, schedule) => {
    const keys = (schedule === null ? null : recorded[schedule]) ?? first
    const before = known.get(keys)
    if (before !== undefined) return tensorOf(before, o)
    // which bytes are copied is the same whatever products come to, if these decide nothing
    const launch = source.launch(
      productsSteer(launched.elaborated.program) ? algebra : withoutProducts(algebra),
      given,
    )
    if (E.isLeft(launch)) return null
    const how = { policy: Policy.recorded(keys), fuel, keepSchedule: false, transient: true }
    const ran = Run.run(launch.right.world, launch.right.machine, how, copied)
    known.set(keys, ran.result)
    return tensorOf(ran.result, o)
  }
}

/** Most states of a search with data, for what memory holds is part of each: unless more than the standard budget is asked for. */
const mostStates = 5_000

/** The same, of whose data some are not known. */
const overShadows = (s: PtxSubject, { tensors: unknown }: Unknown): PtxSubject => ({
  ...s,
  source: warpSource(s.launched.elaborated.program, { ...s.launched.arguments, unknown }),
  algebra: shadow(s.algebra),
})

/** PTX as a trace shows it: on the data of its launch, or over shadows where that is asked. */
export const ptxShown = (world: World, file: string, options: Options): E.Either<Failure, PtxSubject> =>
  pipe(
    ptxSubject(world, file, options),
    E.bindTo('subject'),
    E.bindW('unknown', ({ subject }) => unknownAsked(options, subject.launched)),
    E.map(({ subject, unknown }) =>
      unknown === null || unknown.orSeeded ? subject : overShadows(subject, unknown),
    ),
  )

/** PTX, run once and judged: on the data of its launch, or without those that are not known; with the edges that `--mend` asks for. */
export const judgePtx = (world: World, file: string, options: Options): E.Either<Failure, JudgedPtx> =>
  pipe(
    mendAsked(options),
    E.bindTo('numbers'),
    E.bindW('first', ({ numbers }) =>
      numbers.length > 0 ? judgedModule(world, file, options, null) : judgedOnScalars(world, file, options),
    ),
    E.chainW(({ numbers, first }) =>
      pipe(
        mendPtx(textOf(first).module, textOf(first), numbers, (module) =>
          E.map(textOf)(judgedModule(world, file, options, module)),
        ),
        E.map(([{ judged }, mended]): JudgedPtx => ({
          ...judged,
          verdict: withMended(judged.verdict, mended),
        })),
      ),
    ),
  )

const textOf = (judged: JudgedPtx): JudgedText & { readonly judged: JudgedPtx } => {
  const { launched, checked, verdict } = judged
  const { program, positions } = launched.elaborated
  return { module: launched.module, program, positions, checked, verdict, judged }
}

/** On the numbers of the launch; where these are a guess, on others too. */
const judgedOnScalars = (world: World, file: string, options: Options): E.Either<Failure, JudgedPtx> =>
  pipe(
    judgedModule(world, file, options, null),
    E.bindTo('first'),
    E.bindW('exploring', () => exploringAsked(options)),
    E.bindW('passes', () => passing(world, options)),
    E.map(({ first, exploring: { budget }, passes }) =>
      first.launched.guessed.length === 0
        ? first
        : onScalars(
            first,
            // a larger number may be more than can be paid
            ({ words }, left) =>
              judgedModule(
                world,
                file,
                Object.assign(
                  { data: 'random', ...(left === Infinity ? {} : { fuel: String(left) }) },
                  options,
                  { arg: words },
                ),
                null,
              ),
            { varied: variedWords(first.launched, wordsOf(options, 'arg')), budget, passes },
          ),
    ),
  )

/** The text, or another in its place. */
const judgedModule = (
  world: World,
  file: string,
  options: Options,
  instead: Module | null,
): E.Either<Failure, JudgedPtx> =>
  pipe(
    ptxSubject(world, file, options, instead),
    E.bindTo('subject'),
    E.bindW('unknown', ({ subject }) => unknownAsked(options, subject.launched)),
    E.chainW(({ subject, unknown }) => {
      if (unknown === null) return judgedOver(world, subject, options, [], [])
      const integers = [...unknown.tensors].filter((name) =>
        /^[sui]\d/u.test(subject.launched.seeded.get(name) ?? ''),
      )
      const seededNames = { names: [...unknown.tensors].join(', '), integers }
      return pipe(
        judgedOver(world, overShadows(subject, unknown), options, [['data', unknownText(unknown)]], []),
        E.chain((one) =>
          unknown.orSeeded && wantsData(one.checked.outcome)
            ? judgedOnSets(world, subject, options, seededNames, otherSeeds(unknown))
            : E.right(one),
        ),
      )
    }),
  )

/** On the data sets of inputs without a file. */
const judgedOnSets = (
  world: World,
  subject: PtxSubject,
  options: Options,
  { names, integers }: Pick<OnSets<JudgedPtx>, 'names' | 'integers'>,
  outside: string,
): E.Either<Failure, JudgedPtx> =>
  pipe(
    dataAsked(options),
    E.bindTo('asked'),
    E.bindW('exploring', () => exploringAsked(options)),
    E.bindW('passes', () => passing(world, options)),
    E.chainW(({ asked, exploring: { budget }, passes }) =>
      onDataSets(
        (set) => {
          // a set that is asked for is there already
          const launched = set === asked ? subject.launched : withData(subject.launched, set)
          const source = warpSource(launched.elaborated.program, launched.arguments)
          return judgedOver(world, { ...subject, launched, source }, options, [], [outside], set)
        },
        { asked, names, integers, budget, passes },
      ),
    ),
  )

/** How a subject is judged, and what is told of it meanwhile. */
interface Asked {
  readonly how: CheckOptions
  readonly schedule: ScheduleFlag
  readonly start: number
  readonly stop: () => void
}

const askedOf = (world: World, subject: PtxSubject, options: Options): E.Either<Failure, Asked> => {
  const parsed = pipe(
    E.Do,
    E.bindW('schedule', () => scheduleAsked(options)),
    E.bindW('strictness', () => strictnessAsked(options)),
    E.bindW('exploring', () => exploringAsked(options)),
    E.bindW('fuel', () => fuelAsked(options, 0)),
  )
  if (E.isLeft(parsed)) return parsed
  const { schedule, strictness, exploring, fuel } = parsed.right
  const { launched, algebra } = subject
  const policy = policyOf(world.files)(schedule)()
  if (E.isLeft(policy)) return policy
  const given = { ...noArguments, tensorPipe: strictness.tensorPipe }
  const start = world.clock()
  const bar = progressTold(world, 'checking')
  const how: CheckOptions = {
    settings: {},
    algebra,
    arguments: given,
    policy: policy.right,
    strict: strictness.strict,
    strictProxies: strictness.strictProxies,
    ...lanesOf(strictness),
    hazards: options['hazards'] !== false,
    provenance: launched.arguments.computes !== undefined,
    ...exploring,
    explain: true,
    everyCluster: everyClusterAsked(options, schedule),
    bounds: exploring.budget > standardBudget ? defaultBounds : { ...defaultBounds, states: mostStates },
    fuel,
    fuelFor: fuelForeseen(
      options,
      launched.file,
      () => fuelForPtx(options, launched.file, launched.arguments),
      fuel,
      bar.tell,
    ),
    progress: bar.update,
    ...(launched.guessed.length === 0 ? {} : { guessed: launched.guessed }),
  }
  return E.right({ how, schedule, start, stop: bar.stop })
}

/** What is told of a subject: `rows`, of its data; `outside`, what its verdict does not speak of besides. */
interface Telling {
  readonly rows: ReadonlyArray<Row>
  readonly outside: ReadonlyArray<string>
  readonly set: DataSet | null
}

/** A subject that was judged, as it is told. */
const toldOf = (
  world: World,
  subject: PtxSubject,
  options: Options,
  { how, schedule, start }: Asked,
  { rows, outside, set }: Telling,
  one: Checked,
): JudgedPtx => {
  const { launched, source, script, algebra, authored, linesOf } = subject
  const { verdict } = one
  const placed = placedInPtx(launched.elaborated.program)
  const barriers = writesBarriers(placed)
  // a run that was foreseen may have had more than it was given first
  const enough = Math.max(how.fuel, 2 * verdict.counts.steps)
  const { fences } = launched.elaborated.program
  return {
    launched,
    source,
    script,
    rows: () => [['launch', launchText(launched, wordsOf(options, 'without'))], ...rows],
    settings: {},
    launch: launchOfPtx(launched, set),
    dropped: wordsOf(options, 'without'),
    authored,
    linesOf,
    schedule,
    fuel: enough,
    checked: one,
    algebra,
    given: how.arguments,
    onBits: (name) =>
      algebra.name === 'bits'
        ? E.right({ algebra, given: how.arguments })
        : refuse('view.values', `--values: ${name}: this run is judged without data, so there are no values`),
    verdict: detailed(
      {
        smem: launched.elaborated.shared,
        replay: replayText(schedule, verdict, set ?? 'random'),
        quote: quoteOf(subject),
        tensor: tensorsOf(subject, how.arguments, one, enough),
        spoken: {
          language: isCompilers(fences) ? languageOf(placed) : 'cuda',
          isText: true,
          meeting: meetingIn(subject),
        },
        whose: (f, beside) => whoseOf({ fences, barriers, beside }, f),
      },
      grouped(outside.length === 0 ? verdict : { ...verdict, scope: [...verdict.scope, ...outside] }),
    ),
    elapsed: world.clock() - start,
  }
}

/** `rows`: what is told of its data; `outside`: what its verdict does not speak of besides. */
export const judgedOver = (
  world: World,
  subject: PtxSubject,
  options: Options,
  rows: ReadonlyArray<Row>,
  outside: ReadonlyArray<string>,
  set: DataSet | null = null,
): E.Either<Failure, JudgedPtx> =>
  pipe(
    askedOf(world, subject, options),
    E.chainW((asked) => {
      const checked = checkSource(subject.source, asked.how)
      asked.stop()
      return E.map((one: Checked) => toldOf(world, subject, options, asked, { rows, outside, set }, one))(
        checked,
      )
    }),
  )

export interface JudgedPtx extends Judged {
  readonly launched: LaunchedPtx
}

// ---------------------------------------------------------------- what came of it

const launchText = (
  { launch, arguments: given, elaborated: { program } }: LaunchedPtx,
  dropped: ReadonlyArray<string>,
): string =>
  `${shownName(program.name)}, grid ${launch.grid.join(' x ')}, block ${given.block.join(' x ')}, ${thousands(program.code.length)} instructions${dropped.map((text) => `, without '${text}'`).join('')}`

export const checkPtx = (world: World, file: string, options: Options): E.Either<Failure, Report> =>
  pipe(
    drawingAsked(options),
    E.bindTo('drawing'),
    E.bindW('judged', () => judgePtx(world, file, options)),
    E.chainW(({ drawing, judged }) => checkReport(world, options, drawing, atOneLevel(judged))),
  )

interface Compared {
  readonly tensor: string
  readonly bytes: Uint8Array
  readonly differ: number | null
  readonly elements: number
}

/** What is made of a verdict. */
type Made = (v: Verdict) => Verdict

/** What a run of PTX is asked for. */
interface RunAsked {
  readonly outs: Bindings
  readonly drawing: Drawing | null
  readonly subject: PtxSubject
}

const runAsked = (world: World, file: string, options: Options): E.Either<Failure, RunAsked> => {
  const over = wordOf(options, 'over') ?? 'bits'
  if (over !== 'bits')
    return refuse(
      'bad-flag',
      `--over: a run of PTX computes its bits: expected bits, found '${over}'${over === 'shadow' ? `; tcspec check ${file} --over shadow judges it without data` : ''}`,
    )
  return pipe(
    E.Do,
    E.bindW('outs', () => parseBindings('--out')(wordsOf(options, 'out'))),
    E.bindW('drawing', () => drawingAsked(options)),
    E.bindW('subject', () => ptxSubject(world, file, options)),
  )
}

type Views = ReadonlyMap<string, View>
const noViews: Views = new Map()

/** `views`: how the author of the kernel sees tensors that are memory here. `told`: what is made of its verdict. */
export const runPtx = (
  world: World,
  file: string,
  options: Options,
  views: Views = noViews,
  told: Made = (v) => v,
): E.Either<Failure, Report> =>
  pipe(
    runAsked(world, file, options),
    E.bindW('one', ({ subject }) => judgedOver(world, subject, options, [], [])),
    E.chainW((found) => reportOfRun(world, file, options, views, told, found)),
  )

/** The same; its clusters are computed by so many threads, where that may be. */
export const runPtxIn = async (
  world: World,
  file: string,
  options: Options,
  threads: number | null,
): Promise<E.Either<Failure, Report>> => {
  const count = threads ?? 1
  if (count < 2 || world.threads === undefined) return runPtx(world, file, options)
  const found = runAsked(world, file, options)
  if (E.isLeft(found)) return found
  const { subject } = found.right
  const { launched } = subject
  const asked = askedOf(world, subject, options)
  if (E.isLeft(asked)) return asked
  const { how } = asked.right
  // a schedule that was not judged stands for itself alone
  const isShared = how.hazards || asked.right.schedule._tag === 'eager'
  const shared = isShared
    ? await spreadLaunch(
        {
          module: launched.module,
          file: launched.file,
          program: launched.elaborated.program,
          given: launched.arguments,
          arithmetic: launched.elaborated.program.arch === 'sm100a' ? 'blackwell' : 'hopper',
          fast: options['fast'] !== false,
          options: how,
        },
        world.threads.assemble,
        count,
        world.progress,
      )
    : null
  const checked = shared === null ? checkSource(subject.source, how) : E.right(shared)
  asked.right.stop()
  if (E.isLeft(checked)) return checked
  const telling: Telling = { rows: [], outside: [], set: null }
  const one = toldOf(world, subject, options, asked.right, telling, checked.right)
  return reportOfRun(world, file, options, noViews, (v) => v, { ...found.right, one })
}

/** Bytes of a tensor that hold what hardware alone knows. */
const openBytesOf = ({ open }: Checked, plane: number): ReadonlyArray<OpenBytes> =>
  (open ?? []).filter((one) => one.plane === plane)

/** What a run has come to, and the files that it writes. */
const reportOfRun = (
  world: World,
  file: string,
  options: Options,
  views: Views,
  told: Made,
  { outs, drawing, subject: { launched }, one }: RunAsked & { readonly one: JudgedPtx },
): E.Either<Failure, Report> => {
  const { checked, verdict } = one
  const ended = checked.completed
  const planeOf = (tensor: string): number =>
    checked.world.header.planes.findIndex(({ space, name }) => space === 'gmem' && name === tensor)
  const compared: Compared[] = []
  if (ended !== null)
    for (const [tensor, { shape, expected }] of launched.outputs) {
      const given = launched.arguments.tensors.find(({ name }) => name === tensor)!
      const bytes = new Uint8Array(given.bytes)
      Plane.copyOut(ended.machine.planes[planeOf(tensor)]!, 0, bytes.length, bytes)
      const elements = shape.reduce((n, d) => n * d, 1)
      const size = bytes.length / elements
      let differ = 0
      const open = new Uint8Array(bytes.length)
      for (const { spans } of openBytesOf(checked, planeOf(tensor)))
        for (let k = 0; k < spans.length; k += 2) open.fill(1, spans[k], spans[k + 1])
      if (expected !== null)
        for (let i = 0; i < elements; i++)
          for (let b = 0; b < size; b++)
            if (bytes[i * size + b] !== expected.data[i * size + b] && open[i * size + b] === 0) {
              differ++
              break
            }
      compared.push({ tensor, bytes, differ: expected === null ? null : differ, elements })
    }
  const files: Written[] = [...record(options, checked)]
  const written: { said: string; called: string; tensor: Tensor }[] = []
  const bound = outputBindings(
    { ...outs, named: outs.named.map((b) => ({ ...b, name: launched.aliases.get(b.name) ?? b.name })) },
    [...launched.outputs.keys()],
  )
  if (E.isLeft(bound)) return bound
  for (const b of bound.right) {
    const c = compared.find(({ tensor }) => tensor === b.name)
    if (c === undefined) {
      if (ended === null) continue
      return refuse(
        'bad-flag',
        `--out: expected an output of ${file}, ${[...launched.outputs.keys()].join(', ')}, found '${b.name}'`,
      )
    }
    const { dtype, shape } = launched.outputs.get(c.tensor)!
    const view = views.get(c.tensor)
    const tensor =
      view === undefined
        ? tensorOfBytes(dtype, shape, c.bytes)
        : tensorOfBytes(dtype, view.shape, gathered(view, c.bytes, c.bytes.length / c.elements))
    if (E.isLeft(tensor)) return tensor
    written.push({ said: b.file, called: b.name, tensor: tensor.right })
  }
  const encoded = tensorOutputs(written)
  if (E.isLeft(encoded)) return encoded
  for (const kept of encoded.right) {
    const names = written.filter(({ said }) => placeOf(said).file === kept.file).map(({ called }) => called)
    files.push({ what: names.join(', '), ...kept })
  }
  const drawn = drawnOf(drawing, one)
  if (E.isLeft(drawn)) return drawn
  for (const kept of drawn.right) files.push(kept)
  const traceFile = wordOf(options, 'trace')
  if (traceFile !== null) {
    const made = traceOf(one.source, one.algebra, one.given, (ended ?? checked).schedule)
    if (E.isLeft(made)) return made
    files.push({ what: 'a trace', file: traceFile, bytes: made.right })
  }
  // of sums whose order is open a file has one of the results that are right
  // that of hardware names its bytes, which were not compared
  const isOpen = (tensor: string): boolean =>
    verdict.notes.filter(({ id, place }) => id === 'N1' && place?.plane === `gmem ${tensor}`).length >
    openBytesOf(checked, planeOf(tensor)).length
  const wrong = compared.filter(({ tensor, differ }) => differ !== null && differ > 0 && !isOpen(tensor))
  const judged: Verdict = told(
    wrong.length > 0 && (verdict.verdict === 'ok' || verdict.verdict === 'undecided')
      ? renamed(
          verdict,
          'wrong-result',
          `${wrong[0]!.tensor}: ${thousands(wrong[0]!.differ!)} of ${thousands(wrong[0]!.elements)} elements differ from what its file expects`,
        )
      : verdict,
  )
  const rows = compared.flatMap(({ tensor, differ, elements }): ReadonlyArray<readonly [string, string]> =>
    differ === null
      ? []
      : [
          [
            'compared',
            `${tensor}: ${thousands(differ)} of ${thousands(elements)} elements differ from what its file expects${differ > 0 && isOpen(tensor) ? '; their order is open (N1)' : ''}${openBytesOf(checked, planeOf(tensor)).length > 0 ? '; bytes that hardware alone knows were not compared (N1)' : ''}`,
          ],
        ],
  )
  return E.right({
    good: goodOf(judged),
    files,
    json: () => judged,
    text: () =>
      judgedText(
        { palette: paletteOf(world), judged: options['hazards'] !== false, most: 4 },
        one,
        judged,
        rows,
        [
          ...(files.length === 0 ? [] : [['written', writtenText(files)] as const]),
          ...nextStep(checked.outcome, one.algebra),
        ],
      ),
  })
}
