/**
 * What stands although no schedule shows it: findings that a search does not look for, by hand. And what settles a run that decides nothing, a program
 * of each kind: which of the directed schedules, how many of them, in which words, or the search behind them.
 */
import { describe, expect, test } from 'vitest'
import { bits } from '../../src/numerics/bits.js'
import * as B from '../../src/semantics/builder.js'
import * as X from '../../src/semantics/expression.js'
import { unanswered } from '../../src/semantics/confirm.js'
import type { Finding, HazardId } from '../../src/semantics/finding.js'
import type { World } from '../../src/semantics/machine/world.js'
import { hazardIds } from '../../src/semantics/detector/index.js'
import type { Program } from '../../src/semantics/program.js'
import type { Verdict } from '../../src/semantics/verdict.js'
import { checked, programOf, right } from './explore/programs.js'
import { arr, team } from './explore/team.js'

const finding = (id: HazardId): Finding => ({
  id,
  severity: 'E',
  text: id,
  a: { index: 0, agent: 'w@0', site: 'here', path: [], iteration: [], at: 1, does: 'reads' },
})
const left = (resident: number, clusterCount: number): ReadonlyArray<HazardId> =>
  unanswered({ resident, clusterCount } as World, hazardIds.map(finding)).map((f) => f.id)

test('contracts, results, notes and what the launch decides: everything else is a matter of schedules', () => {
  const always = [
    'A1',
    'A2',
    'A3',
    'A4',
    'B8',
    'K2',
    'L1',
    'L2',
    'M5',
    'M7',
    'N1',
    'O1',
    'P3',
    'T4',
    'T5',
    'U1',
  ]
  // clusters that run one after another are never searched together
  expect([...left(1, 4)].sort()).toEqual([...always, 'D3'].sort())
  expect([...left(3, 4)].sort()).toEqual([...always, 'D3'].sort())
  expect([...left(4, 4)].sort()).toEqual([...always].sort())
})
test('in their order', () => {
  const two = [finding('U1'), finding('R1'), finding('A1')]
  expect(unanswered({ resident: 1, clusterCount: 1 } as World, two)).toEqual([two[0], two[2]])
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
    expect(v.reason).toMatch(
      /^every schedule was followed and none shows anything \(\d+ states, \d+ transitions\)$/,
    )
  })

  test('a search that was cut short settles nothing', () => {
    const v = of(programOf(alone), { bounds: { states: 3, depth: 1000 } })
    expect([v.verdict, v.search?.complete, v.search?.bound]).toEqual(['undecided', false, 'states'])
    expect(v.reason).toMatch(
      /^C3 fails \(.*\); a search of the schedules found nothing up to its bound \(states: 4 states, \d+ transitions\)$/,
    )
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
    expect(v.reason).toMatch(/^a candidate that no schedule has confirmed: .*; C3 fails \(/)
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
  expect([v.verdict, v.decidedBy, v.search, v.counts.runs]).toEqual([
    'undecided',
    'exploration',
    null,
    runs(2, 0),
  ])
  expect(v.reason).toMatch(/^C3 fails \([^;]*\)$/)
})
