/**
 * What stands although no schedule shows it: findings that a search does not look for, by hand. And what settles a run that decides nothing, a program
 * of each kind: which of the directed schedules, how many of them, in which words, or the search behind them.
 */
import { describe, expect, test } from 'vitest'
import { bits } from '../../../src/numerics/bits.js'
import * as B from '../../../src/semantics/writing/builder.js'
import * as X from '../../../src/semantics/language/expression.js'
import { confirm, unanswered, type Answer, type Ran } from '../../../src/semantics/verdict/confirm.js'
import type { Finding, HazardId, Judgement } from '../../../src/semantics/judging/finding.js'
import { noArguments, sourceOf, type Launched } from '../../../src/semantics/execution/launch.js'
import type { World } from '../../../src/semantics/machine/world.js'
import { hazardIds } from '../../../src/semantics/judging/hazards.js'
import * as Policy from '../../../src/semantics/execution/policy.js'
import type { Program } from '../../../src/semantics/language/program.js'
import * as Run from '../../../src/semantics/execution/run.js'
import type { EventKey } from '../../../src/semantics/execution/step.js'
import type { Verdict, VerdictName } from '../../../src/semantics/judging/verdict.js'
import { checked, launchedProgram, programOf, searched } from '../schedules/explore/programs.js'
import { arr, forked, inval, rd, team } from '../schedules/explore/team.js'
import { right } from '../../either.js'

const finding = (id: HazardId): Finding => ({
  id,
  severity: 'E',
  text: id,
  a: { index: 0, agent: 'w@0', site: 'here', path: [], iteration: [], at: 1, does: 'reads' },
})
const left = (resident: number, clusterCount: number): ReadonlyArray<HazardId> =>
  unanswered({ resident, clusterCount } as World, hazardIds.map(finding), []).map((f) => f.id)

test('contracts, results, notes and what the launch decides: everything else is a matter of schedules', () => {
  const always = [
    'A1',
    'A2',
    'A3',
    'A4',
    'B8',
    'D5',
    'D6',
    'K2',
    'K4',
    'L1',
    'L2',
    'M5',
    'M7',
    'N1',
    'N2',
    'N3',
    'N4',
    'N5',
    'O1',
    'P3',
    'P6',
    'U1',
    'V2',
  ]
  // clusters that run one after another are never searched together
  expect([...left(1, 4)].sort()).toEqual([...always, 'D3'].sort())
  expect([...left(3, 4)].sort()).toEqual([...always, 'D3'].sort())
  expect([...left(4, 4)].sort()).toEqual([...always].sort())
})
test('in their order', () => {
  const two = [finding('U1'), finding('R1'), finding('A1')]
  const one = { resident: 1, clusterCount: 1 } as World
  expect(unanswered(one, two, [])).toEqual([two[0], two[2]])
  // what is in order in every schedule, and not by the manual
  expect(unanswered(one, two, [two[1]!])).toEqual(two)
})

/** Two arrivals that nothing orders: the generations of b can change places (C3 fails), and that is all. */
const unsettled = 't@0: arr #0 | u@0: arr #0'
const alone = `b@0:1 | ${unsettled}`
const beside = (more: string): Program => programOf(`b@0:1 e@0:1 | ${unsettled} | ${more}`)
/** eager, lazy, four seeds */
const others = 6
/** the first run, and the schedules that are tried */
const runs = (agents: number, operations: number): number => 1 + agents + operations + others

const of = (program: Program, how: Parameters<typeof checked>[1] = {}): Verdict =>
  checked(program, how).verdict

