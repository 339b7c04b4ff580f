/** The Hopper kernels by name. */
import type * as E from 'fp-ts/lib/Either.js'
import type { Failure } from '../../failure.js'
import type { Program } from '../../semantics/language/program.js'
import { brokenWgmmaLoop } from '../broken/wgmma-loop.js'
import { hopperFp8, type HopperFp8 } from '../hopper/hopper-fp8.js'
import { hopperMatmul } from '../hopper/hopper-matmul.js'
import { hopperPersistent, type HopperPersistent } from '../hopper/hopper-persistent.js'
import { hopperPingPong, type HopperPingPong } from '../hopper/hopper-ping-pong.js'
import { hopperPipelineWs } from '../hopper/hopper-pipeline-ws.js'
import { hopperPipelined } from '../hopper/hopper-pipelined.js'
import { hopperS8, type Byte, type HopperS8 } from '../hopper/hopper-s8.js'
import { hopperWs } from '../hopper/hopper-ws.js'
import type { Persistent } from '../hopper/tile-order.js'
import type { HalvedTiles } from '../hopper/tiles.js'
import { wgmmaLoop, type WgmmaLoop } from '../hopper/wgmma-loop.js'
import { count, flag, integerOr, size, word, type Kernel, type Parameter, type Settings } from './model.js'
import {
  eightBitParameters,
  eightBitsOf,
  makeTiled,
  tiledRecord,
  tiledTensors,
  type Cut,
  type Shape,
} from './tiles.js'
import { own } from '../../own.js'

const wgmmaCuts: readonly [Cut, Cut, Cut] = [
  { size: 'm', tile: 'tileM', unit: 64, because: 'the rows of one wgmma', most: Infinity, default: 128 },
  { size: 'n', tile: 'tileN', unit: 16, because: 'a row of the narrowest swizzle', most: 256, default: 128 },
  { size: 'k', tile: 'tileK', unit: 16, because: 'the k of one wgmma', most: Infinity, default: 64 },
]

const wgmmaParameters = (shape: Shape): ReadonlyArray<Parameter> => [
  size('m', shape.sizes[0], 'rows of a and out'),
  size('n', shape.sizes[1], 'columns of b and out'),
  size('k', shape.sizes[2], 'columns of a, rows of b'),
  size('tileM', 128, 'rows of out that a block computes: a multiple of 64 that divides m'),
  size('tileN', 128, 'columns of out that a block computes: a multiple of 16 up to 256 that divides n'),
  size('tileK', 64, 'depth of one slot of the ring: a multiple of 16 that divides k'),
  count('stages', shape.stages, 'slots', 'slots of the ring in shared memory'),
  word('dtype', ['f16', 'bf16'], 'element type of a, b and out; sums are f32'),
]

// ---------------------------------------------------------------- hopper-matmul

const hopperShape: Shape = { kernel: 'hopper-matmul', cuts: wgmmaCuts, sizes: [256, 256, 576], stages: 4 }

export const hopperMatmulKernel: Kernel = {
  name: hopperShape.kernel,
  summary: 'out = a @ b: TMA ring, wgmma, store through shared memory; one memory and one compute warpgroup',
  parameters: wgmmaParameters(hopperShape),
  tensors: tiledTensors,
  dtype: 'dtype',
  make: (given) => makeTiled(hopperShape, given, (c) => c, hopperMatmul, tiledRecord),
}

// ---------------------------------------------------------------- hopper-pipelined

const pipelinedShape: Shape = { ...hopperShape, kernel: 'hopper-pipelined' }

export const hopperPipelinedKernel: Kernel = {
  name: pipelinedShape.kernel,
  summary:
    'out = a @ b: one warpgroup, emit_pipeline, each product is waited for one step later (delay_release=1)',
  parameters: wgmmaParameters(pipelinedShape),
  tensors: tiledTensors,
  dtype: 'dtype',
  make: (given) => makeTiled(pipelinedShape, given, (c) => c, hopperPipelined, tiledRecord),
}

// ---------------------------------------------------------------- two warpgroups that share a tile

type Split = HalvedTiles['split']
const splitOf = (given: Settings): Split => (given['split'] === 'columns' ? 'columns' : 'rows')

/** Each of two warpgroups has half of a tile. */
const halved = (shape: Shape, split: Split): Shape => {
  const [m, n, k] = wgmmaCuts
  const each = 'for each of two warpgroups'
  return {
    ...shape,
    cuts:
      split === 'rows'
        ? [{ ...m, unit: 128, because: `the rows of one wgmma ${each}` }, n, k]
        : [m, { ...n, unit: 32, because: `a row of the narrowest swizzle ${each}`, most: 512 }, k],
  }
}

