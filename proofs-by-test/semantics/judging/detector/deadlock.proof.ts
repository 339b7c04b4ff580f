/** Deadlocks: the cycle through forks and joins, who is asked first, and which wait explains the others. Tables by hand. */
import { describe, expect, it, test } from 'vitest'
import type { Judgement } from '../../../../src/semantics/judging/finding.js'
import type { Rendezvous } from '../../../../src/semantics/log/events.js'
import { ids, script, slotBytes, type Script } from './script.js'

const listed = (j: Judgement): ReadonlyArray<readonly [string, string, ReadonlyArray<string>]> =>
  j.deadlock.map((d) => [d.agent, d.waitsFor, d.suppliers])

const world = (agents: ReadonlyArray<string>, counts: ReadonlyArray<number>): Script =>
  script({ agents, barriers: counts.map((count, i) => ({ name: `b${String(i)}`, count })) })

describe('law 2: parents', () => {
  /** parent forks a and b; b ends; a waits for `other`, which waits for b's next branch. */
  const story = (joined: boolean): Script => {
    const s = world(['parent@0', 'a@0', 'b@0', 'other@0'], [1, 1])
    s.fork('fork', 0, [0, 1, 2])
    s.arrive(2, 0)
    s.wait(3, 0, 0)
    s.arrive(3, 1)
    s.wait(1, 1, 0)
    if (joined) {
      s.fork('join', 0, [0, 1, 2])
      s.wait(3, 0, 1, { blocked: true })
    } else {
      s.wait(1, 1, 1, { blocked: true })
      s.wait(3, 0, 1, { blocked: true })
    }
    return s
  }
  it('the parent stands for a branch that has ended, and waits for one that has not', () => {
    expect(listed(story(false).judge())).toEqual([
      ['a@0', 'b1@0 generation 1: 1 of 1 arrivals missing', ['other@0']],
      ['other@0', 'b0@0 generation 1: 1 of 1 arrivals missing', ['b@0']],
      ['parent@0', 'its branches to end', ['a@0']],
    ])
  })
  it('a fork that is joined holds nobody', () => {
    expect(listed(story(true).judge())).toEqual([
      ['other@0', 'b0@0 generation 1: 1 of 1 arrivals missing', ['b@0']],
    ])
  })
  it('a parent that is blocked itself is listed once, with its own wait', () => {
    const s = world(['parent@0', 'a@0'], [1, 1])
    s.fork('fork', 0, [0, 1])
    s.wait(1, 0, 0, { blocked: true })
    s.wait(0, 1, 0, { blocked: true })
    expect(listed(s.judge()).map(([agent, what]) => [agent, what.slice(0, 2)])).toEqual([
      ['a@0', 'b0'],
      ['parent@0', 'b1'],
    ])
  })
})

describe('suppliers', () => {
  it('those who have not come to the generation under way are asked first', () => {
    const s = world(['early@0', 'late@0', 'waiter@0'], [2])
    s.arrive(0, 0)
    s.arrive(1, 0)
    s.wait(2, 0, 0)
    s.arrive(0, 0)
    s.wait(2, 0, 1, { blocked: true })
    expect(listed(s.judge())).toEqual([
      ['waiter@0', 'b0@0 generation 1: 1 of 2 arrivals missing', ['late@0', 'early@0']],
    ])
  })
})

