/**
 * Look-backs: grids whose CTAs walk from word to word of others, and may find each as it is or as it was, of which one run says what each order does.
 *
 *     CTA 3: aggregate[3] = total; fence; flag[3] = 1                              a *word*: 0, then 1, then 2
 *            for (p = 2; ; p--) {                                                  the *walk*: other CTAs may be further, or not yet so far
 *              while (!(f = flag[p])); fence
 *              if (f == 2) { sum += prefix[p]; break }                             a *fetch*
 *              sum += aggregate[p]
 *            }
 *            prefix[3] = sum + total; fence; flag[3] = 2
 *
 * Which of its values each word has when it is asked depends on the order: 132 CTAs have more than 130! ways. But what comes of a walk is the same on all of them. A walk is all that a thread does
 * from a strong load, or a wait for a word, up to what is neither an access of it to global memory nor a fence.
 *
 * | asked                                                                                                        | of            |
 * |--------------------------------------------------------------------------------------------------------------|---------------|
 * | H1 but for the order of what decides the run decides: C1 alone fails, and nothing is found                      | the judgement |
 * | H2 strong accesses are loads, waits and stores of words of 32 or 64 bits, by one lane, as far as the grid; of each CTA one thread stores words, asks them and draws; each word is stored by one thread, and is touched by nothing else | the run, the walks |
 * | H3 but for fetches, no CTA writes a byte of global memory that another touches                                 | the run       |
 * | H4 each walk, run again from where it began with each value that each word ever has, comes to the same place with the same registers, and has stored the same in the same order | the walks |
 * | H5 a fetch finds bytes that nothing writes; or bytes with one write in all of the run, by the thread of a word that this walk has found as it was behind a release that follows the write, and has acquired | the walks |
 * | H6 with the last value of each word every walk ends; and no walk needs, to begin with, its own end              | the walks     |
 * | H7 all CTAs are there at once, each is a cluster of its own, and nothing is asynchronous                        | the launch, the run |
 * | H8 if CTAs draw numbers, none draws two, or after it has written or asked anything of which others hear; nothing else touches that word, and CTAs can tell one another apart by nothing else | the text, the run |
 *
 * Why that is enough. Take any other run. What threads do between walks follows from what they have read: in global memory that is what no other CTA writes (H3), in shared memory what their own
 * CTA has written, in an order of barriers that is the same. So it is as in the first run, as long as walks come to what they came to there. Take a walk, and let all that it needs be so
 * (H6: this goes back to walks that need none). Each word that it asks holds its first value, or one that its thread has stored (H2), and these are those of the first run, in their order. So the
 * walk goes one of the ways of H4, if what it fetches is what the first run has left there. It is: that byte has one write, which the fetch knows of (H5). All these ways come to one end.
 * And there is an end: the thread that stores a word needs none of this walk (H6), so at last it has its last value, a load finds that at last, and then the walk ends.
 *
 * A race would be of two accesses of one CTA, which are there in the first run with the same barriers between them; of two CTAs, where none conflict (H3); or of a fetch, which knows of the one
 * write (H5). A walk that asks a word finds no older value than all of those that are tried. Words order nothing in a CTA: what leaves it by a store of its one thread (H2), and comes back by a walk
 * of that thread, is between two points of one thread. With two threads it would be an order of this run alone. A CTA may ask a word of its own: it finds one of the values that are tried.
 *
 * Where CTAs draw numbers (H8), another run may draw them in another order. Until it draws a CTA is like every other. So what is CTA 5 in that run, which has drawn 2, is CTA 2 of the first run, and
 * all else is as before: what is told of the run does not say which CTA is which. So, too, if one draws all draw, and from one word: what comes before is alike in all.
 *
 * Data that are not known are taken for alike on all ways. So without data an answer speaks of hazards alone, not of outputs, as the search of every order does.
 *
 * What is tried is more than can be: a thread that has found a value finds no older one behind it. That costs an answer at most.
 *
 * Law 1. Where the answer is not null, every order finds nothing.
 *
 * Names: decoupled look-back (Merrill and Garland); chained scans.
 */
