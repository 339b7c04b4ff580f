/** Matrices that stress tensor-core arithmetic, and the combinations of types that there are. */
import { bitsOf, type FloatDtype } from '../../src/numerics/dtype.js'
import { encoder, formatOf, maxExponent, minExponent } from '../../src/numerics/float-format.js'

/**
 * Matrices that stress the formula rather than resemble data: each kind sends values to the places where a fast form
 * could differ from the definition.
 */
export const kinds = [
  'anyBits',
  'ordinary',
  'spread',
  'cancelling',
  'subnormal',
  'edge',
  'specials',
  'zeros',
  'carrying',
] as const

export const matrix = (
  kind: (typeof kinds)[number],
  dtype: FloatDtype,
  count: number,
  next: () => number,
): Float64Array => {
  const f = formatOf(dtype)
  const all = 2 ** bitsOf(dtype)
  const pattern = encoder(dtype, 'rn', true)
  const [low, high] = [minExponent(f), maxExponent(f)]
  const uniform = (): number => next() / 2 ** 32
  const signed = (x: number): number => (next() % 2 ? -x : x)
  const special = [0, -0, Infinity, -Infinity, NaN, 1, -1]
  const one = (): number => {
    switch (kind) {
      case 'carrying':
        // all of one exponent and one sign, significands at their largest: the sums of a block are the largest there are
        return pattern(2 - 2 ** -f.fractionBits)
      case 'anyBits':
        return next() % all
      case 'ordinary':
        return pattern(signed(uniform() + uniform()))
      case 'spread':
        return pattern(signed((1 + uniform()) * 2 ** (low / 2 + uniform() * (high - low) * 0.5)))
      case 'cancelling':
        return pattern(signed(1 + (next() % 4) * 2 ** -f.fractionBits))
      case 'subnormal':
        return pattern(signed(uniform() * 2 ** (low + 1)))
      case 'edge':
        return pattern(signed((2 - uniform() / 8) * 2 ** (next() % 3 ? high / 2 : high)))
      case 'specials':
        return next() % 24 ? pattern(signed(uniform())) : encoder(dtype)(special[next() % special.length]!)
      case 'zeros':
        return next() % 3 ? pattern(signed(0)) : pattern(signed(2 ** low))
    }
  }
  return Float64Array.from({ length: count }, one)
}

// Blackwell's 16-bit and tf32 rows are Hopper's (law 5).
export const combinations: readonly (readonly [
  FloatDtype,
  FloatDtype,
  FloatDtype,
  'hopper' | 'blackwell',
])[] = [
  ['f16', 'f16', 'f32', 'hopper'],
  ['bf16', 'bf16', 'f32', 'hopper'],
  ['f16', 'f16', 'f16', 'hopper'],
  ['tf32', 'tf32', 'f32', 'hopper'],
  ['e4m3', 'e5m2', 'f32', 'hopper'],
  ['e5m2', 'e5m2', 'f16', 'hopper'],
  ['e4m3', 'e5m2', 'f32', 'blackwell'],
  ['e5m2', 'e5m2', 'f16', 'blackwell'],
  ['e2m1', 'e4m3', 'f32', 'blackwell'],
  ['e2m1', 'e2m1', 'f16', 'blackwell'],
]
