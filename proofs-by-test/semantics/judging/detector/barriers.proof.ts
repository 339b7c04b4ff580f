/**
 * The rules of an mbarrier, one log a row: which id, in which words, between which two operations. What the rows expect is written by hand from the
 * table of rules (B1 to B8, U1, C3, C4, C6); where generations are counted, the same is asked of a second life of the object, which counts from 0 again.
 */
import { describe, expect, test } from 'vitest'
import type { BarrierState } from '../../../../src/semantics/judging/detector/barriers.js'
import {
  barrierState,
  deadlockId,
  isUnobserved,
  isPartly,
  lastArrival,
} from '../../../../src/semantics/judging/detector/barriers.js'
import { contribute, generation } from '../../../../src/semantics/judging/detector/generation.js'
import type { Finding } from '../../../../src/semantics/judging/finding.js'
import type { BarrierEvent } from '../../../../src/semantics/log/events.js'
import { script, type BarrierSpec, type Script, type World } from './script.js'
import { rowOf } from './rows.js'

const agents = ['p@0', 'c@0', 'd@0']
const everybody = [0, 1, 2]
/** One barrier, b, that p initialises with this count; everybody knows of it, unless the script does that itself. */
const one = (
  write: (s: Script) => void,
  o: { readonly count?: number; readonly bare?: boolean; readonly more?: Partial<BarrierSpec> } = {},
): Script => {
  const s = script({
    agents,
    barriers: [
      { name: 'b', count: o.count ?? 1, ...o.more },
      { name: 'x', count: 1 },
    ],
    bare: o.bare ?? false,
  })
  write(s)
  return s
}
/** A life of b that everybody has seen end, and another that begins. */
const again = (s: Script, count = 1): void => {
  for (let g = 0; g < 3; g++) {
    for (let i = 0; i < count; i++) s.arrive(0, 0)
    for (const x of everybody) s.wait(x, 0, g % 2 === 0 ? 0 : 1)
    s.sync(everybody)
  }
  s.inval(0, 0)
  s.init(0, 0, count)
  s.sync(everybody)
}
const arriveMany = (s: Script, agent: number, count: number, site: string): void =>
  s.push({
    _tag: 'barrier',
    stamp: s.stamp(agent, site),
    kind: 'arrive',
    barrier: 0,
    count,
    bytes: 0,
    release: true,
    scope: 'cta',
    tensor: false,
  })
const event = (s: Script, agent: number, kind: BarrierEvent['kind'], site: string): BarrierEvent => ({
  _tag: 'barrier',
  stamp: s.stamp(agent, site),
  kind,
  barrier: 0,
  count: 1,
  bytes: 0,
  release: false,
  scope: 'cta',
  tensor: false,
})

const said = (findings: ReadonlyArray<Finding>): ReadonlyArray<string> =>
  findings.map((f) =>
    [f.a, ...(f.b === undefined ? [] : [f.b])]
      .reduce((text, x) => `${text} | ${x.agent} ${x.site}: ${x.does}`, `${f.id} ${f.text}`)
      .trim(),
  )

// ---------------------------------------------------------------- lives

