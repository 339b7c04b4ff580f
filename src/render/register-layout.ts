/**
 * A picture of a register layout: the array as a grid, each element coloured and labelled by who holds it.
 *
 * The hue is the lane, the lightness the warp. A label is `warp/lane/register` below the thread number `T`; an element that
 * several places hold shows the first of them and how many there are. Every cell has the whole list in its tip.
 *
 *     WGMMA on (64, 8)          T0      T0      T1      T1     ...
 *                              0/0/0   0/0/1   0/1/0   0/1/1
 *
 * Laws
 * 1. One cell per element of the window; its label is the first place of `holders`, its tip all of them.
 * 2. Two cells have one colour exactly when their first holders are one lane of one warp (up to 16 warps).
 * 3. The text form has one line per row of the window, after a heading.
 */
import { greatest } from '../greatest.js'
import type { Place } from '../layouts/register-layout.js'
import type { Listing } from '../layouts/listing.js'
import { holders } from '../layouts/listing.js'
import { sizeOf, unravel } from '../transforms/shape.js'
import { oklch, step } from './colour.js'
import type { Grid, Window } from './grid.js'
import { axisTitles, gridOf, positionAt, rowLabel, showWindow } from './grid.js'
import type { Palette } from './palette.js'
import type { SvgElement } from './svg.js'
import { element, group, mono, picture, rect, words } from './svg.js'
import { table } from './table.js'

export interface LayoutPicture {
  readonly title: string
  readonly listing: Listing
  readonly window: Window
}

// ---------------------------------------------------------------- what a cell says

/** `1/5/2`: warp, lane, register. */
export const placeLabel = (p: Place): string => `${String(p.warp)}/${String(p.lane)}/${String(p.register)}`

const threadOf = (listing: Listing, p: Place): number => listing.lanes * p.warp + p.lane

const longTip = 8

const tipOf = (listing: Listing, position: number, places: ReadonlyArray<Place>): string => {
  const index = `[${unravel(listing.shape)(position).join(', ')}]`
  const some = places.slice(0, longTip).map(placeLabel).join(' ')
  const more = places.length > longTip ? ` and ${String(places.length - longTip)} more` : ''
  return places.length === 0 ? `${index} held by no register` : `${index} ${some}${more}`
}

/** Pale to deep over the warps, around the circle over the lanes. */
export const placeColour = (listing: Listing, p: Place): string =>
  oklch(
    step(0.93, 0.73, p.warp, listing.warps),
    step(0.065, 0.115, p.warp, listing.warps),
    20 + (360 * p.lane) / listing.lanes,
  )

const unowned = '#ffffff'

// ---------------------------------------------------------------- svg

interface Measures {
  readonly labelled: boolean
  readonly cellWidth: number
  readonly cellHeight: number
  /** a tick every so many columns, and rows */
  readonly every: readonly [columns: number, rows: number]
}

const labelledCells = { columns: 32, rows: 256 }

const measure = (rows: number, columns: number, longest: number, head: number): Measures => {
  if (columns <= labelledCells.columns && rows <= labelledCells.rows)
    return {
      labelled: true,
      cellWidth: Math.max(46, Math.ceil(longest * 5.6 + 10), Math.ceil(head * 7.2 + 8)),
      cellHeight: 32,
      every: [1, 1],
    }
  const size = Math.max(4, Math.min(16, Math.floor(1280 / columns), Math.floor(1600 / rows)))
  const tick = (n: number): number => (n <= 16 ? 4 : n <= 64 ? 8 : n <= 256 ? 16 : 64)
  return { labelled: false, cellWidth: size, cellHeight: size, every: [tick(columns), tick(rows)] }
}

const muted = '#6b7280'
const plainKey = 'The hue is the lane, the lightness the warp.'
const labelledKey = `T is the thread; below it are warp/lane/register. ${plainKey}`
const margin = 28

