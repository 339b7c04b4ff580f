/**
 * wgmma: the warpgroup's matrix product, in the background.
 *
 * D (m x n, registers) = A (m x k) * B (k x n) [+ D]. One statement stands for the instructions of 64 rows and one k block each that
 * a warpgroup issues together; per output element they chain along k through the accumulator, in order, so the result is that of
 * the instructions one after another. Operands in shared memory are read through the view that the instruction names: a view that
 * disagrees with how the bytes were written reads the wrong elements, as on the chip.
 *
 * Performs in issue order of its agent (reads and writes at once) and completes by group.
 *
 * Where warps are agents, issue belongs to the warp and completion to the warpgroup. Each of the four warps issues its own part (`part`): 16 rows of D from
 * 16 rows of A and all of B. Its tensor core reads all of A where A is in shared memory, so a warp that multiplies what another has not written yet is a
 * race. The four must issue alike (`warpgroup.ts`), and a wait is for the groups of all four (`groups.ts`).
 *
 * Source: PTX ISA, asynchronous warpgroup-level matrix instructions.
 */
import * as O from 'fp-ts/lib/Option.js'
import { unmade, zeroOf } from '../../numerics/algebra.js'
import { isFloat } from '../../numerics/dtype.js'
import { bitCountMma } from '../../numerics/integer-product.js'
import type { InstructionOf } from '../language/instruction.js'
import type { LogEvent } from '../log/events.js'
import { conditionOperand, ctaOf, effect, type Effect, type Executing } from '../machine/effect.js'
import type { Environment } from '../machine/environment.js'
import type { Prepared, WgmmaInFlight } from '../machine/operation.js'
import * as Plane from '../machine/plane.js'
import { issuing, withInFlight, withPlane, type Machine } from '../machine/state.js'
import * as V from '../machine/value.js'
import { isFault, type FaultValue } from '../machine/value.js'
import type { World } from '../machine/world.js'
import { further } from './chain.js'
import { chosenRows, forgetting, matrices } from './matrix.js'
import { access } from './generic.js'
import { saying } from './warpgroup.js'
import { changes, untouched, weak, type Family, type Flights } from '../machine/family.js'
import { ofProduct } from '../machine/touches.js'

type Mma = Extract<Prepared, { readonly _tag: 'wgmma.mma' }>

// ---------------------------------------------------------------- reads and checks

export const prepareMma = (o: Environment, i: InstructionOf<'wgmma.mma'>): Prepared | FaultValue => {
  const product = matrices(o, 'wgmma', i, 1)
  if (isFault(product)) return product
  const { a, b, accumulator, types, m, n, k } = product
  const accumulates = conditionOperand(o, 'scaleD', i.scaleD)
  if (typeof accumulates !== 'boolean') return accumulates
  for (const [negates, dtype] of [
    [i.negateA, types.a],
    [i.negateB, types.b],
  ] as const)
    if (negates && (!isFloat(dtype) || O.isNone(o.world.algebra.unary('neg', 'rn', dtype))))
      return V.fault('algebra.lacks', `the ${o.world.algebra.name} algebra cannot negate ${dtype}`)
  return {
    _tag: 'wgmma.mma',
    a,
    b,
    accumulator,
    types,
    m,
    n,
    k,
    accumulates,
    negateA: i.negateA,
    negateB: i.negateB,
  }
}

// ---------------------------------------------------------------- effect

export const executeMma = (x: Executing, before: Machine, p: Mma): Effect | FaultValue => {
  const m = p.part === undefined ? before : saying(x.world, before, x.agent, p.part.first, p.part.says)
  if ('code' in m) return m
  const product: LogEvent = {
    _tag: 'issue',
    stamp: x.stamp,
    operation: m.issued,
    unit: 'wgmma',
    bytes: 0,
    macs: p.m * p.n * p.k,
    accumulates: p.accumulates,
  }
  const issue: LogEvent =
    p.counts === true
      ? Object.assign(product, { altered: 'counted' })
      : p.negateA === p.negateB
        ? product
        : Object.assign(product, { altered: 'negated' })
  const f: WgmmaInFlight = {
    _tag: 'wgmma',
    id: m.issued,
    agent: x.agent,
    at: x.stamp.at,
    stamp: x.stamp,
    mma: p,
    group: m.agents[x.agent]!.groups.wgmma + 1,
  }
  return effect(issuing(m, [f]), [issue])
}

// ---------------------------------------------------------------- completion

/** Only the oldest wgmma of an agent may perform. */
export const mmaHeld = (m: Machine, f: WgmmaInFlight): boolean =>
  m.inFlight.some((g) => g._tag === 'wgmma' && g.agent === f.agent && g.at < f.at)

interface Found {
  readonly offsets: Int32Array
  readonly origin: number
  readonly dtype: Mma['b']['dtype']
  readonly data: Float64Array | null
}
/** What was read of a plane that has not been written since: the warps of a group, and the groups of a CTA, read the same B. */
const readBefore = new WeakMap<Plane.Plane, Found[]>()

