/**
 * Meshes: how many of a kernel there are, and what their places are called.
 *
 * A mesh is a grid of clusters of blocks of threads; a thread is a warpgroup. A grid has any number of axes, a cluster at most three, a block
 * one. Every axis has a name, and `axis_index(name)` is where one is along it.
 *
 *     grid=(2, 3) ("m", "n"), cluster=(2,) ("pair",), num_threads=2 "wg"      12 blocks of 2 threads
 *     block   0   1   2   3   4   5   6  ...         clusters row-major over the grid, blocks row-major in their cluster
 *     m       0   0   0   0   0   0   1
 *     n       0   0   1   1   2   2   0
 *     pair    0   1   0   1   0   1   0
 *
 * A grid of up to three axes without clusters is launched as it is. Any other is launched as one axis of all its blocks, and the places are
 * taken apart again: a launch has no more than three axes, and its clusters cut its own.
 *
 * Laws
 * 1. Blocks and places are one to one, and the last axis runs fastest.
 * 2. Blocks of one cluster have one place in the grid.
 *
 * Names: `plgpu.Mesh(grid, grid_names, cluster, cluster_names, num_threads, thread_name)`, the same arguments of `plgpu.kernel`.
 *
 * Source: JAX docs, Pallas:MGPU reference (kernel launch); CUDA C++ programming guide, thread hierarchy.
 */
import * as E from 'fp-ts/lib/Either.js'
import type { Failure } from '../../failure.js'
import { i32, place, quo, rem, type Int } from '../../semantics/language/expression.js'
import { sizeOf } from '../../transforms/shape.js'
import { refuse, type Code } from './codes.js'

// ---------------------------------------------------------------- model

export interface MeshOptions {
  /** clusters along each axis (default none: one cluster) */
  readonly grid?: ReadonlyArray<number>
  readonly gridNames?: ReadonlyArray<string>
  /** blocks of a cluster along each axis (default none: one block) */
  readonly cluster?: ReadonlyArray<number>
  readonly clusterNames?: ReadonlyArray<string>
  /** threads of a block: with a name, or not at all */
  readonly numThreads?: number
  readonly threadName?: string
}

export interface Mesh {
  readonly grid: ReadonlyArray<number>
  readonly gridNames: ReadonlyArray<string>
  readonly cluster: ReadonlyArray<number>
  readonly clusterNames: ReadonlyArray<string>
  readonly numThreads: number
  /** null: the one thread has no name */
  readonly threadName: string | null
}

/** A named axis, and a place on it. */
export interface Axis {
  readonly name: string
  readonly of: 'grid' | 'cluster' | 'threads' | 'warps'
  /** among the axes of its kind */
  readonly position: number
  readonly size: number
  readonly index: Int
}

// ---------------------------------------------------------------- constructors

const named = (what: string): string => `expected a name for each axis of the ${what}`
const names = (all: ReadonlyArray<string>): string => `(${all.join(', ')})`
const positive = (n: number): boolean => Number.isSafeInteger(n) && n >= 1

/** Threads that the phases of CUDA know how to count: 2048 / 128. */
const mostThreads = 16
/** Warpgroups of a block of 1024 CUDA threads. */
const mostThreadsOfBlock = 8
const mostBlocksOfCluster = 16

