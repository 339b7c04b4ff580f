/**
 * FA4: attention for Blackwell with five roles, on tcgen05.
 *
 * A block computes 256 rows of one head, as two tiles of 128, against all tiles of keys that a row sees. Two tiles of rows share K and V, so that one is in
 * its softmax while the tensor core works for the other.
 *
 * | role         | warps  | does                                                           | module          |
 * |--------------|--------|----------------------------------------------------------------|-----------------|
 * | softmax0, 1  | 0-3, 4-7 | S_i to P_i and a factor; O_i / l to the result at the end     | `softmax.ts`    |
 * | correction   | 8-11   | O_i times the factor                                           | `correction.ts` |
 * | mma          | 12     | S_i = Q_i K, O_i += P_i V                                      | `mma-warp.ts`   |
 * | load         | 13     | Q, K, V into shared memory                                     | `load-warp.ts`  |
 *
 * Tensor memory and barriers: `memory.ts`. The ring of K and V: `rings.ts`, over `dialects/mojo`. What the sources do differently: `model.ts`. Grid: (tiles of
 * rows, heads, batch).
 *
 * The roles are branches of a fork, where the source tests the number of the warp behind a barrier of the block: a fork starts them after the set-up, too.
 *
 * Not here: the two idle warps; register counts (those are of whole warpgroups, and warps 12 to 15 are agents of their own); the batches of 32 columns in which the
 * source loads S and stores P (one instruction each here); the barriers of order, which the source declares and does not use; heads wider than 128.
 *
 * Laws (`proofs-by-test/kernels/attention/fa4*`)
 * 1. It is naive attention, within the tolerances of its dtype; in real arithmetic exactly, for any threshold.
 * 2. One schedule decides, and no hazard is found: I1 to I13 of the proof.
 *
 * Source: Mojo, mha_sm100_2q; FlashAttention, flash_fwd_sm100; CUTLASS example 77.
 */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { PipelineState } from '../../../dialects/mojo/index.js'
import type { Failure } from '../../../failure.js'
import * as B from '../../../semantics/writing/builder.js'
import { i32, mul, place, quo, slot, type Barrier, type Int } from '../../../semantics/language/expression.js'
import type { Program } from '../../../semantics/language/program.js'
import { bandOf } from '../mask.js'
import { correction } from './correction.js'
import { keyBlocks } from './key-blocks.js'
import { loadWarp, type Block } from './load-warp.js'
import { declare, type Memory } from './memory.js'
import { mmaWarp, outputStart } from './mma-warp.js'
import { blockRows, checked, tileRows, tiles, type Fa4 } from './model.js'
import { consuming, initRings, pipelines, producing, type Pipelines } from './rings.js'
import { softmax } from './softmax.js'

/** What counts in the kernel: the dialect's, unless a proof puts something wrong in. */
export interface Counters extends Pipelines {
  readonly outputs: PipelineState<Int>
}
export const counters: Counters = { ...pipelines, outputs: outputStart }

const tmemColumnsOf = (c: Fa4): number => {
  const used = tiles * (c.blockKv + c.headDim)
  return [32, 64, 128, 256, 512].find((columns) => columns >= used) ?? 512
}

/** Barriers are initialised and tensor memory allocated by softmax0, before anybody's role. */
const setUp = (c: Fa4, m: Memory, made: Counters): B.Build<void> =>
  B.block(function* () {
    yield* B.run('allocate', { _tag: 'tcgen05.alloc', columns: tmemColumnsOf(c), ctaGroup: 1 })
    yield* B.run('relinquish', { _tag: 'tcgen05.relinquish', ctaGroup: 1 })
    yield* initRings(c, m, made)
    const one = (label: string, pair: Barrier<'ptx', boolean, 1>, i: number, count: number): B.Build<void> =>
      B.run(label, { _tag: 'mbarrier.init', barrier: slot(pair, i32(i)), count })
    yield* one('init q1', m.q1, 0, 1)
    for (const i of [0, 1]) {
      const of = (name: string): string => `init ${name}[${String(i)}]`
      yield* one(of('s_full'), m.sFull, i, 1)
      yield* one(of('c_full'), m.cFull, i, 1)
      yield* one(of('c_empty'), m.cEmpty, i, 1)
      yield* one(of('o_full'), m.oFull, i, 1)
      if (c.barriers === 'combined') yield* one(of('po'), m.po, i, 2)
      else {
        yield* one(of('s_empty'), m.sEmpty, i, 1)
        yield* one(of('o_empty'), m.oEmpty, i, 1)
      }
    }
    yield* B.run('publish barriers', { _tag: 'fence.mbarrierInit' })
  })
/** Both tiles of rows have been read when tensor memory goes. */
const rowsAreDone: B.Build<void> = B.run('rows are done', {
  _tag: 'bar.sync',
  id: 1,
  count: tiles * tileRows,
})

/** The kernel. Refuses what `checked` refuses. */
export const fa4Attention = (told: Fa4, made: Counters = counters): E.Either<Failure, Program> =>
  pipe(
    checked(told),
    E.chainW((c) =>
      B.kernel(
        {
          name: 'fa4-attention',
          arch: 'sm100a',
          grid: [Math.ceil(c.q / blockRows), c.heads, c.batch],
          agents: [
            B.warpgroup('softmax0', 0),
            B.warpgroup('softmax1', 1),
            B.warpgroup('correction', 2),
            B.warp('mma', 12),
            B.warp('load', 13),
          ],
        },
        function* () {
          const m = yield* declare(c)
          const row = yield* B.letIn('row_start', mul(place('programId', 0), i32(blockRows)))
          const head = place('programId', 1)
          const found = keyBlocks(bandOf(c.mask, c), c, c.blockKv, row, blockRows)
          const start = {
            row,
            from: yield* B.letIn('first_keys', found.from),
            count: yield* B.letIn('tiles_of_keys', found.count),
          }
          /** A role sees the place of its block and nothing else of the entry. */
          const role =
            (body: (block: Block) => B.Build<void>) =>
            ({ row: at, from, count }: typeof start): B.Build<void> =>
              body({
                batch: place('programId', 2),
                head,
                kvHead: quo(head, i32(c.heads / c.kvHeads)),
                row: at,
                keys: { from, count },
              })

          yield* setUp(c, m, made)
          yield* B.fork(
            'roles',
            {
              agent: 'softmax0',
              captures: start,
              body: role((block) =>
                B.block(function* () {
                  yield* softmax(c, m, 0, block)
                  yield* rowsAreDone
                  yield* B.run('deallocate', {
                    _tag: 'tcgen05.dealloc',
                    columns: tmemColumnsOf(c),
                    ctaGroup: 1,
                  })
                }),
              ),
            },
            [
              B.branch(
                'softmax1',
                start,
                role((block) =>
                  B.block(function* () {
                    yield* softmax(c, m, 1, block)
                    yield* rowsAreDone
                  }),
                ),
              ),
              B.branch(
                'correction',
                start,
                role(({ keys }) => correction(c, m, keys)),
              ),
              B.branch(
                'mma',
                start,
                role(({ keys }) => mmaWarp(c, m, consuming(c, m, made), keys, made.outputs)),
              ),
              B.branch(
                'load',
                start,
                role((block) => loadWarp(c, m, producing(c, m, made), block)),
              ),
            ],
          )
        },
      ),
    ),
  )
