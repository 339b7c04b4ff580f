/**
 * The least or the greatest of several words, by a minimum or a maximum of two.
 *
 * In any order it is the same: of f32, -0 is below +0, and the NaN that is made is one word.
 *
 *     max.f32         1, NaN, -3     1
 *     max.NaN.f32     1, NaN, -3     the NaN
 *     max.f32, of magnitudes         3
 *
 * Source: PTX ISA, redux.sync, tcgen05.ld.red.
 */
import type { ScalarOperation } from './operation.js'

/** `magnitudes`: of f32, the sign of each word counts for nothing. Of one word, too, the result is that of the operation. */
export const extremeWord = (
  of: ScalarOperation,
  magnitudes: boolean,
  words: ReadonlyArray<number>,
): number => {
  const at = (i: number): number => words[i]! & (magnitudes ? 0x7fffffff : -1)
  let word = of.compute(at(0), at(0))
  for (let i = 1; i < words.length; i++) word = of.compute(word, at(i))
  return word | 0
}
