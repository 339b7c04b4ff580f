/**
 * Readings: what else a strong access could have found, or left, in a run that is the same but for that.
 *
 * The log has an order of its own, and a read of the machine finds the last write in it. The memory model has less of an order: a read takes any write that nothing shows
 * to be over, and none that comes after it. Over is a write that another has overwritten which comes before the read in causality order, or which something read that does.
 *
 *     A: store x 1      B: store y 1          A may take the 0 of y, and B the 0 of x, whichever was last:
 *     A: load y         B: load x             neither knows what the other has stored
 *
 *     A: store x 1, fence.sc, load y          one fence comes before the other, and shows to it what its agent has stored:
 *     B: store y 1, fence.sc, load x          so one of them takes the 1
 *
 * | a read that                                        | takes another write in                                     |
 * |----------------------------------------------------|------------------------------------------------------------|
 * | controls: a branch, an address comes of it         | another schedule, which a search follows (`schedules/outcomes`) |
 * | only gives what memory holds                       | the same schedule: no agent does anything else             |
 *
 * Of the second kind this module keeps what else it may take, earlier writes and later ones; whether that shows in an output is asked where runs are made
 * (`verdict/otherwise.ts`). So does it of two stores that nothing orders: either may be the last.
 *
 * Laws
 * 1. The last write may always be taken, and a write that may be taken was not over for any read before that comes before this one.
 * 2. What more is known, the fewer may be taken.
 *
 * Source: PTX ISA, memory consistency model: observation order, Fence-SC order, causality order; axioms Causality, SC-per-location and No-Thin-Air.
 */
import { readingAtomically, writingAtomically } from '../deed.js'
import type { LaterStore, OtherReading, Otherwise } from '../finding.js'
import type { Access, Footprint, Header, Stamp } from '../../log/events.js'
import type { Reach } from '../../log/reach.js'
import { isOne, singles } from '../../log/lane-mask.js'
import { bitsOf, isFloat } from '../../../numerics/dtype.js'
import type { AccessRecord } from './access-record.js'
import { overlap } from './atoms.js'
import { join, nothing, type Knowledge } from './knowledge.js'
import { isAmong, knowsEvent, seesEvent } from './lanes.js'
import type { Heard, Message, OpenRead, Readings, Rumour, Sighting, Touch } from './readings-state.js'
import { accessing, operation } from './report.js'
import { keyOfWord, wordsOf } from './words.js'

// ---------------------------------------------------------------- what has happened to a word

/** Touches of a word that are remembered: writes before them may be taken no more, or nothing is said of them. */
const mostTouches = 256

/** Where the last writes begin, so many of them. */
const behindOf = (all: ReadonlyArray<Touch>, back: number): number => {
  let at = all.length
  for (let left = back, i = all.length - 1; left > 0 && i >= 0; i--)
    if (all[i]!.rw === 'w') {
      left--
      at = i
    }
  return at
}

/**
 * The same with one more, which has taken the write so many before the last, or been written behind that one. A read of the same lanes that took the same is there already.
 */
export const touch = (all: Touch[], t: Touch, back: number): void => {
  const end = behindOf(all, back)
  if (t.rw === 'r')
    for (let i = end - 1; i >= 0 && all[i]!.rw === 'r'; i--) {
      const before = all[i]!.stamp
      // who knows of this one knows of that
      if (before.agent === t.stamp.agent && isAmong(t.stamp, before)) return
    }
  all.splice(end, 0, t)
  if (all.length > mostTouches) all.splice(0, mostTouches / 2)
}

// ---------------------------------------------------------------- what may be taken

/** How many writes before the last a read may go back; a write may land behind the same. */
export interface Back {
  readonly most: number
  /** the same if nothing were known by the order of fences */
  readonly without: number
}

/** Whom it is asked of: of all lanes that act, which do it together, or of some lane, whichever may go back furthest. */
export type Acting = 'all' | 'some'

/**
 * Of a read, or a write, by these lanes, who know this, and to whom fences have shown that: it comes after what they know, and after what was read there. What lanes do together
 * comes after what any of them knows.
 */
