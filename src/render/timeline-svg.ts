/**
 * A timeline as a picture: a lane for each agent and each asynchronous unit, bars for what they do, arrows from signals to waits.
 *
 *     CTA 0   memory      ▐copy▐copy▐░░wait░░▐copy▐
 *             TMA load        ████████
 *                                    ╲
 *             compute     ░░░░wait░░░░▐mma▐░░wait
 *
 * Time is causal (`causal-time.ts`): the length of the longest chain of events that must come before. A grey bar is an agent that waits, from the end of
 * what it did last; a bar that ends in a dark edge is never over. Only the clusters that run first are drawn; those after them do it again.
 *
 * Colours are by unit: a statement that issues an operation has the operation's. An arrow goes from a signal or an arrival to every wait that
 * needed it. A finding is red: a frame around each of its two bars, and a dashed line from one to the other, with its id; the legend says what each id
 * is called, and which findings are not seen, because they are about other clusters or a later time. A mark takes no more of a finding than its two
 * operations: agent, statement, iteration and event, as every verdict document has them.
 *
 * Laws
 * 1. One lane for each agent that does something and for each unit that it gives something; a unit whose operations overlap is as high as
 *    the most that go on at one time.
 * 2. One bar for each statement and for each operation of the clusters drawn, up to the last time that is drawn.
 * 3. No arrow goes back in time.
 * 4. A finding whose statements are drawn frames their bars, and no others; two findings about the same two bars are one mark.
 * 5. Every id that is found is in the legend, with its title; what is not drawn is counted there.
 */
import { greatest } from '../greatest.js'
import type { Header, LogEvent, Unit } from '../semantics/log/events.js'
import { units } from '../semantics/log/units.js'
import type { Finding, HazardId, Operation } from '../semantics/judging/finding.js'
import { hazards } from '../semantics/judging/hazards.js'
import { oklch } from './colour.js'
import { cut, siteName } from './event.js'
import type { SvgElement } from './svg.js'
import { element, group, line, picture, rect, words } from './svg.js'
import { thousands } from './table.js'
import { drawingOf, kindsOf, rowsOf, type Arrow, type Bar, type Kind, type Lane } from './timeline-drawing.js'

// ---------------------------------------------------------------- findings

/** Two bars that a finding is about; one where it is about one. */
interface Mark {
  readonly findings: ReadonlyArray<Finding>
  readonly bars: ReadonlyArray<{ readonly lane: string; readonly bar: Bar }>
}

const isOf = (header: Header, o: Operation, { stamp }: Bar): boolean =>
  stamp.agent === o.index &&
  stamp.at === o.at &&
  siteName(header, stamp) === o.site &&
  stamp.iteration.join() === o.iteration.join()

const marksOf = (
  header: Header,
  lanes: ReadonlyArray<Lane>,
  findings: ReadonlyArray<Finding>,
): ReadonlyArray<Mark> => {
  const placed = lanes.flatMap((lane) =>
    lane.bars.map((bar) => ({ lane: lane.key, isUnit: lane.isUnit, bar })),
  )
  const marks = new Map<string, Mark>()
  for (const f of findings) {
    const operations = f.b === undefined ? [f.a] : [f.a, f.b]
    const bars = operations.flatMap((o) => {
      const k = placed.findIndex((p) => p.isUnit === (o.operation !== undefined) && isOf(header, o, p.bar))
      return k < 0 ? [] : [k]
    })
    // of statements that are not drawn, or drawn in part, nothing is shown
    if (bars.length < operations.length) continue
    const key = bars.join()
    marks.set(key, {
      findings: [...(marks.get(key)?.findings ?? []), f],
      bars: bars.map((k) => placed[k]!),
    })
  }
  return [...marks.values()]
}

// ---------------------------------------------------------------- colours

const hues: Readonly<Record<Unit, number>> = {
  tmaLoad: 250,
  tmaStore: 195,
  cpAsync: 230,
  wgmma: 60,
  tcgen05: 60,
  tcgen05Ld: 310,
  tcgen05St: 340,
  stAsync: 215,
  clc: 100,
}
const isUnit = (kind: Kind): kind is Unit => kind in units
const fillOf = (kind: Kind): string =>
  kind === 'wait'
    ? '#e5e7eb'
    : kind === 'arrive'
      ? oklch(0.78, 0.14, 150)
      : isUnit(kind)
        ? oklch(0.8, 0.11, hues[kind])
        : '#b6bcc8'
