/**
 * Candidate edges: what a programmer might have forgotten between two operations.
 *
 * a is the access that was meant first, b the other. Each kind is a list of hypotheses, cheapest first:
 *
 * | kind        | hypothesis                                                                                  |
 * |-------------|---------------------------------------------------------------------------------------------|
 * | fence       | a fence right after a by its agent, right before b by its agent, or both                     |
 * | group-wait  | a commit behind a, where its group is open and its issuer waits for groups before b          |
 * | group-wait  | a group wait that covers a, by its issuer: before b, or the proxy fence in front of it; or before one of its later arrives or meetings, or the fence in front of that; with a commit, if its group is open |
 * | arrive      | tcgen05: an arrive of a's agent behind a, as a commit: it comes when a is done, not when a is issued     |
 * | arrive-wait | W: the arrive of a's agent behind a on the barrier that b's agent has waited for, if that generation was complete without it |
 * | wait        | b's agent waits, before b, for a barrier generation that covers a and that completes anyway, of a barrier that it, or no agent, waits for, or that a itself signals |
 * | arrive      | a relaxed arrive of a's agent behind a, as a release                                          |
 * | arrive      | an arrive of a's agent, moved behind the point where that agent knows that a is done          |
 * | arrive      | the arrive that b's agent has waited for, moved behind a                                      |
 * | wait        | as above, for a barrier that only others wait for                                             |
 * | arrive-wait | a new pair: arrive when a is done, wait before b                                              |
 *
 * A hypothesis acts on knowledge, not on events: what the new edge would carry is read off a first pass over the log (it may lie in
 * the future of b's place in *this* log: a run that has the edge has b later) and joined in at b's place. A hypothesis whose
 * knowledge already depends on b would be a cycle and is not offered.
 *
 * Worked: load of slot 0 -> full, generation 0; C reads slot 0 without a wait. a is the load, b the read. Fences: after the load's issue, before
 * the read: neither orders anything. Group waits: a load has no group. Waits: generation 0 of full covers a and does not depend on b: offered.
 *
 * Law 1. No hypothesis makes b known to itself.
 */
import type { Finding, MissingEdge, Operation as Side } from '../finding.js'
import { ofBarrier, ofFence, ofGroup, type Concerning, type FenceName } from '../subject.js'
import { hazards } from '../hazards.js'
import type { BarrierEvent, Family, Group, Header, LogEvent, Stamp } from '../../log/events.js'
import { isOfSingles } from '../../log/events.js'
import { families } from '../../log/units.js'
import type { AgentState } from './context.js'
import { applyFence, publishInits } from './fences.js'
import { publish } from './context.js'
import { singleton, union } from './generation-set.js'
import { group } from './groups.js'
import type { Knowledge } from './knowledge.js'
import { advance, advanceOrder, copy, join, joinVector, programOf } from './knowledge.js'
import { isAmong } from './lanes.js'
import type { Operation } from './operation.js'
import type { Action } from './replay.js'
import { replayUntil, stampOf } from './replay.js'
import { agentName, barrierName } from './report.js'
import type { Options } from './rules.js'
import type { Detector } from './state.js'
import { put, valueAt } from './sparse.js'

// ---------------------------------------------------------------- model

export interface Hypothesis extends Concerning {
  /** of a barrier that is waited for */
  readonly generation?: number
  /** the sides of the finding after and before which it stands */
  readonly after?: 'a' | 'b' | undefined
  readonly before?: 'a' | 'b' | undefined
  /** the statement that it stands before, which is neither side */
  readonly ahead?: string | undefined
  readonly lacks?: MissingEdge['lacks']
  readonly moves?: MissingEdge['moves']
  readonly kind: MissingEdge['kind']
  readonly text: string
  readonly actions: ReadonlyArray<Action>
}

/** What the first pass saw of one side of the finding. */
export interface Seen {
  readonly side: Side
  /** it is an access that writes */
  readonly writes: boolean
  /** index of its access, or of its issue */
  readonly index: number
  readonly operation: Operation | undefined
  /** what an arrive after its completion would publish */
  readonly done: Knowledge | undefined
}

export interface Completed {
  readonly barrier: number
  readonly generation: number
  readonly message: Knowledge
  /** index of the event that completed it */
  readonly index: number
}

