/**
 * Pairs of blocks: what `collective_axis` asks of the tensor core's operations.
 *
 * With `collective_axis` the two blocks along an axis of the cluster act as one. The axis must be the minormost of the cluster, and of size 2:
 * then the blocks of a pair have ranks 2i and 2i + 1, which is what the hardware pairs. Only the leader, the even one, issues; the other
 * block skips the operation, since each is predicated on the leader here.
 *
 *     cluster=(2,), cluster_names=("cluster",)      collective_axis="cluster"      CTA group 2, issued where rank mod 2 = 0
 *
 * A completion is for both blocks: it arrives on the barrier at the same place in each, so the cluster is that one pair.
 *
 * Law 1. Without an axis everything is one block's, and nothing is predicated.
 *
 * Names: `collective_axis` of `tcgen05_mma`, `tcgen05_commit_arrive`, `async_copy_*_to_tmem`; PTX `.cta_group::2`.
 *
 * Source: JAX docs, Pallas:MGPU reference, collective tcgen05; PTX ISA, cta_group.
 */
import { block, type Build } from '../../semantics/writing/builder.js'
import {
  and,
  eq,
  i32,
  place,
  rem,
  type Condition,
  type ExprNode,
} from '../../semantics/language/expression.js'
import { refused } from './codes.js'
import { clusterAxes, clusterSize, contextHere } from './context.js'
import { isCollective } from './memory.js'
import { storageOf } from './storage-of.js'

/** Who acts: a block for itself, or the leader of a pair for both. */
export interface Group {
  readonly ctaGroup: 1 | 2
  /** the operation is skipped where this is false */
  readonly when: Condition | null
}

/** Checks the axis. `when` is the caller's own predicate. */
export const groupOf = (
  label: string,
  axisName: string | undefined,
  when: Condition | undefined,
): Build<Group> =>
  block(function* () {
    if (axisName === undefined) return { ctaGroup: 1, when: when ?? null }
    const here = yield* contextHere
    const [axis] = yield* clusterAxes(label, [axisName])
    const last = here.cluster.length - 1
    if (axis === undefined || axis.position !== last)
      return yield* refused(
        'pallas.tcgen05.axis',
        `${label}: collective axis ${axisName} is axis ${String(axis?.position)} of the cluster: expected the minormost, ${String(last)}`,
      )
    if (axis.size !== 2)
      return yield* refused(
        'pallas.tcgen05.axis',
        `${label}: collective axis ${axisName} has size ${String(axis.size)}: expected 2, a pair of blocks`,
      )
    const leads = eq(rem(place('ctaRank'), i32(2)), i32(0))
    return { ctaGroup: 2, when: when === undefined ? leads : and(when, leads) }
  })

/** Ranks of the pair, for a completion: the cluster must be that pair. */
export const pairMask = (label: string, group: Group): Build<number | null> =>
  block(function* () {
    if (group.ctaGroup === 1) return null
    const blocks = clusterSize(yield* contextHere)
    return blocks === 2
      ? 0b11
      : yield* refused(
          'pallas.tcgen05.cluster',
          `${label}: a collective completion arrives in both blocks of a cluster (2, 1, 1), found a cluster of ${String(blocks)} blocks`,
        )
  })

/** Tensor memory is a pair's exactly if the operation is. */
export const belongsTo = (label: string, name: string, ref: ExprNode, group: Group): Build<void> =>
  block(function* () {
    const storage = yield* storageOf(ref)
    if (storage !== null && isCollective(storage) !== (group.ctaGroup === 2))
      yield* refused(
        'pallas.tcgen05.collective',
        group.ctaGroup === 2
          ? `${label}: ${name} ${storage.id} is not collective: with collective_axis all tensor memory must be allocated with collective=True`
          : `${label}: ${name} ${storage.id} is collective: expected collective_axis`,
      )
  })
