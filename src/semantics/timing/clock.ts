/**
 * The clock: a policy whose state is time.
 *
 * A run takes one event after the other; which comes first is a policy's to say. This one says it by when each would happen on a chip. An event that comes to be
 * on offer gets its time at once: an agent's from where the agent stands and from what it has computed since, an operation's from when it was issued and from the
 * queues that it goes through. The earliest of those on offer is taken. What it makes possible is on offer next, and not before its time.
 *
 *     agent 4 issues a copy of 16 KB            12,001     holds the agent for 30 cycles
 *     its bytes are there                       12,001 + tma.latency, or later: the path from L2 is busy until 12,800
 *     agent 0, which waits for them             that time + mbarrier.wake
 *
 * A *server* is what takes one thing after another: the tensor cores of a scheduler, the port of shared memory, the unit that copies, the path from L2, a share of
 * DRAM. It is free at a time; who comes earlier waits. What a scheduler's units do is summed up for each stretch of work, so that warps that run side by side share them.
 *
 * Every event remembers which other one it had to wait for last, and why. Followed back from the end, these are the critical path.
 *
 * Laws
 * 1. The times of events do not decrease in the order in which they are taken.
 * 2. No event comes before what it waits for.
 * 3. A server is never busy with two things, and what it has been busy for is the sum of what it was asked.
 * 4. The clock is deterministic: equal machines, chips and misses give equal times.
 */
import type { Header, LogEvent } from '../log/events.js'
import type { Elements } from '../machine/elements.js'
import type { InFlight, Prepared } from '../machine/operation.js'
import type { Pace, Work } from '../machine/pace.js'
import type { Machine } from '../machine/state.js'
import type { World } from '../machine/world.js'
import { greatest, least } from '../../greatest.js'
import { bitsOf } from '../../numerics/dtype.js'
import type { Policy } from '../execution/policy.js'
import { waitsOf } from '../instructions/families.js'
import type { Offered } from '../execution/step.js'
import { valueOf, type Chip, type Name } from './chip.js'
import { kindOf, type Class } from './classes.js'
import { sectorsOf, wavefrontsOf, writesOf } from './accesses.js'

// ---------------------------------------------------------------- model

/** What an event waited for last. */
export type Why =
  | 'start'
  | 'computes'
  | 'issues'
  | 'data'
  | 'barrier'
  | 'wait'
  | 'tensor core'
  | 'shared memory'
  | 'copy unit'
  | 'L2'
  | 'DRAM'
  | 'latency'

/** The servers of a multiprocessor, as they are shown. */
export const servers = [
  'tensor core',
  'shared memory',
  'copy unit',
  'L2',
  'writes',
  'DRAM',
  'issue',
  'fma',
  'alu',
  'special functions',
  'conversions',
  'shuffles',
  'tensor memory',
] as const
export type ServerName = (typeof servers)[number]

/** An event that has happened, in time. */
export interface Moment {
  readonly site: number
  readonly agent: number
  readonly unit: Offered['unit']
  /** from when its agent or operation was before it */
  readonly from: number
  readonly to: number
  /** of a server that did it: since when; else `to` */
  readonly served: number
  /** the moment that it waited for, -1: the launch */
  readonly after: number
  readonly why: Why
  readonly place: number
}

export interface Timed {
  readonly moments: ReadonlyArray<Moment>
  /** when the last thing has happened */
  readonly end: number
  /** by wave, when it began and when it ended */
  readonly waves: ReadonlyArray<{ readonly from: number; readonly to: number }>
  readonly busy: Readonly<Record<ServerName, number>>
  readonly macs: number
  readonly bytes: { readonly loaded: number; readonly stored: number; readonly missed: number }
}

export interface Clock {
  readonly policy: Policy<null>
  readonly pace: Pace
  readonly begun: (m: Machine, events: ReadonlyArray<LogEvent>) => void
  readonly timed: () => Timed
}

/** What is known of the rest of the grid. */
export interface Beside {
  /** of what a statement loads from global memory: how much is not in L2, and how much L2 is asked for by this multiprocessor and none of its neighbours, from 0 to 1 */
  readonly missing: (site: number) => number
  readonly alone: (site: number) => number
  /** of the same: how much is on its way from DRAM, for this multiprocessor or for another one */
  readonly late: (site: number) => number
  /** all clusters begin together, so that neighbours stay in step; those of later waves begin when a place is free */
  readonly isInStep: boolean
  /** multiprocessors that are busy */
  readonly active: number
}

// ---------------------------------------------------------------- servers

interface Server {
  free: number
  busy: number
  /** what it has served last */
  last: Due | null
}
const server = (): Server => ({ free: 0, busy: 0, last: null })