/** The hypotheses of one kind. */
export type Kind = (
  header: Header,
  events: ReadonlyArray<LogEvent>,
  options: Options,
  finding: Finding,
  a: Seen,
  b: Seen,
  completed: ReadonlyArray<Completed>,
) => Iterable<Hypothesis>

// ---------------------------------------------------------------- what an operation tells

/** What is known of an operation where it is known to be done. */
export const doneKnowledge = (op: Operation): Knowledge => {
  const k = copy(op.knowledge)
  // what says that its reads are done: the first clock to do so, and that of the whole
  if (op.reads !== undefined)
    for (const clock of [op.reads.clock, op.reads.alternative])
      if (clock >= 0)
        for (const v of [k.order, k.firm, k.visible.counters, k.async.counters, k.tensor])
          advance(v, clock, op.number)
  for (const p of op.parts) {
    if (p.clock < 0) continue
    advanceOrder(k, p.clock, p.at)
    // the arrival of cp.async tells of no more than its copies
    if (op.unit === 'cpAsync') continue
    for (const v of op.row.proxy === 'generic' ? [k.visible] : [k.visible, k.async])
      put(v.acquired, p.barrier, union(valueAt(v.acquired, p.barrier), singleton(p.generation)))
  }
  return k
}

/** Groups that a wait may leave open and still cover the operation. */
const mayLeaveOpen = (a: AgentState, { row, number }: Operation): number => {
  if (row.family === null) return 0
  // its groups are prefixes of the sequence: those from the first on that has the copy in it, but for that one
  if (row.family === 'cpAsync') return Math.max(0, a.copiesAtCommit.filter((n) => n >= number).length - 1)
  return Math.max(0, a[row.sequence] - number)
}

/** Whether what someone knows covers the end of it. */
export const knows = (k: Knowledge, first: Seen): boolean => {
  const done = first.done
  if (done === undefined) return false
  const op = first.operation
  if (op === undefined) return valueAt(k.order, programOf(first.side.index)) >= first.side.at
  if (op.reads !== undefined && op.parts.length === 0) return valueAt(k.order, op.reads.clock) >= op.number
  const signalled = op.parts.filter((p) => p.clock >= 0)
  return signalled.length > 0 && signalled.every((p) => valueAt(k.order, p.clock) >= p.at)
}

/** Whether what the edge carries depends on the place where it would arrive. */
export const isCycle = (k: Knowledge, second: Seen): boolean =>
  valueAt(k.order, programOf(second.side.index)) >= second.side.at

// ---------------------------------------------------------------- fences

const statement = (name: string, loc: string | undefined): string =>
  `\`${name}\`${loc === undefined ? '' : ` (${loc})`}`
/** A statement, as it is published. */
export const placeOf = (header: Header, site: number): NonNullable<MissingEdge['moves']> => {
  const { label = String(site), loc } = header.sites[site] ?? {}
  return loc === undefined ? { site: label } : { site: label, loc }
}
export const statementAt = (header: Header, site: number): string => {
  const { site: label, loc } = placeOf(header, site)
  return statement(label, loc)
}

/** Which side of the finding it is. */
export const sideIn = ({ a }: Finding, { side }: Seen): 'a' | 'b' =>
  side.index === a.index && side.at === a.at ? 'a' : 'b'

/** A statement, of a text with its line. */
export const statementOf = (s: Side): string => statement(s.site, s.loc)

/** A statement and who runs it; of a text, with its line. */
export const label = (s: Side): string =>
  s.site === exitSite ? `the exit of ${s.agent}` : `${statement(s.site, s.loc)} of ${s.agent}`

/** Stands for a statement where an agent ends. */
export const exitSite = '(exit)'

const fenceNames = (f: Finding): ReadonlyArray<readonly [FenceName, string]> => {
  switch (f.id) {
    case 'P5':
      return [
        ['global', 'add a proxy fence for global memory'],
        ['mapRelease', 'add a tensor-map fence'],
        ['mapAcquire', 'add an acquire of the tensor map'],
      ]
    case 'P6':
      return [
        ['mbarrierInit', 'add a fence.mbarrier_init'],
        ['shared', 'add a proxy fence'],
      ]
    case 'B9':
      return [['mbarrierInit', 'add a fence.mbarrier_init']]
    case 'M8':
      return []
    default:
      return [
        ['shared', 'add a proxy fence'],
        ['cluster', 'add a proxy fence for shared memory of the cluster'],
        ['wgmma', 'add a wgmma fence'],
        ['global', 'add a proxy fence for global memory'],
      ]
  }
}

