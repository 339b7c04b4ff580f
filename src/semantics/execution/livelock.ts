/**
 * Livelock: everybody who could move asks in vain, and will for ever.
 *
 * A lock that is never released is no wait of the machine: its loop compares and exchanges again and again, and each time is an event. Such a run would be
 * stopped by its fuel, after minutes, and would say nothing. So what agents do is followed from the last event that changed anything but the agent
 * itself:
 *
 *     warp 0   cas lock 0 -> 1: finds 1     stands where it stood before, with the same registers
 *     warp 1   cas lock 0 -> 1: finds 1     so does warp 1
 *     no other event is on offer            nothing can change any more: the run is stuck
 *
 * What an agent does next depends on its registers, on where it stands and on memory alone. If it comes back to where it stood and memory is the same, it comes back
 * for ever, in whatever order others move. A loop that counts its tries does not come back, and ends by itself.
 *
 * Where one thread asks for all of a CTA, its answer goes through shared memory and a barrier, so the loop writes. A CTA alone sees that:
 *
 *     warp 0        cas lock 0 -> 1: finds 1; writes 1 to shared memory; bar.sync
 *     warp 1 ... 3  bar.sync; read 1; begin again
 *
 * So a CTA has come back as a whole if one of its agents asks in vain and finds all of them, and every word of shared memory that they have written, as they were. What
 * it does in between is a function of memory that others write, and nothing of that changes; if its order matters, that is a race inside it, and told as such. Only agents
 * that have moved in between are known to come back. CTAs of a cluster write to each other: of these only agents are followed, each alone.
 *
 * Keys are dear, so an agent is looked at from its eighth such event on, and what it is compared with is renewed at powers of two (Brent).
 *
 * Laws
 * 1. A run that is called stuck offers no event, now or in any continuation, that changes memory that another CTA sees, an mbarrier or an operation.
 * 2. A run that ends is never called stuck.
 */
import { bitsOf } from '../../numerics/dtype.js'
import { ctaOf } from '../machine/effect.js'
import * as Plane from '../machine/plane.js'
import { doesOf, stronglyNamed } from '../instructions/families.js'
import type { Prepared } from '../machine/operation.js'
import type { Machine, Ready } from '../machine/state.js'
import type { World } from '../machine/world.js'
import type { Offered } from './step.js'

interface Asking {
  times: number
  /** at a power of two: before which statement, and where it stood then */
  site: number
  stood: string | null
}

/** A CTA that is asked about. */
interface Circle {
  times: number
  /** at a power of two: who asked before which statement, and how all of them stood then */
  agent: number
  site: number
  stood: string | null
  /** agents that have moved since then */
  moved: Set<number>
  /** words that they have written, by plane and byte, and their bytes */
  readonly written: Map<string, readonly [plane: number, at: number, bytes: number]>
  /** it has come back */
  back: boolean
}

/** What is known since the last change. */
export interface Vain {
  readonly agents: Map<number, Asking>
  /** those that have come back */
  readonly back: Set<number>
  readonly circles: Map<number, Circle>
  readonly regions: Map<object, number>
}

export const vain = (): Vain => ({
  agents: new Map(),
  back: new Set(),
  circles: new Map(),
  regions: new Map(),
})

const changed = (v: Vain): void => {
  if (v.agents.size + v.circles.size === 0) return
  v.agents.clear()
  v.back.clear()
  v.circles.clear()
}

/** An agent of a CTA has changed what it alone sees: who waits for that has not come back. */
const changedWithin = (v: Vain, world: World, cta: number): void => {
  for (const agent of v.agents.keys())
    if (ctaOf(world, agent) === cta) {
      v.agents.delete(agent)
      v.back.delete(agent)
    }
}

/**
 * What an event may leave as it is: nothing; all but what its CTA alone sees; all, for it only reads or sleeps; or all, and it asks for what another may do: these words, or
 * a barrier.
 */
export type Leaving = 'changes' | 'changes within' | 'reads' | { readonly words: string }

const wordsOf = (m: Machine, p: Prepared): string => {
  const named = p._tag === 'atomic.words' ? stronglyNamed(p) : null
  if (named === null) return ''
  const { plane, dtype, offsets, origin } = named.elements
  const bytes = bitsOf(dtype) / 8
  return [...offsets].map((o) => (o < 0 ? '' : Plane.wordAt(m.planes[plane]!, o + origin, bytes))).join()
}

/** A plain store to shared memory of a CTA that has no cluster, or its barrier. */
const isWithin = (world: World, p: Prepared): boolean =>
  world.ctas === 1 &&
  (p._tag === 'store'
    ? p.strong === undefined && world.header.planes[p.destination.plane]!.space === 'smem'
    : p._tag === 'bar' || p._tag === 'bar.leave')

/** Of an event that has not been taken yet. */
export const leaving = (world: World, m: Machine, { operation, ready }: Offered): Leaving => {
  if (operation !== null || ready?._tag !== 'do') return 'changes'
  const does = doesOf(ready.prepared)
  switch (does) {
    case 'asks':
      return { words: wordsOf(m, ready.prepared) }
    case 'reads':
      return does
    case 'changes':
      return isWithin(world, ready.prepared) ? 'changes within' : does
  }
}

const numbering =
  ({ regions }: Vain) =>
  (region: object): number => {
    const known = regions.get(region) ?? regions.size
    regions.set(region, known)
    return known
  }

