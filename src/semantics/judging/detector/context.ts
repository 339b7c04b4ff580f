/**
 * What the parts of the detector share: the header, and per agent its knowledge and its counters.
 *
 * All of it belongs to one fold and is updated in place. Counters number what an agent issues: bulk and wgmma groups by their
 * commits, cp.async copies (a group is then a prefix of them), entries of the tensor queue, tensor-memory loads and stores.
 *
 * Law 1. A group wait with `pending` = p after c commits covers groups 1 .. c - p.
 */
import type { Footprint, Header, Stamp } from '../../log/events.js'
import { clusterOf } from '../../log/events.js'
import { between } from '../../log/reach.js'
import type { Digest } from './digest.js'
import { digest } from './digest.js'
import { activity, allLanes } from './activity.js'
import type { Extent, Knowledge } from './knowledge.js'
import {
  forget,
  hearOfOwnLanes,
  joinOrder,
  joinSeen,
  joinVector,
  nothing,
  tensorNothing,
} from './knowledge.js'
import { lanesAt } from './lanes.js'
import { counted, eachActing, told, type Stranded } from './strands.js'
import type { TensorQueue } from './queue.js'
import { emptied, tensorQueue } from './queue.js'
import type { Report } from './report.js'
import { report } from './report.js'
import { standard, type Options, type Rules } from './rules.js'
import { clear } from './sparse.js'

// ---------------------------------------------------------------- model

/** Lanes have committed what they have issued up to this number. */
export interface Commit {
  readonly lanes: number
  readonly number: number
}
export interface Closed {
  bulk: ReadonlyArray<Commit>
  copies: ReadonlyArray<Commit>
}

/** Program counters of the first and the latest of some writes. */
export interface Stored {
  first: number
  last: number
}

/** Bytes of tensor maps, all if none are named, for readers that are no farther than this from the agents of a CTA. */
export interface MapRange {
  readonly bytes: Footprint | undefined
  readonly cta: number
  readonly reach: 1 | 2 | 3
}

export interface AgentState extends Stranded {
  bulkGroups: number
  wgmmaGroups: number
  copies: number
  /** number of copies at each cp.async commit */
  readonly copiesAtCommit: Array<number>
  /** of a warp: commits by its lanes, and the last number that each covers */
  readonly closed: Closed
  queue: number
  readonly tensorQueue: TensorQueue
  /** entries there of which it is not known that they are done: the lanes that have issued them, up to which number */
  queued: ReadonlyArray<Commit>
  /** its latest product or copy there that no commit covers */
  uncommitted: Stamp | undefined
  /** wgmma issued */
  products: number
  /** what it knew when it issued the last product of each of its latest groups, in their order */
  readonly issues: Array<{ readonly group: number; readonly knowledge: Knowledge }>
  loads: number
  stores: number
  /** last barrier waited for, -1 before the first */
  lastWait: number
  /** the generation that it observed there, counted from the barrier's initialisation: -1 on a fresh barrier */
  lastObserved: number
  /** fences since the last asynchronous issue or arrive that covered no write (`fences.ts`) */
  fences: number
  /** its own writes to shared memory of its CTA, and of other CTAs */
  readonly stored: Stored
  readonly storedAfar: Stored
  /** its last increment of a barrier */
  increment: number
  started: boolean
  exited: boolean
  /** the fork whose branches it has not joined yet */
  forked: { readonly stamp: Stamp; readonly children: ReadonlyArray<number> } | undefined
  /** who forked it last */
  parent: number
}

export interface Context {
  readonly header: Header
  readonly options: Options
  readonly extent: Extent
  readonly agents: ReadonlyArray<AgentState>
  readonly report: Report
  readonly digest: Digest
  /** who has ever taken part in a generation of a barrier: agents x barriers */
  readonly tookPart: Uint8Array
  /** agents that have accessed shared memory of another CTA */
  readonly guests: Set<number>
  /** what acquires of tensor maps were about, each once */
  readonly ranges: Array<MapRange>
  /** bytes of some of the lanes of accesses (`parting.ts`) */
  readonly pieces: Map<string, Footprint>
  /** position in the log */
  when: number
  /** a wait was spared by a test that is not a peek of it: what is found may be of this run alone */
  misled: boolean
  /** lanes of a warp that nothing orders have made strong accesses: the log has one of the orders in which they may come */
  lanesInTurn: boolean
  /** a wait could have passed on an earlier generation: what comes behind it in this run need not */
  passedEarly: boolean
  /** which generation an arrival joins is a matter of timing, and not of quiet generations alone; kept where that is asked for (`quiet.ts`) */
  restless: boolean
  /** something was read in this cluster that had not been written */
  early: boolean
  cluster: number
  /** atoms that accesses have looked at */
  looked: number
}

