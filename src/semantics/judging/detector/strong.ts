/**
 * Strong accesses: who inherits what through a word of memory.
 *
 * A strong access is atomic at its scope. A *release pattern* on a word is a releasing write, alone or before a later strong write of its thread; or a fence and then a write.
 * An *acquire pattern* is an acquiring read, alone or after a strong read of its thread; or a read and then a fence. The second takes over what the first told, if the read
 * observes its write: it takes it, or what atomics that read and write have made of it. Each step of that is of two accesses in each other's scope and equally wide, and so
 * are the two ends of the patterns in each other's scope: the scope of a fence is its own, and not that of the access beside it.
 *
 *     A: write x    fence.gpu    atom.add c 1                   told c: what A knew at its fence
 *     B:                         atom.add c 1 -> 1   fence.gpu  read x      in order and seen
 *     without B's fence, or without A's, nothing is taken over, and the two accesses of x are a race
 *
 * | access                       | of what the word tells                                                        |
 * |------------------------------|-------------------------------------------------------------------------------|
 * | store                        | forgets it, and tells what its agent has released, by earlier releases of the word too |
 * | atomic that reads and writes | hears it, adds what its agent has released; forgets it if the two are not morally strong |
 * | load                         | hears it                                                                      |
 * | plain write, or an operation's | forgets it; patterns that have begun are not over                             |
 *
 * A relaxed wait at an mbarrier is such a read, too: a fence behind it takes over what the arrivals have told. A read that decides, and a wait, show besides that the writes
 * that they find come before all that they come before, where it touches the word (`shownBefore`).
 *
 * That a load finds this write and no other is luck, unless every write of the word is in order with it; where what it finds decides something, C1 fails else
 * (`cell.ts`), or where it hears something new.
 *
 * This module says what each access does with its words. What it rests on, each part above those that it imports:
 *
 * | module              | concept                                                   |
 * |---------------------|-----------------------------------------------------------|
 * | `strong-words.ts`   | words, their writes, who observes whom                    |
 * | `strong-heard.ts`   | acquire patterns: what a read inherits                    |
 * | `strong-fences.ts`  | fences and release patterns: what a write tells           |
 * | `strong-meeting.ts` | what barriers hand on of fence.sc                         |
 * | `strong-found.ts`   | which writes have been seen                               |
 * | `strong-reads.ts`   | a read, for the search of other values                    |
 * | `strong-waits.ts`   | waits for a word                                          |
 *
 * Laws
 * 1. An agent that neither fences nor acquires hears nothing.
 * 2. What is heard grows with the log as long as no store forgets it.
 *
 * Source: PTX ISA, memory consistency model: release and acquire patterns, observation order, causality order, synchronizes; volatile accesses are relaxed ones of system scope.
 */
import type { Access, Stamp } from '../../log/events.js'
import { reachOf } from '../../log/reach.js'
import { bitsOf } from '../../../numerics/dtype.js'
import {
  addsWords,
  ahead,
  amongSums,
  backOf,
  before as beforeExchanges,
  forcedApart,
  hearing,
  later,
  onlyKept,
  takes,
  touch,
} from './readings.js'
import type { Heard, Joined, Message, OpenRead, Sighting } from './readings-state.js'
import { stampAt, type AgentState } from './context.js'
import { allLanes } from './activity.js'
import { copy, programOf } from './knowledge.js'
import { countOf } from '../../log/lane-mask.js'
import type { Detector } from './state.js'
import type { Options } from './rules.js'
import { keyOfWord, wordsOf } from './words.js'
import type { Last, Past, Told, Word } from './strong-state.js'
import { valueAt } from './sparse.js'
import { withMore, keep, slot, hear } from './strong-heard.js'
import {
  isObserved,
  distance,
  forgetWord,
  widthOf,
  takenBy,
  onlyShown,
  wordAt,
  pastOf,
  joins,
  mostPast,
} from './strong-words.js'
import { reads, takenHere } from './strong-reads.js'
import { finds, foundBehind, finding, writersAfter, withMet } from './strong-found.js'
import { tells, shownTo, takingOver } from './strong-fences.js'
import { written } from './strong-waits.js'

