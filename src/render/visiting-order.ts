/**
 * A picture of orders of tiles, side by side: the number of each visit, the way from one to the next, a colour for each wave.
 *
 *              B panels that wave 0 reads
 *              ▂▂ ▂▂
 *          ▐   0→ 2   4   6         rows are row panels of `a`, columns are column panels of `b`
 *          ▐   1  3   5   7         bars at the left and at the top: what the first wave reads
 *              14 12 10   8
 *
 * A step to a neighbour is a solid line, any other a dashed one; a head in its middle says which way.
 *
 * Laws
 * 1. One cell for each tile, at its row and column, with the number of its visit, its wave and its cluster.
 * 2. The bars are the panels of the first wave's footprint.
 * 3. Numbers are drawn where they fit, lines where there are at most 1,024 tiles; tips always say it.
 */
import type { Footprint } from '../kernels/traffic/footprint.js'
import type { TileGrid, TilePlace } from '../kernels/traffic/visiting-order.js'
import { oklch } from './colour.js'
import type { SvgElement } from './svg.js'
import { element, group, mono, picture, rect, words } from './svg.js'

export interface DrawnOrder {
  readonly name: string
  readonly waves: ReadonlyArray<Footprint>
}

export interface OrderPicture {
  readonly title: string
  readonly subtitle: string
  readonly grid: TileGrid
  readonly orders: ReadonlyArray<DrawnOrder>
}

// ---------------------------------------------------------------- sizes

const margin = 28
/** Between two orders, and room for the bars. */
const gap = 36
const bars = 26
const widest = 1600
const muted = '#6b7280'
const mostLines = 1024

const cellOf = ([m, n]: TileGrid): number => Math.max(6, Math.min(34, Math.floor(540 / Math.max(m, n))))

/** Waves next to one another in time are far apart in hue. */
const waveFill = (wave: number): string =>
  oklch(wave % 2 === 0 ? 0.9 : 0.82, 0.075, (250 + 137.5 * wave) % 360)
const barFill = oklch(0.55, 0.16, 250)

// ---------------------------------------------------------------- the way

const way = (places: ReadonlyArray<TilePlace>, cell: number): ReadonlyArray<SvgElement> => {
  const at = ([m, n]: TilePlace): readonly [number, number] => [(n + 0.5) * cell, (m + 0.5) * cell]
  const [near, far, heads]: readonly [string[], string[], string[]] = [[], [], []]
  const short = (x: number): string => String(Math.round(x * 10) / 10)
  places.slice(1).forEach((to, k) => {
    const from = places[k]!
    const [[x0, y0], [x1, y1]] = [at(from), at(to)]
    const isNear = Math.abs(from[0] - to[0]) + Math.abs(from[1] - to[1]) === 1
    const lines = isNear ? near : far
    lines.push(`M${short(x0)} ${short(y0)}L${short(x1)} ${short(y1)}`)
    const length = Math.hypot(x1 - x0, y1 - y0)
    const [dx, dy] = [(x1 - x0) / length, (y1 - y0) / length]
    const size = Math.min(4, cell / 6)
    const [x, y] = [(x0 + x1) / 2 + dx * size, (y0 + y1) / 2 + dy * size]
    heads.push(
      `M${short(x)} ${short(y)}L${short(x - 2 * size * dx - size * dy)} ${short(y - 2 * size * dy + size * dx)}` +
        `L${short(x - 2 * size * dx + size * dy)} ${short(y - 2 * size * dy - size * dx)}Z`,
    )
  })
  const line = { fill: 'none', stroke: '#39415a', 'stroke-width': Math.min(1.2, cell / 14) }
  return [
    ...(near.length === 0 ? [] : [element('path', { ...line, 'stroke-opacity': 0.55, d: near.join('') })]),
    ...(far.length === 0
      ? []
      : [element('path', { ...line, 'stroke-opacity': 0.3, 'stroke-dasharray': '3 3', d: far.join('') })]),
    ...(heads.length === 0
      ? []
      : [element('path', { fill: '#39415a', 'fill-opacity': 0.6, d: heads.join('') })]),
  ]
}

// ---------------------------------------------------------------- one order

