/**
 * Older: which writes before the last a strong access that is on offer may take, or lie under, as the detector says that has heard what came before (`readings.ts`); and which of them
 * agents may take later on, by which states are told apart.
 *
 * Laws
 * 1. The last write is always one of the ways, and is not listed.
 * 2. Two states in which agents that go on may take other writes are two.
 */
import { greatest } from '../../../greatest.js'
import { bitsOf } from '../../../numerics/dtype.js'
import { allLanes } from '../../judging/detector/activity.js'
import { aside } from '../../judging/detector/aside.js'
import { stampAt } from '../../judging/detector/context.js'
import { observe } from '../../judging/detector/detector.js'
import { backOf, placesBehind, tellsNothing, type Back } from '../../judging/detector/readings.js'
import type { Touch } from '../../judging/detector/readings-state.js'
import type { Detector } from '../../judging/detector/state.js'
import { act, strandsOf } from '../../judging/detector/strands.js'
import { shownTo, wouldTell } from '../../judging/detector/strong-fences.js'
import { keyOfWord } from '../../judging/detector/words.js'
import type { Stamp } from '../../log/events.js'
import { isOne, singles } from '../../log/lane-mask.js'
import { reachOf } from '../../log/reach.js'
import * as Plane from '../../machine/plane.js'
import type { World } from '../../machine/world.js'
import { meetingsOf, type Offered, type Older as OlderWord } from '../../execution/step.js'
import { stronglyNamed } from '../../instructions/families.js'
import type { Strongly } from '../../machine/family.js'
import { findersOf, type Finder } from './finders.js'
import { asText, toldIn, type Floor } from './keys.js'
import type { Learned } from './learned.js'
import { lastWrite, type Node } from './paths.js'

/** Of what is asked, and what is known of it. */
interface Asking {
  readonly world: World
  readonly learned: Learned
}

/** What a word held behind each of its last writes, and before the first of them, the last one first; of several writes of one event the last alone. */
const heldIn = (
  n: Node,
  first: Node,
  touches: ReadonlyArray<Touch>,
  plane: number,
  byte: number,
  bytes: number,
  most: number,
): ReadonlyArray<string | undefined> => {
  const writes = touches.filter(({ rw }) => rw === 'w').slice(-most - 1)
  const wanted = new Map(writes.map(({ stamp }, i) => [`${String(stamp.agent)}:${String(stamp.at)}`, i]))
  const held: (string | undefined)[] = []
  for (let at = lastWrite(n.path); at !== null; at = at.written) {
    const { key } = at
    const name = `${String(key.agent)}:${String(key.at)}`
    const i = wanted.get(name)
    if (i === undefined || at.planes === null || key.stage !== 'agent') continue
    const before = at.before?.planes ?? first.machine.planes
    held[writes.length - 1 - i] = at.left === null ? undefined : Plane.wordAt(at.left[plane]!, byte, bytes)
    // what was there before the first of all that have happened
    if (writes.length <= most) held[writes.length] = Plane.wordAt(before[plane]!, byte, bytes)
  }
  return held
}

/** Where the scalars lie that it names, each once. */
const scalarsIn = ({ elements: { offsets, origin }, words }: Strongly): ReadonlyArray<number> =>
  [...new Set([...offsets].flatMap((offset, i) => (i % words === 0 ? [offset + origin] : [])))].filter(
    (byte) => byte >= 0,
  )

/** The words of a strong access that is on offer, and what else those that name them may take of them, or lie under. */
export const takeable = (s: Asking, first: Node, n: Node, d: Detector, o: Offered): ReadonlyArray<Finder> =>
  aside(d, o.key.agent, () => takenBy(s, first, n, d, o))

const takenBy = (s: Asking, first: Node, n: Node, d: Detector, o: Offered): ReadonlyArray<Finder> => {
  const r = o.ready
  const named = r?._tag === 'do' ? stronglyNamed(r.prepared) : null
  if (r?._tag !== 'do' || r.by === undefined || named === null) return []
  const { plane, dtype, footprint } = named.elements
  const bytes = (named.words * bitsOf(dtype)) / 8
  const { writes } = named
  const { agent, at } = o.key
  const state = d.context.agents[agent]!
  // its lanes have met since its last effect: what each then knows of the others is over
  for (const e of meetingsOf(n.machine.agents[agent]!, agent, r)) observe(d, e)
  return scalarsIn(named).flatMap((byte) => {
    const touches = d.strong.words.get(keyOfWord(plane, byte))?.touches ?? []
    if (touches.every(({ rw }) => rw === 'r')) return []
    const stamp = stampAt(
      d.context,
      { agent, at, site: r.site, iteration: r.iteration, lanes: r.by!.mask },
      footprint,
      byte,
    )
    const isDealt = !r.by!.whole && footprint.map._tag === 'scatter' && writes === null
    const isMany = isDealt && stamp.lanes !== undefined && !isOne(stamp.lanes)
    const word = keyOfWord(plane, byte)
    if (writes?.leaves === true && !s.learned.idle.has(word)) {
      s.learned.idle.add(word)
      s.learned.news = true
    }
    act(state, agent, stamp.lanes ?? r.by!.mask, at)
    const takesOver =
      writes === null ? tellsNothing : wouldTell(d, state, agent, reachOf(writes.scope), writes.releases)
    const backsOf = (limit: number): ReadonlyArray<number> =>
      writes !== null
        ? placesBehind(touches, limit, writes.leaves, takesOver)
        : Array.from({ length: limit }, (_, back) => back + 1)
    const by = isMany
      ? backsBy(d, stamp, touches)
      : [
          {
            lanes: stamp.lanes,
            back: backOf(touches, stamp, state.knowledge, shownTo(d.strong, stamp)),
          },
        ]
    const most = greatest(0)(by.map(({ back }) => back.most))
    if (
      !s.learned.fences &&
      by.some(
        ({ back }) => back.most < back.without && backsOf(back.without).length > backsOf(back.most).length,
      )
    ) {
      s.learned.fences = true
      s.learned.news = true
    }
    const backs = backsOf(most)
    if (backs.length === 0) return []
    const held = heldIn(n, first, touches, plane, byte, bytes, most)
    const now = Plane.wordAt(n.machine.planes[plane]!, byte, bytes)
    const keeps = !named.reads
    const wanted = typeof named.finds === 'number' ? Plane.textOfWord(named.finds) : null
    const ways = backs.flatMap((back): ReadonlyArray<OlderWord> => {
      const found = keeps ? now : held[back]
      return found === undefined || (wanted !== null && found !== wanted)
        ? []
        : [{ plane, byte, back, held: found }]
    })
    if (ways.length === 0) return []
    return isMany
      ? findersOf(
          stamp.lanes!,
          by.map(({ lanes, back }) => [lanes!, back.most] as const),
          ways,
        )
      : [{ lanes: null, all: null, ways: ways.map((w) => [w]) }]
  })
}

