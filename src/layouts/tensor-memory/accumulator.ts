/**
 * Where a matrix product puts its result, and finds its left operand, in tensor memory.
 *
 * D is M x N; element [m, n]. An instruction of one CTA (cta 1) or of a pair (cta 2):
 *
 * | id | M, mode          | CTA      | lane                                       | column        |
 * |----|------------------|----------|--------------------------------------------|---------------|
 * | A  | 256, pair        | m div 128 | m mod 128                                 | n             |
 * | B  | 128, pair, dense | m div 64 | m mod 64 + 64 [n >= N/2]                   | n mod N/2     |
 * | C  | 128, pair, sparse | m div 64 | as F with m mod 64 (not confirmed)        | n             |
 * | D  | 128              | 0        | m                                          | n             |
 * | E  | 64, .ws          | 0        | m + 64 [n >= N/2]                          | n mod N/2     |
 * | F  | 64               | 0        | m mod 16 + 32 (m div 16), or 16 more       | n             |
 * | G  | 32, .ws          | 0        | m + 32 (n div N/4)                         | n mod N/4     |
 *
 *     F, m = 17: lane 33; with the other alignment lane 49. So two products of 64 rows share the columns.
 *
 * Results of 16 bits take the low half of a column each. A left operand in tensor memory lies in the lanes of D (M of 128, or 64 of one CTA, or 256 of a
 * pair), packed: 32 / bits elements of K to a column. For M = 128 of a pair each CTA has its 64 rows twice, in lanes 0 to 63 and 64 to 127.
 *
 * In a pair, CTA v holds rows [vM/2, (v+1)M/2) of A, columns [vN/2, (v+1)N/2) of B, and those rows of D by all N columns.
 *
 * Names: PTX, data path layouts A to G; CuTe `tmem_frg`.
 *
 * Laws
 * 1. A, B, D, E, F, G are injective, and `accumulatorElement` is the inverse where a cell is used.
 * 2. A, B, D, E, G fill all lanes; C and F half of them.
 * 3. Of the two CTAs of a pair each holds half of A, half of B and half of D.
 * 4. `accumulatorRef` and `leftOperandRef` give every element the cell that the table gives it.
 *
 * Source: PTX ISA, tcgen05.mma data path layouts; CUTLASS's CuTe fragments of tensor memory.
 */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { Failure } from '../../failure.js'
import { refuse, unreachable } from '../../failure.js'
import type { Cell } from './geometry.js'
import type { TransformedRef } from '../../transforms/ref.js'
import { tmemColumnBits, tmemLaneBytes, tmemLanes } from './geometry.js'

// ---------------------------------------------------------------------------------------------- model

export type AccumulatorId = 'A' | 'B' | 'C' | 'D' | 'E' | 'F' | 'G'

/** A cell of one of the CTAs of a pair; CTA 0 where there is no pair. */
export interface PairCell extends Cell {
  readonly cta: number
}

export interface Accumulator {
  readonly id: AccumulatorId
  readonly m: number
  readonly n: number
  /** First of the 16 lanes of each quarter that C and F use: 0 or 16; 0 for the others. */
  readonly alignment: 0 | 16
}

export type AccumulatorError = 'tmem.accumulator-n' | 'tmem.accumulator-alignment'
export type OperandError = 'tmem.operand-m' | 'tmem.operand-bits'

export const accumulatorIds: ReadonlyArray<AccumulatorId> = ['A', 'B', 'C', 'D', 'E', 'F', 'G']

// ---------------------------------------------------------------------------------------- constructors

/** Rows of D. */
export const rowsOf = (id: AccumulatorId): number => {
  switch (id) {
    case 'A':
      return 256
    case 'B':
    case 'C':
    case 'D':
      return 128
    case 'E':
    case 'F':
      return 64
    case 'G':
      return 32
    default:
      return unreachable(id)
  }
}

/** 2 for a pair. */
export const ctasOf = (id: AccumulatorId): number => (id === 'A' || id === 'B' || id === 'C' ? 2 : 1)

