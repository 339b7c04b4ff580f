/**
 * The plan of a run: what its words mean, read and refused before anything is computed.
 *
 *     words --parse--> flags --subject--> program, inputs --plan--> algebra, policy, outputs, options of the check
 *
 * The order is that in which an author can mend a command line: an unknown kernel is said before a missing file, and a file of the wrong form before an output that cannot
 * be written.
 *
 * Law 1. What has a plan can be run; whether it comes to its end is the run's matter.
 */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { refuse, type Failure } from '../../../failure.js'
import { tensorsOf } from '../../../kernels/reference.js'
import type { Algebra } from '../../../numerics/algebra.js'
import type { Arithmetic } from '../../../numerics/bits.js'
import { isFloat } from '../../../numerics/dtype.js'
import type { CheckOptions } from '../../../semantics/verdict/check.js'
import { multiplyAdds, type PlannedInput } from '../../parallel/spread.js'
import type { Tensor } from '../../tensor-files/tensor.js'
import { readInputs, type Brought } from '../brought.js'
import type { Options, World } from '../command.js'
import { drawingAsked, type Drawing } from '../drawing.js'
import { inputBindings, outputBindings, parseBindings, type Binding } from '../flags/binding.js'
import { refuseFlag, type FlagFailure } from '../flags/choice.js'
import { parseArithmetic, parseOver, type Over, type ScheduleFlag } from '../flags/machine.js'
import { threadsAsked } from '../flags/threads.js'
import { wordOf, wordsOf } from '../flags/words.js'
import { equalWritesOf, fuelFor, lanesOf, scheduleAsked, strictnessAsked } from '../judging.js'
import { policyOf } from '../schedule.js'
import { broughtOf, isModule, isTracedName, namedSubject, subjectAsked, type Subject } from '../subject.js'
import { algebraOf, chipOf, inputMissing, plannedInputs, tensorsFit } from '../tensors.js'

export interface Plan {
  readonly subject: Subject
  /** products of the run, as it was foreseen */
  readonly work: number
  readonly over: Over
  readonly chip: Arithmetic
  readonly fast: boolean
  readonly algebra: Algebra
  readonly schedule: ScheduleFlag
  readonly threads: number | null
  readonly drawing: Drawing | null
  /** inputs that the command line brings */
  readonly read: ReadonlyMap<string, Brought>
  /** all that are known */
  readonly given: ReadonlyMap<string, Tensor>
  readonly inputs: ReadonlyArray<PlannedInput>
  readonly outs: ReadonlyArray<Binding>
  readonly check: CheckOptions
}

// ---------------------------------------------------------------- words

/** What was asked for, or null for the program's own chip. */
const arithmeticOf = (text: string | null): E.Either<FlagFailure, Arithmetic | null> =>
  text === null ? E.right(null) : parseArithmetic(text)

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

type Parsed = ReturnType<typeof parse> extends E.Either<FlagFailure, infer A> ? A : never

// ---------------------------------------------------------------- subject

/** The subject on the inputs that the command line brings; an unknown kernel is the first thing to say, before any file is missed. */
const subjectOf = (
  world: World,
  name: string,
  { asked, ins }: Parsed,
): E.Either<Failure, Pick<Plan, 'subject' | 'read'>> =>
  pipe(
    E.right(null),
    E.chainW((): E.Either<Failure, unknown> =>
      isModule(name) || isTracedName(name)
        ? E.right(null)
        : namedSubject(world, name, { ...asked, given: {}, dropped: [] }),
    ),
    E.chainW(() => inputBindings(world.files)(ins)),
    E.chain((named) => readInputs(world, named)),
    E.bindTo('read'),
    E.bind('subject', ({ read }) =>
      namedSubject(world, name, { ...asked, inputs: [...read.values()].map((r) => r.input) }),
    ),
  )

// ---------------------------------------------------------------- plan

