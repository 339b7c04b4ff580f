/**
 * The document of a sweep: a grid of questions, as JSON (`tcspec.sweep/1`).
 *
 *     { "schema": "tcspec.sweep/1",
 *       "subjects": ["hopper-matmul", { "name": "k.ttgir", "launch": ["a.json", "b.json"] }],
 *       "settings": { "k": [128, 256], "stages": [2, 3] },
 *       "schedules": ["eager", "lazy", "seeded:1"],
 *       "options": { "strict": [false, true] },
 *       "mutants": ["none", "synchronisation"] }
 *
 * With `chips` a point is a prediction of time and no verdict: every setting of every subject on every chip.
 *
 * Every list is crossed with every other one, as far as it is about the same subjects (`grid.ts`): `settings` are those of kernels, a launch, a grid
 * and arguments those of a module; schedules and options are of subjects as they are, and a mutant is judged as `tcspec mutate` judges it.
 *
 * Files are named relative to the document.
 *
 * Laws
 * 1. What decodes satisfies `schemas/sweep.schema.json`.
 */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { failure, refuse, type Failure } from '../../failure.js'
import { classes, operators, type MutantClass, type Operator } from '../../semantics/mutation/index.js'
import {
  bool,
  decode,
  define,
  described,
  dictionary,
  either,
  finite,
  list,
  nat,
  oneOf,
  record,
  text,
  type Wire,
} from '../../wire.js'
import type { SettingValue } from '../cli/flags/setting.js'

export const sweepSchema = 'tcspec.sweep/1'

// ---------------------------------------------------------------- model

/** Values of every setting by its name. */
export type SettingLists = Readonly<Record<string, ReadonlyArray<SettingValue>>>

/** What is swept over: a kernel, or a file; of a module also its launches. */
export interface SweptSubject {
  /** a kernel of the catalogue, a program (.json), a module (.ttgir) or PTX (.ptx) */
  readonly name: string
  /** of a kernel: in the place of the settings of the document with these names */
  readonly settings?: SettingLists
  /** of a module: launch files */
  readonly launch?: ReadonlyArray<string>
  /** of a module: grids, `2,2` */
  readonly grid?: ReadonlyArray<string>
  /** of a module: words for its arguments by their names, `K: ["96", "192"]` */
  readonly args?: Readonly<Record<string, ReadonlyArray<string>>>
  /** of a module: what is to be proved */
  readonly computes?: string
  /** of PTX over shadow: inputs whose data are known */
  readonly known?: ReadonlyArray<string>
}

/** The flags of `check` and `run`, each with the values that it takes in turn. */
export interface SweptOptions {
  readonly strict?: ReadonlyArray<boolean>
  readonly strictProxies?: ReadonlyArray<boolean>
  readonly tensorPipe?: ReadonlyArray<string>
  /** where it is given, a point is a `run` over these, or of PTX over `shadow` a `check`; else it is a `check` */
  readonly over?: ReadonlyArray<string>
  readonly arithmetic?: ReadonlyArray<string>
  readonly explore?: boolean
  readonly fuel?: number
}

/** `none` is the subject as it is. */
export type MutantWord = 'none' | 'all' | MutantClass | Operator

export interface SweepSpec {
  readonly schema: typeof sweepSchema
  readonly subjects: ReadonlyArray<string | SweptSubject>
  readonly settings?: SettingLists
  readonly schedules?: ReadonlyArray<string>
  readonly options?: SweptOptions
  readonly mutants?: ReadonlyArray<MutantWord>
  readonly chips?: ReadonlyArray<string>
}

/** In the place of a name: every kernel of the catalogue. */
export const everyKernel = '*'

// ---------------------------------------------------------------- form

const value: Wire<SettingValue> = either<string, number | boolean>(
  'text, a number or a boolean',
  text,
  either<number, boolean>('a number or a boolean', finite, bool),
)
const settings: Wire<SettingLists> = dictionary('values by the name of the setting', list(value))

const subject: Wire<SweptSubject> = define('SweptSubject', () =>
  record<SweptSubject>()(
    'a subject',
    {
      name: described(
        text,
        'a kernel that `tcspec kernels` lists, a program (.json), a module (.ttgir) or PTX (.ptx); `*` is every kernel',
      ),
    },
    {
      settings: described(settings, 'for a kernel: values of its settings, instead of those of the document'),
      launch: described(
        list(text),
        'for a module or PTX: launch files (tcspec.launch/1, tcspec.ptx-launch/1), in turn',
      ),
      grid: described(
        list(text),
        'for a module or PTX: programs (CTAs) along each axis, such as `2,2`, in turn',
      ),
      args: described(
        dictionary('words by the name of the argument', list(text)),
        'for a module or PTX: arguments as words of `--arg`, in turn',
      ),
      computes: described(
        text,
        'for a module or PTX: the claim to prove, `matmul:A,B,OUT` (`B.T`: the transpose of tensor B), `gemm:A,B,OUT` (the same, with an epilogue) or `copy:FROM,OUT`',
      ),
      known: described(list(text), 'of PTX over `shadow`: inputs whose data are known'),
    },
  ),
)

