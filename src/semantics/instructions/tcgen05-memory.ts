/**
 * tcgen05 allocation: which columns of tensor memory a CTA has.
 *
 * A CTA has 512 columns of 4 bytes in 128 lanes. `alloc n` takes the first n free columns beside each other, `dealloc n` gives back the
 * agent's own newest allocation of n or, where the agent has none, the newest of its CTA, `relinquish` promises that no allocation follows. The storages of the program lie inside what is allocated, at the
 * columns that `place` gave them, in the order of their declaration.
 *
 *     alloc 256    columns 0..255
 *     alloc 128    columns 256..383      an alloc 256 now would be refused: not larger than the one before it
 *     dealloc 256  columns 256..383 are left; an access to column 0 is at fault
 *
 * | rule                                                             | code                   |
 * |------------------------------------------------------------------|------------------------|
 * | a power of two from 32 to 512, not more than the allocation before, 512 in all | T3       |
 * | no allocation after `relinquish`                                 | tcgen05.relinquished   |
 * | what is freed is allocated                                       | T2                     |
 * | what is accessed is allocated when the instruction executes      | I2                     |
 * | nothing is left at the end                                       | T1, the detector's     |
 * | cta_group 2 is for a pair                                        | M7                     |
 * | the CTAs of a pair take the same steps                           | T4, T5, the detector's |
 *
 * A dealloc of PTX names an address, and that names an allocation (`start`). In a core program the number of columns does, for an agent frees what it has
 * allocated itself, and one agent frees for all where one allocates for all. Where more than that decides, the order of the steps decides, and it must be
 * fixed (C5, the detector's).
 *
 *     t0: alloc 64    t1: alloc 64     t0: dealloc 64    frees its own columns, 0..63
 *     t0: alloc 64                     t1: dealloc 64    frees t0's, once it is ordered behind the alloc
 *
 * The chip makes an alloc wait until there is room, for other CTAs of the SM have columns too. Here a CTA is alone, so room can come
 * from its own deallocs only: a program that counts on that without ordering them is refused (T3).
 *
 * With cta_group 2 one agent of each CTA of the pair takes part, in an allocation and in giving it back; since both take the same steps,
 * both CTAs have the same columns. An alloc or dealloc may wait for the other CTA, says the ISA, not that it does. Here it does not, and no agent is
 * ordered by it: the columns of the other CTA can be used once its alloc is known (D4), not once one's own has returned.
 *
 * An alloc of PTX writes the address of its columns to a word of shared memory (`into`). What a copy writes over that word later needs no proxy fence, once
 * it has been read; a read of it needs order behind the alloc alone.
 *
 * Laws
 * 1. dealloc after alloc of the same number gives back the columns that were there before.
 * 2. Allocations never overlap and never exceed 512 columns.
 *
 * Source: PTX ISA, tcgen05.alloc, dealloc, relinquish_alloc_permit.
 */
import * as E from 'fp-ts/lib/Either.js'
import {
  addressOf,
  isAllocation,
  quarterOf,
  quarterOfWarp,
  tmemColumns,
  tmemLaneBytes,
  tmemLanes,
} from '../../layouts/tensor-memory/geometry.js'
import type { InstructionOf } from '../language/instruction.js'
import type { Footprint } from '../log/events.js'
import { spansOf } from '../log/events.js'
import { ctaOf, effect, type Effect, type Executing } from '../machine/effect.js'
import type { Environment } from '../machine/environment.js'
import { ofProgram } from '../machine/ledger.js'
import { remembered } from '../../remembered.js'
import * as Footprints from '../machine/footprint.js'
import type { Elements, Prepared } from '../machine/operation.js'
import * as Plane from '../machine/plane.js'
import {
  withPlane,
  withTensorMemory,
  type Columns,
  type Machine,
  type TensorMemory,
} from '../machine/state.js'
import * as V from '../machine/value.js'
import type { FaultValue } from '../machine/value.js'
import type { World } from '../machine/world.js'
import * as Ref from '../../transforms/ref.js'
import { access } from './generic.js'
import { checkGroup } from './tcgen05-queue.js'
import { changes, weak, type Family } from '../machine/family.js'
import { freed, table, write } from '../machine/touches.js'

type Of<K extends Prepared['_tag']> = Extract<Prepared, { readonly _tag: K }>

// ---------------------------------------------------------------- reads and checks

