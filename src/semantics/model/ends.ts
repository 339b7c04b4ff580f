/**
 * What must be over before its CTA may go away, and how barriers live and end.
 *
 * | id | asked                                                                                                          |
 * |----|----------------------------------------------------------------------------------------------------------------|
 * | U2 | every effect of a CTA's own operation on the CTA (its shared and tensor memory, its barriers) is known to an agent of it at its exit |
 * | K1 | the same of effects by operations and agents of other CTAs                                                     |
 * | K4 | who reaches into another CTA, or allocates with it, knows an event of it                                     |
 * | K2 | a cluster barrier is left when an agent of each CTA has come                                                   |
 * | O1 | every byte of an output has a write                                                                            |
 * | B2 | a phase gets no more arrivals than it counts; named barriers are counted alike                                  |
 * | B4 | the transaction count stays within its bounds                                                                  |
 * | B7 | a barrier is used while it lives, by agents that know its initialisation; its bytes are no payload meanwhile   |
 * | B9 | an agent of another CTA finds the initialisation: released to it, or fenced                                    |
 * | P6 | an asynchronous unit that signals it finds the initialisation: fenced by its agent, or by a proxy fence (asked where fences are written by hand) |
 * | B8 | (Pallas) an agent observes every phase                                                                         |
 * | U1 | (Pallas) every phase is observed                                                                               |
 *
 * Source: PTX 9.7.13.15 (mbarrier: phases, initialisation, lifetime), 9.7.13.4 (fence.mbarrier_init), “barrier.cluster”.
 */
import { greatest, least } from '../../greatest.js'
import { common, without, type Bytes } from './bytes.js'
import type { Judging } from './judging.js'
import { doneFact, eventFact, operationOf } from './order.js'
import type { History, Reading, Touch } from './reading.js'
import { clusterBarriers, own } from './reading.js'
import type { Knows } from './views.js'
import { isCovered } from './visible.js'
import { clusterOf, publishesBarriers, type LogEvent, type Stamp } from '../log/events.js'
import { units } from '../log/units.js'

// ---------------------------------------------------------------- model

export interface Left {
  readonly id: 'U1' | 'U2' | 'K1' | 'K2' | 'K4' | 'O1' | 'B2' | 'B4' | 'B7' | 'B8' | 'B9' | 'P6'
  /** who made the event: the agent, or the issuer of the operation; undefined for O1 */
  readonly stamp: Stamp | undefined
  readonly at: number
  /** the barrier, the CTA or the generation that it is about */
  readonly about: number
  /** U1: the storage of the barrier is used again, so that what was not observed can be taken for new */
  readonly reused: boolean
}

const stampAt = (r: Reading, at: number): Stamp | undefined => {
  const e: LogEvent | undefined = r.log[at]
  if (e === undefined) return undefined
  return e._tag === 'access' ? e.stamp : (own(e) ?? operationOf(r, at)?.issue.stamp)
}
const left = (r: Reading, id: Left['id'], at: number, about: number, reused: boolean = false): Left => ({
  id,
  stamp: stampAt(r, at),
  at,
  about,
  reused,
})
const ctaOf = (r: Reading, at: number): number => {
  const stamp = stampAt(r, at)
  return stamp === undefined ? -1 : r.header.agents[stamp.agent]!.cta
}

// ---------------------------------------------------------------- exits

interface Effect {
  readonly at: number
  readonly fact: number
  readonly cta: number
}

/** Effects on a CTA that its agents do not make themselves. */
const effects = (r: Reading): ReadonlyArray<Effect> => [
  ...r.touches.flatMap((t): ReadonlyArray<Effect> => {
    const plane = r.header.planes[t.access.footprint.plane]!
    const inCta = plane.space === 'smem' || plane.space === 'tmem'
    const unit = t.operation?.issue.unit
    const cta = unit === 'wgmma' ? ctaOf(r, t.at) : (plane.cta ?? 0)
    if (unit === 'tcgen05Ld' || unit === 'tcgen05St') return []
    if (unit === undefined && (!inCta || cta === ctaOf(r, t.at))) return []
    return unit === 'wgmma' || inCta ? [{ at: t.at, fact: doneFact(t), cta }] : []
  }),
  ...r.log.flatMap((e, at): ReadonlyArray<Effect> => {
    if (e._tag === 'barrier') {
      const cta = r.header.barriers[e.barrier]!.cta
      return cta === ctaOf(r, at) ? [] : [{ at, fact: at, cta }]
    }
    if (e._tag !== 'signal' || e.to === 'group') return []
    return [{ at, fact: eventFact(r, at), cta: r.header.barriers[e.barrier]!.cta }]
  }),
]