describe('B7: the life of the object', () => {
  const unknown =
    'B7 b@0 is used by an agent that does not know its initialisation | p@0 init: initialises b@0'
  const rows: ReadonlyArray<readonly [string, boolean, (s: Script) => void, ReadonlyArray<string>]> = [
    [
      'an arrive before the initialisation counts for nothing',
      true,
      (s) => s.arrive(1, 0),
      ['B7 b@0 is used before it is initialised | c@0 arrive b: arrives'],
    ],
    [
      'an arrive that brings bytes',
      true,
      (s) => s.arrive(1, 0, { bytes: 16 }),
      ['B7 b@0 is used before it is initialised | c@0 arrive b: arrives and expects 16 bytes'],
    ],
    [
      'bytes expected',
      true,
      (s) => s.expect(1, 0, 16),
      ['B7 b@0 is used before it is initialised | c@0 expect b: expects 16 bytes'],
    ],
    [
      'a wait, whatever its parity',
      true,
      (s) => [s.wait(1, 0, 0), s.wait(2, 0, 1)],
      [
        'B7 b@0 is used before it is initialised | c@0 wait b: waits for b@0',
        'B7 b@0 is used before it is initialised | d@0 wait b: waits for b@0',
      ],
    ],
    [
      'an invalidation',
      true,
      (s) => s.inval(1, 0),
      ['B7 b@0 is used before it is initialised | c@0 inval: invalidates b@0'],
    ],
    [
      'an arrive after the invalidation',
      false,
      (s) => [s.inval(0, 0), s.arrive(1, 0)],
      ['B7 b@0 is used after it is invalidated | p@0 init: initialises b@0 | c@0 arrive b: arrives'],
    ],
    [
      'a second invalidation',
      false,
      (s) => [s.inval(0, 0), s.inval(0, 0)],
      ['B7 b@0 is used after it is invalidated | p@0 init: initialises b@0 | p@0 inval: invalidates b@0'],
    ],
    [
      'an initialisation of what lives',
      false,
      (s) => s.init(1, 0, 1),
      ['B7 b@0 is initialised twice | p@0 init: initialises b@0 | c@0 init: initialises it again'],
    ],
    [
      'each agent that does not know, once',
      true,
      (s) => {
        s.init(0, 0, 3)
        s.arrive(0, 0)
        for (const x of [1, 2, 1]) s.expect(x, 0, 0)
      },
      [
        `${unknown} | c@0 expect b: expects 0 bytes`.replace(' |', ' (2 times) |'),
        `${unknown} | d@0 expect b: expects 0 bytes`,
      ],
    ],
    [
      'one life after another',
      false,
      (s) => {
        s.inval(0, 0)
        s.init(0, 0, 1)
        s.arrive(0, 0)
      },
      [],
    ],
  ]
  test.each(rows)('%s', (_, bare, write, expected) => {
    const j = one(write, { bare }).judge()
    expect(said(j.findings)).toEqual(expected)
    expect([j.conditions.C2.holds, j.conditions.C3.holds]).toEqual([true, true])
  })

  const used = (by: string): string =>
    `B7 b@0 is invalidated while it is in use | ${by} | p@0 inval: invalidates b@0`
  test.each<readonly [string, number, (s: Script) => void, ReadonlyArray<string>]>([
    ['an arrival of the generation under way', 2, (s) => s.arrive(1, 0), [used('c@0 arrive b: arrives')]],
    ['an arrival of the one before', 1, (s) => s.arrive(1, 0), [used('c@0 arrive b: arrives')]],
    [
      'a wait',
      1,
      (s) => [s.arrive(0, 0), s.wait(1, 0, 0, { site: 'look' })],
      [used('c@0 look: waits for b@0')],
    ],
    ['arrivals before waits', 1, (s) => [s.arrive(1, 0), s.wait(2, 0, 0)], [used('c@0 arrive b: arrives')]],
    [
      'what is known is over',
      1,
      (s) => [s.arrive(1, 0), s.wait(0, 0, 0), s.wait(1, 0, 0), s.sync(everybody)],
      [],
    ],
    [
      'an arrival that is known and one that is not',
      2,
      (s) => [s.arrive(0, 0), s.arrive(2, 0, { site: 'unknown' })],
      [used('d@0 unknown: arrives')],
    ],
  ])('in use when it is invalidated: %s', (_, count, write, expected) => {
    const s = one(write, { count })
    s.inval(0, 0)
    expect(said(s.judge().findings)).toEqual(expected)
  })
})

// ---------------------------------------------------------------- left over

