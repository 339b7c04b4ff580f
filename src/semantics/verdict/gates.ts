/**
 * Gates: barriers of a grid that the last CTA to arrive opens for the others, of which one run says what each order does.
 *
 *     132 CTAs count themselves, the last one sets the counter back and turns a sign, for which the others wait; twice       132! times 132! orders, and it is no matter who is the last
 *
 * A *round* is all that is counted from one reset to the next, with the opening behind it and the waits that this ends.
 *
 * | asked                                                                                                        | of            |
 * |--------------------------------------------------------------------------------------------------------------|---------------|
 * | J1 but for the order of what decides the run decides: C1 alone fails, and nothing is found                      | the judgement |
 * | J2 all strong accesses are those of gates (`warps/gates.ts`), each by one lane, and in each CTA by the same     | the text, the run |
 * | J3 they count one word, and wait for one other; nothing else touches these                                     | the run       |
 * | J4 each round has one arrival of each CTA; the last of them finds one less than there are CTAs, sets the counter back to what it was before the first, and opens the gate | the run |
 * | J5 an opening leaves another word than was there before; who waits until it is another has waited for that one   | the run       |
 * | J6 all CTAs are there at once, each is a cluster of its own, and nothing is asynchronous                         | the launch, the run |
 *
 * Why that is enough. Take any other run, and let it be like the first up to the openings of a round. Then each CTA comes to its next arrival just as in the first run: what it has heard is
 * all that CTAs did before they arrived in this round (F6), whether it was the last or another; registers are the same behind both arms (F7); nothing but gates is
 * strong (J2), and nothing races, so it reads what it has read. Who comes last is known by the counter: it was set back before the gate was opened, which all have heard of who arrive again
 * (F6), so it finds one less than there are CTAs if all others have arrived, and not before (J3, J4, F2). It sets back and opens as the one did that was the last in
 * the first run: at the same words (F4), and with the word that it waited for there, if it was not the last one there (F5, J5). The others wait for that: what was there before is another word
 * (J5); each of them has heard of the opening before (or has made it), and so can find nothing older; and the next opening knows of its wait. So all go on, and the next round is alike.
 *
 * What a CTA touches between its arrivals is the same in both runs, and so is what it knows when it does: a race in the other run would be one in the first.
 *
 * Law 1. Where the answer is not null, every order of the arrivals finds nothing.
 */
import type { EventKey } from '../execution/step.js'
import {
  bytesIn,
  spansOf,
  startOf,
  type Access,
  type Footprint,
  type Header,
  type LogEvent,
  type SemaphoreEvent,
  type Stamp,
} from '../log/events.js'
import { isOne } from '../log/lane-mask.js'
import type { Gate } from '../machine/front.js'
import type { Launched } from '../machine/launch.js'
import * as Plane from '../machine/plane.js'
import type { Machine } from '../machine/state.js'
import { isSoAgain } from './once-more.js'

// ---------------------------------------------------------------- model

/** Where a CTA stands: outside of gates, behind an arrival, or as the last one that has to set back, or to open. */
type Stage = 'out' | 'arrived' | 'last' | 'reset'
interface Cta {
  rounds: number
  stage: Stage
  gate: Gate | null
  /** who arrives */
  agent: number
  lanes: number
}
/** A word of global memory, and what it is known to hold. */
interface Word {
  readonly footprint: Footprint
  readonly name: string
  holds: number
}
interface State {
  readonly header: Header
  readonly first: Machine
  readonly sites: ReadonlyMap<number, Gate>
  readonly ctas: ReadonlyArray<Cta>
  count: Word | null
  sign: Word | null
  /** of the round under way */
  arrived: number
  /** of each round that has been opened what was there before */
  readonly opened: number[]
  /** other footprints of global memory */
  readonly others: Map<number, Footprint>
  clusters: number
  /** written by the step under way */
  wrote: Word | null
}

/** Rounds of a run that decides. */
export interface Gates {
  readonly rounds: number
}

const wordBytes = 4

// ---------------------------------------------------------------- words

