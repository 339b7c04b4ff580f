/**
 * The laws of `kill.ts`, on the kernels that are small enough: every mutant of both classes (by day every fourth one) is killed by name, or equivalent by certificate. All
 * kernels have their turn in `kill-rate.proof.ts`.
 */
import { describe, expect, test } from 'vitest'
import { check } from '../../../src/semantics/verdict/check.js'
import {
  allSchedules,
  cutDown,
  judging,
  mutantsOf,
  neverObserved,
  rules,
  type Judged,
} from '../../../src/semantics/mutation/index.js'
import { options, programOf } from './settings.js'
import { nightly, sampled } from '../../extent.js'
import { right } from '../../either.js'

const queue = (m: number) => ({ m, n: 8, rows: 1, buffering: 2 })
const hopper = (steps: number) => ({
  m: 64,
  n: 16,
  k: 16 * steps,
  tileM: 64,
  tileN: 16,
  tileK: 16,
  stages: 2,
})
const show = (j: Judged): string => `${j.mutant.key}: ${j.verdict} ${j.ids.slice(0, 4).join()}`

const kernels = [
  ['queue', queue],
  ['hopper-matmul', hopper],
] as const

describe.each(kernels)('%s', (name, settings) => {
  const program = programOf(name, settings(5))
  const smaller = [1, 2, 3, 4].map((k) => cutDown(programOf(name, settings(k)), options))
  const judged = sampled(1, mutantsOf(program)).map(judging(program, options, smaller))
  test('law 1: the program itself is ok, and every small instance', () => {
    for (const p of [program, ...smaller.map((s) => s.program)])
      expect(right(check(p, options)).verdict.verdict).toBe('ok')
  })
  test('nothing survives without a certificate, nothing is undecided', () => {
    expect(judged.filter((j) => j.fate !== 'killed' && j.certificate === null).map(show)).toEqual([])
  })
  test('every kill names', () => {
    expect(judged.filter((j) => j.fate === 'killed' && !j.named).map(show)).toEqual([])
    // what is not killed is not pointed at
    const alive = judged.filter((j) => j.fate !== 'killed')
    expect(alive.filter((j) => j.named || j.naming !== null || j.accurate).map(show)).toEqual([])
    expect(alive.length).toBeGreaterThan(0)
  })
  test('a certificate is a rule of the list, or all schedules', () => {
    const given = new Set(judged.flatMap((j) => j.certificate ?? []))
    expect([...given].filter((c) => ![allSchedules, neverObserved, ...rules].includes(c))).toEqual([])
  })
  test('law 2: what a rule certifies has the ends and the proof of the program, under all schedules', () => {
    const ruled = judged.filter((j) => j.certificate !== null && rules.includes(j.certificate))
    expect(ruled.length).toBeGreaterThan(nightly ? 15 : 1)
    const few = nightly ? smaller : smaller.slice(2, 3)
    const before = few.map((s) => s.outcome())
    for (const j of ruled)
      few.forEach((s, i) => {
        const m = s.find(j.mutant.key)
        if (m === undefined) return
        expect([j.certificate, j.mutant.key, cutDown(m.program, options).outcome()]).toEqual([
          j.certificate,
          j.mutant.key,
          before[i],
        ])
      })
  })
})
