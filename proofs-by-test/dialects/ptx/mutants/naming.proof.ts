/**
 * What a verdict points at. Oracle: for each kind of instruction the missing edges, subjects and faults that point at it, as tables; and every way alone, with one thing changed that makes it
 * none.
 */
import { describe, expect, test } from 'vitest'
import type { Kind } from '../../../../src/dialects/ptx/mutants/kinds.js'
import type { PtxChange } from '../../../../src/dialects/ptx/mutants/making.js'
import { namedBySite, namingOf } from '../../../../src/dialects/ptx/mutants/naming.js'
import type { Window } from '../../../../src/dialects/ptx/mutants/windows.js'
import type { Act } from '../../../../src/dialects/ptx/opcodes/acts.js'
import type { Diagnosis, MissingEdge } from '../../../../src/semantics/judging/finding.js'
import {
  ofBarrier,
  ofColumns,
  ofFence,
  ofGroup,
  ofPlane,
  ofRendezvous,
  type FenceName,
  type Subject,
} from '../../../../src/semantics/judging/subject.js'
import type { Family, Unit } from '../../../../src/semantics/log/units.js'
import type { Checked } from '../../../../src/semantics/verdict/check.js'

// ---------------------------------------------------------------- what is judged

const orders = (kind: Kind, more: { family?: Family; fences?: ReadonlyArray<FenceName> } = {}): Act =>
  kind === 'access'
    ? { _tag: 'accesses', moves: 'reads' }
    : { _tag: 'orders', kind, family: more.family ?? null, fences: more.fences ?? [] }

const change = (
  kind: Kind,
  more: {
    family?: Family
    fences?: ReadonlyArray<FenceName>
    manner?: PtxChange['manner']
    other?: string
  } = {},
): PtxChange =>
  ({
    manner: more.manner ?? 'other',
    other: more.other === undefined ? null : { label: more.other },
    site: {
      kind,
      label: 'own',
      index: 1,
      code: { instructions: [null, { form: { act: orders(kind, more) } }] },
    },
  }) as unknown as PtxChange

/** Sites of a header: `own` is number 0. Barriers lie at 64 and at 72. */
const sites = ['own', 'other', 'behind', 'elsewhere', 'own, a copy']
const header = {
  sites: sites.map((label) => ({ label, path: [] })),
  barriers: [{ address: 64 }, { address: 72 }],
}

const finding = (of: {
  id?: string
  a?: string
  b?: string
  about?: ReadonlyArray<Subject>
  missing?: { kind: MissingEdge['kind']; about?: ReadonlyArray<Subject> }
}): Diagnosis =>
  ({
    id: of.id ?? 'D1',
    a: { site: of.a ?? 'elsewhere' },
    ...(of.b === undefined ? {} : { b: { site: of.b } }),
    about: of.about ?? [],
    ...(of.missing === undefined
      ? {}
      : { missing: { kind: of.missing.kind, about: of.missing.about ?? [] } }),
  }) as unknown as Diagnosis

interface Verdict {
  findings?: ReadonlyArray<Diagnosis>
  verdict?: string
  blocked?: ReadonlyArray<{ about: ReadonlyArray<Subject>; operation: { site: string } }>
  fault?: string
}
const checked = ({ findings = [], verdict = 'hazard', blocked = [], fault }: Verdict): Checked =>
  ({
    verdict: { verdict },
    reasons: {
      findings,
      blocked,
      fault: fault === undefined ? null : { site: sites.indexOf(fault) },
    },
    world: { header },
  }) as unknown as Checked

/** A copy that unrolling has made is the same statement. */
const statement = (label: string): string => label.split(',')[0]!
const nothing: Window = { labels: new Set(), isLast: false }

const bySite = (c: PtxChange, ...findings: ReadonlyArray<Diagnosis>): unknown =>
  namedBySite(c, checked({ findings }), statement)

interface How {
  own?: ReadonlyArray<string>
  window?: Window
  touched?: Readonly<Record<string, ReadonlyArray<string>>>
  edges?: boolean
}
const named = (c: PtxChange, v: Verdict, how: How = {}): unknown =>
  namingOf(
    c,
    checked(v),
    new Set(how.own ?? ['mbarrier 64', 'barrier 1']),
    how.window ?? nothing,
    statement,
    (label) => (how.touched?.[label] === undefined ? undefined : new Set(how.touched[label])),
    how.edges ?? true,
  )

