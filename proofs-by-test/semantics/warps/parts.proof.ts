/**
 * Parts of a warp that wait: at a meeting of lanes, wherever it stands, and for what other agents or other parts do. Oracle: what each kernel leaves, by hand, from its
 * threads.
 */
import { describe, expect, test } from 'vitest'
import { bits } from '../../../src/numerics/bits.js'
import { launchWarps, usualSharedBase, warpSource } from '../../../src/semantics/execution/launch-warps.js'
import { eager, lazy, recorded, seeded, type AnyPolicy } from '../../../src/semantics/execution/policy.js'
import { collect, run, settings } from '../../../src/semantics/execution/run.js'
import { readKey, showKey } from '../../../src/semantics/execution/step.js'
import type { Verdict } from '../../../src/semantics/judging/verdict.js'
import { copyOut } from '../../../src/semantics/machine/plane.js'
import { checkSource, standardOptions } from '../../../src/semantics/verdict/check.js'
import { right } from '../../either.js'
import { moduleOf, programOf } from '../../dialects/ptx/small-text.js'

const words = 64

/** %t: the thread; %l: its lane; %v: 100 and its number; %p: the address of its word of p; %s: of its word of s; %m: of the word of its mirror among 32 lanes. */
const kernel = (body: string): string =>
  moduleOf(
    ['p'],
    `.reg .b32 %t, %l, %v, %s, %m, %k, %i, %h, %r<16>; .reg .b64 %p, %q, %z; .reg .pred %c<8>;
.shared .align 16 .b8 s[256]; .shared .align 8 .b64 full; .shared .align 8 .b64 empty; .shared .align 4 .b32 f; .shared .align 4 .b32 g;
ld.param.u64 %q, [p]; mov.u32 %t, %tid.x; and.b32 %l, %t, 31; add.u32 %v, %t, 100; mul.wide.u32 %p, %t, 4; add.s64 %p, %q, %p;
mov.u32 %r0, s; shl.b32 %s, %t, 2; add.u32 %s, %r0, %s; xor.b32 %m, %t, 31; shl.b32 %m, %m, 2; add.u32 %m, %r0, %m;
setp.lt.u32 %c1, %l, 16; setp.lt.u32 %c2, %t, 32; setp.eq.u32 %c3, %t, 0; setp.lt.u32 %c4, %l, 8;
${body}`,
  )

const sourceOf = (body: string, threads: number) => ({
  program: programOf(kernel(body)),
  launch: {
    grid: [1],
    block: [threads],
    cluster: null,
    dynamicBytes: 0,
    parameters: new Uint8Array(8),
    pointers: [{ offset: 0, tensor: 'p' }],
    tensors: [
      {
        name: 'p',
        role: 'inout' as const,
        contents: new Uint8Array(4 * words),
        bytes: 4 * words,
        elements: null,
        symbol: null,
      },
    ],
    sharedBase: usualSharedBase,
  },
})

interface Told {
  readonly verdict: Verdict
  readonly left: ReadonlyArray<number>
}

const told = (body: string, threads = 32, policy: AnyPolicy = eager): Told => {
  const { program, launch } = sourceOf(body, threads)
  const { verdict, world, machine } = right(
    checkSource(warpSource(program, launch), {
      ...standardOptions,
      algebra: bits('hopper'),
      policy,
      provenance: false,
      explore: true,
    }),
  )
  const left = new Uint8Array(4 * words)
  copyOut(machine.planes[world.header.planes.findIndex(({ name }) => name === 'p')]!, 0, left.length, left)
  return { verdict, left: [...new Int32Array(left.buffer)] }
}

const policies = [eager, lazy, seeded(1), seeded(2), seeded(3)]
const filled = (of: (t: number) => number, threads = 32): ReadonlyArray<number> =>
  Array.from({ length: words }, (_, t) => (t < threads ? of(t) : 0))

// ---------------------------------------------------------------- meetings of lanes

const out = 'ld.shared.b32 %r9, [%m]; st.global.b32 [%p], %r9;'

