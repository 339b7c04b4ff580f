/**
 * A timeline: a log as a trace-event document, for viewers such as Perfetto's and chrome://tracing.
 *
 * A log has an order and no clock: **the time of an event is its place in the log**, one microsecond each, and lengths compare nothing but places.
 *
 * | in the log                         | in the timeline                                                          |
 * |------------------------------------|--------------------------------------------------------------------------|
 * | CTA                                | a process                                                                |
 * | agent                              | a thread; a statement is a slice over its events                         |
 * | wait, leave, join                  | a slice from the end of the agent's last statement: while it was blocked |
 * | asynchronous unit of a CTA         | a thread, and more where its operations overlap                          |
 * | operation                          | a slice from its issue to its last event, cut at performs and signals    |
 * | issue to signal to the wait that it lets pass | a flow, with a step at the signal                             |
 * | arrival, fork, last arrival of a rendezvous   | a flow to what it lets pass                                   |
 * | clusters that run together         | a slice of the first process                                             |
 *
 * Laws (the format's)
 * 1. Slices of one thread are nested or apart.
 * 2. A flow begins and ends once, in slices of the threads that it names, and does not go back in time.
 * 3. Events stand in the order of their times; every process and every thread has a name.
 * 4. The document is a function of the log.
 *
 * Source: Trace Event Format (Chromium project): complete events, flow events, metadata events.
 */
import type { Header, LogEvent, Unit } from '../semantics/log/events.js'
import { units } from '../semantics/log/units.js'
import { chronicle, type Entry } from '../semantics/files/trace/index.js'
import type { Json } from '../wire.js'
import {
  agentName,
  barrierName,
  barrierOf,
  iterationText,
  placeOf,
  siteName,
  sourceOf,
  whatOf,
} from './event.js'

// ---------------------------------------------------------------- model

type Arguments = Readonly<Record<string, Json>>

interface Track {
  readonly pid: number
  readonly tid: number
}
/** A complete event. */
interface Slice extends Track {
  readonly name: string
  readonly category: string
  readonly from: number
  readonly to: number
  readonly args: Arguments
}
/** Begins, goes through, ends: each at a time on a track. */
interface Flow {
  readonly name: string
  readonly points: ReadonlyArray<Track & { readonly at: number }>
}

export const timelineSchema = 'tcspec.timeline/1'

export interface Timeline {
  readonly schema: typeof timelineSchema
  readonly traceEvents: ReadonlyArray<Json>
  readonly displayTimeUnit: 'ns'
  readonly otherData: Arguments
}

// ---------------------------------------------------------------- tracks

const unitOrder = Object.keys(units)

/** Threads of a process: 0 the clusters, from 1 the agents, from 2000 the units, a hundred for each. */
const firstUnit = 2000
const agentTrack = (header: Header, agent: number): Track => {
  const { cta } = header.agents[agent]!
  const first = header.agents.findIndex((a) => a.cta === cta)
  return { pid: cta, tid: 1 + agent - first }
}
const lanesOfUnit = 100
const unitTrack = (cta: number, unit: Unit, lane: number): Track => ({
  pid: cta,
  tid: firstUnit + lanesOfUnit * unitOrder.indexOf(unit) + lane,
})

// ---------------------------------------------------------------- what there is to draw

/** A statement that may have to wait. */
export const blocks = (e: LogEvent): boolean =>
  (e._tag === 'wait' && (e.outcome === 'passed' || e.outcome === 'blocked')) ||
  (e._tag === 'group' && e.kind === 'wait') ||
  (e._tag === 'rendezvous' && e.kind !== 'arrive') ||
  (e._tag === 'semaphore' && e.kind === 'wait') ||
  e._tag === 'registers' ||
  e._tag === 'join'

/** It waits for ever. */
export const isBlocked = (e: LogEvent): boolean =>
  (e._tag === 'wait' && e.outcome === 'blocked') ||
  (e._tag === 'group' && e.blocked) ||
  (e._tag === 'rendezvous' && e.kind === 'blocked') ||
  (e._tag === 'semaphore' && e.outcome === 'blocked') ||
  (e._tag === 'registers' && e.blocked)

