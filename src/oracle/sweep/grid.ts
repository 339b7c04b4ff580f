/**
 * The grid of a sweep: its cases, and its points in their order.
 *
 * | crossed, the last one fastest                                         | of                          |
 * |-----------------------------------------------------------------------|-----------------------------|
 * | subjects                                                              |                             |
 * | values of the settings that the kernel knows                          | a kernel                    |
 * | launches, grids, words for arguments                                  | a module                    |
 * | schedules, strict, strictProxies, tensorPipe, over, arithmetic         | the subject as it is        |
 * | mutants, in the order of `tcspec mutate`                              | where mutants are asked for |
 *
 * What a kernel refuses is a point all the same: its answer is the refusal. A subject that is not there, and a setting that no kernel of the sweep
 * knows, are mistakes of the document and refused before the first point.
 *
 * A point has a *key*, which is a command line that asks it again, and a hash of the key and of all files that its subject reads. A grid has a hash of
 * the document and of all files: two grids with one hash have the same points, and the same answers if the library is the same.
 *
 *     check hopper-matmul --set k=128 stages=2 --schedule lazy --strict
 *     mutate queue --mutant 'DROP | producer / i / wait consumed | left out'
 *
 * Laws
 * 1. The grid follows from the document and the files that it names.
 * 2. Keys are different.
 */
import * as E from 'fp-ts/lib/Either.js'
import type { IOEither } from 'fp-ts/lib/IOEither.js'
import { pipe } from 'fp-ts/lib/function.js'
import { failure, refuse, type Failure } from '../../failure.js'
import { kernelNamed, kernels, isOfZoo, type Kernel } from '../../kernels/catalogue/index.js'
import { classes, operators } from '../../semantics/mutation/index.js'
import { thousands } from '../../render/table.js'
import type { World } from '../cli/command.js'
import { parseArithmetic, parseOver, parseSchedule, parseTensorPipe } from '../cli/flags/machine.js'
import { runningSubject } from '../cli/running.js'
import { languageOf } from '../cli/written-in.js'
import { sha256 } from '../sha256.js'
import type { FileFailure, Files } from '../tensor-files/files.js'
import { everyKernel, type SettingLists, type SweepSpec, type SweptSubject } from './spec.js'
import type { Case, FlagValue } from './model.js'
import { mutantsOfCase, wordsOfCase } from './work.js'
import { own } from '../../own.js'

// ---------------------------------------------------------------- model

export interface Point {
  readonly case: number
  readonly mutant: number | null
  /** the subject, as the document names it */
  readonly subject: string
  /** the command line that asks it again */
  readonly key: string
  readonly hash: string
}

export interface Grid {
  readonly cases: ReadonlyArray<Case>
  readonly points: ReadonlyArray<Point>
  /** of every file that a point reads, its SHA-256 */
  readonly files: Readonly<Record<string, string>>
  readonly hash: string
}

/** Points of a grid, but for mutants: more are a mistake of the document. */
export const mostPoints = 1_000_000

// ---------------------------------------------------------------- files

/** Files beside a document: what is read is named as the document names it. */
export const besideDocument = (directory: string, files: Files): Files => {
  if (directory === '') return files
  const place = (file: string): string => (/^([/\\]|[A-Za-z]:)/.test(file) ? file : `${directory}${file}`)
  const named =
    (file: string) =>
    (f: FileFailure): FileFailure =>
      failure(f.code, f.message.split(place(file)).join(file))
  const under =
    <A>(of: (file: string) => IOEither<FileFailure, A>) =>
    (file: string): IOEither<FileFailure, A> =>
    () =>
      pipe(of(place(file))(), E.mapLeft(named(file)))
  return {
    read: under(files.read),
    destination: under(files.destination),
    write: (outputs) => files.write(outputs.map(({ file, bytes }) => ({ file: place(file), bytes }))),
  }
}

/** What has been read, by name: in `read`. */
const noting = (files: Files, read: Map<string, string>): Files => ({
  ...files,
  read: (file) => () =>
    pipe(
      files.read(file)(),
      E.map((bytes) => {
        if (!read.has(file)) read.set(file, sha256(bytes))
        return bytes
      }),
    ),
})

