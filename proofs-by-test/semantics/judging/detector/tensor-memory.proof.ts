/**
 * Tensor memory that is allocated and freed: logs by hand, and what is found in each, as `id first / second` or `id only`; notes in brackets.
 *
 * All of it is initialised, so that a read is never one of nothing. Agents p and c are in CTA 0, q is in CTA 1.
 */
import { describe, expect, test } from 'vitest'
import type { Options } from '../../../../src/semantics/judging/detector/index.js'
import type { Finding } from '../../../../src/semantics/judging/finding.js'
import type { Footprint } from '../../../../src/semantics/log/events.js'
import { script, type Script } from './script.js'
import { asSpans } from '../../../../src/semantics/log/events.js'

const [p, c, q] = [0, 1, 2]
const everybody = [p, c, q]

const change =
  (tag: 'alloc' | 'dealloc') =>
  (
    s: Script,
    agent: number,
    place: string,
    o: { readonly pair?: boolean; readonly site?: string } = {},
  ): void => {
    const e = { stamp: s.stamp(agent, o.site ?? `${tag} ${place}`), footprint: s.footprint(place) }
    s.push(o.pair === true ? { _tag: tag, ...e, ctaGroup: 2 } : { _tag: tag, ...e })
  }
const alloc = change('alloc')
const dealloc = change('dealloc')
const meet = (s: Script, ...agents: ReadonlyArray<number>): void => s.sync(agents, 20)

const judged = (run: (s: Script) => void, options: Partial<Options> = {}): ReturnType<Script['judge']> => {
  const s = script({ agents: ['p@0', 'c@0', 'q@1'], barriers: [], bare: true })
  run(s)
  return s.judge(options)
}
const show = (f: Finding): string =>
  `${f.id} ${[f.a, f.b].flatMap((o) => (o === undefined ? [] : [o.site])).join(' / ')}`
const found = (run: (s: Script) => void, options: Partial<Options> = {}): ReadonlyArray<string> => {
  const j = judged(run, options)
  return [...j.findings.map(show), ...j.notes.map((f) => `(${show(f)})`)]
}
type Row = readonly [what: string, run: (s: Script) => void, found: ReadonlyArray<string>, strict?: boolean]
const rows = (all: ReadonlyArray<Row>): void => {
  for (const [what, run, expected, strict] of all)
    test(what, () => {
      expect(found(run, { strict: strict ?? false })).toEqual(expected)
    })
}
/** An allocation of columns by p, something with them, and the dealloc when everybody is done. */
const within =
  (run: (s: Script) => void) =>
  (s: Script): void => {
    alloc(s, p, 't0 0-4')
    run(s)
    meet(s, ...everybody)
    dealloc(s, p, 't0 0-4')
  }
const load = (s: Script, agent: number, place: string): number => {
  const op = s.issue(agent, 'tcgen05Ld', 'ld')
  s.perform(op, [place], [])
  return op
}
/** A load, and something that needs its registers. */
const used = (s: Script, agent: number, place: string): void => {
  load(s, agent, place)
  s.awaits(agent, 'tcgen05Ld', 0, true)
}

