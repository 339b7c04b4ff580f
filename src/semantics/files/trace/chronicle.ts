/**
 * A chronicle: the events of a log, each with what it refers to.
 *
 * A log says "this wait passed". A chronicle says which generation it saw and which arrivals and signals made that generation. It derives
 * what a reader of a picture wants to follow, and judges nothing.
 *
 *     i   event                        generation   causes
 *     3   init full 1
 *     4   arriveExpectTx full 8192     0
 *     5   issue #0 tmaLoad
 *     6   perform #0 write                          5
 *     9   signal #0 full 8192          0            5
 *    12   wait full parity 0 passed    0            4, 9
 *
 * | event                        | causes                                                                |
 * |------------------------------|-----------------------------------------------------------------------|
 * | of an operation              | its issue                                                             |
 * | wait that passed             | arrivals, expectations and signals of the generation it saw           |
 * | wait for groups              | signals (of its side) of the operations it is the first to cover      |
 * | leave of a rendezvous        | the arrival that completed it                                         |
 * | first event of a forked agent | the fork                                                             |
 * | join                         | the last event of each child                                          |
 * | semaphore wait               | the last signal of that semaphore                                     |
 *
 * Laws
 * 1. There is one entry for each event, in the same order.
 * 2. A cause comes before what it causes.
 */
import { clusterOf, type Family, type Header, type LogEvent, type Stamp } from '../../log/events.js'
import { families, units } from '../../log/units.js'
import * as Mbarrier from '../../machine/mbarrier.js'

// ---------------------------------------------------------------- model

export interface Entry {
  /** place in the log */
  readonly i: number
  readonly event: LogEvent
  /** who executes it, or issued the operation that it is of; -1 for the beginning of clusters */
  readonly agent: number
  /** of the statement, or of the issue */
  readonly stamp: Stamp | null
  /** place of the issue of the operation that goes on by this event; -1: the agent itself does something */
  readonly issue: number
  readonly barrier: number
  /** that it counts for, or saw; -1: none, or a fresh barrier */
  readonly generation: number
  /** places of earlier events */
  readonly causes: ReadonlyArray<number>
}

/** A barrier and who has taken part in its open generation and in the last complete one. */
interface Barrier {
  state: Mbarrier.Mbarrier | null
  open: number[]
  last: ReadonlyArray<number>
}
interface Operation {
  readonly issue: number
  readonly stamp: Stamp
  readonly group: number
  readonly family: Family | null
  read: number
  full: number
}
/** Groups of one family of one agent. */
interface Groups {
  commits: number
  waitedRead: number
  waitedFull: number
  readonly operations: Operation[]
}
interface Meeting {
  threads: number
  completed: number
}

// ---------------------------------------------------------------- following a log

/** What has been heard since the clusters began. */
interface Walk {
  readonly header: Header
  barriers: ReadonlyArray<Barrier>
  operations: Map<number, Operation>
  groups: Map<string, Groups>
  meetings: Map<string, Meeting>
  signals: Map<number, number>
  forked: Map<number, number>
  last: Map<number, number>
}

const begin = (w: Walk): void => {
  w.barriers = w.header.barriers.map(() => ({ state: null, open: [], last: [] }))
  w.operations = new Map()
  w.groups = new Map()
  w.meetings = new Map()
  w.forked = new Map()
  w.last = new Map()
}

const groupsOf = (w: Walk, agent: number, family: Family): Groups => {
  const key = `${String(agent)} ${family}`
  const found = w.groups.get(key)
  if (found !== undefined) return found
  const made: Groups = { commits: 0, waitedRead: 0, waitedFull: 0, operations: [] }
  w.groups.set(key, made)
  return made
}

/** Takes part in the open generation, and perhaps completes it; the generation. */
const take = (
  b: Barrier,
  i: number,
  step: (s: Mbarrier.Mbarrier) => Mbarrier.Mbarrier | Mbarrier.Trap,
): number => {
  const before = b.state
  if (before === null) return -1
  b.open.push(i)
  const after = step(before)
  if (Mbarrier.isTrap(after)) return before.completed
  b.state = after
  if (after.completed > before.completed) {
    b.last = b.open
    b.open = []
  }
  return before.completed
}