export const prepare = (
  o: Environment,
  i: InstructionOf<'tcgen05.alloc' | 'tcgen05.dealloc' | 'tcgen05.relinquish'>,
): Prepared | FaultValue => {
  const pair = checkGroup(o, i._tag, i.ctaGroup)
  if (pair !== null) return pair
  return i._tag === 'tcgen05.relinquish'
    ? { _tag: i._tag }
    : { _tag: i._tag, columns: i.columns, ctaGroup: i.ctaGroup }
}

// ---------------------------------------------------------------- columns

/** Columns beside each other, of whatever allocation. */
type Place = Pick<Columns, 'start' | 'columns'>

/** The first column from which `columns` are free, or null. */
const room = (t: TensorMemory, columns: number): number | null => {
  const taken = [...t.allocated].sort((a, b) => a.start - b.start)
  let start = 0
  for (const a of taken) {
    if (start + columns <= a.start) return start
    start = a.start + a.columns
  }
  return start + columns <= tmemColumns ? start : null
}

type Layout = ReturnType<typeof Ref.ofStrides>
const layouts: Array<Layout | undefined> = []
/** So many columns of all lanes: one layout for all programs, whose bytes are listed once. */
const wide = (columns: number): Layout =>
  (layouts[columns] ??= Ref.ofStrides([tmemLanes, columns], 32, [tmemLaneBytes / 4, 1]))

/** The bytes of columns, as one footprint. Null where the world has no tensor memory. */
const footprintOf = (world: World, cta: number, c: Place): Footprint | FaultValue => {
  const plane = world.header.planes.findIndex((p) => p.space === 'tmem' && p.cta === cta)
  const layout = wide(c.columns)
  if (plane < 0 || E.isLeft(layout)) return V.fault('arch', 'there is no tensor memory on this architecture')
  return Footprints.ofLayout(world.footprints, plane, 'u32', layout.right, 4 * c.start).footprint
}

/** First and last column of the elements: a view lies inside one storage, so those between are its own. */
const reachOf = remembered((e: Elements): readonly [number, number] => {
  const s = spansOf(e.footprint)
  let first = tmemColumns
  let last = -1
  for (let i = 0; i < s.length; i += 2) {
    const [from, to] = [s[i]!, s[i + 1]! - 1]
    const oneLane = Math.floor(from / tmemLaneBytes) === Math.floor(to / tmemLaneBytes)
    first = oneLane ? Math.min(first, Math.floor((from % tmemLaneBytes) / 4)) : 0
    last = oneLane ? Math.max(last, Math.floor((to % tmemLaneBytes) / 4)) : tmemColumns - 1
  }
  return [first, last]
})

/** The fault of an access to columns that its CTA does not have now. Elements elsewhere are no concern. */
export const notAllocated = (world: World, m: Machine, field: string, e: Elements): FaultValue | null => {
  const plane = world.header.planes[e.plane]!
  if (plane.space !== 'tmem' || e.offsets.length === 0) return null
  const [first, last] = reachOf(e)
  const { allocated } = m.tensorMemory[plane.cta ?? 0]!
  let column = first
  for (let more = true; more && column <= last;) {
    const here = allocated.find((a) => a.start <= column && column < a.start + a.columns)
    more = here !== undefined
    if (here !== undefined) column = here.start + here.columns
  }
  return column > last
    ? null
    : V.faultOfColumns(
        'I2',
        `${field}: columns ${String(first)} to ${String(last)} of tensor memory are used, and column ${String(column)} is not allocated`,
      )
}

/** The same, of an instruction that may act on a pair: a CTA without any tensor memory takes no part (M7). */
export const notAllocatedInGroup = (
  world: World,
  m: Machine,
  ctaGroup: 1 | 2,
  field: string,
  e: Elements,
): FaultValue | null => {
  const missing = notAllocated(world, m, field, e)
  const cta = world.header.planes[e.plane]!.cta ?? 0
  return missing !== null && ctaGroup === 2 && m.tensorMemory[cta]!.allocated.length === 0
    ? V.faultOfColumns(
        'M7',
        `CTA ${String(cta)} of the pair has allocated no tensor memory: ${missing.message}`,
      )
    : missing
}

