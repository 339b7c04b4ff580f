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
import { refuse, type Failure } from '../../../failure.js'
import { farthest, largest, type Excess, type Tolerance } from '../../../kernels/attention/tolerance.js'
import type { Near } from '../../../kernels/catalogue/index.js'
import { referenceOf, tensorsOf, type Reference } from '../../../kernels/reference.js'
import type { Arithmetic } from '../../../numerics/bits.js'
import { isFloat } from '../../../numerics/dtype.js'
import { ledger } from '../../../render/ledger.js'
import { fields, thousands } from '../../../render/table.js'
import { findingBlocks, paintedRows, type VerdictContext } from '../../../render/verdict.js'
import { check, type CheckOptions } from '../../../semantics/verdict/check.js'
import { leastEvents } from '../../../semantics/language/cost.js'
import { readTensor as readOutput, sourceOf, type Arguments } from '../../../semantics/execution/launch.js'
import { type Outcome } from '../../../semantics/execution/run.js'
import type { World as Launched } from '../../../semantics/machine/world.js'
import type { Program } from '../../../semantics/language/program.js'
import type { EventKey } from '../../../semantics/execution/step.js'
import { renamed, type Verdict } from '../../../semantics/judging/verdict.js'
import { agentsActAsOne } from '../../../semantics/machine/front.js'
import { joined, type Came } from '../../../semantics/verdict/levels.js'
import { compare, printComparison, type Comparison } from '../../compare.js'
import { multiplyAdds, spread } from '../../parallel/spread.js'
import { ofLowered } from '../../launch/lowered.js'
import { zeros, type LaunchedModule } from '../../launch/launched.js'
import type { Tensor } from '../../tensor-files/tensor.js'
import { placeOf } from '../../tensor-files/place.js'
import { tensorOutputs } from '../../tensor-files/tensor-file.js'
import { inputOptions, inputsBrought, readInputs, tensorsOfBrought } from '../brought.js'
import { paletteOf } from '../colours.js'
import type { CliCommand, Options, Report, World } from '../command.js'
import {
  bindingsAsked,
  inputBindings,
  outputBindings,
  parseBindings,
  type Binding,
} from '../flags/binding.js'
import { refuseFlag, type FlagFailure } from '../flags/choice.js'
import { parseArithmetic, parseOver, printOver, printSchedule, type Over } from '../flags/machine.js'
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
import { isPtx, runPtx, runPtxIn } from '../ptx.js'
import { again, wordOf, wordsOf } from '../flags/words.js'
import {
  fuelFor,
  goodOf,
  equalWritesOf,
  judgingOptions,
  nextStep,
  record,
  recordAsked,
  scheduleAsked,
  lanesOf,
  strictnessAsked,
  writtenText,
  type Written,
} from '../judging.js'
import { launchRows, runText } from '../launch-rows.js'
import { policyOf } from '../schedule.js'
import { seededIn } from '../seeded.js'
import { broughtOf, isModule, isTracedName, namedSubject, subjectAsked, type Subject } from '../subject.js'
import { hearing, traceOf } from '../traces.js'
import { withDetails } from '../details.js'
import { draw, drawingAsked, timelineAsked, timelineFlag } from '../drawing.js'
import {
  algebraOf,
  carriersOfPlan,
  chipOf,
  inputMissing,
  inputSeed,
  outputOf,
  plannedInputs,
  realsOf,
  tensorsFit,
} from '../tensors.js'

/** What was asked for, or null for the program's own chip. */
const arithmeticOf = (text: string | null): E.Either<FlagFailure, Arithmetic | null> =>
  text === null ? E.right(null) : parseArithmetic(text)

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

// ---------------------------------------------------------------- what is asked

const parse = (options: Options) =>
  pipe(
    E.Do,
    E.bindW('asked', () => subjectAsked(options)),
    E.bindW('ins', () => parseBindings('--in')(wordsOf(options, 'in'))),
    E.bindW('outs', () => parseBindings('--out')(wordsOf(options, 'out'))),
    E.bindW('over', () => parseOver(wordOf(options, 'over') ?? 'bits')),
    E.bindW('arithmetic', () => arithmeticOf(wordOf(options, 'arithmetic'))),
    E.bindW('strictness', () => strictnessAsked(options)),
    E.bindW('schedule', () => scheduleAsked(options)),
    E.bindW('threads', () => threadsAsked(options)),
    E.bindW('drawing', () => drawingAsked(options)),
  )

