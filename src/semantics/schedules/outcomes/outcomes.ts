/**
 * Outcomes: every order in which agents can come to what decides (C1), and no more.
 *
 * Where C2 to C6 hold and nothing races, a run stands for every schedule in which what decides comes in the same order. So it is enough to follow one
 * schedule for each of these orders: all that is of no consequence happens at once, and where only what may matter is on offer, each agent is tried in turn.
 *
 *     six blocks count themselves, the last one adds      of 6 x 5 x 4 ... orders there are 64 states: which blocks have counted, for all that follows
 *                                                         depends on no more than that
 *
 * What decides, and what may matter of it, is learned on the way (`learned.ts`).
 *
 * Clusters that share none of them tell one another nothing: the orders of each such *group* are followed alone, and the others go as they come. That holds as long as no
 * group has written what another touches; groups that do are followed together.
 *
 * Two states are one if their keys are (`keys.ts`). Where the events of agents were may differ, as the tiles that blocks have fetched
 * do, if nothing that follows touches these bytes (`touched.ts`): this is asked at the end, and where it does not hold states are told apart by all bytes.
 *
 *     three blocks fetch tiles, five of which there are     which block has had how many, not which
 *
 * Not all that may matter is tried in turn: waits that nothing undoes, and reads that no write overtakes, are followed alone (`steady.ts`); so is the first of clusters that are one
 * another's equals (`exchange.ts`).
 *
 * Agents that ask in vain come back to a state of the same path. Such a way is not followed a second time; where nothing but ways back leads on, they ask for ever.
 *
 * As long as one way leads on from each state there is nothing to tell a state apart from, and what is found in one is found behind it as well: it is passed by. Where an agent
 * goes a second time it is looked at; so ways that come back are seen.
 *
 *     a hundred equals count themselves                   a hundred states, each with one way on: the first of the rest counts. One is looked at, the end
 *
 * A finding ends the search if a run of its schedule shows it too. It does not where what was read comes to nothing: the way is followed further, and states with other
 * such races are others.
 *
 * Each end is judged by a run of its schedule, each state by the detector as far as it has come. A clock, or a test of an mbarrier, is no such order, and is not asked here.
 *
 * Laws
 * 1. The schedule of what is found replays to it.
 * 2. A search that says complete has followed an order of what decides for every schedule.
 * 3. With states that are passed by or without, the same is found: something, or nothing.
 *
 * Names: stateful model checking with a happens-before race detector; the orders are those of observations.
 */
import { soFar, type Options } from '../../judging/detector/index.js'
import { observe } from '../../judging/detector/detector.js'
import { start, type Detector } from '../../judging/detector/state.js'
import type { Diagnosis, Judgement } from '../../judging/finding.js'
import { bitsOf } from '../../../numerics/dtype.js'
import { addressesIn, clusterOf, type Access, type LogEvent } from '../../log/events.js'
import type { Launched } from '../../machine/launch.js'
import * as Plane from '../../machine/plane.js'
import type { Machine } from '../../machine/state.js'
import type { Fellowships } from '../../machine/warp-stand.js'
import type { World } from '../../machine/world.js'
import {
  as,
  finished,
  isAmid,
  keeping,
  offered,
  take,
  taking,
  together,
  type EventKey,
  type Offered,
  type Older as OlderWord,
} from '../../execution/step.js'
import { names, type Names } from '../explore/key.js'
import { goAhead } from './ahead.js'
import * as Contents from './contents.js'
import * as Exchange from './exchange.js'
import * as Touched from './touched.js'
import { given, isParted, readings, type Given } from './finders.js'
import { floorOf, foundIn, keyOf, memoryOf, numberIn, type Said } from './keys.js'
import { learn, learnMore, leavesUnitsOpen, matters, nothingLearned, type Learned } from './learned.js'
import { olderIn, takeable } from './older.js'
import { steadyRead } from './steady.js'
import { isBehind, logOf, onward, scheduleOf, type Node, type Path, type Planes } from './paths.js'

// ---------------------------------------------------------------- model