import { offeredOf, take, type EventKey } from '../execution/step.js'
import { collision, touchedBy, type Touched } from '../execution/independence.js'
import {
  bytesIn,
  endOf,
  spansOf,
  startOf,
  type Access,
  type Fence,
  type Footprint,
  type LogEvent,
  type SemaphoreEvent,
  type Stamp,
} from '../log/events.js'
import { isOne } from '../log/lane-mask.js'
import { isFloat } from '../../numerics/dtype.js'
import type { Scope } from '../language/instruction.js'
import { ctaOf } from '../machine/effect.js'
import type { Launched } from '../machine/launch.js'
import * as Plane from '../machine/plane.js'
import { withPlane, type AgentState, type Machine, type Ready } from '../machine/state.js'
import type { World } from '../machine/world.js'
import { isSoAgain } from './once-more.js'

// ---------------------------------------------------------------- model

/** A value that a word has. */
interface Value {
  readonly held: string
  /** what its thread has done before this event of it is told with the value; 0: nothing */
  readonly told: number
  /** walks that its CTA had begun before; 0 as well of the value before the run */
  readonly walks: number
}
interface Bytes {
  readonly plane: number
  readonly byte: number
  readonly bytes: number
}
/** A word, and which thread stores it; null: none does. */
interface Word extends Bytes {
  readonly values: Value[]
  thread: Thread | null
}
interface Thread {
  readonly agent: number
  readonly lanes: number
}
/** Bytes of global memory that an event of the run has written plainly. */
interface Write extends Thread {
  readonly plane: number
  readonly start: number
  readonly end: number
  readonly at: number
}
/** A walk of the run. */
interface Walk extends Thread {
  /** of its CTA: walks that had begun before */
  readonly before: number
  readonly from: Machine
  /** where the run came to behind it */
  to: string
}
interface State {
  readonly world: World
  readonly first: Machine
  readonly words: Map<string, Word>
  readonly writes: Write[]
  /** by agent: the walk that it is on */
  readonly walking: (Walk | null)[]
  readonly walks: Walk[]
  /** by CTA: how many it has begun */
  readonly begun: number[]
  /** by CTA: the thread that stores words, asks them, draws */
  readonly speaking: (Thread | null)[]
  /** by agent: its fences that tell the grid */
  readonly fences: (Stamp[] | undefined)[]
  /** by CTA: what else it touches in global memory, plainly */
  readonly reads: ReadonlyArray<Map<number, Footprint>>
  readonly written: ReadonlyArray<Map<number, Footprint>>
  /** stored by the step under way */
  readonly stored: { readonly word: Word; readonly told: number; readonly stamp: Stamp }[]
  /** the word that numbers are drawn from */
  counter: Footprint | null
  /** by CTA: it has drawn one; it has told others something */
  readonly drawn: boolean[]
  /** an atomic has read, and is to write */
  joins: boolean
  readonly told: boolean[]
  clusters: number
  steps: number
  last: Machine
  /** a fetch may come before it has heard of the write */
  unheard: boolean
}

/** Walks of a run that decides. */
export interface Lookbacks {
  readonly walks: number
}
/** Does it decide? `unheard`: it does not, since on some way a fetch does not know of the write that it finds. */
export interface AskedWalks {
  readonly decides: Lookbacks | null
  readonly unheard: boolean
}
const open: AskedWalks = { decides: null, unheard: false }

// ---------------------------------------------------------------- what an agent is ready for

const isWide = (scope: Scope | undefined): boolean =>
  scope === undefined || scope === 'gpu' || scope === 'sys'

const asksWord = (ready: Ready | null): boolean =>
  ready?._tag === 'do' &&
  (ready.prepared._tag === 'semaphore' ||
    (ready.prepared._tag === 'load' && ready.prepared.strong !== undefined))

/** The lanes that do what an agent is ready for; 0: it is no warp, or does nothing. */
const lanesOf = ({ ready }: AgentState): number =>
  ready?._tag !== 'do' || ready.by === undefined || ready.by.whole ? 0 : ready.by.mask

