/**
 * The tensor queue: in what order the products, copies, shifts and commits of one agent happen.
 *
 * An agent's entries stand in one queue, in the order of their issue. A product, a copy or a shift reads and writes at once when its turn
 * has come; a commit arrives on its barriers when everything that its agent issued before it has been done and every earlier commit has
 * arrived. A completion named by a product is a commit right behind it.
 *
 *     mma D0 = A B       queue: mma                                offered: mma
 *     mma D1 = A C       queue: mma, mma                           offered: the first
 *     commit b           queue: mma, mma, commit                   b is reached after both
 *
 * Which entry holds back a later one is the table of `log/tensor-queue.ts`, and all there is under `tensorPipe: documented`.
 * Under `issueOrder` every product holds back every later product, too, as shipped kernels take for granted; and a commit the products behind
 * it, which no agent can tell from a commit that is late.
 *
 * A pair of CTAs has no queue of its own: what acts on it stands in the queue of the agent that issued it.
 *
 * Laws
 * 1. Under `issueOrder` the products of one agent happen in the order of their issue, in every schedule.
 * 2. Else the table holds, and nothing more.
 * 3. A commit with a mask of n CTAs makes n arrivals, one in each.
 *
 * Source: PTX ISA, tcgen05.commit and the memory consistency of tcgen05 (pipelined pairs).
 */
import type { ExprNode } from '../language/expression.js'
import type { Completion, InstructionOf } from '../language/instruction.js'
import type { LogEvent, TensorEntry } from '../log/events.js'
import { holdsBack } from '../log/tensor-queue.js'
import {
  barrierOperand,
  conditionOperand,
  effect,
  intOperand,
  type Effect,
  type Executing,
} from '../machine/effect.js'
import type { Environment } from '../machine/environment.js'
import type {
  Elements,
  InFlight,
  Prepared,
  Tcgen05CommitInFlight,
  Tcgen05CopyInFlight,
  Tcgen05InFlight,
} from '../machine/operation.js'
import * as Footprints from '../machine/footprint.js'
import { issuing, withInFlight, type Machine } from '../machine/state.js'
import * as V from '../machine/value.js'
import { isFault, type FaultValue } from '../machine/value.js'
import { barrierIn } from '../machine/world.js'
import type { World } from '../machine/world.js'
import { reach } from './mbarrier.js'
import { changes, ctaOfBarrier, untouched, weak, type Family, type Flights } from '../machine/family.js'
import { count } from '../machine/touches.js'

type Of<K extends Prepared['_tag']> = Extract<Prepared, { readonly _tag: K }>
export type Queued = Tcgen05InFlight | Tcgen05CopyInFlight | Tcgen05CommitInFlight

// ---------------------------------------------------------------- reads and checks

/** The barriers that a commit arrives on: its own, or the one at the same place in each CTA of the mask. */
const targets = (
  o: Environment,
  barrier: ExprNode,
  multicast: ExprNode | undefined,
): ReadonlyArray<number> | FaultValue => {
  const b = barrierOperand(o, 'barrier', barrier)
  if (isFault(b)) return b
  if (multicast === undefined) return [b.first]
  const mask = intOperand(o, 'multicast', multicast)
  if (typeof mask !== 'number') return mask
  if (mask >>> o.world.ctas !== 0)
    return V.fault(
      'I2',
      `multicast: mask ${String(mask)} names a CTA outside of a cluster of ${String(o.world.ctas)}`,
    )
  return Array.from({ length: o.world.ctas }, (_, c) => c)
    .filter((c) => (mask & (1 << c)) !== 0)
    .map((c) => barrierIn(o.world, b.first, c))
}

const isTargets = (x: ReadonlyArray<number> | FaultValue): x is ReadonlyArray<number> => !('_tag' in x)

/** Where an agent stands: all that a pair is asked by. */
type Standing = Pick<Environment, 'world' | 'at'>

/** The CTA that acts with this one, or why there is none. */
export const peerOf = (o: Standing, name: string): number | FaultValue => {
  const peer = o.at.cta ^ 1
  return peer < o.world.ctas
    ? peer
    : V.fault(
        'M7',
        `${name}: cta_group 2 is for a pair of CTAs, and CTA ${String(o.at.cta)} of a cluster of ${String(o.world.ctas)} has no peer`,
      )
}

/** There is a pair, if one is needed. */
export const checkGroup = (o: Standing, name: string, ctaGroup: 1 | 2): FaultValue | null => {
  if (ctaGroup === 1) return null
  const peer = peerOf(o, name)
  return typeof peer === 'number' ? null : peer
}

/** The CTAs that an instruction acts on, the even one of a pair first, counted from the one that issues. */
export const ctasOf = (o: Standing, ctaGroup: 1 | 2): ReadonlyArray<number> =>
  ctaGroup === 1 ? [0] : [-(o.at.cta % 2), 1 - (o.at.cta % 2)]

/** The same offset in another CTA, perhaps further on. */
export const elsewhere = (world: World, e: Elements, ctas: number, bytes: number): Elements =>
  e.footprint.map._tag === 'view' && (ctas !== 0 || bytes !== 0)
    ? Footprints.ofLayout(
        world.footprints,
        e.plane + ctas * world.planesPerCta,
        e.dtype,
        e.footprint.map.layout,
        e.footprint.map.base + bytes,
      )
    : e

