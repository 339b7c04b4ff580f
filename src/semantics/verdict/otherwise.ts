/**
 * Otherwise: does the result depend on what a strong access finds?
 *
 * A judgement says what else strong reads of a run may take, and which strong stores of it nothing orders (`judging/detector/readings.ts`). Where no branch and no address
 * comes of it, the same schedule goes on with the other value; here it does, and the outputs of both runs are compared.
 *
 *     A: store data 42     B: waits for the flag (no fence)        the run leaves 42 in `out`
 *     A: store flag 1      B: load data, store out                 the same with 0 taken leaves 0: the result depends on it (V2)
 *
 * | the other run         | then                                                                                         |
 * |-----------------------|----------------------------------------------------------------------------------------------|
 * | leaves other outputs  | V2, with the schedule that takes the other value                                              |
 * | leaves the same       | it comes to nothing, as where a seqlock reads again                                          |
 * | is like no execution  | nothing: who takes the other value takes over what comes with it, and a later read of the run took what is over then |
 * | does something else   | what was found has decided something through memory: other schedules are asked for that      |
 *
 * Over shadows a value that is not known is followed by a datum of its own: does it come into an output?
 *
 * Laws
 * 1. The schedule of what is found replays to a run with the same finding.
 * 2. In whatever order it is asked, what it finds is the first that the judgement names.
 *
 * Source: PTX ISA, memory consistency model.
 */
import { mostDatum } from '../../numerics/shadow.js'
import { detector, type Options } from '../judging/detector/index.js'
import { accessing, actor, operation } from '../judging/detector/report.js'
import type {
  Ahead,
  Diagnosis,
  Judgement,
  LaterStore,
  Operation,
  OtherReading,
  Remedy,
} from '../judging/finding.js'
import { readingAtomically, writingAtomically, type AccessDeed } from '../judging/deed.js'
import { hazards } from '../judging/hazards.js'
import { ofPlane } from '../judging/subject.js'
import type { Stamp } from '../log/events.js'
import * as Plane from '../machine/plane.js'
import type { Launched } from '../machine/launch.js'
import type { Machine } from '../machine/state.js'
import type { World } from '../machine/world.js'
import * as Policy from '../execution/policy.js'
import * as Run from '../execution/run.js'
import { among, keeping, leaving, offeredOf, showKey, taking, type EventKey } from '../execution/step.js'

// ---------------------------------------------------------------- model

export interface Asked {
  /** the result depends on what a strong access finds: what is said of it, and a schedule that shows it */
  readonly found: { readonly diagnosis: Diagnosis; readonly schedule: ReadonlyArray<EventKey> } | null
  /** schedules in which a read that decides takes a write that comes behind it in every other one */
  readonly ahead: ReadonlyArray<ReadonlyArray<EventKey>>
  /** why not all was asked; null: all was */
  readonly left: string | null
}

/** Events that all of the other runs may have together. */
const mostEvents = 2_000_000

const eventOf = ({ agent, at }: Pick<Stamp, 'agent' | 'at'>): string => `${String(agent)}:${String(at)}`

// ---------------------------------------------------------------- what words have held

interface Wanted {
  readonly plane: number
  readonly byte: number
  readonly bytes: number
}
const nameOf = (source: OtherReading['source'], { plane, byte }: Wanted): string =>
  `${'behind' in source ? eventOf(source.behind) : `before ${eventOf(source.before)}`} ${String(plane)}+${String(byte)}`

/** What words held behind events of a run, and before them. */
const heldIn = (
  { world, machine }: Launched,
  schedule: ReadonlyArray<EventKey>,
  fuel: number,
  wanted: ReadonlyArray<readonly [OtherReading['source'], Wanted]>,
): ReadonlyMap<string, string> => {
  const at = new Map<string, (readonly [OtherReading['source'], Wanted])[]>()
  for (const one of wanted) {
    const key = eventOf('behind' in one[0] ? one[0].behind : one[0].before)
    const known = at.get(key)
    if (known === undefined) at.set(key, [one])
    else known.push(one)
  }
  const out = new Map<string, string>()
  let before = machine
  Run.run(
    world,
    machine,
    {
      policy: Policy.recorded(schedule),
      fuel,
      keepSchedule: false,
      transient: false,
      watch: {
        begun: (m) => (before = m),
        stepped: (m, key) => {
          const all = key.stage === 'agent' ? (at.get(eventOf(key)) ?? []) : []
          const lies = all.length > 0 && (key.older !== undefined || key.below !== undefined)
          const behind = lies ? (leaving(world, before, key) ?? m) : m
          for (const [source, w] of all)
            out.set(
              nameOf(source, w),
              Plane.wordAt(('behind' in source ? behind : before).planes[w.plane]!, w.byte, w.bytes),
            )
          before = m
        },
        ended: () => undefined,
      },
    },
    Run.ignore,
  )
  return out
}

