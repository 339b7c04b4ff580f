/**
 * A kernel at its levels: what its author's compiler has of it, and the PTX that came of it, in one folder. `--level` says which is judged.
 *
 * | `--level`        | is judged                                                                                       |
 * |------------------|-------------------------------------------------------------------------------------------------|
 * | `auto`           | the coarser form, and the PTX if it is there: one verdict of both (`semantics/verdict/levels.ts`) |
 * | `ttgir`, `jaxpr` | the coarser form                                                                                |
 * | `ptx`            | the PTX, launched as the coarser form is                                                        |
 *
 * | the coarser form             | the PTX      | its launch comes                                                              |
 * |------------------------------|--------------|-------------------------------------------------------------------------------|
 * | a module of Triton `k.ttgir` | `k.ptx`      | from that of the module (`launch/lowered.ts`), and `k.json` of Triton's cache |
 * | a jaxpr `k.jaxpr.json`       | `k.ptx`      | from `k.launch.json`, with the same tensors (`launch/given.ts`)              |
 *
 * A folder of Triton's cache has `k.json` too; that file names the kernel as well. What a command line says of statements,
 * schedules or edits of one level is said of the coarser form, so it is judged alone, and the verdict says that.
 *
 * Laws
 * 1. Any other file, and a name of the catalogue, has one level: `auto`.
 * 2. A kernel that a level does not take is refused only if the other one is not there or does not take it either.
 */
import type { Command } from 'commander'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { retold, type Failure } from '../../failure.js'
import { own } from '../../own.js'
import type { Verdict } from '../../semantics/judging/verdict.js'
import { levelTitle } from '../../semantics/judging/level-names.js'
import { elaborated, opened, type OpenedModule } from '../launch/launched.js'
import { launchGiven } from '../launch/given.js'
import { lowered, metadataIn, ofLowered, type Lowered, type Metadata } from '../launch/lowered.js'
import { documentIn, traced } from '../launch/traced.js'
import { asText } from '../tensor-files/files.js'
import type { Tensor } from '../tensor-files/tensor.js'
import type { Options, World } from './command.js'
import { oneOf, refuseFlag, type FlagFailure } from './flags/choice.js'
import { launchAsked } from './flags/launch.js'
import { wordOf } from './flags/words.js'
import { atLevels, cameAs, type AtLevels, type Judged } from './judged.js'
import { judgePtx } from './ptx.js'
import { isModule } from './subject.js'
import { languageOf } from './written-in.js'

// ---------------------------------------------------------------- what is asked

const words = ['auto', 'jaxpr', 'ttgir', 'ptx'] as const
export type LevelWord = (typeof words)[number]

export const levelOption = (command: Command): Command =>
  command.option(
    '--level <level>',
    'which form of a kernel: auto (the .ttgir or the .jaxpr.json, and the .ptx in the same folder: one verdict), ttgir, jaxpr or ptx; default: auto',
  )

const levelAsked = (options: Options): E.Either<FlagFailure, LevelWord> =>
  oneOf('--level', words)(wordOf(options, 'level') ?? 'auto')

/** What speaks of statements, runs or edits of one level. */
const ofOneLevel: ReadonlyArray<readonly [option: string, flag: string]> = [
  ['without', '--without'],
  ['mend', '--mend'],
  ['schedule', '--schedule'],
]

// ---------------------------------------------------------------- where the levels are

/** The files of a kernel. */
export type Forms = {
  /** of the coarser form */
  readonly file: string
  readonly ptx: string
} & (
  | { readonly level: 'ttgir'; readonly metadata: Metadata | null }
  /** `launch`: of the PTX */
  | { readonly level: 'jaxpr'; readonly document: unknown; readonly launch: string }
)

const isThere = ({ files }: World, file: string): boolean => E.isRight(files.read(file)())

/** A kernel that JAX traced; null: the file holds none. */
const tracedIn = ({ files }: World, file: string): unknown => {
  const read = pipe(files.read(file)(), E.chainW(asText(file)))
  return E.isLeft(read) ? null : documentIn(read.right)
}

