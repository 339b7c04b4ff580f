/**
 * Strands: lanes of one warp that know the same.
 *
 * A warp is one agent, and its lanes are threads. They begin as one strand. What only some of them acquire (a wait by lane 0 alone, a fence by half of them) parts these
 * from the others; bar.warp.sync, and a barrier that all of them wait for, make them one again. Within a strand each lane knows what all lanes of it have acquired, itself
 * up to now, and the other lanes of the warp as far as `together` says (`knowledge.ts`).
 *
 *     all lanes: wait full        one strand { 0..31 }
 *     lane 0:    wait empty       { 0 } knows more than { 1..31 }
 *     bar.warp.sync               { 0..31 }, and each lane knows what every other did before
 *
 * What a strand tells when some of its lanes release: all that it knows of other agents; of its own warp the lanes that release up to now, and the others as far as these
 * know them. A lane that has done nothing since then lags behind nothing, so one elected lane behind a bar.warp.sync tells what all of them did.
 *
 * Laws
 * 1. The strands of an agent are disjoint, and their lanes are all lanes.
 * 2. `meetLanes` of lanes that know the same and have done nothing since they met changes nothing.
 * 3. To part strands changes nothing that any lane knows.
 *
 * Source: PTX ISA, memory consistency model: program order, base causality order; bar.warp.sync.
 */
import { greatest } from '../../../greatest.js'
import { allLanes, lastOf, type Activity } from './activity.js'
import { width } from './clocks.js'
import {
  advance,
  advanceOrder,
  clockOf,
  commonOf,
  copy,
  join,
  joinVector,
  meetVector,
  pacedIn,
  programOf,
  telling,
  withLags,
  type Knowledge,
  type Together,
  type Vector,
} from './knowledge.js'
import { withExchange, type Exchange } from './exchanges.js'
import * as Pace from './pace.js'
import type { Rules } from './rules.js'
import type { Lag, Paced } from './pace.js'
import { copyOf } from './sparse.js'

// ---------------------------------------------------------------- model

/** Lanes of a warp that know the same; of an agent that acts as one, all that it knows. */
export interface Strand {
  readonly lanes: number
  readonly knowledge: Knowledge
  /** tensor knowledge that before_thread_sync has released, and that which is received but not taken over */
  readonly published: Vector
  readonly received: Vector
}

/** What an agent knows, lane by lane. */
export interface Stranded {
  /** what the lanes that act know: those of the strand that they belong to */
  knowledge: Knowledge
  published: Vector
  received: Vector
  /** of a warp whose lanes do not all know the same: who knows what; null: all know it */
  strands: ReadonlyArray<Strand> | null
  /** the lanes that act */
  acting: number
  /** what each lane has done last */
  did: Activity
  /** the rules that it is judged by */
  readonly rules: Rules
  /** what lanes knew when they came to the barrier of the cluster, before the last of their warp did; null: none has */
  arrived: Knowledge | null
  /** they have come to the barrier of the cluster relaxed, and not left it yet */
  relaxed: boolean
}

// ---------------------------------------------------------------- what lanes keep from others

/** What a clock counts, by lane. */
const doneIn = (did: Activity, slot: number, lane: number): number => {
  switch (slot % width) {
    case 1:
    case 2:
      return lastOf(did.bulk, lane)
    case 4:
      return lastOf(did.copies, lane)
    case 11:
      return lastOf(did.attended, lane)
    default:
      return lastOf(did.accesses, lane)
  }
}

/** Of a strand with this knowledge what these lanes of it can say of all lanes of its warp. */
const sayOf = (did: Activity, k: Knowledge, lanes: number): Paced => {
  const { agent, paced: met } = k.together!
  const own = pacedIn(k, agent)
  if (lanes === allLanes) return own
  const news = Pace.laneSlots.filter(
    (s) => own.pace[s]! > met.pace[s]! || met.lags.some((l) => own.pace[s]! > l.pace[s]!),
  )
  if (news.length === 0) return own
  const out: Lag[] = []
  for (let lane = 0; lane < 32; lane++) {
    const bit = 1 << lane
    if ((lanes & bit) !== 0) continue
    const known = Pace.paceOf(met, lane)
    if (!news.some((s) => own.pace[s]! > known[s]! && doneIn(did, s, lane) > known[s]!)) continue
    const last = out[out.length - 1]
    if (last?.pace === known) out[out.length - 1] = { lanes: last.lanes | bit, pace: known }
    else out.push({ lanes: bit, pace: known })
  }
  const kept = Pace.lagsOnly(own.lags, lanes)
  return out.length === 0 && kept === own.lags ? own : { pace: own.pace, lags: [...kept, ...out] }
}