export interface OutcomesBounds {
  /** most states in which something that matters is on offer */
  readonly states: number
  /** most events, of all paths together */
  readonly events: number
}
export const defaultOutcomes: OutcomesBounds = { states: 4_000, events: 4_000_000 }

export interface Outcomes {
  readonly complete: boolean
  readonly bound: 'states' | 'depth' | null
  readonly states: number
  readonly transitions: number
  /** schedules to the ends, each of which stands for those that come to the same */
  readonly ends: ReadonlyArray<ReadonlyArray<EventKey>>
  /** one along which the detector finds something, a fault ends the run, or it gets stuck */
  readonly found: ReadonlyArray<EventKey> | null
  /** words that some schedule reads for control */
  readonly controlled: ReadonlySet<string>
  /** of what many lanes or words of one instruction may find together some ways were asked */
  readonly some: boolean
  /** clusters that are one another's equals were taken for one another (`exchange.ts`) */
  readonly exchanged: boolean
  /** lanes could have gone ahead of others of their warp, and were not followed so (`ahead.ts`) */
  readonly ahead: boolean
  /** operations that combine into one word came in one order, although another may matter (`learned.ts`) */
  readonly units: boolean
  /** schedules to states that were taken for one, of which global memory holds other bytes: some of them */
  readonly apart: ReadonlyArray<readonly [ReadonlyArray<EventKey>, ReadonlyArray<EventKey>]>
}

/** A state in which something that matters is on offer, or nothing. */
interface State {
  readonly node: Node
  /** where the detector has seen words found, word by word */
  readonly found: ReadonlyMap<string, string>
  readonly to: { readonly state: number; readonly events: ReadonlyArray<ReadonlyArray<LogEvent>> }[]
  /** other paths that have come here, and what was found on them */
  readonly others: { readonly node: Node; readonly found: ReadonlyMap<string, string> }[]
  ends: boolean
  /** words of the reads that were followed alone, here and in the states that were passed by before it */
  readonly alone: ReadonlyArray<string>
}
/** States with one way on, since the last that was looked at. */
interface Passed {
  /** who has gone there */
  readonly agents: ReadonlySet<number>
  /** words of the reads that were followed alone */
  readonly alone: ReadonlyArray<string>
}
const nonePassed: Passed = { agents: new Set(), alone: [] }
/** The states of a path, the newest first. */
interface Trail {
  readonly state: number
  /** the machine, without how many events each agent has executed */
  readonly stands: string
  readonly before: Trail | null
}
interface Open {
  readonly node: Node
  readonly trail: Trail | null
  readonly passed: Passed
  /** lanes of one instruction have been given different writes on it */
  readonly parted: boolean
  /** of the instruction that lanes are executing one after the other what those before have been given */
  readonly given: Given | null
}

// ---------------------------------------------------------------- the search
/** Does a run of this schedule show what the detector has found on it? What a statement finds and drops is no race. Null: no more runs can be asked. */
export type Stands = (schedule: ReadonlyArray<EventKey>) => boolean | null

/** A detector, and what it has heard. */
interface Listening extends Said {
  readonly path: Path | null
  readonly exactly: boolean
  readonly touched: Touched.Touched
  /** the bytes that were written, as long as there are no more */
  readonly written: { footprints: number; text: string }
}

interface Search {
  readonly world: World
  /** the cluster that the log begins with */
  readonly first: number
  /** what the detector has heard last */
  listening: Listening | null
  /** what was said of what the detector remembers */
  readonly texts: Map<string, number>
  readonly detecting: Options
  readonly bounds: OutcomesBounds
  /** is this a finding that comes to nothing? The ends are asked whether it does there */
  readonly isNoted: (f: Diagnosis) => boolean
  readonly stands: Stands
  readonly learned: Learned
  readonly exchange: Exchange.Exchange | null
  readonly names: Names
  readonly ends: ReadonlyArray<EventKey>[]
  readonly apart: (readonly [ReadonlyArray<EventKey>, ReadonlyArray<EventKey>])[]
  /** of each group what it touches */
  readonly touched: Map<number, Touched.Touched>
  size: number
  transitions: number
  bound: 'states' | 'depth' | null
  /** of what many lanes or words of one instruction may find together some ways were asked */
  some: boolean
  /** a cluster went first for its equals */
  exchanged: boolean
  /** lanes could have gone ahead */
  ahead: boolean
  found: ReadonlyArray<EventKey> | null
}

