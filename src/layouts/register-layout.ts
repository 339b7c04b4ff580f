/**
 * Register layouts: the one question every kind answers, which element does this lane's register hold?
 *
 *     elementOf: (warp, lane, register) -> index of an array of a given shape
 *
 * The union of tiled, strided, splat and linear layouts. Here `register` counts *elements* of a lane: register times
 * vector length plus position, for the kinds that have vectors, so the order is that of a PTX fragment.
 *
 *     WGMMA on (64, 8):  warp 1, lane 5, registers 0..3  ->  [17, 2] [17, 3] [25, 2] [25, 3]
 *
 * A reduction over an axis combines elements in a *defined order*, a function of the layout alone: in every lane its
 * registers in row-major tiled order, each vector position apart; then the positions left to right; then lanes by
 * xor-butterfly from the smallest stride; then warps upwards. For a row of WGMMA, columns 8j + 2c + v:
 *
 *     s(c, v) = left fold over j;   s(c) = s(c, 0) + s(c, 1);   result = (s(0) + s(1)) + (s(2) + s(3))
 *
 * Names: Mosaic GPU `FragmentedLayout`; Triton distributed encodings; CuTe TV layouts.
 *
 * Laws
 * 1. `elementTable` is `elementOf` listed by warp, lane, register.
 * 2. `owners(l, s, e)` are exactly the places p with `elementOf(l, s, p) = e` (for a splat: register 0 of every lane, for every e).
 * 3. `sameFunction` is equality of tables (and of being a splat), whatever the kinds.
 * 4. `reduceOrder` uses every element of an output's line exactly once; replicas are not combined again.
 * 5. For a row of WGMMA the combination is the one above.
 *
 * Source: JAX docs, Pallas:MGPU reference (layouts); Mosaic GPU's fragmented arrays for the legal conversions and the order of reductions.
 */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { Failure } from '../failure.js'
import { refuse, unreachable } from '../failure.js'
import type { Index, Shape } from '../transforms/shape.js'
import { ravel, sameShape, showShape, sizeOf, unravel } from '../transforms/shape.js'
import { showTiling } from '../transforms/tile.js'
import * as Linear from './linear/linear-layout.js'
import * as Named from './named.js'
import type { SplatLayout } from './splat.js'
import { canBroadcast } from './splat.js'
import type { StridedLayout } from './strided.js'
import * as Tiled from './tiled.js'

// ---------------------------------------------------------------------------------------------- model

export type RegisterLayout = Tiled.TiledLayout | StridedLayout | SplatLayout | Linear.LinearLayout

export interface Place {
  readonly warp: number
  readonly lane: number
  /** Number of the element in the lane. */
  readonly register: number
}

export type LayoutError = 'layout.shape'
export type ConvertError = 'layout.cannot-convert'
export type ReduceAxisError = LayoutError | 'layout.axis'

// ----------------------------------------------------------------------------------------- destructors

/** Does the layout describe an array of this shape? Everything below assumes so. */
export const checkShape = (layout: RegisterLayout, shape: Shape): E.Either<Failure<LayoutError>, Shape> => {
  switch (layout._tag) {
    case 'tiled':
      return Tiled.checkShape(layout, shape)
    case 'strided':
      return sameShape(layout.shape, shape)
        ? E.right(shape)
        : refuse(
            'layout.shape',
            `The strided layout is for shape ${showShape(layout.shape)}, not ${showShape(shape)}`,
          )
    case 'splat':
      return canBroadcast(layout.shape, shape)
        ? E.right(shape)
        : refuse(
            'layout.shape',
            `A splat of shape ${showShape(layout.shape)} does not broadcast to ${showShape(shape)}`,
          )
    case 'linear':
      return sameShape(Linear.outputShape(layout), shape)
        ? E.right(shape)
        : refuse(
            'layout.shape',
            `The linear layout is for shape ${showShape(Linear.outputShape(layout))}, not ${showShape(shape)}`,
          )
    default:
      return unreachable(layout)
  }
}

