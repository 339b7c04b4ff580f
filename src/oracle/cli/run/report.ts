/**
 * The report of a run: the files that it writes, and what it says.
 *
 * Files are made before anything is said, since one that cannot be made refuses the whole command. Text is made only where it is asked for: the counts of what was moved
 * need the run once more.
 *
 * Law 1. No output is written of a run that did not complete.
 */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { Failure } from '../../../failure.js'
import { ledger } from '../../../render/ledger.js'
import { fields } from '../../../render/table.js'
import { findingBlocks, paintedRows, type Row, type VerdictContext } from '../../../render/verdict.js'
import { sourceOf, type Arguments } from '../../../semantics/execution/launch.js'
import type { Verdict } from '../../../semantics/judging/verdict.js'
import { printComparison } from '../../compare.js'
import { zeros } from '../../launch/launched.js'
import { placeOf } from '../../tensor-files/place.js'
import { tensorOutputs } from '../../tensor-files/tensor-file.js'
import { paletteOf } from '../colours.js'
import type { Options, Report, World } from '../command.js'
import { draw } from '../drawing.js'
import { printOver, printSchedule } from '../flags/machine.js'
import { wordOf } from '../flags/words.js'
import { goodOf, nextStep, record, writtenText, type Written } from '../judging.js'
import { launchRows, runText } from '../launch-rows.js'
import { seededIn } from '../seeded.js'
import { inputSeed, outputOf } from '../tensors.js'
import { hearing, traceOf } from '../traces.js'
import { comparisonText, firstDiffering, isGood, type Compared } from './compared.js'
import type { Finished } from './finished.js'
import type { Plan } from './plan.js'

// ---------------------------------------------------------------- files

const argumentsOf = ({ check }: Plan, { inputs }: Finished): Arguments => {
  const { tensorPipe } = check.arguments
  return tensorPipe === undefined
    ? { scalars: new Map(), tensors: inputs }
    : { scalars: new Map(), tensors: inputs, tensorPipe }
}

/** Its outputs, if they are what the program computes. */
const tensorFiles = (
  { subject: { program }, over, outs }: Plan,
  { completes, output }: Finished,
): E.Either<Failure, ReadonlyArray<Written>> =>
  !completes
    ? E.right([])
    : pipe(
        outs,
        E.traverseArray(({ name: called, file: said }) =>
          pipe(
            outputOf(program, over, called, output(called)),
            E.map((tensor) => ({ said, called, tensor })),
          ),
        ),
        E.chainW(tensorOutputs),
        E.map((made) =>
          made.map((held) => {
            const names = outs.filter((b) => placeOf(b.file).file === held.file).map((b) => b.name)
            return { what: names.join(' and '), ...held }
          }),
        ),
      )

const traceFile = (
  plan: Plan,
  options: Options,
  finished: Finished,
): E.Either<Failure, ReadonlyArray<Written>> => {
  const file = wordOf(options, 'trace')
  if (file === null) return E.right([])
  return pipe(
    traceOf(sourceOf(plan.subject.program), plan.algebra, argumentsOf(plan, finished), finished.schedule),
    E.map((bytes) => [{ what: 'a trace', file, bytes }]),
  )
}

/** All files of a run: outputs, schedules, the trace, the picture. */
export const filesOf = (
  plan: Plan,
  options: Options,
  finished: Finished,
): E.Either<Failure, ReadonlyArray<Written>> => {
  const { subject, algebra, drawing } = plan
  const { schedule, verdict } = finished
  return pipe(
    tensorFiles(plan, finished),
    E.bindTo('tensors'),
    E.bindW('traces', () => traceFile(plan, options, finished)),
    E.bindW('pictures', () =>
      draw(drawing, {
        source: sourceOf(subject.program),
        algebra,
        given: argumentsOf(plan, finished),
        schedule,
        findings: verdict.findings,
      }),
    ),
    E.map(({ tensors, traces, pictures }) => [
      ...tensors,
      ...record(options, finished),
      ...traces,
      ...pictures,
    ]),
  )
}

// ---------------------------------------------------------------- words

/** Where each input comes from. */
const inputsText = ({ subject, read, algebra, over }: Plan): string => {
  const { program, launched: module } = subject
  const seeded = seededIn(subject).filter((input) => !read.has(input))
  const isOutput = (input: string): boolean =>
    program.params.some((p) => p._tag === 'tensor' && p.name === input && p.role === 'out')
  const sources = [
    ...[...read.values()].map((r) => `${r.input.name} from ${r.input.source}`),
    ...[...(module?.inputs ?? [])].flatMap(([input, { source }]) =>
      read.has(input)
        ? []
        : source !== zeros
          ? [`${input} from ${source}`]
          : isOutput(input)
            ? []
            : [`${input} zeros`],
    ),
    ...(algebra.memory === 'none' || seeded.length === 0
      ? []
      : [`${seeded.join(' and ')} seeded (${over._tag === 'field' ? printOver(over) : String(inputSeed)})`]),
  ]
  return sources.join(', ') || 'none: no element has a value'
}

/** What came of a run, all of it. */
export interface Came {
  readonly finished: Finished
  readonly compared: Compared | null
  /** the verdict of this form alone, and that of all forms */
  readonly own: Verdict
  readonly verdict: Verdict
  readonly files: ReadonlyArray<Written>
}

const textOf = (world: World, plan: Plan, came: Came): string => {
  const { subject, algebra, over, schedule, check } = plan
  const { finished, compared, own, verdict, files } = came
  const palette = paletteOf(world)
  const did = hearing(
    sourceOf(subject.program),
    algebra,
    argumentsOf(plan, finished),
    finished.schedule,
    ledger,
  )
  const context: VerdictContext = { palette, judged: check.hazards, most: 4 }
  const rows: ReadonlyArray<Row> = [
    ...launchRows(subject, finished.launched, E.isLeft(did) ? null : did.right.result),
    ['inputs', inputsText(plan)],
    ['over', `${printOver(over)}: ${algebra.description}`],
    [
      'run',
      `schedule ${printSchedule(schedule)}: ${runText(own.counts.steps, own.counts.events, finished.elapsed)}`,
    ],
    ...(compared === null
      ? []
      : [['result', (isGood(compared) ? palette.good : palette.bad)(comparisonText(compared))] as const]),
    ...paintedRows(context, verdict),
    ...nextStep(finished.outcome, algebra),
    ...(files.length === 0 ? [] : [['written', writtenText(files)] as const]),
  ]
  const differing =
    compared?._tag !== 'bits'
      ? []
      : compared.outputs
          .filter((o) => !o.comparison.equal)
          .map((o) => printComparison(o.comparison).trimEnd())
  return `${[fields(palette, 12, rows), ...differing, ...findingBlocks(context, verdict)].join('\n\n')}\n`
}

export const reportOf = (world: World, plan: Plan, came: Came): Report => {
  const { compared, verdict, files } = came
  return {
    good: goodOf(verdict),
    files,
    json: () =>
      compared === null
        ? verdict
        : compared._tag === 'bits'
          ? { ...verdict, comparison: firstDiffering(compared.outputs).comparison }
          : { ...verdict, approximation: { to: compared.name, outputs: compared.outputs } },
    text: () => textOf(world, plan, came),
  }
}