describe('bar.warp.sync meets the lanes of its mask', () => {
  const met: ReadonlyArray<readonly [string, string]> = [
    [
      'at two places',
      `@%c1 bra A; st.shared.b32 [%s], %v; bar.warp.sync -1; bra.uni J; A: st.shared.b32 [%s], %v; bar.warp.sync -1; J: ${out} ret;`,
    ],
    [
      'at three places, of which one is inside another branch',
      `@%c1 bra A; st.shared.b32 [%s], %v; bar.warp.sync -1; bra.uni J; A: st.shared.b32 [%s], %v; @%c4 bra B; bar.warp.sync -1; bra.uni J; B: bar.warp.sync -1; J: ${out} ret;`,
    ],
    [
      'twice, one after the other',
      `@%c1 bra A; st.shared.b32 [%s], %t; bar.warp.sync -1; ld.shared.b32 %r9, [%m]; bar.warp.sync -1; bra.uni J; A: st.shared.b32 [%s], %t; bar.warp.sync -1; ld.shared.b32 %r9, [%m]; bar.warp.sync -1; J: st.shared.b32 [%s], %v; bar.warp.sync -1; ${out} ret;`,
    ],
  ]
  test.each(met)('%s', (_, body) => {
    for (const policy of policies) {
      const t = told(body, 32, policy)
      expect(t.verdict.verdict).toBe('ok')
      expect(t.left).toEqual(filled((x) => 100 + (x ^ 31)))
    }
  })
  test('and what one of them does before or behind it is in no order with the others', () => {
    const early = `@%c1 bra A; st.shared.b32 [%s], %v; ld.shared.b32 %r9, [%m]; bar.warp.sync -1; bra.uni J; A: st.shared.b32 [%s], %v; bar.warp.sync -1; ld.shared.b32 %r9, [%m]; J: st.global.b32 [%p], %r9; ret;`
    const late = `st.shared.b32 [%s], %t; bar.warp.sync -1; @%c1 bra A; bar.warp.sync -1; st.shared.b32 [%s], %v; bra.uni J; A: bar.warp.sync -1; ${out} J: ret;`
    for (const body of [early, late]) {
      const { verdict } = told(body)
      expect([verdict.verdict, verdict.findings.some(({ id }) => id === 'D5')]).toEqual(['hazard', true])
    }
  })
  test.each([
    // lanes 8..31 stand at one place, and name two masks
    ['%c4', '0xffff'],
    // lanes 0..23 do, and come first
    ['%c5', '0xffff0000'],
  ])('and no others: masks of halves, one of which lanes of %s come to elsewhere', (apart, mask) => {
    const t = told(
      `setp.ge.u32 %c5, %l, 24; xor.b32 %m, %t, 15; shl.b32 %m, %m, 2; add.u32 %m, %r0, %m; st.shared.b32 [%s], %v; @${apart} bra A; selp.b32 %k, 0xffff, 0xffff0000, %c1; bar.warp.sync %k; bra.uni J; A: bar.warp.sync ${mask}; J: ${out} ret;`,
    )
    expect(t.verdict.verdict).toBe('ok')
    expect(t.left).toEqual(filled((x) => 100 + (x ^ 15)))
  })
  test('two places, at each of which lanes of both halves stand, each with the mask of its half', () => {
    const t = told(
      `xor.b32 %m, %t, 15; shl.b32 %m, %m, 2; add.u32 %m, %r0, %m; st.shared.b32 [%s], %v; selp.b32 %k, 0xffff, 0xffff0000, %c1; and.b32 %r7, %l, 8; setp.eq.u32 %c7, %r7, 0; @%c7 bra A; bar.warp.sync %k; bra.uni J; A: bar.warp.sync %k; J: ${out} ret;`,
    )
    expect(t.verdict.verdict).toBe('ok')
    expect(t.left).toEqual(filled((x) => 100 + (x ^ 15)))
  })
  test('lanes that it lets go meet those that wait for them behind their branch', () => {
    const t = told(
      `st.shared.b32 [%s], %v; @!%c1 bra A; @%c4 bra X; bar.warp.sync 0xffffff00; add.u32 %r8, %v, 1; X: bar.warp.sync -1; bra.uni J; A: bar.warp.sync 0xffffff00; add.u32 %r8, %v, 2; bar.warp.sync -1; J: ${out} ret;`,
    )
    expect(t.verdict.verdict).toBe('ok')
    expect(t.left).toEqual(filled((x) => 100 + (x ^ 31)))
  })
  test('lanes that the guard leaves out are not there', () => {
    const t = told(
      `st.shared.b32 [%s], %v; @%c1 bra A; @!%c1 bar.warp.sync 0xffff0000; bra.uni J; A: @%c4 bar.warp.sync 0xff; J: bar.warp.sync -1; ${out} ret;`,
    )
    expect(t.verdict.verdict).toBe('ok')
    expect(t.left).toEqual(filled((x) => 100 + (x ^ 31)))
  })
  test('refused: another mask at the other place', () => {
    const { verdict } = told(
      '@%c1 bra A; bar.warp.sync -1; bra.uni J; A: bar.warp.sync 0xffff; J: bar.warp.sync 0xffff; ret;',
    )
    expect(verdict.verdict).toBe('invalid')
    expect(verdict.reason).toMatch(/warp\.members/u)
  })
})