/** 4 for a warpgroup; a linear layout says for itself. */
export const warpCount = (layout: RegisterLayout): number =>
  layout._tag === 'linear' ? Linear.inputSize(layout, 'warp') : Tiled.warpsPerWarpgroup

/** 32; a linear layout says for itself. */
export const laneCount = (layout: RegisterLayout): number =>
  layout._tag === 'linear' ? Linear.inputSize(layout, 'lane') : Tiled.lanesPerWarp

/** Elements that one lane holds. */
export const registersPerLane = (layout: RegisterLayout, shape: Shape): number => {
  switch (layout._tag) {
    case 'tiled':
      return Tiled.registerCount(layout, shape) * Tiled.vectorLength(layout)
    case 'strided':
      return sizeOf(shape) / (Tiled.warpsPerWarpgroup * Tiled.lanesPerWarp)
    case 'splat':
      return 1
    case 'linear':
      return Linear.inputSize(layout, 'register')
    default:
      return unreachable(layout)
  }
}

/** The element in a place; for a splat, whose register is every element, element 0 stands for all. */
export const elementOf = (
  layout: RegisterLayout,
  shape: Shape,
  warp: number,
  lane: number,
  register: number,
): Index => {
  switch (layout._tag) {
    case 'tiled': {
      const length = Tiled.vectorLength(layout)
      return Tiled.elementAt(layout, shape, {
        warp,
        lane,
        register: Math.floor(register / length),
        vector: register % length,
      })
    }
    case 'strided': {
      const thread = Tiled.lanesPerWarp * warp + lane
      const v = layout.vectorLength
      return unravel(shape)((Math.floor(register / v) * 128 + thread) * v + (register % v))
    }
    case 'splat':
      return shape.map(() => 0)
    case 'linear':
      return Linear.apply(layout)({ warp, lane, register })
    default:
      return unreachable(layout)
  }
}

/** Row-major positions of all elements held, by warp, then lane, then register. */
export const elementTable = (layout: RegisterLayout, shape: Shape): Int32Array => {
  if (layout._tag === 'tiled') return Tiled.positionTable(layout, shape)
  if (layout._tag === 'linear') return Linear.positionTable(layout, ['warp', 'lane', 'register'])
  const warps = warpCount(layout)
  const registers = registersPerLane(layout, shape)
  const position = ravel(shape)
  const lanes = laneCount(layout)
  const table = new Int32Array(warps * lanes * registers)
  let at = 0
  for (let warp = 0; warp < warps; warp++)
    for (let lane = 0; lane < lanes; lane++)
      for (let register = 0; register < registers; register++)
        table[at++] = position(elementOf(layout, shape, warp, lane, register))
  return table
}

/** Every place that holds the element, by warp, then lane, then register. */
export const owners = (layout: RegisterLayout, shape: Shape, element: Index): ReadonlyArray<Place> => {
  switch (layout._tag) {
    case 'tiled': {
      const length = Tiled.vectorLength(layout)
      return Tiled.ownersOf(layout, shape, element).map(({ warp, lane, register, vector }) => ({
        warp,
        lane,
        register: register * length + vector,
      }))
    }
    case 'strided': {
      const position = ravel(shape)(element)
      const v = layout.vectorLength
      const thread = Math.floor(position / v) % 128
      return [
        {
          warp: Math.floor(thread / Tiled.lanesPerWarp),
          lane: thread % Tiled.lanesPerWarp,
          register: Math.floor(position / (128 * v)) * v + (position % v),
        },
      ]
    }
    case 'splat':
    case 'linear':
      return everyPlace(layout, shape).filter(
        ({ warp, lane, register }) =>
          layout._tag === 'splat' || sameShape(elementOf(layout, shape, warp, lane, register), element),
      )
    default:
      return unreachable(layout)
  }
}

const everyPlace = (layout: RegisterLayout, shape: Shape): ReadonlyArray<Place> => {
  const registers = registersPerLane(layout, shape)
  const lanes = laneCount(layout)
  return Array.from({ length: warpCount(layout) * lanes * registers }, (_, at) => ({
    warp: Math.floor(at / (lanes * registers)),
    lane: Math.floor(at / registers) % lanes,
    register: at % registers,
  }))
}

