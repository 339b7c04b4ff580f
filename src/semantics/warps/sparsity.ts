/**
 * Structured sparsity in registers: where a warp has the words that say which elements of its sixteen rows of A are stored.
 *
 * A row has four bits of every group of A (`layouts/tensor-memory/sparsity.ts`). Four lanes beside one another, 4 (r mod 8) to 4 (r mod 8) + 3, have those of rows r and r + 8:
 *
 * | elements     | a lane has                                             | row r, group g stands in lane, of the four | from bit                      |
 * |--------------|---------------------------------------------------------|--------------------------------------------|-------------------------------|
 * | 16, 32 bits  | four groups of row r, and above them those of r + 8     | g div 4                                    | 16 (r div 8) + 4 (g mod 4)    |
 * | 8, 4 bits    | eight groups of one row                                 | r div 8 + 2 (g div 8)                      | 4 (g mod 8)                   |
 *
 * Where fewer than four lanes have all of it, the selector s says which: the first of them is s times as many as there are.
 *
 *     mma.sp.m16n8k32, f16, selector 1: two lanes, 2 and 3 of the four; the metadata of row 9 and k 16 to 31 is the upper half of lane 4 + 2 + 1
 *     mma.sp.m16n8k64, e4m3: all four lanes, and no other selector than 0
 *
 * Laws
 * 1. products of what these say are an H100's, of every form and selector (`conformance/hopper/mma`, `conformance/hopper/sparse`).
 *
 * Source: PTX ISA, sparse matrix storage; measured on an H100.
 *
 * @fidelity silicon (Hopper)
 */
import * as E from 'fp-ts/lib/Either.js'
import { sparsityOf, storedAt } from '../../layouts/tensor-memory/sparsity.js'
import type { Dtype } from '../../numerics/dtype.js'
import { bitsOf } from '../../numerics/dtype.js'
import * as V from '../machine/value.js'
import type { FaultValue } from '../machine/value.js'
import type { Row } from '../machine/warp-stand.js'
import { wordAt, type Rows } from './rows.js'

/** What an instruction says of the metadata of its A. */
export interface Metadata {
  readonly row: Row
  readonly selector: number
  readonly order: 'ascending' | 'any'
}

const rowsOfWarp = 16

/** Lanes that have the metadata of two rows. */
const lanesOf = (dtype: Dtype, k: number): number => k / sparsityOf(dtype).group / 4

/** Lane and first bit of the metadata of a group of a row. */
export const placeOfGroup = (
  dtype: Dtype,
  k: number,
  selector: number,
  row: number,
  group: number,
): { readonly lane: number; readonly bit: number } => {
  const half = Math.floor(row / 8)
  const isWide = bitsOf(dtype) >= 16
  const own = isWide ? Math.floor(group / 4) : half + 2 * Math.floor(group / 8)
  return {
    lane: 4 * (row % 8) + selector * lanesOf(dtype, k) + own,
    bit: isWide ? 16 * half + 4 * (group % 4) : 4 * (group % 8),
  }
}

/** The k of every stored element, row by row; of a row that nothing has said, `unknown`, and over shadows, where no word is known, of none. */
export interface Selected {
  readonly at: Int32Array
  readonly unknown: ReadonlyArray<boolean>
}

export const selectedBy = (
  r: Rows,
  what: string,
  { row, selector, order }: Metadata,
  dtype: Dtype,
  k: number,
): Selected | FaultValue => {
  const groups = k / sparsityOf(dtype).group
  const stored = k / 2
  const at = new Int32Array(rowsOfWarp * stored)
  const unknown: boolean[] = []
  for (let i = 0; i < rowsOfWarp; i++) {
    const words = new Int32Array(Math.ceil(groups / 8))
    let isUnknown = false
    for (let g = 0; g < groups; g++) {
      const { lane, bit } = placeOfGroup(dtype, k, selector, i, g)
      isUnknown ||= (r.unknown[row]! & (1 << lane)) !== 0
      words[g >> 3] = words[g >> 3]! | (((wordAt(r, row, lane) >>> bit) & 0xf) << (4 * (g & 7)))
    }
    unknown.push(isUnknown)
    if (isUnknown || r.shadow !== null) continue
    const chosen = storedAt(dtype, words, k, order)
    if (E.isLeft(chosen)) return V.fault('mma.sparsity', `${what}: row ${String(i)}: ${chosen.left.message}`)
    at.set(chosen.right, i * stored)
  }
  return { at, unknown }
}