// ---------------------------------------------------------------- lanes that end later

/** Warp 1 lets the other half of warp 0 go, which then ends. */
const leavingLate = (half: '' | '!'): string =>
  `mov.u32 %r1, full; @%c3 mbarrier.init.shared.b64 [%r1], 1; bar.sync 0;
@!%c2 bra W; @${half}%c1 bra A;
P: mbarrier.try_wait.parity.shared.b64 %c5, [%r1], 0; @!%c5 bra P; st.global.b32 [%p], 7; ret;
A: bar.warp.sync -1; st.global.b32 [%p], %v; ret;
W: setp.eq.u32 %c6, %l, 0; @%c6 mbarrier.arrive.shared.b64 %z, [%r1]; ret;`

describe('lanes of the mask that end', () => {
  test.each(['', '!'] as const)('after the others have come: %sthe first half waits', (half) => {
    for (const policy of policies) {
      const t = told(leavingLate(half), 64, policy)
      expect(t.verdict.verdict).toBe('ok')
      expect(t.left).toEqual(filled((x) => (x < 16 === (half === '') ? 100 + x : 7)))
    }
  })
})

describe('lanes that end let others go, which let others go', () => {
  test('0..7 wait for 8..15, which wait for 16..23, which end', () => {
    const t = told(
      `mov.u32 %r1, full; @%c3 mbarrier.init.shared.b64 [%r1], 1; bar.sync 0; setp.lt.u32 %c6, %l, 8;
@!%c2 bra W; @%c6 bra A; @%c1 bra B;
P: mbarrier.try_wait.parity.shared.b64 %c5, [%r1], 0; @!%c5 bra P; st.global.b32 [%p], 7; ret;
A: bar.warp.sync 0xffff; st.global.b32 [%p], %v; ret;
B: bar.warp.sync 0xffff00; bar.warp.sync 0xffff; st.global.b32 [%p], %v; ret;
W: setp.eq.u32 %c6, %l, 0; @%c6 mbarrier.arrive.shared.b64 %z, [%r1]; ret;`,
      64,
    )
    expect(t.verdict.verdict).toBe('ok')
    expect(t.left).toEqual(filled((x) => (x < 16 ? 100 + x : 7)))
  })
})

// ---------------------------------------------------------------- parts that wait in turn

