/**
 * Tickets: grids whose CTAs take numbers from one counter, of which one run says what each order does.
 *
 *     while ((t = atomicAdd(next, 1)) < tiles) work on tile t         132 CTAs, 264 tiles: more orders than can be followed, and it is no matter who has had which tile
 *
 * A *turn* of a CTA is what it does for one number: a *unit* of work. What comes before the first turn is a unit as well; what comes behind the last turn belongs to that.
 *
 * | asked                                                                                                | of           |
 * |------------------------------------------------------------------------------------------------------|--------------|
 * | Q1 but for the order of the draws the run decides: C1 alone fails, and nothing is found                | the judgement |
 * | Q2 CTAs differ in nothing but the numbers they draw, and remember nothing in registers from turn to turn (`warps/draws.ts`) | the text |
 * | Q3 the draws are the only strong accesses; each turn has one; nothing else touches the word that they are of | the run |
 * | Q4 no unit writes a byte of global memory that another unit touches                                   | the run      |
 * | Q5 what is read of shared memory was written in the same turn, or before all turns                     | the run      |
 * | Q6 all turns but the last of each CTA are alike in everything but the bytes of global memory, event by event; so are the last ones, and what comes before the first | the run |
 * | Q7 each turn comes through a barrier of all threads of its CTA, and there is no barrier of some of them | the run |
 * | Q8 some turn that is not the last follows another, and the last follows such a one; where shared memory is touched before the first turn, one of each kind follows that | the run |
 *
 * Why that is enough. Up to its draw a turn knows nothing that others do not know: registers are the same (Q2), global memory that it reads no other unit writes (Q4), and of shared memory it
 * reads what it has written itself, or what was written before all turns (Q5). So all draws are by the same thread of their CTA, of one word, and do the same to it: they add one number, say.
 *
 * Take any other run. Its draws find the same numbers in the same order, as nothing else writes the word (Q3), and other CTAs may have found them. By induction each
 * turn does what the turn with that number has done in the first run: registers are the same when it begins (Q2), what it reads of global memory no other unit writes (Q4), and what it
 * reads of shared memory it has written itself (Q5). So it is the last turn of its CTA if that one was; there are as many last turns as CTAs in both, and so the same numbers are drawn. Every barrier has all threads of its CTA, in the same turn (Q6, Q7), and so no thread leaves the loop before the others.
 *
 * A race would be of two accesses of one unit, which race in the first run as well, as what orders them lies within the unit; of two units in global memory, where none conflict (Q4); or of two
 * units of one CTA in shared memory. Two that follow one another are like two that follow one another in the first run (Q6, Q8), and what orders them lies in these two. Between
 * others there is a turn with a barrier of all threads (Q7). So no run has a race, all leave the same memory, and all end.
 *
 * Law 1. Where the answer is not null, every order of the draws finds nothing.
 */
import type { EventKey } from '../execution/step.js'
import { collision, touchedBy, type Touched } from '../execution/independence.js'
import {
  addressesIn,
  spansOf,
  type Access,
  type Footprint,
  type Header,
  type LogEvent,
  type Rendezvous,
  type Stamp,
} from '../log/events.js'
import { countOf } from '../log/lane-mask.js'
import type { Launched } from '../machine/launch.js'
import type { Draws } from '../machine/front.js'
import { isSoAgain } from './once-more.js'

// ---------------------------------------------------------------- model

/** What an agent does in a unit, but for global memory; and its barriers. */
interface Part {
  did: string
  readonly barriers: Rendezvous[]
  /** it touches shared memory */
  shares: boolean
}
/** What a CTA does for one number, before the first, or behind the last. */
interface Unit {
  /** by agent of the CTA */
  readonly parts: Part[]
  readonly reads: Map<number, Footprint>
  readonly writes: Map<number, Footprint>
  draws: number
}
interface Cta {
  readonly before: Unit
  readonly turns: Unit[]
  readonly behind: Unit
  /** by byte of its shared memory the last unit that has written it: 1 the one before the turns, 2 the first turn ...; 0: none */
  readonly writers: Map<number, Int32Array>
}
interface State {
  readonly header: Header
  readonly draws: Draws
  readonly agents: number
  readonly ctas: ReadonlyArray<Cta>
  /** by agent: the lanes that have done something */
  readonly lanes: Int32Array
  /** what places in shared memory are called, by footprint */
  readonly names: Map<number, number>
  readonly texts: Map<string, number>
  /** that draws are of */
  word: Footprint | null
  clusters: number
}

/** Numbers drawn, of a run that decides. */
export interface Tickets {
  readonly drawn: number
}

// ---------------------------------------------------------------- constructors

