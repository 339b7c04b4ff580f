/**
 * A barrier that is invalidated and initialised again is a new barrier; a cluster that begins after another has ended knows nothing of it.
 *
 * Law 1. What follows the second initialisation is judged as it is judged after a first one: the same findings, conditions and deadlock, in the same
 * words; generations count from 0. The log in front has n complete generations that everybody has observed.
 * Law 2. What a cluster does is judged as if no other had been there. The log in front has a cluster that used every unit and ended.
 */
import { describe, expect, test } from 'vitest'
import type { Judgement } from '../../../../src/semantics/judging/finding.js'
import type { Script } from './script.js'
import { load, script, slotBytes } from './script.js'

const agents = ['p@0', 'c@0', 'd@0']
const everybody = [0, 1, 2]

/** Everything that an agent can leave behind, and its end. */
const busy = (s: Script): void => {
  s.cluster(1)
  s.init(0, 1, 1)
  s.init(0, 0, 1)
  s.sync(everybody)
  load(s, 0, 1, 's0 0')
  s.wait(0, 1, 0)
  s.arrive(0, 0)
  for (const x of everybody) s.wait(x, 0, 0)
  for (const x of everybody) {
    const mma = s.issue(x, 'wgmma')
    s.commit(x, 'wgmma')
    s.perform(mma, [], [`r${String(x)} 0`])
    s.group(mma, 'wgmma', 'full')
    s.awaits(x, 'wgmma', 0)
    const copied = s.issue(x, 'cpAsync')
    s.commit(x, 'cpAsync')
    s.perform(copied, [], [`s0 ${String(10 + x)}`])
    s.group(copied, 'cpAsync', 'full')
    s.awaits(x, 'cpAsync', 0)
    const stored = s.issue(x, 'tmaStore')
    s.commit(x, 'bulk')
    s.perform(stored, [`r${String(x)} 0`], [])
    s.group(stored, 'bulk', 'read')
    s.perform(stored, [], [`g ${String(10 + x)}`])
    s.group(stored, 'bulk', 'full')
    s.awaits(x, 'bulk', 0)
    s.fence(x)
    s.fence(x, 'tensorBefore')
    s.fence(x, 'tensorAfter')
  }
  s.sync(everybody)
  s.inval(0, 0)
  s.inval(0, 1)
  for (const agent of everybody) s.push({ _tag: 'exit', agent })
  s.cluster(2)
}

/** Complete generations of a first life, all of them observed, and the second life begins. */
const after = (
  generations: number,
  count: number,
  contract: 'ptx' | 'pallas',
  run: (s: Script) => void,
  front: (s: Script) => void = () => undefined,
): Judgement => {
  const s = script({
    agents,
    barriers: [
      { name: 'b', count, contract },
      { name: 'x', count: 1 },
    ],
    bare: true,
  })
  front(s)
  s.init(0, 1, 1)
  s.init(0, 0, count)
  s.sync(everybody)
  if (generations > 0) {
    for (let g = 0; g < generations; g++) {
      for (let i = 0; i < count; i++) s.arrive(0, 0)
      for (const x of everybody) s.wait(x, 0, g % 2 === 0 ? 0 : 1)
      s.sync(everybody)
    }
    s.inval(0, 0)
    s.init(0, 0, count)
    s.sync(everybody)
  }
  run(s)
  return s.judge()
}

const said = (j: Judgement): unknown => ({
  findings: [...j.findings, ...j.notes].map((f) => [f.id, f.text, f.a.site, f.b?.site]),
  conditions: (['C2', 'C3', 'C4', 'C6'] as const).map((c) => [
    j.conditions[c].holds,
    ...j.conditions[c].failures,
  ]),
  deadlock: j.deadlock.map((d) => [d.agent, d.waitsFor]),
})

const cases: ReadonlyArray<
  readonly [string, number, 'ptx' | 'pallas', (s: Script) => void, found: string | null]
