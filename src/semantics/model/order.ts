/**
 * Order: what has happened before what.
 *
 * Each clause is a relation over the events of one log, as in a cat file, drawn as arrows between views (`views.ts`). Some carry order and nothing else;
 * some also *tell*: what the one sees, the other sees from then on. Which of them tell is half of what visibility is; `visible.ts` has the rest.
 *
 *     order  =  (program | issue | fork | release | relaxed | complete | phases | commit | copies | group | meet | lanes | semaphore |
 *                synchronises | fence-sc | fence-arrive)+
 *
 * An asynchronous access is *done* when its completion is known: that of a bulk copy is the phase which its signal joined, all others have
 * sequences of their own (groups, copies, queue entries, loads, stores), and one that is known implies the earlier ones. So `complete` and `group`
 * let facts about accesses enter where they become known, and nothing of what their issuer knew goes with them.
 *
 * Worked. T0: arriveExpectTx b #1; issue TMA x -> b #2 (writes x #3, signals #4). T1: wait b #5; read x #6.
 *
 *     issue     2 -> 3, 2 -> 4                 the write and the signal come after the issue
 *     release   1 -> 5, 4 -> 5                 T1 is after both, hence after the issue
 *     complete  phase 0 of b enters at 5       and the write of x is done where that is known: 3 is before 6
 *
 * Two accesses of one in-order unit are in order without any of this: `pipelined`.
 */
import type { BarrierEvent, Group, Issue, LogEvent, Wait } from '../log/events.js'
import { clusterOf } from '../log/events.js'
import type { Scope } from '../language/instruction.js'
import type { Choices, Judging } from './judging.js'
import type { Meeting, Observation, Operation, Reading, Touch } from './reading.js'
import { coveredBy, indices, laneBarriers, samePlace } from './reading.js'
import type { Arrow, Flow, View } from './views.js'
import {
  acquiringFences,
  fencesInOrder,
  forced,
  isOfCta,
  releasingFences,
  synchronised,
  type Has,
} from './strong.js'
import { enters, flows, ordinary, same } from './views.js'

// ---------------------------------------------------------------- facts

/** Bulk copies, st.async and cluster launch control are done with the phase that their signal joins. */
const byPhase = (o: Operation): boolean => {
  switch (o.issue.unit) {
    case 'tmaLoad':
    case 'stAsync':
    case 'clc':
      return true
    case 'tmaStore':
    case 'cpAsync':
    case 'wgmma':
    case 'tcgen05':
    case 'tcgen05Ld':
    case 'tcgen05St':
      return false
  }
}

/** What is known when an access is done; -1 as long as no signal has come. */
export const doneFact = ({ at, operation: o, part }: Touch): number =>
  o === undefined || !byPhase(o) ? at : (o.signals.find((s) => s.signal.part === part)?.phase?.fact ?? -1)

/** And when an event of a barrier is over: bytes, and the arrival of cp.async, with their phase. */
export const eventFact = (r: Reading, at: number): number => {
  const o = operationOf(r, at)
  const s = o?.signals.find((x) => x.at === at)
  return o?.issue.unit === 'tcgen05' ? at : (s?.phase?.fact ?? at)
}

export const operationOf = (r: Reading, signal: number): Operation | undefined =>
  r.log[signal]?._tag === 'signal'
    ? r.operations.find((o) => o.signals.some((s) => s.at === signal))
    : undefined

const ofUnit = (r: Reading, agent: number, unit: Issue['unit']): ReadonlyArray<Operation> =>
  r.operations.filter((o) => o.issue.unit === unit && o.issue.stamp.agent === agent)

// ---------------------------------------------------------------- how an arrow carries

const both = ['order', 'firm'] as const
const seen = ['order', 'firm', 'generic'] as const

/** What a release tells an acquire; of tensor memory, what stands behind before_thread_sync, or all, if it carries tensor-core order. */
const told: Flow = [...same(...both, ...ordinary), ['published', 'received']]
const toldTensor: Flow = [...same(...both, ...ordinary), ['tensor', 'received']]
/** Order alone; of a relaxed arrive also the initialisations that its agent has fenced. */
const ordered: Flow = same('order')
const orderedInits: Flow = [
  ['order', 'order'],
  ['announced', 'inits'],
]