const unit = (agents: number): Unit => ({
  parts: Array.from({ length: agents }, () => ({ did: '', barriers: [], shares: false })),
  reads: new Map(),
  writes: new Map(),
  draws: 0,
})
const cta = (agents: number): Cta => ({
  before: unit(agents),
  turns: [],
  behind: unit(agents),
  writers: new Map(),
})

// ---------------------------------------------------------------- what is seen

const everyLane = -1

interface Place {
  readonly of: Cta
  readonly unit: Unit
  /** as `writers` has it */
  readonly number: number
  readonly part: Part
}

const placeOf = (s: State, { agent, site, iteration }: Stamp): Place | null => {
  const of = s.ctas[s.header.agents[agent]!.cta]
  if (of === undefined) return null
  const own = agent % s.agents
  const at = (u: Unit, number: number): Place => ({ of, unit: u, number, part: u.parts[own]! })
  if (s.draws.before.has(site)) return at(of.before, 1)
  if (!s.draws.inside.has(site)) return at(of.behind, of.turns.length + 1)
  const [turn] = iteration
  if (turn === undefined || turn > of.turns.length) return null
  if (turn === of.turns.length) of.turns.push(unit(s.agents))
  return at(of.turns[turn]!, turn + 2)
}

const say = (p: Part, stamp: Stamp, what: ReadonlyArray<unknown>): void => {
  p.did += `${String(stamp.site)} ${String(stamp.lanes ?? everyLane)} ${stamp.whole === true ? 'whole ' : ''}${what.join(' ')};`
}

/** Bytes of shared memory, and which element lies where, whichever CTA it is of. */
const nameOf = (s: State, f: Footprint): number => {
  const known = s.names.get(f.id)
  if (known !== undefined) return known
  const { map } = f
  const where =
    map._tag === 'scatter' ? addressesIn(map).join() : `${String(map.base)} ${JSON.stringify(map.layout)}`
  const text = `${f.dtype}|${spansOf(f).join()}|${where}`
  const name = s.texts.get(text) ?? s.texts.size
  s.texts.set(text, name)
  s.names.set(f.id, name)
  return name
}

/** Q3. A strong access: is it a draw? */
const drawn = (s: State, e: Access, at: Place): boolean => {
  if (e.stamp.site !== s.draws.site || e.older !== undefined) return false
  if (e.rw === 'r') return true
  s.word ??= e.footprint
  at.unit.draws += countOf(e.stamp.lanes ?? everyLane)
  say(at.part, e.stamp, ['draws'])
  return true
}

/** Q5, and what Q6 compares. */
const shared = (s: State, e: Access, at: Place): boolean => {
  const { plane } = e.footprint
  let writers = at.of.writers.get(plane)
  if (writers === undefined) {
    writers = new Int32Array(s.header.planes[plane]!.bytes)
    at.of.writers.set(plane, writers)
  }
  const spans = spansOf(e.footprint)
  for (let i = 0; i < spans.length; i += 2)
    if (e.rw === 'w') writers.fill(at.number, spans[i]!, spans[i + 1]!)
    else
      for (let byte = spans[i]!; byte < spans[i + 1]!; byte++)
        if (writers[byte] !== at.number && writers[byte] !== 1) return false
  at.part.shares = true
  say(at.part, e.stamp, [e.rw, nameOf(s, e.footprint), e.agrees ?? ''])
  return true
}

const accessed = (s: State, e: Access, at: Place): boolean => {
  if (e.atomic) return drawn(s, e, at)
  if (s.header.planes[e.footprint.plane]!.space === 'smem') return shared(s, e, at)
  ;(e.rw === 'r' ? at.unit.reads : at.unit.writes).set(e.footprint.id, e.footprint)
  return true
}

/** False: it is not so. */
const seen = (s: State, e: LogEvent): boolean => {
  switch (e._tag) {
    case 'cluster':
      s.clusters++
      return true
    case 'exit':
      return true
    case 'access':
    case 'rendezvous':
    case 'fence':
    case 'warpSync': {
      const at = placeOf(s, e.stamp)
      if (at === null) return false
      const { agent, lanes } = e.stamp
      s.lanes[agent] = s.lanes[agent]! | (lanes ?? everyLane)
      if (e._tag === 'access') return accessed(s, e, at)
      if (e._tag === 'fence') {
        say(at.part, e.stamp, [e.kind, e.scope, e.sequential ?? '', e.half ?? ''])
        return e.kind === 'memory'
      }
      if (e._tag === 'warpSync') {
        say(at.part, e.stamp, [e.how ?? 'meets', (e.loads ?? []).join()])
        return true
      }
      at.part.barriers.push(e)
      say(at.part, e.stamp, [e.kind, e.id, e.count, e.threads])
      return e.kind !== 'blocked' && e.loose === undefined && e.relaxed !== true && e.id < 16
    }
    case 'issue':
    case 'perform':
    case 'signal':
    case 'barrier':
    case 'wait':
    case 'group':
    case 'semaphore':
    case 'registers':
    case 'fork':
    case 'join':
    case 'alloc':
    case 'dealloc':
    case 'relinquish':
    case 'ahead':
      return false
  }
}

