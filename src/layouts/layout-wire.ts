/**
 * Register layouts in JSON, as programs carry them: the plain data with its `_tag`, decoded only if it is a legal layout.
 *
 *     {"_tag": "strided", "shape": [4, 128], "vectorLength": 2}
 *
 * A *description* (`description.ts`) is the same data told apart by `kind`, and further forms; the fields are defined here once.
 *
 * Laws
 * 1. Data that decodes is the layout itself: decoding what a layout is in JSON gives the layout.
 * 2. Data that is no legal layout is refused with the reason of the layout's constructor.
 */
import * as E from 'fp-ts/lib/Either.js'
import type { Failure } from '../failure.js'
import type { Tile } from '../transforms/tile.js'
import type { Wire } from '../wire.js'
import {
  define,
  described,
  either,
  integer,
  list,
  nat,
  oneOf,
  record,
  refined,
  tagged,
  text,
} from '../wire.js'
import * as Linear from './linear/linear-layout.js'
import type { RegisterLayout } from './register-layout.js'
import type { SplatLayout } from './splat.js'
import * as Strided from './strided.js'
import * as Tiled from './tiled.js'

const nats: Wire<ReadonlyArray<number>> = list(nat)
const tag = <T extends string>(name: T): Wire<T> => described(oneOf(name), 'which form this is')

const partitioned: Wire<Tiled.Partitioned> = either(
  'a dimension or a replication',
  integer,
  record<Tiled.Replicated>()(
    'a replication',
    { _tag: tag('Replicated'), times: described(nat, 'number of copies of each element') },
    {},
  ),
)

export const shapeField: { readonly shape: Wire<ReadonlyArray<number>> } = {
  shape: described(nats, 'extent of every dimension'),
}

export const tiledFields: {
  readonly tiling: Wire<ReadonlyArray<Tile>>
  readonly warpDims: Wire<ReadonlyArray<Tiled.Partitioned>>
  readonly laneDims: Wire<ReadonlyArray<Tiled.Partitioned>>
  readonly vectorDim: Wire<number>
} = {
  tiling: described(list(nats), 'tiles that cut the trailing dimensions, the outermost first'),
  warpDims: described(list(partitioned), 'tiled dimensions that are spread over warps, major to minor'),
  laneDims: described(list(partitioned), 'tiled dimensions that are spread over lanes, major to minor'),
  vectorDim: described(integer, 'the tiled dimension whose elements share a register'),
}

export const stridedFields: {
  readonly shape: Wire<ReadonlyArray<number>>
  readonly vectorLength: Wire<number>
} = { shape: shapeField.shape, vectorLength: described(nat, 'neighbouring elements in one register') }

export const linearOutputs: Wire<ReadonlyArray<Linear.LinearOutput>> = list(
  record<Linear.LinearOutput>()(
    'an output',
    { name: described(text, 'its name'), size: described(nat, 'its extent, a power of two') },
    {},
  ),
)

const whyNot = <A>(result: E.Either<Failure, A>, what: string): string =>
  E.isLeft(result) ? `${what} (${result.left.message})` : what

const tiledWire: Wire<Tiled.TiledSpec & { readonly _tag: 'tiled' }> = record<
  Tiled.TiledSpec & { readonly _tag: 'tiled' }
>()('a tiled layout', { _tag: tag('tiled'), ...tiledFields }, {})

const stridedWire: Wire<Pick<Strided.StridedLayout, '_tag' | 'shape' | 'vectorLength'>> = record<
  Pick<Strided.StridedLayout, '_tag' | 'shape' | 'vectorLength'>
>()('a strided layout', { _tag: tag('strided'), ...stridedFields }, {})

const linearFields: {
  readonly inputs: Wire<ReadonlyArray<Linear.LinearInput>>
  readonly outputs: Wire<ReadonlyArray<Linear.LinearOutput>>
} = {
  inputs: described(
    list(
      record<Linear.LinearInput>()(
        'an input',
        {
          name: described(text, 'its name'),
          bases: described(list(nats), 'the image of each bit, low bit first: a number for each output'),
        },
        {},
      ),
    ),
    'registers, lanes, warps: minor to major',
  ),
  outputs: described(linearOutputs, 'the dimensions, minor to major'),
}

/** Inputs and outputs alone, as data that is not checked. */
export const linearPlainWire: Wire<Linear.LinearSpec> = record<Linear.LinearSpec>()(
  'a linear layout',
  linearFields,
  {},
)

const linearWire: Wire<Linear.LinearSpec & { readonly _tag: 'linear' }> = record<
  Linear.LinearSpec & { readonly _tag: 'linear' }
>()('a linear layout', { _tag: tag('linear'), ...linearFields }, {})

export const registerLayoutWire: Wire<RegisterLayout> = define('RegisterLayout', () =>
  tagged<RegisterLayout>()('a register layout', {
    tiled: refined(tiledWire, 'a legal tiled layout', Tiled.isTiledLayout, tiledWire.schema, (spec) =>
      whyNot(Tiled.tiledLayout(spec), 'a legal tiled layout in canonical form'),
    ),
    strided: refined(
      stridedWire,
      'a legal strided layout',
      Strided.isStridedLayout,
      stridedWire.schema,
      ({ shape, vectorLength }) =>
        whyNot(Strided.stridedLayout(shape, vectorLength), 'a legal strided layout'),
    ),
    splat: record<SplatLayout>()('a splat layout', { _tag: tag('splat'), ...shapeField }, {}),
    linear: refined(linearWire, 'a legal linear layout', Linear.isLinearLayout, linearWire.schema, (spec) =>
      whyNot(Linear.linearLayout(spec), 'a legal linear layout'),
    ),
  }),
)
