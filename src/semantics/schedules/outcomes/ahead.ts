/**
 * Ahead: lanes that need not wait for others of their warp, and what they could do before these.
 *
 *     while (load(flag[lane]) == 0);   store(seen, 1)          lane 1 has found its flag, lane 0 has not: lane 1 may store, and another CTA may look before lane 0 goes on
 *     if (lane == 0) store(a, 1);   else store(b, 1)           lane 1 may store first, or long after
 *
 * The machine lets the part of a warp with the lowest lane go first, keeps the others behind it and at the place where they meet again, and lets them go on alone only where nothing else can
 * (`machine/warp-stand.ts`). To try every order of 32 lanes would be 2^32 states, and nearly always it comes to nothing: what they come to is a barrier, a shuffle or work that others do not
 * see. So a search asks what they would do:
 *
 * | asked, where something is on offer that may matter                                     | else                             |
 * |----------------------------------------------------------------------------------------|----------------------------------|
 * | G1 there are lanes that do not do what their warp stands ready for                       | all go on together               |
 * | G2 alone, they come to what may matter, before they are blocked or need others           | no other thread sees it          |
 * | G3 another agent, or another lane of the warp, stands at a word of that                  | it may as well come later        |
 * | G4 before they meet, other lanes of the warp do more than store into words that no other agent stores into, nor these lanes | these may as well have stored first |
 *
 * Lanes of the same warp that only ask, and come back to where they stand, ask once more when these have gone: for them it is no matter.
 *
 * Where all of it holds the search has not followed that order, and what it says of all schedules is not known: it is asked of threads as agents (`verdict/by-threads.ts`). What they only read on their way changes nothing and is passed: which older
 * writes they may find is asked of each read (`older.ts`). Where they ask again and again, and come back to where they stood, they do no more alone.
 *
 * G1 is not of waits alone: the lanes of a loop that is no wait to the machine part as well.
 *
 * Why G3 is enough. Take an order in which lanes go ahead, and the first event there of another thread that touches what they do. If nothing does before the others of their warp have come, they may
 * as well have met. Else the same thread stands there where the lanes are still behind: what came before touches nothing of theirs.
 *
 * Why G4 is needed. Stores of lanes that are overtaken can be moved before all that overtakes them: they find nothing, no order with other stores changes, and who has read such a word too early may
 * find an older write of it, which is asked of each read. Without G4 of 200 random kernels that part at a branch 47 that are right were undecided, with it 39.
 *
 * Law 1. A search in which nothing goes ahead says of lanes of one warp what it says of the same lanes in warps of their own, but for lanes that do one instruction together.
 */
import { doesOf, stronglyNamed } from '../../instructions/families.js'
import * as Plane from '../../machine/plane.js'
import type { AgentState, Machine, Ready } from '../../machine/state.js'
import type { World } from '../../machine/world.js'
import { aloneIn, blocked, offeredOf, readiesOf, take, type Offered } from '../../execution/step.js'
import { matters, wordsAt, type Learned } from './learned.js'
import { isSteadyWait } from './steady.js'

/** Most events that are asked of lanes that go ahead; behind as many they count as seen. */
const farthest = 256

/** Does memory hold the same at these words? */
const sameAt = (words: ReadonlyArray<string>, a: Machine, b: Machine): boolean =>
  words.every((word) => {
    const [plane, at] = word.split('+').map(Number)
    return Plane.wordAt(a.planes[plane!]!, at!, 4) === Plane.wordAt(b.planes[plane!]!, at!, 4)
  })

/** Where an agent stands, as far as it matters for what it does next. */
const stance = (world: World, m: Machine, agent: number): string => {
  const { stand, ready } = m.agents[agent]!
  return world.front.where(stand!, ready, () => 0)
}

/** Do these lanes do no more alone than ask, and come back to where they stand? */
const comeBack = (world: World, m: Machine, agent: number, lanes: number): boolean => {
  let now = aloneIn(world, m, agent, lanes)
  const first = stance(world, now, agent)
  for (let k = 0; k < farthest; k++) {
    const next = offeredOf(world, now, agent)
    if (next?.ready?._tag !== 'do' || doesOf(next.ready.prepared) !== 'asks') return false
    const done = take(world, now, next)
    if ('kind' in done || !sameAt(wordsAt(next.ready), now, done.machine)) return false
    now = aloneIn(world, done.machine, agent, lanes)
    if (stance(world, now, agent) === first) return true
  }
  return false
}

