/**
 * A timed run as a picture to scale: a row for the critical path, one for each agent and one for each kind of operation, over microseconds of the chip.
 *
 *     critical path  ▐ L2 ▐▐ tensor core          ▐▐ L2  ▐
 *     memory         ▐░wait░▐░░░░░wait░░░░▐
 *     tma load          ▐██████▐ ▐██████▐
 *                    0        1        2        3 us
 *
 * Colours are by what was waited for. A run has more events than a screen has pixels: each pixel of a row is of what most of it is, and neighbours of one colour are
 * one bar. What is shorter than half a pixel and alone in it is not seen.
 *
 * Laws
 * 1. Bars of one row do not overlap, and none is outside of the run.
 * 2. Of the critical path, each pixel is covered: it is the whole run.
 */
import { pathOf, type Moment, type Timing, type Why } from '../semantics/timing/index.js'
import { oklch } from './colour.js'
import { cut } from './event.js'
import { group, line, picture, rect, words, type SvgElement } from './svg.js'
import type { LineOf } from './time.js'

// ---------------------------------------------------------------- rows

/** Something that lasts, in cycles. */
interface Span {
  readonly from: number
  readonly to: number
  readonly why: Why
  readonly site: number
}

interface Row {
  readonly name: string
  readonly spans: ReadonlyArray<Span>
}

const spanOf = ({ to, why, site }: Moment, from: number): Span => ({
  from: Math.min(from, to),
  to,
  why,
  site,
})

/** Rows of a run: of its first cluster's agents, where several are on a multiprocessor. */
const rowsOf = (t: Timing): ReadonlyArray<Row> => {
  const { moments } = t.timed
  const path = pathOf(t.timed)
  const critical = path.map((m, k) => spanOf(m, path[k + 1]?.to ?? 0)).reverse()
  const agents = t.header.agents.flatMap(({ name }, agent): ReadonlyArray<Row> => {
    const own = moments.filter((m) => m.agent === agent && m.place === 0)
    const acts = own.filter(({ unit }) => unit === 'agent').map((m) => spanOf(m, m.from))
    return acts.length === 0 ? [] : [{ name, spans: acts }]
  })
  const units = [...new Set(moments.map(({ unit }) => unit))]
    .filter((unit) => unit !== 'agent')
    .map((unit) => ({
      name: unit,
      spans: moments.filter((m) => m.unit === unit && m.place === 0).map((m) => spanOf(m, m.served)),
    }))
  return [{ name: 'critical path', spans: critical }, ...agents, ...units]
}

// ---------------------------------------------------------------- pixels

interface Bar {
  readonly x: number
  readonly width: number
  readonly why: Why
  readonly site: number
}

/** Bars of a row that is so many pixels wide. */
const barsOf = (spans: ReadonlyArray<Span>, end: number, pixels: number): ReadonlyArray<Bar> => {
  const cells = Array.from({ length: pixels }, () => new Map<Why, { cycles: number; site: number }>())
  const perPixel = end / pixels
  for (const { from, to, why, site } of spans)
    for (let p = Math.floor(from / perPixel); p < pixels && p * perPixel < to; p++) {
      const cycles = Math.min(to, (p + 1) * perPixel) - Math.max(from, p * perPixel)
      const there = cells[p]!.get(why)
      if (there === undefined) cells[p]!.set(why, { cycles, site })
      else there.cycles += cycles
    }
  const bars: Bar[] = []
  cells.forEach((cell, x) => {
    const [most] = [...cell].sort((a, b) => b[1].cycles - a[1].cycles)
    if (most === undefined || most[1].cycles < perPixel / 2) return
    const [why, { site }] = most
    const last = bars.at(-1)
    if (last !== undefined && last.why === why && last.site === site && last.x + last.width === x)
      bars[bars.length - 1] = { x: last.x, width: last.width + 1, why, site }
    else bars.push({ x, width: 1, why, site })
  })
  return bars
}

// ---------------------------------------------------------------- the picture

const colours: Readonly<Record<Why, string>> = {
  start: oklch(0.92, 0, 0),
  computes: oklch(0.78, 0.11, 145),
  issues: oklch(0.84, 0.1, 110),
  data: oklch(0.8, 0.1, 200),
  barrier: oklch(0.7, 0.02, 260),
  wait: oklch(0.86, 0.015, 260),
  'tensor core': oklch(0.7, 0.15, 30),
  'shared memory': oklch(0.76, 0.12, 320),
  'copy unit': oklch(0.78, 0.12, 70),
  L2: oklch(0.72, 0.13, 250),
  DRAM: oklch(0.62, 0.15, 275),
  latency: oklch(0.84, 0.07, 230),
}

const label = 180
const wide = 1200
const high = 22

/** A step of the axis: 1, 2 or 5 times a power of ten, so that there are six to fifteen. */
const stepOf = (most: number): number => {
  const power = 10 ** Math.floor(Math.log10(most / 6))
  return [5, 2, 1].map((n) => n * power).find((s) => most / s >= 6) ?? power
}

export const timeSvg = (t: Timing, lineOf: LineOf): SvgElement => {
  const { end } = t.timed
  const rows = rowsOf(t)
  const scale = end / t.megahertz
  const bottom = 40 + rows.length * high
  const textOf = (site: number): string => {
    const own = lineOf(site)
    if (own !== null) return own.text === '' ? own.place : `${own.place}  ${own.text}`
    const s = t.header.sites[site]
    return s?.loc ?? s?.label ?? ''
  }
  const drawn = rows.flatMap(({ name, spans }, k): ReadonlyArray<SvgElement> => {
    const y = 36 + k * high
    return [
      words(label - 8, y + 14, cut(name, 26), { 'text-anchor': 'end' }),
      group(
        {},
        barsOf(spans, end, wide).map(({ x, width, why, site }) =>
          rect({ x: label + x, y, width, height: high - 5, fill: colours[why] }, `${why}: ${textOf(site)}`),
        ),
      ),
    ]
  })
  const step = stepOf(Math.max(scale, 1e-6))
  const ticks = Array.from({ length: Math.floor(scale / step) + 1 }, (_, i) => i * step).flatMap((us) => {
    const x = label + (us / scale) * wide
    return [
      line(x, 34, x, bottom, { stroke: '#1f2430', 'stroke-opacity': 0.15 }),
      words(x, bottom + 14, `${String(Math.round(us * 1000) / 1000)}`, {
        'text-anchor': 'middle',
        'font-size': 10,
      }),
    ]
  })
  const used = new Set(rows.flatMap(({ spans }) => spans.map(({ why }) => why)))
  const legend = Object.entries(colours)
    .filter(([why]) => [...used].some((u) => u === why))
    .flatMap(([why, fill], i) => [
      rect({ x: label + i * 100, y: bottom + 26, width: 12, height: 12, fill }),
      words(label + i * 100 + 17, bottom + 36, why, { 'font-size': 11 }),
    ])
  const width = label + Math.max(wide, 100 * used.size) + 24
  const head = `${t.header.program} on ${t.chip.says}: ${t.microseconds.toFixed(1)} us (${scale.toFixed(1)} us drawn) at ${String(Math.round(t.megahertz))} MHz`
  return picture(width, bottom + 48, [
    words(8, 18, head, { 'font-weight': 600 }),
    ...drawn,
    ...ticks,
    words(label - 8, bottom + 14, 'us', { 'text-anchor': 'end', 'font-size': 10 }),
    ...legend,
  ])
}