/** What a lane has done last of what is counted by the program counter. */
const lastStep = (did: Activity, lane: number): number =>
  greatest(0)(stepped.map((kind) => lastOf(did[kind], lane)))

/** Does each of these lanes know all that the others of its warp have done so far? */
export const knowsLanes = (did: Activity, { lanes, knowledge: { together } }: Strand): boolean =>
  Array.from({ length: 32 }, (_, lane) => lane).every((lane) => {
    const last = 1 << lane === lanes ? 0 : lastStep(did, lane)
    return (
      last === 0 ||
      (together !== null && ownSteps.every((s) => Pace.paceOf(together.paced, lane)[s]! >= last))
    )
  })

/** How far these lanes know the others that they have met, lane by lane: of what a lane has done no more than it has. A lane alone knows itself. */
export const metIn = (did: Activity, lanes: number, met: Paced): ReadonlyArray<string> =>
  Array.from({ length: 32 }, (_, lane) => {
    if (1 << lane === lanes) return ''
    const last = lastStep(did, lane)
    const known = Pace.paceOf(met, lane)
    return Pace.laneSlots.map((s) => (ownSteps.includes(s) ? Math.min(known[s]!, last) : known[s]!)).join()
  })
/** What is counted by the program counter. */
const stepped = ['accesses', 'attended', 'strong', 'told'] as const

/** What the lanes that act tell when they release. */
export const told = (a: Stranded): Knowledge => {
  const k = a.knowledge
  if (k.together === null || a.rules.noLags) return k
  const { agent } = k.together
  return telling(k, k.tensor, withLags(k.lags, agent, sayOf(a.did, k, a.acting).lags))
}

const countedBy = { copies: 'cpAsync', bulk: 'bulkFull', strong: 'program', told: 'program' } as const

/** Lanes other than these that have copies, or strong accesses, of this kind of which these do not know that they are done. */
export const othersWith = (
  a: Stranded,
  { together }: Knowledge,
  kind: keyof typeof countedBy,
  lanes: number,
): number => {
  if (together === null || lanes === allLanes || a.rules.allCopies) return 0
  const slot = Pace.slotNamed('order', countedBy[kind])
  let out = 0
  for (let lane = 0; lane < 32; lane++)
    if (((lanes >>> lane) & 1) === 0 && lastOf(a.did[kind], lane) > Pace.paceOf(together.paced, lane)[slot]!)
      out |= 1 << lane
  return out
}

// ---------------------------------------------------------------- who acts

const current = (a: Stranded): Strand => ({
  lanes: allLanes,
  knowledge: a.knowledge,
  published: a.published,
  received: a.received,
})

export const strandsOf = (a: Stranded): ReadonlyArray<Strand> => a.strands ?? [current(a)]

const installed = (a: Stranded, s: Strand): void => {
  a.knowledge = s.knowledge
  a.published = s.published
  a.received = s.received
}

/** These lanes act, at this point of their program. Where they do not know the same, they rely on what all of them know. */
export const act = (a: Stranded, agent: number, lanes: number, at: number): void => {
  a.acting = lanes
  if (a.strands !== null) {
    const those = a.strands.filter((s) => (s.lanes & lanes) !== 0)
    const [first] = those
    if (first === undefined) return
    if (those.length > 1) {
      for (const s of those) counted(s.knowledge, agent, at)
      installed(a, {
        lanes,
        knowledge: a.rules.jointLanes
          ? jointOf(those)
          : those.slice(1).reduce((k, s) => commonOf(k, s.knowledge), first.knowledge),
        published: those.slice(1).reduce((v, s) => meetVector(v, s.published), first.published),
        received: those.slice(1).reduce((v, s) => meetVector(v, s.received), first.received),
      })
    } else installed(a, first)
  }
  a.knowledge.together ??= strangers(agent)
}

/** All that any of them knows. */
const jointOf = (those: ReadonlyArray<Strand>): Knowledge => {
  const k = copy(those[0]!.knowledge)
  for (const s of those.slice(1)) join(k, s.knowledge)
  return k
}

