/**
 * What a picture of a run shows: lanes, the bars in them, and arrows, in causal time (`causal-time.ts`).
 *
 * `timeline-svg.ts` draws it, and a recording (`recording/`) holds it as data: the laws are said there.
 *
 * Each bar and arrow knows the events of the log that it begins and ends with, by their places.
 */
import { greatest } from '../greatest.js'
import type { Header, LogEvent, Stamp, Unit } from '../semantics/log/events.js'
import { units } from '../semantics/log/units.js'
import { chronicle, type Entry } from '../semantics/files/trace/index.js'
import { causalTimes } from './causal-time.js'
import { barrierOf, agentName, iterationText, siteName, sourceOf, whatOf } from './event.js'
import { blocks, isBlocked } from './timeline.js'

// ---------------------------------------------------------------- model

export type Kind = Unit | 'wait' | 'arrive' | 'other'

export interface Bar {
  readonly from: number
  readonly to: number
  readonly kind: Kind
  readonly label: string
  readonly tip: string
  readonly isOpen: boolean
  /** of the statement that it is, or that issued it */
  readonly stamp: Stamp
  /** places of its first event and its last one in the log */
  readonly first: number
  readonly last: number
  /** row of its lane */
  row: number
}

export interface Lane {
  readonly key: string
  readonly cta: number
  readonly name: string
  readonly isUnit: boolean
  readonly bars: Bar[]
}

export interface Arrow {
  readonly fromLane: string
  readonly from: number
  readonly fromRow: number
  readonly toLane: string
  readonly to: number
  readonly kind: Kind
  /** places in the log: of what signals, and of what waited */
  readonly cause: number
  readonly effect: number
}

export interface Drawing {
  readonly lanes: ReadonlyArray<Lane>
  readonly arrows: ReadonlyArray<Arrow>
  /** the events that are drawn, and the time of each */
  readonly entries: ReadonlyArray<Entry>
  readonly times: Int32Array
  /** the last time that something is drawn at */
  readonly end: number
  /** clusters that follow and are not drawn */
  readonly later: number
}

// ---------------------------------------------------------------- what there is to draw

const agentKey = (agent: number): string => `agent ${String(agent)}`
const unitKey = (cta: number, unit: Unit): string => `unit ${String(cta)} ${unit}`
const unitOrder = Object.keys(units)

/** The events of the clusters that run first. */
const firstWave = (events: ReadonlyArray<LogEvent>): ReadonlyArray<LogEvent> => {
  const next = events.findIndex((e, i) => i > 0 && e._tag === 'cluster')
  return next < 0 ? events : events.slice(0, next)
}

export const kindOf = (e: LogEvent): Kind =>
  e._tag === 'issue'
    ? e.unit
    : blocks(e)
      ? 'wait'
      : e._tag === 'barrier' || e._tag === 'rendezvous' || (e._tag === 'semaphore' && e.kind === 'signal')
        ? 'arrive'
        : 'other'

const tipOf = (header: Header, entry: Entry, from: number, to: number): string => {
  const barrier = barrierOf(header, entry)
  const source = sourceOf(header, entry.stamp)
  return `${siteName(header, entry.stamp)}${iterationText(entry.stamp)}${source === '' ? '' : ` (${source})`}: ${whatOf(entry.event)}${barrier === '' ? '' : ` ${barrier}`}; time ${String(from)} to ${String(to)}`
}

/** Statements of the agents, one bar each. */
const statementBars = (
  header: Header,
  entries: ReadonlyArray<Entry>,
  times: Int32Array,
  end: number,
  laneOf: (key: string, cta: number, name: string, isUnit: boolean) => Lane,
): void => {
  interface Open {
    readonly first: Entry
    readonly stamp: Stamp
    /** the event that says most of it */
    main: Entry
    /** the last one, and the latest time of any */
    final: Entry
    last: number
  }
  const open = new Map<number, Open>()
  const done = new Map<number, number>()
  const close = (agent: number): void => {
    const s = open.get(agent)
    if (s === undefined) return
    const { event } = s.first
    const waits = blocks(event) || blocks(s.main.event)
    const started = times[s.first.i]!
    const stuck = isBlocked(event) || isBlocked(s.main.event)
    const from = waits ? Math.min(done.get(agent) ?? 0, started) : started
    const to = stuck ? end : Math.max(s.last + 1, from + 1)
    done.set(agent, to)
    const kind = kindOf(s.main.event)
    laneOf(agentKey(agent), header.agents[agent]!.cta, agentName(header, agent), false).bars.push({
      from,
      to,
      kind: waits ? 'wait' : kind,
      label: siteName(header, s.first.stamp),
      tip: tipOf(header, s.main, from, to),
      isOpen: stuck,
      stamp: s.stamp,
      first: s.first.i,
      last: s.final.i,
      row: 0,
    })
  }
  for (const entry of entries) {
    const { event, agent, stamp, issue, i } = entry
    if (stamp === null || issue >= 0) continue
    const s = open.get(agent)
    if (s !== undefined && s.stamp.at === stamp.at) {
      s.last = Math.max(s.last, times[i]!)
      s.final = entry
      if (event._tag === 'issue' || (kindOf(s.main.event) === 'other' && kindOf(event) !== 'other'))
        s.main = entry
    } else {
      close(agent)
      const fork = entry.causes[0]
      if (!done.has(agent) && fork !== undefined && entries[fork]!.event._tag === 'fork')
        done.set(agent, times[fork]! + 1)
      open.set(agent, { first: entry, stamp, main: entry, final: entry, last: times[i]! })
    }
  }
  for (const agent of [...open.keys()]) close(agent)
}