const noClusters: ReadonlySet<number> = new Set()
const heardOf = (p: Path | null): ReadonlySet<number> => p?.heard ?? noClusters

/** May another cluster hear of it? Not of a read that finds what all find there, as no write overtakes it. */
const isHeard = (s: Search, o: Offered, events: ReadonlyArray<LogEvent>): boolean =>
  (o.key.older !== undefined || steadyRead(s.learned.steady, o).length === 0) &&
  (matters(s.learned, o) || Exchange.isHeard(s.world, events))

/** Clusters that others can have heard of, behind an event. */
const nowHeard = (
  s: Search,
  before: Path | null,
  o: Offered,
  events: ReadonlyArray<LogEvent>,
): ReadonlySet<number> => {
  const known = heardOf(before)
  if (s.learned.equals === null) return known
  const { header } = s.world
  const cluster = clusterOf(header, header.agents[o.key.agent]!.cta)
  return known.has(cluster) || !isHeard(s, o, events) ? known : new Set([...known, cluster])
}

/** One event; null if it faults. */
const follow = (s: Search, n: Node, o: Offered): Node | null => {
  const done = take(s.world, n.machine, o)
  s.learned.events++
  if ('kind' in done) {
    s.found ??= scheduleOf(onward(s.world, n, o.key, null, heardOf(n.path)))
    return null
  }
  const path = onward(s.world, n, o.key, done, nowHeard(s, n.path, o, done.events))
  learn(s.learned, s.world.header, o.key.agent, done.events)
  if (s.exchange !== null) Exchange.see(s.exchange, o.key.agent, done.events)
  return { machine: done.machine, path }
}

/** Who has executed least. */
const slowest = (m: Machine, choices: ReadonlyArray<Offered>): Offered =>
  choices.reduce((a, b) => (m.agents[b.key.agent]!.at < m.agents[a.key.agent]!.at ? b : a))

/** All that is of no consequence happens, and what other groups do; gives what is on offer to the group then. `group`: -1 is none. */
const settle = (
  s: Search,
  from: Node,
  group: number,
): { readonly node: Node; readonly choices: ReadonlyArray<Offered> } | null => {
  const { header } = s.world
  const { groups } = s.learned
  const isOurs = (o: Offered): boolean =>
    group >= 0 && groups.of(clusterOf(header, header.agents[o.key.agent]!.cta)) === group
  let node = from
  let all = offered(s.world, node.machine)
  let going = -1
  for (;;) {
    const now = together(all)
    // who has begun goes on as long as it is of no consequence
    const own = going < 0 ? undefined : now.find((o) => o.operation === null && o.key.agent === going)
    let next: Offered | undefined =
      own !== undefined && !matters(s.learned, own) ? own : now.find((o) => !matters(s.learned, o))
    if (next === undefined) {
      const ours = now.filter(isOurs)
      if (ours.length > 0 || now.length === 0) return { node, choices: ours }
      next = slowest(node.machine, now)
    }
    if (s.learned.events > s.bounds.events) {
      s.bound = 'depth'
      return null
    }
    const after = follow(s, node, next)
    if (after === null || (s.learned.news && group >= 0)) return null
    node = after
    all = offered(s.world, node.machine, all, next)
    going = next.operation === null ? next.key.agent : -1
  }
}
/** Which events were found to race, those that come to nothing left out. States that do not have the same are two: what comes to nothing there may come to something here. */
const racesIn = (j: Pick<Judgement, 'findings'>, isNoted: (f: Diagnosis) => boolean): string =>
  j.findings
    .filter((f) => !isNoted(f))
    .map(({ id, a, b }) => [id, a.index, a.at, b?.index ?? '', b?.at ?? ''].join())
    .sort()
    .join(';')

