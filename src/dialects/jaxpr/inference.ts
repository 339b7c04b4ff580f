/**
 * What the text leaves open, as lowering would choose it: layouts of arrays, and transforms of shared memory that products read.
 *
 * Layouts. Some equations say how an array lies; from there it spreads, forwards and backwards, over all that lies alike:
 *
 * | says                                                  | what                                                              |
 * |-------------------------------------------------------|-------------------------------------------------------------------|
 * | `layout_cast`, `get` and `async_load_tmem` with a layout | that one                                                        |
 * | `wgmma_accumulator_load`, the start of a `run_state`   | `WGMMA`                                                            |
 * | an array that `wgmma` multiplies                       | `WGMMA`, of 8 bits `WGMMA_8BIT`                                    |
 *
 * | lies alike                                            | how                                                               |
 * |-------------------------------------------------------|-------------------------------------------------------------------|
 * | operands and results, element by element              | in one layout                                                      |
 * | what goes into a loop, a branch, a call, and comes out | in one layout                                                     |
 * | `reduce_*`, `broadcast_in_dim`                        | the smaller in the reduced layout of the larger                     |
 *
 * Where nothing says, an array that is loaded is strided, and one that is made (`iota`, a number that is repeated) lies as what it meets. Sums depend on
 * it, and nothing else does. In lane semantics the text says it all: only a `layout_cast` says how what it casts is made.
 *
 * Transforms. An allocation of shared memory without any, of which products read parts, is tiled by (8, e) and swizzled by S bytes: the widest S of 128, 64
 * and 32, of e elements, such that every part that is taken is of whole tiles. Both operands of a product have the same S. What no product reads lies as it
 * is: its bytes are where another choice of lowering might not have them, and its values are the same.
 *
 * Source: layouts and transforms that Mosaic GPU infers in warpgroup semantics.
 */
import * as E from 'fp-ts/lib/Either.js'
import type { RegisterLayout } from '../../layouts/register-layout.js'
import { checkShape } from '../../layouts/register-layout.js'
import * as Tiled from '../../layouts/tiled.js'
import { bitsOf, isDtype } from '../../numerics/dtype.js'

import {
  isLayout,
  type Document,
  type Eqn,
  type RefType,
  type Transform,
  type Type,
  type Use,
  type Value,
  type Var,
} from './document.js'
import { elementwiseRows } from './elementwise.js'
import { isArrayType, isRefType } from './kinds.js'
import type { Inferred } from './inferred.js'
import { readLayout } from './layouts.js'
import { isVariable } from './document.js'
import { own } from '../../own.js'

// ---------------------------------------------------------------- the same variable under several numbers

/** Pairs of a variable outside of a jaxpr, and the same inside. */
export const links = (
  d: Document,
  eqn: Eqn,
): ReadonlyArray<readonly [Value | null | undefined, Value | null | undefined]> => {
  const pairs: (readonly [Value | null | undefined, Value | null | undefined])[] = []
  const enters = (n: number, given: ReadonlyArray<Value>): void => {
    ;(d.jaxprs[n]?.in ?? []).forEach((variable, k) => pairs.push([given[k], { v: variable.v }]))
  }
  const leaves = (n: number, from: ReadonlyArray<Var | null>): void => {
    ;(d.jaxprs[n]?.out ?? []).forEach((value, k) => {
      const variable = from[k]
      pairs.push([variable == null ? null : { v: variable.v }, value])
    })
  }
  const given = eqn.in ?? []
  const out = eqn.out ?? []
  const number = (name: string): number => {
    const found = own(eqn.params, name)
    return typeof found === 'number' ? found : 0
  }
  for (const [name, numbers] of Object.entries(eqn.jaxprs ?? {}))
    for (const n of [numbers].flat()) {
      switch (eqn.op) {
        case 'cond':
          enters(n, given.slice(1))
          leaves(n, out)
          break
        case 'while': {
          const carried = given.slice(number('condConsts') + number('bodyConsts'))
          if (name === 'cond') enters(n, [...given.slice(0, number('condConsts')), ...carried])
          else {
            enters(n, given.slice(number('condConsts')))
            leaves(n, out)
            carried.forEach((value, k) => pairs.push([value, out[k] == null ? null : { v: out[k].v }]))
          }
          break
        }
        case 'scan': {
          enters(n, given)
          leaves(n, out)
          const carried = given.slice(number('numConsts'))
          carried.forEach((value, k) => pairs.push([value, out[k] == null ? null : { v: out[k].v }]))
          break
        }
        case 'run_state':
          enters(n, given)
          // what the body returns comes first, as in JAX's lowering; then what the refs hold in the end
          given
            .flatMap((value, k) => (isKept(d.jaxprs[n]?.in?.[k]) ? [[value, out[k]] as const] : []))
            .forEach(([value, to], i) =>
              pairs.push([d.jaxprs[n]?.out?.[i] ?? value, to == null ? null : { v: to.v }]),
            )
          break
        default:
          enters(n, given)
          leaves(n, out)
      }
    }
  return pairs
}

