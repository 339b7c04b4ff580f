/**
 * Recasting: the same memory, read in elements of another width.
 *
 * `upcast(n)` counts in elements n times as wide, `downcast(n)` in elements an n-th as wide.
 *
 *     upcast(4)     (32,4):(1,32)    the mode of stride 1 loses a factor 4, every other stride is divided by 4     (8,4):(1,8)
 *     downcast(4)   (8,4):(1,8)      the mode of stride 1 gains it                                                  (32,4):(1,32)
 *
 * A stride 1 < d < n loses n/d of its extent and gets stride 1; an extent that is smaller than that becomes 1.
 *
 * Laws
 * 1. The image of upcast(n)(l) is the image of l divided by n, rounded down, for an injective l.
 * 2. upcast(n) of downcast(n)(l) is l; for a layout with a mode of stride 1, the image of downcast(n)(l) is n l + 0 .. n-1.
 * 3. `recast(old, new)` in bits is the upcast by new / old or the downcast by old / new; when neither divides, one after the other.
 *
 * Names: CuTe `upcast`, `downcast`, `recast_layout`.
 * Source: CUTLASS, CuTe: layout.
 */
import * as E from 'fp-ts/lib/Either.js'
import type { Failure } from '../../failure.js'
import { refuse } from '../../failure.js'
import type { Layout, PlainError } from './layout.js'
import { fromModes, isPlain, leaf, modes } from './layout.js'
import { isTuple } from './tree.js'

export type RecastError = PlainError | 'cute.recast-divides'

type Leaf = (shape: number, stride: number) => E.Either<Failure<RecastError>, Layout>

const everywhere =
  (f: Leaf) =>
  (l: Layout): E.Either<Failure<RecastError>, Layout> => {
    const { shape, stride } = l
    if (!isTuple(shape))
      return typeof stride === 'number'
        ? f(shape, stride)
        : refuse('cute.plain', 'Only integer strides can be recast, found a basis stride')
    const out: Layout[] = []
    for (const mode of modes(l)) {
      const inner = everywhere(f)(mode)
      if (E.isLeft(inner)) return inner
      out.push(inner.right)
    }
    return E.right(fromModes(out))
  }

const uneven = (
  shape: number,
  stride: number,
  n: number,
  rule: string,
): E.Either<Failure<RecastError>, never> =>
  refuse(
    'cute.recast-divides',
    `The mode ${String(shape)}:${String(stride)} cannot be counted in elements ${String(n)} times as wide: ${rule}`,
  )

/** Counted in elements n times as wide. */
export const upcast = (n: number): ((l: Layout) => E.Either<Failure<RecastError>, Layout>) =>
  everywhere((shape, stride) => {
    if (stride === 0) return E.right(leaf(shape, 0))
    const step = Math.abs(stride)
    if (step % n === 0) return E.right(leaf(shape, stride / n))
    if (n % step !== 0) return uneven(shape, stride, n, 'neither the stride nor the factor divides the other')
    const together = n / step
    return shape % together === 0 || together % shape === 0
      ? E.right(leaf(Math.ceil(shape / together), Math.sign(stride)))
      : uneven(
          shape,
          stride,
          n,
          `${String(together)} of its elements are one, which does not divide its extent`,
        )
  })

/** Counted in elements an n-th as wide. */
export const downcast = (n: number): ((l: Layout) => E.Either<Failure<RecastError>, Layout>) =>
  everywhere((shape, stride) =>
    E.right(Math.abs(stride) === 1 ? leaf(shape * n, stride) : leaf(shape, stride * n)),
  )

const gcd = (a: number, b: number): number => (b === 0 ? a : gcd(b, a % b))

/** By how much elements of `from` bits widen and then narrow to become elements of `to` bits. */
export const recastFactors = (from: number, to: number): { readonly up: number; readonly down: number } => {
  const g = gcd(from, to)
  return { up: to / g, down: from / g }
}

/** Elements of `from` bits read as elements of `to` bits. */
export const recast =
  (from: number, to: number) =>
  (l: Layout): E.Either<Failure<RecastError>, Layout> => {
    const { up, down } = recastFactors(from, to)
    if (!isPlain(l)) return refuse('cute.plain', 'Only integer strides can be recast, found a basis stride')
    const wide = upcast(up)(l)
    return E.isLeft(wide) ? wide : downcast(down)(wide.right)
  }