/** The detector that has heard a path. One that has heard the beginning of it hears the rest; where ways part, another hears all. */
const heard = (s: Search, n: Node, exactly: boolean): Listening => {
  const known = s.listening
  const goesOn = known?.exactly === exactly && isBehind(n.path, known.path)
  const d = goesOn ? known.detector : listening(s, exactly)
  const news = logOf(n.path, goesOn ? known.path : null)
  for (const events of news) for (const e of events) observe(d, Exchange.asWider(s.learned.wider, e))
  s.learned.events += news.length
  if (goesOn) forgetSaid(s.world, known, n.path)
  const now: Listening = {
    detector: d,
    path: n.path,
    exactly,
    agents: goesOn ? known.agents : new Map(),
    clusters: goesOn ? known.clusters : new Map(),
    touched: goesOn ? known.touched : Touched.nothing(),
    written: goesOn ? known.written : { footprints: -1, text: '' },
  }
  Touched.add(now.touched, news, () => true)
  s.listening = now
  const { controlled, unsteady, overtaken } = d.strong.readings
  for (const word of controlled) s.learned.controlled.add(word)
  if (!s.learned.steady.none) {
    learnMore(s.learned, s.learned.steady.unsteady, unsteady)
    learnMore(s.learned, s.learned.steady.overtaken, overtaken)
  }
  return now
}
const writtenSoFar = ({ touched, written }: Listening): string => {
  const { size } = touched.writes
  if (size !== written.footprints) {
    written.footprints = size
    written.text = Touched.writtenIn(touched)
  }
  return written.text
}
/** Of those who have done something since. */
const forgetSaid = (
  { header }: World,
  { path: before, agents, clusters }: Listening,
  path: Path | null,
): void => {
  for (let at = path; at !== null && at !== before; at = at.before) {
    const { agent } = at.key
    agents.delete(agent)
    clusters.delete(clusterOf(header, header.agents[agent]!.cta))
  }
}
const listening = (s: Search, exactly: boolean): Detector => {
  const detecting = exactly ? s.detecting : Object.assign({}, s.detecting, { digestsPlaces: false as const })
  const d = start(s.world.header, detecting)
  observe(d, { _tag: 'cluster', id: s.first })
  return d
}
/** A read takes these, and a store leaves them where they are. */
const keyed = ({ key, ready }: Offered, words: ReadonlyArray<OlderWord>): EventKey =>
  ready?._tag === 'do' && ready.prepared._tag === 'store' ? keeping(key, words) : taking(key, words)

/** Lanes that come behind the first of an instruction, one after the other. */
const lanesBehind = (world: World, m: Machine, o: Offered): number => {
  let lanes = 0
  for (let done = take(world, m, o); !('kind' in done);) {
    const next = together(offered(world, done.machine))
    if (next[0]?.key.agent !== o.key.agent || !isAmid(next)) break
    lanes++
    done = take(world, done.machine, next[0])
  }
  return lanes
}

/** The ways in which an instruction is followed, that which takes the last writes last: it is taken up first, so that a state is known by such a schedule where one comes to it. */
const askedOf = (
  s: Search,
  first: Node,
  n: Node,
  d: Detector,
  o: Offered,
  from: Open,
): {
  readonly ways: ReadonlyArray<{
    readonly words: ReadonlyArray<OlderWord>
    readonly parted: boolean
    readonly given: Given | null
  }>
  readonly some: boolean
} => {
  const finders = takeable(s, first, n, d, o)
  const isTurn = from.given !== null && isAmid([o])
  const isAtomic = o.ready?._tag === 'do' && o.ready.prepared._tag === 'atomic.words'
  if (isAtomic && finders.length <= 1) {
    const ways = finders[0]?.ways ?? []
    const taken = isTurn ? from.given! : []
    const lanes = ways.length === 0 ? 1 : taken.length + 1 + lanesBehind(s.world, n.machine, o)
    const next = given(lanes, taken, ways.length, from.parted)
    return {
      ways: [...next.ways].reverse().map((way) => {
        const now: Given = [...taken, [ways.length, way]]
        return {
          words: way === 0 ? [] : ways[way - 1]!,
          parted: from.parted || (next.some && isParted(now)),
          given: now,
        }
      }),
      some: next.some,
    }
  }
  const all = readings(finders, from.parted)
  return {
    ways: [
      ...all.ways.map(({ words, parts }) => ({ words, parted: from.parted || parts, given: null })),
      { words: [], parted: from.parted, given: null },
    ],
    some: all.some,
  }
}

