/** What lanes do between two meetings of all of them. Oracle: stretches written by hand, one that a rule takes and those that differ from it in one thing; and accesses drawn, pair by pair and byte by byte. */
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  isSameForNext,
  stretchesAround,
  unneeded,
  type Stretch,
} from '../../../../src/dialects/ptx/mutants/meetings.js'
import {
  asSpans,
  scattered,
  traceSchema,
  type Access,
  type BarrierEvent,
  type Header,
  type LogEvent,
  type Rendezvous,
  type Stamp,
  type Wait,
} from '../../../../src/semantics/log/events.js'

// ---------------------------------------------------------------- events

const labels = ['before', 'meeting', 'behind', 'all']
const header: Header = {
  schema: traceSchema,
  arch: 'sm90a',
  program: 'k',
  agents: [{ name: 'warp 0', cta: 0, warps: 1, firstWarp: 0, starts: true }],
  ctas: 1,
  planes: [{ space: 'smem', name: 'smem', cta: 0, bytes: 4096, initialised: false }],
  tensors: [],
  computes: null,
  barriers: [],
  sites: labels.map((label) => ({ label, path: [] })),
  nondeterminism: [],
}

const by = (label: string, lanes = -1): Stamp => ({
  agent: 0,
  at: 1,
  site: labels.indexOf(label),
  iteration: [],
  lanes,
})
let made = 0
const access = (label: string, rw: 'r' | 'w', lanes: number, addresses: ReadonlyArray<number>): Access => ({
  _tag: 'access',
  stamp: by(label, lanes),
  rw,
  proxy: 'generic',
  footprint: {
    id: made++,
    plane: 0,
    spans: asSpans(Int32Array.from([...new Set(addresses)].sort((a, b) => a - b).flatMap((a) => [a, a + 4]))),
    dtype: 'i32',
    map: scattered([addresses.length], Int32Array.from(addresses)),
  },
  role: rw === 'r' ? 'source' : 'destination',
  atomic: false,
})
const words = (of: (lane: number) => number, lanes = 32): ReadonlyArray<number> =>
  Array.from({ length: lanes }, (_, lane) => 4 * of(lane))
const own = (label: string, rw: 'r' | 'w'): Access =>
  access(
    label,
    rw,
    -1,
    words((lane) => lane),
  )
const arrival = (label: string, over: Partial<BarrierEvent> = {}, lanes = 1): BarrierEvent => ({
  _tag: 'barrier',
  stamp: by(label, lanes),
  kind: 'arrive',
  barrier: 0,
  count: 1,
  bytes: 0,
  release: true,
  scope: 'cta',
  tensor: false,
  ...over,
})
const wait = (label: string, lanes = -1, over: Partial<Wait> = {}): Wait => ({
  _tag: 'wait',
  stamp: by(label, lanes),
  barrier: 1,
  parity: 0,
  acquire: true,
  scope: 'cta',
  tensor: false,
  outcome: 'passed',
  ...over,
})
const meeting: LogEvent = { _tag: 'warpSync', stamp: by('meeting') }
const all: LogEvent = { _tag: 'warpSync', stamp: by('all') }
const fence = (label: string, lanes: number): LogEvent => ({
  _tag: 'fence',
  stamp: by(label, lanes),
  kind: 'memory',
  scope: 'cta',
})

const stretches = (label: string | null, ...events: ReadonlyArray<LogEvent>): ReadonlyArray<Stretch> => {
  const fold = stretchesAround(32, label)
  let state = fold.init(header)
  for (const e of events) state = fold.observe(state, e)
  return fold.finish(state)
}
const asked = (...events: ReadonlyArray<LogEvent>): string | null =>
  unneeded(stretches('meeting', all, ...events, all), 'meeting')

// ---------------------------------------------------------------- rules

