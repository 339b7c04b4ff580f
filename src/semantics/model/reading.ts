/**
 * What a log says, before anything is judged: which events an agent makes, which accesses an operation, which generation of a barrier an event
 * falls into. Every definition here is a function of the finished log alone; an event is known by its index in it.
 *
 * | name          | of                          | is                                                                            |
 * |---------------|-----------------------------|-------------------------------------------------------------------------------|
 * | `own`         | an event                    | its stamp, if an agent makes it; accesses of operations have none             |
 * | `Operation`   | issue ... perform ... signal | its accesses and its signals, by part (a multicast has one a destination)     |
 * | `number`      | an operation                | its place in the sequence that its family is counted in                       |
 * | `Phase`       | a barrier                   | one generation: the events that fall into it, and whether they completed it   |
 * | `Meeting`     | a named or cluster barrier  | one generation: its arrivals and its leaves                                   |
 *
 * A phase is the only thing here that has to be *run*: an mbarrier is an automaton (pending arrivals, expected bytes) and which phase an event
 * falls into is what it does. Worked, count 1: `arriveExpectTx 16` leaves pending 0 and bytes 16; `complete_tx 16` leaves 0 and 0, so both
 * are the events of phase 0, the second completes it, and a wait behind it observes phase 0; a wait before it would have observed phase -1.
 *
 * A peek is a test that no more than spares a later wait. It is judged as if it were false, so a wait that it has spared observes its phase all the same; but for one that
 * cannot be false, which observes it itself.
 *
 * Law 1. Nothing here depends on knowledge, but which peeks cannot be false: two logs with the same events in the same order have one reading.
 *
 * Source: PTX 9.7.13.15 (mbarrier: state, phase completion), “bar, barrier”, “barrier.cluster”; commit_group and wait_group of each family.
 */
import { unreachable } from '../../failure.js'
import type {
  Access,
  BarrierEvent,
  Family,
  Group,
  Header,
  Issue,
  LogEvent,
  Rendezvous,
  SemaphoreEvent,
  Signal,
  Stamp,
  Wait,
} from '../log/events.js'
import type { Scope } from '../language/instruction.js'
import { clusterOf, startOf } from '../log/events.js'
import type { Bytes } from './bytes.js'
import { bytesOf } from './bytes.js'

// ---------------------------------------------------------------- model

/** An access, and the operation that makes it. A semaphore event makes one or two. */
export interface Touch {
  /** index of the event */
  readonly at: number
  readonly access: Access
  readonly bytes: Bytes
  readonly operation: Operation | undefined
  readonly part: number
}
export interface Operation {
  /** index of its issue */
  readonly at: number
  readonly issue: Issue
  /** its place in its agent's sequence: the group that a commit will close, or which of its unit it is */
  readonly number: number
  readonly touches: Touch[]
  readonly signals: Array<{ readonly at: number; readonly signal: Signal; readonly phase: Phase | undefined }>
}
export interface Phase {
  readonly barrier: number
  /** the number of the fact that it is complete; those below are the events */
  fact: number
  /** counted through all lives of the object; `base` is the first of this life, `init` the event that began it */
  readonly number: number
  readonly base: number
  readonly init: number
  /** indices of its events, arrivals, expectations and deliveries alike */
  readonly events: number[]
  completedBy: number
}
/** A wait that passed: the phase that it observed, -1 before the first of a life; `phase` if there is one. */
export interface Observation {
  readonly at: number
  readonly wait: Wait
  readonly base: number
  readonly observed: number
  readonly phase: Phase | undefined
}
/** A peek (a test that no more than spares a later wait), and that wait, once it comes; `observed`: the phase that it is for. */
export interface Peek {
  readonly at: number
  readonly wait: Wait
  readonly base: number
  readonly observed: number
  readonly ready: boolean
  /** it cannot be false: it is judged as its wait */
  readonly certain: boolean
  sparing: { readonly at: number; readonly current: number } | undefined
}
/** What an event meets: a live barrier, with its initialisation, or none. */
export interface Use {
  readonly at: number
  readonly init: number
  readonly live: boolean
  readonly kind: 'init' | 'inval' | 'event' | 'wait'
}
export interface History {
  readonly phases: ReadonlyArray<Phase>
  readonly observations: ReadonlyArray<Observation>
  readonly uses: ReadonlyArray<Use>
  readonly peeks: ReadonlyArray<Peek>
  /** waits that are spared by a test which is no peek of them */
  readonly misled: ReadonlyArray<number>
  /** arrivals beyond the count, and bytes beyond what a barrier can count */
  readonly excess: ReadonlyArray<{ readonly at: number; readonly id: 'B2' | 'B4' }>
  /** where a life ended, or the log: with what it was left */
  readonly ends: ReadonlyArray<{
    readonly at: number
    readonly live: boolean
    readonly bytes: number
    readonly current: Phase
  }>
  /** waits whose outcome contradicts the parity */
  readonly contradictions: ReadonlyArray<number>
}
export interface Meeting {
  readonly key: string
  readonly number: number
  readonly arrivals: number[]
  readonly leaves: number[]
  /** it was left before all had come: the others had ended (a cluster barrier) */
  short: boolean
}
/** What one cluster (or several that run together) did. */
export interface Reading {
  readonly header: Header
  readonly log: ReadonlyArray<LogEvent>
  /** per agent, the indices of its events in program order */
  readonly programs: ReadonlyArray<ReadonlyArray<number>>
  readonly operations: ReadonlyArray<Operation>
  readonly touches: ReadonlyArray<Touch>
  readonly histories: ReadonlyArray<History>
  readonly meetings: ReadonlyArray<Meeting>
}

