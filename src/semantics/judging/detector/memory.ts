/**
 * Memory: what an access event does.
 *
 * An access becomes a record (who, through which proxy, done where what is known) and is held against every atom of its footprint,
 * with the knowledge of what acts: the agent now, or the operation as of its issue. Four more questions are asked of it:
 *
 * | question                                   | if so                                                     |
 * |--------------------------------------------|-----------------------------------------------------------|
 * | does it touch the bytes of a barrier?      | the barrier must be dead, its life over for this actor (B7, U1) |
 * | does it touch a tensor map, and is no access of one? | it must not (B7)                                |
 * | does it reach into another CTA?            | that CTA must know of it before it exits (K1)             |
 * | is it an operation's, in shared or tensor memory? | the CTA must know that it is over before it exits (U2) |
 *
 * A dealloc is held against the same atoms, by order alone.
 *
 * Worked: with slots [0, 16) and [16, 32) and one store of [0, 32), the plane has atoms a and b and the store has two; a
 * later load of slot 0 is held against a alone.
 *
 * Law 1. The judgement of an access does not depend on how its bytes are divided among earlier footprints.
 *
 * Source: PTX ISA, memory consistency model (conflict, race); tcgen05.dealloc.
 */
import type { Access, Dealloc, Footprint, Stamp, Unit } from '../../log/events.js'
import { asSpans, clusterOf, spansOf } from '../../log/events.js'
import { isOne } from '../../log/lane-mask.js'
import { reachOf } from '../../log/reach.js'
import { storesOnce } from '../../machine/ledger.js'
import type { Space } from '../../language/types.js'
import { ofBarrier } from '../subject.js'
import type { AccessRecord, FenceKind } from './access-record.js'
import { doneBy, known } from './access-record.js'
import { does } from './activity.js'
import type { Atom } from './atoms.js'
import { overlap, refine } from './atoms.js'
import { reused } from './barriers.js'
import type { Cell, Conflicts } from './cell.js'
import { cell, judge, judgeDealloc } from './cell.js'
import { actorOf, doesAccess, whoAccesses } from './conflicts.js'
import { planeOf, stampAt, tick, type AgentState, type Context } from './context.js'
import * as Digest from './digest.js'
import { effect } from './in-flight.js'
import type { Knowledge, Vector } from './knowledge.js'
import { meetingIn } from './lanes.js'
import { programOf } from './knowledge.js'
import { oweRemote, oweWord } from './obligations.js'
import { completionOf, type Operation } from './operation.js'
import { byIssuers } from './parting.js'
import {
  actor,
  barrierName,
  draft,
  file,
  keyOf,
  noteManual,
  planeName,
  retold,
  type Draft,
} from './report.js'
import { defer, giveBack, type Deferred } from './read-only.js'
import { overResponses } from './responses.js'
import { reachesInto } from './started.js'
import type { Detector, Region } from './state.js'
import { othersWith } from './strands.js'
import { overwritten } from './strong-words.js'
import { strong } from './strong.js'
import { wordsOf } from './words.js'
import { isThere, malformed } from './state.js'
import { afterFreed, beforeAllocated, freed, notOver, notWaitedFor, ofPeer } from './tensor-memory.js'
import { deferWrite, giveBackWrites } from './written-once.js'
import { valueAt } from './sparse.js'

// ---------------------------------------------------------------- regions

const barrierBytes = 8

const regionOf = (d: Detector, f: Footprint): Region => {
  const found = d.regions.get(f.id)
  if (found !== undefined) return found
  const under: Array<number> = []
  d.context.header.barriers.forEach((b, i) => {
    if (
      b.plane === f.plane &&
      overlap(f.spans, asSpans(Int32Array.of(b.address, b.address + barrierBytes))).length > 0
    )
      under.push(i)
  })
  const made: Region = {
    atoms: null,
    barriers: under,
    hash: Digest.ofSpans(f.plane, f.spans),
  }
  d.regions.set(f.id, made)
  return made
}

const atomsOf = (d: Detector, region: Region, f: Footprint): ReadonlyArray<Atom<Cell>> => {
  region.atoms ??= refine(d.planes[f.plane]!, spansOf(f))
  return region.atoms
}

const fenceKind = (space: Space, isOwn: boolean): FenceKind => {
  switch (space) {
    case 'gmem':
      return 'global'
    case 'regs':
      return 'registers'
    case 'smem':
      return isOwn ? 'shared' : 'afar'
    case 'tmem':
      return 'shared'
  }
}

// ---------------------------------------------------------------- accesses