/** A fence where its agent stands, by all of its lanes. */
const standing = ({ context: c }: Detector, agent: number): Stamp => ({
  agent,
  at: valueAt(c.agents[agent]!.knowledge.order, programOf(agent)),
  site: -1,
  iteration: [],
})

export const fences: Kind = function* (header, events, _options, finding, a, b) {
  const places: ReadonlyArray<readonly [number, string]> =
    a.operation === undefined
      ? [[a.index + 1, `after ${label(a.side)}`]]
      : releases(header, events, a, b).map(([where, place]) => [where, place] as const)
  if (finding.id === 'M8') {
    const behind: Action = {
      before: b.index,
      act: (d) => {
        applyFence(d.context, b.side.index, 'tensorAfter')
      },
    }
    const fronts = places.map(([where, place]): readonly [Action, string] => [
      {
        before: where,
        act: (d) => {
          applyFence(d.context, a.side.index, 'tensorBefore')
        },
      },
      `add a before_thread_sync fence ${place}`,
    ])
    const after = `add an after_thread_sync fence before ${label(b.side)}`
    const [before, behindIt] = [ofFence('tensorBefore'), ofFence('tensorAfter')]
    yield { kind: 'fence', text: after, about: [behindIt], actions: [behind] }
    for (const [front, text] of fronts) {
      yield { kind: 'fence', text, about: [before], actions: [front] }
      yield {
        kind: 'fence',
        text: `${text}, and ${after}`,
        about: [before, behindIt],
        actions: [front, behind],
      }
    }
    return
  }
  for (const [name, text] of fenceNames(finding)) {
    if (name === 'cluster' && isOfSingles(header)) continue
    const at = (where: number, x: number): ReadonlyArray<Action> => [
      {
        before: where,
        act: (d) => {
          if (name === 'mbarrierInit') publishInits(d, standing(d, x))
          applyFence(d.context, x, name)
        },
      },
    ]
    const about = [ofFence(name)]
    for (const [where, place] of places)
      yield {
        kind: 'fence',
        text: `${text} ${place}`,
        about,
        after: sideIn(finding, a),
        actions: at(where, a.side.index),
      }
    yield {
      kind: 'fence',
      text: `${text} before ${label(b.side)}`,
      about,
      before: sideIn(finding, b),
      actions: at(b.index, b.side.index),
    }
  }
  if (finding.id !== 'P5') return
  const acquired: Action = {
    before: b.index,
    act: (d) => {
      applyFence(d.context, b.side.index, 'mapAcquire')
    },
  }
  for (const [where, place] of places)
    yield {
      kind: 'fence',
      text: `add a tensor-map fence ${place}, and an acquire of the map before ${label(b.side)}`,
      about: [ofFence('mapRelease'), ofFence('mapAcquire')],
      actions: [
        {
          before: where,
          act: (d) => {
            applyFence(d.context, a.side.index, 'mapRelease')
          },
        },
        acquired,
      ],
    }
}

// ---------------------------------------------------------------- group waits

const isRelease = (e: LogEvent): boolean =>
  (e._tag === 'barrier' && (e.kind === 'arrive' || e.kind === 'drop')) ||
  (e._tag === 'rendezvous' && e.kind === 'arrive')

/** A release, or the before_thread_sync fence in front of it: what is known of tensor memory only behind the fence does not go with the release. */
const isHandedOn = (e: LogEvent): boolean => isRelease(e) || (e._tag === 'fence' && e.kind === 'tensorBefore')

/** Right before an event of the log: in words, and the statement alone. */
type Ahead = readonly [where: number, place: string, statement: string]