// ---------------------------------------------------------------- crossing

type Row = Readonly<Record<string, string>>

const tooMany = (found: number): Failure =>
  failure(
    'sweep.size',
    `expected a grid of at most ${thousands(mostPoints)} points, found one of ${thousands(found)} or more`,
  )

/** Every choice of a value for each name, the last name fastest; Left before there are too many. */
const crossed = (
  lists: ReadonlyArray<readonly [name: string, values: ReadonlyArray<string>]>,
): E.Either<Failure, ReadonlyArray<Row>> => {
  const count = lists.reduce((n, [, values]) => n * values.length, 1)
  return count > mostPoints
    ? E.left(tooMany(count))
    : E.right(
        lists.reduce<ReadonlyArray<Row>>(
          (rows, [name, values]) => rows.flatMap((row) => values.map((value) => ({ ...row, [name]: value }))),
          [{}],
        ),
      )
}

const pairs = (row: Row): ReadonlyArray<string> =>
  Object.entries(row).map(([name, value]) => `${name}=${value}`)

type CaseOptions = Case['options']
const flag = (name: string, value: FlagValue | undefined): CaseOptions =>
  value === undefined || value === '' || (Array.isArray(value) && value.length === 0) ? {} : { [name]: value }

const words = (values: ReadonlyArray<boolean> | undefined): ReadonlyArray<string> =>
  (values ?? [false]).map((value) => (value ? 'true' : ''))

/** Left where a word is none of its flag: it is so at every point, and no matter of a subject. */
const wordsFit = ({ schedules = [], options = {} }: SweepSpec): E.Either<Failure, null> => {
  const { tensorPipe = [], over = [], arithmetic = [] } = options
  const parsed: ReadonlyArray<E.Either<Failure, unknown>> = [
    ...schedules.map(parseSchedule),
    ...tensorPipe.map(parseTensorPipe),
    ...over.filter((word) => word !== 'shadow').map(parseOver),
    ...arithmetic.map(parseArithmetic),
  ]
  return parsed.find(E.isLeft) ?? E.right(null)
}

/** How a subject is judged as it is: one row of flags a point. */
const ways = (spec: SweepSpec): E.Either<Failure, ReadonlyArray<CaseOptions>> => {
  const { schedules, options = {}, chips } = spec
  if (chips !== undefined) return E.right(chips.map((chip) => ({ chip })))
  return pipe(
    wordsFit(spec),
    E.chain(() =>
      crossed([
        ['schedule', schedules ?? ['']],
        ['strict', words(options.strict)],
        ['strictProxies', words(options.strictProxies)],
        ['tensorPipe', options.tensorPipe ?? ['']],
        ['over', options.over ?? ['']],
        ['arithmetic', options.arithmetic ?? ['']],
      ]),
    ),
    E.map((rows) =>
      rows.map((row) => ({
        ...flag('schedule', row['schedule']),
        ...(row['strict'] === 'true' ? { strict: true } : {}),
        ...(row['strictProxies'] === 'true' ? { strictProxies: true } : {}),
        ...flag('tensorPipe', row['tensorPipe']),
        ...flag('over', row['over']),
        ...flag('arithmetic', row['arithmetic']),
        ...(options.explore === true ? { explore: true } : {}),
        ...flag('fuel', options.fuel?.toString()),
      })),
    ),
  )
}

// ---------------------------------------------------------------- subjects

/** A subject and the settings or launches that it is judged at. */
interface Placed {
  readonly name: string
  readonly at: ReadonlyArray<CaseOptions>
}

const texts = (lists: SettingLists): ReadonlyArray<readonly [string, ReadonlyArray<string>]> =>
  Object.entries(lists).map(([name, values]) => [name, values.map(String)])

const specFailure = (text: string): E.Either<Failure, never> => refuse('sweep.spec', text)