// ---------------------------------------------------------------- accesses

/** Was it told by these lanes, or some of them? */
const isOwn = (t: Told, { lanes }: Stamp): boolean =>
  lanes === undefined || (t.lanes !== 0 && (t.lanes & ~lanes) === 0)

/** What a release tells its thread's later writes of the word tell, too. */
const releasedBy = (w: Word, x: number, width: number, told: Told, options: Options): void => {
  const all = w.released.get(x) ?? []
  const same = all.filter((r) => r.width === width).map((r) => r.told)
  w.released.set(x, [
    ...all.filter((r) => r.width !== width),
    ...withMore(same, [told], options).map((t) => ({ width, told: t })),
  ])
}

/** Of an access of several lanes the lane of each of its elements. */
const elementsOfLanes = ({ lanes }: Stamp, elements: number): ReadonlyArray<number> | null => {
  if (lanes === undefined || countOf(lanes) === 1 || elements % countOf(lanes) !== 0) return null
  const each = elements / countOf(lanes)
  const out: number[] = []
  for (let left = lanes; left !== 0; left &= left - 1) for (let i = 0; i < each; i++) out.push(left & -left)
  return out
}

const byLanes = ({ agent, at, site, iteration }: Stamp, lanes: number): Stamp => ({
  agent,
  at,
  site,
  iteration,
  lanes,
})

/** A write under so many others: atomics that have read on from it, and observe it, hand on what it tells. */
const under = (
  d: Detector,
  w: Word,
  write: {
    readonly agent: number
    readonly back: number
    readonly own: ReadonlyArray<Told>
    readonly last: Last
  },
  word: string,
): void => {
  const c = d.context
  const { back, own } = write
  d.strong.readings.under.add(word)
  if (own.length === 0) return
  const above = w.touches.filter(({ rw }) => rw === 'w').slice(-back)
  let { last } = write
  for (const [i, { stamp, joined }] of above.entries()) {
    if (joined === null) return
    const at = w.past.length - back + i
    const past = w.past[at]
    if (past === undefined || past.last === null || !isObserved(d, last, past.last)) return
    last = past.last
    const told = withMore(past.told, own, c.options)
    w.past[at] = { told, writers: past.writers, found: past.found, last }
    if (i + 1 === back) w.told = told
    for (const t of own) {
      const far = distance(c, stamp.agent, write.agent)
      if (t.reach >= far && stamp.agent !== write.agent)
        keep(d.strong.pending, slot(stamp.agent, far), stamp.lanes ?? allLanes, t.knowledge, t.sequential)
    }
  }
}

/**
 * Had this store come before that atomic, would someone who reads on from there have taken over what it tells, and done behind that what its thread has found? Then it comes after it
 * in every execution.
 */
const comesBehind = (
  d: Detector,
  w: Word,
  first: Stamp,
  write: {
    readonly by: Last
    readonly own: ReadonlyArray<Told>
    readonly found: ReadonlyMap<number, Sighting>
  },
): boolean => {
  const { own, found } = write
  const from = w.touches.findIndex(({ rw, stamp }) => rw === 'w' && isSameEvent(stamp, first))
  if (from < 0) return false
  const behind = w.touches.slice(from)
  let at = w.past.length - behind.filter(({ rw }) => rw === 'w').length
  let last = write.by
  const isTold = (by: Stamp, heard: Heard): boolean => {
    const seen = found.get(by.agent)
    const far = distance(d.context, by.agent, write.by.agent)
    return (
      seen !== undefined &&
      own.some(
        ({ reach, agent, knowledge }) =>
          valueAt(knowledge.order, programOf(agent)) >= seen.at &&
          takes(heard, { reach, far }, seen.event.at),
      )
    )
  }
  for (const { rw, stamp, joined } of behind) {
    if (rw === 'r') {
      const read = w.open.find((o) => isSameEvent(o.stamp, stamp) && o.stamp.lanes === stamp.lanes)
      if (read !== undefined && isObserved(d, last, read.by) && isTold(stamp, read.heard)) return true
      continue
    }
    const now = w.past[at++]?.last ?? null
    if (joined === null || now === null || !isObserved(d, last, now)) return false
    last = now
    if (isTold(stamp, joined.heard)) return true
  }
  return false
}
const isSameEvent = (a: Stamp, b: Stamp): boolean => a.agent === b.agent && a.at === b.at