/** Every lane of every warp once: the key to the colours. */
const legend = (
  listing: Listing,
  x: number,
  y: number,
): { readonly svg: SvgElement; readonly height: number; readonly width: number } => {
  const swatch = { width: 15, height: 15 }
  const shown = Math.min(listing.warps, 16)
  const left = 52
  const cells = Array.from({ length: shown }, (_, warp) =>
    Array.from({ length: listing.lanes }, (_, lane) =>
      rect({
        x: x + left + lane * swatch.width,
        y: y + 16 + warp * swatch.height,
        width: swatch.width - 1,
        height: swatch.height - 1,
        rx: 2,
        fill: placeColour(listing, { warp, lane, register: 0 }),
      }),
    ),
  ).flat()
  const lanes = Array.from({ length: listing.lanes }, (_, lane) => lane).filter((lane) => lane % 4 === 0)
  const more = listing.warps - shown
  return {
    width: left + listing.lanes * swatch.width,
    height: 16 + shown * swatch.height + (more > 0 ? 14 : 0),
    svg: group({ 'font-size': 10, fill: muted, class: 'legend' }, [
      words(x, y + 10, 'lane'),
      ...lanes.map((lane) =>
        words(x + left + lane * swatch.width + swatch.width / 2, y + 10, String(lane), {
          'text-anchor': 'middle',
        }),
      ),
      ...Array.from({ length: shown }, (_, warp) =>
        words(x, y + 16 + warp * swatch.height + 11, `warp ${String(warp)}`),
      ),
      ...(more > 0 ? [words(x, y + 16 + shown * swatch.height + 11, `and ${String(more)} more warps`)] : []),
      ...cells,
    ]),
  }
}

const cell = (
  listing: Listing,
  m: Measures,
  x: number,
  y: number,
  position: number,
  places: ReadonlyArray<Place>,
): SvgElement => {
  const first = places[0]
  const gap = m.labelled ? 2 : m.cellWidth > 6 ? 1 : 0
  const box = rect(
    {
      x,
      y,
      width: m.cellWidth - gap,
      height: m.cellHeight - gap,
      ...(m.labelled ? { rx: 3 } : {}),
      fill: first === undefined ? unowned : placeColour(listing, first),
      ...(first === undefined ? { stroke: '#d1d5db', 'stroke-dasharray': '2 2' } : {}),
    },
    tipOf(listing, position, places),
  )
  if (!m.labelled || first === undefined) return box
  const middle = x + (m.cellWidth - gap) / 2
  const times =
    places.length > 1
      ? element('tspan', { 'font-weight': 400, 'font-size': 9 }, [` \u00d7${String(places.length)}`])
      : null
  return group({}, [
    box,
    element('text', { x: middle, y: y + 13, class: 'thread' }, [
      `T${String(threadOf(listing, first))}`,
      ...(times === null ? [] : [times]),
    ]),
    words(middle, y + 25, placeLabel(first), { class: 'place' }),
  ])
}

const plural = (n: number, one: string): string => `${String(n)} ${one}${n === 1 ? '' : 's'}`

/** The second line of the title: how large everything is. */
const summary = ({ listing, window }: LayoutPicture, grid: Grid, copies: number): string =>
  [
    `${listing.shape.join(' x ')} elements`,
    `${plural(listing.warps, 'warp')} of ${plural(listing.lanes, 'lane')}`,
    listing.splat
      ? 'one register a lane, which is every element'
      : `${plural(listing.registers, 'register')} a lane`,
    ...(copies > 1 && !listing.splat ? [`every element in ${String(copies)} places`] : []),
    ...(showWindow(grid, window) === '' ? [] : [showWindow(grid, window)]),
  ].join(', ')

/** Places per element, if all elements have equally many. */
const copiesOf = (listing: Listing): number => {
  const copies = listing.positions.length / sizeOf(listing.shape)
  return Number.isInteger(copies) ? copies : 1
}

