/**
 * Check: where one schedule does not decide, against the search of skeletons; what causes a deadlock, and in which order it is told; what is looked for
 * and what is not; digests. Programs of a line each, worked by hand.
 */
import { describe, expect, it } from 'vitest'
import { bits } from '../../../../src/numerics/bits.js'
import { digested, digestOf } from '../../../../src/semantics/verdict/check.js'
import { readTensor } from '../../../../src/semantics/execution/launch.js'
import { embed } from '../../../../src/semantics/schedules/naive/embed.js'
import { show } from '../../../../src/semantics/schedules/naive/notation.js'
import { skeletonOf } from '../../../../src/semantics/schedules/naive/random.js'
import type { Skeleton } from '../../../../src/semantics/schedules/naive/skeleton.js'
import {
  eager,
  lazy,
  named,
  recorded,
  roundRobin,
  seeded,
  starvingAgent,
  type AnyPolicy,
} from '../../../../src/semantics/execution/policy.js'
import type { Program } from '../../../../src/semantics/language/program.js'
import { replaying } from '../../../../src/semantics/files/schedule.js'
import type { Verdict } from '../../../../src/semantics/judging/verdict.js'
import { without, zoo } from '../../../../src/kernels/broken/index.js'
import { matmul } from '../../machine/machine-samples.js'
import { skeleton } from '../naive/skeletons.js'
import { checked, kindsOf, launchedSkeleton, naiveKinds, naively, programOf, searched } from './programs.js'
import { nightly } from '../../../extent.js'
import { right } from '../../../either.js'

const verdict = (
  program: Program,
  explore: boolean,
  policy: AnyPolicy = eager,
  bounds?: { readonly states: number; readonly depth: number },
): Verdict => checked(program, { explore, policy, ...(bounds === undefined ? {} : { bounds }) }).verdict

const embedded = (s: Skeleton): Program => right(embed(s)).program

describe('check, where one schedule does not decide', () => {
  it('decides every program as the search of its skeleton does', () => {
    const wrong: string[] = []
    const by: Record<string, number> = {}
    for (let seed = 600_000; seed < 600_000 + (nightly ? 4000 : 30); seed++) {
      const s = skeletonOf(seed)
      const all = naively(s)
      if (all === null) continue
      const v = verdict(embedded(s), true, seeded(seed))
      const how = `${v.verdict} by ${v.decidedBy}${v.search === null ? '' : ', search'}`
      by[how] = (by[how] ?? 0) + 1
      // a fence between a read and an asynchronous write (P3) is not asked for by the skeleton's engine
      if (all.clean && v.findings.length > 0 && v.findings.every(({ id }) => id === 'P3')) continue
      // lanes that may part at a barrier are no agents of a skeleton
      if (all.clean && v.verdict === 'undecided' && v.search?.leaves === 'lanes') continue
      // a skeleton does not say what is written: what its engine calls a race may be two writes of one value
      const isClean = v.verdict === 'ok' && !v.notes.some(({ id }) => id === 'N4')
      const said = isClean ? 'clean' : v.verdict === 'undecided' ? 'undecided' : 'not'
      if (said !== (all.clean ? 'clean' : 'not'))
        wrong.push(`${String(seed)} ${how}: ${v.reason}\n${show(s)}`)
      if (v.verdict !== 'ok' && v.findings.length === 0)
        wrong.push(`no finding: ${how}: ${v.reason}\n${show(s)}`)
    }
    expect(wrong.slice(0, 3)).toEqual([])
    // each way to a verdict is taken; at night often
    const often = nightly ? 10 : 0
    expect(by['ok by exploration, search']).toBeGreaterThan(often)
    expect(by['hazard by exploration']).toBeGreaterThan(often)
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
    const program = embedded(s)
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
      expect(told('copy a.expect', policy)).toEqual(['B5: wait loaded / init loaded[0]'])
      expect(told('copy b', policy)).toEqual(['B4: wait loaded / copy b.expect'])
      expect(told('init loaded[0]', policy)).toEqual(['B7: copy a.expect / ', 'B7: wait loaded / '])
    }
  })
})

/**
 * `t` waits for parity 1 of a fresh barrier: it passes if nobody has arrived yet, else it waits in vain. Whoever starves it sees a deadlock, and
 * `lazy`, which lets the first agent go as far as it can, sees what comes after the wait.
 */
