/**
 * Between tensor memory and registers: `async_load_tmem`, `wait_load_tmem`, `async_store_tmem`, `commit_tmem`.
 *
 * Both ways are asynchronous. What a load gives can be used at once, and the *read* of tensor memory is over only at `wait_load_tmem` of the same
 * thread. A store is over at `commit_tmem` of the same thread.
 *
 *     async_load_tmem(ref)         tcgen05.ld into registers    tcgen05.useLd    regs.read
 *     wait_load_tmem()             tcgen05.waitLd
 *     async_store_tmem(ref, x)     tcgen05.st
 *     commit_tmem()                tcgen05.waitSt
 *
 * So what follows is settled by who waits, and when: (load, overwrite) needs the wait between them; to hand the columns to another thread, the
 * thread that loaded, or stored, waits before it arrives. A wait on the other side does not help.
 *
 * The two waits include a barrier of the thread's warps. A thread that is one agent needs none; give `thread` where its warps are agents.
 *
 * Which register layouts go with which tensor-memory layout: `layouts/tensor-memory/transfer.ts`. Without one, a load has that layout's own.
 *
 * `reduce` gives the smallest or largest of each row too, of the values or of their magnitudes: f32 by any, i32 by min and max, in a native
 * layout only, where a lane has a whole row.
 *
 * Laws
 * 1. store, commit, load gives what was stored, for every layout of registers that goes with the ref's.
 * 2. What is refused is what `checkTransfer` refuses.
 *
 * Limits: no instruction of the machine reduces while it loads; the reduction is arithmetic on the registers, of what the load gave.
 * 16-bit floats and u32 are not reduced.
 *
 * Names: `plgpu.async_load_tmem(ref, layout=..., reduce=...)`, `plgpu.wait_load_tmem()`, `plgpu.async_store_tmem(ref, value)`, `plgpu.commit_tmem()`.
 *
 * Source: JAX docs, Pallas:MGPU reference and the Blackwell matmul tutorial; PTX ISA, tcgen05.ld, tcgen05.st.
 */
import * as E from 'fp-ts/lib/Either.js'
import { showLayout, type RegisterLayout } from '../../layouts/register-layout.js'
import {
  showTensorMemoryLayout,
  vectorLength,
  type TensorMemoryLayout,
} from '../../layouts/tensor-memory/tensor-memory-layout.js'
import { checkTransfer, defaultRegisters } from '../../layouts/tensor-memory/transfer.js'
import * as Tiled from '../../layouts/tiled.js'
import { bitsOf, type Dtype } from '../../numerics/dtype.js'
import {
  block,
  freshStorage,
  registers,
  regsRead,
  run,
  typeHere,
  type Build,
  type ElementIndex,
} from '../../semantics/writing/builder.js'
import {
  abs,
  max,
  min,
  reduce,
  type Expr,
  type Tile,
  type View,
} from '../../semantics/language/expression.js'
import { checked } from '../../semantics/language/index-types.js'
import type { ViewType } from '../../semantics/language/types.js'
import { sameShape, showShape } from '../../transforms/shape.js'
import { refused } from './codes.js'
import type { Thread } from './context.js'
import { warpgroupBarrier } from './core-map.js'
import { tensorMemoryLayoutOf } from './memory.js'

// ---------------------------------------------------------------- preconditions

interface Place {
  readonly type: ViewType
  readonly layout: TensorMemoryLayout
}

/** A ref of tensor memory that lies under one of Pallas's layouts. */
const placeOf = (label: string, ref: View<'tmem', Dtype, 2>): Build<Place> =>
  block(function* () {
    const type = yield* typeHere(ref)
    if (type._tag !== 'view') return yield* refused('pallas.tmem.transfer', `${label}: expected a TMEM ref`)
    const layout = tensorMemoryLayoutOf(type.layout)
    return layout === null
      ? yield* refused(
          'pallas.tmem.transfer',
          `${label}: a TMEM ref of shape ${showShape(type.layout.shape)} that lies under none of the layouts of tensor memory`,
        )
      : { type, layout }
  })

/** The register layout goes with that of the ref. */
const goesWith = (label: string, { type, layout }: Place, found: RegisterLayout): Build<Tiled.TiledLayout> =>
  block(function* () {
    if (found._tag !== 'tiled')
      return yield* refused(
        'pallas.tmem.transfer',
        `${label}: expected a tiled register layout for ${showTensorMemoryLayout(layout)}, found ${showLayout(found)}`,
      )
    const legal = checkTransfer(layout, found, bitsOf(type.dtype))
    return E.isLeft(legal) ? yield* refused('pallas.tmem.transfer', `${label}: ${legal.left.message}`) : found
  })

// ---------------------------------------------------------------- loads

