/** What a kernel sets aside, by hand; what a run did, counted another way. */
import { describe, expect, test } from 'vitest'
import { kernelNamed } from '../../src/kernels/index.js'
import { ledger } from '../../src/render/ledger.js'
import { planOf } from '../../src/render/plan.js'
import { unit } from '../../src/numerics/unit.js'
import * as B from '../../src/semantics/writing/builder.js'
import { i32, slot } from '../../src/semantics/language/expression.js'
import { launch, noArguments } from '../../src/semantics/execution/launch.js'
import { lengthOf } from '../../src/semantics/language/place.js'
import * as Policy from '../../src/semantics/execution/policy.js'
import type { Program } from '../../src/semantics/language/program.js'
import { both, collect, run, settings } from '../../src/semantics/execution/run.js'
import { chronicle } from '../../src/semantics/files/trace/index.js'
import { catalogue } from '../semantics/files/trace/written.js'
import { right } from '../either.js'

const named = (name: string): Program => right(right(kernelNamed(name)).make({})).program

describe('the plan', () => {
  test('hopper-matmul, by hand: 4 slots of 128 x 64 and 64 x 128 in f16', () => {
    expect(planOf(named('hopper-matmul'))).toEqual({
      rings: [
        { storage: 'a_smem', slots: 4, slotBytes: 128 * 64 * 2 },
        { storage: 'b_smem', slots: 4, slotBytes: 64 * 128 * 2 },
      ],
      barriers: [
        { storage: 'loaded', barriers: 4, arrivals: [2], ordersTensorCore: false },
        { storage: 'consumed', barriers: 4, arrivals: [1], ordersTensorCore: false },
      ],
    })
  })
  test('matmul0, by hand: the pipeline has slots of its own', () => {
    expect(planOf(named('matmul0'))).toEqual({
      rings: [
        { storage: 'pipeline.a', slots: 4, slotBytes: 128 * 64 * 2 },
        { storage: 'pipeline.b', slots: 4, slotBytes: 64 * 128 * 2 },
      ],
      barriers: [
        { storage: 'consumed_barriers', barriers: 2, arrivals: [1], ordersTensorCore: true },
        { storage: 'pipeline.loaded', barriers: 4, arrivals: [2], ordersTensorCore: false },
      ],
    })
  })
  test('barriers that nobody initialises, and that two initialise differently', () => {
    const program = right(
      B.draft({ name: 'two', arch: 'sm90a', agents: [B.warpgroup('wg', 0)] }, function* () {
        const two = yield* B.barriers('two', [2], { contract: 'ptx' })
        yield* B.barriers('none', [3], { contract: 'ptx' })
        for (const [k, count] of [7, 3].entries())
          yield* B.run(`init ${String(k)}`, { _tag: 'mbarrier.init', barrier: slot(two, i32(k)), count })
      }),
    )
    expect(planOf(program).barriers).toEqual([
      { storage: 'two', barriers: 2, arrivals: [3, 7], ordersTensorCore: false },
      { storage: 'none', barriers: 3, arrivals: [], ordersTensorCore: false },
    ])
    expect(planOf(program).rings).toEqual([])
  })
  test.each(catalogue())('%s: law 1, slots times bytes are the storage', (_, program) => {
    for (const ring of planOf(program).rings) {
      const storage = program.storage.find((s) => s.id === ring.storage)!
      expect(ring.slots * ring.slotBytes).toBe(lengthOf(storage))
    }
  })
})

describe('the ledger', () => {
  test.each(catalogue())('%s: laws 1 and 2, counted from the chronicle', (_, program) => {
    for (const policy of [Policy.eager, Policy.seeded(3)]) {
      const { world, machine } = right(launch(program, unit, noArguments))
      const { result } = run(world, machine, settings(policy), both(ledger, collect))
      const [kept, events] = result
      const issues = events.flatMap((e) => (e._tag === 'issue' ? [e] : []))
      expect(kept.work.reduce((n, w) => n + w.operations, 0)).toBe(issues.length)
      expect(kept.work.reduce((n, w) => n + w.bytes, 0)).toBe(issues.reduce((n, e) => n + e.bytes, 0))
      expect(kept.work.reduce((n, w) => n + w.macs, 0)).toBe(issues.reduce((n, e) => n + e.macs, 0))
      // a generation is over when what takes part in the next one says so, or when the arrivals that it asks for are there
      const asked = new Map<number, number>()
      const counted = new Map<string, number>()
      const open = new Map<number, { arrivals: number; bytes: number }>()
      const turn = (barrier: number, arrivals: number, bytes: number): void => {
        const o = open.get(barrier)!
        o.arrivals += arrivals
        o.bytes += bytes
        if (o.arrivals !== asked.get(barrier) || o.bytes !== 0) return
        o.arrivals = 0
        const name = world.header.barriers[barrier]!.name.split('[')[0]!
        counted.set(name, (counted.get(name) ?? 0) + 1)
      }
      for (const { event: e } of chronicle(world.header, events))
        if (e._tag === 'barrier') {
          if (e.kind === 'init') {
            asked.set(e.barrier, e.count)
            open.set(e.barrier, { arrivals: 0, bytes: 0 })
          } else if (e.kind === 'expect' || e.kind === 'arrive')
            turn(e.barrier, e.kind === 'arrive' ? e.count : 0, e.bytes)
        } else if (e._tag === 'signal' && e.to === 'barrier') turn(e.barrier, 0, -e.bytes)
        else if (e._tag === 'signal' && e.to === 'arrive') turn(e.barrier, 1, 0)
      expect(new Map([...kept.phases].filter(([, n]) => n > 0))).toEqual(counted)
    }
  })
})