describe('U1: what nobody observes', () => {
  const left = (complete: string, observed: number): string =>
    `U1 b@0 ends with completions that no wait has observed: ${complete} complete, ${String(observed)} observed`
  const half = 'U1 b@0 generation 0: 1 of 2 arrivals missing, and no wait waits for it'
  const rows: ReadonlyArray<readonly [string, number, (s: Script) => void, ReadonlyArray<string>]> = [
    ['nothing has happened', 1, () => undefined, []],
    ['a generation', 1, (s) => s.arrive(0, 0), [`${left('1 generation', 0)} | p@0 arrive b: completes b@0`]],
    [
      'its first arrival is named',
      2,
      (s) => [s.arrive(0, 0, { site: 'first' }), s.arrive(0, 0, { site: 'second' })],
      [`${left('1 generation', 0)} | p@0 first: completes b@0`],
    ],
    [
      'the second of two',
      1,
      (s) => [s.arrive(0, 0), s.wait(0, 0, 0), s.arrive(0, 0, { site: 'second' })],
      [`${left('2 generations', 1)} | p@0 second: completes b@0`],
    ],
    ['all observed', 1, (s) => [s.arrive(0, 0), s.wait(0, 0, 0)], []],
    [
      'a generation that is not complete',
      2,
      (s) => s.arrive(1, 0, { site: 'half' }),
      [`${half} | c@0 half: arrives`],
    ],
    [
      'one that is not complete behind one that is observed',
      2,
      (s) => [
        s.arrive(0, 0, { site: 'first' }),
        s.arrive(0, 0, { site: 'second' }),
        s.wait(0, 0, 0),
        s.arrive(1, 0, { site: 'half' }),
      ],
      [`${half.replace('generation 0', 'generation 1')} | c@0 half: arrives`],
    ],
    [
      'bytes alone',
      1,
      (s) => s.expect(0, 0, 16),
      [
        'U1 b@0 generation 0: 1 of 1 arrivals and 16 bytes missing, and no wait waits for it | p@0 expect b: expects 16 bytes',
      ],
    ],
    [
      'given up',
      1,
      (s) => [s.arrive(0, 0), s.inval(0, 0)],
      [`${left('1 generation', 0)} | p@0 inval: invalidates b@0`],
    ],
    [
      'given up half way',
      2,
      (s) => [s.arrive(0, 0), s.inval(0, 0)],
      [`${half} | p@0 inval: invalidates b@0`],
    ],
    ['given up when all is observed', 1, (s) => [s.arrive(0, 0), s.wait(0, 0, 0), s.inval(0, 0)], []],
    ['given up unused', 1, (s) => s.inval(0, 0), []],
  ]
  const pallas = { contract: 'pallas' } as const
  describe.each(rows)('%s', (_, count, write, expected) => {
    test('a note of a barrier of Pallas', () => {
      const j = one(write, { count, more: pallas }).judge()
      expect([said(j.notes), said(j.findings)]).toEqual([expected, []])
    })
    test('in a second life the same', () => {
      const j = one((s) => [again(s, count), write(s)], { count, more: pallas }).judge()
      expect([said(j.notes), said(j.findings)]).toEqual([expected, []])
    })
    test('nothing of any other', () => {
      const j = one(write, { count }).judge()
      expect(j.notes).toEqual([])
    })
    test('nothing where the run is stuck', () => {
      const s = one(write, { count, more: pallas })
      s.wait(2, 1, 0, { blocked: true })
      expect(s.judge().notes).toEqual([])
    })
  })
  test('one that has never lived leaves nothing', () => {
    expect(one(() => undefined, { bare: true, more: pallas }).judge().notes).toEqual([])
  })
  test('used again: a hazard, said once', () => {
    const j = one(
      (s) => {
        s.arrive(0, 0)
        s.inval(0, 0)
        s.init(0, 0, 1)
        s.inval(0, 0)
        s.init(0, 0, 1)
      },
      { more: pallas },
    ).judge()
    expect(said(j.findings)).toEqual([
      'U1 b@0 was invalidated with completions that no wait has observed, and its storage is used again | p@0 inval: invalidates b@0 | p@0 init: initialises it again',
    ])
    expect(j.notes).toEqual([])
  })
})

// ---------------------------------------------------------------- generations

