/** Rows of Hopper's tensor core: products of 64 x 64 x 64, with small integers as inputs, so that every sum is exact. */
import * as Pallas from '../../../../src/dialects/pallas/index.js'
import { MMA_ACC, MMA_LHS, MMA_RHS, WGMMA } from '../../../../src/layouts/tiled.js'
import * as B from '../../../../src/semantics/writing/builder.js'
import {
  float,
  i32,
  slice,
  splat,
  type Tile,
  type View,
} from '../../../../src/semantics/language/expression.js'
import type { Transform } from '../../../../src/transforms/transform.js'
import { right } from '../../../either.js'
import type { Example, Row } from '../row.js'

type Surface = typeof Pallas

const page = 'JAX docs, Pallas:MGPU reference, MMA (TensorCore)'
const size = 64
const whole = [size, size] as const

// ---------------------------------------------------------------- inputs, and the product by another definition

/** Small integers, no two rows or columns alike. */
export const numbers = (rows: number, columns: number, seed: number): ReadonlyArray<number> =>
  Array.from({ length: rows * columns }, (_, at) => {
    const [i, j] = [Math.floor(at / columns), at % columns]
    return ((i * (3 + seed) + j * (5 + seed) + ((i * j) % 3)) % 7) - 3
  })

/** A (m, k) by B (k, n), in plain loops. */
export const product = (
  a: ReadonlyArray<number>,
  b: ReadonlyArray<number>,
  [m, n, k]: readonly [m: number, n: number, k: number],
): ReadonlyArray<number> => {
  const out: number[] = []
  for (let i = 0; i < m; i++)
    for (let j = 0; j < n; j++) {
      let sum = 0
      for (let x = 0; x < k; x++) sum += a[i * k + x]! * b[x * n + j]!
      // no sum of products of integers is -0
      out.push(sum + 0)
    }
  return out
}

export const a: ReadonlyArray<number> = numbers(size, size, 0)
export const b: ReadonlyArray<number> = numbers(size, size, 1)
const expected = product(a, b, [size, size, size])

// ---------------------------------------------------------------- the kernel

interface Operands {
  readonly acc: Pallas.Accumulator
  readonly a: View<'smem', 'f16', 2>
  readonly b: View<'smem', 'f16', 2>
}

/** Loads both operands, lets a body compute, and writes what it gives. */
export const example = (
  name: string,
  body: (P: Surface, operands: Operands) => B.Steps<Tile<'f32', 2>>,
  swizzle: 64 | 128 = 128,
): Example<Surface> => ({
  name,
  inputs: { a, b },
  outputs: { out: expected },
  program: (P) =>
    B.kernel({ name, arch: 'sm90a', agents: [B.warpgroup('thread', 0)] }, function* () {
      const aGmem = yield* B.tensorParam('a', 'f16', whole, { role: 'in' })
      const bGmem = yield* B.tensorParam('b', 'f16', whole, { role: 'in' })
      const out = yield* B.tensorParam('out', 'f32', whole, { role: 'out' })
      const transforms: ReadonlyArray<Transform> = yield* B.fromEither(
        P.mmaTransforms(16, [swizzle === 128 ? 64 : 32]),
      )
      const aSmem = yield* B.sharedMemory('a_smem', 'f16', whole, transforms)
      const bSmem = yield* B.sharedMemory('b_smem', 'f16', whole, transforms)
      const acc = yield* P.ACC('acc', 'thread', 'f32', whole)
      const loaded = yield* P.Barrier('loaded', { numArrivals: 2, numBarriers: 1 })
      const thread = function* (): Generator<B.Step, void, B.State> {
        yield* P.initAccumulator('zero acc', acc)
        const origin = [i32(0), i32(0)]
        yield* P.copyGmemToSmem('load a', P.at(aGmem, origin, whole), aSmem, loaded, i32(0))
        yield* P.copyGmemToSmem('load b', P.at(bGmem, origin, whole), bSmem, loaded, i32(0))
        yield* P.barrierWait('wait loaded', loaded, i32(0), P.freshParities)
        const value = yield* body(P, { acc, a: aSmem, b: bSmem })
        yield* B.run('out[...] = acc', { _tag: 'gmem.store', destination: out.view, value })
      }
      yield* P.threads([loaded], [{ name: 'thread', body: thread }])
    }),
})

