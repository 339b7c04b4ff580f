/**
 * Pictures of tensor memory: 128 lanes down, 512 columns of 32 bits across.
 *
 * Two of them. The *cells* of a layout say which element lies in each lane and column (two or four of them in a column that is
 * packed); the hue follows the first dimension of the array, the lightness the second. The *map* of an allocation shows which
 * columns each array takes.
 *
 * Laws
 * 1. Each cell of the first picture lists the elements at that lane and column, by part.
 * 2. Each array of the map is one rectangle, from its first column, as wide as its columns.
 */
import { greatest } from '../greatest.js'
import { tmemColumns, tmemLanes } from '../layouts/tensor-memory/geometry.js'
import type { TensorMemoryLayout } from '../layouts/tensor-memory/tensor-memory-layout.js'
import { elementAt, vectorLength } from '../layouts/tensor-memory/tensor-memory-layout.js'
import type { Index, Shape } from '../transforms/shape.js'
import { cellsSvg, type Cell } from './cells.js'
import { oklch, step } from './colour.js'
import type { Interval } from './grid.js'
import type { Palette } from './palette.js'
import type { SvgElement } from './svg.js'
import { group, line, picture, rect, words } from './svg.js'
import { table } from './table.js'

// ---------------------------------------------------------------- cells

export interface CellsPicture {
  readonly title: string
  readonly subtitle: string
  readonly layout: TensorMemoryLayout
  readonly shape: Shape
  readonly lanes: Interval
  readonly columns: Interval
}

/** The elements in a cell, lowest bits first. */
export const elementsAt = (
  layout: TensorMemoryLayout,
  shape: Shape,
  lane: number,
  column: number,
): ReadonlyArray<Index> =>
  Array.from({ length: vectorLength(layout) }, (_, part) => elementAt(layout, shape, { lane, column, part }))

/** `17,4`; the elements of a packed column that differ in one coordinate `17,4..5`. */
export const elementsLabel = (elements: ReadonlyArray<Index>): string => {
  const [first, last] = [elements[0]!, elements[elements.length - 1]!]
  const running = first.flatMap((i, d) => (elements.some((e) => e[d] !== i) ? [d] : []))
  const steps = (d: number): boolean => elements.every((e, k) => e[d] === first[d]! + k)
  return running.length <= 1 && running.every(steps)
    ? first.map((i, d) => (running.includes(d) ? `${String(i)}..${String(last[d])}` : String(i))).join(',')
    : elements.map((e) => e.join(',')).join(' ')
}

const range = ([from, to]: Interval): ReadonlyArray<number> =>
  Array.from({ length: to - from }, (_, k) => from + k)

export const tensorMemorySvg = (p: CellsPicture): SvgElement => {
  const [lanes, columns] = [range(p.lanes), range(p.columns)]
  return cellsSvg({
    title: p.title,
    subtitle: p.subtitle,
    note: 'A cell is a lane of a column of 32 bits, with the index of its element; the hue follows dimension 0, the lightness dimension 1.',
    rowTitle: 'lane',
    columnTitle: 'column',
    rows: lanes.map(String),
    columns: columns.map(String),
    cell: (r, c): Cell => {
      const [lane, column] = [lanes[r]!, columns[c]!]
      const elements = elementsAt(p.layout, p.shape, lane, column)
      const [i, j] = [elements[0]![0]!, elements[0]![1]!]
      return {
        label: elementsLabel(elements),
        fill: oklch(step(0.94, 0.76, j, p.shape[1]!), 0.075, 25 + (330 * i) / p.shape[0]!),
        tip: `lane ${String(lane)}, column ${String(column)}: ${elements.map((e) => `[${e.join(', ')}]`).join(' ')}`,
      }
    },
  })
}

/** One line per lane. */
export const tensorMemoryText = (palette: Palette, p: CellsPicture): string =>
  table([
    ['lane', ...range(p.columns).map(String)],
    ...range(p.lanes).map((lane) => [
      String(lane),
      ...range(p.columns).map((column) => elementsLabel(elementsAt(p.layout, p.shape, lane, column))),
    ]),
  ])
    .split('\n')
    .map((text, i) => (i === 0 ? palette.dim(text) : text))
    .join('\n')

// ---------------------------------------------------------------- map

export interface Allotted {
  readonly name: string
  /** What it is, in a few words. */
  readonly what: string
  readonly start: number
  readonly columns: number
}