// ---------------------------------------------------------------- clauses

/** From an event of an agent to its next one, and to the first of a branch that it forks. */
const control: Flow = [
  ['order', 'before'],
  ['firm', 'firmBefore'],
  ['generic', 'found'],
  ...same(...ordinary),
]
const itself: Flow = [...control, ...same('announced', 'received', 'tensor', 'published', 'shown')]
const branch: Flow = [...control, ['published', 'received']]
const idly: Flow = same(...both, ...ordinary)
const started: Flow = same(...both, 'tensor', ...ordinary)

/** Each event of an agent comes after the one before it, and sees what the earlier event saw. */
export const program = (r: Reading): ReadonlyArray<Arrow> =>
  r.programs.flatMap((events) =>
    events.flatMap((e, k) => [
      enters(e, e, seen),
      flows(e, e, [
        ['before', 'order'],
        ['firmBefore', 'firm'],
      ]),
      ...(k === 0 ? [] : [flows(events[k - 1]!, e, itself)]),
    ]),
  )

/** An operation starts with what its issuer knew; its signals come after that, and see nothing of it. */
export const issue = (r: Reading): ReadonlyArray<Arrow> =>
  r.operations.flatMap((o) => [
    ...o.touches.map((t) => flows(o.at, t.at, started)),
    ...o.signals.map((s) => flows(o.at, s.at, same(...both))),
  ])

/** A branch starts after its fork; a join comes after the last event of each branch. Neither waits for operations in flight. */
export const fork = (r: Reading): ReadonlyArray<Arrow> =>
  r.log.flatMap((e, i) => {
    if (e._tag !== 'fork' && e._tag !== 'join') return []
    return e.children
      .filter((x) => x !== e.stamp.agent)
      .flatMap((x) => {
        const of = r.programs[x]!
        const [first, last] = [of.find((k) => k > i), of.filter((k) => k < i).at(-1) ?? -1]
        if (e._tag === 'fork') return first === undefined ? [] : [flows(i, first, branch)]
        // a branch without an event hands on what its fork told it
        const idle = indices(
          r.log,
          (f, k) => f._tag === 'fork' && k > last && k < i && f.children.includes(x),
        )
        return [...(last < 0 ? [] : [flows(last, i, told)]), ...idle.map((k) => flows(k, i, idly))]
      })
  })

const wider = (scope: Scope): boolean => scope !== 'cta'

/** Whether the scopes of an arrive and a wait reach: both wider than a CTA, if the barrier is another CTA's than the arriving agent's. */
const reaches = (r: Reading, e: BarrierEvent, wait: Wait): boolean => {
  const near = r.header.agents[e.stamp.agent]!.cta === r.header.barriers[e.barrier]!.cta
  return near || (wider(e.scope) && wider(wait.scope))
}
const arrival = (e: LogEvent): BarrierEvent | undefined =>
  e._tag === 'barrier' && (e.kind === 'arrive' || e.kind === 'drop') ? e : undefined

/** Whether an event of a phase publishes to this wait: a signal, or a release arrive that reaches it; to an acquire. */
const publishes = (r: Reading, at: number, wait: Wait): boolean => {
  const a = arrival(r.log[at]!)
  if (!wait.acquire) return false
  return r.log[at]?._tag === 'signal' || (a?.release === true && reaches(r, a, wait))
}

/** For each event of a phase and each wait that observes that phase. */
const heard = (r: Reading, of: (at: number, o: Observation) => ReadonlyArray<Arrow>): ReadonlyArray<Arrow> =>
  r.histories.flatMap((h) =>
    h.observations.flatMap((o) => (o.phase?.events ?? []).flatMap((at) => of(at, o))),
  )

/** A release arrive, and a signal, come before each wait that observes their phase, and tell it what they saw, if it acquires. */
export const release = (r: Reading): ReadonlyArray<Arrow> =>
  heard(r, (at, o) => {
    const e = r.log[at]!
    const by = e._tag === 'barrier' && e.tensor ? toldTensor : told
    return publishes(r, at, o.wait) ? [flows(at, o.at, by)] : []
  })

