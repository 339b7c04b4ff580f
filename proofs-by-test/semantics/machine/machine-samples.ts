/** Programs and runs that several proofs of the machine look at. */
import { hopperMatmul, type HopperMatmul } from '../../../src/kernels/hopper/hopper-matmul.js'
import type { Algebra } from '../../../src/numerics/algebra.js'
import type { Dtype, FloatDtype } from '../../../src/numerics/dtype.js'
import { isFloat } from '../../../src/numerics/dtype.js'
import * as B from '../../../src/semantics/writing/builder.js'
import { launch, type Arguments, type Launched } from '../../../src/semantics/execution/launch.js'
import type { LogEvent } from '../../../src/semantics/log/events.js'
import type { Machine } from '../../../src/semantics/machine/state.js'
import { settled } from '../../../src/semantics/machine/plane.js'
import type { AnyPolicy } from '../../../src/semantics/execution/policy.js'
import type { Program } from '../../../src/semantics/language/program.js'
import { collect, run, settings, type Ran } from '../../../src/semantics/execution/run.js'
import { right } from '../../either.js'

export const small: HopperMatmul = {
  dtype: 'f16',
  m: 128,
  n: 64,
  k: 64,
  tileM: 64,
  tileN: 64,
  tileK: 16,
  stages: 2,
}
export const matmul = (c: Partial<HopperMatmul> = {}): Program => right(hopperMatmul({ ...small, ...c }))

/** Contents that differ from place to place, as carriers of the algebra. */
export const filling = (algebra: Algebra, dtype: Dtype, count: number, seed: number): Float64Array =>
  Float64Array.from({ length: count }, (_, i) => {
    const x = ((i * 7919 + seed * 104729) % 31) - 15
    return isFloat(dtype) ? algebra.constant(dtype as FloatDtype, x / 8) : x
  })

/** Inputs for every tensor that is read, launched. */
export const launched = (program: Program, algebra: Algebra, more: Partial<Arguments> = {}): Launched => {
  const tensors = new Map<string, Float64Array>()
  program.params.forEach((p, k) => {
    if (p._tag !== 'tensor' || p.role === 'out') return
    const count = p.shape.reduce((n, e) => n * (e._tag === 'const' ? Number(e.value) : NaN), 1)
    tensors.set(p.name, filling(algebra, p.dtype, count, k))
  })
  return right(launch(program, algebra, { scalars: new Map(), tensors, ...more }))
}

export interface Logged extends Ran<ReadonlyArray<LogEvent>> {
  readonly launched: Launched
}
export const logged = (l: Launched, policy: AnyPolicy, transient: boolean = true): Logged => ({
  ...run(l.world, l.machine, { ...settings(policy, true), transient }, collect),
  launched: l,
})

/** Everything in a machine that a program could see, also what was written late. */
export const contents = (m: Machine): ReadonlyArray<unknown> =>
  m.planes
    .map(settled)
    .map((p) =>
      p._tag === 'none'
        ? null
        : p._tag === 'bytes' || p._tag === 'shadow'
          ? (p._tag === 'bytes' ? [p] : [p.bytes, p.marks]).map(({ pages }) =>
              pages.map((page) => page && Buffer.from(page.bytes).toString('base64')),
            )
          : p.pages.map((page) => page && [Buffer.from(page.kinds).toString('base64'), [...page.slots]]),
    )

/** Is an event of the log one of an agent itself (not of an operation)? Then `[agent, at]`. */
export const agentEvents = (events: ReadonlyArray<LogEvent>): ReadonlySet<string> =>
  new Set(
    events.flatMap((e) =>
      'stamp' in e && !('operation' in e && e._tag === 'access')
        ? [`${String(e.stamp.agent)}:${String(e.stamp.at)} ${e._tag}`]
        : [],
    ),
  )

/** One agent, one CTA. */
export const solo = (body: () => B.Steps<void>, cluster: ReadonlyArray<number> = [1]): Program =>
  right(
    B.kernel(
      {
        name: 'solo',
        arch: 'sm90a',
        grid: cluster,
        cluster,
        agents: [B.warpgroup('wg', 0)],
      },
      function* () {
        yield* body()
      },
    ),
  )