describe('what causes a deadlock is seen in another schedule', () => {
  const found = (text: string, how: Parameters<typeof checked>[1]): ReadonlyArray<string> =>
    checked(programOf(text), how).verdict.findings.map((f) =>
      [f.id, f.a.site, ...(f.b === undefined ? [] : ['/', f.b.site])].join(' '),
    )
  const stuck = { policy: starvingAgent(0, 1) }
  const blocked = 'B6 0.0 wait #0 1'
  const rows: ReadonlyArray<
    readonly [what: string, text: string, how: Parameters<typeof checked>[1], findings: ReadonlyArray<string>]
  > = [
    [
      'a conflict comes first, and of a run that shows one nothing but conflicts',
      'b@0:1 | t@0: wait #0 1; wr s0.x; arr #0 | u@0: arr #0; rd s0.x',
      stuck,
      ['B6 0.1 wr s0.x / 1.1 rd s0.x', blocked],
    ],
    [
      'unless nobody wants other schedules',
      'b@0:1 | t@0: wait #0 1; wr s0.x; arr #0 | u@0: arr #0; rd s0.x',
      { ...stuck, explore: false },
      [blocked],
    ],
    [
      'nor is one looked for, where the run that is stuck shows a conflict itself',
      'b@0:1 | t@0: wait #0 1; wr s0.x | u@0: arr #0; rd s0.x; rd s0.z | v@0: wr s0.z',
      stuck,
      ['D1 2.0 wr s0.z / 1.2 rd s0.z', blocked],
    ],
    [
      'without a conflict, arrivals that can change places: the first, after the wait in vain',
      'b@0:1 e@0:1 | t@0: wait #0 1; arr #0; arr #1 | u@0: arr #0; arr #1',
      stuck,
      [blocked, 'B3 0.1 arr #0 / 1.0 arr #0'],
    ],
    [
      'of several conflicts all',
      'b@0:1 | t@0: wait #0 1; wr s0.x; wr s0.y; arr #0 | u@0: arr #0; rd s0.x; rd s0.y',
      stuck,
      ['B6 0.1 wr s0.x / 1.1 rd s0.x', 'B6 0.2 wr s0.y / 1.2 rd s0.y', blocked],
    ],
    [
      'the arrivals are told, not where the run that shows them is stuck itself',
      'b@0:1 e@0:1 | t@0: wait #0 1; arr #0; wait #1 0 | u@0: arr #0',
      stuck,
      [blocked, 'B3 0.1 arr #0 / 1.0 arr #0'],
    ],
    [
      'of the first run that shows them, be it not the first that is tried',
      // the first agent arrives late, unless it goes as far as it can
      'b@0:1 | u@0: rd s0.z; rd s0.z; rd s0.z; arr #0 | t@0: wait #0 1; arr #0',
      { policy: lazy },
      ['B6 1.0 wait #0 1', 'B3 1.1 arr #0 / 0.3 arr #0'],
    ],
    [
      'a phase that ends too early explains nothing',
      'b@0:1 | t@0: wait #0 1 | u@0: arr #0',
      stuck,
      [blocked],
    ],
    // from here on the first run is no deadlock, and the one that starves the first agent is tried first
    [
      'what failed in the first run is told behind the deadlock that another has found',
      'b@0:1 e@0:1 | t@0: wait #0 1; arr #0; arr #1 | u@0: arr #0; arr #1',
      { policy: lazy },
      [blocked, 'B3 0.1 arr #0 / 1.0 arr #0', 'B3 0.2 arr #1 / 1.1 arr #1'],
    ],
    [
      'what the first run found is told once',
      'b@0:1 | t@0: wait #0 1; wr s0.x; arr #0 | u@0: arr #0; rd s0.x',
      { policy: lazy },
      ['B6 0.1 wr s0.x / 1.1 rd s0.x', 'B3 0.2 arr #0 / 1.0 arr #0', blocked],
    ],
  ]
  it.each(rows)('%s', (_, text, how, findings) => {
    expect(found(text, how)).toEqual(findings)
  })
  it('what the first run found besides comes last', () => {
    const text = 'b@0:1 | t@0: wait #0 1; wr s0.x; arr #0 | u@0: arr #0; rd s0.x'
    // a schedule in which the read comes first, and the arrivals the other way round
    const policy = seeded(2)
    const alone = found(text, { policy, explore: false })
    expect(alone[0]).toBe('B6 1.1 rd s0.x / 0.1 wr s0.x')
    expect(found(text, { policy })).toEqual([
      // the first of each kind: the cause, and what failed in the first run
      'B6 0.1 wr s0.x / 1.1 rd s0.x',
      'B1 0.0 wait #0 1 / 1.0 arr #0',
      'B3 1.0 arr #0 / 0.2 arr #0',
      blocked,
      'B6 1.1 rd s0.x / 0.1 wr s0.x',
    ])
  })
  it('a hazard is told by the run that decided, and no cause is looked for', () => {
    const text = 'b@0:1 e@0:1 | t@0: arr #0 | u@0: arr #0 | p@0: wr s0.x; arr #1 ~ | c@0: wait #1 0; rd s0.x'
    const v = checked(programOf(text)).verdict
    expect([v.verdict, v.decidedBy]).toEqual(['hazard', 'exploration'])
    expect(v.schedules[v.findings[0]!.schedule!]).toBe('starving:0,seeded:1')
  })
  it('says which run decided, and how many there were', () => {
    const text = 'b@0:1 e@0:1 | t@0: wait #0 1; arr #0; arr #1 | u@0: arr #0; arr #1'
    const of = (policy: AnyPolicy): ReadonlyArray<unknown> => {
      const { verdict: v } = checked(programOf(text), { policy })
      return [v.verdict, v.decidedBy, v.search, v.counts.runs, v.waitFor.length]
    }
    expect(of(starvingAgent(0, 1))).toEqual(['deadlock', 'one-schedule', null, 1, 1])
    expect(of(lazy)).toEqual(['deadlock', 'exploration', null, 2, 1])
  })
  it('a deadlock of some schedules names one that completes, whichever came first, and has what it leaves', () => {
    const some = 'b@0:1 e@0:1 | t@0: wait #0 1; arr #0; arr #1 | u@0: arr #0; arr #1'
    const all = 'b@0:1 | t@0: wait #0 0 | u@0: wait #0 0; arr #0'
    for (const [text, policies] of [
      [some, [starvingAgent(0, 1), lazy, eager, roundRobin, seeded(1), seeded(2), seeded(3)]],
      [all, [lazy, eager]],
    ] as const) {
      const program = programOf(text)
      const tags = policies.map((policy) => checked(program, { policy, explore: false }).outcome._tag)
      // the text that always gets stuck does, and of the other one some schedules do
      expect(new Set(tags).size).toBe(text === some ? 2 : 1)
      for (const policy of policies) {
        const c = checked(program, { policy })
        const { completes, schedules, reason, verdict: name } = c.verdict
        expect([name, completes !== undefined, c.completed !== null]).toEqual([
          'deadlock',
          text === some,
          text === some,
        ])
        if (completes === undefined) {
          expect(reason).not.toContain('in some schedules')
          continue
        }
        expect(reason.startsWith(`in some schedules (schedule ${schedules[completes]!} completes), `)).toBe(
          true,
        )
        const again = checked(program, { policy: named(schedules[completes]!)!, explore: false })
        expect([again.outcome._tag, c.completed!.row]).toEqual(['completed', completes])
        expect(c.completed!.schedule).toEqual(again.schedule)
        expect(c.completed!.machine.barriers).toEqual(again.machine.barriers)
      }
      // one schedule that is asked for is no question about others
      const alone = checked(program, { policy: policies[0], explore: false })
      expect([alone.verdict.verdict, alone.verdict.completes]).toEqual(['deadlock', undefined])
    }
  })

  /** Is the run under this policy refused? */
  const refused = (text: string, policy: AnyPolicy): boolean =>
    checked(programOf(text), { policy, explore: false }).verdict.verdict === 'invalid'
  const twice = 'dea t0.y; dea t0.y'
  it('a run that is refused shows half: the conflict is told by one that is not refused, if there is one', () => {
    // columns are given back twice, behind a wait that passes unless the last agent comes first
    const text = `b@0:1 | p@0: rd s0.x | t@0: wr s0.x; wait #0 1; ${twice} | u@0: arr #0`
    expect([refused(text, lazy), refused(text, roundRobin)]).toEqual([true, false])
    const { findings, schedules, verdict: name } = checked(programOf(text), { policy: lazy }).verdict
    expect(name).toBe('invalid')
    expect(findings.map((f) => [f.id, f.a.site, schedules[f.schedule!]])).toEqual([
      ['D1', '1.0 wr s0.x', 'roundrobin'],
      ['T2', '1.3 dea t0.y', 'lazy'],
      // the same two the other way round
      ['D1', '0.0 rd s0.x', 'lazy'],
    ])
  })
  it('else the first that is refused and shows it', () => {
    const text = `b@0:1 | t@0: wait #0 1; wr s0.x; ${twice} | u@0: arr #0; rd s0.x`
    // in turn both accesses come before the refusal; the first agent alone does not get to the other's
    expect([lazy, roundRobin].map((policy) => refused(text, policy))).toEqual([true, true])
    const { findings, schedules } = checked(programOf(text), { policy: lazy }).verdict
    expect(findings.map((f) => [f.id, f.a.site, schedules[f.schedule!]])).toEqual([
      ['B6', '0.1 wr s0.x', 'roundrobin'],
      ['T2', '0.3 dea t0.y', 'lazy'],
    ])
  })
})

