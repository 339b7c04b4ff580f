/** Operations in flight: what they know, when they are over, whom their signals tell; logs by hand. */
import { describe, expect, test } from 'vitest'
import type { Options } from '../../../../src/semantics/judging/detector/index.js'
import { defaults, judgeLog, standard } from '../../../../src/semantics/judging/detector/index.js'
import type { Header, LogEvent, Signal, Unit } from '../../../../src/semantics/log/events.js'
import type { BarrierSpec, Script, World } from './script.js'
import { load, script, slotBytes } from './script.js'

const world: World = {
  agents: ['p@0', 'c@0'],
  barriers: [
    { name: 'full', count: 1 },
    { name: 'empty', count: 1 },
  ],
}
const found = (
  run: (s: Script) => void,
  w: World = world,
  options: Partial<Options> = {},
): ReadonlyArray<string> => {
  const s = script(w)
  run(s)
  const j = s.judge(options)
  return [...j.findings, ...j.notes].map((f) =>
    [f.id, f.a.site, ...(f.b === undefined ? [] : ['/', f.b.site])].join(' '),
  )
}

describe('an operation acts with what its issuer knew at the issue', () => {
  test('what it learns later does not count', () => {
    const reads = (early: boolean): ReadonlyArray<string> =>
      found((s) => {
        s.w(1, 's0 0')
        s.fence(1)
        if (!early) s.sync([0, 1])
        const op = s.issue(0, 'tmaStore', 'store')
        s.commit(0, 'bulk')
        if (early) s.sync([0, 1])
        s.perform(op, ['s0 0'], [])
        s.awaits(0, 'bulk', 0)
      })
    expect(reads(true)).toEqual(['R1 write s0 0 / store'])
    expect(reads(false)).toEqual([])
  })
  test('a fence before an earlier issue is not one before this', () => {
    const between = (run: (s: Script) => void): ReadonlyArray<string> =>
      found((s) => {
        s.fence(0)
        run(s)
        s.w(0, 's0 0')
        const op = s.issue(0, 'tmaStore', 'store')
        s.commit(0, 'bulk')
        s.perform(op, ['s0 0'], [])
        s.awaits(0, 'bulk', 0)
      })
    expect(between(() => undefined)).toEqual(['P2 write s0 0 / store'])
    expect(between((s) => s.issue(0, 'tmaStore', 'other'))).toEqual(['P1 write s0 0 / store'])
  })
  test('so does the wait that came last before the issue name the race', () => {
    const waits = (before: boolean): ReadonlyArray<string> =>
      found(
        (s) => {
          load(s, 0, 0, 's0 0', 'load')
          load(s, 0, 1, 's0 1', 'other')
          if (before) s.wait(1, 1, 0)
          const op = s.issue(1, 'wgmma', 'mma')
          s.commit(1, 'wgmma')
          if (!before) s.wait(1, 1, 0)
          s.perform(op, ['s0 0'], ['r1 0'])
          s.awaits(1, 'wgmma', 0)
          s.wait(0, 0, 0)
        },
        {
          ...world,
          barriers: [
            { name: 'ring[0]', count: 1 },
            { name: 'ring[10]', count: 1 },
          ],
          initialised: false,
        },
      )
    // two barriers of one array, whatever their indices
    expect(waits(true)).toEqual(['R2 load / mma'])
    expect(waits(false)).toEqual(['R1 load / mma'])
  })
})