/** Does a `run_state` keep this parameter of its body, and not hand a ref through? */
const isKept = (variable: Var | undefined): boolean =>
  variable !== undefined && isRefType(variable.type) && variable.type.ref === 'regs'

// ---------------------------------------------------------------- layouts

type Known = ReadonlyMap<number, RegisterLayout>

/** Operands and result have one layout: all that works element by element, and what changes nothing. */
const alike: ReadonlySet<string> = new Set([
  ...Object.keys(elementwiseRows),
  'optimization_barrier',
  'multiple_of',
  'concatenate',
])

/** The array that a variable is. */
const arraysIn = (
  d: Document,
): ReadonlyMap<number, { readonly shape: ReadonlyArray<number>; readonly dtype: string }> => {
  const arrays = new Map<number, { readonly shape: ReadonlyArray<number>; readonly dtype: string }>()
  const look = ({ v, type }: Var): void => {
    if (isArrayType(type) && type.shape.length > 0) arrays.set(v, type)
    // what run_state keeps is an array of the same shape inside
    else if (isRefType(type) && type.ref === 'regs' && type.shape.length > 0) arrays.set(v, type)
  }
  for (const { in: given = [], eqns = [] } of d.jaxprs) {
    given.forEach(look)
    for (const { out = [] } of eqns) for (const one of out) if (one !== null) look(one)
  }
  return arrays
}

const reducedBy = (
  layout: RegisterLayout,
  rank: number,
  axes: ReadonlyArray<number>,
): RegisterLayout | null => {
  if (layout._tag !== 'tiled') return null
  const base = Tiled.baseTileShape(layout).length
  const inTile = axes.map((axis) => axis - (rank - base)).filter((axis) => axis >= 0)
  const less = inTile.length === 0 ? E.right(layout) : Tiled.reduce(inTile)(layout)
  return E.isRight(less) ? less.right : null
}

const numbersOf = (eqn: Eqn, name: string): ReadonlyArray<number> => {
  const found = own(eqn.params, name)
  return Array.isArray(found) ? found.filter((n) => typeof n === 'number') : []
}

