/**
 * Descriptions: a register layout as anybody's compiler can write it down, in JSON.
 *
 * A description says *what kind* it is and gives that kind's data; together with a shape it becomes a listing, and listings of
 * different kinds are compared element by element. So another compiler dumps what it has, in the vocabulary that it has, and
 * asks whether that is the layout that it should be.
 *
 *     {"kind": "named", "name": "WGMMA"}
 *     {"kind": "strided", "shape": [64, 16], "vectorLength": 2}
 *     {"kind": "linear", "bases": {"register": [[0, 1]], "lane": [...], "warp": [...]}, "outputs": [{"name": "dim0", "size": 64}, ...]}
 *     {"kind": "table", "shape": [64, 8], "elements": [[[[0, 0], [0, 1], [8, 0], [8, 1]], ...], ...]}      warp, lane, register
 *
 * Laws
 * 1. A description of a layout, in every kind that can say it, has the listing of that layout.
 * 2. What is not a description is refused with its path: `$.tiling[0][1]: expected ..., found ...`.
 * 3. `tableOf(l)` is a description of l.
 */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { Failure } from '../failure.js'
import { refuse, unreachable } from '../failure.js'
import type { Shape } from '../transforms/shape.js'
import { isExtent, ravel, sameShape, showShape, unravel } from '../transforms/shape.js'
import type { Wire } from '../wire.js'
import { decode, dictionary, kinded, list, nat, oneOf, record, text } from '../wire.js'
import { linearOutputs, shapeField, stridedFields, tiledFields } from './layout-wire.js'
import * as Linear from './linear/linear-layout.js'
import type { Listing } from './listing.js'
import { listing, listingOf } from './listing.js'
import { parseName } from './named.js'
import type { RegisterLayout } from './register-layout.js'
import { splatLayout } from './splat.js'
import { stridedLayout } from './strided.js'
import * as Tiled from './tiled.js'

// ---------------------------------------------------------------------------------------------- model

/** What people call it; said in answers. */
interface Titled {
  readonly name?: string
}

export interface NamedDescription {
  readonly kind: 'named'
  /** As `parseName` reads it. */
  readonly name: string
}
export interface TiledDescription extends Tiled.TiledSpec, Titled {
  readonly kind: 'tiled'
}
export interface StridedDescription extends Titled {
  readonly kind: 'strided'
  readonly shape: Shape
  readonly vectorLength: number
}
export interface SplatDescription extends Titled {
  readonly kind: 'splat'
  readonly shape: Shape
}
export interface LinearDescription extends Titled {
  readonly kind: 'linear'
  /** Values at 1, 2, 4, ... of register, lane, warp (and block, which must be empty). */
  readonly bases: Readonly<Record<string, ReadonlyArray<ReadonlyArray<number>>>>
  /** In the order of the array's dimensions. */
  readonly outputs: ReadonlyArray<Linear.LinearOutput>
}
export interface TableDescription extends Titled {
  readonly kind: 'table'
  readonly schema?: typeof layoutSchema
  readonly shape: Shape
  /** The index held, by warp, lane, register. */
  readonly elements: ReadonlyArray<ReadonlyArray<ReadonlyArray<ReadonlyArray<number>>>>
}

export type Description =
  | NamedDescription
  | TiledDescription
  | StridedDescription
  | SplatDescription
  | LinearDescription
  | TableDescription

/** A layout that was described, on one shape. */
export interface Described {
  readonly name: string | null
  readonly listing: Listing
  /** The layout, unless it is only a table. */
  readonly layout: RegisterLayout | null
}

export type DescriptionError = 'description'

export const layoutSchema = 'tcspec.layout/1'

// --------------------------------------------------------------------------------------------- decoding

const title = { name: text }
const indices: Wire<ReadonlyArray<ReadonlyArray<number>>> = list(list(nat))

export const descriptionWire: Wire<Description> = kinded<Description>()('a layout description', {
  named: record<NamedDescription>()('a layout by name', { kind: oneOf('named'), name: text }, {}),
  tiled: record<TiledDescription>()('a tiled layout', { kind: oneOf('tiled'), ...tiledFields }, title),
  strided: record<StridedDescription>()(
    'a strided layout',
    { kind: oneOf('strided'), ...stridedFields },
    title,
  ),
  splat: record<SplatDescription>()('a splat layout', { kind: oneOf('splat'), ...shapeField }, title),
  linear: record<LinearDescription>()(
    'a linear layout',
    { kind: oneOf('linear'), bases: dictionary('bases by input', indices), outputs: linearOutputs },
    title,
  ),
  table: record<TableDescription>()(
    'a table of elements',
    { kind: oneOf('table'), ...shapeField, elements: list(list(indices)) },
    { ...title, schema: oneOf(layoutSchema) },
  ),
})

/** A description, or one line that says where it is none. */
export const decodeDescription: (json: unknown) => E.Either<Failure<DescriptionError>, Description> = decode(
  descriptionWire,
  'description',
)

// -------------------------------------------------------------------------------------------- resolving

const at = (path: string, expected: string, found: string): E.Either<Failure<DescriptionError>, never> =>
  refuse('description', `${path}: expected ${expected}, found ${found}`)