/** One half of the warp writes three rounds, the other reads them; each waits for the other. `low`: lanes 0..15 write. */
const roles = (low: boolean, without = ''): string =>
  `mov.u32 %r1, full; mov.u32 %r2, empty; @%c3 mbarrier.init.shared.b64 [%r1], 16; @%c3 mbarrier.init.shared.b64 [%r2], 16; bar.warp.sync -1; mov.u32 %i, 0; mov.u32 %h, 0;
@${low ? '' : '!'}%c1 bra A;
B: and.b32 %k, %i, 1;
C: mbarrier.try_wait.parity.shared.b64 %c5, [%r1], %k; @!%c5 bra C;
ld.shared.b32 %r9, [%m]; add.u32 %h, %h, %r9; ${without === 'empty' ? '' : 'mbarrier.arrive.shared.b64 %z, [%r2];'}
add.u32 %i, %i, 1; setp.lt.u32 %c6, %i, 3; @%c6 bra B; st.global.b32 [%p], %h; ret;
A: setp.eq.u32 %c6, %i, 0; @%c6 bra S; xor.b32 %k, %i, 1; and.b32 %k, %k, 1;
D: mbarrier.try_wait.parity.shared.b64 %c5, [%r2], %k; @!%c5 bra D;
S: add.u32 %r8, %v, %i; st.shared.b32 [%s], %r8; mbarrier.arrive.shared.b64 %z, [%r1];
add.u32 %i, %i, 1; setp.lt.u32 %c6, %i, 3; @%c6 bra A; ret;`

/** Lanes 0..15 wait for the word f, which lane 16 sets when it has found g, which warp 1 sets. */
const words2 = `mov.u32 %r1, f; mov.u32 %r2, g; @%c3 st.shared.b32 [%r1], 0; @%c3 st.shared.b32 [%r2], 0; bar.sync 0;
@!%c2 bra W; @%c1 bra A;
B: ld.acquire.cta.shared.b32 %r9, [%r2]; setp.ne.u32 %c5, %r9, 1; @%c5 bra B;
setp.eq.u32 %c6, %l, 16; @%c6 st.release.cta.shared.b32 [%r1], 1; st.global.b32 [%p], 5; ret;
A: ld.acquire.cta.shared.b32 %r9, [%r1]; setp.ne.u32 %c5, %r9, 1; @%c5 bra A;
st.global.b32 [%p], %v; ret;
W: setp.eq.u32 %c6, %l, 0; @%c6 st.release.cta.shared.b32 [%r2], 1; ret;`

/** Lanes 0..7 come to a barrier, at which they wait for their warp; 8..15 wait for 16..31, and these for warp 1, which waits for nobody. */
const three = `mov.u32 %r1, full; mov.u32 %r2, empty; @%c3 mbarrier.init.shared.b64 [%r1], 16; @%c3 mbarrier.init.shared.b64 [%r2], 1; bar.sync 0; st.shared.b32 [%s], %v;
@!%c2 bra W; @%c4 bra J0; @%c1 bra A;
B: mbarrier.try_wait.parity.shared.b64 %c5, [%r2], 0; @!%c5 bra B; mbarrier.arrive.shared.b64 %z, [%r1]; barrier.sync 0; bra.uni J;
A: mbarrier.try_wait.parity.shared.b64 %c5, [%r1], 0; @!%c5 bra A; barrier.sync 0; bra.uni J;
J0: barrier.sync 0; bra.uni J;
W: setp.eq.u32 %c6, %l, 0; @%c6 mbarrier.arrive.shared.b64 %z, [%r2]; barrier.sync 0; ret;
J: ${out} ret;`

