/** Arithmetic of arrays: reductions along an axis, and back. */
import type * as Pallas from '../../../../src/dialects/pallas/index.js'
import { WGMMA, WGMMA_TRANSPOSED } from '../../../../src/layouts/tiled.js'
import * as B from '../../../../src/semantics/writing/builder.js'
import { add, float, mul, splat, sub } from '../../../../src/semantics/language/expression.js'
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

/** i + j + 1: two arrays of one layout once one of them is cast, and a number at every index, which has no layout of its own. */
const sums: Example<Surface> = {
  name: 'sums of arrays',
  outputs: { out: Array.from({ length: 4096 }, (_, p) => Math.floor(p / 64) + (p % 64) + 1) },
  program: (P) =>
    P.kernel(
      { name: 'sums', arch: 'sm90a' },
      function* () {
        return yield* B.tensorParam('out', 'f32', square, { role: 'out' })
      },
      function* (out) {
        const i = yield* P.broadcastedIota<'f32', 2>('i', 'f32', square, 0, { layout: WGMMA })
        const j = yield* P.broadcastedIota<'f32', 2>('j', 'f32', square, 1, { layout: WGMMA_TRANSPOSED })
        const both = yield* P.addArrays('i + j', i, yield* P.layoutCast('j cast', j, WGMMA))
        const one = splat<'f32', 2>(float('f32', 1), square)
        yield* P.store('write', out.view, yield* P.addArrays('+ 1', both, one))
      },
    ),
}

export const rows: ReadonlyArray<Row<Surface>> = [
  {
    operation: 'x + y',
    names: ['addArrays'],
    page,
    example: sums,
    kind: 'view',
    without: (surface) => ({
      ...surface,
      addArrays: (_label, x) => B.of(x),
    }),
  },
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
