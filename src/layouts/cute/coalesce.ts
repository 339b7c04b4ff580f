/**
 * Coalescing: the shortest flat layout of the same function.
 *
 * Modes of extent 1 do nothing and go; two neighbours (s0:d0)(s1:d1) with d1 = s0 d0 are one mode s0 s1 : d0.
 *
 *     (2,(1,6)):(1,(6,2))   drop 1:6   (2,6):(1,2)   merge   12:1
 *     by mode, profile (_,_):                                (2,6):(1,2)
 *
 * A layout all of whose modes have extent 1 keeps the last one. A profile is a tree: every leaf coalesces one part, and modes that the
 * profile does not name are left alone.
 *
 * Laws
 * 1. The function on 0 .. size-1 and the size do not change.
 * 2. Idempotent; the result has depth at most 1, no mode of extent 1 unless it is alone, and no two neighbours that merge.
 * 3. `coalesceBy(profile)` keeps the function on coordinates of the profile.
 * 4. `coalesceOpen` keeps the function on *all* integers: it does not drop the last mode, which is the one without an end.
 *
 * Where implementations differ: CuTe in C++ turns a lone mode of extent 1 into 1:0, CuTe's compiler keeps 1:d. Same function; this module keeps it.
 * Names: CuTe `coalesce`, `coalesce_x`.
 * Source: CUTLASS, CuTe: layout algebra documentation.
 */
import * as E from 'fp-ts/lib/Either.js'
import type { Failure } from '../../failure.js'
import { refuse } from '../../failure.js'
import type { Layout, Mode, ModeError } from './layout.js'
import { flatModes, fromModes, leaf, modes, unchecked } from './layout.js'
import { coefficient, pathOf, samePath } from './scaled-basis.js'
import type { Tree } from './tree.js'
import { isTuple } from './tree.js'

const continues = (a: Mode, b: Mode): boolean =>
  coefficient(b.stride) === a.shape * coefficient(a.stride) && samePath(pathOf(a.stride), pathOf(b.stride))

/** Merges and drops. The last mode is always looked at as if its extent were not 1. */
const shorten = (flat: ReadonlyArray<Mode>): ReadonlyArray<Mode> => {
  const out: Mode[] = []
  for (const [i, mode] of flat.entries()) {
    if (mode.shape === 1 && i < flat.length - 1) continue
    const last = out.at(-1)
    if (last !== undefined && continues(last, mode))
      out.splice(-1, 1, { shape: last.shape * mode.shape, stride: last.stride })
    else out.push(mode)
  }
  return out
}

/** The modes without those of extent 1, unless only one is left. */
const closed = (flat: ReadonlyArray<Mode>): ReadonlyArray<Mode> => {
  const wide = flat.filter((mode) => mode.shape !== 1)
  return shorten(wide.length > 0 ? wide : flat.slice(-1))
}

/** A list of modes as a layout: bare when there is one. */
export const fromFlat = (flat: ReadonlyArray<Mode>): Layout =>
  flat.length === 1
    ? leaf(flat[0]!.shape, flat[0]!.stride)
    : unchecked(
        flat.map((mode) => mode.shape),
        flat.map((mode) => mode.stride),
      )

export const coalesce = (l: Layout): Layout => fromFlat(closed(flatModes(l)))

/** The modes of the same function on all integers. At least one mode, except for a layout without modes. */
export const coalesceOpen = (l: Layout): ReadonlyArray<Mode> => shorten(flatModes(l))

/** Coalesces the part of the layout under every leaf of the profile; what the leaves hold does not matter. */
export const coalesceBy = (l: Layout, profile: Tree<unknown>): E.Either<Failure<ModeError>, Layout> => {
  if (!isTuple(profile)) return E.right(coalesce(l))
  const all = modes(l)
  if (profile.length > all.length)
    return refuse(
      'cute.mode',
      `A profile names ${String(profile.length)} modes, the layout has ${String(all.length)}`,
    )
  const out: Layout[] = []
  for (const [i, mode] of all.entries()) {
    const inner = i < profile.length ? coalesceBy(mode, profile[i]!) : E.right(mode)
    if (E.isLeft(inner)) return inner
    out.push(inner.right)
  }
  return E.right(fromModes(out))
}
