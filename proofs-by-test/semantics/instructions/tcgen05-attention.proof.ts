/**
 * The warp-specialised attention that Triton compiles for Blackwell, run from its first statement to its last.
 *
 * Oracle: softmax(q kT scale) v written out, with the powers of two that the module computes.
 */
import { describe, expect, test } from 'vitest'
import { attention as compiledAttention } from '../../dialects/ttgir/compiled.js'
import type { Algebra } from '../../../src/numerics/algebra.js'
import { real64, unit } from '../../../src/numerics/index.js'
import { defaults, detector } from '../../../src/semantics/judging/detector/index.js'
import { launch, readTensor, type Launched } from '../../../src/semantics/execution/launch.js'
import * as V from '../../../src/semantics/machine/value.js'
import * as Policy from '../../../src/semantics/execution/policy.js'
import * as Run from '../../../src/semantics/execution/run.js'
import { right } from '../../either.js'
import { nightly } from '../../extent.js'

const [rows, d, scale] = [128, 64, 0.125] as const

const filled = (count: number, seed: number): Float64Array =>
  Float64Array.from({ length: count }, (_, i) => 2 * Math.sin(i * 12.9898 + seed))
const inputsOf = (N: number): readonly [q: Float64Array, k: Float64Array, v: Float64Array] => [
  filled(rows * d, 1),
  filled(N * d, 2),
  filled(N * d, 3),
]

/** All four matrices are row-major with `d` columns. */
const launched = (algebra: Algebra, N: number): Launched => {
  const { program, scalars } = compiledAttention(N, V.float('f32', algebra.constant('f32', scale)))
  const [q, k, v] = inputsOf(N)
  return right(
    launch(program, algebra, {
      scalars: new Map(Object.entries(scalars)),
      tensors: new Map([
        ['q', q],
        ['k', k],
        ['v', v],
      ]),
    }),
  )
}

const attention = (N: number): Float64Array => {
  const [q, k, v] = inputsOf(N)
  const out = new Float64Array(rows * d)
  for (let i = 0; i < rows; i++) {
    const s = Array.from({ length: N }, (_, j) => {
      let x = 0
      for (let c = 0; c < d; c++) x += q[i * d + c]! * k[j * d + c]!
      return x * scale
    })
    const most = Math.max(...s)
    const p = s.map((x) => 2 ** (x - most))
    const sum = p.reduce((x, y) => x + y, 0)
    for (let c = 0; c < d; c++) out[i * d + c] = p.reduce((x, y, j) => x + y * v[j * d + c]!, 0) / sum
  }
  return out
}

describe('attention, warp-specialised', () => {
  test.each([
    ['eager', Policy.eager, 64],
    ['seeded', Policy.seeded(5), nightly ? 128 : 64],
    ...(nightly ? ([['eager', Policy.eager, 192]] as const) : []),
    ['lazy', Policy.lazy, nightly ? 320 : 128],
  ] as const)('%s: equal to attention in real numbers', (_name, policy, N) => {
    const l = launched(real64, N)
    const ran = Run.run(l.world, l.machine, Run.settings(policy), Run.ignore)
    expect(ran.outcome).toEqual({ _tag: 'completed' })
    const found = readTensor(l.world, ran.machine, 'o')!
    const worst = attention(N).reduce((most, x, i) => Math.max(most, Math.abs(x - found[i]!)), 0)
    expect(worst).toBeLessThan(1e-12)
  })

  /*
   * What the module leaves open, whatever the schedule:
   * B7, U2  the third completion of the last product (the slot of V) arrives after the one that somebody waits for; the barriers are
   *         invalidated and the kernel ends without a wait for it
   * M8      the epilogue learns of the last product through the commit of a partition that has issued none: a commit publishes the operations
   *         that it covers
   */
  test('every schedule tried ends, and leaves the same things open', () => {
    const policies = [
      Policy.lazy,
      ...(nightly ? [Policy.eager, Policy.roundRobin, Policy.seeded(3), Policy.seeded(4)] : []),
    ]
    const said = policies.map((policy) => {
      const l = launched(unit, 320)
      const ran = Run.run(l.world, l.machine, Run.settings(policy), detector(defaults))
      expect(ran.outcome).toEqual({ _tag: 'completed' })
      const { C1, C2, C3, C4, C6 } = ran.result.conditions
      expect([C1, C2, C3, C4, C6].every((c) => c.holds)).toBe(true)
      // the fences of tensor memory are the compiler's to write: a note
      expect(ran.result.notes.map((f) => f.id)).toContain('M8')
      return [...new Set(ran.result.findings.map((f) => f.id))].sort().join(' ')
    })
    expect(new Set(said)).toEqual(new Set(['B7 U2']))
  })
})
