/**
 * Inputs that a command line brings: `--in NAME=FILE`, of `run` and `check`.
 *
 * A run over `bits` takes all of them. A check takes them where control or addresses depend on data, and nowhere else, so that what it shows without them holds for all
 * contents (`seeded.ts`).
 */
import type { Command } from 'commander'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { Failure } from '../../failure.js'
import type { Input } from '../../kernels/catalogue/index.js'
import { readTensor } from '../tensor-files/tensor-file.js'
import type { Tensor } from '../tensor-files/tensor.js'
import type { Options, World } from './command.js'
import { inputBindings, parseBindings, type Binding } from './flags/binding.js'
import { wordsOf } from './flags/words.js'

/** A tensor, and what it is by its file. */
export interface Brought {
  readonly tensor: Tensor
  readonly input: Input
}

export const inputOptions = (command: Command): Command =>
  command
    .option(
      '--in <name=file...>',
      'inputs from .npy, .npz or .safetensors files (name:bf16=file for what npy has no type for; FILE:NAME for one of several), or one file of them all',
    )
    .option('--no-seeded', 'refuse an input without a file instead of seeding it')

export const readInputs = (
  world: World,
  ins: ReadonlyArray<Binding>,
): E.Either<Failure, ReadonlyMap<string, Brought>> => {
  const read = new Map<string, Brought>()
  for (const b of ins) {
    const tensor = readTensor(world.files)(b.file, b.dtype, b.name)()
    if (E.isLeft(tensor)) return tensor
    const { dtype, shape } = tensor.right
    read.set(b.name, { tensor: tensor.right, input: { name: b.name, source: b.file, dtype, shape } })
  }
  return E.right(read)
}

/** The words of `--in`, read. */
export const inputsBrought = (
  world: World,
  options: Options,
): E.Either<Failure, ReadonlyMap<string, Brought>> =>
  pipe(
    parseBindings('--in')(wordsOf(options, 'in')),
    E.chainW(inputBindings(world.files)),
    E.chain((ins) => readInputs(world, ins)),
  )

/** The tensors alone. */
export const tensorsOfBrought = (brought: ReadonlyMap<string, Brought>): ReadonlyMap<string, Tensor> =>
  new Map([...brought].map(([name, { tensor }]) => [name, tensor] as const))
