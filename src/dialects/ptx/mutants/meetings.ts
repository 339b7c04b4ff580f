/**
 * What the lanes of a warp do between two meetings of all of them, and what therefore does not depend on a meeting in between, or on which lane does it.
 *
 *     bar.sync 0                 all lanes meet
 *     st.global  y[t]            each lane its own word
 *     bar.warp.sync -1           has nothing to order: no lane touches a byte of another, and no lane tells another warp
 *     st.global  z[t]
 *     bar.sync 0                 all lanes meet
 *
 * A search of schedules follows warps, and runs the lanes of a warp in one order. A `bar.warp.sync` that is missing is nothing to it, so it would certify every mutant of lanes that the
 * detector overlooks. The rules below read a run of the text instead, lane by lane and byte by byte, without a clock. A stretch goes from one meeting of all lanes to the next; the rule must
 * hold in every stretch that has the changed instruction in it.
 *
 * | rule             | what is in the stretch                                                                              | why nothing changes                                                              |
 * |------------------|-----------------------------------------------------------------------------------------------------|----------------------------------------------------------------------------------|
 * | nothing to order | all lanes wait or fence, or lanes load and store, and no lane stores a byte that another lane touches | no lane has to know of another                                                   |
 * | known otherwise  | before the meeting lanes arrive, start copies that arrive, and wait; after it no lane arrives at the same barriers, and all lanes wait where one lane had | there is no access to know of, and bytes may come before the arrival that announces them |
 * | another lane     | besides the elected lane all lanes wait or fence                                                    | the next lane knows what the elected one knows                                    |
 * | another lane     | the same before the elected lane, which only arrives, announces and starts copies that arrive        | the lane learns nothing of it, so what follows may be anything                     |
 * | another lane     | the same, and it makes mbarriers; after it lanes load and store                                      | no lane uses the barriers before all meet                                         |
 *
 * The stretches are those of one run. The conditions C1 to C6 hold in it, so they are the same under every schedule.
 *
 * Laws
 * 1. A stretch in which one lane stores a byte that another touches has something to order, and so has one with an arrival, a fence, an atomic or an asynchronous operation.
 *
 * Source: PTX ISA, memory consistency model: program order, causality order; bar.warp.sync.
 */
import { bitsOf } from '../../../numerics/dtype.js'
import { eachDealt, isDealt } from '../../../semantics/judging/detector/lanes.js'
import {
  spansOf,
  type Access,
  type BarrierEvent,
  type Fence,
  type Fold,
  type Header,
  type LogEvent,
  type Rendezvous,
  type Stamp,
  type Wait,
} from '../../../semantics/log/events.js'
import { isOne } from '../../../semantics/log/lane-mask.js'
import { reachOf } from '../../../semantics/log/reach.js'

// ---------------------------------------------------------------- model

/** What lanes of one warp have done, in the order of the log. */
interface Act {
  readonly label: string
  readonly event: LogEvent & { readonly stamp: Stamp }
}

/** From one meeting of all lanes to the next. */
export interface Stretch {
  /** the lanes that the warp began with */
  readonly all: number
  readonly acts: ReadonlyArray<Act>
}

// ---------------------------------------------------------------- stretches

const wholeWarp = -1

/** The lanes that a warp begins with. */
const lanesOf = ({ agents }: Header, agent: number, threads: number): number => {
  const left = threads - 32 * (agents[agent]?.firstWarp ?? 0)
  return left >= 32 ? wholeWarp : (1 << left) - 1
}

const hasAll = (stamp: Stamp, all: number): boolean =>
  stamp.lanes === undefined || (stamp.lanes & all) === all

/** Does every lane know behind it what every other did before? */
const isMeeting = (e: LogEvent, all: number): boolean =>
  (e._tag === 'warpSync' && e.how === undefined && hasAll(e.stamp, all)) ||
  (e._tag === 'rendezvous' && e.kind === 'leave' && e.relaxed !== true && hasAll(e.stamp, all))

/** They bring the lanes no further than they were: some meet, or exchange registers. */
const isNothing = (e: LogEvent): boolean => e._tag === 'warpSync'

