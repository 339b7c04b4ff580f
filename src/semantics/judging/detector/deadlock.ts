/**
 * Who waits for whom when nothing moves.
 *
 * A blocked agent waits for a generation of a barrier. Which agents could supply it is known in two ways. A run says what stands behind the waits
 * that are blocked (`ahead` in the log): that supply is sure to be held back. Else there is only what happened before: agents that arrived there
 * earlier, and first those that have not done so in the generation under way. An agent that forked others waits for those of
 * them that are blocked; one that has ended its branch could supply something once its parent forks it again, so its parent stands for it.
 *
 *     compute@0   waits for bytes in load      copies@1 has not sent its half, and has ended its branch
 *     parent@1    waits for its branches       late@1 is one of them, and blocked
 *     late@1      waits for store_done         epilogue@0 has arrived there before
 *     epilogue@0  waits for mma_done           compute@0 has arrived there before: the cycle is closed
 *
 * An edge goes from a blocked agent to each supplier that is itself blocked; a cycle of such edges is
 * the deadlock, and comes first in the list, in its order. A wait that has no supplier ends the search: it is the cause. In a cycle the wait
 * that was overrun comes first: the others would have been supplied. A cycle all of whose edges are sure stands in the finding's text:
 *
 *     T0   wait pong 0      arrive ping           T0 waits for `arrive pong`, which stands behind `wait ping` of T1, and T1 for `arrive ping`,
 *     T1   wait ping 0      arrive pong           which stands behind `wait pong` of T0
 *
 * A barrier that is not there has no generation to wait for, and nothing can be said of its arrivals: B7, before anything else.
 *
 * Laws
 * 1. Every agent with a blocked event is in the list, once.
 * 2. A parent is in the list iff a branch of its open fork is.
 */
import { agentsText } from '../agent-names.js'
import type { Blocked, Supply } from '../finding.js'
import type { BlockingId } from '../hazards.js'
import { ofBarrier, ofGroup, type Subject } from '../subject.js'
import { waitedFor } from '../../log/comparison.js'
import type { Ahead, Family, LoggedAgent, Rendezvous, Stamp } from '../../log/events.js'
import type { BarrierState } from './barriers.js'
import {
  absence,
  deadlockId,
  isPartly,
  lacking,
  lastAnnouncement,
  lastArrival,
  lifeOver,
  wantedBy,
} from './barriers.js'
import type { Context } from './context.js'
import type { Contribution } from './generation.js'
import type { NamedBarriers } from './rendezvous.js'
import { missingMembers, namedBarrier } from './rendezvous.js'
import {
  actor,
  agentName,
  barrierName,
  draft,
  file,
  held,
  operation,
  siteName,
  where,
  type Actor,
} from './report.js'
import type { Lacking } from './semaphore-state.js'

export interface Blockage {
  readonly stamp: Stamp
  /** -1 unless it waits for an mbarrier */
  readonly barrier: number
  /** the parity of that wait */
  readonly parity: number
  readonly named: Rendezvous | undefined
  readonly family: Family | undefined
  /** agents that have not closed the groups that it waits for, beside its own */
  readonly behind?: ReadonlyArray<number>
  /** what a semaphore, or the register file, has and would need */
  readonly lacking: Lacking | undefined
}

/** What a blocked wait is for. */
const awaited = (c: Context, named: NamedBarriers, b: Blockage): ReadonlyArray<Subject> => {
  if (b.barrier >= 0) return [ofBarrier(b.barrier)]
  if (b.named !== undefined) return [namedBarrier(c, named, b.named).subject]
  return b.family === undefined ? [] : [ofGroup(b.family)]
}

const members = (mask: Uint8Array): ReadonlyArray<number> => {
  const out: Array<number> = []
  mask.forEach((set, x) => {
    if (set === 1) out.push(x)
  })
  return out
}

interface Edge {
  readonly blockage: Blockage
  readonly waitsFor: string
  readonly suppliers: ReadonlyArray<number>
  /** what stands behind other blocked waits, or behind this one, and would supply it */
  readonly ahead: ReadonlyArray<Ahead>
}

