/**
 * A matrix of coloured cells with labelled axes: the picture of whatever has rows and columns.
 *
 * Cells are large enough for their labels while there are few; beyond that they are small squares, and their labels are tips.
 *
 * Laws
 * 1. One rectangle for each cell that is not null, at its row and column, with its tip.
 * 2. Labels are drawn exactly when the columns are at most 64 and the rows at most 256.
 */
import { greatest } from '../greatest.js'
import type { SvgElement } from './svg.js'
import { element, group, mono, picture, rect, words } from './svg.js'

export interface Cell {
  readonly label: string
  readonly fill: string
  readonly tip: string
}

export interface CellPicture {
  readonly title: string
  readonly subtitle: string
  readonly note: string
  readonly rowTitle: string
  readonly columnTitle: string
  readonly rows: ReadonlyArray<string>
  readonly columns: ReadonlyArray<string>
  readonly cell: (row: number, column: number) => Cell | null
  /** A text at the right of a row. */
  readonly remark?: (row: number) => string
}

const muted = '#6b7280'
const margin = 28

/** A tick every so many cells, so that labels do not touch. */
const every = (labels: ReadonlyArray<string>, room: number, perCharacter: number): number => {
  const longest = greatest(1)(labels.map((label) => label.length))
  const needed = longest * perCharacter + 6
  let step = 1
  while (step * room < needed) step *= 2
  return step
}

export const cellsSvg = (p: CellPicture): SvgElement => {
  const [rows, columns] = [p.rows.length, p.columns.length]
  const labelled = columns <= 64 && rows <= 256
  const all = p.rows.map((_, r) => p.columns.map((__, c) => p.cell(r, c)))
  const longest = greatest(1)(all.flat().map((cell) => cell?.label.length ?? 0))
  const width = labelled
    ? Math.max(
        18,
        Math.ceil(longest * 5.6) + 8,
        // Few columns can afford a label each.
        columns <= 40 ? Math.ceil(6 * greatest(0)(p.columns.map((label) => label.length))) + 6 : 0,
      )
    : Math.max(3, Math.min(14, Math.floor(1280 / columns)))
  const height = labelled ? 22 : Math.max(3, Math.min(14, Math.floor(1280 / rows)))
  const gap = labelled ? 2 : height > 6 && width > 6 ? 1 : 0
  const gutter = Math.max(46, 16 + 6.2 * greatest(p.rowTitle.length + 2)(p.rows.map((label) => label.length)))
  const x0 = margin + gutter
  const y0 = p.note === '' ? 116 : 134
  const remarks = p.remark === undefined ? [] : p.rows.map((_, r) => p.remark!(r))
  const right =
    x0 +
    columns * width +
    6.2 * greatest(0)(remarks.map((text) => text.length)) +
    (remarks.length > 0 ? 14 : 0)
  const total = Math.ceil(
    Math.max(
      right,
      margin + 10.5 * p.title.length,
      margin + 6.6 * p.subtitle.length,
      margin + 6 * p.note.length,
    ) + margin,
  )
  const [columnStep, rowStep] = [every(p.columns, width, 6), every(p.rows, height, 0)]
  const tallRows = Math.max(rowStep, height < 12 ? Math.ceil(12 / height) : 1)
  const rowTick = 2 ** Math.ceil(Math.log2(tallRows))
  return picture(total, Math.ceil(y0 + rows * height + margin), [
    words(margin, 38, p.title, { 'font-size': 18, 'font-weight': 600 }),
    words(margin, 58, p.subtitle, { fill: muted }),
    ...(p.note === '' ? [] : [words(margin, 78, p.note, { fill: muted, 'font-size': 11 })]),
    group({ 'font-size': 10, fill: muted, class: 'ticks' }, [
      words(x0, y0 - 26, `${p.columnTitle} \u2192`, { 'font-style': 'italic' }),
      words(x0 - 8, y0 - 9, `${p.rowTitle} \u2193`, { 'font-style': 'italic', 'text-anchor': 'end' }),
      ...p.columns.flatMap((label, c) =>
        c % columnStep === 0
          ? [words(x0 + (c + 0.5) * width, y0 - 9, label, { 'text-anchor': 'middle' })]
          : [],
      ),
      ...p.rows.flatMap((label, r) =>
        r % rowTick === 0
          ? [words(x0 - 8, y0 + (r + 0.5) * height + 3, label, { 'text-anchor': 'end' })]
          : [],
      ),
      ...remarks.flatMap((text, r) =>
        text === '' ? [] : [words(x0 + columns * width + 10, y0 + (r + 0.5) * height + 3, text)],
      ),
    ]),
    element(
      'g',
      { 'font-family': mono, 'font-size': 9, 'text-anchor': 'middle', class: 'cells' },
      all.flatMap((line, r) =>
        line.flatMap((cell, c) =>
          cell === null
            ? []
            : [
                rect(
                  {
                    x: x0 + c * width,
                    y: y0 + r * height,
                    width: width - gap,
                    height: height - gap,
                    ...(labelled ? { rx: 3 } : {}),
                    fill: cell.fill,
                  },
                  cell.tip,
                ),
                ...(labelled && cell.label !== ''
                  ? [words(x0 + c * width + (width - gap) / 2, y0 + r * height + height / 2 + 2, cell.label)]
                  : []),
              ],
        ),
      ),
    ),
  ])
}