describe('D4: whoever uses or frees the columns is ordered after the allocation', () => {
  rows([
    ['a use that is', within((s) => (meet(s, p, c), s.r(c, 't0 0'))), []],
    ['by the agent itself', within((s) => s.w(p, 't0 0')), []],
    ['a use that is not', within((s) => s.r(c, 't0 0')), ['D4 alloc t0 0-4 / read t0 0']],
    ['of its last bytes', within((s) => s.r(c, 't0 3')), ['D4 alloc t0 0-4 / read t0 3']],
    ['of other columns', within((s) => s.r(c, 't0 4')), []],
    ['of another memory', within((s) => s.r(c, 's0 0')), []],
    ['of the other CTA’s', within((s) => s.r(q, 't1 0')), []],
    [
      'of two allocations the one that is not known',
      (s) => {
        alloc(s, p, 't0 0-4')
        meet(s, p, c)
        alloc(s, p, 't0 4-8')
        s.r(c, 't0 0')
        s.r(c, 't0 4')
        meet(s, p, c)
        dealloc(s, p, 't0 0-4')
        dealloc(s, p, 't0 4-8')
      },
      ['D4 alloc t0 4-8 / read t0 4'],
    ],
    [
      'an operation acts with what its issuer knew',
      within((s) => {
        const op = s.issue(c, 'tcgen05Ld', 'ld')
        meet(s, p, c)
        s.perform(op, ['t0 0'], [])
        s.awaits(c, 'tcgen05Ld', 0)
      }),
      ['D4 alloc t0 0-4 / ld'],
    ],
    [
      'a dealloc that is not',
      (s) => {
        alloc(s, p, 't0 0-4')
        dealloc(s, c, 't0 0-4')
      },
      ['D4 alloc t0 0-4 / dealloc t0 0-4'],
    ],
    [
      'a dealloc that is',
      (s) => {
        alloc(s, p, 't0 0-4')
        meet(s, p, c)
        dealloc(s, c, 't0 0-4')
      },
      [],
    ],
  ])
  test('it says which bytes, and what was known', () => {
    const [f] = judged(within((s) => (meet(s, p, c), alloc(s, p, 't0 8-10'), s.r(c, 't0 9-11')))).findings
    // the first allocation is p's event 1, meeting its events 2 and 3
    expect([f?.place, f?.knew]).toEqual([
      { plane: 'tmem@0', spans: [[144, 160]] },
      'c@0 has synchronised with p@0 only up to event 2, before the allocation (event 4)',
    ])
  })
})

describe('U2, or M3 of a load: whoever frees the columns is ordered after their uses', () => {
  const use =
    (run: (s: Script) => void, ...known: ReadonlyArray<number>) =>
    (s: Script): void => {
      alloc(s, p, 't0 0-4')
      meet(s, ...everybody)
      run(s)
      if (known.length > 0) meet(s, ...known)
      dealloc(s, p, 't0 0-4')
    }
  rows([
    ['a read that is not known', use((s) => s.r(c, 't0 0')), ['U2 read t0 0 / dealloc t0 0-4']],
    ['a write that is not known', use((s) => s.w(c, 't0 0')), ['U2 write t0 0 / dealloc t0 0-4']],
    ['known', use((s) => s.r(c, 't0 0'), p, c), []],
    ['of other columns', use((s) => s.r(c, 't0 4')), []],
    [
      'a load whose agent has not been heard of since',
      use((s) => load(s, c, 't0 0')),
      ['M3 ld / dealloc t0 0-4'],
    ],
    // c may go on without what it loads
    ['a load whose agent has gone on', use((s) => load(s, c, 't0 0'), p, c), ['M3 ld / dealloc t0 0-4']],
    // the register dependence
    ['a load whose registers are used', use((s) => used(s, c, 't0 0'), p, c), ['(M3 ld / dealloc t0 0-4)']],
    ['a use that is not known', use((s) => used(s, c, 't0 0')), ['M3 ld / dealloc t0 0-4']],
    ['the same, strictly', use((s) => used(s, c, 't0 0'), p, c), ['M3 ld / dealloc t0 0-4'], true],
    [
      'of two loads the second is not used',
      use((s) => (used(s, c, 't0 0'), load(s, c, 't0 0')), p, c),
      ['M3 ld / dealloc t0 0-4'],
    ],
    ['waited for', use((s) => (load(s, c, 't0 0'), s.awaits(c, 'tcgen05Ld', 0)), p, c), [], true],
    [
      'a store whose agent has gone on is not excused',
      use((s) => s.perform(s.issue(c, 'tcgen05St', 'st'), [], ['t0 0']), p, c),
      ['U2 st / dealloc t0 0-4'],
    ],
  ])
})