/** States with these machines on a path, the newest first. */
const standing = (trail: Trail | null, stands: string): ReadonlyArray<Trail> => {
  const out: Trail[] = []
  for (let at = trail; at !== null; at = at.before) if (at.stands === stands) out.push(at)
  return out
}

/** An atomic that leaves what it has found, and tells nothing but what its thread has told before. */
const isInVain = (e: Access, now: Planes, before: Planes): boolean => {
  const { plane, dtype, map } = e.footprint
  if (e.combine !== 'cas' || e.releases === true || map._tag !== 'scatter') return false
  const bytes = bitsOf(dtype) / 8
  return [...addressesIn(map)].every(
    (at) => at < 0 || Plane.wordAt(now[plane]!, at, bytes) === Plane.wordAt(before[plane]!, at, bytes),
  )
}

/** Only asks since then: what it does once more, it has done. */
const onlyAsks = (path: Path | null, behind: Path | null, first: Planes): boolean => {
  for (let at = path; at !== null && at !== behind; at = at.before) {
    const { planes } = at
    const before = at.before?.planes ?? first
    if (planes === null) return false
    for (const e of at.events)
      if (
        e._tag === 'access'
          ? !e.atomic || !(e.rw === 'r' || isInVain(e, planes, before))
          : e._tag !== 'rendezvous'
      )
        return false
  }
  return true
}

/** Words of reads that were followed alone in the states of a path from this one on. */
const aloneSince = (
  states: ReadonlyArray<State>,
  { trail, passed }: Open,
  from: Trail,
): ReadonlyArray<string> => {
  const out: string[] = [...passed.alone]
  for (let at = trail; at !== null; at = at === from ? null : at.before)
    for (const word of states[at.state]!.alone) out.push(word)
  return out
}

/**
 * What is followed of what is on offer: a read that no write overtakes alone; of equals that no other cluster can have heard of what the first of them offers.
 */
const firstsOf = (
  s: Search,
  { machine, path }: Node,
  choices: ReadonlyArray<Offered>,
): { readonly choices: ReadonlyArray<Offered>; readonly alone: ReadonlyArray<string> } => {
  const { equals } = s.learned
  if (isAmid(choices)) return { choices, alone: [] }
  if (choices.length > 1)
    for (const o of choices) {
      const alone = steadyRead(s.learned.steady, o)
      if (alone.length > 0) return { choices: [o], alone }
    }
  if (equals === null) return { choices, alone: [] }
  const firsts = Exchange.ofFirsts(s.world, machine, equals, heardOf(path), choices)
  s.exchanged ||= firsts.length < choices.length
  return { choices: firsts, alone: [] }
}

