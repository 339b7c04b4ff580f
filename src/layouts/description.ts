/**
 * Descriptions: a register layout as anybody's compiler can write it down, in JSON.
 *
 * A description says what kind it is and gives that kind's data; together with a shape it becomes a listing, and listings of
 * different kinds are compared element by element. So another compiler dumps what it has, in the vocabulary that it has, and
 * asks whether that is the layout that it should be.
 *
 * | kind                                             | data                                        | shape                       |
 * |--------------------------------------------------|---------------------------------------------|-----------------------------|
 * | `named`                                          | a name, as `parseName` reads it             | its base tile, or as asked  |
 * | `tiled`                                          | Mosaic's tiling, warp, lane and vector dims | its base tile, or as asked  |
 * | `strided`, `splat`                               | the shape (and vector length)               | its own                     |
 * | `linear`                                         | bases of register, lane and warp            | its outputs                 |
 * | `blocked`, `nvidia_mma`, `slice`, `dot_operand`  | Triton's attributes                         | as asked                    |
 * | `cute_tv`                                        | a CuTe layout (thread, value) -> position   | as asked                    |
 * | `table`                                          | the index held, by warp, lane, register     | its own                     |
 *
 *     {"kind": "strided", "shape": [4, 128], "vectorLength": 2}
 *     {"kind": "cute_tv", "layout": "((4,8,4),(2,2)):((128,1,16),(64,8))", "positions": "column-major", "shape": [64, 8]}
 *
 * Every kind may say a `name` for answers and, where it has no shape of its own, the `shape` that it is for.
 *
 * Laws
 * 1. A description of a layout, in every kind that can say it, has the listing of that layout.
 * 2. What is not a description is refused with its path: `$.tiling[0][1]: expected ..., found ...`.
 * 3. `tableOf(l)` is a description of l, for every l but a splat; `descriptionOf(l)` is one of every l, and as short as l.
 * 4. decodeDescription(JSON of d) = d, for every description d.
 */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { Failure } from '../failure.js'
import { refuse, unreachable } from '../failure.js'
import type { Shape } from '../transforms/shape.js'
import { isExtent, ravel, sameShape, showShape, sizeOf, unravel } from '../transforms/shape.js'
import type { Wire } from '../wire.js'
import { decode, define, described, kinded, list, nat, oneOf, record, text } from '../wire.js'
import { at as cuteAt, modes, size as cuteSize, type Layout } from './cute/layout.js'
import { parseLayout } from './cute/text.js'
import type {
  BlockedDescription,
  DotOperandDescription,
  LinearDescription,
  MmaDescription,
  Said,
  SliceDescription,
} from './encoding-wire.js'
import { distributedCases, distributedOf, linearSpecOf } from './encoding-wire.js'
import { shapeField, stridedFields, tiledFields } from './layout-wire.js'
import type { LinearSpec } from './linear/linear-layout.js'
import * as Linear from './linear/linear-layout.js'
import type { Listing } from './listing.js'
import { checkSize, listing, listingOf } from './listing.js'
import { parseName } from './named.js'
import type { RegisterLayout } from './register-layout.js'
import { splatLayout } from './splat.js'
import { stridedLayout } from './strided.js'
import * as Tiled from './tiled.js'
import { onShape } from './triton/to-linear.js'

// ---------------------------------------------------------------------------------------------- model

