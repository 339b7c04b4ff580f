/**
 * What a product reads of tensor memory beside its accumulator: where the scale of a row lies, and the words that say which elements of a sparse A are stored (`sparsity.ts` says
 * which bits of them are of which row). Bytes are counted from the first of the operand, lane by lane (`geometry.ts`).
 *
 *     scales of 128 rows by 4 blocks: row 33, block 2     lane 1, column 1, byte 2 of it: 2048 + 4 + 2
 *
 * Scales of up to 128 rows by 4 blocks fill 4 columns: 32 rows in the lanes, 32 in each column, 4 blocks in its bytes. Rows from 128 on follow, then the
 * next 4 blocks. `halves`: the columns of B of a pair with 64 rows each, whose second half is 64 lanes on.
 *
 * Laws
 * 1. `scaleByte` and `metadataByte` are where `tensor-memory-layout.ts` puts scales and lines of sparse metadata.
 *
 * @fidelity documented
 *
 * Source: PTX ISA, tcgen05.mma: scale factors, sparsity metadata; JAX docs, Pallas:MGPU (tensor memory).
 */
import { tmemLaneBytes } from './geometry.js'

/** Where the scale of row x and factor j lies: 4 factors in a word, 32 rows in the lanes, then the next words. */
export const scaleByte =
  (rows: number, halves: boolean) =>
  (x: number, j: number): number => {
    const half = halves ? Math.floor(x / (rows / 2)) : 0
    const row = halves ? x % (rows / 2) : x
    const blocks = Math.ceil((halves ? rows / 2 : rows) / 128)
    const column = 4 * (blocks * Math.floor(j / 4) + Math.floor(row / 128)) + Math.floor((row % 128) / 32)
    return ((row % 32) + 64 * half) * tmemLaneBytes + 4 * column + (j % 4)
  }

/** Where the word w of a lane lies. */
export const metadataByte = (lane: number, w: number): number => lane * tmemLaneBytes + 4 * w