describe('U2, or M3 of a load: an operation that was issued without knowing of the dealloc, and acts after it', () => {
  const late =
    (
      place: string,
      o: {
        readonly told?: boolean
        readonly unit?: 'tcgen05Ld' | 'tcgen05St'
        readonly goesOn?: boolean
      } = {},
    ) =>
    (s: Script): void => {
      alloc(s, p, 't0 0-4')
      meet(s, ...everybody)
      const issue = (): number => s.issue(c, o.unit ?? 'tcgen05Ld', 'late')
      const early = o.told === true ? undefined : issue()
      if (o.goesOn === true) {
        s.arrive(c, 0)
        s.wait(p, 0, 0)
      }
      dealloc(s, p, 't0 0-4')
      if (o.told === true) meet(s, p, c)
      s.perform(early ?? issue(), [place], [])
    }
  const withBarrier = (run: (s: Script) => void, strict = false): ReadonlyArray<string> => {
    const s = script({ agents: ['p@0', 'c@0', 'q@1'], barriers: [{ name: 'b', count: 1 }] })
    run(s)
    const j = s.judge({ strict })
    return [...j.findings.map(show), ...j.notes.map((f) => `(${show(f)})`)]
  }
  const cases: ReadonlyArray<Row> = [
    ['it does', late('t0 0'), ['M3 late / dealloc t0 0-4']],
    ['its issuer knew', late('t0 0', { told: true }), []],
    ['in other columns', late('t0 4'), []],
    ['in another memory', late('t1 0'), []],
    ['a load whose agent has gone on', late('t0 0', { goesOn: true }), ['M3 late / dealloc t0 0-4']],
    ['the same, strictly', late('t0 0', { goesOn: true }), ['M3 late / dealloc t0 0-4'], true],
    ['a store', late('t0 0', { goesOn: true, unit: 'tcgen05St' }), ['U2 late / dealloc t0 0-4']],
  ]
  for (const [what, run, expected, strict] of cases)
    test(what, () => {
      expect(withBarrier(run, strict)).toEqual(expected)
    })
  test('what the freeing agent hears later does not excuse a load', () => {
    const hears = (pair: boolean): ReadonlyArray<string> =>
      withBarrier((s) => {
        const [issuer, place] = pair ? [q, 't1 0'] : [c, 't0 0']
        meet(s, ...everybody)
        alloc(s, p, 't0 0-4', { pair })
        if (pair) alloc(s, q, 't1 0-4', { pair })
        meet(s, ...everybody)
        const op = s.issue(issuer, 'tcgen05Ld', 'late')
        dealloc(s, p, 't0 0-4', { pair })
        s.arrive(issuer, 0)
        s.wait(p, 0, 0)
        s.perform(op, [place], [])
        s.awaits(issuer, 'tcgen05Ld', 0)
        if (pair) dealloc(s, q, 't1 0-4', { pair })
        // CTA 0 lives until q's arrive has come, and q's allocation is freed in order
        meet(s, ...everybody)
      })
    expect(hears(false)).toEqual(['M3 late / dealloc t0 0-4'])
    expect(hears(true)).toEqual(['M3 late / dealloc t0 0-4'])
  })
  test('it says which bytes', () => {
    const [f] = judged(late('t0 3-5')).findings
    expect(f?.place).toEqual({ plane: 'tmem@0', spans: [[48, 64]] })
  })
})

