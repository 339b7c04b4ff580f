/**
 * Integer products of the tensor cores: s8 and u8, all four mixes, into s32.
 *
 * There is nothing to align and nothing to round: an instruction adds its 32 products and the accumulator exactly and brings the one sum
 * into 32 bits, by wrapping (modulo 2^32) or, with `.satfinite`, by the nearest number that there is. A longer K is a chain of
 * instructions through the accumulator.
 *
 * | by hand, u8 x u8, c = 2^31 - 10          | exact    | wrapping       | saturating |
 * |------------------------------------------|----------|----------------|------------|
 * | one instruction, 3 * 5 + 1 * 1           | 2^31 + 6 | -2^31 + 6      | 2^31 - 1   |
 * | s8: and a second one, -1 * 8             | 2^31 - 2 | 2^31 - 2       | 2^31 - 9   |
 *
 * So wrapping does not depend on the order of the products nor on where the instructions are cut, and saturating does: it clamps once an
 * instruction, not once a product and not once a chain.
 *
 * The carrier of an integer is its value in every algebra, and so is the product: integers wrap everywhere, there is no other reading of
 * them. A matmul of integers compared in `field` or `real64` is compared over the ring of integers modulo 2^32.
 *
 * Fidelity. Hopper: silicon; all captured integer results of an H100 (`conformance/hopper`), wrapping and saturating, one instruction and
 * chains of four. tcgen05 kind::i8 is documented to do the same, and was not measured.
 *
 * Names: PTX `wgmma.mma_async.sync.aligned.m64nNk32.s32.s8.s8(.satfinite)`, `tcgen05.mma.kind::i8`; CuTe `SM90_64xNx32_S32S8S8_SS_TN`.
 *
 * Laws
 * 1. `integerBlockSum` chained over k equals the captured results of the chip.
 * 2. `integerMma` equals `integerBlockSum` chained over k, for all inputs.
 * 3. Wrapping, the chain is the exact product modulo 2^32: the order and the cuts do not matter.
 * 4. Where no sum of a chain leaves 32 bits, saturating is wrapping.
 * 5. `bitCountMma` is the product of the bits, as integers: an H100's of 256 of them.
 *
 * Source: own measurements on an H100; PTX ISA, "wgmma.mma_async" (.satfinite), "tcgen05.mma" (kind::i8, saturate).
 *
 * @fidelity silicon (Hopper)
 * @fidelity documented (Blackwell)
 */
import * as O from 'fp-ts/lib/Option.js'
import type { IntegerMmaTypes, Mma, MmaShape } from './algebra.js'
import { clamp, wrap } from './integer.js'

/** Products of one instruction. */
export const integerBlockK = 32

const least = -(2n ** 31n)
const greatest = 2n ** 31n - 1n

/**
 * One instruction on one accumulator element: values of `types.a`, of `types.b`, and of s32. a and b have equal lengths, at most 32 (a
 * shorter block is one filled with zeros). Written to be read; `integerMma` is its fast form.
 */
export const integerBlockSum =
  ({ saturate }: Pick<IntegerMmaTypes, 'saturate'>) =>
  (a: readonly number[], b: readonly number[], c: number): number => {
    const exact = a.reduce((sum, x, k) => sum + BigInt(x) * BigInt(b[k]!), BigInt(c))
    if (!saturate) return Number(BigInt.asIntN(32, exact))
    return Number(exact < least ? least : exact > greatest ? greatest : exact)
  }

/**
 * The matrix form: d = c + a b through a chain of instructions. Values, row-major; none unless k is a whole number of instructions. A
 * block's sum is below 32 * 2^16, so sums in f64 are exact.
 */
export const integerMma = (
  { saturate }: Pick<IntegerMmaTypes, 'saturate'>,
  { m, n, k }: MmaShape,
): O.Option<Mma> => {
  if (k % integerBlockK !== 0) return O.none
  const into = saturate ? clamp('i32') : wrap('i32')
  return O.some((a, b, c) => {
    const d = c.slice()
    const sums = new Float64Array(n)
    for (let i = 0; i < m; i++)
      for (let block = 0; block < k; block += integerBlockK) {
        sums.fill(0)
        for (let p = block; p < block + integerBlockK; p++) {
          const x = a[i * k + p]!
          for (let j = 0; j < n; j++) sums[j]! += x * b[p * n + j]!
        }
        for (let j = 0; j < n; j++) d[i * n + j] = into(d[i * n + j]! + sums[j]!)
      }
    return d
  })
}

/** The same for single bits, eight to a byte: sums the number of bits that a and b have in common. It wraps.
 * */
export const bitCountMma =
  ({ m, n, k }: MmaShape): Mma =>
  (a, b, c) => {
    const d = c.slice()
    const into = wrap('i32')
    for (let i = 0; i < m; i++)
      for (let j = 0; j < n; j++) {
        let count = 0
        for (let p = 0; p < k; p++) count += ones[a[i * k + p]! & b[p * n + j]!]!
        d[i * n + j] = into(d[i * n + j]! + count)
      }
    return d
  }

/** How many bits of a byte are set. */
const ones = Uint8Array.from({ length: 256 }, (_, byte) =>
  Array.from({ length: 8 }, (__, bit) => (byte >> bit) & 1).reduce((sum, bit) => sum + bit, 0),
)
