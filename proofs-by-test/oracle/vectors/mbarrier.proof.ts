/** The suite of barriers: captured scripts end as they did on the H100. */
import * as fs from 'node:fs'
import { describe, expect, test } from 'vitest'
import { capturedScripts, mbarrierSuite } from '../../../src/oracle/vectors/mbarrier.js'
import { right } from '../../either.js'

interface Step {
  readonly op: string
  readonly arg: number
  readonly wait_parity0?: number
  readonly wait_parity1?: number
}
const read = (name: string): unknown =>
  JSON.parse(
    fs.readFileSync(new URL(`../../../conformance/hopper/structure/${name}`, import.meta.url), 'utf8'),
  )
const { sequences } = read('mbarrier.json') as { sequences: ReadonlyArray<ReadonlyArray<Step>> }
const limits = (
  read('mbarrier_limits.json') as {
    sequences: ReadonlyArray<{ steps: ReadonlyArray<Step>; trapped_at_step: number | null }>
  }
).sequences
const captures = [
  ...sequences.map((steps) => ({ steps, trapped: null })),
  ...limits.map(({ steps, trapped_at_step }) => ({ steps, trapped: trapped_at_step })),
]

describe('captured scripts', () => {
  test.each(captures.map((capture, k) => [k, capture] as const))('%i', (k, { steps, trapped }) => {
    const { count, operations } = capturedScripts[k]!
    expect(count).toBe(steps[0]!.arg)
    expect(operations.map(({ op }) => op)).toEqual(
      steps.slice(1).map(({ op }) => (op === 'arrive_count' ? 'arrive' : op)),
    )
    const answer = right(mbarrierSuite.ask({ count, operations })) as unknown as {
      readonly steps: ReadonlyArray<{ readonly parity0: boolean; readonly parity1: boolean }>
      readonly trap: string | null
    }
    expect([k, answer.trap === null ? null : answer.steps.length]).toEqual([k, trapped])
    answer.steps.forEach(({ parity0, parity1 }, i) => {
      const { wait_parity0, wait_parity1 } = steps[i]!
      if (wait_parity0 !== undefined) expect(parity0).toBe(wait_parity0 === 1)
      if (wait_parity1 !== undefined) expect(parity1).toBe(wait_parity1 === 1)
    })
  })
})