/** Is it of the walk of one lane, while no other part of the warp could go on? */
const walksOn = ({ front, header }: World, a: AgentState, lanes: number): boolean => {
  const { ready } = a
  if (ready?._tag !== 'do' || lanes === 0 || !isOne(lanes) || lanesOf(a) !== lanes) return false
  if ((front.parts?.others(a).length ?? 0) > 0) return false
  const p = ready.prepared
  const isGlobal = (plane: number): boolean => header.planes[plane]!.space === 'gmem'
  if (p._tag === 'semaphore') return p.kind === 'wait' && p.until !== undefined && !p.decrement
  if (p._tag === 'load') return isGlobal(p.source.plane) && p.readOnly !== true && p.mask === null
  if (p._tag === 'store') return isGlobal(p.destination.plane)
  return p._tag === 'fence' && p.kind === 'memory'
}

/** Where a lane of an agent stands, in words. */
const textOf = ({ front }: World, { status, stand, ready }: AgentState, lanes: number): string =>
  `${status} ${stand === null ? '' : front.where(stand, ready, () => 0, lanes)}`

// ---------------------------------------------------------------- words

/** The word of these bytes; null: they are none. */
const wordOf = (s: State, f: Footprint): Word | null => {
  const bytes = bytesIn(f.spans)
  const byte = startOf(f.spans)
  if (s.world.header.planes[f.plane]?.space !== 'gmem' || endOf(f.spans) - byte !== bytes) return null
  const name = `${String(f.plane)}+${String(byte)}`
  const known = s.words.get(name)
  if (known !== undefined) return known.bytes === bytes ? known : null
  const held = Plane.wordAt(s.first.planes[f.plane]!, byte, bytes)
  const word: Word = { plane: f.plane, byte, bytes, values: [{ held, told: 0, walks: 0 }], thread: null }
  s.words.set(name, word)
  return word
}

/** H2: one word, as a whole. */
const isOneWord = (e: Access | SemaphoreEvent): boolean => {
  const words = e._tag === 'access' ? (e.words ?? 1) : 1
  return bytesIn(e.footprint.spans) === 4 * words && words <= 2 && isWide(e.scope)
}

const isBy = (stamp: Stamp, lanes: number): boolean => ((stamp.lanes ?? 0) & lanes) !== 0

// ---------------------------------------------------------------- the run

/** H2: of its CTA no other thread stores words, asks them or draws. */
const speaks = (s: State, { agent, lanes }: Thread): boolean => {
  const cta = ctaOf(s.world, agent)
  const thread = (s.speaking[cta] ??= { agent, lanes })
  return thread.agent === agent && thread.lanes === lanes
}

/** H2. A strong store of the run. */
const stores = (s: State, e: Access): boolean => {
  const { agent, lanes, at } = e.stamp
  const word = isOneWord(e) ? wordOf(s, e.footprint) : null
  if (word === null || lanes === undefined || !isOne(lanes)) return false
  if (e.combine !== undefined || s.joins || !speaks(s, { agent, lanes })) return false
  s.told[ctaOf(s.world, agent)] = true
  word.thread ??= { agent, lanes }
  if (word.thread.agent !== agent || word.thread.lanes !== lanes) return false
  const fences = (s.fences[agent] ?? []).filter((f) => isBy(f, lanes))
  const before = word.values[word.values.length - 1]!
  // a release is one for what is stored to the same word behind it
  const released = e.releases === true ? at : before.told
  s.stored.push({ word, told: Math.max(released, fences[fences.length - 1]?.at ?? 0), stamp: e.stamp })
  return true
}