// ---------------------------------------------------------------- is it so?

/** Q7: they come to the same barriers, all of their lanes and of their CTA, and leave each before they come to the next. */
const meetsAsOne = (s: State, first: number, u: Unit): boolean => {
  const [own] = u.parts
  return u.parts.every(
    ({ barriers }, k) =>
      barriers.length === own!.barriers.length &&
      barriers.every((b, i) => {
        const like = own!.barriers[i]!
        const threads = u.parts.reduce((n, { barriers: all }) => n + (all[i]?.threads ?? 0), 0)
        return (
          b.kind === (i % 2 === 0 ? 'arrive' : 'leave') &&
          b.id === like.id &&
          b.count === like.count &&
          threads === b.count &&
          (i % 2 === 0 || b.id === barriers[i - 1]!.id) &&
          ((b.stamp.lanes ?? everyLane) & s.lanes[first + k]!) === s.lanes[first + k]
        )
      }) &&
      barriers.length % 2 === 0,
  )
}

const textOf = (...units: ReadonlyArray<Unit>): string =>
  units.map(({ parts }) => parts.map(({ did }) => did).join('\n')).join('\n\n')

const areOne = (texts: ReadonlyArray<string>): boolean => texts.every((text) => text === texts[0])

/** What units touch of global memory. */
const touchedIn = (units: ReadonlyArray<Unit>): ReadonlyArray<Touched> =>
  touchedBy(
    units.flatMap(({ reads }) => [...reads.values()]),
    units.flatMap(({ writes }) => [...writes.values()]),
  )

const judge = (s: State): Tickets | null => {
  const { word, ctas } = s
  if (word === null || s.clusters !== 1) return null
  if (ctas.some(({ turns }) => turns.length === 0)) return null
  const lastOf = ({ turns }: Cta): Unit => turns[turns.length - 1]!
  const works = ctas.flatMap(({ turns }) => turns.slice(0, -1))
  const isDrawnOnce = ctas.every(({ turns }) => turns.every(({ draws }) => draws === 1))
  const areAlike =
    areOne(ctas.map(({ before }) => textOf(before))) &&
    areOne(works.map((u) => textOf(u))) &&
    areOne(ctas.map((c) => textOf(lastOf(c), c.behind)))
  const doMeet = ctas.every((c, k) =>
    [c.before, ...c.turns, c.behind].every((u) => meetsAsOne(s, k * s.agents, u)),
  )
  const isParted = ctas.every((c) => c.turns.every(({ parts }) => parts[0]!.barriers.length > 0))
  const isShared = ctas.some(({ before }) => before.parts.some(({ shares }) => shares))
  const turns = ctas.map((c) => c.turns.length)
  const areFollowed = turns.some((n) => n > 2) && (!isShared || turns.some((n) => n === 1))
  if (!isDrawnOnce || !areAlike || !doMeet || !isParted || !areFollowed) return null
  const counter: Unit = { parts: [], reads: new Map(), writes: new Map([[word.id, word]]), draws: 0 }
  const units = ctas.flatMap((c) => [
    [c.before],
    ...c.turns.slice(0, -1).map((u) => [u]),
    [lastOf(c), c.behind],
  ])
  return collision([[counter], ...units].map(touchedIn)) === null
    ? { drawn: turns.reduce((sum, n) => sum + n, 0) }
    : null
}

const begun = (header: Header, draws: Draws, agents: number): State => ({
  header,
  draws,
  agents,
  ctas: Array.from({ length: header.agents.length / agents }, () => cta(agents)),
  lanes: new Int32Array(header.agents.length),
  names: new Map(),
  texts: new Map(),
  word: null,
  clusters: 0,
})

/** Q2 to Q8, of a run that decides but for the order of what is drawn (Q1); null: they do not hold. */
export const tickets = (
  { world, machine }: Launched,
  schedule: ReadonlyArray<EventKey>,
  fuel: number,
): Tickets | null => {
  const { front, ctas, resident, clusterCount, agentsPerCta, header } = world
  if (front.draws === null || ctas !== 1 || resident !== clusterCount) return null
  const s = begun(header, front.draws, agentsPerCta)
  const isSo = isSoAgain({ world, machine }, schedule, fuel, {
    ofEvent: (e) => seen(s, e),
    ofBeginning: () => true,
    ofStep: () => true,
    keepsMachines: false,
  })
  return isSo ? judge(s) : null
}