interface Gathering {
  readonly header: Header
  readonly open: Map<number, Act[]>
  readonly done: Stretch[]
}

/** The stretches of a run; a meeting at the label that is given ends none, and is an act. */
export const stretchesAround = (
  threads: number,
  label: string | null,
): Fold<Gathering, ReadonlyArray<Stretch>> => {
  const close = (g: Gathering, agent: number): void => {
    const acts = g.open.get(agent)
    if (acts !== undefined) g.done.push({ all: lanesOf(g.header, agent, threads), acts })
    g.open.delete(agent)
  }
  const end = (g: Gathering): void => {
    for (const agent of [...g.open.keys()]) close(g, agent)
  }
  return {
    init: (header) => ({ header, open: new Map(), done: [] }),
    observe: (g, e) => {
      if (e._tag === 'cluster') end(g)
      if (!('stamp' in e) || e._tag === 'ahead' || (e._tag === 'access' && e.operation !== undefined))
        return g
      const { agent, site } = e.stamp
      const own = g.header.sites[site]?.label ?? ''
      if (isMeeting(e, lanesOf(g.header, agent, threads)) && own !== label) {
        close(g, agent)
        return g
      }
      const acts = g.open.get(agent)
      if (acts === undefined) g.open.set(agent, [{ label: own, event: e }])
      else acts.push({ label: own, event: e })
      return g
    },
    finish: (g) => {
      end(g)
      return g.done
    },
  }
}

// ---------------------------------------------------------------- who touches what

/** A load or a store that orders nothing. */
const isPlain = (e: LogEvent): e is Access =>
  e._tag === 'access' && !e.atomic && e.proxy === 'generic' && e.role !== 'map'

/** All lanes wait, fence, or come to a barrier, each for itself. */
const isCommon = ({ event: e }: Act, all: number): boolean =>
  isNothing(e) || (isByEach(e) && hasAll(e.stamp, all))

const isByEach = (e: LogEvent): e is Wait | Rendezvous | Fence =>
  e._tag === 'fence' ||
  (e._tag === 'wait' && e.outcome !== 'blocked') ||
  (e._tag === 'rendezvous' && e.kind !== 'blocked')

interface Byte {
  reads: number
  writes: number
}

const eachByte = (
  { footprint, stamp }: Access,
  all: number,
  touch: (byte: number, lanes: number) => void,
): void => {
  const lanes = stamp.lanes ?? all
  if (stamp.whole === true || !isDealt(footprint, lanes)) {
    const spans = spansOf(footprint)
    for (let i = 0; i < spans.length; i += 2)
      for (let byte = spans[i]!; byte < spans[i + 1]!; byte++) touch(byte, lanes)
    return
  }
  const bytes = Math.ceil(bitsOf(footprint.dtype) / 8)
  eachDealt(footprint, lanes, (lane, address) => {
    if (address >= 0) for (let byte = address; byte < address + bytes; byte++) touch(byte, lane)
  })
}

/** Does a lane store what another one touches? */
const areCrossed = (accesses: ReadonlyArray<Access>, all: number): boolean => {
  const planes = new Map<number, Map<number, Byte>>()
  for (const a of accesses) {
    const bytes = planes.get(a.footprint.plane) ?? new Map<number, Byte>()
    planes.set(a.footprint.plane, bytes)
    eachByte(a, all, (byte, lanes) => {
      const known = bytes.get(byte) ?? { reads: 0, writes: 0 }
      if (a.rw === 'r') known.reads |= lanes
      else known.writes |= lanes
      bytes.set(byte, known)
    })
  }
  return [...planes.values()].some((bytes) =>
    [...bytes.values()].some(({ reads, writes }) => writes !== 0 && !isOne(reads | writes)),
  )
}

// ---------------------------------------------------------------- rules

const hasNothingToOrder = ({ all, acts }: Stretch): boolean => {
  const rest = acts.filter((a) => !isCommon(a, all))
  const plain = rest.flatMap(({ event }) => (isPlain(event) ? [event] : []))
  return plain.length === rest.length && !areCrossed(plain, all)
}

