/**
 * How many columns of tensor memory a kernel takes.
 *
 * Each ref begins at a multiple of 4 columns. The sum is rounded up to a multiple of 8 and then to what can be allocated. A union of groups of
 * refs takes as many columns as its largest group, whose refs lie behind each other.
 *
 *     three refs of 128 columns     ->  starts 0, 128, 256   used 384   allocated 512
 *     refs of 2 and 30 columns      ->  starts 0, 4          used 40    allocated 64
 *
 * A kernel's tensor memory belongs to one CTA or to pairs of them, never some to each.
 *
 * Names: Pallas `plgpu.TMEM` scratch and `plgpu.RefUnion`.
 *
 * Laws
 * 1. Refs do not overlap and begin at multiples of 4.
 * 2. What is allocated is the least power of two from 32 that holds them; above 512 columns is refused.
 * 3. A union of one group takes what the group takes.
 *
 * Source: JAX docs, Pallas:MGPU reference (tensor memory).
 */
import * as E from 'fp-ts/lib/Either.js'
import { greatest } from '../../greatest.js'
import type { Failure } from '../../failure.js'
import { refuse } from '../../failure.js'
import { roundToAllocation, tmemColumns } from './geometry.js'

// ---------------------------------------------------------------------------------------------- model

/** What one ref wants. */
export interface TensorMemoryUse {
  /** Lanes. */
  readonly rows: number
  readonly columns: number
  /** Shared by a pair of CTAs. */
  readonly collective: boolean
}

export interface Allocation {
  /** First column of each ref, in their order. */
  readonly starts: ReadonlyArray<number>
  /** Columns in use, a multiple of 8. */
  readonly used: number
  /** Columns to allocate: a power of two from 32 to 512, or 0 where nothing is used. */
  readonly allocated: number
}

export type AllocationError = 'tmem.columns-limit' | 'tmem.collective-mixed' | 'tmem.union-rows'

// ---------------------------------------------------------------------------------------- constructors

const up = (columns: number, multiple: number): number => Math.ceil(columns / multiple) * multiple

/** First columns of refs that lie behind each other, and the end of the last. */
const inOrder = (
  uses: ReadonlyArray<TensorMemoryUse>,
): { readonly starts: ReadonlyArray<number>; readonly end: number } => {
  const starts: number[] = []
  let end = 0
  for (const { columns } of uses) {
    starts.push(end)
    end = up(end + columns, 4)
  }
  return { starts, end }
}

const oneKind = (
  uses: ReadonlyArray<TensorMemoryUse>,
): E.Either<Failure<AllocationError>, ReadonlyArray<TensorMemoryUse>> =>
  uses.some(({ collective }) => collective !== uses[0]!.collective)
    ? refuse(
        'tmem.collective-mixed',
        'Tensor memory of a kernel must be collective throughout or not at all, found both',
      )
    : E.right(uses)

/** Columns of a whole kernel. */
export const allocate = (
  uses: ReadonlyArray<TensorMemoryUse>,
): E.Either<Failure<AllocationError>, Allocation> => {
  const one = oneKind(uses)
  if (E.isLeft(one)) return one
  const { starts, end } = inOrder(uses)
  const used = up(end, 8)
  const allocated = used === 0 ? 0 : roundToAllocation(used)
  return allocated === null
    ? refuse(
        'tmem.columns-limit',
        `Tensor memory has ${String(tmemColumns)} columns, the refs take ${String(used)}`,
      )
    : E.right({ starts, used, allocated })
}

/** What a union of groups of refs wants: they need equally many rows, and one kind of owner. */
export const unionOf = (
  groups: ReadonlyArray<ReadonlyArray<TensorMemoryUse>>,
): E.Either<Failure<AllocationError>, TensorMemoryUse> => {
  const uses = groups.flat()
  const one = oneKind(uses)
  if (E.isLeft(one)) return one
  const rows = uses[0]?.rows ?? 0
  const other = uses.find((use) => use.rows !== rows)
  return other === undefined
    ? E.right({
        rows,
        columns: greatest(0)(groups.map((group) => inOrder(group).end)),
        collective: uses[0]?.collective ?? false,
      })
    : refuse(
        'tmem.union-rows',
        `The members of a union in tensor memory must have equally many rows, found ${String(rows)} and ${String(other.rows)}`,
      )
}
