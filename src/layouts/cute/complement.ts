/**
 * Complement: the offsets that a layout skips, as a layout.
 *
 * A* = complement(A, M) fills the gaps between the modes of A and then goes on until M is reached. Sorted by stride, a mode s:d that starts where
 * the ones before it end, at c, leaves a gap of d/c; after it everything below s d is taken.
 *
 *     A = (2,2):(1,6), M = 24        2:1  no gap, taken to 2        2:6  gap 6/2 = 3: 3:2, taken to 12        24/12 = 2: 2:12
 *     A* = (3,2):(2,12)              0 2 4 12 14 16, each plus 0 1 6 7: every number below 24 once
 *
 * In a codomain of coordinates every direction has its own gaps. Against a shape each is filled up to its extent; against
 * an integer the last direction of A goes on until the box has M cells.
 *
 * Laws
 * 1. Ordered: A*(i) < A*(i + 1).
 * 2. Disjoint: (A, A*) is injective if A is, so their images meet in 0 only.
 * 3. Bounded: cosize(A*) is at most M rounded up to a multiple of the end of A, its largest stride times that extent. (A, A*) reaches M whenever
 *    the gaps of A divide; then it covers every offset below its cosize.
 * 4. complement(A*, M) is A sorted and coalesced, for an A whose gaps divide, that reaches M.
 *
 * A gap that does not divide, as in (4,2):(1,10), is filled as far as whole tiles fit: 2:4. Modes that overlap are refused: (2,2):(1,1).
 * Where implementations differ: a complement with nothing left is 1:0 in python/pycute and in C++ with static extents, and 1:c in CuTe's compiler and here.
 *
 * Names: CuTe `complement`.
 * Source: CUTLASS, CuTe: layout algebra documentation, complement.
 */
import * as E from 'fp-ts/lib/Either.js'
import type { Failure } from '../../failure.js'
import { refuse } from '../../failure.js'
import { coalesce } from './coalesce.js'
import type { CodomainError, Direction, Path } from './codomain.js'
import { directions } from './codomain.js'
import type { IntTuple } from './int-tuple.js'
import { size } from './int-tuple.js'
import type { Layout } from './layout.js'
import { fromModes, leaf } from './layout.js'
import { samePath, strideAt } from './scaled-basis.js'
import { isTuple } from './tree.js'

export type ComplementError = CodomainError | 'cute.overlap'

interface Gaps {
  readonly gaps: ReadonlyArray<Layout>
  /** Everything below is taken or filled. */
  readonly end: number
}

const fill = ({ path, modes }: Direction): E.Either<Failure<ComplementError>, Gaps> => {
  const gaps: Layout[] = []
  let end = 1
  for (const { shape, stride } of modes) {
    if (stride < end)
      return refuse(
        'cute.overlap',
        `The mode ${String(shape)}:${String(stride)} starts below ${String(end)}, where the modes with smaller strides end; a complement needs modes that do not overlap`,
      )
    gaps.push(leaf(Math.floor(stride / end), strideAt(end, path)))
    end = stride * shape
  }
  return E.right({ gaps, end })
}

/** The extents of a shape, cut where A points: a path of A is one extent, other leaves are one each. */
const extents = (shape: IntTuple, cuts: ReadonlyArray<Path>): ReadonlyArray<readonly [Path, number]> => {
  const walk = (s: IntTuple, path: Path): ReadonlyArray<readonly [Path, number]> =>
    isTuple(s) && !cuts.some((cut) => samePath(cut, path))
      ? s.flatMap((entry, i) => walk(entry, [...path, i]))
      : [[path, size(s)]]
  return walk(shape, [])
}

/** A complement of `l` up to `cotarget`: a size, or the shape of a codomain of coordinates. */
export const complement = (l: Layout, cotarget: IntTuple): E.Either<Failure<ComplementError>, Layout> => {
  const reached = directions(l)
  if (E.isLeft(reached)) return reached
  const plain = reached.right[0]!.path.length === 0
  const targets: ReadonlyArray<readonly [Path, number | null]> =
    plain || !isTuple(cotarget)
      ? reached.right.map(({ path }) => [path, null])
      : extents(
          cotarget,
          reached.right.map(({ path }) => path),
        )
  const out: Layout[] = []
  let box = 1
  for (const [i, [path, extent]] of targets.entries()) {
    const direction = reached.right.find((d) => samePath(d.path, path)) ?? { path, modes: [] }
    const filled = fill(direction)
    if (E.isLeft(filled)) return filled
    const { gaps, end } = filled.right
    box *= end
    for (const gap of gaps) out.push(gap)
    if (extent !== null) out.push(leaf(Math.ceil(extent / end), strideAt(end, path)))
    else if (i === targets.length - 1) out.push(leaf(Math.ceil(size(cotarget) / box), strideAt(end, path)))
  }
  return E.right(coalesce(fromModes(out)))
}
