/**
 * Cluster barriers: every block of a cluster has one, and an arrival reaches those that share an axis with it.
 *
 * Each collective axis is one dimension; axes given as a tuple are one dimension together, of their product. An arrive signals the block's own
 * barrier and that of every block that differs from it in one dimension. So a barrier is completed by
 *
 *     num_arrivals * (sum of the sizes - number of dimensions + 1)      arrivals
 *
 *     cluster (2, 2) "x" "y"     collective_axes ("x", "y")     block (0, 0) reaches (0, 0) (1, 0) (0, 1): 3
 *                                collective_axes ("x",)         block (0, 0) reaches (0, 0) (1, 0): 2
 *                                collective_axes (("x", "y"),)  block (0, 0) reaches all four: 4
 *
 * With `leader_tracked` an arrive signals the block at index 0 of the axis alone, whose barrier then counts for all. Waits are local always.
 * An arrive releases at the scope of the cluster, and a wait in a kernel with clusters acquires at it.
 *
 * Laws
 * 1. Whom an arrive reaches, and how many arrivals complete a barrier, by counting blocks (exhausted over small clusters).
 * 2. With clusters of one block it is a `Barrier`.
 *
 * Names: `plgpu.ClusterBarrier(collective_axes, num_barriers, num_arrivals, orders_tensor_core, leader_tracked)`.
 *
 * Source: JAX docs, Pallas:MGPU reference (ClusterBarrier); Mosaic GPU's collective barriers.
 */
import { block, type Build } from '../../semantics/writing/builder.js'
import { add, i32, mul, place, quo, rem, sub, type Int } from '../../semantics/language/expression.js'
import { sizeOf } from '../../transforms/shape.js'
import { allocateBarriers, type Barrier, type BarrierOptions } from './barrier.js'
import { refused } from './codes.js'
import { axisHere, clusterAxes, contextHere } from './context.js'
import type { Axis } from './mesh.js'

// ---------------------------------------------------------------- model

/** Names of axes; those of a tuple are one dimension. */
export type CollectiveAxes = ReadonlyArray<string | ReadonlyArray<string>>

export interface ClusterBarrierOptions<O extends boolean> extends BarrierOptions<O> {
  readonly collectiveAxes: CollectiveAxes
  /** arrivals go to the first block of the axis alone (default false) */
  readonly leaderTracked?: boolean
}

// ---------------------------------------------------------------- ranks

/** Blocks between neighbours along an axis of the cluster. */
const stride = (cluster: ReadonlyArray<number>, a: Axis): number => sizeOf(cluster.slice(a.position + 1))

const scaled = (x: Int, by: number): Int => (by === 1 ? x : mul(x, i32(by)))

/** The coordinate along several axes as one number, row-major. */
const together = (axes: ReadonlyArray<Axis>): Int =>
  axes
    .map((a, k) => scaled(a.index, sizeOf(axes.slice(k + 1).map(({ size }) => size))))
    .reduce((x, y) => add(x, y))

/** The rank of the block whose coordinate along a dimension is `to`, and that is where this one is otherwise. */
const rankAt = (cluster: ReadonlyArray<number>, axes: ReadonlyArray<Axis>, to: Int): Int =>
  axes.reduce((rank, a, k) => {
    const below = sizeOf(axes.slice(k + 1).map(({ size }) => size))
    const moved = rem(below === 1 ? to : quo(to, i32(below)), i32(a.size))
    return add(rank, scaled(sub(moved, a.index), stride(cluster, a)))
  }, place('ctaRank'))

/** The ranks of the blocks that differ in this dimension alone. */
const peers = (cluster: ReadonlyArray<number>, axes: ReadonlyArray<Axis>): ReadonlyArray<Int> => {
  const size = sizeOf(axes.map((a) => a.size))
  if (size === 1) return []
  const own = together(axes)
  return Array.from({ length: size - 1 }, (_, k) =>
    rankAt(cluster, axes, rem(add(own, i32(k + 1)), i32(size))),
  )
}

// ---------------------------------------------------------------- allocation

const isGroup = (a: string | ReadonlyArray<string>): a is ReadonlyArray<string> => typeof a !== 'string'

/** `plgpu.ClusterBarrier`. Refuses a name that is not an axis of the cluster, and a tracked leader of more
 * than one plain axis. */
export const ClusterBarrier = <const O extends boolean = false>(
  name: string,
  options: ClusterBarrierOptions<O>,
): Build<Barrier<O>> =>
  block(function* () {
    const groups = options.collectiveAxes.map((a) => (isGroup(a) ? a : [a]))
    const axes = yield* clusterAxes(name, groups.flat())
    const { cluster } = yield* contextHere
    const dimensions = groups.map((group) => axes.filter((a) => group.includes(a.name)))
    const ordered = dimensions.map((dimension, k) =>
      groups[k]!.flatMap((n) => dimension.filter((a) => a.name === n)),
    )
    const leader = options.leaderTracked === true
    if (leader && (groups.length !== 1 || groups[0]!.length !== 1))
      return yield* refused(
        'pallas.cluster-barrier.leader',
        `${name}: leader_tracked with collective_axes (${groups.map((g) => (g.length === 1 ? g[0]! : `(${g.join(', ')})`)).join(', ')}): expected one axis, not in a tuple`,
      )
    const own = place('ctaRank')
    const reaches = leader
      ? [rankAt(cluster, ordered[0]!, i32(0))]
      : [own, ...ordered.flatMap((dimension) => peers(cluster, dimension))]
    const sizes = ordered.map((dimension) => sizeOf(dimension.map((a) => a.size)))
    const blocks = sizes.reduce((sum, n) => sum + n, 0) - sizes.length + 1
    return yield* allocateBarriers(name, options, (n) => n * blocks, blocks === 1 ? null : reaches)
  })

/** `plgpu.cluster_ref(barrier, {axis: index, ...})`: the same barrier of another block of the cluster. */
export const clusterBarrierRef = <O extends boolean>(
  label: string,
  barrier: Barrier<O>,
  at: Readonly<Record<string, Int>>,
): Build<Barrier<O>> =>
  block(function* () {
    const { cluster } = yield* contextHere
    let rank: Int = place('ctaRank')
    yield* clusterAxes(label, Object.keys(at))
    for (const [name, index] of Object.entries(at)) {
      const axis = yield* axisHere(label, name)
      rank = add(rank, scaled(sub(index, axis.index), stride(cluster, axis)))
    }
    return { ...barrier, rank }
  })