/** An event of an agent: where it is made, and which bytes of memory it leaves otherwise than it found them. */
interface Made {
  readonly place: Policy.Place
  readonly leaves: string
}

const changed = (before: Machine, after: Machine): string =>
  before.planes
    .flatMap((plane, k) =>
      plane === after.planes[k]
        ? []
        : Plane.bytesApart(plane, after.planes[k]!).map(
            (byte) => `${String(k)}+${String(byte)}=${Plane.wordAt(after.planes[k]!, byte, 1)}`,
          ),
    )
    .join(' ')

/** The events of an agent in a run, by their numbers. */
const madeBy = (
  { world, machine }: Launched,
  schedule: ReadonlyArray<EventKey>,
  fuel: number,
  agent: number,
): ReadonlyMap<number, Made> => {
  const out = new Map<number, Made>()
  let before = machine
  Run.run(
    world,
    machine,
    {
      policy: Policy.recorded(schedule),
      fuel,
      keepSchedule: false,
      transient: false,
      watch: {
        begun: (m) => (before = m),
        stepped: (m, key) => {
          const ready =
            key.stage === 'agent' && key.agent === agent ? offeredOf(world, before, agent)?.ready : null
          if (ready != null) out.set(key.at, { place: ready, leaves: changed(before, m) })
          before = m
        },
        ended: () => undefined,
      },
    },
    Run.ignore,
  )
  return out
}

/** What a word holds where the first of two stores comes behind the second. */
const laterOf = (one: LaterStore, held: ReadonlyMap<string, string>): string | undefined => {
  const [before, behind, second] = [
    held.get(nameOf({ before: one.first }, one)),
    held.get(nameOf({ behind: one.first }, one)),
    held.get(nameOf({ behind: one.second }, one)),
  ]
  if (!one.adds || before === undefined || behind === undefined || second === undefined) return behind
  if (isUnknown(before) || isUnknown(behind) || isUnknown(second)) return traced(second)
  return wordOf((numberOf(second) + numberOf(behind) - numberOf(before)) >>> 0)
}

const numberOf = (held: string): number => Number.parseInt(reversed(held), 16)
const wordOf = (n: number): string => reversed(n.toString(16).padStart(8, '0'))
const reversed = (held: string): string => (held.match(/../gu) ?? []).reverse().join('')

// ---------------------------------------------------------------- the other run

const isUnknown = (held: string): boolean => held.includes('?')
/** A word that is not known, and that nothing else is. */
const traced = (held: string): string =>
  held.replace(/\??[0-9a-f]{2}/gu, `?${mostDatum.toString(16).padStart(2, '0')}`)

/** Bytes of global memory in which two machines differ: those of the first tensor that has some. */
const apartIn = (
  world: World,
  one: Machine,
  other: Machine,
  isMeant: (plane: number, byte: number) => boolean,
): { readonly plane: number; readonly bytes: ReadonlyArray<number> } | null => {
  for (const [plane, p] of world.header.planes.entries()) {
    // the host may look at all of global memory
    if (p.space !== 'gmem') continue
    const bytes = Plane.bytesApart(one.planes[plane]!, other.planes[plane]!).filter((b) => !isMeant(plane, b))
    if (bytes.length > 0) return { plane, bytes }
  }
  return null
}

/** `0 to 4, 8 to 12`, as many as a reader looks at. */
const spansOf = (bytes: ReadonlyArray<number>): ReadonlyArray<readonly [number, number]> => {
  const out: [number, number][] = []
  for (const b of bytes) {
    const last = out[out.length - 1]
    if (last?.[1] === b) last[1] = b + 1
    else out.push([b, b + 1])
  }
  return out
}

