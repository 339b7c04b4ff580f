/**
 * `tcspec check KERNEL|program.json|kernel.jaxpr.json|module.ttgir|trace.jsonl`: the verdict alone, without data.
 *
 * The run is over the algebra with one value, so what it shows holds for all inputs; provenance says whether the outputs are what the
 * program says it computes. Where control depends on data, seeded inputs are taken (`seeded.ts`). A trace is a run that was made elsewhere and is judged
 * as it is. Exit status 1 when the verdict is bad, 3 when it is not decided.
 */
import type { Command } from 'commander'
import * as E from 'fp-ts/lib/Either.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { pipe } from 'fp-ts/lib/function.js'
import { refuse, type Failure } from '../../../failure.js'
import { fields, thousands } from '../../../render/table.js'
import { findingBlocks, paintedRows, type VerdictContext } from '../../../render/verdict.js'
import { check, wantsData } from '../../../semantics/verdict/check.js'
import { leastEvents } from '../../../semantics/language/cost.js'
import { defaults } from '../../../semantics/judging/detector/index.js'
import { noArguments } from '../../../semantics/execution/launch.js'
import { multiplyAdds } from '../../parallel/spread.js'
import { paletteOf } from '../colours.js'
import type { CliCommand, Options, Report, World } from '../command.js'
import { printSchedule } from '../flags/machine.js'
import { withDetails } from '../details.js'
import { draw, drawingAsked, timelineAsked, timelineFlag } from '../drawing.js'
import { launchOptions } from '../flags/launch.js'
import { again, switchOf } from '../flags/words.js'
import {
  fuelFor,
  goodOf,
  equalWritesOf,
  judgingOptions,
  nextStep,
  record,
  recordAsked,
  scheduleAsked,
  strictnessAsked,
  writtenText,
} from '../judging.js'
import { launchRows, runText } from '../launch-rows.js'
import { policyOf } from '../schedule.js'
import { otherInputs, withDataIfWanted } from '../seeded.js'
import { namedSubject, subjectAsked } from '../subject.js'
import { judgeTrace } from '../traces.js'

const define = (command: Command): Command =>
  judgingOptions(
    launchOptions(
      command
        .argument(
          '<kernel>',
          'a name that `tcspec kernels` lists, a program (.json), a kernel that JAX traced (.jaxpr.json), a module (.ttgir) or a trace (.jsonl)',
        )
        .option('--set <name=value...>', 'settings of the kernel'),
    )
      .option(
        '--without <label>',
        'leave out the statements with this label, or an operation of a module by its line; again for another',
        again,
      )
      .option('--explore', 'where one schedule does not decide, try others, then search all of them')
      .option(...timelineFlag),
  ).option('--json', 'print the verdict as one JSON document')

const run: CliCommand['run'] = (world) => (operands, options) =>
  TE.fromIOEither(() => checkNow(world, operands, options))

const checkNow = (
  world: World,
  operands: ReadonlyArray<string>,
  options: Options,
): E.Either<Failure, Report> => {
  const file = operands[0] ?? ''
  return file.endsWith('.jsonl') ? checkTrace(world, file, options) : checkProgram(world, file, options)
}

/** A trace has one schedule, its own, and no statements to leave out. */
const forPrograms: ReadonlyArray<string> = [
  'set',
  'launch',
  'grid',
  'arg',
  'computes',
  'without',
  'explore',
  'schedule',
  'fuel',
  'record',
  'timeline',
]

const checkTrace = (world: World, file: string, options: Options): E.Either<Failure, Report> => {
  const meaningless = forPrograms.find((name) => options[name] !== undefined)
  if (meaningless !== undefined)
    return refuse('bad-flag', `--${meaningless}: expected a kernel or a program, found the trace '${file}'`)
  return pipe(
    strictnessAsked(options),
    E.bindTo('strictness'),
    E.bindW('bytes', () => world.files.read(file)()),
    E.chainW(({ strictness, bytes }) => judgeTrace(file, bytes, { ...defaults, ...strictness })),
    E.map((verdict) => ({
      good: goodOf(verdict),
      json: () => verdict,
      text: () => {
        const palette = paletteOf(world)
        const context: VerdictContext = { palette, judged: true, most: 4 }
        const rows: ReadonlyArray<readonly [string, string]> = [
          ['trace', `${file}, of ${verdict.kernel}: ${thousands(verdict.counts.events)} events`],
          ...paintedRows(context, verdict),
          ['outside', verdict.scope.join('; ')],
        ]
        return `${[fields(palette, 12, rows), ...findingBlocks(context, verdict)].join('\n\n')}\n`
      },
    })),
  )
}

