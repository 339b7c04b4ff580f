/**
 * What is said about two accesses that conflict.
 *
 * `cell.ts` finds the pair, `classify.ts` names it, and here it becomes a finding: both sides, the bytes that they share, and what the
 * later one's agent knew of the earlier one. The id is asked for when the log ends: which barrier a load signals, and with
 * it whether a wait was for the wrong barrier, may be known only then.
 *
 * | told        | finding                                                | id           |
 * |-------------|--------------------------------------------------------|--------------|
 * | race        | the two are not ordered                                | by `raceId`  |
 * | invisible   | ordered, but the write cannot be seen                  | by `invisibleId` |
 * | unfencedRead | a generic read under an asynchronous write, no fence  | P3           |
 * | restsOn     | the same, where a chip is taken not to need the fence (a note) | P3   |
 * | twice       | the two are not ordered, and write the same (a note)   | N4           |
 * | anyOrder    | atomic writes in no order, and it matters (a note)     | N1           |
 * | restsOn     | ordered, over relaxed edges alone (a note)             | N2           |
 * | restsOn     | ordered, as products of one queue that no rule orders (a note) | N3   |
 * | race, of two clusters that run together | nothing orders the two     | D3           |
 * | foreign     | accesses of clusters that ran one after the other      | D3           |
 * | nothingThere | a read of bytes that no write explains                | I1, M6       |
 *
 * Worked: a store of wg0 to slot 2, a TMA store of slot 2 by wg0, no fence: `invisible`, filed once however often the loop does it.
 *
 * Law 1. One finding per kind, pair of agents and sites, directions and plane.
 */
import type { Diagnosis, HazardId, Severity } from '../finding.js'
import type { Footprint, Header, Stamp } from '../../log/events.js'
import { readBarrierName } from '../../log/barrier-name.js'
import { asSpans, clusterOf, isOfSingles, isCompilers } from '../../log/events.js'
import type { Space } from '../../language/types.js'
import type { AccessRecord } from './access-record.js'
import { addsFloats, known } from './access-record.js'
import { overlap } from './atoms.js'
import type { Assumption, Conflicts } from './cell.js'
import { direction, invisibleId, laneId, raceId, type Facts } from './classify.js'
import { crossing, inOrderByLanes, orderedLanes } from './lanes.js'
import { farTo, type Context } from './context.js'
import type { Knowledge } from './knowledge.js'
import { hasAcquired, programOf } from './knowledge.js'
import { readFence } from './read-fence.js'
import type { Actor, Draft } from './report.js'
import {
  accessing,
  retold,
  agentName,
  whoActs,
  draft,
  fail,
  file,
  filed,
  keyOf,
  leftByCompiler,
  noteManual,
  planeName,
  restsOn,
  where,
} from './report.js'
import { wordsOf, type AccessDeed } from '../deed.js'
import { hazards } from '../hazards.js'
import { stores } from './readings.js'
import { whyOf } from './why.js'
import { shownBefore } from './words.js'
import type { Strong } from './strong-state.js'
import { ofPlane } from '../subject.js'
import { valueAt } from './sparse.js'

// ---------------------------------------------------------------- words

const deedOf = ({ rw, unit, reach }: AccessRecord): AccessDeed => ({
  _tag: rw === 'r' ? 'reads' : 'writes',
  unit,
  atomic: reach !== 0,
})

/** `reads`, `tmaStore reads`, ... */
export const doesAccess = (r: AccessRecord): string => wordsOf(deedOf(r))

/** Whose access it is, and what it does: `consumer@0 reads`, `consumer@0's tmaStore reads`. */
export const whoAccesses = (header: Header, r: AccessRecord): string =>
  whoActs(header, r.stamp, r.unit, doesAccess(r))

export const actorOf = (r: AccessRecord): Actor => accessing(r.stamp, deedOf(r), r.operation)

/** A cluster of one CTA is called what its author calls it. */
const unordered = (header: Header): string =>
  `belong to different ${isOfSingles(header) ? 'blocks' : 'clusters'}, which nothing orders`