describe('T1 and T2: freed once', () => {
  rows([
    ['never', (s) => alloc(s, p, 't0 0-4'), ['T1 alloc t0 0-4']],
    [
      'of two the first',
      (s) => (alloc(s, p, 't0 0-4'), alloc(s, p, 't0 4-8'), dealloc(s, p, 't0 0-4')),
      ['T1 alloc t0 4-8'],
    ],
    [
      'of two the second',
      (s) => (alloc(s, p, 't0 0-4'), alloc(s, p, 't0 4-8'), dealloc(s, p, 't0 4-8')),
      ['T1 alloc t0 0-4'],
    ],
    [
      'twice',
      (s) => (alloc(s, p, 't0 0-4'), dealloc(s, p, 't0 0-4'), dealloc(s, p, 't0 0-4', { site: 'again' })),
      ['T2 dealloc t0 0-4 / again'],
    ],
    [
      'twice, others being allocated',
      (s) => {
        alloc(s, p, 't0 4-8')
        alloc(s, p, 't0 0-4')
        dealloc(s, p, 't0 0-4')
        dealloc(s, p, 't0 0-4', { site: 'again' })
        dealloc(s, p, 't0 4-8')
      },
      ['T2 dealloc t0 0-4 / again'],
    ],
    [
      'allocated again in between',
      (s) => {
        for (const site of ['first', 'second']) {
          alloc(s, p, 't0 0-4', { site })
          dealloc(s, p, 't0 0-4', { site })
        }
      },
      [],
    ],
    [
      'allocated again and kept',
      (s) => {
        alloc(s, p, 't0 0-4', { site: 'first' })
        dealloc(s, p, 't0 0-4')
        alloc(s, p, 't0 0-4', { site: 'second' })
      },
      ['T1 second'],
    ],
    ['a log that says nothing of the allocation', (s) => dealloc(s, p, 't0 0-4'), []],
    [
      'an allocation ends with its cluster, and so does what is known of it',
      (s) => {
        s.cluster(1)
        alloc(s, p, 't0 0-4')
        alloc(s, p, 't0 4-8')
        dealloc(s, p, 't0 4-8')
        s.cluster(2)
        s.r(c, 't0 0')
        s.r(c, 't0 4')
        dealloc(s, c, 't0 4-8')
      },
      ['T1 alloc t0 0-4'],
    ],
  ])
})

describe('C5: the order of the steps decides which columns there are', () => {
  const relinquish = (s: Script, agent: number): void =>
    s.push({ _tag: 'relinquish', stamp: s.stamp(agent, 'relinquish') })
  type Steps = (s: Script) => void
  const both: Steps = (s) => {
    alloc(s, p, 't0 0-4')
    meet(s, p, c)
    alloc(s, c, 't0 4-8')
    meet(s, p, c)
  }
  const freed: Steps = (s) => {
    meet(s, p, c)
    dealloc(s, p, 't0 0-4')
    meet(s, p, c)
    dealloc(s, c, 't0 4-8')
  }
  const table: ReadonlyArray<readonly [what: string, run: Steps, unordered: ReadonlyArray<string>]> = [
    ['in the order of meetings', (s) => (both(s), freed(s)), []],
    [
      'two allocations',
      (s) => {
        alloc(s, p, 't0 0-4')
        alloc(s, c, 't0 4-8')
        freed(s)
      },
      ['p@0 alloc t0 0-4 (alloc) and c@0 alloc t0 4-8 (alloc)'],
    ],
    [
      'each frees its own',
      (s) => {
        both(s)
        dealloc(s, p, 't0 0-4')
        dealloc(s, c, 't0 4-8')
      },
      [],
    ],
    [
      'one of them frees what the other has allocated',
      (s) => {
        both(s)
        alloc(s, p, 't0 8-12')
        meet(s, p, c)
        dealloc(s, p, 't0 0-4')
        dealloc(s, c, 't0 8-12')
        dealloc(s, c, 't0 4-8')
      },
      ['p@0 dealloc t0 0-4 (dealloc) and c@0 dealloc t0 8-12 (dealloc)'],
    ],
    [
      'an allocation where another agent frees',
      (s) => {
        both(s)
        dealloc(s, p, 't0 0-4')
        alloc(s, c, 't0 8-10')
        meet(s, p, c)
        dealloc(s, c, 't0 4-8')
        dealloc(s, c, 't0 8-10')
      },
      ['p@0 dealloc t0 0-4 (dealloc) and c@0 alloc t0 8-10 (alloc)'],
    ],
    [
      'the second dealloc of one agent stands for the first',
      (s) => {
        both(s)
        alloc(s, p, 't0 8-12')
        meet(s, p, c)
        dealloc(s, p, 't0 0-4')
        dealloc(s, p, 't0 8-12')
        meet(s, p, c)
        alloc(s, c, 't0 0-2')
        dealloc(s, c, 't0 0-2')
        dealloc(s, c, 't0 4-8')
      },
      [],
    ],
    [
      'the second dealloc does not stand for a first of other columns',
      (s) => {
        both(s)
        alloc(s, p, 't0 8-12')
        alloc(s, p, 't0 16-24')
        meet(s, p, c)
        dealloc(s, p, 't0 0-4')
        dealloc(s, p, 't0 16-24')
        dealloc(s, c, 't0 8-12')
        dealloc(s, c, 't0 4-8')
      },
      ['p@0 dealloc t0 0-4 (dealloc) and c@0 dealloc t0 8-12 (dealloc)'],
    ],
    [
      'a promise that the other does not know',
      (s) => {
        alloc(s, p, 't0 0-4')
        relinquish(s, c)
        dealloc(s, p, 't0 0-4')
      },
      ['p@0 alloc t0 0-4 (alloc) and c@0 relinquish (relinquish)'],
    ],
    [
      'a promise that knows the allocations, and a dealloc beside it',
      (s) => {
        alloc(s, p, 't0 0-4')
        meet(s, p, c)
        relinquish(s, c)
        dealloc(s, p, 't0 0-4')
      },
      [],
    ],
    [
      'in another CTA',
      (s) => {
        alloc(s, p, 't0 0-4')
        alloc(s, q, 't1 0-4')
        dealloc(s, q, 't1 0-4')
        dealloc(s, p, 't0 0-4')
      },
      [],
    ],
  ]
  test.each(table)('%s', (_, run, unordered) => {
    const { conditions, candidates } = judged(run)
    expect(conditions.C5.failures).toEqual(
      unordered.map((pair) => `allocation in CTA 0 depends on the schedule: ${pair} are not ordered`),
    )
    expect(candidates).toBe(unordered.length > 0)
  })
})