/** Operations of the units, one bar each; where the row is that each got, by the place of its issue. */
const operationBars = (
  header: Header,
  entries: ReadonlyArray<Entry>,
  times: Int32Array,
  end: number,
  laneOf: (key: string, cta: number, name: string, isUnit: boolean) => Lane,
): ReadonlyMap<number, { readonly lane: string; readonly bar: Bar }> => {
  const ends = new Map<number, { readonly time: number; readonly i: number }>()
  for (const { i, issue, event } of entries)
    if (issue >= 0 && (event._tag === 'perform' || event._tag === 'signal'))
      ends.set(issue, { time: Math.max(ends.get(issue)?.time ?? 0, times[i]!), i })
  const bars = new Map<number, { readonly lane: string; readonly bar: Bar }>()
  for (const entry of entries) {
    const { event, agent, i } = entry
    if (event._tag !== 'issue') continue
    const { cta } = header.agents[agent]!
    const last = ends.get(i)
    const from = times[i]! + 1
    const to = last === undefined ? end : Math.max(last.time + 1, from + 1)
    const lane = laneOf(unitKey(cta, event.unit), cta, units[event.unit].title, true)
    const bar: Bar = {
      from,
      to,
      kind: event.unit,
      label: `${siteName(header, entry.stamp)}${iterationText(entry.stamp)}`,
      tip: tipOf(header, entry, from, to),
      isOpen: last === undefined,
      stamp: event.stamp,
      first: i,
      last: last?.i ?? i,
      row: 0,
    }
    lane.bars.push(bar)
    bars.set(i, { lane: lane.key, bar })
  }
  return bars
}

/** The first row that is free, for each bar of a unit in the order of their beginnings. */
const stack = (lane: Lane): void => {
  const until: number[] = []
  for (const bar of [...lane.bars].sort((a, b) => a.from - b.from || a.to - b.to)) {
    const free = until.findIndex((to) => to <= bar.from)
    bar.row = free < 0 ? until.length : free
    until[bar.row] = bar.to
  }
}

const arrowsOf = (
  entries: ReadonlyArray<Entry>,
  times: Int32Array,
  bars: ReadonlyMap<number, { readonly lane: string; readonly bar: Bar }>,
): ReadonlyArray<Arrow> =>
  entries.flatMap((entry): ReadonlyArray<Arrow> => {
    if (entry.stamp === null || entry.issue >= 0) return []
    const to = times[entry.i]!
    return entry.causes.flatMap((cause): ReadonlyArray<Arrow> => {
      const source = entries[cause]!
      if (source.event._tag === 'barrier' && source.event.kind === 'expect') return []
      const toLane = agentKey(entry.agent)
      if (source.issue >= 0) {
        const by = bars.get(source.issue)
        return by === undefined
          ? []
          : [
              {
                fromLane: by.lane,
                from: times[cause]! + 1,
                fromRow: by.bar.row,
                toLane,
                to,
                kind: by.bar.kind,
                cause,
                effect: entry.i,
              },
            ]
      }
      return source.agent === entry.agent
        ? []
        : [
            {
              fromLane: agentKey(source.agent),
              from: times[cause]! + 1,
              fromRow: 0,
              toLane,
              to,
              kind: 'arrive',
              cause,
              effect: entry.i,
            },
          ]
    })
  })

/** The clusters that run first, drawn. */
export const drawingOf = (header: Header, events: ReadonlyArray<LogEvent>): Drawing => {
  const wave = firstWave(events)
  const entries = chronicle(header, wave)
  const times = causalTimes(header, entries)
  const end = times.reduce((most, t) => Math.max(most, t + 1), 0) + 1
  const lanes = new Map<string, Lane>()
  const laneOf = (key: string, cta: number, name: string, isUnit: boolean): Lane => {
    const known = lanes.get(key)
    if (known !== undefined) return known
    const made: Lane = { key, cta, name, isUnit, bars: [] }
    lanes.set(key, made)
    return made
  }
  statementBars(header, entries, times, end, laneOf)
  const bars = operationBars(header, entries, times, end, laneOf)
  for (const lane of lanes.values()) if (lane.isUnit) stack(lane)
  const rank = (lane: Lane): number => {
    const [what, first, unit] = lane.key.split(' ')
    return what === 'agent' ? Number(first) : 1e6 + unitOrder.indexOf(unit!)
  }
  return {
    lanes: [...lanes.values()].sort((a, b) => a.cta - b.cta || rank(a) - rank(b)),
    arrows: arrowsOf(entries, times, bars),
    entries,
    times,
    end,
    later: events.filter((e) => e._tag === 'cluster').length - (wave.length === 0 ? 0 : 1),
  }
}

/** The rows of a lane: as many bars as lie over one another in it. */
export const rowsOf = ({ isUnit, bars }: Lane): number =>
  isUnit ? greatest(1)(bars.map((b) => b.row + 1)) : 1

const isUnit = (kind: Kind): kind is Unit => kind in units

/** The kinds of the bars with their titles, in the order of a legend. */
export const kindsOf = (
  lanes: ReadonlyArray<Lane>,
): ReadonlyArray<{ readonly kind: Kind; readonly title: string }> => {
  const kinds = new Set(lanes.flatMap((l) => l.bars.map((b) => b.kind)))
  return [
    ...[...kinds].filter(isUnit).map((kind) => ({ kind, title: units[kind].title })),
    ...[
      { kind: 'arrive' as const, title: 'barrier' },
      { kind: 'other' as const, title: 'other statements' },
      { kind: 'wait' as const, title: 'waits' },
    ].filter(({ kind }) => kinds.has(kind)),
  ]
}
