/**
 * Uses of refs: from a ref and what is applied to it to what an operation of the Pallas surface takes.
 *
 * | ref of                | a use gives                                                                                            |
 * |-----------------------|--------------------------------------------------------------------------------------------------------|
 * | an operand, GMEM      | a slice of the tensor (starts, sizes, or rows that an array names); as a view: `gmemView`                |
 * | SMEM                  | a view: `refAt`, `transposeRef`, `reshapeRef`, `transformRef` of the surface, one after the other          |
 * | TMEM                  | a view, the same                                                                                       |
 * | barriers, semaphores  | one of them, or some: `barrierAt`, `barrierSlice`                                                       |
 * | an accumulator        | `accumulatorAt`                                                                                        |
 *
 * A use of a ref in shared memory begins with the transforms of its allocation (`unswizzle`, `untile`), which lead from the bytes to what the author
 * sees. A view has them in it already, so they are taken off. A use that does not begin with them is one of the bytes as they lie: then the ref is seen
 * without them, and `unswizzle(S)`, `untile(t)` put them on:
 *
 *     f16 (4, 8, 1, 8, 64) as it lies    unswizzle(128)   swizzled by 128     untile(8, 64)   (4, 64, 64), tiled by (8, 64)
 *
 * Law 1. Element i of a use is at the byte that Mosaic GPU gives it.
 */
import { unreachable } from '../../failure.js'
import { isDtype, bitsOf, type Dtype } from '../../numerics/dtype.js'
import { columnsOf } from '../../layouts/tensor-memory/tensor-memory-layout.js'
import { isSwizzle } from '../../transforms/swizzle.js'
import * as Layout from '../../transforms/ref.js'
import type { Mode, TransformedRef } from '../../transforms/ref.js'
import { showShape, sizeOf } from '../../transforms/shape.js'
import {
  block,
  fromEither,
  typeHere,
  type Build,
  type Steps,
  type Tensor,
} from '../../semantics/writing/builder.js'
import {
  add,
  i32,
  reinterpret,
  transposeView,
  type Expr,
  type Int,
  type Tile,
  type View,
} from '../../semantics/language/expression.js'
import { checked } from '../../semantics/language/index-types.js'
import * as Pallas from '../pallas/index.js'
import { known } from '../pallas/context.js'
import { splitModes, tensorMemoryLayoutOf } from '../pallas/memory.js'
import type { Eqn, Indexer, Transform as Applied } from './document.js'
import { refusedAt, type Here } from './here.js'
import { intOf, valueOf } from './scalar-operands.js'
import {
  showKind,
  type BoundRef,
  type Ref,
  type SemaphoreRef,
  type SmemRef,
  type TmemRef,
  type UnionMember,
  type Elaborated,
} from './values.js'

// ---------------------------------------------------------------- model

/** A part of a tensor in global memory. */
export interface GmemUse {
  readonly _tag: 'gmem'
  readonly name: string
  readonly dtype: Dtype
  /** null: memory of the kernel's own */
  readonly tensor: Tensor | null
  /** the whole of it */
  readonly whole: View<'gmem'>
  readonly starts: ReadonlyArray<Int>
  /** null: a dimension that is indexed, and goes */
  readonly sizes: ReadonlyArray<number | null>
  /** the dimension that an array of indices takes apart, and the array */
  readonly rows: { readonly dimension: number; readonly index: Tile<'i32', 1>; readonly count: number } | null
}
export interface SmemUse {
  readonly _tag: 'smem'
  readonly name: string
  readonly dtype: Dtype
  readonly view: View<'smem'>
}
export interface TmemUse {
  readonly _tag: 'tmem'
  readonly name: string
  readonly dtype: Dtype
  readonly view: View<'tmem'>
}
export type Used =
  | GmemUse
  | SmemUse
  | TmemUse
  | Exclude<Ref, { readonly _tag: 'gmem' | 'smem' | 'tmem' | 'union' | 'semaphore' | 'bound' }>
  | {
      readonly _tag: 'semaphore'
      readonly semaphore: Pallas.Semaphore
      readonly index: Int | null
    }