/** Places between a and b, right before what the agent of `a` does there of this sort, the first eight. */
const releases = (
  header: Header,
  events: ReadonlyArray<LogEvent>,
  a: Seen,
  b: Seen,
  sort: (e: LogEvent) => boolean = isRelease,
): ReadonlyArray<Ahead> => {
  const places: Array<Ahead> = []
  const x = a.side.index
  for (let i = a.index + 1; i < Math.min(events.length, b.index + 1) && places.length < 8; i++) {
    const e = events[i]!
    if (!sort(e) || stampOf(e)?.agent !== x) continue
    const statement = statementAt(header, 'stamp' in e ? e.stamp.site : 0)
    places.push([i, `before ${statement} of ${agentName(header, x)}`, statement])
  }
  return places
}

/** Right before the last proxy fence that the agent of both has between them: what it knows only behind that fence is not visible to the other proxy. */
const lastProxyFence = (
  header: Header,
  events: ReadonlyArray<LogEvent>,
  a: Seen,
  b: Seen,
): ReadonlyArray<Ahead> => {
  for (let i = Math.min(events.length, b.index) - 1; i > a.index; i--) {
    const e = events[i]!
    if (e._tag === 'fence' && e.kind === 'proxyAsync' && e.stamp.agent === a.side.index) {
      const statement = statementAt(header, e.stamp.site)
      return [[i, `before ${statement} of ${agentName(header, a.side.index)}`, statement]]
    }
  }
  return []
}

/** A commit of an agent, or its wait for all groups but some, by the lanes that issued the operation. */
const groupEvent = (
  d: Detector,
  agent: number,
  lanes: number | undefined,
  family: Family,
  { kind, pending, read }: Pick<Group, 'kind' | 'pending' | 'read'>,
): void => {
  const stamp = standing(d, agent)
  group(d, {
    _tag: 'group',
    stamp: lanes === undefined ? stamp : Object.assign({}, stamp, { lanes }),
    kind,
    family,
    pending,
    read,
    blocked: false,
  })
}

const issuersOf = (events: ReadonlyArray<LogEvent>, a: Seen): number | undefined => {
  const e = events[a.index]
  return e !== undefined && 'stamp' in e ? e.stamp.lanes : undefined
}

/** The wait is there, and the operation is of no group that it covers. */
export const groupCommits: Kind = function* (_header, events, _options, finding, a, b) {
  const op = a.operation
  const family = op?.row.family ?? null
  const x = a.side.index
  if (op === undefined || family === null || !isOpenUntil(events, x, family, a.index, b.index)) return
  const isWaitedFor = events
    .slice(a.index, b.index)
    .some((e) => e._tag === 'group' && e.kind === 'wait' && e.family === family && e.stamp.agent === x)
  if (!isWaitedFor) return
  yield {
    kind: 'group-wait',
    text: `add a commit that closes the ${family} group of ${label(a.side)}: the wait that is there covers committed groups only`,
    about: [ofGroup(family)],
    lacks: 'commit',
    after: sideIn(finding, a),
    actions: [
      {
        before: a.index + 1,
        act: (d) => {
          groupEvent(d, x, issuersOf(events, a), family, { kind: 'commit', pending: 0, read: false })
        },
      },
    ],
  }
}

export const groupWaits: Kind = function* (header, events, _options, finding, a, b) {
  const op = a.operation
  if (op === undefined) return
  const { family } = op.row
  if (family === null) return
  const x = a.side.index
  const isOwn = b.side.index === x
  // before b itself; before a proxy fence, or a meeting, that hands on what its agent knows
  const places: ReadonlyArray<readonly [where: number, place: string, ahead: string | undefined]> = [
    ...(isOwn ? [[b.index, `before ${label(b.side)}`, undefined] as const] : []),
    ...(isOwn
      ? [...lastProxyFence(header, events, a, b), ...releases(header, events, a, b)]
      : releases(header, events, a, b, isHandedOn)
    ).map(([where, place, statement]) => [where, place, statement] as const),
  ]
  for (const [where, place, ahead] of places) {
    const about = [ofGroup(family)]
    const after = sideIn(finding, a)
    const before = ahead === undefined && isOwn ? sideIn(finding, b) : undefined
    for (const read of family === 'bulk' ? [true, false] : [false]) {
      yield {
        kind: 'group-wait',
        text: `add a ${families[family].wait} that covers ${label(a.side)}${read ? ' (reads)' : ''}, ${place}`,
        about,
        after,
        before,
        ahead,
        actions: [
          {
            before: where,
            act: (d) => {
              const pending = mayLeaveOpen(d.context.agents[x]!, op)
              groupEvent(d, x, issuersOf(events, a), family, { kind: 'wait', pending, read })
            },
          },
        ],
      }
    }
    if (isOpenUntil(events, x, family, a.index, where))
      yield {
        kind: 'group-wait',
        text: `add a commit that closes the ${family} group of ${label(a.side)}, and a ${families[family].wait} that covers it, ${place}`,
        lacks: 'both',
        about,
        after,
        before,
        ahead,
        actions: [
          {
            before: where,
            act: (d) => {
              receiveAll(d, x, doneKnowledge(op))
            },
          },
        ],
      }
  }
}

