/**
 * Same value: of statements that race to write, those that store the same in every run.
 *
 *     consumer 0   store c[0:64, 0:64] of its accumulator       both have summed the same products in the same order:
 *     consumer 1   store c[0:64, 0:64] of its accumulator       whichever comes last, c is the same
 *
 * That two writes are not ordered is a race, whatever they write. If both write what is there already, nothing can be seen of it: a note (N4).
 * To be said of a pair of statements, it has to be so of all bytes that both write.
 *
 * The schedule of the run that showed the race is taken again over the free algebra (`numerics/terms.ts`), with a term for every float of every input.
 * Equal terms are equal numbers, for all inputs and whatever the operations mean, up to the collision of a hash of 52 bits.
 *
 * A program of warps keeps addresses in its registers and runs over bytes alone. Its run is taken again over bytes with a term beside every word
 * (`machine/ledger.ts`), and the detector says of each two accesses whether they leave the same (`judging/detector/cell.ts`): also where the bytes hold something else
 * later, and where one has read in between. A store of a constant of the text, `st.shared.b32 [flag], 1` by every warp, stores it whatever has led there.
 * A verdict on warps whose branches or addresses data decide is one on these data.
 *
 * Of a core program the run is then judged once more, by a detector that is told what writes leave: what the agent of one of the two had read there before was hidden behind
 * its own write, and may find what the other stores.
 *
 * Lanes of one instruction that write one byte are such a pair as well: that the run is one instruction says nothing of which lane comes last.
 *
 * A read that races with a write may come to nothing as well: warps beyond a tile's elements load what others store and store nothing, and the last turn of a loop loads for a
 * turn that does not come. The run is taken again with such executions of loads finding nothing; if it goes the same way, what they find is no matter, and neither is the
 * race. A report keeps of two statements the first race alone, so another execution may race there; then it is dropped too, and the run taken once more.
 *
 * The same run says of what nothing has written whether it comes to something (a ledger of *blanks*): a warp that reads it and drops it has read nothing (no I1).
 * Of a core program the schedule is taken again over what is something and what is nothing (`numerics/written.ts`): if none of it comes to global memory, it has read nothing, too.
 *
 * | a pair is not proved if                                        | because                                              |
 * |----------------------------------------------------------------|------------------------------------------------------|
 * | an element is written with another term than it holds          | the order shows                                      |
 * | a third statement wrote it in between                          | only neighbours are compared                         |
 * | another value is written later                                 | it may be ordered behind one of the two alone        |
 * | they never write one byte, or read it, or join what is there   | the race is not one of two writes                    |
 * | floats have been compared                                      | the terms are those of one outcome                   |
 * | integers of an input have been read                            | they are values, and stand for no others             |
 * | the run cannot be taken again: data decide, an operation lacks | no term says what is stored                          |
 * | it stores constants, unless they are asked for                 | in a sketch of a kernel they stand for data          |
 *
 * Laws
 * 1. Of a pair that is proved, exchanging the two writes leaves the same memory.
 * 2. A pair that stores terms of different inputs is not proved.
 */
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { Algebra } from '../../numerics/algebra.js'
import { greatest } from '../../greatest.js'
import { remembered } from '../../remembered.js'
import { isFloat } from '../../numerics/dtype.js'
import { inputTerm, terms } from '../../numerics/terms.js'
import { written } from '../../numerics/written.js'
import { nextWave } from '../machine/launch.js'
import type { Arguments, Source } from '../machine/source.js'
import { finished, offeredAs, take, type EventKey } from '../execution/step.js'
import { inputsOf } from '../execution/symbols.js'
import { isPlainRead, type Deed } from '../judging/deed.js'
import { hazards } from '../judging/hazards.js'
import type { Diagnosis, Finding, Judgement, Operation } from '../judging/finding.js'
import type { Access, ByteTerms, Footprint, Header, LogEvent } from '../log/events.js'
import { countOf } from '../log/lane-mask.js'
import { fuelTicks } from '../machine/effort.js'
import { forEachAddress } from '../machine/footprint.js'
import * as Plane from '../machine/plane.js'
import {
  byteTerms,
  droppedIn,
  found,
  ledger,
  tell,
  telling,
  without,
  type Dropped,
} from '../machine/ledger.js'
import type { Machine } from '../machine/state.js'
import { detector, isOfOneInstruction, type Options } from '../judging/detector/index.js'
import * as Policy from '../execution/policy.js'
import type { AnyPolicy } from '../execution/policy.js'
import { ignore, run } from '../execution/run.js'
import type { World } from '../machine/world.js'