/** Operands are offsets in the memory of the CTA that issues. */
export const ownMemory = (o: Environment, field: string, e: Elements): FaultValue | null => {
  const cta = o.world.header.planes[e.plane]!.cta
  return cta === o.at.place * o.world.ctas + o.at.cta
    ? null
    : V.fault(
        'mma.remote',
        `${field}: expected memory of the CTA that issues, found that of CTA ${String(cta)}: an operand is an offset, the same in every CTA`,
      )
}

export const prepareCommit = (o: Environment, i: InstructionOf<'tcgen05.commit'>): Prepared | FaultValue => {
  const pair = checkGroup(o, i._tag, i.ctaGroup)
  if (pair !== null) return pair
  const barriers = targets(o, i.barrier, i.multicast)
  return isTargets(barriers) ? { _tag: 'tcgen05.commit', barriers, ctaGroup: i.ctaGroup } : barriers
}

/** The barriers of each completion whose predicate is true. */
export const completionsOf = (
  o: Environment,
  completions: ReadonlyArray<Completion>,
): ReadonlyArray<ReadonlyArray<number>> | FaultValue => {
  const out: ReadonlyArray<number>[] = []
  for (const c of completions) {
    const when = conditionOperand(o, 'when', c.when)
    if (typeof when !== 'boolean') return when
    if (!when) continue
    const barriers = targets(o, c.barrier, c.multicast)
    if (!isTargets(barriers)) return barriers
    out.push(barriers)
  }
  return out
}

// ---------------------------------------------------------------- effects

/** The issue of an entry that signals no barrier by itself. */
export const issueOf = (
  x: Executing,
  m: Machine,
  tensor: TensorEntry,
  ctaGroup: 1 | 2,
  bytes: number,
  macs: number,
  accumulates: boolean,
  pipe: number,
  signals: number,
): LogEvent => ({
  _tag: 'issue',
  stamp: x.stamp,
  operation: m.issued,
  unit: 'tcgen05',
  bytes,
  macs,
  accumulates,
  signals,
  pipe,
  tensor,
  ctaGroup,
})

/** A commit enters the queue: `part` tells the commits of one statement apart. */
export const committing = (
  x: Executing,
  m: Machine,
  alone: boolean,
  part: number,
  ctaGroup: 1 | 2,
  barriers: ReadonlyArray<number>,
): { readonly machine: Machine; readonly issue: LogEvent } => {
  const f: Tcgen05CommitInFlight = {
    _tag: 'tcgen05Commit',
    id: m.issued,
    agent: x.agent,
    at: x.stamp.at,
    stamp: x.stamp,
    alone,
    part,
    barriers,
  }
  const issue = issueOf(x, m, 'commit', ctaGroup, 0, 0, false, 0, barriers.length)
  return { machine: issuing(m, [f]), issue }
}

export const executeCommit = (x: Executing, m: Machine, p: Of<'tcgen05.commit'>): Effect => {
  const { machine, issue } = committing(x, m, true, 0, p.ctaGroup, p.barriers)
  return effect(machine, [issue])
}

// ---------------------------------------------------------------- order

const inQueue = (f: InFlight): f is Queued =>
  f._tag === 'tcgen05' || f._tag === 'tcgen05Copy' || f._tag === 'tcgen05Commit'

const entryOf = (f: Queued): TensorEntry => {
  switch (f._tag) {
    case 'tcgen05':
      return 'mma'
    case 'tcgen05Copy':
      return f.copy.entry
    case 'tcgen05Commit':
      return 'commit'
  }
}

/** Does `first`, which stands before `then` in the queue of their agent, hold it back by the table (`log/tensor-queue.ts`)? */
export const pipelined = (first: Queued, then: Queued): boolean =>
  holdsBack(
    entryOf(first),
    entryOf(then),
    first._tag === 'tcgen05' && then._tag === 'tcgen05' && first.mma.pipe === then.mma.pipe,
  )

const isProductOrCommit = (f: Queued): boolean => f._tag !== 'tcgen05Copy'

/** Operations in flight are in the order of their issue. */
export const held = (world: World, m: Machine, f: Queued): boolean => {
  for (const g of m.inFlight) {
    if (g === f) return false
    if (g.agent !== f.agent || !inQueue(g)) continue
    if (
      pipelined(g, f) ||
      (world.tensorPipe === 'issueOrder' && isProductOrCommit(g) && isProductOrCommit(f))
    )
      return true
  }
  return false
}

// ---------------------------------------------------------------- completion

/** A commit arrives, once on each of its barriers. */
export const arrive = (m: Machine, f: Tcgen05CommitInFlight): Effect => {
  const arrived = f.barriers.reduce((n, b) => reach(n, b, 1, 0, 0), m)
  const signals = f.barriers.map((barrier, i): LogEvent => ({
    _tag: 'signal',
    operation: f.id,
    part: f.part + i,
    to: 'arrive',
    barrier,
  }))
  return effect(
    withInFlight(
      arrived,
      arrived.inFlight.filter((g) => g !== f),
    ),
    [{ _tag: 'perform', operation: f.id, stage: 'all', part: 0 }, ...signals],
  )
}

// ---------------------------------------------------------------- all that is asked

export const acts: Family<'tcgen05.commit'> = {
  'tcgen05.commit': { execute: executeCommit, waits: null, touches: untouched, does: changes, strong: weak },
}

export const flights: Flights<'tcgen05Commit'> = {
  tcgen05Commit: {
    next: (_, m, f) => arrive(m, f),
    held,
    touches: (f) => f.barriers.map((b) => count(b, 1, 0)),
    ctas: (world, f) => f.barriers.map((b) => ctaOfBarrier(world, b)),
  },
}