describe('nothing to order', () => {
  test('each lane its own words', () => {
    expect(asked(own('before', 'w'), meeting, own('behind', 'r'))).toBe('nothing to order')
    expect(asked(own('before', 'w'), fence('before', -1), meeting, wait('behind'), own('behind', 'r'))).toBe(
      'nothing to order',
    )
  })
  test('law 1: one byte of another lane, an arrival, a fence of some lanes, an atomic', () => {
    const crossed = access(
      'behind',
      'r',
      -1,
      words((lane) => 31 - lane),
    )
    expect(asked(own('before', 'w'), meeting, crossed)).toBe(null)
    expect(asked(crossed, meeting, own('behind', 'w'))).toBe(null)
    // reads of one word by all are no conflict, with one store among them they are
    const one = access(
      'behind',
      'r',
      -1,
      words(() => 0),
    )
    expect(asked(own('before', 'r'), meeting, one)).toBe('nothing to order')
    expect(asked(access('before', 'w', 1, [0]), meeting, one)).toBe(null)
    expect(asked(access('before', 'w', 1, [0]), meeting, access('behind', 'r', 1, [0]))).toBe(
      'nothing to order',
    )
    expect(asked(own('before', 'w'), meeting, arrival('behind'))).toBe(null)
    expect(asked(own('before', 'w'), meeting, fence('behind', 1))).toBe(null)
    expect(asked(own('before', 'w'), meeting, { ...own('behind', 'w'), atomic: true })).toBe(null)
  })
  test('what is on the other side of a meeting of all lanes does not count, what a meeting of some has between does', () => {
    const crossed = access(
      'behind',
      'r',
      -1,
      words((lane) => 31 - lane),
    )
    expect(asked(own('before', 'w'), all, meeting, crossed)).toBe('nothing to order')
    expect(asked(own('before', 'w'), { _tag: 'warpSync', stamp: by('all', 0xffff) }, meeting, crossed)).toBe(
      null,
    )
    expect(
      asked(own('before', 'w'), { _tag: 'warpSync', stamp: by('all'), how: 'exchanges' }, meeting, crossed),
    ).toBe(null)
  })
  test('a meeting that the run does not come to', () => {
    expect(asked(own('before', 'w'))).toBe(null)
  })
  const accesses = fc.array(
    fc.record({
      rw: fc.constantFrom('r' as const, 'w' as const),
      lane: fc.integer({ min: 0, max: 3 }),
      word: fc.integer({ min: 0, max: 5 }),
    }),
    { maxLength: 5 },
  )
  test('drawn: no two accesses by two lanes have a word in common, of which one is stored', () => {
    fc.assert(
      fc.property(accesses, (drawn) => {
        const clash = drawn.some((a) =>
          drawn.some((b) => a.word === b.word && a.lane !== b.lane && (a.rw === 'w' || b.rw === 'w')),
        )
        const events = drawn.map(({ rw, lane, word }) => access('before', rw, 1 << lane, [4 * word]))
        expect(asked(...events, meeting)).toBe(clash ? null : 'nothing to order')
      }),
    )
  })
})

describe('known otherwise', () => {
  const announced = arrival('before', { bytes: 64 })
  const copy: LogEvent = {
    _tag: 'issue',
    stamp: by('behind', 0xff),
    operation: 0,
    unit: 'tmaLoad',
    bytes: 64,
    macs: 0,
    accumulates: false,
  }
  test('bytes are announced, and copies bring them', () => {
    expect(asked(announced, meeting, copy)).toBe('known otherwise')
  })
  test('not if somebody arrives there behind it, nor if bytes are announced without an arrival', () => {
    expect(asked(announced, meeting, copy, arrival('behind', {}, 2))).toBe(null)
    expect(asked(announced, meeting, copy, arrival('behind', { barrier: 3 }, 2))).toBe('known otherwise')
    expect(asked({ ...announced, kind: 'expect' }, meeting, copy)).toBe(null)
  })
  test('what one lane has waited for, all lanes wait for', () => {
    expect(asked(wait('before', 1), meeting, wait('behind'), copy)).toBe('known otherwise')
    for (const other of [
      wait('behind', 0xffff),
      wait('behind', -1, { barrier: 2 }),
      wait('behind', -1, { parity: 1 }),
      wait('behind', -1, { acquire: false }),
    ])
      expect(asked(wait('before', 1), meeting, other, copy)).toBe(null)
    expect(asked(wait('before', 1, { scope: 'cluster' }), meeting, wait('behind'), copy)).toBe(null)
    // too late: it has been used before
    expect(asked(wait('before', 1), meeting, copy, wait('behind'))).toBe(null)
  })
  test('not if a lane has stored before it', () => {
    expect(asked(access('before', 'w', 1, [0]), announced, meeting, copy)).toBe(null)
  })
})

