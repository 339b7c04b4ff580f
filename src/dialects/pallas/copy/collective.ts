/**
 * Collective copies: which part of a copy each block of a cluster issues, whom it reaches, and whose barrier hears of it.
 *
 * | collective_axes | leader_tracked | block i of C issues            | the data goes to      | the barrier that hears                         |
 * |-----------------|----------------|--------------------------------|-----------------------|------------------------------------------------|
 * | none            | none           | the slice                      | itself                | its own: 1 arrival, the bytes of dst           |
 * | some, C blocks  | none           | part i of the slice            | all C blocks          | each block's own: 1 arrival, the bytes of dst  |
 * | one, C = 2      | PARTITIONED(a) | half i of dimension a          | itself                | the leader's: 1 arrival, twice the bytes       |
 * | one, C = 2      | REPLICATED     | part i of the slice            | both                  | the leader's: 1 arrival, twice the bytes       |
 *
 * The parts are cut from the leading dimensions of the *transformed* slice, so that each is contiguous in SMEM. The dimensions are taken in
 * turn: one that the number of blocks divides is cut by it; one that divides the number of blocks is cut wholly, and the next is cut by what
 * remains. The swizzled dimension is never cut.
 *
 *     SMEM (64, 64) f16, Tiling (8, 64), Swizzle 128: transformed (8, 1, 8, 64)      C = 4: (2, 1, 8, 64) at [2 i, 0, 0, 0]
 *     SMEM (8, 64)                                    transformed (1, 1, 8, 64)      C = 4: (1, 1, 2, 64) at [0, 0, 2 i, 0]
 *     SMEM (2, 8, 64) with Tiling (8, 64)             transformed (2, 1, 1, 8, 64)   C = 4: (1, 1, 1, 4, 64) at [i div 2, 0, 0, 4 (i mod 2), 0]
 *
 * What only the leader hears is a copy of a pair of CTAs: the hardware pairs ranks 2 i and 2 i + 1, so the axis must be the minormost.
 *
 * Laws
 * 1. The parts of all blocks partition the transformed slice; part i is the i-th of C equal runs of SMEM.
 * 2. Every block holds the bytes that the table says, and the barriers that it names complete, and no others.
 *
 * Names: `collective_axes`, `leader_tracked=plgpu.CopyPartition.PARTITIONED(axis)` or `REPLICATED`; `partitioned_axis` in older releases.
 *
 * Source: JAX docs, Pallas:MGPU reference and `copy_gmem_to_smem`; PTX ISA, cp.async.bulk.tensor, .multicast::cluster and .cta_group.
 */
import * as E from 'fp-ts/lib/Either.js'
import type { Failure } from '../../../failure.js'
import { block, type Build } from '../../../semantics/writing/builder.js'
import { showShape } from '../../../transforms/shape.js'
import { refuse, refused, type Code } from '../codes.js'
import { collectiveHere, type ClusterAxis, type Collective } from './cluster.js'

// ---------------------------------------------------------------- model

/** How the blocks share the data of a collective copy that only the leader tracks. */
export type CopyPartition =
  { readonly _tag: 'PARTITIONED'; readonly axis: number } | { readonly _tag: 'REPLICATED' }

/** `plgpu.CopyPartition`. */
export const CopyPartition: {
  readonly PARTITIONED: (axis: number) => CopyPartition
  readonly REPLICATED: CopyPartition
} = {
  PARTITIONED: (axis) => ({ _tag: 'PARTITIONED', axis }),
  REPLICATED: { _tag: 'REPLICATED' },
}

export interface CollectiveOptions {
  /** axes of the cluster, by name or place */
  readonly collectiveAxes?: ClusterAxis | ReadonlyArray<ClusterAxis>
  readonly leaderTracked?: CopyPartition
  /** the older spelling of `leaderTracked: CopyPartition.PARTITIONED(axis)` */
  readonly partitionedAxis?: number
}

/** A copy that blocks do together. */
export interface Together {
  readonly blocks: Collective
  readonly partition: CopyPartition | null
}

// ---------------------------------------------------------------- what is asked for

