/** The Blackwell kernels by name. */
import { matmul0 } from '../blackwell/matmul0.js'
import { count, size, word, type Kernel } from './model.js'
import { makeTiled, tiledRecord, tiledTensors, type Shape } from './tiles.js'

const tutorialShape: Shape = {
  kernel: 'matmul0',
  cuts: [
    { size: 'm', tile: 'tileM', unit: 128, because: 'the lanes of tensor memory', most: 128, default: 128 },
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
  sizes: [256, 256, 576],
  stages: 4,
}

export const matmul0Kernel: Kernel = {
  name: tutorialShape.kernel,
  summary:
    'out = a @ b on Blackwell: one warpgroup, emit_pipeline, tcgen05 one step behind (the tutorial, 0)',
  parameters: [
    size('m', 256, 'rows of a and out'),
    size('n', 256, 'columns of b and out'),
    size('k', 576, 'columns of a, rows of b'),
    size('tileM', 128, 'rows of out that a block computes: 128'),
    size('tileN', 128, 'columns of out that a block computes: a multiple of 16 up to 256 that divides n'),
    size('tileK', 64, 'depth of one step of the pipeline: a multiple of 16 that divides k'),
    count('stages', 4, 'slots', 'max_concurrent_steps: steps fetched ahead'),
    word('dtype', ['f16', 'bf16'], 'element type of a, b and out; sums are f32'),
  ],
  tensors: tiledTensors,
  dtype: 'dtype',
  make: (given) => makeTiled(tutorialShape, given, (c) => c, matmul0, tiledRecord),
}