const keyOf = (t: Applied): string => Object.keys(t)[0] ?? 'nothing'
const showApplied = (t: Applied): string => JSON.stringify(t)
const sameApplied = (a: Applied, b: Applied): boolean => JSON.stringify(a) === JSON.stringify(b)

// ---------------------------------------------------------------- indices

/** The start of an entry: a number where it is known. */
const startOf = function* (h: Here, eqn: Eqn, value: unknown): Steps<Int | number> {
  const e = yield* intOf(h, eqn, value)
  return known(e) ?? e
}

type Entry =
  | { readonly _tag: 'at'; readonly at: Int | number }
  | { readonly _tag: 'from'; readonly from: Int | number; readonly size: number; readonly stride: number }
  | { readonly _tag: 'gather'; readonly index: Elaborated }

const entryOf = function* (h: Here, eqn: Eqn, i: Indexer): Steps<Entry> {
  if ('at' in i) {
    const found = yield* valueOf(h, eqn, i.at)
    return found._tag === 'array'
      ? { _tag: 'gather', index: found }
      : { _tag: 'at', at: yield* startOf(h, eqn, i.at) }
  }
  if ('from' in i)
    return { _tag: 'from', from: yield* startOf(h, eqn, i.from), size: i.size, stride: i.stride ?? 1 }
  return { _tag: 'gather', index: yield* valueOf(h, eqn, i.gather) }
}

const entriesOf = function* (h: Here, eqn: Eqn, index: ReadonlyArray<Indexer>): Steps<ReadonlyArray<Entry>> {
  const entries: Entry[] = []
  for (const i of index) entries.push(yield* entryOf(h, eqn, i))
  return entries
}

const asInt = (x: Int | number): Int => (typeof x === 'number' ? i32(x) : x)
const plus = (x: Int, y: Int | number): Int => {
  const [a, b] = [known(x), typeof y === 'number' ? y : known(y)]
  if (b === 0) return x
  if (a === 0) return asInt(y)
  return a !== null && b !== null ? i32(a + b) : add(x, asInt(y))
}

/** As the surface takes them; a gather is refused. */
const refIndices = function* (h: Here, eqn: Eqn, index: ReadonlyArray<Indexer>): Steps<ReadonlyArray<never>> {
  const indices: never[] = []
  for (const entry of yield* entriesOf(h, eqn, index)) {
    if (entry._tag === 'gather')
      return yield* refusedAt(h, eqn, 'jaxpr.view', 'an index or a slice of a ref', 'an array of indices')
    const one = entry._tag === 'at' ? entry.at : Pallas.ds(entry.from, entry.size, entry.stride)
    indices.push(checked<never, unknown>(one))
  }
  return indices
}

// ---------------------------------------------------------------- global memory

const indexGmem = function* (h: Here, eqn: Eqn, use: GmemUse, index: ReadonlyArray<Indexer>): Steps<GmemUse> {
  const entries = [...(yield* entriesOf(h, eqn, index))]
  const starts = [...use.starts]
  const sizes = [...use.sizes]
  let rows = use.rows
  for (const [d, size] of use.sizes.entries()) {
    if (size === null) continue
    const entry = entries.shift()
    if (entry === undefined)
      return yield* refusedAt(
        h,
        eqn,
        'jaxpr.view',
        `an entry for each dimension of ${use.name}`,
        String(index.length),
      )
    if (entry._tag === 'gather') {
      if (entry.index._tag !== 'array' || entry.index.shape.length !== 1 || rows !== null)
        return yield* refusedAt(
          h,
          eqn,
          'jaxpr.view',
          'one array of indices of one dimension',
          showKind(entry.index),
        )
      rows = {
        dimension: d,
        index: checked<Tile<'i32', 1>, Expr>(entry.index.tile),
        count: entry.index.shape[0]!,
      }
      sizes[d] = entry.index.shape[0]!
      continue
    }
    if (entry._tag === 'from' && entry.stride !== 1)
      return yield* refusedAt(h, eqn, 'jaxpr.view', 'a slice of step 1', `step ${String(entry.stride)}`)
    if (rows?.dimension === d)
      return yield* refusedAt(h, eqn, 'jaxpr.view', 'all of the rows that an array names', 'a part of them')
    starts[d] = plus(starts[d]!, entry._tag === 'at' ? entry.at : entry.from)
    sizes[d] = entry._tag === 'at' ? null : entry.size
  }
  return { ...use, starts, sizes, rows }
}

