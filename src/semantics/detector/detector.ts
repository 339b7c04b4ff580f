/**
 * The detector: judges a run from its log, in one pass, keeping none of it.
 *
 * `detector(options)` is a fold. Its state holds, per agent, four knowledge vectors (`knowledge.ts`); per barrier, the generation
 * under way and the two before it; per atom of memory, the last write and the reads since (`cell.ts`). An event updates
 * them and, where something is wrong, files a finding. An asynchronous operation is judged with what its issuer knew at the issue.
 *
 * The classical bug, one event a line (x is 16 bytes of shared memory, b counts 1):
 *
 *     P  arriveExpectTx b 16                 P: order P=1
 *     P  issue TMA load #0                   snapshot P=2
 *     C  read x                              C: order C=1            cell x: read by C at 1
 *        perform #0: write x                 cell x: the read is not in the snapshot (C=0): race
 *        signal #0 -> b                      generation 0 of b complete
 *
 * and the finding is R1, because nothing had been written to x when C read it: C was meant to wait for b.
 *
 * What is not judged: races between the lanes of one agent, and anything behind a wait whose outcome the log says but whose
 * parity contradicts it (C2 then fails).
 *
 * The state is updated in place and each state may be used once; what `finish` returns never changes.
 *
 * Laws
 * 1. `finish` after a log that is a permutation of another by commuting neighbours gives the same findings and digest.
 * 2. A log without asynchronous operations, with barriers of which every agent waits after each arrive, is judged by
 *    happens-before alone: the findings are exactly the unordered conflicting pairs.
 * 3. The cost of an event is linear in agents + barriers + atoms of its footprint, and does not depend on its position.
 *
 * Source: PTX ISA, memory consistency model; docs/hazards.md.
 */
import type { HazardId, Judgement } from '../finding.js'
import type {
  Access,
  BarrierEvent,
  Dealloc,
  Fence,
  Fold,
  Footprint,
  ForkEvent,
  Group,
  Header,
  Issue,
  LogEvent,
  Perform,
  Rendezvous,
  Signal,
  Stamp,
  Unit,
  Wait,
} from '../log.js'
import type { Space } from '../types.js'
import type { AccessRecord, Completion, FenceKind } from './access-record.js'
import { doneBy, notYet } from './access-record.js'
import type { Atom, Partition } from './atoms.js'
import { overlap, partition, pieces, refine } from './atoms.js'
import type { BarrierState } from './barriers.js'
import {
  atEnd,
  barrierEvent,
  barrierState,
  checkLive,
  initialise,
  invalidate,
  observeWait,
  reused,
} from './barriers.js'
import type { Cell, Conflicts } from './cell.js'
import { cell, duplicate, judge, judgeDealloc } from './cell.js'
import { direction, invisibleId, raceId } from './classify.js'
import type { AgentState, Context } from './context.js'
import { agentState, context, publish, receive, restart, tick } from './context.js'
import type { Blockage } from './deadlock.js'
import { deadlock } from './deadlock.js'
import * as Digest from './digest.js'
import { singleton, union } from './generation-set.js'
import type { Knowledge } from './knowledge.js'
import {
  advance,
  clockOf,
  copy,
  fenceAsync,
  fenceRegisters,
  joinVector,
  nothing,
  programOf,
} from './knowledge.js'
import type { NamedBarriers } from './rendezvous.js'
import { rendezvous } from './rendezvous.js'
import type { Obligations } from './obligations.js'
import { atExit, obligations, owe, oweRemote } from './obligations.js'
import type { Actor, Draft } from './report.js'
import {
  actor,
  agentName,
  barrierName,
  conditionOf,
  draft,
  fail,
  file,
  findingsOf,
  keyOf,
  planeName,
  where,
} from './report.js'
import type { Options } from './rules.js'
import { titles } from './titles.js'

// ---------------------------------------------------------------- model

/** An operation between its issue and its last signal. */
export interface Operation {
  readonly id: number
  readonly stamp: Stamp
  readonly unit: Unit
  /** what the issuer knew */
  readonly knowledge: Knowledge
  /** number of its bulk or wgmma group, of the copy, of the queue entry, of the tensor-memory load or store */
  readonly number: number
  /** of the agent's operations, which */
  readonly instance: number
  readonly lastWait: number
  readonly fences: number
  /** completions of the parts of a load, filled in by its signals, and the CTAs that each has an effect on (a bit each) */
  readonly parts: Array<Completion>
  readonly ctas: Array<number>
  part: number
  owed: number
}

