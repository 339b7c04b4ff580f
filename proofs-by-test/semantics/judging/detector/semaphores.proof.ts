/**
 * Semaphores on logs by hand: who inherits what by which scopes, and the three questions that one run has to answer before it may speak for all. The tables
 * are the rules': a release reaches an acquire if each is in the other's scope; a wait is decided if no other set of signals could have let it pass.
 */
import { describe, expect, test } from 'vitest'
import { defaults, judgeLog } from '../../../../src/semantics/judging/detector/index.js'
import type { Judgement } from '../../../../src/semantics/judging/finding.js'
import type { SemaphoreEvent } from '../../../../src/semantics/log/events.js'
import { ids, script, semaphore as does, type Script } from './script.js'

/** Two clusters of two CTAs each run together; CTA 0 has two agents. Who is to meet by other means is of one cluster. */
const agents = ['a@0', 'a2@0', 'b@1', 'c@2', 'd@3']
const judged = (write: (s: Script) => void): Judgement => {
  const s = script({ agents, barriers: [], bare: true })
  write(s)
  return judgeLog({ ...s.header, resident: 2 }, s.events, defaults)
}
const undecided = (write: (s: Script) => void): ReadonlyArray<string> => {
  const { C4 } = judged(write).conditions
  expect(C4.failures).toEqual(C4.findings.map((f) => `B3: ${f.text}`))
  return C4.findings.map((f) => {
    expect([f.id, f.a.does, f.b?.does]).toEqual(['B3', 'uses it', 'uses it'])
    return `${f.text} (${f.a.site}, ${f.b?.site ?? ''})`
  })
}

describe('visibility: each in the other’s scope', () => {
  const scopes = ['cta', 'cluster', 'gpu', 'sys'] as const
  /** How far a scope reaches: CTA, cluster, everybody. */
  const width = { cta: 1, cluster: 2, gpu: 3, sys: 3 } as const
  test.each([
    ['of one CTA', 1, 1],
    ['of one cluster', 2, 2],
    ['of two clusters', 3, 3],
  ] as const)('%s', (_, reader, needed) => {
    for (const told of scopes)
      for (const heard of scopes) {
        const j = judged((s) => {
          s.w(0, 'g 5')
          does(s, 0, 'signal', { scope: told })
          does(s, reader, 'wait', { scope: heard, before: 1 })
          s.r(reader, 'g 5')
        })
        const reaches = width[told] >= needed && width[heard] >= needed
        expect([told, heard, j.findings.filter((f) => f.a.site === 'write g 5').map((f) => f.id)]).toEqual([
          told,
          heard,
          reaches ? [] : ['V1'],
        ])
      }
  })
  test('tensor memory by both thread-sync fences alone', () => {
    const bools = [false, true]
    for (const before of bools)
      for (const after of bools) {
        const j = judged((s) => {
          s.perform(s.issue(0, 'tcgen05St', 'st'), [], ['t0 0'])
          s.awaits(0, 'tcgen05St', 0)
          if (before) s.fence(0, 'tensorBefore')
          does(s, 0, 'signal')
          does(s, 1, 'wait', { before: 1 })
          if (after) s.fence(1, 'tensorAfter')
          s.perform(s.issue(1, 'tcgen05Ld', 'ld'), ['t0 0'], [])
          s.awaits(1, 'tcgen05Ld', 0)
        })
        expect([before, after, ids(j)]).toEqual([before, after, before && after ? [] : ['M8']])
      }
  })
  const between = (
    first: SemaphoreEvent['scope'],
    second: SemaphoreEvent['scope'],
    waiter: number = 2,
  ): ReadonlyArray<string> =>
    judged((s) => {
      s.w(0, 'g 5', 'before the first')
      does(s, 0, 'signal', { scope: first })
      s.w(0, 'g 6', 'before the second')
      does(s, 0, 'signal', { scope: second, before: 1 })
      does(s, waiter, 'wait', { value: 2, before: 2 })
      s.r(waiter, 'g 5')
      s.r(waiter, 'g 6')
    }).findings.map((f) => `${f.id} ${f.a.site}`)
  test('a later signal tells what an earlier one told; one that reaches less far adds no more than order', () => {
    const [first, second] = ['V1 before the first', 'V1 before the second']
    expect(between('gpu', 'gpu')).toEqual([])
    expect(between('cta', 'gpu')).not.toContain(first)
    expect(between('cta', 'gpu')).not.toContain(second)
    expect(between('gpu', 'cta')).not.toContain(first)
    expect(between('gpu', 'cta')).toContain(second)
    expect(between('cta', 'cta')).toContain(first)
    expect(between('cta', 'cta')).toContain(second)
    // whom it reaches it tells, whatever an earlier one has reached
    for (const one of scopes) for (const other of scopes) expect(between(one, other, 1)).toEqual([])
    expect(between('sys', 'cluster')).toEqual([])
  })
  test('all signals so far, of everybody; none of another counter, none that comes later', () => {
    const read = (write: (s: Script) => void): ReadonlyArray<string> =>
      judged((s) => {
        s.w(0, 'g 5')
        s.w(3, 'g 6')
        write(s)
        s.r(4, 'g 5')
        s.r(4, 'g 6')
      }).findings.map((f) => `${f.id} ${f.a.site}`)
    const signals = (s: Script, ...by: ReadonlyArray<readonly [agent: number, place: string]>): void =>
      by.forEach(([agent, place], before) => {
        does(s, agent, 'signal', { place, before })
      })
    const wait = (s: Script, place: string, before: number): void =>
      does(s, 4, 'wait', { place, before, value: before })
    expect(read((s) => [signals(s, [0, 'g 0'], [3, 'g 0']), wait(s, 'g 0', 2)])).toEqual([])
    expect(read((s) => [signals(s, [0, 'g 0'], [3, 'g 1']), wait(s, 'g 0', 1)])).toEqual(['D2 write g 6'])
    // the same bytes of another plane are another counter
    expect(read((s) => [signals(s, [0, 'g 0'], [3, 's2 0']), wait(s, 'g 0', 1)])).toEqual(['D2 write g 6'])
    expect(
      read((s) => [signals(s, [0, 'g 0']), wait(s, 'g 0', 1), does(s, 3, 'signal', { before: 1 })]),
    ).toEqual(['D2 write g 6'])
  })
})