const permuted = <A>(xs: ReadonlyArray<A>, permutation: ReadonlyArray<number>): ReadonlyArray<A> =>
  permutation.map((d) => xs[d]!)

/** Dimensions that are left change places with each other; those that are gone stay. */
const transposeGmem = (use: GmemUse, permutation: ReadonlyArray<number>): GmemUse => {
  const left = use.sizes.flatMap((size, d) => (size === null ? [] : [d]))
  let k = 0
  const whole = use.sizes.map((size, d) => (size === null ? d : left[permutation[k++]!]!))
  const { tensor, rows } = use
  return {
    ...use,
    tensor:
      tensor === null
        ? null
        : {
            param: {
              ...tensor.param,
              shape: permuted(tensor.param.shape, whole),
              strides: permuted(tensor.param.strides, whole),
            },
            dtype: tensor.dtype,
            view: transposeView(tensor.view, whole),
            ptr: tensor.ptr,
            dims: permuted(tensor.dims, whole),
          },
    whole: transposeView(use.whole, whole),
    starts: permuted(use.starts, whole),
    sizes: permuted(use.sizes, whole),
    rows: rows === null ? null : { ...rows, dimension: whole.indexOf(rows.dimension) },
  }
}

const applyGmem = function* (h: Here, eqn: Eqn, use: GmemUse, t: Applied): Steps<GmemUse> {
  if (t.index !== undefined) return yield* indexGmem(h, eqn, use, t.index)
  if (t.transpose !== undefined) return transposeGmem(use, t.transpose)
  if (t.peer !== undefined)
    return yield* Pallas.remoteRef(use.name, use.whole, String(JSON.stringify(t.peer)))
  if (t.multicast !== undefined) return yield* Pallas.multicastRef(use.name, use.whole)
  return yield* refusedAt(
    h,
    eqn,
    'jaxpr.view',
    `a part or a transposition of ${use.name} in GMEM`,
    showApplied(t),
  )
}

/** The shape of what is left. */
export const shapeOfGmem = (use: GmemUse): ReadonlyArray<number> =>
  use.sizes.flatMap((size) => (size === null ? [] : [size]))

/** As a view, for loads and stores. */
export const gmemView = function* (h: Here, eqn: Eqn, label: string, use: GmemUse): Steps<View<'gmem'>> {
  if (use.rows !== null)
    return yield* refusedAt(h, eqn, 'jaxpr.view', `a part of ${use.name}`, 'rows that an array names')
  return yield* Pallas.refAt(
    label,
    use.whole,
    use.sizes.map((size, d) => (size === null ? use.starts[d]! : Pallas.ds(use.starts[d]!, size))),
  )
}

/** As a copy takes it: of an operand, a slice or rows. */
export const copySide = function* (
  h: Here,
  eqn: Eqn,
  use: GmemUse,
): Steps<Pallas.GmemSlice<Dtype, number> | Pallas.GmemRows<Dtype>> {
  const { tensor, rows } = use
  if (tensor === null)
    return yield* refusedAt(
      h,
      eqn,
      'jaxpr.operand',
      'an operand of the kernel',
      `${use.name}, which is its own`,
    )
  if (rows === null) return Pallas.at(tensor, use.starts, use.sizes)
  const [, columns] = use.sizes
  if (rows.dimension !== 0 || use.sizes.length !== 2 || columns == null)
    return yield* refusedAt(
      h,
      eqn,
      'jaxpr.view',
      'rows of a matrix',
      `dimension ${String(rows.dimension)} of ${use.name}`,
    )
  return Pallas.rowsAt(checked<Tensor<Dtype, 2>, Tensor>(tensor), rows.index, use.starts[1]!, columns)
}

// ---------------------------------------------------------------- shared and tensor memory

const layoutOf = (view: View): Build<TransformedRef> =>
  block(function* () {
    const type = yield* typeHere(view)
    return type._tag === 'view' ? type.layout : unreachable('a view has the type of a view')
  })

