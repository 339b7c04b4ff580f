/**
 * What tsc refuses, each beside its lawful neighbour. There is nothing to run: `tsc -p tsconfig.json` reads the comments.
 */
import * as B from '../../../src/semantics/writing/builder.js'
import * as X from '../../../src/semantics/language/expression.js'
import type { View } from '../../../src/semantics/language/expression.js'

export const tmemIntoTma: B.Build<void> = B.block(function* () {
  const a = yield* B.tensorParam('a', 'f16', [128, 64], { role: 'in' })
  const map = yield* B.descriptorParam('map', a, [128, 64])
  const full = yield* B.barriers('full', [])
  const smem = yield* B.sharedMemory('smem', 'f16', [128, 64])
  const tmem = yield* B.tensorMemory('tmem', 'f16', [128, 64])
  const coords = [X.i32(0), X.i32(0)]
  yield* B.run('lawful', {
    _tag: 'tma.load',
    descriptor: map,
    coords,
    destination: smem,
    barrier: full,
    ctaGroup: 1,
  })
  yield* B.run('misuse', {
    _tag: 'tma.load',
    descriptor: map,
    coords,
    // @ts-expect-error the destination of a TMA copy lies in shared memory
    destination: tmem,
    barrier: full,
    ctaGroup: 1,
  })
})

export const registersAsB: B.Build<void> = B.block(function* () {
  const accumulator = yield* B.registers('acc', 'wg', 'f32', [64, 64])
  const a = yield* B.registers('a', 'wg', 'f16', [64, 16])
  const b = yield* B.registers('b', 'wg', 'f16', [16, 64])
  const b1 = yield* B.sharedMemory('b1', 'f16', [16, 64])
  const scaleD = X.i1(true)
  yield* B.run('lawful', { _tag: 'wgmma.mma', accumulator, a, b: b1, scaleD, negateA: false, negateB: false })
  // @ts-expect-error B is read from shared memory only
  yield* B.run('misuse', { _tag: 'wgmma.mma', accumulator, a, b, scaleD, negateA: false, negateB: false })
})

export const unorderedCompletion: B.Build<void> = B.block(function* () {
  const done = yield* B.barriers('done', [], { ordersTensorCore: true })
  const plain = yield* B.barriers('plain', [])
  yield* B.run('lawful', { _tag: 'tcgen05.commit', barrier: done, ctaGroup: 1 })
  // @ts-expect-error a commit arrives on a barrier that orders the tensor core
  yield* B.run('misuse', { _tag: 'tcgen05.commit', barrier: plain, ctaGroup: 1 })
  const ring = yield* B.barriers('ring', [2], { ordersTensorCore: true })
  yield* B.run('lawful slot', { _tag: 'tcgen05.commit', barrier: X.slot(ring, X.i32(0)), ctaGroup: 1 })
  // @ts-expect-error two barriers are not one
  yield* B.run('misuse', { _tag: 'tcgen05.commit', barrier: ring, ctaGroup: 1 })
})

export const otherDtype: B.Build<void> = B.block(function* () {
  const half = yield* B.sharedMemory('half', 'f16', [64, 64])
  const lawful: View<'smem', 'f16', 2> = half
  // @ts-expect-error an f16 ref is not an f32 view
  const misuse: View<'smem', 'f32', 2> = half
  // @ts-expect-error nor one of rank 3
  const deeper: View<'smem', 'f16', 3> = half
  yield* B.of([lawful, misuse, deeper])
})

export const intAsCondition: B.Build<void> = B.block(function* () {
  const n = yield* B.scalarParam('n', 'i32')
  yield* B.ifThen('lawful', X.lt(n, X.i32(4)), function* () {
    yield* B.run('fence', { _tag: 'fence.mbarrierInit' }, { when: X.i1(true) })
  })
  // @ts-expect-error an i32 is not a condition
  yield* B.ifThen('misuse', n, function* () {
    // @ts-expect-error nor is it here
    yield* B.run('fence', { _tag: 'fence.mbarrierInit' }, { when: X.i32(1) })
  })
})

export const carriedIndices: B.Build<void> = B.block(function* () {
  const { parity } = yield* B.forRange(
    { label: 'k', from: X.i32(0), to: X.i32(4), carried: { parity: X.i32(0), on: X.i1(true) } },
    function* (k, carried) {
      const next = yield* B.letIn('next', X.xor(carried.parity, X.add(k, X.i32(1))))
      return { parity: next, on: carried.on }
    },
  )
  yield* B.letIn('lawful', X.add(parity, X.i32(1)))
  // @ts-expect-error the loop carries an i32, not an f32
  yield* B.letIn('misuse', X.fma(parity, parity, parity))
  // @ts-expect-error what is yielded has the index of what is carried
  yield* B.forRange(
    { label: 'j', from: X.i32(0), to: X.i32(4), carried: { parity: X.i32(0) } },
    function* () {
      yield* B.of(null)
      return { parity: X.i1(false) }
    },
  )
})