// ---------------------------------------------------------------- events

/** The stamp of an agent's own event. */
export const own = (e: LogEvent): Stamp | undefined =>
  e._tag === 'perform' ||
  e._tag === 'signal' ||
  e._tag === 'exit' ||
  e._tag === 'cluster' ||
  e._tag === 'ahead'
    ? undefined
    : e._tag === 'access' && e.operation !== undefined
      ? undefined
      : e.stamp

export const agentOf = (e: LogEvent): number => own(e)?.agent ?? -1

/** Indices of the events that are of this kind. */
export const indices = (
  log: ReadonlyArray<LogEvent>,
  is: (e: LogEvent, i: number) => boolean,
): ReadonlyArray<number> => log.flatMap((e, i) => (is(e, i) ? [i] : []))

const isCommit = (e: LogEvent, agent: number, family: Family): boolean =>
  e._tag === 'group' && e.kind === 'commit' && e.family === family && e.stamp.agent === agent
const isIssue = (e: LogEvent, agent: number, unit: Issue['unit']): boolean =>
  e._tag === 'issue' && e.unit === unit && e.stamp.agent === agent

const numberOf = (log: ReadonlyArray<LogEvent>, at: number, issue: Issue): number => {
  const x = issue.stamp.agent
  const before = log.slice(0, at)
  switch (issue.unit) {
    case 'tmaStore':
      return 1 + indices(before, (e) => isCommit(e, x, 'bulk')).length
    case 'wgmma':
      return 1 + indices(before, (e) => isCommit(e, x, 'wgmma')).length
    case 'stAsync':
    case 'cpAsync':
    case 'tcgen05Ld':
    case 'tcgen05St':
    case 'tmaLoad':
    case 'tcgen05':
    case 'clc':
      return 1 + indices(before, (e) => isIssue(e, x, issue.unit)).length
  }
}

/** The highest number that a group wait covers: all but the `pending` newest groups. */
export const coveredBy = (
  log: ReadonlyArray<LogEvent>,
  at: number,
  { stamp, family, pending }: Group,
): number => {
  const before = log.slice(0, at)
  const commits = indices(before, (e) => isCommit(e, stamp.agent, family))
  switch (family) {
    case 'bulk':
    case 'wgmma':
      return commits.length - pending
    case 'cpAsync': {
      const last = commits[commits.length - 1 - pending]
      return last === undefined
        ? 0
        : indices(log.slice(0, last), (e) => isIssue(e, stamp.agent, 'cpAsync')).length
    }
    case 'tcgen05Ld':
    case 'tcgen05St':
      return indices(before, (e) => isIssue(e, stamp.agent, family)).length - pending
  }
}

/** A semaphore is an atomic addition, and an atomic read. */
const semaphoreTouches = (at: number, e: SemaphoreEvent): ReadonlyArray<Touch> => {
  const touch = (rw: 'r' | 'w'): Touch => ({
    at,
    access: {
      _tag: 'access',
      stamp: e.stamp,
      rw,
      proxy: 'generic',
      footprint: e.footprint,
      role: rw === 'r' ? 'source' : 'destination',
      atomic: true,
      scope: e.scope,
      combine: 'add',
    },
    bytes: bytesOf(e.footprint),
    operation: undefined,
    part: 0,
  })
  if (e.outcome === 'blocked') return []
  return e.kind === 'signal' || e.decrement ? [touch('r'), touch('w')] : [touch('r')]
}

// ---------------------------------------------------------------- phases

/** The most arrivals and bytes that a phase counts. */
export const most: number = 2 ** 20 - 1