describe('a search is the last resort', () => {
  it('refutes a candidate that no schedule confirms, and says how far it went', () => {
    const refuted: Verdict[] = []
    const most = nightly ? 2 : 1
    for (let seed = 600_000; seed < 600_400 && refuted.length < most; seed++) {
      const v = verdict(embedded(skeletonOf(seed)), true, seeded(seed))
      if (v.verdict !== 'ok' || v.decidedBy !== 'exploration') continue
      refuted.push(v)
      const { states } = v.search!
      expect([v.findings, v.search!.complete, v.search!.bound]).toEqual([[], true, null])
      expect(v.reason).toContain(`${String(states)} states`)
      expect(verdict(embedded(skeletonOf(seed)), false, seeded(seed)).verdict).toBe('undecided')
      const cut = verdict(embedded(skeletonOf(seed)), true, seeded(seed), { states: 10, depth: 1000 })
      expect([cut.verdict, cut.search!.bound, cut.search!.complete]).toEqual(['undecided', 'states', false])
      expect(cut.reason).toContain('found in 11 states')
    }
    expect(refuted.length).toBe(most)
  })
})

describe('what is looked for', () => {
  const program = matmul({ k: 64 })
  const cases = [true, false].flatMap((hazards) =>
    [true, false].map((provenance) => [hazards, provenance] as const),
  )
  it.each(cases)('hazards %s, provenance %s', (hazards, provenance) => {
    const { verdict: v } = checked(program, { hazards, provenance, explore: false })
    expect(v.verdict).toBe('ok')
    expect(v.provenance?.proved ?? null).toBe(provenance ? true : null)
    expect(v.counts.events > 0).toBe(hazards)
    expect(v.digest.order === 'none').toBe(!hazards)
    expect(v.reason === 'the run completed; hazards were not checked').toBe(!hazards)
    expect(Object.values(v.conditions).every((c) => c.holds)).toBe(true)
    expect(v.counts.runs).toBe(1)
  })
  it('a race is none where nobody looks, and the result is wrong all the same', () => {
    const racy = right(without('wait loaded')(program))
    expect(checked(racy, { hazards: false, explore: false, policy: roundRobin }).verdict).toMatchObject({
      findings: [],
      notes: [],
      waitFor: [],
    })
    const wrong = right(without('wgmma')(program))
    for (const hazards of [true, false]) {
      const v = checked(wrong, { hazards, provenance: true, explore: false }).verdict
      expect([v.verdict, v.provenance?.proved, v.reason]).toEqual(['wrong-result', false, v.provenance?.text])
    }
    // where conditions fail the result of one run is one of many
    const both = checked(right(without('wait loaded')(wrong)), { provenance: true, explore: false }).verdict
    expect([both.verdict, both.provenance?.proved]).toEqual(['undecided', false])
    // and without provenance nobody has said so
    expect(checked(wrong, { explore: false }).verdict.verdict).toBe('ok')
  })
  it('what is owed at the end is not found in a run that was stopped', () => {
    // the last event of the eager run is a read of its own
    const text = ' | u@0: wr s0.x | t@0: wr s0.x; st s0.x > g.z; bc; wr s0.y; rd s0.y'
    const whole = checked(programOf(text), { explore: false }).verdict
    expect(whole.verdict).toBe('hazard')
    expect(whole.findings.map((f) => f.id)).toContain('U2')
    const ids = (fuel: number): ReadonlyArray<string> => {
      const v = checked(programOf(text), { explore: false, fuel }).verdict
      expect(v.counts.steps).toBe(fuel)
      return [...new Set(v.findings.map((f) => f.id))].sort()
    }
    const owed = ['U2']
    expect(ids(whole.counts.steps - 1)).toEqual(
      [...new Set(whole.findings.map((f) => f.id))].filter((id) => !owed.includes(id)).sort(),
    )
    expect(checked(programOf(text), { explore: false, fuel: 3 }).verdict).toMatchObject({
      verdict: 'out-of-fuel',
      findings: [],
    })
  })
  it('a schedule that does not fit is refused, with the event that is not on offer', () => {
    const { schedule } = checked(program, { explore: false })
    const first = schedule.slice(0, 5)
    const foreign = { agent: 0, at: 999, stage: 'agent', part: 0 } as const
    const how = { explore: false, policy: recorded([...first, foreign]) }
    expect(() => checked(program, how)).toThrow(
      'the schedule does not fit this program: after 5 events its next one, 0:999, is not on offer; on offer are 0:6, 1:1',
    )
    const late = { explore: false, policy: named('eager 99999=0:1')! }
    expect(() => checked(program, late)).toThrow(/its next one, 0:1, is not on offer; the run is over/)
    // what is left after the end of a schedule that fits goes on eagerly
    expect(checked(program, { explore: false, policy: recorded(schedule) }).verdict.verdict).toBe('ok')
    expect(checked(program, { explore: false, policy: recorded(first) }).verdict.verdict).toBe('ok')
  })
})

