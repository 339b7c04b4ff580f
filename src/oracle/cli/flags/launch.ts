/**
 * The flags of a launch: what a module does not say of its arguments.
 *
 * | flag          | values                                                                            |
 * |---------------|-----------------------------------------------------------------------------------|
 * | `--grid`      | `4,4`: programs along x, y, z                                                     |
 * | `--arg`       | `a=a.npy`, `c=f16[128,128]:out`, `M=128` (`launch/words.ts`)                       |
 * | `--launch`    | a launch file (`launch/file.ts`); flags stand in the place of what it says        |
 * | `--computes`  | `matmul:a,b,c`: c = a @ b; `matmul:a,b.T,c`: c = a @ b.T; `copy:a,b`: b = a        |
 *
 * Of PTX, whose text says less:
 *
 * | flag          | values                                                                            |
 * |---------------|-----------------------------------------------------------------------------------|
 * | `--grid`      | `4,4`: CTAs along x, y, z; `4,4:guess` marks a guess                              |
 * | `--block`     | `128`, `128:guess`: threads along x, y, z; without it, those that the entry asks for |
 * | `--cluster`   | `2`: CTAs of a cluster along x, y, z                                              |
 * | `--shared`    | `49152`, `49152:guess`: bytes of dynamic shared memory                            |
 * | `--entry`     | the entry, where the module has several                                           |
 * | `--arg`       | `0=a.npy`, `n=128`, `map=a.npy:block=64,32` (`launch/ptx-words.ts`)                |
 *
 * Law 1. Each argument appears once.
 */
import type { Command } from 'commander'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { Asking } from '../../launch/launched.js'
import { markIn } from '../../launch/guess-mark.js'
import type { AskingPtx, GuessedOfLaunch } from '../../launch/ptx.js'
import type { Options } from '../command.js'
import { refuseFlag, type FlagFailure } from './choice.js'
import { numberIn } from './number.js'
import { parseShape } from './shape.js'
import { wordOf, wordsOf } from './words.js'
import { own } from '../../../own.js'

export const launchOptions = (command: Command): Command =>
  command
    .option(
      '--launch <file>',
      'launch of a module or PTX as JSON (tcspec.launch/1, tcspec.ptx-launch/1); its tensors are files in the same folder',
    )
    .option('--grid <x,y,z>', 'grid of a module or PTX: programs (CTAs) along each axis')
    .option(
      '--arg <name=value...>',
      'kernel argument by name: a=a.npy, c=f16[128,128]:out, M=128; PTX also by position: 0=a.npy, 0=a.npy:block=64,32 (tensor map); without --arg, lists what the kernel expects',
    )
    .option('--block <x,y,z>', 'block of PTX: threads along each axis')
    .option('--cluster <x,y,z>', 'cluster of PTX: CTAs along each axis')
    .option('--shared <bytes>', 'dynamic shared memory of PTX')
    .option('--entry <name>', 'kernel to take, if a PTX module has several')
    .option(
      '--computes <what>',
      'claim to prove about a module or PTX: matmul:a,b,c for c = a @ b (b.T for a transpose), gemm:a,b,d for the same with an epilogue, or copy:a,b',
    )

const parseArgument = (text: string): E.Either<FlagFailure, readonly [string, string]> => {
  const m = /^([\w$%.+]+)=(.+)$/s.exec(text)
  return m === null
    ? refuseFlag('--arg', 'name=value, such as a=a.npy, c=f16[128,128]:out or M=128', text)
    : E.right([m[1]!, m[2]!])
}

const shapeIn = (name: string, text: string | null): E.Either<FlagFailure, ReadonlyArray<number> | null> => {
  if (text === null) return E.right(null)
  const shape = parseShape(`--${name}`)(text)
  return E.isLeft(shape) || shape.right.length > 3
    ? refuseFlag(`--${name}`, 'one to three positive extents of at most nine digits, such as 4,2', text)
    : shape
}

const shapeAsked = (options: Options, name: string): E.Either<FlagFailure, ReadonlyArray<number> | null> =>
  shapeIn(name, wordOf(options, name))

/** `128`, or `128:guess`. */
const marked = (
  options: Options,
  name: GuessedOfLaunch,
): { readonly text: string | null; readonly guess: boolean } => {
  const said = wordOf(options, name)
  return said === null ? { text: null, guess: false } : markIn(said)
}

const mayBeGuessed: ReadonlyArray<GuessedOfLaunch> = ['grid', 'block', 'shared']

const argumentsAsked = (options: Options): E.Either<FlagFailure, ReadonlyArray<readonly [string, string]>> =>
  pipe(
    wordsOf(options, 'arg'),
    E.traverseArray(parseArgument),
    E.chain((args) => {
      const twice = args.find(([name], i) => args.findIndex(([other]) => other === name) < i)
      return twice === undefined
        ? E.right(args)
        : refuseFlag('--arg', 'each argument once', `${twice[0]} twice`)
    }),
  )

/** What is a matter of PTX alone. */
const ofPtx: ReadonlyArray<string> = ['block', 'cluster', 'shared', 'entry']

export const launchAsked = (options: Options): E.Either<FlagFailure, Asking> => {
  const [launch, computes] = ['launch', 'computes'].map((name) => wordOf(options, name))
  const other = ofPtx.find((name) => own(options, name) !== undefined)
  if (other !== undefined)
    return refuseFlag(`--${other}`, 'a module of PTX (.ptx)', wordOf(options, other) ?? '')
  return pipe(
    E.Do,
    E.bindW('grid', () => shapeAsked(options, 'grid')),
    E.bindW('args', () => argumentsAsked(options)),
    E.map(({ grid, args }) => ({
      args,
      ...(grid === null ? {} : { grid }),
      ...(launch == null ? {} : { launch }),
      ...(computes == null ? {} : { computes }),
    })),
  )
}

/** The launch of a module of PTX. */
export const ptxLaunchAsked = (options: Options): E.Either<FlagFailure, AskingPtx> => {
  const [launch, entry, computes] = ['launch', 'entry', 'computes'].map((name) => wordOf(options, name))
  return pipe(
    E.Do,
    E.bindW('grid', () => shapeIn('grid', marked(options, 'grid').text)),
    E.bindW('block', () => shapeIn('block', marked(options, 'block').text)),
    E.bindW('cluster', () => shapeAsked(options, 'cluster')),
    E.bindW('shared', () => numberIn('shared', marked(options, 'shared').text, -1)),
    E.bindW('args', () => argumentsAsked(options)),
    E.map(({ grid, block, cluster, shared, args }) => ({
      args,
      ...(grid === null ? {} : { grid }),
      ...(block === null ? {} : { block }),
      guessed: mayBeGuessed.filter((name) => marked(options, name).guess),
      ...(cluster === null ? {} : { cluster }),
      ...(shared < 0 ? {} : { shared }),
      ...(launch == null ? {} : { launch }),
      ...(entry == null ? {} : { entry }),
      ...(computes == null ? {} : { computes }),
    })),
  )
}