export const backOf = (
  touches: ReadonlyArray<Touch>,
  by: Stamp,
  k: Knowledge,
  shown: Knowledge | undefined,
  acting: Acting = 'all',
): Back => {
  const alone =
    acting === 'some' || by.lanes === undefined || isOne(by.lanes)
      ? []
      : singles(by.lanes).map((lanes): Stamp => ({
          agent: by.agent,
          at: by.at,
          site: by.site,
          iteration: by.iteration,
          lanes,
        }))
  const isSeen = (stamp: Stamp): boolean =>
    seesEvent(k, stamp, by) ||
    // lanes differ in what they know of their own warp alone
    (stamp.agent === by.agent && alone.some((lane) => seesEvent(k, stamp, lane)))
  // what lanes have been shown of their own warp has come to them as a message
  const hears: Stamp = { agent: by.agent, at: by.at, site: by.site, iteration: by.iteration }
  const most = (also: Knowledge | undefined): number => {
    const isKnown = (stamp: Stamp): boolean =>
      isSeen(stamp) || (also !== undefined && seesEvent(also, stamp, hears))
    let writes = 0
    for (let i = touches.length - 1; i >= 0; i--) {
      const t = touches[i]!
      if (isKnown(t.stamp)) break
      if (t.rw === 'w') writes++
    }
    return writes
  }
  const without = most(undefined)
  return { most: shown === undefined ? without : most(shown), without }
}

/** Does an atomic that has heard so much take over what is told to it? `before`: before this event of its thread. */
export type TakesOver = (by: Stamp, heard: Heard, before?: number) => boolean
export const tellsNothing: TakesOver = () => false

/**
 * Behind which writes before the last one a write may land, and an atomic take and leave. Nothing lands between an atomic and what it has read, but where that shows in nothing:
 *
 * | what lands                           | the atomic that then has read it              |
 * |--------------------------------------|-----------------------------------------------|
 * | anything                             | leaves its own, and nothing comes of what it finds |
 * | an atomic that leaves what it finds  | any                                           |
 *
 * and neither that one, nor atomics that have read on, have taken over what is told there: then what lands came before them in every order.
 */
export const placesBehind = (
  touches: ReadonlyArray<Touch>,
  most: number,
  leavesWhatItFinds: boolean,
  takesOver: TakesOver,
): ReadonlyArray<number> => {
  const out: number[] = []
  let back = 0
  let told = false
  for (let i = touches.length - 1; i >= 0 && back < most; i--) {
    const { rw, stamp, joined } = touches[i]!
    if (rw === 'r') continue
    back++
    told = joined !== null && (told || takesOver(stamp, joined.heard))
    if (joined === null || ((leavesWhatItFinds || joined.blind) && !told)) out.push(back)
  }
  return out
}

// ---------------------------------------------------------------- what is kept of a run

/** Pairs of places of a program, and of each pair so many instances. */
const mostPairs = 256
const mostOfPair = 64

const pairOf = (a: Stamp, b: Stamp): string =>
  `${String(a.agent)} ${String(a.site)} ${String(b.agent)} ${String(b.site)}`

/** Is there room for it? */
const keep = <T>(all: Map<string, T[]>, a: Stamp, b: Stamp, one: T): boolean => {
  const key = pairOf(a, b)
  const known = all.get(key)
  if (known === undefined ? all.size >= mostPairs : known.length >= mostOfPair) return false
  if (known === undefined) all.set(key, [one])
  else known.push(one)
  return true
}

const keepReading = (r: Readings, one: OtherReading): boolean => keep(r.reads, one.beside, one.read, one)

const stillKept = ({
  reads,
  refuted,
}: Readings): ReadonlyArray<readonly [string, ReadonlyArray<OtherReading>]> =>
  [...reads].flatMap(([pair, all]) => {
    const left = all.filter((one) => !refuted.has(one))
    return left.length === 0 ? [] : [[pair, left] as const]
  })

