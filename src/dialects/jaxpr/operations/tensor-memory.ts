/**
 * Tensor memory: loads into registers, stores from them, copies from shared memory.
 *
 * | operation                                            | becomes                                                                 |
 * |------------------------------------------------------|-------------------------------------------------------------------------|
 * | `async_load_tmem`                                    | the array; with `reduce` also what the reduction found in each row        |
 * | `wait_load_tmem`, `commit_tmem`                      | the waits of the thread                                                  |
 * | `async_store_tmem`                                   | the store                                                               |
 * | `async_copy_smem_to_tmem`, of scales, of metadata    | `tcgen05.cp`                                                            |
 *
 * How an array lies in registers is what the text says of it further on (`inference.ts`), or the layout that goes with the ref's.
 *
 * Source: JAX, lowering of Mosaic GPU.
 */
import type { Dtype } from '../../../numerics/dtype.js'
import * as Tiled from '../../../layouts/tiled.js'
import { typeHere, type Build, type Steps } from '../../../semantics/writing/builder.js'
import type { Expr, Tile, View } from '../../../semantics/language/expression.js'
import { checked } from '../../../semantics/language/index-types.js'
import type { ScalarName } from '../../../semantics/language/types.js'
import * as Pallas from '../../pallas/index.js'
import type { Eqn } from '../document.js'
import { refusedAt, type Here, type Rows } from '../here.js'
import { arrayOperand, param, smemUse, tmemUse } from '../operands.js'
import type { ArrayValue } from '../values.js'
import { matrixInTmem, pairAxis } from './tcgen05.js'

const reductions: ReadonlyArray<Pallas.RowReduction> = ['min', 'max', 'absmin', 'absmax']

/** What the text says of the array that is loaded, if it says something. */
const layoutOf = (h: Here, eqn: Eqn) => {
  const out = eqn.out?.[0]
  return out == null ? undefined : h.inferred.layouts.get(out.v)
}

const arrayOf = function* (dtype: Dtype, tile: Tile<ScalarName>): Steps<ArrayValue> {
  const type = yield* typeHere(tile)
  return { _tag: 'array', dtype, shape: type._tag === 'tile' ? type.shape : [], tile }
}

const copyRow =
  <From extends View<'smem'>, To extends View<'tmem'>>(
    copy: (label: string, source: From, destination: To, options: Pallas.TensorCopyOptions) => Build<void>,
  ): Rows[string] =>
  (h, eqn, label) =>
    (function* () {
      const source = checked<From, Expr>((yield* smemUse(h, eqn, 'smem')).view)
      const destination = checked<To, Expr>((yield* tmemUse(h, eqn, 'tmem')).view)
      yield* copy(label, source, destination, yield* pairAxis(h, eqn))
      return []
    })()

export const tensorMemoryRows: Rows = {
  *async_load_tmem(h, eqn, label) {
    const { dtype } = yield* tmemUse(h, eqn, 'ref')
    const ref = yield* matrixInTmem(h, eqn, 'ref')
    const { name } = yield* Pallas.threadHere(label)
    const layout = layoutOf(h, eqn)
    const asked = param(eqn, 'reduce')
    if (asked == null) {
      const tile = yield* Pallas.asyncLoadTmem(label, name, ref, undefined, layout)
      return [yield* arrayOf(dtype, tile)]
    }
    const by = reductions.find((r) => r === asked)
    if (by === undefined)
      return yield* refusedAt(
        h,
        eqn,
        'jaxpr.param',
        `reduce = ${reductions.join(', ')}`,
        JSON.stringify(asked),
      )
    const type = yield* typeHere(ref)
    const [rows = 0, columns = 0] = type._tag === 'view' ? type.layout.shape : []
    const native = layout?._tag === 'tiled' ? layout : Tiled.TCGEN05
    const { value, reduced } = yield* Pallas.asyncLoadTmemReduce(
      label,
      name,
      checked<View<'tmem', 'f32', 2>, Expr>(ref),
      [rows, columns],
      native,
      by,
    )
    return [yield* arrayOf(dtype, value), yield* arrayOf(dtype, reduced)]
  },
  *wait_load_tmem(_, __, label) {
    yield* Pallas.waitLoadTmem(label)
    return []
  },
  *async_store_tmem(h, eqn, label) {
    const { tile } = yield* arrayOperand(h, eqn, 0)
    const ref = yield* matrixInTmem(h, eqn, 'ref')
    yield* Pallas.asyncStoreTmem(label, ref, checked<Tile<never, 2>, Expr>(tile))
    return []
  },
  *commit_tmem(_, __, label) {
    yield* Pallas.commitTmem(label)
    return []
  },
  async_copy_smem_to_tmem: copyRow(Pallas.asyncCopySmemToTmem),
  async_copy_scales_to_tmem: copyRow(Pallas.asyncCopyScalesToTmem),
  async_copy_sparse_metadata_to_tmem: copyRow(Pallas.asyncCopySparseMetadataToTmem),
}
