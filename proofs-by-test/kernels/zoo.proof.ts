/** The zoo: every bad twin gets its verdict, with its id between the right two statements; every mended one is clean. */
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import { clean, foreign, linesOf, programName, zoo, type Twin } from '../../src/kernels/broken/index.js'
import { instanceOf, kernelNamed } from '../../src/kernels/catalogue/index.js'
import { unit } from '../../src/numerics/unit.js'
import { check } from '../../src/semantics/verdict/check.js'
import { hazards } from '../../src/semantics/judging/hazards.js'
import type { Finding } from '../../src/semantics/judging/finding.js'
import { noArguments } from '../../src/semantics/execution/launch.js'
import { eager, lazy, seeded, type AnyPolicy } from '../../src/semantics/execution/policy.js'
import { print } from '../../src/semantics/language/print.js'
import type { Program } from '../../src/semantics/language/program.js'
import { replaying } from '../../src/semantics/files/schedule.js'
import type { Verdict } from '../../src/semantics/judging/verdict.js'
import { nightly, sampled } from '../extent.js'
import { right } from '../either.js'
import { otherNotes } from '../unfenced-reads.js'

const verdictOf = (t: Twin, program: Program, policy: AnyPolicy, explain: boolean): Verdict =>
  right(
    check(program, {
      settings: {},
      algebra: unit,
      arguments: noArguments,
      policy,
      strict: t.shows.strict ?? false,
      strictProxies: t.shows.strictProxies ?? false,
      hazards: true,
      provenance: true,
      explore: true,
      explain,
      fuel: 1e6,
    }),
  ).verdict

const sites = (f: Finding): ReadonlyArray<string | undefined> => [f.a.site, f.b?.site].sort()
const shows = (t: Twin, f: Finding): boolean =>
  f.id === t.id && JSON.stringify(sites(f)) === JSON.stringify([t.shows.a, t.shows.b].sort())

/** Schedules of each twin. */
const seeds = nightly ? 50 : 2

const all = [...zoo, ...foreign]
const running = all.filter((t) => E.isRight(t.program(false)))
const refused = all.filter((t) => E.isLeft(t.program(false)))

describe('the zoo', () => {
  it('names: one pair each; the catalogue knows both', () => {
    const names = all.map((t) => t.path)
    expect(new Set(names).size).toBe(names.length)
    for (const t of all)
      for (const fixed of [false, true]) {
        const made = instanceOf(right(kernelNamed(programName(t, fixed))), {}, [])
        expect(made).toEqual(
          E.isLeft(t.program(fixed))
            ? t.program(fixed)
            : E.right({
                kernel: programName(t, fixed),
                settings: {},
                program: right(t.program(fixed)),
              }),
        )
      }
  })

  it.each(zoo.map((t) => [t.path, t] as const))('law 1: %s has at most 15 lines', (_, t) => {
    for (const program of [t.program(false), t.program(true)])
      if (E.isRight(program)) expect(linesOf(program.right)).toBeLessThanOrEqual(15)
    if (E.isRight(t.program(false)))
      expect(print(right(t.program(false)))).not.toBe(print(right(t.program(true))))
  })

  it.each(refused.map((t) => [t.path, t] as const))('law 2: %s is refused by its id', (_, t) => {
    expect(t.shows.verdict).toBe('invalid')
    expect(t.program(false)).toMatchObject(E.left({ code: t.id }))
  })

  it.each(running.map((t) => [t.path, t] as const))('law 2: %s', (_, t) => {
    const v = verdictOf(t, right(t.program(false)), eager, true)
    const listed = t.shows.verdict === 'ok' ? v.notes : v.findings
    const at = listed.findIndex((f) => shows(t, f))
    expect([
      v.verdict,
      listed.map((f) => `${f.id} ${f.a.site} / ${String(f.b?.site)}`),
      at >= 0 && at < 3,
    ]).toEqual([t.shows.verdict, expect.anything(), true])
    const found = listed[at]!
    // what a finding has to say
    expect(found.severity).toBe(
      t.name === 'U1-reused' || t.shows.verdict === 'deadlock' ? 'E' : hazards[t.id].severity,
    )
    if (found.b !== undefined && /^[DPRWMV]/.test(t.id))
      expect(found).toMatchObject({ knew: expect.any(String), place: expect.anything() })
    if (t.shows.verdict !== 'invalid' && t.shows.verdict !== 'ok') expect(found.missing?.text).toBeDefined()
    if (t.shows.verdict === 'deadlock')
      expect(v.waitFor.join()).toMatch(
        /is blocked at .* waiting for .*; (\S.* (could|would) signal it|no agent signals it in this run)/,
      )
    expect(JSON.stringify(v)).not.toMatch(/\b(nobody|somebody|whoever)\b/i)
    // and it replays
    const again = verdictOf(t, right(t.program(false)), right(replaying(v, found))!, false)
    expect([...again.findings, ...again.notes].some((f) => shows(t, f))).toBe(true)
  })

  it.each(all.map((t) => [t.path, t] as const))('law 2: %s, mended', (_, t) => {
    const v = verdictOf(t, right(t.program(true)), eager, false)
    expect([v.verdict, v.findings, otherNotes(v.notes)]).toEqual(['ok', [], []])
  })

  it.each(sampled(2, running).map((t) => [t.path, t] as const))('law 3: %s under many schedules', (_, t) => {
    const bad = right(t.program(false))
    const mended = right(t.program(true))
    for (let seed = 1; seed <= seeds; seed++) {
      const v = verdictOf(t, bad, seeded(seed), false)
      if (t.shows.verdict === 'ok') expect(v.notes.some((f) => shows(t, f))).toBe(true)
      else expect(['hazard', 'deadlock', 'invalid', 'wrong-result']).toContain(v.verdict)
      const w = verdictOf(t, mended, seeded(seed), false)
      expect([w.verdict, w.findings, otherNotes(w.notes)]).toEqual(['ok', [], []])
    }
  })

  it.each(clean.map((c) => [c.name, c] as const))('%s: right, and found right', (_, { program }) => {
    for (const policy of [eager, lazy, ...Array.from({ length: seeds }, (__, seed) => seeded(seed))]) {
      const v = verdictOf(zoo[0]!, right(program), policy, false)
      expect([v.verdict, v.findings, otherNotes(v.notes), v.provenance?.proved]).toEqual(['ok', [], [], true])
    }
  })

  it('two-cta-allocation: where the peer was early, the race itself', () => {
    const t = foreign.find((f) => f.path === 'foreign/two-cta-allocation')!
    const ids = Array.from({ length: nightly ? 30 : 10 }, (_, seed) =>
      verdictOf(t, right(t.program(false)), seeded(seed), false).findings.map((f) => f.id),
    )
    for (const found of ids) expect(['M7', 'D4']).toContain(found[0])
    expect(ids.some((found) => found.includes('D4'))).toBe(true)
  })
})