const strokeOf = (kind: Kind): string =>
  kind === 'arrive' ? oklch(0.55, 0.14, 150) : isUnit(kind) ? oklch(0.55, 0.15, hues[kind]) : '#6b7280'

// ---------------------------------------------------------------- the picture

const margin = 28
/** Of the first lane, where nothing is found; each id that is found takes a line. */
const highest = 108
const lineHeight = 16
const rowHeight = 17
/** Room for arrows. */
const laneGap = 13
const ctaGap = 16
const muted = '#6b7280'
const wrong = '#dc2626'
/** Wide enough for one tile, and no wider than a picture may be. */
const wanted = 1600
const widest = 16_000
const characters = 5.2

interface Place {
  readonly lane: Lane
  readonly y: number
  readonly rows: number
}

const placesOf = (lanes: ReadonlyArray<Lane>, top: number): ReadonlyArray<Place> => {
  let y = top
  return lanes.map((lane, k) => {
    if (k === 0 || lanes[k - 1]!.cta !== lane.cta) y += k === 0 ? 14 : ctaGap + 14
    const rows = rowsOf(lane)
    const place: Place = { lane, y, rows }
    y += rows * rowHeight + laneGap
    return place
  })
}

const legend = (lanes: ReadonlyArray<Lane>): ReadonlyArray<SvgElement> => {
  let x = margin
  return kindsOf(lanes).flatMap(({ kind, title }) => {
    const at = x
    x += 34 + 6.8 * title.length
    return [
      rect({ x: at, y: 70, width: 12, height: 12, rx: 2, fill: fillOf(kind) }),
      words(at + 17, 80, title, { 'font-size': 11 }),
    ]
  })
}

/** What each id is called, and how many of its findings are not seen. */
const foundText = (id: HazardId, findings: ReadonlyArray<Finding>, seen: ReadonlySet<Finding>): string => {
  const own = findings.filter((f) => f.id === id)
  const unseen = own.filter((f) => !seen.has(f)).length
  const rest =
    unseen === 0
      ? ''
      : ` (${own.length === 1 ? 'not' : `${thousands(unseen)} of ${thousands(own.length)} not`} drawn here)`
  return `${id}  ${hazards[id].title}${rest}`
}

const foundLegend = (texts: ReadonlyArray<string>): ReadonlyArray<SvgElement> =>
  texts.flatMap((text, i) => [
    rect({
      ...{ x: margin, y: 90 + lineHeight * i, width: 12, height: 12, rx: 2 },
      ...{ fill: wrong, 'fill-opacity': 0.14, stroke: wrong, 'stroke-width': 2, 'stroke-dasharray': '4 3' },
    }),
    words(margin + 17, 100 + lineHeight * i, text, { 'font-size': 11, fill: wrong }),
  ])

const barSvg = (
  bar: Bar,
  y: number,
  x: (time: number) => number,
  last: number,
): ReadonlyArray<SvgElement> => {
  if (bar.from >= last) return []
  const to = Math.min(bar.to, last)
  const [left, width] = [x(bar.from), x(to) - x(bar.from)]
  const inside = Math.floor((width - 6) / characters)
  return [
    rect(
      {
        x: left,
        y: y + bar.row * rowHeight,
        width: Math.max(1, width - 1),
        height: rowHeight - 2,
        rx: 2,
        fill: fillOf(bar.kind),
      },
      bar.tip,
    ),
    ...(bar.isOpen
      ? [rect({ x: x(to) - 3, y: y + bar.row * rowHeight, width: 3, height: rowHeight - 2, fill: '#b91c1c' })]
      : []),
    ...(inside >= 4
      ? [
          words(left + 3, y + bar.row * rowHeight + 11, cut(bar.label, inside), {
            'font-size': 9,
            fill: bar.kind === 'wait' ? muted : '#1f2430',
          }),
        ]
      : []),
  ]
}

