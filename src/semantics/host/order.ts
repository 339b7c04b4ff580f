/**
 * Order between the operations of a host: which of them are over, for everyone who may ask.
 *
 * A host issues operations (launches, copies, fills, frees) one after the other, each into a stream. An operation *begins* when all is over that its stream, the events
 * that its stream waits for, and the host itself had to wait for. Nothing else orders two operations: what is not ordered runs at the same time on a bad day.
 *
 *     launch A on s        record e on s        s2 waits for e        launch B on s2          B begins when A is over
 *     launch A on s        launch C on s2                                                     C and A run together
 *
 * What is known to be over is a vector: of each *timeline* how many of its operations. The operations of a timeline end one after another, so that one number says it.
 * A stream is a timeline, as long as nothing in it overlaps.
 *
 * **Dependent launches** (programmatic stream serialisation) overlap: such a launch may begin when every CTA of the launch before it has executed
 * `griddepcontrol.launch_dependents` or has ended, and knows nothing of that launch's memory until it has executed `griddepcontrol.wait`, which waits for its end. So it
 * has two vectors, what is over when it begins and what is over behind its wait. If it never waits, its own end says nothing of the launch before it.
 *
 *     A            B dependent, waits           C dependent, waits            behind its wait C knows B, and A, for B has waited
 *     A            B dependent, never waits     C dependent, waits            behind its wait C knows B, and nothing of A
 *     A            B dependent, never waits     C                             C begins when all before it in its stream is over
 *
 * Each rule is a clause with a name (`clauses.ts`), and can be left out.
 *
 * Laws
 * 1. If an operation of a timeline is known, so is each before it.
 * 2. What an operation knows at its end, everyone knows who knows its end.
 * 3. The order is that of the closure of the edges of `edges.ts` (in the proofs): two engines, one answer.
 *
 * Source: CUDA C++ Programming Guide, streams, events, programmatic dependent launch, graphs; CUDA Runtime API, stream synchronization behavior, API synchronization
 * behavior; PTX ISA, griddepcontrol.
 */

// ---------------------------------------------------------------- model

/** The legacy default stream; all others have other names. */
export const legacy = 'legacy'

export type ClauseId =
  | 'stream'
  | 'legacy'
  | 'event'
  | 'issue'
  | 'device-sync'
  | 'stream-sync'
  | 'event-sync'
  | 'return'
  | 'dependent'
  | 'grid-wait'
  | 'grid-end'
  | 'graph'
  | 'graph-event'

export type Has = (clause: ClauseId) => boolean
export const allClauses: Has = () => true

/** By timeline, how many of its operations are over. */
export type Known = ReadonlyMap<string, number>

export interface Place {
  readonly timeline: string
  /** counted from 1 */
  readonly index: number
}

/** What a launch has to do with the launches before and behind it. */
export interface Grid {
  /** it may begin before the one before it is over */
  readonly dependent: boolean
  /** some thread of it executes `griddepcontrol.wait` */
  readonly waits: boolean
  /** its CTAs execute `griddepcontrol.launch_dependents`; otherwise they count as if they did at their end */
  readonly triggers: boolean
}

/** An operation that has been issued. */
export interface Issued {
  readonly place: Place
  /** over when it begins */
  readonly begins: Known
  /** over behind its wait for the grid before; of one that depends on none, when it begins */
  readonly waited: Known
  /** over at its end, itself too */
  readonly ends: Known
  /** of a dependent launch the one before it, if all of its threads have ended when this one begins */
  readonly behind: Place | null
}

interface Stream {
  readonly blocking: boolean
  /** over when all that has been issued into it is over */
  readonly tail: Known
  /** what it waits for since its last operation */
  readonly pending: Known
  /** its last operation, if that is a launch */
  readonly last: { readonly issued: Issued; readonly triggers: boolean } | null
}

export interface Order {
  /** over, and the host knows it */
  readonly host: Known
  readonly streams: ReadonlyMap<string, Stream>
  readonly events: ReadonlyMap<string, Known>
  /** how many operations each timeline has */
  readonly timelines: ReadonlyMap<string, number>
}