/** Whether all bytes that a write and a read share are of this range. */
const holds = (range: Footprint, write: Footprint, read: Footprint): boolean => {
  if (range.plane !== read.plane) return false
  const { spans } = range
  return overlap(write.spans, read.spans).every(([from, to]) =>
    overlap(asSpans(Int32Array.of(from, to)), spans).some(([a, b]) => a === from && b === to),
  )
}

const placeOf = (c: Context, agent: number): number => clusterOf(c.header, c.header.agents[agent]!.cta)

const spaceOf = (c: Context, f: Footprint): Space => c.header.planes[f.plane]?.space ?? 'smem'

/** The last event of the earlier one's agent that another agent knew of; events are counted from 1. */
const knowsOf = (earlier: AccessRecord, agent: number, k: Knowledge): number | undefined =>
  earlier.stamp.agent === agent ? undefined : Math.max(0, valueAt(k.order, programOf(earlier.stamp.agent)))

/** tensormap.cp_fenceproxy: a warp copies a tensor map, and waits at that for all of its lanes. */
const waitsForLanes = (r: AccessRecord): boolean => r.map && r.whole && r.operation < 0

/** Why the threads of two accesses are not in order where their warps are. */
const inWords = (earlier: AccessRecord, later: AccessRecord, ofOne: boolean, k: Knowledge): string => {
  const { crossing: apart, shared } = crossing(earlier, later)
  if (!ofOne)
    return `are not ordered for ${showLanes((apart | shared) & ~orderedLanes(earlier, later.stamp, k))} of the first: other lanes synchronise the two warps, and nothing orders those lanes after these`
  if (waitsForLanes(later))
    return `are made by different lanes of one warp (the first by ${showLanes(apart)}): the second waits for all lanes, and the manual does not say that this orders memory (--strict reports it)`
  return earlier.stamp.at === later.stamp.at
    ? `are made by different lanes of one warp, which nothing orders`
    : `are made by different lanes of one warp (the first by ${showLanes(apart)}), which nothing orders`
}

/** The lanes of each side that touch what the other touches: of one warp, what another lane does. */
const lanesOf = (earlier: AccessRecord, later: AccessRecord): Diagnosis['lanes'] => {
  const side = (x: AccessRecord, y: AccessRecord): number => {
    const { crossing: apart, shared } = crossing(x, y)
    return earlier.stamp.agent === later.stamp.agent ? apart : apart | shared
  }
  return { a: side(earlier, later), b: side(later, earlier) }
}

/** `lane 3`, `lanes 0 to 7, 9`. */
const showLanes = (mask: number): string => {
  const parts: string[] = []
  for (let lane = 0; lane < 32; lane++) {
    if (((mask >>> lane) & 1) === 0) continue
    let last = lane
    while (last < 31 && ((mask >>> (last + 1)) & 1) === 1) last++
    parts.push(last === lane ? String(lane) : `${String(lane)} to ${String(last)}`)
    lane = last
  }
  return `${(mask & (mask - 1)) === 0 ? 'lane' : 'lanes'} ${parts.join(', ')}`
}

interface Resting {
  readonly id: HazardId
  readonly why: (header: Header) => string
}

/** What a verdict rests on that the manual does not grant, and how a note says it. */
const resting: Readonly<Record<Assumption, Resting>> = {
  relaxed: {
    id: 'N2',
    why: () =>
      ' by a relaxed arrive or wait alone: the verdict relies on it, although PTX does not let it order ordinary accesses (--strict reports it)',
  },
  issueOrder: {
    id: 'N3',
    why: () =>
      ' only if products of one agent happen in the order of their issue: the verdict relies on it, although PTX does not say so (--tensor-pipe documented reports it)',
  },
  unfencedRead: {
    id: 'P3',
    why: ({ fences }) =>
      `, but without the proxy fence between them that PTX requires (--strict-proxies reports it)${
        isCompilers(fences) ? leftByCompiler : '; GB200 chips need it, and no Hopper chip was seen to'
      }`,
  },
}

/** Lanes of one warp are threads: that one comes first in a run says nothing. */
const lanesApart = (warp: string): string =>
  `different lanes of ${warp} make the two accesses, and neither bar.warp.sync nor a barrier is between them`

/** A write that is not visible because a fence is missing, and nothing else. */
const ofFences: ReadonlyArray<HazardId> = ['P1', 'P2', 'P5']

// ---------------------------------------------------------------- constructors