/** Every other event of a phase comes before them too, and tells nothing. */
export const relaxed = (r: Reading): ReadonlyArray<Arrow> =>
  heard(r, (at, o) => {
    const a = arrival(r.log[at]!)
    if (publishes(r, at, o.wait)) return []
    const inits = o.wait.acquire && a?.release === false && reaches(r, a, o.wait)
    return [flows(at, o.at, inits ? orderedInits : ordered)]
  })

/** The copies of a phase are done, and seen, where it has been waited for. */
export const complete = (r: Reading): ReadonlyArray<Arrow> =>
  r.histories.flatMap((h) =>
    h.observations.flatMap(({ at, phase, wait }) =>
      phase === undefined ? [] : [enters(phase.fact, at, wait.acquire ? seen : ['order'])],
    ),
  )

/** Phases end one after another: those of earlier phases are done, but not for that seen. */
export const phases = (r: Reading): ReadonlyArray<Arrow> =>
  r.histories.flatMap((h) =>
    h.observations.flatMap(({ at, phase, wait }) =>
      h.phases
        .filter((p) => phase !== undefined && p.number < phase.number)
        .map((p) => enters(p.fact, at, wait.acquire ? both : ['order'])),
    ),
  )

/** A commit arrives when everything before it in its queue is done, and its earlier commits have arrived; it tells of tensor memory alone. */
export const commit = (r: Reading): ReadonlyArray<Arrow> =>
  r.operations
    .filter((o) => o.issue.unit === 'tcgen05')
    .flatMap((o) =>
      o.signals.flatMap(({ at }) =>
        ofUnit(r, o.issue.stamp.agent, 'tcgen05')
          .filter((earlier) => earlier.at <= o.at)
          .flatMap((earlier) => [
            ...earlier.touches.map((t) => enters(t.at, at, [...both, 'published'])),
            ...earlier.signals.map((s) => enters(s.at, at, both)),
          ]),
      ),
    )

/** cp.async's arrive is made when the agent's copies before it are done. */
export const copies = (r: Reading): ReadonlyArray<Arrow> =>
  ofUnitAnyAgent(r, 'cpAsync').flatMap((o) =>
    o.signals.flatMap(({ at, signal }) =>
      signal.to !== 'arrive'
        ? []
        : ofUnit(r, o.issue.stamp.agent, 'cpAsync')
            .filter((earlier) => earlier.at <= o.at)
            .flatMap((earlier) => earlier.touches)
            .map((t) => enters(t.at, at, seen)),
    ),
  )

const ofUnitAnyAgent = (r: Reading, unit: Issue['unit']): ReadonlyArray<Operation> =>
  r.operations.filter((o) => o.issue.unit === unit)

const unitOf = {
  bulk: 'tmaStore',
  wgmma: 'wgmma',
  cpAsync: 'cpAsync',
  tcgen05Ld: 'tcgen05Ld',
  tcgen05St: 'tcgen05St',
} as const

/** Where the reads and writes of a covered operation are known. */
const coveredViews = ({ family, read }: Group, rw: 'r' | 'w'): ReadonlyArray<View> => {
  switch (family) {
    case 'bulk':
      return !read ? seen : rw === 'r' ? both : []
    case 'wgmma':
    case 'cpAsync':
      return seen
    case 'tcgen05Ld':
      return rw === 'w' || !read ? [...seen, 'tensor'] : []
    case 'tcgen05St':
      return [...both, 'tensor']
  }
}

/** A group wait knows the groups that it covers: of a bulk store with `.read` the reads alone, of a tensor-memory load the registers alone; of products those of the other
 * warps of its warpgroup, too, which were issued before. */