describe('parts that wait take turns', () => {
  test.each([true, false])('two halves are writer and reader; the first half writes: %s', (low) => {
    for (const policy of policies) {
      const t = told(roles(low), 32, policy)
      expect(t.verdict.verdict).toBe('ok')
      expect(t.left).toEqual(filled((x) => (x < 16 === low ? 0 : 3 * (100 + (x ^ 31)) + 3)))
    }
  })
  test('what the other half must do first is missed where it does not', () => {
    expect(told(roles(true, 'empty')).verdict.verdict).toBe('deadlock')
    expect(told(roles(false, 'empty')).verdict.verdict).toBe('deadlock')
  })
  test('at words', () => {
    for (const policy of policies) {
      const t = told(words2, 64, policy)
      expect(t.verdict.verdict).toBe('ok')
      expect(t.left).toEqual(filled((x) => (x < 16 ? 100 + x : 5)))
    }
  })
  test('beside one that waits for its warp', () => {
    for (const policy of policies) {
      const t = told(three, 64, policy)
      expect(t.verdict.verdict).toBe('ok')
      expect(t.left).toEqual(filled((x) => 100 + (x ^ 31)))
    }
  })
  // lane t waits for the flag of lane t - 1 inside of a branch, and adds to what that lane has left: whoever has its flag waits for no other at either join
  const chain = (poll: string, tells: string): string =>
    `st.shared.b32 [%s], 0; bar.warp.sync -1; sub.u32 %r1, %s, 4; sub.s64 %q, %p, 4; mov.b32 %r4, 99; setp.eq.u32 %c6, %t, 3; setp.eq.u32 %c5, %t, 0; @%c5 bra F;
W: ${poll} setp.eq.u32 %c7, %r3, 0; @%c7 bra W; ld.global.b32 %r4, [%q]; bra.uni J;
F: mov.b32 %r4, 99;
J: add.u32 %r4, %r4, 1; st.global.b32 [%p], %r4; ${tells} [%s], 1; ret;`
  const one = 'ld.acquire.cta.shared.b32 %r3, [%r1];'
  const two = `@%c6 bra V; ${one} bra.uni X; V: ld.acquire.cta.shared.b32 %r3, [%r1]; X:`
  test.each([
    ['a wait', one],
    ['a loop that asks at two places', two],
  ])('one after the other, each by a word of its own: %s', (_, poll) => {
    for (const policy of policies) {
      const t = told(chain(poll, 'st.release.cta.shared.b32'), 6, policy)
      expect(t.verdict.verdict).toBe('ok')
      expect(t.left).toEqual(filled((x) => 100 + x, 6))
      const { verdict } = told(chain(poll, 'st.relaxed.cta.shared.b32'), 6, policy)
      expect([verdict.verdict, verdict.findings[0]?.id]).toEqual(['hazard', 'D5'])
    }
  })
  test('stuck are those of which no part can go on', () => {
    const { verdict } = told(
      `mov.u32 %r1, full; mov.u32 %r2, empty; @%c3 mbarrier.init.shared.b64 [%r1], 16; @%c3 mbarrier.init.shared.b64 [%r2], 16; bar.warp.sync -1; @%c1 bra A;
B: mbarrier.try_wait.parity.shared.b64 %c5, [%r1], 0; @!%c5 bra B; mbarrier.arrive.shared.b64 %z, [%r2]; ret;
A: mbarrier.try_wait.parity.shared.b64 %c5, [%r2], 0; @!%c5 bra A; mbarrier.arrive.shared.b64 %z, [%r1]; ret;`,
    )
    expect(verdict.verdict).toBe('deadlock')
  })
})

// ---------------------------------------------------------------- lanes that count

// warp 0 stores, and each of its lanes counts itself; warp 1 reads what the lanes of warp 0 have left when it has found enough of them
const counted = (
  asks: string,
): string => `mov.u32 %r1, f; @%c3 st.shared.b32 [%r1], 0; bar.sync 0; @!%c2 bra W;
st.shared.b32 [%s], %v; red.release.cta.shared.add.u32 [%r1], 1; st.global.b32 [%p], 0; ret;
W: ld.acquire.cta.shared.b32 %r3, [%r1]; ${asks} ld.shared.b32 %r9, [%m+-128]; st.global.b32 [%p], %r9; E: ret;`
const enough = (least: number): string => `setp.lt.u32 %c7, %r3, ${String(least)}; @%c7 bra W;`