const none: ReadonlyArray<number> = []

interface Told {
  readonly barrier: number
  readonly generation: number
  readonly causes: ReadonlyArray<number>
}
const told = (causes: ReadonlyArray<number>, barrier: number = -1, generation: number = -1): Told => ({
  barrier,
  generation,
  causes,
})

const ofBarrier = (w: Walk, i: number, e: Extract<LogEvent, { readonly _tag: 'barrier' }>): Told => {
  const b = w.barriers[e.barrier]!
  switch (e.kind) {
    case 'init':
      b.state = Mbarrier.init(e.count)
      b.open = []
      b.last = none
      return told(none, e.barrier)
    case 'inval':
      b.state = null
      return told(none, e.barrier)
    case 'increment':
      return told(
        none,
        e.barrier,
        take(b, i, (s) => Mbarrier.increment(s, e.count)),
      )
    case 'expect':
      return told(
        none,
        e.barrier,
        take(b, i, (s) => Mbarrier.update(s, 0, e.bytes)),
      )
    case 'arrive':
      return told(
        none,
        e.barrier,
        take(b, i, (s) => Mbarrier.update(s, e.count, e.bytes)),
      )
    case 'drop':
      return told(
        none,
        e.barrier,
        take(b, i, (s) => Mbarrier.update(s, e.count, e.bytes, e.count)),
      )
  }
}

const ofWait = (w: Walk, e: Extract<LogEvent, { readonly _tag: 'wait' }>): Told => {
  const b = w.barriers[e.barrier]!
  const completed = b.state?.completed ?? 0
  switch (e.outcome) {
    case 'blocked':
      return told(none, e.barrier, completed)
    case 'skipped':
      return told(none, e.barrier)
    case 'passed':
    case 'tested':
      return (completed & 1) !== e.parity ? told(b.last, e.barrier, completed - 1) : told(none, e.barrier)
  }
}

const ofGroup = (w: Walk, e: Extract<LogEvent, { readonly _tag: 'group' }>): Told => {
  const g = groupsOf(w, e.stamp.agent, e.family)
  if (e.kind === 'commit') {
    g.commits++
    return told(none)
  }
  if (e.blocked) return told(none)
  const closed = !families[e.family].commits ? g.operations.length : g.commits
  const upTo = closed - e.pending
  const after = e.read ? g.waitedRead : g.waitedFull
  if (upTo <= after) return told(none)
  if (e.read) g.waitedRead = upTo
  else g.waitedFull = upTo
  return told(
    g.operations.flatMap((o) => {
      const at = e.read ? o.read : o.full
      return o.group > after && o.group <= upTo && at >= 0 ? [at] : []
    }),
  )
}

const ofRendezvous = (w: Walk, i: number, e: Extract<LogEvent, { readonly _tag: 'rendezvous' }>): Told => {
  const { cta } = w.header.agents[e.stamp.agent]!
  const where = e.id > 15 ? `cluster ${String(clusterOf(w.header, cta))}` : `cta ${String(cta)}`
  const key = `${where} ${String(e.id)}`
  const m = w.meetings.get(key) ?? { threads: 0, completed: -1 }
  w.meetings.set(key, m)
  if (e.kind === 'arrive') {
    m.threads += e.threads
    if (m.threads >= e.count) {
      m.threads = 0
      m.completed = i
    }
    return told(none)
  }
  return told(e.kind === 'leave' && m.completed >= 0 ? [m.completed] : none)
}

const ofSignal = (w: Walk, i: number, e: Extract<LogEvent, { readonly _tag: 'signal' }>): Told => {
  const o = w.operations.get(e.operation)
  const issue = o === undefined ? none : [o.issue]
  switch (e.to) {
    case 'barrier':
      return told(
        issue,
        e.barrier,
        take(w.barriers[e.barrier]!, i, (s) => Mbarrier.update(s, 0, -e.bytes)),
      )
    case 'arrive':
      return told(
        issue,
        e.barrier,
        take(w.barriers[e.barrier]!, i, (s) => Mbarrier.update(s, 1, 0)),
      )
    case 'group':
      if (o !== undefined) {
        if (e.side === 'read') o.read = i
        else o.full = i
      }
      return told(issue)
  }
}