/** Has the agent not closed its group between these two places of the log? */
const isOpenUntil = (
  events: ReadonlyArray<LogEvent>,
  agent: number,
  family: Family,
  from: number,
  to: number,
): boolean =>
  families[family].commits &&
  !events
    .slice(from, to)
    .some((e) => e._tag === 'group' && e.kind === 'commit' && e.family === family && e.stamp.agent === agent)

/** The first arrives of an agent from a place of the log on, those of a sort, each with its name. */
const arrivesOf = function* (
  header: Header,
  events: ReadonlyArray<LogEvent>,
  agent: number,
  { from, to, most }: { readonly from: number; readonly to: number; readonly most: number },
  isOfSort: (e: BarrierEvent) => boolean = () => true,
): Iterable<{ readonly index: number; readonly event: BarrierEvent; readonly name: string }> {
  let found = 0
  for (let index = from; index < Math.min(events.length, to) && found < most; index++) {
    const event = events[index]!
    if (
      event._tag !== 'barrier' ||
      event.kind !== 'arrive' ||
      event.stamp.agent !== agent ||
      !isOfSort(event)
    )
      continue
    found++
    const name = `the arrive ${statementAt(header, event.stamp.site)} of ${agentName(header, agent)} on ${barrierName(header, event.barrier)}`
    yield { index, event, name }
  }
}

/** What was arrived when an operation of the tensor core had been issued, arrived when it is done: a queue has commits where others have group waits. */
export const commits: Kind = function* (header, events, _options, _finding, a, b) {
  const { operation: op, done } = a
  const x = a.side.index
  if (op?.row.completes !== 'queue' || done === undefined || isCycle(done, b) || b.side.index === x) return
  for (const { index, event, name } of arrivesOf(header, events, x, {
    from: a.index + 1,
    to: b.index,
    most: 8,
  }))
    yield {
      kind: 'arrive',
      text: `make ${name} a tcgen05.commit, which arrives when ${label(a.side)} is done`,
      about: [ofBarrier(event.barrier)],
      actions: [
        {
          before: index,
          act: (d) => {
            join(d.barriers[event.barrier]!.current.message, done)
          },
        },
      ],
    }
}

// ---------------------------------------------------------------- waits and arrives

/** The agent comes to know all of this. */
export const receiveAll = (d: Detector, agent: number, k: Knowledge): void => {
  const a = d.context.agents[agent]!
  join(a.knowledge, k)
  joinVector(a.received, k.tensor)
}

/** `wait for full@0 (phase 1)`: of generation 3, too, for a wait names a parity. */
export const waitText = (header: Header, barrier: number, generation: number): string =>
  `wait for ${barrierName(header, barrier)} (phase ${String(generation % 2)})`

/** A wait of b's agent, before b, for this generation. */
export const waitFor = (
  header: Header,
  b: Seen,
  barrier: number,
  generation: number,
  told: Knowledge,
  before?: 'a' | 'b',
): Hypothesis => ({
  kind: 'wait',
  text: `${waitText(header, barrier, generation)} before ${label(b.side)}`,
  about: [ofBarrier(barrier)],
  generation,
  before,
  actions: [
    {
      before: b.index,
      act: (d) => {
        receiveAll(d, b.side.index, told)
      },
    },
  ],
})

/** The generations that a copy's own bytes joined. */
const ownParts = (a: Seen): ReadonlyArray<{ readonly barrier: number; readonly generation: number }> =>
  (a.operation?.parts ?? []).filter((p) => p.barrier >= 0)

