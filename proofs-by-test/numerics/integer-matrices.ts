/** Matrices of integers that stress their products, and the combinations of types that there are. */
import type { IntegerMmaTypes } from '../../src/numerics/algebra.js'
import { integerRange } from '../../src/numerics/integer.js'

export const integerKinds = ['any', 'extremes', 'greatest', 'small', 'limits'] as const

/** `any` and `small` draw evenly, `extremes` of the two ends and zero, `greatest` all one value, `limits` near the two ends. */
export const integers = (
  kind: (typeof integerKinds)[number],
  dtype: 'i8' | 'u8' | 'i32',
  count: number,
  next: () => number,
): Float64Array => {
  const { least, greatest } = integerRange(dtype)
  const all = greatest - least + 1
  const one = (): number => {
    switch (kind) {
      case 'any':
        return least + (next() % all)
      case 'extremes':
        return [least, greatest, 0][next() % 3]!
      case 'greatest':
        return greatest
      case 'small':
        return Math.max(least, (next() % 5) - 2)
      case 'limits':
        return next() % 2 ? least + (next() % 64) : greatest - (next() % 64)
    }
  }
  return Float64Array.from({ length: count }, one)
}

export const mixes: readonly IntegerMmaTypes[] = (['i8', 'u8'] as const).flatMap((a) =>
  (['i8', 'u8'] as const).flatMap((b) =>
    [false, true].map((saturate) => ({ a, b, acc: 'i32' as const, saturate })),
  ),
)