// ----------------------------------------------------------------------------------------- conversions

/** Do two layouts put the same elements of such an array in the same places? */
export const sameFunction = (a: RegisterLayout, b: RegisterLayout, shape: Shape): boolean => {
  if ((a._tag === 'splat') !== (b._tag === 'splat')) return false
  if (warpCount(a) !== warpCount(b) || laneCount(a) !== laneCount(b)) return false
  const [left, right] = [elementTable(a, shape), elementTable(b, shape)]
  return left.length === right.length && left.every((position, k) => position === right[k])
}

/** Equal as data. */
export const sameLayout = (a: RegisterLayout, b: RegisterLayout): boolean => {
  if (a === b) return true
  switch (a._tag) {
    case 'tiled':
      return b._tag === 'tiled' && Tiled.sameTiledLayout(a, b)
    case 'strided':
      return b._tag === 'strided' && sameShape(a.shape, b.shape) && a.vectorLength === b.vectorLength
    case 'splat':
      return b._tag === 'splat' && sameShape(a.shape, b.shape)
    case 'linear':
      return (
        b._tag === 'linear' &&
        a.inputs.length === b.inputs.length &&
        sameShape(Linear.outputShape(a), Linear.outputShape(b)) &&
        a.outputs.every((out, k) => out.name === b.outputs[k]!.name) &&
        a.inputs.every((input, k) => {
          const other = b.inputs[k]!
          return (
            input.name === other.name &&
            input.bases.length === other.bases.length &&
            input.bases.every((basis, bit) => sameShape(basis, other.bases[bit]!))
          )
        })
      )
    default:
      return unreachable(a)
  }
}

/** The well-known name of a layout, if it has one. */
export const nameOf = (layout: RegisterLayout): string | null =>
  layout._tag === 'tiled' ? Named.nameOf(layout) : null

export const showLayout = (layout: RegisterLayout): string => {
  switch (layout._tag) {
    case 'tiled':
      return nameOf(layout) ?? `a tiled layout with tiling ${showTiling(layout.tiling)}`
    case 'strided':
      return `WG_STRIDED(${showShape(layout.shape)}, ${String(layout.vectorLength)})`
    case 'splat':
      return `WG_SPLAT(${showShape(layout.shape)})`
    case 'linear':
      return `a linear layout of shape ${showShape(Linear.outputShape(layout))}`
    default:
      return unreachable(layout)
  }
}

/** Pairs that convert without other lanes or with a fixed exchange between them, and for which element widths. */
const exchanges: ReadonlyArray<
  readonly [a: string, b: string, fits: (bits: number) => boolean, oneWay: boolean]
> = [
  ['WGMMA', 'WGMMA_TRANSPOSED', (bits) => bits === 16 || bits === 32, false],
  ['TCGEN05', 'TCGEN05_TRANSPOSED', (bits) => bits === 16 || bits === 32, false],
  ['WGMMA', 'WGMMA_ACC_32BIT', () => true, false],
  ['WGMMA_UPCAST_4X', 'WGMMA_UPCAST_2X', (bits) => bits === 4, true],
  ['WGMMA_UPCAST_2X', 'WGMMA', (bits) => bits <= 16, true],
  ['WGMMA_UPCAST_4X', 'WGMMA', (bits) => bits === 4, true],
]

/** Names of the layouts, other than itself, that a layout without parameter converts to. */
export const conversionTargets = (from: RegisterLayout, bits: number): ReadonlyArray<string> => {
  const name = nameOf(from)
  return exchanges.flatMap(([a, b, fits, oneWay]) =>
    !fits(bits) ? [] : name === a ? [b] : name === b && !oneWay ? [a] : [],
  )
}

const isTmemNative = (layout: RegisterLayout): boolean => nameOf(layout)?.startsWith('TMEM_NATIVE(') ?? false

/**
 * May an array of `bits`-bit elements change from one layout to the other without going through shared memory?
 * Pallas and Mosaic GPU allow these and no others; a core program may convert between any two.
 */
