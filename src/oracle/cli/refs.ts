/**
 * A ref as arguments: a shape, an element width and the transforms that bring it into shared memory.
 *
 *     tile=8x64 swizzle=128 --shape 128x128 --dtype f16        tile=64x8/8x8: two levels        transpose=1,0
 *
 * Laws
 *  1. the transforms are applied from left to right, as Pallas takes them
 *  2. the element width is said once: by `--dtype` or by `--bits`
 */
import type { Command } from 'commander'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { Failure } from '../../failure.js'
import { bitsOf, dtypes, isDtype } from '../../numerics/dtype.js'
import type { TransformedRef } from '../../transforms/ref.js'
import * as Ref from '../../transforms/ref.js'
import type { Shape } from '../../transforms/shape.js'
import * as Transform from '../../transforms/transform.js'
import type { Options } from './command.js'
import { refuseFlag, type FlagFailure } from './flags/choice.js'
import { parseNumbers, parseShape, shapeOption } from './flags/shape.js'
import { wordOf } from './flags/words.js'

export interface RefArguments {
  readonly shape: Shape
  readonly bits: number
  readonly transforms: ReadonlyArray<Transform.Transform>
  readonly ref: TransformedRef
}

const known = 'tile=8x64, swizzle=128 or transpose=1,0'

const parseTransform = (text: string): E.Either<Failure, Transform.Transform> => {
  const m = /^(\w+)=(.+)$/s.exec(text)
  const value = m?.[2] ?? ''
  switch (m?.[1]?.toLowerCase()) {
    case 'tile':
      return pipe(value.split('/'), E.traverseArray(parseShape('tile')), E.chainW(Transform.tiled))
    case 'swizzle':
      return /^\d{1,6}$/.test(value)
        ? Transform.swizzle(Number(value))
        : refuseFlag('swizzle', '16, 32, 64 or 128', value)
    case 'transpose':
      return pipe(
        parseNumbers('transpose', 'a permutation such as 1,0')(value),
        E.chainW(Transform.transpose),
      )
    default:
      return refuseFlag('transform', known, text)
  }
}

export const withElements = (command: Command): Command =>
  command
    .option('--shape <extents>', 'shape of the array, such as 128x128')
    .option('--dtype <dtype>', 'dtype of an element; f16 if not given')
    .option('--bits <n>', 'bits of an element, instead of --dtype')

/** Bits of an element, by dtype or by number; those of f16 if neither is given. */
export const bitsArgument = (options: Options): E.Either<FlagFailure, number> => {
  const [dtype, bits] = [wordOf(options, 'dtype'), wordOf(options, 'bits')]
  if (bits !== null) {
    if (dtype !== null) return refuseFlag('--bits', 'no --dtype beside it', dtype)
    return /^\d{1,4}$/.test(bits) && Number(bits) > 0
      ? E.right(Number(bits))
      : refuseFlag('--bits', 'a positive number of bits', bits)
  }
  const name = dtype ?? 'f16'
  return isDtype(name) ? E.right(bitsOf(name)) : refuseFlag('--dtype', dtypes.join('|'), name)
}

/** A table of more would not fit into one text. */
const mostElements = 2 ** 22

export const refArguments = (
  texts: ReadonlyArray<string>,
  options: Options,
  shape: Shape | null,
): E.Either<Failure, RefArguments> =>
  pipe(
    E.Do,
    E.bindW('bits', () => bitsArgument(options)),
    E.bindW('asked', () => shapeOption(options)),
    E.bindW('shape', ({ asked }): E.Either<FlagFailure, Shape> => {
      const one = asked ?? shape
      return one === null ? refuseFlag('--shape', 'a shape such as 128x128', '') : E.right(one)
    }),
    E.chainFirstW(({ shape: s }) =>
      s.reduce((a, b) => a * b, 1) > mostElements
        ? refuseFlag('--shape', 'at most 4,194,304 elements', s.join('x'))
        : E.right(null),
    ),
    E.bindW('transforms', () => pipe(texts, E.traverseArray(parseTransform))),
    E.bindW('ref', ({ shape: s, bits, transforms }) => Ref.ofTransforms(s, bits, transforms)),
  )
