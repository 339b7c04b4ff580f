/** The zoo: every bad twin gets its verdict, with its id between the right two statements; every mended one is clean. */
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import { linesOf, programName, zoo, type Twin } from '../../src/kernels/broken/index.js'
import { instanceOf, kernelNamed } from '../../src/kernels/catalogue.js'
import { unit } from '../../src/numerics/unit.js'
import { check } from '../../src/semantics/check.js'
import type { Finding } from '../../src/semantics/finding.js'
import { noArguments } from '../../src/semantics/launch.js'
import { eager, recorded, seeded, type AnyPolicy } from '../../src/semantics/policy.js'
import { print } from '../../src/semantics/print.js'
import type { Program } from '../../src/semantics/program.js'
import { readKey } from '../../src/semantics/step.js'
import type { Verdict } from '../../src/semantics/verdict.js'

const right = <A>(e: E.Either<{ readonly message: string }, A>): A => {
  if (E.isLeft(e)) throw new Error(e.left.message)
  return e.right
}

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

const running = zoo.filter((t) => E.isRight(t.program(false)))
const refused = zoo.filter((t) => E.isLeft(t.program(false)))

describe('the zoo', () => {
  it('names: one pair each; the catalogue knows both', () => {
    const names = zoo.map((t) => t.name)
    expect(new Set(names).size).toBe(names.length)
    for (const t of zoo)
      for (const fixed of [false, true]) {
        const made = instanceOf(right(kernelNamed(programName(t.name, fixed))), {}, [])
        expect(made).toEqual(
          E.isLeft(t.program(fixed))
            ? t.program(fixed)
            : E.right({
                kernel: programName(t.name, fixed),
                settings: {},
                program: right(t.program(fixed)),
              }),
        )
      }
  })

  it.each(zoo.map((t) => [t.name, t] as const))('law 1: %s has at most 15 lines', (_, t) => {
    for (const program of [t.program(false), t.program(true)])
      if (E.isRight(program)) expect(linesOf(program.right)).toBeLessThanOrEqual(15)
    if (E.isRight(t.program(false)))
      expect(print(right(t.program(false)))).not.toBe(print(right(t.program(true))))
  })

  it.each(refused.map((t) => [t.name, t] as const))('law 2: %s is refused by its id', (_, t) => {
    expect(t.shows.verdict).toBe('invalid')
    expect(t.program(false)).toMatchObject(E.left({ code: t.id }))
  })

  it.each(running.map((t) => [t.name, t] as const))('law 2: %s', (_, t) => {
    const v = verdictOf(t, right(t.program(false)), eager, true)
    const all = t.shows.verdict === 'ok' ? v.notes : v.findings
    const at = all.findIndex((f) => shows(t, f))
    expect([
      v.verdict,
      all.map((f) => `${f.id} ${f.a.site} / ${String(f.b?.site)}`),
      at >= 0 && at < 3,
    ]).toEqual([t.shows.verdict, expect.anything(), true])
    const found = all[at]!
    // what a finding has to say
    expect(found.severity).toBe(
      t.shows.verdict === 'ok' ? 'L' : t.shows.strict === true ? 'C' : found.severity,
    )
    if (found.b !== undefined && /^[DPRWMV]/.test(t.id))
      expect(found).toMatchObject({ knew: expect.any(String), place: expect.anything() })
    if (t.shows.verdict !== 'invalid' && t.shows.verdict !== 'ok') expect(found.missing?.text).toBeDefined()
    if (t.shows.verdict === 'deadlock')
      expect(v.waitFor.join()).toMatch(/is blocked at .* waiting for .*; could be supplied by/)
    // and it replays
    const keys = found.schedule.split(' ').map((k) => readKey(k)!)
    const again = verdictOf(t, right(t.program(false)), recorded(keys), false)
    expect([...again.findings, ...again.notes].some((f) => shows(t, f))).toBe(true)
  })

  it.each(zoo.map((t) => [t.name, t] as const))('law 2: %s, mended', (_, t) => {
    const v = verdictOf(t, right(t.program(true)), eager, false)
    expect([v.verdict, v.findings, v.notes]).toEqual(['ok', [], []])
  })

  it.each(running.map((t) => [t.name, t] as const))('law 3: %s under 50 schedules', (_, t) => {
    const bad = right(t.program(false))
    const mended = right(t.program(true))
    for (let seed = 1; seed <= 50; seed++) {
      const v = verdictOf(t, bad, seeded(seed), false)
      if (t.shows.verdict === 'ok') expect(v.notes.some((f) => shows(t, f))).toBe(true)
      else expect(['hazard', 'deadlock', 'invalid', 'wrong-result']).toContain(v.verdict)
      const w = verdictOf(t, mended, seeded(seed), false)
      expect([w.verdict, w.findings, w.notes]).toEqual(['ok', [], []])
    }
  })
})