describe('what a verdict says', () => {
  it('who, of what, and how much: counts, scope, digests, settings', () => {
    const program = matmul({ k: 64, n: 128 })
    const {
      verdict: v,
      world,
      machine,
      schedule,
    } = checked(program, {
      settings: { k: 64 },
      explore: false,
    })
    expect(v).toMatchObject({
      schema: 'tcspec.verdict/2',
      kernel: program.name,
      settings: { k: 64 },
      decidedBy: 'one-schedule',
      search: null,
      findings: [],
      notes: [],
      waitFor: [],
      provenance: null,
      scope: [
        'races between the threads of one agent (it acts as one thread here; check the PTX of the kernel)',
      ],
    })
    // two by two tiles, one CTA each
    expect(v.counts).toMatchObject({
      steps: schedule.length,
      agents: world.header.agents.length,
      ctas: 1,
      clusters: 4,
      runs: 1,
    })
    expect(v.counts.events).toBeGreaterThan(schedule.length)
    expect(v.digest.output).toBe('none')
    expect(machine.inFlight).toEqual([])
    expect(digested(world)).toEqual(['out'])
  })
  it('the outputs alone are digested, with data', () => {
    const launch = { algebra: bits('hopper'), explore: false, hazards: false } as const
    const program = matmul({ k: 64 })
    const tensors = (x: number): ReadonlyMap<string, Float64Array> =>
      new Map([
        ['a', new Float64Array(128 * 64).fill(x)],
        ['b', new Float64Array(64 * 64).fill(0x3c00)],
      ])
    const of = (x: number): string => {
      const {
        verdict: v,
        world,
        machine,
      } = checked(program, {
        ...launch,
        arguments: { scalars: new Map(), tensors: tensors(x) },
      })
      expect(v.digest.output).toBe(digestOf([readTensor(world, machine, 'out')]))
      return v.digest.output
    }
    // one and two in f16
    expect(of(0x3c00)).not.toBe(of(0x4000))
    expect(of(0x3c00)).toBe(of(0x3c00))
  })
  it('an event that is refused: where, whose, and as a finding of that agent where its code is one', () => {
    const text = ' | t@0: fen cta | u@0: tst t0.y; wst; dea t0.y; dea t0.y'
    const { verdict: v, schedule } = checked(programOf(text), { explore: false })
    expect(v.reason).toBe(
      'T2: agent 1 / 1.3 dea t0.y: dealloc: expected an allocation of 32 columns, found none (agent wg1 of CTA 0)',
    )
    expect(v.findings.map((f) => [f.id, f.severity, f.text, f.a.agent, f.a.site, f.a.does, f.b])).toEqual([
      [
        'T2',
        'E',
        'dealloc: expected an allocation of 32 columns, found none',
        'wg1@0',
        '1.3 dea t0.y',
        'is refused',
        undefined,
      ],
    ])
    // the schedule ends with it
    expect(schedule.at(-1)).toEqual({ agent: 1, at: v.findings[0]!.a.at, stage: 'agent', part: 0 })
    expect(v.counts.steps).toBe(schedule.length)
  })
  it('missing edges of the first findings, unless nobody wants them', () => {
    const racy = programOf(
      ' | t@0: wr s0.x; wr s0.y; wr s0.z; wr s0.w | u@0: rd s0.x; rd s0.y; rd s0.z; rd s0.w',
    )
    const missing = (explain: boolean): ReadonlyArray<boolean> =>
      checked(racy, { explore: false, explain }).verdict.findings.map((f) => f.missing !== undefined)
    expect(missing(true)).toEqual([true, true, true, false])
    expect(missing(false)).toEqual([false, false, false, false])
  })
  it('a finding replays: its schedule gives a run with that finding', () => {
    const text = 'b@0:1 | t@0: wr s0.x; arr #0 ~ | u@0: wait #0 0; rd s0.x'
    const { verdict: v, recorded: all } = checked(programOf(text), { explore: false, policy: seeded(3) })
    expect([v.findings.length, v.schedules]).toEqual([1, ['seeded:3']])
    // by name, and event by event
    for (const policy of [right(replaying(v, v.findings[0]!))!, recorded(all[v.findings[0]!.schedule!]!)])
      expect(checked(programOf(text), { explore: false, policy }).verdict.findings).toEqual(v.findings)
  })
  it('contracts are notes, with the schedule that shows them, and findings where the caller is strict', () => {
    const skips = right(zoo.find(({ id }) => id === 'B8')!.program(false))
    const [lax, strict] = [false, true].map((s) => checked(skips, { explore: false, strict: s }).verdict)
    expect([lax!.verdict, lax!.findings]).toEqual(['ok', []])
    expect(strict!.verdict).toBe('hazard')
    const [note] = lax!.notes
    expect(note!.severity).not.toBe('E')
    expect([note!.schedule, lax!.schedules]).toEqual([0, ['eager']])
    expect(strict!.notes).toEqual([])
    expect([note!, strict!.findings[0]!].map((f) => f.a.site)).toEqual(['wait 1', 'wait 1'])
  })
})