// ---------------------------------------------------------------- model

/** Two statements that write to a plane. */
interface Pair {
  readonly plane: number
  readonly a: ReadonlySet<number>
  readonly b: ReadonlySet<number>
}

/** Of each byte of a plane, the statement that wrote it last, and whether pairs' statements have written it at all. */
interface Written {
  readonly last: Int32Array
  readonly writers: Int32Array
}

type Stored = ReadonlyMap<Pair, ReadonlyArray<number>>
const none: Stored = new Map()

/** Statements that are told apart: one bit each. */
const most = 30

// ---------------------------------------------------------------- pairs

const nameOfSite = (label: string, path: ReadonlyArray<string>): string => JSON.stringify([label, path])

/** A run has thousands of findings, and a header has thousands of sites. */
const sitesByName = remembered((header: Header): ReadonlyMap<string, ReadonlySet<number>> => {
  const byName = new Map<string, Set<number>>()
  header.sites.forEach(({ label, path }, i) => {
    const name = nameOfSite(label, path)
    byName.set(name, (byName.get(name) ?? new Set()).add(i))
  })
  return byName
})

const nowhere: ReadonlySet<number> = new Set()

const sitesOf = (header: Header, o: Operation): ReadonlySet<number> =>
  sitesByName(header).get(nameOfSite(o.site, o.path)) ?? nowhere

const isRace = (f: Diagnosis): boolean =>
  hazards[f.id].cause === 'conflict' && hazards[f.id].witness?.some((w) => w === 'race') === true

const pairOf = (header: Header, f: Diagnosis): Pair | null => {
  const plane = f.about.flatMap((s) => (s._tag === 'plane' ? [s.plane] : []))[0]
  // registers have one agent; in tensor memory more is at stake than values
  const isMemory = plane !== undefined && ['gmem', 'smem'].includes(header.planes[plane]!.space)
  return plane === undefined || !isMemory || f.b === undefined || !isRace(f)
    ? null
    : { plane, a: sitesOf(header, f.a), b: sitesOf(header, f.b) }
}

// ---------------------------------------------------------------- the run again

/** The free algebra, and whether a comparison of floats was asked for. */
const watched = (): readonly [Algebra, () => boolean] => {
  let asked = false
  const algebra: Algebra = Object.assign({}, terms, {
    compare: (...of: Parameters<Algebra['compare']>) =>
      O.map((compare: (x: number, y: number) => boolean) => (x: number, y: number) => {
        asked = true
        return compare(x, y)
      })(terms.compare(...of)),
  })
  return [algebra, () => asked]
}

interface Watching {
  readonly header: Header
  readonly pairs: ReadonlyArray<Pair>
  readonly bits: ReadonlyMap<number, number>
  readonly planes: Map<number, Written>
  /** what was written to bytes that both write; and the pairs that are not proved */
  readonly met: Map<Pair, number[]>
  readonly differing: Set<Pair>
}

const writtenOf = (w: Watching, plane: number): Written => {
  const known = w.planes.get(plane)
  if (known !== undefined) return known
  const size = w.header.planes[plane]!.bytes
  const made = { last: new Int32Array(size).fill(-1), writers: new Int32Array(size) }
  w.planes.set(plane, made)
  return made
}

