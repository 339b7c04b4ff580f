/**
 * How far an attention kernel may be from naive attention: named data.
 *
 * Attention rounds in three places: the probabilities to the operands' dtype, the sums to f32, the result to the operands' dtype. A result is a
 * mean of values v, so the bounds are for |v| <= 1, and grow with the largest |v|.
 *
 * | dtype  | bound | kind     | measured, blocks of 128, up to 4096 keys                       |
 * |--------|-------|----------|----------------------------------------------------------------|
 * | real64 | 1e-12 | relative | nothing is rounded but f64                                     |
 * | f32    | 1e-6  | absolute | 2.4e-7                                                         |
 * | f16    | 1e-3  | absolute | 8.8e-5 normal, 2.5e-4 uniform in [0, 1)                        |
 * | bf16   | 4e-3  | absolute | 6.6e-4 normal, 2.0e-3 uniform in [0, 1): its last bit is 2^-8   |
 *
 * A lazily rescaled kernel (threshold 8) stays within 15 % of these. `lse` is always f32: the scores' error, 1e-5 here.
 * What the public test suites ask for is kept beside it, to quote.
 *
 * Laws
 * 1. `farthest` is null iff all elements are within the bound, NaN where NaN is expected.
 *
 * Source: an emulation in f32 against f64; the tests of JAX, Modular, CUTLASS and FlashAttention.
 */

// ---------------------------------------------------------------- model

export interface Tolerance {
  readonly kind: 'absolute' | 'relative'
  readonly bound: number
}

export const tolerances: Readonly<Record<'real64' | 'f32' | 'f16' | 'bf16' | 'lse', Tolerance>> = {
  real64: { kind: 'relative', bound: 1e-12 },
  f32: { kind: 'absolute', bound: 1e-6 },
  f16: { kind: 'absolute', bound: 1e-3 },
  bf16: { kind: 'absolute', bound: 4e-3 },
  lse: { kind: 'absolute', bound: 1e-5 },
}

/** What the tests of public kernels ask for: |found - expected| <= absolute + relative |expected|, and a mean. */
export const published: Readonly<
  Record<
    'jax' | 'mojo' | 'cutlass',
    { readonly absolute: number; readonly relative: number; readonly mean: number | null }
  >
> = {
  jax: { absolute: 2e-3, relative: 1e-3, mean: null },
  mojo: { absolute: 1e-5, relative: 1e-2, mean: null },
  cutlass: { absolute: 1e-2, relative: 0, mean: 1e-3 },
}

// ---------------------------------------------------------------- comparing

/** The element that is farthest outside the bound. */
export interface Excess {
  readonly at: number
  readonly found: number
  readonly expected: number
  /** by how much the bound is exceeded; infinite where one of the two is no number */
  readonly by: number
}

/** The worst element outside the bound, or null. `size`: the largest |v|, or 1 where bounds do not grow. */
export const farthest = (
  { kind, bound }: Tolerance,
  found: ArrayLike<number>,
  expected: ArrayLike<number>,
  size: number = 1,
): Excess | null => {
  let worst: Excess | null = null
  for (let at = 0; at < Math.max(found.length, expected.length); at++) {
    const [f, e] = [found[at] ?? NaN, expected[at] ?? NaN]
    if (Object.is(f, e) || f === e) continue
    const most = kind === 'absolute' ? bound * Math.max(1, size) : bound * Math.max(Math.abs(e), size)
    const by = Number.isFinite(f) && Number.isFinite(e) ? Math.abs(f - e) - most : Infinity
    if (by > 0 && (worst === null || by > worst.by)) worst = { at, found: f, expected: e, by }
  }
  return worst
}

/** The largest |x|. */
export const largest = (xs: ArrayLike<number>): number => {
  let most = 0
  for (let i = 0; i < xs.length; i++) most = Math.max(most, Math.abs(xs[i]!))
  return most
}
