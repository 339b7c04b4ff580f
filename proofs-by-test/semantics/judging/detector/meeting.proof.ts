/** Where agents meet: who is told what by a fork, a join and a named barrier; logs by hand, `id first / second`. */
import { describe, expect, test } from 'vitest'
import type { Judgement } from '../../../../src/semantics/judging/finding.js'
import { script, type Script } from './script.js'

const judged = (run: (s: Script) => void): Judgement => {
  const s = script({ agents: ['p@0', 'c@0', 'd@0'], barriers: [], bare: true })
  run(s)
  return s.judge()
}
const found = (run: (s: Script) => void): ReadonlyArray<string> =>
  judged(run).findings.map((f) => `${f.id} ${f.a.site} / ${f.b?.site ?? ''}`)

describe('fork and join', () => {
  test.each<readonly [string, (s: Script) => void, ReadonlyArray<string>]>([
    [
      'a fork tells every child what the parent did and saw',
      (s) => {
        s.w(2, 's0 1')
        s.sync([0, 2])
        s.w(0, 's0 0')
        s.fork('fork', 0, [1, 2])
        s.r(1, 's0 0')
        s.r(2, 's0 0')
        s.r(1, 's0 1')
      },
      [],
    ],
    [
      'and nobody else',
      (s) => (s.w(0, 's0 0'), s.fork('fork', 0, [1]), s.r(2, 's0 0')),
      ['D1 write s0 0 / read s0 0'],
    ],
    [
      'not what it does after it',
      (s) => (s.fork('fork', 0, [1]), s.w(0, 's0 0'), s.r(1, 's0 0')),
      ['D1 write s0 0 / read s0 0'],
    ],
    [
      'nor the parent what a child has done',
      (s) => (s.w(1, 's0 0'), s.fork('fork', 0, [1]), s.r(0, 's0 0')),
      ['D1 write s0 0 / read s0 0'],
    ],
    [
      'a join tells the parent what every child did',
      (s) => (s.w(1, 's0 0'), s.w(2, 's0 1'), s.fork('join', 0, [1, 2]), s.r(0, 's0 0'), s.r(0, 's0 1')),
      [],
    ],
    [
      'not what another agent did',
      (s) => (s.w(2, 's0 0'), s.fork('join', 0, [1]), s.r(0, 's0 0')),
      ['D1 write s0 0 / read s0 0'],
    ],
    [
      'nor a child what the parent or another child did',
      (s) => {
        s.w(0, 's0 0')
        s.w(2, 's0 1')
        s.fork('join', 0, [1, 2])
        s.r(1, 's0 0')
        s.r(1, 's0 1')
      },
      ['D1 write s0 0 / read s0 0', 'D1 write s0 1 / read s0 1'],
    ],
    [
      'an agent that is its own child',
      (s) => (
        s.w(0, 's0 0'),
        s.fork('fork', 0, [0, 1]),
        s.r(1, 's0 0'),
        s.fork('join', 0, [0, 1]),
        s.r(0, 's0 0')
      ),
      [],
    ],
    [
      'tensor memory asks for its fences still',
      (s) => {
        s.perform(s.issue(0, 'tcgen05St', 'st'), [], ['t0 0'])
        s.awaits(0, 'tcgen05St', 0)
        s.fork('fork', 0, [1])
        s.fence(1, 'tensorAfter')
        s.perform(s.issue(1, 'tcgen05Ld', 'ld'), ['t0 0'], [])
        s.awaits(1, 'tcgen05Ld', 0)
      },
      ['M8 st / ld'],
    ],
    [
      'and is passed on with them, by a fork',
      (s) => {
        s.perform(s.issue(0, 'tcgen05St', 'st'), [], ['t0 0'])
        s.awaits(0, 'tcgen05St', 0)
        s.fence(0, 'tensorBefore')
        s.fork('fork', 0, [1])
        s.fence(1, 'tensorAfter')
        s.perform(s.issue(1, 'tcgen05Ld', 'ld'), ['t0 0'], [])
        s.awaits(1, 'tcgen05Ld', 0)
      },
      [],
    ],
    [
      'and by a join',
      (s) => {
        s.perform(s.issue(1, 'tcgen05St', 'st'), [], ['t0 0'])
        s.awaits(1, 'tcgen05St', 0)
        s.fence(1, 'tensorBefore')
        s.fork('join', 0, [1])
        s.fence(0, 'tensorAfter')
        s.perform(s.issue(0, 'tcgen05Ld', 'ld'), ['t0 0'], [])
        s.awaits(0, 'tcgen05Ld', 0)
      },
      [],
    ],
    [
      'its fence after it is needed too',
      (s) => {
        s.perform(s.issue(0, 'tcgen05St', 'st'), [], ['t0 0'])
        s.awaits(0, 'tcgen05St', 0)
        s.fence(0, 'tensorBefore')
        s.fork('fork', 0, [1])
        s.perform(s.issue(1, 'tcgen05Ld', 'ld'), ['t0 0'], [])
        s.awaits(1, 'tcgen05Ld', 0)
      },
      ['M8 st / ld'],
    ],
  ])('%s', (_, run, expected) => {
    expect(found(run)).toEqual(expected)
  })
})

