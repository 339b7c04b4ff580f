/**
 * Visibility: what an access finds of what was written before it.
 *
 * Visibility is smaller than order. It flows along program order, from an issue into the accesses of its operation, and over those edges of `order.ts` that
 * tell; it does not flow from an issue into a signal, nor over a relaxed edge. That is for ordinary memory. Three windows open only across a fence:
 *
 *     asynchronous units   generic  -- fence.proxy.async -->  shared (smem), global (gmem);  -- wgmma.fence -->  registers
 *     tensor maps          generic  -- fence.proxy.tensormap release -->  released  -- acquire -->  mapped
 *     tensor memory        tensor   -- before_thread_sync -->  published  == arrive, wait ==>  received  -- after_thread_sync -->  tensor
 *
 * | the write was through | the access goes through | it is visible if the write is in the access's view |
 * |-----------------------|-------------------------|----------------------------------------------------|
 * | tensor                | any                     | `tensor`                                           |
 * | generic, by an agent  | tensormap               | `mapped`, over an acquire of the bytes that both touch |
 * | generic               | async (or tensormap)    | `shared`, `global`, `registers`, as the memory is; what an operation wrote to global memory: `shared` |
 * | generic               | generic, tensor         | `generic`                                          |
 * | async                 | any                     | `generic`: a completion that is observed fences itself |
 *
 * A strong access, and a semaphore wait, read before they know what they take over: they look in `found` in the place of `generic`.
 *
 * Worked. T0: write x #1; fence.proxy.async #2; arrive b #3. T1: wait b #4; issue TMA store of x #5 (reads x #6). Fact 1 is in (1, generic), so in
 * (2, generic), (2, shared), (3, shared), over the release and the acquire in (4, shared), (5, shared), (6, shared): visible. With the fence before the write
 * 1 is in (6, generic) alone: P1 or P2.
 */
import { isCompilers, type Plane } from '../log/events.js'
import { bytesOf, common, without } from './bytes.js'
import type { Judging } from './judging.js'
import { doneFact } from './order.js'
import type { Reading, Touch } from './reading.js'
import { distance, reachOf } from './strong.js'
import type { Arrow, Knows, View } from './views.js'
import { enters, flows } from './views.js'

// ---------------------------------------------------------------- fences

const earlierOf = (r: Reading, agent: number, at: number): ReadonlyArray<number> =>
  r.programs[agent]!.filter((i) => i <= at)

/** What the agent sees of shared memory, or of global memory, asynchronous units find from here on. */
export const proxyFence = (r: Reading): ReadonlyArray<Arrow> =>
  r.log.flatMap((e, i) =>
    e._tag === 'fence' && e.kind === 'proxyAsync'
      ? [flows(i, i, [['generic', e.scope === 'global' ? 'global' : 'shared']])]
      : [],
  )

/** A proxy fence of shared memory is limited to its window: that of the cluster, or that of its own CTA. */
const isInItsWindow = (r: Reading, fence: number, plane: Plane): boolean => {
  const e = r.log[fence]!
  if (e._tag !== 'fence' || e.kind !== 'proxyAsync' || e.scope === 'global') return false
  const isLimited = e.scope === 'cta' && plane.space === 'smem'
  return !isLimited || r.header.agents[e.stamp.agent]!.cta === (plane.cta ?? 0)
}

/** Does a fence whose window holds this plane take the fact over, and is that fence seen here? */
export const isCovered = (r: Reading, knows: Knows, at: number, plane: number, fact: number): boolean =>
  knows(at, 'shared', fact) &&
  r.log.some(
    (_e, i) =>
      i < at &&
      isInItsWindow(r, i, r.header.planes[plane]!) &&
      knows(i, 'generic', fact) &&
      knows(at, 'generic', i),
  )

/** The agent's own register accesses so far, for the wgmma that it issues from here on. */
export const registerFence = (r: Reading): ReadonlyArray<Arrow> =>
  r.log.flatMap((e, i) =>
    e._tag === 'fence' && e.kind === 'wgmma'
      ? earlierOf(r, e.stamp.agent, i).map((k) => enters(k, i, ['registers']))
      : [],
  )

/** Tensor maps are released, then acquired. */
export const mapFence = (r: Reading): ReadonlyArray<Arrow> =>
  r.log.flatMap((e, i) =>
    e._tag !== 'fence'
      ? []
      : e.kind === 'tensormap'
        ? [flows(i, i, [['generic', 'released']])]
        : e.kind === 'tensormapAcquire'
          ? [flows(i, i, [['released', 'mapped']])]
          : [],
  )

/** A release that has the write, and that this acquire knows; and the narrower of the two includes all of who releases, who acquires and who reads. */
const isPaired = (r: Reading, knows: Knows, acquire: number, write: Touch, reader: number): boolean => {
  const to = r.log[acquire]!
  return r.log.some((from, j) => {
    if (from._tag !== 'fence' || from.kind !== 'tensormap' || to._tag !== 'fence') return false
    const reach = Math.min(reachOf[from.scope], reachOf[to.scope])
    const taker = to.stamp.agent
    return (
      distance(r, from.stamp.agent, taker) <= reach &&
      distance(r, taker, reader) <= reach &&
      knows(j, 'generic', write.at) &&
      knows(acquire, 'generic', j)
    )
  })
}