const argsOf = (header: Header, entry: Entry): Arguments => {
  const site = entry.stamp === null ? undefined : header.sites[entry.stamp.site]
  return Object.fromEntries(
    [
      ['what', whatOf(entry.event)],
      ['path', site === undefined ? '' : [...site.path, site.label].join(' / ')],
      ['source', sourceOf(header, entry.stamp)],
      ['iteration', iterationText(entry.stamp)],
      ['place', placeOf(header, entry.event)],
      ['barrier', barrierOf(header, entry)],
    ].filter(([, text]) => text !== ''),
  )
}

/** Where each place of the log lies: the end of its clusters. */
const endsOf = (events: ReadonlyArray<LogEvent>): ReadonlyArray<number> => {
  const ends = new Array<number>(events.length)
  let end = events.length
  for (let i = events.length - 1; i >= 0; i--) {
    ends[i] = end
    if (events[i]!._tag === 'cluster') end = i
  }
  return ends
}

/** Statements of agents: consecutive own events of one program-order index. */
const statements = (
  header: Header,
  entries: ReadonlyArray<Entry>,
  ends: ReadonlyArray<number>,
): ReadonlyArray<Slice> => {
  const slices: Slice[] = []
  const open = new Map<number, { first: Entry; last: Entry }>()
  /** where the agent's last statement ended, or its clusters began */
  const cursor = new Map<number, number>()
  let begun = 0
  const close = (agent: number): void => {
    const s = open.get(agent)
    if (s === undefined) return
    open.delete(agent)
    const { event, stamp } = s.first
    const waits = blocks(event)
    const from = waits ? Math.min(cursor.get(agent) ?? begun, s.first.i) : s.first.i
    const to = isBlocked(event) ? ends[s.first.i]! : s.last.i + 1
    cursor.set(agent, to)
    slices.push({
      ...agentTrack(header, agent),
      name: `${siteName(header, stamp)}${iterationText(stamp)}`,
      category: waits ? 'wait' : 'statement',
      from,
      to,
      args: argsOf(header, s.first),
    })
  }
  for (const entry of entries) {
    const { event, agent, stamp } = entry
    if (event._tag === 'cluster') {
      for (const one of [...open.keys()]) close(one)
      cursor.clear()
      begun = entry.i + 1
      continue
    }
    if (stamp === null || entry.issue >= 0) continue
    const s = open.get(agent)
    if (s !== undefined && s.first.stamp?.at === stamp.at) s.last = entry
    else {
      close(agent)
      open.set(agent, { first: entry, last: entry })
      // a fork lets a child begin here
      const fork = entry.causes[0]
      if (!cursor.has(agent) && fork !== undefined && entries[fork]?.event._tag === 'fork')
        cursor.set(agent, fork + 1)
    }
  }
  for (const one of [...open.keys()]) close(one)
  return slices
}

/** An operation: where it was issued and what it did since. */
interface Operation {
  readonly issue: Entry
  readonly unit: Unit
  readonly steps: Entry[]
}

const operationsOf = (entries: ReadonlyArray<Entry>): ReadonlyMap<number, Operation> => {
  const operations = new Map<number, Operation>()
  for (const entry of entries) {
    const { event } = entry
    if (event._tag === 'issue') operations.set(entry.i, { issue: entry, unit: event.unit, steps: [] })
    else if (event._tag === 'perform' || event._tag === 'signal')
      operations.get(entry.issue)?.steps.push(entry)
  }
  return operations
}

/** The end of an operation; one that never did anything lasts to the end of its clusters. */
const endOf = (o: Operation, ends: ReadonlyArray<number>): number =>
  o.steps.length === 0 ? ends[o.issue.i]! : o.steps[o.steps.length - 1]!.i + 1

