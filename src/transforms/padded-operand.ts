/**
 * Padded operands: elements of 4 and 6 bits in the products whose kind has elements of 8 bits, too.
 *
 * The tensor core reads both operands of such a product alike: 16 elements of K from every 16 bytes. Elements of 8 bits fill them; of 4 bits lie in the first
 * 8 bytes, two to a byte, of 6 bits in the first 12, four to three bytes, the low bits first; the rest is not read.
 *
 *     bytes              0      1      ...  7        8 .. 15    16     17     ...
 *     elements of 4      0, 1   2, 3   ...  14, 15   nothing    16, 17 18, 19 ...
 *     bytes              0      1      2     ...  11        12 .. 15    16      ...
 *     elements of 6      0, 1   1, 2   2, 3  ...  14, 15    nothing     16, 17  ...
 *
 * So a row of a swizzle of 128 bytes holds 128 elements of every width, and the operand lies as one of 8 bits would: a descriptor describes that one.
 *
 *     e2m1 (128, 128), swizzle 128, in half bytes   rows  16 by 2048, 8 by 256     K  8 by 32, 16 by 1
 *     e3m2, the same, in quarters of bytes          rows  16 by 4096, 8 by 512     K  8 by 64, 16 by 3
 *     as bytes                                      rows  16 by 1024, 8 by 128     K  128 by 1
 *
 * Names: CUTLASS `float_e2m1_unpacksmem_t`, `float_e3m2_unpacksmem_t`; Triton `nvmma_shared` with fp4Padded; the tensor map's `16U4_ALIGN16B`, `16U6_ALIGN16B`;
 * PTX `.b4x16_p64`, `.b6x16_p32`.
 *
 * Laws
 * 1. Element (i, k) of the ref begins at bit `bits (k mod 16)` of the 16 bytes at `at(i, k - k mod 16)`, where `at` is where `paddedBytes` has an element of a byte.
 * 2. Null exactly for refs that do not lie so.
 * 3. `paddedOf(bits)` is its inverse: `paddedOf(bits)(paddedBytes(r))` has the places of r; null where 16 bytes of K do not lie together.
 *
 * @fidelity documented. Source: PTX ISA, tcgen05.mma: packing of 4-bit and 6-bit elements in shared memory.
 */
import * as Ref from './ref.js'
import type { Mode, TransformedRef } from './ref.js'

/** Elements of K that 16 bytes hold. */
const group = 16
const rowsOfTile = 8

/** How an element of so many bits lies: strides count parts of a byte. */
const partsOf = (bits: number): { readonly inByte: number; readonly element: number } | null =>
  bits === 4 || bits === 6 ? { inByte: 8 / Ref.strideBits(bits), element: bits / Ref.strideBits(bits) } : null

/** The operand of bytes that lies as this one of padded elements; `axis` is K's. */
export const paddedBytes = (axis: 0 | 1, ref: TransformedRef): TransformedRef | null => {
  const parts = partsOf(ref.bits)
  if (parts === null || ref.shape.length !== 2) return null
  const { inByte, element } = parts
  const chains = Ref.chainsOf(ref).map(stepping)
  const alongK = chains[axis]!
  const last = alongK[alongK.length - 1]!
  if (last.size !== group || last.stride !== element) return null
  const wide: ReadonlyArray<ReadonlyArray<Mode>> = chains.map((chain, d) =>
    d === axis ? chain.slice(0, -1) : chain,
  )
  if (wide.some((chain) => chain.some((mode) => mode.size > 1 && mode.stride % (group * inByte) !== 0)))
    return null
  const bytes = wide.map((chain) =>
    chain.map(({ size, stride }): Mode => ({ size, stride: stride / inByte })),
  )
  return Ref.ofChains(
    bytes.map((chain, d) => (d === axis ? cut(joined(chain), ref.swizzle) : cut(chain, rowsOfTile))),
    8,
    ref.byteOffset,
    ref.swizzle,
  )
}

/** The padded elements of an operand of bytes: 16 of K in every 16 bytes of K; null where 16 bytes of K do not lie together. */
export const paddedOf =
  (bits: 4 | 6) =>
  (axis: 0 | 1, ref: TransformedRef): TransformedRef | null => {
    const parts = partsOf(bits)
    if (parts === null || ref.bits !== 8 || ref.shape.length !== 2) return null
    const { inByte, element } = parts
    const chains = Ref.chainsOf(ref).map(stepping)
    const alongK = chains[axis]!
    const last = alongK[alongK.length - 1]!
    if (last.stride !== 1 || last.size % group !== 0) return null
    const whole = chains.every((chain, d) =>
      chain.every(
        ({ size, stride }, level) =>
          size === 1 || (d === axis && level === chain.length - 1) || stride % group === 0,
      ),
    )
    if (!whole) return null
    const many = (chain: ReadonlyArray<Mode>): ReadonlyArray<Mode> =>
      chain.map(({ size, stride }) => ({ size, stride: stride * inByte }))
    return Ref.ofChains(
      chains.map((chain, d) =>
        d === axis
          ? [
              ...many(chain.slice(0, -1)),
              { size: last.size / group, stride: group * inByte },
              { size: group, stride: element },
            ]
          : many(chain),
      ),
      bits,
      ref.byteOffset,
      ref.swizzle,
    )
  }

/** The same places without modes of one step. */
const stepping = (chain: ReadonlyArray<Mode>): ReadonlyArray<Mode> => {
  const steps = chain.filter(({ size }) => size > 1)
  return steps.length === 0 ? chain.slice(-1) : steps
}

/** The same places, the last mode of as many elements where it is longer. */
const cut = (chain: ReadonlyArray<Mode>, unit: number): ReadonlyArray<Mode> => {
  const last = chain[chain.length - 1]!
  if (last.size % unit !== 0 || (last.size === unit && chain.length > 1)) return chain
  const { size, stride } = last
  return [...chain.slice(0, -1), { size: size / unit, stride: stride * unit }, { size: unit, stride }]
}

/** The groups of a row, beside each other, are one run of bytes. */
const joined = (groups: ReadonlyArray<Mode>): ReadonlyArray<Mode> => {
  const next = groups[groups.length - 1]
  return next !== undefined && next.size > 1 && next.stride === group
    ? [...groups.slice(0, -1), { size: next.size * group, stride: 1 }]
    : [...groups, { size: group, stride: 1 }]
}
