/**
 * An array in shared memory, in JSON: its shape, its elements, and the transforms that bring it there.
 *
 *     {"shape": [128, 128], "bits": 16, "transforms": [{"kind": "tile", "tiling": [[8, 64]]}, {"kind": "swizzle", "bytes": 128}]}
 *
 * | kind        | data                                                   | `Transform`               |
 * |-------------|--------------------------------------------------------|---------------------------|
 * | `tile`      | `tiling`: tiles, the outermost first                   | `tiled(tiling)`           |
 * | `swizzle`   | `bytes`: 16, 32, 64 or 128                             | `swizzle(bytes)`          |
 * | `transpose` | `permutation`: dimension k of memory is permutation[k] | `transpose(permutation)`  |
 *
 * Laws
 * 1. arrayOf(describeArray(a)) = a, through JSON text too.
 * 2. describeArray(arrayOf(d)) = d, for every description d that does not say its schema.
 * 3. What is no array is refused: what has not the form with its path, what cannot be with the reason of its constructor.
 */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { Failure } from '../failure.js'
import { refuse, unreachable } from '../failure.js'
import type { Wire } from '../wire.js'
import { decode, define, described, kinded, list, nat, oneOf, record } from '../wire.js'
import type { TransformedRef } from './ref.js'
import * as Ref from './ref.js'
import type { Shape } from './shape.js'
import { sizeOf } from './shape.js'
import type { Swizzle } from './swizzle.js'
import type { Tile } from './tile.js'
import * as Transform from './transform.js'

// ---------------------------------------------------------------------------------------------- model

export type TransformDescription =
  | { readonly kind: 'tile'; readonly tiling: ReadonlyArray<Tile> }
  | { readonly kind: 'swizzle'; readonly bytes: Swizzle }
  | { readonly kind: 'transpose'; readonly permutation: ReadonlyArray<number> }

export const arraySchema = 'tcspec.array/1'

export interface ArrayDescription {
  readonly schema?: typeof arraySchema
  readonly shape: Shape
  /** of an element */
  readonly bits: number
  readonly transforms: ReadonlyArray<TransformDescription>
}

/** An array that can be, and where its elements lie. */
export interface SharedArray {
  readonly shape: Shape
  readonly bits: number
  readonly transforms: ReadonlyArray<Transform.Transform>
  readonly ref: TransformedRef
}

/** Elements of an array that is described: a table of more would not fit into one text. */
export const mostElements: number = 2 ** 22
/** Bits of all of them together: elements may be wide. */
const mostBits = 2 ** 28
const mostRank = 64

// --------------------------------------------------------------------------------------------- form

const kind = <K extends string>(name: K): Wire<K> => described(oneOf(name), 'which transform this is')
type OfKind<K extends TransformDescription['kind']> = Extract<TransformDescription, { readonly kind: K }>

const transformWire: Wire<TransformDescription> = define('Transform', () =>
  kinded<TransformDescription>()('a transform', {
    tile: record<OfKind<'tile'>>()(
      'a tile transform',
      {
        kind: kind('tile'),
        tiling: described(list(list(nat)), 'tiles that cut the trailing dimensions, the outermost first'),
      },
      {},
    ),
    swizzle: record<OfKind<'swizzle'>>()(
      'a swizzle',
      {
        kind: kind('swizzle'),
        bytes: described(oneOf<Swizzle>(16, 32, 64, 128), 'its span; 16 moves nothing'),
      },
      {},
    ),
    transpose: record<OfKind<'transpose'>>()(
      'a transpose',
      {
        kind: kind('transpose'),
        permutation: described(list(nat), 'which logical dimension each dimension of memory is'),
      },
      {},
    ),
  }),
)

export const arrayWire: Wire<ArrayDescription> = define('SharedArray', () =>
  record<ArrayDescription>()(
    'an array in shared memory',
    {
      shape: described(list(nat), 'extent of every dimension'),
      bits: described(nat, 'bits of an element'),
      transforms: described(list(transformWire), 'transforms, as they are applied'),
    },
    { schema: described(oneOf(arraySchema), 'name and version of this schema') },
  ),
)

// -------------------------------------------------------------------------------------------- meaning

const transformOf = (d: TransformDescription): E.Either<Failure, Transform.Transform> => {
  switch (d.kind) {
    case 'tile':
      return Transform.tiled(d.tiling)
    case 'swizzle':
      return Transform.swizzle(d.bytes)
    case 'transpose':
      return Transform.transpose(d.permutation)
    default:
      return unreachable(d)
  }
}

/** The array of transforms that are known. Errors: those of the transforms; more elements than are described. */
export const sharedArray = (
  shape: Shape,
  bits: number,
  transforms: ReadonlyArray<Transform.Transform>,
): E.Either<Failure, SharedArray> =>
  shape.length > mostRank || sizeOf(shape) > mostElements || sizeOf(shape) * bits > mostBits
    ? refuse(
        'array.size',
        `expected an array of at most ${String(mostRank)} dimensions, ${String(mostElements)} elements and ${String(mostBits)} bits, found ${shape.slice(0, mostRank).join('x')} of ${String(bits)} bits`,
      )
    : pipe(
        Ref.ofTransforms(shape, bits, transforms),
        E.map((ref) => ({ shape, bits, transforms, ref })),
      )

/** The array that is described. */
export const arrayOf = ({ shape, bits, transforms }: ArrayDescription): E.Either<Failure, SharedArray> =>
  pipe(
    transforms,
    E.traverseArray(transformOf),
    E.chain((legal) => sharedArray(shape, bits, legal)),
  )

/** The array of a JSON document. */
export const decodeArray = (json: unknown): E.Either<Failure, SharedArray> =>
  pipe(json, decode(arrayWire, 'array.form'), E.chainW(arrayOf))

const describe = (t: Transform.Transform): TransformDescription => {
  switch (t._tag) {
    case 'Tile':
      return { kind: 'tile', tiling: t.tiling }
    case 'Swizzle':
      return { kind: 'swizzle', bytes: t.swizzle }
    case 'Transpose':
      return { kind: 'transpose', permutation: t.permutation }
    default:
      return unreachable(t)
  }
}

export const describeArray = ({
  shape,
  bits,
  transforms,
}: Pick<SharedArray, 'shape' | 'bits' | 'transforms'>): ArrayDescription => ({
  shape,
  bits,
  transforms: transforms.map(describe),
})