/** What the log shows of one that is blocked, by what happened before. */
const past = (
  c: Context,
  barriers: ReadonlyArray<BarrierState>,
  named: NamedBarriers,
  b: Blockage,
): Omit<Edge, 'ahead'> => {
  if (b.named !== undefined) {
    const n = namedBarrier(c, named, b.named)
    // who has not come to the barrier of a cluster is known by name, unless it has ended
    const absent = n.place < 0 ? [] : missingMembers(c, n).filter((x) => !c.agents[x]!.exited)
    const missing = `${n.label} generation ${String(n.number)}: ${String(b.named.count - n.threads)} of ${String(b.named.count)} threads missing`
    return {
      blockage: b,
      waitsFor:
        absent.length === 0
          ? missing
          : `${missing} (${absent.map((x) => agentName(c.header, x)).join(', ')})`,
      suppliers: n.place < 0 ? members(n.arrivers).filter((x) => x !== b.stamp.agent) : absent,
    }
  }
  if (b.lacking !== undefined) {
    const { label, before, value, until, signallers } = b.lacking
    return {
      blockage: b,
      waitsFor:
        until === null
          ? `${label}: has ${String(before)} of ${String(value)}, ${String(value - before)} missing`
          : `${label}, which is ${String(before)}, until ${waitedFor(until, value)}`,
      suppliers: signallers,
    }
  }
  if (b.family !== undefined && b.behind !== undefined && b.behind.length > 0)
    return {
      blockage: b,
      waitsFor: `the ${b.family} group of ${b.behind.map((x) => agentName(c.header, x)).join(', ')}`,
      suppliers: b.behind.filter((x) => !c.agents[x]!.exited),
    }
  if (b.family !== undefined)
    return { blockage: b, waitsFor: `its ${b.family} group`, suppliers: [b.stamp.agent] }
  const s = barriers[b.barrier]!
  if (!s.live) return { blockage: b, waitsFor: absence(c, s), suppliers: [] }
  const before = members(s.arrivers)
  const others = before.filter((x) => x !== b.stamp.agent)
  const came = s.current.events.map((e) => e.stamp.agent)
  const suppliers = [...others.filter((x) => !came.includes(x)), ...others.filter((x) => came.includes(x))]
  return { blockage: b, waitsFor: lacking(c, s), suppliers: others.length > 0 ? suppliers : before }
}

/** Agents that have come to the barrier that one waits at, and wait there too: none of them ends that wait. */
const alongside = (
  c: Context,
  named: NamedBarriers,
  b: Blockage,
  blocked: ReadonlyArray<Blockage>,
): ReadonlyArray<number> => {
  if (b.named === undefined) return []
  const here = namedBarrier(c, named, b.named)
  return blocked.flatMap((other) =>
    other.named !== undefined && namedBarrier(c, named, other.named) === here ? [other.stamp.agent] : [],
  )
}

/** Those that are sure to be held back come before those that only have been there; an agent helps itself if no other does. */
const edgeOf = (
  c: Context,
  barriers: ReadonlyArray<BarrierState>,
  named: NamedBarriers,
  b: Blockage,
  all: ReadonlyArray<Ahead>,
  blocked: ReadonlyArray<Blockage>,
): Edge => {
  const met = alongside(c, named, b, blocked)
  const { blockage, waitsFor, suppliers: known } = past(c, barriers, named, b)
  const suppliers = known.filter((x) => !met.includes(x))
  const help = all.filter((x) => x.helps === b.stamp.agent && !met.includes(x.behind))
  const others = help.filter((x) => x.behind !== b.stamp.agent)
  const ahead = others.length > 0 || suppliers.some((x) => x !== b.stamp.agent) ? others : help
  const sure = ahead.map((x) => x.behind)
  return {
    blockage,
    waitsFor,
    suppliers: [
      ...sure,
      ...suppliers.filter((x) => !sure.includes(x) && (x !== b.stamp.agent || sure.length === 0)),
    ],
    ahead,
  }
}

/** Parents that cannot join: a branch of theirs is blocked. */
const joins = (c: Context, blocked: ReadonlyArray<Blockage>): ReadonlyArray<Edge> =>
  c.agents.flatMap((a, x) => {
    const open = a.forked
    if (open === undefined || blocked.some((b) => b.stamp.agent === x)) return []
    const stuck = open.children.filter((k) => k !== x && blocked.some((b) => b.stamp.agent === k))
    if (stuck.length === 0) return []
    const blockage: Blockage = {
      stamp: open.stamp,
      barrier: -1,
      parity: 0,
      named: undefined,
      family: undefined,
      lacking: undefined,
    }
    return [{ blockage, waitsFor: 'its branches to end', suppliers: stuck, ahead: [] }]
  })

/** An agent that is not in a wait of its own waits for its branches. */
const isJoin = ({ blockage: b }: Edge): boolean =>
  b.barrier < 0 && b.named === undefined && b.family === undefined && b.lacking === undefined

/** Follows first blocked suppliers from each agent; the first cycle found, or []. */
const cycle = (c: Context, edges: ReadonlyArray<Edge>): ReadonlyArray<Edge> => {
  const edge = (agent: number): Edge | undefined => edges.find((e) => e.blockage.stamp.agent === agent)
  const of = (agent: number): Edge | undefined => edge(agent) ?? edge(c.agents[agent]!.parent)
  const done: Array<Edge> = []
  const visit = (path: ReadonlyArray<Edge>, e: Edge): ReadonlyArray<Edge> => {
    const at = path.indexOf(e)
    if (at >= 0) return path.slice(at)
    if (done.includes(e)) return []
    for (const s of e.suppliers) {
      const next = of(s)
      if (next === undefined) continue
      const found = visit([...path, e], next)
      if (found.length > 0) return found
    }
    done.push(e)
    return []
  }
  for (const e of edges) {
    const found = visit([], e)
    if (found.length > 0) return found
  }
  return []
}