const ofIssue = (w: Walk, i: number, e: Extract<LogEvent, { readonly _tag: 'issue' }>): Told => {
  const family = units[e.unit].family
  const g = family === null ? null : groupsOf(w, e.stamp.agent, family)
  const group =
    g === null || family === null ? -1 : !families[family].commits ? g.operations.length + 1 : g.commits + 1
  const o: Operation = { issue: i, stamp: e.stamp, group, family, read: -1, full: -1 }
  w.operations.set(e.operation, o)
  g?.operations.push(o)
  return told(none)
}

const semaphoreCauses = (
  w: Walk,
  i: number,
  e: Extract<LogEvent, { readonly _tag: 'semaphore' }>,
): ReadonlyArray<number> => {
  if (e.kind === 'wait') {
    const at = w.signals.get(e.footprint.id)
    return at === undefined || e.outcome === 'blocked' ? none : [at]
  }
  w.signals.set(e.footprint.id, i)
  return none
}

const tell = (w: Walk, i: number, e: LogEvent): Told => {
  switch (e._tag) {
    case 'barrier':
      return ofBarrier(w, i, e)
    case 'wait':
      return ofWait(w, e)
    case 'group':
      return ofGroup(w, e)
    case 'rendezvous':
      return ofRendezvous(w, i, e)
    case 'signal':
      return ofSignal(w, i, e)
    case 'issue':
      return ofIssue(w, i, e)
    case 'semaphore':
      return told(semaphoreCauses(w, i, e))
    case 'fork':
      for (const child of e.children) w.forked.set(child, i)
      return told(none)
    case 'join':
      return told(e.children.flatMap((child) => w.last.get(child) ?? []))
    case 'perform': {
      const o = w.operations.get(e.operation)
      return told(o === undefined ? none : [o.issue])
    }
    case 'access': {
      const o = e.operation === undefined ? undefined : w.operations.get(e.operation)
      return told(o === undefined ? none : [o.issue])
    }
    case 'fence':
    case 'warpSync':
    case 'registers':
    case 'alloc':
    case 'dealloc':
    case 'relinquish':
    case 'exit':
    case 'cluster':
    case 'ahead':
      return told(none)
  }
}

/** The operation that goes on by this event. */
const operationOf = (w: Walk, e: LogEvent): Operation | undefined => {
  switch (e._tag) {
    case 'perform':
    case 'signal':
      return w.operations.get(e.operation)
    case 'access':
      return e.operation === undefined ? undefined : w.operations.get(e.operation)
    case 'barrier':
    case 'semaphore':
    case 'fence':
    case 'group':
    case 'issue':
    case 'wait':
    case 'rendezvous':
    case 'warpSync':
    case 'registers':
    case 'fork':
    case 'join':
    case 'alloc':
    case 'dealloc':
    case 'relinquish':
    case 'exit':
    case 'cluster':
    case 'ahead':
      return undefined
  }
}

/** The whole log, event by event. */
export const chronicle = (header: Header, events: ReadonlyArray<LogEvent>): ReadonlyArray<Entry> => {
  const w: Walk = {
    header,
    barriers: [],
    operations: new Map(),
    groups: new Map(),
    meetings: new Map(),
    signals: new Map(),
    forked: new Map(),
    last: new Map(),
  }
  begin(w)
  return events.map((event, i): Entry => {
    if (event._tag === 'cluster') begin(w)
    const { barrier, generation, causes } = tell(w, i, event)
    const operation = operationOf(w, event)
    const own = 'stamp' in event && operation === undefined && event._tag !== 'ahead' ? event.stamp : null
    const stamp = operation?.stamp ?? own
    const agent = stamp?.agent ?? (event._tag === 'exit' ? event.agent : -1)
    const fork = own === null ? undefined : w.forked.get(agent)
    if (own !== null) {
      w.forked.delete(agent)
      w.last.set(agent, i)
    }
    return {
      i,
      event,
      agent,
      stamp,
      issue: operation?.issue ?? -1,
      barrier,
      generation,
      causes: fork === undefined ? causes : [fork, ...causes],
    }
  })
}
