/** The Hopper kernels by name. */
import { hopperMatmul } from '../hopper/hopper-matmul.js'
import { hopperPipelined } from '../hopper/hopper-pipelined.js'
import { hopperWs, type HopperWs } from '../hopper/hopper-ws.js'
import { wgmmaLoop, type WgmmaLoop } from '../hopper/wgmma-loop.js'
import { count, flag, size, word, type Kernel, type Parameter, type Settings } from './model.js'
import { makeTiled, tiledRecord, tiledTensors, type Cut, type Shape } from './tiles.js'

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
  summary: 'out = a @ b: one warpgroup, emit_pipeline, wgmma one step behind (delay_release=1)',
  parameters: wgmmaParameters(pipelinedShape),
  tensors: tiledTensors,
  dtype: 'dtype',
  make: (given) => makeTiled(pipelinedShape, given, (c) => c, hopperPipelined, tiledRecord),
}

// ---------------------------------------------------------------- hopper-ws

type Split = HopperWs['split']
const splitOf = (given: Settings): Split => (given['split'] === 'columns' ? 'columns' : 'rows')

/** Each of two warpgroups has half of a tile. */
const halved = (kernel: string, split: Split): Shape => {
  const [m, n, k] = wgmmaCuts
  const each = 'for each of two warpgroups'
  return {
    ...hopperShape,
    kernel,
    cuts:
      split === 'rows'
        ? [{ ...m, unit: 128, because: `the rows of one wgmma ${each}` }, n, k]
        : [m, { ...n, unit: 32, because: `a row of the narrowest swizzle ${each}`, most: 512 }, k],
  }
}

const wsName = 'hopper-ws'
const splitParameter = word('split', ['rows', 'columns'], 'what of a tile each compute warpgroup has half of')

export const hopperWsKernel: Kernel = {
  name: wsName,
  summary: 'out = a @ b: one memory and two compute warpgroups that share a tile',
  parameters: [...wgmmaParameters(hopperShape), splitParameter],
  tensors: tiledTensors,
  dtype: 'dtype',
  make: (given) =>
    makeTiled<HopperWs>(
      halved(wsName, splitOf(given)),
      given,
      (c) => ({ ...c, split: splitOf(given) }),
      hopperWs,
      (c) => ({ ...tiledRecord(c), split: c.split }),
    ),
}

// ---------------------------------------------------------------- wgmma-loop

const loopShape: Shape = { kernel: 'wgmma-loop', cuts: wgmmaCuts, sizes: [256, 256, 576], stages: 4 }

export const wgmmaLoopKernel: Kernel = {
  name: loopShape.kernel,
  summary: 'out = a @ b: one warpgroup that loads ahead and multiplies (the reference page, corrected)',
  parameters: [
    ...wgmmaParameters(loopShape),
    word('wgmmaWait', ['implemented', 'documented'], 'does a wgmma wait for the ones before it?'),
    flag('explicitWait', true, 'wgmma_wait(1) after every wgmma; without it, implemented is W3'),
  ],
  tensors: tiledTensors,
  dtype: 'dtype',
  make: (given) =>
    makeTiled<WgmmaLoop>(
      loopShape,
      given,
      (c) => ({
        ...c,
        wgmmaWait: given['wgmmaWait'] === 'documented' ? 'documented' : 'implemented',
        explicitWait: given['explicitWait'] !== false,
      }),
      wgmmaLoop,
      (c) => ({ ...tiledRecord(c), wgmmaWait: c.wgmmaWait, explicitWait: c.explicitWait }),
    ),
}