/** Barriers that an agent waits for somewhere in the log, and those that no agent waits for: theirs to wait for. */
const nearTo = (events: ReadonlyArray<LogEvent>, agent: number): ((barrier: number) => boolean) => {
  const own = new Set<number>()
  const others = new Set<number>()
  for (const e of events) if (e._tag === 'wait') (e.stamp.agent === agent ? own : others).add(e.barrier)
  return (barrier) => own.has(barrier) || !others.has(barrier)
}

/** Waits for generations that cover a: of barriers that are b's to wait for, or of all others. */
const waitsFor = (near: boolean): Kind =>
  function* (header, events, _options, finding, a, b, completed) {
    const isNear = nearTo(events, b.side.index)
    // what is overwritten too early is released by the agent that consumed it, not by its own arrival; what is used too early is announced by its own
    const own = (c: Completed): boolean => ownParts(a).some((p) => p.barrier === c.barrier)
    const overwrites = hazards[finding.id].overwrites === true
    const asked = completed.filter((c) => (isNear(c.barrier) || (!overwrites && own(c))) === near)
    const [others, its] = [asked.filter((c) => !own(c)), asked.filter(own)]
    const ordered = overwrites ? [...others, ...its] : [...its, ...others]
    let tried = 0
    for (const c of ordered) {
      if (tried >= 12) break
      if (!knows(c.message, a) || isCycle(c.message, b)) continue
      tried++
      yield waitFor(header, b, c.barrier, c.generation, c.message, sideIn(finding, b))
    }
    if (!near) return
    // its generation may not have completed in this run, or only with arrivals that came too early
    const done = a.done
    if (done === undefined || isCycle(done, b)) return
    for (const p of ownParts(a)) {
      if (
        !completed.some(
          (c) => c.barrier === p.barrier && c.generation === p.generation && !isCycle(c.message, b),
        )
      )
        yield waitFor(header, b, p.barrier, p.generation, done, sideIn(finding, b))
    }
  }

export const waits: Kind = waitsFor(true)
export const waitsElsewhere: Kind = waitsFor(false)

/** The last barrier that an agent has waited for before this place of the log; -1 if there is none. */
const lastAwaited = (events: ReadonlyArray<LogEvent>, agent: number, before: number): number => {
  for (let i = before - 1; i >= 0; i--) {
    const e = events[i]!
    if (e._tag === 'wait' && e.outcome === 'passed' && e.stamp.agent === agent) return e.barrier
  }
  return -1
}

/**
 * W: b's agent has waited n times for a barrier, and a's agent has arrived there less than n times before a: the n-th time was to be behind a, and the
 * generation was complete without it. There is an arrival too many, or the count is too small.
 */
export const uncounted: Kind = function* (header, events, _options, finding, a, b, completed) {
  const { done } = a
  if (hazards[finding.id].overwrites !== true || done === undefined || isCycle(done, b)) return
  if (a.side.index === b.side.index) return
  const barrier = lastAwaited(events, b.side.index, b.index)
  if (barrier < 0) return
  let [waited, arrived] = [0, 0]
  let site = -1
  let place = -1
  for (const [i, e] of events.entries()) {
    if (i < b.index && e._tag === 'wait' && e.barrier === barrier && e.stamp.agent === b.side.index) waited++
    if (e._tag !== 'barrier' || e.kind !== 'arrive' || e.barrier !== barrier) continue
    if (e.stamp.agent !== a.side.index) continue
    if (i < a.index) arrived++
    else if (site < 0) {
      site = e.stamp.site
      place = i
    }
  }
  const heard = completed.find((c) => c.barrier === barrier && c.generation === waited - 1)
  if (site < 0 || arrived >= waited || heard === undefined || place <= heard.index) return
  yield {
    kind: 'arrive-wait',
    text: `count the arrive ${statementAt(header, site)} of ${agentName(header, a.side.index)} on ${barrierName(header, barrier)} before ${label(b.side)}: the generation that is waited for completes without it`,
    about: [ofBarrier(barrier)],
    actions: [
      {
        before: b.index,
        act: (d) => {
          receiveAll(d, b.side.index, done)
        },
      },
    ],
  }
}