/** Where an agent has come to know what it knows when it exits: its last event, and a fork behind it. */
const lastOf = (r: Reading, agent: number): ReadonlyArray<number> => {
  const last = r.programs[agent]!.at(-1) ?? -1
  const forks = r.log.flatMap((e, i) =>
    e._tag === 'fork' && i > last && e.children.includes(agent) ? [i] : [],
  )
  return last < 0 ? forks : [last, ...forks]
}

/** U2 and K1 in one rule: some agent of the CTA knows of the effect when it exits. */
export const outstanding = (r: Reading, knows: Knows, { options }: Judging): ReadonlyArray<Left> => {
  const lasts = r.header.agents.map((_, y) => lastOf(r, y))
  return effects(r)
    .filter(
      ({ fact, cta }) =>
        !r.header.agents.some(
          (a, y) =>
            a.cta === cta &&
            fact >= 0 &&
            lasts[y]!.some((last) => knows(last, options.strict ? 'firm' : 'order', fact)),
        ),
    )
    .map(({ at, cta }) => left(r, ctaOf(r, at) === cta ? 'U2' : 'K1', at, cta))
}

/** K4: an access of an agent, or of an operation as its issue knows, and an allocation for the pair. */
export const unstarted = (r: Reading, knows: Knows): ReadonlyArray<Left> => {
  const tells = (from: number, cta: number): boolean =>
    r.header.agents.some((a, y) => a.cta === cta && r.programs[y]!.some((i) => knows(from, 'order', i)))
  const reaches = (at: number, from: number, cta: number): ReadonlyArray<Left> =>
    cta === ctaOf(r, at) || tells(from, cta) ? [] : [left(r, 'K4', at, cta)]
  return [
    ...r.touches.flatMap((t) => {
      const { space, cta } = r.header.planes[t.access.footprint.plane]!
      return space === 'smem' || space === 'tmem' ? reaches(t.at, t.operation?.at ?? t.at, cta ?? 0) : []
    }),
    ...r.log.flatMap((e, at) =>
      e._tag === 'alloc' && e.ctaGroup === 2
        ? reaches(at, at, (r.header.planes[e.footprint.plane]?.cta ?? 0) ^ 1)
        : [],
    ),
  ]
}

/** K2: of a CTA no agent has come. */
export const absent = (r: Reading): ReadonlyArray<Left> =>
  r.meetings
    .filter((m) => m.short && m.key.startsWith('cluster'))
    .flatMap((m) => {
      const first = m.arrivals[0]!
      const came = m.arrivals.map((at) => ctaOf(r, at))
      const cluster = clusterOf(r.header, ctaOf(r, first))
      const all = r.header.agents.filter((a) => a.starts && clusterOf(r.header, a.cta) === cluster)
      return all.every((a) => came.includes(a.cta)) ? [] : [left(r, 'K2', first, m.number)]
    })

// ---------------------------------------------------------------- barriers

/** B7 and B9: used outside its life, or by an agent that does not know its life has begun. */
export const lives = (r: Reading, knows: Knows, { has }: Judging): ReadonlyArray<Left> =>
  r.histories.flatMap((h, barrier) =>
    h.uses.flatMap(({ at, init, live, kind }) => {
      const b7 = has('life') ? [left(r, 'B7', at, barrier)] : []
      if (kind === 'init') return live ? b7 : []
      // a wait is asked what it knew before it passed
      if (!live || !knows(at, kind === 'wait' ? 'before' : 'order', init)) return b7
      const from = operationOf(r, at)?.at ?? at
      const told = knows(from, 'generic', init) || knows(from, 'inits', init)
      return ctaOf(r, at) === ctaOf(r, init) || told || !has('life-told') ? [] : [left(r, 'B9', at, barrier)]
    }),
  )