/** H8. A sum that is added to a word: it draws a number, before its CTA does anything else of which others hear. */
const draws = (s: State, e: Access): boolean => {
  const { agent, lanes } = e.stamp
  const cta = ctaOf(s.world, agent)
  if (s.world.front.tellsCtas || e.proxy !== 'generic' || lanes === undefined || !isOne(lanes)) return false
  if (!speaks(s, { agent, lanes })) return false
  if (bytesIn(e.footprint.spans) !== 4 || isFloat(e.footprint.dtype) || e.rounds === true) return false
  s.joins = e.rw === 'r'
  if (e.rw === 'r') return e.joins === true
  s.counter ??= e.footprint
  const isFirst = !s.drawn[cta] && !s.told[cta] && s.begun[cta] === 0 && s.written[cta]!.size === 0
  s.drawn[cta] = true
  return isFirst && isWide(e.scope)
}

const accessed = (s: State, e: Access): boolean => {
  const { agent, lanes } = e.stamp
  if (e.operation !== undefined || e.older !== undefined) return false
  const isGlobal = s.world.header.planes[e.footprint.plane]?.space === 'gmem'
  if (e.atomic) {
    if (e.proxy !== 'generic' || !isGlobal) return false
    if (e.joins === true || e.combine === 'add') return draws(s, e)
    if (e.rw === 'w') return stores(s, e)
    return s.walking[agent] !== null && isOneWord(e) && wordOf(s, e.footprint) !== null
  }
  if (e.proxy !== 'generic' && e.proxy !== 'readOnly') return false
  if (!isGlobal) return true
  const cta = ctaOf(s.world, agent)
  if (e.rw === 'r') {
    if (s.walking[agent] === null) s.reads[cta]!.set(e.footprint.id, e.footprint)
    return true
  }
  s.written[cta]!.set(e.footprint.id, e.footprint)
  const spans = spansOf(e.footprint)
  for (let i = 0; i < spans.length; i += 2)
    s.writes.push({
      agent,
      lanes: lanes ?? 0,
      plane: e.footprint.plane,
      start: spans[i]!,
      end: spans[i + 1]!,
      at: e.stamp.at,
    })
  return true
}

const tells = (e: Fence): boolean => e.scope === 'global' && e.half !== 'acquire'
const hears = (e: Fence): boolean => e.scope === 'global' && e.half !== 'release'

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
      if (tells(e)) (s.fences[e.stamp.agent] ??= []).push(e.stamp)
      return e.kind === 'memory'
    case 'rendezvous':
      return e.kind !== 'blocked' && e.loose === undefined && e.relaxed !== true && e.id < 16
    case 'access':
      return accessed(s, e)
    case 'semaphore':
      return (
        e.outcome === 'passed' &&
        s.walking[e.stamp.agent] !== null &&
        isOneWord(e) &&
        wordOf(s, e.footprint) !== null
      )
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

/** Walks begin, and end. False: it is not so. */
const walked = (s: State, m: Machine, agent: number): boolean => {
  const a = m.agents[agent]!
  const on = s.walking[agent]!
  if (on !== null) {
    if (walksOn(s.world, a, on.lanes)) return true
    on.to = textOf(s.world, a, on.lanes)
    s.walking[agent] = null
  }
  if (!asksWord(a.ready)) return true
  const cta = ctaOf(s.world, agent)
  const lanes = lanesOf(a)
  const walk: Walk = { agent, lanes, before: s.begun[cta]!, from: m, to: '' }
  if (!walksOn(s.world, a, lanes) || !speaks(s, walk)) return false
  s.walking[agent] = walk
  s.walks.push(walk)
  s.begun[cta] = walk.before + 1
  return true
}

/** Behind a step of the run. False: it is not so. */
const stepped = (s: State, m: Machine, key: EventKey): boolean => {
  if (key.stage !== 'agent' || (key.part !== 0 && s.walking[key.agent] !== null)) return false
  for (const { word, told, stamp } of s.stored.splice(0)) {
    const held = Plane.wordAt(m.planes[word.plane]!, word.byte, word.bytes)
    word.values.push({ held, told, walks: s.begun[ctaOf(s.world, stamp.agent)]! })
  }
  s.steps++
  s.last = m
  return walked(s, m, key.agent)
}

// ---------------------------------------------------------------- the ways of a walk