/** The pairs that are kept, for words whose order is not meant. */
export const keptIn = (r: Readings): ReadonlyArray<string> => {
  const { stores, ahead, controlled } = r
  return [
    ...stillKept(r).map(([pair]) => pair),
    ...ahead.keys(),
    ...(r.behind === null ? [] : [`behind ${pairOf(r.behind.atomic, r.behind.write)}`]),
    ...[...stores]
      .filter(([, all]) => all.some(({ plane, byte }) => !controlled.has(keyOfWord(plane, byte))))
      .map(([pair]) => pair),
  ].sort()
}

export const otherwiseIn = (header: Header, r: Readings): Otherwise => ({
  reads: stillKept(r).map(([, all]) => all),
  // where a search has put writes under others it has asked for both orders
  stores: [...r.stores.values()]
    .map((all) => all.filter(({ plane, byte }) => !r.under.has(keyOfWord(plane, byte))))
    .filter((all) => all.length > 0),
  ahead: [...r.ahead.values()],
  controlled: r.controlled,
  over: r.over,
  behind: r.behind === null ? null : operation(header, accessing(r.behind.write, writingAtomically)),
  stale: r.stale === null ? null : operation(header, accessing(r.stale, readingAtomically)),
})

// ---------------------------------------------------------------- reads

/** Does who has heard so much take over what is told to it so far, from so far away? `before`: before this event of its thread. */
export const takes = (
  { since }: Heard,
  { reach, far }: Pick<Message, 'reach' | 'far'>,
  before: number = Infinity,
): boolean => reach >= far && (since[far - 1] ?? Infinity) < before

/** What agents may have heard of later writes, and how far they have taken that over. */
export const rumoursIn = (r: Readings): ReadonlyArray<readonly [number, ReadonlyArray<Rumour>]> =>
  [...r.rumours].map(([agent, all]) => [agent, all.filter(({ one }) => !r.refuted.has(one))])

/**
 * A read took the write that many before the last. What its lanes would have heard of later writes, had they read them before, and have taken over since, may show that this was
 * over: then they have not read them.
 */
export const refute = (
  r: Readings,
  touches: ReadonlyArray<Touch>,
  by: Stamp,
  back: number,
  k: Knowledge,
  shown: Knowledge | undefined,
): void => {
  for (const { one, heard, messages } of r.rumours.get(by.agent) ?? []) {
    const taken = messages.filter((m) => takes(heard, m))
    if (taken.length === 0 || r.refuted.has(one) || !isAmong(by, one.read)) continue
    const more = nothing()
    join(more, k)
    for (const { knowledge } of taken) join(more, knowledge)
    if (back > backOf(touches, by, more, shown, 'some').most) r.refuted.add(one)
  }
}

/** Does nothing but what memory holds come of it? */
export const onlyKept = (e: Access): boolean =>
  e.atomic && e.rw === 'r' && e.joins !== true && e.decides === true && e.controls === undefined

/** What else this read may take of its word, of which it took the write that many before the last. */
export const earlier = (
  r: Readings,
  touches: ReadonlyArray<Touch>,
  most: number,
  read: Stamp,
  back: number,
  place: { readonly plane: number; readonly byte: number; readonly bytes: number },
): void => {
  const writes = touches.filter(({ rw }) => rw === 'w')
  const at = (k: number): Stamp | undefined => writes[writes.length - 1 - k]?.stamp
  const first = writes[0]?.stamp
  if (first === undefined) return
  for (let k = 0; k <= most; k++) {
    const beside = at(Math.min(k, back))
    if (k === back || beside === undefined) continue
    const write = at(k)
    keepReading(r, {
      read,
      plane: place.plane,
      byte: place.byte,
      bytes: place.bytes,
      back: k,
      source: write === undefined ? { before: first } : { behind: write },
      beside,
    })
  }
}

/** From this event on it is taken over as far as that reaches. */
export const takesSince = ({ since }: Heard, { at }: Pick<Stamp, 'at'>, reach: Reach): void => {
  while (since.length < reach) since.push(at)
}