/** P6: a unit that reaches memory through the asynchronous proxy signals a barrier whose initialisation no fence shows it. */
export const unshown = (r: Reading, knows: Knows): ReadonlyArray<Left> =>
  publishesBarriers(r.header.fences)
    ? []
    : r.histories.flatMap((h, barrier) =>
        h.uses.flatMap(({ at, init, live }) => {
          const operation = operationOf(r, at)
          if (operation === undefined || !live || units[operation.issue.unit].proxy !== 'async') return []
          const from = operation.at
          const isShown =
            !knows(at, 'order', init) ||
            knows(from, 'inits', init) ||
            isCovered(r, knows, from, r.header.barriers[barrier]!.plane, init)
          return isShown ? [] : [left(r, 'P6', at, barrier)]
        }),
      )

/** B7: invalidated while an event of it, or a wait, is not known. */
export const invalidated = (r: Reading, knows: Knows): ReadonlyArray<Left> =>
  r.histories.flatMap((h, barrier) =>
    h.ends
      .filter((end) => end.at < r.log.length)
      .flatMap((end) => {
        const last = h.phases.find((p) => p.number === end.current.number - 1 && p.base === end.current.base)
        const waits = h.observations.filter((o) => o.observed === end.current.number - 1 && o.at < end.at)
        const open = [
          ...end.current.events.map((e) => eventFact(r, e)),
          ...(last?.events ?? []).map((e) => eventFact(r, e)),
          ...waits.map((o) => o.at),
        ]
        return open.every((fact) => knows(end.at, 'order', fact)) ? [] : [left(r, 'B7', end.at, barrier)]
      }),
  )

const barrierBytes = 8
const overlaps = (r: Reading, t: Touch, barrier: number): boolean => {
  const { plane, address } = r.header.barriers[barrier]!
  return plane === t.access.footprint.plane && common(t.bytes, [[address, address + barrierBytes]]).length > 0
}

/** B7: the bytes of a barrier are its own while it lives. */
export const payload = (r: Reading, knows: Knows): ReadonlyArray<Left> =>
  r.touches.flatMap((t) =>
    r.header.barriers.flatMap((_, barrier) => {
      if (!overlaps(r, t, barrier)) return []
      const life = r.histories[barrier]!.uses.filter((u) => u.kind === 'init' && u.at < t.at).at(-1)
      if (life === undefined) return []
      const over = r.histories[barrier]!.ends.some((end) => end.at > life.at && end.at < t.at)
      return over && knows(t.at, 'order', life.at) ? [] : [left(r, 'B7', t.at, barrier)]
    }),
  )

/** B2 and B4: more than a phase counts. */
export const excess = (r: Reading): ReadonlyArray<Left> =>
  r.histories.flatMap((h, barrier) => h.excess.map(({ at, id }) => left(r, id, at, barrier)))

/** B2 of the cluster barrier: an agent that leaves has not come. */
const uncalled = (r: Reading): ReadonlyArray<Left> =>
  r.log.flatMap((e, at) =>
    e._tag === 'rendezvous' &&
    e.kind === 'leave' &&
    e.id >= clusterBarriers &&
    !r.meetings.some((m) => m.leaves.includes(at))
      ? [left(r, 'B2', at, 0)]
      : [],
  )

/** B2 of named barriers: too many threads, counted differently, or an agent that comes twice; or leaves and has not come. */
export const miscounted = (r: Reading): ReadonlyArray<Left> => [
  ...uncalled(r),
  ...r.meetings.flatMap((m) => {
    const come = m.arrivals.flatMap((at) => {
      const e = r.log[at]!
      return e._tag === 'rendezvous' ? [{ at, e }] : []
    })
    return come.flatMap(({ at, e }, k) => {
      const threads = come.slice(0, k + 1).reduce((n, x) => n + x.e.threads, 0)
      const again =
        e.id >= clusterBarriers &&
        r.meetings.some(
          (n) =>
            n.key === m.key &&
            n.arrivals.some(
              (i) =>
                i < at &&
                stampAt(r, i)?.agent === e.stamp.agent &&
                !n.leaves.some((l) => l < at && stampAt(r, l)?.agent === e.stamp.agent),
            ),
        )
      return threads > e.count || come[0]!.e.count !== e.count || again ? [left(r, 'B2', at, m.number)] : []
    })
  }),
]

