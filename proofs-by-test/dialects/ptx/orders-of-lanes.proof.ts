/**
 * What lanes of one warp leave open: which of them stores last, which takes the first ticket, whose arrival ends a phase. Oracle: both orders of two lanes, by hand. What no
 * search follows is said: no verdict says that every schedule was followed where one order of lanes was.
 */
import { describe, expect, test } from 'vitest'
import { bits } from '../../../src/numerics/bits.js'
import { warpSource } from '../../../src/semantics/execution/launch-warps.js'
import { checkSource, standardOptions } from '../../../src/semantics/verdict/check.js'
import { right } from '../../either.js'
import { nightly } from '../../extent.js'
import { groundOfText } from './mutants/subjects.js'
import { textOf } from './mutants/warps.js'

const verdictOf = (body: ReadonlyArray<string>, threads = 32, explore = false) => {
  const { program, given } = groundOfText(textOf(body), threads)
  const how = Object.assign({}, standardOptions, { algebra: bits('hopper'), explore })
  const { verdict } = right(checkSource(warpSource(program, given), how))
  return {
    verdict: verdict.verdict,
    reason: verdict.reason,
    ids: [...new Set(verdict.findings.map(({ id }) => id))],
    notes: [...new Set(verdict.notes.map(({ id }) => id))],
    scope: verdict.scope,
  }
}
const found = (body: ReadonlyArray<string>, threads = 32): ReadonlyArray<string> => {
  const { verdict, ids } = verdictOf(body, threads)
  return [verdict, ...ids]
}

describe('all lanes store strongly to one word, and meet, and read it', () => {
  const stored = (store: string, value: string): ReadonlyArray<string> => [
    `${store} [%r9], ${value};`,
    'bar.warp.sync -1;',
    'ld.shared.u32 %r11, [%r9];',
    'st.global.u32 [%rd3], %r11;',
  ]
  const stores = ['st.relaxed.cta.shared.u32', 'st.volatile.shared.u32', 'st.release.cta.shared.u32']
  test.each(stores)('%s: of one value, whichever is last', (store) => {
    expect(found(stored(store, '1'))).toEqual(['ok'])
  })
  test.each(stores)('%s: of values of their own, which is last is open', (store) => {
    // no race by the manual: both are strong; the result depends on which is last
    expect(found(stored(store, '%r7'))).toEqual(['hazard', 'V2'])
  })
  test('a plain store of values of their own is a race', () => {
    expect(found(stored('st.shared.u32', '%r7'))).toEqual(['hazard', 'D5'])
  })
  test('of two values, to two words', () => {
    const of = (value: string): ReadonlyArray<string> => [
      'and.b32 %r12, %r7, 1;',
      'shl.b32 %r13, %r12, 2;',
      'add.u32 %r13, %r2, %r13;',
      `st.relaxed.cta.shared.u32 [%r13], ${value};`,
      'bar.warp.sync -1;',
      'ld.shared.u32 %r11, [%r13];',
      'st.global.u32 [%rd3], %r11;',
    ]
    expect([found(of('%r12')), found(of('%r7'))]).toEqual([['ok'], ['hazard', 'V2']])
  })
  test('and none reads it: the result is the same', () => {
    // each lane's store is an event, and who may come last is asked of each: by day of a quarter of the warp
    const lanes = nightly ? 32 : 8
    const lines = [
      `setp.lt.u32 %p4, %r7, ${String(lanes)};`,
      '@%p4 st.relaxed.cta.shared.u32 [%r9], %r7;',
      'st.global.u32 [%rd3], 7;',
    ]
    expect(found(lines)).toEqual(['ok'])
  })
  test.each([2, 3, 4])('the leaders of %i warps do', (warps) => {
    const ends = [
      '@!%p1 st.relaxed.cta.shared.u32 [%r9], %r1;',
      'bar.sync 0;',
      'ld.shared.u32 %r11, [%r9];',
      '@%p2 st.global.u32 [%rd3], %r11;',
    ]
    expect(found(ends, 32 * warps)).toEqual(['hazard', 'V2'])
  })
})

/**
 * Peterson's lock between two lanes: each says that it wants to enter and gives way, by one instruction that stores its own value for both. `fence`: between what a lane stores and
 * what it reads.
 */