/** Up to which event of their warp lanes with this knowledge know all of its lanes. */
const metAt = ({ together }: Knowledge): number =>
  together === null || together.paced.lags.length > 0 ? 0 : together.paced.pace[0]!

const synchronous: Unit | 'agent' = 'agent'

const overBarriers = (d: Detector, region: Region, r: AccessRecord, order: Vector): void => {
  const c = d.context
  for (const i of region.barriers) {
    const b = d.barriers[i]!
    if (b.live)
      file(c.report, keyOf(`B7|payload|${String(i)}`, r.stamp, undefined), () =>
        draft(
          'B7',
          'E',
          `${whoAccesses(c.header, r)} the bytes of ${barrierName(c.header, i)} while it is live`,
          [ofBarrier(i)],
          b.init === undefined ? actorOf(r) : actor(b.init, `initialises ${barrierName(c.header, i)}`),
          b.init === undefined ? undefined : actorOf(r),
        ),
      )
    else {
      const init = b.init
      if (init !== undefined && valueAt(order, programOf(init.agent)) < init.at)
        file(c.report, keyOf(`B7|payload|${String(i)}`, r.stamp, undefined), () =>
          draft(
            'B7',
            'E',
            `${whoAccesses(c.header, r)} the bytes of ${barrierName(c.header, i)} and is not ordered after its life`,
            [ofBarrier(i)],
            actor(init, `initialises ${barrierName(c.header, i)}`),
            actorOf(r),
          ),
        )
      reused(c, b, r.stamp, doesAccess(r))
    }
  }
}

/** A tensor map lives from its first writing on, and its bytes are for nothing else. */
const overMaps = (d: Detector, e: Access, r: AccessRecord): void => {
  if (e.role === 'map' && e.rw === 'r') return
  for (const m of d.maps) {
    if (m.footprint.plane !== r.footprint.plane) continue
    if (e.role === 'map' && m.footprint.id === r.footprint.id) continue
    if (overlap(m.footprint.spans, r.footprint.spans).length === 0) continue
    file(d.context.report, keyOf(`B7|map|${String(m.footprint.id)}`, r.stamp, undefined), () =>
      draft(
        'B7',
        'E',
        `${whoAccesses(d.context.header, r)} the bytes of a tensor map in ${planeName(d.context.header, r.footprint.plane)}`,
        [],
        actor(m.stamp, 'writes the tensor map'),
        actorOf(r),
      ),
    )
  }
  if (e.role !== 'map') return
  const at = d.maps.findIndex((m) => m.footprint.id === r.footprint.id)
  if (at < 0) d.maps.push({ footprint: r.footprint, stamp: r.stamp })
  else d.maps[at] = { footprint: r.footprint, stamp: r.stamp }
}

/** Judges an access on its atoms, and leaves it there. */
const judgeOn = (d: Detector, region: Region, record: AccessRecord, k: Knowledge, cluster: number): void => {
  const c = d.context
  const plane = planeOf(c, record.footprint)
  const atoms = atomsOf(d, region, record.footprint)
  c.looked += atoms.length
  for (const atom of atoms)
    judge(atom.payload, record, k, cluster, plane.space === 'gmem', isThere(plane), c.options, d.conflicts)
}

/** Lanes of one instruction that write one byte: which of them is last is open. */
const judgeWithin = (d: Detector, r: AccessRecord, k: Knowledge, agrees: boolean): void => {
  if (r.rw === 'r' || r.joins || r.lanes === 0 || meetingIn(r) === 0) return
  if (agrees) return
  if (r.stored !== undefined && storesOnce(r.footprint, r.stored)) d.conflicts.twice(r, r, k)
  else d.conflicts.race(r, r, emptyCell, k)
}
const emptyCell = cell(0, true)

/** Accesses that were kept: none of them meets another, so that no knowledge is asked. */
const judgeNow = (d: Detector, kept: ReadonlyArray<Deferred>, k: Knowledge): void => {
  for (const { record, cluster } of kept) judgeOn(d, regionOf(d, record.footprint), record, k, cluster)
}

const digestOf = { generic: 0, async: 4, tensor: 8, tensormap: 12, readOnly: 0 } as const

export const access = (d: Detector, e: Access): void => {
  const c = d.context
  const plane = c.header.planes[e.footprint.plane]
  if (plane === undefined) return
  const op = e.operation === undefined ? undefined : d.operations.get(e.operation)
  if (e.operation !== undefined && op === undefined) {
    malformed(d, `access of operation ${String(e.operation)}, which was not issued or is over`)
    return
  }
  if (op === undefined || op.issuers === null) accessOf(d, e, op)
  else {
    judgeWithin(d, recordOf(d, e, op), op.knowledge, e.agrees === true)
    for (const [part, own] of byIssuers(c, e, op)) accessOf(d, part, own)
  }
}