describe('T4 and T5: the CTAs of a pair take the same steps', () => {
  const pair = { pair: true }
  const both = (s: Script, tag: typeof alloc, slots: string): void => {
    tag(s, p, `t0 ${slots}`, pair)
    tag(s, q, `t1 ${slots}`, pair)
  }
  /** They have told one another that they run. */
  const started =
    (run: (s: Script) => void) =>
    (s: Script): void => {
      meet(s, ...everybody)
      run(s)
    }
  const startedRows = (all: ReadonlyArray<Row>): void => {
    rows(all.map(([what, run, expected]) => [what, started(run), expected]))
  }
  startedRows([
    [
      'both allocate and free',
      (s) => (both(s, alloc, '0-4'), meet(s, ...everybody), both(s, dealloc, '0-4')),
      [],
    ],
    [
      'as many columns, of other places',
      (s) => {
        alloc(s, p, 't0 0-4', pair)
        alloc(s, q, 't1 4-8', pair)
        meet(s, ...everybody)
        dealloc(s, p, 't0 0-4', pair)
        dealloc(s, q, 't1 4-8', pair)
      },
      [],
    ],
    [
      'other numbers of columns',
      (s) => {
        alloc(s, p, 't0 0-4', pair)
        alloc(s, q, 't1 0-2', pair)
        meet(s, ...everybody)
        dealloc(s, p, 't0 0-4', pair)
        dealloc(s, q, 't1 0-2', pair)
      },
      ['T4 alloc t0 0-4 / alloc t1 0-2', 'T4 dealloc t0 0-4 / dealloc t1 0-2'],
    ],
    [
      'other numbers of columns, not of a pair',
      (s) => {
        alloc(s, p, 't0 0-4')
        alloc(s, q, 't1 0-2')
        dealloc(s, p, 't0 0-4')
        dealloc(s, q, 't1 0-2')
      },
      [],
    ],
    [
      'one frees what the other allocates',
      (s) => {
        both(s, alloc, '0-4')
        meet(s, ...everybody)
        dealloc(s, p, 't0 0-4', pair)
        alloc(s, q, 't1 8-12', pair)
        meet(s, ...everybody)
        dealloc(s, q, 't1 0-4')
        dealloc(s, q, 't1 8-12')
      },
      ['T4 dealloc t0 0-4 / alloc t1 8-12'],
    ],
    [
      'the worked one of the header',
      (s) => {
        alloc(s, p, 't0 0-8', pair)
        alloc(s, q, 't1 0-8', pair)
        alloc(s, p, 't0 8-12', pair)
        alloc(s, q, 't1 8-10', pair)
        meet(s, ...everybody)
        dealloc(s, p, 't0 8-12', pair)
        dealloc(s, p, 't0 0-8', pair)
      },
      [
        'T4 alloc t0 8-12 / alloc t1 8-10',
        'T5 dealloc t0 8-12 / alloc t1 8-10',
        'T5 dealloc t0 0-8 / alloc t1 8-10',
      ],
    ],
    [
      'the other never takes part',
      (s) => (alloc(s, p, 't0 0-4', pair), dealloc(s, p, 't0 0-4', pair)),
      ['T4 alloc t0 0-4', 'T5 dealloc t0 0-4'],
    ],
    [
      'the odd one alone',
      (s) => (alloc(s, q, 't1 0-4', pair), dealloc(s, q, 't1 0-4', pair)),
      ['T4 alloc t1 0-4', 'T5 dealloc t1 0-4'],
    ],
    // what is freed for both is no leak of the other
    [
      'the other exits before the dealloc',
      (s) => (both(s, alloc, '0-4'), meet(s, ...everybody), dealloc(s, p, 't0 0-4', pair)),
      ['T5 dealloc t0 0-4 / alloc t1 0-4'],
    ],
    ['neither frees', (s) => both(s, alloc, '0-4'), ['T1 alloc t0 0-4', 'T1 alloc t1 0-4']],
    [
      'steps are those of one cluster',
      (s) => {
        s.cluster(1)
        meet(s, ...everybody)
        alloc(s, p, 't0 0-4', pair)
        s.cluster(2)
        meet(s, ...everybody)
        alloc(s, q, 't1 0-4', pair)
      },
      ['T4 alloc t0 0-4', 'T1 alloc t0 0-4', 'T4 alloc t1 0-4', 'T1 alloc t1 0-4'],
    ],
  ])
  test('what one of them frees, both have freed: a dealloc comes after the uses of both', () => {
    const uses = (known: boolean, first: 'p' | 'q', slot: string): ReadonlyArray<string> =>
      found((s) => {
        meet(s, ...everybody)
        both(s, alloc, '0-4')
        both(s, alloc, '4-8')
        meet(s, ...everybody)
        s.r(q, `t1 ${slot}`)
        if (known) meet(s, ...everybody)
        const [one, two] = first === 'p' ? [p, q] : [q, p]
        dealloc(s, one, `t${one === p ? '0' : '1'} 0-4`, pair)
        dealloc(s, two, `t${two === p ? '0' : '1'} 0-4`, pair)
        meet(s, ...everybody)
        both(s, dealloc, '4-8')
      })
    expect(uses(true, 'p', '0')).toEqual([])
    expect(uses(false, 'p', '0')).toEqual(['U2 read t1 0 / dealloc t0 0-4'])
    // the other's part is found when it is gone already
    expect(uses(false, 'q', '0')).toEqual(['U2 read t1 0 / dealloc t0 0-4'])
    expect(uses(false, 'p', '4')).toEqual([])
    expect(uses(false, 'q', '4')).toEqual([])
  })
  test('also when other columns have been freed before', () => {
    expect(
      found((s) => {
        meet(s, ...everybody)
        both(s, alloc, '0-4')
        both(s, alloc, '4-8')
        meet(s, ...everybody)
        both(s, dealloc, '4-8')
        s.r(q, 't1 0')
        dealloc(s, q, 't1 0-4', pair)
        dealloc(s, p, 't0 0-4', pair)
      }),
    ).toEqual(['U2 read t1 0 / dealloc t0 0-4'])
  })
  test('the numbers of columns are told: all lanes of them, four bytes each', () => {
    const wide = (s: Script, place: string, columns: number): Footprint => ({
      ...s.footprint(place),
      spans: asSpans(Int32Array.from({ length: 256 }, (_, i) => (i >> 1) * 2048 + (i & 1) * 4 * columns)),
    })
    const j = judged((s) => {
      const step = (tag: 'alloc' | 'dealloc', agent: number, place: string, columns: number): void =>
        s.push({ _tag: tag, stamp: s.stamp(agent, tag), footprint: wide(s, place, columns), ctaGroup: 2 })
      step('alloc', p, 't0 0', 32)
      step('alloc', q, 't1 0', 64)
      step('dealloc', q, 't1 0', 64)
      step('alloc', q, 't1 1', 128)
    })
    expect(j.findings.filter((f) => f.id !== 'T1' && f.id !== 'K4').map((f) => f.text)).toEqual([
      'the CTAs of a pair take different steps: alloc of 32 columns and alloc of 64 columns',
      'CTA 0 exits before its part in the dealloc of 64 columns',
      'CTA 0 never takes part in the alloc of 128 columns',
    ])
  })
  test('not of a pair: its own columns alone', () => {
    expect(
      found((s) => {
        alloc(s, p, 't0 0-4')
        alloc(s, q, 't1 0-4')
        s.r(q, 't1 0')
        dealloc(s, p, 't0 0-4')
        dealloc(s, q, 't1 0-4')
      }),
    ).toEqual([])
  })
  test('what acts in the other CTA after the dealloc is not over', () => {
    expect(
      found((s) => {
        meet(s, ...everybody)
        both(s, alloc, '0-4')
        meet(s, ...everybody)
        dealloc(s, p, 't0 0-4', pair)
        s.r(q, 't1 0', 'late')
        dealloc(s, q, 't1 0-4', pair)
      }),
    ).toEqual(['U2 late / dealloc t0 0-4'])
  })
})