/** The first lane of its unit that is free, for each operation in the order of issue. */
const lanesOf = (
  header: Header,
  operations: ReadonlyMap<number, Operation>,
  ends: ReadonlyArray<number>,
): ReadonlyMap<number, Track> => {
  const busy = new Map<string, number[]>()
  const tracks = new Map<number, Track>()
  for (const [issue, o] of operations) {
    const { cta } = header.agents[o.issue.agent]!
    const key = `${String(cta)} ${o.unit}`
    const until = busy.get(key) ?? []
    busy.set(key, until)
    const free = until.findIndex((end) => end <= issue)
    // where a hundred overlap, the others are not drawn
    const lane = Math.min(free < 0 ? until.length : free, lanesOfUnit - 1)
    if ((until[lane] ?? 0) > issue) continue
    until[lane] = endOf(o, ends)
    tracks.set(issue, unitTrack(cta, o.unit, lane))
  }
  return tracks
}

const operationSlices = (
  header: Header,
  operations: ReadonlyMap<number, Operation>,
  tracks: ReadonlyMap<number, Track>,
  ends: ReadonlyArray<number>,
): ReadonlyArray<Slice> =>
  [...operations].flatMap(([issue, o]): ReadonlyArray<Slice> => {
    const track = tracks.get(issue)
    if (track === undefined) return []
    const { stamp } = o.issue
    const name = `${siteName(header, stamp)}${iterationText(stamp)}`
    const whole: Slice = {
      ...track,
      name,
      category: 'operation',
      from: issue,
      to: endOf(o, ends),
      args: argsOf(header, o.issue),
    }
    let from = issue
    const parts = o.steps.flatMap((step): ReadonlyArray<Slice> => {
      const part: Slice = {
        ...track,
        name: step.event._tag === 'perform' ? 'until it performs' : 'until it signals',
        category: step.event._tag,
        from,
        to: step.i,
        args: argsOf(header, step),
      }
      from = step.i
      return part.to > part.from ? [part] : []
    })
    return [whole, ...parts]
  })

/** Flows into what they let pass; and from issues that are not waited for to their last event. */
const flowsOf = (
  header: Header,
  entries: ReadonlyArray<Entry>,
  operations: ReadonlyMap<number, Operation>,
  tracks: ReadonlyMap<number, Track>,
): ReadonlyArray<Flow> => {
  const flows: Flow[] = []
  const awaited = new Set<number>()
  for (const entry of entries) {
    if (entry.stamp === null || entry.issue >= 0) continue
    const end = { ...agentTrack(header, entry.agent), at: entry.i }
    for (const cause of entry.causes) {
      const source = entries[cause]!
      const barrier = entry.barrier < 0 ? '' : ` ${barrierName(header, entry.barrier)}`
      if (source.issue < 0) {
        if (source.event._tag === 'barrier' && source.event.kind === 'expect') continue
        flows.push({
          name: `${source.event._tag}${barrier}`,
          points: [{ ...agentTrack(header, source.agent), at: cause }, end],
        })
        continue
      }
      const track = tracks.get(source.issue)
      if (track === undefined) continue
      const first = awaited.has(source.issue)
        ? []
        : [{ ...agentTrack(header, source.agent), at: source.issue }]
      awaited.add(source.issue)
      flows.push({ name: `signal${barrier}`, points: [...first, { ...track, at: cause }, end] })
    }
  }
  for (const [issue, o] of operations) {
    const track = tracks.get(issue)
    if (awaited.has(issue) || track === undefined) continue
    const last = o.steps[o.steps.length - 1]
    flows.push({
      name: 'issue',
      points: [
        { ...agentTrack(header, o.issue.agent), at: issue },
        { ...track, at: last?.i ?? issue },
      ],
    })
  }
  return flows
}

const clusterSlices = (entries: ReadonlyArray<Entry>, ends: ReadonlyArray<number>): ReadonlyArray<Slice> =>
  entries.flatMap(({ i, event }) =>
    event._tag === 'cluster'
      ? [
          {
            pid: 0,
            tid: 0,
            name: `cluster ${String(event.id)}`,
            category: 'cluster',
            from: i,
            to: ends[i]!,
            args: {},
          },
        ]
      : [],
  )