const kernelPlaced = (
  kernel: Kernel,
  given: SettingLists,
  { settings = {} }: SweptSubject,
): E.Either<Failure, Placed> => {
  const known = kernel.parameters.map((p) => p.name)
  const unknown = Object.keys(settings).find((name) => !known.includes(name))
  if (unknown !== undefined)
    return specFailure(
      `${kernel.name}: expected a setting of ${known.join(', ') || 'none, because it has no settings'}, found '${unknown}'`,
    )
  const lists = Object.fromEntries(
    Object.entries({ ...given, ...settings }).filter(([name]) => known.includes(name)),
  )
  return pipe(
    crossed(texts(lists)),
    E.map((rows) => ({ name: kernel.name, at: rows.map((row) => flag('set', pairs(row))) })),
  )
}

const filePlaced = (files: Files, s: SweptSubject): E.Either<Failure, Placed> => {
  const { name, settings, launch, grid, args, computes, known } = s
  if (settings !== undefined)
    return specFailure(`${name}: expected no settings, because it is a file; found some`)
  if (!languageOf(name).isLaunched && [launch, grid, args, computes].some((x) => x !== undefined))
    return specFailure(`${name}: expected a module (.ttgir, .ptx), which is launched, found another file`)
  if (!languageOf(name).takesKnown && known !== undefined)
    return specFailure(`${name}: known data are for PTX (.ptx) only, found another file`)
  return pipe(
    [name, ...(launch ?? [])],
    E.traverseArray((file) => files.read(file)()),
    E.chain(() =>
      crossed([
        ['launch', launch ?? ['']],
        ['grid', grid ?? ['']],
        ...Object.entries(args ?? {}).map(([arg, values]) => [`arg ${arg}`, values] as const),
      ]),
    ),
    E.map((rows) => ({
      name,
      at: rows.map((row) => ({
        ...flag('launch', row['launch']),
        ...flag('grid', row['grid']),
        ...flag(
          'arg',
          Object.keys(args ?? {}).map((arg) => `${arg}=${own(row, `arg ${arg}`) ?? ''}`),
        ),
        ...flag('computes', computes),
        ...flag('known', known),
      })),
    })),
  )
}

const isFile = (name: string): boolean => !isOfZoo(name) && (name.includes('/') || name.includes('.'))

const placed = (
  files: Files,
  spec: SweepSpec,
  said: string | SweptSubject,
): E.Either<Failure, ReadonlyArray<Placed>> => {
  const s: SweptSubject = typeof said === 'string' ? { name: said } : said
  const given = spec.settings ?? {}
  if (isFile(s.name))
    return pipe(
      filePlaced(files, s),
      E.map((one) => [one]),
    )
  const meaningless = (['launch', 'grid', 'args', 'computes', 'known'] as const).find(
    (of) => s[of] !== undefined,
  )
  if (meaningless !== undefined)
    return specFailure(`${s.name}: expected ${meaningless} of a module (.ttgir, .ptx), found it of a kernel`)
  if (s.name === everyKernel)
    return pipe(
      kernels,
      E.traverseArray((kernel) => kernelPlaced(kernel, { ...given, ...s.settings }, { name: kernel.name })),
    )
  return pipe(
    kernelNamed(s.name),
    E.chainW((kernel) => kernelPlaced(kernel, given, s)),
    E.map((one) => [one]),
  )
}

/** A setting of the document that no kernel of it knows. */
const unknownSetting = (spec: SweepSpec, subjects: ReadonlyArray<Placed>): string | null => {
  const known = new Set(
    subjects.flatMap(({ name }) => {
      const kernel = isFile(name) ? null : kernelNamed(name)
      return kernel === null || E.isLeft(kernel) ? [] : kernel.right.parameters.map((p) => p.name)
    }),
  )
  return Object.keys(spec.settings ?? {}).find((name) => !known.has(name)) ?? null
}

// ---------------------------------------------------------------- the grid

