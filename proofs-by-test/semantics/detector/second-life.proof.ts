/**
 * A barrier that is invalidated and initialised again is a new barrier.
 *
 * Law. What follows the second initialisation is judged as it is judged after a first one: the same findings, conditions and deadlock, in the same
 * words; generations count from 0. The log in front has n complete generations that everybody has observed.
 */
import { describe, expect, test } from 'vitest'
import type { Judgement } from '../../../src/semantics/finding.js'
import type { Script } from './script.js'
import { script, slotBytes } from './script.js'

const agents = ['p@0', 'c@0', 'd@0']
const everybody = [0, 1, 2]

/** `lives` complete generations of a first life, all of them observed, and the second life begins. */
const after = (
  generations: number,
  count: number,
  contract: 'ptx' | 'pallas',
  run: (s: Script) => void,
): Judgement => {
  const s = script({
    agents,
    barriers: [
      { name: 'b', count, contract },
      { name: 'x', count: 1 },
    ],
    bare: true,
  })
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
    'b@0 generation 0: 1 of 2 arrivals and 0 bytes missing',
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
    'b@0 generation 1: 1 of 1 arrivals and 0 bytes missing',
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
    'completions that nobody observed',
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
})