/** All orders of one group. */
const search = (s: Search, first: Node, group: number): void => {
  const exactly = s.learned.exact.has(group)
  /** one way has led here, and no state was met that more lead on from */
  let isStraight = !s.learned.steady.none
  const states: State[] = []
  const numbers = new Map<string, number>()
  const open: Open[] = [{ node: first, trail: null, passed: nonePassed, parted: false, given: null }]
  const lead = (trail: Trail | null, path: Path | null, to: number): void => {
    if (trail === null) return
    const from = states[trail.state]!
    from.to.push({ state: to, events: logOf(path, from.node.path) })
  }
  /** What is on offer, in every way in which it may read; false: the search ends here. */
  const go = (
    from: Open,
    node: Node,
    choices: ReadonlyArray<Offered>,
    d: Detector,
    trail: Trail | null,
    passed: Passed,
  ): boolean => {
    for (const o of choices) {
      s.transitions++
      const asked = askedOf(s, first, node, d, o, from)
      if (s.learned.news) return false
      s.some ||= asked.some
      for (const { words, parted, given: known } of asked.ways) {
        s.transitions++
        const after = follow(s, node, words.length === 0 ? o : as(o, keyed(o, words)))
        if (after === null || s.learned.news) return false
        open.push({ node: after, trail, passed, parted, given: known })
      }
    }
    return true
  }
  for (let from = open.pop(); from !== undefined; from = open.pop()) {
    isStraight &&= open.length === 0
    const settled = settle(s, from.node, group)
    if (settled === null) return
    const { node, choices } = settled
    if (from.given !== null && isAmid(choices)) {
      // what comes of it is asked behind the last of its lanes
      if (!go(from, node, choices, heard(s, node, exactly).detector, from.trail, from.passed)) return
      continue
    }
    s.ahead ||= goAhead(s.world, s.learned, node.machine, choices)
    const ways = firstsOf(s, node, choices)
    const [only] = ways.choices
    if (isStraight && ways.choices.length === 1 && !from.passed.agents.has(only!.key.agent)) {
      const { detector } = heard(s, node, exactly)
      if (s.learned.news) return
      const { agents, alone } = from.passed
      const passed: Passed = {
        agents: new Set([...agents, only!.key.agent]),
        alone: [...alone, ...ways.alone],
      }
      if (askedOf(s, first, node, detector, only!, from).ways.length === 1) {
        s.size++
        if (s.size + states.length > s.bounds.states) {
          s.bound = 'states'
          return
        }
        if (!go(from, node, ways.choices, detector, from.trail, passed)) return
        continue
      }
      if (s.learned.news) return
    }
    const stands = keyOf(s.world, s.names, node.machine, s.learned.words.keys(), false, true)
    const before = standing(from.trail, stands)
    const back = before[0]
    if (
      back !== undefined &&
      (before.length > 1 || onlyAsks(node.path, states[back.state]!.node.path, first.machine.planes))
    ) {
      lead(from.trail, node.path, back.state)
      // what was on offer beside a read on the way round would never be followed
      learnMore(s.learned, s.learned.steady.overtaken, aloneSince(states, from, back))
      if (s.learned.news) return
      continue
    }
    const listening = heard(s, node, exactly)
    if (s.learned.news) return
    const d = listening.detector
    const floor = floorOf(d.context, node.machine)
    const text = memoryOf(s.world, listening, s.texts, node.machine, exactly, floor, s.learned.steady)
    const found = foundIn(d, node.machine)
    const known = numberIn(s.texts, text)
    const written = exactly ? '' : writtenSoFar(listening)
    const older = olderIn(s, first, node, d, floor)
    const so = soFar(d)
    const races = racesIn(so, s.isNoted)
    const { C2, C3, C4 } = so.conditions
    if (races !== '' || !C2.holds || !C3.holds || !C4.holds) {
      const stands = C2.holds && C3.holds && C4.holds ? s.stands(scheduleOf(node.path)) : true
      if (stands === null) {
        s.bound = 'states'
        return
      }
      if (stands) {
        s.found = scheduleOf(node.path)
        return
      }
      // a read that was judged as a wider one may race where it does not as it is
      if (s.learned.wider.size > 0) {
        withoutEquals(s)
        return
      }
    }
    const key = `${keyOf(s.world, s.names, node.machine, s.learned.words.keys(), true, exactly)}|${String(known)}|${written}|${older}|${String(from.parted)}|${races}`
    const same = numbers.get(key)
    if (same !== undefined) {
      lead(from.trail, node.path, same)
      if (!exactly) states[same]!.others.push({ node, found })
      continue
    }
    const number = states.length
    numbers.set(key, number)
    const alone = [...from.passed.alone, ...ways.alone]
    const state: State = { node, found, to: [], others: [], ends: false, alone }
    states.push(state)
    lead(from.trail, node.path, number)
    if (choices.length === 0) {
      if (!finished(node.machine)) {
        s.found = scheduleOf(node.path)
        return
      }
      state.ends = true
      s.ends.push(scheduleOf(node.path))
      continue
    }
    if (s.size + states.length > s.bounds.states) {
      s.bound = 'states'
      return
    }
    if (!go(from, node, ways.choices, d, { state: number, stands, before: from.trail }, nonePassed)) return
  }
  s.size += states.length
  const stuck = neverEnding(states)
  if (stuck !== undefined) {
    s.found = scheduleOf(stuck.node.path)
    return
  }
  judgeMerged(s, states, group)
}

