/**
 * A log as a table, one row an event; and as lanes, one column an agent.
 *
 *        i  CTA  agent    site    iteration  what                      place                 barrier
 *        4  0    memory   expect  [0]        arrive 1, expects 8192 B                        full[0]@0 g0
 *        5  0    memory   load    [0]        issue #0 tmaLoad 8192 B
 *
 * Columns are as wide as their widest cell, up to a bound; longer cells end in an ellipsis. In lanes an event stands under the agent that
 * executes it; what an operation does by itself stands under its issuer, behind a `~`.
 *
 * Laws
 * 1. One row for each event, in the order of the log. A program that came from a text has a column for its lines.
 * 2. No line is wider than its columns' bounds, and none ends in a blank.
 */
import { greatest } from '../greatest.js'
import type { Header, LogEvent } from '../semantics/log/events.js'
import { chronicle, type Entry } from '../semantics/files/trace/index.js'
import { agentName, barrierOf, cut, iterationText, placeOf, siteName, sourceOf, whatOf } from './event.js'
import type { Palette } from './palette.js'
import { table } from './table.js'

// ---------------------------------------------------------------- rows

export interface EventRow {
  readonly i: number
  readonly cta: number | null
  readonly agent: string
  readonly site: string
  readonly iteration: string
  readonly what: string
  readonly place: string
  readonly barrier: string
}

const rowOf = (header: Header, entry: Entry): EventRow => ({
  i: entry.i,
  cta: header.agents[entry.agent]?.cta ?? null,
  agent: agentName(header, entry.agent),
  site: siteName(header, entry.stamp),
  iteration: iterationText(entry.stamp),
  what: whatOf(entry.event),
  place: placeOf(header, entry.event),
  barrier: barrierOf(header, entry),
})

export const eventRows = (header: Header, events: ReadonlyArray<LogEvent>): ReadonlyArray<EventRow> =>
  chronicle(header, events).map((entry) => rowOf(header, entry))

/** Where the statements of the rows stand in the text of an author. */
export const eventSources = (header: Header, events: ReadonlyArray<LogEvent>): ReadonlyArray<string> =>
  chronicle(header, events).map((entry) => sourceOf(header, entry.stamp))

// ---------------------------------------------------------------- the table

const bounds = { agent: 16, site: 28, source: 28, iteration: 14, what: 44, place: 36, barrier: 24 } as const

/** `sources`: where the statements stand in the text of an author, row by row. */
export const eventTable = (
  palette: Palette,
  rows: ReadonlyArray<EventRow>,
  sources: ReadonlyArray<string> = [],
): string => {
  const written = sources.some((source) => source !== '')
  const source = (text: string): ReadonlyArray<string> => (written ? [text] : [])
  const digits = String(greatest(0)(rows.map(({ i }) => i))).length
  const lines = table([
    [
      'i'.padStart(digits),
      'CTA',
      'agent',
      'site',
      ...source('source'),
      'iteration',
      'what',
      'place',
      'barrier',
    ],
    ...rows.map((r, k) => [
      String(r.i).padStart(digits),
      r.cta === null ? '' : String(r.cta),
      cut(r.agent, bounds.agent),
      cut(r.site, bounds.site),
      ...source(cut(sources[k] ?? '', bounds.source)),
      cut(r.iteration, bounds.iteration),
      cut(r.what, bounds.what),
      cut(r.place, bounds.place),
      cut(r.barrier, bounds.barrier),
    ]),
  ]).split('\n')
  return [palette.dim(lines[0]!), ...lines.slice(1)].join('\n')
}

// ---------------------------------------------------------------- lanes

/** Columns of at least so many characters; with more agents the lines become longer. */
const narrowest = 18

/** One column an agent, side by side in `width` characters if they fit. */
export const eventLanes = (
  palette: Palette,
  header: Header,
  events: ReadonlyArray<LogEvent>,
  width: number,
): string => {
  const digits = String(Math.max(0, events.length - 1)).length
  const lane = Math.max(narrowest, Math.floor((width - digits - 2) / Math.max(1, header.agents.length)) - 2)
  const blank = ' '.repeat(lane)
  const line = (first: string, under: number, text: string): string =>
    [first, ...header.agents.map((_, k) => (k === under ? cut(text, lane).padEnd(lane) : blank))]
      .join('  ')
      .trimEnd()
  const heading = [
    'i'.padStart(digits),
    ...header.agents.map((a) => cut(`${a.name}@${String(a.cta)}`, lane).padEnd(lane)),
  ]
    .join('  ')
    .trimEnd()
  const rows = chronicle(header, events).map((entry) => {
    const at = String(entry.i).padStart(digits)
    if (entry.agent < 0) return `${at}  ${whatOf(entry.event)}`
    const barrier = entry.barrier < 0 ? '' : ` ${barrierOf(header, entry)}`
    return line(at, entry.agent, `${entry.issue >= 0 ? '~' : ''}${whatOf(entry.event)}${barrier}`)
  })
  return [palette.dim(heading), ...rows].join('\n')
}
