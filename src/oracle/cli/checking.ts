/**
 * What a command line names, run once and judged: what `check` and `view` do alike. A program is judged without data, PTX on those of its launch.
 *
 * Where control or addresses depend on data, those that were brought are taken, and the first line says so; for the others there are sets (`seeded.ts`, `on-data-sets.ts`).
 */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { refuse, type Failure } from '../../failure.js'
import { scriptOf } from '../../render/recording/record.js'
import { thousands } from '../../render/table.js'
import { noArguments, sourceOf } from '../../semantics/execution/launch.js'
import { unit } from '../../numerics/unit.js'
import { tensorsOf } from '../../kernels/reference.js'
import { isFloat } from '../../numerics/dtype.js'
import type { Program } from '../../semantics/language/program.js'
import { leastEvents } from '../../semantics/language/cost.js'
import { check, type Checked } from '../../semantics/verdict/check.js'
import { wantsData } from '../../semantics/verdict/settled.js'
import { multiplyAdds } from '../parallel/spread.js'
import { passing } from './accepting.js'
import { inputsBrought, tensorsOfBrought } from './brought.js'
import { progressTold, type Options, type World } from './command.js'
import { withDetails } from './details.js'
import { refuseFlag } from './flags/choice.js'
import type { Judged } from './judged.js'
import {
  equalWritesOf,
  everyClusterAsked,
  exploringAsked,
  fuelAsked,
  fuelFor,
  fuelForeseen,
  scheduleAsked,
  strictnessAsked,
  lanesOf,
} from './judging.js'
import { launchRows } from './launch-rows.js'
import { launchOfProgram } from './launch-words.js'
import { mend, mendAsked, withMended } from './mending.js'
import { judgePtx } from './ptx.js'
import type { DataSet } from '../launch/data-sets.js'
import { dataAsked, refuseAlgebra } from './ptx-data.js'
import { onData as saidOn, onDataSets } from './on-data-sets.js'
import { policyOf } from './schedule.js'
import { dataOf, otherInputs, seededIn, type WithData } from './seeded.js'
import { inputMissing } from './tensors.js'
import {
  countersOf,
  namedSubject,
  linesOfSubject,
  sourceOfSubject,
  subjectAsked,
  type Subject,
} from './subject.js'
import { languageAsked, type LanguageName } from './written-in.js'

/** A verdict on data that were brought says so in its first line. */
const onGiven =
  (names: ReadonlyArray<string>) =>
  (one: Judged): Judged =>
    names.length === 0 ? one : saidOn(one, `with the data given for ${names.join(', ')}`)

/** Of these tensors those of integers. */
const integersOf = (program: Program, names: ReadonlyArray<string>): ReadonlyArray<string> =>
  tensorsOf(program).flatMap(({ name, dtype }) => (names.includes(name) && !isFloat(dtype) ? [name] : []))

type Judge = (world: World, name: string, options: Options) => E.Either<Failure, Judged>

export const judge: Judge = (world, name, options) =>
  judges[languageAsked(name, options).name](world, name, options)