/** Of each strand of the lanes that act what `f` makes of it alone. */
export const eachActing = (a: Stranded, f: () => void): void => {
  const { acting, strands } = a
  if (strands === null || strands.some((s) => (acting & ~s.lanes) === 0)) {
    f()
    return
  }
  const all = current(a)
  for (const s of strands) {
    if ((s.lanes & acting) === 0) continue
    installed(a, s)
    a.acting = acting & s.lanes
    f()
  }
  installed(a, all)
  a.acting = acting
}

/** The warp's own program counter, in what it knows. */
export const counted = (k: Knowledge, agent: number, at: number): void => {
  advanceOrder(k, programOf(agent), at)
  advance(k.visible.counters, programOf(agent), at)
  const own = k.lags?.get(agent)
  if (own !== undefined) k.lags = withLags(k.lags, agent, Pace.raised(own, ownSteps, at))
}

/** A lane knows its own steps, whatever else of it is behind. */
const ownSteps = [Pace.slotNamed('order', 'program'), Pace.slotNamed('visible', 'program'), Pace.attendedSlot]

// ---------------------------------------------------------------- parting and meeting

const strangers = (agent: number): Together => ({ agent, paced: Pace.standing, exchanges: [] })

const togetherAt = (before: Together | null, agent: number, paced: Paced): Together => ({
  agent,
  paced,
  exchanges: before?.exchanges ?? [],
})

/** Lanes have given to one another what they had, and their waits are over. */
export const exchange = (a: Stranded, agent: number, x: Exchange): void => {
  awaited(a, agent, x.lanes)
  for (const { knowledge: k } of strandsOf(a)) {
    const { paced, exchanges } = k.together ?? strangers(agent)
    k.together = { agent, paced, exchanges: withExchange(exchanges, x) }
  }
}

const awaited = (a: Stranded, agent: number, lanes: number): void => {
  const known = a.knowledge.together?.paced ?? Pace.standing
  let last = 0
  for (let lane = 0; lane < 32; lane++)
    if (((lanes >>> lane) & 1) === 1) last = Math.max(last, lastOf(a.did.attended, lane))
  if (a.strands === null && Pace.reaches(known, lanes, Pace.attendedSlot, last)) return
  partLanes(a, lanes)
  for (const { lanes: own, knowledge: k } of strandsOf(a)) {
    if ((own & ~lanes) !== 0) continue
    advanceOrder(k, clockOf('attended', agent), last)
    const { paced, exchanges } = k.together ?? strangers(agent)
    k.together = { agent, paced: Pace.raisedOf(paced, lanes, Pace.attendedSlot, last), exchanges }
  }
}

/** These lanes will learn something that the others do not. */
export const partLanes = (a: Stranded, lanes: number): void => {
  const before = strandsOf(a)
  const after = before.flatMap((s): ReadonlyArray<Strand> => {
    const inside = s.lanes & lanes
    if (inside === 0 || inside === s.lanes) return [s]
    return [
      { lanes: inside, knowledge: s.knowledge, published: s.published, received: s.received },
      {
        lanes: s.lanes & ~lanes,
        knowledge: copy(s.knowledge),
        published: copyOf(s.published),
        received: copyOf(s.received),
      },
    ]
  })
  if (after.length !== before.length) a.strands = after
}

/** These lanes meet: each knows from now on what any of them knew, and all that they did before this point of their program. */
export const meetLanes = (a: Stranded, agent: number, lanes: number, before: number): void => {
  if (a.strands === null && lanes === allLanes) {
    counted(a.knowledge, agent, before)
    a.knowledge.together = togetherAt(a.knowledge.together, agent, pacedIn(a.knowledge, agent))
    return
  }
  partLanes(a, lanes)
  const all = strandsOf(a)
  const those = all.filter((s) => (s.lanes & lanes) !== 0)
  const [first] = those
  if (first === undefined) return
  for (const s of those) {
    s.knowledge.together ??= strangers(agent)
    counted(s.knowledge, agent, before)
  }
  const joint = those.map((s) => sayOf(a.did, s.knowledge, s.lanes)).reduce((x, y) => Pace.join(x, y))
  const { knowledge, published, received } = first
  for (const s of those.slice(1)) {
    join(knowledge, s.knowledge)
    joinVector(published, s.published)
    joinVector(received, s.received)
  }
  knowledge.lags = withLags(knowledge.lags, agent, Pace.lagsOnly(joint.lags, lanes))
  knowledge.together = togetherAt(knowledge.together, agent, joint)
  const one: Strand = { lanes, knowledge, published, received }
  const others = all.filter((s) => !those.includes(s))
  a.strands = others.length === 0 ? null : [...others, one]
  if (others.length === 0) installed(a, one)
}
