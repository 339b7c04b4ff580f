/**
 * Named barriers and the barrier of a cluster: counts that differ, threads too many, who is told, which barrier an id means, and who ends without
 * arriving. By hand.
 */
import { describe, expect, test } from 'vitest'
import { defaults, judgeLog } from '../../../../src/semantics/judging/detector/index.js'
import type { Finding, Judgement } from '../../../../src/semantics/judging/finding.js'
import type { Header, Rendezvous } from '../../../../src/semantics/log/events.js'
import { ids, script, type Script } from './script.js'

const meet = (
  s: Script,
  agent: number,
  kind: 'arrive' | 'leave',
  count: number,
  site: string,
  threads = 128,
  id = 1,
): void =>
  s.push({ _tag: 'rendezvous', stamp: s.stamp(agent, site), kind, id, count, threads, relaxed: false })
const told = (write: (s: Script) => void): ReadonlyArray<string> => {
  const s = script({ agents: ['a@0', 'b@0', 'c@0'], barriers: [] })
  write(s)
  return s.judge().findings.map((f) => `${f.id}: ${f.text} (${f.a.site}, ${f.b?.site ?? ''})`)
}

describe('the count', () => {
  test('is that of the first arrival of each generation', () => {
    const text = (count: number, first: number, generation: number): string =>
      `${String(count)} threads are counted here and ${String(first)} by the first arrival of generation ${String(generation)}`
    const all = told((s) => {
      meet(s, 0, 'arrive', 256, 'first')
      meet(s, 1, 'arrive', 384, 'second')
      meet(s, 2, 'arrive', 384, 'third')
      for (const x of [0, 1, 2]) meet(s, x, 'leave', 384, 'go')
    })
    expect(all.map((t) => t.replace(/^B2: [^:]*: /, ''))).toEqual([
      `${text(384, 256, 0)} (first, second)`,
      `${text(384, 256, 0)} (first, third)`,
    ])
  })
  test('may be another in another generation', () => {
    expect(
      told((s) => {
        for (const kind of ['arrive', 'leave'] as const) for (const x of [0, 1]) meet(s, x, kind, 256, 'two')
        for (const kind of ['arrive', 'leave'] as const)
          for (const x of [0, 1, 2]) meet(s, x, kind, 384, 'three')
      }),
    ).toEqual([])
  })
  test('is not exceeded', () => {
    const all = told((s) => {
      meet(s, 0, 'arrive', 192, 'first')
      meet(s, 1, 'arrive', 192, 'second')
      for (const x of [0, 1]) meet(s, x, 'leave', 192, 'go')
    })
    expect(all.map((t) => t.replace(/^B2: [^:]*: /, ''))).toEqual([
      '256 threads arrive where 192 are counted (first, second)',
    ])
  })
})

/** With all that an event of a rendezvous may say. */
const comes = (s: Script, agent: number, kind: Rendezvous['kind'], o: Partial<Rendezvous> = {}): void =>
  s.push({
    _tag: 'rendezvous',
    stamp: s.stamp(agent, kind),
    kind,
    id: 1,
    count: 256,
    threads: 128,
    relaxed: false,
    ...o,
  })
const judged = (
  agents: ReadonlyArray<string>,
  write: (s: Script) => void,
  header: Partial<Header> = {},
): Judgement => {
  const s = script({ agents, barriers: [], bare: true })
  write(s)
  return judgeLog({ ...s.header, ...header }, s.events, defaults)
}
const said = (findings: ReadonlyArray<Finding>): ReadonlyArray<string> =>
  findings.map((f) =>
    [f.a, ...(f.b === undefined ? [] : [f.b])].reduce(
      (text, x) => `${text} | ${x.agent} ${x.site}: ${x.does}`,
      `${f.id} ${f.text}`,
    ),
  )

describe('who is told', () => {
  const bools = [false, true]
  test('both have to be no relaxed ones: else it is order alone', () => {
    for (const arrives of bools)
      for (const leaves of bools) {
        const j = judged(['a@0', 'b@0'], (s) => {
          s.w(0, 's0 0')
          comes(s, 0, 'arrive', { relaxed: arrives })
          comes(s, 1, 'arrive')
          comes(s, 1, 'leave', { relaxed: leaves })
          s.r(1, 's0 0')
        })
        expect([arrives, leaves, ids(j)]).toEqual([arrives, leaves, arrives || leaves ? ['V1'] : []])
      }
  })
  test('tensor memory, if both carry it', () => {
    for (const arrives of bools)
      for (const leaves of bools) {
        const j = judged(['a@0', 'b@0'], (s) => {
          s.perform(s.issue(0, 'tcgen05St', 'st'), [], ['t0 0'])
          s.awaits(0, 'tcgen05St', 0)
          comes(s, 0, 'arrive', { tensor: arrives })
          comes(s, 1, 'arrive')
          comes(s, 1, 'leave', { tensor: leaves })
          s.perform(s.issue(1, 'tcgen05Ld', 'ld'), ['t0 0'], [])
          s.awaits(1, 'tcgen05Ld', 0)
        })
        expect([arrives, leaves, ids(j)]).toEqual([arrives, leaves, arrives && leaves ? [] : ['M8']])
      }
  })
  test('of the generation that it joined, and not of the next; nothing without an arrival', () => {
    const read = (joins: boolean): ReadonlyArray<string> =>
      ids(
        judged(['a@0', 'b@0'], (s) => {
          s.w(0, 's0 0')
          comes(s, 0, 'arrive', { count: joins ? 256 : 128 })
          if (joins) comes(s, 1, 'arrive')
          comes(s, 0, 'leave')
          s.w(0, 's0 1')
          comes(s, 0, 'arrive', { count: 128 })
          comes(s, 1, 'leave')
          s.r(1, 's0 0')
          s.r(1, 's0 1')
        }),
      )
    expect(read(true)).toEqual(['D1'])
    expect(read(false)).toEqual(['D1', 'D1'])
  })
})