/** Outputs that can be written: known by name, with data to write. */
const checkOuts = (subject: Subject, over: string, outs: ReadonlyArray<Binding>): E.Either<Failure, null> => {
  const outputs = tensorsOf(subject.program).filter((p) => p.role !== 'in')
  for (const b of outs) {
    const param = outputs.find((p) => p.name === b.name)
    if (param === undefined)
      return refuseFlag(
        '--out',
        `an output of ${subject.name}, ${outputs.map((p) => p.name).join(', ')}`,
        b.name,
      )
    if (over === 'unit' || over === 'tiles')
      return refuse(
        'bad-flag',
        `--out ${b.name}: --over ${over} computes no elements; use bits, real64 or field`,
      )
    const holds = over === 'bits' || !isFloat(param.dtype) ? param.dtype : over === 'real64' ? 'f64' : 'u32'
    if (b.dtype !== undefined && b.dtype !== holds) return refuseFlag(`--out ${b.name}`, holds, b.dtype)
  }
  return E.right(null)
}

// ---------------------------------------------------------------- what came of it

/** Bit for bit, or near enough. */
type Compared =
  | { readonly _tag: 'bits'; readonly outputs: ReadonlyArray<ComparedBits> }
  | { readonly _tag: 'near'; readonly name: string; readonly outputs: ReadonlyArray<NearBy> }

interface ComparedBits {
  readonly tensor: string
  readonly comparison: Comparison
  /** what it is compared with */
  readonly name: string
}

/** How far an output is from what it is about. */
interface NearBy {
  readonly tensor: string
  readonly elements: number
  readonly tolerance: Near['tolerance']
  /** of |v|, which an absolute bound grows with */
  readonly size: number
  readonly farthest: Excess | null
  readonly largestError: number
}

const isGood = (c: Compared): boolean =>
  c._tag === 'bits' ? c.outputs.every((o) => o.comparison.equal) : c.outputs.every((o) => o.farthest === null)

/** A completed run whose output is not what the program says is a wrong result, whatever its synchronisation. */
const withComparison = (v: Verdict, compared: Compared | null): Verdict =>
  compared !== null && !isGood(compared) && (v.verdict === 'ok' || v.verdict === 'undecided')
    ? renamed(
        v,
        'wrong-result',
        compared._tag === 'near' ? nearText(compared) : differText(firstDiffering(compared.outputs)),
      )
    : v

/** The bound that holds here, and what it comes from: it grows with the largest value. */
const boundText = ({ kind, bound }: Tolerance, size: number): string =>
  kind === 'relative'
    ? `${String(bound)} of the value`
    : size <= 1
      ? String(bound)
      : `${(bound * size).toExponential(1)} (${String(bound)} for values up to 1, here up to ${size.toPrecision(3)})`

const nearText = ({ name, outputs }: Extract<Compared, { readonly _tag: 'near' }>): string =>
  outputs
    .map(({ tensor, elements, tolerance, size, farthest: worst, largestError }) => {
      const bound = boundText(tolerance, size)
      return worst === null
        ? `${tensor}: ${thousands(elements)} elements are within ${bound} of ${name}; the farthest by ${largestError.toExponential(1)}`
        : `${tensor}: element ${thousands(worst.at)} is ${String(worst.found)}, and by ${name} ${String(worst.expected)}, which differs by more than ${bound}`
    })
    .join('; ')

const firstDiffering = (outputs: ReadonlyArray<ComparedBits>): ComparedBits =>
  outputs.find((o) => !o.comparison.equal) ?? outputs[0]!

const differText = ({ comparison, name }: ComparedBits): string =>
  `${thousands(comparison.different)} of ${thousands(comparison.elements)} elements differ from ${name}`

const comparisonText = (compared: Compared): string =>
  compared._tag === 'near'
    ? nearText(compared)
    : compared.outputs
        .map((o) =>
          o.comparison.equal
            ? differText(o)
            : `${differText(o)}; at most ${thousands(o.comparison.maxUlp)} ulp apart`,
        )
        .join('\n')

/** An output, and what it is to hold. */
interface Told {
  readonly tensor: string
  readonly name: string
  readonly expected: Tensor
}