describe('one run stands for all', () => {
  const counter = 'semaphore gmem g+0'
  test.each([
    [2, 2, []],
    [3, 3, []],
    // one of three could be spared
    [
      3,
      2,
      [
        `${counter}: d@1.c1 wait needs 2 and passes at 3: it can pass without a@0.c0 signal 0 (signal 0, wait)`,
        `${counter}: d@1.c1 wait needs 2 and passes at 3: it can pass without b@1.c0 signal 2 (signal 2, wait)`,
        `${counter}: d@1.c1 wait needs 2 and passes at 3: it can pass without c@0.c1 signal 3 (signal 3, wait)`,
      ],
    ],
  ] as const)('%i signals of one each, and a wait for %i', (count, value, expected) => {
    const by = [0, 2, 3].slice(0, count)
    expect(
      undecided((s) => {
        by.forEach((agent, before) => {
          does(s, agent, 'signal', { before, site: `signal ${String(agent)}` })
        })
        does(s, 4, 'wait', { value, before: count })
      }),
    ).toEqual(expected)
  })
  test('a signal that is known anyhow is not asked about; of each agent the last one is', () => {
    const waits = (meet: boolean): ReadonlyArray<string> =>
      undecided((s) => {
        does(s, 0, 'signal', { value: 3, site: 'first' })
        does(s, 0, 'signal', { before: 3, site: 'second' })
        if (meet) s.sync([0, 2], 16)
        does(s, 2, 'wait', { value: 3, before: 4 })
      })
    expect(waits(true)).toEqual([])
    expect(waits(false)).toEqual([
      `${counter}: b@1.c0 wait needs 3 and passes at 4: it can pass without a@0.c0 second (second, wait)`,
    ])
    // 4 less 3 is not enough, so the first could not be spared
    expect(
      undecided((s) => {
        does(s, 0, 'signal', { value: 3 })
        does(s, 2, 'signal', { value: 3, before: 3 })
        does(s, 4, 'wait', { value: 4, before: 6 })
      }),
    ).toEqual([])
  })
  test('a signal behind a wait knows of it, or it could have come first', () => {
    const late = (meet: boolean): ReadonlyArray<string> =>
      undecided((s) => {
        does(s, 0, 'signal')
        does(s, 4, 'wait', { before: 1 })
        if (meet) s.sync([3, 4], 16)
        does(s, 3, 'signal', { before: 1, site: 'late' })
      })
    expect(late(false)).toEqual([`${counter}: c@0.c1 late can come before d@1.c1 wait (wait, late)`])
    expect(late(true)).toEqual([])
  })
  test('two waits of which one takes something away: the later knows of the earlier', () => {
    const both = (first: boolean, second: boolean, meet = false): ReadonlyArray<string> =>
      undecided((s) => {
        does(s, 0, 'signal', { value: 2 })
        does(s, 3, 'wait', { before: 2, decrement: first, value: 2, site: 'one' })
        if (meet) s.sync([3, 4], 16)
        does(s, 4, 'wait', { before: 2, decrement: second, value: 2, site: 'other' })
      })
    const told = [
      `${counter}: c@0.c1 one and d@1.c1 other can change places, and what one takes away the other lacks (one, other)`,
    ]
    expect(both(false, false)).toEqual([])
    expect(both(true, false)).toEqual(told)
    expect(both(false, true)).toEqual(told)
    expect(both(true, true)).toEqual(told)
    for (const first of [true, false]) expect(both(first, true, true)).toEqual([])
  })
  test('what an earlier wait has inherited is known', () => {
    expect(
      undecided((s) => {
        does(s, 0, 'signal', { site: 'first' })
        does(s, 3, 'wait', { before: 1, site: 'one' })
        s.sync([3, 4], 16)
        does(s, 4, 'signal', { before: 1, site: 'second' })
        does(s, 3, 'wait', { before: 2, site: 'other' })
      }),
    ).toEqual([
      `${counter}: c@0.c1 other needs 1 and passes at 2: it can pass without d@1.c1 second (second, other)`,
    ])
  })
  test('what a wait learns by the counter alone does not count for that', () => {
    // d's wait inherits what b signalled behind its own wait
    expect(
      undecided((s) => {
        does(s, 0, 'signal', { value: 1, before: 0 })
        does(s, 2, 'wait', { before: 1, decrement: true, site: 'one' })
        does(s, 2, 'signal', { before: 0, site: 'pass on' })
        does(s, 4, 'wait', { before: 1, decrement: true, site: 'other' })
      }),
    ).toEqual([
      // without the last signal the counter is empty: that much is decided
      `${counter}: b@1.c0 one and d@1.c1 other can change places, and what one takes away the other lacks (one, other)`,
    ])
  })
})