/** An agent takes over what it has heard: what is written later does not reach reads before that, if it tells anything. */
export const acquired = ({ hearing }: Readings, { agent, at }: Stamp, reach: Reach): void => {
  const all = hearing.get(agent)
  if (all === undefined) return
  for (const heard of all) takesSince(heard, { at }, reach)
  if (reach === 3) hearing.delete(agent)
}

/** What an access hears now, and what its thread takes over of it at fences. */
export const hearing = ({ hearing: all }: Readings, { agent, at }: Stamp, acquires: Reach): Heard => {
  const heard: Heard = { since: Array.from({ length: acquires }, () => at) }
  if (acquires === 3) return heard
  const others = all.get(agent)
  if (others === undefined) all.set(agent, [heard])
  else others.push(heard)
  return heard
}

/**
 * Atomics that this write may come before, in no schedule that is followed: its thread has found what theirs wrote behind them, which does not depend on what they found, and takes
 * nothing over. Nothing is said of them but that.
 */
export const ahead = (
  r: Readings,
  touches: ReadonlyArray<Touch>,
  most: number,
  write: Stamp,
  takesOver: TakesOver,
  found: ReadonlyMap<number, Sighting>,
): void => {
  let back = 0
  for (let i = touches.length - 1; i >= 0 && back < most && r.behind === null; i--) {
    const { rw, stamp, joined } = touches[i]!
    if (rw === 'r') continue
    back++
    if (joined === null || joined.blind || joined.sums) continue
    const last = found.get(stamp.agent)?.event
    const isBehind = last !== undefined && isBetween(last, stamp, joined.controls ?? Infinity)
    if (takesOver(stamp, joined.heard, isBehind ? last.at : undefined)) return
    if (isBehind) r.behind = { atomic: stamp, write }
  }
}

/** Was it written behind a read, and before the branch that depends on it? */
const isBetween = (e: Stamp, read: Stamp, branch: number): boolean =>
  e.at > read.at && e.site > read.site && e.site < branch

/**
 * Reads of a word that took something else, and that may take what is written now: by one who does not know them. `messages`: what the write tells the reader, and so far
 * an acquire takes over; `found`: what its thread has found, of each agent. Then who acquires by
 * the read comes behind the writer, and can have done nothing from there on that the writer has waited for; if it has not waited, another schedule has the write before the read.
 */
export const later = (
  r: Readings,
  open: ReadonlyArray<OpenRead>,
  write: Stamp,
  knew: Knowledge,
  messages: (read: OpenRead, since: number) => ReadonlyArray<Message>,
  found: ReadonlyMap<number, Sighting>,
  place: { readonly plane: number; readonly byte: number },
): ReadonlyArray<OpenRead> => {
  if (open.length === 0) return open
  const left = open.filter(({ stamp }) => !knowsEvent(knew, stamp, write))
  for (const one of left) {
    const { stamp: read, bytes, controls } = one
    const { plane, byte } = place
    if (controls !== null) r.stale ??= read
    const last = found.get(read.agent)
    const told = messages(one, last?.at ?? 0)
    // what it takes over behind what was found of it shows nothing
    if (told.some((m) => takes(one.heard, m, last?.event.at))) continue
    if (controls === null) {
      const reading = { read, plane, byte, bytes, back: -1, source: { behind: write }, beside: write }
      if (keepReading(r, reading) && told.length > 0) {
        const known = r.rumours.get(read.agent)
        const rumour = { one: reading, heard: one.heard, messages: told }
        if (known === undefined) r.rumours.set(read.agent, [rumour])
        else known.push(rumour)
      }
    } else if (last !== undefined && isBetween(last.event, read, controls))
      keep(r.ahead, read, write, { read, write, plane, byte, bytes, until: last.event.at })
  }
  return left
}

/**
 * Exchanges that would have found this store, had it come right before them: nothing shows to its thread that they were. What they leave is their own in either order, and
 * their thread goes on as it did.
 */