/** What is known of its inputs; the first that is not, where none may be made. */
const inputsOf = (
  options: Options,
  { subject, read }: Pick<Plan, 'subject' | 'read'>,
  algebra: Algebra,
  over: Over,
): E.Either<Failure, Pick<Plan, 'given' | 'inputs'>> => {
  const { program, launched: module } = subject
  const given = new Map([
    ...broughtOf(subject),
    ...[...read].map(([name, { tensor }]) => [name, tensor] as const),
  ])
  const unsaid = tensorsOf(program).find(
    (p) => p.role !== 'out' && !given.has(p.name) && module?.tensors.has(p.name) !== false,
  )
  return options['seeded'] === false && unsaid !== undefined
    ? E.left(inputMissing(unsaid.name))
    : E.map((inputs: Plan['inputs']) => ({ given, inputs }))(plannedInputs(program, algebra, over, given))
}

/** Outputs to be written, by name; what else a module has is scratch. */
const outsOf = (subject: Subject, { outs, over }: Parsed): E.Either<Failure, ReadonlyArray<Binding>> =>
  pipe(
    outputBindings(
      outs,
      tensorsOf(subject.program).flatMap((p) =>
        p.role === 'in' || subject.launched?.tensors.has(p.name) === false ? [] : [p.name],
      ),
    ),
    E.chainFirstW((named) => checkOuts(subject, over._tag, named)),
  )

/** How it is judged. */
const checkOf = (
  options: Options,
  { strictness, over }: Parsed,
  { subject, read }: Pick<Plan, 'subject' | 'read'>,
  { algebra, policy, fuel }: Pick<CheckOptions, 'algebra' | 'policy' | 'fuel'>,
): CheckOptions => {
  const resident = subject.traced?.resident
  return {
    settings: subject.settings,
    algebra,
    arguments: {
      scalars: new Map(),
      tensors: new Map(),
      kept: new Set([...(subject.launched?.kept ?? []), ...read.keys()]),
      tensorPipe: strictness.tensorPipe,
      ...(resident == null ? {} : { resident }),
    },
    policy,
    strict: strictness.strict,
    strictProxies: strictness.strictProxies,
    ...lanesOf(strictness),
    equalWrites: equalWritesOf(strictness.strict, subject),
    hazards: options['hazards'] !== false,
    provenance: over._tag === 'tiles',
    explore: false,
    askOthers: wordOf(options, 'schedule') === null,
    fuel,
  }
}

/** A run of a program of the core, or of what becomes one, as its words plan it. */
export const planOf = (world: World, name: string, options: Options): E.Either<Failure, Plan> =>
  pipe(
    parse(options),
    E.bindTo('parsed'),
    E.bindW('known', ({ parsed }) => subjectOf(world, name, parsed)),
    E.bindW('work', ({ known: { subject } }) =>
      E.right(subject.multiplyAdds ?? multiplyAdds(subject.program)),
    ),
    E.bindW('fuel', ({ known: { subject }, work }) => fuelFor(options, subject.program, work)),
    E.bindW('outs', ({ known: { subject }, parsed }) => outsOf(subject, parsed)),
    E.bindW('policy', ({ parsed: { schedule } }) => policyOf(world.files)(schedule)()),
    E.chainW(({ parsed, known, work, fuel, outs, policy }): E.Either<Failure, Plan> => {
      const { over, arithmetic, schedule, threads, drawing } = parsed
      const { program, compiler } = known.subject
      const fast = options['fast'] !== false
      const chip = arithmetic ?? chipOf(program)
      const algebra = algebraOf(over, chip, fast, compiler)
      const check = checkOf(options, parsed, known, { algebra, policy, fuel })
      return pipe(
        tensorsFit(program, algebra),
        E.chain(() => inputsOf(options, known, algebra, over)),
        E.map((inputs): Plan => ({
          ...known,
          ...inputs,
          work,
          over,
          chip,
          fast,
          algebra,
          schedule,
          threads,
          drawing,
          outs,
          check,
        })),
      )
    }),
  )