/** They are no equals as far as can be shown: it begins again without. */
const withoutEquals = (s: Search): void => {
  s.learned.equals = null
  s.learned.wider = new Map()
  s.learned.news = true
}

/** Were equals rightly taken for one another? What has been learned of them is kept. */
const judgeExchanged = (s: Search): void => {
  const { exchange, learned } = s
  if (exchange === null || learned.equals === null) return
  const equals = Exchange.equalsIn(exchange.fellows)
  if (equals.join() !== learned.equals.join()) {
    learned.equals = Exchange.hasEquals(equals) ? equals : null
    if (learned.equals === null) learned.wider = new Map()
    s.learned.news = true
    return
  }
  const wider = Exchange.judged(exchange, equals)
  if (wider === null) withoutEquals(s)
  else if (!Exchange.isWithin(wider, learned.wider)) {
    learned.wider = wider
    s.learned.news = true
  }
}

/** A state from which no way leads to an end: some ask for ever. */
const neverEnding = (states: ReadonlyArray<State>): State | undefined => {
  const end = new Set(states.filter(({ ends }) => ends))
  for (let grew = true; grew;) {
    grew = false
    for (const state of states)
      if (!end.has(state) && state.to.some(({ state: to }) => end.has(states[to]!))) {
        end.add(state)
        grew = true
      }
  }
  return states.find((state) => !end.has(state))
}

/** So many of each tensor are kept. */
const mostApart = 4

/** Of states that were taken for one those that global memory tells apart. */
const keepApart = (
  s: Search,
  pairs: ReadonlyArray<{ readonly one: State; readonly other: { readonly node: Node } }>,
  contents: ReadonlyArray<Contents.Bytes>,
): void => {
  const kept = new Map<number, number>()
  for (const [i, { one, other }] of pairs.entries()) {
    const planes = [...contents[i]!.keys()].filter(
      (plane) => s.world.header.planes[plane]!.space === 'gmem' && (kept.get(plane) ?? 0) < mostApart,
    )
    if (planes.length === 0) continue
    for (const plane of planes) kept.set(plane, (kept.get(plane) ?? 0) + 1)
    s.apart.push([scheduleOf(one.node.path), scheduleOf(other.node.path)])
  }
}

/** Were states rightly taken for one, although what has led to them touched other bytes? What the group touches is kept. */
const judgeMerged = (s: Search, states: ReadonlyArray<State>, group: number): void => {
  const { header } = s.world
  const isOurs = (agent: number): boolean =>
    s.learned.groups.of(clusterOf(header, header.agents[agent]!.cta)) === group
  const ahead = Touched.aheadOf(states)
  const all = Touched.nothing()
  const seen = new Set<Path>()
  const addUnseen = ({ path }: Node): void => {
    for (let at = path; at !== null && !seen.has(at); at = at.before) {
      seen.add(at)
      Touched.add(all, [at.events], isOurs)
    }
  }
  for (const { node, others } of states) {
    addUnseen(node)
    for (const other of others) addUnseen(other.node)
  }
  s.touched.set(group, all)
  const bytes: Contents.Bytes = new Map()
  const pairs = states.flatMap((one, k) => one.others.map((other) => ({ one, other, k })))
  const contents = pairs.map(({ one, other }) => {
    const differing: Contents.Bytes = new Map()
    Contents.addDiffering(differing, one.node.machine.planes, other.node.machine.planes)
    for (const [plane, some] of differing) {
      const known = bytes.get(plane) ?? new Set()
      bytes.set(plane, known)
      for (const byte of some) known.add(byte)
    }
    return differing
  })
  const isRead = Contents.readAhead(states, bytes)
  const differs = pairs.some(
    ({ one, other, k }, i) =>
      [...contents[i]!].some(([plane, some]) => [...some].some((byte) => isRead(k, plane, byte))) ||
      !Touched.mayDiffer(
        header,
        logOf(one.node.path),
        logOf(other.node.path),
        ahead[k]!,
        (agent) => one.node.machine.agents[agent]!.status === 'done',
      ) ||
      [...new Set([...other.found.keys(), ...one.found.keys()])].some(
        (word) => other.found.get(word) !== one.found.get(word) && Touched.plainly(ahead[k]!, word),
      ),
  )
  if (!differs) {
    keepApart(s, pairs, contents)
    return
  }
  s.learned.exact.add(group)
  s.learned.news = true
}