/** From `at` on, or when the server is free, for so long: when it begins. */
const serve = (s: Server, at: number, cycles: number): number => {
  const from = Math.max(at, s.free)
  s.free = from + cycles
  s.busy += cycles
  return from
}

/**
 * A share of a server that many have together: a multiprocessor that has taken less than its share in the last cycles `before` may take the rest at once. The result is
 * when all of it has passed, which may be earlier than its begin. Nothing is lent at the beginning, when all begin together.
 */
const lent = (s: Server, at: number, cycles: number, before: number): number => {
  s.free = Math.max(s.free, at - before) + cycles
  s.busy += cycles
  return s.free
}

type Product = Extract<Prepared, { readonly _tag: 'wgmma.mma' }>
type UnitClass = Exclude<Class, 'free' | 'shared'>
const classes: ReadonlyArray<UnitClass> = ['fma', 'alu', 'half', 'sfu', 'convert', 'shuffle', 'mma']

/** Products of 64 rows and 32 bytes of depth that a tensor core has been given, and when those are done of which that is known, in their order. */
interface Queue {
  issued: number
  /** so many are done and forgotten */
  dropped: number
  done: { readonly count: number; readonly due: Due }[]
}

/** The servers of a multiprocessor; of those that each of its four schedulers has, four. */
interface Multiprocessor {
  readonly tensor: ReadonlyArray<Server>
  /** what waits before them */
  readonly queues: ReadonlyArray<Queue>
  readonly issue: ReadonlyArray<Server>
  readonly units: ReadonlyMap<UnitClass, ReadonlyArray<Server>>
  readonly shared: Server
  readonly copy: Server
  /** its share of the path that it has together with its neighbours */
  readonly l2: Server
  /** its own end of it */
  readonly port: Server
  readonly write: Server
  /** its own end of the path of writes */
  readonly outward: Server
  readonly dram: Server
  readonly tmem: Server
}
const four = (): ReadonlyArray<Server> => [server(), server(), server(), server()]
const multiprocessor = (): Multiprocessor => ({
  tensor: four(),
  queues: Array.from({ length: 4 }, (): Queue => ({ issued: 0, dropped: 0, done: [] })),
  issue: four(),
  units: new Map(classes.map((c) => [c, four()])),
  shared: server(),
  copy: server(),
  l2: server(),
  port: server(),
  write: server(),
  outward: server(),
  dram: server(),
  tmem: server(),
})

// ---------------------------------------------------------------- agents

/** An agent before an event: since when, and what it waited for. */
interface Stood {
  readonly at: number
  readonly after: number
  readonly why: Why
}

/** An agent between two of its events. */
interface Hand {
  /** when it has done its last event */
  at: number
  /** the moment of it */
  last: number
  /** results that are on their way: by row or slot, when they are there, and the moment that brings them */
  readonly coming: Map<number, { readonly at: number; readonly by: number }>
  works: Work[]
  /** where it stands before its next event, and what it waited for to come there; null: it has computed nothing since the last one */
  stood: Stood | null
  readonly warps: number
  readonly first: number
  readonly place: number
  readonly on: Multiprocessor
  /** how many products its tensor cores must have done before it goes on */
  needs: number
  /** rows that it has computed since a product read them last */
  readonly computed: Set<number>
  /** its program says which words are descriptors, as PTX does */
  namesDescriptors: boolean
}

/** What is known of an event on offer. */
interface Due {
  readonly at: number
  readonly from: number
  readonly served: number
  readonly after: number
  /** what the server did before it, which it has waited for instead */
  readonly behind: Due | null
  readonly why: Why
  /** the number of its moment, once it has happened; -1: it has not */
  moment: number
}

const bytesIn = (e: Elements): number => {
  const n = e.offsets.length
  let there = 0
  for (let i = 0; i < n; i++) if (e.offsets[i]! >= 0) there++
  return (there * bitsOf(e.dtype)) / 8
}

// ---------------------------------------------------------------- the clock