describe('what a generation counts', () => {
  const rows: ReadonlyArray<readonly [string, number, (s: Script) => void, ReadonlyArray<string>]> = [
    [
      'arrivals of several at once, beyond what is pending',
      3,
      (s) => {
        arriveMany(s, 0, 2, 'two')
        arriveMany(s, 0, 2, 'two more')
        arriveMany(s, 0, 3, 'three more')
      },
      [
        // 2 came; 2 more are 4; 3 more are 7
        'B2 b@0: generation 0 counts 3 arrivals and 4 come before it is complete | p@0 two: arrives | p@0 two more: arrives',
        'B2 b@0: generation 0 counts 3 arrivals and 7 come before it is complete | p@0 two: arrives | p@0 three more: arrives',
      ],
    ],
    [
      'what was too many of one generation is not counted in the next',
      3,
      (s) => {
        arriveMany(s, 0, 2, 'two')
        arriveMany(s, 0, 2, 'two more')
        arriveMany(s, 0, 1, 'one')
        s.wait(0, 0, 0)
        arriveMany(s, 0, 4, 'four')
      },
      [
        'B2 b@0: generation 0 counts 3 arrivals and 4 come before it is complete | p@0 two: arrives | p@0 two more: arrives',
        'B2 b@0: generation 1 counts 3 arrivals and 4 come before it is complete | p@0 four: arrives | p@0 four: arrives',
      ],
    ],
    ['exactly as many', 3, (s) => arriveMany(s, 0, 3, 'three'), []],
    [
      'bytes are missing still, and the first event is bytes',
      1,
      (s) => [s.expect(0, 0, 16), s.arrive(0, 0), s.arrive(0, 0, { site: 'again' })],
      [
        'B2 b@0: generation 0 counts 1 arrivals and 2 come before it is complete (16 bytes are still missing) | p@0 expect b: expects 16 bytes | p@0 again: arrives',
      ],
    ],
    [
      'more arrivals than a phase can count',
      2 ** 20,
      (s) => s.arrive(1, 0),
      [
        'B2 b@0 is initialised for 1048576 arrivals: a phase has at most 1048575 | p@0 init: initialises b@0 | c@0 arrive b: arrives',
      ],
    ],
    ['bytes there are no arrival', 2 ** 20, (s) => s.expect(1, 0, 16), []],
    ['as many as a phase can count', 2 ** 20 - 1, (s) => s.arrive(1, 0), []],
    [
      'more bytes than it can count are not taken in',
      1,
      (s) => {
        s.expect(0, 0, 2 ** 20 - 1)
        s.expect(0, 0, 2)
        s.wait(0, 0, 1)
      },
      [
        'B4 b@0: the transaction count of generation 0 reaches 1048577, beyond 1048575 either way | p@0 expect b: expects 2 bytes',
      ],
    ],
    ['as many bytes as it can count', 1, (s) => s.expect(0, 0, 2 ** 20 - 1), []],
    [
      'bytes delivered that nobody expects, as many as it can count, and one more',
      1,
      (s) => {
        const op = s.issue(0, 'tmaLoad', 'load', 2)
        s.bytes(op, 0, 2 ** 20 - 1)
        s.bytes(op, 0, 1, 1)
      },
      [
        'B4 b@0: the transaction count of generation 0 reaches -1048576, beyond 1048575 either way | p@0 load: tmaLoad delivers 1 bytes',
      ],
    ],
  ]
  test.each(rows)('%s', (_, count, write, expected) => {
    const found = (s: Script): ReadonlyArray<string> =>
      said(s.judge().findings.filter((f) => f.id.startsWith('B')))
    expect(found(one(write, { count }))).toEqual(expected)
    if (count < 10) expect(found(one((s) => [again(s, count), write(s)], { count }))).toEqual(expected)
  })
  test('bytes that are not taken in are not missing', () => {
    const s = one((x) => {
      x.expect(0, 0, 2 ** 20 - 1)
      x.expect(0, 0, 1)
      x.arrive(0, 0)
      x.wait(1, 0, 0, { blocked: true })
    })
    expect(s.judge().deadlock.map((d) => d.waitsFor)).toEqual([
      'b@0 generation 0: all arrivals came, 1048575 bytes missing',
    ])
  })
})

// ---------------------------------------------------------------- conditions

