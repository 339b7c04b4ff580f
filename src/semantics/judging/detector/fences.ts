/**
 * Fences: an agent makes what it sees visible elsewhere, and nothing more ordered than it was.
 *
 * | fence                 | takes                                              | to                                        |
 * |-----------------------|----------------------------------------------------|-------------------------------------------|
 * | proxy, CTA            | generic writes to its CTA's shared memory that the agent sees | asynchronous units, where the fence is known |
 * | proxy, cluster        | generic writes to shared memory that the agent sees | the same                                  |
 * | proxy, global         | generic writes to global memory that the agent sees | the same                                  |
 * | tensor map            | generic writes of tensor maps that the agent sees  | an agent in its scope that acquires after it   |
 * | tensor map, acquire   | those of them that lie in its bytes, of releases in its scope | the reader of maps in both scopes, where it is known |
 * | mbarrier init         | barriers that the agent itself has initialised     | an agent of any CTA that acquires from it afterwards, be its arrive relaxed |
 * | wgmma                 | its own register accesses                          | the wgmma that it issues next             |
 * | before_thread_sync    | its tensor knowledge                               | what its next arrives publish             |
 * | after_thread_sync     | tensor knowledge that it has received              | its own                                   |
 *
 *     agent T: write x; fence; issue store of x        the store sees x
 *     agent T: fence; write x; issue store of x        it does not: the fence covers what was there before it
 *
 * A proxy fence that covers no write is *in vain*: since the agent's last one, no write to shared memory has come into its sight. It may have been
 * meant for a write that comes too late for it, or that the agent does not see: then what is missing is not a fence but its place (P2, not P1). A fence
 * over global memory is in vain for shared memory, and one over the CTA's shared memory for that of other CTAs.
 *
 *     fence                  in vain: nothing has been written
 *     write x; fence         covers x          fence again: in vain
 *
 * The two fences of tensor maps are one pair, and the pair reaches as far as the narrower of them: who releases, who acquires and who reads are within it. Who wrote the map
 * need not be: the release is for all that its agent sees.
 *
 *     CTA 0: write map; release.gpu      CTA 1: acquire.cta; read map      not visible: CTA 0 is out of the scope of the acquire
 *
 * Of another agent's writes the first and the latest are remembered. Where its latest is out of sight and its first is not, some are in sight, and
 * the fence counts as one that covers.
 *
 * Names: fence.proxy.async, wgmma.fence, tcgen05.fence, fence.proxy.tensormap (PTX); commit_smem (Pallas).
 *
 * Laws
 * 1. A fence adds nothing to `order`.
 * 2. A second fence of the same kind right after the first adds nothing.
 *
 * Source: PTX ISA, proxies; tcgen05.fence.
 */
import type { Fence, Footprint, Stamp } from '../../log/events.js'
import type { FenceName } from '../subject.js'
import { isOfSingles } from '../../log/events.js'
import { reachOf } from '../../log/reach.js'
import { publishInit } from './barriers.js'
import type { Context, MapRange, Stored } from './context.js'
import { farTo, tick } from './context.js'
import * as Digest from './digest.js'
import type { Home, Knowledge } from './knowledge.js'
import { lanesCovered } from './near.js'
import {
  acquireMaps,
  clockOf,
  fenceAsync,
  fenceInitialisations,
  fenceRegisters,
  joinVector,
  programOf,
  releasedBy,
  releaseMaps,
} from './knowledge.js'
import { fenceMemory } from './strong-fences.js'
import type { Detector } from './state.js'
import { valueAt } from './sparse.js'

/** The number of the range that an acquire of tensor maps is about. */
const rangeOf = (c: Context, { bytes, cta, reach }: MapRange): number => {
  const known = c.ranges.findIndex(
    (range) => range.bytes?.id === bytes?.id && range.cta === cta && range.reach === reach,
  )
  return known >= 0 ? known : c.ranges.push({ bytes, cta, reach }) - 1
}

/** Maps are taken from each release that this acquire reaches and that reaches it, for readers that both reach. */
const takeMaps = (c: Context, x: number, scope: Fence['scope'], bytes: Footprint | undefined): void => {
  const { header } = c
  const k = c.agents[x]!.knowledge
  const { cta } = header.agents[x]!
  for (let from = 0; from < header.ctas; from++) {
    const far = farTo(c, from, cta)
    for (const reach of [1, 2, 3] as const) {
      const both = reach < reachOf(scope) ? reach : reachOf(scope)
      const released = releasedBy(k, from, reach)
      if (both < far || released.length === 0) continue
      // of the whole grid all CTAs are one
      acquireMaps(k, rangeOf(c, { bytes, cta: both === 3 ? 0 : cta, reach: both }), released)
    }
  }
}