describe('when no schedule shows anything', () => {
  const rows: ReadonlyArray<
    readonly [what: string, program: Program, tried: number, how: Parameters<typeof checked>[1]]
  > = [
    ['each of two agents is starved', programOf(alone), runs(2, 0), {}],
    ['each of three', beside('v@0: rd s0.x'), runs(3, 0), {}],
    [
      'of ten agents eight',
      team({ words: [[[arr(0)], [arr(0)], [], [], [], [], [], [], [], []]] }),
      runs(8, 0),
      {},
    ],
    ['data or none', programOf(alone), runs(2, 0), { algebra: bits('hopper') }],
  ]
  test.each(rows)('%s', (_, program, tried, how) => {
    const v = of(program, how)
    expect([v.verdict, v.decidedBy, v.search?.complete, v.counts.runs, v.findings]).toEqual([
      'ok',
      'exploration',
      true,
      tried,
      [],
    ])
    expect(v.reason).toMatch(/^no hazards in any schedule \(all of them searched: \d+ states\)$/)
  })

  test('a search that was cut short settles nothing', () => {
    const v = of(programOf(alone), { bounds: { states: 3, depth: 1000 } })
    expect([v.verdict, v.search?.complete, v.search?.bound]).toEqual(['undecided', false, 'states'])
    expect(v.reason).toMatch(/^no hazard found in 4 states, the bound of the search$/)
  })

  // a read, and then a copy over it, without a proxy fence: a contract that only strict proxies ask for
  const over = (reads: string, loads: string, units: number): Program =>
    beside(`v@0: ${reads}; arx #1 ${String(units)}; ${loads}; wait #1 0`)
  const strict = { strictProxies: true }
  test('the operations of the findings are starved: each once, six at most', () => {
    const load = (x: string): string => `ld > s0.${x}:#1:1`
    expect(of(over('rd s0.x', load('x'), 1)).counts.runs).toBe(runs(3, 0))
    expect(of(over('rd s0.x', load('x'), 1), strict).counts.runs).toBe(runs(3, 2))
    // two findings with one copy
    expect(of(over('rd s0.x; rd s0.x', load('x'), 1), strict).counts.runs).toBe(runs(3, 3))
    const four = ['x', 'y', 'z', 'w']
    expect(
      of(over(four.map((x) => `rd s0.${x}`).join('; '), four.map(load).join('; '), 4), strict).counts.runs,
    ).toBe(runs(3, 6))
  })
  test('a missing fence that is no affair of schedules leaves it open', () => {
    const v = of(over('rd s0.x', 'ld > s0.x:#1:1', 1), strict)
    expect([v.verdict, v.search?.complete]).toEqual(['undecided', true])
    expect(v.findings.map((f) => f.id)).toEqual(['P3'])
    expect(v.reason).toMatch(
      /^1 possible hazard, not reproduced: one schedule does not decide, because C3 fails \(/,
    )
    expect(of(over('rd s0.x', 'ld > s0.x:#1:1', 1)).verdict).toBe('ok')
  })
  test('an output that nobody writes stands, whatever the schedules', () => {
    const program = programOf(alone)
    const never: Program = {
      ...program,
      params: [
        ...program.params,
        { _tag: 'tensor', name: 'never', dtype: 'i32', shape: [X.i32(4)], strides: [X.i32(1)], role: 'out' },
      ],
    }
    const v = of(never)
    expect([v.verdict, v.decidedBy, v.search?.complete]).toEqual(['hazard', 'exploration', true])
    expect(v.findings.map((f) => f.id)).toEqual(['O1'])
    // its finding has one operation
    expect(v.counts.runs).toBe(runs(2, 1))
    expect(v.reason).toBe(v.findings[0]!.text)
  })
})

describe('what a directed schedule shows settles it', () => {
  test('as many as the budget pays, and the verdict says what was spent', () => {
    const hidden = beside('p@0: wr s0.x; arr #1 ~ | c@0: wait #1 0; rd s0.x')
    const at = (budget: number) => {
      const { verdict, decidedBy, lookedAt, spent } = of(hidden, { budget })
      return [verdict, decidedBy ?? `${lookedAt!} looked at`, spent]
    }
    const price = of(hidden, { explore: false }).counts.steps
    expect(of(hidden, { explore: false }).spent).toBeUndefined()
    expect(at(price - 1)).toEqual(['undecided', 'exploration looked at', { events: 0, budget: price - 1 }])
    expect(at(price)).toEqual(['hazard', 'exploration', { events: price, budget: price }])
    expect(at(1e6)).toEqual(['hazard', 'exploration', { events: price, budget: 1e6 }])
  })
  test('a search goes as far as what is left, and says so', () => {
    const right = of(programOf(alone))
    const whole = right.spent!.events
    expect([right.verdict, right.spent]).toEqual(['ok', { events: whole, budget: null }])
    const steps = of(programOf(alone), { explore: false }).counts.steps
    expect(whole).toBe((right.counts.runs - 1) * steps + 32 * right.search!.states)
    for (const budget of [0, 1, steps, 5 * steps, whole >> 1, whole - 33, whole - 1, whole, whole + 1]) {
      const v = of(programOf(alone), { budget })
      expect(v.spent!.events, String(budget)).toBeLessThanOrEqual(budget + 32)
      expect(v.verdict, String(budget)).toBe(budget < whole ? 'undecided' : 'ok')
    }
  })
  test('a state that offers both accesses', () => {
    const v = of(beside('p@0: wr s0.x | c@0: rd s0.x'))
    expect([v.verdict, v.decidedBy, v.search]).toEqual(['hazard', 'exploration', null])
    const race = v.findings.find((f) => f.b !== undefined && f.a.site.endsWith('s0.x'))!
    expect(v.reason).toMatch(/^.* \(one state offers both accesses: 2:\d+ and 3:\d+\)$/)
    expect(v.reason.startsWith(`${race.text} (`)).toBe(true)
  })
  test('an access whose view does not show the last write', () => {
    const v = of(beside('p@0: wr s0.x; arr #1 ~ | c@0: wait #1 0; rd s0.x'))
    expect([v.verdict, v.search, v.counts.runs]).toEqual(['hazard', null, 2])
    const hidden = v.findings.find((f) => f.a.site === '2.0 wr s0.x')!
    const read = hidden.b!
    expect(read.site).toBe('3.1 rd s0.x')
    expect(v.reason).toBe(`${hidden.text} (visibility at 3:${String(read.at)})`)
  })
  test('an operation that outlives its CTA, in the words of the finding that says so and not of the first', () => {
    const v = of(beside('v@0: rd s0.x; arx #1 1; ld > s0.x:#1:1'), { strictProxies: true })
    expect([v.verdict, v.search]).toEqual(['hazard', null])
    expect(v.findings.map((f) => f.id).slice(0, 2)).toEqual(['P3', 'U2'])
    const open = v.findings[1]!
    expect(v.reason).toBe(
      `${open.text} (U2: tmaLoad of 2:${String(open.a.at)}/all.0 is open when CTA 0 has ended)`,
    )
  })
  test('a deadlock', () => {
    const v = of(programOf('b@0:1 | u@0: wait #0 1; arr #0 | t@0: arr #0'))
    expect([v.verdict, v.search]).toEqual(['deadlock', null])
  })
})

test('where control depends on data nothing is searched, and the directed schedules are all that is tried', () => {
  const program = right(
    B.kernel(
      { name: 'by data', arch: 'sm90a', grid: [1], agents: [B.warp('t', 0), B.warp('u', 1)] },
      function* () {
        const a = yield* B.tensorParam('a', 'i32', [4], { role: 'in' })
        const bar = yield* B.barriers('bar', [])
        yield* B.ifThen('first', X.eq(X.place('agent'), X.i32(0)), function* () {
          yield* B.run('init', { _tag: 'mbarrier.init', barrier: bar, count: 1 })
        })
        yield* B.run('sync', { _tag: 'bar.sync', id: 1, count: 64 })
        const found = yield* B.gmemLoad('found', a.view)
        yield* B.ifThen('by data', X.any(X.lt(found, X.splat<'i32', 1>(X.i32(1), [4]))), function* () {
          yield* B.run('arrive', {
            _tag: 'mbarrier.arrive',
            barrier: bar,
            count: 1,
            release: true,
            scope: 'cta',
          })
        })
      },
    ),
  )
  const tensors = new Map([['a', Float64Array.of(0, 0, 0, 0)]])
  const v = of(program, { algebra: bits('hopper'), arguments: { scalars: new Map(), tensors } })
  expect([v.verdict, v.lookedAt, v.search, v.counts.runs]).toEqual([
    'undecided',
    'exploration',
    null,
    runs(2, 0),
  ])
  expect(v.reason).toMatch(
    /^no hazard found in \d+ other schedules; a search of all schedules is not possible for this program$/,
  )
})

describe('asked by hand, with runs and findings that are made up', () => {
  /** One run under a policy, whatever policy is asked for; with these findings. */
  const ranBy = (
    launched: Launched,
    policy: Policy.AnyPolicy,
    ids: ReadonlyArray<HazardId>,
    keep: (schedule: ReadonlyArray<EventKey>) => ReadonlyArray<EventKey> = (schedule) => schedule,
  ): Ran => {
    const ran = Run.run(launched.world, launched.machine, Run.settings(policy, true), Run.ignore)
    const judgement = { findings: ids.map(finding) } as unknown as Judgement
    return { ...ran, replay: 'eager', schedule: keep(ran.schedule), result: [judgement, null] }
  }
  interface Asked {
    readonly answer: Answer
    /** names and seeds of the policies, in the order in which they were asked for */
    readonly policies: ReadonlyArray<string>
  }
  const asking = (
    program: Program,
    run: (launched: Launched) => Ran,
    more: { readonly decide?: VerdictName; readonly judgement?: Judgement; readonly states?: number } = {},
  ): Asked => {
    const launched = launchedProgram(program)
    const ran = run(launched)
    const policies: string[] = []
    const answer = confirm({
      source: sourceOf(program),
      arguments: noArguments,
      launched,
      judgement: more.judgement ?? null,
      bounds: { states: more.states ?? 1000, depth: 1000 },
      budget: Infinity,
      price: 1,
      run: (policy) => {
        policies.push(policy((p) => (typeof p.init === 'number' ? `${p.name} ${String(p.init)}` : p.name)))
        return ran
      },
      decide: () => ({ name: more.decide ?? 'undecided', reason: 'made up' }),
    })
    return { answer, policies }
  }
  const eagerly =
    (ids: ReadonlyArray<HazardId>, policy: Policy.AnyPolicy = Policy.eager) =>
    (l: Launched): Ran =>
      ranBy(l, policy, ids)
  const nothing = (l: Launched): Ran => ranBy(l, Policy.eager, [], () => [])

  const racy = programOf(' | t@0: wr s0.x | u@0: wr s0.x')
  const kinds: ReadonlyArray<
    readonly [
      kind: string,
      program: Program,
      policy: Policy.AnyPolicy,
      findings: ReadonlyArray<HazardId>,
      said: HazardId,
    ]
  > = [
    ['race', racy, Policy.roundRobin, ['V1', 'I1', 'W1', 'R1'], 'W1'],
    [
      'visibility',
      programOf('b@0:1 | t@0: wr s0.x; arr #0 ~ | u@0: wait #0 0; rd s0.x'),
      Policy.eager,
      ['U1', 'B2', 'V1', 'P1'],
      'V1',
    ],
    ['exit', programOf('b@0:1 | t@0: arx #0 1; ld > s0.x:#0:1'), Policy.lazy, ['B2', 'P1', 'U2', 'K1'], 'U2'],
    ['overrun', programOf('b@0:1 | t@0: arx #0 1; arr #0'), Policy.eager, ['B7', 'D1', 'B2'], 'B2'],
    ['lifecycle', team({ words: [[[inval(0), arr(0)]]] }), Policy.eager, ['I1', 'B2', 'B7'], 'B7'],
    ['unwritten', forked({ children: [[rd], []] }), Policy.eager, ['D1', 'B7', 'I1'], 'I1'],
  ]
  test.each(kinds)(
    '%s: in the words of the first finding that may be called so, and of the state',
    (kind, program, policy, findings, said) => {
      const { answer, policies } = asking(program, eagerly(findings, policy))
      expect([answer.runs, answer.search, answer.refuted, policies.length]).toEqual([1, null, false, 1])
      expect(answer.found!.decision.name).toBe('hazard')
      expect(answer.found!.decision.reason.startsWith(`${said} (`)).toBe(true)
      const bare = asking(program, eagerly([], policy)).answer.found!.decision
      expect(answer.found!.decision.reason).toBe(`${said} (${bare.reason})`)
      // if none may be called so, the first of them all
      const [first] = findings
      expect(asking(program, eagerly([first!], policy)).answer.found!.decision.reason, kind).toBe(
        `${first!} (${bare.reason})`,
      )
    },
  )
  test('a deadlock and a fault need no finding, and take none', () => {
    const stuck = asking(programOf('b@0:1 | t@0: wait #0 0'), eagerly(['D1'])).answer.found!.decision
    expect(stuck.name).toBe('deadlock')
    expect(stuck.reason).toMatch(/^every agent is blocked$/)
    const twice = programOf(' | t@0: tst t0.y; wst; dea t0.y; dea t0.y')
    const refused = asking(twice, eagerly(['D1'])).answer.found!.decision
    expect([refused.name, refused.reason]).toEqual([
      'invalid',
      'T2: dealloc: expected an allocation of 32 columns, found none',
    ])
  })

  test('what a run decides itself stands: deadlocks, hazards, and what is invalid', () => {
    for (const decide of ['deadlock', 'hazard', 'invalid'] as const) {
      const { answer } = asking(programOf(alone), nothing, { decide })
      expect(answer).toMatchObject({
        runs: 1,
        search: null,
        refuted: false,
        found: { decision: { name: decide, reason: 'made up' } },
      })
    }
    for (const decide of ['ok', 'undecided', 'out-of-fuel', 'wrong-result'] as const) {
      const { answer } = asking(programOf(alone), nothing, { decide })
      expect([answer.runs, answer.found, answer.refuted]).toEqual([2 + others, null, true])
    }
  })
  test('the schedules, in their order: agents, operations of findings, eager, lazy, seeds', () => {
    const at = (id: HazardId, a: readonly [number, number], b?: readonly [number, number]): Finding => {
      const of = ([index, n]: readonly [number, number]): Finding['a'] => ({ ...finding(id).a, index, at: n })
      return { ...finding(id), a: of(a), ...(b === undefined ? {} : { b: of(b) }) }
    }
    const judgement = {
      findings: [at('D1', [0, 5], [1, 7]), at('U2', [1, 7]), at('D1', [0, 7], [0, 5])],
    } as unknown as Judgement
    expect(asking(programOf(alone), nothing, { judgement }).policies).toEqual([
      'starving:0,seeded:1 1',
      'starving:1,seeded:2 2',
      'starving:0:5,seeded:1 1',
      'starving:1:7,seeded:2 2',
      'starving:0:7,seeded:3 3',
      'eager',
      'lazy',
      ...[1, 2, 3, 4].map((seed) => `seeded:${String(seed)} ${String(Policy.seeded(seed)((p) => p.init))}`),
    ])
  })
  test('a search is one of what is enough, up to its first finding, and what it finds is run', () => {
    const { answer, policies } = asking(racy, nothing)
    expect(policies.slice(-1)).toEqual(['recorded 0'])
    expect([answer.runs, policies.length, answer.refuted]).toEqual([2 + others + 1, 2 + others + 1, false])
    const alike = searched(launchedProgram(racy), { stop: true })
    const { complete, bound, states, transitions } = alike
    expect(answer.search).toEqual({ complete, bound, states, transitions })
    expect(answer.found!.decision).toEqual({ name: 'hazard', reason: alike.found[0]!.text })
    // all of it is more, and so is what is not reduced
    expect(searched(launchedProgram(racy), { stop: false }).states).toBeGreaterThan(states)
    const quiet = programOf(`b@0:1 | ${unsettled} | v@0: rd s0.x | w@0: rd s0.x`)
    const few = asking(quiet, nothing).answer.search!
    expect(few.states).toBe(searched(launchedProgram(quiet)).states)
    expect(searched(launchedProgram(quiet), { reduced: false }).states).toBeGreaterThan(few.states)
    // one that is cut short refutes nothing
    expect(asking(quiet, nothing, { states: 3 }).answer).toMatchObject({ refuted: false, found: null })
  })
  test('the states of a schedule of 20000 events are looked at, those of a longer one are not', () => {
    const foreign: EventKey = { agent: 0, at: 999_999, stage: 'agent', part: 0 }
    const long =
      (length: number) =>
      (l: Launched): Ran =>
        ranBy(l, Policy.eager, [], (schedule) => [
          ...schedule,
          ...new Array<EventKey>(length - schedule.length).fill(foreign),
        ])
    expect(asking(racy, long(20_000)).answer.runs).toBe(1)
    expect(asking(racy, long(20_001)).answer.runs).toBe(2 + others + 1)
  })
})