describe('over', () => {
  const issued = (s: Script, unit: Unit, signals?: number): void => {
    const e = {
      _tag: 'issue',
      stamp: s.stamp(0, unit),
      operation: 0,
      unit,
      bytes: 0,
      macs: 0,
      accumulates: false,
    } as const
    s.push(signals === undefined ? e : { ...e, signals })
  }
  type To = 'bytes' | 'arrive' | 'read' | 'full'
  const signal = (s: Script, unit: Unit, to: To): void => {
    if (to === 'bytes') s.bytes(0, 0, slotBytes)
    else if (to === 'arrive') s.arrives(0, 0)
    else s.group(0, unit === 'tmaStore' ? 'bulk' : 'wgmma', to)
  }
  /** After how many signals of the kind the log contradicts itself, if it ever does. */
  const last = (
    unit: Unit,
    to: To,
    o: { signals?: number; ctas?: number; resident?: number } = {},
  ): number | null => {
    for (let n = 1; n <= 6; n++) {
      const s = script({
        agents: Array.from({ length: o.ctas ?? 1 }, (_, c) => `a@${String(c)}`),
        barriers: [{ name: 'b', count: 64 }],
      })
      issued(s, unit, o.signals)
      for (let i = 0; i < n; i++) signal(s, unit, to)
      const header: Header = o.resident === undefined ? s.header : { ...s.header, resident: o.resident }
      const { C2 } = judgeLog(header, s.events, defaults).conditions
      if (!C2.holds) {
        expect(C2.failures).toEqual([
          'the log is not well formed: signal of operation 0, which was not issued or is over',
        ])
        return n - 1
      }
    }
    return null
  }
  test.each<
    readonly [string, Unit, To, { signals?: number; ctas?: number; resident?: number }, number | null]
  >([
    ['a load: one', 'tmaLoad', 'bytes', {}, 1],
    ['a load: one for each CTA of its cluster', 'tmaLoad', 'bytes', { ctas: 4 }, 4],
    ['of two clusters that run together', 'tmaLoad', 'bytes', { ctas: 4, resident: 2 }, 2],
    ['a load that says how many', 'tmaLoad', 'bytes', { ctas: 4, signals: 3 }, 3],
    ['another copy: one, however many CTAs', 'stAsync', 'bytes', { ctas: 4 }, 1],
    ['a store: its read side and the whole', 'tmaStore', 'read', {}, 2],
    ['the whole of a group is the end', 'tmaStore', 'full', {}, 1],
    ['that is so of all groups', 'wgmma', 'full', { signals: 4 }, 1],
    ['the read side is not', 'wgmma', 'read', { signals: 4 }, 4],
    ['a commit: as often as it names barriers', 'tcgen05', 'arrive', {}, null],
    ['a commit that says how many', 'tcgen05', 'arrive', { signals: 2 }, 2],
    ['an arrival of copies', 'cpAsync', 'arrive', {}, 1],
  ])('%s', (_, unit, to, o, expected) => {
    expect(last(unit, to, o)).toBe(expected)
  })

  const malformed = (run: (s: Script) => void): ReadonlyArray<string> => {
    const s = script(world)
    run(s)
    return s.judge().conditions.C2.failures.map((t) => t.replace('the log is not well formed: ', ''))
  }
  const isOver = (what: string): string => `${what} of operation 0, which was not issued or is over`
  const access = (s: Script): void =>
    s.push({
      _tag: 'access',
      stamp: s.stamp(0, 'late'),
      operation: 0,
      rw: 'w',
      proxy: 'async',
      footprint: s.footprint('s0 0'),
      role: 'destination',
      atomic: false,
    })
  test('what was never issued neither performs, nor accesses, nor signals', () => {
    expect(malformed((s) => s.push({ _tag: 'perform', operation: 0, stage: 'all', part: 0 }))).toEqual([
      isOver('perform'),
    ])
    expect(malformed(access)).toEqual([isOver('access')])
    expect(malformed((s) => s.bytes(0, 0, 16))).toEqual([isOver('signal')])
  })
  test('what signals nobody is over when the next one performs', () => {
    const then = (signals: number, next: 'perform' | 'cluster' | 'nothing'): ReadonlyArray<string> =>
      malformed((s) => {
        const [first, second] = [s.issue(0, 'tcgen05', 'mma', signals), s.issue(0, 'tcgen05', 'second', 1)]
        s.perform(first, [], ['t0 0'])
        if (next === 'perform') s.perform(second, [], ['t0 1'])
        access(s)
      })
    expect(then(0, 'nothing')).toEqual([])
    expect(then(0, 'perform')).toEqual([isOver('access')])
    // one that owes a signal is not
    expect(then(1, 'perform')).toEqual([])
  })
  test('the first of three that signal nobody does not end the others', () => {
    expect(
      malformed((s) => {
        const [first, second, third] = [0, 0, 1].map((n) => s.issue(0, 'tcgen05', 'mma', n)) as [
          number,
          number,
          number,
        ]
        s.perform(first, [], ['t0 0'])
        s.perform(third, [], ['t0 1'])
        s.perform(second, [], ['t0 2'])
        s.arrives(third, 0)
      }),
    ).toEqual([])
  })
})

