/**
 * Ahead: lanes that have left a wait in which others of their warp still are, and what they could do before these.
 *
 *     while (load(flag[lane]) == 0);   store(seen, 1)          lane 1 has found its flag, lane 0 has not: lane 1 may store, and another CTA may look before lane 0 goes on
 *
 * The machine keeps lanes at the place where their warp meets again, and lets them go on alone only where nothing else can (`machine/warp-stand.ts`). To try every order of 32 lanes would be
 * 2^32 states, and nearly always it comes to nothing: what follows such a wait is a barrier, a shuffle or work that others do not see. So a search asks what they would do:
 *
 * | asked, where another agent can do something that may matter                      | else                             |
 * |----------------------------------------------------------------------------------|----------------------------------|
 * | G1 lanes are parked, and others of their warp wait                               | these go on first, and they meet |
 * | G2 alone, they come to what may matter, before they are blocked or meet          | no other agent sees it           |
 * | G3 another agent stands at a word of that: it looks, writes, or waits for it      | it may as well come later        |
 *
 * Where all of it holds the search has not followed that order, and what it says of all schedules is not known. A wait on their way, as it changes nothing, is passed.
 *
 * Why G3 is enough. Take an order in which lanes go ahead, and the first event there of another agent that touches what they do. If nothing does before the others of their warp have come, they may as well have met. Else
 * the same agent stands there where the lanes are still parked: what came before touches nothing of theirs.
 *
 * Law 1. A search in which nothing goes ahead says of lanes of one warp what it says of the same lanes in warps of their own, but for the order of what lanes do that wait for nothing.
 */
import { doesOf } from '../../instructions/families.js'
import type { Machine } from '../../machine/state.js'
import type { World } from '../../machine/world.js'
import { offeredOfLanes, readiesOf, take, type Offered } from '../../execution/step.js'
import { matters, wordsAt, type Learned } from './learned.js'

/** Most events that are asked of lanes that go ahead; behind as many they count as seen. */
const farthest = 256

/** G3: words that other agents stand at. */
const wordsOfOthers = (world: World, m: Machine, agent: number): ReadonlySet<string> =>
  new Set(
    m.agents.flatMap(({ status }, other) =>
      other === agent || status !== 'running' ? [] : readiesOf(world, m, other).flatMap(wordsAt),
    ),
  )

/** G2 and G3; a fence has no word, and is in an order with all others. */
const comeToMatter = (world: World, learned: Learned, m: Machine, agent: number, lanes: number): boolean => {
  const others = wordsOfOthers(world, m, agent)
  let now = m
  for (let k = 0; k < farthest; k++) {
    const next = offeredOfLanes(world, now, agent, lanes)
    if (next?.ready?._tag !== 'do') return false
    if (matters(learned, next) && doesOf(next.ready.prepared) !== 'asks') {
      const words = wordsAt(next.ready)
      if (words.length === 0 || words.some((word) => others.has(word))) return true
    }
    const done = take(world, now, next)
    if ('kind' in done) return false
    now = done.machine
  }
  return true
}

/** Could lanes go ahead here, of an agent that none of these choices is of? */
export const goAhead = (
  world: World,
  learned: Learned,
  m: Machine,
  choices: ReadonlyArray<Offered>,
): boolean => {
  const { parts } = world.front
  return (
    parts !== null &&
    choices.length > 0 &&
    m.agents.some(
      (a, agent) =>
        a.status === 'running' &&
        choices.some(({ key }) => key.agent !== agent) &&
        parts.parked(a).length > 0 &&
        parts.parked(a).some((part) => comeToMatter(world, learned, m, agent, parts.lanes(a, part))),
    )
  )
}
