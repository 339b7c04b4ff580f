/** Deadlocks: the cycle through forks and joins, who is asked first, and which wait explains the others. Tables by hand. */
import { describe, expect, it } from 'vitest'
import type { Judgement } from '../../../src/semantics/finding.js'
import { ids, script, type Script } from './script.js'

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
      ['a@0', 'b1@0 generation 1: 1 of 1 arrivals and 0 bytes missing', ['other@0']],
      ['other@0', 'b0@0 generation 1: 1 of 1 arrivals and 0 bytes missing', ['b@0']],
      ['parent@0', 'its branches to end', ['a@0']],
    ])
  })
  it('a fork that is joined holds nobody', () => {
    expect(listed(story(true).judge())).toEqual([
      ['other@0', 'b0@0 generation 1: 1 of 1 arrivals and 0 bytes missing', ['b@0']],
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
      ['waiter@0', 'b0@0 generation 1: 1 of 2 arrivals and 0 bytes missing', ['late@0', 'early@0']],
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
      'deadlock: slow@0 waits for b0@0 generation 2: 1 of 1 arrivals and 0 bytes missing; the generation that it wants, 0, is over, and the next one too: the parity is the same again',
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
