/**
 * What an agent does to an mbarrier: what each event counts, whom it tells how much, and which waits the log may hold. Tables by hand, from PTX's
 * rules: scopes, release and acquire, arrive and drop, parities.
 */
import { describe, expect, test } from 'vitest'
import type { BarrierEvent, Wait } from '../../../../src/semantics/log/events.js'
import type { Judgement } from '../../../../src/semantics/judging/finding.js'
import { ids, script, type Script, type World } from './script.js'

const barrier = (s: Script, agent: number, kind: BarrierEvent['kind'], o: Partial<BarrierEvent> = {}): void =>
  s.push({
    _tag: 'barrier',
    stamp: s.stamp(agent, kind),
    kind,
    barrier: 0,
    count: 1,
    bytes: 0,
    release: true,
    scope: 'cta',
    tensor: false,
    ...o,
  })
const wait = (s: Script, agent: number, parity: 0 | 1, o: Partial<Wait> = {}): void =>
  s.push({
    _tag: 'wait',
    stamp: s.stamp(agent, 'look'),
    barrier: 0,
    parity,
    acquire: true,
    scope: 'cta',
    tensor: false,
    outcome: 'passed',
    ...o,
  })

/** p and q, in one CTA or in two; the barrier is q's. */
const pair = (apart: boolean, count = 1): World => ({
  agents: ['p@0', apart ? 'q@1' : 'q@0'],
  barriers: [{ name: 'b', count, cta: apart ? 1 : 0 }],
})
const judged = (world: World, write: (s: Script) => void): Judgement => {
  const s = script(world)
  write(s)
  return s.judge()
}

// ---------------------------------------------------------------- who is told

const scopes = ['cta', 'cluster', 'gpu', 'sys'] as const
const bools = [true, false]

describe('who is told what', () => {
  const handOver = (
    apart: boolean,
    arrive: Partial<BarrierEvent>,
    look: Partial<Wait>,
  ): ReadonlyArray<string> =>
    ids(
      judged(pair(apart), (s) => {
        s.w(0, 'g 0')
        barrier(s, 0, 'arrive', arrive)
        wait(s, 1, 0, look)
        s.r(1, 'g 0')
      }),
    )
  test('one CTA: a release by an acquire, whatever their scopes', () => {
    for (const scope of scopes)
      for (const other of scopes)
        for (const release of bools)
          for (const acquire of bools)
            expect([scope, other, handOver(false, { scope, release }, { scope: other, acquire })]).toEqual([
              scope,
              other,
              release && acquire ? [] : ['V1'],
            ])
  })
  test('two CTAs: both have to reach beyond their own', () => {
    for (const scope of scopes)
      for (const other of scopes)
        for (const release of bools)
          for (const acquire of bools) {
            const told = release && acquire && scope !== 'cta' && other !== 'cta'
            expect([scope, other, handOver(true, { scope, release }, { scope: other, acquire })]).toEqual([
              scope,
              other,
              told ? [] : ['V1'],
            ])
          }
  })
  test.each([
    ['arrive', []],
    ['drop', []],
    ['expect', ['V1']],
    ['increment', ['V1']],
  ] as const)('%s: %j', (kind, expected) => {
    const j = judged(pair(false, 2), (s) => {
      s.w(0, 'g 0')
      // bytes and increments are asked for, and somebody else arrives
      barrier(s, 0, kind, { release: kind !== 'expect' })
      s.sync([0, 1], 1, true)
      barrier(s, 1, 'arrive', { count: kind === 'increment' ? 3 : kind === 'expect' ? 2 : 1 })
      wait(s, 1, 0)
      s.r(1, 'g 0')
    })
    expect([ids(j), j.conditions.C2.holds]).toEqual([expected, true])
  })
  test('of several other CTAs everybody', () => {
    const j = judged(
      {
        agents: ['p@0', 'q@1', 'r@2'],
        barriers: [{ name: 'b', count: 2, cta: 2 }],
      },
      (s) => {
        for (const x of [0, 1]) {
          s.w(x, `g ${String(x)}`)
          barrier(s, x, 'arrive', { scope: 'cluster' })
        }
        wait(s, 2, 0, { scope: 'cluster' })
        s.r(2, 'g 0')
        s.r(2, 'g 1')
      },
    )
    expect(ids(j)).toEqual([])
  })
  describe.each([false, true])('tensor memory (two CTAs: %s)', (apart) => {
    test.each([
      ['neither carries it', false, false, ['M8']],
      ['the wait alone', false, true, ['M8']],
      ['the arrive alone', true, false, ['M8']],
      ['both', true, true, []],
    ] as const)('%s', (_, arrives, looks, expected) => {
      const j = judged(pair(apart), (s) => {
        const st = s.issue(0, 'tcgen05St', 'st')
        s.perform(st, [], ['t0 0'])
        s.awaits(0, 'tcgen05St', 0)
        barrier(s, 0, 'arrive', { tensor: arrives, scope: 'cluster' })
        wait(s, 1, 0, { tensor: looks, scope: 'cluster' })
        const ld = s.issue(1, 'tcgen05Ld', 'ld')
        s.perform(ld, ['t0 0'], [])
        s.awaits(1, 'tcgen05Ld', 0)
      })
      expect(ids(j)).toEqual(expected)
    })
  })
})