const bare = /^[\w@%+=:,./-]+$/
/** As a shell takes it. */
const quoted = (word: string): string => (bare.test(word) ? word : `'${word.split("'").join(`'\\''`)}'`)
const keyOf = (of: Case): string => wordsOfCase(of).map(quoted).join(' ')

/** A check, where the language takes known data: it knows no data but those that are said. */
const isShadow = (how: CaseOptions): boolean => how['over'] === 'shadow'
const withoutKnown = (where: CaseOptions): CaseOptions =>
  Object.fromEntries(Object.entries(where).filter(([name]) => name !== 'known'))

/** The files that a subject reads, read. */
const readBy = (world: World, { name, options }: Case): void => {
  runningSubject(world, name, options)
}

/** The grid of a document; files as the document names them. */
export const gridOf = (world: World, spec: SweepSpec): E.Either<Failure, Grid> => {
  const all = new Map<string, string>()
  const everything = noting(world.files, all)
  const subjects = pipe(
    spec.subjects,
    E.traverseArray((s) => placed(everything, spec, s)),
    E.map((lists) => lists.flat()),
  )
  if (E.isLeft(subjects)) return subjects
  const unknown = unknownSetting(spec, subjects.right)
  if (unknown !== null)
    return specFailure(
      `$.settings.${unknown}: expected a setting of a kernel of this sweep, found none that has it`,
    )
  const mutants = spec.mutants ?? ['none']
  const how = mutants.includes('none') ? ways(spec) : E.right([])
  if (E.isLeft(how)) return how
  const asIs = how.right
  const count = subjects.right.reduce((n, { at }) => n + at.length * (asIs.length + 1), 0)
  if (count > mostPoints) return E.left(tooMany(count))
  const wanted: CaseOptions = {
    ...flag(
      'class',
      classes.filter((c) => mutants.includes(c)),
    ),
    ...flag(
      'operator',
      operators.filter((o) => mutants.includes(o)),
    ),
    ...flag('fuel', spec.options?.fuel?.toString()),
  }
  const schedules = (spec.schedules ?? []).flatMap((s) => /^recorded:(.+)$/s.exec(s)?.[1] ?? [])
  const recorded = pipe(
    schedules,
    E.traverseArray((file) => everything.read(file)()),
  )
  if (E.isLeft(recorded)) return recorded

  const cases: Case[] = []
  const points: Point[] = []
  const add = (
    of: Case,
    keys: ReadonlyArray<readonly [number | null, string]>,
    read: ReadonlyMap<string, string>,
  ): void => {
    const files = [...read].map(([file, hash]) => `${file} ${hash}`).sort()
    for (const [mutant, key] of keys)
      points.push({
        case: cases.length,
        mutant,
        subject: of.name,
        key,
        hash: sha256([key, ...files].join('\n')).slice(0, 16),
      })
    cases.push(of)
  }
  for (const { name, at } of subjects.right)
    for (const where of at) {
      const read = new Map([...all].filter(([file]) => schedules.includes(file)))
      const noted = { ...world, files: noting(everything, read) }
      if (isFile(name)) readBy(noted, { command: 'check', name, options: where })
      for (const how of asIs) {
        const of: Case = {
          command:
            spec.chips !== undefined
              ? 'time'
              : 'over' in how && !(languageOf(name).takesKnown && isShadow(how))
                ? 'run'
                : 'check',
          name,
          options: isShadow(how) ? { ...where, ...how } : { ...withoutKnown(where), ...how },
        }
        add(of, [[null, keyOf(of)]], read)
      }
      if (mutants.every((m) => m === 'none')) continue
      const of: Case = { command: 'mutate', name, options: { ...withoutKnown(where), ...wanted } }
      const found = mutantsOfCase(noted, of)
      add(
        of,
        E.isLeft(found)
          ? [[null, keyOf(of)]]
          : found.right.keys.map((key, k) => [
              k,
              keyOf({
                command: 'mutate',
                name,
                options: { ...withoutKnown(where), ...flag('fuel', wanted['fuel']), mutant: key },
              }),
            ]),
        read,
      )
    }
  const seen = new Set<string>()
  const twice = points.find(({ key }) => seen.size === seen.add(key).size)
  if (twice !== undefined) return specFailure(`expected each point once, found '${twice.key}' twice`)
  const files = Object.fromEntries([...all].sort(([a], [b]) => (a < b ? -1 : 1)))
  return E.right({ cases, points, files, hash: sha256(JSON.stringify([spec, files])) })
}
