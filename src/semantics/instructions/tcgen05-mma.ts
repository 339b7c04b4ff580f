/**
 * tcgen05.mma and tcgen05.commit: matrix products on tensor memory, in the background.
 *
 * D (m x n, tensor memory) = A (m x k, shared or tensor memory) * B (k x n, shared memory) [+ D]. One agent issues; its products and its commits
 * stand in one queue. A product reads and writes at once when it is its turn; a commit arrives on its barriers when everything
 * that its agent issued before it has been done and every earlier commit has arrived. A completion named by the product is a commit
 * right behind it.
 *
 *     mma D0 = A B       queue: mma                                offered: mma
 *     mma D1 = A C       queue: mma, mma                           offered: the first
 *     commit b           queue: mma, mma, commit                   b is reached after both
 *
 * | tensorPipe | a product waits for                                       | a commit waits for    |
 * |------------|-----------------------------------------------------------|-----------------------|
 * | issueOrder | all that is before it in the queue                        | all that is before it |
 * | documented | earlier products with the same accumulator and shape      | all that is before it |
 *
 * Operands in shared memory are read through the async proxy, tensor memory through its own. Not executed, and said so: cta_group 2, block
 * scales, sparsity.
 *
 * Laws
 * 1. Under `issueOrder` the effects of one agent's queue happen in the order of their issue, in every schedule.
 * 2. A product with completions equals the product without, followed by one commit for each completion whose predicate is true.
 *
 * Source: PTX ISA, tcgen05.mma, tcgen05.commit, memory consistency of tcgen05.
 */
import * as O from 'fp-ts/lib/Option.js'
import type { ExprNode } from '../expression.js'
import type { InstructionOf } from '../instruction.js'
import type { LogEvent } from '../log.js'
import {
  barrierOperand,
  conditionOperand,
  effect,
  intOperand,
  type Effect,
  type Executing,
  type Operands,
} from '../machine/effect.js'
import type { InFlight, Prepared, Tcgen05CommitInFlight, Tcgen05InFlight } from '../machine/operation.js'
import * as Plane from '../machine/plane.js'
import { issuing, withInFlight, withPlane, type Machine } from '../machine/state.js'
import * as V from '../machine/value.js'
import { isFault, type FaultValue } from '../machine/value.js'
import type { World } from '../machine/world.js'
import { access } from './generic.js'
import { reach } from './mbarrier.js'
import { matrices } from './matrix.js'
import { notAllocated, onePerGroup } from './tcgen05-memory.js'

type Of<K extends Prepared['_tag']> = Extract<Prepared, { readonly _tag: K }>

// ---------------------------------------------------------------- reads and checks

/** The barriers that a commit arrives on: its own, or the one at the same place in each CTA of the mask. */
const targets = (
  o: Operands,
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
    .map((c) => b.first + (c - o.at.cta) * o.world.barriersPerCta)
}

export const prepareCommit = (o: Operands, i: InstructionOf<'tcgen05.commit'>): Prepared | FaultValue => {
  const pair = onePerGroup(i._tag, i.ctaGroup)
  if (pair !== null) return pair
  const barriers = targets(o, i.barrier, i.multicast)
  return isTargets(barriers) ? { _tag: 'tcgen05.commit', barriers } : barriers
}

const isTargets = (x: ReadonlyArray<number> | FaultValue): x is ReadonlyArray<number> => !('_tag' in x)

const completionsOf = (
  o: Operands,
  i: InstructionOf<'tcgen05.mma'>,
): ReadonlyArray<ReadonlyArray<number>> | FaultValue => {
  const out: ReadonlyArray<number>[] = []
  for (const c of i.completions) {
    const when = conditionOperand(o, 'when', c.when)
    if (typeof when !== 'boolean') return when
    if (!when) continue
    const barriers = targets(o, c.barrier, c.multicast)
    if (!isTargets(barriers)) return barriers
    out.push(barriers)
  }
  return out
}

export const prepareMma = (o: Operands, i: InstructionOf<'tcgen05.mma'>): Prepared | FaultValue => {
  const pair = onePerGroup(i._tag, i.ctaGroup)
  if (pair !== null) return pair
  if (i.scaleA !== undefined || i.scaleB !== undefined)
    return V.fault('instruction.unsupported', 'tcgen05.mma: this machine has no block scales')
  if (i.sparsity !== undefined)
    return V.fault('instruction.unsupported', 'tcgen05.mma: this machine has no sparse operands')
  const product = matrices(o, 'tcgen05.mma', i)
  if (isFault(product)) return product
  const { a, b, accumulator, types, m, n, k } = product
  const accumulates = conditionOperand(o, 'accumulate', i.accumulate)
  if (typeof accumulates !== 'boolean') return accumulates
  const completions = completionsOf(o, i)
  if ('_tag' in completions) return completions
  return { _tag: 'tcgen05.mma', a, b, accumulator, types, m, n, k, accumulates, completions }
}

