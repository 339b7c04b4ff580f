/**
 * Views: who sees the last write of which place.
 *
 * Visibility as an operation on bits. Every view (of an agent through each proxy, of an mbarrier's generation, of a named barrier, of an
 * operation in flight) has one bit a place: "my view shows the last write". A write clears the bit in all views and sets it where it
 * is published; releases, waits and fences copy bits from view to view; an access whose view lacks a bit may find an older value, and that
 * is a visibility hazard. Nothing is counted and nothing is ordered: the bits are part of the machine's state, so two schedules
 * that lead to the same bits are one.
 *
 *     t0: write x; arrive b        t1: wait b; read x        views of x:  t0   b   t1
 *     at first                                                             1   .    1
 *     write x                                                              1   0    0
 *     arrive b (relaxed: b stays 0, and the read is a visibility hazard)   1   1    0
 *     wait b                                                               1   1    1
 *
 * | view                   | holds                                                                        |
 * |------------------------|------------------------------------------------------------------------------|
 * | generic, async, tensor | what the agent's accesses, and those of operations that it issues now, see   |
 * | published, received    | tensor, as of the last before_thread_sync; until the next after_thread_sync  |
 * | queue                  | what its tcgen05 queue has written                                           |
 * | stored, loaded         | what its tcgen05.st and .ld have written, until their wait                   |
 * | released, maps         | tensor maps: as of the last fence of them, and what copies read                |
 * | made, fenced           | the mbarriers that it has initialised, and those of them that it has fenced    |
 * | copied                 | what its cp.async have written, as far as it has waited for them             |
 * | bar                    | what a named barrier tells it, from the end of the generation until it leaves |
 * | current, done          | of an mbarrier: what the generation under way will tell, what the last one tells |
 *
 * A write may go over bits that its view lacks where the old value has *landed*: an agent that sees it has read it since, and it was not
 * written through the generic proxy or is overwritten through the proxy of that read. Registers belong to one agent, so it never
 * tells them to others. Two atomic accesses through one proxy that reach one another hide nothing
 * from each other (of CTA scope in a cluster of several CTAs they are taken to be of one CTA).
 *
 * The initialisation of an mbarrier is such a write, which agents of other CTAs have to see. A fence of it (fence.mbarrier_init) makes relaxed
 * arrives of its agent tell it, too.
 *
 * The bits lie in `view-bits.ts`; accesses are in `view-accesses.ts`, barriers and other meetings in `view-meetings.ts`. Here is what each event does.
 *
 * What else an event does wrong is told here, too: an arrival that a barrier does not count, a barrier that is not there, a read of nothing.
 *
 * Laws
 * 1. Equal machines with equal views have equal futures, and their futures have equal hazards.
 * 2. Events whose touches do not meet (`execution/event-effects.ts`) commute on views.
 *
 * Source: PTX ISA, memory consistency model, proxies, asynchronous operations, mbarrier, tcgen05 memory consistency.
 */
import { unreachable } from '../../../failure.js'
import type { LogEvent } from '../../log/events.js'
import type { Machine } from '../../machine/state.js'
import type { World } from '../../machine/world.js'
import { clusterPlaceOf, isClusterPlace } from '../../instructions/rendezvous.js'
import { placeOf } from '../../machine/touches.js'
import type { Mask, Places } from './places.js'
import {
  ctaOf,
  agentAt,
  GENERIC,
  fault,
  zero,
  barrierAt,
  CURRENT,
  perBarrier,
  ASYNC,
  MADE,
  addMask,
  tell,
  FAR,
  add,
  FENCED,
  DONE,
  DONE_FAR,
  countAt,
  BULK_GROUPS,
  COPY_GROUPS,
  COPIED,
  LOADED,
  TENSOR,
  STORED,
  addWithin,
  PUBLISHED,
  RECEIVED,
  RELEASED,
  MAPS,
  BAR,
  perMessage,
  layoutOf,
  type Views,
  type ViewFault,
  type Draft,
} from './view-bits.js'
import { access, wrote, issue } from './view-accesses.js'
import {
  signal,
  uses,
  isUnobserved,
  toldBy,
  reached,
  receive,
  collect,
  joinCluster,
  join,
  leaveCluster,
  heardBy,
  semaphore,
} from './view-meetings.js'

export { start, type Flight, type Meeting, type Views, type ViewFault } from './view-bits.js'

