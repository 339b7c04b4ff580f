/**
 * Sums that are exclusive ors: when a layout of strides is linear over GF(2).
 *
 * A layout made of strides sends an index to a *sum*: every bit of every input coordinate adds its own value, its stride
 * times a power of two. A linear layout sends it to the *exclusive or* of the same values. The two agree on all indices exactly
 * when no addition carries, that is when no two values of one output have a bit in common:
 *
 *     a + b = a xor b  +  2 (a and b)
 *
 *     (4, 2):(1, 4)   values 1 2 | 4    disjoint: bases [1] [2] [4]
 *     (4, 2):(1, 2)   values 1 2 | 2    index 6 -> 2 + 2 = 4, but 2 xor 2 = 0: refused
 *
 * So every conversion into a linear layout lists the values and ends here. Extents must be powers of two: there is no other
 * way to count in bits.
 *
 * Laws
 * 1. Where `carryFree` accepts, the sum of the values of an index's bits equals `apply` of the result, for every index.
 * 2. Where it refuses for a carry, the message names two bits whose sum is not their exclusive or.
 * 3. `checkExtents` accepts exactly the shapes whose extents are powers of two.
 */
import * as E from 'fp-ts/lib/Either.js'
import type { Failure } from '../../failure.js'
import { refuse } from '../../failure.js'
import type { Index, Shape } from '../../transforms/shape.js'
import { isExtent } from '../../transforms/shape.js'
import type { LinearError, LinearLayout, LinearSpec } from '../linear/linear-layout.js'
import { linearLayout } from '../linear/linear-layout.js'

export type CarryFreeError = LinearError | 'conversion.carry'
export type ExtentError = 'conversion.extent'

/** Is every extent a power of two? `what` names a dimension in the refusal. */
export const checkExtents =
  (what: (dimension: number) => string) =>
  (shape: Shape): E.Either<Failure<ExtentError>, Shape> => {
    const d = shape.findIndex((extent) => !(isExtent(extent) && Number.isInteger(Math.log2(extent))))
    return d < 0
      ? E.right(shape)
      : refuse(
          'conversion.extent',
          `${what(d)} has extent ${String(shape[d])}, but a layout over GF(2) counts in bits: expected a power of two`,
        )
  }

/** The values 1, 2, 4 ... times `from`, one for each bit of an extent that is a power of two. */
export const doublings = (extent: number, from: number): ReadonlyArray<number> =>
  Array.from({ length: Math.log2(extent) }, (_, bit) => from * 2 ** bit)

/** The unit vector e_d times a value. */
export const along =
  (rank: number, d: number) =>
  (value: number): Index =>
    Array.from({ length: rank }, (_, k) => (k === d ? value : 0))

/** The linear layout whose bases are the values of the bits of a sum. Errors: a carry; those of `linearLayout`. */
export const carryFree = (spec: LinearSpec): E.Either<Failure<CarryFreeError>, LinearLayout> => {
  for (const [d, output] of spec.outputs.entries()) {
    const seen: { readonly value: number; readonly where: string }[] = []
    for (const { name, bases } of spec.inputs)
      for (const [bit, basis] of bases.entries()) {
        const value = basis[d]!
        const where = `bit ${String(bit)} of ${name}`
        const other = seen.find((earlier) => sharesBit(earlier.value, value))
        if (other !== undefined)
          return refuse(
            'conversion.carry',
            `Not linear over GF(2): along ${output.name}, ${other.where} adds ${String(other.value)} and ${where} adds ${String(value)}, and their sum carries`,
          )
        seen.push({ value, where })
      }
  }
  return linearLayout(spec)
}

const sharesBit = (a: number, b: number): boolean => (BigInt(a) & BigInt(b)) !== 0n
