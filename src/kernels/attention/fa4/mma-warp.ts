/**
 * The MMA warp: four products for every tile of keys, in the order of the page.
 *
 *     S0 = Q0 K0    S1 = Q1 K0                          O0 = P0 V0
 *     S0 = Q0 Kn    O1 += P1 V(n-1)    S1 = Q1 Kn       O0 += P0 Vn        for n = 1, 2, ...
 *                   O1 += P1 V(last)
 *
 * Between S_i and the O_i that consumes its P_i stand two other products: that is when softmax i works. S_i(n + 1) overwrites P_i(n) without a
 * wait: O_i(n) was issued before, and the tensor core takes products in the order of their issue. (The ISA promises this of fewer pairs;
 * `tensorPipe: documented` says where it matters.)
 *
 * Source: Mojo docs, KVConsumerPipeline; Mojo, mha_sm100_2q, MMA warp.
 */
import { producerState, expressions, type PipelineState } from '../../../dialects/mojo/index.js'
import * as B from '../../../semantics/writing/builder.js'
import {
  and,
  gt,
  i1,
  i32,
  slot,
  transposeView,
  xor,
  sub,
  type Condition,
  type Int,
} from '../../../semantics/language/expression.js'
import { commit, fenceAfter, wait } from './barriers.js'
import type { KeyBlocks } from './key-blocks.js'
import type { Memory } from './memory.js'
import type { Fa4 } from './model.js'
import type { Consuming, TileOf } from './rings.js'

/** The phase that the producer of O begins with: a fresh barrier has passed it. */
export const outputStart: PipelineState<Int> = producerState(expressions)

const odd = (n: Int): Int => and(n, i32(1))

export const mmaWarp = (
  c: Fa4,
  m: Memory,
  ring: Consuming,
  keys: KeyBlocks,
  firstOutput: PipelineState<Int> = outputStart,
): B.Build<void> =>
  B.block(function* () {
    const scores = (label: string, i: 0 | 1, k: TileOf): B.Build<void> =>
      B.block(function* () {
        yield* B.run(label, {
          _tag: 'tcgen05.mma',
          accumulator: m.halves[i].s,
          a: slot(m.q, i32(i)),
          b: transposeView(k, [1, 0]),
          accumulate: i1(false),
          ctaGroup: 1,
          completions: [],
        })
        yield* commit(`commit S${String(i)}`, m.sFull, i)
      })
    /** O_i of tile n: P_i must be ready, and O_i rescaled, but for the first product of O0. */
    const output = (
      label: string,
      i: 0 | 1,
      v: TileOf,
      n: Int,
      accumulate: Condition,
      rescaled: boolean,
    ): B.Build<void> =>
      B.block(function* () {
        if (c.barriers === 'combined') yield* wait(`acquire P${String(i)} O${String(i)}`, m.po, i, odd(n))
        else {
          if (rescaled) yield* wait(`acquire O${String(i)}`, m.oEmpty, i, xor(firstOutput.phase, odd(n)))
          yield* wait(`acquire P${String(i)}`, m.sEmpty, i, odd(n))
        }
        yield* fenceAfter(`acquire P${String(i)}`)
        yield* B.run(label, {
          _tag: 'tcgen05.mma',
          accumulator: m.halves[i].o,
          a: m.halves[i].p,
          b: v,
          accumulate,
          ctaGroup: 1,
          completions: [],
        })
        yield* commit(`commit O${String(i)}`, m.oFull, i)
      })

    const [k0, waitedK0] = yield* ring.waitK('wait K0', ring.start, true)
    yield* scores('S0 = Q0 K0', 0, k0)
    yield* wait('wait Q1', m.q1, 0, i32(0))
    yield* scores('S1 = Q1 K0', 1, k0)
    const releasedK0 = yield* ring.releaseK('release K0', waitedK0)
    const [v0, waitedV0] = yield* ring.waitV('wait V0', releasedK0)
    yield* output('O0 = P0 V0', 0, v0, i32(0), i1(false), false)

    const last = yield* B.forRange(
      { label: 'n', from: i32(1), to: keys.count, carried: waitedV0 },
      function* (n, carried) {
        const before = yield* B.letIn('before', sub(n, i32(1)))
        const held = ring.heldV(carried)
        const [k, waitedK] = yield* ring.waitK('wait Kn', carried, false)
        yield* scores('S0 = Q0 Kn', 0, k)
        yield* output('O1 += P1 V', 1, held, before, gt(before, i32(0)), true)
        const releasedV = yield* ring.releaseV('release V', waitedK)
        yield* scores('S1 = Q1 Kn', 1, k)
        const releasedK = yield* ring.releaseK('release Kn', releasedV)
        const [v, waitedV] = yield* ring.waitV('wait Vn', releasedK)
        yield* output('O0 += P0 Vn', 0, v, n, i1(true), true)
        return waitedV
      },
    )
    const end = yield* B.letIn('last', sub(keys.count, i32(1)))
    yield* output('O1 += P1 V(last)', 1, ring.heldV(last), end, gt(end, i32(0)), true)
    if (c.lastRelease) yield* ring.releaseV('release V(last)', last)
  })