test.each(['init', 'inval', 'expect', 'arrive', 'drop', 'increment'] as const)(
  'K1: %s reaches into another CTA, which may be gone',
  (kind) => {
    const reaching = (apart: boolean): ReadonlyArray<string> =>
      judged(pair(apart, 3), (s) => {
        barrier(s, 0, kind)
      })
        .findings.filter((f) => f.id === 'K1')
        .map((f) => `${f.text} (${f.a.agent} ${f.a.site}: ${f.a.does})`)
    expect(reaching(false)).toEqual([])
    expect(reaching(true)).toEqual([
      `CTA 1 can exit before this reaches it: ${kind} on b@1 (p@0 ${kind}: ${kind} on b@1)`,
    ])
  },
)

// ---------------------------------------------------------------- counting

describe('counting', () => {
  const texts = (count: number, write: (s: Script) => void): ReadonlyArray<string> => {
    const j = judged(pair(false, count), write)
    return [
      ...j.findings.map((f) => `${f.id} ${f.text} (${f.a.site}: ${f.a.does})`),
      ...j.conditions.C2.failures,
    ]
  }
  test('a drop is an arrival, and one fewer from the next phase on', () => {
    expect(
      texts(2, (s) => {
        barrier(s, 1, 'drop')
        barrier(s, 1, 'arrive')
        wait(s, 1, 0)
        barrier(s, 1, 'arrive')
        wait(s, 1, 1)
        barrier(s, 1, 'arrive', { count: 2 })
      }),
    ).toEqual(['B2 b@0: generation 2 counts 1 arrivals and 2 come before it is complete (arrive: arrives)'])
  })
  test('several are dropped at once, and never more than there are', () => {
    expect(
      texts(3, (s) => {
        barrier(s, 1, 'drop', { count: 2 })
        barrier(s, 1, 'arrive')
        wait(s, 1, 0)
        barrier(s, 1, 'drop')
        wait(s, 1, 1)
        barrier(s, 1, 'drop')
      }),
    ).toEqual(['B2 b@0: generation 2 counts 0 arrivals and 1 come before it is complete (drop: arrives)'])
  })
  test('an arrival asked for is one more in this phase, and none in the next', () => {
    expect(
      texts(1, (s) => {
        barrier(s, 1, 'increment', { count: 2 })
        barrier(s, 1, 'arrive', { count: 3 })
        wait(s, 1, 0)
        barrier(s, 1, 'arrive')
        wait(s, 1, 1)
      }),
    ).toEqual([])
    const asked = judged(pair(false), (s) => {
      barrier(s, 1, 'increment', { count: 2 })
      wait(s, 1, 0, { outcome: 'blocked' })
    })
    expect(asked.deadlock.map((d) => d.waitsFor)).toEqual(['b@0 generation 0: 3 of 1 arrivals missing'])
  })
  test.each([
    [2 ** 20 - 2, []],
    [
      2 ** 20 - 1,
      [
        'B2 b@0: 1048575 arrivals are pending and 1 more were added: a phase has at most 1048575 (increment: asks for an arrival)',
      ],
    ],
  ])('beside %i that are pending one more', (count, expected) => {
    expect(texts(count, (s) => [barrier(s, 1, 'increment'), barrier(s, 1, 'arrive')])).toEqual(expected)
  })
  test('what cannot be asked for is not asked for', () => {
    const j = judged(pair(false, 2 ** 20 - 1), (s) => {
      barrier(s, 0, 'increment')
      barrier(s, 1, 'arrive')
      wait(s, 1, 0, { outcome: 'blocked' })
    })
    expect(j.deadlock.map((d) => d.waitsFor)).toEqual([
      'b@0 generation 0: 1048574 of 1048575 arrivals missing',
    ])
    expect(j.conditions.C6.holds).toBe(true)
  })
  test('arrivals bring their bytes, and say so', () => {
    const j = judged(pair(false, 2), (s) => {
      barrier(s, 0, 'arrive', { bytes: 32 })
      barrier(s, 0, 'arrive')
      wait(s, 1, 0, { outcome: 'blocked' })
      barrier(s, 1, 'arrive')
    })
    expect(j.deadlock.map((d) => d.waitsFor)).toEqual([
      'b@0 generation 0: all arrivals came, 32 bytes missing',
    ])
    const over = j.findings.find((f) => f.id === 'B2')
    expect([over?.a.does, over?.b?.does]).toEqual(['arrives and expects 32 bytes', 'arrives'])
  })
})

