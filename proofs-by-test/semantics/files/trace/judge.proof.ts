/** A trace is judged as the run that wrote it. */
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, test } from 'vitest'
import { agentsActAsOne as scope } from '../../../../src/semantics/machine/front.js'
import { defaults } from '../../../../src/semantics/judging/detector/index.js'
import * as Policy from '../../../../src/semantics/execution/policy.js'
import { judgeTrace } from '../../../../src/semantics/files/trace/index.js'
import type { Verdict } from '../../../../src/semantics/judging/verdict.js'
import { zoo, type Twin } from '../../../../src/kernels/broken/index.js'
import { hopperMatmul } from '../../../../src/kernels/hopper/hopper-matmul.js'
import { small } from '../../machine/machine-samples.js'
import { catalogue, random, written } from './written.js'
import { nightly } from '../../../extent.js'
import { right } from '../../../either.js'

const zooProgram = (id: string): Twin => zoo.find((twin) => twin.id === id)!

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
    expect(inCommon(judged(lines))).toEqual(inCommon(verdict()))
  })

  test('random programs, of which many are wrong', () => {
    const names = new Set<string>()
    // 244: one load that conflicts with another in the memories of two CTAs
    for (const seed of [...Array(nightly ? 5_000 : 20).keys(), 244]) {
      const { lines, verdict: judge } = written(random(seed), Policy.seeded(seed))
      const verdict = judge()
      names.add(verdict.verdict)
      if (verdict.verdict === 'invalid') continue
      expect(inCommon(judged(lines)), `seed ${String(seed)}`).toEqual(inCommon(verdict))
    }
    expect([...names].sort()).toEqual(expect.arrayContaining(['deadlock', 'hazard', 'ok', 'undecided']))
  })
})

describe('law 2: a trace that is cut off', () => {
  const { lines, verdict } = written(right(hopperMatmul({ ...small, m: 128, k: 64 })))
  test('is undecided wherever it is cut, and finds nothing at an end that it does not have', () => {
    expect(verdict().verdict).toBe('ok')
    expect(lines.filter((line) => line.includes('"_tag":"cluster"')).length).toBeGreaterThan(1)
    const tail = lines.reduce((last, line, k) => (/"_tag":"(exit|perform|access)"/.test(line) ? k : last), 0)
    for (let length = 1; length <= lines.length; length += nightly ? 1 : 13) {
      const v = judged(lines.slice(0, length))
      const found = [...v.findings, ...v.notes].map((f) => f.id)
      expect([v.verdict, found], `${String(length)} of ${String(lines.length)}`).toEqual([
        length > tail ? 'ok' : 'undecided',
        [],
      ])
      if (length <= tail) expect(v.provenance).toBeNull()
    }
  })
  test('the header alone says that no cluster has begun', () => {
    expect(judged(lines.slice(0, 1))).toMatchObject({
      verdict: 'undecided',
      reason: 'the trace stops before the end of its run: no cluster has begun',
    })
  })
  test('at a fault of its run is undecided, and says whose exit is missing', () => {
    const faulting = written(right(zooProgram('I2').program(false)))
    expect(faulting.verdict().verdict).toBe('invalid')
    expect(judged(faulting.lines)).toMatchObject({
      verdict: 'undecided',
      reason: expect.stringMatching(/ of CTA 0 has neither exited nor blocked/),
    })
  })
  test('of a wrong program has no hazard that the whole does not have', () => {
    for (const id of ['R1', 'D1', 'B5', 'U2', 'T1', 'O1', 'K2'] as const) {
      const whole = written(right(zooProgram(id).program(false)))
      const ids = new Set(judged(whole.lines).findings.map((f) => f.id))
      for (let length = 1; length < whole.lines.length; length += nightly ? 3 : 9) {
        const v = judged(whole.lines.slice(0, length))
        expect(v.verdict, id).not.toBe('ok')
        for (const f of v.findings)
          expect(ids.has(f.id) || f.id === 'I1' || f.id === 'M6', `${id} at ${String(length)}: ${f.id}`).toBe(
            true,
          )
      }
    }
  })
  test('in the middle of a line is not read', () => {
    const last = lines[50]!
    const result = judgeTrace({ ...defaults, scope })([...lines.slice(0, 50), last.slice(0, 20)])
    expect(result).toMatchObject({ left: { code: 'trace.syntax', line: 51 } })
    expect(E.isLeft(result)).toBe(true)
  })
})