const bitsOfSites = (w: Watching, sites: ReadonlySet<number>): number =>
  [...sites].reduce((bits, site) => bits | (w.bits.get(site) ?? 0), 0)

/** The terms of those elements of an access that are written as they were. */
const unchanged = (e: Access, before: Machine, after: Machine): ((element: number) => number | undefined) => {
  const addresses: number[] = []
  const elements: number[] = []
  forEachAddress(e.footprint, (address, element) => {
    addresses.push(address)
    elements.push(element)
  })
  const cells = Plane.cells(e.footprint.dtype, Int32Array.from(addresses))
  const { plane } = e.footprint
  const [old, now] = [Plane.read(before.planes[plane]!, cells), Plane.read(after.planes[plane]!, cells)]
  if (old.data === null || now.data === null || old.retyped !== null || now.retyped !== null)
    return () => undefined
  const same = new Map(
    elements.flatMap((e, i) => (old.data![i] === now.data![i] ? [[e, now.data![i]!] as const] : [])),
  )
  return (element) => same.get(element)
}

const keep = (w: Watching, p: Pair, term: number): void => {
  const kept = w.met.get(p) ?? []
  w.met.set(p, kept)
  kept.push(term)
}

const observe = (w: Watching, e: LogEvent, before: Machine, after: Machine): void => {
  if (e._tag !== 'access') return
  const { plane } = e.footprint
  const { site } = e.stamp
  const concerned = w.pairs.filter((p) => p.plane === plane)
  if (concerned.length === 0) return
  if (e.rw === 'r' || e.combine !== undefined || e.atomic) {
    for (const p of concerned) if (p.a.has(site) || p.b.has(site)) w.differing.add(p)
    return
  }
  const { last, writers } = writtenOf(w, plane)
  const asked = concerned.map((p) => {
    const [a, b] = [bitsOfSites(w, p.a), bitsOfSites(w, p.b)]
    // bits of the statements of which one must have written before this write counts; null: only both together
    const partner = p.a.has(site) ? { sites: p.b, bits: b } : p.b.has(site) ? { sites: p.a, bits: a } : null
    return { p, a, b, partner }
  })
  const termOf = unchanged(e, before, after)
  const own = w.bits.get(site) ?? 0
  const { dtype } = e.footprint
  const width = Plane.bytesOf(dtype)
  // lanes of a warp may write one element together
  const visited = new Set<number>()
  forEachAddress(e.footprint, (address, element) => {
    if (visited.has(address)) return
    visited.add(address)
    const first = Plane.firstByteAt(dtype, address)
    const end = Plane.isPacked(dtype) ? Plane.lastByteAt(dtype, address) + 1 : address + width
    for (let byte = first; byte < end; byte++) {
      const by = writers[byte]!
      for (const { p, a, b, partner } of asked) {
        const hasMet = partner !== null && (by & partner.bits) !== 0
        const isBehind = (by & a) !== 0 && (by & b) !== 0
        const term = hasMet || isBehind ? termOf(element) : null
        if (term === undefined) w.differing.add(p)
        else if (hasMet && term !== null) keep(w, p, term)
        if (hasMet && !isBehind && !partner.sites.has(last[byte]!)) w.differing.add(p)
      }
      last[byte] = site
      writers[byte]! |= own
    }
  })
}

/** The run again, over an algebra in which equal elements are equal in every run. */
interface Again {
  readonly algebra: Algebra
  readonly arguments: Arguments
  /** floats have been compared */
  readonly compared: () => boolean
  /** planes of which it must read nothing */
  readonly unknown: ReadonlySet<number>
}