describe('conditions: where they fail, in which words, between whom', () => {
  type Row = readonly [string, 'C3' | 'C4' | 'C6', number, (s: Script) => void, ReadonlyArray<string>, string]
  const asking =
    (by: number) =>
    (s: Script): void =>
      s.push(event(s, by, 'increment', 'ask'))
  const rows: ReadonlyArray<Row> = [
    [
      'arrivals of two generations',
      'C3',
      1,
      (s) => [s.arrive(0, 0, { bytes: 0 }), s.arrive(2, 0, { bytes: 16 })],
      [
        'B3 b@0: p@0 arrive b (generation 0) and d@0 arrive b (generation 1) can change places | p@0 arrive b: arrives | d@0 arrive b: arrives and expects 16 bytes',
      ],
      'd@0 is not ordered after p@0 arrive b',
    ],
    [
      'bytes of two generations',
      'C3',
      1,
      (s) => [s.arrive(0, 0), s.expect(2, 0, 16)],
      [
        'B3 b@0: p@0 arrive b (generation 0) and d@0 expect b (generation 1) can change places | p@0 arrive b: arrives | d@0 expect b: expects 16 bytes',
      ],
      'd@0 is not ordered after p@0 arrive b',
    ],
    [
      'a wait that is overrun',
      'C4',
      1,
      (s) => [s.arrive(0, 0), s.wait(1, 0, 0), s.arrive(0, 0, { site: 'next' })],
      [
        'B1 b@0: generation 1 can complete before c@0 wait b has seen generation 0 | c@0 wait b: waits for b@0 | p@0 next: arrives',
      ],
      'p@0 is not ordered after c@0 wait b',
    ],
    [
      'a wait that may pass earlier',
      'C4',
      1,
      (s) => [s.arrive(0, 0), s.wait(0, 0, 0), s.arrive(0, 0, { site: 'next' }), s.wait(1, 0, 1)],
      [
        'B3 b@0: c@0 wait b observed generation 1 and can also pass on generation -1 | p@0 arrive b: arrives | c@0 wait b: waits for b@0',
      ],
      'c@0 is not ordered after p@0 arrive b',
    ],
    [
      'bytes behind which nobody arrives: the first arrival of that generation is named',
      'C6',
      2,
      (s) => {
        s.expect(0, 0, 16)
        s.expect(1, 0, 0)
        s.arrive(1, 0, { site: 'one' })
        s.arrive(1, 0, { site: 'two' })
      },
      [
        'B4 b@0: no arrival of generation 0 is ordered after p@0 expect b, so the generation can complete without these bytes | p@0 expect b: expects bytes on b@0 | c@0 one: arrives',
      ],
      'c@0 is not ordered after p@0 expect b',
    ],
    [
      'an arrival asked for, behind which nobody arrives',
      'C6',
      1,
      (s) => [asking(0)(s), s.arrive(1, 0, { site: 'one' })],
      [
        'B4 b@0: no arrival of generation 0 is ordered after p@0 ask, so the generation can complete without the requested arrival | p@0 ask: asks for an arrival on b@0 | c@0 one: arrives',
      ],
      'c@0 is not ordered after p@0 ask',
    ],
  ]
  test.each(rows)('%s', (_, condition, count, write, expected, knew) => {
    for (const front of [() => undefined, (s: Script) => again(s, count)]) {
      const j = one((s) => [front(s), write(s)], { count }).judge()
      const failed = (['C3', 'C4', 'C6'] as const).filter((x) => !j.conditions[x].holds)
      const { findings, failures } = j.conditions[condition]
      expect([failed, said(findings), findings.map((f) => f.knew)]).toEqual([[condition], expected, [knew]])
      expect(failures).toEqual(findings.map((f) => `${f.id}: ${f.text}`))
    }
  })
  test.each<readonly [string, number, (s: Script) => void]>([
    ['bytes of a generation in which nobody arrives', 1, (s) => s.expect(0, 0, 16)],
    ['an arrival asked for, and nobody arrives', 1, asking(0)],
    ['bytes, and an arrival of the same agent', 2, (s) => [s.expect(0, 0, 16), s.arrive(0, 0)]],
    ['an arrival asked for, and one of the same agent', 2, (s) => [asking(0)(s), s.arrive(0, 0)]],
    [
      'bytes that are known to whoever arrives',
      2,
      (s) => [s.expect(0, 0, 16), s.sync(everybody), s.arrive(1, 0)],
    ],
    ['bytes known to one of two who arrive', 3, (s) => [s.expect(0, 0, 16), s.arrive(1, 0), s.arrive(0, 0)]],
  ])('C6 holds: %s', (_, count, write) => {
    expect(one(write, { count }).judge().conditions.C6).toEqual({ holds: true, failures: [], findings: [] })
  })
  test('what one generation asks for is nothing to the next', () => {
    const s = one((x) => {
      asking(0)(x)
      x.expect(0, 0, 0)
      arriveMany(x, 0, 2, 'both')
      x.wait(1, 0, 0)
      // knows all of it but for what comes now
      x.arrive(1, 0)
      x.wait(1, 0, 1)
      x.arrive(1, 0)
    })
    expect(s.judge().conditions.C6.holds).toBe(true)
  })
  test('the arrival that answers is none of those that have to know of the question', () => {
    const s = one(
      (x) => {
        const stamp = x.stamp(0, 'arrive when done')
        x.push({ ...event(x, 0, 'increment', 'unused'), stamp })
        x.push({
          _tag: 'issue',
          stamp,
          operation: 0,
          unit: 'cpAsync',
          bytes: 0,
          macs: 0,
          accumulates: false,
          signals: 1,
        })
        x.arrives(0, 0)
      },
      { count: 2 },
    )
    expect(s.judge().conditions.C6.holds).toBe(true)
    s.arrive(1, 0, { site: 'late' })
    expect(said(s.judge().conditions.C6.findings)).toEqual([
      'B4 b@0: no arrival of generation 0 is ordered after p@0 arrive when done, so the generation can complete without the requested arrival | p@0 arrive when done: asks for an arrival on b@0 | c@0 late: arrives',
    ])
  })
})