const arrowSvg = (
  a: Arrow,
  places: ReadonlyMap<string, Place>,
  x: (time: number) => number,
  unit: number,
  last: number,
): ReadonlyArray<SvgElement> => {
  const [from, to] = [places.get(a.fromLane), places.get(a.toLane)]
  if (from === undefined || to === undefined || a.to >= last) return []
  const [x0, x1] = [x(a.from) - 3, x(a.to) + Math.min(unit / 2, 6)]
  const barTop = from.y + a.fromRow * rowHeight
  const down = barTop < to.y
  const y0 = down ? barTop + rowHeight - 2 : barTop
  const y1 = down ? to.y - 1 : to.y + rowHeight - 1
  const bend = (down ? 1 : -1) * Math.max(9, Math.abs(y1 - y0) / 2)
  const short = (n: number): string => String(Math.round(n * 10) / 10)
  const head = down ? -4 : 4
  const colour = strokeOf(a.kind)
  return [
    element('path', {
      d: `M${short(x0)} ${short(y0)}C${short(x0)} ${short(y0 + bend)} ${short(x1)} ${short(y1 - bend)} ${short(x1)} ${short(y1 + head)}`,
      fill: 'none',
      stroke: colour,
      'stroke-width': 0.9,
      'stroke-opacity': 0.65,
    }),
    element('path', {
      d: `M${short(x1)} ${short(y1)}L${short(x1 - 2.4)} ${short(y1 + head)}L${short(x1 + 2.4)} ${short(y1 + head)}Z`,
      fill: colour,
    }),
  ]
}

/** `along` says where on its line the id of a mark stands, so that those of lines that meet stand apart. */
const markSvg = (
  { findings, bars }: Mark,
  along: number,
  places: ReadonlyMap<string, Place>,
  x: (time: number) => number,
  last: number,
): ReadonlyArray<SvgElement> => {
  const frames = bars.flatMap(({ lane, bar }) => {
    const place = places.get(lane)
    return place === undefined || bar.from >= last
      ? []
      : [
          {
            left: x(bar.from) - 1,
            top: place.y + bar.row * rowHeight - 1,
            width: Math.max(3, x(bar.to) - x(bar.from) + 1),
          },
        ]
  })
  const [a, b] = [frames[0], frames.at(-1)]
  if (a === undefined || b === undefined || frames.length < bars.length) return []
  const height = rowHeight
  const ids = [...new Set(findings.map((f) => f.id))]
  const text = findings.map((f) => `${f.id}: ${f.text}`).join('; ')
  const down = a.top <= b.top
  const ends =
    a === b
      ? null
      : {
          x0: a.left + Math.min(a.width / 2, 9),
          y0: down ? a.top + height : a.top,
          x1: b.left + Math.min(b.width / 2, 9),
          y1: down ? b.top : b.top + height,
        }
  const label =
    ends === null
      ? { x: a.left + a.width + 3, y: a.top + 12 }
      : { x: ends.x0 + (ends.x1 - ends.x0) * along + 4, y: ends.y0 + (ends.y1 - ends.y0) * along + 4 }
  return [
    group({ class: 'finding', 'data-id': ids.join(' ') }, [
      ...frames.map(({ left, top: y, width }) =>
        rect(
          {
            x: left,
            y,
            width,
            height,
            rx: 3,
            fill: wrong,
            'fill-opacity': 0.14,
            stroke: wrong,
            'stroke-width': 2,
          },
          text,
        ),
      ),
      ...(ends === null
        ? []
        : [
            line(ends.x0, ends.y0, ends.x1, ends.y1, {
              stroke: wrong,
              'stroke-width': 1.6,
              'stroke-dasharray': '4 3',
            }),
          ]),
      words(label.x, label.y, ids.join(' '), {
        'font-size': 11,
        'font-weight': 700,
        fill: wrong,
        stroke: '#ffffff',
        'stroke-width': 3,
        'paint-order': 'stroke',
      }),
    ]),
  ]
}