/** What threads have told, by thread: up to which event of it. */
type Told = ReadonlyMap<string, number>
const untold: Told = new Map()
const nameOf = ({ agent, lanes }: Thread): string => `${String(agent)}:${String(lanes)}`
const joined = (a: Told, b: Told): Told => {
  const out = new Map(a)
  for (const [name, at] of b) out.set(name, Math.max(at, out.get(name) ?? 0))
  return out
}
const showTold = (t: Told): string => [...t].sort(([a], [b]) => (a < b ? -1 : 1)).join(';')

/** A moment of a walk. */
interface Moment {
  readonly machine: Machine
  /** what it has found and not acquired; what it has acquired */
  readonly found: Told
  readonly known: Told
  /** what it has stored */
  readonly did: string
  /** a fence has told since then */
  readonly fenced: boolean
}

/** H5: may it be fetched? */
const fetches = (s: State, agent: number, f: Footprint, known: Told): boolean => {
  const [start, end] = [startOf(f.spans), endOf(f.spans)]
  if (end - start !== bytesIn(f.spans)) return false
  const here = (plane: number, from: number, to: number): boolean =>
    plane === f.plane && from < end && to > start
  for (const w of s.words.values()) if (here(w.plane, w.byte, w.byte + w.bytes)) return false
  if (s.counter !== null && here(s.counter.plane, startOf(s.counter.spans), endOf(s.counter.spans)))
    return false
  const all = s.writes.filter((w) => here(w.plane, w.start, w.end))
  const [one] = all
  if (one === undefined) return true
  const isOfOther =
    all.length === 1 &&
    one.start <= start &&
    one.end >= end &&
    isOne(one.lanes) &&
    ctaOf(s.world, one.agent) !== ctaOf(s.world, agent)
  const isHeard = (known.get(nameOf(one)) ?? 0) > one.at
  s.unheard ||= isOfOther && !isHeard
  return isOfOther && isHeard
}

/** What has been stored, and how. */
const storedBy = (e: Access, m: Machine, fenced: boolean): string => {
  const { plane, spans } = e.footprint
  const how = e.atomic ? `strong ${String(e.releases === true)} ${e.scope ?? ''}` : 'weak'
  const held = Plane.wordAt(m.planes[plane]!, startOf(spans), endOf(spans) - startOf(spans))
  return `${fenced ? 'fence ' : ''}${how} ${String(plane)}+${spansOf(e.footprint).join()} ${held};`
}

/** The moment behind events of a walk; null: it is not so. `asked`: what is told with the value that it finds. */
const behind = (
  s: State,
  t: Moment,
  agent: number,
  machine: Machine,
  events: ReadonlyArray<LogEvent>,
  asked: Told,
): Moment | null => {
  let { found, known, did, fenced } = t
  for (const e of events) {
    if (e._tag === 'warpSync' || e._tag === 'exit') continue
    if (e._tag === 'fence') {
      if (hears(e)) known = joined(known, found)
      fenced ||= tells(e)
    } else if (e._tag === 'semaphore' || (e._tag === 'access' && e.atomic && e.rw === 'r')) {
      if (!isOneWord(e)) return null
      const acquires = e._tag === 'semaphore' ? e.relaxed !== true : e.acquires === true
      found = joined(found, asked)
      if (acquires) known = joined(known, asked)
    } else if (e._tag === 'access' && e.rw === 'w') {
      did += storedBy(e, machine, fenced)
      fenced = false
    } else if (e._tag !== 'access' || e.proxy !== 'generic' || !fetches(s, agent, e.footprint, known))
      return null
  }
  return { machine, found, known, did, fenced }
}

/** The moment at which the walk asks the next word, or is over; null: it is not so. */
const onward = (s: State, from: Moment, { agent, lanes }: Thread, effort: Effort): Moment | null => {
  let t: Moment | null = from
  for (;;) {
    const a: AgentState = t.machine.agents[agent]!
    if (!walksOn(s.world, a, lanes) || asksWord(a.ready)) return t
    const o = offeredOf(s.world, t.machine, agent)
    const done = o === null ? null : take(s.world, t.machine, o)
    if (done === null || 'kind' in done || effort.spent++ > effort.most) return null
    t = behind(s, t, agent, done.machine, done.events, untold)
    if (t === null) return null
  }
}

