import { describe, expect, it } from 'vitest'
import { unit } from '../../../src/numerics/unit.js'
import { check } from '../../../src/semantics/check.js'
import { noArguments } from '../../../src/semantics/launch.js'
import { embed } from '../../../src/semantics/naive/embed.js'
import { show } from '../../../src/semantics/naive/notation.js'
import { skeletonOf } from '../../../src/semantics/naive/random.js'
import type { Skeleton } from '../../../src/semantics/naive/skeleton.js'
import { eager, lazy, seeded, type AnyPolicy } from '../../../src/semantics/policy.js'
import type { Program } from '../../../src/semantics/program.js'
import type { Verdict } from '../../../src/semantics/verdict.js'
import { without } from '../../../src/kernels/broken/index.js'
import { matmul } from '../machine-samples.js'
import { skeleton } from '../naive/skeletons.js'
import { kindsOf, launchedSkeleton, naiveKinds, naively, right, searched } from './programs.js'

const verdict = (
  program: Program,
  explore: boolean,
  policy: AnyPolicy = eager,
  bounds: { readonly states: number; readonly depth: number } = { states: 100_000, depth: 100_000 },
): Verdict =>
  right(
    check(program, {
      settings: {},
      algebra: unit,
      arguments: noArguments,
      policy,
      strict: false,
      strictProxies: false,
      hazards: true,
      provenance: false,
      explore,
      explain: false,
      bounds,
      fuel: 1_000_000,
    }),
  ).verdict

const programOf = (s: Skeleton): Program => right(embed(s)).program

describe('check, where one schedule does not decide', () => {
  it('decides every program as the search of its skeleton does', () => {
    const wrong: string[] = []
    const by: Record<string, number> = {}
    for (let seed = 600_000; seed < 600_400; seed++) {
      const s = skeletonOf(seed)
      const all = naively(s)
      if (all === null) continue
      const v = verdict(programOf(s), true, seeded(seed))
      const how = `${v.verdict} by ${v.decidedBy}${v.search === null ? '' : ', search'}`
      by[how] = (by[how] ?? 0) + 1
      const said = v.verdict === 'ok' ? 'clean' : v.verdict === 'undecided' ? 'undecided' : 'not'
      if (said !== (all.clean ? 'clean' : 'not')) wrong.push(`${how}: ${v.reason}\n${show(s)}`)
      if (v.verdict !== 'ok' && v.findings.length === 0)
        wrong.push(`no finding: ${how}: ${v.reason}\n${show(s)}`)
    }
    expect(wrong.slice(0, 3)).toEqual([])
    expect(by['ok by exploration, search']).toBeGreaterThan(3)
    expect(by['hazard by exploration']).toBeGreaterThan(3)
  })
})

/** Programs that one schedule finds nothing in, and that are wrong in another. */
const smallest: ReadonlyArray<readonly [name: string, text: string, verdict: string, kinds: string]> = [
  [
    'C3: the bytes may be expected of generation 0 or of generation 1',
    'b@0:1 | t0@0: arr #0 | t1@0: exp #0 1; wait #0 0',
    'deadlock',
    'deadlock',
  ],
  [
    'C6: the generation may complete before its bytes are expected',
    'b@0:1 | t0@0: exp #0 1 | t1@0: arr #0; wait #0 1',
    'deadlock',
    'deadlock',
  ],
  [
    'C4 lower: the wait can pass on the fresh barrier',
    'b0@0:1 b1@0:1 | t0@0: arr #0; wait #1 1; wr s0.x; wait #0 0 | t1@0: arr #1; wait #0 0; wait #0 0; wr s0.x; cp > s0.y; ca #1',
    'hazard',
    'exit race visibility',
  ],
  [
    'C4 upper: a warp that waits for every store of another, and leads to none, falls two phases behind',
    'f@0:1 e@0:1 d@0:1 | p@0: wr s0.x; arr #0; wait #1 0; wr s0.x; arr #0; wait #1 1; wr s0.x; arr #0 | c@0: wait #0 0; rd s0.x; arr #2; arr #1; wait #0 1; rd s0.x; arr #2; arr #1; wait #0 0; rd s0.x; arr #2 | w@0: wait #2 0; wait #2 1; wait #2 0',
    'deadlock',
    'deadlock',
  ],
  [
    'the same across two CTAs: the peer waits for done in a warp that nobody waits for',
    'd@1:1 e@0:1 | p@0: arr #0; wait #1 0; arr #0; wait #1 1; arr #0; rdv x 0,1,2 ~ | w@1: wait #0 0; wait #0 1; wait #0 0; rdv x 0,1,2 ~ | c@1: arr #1; arr #1; rdv x 0,1,2 ~',
    'deadlock',
    '',
  ],
]