/** A footprint that has been seen: its atoms, the barrier objects under it, its hash. */
interface Region {
  readonly atoms: ReadonlyArray<Atom<Cell>>
  readonly barriers: ReadonlyArray<number>
  readonly hash: number
}

export interface Detector {
  readonly context: Context
  readonly planes: ReadonlyArray<Partition<Cell>>
  readonly regions: Map<number, Region>
  readonly operations: Map<number, Operation>
  readonly instances: Int32Array
  readonly barriers: ReadonlyArray<BarrierState>
  readonly named: NamedBarriers
  readonly obligations: Obligations
  readonly blocked: Array<Blockage>
  readonly conflicts: Conflicts
  /** agents that have touched memory or issued anything (to tell B6 from B5) */
  readonly worked: Uint8Array
  anyEvent: boolean
}

// ---------------------------------------------------------------- constructors

const doesAccess = (r: AccessRecord): string =>
  r.unit === 'agent' ? (r.rw === 'r' ? 'reads' : 'writes') : `${r.unit} ${r.rw === 'r' ? 'reads' : 'writes'}`

const actorOf = (r: AccessRecord): Actor => actor(r.stamp, doesAccess(r), r.operation)

const spaceOf = (c: Context, f: Footprint): Space => c.header.planes[f.plane]?.space ?? 'smem'

/** What the later agent knew of the earlier one, in words. */
const knewOf = (c: Context, earlier: AccessRecord, k: Knowledge): string => {
  const name = agentName(c.header, earlier.stamp.agent)
  const upTo = k.order[programOf(earlier.stamp.agent)]!
  const pc = `knows ${name} up to its event ${String(upTo)} (${earlier.operation >= 0 ? 'the issue' : 'this access'} is ${String(earlier.stamp.at)})`
  const done = earlier.completion
  if (earlier.operation < 0) return pc
  if (done.clock < 0) return `${pc}; it has signalled nothing yet`
  if (done.barrier >= 0)
    return `${pc}; done with generation ${String(done.generation)} of ${barrierName(c.header, done.barrier)}, known up to ${String(k.order[done.clock]! - 1)}`
  return `${pc}; done with number ${String(done.at)} of its ${earlier.unit} sequence, known up to ${String(k.order[done.clock]!)}`
}

const conflictsOf = (c: Context): Conflicts => {
  const pair = (
    kind: string,
    id: () => HazardId,
    text: string,
    earlier: AccessRecord,
    later: AccessRecord,
    k: Knowledge | undefined,
  ): void =>
    file(
      c.report,
      `${keyOf(kind, earlier.stamp, later.stamp)}|${earlier.rw}${later.rw}|${String(later.footprint.plane)}`,
      (): Draft => ({
        id,
        severity: 'E',
        text: `${doesAccess(earlier)} and ${doesAccess(later)} of ${planeName(c.header, later.footprint.plane)} ${text}`,
        a: actorOf(earlier),
        b: actorOf(later),
        place: {
          plane: planeName(c.header, later.footprint.plane),
          spans: overlap(earlier.footprint.spans, later.footprint.spans),
        },
        knew:
          k === undefined ? undefined : `${agentName(c.header, later.stamp.agent)} ${knewOf(c, earlier, k)}`,
        times: 1,
      }),
    )
  const array = (barrier: number): string => {
    const b = c.header.barriers[barrier]
    return b === undefined ? String(barrier) : `${b.name.replace(/\[.*$/, '')}@${String(b.cta)}`
  }
  return {
    race: (earlier, later, at, k) => {
      const meant = direction(earlier, later, at, k)
      const space = spaceOf(c, later.footprint)
      pair('race', () => raceId(space, earlier, later, meant, array), 'are not ordered', earlier, later, k)
    },
    invisible: (earlier, later, k) => {
      const since = c.agents[later.stamp.agent]!.lastFence > earlier.when
      const id = invisibleId(earlier, later, k, since)
      pair(
        'visibility',
        () => id,
        `are ordered, but what was written is not visible: ${titles[id]}`,
        earlier,
        later,
        k,
      )
    },
    unfencedRead: (earlier, later, k) =>
      pair('P3', () => 'P3', 'are ordered, but no proxy fence is between them', earlier, later, k),
    foreign: (earlier, later) =>
      pair(
        'foreign',
        () => 'D3',
        'belong to different clusters, which nothing orders',
        earlier,
        later,
        undefined,
      ),
    nothingThere: (r) => {
      const plane = c.header.planes[r.footprint.plane]
      const id: HazardId = r.unit === 'tcgen05' && plane?.space === 'tmem' ? 'M6' : 'I1'
      file(c.report, `${keyOf(id, r.stamp, undefined)}|${String(r.footprint.plane)}`, () =>
        draft(
          id,
          'E',
          `${doesAccess(r)} bytes of ${planeName(c.header, r.footprint.plane)} that nothing has written`,
          actorOf(r),
          undefined,
          {
            plane: planeName(c.header, r.footprint.plane),
            spans: overlap(r.footprint.spans, r.footprint.spans),
          },
        ),
      )
    },
  }
}