/** The same bytes under another layout. */
const seenAs = <S extends 'smem' | 'tmem'>(view: View<S>, dtype: Dtype, as: TransformedRef): View<S> =>
  checked<View<S>, Expr>(reinterpret<Dtype, number, S>(view, dtype, as))

/** Of the last 2 n dimensions the first n and the last n become one each. */
const untiled = (layout: TransformedRef, rank: number): TransformedRef => {
  const chains = Layout.chainsOf(layout)
  const from = chains.length - 2 * rank
  const joined: ReadonlyArray<Mode>[] = Array.from({ length: rank }, (_, k) => [
    ...chains[from + k]!,
    ...chains[from + rank + k]!,
  ])
  return Layout.ofChains(
    [...chains.slice(0, from), ...joined],
    layout.bits,
    layout.byteOffset,
    layout.swizzle,
  )
}

/** A ref of shared memory as it lies: without the transforms of its allocation. */
const asItLies = (h: Here, eqn: Eqn, ref: SmemRef): Build<View<'smem'>> =>
  block(function* () {
    let layout: TransformedRef = { ...(yield* layoutOf(ref.view)), swizzle: 16 }
    for (const t of [...ref.physical].reverse()) {
      if (t.untile === undefined) continue
      const tile = t.untile
      const chains = Layout.chainsOf(layout)
      const from = chains.length - tile.length
      const cut = tile.map((size, k) => splitModes(chains[from + k]!, size))
      if (cut.some((c) => c === null))
        return yield* refusedAt(h, eqn, 'jaxpr.view', `${ref.name} as it lies`, showApplied(t))
      layout = Layout.ofChains(
        [...chains.slice(0, from), ...cut.map((c) => c![0]), ...cut.map((c) => c![1])],
        layout.bits,
        layout.byteOffset,
        layout.swizzle,
      )
    }
    return seenAs(ref.view, ref.dtype, layout)
  })

const bitcast = function* <S extends 'smem' | 'tmem'>(
  h: Here,
  eqn: Eqn,
  name: string,
  view: View<S>,
  to: string,
): Steps<readonly [View<S>, Dtype]> {
  const layout = yield* layoutOf(view)
  if (!isDtype(to)) return yield* refusedAt(h, eqn, 'jaxpr.dtype', 'an element type of this library', to)
  const bits = bitsOf(to)
  if (bits === layout.bits) return [seenAs(view, to, layout), to]
  const last = layout.shape.length - 1
  const extent = ((layout.shape[last] ?? 1) * layout.bits) / bits
  if (
    layout.tiling.length > 0 ||
    layout.swizzle !== 16 ||
    last < 0 ||
    !Number.isInteger(extent) ||
    layout.strides[last] !== 1
  )
    return yield* refusedAt(
      h,
      eqn,
      'jaxpr.view',
      `a ref whose rows follow each other for a bitcast to ${to}`,
      `${name} of shape ${showShape(layout.shape)}`,
    )
  const strides = layout.strides.map((s, d) => (d === last ? 1 : (s * layout.bits) / bits))
  const made = yield* fromEither<TransformedRef>(
    Layout.ofStrides([...layout.shape.slice(0, last), extent], bits, strides, 16),
  )
  return [seenAs(view, to, { ...made, byteOffset: layout.byteOffset }), to]
}

type InBlock = SmemUse | TmemUse

const viewed = <U extends InBlock>(use: U, view: View<'smem' | 'tmem'>, dtype: Dtype = use.dtype): U =>
  checked<U, InBlock>(
    use._tag === 'smem'
      ? { ...use, dtype, view: checked<View<'smem'>, Expr>(view) }
      : { ...use, dtype, view: checked<View<'tmem'>, Expr>(view) },
  )

const loads: ReadonlySet<string> = new Set(['get', 'swap', 'addupdate'])

/**
 * A transposition, before the swizzle of a ref that is not tiled. Loads and stores take the swizzle of what they read or write by its addresses, behind all else; so they alone see the
 * swizzled dimension where it does not stand last. JAX 0.10.2 lowers that for lanes alone.
 */
