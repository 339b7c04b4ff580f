/**
 * Bytes that live: answers of cluster launch control and tensor maps. Whose bytes they are, and until when; and which requests for an answer come in an
 * order. Tables by hand.
 */
import { describe, expect, test } from 'vitest'
import type { Access } from '../../../../src/semantics/log/events.js'
import { script, type Script } from './script.js'

type Role = Access['role']
const touch = (s: Script, rw: 'r' | 'w', place: string, role: Role, site: string, agent = 0): void =>
  s.push({
    _tag: 'access',
    stamp: s.stamp(agent, site),
    rw,
    proxy: 'generic',
    footprint: s.footprint(place),
    role,
    atomic: false,
  })

type Step = readonly [rw: 'r' | 'w', place: string, role: Role, site: string]
/** One agent does one thing after the other, so that nothing is a race: the findings, as the sites of their sides. */
const found = (...steps: ReadonlyArray<Step>): ReadonlyArray<string> => {
  const s = script({ agents: ['w@0'], barriers: [] })
  for (const step of steps) touch(s, ...step)
  return s.judge().findings.map((f) => `${f.id}: ${f.a.site} / ${f.b?.site ?? ''}`)
}

describe('an answer', () => {
  const first: Step = ['w', 's0 0', 'response', 'first']
  const second: Step = ['w', 's0 1', 'response', 'second']
  const read = (place: string): Step => ['r', place, 'source', 'peek']
  test('is read and written by nobody else while it lives: each of several', () => {
    expect(found(first, second, read('s0 0'))).toEqual(['B7: first / peek'])
    expect(found(first, second, read('s0 1'))).toEqual(['B7: second / peek'])
    expect(found(first, second, ['w', 's0 1', 'source', 'poke'])).toEqual(['B7: second / poke'])
    expect(found(first, second, read('s0 2'))).toEqual([])
    expect(found(first, second, read('t0 0'))).toEqual([])
    expect(found(first, second, read('s0 0-2'))).toEqual(['B7: first / peek', 'B7: second / peek'])
    expect(found(read('s0 0'), first)).toEqual([])
  })
  test('is asked again, and written again, in the same bytes', () => {
    expect(
      found(first, second, ['r', 's0 0', 'response', 'query'], ['r', 's0 1', 'response', 'query']),
    ).toEqual([])
    expect(found(first, second, ['w', 's0 0', 'response', 'again'], read('s0 0'))).toEqual([
      'B7: again / peek',
    ])
    expect(found(first, second, ['w', 's0 0', 'response', 'again'], read('s0 1'))).toEqual([
      'B7: second / peek',
    ])
    // an answer that covers part of another, or more of it, is another one
    expect(found(first, ['w', 's0 0-2', 'response', 'wide'])).toEqual(['B7: first / wide'])
    expect(found(['w', 's0 0-2', 'response', 'wide'], first)).toEqual(['B7: wide / first'])
    expect(found(['w', 's0 0-2', 'response', 'wide'], ['r', 's0 1-3', 'response', 'query'])).toEqual([
      'B7: wide / query',
    ])
    // a query makes no answer
    expect(found(['r', 's0 0', 'response', 'query'], read('s0 0'))).toEqual([])
  })
  test('ends with its cluster', () => {
    const s = script({ agents: ['w@0'], barriers: [], bare: true })
    s.cluster(0)
    touch(s, ...first)
    s.cluster(1)
    touch(s, ...read('s0 0'))
    expect(s.judge().findings.filter((f) => f.id === 'B7')).toEqual([])
  })
})

describe('a tensor map', () => {
  const first: Step = ['w', 's0 0', 'map', 'first']
  const second: Step = ['w', 's0 1', 'map', 'second']
  test('is written by nobody else: each of several', () => {
    expect(found(first, second, ['w', 's0 0', 'source', 'poke'])).toEqual(['B7: first / poke'])
    expect(found(first, second, ['w', 's0 1', 'source', 'poke'])).toEqual(['B7: second / poke'])
    expect(found(first, second, ['w', 's0 2', 'source', 'poke'])).toEqual([])
    expect(found(first, second, ['w', 't0 0', 'source', 'poke'])).toEqual([])
    expect(found(['w', 's0 0', 'source', 'poke'], first)).toEqual([])
    expect(found(first, ['r', 's0 0', 'source', 'peek'])).toEqual(['B7: first / peek'])
    // what stands beside it is no map
    expect(found(first, ['w', 's0 5', 'source', 'beside'], ['w', 's0 5-7', 'source', 'beside'])).toEqual([])
  })
  test('is read and replaced as a map, in the same bytes', () => {
    expect(found(first, second, ['r', 's0 0', 'map', 'copy'], ['r', 's0 0-2', 'map', 'copy'])).toEqual([])
    expect(found(first, second, ['w', 's0 0', 'map', 'again'], ['w', 's0 0', 'source', 'poke'])).toEqual([
      'B7: again / poke',
    ])
    expect(found(first, second, ['w', 's0 0', 'map', 'again'], ['w', 's0 1', 'source', 'poke'])).toEqual([
      'B7: second / poke',
    ])
    expect(found(first, ['w', 's0 0-2', 'map', 'wide'])).toEqual(['B7: first / wide'])
  })
})

describe('requests: each knows those before it (C1)', () => {
  const asked = (run: (s: Script) => void): ReadonlyArray<string> => {
    const s = script({ agents: ['p@0', 'c@0', 'd@0'], barriers: [], bare: true })
    run(s)
    const { holds, findings } = s.judge().conditions.C1
    expect(holds).toBe(findings.length === 0)
    return findings.map((f) => `${f.id} ${f.a.site} / ${f.b?.site ?? ''}`)
  }
  const ask = (s: Script, agent: number, site: string): number => s.issue(agent, 'clc', site)
  test.each<readonly [string, (s: Script) => void, ReadonlyArray<string>]>([
    ['one', (s) => ask(s, 0, 'x'), []],
    ['of one agent, again and again', (s) => [ask(s, 0, 'x'), ask(s, 0, 'y'), ask(s, 0, 'x')], []],
    ['of two that have not met', (s) => [ask(s, 0, 'x'), ask(s, 1, 'y')], ['B3 x / y']],
    ['of two that have', (s) => [ask(s, 0, 'x'), s.sync([0, 1]), ask(s, 1, 'y')], []],
    [
      'the latest counts',
      (s) => [ask(s, 0, 'x'), s.sync([0, 1]), ask(s, 0, 'late'), ask(s, 1, 'y')],
      ['B3 late / y'],
    ],
    [
      'of three, of which one knows the other two',
      (s) => [ask(s, 0, 'x'), ask(s, 1, 'y'), s.sync([0, 1, 2]), ask(s, 2, 'z')],
      ['B3 x / y'],
    ],
    ['other operations ask for nothing', (s) => [ask(s, 0, 'x'), s.issue(1, 'tmaLoad', 'y')], []],
    ['of clusters that follow one another', (s) => [ask(s, 0, 'x'), s.cluster(1), ask(s, 1, 'y')], []],
  ])('%s', (_, run, expected) => {
    expect(asked(run)).toEqual(expected)
  })
})
