/**
 * A ref as arguments: a shape, an element width and the transforms that bring it into shared memory.
 *
 *     tile=8x64 swizzle=128 --shape 128x128 --dtype f16        tile=64x8/8x8: two levels        transpose=1,0
 *     array.json, {"shape": ..., "bits": ..., "transforms": ...}        all of it as JSON (`transforms/array.ts`)
 *
 * Laws
 *  1. the transforms are applied from left to right, as Pallas takes them
 *  2. the element width is said once: by `--dtype`, by `--bits` or in the JSON
 */
import type { Command } from 'commander'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { failure, type Failure } from '../../failure.js'
import { bitsOf, dtypes, isDtype } from '../../numerics/dtype.js'
import { decodeArray, mostElements, sharedArray, type SharedArray } from '../../transforms/array.js'
import { sameShape, showShape, sizeOf, type Shape } from '../../transforms/shape.js'
import * as Transform from '../../transforms/transform.js'
import type { Options, World } from './command.js'
import { meant } from '../../nearest.js'
import { refuseFlag, refuseWord, type FlagFailure } from './flags/choice.js'
import { parseNumbers, parseShape, shapeOption } from './flags/shape.js'
import { wordOf } from './flags/words.js'
import { inFile, parseJson, readJson } from './layouts.js'

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
      return pipe(
        refuseFlag('transform', known, text),
        E.mapLeft(({ code, message }) =>
          failure(code, `${message}${meant(['tile', 'swizzle', 'transpose'])(m?.[1] ?? text)}`),
        ),
      )
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
    if (dtype !== null) return refuseFlag('--bits', 'no --dtype with it', dtype)
    return /^\d{1,4}$/.test(bits) && Number(bits) > 0
      ? E.right(Number(bits))
      : refuseFlag('--bits', 'a positive number of bits', bits)
  }
  const name = dtype ?? 'f16'
  return isDtype(name) ? E.right(bitsOf(name)) : refuseWord('--dtype', dtypes, name)
}

const ofWords = (
  texts: ReadonlyArray<string>,
  options: Options,
  shape: Shape | null,
): E.Either<Failure, SharedArray> =>
  pipe(
    E.Do,
    E.bindW('bits', () => bitsArgument(options)),
    E.bindW('asked', () => shapeOption(options)),
    E.bindW('shape', ({ asked }): E.Either<FlagFailure, Shape> => {
      const one = asked ?? shape
      return one === null ? refuseFlag('--shape', 'a shape such as 128x128', '') : E.right(one)
    }),
    E.chainFirstW(({ shape: s }) =>
      sizeOf(s) > mostElements
        ? refuseFlag('--shape', 'at most 4,194,304 elements', s.join('x'))
        : E.right(null),
    ),
    E.bindW('transforms', () => pipe(texts, E.traverseArray(parseTransform))),
    E.chain(({ shape: s, bits, transforms }) => sharedArray(s, bits, transforms)),
  )

/** Of the JSON: its shape must be that which is asked for, and its elements are said by no flag. */
const ofJson = (
  what: string,
  json: E.Either<Failure, unknown>,
  options: Options,
  shape: Shape | null,
): E.Either<Failure, SharedArray> =>
  pipe(
    E.Do,
    E.bindW('array', () => pipe(json, E.chain(decodeArray), E.mapLeft(inFile(what)))),
    E.bindW('asked', () => shapeOption(options)),
    E.chain(({ array, asked }) => {
      const expected = asked ?? shape
      const flag = ['dtype', 'bits'].find((name) => wordOf(options, name) !== null)
      return flag !== undefined
        ? refuseFlag(
            `--${flag}`,
            `none, because ${what} gives the bits of an element`,
            wordOf(options, flag) ?? '',
          )
        : expected !== null && !sameShape(expected, array.shape)
          ? refuseFlag(what, `the shape ${showShape(expected)}`, showShape(array.shape))
          : E.right(array)
    }),
  )

/** An array as words of transforms, or as one description. */
export const refArguments = (
  world: World,
  texts: ReadonlyArray<string>,
  options: Options,
  shape: Shape | null,
): E.Either<Failure, SharedArray> => {
  const [word = '', ...more] = texts
  return more.length > 0
    ? ofWords(texts, options, shape)
    : word.trimStart().startsWith('{')
      ? ofJson('array', parseJson('array', word), options, shape)
      : /\.json$/i.test(word)
        ? ofJson(word, readJson(world, word), options, shape)
        : ofWords(texts, options, shape)
}
