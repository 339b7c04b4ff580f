/**
 * Which data a check of PTX knows, and what shows a run of it.
 *
 * | asked                       | known                                                                                    |
 * |-----------------------------|------------------------------------------------------------------------------------------|
 * | `--over bits`               | all: inputs from their files, others seeded                                              |
 * | `--over shadow`             | what no input decides; of the inputs those that `--known` names                          |
 * | nothing                     | inputs from their files; of those without, nothing, unless they decide: then they are seeded |
 *
 * Where data decide, `launch/data-sets.ts` says which are tried: the first set that shows a race or a deadlock gives the verdict. A fault on data that were not
 * given is held against the kernel only if every set ends in one. `--data SET` takes one set, for `run`, `view` and `trace` too.
 *
 * A run over shadows (`numerics/shadow.ts`) stands for all contents of what it does not know. Zeros of an output are known, and so is a tensor map.
 */
import type { Command } from 'commander'
import * as E from 'fp-ts/lib/Either.js'
import { refuse } from '../../failure.js'
import { didYouMean } from '../../nearest.js'
import type { WarpArguments } from '../../semantics/execution/launch-warps.js'
import { mostWholeBytes } from '../../semantics/warps/launched.js'
import type { LaunchedPtx } from '../launch/ptx.js'
import type { Options } from './command.js'
import { refuseFlag, refuseWord, type FlagFailure } from './flags/choice.js'
import { again, wordOf, wordsOf } from './flags/words.js'
import { dataOf, dataSets, type DataSet } from '../launch/data-sets.js'
import { elementBytes } from '../launch/ptx-parameters.js'
import { own } from '../../own.js'

export const dataOptions = (command: Command): Command =>
  command
    .option(
      '--over <algebra>',
      'data of PTX: bits (inputs from files, or seeded) or shadow (without data, for all contents); default: bits for inputs that have files',
    )
    .option('--known <tensor>', 'input of PTX with known data, with --over shadow; may be repeated', again)
    .option(
      '--data <set>',
      `the data of inputs without a file, one of ${dataSets.join(', ')}; default: random; where data decide, the others too`,
    )

/** They mean nothing of what is no PTX. */
export const refuseData = (name: string, options: Options): E.Either<FlagFailure, null> =>
  refuseOf(['over', 'known', 'data'], name, options)
/** The same of what is checked, which may be on a data set. */
export const refuseAlgebra = (name: string, options: Options): E.Either<FlagFailure, null> =>
  refuseOf(['over', 'known'], name, options)

const refuseOf = (
  flags: ReadonlyArray<string>,
  name: string,
  options: Options,
): E.Either<FlagFailure, null> => {
  const flag = flags.find((said) => own(options, said) !== undefined)
  return flag === undefined
    ? E.right(null)
    : refuseFlag(`--${flag}`, 'PTX (.ptx), because other kernels take no data here', name)
}

/** Data that a run does not know. */
export interface Unknown {
  readonly tensors: ReadonlySet<string>
  /** where they decide, inputs are seeded */
  readonly orSeeded: boolean
}

/** Tensors that hold data before the launch. */
const holdsData = ({ tensors, maps = [] }: WarpArguments): ReadonlyArray<string> =>
  tensors
    .filter(
      ({ name, role, contents }) => role !== 'out' && contents !== null && !maps.some((m) => m.into === name),
    )
    .map(({ name }) => name)

/** What a check of this launch does not know; null: it is one over bits. */
export const unknownAsked = (
  options: Options,
  launched: LaunchedPtx,
): E.Either<FlagFailure, Unknown | null> => {
  const over = wordOf(options, 'over')
  const known = wordsOf(options, 'known').map((name) => launched.aliases.get(name) ?? name)
  const data = holdsData(launched.arguments)
  const without = (names: ReadonlyArray<string>, orSeeded: boolean): Unknown | null =>
    names.length === 0 ? null : { tensors: new Set(names), orSeeded }
  if (over !== null && over !== 'bits' && over !== 'shadow')
    return refuseWord('--over', ['bits', 'shadow'], over, 'bits or shadow, for PTX')
  if (known.length > 0 && over !== 'shadow')
    return refuse(
      'bad-flag',
      `--known: expected --over shadow, too, found ${over === null ? 'no --over' : '--over bits'}`,
    )
  const other = known.find((name) => !data.includes(name))
  if (other !== undefined)
    return refuse(
      'bad-flag',
      `--known: expected an input of the launch, ${data.length === 0 ? 'which has none' : data.join(', ')}, found '${other}'; ${didYouMean(data)(other)}`,
    )
  if (over === 'bits') return E.right(null)
  return E.right(
    over === 'shadow'
      ? { tensors: new Set(data.filter((name) => !known.includes(name))), orSeeded: false }
      : without(
          data.filter((name) => launched.seeded.has(name)),
          true,
        ),
  )
}

/** The data set of inputs without a file; null: none is asked for. */
export const dataAsked = (options: Options): E.Either<FlagFailure, DataSet | null> => {
  const said = wordOf(options, 'data')
  const set = dataSets.find((name) => name === said)
  return said === null
    ? E.right(null)
    : set === undefined
      ? refuseWord('--data', dataSets, said, dataSets.join(', '))
      : E.right(set)
}

/** The launch with other data in its inputs without a file. */
export const withData = (launched: LaunchedPtx, set: DataSet): LaunchedPtx =>
  set === 'random'
    ? launched
    : {
        ...launched,
        arguments: {
          ...launched.arguments,
          tensors: launched.arguments.tensors.map((t, number) => {
            const dtype = launched.seeded.get(t.name)
            return dtype === undefined || t.bytes > mostWholeBytes
              ? t
              : { ...t, contents: dataOf(set, dtype, t.bytes / elementBytes(dtype), number) }
          }),
        },
      }

/** `a, b: any data` */
export const unknownText = ({ tensors }: Unknown): string =>
  tensors.size === 0
    ? 'products without data: the verdict holds whatever they compute'
    : `${[...tensors].join(', ')} without data: the verdict holds for all contents`

/** What a verdict on seeded inputs does not speak of. */
export const otherSeeds = ({ tensors }: Unknown): string =>
  `inputs other than the seeded ones (${[...tensors].join(', ')}): control or addresses depend on data`
