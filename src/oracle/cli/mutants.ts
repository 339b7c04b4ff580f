/**
 * The mutants of a subject, and how each of them is judged.
 *
 * Which mutants there are is known before one of them is judged, and is the same wherever it is asked: a mutant is named by its number. What it takes
 * to judge the first one (the unchanged program, its smaller instances) is found out when the first one is judged, and kept.
 *
 *     mutantsAsked(world, 'queue', {})      keys: DROP | producer / ... | left out, ...
 *                                           judge(17): killed, R1, named
 *
 * | subject            | is judged                                         | schedules are followed at               |
 * |--------------------|---------------------------------------------------|-----------------------------------------|
 * | a kernel           | where it is small, or where its settings say       | 1 to 4 steps of it                      |
 * | a zoo's kernel, a program in a file | as it is                         | no other instance                       |
 * | a module           | at its launch, each mutant as a text               | smaller launches                        |
 * | PTX                | at its launch, on its data (or first without), each mutant as a text | one cluster, small integers |
 *
 * Laws
 * 1. A mutant's fate does not depend on which others were judged before it.
 */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { refuse, type Failure } from '../../failure.js'
import {
  followedAt,
  instanceOf,
  judgedAt,
  kernels,
  type Instance,
  type Kernel,
} from '../../kernels/catalogue/index.js'
import {
  groundOf,
  judgedAt as textJudge,
  showModule,
  smallerAt,
  smallerLaunches,
  textMutants,
} from '../../dialects/ttgir/index.js'
import { standardOptions, type CheckOptions } from '../../semantics/verdict/check.js'
import {
  classes,
  cutDown,
  judging,
  mutantsOf,
  operators,
  withoutPrograms,
  type JudgedMutant,
  type MutantClass,
  type Operator,
} from '../../semantics/mutation/index.js'
import { printModule } from '../../dialects/ptx/index.js'
import { judgingPtx, ptxMutants, type PtxGround } from '../../dialects/ptx/mutants/judge.js'
import type { IntegerAt } from '../../dialects/ptx/mutants/search.js'
import type { LaunchedModule } from '../launch/launched.js'
import type { LaunchedPtx } from '../launch/ptx.js'
import type { PtxArgument } from '../launch/ptx-file.js'
import { ptxSubject } from './ptx.js'
import { refuseData, unknownAsked } from './ptx-data.js'
import type { Options, World } from './command.js'
import type { Settings } from './flags/setting.js'
import { wordOf, wordsOf } from './flags/words.js'
import { fuelAsked, fuelFor, fuelForPtx } from './judging.js'
import { countersOf, namedSubject, refuseLaunch, subjectAsked, type Asked } from './subject.js'
import { meant } from '../../nearest.js'
import { own } from '../../own.js'
import { languageAsked, type LanguageName } from './written-in.js'

// ---------------------------------------------------------------- model

/** Which mutants are asked for; `key`: one of them. */
interface Wanted {
  readonly classes: ReadonlyArray<MutantClass>
  readonly operators: ReadonlyArray<Operator>
  readonly key: string | null
}

export interface Mutants {
  /** what is changed: its name, and all of its settings */
  readonly kernel: string
  readonly settings: Settings
  /** null of what is no program of the core */
  readonly program: Instance['program'] | null
  /** of every mutant, in their order */
  readonly keys: ReadonlyArray<string>
  readonly judge: (mutant: number) => JudgedMutant
  /** the changed text, where it is a text that is changed, and how a file of it is called */
  readonly text: { readonly extension: string; readonly of: (mutant: number) => string } | null
}

// ---------------------------------------------------------------- judging

/** Made when it is first asked, and kept. */
const once = <A>(make: () => A): (() => A) => {
  let made: { readonly value: A } | null = null
  return () => (made ??= { value: make() }).value
}

const isKeyed =
  ({ key }: Wanted) =>
  (m: { readonly key: string }): boolean =>
    key === null || m.key === key