/** The word that an agent asks. */
const askedBy = (s: State, { ready }: AgentState): Word | null => {
  if (ready?._tag !== 'do') return null
  const p = ready.prepared
  return p._tag === 'semaphore'
    ? wordOf(s, p.counter.footprint)
    : p._tag === 'load'
      ? wordOf(s, p.source.footprint)
      : null
}

/** Events of all ways of all walks together, and how many there may be. */
interface Effort {
  spent: number
  readonly most: number
}
/** For each event of the run; and how many there may be at least. */
const [mostForEach, fewest] = [20, 20_000]

/** All ways of a walk: the words that it asks; null: it is not so. */
const waysOf = (s: State, { agent, lanes, from, to }: Walk, effort: Effort): ReadonlySet<Word> | null => {
  const { world } = s
  // what others have told is there at last
  const whole = from.planes.reduce(
    (m, _, plane) =>
      world.header.planes[plane]!.space === 'gmem' ? withPlane(m, plane, s.last.planes[plane]!) : m,
    from,
  )
  const ends = new Set<string>()
  const asked = new Set<Word>()
  const names = new Map<string, number>()
  /** by moment: the one that follows on the last value of its word; -1: the end */
  const next: number[] = []
  const left: (readonly [number, Moment])[] = []
  const numberOf = (t: Moment): number => {
    const a = t.machine.agents[agent]!
    if (!walksOn(world, a, lanes)) {
      const text = textOf(world, a, lanes)
      ends.add(`${text} ${t.did} ${String(t.fenced)}`)
      return text === to ? -1 : -2
    }
    const name = [
      textOf(world, a, lanes),
      t.did,
      String(t.fenced),
      showTold(t.found),
      showTold(t.known),
    ].join(' | ')
    const known = names.get(name)
    if (known !== undefined) return known
    const number = names.size
    names.set(name, number)
    left.push([number, t])
    return number
  }
  numberOf({ machine: whole, found: untold, known: untold, did: '', fenced: false })
  for (let one = left.pop(); one !== undefined; one = left.pop()) {
    const [number, t] = one
    const word = askedBy(s, t.machine.agents[agent]!)
    if (word === null) return null
    asked.add(word)
    for (const { held, told } of word.values) {
      next[number] = -2
      const plane = Plane.withWord(t.machine.planes[word.plane]!, word.byte, held)
      const m = withPlane(t.machine, word.plane, plane)
      const o = offeredOf(world, m, agent)
      // a wait that goes on
      if (o === null) continue
      const done = take(world, m, o)
      if ('kind' in done || effort.spent++ > effort.most) return null
      const heard = word.thread === null || told === 0 ? untold : new Map([[nameOf(word.thread), told]])
      const found = behind(s, t, agent, done.machine, done.events, heard)
      const then = found === null ? null : onward(s, found, { agent, lanes }, effort)
      if (then === null) return null
      const at = numberOf(then)
      if (at === -2 || ends.size > 1) return null
      next[number] = at
    }
  }
  return next.every((_, number) => comesToEnd(next, number)) ? asked : null
}

/** H6: with the last values the end is come to. */
const comesToEnd = (next: ReadonlyArray<number>, from: number): boolean => {
  let at = from
  for (let n = 0; n <= next.length; n++) {
    if (at === -1) return true
    if (at === -2) return false
    at = next[at]!
  }
  return false
}

// ---------------------------------------------------------------- is it so?

/** H6: walks need walks, and none its own end. `needs`: by walk. */
const isFounded = (needs: ReadonlyMap<Walk, ReadonlyArray<Walk>>): boolean => {
  const state = new Map<Walk, 'open' | 'done'>()
  const visit = (w: Walk): boolean => {
    const known = state.get(w)
    if (known !== undefined) return known === 'done'
    state.set(w, 'open')
    for (const other of needs.get(w) ?? []) if (!visit(other)) return false
    state.set(w, 'done')
    return true
  }
  return [...needs.keys()].every(visit)
}

