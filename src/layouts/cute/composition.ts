/**
 * Composition: one layout read through another.
 *
 * R = A o B is the layout with R(c) = A(B(c)) whose shape refines that of B. It distributes over the modes of B, so it is enough to
 * know A o (n:r): walk up the modes of A; the first modes swallow the stride r, the next n values give the extents.
 *
 *     (4,3):(3,1) o 6:2      A at 0 2 4 6 8 10 is 0 6 1 7 2 8
 *       mode 4:3   2 of the stride 2 fit: 2 values, 6 apart         2:6
 *       mode 3:1   3 values are left, 1 apart                        3:1        R = (2,3):(6,1)
 *
 * It exists exactly when n:r meets the modes of A at their ends: at a mode s:d, with r < s, either all n values stay inside, (n-1) r < s,
 * or r divides s and s/r divides n; with r >= s, s divides r. The last mode of A has no end and takes anything. Anything else is refused, by the
 * mode of A where it happens. Negative strides of A are fine; those of B read A at negative indices, where A is odd: A(-i) = -A(i).
 *
 * With a tile for B every mode of A is composed with its own tiler, and modes of A that the tile does not name are gone. With
 * basis strides in B, r@p is a stride along mode p of A.
 *
 * Laws
 * 1. R(i) = A(B(i)) for all i in 0 .. size(B)-1, and the shape of B is compatible with that of R.
 * 2. (A o B) o C = A o (B o C) as functions, where both sides exist.
 * 3. A o (0 .. n-1) is A cut to n; A o identity is A.
 * 4. Refused by the mode where the rule above fails. A layout may exist all the same, by accident of its values: (3,4):(4,1) o 3:4 is
 *    refused though 0, 5, 10 are evenly spaced. CuTe refuses it too.
 *
 * Where implementations differ (the laws decide)
 *   | case                               | CuTe in C++ and its compiler | python/pycute     | here                                                    |
 *   | (8,8):(8,1) o 3:3                  | 3:24                         | refused           | 3:24, law 1                                             |
 *   | 1:1 o 4:1                          | 4:1                          | 4:0               | 4:1: the last mode has no end                           |
 *   | (4,3,1):(3,1,0) o 24:1             | (4,3,2):(3,1,0)              | (4,6):(3,1)       | the first: the last mode is 1:0                         |
 *   | (4,8):(1,4) o [(2,4):(1,2)]        | ((2,4)):((1,2))              | keeps mode 1 of A | the first: compatible with the tile                     |
 *
 * Names: CuTe `composition`.
 * Source: CUTLASS, CuTe: layout algebra documentation, composition.
 */
import * as E from 'fp-ts/lib/Either.js'
import type { Failure } from '../../failure.js'
import { refuse } from '../../failure.js'
import { coalesceOpen, fromFlat } from './coalesce.js'
import type { Layout, Mode } from './layout.js'
import { fromModes, get, leaf, modes } from './layout.js'
import type { Stride } from './scaled-basis.js'
import { scale } from './scaled-basis.js'
import type { Tiler } from './tiler.js'
import { isTuple } from './tree.js'

export type CompositionError = 'cute.composition-divides' | 'cute.composition-mode'

const undivided = (
  i: number,
  mode: Mode,
  count: number,
  stride: number,
  rule: string,
): E.Either<Failure<CompositionError>, never> =>
  refuse(
    'cute.composition-divides',
    `The composition is not defined: at mode ${String(i)} of the left layout (extent ${String(mode.shape)}, after coalescing) ` +
      `${String(count)} values at stride ${String(stride)} are left, and ${rule}`,
  )

/** `count` values at integer stride `stride` through the open modes of A. */
const throughModes = (
  open: ReadonlyArray<Mode>,
  count: number,
  stride: number,
): E.Either<Failure<CompositionError>, Layout> => {
  const sign = Math.sign(stride)
  const out: Mode[] = []
  let n = count
  let r = Math.abs(stride)
  for (const [i, mode] of open.slice(0, -1).entries()) {
    const s = mode.shape
    if (n === 1) {
      r = Math.ceil(r / s)
      continue
    }
    if (r >= s) {
      if (r % s !== 0) return undivided(i, mode, n, r, `${String(s)} does not divide the stride`)
      r /= s
      continue
    }
    if ((n - 1) * r < s) {
      out.push({ shape: n, stride: scale(sign * r)(mode.stride) })
      n = 1
      continue
    }
    if (s % r !== 0) return undivided(i, mode, n, r, `the stride does not divide ${String(s)}`)
    const inside = s / r
    if (n % inside !== 0)
      return undivided(i, mode, n, r, `the ${String(inside)} that fit do not divide ${String(n)}`)
    out.push({ shape: inside, stride: scale(sign * r)(mode.stride) })
    n /= inside
    r = 1
  }
  const last = open.at(-1)
  if (n > 1 || out.length === 0)
    out.push({ shape: n, stride: last === undefined ? 0 : scale(sign * r)(last.stride) })
  return E.right(fromFlat(out))
}

const leafComposition = (
  a: Layout,
  count: number,
  stride: Stride,
): E.Either<Failure<CompositionError>, Layout> => {
  if (stride === 0) return E.right(leaf(count, 0))
  if (typeof stride === 'number') return throughModes(coalesceOpen(a), count, stride)
  const along = get(a, stride.path)
  return E.isLeft(along)
    ? refuse(
        'cute.composition-mode',
        `The right layout strides along mode ${stride.path.join('.')} of the left one: ${along.left.message}`,
      )
    : leafComposition(along.right, count, stride.value)
}

/** A o B, for B a layout. */
const throughLayout = (a: Layout, b: Layout): E.Either<Failure<CompositionError>, Layout> => {
  if (!isTuple(b.shape)) {
    const { stride } = b
    return isTuple(stride) ? E.right(b) : leafComposition(a, b.shape, stride)
  }
  const out: Layout[] = []
  for (const mode of modes(b)) {
    const inner = throughLayout(a, mode)
    if (E.isLeft(inner)) return inner
    out.push(inner.right)
  }
  return E.right(fromModes(out))
}

/**
 * A o B: the layout i -> A(B(i)). A tile composes mode by mode.
 *
 * @example
 * ```ts
 * import { cute } from 'tensorcore-spec/layouts'
 * import * as E from 'fp-ts/lib/Either.js'
 * import { pipe } from 'fp-ts/lib/function.js'
 *
 * const composed = pipe(
 *   E.Do,
 *   E.bind('a', () => cute.parseLayout('(6,2):(8,2)')),
 *   E.bindW('b', () => cute.parseTiler('(4,3):(3,1)')),
 *   E.chainW(({ a, b }) => cute.composition(a, b)),
 * )
 * console.log(E.isRight(composed) ? cute.showLayout(composed.right) : composed.left.message) // ((2,2),3):((24,2),8)
 * ```
 */
export const composition = (a: Layout, b: Tiler): E.Either<Failure<CompositionError>, Layout> => {
  switch (b._tag) {
    case 'layout':
      return throughLayout(a, b)
    case 'full':
      return E.right(a)
    case 'tile': {
      const all = modes(a)
      if (b.modes.length > all.length)
        return refuse(
          'cute.composition-mode',
          `The tile has ${String(b.modes.length)} modes, the layout only ${String(all.length)}`,
        )
      const out: Layout[] = []
      for (const [i, tiler] of b.modes.entries()) {
        const inner = composition(all[i]!, tiler)
        if (E.isLeft(inner)) return inner
        out.push(inner.right)
      }
      return E.right(fromModes(out))
    }
  }
}