/** With a term for every float of every input. */
const overTerms = (
  given: Arguments,
  header: Header,
  symbol: (tensor: number, index: number) => number,
): Again => {
  const [algebra, compared] = watched()
  const tensors = new Map([
    ...inputsOf(header, symbol),
    // integers are what they are
    ...[...given.tensors].filter(([name]) =>
      header.tensors.some((t) => t.name === name && !isFloat(t.dtype)),
    ),
  ])
  return {
    algebra,
    arguments: Object.assign({}, given, { tensors }),
    compared,
    unknown: new Set(
      header.tensors.flatMap((t) =>
        !isFloat(t.dtype) && header.planes[t.plane]!.initialised && !given.tensors.has(t.name)
          ? [t.plane]
          : [],
      ),
    ),
  }
}

/** The run again, with terms: judged by the detector, which knows what writes leave. Null: it goes another way. */
const overLedger = (
  source: Source,
  algebra: Algebra,
  given: Arguments,
  schedule: ReadonlyArray<EventKey>,
  fuel: number,
  detecting: Options,
  blanks: boolean,
  dropped: Dropped,
): Judgement | null => {
  const l = ledger(blanks, dropped)
  const launched = source.launch(algebra, Object.assign({}, given, { ledger: l }))
  if (E.isLeft(launched)) return null
  const { world, machine } = launched.right
  const told = telling(l, world.header, world.footprints)
  const judging = detector(detecting)
  const watched: AnyPolicy = (k) =>
    Policy.recorded(schedule)((policy) =>
      k({
        name: policy.name,
        init: policy.init,
        choose: (state, options) => {
          const chosen = policy.choose(state, options)
          const next = typeof chosen[0] === 'number' ? options[chosen[0]] : undefined
          const ready = next?.ready
          const load = ready?._tag === 'do' && ready.prepared._tag === 'load' ? ready.prepared : null
          const there = load === null ? null : found(l, world.header, load.source.footprint)
          const dropped = load === null ? 0 : droppedIn(l, next!.key.agent, next!.key.at)
          const acting = ready?._tag === 'do' ? (ready.by?.mask ?? -1) : -1
          l.incoming =
            load === null || there === null || dropped === 0
              ? there
              : without(load.source.footprint, there, acting, dropped)
          const mma = next?.operation?._tag === 'wgmma' ? next.operation.mma : null
          l.product =
            mma === null
              ? null
              : JSON.stringify([mma.types, mma.m, mma.n, mma.k, mma.accumulates, mma.negateA, mma.negateB])
          return chosen
        },
      }),
    )
  let state = judging.init(world.header)
  const tellAll = (events: ReadonlyArray<LogEvent>): void => {
    for (const e of events) state = judging.observe(state, tell(told, e))
  }
  const ran = run(
    world,
    machine,
    {
      policy: watched,
      fuel,
      keepSchedule: false,
      transient: true,
      ahead: false,
      watch: {
        begun: (_, events) => {
          tellAll(events)
        },
        stepped: (_, _key, events) => {
          tellAll(events)
        },
        ended: tellAll,
      },
    },
    ignore,
  )
  return ran.outcome._tag === 'completed' && !l.spilt ? judging.finish(state) : null
}

/** What pairs have stored that write the same wherever both write: a pair, and the terms, in order. */
const stored = (
  source: Source,
  again: Again,
  schedule: ReadonlyArray<EventKey>,
  fuel: number,
  header: Header,
  pairs: ReadonlyArray<Pair>,
): Stored => {
  const sites = [...new Set(pairs.flatMap((p) => [...p.a, ...p.b]))]
  if (sites.length > most) return none
  const { compared, unknown } = again
  const launched = source.launch(again.algebra, again.arguments)
  if (E.isLeft(launched)) return none
  const { world } = launched.right
  const w: Watching = {
    header,
    pairs,
    bits: new Map(sites.map((site, k) => [site, 1 << k])),
    planes: new Map(),
    met: new Map(),
    differing: new Set(),
  }
  world.effort.limit = Math.min(world.effort.limit, world.effort.spent + fuelTicks(fuel))
  let m = launched.right.machine
  for (const key of schedule) {
    if (finished(m)) {
      const next = nextWave(world, m)
      if (next === null) return none
      m = next
      for (const plane of w.planes.keys()) if (header.planes[plane]!.space !== 'gmem') w.planes.delete(plane)
    }
    const event = offeredAs(world, m, key)
    if (event === undefined) return none
    const done = take(world, m, event)
    if ('kind' in done) return none
    for (const e of done.events) {
      if (e._tag === 'access' && e.rw === 'r' && e.role !== 'map' && unknown.has(e.footprint.plane))
        return none
      observe(w, e, m, done.machine)
    }
    if (compared() || w.differing.size === pairs.length) return none
    m = done.machine
  }
  return new Map([...w.met].filter(([p]) => !w.differing.has(p)))
}

