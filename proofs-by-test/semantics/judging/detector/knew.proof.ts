/** What the later agent knew of the earlier operation, in words: a table by hand, a way of being done at a time. */
import { expect, test } from 'vitest'
import { load, script, type Script } from './script.js'

const world = {
  agents: ['p@0', 'c@0'],
  barriers: [
    { name: 'other', count: 1 },
    { name: 'full', count: 1 },
  ],
  bare: true,
}
/** The agents' first events are numbered from 1: nothing is initialised or met before. */
const knew = (write: (s: Script) => void): ReadonlyArray<string | undefined> => {
  const s = script(world)
  write(s)
  return s
    .judge()
    .findings.filter((f) => f.b !== undefined)
    .map((f) => f.knew)
}

const rows: ReadonlyArray<readonly [what: string, write: (s: Script) => void, knew: ReadonlyArray<string>]> =
  [
    [
      'two accesses of agents, nothing known',
      (s) => {
        s.fence(0)
        s.w(0, 's0 0')
        s.r(1, 's0 0')
      },
      ['c@0 has not synchronised with p@0'],
    ],
    [
      'an earlier event known',
      (s) => {
        s.sync([0, 1])
        s.w(0, 's0 0')
        s.r(1, 's0 0')
      },
      ['c@0 has synchronised with p@0 only up to event 1, before the first access (event 3)'],
    ],
    [
      'an operation of another that has signalled nothing',
      (s) => {
        s.perform(s.issue(0, 'tmaLoad', 'load'), [], ['s0 0'])
        s.r(1, 's0 0')
      },
      ['c@0 has not synchronised with p@0, and nothing has signalled its completion yet'],
    ],
    [
      'one of its own',
      (s) => {
        s.perform(s.issue(0, 'wgmma', 'mma'), ['s0 0'], ['r0 0'])
        s.r(0, 'r0 0')
      },
      ['p@0 issued the wgmma itself (event 1) and has not waited for its completion'],
    ],
    [
      'the second of its own, the first known',
      (s) => {
        s.perform(s.issue(0, 'wgmma', 'first'), ['s0 0'], ['r0 0'])
        s.commit(0, 'wgmma')
        s.awaits(0, 'wgmma', 0)
        s.perform(s.issue(0, 'wgmma', 'second'), ['s0 0'], ['r0 1'])
        s.r(0, 'r0 1')
      },
      [
        'p@0 issued the wgmma itself (event 4) and has waited for operations of this kind only up to number 1, and this one is number 2',
      ],
    ],
    [
      'a copy by its generation, none known',
      (s) => {
        s.init(0, 0, 1)
        s.init(0, 1, 1)
        s.sync([0, 1])
        load(s, 0, 1, 's0 0', 'load')
        s.r(1, 's0 0')
      },
      [
        'c@0 has synchronised with p@0 only up to event 3, before the copy was issued (event 6), and has not waited for full@0, which signals its completion',
      ],
    ],
    [
      'a copy by its generation, the one before known; what it told brought its issue with it',
      (s) => {
        s.init(0, 0, 1)
        s.init(0, 1, 1)
        s.sync([0, 1])
        load(s, 0, 0, 's0 1', 'first')
        s.wait(1, 0, 0)
        load(s, 0, 0, 's0 0', 'second')
        s.r(1, 's0 0')
      },
      [
        'c@0 has synchronised with p@0 only up to event 6, before the copy was issued (event 8), and has waited for other@0 only up to generation 0, and generation 1 signals its completion',
      ],
    ],
    [
      'another cluster',
      (s) => {
        s.cluster(0)
        s.w(0, 'g 0')
        s.cluster(1)
        s.w(0, 'g 0')
      },
      ['nothing orders p@0 after the other cluster'],
    ],
  ]
test.each(rows)('%s', (_, write, expected) => {
  expect(knew(write)).toEqual(expected)
})