describe('a part of a load is done with the generation that its own signal joins', () => {
  const run = (first: 0 | 1, waits: ReadonlyArray<0 | 1>): ReadonlyArray<string> =>
    found(
      (s) => {
        s.arrive(0, 0, { bytes: slotBytes })
        s.arrive(1, 1, { bytes: slotBytes })
        s.sync([0, 1], 16, true)
        const op = s.issue(0, 'tmaLoad', 'multicast', 2)
        for (const part of [first, first === 0 ? 1 : 0] as const) {
          s.perform(op, [], [`s${String(part)} 0`], { part })
          s.bytes(op, part, slotBytes, part)
        }
        if (waits.includes(0)) s.wait(0, 0, 0)
        if (waits.includes(1)) s.wait(1, 1, 0)
        s.r(0, 's0 0')
        s.r(1, 's1 0')
        if (!waits.includes(0)) s.wait(0, 0, 0)
        if (!waits.includes(1)) s.wait(1, 1, 0)
      },
      {
        agents: ['p@0', 'c@1'],
        barriers: [
          { name: 'full', count: 1 },
          { name: 'full', count: 1, cta: 1 },
        ],
        initialised: false,
      },
    )
  test.each([0, 1] as const)('part %i first', (first) => {
    expect(run(first, [0, 1])).toEqual([])
    expect(run(first, [0])).toEqual(['R1 multicast / read s1 0'])
    // p issued it and reads its own part
    expect(run(first, [1])).toEqual(['P4 multicast / read s0 0'])
  })
})

describe('at the exit of a CTA', () => {
  const said = (
    run: (s: Script) => void,
    agents: ReadonlyArray<string> = ['p@0', 'q@1'],
  ): ReadonlyArray<string> => {
    const s = script({
      agents,
      barriers: [
        { name: 'b', count: 1 },
        { name: 'far', count: 1, cta: 1 },
      ],
    })
    run(s)
    return s.judge().findings.map((f) => `${f.id} ${f.text}`)
  }
  const U2 = (unit: string, cta = 0): string => `U2 CTA ${String(cta)} can exit before this ${unit} is done`
  const K1 = (unit: string, cta = 1): string =>
    `K1 CTA ${String(cta)} can exit before this reaches it: ${unit}`
  test.each<readonly [string, (s: Script) => void, ReadonlyArray<string>]>([
    // asked once, however many accesses it makes there
    ['a load, once', (s) => s.perform(s.issue(0, 'tmaLoad'), ['g 0'], ['s0 0', 's0 1']), [U2('tmaLoad')]],
    [
      'a load into two CTAs',
      (s) => s.perform(s.issue(0, 'tmaLoad'), ['g 0'], ['s0 0', 's1 1']),
      [U2('tmaLoad'), K1('tmaLoad')],
    ],
    [
      'two parts in one CTA, one of them signalled and waited for',
      (s) => {
        const op = s.issue(0, 'tmaLoad', 'load', 2)
        s.arrive(0, 0, { bytes: slotBytes })
        s.perform(op, [], ['s0 0'], { part: 0 })
        s.bytes(op, 0, slotBytes)
        s.wait(0, 0, 0)
        s.perform(op, [], ['s0 1'], { part: 1 })
      },
      [U2('tmaLoad')],
    ],
    ['of global memory alone: nothing', (s) => s.perform(s.issue(0, 'tmaLoad'), ['g 0'], []), []],
    ['a store that reads', (s) => s.perform(s.issue(0, 'tmaStore'), ['s0 0'], []), [U2('tmaStore')]],
    ['wgmma, whatever it touches', (s) => s.perform(s.issue(1, 'wgmma'), [], ['r1 0']), [U2('wgmma', 1)]],
    [
      'wgmma that reads shared memory',
      (s) => s.perform(s.issue(1, 'wgmma'), ['s1 0'], ['r1 0']),
      [U2('wgmma', 1)],
    ],
    ['a product in tensor memory', (s) => s.perform(s.issue(0, 'tcgen05'), [], ['t0 0']), [U2('tcgen05')]],
    ['a load of tensor memory', (s) => s.perform(s.issue(0, 'tcgen05Ld'), ['t0 0'], ['r0 0']), []],
    ['a store to tensor memory', (s) => s.perform(s.issue(0, 'tcgen05St'), [], ['t0 0']), []],
    ['an agent’s own access', (s) => s.w(0, 's0 0'), []],
    ['one in the other CTA', (s) => s.w(0, 's1 0'), [K1('writes')]],
    ['one of its tensor memory', (s) => s.r(0, 't1 0'), [K1('reads')]],
    ['one of global memory', (s) => s.w(0, 'g 0'), []],
    ['known to the other CTA', (s) => (s.w(0, 's1 0'), s.sync([0, 1], 20)), []],
    [
      'a commit that arrives elsewhere',
      (s) => s.arrives(s.issue(0, 'tcgen05', 'commit'), 1),
      [K1('tcgen05')],
    ],
  ])('%s', (_, run, expected) => {
    expect(said(run)).toEqual(expected)
  })
})

