import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, test } from 'vitest'
import { instanceOf, kernels, type Settings } from '../../../src/kernels/catalogue/index.js'
import { kernelNamed } from '../../../src/kernels/catalogue/index.js'
import { zoo, programName } from '../../../src/kernels/broken/zoo/index.js'
import { unit } from '../../../src/numerics/unit.js'
import { leastEvents } from '../../../src/semantics/language/cost.js'
import { launch, noArguments } from '../../../src/semantics/execution/launch.js'
import { eager } from '../../../src/semantics/execution/policy.js'
import type { Program } from '../../../src/semantics/language/program.js'
import { ignore, run, settings } from '../../../src/semantics/execution/run.js'
import { nightly } from '../../extent.js'
import { right } from '../../either.js'

const taken = (program: Program): number | null => {
  const { world, machine } = right(launch(program, unit, noArguments))
  const ran = run(world, machine, settings(eager), ignore)
  return ran.outcome._tag === 'completed' ? ran.steps + ran.clusters : null
}
const made = (name: string, given: Settings): Program =>
  right(instanceOf(right(kernelNamed(name)), given, [])).program

describe('law 1: no run takes less', () => {
  test.each(kernels.filter((_, i) => nightly || i % 4 === 0).map((k) => [k.name]))('%s', (name) => {
    const program = made(name, {})
    expect(leastEvents(program)).toBeLessThanOrEqual(taken(program) ?? Infinity)
  })
  test('the zoo and its twins', () => {
    let completed = 0
    for (const twin of zoo)
      for (const fixed of [false, true]) {
        const made = twin.program(fixed)
        // some are refused, which is what they show
        if (E.isLeft(made)) continue
        const program = made.right
        const found = taken(program)
        if (found === null) continue
        completed++
        if (leastEvents(program) > found) expect.fail(programName(twin, fixed))
      }
    expect(completed).toBeGreaterThan(zoo.length)
  })
})

describe('and it is not much less', () => {
  test.each<readonly [string, Settings, number]>([
    ['hopper-matmul', {}, 0.5],
    ['matmul1', {}, 0.3],
    ['queue', { m: 560 }, 0.5],
  ])('%s', (name, given, share) => {
    const program = made(name, given)
    expect(leastEvents(program)).toBeGreaterThan(share * (taken(program) ?? Infinity))
  })
})

test('law 2: what would never end is counted at once', () => {
  const counted = (name: string, given: Settings): number => leastEvents(made(name, given))
  expect(counted('hopper-persistent', { blocks: 2 ** 31 - 1 })).toBeGreaterThan(2 ** 33)
  expect(counted('hopper-matmul', { k: 2 ** 22 })).toBeGreaterThan(2 ** 20)
  expect(counted('matmul6', { clusters: 2 ** 20 })).toBeGreaterThan(2 ** 23)
  expect(counted('queue', { m: 2 ** 30 })).toBeGreaterThan(2 ** 29)
  // a cluster that is cancelled does not run
  expect(counted('matmul-dynamic', { m: 128 * 2 ** 20 })).toBeLessThan(2 ** 10)
})
