/**
 * A kernel of Triton at its levels: the module in `k.ttgir`, and what the compiler made of it in `k.ptx` beside it. `--level` says which is judged.
 *
 * | `--level` | is judged                                                                                                |
 * |-----------|----------------------------------------------------------------------------------------------------------|
 * | `auto`    | the module, and the PTX if it is there: one verdict of both (`semantics/verdict/levels.ts`)               |
 * | `ttgir`   | the module                                                                                               |
 * | `ptx`     | the PTX, launched as the module is                                                                       |
 *
 * A folder of Triton's cache has both, and `k.json` with what the compiler says of a launch; that file names the kernel too. What a command line says of statements,
 * schedules or edits of one level is said of the module, so it is judged alone, and the verdict says that.
 *
 * Laws
 * 1. Any other file, and a name of the catalogue, has one level: `auto`.
 * 2. A kernel that a level does not take is refused only if the other one is not there or does not take it either.
 */
import type { Command } from 'commander'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { failure, type Failure } from '../../failure.js'
import { own } from '../../own.js'
import type { Verdict } from '../../semantics/judging/verdict.js'
import { levelTitle } from '../../semantics/judging/level-names.js'
import { elaborated, opened, type OpenedModule } from '../launch/launched.js'
import { lowered, metadataIn, ofLowered, type Metadata } from '../launch/lowered.js'
import type { Tensor } from '../tensor-files/tensor.js'
import type { Options, World } from './command.js'
import { oneOf, refuseFlag, type FlagFailure } from './flags/choice.js'
import { launchAsked } from './flags/launch.js'
import { wordOf } from './flags/words.js'
import { atLevels, cameAs, type AtLevels, type Judged } from './judged.js'
import { isPtx, judgePtx } from './ptx.js'
import { isModule } from './subject.js'

// ---------------------------------------------------------------- what is asked

const words = ['auto', 'ttgir', 'ptx'] as const
export type LevelWord = (typeof words)[number]

export const levelOption = (command: Command): Command =>
  command.option(
    '--level <level>',
    'which form of a Triton kernel: auto (the .ttgir, and the .ptx in the same folder: one verdict), ttgir or ptx; default: auto',
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

/** The files of a kernel of Triton. */
export interface Forms {
  readonly module: string
  readonly ptx: string
  readonly metadata: Metadata | null
}

const isThere = ({ files }: World, file: string): boolean => E.isRight(files.read(file)())

/** The files that a name stands for; null: it is of no module. */
const formsOf = (world: World, name: string): Forms | null => {
  const stem = name.replace(/\.(?:ttgir|json)$/iu, '')
  if (isModule(name))
    return { module: name, ptx: `${stem}.ptx`, metadata: metadataIn(world.files)(`${stem}.json`) }
  if (stem === name) return null
  const metadata = metadataIn(world.files)(name)
  return metadata === null || !isThere(world, `${stem}.ttgir`)
    ? null
    : { module: `${stem}.ttgir`, ptx: `${stem}.ptx`, metadata }
}

/** At which levels a name is judged. */
export type Levels =
  | { readonly _tag: 'one'; readonly name: string }
  | { readonly _tag: 'module'; readonly forms: Forms; readonly level: LevelWord }

export const levelsAsked = (world: World, name: string, options: Options): E.Either<FlagFailure, Levels> =>
  pipe(
    levelAsked(options),
    E.chain((level): E.Either<FlagFailure, Levels> => {
      const forms = formsOf(world, name)
      if (forms !== null) return E.right({ _tag: 'module', forms, level })
      return level === 'auto' || (level === 'ptx' && isPtx(name))
        ? E.right({ _tag: 'one', name })
        : refuseFlag('--level', `a kernel of Triton (.ttgir, or the .json of its cache) for ${level}`, name)
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

/** Options for the PTX, launched as the module is. */
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
}

const openedFor = (world: World, { module }: Forms, options: Options): E.Either<Failure, OpenedModule> =>
  pipe(
    launchAsked(options),
    E.chainW((asking) => opened(world.files)(module, asking)),
  )

/** `keep`: options that are the same for both. */
export const asPtx = (
  world: World,
  forms: Forms,
  options: Options,
  keep: ReadonlyArray<string>,
  contents?: ReadonlyMap<string, Tensor>,
): E.Either<Failure, AsPtx> =>
  pipe(
    openedFor(world, forms, options),
    E.chain((module) => lowered(world.files, forms.module, module, forms.metadata, contents)),
    E.map(({ files, launch, isSharedGuessed }) => ({
      world: Object.assign({}, world, { files }),
      file: forms.ptx,
      options: optionsOfPtx(options, launch, keep),
      isSharedGuessed,
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

/** Why the PTX is not judged beside the module; null: it is. */
export const whyAlone = (world: World, { ptx }: Forms, options: Options): string | null => {
  const said = ofOneLevel.find(([option]) => own(options, option) !== undefined)
  if (said !== undefined) return `${said[1]} speaks of the module`
  return isThere(world, ptx) ? null : `there is no ${ptx.split(/[/\\]/u).pop() ?? ptx} in its folder`
}

/** Whether it is the module that a refusal is about: not its launch, its data or what is asked. */
export const isRefusedModule = (world: World, forms: Forms, options: Options): boolean => {
  const module = openedFor(world, forms, options)
  return E.isRight(module) && E.isLeft(elaborated(world.files)(forms.module, module.right))
}

/** Is it the module's level that cannot hold what the launch has? PTX holds tensors whose data are not given. */
const isBeyondModule = ({ code }: Failure): boolean => code === 'launch.bytes'

/** The PTX of a module, judged on its launch. */
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
    E.mapLeft(ofLowered(forms.module)),
  )

/** Both levels; Left where neither is judged. */
export const judgeBoth = (
  world: World,
  forms: Forms,
  options: Options,
  module: E.Either<Failure, Judged>,
  contents: ReadonlyMap<string, Tensor>,
): E.Either<Failure, AtLevels> => {
  const alone = whyAlone(world, forms, options)
  if (
    E.isLeft(module) &&
    (alone !== null || !(isBeyondModule(module.left) || isRefusedModule(world, forms, options)))
  )
    return module
  if (alone !== null)
    return pipe(
      module,
      E.map((one) => atLevels(one, [cameAs('ttgir', module), { _tag: 'absent', level: 'ptx', why: alone }])),
    )
  const text = judgeAsPtx(world, forms, options, E.isLeft(module) ? ['computes'] : [], contents)
  if (E.isLeft(module))
    return E.isLeft(text)
      ? E.left(
          failure(module.left.code, `${module.left.message}; ${levelTitle('ptx')}: ${text.left.message}`),
        )
      : E.right(atLevels(text.right, [cameAs('ttgir', module), cameAs('ptx', text)]))
  return E.right(atLevels(module.right, [cameAs('ttgir', module), cameAs('ptx', text)]))
}