describe('another lane', () => {
  const handed = new Set(['before'])
  const same = (...events: ReadonlyArray<LogEvent>): boolean =>
    isSameForNext(stretches(null, all, ...events, all), handed)
  test('an arrival right behind a meeting of all lanes, whatever they do then', () => {
    expect(same(arrival('before'))).toBe(true)
    expect(same(arrival('before'), own('behind', 'w'))).toBe(true)
    expect(same(wait('behind'), fence('behind', -1), arrival('before'), own('behind', 'w'))).toBe(true)
  })
  test('not behind what a lane has done or waited for by itself', () => {
    expect(same(own('behind', 'r'), arrival('before'))).toBe(false)
    expect(same(wait('behind', 1), arrival('before'))).toBe(false)
    expect(same(fence('behind', 1), arrival('before'))).toBe(false)
    expect(same(own('behind', 'r'), all, arrival('before'))).toBe(true)
  })
  test('what learns or stores is handed over only where nothing follows before all meet', () => {
    expect(same(wait('before', 2), access('before', 'w', 2, [0]), arrival('before'))).toBe(true)
    expect(same(wait('before', 2), arrival('before'), own('behind', 'r'))).toBe(false)
    expect(same(wait('before', 2), arrival('before'), all, own('behind', 'r'))).toBe(true)
  })
  test('an mbarrier may be made while others store, and not while they arrive', () => {
    const init = arrival('before', { kind: 'init' })
    expect(same(init, arrival('before'), own('behind', 'w'))).toBe(true)
    expect(same(init, arrival('before'), arrival('behind'))).toBe(false)
  })
  test('groups belong to the thread that closes them', () => {
    const commit: LogEvent = {
      _tag: 'group',
      stamp: by('before', 2),
      kind: 'commit',
      family: 'bulk',
      pending: 0,
      read: false,
      blocked: false,
    }
    expect(same(commit)).toBe(false)
  })
  test('not where the run does not come to it', () => {
    expect(same(own('behind', 'w'))).toBe(false)
  })
})

// ---------------------------------------------------------------- stretches, event by event

describe('stretches', () => {
  const lines = (
    threads: number,
    label: string | null,
    ...events: ReadonlyArray<LogEvent>
  ): ReadonlyArray<readonly [number, string]> => {
    const fold = stretchesAround(threads, label)
    const two: Header = {
      ...header,
      agents: [header.agents[0]!, { ...header.agents[0]!, name: 'warp 1', firstWarp: 1 }],
    }
    const state = events.reduce((g, e) => fold.observe(g, e), fold.init(two))
    return fold
      .finish(state)
      .map((s) => [s.all, s.acts.map((a) => `${a.label} ${a.event._tag}`).join(', ')] as const)
  }
  const leave = (more: Partial<Rendezvous> = {}, lanes = -1): LogEvent => ({
    _tag: 'rendezvous',
    stamp: by('all', lanes),
    kind: 'leave',
    id: 0,
    count: 1,
    threads: 32,
    ...more,
  })
  const load = own('before', 'r')
  test('end where all lanes leave a barrier of threads', () => {
    const two = [
      [-1, 'before access'],
      [-1, 'before access'],
    ]
    expect(lines(32, null, load, leave(), load)).toEqual(two)
    expect(lines(32, null, load, leave({ relaxed: false }), load)).toEqual(two)
    const one = [[-1, 'before access, all rendezvous, before access']]
    expect(lines(32, null, load, leave({ kind: 'arrive' }), load)).toEqual(one)
    expect(lines(32, null, load, leave({ relaxed: true }), load)).toEqual(one)
    expect(lines(32, null, load, leave({}, 0x7fffffff), load)).toEqual(one)
    // no stretch of no acts
    expect(lines(32, null, leave(), leave(), load)).toEqual([[-1, 'before access']])
    expect(lines(32, null)).toEqual([])
  })
  test('and where all meet, unless it is the meeting that is asked about', () => {
    expect(lines(32, null, load, meeting, load)).toHaveLength(2)
    expect(lines(32, 'all', load, meeting, load)).toHaveLength(2)
    expect(lines(32, 'meeting', load, meeting, load)).toEqual([
      [-1, 'before access, meeting warpSync, before access'],
    ])
  })
  test('and where a cluster ends', () => {
    const cluster = { _tag: 'cluster', index: 1 } as unknown as LogEvent
    expect(lines(32, null, load, cluster, load)).toEqual([
      [-1, 'before access'],
      [-1, 'before access'],
    ])
  })
  test('of each warp its own; the last one has the lanes that are left', () => {
    const of = (lanes?: number): LogEvent => ({
      _tag: 'warpSync',
      stamp: {
        agent: 1,
        at: 1,
        site: labels.indexOf('all'),
        iteration: [],
        ...(lanes === undefined ? {} : { lanes }),
      },
    })
    const other: LogEvent = { ...load, stamp: { ...load.stamp, agent: 1 } }
    expect(lines(40, null, load, other, of(0xff), load, other)).toEqual([
      [0xff, 'before access'],
      [-1, 'before access, before access'],
      [0xff, 'before access'],
    ])
    expect(lines(40, null, other, of(0x7f), other)).toEqual([
      [0xff, 'before access, all warpSync, before access'],
    ])
    expect(lines(64, null, other, of(0xff), other)).toEqual([
      [-1, 'before access, all warpSync, before access'],
    ])
    expect(lines(96, null, other, of(), other)).toHaveLength(2)
  })
  test('without what operations do by themselves, and what is told ahead', () => {
    const ahead = { _tag: 'ahead', stamp: by('behind') } as unknown as LogEvent
    expect(lines(32, null, ahead, { ...load, operation: 3 }, load)).toEqual([[-1, 'before access']])
  })
})