/**
 * An acquire takes the maps in its bytes alone: there must be one of the bytes that both touch, to which the write was released, as far as both fences reach, and which
 * the reader sees.
 */
const taken = (r: Reading, knows: Knows, write: Touch, by: Touch): boolean =>
  r.log.some(
    (e, i) =>
      e._tag === 'fence' &&
      e.kind === 'tensormapAcquire' &&
      (e.footprint === undefined ||
        (e.footprint.plane === by.access.footprint.plane &&
          without(common(write.bytes, by.bytes), bytesOf(e.footprint)).length === 0)) &&
      knows(i, 'released', write.at) &&
      knows(by.at, 'generic', i) &&
      isPaired(r, knows, i, write, by.access.stamp.agent),
  )

/** Barriers that the agent itself has initialised so far, for who acquires from it, be its arrive relaxed. */
export const initFence = (r: Reading): ReadonlyArray<Arrow> =>
  r.log.flatMap((e, i) =>
    e._tag === 'fence' && e.kind === 'mbarrierInit'
      ? [
          ...earlierOf(r, e.stamp.agent, i).map((k) => enters(k, i, ['announced'])),
          flows(i, i, [['announced', 'inits']]),
        ]
      : [],
  )

/** Tensor memory is handed on behind before_thread_sync, and taken over by after_thread_sync, or by a wait that orders the tensor core. */
export const threadSync = (r: Reading): ReadonlyArray<Arrow> => {
  const observing = new Set(r.histories.flatMap((h) => h.observations.map((o) => o.at)))
  return r.log.flatMap((e, i) => {
    if (e._tag === 'fence' && e.kind === 'tensorBefore') return [flows(i, i, [['tensor', 'published']])]
    const takes =
      (e._tag === 'fence' && e.kind === 'tensorAfter') ||
      (e._tag === 'wait' && observing.has(i) && e.acquire && e.tensor) ||
      (e._tag === 'rendezvous' && e.kind === 'leave' && e.relaxed !== true && e.tensor === true)
    return takes ? [flows(i, i, [['received', 'tensor']])] : []
  })
}

// ---------------------------------------------------------------- sees

/** Views in which accesses look for what was written. */
type Window = Extract<View, 'found' | 'generic' | 'shared' | 'global' | 'registers' | 'mapped' | 'tensor'>

/** The view in which an access looks for what a write left. */
export const window = (r: Reading, write: Touch, by: Touch): Window => {
  const { proxy } = by.access
  if (write.access.proxy === 'tensor') return 'tensor'
  if (write.access.proxy !== 'generic' || proxy === 'generic' || proxy === 'tensor')
    return by.access.atomic && by.operation === undefined ? 'found' : 'generic'
  if (proxy === 'tensormap' && write.operation === undefined) return 'mapped'
  switch (r.header.planes[write.access.footprint.plane]!.space) {
    case 'gmem':
      return write.operation === undefined ? 'global' : 'shared'
    case 'regs':
      return 'registers'
    case 'smem':
    case 'tmem':
      return 'shared'
  }
}

/** Does this access find what that one wrote? */
export const sees = (r: Reading, knows: Knows, write: Touch, by: Touch): boolean => {
  // by this path nothing is sure to be found that the kernel has written
  if (by.access.proxy === 'readOnly') return false
  const fact = doneFact(write)
  const view = window(r, write, by)
  if (fact < 0 || !knows(by.at, view, fact)) return false
  switch (view) {
    case 'mapped':
      return taken(r, knows, write, by)
    case 'shared':
      return isCovered(r, knows, by.at, by.access.footprint.plane, fact)
    case 'generic':
    case 'found':
    case 'global':
    case 'registers':
    case 'tensor':
      return true
  }
}

/** A generic read of an agent, and a proxy fence by an agent that knows it, before an asynchronous overwrite. */
export const fenced = (r: Reading, knows: Knows, read: Touch, by: Touch): boolean => {
  const view = window(r, read, by)
  return view === 'shared'
    ? isCovered(r, knows, by.at, by.access.footprint.plane, read.at)
    : knows(by.at, view, read.at)
}

/**
 * What is asked of them: a fence, or a note where there is none. On Blackwell slots of shared memory have gone wrong without; on Hopper none has, and kernels that ship
 * do without; and what a compiler leaves out no author can add. Under `strictProxies` it is asked of all memory, on every chip.
 */
export const readFence = (
  r: Reading,
  read: Touch,
  by: Touch,
  { options }: Judging,
): 'demanded' | 'noted' | undefined => {
  const { space } = r.header.planes[read.access.footprint.plane]!
  if (read.operation !== undefined || read.access.proxy !== 'generic' || by.access.proxy !== 'async')
    return undefined
  if (space === 'regs') return undefined
  if (options.strictProxies) return 'demanded'
  if (space !== 'smem') return undefined
  return r.header.arch === 'sm100a' && !isCompilers(r.header.fences) ? 'demanded' : 'noted'
}