/** What CTAs touch of global memory, and the words. */
const touchedIn = (s: State, words: ReadonlyArray<Bytes>): ReadonlyArray<ReadonlyArray<Touched>> => [
  words.map(({ plane, byte, bytes }): Touched => ({
    plane,
    reads: new Float64Array(0),
    writes: Float64Array.of(byte, byte + bytes),
  })),
  ...s.reads.map((reads, cta) => touchedBy(reads.values(), s.written[cta]!.values())),
]

const areApart = (words: Iterable<Bytes>): boolean => {
  const all = [...words].sort((a, b) => a.plane - b.plane || a.byte - b.byte)
  return all.every(
    (w, k) => k === 0 || all[k - 1]!.plane !== w.plane || all[k - 1]!.byte + all[k - 1]!.bytes <= w.byte,
  )
}

const judge = (s: State): Lookbacks | null => {
  if (s.clusters !== 1 || s.walks.length === 0) return null
  const effort: Effort = { spent: 0, most: Math.max(fewest, mostForEach * s.steps) }
  const asked = new Map<Walk, ReadonlySet<Word>>()
  for (const walk of s.walks) {
    const words = waysOf(s, walk, effort)
    if (words === null) return null
    asked.set(walk, words)
  }
  const ofCta = s.begun.map((_, cta) => s.walks.filter(({ agent }) => ctaOf(s.world, agent) === cta))
  const needs = new Map(
    [...asked].map(([walk, words]) => [
      walk,
      [
        ...ofCta[ctaOf(s.world, walk.agent)]!.slice(0, walk.before),
        ...[...words].flatMap(({ thread, values }) =>
          thread === null
            ? []
            : ofCta[ctaOf(s.world, thread.agent)]!.slice(0, values[values.length - 1]!.walks),
        ),
      ],
    ]),
  )
  const { counter } = s
  const places: ReadonlyArray<Bytes> = [
    ...s.words.values(),
    ...(counter === null ? [] : [{ plane: counter.plane, byte: startOf(counter.spans), bytes: 4 }]),
  ]
  if (!isFounded(needs) || !areApart(places)) return null
  return collision(touchedIn(s, places)) === null ? { walks: s.walks.length } : null
}

/** H2 to H8, of a run that decides but for the order of what decides (H1). */
export const lookbacks = (
  { world, machine }: Launched,
  schedule: ReadonlyArray<EventKey>,
  fuel: number,
): AskedWalks => {
  const { front, ctas, resident, clusterCount, header } = world
  if (front.obeysNoWord || ctas !== 1 || resident !== clusterCount || front.hardware !== null) return open
  if (front.asksWhoRuns || front.elects || front.parts === null) return open
  const s: State = {
    world,
    first: machine,
    words: new Map(),
    writes: [],
    walking: header.agents.map(() => null),
    walks: [],
    begun: Array.from({ length: resident }, () => 0),
    speaking: Array.from({ length: resident }, () => null),
    fences: [],
    reads: Array.from({ length: resident }, () => new Map<number, Footprint>()),
    written: Array.from({ length: resident }, () => new Map<number, Footprint>()),
    stored: [],
    counter: null,
    joins: false,
    drawn: Array.from({ length: resident }, () => false),
    told: Array.from({ length: resident }, () => false),
    clusters: 0,
    steps: 0,
    last: machine,
    unheard: false,
  }
  const isSo = isSoAgain({ world, machine }, schedule, fuel, {
    ofEvent: (e) => seen(s, e),
    ofBeginning: (m) => m.agents.every((_, agent) => walked(s, m, agent)),
    ofStep: (m, key) => stepped(s, m, key),
    // walks are gone again from where they began
    keepsMachines: true,
  })
  return isSo ? { decides: judge(s), unheard: s.unheard } : open
}
