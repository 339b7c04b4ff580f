/**
 * Inverses: from an offset back to an index.
 *
 * A *right* inverse R of A picks, for 0, 1, 2, ... as far as A reaches without a gap, an index that goes there: A(R(i)) = i. Sort the modes of
 * A by stride; a mode that starts exactly where the chain so far ends carries it on. Its extent goes to R, with its source for a stride.
 *
 *     (2,4,6):(4,1,8)    chain: 4:1 (source 2), 2:4 (source 1), 6:8 (source 8)         R = (4,2,6):(2,1,8)
 *     (4,2):(1,5)        chain: 4:1, then 5 is not 4                                    R = 4:1
 *
 * A *left* inverse L of A undoes A on its image: A(L(A(i))) = A(i). It reads the offset as digits: with the strides d0 < d1 < ... the digit of
 * mode k is (x div dk) mod (dk+1 div dk).
 *
 *     (4,2):(1,5)        digits x mod 5, x div 5; sources 1, 4                          L = (5,2):(1,4)
 *     4:2                x mod 2 is lost, then x div 2                                  L = (2,4):(0,1)
 *
 * For a layout of coordinates both work in every direction on its own, and the result is a layout over the nested codomain.
 *
 * Laws
 * 1. A(R(i)) = i for i in 0 .. size(R)-1, as a natural coordinate when A has basis strides. No R is longer, if A is injective.
 * 2. A(L(A(i))) = A(i) for all i in 0 .. size(A)-1. If A is injective, L(A(i)) = i.
 * 3. The two are equal functions on 0 .. size-1 for a bijection onto 0 .. size-1.
 *
 * `leftInverse` refuses a stride that the next one is not a multiple of, and modes that overlap so that a digit runs past its
 * extent. `rightInverse` never fails, but for negative strides; the worst is 1:0.
 *
 * Where implementations differ (the laws decide)
 *   | layout                 | left inverse here   | python/pycute               |
 *   | 4:2                    | (2,4):(0,1)         | (2,4):(4,1), lawful too     |
 *   | (4,2):(1,5)            | (5,2):(1,4)         | 4:1, breaks law 2           |
 *   | (2,4,8):(32,0,2)       | (2,16,2):(0,8,1)    | 1:0, breaks law 2           |
 *   | (4,2):(1,16)           | (16,2):(1,4)        | (4,4,2):(1,8,4), lawful too |
 *   | layout                 | right inverse here  |                             |
 *   | (2,4,4,6):(4,1,0,8)    | (4,2,6):(2,1,32)    | 1:0: a stride of 0 stops it |
 *   | (32,128):(0,1)         | 128:32              | 1:0                         |
 *
 * Names: CuTe `right_inverse`, `left_inverse`, `max_common_layout`, `max_common_vector`.
 * Source: CUTLASS, CuTe: layout algebra; the expectations of its compiler's tests.
 */
import * as E from 'fp-ts/lib/Either.js'
import type { Failure } from '../../failure.js'
import { refuse } from '../../failure.js'
import { coalesce } from './coalesce.js'
import type { CodomainError, Direction, Reach } from './codomain.js'
import { assemble, directions } from './codomain.js'
import { composition } from './composition.js'
import type { Layout } from './layout.js'
import { flatModes, fromModes, leaf, modes, size, trivial } from './layout.js'

export type LeftInverseError = CodomainError | 'cute.inverse-divides' | 'cute.inverse-overlap'

const orTrivial = (parts: ReadonlyArray<Layout>): Layout =>
  parts.length === 0 ? trivial : coalesce(fromModes(parts))

const chain = ({ modes: reaches }: Direction): Layout => {
  const out: Layout[] = []
  let end = 1
  for (const { shape, stride, source } of reaches)
    if (stride === end) {
      out.push(leaf(shape, source))
      end *= shape
    }
  return orTrivial(out)
}

/** R with l(R(i)) = i, as long as `l` has no gap. */
export const rightInverse = (l: Layout): E.Either<Failure<CodomainError>, Layout> => {
  const found = directions(l)
  return E.isLeft(found)
    ? found
    : E.right(assemble(found.right.map((direction) => ({ path: direction.path, layout: chain(direction) }))))
}

/**
 * Is every digit of an offset below the extent of its mode? `reach` is the largest offset of the modes so far; a digit that
 * overflows into the next mode takes all its values. The last mode of the layout itself has no end.
 */
const digitsFit = (reaches: ReadonlyArray<Reach>, lastSource: number): boolean => {
  let reach = 0
  for (const [k, { shape, stride, source }] of reaches.entries()) {
    reach += (shape - 1) * stride
    const next = reaches[k + 1]?.stride ?? Infinity
    const digit = Math.floor(Math.min(reach, next - 1) / stride)
    if (digit >= shape && source !== lastSource) return false
  }
  return true
}

const digits = (
  { path, modes: reaches }: Direction,
  lastSource: number,
): E.Either<Failure<LeftInverseError>, Layout> => {
  const at = path.length === 0 ? '' : ` at mode ${path.join('.')} of the codomain`
  const uneven = reaches.find(
    ({ stride }, k) => k + 1 < reaches.length && reaches[k + 1]!.stride % stride !== 0,
  )
  if (uneven !== undefined)
    return refuse(
      'cute.inverse-divides',
      `The stride ${String(uneven.stride)} does not divide the next larger one${at}; the left inverse reads an offset digit by digit`,
    )
  if (!digitsFit(reaches, lastSource))
    return refuse(
      'cute.inverse-overlap',
      `The modes overlap${at}: an offset does not tell the coordinate of every mode`,
    )
  const lost = reaches.length > 0 && reaches[0]!.stride > 1 ? [leaf(reaches[0]!.stride, 0)] : []
  return E.right(
    orTrivial([
      ...lost,
      ...reaches.map(({ shape, stride, source }, k) =>
        leaf(k + 1 < reaches.length ? reaches[k + 1]!.stride / stride : shape, source),
      ),
    ]),
  )
}

/** L with l(L(l(i))) = l(i). */
export const leftInverse = (l: Layout): E.Either<Failure<LeftInverseError>, Layout> => {
  const found = directions(l)
  if (E.isLeft(found)) return found
  const lastSource = flatModes(l)
    .slice(0, -1)
    .reduce((product, mode) => product * mode.shape, 1)
  const parts: { readonly path: ReadonlyArray<number>; readonly layout: Layout }[] = []
  for (const direction of found.right) {
    const inverse = digits(direction, lastSource)
    if (E.isLeft(inverse)) return inverse
    parts.push({ path: direction.path, layout: inverse.right })
  }
  return E.right(assemble(parts))
}

/** The largest layout V over indices with a(V(i)) = b(V(i)) = i. 1:0 when there is none. */
export const maxCommonLayout = (a: Layout, b: Layout): E.Either<Failure<CodomainError>, Layout> => {
  const inverse = rightInverse(b)
  if (E.isLeft(inverse)) return inverse
  const through = composition(a, inverse.right)
  if (E.isLeft(through)) return E.right(trivial)
  const first = modes(coalesce(through.right))[0]!
  const common = composition(inverse.right, leaf(size(first), 1))
  return E.right(first.stride === 1 && E.isRight(common) ? common.right : trivial)
}

/** How many elements are consecutive, from offset 0, in the same order in both: what one vector access can move. */
export const maxCommonVector = (a: Layout, b: Layout): E.Either<Failure<CodomainError>, number> => {
  const common = maxCommonLayout(a, b)
  return E.isLeft(common) ? common : E.right(size(common.right))
}