test('an access in another CTA counts, unless arrives alone are asked for', () => {
  const found = (arrivesOnlyAtExit: boolean, run: (s: Script) => void): ReadonlyArray<string> => {
    const s = script({ agents: ['p@0', 'q@1'], barriers: [{ name: 'far', count: 1, cta: 1 }] })
    run(s)
    return s.judge({ rules: { ...standard, arrivesOnlyAtExit } }).findings.map((f) => `${f.id} ${f.a.site}`)
  }
  const write = (s: Script): void => s.w(0, 's1 0')
  const arrive = (s: Script): void => s.arrive(0, 0)
  expect([found(false, write), found(true, write)]).toEqual([['K1 write s1 0'], []])
  expect([found(false, arrive), found(true, arrive)]).toEqual([['K1 arrive far'], ['K1 arrive far']])
})

describe('M5: a commit on a barrier that does not order the tensor core', () => {
  const barrier = (contract: 'ptx' | 'pallas', tensor: boolean): BarrierSpec => ({
    name: 'b',
    count: 1,
    contract,
    tensor,
  })
  const by = (unit: Unit, b: BarrierSpec): ReadonlyArray<string> =>
    found(
      (s) => {
        s.arrives(s.issue(0, unit, 'commit'), 0)
        s.wait(0, 0, 0)
      },
      { agents: ['p@0'], barriers: [b] },
    )
  test.each<readonly [string, Unit, BarrierSpec, ReadonlyArray<string>]>([
    ['a Pallas barrier that does not', 'tcgen05', barrier('pallas', false), ['M5 commit']],
    ['one that does', 'tcgen05', barrier('pallas', true), []],
    ['PTX knows no such contract', 'tcgen05', barrier('ptx', false), []],
    ['copies need none', 'cpAsync', barrier('pallas', false), []],
  ])('%s', (_, unit, b, expected) => {
    expect(by(unit, b)).toEqual(expected)
  })
})

describe('M7: who issues for a pair, and with whom', () => {
  const issues = (
    agents: Header['agents'],
    exited: ReadonlyArray<number>,
    ctaGroup: 1 | 2 = 2,
    started: ReadonlyArray<number> = [],
  ): ReadonlyArray<string> => {
    const s = script({ agents: agents.map((a) => `${a.name}@${String(a.cta)}`), barriers: [], bare: true })
    if (started.length > 0) s.fork('fork', 0, started)
    for (const agent of exited) s.push({ _tag: 'exit', agent })
    const e: LogEvent = {
      _tag: 'issue',
      stamp: s.stamp(0, 'mma'),
      operation: 0,
      unit: 'tcgen05',
      bytes: 0,
      macs: 0,
      accumulates: false,
      signals: 0,
      ctaGroup,
    }
    s.push(e)
    return judgeLog({ ...s.header, agents }, s.events, defaults).findings.map((f) => f.id)
  }
  const agent = (cta: number, starts = true): Header['agents'][number] => ({
    name: 'wg',
    cta,
    warps: 4,
    starts,
  })
  test.each<readonly [string, () => ReadonlyArray<string>, boolean]>([
    ['the even CTA, the odd one being there', () => issues([agent(0), agent(1)], []), true],
    ['the second pair', () => issues([agent(2), agent(3)], []), true],
    ['nobody in the odd one', () => issues([agent(0), agent(0)], []), false],
    ['somebody in another pair', () => issues([agent(0), agent(3)], []), false],
    ['the odd one has exited', () => issues([agent(0), agent(1)], [1]), false],
    [
      'one agent of the odd CTA has, another has not',
      () => issues([agent(0), agent(1), agent(1)], [1]),
      true,
    ],
    ['an agent of the odd CTA that has not started', () => issues([agent(0), agent(1, false)], []), false],
    ['one that has', () => issues([agent(0), agent(1, false)], [], 2, [1]), true],
    ['the odd CTA issues', () => issues([agent(1), agent(0)], []), false],
    ['the odd CTA issues for itself', () => issues([agent(1), agent(0)], [], 1), true],
    ['the even one for itself, alone', () => issues([agent(0)], [], 1), true],
  ])('%s', (_, ids, fine) => {
    expect(ids()).toEqual(fine ? [] : ['M7'])
  })
})