// ---------------------------------------------------------------- fences

/** A fence in front of the write is on the wrong side (P2), unless something is released or started in between (P1). */
test.each([
  ['nothing', () => undefined, 'P2'],
  ['an arrive', (s: Script) => barrier(s, 0, 'arrive'), 'P1'],
  ['a drop', (s: Script) => barrier(s, 0, 'drop'), 'P1'],
  ['bytes expected', (s: Script) => barrier(s, 0, 'expect'), 'P2'],
  ['an arrival asked for', (s: Script) => barrier(s, 0, 'increment'), 'P2'],
  ['a wait', (s: Script) => wait(s, 0, 1), 'P2'],
] as const)('a fence, %s, and a write that a store reads: %s', (_, between, id) => {
  const j = judged(pair(false, 2), (s) => {
    s.fence(0)
    between(s)
    s.w(0, 's0 0')
    const op = s.issue(0, 'tmaStore', 'store')
    s.commit(0, 'bulk')
    s.perform(op, ['s0 0'], [])
    s.group(op, 'bulk', 'read')
    s.perform(op, [], ['g 0'])
    s.group(op, 'bulk', 'full')
    s.awaits(0, 'bulk', 0)
  })
  expect(ids(j)).toEqual([id])
})

// ---------------------------------------------------------------- waits

describe('waits', () => {
  /** b is initialised, n generations are complete, in its first or in a second life. */
  const front = (n: number, second: boolean) => (s: Script) => {
    if (second) {
      barrier(s, 0, 'arrive')
      wait(s, 0, 0)
      wait(s, 1, 0)
      s.sync([0, 1])
      s.inval(0, 0)
      s.init(0, 0, 1)
      s.sync([0, 1])
    }
    for (let i = 0; i < n; i++) barrier(s, 0, 'arrive')
  }
  const cases = [0, 1, 2, 3].flatMap((n) =>
    ([0, 1] as const).flatMap((parity) => bools.map((second) => [n, parity, second] as const)),
  )
  test.each(cases)('%i complete, parity %i (second life: %s)', (n, parity, second) => {
    const passes = n % 2 !== parity
    const failures = (outcome: Wait['outcome']): ReadonlyArray<string> =>
      judged(pair(false), (s) => {
        front(n, second)(s)
        wait(s, 1, parity, { outcome })
      }).conditions.C2.failures
    expect(failures('passed')).toEqual(
      passes ? [] : ['the log is not well formed: q@0 look passes on a parity that blocks'],
    )
    expect(failures('blocked')).toEqual(
      passes ? ['the log is not well formed: q@0 look is blocked on a parity that passes'] : [],
    )
    for (const outcome of ['tested', 'skipped'] as const) expect(failures(outcome)).toEqual([])
  })
  test('what is no barrier yet has no parity', () => {
    for (const parity of [0, 1] as const)
      for (const outcome of ['passed', 'blocked'] as const) {
        const j = judged({ ...pair(false), bare: true }, (s) => {
          wait(s, 1, parity, { outcome })
        })
        expect(j.conditions.C2.failures).toEqual([])
      }
  })
  test.each([
    ['passed', []],
    ['tested', ['D1', 'U1']],
    ['skipped', ['D1', 'U1']],
  ] as const)('%s: what is known then, and observed: %j', (outcome, expected) => {
    const s = script({ agents: ['p@0', 'q@0'], barriers: [{ name: 'b', count: 1, contract: 'pallas' }] })
    s.w(0, 's0 0')
    barrier(s, 0, 'arrive')
    wait(s, 1, 0, { outcome })
    s.r(1, 's0 0')
    expect(ids(s.judge({ strict: true }))).toEqual(expected)
    expect(s.judge().deadlock).toEqual([])
  })
  /** q passes on a barrier in whose first generation p has not arrived yet. */
  const primed = (second: boolean, o: { readonly takesPart?: boolean; readonly sees?: boolean }) =>
    ids(
      judged({ ...pair(false), agents: ['p@0', 'q@0', 'r@0'] }, (s) => {
        front(0, second)(s)
        if (o.sees === true) {
          barrier(s, 2, 'arrive')
          wait(s, 1, 0)
        } else wait(s, 1, 1)
        s.w(0, 's0 0')
        if (o.takesPart !== false) barrier(s, 0, 'arrive')
        s.r(1, 's0 0')
      }),
    )
  test('a wait on a fresh barrier is remembered as one', () => {
    expect(primed(false, {})).toEqual(['B6'])
    expect(primed(true, {})).toEqual(['B6'])
    expect(primed(false, { sees: true })).toEqual(['D1'])
    expect(primed(false, { takesPart: false })).toEqual(['D1'])
  })
})