const kinds: ReadonlyArray<Kind> = [
  'bar',
  'cluster barrier',
  'warp barrier',
  'fence',
  'mbarrier init',
  'mbarrier inval',
  'mbarrier expect',
  'mbarrier arrive',
  'mbarrier wait',
  'commit',
  'group wait',
  'tensor fence',
  'tensor allocation',
  'access',
]
const ofMbarriers = kinds.filter((k) => k.startsWith('mbarrier'))

// ---------------------------------------------------------------- sites

describe('site', () => {
  test('the changed instruction is one of the two operations, or a copy of it is', () => {
    const c = change('bar')
    expect(bySite(c, finding({ a: 'own' }))).toBe('site')
    expect(bySite(c, finding({ b: 'own' }))).toBe('site')
    expect(bySite(c, finding({ a: 'own, a copy' }))).toBe('site')
    expect(bySite(c, finding({ a: 'other', b: 'elsewhere' }))).toBe(null)
    expect(bySite(c)).toBe(null)
  })
  test('what it changed places with; one that is not there any more is in no finding', () => {
    expect(bySite(change('bar', { other: 'other' }), finding({ a: 'other' }))).toBe('site')
    expect(bySite(change('bar', { other: 'other' }), finding({ a: 'own' }))).toBe('site')
    expect(bySite(change('bar', { manner: 'absent' }), finding({ a: 'own', b: 'own' }))).toBe(null)
    expect(bySite(change('bar', { manner: 'absent', other: 'other' }), finding({ b: 'other' }))).toBe('site')
  })
  test('three findings may stand before it, and not four', () => {
    const others = [finding({}), finding({}), finding({})]
    expect(bySite(change('bar'), ...others, finding({ a: 'own' }))).toBe('site')
    expect(bySite(change('bar'), ...others, finding({}), finding({ a: 'own' }))).toBe(null)
  })
})

// ---------------------------------------------------------------- edges

