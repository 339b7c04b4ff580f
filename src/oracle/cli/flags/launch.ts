/**
 * The flags of a launch: what a module does not say of its arguments.
 *
 * | flag          | values                                                                            |
 * |---------------|-----------------------------------------------------------------------------------|
 * | `--grid`      | `4,4`: programs along x, y, z                                                     |
 * | `--arg`       | `a=a.npy`, `c=f16[128,128]:out`, `M=128` (`launch/words.ts`)                       |
 * | `--launch`    | a launch file (`launch/file.ts`); flags stand in the place of what it says        |
 * | `--computes`  | `matmul:a,b,c`: c = a @ b; `copy:a,b`: b = a                                       |
 *
 * Law 1. Each argument appears once.
 */
import type { Command } from 'commander'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { Asking } from '../../launch/launched.js'
import type { Options } from '../command.js'
import { refuseFlag, type FlagFailure } from './choice.js'
import { parseShape } from './shape.js'
import { wordOf, wordsOf } from './words.js'

export const launchOptions = (command: Command): Command =>
  command
    .option(
      '--launch <file>',
      'of a module: its launch as JSON (tcspec.launch/1), tensors in files beside it',
    )
    .option('--grid <x,y,z>', 'of a module: programs along each axis')
    .option(
      '--arg <name=value...>',
      'of a module: a=a.npy, c=f16[128,128]:out, M=128; without any, they are listed',
    )
    .option('--computes <what>', 'of a module: what is to be proved, matmul:a,b,c for c = a @ b, or copy:a,b')

const parseArgument = (text: string): E.Either<FlagFailure, readonly [string, string]> => {
  const m = /^([A-Za-z_]\w*)=(.+)$/s.exec(text)
  return m === null
    ? refuseFlag('--arg', 'name=value, such as a=a.npy, c=f16[128,128]:out or M=128', text)
    : E.right([m[1]!, m[2]!])
}

export const launchAsked = (options: Options): E.Either<FlagFailure, Asking> => {
  const [grid, launch, computes] = ['grid', 'launch', 'computes'].map((name) => wordOf(options, name))
  return pipe(
    E.Do,
    E.bindW('grid', () => (grid == null ? E.right(null) : parseShape('--grid')(grid))),
    E.bindW('args', () => pipe(wordsOf(options, 'arg'), E.traverseArray(parseArgument))),
    E.chain(({ grid: extents, args }) => {
      const twice = args.find(([name], i) => args.findIndex(([other]) => other === name) < i)
      if (twice !== undefined) return refuseFlag('--arg', 'each argument once', `${twice[0]} twice`)
      return E.right({
        args,
        ...(extents === null ? {} : { grid: extents }),
        ...(launch == null ? {} : { launch }),
        ...(computes == null ? {} : { computes }),
      })
    }),
  )
}
