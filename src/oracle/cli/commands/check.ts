/**
 * `tcspec check KERNEL|program.json|kernel.jaxpr.json|module.ttgir|trace.jsonl`: the verdict alone, without data where it can be.
 *
 * The run is over the algebra with one value, so what it shows holds for all inputs; provenance says whether the outputs are what the
 * program says it computes. Where control depends on data, those of `--in` are taken, or seeded ones (`seeded.ts`). A trace is a run that was made elsewhere and is judged
 * as it is. Exit status 1 when the verdict is bad, 3 when it is not decided.
 */
import type { Command } from 'commander'
import * as E from 'fp-ts/lib/Either.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { pipe } from 'fp-ts/lib/function.js'
import { refuse, type Failure } from '../../../failure.js'
import { fields, thousands } from '../../../render/table.js'
import { findingBlocks, paintedRows, type VerdictContext } from '../../../render/verdict.js'
import { defaults } from '../../../semantics/judging/detector/index.js'
import { inputOptions, inputsBrought, tensorsOfBrought } from '../brought.js'
import { paletteOf } from '../colours.js'
import type { CliCommand, Options, Report, World } from '../command.js'
import { judge } from '../checking.js'
import { judgeAsPtx, judgeBoth, levelOption, levelsAsked } from '../levels.js'
import { drawingAsked, timelineAsked, timelineFlag } from '../drawing.js'
import { acceptOptions, acceptWritten } from '../accepting.js'
import { launchOptions } from '../flags/launch.js'
import { hostReport, judgeFlag, ofProgramsAlone, reportFlags } from '../host.js'
import { asksOperation, hostProgramIn, operationOption } from '../programs.js'
import { mendOption } from '../mending.js'
import { again } from '../flags/words.js'
import { atOneLevel, checkReport, type AtLevels } from '../judged.js'
import { exploringOptions, goodOf, judgingOptions, recordAsked, strictnessAsked } from '../judging.js'
import { notChecked } from '../launch-rows.js'
import { dataOptions } from '../ptx-data.js'
import { judgeTrace } from '../traces.js'
import { own } from '../../../own.js'

const define = (command: Command): Command =>
  exploringOptions(
    acceptOptions(
      judgingOptions(
        mendOption(
          levelOption(
            operationOption(
              launchOptions(
                dataOptions(
                  inputOptions(
                    command
                      .argument(
                        '<kernel>',
                        'a name that `tcspec kernels` lists, a program (.json, also of a host: tcspec.host/1), a kernel that JAX traced (.jaxpr.json), a module (.ttgir), PTX (.ptx) or a trace (.jsonl)',
                      )
                      .option('--set <name=value...>', 'settings of the kernel'),
                  ),
                ),
              ),
            ),
          ).option(
            '--without <label>',
            'leave out the statements with this label, an operation of a module or an instruction of PTX by its line; may be repeated',
            again,
          ),
        )
          .option(...timelineFlag)
          .option(...judgeFlag)
          .option(...reportFlags.junit)
          .option(...reportFlags.report),
      ),
    ),
  ).option('--json', 'print the verdict as one JSON document')

const run: CliCommand['run'] = (world) => (operands, options) =>
  TE.fromIOEither(() => {
    const name = operands[0] ?? ''
    const program = hostProgramIn(world, name)
    const misplaced = program === null ? ofProgramsAlone(options, name) : E.right(null)
    if (E.isLeft(misplaced)) return misplaced
    return name.endsWith('.jsonl')
      ? checkTrace(world, name, options)
      : program !== null && !asksOperation(options)
        ? hostReport(world, program, options)
        : checkSubject(world, name, options)
  })

/** A trace has one schedule, its own, and no statements to leave out. */
const forPrograms: ReadonlyArray<string> = [
  'set',
  'launch',
  'grid',
  'arg',
  'block',
  'cluster',
  'shared',
  'entry',
  'computes',
  'without',
  'mend',
  'accept',
  'acceptWrite',
  'explore',
  'budget',
  'schedule',
  'fuel',
  'record',
  'timeline',
  'over',
  'known',
  'in',
]

const checkTrace = (world: World, file: string, options: Options): E.Either<Failure, Report> => {
  const meaningless = forPrograms.find((name) => own(options, name) !== undefined)
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
          ...notChecked(verdict.scope),
        ]
        return `${[fields(palette, 12, rows), ...findingBlocks(context, verdict)].join('\n\n')}\n`
      },
    })),
  )
}

const checkSubject = (world: World, name: string, options: Options): E.Either<Failure, Report> =>
  pipe(
    drawingAsked(options),
    E.bindTo('drawing'),
    E.bindW('levels', () => judgedAtLevels(world, name, options)),
    E.chainW(({ drawing, levels }) => checkReport(world, options, drawing, levels)),
  )

/** What a name stands for, judged at the level that is asked for, or at both. */
const judgedAtLevels = (world: World, name: string, options: Options): E.Either<Failure, AtLevels> =>
  pipe(
    levelsAsked(world, name, options),
    E.chainW((asked) => {
      if (asked._tag === 'one') return E.map(atOneLevel)(judge(world, asked.name, options))
      const { forms, level } = asked
      const contents = E.map(tensorsOfBrought)(inputsBrought(world, options))
      if (E.isLeft(contents)) return contents
      switch (level) {
        case 'jaxpr':
        case 'ttgir':
          return E.map(atOneLevel)(judge(world, forms.file, options))
        case 'ptx':
          return E.map(atOneLevel)(judgeAsPtx(world, forms, options, ['computes'], contents.right))
        case 'auto':
          return judgeBoth(world, forms, options, judge(world, forms.file, options), contents.right)
      }
    }),
  )

const outputs: CliCommand['outputs'] = (options) => [
  ...recordAsked(options),
  ...timelineAsked(options),
  ...acceptWritten(options),
]

export const checkCommand: CliCommand = { define, outputs, run }