export const start = (header: Header, options: Options): Detector => {
  const c = context(header, options)
  return {
    context: c,
    planes: header.planes.map((p) =>
      partition<Cell>(p.bytes, () => cell(c.cluster, p.initialised), duplicate),
    ),
    regions: new Map(),
    operations: new Map(),
    instances: new Int32Array(header.agents.length),
    barriers: header.barriers.map((_, i) => barrierState(c.extent, i)),
    named: new Map(),
    obligations: obligations(),
    blocked: [],
    conflicts: conflictsOf(c),
    worked: new Uint8Array(header.agents.length),
    anyEvent: false,
  }
}

// ---------------------------------------------------------------- memory

const barrierBytes = 8

const regionOf = (d: Detector, f: Footprint): Region => {
  const found = d.regions.get(f.id)
  if (found !== undefined) return found
  const under: Array<number> = []
  d.context.header.barriers.forEach((b, i) => {
    if (
      b.plane === f.plane &&
      overlap(f.spans, Int32Array.of(b.address, b.address + barrierBytes)).length > 0
    )
      under.push(i)
  })
  const made: Region = {
    atoms: refine(d.planes[f.plane]!, f.spans),
    barriers: under,
    hash: Digest.ofSpans(f.plane, f.spans),
  }
  d.regions.set(f.id, made)
  return made
}

const fenceKind = (space: Space): FenceKind => {
  switch (space) {
    case 'gmem':
      return 'global'
    case 'regs':
      return 'registers'
    case 'smem':
    case 'tmem':
      return 'shared'
  }
}

const queueOf = (c: Context, unit: Unit, agent: number): number => {
  switch (unit) {
    case 'wgmma':
      return c.options.wgmmaOrder === 'issue' ? 2 * agent : -1
    case 'tcgen05':
      return 2 * agent + 1
    case 'tmaLoad':
    case 'tmaStore':
    case 'cpAsync':
    case 'tcgen05Ld':
    case 'tcgen05St':
    case 'stAsync':
      return -1
  }
}

/** By what others know that this access of the operation is done. */
const completionOf = (op: Operation, rw: 'r' | 'w'): Completion => {
  const x = op.stamp.agent
  switch (op.unit) {
    case 'tmaLoad':
    case 'stAsync':
      return partOf(op, op.part)
    case 'tmaStore':
      return rw === 'r'
        ? doneBy(clockOf('bulkRead', x), op.number, clockOf('bulkFull', x))
        : doneBy(clockOf('bulkFull', x), op.number)
    case 'cpAsync':
      return doneBy(clockOf('cpAsync', x), op.number)
    case 'wgmma':
      return doneBy(clockOf('wgmma', x), op.number)
    case 'tcgen05':
      return doneBy(clockOf('queue', x), op.number)
    case 'tcgen05Ld':
      return doneBy(clockOf('tensorLoad', x), op.number)
    case 'tcgen05St':
      return doneBy(clockOf('tensorStore', x), op.number)
  }
}

const partOf = (op: Operation, part: number): Completion => {
  const found = op.parts[part]
  if (found !== undefined) return found
  const made = notYet()
  op.parts[part] = made
  return made
}

/** The operation has an effect on the CTA; asked once per part. */
const effect = (d: Detector, op: Operation, completion: Completion, cta: number): void => {
  const mask = op.ctas[op.part] ?? 0
  const bit = 1 << (cta & 31)
  if ((mask & bit) !== 0) return
  op.ctas[op.part] = mask | bit
  owe(d.context, d.obligations, completion, cta, op.stamp, op.id, `${op.unit}`)
}

const synchronous: Unit | 'agent' = 'agent'

const overBarriers = (d: Detector, region: Region, r: AccessRecord, order: Int32Array): void => {
  const c = d.context
  for (const i of region.barriers) {
    const b = d.barriers[i]!
    if (b.live)
      file(c.report, keyOf(`B7|payload|${String(i)}`, r.stamp, undefined), () =>
        draft(
          'B7',
          'E',
          `${doesAccess(r)} the bytes of ${barrierName(c.header, i)} while it is live`,
          b.init === undefined ? actorOf(r) : actor(b.init, `initialises ${barrierName(c.header, i)}`),
          b.init === undefined ? undefined : actorOf(r),
        ),
      )
    else {
      const init = b.init
      if (init !== undefined && order[programOf(init.agent)]! < init.at)
        file(c.report, keyOf(`B7|payload|${String(i)}`, r.stamp, undefined), () =>
          draft(
            'B7',
            'E',
            `${doesAccess(r)} the bytes of ${barrierName(c.header, i)} and is not ordered after its life`,
            actor(init, `initialises ${barrierName(c.header, i)}`),
            actorOf(r),
          ),
        )
      reused(c, b, r.stamp, doesAccess(r))
    }
  }
}

