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
      ['c@0 knows p@0 up to its event 0 (this access is 2)'],
    ],
    [
      'an earlier event known',
      (s) => {
        s.sync([0, 1])
        s.w(0, 's0 0')
        s.r(1, 's0 0')
      },
      ['c@0 knows p@0 up to its event 1 (this access is 3)'],
    ],
    [
      'an operation of another that has signalled nothing',
      (s) => {
        s.perform(s.issue(0, 'tmaLoad', 'load'), [], ['s0 0'])
        s.r(1, 's0 0')
      },
      ['c@0 knows p@0 up to its event 0 (the issue is 1); it has signalled nothing yet'],
    ],
    [
      'one of its own',
      (s) => {
        s.perform(s.issue(0, 'wgmma', 'mma'), ['s0 0'], ['r0 0'])
        s.r(0, 'r0 0')
      },
      ['p@0 issued both; done with number 1 of its wgmma sequence, of which it knows none'],
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
      ['p@0 issued both; done with number 2 of its wgmma sequence, known up to 1'],
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
        'c@0 knows p@0 up to its event 3 (the issue is 6); done with generation 0 of full@0, of which it knows none',
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
      ['c@0 knows p@0 up to its event 6 (the issue is 8); done with generation 1 of other@0, known up to 0'],
    ],
    [
      'another cluster',
      (s) => {
        s.cluster(0)
        s.w(0, 'g 0')
        s.cluster(1)
        s.w(0, 'g 0')
      },
      ['p@0 knows nothing of the other cluster'],
    ],
  ]
test.each(rows)('%s', (_, write, expected) => {
  expect(knew(write)).toEqual(expected)
})
