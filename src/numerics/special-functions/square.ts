/**
 * The truncated squarer: what the special function unit takes for x^2.
 *
 * Of the products of the bits of a 17-bit x, those that weigh less than 2^19 are not made at all, and the rest is counted in units of 2^19:
 *
 *   Q(x) = ( sum of x_i 2^(2i) where 2i >= 19  +  sum over i < j of x_i x_j 2^(i+j+1) where i+j+1 >= 19 ) / 2^19
 *
 * By hand, bits 15 and 16, and all bits:
 *
 * | x      | x^2 / 2^19 | Q(x)  | lost                                             |
 * |--------|------------|-------|--------------------------------------------------|
 * | 98304  | 18432      | 18432 | nothing: 2^13 + 2^11 + 2^13                      |
 * | 131071 | 32767.5    | 32759 | 8.5 units of 2^19, all of it in the lower columns |
 * | 512    | 0.5        | 0     | its one product, 2^18                            |
 *
 * With its highest bit n apart, x = 2^n + r, the definition is a recurrence: the square of the bit, and its products with the bits of r
 * that are not below 18 - n. So the table of all x is made in one pass.
 *
 *   Q(2^n + r) = Q(r) + [2n >= 19] 2^(2n-19) + floor(r / 2^(18-n))
 *
 * Laws
 * 1. Q is the double sum of the definition, for all 131072 x.
 * 2. x^2 / 2^19 - 34/4 <= Q(x) <= x^2 / 2^19, and Q is below 2^15.
 *
 * Source: measured on an H100. For truncated squarers in such units: Oberman and Siu 2005.
 */

/** Q(x) of every 17-bit x. */
export const truncatedSquare: Uint16Array = (() => {
  const table = new Uint16Array(131072)
  for (let n = 0; n < 17; n++) {
    const bit = 2 ** n
    const own = 2 * n >= 19 ? 2 ** (2 * n - 19) : 0
    for (let r = 0; r < bit; r++) table[bit + r] = table[r]! + own + (r >>> (18 - n))
  }
  return table
})()