describe('which wait explains the others', () => {
  /** `slow` has not looked at b0 before two of its generations are over; `copier` has announced bytes that never come. */
  const story = (): Script => {
    const s = world(['copier@0', 'slow@0', 'quick@0'], [1, 1])
    s.arrive(2, 0)
    s.wait(0, 0, 0)
    s.arrive(2, 0)
    s.wait(0, 0, 1)
    s.arrive(0, 1, { bytes: 16 })
    s.wait(0, 1, 0, { blocked: true })
    s.wait(1, 0, 0, { blocked: true })
    return s
  }
  it('one that was overrun comes before bytes that are missing', () => {
    const j = story().judge()
    expect(ids(j)).toEqual(['B1'])
    expect(j.findings[0]!.text).toBe(
      'deadlock: slow@0 waits for b0@0 generation 2: 1 of 1 arrivals missing; it waits for generation 0, but that generation and the next are complete, so the parity is the same again',
    )
  })
  it('in a cycle it comes first', () => {
    // quick waits for what slow does next, slow for what quick does next; slow is the one that was overrun
    const s = world(['quick@0', 'slow@0'], [1, 1])
    s.arrive(1, 1)
    s.wait(0, 1, 0)
    s.arrive(0, 0)
    s.arrive(0, 0)
    s.wait(0, 1, 1, { blocked: true })
    s.wait(1, 0, 0, { blocked: true })
    expect(listed(s.judge()).map(([agent]) => agent)).toEqual(['slow@0', 'quick@0'])
  })
  it('who could be helped by two, of whom the first leads into no cycle: through the second', () => {
    const s = world(['first@0', 'end@0', 'second@0', 'gone@0'], [2, 1, 1])
    // b0 is arrived at by end and by second; end waits for b2, which gone has left
    s.arrive(1, 0)
    s.arrive(2, 0)
    s.wait(0, 0, 0)
    s.arrive(0, 1)
    s.wait(2, 1, 0)
    s.arrive(3, 2)
    s.wait(1, 2, 0)
    s.wait(0, 0, 1, { blocked: true })
    s.wait(1, 2, 1, { blocked: true })
    s.wait(2, 1, 1, { blocked: true })
    expect(listed(s.judge()).map(([agent, , suppliers]) => [agent, suppliers])).toEqual([
      ['first@0', ['end@0', 'second@0']],
      ['second@0', ['first@0']],
      ['end@0', ['gone@0']],
    ])
  })
  it('who waits for somebody that is not blocked leads into no cycle; the cycle is found from the next', () => {
    const s = world(['outside@0', 'quick@0', 'slow@0', 'gone@0'], [1, 1, 1])
    s.arrive(3, 2)
    s.wait(0, 2, 0)
    s.arrive(2, 1)
    s.wait(1, 1, 0)
    s.arrive(1, 0)
    s.wait(2, 0, 0)
    s.wait(0, 2, 1, { blocked: true })
    s.wait(1, 1, 1, { blocked: true })
    s.wait(2, 0, 1, { blocked: true })
    expect(listed(s.judge()).map(([agent, , suppliers]) => [agent, suppliers])).toEqual([
      ['quick@0', ['slow@0']],
      ['slow@0', ['quick@0']],
      ['outside@0', ['gone@0']],
    ])
  })
})

