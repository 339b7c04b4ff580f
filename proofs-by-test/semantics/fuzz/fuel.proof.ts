/** Fuel: a run ends with it, and what ends within it is what it is with more (`machine/effort.ts`). */
import { describe, expect, test } from 'vitest'
import { unit } from '../../../src/numerics/unit.js'
import { launch } from '../../../src/semantics/execution/launch.js'
import { effort, outOfFuel, spend, within } from '../../../src/semantics/machine/effort.js'
import * as Policy from '../../../src/semantics/execution/policy.js'
import type { Program } from '../../../src/semantics/language/program.js'
import { collect, run, settings, type Ran } from '../../../src/semantics/execution/run.js'
import type { LogEvent } from '../../../src/semantics/log/events.js'
import { matmul } from '../machine/machine-samples.js'
import { random } from '../files/trace/written.js'
import { right } from '../../either.js'

const ran = (program: Program, fuel: number): Ran<ReadonlyArray<LogEvent>> => {
  const { world, machine } = right(launch(program, unit, { scalars: new Map(), tensors: new Map() }))
  return run(world, machine, { ...settings(Policy.seeded(3), true), fuel }, collect)
}

describe('laws 1 and 2', () => {
  const programs = [matmul({ m: 64, k: 64 }), ...Array.from({ length: 30 }, (_, k) => random(k))]
  test('with as much fuel as it takes events a run is the same as with any more; with less it stops', () => {
    for (const program of programs) {
      const whole = ran(program, 1_000_000)
      const { steps } = whole
      expect(['completed', 'stuck', 'fault']).toContain(whole.outcome._tag)
      const exact = ran(program, Math.max(1, steps))
      expect(exact.outcome).toEqual(whole.outcome)
      expect(exact.result).toEqual(whole.result)
      for (const less of [1, Math.floor(steps / 2), steps - 1]) {
        if (less < 1) continue
        const stopped = ran(program, less)
        expect(stopped.outcome._tag).toBe('outOfFuel')
        expect(stopped.steps).toBe(less)
        expect(stopped.schedule).toEqual(whole.schedule.slice(0, less))
      }
    }
  })
  test('a limit inside of a limit: the nearer one holds, and only there', () => {
    const e = effort()
    expect(spend(e, 1e9)).toBe(true)
    within(e, 10, () => {
      expect(spend(e, 10)).toBe(true)
      expect(within(e, 1e6, () => spend(e, 1))).toBe(false)
    })
    expect(spend(e, 1)).toBe(true)
    expect(outOfFuel.code).toBe('fuel')
  })
})