const judgeProgram: Judge = (world, name, options) => {
  const parsed = pipe(
    refuseAlgebra(name, options),
    E.bindTo('_'),
    E.bindW('set', () => dataAsked(options)),
    E.bindW('asked', () => subjectAsked(options)),
    E.bindW('schedule', () => scheduleAsked(options)),
    E.bindW('strictness', () => strictnessAsked(options)),
    E.bindW('exploring', () => exploringAsked(options)),
    E.bindW('mending', () => mendAsked(options)),
    E.bindW('brought', () => inputsBrought(world, options)),
  )
  if (E.isLeft(parsed)) return parsed
  const { set, asked, schedule, strictness, exploring, mending, brought } = parsed.right
  const subject = pipe(
    namedSubject(world, name, { ...asked, inputs: [...brought.values()].map(({ input }) => input) }),
    E.map((named): Subject => ({ ...named, given: tensorsOfBrought(brought) })),
  )
  if (E.isLeft(subject)) return subject
  const policy = policyOf(world.files)(schedule)()
  if (E.isLeft(policy)) return policy
  const { program, settings } = subject.right
  const work = subject.right.multiplyAdds ?? multiplyAdds(program)
  const fuel = fuelAsked(options, work)
  if (E.isLeft(fuel)) return fuel
  const start = world.clock()
  const bar = progressTold(world, `checking ${thousands(leastEvents(program))} events or more`)
  const judgedOn = ({ algebra, tensors }: WithData, set: DataSet | null): E.Either<Failure, Judged> => {
    const given = {
      ...noArguments,
      tensors,
      kept: new Set([...(subject.right.launched?.kept ?? []), ...brought.keys()]),
      tensorPipe: strictness.tensorPipe,
    }
    const judged = (of: Program, explain: boolean): E.Either<Failure, Checked> =>
      check(of, {
        settings,
        algebra,
        arguments: given,
        policy: policy.right,
        strict: strictness.strict,
        strictProxies: strictness.strictProxies,
        ...lanesOf(strictness),
        equalWrites: equalWritesOf(strictness.strict, subject.right),
        hazards: true,
        provenance: program.computes !== undefined,
        ...exploring,
        explain,
        everyCluster: everyClusterAsked(options, schedule),
        fuel: fuel.right,
        fuelFor: fuelForeseen(
          options,
          program.name,
          () => fuelFor(options, program, work),
          fuel.right,
          bar.tell,
        ),
        progress: bar.update,
        ...((subject.right.launched?.guessed.length ?? 0) === 0
          ? {}
          : { guessed: subject.right.launched?.guessed ?? [] }),
      })
    return pipe(
      judged(program, true),
      E.chain((checked) =>
        wantsData(checked.outcome) && algebra === unit
          ? E.right({ program, checked, mended: [] })
          : mend({ program, checked, mended: [] }, mending, judged),
      ),
      E.map(({ program: judgedProgram, checked, mended }): Judged => {
        const judgedSubject: Subject =
          mended.length === 0 ? subject.right : { ...subject.right, program: judgedProgram }
        return {
          source: sourceOf(judgedProgram),
          script: scriptOf(judgedProgram),
          rows: () => launchRows(judgedSubject, checked.world),
          settings,
          launch: launchOfProgram(subject.right, checked.world, set),
          dropped: subject.right.dropped,
          authored: sourceOfSubject(judgedSubject),
          linesOf: linesOfSubject(judgedSubject),
          schedule,
          fuel: fuel.right,
          checked,
          algebra,
          given,
          onBits: (of) => {
            if (algebra.name === 'bits') return E.right({ algebra, given })
            const data = dataOf(subject.right, 'random')
            return data === null
              ? refuse('view.values', `--values: ${of}: expected inputs that can be made, found none`)
              : E.right({ algebra: data.algebra, given: { ...given, tensors: data.tensors } })
          },
          verdict: withDetails(
            { ...subject.right, program: judgedProgram },
            schedule,
            withMended(
              set === null
                ? checked.verdict
                : { ...checked.verdict, scope: [...checked.verdict.scope, otherInputs(subject.right)] },
              mended,
            ),
            set ?? 'random',
          ),
          elapsed: world.clock() - start,
        }
      }),
    )
  }
  const onData = (set: DataSet): E.Either<Failure, Judged> => {
    const data = dataOf(subject.right, set)
    return data === null ? bare() : judgedOn(data, set)
  }
  const bare = (): E.Either<Failure, Judged> =>
    judgedOn({ algebra: unit, tensors: countersOf(subject.right) }, null)
  const open = seededIn(subject.right)
  const onSets = (): E.Either<Failure, Judged> =>
    open.length === 0 || (mending.length > 0 && set === null)
      ? onData('random')
      : pipe(
          passing(world, options),
          E.chain((passes) =>
            onDataSets(onData, {
              asked: set,
              names: open.join(', '),
              integers: integersOf(subject.right.program, open),
              budget: exploring.budget,
              passes,
            }),
          ),
        )
  const [missing] = options['seeded'] === false ? open : []
  const taken = pipe(
    bare(),
    E.chain((one) =>
      !wantsData(one.checked.outcome)
        ? E.right(one)
        : missing !== undefined
          ? E.left(inputMissing(missing))
          : E.map(onGiven([...brought.keys()]))(onSets()),
    ),
  )
  bar.stop()
  return pipe(
    taken,
    E.chainW((one) =>
      (one.verdict.mended ?? []).length === mending.length
        ? E.right(one)
        : refuseFlag('--mend', 'a run that ends', 'one that needs data it does not have'),
    ),
  )
}

const judges: Readonly<Record<LanguageName, Judge>> = {
  ptx: judgePtx,
  ttgir: judgeProgram,
  core: judgeProgram,
}