describe('which barrier an id means', () => {
  /** Do two arrivals meet? A leave of a named barrier that lacks one contradicts itself. */
  const meets = (of: readonly [string, number], other: readonly [string, number]): ReadonlyArray<string> =>
    judged([of[0], other[0]], (s) => {
      comes(s, 1, 'arrive', { id: other[1] })
      comes(s, 0, 'arrive', { id: of[1] })
      comes(s, 0, 'leave', { id: of[1] })
    }).conditions.C2.failures
  const lacking = (name: string, who = 'a@0'): ReadonlyArray<string> => [
    `the log is not well formed: ${who} leave leaves ${name} before its generation is complete`,
  ]
  test.each([
    ['one CTA, one id', ['a@0', 1], ['b@0', 1], []],
    ['one CTA, two ids', ['a@0', 1], ['b@0', 2], lacking('named barrier 1@0')],
    ['two CTAs, one id', ['a@0', 1], ['b@1', 1], lacking('named barrier 1@0')],
    ['two CTAs, the last id of a CTA', ['a@0', 15], ['b@1', 15], lacking('named barrier 15@0')],
    ['two CTAs, ids a CTA apart', ['a@0', 0], ['b@1', 0], lacking('named barrier 0@0')],
    ['one CTA, the last id', ['a@0', 15], ['b@0', 15], []],
    ['the cluster, and the first id of a CTA', ['a@1', 0], ['b@0', 16], lacking('named barrier 0@1', 'a@1')],
  ] as const)('%s', (_, of, other, expected) => {
    expect(meets(of, other)).toEqual(expected)
  })
  /** K2 names the barrier of the cluster, and whom it lacks. */
  const alone = (
    agents: ReadonlyArray<string>,
    arrivals: ReadonlyArray<readonly [agent: number, id: number]>,
    header: Partial<Header> = {},
  ): ReadonlyArray<string> =>
    said(
      judged(
        agents,
        (s) => {
          for (const [agent, id] of arrivals) comes(s, agent, 'arrive', { id, count: 128 * agents.length })
          for (const [agent, id] of arrivals.slice(0, 1)) comes(s, agent, 'leave', { id })
        },
        header,
      ).findings,
    )
  const four = ['a@0', 'b@1', 'c@2', 'd@3']
  test.each<
    readonly [
      string,
      ReadonlyArray<string>,
      ReadonlyArray<readonly [number, number]>,
      Partial<Header>,
      ReadonlyArray<string>,
    ]
  >([
    [
      'one CTA is missing',
      ['a@0', 'b@1'],
      [[0, 16]],
      {},
      ['K2 cluster barrier: b@1 ends without arriving in generation 0 | a@0 arrive: arrives'],
    ],
    [
      'the others arrive at another barrier of the cluster',
      ['a@0', 'b@1', 'c@2'],
      [
        [0, 16],
        [1, 17],
        [2, 17],
      ],
      {},
      ['K2 cluster barrier: b@1, c@2 end without arriving in generation 0 | a@0 arrive: arrives'],
    ],
    [
      'of each CTA somebody came',
      ['a@0', 'b@1', 'c@1'],
      [
        [0, 16],
        [1, 16],
      ],
      {},
      [],
    ],
    [
      'who does not run from the start is not missing',
      ['a@0', 'b@1'],
      [[0, 16]],
      { agents: [0, 1].map((x) => ({ name: 'ab'[x]!, cta: x, warps: 4, starts: x === 0 })) },
      [],
    ],
    [
      'two clusters at once: each its own',
      four,
      [
        [2, 16],
        [0, 16],
      ],
      { resident: 2 },
      [
        'K2 cluster barrier of cluster 1: d@1.c1 ends without arriving in generation 0 | c@0.c1 arrive: arrives',
      ],
    ],
  ])('%s', (_, agents, arrivals, header, expected) => {
    expect(alone(agents, arrivals, header)).toEqual(expected)
  })
  test('a generation that ended without some is over: the next one counts again', () => {
    const all = judged(['a@0', 'b@1'], (s) => {
      for (const g of [0, 1]) {
        comes(s, 0, 'arrive', { id: 16, stamp: s.stamp(0, `arrive ${String(g)}`) })
        comes(s, 0, 'leave', { id: 16 })
      }
    })
    expect(said(all.findings)).toEqual([
      'K2 cluster barrier: b@1 ends without arriving in generation 0 | a@0 arrive 0: arrives',
      'K2 cluster barrier: b@1 ends without arriving in generation 1 | a@0 arrive 1: arrives',
    ])
  })
})

