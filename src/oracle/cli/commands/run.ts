/**
 * `tcspec run KERNEL|program.json|kernel.jaxpr.json|module.ttgir`: run it, judge it, and compare what it computes with the naive way in the same algebra.
 *
 * | `--over` | inputs                 | what is compared                                             |
 * |----------|------------------------|--------------------------------------------------------------|
 * | bits     | files, or seeded       | bit patterns with naive matmul: what the chip gives; attention with f64, within a tolerance |
 * | real64   | files, or seeded       | f64 values                                                   |
 * | field    | files, or residues     | residues: equal kernels as polynomials                       |
 * | unit     | none                   | nothing: synchronisation alone                               |
 * | tiles    | none                   | provenance: a proof for all inputs of the shape               |
 *
 * Where the launch of a module says what an output is to hold, `bits` are compared with that.
 *
 * Exit status 1 when the verdict is bad or an element differs, 3 when it is not decided. Where the first schedule gets stuck and another completes, outputs are those of
 * the other one, and the verdict says which. Where none completes, no output is written.
 */
import type { Command } from 'commander'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { Failure } from '../../../failure.js'
import type { Verdict } from '../../../semantics/judging/verdict.js'
import { agentsActAsOne } from '../../../semantics/machine/front.js'
import { joined, type Came } from '../../../semantics/verdict/levels.js'
import { ofLowered } from '../../launch/lowered.js'
import type { Tensor } from '../../tensor-files/tensor.js'
import { inputOptions, inputsBrought, tensorsOfBrought } from '../brought.js'
import type { CliCommand, Options, Report, World } from '../command.js'
import { bindingsAsked } from '../flags/binding.js'
import { launchOptions } from '../flags/launch.js'
import { hostReport, judgeFlag, ofProgramsAlone, reportFlags } from '../host.js'
import { hostProgramIn } from '../programs.js'
import { threadsAsked } from '../flags/threads.js'
import { cameAs } from '../judged.js'
import {
  asPtx,
  isRefusedForm,
  judgeAsPtx,
  levelOption,
  levelsAsked,
  whyAlone,
  withGuess,
  type Forms,
} from '../levels.js'
import { runPtx, runPtxIn } from '../ptx.js'
import { again, wordOf, wordsOf } from '../flags/words.js'
import { comparedOf, withComparison } from '../run/compared.js'
import { finished } from '../run/finished.js'
import { planOf } from '../run/plan.js'
import { filesOf, reportOf } from '../run/report.js'
import { judgingOptions, recordAsked } from '../judging.js'
import { withDetails } from '../details.js'
import { timelineAsked, timelineFlag } from '../drawing.js'
import { languageOf, type LanguageName } from '../written-in.js'

const define = (command: Command): Command =>
  judgingOptions(
    inputOptions(
      levelOption(
        launchOptions(
          command
            .argument(
              '<kernel>',
              'a name that `tcspec kernels` lists, a program (.json, also of a host: tcspec.host/1), a kernel that JAX traced (.jaxpr.json), a module (.ttgir) or PTX (.ptx)',
            )
            .option('--set <name=value...>', 'settings of the kernel'),
        ),
      ),
    )
      .option(
        '--out <name=file...>',
        'write an output to an .npy, .npz or .safetensors file, or all of them to one; * is each in NAME.npy',
      )
      .option('--over <algebra>', 'bits, real64, field[:SEED], unit or tiles', 'bits')
      .option(
        '--arithmetic <chip>',
        "matrix products of hopper, blackwell (documented) or ieee32; default: the kernel's own chip",
      )
      .option(
        '--without <label>',
        'leave out the statements with this label, an operation of a module or an instruction of PTX by its line; may be repeated',
        again,
      )
      .option('--trace <file>', 'write the log of the run as JSON lines (tcspec.trace/1)')
      .option(...timelineFlag)
      .option(...judgeFlag)
      .option(...reportFlags.junit)
      .option(...reportFlags.report)
      .option(
        '--no-fast',
        'matrix products by their definition, element by element: the same bits, more slowly',
      )
      .option(
        '--threads <count>',
        'threads that share the clusters of a run; default: one for each core if the product is large',
      )
      .option('--no-hazards', 'compute only: do not look for hazards'),
  ).option('--json', 'print the verdict as one JSON document')

// ---------------------------------------------------------------- what came of it

