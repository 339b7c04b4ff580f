/**
 * What a board shows: cells in rows and columns, with a colour, a short label and a sentence for each.
 *
 * A cell has one number, `row * columns + column`, also where only a window of the board is drawn.
 */
import { greatest } from '../../../../src/greatest.js'
import type { Grid } from '../../../../src/render/grid.js'
import { axisTitles, rowLabel } from '../../../../src/render/grid.js'

export interface Side {
  /** what a cell of it is called: element, register, byte */
  readonly name: string
  readonly rows: number
  readonly columns: number
  readonly rowTitle: string
  readonly columnTitle: string
  readonly rowLabel: (row: number) => string
  readonly columnLabel: (column: number) => string
  /** what stands in a cell that is large enough; '' for nothing */
  readonly label: (cell: number) => string
  /** characters of the longest label */
  readonly longest: number
  /** number of a colour, 0 and more: seven hues, then the same paler; null where nothing is */
  readonly colour: (cell: number) => number | null
  /** the cell in words */
  readonly says: (cell: number) => string
}

/** The side of an array: its last dimension along a row (`src/render/grid.ts`). */
export const arraySide = (
  grid: Grid,
  more: Pick<Side, 'name' | 'label' | 'longest' | 'colour' | 'says'>,
): Side => {
  const [rowTitle, columnTitle] = axisTitles(grid)
  return {
    rows: grid.rows,
    columns: grid.columns,
    rowTitle,
    columnTitle,
    rowLabel: (row) => rowLabel(grid, row),
    columnLabel: String,
    ...more,
  }
}

// ---------------------------------------------------------------- windows

export interface Extent {
  readonly from: number
  readonly to: number
}
export interface Shown {
  readonly rows: Extent
  readonly columns: Extent
}

/** Rows, columns and cells that are drawn at once. */
const most = { rows: 512, columns: 512, cells: 131_072 }

const extent = (from: number, size: number, room: number): Extent => {
  const start = Math.max(0, Math.min(Math.floor(from), size - Math.min(size, room)))
  return { from: start, to: Math.min(size, start + room) }
}

/** The part that is drawn, from this row and column on as far as there is room. */
export const shownFrom = ({ rows, columns }: Side, [row, column]: readonly [number, number]): Shown => {
  const across = extent(column, columns, most.columns)
  const wide = Math.max(1, across.to - across.from)
  return { columns: across, rows: extent(row, rows, Math.min(most.rows, Math.floor(most.cells / wide))) }
}

export const isAll = ({ rows, columns }: Side, shown: Shown): boolean =>
  shown.rows.to - shown.rows.from === rows && shown.columns.to - shown.columns.from === columns

/** Where a window begins so that a cell is in it: pages, so that a step over the edge turns one. */
export const beginAt = (shown: Shown, row: number, column: number): readonly [number, number] => {
  const page = (at: number, { from, to }: Extent): number =>
    at >= from && at < to ? from : at - (at % Math.max(1, to - from))
  return [page(row, shown.rows), page(column, shown.columns)]
}

// ---------------------------------------------------------------- sizes

export interface Sizes {
  readonly width: number
  readonly height: number
  /** pixels of the labels; 0 where they have no room */
  readonly font: number
  /** of the row labels */
  readonly gutter: number
}

/** Of the face of the labels: width by height. */
const slim = 0.602
const fonts = { least: 8, most: 10 }
/** Above the cells, where the columns are numbered. */
export const head = 30

/**
 * The size of a cell: as large as the room allows, or, with `labels`, as its label needs. Cells are at least 5 pixels wide and 6 high;
 * what is wider than the room scrolls.
 */
export const sizesIn = (side: Side, shown: Shown, room: number, labels: boolean): Sizes => {
  const columns = Math.max(1, shown.columns.to - shown.columns.from)
  const rows = Math.max(1, shown.rows.to - shown.rows.from)
  const last = [shown.rows.from, shown.rows.to - 1].map((row) => side.rowLabel(row).length)
  const gutter = 14 + Math.ceil(6.2 * greatest(Math.max(side.rowTitle.length + 1, 3))(last))
  const needed = Math.max(20, Math.ceil(side.longest * slim * fonts.most) + 6)
  const fit = Math.floor((room - gutter - 4) / columns)
  const width = labels ? Math.max(needed, Math.min(fit, 96)) : Math.max(5, Math.min(fit, 96))
  const font = Math.min(fonts.most, (width - 3) / (Math.max(1, side.longest) * slim))
  const labelled = side.longest > 0 && font >= fonts.least && width >= 16 && (labels || rows <= 256)
  return {
    width,
    height: labelled ? 20 : Math.max(6, Math.min(18, Math.floor(640 / rows))),
    font: labelled ? font : 0,
    gutter,
  }
}

/** A number every so many cells, so that the numbers do not touch. */
export const every = (cell: number, needed: number): number => {
  let step = 1
  while (step * cell < needed) step *= 2
  return step
}
