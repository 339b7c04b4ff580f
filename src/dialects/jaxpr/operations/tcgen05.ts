/**
 * Products of Blackwell: `tcgen05_mma` in all its forms, and commits.
 *
 *     tcgen05_mma(acc, a, b, barrier?, aScale?, bScale?, aSparseMetadata?)     operand 0: does it add to what is there
 *
 * With a collective axis each is the leader's alone; with a barrier that is arrived at when the product is done. All of that is the surface's.
 *
 * Source: JAX, lowering of Mosaic GPU.
 */
import type { Dtype } from '../../../numerics/dtype.js'
import type { Steps } from '../../../semantics/writing/builder.js'
import type { Expr, View } from '../../../semantics/language/expression.js'
import { checked } from '../../../semantics/language/index-types.js'
import * as Pallas from '../../pallas/index.js'
import type { Eqn } from '../document.js'
import { refusedAt, type Here, type Rows } from '../here.js'
import { barrierUse, conditionOperand, isUsed, param, smemUse, tmemUse, use } from '../operands.js'

type InTmem = View<'tmem', Dtype, 2>

/** The axis of a pair, if the operation is one of a pair. */
export const pairAxis = function* (h: Here, eqn: Eqn): Steps<{ readonly collectiveAxis?: string }> {
  const axis = param(eqn, 'collectiveAxis')
  if (axis == null) return {}
  return typeof axis === 'string'
    ? { collectiveAxis: axis }
    : yield* refusedAt(h, eqn, 'jaxpr.param', 'collectiveAxis = an axis', JSON.stringify(axis))
}

/** A barrier that the tensor core may arrive on: the surface looks whether it is one. */
const completion = function* (h: Here, eqn: Eqn): Steps<Pallas.Barrier<true>> {
  return checked<Pallas.Barrier<true>, Pallas.Barrier>(yield* barrierUse(h, eqn, 'barrier'))
}

export const matrixInTmem = function* (h: Here, eqn: Eqn, name: string): Steps<InTmem> {
  return checked<InTmem, Expr>((yield* tmemUse(h, eqn, name)).view)
}

export const tcgen05Rows: Rows = {
  *tcgen05_mma(h, eqn, label) {
    const accumulate = yield* conditionOperand(h, eqn, 0)
    const acc = yield* matrixInTmem(h, eqn, 'acc')
    const left = yield* use(h, eqn, 'a')
    if (left._tag !== 'smem' && left._tag !== 'tmem')
      return yield* refusedAt(h, eqn, 'jaxpr.operand', 'a ref in SMEM or TMEM for a', left._tag)
    const a = checked<View<'smem' | 'tmem', Dtype, 2>, Expr>(left.view)
    const b = checked<View<'smem', Dtype, 2>, Expr>((yield* smemUse(h, eqn, 'b')).view)
    const barrier = isUsed(eqn, 'barrier') ? yield* completion(h, eqn) : null
    yield* Pallas.tcgen05Mma(label, acc, a, b, barrier, null, accumulate, {
      ...(yield* pairAxis(h, eqn)),
      ...(isUsed(eqn, 'aScale') ? { aScale: yield* matrixInTmem(h, eqn, 'aScale') } : {}),
      ...(isUsed(eqn, 'bScale') ? { bScale: yield* matrixInTmem(h, eqn, 'bScale') } : {}),
      ...(isUsed(eqn, 'aSparseMetadata')
        ? {
            aSparseMetadata: checked<View<'tmem', 'u32', 2>, Expr>(
              yield* matrixInTmem(h, eqn, 'aSparseMetadata'),
            ),
          }
        : {}),
    })
    return []
  },
  *tcgen05_commit_arrive(h, eqn, label) {
    yield* Pallas.tcgen05CommitArrive(label, yield* completion(h, eqn), null, yield* pairAxis(h, eqn))
    return []
  },
}