describe('the counter is memory', () => {
  const races = (event: (s: Script) => void, rw: 'r' | 'w'): ReadonlyArray<string> =>
    ids(
      judged((s) => {
        event(s)
        if (rw === 'r') s.r(2, 'g 0')
        else s.w(2, 'g 0')
      }),
    )
  test.each<readonly [string, (s: Script) => void, ReadonlyArray<string>, ReadonlyArray<string>]>([
    ['a signal reads and writes it', (s) => does(s, 0, 'signal'), ['D2'], ['D2', 'D2']],
    ['a wait reads it', (s) => does(s, 0, 'wait', { before: 1 }), [], ['D2']],
    [
      'a wait that takes away reads and writes it',
      (s) => does(s, 0, 'wait', { before: 1, decrement: true }),
      ['D2'],
      ['D2', 'D2'],
    ],
    [
      'a wait that does not pass touches nothing',
      (s) => does(s, 0, 'wait', { outcome: 'blocked', decrement: true }),
      ['B5'],
      ['B5'],
    ],
  ])('%s', (_, event, read, write) => {
    expect([...new Set(races(event, 'r'))]).toEqual(read)
    expect([...new Set(races(event, 'w'))]).toEqual([...new Set(write)])
  })
})

test('a wait that stands: what it has, what it needs, and who has signalled', () => {
  const j = judged((s) => {
    does(s, 0, 'signal')
    does(s, 4, 'signal', { before: 1 })
    does(s, 3, 'signal', { place: 'g 1' })
    does(s, 4, 'wait', { value: 7, before: 2, outcome: 'blocked' })
  })
  expect(j.deadlock.map((d) => [d.agent, d.waitsFor, d.suppliers])).toEqual([
    ['d@1.c1', 'semaphore gmem g+0: has 2 of 7, 5 missing', ['a@0.c0']],
  ])
})

test('the digest tells apart signals and waits, and their values', () => {
  const digest = (
    kind: SemaphoreEvent['kind'],
    value: number,
    outcome: 'passed' | 'blocked' = 'passed',
  ): string =>
    judged((s) => {
      does(s, 0, kind, { value, before: 2, outcome })
    }).digest
  expect(digest('signal', 1)).not.toBe(digest('wait', 1))
  expect(digest('wait', 2)).not.toBe(digest('wait', 1))
  expect(digest('wait', 1)).toBe(digest('wait', 1))
})