const two = example('two products', function* (P, o) {
  yield* P.wgmma('wgmma', o.acc, o.a, o.b)
  return yield* P.readAccumulator('acc[...]', o.acc)
})
const documented = example('a product that is waited for', function* (P, o) {
  yield* P.wgmma('wgmma', o.acc, o.a, o.b)
  yield* P.wgmmaWait('wgmma_wait', 0)
  return yield* P.wgmmaAccumulatorLoad('load acc', o.acc, null)
})
const inRegisters = example('a product of an array', function* (P, o) {
  const value = yield* B.smemLoad('a', o.a, { layout: WGMMA })
  yield* P.wgmma('wgmma', o.acc, value, o.b)
  return yield* P.wgmmaAccumulatorLoad('load acc', o.acc)
})
const begun = example('an accumulator that is written between two products', function* (P, o) {
  yield* P.wgmma('wgmma', o.acc, o.a, o.b)
  yield* P.wgmmaWait('wgmma_wait', 0)
  yield* P.storeAccumulator('acc[...] = 0', o.acc, splat(float('f32', 0), whole, WGMMA))
  yield* P.wgmma('again', o.acc, o.a, o.b)
  return yield* P.readAccumulator('acc[...]', o.acc)
})
const halves = example(
  'two halves of an accumulator',
  function* (P, o) {
    for (const from of [0, 32]) {
      const half = yield* P.accumulatorAt(`acc.at[:, ${String(from)}:]`, o.acc, [0, from], [64, 32])
      const columns = slice(o.b, [i32(0), i32(from)], [64, 32])
      yield* P.wgmma(`wgmma ${String(from)}`, half, o.a, columns)
    }
    return yield* P.readAccumulator('acc[...]', o.acc)
  },
  64,
)

/** By the instructions of warps: what is multiplied lies in registers. */
const ofWarps = example('a product of warps', function* (P, o) {
  const left = yield* B.smemLoad('a', o.a, { layout: right(MMA_LHS(16, 4)) })
  const value = yield* B.smemLoad('b', o.b, { layout: right(MMA_RHS(16, 4)) })
  return yield* P.mma('mma', splat<'f32', 2>(float('f32', 0), whole, right(MMA_ACC(4))), left, value, 'f16')
})

export const rows: ReadonlyArray<Row<Surface>> = [
  {
    kind: 'statements',
    operation: 'wgmma',
    names: ['wgmma'],
    page,
    example: two,
    change: (P, wrap) => ({ ...P, wgmma: wrap(P.wgmma) }),
  },
  {
    kind: 'statements',
    operation: 'wgmma (A in registers)',
    names: ['wgmma'],
    page,
    example: inRegisters,
    change: (P, wrap) => ({ ...P, wgmma: wrap(P.wgmma) }),
  },
  {
    kind: 'statements',
    operation: 'wgmma_wait',
    names: ['wgmmaWait'],
    page,
    example: documented,
    change: (P, wrap) => ({ ...P, wgmmaWait: wrap(P.wgmmaWait) }),
  },
  {
    kind: 'statements',
    operation: 'wgmma_accumulator_load',
    names: ['wgmmaAccumulatorLoad'],
    page,
    example: inRegisters,
    change: (P, wrap) => ({ ...P, wgmmaAccumulatorLoad: wrap(P.wgmmaAccumulatorLoad) }),
  },
  {
    kind: 'statements',
    operation: 'acc[...] = value',
    names: ['storeAccumulator'],
    page,
    example: begun,
    change: (P, wrap) => ({ ...P, storeAccumulator: wrap(P.storeAccumulator) }),
  },
  {
    kind: 'statements',
    operation: 'acc[...]',
    names: ['readAccumulator'],
    page,
    example: two,
    change: (P, wrap) => ({ ...P, readAccumulator: wrap(P.readAccumulator) }),
  },
  {
    kind: 'view',
    operation: 'acc.at[...]',
    names: ['accumulatorAt'],
    page,
    example: halves,
    without: (P) => ({
      ...P,
      accumulatorAt: (label, acc, _starts, sizes) => P.accumulatorAt(label, acc, [0, 0], sizes),
    }),
  },
  {
    kind: 'statements',
    operation: 'mma',
    names: ['mma'],
    page,
    example: ofWarps,
    change: (P, wrap) => ({ ...P, mma: wrap(P.mma) }),
  },
]