const access = (d: Detector, e: Access): void => {
  const c = d.context
  const plane = c.header.planes[e.footprint.plane]
  if (plane === undefined) return
  const region = regionOf(d, e.footprint)
  const op = e.operation === undefined ? undefined : d.operations.get(e.operation)
  if (e.operation !== undefined && op === undefined) {
    malformed(d, `access of operation ${String(e.operation)}, which was not issued or is over`)
    return
  }
  const agent = op === undefined ? tick(c, e.stamp) : c.agents[op.stamp.agent]!
  const stamp = op === undefined ? e.stamp : op.stamp
  const x = stamp.agent
  d.worked[x] = 1
  const k = op === undefined ? agent.knowledge : op.knowledge
  const record: AccessRecord = {
    rw: e.rw,
    proxy: e.proxy,
    stamp,
    unit: op === undefined ? synchronous : op.unit,
    operation: op === undefined ? -1 : op.id,
    completion: op === undefined ? doneBy(programOf(x), stamp.at) : completionOf(op, e.rw),
    queue: op === undefined ? -1 : queueOf(c, op.unit, x),
    fence: fenceKind(plane.space),
    sound: true,
    footprint: e.footprint,
    when: c.when,
    lastWait: op === undefined ? agent.lastWait : op.lastWait,
    fencesBefore: op === undefined ? agent.fences : op.fences,
    order: op === undefined || plane.space === 'gmem' ? undefined : op.knowledge.order,
  }
  const global = plane.space === 'gmem'
  for (const atom of region.atoms)
    judge(atom.payload, record, k, c.cluster, global, plane.initialised, c.options, d.conflicts)
  if (region.barriers.length > 0) overBarriers(d, region, record, k.order)
  if (plane.space === 'smem' || plane.space === 'tmem') {
    const cta = plane.cta ?? 0
    if (op === undefined) {
      if (cta !== c.header.agents[x]!.cta && !c.options.rules.arrivesOnlyAtExit)
        oweRemote(c, d.obligations, cta, stamp, doesAccess(record))
    } else if (op.unit !== 'wgmma' && op.unit !== 'tcgen05Ld' && op.unit !== 'tcgen05St')
      effect(d, op, record.completion, cta)
  }
  // a warpgroup reads its own CTA's shared memory and writes its own registers
  if (op !== undefined && op.unit === 'wgmma') effect(d, op, record.completion, c.header.agents[x]!.cta)
  const word = (e.rw === 'r' ? 1 : 2) + (e.proxy === 'generic' ? 0 : e.proxy === 'async' ? 4 : 8)
  if (op === undefined) Digest.ofAgent(c.digest, x, 1, stamp.at, word, region.hash)
  else Digest.ofOperation(c.digest, x, op.instance, 1, word + 16 * op.part, region.hash)
}

const dealloc = (d: Detector, e: Dealloc): void => {
  const c = d.context
  const a = tick(c, e.stamp)
  const region = regionOf(d, e.footprint)
  const record: AccessRecord = {
    rw: 'w',
    proxy: 'tensor',
    stamp: e.stamp,
    unit: 'agent',
    operation: -1,
    completion: doneBy(programOf(e.stamp.agent), e.stamp.at),
    queue: -1,
    fence: 'shared',
    sound: true,
    footprint: e.footprint,
    when: c.when,
    lastWait: a.lastWait,
    fencesBefore: a.fences,
    order: undefined,
  }
  const out: Conflicts = {
    race: (earlier, later) =>
      file(c.report, keyOf('dealloc', earlier.stamp, later.stamp), () =>
        draft(
          'U2',
          'E',
          `${doesAccess(earlier)} tensor memory and is not over when it is deallocated`,
          actorOf(earlier),
          actor(later.stamp, 'deallocates'),
          {
            plane: planeName(c.header, later.footprint.plane),
            spans: overlap(earlier.footprint.spans, later.footprint.spans),
          },
        ),
      ),
    invisible: d.conflicts.invisible,
    unfencedRead: d.conflicts.unfencedRead,
    foreign: d.conflicts.foreign,
    nothingThere: d.conflicts.nothingThere,
  }
  for (const atom of region.atoms)
    judgeDealloc(atom.payload, record, a.knowledge, c.cluster, programOf, c.options.strict, out, (load, by) =>
      file(c.report, keyOf('dealloc-note', load.stamp, by.stamp), () =>
        draft(
          'M3',
          'L',
          'deallocates before a wait for this load; the use of its registers orders them',
          actorOf(load),
          actor(by.stamp, 'deallocates'),
        ),
      ),
    )
}

