/**
 * Inputs when none are brought: seeded, the same everywhere.
 *
 * An element is drawn from (seed, number of the tensor, row-major index) and nothing else, so a tensor's contents do not depend on how
 * it is read. Values are nearly normal: the sum of four even draws, scaled to variance 1, in (-3.5, 3.5). Scales are positive: of e8m0 the powers of
 * two 1/8 to 8. Integers are even draws of all that there are.
 *
 * Law 1. Mean 0 and variance 1, up to the size of the sample and the rounding to the dtype. (Floats; integers: every value of the dtype comes, and no other.)
 */
import { isFloat, type Dtype, type FloatDtype, type IntDtype } from '../numerics/dtype.js'
import { elementOf, elementsOf, prime } from '../numerics/field.js'
import { encoder } from '../numerics/float-format.js'
import { integerRange } from '../numerics/integer.js'
import type { Algebra } from '../numerics/algebra.js'

/** Scales are positive: powers of two near one, or magnitudes. */
const shaped = (dtype: FloatDtype, x: number): number =>
  dtype === 'e8m0' ? 2 ** Math.round(x) : dtype === 'ue4m3' ? Math.abs(x) : x

/** `count` bit patterns of the dtype, from element `first` on: tensor number `tensor` of the seed. */
export const randomPatterns = (
  dtype: FloatDtype,
  seed: number,
  tensor: number,
  count: number,
  first: number = 0,
): Float64Array => {
  const pattern = encoder(dtype)
  const element = elementsOf(seed, tensor)
  const scale = Math.sqrt(3) / prime
  const out = new Float64Array(count)
  for (let i = 0; i < count; i++) {
    let sum = 0
    for (let j = 0; j < 4; j++) sum += element(4 * (first + i) + j)
    out[i] = pattern(shaped(dtype, (sum - 2 * prime) * scale))
  }
  return out
}

/** `count` integers, from element `first` on: tensor number `tensor` of the seed. Even, of dtypes whose values a residue can count; of wider ones 2^26 - 5 values in the middle. */
export const randomIntegers = (
  dtype: IntDtype,
  seed: number,
  tensor: number,
  count: number,
  first: number = 0,
): Float64Array => {
  const { least, greatest } = integerRange(dtype)
  const all = greatest - least + 1
  const middle = least < 0 ? -Math.floor(prime / 2) : 0
  return Float64Array.from({ length: count }, (_, i) => {
    const residue = elementOf(seed, tensor, first + i)
    return all > prime ? middle + residue : least + Math.floor((residue * all) / prime)
  })
}

/** Carriers of an algebra: the patterns, or the integers, which are the same in all of them. */
export const randomCarriers = (
  algebra: Pick<Algebra, 'fromBits'>,
  dtype: Dtype,
  seed: number,
  tensor: number,
  count: number,
  first: number = 0,
): Float64Array =>
  isFloat(dtype)
    ? randomPatterns(dtype, seed, tensor, count, first).map((p) => algebra.fromBits(dtype, p))
    : randomIntegers(dtype, seed, tensor, count, first)