const options: Wire<SweptOptions> = define('SweptOptions', () =>
  record<SweptOptions>()(
    'options',
    {},
    {
      strict: described(list(bool), 'whether to use `--strict`, in turn'),
      strictProxies: described(list(bool), 'whether to use `--strict-proxies`, in turn'),
      tensorPipe: described(list(text), 'values of `--tensor-pipe`: `issue-order`, `documented`'),
      over: described(
        list(text),
        'values of `--over`: a point is then a `run` over each of them, of PTX over `shadow` a `check`; without, it is a `check`, for all inputs',
      ),
      arithmetic: described(list(text), 'values of `--arithmetic`, of a run over `bits`'),
      explore: described(bool, 'whether a check tries other schedules where one does not decide'),
      fuel: described(nat, 'most events of a run'),
    },
  ),
)

export const sweepWire: Wire<SweepSpec> = define('SweepSpec', () =>
  record<SweepSpec>()(
    'a sweep',
    {
      schema: described(oneOf(sweepSchema), 'name and version of this schema'),
      subjects: described(
        list(either<string, SweptSubject>('a name or a subject', text, subject)),
        'the subjects: names of kernels and files, and modules with their launches',
      ),
    },
    {
      settings: described(
        settings,
        'values by the name of the setting, crossed; a kernel takes those that it knows',
      ),
      schedules: described(list(text), 'values of `--schedule`, in turn; without, `eager`'),
      options: described(options, 'how subjects are judged and run'),
      mutants: described(
        list(oneOf<MutantWord>('none', 'all', ...classes, ...operators)),
        'the subject as it is (`none`, and where this is missing), all of its mutants, or those of a class or an operator',
      ),
      chips: described(
        list(text),
        'values of `--chip`: a point is then a prediction of `tcspec time`, and nothing is judged',
      ),
    },
  ),
)

// ---------------------------------------------------------------- reading

type SpecFailure = Failure<'json.syntax' | 'json.form' | 'sweep.spec'>

/** Lists that must have something in them, and values that exclude one another. */
const wellSaid = (spec: SweepSpec): E.Either<Failure<'sweep.spec'>, SweepSpec> => {
  const { over, arithmetic, explore } = spec.options ?? {}
  const lists: ReadonlyArray<readonly [string, ReadonlyArray<unknown>]> = [
    ['subjects', spec.subjects],
    ['schedules', spec.schedules ?? [null]],
    ['mutants', spec.mutants ?? [null]],
    ['chips', spec.chips ?? [null]],
    ...Object.entries(spec.settings ?? {}).map(([name, of]) => [`settings.${name}`, of] as const),
    ...Object.entries(spec.options ?? {}).flatMap(([name, of]) =>
      Array.isArray(of) ? [[`options.${name}`, of] as const] : [],
    ),
    ...spec.subjects.flatMap((s, k) =>
      typeof s === 'string'
        ? []
        : Object.entries({
            ...s.settings,
            ...s.args,
            launch: s.launch ?? [null],
            grid: s.grid ?? [null],
          }).map(([name, of]) => [`subjects[${String(k)}]: ${name}`, of] as const),
    ),
  ]
  const empty = lists.find(([, of]) => of.length === 0)
  if (empty !== undefined)
    return refuse('sweep.spec', `$.${empty[0]}: expected at least one value, found none`)
  const twice = lists.find(([, of]) => new Set(of.map((v) => JSON.stringify(v))).size < of.length)
  if (twice !== undefined)
    return refuse('sweep.spec', `$.${twice[0]}: expected each value once, found one twice`)
  const beside = (['schedules', 'options', 'mutants'] as const).find((name) => spec[name] !== undefined)
  if (spec.chips !== undefined && beside !== undefined)
    return refuse(
      'sweep.spec',
      `$.${beside}: expected none with chips, because nothing is judged, found some`,
    )
  if (arithmetic !== undefined && over === undefined)
    return refuse('sweep.spec', '$.options.arithmetic: expected options.over with it, found none')
  if (explore === true && over?.some((word) => word !== 'shadow') === true)
    return refuse(
      'sweep.spec',
      '$.options.explore: expected no options.over with it, because a run is one schedule',
    )
  return E.right(spec)
}

/** The text of a document. */
export const decodeSweep = (json: string): E.Either<SpecFailure, SweepSpec> =>
  pipe(
    E.tryCatch(
      (): unknown => JSON.parse(json),
      (why) => failure('json.syntax', `not JSON: ${String(why)}`),
    ),
    E.chainW(decode(sweepWire, 'json.form')),
    E.chainW(wellSaid),
  )