/** One schedule, so that words and who shares them are known; false: it has not come to its end, and has shown nothing. */
const scout = (s: Search, first: Node): boolean => {
  const settled = settle(s, first, -1)
  const wasStopped = settled === null && s.bound !== null
  if (wasStopped) {
    s.bound = null
    s.learned.events = 0
  }
  s.found = null
  s.learned.news = false
  return !wasStopped || s.learned.groups.all().length > 0
}

/** How often it may begin again because it has learned something. */
const mostRestarts = 100

/** Every order of what decides; null where clusters do not all run together, or data is not kept. */
export const outcomes = (
  { world, machine }: Launched,
  detecting: Options,
  bounds: OutcomesBounds = defaultOutcomes,
  isNoted: (f: Diagnosis) => boolean = () => false,
  stands: Stands = () => true,
  fellows: Fellowships | null = null,
  everyOrder: boolean = false,
): Outcomes | null => {
  const { memory } = world.algebra
  if ((memory !== 'bytes' && memory !== 'shadow') || world.resident < world.clusterCount) return null
  const learned: Learned = nothingLearned(everyOrder)
  const exchange = fellows === null ? null : Exchange.exchange({ world, machine }, fellows)
  const first: Node = { machine, path: null }
  const fresh = (): Search => ({
    world,
    first: machine.wave.clusters[0]!,
    listening: null,
    texts: new Map(),
    detecting,
    bounds,
    isNoted,
    stands,
    learned,
    exchange,
    names: names(),
    ends: [],
    apart: [],
    touched: new Map(),
    size: 0,
    transitions: 0,
    bound: null,
    some: false,
    exchanged: false,
    ahead: false,
    found: null,
  })
  if (!scout(fresh(), first))
    return {
      complete: false,
      bound: 'depth',
      states: 0,
      transitions: 0,
      ends: [],
      found: null,
      controlled: learned.controlled,
      some: false,
      exchanged: false,
      ahead: false,
      units: false,
      apart: [],
    }
  if (exchange !== null) {
    const equals = Exchange.equalsIn(exchange.fellows)
    if (Exchange.hasEquals(equals)) learned.equals = equals
  }
  for (let k = 0; ; k++) {
    learned.news = false
    const s = fresh()
    const done = new Set<number>()
    for (const group of learned.groups.all()) {
      done.add(group)
      search(s, first, group)
      if (s.learned.news || s.bound !== null || s.found !== null) break
    }
    if (!s.learned.news && s.bound === null && s.found === null) {
      const meeting = Touched.meeting(s.touched)
      if (meeting !== null) {
        learned.groups.join(meeting[0], meeting[1])
        s.learned.news = true
      }
    }
    if (!s.learned.news && s.bound === null && s.found === null) judgeExchanged(s)
    if (s.learned.news && k < mostRestarts && learned.events < bounds.events) continue
    const bound = s.learned.news ? 'depth' : s.bound
    return {
      complete: bound === null && s.found === null,
      bound,
      states: s.size,
      transitions: s.transitions,
      ends: s.ends,
      found: s.found,
      controlled: learned.controlled,
      some: s.some,
      exchanged: s.exchanged,
      ahead: s.ahead,
      units: leavesUnitsOpen(learned),
      apart: s.apart,
    }
  }
}