describe('a fence and a meeting', () => {
  const store = (s: Script, agent: number, place = 's0 0'): void => {
    s.perform(s.issue(agent, 'tmaStore', 'store'), [place], [])
    s.commit(agent, 'bulk')
    s.awaits(agent, 'bulk', 0)
  }
  test.each<readonly [string, (s: Script) => void]>([
    ['no meeting', (s) => [s.fence(0), s.w(0, 's0 0')]],
    ['before the write', (s) => [s.fence(0), s.sync([0, 1]), s.w(0, 's0 0')]],
    ['behind it', (s) => [s.fence(0), s.w(0, 's0 0'), s.sync([0, 1])]],
    ['both', (s) => [s.fence(0), s.sync([0, 1]), s.w(0, 's0 0'), s.sync([0, 1])]],
    ['with no other agent', (s) => [s.fence(0), s.sync([0]), s.w(0, 's0 0'), s.sync([0])]],
  ])('commit before store, %s: P2, whichever agent issues the copy', (_, run) => {
    expect(found((s) => [run(s), store(s, 0)])).toEqual(['P2 write s0 0 / store'])
    expect(found((s) => [run(s), s.sync([0, 1]), store(s, 1)])).toEqual(['P2 write s0 0 / store'])
  })
  test.each<readonly [string, (s: Script) => void]>([
    ['one that covers a write of its own', (s) => [s.w(0, 's0 1'), s.fence(0)]],
    [
      'one that covers a write of another agent',
      (s) => [s.w(1, 's0 1'), s.sync([0, 1]), s.w(1, 's0 2'), s.fence(0)],
    ],
    [
      'one that covers a copy of cp.async',
      (s) => {
        s.perform(s.issue(0, 'cpAsync', 'copy'), ['g 0'], ['s0 1'], { proxy: 'generic' })
        s.commit(0, 'cpAsync')
        s.awaits(0, 'cpAsync', 0)
        s.fence(0)
      },
    ],
  ])('%s is not in vain: the write after it has no fence, P1', (_, before) => {
    expect(
      found((s) => [before(s), s.sync([0, 1]), s.w(0, 's0 0'), store(s, 0)]).filter((x) =>
        x.endsWith('s0 0 / store'),
      ),
    ).toEqual(['P1 write s0 0 / store'])
  })
  test.each<readonly [string, (s: Script) => void]>([
    ['a second one', (s) => [s.w(0, 's0 1'), s.fence(0), s.fence(0)]],
    ['one of an agent that does not see the write', (s) => [s.w(1, 's0 1'), s.fence(0)]],
    ['one over global memory', (s) => [s.w(0, 's0 1'), s.fence(0, 'proxyAsync', 'global')]],
    ['one over what was read', (s) => [s.r(0, 's0 1'), s.fence(0)]],
  ])('%s is in vain', (_, before) => {
    expect(
      found((s) => [before(s), s.w(0, 's0 0'), store(s, 0)]).filter((x) => x.endsWith('s0 0 / store')),
    ).toEqual(['P2 write s0 0 / store'])
  })
})

describe('what stands at the end', () => {
  const stuck = (run: (s: Script) => void): ReadonlyArray<readonly [string, boolean]> =>
    judged(run).deadlock.map((b) => [b.agent, b.waitsFor.length > 0])
  test('a wait for groups, for registers, at a named barrier', () => {
    const group = (blocked: boolean) => (s: Script) =>
      s.push({
        _tag: 'group',
        stamp: s.stamp(0, 'x'),
        kind: 'wait',
        family: 'bulk',
        pending: 0,
        read: false,
        blocked,
      })
    const registers = (blocked: boolean) => (s: Script) =>
      s.push({ _tag: 'registers', stamp: s.stamp(1, 'x'), count: 40, needs: 2, free: 1, blocked })
    const meeting = (kind: 'arrive' | 'blocked') => (s: Script) =>
      s.push({ _tag: 'rendezvous', stamp: s.stamp(2, 'x'), kind, id: 1, count: 256, threads: 128 })
    expect([stuck(group(true)), stuck(group(false))]).toEqual([[['p@0', true]], []])
    expect([stuck(registers(true)), stuck(registers(false))]).toEqual([[['c@0', true]], []])
    expect([stuck(meeting('blocked')), stuck(meeting('arrive'))]).toEqual([[['d@0', true]], []])
  })
  test('a commit is no wait', () => {
    expect(
      stuck((s) => {
        for (const family of ['bulk', 'wgmma', 'cpAsync', 'tcgen05Ld', 'tcgen05St'] as const)
          s.commit(0, family)
      }),
    ).toEqual([])
  })
})