describe('arriving again', () => {
  const twice = (id: number, waits: boolean): ReadonlyArray<string> =>
    said(
      judged(['a@0', 'b@0'], (s) => {
        comes(s, 0, 'arrive', { id, count: 384, stamp: s.stamp(0, 'of the other') })
        comes(s, 1, 'arrive', { id, count: 384, stamp: s.stamp(1, 'first') })
        if (waits) {
          comes(s, 0, 'arrive', { id, count: 384, stamp: s.stamp(0, 'third') })
          comes(s, 1, 'leave', { id, count: 384 })
        }
        comes(s, 1, 'arrive', { id, count: 384, stamp: s.stamp(1, 'second') })
      }).findings.filter((f) => f.text.includes('b@0')),
    )
  test('at the cluster barrier only after a wait; a named barrier asks for none', () => {
    expect(twice(16, false)).toEqual([
      'B2 cluster barrier: b@0 arrives again without having waited | b@0 first: arrives | b@0 second: arrives',
    ])
    expect(twice(16, true)).toEqual([])
    expect(twice(1, false)).toEqual([])
  })
})

describe('C3: arrivals of two generations', () => {
  const failures = (write: (s: Script) => void): Judgement['conditions']['C3'] =>
    judged(['a@0', 'b@0', 'c@0'], write).conditions.C3
  const round = (s: Script, who: ReadonlyArray<number>): void => {
    for (const kind of ['arrive', 'leave'] as const) for (const x of who) comes(s, x, kind)
  }
  test('who knows nothing of the one before can take its place: with its generations', () => {
    for (const before of [0, 1, 2]) {
      const { failures: texts, findings } = failures((s) => {
        for (let g = 0; g < before; g++) round(s, [0, 1])
        round(s, [0, 1])
        comes(s, 2, 'arrive', { stamp: s.stamp(2, 'late') })
      })
      const text = `named barrier 1@0: a@0 arrive (generation ${String(before)}) and c@0 late (generation ${String(before + 1)}) can change places`
      expect(texts).toEqual([`B3: ${text}`])
      expect(said(findings)).toEqual([`B3 ${text} | a@0 arrive: arrives | c@0 late: arrives`])
    }
  })
  test('who has left it, or heard of it, cannot; in the first generation there is nothing to know', () => {
    expect(failures((s) => [round(s, [0, 1]), round(s, [0, 1])]).holds).toBe(true)
    expect(failures((s) => [comes(s, 0, 'arrive'), comes(s, 2, 'arrive')]).holds).toBe(true)
  })
})

describe('N5: .aligned, and not all threads of the warp', () => {
  const notes = (loose: ReadonlyArray<'ended' | 'places'>): Judgement['notes'] =>
    judged(['a@0', 'b@0'], (s) => {
      for (const how of loose) comes(s, 0, 'arrive', { count: 128, stamp: s.stamp(0, how), loose: how })
    }).notes
  test('once a verdict, and no finding', () => {
    expect(said(notes(['ended', 'places']))).toEqual([
      'N5 named barrier 1@0: a@0 ended is .aligned, and threads of the warp have ended; PTX requires that all threads of the warp execute it, but on Hopper it runs, because a barrier does not wait for threads that have ended | a@0 ended: arrives',
    ])
    expect(said(notes(['places']))).toEqual([
      'N5 named barrier 1@0: a@0 places is .aligned, and threads of the warp execute it at another place; PTX requires that all threads of the warp execute the same instruction. It runs because a barrier waits for the threads of a warp, wherever they reach one | a@0 places: arrives',
    ])
  })
})

test('a leave that is too early ends the generation all the same', () => {
  const j = judged(['a@0', 'b@0'], (s) => {
    comes(s, 0, 'arrive')
    comes(s, 0, 'leave')
    comes(s, 0, 'arrive', { count: 128 })
    comes(s, 0, 'leave', { count: 128 })
  })
  expect([j.conditions.C2.failures.length, ids(j)]).toEqual([1, []])
})

test('the digest tells apart which generation is joined, and which barrier', () => {
  const digest = (...arrivals: ReadonlyArray<readonly [agent: number, id: number]>): string =>
    judged(['a@0', 'b@0'], (s) => {
      for (const [agent, id] of arrivals) comes(s, agent, 'arrive', { id, count: 128 })
    }).digest
  expect(digest([0, 1], [1, 1])).not.toBe(digest([1, 1], [0, 1]))
  expect(digest([0, 1], [1, 2])).toBe(digest([1, 2], [0, 1]))
  expect(digest([0, 1])).not.toBe(digest([0, 2]))
})