/** The window of shared memory of an agent's CTA: in a cluster of one CTA, all that there is. */
const homeOf = (c: Context, x: number): 'cluster' | Home => {
  const { header } = c
  if (isOfSingles(header)) return 'cluster'
  const { cta } = header.agents[x]!
  const isOwn = (agent: number): boolean => header.agents[agent]!.cta === cta
  return {
    cta,
    isOwn,
    holds: (barrier) => header.barriers[barrier]!.cta === cta,
    guests: [...c.guests].filter((agent) => !isOwn(agent)),
  }
}

/** Of a fence of tensor maps its scope; `over`: of an acquire of them the bytes that it is about, if not all. */
export const applyFence = (
  c: Context,
  x: number,
  kind: FenceName,
  scope: Fence['scope'] = 'global',
  over?: Footprint,
): void => {
  const a = c.agents[x]!
  switch (kind) {
    case 'shared':
      fenceAsync(a.knowledge, homeOf(c, x))
      return
    case 'cluster':
    case 'global':
      fenceAsync(a.knowledge, kind)
      return
    case 'wgmma':
      fenceRegisters(a.knowledge, x)
      return
    case 'tensorBefore':
      joinVector(a.published, a.knowledge.tensor)
      return
    case 'tensorAfter':
      joinVector(a.knowledge.tensor, a.received)
      return
    case 'mapRelease':
      releaseMaps(c.extent, a.knowledge, c.header.agents[x]!.cta, reachOf(scope))
      return
    case 'mapAcquire':
      takeMaps(c, x, scope, over)
      return
    case 'mbarrierInit':
      fenceInitialisations(a.knowledge, x)
      return
  }
}

/** fence.mbarrier_init by lanes of an agent: asynchronous units find what these lanes have initialised. */
export const publishInits = (d: Detector, stamp: Stamp): void => {
  for (const b of d.barriers) publishInit(b, stamp)
}

/** Would a proxy fence of this agent make a write to shared memory visible to asynchronous units that was not yet? */
const covers = (c: Context, k: Knowledge, space: 'cluster' | Home): boolean => {
  const seen = k.visible.counters
  const fenced = k.async.counters
  const isNew = (stored: Stored, at: number, done: number): boolean =>
    stored.last > done && stored.first <= at && at > done
  return c.agents.some((y, x) => {
    const at = valueAt(seen, programOf(x))
    const isOwn = space === 'cluster' || space.isOwn(x)
    if (isOwn && isNew(y.stored, at, valueAt(fenced, programOf(x)))) return true
    const copies = clockOf('cpAsync', x)
    if (isOwn && valueAt(seen, copies) > valueAt(fenced, copies)) return true
    if (space === 'cluster') return isNew(y.storedAfar, at, valueAt(fenced, clockOf('fencedAfar', x)))
    return !isOwn && isNew(y.storedAfar, at, 0) && lanesCovered(k.async.near, space.cta, x, at) !== -1
  })
}

export const fence = (d: Detector, e: Fence): void => {
  const c = d.context
  const a = tick(c, e.stamp)
  const x = e.stamp.agent
  Digest.ofAgent(c.digest, x, 8, e.stamp.at, Digest.ofName(e.kind), Digest.ofName(e.scope))
  switch (e.kind) {
    case 'memory':
      fenceMemory(d, e)
      return
    case 'proxyAsync':
      if (e.scope === 'global' || !covers(c, a.knowledge, e.scope === 'cta' ? homeOf(c, x) : e.scope))
        a.fences++
      applyFence(c, x, e.scope === 'cta' ? 'shared' : e.scope)
      return
    case 'wgmma':
    case 'tensorBefore':
    case 'tensorAfter':
      applyFence(c, x, e.kind)
      return
    case 'mbarrierInit':
      publishInits(d, e.stamp)
      applyFence(c, x, e.kind)
      return
    case 'tensormap':
      a.fences++
      applyFence(c, x, 'mapRelease', e.scope)
      return
    case 'tensormapAcquire':
      if (e.footprint !== undefined)
        Digest.ofAgent(c.digest, x, 9, e.stamp.at, Digest.ofSpans(e.footprint.plane, e.footprint.spans), 0)
      applyFence(c, x, 'mapAcquire', e.scope, e.footprint)
      return
  }
}
