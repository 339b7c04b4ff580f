/**
 * Warp maps: `core_map` over a WarpMesh.
 *
 * The body is elaborated for each of the four warps. Scalars around it are captured, but for those that are known; arrays are refused by the surface.
 * A value that `run_state` keeps is not the warps' to change.
 *
 * Source: JAX, lowering of Mosaic GPU.
 */
import type { Expr } from '../../../semantics/language/expression.js'
import { checked } from '../../../semantics/language/index-types.js'
import type { ScalarName, TypeIndex } from '../../../semantics/language/types.js'
import * as Pallas from '../../pallas/index.js'
import { known } from '../../pallas/context.js'
import { refusedAt, type Rows } from '../here.js'
import { jaxprOf, number, operands, word } from '../operands.js'
import { showKind, type Elaborated } from '../values.js'

type Any = Readonly<Record<string, TypeIndex>>

export const warpRows: Rows = {
  *core_map(h, eqn, label) {
    const axisName = yield* word(h, eqn, 'axisName')
    const warps = yield* number(h, eqn, 'numWarps', 4)
    if (warps !== 4) return yield* refusedAt(h, eqn, 'jaxpr.param', 'numWarps = 4', String(warps))
    const body = yield* jaxprOf(h, eqn, 'body')
    const given = yield* operands(h, eqn)
    const cell = given.find((x) => x._tag === 'cell')
    if (cell !== undefined)
      return yield* refusedAt(h, eqn, 'jaxpr.operand', 'scalars and refs of memory', showKind(cell))
    const captures: Record<string, Expr> = {}
    for (const [k, x] of given.entries())
      if (x._tag === 'array') captures[`x${String(k)}`] = x.tile
      else if (x._tag === 'scalar' && known(x.expr) === null) captures[`x${String(k)}`] = x.expr
    yield* Pallas.coreMap<Any>(label, Pallas.WarpMesh({ axisName }), captures, function* (captured) {
      const inside = given.map((x, k): Elaborated => {
        const expr = captured[`x${String(k)}`]
        return x._tag === 'scalar' && expr !== undefined
          ? { ...x, expr: checked<Expr<ScalarName>, Expr>(expr) }
          : x
      })
      yield* h.run(h, body, inside)
    })
    return []
  },
}