const swizzledLast = function* (
  h: Here,
  eqn: Eqn,
  { view, dtype }: InBlock,
  transposed: (view: View<'smem' | 'tmem'>) => Build<View<'smem' | 'tmem'>>,
): Steps<View<'smem' | 'tmem'>> {
  const layout = yield* layoutOf(view)
  const { swizzle } = layout
  const isLowered = h.lowering === 'lane' || h.document.producer?.['jax'] !== '0.10.2'
  if (swizzle === 16 || layout.tiling.length > 0 || !isLowered || !loads.has(eqn.op))
    return yield* transposed(view)
  const plain = yield* transposed(seenAs(view, dtype, { ...layout, swizzle: 16 }))
  return seenAs(plain, dtype, { ...(yield* layoutOf(plain)), swizzle })
}

const applyInBlock = function* <U extends InBlock>(h: Here, eqn: Eqn, use: U, t: Applied): Steps<U> {
  const view: View<'smem' | 'tmem'> = use.view
  const { name } = use
  if (t.index !== undefined)
    return viewed(use, yield* Pallas.refAt(name, view, yield* refIndices(h, eqn, t.index)))
  if (t.transpose !== undefined)
    return viewed(use, yield* swizzledLast(h, eqn, use, (of) => Pallas.transposeRef(name, of, t.transpose!)))
  if (t.reshape !== undefined) return viewed(use, yield* Pallas.reshapeRef(name, view, t.reshape))
  if (t.tile !== undefined)
    return viewed(
      use,
      yield* Pallas.transformRef(name, view, yield* fromEither(Pallas.TilingTransform(t.tile))),
    )
  if (t.swizzle !== undefined) {
    const made = yield* fromEither(Pallas.SwizzleTransform(t.swizzle))
    return viewed(use, yield* Pallas.transformRef(name, view, made))
  }
  if (t.unswizzle !== undefined) {
    const layout = yield* layoutOf(view)
    if (!isSwizzle(t.unswizzle))
      return yield* refusedAt(
        h,
        eqn,
        'jaxpr.view',
        'a swizzle of 16, 32, 64 or 128 bytes',
        String(t.unswizzle),
      )
    return viewed(use, seenAs(view, use.dtype, { ...layout, swizzle: t.unswizzle }))
  }
  if (t.untile !== undefined) {
    const layout = yield* layoutOf(view)
    const rank = t.untile.length
    const last = layout.shape.slice(layout.shape.length - rank)
    if (layout.shape.length < 2 * rank || last.join() !== t.untile.join())
      return yield* refusedAt(
        h,
        eqn,
        'jaxpr.view',
        `a ref whose last dimensions are the tile ${showShape(t.untile)}`,
        `${name} of shape ${showShape(layout.shape)}`,
      )
    return viewed(use, seenAs(view, use.dtype, untiled(layout, rank)))
  }
  if (t.bitcast !== undefined) {
    const [as, dtype] = yield* bitcast(h, eqn, name, view, t.bitcast)
    return viewed(use, as, dtype)
  }
  if (t.expandLeading !== undefined) {
    const layout = yield* layoutOf(view)
    const [rows, columns = []] = Layout.chainsOf(layout)
    // of each batch one part of the columns; the batches stand ahead of the rows
    const cuts = [...t.expandLeading.slice(1), (layout.shape[1] ?? 0) / sizeOf(t.expandLeading)]
    const parts: ReadonlyArray<Mode>[] = []
    let rest = columns
    for (const size of cuts.reverse()) {
      const cut = layout.shape.length === 2 ? splitModes(rest, size) : null
      if (cut === null)
        return yield* refusedAt(
          h,
          eqn,
          'jaxpr.view',
          `columns of ${showShape(layout.shape)} in parts`,
          showApplied(t),
        )
      parts.unshift(cut[1])
      rest = cut[0]
    }
    const chains = [rest, ...parts.slice(0, -1), rows ?? [], ...parts.slice(-1)]
    return viewed(
      use,
      seenAs(view, use.dtype, Layout.ofChains(chains, layout.bits, layout.byteOffset, layout.swizzle)),
    )
  }
  if (t.collapseLeading !== undefined) {
    const { shape } = yield* layoutOf(view)
    const n = t.collapseLeading
    return viewed(use, yield* Pallas.reshapeRef(name, view, [sizeOf(shape.slice(0, n)), ...shape.slice(n)]))
  }
  if (t.clusterRef !== undefined && use._tag === 'smem')
    return viewed(use, yield* Pallas.clusterRef(name, use.view, yield* clusterPlace(h, eqn, t.clusterRef)))
  if (t.peer !== undefined) return yield* Pallas.remoteRef(name, view, String(JSON.stringify(t.peer)))
  if (t.multicast !== undefined) return yield* Pallas.multicastRef(name, view)
  return yield* refusedAt(h, eqn, 'jaxpr.view', `a view of ${name}`, showApplied(t))
}

