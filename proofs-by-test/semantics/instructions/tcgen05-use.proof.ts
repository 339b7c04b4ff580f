/**
 * tcgen05.useLd: the registers of a load are there, and its columns may still be read.
 *
 * Over every combination of what stands behind a load (its registers awaited, all of it awaited, then the registers read, the columns
 * overwritten) the verdict is that of a formula: a read of the registers needs either wait before it, an overwrite needs the whole wait.
 */
import { describe, expect, test } from 'vitest'
import { accumulator, accumulatorRef } from '../../../src/layouts/tensor-memory/accumulator.js'
import * as B from '../../../src/semantics/writing/builder.js'
import { float, splat } from '../../../src/semantics/language/expression.js'
import * as Policy from '../../../src/semantics/execution/policy.js'
import type { Program } from '../../../src/semantics/language/program.js'
import { checked } from '../../dialects/pallas/programs.js'
import { right } from '../../either.js'

type Step = 'use' | 'wait' | 'read' | 'overwrite'
const steps: ReadonlyArray<Step> = ['use', 'wait', 'read', 'overwrite']

/** Every order of every subset. */
const orders = (left: ReadonlyArray<Step>): ReadonlyArray<ReadonlyArray<Step>> => [
  [],
  ...left.flatMap((s) => orders(left.filter((t) => t !== s)).map((rest) => [s, ...rest])),
]

const program = (order: ReadonlyArray<Step>): Program =>
  right(
    B.kernel({ name: 'use', arch: 'sm100a', agents: [B.warpgroup('wg', 0)] }, function* () {
      const layout = accumulatorRef(right(accumulator('D', 8)), 32)
      const d = yield* B.tensorMemory('d', 'f32', [128, 8], { layout })
      const r = yield* B.registers('r', 'wg', 'f32', [128, 8])
      const ones = splat<'f32', 2>(float('f32', 1), [128, 8])
      yield* B.run('alloc', { _tag: 'tcgen05.alloc', columns: 32, ctaGroup: 1 })
      yield* B.run('zero', { _tag: 'regs.write', destination: r, value: ones })
      yield* B.run('st', { _tag: 'tcgen05.st', destination: d, value: ones })
      yield* B.run('wait st', { _tag: 'tcgen05.waitSt' })
      yield* B.run('ld', { _tag: 'tcgen05.ld', source: d, destination: r })
      for (const step of order)
        switch (step) {
          case 'use':
            yield* B.run('use', { _tag: 'tcgen05.useLd' })
            break
          case 'wait':
            yield* B.run('wait', { _tag: 'tcgen05.waitLd' })
            break
          case 'read':
            yield* B.regsRead('read', r)
            break
          case 'overwrite':
            yield* B.run('overwrite', { _tag: 'tcgen05.st', destination: d, value: ones })
            yield* B.run('wait overwrite', { _tag: 'tcgen05.waitSt' })
        }
      yield* B.run('end', { _tag: 'tcgen05.waitLd' })
      yield* B.run('dealloc', { _tag: 'tcgen05.dealloc', columns: 32, ctaGroup: 1 })
    }),
  )

describe('registers first, columns later', () => {
  test('65 orders, by the formula, under two schedules', () => {
    const all = orders(steps)
    expect(all).toHaveLength(65)
    for (const order of all) {
      const before = (a: Step, b: Step): boolean => order.includes(a) && order.indexOf(a) < order.indexOf(b)
      const reads = order.includes('read') && !before('use', 'read') && !before('wait', 'read')
      const overwrites = order.includes('overwrite') && !before('wait', 'overwrite')
      for (const policy of [Policy.eager, Policy.lazy]) {
        const { verdict } = checked(program(order), { policy, explore: false, provenance: false })
        const pairs = verdict.findings.map((f) => [f.id, ...[f.a.site, f.b?.site].sort()].join(' ')).sort()
        expect([order, pairs]).toEqual([
          order,
          [...(overwrites ? ['M3 ld overwrite'] : []), ...(reads ? ['M3 ld read'] : [])].sort(),
        ])
      }
    }
  })
})