/** The cycle in words, if each of its edges is sure; '' else. */
const circle = (c: Context, round: ReadonlyArray<Edge>): string => {
  const links = round.map((e, i) => {
    const next = round[(i + 1) % round.length]!
    const { agent } = next.blockage.stamp
    const held = e.ahead.find((x) => x.behind === agent)
    const who = agentName(c.header, e.blockage.stamp.agent)
    if (held !== undefined)
      return `${who} waits for ${where(c.header, held.stamp)}, which comes after ${where(c.header, next.blockage.stamp)}`
    return isJoin(e) ? `${who} waits for its branch ${agentName(c.header, agent)} to end` : null
  })
  return links.length === 0 || links.includes(null) ? '' : `; a cycle: ${links.join('; ')}`
}

/** Of an agent that is one warp and is called so. */
const warpOf = (a: LoggedAgent | undefined): Blocked['warp'] =>
  a?.firstWarp === undefined || a.name !== `warp ${String(a.firstWarp)}`
    ? null
    : { number: a.firstWarp, cta: a.cta }

/** What would end a wait, as something to do. Bytes that nothing has expected lack the arrive that expects them. */
const actOf = (c: Context, named: NamedBarriers, b: Blockage, bytes: number): string => {
  if (b.named !== undefined) return `arrive on ${namedBarrier(c, named, b.named).label}`
  if (b.lacking !== undefined) return `signal ${b.lacking.label}`
  if (b.family !== undefined) return `complete the ${b.family} group`
  if (b.barrier < 0) return 'end its branch'
  const arrive = `arrive on ${barrierName(c.header, b.barrier)}`
  return bytes < 0 ? `${arrive} and expect ${String(-bytes)} bytes` : arrive
}

/** Statements that never come, each with the agents that would run it. */
const aheadText = ({ header }: Context, { ahead }: Pick<Edge, 'ahead'>): ReadonlyArray<string> => {
  const agents = new Map<string, string[]>()
  for (const { stamp } of ahead) {
    const site = siteName(header, stamp)
    agents.set(site, [...(agents.get(site) ?? []), agentName(header, stamp.agent)])
  }
  return [...agents].map(([site, names]) => `${agentsText(names)} ${site}`)
}

/** `bytes`: that its barrier still lacks; `round`: the other waits of a cycle that it is in. */
const supplyOf = (
  c: Context,
  named: NamedBarriers,
  edge: Edge,
  bytes: number,
  round: ReadonlyArray<Edge>,
): Supply => ({
  act: actOf(c, named, edge.blockage, bytes),
  suppliers: edge.suppliers.map((x) => agentName(c.header, x)),
  ahead: aheadText(c, edge),
  bytes,
  round: round
    .filter((e) => e !== edge)
    .map(
      (e) => `\`${siteName(c.header, e.blockage.stamp)}\` of ${agentName(c.header, e.blockage.stamp.agent)}`,
    ),
})

/** Why nothing ends a wait: what holds back those that could, or that there are none. */
const supplyText = (c: Context, { suppliers, ahead }: Edge, edges: ReadonlyArray<Edge>): string => {
  if (suppliers.length === 0) return 'no agent signals it in this run'
  const [held] = ahead
  if (held !== undefined)
    return `${where(c.header, held.stamp)} would signal it, after a wait of ${agentName(c.header, held.behind)} that is blocked`
  const [first] = suppliers
  const stands = edges.some((e) => e.blockage.stamp.agent === first)
  const more = suppliers.length > 1 ? `, like ${String(suppliers.length - 1)} more` : ''
  return `${agentName(c.header, first!)} has signalled it before, and ${stands ? 'is blocked' : 'has ended'}${more}`
}