test.each([
  ['there', 1, 'B6'],
  ['elsewhere', 0, 'D1'],
] as const)('who has arrived %s takes part in that barrier alone', (_, of, id) => {
  const s = script({ agents: ['q@0', 'p@0'], barriers: ['a', 'b', 'c'].map((name) => ({ name, count: 1 })) })
  wait(s, 0, 1, { barrier: 1 })
  s.w(1, 's0 0')
  barrier(s, 1, 'arrive', { barrier: of })
  s.r(0, 's0 0')
  expect(ids(s.judge())).toEqual([id])
})

// ---------------------------------------------------------------- digest

describe('the digest tells apart', () => {
  const digest = (write: (s: Script) => void): string => {
    const s = script({ agents: ['p@0', 'q@0'], barriers: ['b', 'x'].map((name) => ({ name, count: 2 })) })
    write(s)
    return s.judge().digest
  }
  test.each<readonly [string, (s: Script) => void, (s: Script) => void]>([
    ['which barrier', (s) => barrier(s, 0, 'arrive'), (s) => barrier(s, 0, 'arrive', { barrier: 1 })],
    ['what is done', (s) => barrier(s, 0, 'arrive'), (s) => barrier(s, 0, 'drop')],
    [
      'how many bytes',
      (s) => barrier(s, 0, 'expect', { bytes: 16 }),
      (s) => barrier(s, 0, 'expect', { bytes: 32 }),
    ],
    [
      'in which generation',
      (s) => [barrier(s, 0, 'arrive', { count: 2 }), barrier(s, 1, 'arrive')],
      (s) => [barrier(s, 1, 'arrive'), barrier(s, 0, 'arrive', { count: 2 })],
    ],
    ['which barrier is waited for', (s) => wait(s, 0, 1), (s) => wait(s, 0, 1, { barrier: 1 })],
    [
      'which generation is observed',
      (s) => [wait(s, 0, 1), barrier(s, 1, 'arrive', { count: 2 }), barrier(s, 1, 'arrive', { count: 2 })],
      (s) => [barrier(s, 1, 'arrive', { count: 2 }), barrier(s, 1, 'arrive', { count: 2 }), wait(s, 0, 1)],
    ],
    ['whether it is acquired', (s) => wait(s, 0, 1), (s) => wait(s, 0, 1, { acquire: false })],
    [
      'an arrival and a wait',
      (s) => [barrier(s, 0, 'arrive'), wait(s, 0, 1)],
      (s) => [wait(s, 0, 1), barrier(s, 0, 'arrive')],
    ],
  ])('%s', (_, one, other) => {
    expect(digest(one)).toBe(digest(one))
    expect(digest(one)).not.toBe(digest(other))
  })
})