/** A warp reaches a quarter of the lanes: warp w those from 32 (w mod 4). */
export const outOfReach = (world: World, agent: number, field: string, e: Elements): FaultValue | null => {
  const a = world.front.agents[agent % world.agentsPerCta]!
  if (a.warps >= 4) return null
  const quarters = Array.from({ length: a.warps }, (_, w) => quarterOfWarp(a.firstWarp + w))
  const lane = tmemLaneBytes * Plane.addressesInByte(e.dtype)
  const outside = Footprints.addressesOf(e).find((at) => !quarters.includes(quarterOf(Math.floor(at / lane))))
  return outside === undefined
    ? null
    : V.fault(
        'tcgen05.lanes',
        `${field}: lane ${String(Math.floor(outside / lane))} is out of reach of ${a.name}: warp w reaches the 32 lanes from 32 (w mod 4), and it has warps ${String(a.firstWarp)} to ${String(a.firstWarp + a.warps - 1)}`,
      )
}

// ---------------------------------------------------------------- effects

/** The allocator of a CTA after a step. */
const after = (
  t: TensorMemory,
  allocated: ReadonlyArray<Columns>,
  largest: number,
  relinquished: boolean,
): TensorMemory => ({ allocated, largest, relinquished, ahead: t.ahead, outOfStep: t.outOfStep })

const pacing = (t: TensorMemory, ahead: ReadonlyArray<number>, outOfStep: boolean): TensorMemory => ({
  allocated: t.allocated,
  largest: t.largest,
  relinquished: t.relinquished,
  ahead,
  outOfStep: t.outOfStep || outOfStep,
})

/** A step of a pair: the one that the other CTA has taken, or one that it has still to take. */
const paced = (m: Machine, cta: number, ctaGroup: 1 | 2, step: number): Machine => {
  if (ctaGroup === 1) return m
  const [mine, theirs] = [m.tensorMemory[cta]!, m.tensorMemory[cta ^ 1]!]
  const [due, ...later] = theirs.ahead
  return due === undefined
    ? withTensorMemory(m, cta, pacing(mine, [...mine.ahead, step], false))
    : withTensorMemory(
        withTensorMemory(m, cta ^ 1, pacing(theirs, later, false)),
        cta,
        pacing(mine, mine.ahead, due !== step),
      )
}

export const executeAlloc = (x: Executing, m: Machine, p: Of<'tcgen05.alloc'>): Effect | FaultValue => {
  const cta = ctaOf(x.world, x.agent)
  const t = m.tensorMemory[cta]!
  const n = p.columns
  if (t.relinquished)
    return V.faultOfColumns(
      'tcgen05.relinquished',
      `alloc: expected no allocation after CTA ${String(cta)} has relinquished its permit, found one of ${String(n)} columns`,
    )
  if (!isAllocation(n))
    return V.faultOfColumns('T3', `columns: expected a power of two from 32 to 512, found ${String(n)}`)
  if (n > t.largest)
    return V.faultOfColumns(
      'T3',
      `columns: expected at most the ${String(t.largest)} of the allocation before, found ${String(n)}`,
    )
  const start = room(t, n)
  if (start === null) {
    const taken = t.allocated.reduce((sum, a) => sum + a.columns, 0)
    return V.faultOfColumns(
      'T3',
      `columns: expected ${String(n)} free columns of 512 next to each other, and ${String(taken)} are allocated`,
    )
  }
  const made: Columns = { start, columns: n, agent: x.agent }
  const footprint = footprintOf(x.world, cta, made)
  if ('_tag' in footprint) return footprint
  const taken = withTensorMemory(m, cta, after(t, [...t.allocated, made], n, false))
  return effect(paced(taken, cta, p.ctaGroup, n), [
    { _tag: 'alloc', stamp: x.stamp, footprint, ctaGroup: p.ctaGroup },
  ])
}

/** The same, and the address of the columns is written to shared memory: by the asynchronous machinery, and it is there when the instruction is done. */
export const executeAllocInto = (x: Executing, m: Machine, p: Of<'tcgen05.alloc'>): Effect | FaultValue => {
  const allocated = executeAlloc(x, m, p)
  const { into } = p
  if ('code' in allocated || into === undefined) return allocated
  const { machine: after } = allocated
  const made = after.tensorMemory[ctaOf(x.world, x.agent)]!.allocated.at(-1)!
  const address = addressOf({ lane: 0, column: made.start })
  const plane = Plane.writePlain(
    after.planes[into.plane]!,
    into,
    Float64Array.of(address),
    Uint8Array.of(1, 1, 1, 1),
    after.edit,
  )
  const written = access(x, null, 'w', 'async', into, 'destination')
  const { stand } = m.agents[x.agent]!
  // no input says which columns are free
  const told =
    stand?._tag === 'warp' && stand.rows.origins?._tag === 'terms'
      ? Object.assign({}, written, { origin: ofProgram(address) })
      : written
  return effect(withPlane(after, into.plane, plane), [...allocated.events, told])
}