/** What a plain write has left, a term a byte; where it was read as something else, it is not known. */
const leftBy = (e: Access, after: Machine): ByteTerms | null => {
  const { dtype, plane } = e.footprint
  const addresses: number[] = []
  const elements: number[] = []
  forEachAddress(e.footprint, (address, element) => {
    addresses.push(address)
    elements.push(element)
  })
  const { data, retyped } = Plane.read(after.planes[plane]!, Plane.cells(dtype, Int32Array.from(addresses)))
  if (data === null || retyped !== null || Plane.isPacked(dtype)) return null
  const width = Plane.bytesOf(dtype)
  const left = byteTerms(width * (greatest(-1)(elements) + 1))
  elements.forEach((element, i) => {
    for (let k = 0; k < width; k++) {
      left.terms[element * width + k] = data[i]!
      left.index[element * width + k] = k
    }
  })
  return left
}

/**
 * The run again over terms, judged by a detector that is told what writes leave. A write that races with another hides what its agent has read there before, and that race
 * is seen only once the two writes are none.
 */
const behindEqual = (
  source: Source,
  again: Again,
  schedule: ReadonlyArray<EventKey>,
  fuel: number,
  detecting: Options,
): Judgement | null => {
  const launched = source.launch(again.algebra, again.arguments)
  if (E.isLeft(launched)) return null
  const { world, machine } = launched.right
  const judging = detector(detecting)
  let state = judging.init(world.header)
  const tellAll = (events: ReadonlyArray<LogEvent>): void => {
    for (const e of events) state = judging.observe(state, e)
  }
  const ran = run(
    world,
    machine,
    {
      policy: Policy.recorded(schedule),
      fuel,
      keepSchedule: false,
      transient: true,
      ahead: false,
      watch: {
        begun: (_, events) => {
          tellAll(events)
        },
        stepped: (after, _key, events) => {
          for (const e of events) {
            const left =
              e._tag === 'access' && e.rw === 'w' && !e.atomic && e.combine === undefined
                ? leftBy(e, after)
                : null
            state = judging.observe(
              state,
              left === null ? e : Object.assign({}, e, { origin: { _tag: 'terms' as const, stored: left } }),
            )
          }
        },
        ended: tellAll,
      },
    },
    ignore,
  )
  return ran.outcome._tag === 'completed' ? judging.finish(state) : null
}

