/** Conflicts as they are told: which pairs are one finding, which bytes they share, and what the ids ask of the run; logs by hand. */
import { describe, expect, test } from 'vitest'
import { actorOf, doesAccess } from '../../../../src/semantics/judging/detector/conflicts.js'
import { defaults, judgeLog } from '../../../../src/semantics/judging/detector/index.js'
import type { Finding } from '../../../../src/semantics/judging/finding.js'
import type { Unit } from '../../../../src/semantics/log/events.js'
import { record } from './records.js'
import { script, slotBytes, type Script, type World } from './script.js'

const three: World = { agents: ['p@0', 'c@0', 'd@0'], barriers: [], bare: true }
const findings = (run: (s: Script) => void, world: World = three): ReadonlyArray<Finding> => {
  const s = script(world)
  run(s)
  return s.judge().findings
}
const show = (f: Finding): string => `${f.id} ${f.a.site} / ${f.b?.site ?? ''}`
const found = (run: (s: Script) => void, world: World = three): ReadonlyArray<string> =>
  findings(run, world).map(show)

test('what a side does, in words', () => {
  const does = (rw: 'r' | 'w', reach: 0 | 3, unit: Unit | 'agent'): string =>
    doesAccess(record({ rw, reach, unit }))
  expect([
    does('r', 0, 'agent'),
    does('w', 0, 'agent'),
    does('r', 3, 'agent'),
    does('w', 3, 'agent'),
  ]).toEqual(['reads', 'writes', 'reads atomically', 'writes atomically'])
  expect([does('r', 0, 'wgmma'), does('w', 3, 'tmaStore')]).toEqual([
    'wgmma reads',
    'tmaStore writes atomically',
  ])
  const made = record({ rw: 'w', operation: 4 })
  expect(actorOf(made)).toEqual({
    unit: 'agent',
    stamp: made.stamp,
    does: 'writes',
    operation: 4,
    deed: { _tag: 'writes', unit: 'agent', atomic: false },
  })
})

describe('law 1: one finding per kind, pair of agents and sites, directions and plane', () => {
  test.each<readonly [string, (s: Script) => void, ReadonlyArray<string>]>([
    [
      'a loop',
      (s) => (s.w(0, 's0 0', 'w'), s.r(1, 's0 0', 'r'), s.w(0, 's0 1', 'w'), s.r(1, 's0 1', 'r')),
      ['D1 w / r'],
    ],
    [
      'two sites',
      (s) => (s.w(0, 's0 0', 'w'), s.r(1, 's0 0', 'r'), s.r(1, 's0 0', 'again')),
      ['D1 w / r', 'D1 w / again'],
    ],
    [
      'two agents',
      (s) => (s.w(0, 's0 0', 'w'), s.r(1, 's0 0', 'r'), s.r(2, 's0 0', 'r')),
      ['D1 w / r', 'D1 w / r'],
    ],
    [
      'two directions',
      (s) => (s.w(0, 's0 0', 'x'), s.r(1, 's0 0', 'y'), s.w(0, 's0 1', 'x'), s.w(1, 's0 1', 'y')),
      ['D1 x / y', 'D1 x / y'],
    ],
    [
      'two planes',
      (s) => (s.w(0, 's0 0', 'x'), s.r(1, 's0 0', 'y'), s.w(0, 'g 0', 'x'), s.r(1, 'g 0', 'y')),
      ['D1 x / y', 'D2 x / y'],
    ],
    [
      'two kinds: not ordered, and ordered but not visible',
      (s) => {
        s.w(0, 's0 0', 'x')
        s.r(1, 's0 0', 'y')
        s.sync([0, 1], 1, true)
        s.r(1, 's0 0', 'y')
      },
      ['D1 x / y', 'V1 x / y'],
    ],
  ])('%s', (_, run, expected) => {
    expect(found(run)).toEqual(expected)
  })
  test('many atoms make one, and later accesses others', () => {
    const all = findings((s) => {
      for (const slot of [0, 1, 2]) s.r(0, `s0 ${String(slot)}`, 'slots')
      s.w(0, 's0 0-3', 'wide')
      s.r(1, 's0 0-3', 'one')
      s.r(2, 's0 0-3', 'two')
    })
    expect(all.map(show)).toEqual(['D1 wide / one', 'D1 wide / two'])
    for (const f of all) expect(f.text).toMatch(/are not ordered$/)
  })
  test.each<readonly [name: string, run: (s: Script) => unknown, text: RegExp, world: World]>([
    [
      'a pair again',
      (s) => {
        for (let n = 0; n < 3; n++) {
          s.w(0, 's0 0-3', 'wide')
          s.r(1, 's0 0-3', 'one')
          s.sync([0, 1], 1)
        }
      },
      /ordered \(3 times\)$/,
      three,
    ],
    ['a read of nothing', (s) => s.r(0, 's0 0-3', 'one'), /written$/, { ...three, initialised: false }],
  ])('%s, the bytes divided before or not', (_, run, text, world) => {
    const texts = (divided: boolean): ReadonlyArray<string> =>
      findings((s) => {
        if (divided) for (const slot of [0, 1, 2]) s.r(2, `s0 ${String(slot)}`, 'slots')
        if (divided) s.sync([0, 1, 2], 1)
        run(s)
      }, world)
        .filter((f) => f.a.site !== 'slots')
        .map((f) => f.text)
    expect(texts(true)).toEqual(texts(false))
    expect(texts(false)[0]).toMatch(text)
  })
})