describe('edge', () => {
  const every: ReadonlyArray<MissingEdge['kind']> = [
    'fence',
    'warp-sync',
    'group-wait',
    'wait',
    'arrive',
    'arrive-wait',
    'bytes',
    'none-found',
  ]
  /** The missing edges that do what an instruction of a kind does, whatever they are about. */
  const plainly: Partial<Record<Kind, ReadonlyArray<MissingEdge['kind']>>> = {
    bar: ['arrive-wait'],
    'cluster barrier': ['arrive-wait'],
    'warp barrier': ['warp-sync', 'arrive-wait'],
    fence: ['arrive-wait'],
    'tensor fence': ['arrive-wait'],
    access: ['arrive-wait'],
  }
  test.each(kinds)('%s', (kind) => {
    const found = every.filter(
      (missing) => named(change(kind), { findings: [finding({ missing: { kind: missing } })] }) === 'edge',
    )
    expect(found).toEqual(plainly[kind] ?? [])
  })
  test.each(kinds)('%s: about a barrier of its own', (kind) => {
    const of = (about: Subject): ReadonlyArray<string> =>
      every.filter(
        (missing) =>
          named(change(kind), { findings: [finding({ missing: { kind: missing, about: [about] } })] }) ===
          'edge',
      )
    const own = ofMbarriers.includes(kind) ? ['wait', 'arrive', 'arrive-wait'] : (plainly[kind] ?? [])
    expect(of(ofBarrier(0))).toEqual(own)
    expect(of(ofRendezvous(1))).toEqual(own)
    expect(of(ofBarrier(1))).toEqual(plainly[kind] ?? [])
    expect(of(ofRendezvous(2))).toEqual(plainly[kind] ?? [])
  })
  const families: ReadonlyArray<Family> = ['bulk', 'cpAsync', 'wgmma', 'tcgen05Ld', 'tcgen05St']
  test.each(['commit', 'group wait'] as const)('%s: about its family, of which each is another', (kind) => {
    const table = families.map((family) =>
      families.filter(
        (about) =>
          named(change(kind, { family }), {
            findings: [finding({ missing: { kind: 'group-wait', about: [ofPlane(0), ofGroup(about)] } })],
          }) === 'edge',
      ),
    )
    expect(table).toEqual(families.map((f) => [f]))
  })
  test.each(['fence', 'tensor fence'] as const)('%s: a fence that it is', (kind) => {
    const c = change(kind, { fences: ['shared', 'global'] })
    const of = (missing: MissingEdge['kind'], ...about: ReadonlyArray<Subject>): unknown =>
      named(c, { findings: [finding({ missing: { kind: missing, about } })] })
    expect(of('fence', ofPlane(0), ofFence('global'))).toBe('edge')
    expect(of('fence', ofFence('shared'))).toBe('edge')
    expect(of('fence', ofFence('wgmma'))).toBe(null)
    expect(of('fence')).toBe(null)
    expect(of('arrive-wait', ofPlane(0))).toBe(null)
  })
  test('nothing is asked of missing edges where they are not wanted; the first four findings are', () => {
    const f = finding({ missing: { kind: 'arrive-wait' } })
    expect(named(change('bar'), { findings: [f] }, { edges: false })).toBe(null)
    expect(named(change('bar'), { findings: [finding({}), finding({}), finding({}), f] })).toBe('edge')
    expect(named(change('bar'), { findings: [finding({}), finding({}), finding({}), finding({}), f] })).toBe(
      null,
    )
  })

  /** The units of PTX, and the groups that each is waited for in. */
  const groupsOf: Readonly<Record<Unit, Family | null>> = {
    tmaLoad: null,
    tmaStore: 'bulk',
    cpAsync: 'cpAsync',
    wgmma: 'wgmma',
    tcgen05: null,
    tcgen05Ld: 'tcgen05Ld',
    tcgen05St: 'tcgen05St',
    stAsync: null,
    clc: null,
  }
  test('what a group was to close is left over', () => {
    const left = (family: Family, unit: Unit): unknown =>
      named(
        change('group wait', { family }),
        { findings: [finding({ about: [ofPlane(1), { _tag: 'unit', unit, side: 'a' }] })] },
        { edges: false },
      )
    for (const family of families)
      for (const [unit, own] of Object.entries(groupsOf))
        expect(left(family, unit as Unit), `${family} ${unit}`).toBe(family === own ? 'edge' : null)
    // what belongs to no group
    for (const kind of ['bar', 'group wait'] as const)
      expect(
        named(change(kind), {
          findings: [finding({ about: [{ _tag: 'unit', unit: 'tmaLoad', side: 'b' }] })],
        }),
      ).toBe(null)
    expect(
      named(change('bar'), { findings: [finding({ about: [{ _tag: 'unit', unit: 'wgmma', side: 'b' }] })] }),
    ).toBe(null)
    expect(
      named(change('commit', { family: 'wgmma' }), { findings: [finding({ about: [ofPlane(0)] })] }),
    ).toBe(null)
  })
  test('a phase that a wait was to know of is left over', () => {
    const touched = { elsewhere: ['mbarrier 64'] }
    const f = finding({ id: 'U2' })
    expect(named(change('mbarrier wait'), { findings: [f] }, { touched })).toBe('edge')
    expect(named(change('mbarrier arrive'), { findings: [f] }, { touched })).toBe(null)
    expect(named(change('mbarrier wait'), { findings: [finding({ id: 'U1' })] }, { touched })).toBe(null)
    expect(
      named(change('mbarrier wait'), { findings: [f] }, { touched: { elsewhere: ['mbarrier 72'] } }),
    ).toBe(null)
    expect(named(change('mbarrier wait'), { findings: [f] })).toBe(null)
    expect(
      named(
        change('mbarrier wait'),
        { findings: [f] },
        { touched: { elsewhere: ['mbarrier 72', 'mbarrier 64'] } },
      ),
    ).toBe('edge')
  })
  test('what stands in its window', () => {
    const window: Window = { labels: new Set(['behind']), isLast: false }
    const c = change('bar')
    expect(named(c, { findings: [finding({ a: 'behind' })] }, { window })).toBe('edge')
    expect(named(c, { findings: [finding({ b: 'behind' })] }, { window })).toBe('edge')
    expect(named(c, { findings: [finding({ a: 'behind, a copy' })] }, { window })).toBe('edge')
    expect(named(c, { findings: [finding({})] }, { window })).toBe(null)
    expect(named(c, { fault: 'behind' }, { window })).toBe('edge')
    expect(named(c, { fault: 'elsewhere' }, { window })).toBe(null)
  })
  test('where threads met before their end, what runs on', () => {
    const last: Window = { labels: new Set(), isLast: true }
    const meets = kinds.filter(
      (kind) => named(change(kind), { findings: [finding({ id: 'U2' })] }, { window: last }) === 'edge',
    )
    expect(meets).toEqual(['bar', 'cluster barrier'])
    expect(named(change('bar'), { findings: [finding({}), finding({ id: 'U2' })] }, { window: last })).toBe(
      'edge',
    )
    expect(named(change('bar'), { findings: [finding({ id: 'U2' })] })).toBe(null)
    expect(named(change('bar'), { findings: [finding({ id: 'U1' })] }, { window: last })).toBe(null)
  })
})

