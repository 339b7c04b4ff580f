/**
 * Padded operands: elements of 4 bits in the products whose kind has elements of 8 bits, too.
 *
 * The tensor core reads both operands of such a product alike: 16 elements of K from every 16 bytes. Elements of 8 bits fill them; of 4 bits lie in the first
 * half, two to a byte, and the second half is not read.
 *
 *     bytes          0      1      ...  7        8 .. 15    16     17     ...
 *     elements       0, 1   2, 3   ...  14, 15   nothing    16, 17 18, 19 ...
 *
 * So a row of a swizzle of 128 bytes holds 128 elements of either width, and the operand lies as one of 8 bits would: a descriptor describes that one.
 *
 *     e2m1 (128, 128), swizzle 128, in half bytes   rows  16 by 2048, 8 by 256     K  8 by 32, 16 by 1
 *     as bytes                                      rows  16 by 1024, 8 by 128     K  128 by 1
 *
 * Names: CUTLASS `float_e2m1_unpacksmem_t`; Triton `nvmma_shared` with fp4Padded; the tensor map's `16U4_ALIGN16B`.
 *
 * Laws
 * 1. Element (i, k) of the ref lies in byte `at(i, k - k mod 16) + (k mod 16) div 2`, where `at` is where `paddedBytes` has an element of a byte.
 * 2. Null exactly for refs that do not lie so.
 *
 * @fidelity documented. Source: PTX ISA, tcgen05.mma: packing of 4-bit and 6-bit elements in shared memory.
 */
import * as Ref from './ref.js'
import type { Mode, TransformedRef } from './ref.js'

/** Elements of K that 16 bytes hold. */
const group = 16
/** Half bytes of 16 bytes. */
const groupStride = 32
const rowsOfTile = 8

/** The operand of bytes that lies as this one of padded half bytes; `axis` is K's. */
export const paddedBytes = (axis: 0 | 1, ref: TransformedRef): TransformedRef | null => {
  if (ref.bits !== 4 || ref.shape.length !== 2) return null
  const chains = Ref.chainsOf(ref)
  const alongK = chains[axis]!
  const last = alongK[alongK.length - 1]!
  if (last.size !== group || last.stride !== 1) return null
  const wide: ReadonlyArray<ReadonlyArray<Mode>> = chains.map((chain, d) =>
    d === axis ? chain.slice(0, -1) : chain,
  )
  if (wide.some((chain) => chain.some((mode) => mode.size > 1 && mode.stride % groupStride !== 0)))
    return null
  const bytes = wide.map((chain) => chain.map(({ size, stride }): Mode => ({ size, stride: stride / 2 })))
  return Ref.ofChains(
    bytes.map((chain, d) => (d === axis ? cut(joined(chain), ref.swizzle) : cut(chain, rowsOfTile))),
    8,
    ref.byteOffset,
    ref.swizzle,
  )
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