/** Files the deadlock: the list of blocked agents, and one finding B1, B4, B5, B6 or B7. */
export const deadlock = (
  c: Context,
  barriers: ReadonlyArray<BarrierState>,
  named: NamedBarriers,
  blocked: ReadonlyArray<Blockage>,
  ahead: ReadonlyArray<Ahead>,
  worked: Uint8Array,
): void => {
  const edges = [...blocked.map((b) => edgeOf(c, barriers, named, b, ahead, blocked)), ...joins(c, blocked)]
  const nothingDone = blocked.every((b) => worked[b.stamp.agent] === 0)
  const idOf = (e: Edge): BlockingId => {
    const { barrier, parity, stamp } = e.blockage
    if (barrier < 0) return 'B5'
    const b = barriers[barrier]!
    return deadlockId(b, wantedBy(c, b, stamp.agent), parity, nothingDone)
  }
  const found = cycle(c, edges)
  const late = Math.max(
    0,
    found.findIndex((e) => idOf(e) === 'B1'),
  )
  const round = [...found.slice(late), ...found.slice(0, late)]
  const rest = edges.filter((e) => !round.includes(e))
  // a barrier that is not there explains the others, and so does a wait that has no supplier
  const gone = rest.filter((e) => idOf(e) === 'B7')
  const orphans = rest.filter((e) => e.suppliers.length === 0 && !gone.includes(e))
  const ordered = [
    ...gone,
    ...round,
    ...orphans,
    ...rest.filter((e) => !orphans.includes(e) && !gone.includes(e)),
  ]
  for (const e of ordered) {
    const item: Blocked = {
      agent: agentName(c.header, e.blockage.stamp.agent),
      warp: warpOf(c.header.agents[e.blockage.stamp.agent]),
      operation: operation(c.header, held(e.blockage.stamp)),
      waitsFor: e.waitsFor,
      about: awaited(c, named, e.blockage),
      suppliers: e.suppliers.map((x) => agentName(c.header, x)),
      ahead: aheadText(c, e),
    }
    c.report.deadlock.push(item)
  }
  // a wait that was overrun, bytes that do not add up, bytes that no expectTx announced, and a count that was not reached explain the others
  const isB =
    (id: BlockingId) =>
    (e: Edge): boolean =>
      idOf(e) === id
  const unannounced = (e: Edge): boolean => e.blockage.barrier >= 0 && barriers[e.blockage.barrier]!.bytes < 0
  const first =
    ordered.find(isB('B7')) ??
    ordered.find(isB('B1')) ??
    ordered.find(isB('B4')) ??
    ordered.find(unannounced) ??
    ordered.find((e) => e.blockage.barrier >= 0 && isPartly(barriers[e.blockage.barrier]!)) ??
    ordered[0]
  if (first === undefined) return
  const id = idOf(first)
  const { barrier, stamp } = first.blockage
  const waits = held(stamp)
  const text = `deadlock: ${agentName(c.header, stamp.agent)} waits for ${first.waitsFor}`
  const about = awaited(c, named, first.blockage)
  const given = id === 'B7' ? barriers[barrier]!.ended : undefined
  if (given !== undefined) {
    file(c.report, 'deadlock', () =>
      draft(id, 'E', text, about, actor(given, lifeOver(c, barriers[barrier]!)), waits),
    )
    return
  }
  const wanted = barrier < 0 ? 0 : wantedBy(c, barriers[barrier]!, stamp.agent)
  const by = barrier < 0 ? undefined : explaining(c, id, barriers[barrier]!, first)
  file(c.report, 'deadlock', () =>
    Object.assign(
      draft(
        id,
        'E',
        `${text}${because(id, wanted)}${round[0] === first ? circle(c, round) : ''}`,
        about,
        waits,
        by,
        undefined,
        id === 'B5' || id === 'B6' ? supplyText(c, first, edges) : undefined,
      ),
      {
        supply: supplyOf(
          c,
          named,
          first,
          barrier < 0 ? 0 : barriers[barrier]!.bytes,
          round.filter((e) => idOf(e) === id),
        ),
      },
    ),
  )
}

/**
 * What beside the wait explains why it never ends: who overran it, who announced bytes that do not add up, who chose a count that does not; and where nothing supplies it,
 * a product that no commit covers.
 */
const explaining = (c: Context, id: BlockingId, b: BarrierState, of: Edge): Actor | undefined => {
  if (id === 'B1') return ofContribution(lastArrival(b))
  if (id === 'B4') return ofContribution(lastAnnouncement(b))
  if (b.init !== undefined && isPartly(b))
    return actor(b.init, `initialises ${barrierName(c.header, b.index)}, to count ${String(b.count)}`)
  const { cta } = c.header.agents[of.blockage.stamp.agent]!
  const stamp = c.agents.find(
    (a, x) => a.uncommitted !== undefined && c.header.agents[x]!.cta === cta,
  )?.uncommitted
  return stamp === undefined || of.suppliers.length > 0
    ? undefined
    : actor(stamp, 'issues what no commit covers')
}

const ofContribution = (e: Contribution | undefined): Actor | undefined =>
  e === undefined ? undefined : actor(e.stamp, e.does)

/** `wanted`: the generation that the waiter has not seen yet. */
const because = (id: BlockingId, wanted: number): string =>
  id === 'B1'
    ? `; it waits for generation ${String(wanted)}, but that generation and the next are complete, so the parity is the same again`
    : ''