// ---------------------------------------------------------------- words

/** Between agents a release and an acquire; between lanes of one warp, which fences of one lane do not order, the warp's own barrier. */
const remedyOf = (a: Operation, b: Operation): Remedy =>
  a.index !== b.index
    ? {
        kind: 'none-found',
        text: 'order the two: with a barrier, or with a release after the first and an acquire before the second, in a scope that contains both (`__threadfence()` on both sides of a flag)',
        about: [],
      }
    : a.at === b.at
      ? {
          kind: 'none-found',
          text: `lanes of one warp execute \`${a.site}\` together, and no barrier comes between them: give each lane a word of its own, or let one lane do it`,
          about: [],
        }
      : {
          kind: 'warp-sync',
          text: `add a \`__syncwarp()\` (bar.warp.sync) between \`${a.site}\` and \`${b.site}\`: the two are made by lanes of one warp`,
          about: [],
          after: a.at < b.at ? 'a' : 'b',
          before: a.at < b.at ? 'b' : 'a',
        }

const valueOf = (held: string): string =>
  isUnknown(held) ? 'a value that depends on the inputs' : `0x${reversed(held)}`

const planeOf = (world: World, plane: number): string => world.header.planes[plane]?.name ?? String(plane)

const diagnosis = (
  world: World,
  text: string,
  sides: readonly [first: Stamp, deed: AccessDeed, second: Stamp, deed: AccessDeed],
  place: Wanted,
  knew: string,
): Diagnosis => {
  const [first, ofFirst, second, ofSecond] = sides
  const a = operation(world.header, accessing(first, ofFirst))
  const b = operation(world.header, accessing(second, ofSecond))
  return {
    id: 'V2',
    severity: hazards.V2.severity,
    text,
    about: [ofPlane(place.plane)],
    deeds: { a: ofFirst, b: ofSecond },
    a,
    b,
    place: { plane: planeOf(world, place.plane), spans: [[place.byte, place.byte + place.bytes]] },
    knew,
    missing: remedyOf(a, b),
  }
}

const leavesOtherwise = (world: World, plane: number, bytes: ReadonlyArray<number>): string => {
  const [first, ...more] = spansOf(bytes)
  return `bytes ${String(first![0])} to ${String(first![1])}${more.length > 0 ? ' and others' : ''} of ${planeOf(world, plane)}`
}

// ---------------------------------------------------------------- asking

/**
 * Of a completed run: what else its strong accesses may find, and whether that shows. `controlled`: words whose order is meant, because some schedule reads them for
 * control; null: that is not known yet, and stores are not asked.
 */
