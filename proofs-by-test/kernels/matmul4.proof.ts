/** matmul4: several tiles of a cluster, one after the other: the ring goes on, and the accumulator is free when it has been read. */
import { describe, expect, test } from 'vitest'
import { matmul4 } from '../../src/kernels/blackwell/matmul4.js'
import { unit } from '../../src/numerics/index.js'
import { launch, noArguments } from '../../src/semantics/execution/launch.js'
import * as Policy from '../../src/semantics/execution/policy.js'
import * as Run from '../../src/semantics/execution/run.js'
import { base, edges, pairNotes, refused, rightFor } from './blackwell-steps.js'
import { right } from '../either.js'

rightFor(
  matmul4,
  [
    { k: 16 },
    { m: 768, k: 48, dtype: 'bf16' },
    // five tiles on two clusters: three and two
    { m: 1280, k: 32, clusters: 2, stages: 3 },
    // more clusters than tiles: one of them has none
    { m: 512, k: 48, clusters: 3 },
  ],
  pairNotes,
)
edges(matmul4, { m: 512 }, [
  ['wait_load_tmem', 'hazard', ['M3']],
  ['wait mma_done', 'hazard', ['M2']],
  ['copy a', 'deadlock', ['B4']],
  // one piece too many is under way when its buffer is written in the next tile
  ['copy out 1.group', 'hazard', ['W4']],
])

describe('the ring goes on from tile to tile', () => {
  test('the waits of warp 0, by hand: three steps on two slots, three tiles', () => {
    const p = right(matmul4({ ...base, m: 768, k: 48 }))
    const { world, machine } = right(launch(p, unit, noArguments))
    const how = { policy: Policy.eager, fuel: 1e6, keepSchedule: false, transient: true }
    const log = Run.run(world, machine, how, Run.collect).result
    const waits = log.flatMap((e) => {
      if (e._tag !== 'wait' || e.outcome !== 'passed') return []
      const { name, cta } = world.header.agents[e.stamp.agent]!
      const barrier = world.header.barriers[e.barrier]!.name
      return name === 'thread.warp0' && cta === 0 ? [`${barrier.slice(-3)} ${String(e.parity)}`] : []
    })
    // slot 0 is used twice in a tile, slot 1 once: the generations of the header's table, mod 2
    expect(waits).toEqual(['[0] 0', '[0] 1', '[1] 0', '[0] 0', '[0] 1', '[1] 1', '[0] 0'])
  })
})

refused('matmul4', matmul4, [
  [{ clusters: 0 }, 'clusters is 0: expected a positive integer'],
  [{ m: 128 }, 'm is 128: expected a multiple of 2 * tileM, which is 256'],
])