const run: CliCommand['run'] = (world) => (operands, options) => async () => {
  const name = operands[0] ?? ''
  const program = hostProgramIn(world, name)
  if (program !== null) return hostReport(world, program, options)
  const misplaced = ofProgramsAlone(options, name)
  if (E.isLeft(misplaced)) return misplaced
  const asked = levelsAsked(world, name, options)
  if (E.isLeft(asked)) return asked
  if (asked.right._tag === 'one') return runNow(world, name, options, null)
  const { forms, level } = asked.right
  switch (level) {
    case 'jaxpr':
    case 'ttgir':
      return runNow(world, forms.file, options, null)
    case 'ptx':
      return runLowered(world, forms, options, null)
    case 'auto': {
      const alone =
        whyAlone(world, forms, options) ??
        (options['hazards'] === false
          ? '--no-hazards judges nothing'
          : wordOf(options, 'over') === 'bits'
            ? null
            : `--over ${wordOf(options, 'over') ?? ''} computes in the coarser form`)
      const coarse = await runNow(world, forms.file, options, { forms, alone })
      return E.isRight(coarse) || alone !== null || !isRefusedForm(world, forms, options)
        ? coarse
        : pipe(
            runLowered(world, forms, options, coarse.left),
            E.orElse(() => coarse),
          )
    }
  }
}

/** The PTX of a kernel, launched as its coarser form is; `refused`: what that form is refused for. */
const runLowered = (
  world: World,
  forms: Forms,
  options: Options,
  refused: Failure | null,
): E.Either<Failure, Report> =>
  pipe(
    inputsBrought(world, options),
    E.chain((read) => asPtx(world, forms, options, ['computes', 'out', 'over'], tensorsOfBrought(read))),
    E.chain((asked) =>
      runPtx(asked.world, asked.file, asked.options, asked.views, (verdict) => {
        const own = withGuess(asked, { verdict }).verdict
        return refused === null
          ? own
          : (joined([
              { _tag: 'refused', level: forms.level, why: refused.message },
              { _tag: 'judged', level: 'ptx', verdict: own },
            ]) ?? own)
      }),
    ),
    E.mapLeft(ofLowered(forms.file)),
  )

/** What the PTX beside a coarser form came to, on what its tensors hold. */
const besideForm = (
  world: World,
  { forms, alone }: Beside,
  options: Options,
  contents: ReadonlyMap<string, Tensor>,
): Came =>
  alone !== null
    ? { _tag: 'absent', level: 'ptx', why: alone }
    : cameAs('ptx', judgeAsPtx(world, forms, options, [], contents))

/** Where the PTX of a kernel is, and why it is not judged, if it is not. */
interface Beside {
  readonly forms: Forms
  readonly alone: string | null
}

/** The verdict of a form, and of the PTX beside it, if there is one. */
const ofLevels = (
  world: World,
  beside: Beside | null,
  options: Options,
  given: ReadonlyMap<string, Tensor>,
  own: Verdict,
): Verdict =>
  beside === null
    ? own
    : (joined(
        [
          { _tag: 'judged', level: beside.forms.level, verdict: own },
          besideForm(world, beside, options, given),
        ],
        agentsActAsOne,
      ) ?? own)

type Runs = (
  world: World,
  name: string,
  options: Options,
  beside: Beside | null,
) => Promise<E.Either<Failure, Report>>

const runNow: Runs = (world, name, options, beside) =>
  runsIn[languageOf(name).name](world, name, options, beside)

const runOfPtx: Runs = async (world, name, options) => {
  const threads = threadsAsked(options)
  return E.isLeft(threads) ? threads : runPtxIn(world, name, options, threads.right)
}

/** Planned, run, compared, written and told. */
const runOfProgram: Runs = async (world, name, options, beside) => {
  const plan = planOf(world, name, options)
  if (E.isLeft(plan)) return plan
  const ran = await finished(world, plan.right)
  return pipe(
    ran,
    E.bindTo('finished'),
    E.bindW('compared', (of) => comparedOf(plan.right, of.finished)),
    E.bindW('files', (of) => filesOf(plan.right, options, of.finished)),
    E.map((of) => {
      const { subject, schedule, given } = plan.right
      const own = withDetails(subject, schedule, withComparison(of.finished.verdict, of.compared), 'random')
      return reportOf(world, plan.right, {
        ...of,
        own,
        verdict: ofLevels(world, beside, options, given, own),
      })
    }),
  )
}

const runsIn: Readonly<Record<LanguageName, Runs>> = {
  ptx: runOfPtx,
  ttgir: runOfProgram,
  core: runOfProgram,
}

/** Every file that a run may write. */
const outputs: CliCommand['outputs'] = (options) => [
  ...bindingsAsked('--out', wordsOf(options, 'out')),
  ...recordAsked(options),
  ...['trace'].flatMap((name) => {
    const file = wordOf(options, name)
    return file === null ? [] : [{ flag: `--${name}`, file }]
  }),
  ...timelineAsked(options),
]

export const runCommand: CliCommand = { define, outputs, run }
