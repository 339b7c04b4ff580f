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
 * Block scales multiply a row of A, and a column of B, `block` elements of k at a time; they lie in tensor memory, once in each
 * quarter of the lanes, and a CTA of a pair has those of its rows of A and of all columns. (All copies are read; that they are equal is the
 * kernel's business, and the first one counts.) A sparse A holds half of k, and words that say which
 * (`layouts/tensor-memory/sparsity.ts`): its row i is multiplied by those rows of B.
 *
 *     f16, row stored (5, 7), metadata 1000: 5 B[0, :] + 7 B[2, :]
 *
 * A descriptor of PTX may turn the signs of A and of B (`negates`), and an instruction may divide the old accumulator by a power of two, rounded to its
 * dtype, before it enters the sum (`shift`).
 *
 * A weight-stationary product (`.ws`) keeps B and lets A stream by: of one CTA, without scales, of 32, 64 or 128 rows. It is the same sum; D lies in its own
 * data path, and such products are pipelined with each other alone.
 *
 * Operands in shared memory are read through the async proxy, tensor memory through its own; both CTAs' accesses stand in the log.
 *
 * Laws
 * 1. A product with completions equals the product without, followed by one commit for each completion whose predicate is true.
 * 2. The product of a pair is the product of the stacked A by the joined B, cut into rows.
 * 3. A block-scaled product is that of the dequantised operands, where the arithmetic is exact.
 * 4. A sparse product is the dense one of A with zeros put in, where B is finite.
 *
 * @fidelity documented; model: a sparse instruction adds its stored products in one shot, like a dense one of as many; the division by a power of two
 * is a rounding of its own.
 *
 * Source: PTX ISA, tcgen05.mma; CUTLASS's CuTe partition of a pair.
 */
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import { kindOf, type MmaKind } from '../../layouts/shared-memory/instruction-descriptor.js'
import { tmemLaneBytes } from '../../layouts/tensor-memory/geometry.js'
import { rowInTensorMemory, storedAt } from '../../layouts/tensor-memory/sparsity.js'
import { ofKind, zeroOf } from '../../numerics/algebra.js'
import { isFloat } from '../../numerics/dtype.js'
import type { InstructionOf } from '../language/instruction.js'
import type { LogEvent } from '../log/events.js'
import { conditionOperand, effect, type Effect, type Executing } from '../machine/effect.js'
import type { Environment } from '../machine/environment.js'
import type { Elements, Prepared, Share, Tcgen05InFlight } from '../machine/operation.js'
import * as Plane from '../machine/plane.js'
import { issuing, withInFlight, withPlane, type Machine } from '../machine/state.js'
import * as V from '../machine/value.js'
import { isFault, type FaultValue } from '../machine/value.js'
import type { World } from '../machine/world.js'
import { access } from './generic.js'
import { chosenRows, forgetting, matrices } from './matrix.js'
import { notAllocatedInGroup } from './tcgen05-memory.js'
import {
  checkGroup,
  committing,
  completionsOf,
  ctasOf,
  elsewhere,
  held,
  issueOf,
  ownMemory,
} from './tcgen05-queue.js'
import { changes, ctasOfElements, weak, type Family, type Flights } from '../machine/family.js'
import { columns, ofProduct } from '../machine/touches.js'

type Of<K extends Prepared['_tag']> = Extract<Prepared, { readonly _tag: K }>

// ---------------------------------------------------------------- reads and checks

export const halfOfLanes = 64
/** First lanes of the quarters: each has its own copy of the scales. */
export const quarters: ReadonlyArray<number> = [0, 32, 64, 96]

/** A number for what must be equal, beside the accumulator, for two products to be pipelined. */
export const pipeOf = (
  accumulator: Elements,
  kind: MmaKind,
  isSparse: boolean,
  weightStationary: boolean = false,
): number =>
  accumulator.footprint.id * kindNumbers +
  kindNumber[kind] +
  (isSparse ? sparseKinds : 0) +
  (weightStationary ? stationaryKinds : 0)
const kindNumbers = 16
const kindNumber: Readonly<Record<MmaKind, number>> = {
  i8: 0,
  tf32: 1,
  f16: 2,
  f8f6f4: 3,
  mxf4: 4,
  mxf4nvf4: 5,
  mxf8f6f4: 7,
}
/** The same, of a sparse A. */
const sparseKinds = 8
/** The same, of weight-stationary products: behind all that others can have. */
const stationaryKinds = 2 ** 40

export const prepareMma = (o: Environment, i: InstructionOf<'tcgen05.mma'>): Prepared | FaultValue => {
  const pair = checkGroup(o, i._tag, i.ctaGroup)
  if (pair !== null) return pair
  const product = matrices(o, 'tcgen05.mma', i, i.ctaGroup)
  if (isFault(product)) return product
  const { a, b, accumulator, types, m, n, k, scales, sparsity } = product
  const foreign = ownMemory(o, 'a', a) ?? ownMemory(o, 'b', b) ?? ownMemory(o, 'accumulator', accumulator)
  if (foreign !== null) return foreign
  const accumulates = conditionOperand(o, 'accumulate', i.accumulate)
  if (typeof accumulates !== 'boolean') return accumulates
  const completions = completionsOf(o, i.completions)
  if ('_tag' in completions) return completions
  const { world } = o
  const ctas = ctasOf(o, i.ctaGroup)
  // 64 rows in each CTA of a pair: the columns of D are in two halves of the lanes, and what they need lies in both
  const halves = i.ctaGroup === 2 && m === halfOfLanes
  const twice = halves && world.header.planes[a.plane]!.space === 'tmem'
  const copies = (e: Elements | null, to: number, lanes: ReadonlyArray<number>): ReadonlyArray<Elements> =>
    e === null ? [] : lanes.map((lane) => elsewhere(world, e, to, lane * tmemLaneBytes))
  return {
    _tag: 'tcgen05.mma',
    shares: ctas.map((to): Share => ({
      a: twice
        ? [elsewhere(world, a, to, 0), elsewhere(world, a, to, halfOfLanes * tmemLaneBytes)]
        : [elsewhere(world, a, to, 0)],
      accumulator: elsewhere(world, accumulator, to, 0),
      scaleA: copies(scales?.a ?? null, to, quarters),
      scaleB: copies(scales?.b ?? null, to, halves ? quarters.slice(0, 2) : quarters),
      sparsity: sparsity === null ? null : elsewhere(world, sparsity, to, 0),
    })),
    b: ctas.map((to) => elsewhere(world, b, to, 0)),
    types,
    scaling: scales === null ? null : { dtype: scales.dtype, block: scales.block },
    m,
    n,
    k,
    accumulates,
    ctaGroup: i.ctaGroup,
    pipe: pipeOf(
      accumulator,
      kindOf(types.a, types.b, scales),
      sparsity !== null,
      i.weightStationary === true,
    ),
    completions,
  }
}

// ---------------------------------------------------------------- effects

/** A CTA has not the tensor memory that the product is about. */
const notThere = (x: Executing, m: Machine, p: Of<'tcgen05.mma'>): FaultValue | null => {
  const missing = (field: string, e: Elements): FaultValue | null =>
    notAllocatedInGroup(x.world, m, p.ctaGroup, field, e)
  for (const share of p.shares)
    for (const [field, places] of [
      ['accumulator', [share.accumulator]],
      ['a', share.a],
      ['scaleA', share.scaleA],
      ['scaleB', share.scaleB],
      ['sparsity', share.sparsity === null ? [] : [share.sparsity]],
    ] as const)
      for (const e of places) {
        const found = missing(field, e)
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
  const plain = issueOf(x, m, 'mma', p.ctaGroup, 0, macs, p.accumulates, p.pipe, 0)
  const isNegated = p.negates !== undefined && p.negates.a !== p.negates.b
  const isDivided = p.accumulates && p.shift !== undefined && p.shift !== 0
  const events: LogEvent[] = [
    isNegated
      ? Object.assign(plain, { altered: 'negated' })
      : isDivided
        ? Object.assign(plain, { altered: 'divided' })
        : plain,
  ]
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

/** The elements of A, or of B, with the sign that the product takes them with. */
const operandOf = (
  world: World,
  m: Machine,
  p: Of<'tcgen05.mma'>,
  side: 'a' | 'b',
  e: Elements,
): Float64Array | null => {
  const data = dataOf(m, e)
  const dtype = p.types[side]
  if (data === null || p.negates?.[side] !== true || !isFloat(dtype)) return data
  const neg = world.algebra.unary('neg', 'rn', dtype)
  return O.isNone(neg) ? data : data.map((x) => neg.value(x))
}

/** What of the old accumulator enters the sum. */
const oldOf = (world: World, m: Machine, p: Of<'tcgen05.mma'>, d: Elements): Float64Array | null => {
  const data = p.accumulates ? dataOf(m, d) : null
  const { acc } = p.types
  if (data === null || p.shift === undefined || p.shift === 0 || !isFloat(acc)) return data
  const times = world.algebra.binary('mul', acc)
  const factor = world.algebra.constant(acc, 2 ** -p.shift)
  return O.isNone(times) ? data : data.map((x) => times.value(x, factor))
}

/** Columns [from, from + count) of a matrix of `n` columns. */
const columnsFrom = (x: Float64Array, n: number, from: number, count: number): Float64Array => {
  if (count === n) return x
  const rows = x.length / n
  const out = new Float64Array(rows * count)
  for (let r = 0; r < rows; r++) out.set(x.subarray(r * n + from, r * n + from + count), r * count)
  return out
}

/** Matrices of `rows` rows side by side. */
const joined = (xs: ReadonlyArray<Float64Array>, rows: number): Float64Array => {
  const width = xs.reduce((n, x) => n + x.length, 0) / rows
  const out = new Float64Array(rows * width)
  let from = 0
  for (const x of xs) {
    const columns = x.length / rows
    for (let r = 0; r < rows; r++) out.set(x.subarray(r * columns, (r + 1) * columns), r * width + from)
    from += columns
  }
  return out
}

/** D = C + A B of some columns, A's rows as they are stored. Null for an algebra that has no such product. */
type Multiply = (
  a: Float64Array,
  b: Float64Array,
  sb: Float64Array | null,
  c: Float64Array,
) => Float64Array | null

/** The product of `rows` rows by `n` columns over `k` stored elements; `sa` are the scales of the rows. */
const dense = (
  world: World,
  p: Of<'tcgen05.mma'>,
  rows: number,
  n: number,
  k: number,
  sa: Float64Array | null,
): Multiply => {
  const shape = { m: rows, n, k }
  if (p.scaling === null || sa === null) {
    const mma = world.algebra.mma(p.types, shape)
    return (a, b, _sb, c) => (O.isNone(mma) ? null : mma.value(a, b, c))
  }
  const { dtype, block, kind } = p.scaling
  const { a: left, b: right, acc } = p.types
  const mma =
    acc === 'i32'
      ? O.none
      : world.algebra.scaledMma(ofKind(kind, { a: left, b: right, acc, scale: dtype, block }), shape)
  return (a, b, sb, c) => (O.isNone(mma) || sb === null ? null : mma.value(a, b, sa, sb, c))
}

/** Row by row: a row of a sparse A meets those rows of B that its metadata name. */
const sparse = (
  world: World,
  p: Of<'tcgen05.mma'>,
  n: number,
  words: Float64Array,
  sa: Float64Array | null,
): Multiply | FaultValue => {
  const stored = p.k / 2
  const wordsOfLane = words.length / p.m
  const blocks = sa === null ? 0 : sa.length / p.m
  const selected: Int32Array[] = []
  for (let row = 0; row < p.m; row++) {
    const at = storedAt(p.types.a, rowInTensorMemory(p.types.a, words, wordsOfLane, row), p.k)
    if (E.isLeft(at)) return V.fault('mma.sparsity', `row ${String(row)}: ${at.left.message}`)
    selected.push(at.right)
  }
  return (a, b, sb, c) => {
    const out = new Float64Array(p.m * n)
    for (let row = 0; row < p.m; row++) {
      const chosen = chosenRows(b, n, selected[row]!)
      const scales = sa === null ? null : sa.subarray(row * blocks, (row + 1) * blocks)
      const one = dense(
        world,
        p,
        1,
        n,
        stored,
        scales,
      )(a.subarray(row * stored, (row + 1) * stored), chosen, sb, c.subarray(row * n, (row + 1) * n))
      if (one === null) return null
      out.set(one, row * n)
    }
    return out
  }
}

/** The new rows of D of one CTA, by the columns of each B. */
const multiplied = (
  world: World,
  m: Machine,
  p: Of<'tcgen05.mma'>,
  share: Share,
  bs: ReadonlyArray<Float64Array>,
): Float64Array | FaultValue | null => {
  const d = share.accumulator
  const as = share.a.map((e) => operandOf(world, m, p, 'a', e))
  const old = oldOf(world, m, p, d)
  const firstOf = (places: ReadonlyArray<Elements>): Float64Array | null =>
    places[0] === undefined ? null : dataOf(m, places[0])
  const sa = firstOf(share.scaleA)
  const sb = firstOf(share.scaleB)
  const words = share.sparsity === null ? null : dataOf(m, share.sparsity)
  const columns = p.n / bs.length
  const multiply =
    words === null ? dense(world, p, p.m, columns, p.k, sa) : sparse(world, p, columns, words, sa)
  if (isFault(multiply)) return multiply
  const out = new Float64Array(p.m * p.n)
  for (const [j, b] of bs.entries()) {
    const a = as[j % as.length] ?? null
    if (a === null) return null
    const c =
      old === null
        ? new Float64Array(p.m * columns).fill(zeroOf(world.algebra, p.types))
        : columnsFrom(old, p.n, j * columns, columns)
    const scales =
      sb === null ? null : sb.subarray((j * sb.length) / bs.length, ((j + 1) * sb.length) / bs.length)
    const part = multiply(a, b, scales, c)
    if (part === null || bs.length === 1) return part
    for (let r = 0; r < p.m; r++)
      out.set(part.subarray(r * columns, (r + 1) * columns), r * p.n + j * columns)
  }
  return out
}

/** The machine with what a product makes. */
const withProduct = (world: World, m: Machine, p: Of<'tcgen05.mma'>): Machine | FaultValue => {
  if (world.algebra.memory === 'shadow')
    return p.shares.reduce((after, { accumulator }) => forgetting(after, accumulator), m)
  const each = p.b.flatMap((e): ReadonlyArray<Float64Array> => {
    const data = operandOf(world, m, p, 'b', e)
    return data === null ? [] : [data]
  })
  // the columns of one product do not know of each other: one A for all of them is one product
  const plain = p.scaling === null && p.shares.every((s) => s.a.length === 1 && s.sparsity === null)
  const bs = plain && each.length > 1 && each.length === p.b.length ? [joined(each, p.k)] : each
  // all is read before anything is written
  const results = bs.length === 0 ? [] : p.shares.map((share) => multiplied(world, m, p, share, bs))
  const wrong = results.find(isFault)
  if (wrong !== undefined) return wrong
  let written = m
  p.shares.forEach(({ accumulator: d }, v) => {
    const out = results[v] ?? null
    if (out !== null && !isFault(out))
      written = withPlane(written, d.plane, Plane.write(written.planes[d.plane]!, d, out, m.edit))
  })
  return written
}

export const performMma = (world: World, m: Machine, f: Tcgen05InFlight): Effect | FaultValue => {
  const p = f.mma
  const written = withProduct(world, m, p)
  if ('code' in written) return written
  const events: LogEvent[] = [{ _tag: 'perform', operation: f.id, stage: 'all', part: 0 }]
  for (const { a } of p.shares)
    for (const e of a) {
      const proxy = world.header.planes[e.plane]!.space === 'tmem' ? 'tensor' : 'async'
      events.push(access(f, f.id, 'r', proxy, e, 'a'))
    }
  for (const share of p.shares) {
    for (const e of share.scaleA) events.push(access(f, f.id, 'r', 'tensor', e, 'scaleA'))
    for (const e of share.scaleB) events.push(access(f, f.id, 'r', 'tensor', e, 'scaleB'))
    if (share.sparsity !== null) events.push(access(f, f.id, 'r', 'tensor', share.sparsity, 'sparsity'))
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

// ---------------------------------------------------------------- all that is asked

/** All that a product on tensor memory reads beside the accumulator, and all accumulators. */
const operandsOf = (p: Of<'tcgen05.mma'>): ReadonlyArray<Elements> => [
  ...p.shares.flatMap((share) => [
    ...share.a,
    ...share.scaleA,
    ...share.scaleB,
    ...(share.sparsity === null ? [] : [share.sparsity]),
  ]),
  ...p.b,
]
const accumulatorsOf = (p: Of<'tcgen05.mma'>): ReadonlyArray<Elements> =>
  p.shares.map((share) => share.accumulator)

export const acts: Family<'tcgen05.mma'> = {
  'tcgen05.mma': {
    execute: executeMma,
    waits: null,
    touches: ({ world }, p) => columns(world, [...operandsOf(p), ...accumulatorsOf(p)]),
    does: changes,
    strong: weak,
  },
}

export const flights: Flights<'tcgen05'> = {
  tcgen05: {
    next: performMma,
    held,
    touches: ({ mma }) => ofProduct(operandsOf(mma), accumulatorsOf(mma), mma.accumulates),
    ctas: (world, { mma }) => ctasOfElements(world, [...operandsOf(mma), ...accumulatorsOf(mma)]),
  },
}