/** What an agent is ready for; at a barrier, how many generations ago the one that it waits for began, and not its number. */
const sinceThen = (m: Machine, cta: number, ready: Ready | null): Ready | null => {
  if (ready?._tag !== 'do' || ready.prepared._tag !== 'bar.leave') return ready
  const { id, generation } = ready.prepared
  const now = m.named.find((n) => n.cta === cta && n.id === id)?.generation ?? generation
  return Object.assign({}, ready, {
    prepared: Object.assign({}, ready.prepared, { generation: generation - now }),
  })
}

/** Where an agent stands, and with which registers. */
const standing = (v: Vain, world: World, m: Machine, agent: number): string => {
  const { stand, ready } = m.agents[agent]!
  return stand === null
    ? ''
    : `${world.front.where(stand, sinceThen(m, ctaOf(world, agent), ready), numbering(v))}|${ready?._tag ?? ''}`
}

/** How all agents of a CTA stand, and what they have written. */
const portrait = (v: Vain, world: World, m: Machine, cta: number, { written }: Circle): string =>
  [
    ...m.agents.flatMap((a, agent) =>
      ctaOf(world, agent) === cta ? [`${a.status} ${standing(v, world, m, agent)}`] : [],
    ),
    ...m.named.flatMap((n) => (n.cta === cta ? [`${String(n.id)} ${String(n.arrived)}`] : [])).sort(),
    ...[...written].map(([key, [plane, at, bytes]]) => `${key} ${Plane.wordAt(m.planes[plane]!, at, bytes)}`),
  ].join(';')

const circleOf = (v: Vain, cta: number): Circle => {
  const known = v.circles.get(cta)
  if (known !== undefined) return known
  const circle: Circle = {
    times: 0,
    agent: -1,
    site: -1,
    stood: null,
    moved: new Set(),
    written: new Map(),
    back: false,
  }
  v.circles.set(cta, circle)
  return circle
}

/** An agent of a CTA has asked in vain. */
const asked = (v: Vain, world: World, m: Machine, agent: number, site: number): void => {
  const cta = ctaOf(world, agent)
  const circle = circleOf(v, cta)
  circle.times++
  circle.moved.add(agent)
  if (circle.back || circle.written.size === 0) return
  const renews = circle.times >= first && (circle.times & (circle.times - 1)) === 0
  const isThere = circle.agent === agent && circle.site === site
  if (!renews && !isThere) return
  const stood = portrait(v, world, m, cta, circle)
  if (isThere && stood === circle.stood) circle.back = true
  else if (renews) {
    circle.agent = agent
    circle.site = site
    circle.stood = stood
    circle.moved = new Set()
  }
}

/** An agent has done what its CTA alone sees, or nothing of the kind. */
const went = (v: Vain, world: World, agent: number, p: Prepared, isChange: boolean): void => {
  const cta = ctaOf(world, agent)
  const circle = v.circles.get(cta)
  if (circle === undefined) return
  circle.moved.add(agent)
  if (circle.back || !isChange) return
  changedWithin(v, world, cta)
  if (p._tag !== 'store') return
  const { plane, dtype, offsets, origin } = p.destination
  for (const o of offsets)
    if (o >= 0)
      circle.written.set(`${String(plane)}.${String(o + origin)}`, [plane, o + origin, bitsOf(dtype) / 8])
}

/** An event was taken, of which that was to be expected. */
export const took = (v: Vain, world: World, m: Machine, o: Offered, left: Leaving): void => {
  if (o.ready?._tag !== 'do') {
    if (left !== 'reads') changed(v)
    return
  }
  const { agent } = o.key
  if (left === 'reads' || left === 'changes within') {
    went(v, world, agent, o.ready.prepared, left === 'changes within')
    return
  }
  if (left === 'changes' || left.words !== wordsOf(m, o.ready.prepared)) {
    changed(v)
    return
  }
  const { site } = o.ready
  asked(v, world, m, agent, site)
  if (v.back.has(agent)) return
  const asking = v.agents.get(agent) ?? { times: 0, site: -1, stood: null }
  v.agents.set(agent, asking)
  asking.times++
  const renews = asking.times >= first && (asking.times & (asking.times - 1)) === 0
  if (!renews && asking.site !== site) return
  const stood = standing(v, world, m, agent)
  if (asking.site === site && stood === asking.stood) v.back.add(agent)
  else if (renews) {
    asking.site = site
    asking.stood = stood
  }
}
/** Tries of an agent before it is looked at. */
const first = 8

/** Has it come back, alone or with its CTA? */
const isBack = (v: Vain, world: World, { key, operation }: Offered): boolean => {
  if (operation !== null) return false
  if (v.back.has(key.agent)) return true
  const circle = v.circles.get(ctaOf(world, key.agent))
  return circle !== undefined && circle.back && circle.moved.has(key.agent)
}
const isAnyBack = ({ back, circles }: Vain): boolean =>
  back.size > 0 || [...circles.values()].some((circle) => circle.back)

/** What is on offer; of those that have come back it says so, that a policy may let others go first. */
export const marked = (v: Vain, world: World, all: ReadonlyArray<Offered>): ReadonlyArray<Offered> =>
  isAnyBack(v)
    ? all.map((o) => (isBack(v, world, o) ? Object.assign({}, o, { inVain: true as const }) : o))
    : all

/** Can only those go on that have come back? */
export const isLivelock = (v: Vain, world: World, all: ReadonlyArray<Offered>): boolean =>
  isAnyBack(v) && all.every((o) => isBack(v, world, o))

/** The first of those that have come back which does not ask next: it goes on to where it asks, so that it is said of the word that all wait for it. */
export const beforeItAsks = (all: ReadonlyArray<Offered>): Offered | null =>
  all.find(({ ready }) => ready?._tag !== 'do' || doesOf(ready.prepared) !== 'asks') ?? null