export const group = (r: Reading): ReadonlyArray<Arrow> =>
  r.log.flatMap((e, at) => {
    if (e._tag !== 'group' || e.kind !== 'wait' || e.blocked) return []
    const covered = coveredBy(r.log, at, e)
    const into = (o: Operation): ReadonlyArray<Arrow> =>
      o.touches.flatMap((t) => {
        const views = coveredViews(e, t.access.rw)
        return views.length === 0 ? [] : [enters(t.at, at, views)]
      })
    const ofAgent = (x: number): ReadonlyArray<Operation> =>
      ofUnit(r, x, unitOf[e.family]).filter((o) => o.at < at && o.number <= covered)
    return [
      ...ofAgent(e.stamp.agent).flatMap(into),
      ...(e.with ?? []).flatMap(ofAgent).flatMap((o) => [...into(o), flows(o.at, at, same(...both))]),
    ]
  })

/** bar.sync and the cluster barrier: who leaves comes after all who have arrived. */
export const meet = (r: Reading): ReadonlyArray<Arrow> => met(r, false)

/** bar.warp.sync: the same among lanes of one warp. */
export const lanes = (r: Reading): ReadonlyArray<Arrow> => met(r, true)

const isOfLanes = (r: Reading, { arrivals: [first] }: Meeting): boolean => {
  const e = first === undefined ? undefined : r.log[first]
  return e?._tag === 'rendezvous' && e.id >= laneBarriers
}

const met = (r: Reading, ofLanes: boolean): ReadonlyArray<Arrow> =>
  r.meetings
    .filter((m) => isOfLanes(r, m) === ofLanes)
    .flatMap((m) =>
      m.leaves.flatMap((to) =>
        m.arrivals
          .filter((from) => from < to)
          .flatMap((from) => {
            const [a, l] = [r.log[from]!, r.log[to]!]
            if (a._tag !== 'rendezvous' || l._tag !== 'rendezvous') return []
            if (l.relaxed === true) return [flows(from, to, ordered)]
            return [
              flows(from, to, a.relaxed === true ? orderedInits : a.tensor === true ? toldTensor : told),
            ]
          }),
      ),
    )

/**
 * Barriers are words, too. A relaxed arrive tells what its agent had seen at a fence before it; a relaxed wait takes over what was told at a fence after it; and so does
 * the wait at a cluster barrier of a relaxed arrival. The fence has to reach the CTA of the barrier, or the cluster where the barrier is another CTA's.
 */
export const fenceArrive = (r: Reading, has: Has): ReadonlyArray<Arrow> => [
  ...heard(r, (at, o) => {
    const e = r.log[at]!
    const a = arrival(e)
    const isNear =
      a === undefined || r.header.agents[a.stamp.agent]!.cta === r.header.barriers[a.barrier]!.cta
    if (a !== undefined && !reaches(r, a, o.wait)) return []
    const isWide = ({ reach: far }: { readonly reach: number }): boolean => far >= (isNear ? 1 : 2)
    const isRelaxed = a?.release === false
    const ends = isRelaxed
      ? releasingFences(r, has, a.stamp.agent, at)
          .filter(isWide)
          .map((f) => f.at)
      : a !== undefined || e._tag === 'signal'
        ? [at]
        : []
    const tells = e._tag === 'barrier' && e.tensor && !isRelaxed ? toldTensor : told
    if (o.wait.acquire) return isRelaxed ? ends.map((from) => flows(from, o.at, told)) : []
    return acquiringFences(r, has, o.wait.stamp.agent, o.at)
      .filter(isWide)
      .flatMap((g) => [
        ...ends.map((from) => flows(from, g.at, tells)),
        ...(isRelaxed ? [flows(at, g.at, orderedInits)] : []),
      ])
  }),
  ...r.histories.flatMap((h) =>
    h.observations.flatMap(({ at, phase, wait }) =>
      phase === undefined || wait.acquire
        ? []
        : acquiringFences(r, has, wait.stamp.agent, at).map((g) => enters(phase.fact, g.at, seen)),
    ),
  ),
  ...r.meetings.flatMap((m) =>
    m.leaves.flatMap((to) =>
      m.arrivals.flatMap((from) => {
        const [a, l] = [r.log[from]!, r.log[to]!]
        if (a._tag !== 'rendezvous' || l._tag !== 'rendezvous') return []
        if (from >= to || a.relaxed !== true || l.relaxed === true) return []
        return releasingFences(r, has, a.stamp.agent, from)
          .filter((f) => f.reach >= 2)
          .map((f) => flows(f.at, to, told))
      }),
    ),
  ),
]