/** Other lanes of the same warp stand there, and whether these come first or last is not the same. */
const matterTo =
  (world: World, learned: Learned, m: Machine, agent: number, lanes: number) =>
  (r: Ready): boolean =>
    r._tag === 'do' &&
    r.by !== undefined &&
    (r.by.mask & lanes) === 0 &&
    !blocked(world, m, agent, r) &&
    !isSteadyWait(learned.steady, r.prepared) &&
    !(doesOf(r.prepared) === 'asks' && comeBack(world, m, agent, r.by.mask))

/** G3: words that other threads stand at. */
const wordsOfOthers = (
  world: World,
  learned: Learned,
  m: Machine,
  agent: number,
  lanes: number,
): ReadonlySet<string> =>
  new Set(
    m.agents.flatMap(({ status }, other) => {
      if (status !== 'running') return []
      const readies = readiesOf(world, m, other)
      const those = other === agent ? readies.filter(matterTo(world, learned, m, agent, lanes)) : readies
      return those.flatMap(wordsAt)
    }),
  )

/** The lanes that do what an agent stands ready for. */
const lanesNow = ({ ready }: AgentState): number =>
  ready?._tag === 'do' && ready.by !== undefined ? ready.by.mask : 0

/**
 * G4: the words that these lanes store into before they meet others of their warp; null: they do something that what others do before may change, or into what another agent
 * stores as well.
 */
const storesOf = (
  world: World,
  learned: Learned,
  m: Machine,
  agent: number,
  lanes: number,
): ReadonlyArray<string> | null => {
  const out: string[] = []
  let now = aloneIn(world, m, agent, lanes, true)
  for (let k = 0; k < farthest; k++) {
    const { ready } = now.agents[agent]!
    if (ready === null) return out
    const next = offeredOf(world, now, agent)
    if (next?.ready?._tag !== 'do') return null
    if (matters(learned, next)) {
      const strong = stronglyNamed(next.ready.prepared)
      const words = wordsAt(next.ready)
      const isOnlyOurs = words.every((word) =>
        [...(learned.written.get(word) ?? [])].every((x) => x === agent),
      )
      if (strong === null || strong.reads || strong.writes === null || !isOnlyOurs) return null
      for (const word of words) out.push(word)
    }
    const done = take(world, now, next)
    if ('kind' in done) return null
    now = aloneIn(world, done.machine, agent, lanes, true)
  }
  return null
}

/** The words that all other lanes of a warp store into before they meet these; null: they do more. */
const storesOfOthers = (
  world: World,
  learned: Learned,
  m: Machine,
  agent: number,
  lanes: number,
): ReadonlySet<string> | null => {
  const a = m.agents[agent]!
  const out = new Set<string>()
  for (const other of [lanesNow(a), ...(world.front.parts?.behind(a) ?? [])]) {
    if ((other & ~lanes) === 0) continue
    const words = storesOf(world, learned, m, agent, other & ~lanes)
    if (words === null) return null
    for (const word of words) out.add(word)
  }
  return out
}

/** G2 to G4; a fence has no word, and is in an order with all others. */
const comeToMatter = (world: World, learned: Learned, m: Machine, agent: number, lanes: number): boolean => {
  let others: ReadonlySet<string> | null = null
  let stores: ReadonlySet<string> | null | undefined
  let now = aloneIn(world, m, agent, lanes)
  /** where they stood since they last did more than ask */
  let stood = new Set<string>()
  for (let k = 0; k < farthest; k++) {
    const next = offeredOf(world, now, agent)
    if (next?.ready?._tag !== 'do') return false
    const asks = doesOf(next.ready.prepared) === 'asks'
    const words = matters(learned, next) ? wordsAt(next.ready) : null
    const done = take(world, now, next)
    if ('kind' in done) return false
    if (words !== null && !(asks && sameAt(words, now, done.machine))) {
      others ??= wordsOfOthers(world, learned, m, agent, lanes)
      const known = others
      if (words.length === 0 || words.some((word) => known.has(word))) {
        stores = stores === undefined ? storesOfOthers(world, learned, m, agent, lanes) : stores
        const before = stores
        if (before === null || words.length === 0 || words.some((word) => before.has(word))) return true
      }
    }
    if (asks) {
      const here = stance(world, now, agent)
      if (stood.has(here)) return false
      stood.add(here)
    } else if (doesOf(next.ready.prepared) !== 'reads') stood = new Set()
    now = aloneIn(world, done.machine, agent, lanes)
  }
  return true
}

/** Could lanes go ahead here of others, of what they stand at or of what is on offer? */
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
        parts.behind(a).some((lanes) => comeToMatter(world, learned, m, agent, lanes)),
    )
  )
}