const splitParameter = word(
  'split',
  ['rows', 'columns'],
  'the dimension of a tile that the two compute warpgroups share: each has half of it',
)

const halvedKernel = (
  name: string,
  summary: string,
  build: (c: HalvedTiles) => E.Either<Failure, Program>,
): Kernel => ({
  name,
  summary,
  parameters: [...wgmmaParameters(hopperShape), splitParameter],
  tensors: tiledTensors,
  dtype: 'dtype',
  make: (given) =>
    makeTiled<HalvedTiles>(
      halved({ ...hopperShape, kernel: name }, splitOf(given)),
      given,
      (c) => ({ ...c, split: splitOf(given) }),
      build,
      (c) => ({ ...tiledRecord(c), split: c.split }),
    ),
})

export const hopperWsKernel: Kernel = halvedKernel(
  'hopper-ws',
  'out = a @ b: one memory and two compute warpgroups that share a tile',
  hopperWs,
)

export const hopperPipelineWsKernel: Kernel = halvedKernel(
  'hopper-pipeline-ws',
  'out = a @ b: emit_pipeline_warp_specialized, two compute warpgroups that share a tile',
  hopperPipelineWs,
)

// ---------------------------------------------------------------- several tiles a block

const persistentParameters: ReadonlyArray<Parameter> = [
  count('blocks', 2, 'blocks', 'blocks that are launched and share the tiles'),
  word('order', ['row-major', 'planar-snake'], 'order of the tiles'),
  word('gridMinorDim', ['m', 'n'], 'planar-snake: the dimension that is cut'),
  count('gridTileWidth', 1, 'tiles', 'planar-snake: how wide'),
]

const persistentOf = (given: Settings): Persistent => ({
  blocks: integerOr(given, 'blocks', 2),
  order: given['order'] === 'planar-snake' ? 'planar-snake' : 'row-major',
  gridMinorDim: given['gridMinorDim'] === 'n' ? 'n' : 'm',
  gridTileWidth: integerOr(given, 'gridTileWidth', 1),
})

const persistentRecord = ({ blocks, order, gridMinorDim, gridTileWidth }: Persistent): Settings => ({
  blocks,
  order,
  gridMinorDim,
  gridTileWidth,
})

const persistentShape: Shape = { ...hopperShape, kernel: 'hopper-persistent', sizes: [384, 128, 576] }

export const hopperPersistentKernel: Kernel = {
  name: persistentShape.kernel,
  summary: 'out = a @ b: several tiles a block by nd_loop, in row-major or planar-snake order',
  parameters: [
    ...wgmmaParameters(persistentShape),
    splitParameter,
    ...persistentParameters,
    word('epilogue', ['overlapped', 'waited'], 'when to wait for the store of a tile: late, or at once'),
  ],
  tensors: tiledTensors,
  dtype: 'dtype',
  persistent: true,
  make: (given) =>
    makeTiled<HopperPersistent>(
      halved(persistentShape, splitOf(given)),
      given,
      (c) => ({
        ...c,
        ...persistentOf(given),
        split: splitOf(given),
        epilogue: given['epilogue'] === 'waited' ? 'waited' : 'overlapped',
      }),
      hopperPersistent,
      (c) => ({ ...tiledRecord(c), split: c.split, ...persistentRecord(c), epilogue: c.epilogue }),
    ),
}

const pingPongShape: Shape = {
  ...persistentShape,
  kernel: 'hopper-ping-pong',
  sizes: [384, 256, 576],
  stages: 2,
}

export const hopperPingPongKernel: Kernel = {
  name: pingPongShape.kernel,
  summary: 'out = a @ b: two compute warpgroups with tiles of their own take turns at the tensor core',
  parameters: [...wgmmaParameters(pingPongShape), ...persistentParameters],
  tensors: tiledTensors,
  dtype: 'dtype',
  persistent: true,
  make: (given) =>
    makeTiled<HopperPingPong>(
      pingPongShape,
      given,
      (c) => ({ ...c, ...persistentOf(given) }),
      hopperPingPong,
      (c) => ({ ...tiledRecord(c), ...persistentRecord(c) }),
    ),
}

// ---------------------------------------------------------------- hopper-fp8

const fp8Shape: Shape = {
  kernel: 'hopper-fp8',
  cuts: [
    halved(hopperShape, 'rows').cuts[0],
    wgmmaCuts[1],
    { size: 'k', tile: 'tileK', unit: 32, because: 'the k of one wgmma', most: Infinity, default: 128 },
  ],
  sizes: [256, 256, 1152],
  stages: 4,
}