describe('B8: a barrier of Pallas, each generation observed by whoever waits', () => {
  const skips = (write: (s: Script) => void, contract: 'ptx' | 'pallas' = 'pallas'): ReadonlyArray<string> =>
    said(
      one(write, { more: { contract } })
        .judge()
        .notes.filter((f) => f.id === 'B8'),
    )
  /** p completes so many generations and observes each. */
  const complete = (s: Script, generations: number, from = 0): void => {
    for (let g = from; g < from + generations; g++) {
      s.arrive(0, 0)
      s.wait(0, 0, g % 2 === 0 ? 0 : 1)
    }
  }
  const skipped = (generation: number, skips: number): string =>
    `B8 b@0: c@0 observes generation ${String(generation)} and has skipped ${String(skips)} before it | c@0 look: waits for b@0`
  const look = (s: Script, parity: 0 | 1): void => s.wait(1, 0, parity, { site: 'look' })
  test.each<readonly [string, (s: Script) => void, ReadonlyArray<string>]>([
    ['the first', (s) => [complete(s, 1), look(s, 0)], []],
    ['the second first', (s) => [complete(s, 2), look(s, 1)], [skipped(1, 1)]],
    ['the third first', (s) => [complete(s, 3), look(s, 0)], [skipped(2, 2)]],
    [
      'the first and the third',
      (s) => [complete(s, 1), look(s, 0), complete(s, 2, 1), look(s, 0)],
      [skipped(2, 1)],
    ],
    [
      'the first twice, and the second',
      (s) => [complete(s, 1), look(s, 0), look(s, 0), complete(s, 1, 1), look(s, 1)],
      [],
    ],
    ['a fresh one, and the first', (s) => [look(s, 1), complete(s, 1), look(s, 0)], []],
  ])('%s', (_, write, expected) => {
    expect(skips(write)).toEqual(expected)
    expect(skips((s) => [again(s), write(s)])).toEqual(expected)
    expect(skips(write, 'ptx')).toEqual([])
  })
})