/** What the event did to the views, and what was wrong with it. */
export interface Seen {
  readonly views: Views
  readonly faults: ReadonlyArray<ViewFault>
}

const event = (d: Draft, e: LogEvent): void => {
  switch (e._tag) {
    case 'access':
      access(d, e)
      return
    case 'perform':
      d.part = e.part
      return
    case 'signal':
      signal(d, e)
      return
    case 'barrier': {
      const x = e.stamp.agent
      const b = e.barrier
      const flag = d.layout.flags + b
      const near = d.world.header.barriers[b]!.cta === ctaOf(d, x)
      if (e.kind !== 'init' && e.kind !== 'inval') uses(d, x, b, (k) => d.words[agentAt(d, x, GENERIC) + k]!)
      switch (e.kind) {
        case 'increment':
          if (d.before.barriers[b] === null) fault(d, 'lifecycle')
          return
        case 'init':
          if (d.before.barriers[b] !== null) fault(d, 'lifecycle')
          if (d.words[flag] === 2) fault(d, 'unobserved')
          zero(d, barrierAt(d, b, CURRENT), perBarrier)
          d.words[flag] = 0
          if (d.places.lives[b] != null) {
            wrote(d, d.places.lives[b], true, 0)
            for (const view of [GENERIC, ASYNC, MADE]) addMask(d, agentAt(d, x, view), d.places.lives[b])
          }
          return
        case 'inval':
          if (d.before.barriers[b] === null) fault(d, 'lifecycle')
          d.words[flag] = isUnobserved(d, b) ? 2 : 0
          return
        case 'expect':
        case 'arrive':
        case 'drop':
          if (e.release && (near || e.scope !== 'cta'))
            toldBy(d, x, e.tensor).forEach((from, k) => {
              tell(d, barrierAt(d, b, (near ? CURRENT : FAR) + k), from)
            })
          else if (near || e.scope !== 'cta')
            for (const view of [GENERIC, ASYNC])
              add(d, barrierAt(d, b, (near ? CURRENT : FAR) + view), agentAt(d, x, FENCED))
          reached(d, b)
          return
      }
      return
    }
    case 'wait':
      if (e.outcome !== 'passed') return
      if (d.words[d.layout.flags + e.barrier] === 1) d.words[d.layout.flags + e.barrier] = 0
      if (e.acquire) receive(d, e.stamp.agent, barrierAt(d, e.barrier, DONE), e.tensor)
      if (e.acquire && e.scope !== 'cta')
        receive(d, e.stamp.agent, barrierAt(d, e.barrier, DONE_FAR), e.tensor)
      return
    case 'group': {
      const x = e.stamp.agent
      if (e.kind === 'commit') {
        if (e.family === 'bulk') d.words[countAt(d, x, BULK_GROUPS)]! += 1
        if (e.family === 'cpAsync') d.words[countAt(d, x, COPY_GROUPS)]! += 1
        return
      }
      switch (e.family) {
        case 'bulk':
          if (!e.read)
            collect(d, x, 'tmaStore', d.words[countAt(d, x, BULK_GROUPS)]! - e.pending, [GENERIC, ASYNC])
          return
        case 'cpAsync':
          collect(d, x, 'cpAsync', d.words[countAt(d, x, COPY_GROUPS)]! - e.pending, [GENERIC, COPIED])
          return
        case 'tcgen05Ld':
          add(d, agentAt(d, x, GENERIC), agentAt(d, x, LOADED))
          zero(d, agentAt(d, x, LOADED))
          return
        case 'tcgen05St':
          add(d, agentAt(d, x, TENSOR), agentAt(d, x, STORED))
          zero(d, agentAt(d, x, STORED))
          return
        case 'wgmma':
          return
      }
      return
    }
    case 'fence': {
      const x = e.stamp.agent
      const { smem, homes, gmem, regs } = d.places
      switch (e.kind) {
        // a search stops before them (`search.ts`)
        case 'memory':
          return
        case 'proxyAsync':
          addWithin(
            d,
            agentAt(d, x, ASYNC),
            agentAt(d, x, GENERIC),
            e.scope === 'global' ? gmem : e.scope === 'cluster' ? smem : homes[ctaOf(d, x)]!,
          )
          return
        case 'wgmma':
          addWithin(d, agentAt(d, x, ASYNC), agentAt(d, x, GENERIC), regs)
          return
        case 'tensorBefore':
          d.words.copyWithin(
            agentAt(d, x, PUBLISHED),
            agentAt(d, x, TENSOR),
            agentAt(d, x, TENSOR) + d.layout.width,
          )
          return
        case 'tensorAfter':
          add(d, agentAt(d, x, TENSOR), agentAt(d, x, RECEIVED))
          return
        case 'tensormap':
          add(d, agentAt(d, x, RELEASED), agentAt(d, x, GENERIC))
          return
        case 'tensormapAcquire':
          addWithin(
            d,
            agentAt(d, x, MAPS),
            agentAt(d, x, RELEASED),
            e.footprint === undefined ? d.places.all : (d.places.masks.get(e.footprint.id) ?? d.places.none),
          )
          return
        case 'mbarrierInit':
          add(d, agentAt(d, x, FENCED), agentAt(d, x, MADE))
          return
      }
      return
    }
    case 'rendezvous': {
      const x = e.stamp.agent
      const relaxed = e.relaxed === true
      const tensor = e.tensor === true
      const cluster = clusterPlaceOf(d.world, x)
      const meetsCluster = isClusterPlace(e.id)
      if (e.kind === 'arrive' && meetsCluster) joinCluster(d, x, cluster, relaxed, tensor)
      else if (e.kind === 'arrive') join(d, x, placeOf(ctaOf(d, x), e.id), tensor)
      else if (e.kind === 'leave' && meetsCluster) leaveCluster(d, x, cluster, relaxed, tensor)
      else if (e.kind === 'leave') {
        receive(d, x, agentAt(d, x, BAR), tensor)
        zero(d, agentAt(d, x, BAR), perMessage)
      }
      return
    }
    case 'fork':
    case 'join':
      for (const child of e.children) {
        const [from, to] = e._tag === 'fork' ? [e.stamp.agent, child] : [child, e.stamp.agent]
        const heard = heardBy(d, to)
        toldBy(d, from, false).forEach((at, k) => {
          add(d, heard[k]!, at)
        })
      }
      return
    case 'semaphore':
      semaphore(d, e)
      return
    // programs of warps alone have them
    case 'warpSync':
    case 'registers':
    case 'issue':
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
}

/** The views after an event that took `before` to `after` and said `events`. */
export const follow = (
  world: World,
  places: Places,
  views: Views,
  before: Machine,
  after: Machine,
  events: ReadonlyArray<LogEvent>,
): Seen => {
  const d: Draft = {
    world,
    places,
    layout: layoutOf(world, places),
    before,
    after,
    words: views.words.slice(),
    flights: views.flights,
    meetings: views.meetings,
    faults: [],
    part: 0,
  }
  for (const e of events) event(d, e)
  for (const f of after.inFlight) if (f.id >= before.issued) issue(d, f)
  // what is over and has nothing to be waited for: a commit that has told all its barriers, a product
  d.flights = d.flights.filter((f) => f.landed || after.inFlight.some((g) => g.id === f.id))
  return { views: { words: d.words, flights: d.flights, meetings: d.meetings }, faults: d.faults }
}

// ---------------------------------------------------------------- keys

/** Words in order; zeros in a row are one, and how many. With many barriers nearly all are: so a key is as long as what is seen. */
const writeWords = (words: Views['words'], out: number[]): void => {
  for (let k = 0; k < words.length; k++) {
    const word = words[k]!
    out.push(word)
    if (word !== 0) continue
    const from = k
    while (k + 1 < words.length && words[k + 1] === 0) k++
    out.push(k - from)
  }
}

/** Says the views in numbers, without the names that depend on the schedule (`Flight.id`). */
export const writeKey = (v: Views, out: number[]): void => {
  writeWords(v.words, out)
  const mask = (m: Mask): void => {
    for (let k = 0; k < m.length; k++) out.push(m[k]!)
  }
  out.push(v.flights.length)
  for (const f of v.flights) {
    out.push(f.agent, f.at, f.part, f.landed ? 1 : 0)
    mask(f.mask)
    mask(f.tensor)
    mask(f.own)
  }
  out.push(v.meetings.length)
  for (const m of v.meetings) {
    out.push(m.place, m.turn, m.joined.length)
    for (const x of m.joined) out.push(x)
    m.message.forEach(mask)
  }
}