/** Pairs of an axis and an index. */
const clusterPlace = function* (
  h: Here,
  eqn: Eqn,
  pairs: NonNullable<Applied['clusterRef']>,
): Steps<Readonly<Record<string, Int>>> {
  const at: [string, Int][] = []
  for (const [axis, index] of pairs) {
    if (typeof axis !== 'string')
      return yield* refusedAt(h, eqn, 'jaxpr.view', 'an axis and an index', JSON.stringify(axis))
    at.push([axis, yield* intOf(h, eqn, index)])
  }
  return Object.fromEntries(at)
}

// ---------------------------------------------------------------- barriers, semaphores, accumulators

const applyBarrier = function* (h: Here, eqn: Eqn, of: Pallas.Barrier, t: Applied): Steps<Pallas.Barrier> {
  if (t.clusterRef !== undefined)
    return yield* Pallas.clusterBarrierRef(of.name, of, yield* clusterPlace(h, eqn, t.clusterRef))
  if (t.index === undefined)
    return yield* refusedAt(h, eqn, 'jaxpr.view', `an index of the barrier ${of.name}`, showApplied(t))
  let barrier = of
  let kept = 0
  for (const [d, entry] of (yield* entriesOf(h, eqn, t.index)).entries()) {
    const extent = of.shape[d] ?? 0
    if (entry._tag === 'at') {
      const at = typeof entry.at === 'number' ? entry.at : known(entry.at)
      if (at !== null && (at < 0 || at >= extent))
        return yield* refusedAt(
          h,
          eqn,
          'jaxpr.view',
          `an index below ${String(extent)} of the barrier ${of.name}`,
          String(at),
        )
      if (kept > 0)
        return yield* refusedAt(h, eqn, 'jaxpr.view', 'indices before slices of barriers', showApplied(t))
      barrier = Pallas.barrierAt(barrier, asInt(entry.at))
    } else if (entry._tag === 'from') {
      if (typeof entry.from !== 'number')
        return yield* refusedAt(
          h,
          eqn,
          'jaxpr.view',
          'a slice of barriers from a number',
          'a value of the run',
        )
      if (entry.from !== 0 || entry.size !== extent || entry.stride !== 1) {
        if (kept > 0)
          return yield* refusedAt(
            h,
            eqn,
            'jaxpr.view',
            'a slice of the first dimension of barriers',
            showApplied(t),
          )
        barrier = yield* Pallas.barrierSlice(of.name, barrier, entry.from, entry.size, entry.stride)
      }
      kept++
    } else return yield* refusedAt(h, eqn, 'jaxpr.view', 'an index of a barrier', 'an array of indices')
  }
  return barrier
}

const semaphoreIndex = function* (
  h: Here,
  eqn: Eqn,
  { semaphore, shape: whole, base }: SemaphoreRef,
  view: ReadonlyArray<Applied>,
): Steps<Int | null> {
  let index: Int | null = null
  let shape = whole
  for (const t of view) {
    if (t.index === undefined)
      return yield* refusedAt(
        h,
        eqn,
        'jaxpr.view',
        `an index of the semaphore ${semaphore.name}`,
        showApplied(t),
      )
    const left: number[] = []
    for (const [d, entry] of (yield* entriesOf(h, eqn, t.index)).entries()) {
      const below = sizeOf(shape.slice(d + 1))
      if (entry._tag === 'at') {
        const by = asInt(entry.at)
        const at = known(by)
        const scaled = at === null ? Pallas.blockStart(by, below) : i32(at * below)
        index = index === null ? scaled : plus(index, scaled)
      } else if (entry._tag === 'from' && entry.from === 0 && entry.size === shape[d]) left.push(entry.size)
      else return yield* refusedAt(h, eqn, 'jaxpr.view', 'one semaphore', showApplied(t))
    }
    shape = left
  }
  return base === null ? index : index === null ? base : plus(base, index)
}