/** The files that a name stands for; null: it has one form. */
const formsOf = (world: World, name: string): Forms | null => {
  const stem = name.replace(/\.(?:ttgir|json)$/iu, '')
  if (isModule(name))
    return {
      file: name,
      ptx: `${stem}.ptx`,
      level: 'ttgir',
      metadata: metadataIn(world.files)(`${stem}.json`),
    }
  if (stem === name) return null
  const metadata = metadataIn(world.files)(name)
  if (metadata !== null)
    return isThere(world, `${stem}.ttgir`)
      ? { file: `${stem}.ttgir`, ptx: `${stem}.ptx`, level: 'ttgir', metadata }
      : null
  const document = tracedIn(world, name)
  if (document === null) return null
  const kernel = stem.replace(/\.jaxpr$/iu, '')
  return {
    file: name,
    ptx: `${kernel}.ptx`,
    level: 'jaxpr',
    document,
    launch: `${kernel}.launch.json`,
  }
}

/** At which levels a name is judged. */
export type Levels =
  | { readonly _tag: 'one'; readonly name: string }
  | { readonly _tag: 'forms'; readonly forms: Forms; readonly level: LevelWord }

export const levelsAsked = (world: World, name: string, options: Options): E.Either<FlagFailure, Levels> =>
  pipe(
    levelAsked(options),
    E.chain((level): E.Either<FlagFailure, Levels> => {
      const forms = formsOf(world, name)
      if (forms !== null && (level === 'auto' || level === 'ptx' || level === forms.level))
        return E.right({ _tag: 'forms', forms, level })
      if (forms === null && (level === 'auto' || level === languageOf(name).level))
        return E.right({ _tag: 'one', name })
      return refuseFlag(
        '--level',
        level === 'jaxpr'
          ? 'a kernel that JAX traced (.jaxpr.json) for jaxpr'
          : level === 'ttgir'
            ? 'a kernel of Triton (.ttgir, or the .json of its cache) for ttgir'
            : 'a kernel of Triton (.ttgir, or the .json of its cache) or one that JAX traced (.jaxpr.json) for ptx',
        name,
      )
    }),
  )

// ---------------------------------------------------------------- a level at a time

/** Options of a launch, which the launch of the PTX has taken over. */
const launchers: ReadonlyArray<string> = [
  'over',
  'grid',
  'arg',
  'in',
  'out',
  'set',
  'level',
  'computes',
  'seeded',
  'arithmetic',
  'threads',
]

/** Options for the PTX, launched as the coarser form is. */
const optionsOfPtx = (options: Options, launch: string, keep: ReadonlyArray<string>): Options =>
  Object.assign(
    Object.fromEntries(
      Object.entries(options).filter(([name]) => !launchers.includes(name) || keep.includes(name)),
    ),
    { launch },
  )

/** The PTX of a module, with its launch: what a command is asked in its place. */
export interface AsPtx {
  readonly world: World
  readonly file: string
  readonly options: Options
  readonly isSharedGuessed: boolean
  readonly views: Lowered['views']
}

const openedFor = (world: World, file: string, options: Options): E.Either<Failure, OpenedModule> =>
  pipe(
    launchAsked(options),
    E.chainW((asking) => opened(world.files)(file, asking)),
  )

/** The launch of the PTX, with its files. */
const launchOf = (
  world: World,
  forms: Forms,
  options: Options,
  contents: ReadonlyMap<string, Tensor>,
): E.Either<Failure, Lowered> => {
  switch (forms.level) {
    case 'ttgir':
      return pipe(
        openedFor(world, forms.file, options),
        E.chain((module) => lowered(world.files, forms.file, module, forms.metadata, contents)),
      )
    case 'jaxpr':
      return launchGiven(world.files, forms.launch, contents)
  }
}

/** `keep`: options that are the same for both. */
export const asPtx = (
  world: World,
  forms: Forms,
  options: Options,
  keep: ReadonlyArray<string>,
  contents: ReadonlyMap<string, Tensor> = new Map(),
): E.Either<Failure, AsPtx> =>
  pipe(
    launchOf(world, forms, options, contents),
    E.map(({ files, launch, isSharedGuessed, views }) => ({
      world: Object.assign({}, world, { files }),
      file: forms.ptx,
      options: optionsOfPtx(options, launch, keep),
      isSharedGuessed,
      views,
    })),
  )

