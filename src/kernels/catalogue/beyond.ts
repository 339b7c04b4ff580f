/** Blackwell kernels beyond the tutorial, by name. */
import { matmulDynamic } from '../blackwell/matmul-dynamic.js'
import { matmulMxfp8, type MatmulMxfp8 } from '../blackwell/matmul-mxfp8.js'
import { count, size, word, type Kernel, type Parameter } from './model.js'
import {
  eightBitParameters,
  eightBitsOf,
  makeTiled,
  tiledRecord,
  tiledTensors,
  type Cut,
  type Shape,
} from './tiles.js'

// ---------------------------------------------------------------- matmul-dynamic

const lanes: Cut = {
  size: 'm',
  tile: 'tileM',
  unit: 128,
  because: 'the lanes of tensor memory',
  most: 128,
  default: 128,
}
const dynamicShape: Shape = {
  kernel: 'matmul-dynamic',
  cuts: [
    lanes,
    {
      size: 'n',
      tile: 'tileN',
      unit: 16,
      because: 'a row of the narrowest swizzle',
      most: 256,
      default: 128,
    },
    { size: 'k', tile: 'tileK', unit: 16, because: 'the k of one MMA', most: Infinity, default: 64 },
  ],
  sizes: [384, 128, 576],
  stages: 4,
}

const sizesOf = (shape: Shape): ReadonlyArray<Parameter> => [
  size('m', shape.sizes[0], 'rows of a and out'),
  size('n', shape.sizes[1], 'columns of b and out'),
  size('k', shape.sizes[2], 'columns of a, rows of b'),
  size('tileM', 128, 'rows of out that a block computes at a time: 128'),
]

export const matmulDynamicKernel: Kernel = {
  name: dynamicShape.kernel,
  summary: 'out = a @ b on Blackwell: blocks ask for the next tile while they work (cluster launch control)',
  parameters: [
    ...sizesOf(dynamicShape),
    size('tileN', 128, 'columns of out that a block computes at a time: a multiple of 16 up to 256'),
    size('tileK', 64, 'depth of one slot of the ring: a multiple of 16 that divides k'),
    count('stages', dynamicShape.stages, 'slots', 'slots of the ring in shared memory'),
    word('dtype', ['f16', 'bf16'], 'element type of a, b and out; sums are f32'),
  ],
  tensors: tiledTensors,
  dtype: 'dtype',
  persistent: true,
  make: (given) => makeTiled(dynamicShape, given, (c) => c, matmulDynamic, tiledRecord),
}

// ---------------------------------------------------------------- matmul-mxfp8

const mxfp8Shape: Shape = {
  kernel: 'matmul-mxfp8',
  cuts: [
    lanes,
    {
      size: 'n',
      tile: 'tileN',
      unit: 128,
      because: 'the rows of an atom of scales',
      most: 256,
      default: 128,
    },
    {
      size: 'k',
      tile: 'tileK',
      unit: 128,
      because: 'the k of an atom of scales',
      most: Infinity,
      default: 128,
    },
  ],
  sizes: [256, 128, 1152],
  stages: 4,
}

export const matmulMxfp8Kernel: Kernel = {
  name: mxfp8Shape.kernel,
  summary:
    'out = a @ b on Blackwell, block-scaled: 8-bit floats with e8m0 scales, one for every 32 of k (mxfp8)',
  parameters: [
    ...sizesOf(mxfp8Shape),
    size('tileN', 128, 'columns of out that a block computes: 128 or 256'),
    size('tileK', 128, 'depth of one slot of the ring: a multiple of 128 that divides k'),
    count('stages', mxfp8Shape.stages, 'slots', 'slots of the ring in shared memory'),
    ...eightBitParameters,
  ],
  // the scales are given by the seed: their axes are no settings
  tensors: tiledTensors,
  dtype: 'dtype',
  make: (given) =>
    makeTiled<MatmulMxfp8>(
      mxfp8Shape,
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
      matmulMxfp8,
      ({ aDtype, ...c }) => ({ ...c, dtype: aDtype }),
    ),
}