/** An access of an agent, behind its judgement against the memory that it touches. */
export const strong = (d: Detector, e: Access, a: AgentState): void => {
  const x = e.stamp.agent
  const { plane } = e.footprint
  const all = d.strong.words
  if (!e.atomic) {
    if (e.rw === 'w' && all.size > 0 && d.strong.planes.has(plane))
      for (const byte of wordsOf(e.footprint)) forgetWord(d, keyOfWord(plane, byte))
    return
  }
  const reach = reachOf(e.scope)
  const one: Last = { agent: x, reach, width: widthOf(e) }
  if (e.rw === 'r') {
    // its write comes next
    if (e.joins === true) {
      d.strong.decided = e.decides === true ? e.stamp.at : -1
      d.strong.controlling = e.controls === undefined ? -1 : e.stamp.at
      d.strong.branch = e.controls ?? null
      d.strong.signs = e.signs === true ? e.stamp.at : -1
    }
    const kept = onlyKept(e)
    const decides = e.decides === true && e.joins !== true
    const { words = 1 } = e
    const size = bitsOf(e.footprint.dtype) / 8
    const isMeant = e.controls !== undefined || (e.joins === true && e.decides === true)
    if (all.size > 0 || decides) {
      const taken = takenBy(e)
      const isShown = onlyShown(e, taken.length)
      for (const [i, [byte, back]] of taken.entries()) {
        const w = decides ? wordAt(d, plane, byte) : all.get(keyOfWord(plane, byte))
        if (isMeant && !isShown(i)) d.strong.readings.controlled.add(keyOfWord(plane, byte))
        if (w === undefined) continue
        const stamp = stampAt(d.context, e.stamp, e.footprint, byte)
        // one that joins writes right away, and finds the last
        if (e.joins !== true)
          reads(
            d,
            w,
            a,
            stamp,
            back,
            plane,
            byte,
            e.decides === true && i % words === 0 ? words * size : null,
            kept || isShown(i) ? null : (e.controls ?? null),
            e.acquires === true ? reach : 0,
            one,
          )
        const past = pastOf(w, back)
        if (e.decides === true) finds(d, w, past, stamp, one)
        hear(d, w, past, a, e.stamp, one, e.acquires === true, false)
      }
    } else if (isMeant)
      for (const byte of wordsOf(e.footprint)) d.strong.readings.controlled.add(keyOfWord(plane, byte))
    return
  }
  const places = takenBy(e)
  const knew = copy(a.knowledge)
  const had = foundBehind(d, e.stamp, a.knowledge)
  if (joins(e))
    for (const [byte, back] of places) {
      const w = all.get(keyOfWord(plane, byte))
      if (w === undefined) continue
      finding(d, e.stamp, w, back)
      hear(d, w, pastOf(w, back), a, e.stamp, one, e.acquires === true, false)
    }
  const { acting } = a
  const each = elementsOfLanes(e.stamp, places.length)
  const told = each === null ? tells(d, a, x, reach, e.releases === true) : []
  // of the words of one stamp it is the same; only one that joins has heard anything since
  const shared = each !== null ? null : joins(e) ? foundBehind(d, e.stamp, knew) : had
  places.forEach(([byte, back], i) => {
    // each lane tells for itself
    const by = each === null ? e.stamp : byLanes(e.stamp, each[i]!)
    a.acting = by.lanes ?? acting
    const more = each === null ? told : tells(d, a, x, reach, e.releases === true)
    a.acting = acting
    const known = all.get(keyOfWord(plane, byte))
    const after = e.left?.[i]
    const before = e.found?.[i]
    const w = known ?? wordAt(d, plane, byte)
    const past = pastOf(w, back)
    // an atomic hands on what it has observed
    const handsOn = joins(e) && isObserved(d, past.last, one)
    // a release of this thread still tells where the thread writes again
    const earlierOnes = (w.released.get(x) ?? []).filter((r) => r.width === one.width && isOwn(r.told, by))
    const own = withMore(
      earlierOnes.map((r) => r.told),
      more,
      d.context.options,
    )
    if (e.releases === true) releasedBy(w, x, one.width, more[0]!, d.context.options)
    const found = shared ?? foundBehind(d, by, knew)
    const now: Past = {
      told: withMore(handsOn ? past.told : [], own, d.context.options),
      writers: writersAfter(past.writers, by, handsOn, knew),
      found: withMet(d, by, knew, found),
      last: one,
    }
    w.past.splice(Math.max(0, w.past.length - back), 0, now)
    if (w.past.length > 2 * mostPast) w.past.splice(0, mostPast)
    if (back === 0) {
      w.told = now.told
      w.writers = now.writers
      w.last = one
    } else under(d, w, { agent: x, back, own, last: one }, keyOfWord(plane, byte))
    const messages = ({ stamp: read, by: reader }: OpenRead, from: number): ReadonlyArray<Message> => {
      const far = distance(d.context, x, read.agent)
      return isObserved(d, one, reader)
        ? own
            .filter(({ reach, knowledge }) => reach >= far && valueAt(knowledge.order, programOf(x)) >= from)
            .map(({ reach, knowledge }) => ({ reach, far, knowledge }))
        : []
    }
    const behind = { by: one, own, found: had }
    if (!joins(e))
      forcedApart(d.strong.readings, by, { plane, byte }, (first) => comesBehind(d, w, first, behind))
    w.open = later(d.strong.readings, w.open, by, knew, messages, found, { plane, byte })
    const isExchange = joins(e) && e.combine === 'exchange'
    const isUnheeded = d.strong.decided !== e.stamp.at
    const isOnlyShown = !isUnheeded && d.strong.controlling !== e.stamp.at
    const isBlind = isExchange && isUnheeded
    const isSum = joins(e) && addsWords(e)
    const { words = 1 } = e
    const bytes = (words * bitsOf(e.footprint.dtype)) / 8
    const isAmong = isSum && isOnlyShown && i % words === 0
    if (back === 0) {
      const { most } = backOf(w.touches, by, knew, shownTo(d.strong, by))
      const takesOver = takingOver(d.context, own, x)
      ahead(d.strong.readings, w.touches, most, by, takesOver, had)
      if (isAmong) amongSums(d.strong.readings, w.touches, most, by, takesOver, { plane, byte, bytes })
      else if (isBlind || !joins(e))
        beforeExchanges(d.strong.readings, w.touches, most, by, takesOver, { plane, byte })
    }
    const joinedOf = (heard: Heard): Joined => {
      const isShown = isExchange && isOnlyShown && i % words === 0
      return {
        blind: isBlind,
        controls: isUnheeded || isOnlyShown ? null : d.strong.branch,
        sums: isSum && isUnheeded,
        heard,
        shows: isShown ? { stamp: by, bytes, controls: null, by: one, heard } : null,
      }
    }
    if (joins(e) && e.acquires === true) takenHere(w, by, one, reach)
    const joined = joins(e) ? joinedOf(hearing(d.strong.readings, by, e.acquires === true ? reach : 0)) : null
    touch(w.touches, { rw: 'w', stamp: by, joined }, back)
    written(d, w, e, by, back, byte, before, after, knew)
  })
}