/** The automaton of one barrier, run over the log. */
const historyOf = (log: ReadonlyArray<LogEvent>, barrier: number, certain: ReadonlySet<number>): History => {
  const phases: Phase[] = []
  const observations: Observation[] = []
  const uses: Use[] = []
  const excess: Array<{ at: number; id: 'B2' | 'B4' }> = []
  const ends: Array<{ at: number; live: boolean; bytes: number; current: Phase }> = []
  const contradictions: number[] = []
  const peeks: Peek[] = []
  const misled: number[] = []
  /** by agent: its last peek in this life that has spared no wait */
  const open = new Map<number, Peek>()
  let live = false
  let [init, base, count, pending, bytes] = [-1, 0, 0, 0, 0]
  const begin = (number: number): Phase => ({
    barrier,
    fact: -1,
    number,
    base,
    init,
    events: [],
    completedBy: -1,
  })
  let current = begin(0)
  const last = (): Phase | undefined => (current.number > base ? phases[phases.length - 1] : undefined)
  const use = (at: number, kind: Use['kind']): boolean => {
    uses.push({ at, init, live, kind })
    return live
  }
  const happens = (at: number, arrivals: number, more: number): void => {
    if (!use(at, 'event')) return
    current.events.push(at)
    if (arrivals > 0 && (count > most || pending < arrivals)) {
      excess.push({ at, id: 'B2' })
      return
    }
    pending -= arrivals
    if (Math.abs(bytes + more) > most) {
      excess.push({ at, id: 'B4' })
      return
    }
    bytes += more
    if (pending > 0 || bytes !== 0) return
    current.completedBy = at
    phases.push(current)
    current = begin(current.number + 1)
    pending = count
  }
  const barrierEvent = (e: BarrierEvent, at: number): void => {
    switch (e.kind) {
      case 'init':
        use(at, 'init')
        live = true
        init = at
        base = current.number
        count = e.count
        pending = e.count
        bytes = 0
        current = begin(base)
        open.clear()
        return
      case 'inval':
        if (!use(at, 'inval')) return
        ends.push({ at, live, bytes, current })
        live = false
        return
      case 'increment':
        if (pending + e.count > most) {
          excess.push({ at, id: 'B2' })
          return
        }
        pending += e.count
        happens(at, 0, 0)
        return
      case 'drop':
        count = Math.max(0, count - e.count)
        happens(at, e.count, e.bytes)
        return
      case 'arrive':
        happens(at, e.count, e.bytes)
        return
      case 'expect':
        happens(at, 0, e.bytes)
        return
    }
  }
  const observes = (at: number, wait: Wait): void => {
    observations.push({ at, wait, base, observed: current.number - 1, phase: last() })
  }
  const peeked = (at: number, wait: Wait, closed: boolean): void => {
    const ready = wait.outcome === 'passed'
    if (use(at, 'wait') && ready && closed) contradictions.push(at)
    const observed = ready ? current.number - 1 : current.number
    const p: Peek = { at, wait, base, observed, ready, certain: certain.has(at), sparing: undefined }
    peeks.push(p)
    open.set(wait.stamp.agent, p)
    if (p.certain) observes(at, wait)
  }
  /** Whether the wait is judged as if it were made. */
  const spared = (at: number, wait: Wait): boolean => {
    const p = open.get(wait.stamp.agent)
    if (p === undefined || !isPeekOf(p.wait, wait)) {
      misled.push(at)
      return wait.outcome === 'passed'
    }
    open.delete(wait.stamp.agent)
    if (p.certain) return wait.outcome === 'passed'
    p.sparing = { at, current: current.number }
    return !p.ready || current.number - 1 === p.observed
  }
  log.forEach((e, at) => {
    if (e._tag === 'barrier' && e.barrier === barrier) barrierEvent(e, at)
    else if (e._tag === 'signal' && e.to === 'barrier' && e.barrier === barrier) happens(at, 0, -e.bytes)
    else if (e._tag === 'signal' && e.to === 'arrive' && e.barrier === barrier) happens(at, 1, 0)
    else if (e._tag === 'wait' && e.barrier === barrier) {
      const closed = ((current.number - base) & 1) === e.parity
      const isPeek = e.peek === e.stamp.at
      if (isPeek) peeked(at, e, closed)
      else if (e.outcome !== 'blocked' && (e.peek === undefined ? e.outcome === 'passed' : spared(at, e))) {
        if (use(at, 'wait') && closed) contradictions.push(at)
        observes(at, e)
      } else if (e.outcome === 'blocked' && live && !closed) contradictions.push(at)
    }
  })
  ends.push({ at: log.length, live, bytes, current })
  return { phases: [...phases, current], observations, uses, peeks, misled, excess, ends, contradictions }
}

const reach: Readonly<Record<Scope, number>> = { cta: 0, cluster: 1, gpu: 2, sys: 3 }