const layoutsIn = (d: Document, lowering: 'lane' | 'warpgroup'): Known => {
  const known = new Map<number, RegisterLayout>()
  const arrays = arraysIn(d)
  const learn = (v: number | undefined, layout: RegisterLayout | null): boolean => {
    const array = v === undefined ? undefined : arrays.get(v)
    if (v === undefined || array === undefined || layout === null || known.has(v)) return false
    if (E.isLeft(checkShape(layout, array.shape))) return false
    known.set(v, layout)
    return true
  }
  const numberOf = (value: Value | null | undefined): number | undefined =>
    isVariable(value) ? value.v : undefined
  const said = (eqn: Eqn, v: number | undefined): RegisterLayout | null => {
    const layout = eqn.params?.['layout']
    const array = v === undefined ? undefined : arrays.get(v)
    if (!isLayout(layout) || array === undefined || !isDtype(array.dtype)) return null
    const read = readLayout(layout, array.shape, array.dtype)
    return E.isRight(read) ? read.right : null
  }
  const all = d.jaxprs.flatMap(({ eqns = [] }) => eqns)
  const made = new Map(
    all.flatMap((eqn) => (eqn.out ?? []).flatMap((o) => (o === null ? [] : [[o.v, eqn] as const]))),
  )
  if (lowering === 'lane') {
    for (const eqn of all) {
      const given = numberOf(eqn.in?.[0])
      const by = given === undefined ? undefined : made.get(given)?.op
      const takes = by === 'get' || by === 'iota' || by === 'broadcast_in_dim' || by === 'async_load_tmem'
      if (eqn.op === 'layout_cast' && takes) learn(given, said(eqn, given))
    }
    return known
  }
  // what says it
  for (const eqn of all) {
    const out = eqn.out?.[0]?.v
    const first = numberOf(eqn.in?.[0])
    switch (eqn.op) {
      case 'layout_cast':
      case 'get':
      case 'async_load_tmem':
        learn(out, said(eqn, out))
        break
      case 'wgmma_accumulator_load':
        learn(out, Tiled.WGMMA)
        break
      case 'wgmma': {
        const array = first === undefined ? undefined : arrays.get(first)
        if (array !== undefined && isDtype(array.dtype))
          learn(first, bitsOf(array.dtype) === 8 ? Tiled.WGMMA_8BIT : Tiled.WGMMA)
        break
      }
      case 'run_state':
        for (const [k, { v, type }] of (
          d.jaxprs[[eqn.jaxprs?.['body'] ?? 0].flat()[0] ?? 0]?.in ?? []
        ).entries())
          if (isRefType(type) && type.accumulator === true) {
            learn(v, Tiled.WGMMA)
            learn(numberOf(eqn.in?.[k]), Tiled.WGMMA)
            learn(eqn.out?.[k]?.v, Tiled.WGMMA)
          }
        break
      default:
    }
  }
  // where it spreads
  const together = all.flatMap((eqn): ReadonlyArray<ReadonlyArray<number>> => {
    const values = [...(eqn.in ?? []).map(numberOf), ...(eqn.out ?? []).map((o) => o?.v)].flatMap((v) =>
      v !== undefined && arrays.has(v) ? [v] : [],
    )
    // a product lies as its accumulator does; its factors are said to lie otherwise
    if (eqn.op === 'mma') {
      const [acc, out] = [numberOf(eqn.in?.[0]), eqn.out?.[0]?.v]
      return acc === undefined || out === undefined ? [] : [[acc, out]]
    }
    if (eqn.op === 'optimization_barrier')
      return (eqn.in ?? []).flatMap((value, k) => {
        const [x, y] = [numberOf(value), eqn.out?.[k]?.v]
        return x === undefined || y === undefined ? [] : [[x, y]]
      })
    if (alike.has(eqn.op)) return [values]
    return links(d, eqn).flatMap(([x, y]) => {
      const [p, q] = [numberOf(x), numberOf(y)]
      return p === undefined || q === undefined ? [] : [[p, q]]
    })
  })
  const shrinking = all.flatMap(
    (eqn): ReadonlyArray<readonly [large: number, small: number, axes: ReadonlyArray<number>]> => {
      const [x, y] = [numberOf(eqn.in?.[0]), eqn.out?.[0]?.v]
      if (x === undefined || y === undefined) return []
      if (eqn.op.startsWith('reduce_')) return [[x, y, numbersOf(eqn, 'axes')]]
      if (eqn.op !== 'broadcast_in_dim') return []
      const kept = numbersOf(eqn, 'broadcastDimensions')
      return [[y, x, numbersOf(eqn, 'shape').flatMap((_, axis) => (kept.includes(axis) ? [] : [axis]))]]
    },
  )
  // what a cast is given may lie otherwise: it lies as the cast says if nothing else says anything
  const casts = all.flatMap((eqn) => {
    const [x, y] = [numberOf(eqn.in?.[0]), eqn.out?.[0]?.v]
    return eqn.op === 'layout_cast' && x !== undefined && y !== undefined ? [[x, y] as const] : []
  })
  const spread = (): void => {
    for (let changed = true; changed;) {
      changed = false
      for (const group of together) {
        const one = group.find((v) => known.has(v))
        if (one !== undefined) for (const v of group) changed = learn(v, known.get(one)!) || changed
      }
      for (const [large, small, axes] of shrinking) {
        const layout = known.get(large)
        const array = arrays.get(large)
        if (layout !== undefined && array !== undefined && !known.has(small))
          changed = learn(small, reducedBy(layout, array.shape.length, axes)) || changed
      }
    }
  }
  spread()
  for (const [x, y] of casts) {
    const layout = known.get(y)
    if (layout !== undefined && learn(x, layout)) spread()
  }
  return known
}

// ---------------------------------------------------------------- transforms

/** Where the parts that are taken of an allocation begin, and how far they go: of its last two dimensions. */
interface Parts {
  readonly type: RefType
  readonly cuts: number[][]
  isMultiplied: boolean
}

const constantOf = (value: Value): number | null =>
  'k' in value && typeof value.k === 'number' ? value.k : null

/** The cuts of a use along the last two dimensions; null where the view is more than indices and a transposition. */
const cutsOf = (
  type: RefType,
  view: ReadonlyArray<Transform>,
): ReadonlyArray<readonly [number, number]> | null => {
  // which dimension of the allocation each of the view's is
  let dims = type.shape.map((_, d) => d)
  const rank = type.shape.length
  const cuts: (readonly [number, number])[] = []
  for (const t of view) {
    if (t.index !== undefined) {
      const left: number[] = []
      for (const [k, i] of t.index.entries()) {
        const d = dims[k] ?? 0
        if ('from' in i) {
          left.push(d)
          if (d >= rank - 2) cuts.push([d - (rank - 2), i.size], [d - (rank - 2), constantOf(i.from) ?? 0])
        } else if (d >= rank - 2) return null
      }
      dims = left
    } else if (t.transpose !== undefined) dims = t.transpose.map((k) => dims[k] ?? 0)
    else return null
  }
  return cuts
}

