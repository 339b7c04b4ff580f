/**
 * Sparse metadata as lines of tensor memory, by CuTe's strides: an address counts bits of a lane, then lanes (1), then the next bits (128). Of 16-bit elements one
 * element of k is one bit, of tf32 two, of 8 bits one, of 4 bits half of one.
 */
import { bitsOf, type Dtype } from '../../../src/numerics/dtype.js'

/** Elements of k of a group, and what a step of k adds to the address, in halves of a bit times 128. */
const forms: Readonly<
  Record<number, { readonly group: number; readonly atom: number; readonly half: number }>
> = {
  32: { group: 2, atom: 16, half: 4 },
  16: { group: 4, atom: 32, half: 2 },
  8: { group: 4, atom: 64, half: 2 },
  4: { group: 8, atom: 128, half: 1 },
}

/** The words of each lane, lane by lane; `of` gives the four bits of a group of a row. */
export const cuteLines = (
  dtype: Dtype,
  rows: number,
  groups: number,
  of: (row: number, group: number) => number,
): ReadonlyArray<number> => {
  const { group, atom, half } = forms[bitsOf(dtype)]!
  const perLane = groups / 8
  const out = new Array<number>(rows * perLane).fill(0)
  for (let row = 0; row < rows; row++)
    for (let g = 0; g < groups; g++) {
      const k = g * group
      const inAtom = k % atom
      // (8, 2, 8) : (1, 8 columns of half an atom's bits, 16), (atom / 2, 2) : (128, 8); of narrow elements (128, atom) : (1, 128)
      const wide = bitsOf(dtype) >= 16
      const lane = wide ? (row % 8) + 16 * Math.floor(row / 16) + 8 * Math.floor(inAtom / (atom / 2)) : row
      const bit =
        (Math.floor(k / atom) * atom * half) / 2 +
        (wide ? 16 * (Math.floor(row / 8) % 2) + ((inAtom % (atom / 2)) * half) / 2 : (inAtom * half) / 2)
      const at = lane * perLane + Math.floor(bit / 32)
      out[at] = out[at]! + of(row, g) * 2 ** (bit % 32)
    }
  return out
}
