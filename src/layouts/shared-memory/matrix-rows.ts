/**
 * Matrix rows: which byte of which row of shared memory a lane of a warp holds after `ldmatrix`, and where `stmatrix` puts it.
 *
 * Each row of a matrix is 16 bytes of shared memory, anywhere; lane i gives the address of row i. What comes to a lane is a fragment: a word of each of
 * its registers.
 *
 * | shape  | of      | rows a matrix | lane l, register r (of matrix j), byte b                                             |
 * |--------|---------|---------------|--------------------------------------------------------------------------------------|
 * | m8n8   | 16 bits | 8             | row 8j + l/4, byte 4(l%4) + b                                                         |
 * | m8n8   | .trans  | 8             | row 8j + 2(l%4) + b/2, byte 2(l/4) + b%2                                              |
 * | m8n16  | 8 bits  | 8             | as m8n8                                                                              |
 * | m16n8  | .trans  | 8             | row 8j + 2(l%4) + b%2, byte l/4 + 8(b/2): an accumulator of 16 x 8 by columns         |
 * | m16n16 | .trans  | 16            | r = 2j + h: row 16j + 4(l%4) + 2h + b%2, byte l/4 + 8(b/2)                            |
 *
 *     m8n8 .trans, lane 5, register 0: l%4 = 1, l/4 = 1: bytes 2 and 3 of row 2, then of row 3
 *
 * Laws
 * 1. Every byte of every row comes to one lane, register and byte.
 * 2. m8n8: the 8 x 8 of the loaded fragments is the matrix; with .trans it is the transposed one.
 * 3. CuTe's copy traits (LDSM, STSM) say the same of every shape and count.
 *
 * @fidelity silicon for m8n8; documented for the shapes of sm_100, whose figures are read from CuTe.
 * Source: PTX ISA, ldmatrix, stmatrix; CuTe, copy traits of sm75, sm90 and sm100.
 */

export type MatrixShape = 'm8n8' | 'm8n16' | 'm16n8' | 'm16n16'

/** Bytes of a row. */
export const matrixRowBytes = 16
const lanes = 32

/** Rows of one matrix, each with an address of its own. */
export const rowsOfMatrix = (shape: MatrixShape): number => (shape === 'm16n16' ? 16 : 8)
/** Registers of a lane for one matrix. */
export const registersOfMatrix = (shape: MatrixShape): number => (shape === 'm16n16' ? 2 : 1)

/** The row (the lane that gives its address) and the byte in it, as 16 row + byte, of a byte of a lane's register. */
export const matrixByteAt = (
  shape: MatrixShape,
  transposed: boolean,
  lane: number,
  register: number,
  byte: number,
): number => {
  const [four, eight] = [lane % 4, Math.floor(lane / 4)]
  const [low, high] = [byte % 2, Math.floor(byte / 2)]
  const at = (row: number, column: number): number => row * matrixRowBytes + column
  switch (shape) {
    case 'm8n8':
    case 'm8n16':
      return transposed
        ? at(8 * register + 2 * four + high, 2 * eight + low)
        : at(8 * register + eight, 4 * four + byte)
    case 'm16n8':
      return at(8 * register + 2 * four + low, eight + 8 * high)
    case 'm16n16': {
      const [matrix, half] = [Math.floor(register / 2), register % 2]
      return at(16 * matrix + 4 * four + 2 * half + low, eight + 8 * high)
    }
  }
}

const tables = new Map<string, Int32Array>()

/** `matrixByteAt` of all lanes, of the registers of each, of the bytes of each, in this order. */
export const matrixBytes = (shape: MatrixShape, transposed: boolean, count: number): Int32Array => {
  const key = `${shape} ${String(transposed)} ${String(count)}`
  const known = tables.get(key)
  if (known !== undefined) return known
  const registers = count * registersOfMatrix(shape)
  const made = Int32Array.from({ length: lanes * registers * 4 }, (_, i) =>
    matrixByteAt(shape, transposed, Math.floor(i / (4 * registers)), Math.floor(i / 4) % registers, i % 4),
  )
  tables.set(key, made)
  return made
}