export const layoutSvg = (p: LayoutPicture): SvgElement => {
  const { listing, window } = p
  const grid = gridOf(listing.shape)
  const who = holders(listing)
  const [top, bottom] = window.rows
  const [first, last] = window.columns
  const longest = placeLabel({
    warp: listing.warps - 1,
    lane: listing.lanes - 1,
    register: listing.registers - 1,
  }).length
  const copies = copiesOf(listing)
  const mostCopies = listing.splat ? listing.positions.length : copies
  const head = 4 + (mostCopies > 1 ? 1 + String(mostCopies).length : 0)
  const m = measure(bottom - top, last - first, longest, head)
  const rowLabels = Array.from({ length: bottom - top }, (_, r) => rowLabel(grid, top + r))
  const gutter = Math.max(44, 12 + 7 * greatest(0)(rowLabels.map((label) => label.length)))
  const key = legend(listing, margin, 96)
  const x0 = margin + gutter
  const y0 = 96 + key.height + 44
  const titles = axisTitles(grid)
  const cells: SvgElement[] = []
  for (let row = top; row < bottom; row++)
    for (let column = first; column < last; column++) {
      const position = positionAt(grid, row, column)
      if (position !== null)
        cells.push(
          cell(
            listing,
            m,
            x0 + (column - first) * m.cellWidth,
            y0 + (row - top) * m.cellHeight,
            position,
            who(position),
          ),
        )
    }
  const under = summary(p, grid, copies)
  const width = Math.ceil(
    Math.max(
      x0 + (last - first) * m.cellWidth,
      margin + key.width,
      margin + 6.4 * under.length,
      margin + 10 * p.title.length,
    ) + margin,
  )
  const ticks = [
    ...Array.from({ length: last - first }, (_, c) => first + c)
      .filter((column) => column % m.every[0] === 0)
      .map((column) =>
        words(x0 + (column - first) * m.cellWidth + m.cellWidth / 2, y0 - 8, String(column), {
          'text-anchor': 'middle',
        }),
      ),
    ...rowLabels.flatMap((label, r) =>
      (top + r) % m.every[1] === 0
        ? [
            words(x0 - 8, y0 + r * m.cellHeight + m.cellHeight / 2 + 3, label, {
              'text-anchor': 'end',
            }),
          ]
        : [],
    ),
  ]
  return picture(width, Math.ceil(y0 + (bottom - top) * m.cellHeight + margin), [
    words(margin, 38, p.title, { 'font-size': 18, 'font-weight': 600 }),
    words(margin, 58, under, { fill: muted }),
    words(margin, 76, m.labelled ? labelledKey : plainKey, { fill: muted, 'font-size': 11 }),
    key.svg,
    group({ 'font-size': 10, fill: muted, class: 'ticks' }, [
      words(x0, y0 - 24, `${titles[1]} \u2192`, { 'font-style': 'italic' }),
      words(x0 - 8, y0 - 8, `${titles[0]} \u2193`, { 'font-style': 'italic', 'text-anchor': 'end' }),
      ...ticks,
    ]),
    group({ 'font-family': mono, 'text-anchor': 'middle', 'font-size': 9, class: 'cells' }, cells),
    element('style', {}, ['.thread{font-size:11px;font-weight:600}']),
  ])
}

// ---------------------------------------------------------------- text

const textCell = (places: ReadonlyArray<Place>): string =>
  places.length === 0
    ? '-'
    : `${placeLabel(places[0]!)}${places.length > 1 ? `*${String(places.length)}` : ''}`

/** The same grid for a terminal: `warp/lane/register`, and `*n` for n places. */
export const layoutText = (palette: Palette, p: LayoutPicture): string => {
  const { listing, window } = p
  const grid = gridOf(listing.shape)
  const who = holders(listing)
  const [top, bottom] = window.rows
  const [first, last] = window.columns
  const columns = Array.from({ length: last - first }, (_, c) => first + c)
  const rows = Array.from({ length: bottom - top }, (_, r) => top + r)
  const lines = table([
    [axisTitles(grid)[0], ...columns.map(String)],
    ...rows.map((row) => [
      rowLabel(grid, row),
      ...columns.map((column) => {
        const position = positionAt(grid, row, column)
        return position === null ? '' : textCell(who(position))
      }),
    ]),
  ]).split('\n')
  return [
    palette.bold(p.title),
    `${summary(p, grid, copiesOf(listing))}; a cell is warp/lane/register`,
    '',
    ...lines.map((text, i) => (i === 0 ? palette.dim(text) : text)),
  ].join('\n')
}
