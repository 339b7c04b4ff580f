/**
 * Grids: an array of any rank as rows and columns, and the part of it that is drawn.
 *
 * The last dimension runs along a row; all others together count the rows. An array of rank 1 is broken into lines of 16.
 *
 *     (64, 16)     64 rows of 16         row 3 is labelled 3,     column 5 is labelled 5
 *     (2, 4, 8)     8 rows of 8          row 5 is labelled 1,1
 *     (40,)         3 rows of 16         row 2 is labelled 32     and has 8 cells
 *
 * Laws
 * 1. Every element of the window is one cell, and `positionAt` is its row-major position.
 */
import * as E from 'fp-ts/lib/Either.js'
import type { Failure } from '../failure.js'
import { refuse } from '../failure.js'
import type { Shape } from '../transforms/shape.js'
import { sizeOf, unravel } from '../transforms/shape.js'

export type Interval = readonly [from: number, to: number]

/** Rows and columns of a grid, upper ends excluded. */
export interface Window {
  readonly rows: Interval
  readonly columns: Interval
}

export interface Grid {
  readonly shape: Shape
  readonly rows: number
  readonly columns: number
}

const lineOfVector = 16

export const gridOf = (shape: Shape): Grid => {
  const size = sizeOf(shape)
  const columns = shape.length > 1 ? shape[shape.length - 1]! : Math.min(size, lineOfVector)
  return { shape, columns, rows: Math.ceil(size / columns) }
}

/** The row-major position of a cell, or null past the end of the last line. */
export const positionAt = (grid: Grid, row: number, column: number): number | null => {
  const position = row * grid.columns + column
  return position < sizeOf(grid.shape) ? position : null
}

export const rowLabel = (grid: Grid, row: number): string =>
  grid.shape.length <= 1 ? String(row * grid.columns) : unravel(grid.shape.slice(0, -1))(row).join(',')

/** What the two axes are. */
export const axisTitles = (grid: Grid): readonly [rows: string, columns: string] => {
  const rank = grid.shape.length
  if (rank <= 1) return ['from', rank === 0 ? 'scalar' : 'dim 0']
  return [
    `dim ${Array.from({ length: rank - 1 }, (_, d) => String(d)).join(', ')}`,
    `dim ${String(rank - 1)}`,
  ]
}

/** The whole grid, cut to at most so many rows and columns from its beginning. */
export const wholeWindow = (grid: Grid, rows: number, columns: number): Window => ({
  rows: [0, Math.min(rows, grid.rows)],
  columns: [0, Math.min(columns, grid.columns)],
})

export const isWhole = (grid: Grid, { rows, columns }: Window): boolean =>
  rows[0] === 0 && columns[0] === 0 && rows[1] === grid.rows && columns[1] === grid.columns

/** `rows 0 to 63 of 128, columns 0 to 15 of 256`, or nothing for the whole. */
export const showWindow = (grid: Grid, window: Window): string =>
  isWhole(grid, window)
    ? ''
    : `rows ${String(window.rows[0])} to ${String(window.rows[1] - 1)} of ${String(grid.rows)}, columns ${String(window.columns[0])} to ${String(window.columns[1] - 1)} of ${String(grid.columns)}`

const interval = (what: string, text: string, size: number): E.Either<Failure<'window'>, Interval> => {
  const m = /^(\d*):(\d*)$/.exec(text)
  const from = m === null || m[1] === '' ? 0 : Number(m[1])
  const to = m === null || m[2] === '' ? size : Number(m[2])
  return m !== null && from < to && to <= size
    ? E.right([from, to])
    : refuse('window', `expected ${what} as FROM:TO with 0 <= FROM < TO <= ${String(size)}, found '${text}'`)
}

/** `0:16,8:24`: rows, then columns, upper ends excluded; an empty end is the array's. */
export const parseWindow = (grid: Grid, text: string): E.Either<Failure<'window'>, Window> => {
  const parts = text.split(',')
  if (parts.length > 2) return refuse('window', `expected ROWS or ROWS,COLUMNS, found '${text}'`)
  const rows = interval('rows', parts[0]!, grid.rows)
  if (E.isLeft(rows)) return rows
  const columns = interval('columns', parts[1] ?? ':', grid.columns)
  return E.map((c: Interval): Window => ({ rows: rows.right, columns: c }))(columns)
}