export const hopperFp8Kernel: Kernel = {
  name: fp8Shape.kernel,
  summary: 'out = a @ b of 8-bit floats: K-major operands, one memory and two compute warpgroups',
  parameters: [
    ...wgmmaParameters(fp8Shape).filter(({ name }) => name !== 'tileK' && name !== 'dtype'),
    size('tileK', 128, 'depth of one slot of the ring: a multiple of 32 that divides k'),
    ...eightBitParameters,
  ],
  tensors: tiledTensors,
  dtype: 'dtype',
  make: (given) =>
    makeTiled<HopperFp8>(
      fp8Shape,
      given,
      ({ m, n, k, tileM, tileN, tileK, stages }) => ({
        m,
        n,
        k,
        tileM,
        tileN,
        tileK,
        stages,
        ...eightBitsOf(given),
      }),
      hopperFp8,
      ({ aDtype, ...c }) => ({ ...c, dtype: aDtype }),
    ),
}

// ---------------------------------------------------------------- hopper-s8

const s8Shape: Shape = { ...fp8Shape, kernel: 'hopper-s8' }
const bytes = ['i8', 'u8'] as const
const byteOf = (given: Settings, name: string): Byte => (own(given, name) === 'u8' ? 'u8' : 'i8')

export const hopperS8Kernel: Kernel = {
  name: s8Shape.kernel,
  summary:
    'out = a @ b of 8-bit integers into 32 bits: K-major operands, one memory and two compute warpgroups',
  parameters: [
    ...wgmmaParameters(s8Shape).filter(({ name }) => name !== 'tileK' && name !== 'dtype'),
    size('tileK', 128, 'depth of one slot of the ring: a multiple of 32 that divides k'),
    word('dtype', bytes, 'element type of a; sums and out are i32'),
    word('bDtype', bytes, 'element type of b, which is stored column by column'),
    flag('saturate', false, 'sums stop at the limits of 32 bits; else they wrap'),
  ],
  tensors: tiledTensors,
  dtype: 'dtype',
  make: (given) =>
    makeTiled<HopperS8>(
      s8Shape,
      given,
      ({ m, n, k, tileM, tileN, tileK, stages }) => ({
        m,
        n,
        k,
        tileM,
        tileN,
        tileK,
        stages,
        aDtype: byteOf(given, 'dtype'),
        bDtype: byteOf(given, 'bDtype'),
        saturate: given['saturate'] === true,
      }),
      hopperS8,
      ({ aDtype, ...c }) => ({ ...c, dtype: aDtype }),
    ),
}

// ---------------------------------------------------------------- wgmma-loop

const loopShape: Shape = { kernel: 'wgmma-loop', cuts: wgmmaCuts, sizes: [256, 256, 576], stages: 4 }

const loopKernel = (
  shape: Shape,
  summary: string,
  explicitWait: { readonly byDefault: boolean; readonly meaning: string },
  make: (c: WgmmaLoop) => E.Either<Failure, Program>,
): Kernel => ({
  name: shape.kernel,
  summary,
  parameters: [
    ...wgmmaParameters(shape),
    word('wgmmaWait', ['implemented', 'documented'], 'whether a wgmma waits for the previous ones'),
    flag('explicitWait', explicitWait.byDefault, explicitWait.meaning),
  ],
  tensors: tiledTensors,
  dtype: 'dtype',
  make: (given) =>
    makeTiled<WgmmaLoop>(
      shape,
      given,
      (c) => ({
        ...c,
        wgmmaWait: given['wgmmaWait'] === 'documented' ? 'documented' : 'implemented',
        explicitWait:
          own(given, 'explicitWait') === undefined ? explicitWait.byDefault : given['explicitWait'] === true,
      }),
      make,
      (c) => ({ ...tiledRecord(c), wgmmaWait: c.wgmmaWait, explicitWait: c.explicitWait }),
    ),
})

export const wgmmaLoopKernel: Kernel = loopKernel(
  loopShape,
  'out = a @ b: one warpgroup that loads ahead and multiplies (the reference page, corrected)',
  { byDefault: true, meaning: 'wgmma_wait(1) after every wgmma; without it, implemented is W3' },
  wgmmaLoop,
)

/** The loop whose page refills the slot that it has just multiplied: `broken/wgmma-loop.ts`. It stands beside the kernels, as the zoo does. */
export const printedWgmmaLoopKernel: Kernel = loopKernel(
  { ...loopShape, kernel: 'printed/wgmma-loop' },
  'wgmma-loop as printed: refills the slot that its wgmma still reads, and waits for one that is never filled',
  { byDefault: false, meaning: 'wgmma_wait(1) after every wgmma; it does not help' },
  brokenWgmmaLoop,
)