// ---------------------------------------------------------------- the document

interface Timed {
  readonly at: number
  readonly length: number
  readonly json: Json
}

const sliceEvent = (s: Slice): Timed => ({
  at: s.from,
  length: s.to - s.from,
  json: {
    ph: 'X',
    name: s.name,
    cat: s.category,
    pid: s.pid,
    tid: s.tid,
    ts: s.from,
    dur: s.to - s.from,
    args: s.args,
  },
})

const flowEvents = (f: Flow, id: number): ReadonlyArray<Timed> =>
  f.points.map(({ pid, tid, at }, k): Timed => {
    const common = { name: f.name, cat: 'flow', id, pid, tid, ts: at }
    const last = k === f.points.length - 1
    return {
      at,
      // after the slices that begin there
      length: -1 - k,
      json: last ? { ph: 'f', bp: 'e', ...common } : { ph: k === 0 ? 's' : 't', ...common },
    }
  })

const meta = (name: string, pid: number, tid: number, args: Arguments): Json => ({
  ph: 'M',
  name,
  pid,
  tid,
  args,
})

const names = (header: Header, tracks: Iterable<Track>): ReadonlyArray<Json> => {
  const used = new Map<string, Track>()
  for (const t of tracks) used.set(`${String(t.pid)} ${String(t.tid)}`, t)
  const threadName = ({ pid, tid }: Track): string => {
    if (tid === 0) return 'clusters'
    if (tid < firstUnit) {
      const first = header.agents.findIndex((a) => a.cta === pid)
      return agentName(header, first + tid - 1)
    }
    const unit = Object.values(units)[Math.floor((tid - firstUnit) / lanesOfUnit)]!.title
    const lane = (tid - firstUnit) % lanesOfUnit
    return lane === 0 ? unit : `${unit} ${String(lane + 1)}`
  }
  const processes = [...new Set([...used.values()].map((t) => t.pid))].sort((a, b) => a - b)
  const threads = [...used.values()].sort((a, b) => a.pid - b.pid || a.tid - b.tid)
  return [
    ...processes.flatMap((pid) => [
      meta('process_name', pid, 0, { name: `CTA ${String(pid)}` }),
      meta('process_sort_index', pid, 0, { sort_index: pid }),
    ]),
    ...threads.flatMap((t) => [
      meta('thread_name', t.pid, t.tid, { name: threadName(t) }),
      meta('thread_sort_index', t.pid, t.tid, { sort_index: t.tid }),
    ]),
  ]
}

export const timeline = (header: Header, events: ReadonlyArray<LogEvent>): Timeline => {
  const entries = chronicle(header, events)
  const ends = endsOf(events)
  const operations = operationsOf(entries)
  const tracks = lanesOf(header, operations, ends)
  const slices = [
    ...clusterSlices(entries, ends),
    ...statements(header, entries, ends),
    ...operationSlices(header, operations, tracks, ends),
  ]
  const flows = flowsOf(header, entries, operations, tracks)
  const timed = [...slices.map(sliceEvent), ...flows.flatMap(flowEvents)]
  // a stable sort: in the order of time, outer slices before inner ones, flows behind them
  timed.sort((a, b) => a.at - b.at || b.length - a.length)
  return {
    schema: timelineSchema,
    traceEvents: [...names(header, slices), ...timed.map(({ json }) => json)],
    displayTimeUnit: 'ns',
    otherData: {
      program: header.program,
      arch: header.arch,
      clock: 'the place of an event in the log: an order, not a duration',
    },
  }
}

/** The document, one event a line. */
export const timelineText = (t: Timeline): string =>
  [
    `{"schema":${JSON.stringify(t.schema)},`,
    '"displayTimeUnit":"ns",',
    `"otherData":${JSON.stringify(t.otherData)},`,
    '"traceEvents":[',
    t.traceEvents.map((e) => JSON.stringify(e)).join(',\n'),
    ']}',
    '',
  ].join('\n')