test('the bytes that both touch', () => {
  const [f] = findings((s) => (s.w(0, 's0 0-3', 'w'), s.r(1, 's0 2-5', 'r')))
  expect(f?.place).toEqual({ plane: 'smem@0', spans: [[2 * slotBytes, 3 * slotBytes]] })
})

describe('clusters that run together', () => {
  const race = (resident: number | undefined, cta: number): ReadonlyArray<string> => {
    const s = script({ agents: ['a@0', `b@${String(cta)}`, 'last@3'], barriers: [], bare: true })
    s.w(0, 'g 0', 'a')
    s.w(1, 'g 0', 'b')
    const header = resident === undefined ? s.header : { ...s.header, resident }
    return judgeLog(header, s.events, defaults).findings.map((f) => f.id)
  }
  test.each<readonly [resident: number | undefined, cta: number, id: string]>([
    [undefined, 1, 'D2'],
    [undefined, 3, 'D2'],
    [1, 3, 'D2'],
    [2, 1, 'D2'],
    [2, 2, 'D3'],
    [4, 1, 'D3'],
  ])('%s of them, of four CTAs: CTA 0 and CTA %i: %s', (resident, cta, id) => {
    expect(race(resident, cta)).toEqual([id])
  })
})

describe('N1', () => {
  test('says nothing of what was known: nothing would have to be', () => {
    const s = script(three)
    for (const agent of [0, 1])
      s.push({
        _tag: 'access',
        stamp: s.stamp(agent, 'join'),
        rw: 'w',
        proxy: 'generic',
        footprint: { ...s.footprint('g 0'), dtype: 'f32' },
        role: 'destination',
        atomic: true,
        combine: 'add',
      })
    const [note] = s.judge().notes
    expect([note?.id, note !== undefined && 'knew' in note]).toEqual(['N1', false])
  })
})

describe('C1: atomic writes in no order', () => {
  type Sort = readonly ['add' | 'max', 'f32' | 'i32']
  const said = (...sorts: readonly [Sort, Sort]): readonly [note: boolean, holds: boolean] => {
    const s = script(three)
    sorts.forEach(([combine, dtype], agent) => {
      s.push({
        _tag: 'access',
        stamp: s.stamp(agent, 'join'),
        rw: 'w',
        proxy: 'generic',
        footprint: { ...s.footprint('g 0'), dtype, id: dtype === 'f32' ? 50 : 51 },
        role: 'destination',
        atomic: true,
        combine,
      })
    })
    const j = s.judge()
    return [j.notes.some((f) => f.id === 'N1'), j.conditions.C1.holds]
  }
  test.each<readonly [string, Sort, Sort, note: boolean, holds: boolean]>([
    ['sums of integers commute', ['add', 'i32'], ['add', 'i32'], false, true],
    ['sums of floats differ in their rounding alone', ['add', 'f32'], ['add', 'f32'], true, true],
    ['one of floats, one of integers', ['add', 'f32'], ['add', 'i32'], true, false],
    ['the other way round', ['add', 'i32'], ['add', 'f32'], true, false],
    ['a sum of floats and a maximum of them', ['add', 'f32'], ['max', 'f32'], true, false],
    ['the other way round', ['max', 'f32'], ['add', 'f32'], true, false],
    ['maxima of floats and of integers', ['max', 'f32'], ['max', 'i32'], true, false],
    ['maxima of floats commute', ['max', 'f32'], ['max', 'f32'], false, true],
  ])('%s', (_, first, second, note, holds) => {
    expect(said(first, second)).toEqual([note, holds])
  })
})