/** The picture of a log, and of what was found in it. */
export const timelineSvg = (
  header: Header,
  events: ReadonlyArray<LogEvent>,
  findings: ReadonlyArray<Finding> = [],
): SvgElement => {
  const d = drawingOf(header, events)
  const ids = [...new Set(findings.map((f) => f.id))]
  const top = highest + lineHeight * ids.length
  const placed = placesOf(d.lanes, top)
  const places = new Map(placed.map((p) => [p.lane.key, p]))
  const gutter = 24 + 6.2 * greatest(8)(d.lanes.map((l) => l.name.length))
  const x0 = margin + gutter
  const unit = Math.max(5, Math.min(24, (wanted - x0 - margin) / Math.max(1, d.end)))
  const last = Math.min(d.end, Math.floor((widest - x0 - margin) / unit))
  const x = (time: number): number => x0 + Math.min(time, last) * unit
  const bottom = placed.reduce((y, p) => Math.max(y, p.y + p.rows * rowHeight), top)
  const ticks = Array.from({ length: Math.floor(last / 10) + 1 }, (_, k) => 10 * k)
  const marks = marksOf(header, d.lanes, findings)
    .map((mark, k) => ({ mark, drawn: markSvg(mark, 0.3 + 0.2 * (k % 3), places, x, last) }))
    .filter(({ drawn }) => drawn.length > 0)
  const seen = new Set(marks.flatMap(({ mark }) => mark.findings))
  const found = ids.map((id) => foundText(id, findings, seen))
  const subtitle = [
    'Time is the longest chain of events that must come before; lengths compare nothing else. Arrows: from a signal or an arrival to the wait that needs it.',
    ...(d.later > 0
      ? [
          `This is the first of ${thousands(d.later + 1)} clusters or waves of clusters, which run one after the other.`,
        ]
      : []),
    ...(marks.length > 0 ? ['Red: what a finding is about.'] : []),
    ...(last < d.end ? [`Drawn up to time ${thousands(last)} of ${thousands(d.end)}.`] : []),
  ].join(' ')
  const starts = placed.filter((p, k) => k === 0 || placed[k - 1]!.lane.cta !== p.lane.cta)
  return picture(
    Math.ceil(
      greatest(x(last) + margin)([subtitle, ...found].map((text) => margin * 2 + 6.3 * text.length + 17)),
    ),
    Math.ceil(bottom + margin),
    [
      words(margin, 38, `${header.program} on ${header.arch}`, { 'font-size': 18, 'font-weight': 600 }),
      words(margin, 58, subtitle, { fill: muted }),
      group({ class: 'legend' }, legend(d.lanes)),
      ...(found.length === 0 ? [] : [group({ class: 'found' }, foundLegend(found))]),
      group(
        { class: 'ticks', 'font-size': 9, fill: muted, 'text-anchor': 'middle' },
        ticks.flatMap((t) => [
          line(x(t), top, x(t), bottom, { stroke: '#eef0f4' }),
          words(x(t), top - 4, String(t)),
        ]),
      ),
      group({ class: 'names', 'font-size': 11 }, [
        ...starts.map((p) => words(margin, p.y - 4, `CTA ${String(p.lane.cta)}`, { 'font-weight': 600 })),
        ...placed.map((p) =>
          words(x0 - 8, p.y + 11, p.lane.name, {
            'text-anchor': 'end',
            ...(p.lane.isUnit ? { 'font-style': 'italic', fill: muted } : {}),
          }),
        ),
      ]),
      ...placed.map((p) =>
        group(
          { class: p.lane.isUnit ? 'unit' : 'agent', 'data-lane': `${p.lane.name}@${String(p.lane.cta)}` },
          [
            rect({ x: x0, y: p.y - 1, width: x(last) - x0, height: p.rows * rowHeight, fill: '#f8f9fb' }),
            ...p.lane.bars.flatMap((bar) => barSvg(bar, p.y, x, last)),
          ],
        ),
      ),
      group(
        { class: 'arrows' },
        d.arrows.flatMap((a) => arrowSvg(a, places, x, unit, last)),
      ),
      ...marks.flatMap(({ drawn }) => drawn),
    ],
  )
}
