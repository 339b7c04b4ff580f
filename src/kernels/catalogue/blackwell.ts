/** The Blackwell kernels by name. */
import type * as E from 'fp-ts/lib/Either.js'
import type { Failure } from '../../failure.js'
import type { Program } from '../../semantics/language/program.js'
import { matmul0 } from '../blackwell/matmul0.js'
import { matmul1 } from '../blackwell/matmul1.js'
import { matmul2 } from '../blackwell/matmul2.js'
import { matmul3 } from '../blackwell/matmul3.js'
import { matmul4 } from '../blackwell/matmul4.js'
import { matmul5 } from '../blackwell/matmul5.js'
import { matmul6 } from '../blackwell/matmul6.js'
import type { TiledGrid } from '../blackwell/setup.js'
import { printedMatmul5, printedMatmul6 } from '../broken/printed-matmul.js'
import { bad, count, integerOr, size, word, type Kernel, type Parameter } from './model.js'
import { makeTiled, tiledRecord, tiledTensors, type Shape, type Tiled } from './tiles.js'

// ---------------------------------------------------------------- shapes

/** One block computes a tile. */
const single = (kernel: string): Shape => ({
  kernel,
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
})

/** Two blocks compute a tile of twice the height and width. */
const pair = (kernel: string, sizes: Shape['sizes'], tileN: number = 64): Shape => {
  const { cuts, stages } = single(kernel)
  const [m, n, k] = cuts
  return {
    kernel,
    cuts: [
      { ...m, together: 2 },
      { ...n, together: 2, most: 128, default: tileN },
      { ...k, default: 32 },
    ],
    sizes,
    stages,
  }
}

// ---------------------------------------------------------------- parameters

const tuning = (shape: Shape, blocks: 1 | 2): ReadonlyArray<Parameter> => {
  const [m, n, k] = shape.cuts
  const columns = `a multiple of 16 up to ${String(n.most)}`
  const divides = (of: string): string => (blocks === 1 ? `divides ${of}` : `divides ${of} / 2`)
  return [
    size('m', shape.sizes[0], 'rows of a and out'),
    size('n', shape.sizes[1], 'columns of b and out'),
    size('k', shape.sizes[2], 'columns of a, rows of b'),
    size('tileM', m.default, `rows of a that a block fetches and of out that it computes: 128`),
    size('tileN', n.default, `columns of b that a block fetches: ${columns} that ${divides('n')}`),
    size('tileK', k.default, 'depth of one step of the pipeline: a multiple of 16 that divides k'),
    count('stages', shape.stages, 'slots', 'max_concurrent_steps: number of steps fetched ahead'),
    word('dtype', ['f16', 'bf16'], 'element type of a, b and out; sums are f32'),
  ]
}
const epilogueTileN = (value: number): Parameter =>
  size('epilogueTileN', value, 'columns that the epilogue moves at a time: a multiple of 16')
const clusters: Parameter = count(
  'clusters',
  2,
  'clusters',
  'clusters of the grid: half the SMs of the machine',
)
const snake: ReadonlyArray<Parameter> = [
  count('gridMinorDim', 0, 'dimension', 'dimension of the output that changes fastest: 0 or 1'),
  count('gridTileWidth', 2, 'tiles', 'tiles of it that are visited before the other dimension moves on'),
]

// ---------------------------------------------------------------- kernels

type Extra = 'epilogueTileN' | 'clusters' | 'gridMinorDim' | 'gridTileWidth'