const readOnce = (plane: Plane.Plane, e: Mma['b']): Float64Array | null => {
  const all = readBefore.get(plane) ?? []
  const before = all.find((x) => x.offsets === e.offsets && x.origin === e.origin && x.dtype === e.dtype)
  if (before !== undefined) return before.data
  const { data } = Plane.read(plane, e)
  if (all.length === 0) readBefore.set(plane, all)
  all.push({ offsets: e.offsets, origin: e.origin, dtype: e.dtype, data })
  return data
}

type Product = ReturnType<World['algebra']['mma']>

/** A sparse product goes row by row, each with the rows of B that its stored elements meet. */
const multiplying = (algebra: World['algebra'], p: Mma): Product => {
  const { selected, m, n, k } = p
  if (selected === undefined) {
    const mma = algebra.mma(p.types, { m, n, k })
    return p.counts === true && (O.isNone(mma) || mma.value !== unmade)
      ? O.some(bitCountMma({ m, n, k }))
      : mma
  }
  const stored = k / 2
  const one = algebra.mma(p.types, { m: 1, n, k: stored })
  if (O.isNone(one) || one.value === unmade) return one
  return O.some((a, b, c) => {
    const d = new Float64Array(m * n)
    for (let row = 0; row < m; row++) {
      const own = selected.subarray(row * stored, (row + 1) * stored)
      const made = one.value(
        a.subarray(row * stored, (row + 1) * stored),
        chosenRows(b, n, own),
        c.subarray(row * n, (row + 1) * n),
      )
      d.set(made, row * n)
    }
    return d
  })
}

const productBefore = new WeakMap<Mma, { readonly algebra: World['algebra']; readonly product: Product }>()

/** The product of a warp's part is one object for all turns of its loop, and asks for its arithmetic once. */
const productOf = ({ algebra }: World, p: Mma): Product => {
  const before = productBefore.get(p)
  if (before?.algebra === algebra) return before.product
  const product = multiplying(algebra, p)
  if (p.part !== undefined) productBefore.set(p, { algebra, product })
  return product
}

const operand = (world: World, m: Machine, p: Mma, which: 'a' | 'b'): Float64Array | null => {
  const e = p[which]
  const plane = m.planes[e.plane]!
  const data = which === 'b' ? readOnce(plane, e) : Plane.read(plane, e).data
  const dtype = p.types[which]
  if (data === null || !(which === 'a' ? p.negateA : p.negateB) || !isFloat(dtype)) return data
  const neg = world.algebra.unary('neg', 'rn', dtype)
  return O.isNone(neg) ? data : data.map((v) => neg.value(v))
}

export const performMma = (world: World, m: Machine, f: WgmmaInFlight): Effect => {
  const p = f.mma
  const d = p.accumulator
  const mma = productOf(world, p)
  const isMade = O.isNone(mma) || mma.value !== unmade
  const a = isMade ? operand(world, m, p, 'a') : null
  const b = isMade ? operand(world, m, p, 'b') : null
  let written = world.algebra.memory === 'shadow' ? forgetting(m, d) : m
  if (a !== null && b !== null) {
    const plane = m.planes[d.plane]!
    const zeros = (): Float64Array => new Float64Array(p.m * p.n).fill(zeroOf(world.algebra, p.types))
    const before = (): Float64Array => (p.accumulates ? (Plane.read(plane, d).data ?? zeros()) : zeros())
    const made = O.isNone(mma) ? null : mma.value
    const after =
      made === null
        ? null
        : made.chain === undefined
          ? made(a, b, before())
          : further(made.chain, p, { a, b }, p.accumulates ? Plane.comingAt(plane, d) : null, before)
    // what is read again by the next product
    written = withPlane(m, d.plane, Plane.writeLate(plane, d, after, m.edit))
  }
  const reads: ReadonlyArray<LogEvent> = p.accumulates
    ? [access(f, f.id, 'r', 'async', d, 'accumulator')]
    : []
  return effect(
    withInFlight(
      written,
      written.inFlight.filter((g) => g !== f),
    ),
    [
      { _tag: 'perform', operation: f.id, stage: 'all', part: 0 },
      access(f, f.id, 'r', 'async', p.part?.a ?? p.a, 'a'),
      access(f, f.id, 'r', 'async', p.b, 'b'),
      ...reads,
      access(f, f.id, 'w', 'async', d, 'accumulator'),
      { _tag: 'signal', operation: f.id, part: 0, to: 'group', family: 'wgmma', side: 'full' },
    ],
  )
}

// ---------------------------------------------------------------- all that is asked

export const acts: Family<'wgmma.mma'> = {
  'wgmma.mma': { execute: executeMma, waits: null, touches: untouched, does: changes, strong: weak },
}

export const flights: Flights<'wgmma'> = {
  wgmma: {
    next: performMma,
    held: (_, m, f) => mmaHeld(m, f),
    touches: ({ mma }) => ofProduct([mma.part?.a ?? mma.a, mma.b], [mma.accumulator], mma.accumulates),
    ctas: (world, f) => [ctaOf(world, f.agent)],
  },
}
