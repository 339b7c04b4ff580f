/**
 * The setup code of the Blackwell tutorial: it stands once here, as it "remains unmodified" from one kernel to the next there.
 *
 * A (m, n) output is cut into tiles, a sum over k into steps of tileK. From the third kernel on two blocks compute one tile together, and
 * the tile of the pair is twice as high and twice as wide. By hand, m 512, n 256, k 448, tiles of 128 x 64 x 64:
 *
 *     kernel        a tile of the output is     m_iters  n_iters  k_iters      a block computes      its accumulator
 *     matmul0 .. 2  128 x  64, by one block     4        4        7            128 x  64             128 x  64
 *     matmul3 .. 6  256 x 128, by a pair        2        2        7            128 x 128             128 x 128
 *
 * The page derives the swizzle from tile_k alone, since its other rows are wide enough. Here it is the widest that the rows of every buffer
 * take, so that small tiles run, too.
 *
 * | refused                                           | because                                                               |
 * |---------------------------------------------------|-----------------------------------------------------------------------|
 * | tileM that is not 128                             | the lanes of tensor memory                                            |
 * | tileN not a multiple of 16, or a product too wide | a row of the narrowest swizzle; 256 columns, or 512 of one block      |
 * | tileK not a multiple of 16                        | the k of one MMA                                                      |
 * | epilogueTileN that does not divide a block's columns | the epilogue goes over them in whole pieces                        |
 * | accumulators of more than 512 columns together    | the columns of tensor memory                                          |
 * | stages out of range                               | 32 parities in a mask; the pipeline of matmul0 has two slots at least |
 * | sizes that the tiles do not divide                | the page raises ValueError                                            |
 *
 * Operands that do not fit shared memory are refused by validation (A1).
 *
 * Laws
 * 1. `setup` refuses exactly the rows of the table.
 *
 * Source: JAX docs, writing high-performance matrix multiplication kernels for Blackwell, 0. Basic kernel; 3. Collective (2CTA) MMA.
 */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as Pallas from '../../dialects/pallas/index.js'
import { failure, type Failure } from '../../failure.js'
import { bitsOf } from '../../numerics/dtype.js'
import * as B from '../../semantics/writing/builder.js'
import type { Spec } from '../../semantics/language/program.js'
import type { Transform } from '../../transforms/transform.js'

// ---------------------------------------------------------------- model

/** The parameters of every kernel of the tutorial: the operands, and its `TuningConfig`. */
export interface TuningConfig {
  readonly dtype: 'f16' | 'bf16'
  readonly m: number
  readonly n: number
  readonly k: number
  readonly tileM: number
  readonly tileN: number
  readonly tileK: number
  /** slots of the pipeline: `max_concurrent_steps` of the tutorial */
  readonly stages: number
}

/** From matmul2 on. */
export interface TiledEpilogue extends TuningConfig {
  /** columns that the epilogue moves at a time: `epilogue_tile_n` */
  readonly epilogueTileN: number
}

/** From matmul4 on. */
export interface Persistent extends TiledEpilogue {
  /** clusters of the grid; on a chip, half the number of its SMs */
  readonly clusters: number
}

/** matmul6. */
export interface TiledGrid extends Persistent {
  /** the dimension of the output that changes fastest: `grid_minor_dim` */
  readonly gridMinorDim: 0 | 1
  /** how many tiles of it are visited before the other dimension moves on: `grid_tile_width` */
  readonly gridTileWidth: number
}

/** How a kernel uses what it is told. */
export interface Use {
  /** blocks that compute a tile together (default 1) */
  readonly blocks?: 1 | 2
  /** accumulators in tensor memory (default 1) */
  readonly accumulators?: 1 | 2
  /** slots that a pipeline needs at least (default 1) */
  readonly leastStages?: number
}

export interface Setup extends TuningConfig {
  readonly clusterTileM: number
  readonly clusterTileN: number
  readonly mIters: number
  readonly nIters: number
  readonly kIters: number
  readonly maxConcurrentSteps: number
  readonly transforms: ReadonlyArray<Transform>
}

/** out = a @ b, summed up in f32, 16 of k in one MMA. */
export const computes: Spec = {
  _tag: 'matmul',
  a: 'a',
  b: 'b',
  out: 'out',
  accumulator: 'f32',
  blockK: 16,
}

// ---------------------------------------------------------------- refusals

type Told = TuningConfig & Partial<TiledGrid>

const tmemColumns = 512
const tmemLanes = 128