describe('the digest of outputs', () => {
  /** The same on unbounded integers: words of 32 bits, low and high, of each number. */
  const spelt = (outputs: ReadonlyArray<Float64Array | null>): string => {
    const word = (x: bigint): bigint => BigInt.asUintN(32, x)
    let [hi, lo] = [0x811c9dc5n, 0x01000193n]
    for (const x of outputs.flatMap((data) => (data === null ? [] : [...data]))) {
      const view = new DataView(new ArrayBuffer(8))
      view.setFloat64(0, x, true)
      hi = word((hi ^ BigInt(view.getUint32(0, true))) * 0x01000193n)
      lo = word((lo ^ BigInt(view.getUint32(4, true)) ^ (hi >> 15n)) * 0x85ebca6bn)
    }
    return [hi, lo].map((x) => x.toString(16).padStart(8, '0')).join('')
  }
  const a = Float64Array.of(1, -2, 0.1, 2 ** 40, 5e-324)
  const b = Float64Array.of(0)
  it('is of their numbers in order, two words of 32 bits', () => {
    for (const outputs of [[a], [b], [a, b], [b, a], [null, a, null, b], [new Float64Array(0)]])
      expect(digestOf(outputs)).toBe(spelt(outputs))
    expect(digestOf([b])).toMatch(/^[0-9a-f]{16}$/)
    expect(digestOf([a, b])).not.toBe(digestOf([b, a]))
    expect(digestOf([Float64Array.of(0)])).not.toBe(digestOf([Float64Array.of(-0)]))
  })
  it('is none where there are no data', () => {
    expect(digestOf([])).toBe('none')
    expect(digestOf([null, null])).toBe('none')
  })
})