/** What the launch of a module expects, else what the program says that it computes. */
const expectedOf = (
  program: Program,
  over: Over,
  module: LaunchedModule | undefined,
  reference: E.Either<Failure, Reference> | null,
): E.Either<Failure, ReadonlyArray<Told>> => {
  const expected = [...(module?.expected ?? [])]
  if (expected.length > 0)
    return E.right(
      expected.map(([tensor, { tensor: values, source }]) => ({ tensor, name: source, expected: values })),
    )
  if (reference === null) return E.right([])
  return pipe(
    reference,
    E.chain(({ tensor, name, values }) =>
      pipe(
        outputOf(program, over, tensor, values),
        E.map((held): ReadonlyArray<Told> => [{ tensor, name, expected: held }]),
      ),
    ),
  )
}

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

/** A run, in one piece or in pieces. */
interface Finished {
  readonly verdict: Verdict
  readonly outcome: Outcome
  /** `schedule` and the outputs are those of a run that completed */
  readonly completes: boolean
  readonly launched: Launched
  readonly schedule: ReadonlyArray<EventKey>
  readonly recorded: ReadonlyArray<ReadonlyArray<EventKey>>
  readonly inputs: ReadonlyMap<string, Float64Array>
  readonly output: (name: string) => Float64Array | null
  /** null where there is nothing to compare with */
  readonly reference: E.Either<Failure, Reference> | null
  readonly elapsed: number
}

/** A product this large is shared by threads without being asked for: below, they would take longer to begin. */
const large = 2 ** 28

const whole = (
  world: World,
  program: Program,
  options: CheckOptions,
  inputs: ReadonlyMap<string, Float64Array>,
  /** what is expected is known elsewhere */
  expected: boolean,
): E.Either<Failure, Finished> => {
  const { algebra } = options
  const start = world.clock()
  const bar = world.progress(`running ${thousands(leastEvents(program))} events or more`)
  const checked = check(program, {
    ...options,
    // the run itself is wanted
    everyCluster: true,
    arguments: { ...options.arguments, tensors: inputs },
    progress: bar.update,
  })
  bar.stop()
  const elapsed = world.clock() - start
  if (E.isLeft(checked)) return checked
  const { verdict, outcome, world: launched, completed, recorded } = checked.right
  return E.right({
    verdict,
    outcome,
    completes: completed !== null,
    launched,
    schedule: completed?.schedule ?? checked.right.schedule,
    recorded,
    inputs,
    output: (name) => readOutput(launched, (completed ?? checked.right).machine, name),
    reference:
      completed !== null && algebra.memory !== 'none' && !expected && program.computes !== undefined
        ? referenceOf(program, algebra, inputs)
        : null,
    elapsed,
  })
}