/** The blocks that copy together; null if each copies for itself. */
export const togetherOf = (label: string, rank: number, options: CollectiveOptions): Build<Together | null> =>
  block(function* () {
    const { collectiveAxes, leaderTracked, partitionedAxis } = options
    if (leaderTracked !== undefined && partitionedAxis !== undefined)
      return yield* refused(
        'pallas.copy.leader',
        `${label}: partitioned_axis=${String(partitionedAxis)} is the older spelling of leader_tracked: give one of the two`,
      )
    const partition =
      leaderTracked ?? (partitionedAxis === undefined ? null : CopyPartition.PARTITIONED(partitionedAxis))
    if (collectiveAxes === undefined || (typeof collectiveAxes === 'object' && collectiveAxes.length === 0))
      return partition === null
        ? null
        : yield* refused('pallas.copy.leader', `${label}: leader_tracked needs collective_axes, found none`)
    const blocks = yield* collectiveHere(label, collectiveAxes)
    if (partition === null) return blocks.size === 1 ? null : { blocks, partition }
    if (blocks.axes.length > 1)
      return yield* refused(
        'pallas.copy.leader',
        `${label}: leader_tracked takes one collective axis, found ${blocks.axes.map(({ name }) => name).join(', ')}`,
      )
    const [axis] = blocks.axes
    if (blocks.size !== 2)
      return yield* refused(
        'pallas.copy.leader.size',
        `${label}: leader_tracked copies are of two blocks, found the collective axis ${axis!.name} of size ${String(blocks.size)}`,
      )
    if (blocks.strides[0] !== 1)
      return yield* refused(
        'pallas.copy.leader.pair',
        `${label}: leader_tracked copies are of blocks with neighbouring ranks: expected the minormost axis of the cluster, found ${axis!.name}, along which ranks are ${String(blocks.strides[0])} apart`,
      )
    if (partition._tag === 'PARTITIONED' && !(partition.axis >= 0 && partition.axis < rank))
      return yield* refused(
        'pallas.copy.leader.axis',
        `${label}: PARTITIONED(${String(partition.axis)}): the source has dimensions 0 to ${String(rank - 1)}`,
      )
    return { blocks, partition }
  })

/** The shape that a source must have. Refuses another. */
export const checkSource = (
  label: string,
  source: ReadonlyArray<number>,
  destination: ReadonlyArray<number>,
  partition: CopyPartition | null,
): E.Either<Failure<Code>, null> => {
  const axis = partition?._tag === 'PARTITIONED' ? partition.axis : -1
  if (axis >= 0 && axis < source.length && source[axis]! % 2 !== 0)
    return refuse(
      'pallas.copy.leader.divisible',
      `${label}: dimension ${String(axis)} of the source is ${String(source[axis])}: expected a multiple of the collective axis size 2`,
    )
  const expected = destination.map((n, d) => (d === axis ? 2 * n : n))
  if (source.length === expected.length && source.every((n, d) => n === expected[d])) return E.right(null)
  return axis < 0
    ? refuse(
        'pallas.copy.shape',
        `${label}: Expected shapes to match, found a slice of ${showShape(source)} and a ref of ${showShape(destination)}`,
      )
    : refuse(
        'pallas.copy.leader.shape',
        `${label}: Expected source shape to be ${showShape(expected)}, but got ${showShape(source)}. Dim ${String(axis)} is partitioned over an axis of size 2.`,
      )
}

// ---------------------------------------------------------------- parts

/** Into how many parts each dimension is cut so that there are `count`; null if the leading ones do not allow it. */
export const cutsOf = (
  shape: ReadonlyArray<number>,
  count: number,
  swizzled: boolean,
): ReadonlyArray<number> | null => {
  const cuts = shape.map(() => 1)
  let rest = count
  for (let d = 0; rest > 1 && d < shape.length - (swizzled ? 1 : 0); d++) {
    const n = shape[d]!
    if (n % rest === 0) {
      cuts[d] = rest
      rest = 1
    } else if (rest % n === 0) {
      cuts[d] = n
      rest /= n
    } else break
  }
  return rest === 1 ? cuts : null
}