> = [
  ['nothing', 1, 'ptx', () => undefined, null],
  [
    'one generation, observed',
    1,
    'ptx',
    (s) => {
      s.arrive(0, 0)
      s.wait(1, 0, 0)
    },
    null,
  ],
  [
    'a wait that blocks: who is missing',
    2,
    'ptx',
    (s) => {
      s.arrive(0, 0)
      s.wait(1, 0, 0, { blocked: true })
    },
    'b@0 generation 0: 1 of 2 arrivals missing',
  ],
  [
    'a wait for the generation after the next that blocks',
    1,
    'ptx',
    (s) => {
      s.arrive(0, 0)
      s.wait(1, 0, 0)
      s.wait(1, 0, 1, { blocked: true })
      s.wait(0, 0, 1, { blocked: true })
    },
    'b@0 generation 1: 1 of 1 arrivals missing',
  ],
  [
    'a first wait that nobody supplies',
    1,
    'ptx',
    (s) => {
      s.wait(0, 0, 0, { blocked: true })
      s.wait(1, 0, 0, { blocked: true })
    },
    'B6',
  ],
  [
    'one arrival too many',
    1,
    'ptx',
    (s) => {
      s.arrive(0, 0, { bytes: slotBytes })
      s.arrive(0, 0, { site: 'again' })
    },
    'b@0: generation 0 counts 1 arrivals and 2 come before it is complete',
  ],
  [
    'a generation that does not wait for its observer',
    1,
    'ptx',
    (s) => {
      s.arrive(0, 0)
      s.wait(1, 0, 0)
      s.arrive(0, 0)
      s.wait(0, 0, 1)
      s.wait(1, 0, 1)
    },
    'b@0: generation 1 can complete before c@0 wait b has seen generation 0',
  ],
  [
    'a wait that can also pass two generations earlier',
    1,
    'ptx',
    (s) => {
      s.arrive(0, 0)
      s.wait(0, 0, 0)
      s.arrive(0, 0)
      s.wait(1, 0, 1)
    },
    'observed generation 1 and can also pass on generation -1',
  ],
  [
    'two generations whose arrivals can change places',
    1,
    'ptx',
    (s) => {
      s.arrive(0, 0)
      s.arrive(2, 0)
      s.wait(1, 0, 1)
    },
    '(generation 0) and d@0 arrive b (generation 1) can change places',
  ],
  [
    'bytes that no arrival is ordered after',
    1,
    'ptx',
    (s) => {
      s.expect(0, 0, slotBytes)
      s.arrive(1, 0)
    },
    'b@0: no arrival of generation 0 is ordered after p@0 expect b',
  ],
  [
    'bytes beyond what is counted',
    1,
    'ptx',
    (s) => {
      s.expect(0, 0, 2 ** 20 - 1)
      s.expect(0, 0, 1)
      s.arrive(0, 0)
    },
    'the transaction count of generation 0',
  ],
  [
    'a generation skipped',
    1,
    'pallas',
    (s) => {
      s.arrive(0, 0)
      s.wait(0, 0, 0)
      s.arrive(0, 0)
      s.wait(0, 0, 1)
      s.wait(1, 0, 1)
    },
    'c@0 observes generation 1 and has skipped 1 before it',
  ],
  [
    'completions that no wait has observed',
    1,
    'pallas',
    (s) => {
      s.arrive(0, 0)
      s.wait(0, 0, 0)
      s.arrive(0, 0)
    },
    '2 generations complete, 1 observed',
  ],
  [
    'a parity that blocks, and passes in the log',
    1,
    'ptx',
    (s) => {
      s.wait(1, 0, 0)
    },
    'passes on a parity that blocks',
  ],
  [
    'a parity that passes, and blocks in the log',
    1,
    'ptx',
    (s) => {
      s.wait(1, 0, 1, { blocked: true })
    },
    'is blocked on a parity that passes',
  ],
]

describe.each(cases)('%s', (_, count, contract, run, found) => {
  const first = said(after(0, count, contract, run))
  test('first life', () => {
    if (found !== null) expect(JSON.stringify(first)).toContain(found)
  })
  test.each([1, 2, 3])('second life, after %i generations', (generations) => {
    expect(said(after(generations, count, contract, run))).toEqual(first)
  })
  test('law 2: after another cluster', () => {
    expect(said(after(0, count, contract, run, busy))).toEqual(first)
  })
})