const schedules: ReadonlyArray<AnyPolicy> = [eager, lazy, ...Array.from({ length: 40 }, (_, k) => seeded(k))]

describe('deadlocks that one schedule does not show', () => {
  it.each(smallest)('%s', (_, text, expected, kinds) => {
    const s = skeleton(text)
    const found = kindsOf(searched(launchedSkeleton(s)))
    expect(found).toBe(naiveKinds(naively(s)!))
    if (kinds !== '') expect(found).toBe(kinds)
    const program = programOf(s)
    const undecided = schedules.filter((policy) => {
      const v = verdict(program, false, policy)
      expect(v.verdict).not.toBe('ok')
      return v.verdict === 'undecided'
    })
    expect(undecided.length).toBeGreaterThan(0)
    for (const policy of undecided.slice(0, 5)) {
      const v = verdict(program, true, policy)
      // a directed schedule is enough
      expect([v.verdict, v.decidedBy, v.search]).toEqual([expected, 'exploration', null])
      expect(v.findings.length).toBeGreaterThan(0)
    }
  })
})

describe('a deadlock is told with what causes it', () => {
  const matmulOf = matmul({ k: 128, stages: 2 })
  const told = (label: string, policy: AnyPolicy): ReadonlyArray<string> =>
    verdict(right(without(label)(matmulOf)), true, policy).findings.map(
      (f) => `${f.id}: ${f.a.site} / ${f.b?.site ?? ''}`,
    )
  const policies = [eager, lazy, seeded(1)]
  it('the conflicts of both copies, before the wait that is blocked', () => {
    for (const policy of policies) {
      const all = told('wait loaded', policy)
      expect(all[0]).toMatch(/^R1: .*(wgmma|copy a)/)
      for (const tile of ['a', 'b'])
        for (const id of ['R1', 'W1'])
          expect(
            all.some((f) => f.startsWith(id) && f.includes(`copy ${tile}`)),
            `${id} of ${tile}`,
          ).toBe(true)
    }
    const stuck = told('wait loaded', eager)
    expect(stuck).toContain('B5: wait consumed / ')
    // the conflicts come first
    expect(stuck.slice(0, 2).map((f) => f.slice(0, 2))).toEqual(['R1', 'W1'])
  })
  it('where there is no conflict, the blocked wait and what is wrong with its barrier', () => {
    for (const policy of policies) {
      expect(told('arrive consumed', policy)).toEqual(['B5: wait consumed / '])
      expect(told('copy a.expect', policy)).toEqual(['B5: wait loaded / '])
      expect(told('copy b', policy)).toEqual(['B4: wait loaded / '])
      expect(told('init loaded[0]', policy)).toEqual(['B7: copy a.expect / ', 'B5: wait loaded / '])
    }
  })
})

describe('a search is the last resort', () => {
  it('refutes a candidate that no schedule confirms, and says how far it went', () => {
    const refuted: Verdict[] = []
    for (let seed = 600_000; seed < 600_400 && refuted.length < 2; seed++) {
      const v = verdict(programOf(skeletonOf(seed)), true, seeded(seed))
      if (v.verdict !== 'ok' || v.decidedBy !== 'exploration') continue
      refuted.push(v)
      const { states, transitions } = v.search!
      expect([v.findings, v.search!.complete, v.search!.bound]).toEqual([[], true, null])
      expect(v.reason).toContain(`${String(states)} states, ${String(transitions)} transitions`)
      expect(verdict(programOf(skeletonOf(seed)), false, seeded(seed)).verdict).toBe('undecided')
      const cut = verdict(programOf(skeletonOf(seed)), true, seeded(seed), { states: 10, depth: 1000 })
      expect([cut.verdict, cut.search!.bound, cut.search!.complete]).toEqual(['undecided', 'states', false])
      expect(cut.reason).toContain('its bound (states: 11 states')
    }
    expect(refuted.length).toBe(2)
  })
})