/** Does nothing that agents have read of unwritten memory come to global memory, in any run that goes this way? */
const comesToNothing = (
  source: Source,
  given: Arguments,
  schedule: ReadonlyArray<EventKey>,
  fuel: number,
  header: Header,
): boolean => {
  let isCompared = false
  const again = overTerms(given, header, () => 0)
  const launched = source.launch(
    written(() => {
      isCompared = true
    }),
    again.arguments,
  )
  if (E.isLeft(launched)) return false
  const { world } = launched.right
  world.effort.limit = Math.min(world.effort.limit, world.effort.spent + fuelTicks(fuel))
  const hasNothing = (m: Machine, f: Footprint): boolean => {
    const addresses: number[] = []
    forEachAddress(f, (address) => addresses.push(address))
    const { data } = Plane.read(m.planes[f.plane]!, Plane.cells(f.dtype, Int32Array.from(addresses)))
    return data?.some(Number.isNaN) !== false
  }
  let m = launched.right.machine
  for (const key of schedule) {
    if (finished(m)) {
      const next = nextWave(world, m)
      if (next === null) return false
      m = next
    }
    const event = offeredAs(world, m, key)
    const done = event === undefined ? null : take(world, m, event)
    if (done === null || 'kind' in done) return false
    for (const e of done.events) {
      if (e._tag !== 'access') continue
      const { space } = header.planes[e.footprint.plane]!
      if (e.rw === 'r' && e.role !== 'map' && again.unknown.has(e.footprint.plane)) return false
      // which number is there is not known, nor what comes of it
      if (e.rw === 'r' && space !== 'gmem' && !isFloat(e.footprint.dtype) && hasNothing(m, e.footprint))
        return false
      if (e.rw === 'w' && space === 'gmem' && hasNothing(done.machine, e.footprint)) return false
    }
    if (isCompared) return false
    m = done.machine
  }
  return true
}

// ---------------------------------------------------------------- findings

const sidesOf = ({ a, b, deeds, lanes }: Diagnosis): ReadonlyArray<readonly [Operation, Deed, number]> =>
  b === undefined || deeds.b === null
    ? []
    : [
        [a, deeds.a, lanes?.a ?? -1],
        [b, deeds.b, lanes?.b ?? -1],
      ]

/** These executions, and those of agents' own loads that race with a write. */
const withReadsOfRaces = (header: Header, before: Dropped, findings: ReadonlyArray<Diagnosis>): Dropped => {
  const out = new Map([...before].map(([agent, those]) => [agent, new Map(those)]))
  for (const f of findings)
    for (const [o, deed, lanes] of pairOf(header, f) === null ? [] : sidesOf(f))
      if (isPlainRead(deed)) {
        const own = out.get(o.index) ?? new Map<number, number>()
        out.set(o.index, own.set(o.at, (own.get(o.at) ?? 0) | lanes))
      }
  return out
}

const countIn = (d: Dropped): number =>
  [...d.values()].reduce((n, own) => [...own.values()].reduce((m, lanes) => m + countOf(lanes), n), 0)

/** So often is a run taken again for executions of loads that come to nothing. */
const mostDrops = 32

const asNote = (f: Diagnosis): Diagnosis =>
  Object.assign({}, f, {
    id: 'N4' as const,
    severity: hazards.N4.severity,
    text: `${f.text}, but store the same value in every run`,
  })

/** A read into registers, where what it finds can be followed, that is a finding by itself. */
const isOfNothing =
  (header: Header) =>
  ({ b, deeds: { a }, about }: Diagnosis): boolean =>
    b === undefined &&
    (isPlainRead(a) || (a._tag === 'reads' && a.unit === 'tcgen05Ld')) &&
    about.some((s) => s._tag === 'plane' && ['smem', 'tmem'].includes(header.planes[s.plane]!.space))

const leavingOut = (j: Judgement, gone: (f: Diagnosis) => boolean): Judgement =>
  Object.assign({}, j, {
    findings: j.findings.filter((f) => !gone(f)),
    byManual: j.byManual.filter((f) => !gone(f)),
  })

/** Is it a race of statements of which one of these notes says that they store the same? */
export const notedIn = (notes: ReadonlyArray<Finding>): ((f: Finding) => boolean) => {
  const nameOf = ({ a, b }: Finding): string => `${a.site}|${b?.site ?? ''}`
  const names = new Set(notes.filter(({ id }) => id === 'N4').map(nameOf))
  return (f) => names.has(nameOf(f)) || names.has(`${f.b?.site ?? ''}|${f.a.site}`)
}

/**
 * A judgement whose races between equal values are notes: of values that depend on the inputs, or of constants, too. In a sketch of a kernel a constant
 * stands for data that it leaves out, and two of them say nothing; in a kernel as it is compiled it is what it is.
 */