// ---------------------------------------------------------------- operations

const malformed = (d: Detector, text: string): void =>
  fail(d.context.report, 'C2', text, () => ({
    text: `the log is not well formed: ${text}`,
    draft: undefined,
  }))

const issue = (d: Detector, e: Issue): void => {
  const c = d.context
  const a = tick(c, e.stamp)
  const x = e.stamp.agent
  d.worked[x] = 1
  const number = ((): number => {
    switch (e.unit) {
      case 'tmaLoad':
      case 'stAsync':
        return 0
      case 'tmaStore':
        return a.bulkGroups + 1
      case 'wgmma':
        return a.wgmmaGroups + 1
      case 'cpAsync':
        return ++a.copies
      case 'tcgen05':
        return ++a.queue
      case 'tcgen05Ld':
        return ++a.loads
      case 'tcgen05St':
        return ++a.stores
    }
  })()
  const multicast = e.unit === 'tmaLoad' ? c.header.ctas : 1
  const op: Operation = {
    id: e.operation,
    stamp: e.stamp,
    unit: e.unit,
    knowledge: copy(a.knowledge),
    number,
    instance: d.instances[x]!++,
    lastWait: a.lastWait,
    fences: a.fences,
    parts: [],
    ctas: [],
    part: 0,
    owed: e.signals ?? (e.unit === 'tcgen05' ? Infinity : e.unit === 'tmaStore' ? 2 : multicast),
  }
  d.operations.set(e.operation, op)
  a.fences = 0
  Digest.ofAgent(c.digest, x, 2, e.stamp.at, op.instance, e.unit.length)
}

const perform = (d: Detector, e: Perform): void => {
  const op = d.operations.get(e.operation)
  if (op === undefined)
    malformed(d, `perform of operation ${String(e.operation)}, which was not issued or is over`)
  else op.part = e.part
}

const publishesNothing = (): void => undefined

const signal = (d: Detector, e: Signal): void => {
  const c = d.context
  const op = d.operations.get(e.operation)
  if (op === undefined) {
    malformed(d, `signal of operation ${String(e.operation)}, which was not issued or is over`)
    return
  }
  const x = op.stamp.agent
  if (e.to === 'barrier') {
    const b = d.barriers[e.barrier]!
    op.part = e.part
    const generation = b.number
    const part = partOf(op, e.part)
    part.clock = b.clock
    part.at = generation + 1
    part.barrier = e.barrier
    part.generation = generation
    effect(d, op, part, c.header.barriers[e.barrier]!.cta)
    Digest.ofOperation(c.digest, x, op.instance, 3, e.barrier + 64 * e.part, generation)
    barrierEvent(c, b, {
      clock: b.clock,
      at: generation + 1,
      counted: 0,
      bytes: -e.bytes,
      order: op.knowledge.order,
      stamp: op.stamp,
      does: `${op.unit} delivers ${String(e.bytes)} bytes`,
      publish: (m, g) => {
        m.visible.acquired[e.barrier] = union(m.visible.acquired[e.barrier]!, singleton(g))
        m.async.acquired[e.barrier] = union(m.async.acquired[e.barrier]!, singleton(g))
      },
    })
  } else if (e.to === 'arrive') {
    const b = d.barriers[e.barrier]!
    const isCopy = op.unit === 'cpAsync'
    const clock = clockOf(isCopy ? 'cpAsync' : 'queue', x)
    const order = op.knowledge.order
    advance(order, clock, op.number)
    effect(d, op, doneBy(clock, op.number), c.header.barriers[e.barrier]!.cta)
    Digest.ofOperation(c.digest, x, op.instance, 4, e.barrier + 64 * e.part, b.number)
    const contract = c.header.barriers[e.barrier]!
    if (op.unit === 'tcgen05' && contract.contract === 'pallas' && !contract.ordersTensorCore)
      file(c.report, keyOf(`M5|${String(e.barrier)}`, op.stamp, undefined), () =>
        draft(
          'M5',
          'C',
          `${barrierName(c.header, e.barrier)} is signalled by the tensor core and does not order it`,
          actor(op.stamp, 'commits', op.id),
        ),
      )
    barrierEvent(c, b, {
      clock,
      at: op.number,
      counted: 1,
      bytes: 0,
      order,
      stamp: op.stamp,
      does: isCopy ? 'arrives when the copies before it are done' : 'commits',
      publish: (m) => {
        if (isCopy) advance(m.visible.counters, clock, op.number)
        else advance(m.tensor, clock, op.number)
      },
    })
  }
  op.owed--
  if (op.owed <= 0 || (e.to === 'group' && e.side === 'full')) d.operations.delete(e.operation)
}