describe('nothing to order, byte by byte', () => {
  const raw = (label: string, rw: 'r' | 'w', lanes: number, addresses: ReadonlyArray<number>): Access =>
    access(label, rw, lanes, addresses)
  const plane = (a: Access, of: number): Access => ({ ...a, footprint: { ...a.footprint, plane: of } })
  test('elements that are dealt to no lane are touched by all of them', () => {
    // three words and two lanes
    expect(asked(raw('before', 'w', 3, [0, 4, 8]), meeting)).toBe(null)
    expect(asked(raw('before', 'r', 3, [0, 4, 8]), meeting)).toBe('nothing to order')
    for (const [word, same] of [
      [0, null],
      [8, null],
      [12, 'nothing to order'],
    ] as const)
      expect(asked(raw('before', 'r', 3, [0, 4, 8]), meeting, raw('behind', 'w', 1, [word]))).toBe(same)
    // a gap between two of them
    expect(asked(raw('before', 'r', 3, [0, 8, 16]), meeting, raw('behind', 'w', 1, [16]))).toBe(null)
    expect(asked(raw('before', 'r', 3, [0, 8, 16]), meeting, raw('behind', 'w', 1, [4]))).toBe(
      'nothing to order',
    )
  })
  test('and so is all that lanes do as one', () => {
    const together = (a: Access): Access => ({ ...a, stamp: { ...a.stamp, whole: true } })
    expect(asked(raw('before', 'w', 3, [0, 4]), meeting)).toBe('nothing to order')
    expect(asked(together(raw('before', 'w', 3, [0, 4])), meeting)).toBe(null)
  })
  test('an element that is nowhere is touched by nothing', () => {
    const a = raw('before', 'w', 7, [0, 8])
    const map = scattered([3], Int32Array.from([0, -1, -1]))
    expect(asked({ ...a, footprint: { ...a.footprint, map } }, meeting)).toBe('nothing to order')
  })
  test('one place of two is enough', () => {
    expect(asked(plane(raw('before', 'w', 1, [0]), 0), meeting, plane(raw('behind', 'r', 2, [0]), 1))).toBe(
      'nothing to order',
    )
    expect(
      asked(
        plane(raw('before', 'w', 1, [0]), 0),
        plane(raw('before', 'w', 1, [0]), 1),
        meeting,
        plane(raw('behind', 'r', 2, [0]), 1),
      ),
    ).toBe(null)
  })
  test('accesses by another proxy, or of a tensor map, order something', () => {
    expect(asked({ ...own('before', 'w'), proxy: 'async' }, meeting)).toBe(null)
    expect(asked({ ...own('before', 'w'), role: 'map' }, meeting)).toBe(null)
  })
  test('all lanes come to a barrier; who is blocked there has not', () => {
    const at = (kind: Rendezvous['kind']): LogEvent => ({
      _tag: 'rendezvous',
      stamp: by('behind'),
      kind,
      id: 0,
      count: 1,
      threads: 32,
    })
    expect(asked(own('before', 'w'), meeting, at('arrive'))).toBe('nothing to order')
    expect(asked(own('before', 'w'), meeting, at('blocked'))).toBe(null)
    expect(asked(own('before', 'w'), meeting, wait('behind', -1, { outcome: 'blocked' }))).toBe(null)
  })
})