const recordOf = (d: Detector, e: Access, op: Operation | undefined): AccessRecord => {
  const c = d.context
  const plane = planeOf(c, e.footprint)
  const stamp = op === undefined ? e.stamp : op.stamp
  const x = stamp.agent
  const agent = c.agents[x]!
  const k = op === undefined ? agent.knowledge : op.knowledge
  return {
    rw: e.rw,
    proxy: e.proxy,
    stamp,
    unit: op === undefined ? synchronous : op.unit,
    operation: op === undefined ? -1 : op.id,
    // the read of an operation that combines belongs to its write
    completion: op === undefined ? doneBy(programOf(x), stamp.at) : completionOf(op, e.atomic ? 'w' : e.rw),
    queue: op === undefined ? undefined : op.place,
    fence: fenceKind(plane.space, (plane.cta ?? 0) === c.header.agents[x]!.cta),
    home: plane.space === 'smem' ? (plane.cta ?? 0) : -1,
    sound: true,
    footprint: e.footprint,
    lanes: plane.space === 'regs' ? 0 : (stamp.lanes ?? 0),
    whole: stamp.whole === true,
    met: metAt(k),
    reach: e.atomic ? reachOf(e.scope) : 0,
    words: e.words ?? 1,
    combine: e.combine,
    joins: e.joins === true || e.combine !== undefined,
    rounds: e.rounds === true,
    decides: e.decides === true,
    controls: e.controls !== undefined,
    map: e.role === 'map',
    cta: c.header.agents[x]!.cta,
    place: clusterOf(c.header, c.header.agents[x]!.cta),
    when: c.when,
    lastWait: op === undefined ? agent.lastWait : op.lastWait,
    lastObserved: op === undefined ? agent.lastObserved : op.lastObserved,
    fencesBefore: op === undefined ? agent.fences : op.fences,
    order: op === undefined || plane.space === 'gmem' ? undefined : op.knowledge.order,
    idle: e.idle === true,
    stored: e.origin?._tag === 'terms' ? e.origin.stored : undefined,
  }
}

/**
 * Do several lanes write, or find what decides where they go, or has another lane of the warp made a strong access that these do not know? In which order they come, and
 * what others do between them, is open then.
 */
const strongByLanes = (c: Context, a: AgentState, k: Knowledge, e: Access, lanes: number): void => {
  const writes = e.rw === 'w'
  c.lanesInTurn ||=
    ((writes || e.controls !== undefined) && !isOne(lanes)) ||
    othersWith(a, k, writes ? 'strong' : 'told', lanes) !== 0
  does(a.did.strong, lanes, e.stamp.at)
  if (writes) does(a.did.told, lanes, e.stamp.at)
}

