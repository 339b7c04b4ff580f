/**
 * The catalogue: every kernel of the house by name, with the settings it takes.
 *
 * A kernel here is a record: what its settings are called and mean, which axis of which input gives which size, and a function from
 * whatever was given to an *instance* (the program, and the value of every setting). What is not given is chosen:
 *
 * | given             | sizes           | tiles and stages chosen                                          |
 * |-------------------|-----------------|------------------------------------------------------------------|
 * | nothing           | 256 x 256 x 576 | 128 x 128 x 64, 4 stages: nine k steps, so every slot is refilled |
 * | k=192             | 256 x 256 x 192 | 128 x 128 x 64, 4 stages: three k steps, one slot stays empty     |
 * | m=192 n=80        | 192 x 80 x 576  | 64 x 80 x 64: the largest legal divisors below the defaults       |
 * | a.npy of (64, 96) | 64 x 256 x 96   | 64 x 128 x 48                                                    |
 * | m=100             |                 | refused: no legal tile divides 100                               |
 * | m=192 tileM=128   |                 | refused: 64 and 192 would do                                     |
 *
 * A default shrinks to fit; a value that was given is used or refused, never replaced.
 *
 * Laws
 * 1. An instance's settings are complete: each parameter has a value, and building from them gives the same program.
 * 2. What was given appears in the instance unchanged.
 * 3. A default tile is the largest legal tile that divides its size and is no larger than the catalogue's default.
 * 4. Every refusal is one line that names the setting or the file, what was expected, and what was found.
 *
 * To add a kernel: a record in the module of its family (`hopper.ts`, `blackwell.ts`), and its place in `kernels`.
 */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { refuse, type Failure } from '../../failure.js'
import { didYouMean } from '../../nearest.js'
import { foreign } from '../broken/foreign/index.js'
import { programName, zoo, type Twin } from '../broken/zoo/index.js'
import { laneTwins, type LaneTwin } from '../broken/zoo/lanes.js'
import {
  matmul0Kernel,
  matmul1Kernel,
  matmul2Kernel,
  matmul3Kernel,
  matmul4Kernel,
  matmul5Kernel,
  matmul6Kernel,
  printedKernels,
} from './blackwell.js'
import { matmulDynamicKernel, matmulMxfp8Kernel } from './beyond.js'
import {
  hopperFp8Kernel,
  hopperMatmulKernel,
  hopperPersistentKernel,
  hopperPingPongKernel,
  hopperPipelineWsKernel,
  hopperPipelinedKernel,
  hopperS8Kernel,
  hopperWsKernel,
  printedWgmmaLoopKernel,
  wgmmaLoopKernel,
} from './hopper.js'
import { fa3AttentionKernel, fa4AttentionKernel } from './attention.js'
import type { Kernel } from './model.js'
import { kvPipeline } from './kv-pipeline.js'
import { queueKernel } from './queue.js'

export type {
  Expects,
  Input,
  Instance,
  Kernel,
  Near,
  Parameter,
  Settings,
  SettingValue,
  TensorRole,
} from './model.js'
import { isOfZoo } from '../zoo-name.js'

export { isOfZoo }
export { cutDownTo, followedAt, judgedAt } from './cut-down.js'
export { instanceOf, settingsOf } from './settings.js'

// ---------------------------------------------------------------- the list

export const kernels: ReadonlyArray<Kernel> = [
  hopperMatmulKernel,
  hopperFp8Kernel,
  hopperPersistentKernel,
  hopperPingPongKernel,
  hopperPipelineWsKernel,
  hopperPipelinedKernel,
  hopperS8Kernel,
  hopperWsKernel,
  matmul0Kernel,
  matmul1Kernel,
  matmul2Kernel,
  matmul3Kernel,
  matmul4Kernel,
  matmul5Kernel,
  matmul6Kernel,
  matmulDynamicKernel,
  matmulMxfp8Kernel,
  fa4AttentionKernel,
  kvPipeline,
  queueKernel,
  wgmmaLoopKernel,
  fa3AttentionKernel,
]

/** Twins of the zoo stand beside the kernels: `zoo/R1` has the hazard, `zoo/R1-fixed` has not. They take no settings. */
const twinKernel = ({ title, fix, program }: Twin, name: string, fixed: boolean): Kernel => ({
  name,
  summary: fixed ? fix : title,
  parameters: [],
  tensors: [],
  dtype: '',
  make: () =>
    pipe(
      program(fixed),
      E.map((made) => ({ kernel: name, settings: {}, program: made })),
    ),
})

/** Those of lanes are PTX, and no program of the core: their name says what they are, and who makes them is told where they run. */
const laneKernel = ({ title, fix }: LaneTwin, name: string, fixed: boolean): Kernel => ({
  name,
  summary: fixed ? fix : title,
  parameters: [],
  tensors: [],
  dtype: '',
  make: () =>
    refuse(
      'kernel.ptx',
      `${name}: expected a kernel of the core, found PTX; check, run, view and trace take it: tcspec check ${name}`,
    ),
})

const pairOf =
  <T extends Pick<Twin, 'path'>>(make: (twin: T, name: string, fixed: boolean) => Kernel) =>
  (twin: T): ReadonlyArray<Kernel> =>
    [false, true].map((fixed) => make(twin, programName(twin, fixed), fixed))

const zooKernels: ReadonlyArray<Kernel> = [
  ...[...zoo, ...foreign].flatMap(pairOf(twinKernel)),
  ...laneTwins.flatMap(pairOf(laneKernel)),
]

const ofZoo: ReadonlyArray<Kernel> = [...printedKernels, printedWgmmaLoopKernel, ...zooKernels]

/** The kernels whose names begin with this and a slash: `zoo`, `foreign`, `printed`; none of another one. */
export const kernelsOf = (folder: string): ReadonlyArray<Kernel> =>
  ofZoo.filter(({ name }) => name.startsWith(`${folder}/`))

/**
 * The kernel of this name, of the catalogue or of the zoo; an unknown one is refused with the most similar.
 *
 * @example
 * ```ts
 * import { kernelNamed } from 'tensorcore-spec/kernels'
 *
 * const kernel = kernelNamed('hopper-matmul')
 * console.log(kernel._tag === 'Right' ? kernel.right.tensors.map((t) => t.name).join(' ') : kernel.left.message) // a b out
 * ```
 */
export const kernelNamed = (name: string): E.Either<Failure<'kernel.unknown'>, Kernel> => {
  const kernel = [...kernels, ...ofZoo].find((k) => k.name === name)
  if (kernel !== undefined) return E.right(kernel)
  const folder = name.replace(/\/$/u, '')
  return refuse(
    'kernel.unknown',
    kernelsOf(folder).length > 0
      ? `'${name}' names several kernels; \`tcspec kernels ${folder}/\` lists them`
      : `no kernel named '${name}'; ${didYouMean((isOfZoo(name) ? ofZoo : kernels).map((k) => k.name))(name)} \`tcspec kernels\` lists all names.`,
  )
}