// ---------------------------------------------------------------- barriers, groups, fences

const barrier = (d: Detector, e: BarrierEvent): void => {
  const c = d.context
  const a = tick(c, e.stamp)
  const b = d.barriers[e.barrier]!
  const x = e.stamp.agent
  const cta = c.header.barriers[e.barrier]!.cta
  if (cta !== c.header.agents[x]!.cta)
    oweRemote(c, d.obligations, cta, e.stamp, `${e.kind} on ${barrierName(c.header, e.barrier)}`)
  Digest.ofAgent(c.digest, x, 5 + e.barrier * 8, e.stamp.at, b.number - b.base, e.bytes * 8 + e.kind.length)
  switch (e.kind) {
    case 'init':
      initialise(c, b, e.stamp, e.count)
      return
    case 'inval':
      invalidate(c, b, e.stamp, a.knowledge.order)
      return
    case 'expect':
      b.expects[x] = e.stamp
      barrierEvent(c, b, {
        clock: programOf(x),
        at: e.stamp.at,
        counted: 0,
        bytes: e.bytes,
        order: a.knowledge.order,
        stamp: e.stamp,
        does: `expects ${String(e.bytes)} bytes`,
        publish: publishesNothing,
      })
      return
    case 'arrive':
    case 'drop':
      a.fences = 0
      if (e.kind === 'drop') b.count = Math.max(0, b.count - e.count)
      barrierEvent(c, b, {
        clock: programOf(x),
        at: e.stamp.at,
        counted: e.count,
        bytes: e.bytes,
        order: a.knowledge.order,
        stamp: e.stamp,
        does: e.bytes === 0 ? 'arrives' : `arrives and expects ${String(e.bytes)} bytes`,
        publish: e.release
          ? (m) => {
              publish(m, a, e.tensor)
            }
          : publishesNothing,
      })
      return
  }
}

const wait = (d: Detector, e: Wait): void => {
  const c = d.context
  const b = d.barriers[e.barrier]!
  const a = c.agents[e.stamp.agent]!
  switch (e.outcome) {
    case 'skipped':
    case 'tested':
      tick(c, e.stamp)
      return
    case 'blocked':
      tick(c, e.stamp)
      d.blocked.push({ stamp: e.stamp, barrier: e.barrier, named: undefined, family: undefined })
      if (b.live && ((b.number - b.base) & 1) !== e.parity)
        malformed(d, `${where(c.header, e.stamp)} is blocked on a parity that passes`)
      return
    case 'passed': {
      const live = checkLive(
        c,
        b,
        e.stamp,
        a.knowledge.order,
        `waits for ${barrierName(c.header, e.barrier)}`,
      )
      if (live && ((b.number - b.base) & 1) === e.parity)
        malformed(d, `${where(c.header, e.stamp)} passes on a parity that blocks`)
      const observed = observeWait(c, b, a, e.stamp, e.acquire, e.tensor)
      a.lastWait = e.barrier
      Digest.ofAgent(c.digest, e.stamp.agent, 6 + e.barrier * 8, e.stamp.at, observed, e.acquire ? 1 : 0)
      return
    }
  }
}

const group = (d: Detector, e: Group): void => {
  const c = d.context
  const a = tick(c, e.stamp)
  const x = e.stamp.agent
  Digest.ofAgent(
    c.digest,
    x,
    7,
    e.stamp.at,
    e.family.length * 2 + (e.kind === 'wait' ? 1 : 0),
    e.pending * 2 + (e.read ? 1 : 0),
  )
  if (e.kind === 'commit') {
    switch (e.family) {
      case 'bulk':
        a.bulkGroups++
        return
      case 'wgmma':
        a.wgmmaGroups++
        return
      case 'cpAsync':
        a.copiesAtCommit.push(a.copies)
        return
      case 'tcgen05Ld':
      case 'tcgen05St':
        return
    }
  }
  if (e.blocked) {
    d.blocked.push({ stamp: e.stamp, barrier: -1, named: undefined, family: e.family })
    return
  }
  awaitGroup(a, x, e.family, e.pending, e.read)
}