/** An arrival; bytes alone do not count, for a phase may end before they are announced. */
const isArrival = (e: LogEvent): e is BarrierEvent => e._tag === 'barrier' && e.kind === 'arrive'

/** A copy that tells an mbarrier when it is there. */
const isCopy = (e: LogEvent): boolean => e._tag === 'issue' && e.unit === 'tmaLoad'

const isPassed = (e: LogEvent): e is Wait => e._tag === 'wait' && e.outcome === 'passed'

const isKnownOtherwise = ({ all, acts }: Stretch, label: string): boolean => {
  const at = acts.findIndex((a) => a.label === label)
  const before = acts.slice(0, at).filter((a) => !isCommon(a, all))
  const behind = acts.slice(at + 1)
  const next = behind.findIndex((a) => !isCommon(a, all))
  const common = (next < 0 ? behind : behind.slice(0, next)).map(({ event }) => event).filter(isPassed)
  const told = new Set(before.flatMap(({ event: e }) => (isArrival(e) ? [e.barrier] : [])))
  const isHeard = (e: Wait): boolean =>
    common.some(
      (w) =>
        w.barrier === e.barrier && w.parity === e.parity && w.acquire && reachOf(w.scope) >= reachOf(e.scope),
    )
  return (
    before.every(({ event: e }) => isArrival(e) || isCopy(e) || (isPassed(e) && isHeard(e))) &&
    behind.every(({ label: l, event: e }) => l !== label && !(e._tag === 'barrier' && told.has(e.barrier)))
  )
}

/** What a meeting of lanes is not needed for, in the stretches of a run around it; null: nothing says so. */
export const unneeded = (stretches: ReadonlyArray<Stretch>, label: string): string | null => {
  const around = stretches.filter(({ acts }) => acts.some((a) => a.label === label))
  if (around.length === 0) return null
  if (around.every(hasNothingToOrder)) return 'nothing to order'
  return around.every((s) => hasNothingToOrder(s) || isKnownOtherwise(s, label)) ? 'known otherwise' : null
}

/** Tells an mbarrier something, and learns nothing; what a copy then does, it does by itself. */
const onlyTells = ({ event: e }: Act): boolean =>
  (e._tag === 'barrier' && (e.kind === 'arrive' || e.kind === 'expect')) || isCopy(e) || isNothing(e)

/** Makes an mbarrier, or only tells. */
const onlyMakes = (a: Act): boolean =>
  onlyTells(a) ||
  (a.event._tag === 'barrier' && a.event.kind === 'init') ||
  (a.event._tag === 'fence' && a.event.kind === 'mbarrierInit')

/** Whatever belongs to the thread that does it, and to no other. */
const isOwn = ({ event: e }: Act): boolean => e._tag === 'group' || e._tag === 'alloc' || e._tag === 'dealloc'

const isHandedOver = ({ all, acts }: Stretch, handed: ReadonlySet<string>): boolean => {
  const own = acts.flatMap(({ label }, k) => (handed.has(label) ? [k] : []))
  const last = own.at(-1)
  if (last === undefined) return true
  const rest = (from: number, to: number): ReadonlyArray<Act> =>
    acts.slice(from, to).filter((a) => !handed.has(a.label) && !isCommon(a, all))
  const done = own.map((k) => acts[k]!)
  const behind = rest(last + 1, acts.length)
  return (
    rest(0, last).length === 0 &&
    !done.some(isOwn) &&
    (behind.length === 0 ||
      done.every(onlyTells) ||
      (done.every(onlyMakes) && behind.every(({ event }) => isPlain(event))))
  )
}

/** Does the next lane know what the elected one knows, wherever it does what it is handed? */
export const isSameForNext = (stretches: ReadonlyArray<Stretch>, handed: ReadonlySet<string>): boolean =>
  stretches.some(({ acts }) => acts.some(({ label }) => handed.has(label))) &&
  stretches.every((s) => isHandedOver(s, handed))