/** How far back each of these lanes may go, for itself; those that may go as far are one entry. */
const backsBy = (
  d: Detector,
  stamp: Stamp,
  touches: ReadonlyArray<Touch>,
): ReadonlyArray<{ readonly lanes: number | undefined; readonly back: Back }> => {
  const { agent, at, site, iteration, lanes: asking = allLanes } = stamp
  const out = new Map<string, { lanes: number; readonly back: Back }>()
  const own = touches.some((t) => t.stamp.agent === agent)
  for (const { lanes, knowledge } of strandsOf(d.context.agents[agent]!)) {
    const those = lanes & asking
    if (those === 0) continue
    // lanes of a strand differ in what they know of their own warp alone, and in what fences have shown to them
    const shown = shownTo(d.strong, { agent, at, site, iteration, lanes: those })
    const isOneForAll = !own && (shown !== undefined || !d.strong.shown.has(agent))
    for (const some of isOneForAll ? [those] : singles(those)) {
      const by: Stamp = { agent, at, site, iteration, lanes: some }
      const back = backOf(touches, by, knowledge, isOneForAll ? shown : shownTo(d.strong, by))
      const key = `${String(back.most)} ${String(back.without)}`
      const same = out.get(key)
      if (same === undefined) out.set(key, { lanes: some, back })
      else same.lanes |= some
    }
  }
  return [...out.values()]
}

/** How far back lanes may go that know the same, taken together. */
const backsTogether: typeof backsBy = (d, { agent, at, site, iteration }, touches) =>
  strandsOf(d.context.agents[agent]!).map(({ lanes, knowledge }) => {
    const by: Stamp = { agent, at, site, iteration, lanes }
    return { lanes, back: backOf(touches, by, knowledge, shownTo(d.strong, by)) }
  })

/**
 * What agents that go on may still take of words, or write under: what each held and told then. Two states in which they may take other writes are two.
 */
export const olderIn = (s: Asking, first: Node, n: Node, d: Detector, floor: Floor): string => {
  const { words, read, written, fences, idle } = s.learned
  const c = d.context
  const running = (agent: number): boolean => n.machine.agents[agent]!.status === 'running'
  const out: unknown[] = []
  for (const [word, w] of d.strong.words) {
    if (w.touches.every(({ rw }) => rw === 'r')) continue
    const reads = read.get(word)
    const writers = words.has(word) ? written.get(word) : undefined
    if (reads === undefined && writers === undefined) continue
    /** Of the lanes of each agent that has such accesses and goes on: how far back they may go, each for itself or as far as they know the same. */
    const backsOf = (
      by: ReadonlySet<number> | undefined,
      each: typeof backsBy,
    ): ReadonlyArray<readonly [number, ReadonlyArray<readonly [lanes: number, back: number]>]> =>
      [...(by ?? [])]
        .filter(running)
        .sort((x, y) => x - y)
        .map((agent) => {
          const stamp: Stamp = { agent, at: n.machine.agents[agent]!.at, site: -1, iteration: [] }
          const some = each(d, stamp, w.touches).map(
            ({ lanes, back }) => [lanes ?? allLanes, fences ? back.most : back.without] as const,
          )
          return [agent, some]
        })
    const mostOf = (some: ReadonlyArray<readonly [number, number]>): number =>
      greatest(0)(some.map(([, back]) => back))
    const reading = backsOf(reads?.by, backsBy).filter(([, backs]) => mostOf(backs) > 0)
    const writing = backsOf(writers, backsTogether).flatMap(([agent, backs]) => {
      const places = placesBehind(w.touches, mostOf(backs), idle.has(word), tellsNothing)
      return places.length === 0 ? [] : [[agent, backs, places] as const]
    })
    if (reading.length + writing.length === 0) continue
    const most = greatest(0)([...reading, ...writing].map(([, backs]) => mostOf(backs)))
    const [plane, byte] = [Number(word.split('+')[0]), Number(word.split('+')[1])]
    const held = heldIn(n, first, w.touches, plane, byte, reads?.bytes ?? 4, most)
    out.push([
      word,
      reading,
      writing,
      held.map((bits, back) => {
        const past = w.past[w.past.length - 1 - back]
        return past === undefined
          ? [bits]
          : [
              bits,
              toldIn(c, past.told, running, floor),
              past.writers.filter(({ stamp }) => running(stamp.agent)),
            ]
      }),
    ])
  }
  return out.length === 0 ? '' : JSON.stringify(out, asText)
}
