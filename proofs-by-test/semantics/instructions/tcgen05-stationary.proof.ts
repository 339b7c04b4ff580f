/** Weight-stationary products in the core: which shapes there are, and where D lies. */
import * as E from 'fp-ts/lib/Either.js'
import { expect, test } from 'vitest'
import {
  accumulator,
  accumulatorIdOf,
  accumulatorRef,
} from '../../../src/layouts/tensor-memory/accumulator.js'
import * as B from '../../../src/semantics/writing/builder.js'
import * as X from '../../../src/semantics/language/expression.js'
import type { Program } from '../../../src/semantics/language/program.js'
import type { Failure } from '../../../src/failure.js'
import * as Ref from '../../../src/transforms/ref.js'
import { swizzle, tile } from '../../../src/transforms/transform.js'
import { right } from '../../either.js'

/** A product of m rows by n columns over 16 of k, whose D lies as that of `mode`. */
const product = (
  m: number,
  n: number,
  mode: 'one' | 'ws',
  weightStationary: boolean,
): E.Either<Failure, Program> =>
  B.kernel({ name: 'product', arch: 'sm100a', agents: [B.warpgroup('wg', 0)] }, function* () {
    const operand = (shape: readonly [number, number]) =>
      right(Ref.ofTransforms(shape, 16, [right(tile([8, 16])), right(swizzle(32))]))
    const a = yield* B.sharedMemory('a', 'f16', [m, 16], [], { layout: operand([m, 16]) })
    const b = yield* B.sharedMemory('b', 'f16', [n, 16], [], { layout: operand([n, 16]) })
    const id = accumulatorIdOf(m, mode)
    const d = yield* B.tensorMemory(
      'd',
      'f32',
      [m, n],
      id === null ? {} : { layout: accumulatorRef(right(accumulator(id, n)), 32) },
    )
    const done = yield* B.barriers('done', [], { ordersTensorCore: true })
    yield* B.run('init', { _tag: 'mbarrier.init', barrier: done, count: 1 })
    yield* B.run('allocate', { _tag: 'tcgen05.alloc', columns: 128, ctaGroup: 1 })
    yield* B.run('mma', {
      _tag: 'tcgen05.mma',
      accumulator: d,
      a,
      b: X.transposeView(b, [1, 0]),
      accumulate: X.i1(false),
      ctaGroup: 1,
      ...(weightStationary ? { weightStationary } : {}),
      completions: [{ barrier: done, when: X.i1(true) }],
    })
    yield* B.run('wait', {
      _tag: 'mbarrier.wait',
      barrier: done,
      parity: X.i32(0),
      acquire: true,
      scope: 'cta',
    })
    yield* B.run('deallocate', { _tag: 'tcgen05.dealloc', columns: 128, ctaGroup: 1 })
  })

test.each([
  [32, 64],
  [32, 128],
  [64, 64],
  [64, 256],
  [128, 128],
] as const)('%i rows by %i columns lie as PTX says', (m, n) => {
  expect(product(m, n, 'ws', true)).toMatchObject({ _tag: 'Right' })
})

test.each([
  [32, 64, 'ws', false, 'mma.shape'],
  [32, 32, 'ws', true, 'mma.shape'],
  [64, 32, 'ws', true, 'mma.shape'],
  // 16 lanes of each quarter: the data path of other products
  [64, 64, 'one', true, 'mma.tensor-memory'],
  [64, 64, 'ws', false, 'mma.tensor-memory'],
] as const)('%i rows by %i columns, D as of %s, stationary %s: %s', (m, n, mode, weightStationary, code) => {
  expect(product(m, n, mode, weightStationary)).toMatchObject({ _tag: 'Left', left: { code } })
})
