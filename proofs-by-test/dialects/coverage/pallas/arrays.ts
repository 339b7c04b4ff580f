/** Arithmetic of arrays: reductions along an axis, and back. */
import type * as Pallas from '../../../../src/dialects/pallas/index.js'
import { WGMMA } from '../../../../src/layouts/tiled.js'
import * as B from '../../../../src/semantics/writing/builder.js'
import { add, mul, sub } from '../../../../src/semantics/language/expression.js'
import type { Example, Row } from '../row.js'

type Surface = typeof Pallas

const square = [64, 64] as const
const page = 'JAX docs, Pallas:MGPU reference, layouts'

/** x[i, j] = i j; of row i the largest is 63 i and the sum 2016 i. */
const statistics: Example<Surface> = {
  name: 'statistics',
  outputs: {
    out: Array.from({ length: 4096 }, (_, p) => {
      const [i, j] = [Math.floor(p / 64), p % 64]
      return 63 * i + 2016 * i - i * j
    }),
  },
  program: (P) =>
    P.kernel(
      { name: 'statistics', arch: 'sm90a' },
      function* () {
        return yield* B.tensorParam('out', 'f32', square, { role: 'out' })
      },
      function* (out) {
        const i = yield* P.broadcastedIota<'f32', 2>('i', 'f32', square, 0, { layout: WGMMA })
        const j = yield* P.broadcastedIota<'f32', 2>('j', 'f32', square, 1, { layout: WGMMA })
        const x = yield* B.letIn('x', mul(i, j))
        const most = yield* P.reduceMax('most', x, 1)
        const sum = yield* P.reduceSum('sum', x, 1)
        // (64,) in the layout of rows meets (64, 64)
        const both = yield* P.broadcastInDim('both', add(most, sum), square, 1, WGMMA)
        yield* P.store('write', out.view, sub(both, x))
      },
    ),
}

export const rows: ReadonlyArray<Row<Surface>> = [
  {
    operation: 'jnp.max(axis)',
    names: ['reduceMax'],
    page,
    example: statistics,
    kind: 'view',
    without: (surface) => ({ ...surface, reduceMax: surface.reduceSum }),
  },
  {
    operation: 'jnp.sum(axis)',
    names: ['reduceSum'],
    page,
    example: statistics,
    kind: 'view',
    without: (surface) => ({ ...surface, reduceSum: surface.reduceMax }),
  },
  {
    operation: 'broadcast_in_dim',
    names: ['broadcastInDim'],
    page,
    example: statistics,
    kind: 'view',
    without: (surface) => ({
      ...surface,
      broadcastInDim: (label, x, shape, axis, layout) =>
        surface.broadcastInDim(label, x, shape, 1 - axis, layout),
    }),
  },
]