const tutorial = (
  shape: Shape,
  blocks: 1 | 2,
  summary: string,
  more: ReadonlyArray<Parameter>,
  build: (c: TiledGrid) => E.Either<Failure, Program>,
): Kernel => {
  const extras = more.map((p) => p.name)
  const has = (name: Extra): boolean => extras.includes(name)
  return {
    name: shape.kernel,
    summary: `${summary} (the tutorial, ${shape.kernel.slice(-1)})`,
    parameters: [...tuning(shape, blocks), ...more],
    tensors: tiledTensors,
    dtype: 'dtype',
    ...(has('clusters') ? { persistent: true } : {}),
    make: (given) =>
      integerOr(given, 'gridMinorDim', 0) >>> 1 !== 0
        ? bad(shape.kernel, `gridMinorDim is ${String(given['gridMinorDim'])}: expected 0 or 1`)
        : makeTiled<TiledGrid>(
            shape,
            given,
            (c: Tiled) => ({
              ...c,
              // a default is the widest piece of at most 64 columns
              epilogueTileN: integerOr(
                given,
                'epilogueTileN',
                [64, 48, 32, 16].find((w) => (blocks * c.tileN) % w === 0) ?? 16,
              ),
              clusters: integerOr(given, 'clusters', 2),
              gridMinorDim: given['gridMinorDim'] === 1 ? 1 : 0,
              gridTileWidth: integerOr(given, 'gridTileWidth', 2),
            }),
            build,
            (c) => ({
              ...tiledRecord(c),
              ...(has('epilogueTileN') ? { epilogueTileN: c.epilogueTileN } : {}),
              ...(has('clusters') ? { clusters: c.clusters } : {}),
              ...(has('gridMinorDim') ? { gridMinorDim: c.gridMinorDim } : {}),
              ...(has('gridTileWidth') ? { gridTileWidth: c.gridTileWidth } : {}),
            }),
          ),
  }
}

export const matmul0Kernel: Kernel = tutorial(
  single('matmul0'),
  1,
  'out = a @ b on Blackwell: one warpgroup, emit_pipeline, each product is waited for one step later',
  [],
  matmul0,
)

export const matmul1Kernel: Kernel = tutorial(
  single('matmul1'),
  1,
  'out = a @ b on Blackwell: one warp fetches, one multiplies',
  [],
  matmul1,
)

export const matmul2Kernel: Kernel = tutorial(
  single('matmul2'),
  1,
  'out = a @ b on Blackwell: warps with roles, an epilogue in pieces',
  [epilogueTileN(64)],
  matmul2,
)

export const matmul3Kernel: Kernel = tutorial(
  pair('matmul3', [512, 256, 288]),
  2,
  'out = a @ b on Blackwell: pairs of blocks share the operands of a collective MMA',
  [epilogueTileN(64)],
  matmul3,
)

export const matmul4Kernel: Kernel = tutorial(
  pair('matmul4', [512, 256, 288], 32),
  2,
  'out = a @ b on Blackwell: persistent pairs, several tiles each',
  [epilogueTileN(64), clusters],
  matmul4,
)

export const matmul5Kernel: Kernel = tutorial(
  pair('matmul5', [512, 256, 288], 32),
  2,
  'out = a @ b on Blackwell: persistent pairs with a warpgroup for the epilogue',
  [epilogueTileN(64), clusters],
  matmul5,
)

export const matmul6Kernel: Kernel = tutorial(
  pair('matmul6', [512, 256, 288], 32),
  2,
  'out = a @ b on Blackwell: the whole tutorial, tiles in the order of a snake',
  [epilogueTileN(64), clusters, ...snake],
  matmul6,
)

/** The two whose page has a wait in the wrong warp: `broken/printed-matmul.ts`. They stand beside the kernels, as the zoo does. */
export const printedKernels: ReadonlyArray<Kernel> = [
  tutorial(
    pair('printed/matmul5', [512, 256, 288], 32),
    2,
    'matmul5 as printed: deadlocks in some schedule from three tiles of a cluster on',
    [epilogueTileN(64), clusters],
    printedMatmul5,
  ),
  tutorial(
    pair('printed/matmul6', [512, 256, 288], 32),
    2,
    'matmul6 as printed: deadlocks in some schedule from three tiles of a cluster on',
    [epilogueTileN(64), clusters, ...snake],
    printedMatmul6,
  ),
]