const multiplied: Readonly<Record<string, ReadonlyArray<string>>> = {
  wgmma: ['a', 'b'],
  tcgen05_mma: ['a', 'b'],
}

const transformsIn = (d: Document): ReadonlyMap<number, ReadonlyArray<Transform>> => {
  // an allocation under all of its numbers
  const of = new Map<number, number>()
  const parts = new Map<number, Parts>()
  const swizzled = new Map<number, number>()
  const all = d.jaxprs.flatMap(({ eqns = [] }) => eqns)
  for (const eqn of all) {
    if (eqn.op !== 'run_scoped') continue
    const count = eqn.params?.['allocations']
    const given = d.jaxprs[[eqn.jaxprs?.['body'] ?? 0].flat()[0] ?? 0]?.in ?? []
    for (const { v, type } of typeof count === 'number' && count > 0 ? given.slice(-count) : []) {
      const one: Type = type
      if (!isRefType(one) || one.ref !== 'smem') continue
      of.set(v, v)
      const swizzle = (one.transforms ?? []).find((t) => t.unswizzle !== undefined)?.unswizzle
      if (swizzle !== undefined) swizzled.set(v, swizzle)
      if ((one.transforms ?? []).length === 0 && one.shape.length >= 2)
        parts.set(v, { type: one, cuts: [], isMultiplied: false })
    }
  }
  if (parts.size === 0) return new Map()
  const pairs = all.flatMap((eqn) => links(d, eqn))
  for (let changed = true; changed;) {
    changed = false
    for (const [outer, inner] of pairs) {
      if (!isVariable(outer) || !isVariable(inner)) continue
      const found = of.get(outer.v)
      if (found === undefined || of.has(inner.v)) continue
      of.set(inner.v, found)
      changed = true
    }
  }
  const allocation = (use: Use): number | undefined => (isVariable(use.ref) ? of.get(use.ref.v) : undefined)
  const together: (readonly [number, number])[] = []
  const impossible = new Set<number>()
  for (const eqn of all) {
    const names = own(multiplied, eqn.op) ?? []
    const both: number[] = []
    for (const [name, used] of Object.entries(eqn.uses ?? {}))
      for (const use of [used].flat()) {
        const found = allocation(use)
        if (found === undefined) continue
        if (names.includes(name)) both.push(found)
        const part = parts.get(found)
        if (part === undefined) continue
        if (names.includes(name)) part.isMultiplied = true
        const cuts = cutsOf(part.type, use.view ?? [])
        if (cuts === null) impossible.add(found)
        else for (const [axis, n] of cuts) part.cuts.push([axis, n])
      }
    const [a, b] = both
    if (a !== undefined && b !== undefined) together.push([a, b])
  }
  const fits = (v: number, swizzle: number): boolean => {
    const fixed = swizzled.get(v)
    const part = parts.get(v)
    if (fixed !== undefined) return fixed === swizzle
    if (part === undefined) return true
    const { type, cuts } = part
    if (impossible.has(v) || !isDtype(type.dtype)) return false
    const tile = [8, (8 * swizzle) / bitsOf(type.dtype)]
    const last = type.shape.slice(-2)
    return (
      last.every((extent, axis) => extent % tile[axis]! === 0) &&
      cuts.every(([axis, n]) => n! % tile[axis!]! === 0)
    )
  }
  const found = new Map<number, ReadonlyArray<Transform>>()
  for (const [v, { isMultiplied, type }] of parts) {
    if (!isMultiplied || !isDtype(type.dtype)) continue
    // all that are multiplied with it, and with those
    const group = new Set([v])
    for (let before = 0; before !== group.size;) {
      before = group.size
      for (const [a, b] of together) {
        if (group.has(a)) group.add(b)
        if (group.has(b)) group.add(a)
      }
    }
    const swizzle = [128, 64, 32].find((s) => [...group].every((one) => fits(one, s)))
    if (swizzle === undefined) continue
    found.set(v, [{ unswizzle: swizzle }, { untile: [8, (8 * swizzle) / bitsOf(type.dtype)] }])
  }
  return found
}

// ---------------------------------------------------------------- both

/** What lowering would choose; in lane semantics transforms are those of the text. */
export const inferredIn = (d: Document, lowering: 'lane' | 'warpgroup'): Inferred => ({
  layouts: layoutsIn(d, lowering),
  transforms: lowering === 'lane' ? new Map() : transformsIn(d),
})