export const otherwise = (
  launched: Launched,
  judgement: Judgement,
  controlled: ReadonlySet<string> | null,
  ran: { readonly machine: Machine; readonly schedule: ReadonlyArray<EventKey>; readonly steps: number },
  fuel: number,
  detecting: Options,
): Asked => {
  const { world, machine } = launched
  const { memory } = world.algebra
  const { reads } = judgement.otherwise
  const stores =
    controlled === null
      ? []
      : judgement.otherwise.stores.map((all) => all.filter(({ settled }) => settled !== true))
  const ahead = controlled === null ? [] : judgement.otherwise.ahead
  const nothing: Asked = { found: null, ahead: [], left: null }
  if ((memory !== 'bytes' && memory !== 'shadow') || reads.length + stores.length + ahead.length === 0)
    return nothing
  const wanted = [
    ...reads.flat().map((one) => [one.source, one] as const),
    ...reads.flat().flatMap((one) => (one.sums === true ? [[{ behind: one.read }, one] as const] : [])),
    ...ahead.flat().map((one) => [{ behind: one.write }, one] as const),
    ...stores
      .flat()
      .flatMap((one) => [
        [{ before: one.first }, one] as const,
        [{ behind: one.first }, one] as const,
        [{ behind: one.second }, one] as const,
      ]),
  ]
  const held = heldIn(launched, ran.schedule, fuel, wanted)
  const keys = new Map(ran.schedule.map((k, i) => [k.stage === 'agent' ? eventOf(k) : '', i]))
  let events = ran.steps
  const same = (): boolean => false
  const other = (
    i: number,
    key: EventKey,
    isMeant: (plane: number, byte: number) => boolean,
  ): ReturnType<typeof apartIn> => {
    events += ran.steps
    const schedule = [...ran.schedule.slice(0, i), key, ...ran.schedule.slice(i + 1)]
    const done = Run.run(
      world,
      machine,
      { policy: Policy.recorded(schedule), fuel, keepSchedule: false, transient: true },
      Run.ignore,
    )
    return done.outcome._tag === 'completed' && done.steps === ran.steps
      ? apartIn(world, ran.machine, done.machine, isMeant)
      : null
  }
  /** Do all reads of a schedule take what is not over for them? */
  const isPossible = (schedule: ReadonlyArray<EventKey>): boolean => {
    events += ran.steps
    const { result } = Run.run(
      world,
      machine,
      { policy: Policy.recorded(schedule), fuel, keepSchedule: false, transient: true },
      detector(detecting),
    )
    return result?.otherwise.over !== true
  }
  const tried = new Set<string>()
  const ofRead = (one: OtherReading): Asked['found'] => {
    const i = keys.get(eventOf(one.read))
    const now = held.get(nameOf(one.source, one))
    if (i === undefined || now === undefined) return null
    const key = ran.schedule[i]!
    const word = { plane: one.plane, byte: one.byte, back: Math.max(0, one.back), held: now }
    const all = [...(key.older ?? []).filter((w) => w.plane !== one.plane || w.byte !== one.byte), word]
    // behind sums in any order memory holds what it holds
    const behind = one.sums === true ? held.get(nameOf({ behind: one.read }, one)) : undefined
    const below = behind === undefined ? [] : [Object.assign({}, word, { held: behind })]
    const asked = showKey(among(key, all, below))
    if (tried.has(asked)) return null
    tried.add(asked)
    const follows = memory === 'shadow' ? traced(now) : now
    const seen = other(
      i,
      among(
        key,
        all.map((w) => (w === word ? Object.assign({}, w, { held: follows }) : w)),
        below,
      ),
      same,
    )
    if (seen === null) return null
    const schedule = [...ran.schedule.slice(0, i), among(key, all, below), ...ran.schedule.slice(i + 1)]
    if (ran.schedule.slice(i + 1).some(({ older }) => older !== undefined) && !isPossible(schedule))
      return null
    return {
      diagnosis: diagnosis(
        world,
        `the value read from ${planeOf(world, one.plane)} is not fixed, although both accesses are strong: the read may take ${valueOf(now)}${'before' in one.source ? ', which was there before' : ''}, too, and the result depends on it`,
        [one.beside, writingAtomically, one.read, readingAtomically],
        one,
        `with ${asked} in its schedule the run leaves ${leavesOtherwise(world, seen.plane, seen.bytes)} otherwise`,
      ),
      schedule,
    }
  }
  const isMeant = (plane: number, byte: number): boolean =>
    [0, 1, 2, 3].some((k) => controlled?.has(`${String(plane)}+${String(byte - k)}`) === true)
  const ofStore = (one: LaterStore): Asked['found'] => {
    const i = keys.get(eventOf(one.second))
    const first = laterOf(one, held)
    const second = held.get(nameOf({ behind: one.second }, one))
    if (i === undefined || first === undefined || second === undefined) return null
    // of several stores that are in no order with it the last one stays
    const since = stores
      .flat()
      .some(
        (s) =>
          s.second.agent === one.second.agent &&
          s.second.at === one.second.at &&
          s.plane === one.plane &&
          s.byte === one.byte &&
          (keys.get(eventOf(s.first)) ?? -1) > (keys.get(eventOf(one.first)) ?? -1),
      )
    if (since || (first === second && !isUnknown(first)) || isMeant(one.plane, one.byte)) return null
    const key = ran.schedule[i]!
    const keeps = (text: string): EventKey =>
      keeping(key, [{ plane: one.plane, byte: one.byte, back: 0, held: text }])
    const seen = other(i, keeps(first === second ? traced(first) : first), isMeant)
    if (seen === null) return null
    return {
      diagnosis: diagnosis(
        world,
        `two writes of ${planeOf(world, one.plane)} are not ordered, although both are strong: either may be the later one, and the result depends on that`,
        [one.first, writingAtomically, one.second, writingAtomically],
        one,
        `with ${showKey(keeps(first))} in its schedule the run leaves ${leavesOtherwise(world, seen.plane, seen.bytes)} otherwise`,
      ),
      schedule: ran.schedule,
    }
  }
  const known = new Map<number, ReadonlyMap<number, Made>>()
  const madeHere = (agent: number): ReadonlyMap<number, Made> => {
    const all = known.get(agent) ?? madeBy(launched, ran.schedule, fuel, agent)
    known.set(agent, all)
    return all
  }
  /**
   * The events that the write rests on, with the read that takes it, and what comes then.
   *
   * | what of its thread was found, by who writes | then                                                                                     |
   * |---------------------------------------------|------------------------------------------------------------------------------------------|
   * | it does the same                            | the schedule, if it comes to the same write                                              |
   * | it leaves something else                    | 'open': whether the write rests on that is not known; if it does, no execution is like that |
   * | it does not do it                           | the schedule, if it comes to the same write all the same; else null: no execution is like that |
   */
  const ofAhead = (one: Ahead): ReadonlyArray<EventKey> | 'open' | null => {
    const now = held.get(nameOf({ behind: one.write }, one))
    const until = keys.get(eventOf(one.write))
    if (now === undefined || until === undefined) return 'open'
    const word = { plane: one.plane, byte: one.byte, back: 0, held: now }
    // of the reader what was found, of the others whatever is possible then
    const rests = ran.schedule
      .slice(0, until + 1)
      .filter((k) => k.agent !== one.read.agent || k.at <= one.until)
      .map((k) => (k.agent === one.read.agent && k.at === one.read.at ? taking(k, [word]) : k))
    // behind the read its agent may do more than it did, or less
    const made = madeHere(one.read.agent)
    const places = new Map(
      rests.flatMap((k) => {
        const isLater = k.stage === 'agent' && k.agent === one.read.agent && k.at > one.read.at
        const event = isLater ? made.get(k.at) : undefined
        return event === undefined ? [] : [[k, event.place] as const]
      }),
    )
    const done = Run.run(
      world,
      machine,
      { policy: Policy.loosely(rests, places), fuel, keepSchedule: true, transient: false },
      Run.ignore,
    )
    events += done.steps
    if (done.outcome._tag === 'refused') return 'open'
    const was = made.get(one.until)
    const is =
      was === undefined
        ? undefined
        : [...madeBy(launched, done.schedule, fuel, one.read.agent).values()].find(({ place }) =>
            Policy.isSame(place, was.place),
          )
    if (is !== undefined && is.leaves !== was?.leaves) return 'open'
    const again = heldIn(launched, done.schedule, fuel, [[{ behind: one.write }, one]])
    return again.get(nameOf({ behind: one.write }, one)) === now
      ? done.schedule
      : is === undefined
        ? null
        : 'open'
  }
  const asks = [
    ...reads.map((all) => all.map((one) => () => ofRead(one))),
    ...stores.map((all) => all.map((one) => () => ofStore(one))),
  ]
  for (const pair of asks)
    for (const ask of pair) {
      if (events > mostEvents) {
        const one = (reads[0]?.[0] ?? stores.flat()[0])!
        const by = 'read' in one ? one.read : one.second
        const { agent, site } = operation(world.header, actor(by, ''))
        return {
          found: null,
          ahead: [],
          left: `not all values that ${agent} ${site} may read were tried`,
        }
      }
      const found = ask()
      if (found !== null) return { found, ahead: [], left: null }
    }
  const followed = ahead.flat().map((one) => [one, ofAhead(one)] as const)
  const open = followed.find(([, schedule]) => schedule === 'open')?.[0]
  return {
    found: null,
    ahead: followed.flatMap(([, schedule]) => (schedule === 'open' || schedule === null ? [] : [schedule])),
    left: open === undefined ? null : leftOpen(world, open),
  }
}

const leftOpen = (world: World, { read }: Ahead): string => {
  const { agent, site } = operation(world.header, accessing(read, readingAtomically))
  return `${agent} ${site} may take a later write, of an agent that has found what its own does after the read, and that order was not followed`
}