/** A node of a graph: by their numbers, the nodes that must be over before it. */
export interface GraphNode {
  readonly after: ReadonlyArray<number>
  /** null: it is no launch */
  readonly grid: Grid | null
  /** the event that it records, or waits for; null: it does something else */
  readonly event: { readonly name: string; readonly does: 'record' | 'wait' } | null
}

// ---------------------------------------------------------------- constructors

const nothing: Known = new Map()
const stream = (blocking: boolean): Stream => ({ blocking, tail: nothing, pending: nothing, last: null })

export const start: Order = {
  host: nothing,
  streams: new Map([[legacy, stream(true)]]),
  events: new Map(),
  timelines: new Map(),
}

const order = (
  host: Known,
  streams: Order['streams'],
  events: Order['events'],
  timelines: Order['timelines'],
): Order => ({ host, streams, events, timelines })

const join = (...all: ReadonlyArray<Known>): Known => {
  const [first = nothing, ...rest] = all.filter(({ size }) => size > 0)
  if (rest.length === 0) return first
  const out = new Map(first)
  for (const known of rest)
    for (const [timeline, index] of known) if ((out.get(timeline) ?? 0) < index) out.set(timeline, index)
  return out
}

const withStream = (o: Order, name: string, s: Stream): Order =>
  order(o.host, new Map([...o.streams, [name, s]]), o.events, o.timelines)

// ---------------------------------------------------------------- destructors

/** Is the operation over, for someone who knows this? */
export const isOver = (known: Known, { timeline, index }: Place): boolean =>
  (known.get(timeline) ?? 0) >= index

const streamOf = ({ streams }: Order, name: string): Stream => streams.get(name) ?? stream(true)

/** What must be over before the next operation of a stream begins, as far as streams and events say. */
const before = (has: Has, o: Order, name: string): Known => {
  const own = streamOf(o, name)
  const parts = [has('stream') ? own.tail : nothing, own.pending]
  if (!has('legacy')) return join(...parts)
  if (name === legacy)
    for (const s of o.streams.values()) {
      if (s.blocking && s !== own) parts.push(s.tail)
    }
  else if (own.blocking) parts.push(streamOf(o, legacy).tail)
  return join(...parts)
}

/** The first timeline of a stream whose operations are all over at the end of the next one. */
const placeIn = (o: Order, name: string, known: Known): Place => {
  for (let k = 0; ; k++) {
    const timeline = k === 0 ? name : `${name}+${String(k)}`
    const last = o.timelines.get(timeline) ?? 0
    if ((known.get(timeline) ?? 0) >= last) return { timeline, index: last + 1 }
  }
}

/** Does someone who knows this know all of that? */
export const knowsAll = (known: Known, of: Known): boolean =>
  [...of].every(([timeline, index]) => isOver(known, { timeline, index }))

/** Over when all is over that has been issued into a stream. */
export const endOfStream = (o: Order, name: string): Known => streamOf(o, name).tail

// ---------------------------------------------------------------- what a host does

/** A stream is made; one that does not block has nothing to do with the legacy stream. */
export const made = (o: Order, name: string, blocking: boolean): Order =>
  withStream(o, name, stream(blocking))

const issuedIn = (
  has: Has,
  o: Order,
  name: string,
  all: Known,
  over: { readonly issued: Issued; readonly triggers: boolean } | null,
  pending: Known,
  grid: Grid | null,
): readonly [Issued, Order] => {
  const overlaps = grid?.dependent === true && over !== null && has('dependent')
  const begins = overlaps ? join(pending, over.issued.begins) : all
  const waited = overlaps && grid.waits && has('grid-wait') ? join(begins, over.issued.ends) : begins
  const place = placeIn(o, name, has('grid-end') ? waited : begins)
  const ends = join(has('grid-end') ? waited : begins, new Map([[place.timeline, place.index]]))
  const issued: Issued = {
    place,
    begins,
    waited,
    ends,
    behind: overlaps && !over.triggers ? over.issued.place : null,
  }
  return [
    issued,
    order(o.host, o.streams, o.events, new Map([...o.timelines, [place.timeline, place.index]])),
  ]
}

