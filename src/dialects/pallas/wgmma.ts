/**
 * Pallas on Hopper's tensor core: accumulators, `wgmma`, `wgmma_wait`.
 *
 * An accumulator is registers of one warpgroup that the tensor core writes in the background. `ACC` starts at zero. Each `wgmma` is one
 * commit group; reading the accumulator waits for all groups first. Whether a `wgmma` waits for those before it depends on whom you ask:
 *
 *     `wgmma` of         the reference                        the implementation
 *     becomes            wgmma.mma  commit  wait_group 1      wgmma.mma  commit
 *     so it returns      with one group running, its own      with every group perhaps still running
 *
 * `WgmmaWait` says which. What is safe as `implemented` is safe as `documented` too, so that is the default.
 *
 * Law 1. A documented `wgmma` is an implemented one and `wgmma_wait(1)`: statement for statement, but for the label of the wait.
 *
 * Names: `plgpu.ACC((m, n), dtype)`, `plgpu.wgmma(acc, a, b)`, `plgpu.wgmma_wait(n)`, `acc[...]`.
 *
 * Source: JAX docs, Pallas:MGPU reference, wgmma.
 */
import type { RegisterLayout } from '../../layouts/register-layout.js'
import type { Dtype } from '../../numerics/dtype.js'
import { block, registers, regsRead, run, type Build } from '../../semantics/builder.js'
import { float, i1, splat, type Tile, type View } from '../../semantics/expression.js'

/** Registers that hold an (m, n) accumulator of the thread, and how they lie. */
export interface Accumulator {
  readonly view: View<'regs', 'f32', 2>
  readonly shape: readonly [number, number]
  readonly layout: RegisterLayout
}

/** `plgpu.ACC((m, n), jnp.float32)` of the thread `agent`. */
export const ACC = (
  name: string,
  agent: string,
  shape: readonly [number, number],
  layout: RegisterLayout,
): Build<Accumulator> =>
  block(function* () {
    const view = yield* registers(name, agent, 'f32', shape)
    return { view, shape, layout }
  })

/** What entering the scope of an accumulator does: its registers become zero, and the tensor core may use them. */
export const initAccumulator = (label: string, acc: Accumulator): Build<void> =>
  block(function* () {
    const value = splat<'f32', 2>(float('f32', 0), acc.shape, acc.layout)
    yield* run(label, { _tag: 'regs.write', destination: acc.view, value })
    yield* run(`${label}.fence`, { _tag: 'wgmma.fence' })
  })

/** Does a `wgmma` wait for the ones before it? */
export type WgmmaWait = 'implemented' | 'documented'

/** `wgmma(acc, a, b)`: acc += a @ b, as one group; `documented` ones wait until no other group runs. */
export const wgmma = <D extends Dtype>(
  label: string,
  acc: Accumulator,
  a: View<'smem', D, 2>,
  b: View<'smem', D, 2>,
  waits: WgmmaWait = 'implemented',
): Build<void> =>
  block(function* () {
    yield* run(label, {
      _tag: 'wgmma.mma',
      accumulator: acc.view,
      a,
      b,
      scaleD: i1(true),
      negateA: false,
      negateB: false,
    })
    yield* run(`${label}.group`, { _tag: 'wgmma.commitGroup' })
    if (waits === 'documented') yield* wgmmaWait(`${label}.wait`, 1)
  })

/** `wgmma_wait(n)`: at most n groups are still running. */
export const wgmmaWait = (label: string, n: number): Build<void> =>
  run(label, { _tag: 'wgmma.waitGroup', pending: n })

/** `acc[...]`: waits for every group, then reads. */
export const readAccumulator = (label: string, acc: Accumulator): Build<Tile<'f32', 2>> =>
  block(function* () {
    yield* wgmmaWait(`${label}.wait`, 0)
    return yield* regsRead(label, acc.view, { layout: acc.layout })
  })