const cellsOf = (o: DrawnOrder, cell: number): ReadonlyArray<SvgElement> => {
  let step = 0
  return o.waves.flatMap((wave, w) =>
    wave.tiles.map(([m, n], c) =>
      rect(
        {
          x: n * cell,
          y: m * cell,
          width: cell - 1,
          height: cell - 1,
          rx: cell > 16 ? 3 : 0,
          fill: waveFill(w),
        },
        `visit ${String(step++)}: tile (${String(m)}, ${String(n)}), wave ${String(w)}, cluster ${String(c)}`,
      ),
    ),
  )
}

const numbersOf = (places: ReadonlyArray<TilePlace>, cell: number): ReadonlyArray<SvgElement> => {
  const size = cell >= 24 ? 10 : 8
  const fits = 0.62 * size * String(places.length - 1).length + 2 <= cell
  return fits
    ? places.map(([m, n], k) =>
        words((n + 0.5) * cell - 0.5, (m + 0.5) * cell + size / 3, String(k), {
          'font-size': size,
          // a number stands on its line
          stroke: '#ffffff',
          'stroke-width': 2.4,
          'stroke-opacity': 0.75,
          'paint-order': 'stroke',
        }),
      )
    : []
}

const orderSvg = (o: DrawnOrder, grid: TileGrid, x: number, y: number): SvgElement => {
  const cell = cellOf(grid)
  const places = o.waves.flatMap((w) => w.tiles)
  const first = o.waves[0]
  const bar = (attributes: Readonly<Record<string, number>>, tip: string): SvgElement =>
    rect({ ...attributes, rx: 2, fill: barFill }, tip)
  return group({ class: 'order', transform: `translate(${String(x)} ${String(y)})` }, [
    words(bars, 0, o.name, { 'font-weight': 600, 'font-size': 13 }),
    words(
      bars,
      17,
      first === undefined
        ? ''
        : `wave 0 reads ${String(first.rows.length)} of a and ${String(first.columns.length)} of b: ${String(first.rows.length + first.columns.length)} panels`,
      { fill: muted, 'font-size': 11 },
    ),
    group({ class: 'bars', transform: `translate(${String(bars)} ${String(bars + 22)})` }, [
      ...(first?.rows ?? []).map((m) =>
        bar({ x: -12, y: m * cell, width: 6, height: cell - 1 }, `wave 0 reads row panel ${String(m)} of a`),
      ),
      ...(first?.columns ?? []).map((n) =>
        bar(
          { x: n * cell, y: -12, width: cell - 1, height: 6 },
          `wave 0 reads column panel ${String(n)} of b`,
        ),
      ),
    ]),
    group({ class: 'cells', transform: `translate(${String(bars)} ${String(bars + 22)})` }, cellsOf(o, cell)),
    group({ class: 'way', transform: `translate(${String(bars)} ${String(bars + 22)})` }, [
      ...(places.length <= mostLines && cell >= 10 ? way(places, cell) : []),
    ]),
    group(
      {
        class: 'numbers',
        transform: `translate(${String(bars)} ${String(bars + 22)})`,
        'font-family': mono,
        'text-anchor': 'middle',
      },
      numbersOf(places, cell),
    ),
  ])
}

// ---------------------------------------------------------------- the picture

export const visitingOrderSvg = (p: OrderPicture): SvgElement => {
  const cell = cellOf(p.grid)
  const width = Math.max(bars + p.grid[1] * cell, 300)
  const height = bars + 22 + p.grid[0] * cell
  const perLine = Math.max(
    1,
    Math.min(p.orders.length, Math.floor((widest - 2 * margin + gap) / (width + gap))),
  )
  const lines = Math.ceil(p.orders.length / perLine)
  const top = 96
  return picture(
    Math.ceil(
      Math.max(
        2 * margin + perLine * (width + gap) - gap,
        2 * margin + 10.5 * p.title.length,
        2 * margin + 6.6 * p.subtitle.length,
      ),
    ),
    Math.ceil(top + lines * (height + gap) - gap + margin),
    [
      words(margin, 38, p.title, { 'font-size': 18, 'font-weight': 600 }),
      words(margin, 58, p.subtitle, { fill: muted }),
      ...p.orders.map((o, k) =>
        orderSvg(
          o,
          p.grid,
          margin + (k % perLine) * (width + gap),
          top + Math.floor(k / perLine) * (height + gap),
        ),
      ),
    ],
  )
}