/** The number that a word holds; null: that is not known. */
const held = ({ planes }: Machine, { plane, spans }: Footprint): number | null => {
  const text = Plane.wordAt(planes[plane]!, startOf(spans), wordBytes)
  // a byte that is not known takes more than two digits
  if (text.length !== 2 * wordBytes) return null
  return [0, 1, 2, 3].reduce((sum, k) => sum | (parseInt(text.slice(2 * k, 2 * k + 2), 16) << (8 * k)), 0)
}
const nameOf = (f: Footprint): string => `${String(f.plane)}+${spansOf(f).join()}`

/** The word that these bytes are; null: they are no such word, or another than before. */
const wordOf = (s: State, known: Word | null, f: Footprint): Word | null => {
  if (known !== null && known.footprint.id === f.id) return known
  if (known !== null) return known.name === nameOf(f) ? known : null
  if (s.header.planes[f.plane]?.space !== 'gmem' || bytesIn(f.spans) !== wordBytes) return null
  const holds = held(s.first, f)
  return holds === null ? null : { footprint: f, name: nameOf(f), holds }
}
const countIn = (s: State, f: Footprint): Word | null => {
  const word = wordOf(s, s.count, f)
  s.count ??= word
  return word
}
const signIn = (s: State, f: Footprint): Word | null => {
  const word = wordOf(s, s.sign, f)
  s.sign ??= word
  return word
}

// ---------------------------------------------------------------- what is seen

/** J2: the CTA, if it is its thread that does all of this. */
const byOne = (s: State, { agent, lanes }: Stamp): Cta | null => {
  const cta = s.ctas[s.header.agents[agent]!.cta]
  if (cta === undefined || lanes === undefined || !isOne(lanes)) return null
  if (cta.agent < 0) {
    cta.agent = agent
    cta.lanes = lanes
  }
  return cta.agent === agent && cta.lanes === lanes ? cta : null
}

const arrives = (s: State, e: Access, cta: Cta, gate: Gate): boolean => {
  if (e.rw === 'r') return e.joins === true
  const word = countIn(s, e.footprint)
  const [found] = e.found ?? []
  const [left] = e.left ?? []
  if (word === null || cta.stage !== 'out') return false
  if (s.opened.length + s.arrived === 0 && word.holds !== gate.start) return false
  if (found !== word.holds || found !== gate.start + s.arrived) return false
  s.arrived++
  const isLast = s.arrived === s.ctas.length
  const isRound = isLast && gate.reset === null
  if (left !== (isRound ? gate.start : found + 1)) return false
  word.holds = left
  cta.gate = gate
  cta.stage = isRound ? 'reset' : isLast ? 'last' : 'arrived'
  return true
}

const accessed = (s: State, e: Access, cta: Cta, gate: Gate): boolean => {
  const { site } = e.stamp
  if (e.older !== undefined || e.operation !== undefined) return false
  if (site === gate.arrival) return arrives(s, e, cta, gate)
  if (gate.looks.includes(site)) {
    const isOwn = cta.stage === 'reset' && cta.gate === gate
    return e.rw === 'r' && (cta.stage === 'out' || isOwn) && signIn(s, e.footprint) !== null
  }
  // an exchange reads as well
  if (e.rw === 'r') return e.joins === true && (site === gate.reset || site === gate.opening)
  if (cta.gate !== gate) return false
  if (site === gate.reset) {
    const word = countIn(s, e.footprint)
    if (word === null || cta.stage !== 'last') return false
    cta.stage = 'reset'
    s.wrote = word
    return true
  }
  if (site !== gate.opening || cta.stage !== 'reset') return false
  const word = signIn(s, e.footprint)
  if (word === null || s.count === null || word.name === s.count.name) return false
  s.wrote = word
  cta.stage = 'out'
  cta.rounds++
  s.arrived = 0
  return true
}

const waited = (s: State, e: SemaphoreEvent, cta: Cta, gate: Gate): boolean => {
  const before = s.opened[cta.rounds]
  if (e.kind !== 'wait' || e.outcome !== 'passed' || e.decrement || e.stamp.site !== gate.wait) return false
  if (cta.stage !== 'arrived' || cta.gate !== gate || before === undefined) return false
  if (signIn(s, e.footprint) === null) return false
  cta.stage = 'out'
  cta.rounds++
  // until it is a word, it passes on no other
  return !gate.addsOne || (e.value | 0) === before
}