export const clock = (world: World, chip: Chip, beside: Beside): Clock => {
  const { header } = world
  const of = (name: Name): number => valueOf(chip, name)
  /** of a bandwidth that all have together, what one has */
  const fewer = of('sms') / Math.max(1, beside.active)
  const share = Math.min(of('l2.port'), of('l2.bandwidth') * fewer)
  // neighbours in step ask for a line once, those that are not in step often do so apart
  const near = beside.isInStep ? of('l2.step') * fewer : Math.min(of('l2.port'), of('l2.near') * fewer)
  const writes = Math.min(of('write.port'), (of('l2.write') * of('sms')) / Math.max(1, beside.active))
  const dramBytes = (of('dram.bandwidth') * 1000) / of('clock') / Math.max(1, beside.active)

  /** the CTAs of a cluster are on as many multiprocessors */
  const chips = Array.from({ length: world.ctas }, multiprocessor)

  const hands: Hand[] = header.agents.map(({ warps, firstWarp, cta }, agent) => ({
    at: 0,
    last: -1,
    coming: new Map(),
    works: [],
    stood: null,
    warps: Math.max(1, warps),
    first: firstWarp ?? agent,
    place: Math.floor(cta / world.ctas),
    on: chips[cta % world.ctas]!,
    needs: 0,
    computed: new Set(),
    namesDescriptors: false,
  }))
  const moments: Moment[] = []
  const ends = Array.from({ length: world.resident }, () => 0)
  const waves: { from: number; to: number }[] = []
  const issued = new Map<string, number>()
  /** by operation, when each of its messages comes to the first CTA that it goes to */
  const messages = new Map<number, Map<number, Due>>()
  let dues = new WeakMap<Offered, Due>()
  let now = 0
  let latest = -1
  let macs = 0
  const bytes = { loaded: 0, stored: 0, missed: 0 }

  // ------------------------------------------------ work between events

  const intervals: Readonly<Record<UnitClass, number>> = {
    fma: of('fma.interval'),
    alu: of('alu.interval'),
    half: of('half.interval'),
    sfu: of('sfu.interval'),
    convert: of('convert.interval'),
    shuffle: of('shuffle.interval'),
    mma: of('mma.interval'),
  }
  const latencies: Readonly<Record<UnitClass, number>> = {
    fma: of('alu.latency'),
    alu: of('alu.latency'),
    half: of('alu.latency'),
    sfu: of('sfu.latency'),
    convert: of('alu.latency'),
    shuffle: of('shuffle.latency'),
    mma: of('sfu.latency'),
  }

  /** Schedulers that the warps of an agent are on. */
  const schedulersOf = (h: Hand): ReadonlyArray<number> =>
    Array.from({ length: Math.min(4, h.warps) }, (_, i) => (h.first + i) % 4)

  /** An agent does what it has computed since its last event: when it stands before the next one, and what it waited for. */
  const worked = (h: Hand): Stood => {
    let at = h.at
    let after = h.last
    let why: Why = 'computes'
    const begin = h.at
    const wait = (reads: ReadonlyArray<number>): void => {
      for (const r of reads) {
        const c = h.coming.get(r)
        if (c === undefined) continue
        if (c.at > at) {
          at = c.at
          if (c.by >= 0) {
            after = c.by
            why = 'data'
          }
        }
      }
    }
    const demand = new Map<UnitClass, number>()
    let slots = 0
    const on = schedulersOf(h)
    const perScheduler = Math.ceil(h.warps / 4)
    /** when a unit takes the next instruction */
    const units = new Map<UnitClass, number>()
    const unitAt = (c: UnitClass): number =>
      units.get(c) ?? greatest(begin)(on.map((k) => h.on.units.get(c)![k]!.free))
    const last = h.works.at(-1)
    for (const w of h.works) {
      wait(w.reads)
      // the last one is the instruction that has the next effect
      if (w === last) {
        h.namesDescriptors = w.shared !== undefined
        // a product takes its descriptors from registers that all lanes share: what lanes have computed is brought there, word by word
        for (const r of w.shared ?? []) if (h.computed.delete(r)) at += of('wgmma.descriptor')
        break
      }
      for (const r of w.writes) h.computed.add(r)
      const { class: c, times, besides } = kindOf(w.name)
      if (c === 'free') {
        for (const r of w.writes) h.coming.set(r, { at, by: -1 })
        continue
      }
      if (c === 'shared') {
        const cycles = (times * w.elements * 4) / of('shared.bandwidth')
        at = serve(h.on.shared, at, cycles) + cycles + times * of('shared.latency')
        continue
      }
      const lanes = c === 'mma' && w.name === 'dot' ? w.elements / 64 : w.elements
      const instructions = Math.max(1, (times * lanes) / 32 / h.warps)
      const others = (besides * lanes) / 32 / h.warps
      if (others > 0) {
        demand.set('alu', (demand.get('alu') ?? 0) + others * intervals.alu * perScheduler)
        units.set('alu', unitAt('alu') + others * intervals.alu * perScheduler)
        at += others
      }
      const cycles = instructions * intervals[c]
      demand.set(c, (demand.get(c) ?? 0) + cycles * perScheduler)
      slots += (instructions + others) * perScheduler
      // in order: an instruction whose unit is still busy holds those behind it
      at = Math.max(at, unitAt(c))
      units.set(c, at + cycles * perScheduler)
      for (const r of w.writes) h.coming.set(r, { at: at + cycles - intervals[c] + latencies[c], by: -1 })
      at += instructions
      if (instructions > 1) at = Math.max(at, at - instructions + cycles)
    }
    h.works = []
    const behind = (s: Server, cycles: number): void => {
      const from = Math.max(begin, s.free)
      s.free = from + cycles
      s.busy += cycles
      if (s.free > at) at = s.free
    }
    for (const [c, cycles] of demand) for (const k of on) behind(h.on.units.get(c)![k]!, cycles)
    if (slots > 0) for (const k of on) behind(h.on.issue[k]!, slots)
    if (h.coming.size > 4096) for (const [r, c] of h.coming) if (c.at <= at) h.coming.delete(r)
    return { at, after, why }
  }

  // ------------------------------------------------ global memory

  /** Bytes come from L2 or DRAM: since when, until when, and what they waited for. */
  const fetched = (
    { l2, dram }: Multiprocessor,
    at: number,
    size: number,
    site: number,
    shared: number,
    port: Server,
  ): { from: number; to: number; why: Why; behind: Due | null } => {
    const missing = beside.missing(site)
    const alone = beside.alone(site)
    bytes.loaded += size
    bytes.missed += size * missing
    // what a neighbour has asked for as well comes faster, but in the same queue, and all of it comes in by one port
    const cycles = size * (alone / share + (1 - alone) / shared)
    const from = Math.max(serve(l2, at, cycles), serve(port, at, size / of('l2.port')))
    const to = Math.max(l2.free, port.free)
    const path = { from, to, why: 'L2' as const, behind: from > at ? l2.last : null }
    if (missing === 0) return path
    const side = serve(dram, at, (size * missing) / dramBytes)
    return dram.free > path.to
      ? { from: side, to: dram.free, why: 'DRAM', behind: side > at ? dram.last : null }
      : path
  }
  /** Bytes are written, at the cost of so many: since when, and until when. */
  const stored = (
    { write, outward, dram }: Multiprocessor,
    at: number,
    size: number,
    cost = size,
  ): { from: number; to: number } => {
    bytes.stored += size
    // L2 keeps what is written until DRAM has time for it, and takes it at once while others write nothing
    lent(dram, at, size / dramBytes, of('write.burst'))
    const passed = lent(write, at, cost / writes, of('write.burst'))
    const from = serve(outward, at, cost / of('write.port'))
    return { from, to: Math.max(passed, outward.free) }
  }
  /** How much later bytes are there that come from DRAM, and how much later than the first of many lines the last. */
  const away = (site: number): number => beside.late(site) * of('dram.latency')
  const spread = (site: number, lines: number): number =>
    beside.late(site) * of('dram.spread') * Math.min(1, Math.log2(lines) / 6)

  /** The port of the multiprocessor in whose memory something lies. */
  const portOf = ({ plane }: Elements): Server => chips[(header.planes[plane]!.cta ?? 0) % world.ctas]!.port

  const spaceOf = (e: Elements): Header['planes'][number]['space'] => header.planes[e.plane]!.space
  /** Bytes that lie in shared memory. */
  const inShared = (all: ReadonlyArray<Elements>): number =>
    all.reduce((sum, e) => (spaceOf(e) === 'smem' ? sum + bytesIn(e) : sum), 0)

  // ------------------------------------------------ events of agents

  /** How long an agent is held by an effect, and when its result is there. */
  const held = (h: Hand, at: number, p: Prepared, site: number): { hold: number; result: number } => {
    switch (p._tag) {
      case 'load':
      case 'tcgen05.ld': {
        const space = spaceOf(p.source)
        const size = bytesIn(p.source)
        if (space === 'regs') return { hold: 0, result: 0 }
        if (space === 'tmem') {
          const cycles = size / of('tmem.bandwidth')
          return {
            hold: of('lsu.issue'),
            result: serve(h.on.tmem, at, cycles) + cycles + of('tmem.latency') - at,
          }
        }
        if (space === 'smem') {
          const cycles = (wavefrontsOf(p.source) * 128) / of('shared.bandwidth')
          return {
            hold: of('lsu.issue') * instructionsOf(h, size),
            result: serve(h.on.shared, at, cycles) + cycles + of('shared.latency') - at,
          }
        }
        const { to } = fetched(h.on, at, sectorsOf(p.source) * 32, site, of('l2.port'), h.on.port)
        return {
          hold: of('lsu.issue') * instructionsOf(h, size),
          result: to + of('l2.latency') + away(site) - at,
        }
      }
      case 'store':
      case 'tcgen05.st': {
        const space = spaceOf(p.destination)
        const size = bytesIn(p.destination)
        if (space === 'regs') return { hold: 0, result: 0 }
        if (space === 'tmem') {
          const cycles = size / of('tmem.bandwidth')
          return { hold: of('lsu.issue'), result: serve(h.on.tmem, at, cycles) + cycles - at }
        }
        const hold = of('lsu.issue') * instructionsOf(h, size)
        if (space === 'smem') {
          const cycles = (wavefrontsOf(p.destination) * 128) / of('shared.bandwidth')
          const from = serve(h.on.shared, at, cycles)
          return { hold: Math.max(hold, from + cycles - at), result: 0 }
        }
        // a warp waits until its store is taken
        const { to } = stored(h.on, at, sectorsOf(p.destination) * 32, writesOf(p.destination) * 32)
        return { hold: Math.max(hold, to - at), result: 0 }
      }
      case 'atomic':
      case 'atomic.words':
        if (spaceOf(p.destination) === 'smem')
          return { hold: of('lsu.issue'), result: 2 * of('shared.latency') }
        return {
          hold: of('lsu.issue'),
          result: stored(h.on, at, sectorsOf(p.destination) * 32).to + of('l2.latency') - at,
        }
      case 'semaphore':
      case 'clc.tryCancel':
        return { hold: of('lsu.issue'), result: of('l2.latency') }
      case 'clc.query':
        return { hold: of('shared.latency'), result: 0 }
      case 'mbarrier.init':
      case 'mbarrier.inval':
      case 'mbarrier.arrive':
      case 'mbarrier.cpAsyncArrive':
        return { hold: of('mbarrier.issue'), result: of('shared.latency') }
      case 'mbarrier.wait':
        return { hold: of('mbarrier.wait'), result: 0 }
      case 'bar':
        return { hold: of('barrier.issue'), result: 0 }
      case 'bar.leave':
      case 'cluster.arrive':
      case 'cluster.wait':
        return { hold: of('barrier.issue'), result: 0 }
      case 'tma.load':
      case 'tma.store':
        return { hold: of('tma.issue'), result: 0 }
      case 'tensormap.through':
        return { hold: of('tma.issue'), result: 0 }
      case 'tensormap.create':
      case 'tensormap.replace':
        return { hold: of('tensormap.replace'), result: 0 }
      case 'tensormap.publish':
        return { hold: of('tensormap.publish'), result: 0 }
      case 'tensormap.acquire':
        return { hold: of('fence.memory'), result: 0 }
      case 'stAsync':
      case 'cpAsync.copy':
        return { hold: of('lsu.issue') * instructionsOf(h, 'bytes' in p ? p.bytes : 0), result: 0 }
      case 'group.commit':
      case 'group.wait':
        return { hold: 1, result: 0 }
      case 'fence':
        return {
          hold:
            p.kind === 'proxyAsync'
              ? of('fence.proxy')
              : p.kind === 'memory' && p.scope !== 'cta'
                ? of('fence.memory')
                : 1,
          result: 0,
        }
      case 'wgmma.mma': {
        // a tile program has one statement for several instructions, and says nothing of their descriptors: each takes words of its own
        const instructions = h.namesDescriptors ? 1 : instructionsIn(h, p)
        const words = h.namesDescriptors ? 0 : [p.a, p.b].filter((e) => spaceOf(e) === 'smem').length * 2
        return {
          hold: instructions * (of('wgmma.issue') + words * of('wgmma.descriptor')),
          result: 0,
        }
      }
      case 'tcgen05.mma':
      case 'tcgen05.commit':
      case 'tcgen05.copy':
        return { hold: of('tcgen05.issue'), result: 0 }
      case 'tcgen05.alloc':
      case 'tcgen05.dealloc':
      case 'tcgen05.relinquish':
        return { hold: of('tmem.allocate'), result: 0 }
      case 'setMaxRegisters':
        return { hold: of('registers.change'), result: 0 }
      case 'nothing':
      case 'trap':
        return { hold: 0, result: 0 }
    }
  }

  /** Instructions of a warp that an access of so many bytes takes, 16 bytes a lane at most. */
  const instructionsOf = (h: Hand, size: number): number => Math.max(1, size / (512 * h.warps))

  /** What an agent that was blocked waits for after what unblocks it. */
  const woken = (p: Prepared): { cycles: number; why: Why } => {
    switch (waitsOf(p)?.of) {
      case 'mbarrier':
        return { cycles: of('mbarrier.wake'), why: 'wait' }
      case 'barrier':
        return { cycles: of('barrier.latency'), why: 'barrier' }
      case 'cluster':
        return { cycles: of('cluster.latency'), why: 'barrier' }
      case 'group':
        return { cycles: 'family' in p && p.family === 'wgmma' ? of('wgmma.latency') : 1, why: 'wait' }
      case 'word':
      case 'registers':
      case undefined:
        return { cycles: 0, why: 'wait' }
    }
  }

  const due = (
    from: number,
    served: number,
    at: number,
    after: number,
    why: Why,
    behind: Due | null = null,
  ): Due => ({ at, from, served, after, why, behind, moment: -1 })

  /** A product as instructions of 64 rows and 32 bytes of depth. */
  const instructionsIn = ({ warps }: Hand, { m, k, types }: Product): number =>
    Math.max(1, Math.round((m / 64 / Math.max(1, warps / 4)) * ((k * bitsOf(types.a)) / 256)))

  /** The queue of an agent: its tensor cores are in step. */
  const queueOf = ({ on, first }: Hand): Queue => on.queues[first % 4]!

  const queue = (h: Hand, p: Product): void => {
    const q = queueOf(h)
    q.issued += instructionsIn(h, p)
    // its last instruction is issued when there is room for it
    h.needs = q.issued - of('wgmma.queue')
  }

  const dequeued = (h: Hand, p: Product, d: Due): void => {
    const q = queueOf(h)
    q.done.push({ count: instructionsIn(h, p), due: d })
    const most = of('wgmma.queue') + 1
    while (q.done.length > most) q.dropped += q.done.shift()!.count
  }

  /** When so many products are done, and the last of them; null: they have been so for long; 'unknown': one of them is not on offer yet. */
  const doneBy = (
    { dropped, done }: Queue,
    number: number,
  ): { readonly at: number; readonly by: Due } | null | 'unknown' => {
    let left = number - dropped
    if (left <= 0) return null
    for (const { count, due: d } of done) {
      // of a product that is several instructions, some are done when so much of the work is
      if (left <= count) return { at: d.served + (left / count) * (d.at - d.served), by: d }
      left -= count
    }
    return 'unknown'
  }

  /** Null: what it waits for is not known yet. */
  const ofAgent = (o: Offered): Due | null => {
    const h = hands[o.key.agent]!
    const prepared = o.ready?._tag === 'do' ? o.ready.prepared : null
    // a product needs room before the tensor cores, and one that is several instructions holds its agent until the last of them is issued
    const q = queueOf(h)
    const needs = prepared?._tag === 'wgmma.mma' ? q.issued + 1 - of('wgmma.queue') : 0
    const held = doneBy(q, Math.max(h.needs, needs))
    if (held === 'unknown') return null
    const from = h.at
    const { at, after, why } = h.stood ?? { at: h.at, after: h.last, why: 'issues' as const }
    h.stood = null
    if (held !== null && held.at > Math.max(at, now))
      return due(from, held.at, held.at, after, 'tensor core', held.by)
    if (now <= at) return due(from, at, at, after, why)
    // it was there before what it waits for
    const wake = prepared === null ? { cycles: 0, why: 'wait' as const } : woken(prepared)
    return due(from, now, now + wake.cycles, latest, wake.why)
  }

  // ------------------------------------------------ events of operations

  const issuedAt = ({ agent, at }: InFlight): number => issued.get(`${String(agent)}:${String(at)}`) ?? latest

  const ofOperation = (f: InFlight): Due => {
    const by = issuedAt(f)
    const start = by >= 0 ? moments[by]!.to : now
    const h = hands[f.agent]!
    const site = f.stamp.site
    const signalled = (): Due => due(now, now, now, latest, 'latency')
    const loaded = (
      from: number,
      least: number,
      latency: number,
      size: number,
      lines: number,
      shared: number,
      port: Server,
    ): Due => {
      // it comes by another port than the one that products and loads read through
      const got = fetched(h.on, from, size, site, shared, port)
      const at = Math.max(got.to, least) + spread(site, lines) + latency + away(site)
      const d = due(start, got.from, at, by, got.behind === null ? 'latency' : got.why, got.behind)
      h.on.l2.last = d
      h.on.dram.last = d
      return d
    }
    switch (f._tag) {
      case 'tmaLoad': {
        if (f.stage === 'signal') return signalled()
        const there = portOf(f.destination)
        const sent = messages.get(f.id) ?? new Map<number, Due>()
        messages.set(f.id, sent)
        const first = sent.get(f.source.footprint.id)
        if (first !== undefined) {
          // it goes to several CTAs of a cluster: L2 is asked once, and each has a port of its own
          bytes.loaded += f.bytes
          const began = serve(there, first.served, f.bytes / of('l2.port'))
          const at = Math.max(first.at, began + f.bytes / of('l2.port') + of('tma.latency') + away(site))
          return due(start, began, at, by, first.why, first.behind)
        }
        const lines = Math.max(f.bytes / 128, f.source.footprint.spans.list.length / 2)
        const rows = lines * of('tma.row')
        const from = serve(h.on.copy, start, of('tma.interval') + rows)
        const d = loaded(from, from + rows, of('tma.latency'), f.bytes, lines, near, there)
        sent.set(f.source.footprint.id, d)
        return d
      }
      case 'cpAsync':
        // a wait is for the copies of all threads
        return loaded(start, start, of('l2.latency'), f.bytes, 64, of('l2.port'), h.on.port)
      case 'tmaStore': {
        if (f.stage === 'write') return due(now, now, now + of('tma.written'), latest, 'latency')
        serve(h.on.shared, start, f.bytes / of('shared.bandwidth'))
        const { from, to } = stored(h.on, start, f.bytes)
        return due(start, from, to + of('tma.store'), by, 'L2')
      }
      case 'stAsync':
        return f.stage === 'signal'
          ? signalled()
          : due(start, start, start + of('cluster.latency'), by, 'latency')
      case 'cpAsyncArrive': {
        const at = Math.max(now, start)
        return due(at, at, at + of('mbarrier.issue'), now > start ? latest : by, 'latency')
      }
      case 'wgmma': {
        const { mma } = f
        const work = (mma.m * mma.n * mma.k * bitsOf(mma.types.a)) / 16
        macs += work
        const part = mma.part === undefined ? 1 : 4
        const on = schedulersOf(h).map((k) => h.on.tensor[k]!)
        const operands = inShared([mma.a, mma.b]) / part
        const cycles = Math.max(
          work / ((of('wgmma.rate') / 4) * on.length),
          (operands * (4 / on.length)) / of('wgmma.shared'),
        )
        // operands come through the port that loads and copies use as well
        serve(h.on.shared, start, operands / of('shared.bandwidth'))
        const d = produced(on, start, cycles, by, h.on.shared.free)
        dequeued(h, mma, d)
        return d
      }
      case 'tcgen05': {
        const { mma } = f
        const work = (mma.m * mma.n * mma.k * bitsOf(mma.types.a)) / 16
        macs += work * mma.shares.length
        // of a pair, each does its share: with its rows of A, and with columns of B that both get from where they lie
        const pair = mma.shares.length > 1 ? chips : [h.on]
        const operands = pair.map(({ shared }, v) => {
          const size = inShared(mma.shares[v]?.a ?? []) + inShared([mma.b[v]].flatMap((b) => b ?? []))
          serve(shared, start, size / of('shared.bandwidth'))
          return shared.free
        })
        return produced(
          pair.flatMap(({ tensor }) => tensor),
          start,
          work / of('tcgen05.rate'),
          by,
          greatest(0)(operands),
        )
      }
      case 'tcgen05Copy': {
        const cycles = f.bytes / of('tmem.bandwidth')
        const from = serve(h.on.tmem, start, cycles)
        return due(start, from, from + cycles, by, 'latency')
      }
      case 'tcgen05Commit': {
        const at = Math.max(now, start)
        return due(at, at, at + of('tcgen05.latency'), now > start ? latest : by, 'latency')
      }
      case 'tcgen05Ld':
      case 'tcgen05St': {
        const cycles = f.bytes / of('tmem.bandwidth')
        const from = serve(h.on.tmem, start, cycles)
        return due(start, from, from + cycles + of('tmem.latency'), by, 'latency')
      }
      case 'clc':
        return f.stage === 'signal' ? signalled() : due(start, start, start + of('l2.latency'), by, 'latency')
    }
  }

  /** Tensor cores do a product, together: when the last of them is free. */
  const produced = (
    on: ReadonlyArray<Server>,
    start: number,
    cycles: number,
    by: number,
    operands = 0,
  ): Due => {
    let from = start
    let behind: Due | null = null
    for (const s of on)
      if (s.free > from) {
        from = s.free
        behind = s.last
      }
    const isLate = operands > from + cycles
    const why = isLate ? 'shared memory' : 'tensor core'
    const d = due(start, from, Math.max(from + cycles, operands), by, why, behind)
    for (const s of on) {
      serve(s, from, cycles)
      s.last = d
    }
    return d
  }

  // ------------------------------------------------ the policy

  const dueOf = (o: Offered): Due | null => {
    const known = dues.get(o)
    if (known !== undefined) return known
    const made = o.operation === null ? ofAgent(o) : ofOperation(o.operation)
    if (made !== null) dues.set(o, made)
    return made
  }

  const happened = (o: Offered, d: Due): void => {
    const me = moments.length
    const at = Math.max(d.at, now)
    now = at
    latest = me
    d.moment = me
    const { key, operation: f, ready } = o
    const site = f === null ? (ready?.site ?? 0) : f.stamp.site
    const h = hands[key.agent]!
    moments.push({
      site,
      agent: key.agent,
      unit: o.unit,
      from: d.from,
      to: at,
      served: d.served,
      after: d.behind !== null && d.behind.moment >= 0 ? d.behind.moment : d.after,
      why: d.why,
      place: h.place,
    })
    ends[h.place] = Math.max(ends[h.place]!, at)
    if (f !== null) return
    h.last = me
    h.at = at
    if (ready?._tag !== 'do') return
    issued.set(`${String(key.agent)}:${String(key.at)}`, me)
    if (ready.prepared._tag === 'wgmma.mma') queue(h, ready.prepared)
    const { hold, result } = held(h, at, ready.prepared, site)
    h.at = at + hold
    ends[h.place] = Math.max(ends[h.place]!, h.at)
    if (result > 0)
      for (const r of pending.get(key.agent) ?? none) h.coming.set(r, { at: at + result, by: me })
  }

  /** agents that have computed since the last event */
  const fresh = new Set<number>()
  /** What the instruction that an agent stands before writes. */
  const pending = new Map<number, ReadonlyArray<number>>()
  const none: ReadonlyArray<number> = []

  return {
    policy: {
      name: 'timed',
      init: null,
      choose: (_, offered) => {
        // who has just gone on: the units are asked in the order of time
        for (const agent of fresh) hands[agent]!.stood = worked(hands[agent]!)
        fresh.clear()
        let best = 0
        let first: Due | null = null
        for (let i = 0; i < offered.length; i++) {
          const d = dueOf(offered[i]!)
          if (d !== null && d.at < (first?.at ?? Infinity) && offered[i]!.inVain !== true) {
            best = i
            first = d
          }
        }
        happened(offered[best]!, first ?? dueOf(offered[best]!) ?? due(now, now, now, latest, 'issues'))
        return [best, null]
      },
    },
    pace: {
      told: (agent, work) => {
        const h = hands[agent]!
        if (h.works.at(-1) === work) return
        h.works.push(work)
        fresh.add(agent)
        pending.set(agent, work.writes)
      },
    },
    begun: () => {
      const from = waves.length === 0 ? 0 : least(Infinity)(ends)
      const last = waves.at(-1)
      if (last !== undefined) last.to = greatest(0)(ends)
      waves.push({ from, to: from })
      dues = new WeakMap()
      issued.clear()
      messages.clear()
      for (const h of hands) {
        h.at = waves.length === 1 ? 0 : ends[h.place]! + of('launch.cta')
        h.last = waves.length === 1 ? -1 : latest
        h.coming.clear()
        h.stood = null
      }
      // the clusters of a wave begin when their places are free, which is not in the order of the events of the last one
      now = least(Infinity)(hands.map((h) => h.at))
    },
    timed: () => {
      const end = greatest(0)([
        ...ends,
        ...chips.flatMap(({ l2, write, outward, dram }) => [l2.free, write.free, outward.free, dram.free]),
      ])
      const last = waves.at(-1)
      if (last !== undefined) last.to = end
      const mean = (of: (m: Multiprocessor) => ReadonlyArray<Server>): number =>
        chips.reduce((n, m) => n + of(m).reduce((b, x) => b + x.busy, 0) / of(m).length, 0) / chips.length
      const unit = (c: UnitClass): number => mean(({ units }) => units.get(c)!)
      return {
        moments,
        end,
        waves,
        macs,
        bytes,
        busy: {
          'tensor core': mean(({ tensor }) => tensor) + unit('mma'),
          'shared memory': mean(({ shared }) => [shared]),
          'copy unit': mean(({ copy }) => [copy]),
          L2: mean(({ l2 }) => [l2]),
          writes: mean(({ write }) => [write]),
          DRAM: mean(({ dram }) => [dram]),
          issue: mean(({ issue }) => issue),
          fma: unit('fma') + unit('half'),
          alu: unit('alu'),
          'special functions': unit('sfu'),
          conversions: unit('convert'),
          shuffles: unit('shuffle'),
          'tensor memory': mean(({ tmem }) => [tmem]),
        },
      }
    },
  }
}
