/**
 * A CuTe layout drawn: the offset at every coordinate.
 *
 * A layout of two modes is a matrix, mode 0 down and mode 1 across, as CuTe prints it; any other is a line of offsets by index,
 * 16 to a row. The hue is the offset modulo 8, in units of what a swizzle
 * moves together.
 *
 *     (4,2):(2,1)     0  1
 *                     2  3
 *                     4  5
 *                     6  7
 *
 * Law 1. The cell at (i, j) shows the value of the layout at coordinate (i, j); in a line, the cell at index i the value at i.
 */
import type { IntTuple } from '../layouts/cute/int-tuple.js'
import { size as sizeOfShape } from '../layouts/cute/int-tuple.js'
import { at, rank, size, type Layout } from '../layouts/cute/layout.js'
import { showTuple } from '../layouts/cute/text.js'
import { entries } from '../layouts/cute/tree.js'
import { cellsSvg } from './cells.js'
import { oklch } from './colour.js'
import type { Palette } from './palette.js'
import type { SvgElement } from './svg.js'
import { table } from './table.js'

/** The function by index, which may be a layout or what stands behind one. */
export interface Drawn {
  readonly title: string
  readonly shape: IntTuple
  readonly value: (index: number) => IntTuple
  /** Neighbouring offsets that have one hue: what a swizzle moves together, else 1. */
  readonly unit: number
}

export const drawnLayout = (title: string, l: Layout): Drawn => ({
  title,
  shape: l.shape,
  value: (index) => at(l, index),
  unit: 1,
})

interface Matrix {
  readonly rows: number
  readonly columns: number
  readonly rowLabel: (row: number) => string
  /** Null behind the end of the last line. */
  readonly index: (row: number, column: number) => number | null
  readonly titles: readonly [string, string]
}

const perLine = 16
const labels = (n: number, label: (i: number) => string): ReadonlyArray<string> =>
  Array.from({ length: n }, (_, i) => label(i))

const matrixOf = (shape: IntTuple): Matrix => {
  const modes = entries(shape)
  const total = sizeOfShape(shape)
  if (typeof shape !== 'number' && modes.length === 2) {
    const rows = sizeOfShape(modes[0]!)
    return {
      rows,
      columns: sizeOfShape(modes[1]!),
      rowLabel: String,
      index: (row, column) => row + column * rows,
      titles: ['mode 0', 'mode 1'],
    }
  }
  return {
    rows: Math.ceil(total / perLine),
    columns: Math.min(perLine, total),
    rowLabel: (row) => String(row * perLine),
    index: (row, column) => (row * perLine + column < total ? row * perLine + column : null),
    titles: ['index', '+'],
  }
}

const hue = (value: IntTuple, unit: number): string =>
  oklch(0.89, 0.075, 25 + 45 * (typeof value === 'number' ? ((Math.floor(value / unit) % 8) + 8) % 8 : 0))

export const cuteSvg = (d: Drawn, subtitle: string): SvgElement => {
  const m = matrixOf(d.shape)
  return cellsSvg({
    title: d.title,
    subtitle,
    note: `A cell is the offset; its hue is the offset${d.unit === 1 ? '' : ` div ${String(d.unit)}`} modulo 8.`,
    rowTitle: m.titles[0],
    columnTitle: m.titles[1],
    rows: labels(m.rows, m.rowLabel),
    columns: labels(m.columns, String),
    cell: (row, column) => {
      const index = m.index(row, column)
      if (index === null) return null
      const value = d.value(index)
      return {
        label: showTuple(value),
        fill: hue(value, d.unit),
        tip: `index ${String(index)}: ${showTuple(value)}`,
      }
    },
  })
}

/** The same matrix, cut to so many rows and columns. */
export const cuteText = (
  palette: Palette,
  d: Drawn,
  most: { readonly rows: number; readonly columns: number },
): string => {
  const m = matrixOf(d.shape)
  const columns = labels(Math.min(m.columns, most.columns), String)
  const rows = labels(Math.min(m.rows, most.rows), m.rowLabel)
  const lines = table([
    ['', ...columns],
    ...rows.map((label, r) => [
      label,
      ...columns.map((_, c) => {
        const index = m.index(r, c)
        return index === null ? '' : showTuple(d.value(index))
      }),
    ]),
  ]).split('\n')
  const cut =
    rows.length < m.rows || columns.length < m.columns
      ? [
          `(${String(rows.length)} of ${String(m.rows)} rows, ${String(columns.length)} of ${String(m.columns)} columns)`,
        ]
      : []
  return [...lines.map((text, i) => (i === 0 ? palette.dim(text) : text)), ...cut].join('\n')
}

/** `size 8, cosize 15, 2 modes`. */
export const factsOf = (l: Layout, cosize: number): string =>
  `size ${String(size(l))}, cosize ${String(cosize)}, ${String(rank(l))} ${rank(l) === 1 ? 'mode' : 'modes'}`