/** False: it is not so. */
const seen = (s: State, e: LogEvent): boolean => {
  switch (e._tag) {
    case 'cluster':
      s.clusters++
      return true
    case 'exit':
    case 'warpSync':
      return true
    case 'fence':
      return e.kind === 'memory'
    case 'rendezvous':
      return e.kind !== 'blocked' && e.loose === undefined && e.relaxed !== true && e.id < 16
    case 'semaphore':
    case 'access': {
      if (e._tag === 'access' && !e.atomic) {
        if (e.operation !== undefined || (e.proxy !== 'generic' && e.proxy !== 'readOnly')) return false
        if (s.header.planes[e.footprint.plane]?.space === 'gmem') s.others.set(e.footprint.id, e.footprint)
        return true
      }
      const gate = s.sites.get(e.stamp.site)
      const cta = byOne(s, e.stamp)
      if (gate === undefined || cta === null) return false
      return e._tag === 'access' ? accessed(s, e, cta, gate) : waited(s, e, cta, gate)
    }
    case 'issue':
    case 'perform':
    case 'signal':
    case 'barrier':
    case 'wait':
    case 'group':
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

/** J5: what a step has written of the words is known, in the machine behind it, and an opening leaves another word. */
const written = (s: State, m: Machine): boolean => {
  const { wrote: word } = s
  if (word === null) return true
  s.wrote = null
  const now = held(m, word.footprint)
  if (now === null) return false
  if (word === s.sign) {
    if (now === word.holds) return false
    s.opened.push(word.holds)
  }
  word.holds = now
  return true
}

/** J3: nothing else touches the words. */
const areApart = ({ others }: State, words: ReadonlyArray<Word>): boolean =>
  [...others.values()].every((f) =>
    words.every(({ footprint }) => {
      if (footprint.plane !== f.plane) return true
      const at = startOf(footprint.spans)
      const spans = spansOf(f)
      for (let i = 0; i < spans.length; i += 2)
        if (spans[i]! < at + wordBytes && spans[i + 1]! > at) return false
      return true
    }),
  )

const judge = (s: State): Gates | null => {
  const { count, sign, ctas, opened } = s
  if (s.clusters !== 1 || count === null || sign === null || opened.length === 0) return null
  const areOut = ctas.every(({ stage, rounds }) => stage === 'out' && rounds === opened.length)
  return areOut && count.name !== sign.name && areApart(s, [count, sign]) ? { rounds: opened.length } : null
}

/** J2 to J6, of a run that decides but for the order of what decides (J1); null: they do not hold. */
export const gates = (
  { world, machine }: Launched,
  schedule: ReadonlyArray<EventKey>,
  fuel: number,
): Gates | null => {
  const { front, ctas, resident, clusterCount, header } = world
  if (front.gates.length === 0 || ctas !== 1 || resident !== clusterCount) return null
  if (front.asksWhoRuns || front.elects) return null
  const s: State = {
    header,
    first: machine,
    sites: new Map(
      front.gates.flatMap((g) =>
        [g.arrival, ...(g.reset === null ? [] : [g.reset]), g.opening, g.wait, ...g.looks].map(
          (site) => [site, g] as const,
        ),
      ),
    ),
    ctas: Array.from({ length: resident }, (): Cta => ({
      rounds: 0,
      stage: 'out',
      gate: null,
      agent: -1,
      lanes: 0,
    })),
    count: null,
    sign: null,
    arrived: 0,
    opened: [],
    others: new Map(),
    clusters: 0,
    wrote: null,
  }
  const isSo = isSoAgain({ world, machine }, schedule, fuel, {
    ofEvent: (e) => seen(s, e),
    ofBeginning: () => true,
    ofStep: (m) => written(s, m),
    keepsMachines: false,
  })
  return isSo ? judge(s) : null
}
