/** Short words for the programs of these proofs, and ways to run and judge them. */
import * as B from '../../../../src/semantics/writing/builder.js'
import { check, standardOptions, type CheckOptions } from '../../../../src/semantics/verdict/check.js'
import * as X from '../../../../src/semantics/language/expression.js'
import type { Algebra } from '../../../../src/numerics/algebra.js'
import { bits } from '../../../../src/numerics/bits.js'
import type { Dtype } from '../../../../src/numerics/dtype.js'
import type { AnyBarrier } from '../../../../src/semantics/language/instruction.js'
import { launch } from '../../../../src/semantics/execution/launch.js'
import * as Plane from '../../../../src/semantics/machine/plane.js'
import * as Policy from '../../../../src/semantics/execution/policy.js'
import type { Program } from '../../../../src/semantics/language/program.js'
import type { Verdict } from '../../../../src/semantics/judging/verdict.js'
import { logged, type Logged } from '../../machine/machine-samples.js'
import { right } from '../../../either.js'

export const blackwell: Algebra = bits('blackwell')

export const init = (barrier: AnyBarrier, count = 1): B.Build<void> =>
  B.run('init', { _tag: 'mbarrier.init', barrier, count })
export const expecting = (barrier: AnyBarrier, bytes: number, when?: X.Condition): B.Build<void> =>
  B.run(
    'arrive expect',
    { _tag: 'mbarrier.arriveExpectTx', barrier, bytes: X.i32(bytes), release: true, scope: 'cta' },
    when === undefined ? {} : { when },
  )
export const waiting = (barrier: AnyBarrier, parity = 0, when?: X.Condition): B.Build<void> =>
  B.run(
    'wait',
    { _tag: 'mbarrier.wait', barrier, parity: X.i32(parity), acquire: true, scope: 'cta' },
    when === undefined ? {} : { when },
  )
export const fence = (scope: 'cta' | 'cluster' | 'global' = 'cta'): B.Build<void> =>
  B.run('fence', { _tag: 'fence.proxyAsync', scope })
export const meet = function* (): B.Steps<void> {
  yield* B.run('cluster arrive', { _tag: 'cluster.arrive', relaxed: false })
  yield* B.run('cluster wait', { _tag: 'cluster.wait' })
}
export const stored = function* (): B.Steps<void> {
  yield* B.run('commit', { _tag: 'bulk.commitGroup' })
  yield* B.run('wait stores', { _tag: 'bulk.waitGroup', pending: 0, read: false })
}
export const inCta = (rank: number): X.Condition => X.eq(X.place('ctaRank'), X.i32(rank))

export const program = (
  name: string,
  body: () => B.Steps<void>,
  o: {
    readonly cluster?: number
    readonly grid?: number
    readonly agents?: number
    readonly draft?: boolean
    readonly arch?: 'sm90a' | 'sm100a'
  } = {},
): Program => {
  const cluster = o.cluster ?? 1
  const header: B.KernelHeader = {
    name,
    arch: o.arch ?? 'sm100a',
    grid: [o.grid ?? cluster],
    cluster: [cluster],
    agents: Array.from({ length: o.agents ?? 1 }, (_, i) => B.warpgroup(`wg${String(i)}`, i)),
  }
  return right(o.draft === true ? B.draft(header, body) : B.kernel(header, body))
}

export type Tensors = Readonly<Record<string, Float64Array>>
export const running = (
  p: Program,
  tensors: Tensors,
  policy: Policy.AnyPolicy = Policy.eager,
  algebra: Algebra = blackwell,
): Logged =>
  logged(right(launch(p, algebra, { scalars: new Map(), tensors: new Map(Object.entries(tensors)) })), policy)

/** Elements of a storage of shared memory in a CTA, by byte offset from its start. */
export const shared = (
  r: Logged,
  storage: string,
  dtype: Dtype,
  offsets: ArrayLike<number>,
  cta = 0,
): Float64Array => {
  const { world } = r.launched
  const s = world.storages.get(storage)!
  return Plane.read(
    r.machine.planes[s.plane + cta * world.planesPerCta]!,
    Plane.cells(
      dtype,
      Int32Array.from(offsets, (x) => s.offset + x),
    ),
  ).data!
}

export const judged = (p: Program, tensors: Tensors, o: Partial<CheckOptions> = {}): Verdict =>
  right(
    check(p, {
      ...standardOptions,
      algebra: blackwell,
      arguments: { scalars: new Map(), tensors: new Map(Object.entries(tensors)) },
      provenance: false,
      fuel: 1_000_000,
      ...o,
    }),
  ).verdict
export const idsOf = (v: Verdict): ReadonlyArray<string> => [...new Set(v.findings.map((f) => f.id))]
export const notesOf = (v: Verdict): ReadonlyArray<string> => [...new Set(v.notes.map((f) => f.id))]