const accessOf = (d: Detector, e: Access, op: Operation | undefined): void => {
  const c = d.context
  const plane = planeOf(c, e.footprint)
  const region = regionOf(d, e.footprint)
  const agent = op === undefined ? tick(c, e.stamp) : c.agents[op.stamp.agent]!
  const stamp = op === undefined ? e.stamp : op.stamp
  const x = stamp.agent
  if (plane.space !== 'regs') d.worked[x] = 1
  const k = op === undefined ? agent.knowledge : op.knowledge
  const record = recordOf(d, e, op)
  if (op === undefined && record.lanes !== 0) {
    if (e.atomic) strongByLanes(c, agent, k, e, record.lanes)
    does(agent.did.accesses, record.lanes, stamp.at)
  }
  if (op === undefined && e.rw === 'w' && plane.space === 'smem') {
    const stored = record.fence === 'afar' ? agent.storedAfar : agent.stored
    stored.first = Math.min(stored.first, stamp.at)
    stored.last = stamp.at
  }
  if (op === undefined && record.fence === 'afar') c.guests.add(x)
  judgeWithin(d, record, k, e.agrees === true)
  const unwritten = d.readOnly[e.footprint.plane]!
  const once = d.writtenOnce[e.footprint.plane]!
  if (deferWrite(once, record, c.cluster)) c.looked++
  else if (!defer(unwritten, record, c.cluster)) {
    if (unwritten.reads !== null) judgeNow(d, giveBack(unwritten), k)
    if (once.writes !== null) {
      const writes = giveBackWrites(once)
      c.looked -= writes.length
      judgeNow(d, writes, k)
    }
    judgeOn(d, region, record, k, c.cluster)
  }
  if (op !== undefined && d.strong.words.size > 0) overwritten(d, e)
  if (op === undefined && (e.atomic || d.strong.words.size > 0)) strong(d, e, agent)
  if (region.barriers.length > 0) overBarriers(d, region, record, k.order)
  if (d.maps.length > 0 || e.role === 'map') overMaps(d, e, record)
  const answer = e.role === 'response'
  if (answer || d.responses.live.length > 0) overResponses(c, d.responses, record, answer)
  if (plane.space === 'tmem') {
    beforeAllocated(c, d.allocations, record, k.order)
    afterFreed(c, d.allocations, record, k.order)
  }
  if (plane.space === 'smem' || plane.space === 'tmem') {
    const cta = plane.cta ?? 0
    reachesInto(c, cta, () => actorOf(record), k.order, stamp)
    if (op === undefined) {
      if (cta !== c.header.agents[x]!.cta && !c.options.rules.arrivesOnlyAtExit) {
        if (e.atomic)
          for (const byte of wordsOf(e.footprint))
            oweWord(
              d.obligations,
              cta,
              stampAt(c, stamp, e.footprint, byte),
              doesAccess(record),
              e.footprint.plane,
              byte,
            )
        else oweRemote(c, d.obligations, cta, stamp, doesAccess(record), [])
      }
    } else if (op.row.needs === 'reached') effect(d, op, record.completion, cta)
  }
  // a warpgroup reads its own CTA's shared memory and writes its own registers
  if (op !== undefined && op.row.needs === 'issuer') effect(d, op, record.completion, c.header.agents[x]!.cta)
  const word = (e.rw === 'r' ? 1 : 2) + digestOf[e.proxy]
  const place = c.options.digestsPlaces === false ? 0 : region.hash
  if (op === undefined) Digest.ofAgent(c.digest, x, 1, stamp.at, word, place)
  else Digest.ofOperation(c.digest, x, op.instance, 1, word + 16 * op.part, place)
}

export const dealloc = (d: Detector, e: Dealloc): void => {
  const c = d.context
  const a = tick(c, e.stamp)
  const peer = e.ctaGroup === 2 ? ofPeer(c, d.allocations, e.footprint) : undefined
  freed(c, d.allocations, e, a.knowledge.order, peer)
  const record: AccessRecord = {
    rw: 'w',
    proxy: 'tensor',
    stamp: e.stamp,
    unit: 'agent',
    operation: -1,
    completion: doneBy(programOf(e.stamp.agent), e.stamp.at),
    queue: undefined,
    fence: 'shared',
    home: -1,
    sound: true,
    footprint: e.footprint,
    lanes: 0,
    whole: true,
    met: 0,
    reach: 0,
    words: 1,
    combine: undefined,
    joins: false,
    rounds: false,
    decides: false,
    controls: false,
    map: false,
    cta: c.header.agents[e.stamp.agent]!.cta,
    place: clusterOf(c.header, c.header.agents[e.stamp.agent]!.cta),
    when: c.when,
    lastWait: a.lastWait,
    lastObserved: a.lastObserved,
    fencesBefore: a.fences,
    order: undefined,
    idle: false,
    stored: undefined,
  }
  // by what it should have waited for, what is told of it: of each atom that they share
  const told = new Map<Stamp, Draft>()
  const noted = new Set<Stamp>()
  const out: Conflicts = {
    twice: d.conflicts.twice,
    race: (earlier, later, _, k) => {
      const inOrder = known(k.order, earlier.completion)
      const before = told.get(earlier.stamp)
      if (before !== undefined) retold(before)
      const draft = before ?? notOver(c, earlier, later.stamp, later.footprint, k.order, inOrder)
      told.set(earlier.stamp, draft)
      noteManual(c.report, draft, inOrder)
    },
    invisible: d.conflicts.invisible,
    readFence: d.conflicts.readFence,
    unfencedRead: d.conflicts.unfencedRead,
    restsOn: d.conflicts.restsOn,
    anyOrder: d.conflicts.anyOrder,
    decided: d.conflicts.decided,
    foreign: d.conflicts.foreign,
    shown: d.conflicts.shown,
    mapped: d.conflicts.mapped,
    early: d.conflicts.early,
    nothingThere: d.conflicts.nothingThere,
  }
  const atoms = [e.footprint, peer].flatMap((f) => (f === undefined ? [] : atomsOf(d, regionOf(d, f), f)))
  for (const atom of atoms)
    judgeDealloc(atom.payload, record, a.knowledge, c.cluster, c.options, out, (load, by) => {
      if (noted.has(load.stamp)) return
      noted.add(load.stamp)
      notWaitedFor(c, load, by.stamp)
    })
}