export interface MapPicture {
  readonly title: string
  readonly subtitle: string
  readonly arrays: ReadonlyArray<Allotted>
  /** Columns that are allocated. */
  readonly allocated: number
}

const margin = 28
const unit = 2
const muted = '#6b7280'

export const mapSvg = (p: MapPicture): SvgElement => {
  const [x0, y0] = [margin + 58, 116]
  const height = 2 * tmemLanes
  const colour = (k: number): string => oklch(0.86, 0.09, 25 + (360 * k) / Math.max(6, p.arrays.length))
  const legend = y0 + height + 34
  const longest = greatest(0)(p.arrays.map((a) => legendText(a).length))
  return picture(
    Math.ceil(
      Math.max(
        x0 + unit * tmemColumns + margin,
        2 * margin + 20 + 6.6 * longest,
        2 * margin + 6.6 * p.subtitle.length,
      ),
    ),
    legend + 20 * p.arrays.length + margin - 10,
    [
      words(margin, 38, p.title, { 'font-size': 18, 'font-weight': 600 }),
      words(margin, 58, p.subtitle, { fill: muted }),
      rect({ x: x0, y: y0, width: unit * tmemColumns, height, fill: '#f6f7f9' }),
      rect({ x: x0, y: y0, width: unit * p.allocated, height, fill: '#eceef2' }),
      group(
        { class: 'arrays' },
        p.arrays.map((a, k) =>
          rect(
            {
              x: x0 + unit * a.start,
              y: y0,
              width: Math.max(1, unit * a.columns - 1),
              height,
              rx: 3,
              fill: colour(k),
            },
            legendText(a),
          ),
        ),
      ),
      group({ 'font-size': 10, fill: muted, class: 'ticks' }, [
        words(x0, y0 - 26, 'column \u2192', { 'font-style': 'italic' }),
        words(x0 - 16, y0 - 9, 'lane \u2193', { 'font-style': 'italic', 'text-anchor': 'end' }),
        ...range([0, 1 + tmemColumns / 64]).flatMap((k) => [
          words(x0 + unit * 64 * k, y0 - 9, String(64 * k), { 'text-anchor': 'middle' }),
          line(x0 + unit * 64 * k, y0 - 4, x0 + unit * 64 * k, y0, { stroke: '#9ca3af' }),
        ]),
        ...range([0, 4]).flatMap((quarter) => [
          words(x0 - 8, y0 + (height * quarter) / 4 + 9, String(32 * quarter), { 'text-anchor': 'end' }),
          line(x0, y0 + (height * quarter) / 4, x0 + unit * tmemColumns, y0 + (height * quarter) / 4, {
            stroke: '#ffffff',
            'stroke-width': 1,
          }),
        ]),
      ]),
      group(
        { 'text-anchor': 'middle', 'font-size': 12, 'font-weight': 600, class: 'names' },
        p.arrays.flatMap((a) =>
          unit * a.columns >= 7.5 * a.name.length + 6
            ? [words(x0 + unit * (a.start + a.columns / 2), y0 + (3 * height) / 8 + 4, a.name)]
            : [],
        ),
      ),
      ...p.arrays.flatMap((a, k) => [
        rect({ x: margin, y: legend + 20 * k - 10, width: 12, height: 12, rx: 2, fill: colour(k) }),
        words(margin + 20, legend + 20 * k, legendText(a)),
      ]),
    ],
  )
}

const legendText = (a: Allotted): string =>
  `${a.name}: ${a.what}, columns ${String(a.start)} to ${String(a.start + a.columns - 1)}`

/** `0 ####....`: one character for every eight columns. */
export const mapText = (palette: Palette, p: MapPicture): string => {
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'
  const letter = (k: number): string => letters[k % letters.length]!
  const owner = (column: number): string => {
    const k = p.arrays.findIndex((a) => a.start < column + 8 && column < a.start + a.columns)
    return k >= 0 ? letter(k) : column < p.allocated ? '-' : '.'
  }
  const bar = range([0, tmemColumns / 8])
    .map((k) => owner(8 * k))
    .join('')
  return [
    `0 ${palette.bold(bar)} ${String(tmemColumns)}`,
    ...p.arrays.map((a, k) => `${letter(k)} ${legendText(a)}`),
    palette.dim('8 columns a character; - is allocated and free, . is not allocated'),
  ].join('\n')
}