describe('known otherwise, one thing changed', () => {
  const issue = (label: string, unit: 'tmaLoad' | 'tmaStore', lanes = 1): LogEvent => ({
    _tag: 'issue',
    stamp: by(label, lanes),
    operation: 0,
    unit,
    bytes: 64,
    macs: 0,
    accumulates: false,
  })
  test('before the meeting copies that arrive, and what all lanes do', () => {
    expect(asked(issue('before', 'tmaLoad'), meeting, arrival('behind'))).toBe('known otherwise')
    expect(asked(issue('before', 'tmaStore'), meeting, arrival('behind'))).toBe(null)
    expect(asked(fence('before', -1), issue('before', 'tmaLoad'), meeting, arrival('behind'))).toBe(
      'known otherwise',
    )
    expect(asked(fence('before', 1), issue('before', 'tmaLoad'), meeting, arrival('behind'))).toBe(null)
  })
  test('behind it what is common may be all that there is', () => {
    // nothing else, then nothing else behind a wait, then another wait before it
    const told = [wait('before', 1), arrival('before'), meeting]
    expect(asked(...told, wait('behind'))).toBe('known otherwise')
    expect(asked(...told)).toBe(null)
    expect(asked(...told, fence('behind', -1), wait('behind'), issue('behind', 'tmaLoad'))).toBe(
      'known otherwise',
    )
    expect(asked(wait('before', 1), wait('before', 1, { barrier: 4 }), meeting, wait('behind'))).toBe(null)
    expect(asked(wait('before', 1, { outcome: 'blocked' }), meeting, wait('behind'))).toBe(null)
    expect(asked(...told, wait('behind', -1, { outcome: 'blocked' }))).toBe(null)
  })
  test('the meeting comes once in the stretch', () => {
    expect(asked(arrival('before'), meeting, issue('behind', 'tmaLoad'), meeting)).toBe(null)
  })
  test('in all stretches', () => {
    const right = [arrival('before'), meeting, issue('behind', 'tmaLoad'), all]
    const wrong = [access('before', 'w', 1, [0]), arrival('before'), meeting, all]
    const plain = [own('before', 'w'), meeting, all]
    const of = (...some: ReadonlyArray<ReadonlyArray<LogEvent>>): string | null =>
      unneeded(stretches('meeting', ...some.flat()), 'meeting')
    expect([of(right), of(wrong), of(plain)]).toEqual(['known otherwise', null, 'nothing to order'])
    expect([of(right, right), of(right, plain), of(plain, plain)]).toEqual([
      'known otherwise',
      'known otherwise',
      'nothing to order',
    ])
    expect([of(right, wrong), of(plain, wrong)]).toEqual([null, null])
    // where it does not come, nothing is asked
    expect(of(plain, [access('before', 'w', 1, [0]), arrival('before'), all])).toBe('nothing to order')
  })
})

describe('another lane, one thing changed', () => {
  const handed = new Set(['before'])
  const same = (...events: ReadonlyArray<LogEvent>): boolean =>
    isSameForNext(stretches(null, all, ...events), handed)
  const store = own('behind', 'w')
  test('bytes that are announced, and an mbarrier that is made visible', () => {
    const init = arrival('before', { kind: 'init' })
    expect(same(arrival('before', { kind: 'expect' }), store)).toBe(true)
    expect(same(arrival('before', { kind: 'expect' }), arrival('behind'))).toBe(true)
    expect(same(arrival('before', { kind: 'inval' }), store)).toBe(false)
    const visible = (kind: 'mbarrierInit' | 'memory'): LogEvent =>
      ({ _tag: 'fence', stamp: by('before', 1), kind, scope: 'cluster' }) as LogEvent
    expect(same(init, visible('mbarrierInit'), store)).toBe(true)
    expect(same(init, visible('memory'), store)).toBe(false)
    expect(same(init, store, arrival('behind'))).toBe(false)
    expect(same(init, store, wait('behind', 1))).toBe(false)
    expect(same(init)).toBe(true)
  })
  test('lanes that meet do nothing', () => {
    const some: LogEvent = { _tag: 'warpSync', stamp: by('before', 3) }
    expect(same(some, store)).toBe(true)
  })
  test('what belongs to its thread', () => {
    const tagged = (tag: 'alloc' | 'dealloc'): LogEvent =>
      ({ _tag: tag, stamp: by('before', 1) }) as unknown as LogEvent
    expect(same(tagged('alloc'))).toBe(false)
    expect(same(tagged('dealloc'))).toBe(false)
    // one of several is enough
    expect(same(arrival('before'), tagged('alloc'))).toBe(false)
  })
  test('another lane between two of them', () => {
    expect(same(arrival('before'), arrival('before'), store)).toBe(true)
    expect(same(arrival('before'), store, arrival('before'))).toBe(false)
    expect(same(arrival('before'), fence('behind', -1), arrival('before'))).toBe(true)
  })
  test('in all stretches, and in some at least', () => {
    expect(same(arrival('before'), all, store)).toBe(true)
    expect(same(arrival('before'), all, store, arrival('before'))).toBe(false)
    expect(same(store, arrival('before'), all, arrival('before'))).toBe(false)
    expect(same(store, all, fence('behind', 1))).toBe(false)
  })
})
