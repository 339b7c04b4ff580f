/**
 * Codomains: the modes of a layout, sorted by where their strides point.
 *
 * Complements and inverses work in the codomain, one direction at a time. A plain layout has one direction, the integers (the empty path); a
 * layout with basis strides has one for each path. Every mode remembers the *source*: the product of the extents before it, which is what one step of
 * it adds to the integer that the layout is applied to.
 *
 *     ((4,2),4):((1@1,4@0),1@0)     at 0:  4:1 source 8,  2:4 source 4        at 1:  4:1 source 1
 *
 * Modes of extent 1 or stride 0 reach nothing and are left out.
 *
 * Laws
 * 1. For i = the sum of coordinate times source, l(i) at a path is the sum of coordinate times stride over that path's modes.
 * 2. `assemble` puts a layout at every path into one layout over the nested codomain; paths in between that nothing points at get 1:0.
 *
 * Source: CUTLASS, CuTe: TMA tensors documentation, for the basis strides.
 */
import * as E from 'fp-ts/lib/Either.js'
import { greatest } from '../../greatest.js'
import type { Failure } from '../../failure.js'
import { refuse } from '../../failure.js'
import type { Layout } from './layout.js'
import { flatModes, fromModes, trivial } from './layout.js'
import { coefficient, pathOf, samePath } from './scaled-basis.js'

// ---------------------------------------------------------------------------------------------- model

export type Path = ReadonlyArray<number>

export interface Reach {
  readonly shape: number
  /** Positive. */
  readonly stride: number
  readonly source: number
}

export interface Direction {
  readonly path: Path
  /** By stride, ascending; equal strides in the order of the layout. */
  readonly modes: ReadonlyArray<Reach>
}

export type CodomainError = 'cute.negative-stride'

// ---------------------------------------------------------------------------------------- constructors

/** The directions that a layout reaches, in order of first appearance. The integers, if it reaches nothing. */
export const directions = (l: Layout): E.Either<Failure<CodomainError>, ReadonlyArray<Direction>> => {
  const found: { readonly path: Path; readonly modes: Reach[] }[] = []
  let source = 1
  for (const [i, { shape, stride }] of flatModes(l).entries()) {
    const value = coefficient(stride)
    if (value < 0 && shape > 1)
      return refuse(
        'cute.negative-stride',
        `Mode ${String(i)} has the stride ${String(value)}; expected a stride of at least 0, because the codomain starts at 0`,
      )
    if (value > 0 && shape > 1) {
      const path = pathOf(stride)
      const known = found.find((direction) => samePath(direction.path, path))
      const reach = { shape, stride: value, source }
      if (known === undefined) found.push({ path, modes: [reach] })
      else known.modes.push(reach)
    }
    source *= shape
  }
  if (found.length === 0) found.push({ path: [], modes: [] })
  return E.right(
    found.map(({ path, modes }) => ({ path, modes: [...modes].sort((a, b) => a.stride - b.stride) })),
  )
}

// ----------------------------------------------------------------------------------------- combinators

/** One layout over the nested codomain. A single part at the empty path is that part. */
export const assemble = (parts: ReadonlyArray<{ readonly path: Path; readonly layout: Layout }>): Layout => {
  const whole = parts.find(({ path }) => path.length === 0)
  if (whole !== undefined) return whole.layout
  const width = 1 + greatest(0)(parts.map(({ path }) => path[0]!))
  return fromModes(
    Array.from({ length: width }, (_, step) => {
      const below = parts
        .filter(({ path }) => path[0] === step)
        .map(({ path, layout }) => ({ path: path.slice(1), layout }))
      return below.length === 0 ? trivial : assemble(below)
    }),
  )
}