/** `plgpu.Mesh`. */
export const Mesh = (label: string, o: MeshOptions): E.Either<Failure<Code>, Mesh> => {
  const { grid = [], gridNames = [], cluster = [], clusterNames = [], numThreads, threadName } = o
  const no = (code: Code, message: string): E.Either<Failure<Code>, never> =>
    refuse(code, `${label}: ${message}`)
  if (cluster.length > 3)
    return no(
      'pallas.mesh.cluster-rank',
      `cluster ${names(cluster.map(String))} has ${String(cluster.length)} axes: expected at most 3`,
    )
  for (const [what, sizes, given] of [
    ['grid', grid, gridNames],
    ['cluster', cluster, clusterNames],
  ] as const) {
    if (sizes.length !== given.length)
      return no(
        'pallas.mesh.names',
        `${what} ${names(sizes.map(String))} and ${what}_names ${names(given)}: ${named(what)}`,
      )
    const d = sizes.findIndex((n) => !positive(n))
    if (d >= 0)
      return no(
        'pallas.mesh.size',
        `axis ${given[d]!} of the ${what} has size ${String(sizes[d])}: expected a positive integer`,
      )
  }
  if ((numThreads === undefined) !== (threadName === undefined))
    return no(
      'pallas.mesh.thread-name',
      numThreads === undefined
        ? `thread_name is ${threadName!} and num_threads is not given: expected both or neither`
        : `num_threads is ${String(numThreads)} and thread_name is not given: expected both or neither`,
    )
  if (numThreads !== undefined && !positive(numThreads))
    return no('pallas.mesh.size', `num_threads is ${String(numThreads)}: expected a positive integer`)
  if ((numThreads ?? 1) > mostThreads)
    return no(
      'pallas.mesh.num-threads',
      `num_threads is ${String(numThreads)}: expected at most ${String(mostThreads)} (2048 CUDA threads of 128 each)`,
    )
  if ((numThreads ?? 1) > mostThreadsOfBlock)
    return no(
      'pallas.mesh.block',
      `num_threads is ${String(numThreads)}: a block has at most 1024 CUDA threads, which are ${String(mostThreadsOfBlock)} Pallas threads`,
    )
  if (sizeOf(cluster) > mostBlocksOfCluster)
    return no(
      'pallas.mesh.cluster-size',
      `cluster ${names(cluster.map(String))} has ${String(sizeOf(cluster))} blocks: expected at most ${String(mostBlocksOfCluster)}`,
    )
  const all = [...gridNames, ...clusterNames, ...(threadName === undefined ? [] : [threadName])]
  const twice = all.find((name, k) => all.indexOf(name) < k)
  if (twice !== undefined)
    return no('pallas.mesh.duplicate', `two axes are named ${twice}: expected distinct names`)
  return E.right({
    grid,
    gridNames,
    cluster,
    clusterNames,
    numThreads: numThreads ?? 1,
    threadName: threadName ?? null,
  })
}

// ---------------------------------------------------------------- destructors

/** Is the grid launched as it is? */
const plain = (m: Mesh): boolean => m.cluster.length === 0 && m.grid.length >= 1 && m.grid.length <= 3

/** The launch: blocks along each axis, and blocks of a cluster along each. */
export const launchOf = (
  m: Mesh,
): { readonly grid: ReadonlyArray<number>; readonly cluster: ReadonlyArray<number> } =>
  plain(m)
    ? { grid: m.grid, cluster: [1] }
    : { grid: [sizeOf(m.grid) * sizeOf(m.cluster)], cluster: [sizeOf(m.cluster)] }

/** Coordinate `d` of the `linear`-th place of a shape, row-major. */
export const coordinate = (shape: ReadonlyArray<number>, d: number, linear: Int): Int => {
  const below = sizeOf(shape.slice(d + 1))
  const above = sizeOf(shape.slice(0, d))
  if (shape[d] === 1) return i32(0)
  const high = below === 1 ? linear : quo(linear, i32(below))
  return above === 1 ? high : rem(high, i32(shape[d]!))
}

/** The axes of the grid and of the cluster. */
export const axesOf = (m: Mesh): ReadonlyArray<Axis> => [
  ...m.grid.map((size, position): Axis => ({
    name: m.gridNames[position]!,
    of: 'grid',
    position,
    size,
    index: plain(m) ? place('programId', position) : coordinate(m.grid, position, place('clusterId')),
  })),
  ...m.cluster.map((size, position): Axis => ({
    name: m.clusterNames[position]!,
    of: 'cluster',
    position,
    size,
    index: coordinate(m.cluster, position, place('ctaRank')),
  })),
]