/** Whether the test is a peek of the wait: it names it, and is of the same parity, and acquires what the wait would. */
const isPeekOf = (test: Wait, wait: Wait): boolean =>
  test.stamp.at === wait.peek &&
  test.parity === wait.parity &&
  (test.acquire || !wait.acquire) &&
  reach[test.scope] >= reach[wait.scope]

// ---------------------------------------------------------------- meetings

/** Named barriers have ids below this one; from here on they are the cluster's. */
export const clusterBarriers = 16

/** From here on they are those of lanes of one warp (bar.warp.sync), each lane an agent of its own. */
export const laneBarriers: number = 1 << 20

/** Which barrier a rendezvous is at: of its CTA, or of its cluster. */
export const meetingKey = (header: Header, e: Rendezvous): string => {
  const cta = header.agents[e.stamp.agent]!.cta
  return e.id < clusterBarriers
    ? `cta ${String(cta)} ${String(e.id)}`
    : `cluster ${String(clusterOf(header, cta))} ${String(e.id)}`
}

/** Generations of named barriers: as many threads as are counted, whichever they are. */
const meetingsOf = (header: Header, log: ReadonlyArray<LogEvent>): ReadonlyArray<Meeting> => {
  const all: Meeting[] = []
  const open = new Map<string, Meeting>()
  const threads = new Map<Meeting, number>()
  const joined = new Map<string, Meeting>()
  log.forEach((e, i) => {
    if (e._tag !== 'rendezvous' || e.kind === 'blocked') return
    const key = meetingKey(header, e)
    const mine = `${key} ${String(e.stamp.agent)}`
    if (e.kind === 'arrive') {
      const number = all.filter((m) => m.key === key).length
      const m = open.get(key) ?? { key, number, arrivals: [], leaves: [], short: false }
      if (!open.has(key)) all.push(m)
      open.set(key, m)
      joined.set(mine, m)
      m.arrivals.push(i)
      const come = (threads.get(m) ?? 0) + e.threads
      threads.set(m, come)
      if (come >= e.count) open.delete(key)
      return
    }
    const m = joined.get(mine)
    if (m === undefined) return
    m.leaves.push(i)
    joined.delete(mine)
    if (open.get(key) !== m) return
    m.short = true
    open.delete(key)
  })
  return all
}

// ---------------------------------------------------------------- the reading

export const samePlace = (a: SemaphoreEvent, b: SemaphoreEvent): boolean =>
  a.footprint.plane === b.footprint.plane && startOf(a.footprint.spans) === startOf(b.footprint.spans)

/** `certain`: the peeks that cannot be false, which takes knowledge to say (`conditions.ts`). */
export const reading = (
  header: Header,
  log: ReadonlyArray<LogEvent>,
  certain: ReadonlySet<number> = new Set(),
): Reading => {
  const operations = log.flatMap((e, at): ReadonlyArray<Operation> =>
    e._tag === 'issue' ? [{ at, issue: e, number: numberOf(log, at, e), touches: [], signals: [] }] : [],
  )
  const operation = (id: number): Operation | undefined => operations.find((o) => o.issue.operation === id)
  const histories = header.barriers.map((_, b) => historyOf(log, b, certain))
  const all = histories.flatMap((h) => h.phases)
  all.forEach((p, k) => {
    p.fact = log.length + k
  })
  const phaseAt = (at: number): Phase | undefined => all.find((p) => p.events.includes(at))
  const touches: Touch[] = []
  const parts = new Map<number, number>()
  log.forEach((e, at) => {
    switch (e._tag) {
      case 'perform':
        parts.set(e.operation, e.part)
        return
      case 'signal':
        operation(e.operation)?.signals.push({ at, signal: e, phase: phaseAt(at) })
        return
      case 'semaphore':
        for (const touch of semaphoreTouches(at, e)) touches.push(touch)
        return
      case 'access': {
        const by = e.operation === undefined ? undefined : operation(e.operation)
        const touch = {
          at,
          access: e,
          bytes: bytesOf(e.footprint),
          operation: by,
          part: parts.get(e.operation ?? -1) ?? 0,
        }
        touches.push(touch)
        by?.touches.push(touch)
        return
      }
      case 'barrier':
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
        return
      default:
        unreachable(e)
    }
  })
  return {
    header,
    log,
    programs: header.agents.map((_, x) => indices(log, (e) => agentOf(e) === x)),
    operations,
    touches,
    histories,
    meetings: meetingsOf(header, log),
  }
}

/** The log, cut where clusters begin. */
export const clusters = (log: ReadonlyArray<LogEvent>): ReadonlyArray<ReadonlyArray<LogEvent>> => {
  const cuts = [0, ...indices(log, (e, i) => i > 0 && e._tag === 'cluster'), log.length]
  return cuts.slice(1).map((end, k) => log.slice(cuts[k]!, end))
}
