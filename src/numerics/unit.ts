/**
 * The algebra with one value: synchronisation alone.
 *
 * Every float element is 0 and every operation on floats gives 0, so a run costs nothing per element and shows
 * exactly the events that do not depend on data. Whatever would let data decide the control flow (comparing
 * floats, converting one to an integer) is lacking. Integers keep their values: loops and addresses are real.
 *
 * Laws: 1, 2, 3, 4 of `algebra.ts`, all trivially: there is only one element.
 */
import * as O from 'fp-ts/lib/Option.js'
import type { Algebra } from './algebra.js'
import { isFloat } from './dtype.js'
import { integerCast } from './integer.js'
import { integerMma } from './integer-product.js'

const zero = (): number => 0

/** One value for everything. */
export const unit: Algebra = {
  name: 'unit',
  description: 'one value: synchronisation without data',
  memory: 'none',
  constant: zero,
  fromBits: zero,
  unary: () => O.some(zero),
  binary: () => O.some(zero),
  fma: () => O.some(zero),
  compare: () => O.none,
  cast: (from, to, _rounding, saturate) => {
    if (isFloat(to)) return O.some(zero)
    return isFloat(from) ? O.none : integerCast(from, to, saturate)
  },
  mma: (types, shape) =>
    types.acc === 'i32' ? integerMma(types, shape) : O.some(() => new Float64Array(shape.m * shape.n)),
  scaledMma: (_types, { m, n }) => O.some(() => new Float64Array(m * n)),
}