const applyAccumulator = function* (
  h: Here,
  eqn: Eqn,
  acc: Pallas.Accumulator<Pallas.AccumulatorDtype>,
  t: Applied,
): Steps<Pallas.Accumulator<Pallas.AccumulatorDtype>> {
  if (t.index === undefined)
    return yield* refusedAt(h, eqn, 'jaxpr.view', `a slice of the accumulator ${acc.name}`, showApplied(t))
  const starts: number[] = []
  const sizes: number[] = []
  for (const entry of yield* entriesOf(h, eqn, t.index)) {
    if (entry._tag !== 'from' || typeof entry.from !== 'number' || entry.stride !== 1)
      return yield* refusedAt(
        h,
        eqn,
        'jaxpr.view',
        `slices of ${acc.name} from numbers, step 1`,
        showApplied(t),
      )
    starts.push(entry.from)
    sizes.push(entry.size)
  }
  if (starts.every((n) => n === 0) && sizes.join() === acc.shape.join()) return acc
  return yield* Pallas.accumulatorAt(acc.name, acc, [starts[0]!, starts[1]!], [sizes[0]!, sizes[1]!])
}

// ---------------------------------------------------------------- members of unions

/** What lies before a member of its group: bytes of shared memory, each member at a multiple of 1024, or columns of tensor memory, of 4. */
const offsetOf = function* (members: ReadonlyArray<UnionMember>, of: UnionMember): Steps<number> {
  let offset = 0
  for (const { group, position, shape, ref } of members) {
    if (group !== of.group || position >= of.position) continue
    if (ref._tag === 'smem') {
      offset += 1024 * Math.ceil((sizeOf(shape) * bitsOf(ref.dtype)) / 8 / 1024)
      continue
    }
    const type = yield* typeHere(ref.view)
    const layout = type._tag === 'view' ? tensorMemoryLayoutOf(type.layout) : null
    if (layout !== null) offset += 4 * Math.ceil(columnsOf(layout, shape) / 4)
  }
  return offset
}

// ---------------------------------------------------------------- a use

const inBlock = function* (
  h: Here,
  eqn: Eqn,
  ref: SmemRef | TmemRef,
  view: ReadonlyArray<Applied>,
): Steps<SmemUse | TmemUse> {
  let rest = view
  let use: SmemUse | TmemUse =
    ref._tag === 'smem'
      ? { _tag: 'smem', name: ref.name, dtype: ref.dtype, view: ref.view }
      : { _tag: 'tmem', name: ref.name, dtype: ref.dtype, view: ref.view }
  if (ref.physical.length > 0) {
    if (ref.physical.every((t, k) => rest[k] !== undefined && sameApplied(t, rest[k])))
      rest = rest.slice(ref.physical.length)
    else if (ref._tag === 'tmem')
      return yield* refusedAt(h, eqn, 'jaxpr.view', `${ref.name} as its author sees it`, JSON.stringify(rest))
    else use = { _tag: 'smem', name: ref.name, dtype: ref.dtype, view: yield* asItLies(h, eqn, ref) }
  }
  for (const t of rest) use = yield* applyInBlock<SmemUse | TmemUse>(h, eqn, use, t)
  return use
}

/** One thing more, applied to what is left of a ref. */
const further = function* (h: Here, eqn: Eqn, used: Used, t: Applied): Steps<Used> {
  switch (used._tag) {
    case 'gmem':
      return yield* applyGmem(h, eqn, used, t)
    case 'smem':
    case 'tmem':
      return yield* applyInBlock<SmemUse | TmemUse>(h, eqn, used, t)
    case 'accumulator':
      return { _tag: 'accumulator', acc: yield* applyAccumulator(h, eqn, used.acc, t) }
    case 'barrier':
      return { _tag: 'barrier', barrier: yield* applyBarrier(h, eqn, used.barrier, t) }
    case 'semaphore':
    case 'cell':
      return yield* refusedAt(h, eqn, 'jaxpr.view', 'nothing more that is applied', showApplied(t))
  }
}