const sharedIsGuessed =
  'accesses beyond the shared memory of the launch: without the .json of Triton, a CTA has all that there can be'

/** A judged kernel, its verdict with what its launch leaves open. */
export const withGuess = <J extends { readonly verdict: Verdict }>(
  { isSharedGuessed }: AsPtx,
  judged: J,
): J =>
  isSharedGuessed
    ? Object.assign({}, judged, {
        verdict: Object.assign({}, judged.verdict, { scope: [...judged.verdict.scope, sharedIsGuessed] }),
      })
    : judged

// ---------------------------------------------------------------- both

const baseOf = (file: string): string => file.split(/[/\\]/u).pop() ?? file

/** Why the PTX is not judged beside the coarser form; null: it is. */
export const whyAlone = (world: World, forms: Forms, options: Options): string | null => {
  const said = ofOneLevel.find(([option]) => own(options, option) !== undefined)
  if (said !== undefined) return `${said[1]} refers to the ${coarseWord[forms.level]}`
  const missing = [forms.ptx, ...(forms.level === 'jaxpr' ? [forms.launch] : [])].find(
    (file) => !isThere(world, file),
  )
  if (missing === undefined) return null
  return forms.level === 'jaxpr' && missing === forms.ptx
    ? 'no PTX was given (jaxlib makes it, on a machine with a GPU)'
    : `there is no ${baseOf(missing)} in its folder`
}

const coarseWord: Readonly<Record<Forms['level'], string>> = { ttgir: 'module', jaxpr: 'jaxpr' }

/** Whether it is the coarser form that a refusal is about: not its launch, its data or what is asked. */
export const isRefusedForm = (world: World, forms: Forms, options: Options): boolean => {
  switch (forms.level) {
    case 'ttgir': {
      const module = openedFor(world, forms.file, options)
      return E.isRight(module) && E.isLeft(elaborated(world.files)(forms.file, module.right))
    }
    case 'jaxpr':
      return E.isLeft(traced(forms.document, undefined))
  }
}

/** Is it the module's level that cannot hold what the launch has? PTX holds tensors whose data are not given. */
const isBeyondModule = ({ code }: Failure): boolean => code === 'launch.bytes'

/** The PTX of a kernel, judged on its launch. */
export const judgeAsPtx = (
  world: World,
  forms: Forms,
  options: Options,
  keep: ReadonlyArray<string>,
  contents?: ReadonlyMap<string, Tensor>,
): E.Either<Failure, Judged> =>
  pipe(
    asPtx(world, forms, options, keep, contents),
    E.chain((asked) =>
      E.map((one: Judged) => withGuess(asked, one))(judgePtx(asked.world, asked.file, asked.options)),
    ),
    E.mapLeft(ofLowered(forms.file)),
  )

/** Both levels; Left where neither is judged. */
export const judgeBoth = (
  world: World,
  forms: Forms,
  options: Options,
  coarse: E.Either<Failure, Judged>,
  contents: ReadonlyMap<string, Tensor>,
): E.Either<Failure, AtLevels> => {
  const alone = whyAlone(world, forms, options)
  if (
    E.isLeft(coarse) &&
    (alone !== null || !(isBeyondModule(coarse.left) || isRefusedForm(world, forms, options)))
  )
    return coarse
  const came = cameAs(forms.level, coarse)
  if (alone !== null)
    return pipe(
      coarse,
      E.map((one) => atLevels(one, [came, { _tag: 'absent', level: 'ptx', why: alone }])),
    )
  const text = judgeAsPtx(world, forms, options, E.isLeft(coarse) ? ['computes'] : [], contents)
  if (E.isLeft(coarse))
    return E.isLeft(text)
      ? E.left(retold(coarse.left, `${coarse.left.message}; ${levelTitle('ptx')}: ${text.left.message}`))
      : E.right(atLevels(text.right, [came, cameAs('ptx', text)]))
  return E.right(atLevels(coarse.right, [came, cameAs('ptx', text)]))
}