describe('what is waited for, and who could supply it', () => {
  const comes = (s: Script, agent: number, kind: Rendezvous['kind'], id: number, count: number): void =>
    s.push({ _tag: 'rendezvous', stamp: s.stamp(agent, kind), kind, id, count, threads: 128 })
  const semaphore = (
    s: Script,
    agent: number,
    kind: 'signal' | 'wait',
    value: number,
    before: number,
    blocked = false,
  ): void =>
    s.push({
      _tag: 'semaphore',
      stamp: s.stamp(agent, kind),
      kind,
      footprint: s.footprint('g 1'),
      value,
      decrement: false,
      scope: 'gpu',
      before,
      outcome: blocked ? 'blocked' : 'passed',
    })
  const registers = (s: Script, agent: number, blocked: boolean): void =>
    s.push({
      _tag: 'registers',
      stamp: s.stamp(agent, 'setmaxnreg'),
      count: 240,
      needs: 96,
      free: 32,
      blocked,
    })
  const commit = (s: Script, agent: number, blocked: boolean): void =>
    s.push({
      _tag: 'group',
      stamp: s.stamp(agent, 'wait_group'),
      kind: 'wait',
      family: 'bulk',
      pending: 0,
      read: false,
      blocked,
    })
  const rows: ReadonlyArray<
    readonly [string, ReadonlyArray<string>, (s: Script) => void, ReadonlyArray<string>, string]
  > = [
    [
      'a named barrier: whoever has been there, but not itself',
      ['a@0', 'b@0', 'c@0'],
      (s) => {
        for (const kind of ['arrive', 'leave'] as const) for (const x of [0, 1]) comes(s, x, kind, 1, 256)
        comes(s, 0, 'arrive', 1, 256)
        comes(s, 0, 'blocked', 1, 256)
      },
      ['b@0'],
      'named barrier 1@0 generation 1: 128 of 256 threads missing',
    ],
    [
      'a named barrier at which nobody else has been',
      ['a@0', 'b@0'],
      (s) => {
        comes(s, 0, 'arrive', 1, 384)
        comes(s, 0, 'blocked', 1, 384)
      },
      [],
      'named barrier 1@0 generation 0: 256 of 384 threads missing',
    ],
    [
      // the generation before this one came with the barriers
      'the barrier of the cluster: who has not come, by name',
      ['a@0', 'b@1', 'c@1'],
      (s) => {
        comes(s, 0, 'arrive', 16, 384)
        comes(s, 0, 'blocked', 16, 384)
      },
      ['b@1', 'c@1'],
      'cluster barrier generation 1: 256 of 384 threads missing (b@1, c@1)',
    ],
    [
      'of them not those that have ended',
      ['a@0', 'b@1', 'c@1'],
      (s) => {
        s.push({ _tag: 'exit', agent: 1 })
        comes(s, 0, 'arrive', 16, 384)
        comes(s, 0, 'blocked', 16, 384)
      },
      ['c@1'],
      'cluster barrier generation 1: 256 of 384 threads missing (c@1)',
    ],
    [
      'all have ended',
      ['a@0', 'b@1'],
      (s) => {
        s.push({ _tag: 'exit', agent: 1 })
        comes(s, 0, 'arrive', 16, 256)
        comes(s, 0, 'blocked', 16, 256)
      },
      [],
      'cluster barrier generation 1: 128 of 256 threads missing',
    ],
    [
      'a semaphore: whoever has signalled it, but not itself',
      ['a@0', 'b@0', 'c@0'],
      (s) => {
        semaphore(s, 2, 'signal', 1, 0)
        semaphore(s, 0, 'signal', 1, 1)
        semaphore(s, 0, 'wait', 5, 2, true)
      },
      ['c@0'],
      'semaphore gmem g+16: has 2 of 5, 3 missing',
    ],
    [
      'registers: nobody',
      ['a@0', 'b@0'],
      (s) => {
        registers(s, 1, false)
        registers(s, 0, true)
      },
      [],
      'the register file of its CTA: has 32 of 96, 64 missing',
    ],
    [
      'groups: itself',
      ['a@0', 'b@0'],
      (s) => {
        commit(s, 0, true)
      },
      ['a@0'],
      'its bulk group',
    ],
    [
      'an mbarrier at which nobody else has arrived: itself',
      ['a@0', 'b@0'],
      (s) => {
        s.arrive(0, 0)
        s.wait(0, 0, 0)
        s.wait(0, 0, 1, { blocked: true })
      },
      ['a@0'],
      'b0@0 generation 1: 1 of 1 arrivals missing',
    ],
    [
      'an mbarrier at which it and another have arrived: the other',
      ['a@0', 'b@0'],
      (s) => {
        for (const x of [0, 1]) {
          s.arrive(x, 0)
          s.wait(0, 0, x === 0 ? 0 : 1)
          s.wait(1, 0, x === 0 ? 0 : 1)
        }
        s.wait(0, 0, 0, { blocked: true })
      },
      ['b@0'],
      'b0@0 generation 2: 1 of 1 arrivals missing',
    ],
    [
      'an mbarrier at which nobody has arrived: nobody',
      ['a@0', 'b@0'],
      (s) => {
        s.w(0, 's0 0')
        s.wait(0, 0, 0, { blocked: true })
      },
      [],
      'b0@0 generation 0: 1 of 1 arrivals missing',
    ],
  ]
  test.each(rows)('%s', (_, agents, write, suppliers, waitsFor) => {
    const s = world(agents, [1])
    write(s)
    const j = s.judge()
    expect(listed(j)).toEqual([['a@0', waitsFor, suppliers]])
    expect(j.deadlock.map((d) => d.operation.does)).toEqual(['waits'])
    const [found, ...more] = j.findings
    expect([found?.id, found?.text, found?.a.does, found?.b, more]).toEqual([
      'B5',
      `deadlock: a@0 waits for ${waitsFor}`,
      'waits',
      undefined,
      [],
    ])
  })
  it('who has not done anything yet waits for the first time: B6, unless one of them has done something', () => {
    const idOf = (works: ReadonlyArray<number>): ReadonlyArray<string> => {
      const s = world(['a@0', 'b@0', 'c@0'], [1])
      for (const x of works) s.r(x, 's0 0')
      s.wait(0, 0, 0, { blocked: true })
      s.wait(1, 0, 0, { blocked: true })
      return ids(s.judge())
    }
    expect(idOf([])).toEqual(['B6'])
    expect(idOf([0])).toEqual(['B5'])
    expect(idOf([1])).toEqual(['B5'])
    // who is not blocked does not count
    expect(idOf([2])).toEqual(['B6'])
  })
  it('only an mbarrier has a first phase to be wrong about', () => {
    const s = world(['a@0', 'b@0'], [])
    comes(s, 0, 'arrive', 1, 256)
    comes(s, 0, 'blocked', 1, 256)
    expect(ids(s.judge())).toEqual(['B5'])
  })
})