describe('B8: the last generations of a barrier of Pallas', () => {
  const others = ['p@0', 'c@0', 'w0@0', 'w1@0', 'w2@0', 'w3@0']
  /** c is warps 0 to 3, and w0 to w3 are its warps; p is another thread. */
  const parts: NonNullable<World['warps']> = [
    [4, 4],
    [0, 4],
    [0, 1],
    [1, 1],
    [2, 1],
    [3, 1],
  ]
  const warps = [2, 3, 4, 5]
  const skips = (
    write: (s: Script) => void,
    more: Partial<BarrierSpec> = { contract: 'pallas' },
    partsOf: World['warps'] | null = parts,
  ): ReadonlyArray<string> => {
    const s = script({
      agents: others,
      barriers: [{ name: 'b', count: 1, ...more }],
      ...(partsOf === null || partsOf === undefined ? {} : { warps: partsOf }),
    })
    write(s)
    return said(s.judge().notes.filter((f) => f.id === 'B8'))
  }
  /** p completes generation g and looks at it, and so do these. */
  const generation = (s: Script, g: number, ...agents: ReadonlyArray<number>): void => {
    s.arrive(0, 0)
    for (const x of [0, ...agents]) s.wait(x, 0, (g & 1) === 0 ? 0 : 1, { site: 'look' })
    s.sync([0, 1, 2, 3, 4, 5])
  }
  const misses = (who: string, first: number, more = 0): string =>
    `B8 b@0: ${who} ends without having observed generation ${String(first)}${more === 0 ? '' : ` and ${String(more)} after it`}, which others have | ${who} look: waits for b@0`
  const stories: ReadonlyArray<readonly [string, (s: Script) => void, ReadonlyArray<string>]> = [
    ['all seen', (s) => [generation(s, 0, 1), generation(s, 1, 1)], []],
    ['the last one missed', (s) => [generation(s, 0, 1), generation(s, 1)], [misses('c@0', 1)]],
    [
      'the last two missed',
      (s) => [generation(s, 0, 1), generation(s, 1), generation(s, 2)],
      [misses('c@0', 1, 1)],
    ],
    ['an agent that never waits', (s) => [generation(s, 0), generation(s, 1)], []],
    [
      'one that has waited on the fresh barrier waits, too',
      (s) => [s.wait(1, 0, 1, { site: 'look' }), generation(s, 0)],
      [misses('c@0', 0)],
    ],
    ['what no wait has seen is U1', (s) => [generation(s, 0, 1), s.arrive(0, 0)], []],
    ['its four warps see the last one', (s) => [generation(s, 0, 1), generation(s, 1, ...warps)], []],
    [
      'its four warps see the first one, it the second, they the third',
      (s) => [generation(s, 0, ...warps), generation(s, 1, 1), generation(s, 2, ...warps)],
      [],
    ],
    ['one warp waits for all of them', (s) => [generation(s, 0, 2), generation(s, 1, 2)], []],
    [
      'three of its warps see the last one',
      (s) => [generation(s, 0, 1), generation(s, 1, 2, 3, 4)],
      [misses('c@0', 1)],
    ],
    [
      'one of its warps misses the last one',
      (s) => [generation(s, 0, ...warps), generation(s, 1, 2, 3, 4)],
      [misses('w3@0', 1)],
    ],
    [
      'where its warps did not all see the first, it skips it',
      (s) => [generation(s, 0, 2, 3, 4), generation(s, 1, 1)],
      ['B8 b@0: c@0 observes generation 1 and has skipped 1 before it | c@0 look: waits for b@0'],
    ],
  ]
  test.each(stories)('%s', (_, write, expected) => {
    expect(skips(write)).toEqual(expected)
    expect(skips((s) => [write(s), s.inval(0, 0)])).toEqual(expected)
    expect(
      skips((s) => {
        generation(s, 0, 1, ...warps)
        s.inval(0, 0)
        s.init(0, 0, 1)
        s.sync([0, 1, 2, 3, 4, 5])
        write(s)
      }),
    ).toEqual(expected)
    expect(skips(write, {})).toEqual([])
  })
  test('an agent of which the log does not say the warps stands for itself', () => {
    expect(skips((s) => [generation(s, 0, ...warps), generation(s, 1, 1)], undefined, null)).toEqual([
      'B8 b@0: c@0 observes generation 1 and has skipped 1 before it | c@0 look: waits for b@0',
      ...['w0@0', 'w1@0', 'w2@0', 'w3@0'].map((w) => misses(w, 1)),
    ])
  })
  test('a wait of a thread whose warps have seen the generation before is for the one after it', () => {
    const s = script({
      agents: others,
      barriers: [{ name: 'b', count: 1, contract: 'pallas' }],
      warps: parts!,
    })
    generation(s, 0, ...warps)
    s.wait(1, 0, 1, { blocked: true })
    expect(s.judge().findings.map((f) => f.id)).toEqual(['B5'])
  })
})

// ---------------------------------------------------------------- questions

const extent = { agents: 2, barriers: 1 }
const state = (over: Partial<BarrierState>): BarrierState => ({
  ...barrierState(extent, 0),
  live: true,
  count: 1,
  pending: 1,
  ...over,
})