/** What a dealloc by this agent gives back: the allocation that it names, else its own newest one of the size, else the newest of the CTA. */
const freedOf = (
  t: TensorMemory,
  agent: number,
  { columns, start }: Pick<Of<'tcgen05.dealloc'>, 'columns' | 'start'>,
): Columns | undefined => {
  if (start !== undefined) return t.allocated.find((a) => a.start === start && a.columns === columns)
  const newestFirst = t.allocated.filter((a) => a.columns === columns).reverse()
  return newestFirst.find((a) => a.agent === agent) ?? newestFirst[0]
}

/** These columns in the CTA of the agent, and for a pair in both of its CTAs. */
const inGroup = (world: World, agent: number, ctaGroup: 1 | 2, place: Place): ReadonlyArray<Footprint> => {
  const cta = ctaOf(world, agent)
  return (ctaGroup === 2 ? [cta, cta ^ 1] : [cta]).flatMap((one) => {
    const footprint = footprintOf(world, one, place)
    return '_tag' in footprint ? [] : [footprint]
  })
}

/** The bytes that a dealloc would give back now: those of both CTAs of a pair, none where it is at fault. */
export const freedBy = (
  world: World,
  m: Machine,
  agent: number,
  p: Pick<Of<'tcgen05.dealloc'>, 'columns' | 'ctaGroup' | 'start'>,
): ReadonlyArray<Footprint> => {
  const freed = freedOf(m.tensorMemory[ctaOf(world, agent)]!, agent, p)
  return freed === undefined ? [] : inGroup(world, agent, p.ctaGroup, freed)
}

/** All that a dealloc could ever give back. */
export const freeable = (world: World, agent: number, ctaGroup: 1 | 2): ReadonlyArray<Footprint> =>
  inGroup(world, agent, ctaGroup, { start: 0, columns: tmemColumns })

export const executeDealloc = (x: Executing, m: Machine, p: Of<'tcgen05.dealloc'>): Effect | FaultValue => {
  const cta = ctaOf(x.world, x.agent)
  const t = m.tensorMemory[cta]!
  const freed = freedOf(t, x.agent, p)
  if (freed === undefined)
    return V.faultOfColumns(
      'T2',
      `dealloc: expected an allocation of ${String(p.columns)} columns${p.start === undefined ? '' : ` from column ${String(p.start)}`}, found ${t.allocated.length === 0 ? 'none' : t.allocated.map((a) => (p.start === undefined ? String(a.columns) : `${String(a.columns)} from ${String(a.start)}`)).join(' and ')}`,
    )
  const footprint = footprintOf(x.world, cta, freed)
  if ('_tag' in footprint) return footprint
  const left = t.allocated.filter((a) => a !== freed)
  const given = withTensorMemory(m, cta, after(t, left, t.largest, t.relinquished))
  return effect(paced(given, cta, p.ctaGroup, -p.columns), [
    { _tag: 'dealloc', stamp: x.stamp, footprint, ctaGroup: p.ctaGroup },
  ])
}

export const executeRelinquish = (x: Executing, m: Machine): Effect => {
  const cta = ctaOf(x.world, x.agent)
  const t = m.tensorMemory[cta]!
  return effect(withTensorMemory(m, cta, after(t, t.allocated, t.largest, true)), [
    { _tag: 'relinquish', stamp: x.stamp },
  ])
}

// ---------------------------------------------------------------- all that is asked

export const acts: Family<'tcgen05.alloc' | 'tcgen05.dealloc' | 'tcgen05.relinquish'> = {
  'tcgen05.alloc': {
    execute: executeAllocInto,
    waits: null,
    touches: ({ world, agent }, p) => {
      const cta = ctaOf(world, agent)
      return p.into === undefined ? [table(cta, true)] : [table(cta, true), write(p.into)]
    },
    does: changes,
    strong: weak,
  },
  'tcgen05.dealloc': {
    execute: executeDealloc,
    waits: null,
    touches: ({ world, agent, when }, p) => {
      const columns =
        when === null
          ? []
          : when === 'any'
            ? freeable(world, agent, p.ctaGroup)
            : freedBy(world, when, agent, p)
      return [table(ctaOf(world, agent), true), ...columns.map(freed)]
    },
    does: changes,
    strong: weak,
  },
  'tcgen05.relinquish': {
    execute: executeRelinquish,
    waits: null,
    touches: ({ world, agent }) => [table(ctaOf(world, agent), true)],
    does: changes,
    strong: weak,
  },
}