export interface NamedDescription {
  readonly kind: 'named'
  readonly name: string
  readonly shape?: Shape
}
export interface TiledDescription extends Tiled.TiledSpec, Said {
  readonly kind: 'tiled'
}
export interface StridedDescription {
  readonly kind: 'strided'
  readonly name?: string
  readonly shape: Shape
  readonly vectorLength: number
}
export interface SplatDescription {
  readonly kind: 'splat'
  readonly schema?: typeof layoutSchema
  readonly name?: string
  readonly shape: Shape
}
export interface CuteTvDescription extends Said {
  readonly kind: 'cute_tv'
  /** Mode 0 the threads (lanes of warp 0, of warp 1, ...), mode 1 the values (registers). */
  readonly layout: string
  /** How a position counts the elements: first dimension fastest, as CuTe does, or last. */
  readonly positions: 'column-major' | 'row-major'
}
export interface TableDescription {
  readonly kind: 'table'
  readonly schema?: typeof layoutSchema
  readonly name?: string
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
  | BlockedDescription
  | MmaDescription
  | SliceDescription
  | DotOperandDescription
  | CuteTvDescription
  | TableDescription

/** A layout that was described, on one shape. */
export interface Described {
  readonly name: string | null
  readonly listing: Listing
  /** The layout, unless only its places are known. */
  readonly layout: RegisterLayout | null
}

export type DescriptionError = 'description'

export const layoutSchema = 'tcspec.layout/1'

// --------------------------------------------------------------------------------------------- decoding

const said = {
  name: described(text, 'what an answer calls it'),
  shape: described(list(nat), 'extents of the array that it is for'),
}
const kind = <K extends string>(name: K): Wire<K> => described(oneOf(name), 'which kind this is')
const schema: Wire<typeof layoutSchema> = described(
  oneOf(layoutSchema),
  'name and version of the schema of answers',
)

export const descriptionWire: Wire<Description> = define('LayoutDescription', () =>
  kinded<Description>()('a layout description', {
    named: record<NamedDescription>()(
      'a layout by name',
      {
        kind: kind('named'),
        name: described(text, 'a name of `tcspec layout names`, such as `WGMMA` or `WG_SPLAT((64, 16))`'),
      },
      { shape: said.shape },
    ),
    tiled: record<TiledDescription>()('a tiled layout', { kind: kind('tiled'), ...tiledFields }, said),
    strided: record<StridedDescription>()(
      'a strided layout',
      { kind: kind('strided'), ...stridedFields },
      { name: said.name },
    ),
    splat: record<SplatDescription>()(
      'a splat layout',
      { kind: kind('splat'), ...shapeField },
      { name: said.name, schema },
    ),
    ...distributedCases,
    cute_tv: record<CuteTvDescription>()(
      'a CuTe TV layout',
      {
        kind: kind('cute_tv'),
        layout: described(
          text,
          'of two modes, threads and values, as CuTe writes it: `((4,8,4),(2,2)):((128,1,16),(64,8))`',
        ),
        positions: described(
          oneOf<'column-major' | 'row-major'>('column-major', 'row-major'),
          'how its values count the elements',
        ),
      },
      said,
    ),
    table: record<TableDescription>()(
      'a table of elements',
      {
        kind: kind('table'),
        ...shapeField,
        elements: described(list(list(list(list(nat)))), 'the index held, by warp, lane and register'),
      },
      { name: said.name, schema },
    ),
  }),
)

/** A description, or one line that says where it is none. */
export const decodeDescription: (json: unknown) => E.Either<Failure<DescriptionError>, Description> = decode(
  descriptionWire,
  'description',
)

// -------------------------------------------------------------------------------------------- resolving

const at = (path: string, expected: string, found: string): E.Either<Failure<DescriptionError>, never> =>
  refuse('description', `${path}: expected ${expected}, found ${found}`)

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

/** A linear layout of one CTA's registers: inputs that are no places would be forgotten, so they must not be there. */
const ofPlaces = (spec: LinearSpec): E.Either<Failure, RegisterLayout> => {
  const other = spec.inputs.find(({ name, bases }) => !places.includes(name) && bases.length > 0)
  if (other !== undefined)
    return at('$', 'a layout of register, lane and warp', `one that depends on ${JSON.stringify(other.name)}`)
  const moved = spec.outputs.findIndex(({ name }, d) => name !== `dim${String(d)}`)
  if (moved >= 0)
    return at(
      '$',
      `the outputs dim0, dim1, ... in their order`,
      spec.outputs.map(({ name }) => name).join(', '),
    )
  return Linear.linearLayout({
    inputs: spec.inputs.filter(({ name }) => places.includes(name)),
    outputs: spec.outputs,
  })
}

const tableListing = ({ shape, elements }: TableDescription): E.Either<Failure, Listing> => {
  const lanes = elements[0]?.length ?? 0
  const registers = elements[0]?.[0]?.length ?? 0
  if (lanes * registers === 0) return at('$.elements', 'an element in every lane', 'none in the first')
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

const tvListing = (
  tv: Layout,
  order: CuteTvDescription['positions'],
  shape: Shape,
): E.Either<Failure, Listing> => {
  const all = modes(tv)
  if (all.length !== 2) return at('$.layout', 'two modes, threads and values', String(all.length))
  const threads = cuteSize(all[0]!)
  if (threads % Tiled.lanesPerWarp !== 0)
    return at('$.layout', 'whole warps of 32 threads in mode 0', `${String(threads)} threads`)
  const registers = cuteSize(all[1]!)
  const fits = checkSize(threads * registers, shape)
  if (E.isLeft(fits)) return fits
  const columnMajor = unravel([...shape].reverse())
  const position = ravel(shape)
  const total = sizeOf(shape)
  const positions = new Int32Array(threads * registers)
  for (let t = 0; t < threads; t++)
    for (let v = 0; v < registers; v++) {
      const p = cuteAt(tv, t + threads * v)
      if (typeof p !== 'number' || p < 0 || p >= total)
        return at(
          '$.layout',
          `positions below the ${String(total)} elements of ${showShape(shape)}`,
          `${String(p)} for thread ${String(t)}, value ${String(v)}`,
        )
      positions[t * registers + v] = order === 'row-major' ? p : position([...columnMajor(p)].reverse())
    }
  return listing(shape, threads / Tiled.lanesPerWarp, Tiled.lanesPerWarp, registers, positions)
}

/** A layout that is for every shape must be told one. */
const onSome = <A>(
  kind: string,
  shape: Shape | null,
  make: (shape: Shape) => E.Either<Failure, A>,
): E.Either<Failure, A> =>
  shape === null
    ? at('$.shape', `the shape of the array, since ${kind} is for every shape`, 'nothing')
    : make(shape)

/**
 * The listing of a description on a shape. Without a shape, the one that the description speaks of. Errors: data that is no
 * legal layout, a shape that is not the layout's, no shape for a kind that is for every shape.
 */
export const resolve = (d: Description, asked: Shape | null): E.Either<Failure, Described> => {
  const own = d.shape ?? null
  const bad = own?.find((extent) => !isExtent(extent))
  if (bad !== undefined) return at('$.shape', 'positive extents', String(bad))
  // A splat broadcasts; any other array has one shape.
  if (d.kind !== 'splat' && own !== null && asked !== null && !sameShape(own, asked))
    return at('$.shape', showShape(asked), showShape(own))
  const shape = asked ?? own
  const name = d.name ?? null
  const ofLayout = (layout: RegisterLayout): E.Either<Failure, Described> =>
    pipe(
      listingOf(layout, shape ?? ownShape(layout)),
      E.map((listed) => ({ name, listing: listed, layout })),
    )
  const ofListing = (listed: E.Either<Failure, Listing>): E.Either<Failure, Described> =>
    pipe(
      listed,
      E.map((found) => ({ name, listing: found, layout: null })),
    )
  switch (d.kind) {
    case 'named':
      return pipe(parseName(d.name), E.chainW(ofLayout))
    case 'tiled':
      return pipe(Tiled.canonicalize(d), E.chainW(ofLayout))
    case 'strided':
      return pipe(stridedLayout(d.shape, d.vectorLength), E.chainW(ofLayout))
    case 'splat':
      return ofLayout(splatLayout(d.shape))
    case 'linear':
      return pipe(ofPlaces(linearSpecOf(d)), E.chain(ofLayout))
    case 'blocked':
    case 'nvidia_mma':
    case 'slice':
    case 'dot_operand':
      return onSome(d.kind, shape, (s) =>
        pipe(
          distributedOf(d),
          E.chainW((spec) => onShape(spec)(s)),
          E.chainW(ofPlaces),
          E.chain(ofLayout),
        ),
      )
    case 'cute_tv':
      return onSome(d.kind, shape, (s) =>
        ofListing(
          pipe(
            parseLayout(d.layout),
            E.chainW((tv) => tvListing(tv, d.positions, s)),
          ),
        ),
      )
    case 'table':
      return ofListing(tableListing(d))
    default:
      return unreachable(d)
  }
}

// ------------------------------------------------------------------------------------------ descriptions

/** A layout by its formula. */
export const descriptionOf = (layout: RegisterLayout): Description => {
  switch (layout._tag) {
    case 'tiled': {
      const { tiling, warpDims, laneDims, vectorDim } = layout
      return { kind: 'tiled', tiling, warpDims, laneDims, vectorDim }
    }
    case 'strided':
      return { kind: 'strided', shape: layout.shape, vectorLength: layout.vectorLength }
    case 'splat':
      return { kind: 'splat', shape: layout.shape }
    case 'linear':
      return {
        kind: 'linear',
        bases: Object.fromEntries(layout.inputs.map(({ name, bases }) => [name, bases])),
        outputs: layout.outputs,
      }
    default:
      return unreachable(layout)
  }
}

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