const peterson = (fence: string): ReadonlyArray<string> => [
  'setp.gt.u32 %p4, %r7, 1;',
  // s[0], s[1]: who wants to enter; s[2]: who gives way; s[3]: entered so often
  '@%p1 bra begun;',
  'st.shared.u32 [%r2], 0;',
  'st.shared.u32 [%r2+4], 0;',
  'st.shared.u32 [%r2+8], 0;',
  'st.shared.u32 [%r2+12], 0;',
  'begun:',
  'bar.warp.sync -1;',
  '@%p4 bra over;',
  'xor.b32 %r11, %r7, 1;',
  'shl.b32 %r12, %r11, 2;',
  'add.u32 %r12, %r2, %r12;',
  'st.relaxed.cta.shared.u32 [%r4], 1;',
  fence,
  'st.relaxed.cta.shared.u32 [%r2+8], %r11;',
  'again:',
  fence,
  'ld.relaxed.cta.shared.u32 %r13, [%r12];',
  'setp.eq.u32 %p5, %r13, 0;',
  '@%p5 bra enter;',
  fence,
  'ld.relaxed.cta.shared.u32 %r13, [%r2+8];',
  'setp.eq.u32 %p6, %r13, %r11;',
  '@%p6 bra again;',
  'enter:',
  fence,
  'ld.shared.u32 %r14, [%r2+12];',
  'add.u32 %r14, %r14, 1;',
  'st.shared.u32 [%r2+12], %r14;',
  fence,
  'st.relaxed.cta.shared.u32 [%r4], 0;',
  'over:',
  'bar.warp.sync -1;',
  'ld.shared.u32 %r15, [%r2+12];',
  'st.global.u32 [%rd3], %r15;',
]

test('a lock of two lanes that give way by one instruction', () => {
  // Each lane goes past fences of the other, which are in an order with its own. That order is not followed, so no search has earned an `ok`, although by hand every order is right.
  // Say both enter, and none has left. If both have read 0: one of the fences before those reads is the later one, and its lane would have seen the 1 of the other.
  // If one has read 0: its fence before that read comes before the fence behind the other's 1. So the other stores later who gives way, finds its own store, and waits.
  // If none has: who has stored last who gives way finds its own store, and waits. And who enters because the other has left takes its 0, between two fences, and sees what it did.
  expect(found(peterson('fence.sc.cta;'))).toEqual(['undecided'])
  expect(found(peterson('fence.acq_rel.cta;'))).toEqual(['hazard', 'D5'])
})

describe('a word that one lane clears, and another sets, by exchanges', () => {
  const flag = (meet: string): ReadonlyArray<string> => [
    'st.global.u32 [%rd3], 7;',
    '@!%p1 atom.shared.exch.b32 %r11, [%r9], 0;',
    meet,
    'setp.ne.u32 %p4, %r7, 3;',
    '@!%p4 atom.shared.exch.b32 %r12, [%r9], 1;',
    '@%p1 bra over;',
    'again:',
    'atom.shared.add.u32 %r13, [%r9], 0;',
    'setp.eq.u32 %p5, %r13, 0;',
    '@%p5 bra again;',
    'over:',
  ]
  test('behind a meeting the second stays: what was cleared comes before it', () => {
    expect(found(flag('bar.warp.sync -1;'))).toEqual(['ok'])
  })
  test('without one it may be cleared last, and is waited for in vain', () => {
    expect(found(flag(''))).toEqual(['deadlock', 'B5'])
  })
  test('what the first one finds is a read of nothing only where it is used', () => {
    const kept = [...flag('bar.warp.sync -1;'), '@!%p1 st.global.u32 [%rd3], %r11;']
    expect(found(kept)).toEqual(['hazard', 'I1'])
  })
})

/** The counter is zeroed by all threads, and the leader of each warp adds: the lanes of the warp that comes first write. */
const counted = (zero: ReadonlyArray<string>): ReadonlyArray<string> => [
  ...zero,
  'bar.sync 0;',
  'mov.u32 %r11, 0;',
  '@%p1 bra added;',
  'atom.shared.add.u32 %r11, [%r9], 1;',
  'added:',
  'shfl.sync.idx.b32 %r12, %r11, 0, 31, -1;',
  'setp.eq.u32 %p5, %r12, 0;',
  '@%p5 st.global.u32 [%rd3], %r7;',
]