/** What b has waited for was arrived at by a's agent, but before a: the arrive belongs behind a. */
export const lateArrives: Kind = function* (header, events, options, _finding, a, b) {
  const done = a.done
  if (done === undefined || isCycle(done, b) || a.side.index === b.side.index) return
  const barrier = lastAwaited(events, b.side.index, b.index)
  if (barrier < 0) return
  const issued = new Map<number, number>()
  for (let i = 0; i < a.index; i++) {
    const e = events[i]!
    if (e._tag === 'issue' && e.stamp.agent === a.side.index) issued.set(e.operation, e.stamp.site)
  }
  // an arrive of the agent itself, or of what it has issued: the last one before a
  let site = -1
  let arrived: Stamp | undefined
  events.forEach((e, i) => {
    if (
      e._tag === 'barrier' &&
      e.kind === 'arrive' &&
      e.barrier === barrier &&
      e.stamp.agent === a.side.index
    ) {
      if (i > a.index) return
      site = e.stamp.site
      arrived = e.stamp
    } else if (e._tag === 'signal' && e.to === 'arrive' && e.barrier === barrier) {
      const from = issued.get(e.operation)
      if (from === undefined) return
      site = from
      arrived = undefined
    }
  })
  const name = header.sites[site]?.label
  if (name === undefined) return
  const accesses = events[a.index]!
  // an arrive tells of its own lanes, and of those that they have met
  const meets =
    options.lanes !== 'off' &&
    arrived !== undefined &&
    'stamp' in accesses &&
    !isAmong(accesses.stamp, arrived)
      ? ', and add a `__syncwarp()` (bar.warp.sync) between the two'
      : ''
  yield {
    kind: 'arrive',
    text: `move the arrive \`${name}\` of ${agentName(header, a.side.index)} on ${barrierName(header, barrier)} after ${label(a.side)}${meets}`,
    moves: placeOf(header, site),
    about: [ofBarrier(barrier)],
    actions: [
      {
        before: b.index,
        act: (d) => {
          receiveAll(d, b.side.index, done)
        },
      },
    ],
  }
}

/** What was arrived with nothing to tell, told. */
export const released: Kind = function* (header, events, _options, _finding, a, b) {
  const x = a.side.index
  const range = { from: a.index + 1, to: b.index, most: 8 }
  for (const { index, event, name } of arrivesOf(header, events, x, range, (e) => !e.release))
    yield {
      kind: 'arrive',
      text: `make ${name} a release`,
      about: [ofBarrier(event.barrier)],
      actions: [
        {
          before: index,
          act: (d) => {
            publish(d.barriers[event.barrier]!.current.message, d.context.agents[x]!, event.tensor)
          },
        },
      ],
    }
}

export const movedArrives: Kind = function* (header, events, options, _finding, a, b) {
  const op = a.operation
  if (op === undefined) return
  const x = a.side.index
  // when does the issuer know that it is done?
  const later: Array<Knowledge> = []
  const place: Array<string> = []
  replayUntil(header, events, options, [], (d, i) => {
    const e = events[i]!
    const s = stampOf(e)
    if (i <= a.index || s === undefined || s.agent !== x) return false
    const k = d.context.agents[x]!.knowledge
    if (!knows(k, a)) return false
    later.push(copy(k))
    const site = 'stamp' in e ? e.stamp.site : 0
    place.push(header.sites[site]?.label ?? String(site))
    return true
  })
  const known = later[0]
  if (known === undefined || isCycle(known, b)) return
  const range = { from: a.index + 1, to: events.length, most: 12 }
  for (const { index, event, name } of arrivesOf(header, events, x, range))
    yield {
      kind: 'arrive',
      text: `move ${name} after \`${place[0] ?? ''}\``,
      moves: placeOf(header, event.stamp.site),
      about: [ofBarrier(event.barrier)],
      actions: [
        {
          before: index,
          act: (d) => {
            join(d.barriers[event.barrier]!.current.message, known)
          },
        },
      ],
    }
}

export const newPairs: Kind = function* (_header, _events, _options, _finding, a, b) {
  const done = a.done
  if (done === undefined || isCycle(done, b)) return
  yield {
    kind: 'arrive-wait',
    text: `add an arrive when ${label(a.side)} is done, and a wait for it before ${label(b.side)}`,
    about: [],
    actions: [
      {
        before: b.index,
        act: (d) => {
          receiveAll(d, b.side.index, done)
        },
      },
    ],
  }
}
