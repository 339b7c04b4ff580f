/**
 * Collectives: the blocks of a cluster that an operation is of.
 *
 * A cluster is a box of blocks with named axes, ranks row-major (`mesh.ts`). A *collective* over some axes is the set of blocks that agree on all
 * others; a block has an index in it (row-major over the collective's axes, in the order in which they are given), and its *leader* is the
 * block with index 0.
 *
 *     cluster (2, 2) "x" "y"        over x: ranks {0, 2} {1, 3}     over y: {0, 1} {2, 3}     over (x, y): {0, 1, 2, 3}
 *     block (x, y) = (1, 0)         rank 2                          over x: index 1, leader rank 0, mask 0b0101
 *
 * Laws
 * 1. The collectives over any axes partition the ranks; index is a bijection from each to 0 .. size - 1.
 * 2. The mask has the bits of the block's own collective, its own among them.
 * 3. A peer with the block's own indices is the block.
 *
 * Names: `plgpu.kernel(cluster=(2,), cluster_names=("cluster",))`, `collective_axes`.
 *
 * Source: JAX docs, Pallas:MGPU reference.
 */
import { block, type Build } from '../../../semantics/writing/builder.js'
import { add, i32, mul, place, shl, sub, type Int } from '../../../semantics/language/expression.js'
import { sizeOf } from '../../../transforms/shape.js'
import { refused } from '../codes.js'
import { clusterAxes, contextHere, known } from '../context.js'
import type { Axis } from '../mesh.js'

// ---------------------------------------------------------------- model

/** An axis of the cluster by its name or by its place among them. */
export type ClusterAxis = string | number

/** The blocks that a collective operation is of, as one of them sees it. */
export interface Collective {
  readonly axes: ReadonlyArray<Axis>
  /** how many blocks */
  readonly size: number
  /** of this block among them */
  readonly index: Int
  /** of the block with index 0 */
  readonly leader: Int
  /** one bit for each rank */
  readonly mask: Int
  /** ranks between neighbours along each axis of more than one block */
  readonly strides: ReadonlyArray<number>
}

// ---------------------------------------------------------------- axes

const rank = place('ctaRank')
const times = (x: Int, by: number): Int => (by === 1 ? x : mul(x, i32(by)))
const sum = (terms: ReadonlyArray<Int>): Int => terms.reduce((x, y) => add(x, y))

/** Axes of the cluster by name or place. Refuses others, and one twice. */
const axesOf = (label: string, given: ReadonlyArray<ClusterAxis>): Build<ReadonlyArray<Axis>> =>
  block(function* () {
    const { axes } = yield* contextHere
    const own = axes.filter((a) => a.of === 'cluster')
    const names: string[] = []
    for (const axis of given) {
      const name = typeof axis === 'string' ? axis : own.find(({ position }) => position === axis)?.name
      if (name === undefined)
        return yield* refused(
          'pallas.copy.axis',
          `${label}: there is no cluster axis ${String(axis)}: the cluster has ${own.length === 0 ? 'none' : own.map((a) => `${a.name} of size ${String(a.size)}`).join(', ')}`,
        )
      names.push(name)
    }
    return yield* clusterAxes(label, names)
  })

const strideOf = (cluster: ReadonlyArray<number>, a: Axis): number => sizeOf(cluster.slice(a.position + 1))

// ---------------------------------------------------------------- collectives

/** The collective over some axes. */
export const collectiveHere = (
  label: string,
  given: ClusterAxis | ReadonlyArray<ClusterAxis>,
): Build<Collective> =>
  block(function* () {
    const { cluster } = yield* contextHere
    const axes = yield* axesOf(label, typeof given === 'object' ? given : [given])
    const size = sizeOf(axes.map((a) => a.size))
    const moving = axes.filter((a) => a.size > 1)
    if (moving.length === 0)
      return { axes, size, index: i32(0), leader: rank, mask: shl(i32(1), rank), strides: [] }
    const weight = (a: Axis): number => sizeOf(axes.slice(axes.indexOf(a) + 1).map((b) => b.size))
    // the ranks of the collective whose leader has rank 0
    let ranks = [0]
    for (const a of moving)
      ranks = ranks.flatMap((r) => Array.from({ length: a.size }, (_, i) => r + i * strideOf(cluster, a)))
    const bits = i32(ranks.reduce((mask, r) => mask | (1 << r), 0))
    const whole = size === sizeOf(cluster)
    const leader = whole ? i32(0) : sub(rank, sum(moving.map((a) => times(a.index, strideOf(cluster, a)))))
    return {
      axes,
      size,
      index: sum(moving.map((a) => times(a.index, weight(a)))),
      leader,
      mask: whole ? bits : shl(bits, leader),
      strides: moving.map((a) => strideOf(cluster, a)),
    }
  })

/** The rank of the block with other indices along some axes, and this block's along the rest. */
export const peerRank = (
  label: string,
  at: ReadonlyArray<readonly [axis: ClusterAxis, index: Int]>,
): Build<Int> =>
  block(function* () {
    const { cluster } = yield* contextHere
    const axes = yield* axesOf(
      label,
      at.map(([axis]) => axis),
    )
    let found = rank
    for (const [k, a] of axes.entries()) {
      const [, index] = at[k]!
      const there = known(index)
      if (there !== null && (there < 0 || there >= a.size))
        return yield* refused(
          'pallas.copy.peer',
          `${label}: index ${String(there)} is out of bounds for the cluster axis ${a.name} of size ${String(a.size)}`,
        )
      found = add(found, times(sub(index, a.index), strideOf(cluster, a)))
    }
    return found
  })
