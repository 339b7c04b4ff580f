/** The programs that captured mbarriers on an H100 run here, and leave what they left there: tokens, phases, pending counts, up to the operation that trapped. */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { elaborate } from '../../../src/dialects/ptx/elaboration/elaborate.js'
import { parseModule } from '../../../src/dialects/ptx/index.js'
import { bits } from '../../../src/numerics/bits.js'
import {
  launchWarps,
  usualSharedBase,
  warpSource,
  type WarpArguments,
} from '../../../src/semantics/execution/launch-warps.js'
import { eager } from '../../../src/semantics/execution/policy.js'
import { ignore, run, settings } from '../../../src/semantics/execution/run.js'
import * as Plane from '../../../src/semantics/machine/plane.js'
import { checkSource, standardOptions } from '../../../src/semantics/verdict/check.js'
import { right } from '../../either.js'
import { sampled } from '../../extent.js'
import { limitCaptures, mbarrierCaptures, type MbarrierCapture } from './mbarrier-capture.js'

const textOf = (module: string): string =>
  readFileSync(new URL(`../../../conformance/${module}`, import.meta.url), 'utf8')

const argumentsOf = (c: MbarrierCapture): WarpArguments => {
  const parameters = new Uint8Array(24)
  new DataView(parameters.buffer).setInt32(8, c.count, true)
  const tensor = (name: string, role: 'in' | 'inout', contents: Uint8Array) => ({
    name,
    role,
    contents,
    bytes: contents.length,
    elements: null,
    symbol: null,
  })
  return {
    grid: [1],
    block: [1],
    cluster: null,
    dynamicBytes: c.shared,
    parameters,
    pointers: [
      { offset: 0, tensor: 'operations' },
      { offset: 16, tensor: 'results' },
    ],
    tensors: [
      tensor('operations', 'in', new Uint8Array(c.operations.buffer)),
      tensor('results', 'inout', new Uint8Array(4 * c.resultWords)),
    ],
    sharedBase: usualSharedBase,
  }
}

const programOf = (c: MbarrierCapture) =>
  right(elaborate(right(parseModule(textOf(c.module))), c.entry, c.module)).program

describe.each([
  ['within the limits', mbarrierCaptures],
  ['at the limits', limitCaptures],
])('%s', (_, captures) => {
  it.each(sampled(3, captures).map((c, i) => [i, c] as const))('sequence %i', (_i, c) => {
    const { world, machine, planeOf } = right(launchWarps(programOf(c), argumentsOf(c), bits('hopper')))
    const { machine: after, outcome } = run(world, machine, settings(eager), ignore)
    expect(outcome._tag).toBe('completed')
    const found = new Uint8Array(4 * c.resultWords)
    Plane.copyOut(after.planes[planeOf.get('results')!]!, 0, found.length, found)
    const words = new Int32Array(found.buffer)
    for (const { at, value, what } of c.expected) expect(words[at], `${what}, word ${String(at)}`).toBe(value)
    // where the chip stopped, the verdict says why
    if (c.trappedAt !== null) {
      const checked = right(
        checkSource(warpSource(programOf(c), argumentsOf(c)), {
          ...standardOptions,
          algebra: bits('hopper'),
        }),
      )
      expect(checked.verdict.verdict).not.toBe('ok')
      expect(checked.verdict.findings.length).toBeGreaterThan(0)
    }
  })
})
