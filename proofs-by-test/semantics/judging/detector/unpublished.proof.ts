/**
 * What the manual does not grant, or grants only with a fence: initialisations of barriers for other CTAs (B9), accesses ordered over relaxed edges
 * (N2), entries of a tensor queue (N3, D4).
 *
 * Oracle: the tables, written down from the manual; each row is a log of a few events.
 */
import { describe, expect, test } from 'vitest'
import type { Options } from '../../../../src/semantics/judging/detector/index.js'
import type { TensorEntry } from '../../../../src/semantics/log/events.js'
import { ids, script, slotBytes, type Script, type World } from './script.js'

type Row = readonly [what: string, run: (s: Script) => void, found: ReadonlyArray<string>]

const judged = (s: Script, o: Partial<Options> = {}): ReadonlyArray<string> => {
  const j = s.judge(o)
  return [...ids(j), ...j.notes.filter((f) => f.severity === 'L').map((f) => f.id)]
}

// ---------------------------------------------------------------- initialisations

describe('a barrier that an agent of another CTA uses', () => {
  const world: World = {
    agents: ['a@0', 'b@0', 'c@1'],
    barriers: [{ name: 'x', count: 1 }],
    bare: true,
  }
  const all = [0, 1, 2]
  const meets = (s: Script, relaxed: boolean): void => {
    s.sync(all, 16, relaxed)
  }
  const used = (s: Script): void => {
    s.arrive(2, 0)
    s.sync(all, 16)
  }
  test.each<Row>([
    [
      'behind a relaxed cluster barrier',
      (s) => {
        s.init(0, 0, 1)
        meets(s, true)
        used(s)
      },
      ['B9'],
    ],
    [
      'behind a fence of its initialisation, too',
      (s) => {
        s.init(0, 0, 1)
        s.fence(0, 'mbarrierInit')
        meets(s, true)
        used(s)
      },
      [],
    ],
    [
      'behind a cluster barrier that releases',
      (s) => {
        s.init(0, 0, 1)
        meets(s, false)
        used(s)
      },
      [],
    ],
    [
      'the fence comes before the initialisation',
      (s) => {
        s.fence(0, 'mbarrierInit')
        s.init(0, 0, 1)
        meets(s, true)
        used(s)
      },
      ['B9'],
    ],
    [
      'another agent of the CTA has fenced',
      (s) => {
        s.init(0, 0, 1)
        s.sync([0, 1])
        s.fence(1, 'mbarrierInit')
        meets(s, true)
        used(s)
      },
      ['B9'],
    ],
    [
      'what its agent has fenced another agent tells by a release, and not by a relaxed arrive',
      (s) => {
        s.init(0, 0, 1)
        s.fence(0, 'mbarrierInit')
        s.sync([0, 1])
        meets(s, true)
        used(s)
      },
      [],
    ],
    [
      'its second life is not fenced',
      (s) => {
        s.init(0, 0, 1)
        s.fence(0, 'mbarrierInit')
        meets(s, true)
        s.inval(0, 0)
        s.init(0, 0, 1)
        meets(s, true)
        used(s)
      },
      ['B9'],
    ],
    [
      'a copy of another CTA that signals it',
      (s) => {
        s.init(0, 0, 1)
        meets(s, true)
        s.arrive(0, 0, { bytes: slotBytes })
        const op = s.issue(2, 'tmaLoad')
        s.perform(op, ['g 0'], ['s0 0'])
        s.bytes(op, 0, slotBytes)
        s.wait(0, 0, 0)
        s.sync(all, 16)
      },
      ['B9'],
    ],
    [
      'its own CTA asks for order alone',
      (s) => {
        s.init(0, 0, 1)
        meets(s, true)
        s.arrive(1, 0)
      },
      [],
    ],
    [
      'not in order either: that is another hazard',
      (s) => {
        s.init(0, 0, 1)
        s.fence(0, 'mbarrierInit')
        s.arrive(2, 0)
        s.sync(all, 16)
      },
      ['B7'],
    ],
  ])('%s', (_, run, found) => {
    const s = script(world)
    run(s)
    expect(judged(s)).toEqual(found)
  })
})

// ---------------------------------------------------------------- relaxed edges

