/**
 * tcgen05.mma: matrix products on tensor memory, in the background.
 *
 * D (m x n, tensor memory) = A (m x k, shared or tensor memory) * B (k x n, shared memory) [+ D]. One agent issues; the product stands in its tensor
 * queue (`tcgen05-queue.ts`) and reads and writes at once when its turn has come.
 *
 * With cta_group 2 a pair of CTAs acts as one. One agent of the even CTA issues. Its operands are offsets that are valid in both CTAs: each CTA has
 * its rows of A, its columns of B and its rows of D at the same place of its own memory.
 *
 *     M = 256, N = 64, K = 16      CTA 0                        CTA 1
 *     A in shared memory           rows 0 .. 127                rows 128 .. 255
 *     B in shared memory           columns 0 .. 31              columns 32 .. 63
 *     D in tensor memory           rows 0 .. 127, 64 columns    rows 128 .. 255, 64 columns
 *
 * So the views of the instruction are those of one CTA: A (128, 16), B (16, 32), D (128, 64), and CTA v computes
 * D_v = A_v [B_0 B_1]. With 64 rows in each CTA a left operand in tensor memory lies there twice: lanes 0 .. 63 meet the first half of the
 * columns, lanes 64 .. 127 the second.
 *
 * Operands in shared memory are read through the async proxy, tensor memory through its own; both CTAs' accesses stand in the log.
 *
 * Laws
 * 1. A product with completions equals the product without, followed by one commit for each completion whose predicate is true.
 * 2. The product of a pair is the product of the stacked A by the joined B, cut into rows.
 *
 * Source: PTX ISA, tcgen05.mma; CUTLASS's CuTe partition of a pair.
 */
import * as O from 'fp-ts/lib/Option.js'
import { tmemLaneBytes } from '../../layouts/tensor-memory/geometry.js'
import type { InstructionOf } from '../instruction.js'
import type { LogEvent } from '../log.js'
import { conditionOperand, effect, type Effect, type Executing, type Operands } from '../machine/effect.js'
import type { Elements, Prepared, Share, Tcgen05InFlight } from '../machine/operation.js'
import * as Plane from '../machine/plane.js'
import { issuing, withInFlight, withPlane, type Machine } from '../machine/state.js'
import * as V from '../machine/value.js'
import { isFault, type FaultValue } from '../machine/value.js'
import type { World } from '../machine/world.js'
import { access } from './generic.js'
import { matrices } from './matrix.js'
import { notAllocatedInGroup } from './tcgen05-memory.js'
import {
  checkGroup,
  committing,
  completionsOf,
  ctasOf,
  elsewhere,
  issueOf,
  ownMemory,
} from './tcgen05-queue.js'

type Of<K extends Prepared['_tag']> = Extract<Prepared, { readonly _tag: K }>

// ---------------------------------------------------------------- reads and checks

const halfOfLanes = 64

export const prepareMma = (o: Operands, i: InstructionOf<'tcgen05.mma'>): Prepared | FaultValue => {
  const pair = checkGroup(o, i._tag, i.ctaGroup)
  if (pair !== null) return pair
  if (i.scaleA !== undefined || i.scaleB !== undefined)
    return V.fault('instruction.unsupported', 'tcgen05.mma: this machine has no block scales')
  if (i.sparsity !== undefined)
    return V.fault('instruction.unsupported', 'tcgen05.mma: this machine has no sparse operands')
  const product = matrices(o, 'tcgen05.mma', i, i.ctaGroup)
  if (isFault(product)) return product
  const { a, b, accumulator, types, m, n, k } = product
  const foreign = ownMemory(o, 'a', a) ?? ownMemory(o, 'b', b) ?? ownMemory(o, 'accumulator', accumulator)
  if (foreign !== null) return foreign
  const accumulates = conditionOperand(o, 'accumulate', i.accumulate)
  if (typeof accumulates !== 'boolean') return accumulates
  const completions = completionsOf(o, i.completions)
  if ('_tag' in completions) return completions
  const { world } = o
  const ctas = ctasOf(o, i.ctaGroup)
  const twice = i.ctaGroup === 2 && m === halfOfLanes && world.header.planes[a.plane]!.space === 'tmem'
  return {
    _tag: 'tcgen05.mma',
    shares: ctas.map((to): Share => ({
      a: twice
        ? [elsewhere(world, a, to, 0), elsewhere(world, a, to, halfOfLanes * tmemLaneBytes)]
        : [elsewhere(world, a, to, 0)],
      accumulator: elsewhere(world, accumulator, to, 0),
    })),
    b: ctas.map((to) => elsewhere(world, b, to, 0)),
    types,
    m,
    n,
    k,
    accumulates,
    ctaGroup: i.ctaGroup,
    pipe: accumulator.footprint.id,
    completions,
  }
}