describe('nothing there', () => {
  const cold: World = { ...three, initialised: false }
  const by = (unit: Unit, place: string): ReadonlyArray<string> =>
    found((s) => {
      const op = s.issue(0, unit, 'op')
      s.perform(op, [place], [])
      if (unit === 'tcgen05Ld') s.awaits(0, 'tcgen05Ld', 0)
    }, cold).filter((f) => !f.startsWith('U2'))
  test.each<readonly [Unit, string, ReadonlyArray<string>]>([
    ['tcgen05', 't0 0', ['M6 op / ']],
    ['tcgen05', 's0 0', ['I1 op / ']],
    ['tcgen05Ld', 't0 0', ['I1 op / ']],
    ['tmaStore', 's0 0', ['I1 op / ']],
    ['tmaStore', 'g 0', []],
  ])('%s of %s', (unit, place, expected) => {
    expect(by(unit, place)).toEqual(expected)
  })
  test('once for a site and plane, with its bytes', () => {
    const all = findings((s) => (s.r(0, 's0 1', 'r'), s.r(0, 's0 3', 'r'), s.r(0, 't0 0', 'r')), cold)
    expect(all.map((f) => [f.id, f.place])).toEqual([
      ['I1', { plane: 'smem@0', spans: [[slotBytes, 2 * slotBytes]] }],
      ['I1', { plane: 'tmem@0', spans: [[0, slotBytes]] }],
    ])
  })
})

describe('what the ids ask of the run', () => {
  test('R2: two barriers of one array of one CTA', () => {
    const waits = (other: string, cta: number): ReadonlyArray<string> =>
      found(
        (s) => {
          s.arrive(0, 0, { bytes: slotBytes })
          const op = s.issue(0, 'tmaLoad', 'load')
          s.perform(op, [], ['s0 0'])
          s.bytes(op, 0, slotBytes)
          s.arrive(2, 1)
          s.wait(1, 1, 0)
          s.r(1, 's0 0', 'read')
          s.wait(0, 0, 0)
        },
        {
          agents: ['p@0', 'c@0', 'd@0'],
          barriers: [
            { name: 'ring[0]', count: 1 },
            { name: other, count: 1, cta },
          ],
          initialised: false,
        },
      ).filter((f) => f.includes('read'))
    expect(waits('ring[1]', 0)).toEqual(['R2 load / read'])
    expect(waits('ring[12]', 0)).toEqual(['R2 load / read'])
    expect(waits('ring', 0)).toEqual(['R2 load / read'])
    expect(waits('rings[1]', 0)).toEqual(['R1 load / read'])
    expect(waits('ring[1]', 1)).toEqual(['R1 load / read'])
  })
  test('K3: copies of two CTAs in one generation', () => {
    const copies = (agents: ReadonlyArray<string>): ReadonlyArray<string> =>
      found(
        (s) => {
          const ops = [0, 1].map((x) => {
            s.arrive(x, 0, { bytes: slotBytes })
            return s.issue(x, 'tmaLoad', `load ${String(x)}`)
          })
          for (const op of ops) s.perform(op, [], ['s0 0'])
          for (const op of ops) s.bytes(op, 0, slotBytes)
          for (const x of [0, 1]) s.wait(x, 0, 0)
        },
        { agents, barriers: [{ name: 'full', count: 2 }] },
      )
    expect(copies(['a@0', 'b@1'])).toEqual(['K3 load 0 / load 1'])
    expect(copies(['a@0', 'b@0'])).toEqual(['W1 load 0 / load 1'])
  })
  test('B6: the wait before it passed on a fresh barrier, in which the other side takes part', () => {
    /** p writes again after a wait that nobody had to pass for; `by` arrives on that barrier later. */
    const again = (by: number, barrier: number): ReadonlyArray<string> =>
      found(
        (s) => {
          s.w(0, 's0 0', 'first')
          s.sync([0, 1, 2])
          s.r(1, 's0 0', 'read')
          s.wait(0, 1, 1)
          s.w(0, 's0 0', 'again')
          s.arrive(by, barrier)
          s.wait(0, barrier, 0)
          s.wait(by, barrier, 0)
        },
        {
          agents: ['p@0', 'c@0', 'd@0'],
          barriers: ['full', 'empty', 'other'].map((name) => ({ name, count: 1 })),
        },
      )
    expect(again(1, 1)).toEqual(['B6 read / again'])
    // the other side takes part in nothing, or in another barrier
    expect(again(2, 1)).toEqual(['D1 read / again'])
    expect(again(1, 0)).toEqual(['D1 read / again'])
    expect(again(1, 2)).toEqual(['D1 read / again'])
  })
})