describe('order over relaxed edges', () => {
  const world: World = {
    agents: ['a@0', 'b@0', 'c@0'],
    barriers: [
      { name: 'x', count: 1 },
      { name: 'y', count: 1 },
    ],
  }
  type Edge = readonly [release: boolean, acquire: boolean]
  const edge = (s: Script, from: number, to: number, barrier: number, [release, acquire]: Edge): void => {
    s.arrive(from, barrier, { release })
    s.wait(to, barrier, 0, { acquire })
  }
  const firm: Edge = [true, true]
  const weak: ReadonlyArray<Edge> = [
    [false, true],
    [true, false],
    [false, false],
  ]
  const both = (run: (s: Script) => void): readonly [ReadonlyArray<string>, ReadonlyArray<string>] => {
    const s = script(world)
    run(s)
    return [judged(s), judged(s, { strict: true })]
  }
  test.each(weak)('a read, then a write (release %s, acquire %s): a note; a race by the manual', (...e) => {
    expect(
      both((s) => {
        s.r(0, 's0 0')
        edge(s, 0, 1, 0, e)
        s.w(1, 's0 0')
      }),
    ).toEqual([['N2'], ['D1']])
  })
  test('a release and an acquire: neither', () => {
    expect(
      both((s) => {
        s.r(0, 's0 0')
        edge(s, 0, 1, 0, firm)
        s.w(1, 's0 0')
      }),
    ).toEqual([[], []])
  })
  test.each(weak)(
    'a write, then a read (release %s, acquire %s): not visible; by the manual not in order',
    (...e) => {
      expect(
        both((s) => {
          s.w(0, 's0 0')
          edge(s, 0, 1, 0, e)
          s.r(1, 's0 0')
        }),
      ).toEqual([['V1'], ['D1']])
    },
  )
  test('one relaxed edge of two is enough', () => {
    for (const [first, second] of [
      [firm, weak[0]!],
      [weak[1]!, firm],
    ] as const)
      expect(
        both((s) => {
          s.r(0, 's0 0')
          edge(s, 0, 1, 0, first)
          edge(s, 1, 2, 1, second)
          s.w(2, 's0 0')
        }),
      ).toEqual([['N2'], ['D1']])
  })
  test('beside a firm one it does not matter', () => {
    expect(
      both((s) => {
        s.r(0, 's0 0')
        edge(s, 0, 1, 0, weak[0]!)
        s.sync([0, 1])
        s.w(1, 's0 0')
      }),
    ).toEqual([[], []])
  })
  test('an access of another CTA that is known at its exit over a relaxed cluster barrier alone', () => {
    const pair: World = { agents: ['a@0', 'c@1'], barriers: [{ name: 'x', count: 1, cta: 1 }] }
    const leaves = (relaxed: boolean): readonly [ReadonlyArray<string>, ReadonlyArray<string>] => {
      const s = script(pair)
      s.r(0, 's1 0')
      s.sync([0, 1], 16, relaxed)
      return [judged(s), judged(s, { strict: true })]
    }
    expect([leaves(true), leaves(false)]).toEqual([
      [['N2'], ['K1']],
      [[], []],
    ])
  })
  test('every schedule has what the manual alone forbids in order: no search is asked of it', () => {
    const s = script(world)
    s.r(0, 's0 0')
    edge(s, 0, 1, 0, weak[0]!)
    s.w(1, 's0 0')
    s.r(1, 's0 1')
    s.w(2, 's0 1')
    const j = s.judge({ strict: true })
    expect([j.findings.length, j.byManual.map((f) => f.place?.spans)]).toEqual([2, [[[0, slotBytes]]]])
    expect(s.judge().byManual).toEqual([])
  })
})

// ---------------------------------------------------------------- the tensor queue

describe('two entries of one queue on the same columns', () => {
  type Entry = readonly [entry: TensorEntry, pipe: number]
  const found = (first: Entry, then: Entry, tensorPipe: Options['tensorPipe']): ReadonlyArray<string> => {
    const s = script({ agents: ['a@0'], barriers: [] })
    for (const [tensor, pipe] of [first, then]) {
      const op = s.issue(0, 'tcgen05', tensor)
      Object.assign(s.events[s.events.length - 1]!, { tensor, pipe })
      s.perform(op, [], ['t0 0'])
    }
    return judged(s, { tensorPipe }).filter((id) => id !== 'U2')
  }
  const m: Entry = ['mma', 1]
  const n: Entry = ['mma', 2]
  const cp: Entry = ['cp', 0]
  const small: Entry = ['cp.4x256b', 0]
  const shift: Entry = ['shift', 0]
  test.each<readonly [Entry, Entry, issueOrder: ReadonlyArray<string>, documented: ReadonlyArray<string>]>([
    [m, m, [], []],
    [m, n, ['N3'], ['D4']],
    [cp, m, [], []],
    [small, n, [], []],
    [shift, m, [], []],
    [m, shift, [], []],
    [shift, small, [], []],
    [cp, cp, ['D4'], ['D4']],
    [small, small, ['D4'], ['D4']],
    [m, cp, ['D4'], ['D4']],
    [m, small, ['D4'], ['D4']],
    [cp, shift, ['D4'], ['D4']],
    [shift, cp, ['D4'], ['D4']],
    [shift, shift, ['D4'], ['D4']],
  ])('%j, then %j', (first, then, issueOrder, documented) => {
    expect([found(first, then, 'issueOrder'), found(first, then, 'documented')]).toEqual([
      issueOrder,
      documented,
    ])
  })
})
