/**
 * `64x16`, `64,16` and lists of numbers: shapes, tiles, permutations.
 *
 * Laws
 *  1. `64x16` and `64,16` and `(64, 16)` are one shape
 *  2. an extent is a positive integer; everything else is refused
 */
import * as E from 'fp-ts/lib/Either.js'
import type { Shape } from '../../../transforms/shape.js'
import type { Options } from '../command.js'
import { refuseFlag, type FlagFailure } from './choice.js'
import { wordOf } from './words.js'

const numbers = (text: string): ReadonlyArray<number> | null => {
  const inner = text
    .trim()
    .replace(/^[([](.*)[)\]]$/s, '$1')
    .replace(/,\s*$/, '')
  const parts = inner.split(/[x,]/).map((part) => part.trim())
  return parts.every((part) => /^\d{1,9}$/.test(part)) ? parts.map(Number) : null
}

/** Natural numbers: a permutation, an index. */
export const parseNumbers =
  (flag: string, what: string) =>
  (text: string): E.Either<FlagFailure, ReadonlyArray<number>> => {
    const found = numbers(text)
    return found === null ? refuseFlag(flag, what, text) : E.right(found)
  }

/** Positive extents: a shape, a tile. */
export const parseShape =
  (flag: string) =>
  (text: string): E.Either<FlagFailure, Shape> => {
    const found = numbers(text)
    return found === null || found.some((n) => n === 0)
      ? refuseFlag(flag, 'positive extents such as 64x16', text)
      : E.right(found)
  }

/** `--shape`, which may be left out. */
export const shapeOption = (options: Options): E.Either<FlagFailure, Shape | null> => {
  const text = wordOf(options, 'shape')
  return text === null ? E.right(null) : parseShape('--shape')(text)
}
