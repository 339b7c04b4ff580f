/**
 * The frame of a Pallas kernel: what surrounds a body.
 *
 * A kernel is a grid of blocks of threads; a thread is a warpgroup. Before any body runs, one thread initialises every barrier and
 * makes the initialisation visible, and the block meets. Then each thread runs its own body.
 *
 * Names: `plgpu.kernel(body, grid=..., num_threads=..., thread_name=...)`, `lax.axis_index`.
 *
 * Source: JAX docs, Pallas:MGPU reference, kernel launch.
 */
import { block, ifThen, run, type Build, type Steps } from '../../semantics/builder.js'
import { eq, i32, place, slot, type Int } from '../../semantics/expression.js'
import type { Barrier } from './barrier.js'

/** `lax.axis_index(grid name)`: the block's place along an axis of the grid. */
export const axisIndex = (axis: number): Int => place('programId', axis)

/** Named barrier 0 belongs to the whole block. */
const blockBarrier = 0

/** All threads of the block meet. */
export const blockSync = (label: string, threads: number): Build<void> =>
  run(label, { _tag: 'bar.sync', id: blockBarrier, count: 128 * threads })

/** Barriers are initialised by thread 0; the block meets; each thread runs its body. */
export const threads = (
  barriers: ReadonlyArray<Barrier>,
  bodies: ReadonlyArray<{ readonly name: string; readonly body: () => Steps<void> }>,
): Build<void> =>
  block(function* () {
    const isThread = (i: number): ReturnType<typeof eq<'i32'>> => eq(place('agent'), i32(i))
    yield* ifThen('init barriers', isThread(0), function* () {
      for (const b of barriers)
        for (let i = 0; i < b.numBarriers; i++)
          yield* run(`init ${b.name}[${String(i)}]`, {
            _tag: 'mbarrier.init',
            barrier: slot(b.expr, i32(i)),
            count: b.numArrivals,
          })
      yield* run('publish barriers', { _tag: 'fence.mbarrierInit' })
    })
    yield* blockSync('block starts', bodies.length)
    for (const [i, thread] of bodies.entries()) yield* ifThen(thread.name, isThread(i), thread.body)
  })