// ---------------------------------------------------------------- cycles and rules

describe('cycle', () => {
  const blocked = (site: string, ...about: ReadonlyArray<Subject>): Verdict['blocked'] => [
    { about: [], operation: { site: 'elsewhere' } },
    { about, operation: { site } },
  ]
  test('an agent is blocked at it, or on its barrier', () => {
    const c = change('mbarrier arrive')
    const of = (b: Verdict['blocked'], verdict = 'deadlock'): unknown => named(c, { verdict, blocked: b! })
    expect(of(blocked('own'))).toBe('cycle')
    expect(of(blocked('own, a copy'))).toBe('cycle')
    expect(of(blocked('other', ofPlane(0), ofBarrier(0)))).toBe('cycle')
    expect(of(blocked('other', ofBarrier(1)))).toBe(null)
    expect(of(blocked('other'))).toBe(null)
    expect(of(blocked('own'), 'hazard')).toBe(null)
  })
  test('at itself although it is left out: a copy of it may be there', () => {
    expect(
      named(change('bar', { manner: 'absent' }), { verdict: 'deadlock', blocked: blocked('own')! }),
    ).toBe('cycle')
  })
})

describe('rule', () => {
  test('a finding about its barrier', () => {
    const c = change('mbarrier init')
    expect(named(c, { findings: [finding({ about: [ofPlane(0), ofBarrier(0)] })] })).toBe('rule')
    expect(named(c, { findings: [finding({ about: [ofBarrier(1)] })] })).toBe(null)
    expect(named(c, { findings: [finding({ about: [ofBarrier(0)] })] }, { own: [] })).toBe(null)
  })
  test('a fault at it, or at what it changed places with', () => {
    expect(named(change('bar'), { fault: 'own' })).toBe('rule')
    expect(named(change('bar', { manner: 'absent' }), { fault: 'own' })).toBe('rule')
    expect(named(change('bar', { other: 'other' }), { fault: 'other' })).toBe('rule')
    expect(named(change('bar'), { fault: 'other' })).toBe(null)
  })
  test('a fault at what is about its mbarrier in the text', () => {
    const found = kinds.filter(
      (kind) =>
        named(change(kind), { fault: 'other' }, { touched: { other: ['barrier 9', 'mbarrier 64'] } }) ===
        'rule',
    )
    expect(found).toEqual(ofMbarriers)
    expect(named(change('mbarrier init'), { fault: 'other' }, { touched: { other: ['mbarrier 72'] } })).toBe(
      null,
    )
    expect(named(change('mbarrier init'), { fault: 'other' })).toBe(null)
    expect(named(change('mbarrier init'), {}, { touched: { other: ['mbarrier 64'] } })).toBe(null)
  })
  test('columns: what allocates them', () => {
    const by = (f: Diagnosis): ReadonlyArray<Kind> =>
      kinds.filter((kind) => named(change(kind), { findings: [f] }) === 'rule')
    expect(by(finding({ id: 'T1' }))).toEqual(['tensor allocation'])
    expect(by(finding({ about: [ofPlane(0), ofColumns] }))).toEqual(['tensor allocation'])
    expect(by(finding({ id: 'T2', about: [ofPlane(0)] }))).toEqual([])
  })
})

describe('the first way that points', () => {
  test('an edge before a cycle, a cycle before a rule, a rule before a window', () => {
    const c = change('mbarrier wait')
    const all = { about: [ofBarrier(0)], operation: { site: 'own' } }
    const window: Window = { labels: new Set(['behind']), isLast: true }
    const rule = finding({ a: 'behind', about: [ofBarrier(0)] })
    const edge = finding({ missing: { kind: 'wait', about: [ofBarrier(0)] } })
    const of = (verdict: string, ...findings: ReadonlyArray<Diagnosis>): unknown =>
      named(c, { verdict, blocked: [all], findings }, { window })
    expect(of('deadlock', rule, edge)).toBe('edge')
    expect(of('deadlock', rule)).toBe('cycle')
    expect(of('hazard', rule)).toBe('rule')
    expect(of('hazard', finding({ a: 'behind' }))).toBe('edge')
  })
})
