/**
 * Ahead: could lanes do something before others of their warp that a search of states does not follow?
 *
 *     if (lane == 0) arrive b;   else if (!asks b) store(x, 2)          lane 1 may ask before lane 0 has arrived, and the machine lets lane 0 go first
 *
 * A warp is one agent here too, and which of its parted lanes goes first is no choice of the search. So it is asked of every state:
 *
 * | asked                                                                                     | else                                    |
 * |-------------------------------------------------------------------------------------------|-----------------------------------------|
 * | A1 lanes need not come behind what their warp stands ready for                              | all go on together                      |
 * | A2 alone, before they are blocked, they come to what depends on what another agent, another lane of the warp or an operation in flight stands at | it may as well come later |
 * | A3 the lanes that are overtaken touch anything before they meet these                       | they may as well have gone first        |
 *
 * Who asks while an arrival does not end the generation finds it open with it and without it, and two arrivals of one generation are added up. The state in which it would end is asked as well.
 *
 * What only asks, and comes back to where it stood, has done nothing alone, if it asks all of that in each turn. A loop that it comes to behind what it has asked is another matter: another answer may lead elsewhere.
 *
 * Why that is enough is said of the other search (`outcomes/ahead.ts`, G1 to G4). That one asks of words that decide, and leaves all else to the detector. A search of states infers nothing from missing
 * order, and where it is asked mbarriers decide as well: so A2 is of all that an event touches.
 *
 * Law 1. Where nothing goes ahead and nothing is found, nothing is found of the same lanes in warps of their own.
 */
import { ofOperation, ofReady } from '../../execution/event-effects.js'
import { aloneIn, offeredOf, readiesOf, take } from '../../execution/step.js'
import { doesOf } from '../../instructions/families.js'
import type { Touches } from '../../machine/touches.js'
import type { AgentState, Machine } from '../../machine/state.js'
import type { World } from '../../machine/world.js'
import { touchesOf, type Claim, type Count } from './claims.js'
import { conflict } from './reduction.js'

/** Most events that are asked of lanes that go ahead; behind as many they count as seen. */
const farthest = 256

/** What touches claim, in the places of a search. */
export type Claiming = (touches: Touches) => Claim

const meetAt = (a: ReadonlyArray<number>, b: ReadonlyArray<number>): boolean => a.some((x) => b.includes(x))
const barriersOf = ({ counts, asks, lives, under }: Claim): ReadonlyArray<number> => [
  ...counts.map((x) => x.barrier),
  ...asks.map((x) => x.barrier),
  ...lives,
  ...under,
]
const placesOf = ({ meets }: Claim): ReadonlyArray<number> => meets.map((x) => x.place)

/** Arrivals that are missing in the generation under way. */
const pendingAt = (m: Machine, { barrier }: Count): number => m.barriers[barrier]?.pending ?? 0

/** Do these two, without bytes, belong to the generation under way, in whichever order they come? */
const areAddedUp = (m: Machine, x: Count, y: Count): boolean =>
  x.bytes === 0 && y.bytes === 0 && x.arrivals + y.arrivals <= pendingAt(m, x)

/** May it matter that `c` counts before what `d` does? */
const countsMatter = (m: Machine, c: Claim, d: Claim): boolean =>
  c.counts.some(
    (x) =>
      [...d.lives, ...d.under].includes(x.barrier) ||
      (x.arrivals >= pendingAt(m, x) && d.asks.some((y) => y.barrier === x.barrier)) ||
      d.counts.some((y) => y.barrier === x.barrier && !areAddedUp(m, x, y)),
  )

/** May the order of the two matter? Two that ask change nothing, and whose arrivals fill a rendezvous is one for all who leave it. */
const depend = (m: Machine, a: Claim, b: Claim): boolean => {
  const changes = (c: Claim, d: Claim): boolean =>
    countsMatter(m, c, d) ||
    meetAt(c.lives, barriersOf(d)) ||
    meetAt(placesOf(c), d.leaves) ||
    (c.changesTables && meetAt(c.tables, d.tables))
  return conflict(a, b) || changes(a, b) || changes(b, a)
}