export const before = (
  r: Readings,
  touches: ReadonlyArray<Touch>,
  most: number,
  write: Stamp,
  takesOver: TakesOver,
  place: { readonly plane: number; readonly byte: number },
): void => {
  let back = 0
  for (let i = touches.length - 1; i >= 0 && back < most; i--) {
    const { rw, stamp, joined } = touches[i]!
    if (rw === 'r') continue
    back++
    if (joined === null) continue
    // who has read on from it has taken that over as well
    if (takesOver(stamp, joined.heard)) return
    if (joined.shows !== null) {
      const { plane, byte } = place
      const { stamp: read, bytes } = joined.shows
      keepReading(r, { read, plane, byte, bytes, back: -1, source: { behind: write }, beside: write })
    }
  }
}

/**
 * What else a sum may find that comes behind other sums: nothing comes of what these have found, and no read is between them, so memory is the same in whatever order
 * they are.
 */
export const amongSums = (
  r: Readings,
  touches: ReadonlyArray<Touch>,
  most: number,
  sum: Stamp,
  takesOver: TakesOver,
  place: { readonly plane: number; readonly byte: number; readonly bytes: number },
): void => {
  const { plane, byte, bytes } = place
  let back = 0
  for (let i = touches.length - 1; i >= 0 && back < most; i--) {
    const { rw, stamp, joined } = touches[i]!
    if (rw === 'r' || joined === null || !joined.sums || takesOver(stamp, joined.heard)) return
    back++
    keepReading(r, {
      read: sum,
      plane,
      byte,
      bytes,
      back,
      source: { before: stamp },
      beside: stamp,
      sums: true,
    })
  }
}

// ---------------------------------------------------------------- stores

/** It leaves what it carries, whatever it finds. */
const leavesItsOwn = (r: AccessRecord): boolean => r.combine === undefined || r.combine === 'exchange'
export const addsWords = (r: {
  readonly combine?: Access['combine'] | undefined
  readonly rounds?: boolean | undefined
  readonly footprint: Footprint
}): boolean =>
  r.combine === 'add' && r.rounds !== true && !isFloat(r.footprint.dtype) && bitsOf(r.footprint.dtype) === 32

/** Two strong writes that nothing orders: of which one is a store, so that no chain of atomics says which was the later one. */
export const stores = (r: Readings, first: AccessRecord, second: AccessRecord): void => {
  if (first.stamp.agent === second.stamp.agent && first.stamp.at === second.stamp.at) return
  const adds = addsWords(first)
  if ((first.joins && second.joins) || !(adds || leavesItsOwn(first))) return
  const { plane } = second.footprint
  const known = r.stores.get(pairOf(first.stamp, second.stamp)) ?? []
  const shared = overlap(first.footprint.spans, second.footprint.spans)
  const bytes = second.words * Math.max(1, bitsOf(second.footprint.dtype) / 8)
  for (const [i, byte] of wordsOf(second.footprint).entries()) {
    if (i % second.words !== 0 || !shared.some(([from, to]) => byte >= from && byte < to)) continue
    const one: LaterStore = { first: first.stamp, adds, second: second.stamp, plane, byte, bytes }
    const same = known.findIndex(
      (s) => s.second.at === second.stamp.at && s.plane === plane && s.byte === byte,
    )
    // of several that one store may come before, the last is left where it does
    if (same < 0) keep(r.stores, first.stamp, second.stamp, one)
    else if (known[same]!.first.at < first.stamp.at) known[same] = one
  }
}

/** Of those that the second comes behind in every execution no other order is asked. */
export const forcedApart = (
  r: Readings,
  second: Stamp,
  place: { readonly plane: number; readonly byte: number },
  isForced: (first: Stamp) => boolean,
): void => {
  const isThis = (s: LaterStore): boolean =>
    s.second.agent === second.agent &&
    s.second.at === second.at &&
    s.plane === place.plane &&
    s.byte === place.byte
  for (const all of r.stores.values()) {
    // what is kept of one event is kept last
    const newest = all[all.length - 1]
    if (newest?.second.agent !== second.agent || newest.second.at !== second.at) continue
    all.forEach((s, k) => {
      if (isThis(s) && isForced(s.first)) all[k] = Object.assign({}, s, { settled: true as const })
    })
  }
}
