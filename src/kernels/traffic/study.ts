/**
 * What an order of tiles costs: footprints and misses of a matmul whose clusters keep pace.
 *
 * The clusters of a wave go through k together: at step k each asks for block k of its row panel of `a`, then for block k of its column panel of
 * `b`; then all take step k + 1.
 *
 *     4 x 4 tiles, 4 clusters, blocks of 1 byte, one step; a cache of 4     reads in wave 0   1         2         3          misses
 *     rows                                                                 a0 b0-b3          a1 b0-b3  a2 b0-b3  a3 b0-b3   20, everything anew
 *     bands, 2 wide                                                        a0 a1 b0 b1       b2 b3     all four  b2 b3      12
 *     snake, 2 wide                                                        a0 a1 b0 b1       b2 b3     a2 a3 b2  b1 b0      11, b3 is still there
 *
 * Laws
 * 1. Misses are at least each operand once, and at most what is asked for.
 * 2. Where the blocks of one step fit in the cache, no wave fetches a block twice: misses are at most the sum of the footprints.
 * 3. Where any two waves in a row fit, no wave fetches what it shares with the one before: at most the sum of `bytes - kept`.
 * 4. With a cache of no bytes everything that is asked for is a miss.
 *
 * @fidelity model: clusters keep pace, and outputs take no room.
 *
 * Source: JAX docs, writing high-performance matrix multiplication kernels for Blackwell, 6. Grid tiling.
 */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { refuse, type Failure } from '../../failure.js'
import { footprints, type Footprint, type PanelBytes } from './footprint.js'
import { lru, type Request, type Traffic } from './lru.js'
import { visitingOrder, wavesOf, type Order, type TileGrid, type TilePlace } from './visiting-order.js'

// ---------------------------------------------------------------- model

/** A matmul that is cut into tiles, and the clusters that share them. */
export interface Tiling {
  readonly grid: TileGrid
  readonly clusters: number
  /** steps along k */
  readonly steps: number
  /** bytes of one block of `a` (the rows of a tile, one step deep) and of `b` */
  readonly block: PanelBytes
}

export interface Visit {
  readonly order: Order
  readonly waves: ReadonlyArray<Footprint>
  /** one for each size of the cache */
  readonly traffic: ReadonlyArray<Traffic>
}

// ---------------------------------------------------------------- requests

const legal = (t: Tiling): E.Either<Failure, null> => {
  const bad = (
    [
      ['steps', t.steps],
      ['a block of a', t.block.a],
      ['a block of b', t.block.b],
    ] as const
  ).find(([, n]) => !Number.isInteger(n) || n < 1)
  return bad === undefined
    ? E.right(null)
    : refuse('traffic.size', `${bad[0]} is ${String(bad[1])}, expected a positive integer`)
}

/** Blocks as numbers: those of `a` panel by panel, then those of `b`. */
export const blockOfA = (t: Tiling, row: number, step: number): number => row * t.steps + step
export const blockOfB = (t: Tiling, column: number, step: number): number =>
  (t.grid[0] + column) * t.steps + step

/** What the clusters ask for. */
export function* requestsOf(t: Tiling, waves: ReadonlyArray<ReadonlyArray<TilePlace>>): Generator<Request> {
  for (const wave of waves)
    for (let step = 0; step < t.steps; step++)
      for (const [m, n] of wave) {
        yield { block: blockOfA(t, m, step), bytes: t.block.a }
        yield { block: blockOfB(t, n, step), bytes: t.block.b }
      }
}

// ---------------------------------------------------------------- the study

export const panelBytes = (t: Tiling): PanelBytes => ({ a: t.steps * t.block.a, b: t.steps * t.block.b })

/** Both operands, once. */
export const operandBytes = (t: Tiling): number => t.grid[0] * panelBytes(t).a + t.grid[1] * panelBytes(t).b

/** One order, with caches of these sizes. Refuses what is not positive. */
export const visit = (t: Tiling, caches: ReadonlyArray<number>, order: Order): E.Either<Failure, Visit> =>
  pipe(
    legal(t),
    E.chain(() => visitingOrder(t.grid, order)),
    E.chain(wavesOf(t.clusters)),
    E.map((waves) => ({
      order,
      waves: footprints(panelBytes(t), waves),
      traffic: caches.map((capacity) => lru(capacity, requestsOf(t, waves))),
    })),
  )