test('a search goes on past threads that store one value to one word', () => {
  const { verdict, reason, notes } = verdictOf(counted(['st.shared.u32 [%r9], 0;']), 64)
  expect([verdict, notes]).toEqual(['ok', ['N4']])
  expect(reason).toContain('no hazards in any schedule (all of them searched')
  // other values are a race, whatever the counter does
  expect(found(counted(['st.shared.u32 [%r9], %r1;']), 64)[0]).toBe('hazard')
})

test.each([
  ['add', 'max', 'undecided'],
  ['max', 'add', 'undecided'],
  ['add', 'add', 'ok'],
  ['max', 'max', 'ok'],
])(
  'operations that combine into a word: %s and %s, no search follows which is first: %s',
  (one, other, said) => {
    const red = (how: string): string =>
      `red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.${how}.u32 [%r9], %r11, [%r8];`
    const { verdict, ids } = verdictOf([
      'st.global.u32 [%rd3], %r1;',
      '@%p1 bra gone;',
      'st.shared.u32 [%r9], 5;',
      'mbarrier.init.shared::cta.b64 [%r8], 1;',
      'fence.mbarrier_init.release.cluster;',
      'mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r8], 8;',
      'mov.u32 %r11, 10;',
      red(one),
      red(other),
      'again:',
      'mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p5, [%r8], 0;',
      '@!%p5 bra again;',
      'ld.shared.u32 %r12, [%r9];',
      // 15 or 20: another order writes
      'setp.gt.u32 %p4, %r12, 17;',
      '@%p4 st.global.u32 [%rd3], %r12;',
      'gone:',
    ])
    expect([verdict, ...ids]).toEqual([said])
  },
)

test('what two warps store is compared, also behind a branch of one lane', () => {
  const stored = (value: string): ReadonlyArray<string> => [
    'setp.ne.u32 %p4, %r1, 0;',
    '@%p4 bra begun;',
    'mbarrier.init.shared::cta.b64 [%r8], 1;',
    'begun:',
    `st.shared.u32 [%r4], ${value};`,
    'bar.sync 0;',
    '@!%p2 st.shared.u32 [%r4], 5;',
    'bar.sync 0;',
    'ld.shared.u32 %r11, [%r4];',
    '@%p2 st.global.u32 [%rd3], %r11;',
  ]
  const { verdict, notes } = verdictOf(stored('0'), 64)
  expect([verdict, notes]).toEqual(['ok', ['N4']])
  expect(found(stored('%r1'), 64)).toEqual(['hazard', 'D1'])
})

describe('one order of the lanes is followed', () => {
  /** Lane 0 counts, and lane 1: the one that comes second stores. */
  const both: ReadonlyArray<string> = [
    'setp.gt.u32 %p4, %r7, 1;',
    '@%p4 bra over;',
    '@%p1 bra second;',
    'atom.relaxed.cta.shared.exch.b32 %r11, [%r9], 1;',
    'bra over;',
    'second:',
    'atom.relaxed.cta.shared.exch.b32 %r11, [%r9], 1;',
    'setp.ne.u32 %p5, %r11, 0;',
    '@%p5 bra over;',
    'st.global.u32 [%rd1], 1;',
    'over:',
  ]
  const begun: ReadonlyArray<string> = [
    'st.global.u32 [%rd3], 7;',
    '@!%p1 st.shared.u32 [%r9], 0;',
    'bar.warp.sync -1;',
  ]
  test('which the verdict says', () => {
    const { reason, scope, verdict } = verdictOf([...begun, ...both])
    expect(`${verdict}: ${reason}`).not.toContain('no hazards in any schedule (all')
    expect(scope.join()).toContain('by lanes of one warp')
  })
  test('but not where a meeting orders them', () => {
    const met = both.map((line) => (line === 'second:' ? 'second: bar.warp.sync 3;' : line))
    const { scope } = verdictOf([
      ...begun,
      ...met.map((line) => (line === 'bra over;' ? 'bar.warp.sync 3; bra over;' : line)),
    ])
    expect(scope.join()).not.toContain('by lanes of one warp')
  })
})