// ---------------------------------------------------------------- effects

/** A CTA has not the tensor memory that the product is about. */
const notThere = (x: Executing, m: Machine, p: Of<'tcgen05.mma'>): FaultValue | null => {
  const missing = (field: string, e: Elements): FaultValue | null =>
    notAllocatedInGroup(x.world, m, p.ctaGroup, field, e)
  for (const { a, accumulator } of p.shares) {
    const found =
      missing('accumulator', accumulator) ??
      a.reduce<FaultValue | null>((before, e) => before ?? missing('a', e), null)
    if (found !== null) return found
  }
  return null
}

export const executeMma = (x: Executing, m: Machine, p: Of<'tcgen05.mma'>): Effect | FaultValue => {
  const missing = notThere(x, m, p)
  if (missing !== null) return missing
  const product: Tcgen05InFlight = {
    _tag: 'tcgen05',
    id: m.issued,
    agent: x.agent,
    at: x.stamp.at,
    stamp: x.stamp,
    mma: p,
  }
  const macs = p.m * p.n * p.k * p.shares.length
  const events: LogEvent[] = [issueOf(x, m, 'mma', p.ctaGroup, 0, macs, p.accumulates, p.pipe, 0)]
  let issued = issuing(m, [product])
  p.completions.forEach((barriers, part) => {
    const commit = committing(x, issued, false, part, p.ctaGroup, barriers)
    issued = commit.machine
    events.push(commit.issue)
  })
  return effect(issued, events)
}

// ---------------------------------------------------------------- completion

const dataOf = (m: Machine, e: Elements): Float64Array | null => Plane.read(m.planes[e.plane]!, e).data

/** Columns [from, from + count) of a matrix of `n` columns. */
const columnsFrom = (x: Float64Array, n: number, from: number, count: number): Float64Array => {
  if (count === n) return x
  const rows = x.length / n
  const out = new Float64Array(rows * count)
  for (let r = 0; r < rows; r++) out.set(x.subarray(r * n + from, r * n + from + count), r * count)
  return out
}

/** The new rows of D of one CTA, by the columns of each B. */
const multiplied = (
  world: World,
  m: Machine,
  p: Of<'tcgen05.mma'>,
  share: Share,
  bs: ReadonlyArray<Float64Array>,
): Float64Array | null => {
  const d = share.accumulator
  const as = share.a.map((e) => dataOf(m, e))
  const old = p.accumulates ? dataOf(m, d) : null
  const columns = p.n / bs.length
  const out = new Float64Array(p.m * p.n)
  const mma = world.algebra.mma(p.types, { m: p.m, n: columns, k: p.k })
  for (const [j, b] of bs.entries()) {
    const a = as[j % as.length] ?? null
    if (a === null || O.isNone(mma)) return null
    const c =
      old === null
        ? new Float64Array(p.m * columns).fill(world.algebra.constant(p.types.acc, 0))
        : columnsFrom(old, p.n, j * columns, columns)
    const part = mma.value(a, b, c)
    if (bs.length === 1) return part
    for (let r = 0; r < p.m; r++)
      out.set(part.subarray(r * columns, (r + 1) * columns), r * p.n + j * columns)
  }
  return out
}

export const performMma = (world: World, m: Machine, f: Tcgen05InFlight): Effect => {
  const p = f.mma
  const bs = p.b.flatMap((e): ReadonlyArray<Float64Array> => {
    const data = dataOf(m, e)
    return data === null ? [] : [data]
  })
  // all is read before anything is written
  const results = bs.length === 0 ? [] : p.shares.map((share) => multiplied(world, m, p, share, bs))
  let written = m
  p.shares.forEach(({ accumulator: d }, v) => {
    const out = results[v] ?? null
    if (out !== null)
      written = withPlane(written, d.plane, Plane.write(written.planes[d.plane]!, d, out, m.edit))
  })
  const events: LogEvent[] = [{ _tag: 'perform', operation: f.id, stage: 'all', part: 0 }]
  for (const { a } of p.shares)
    for (const e of a) {
      const proxy = world.header.planes[e.plane]!.space === 'tmem' ? 'tensor' : 'async'
      events.push(access(f, f.id, 'r', proxy, e, 'a'))
    }
  for (const e of p.b) events.push(access(f, f.id, 'r', 'async', e, 'b'))
  if (p.accumulates)
    for (const { accumulator } of p.shares)
      events.push(access(f, f.id, 'r', 'tensor', accumulator, 'accumulator'))
  for (const { accumulator } of p.shares)
    events.push(access(f, f.id, 'w', 'tensor', accumulator, 'accumulator'))
  return effect(
    withInFlight(
      written,
      written.inFlight.filter((g) => g !== f),
    ),
    events,
  )
}