export const canConvert = (
  from: RegisterLayout,
  to: RegisterLayout,
  shape: Shape,
  bits: number,
): E.Either<Failure<LayoutError | ConvertError>, null> => {
  const targets = conversionTargets(from, bits)
  const native = isTmemNative(from)
  const legal =
    sameLayout(from, to) ||
    from._tag === 'splat' ||
    (native && isTmemNative(to)) ||
    targets.includes(nameOf(to) ?? '')
  const reach = native ? ['TMEM_NATIVE of any vector length'] : targets
  return pipe(
    checkShape(from, shape),
    E.chain(() => checkShape(to, shape)),
    E.chainW(() =>
      legal
        ? E.right(null)
        : refuse(
            'layout.cannot-convert',
            `Cannot convert from ${showLayout(from)} to ${showLayout(to)} for ${String(bits)}-bit elements of shape ${showShape(shape)}: it converts to ${reach.length === 0 ? 'no other layout' : reach.join(', ')}`,
          ),
    ),
  )
}

// ------------------------------------------------------------------------------------------ reductions

/**
 * How outputs that share a pattern are computed. `outputs[o]` is a row-major position of the reduced shape; its terms are
 * `terms[o * count ..]`, row-major positions of the array. Start with one value per term; for each pair (a, b) of
 * `combine`, in order, value a becomes value a combined with value b (a is the left operand); value 0 is the result.
 */
export interface ReducePlan {
  readonly outputs: Int32Array
  readonly count: number
  readonly terms: Int32Array
  readonly combine: Int32Array
}

/** The plans of a reduction, together covering every output once, in the order of their first outputs. */
export interface ReduceOrder {
  readonly shape: Shape
  readonly plans: ReadonlyArray<ReducePlan>
}

interface Term {
  readonly warp: number
  readonly lane: number
  readonly register: number
  readonly vector: number
  readonly position: number
}

const vectorOf = (layout: RegisterLayout): number => {
  switch (layout._tag) {
    case 'tiled':
      return Tiled.vectorLength(layout)
    case 'strided':
      return layout.vectorLength
    case 'splat':
    case 'linear':
      return 1
    default:
      return unreachable(layout)
  }
}

/** Each element at its first place. A splat's elements are taken row-major, as if in the registers of one lane. */
const firstPlaces = (layout: RegisterLayout, shape: Shape): ReadonlyArray<Term> => {
  const size = sizeOf(shape)
  if (layout._tag === 'splat')
    return Array.from({ length: size }, (_, position) => ({
      warp: 0,
      lane: 0,
      register: position,
      vector: 0,
      position,
    }))
  const length = vectorOf(layout)
  const registers = registersPerLane(layout, shape)
  const lanes = laneCount(layout)
  const seen = new Uint8Array(size)
  const terms: Term[] = []
  elementTable(layout, shape).forEach((position, at) => {
    if (seen[position] === 1) return
    seen[position] = 1
    const slot = at % registers
    const thread = Math.floor(at / registers)
    terms.push({
      warp: Math.floor(thread / lanes),
      lane: thread % lanes,
      register: Math.floor(slot / length),
      vector: slot % length,
      position,
    })
  })
  return terms
}

/** Left fold of the values at these slots into the first. */
const fold = (slots: ReadonlyArray<number>, pairs: number[]): void => {
  for (const slot of slots.slice(1)) pairs.push(slots[0]!, slot)
}

const groupsBy = <A>(
  items: ReadonlyArray<A>,
  key: (item: A) => number,
): ReadonlyArray<readonly [key: number, items: ReadonlyArray<A>]> => {
  const groups = new Map<number, A[]>()
  for (const item of items) {
    const group = groups.get(key(item))
    if (group === undefined) groups.set(key(item), [item])
    else group.push(item)
  }
  return [...groups].sort(([a], [b]) => a - b)
}