export const conflictsOf = (c: Context, strong: Strong): Conflicts => {
  // the many atoms that two accesses share make one draft, which counts the two once
  let judged: AccessRecord | undefined
  const told = new Map<Stamp, Map<string, Draft>>()
  const pair = (
    kind: string,
    id: () => HazardId,
    text: string,
    earlier: AccessRecord,
    later: AccessRecord,
    k: Knowledge | undefined,
    severity: Severity = 'E',
    why?: string,
  ): Draft => {
    if (later !== judged) {
      judged = later
      told.clear()
    }
    const about = `${kind}|${earlier.rw}|${String(earlier.operation)}`
    const before = told.get(earlier.stamp)
    const known = before?.get(about)
    if (known !== undefined) {
      retold(known)
      return known
    }
    const draft = filed(
      c.report,
      `${keyOf(kind, earlier.stamp, later.stamp)}|${earlier.rw}${later.rw}|${String(later.footprint.plane)}`,
      (): Draft => ({
        id,
        severity,
        text: `${doesAccess(earlier)} and ${doesAccess(later)} of ${planeName(c.header, later.footprint.plane)} ${text}`,
        about: [ofPlane(later.footprint.plane)],
        a: actorOf(earlier),
        b: actorOf(later),
        place: {
          plane: planeName(c.header, later.footprint.plane),
          spans: overlap(earlier.footprint.spans, later.footprint.spans),
        },
        knew:
          k === undefined
            ? kind === 'foreign'
              ? `nothing orders ${agentName(c.header, later.stamp.agent)} after the other cluster`
              : undefined
            : (why ?? whyOf(c, earlier, later.stamp.agent, k)),
        knows: k === undefined ? undefined : knowsOf(earlier, later.stamp.agent, k),
        lanes: kind === 'race' ? lanesOf(earlier, later) : undefined,
        times: 1,
        seen: 1,
      }),
    )
    if (before === undefined) told.set(earlier.stamp, new Map([[about, draft]]))
    else before.set(about, draft)
    return draft
  }
  const facts: Facts = {
    array: (barrier) => {
      const b = c.header.barriers[barrier]
      return b === undefined ? String(barrier) : `${readBarrierName(b.name).storage}@${String(b.cta)}`
    },
    cta: (agent) => c.header.agents[agent]?.cta ?? -1,
    tookPart: (agent, barrier) => c.tookPart[agent * c.extent.barriers + barrier] === 1,
  }
  return {
    race: (earlier, later, at, k) => {
      const meant = direction(earlier, later, at, k)
      const space = spaceOf(c, later.footprint)
      const apart = placeOf(c, earlier.stamp.agent) !== placeOf(c, later.stamp.agent)
      const ofWarps = known(k.order, earlier.completion)
      const lanes = ofWarps && !inOrderByLanes(earlier, later, k)
      const ofOne = lanes && earlier.stamp.agent === later.stamp.agent
      const id = (): HazardId =>
        ofOne ? laneId(earlier, later) : apart ? 'D3' : raceId(space, earlier, later, meant, facts)
      const inOrder = ofWarps && !lanes
      const how = lanes
        ? inWords(earlier, later, ofOne, k)
        : apart
          ? unordered(c.header)
          : inOrder
            ? 'are ordered by a relaxed arrive or wait alone, and PTX does not let it order ordinary accesses'
            : 'are not ordered'
      const severity: Severity =
        lanes && c.options.lanes === 'converged'
          ? 'L'
          : // compilers leave the bar.warp.sync out there
            ofOne && waitsForLanes(later)
            ? 'C'
            : 'E'
      const why = ofOne ? lanesApart(agentName(c.header, later.stamp.agent)) : undefined
      noteManual(c.report, pair('race', id, how, earlier, later, k, severity, why), inOrder)
    },
    twice: (earlier, later, k) => {
      pair(
        'twice',
        () => 'N4',
        'are not ordered, but store the same value in every run',
        earlier,
        later,
        k,
        hazards.N4.severity,
      )
    },
    mapped: (write, read, k) =>
      c.ranges.some(
        (range, i) =>
          hasAcquired(k, i, write.stamp.agent, write.completion.at) &&
          farTo(c, c.header.agents[read.stamp.agent]!.cta, range.cta) <= range.reach &&
          (range.bytes === undefined || holds(range.bytes, write.footprint, read.footprint)),
      ),
    shown: (earlier, later, k) => shownBefore(strong.words, earlier, later, k),
    invisible: (earlier, later, k) => {
      // Triton writes no fences of tensor memory between its partitions: no author can add them
      const isLeftToCompiler = (id: HazardId): boolean =>
        id === 'M8' && isCompilers(c.header.fences) && !c.options.strictProxies
      const id = invisibleId(earlier, later, k)
      pair(
        'visibility',
        () => id,
        `are ordered, but ${ofFences.includes(id) ? 'no fence' : 'nothing'} makes the write visible to the other access`,
        earlier,
        later,
        k,
        isLeftToCompiler(id) ? 'L' : 'E',
        ofFences.includes(id)
          ? `${whyOf(c, earlier, later.stamp.agent, k)}, with no fence in between that makes the write visible`
          : undefined,
      )
    },
    readFence: (write) => readFence(c.header, spaceOf(c, write.footprint), c.options),
    unfencedRead: (earlier, later, k) => {
      const why = `${whyOf(c, earlier, later.stamp.agent, k)}, with no proxy fence in between`
      pair('P3', () => 'P3', 'are ordered, but no proxy fence is between them', earlier, later, k, 'E', why)
    },
    restsOn: (what, earlier, later) => {
      // a note once a verdict: what it says is made once, too
      restsOn(c.report, resting[what].id, (id) => {
        const plane = planeName(c.header, later.footprint.plane)
        return draft(
          id,
          'L',
          `${doesAccess(earlier)} and ${doesAccess(later)} of ${plane} are ordered${resting[what].why(c.header)}`,
          [ofPlane(later.footprint.plane)],
          actorOf(earlier),
          actorOf(later),
          { plane, spans: overlap(earlier.footprint.spans, later.footprint.spans) },
        )
      })
    },
    anyOrder: (earlier, later, k) => {
      // who has found the first of two stores leaves the second behind it
      if (k === undefined || !shownBefore(strong.words, earlier, later, k))
        stores(strong.readings, earlier, later)
      // sums of floats differ in their rounding, anything else in what is there
      if (!addsFloats(earlier) || !addsFloats(later))
        fail(c.report, 'C1', keyOf('order', earlier.stamp, later.stamp), () => ({
          text: `the contents of memory depend on whether ${where(c.header, earlier.stamp)} or ${where(c.header, later.stamp)} is first: they are atomic and do not commute`,
          draft: undefined,
        }))
      pair(
        'N1',
        () => 'N1',
        'are not ordered, and the result depends on which comes first',
        earlier,
        later,
        undefined,
        'L',
      )
    },
    decided: (earlier, later) => {
      const [read, write] = earlier.rw === 'r' ? [earlier, later] : [later, earlier]
      fail(c.report, 'C1', keyOf('decides', read.stamp, undefined), () => ({
        text: `${where(c.header, read.stamp)} reads a value that may decide control, and ${where(c.header, write.stamp)} may write it before or after`,
        draft: undefined,
      }))
    },
    foreign: (earlier, later) => {
      pair('foreign', () => 'D3', unordered(c.header), earlier, later, undefined)
    },
    early: () => {
      c.early = true
    },
    nothingThere: (r) => {
      const plane = c.header.planes[r.footprint.plane]
      // who fills an output before the launch is its caller
      const isFilled = plane?.output === true && plane.initialised
      const id: HazardId = r.unit === 'tcgen05' && plane?.space === 'tmem' ? 'M6' : 'I1'
      file(c.report, `${keyOf(id, r.stamp, undefined)}|${String(r.footprint.plane)}`, () =>
        draft(
          id,
          isFilled ? 'C' : 'E',
          `${whoAccesses(c.header, r)} bytes of ${planeName(c.header, r.footprint.plane)} that nothing has written${isFilled ? ' but the caller, before the launch' : ''}`,
          [ofPlane(r.footprint.plane)],
          actorOf(r),
          undefined,
          {
            plane: planeName(c.header, r.footprint.plane),
            spans: overlap(r.footprint.spans, r.footprint.spans),
          },
        ),
      )
    },
  }
}