const ofPrograms = (
  { kernel, settings, program }: Instance,
  smaller: ReadonlyArray<Instance>,
  wanted: Wanted,
  fuel: number,
  counters: ReadonlyMap<string, Float64Array> = new Map(),
): Mutants => {
  const how: CheckOptions = {
    ...standardOptions,
    settings,
    fuel,
    arguments: { ...standardOptions.arguments, tensors: counters },
  }
  const all = mutantsOf(program, wanted.operators, wanted.classes).filter(isKeyed(wanted))
  const judge = once(() =>
    judging(
      program,
      how,
      smaller.map((i) => cutDown(i.program, how)),
    ),
  )
  return {
    kernel,
    settings,
    program,
    keys: all.map((m) => m.key),
    judge: (k) => withoutPrograms(judge()(all[k]!)),
    text: null,
  }
}

const ofModule = (
  { kernel, settings, program }: Instance,
  { module, launch }: LaunchedModule,
  wanted: Wanted,
  fuel: number,
): E.Either<Failure, Mutants> =>
  pipe(
    E.Do,
    E.bind('ground', () => groundOf(module, launch)),
    E.bind('mutants', () => textMutants(module, launch.function)),
    E.map(({ ground, mutants }) => {
      const how: CheckOptions = { ...standardOptions, fuel }
      const judge = once(() => {
        const smaller = smallerLaunches(module, ground, how).map((g) => smallerAt(mutants, g, how))
        return textJudge(ground, judging(ground.program, how, smaller))
      })
      const all = mutants
        .filter(
          ({ change }) => wanted.classes.includes(change.class) && wanted.operators.includes(change.operator),
        )
        .filter(isKeyed(wanted))
      return {
        kernel,
        settings,
        program,
        keys: all.map((m) => m.key),
        judge: (k) => withoutPrograms(judge()(all[k]!)),
        text: { extension: 'ttgir', of: (k) => showModule(all[k]!.change.module()) },
      }
    }),
  )

/** A kernel where it is small, or where the settings say. */
const ofKernel = (
  kernel: Kernel,
  given: Settings,
  wanted: Wanted,
  fuel: number,
): E.Either<Failure, Mutants> =>
  pipe(
    Object.keys(given).length > 0 ? instanceOf(kernel, given, []) : judgedAt(kernel),
    E.map((instance) => ofPrograms(instance, followedAt(kernel, instance.settings), wanted, fuel)),
  )

/** Mutants of what a name means in one language; the flags of a launch are others of PTX than of a module. */
type MutantsOf = (
  world: World,
  name: string,
  options: Options,
  wanted: Wanted,
  fuel: number,
) => E.Either<Failure, Mutants>

const ofProgram: MutantsOf = (world, name, options, wanted, fuel) =>
  pipe(
    subjectAsked(options),
    E.chainFirstW(() => refuseData(name, options)),
    E.chainW((asked) => ofSubject(world, name, asked, wanted, fuel)),
  )

const ofSubject = (
  world: World,
  name: string,
  asked: Asked,
  wanted: Wanted,
  fuel: number,
): E.Either<Failure, Mutants> => {
  const kernel = kernels.find((k) => k.name === name)
  if (kernel !== undefined)
    return pipe(
      refuseLaunch(name, asked.launch),
      E.chain(() => ofKernel(kernel, asked.given, wanted, fuel)),
    )
  return pipe(
    namedSubject(world, name, asked),
    E.chain((subject) => {
      const { name: called, settings, program, launched } = subject
      const instance: Instance = { kernel: called, settings, program }
      return launched === undefined
        ? E.right(ofPrograms(instance, [], wanted, fuel, countersOf(subject)))
        : ofModule(instance, launched, wanted, fuel)
    }),
  )
}

/** Most states of a search of a smaller launch of PTX: one of many warps is a large state, and there are more of them than can be followed. */
const mostStates = ({ block }: LaunchedPtx['arguments']): number =>
  block.reduce((n, x) => n * x, 1) > fewThreads ? 1_000 : 40_000
const fewThreads = 256