describe('why a wait is never satisfied', () => {
  const seen = (generations: number): Int32Array => Int32Array.of(generations, 0)
  test.each<readonly [string, Partial<BarrierState>, 0 | 1, boolean, 'B1' | 'B4' | 'B5' | 'B6' | 'B7']>([
    ['arrivals came, bytes are missing', { pending: 0, bytes: 16 }, 0, false, 'B4'],
    ['arrivals came, bytes too many', { pending: 0, bytes: -16 }, 0, true, 'B4'],
    ['nothing is counted any more, and nothing is missing', { count: 0, pending: 0 }, 0, false, 'B5'],
    ['arrivals and bytes are missing', { bytes: 16 }, 0, false, 'B5'],
    ['an object that is no more', { live: false, pending: 0, bytes: 16 }, 0, false, 'B7'],
    [
      'the same, whatever its last life was like',
      { live: false, number: 2, observed: seen(0) },
      0,
      false,
      'B7',
    ],
    ['one that has never been there, and nothing was done', { live: false }, 0, true, 'B7'],
    ['nobody came, nothing was done', {}, 0, true, 'B6'],
    ['nobody came, something was done', {}, 0, false, 'B5'],
    ['nothing was done, and some came', { current: { ...generation(extent), arrivals: 1 } }, 0, true, 'B5'],
    ['nothing was done, in a later generation', { number: 1, observed: seen(1) }, 1, true, 'B5'],
    [
      'nothing was done, in the first of a later life',
      { number: 3, base: 3, observed: seen(3) },
      0,
      true,
      'B6',
    ],
    [
      'the first is over, and the one after it under way: its parity again',
      { number: 2, observed: seen(0) },
      0,
      false,
      'B1',
    ],
    ['a later one is over in the same way', { number: 4, observed: seen(2) }, 0, false, 'B1'],
    ['an odd one', { number: 3, observed: seen(1) }, 1, false, 'B1'],
    [
      'the first is over, and the other parity is waited for: it began wrong',
      { number: 1, observed: seen(0) },
      1,
      false,
      'B6',
    ],
    [
      'a later one is over, and the other parity is waited for',
      { number: 2, observed: seen(1) },
      0,
      false,
      'B5',
    ],
    ['what it wants is under way', { number: 1, observed: seen(1) }, 1, false, 'B5'],
    ['the same in a later life', { number: 5, base: 3, observed: seen(3) }, 0, false, 'B1'],
    ['and its first parity wrong', { number: 4, base: 3, observed: seen(3) }, 1, false, 'B6'],
  ])('%s', (_, over, parity, nothingDone, id) => {
    const b = state(over)
    expect(deadlockId(b, b.observed[0]! - b.base, parity, nothingDone)).toBe(id)
  })
})

describe('is something left over?', () => {
  test.each<readonly [string, Partial<BarrierState>, boolean]>([
    ['nothing', {}, false],
    ['a generation', { number: 1 }, true],
    ['one that somebody observed', { number: 1, observedByAny: 1 }, false],
    ['arrivals', { current: { ...generation(extent), arrivals: 1 } }, true],
    ['bytes that are missing', { bytes: 16 }, true],
    ['bytes too many', { bytes: -16 }, true],
    ['whatever it was, of an object that is no more', { live: false, number: 1, bytes: 16 }, false],
  ])('%s', (_, over, expected) => {
    expect(isUnobserved(state(over))).toBe(expected)
  })
})

test('who completed the last generation: its last arrival that counts', () => {
  const event = (at: number, counted: boolean): Parameters<typeof contribute>[1] => ({
    clock: 0,
    at,
    counted,
    offset: false,
    announces: false,
    stamp: { agent: 0, at, site: 0, iteration: [] },
    does: 'arrives',
  })
  const of = (...events: ReadonlyArray<Parameters<typeof contribute>[1]>): number | undefined => {
    const last = generation(extent)
    for (const e of events) contribute(last, e, rowOf([]))
    return lastArrival(state({ last }))?.at
  }
  expect(of(event(1, true), event(2, true), event(3, false))).toBe(2)
  expect(of(event(1, false))).toBe(undefined)
  expect(lastArrival(state({}))).toBe(undefined)
})

test.each<readonly [string, Partial<BarrierState>, boolean]>([
  ['none has come', { count: 2, pending: 2 }, false],
  ['one of two has come', { count: 2, pending: 1 }, true],
  ['all have come, and bytes are missing', { count: 2, pending: 0, bytes: 16 }, false],
  ['the object is no more', { count: 2, pending: 1, live: false }, false],
])('is a count reached in part? %s', (_, over, expected) => {
  expect(isPartly(state(over))).toBe(expected)
})
