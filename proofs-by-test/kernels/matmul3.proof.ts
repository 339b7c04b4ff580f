/** matmul3: a pair of blocks. Who issues what, whose barriers hear of it, and what becomes of it without each. */
import { describe, expect, test } from 'vitest'
import { matmul3 } from '../../src/kernels/blackwell/matmul3.js'
import { unit } from '../../src/numerics/index.js'
import { launch, noArguments } from '../../src/semantics/execution/launch.js'
import * as Policy from '../../src/semantics/execution/policy.js'
import * as Run from '../../src/semantics/execution/run.js'
import { base, edges, pairNotes, printedLoads, refused, rightFor } from './blackwell-steps.js'
import { right } from '../either.js'

rightFor(
  matmul3,
  [
    { k: 16 },
    { k: 48, stages: 3, dtype: 'bf16' },
    { m: 512, n: 128, tileN: 32, epilogueTileN: 32, tileK: 32, k: 160 },
  ],
  pairNotes,
)
edges(matmul3, {}, [
  ['wait mma_done', 'hazard', ['M2', 'U2']],
  ['tcgen05_mma', 'deadlock', ['B5']],
  ['commit mma_done', 'deadlock', ['B6']],
  ['copy b', 'deadlock', ['B4']],
  // the leader may not end before the peer has signalled its barriers, nor give its columns back
  ['cluster ends', 'hazard', ['M3']],
  ['cluster starts', 'hazard', ['B7']],
])
printedLoads(matmul3, {})

describe('who does what', () => {
  const { world, machine } = right(launch(right(matmul3(base)), unit, noArguments))
  const how = { policy: Policy.eager, fuel: 1e6, keepSchedule: false, transient: true }
  const log = Run.run(world, machine, how, Run.collect).result
  const cta = (agent: number): number => world.header.agents[agent]!.cta
  const counted = (unit: string): ReadonlyArray<number> =>
    [0, 1].map(
      (c) => log.filter((e) => e._tag === 'issue' && e.unit === unit && cta(e.stamp.agent) === c).length,
    )
  test('both blocks copy, the leader alone multiplies', () => {
    // five steps, two operands
    expect(counted('tmaLoad')).toEqual([10, 10])
    expect(counted('tcgen05')[1]).toBe(0)
    expect(counted('tcgen05')[0]).toBeGreaterThanOrEqual(5)
  })
  test('the peer never waits for a load; both wait for what was consumed', () => {
    const waits = (name: RegExp): ReadonlyArray<number> =>
      [0, 1].map(
        (c) =>
          log.filter(
            (e) =>
              e._tag === 'wait' &&
              cta(e.stamp.agent) === c &&
              name.test(world.header.barriers[e.barrier]!.name),
          ).length,
      )
    expect(waits(/^load_barriers/)).toEqual([5, 0])
    // five steps on two slots: three refills
    expect(waits(/^consumed_barriers/)).toEqual([3, 3])
    expect(waits(/^mma_done/)).toEqual([1, 1])
  })
  test('every byte of both blocks is heard of by the leader', () => {
    const heard = new Map<string, number>()
    for (const e of log)
      if (e._tag === 'signal' && e.to === 'barrier') {
        const b = world.header.barriers[e.barrier]!
        const key = `${b.name.replace(/\[\d\]/, '')}@${String(b.cta)}`
        heard.set(key, (heard.get(key) ?? 0) + e.bytes)
      }
    // five steps of (256 x 16 + 16 x 32) halves
    expect([...heard]).toEqual([['load_barriers@0', 5 * 2 * (256 * 16 + 16 * 32)]])
  })
})

refused('matmul3', matmul3, [
  [{ m: 128 }, 'm is 128: expected a multiple of 2 * tileM, which is 256'],
  [{ n: 16 }, 'n is 16: expected a multiple of 2 * tileN, which is 32'],
  [
    { tileN: 144 },
    'tileN is 144: expected a multiple of 16 up to 128, since two blocks multiply 256 columns at most',
  ],
  [
    { epilogueTileN: 48 },
    'epilogueTileN is 48: expected a multiple of 16 that divides the 32 columns of a block',
  ],
])