const ofLayout =
  (name: string | null, shape: Shape | null) =>
  (layout: RegisterLayout): E.Either<Failure, Described> => {
    const on = shape ?? ownShape(layout)
    return pipe(
      listingOf(layout, on),
      E.map((listed) => ({ name, listing: listed, layout })),
    )
  }

/** The shape that a layout speaks of by itself: its base tile, or the array that it was made for. */
export const ownShape = (layout: RegisterLayout): Shape => {
  switch (layout._tag) {
    case 'tiled':
      return Tiled.baseTileShape(layout)
    case 'strided':
    case 'splat':
      return layout.shape
    case 'linear':
      return Linear.outputShape(layout)
    default:
      return unreachable(layout)
  }
}

const places = ['register', 'lane', 'warp']

const linearOf = (d: LinearDescription): E.Either<Failure, RegisterLayout> => {
  const other = Object.keys(d.bases).find((name) => ![...places, 'block'].includes(name))
  if (other !== undefined)
    return at('$.bases', 'bases of register, lane and warp', `bases of ${JSON.stringify(other)}`)
  const blocks = d.bases['block']?.length ?? 0
  if (blocks > 0) return at('$.bases.block', 'no bases: a layout of one CTA', `${String(blocks)} bases`)
  const moved = d.outputs.findIndex(({ name }, k) => /^dim\d+$/.test(name) && name !== `dim${String(k)}`)
  if (moved >= 0)
    return at(
      `$.outputs[${String(moved)}]`,
      `dim${String(moved)}: outputs in the order of dimensions`,
      d.outputs[moved]!.name,
    )
  return Linear.linearLayout({
    inputs: places.map((name) => ({ name, bases: d.bases[name] ?? [] })),
    outputs: d.outputs,
  })
}

const tableListing = ({ shape, elements }: TableDescription): E.Either<Failure, Listing> => {
  const bad = shape.findIndex((extent) => !isExtent(extent))
  if (bad >= 0) return at(`$.shape[${String(bad)}]`, 'a positive extent', String(shape[bad]))
  const lanes = elements[0]?.length ?? 0
  const registers = elements[0]?.[0]?.length ?? 0
  if (lanes * registers === 0) return at('$.elements', 'at least one element in every lane', 'none')
  const positions = new Int32Array(elements.length * lanes * registers)
  const position = ravel(shape)
  let next = 0
  for (const [w, warp] of elements.entries()) {
    if (warp.length !== lanes)
      return at(
        `$.elements[${String(w)}]`,
        `${String(lanes)} lanes, as in the first warp`,
        String(warp.length),
      )
    for (const [l, lane] of warp.entries()) {
      const path = `$.elements[${String(w)}][${String(l)}]`
      if (lane.length !== registers)
        return at(path, `${String(registers)} registers, as in the first lane`, String(lane.length))
      for (const [r, index] of lane.entries()) {
        if (index.length !== shape.length || index.some((i, d) => i >= shape[d]!))
          return at(`${path}[${String(r)}]`, `an index of ${showShape(shape)}`, `[${index.join(', ')}]`)
        positions[next++] = position(index)
      }
    }
  }
  return listing(shape, elements.length, lanes, registers, positions)
}

/**
 * The listing of a description on a shape. Without a shape, the one that the description speaks of: the base tile of a tiled layout.
 * Errors: data that is no legal layout, a shape that is not the layout's.
 */
export const resolve = (d: Description, shape: Shape | null): E.Either<Failure, Described> => {
  switch (d.kind) {
    case 'named':
      return pipe(parseName(d.name), E.chainW(ofLayout(d.name, shape)))
    case 'tiled':
      return pipe(Tiled.canonicalize(d), E.chainW(ofLayout(d.name ?? null, shape)))
    case 'strided':
      return pipe(stridedLayout(d.shape, d.vectorLength), E.chainW(ofLayout(d.name ?? null, shape)))
    case 'splat':
      return ofLayout(d.name ?? null, shape)(splatLayout(d.shape))
    case 'linear':
      return pipe(linearOf(d), E.chainW(ofLayout(d.name ?? null, shape)))
    case 'table':
      return shape !== null && !sameShape(shape, d.shape)
        ? at('$.shape', showShape(shape), showShape(d.shape))
        : pipe(
            tableListing(d),
            E.map((listed) => ({ name: d.name ?? null, listing: listed, layout: null })),
          )
    default:
      return unreachable(d)
  }
}

// ------------------------------------------------------------------------------------------ descriptions

/** A listing as a table. A splat has none: its one register is every element. */
export const tableOf = (listed: Listing, name: string): TableDescription => {
  const index = unravel(listed.shape)
  const { registers, lanes } = listed
  return {
    schema: layoutSchema,
    kind: 'table',
    name,
    shape: listed.shape,
    elements: Array.from({ length: listed.warps }, (_, w) =>
      Array.from({ length: lanes }, (_, l) =>
        Array.from({ length: registers }, (_, r) =>
          index(listed.positions[(w * lanes + l) * registers + r]!),
        ),
      ),
    ),
  }
}