// ---------------------------------------------------------------- effects

/** A commit enters the queue: `part` tells the commits of one statement apart. */
const committing = (
  x: Executing,
  m: Machine,
  alone: boolean,
  part: number,
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
  const issue: LogEvent = {
    _tag: 'issue',
    stamp: x.stamp,
    operation: m.issued,
    unit: 'tcgen05',
    bytes: 0,
    macs: 0,
    accumulates: false,
    signals: barriers.length,
  }
  return { machine: issuing(m, [f]), issue }
}

export const executeMma = (x: Executing, m: Machine, p: Of<'tcgen05.mma'>): Effect | FaultValue => {
  const missing = notAllocated(x.world, m, 'accumulator', p.accumulator) ?? notAllocated(x.world, m, 'a', p.a)
  if (missing !== null) return missing
  const product: Tcgen05InFlight = {
    _tag: 'tcgen05',
    id: m.issued,
    agent: x.agent,
    at: x.stamp.at,
    stamp: x.stamp,
    mma: p,
  }
  const events: LogEvent[] = [
    {
      _tag: 'issue',
      stamp: x.stamp,
      operation: m.issued,
      unit: 'tcgen05',
      bytes: 0,
      macs: p.m * p.n * p.k,
      accumulates: p.accumulates,
      signals: 0,
      pipe: p.accumulator.footprint.id,
    },
  ]
  let issued = issuing(m, [product])
  p.completions.forEach((barriers, part) => {
    const commit = committing(x, issued, false, part, barriers)
    issued = commit.machine
    events.push(commit.issue)
  })
  return effect(issued, events)
}

export const executeCommit = (x: Executing, m: Machine, p: Of<'tcgen05.commit'>): Effect => {
  const { machine, issue } = committing(x, m, true, 0, p.barriers)
  return effect(machine, [issue])
}

// ---------------------------------------------------------------- completion

const inQueue = (f: InFlight): f is Tcgen05InFlight | Tcgen05CommitInFlight =>
  f._tag === 'tcgen05' || f._tag === 'tcgen05Commit'

/** Does `g`, which stands before `f` in the queue of their agent, hold it back? */
const before = (world: World, g: InFlight, f: Tcgen05InFlight | Tcgen05CommitInFlight): boolean =>
  world.tensorPipe === 'issueOrder' ||
  f._tag === 'tcgen05Commit' ||
  (g._tag === 'tcgen05' && g.mma.accumulator === f.mma.accumulator)

/** Operations in flight are in the order of their issue. */
export const held = (world: World, m: Machine, f: Tcgen05InFlight | Tcgen05CommitInFlight): boolean => {
  for (const g of m.inFlight) {
    if (g === f) return false
    if (g.agent === f.agent && inQueue(g) && before(world, g, f)) return true
  }
  return false
}

export const performMma = (world: World, m: Machine, f: Tcgen05InFlight): Effect => {
  const p = f.mma
  const d = p.accumulator
  const a = Plane.read(m.planes[p.a.plane]!, p.a.dtype, p.a.addresses).data
  const b = Plane.read(m.planes[p.b.plane]!, p.b.dtype, p.b.addresses).data
  let written = m
  if (a !== null && b !== null) {
    const zeros = (): Float64Array => new Float64Array(p.m * p.n).fill(world.algebra.constant(p.types.acc, 0))
    const c = p.accumulates ? (Plane.read(m.planes[d.plane]!, d.dtype, d.addresses).data ?? zeros()) : zeros()
    const mma = world.algebra.mma(p.types, { m: p.m, n: p.n, k: p.k })
    const out = O.isNone(mma) ? null : mma.value(a, b, c)
    written = withPlane(m, d.plane, Plane.write(m.planes[d.plane]!, d.dtype, d.addresses, out, m.edit))
  }
  const left = world.header.planes[p.a.plane]!.space === 'tmem' ? 'tensor' : 'async'
  const reads: ReadonlyArray<LogEvent> = p.accumulates
    ? [access(f, f.id, 'r', 'tensor', d, 'accumulator')]
    : []
  return effect(
    withInFlight(
      written,
      written.inFlight.filter((g) => g !== f),
    ),
    [
      { _tag: 'perform', operation: f.id, stage: 'all', part: 0 },
      access(f, f.id, 'r', left, p.a, 'a'),
      access(f, f.id, 'r', 'async', p.b, 'b'),
      ...reads,
      access(f, f.id, 'w', 'tensor', d, 'accumulator'),
    ],
  )
}

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