/** Through words of memory: a release pattern tells the acquire pattern that observes it. */
export const synchronises = (r: Reading, has: Has): ReadonlyArray<Arrow> =>
  synchronised(r, has).map(({ from, to }) => flows(from, to, told))

/** Two `fence.sc` that are in one order in every run with these reads. */
export const fenceSc = (r: Reading, has: Has): ReadonlyArray<Arrow> =>
  forced(r, has).map(({ from, to }) => flows(from, to, told))

/** What a `fence.sc` has seen is over for the reads that come after a later one, by program order and barriers of its CTA. */
export const fenceShows = (r: Reading, has: Has): ReadonlyArray<Arrow> => [
  ...fencesInOrder(r, has).map(([first, then]) =>
    flows(first, then, [
      ['generic', 'shown'],
      ['shown', 'shown'],
    ]),
  ),
  ...r.meetings
    .filter((m) => isOfCta(r, m))
    .flatMap((m) =>
      m.leaves.flatMap((to) =>
        m.arrivals.filter((from) => from < to).map((from) => flows(from, to, same('shown'))),
      ),
    ),
]

const reach: Readonly<Record<Scope, number>> = { cta: 1, cluster: 2, gpu: 3, sys: 3 }

/** A semaphore wait comes after all signals so far; it is told by those whose scope, and its own, reach from the one to the other. */
export const semaphore = (r: Reading): ReadonlyArray<Arrow> =>
  r.log.flatMap((w, to) => {
    if (w._tag !== 'semaphore' || w.kind !== 'wait' || w.outcome === 'blocked' || w.until !== undefined)
      return []
    return indices(
      r.log,
      (s, i) => i < to && s._tag === 'semaphore' && s.kind === 'signal' && samePlace(s, w),
    ).flatMap((from) => {
      const s = r.log[from]!
      if (s._tag !== 'semaphore') return []
      const [a, b] = [r.header.agents[s.stamp.agent]!.cta, r.header.agents[w.stamp.agent]!.cta]
      const needed = a === b ? 1 : clusterOf(r.header, a) === clusterOf(r.header, b) ? 2 : 3
      return [flows(from, to, Math.min(reach[s.scope], reach[w.scope]) >= needed ? told : ordered)]
    })
  })

// ---------------------------------------------------------------- in-order units

type Entry = 'mma' | 'cp' | 'cp.4x256b' | 'shift' | 'commit'
const entryOf = (o: Operation): Entry => o.issue.tensor ?? 'mma'

/** Pairs of one unit of one agent, in the order of their issue, that happen in it. */
const granted = (
  first: Operation,
  then: Operation,
  pipe: Choices['tensorPipe'],
  { options }: Judging,
): boolean => {
  const [a, b] = [first.issue, then.issue]
  if (a.unit !== b.unit || a.stamp.agent !== b.stamp.agent) return false
  if (a.unit === 'wgmma') return options.wgmmaOrder === 'issue'
  if (a.unit !== 'tcgen05') return false
  switch (entryOf(first)) {
    case 'mma':
      return (
        (entryOf(then) === 'mma' && (pipe === 'issueOrder' || (a.pipe ?? 0) === (b.pipe ?? 0))) ||
        entryOf(then) === 'shift'
      )
    case 'cp':
    case 'cp.4x256b':
      return entryOf(then) === 'mma'
    case 'shift':
      return entryOf(then) === 'mma' || entryOf(then) === 'cp.4x256b'
    case 'commit':
      return false
  }
}

/** Products of a warpgroup; entries of a tensor queue, over the pairs that are granted and their chains. */
export const pipelined = (
  r: Reading,
  pipe: Choices['tensorPipe'],
  how: Judging,
): ((first: Operation, then: Operation) => boolean) => {
  const before = new Map<Operation, Set<Operation>>()
  for (const then of r.operations) {
    const all = new Set<Operation>()
    for (const m of before.keys())
      if (granted(m, then, pipe, how)) for (const first of [m, ...before.get(m)!]) all.add(first)
    before.set(then, all)
  }
  return (first, then) => before.get(then)?.has(first) === true
}