/** Into how many groups of lanes the columns of D are split. */
const splitOf = (id: AccumulatorId): number => (id === 'G' ? 4 : id === 'B' || id === 'E' ? 2 : 1)

/** Is there a source for the lanes? Those of C follow from F. */
export const isConfirmed = (id: AccumulatorId): boolean => id !== 'C'

/** Columns of D must split into the groups of lanes; only C and F have a second alignment. */
export const accumulator = (
  id: AccumulatorId,
  n: number,
  alignment: 0 | 16 = 0,
): E.Either<Failure<AccumulatorError>, Accumulator> => {
  const split = splitOf(id)
  if (!(Number.isSafeInteger(n) && n > 0 && n % split === 0))
    return refuse(
      'tmem.accumulator-n',
      `Accumulator ${id}: expected a positive multiple of ${String(split)} columns of D, found ${String(n)}`,
    )
  return alignment === 16 && id !== 'C' && id !== 'F'
    ? refuse(
        'tmem.accumulator-alignment',
        `Accumulator ${id} fills its lanes: expected alignment 0, found 16`,
      )
    : E.right({ id, m: rowsOf(id), n, alignment })
}

/** Which data path the shape of a product takes. `ws` is the weight-stationary form, of one CTA. */
export const accumulatorIdOf = (
  m: number,
  mode: 'one' | 'pair' | 'pair-sparse' | 'ws',
): AccumulatorId | null => {
  const rows: Readonly<Record<typeof mode, Readonly<Record<number, AccumulatorId>>>> = {
    one: { 64: 'F', 128: 'D' },
    pair: { 128: 'B', 256: 'A' },
    'pair-sparse': { 128: 'C', 256: 'A' },
    ws: { 32: 'G', 64: 'E', 128: 'D' },
  }
  return rows[mode][m] ?? null
}

// ----------------------------------------------------------------------------------------- destructors

/** Columns of tensor memory, of 32 bits each. */
export const columnsOf = ({ id, n }: Accumulator): number => n / splitOf(id)

/** 16 lanes of each quarter. */
const spread = (m: number): number => (m % 16) + 32 * Math.floor(m / 16)

/** The cell of D[m, n]. */
export const accumulatorCell = (acc: Accumulator, m: number, n: number): PairCell => {
  const width = columnsOf(acc)
  const group = Math.floor(n / width)
  const column = n % width
  switch (acc.id) {
    case 'A':
      return { cta: Math.floor(m / 128), lane: m % 128, column }
    case 'B':
      return { cta: Math.floor(m / 64), lane: (m % 64) + 64 * group, column }
    case 'C':
      return { cta: Math.floor(m / 64), lane: spread(m % 64) + acc.alignment, column }
    case 'D':
    case 'E':
      return { cta: 0, lane: m + 64 * group, column }
    case 'F':
      return { cta: 0, lane: spread(m) + acc.alignment, column }
    case 'G':
      return { cta: 0, lane: m + 32 * group, column }
    default:
      return unreachable(acc.id)
  }
}

/** The element in a cell, or null where D has none. */
export const accumulatorElement = (
  acc: Accumulator,
  { cta, lane, column }: PairCell,
): readonly [m: number, n: number] | null => {
  const { id, m: rows } = acc
  const width = columnsOf(acc)
  const perCta = rows / ctasOf(id)
  if (cta >= ctasOf(id) || column >= width) return null
  if (id !== 'C' && id !== 'F')
    return [perCta * cta + (lane % perCta), width * Math.floor(lane / perCta) + column]
  const inside = (lane % 32) - acc.alignment
  return inside < 0 || inside >= 16 ? null : [perCta * cta + 16 * Math.floor(lane / 32) + inside, column]
}