const runNow = async (
  world: World,
  name: string,
  options: Options,
  beside: Beside | null,
): Promise<E.Either<Failure, Report>> => {
  if (isPtx(name)) {
    const threads = threadsAsked(options)
    return E.isLeft(threads) ? threads : runPtxIn(world, name, options, threads.right)
  }
  const parsed = parse(options)
  if (E.isLeft(parsed)) return parsed
  const {
    asked: asking,
    ins: saidIn,
    outs: saidOut,
    over,
    arithmetic,
    strictness,
    schedule,
    drawing,
    threads,
  } = parsed.right
  const { tensorPipe, strict, strictProxies } = strictness
  // An unknown kernel is the first thing to say, before any file is missed.
  const known =
    isModule(name) || isTracedName(name)
      ? E.right(null)
      : namedSubject(world, name, { ...asking, given: {}, dropped: [] })
  if (E.isLeft(known)) return known
  const read = pipe(
    inputBindings(world.files)(saidIn),
    E.chain((ins) => readInputs(world, ins)),
  )
  if (E.isLeft(read)) return read
  const subject = namedSubject(world, name, {
    ...asking,
    inputs: [...read.right.values()].map((r) => r.input),
  })
  if (E.isLeft(subject)) return subject
  const { program, settings, expects, compiler, launched: module } = subject.right
  const work = subject.right.multiplyAdds ?? multiplyAdds(program)
  const fuel = fuelFor(options, program, work)
  if (E.isLeft(fuel)) return fuel
  const writable = pipe(
    outputBindings(
      saidOut,
      // what else a module has is scratch
      tensorsOf(program).flatMap((p) =>
        p.role === 'in' || module?.tensors.has(p.name) === false ? [] : [p.name],
      ),
    ),
    E.chainFirstW((outs) => checkOuts(subject.right, over._tag, outs)),
  )
  if (E.isLeft(writable)) return writable
  const outs = writable.right
  const policy = policyOf(world.files)(schedule)()
  if (E.isLeft(policy)) return policy
  const fast = options['fast'] !== false
  const chip = arithmetic ?? chipOf(program)
  const algebra = algebraOf(over, chip, fast, compiler)
  const fits = tensorsFit(program, algebra)
  if (E.isLeft(fits)) return fits
  const given = new Map([
    ...broughtOf(subject.right),
    ...[...read.right].map(([n, r]) => [n, r.tensor] as const),
  ])
  const unsaid = tensorsOf(program).find(
    (p) => p.role !== 'out' && !given.has(p.name) && module?.tensors.has(p.name) !== false,
  )
  if (options['seeded'] === false && unsaid !== undefined) return E.left(inputMissing(unsaid.name))
  const planned = plannedInputs(program, algebra, over, given)
  if (E.isLeft(planned)) return planned

  const hazards = options['hazards'] !== false
  const resident = subject.right.traced?.resident
  const asked: CheckOptions = {
    settings,
    algebra,
    arguments: {
      scalars: new Map(),
      tensors: new Map(),
      kept: new Set([...(module?.kept ?? []), ...read.right.keys()]),
      tensorPipe,
      ...(resident == null ? {} : { resident }),
    },
    policy: policy.right,
    strict,
    strictProxies,
    ...lanesOf(strictness),
    equalWrites: equalWritesOf(strict, subject.right),
    hazards,
    provenance: over._tag === 'tiles',
    explore: false,
    askOthers: wordOf(options, 'schedule') === null,
    fuel: fuel.right,
  }
  const count = threads ?? (work < large ? 1 : (world.threads?.count ?? 1))
  const shared =
    // a schedule that was not judged stands for itself alone
    world.threads !== undefined && count > 1 && over._tag === 'bits' && (hazards || schedule._tag === 'eager')
      ? await spread(
          { program, arithmetic: chip, compiler, fast, options: asked, inputs: planned.right },
          world.threads.assemble,
          count,
          world.progress,
          world.clock,
        )
      : E.right(null)
  if (E.isLeft(shared)) return shared
  const finished: E.Either<Failure, Finished> =
    shared.right === null
      ? whole(
          world,
          program,
          asked,
          carriersOfPlan(program, algebra, over, planned.right),
          expects !== undefined,
        )
      : E.right({
          ...shared.right,
          outcome: { _tag: 'completed' },
          completes: true,
          launched: shared.right.world,
          reference:
            expects !== undefined || program.computes === undefined
              ? null
              : shared.right.reference === null
                ? referenceOf(program, algebra, shared.right.inputs)
                : E.right(shared.right.reference),
        })
  if (E.isLeft(finished)) return finished
  const { launched, elapsed, inputs, reference } = finished.right
  // only then its outputs are what the program computes
  const { outcome, completes: complete } = finished.right
  const brought: Arguments = { scalars: new Map(), tensors: inputs, tensorPipe }

  const output = (name: string): E.Either<Failure, Tensor> =>
    outputOf(program, over, name, finished.right.output(name))
  let compared: Compared | null = null
  if (complete && algebra.memory !== 'none' && expects !== undefined) {
    const expected = expects(algebra, inputs)
    if (E.isLeft(expected)) return expected
    compared = {
      _tag: 'near',
      name: expected.right.name,
      outputs: expected.right.outputs.map((near): NearBy => {
        const { tensor, values, tolerance, size } = near
        const carriers = finished.right.output(tensor) ?? new Float64Array(0)
        const found = realsOf(program, algebra, tensor, carriers)
        return {
          tensor,
          elements: values.length,
          tolerance,
          size,
          farthest: farthest(tolerance, found, values, size),
          largestError: largest(found.map((x, i) => (x === values[i] ? 0 : x - values[i]!))),
        }
      }),
    }
  } else {
    const told = expectedOf(program, over, complete && over._tag === 'bits' ? module : undefined, reference)
    const outputs = pipe(
      told,
      E.chain(
        E.traverseArray(({ tensor, name, expected }) =>
          pipe(
            output(tensor),
            E.chainW((got) => compare(got, expected)),
            E.map((comparison): ComparedBits => ({ tensor, comparison, name })),
          ),
        ),
      ),
    )
    if (E.isLeft(outputs)) return outputs
    if (outputs.right.length > 0) compared = { _tag: 'bits', outputs: outputs.right }
  }

  const files: Written[] = []
  if (complete) {
    const made = pipe(
      outs,
      E.traverseArray(({ name: called, file: said }) =>
        pipe(
          output(called),
          E.map((tensor) => ({ said, called, tensor })),
        ),
      ),
      E.chainW(tensorOutputs),
    )
    if (E.isLeft(made)) return made
    for (const held of made.right) {
      const names = outs.filter((b) => placeOf(b.file).file === held.file).map((b) => b.name)
      files.push({ what: names.join(' and '), ...held })
    }
  }
  for (const kept of record(options, finished.right)) files.push(kept)

  const traceFile = wordOf(options, 'trace')
  if (traceFile !== null) {
    const made = traceOf(sourceOf(program), algebra, brought, finished.right.schedule)
    if (E.isLeft(made)) return made
    files.push({ what: 'a trace', file: traceFile, bytes: made.right })
  }

  const { schedule: taken, verdict: judgement } = finished.right
  const { findings } = judgement
  const drawn = draw(drawing, {
    source: sourceOf(program),
    algebra,
    given: brought,
    schedule: taken,
    findings,
  })
  if (E.isLeft(drawn)) return drawn
  for (const kept of drawn.right) files.push(kept)

  const found = withComparison(finished.right.verdict, compared)
  const own = withDetails(subject.right, schedule, found, 'random')
  const verdict =
    beside === null
      ? own
      : (joined(
          [
            { _tag: 'judged', level: beside.forms.level, verdict: own },
            besideForm(world, beside, options, given),
          ],
          agentsActAsOne,
        ) ?? own)
  return E.right({
    good: goodOf(verdict),
    files,
    json: () =>
      compared === null
        ? verdict
        : compared._tag === 'bits'
          ? { ...verdict, comparison: firstDiffering(compared.outputs).comparison }
          : { ...verdict, approximation: { to: compared.name, outputs: compared.outputs } },
    text: () => {
      const palette = paletteOf(world)
      const did = hearing(sourceOf(program), algebra, brought, finished.right.schedule, ledger)
      const context: VerdictContext = { palette, judged: hazards, most: 4 }
      const seeded = seededIn(subject.right).filter((input) => !read.right.has(input))
      const rows: ReadonlyArray<readonly [string, string]> = [
        ...launchRows(subject.right, launched, E.isLeft(did) ? null : did.right.result),
        [
          'inputs',
          [
            ...[...read.right.values()].map((r) => `${r.input.name} from ${r.input.source}`),
            ...[...(module?.inputs ?? [])].flatMap(([input, { source }]) =>
              read.right.has(input)
                ? []
                : source !== zeros
                  ? [`${input} from ${source}`]
                  : program.params.some((p) => p._tag === 'tensor' && p.name === input && p.role === 'out')
                    ? []
                    : [`${input} zeros`],
            ),
            ...(algebra.memory === 'none' || seeded.length === 0
              ? []
              : [
                  `${seeded.join(' and ')} seeded (${over._tag === 'field' ? printOver(over) : String(inputSeed)})`,
                ]),
          ].join(', ') || 'none: no element has a value',
        ],
        ['over', `${printOver(over)}: ${algebra.description}`],
        [
          'run',
          `schedule ${printSchedule(schedule)}: ${runText(own.counts.steps, own.counts.events, elapsed)}`,
        ],
        ...(compared === null
          ? []
          : [['result', (isGood(compared) ? palette.good : palette.bad)(comparisonText(compared))] as const]),
        ...paintedRows(context, verdict),
        ...nextStep(outcome, algebra),
        ...(files.length === 0 ? [] : [['written', writtenText(files)] as const]),
      ]
      const differing =
        compared?._tag !== 'bits'
          ? []
          : compared.outputs
              .filter((o) => !o.comparison.equal)
              .map((o) => printComparison(o.comparison).trimEnd())
      return `${[fields(palette, 12, rows), ...differing, ...findingBlocks(context, verdict)].join('\n\n')}\n`
    },
  })
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