describe('lanes that count themselves one after the other', () => {
  test('are all there where all are waited for', () => {
    const t = told(counted(enough(32)), 64)
    expect(t.verdict.verdict).toBe('ok')
    expect(t.left).toEqual(filled((x) => (x < 32 ? 0 : 100 + ((x - 32) ^ 31)), 64))
  })
  test.each([
    ['a wait for all but one', enough(31)],
    ['a wait for one', enough(1)],
    ['a question, once', 'setp.eq.u32 %c7, %r3, 0; @%c7 bra E;'],
  ])('and not where others come between them: %s', (_, asks) => {
    const { verdict } = told(counted(asks), 64)
    expect([verdict.verdict, verdict.findings.some(({ id }) => id === 'D1')]).toEqual(['hazard', true])
  })
  test('lanes that find what decides find it together in a search, and the verdict says so', () => {
    const { verdict } = told(
      `mov.u32 %r1, f; @%c3 st.shared.b32 [%r1], 0; st.global.b32 [%p], 0; bar.sync 0; @!%c2 bra W; setp.ne.u32 %c5, %t, 0; @%c5 bra E;
st.shared.b32 [%s], %v; st.release.cta.shared.b32 [%r1], 1; ret;
W: ld.acquire.cta.shared.b32 %r3, [%r1]; setp.ne.u32 %c7, %r3, 0; vote.sync.any.pred %c7, %c7, -1; @!%c7 bra E; ld.shared.b32 %r9, [s]; st.global.b32 [%p], %r9; E: ret;`,
      64,
    )
    expect(verdict.scope).toContain(
      'orders of unordered strong accesses by lanes of one warp (one order was followed)',
    )
  })
})

// ---------------------------------------------------------------- a clock

// the first lane of each warp takes the lock, adds to a word and gives it back; who has to wait looks at the clock
const locked = (
  gives: string,
): string => `mov.u32 %r1, f; @%c3 st.shared.b32 [%r1], 0; bar.sync 0; setp.ne.u32 %c5, %l, 0; @%c5 bra E;
W: atom.acquire.cta.shared.cas.b32 %r3, [%r1], 0, 1; setp.eq.u32 %c6, %r3, 0; @%c6 bra C; mov.u64 %z, %clock64; setp.eq.s64 %c7, %z, 7; @%c7 bra E; bra.uni W;
C: ld.global.b32 %r4, [%q]; add.u32 %r4, %r4, 1; st.global.b32 [%q], %r4; ${gives}.cta.shared.b32 [%r1], 0; E: ret;`

describe('a clock that decides, beside words that release and acquire', () => {
  test('leaves it open, and nothing is found', () => {
    const { verdict } = told(locked('st.release'), 64)
    expect([verdict.verdict, verdict.findings.length]).toEqual(['undecided', 0])
  })
  test('and what is wrong has its places', () => {
    const { verdict } = told(locked('st.relaxed'), 64)
    expect([verdict.verdict, verdict.findings[0]?.id]).toEqual(['hazard', 'D2'])
  })
})

// ---------------------------------------------------------------- schedules

describe('a schedule says which part', () => {
  const { program, launch } = sourceOf(roles(false), 32)
  const { world, machine } = right(launchWarps(program, launch, bits('hopper')))
  const ran = run(world, machine, settings(eager, true), collect)

  test('by its lowest lane, where it is not the first', () => {
    const parts = new Set(ran.schedule.filter(({ stage }) => stage === 'agent').map(({ part }) => part))
    expect(parts).toEqual(new Set([0, 16]))
    for (const key of ran.schedule) expect(readKey(showKey(key))).toEqual(key)
    expect(readKey('0:7.0')).toBe(null)
    expect(ran.schedule.map(showKey).some((key) => /^0:\d+\.16$/u.test(key))).toBe(true)
  })
  test('and replays', () => {
    const again = run(world, machine, settings(recorded(ran.schedule), true), collect)
    expect(again.outcome).toEqual(ran.outcome)
    expect(again.schedule).toEqual(ran.schedule)
    expect(again.result).toEqual(ran.result)
  })
  test('as it does in a machine that is kept', () => {
    const kept = run(world, machine, { ...settings(eager, true), transient: false }, collect)
    expect(kept.schedule).toEqual(ran.schedule)
    expect(kept.result).toEqual(ran.result)
  })
})