// ---------------------------------------------------------------- constructors

const noneStored = (): Stored => ({ first: Infinity, last: 0 })

export const agentState = (started: boolean, rules: Rules = standard): AgentState => ({
  rules,
  knowledge: nothing(),
  published: tensorNothing(),
  received: tensorNothing(),
  strands: null,
  acting: allLanes,
  did: activity(),
  arrived: null,
  relaxed: false,
  bulkGroups: 0,
  wgmmaGroups: 0,
  copies: 0,
  copiesAtCommit: [],
  closed: { bulk: [], copies: [] },
  queue: 0,
  tensorQueue: tensorQueue(),
  queued: [],
  uncommitted: undefined,
  products: 0,
  issues: [],
  loads: 0,
  stores: 0,
  lastWait: -1,
  lastObserved: -1,
  fences: 0,
  stored: noneStored(),
  storedAfar: noneStored(),
  increment: -1,
  started,
  exited: false,
  forked: undefined,
  parent: -1,
})

export const context = (header: Header, options: Options): Context => {
  const extent: Extent = { agents: header.agents.length, barriers: header.barriers.length }
  return {
    header,
    options,
    extent,
    agents: header.agents.map((a) => agentState(a.starts, options.rules)),
    report: report(header),
    digest: digest(header.agents.length),
    tookPart: new Uint8Array(header.agents.length * header.barriers.length),
    guests: new Set(),
    ranges: [],
    pieces: new Map(),
    when: 0,
    misled: false,
    lanesInTurn: false,
    passedEarly: false,
    restless: false,
    early: false,
    cluster: 0,
    looked: 0,
  }
}

/** An agent at the start of another cluster. */
export const restart = (a: AgentState, fresh: AgentState): void => {
  forget(a.knowledge)
  a.strands = null
  a.acting = allLanes
  a.did = activity()
  a.arrived = null
  a.relaxed = false
  clear(a.published)
  clear(a.received)
  a.bulkGroups = 0
  a.wgmmaGroups = 0
  a.copies = 0
  a.copiesAtCommit.length = 0
  a.closed.bulk = []
  a.closed.copies = []
  a.queue = 0
  emptied(a.tensorQueue)
  a.queued = []
  a.products = 0
  a.issues.length = 0
  a.loads = 0
  a.stores = 0
  a.lastWait = -1
  a.lastObserved = -1
  a.fences = 0
  for (const stored of [a.stored, a.storedAfar]) {
    stored.first = Infinity
    stored.last = 0
  }
  a.increment = -1
  a.started = fresh.started
  a.exited = false
  a.forked = undefined
  a.parent = -1
}

// ---------------------------------------------------------------- combinators

/** The stamp of an access at one of the bytes that it touches: of the lanes that touch it there. */
export const stampAt = (c: Context, stamp: Stamp, footprint: Footprint, byte: number): Stamp => {
  const { agent, at, site, iteration } = stamp
  // a stamp of no event has not been made one of its agent
  const lanes = c.options.lanes === 'off' ? undefined : stamp.lanes
  return lanes === undefined
    ? { agent, at, site, iteration }
    : {
        agent,
        at,
        site,
        iteration,
        lanes: lanesAt({ footprint, lanes, whole: stamp.whole === true }, byte),
      }
}

/** The agent executes its event `stamp.at`. */
export const tick = (c: Context, stamp: Stamp): AgentState => {
  const a = c.agents[stamp.agent]!
  counted(a.knowledge, stamp.agent, stamp.at)
  return a
}

/** What a release by the lanes that act tells. */
export const publish = (into: Knowledge, a: AgentState, tensor: boolean): void => {
  eachActing(a, () => {
    joinSeen(into, told(a))
    joinVector(into.tensor, tensor ? a.knowledge.tensor : a.published)
  })
}

/** The lanes that act receive a message: order always, the rest only with `acquire`. */
export const receive = (a: AgentState, message: Knowledge, acquire: boolean, tensor: boolean): void => {
  eachActing(a, () => {
    hear(a, message, acquire, tensor)
  })
}

const hear = (a: AgentState, message: Knowledge, acquire: boolean, tensor: boolean): void => {
  hearOfOwnLanes(a.knowledge, message, acquire ? 'all' : 'order')
  if (!acquire) {
    joinOrder(a.knowledge, message, false)
    return
  }
  joinSeen(a.knowledge, message)
  joinVector(a.received, message.tensor)
  if (tensor) joinVector(a.knowledge.tensor, a.received)
}

/** How far it is from one CTA to another. */
export const farTo = ({ header }: Context, a: number, b: number): 1 | 2 | 3 =>
  between(a === b, clusterOf(header, a) === clusterOf(header, b))

export const planeOf = (c: Context, f: Footprint): Header['planes'][number] => c.header.planes[f.plane]!
