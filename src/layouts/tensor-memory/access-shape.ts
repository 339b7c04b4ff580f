/**
 * The shapes of tcgen05.ld and tcgen05.st: which cell of tensor memory a register of a lane is.
 *
 * One instruction moves `num` times a shape, between the registers of a warp and cells relative to its address. Thread t of the warp, register r:
 *
 * | shape    | lane                      | column                                | columns | registers |
 * |----------|---------------------------|---------------------------------------|---------|-----------|
 * | 32x32b   | t                         | r                                     | num     | num       |
 * | 16x64b   | t div 4 + 8 (t mod 2)     | 2r + (t div 2) mod 2                  | 2 num   | num       |
 * | 16x128b  | t div 4 + 8 (r mod 2)     | 4 (r div 2) + t mod 4                 | 4 num   | 2 num     |
 * | 16x256b  | t div 4 + 8 (r div 2 mod 2) | 8 (r div 4) + 2 (t mod 4) + r mod 2 | 8 num   | 4 num     |
 * | 16x32bx2 | t mod 16                  | r, and `split` more from thread 16 on | num     | num       |
 *
 *     16x256b, thread 5: registers 0..3 are (lane 1, column 2) (1, 3) (9, 2) (9, 3), as in the fragment of a matrix product
 *
 * With pack::16b a register of a load takes the low 16 bits of two neighbouring columns, the even one below; unpack::16b of a store is the inverse.
 * So those move twice the columns.
 *
 * Names: PTX `.shape.num`; CuTe `SM100_TMEM_LOAD_*`; Triton the atoms of its lowering.
 *
 * Laws
 * 1. (thread, register) -> cell is a bijection onto lanes x columns, and `registerAt` its inverse (for 16x32bx2 with a split of at least num).
 * 2. A shape moves at most 128 registers of a lane.
 *
 * Source: PTX ISA, tcgen05.ld and tcgen05.st; CUTLASS's CuTe copy traits for the cells.
 */
import * as E from 'fp-ts/lib/Either.js'
import type { Failure } from '../../failure.js'
import { refuse, unreachable } from '../../failure.js'
import type { Cell } from './geometry.js'

// ---------------------------------------------------------------------------------------------- model

export type AccessShapeName = '32x32b' | '16x64b' | '16x128b' | '16x256b' | '16x32bx2'

declare const legalAccessShape: unique symbol

/** Only `accessShape` makes one. */
export interface AccessShape {
  readonly shape: AccessShapeName
  readonly num: number
  /** Columns between the halves of 16x32bx2 (immHalfSplitoff); 0 for the others. */
  readonly split: number
  readonly [legalAccessShape]: true
}

/** A register of one of the 32 threads of a warp. */
export interface WarpRegister {
  readonly thread: number
  readonly register: number
}

export type AccessShapeError = 'tmem.access-num' | 'tmem.access-split'

export const accessShapeNames: ReadonlyArray<AccessShapeName> = [
  '32x32b',
  '16x64b',
  '16x128b',
  '16x256b',
  '16x32bx2',
]

// ---------------------------------------------------------------------------------------- constructors

/** Registers of a lane for each repetition. */
const unitRegisters = (shape: AccessShapeName): number => {
  switch (shape) {
    case '32x32b':
    case '16x64b':
    case '16x32bx2':
      return 1
    case '16x128b':
      return 2
    case '16x256b':
      return 4
    default:
      return unreachable(shape)
  }
}

const maxRegisters = 128

const isLegal = (data: {
  readonly shape: AccessShapeName
  readonly num: number
  readonly split: number
}): data is AccessShape =>
  Number.isInteger(Math.log2(data.num)) &&
  data.num >= 1 &&
  data.num * unitRegisters(data.shape) <= maxRegisters &&
  Number.isSafeInteger(data.split) &&
  data.split >= 0 &&
  (data.shape === '16x32bx2' || data.split === 0)

/** `num` is a power of two, so many that a lane has at most 128 registers; `split` is for 16x32bx2 only. */
export const accessShape = (
  shape: AccessShapeName,
  num: number,
  split: number = 0,
): E.Either<Failure<AccessShapeError>, AccessShape> => {
  const data = { shape, num, split }
  if (isLegal(data)) return E.right(data)
  return isLegal({ shape, num, split: 0 })
    ? refuse(
        'tmem.access-split',
        `${shape}: expected ${shape === '16x32bx2' ? 'a number of columns from 0' : 'no split'}, found a split of ${String(split)}`,
      )
    : refuse(
        'tmem.access-num',
        `${shape}: expected a power of two from 1 to ${String(maxRegisters / unitRegisters(shape))}, found ${String(num)}`,
      )
}

// ----------------------------------------------------------------------------------------- destructors

/** 32-bit registers of a lane. */
export const registersOf = (access: AccessShape): number => access.num * unitRegisters(access.shape)

/** Lanes of tensor memory. */
export const lanesOf = ({ shape }: AccessShape): number => (shape === '32x32b' ? 32 : 16)

/** Columns that hold what is moved, in each half of a 16x32bx2. */
export const columnsOf = (access: AccessShape): number => {
  switch (access.shape) {
    case '32x32b':
    case '16x32bx2':
      return access.num
    case '16x64b':
    case '16x128b':
    case '16x256b':
      return 2 * access.num * unitRegisters(access.shape)
    default:
      return unreachable(access.shape)
  }
}

/** The cell of a register, counted from the address of the instruction. */
export const cellOf = ({ shape, split }: AccessShape, { thread: t, register: r }: WarpRegister): Cell => {
  const four = Math.floor(t / 4)
  switch (shape) {
    case '32x32b':
      return { lane: t, column: r }
    case '16x64b':
      return { lane: four + 8 * (t % 2), column: 2 * r + (Math.floor(t / 2) % 2) }
    case '16x128b':
      return { lane: four + 8 * (r % 2), column: 4 * Math.floor(r / 2) + (t % 4) }
    case '16x256b':
      return {
        lane: four + 8 * (Math.floor(r / 2) % 2),
        column: 8 * Math.floor(r / 4) + 2 * (t % 4) + (r % 2),
      }
    case '16x32bx2':
      return { lane: t % 16, column: t < 16 ? r : r + split }
    default:
      return unreachable(shape)
  }
}

/** The register that holds a cell, or null for a cell that the instruction does not move. */
export const registerAt = (access: AccessShape, { lane, column }: Cell): WarpRegister | null => {
  const { shape, split, num } = access
  const upper = Math.floor(lane / 8)
  const row = 4 * (lane % 8)
  const inside =
    lane < lanesOf(access) && (column < columnsOf(access) || (column >= split && column < split + num))
  if (!inside) return null
  switch (shape) {
    case '32x32b':
      return { thread: lane, register: column }
    case '16x64b':
      return { thread: row + 2 * (column % 2) + upper, register: Math.floor(column / 2) }
    case '16x128b':
      return { thread: row + (column % 4), register: 2 * Math.floor(column / 4) + upper }
    case '16x256b':
      return {
        thread: row + (Math.floor(column / 2) % 4),
        register: 4 * Math.floor(column / 8) + 2 * upper + (column % 2),
      }
    case '16x32bx2':
      return column < num
        ? { thread: lane, register: column }
        : { thread: lane + 16, register: column - split }
    default:
      return unreachable(shape)
  }
}

/** Columns whose low 16 bits a register takes with pack::16b, where without it takes column c. */
export const packedColumns = (column: number): readonly [low: number, high: number] => [
  2 * column,
  2 * column + 1,
]