/** `async_load_tmem(ref, layout)` of the thread `agent`. The shape is that of the ref. */
export const asyncLoadTmem = <D extends Dtype>(
  label: string,
  agent: string,
  ref: View<'tmem', D, 2>,
  said?: readonly [number, number],
  layout?: RegisterLayout,
): Build<Tile<ElementIndex<D>, 2>> =>
  block(function* () {
    const from = yield* placeOf(label, ref)
    const [rows = 0, columns = 0] = from.type.layout.shape
    const shape = said ?? ([rows, columns] as const)
    if (!sameShape(from.type.layout.shape, shape))
      return yield* refused(
        'pallas.tmem.shape',
        `${label}: expected an array of shape ${showShape(from.type.layout.shape)}, as the ref's, found ${showShape(shape)}`,
      )
    const own = defaultRegisters(from.layout, bitsOf(from.type.dtype))
    if (layout === undefined && E.isLeft(own))
      return yield* refused('pallas.tmem.transfer', `${label}: ${own.left.message}`)
    const wanted = yield* goesWith(label, from, layout ?? (E.isRight(own) ? own.right : Tiled.TCGEN05))
    const into = yield* registers<D, readonly [number, number]>(
      yield* freshStorage(`${label}.registers`),
      agent,
      checked<D, Dtype>(from.type.dtype),
      shape,
    )
    yield* run(label, { _tag: 'tcgen05.ld', source: ref, destination: into })
    yield* run(`${label}.use`, { _tag: 'tcgen05.useLd' })
    return yield* regsRead(`${label}.value`, into, { layout: wanted })
  })

/** The reduction of each row by a load. */
export type RowReduction = 'min' | 'max' | 'absmin' | 'absmax'

/** A lane has whole rows. */
const isNative = ({ layout, type }: Place, found: Tiled.TiledLayout): boolean => {
  const pairs = Tiled.TMEM_NATIVE(2)
  return (
    Tiled.sameTiledLayout(found, layout.tiled) ||
    (layout.kind === 'default' &&
      bitsOf(type.dtype) >= 16 &&
      vectorLength(layout) === 1 &&
      E.isRight(pairs) &&
      Tiled.sameTiledLayout(found, pairs.right))
  )
}

/** `async_load_tmem(ref, layout, reduce)`: the array, and the reduction of each row. */
export const asyncLoadTmemReduce = <D extends 'f32' | 'i32'>(
  label: string,
  agent: string,
  ref: View<'tmem', D, 2>,
  shape: readonly [number, number],
  layout: Tiled.TiledLayout,
  by: RowReduction,
): Build<{ readonly value: Tile<ElementIndex<D>, 2>; readonly reduced: Tile<ElementIndex<D>, 1> }> =>
  block(function* () {
    const from = yield* placeOf(label, ref)
    const { dtype } = from.type
    if (dtype !== 'f32' && !(dtype === 'i32' && (by === 'min' || by === 'max')))
      return yield* refused(
        'pallas.tmem.reduce',
        `${label}: reduce=${by} of ${dtype}: expected f32 by min, max, absmin or absmax, or i32 by min or max`,
      )
    const rows = Tiled.reduce([1])(layout)
    if (!isNative(from, layout) || E.isLeft(rows))
      return yield* refused(
        'pallas.tmem.reduce',
        `${label}: a load that reduces brings whole rows to a lane: expected the native layout of ${showTensorMemoryLayout(from.layout)}, found ${showLayout(layout)}`,
      )
    const value = yield* asyncLoadTmem(label, agent, ref, shape, layout)
    const magnitude =
      by === 'absmin' || by === 'absmax'
        ? checked<Tile<ElementIndex<D>, 2>, Expr>(abs(checked<Tile<'f32', 2>, Expr>(value)))
        : value
    const combine = by === 'min' || by === 'absmin' ? min : max
    return { value, reduced: reduce<ElementIndex<D>, 2>(magnitude, 1, combine, rows.right) }
  })

const together = (label: string, thread: Thread | undefined): Build<void> =>
  block(function* () {
    if (thread !== undefined) yield* warpgroupBarrier(`${label}.sync`, thread)
  })

/** `wait_load_tmem()`: waits until every load of tensor memory by this thread is done. */
export const waitLoadTmem = (label: string, thread?: Thread): Build<void> =>
  block(function* () {
    yield* run(label, { _tag: 'tcgen05.waitLd' })
    yield* together(label, thread)
  })

// ---------------------------------------------------------------- stores

/** `async_store_tmem(ref, value)`. A value without a layout, or with equal elements, fits any ref. */
export const asyncStoreTmem = <D extends Dtype>(
  label: string,
  ref: View<'tmem', D, 2>,
  value: Tile<ElementIndex<D>, 2>,
): Build<void> =>
  block(function* () {
    const into = yield* placeOf(label, ref)
    const type = yield* typeHere(value)
    const { shape } = into.type.layout
    if (type._tag !== 'tile' || !sameShape(type.shape, shape))
      return yield* refused(
        'pallas.tmem.shape',
        `${label}: expected an array of shape ${showShape(shape)}, as the ref's, found ${type._tag === 'tile' ? showShape(type.shape) : 'none'}`,
      )
    if (type.layout !== 'any' && type.layout._tag !== 'splat') yield* goesWith(label, into, type.layout)
    yield* run(label, { _tag: 'tcgen05.st', destination: ref, value })
  })

/** `commit_tmem()`: waits until every store of tensor memory by this thread is done. */
export const commitTmem = (label: string, thread?: Thread): Build<void> =>
  block(function* () {
    yield* run(label, { _tag: 'tcgen05.waitSt' })
    yield* together(label, thread)
  })
