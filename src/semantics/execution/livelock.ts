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
 * Keys are dear, so an agent is looked at from its eighth such event on, and what it is compared with is renewed at powers of two (Brent).
 *
 * Laws
 * 1. A run that is called stuck offers no event, now or in any continuation, that changes memory, a barrier or an operation.
 * 2. A run that ends is never called stuck.
 */
import { bitsOf } from '../../numerics/dtype.js'
import * as Plane from '../machine/plane.js'
import { doesOf, stronglyNamed } from '../instructions/families.js'
import type { Prepared } from '../machine/operation.js'
import type { Machine } from '../machine/state.js'
import type { World } from '../machine/world.js'
import type { Offered } from './step.js'

interface Asking {
  times: number
  /** at a power of two: before which statement, and where it stood then */
  site: number
  stood: string | null
}

/** What is known since the last change. */
export interface Vain {
  readonly agents: Map<number, Asking>
  /** those that have come back */
  readonly back: Set<number>
  readonly regions: Map<object, number>
}

export const vain = (): Vain => ({ agents: new Map(), back: new Set(), regions: new Map() })

const changed = (v: Vain): void => {
  if (v.agents.size === 0) return
  v.agents.clear()
  v.back.clear()
}

/** What an event may leave as it is: nothing; all, for it only reads or sleeps; or all, and it asks for what another may do: these words, or a barrier. */
export type Leaving = 'changes' | 'reads' | { readonly words: string }

const wordsOf = (m: Machine, p: Prepared): string => {
  const named = p._tag === 'atomic.words' ? stronglyNamed(p) : null
  if (named === null) return ''
  const { plane, dtype, offsets, origin } = named.elements
  const bytes = bitsOf(dtype) / 8
  return [...offsets].map((o) => (o < 0 ? '' : Plane.wordAt(m.planes[plane]!, o + origin, bytes))).join()
}

/** Of an event that has not been taken yet. */
export const leaving = (m: Machine, { operation, ready }: Offered): Leaving => {
  if (operation !== null || ready?._tag !== 'do') return 'changes'
  const does = doesOf(ready.prepared)
  return does === 'asks' ? { words: wordsOf(m, ready.prepared) } : does
}

/** An event was taken, of which that was to be expected. */
export const took = (v: Vain, world: World, m: Machine, o: Offered, left: Leaving): void => {
  if (left === 'reads' || o.ready?._tag !== 'do') return
  if (left === 'changes' || left.words !== wordsOf(m, o.ready.prepared)) {
    changed(v)
    return
  }
  const { agent } = o.key
  if (v.back.has(agent)) return
  const { site } = o.ready
  const asking = v.agents.get(agent) ?? { times: 0, site: -1, stood: null }
  v.agents.set(agent, asking)
  asking.times++
  const renews = asking.times >= first && (asking.times & (asking.times - 1)) === 0
  if (!renews && asking.site !== site) return
  const a = m.agents[agent]!
  const numberOf = (region: object): number => {
    const known = v.regions.get(region) ?? v.regions.size
    v.regions.set(region, known)
    return known
  }
  const stood =
    a.stand === null ? '' : `${world.front.where(a.stand, a.ready, numberOf)}|${a.ready?._tag ?? ''}`
  if (asking.site === site && stood === asking.stood) v.back.add(agent)
  else if (renews) {
    asking.site = site
    asking.stood = stood
  }
}
/** Tries of an agent before it is looked at. */
const first = 8

/** What is on offer; of those that have come back it says so, that a policy may let others go first. */
export const marked = ({ back }: Vain, all: ReadonlyArray<Offered>): ReadonlyArray<Offered> =>
  back.size === 0
    ? all
    : all.map((o) =>
        o.operation === null && back.has(o.key.agent) ? Object.assign({}, o, { inVain: true as const }) : o,
      )

/** Can only those go on that have come back? */
export const isLivelock = ({ back }: Vain, all: ReadonlyArray<Offered>): boolean =>
  back.size > 0 && all.every(({ key, operation }) => operation === null && back.has(key.agent))