export const withoutEqualWrites = (
  source: Source,
  given: Arguments,
  fuel: number,
  { header, algebra, front }: World,
  schedule: ReadonlyArray<EventKey>,
  judged: Judgement,
  which: 'of inputs' | 'any',
  detecting: Options,
): Judgement => {
  const constants = front.storesConstants
  const isOfWrites = (f: Diagnosis): boolean =>
    pairOf(header, f) !== null && f.deeds.a._tag === 'writes' && f.deeds.b?._tag === 'writes'
  const again = (blanks: boolean, dropped: Dropped = new Map()): Judgement | null =>
    overLedger(source, algebra, given, schedule, fuel, detecting, blanks, dropped)
  const withoutDropped = (from: Judgement): Judgement | null => {
    let found: Judgement | null = from
    let dropped: Dropped = new Map()
    for (let drops = 0; found !== null && drops <= mostDrops; drops++) {
      const more = withReadsOfRaces(header, dropped, found.findings)
      if (countIn(more) === countIn(dropped)) return drops === 0 ? null : found
      dropped = more
      found = again(true, dropped)
    }
    return null
  }
  // a read may race that was hidden behind a write of its own agent, and come to nothing as well
  const behindWrites = (): Judgement | null => {
    const found = judged.findings.some(isOfWrites) ? again(false) : null
    return found === null ? null : (withoutDropped(found) ?? found)
  }
  const readsNothing = judged.findings.some(isOfNothing(header))
  const j =
    constants === null
      ? readsNothing && comesToNothing(source, given, schedule, fuel, header)
        ? leavingOut(judged, isOfNothing(header))
        : judged
      : (withoutDropped(judged) ?? (readsNothing ? again(true) : null) ?? behindWrites() ?? judged)
  const storesConstants = ({ a, b }: Pair): boolean =>
    constants !== null && [...a, ...b].every((site) => constants.has(site))
  const paired = j.findings.flatMap((f) => {
    const pair = pairOf(header, f)
    return pair === null ? [] : [[f, pair] as const]
  })
  if (paired.length === 0) return j
  const pairs = paired.map(([, pair]) => pair)
  const same =
    constants === null
      ? stored(source, overTerms(given, header, inputTerm), schedule, fuel, header, pairs)
      : none
  // with other symbols for the inputs every term is another, but for constants
  const others =
    which === 'of inputs' && same.size > 0
      ? stored(
          source,
          overTerms(given, header, (tensor, index) => inputTerm(tensor + most, index)),
          schedule,
          fuel,
          header,
          pairs,
        )
      : null
  const isOfInputs = (pair: Pair): boolean => {
    const [mine, its] = [same.get(pair) ?? [], others?.get(pair) ?? []]
    return others === null || (mine.length === its.length && mine.every((term, i) => term !== its[i]))
  }
  const equal = new Set(
    paired.flatMap(([f, pair]) =>
      // a constant of the text is the same in all lanes
      (isOfOneInstruction(f) && storesConstants(pair)) || (same.has(pair) && isOfInputs(pair)) ? [f] : [],
    ),
  )
  if (equal.size === 0) return j
  const behind =
    constants === null
      ? behindEqual(source, overTerms(given, header, inputTerm), schedule, fuel, detecting)
      : null
  // only what goes the same way over terms comes here; if it does not, nothing is said to be equal
  if (constants === null && behind === null) return j
  const isOther = (f: Diagnosis): boolean =>
    isRace(f) && !j.findings.some(({ a, b }) => a.site === f.a.site && b?.site === f.b?.site)
  const hidden = behind?.findings.filter(isOther) ?? []
  return Object.assign({}, j, {
    findings: [...j.findings.filter((f) => !equal.has(f)), ...hidden],
    notes: [...j.notes, ...[...equal].map(asNote)],
    byManual: j.byManual.filter((f) => !equal.has(f)),
  })
}