describe('a barrier that is not there: B7', () => {
  const told = (s: Script): ReadonlyArray<string> =>
    s.judge().findings.map((f) => [f.id, f.text, f.a.site, f.b?.site ?? ''].join(' | '))
  const bare = (agents: ReadonlyArray<string>): Script =>
    script({ agents, barriers: [{ name: 'b0', count: 1 }], bare: true })
  it.each([0, 1] as const)('one that has never been initialised, whatever the parity (%i)', (parity) => {
    const s = bare(['a@0'])
    s.wait(0, 0, parity, { blocked: true, site: 'wait b0' })
    expect(told(s)).toEqual(['B7 | deadlock: a@0 waits for b0@0, which is not initialised | wait b0 | '])
    expect(listed(s.judge())).toEqual([['a@0', 'b0@0, which is not initialised', []]])
  })
  it.each([0, 1, 2, 3])('one that was invalidated after %i generations: by that', (generations) => {
    const s = bare(['a@0', 'b@0'])
    s.init(0, 0, 1)
    s.sync([0, 1])
    for (let g = 0; g < generations; g++) {
      s.arrive(0, 0)
      s.wait(0, 0, (g & 1) === 0 ? 0 : 1)
    }
    s.inval(0, 0)
    s.sync([0, 1])
    s.wait(1, 0, (generations & 1) === 0 ? 0 : 1, { blocked: true, site: 'wait b0' })
    expect(told(s)).toEqual([
      'B7 | deadlock: b@0 waits for b0@0, which a@0 inval has invalidated | inval | wait b0',
    ])
    // agents that arrived in its life have no part in it
    expect(listed(s.judge())).toEqual([['b@0', 'b0@0, which a@0 inval has invalidated', []]])
  })
  it('one of a second life is there', () => {
    const s = bare(['a@0'])
    s.init(0, 0, 1)
    s.inval(0, 0)
    s.init(0, 0, 1)
    s.w(0, 's0 0')
    s.wait(0, 0, 0, { blocked: true })
    expect(ids(s.judge())).toEqual(['B5'])
  })
  it('it explains the others, a cycle too', () => {
    const s = script({
      agents: ['a@0', 'b@0', 'c@0'],
      barriers: [
        { name: 'b0', count: 1 },
        { name: 'b1', count: 1 },
        { name: 'gone', count: 1 },
      ],
    })
    s.inval(0, 2)
    s.sync([0, 1, 2])
    s.arrive(0, 1)
    s.arrive(1, 0)
    s.wait(0, 0, 0)
    s.wait(1, 1, 0)
    s.wait(0, 0, 1, { blocked: true })
    s.wait(1, 1, 1, { blocked: true })
    s.wait(2, 2, 0, { blocked: true })
    expect(listed(s.judge()).map(([agent]) => agent)).toEqual(['c@0', 'a@0', 'b@0'])
    expect(ids(s.judge())).toEqual(['B7'])
  })
})