describe('K4: what the other CTA of a pair has not started, or allocated', () => {
  const pair = { pair: true }
  const all = (s: Script): void => meet(s, ...everybody)
  const steps =
    (start: boolean, between: boolean, late: boolean = false) =>
    (s: Script): void => {
      if (start) all(s)
      alloc(s, p, 't0 0-4', pair)
      if (!late) alloc(s, q, 't1 0-4', pair)
      if (between) all(s)
      dealloc(s, p, 't0 0-4', pair)
      if (late) alloc(s, q, 't1 0-4', pair)
      dealloc(s, q, 't1 0-4', pair)
    }
  const early = ['K4 alloc t0 0-4', 'K4 alloc t1 0-4']
  const freed = ['K4 dealloc t0 0-4 / alloc t1 0-4', 'K4 dealloc t1 0-4 / alloc t0 0-4']
  rows([
    ['a meeting before, and one between', steps(true, true), []],
    ['none before', steps(false, true), early],
    ['none between', steps(true, false), freed],
    ['none between, and the log has the allocation after the dealloc', steps(true, false, true), freed],
    ['none at all', steps(false, false), [...early, ...freed]],
    [
      'steps of one CTA',
      (s) => {
        alloc(s, p, 't0 0-4')
        dealloc(s, p, 't0 0-4')
      },
      [],
    ],
    [
      'the second allocation is not that of the first dealloc',
      (s) => {
        all(s)
        alloc(s, p, 't0 0-4', pair)
        alloc(s, q, 't1 0-4', pair)
        all(s)
        alloc(s, p, 't0 4-8', pair)
        alloc(s, q, 't1 4-8', pair)
        dealloc(s, p, 't0 0-4', pair)
        dealloc(s, q, 't1 0-4', pair)
        all(s)
        dealloc(s, p, 't0 4-8', pair)
        dealloc(s, q, 't1 4-8', pair)
      },
      [],
    ],
  ])
})
