/**
 * Touches: what an event reads, writes, counts and waits for.
 *
 * One answer for everybody who asks whether two events can change places: a watch for states that offer two conflicting accesses
 * (`verdict/race-witness.ts`), and the search of all schedules (`explore/`), which takes early what commutes with all else.
 *
 *     event                                  touches
 *     store to a slot                        write of its bytes
 *     the box of a TMA load arrives          read of global memory, write of the slot
 *     its bytes reach the barrier            count 0 arrivals and -bytes
 *     wait for parity 0                      wait
 *     tcgen05.dealloc 128                    write of the columns that it would free now, in both CTAs of a pair; the CTA's allocator changes
 *
 * An event that puts an operation in flight touches nothing by that: the operation's own events do.
 *
 * Law 1. Two offered events of different owners whose touches do not meet can be taken in either order, with the same machine after both.
 *
 * Source: the core's own semantics; docs/hazards.md.
 */
import * as Families from '../instructions/families.js'
import * as Reach from '../log/reach.js'
import { ctaOf, placeOf as clusterOf } from '../machine/effect.js'
import type { When } from '../machine/family.js'
import type { InFlight } from '../machine/operation.js'
import type { Ready } from '../machine/state.js'
import { none, type MemoryTouch, type Touches } from '../machine/touches.js'
import type { World } from '../machine/world.js'

/** The next event of an operation in flight. */
export const ofOperation = (f: InFlight): Touches => Families.fliesOf(f).touches(f)

/** CTAs that must not have ended before the next events of this operation. */
export const ctasOf = (world: World, f: InFlight): ReadonlyArray<number> => Families.fliesOf(f).ctas(world, f)

/** What an agent stands ready to do. */
export const ofReady = (world: World, m: When, agent: number, r: Ready | null): Touches => {
  if (r === null) return none
  switch (r._tag) {
    case 'do':
      return Families.touchesOf({ world, agent, when: m }, r.prepared)
    case 'fork':
      return [{ _tag: 'start', agents: r.children }]
    case 'join':
    case 'fault':
      return none
  }
}

/** Whether two accesses of these agents are atomic for one another (`log/reach.ts`). */
export const atomicTogether = (
  world: World,
  x: MemoryTouch,
  agentX: number,
  y: MemoryTouch,
  agentY: number,
): boolean =>
  Reach.atomicTogether(
    x,
    y,
    Reach.between(
      ctaOf(world, agentX) === ctaOf(world, agentY),
      clusterOf(world, agentX) === clusterOf(world, agentY),
    ),
  )