describe('what stands ahead', () => {
  const ahead = (s: Script, site: string, behind: number, helps: number): void =>
    s.push({ _tag: 'ahead', stamp: s.stamp(behind, site), behind, helps })
  const told = (s: Script): ReadonlyArray<readonly [string, ReadonlyArray<string>, ReadonlyArray<string>]> =>
    s.judge().deadlock.map((d) => [d.agent, d.suppliers, d.ahead])
  const crossed = (): Script => {
    const s = world(['a@0', 'b@0', 'c@0'], [1, 1, 1])
    s.w(0, 's0 0')
    s.wait(0, 0, 0, { blocked: true, site: 'wait ping' })
    s.wait(1, 1, 0, { blocked: true, site: 'wait pong' })
    return s
  }
  it('two waits that are crossed are a cycle, and its text', () => {
    const s = crossed()
    ahead(s, 'arrive pong', 0, 1)
    ahead(s, 'arrive ping', 1, 0)
    expect(told(s)).toEqual([
      ['a@0', ['b@0'], ['b@0 arrive ping']],
      ['b@0', ['a@0'], ['a@0 arrive pong']],
    ])
    expect(s.judge().findings.map((f) => `${f.id} ${f.text}`)).toEqual([
      'B5 deadlock: a@0 waits for b0@0 generation 0: 1 of 1 arrivals missing; a cycle: a@0 waits for b@0 arrive ping, which comes after b@0 wait pong; b@0 waits for a@0 arrive pong, which comes after a@0 wait ping',
    ])
  })
  it('the one that stands ahead of nothing that is missing is the cause of the other', () => {
    const s = crossed()
    ahead(s, 'arrive ping', 1, 0)
    expect(told(s)).toEqual([
      ['b@0', [], []],
      ['a@0', ['b@0'], ['b@0 arrive ping']],
    ])
    expect(s.judge().findings[0]!.text).toBe(
      'deadlock: b@0 waits for b1@0 generation 0: 1 of 1 arrivals missing',
    )
  })
  it('it comes before those that have only been there', () => {
    const s = world(['a@0', 'b@0', 'gone@0'], [1, 1])
    s.arrive(2, 0)
    s.wait(0, 0, 0)
    s.wait(0, 0, 1, { blocked: true })
    s.wait(1, 1, 0, { blocked: true })
    ahead(s, 'arrive b0', 1, 0)
    ahead(s, 'arrive b1', 0, 1)
    expect(told(s)).toEqual([
      ['a@0', ['b@0', 'gone@0'], ['b@0 arrive b0']],
      ['b@0', ['a@0'], ['a@0 arrive b1']],
    ])
  })
  it('an agent that would help itself alone waits for itself; where another helps, or has helped, that one', () => {
    const s = world(['a@0', 'b@0'], [1])
    s.wait(0, 0, 0, { blocked: true, site: 'wait b0' })
    ahead(s, 'arrive b0', 0, 0)
    expect(told(s)).toEqual([['a@0', ['a@0'], ['a@0 arrive b0']]])
    expect(s.judge().findings[0]!.text).toMatch(
      /; a cycle: a@0 waits for a@0 arrive b0, which comes after a@0 wait b0$/,
    )
    const t = world(['a@0', 'b@0'], [1])
    t.arrive(1, 0)
    t.wait(0, 0, 0)
    t.wait(0, 0, 1, { blocked: true })
    ahead(t, 'arrive b0', 0, 0)
    expect(told(t)).toEqual([['a@0', ['b@0'], []]])
  })
  it('a circle through a parent says for which branch it waits; one that is not sure everywhere stays silent', () => {
    const s = world(['parent@0', 'a@0', 'other@0'], [1, 1])
    s.fork('fork', 0, [0, 1])
    s.wait(1, 0, 0, { blocked: true, site: 'wait b0' })
    s.wait(2, 1, 0, { blocked: true, site: 'wait b1' })
    ahead(s, 'arrive b1', 0, 2)
    ahead(s, 'arrive b0', 2, 1)
    expect(s.judge().findings[0]!.text).toMatch(
      /; a cycle: a@0 waits for other@0 arrive b0, which comes after other@0 wait b1; other@0 waits for parent@0 arrive b1, which comes after parent@0 fork; parent@0 waits for its branch a@0 to end$/,
    )
    const t = world(['a@0', 'b@0'], [1, 1])
    t.arrive(1, 0)
    t.wait(0, 0, 0)
    t.wait(0, 0, 1, { blocked: true })
    t.wait(1, 1, 0, { blocked: true })
    ahead(t, 'arrive b1', 0, 1)
    expect(t.judge().findings[0]!.text).not.toContain('circle')
    expect(told(t)).toEqual([
      ['a@0', ['b@0'], []],
      ['b@0', ['a@0'], ['a@0 arrive b1']],
    ])
  })
})

