/**
 * Pallas on Blackwell's tensor core: `tcgen05_mma`, commits, and loads of tensor memory.
 *
 * An accumulator is tensor memory of the block (`TMEM`, in `memory.ts`). `tcgen05_mma` returns at once; the barrier that it names is arrived at when it, and whatever
 * tensor-core work its thread issued before, is done. Loads are asynchronous too.
 *
 *     tcgen05_mma(acc, a, b, barrier, accumulate)    tcgen05.mma with one completion
 *     tcgen05_commit_arrive(barrier)                 tcgen05.commit
 *     async_load_tmem(acc)                           tcgen05.ld into registers, tcgen05.waitLd, regs.read
 *
 * In Pallas what a load gives can be used at once, and the *read* of the tensor memory is over only at `wait_load_tmem`. Here the wait stands
 * right behind the load, since the registers have nothing before it; so a forgotten `wait_load_tmem` before the accumulator is
 * handed to another thread does not show. `waitLoadTmem` is the wait by itself.
 *
 * Names: `plgpu.tcgen05_mma`, `plgpu.tcgen05_commit_arrive`, `plgpu.async_load_tmem`.
 *
 * Source: JAX docs, Pallas:MGPU reference and the Blackwell matmul tutorial.
 */
import type { RegisterLayout } from '../../layouts/register-layout.js'
import type { Dtype } from '../../numerics/dtype.js'
import { block, registers, regsRead, run, type Build } from '../../semantics/builder.js'
import { i1, slot, type Condition, type Int, type Tile, type View } from '../../semantics/expression.js'
import type { Barrier } from './barrier.js'

/** `tcgen05_mma(acc, a, b, barrier, accumulate)`: acc = (accumulate ? acc : 0) + a @ b, then one arrival. */
export const tcgen05Mma = <D extends Dtype>(
  label: string,
  acc: View<'tmem', 'f32', 2>,
  a: View<'smem', D, 2>,
  b: View<'smem', D, 2>,
  barrier: Barrier<true>,
  index: Int,
  accumulate: Condition,
): Build<void> =>
  run(label, {
    _tag: 'tcgen05.mma',
    accumulator: acc,
    a,
    b,
    accumulate,
    ctaGroup: 1,
    completions: [{ barrier: slot(barrier.expr, index), when: i1(true) }],
  })

/** `tcgen05_commit_arrive(barrier)`: one arrival when all tensor-core work of the thread so far is done. */
export const tcgen05CommitArrive = (label: string, barrier: Barrier<true>, index: Int): Build<void> =>
  run(label, { _tag: 'tcgen05.commit', barrier: slot(barrier.expr, index), ctaGroup: 1 })

/** `wait_load_tmem()`: every load of tensor memory by this thread has read. */
export const waitLoadTmem = (label: string): Build<void> => run(label, { _tag: 'tcgen05.waitLd' })

/** `async_load_tmem(acc)` of the thread `agent`. */
export const asyncLoadTmem = (
  label: string,
  agent: string,
  acc: View<'tmem', 'f32', 2>,
  shape: readonly [number, number],
  layout: RegisterLayout,
): Build<Tile<'f32', 2>> =>
  block(function* () {
    const into = yield* registers(`${label}.registers`, agent, 'f32', shape)
    yield* run(label, { _tag: 'tcgen05.ld', source: acc, destination: into })
    yield* waitLoadTmem(`${label}.wait`)
    return yield* regsRead(`${label}.value`, into, { layout })
  })