/** What an agent knows after a group wait that leaves `pending` of the newest groups open. */
export const awaitGroup = (
  a: AgentState,
  x: number,
  family: Group['family'],
  pending: number,
  read: boolean,
): void => {
  const k = a.knowledge
  const everywhere = (clock: number, at: number): void => {
    advance(k.order, clock, at)
    advance(k.visible.counters, clock, at)
    advance(k.async.counters, clock, at)
  }
  switch (family) {
    case 'bulk': {
      const done = a.bulkGroups - pending
      advance(k.order, clockOf('bulkRead', x), done)
      if (!read) everywhere(clockOf('bulkFull', x), done)
      return
    }
    case 'wgmma':
      everywhere(clockOf('wgmma', x), a.wgmmaGroups - pending)
      return
    case 'cpAsync': {
      const done = a.copiesAtCommit[a.copiesAtCommit.length - 1 - pending] ?? 0
      advance(k.order, clockOf('cpAsync', x), done)
      advance(k.visible.counters, clockOf('cpAsync', x), done)
      return
    }
    case 'tcgen05Ld':
      everywhere(clockOf('tensorLoad', x), a.loads - pending)
      advance(k.tensor, clockOf('tensorLoad', x), a.loads - pending)
      return
    case 'tcgen05St':
      advance(k.order, clockOf('tensorStore', x), a.stores - pending)
      advance(k.tensor, clockOf('tensorStore', x), a.stores - pending)
      return
  }
}

export type FenceName = 'shared' | 'global' | 'wgmma' | 'tensorBefore' | 'tensorAfter'

export const applyFence = (c: Context, x: number, kind: FenceName): void => {
  const a = c.agents[x]!
  switch (kind) {
    case 'shared':
    case 'global':
      fenceAsync(c.extent, a.knowledge, kind)
      return
    case 'wgmma':
      fenceRegisters(a.knowledge, x)
      return
    case 'tensorBefore':
      a.published.set(a.knowledge.tensor)
      return
    case 'tensorAfter':
      joinVector(a.knowledge.tensor, a.received)
      return
  }
}

const fence = (d: Detector, e: Fence): void => {
  const c = d.context
  const a = tick(c, e.stamp)
  const x = e.stamp.agent
  Digest.ofAgent(c.digest, x, 8, e.stamp.at, e.kind.length, e.scope.length)
  switch (e.kind) {
    case 'proxyAsync':
      a.fences++
      a.lastFence = c.when
      applyFence(c, x, e.scope === 'global' ? 'global' : 'shared')
      return
    case 'wgmma':
    case 'tensorBefore':
    case 'tensorAfter':
      applyFence(c, x, e.kind)
      return
    case 'tensormap':
    case 'mbarrierInit':
      return
  }
}

const meet = (d: Detector, e: Rendezvous): void => {
  const c = d.context
  const generation = rendezvous(c, d.named, e)
  if (e.kind === 'blocked') d.blocked.push({ stamp: e.stamp, barrier: -1, named: e, family: undefined })
  if (e.kind === 'arrive') {
    c.agents[e.stamp.agent]!.fences = 0
    Digest.ofAgent(c.digest, e.stamp.agent, 9, e.stamp.at, e.id, generation)
  }
}

const fork = (d: Detector, e: ForkEvent): void => {
  const c = d.context
  const parent = tick(c, e.stamp)
  Digest.ofAgent(c.digest, e.stamp.agent, 10, e.stamp.at, e._tag.length, e.children.length)
  const message = nothing(c.extent)
  if (e._tag === 'fork') publish(message, parent, false)
  for (const child of e.children) {
    if (child === e.stamp.agent) continue
    const a = c.agents[child]!
    if (e._tag === 'fork') {
      a.started = true
      a.exited = false
      receive(a, message, true, false)
    } else publish(message, a, false)
  }
  if (e._tag === 'join') receive(parent, message, true, false)
}

// ---------------------------------------------------------------- clusters and the end

/** Closes the cluster under way: exits, left-overs, deadlock. */
const endCluster = (d: Detector): void => {
  const c = d.context
  const stuck = d.blocked.length > 0
  if (stuck) deadlock(c, d.barriers, d.named, d.blocked, d.worked)
  for (const b of d.barriers) atEnd(c, b, stuck)
  if (!stuck) atExit(c, d.obligations)
  Digest.closeCluster(c.digest, c.cluster)
}