describe('which wait is the cause', () => {
  const names = (s: Script): readonly [ReadonlyArray<string>, ReadonlyArray<string>] => {
    const j = s.judge()
    return [
      listed(j).map(([agent]) => agent),
      j.findings.map((f) => `${f.id} ${f.a.agent} ${f.b?.site ?? ''}`),
    ]
  }
  it('a wait that nobody ever supplied comes before those that somebody could supply', () => {
    const s = world(['a@0', 'b@0', 'gone@0'], [1, 1])
    s.w(0, 's0 0')
    s.arrive(2, 0)
    s.wait(0, 0, 0)
    s.wait(0, 0, 1, { blocked: true })
    s.wait(1, 1, 0, { blocked: true })
    expect(names(s)).toEqual([['b@0', 'a@0'], ['B5 b@0 ']])
  })
  it('bytes that do not add up come before both', () => {
    const s = world(['a@0', 'b@0', 'gone@0'], [1, 1])
    s.w(0, 's0 0')
    s.wait(0, 0, 0, { blocked: true })
    s.arrive(2, 1, { bytes: slotBytes, site: 'announcement' })
    s.wait(1, 1, 0, { blocked: true })
    expect(names(s)).toEqual([['a@0', 'b@0'], ['B4 b@0 announcement']])
  })
  it('bytes too many are told with the announcement that they followed, though its generation is over', () => {
    const s = world(['a@0', 'gone@0'], [1])
    s.arrive(1, 0, { bytes: slotBytes, site: 'announcement' })
    const op = s.issue(1, 'tmaLoad')
    s.bytes(op, 0, slotBytes)
    s.bytes(s.issue(1, 'tmaLoad'), 0, slotBytes)
    s.wait(0, 0, 0)
    s.arrive(1, 0, { site: 'plain' })
    s.wait(0, 0, 1, { blocked: true })
    expect(names(s)).toEqual([['a@0'], ['B4 a@0 announcement']])
  })
  it('a count of which a part has come comes before a cycle, and is told with the initialisation', () => {
    const s = world(['a@0', 'b@0', 'gone@0'], [1, 2])
    s.wait(0, 0, 0, { blocked: true })
    s.arrive(2, 1)
    s.wait(1, 1, 0, { blocked: true })
    const { findings } = s.judge()
    expect(names(s)).toEqual([['a@0', 'b@0'], ['B5 b@0 init']])
    expect(findings[0]!.b!.does).toBe('initialises b1@0, to count 2')
  })
  it('so do bytes that nobody has announced', () => {
    const s = world(['a@0', 'b@0', 'gone@0'], [1, 1])
    s.w(0, 's0 0')
    s.wait(0, 1, 0, { blocked: true })
    const op = s.issue(2, 'tmaLoad')
    s.bytes(op, 0, slotBytes)
    s.wait(1, 0, 0, { blocked: true })
    expect(names(s)).toEqual([['a@0', 'b@0'], ['B5 b@0 ']])
    expect(s.judge().findings[0]!.text).toBe(
      'deadlock: b@0 waits for b0@0 generation 0: 1 of 1 arrivals missing, 16 bytes more than expected have arrived',
    )
  })
  it.each([
    ['no commit covers', false, false, 'B5 a@0 product'],
    ['a commit covers', true, false, 'B5 a@0 '],
    ['no commit covers, where another agent could supply the wait', false, true, 'B5 a@0 '],
  ])('a product that %s is told with a wait that nothing supplies', (_, committed, supplied, told) => {
    const s = world(['a@0', 'b@0'], [1, 1])
    s.arrive(1, 0)
    s.wait(0, 0, 0)
    if (supplied) s.arrive(1, 1)
    if (supplied) s.wait(0, 1, 0)
    s.issue(0, 'tcgen05', 'product')
    if (committed) s.issue(0, 'tcgen05', 'commit', 1, 'commit')
    s.wait(0, 1, supplied ? 1 : 0, { blocked: true })
    expect(names(s)[1]).toEqual([told])
  })
  it('who overran a waiter is named: whose arrival completed the generation after the one that it wants', () => {
    const s = world(['a@0', 'slow@0'], [1])
    s.arrive(0, 0, { site: 'first' })
    s.arrive(0, 0, { site: 'second' })
    s.wait(1, 0, 0, { blocked: true })
    expect(names(s)).toEqual([['slow@0'], ['B1 slow@0 second']])
  })
  it.each([false, true])('which generation it wants, counted from its life (a second life: %s)', (second) => {
    const s = world(['a@0', 'slow@0'], [1])
    const complete = (parity: 0 | 1, looks: boolean): void => {
      s.arrive(0, 0)
      s.wait(0, 0, parity)
      if (looks) s.wait(1, 0, parity)
      if (looks) s.sync([0, 1])
    }
    if (second) {
      complete(0, true)
      s.inval(0, 0)
      s.init(0, 0, 1)
      s.sync([0, 1])
    }
    complete(0, true)
    complete(1, false)
    complete(0, false)
    s.wait(1, 0, 1, { blocked: true })
    expect(s.judge().findings.map((f) => `${f.id} ${f.text}`)).toEqual([
      'B1 deadlock: slow@0 waits for b0@0 generation 3: 1 of 1 arrivals missing; it waits for generation 1, but that generation and the next are complete, so the parity is the same again',
    ])
  })
  it('the cycle comes before what hangs on it, in its order, from the first that is blocked', () => {
    const s = world(['hangs@0', 'a@0', 'b@0', 'c@0'], [1, 1, 1])
    // a waits for b, b for c, c for a; hangs waits for b
    s.arrive(2, 0)
    s.arrive(3, 1)
    s.arrive(1, 2)
    s.wait(0, 0, 0)
    s.wait(1, 0, 0)
    s.wait(2, 1, 0)
    s.wait(3, 2, 0)
    s.wait(0, 0, 1, { blocked: true })
    s.wait(3, 2, 1, { blocked: true })
    s.wait(1, 0, 1, { blocked: true })
    s.wait(2, 1, 1, { blocked: true })
    expect(names(s)).toEqual([['b@0', 'c@0', 'a@0', 'hangs@0'], ['B5 b@0 ']])
  })
  it('a run that nothing stops has no cause', () => {
    expect(names(world(['a@0'], [1]))).toEqual([[], []])
  })
})