const checkProgram = (world: World, name: string, options: Options): E.Either<Failure, Report> => {
  const parsed = pipe(
    E.Do,
    E.bindW('asked', () => subjectAsked(options)),
    E.bindW('schedule', () => scheduleAsked(options)),
    E.bindW('strictness', () => strictnessAsked(options)),
    E.bindW('drawing', () => drawingAsked(options)),
  )
  if (E.isLeft(parsed)) return parsed
  const { asked, schedule, strictness, drawing } = parsed.right
  const subject = namedSubject(world, name, asked)
  if (E.isLeft(subject)) return subject
  const policy = policyOf(world.files)(schedule)()
  if (E.isLeft(policy)) return policy
  const { program, settings } = subject.right
  const fuel = fuelFor(options, program, subject.right.multiplyAdds ?? multiplyAdds(program))
  if (E.isLeft(fuel)) return fuel
  const start = world.clock()
  const bar = world.progress(`checking ${thousands(leastEvents(program))} events or more`)
  const taken = withDataIfWanted(
    subject.right,
    (algebra, tensors) => {
      const given = { ...noArguments, tensors, tensorPipe: strictness.tensorPipe }
      const judged = check(program, {
        settings,
        algebra,
        arguments: given,
        policy: policy.right,
        strict: strictness.strict,
        strictProxies: strictness.strictProxies,
        equalWrites: equalWritesOf(strictness.strict, subject.right.launched),
        hazards: true,
        provenance: program.computes !== undefined,
        explore: switchOf(options, 'explore'),
        fuel: fuel.right,
        progress: bar.update,
      })
      return pipe(
        judged,
        E.map((checked) => ({ checked, algebra, given })),
      )
    },
    ({ checked }) => wantsData(checked.outcome),
  )
  bar.stop()
  const elapsed = world.clock() - start
  if (E.isLeft(taken)) return taken
  const {
    found: { checked, algebra, given },
    seeded,
  } = taken.right
  const launched = checked.world
  const found = seeded
    ? { ...checked.verdict, scope: [...checked.verdict.scope, otherInputs(subject.right)] }
    : checked.verdict
  const verdict = withDetails(subject.right, schedule, found)
  // the run that is drawn is that of the first finding
  const row = verdict.findings[0]?.schedule ?? 0
  const findings = verdict.findings.filter((f) => f.schedule === row)
  const drawn = draw(drawing, { program, algebra, given, schedule: checked.recorded[row] ?? [], findings })
  if (E.isLeft(drawn)) return drawn
  const files = [...record(options, checked), ...drawn.right]
  return E.right({
    good: goodOf(verdict),
    files,
    json: () => verdict,
    text: () => {
      const palette = paletteOf(world)
      const context: VerdictContext = { palette, judged: true, most: 4 }
      const rows: ReadonlyArray<readonly [string, string]> = [
        ...launchRows(subject.right, launched),
        [
          'run',
          `schedule ${printSchedule(schedule)}: ${runText(verdict.counts.steps, verdict.counts.events, elapsed)}`,
        ],
        ...paintedRows(context, verdict),
        ['outside', verdict.scope.join('; ')],
        ...(files.length === 0 ? [] : [['written', writtenText(files)] as const]),
        ...nextStep(checked.outcome),
        ...(verdict.verdict === 'undecided' &&
        checked.outcome._tag === 'completed' &&
        !switchOf(options, 'explore')
          ? [['next', 'one schedule does not decide here: --explore tries others, then all'] as const]
          : []),
      ]
      return `${[fields(palette, 12, rows), ...findingBlocks(context, verdict)].join('\n\n')}\n`
    },
  })
}

const outputs: CliCommand['outputs'] = (options) => [...recordAsked(options), ...timelineAsked(options)]

export const checkCommand: CliCommand = { define, outputs, run }