const nextCluster = (d: Detector, id: number): void => {
  const c = d.context
  if (d.anyEvent) {
    endCluster(d)
    c.agents.forEach((a, x) => {
      restart(a, agentState(c.extent, c.header.agents[x]!.starts))
    })
    d.operations.clear()
    d.instances.fill(0)
    d.named.clear()
    d.blocked.length = 0
    d.obligations.pending = []
    d.obligations.remote.clear()
    d.worked.fill(0)
    for (const b of d.barriers) {
      Object.assign(b, barrierState(c.extent, b.index))
    }
  }
  c.cluster = id
  d.anyEvent = false
}

/** O1: bytes of outputs that nobody wrote. */
const outputs = (d: Detector): void => {
  const c = d.context
  c.header.planes.forEach((p, i) => {
    if (p.output !== true) return
    const missing: Array<readonly [number, number]> = []
    let at = 0
    const gap = (to: number): void => {
      if (to <= at) return
      const last = missing[missing.length - 1]
      if (last !== undefined && last[1] === at) missing[missing.length - 1] = [last[0], to]
      else missing.push([at, to])
    }
    for (const [from, to, owner] of pieces(d.planes[i]!)) {
      gap(from)
      at = from
      const wasWritten = owner.payload.write !== undefined || owner.payload.foreignWrite !== undefined
      if (!wasWritten) gap(to)
      at = to
    }
    gap(p.bytes)
    if (missing.length > 0) {
      const bytes = missing.reduce((n, [from, to]) => n + to - from, 0)
      file(c.report, `O1|${String(i)}`, () =>
        draft(
          'O1',
          'E',
          `${String(bytes)} bytes of output ${p.name} are never written`,
          actor({ agent: 0, at: 0, site: 0, iteration: [] }, 'ends'),
          undefined,
          {
            plane: planeName(c.header, i),
            spans: missing,
          },
        ),
      )
    }
  })
}

// ---------------------------------------------------------------- the fold

export const observe = (d: Detector, e: LogEvent): Detector => {
  const c = d.context
  c.when++
  switch (e._tag) {
    case 'cluster':
      nextCluster(d, e.id)
      return d
    case 'access':
      access(d, e)
      break
    case 'issue':
      issue(d, e)
      break
    case 'perform':
      perform(d, e)
      break
    case 'signal':
      signal(d, e)
      break
    case 'barrier':
      barrier(d, e)
      break
    case 'wait':
      wait(d, e)
      break
    case 'group':
      group(d, e)
      break
    case 'fence':
      fence(d, e)
      break
    case 'rendezvous':
      meet(d, e)
      break
    case 'fork':
    case 'join':
      fork(d, e)
      break
    case 'dealloc':
      dealloc(d, e)
      break
    case 'exit':
      c.agents[e.agent]!.exited = true
      break
  }
  d.anyEvent = true
  return d
}

const exitIds: ReadonlyArray<HazardId> = ['U1', 'U2', 'K1', 'O1', 'B8']

export const finish = (d: Detector): Judgement => {
  const c = d.context
  endCluster(d)
  const stuck = c.report.deadlock.length > 0
  if (!stuck) outputs(d)
  for (const why of c.header.nondeterminism)
    fail(c.report, 'C1', why, () => ({ text: why, draft: undefined }))
  const all = findingsOf(c.report)
  const bites = (f: Judgement['findings'][number]): boolean =>
    f.severity === 'E' || (c.options.strict && f.severity === 'C')
  const findings = all.filter(bites)
  for (const f of findings)
    if (exitIds.includes(f.id))
      fail(c.report, 'C5', f.text, () => ({ text: `${f.id}: ${f.text}`, draft: undefined }))
  if (stuck) fail(c.report, 'C5', 'stuck', () => ({ text: 'the run does not complete', draft: undefined }))
  const conditions = {
    C1: conditionOf(c.report, 'C1'),
    C2: conditionOf(c.report, 'C2'),
    C3: conditionOf(c.report, 'C3'),
    C4: conditionOf(c.report, 'C4'),
    C5: conditionOf(c.report, 'C5'),
    C6: conditionOf(c.report, 'C6'),
  }
  return {
    findings,
    notes: all.filter((f) => !bites(f)),
    conditions,
    deadlock: c.report.deadlock,
    candidates: !(conditions.C3.holds && conditions.C4.holds && conditions.C6.holds),
    digest: Digest.show(c.digest),
    events: c.when,
  }
}

export const detector = (options: Options): Fold<Detector, Judgement> => ({
  init: (header) => start(header, options),
  observe,
  finish,
})

/** Judges a log that is held in memory. */
export const judgeLog = (header: Header, events: ReadonlyArray<LogEvent>, options: Options): Judgement => {
  const d = start(header, options)
  for (const e of events) observe(d, e)
  return finish(d)
}