/** Integers among the arguments, by where they lie. */
const integersOf = ({ elaborated, launch }: LaunchedPtx): ReadonlyArray<IntegerAt> => {
  const { args } = launch
  const isList = (a: typeof args): a is ReadonlyArray<PtxArgument> => Array.isArray(a)
  return elaborated.parameters.flatMap((p, k): ReadonlyArray<IntegerAt> => {
    const a = isList(args) ? args[k] : own(args, p.name)
    const value =
      typeof a === 'number' ? a : typeof a === 'object' && a.kind === 'scalar' ? Number(a.value) : NaN
    const isInteger = Number.isSafeInteger(value) && !/^f\d/u.test(p.type)
    return isInteger && (p.bytes === 4 || p.bytes === 8) ? [{ offset: p.offset, bytes: p.bytes, value }] : []
  })
}

/** PTX at its launch: there is no other instance of it but smaller launches. */
const ofPtx: MutantsOf = (world, name, options, wanted, fuel) =>
  pipe(
    ptxSubject(world, name, options),
    E.bindTo('subject'),
    E.chainFirstW(({ subject: { launched } }) => fuelForPtx(options, name, launched.arguments)),
    E.bindW('unknown', ({ subject }) => unknownAsked(options, subject.launched)),
    E.bindW('ground', ({ subject: { launched }, unknown }) =>
      E.right<Failure, PtxGround>({
        module: launched.module,
        name: launched.file,
        entry: launched.elaborated.program.name,
        program: launched.elaborated.program,
        given: launched.arguments,
        integers: integersOf(launched),
        unknown: unknown === null || unknown.orSeeded ? null : unknown.tensors,
        fuel,
        states: mostStates(launched.arguments),
      }),
    ),
    E.bindW('mutants', ({ ground }) => ptxMutants(ground)),
    E.map(({ ground, mutants }): Mutants => {
      const judge = once(() => judgingPtx(ground))
      const all = mutants
        .filter(
          ({ change }) => wanted.classes.includes(change.class) && wanted.operators.includes(change.operator),
        )
        .filter(isKeyed(wanted))
      return {
        kernel: ground.program.name,
        settings: {},
        program: null,
        keys: all.map((m) => m.key),
        judge: (k) => judge()(all[k]!),
        text: { extension: 'ptx', of: (k) => printModule(all[k]!.module()) },
      }
    }),
  )

const mutantsIn: Readonly<Record<LanguageName, MutantsOf>> = { ptx: ofPtx, ttgir: ofProgram, core: ofProgram }

// ---------------------------------------------------------------- what is asked

const oneOf = <A extends string>(
  what: string,
  known: ReadonlyArray<A>,
  words: ReadonlyArray<string>,
): E.Either<Failure, ReadonlyArray<A>> => {
  const unknown = words.find((w) => !known.some((k) => k === w))
  return unknown === undefined
    ? E.right(words.length === 0 ? known : known.filter((k) => words.includes(k)))
    : refuse(
        'bad-flag',
        `mutate: expected ${what} to be one of ${known.join(', ')}, found '${unknown}'${meant(known)(unknown)}`,
      )
}

/** The mutants that the flags of `mutate` ask for: of a kernel by name, a program in a file, a module with its launch. */
export const mutantsAsked = (world: World, name: string, options: Options): E.Either<Failure, Mutants> =>
  pipe(
    E.Do,
    E.bind('of', () => oneOf('--class', classes, wordsOf(options, 'class'))),
    E.bind('by', () => oneOf('--operator', operators, wordsOf(options, 'operator'))),
    E.bindW('fuel', () => fuelAsked(options, 0)),
    E.chainW(({ of, by, fuel }) => {
      const wanted: Wanted = { classes: of, operators: by, key: wordOf(options, 'mutant') }
      return mutantsIn[languageAsked(name, options).name](world, name, options, wanted, fuel)
    }),
    E.chainFirstW(({ program }) =>
      program === null ? E.right(null) : E.map(() => null)(fuelFor(options, program, 0)),
    ),
    E.chainW((mutants) =>
      mutants.keys.length === 0 && wordOf(options, 'mutant') !== null
        ? refuse(
            'bad-flag',
            `--mutant: expected the key of a mutant of ${name}, found '${wordOf(options, 'mutant') ?? ''}'`,
          )
        : E.right(mutants),
    ),
  )