describe('what a signal publishes', () => {
  type Bytes = Extract<Signal, { readonly to: 'barrier' }>['bytes']
  const bytes: Bytes = slotBytes
  /** A copy brings slot 0; who waited for it reads it through `reader`. */
  const read = (
    unit: 'tmaLoad' | 'stAsync',
    reader: 'generic' | 'async',
    fence: boolean,
  ): ReadonlyArray<string> =>
    found(
      (s) => {
        s.arrive(0, 0, { bytes })
        const op = s.issue(0, unit, 'copy')
        s.perform(op, [], ['s0 0'], { proxy: unit === 'stAsync' ? 'generic' : 'async' })
        s.bytes(op, 0, bytes)
        s.wait(1, 0, 0)
        if (fence) s.fence(1)
        if (reader === 'generic') s.r(1, 's0 0')
        else {
          const store = s.issue(1, 'tmaStore', 'store')
          s.commit(1, 'bulk')
          s.perform(store, ['s0 0'], [])
          s.awaits(1, 'bulk', 0)
        }
      },
      { ...world, initialised: false },
    )
  test.each([
    ['tmaLoad', 'generic', false, []],
    ['tmaLoad', 'async', false, []],
    ['stAsync', 'generic', false, []],
    // a generic write is an asynchronous unit's across a fence alone
    ['stAsync', 'async', false, ['P1 copy / store']],
    ['stAsync', 'async', true, []],
  ] as const)('%s, then a %s reader, fence %s', (unit, reader, fence, expected) => {
    expect(read(unit, reader, fence)).toEqual(expected)
  })
  test('a commit tells of the entries of its queue before it, and of no later one', () => {
    const reads = (slot: number): ReadonlyArray<string> =>
      found((s) => {
        const before = s.issue(0, 'tcgen05', 'before', 0)
        s.perform(before, [], ['t0 0'])
        const commit = s.issue(0, 'tcgen05', 'commit')
        const after = s.issue(0, 'tcgen05', 'after', 0)
        s.perform(after, [], ['t0 1'])
        s.arrives(commit, 0)
        s.wait(1, 0, 0, { tensor: true })
        s.perform(s.issue(1, 'tcgen05Ld', 'ld'), [`t0 ${String(slot)}`], [])
        s.awaits(1, 'tcgen05Ld', 0)
        s.arrives(s.issue(0, 'tcgen05', 'last'), 1)
        s.wait(0, 1, 0)
      })
    expect(reads(0)).toEqual([])
    expect(reads(1)).toEqual(['M2 after / ld'])
  })
  test('an arrival of copies tells of those before it, and of no later one', () => {
    const reads = (slot: number): ReadonlyArray<string> =>
      found((s) => {
        const copy = (to: number, name: string): void =>
          s.perform(s.issue(0, 'cpAsync', name), [], [`s0 ${String(to)}`], { proxy: 'generic' })
        copy(0, 'before')
        const arrival = s.issue(0, 'cpAsync', 'arrival')
        copy(1, 'after')
        s.commit(0, 'cpAsync')
        s.arrives(arrival, 0)
        s.wait(1, 0, 0)
        s.r(1, `s0 ${String(slot)}`, 'read')
        s.awaits(0, 'cpAsync', 0)
      })
    expect(reads(0)).toEqual([])
    expect(reads(1)).toEqual(['R1 after / read'])
  })
})

describe('an arrival of copies that asked for itself is none of those that the barrier counts (C6)', () => {
  /** p's arrival behind its copies; c's arrival, and whether that knows of the question. */
  const holds = (o: { readonly asks: boolean; readonly other: 'apart' | 'after' | 'none' }): boolean => {
    const s = script(world)
    // bytes that the generation must not complete without
    if (!o.asks) s.expect(0, 0, slotBytes)
    const op = o.asks ? 7 : s.issue(0, 'cpAsync', 'arrival')
    if (o.asks) {
      const stamp = s.stamp(0, 'arrival')
      s.push({
        _tag: 'barrier',
        stamp,
        kind: 'increment',
        barrier: 0,
        count: 1,
        bytes: 0,
        release: false,
        scope: 'cta',
        tensor: false,
      })
      s.push({
        _tag: 'issue',
        stamp,
        operation: op,
        unit: 'cpAsync',
        bytes: 0,
        macs: 0,
        accumulates: false,
        signals: 1,
      })
    }
    if (o.other === 'after') s.sync([0, 1])
    if (o.other !== 'none') s.arrive(1, 0)
    s.arrives(op, 0)
    return s.judge().conditions.C6.holds
  }
  test('one that asked does not show that a counted arrival knows the question', () => {
    expect(holds({ asks: true, other: 'apart' })).toBe(false)
    expect(holds({ asks: true, other: 'after' })).toBe(true)
  })
  test('one that did not ask is counted, with what its issuer knew', () => {
    expect(holds({ asks: false, other: 'none' })).toBe(true)
  })
})