/** Cells and part of the column of A[m, k] with elements of `bits` bits. Twice for M = 128 of a pair. */
export const leftOperandCells = (
  options: { readonly m: number; readonly pair: boolean; readonly bits: number },
  m: number,
  k: number,
): E.Either<Failure<OperandError>, ReadonlyArray<PairCell & { readonly part: number }>> => {
  const { m: rows, pair, bits } = options
  if (![4, 8, 16, 32].includes(bits))
    return refuse(
      'tmem.operand-bits',
      `A left operand in tensor memory has elements of 4, 8, 16 or 32 bits, found ${String(bits)}`,
    )
  const packing = tmemColumnBits / bits
  const at = (cta: number, lane: number): PairCell & { readonly part: number } => ({
    cta,
    lane,
    column: Math.floor(k / packing),
    part: k % packing,
  })
  if (!pair && rows === 128) return E.right([at(0, m)])
  if (!pair && rows === 64) return E.right([at(0, spread(m))])
  if (pair && rows === 256) return E.right([at(Math.floor(m / 128), m % 128)])
  if (pair && rows === 128) {
    const cta = Math.floor(m / 64)
    return E.right([at(cta, m % 64), at(cta, (m % 64) + 64)])
  }
  return refuse(
    'tmem.operand-m',
    `A left operand in tensor memory has ${pair ? '128 or 256 rows for a pair' : '64 or 128 rows'}, found ${String(rows)}`,
  )
}

/** A matrix cut into pieces of some rows by some columns, each in lanes beside each other: strides in lanes and columns. */
const inPieces = (
  shape: readonly [rows: number, columns: number],
  bits: number,
  columnBits: number,
  piece: readonly [rows: number, columns: number],
  lanesBetween: readonly [byRows: number, byColumns: number],
  firstLane: number,
): TransformedRef => {
  const lane = (8 * tmemLaneBytes) / bits
  const extents = [shape[0] / piece[0], shape[1] / piece[1], piece[0], piece[1]]
  const strides = [lanesBetween[0] * lane, lanesBetween[1] * lane, lane, columnBits / bits]
  return {
    _tag: 'TransformedRef',
    shape,
    bits,
    tiling: [piece],
    strides: strides.map((stride, k) => (extents[k] === 1 ? 0 : stride)),
    byteOffset: firstLane * tmemLaneBytes,
    swizzle: 16,
  }
}

/** D in one CTA as a view of its tensor memory, with elements of `bits` bits, one in each column. */
export const accumulatorRef = (acc: Accumulator, bits: 16 | 32): TransformedRef => {
  const rows = acc.m / ctasOf(acc.id)
  const width = columnsOf(acc)
  const spreads = acc.id === 'C' || acc.id === 'F'
  return inPieces(
    [rows, acc.n],
    bits,
    tmemColumnBits,
    [spreads ? 16 : rows, width],
    [spreads ? 32 : 0, tmemLanes / splitOf(acc.id)],
    acc.alignment,
  )
}

/** A (m x k of the whole product) in one CTA as a view of its tensor memory: of two copies, the first. */
export const leftOperandRef = (
  options: { readonly m: number; readonly pair: boolean; readonly bits: number },
  k: number,
): E.Either<Failure<OperandError>, TransformedRef> =>
  pipe(
    leftOperandCells(options, 0, 0),
    E.map(() => {
      const rows = options.pair ? options.m / 2 : options.m
      const spreads = !options.pair && options.m === 64
      return inPieces([rows, k], options.bits, options.bits, [spreads ? 16 : rows, k], [32, 0], 0)
    }),
  )

/** What CTA v of a pair holds of a product: half-open ranges of the rows of A and D, and of the columns of B. D has all columns. */
export interface PairShare {
  readonly rows: readonly [from: number, to: number]
  readonly columnsOfB: readonly [from: number, to: number]
}

export const pairShare = (m: number, n: number, cta: 0 | 1): PairShare => ({
  rows: [(cta * m) / 2, ((cta + 1) * m) / 2],
  columnsOfB: [(cta * n) / 2, ((cta + 1) * n) / 2],
})
