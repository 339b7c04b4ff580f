/** A trace is judged as the run that wrote it. */
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, test } from 'vitest'
import { scope } from '../../../src/semantics/check.js'
import { defaults } from '../../../src/semantics/detector/index.js'
import * as Policy from '../../../src/semantics/policy.js'
import { judgeTrace } from '../../../src/semantics/trace/index.js'
import type { Verdict } from '../../../src/semantics/verdict.js'
import { catalogue, random, written } from './written.js'
import { nightly } from '../../extent.js'
import { right } from '../../either.js'

const judged = (lines: ReadonlyArray<string>): Verdict => right(judgeTrace({ ...defaults, scope })(lines))

/** A verdict without what a trace does not have: settings, schedules, data and steps. */
const inCommon = (v: Verdict): unknown => ({
  ...v,
  settings: {},
  findings: v.findings.map((f) => ({ ...f, schedule: null })),
  notes: v.notes.map((f) => ({ ...f, schedule: null })),
  schedule: null,
  schedules: [],
  digest: { ...v.digest, output: '' },
  counts: { ...v.counts, steps: 0 },
})

describe('law 1: the verdict on the trace is the verdict on the run', () => {
  test.each(catalogue())('%s', (_, program) => {
    const { lines, verdict } = written(program)
    expect(inCommon(judged(lines))).toEqual(inCommon(verdict))
  })

  test('random programs, of which many are wrong', () => {
    const names = new Set<string>()
    // 244: one load that conflicts with another in the memories of two CTAs
    for (const seed of [...Array(nightly ? 5_000 : 80).keys(), 244]) {
      const { lines, verdict } = written(random(seed), Policy.seeded(seed))
      names.add(verdict.verdict)
      if (verdict.verdict === 'invalid') continue
      expect(inCommon(judged(lines)), `seed ${String(seed)}`).toEqual(inCommon(verdict))
    }
    expect([...names].sort()).toEqual(expect.arrayContaining(['deadlock', 'hazard', 'ok', 'undecided']))
  })
})

describe('law 2: a trace that is cut off', () => {
  const { lines, verdict } = written(catalogue()[0]![1])
  test('is not ok, but where a cluster has come to its end', () => {
    expect(verdict.verdict).toBe('ok')
    const names = new Set<string>()
    for (let length = 3; length < Math.min(lines.length, 120); length++) {
      const { verdict: name } = judged(lines.slice(0, length))
      names.add(name)
      const whole = lines[length]!.includes('"_tag":"cluster"')
      expect(name === 'ok', `${String(length)}: ${name}`).toBe(whole)
    }
    expect(names).toContain('out-of-fuel')
  })
  test('in the middle of a line is not read', () => {
    const last = lines[50]!
    const result = judgeTrace({ ...defaults, scope })([...lines.slice(0, 50), last.slice(0, 20)])
    expect(result).toMatchObject({ left: { code: 'trace.syntax', line: 51 } })
    expect(E.isLeft(result)).toBe(true)
  })
})
