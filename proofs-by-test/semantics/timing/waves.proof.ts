/**
 * Waves of a grid: CTAs of one multiprocessor that are out of step gain what they have waited for its units, and no latency.
 *
 * The oracle is one wave, which is run in full: a kernel that waits for latency takes as long for each further wave.
 */
import { describe, expect, it } from 'vitest'
import { changed, h100, valueOf, type Chip } from '../../../src/semantics/timing/index.js'
import { right, timedKernel } from './timed.js'

type Changed = readonly [name: string, value: string]

/** Two CTAs on each of two multiprocessors: how long a wave takes that is run in full, how long each further one is taken to, and how long its busiest unit has to do. */
const waves = (...numbers: ReadonlyArray<Changed>): { one: number; further: number; busy: number } => {
  const chip = [['sms', '2'] as const, ...numbers].reduce<Chip>(
    (c, [name, value]) => right(changed(name, value)(c)),
    h100,
  )
  const t = timedKernel(
    'hopper-matmul',
    { m: 64 * 2, n: 64 * 2 * 4, k: 1024, tileM: 64, tileN: 64, tileK: 64, stages: 2 },
    chip,
  )
  const { all, run } = t.waves
  expect([t.residency.ctas, all, run]).toEqual([2, 4, 1])
  const first = t.timed.waves[0]!
  const one = first.to - first.from + valueOf(chip, 'launch.cta')
  const busiest = Math.max(...Object.values(t.timed.busy)) / t.timed.end
  return { one, further: (t.cycles - t.timed.end) / (all - 1), busy: busiest * one }
}

describe('several CTAs on a multiprocessor', () => {
  it('where they wait for latency, each wave takes as long as the first', () => {
    const { one, further, busy } = waves(['tma.latency', 'x20'])
    expect(busy).toBeLessThan(0.5 * one)
    expect(further).toBeGreaterThan(0.9 * one)
  })
  it('where they wait for a unit, it is busy while one of them begins or ends', () => {
    const { one, further, busy } = waves(['wgmma.rate', 'x0.2'])
    expect(further).toBeLessThan(0.97 * one)
    expect(further).toBeGreaterThanOrEqual(busy)
  })
})