describe('law 2: without barriers', () => {
  const ring: ReadonlyArray<readonly [string, (s: Script) => void, ReadonlyArray<string>]> = [
    ['a race', (s) => [s.w(0, 's0 0'), s.r(1, 's0 0')], ['D1']],
    ['a read of what the other cluster has written', (s) => s.r(0, 's0 10'), ['I1']],
    ['a product that nobody waits for', (s) => [s.issue(0, 'wgmma'), s.commit(0, 'wgmma')], []],
    [
      'registers read too early',
      (s) => {
        const mma = s.issue(0, 'wgmma')
        s.commit(0, 'wgmma')
        s.perform(mma, [], ['r0 0'])
        s.r(0, 'r0 0')
        s.awaits(0, 'wgmma', 0)
      },
      ['M1'],
    ],
    [
      'a copy read too early',
      (s) => {
        const copied = s.issue(0, 'cpAsync')
        s.commit(0, 'cpAsync')
        s.perform(copied, [], ['s0 0'])
        s.r(0, 's0 0')
        s.awaits(0, 'cpAsync', 0)
      },
      ['P4'],
    ],
    [
      'a store whose source is written too early',
      (s) => {
        s.w(0, 's0 0')
        s.fence(0)
        const stored = s.issue(0, 'tmaStore')
        s.commit(0, 'bulk')
        s.perform(stored, ['s0 0'], [])
        s.w(0, 's0 0', 'again')
        s.awaits(0, 'bulk', 0)
      },
      ['W4'],
    ],
    [
      'no fence',
      (s) => {
        s.w(0, 's0 0')
        const stored = s.issue(0, 'tmaStore')
        s.commit(0, 'bulk')
        s.perform(stored, ['s0 0'], [])
        s.awaits(0, 'bulk', 0)
      },
      ['P1'],
    ],
    [
      'a fence before the write',
      (s) => {
        s.fence(0)
        s.w(0, 's0 0')
        const stored = s.issue(0, 'tmaStore')
        s.commit(0, 'bulk')
        s.perform(stored, ['s0 0'], [])
        s.awaits(0, 'bulk', 0)
      },
      ['P2'],
    ],
  ]
  test.each(ring)('%s', (_, run, found) => {
    const judged = (front: boolean): Judgement => {
      const s = script({
        agents,
        barriers: [
          { name: 'b', count: 1 },
          { name: 'x', count: 1 },
        ],
        bare: true,
        initialised: false,
      })
      if (front) busy(s)
      run(s)
      return s.judge()
    }
    const first = judged(false)
    for (const id of found) expect(first.findings.map((f) => f.id)).toContain(id)
    expect(said(judged(true))).toEqual(said(first))
  })
})

describe('what is known of the other side', () => {
  test('of another cluster nothing', () => {
    const s = script({ agents, barriers: [], bare: true })
    s.cluster(1)
    s.w(0, 'g 0')
    s.cluster(2)
    s.w(1, 'g 0', 'later')
    expect(s.judge().findings.map((f) => [f.id, f.knew])).toEqual([
      ['D3', 'nothing orders c@0 after the other cluster'],
    ])
  })
  test('of an operation: what it has signalled, and up to where that is known', () => {
    const knew = (write: (s: ReturnType<typeof script>) => void): string | undefined => {
      const s = script({
        agents,
        barriers: [
          { name: 'full', count: 1 },
          { name: 'done', count: 1 },
        ],
      })
      write(s)
      return s.judge().findings[0]?.knew
    }
    const one = (s: ReturnType<typeof script>): void => {
      load(s, 0, 0, 's0 0', 'load')
    }
    // a copy by the generation that its bytes join
    expect(
      knew((s) => {
        one(s)
        s.r(1, 's0 0', 'early')
      }),
    ).toContain(
      'c@0 has synchronised with p@0 only up to event 3, before the copy was issued (event 6), and has not waited for full@0, which signals its completion',
    )
    expect(
      knew((s) => {
        load(s, 0, 1, 's0 1', 'other')
        s.wait(1, 1, 0)
        load(s, 0, 1, 's0 0', 'load')
        s.r(1, 's0 0', 'early')
      }),
    ).toContain('has waited for done@0 only up to generation 0, and generation 1 signals its completion')
    // a product by its number
    expect(
      knew((s) => {
        const [first, second] = [s.issue(0, 'wgmma', 'first'), s.issue(0, 'wgmma', 'second')]
        s.commit(0, 'wgmma')
        s.perform(first, ['s0 1'], [])
        s.perform(second, ['s0 0'], [])
        s.arrive(0, 0)
        s.wait(1, 0, 0)
        s.w(1, 's0 0', 'early')
      }),
    ).toMatch(/after the wgmma was issued \(event \d\), and has not waited for its completion$/)
  })
  test('of another agent up to which of its events', () => {
    const s = script({ agents, barriers: [], bare: true })
    s.w(0, 'g 0')
    s.w(1, 'g 0', 'later')
    const [found] = s.judge().findings
    expect([found?.id, found?.knew]).toEqual([
      'D2',
      expect.stringContaining('c@0 has not synchronised with p@0'),
    ])
  })
})