/** Why these settings are no kernel, or null. */
const illegal = (c: Told, { blocks = 1, accumulators = 1, leastStages = 1 }: Use): string | null => {
  const positive = (
    [
      'm',
      'n',
      'k',
      'tileM',
      'tileN',
      'tileK',
      'stages',
      'epilogueTileN',
      'clusters',
      'gridTileWidth',
    ] as const
  ).find((name) => {
    const value = c[name]
    return value !== undefined && (!Number.isInteger(value) || value < 1)
  })
  if (positive !== undefined) return `${positive} is ${String(c[positive])}: expected a positive integer`
  const { tileM, tileN, tileK, stages, epilogueTileN, gridMinorDim } = c
  if (tileM !== tmemLanes) return `tileM is ${String(tileM)}: expected 128, the lanes of tensor memory`
  if (blocks === 1 && (tileN % 16 !== 0 || (tileN > 256 && tileN !== 512)))
    return `tileN is ${String(tileN)}: expected a multiple of 16 up to 256, or 512`
  if (blocks === 2 && (tileN % 16 !== 0 || tileN > 128))
    return `tileN is ${String(tileN)}: expected a multiple of 16 up to 128, since two blocks multiply 256 columns at most`
  const columns = blocks * tileN
  if (accumulators * columns > tmemColumns)
    return `tileN is ${String(tileN)}: ${String(accumulators)} accumulators of ${String(columns)} columns, expected at most ${String(tmemColumns)} together`
  if (tileK % 16 !== 0) return `tileK is ${String(tileK)}: expected a multiple of 16, the k of one MMA`
  if (stages < leastStages || stages > 32)
    return `stages is ${String(stages)}: expected ${String(leastStages)} to 32${leastStages > 1 ? ', since a block is released one step late' : ', the parities of a thread'}`
  if (epilogueTileN !== undefined && (epilogueTileN % 16 !== 0 || columns % epilogueTileN !== 0))
    return `epilogueTileN is ${String(epilogueTileN)}: expected a multiple of 16 that divides the ${String(columns)} columns of a block`
  if (gridMinorDim !== undefined && ![0, 1].includes(gridMinorDim))
    return `gridMinorDim is ${String(gridMinorDim)}: expected 0 or 1`
  const of = blocks === 1 ? '' : `${String(blocks)} * `
  for (const [size, tile, s, t, prefix] of [
    ['m', 'tileM', c.m, blocks * tileM, of],
    ['n', 'tileN', c.n, blocks * tileN, of],
    ['k', 'tileK', c.k, tileK, ''],
  ] as const)
    if (s % t !== 0)
      return `${size} is ${String(s)}: expected a multiple of ${prefix}${tile}, which is ${String(t)}`
  return null
}

// ---------------------------------------------------------------- setup

/** The names of the tutorial's setup code. Refuses what the tiles, the copy engine or tensor memory do not take. */
export const setup = (name: string, c: Told, use: Use = {}): E.Either<Failure, Setup> => {
  const refused = (why: string): E.Either<Failure, never> =>
    E.left(failure('kernel.settings', `${name}: ${why}`))
  const why = illegal(c, use)
  if (why !== null) return refused(why)
  const { dtype, m, n, k, tileM, tileN, tileK, stages, epilogueTileN } = c
  const blocks = use.blocks ?? 1
  const rows = [tileK, tileN, ...(epilogueTileN === undefined ? [] : [epilogueTileN])]
  return pipe(
    Pallas.mmaTransforms(bitsOf(dtype), rows),
    E.map((transforms) => ({
      dtype,
      m,
      n,
      k,
      tileM,
      tileN,
      tileK,
      stages,
      clusterTileM: blocks * tileM,
      clusterTileN: blocks * tileN,
      mIters: m / (blocks * tileM),
      nIters: n / (blocks * tileN),
      kIters: k / tileK,
      maxConcurrentSteps: stages,
      transforms,
    })),
  )
}

interface Operands<D extends TuningConfig['dtype']> {
  readonly aGmem: B.Tensor<D, 2>
  readonly bGmem: B.Tensor<D, 2>
  readonly outGmem: B.Tensor<D, 2>
}

/** The operands and the result, in GMEM. */
export const operands = ({ dtype, m, n, k }: TuningConfig): B.Build<Operands<TuningConfig['dtype']>> =>
  B.block(function* () {
    return {
      aGmem: yield* B.tensorParam('a', dtype, [m, k], { role: 'in' }),
      bGmem: yield* B.tensorParam('b', dtype, [k, n], { role: 'in' }),
      outGmem: yield* B.tensorParam('out', dtype, [m, n], { role: 'out' }),
    }
  })