test('an arrival of one lane that may take the place of another one is no matter for a search of warps', () => {
  const body = (met: string): ReadonlyArray<string> => [
    'setp.ne.u32 %p4, %r1, 0;',
    '@%p4 bra begun;',
    'mbarrier.init.shared::cta.b64 [%r8], 32;',
    'begun:',
    'bar.sync 0;',
    '@!%p2 bra waits;',
    'st.shared.u32 [%r4], %r1;',
    'mbarrier.arrive.shared::cta.b64 _, [%r8];',
    met,
    '@!%p1 mbarrier.arrive.shared::cta.b64 _, [%r8];',
    'bra over;',
    'waits:',
    'again:',
    'mbarrier.try_wait.parity.shared::cta.b64 %p5, [%r8], 0;',
    '@!%p5 bra again;',
    'ld.shared.u32 %r11, [%r4];',
    'st.global.u32 [%rd3], %r11;',
    'over:',
  ]
  // lane 0 may arrive twice before lane 31 does once
  expect(verdictOf(body(''), 64, true).verdict).toBe('undecided')
  expect(verdictOf(body('bar.warp.sync -1;'), 64, true).verdict).toBe('ok')
})

describe('lane 0 arrives at the cluster barrier, and the others have ended, or will', () => {
  test.each([
    ['in the branch behind it', ['@%p1 bra over;']],
    ['in their own', ['@%p1 bra aside;']],
  ])('%s', (_, parted) => {
    const body = [
      'st.global.u32 [%rd3], %r1;',
      ...parted,
      'barrier.cluster.arrive.release;',
      'barrier.cluster.wait.acquire;',
      'barrier.cluster.arrive.release;',
      'barrier.cluster.wait.acquire;',
      'bra over;',
      'aside:',
      'ret;',
      'over:',
    ]
    expect(found(body)).toEqual(['ok'])
  })
})

describe('lanes come to the barrier of the cluster, and each reads what another lane stored', () => {
  const through = (arrive: string, before: ReadonlyArray<string> = []): ReadonlyArray<string> => [
    'st.shared.u32 [%r4], %r1;',
    ...before,
    `barrier.cluster.arrive.${arrive}.aligned;`,
    'barrier.cluster.wait.acquire.aligned;',
    'xor.b32 %r12, %r3, 4;',
    'add.u32 %r12, %r2, %r12;',
    'ld.shared.u32 %r11, [%r12];',
    'st.global.u32 [%rd3], %r11;',
  ]
  test('released', () => {
    expect(found(through('release'))).toEqual(['ok'])
  })
  test('relaxed', () => {
    expect(found(through('relaxed'))[0]).toBe('hazard')
  })
  test('relaxed, behind a fence of each, or a meeting', () => {
    expect(found(through('relaxed', ['fence.acq_rel.cluster;']))).toEqual(['ok'])
    expect(found(through('relaxed', ['bar.warp.sync -1;']))).toEqual(['ok'])
  })
  test('an mbarrier that one lane has initialised and fenced, relaxed', () => {
    expect(
      found([
        'st.global.u32 [%rd3], %r1;',
        '@%p1 bra begun;',
        'mbarrier.init.shared::cta.b64 [%r8], 32;',
        'fence.mbarrier_init.release.cluster;',
        'begun:',
        'barrier.cluster.arrive.relaxed.aligned;',
        'barrier.cluster.wait.acquire.aligned;',
        'mbarrier.arrive.shared::cta.b64 _, [%r8];',
      ]),
    ).toEqual(['ok'])
  })
})

test('lanes that wait in turn for one word, each for its own number, and give it on: none waits for the others', () => {
  const body = [
    'st.shared.u32 [%r9], 0;',
    'bar.sync 0;',
    'again:',
    'ld.acquire.cta.shared.u32 %r11, [%r9];',
    'setp.ne.u32 %p5, %r11, %r1;',
    '@%p5 bra again;',
    'add.u32 %r12, %r1, 1;',
    'st.release.cta.shared.u32 [%r9], %r12;',
    'st.global.u32 [%rd3], %r11;',
  ]
  const { verdict, ids } = verdictOf(body, 32, true)
  expect([verdict, ids]).toEqual(['ok', []])
})
