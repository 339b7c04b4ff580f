/** The suite of barriers: captured scripts end as they did on the H100. */
import * as fs from 'node:fs'
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, test } from 'vitest'
import { capturedScripts, mbarrierSuite } from '../../../src/oracle/vectors/mbarrier.js'
import { right } from '../../either.js'

interface Step {
  readonly op: string
  readonly arg: number
  readonly wait_parity0?: number
  readonly wait_parity1?: number
}
interface Answer {
  readonly steps: ReadonlyArray<{
    readonly parity0: boolean
    readonly parity1: boolean
    readonly pending: number
    readonly bytes: number
  }>
  readonly trap: string | null
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

describe('scripts that were not captured', () => {
  const wrongOf = (
    rule: string,
    answer: (a: Answer, q: { readonly count: number; readonly operations: ReadonlyArray<Step> }) => Answer,
  ): number =>
    [...mbarrierSuite.cases()].filter((one) => {
      const asked = mbarrierSuite.ask(one.question)
      if (one.rule !== rule || E.isLeft(asked)) return false
      const expected = asked.right as unknown as Answer
      return !mbarrierSuite.same(asked.right, answer(expected, one.question as never))
    }).length

  test('short ones find out a back end that forgets bytes which came first, and one that never traps', () => {
    expect(wrongOf('mbarrier.short', (a) => a)).toBe(0)
    expect(
      wrongOf('mbarrier.short', (a) => ({
        ...a,
        steps: a.steps.map((step) => ({ ...step, bytes: Math.max(0, step.bytes) })),
      })),
    ).toBeGreaterThan(10)
    expect(wrongOf('mbarrier.short', (a) => ({ ...a, trap: null }))).toBeGreaterThan(10)
  })
  test('a short one, step by step: bytes first, and the expectation ends the phase', () => {
    const operations = [
      { op: 'complete_tx', arg: 16 },
      { op: 'arrive', arg: 1 },
      { op: 'expect_tx', arg: 16 },
    ]
    expect(mbarrierSuite.ask({ count: 1, operations })).toEqual(
      E.right({
        steps: [
          { parity0: false, parity1: true, pending: 1, bytes: 0 },
          { parity0: false, parity1: true, pending: 1, bytes: -16 },
          { parity0: false, parity1: true, pending: 0, bytes: -16 },
          { parity0: true, parity1: false, pending: 1, bytes: 0 },
        ],
        trap: null,
      }),
    )
  })
  test('behind inval there is no barrier, until it is made anew', () => {
    const gone = [
      { op: 'arrive', arg: 1 },
      { op: 'inval', arg: 0 },
    ]
    const ends = [
      { parity0: false, parity1: true, pending: 1, bytes: 0 },
      { parity0: true, parity1: false, pending: 1, bytes: 0 },
    ]
    expect(mbarrierSuite.ask({ count: 1, operations: gone })).toEqual(E.right({ steps: ends, trap: null }))
    expect(mbarrierSuite.ask({ count: 1, operations: [...gone, { op: 'init', arg: 1 }] })).toEqual(
      E.right({ steps: [...ends, ends[0]], trap: null }),
    )
    expect(mbarrierSuite.ask({ count: 1, operations: [...gone, { op: 'arrive', arg: 1 }] })).toMatchObject(
      E.left({ code: 'mbarrier.life' }),
    )
  })
  test('a dropping arrive that announces bytes is both', () => {
    const of = (...operations: ReadonlyArray<readonly [string, number]>): unknown =>
      mbarrierSuite.ask({ count: 2, operations: operations.map(([op, arg]) => ({ op, arg })) })
    const last = (asked: unknown): unknown =>
      (asked as E.Right<{ readonly steps: ReadonlyArray<unknown> }>).right.steps.at(-1)
    expect(last(of(['arrive_drop_expect_tx', 16], ['arrive', 1], ['complete_tx', 16]))).toEqual(
      last(of(['expect_tx', 16], ['arrive_drop', 1], ['arrive', 1], ['complete_tx', 16])),
    )
  })
})
