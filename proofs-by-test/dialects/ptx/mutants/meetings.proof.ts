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