/** Where an agent stands, as far as it matters for what it does next. */
const stance = (world: World, m: Machine, agent: number): string => {
  const { stand, ready } = m.agents[agent]!
  return world.front.where(stand!, ready, () => 0)
}

/** What all other threads stand at, and what is in flight. */
const ofOthers = (
  world: World,
  m: Machine,
  agent: number,
  lanes: number,
  claiming: Claiming,
): ReadonlyArray<Claim> => [
  ...m.agents.flatMap(({ status }, other) =>
    status !== 'running'
      ? []
      : readiesOf(world, m, other).flatMap((r) => {
          const isOwn =
            other === agent && (r._tag !== 'do' || r.by === undefined || (r.by.mask & lanes) !== 0)
          return isOwn ? [] : [claiming(ofReady(world, m, other, r))]
        }),
  ),
  ...m.inFlight.map((f) => claiming(ofOperation(f))),
]

/** A2. */
const comeToMore = (world: World, m: Machine, agent: number, lanes: number, claiming: Claiming): boolean => {
  let others: ReadonlyArray<Claim> | null = null
  let now = aloneIn(world, m, agent, lanes)
  /** where they stood since they last did more than ask, and where they have asked for what others do: when */
  let stood = new Map([[stance(world, now, agent), 0]])
  const asked = new Map<number, number>()
  for (let k = 0; k < farthest; k++) {
    const next = offeredOf(world, now, agent)
    if (next?.ready?._tag !== 'do') return asked.size > 0
    const before = now
    const own = claiming(touchesOf(world, before, next))
    others ??= ofOthers(world, m, agent, lanes, claiming)
    const does = doesOf(next.ready.prepared)
    if (others.some((c) => depend(before, own, c))) {
      if (does !== 'asks') return true
      asked.set(next.ready.site, k)
    }
    if (does === 'changes') {
      if (asked.size > 0) return true
      stood = new Map()
    }
    const done = take(world, now, next)
    if ('kind' in done) return asked.size > 0
    now = aloneIn(world, done.machine, agent, lanes)
    const here = stance(world, now, agent)
    const then = stood.get(here)
    // round this loop they ask once more, or for ever for something else
    if (then !== undefined) return [...asked.values()].some((at) => at < then)
    stood.set(here, k + 1)
  }
  return true
}

/** Do these lanes touch something before they meet others of their warp? */
const touch = (world: World, m: Machine, agent: number, lanes: number): boolean => {
  let now = aloneIn(world, m, agent, lanes, true)
  for (let k = 0; k < farthest; k++) {
    const { ready } = now.agents[agent]!
    if (ready === null) return false
    if (ofReady(world, now, agent, ready).length > 0) return true
    const next = offeredOf(world, now, agent)
    if (next === null) return true
    const done = take(world, now, next)
    if ('kind' in done) return true
    now = aloneIn(world, done.machine, agent, lanes, true)
  }
  return true
}

/** The lanes that do what an agent stands ready for. */
const lanesNow = ({ ready }: AgentState): number =>
  ready?._tag === 'do' && ready.by !== undefined ? ready.by.mask : 0

/** Could lanes go ahead in this state of others of their warp? */
export const lanesGoAhead = (world: World, m: Machine, claiming: Claiming): boolean => {
  const { parts } = world.front
  return (
    parts !== null &&
    m.agents.some((a, agent) => {
      if (a.status !== 'running') return false
      const behind = parts.behind(a)
      return behind.some(
        (lanes) =>
          // A3
          [lanesNow(a), ...behind].some((other) => {
            const overtaken = other & ~lanes
            return overtaken !== 0 && touch(world, m, agent, overtaken)
          }) && comeToMore(world, m, agent, lanes, claiming),
      )
    })
  )
}