/** An operation is issued; `returns`: when the call returns, it is over. */
export const issue = (
  has: Has,
  o: Order,
  name: string,
  grid: Grid | null,
  returns: boolean,
): readonly [Issued, Order] => {
  const own = streamOf(o, name)
  const host = has('issue') ? o.host : nothing
  const [issued, next] = issuedIn(
    has,
    o,
    name,
    join(host, before(has, o, name)),
    own.last,
    join(host, own.pending),
    grid,
  )
  const after: Stream = {
    blocking: own.blocking,
    tail: join(own.tail, own.pending, issued.ends),
    pending: nothing,
    last: grid === null ? null : { issued, triggers: grid.triggers },
  }
  const streams = new Map([...next.streams, [name, after]])
  return [
    issued,
    order(
      returns && has('return') ? join(next.host, issued.ends) : next.host,
      streams,
      next.events,
      next.timelines,
    ),
  ]
}

/** A graph is launched: its nodes, each after those that it names. */
export const issueGraph = (
  has: Has,
  o: Order,
  name: string,
  nodes: ReadonlyArray<GraphNode>,
): readonly [ReadonlyArray<Issued>, Order] => {
  const own = streamOf(o, name)
  const all = join(has('issue') ? o.host : nothing, before(has, o, name))
  const out: Issued[] = []
  const events = new Map(o.events)
  let next = o
  for (const { after, grid, event } of nodes) {
    // a record in this very graph is no record that a node waits for: a path of edges says so
    const held =
      event?.does === 'wait' && has('graph-event') ? (o.events.get(event.name) ?? nothing) : nothing
    const edges = has('graph') ? after : []
    const single = edges.length === 1 ? { issued: out[edges[0]!]!, grid: nodes[edges[0]!]!.grid } : null
    const over =
      single === null || single.grid === null
        ? null
        : { issued: single.issued, triggers: single.grid.triggers }
    const [issued, then] = issuedIn(
      has,
      next,
      name,
      join(all, held, ...edges.map((n) => out[n]!.ends)),
      over,
      all,
      grid,
    )
    out.push(issued)
    if (event?.does === 'record') events.set(event.name, has('graph-event') ? issued.ends : nothing)
    next = then
  }
  const after: Stream = {
    blocking: own.blocking,
    tail: join(own.tail, own.pending, ...out.map(({ ends }) => ends)),
    pending: nothing,
    last: null,
  }
  return [out, order(next.host, new Map([...next.streams, [name, after]]), events, next.timelines)]
}

/** An event is recorded: it is there when all that its stream has is over. */
export const recorded = (has: Has, o: Order, event: string, name: string): Order =>
  order(o.host, o.streams, new Map([...o.events, [event, before(has, o, name)]]), o.timelines)

/** A stream waits for an event as it was recorded last; for one that was not, for nothing. */
export const waitsFor = (has: Has, o: Order, event: string, name: string): Order => {
  const known = has('event') ? (o.events.get(event) ?? nothing) : nothing
  const own = streamOf(o, name)
  return withStream(o, name, {
    blocking: own.blocking,
    tail: join(own.tail, known),
    pending: join(own.pending, known),
    last: own.last,
  })
}

/** What the host waits for. */
export type Awaited =
  | { readonly _tag: 'device' }
  | { readonly _tag: 'stream'; readonly stream: string }
  | { readonly _tag: 'event'; readonly event: string }

/** What is over when a wait for this is. */
export const awaited = (has: Has, o: Order, on: Awaited): Known => {
  switch (on._tag) {
    case 'device':
      return has('device-sync') ? join(...[...o.streams.values()].map(({ tail }) => tail)) : nothing
    case 'stream':
      return has('stream-sync') ? before(has, o, on.stream) : nothing
    case 'event':
      return has('event-sync') ? (o.events.get(on.event) ?? nothing) : nothing
  }
}

/** The host waits. */
export const synchronised = (has: Has, o: Order, on: Awaited): Order =>
  order(join(o.host, awaited(has, o, on)), o.streams, o.events, o.timelines)