/**
 * How many phases of a life an agent has seen before an event: what each of its warps has, in any agent that it is part of (a thread that parts
 * into its warps and meets again has seen what all of them have).
 */
const seenBy = (r: Reading, h: History, base: number, agent: number, at: number): number => {
  const own = (x: number): number =>
    h.observations.reduce(
      (n, o) => (o.at < at && o.base === base && o.wait.stamp.agent === x ? Math.max(n, o.observed + 1) : n),
      base,
    )
  const { cta, warps, firstWarp } = r.header.agents[agent]!
  if (firstWarp === undefined) return own(agent)
  const parts = Array.from({ length: warps }, (_, w) =>
    r.header.agents.flatMap((y, x) => {
      const from = y.firstWarp ?? Infinity
      return y.cta === cta && from <= firstWarp + w && firstWarp + w < from + y.warps ? [own(x)] : []
    }),
  )
  return Math.max(own(agent), least(Infinity)(parts.map(greatest(base))))
}

/** B8 and U1, which Pallas asks of its barriers. */
export const contracts = (r: Reading, over: boolean): ReadonlyArray<Left> =>
  r.histories.flatMap((h, barrier) => {
    if (r.header.barriers[barrier]!.contract !== 'pallas') return []
    const skipped = h.observations.filter((o) => seenBy(r, h, o.base, o.wait.stamp.agent, o.at) < o.observed)
    const lives = h.ends.filter((end) => end.live && (over || end.at < r.log.length))
    return [
      ...skipped.map((o) => left(r, 'B8', o.at, barrier)),
      ...lives.flatMap((end) => {
        const of = h.observations.filter((o) => o.base === end.current.base && o.at < end.at)
        const all = greatest(end.current.base)(of.map((o) => o.observed + 1))
        const late = of.filter((o) => seenBy(r, h, o.base, o.wait.stamp.agent, end.at) < all)
        const begun = end.bytes !== 0 || end.current.events.some((at) => isArrive(r, at))
        const from = end.at < r.log.length ? end.at : end.current.init
        const reused = isReused(r, barrier, end.at)
        return [
          ...late.map((o) => left(r, 'B8', o.at, barrier)),
          // a life that is over can be told of at once only if its storage is used again
          ...((over || reused) && (begun || end.current.number > all)
            ? [left(r, 'U1', from, barrier, reused)]
            : []),
        ]
      }),
    ]
  })
/** Behind the end of its life, the barrier is initialised again or its bytes are touched. */
const isReused = (r: Reading, barrier: number, end: number): boolean =>
  r.histories[barrier]!.uses.some((u) => u.at > end && u.kind === 'init') ||
  r.touches.some((t) => t.at > end && overlaps(r, t, barrier))
const isArrive = (r: Reading, at: number): boolean => {
  const e = r.log[at]!
  return (
    (e._tag === 'barrier' && (e.kind === 'arrive' || e.kind === 'drop')) ||
    (e._tag === 'signal' && e.to === 'arrive')
  )
}

// ---------------------------------------------------------------- outputs

/** O1: bytes of outputs without a write, over all clusters. Gives their planes. */
export const unwritten = (all: ReadonlyArray<Reading>): ReadonlyArray<number> =>
  (all[0]?.header.planes ?? []).flatMap((plane, p) => {
    if (plane.output !== true) return []
    const writes = all.flatMap((r) =>
      r.touches.filter((t) => t.access.rw === 'w' && t.access.footprint.plane === p),
    )
    const missing = writes.reduce<Bytes>((bytes, t) => without(bytes, t.bytes), [[0, plane.bytes]])
    return missing.length > 0 ? [p] : []
  })