const isPhysical = (t: Applied): boolean => t.unswizzle !== undefined || t.untile !== undefined

/** A ref that was handed on: its transforms stand again where it is used. */
const boundAs = function* (h: Here, eqn: Eqn, bound: BoundRef, view: ReadonlyArray<Applied>): Steps<Used> {
  let used = yield* usedAs({ ...h, values: bound.from }, eqn, bound.of, bound.view)
  const physical = bound.view.filter(isPhysical)
  const again =
    physical.length > 0 && physical.every((t, k) => view[k] !== undefined && sameApplied(t, view[k]))
  for (const t of again ? view.slice(physical.length) : view) used = yield* further(h, eqn, used, t)
  return used
}

/** What is left of a ref when all of this is applied to it. */
export const usedAs = function* (h: Here, eqn: Eqn, ref: Ref, view: ReadonlyArray<Applied>): Steps<Used> {
  switch (ref._tag) {
    case 'gmem': {
      let use: GmemUse = {
        _tag: 'gmem',
        name: ref.name,
        dtype: ref.dtype,
        tensor: ref.tensor,
        whole: ref.view,
        starts: ref.shape.map(() => i32(0)),
        sizes: ref.shape,
        rows: null,
      }
      for (const t of view) use = yield* applyGmem(h, eqn, use, t)
      return use
    }
    case 'smem':
    case 'tmem':
      return yield* inBlock(h, eqn, ref, view)
    case 'union': {
      const [first, ...rest] = view
      const wanted = first?.extract
      if (wanted === undefined)
        return yield* refusedAt(
          h,
          eqn,
          'jaxpr.view',
          `a member of the union ${ref.name}`,
          first === undefined ? 'the union' : showApplied(first),
        )
      const same = ref.members.filter(
        (m) =>
          (wanted.group === undefined || m.group === wanted.group) &&
          m.dtype === wanted.dtype &&
          m.shape.join() === wanted.shape.join(),
      )
      const begins = (m: SmemRef | TmemRef): boolean =>
        m.physical.every((t, k) => rest[k] !== undefined && sameApplied(t, rest[k]))
      const [first_, ...others] = same.filter((m) => begins(m.ref))
      // members that look alike lie one behind the other
      let member = others.length === 0 ? (first_ ?? same[0]) : undefined
      for (const m of others.length === 0 ? [] : [first_!, ...others])
        if ((yield* offsetOf(ref.members, m)) === wanted.offset) member = m
      if (member === undefined)
        return yield* refusedAt(
          h,
          eqn,
          'jaxpr.view',
          `a member of the union ${ref.name}: ${ref.members.map((m) => `${m.dtype} ${showShape(m.shape)} in group ${String(m.group)}`).join(', ')}`,
          `${wanted.dtype} ${showShape(wanted.shape)} at ${String(wanted.offset)}`,
        )
      return yield* inBlock(h, eqn, member.ref, rest)
    }
    case 'accumulator': {
      let { acc } = ref
      for (const t of view) acc = yield* applyAccumulator(h, eqn, acc, t)
      return { _tag: 'accumulator', acc }
    }
    case 'barrier': {
      let { barrier } = ref
      for (const t of view) barrier = yield* applyBarrier(h, eqn, barrier, t)
      return { _tag: 'barrier', barrier }
    }
    case 'semaphore':
      return {
        _tag: 'semaphore',
        semaphore: ref.semaphore,
        index: yield* semaphoreIndex(h, eqn, ref, view),
      }
    case 'bound':
      return yield* boundAs(h, eqn, ref, view)
    case 'cell': {
      const part = view.find((t) => t.index?.some((i) => !('from' in i)) ?? keyOf(t) !== 'index')
      return part === undefined
        ? ref
        : yield* refusedAt(h, eqn, 'jaxpr.view', 'all of a value that run_state keeps', showApplied(part))
    }
  }
}