/** The pairs to combine for terms sorted by warp, lane, register, vector. */
const combination = (terms: ReadonlyArray<Term>): ReadonlyArray<number> => {
  const pairs: number[] = []
  const slots = terms.map((term, slot) => ({ term, slot }))
  const warps = groupsBy(slots, ({ term }) => term.warp).map(([, inWarp]) => {
    const lanes = new Map<number, number>()
    const perLane = groupsBy(inWarp, ({ term }) => term.lane)
    for (const [lane, inLane] of perLane) {
      const vectors = groupsBy(inLane, ({ term }) => term.vector).map(([, sameVector]) =>
        sameVector.map(({ slot }) => slot),
      )
      for (const sameVector of vectors) fold(sameVector, pairs)
      const heads = vectors.map((sameVector) => sameVector[0]!)
      fold(heads, pairs)
      lanes.set(lane, heads[0]!)
    }
    return butterfly(lanes, pairs)
  })
  fold(warps, pairs)
  return pairs
}

/** Lane l takes in lane l + stride, from the smallest stride; a lane without a partner waits for the next stride. */
const butterfly = (lanes: Map<number, number>, pairs: number[]): number => {
  for (let stride = 1; stride < Tiled.lanesPerWarp; stride *= 2)
    for (const [lane, slot] of [...lanes].sort(([a], [b]) => a - b)) {
      if ((lane & stride) === 0) continue
      const partner = lanes.get(lane ^ stride)
      lanes.delete(lane)
      if (partner === undefined) lanes.set(lane ^ stride, slot)
      else pairs.push(partner, slot)
    }
  return [...lanes.values()][0]!
}

/** The defined order in which a reduction over the axes combines the elements of an array with this layout. */
export const reduceOrder = (
  layout: RegisterLayout,
  shape: Shape,
  axis: number | ReadonlyArray<number>,
): E.Either<Failure<ReduceAxisError>, ReduceOrder> => {
  const axes = typeof axis === 'number' ? [axis] : axis
  const bad = axes.find((a) => !Number.isInteger(a) || a < 0 || a >= shape.length)
  if (bad !== undefined)
    return refuse('layout.axis', `An array of shape ${showShape(shape)} has no axis ${String(bad)}`)
  return pipe(
    checkShape(layout, shape),
    E.map(() => {
      const keptShape = shape.filter((_, k) => !axes.includes(k))
      const outputOf = (position: number): number =>
        ravel(keptShape)(unravel(shape)(position).filter((_, k) => !axes.includes(k)))
      const lines = groupsBy(firstPlaces(layout, shape), (term) => outputOf(term.position))
      const patterns = new Map<
        string,
        { readonly pairs: ReadonlyArray<number>; readonly lines: (readonly [number, ReadonlyArray<Term>])[] }
      >()
      for (const [output, unsorted] of lines) {
        const terms = [...unsorted].sort(
          (a, b) => a.warp - b.warp || a.lane - b.lane || a.register - b.register || a.vector - b.vector,
        )
        const pairs = combination(terms)
        const key = `${String(terms.length)}:${pairs.join()}`
        const pattern = patterns.get(key)
        if (pattern === undefined) patterns.set(key, { pairs, lines: [[output, terms]] })
        else pattern.lines.push([output, terms])
      }
      return {
        shape: keptShape,
        plans: [...patterns.values()].map(({ pairs, lines: alike }) => ({
          outputs: Int32Array.from(alike, ([output]) => output),
          count: alike[0]![1].length,
          terms: Int32Array.from(alike.flatMap(([, terms]) => terms.map((term) => term.position))),
          combine: Int32Array.from(pairs),
        })),
      }
    }),
  )
}

/** One output of a reduction, evaluated: the meaning of a plan. `combine` is called with the left operand first. */
export const evaluatePlan =
  <A>(combine: (left: A, right: A) => A) =>
  (plan: ReducePlan, output: number, term: (position: number) => A): A => {
    const values = Array.from({ length: plan.count }, (_, k) => term(plan.terms[output * plan.count + k]!))
    for (let k = 0; k < plan.combine.length; k += 2)
      values[plan.combine[k]!] = combine(values[plan.combine[k]!]!, values[plan.combine[k + 1]!]!)
    return values[0]!
  }
