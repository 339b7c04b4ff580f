/**
 * `nd_loop`: a grid of work, dealt out to the programs along some axes.
 *
 * The steps of the grid are counted row by row. Program p of P takes the steps p, p + P, p + 2 P, ...: one in each wave.
 *
 *     grid (2, 3), 4 programs      wave 0                              wave 1
 *     program 0 1 2 3              (0, 0)  (0, 1)  (0, 2)  (1, 0)      (1, 1)  (1, 2)  -  -
 *
 * With a tiling the grid is walked tile by tile, row by row inside a tile and row by row from tile to tile: grid (2, 4) in tiles of (2, 2) is
 * (0, 0) (0, 1) (1, 0) (1, 1) (0, 2) (0, 3) (1, 2) (1, 3).
 *
 * Several axes count as one, the last of them fastest.
 *
 * Laws
 * 1. Over all programs every place of the grid is visited once.
 * 2. Program p visits floor(G / P) places, and one more if p < G mod P: `numLocalSteps`.
 * 3. In a tiling the places of a tile are visited before those of the next.
 *
 * Names: `plgpu.nd_loop(grid, collective_axes=..., tiling=..., init_carry=...)`, `plgpu.NDLoopInfo`.
 *
 * Source: JAX docs, Pallas:MGPU, `nd_loop`.
 */
import * as E from 'fp-ts/lib/Either.js'
import type { Failure } from '../../failure.js'
import {
  block,
  fromEither,
  letIn,
  type Build,
  type Exprs,
  type Steps,
} from '../../semantics/writing/builder.js'
import { add, i32, lt, mul, select, type Int } from '../../semantics/language/expression.js'
import type { TypeIndex } from '../../semantics/language/types.js'
import { sizeOf } from '../../transforms/shape.js'
import { indicesOf, show } from './blocks.js'
import { refuse } from './codes.js'
import { axisHere } from './context.js'
import { loopWithMasks } from './parities.js'

// ---------------------------------------------------------------- model

/** The place of a program along an axis: `lax.axis_index` and `lax.axis_size`. */
export interface ProgramAxis {
  readonly index: Int
  readonly size: number
}

/** `plgpu.NDLoopInfo`. */
export interface NDLoopInfo<N extends Int | null = Int | null> {
  /** the place in the grid */
  readonly index: ReadonlyArray<Int>
  /** the program's own count of its steps */
  readonly localIndex: Int
  /** the number of its steps; null if it is not known before the end */
  readonly numLocalSteps: N
}

export interface NDLoopSpec {
  readonly grid: ReadonlyArray<number>
  /** axes of the kernel by their names, or any others */
  readonly collectiveAxes: string | ReadonlyArray<string | ProgramAxis>
  readonly tiling?: ReadonlyArray<number>
}

// ---------------------------------------------------------------- places

const legal = (label: string, { grid, collectiveAxes, tiling }: NDLoopSpec): E.Either<Failure, null> => {
  const bad = grid.findIndex((n) => !Number.isInteger(n) || n < 1)
  if (bad >= 0)
    return refuse(
      'pallas.nd_loop.grid',
      `${label}: dimension ${String(bad)} of the grid ${show(grid)} is ${String(grid[bad])}, expected a positive integer`,
    )
  if (collectiveAxes.length === 0)
    return refuse(
      'pallas.nd_loop.grid',
      `${label}: collective_axes is empty, expected the axes that share the work`,
    )
  if (tiling === undefined) return E.right(null)
  if (tiling.length !== grid.length)
    return refuse(
      'pallas.nd_loop.tiling-rank',
      `${label}: tiling=${show(tiling)} and grid=${show(grid)} must have same length`,
    )
  const uneven = tiling.findIndex((t, d) => !Number.isInteger(t) || t < 1 || grid[d]! % t !== 0)
  return uneven >= 0
    ? refuse(
        'pallas.nd_loop.tiling',
        `${label}: Tiling ${show(tiling)} does not divide grid ${show(grid)}: dimension ${String(uneven)} is ${String(grid[uneven])}, its tile ${String(tiling[uneven])}`,
      )
    : E.right(null)
}

const placeOf = (spec: NDLoopSpec, step: Int): ReadonlyArray<Int> => {
  const { grid, tiling } = spec
  if (tiling === undefined) return indicesOf(grid, step)
  const at = indicesOf([...grid.map((n, d) => n / tiling[d]!), ...tiling], step)
  return grid.map((_, d) => add(mul(at[d]!, i32(tiling[d]!)), at[grid.length + d]!))
}

/** Several axes as one, the last fastest. */
const asOne = (axes: ReadonlyArray<ProgramAxis>): ProgramAxis =>
  axes.reduce((one, axis) => ({
    index: add(mul(one.index, i32(axis.size)), axis.index),
    size: one.size * axis.size,
  }))

// ---------------------------------------------------------------- the loop

/**
 * Runs the body for every place of this program, with the carried values. Refuses a tiling that does not
 * divide the grid.
 */
export const ndLoop = <C extends Readonly<Record<string, TypeIndex>>>(
  label: string,
  spec: NDLoopSpec,
  carried: Exprs<C>,
  body: (info: NDLoopInfo<Int>, carried: Exprs<C>) => Steps<Exprs<C>>,
): Build<Exprs<C>> =>
  block(function* () {
    yield* fromEither(legal(label, spec))
    const { collectiveAxes } = spec
    const axes: ProgramAxis[] = []
    for (const axis of typeof collectiveAxes === 'string' ? [collectiveAxes] : collectiveAxes)
      axes.push(typeof axis === 'string' ? yield* axisHere(label, axis) : axis)
    const program = asOne(axes)
    const [G, P] = [sizeOf(spec.grid), program.size]
    const numLocalSteps = yield* letIn(
      `${label}.num_local_steps`,
      G % P === 0
        ? i32(G / P)
        : add(i32(Math.floor(G / P)), select(lt(program.index, i32(G % P)), i32(1), i32(0))),
    )
    return yield* loopWithMasks<C>(
      { label, from: i32(0), to: numLocalSteps },
      carried,
      function* (localIndex, carrying) {
        const step = yield* letIn('step', add(mul(localIndex, i32(P)), program.index))
        return yield* body({ index: placeOf(spec, step), localIndex, numLocalSteps }, carrying)
      },
    )
  })
