/**
 * Products of Hopper, and accumulators.
 *
 * | operation                 | becomes                                                                                        |
 * |---------------------------|------------------------------------------------------------------------------------------------|
 * | `wgmma`                   | a product and its group; operand 0 is a where a is an array                                    |
 * | `wgmma_wait`              | the wait for groups                                                                            |
 * | `wgmma_accumulator_load`  | a wait for all but `waitN` groups (none: no wait), then what the registers hold                 |
 * | `wgmma_accumulator_store` | the registers are written, and fenced                                                          |
 * | `mma`                     | the product of arrays in registers; the element type is that of a and b                          |
 *
 * Source: JAX, lowering of Mosaic GPU: a `wgmma` commits and waits for nothing.
 */
import type { Dtype, FloatDtype } from '../../../numerics/dtype.js'
import { block } from '../../../semantics/writing/builder.js'
import type { ScalarName } from '../../../semantics/language/types.js'
import type { Expr, Tile, View } from '../../../semantics/language/expression.js'
import { checked } from '../../../semantics/language/index-types.js'
import * as Pallas from '../../pallas/index.js'
import { refusedAt, type Rows } from '../here.js'
import { accumulatorUse, arrayOperand, isUsed, param, smemUse } from '../operands.js'
import type { Part } from '../values.js'
import { countOperand } from './counts.js'

type Matrix = View<'smem', Dtype, 2>
type Factor = Tile<FloatDtype, 2>

export const wgmmaRows: Rows = {
  *wgmma(h, eqn, label) {
    const acc = yield* accumulatorUse(h, eqn, 'acc')
    const array = isUsed(eqn, 'a') ? null : yield* arrayOperand(h, eqn, 0)
    const a =
      array === null
        ? checked<Matrix, Expr>((yield* smemUse(h, eqn, 'a')).view)
        : checked<Factor, Expr>(array.tile)
    const b = checked<Matrix, Expr>((yield* smemUse(h, eqn, 'b')).view)
    yield* Pallas.wgmma(label, acc, a, b, 'implemented', array?.dtype ?? null)
    return []
  },
  *wgmma_wait(h, eqn, label) {
    yield* Pallas.wgmmaWait(label, yield* countOperand(h, eqn, 0))
    return []
  },
  *wgmma_accumulator_load(h, eqn, label) {
    const acc = yield* accumulatorUse(h, eqn, 'acc')
    const waitN = param(eqn, 'waitN')
    if (waitN != null && typeof waitN !== 'number')
      return yield* refusedAt(h, eqn, 'jaxpr.param', 'waitN = a number or null', JSON.stringify(waitN))
    // without a number it waits for nothing
    const tile = yield* Pallas.wgmmaAccumulatorLoad(label, acc, waitN ?? null)
    const part: Part = {
      read: (of, starts, sizes) =>
        block(function* () {
          const some = yield* Pallas.accumulatorAt(of, acc, starts, sizes)
          return yield* Pallas.wgmmaAccumulatorLoad(of, some, null)
        }),
      block: h.products,
      products: h.issued.count,
    }
    return [{ _tag: 'array', dtype: acc.dtype, shape: acc.shape, tile, ...(waitN === 0 ? { part } : {}) }]
  },
  *wgmma_accumulator_store(h, eqn, label) {
    const acc = yield* accumulatorUse(h, eqn, 'acc')
    const { tile } = yield* arrayOperand(h, eqn, 0)
    yield* Pallas.storeAccumulator(label, acc, tile)
    return []
  },
  *mma(h, eqn, label) {
    const acc = yield* arrayOperand(h, eqn, 0)
    const [a, b] = [yield* arrayOperand(h, eqn, 1), yield* arrayOperand(h, eqn, 2)]
    if (a.dtype !== b.dtype)
      return yield* refusedAt(h, eqn, 'jaxpr.operand', `b of ${a.dtype}, as a`, b.dtype)
    const tile = yield* Pallas.mma(
      label,
      checked<Tile<'f32', 2>, Expr>(acc.tile),
      checked<Tile<ScalarName, 2>, Expr>(a.tile),
      checked<Tile<ScalarName, 2>, Expr>(b.tile),
      a.dtype,
      h.lowering === 'warpgroup' ? 'always' : 'kept',
    )
    return [{ ...acc, tile }]
  },
}
