/**
 * Where the parts of a warp wait for one another. Oracle: what each kernel leaves, by hand, from the threads that have not ended; an H100 left the same for those
 * of the first table, of which the last had the words of 16 threads on.
 */
import { describe, expect, test } from 'vitest'
import { bits } from '../../../src/numerics/bits.js'
import { usualSharedBase, warpSource } from '../../../src/semantics/execution/launch-warps.js'
import { eager, lazy, seeded, type AnyPolicy } from '../../../src/semantics/execution/policy.js'
import { checkSource, standardOptions } from '../../../src/semantics/verdict/check.js'
import type { Verdict } from '../../../src/semantics/judging/verdict.js'
import { copyOut } from '../../../src/semantics/machine/plane.js'
import { frame, type Frame } from '../../../src/semantics/machine/warp-stand.js'
import { apart } from '../../../src/semantics/warps/meeting.js'
import { right } from '../../either.js'
import { moduleOf, programOf } from '../../dialects/ptx/small-text.js'

const words = 160

/** %t: the thread; %p: the address of its word of p; %v: the word `by` threads on. */
const kernel = (body: string, by = 0): string =>
  moduleOf(
    ['p'],
    `.reg .b32 %t, %v, %l, %r<24>; .reg .b64 %p, %q; .reg .pred %c<8>; .reg .f32 %f<8>;
.shared .align 16 .b8 s[1024];
ld.param.u64 %q, [p]; mov.u32 %t, %tid.x; and.b32 %l, %t, 31; mul.wide.u32 %p, %t, 4; add.s64 %p, %q, %p; shl.b32 %r20, %t, 2; mov.u32 %r21, s; add.u32 %r21, %r21, %r20;
ld.global.b32 %v, [%p+${String(4 * by)}];
${body}`,
  )

interface Told {
  readonly verdict: Verdict
  readonly left: ReadonlyArray<number>
}

const told = (body: string, threads: number, by = 0, policy: AnyPolicy = eager): Told => {
  const source = warpSource(programOf(kernel(body, by)), {
    grid: [1],
    block: [threads],
    cluster: null,
    dynamicBytes: 0,
    parameters: new Uint8Array(8),
    pointers: [{ offset: 0, tensor: 'p' }],
    tensors: [
      {
        name: 'p',
        role: 'inout',
        contents: new Uint8Array(Int32Array.from({ length: words }, (_, i) => i).buffer),
        bytes: 4 * words,
        elements: null,
        symbol: null,
      },
    ],
    sharedBase: usualSharedBase,
  })
  const { verdict, world, machine } = right(
    checkSource(source, {
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

const notes = ({ verdict }: Told): ReadonlyArray<string> => verdict.notes.map(({ id }) => id)
const policies = [eager, lazy, seeded(1), seeded(2)]

// ---------------------------------------------------------------- lanes that have ended

/** Which threads store what they had loaded before the barrier. */
const leaving: ReadonlyArray<
  readonly [
    what: string,
    body: string,
    by: number,
    stays: (t: number) => boolean,
    notes: ReadonlyArray<string>,
  ]
> = [
  [
    'odd lanes leave, then the others come to a barrier',
    'and.b32 %r1, %t, 1; setp.eq.u32 %c1, %r1, 1; @%c1 exit; bar.sync 0; st.global.b32 [%p], %v; ret;',
    2,
    (t) => t % 2 === 0,
    ['N5'],
  ],
  [
    'odd lanes branch to the end',
    'and.b32 %r1, %t, 1; setp.eq.u32 %c1, %r1, 1; @%c1 bra E; barrier.sync 0; st.global.b32 [%p], %v; E: ret;',
    2,
    (t) => t % 2 === 0,
    [],
  ],
  [
    'even lanes do, by way of another branch',
    'and.b32 %r1, %t, 1; setp.eq.u32 %c1, %r1, 0; @%c1 bra D; barrier.sync 0; st.global.b32 [%p], %v; D: bra.uni E; E: ret;',
    2,
    (t) => t % 2 === 1,
    [],
  ],
  [
    'a warp leaves',
    'setp.ge.u32 %c1, %t, 32; @%c1 bra E; barrier.sync 0; st.global.b32 [%p], %v; E: ret;',
    32,
    (t) => t < 32,
    [],
  ],
  [
    'half of a warp and a warp leave, and the barrier is .aligned',
    'setp.ge.u32 %c1, %t, 16; @%c1 bra E; bar.sync 0; st.global.b32 [%p], %v; E: ret;',
    16,
    (t) => t < 16,
    ['N5'],
  ],
  [
    'a count says how many threads',
    'setp.ge.u32 %c1, %l, 16; @%c1 bra E; barrier.sync 3, 64; st.global.b32 [%p], %v; E: ret;',
    32,
    (t) => t % 32 < 16,
    [],
  ],
]

describe('lanes that have ended are not waited for', () => {
  test.each(leaving)('%s', (_, body, by, stays, said) => {
    for (const policy of policies) {
      const t = told(body, 64, by, policy)
      expect([t.verdict.verdict, notes(t)]).toEqual(['ok', said])
      expect(t.left).toEqual(Array.from({ length: words }, (__, i) => (i < 64 && stays(i) ? i + by : i)))
    }
  })
  test('what they had read is not before what others store: they came to no barrier', () => {
    const leaving = (with_: string): string =>
      `setp.ge.u32 %c1, %l, 16; ${with_} @%c1 bra E; barrier.sync 3, 64; st.global.b32 [%p], %v; E: ret;`
    for (const policy of policies) {
      expect(told(leaving('@%c1 st.global.b32 [%p+384], %v;'), 64, 16, policy).verdict).toMatchObject({
        verdict: 'hazard',
        findings: [{ id: 'D2' }],
      })
      // unless they leave with it
      expect(told(leaving(''), 64, 16, policy).verdict).toMatchObject({ verdict: 'ok' })
    }
  })
  test.each([1, 33, 64, 96, 100])('of 128 threads %i stay', (n) => {
    const t = told(
      `setp.ge.u32 %c1, %t, ${String(n)}; @%c1 bra E; st.shared.b32 [%r21], %v; bar.sync 0; mov.u32 %r1, ${String(n - 1)}; sub.u32 %r1, %r1, %t; shl.b32 %r1, %r1, 2; mov.u32 %r2, s; add.u32 %r2, %r2, %r1; ld.shared.b32 %r3, [%r2]; st.global.b32 [%p], %r3; E: ret;`,
      128,
    )
    expect([t.verdict.verdict, notes(t)]).toEqual(['ok', n % 32 === 0 ? [] : ['N5']])
    expect(t.left).toEqual(Array.from({ length: words }, (_, i) => (i < n ? n - 1 - i : i)))
  })
  test('also where they end after the others have come', () => {
    const t = told(
      'st.shared.b32 [%r21], %v; and.b32 %r1, %t, 1; setp.eq.u32 %c1, %r1, 0; @%c1 bra W; st.global.b32 [%p], 7; ret; W: barrier.sync 0; ld.shared.b32 %r3, [s+8]; st.global.b32 [%p], %r3; ret;',
      64,
    )
    expect(t.verdict.verdict).toBe('ok')
    expect(t.left.slice(0, 66)).toEqual([
      ...Array.from({ length: 64 }, (_, i) => (i % 2 === 0 ? 2 : 7)),
      64,
      65,
    ])
  })
  test('and have no say', () => {
    const t = told(
      'and.b32 %r1, %t, 3; setp.eq.u32 %c1, %r1, 0; @!%c1 exit; setp.ne.u32 %c2, %t, 4; barrier.red.popc.u32 %r3, 1, %c2; st.global.b32 [%p], %r3; ret;',
      64,
    )
    expect([t.verdict.verdict, t.left[0], t.left[1]]).toEqual(['ok', 15, 1])
  })
  test('a block of fewer threads than a warp has no lanes that have ended', () => {
    const t = told('bar.sync 0; st.global.b32 [%p], 5; ret;', 20)
    expect([t.verdict.verdict, notes(t), t.left[19], t.left[20]]).toEqual(['ok', [], 5, 20])
  })
})

// ---------------------------------------------------------------- parts

/** Lanes below 8 and the others each go their own way to the barrier; each stores what a lane of the other part had. */
const parted = (first: string, second: string, behind = ''): string =>
  `setp.lt.u32 %c1, %l, 8; xor.b32 %r1, %t, 31; shl.b32 %r1, %r1, 2; mov.u32 %r2, s; add.u32 %r2, %r2, %r1;
@%c1 bra A; st.shared.b32 [%r21], %v; ${second} bra.uni J;
A: st.shared.b32 [%r21], %v; ${first} J: ${behind} ld.shared.b32 %r3, [%r2]; st.global.b32 [%p], %r3; ret;`

const mirrored = Array.from({ length: words }, (_, i) => (i < 64 ? i ^ 31 : i))

describe('parts go on together', () => {
  const table: ReadonlyArray<readonly [string, string, string, ReadonlyArray<string>]> = [
    ['at one place, .aligned', parted('bra.uni B;', 'bra.uni B; B: bar.sync 0;'), 'ok', []],
    ['at two places', parted('barrier.sync 0;', 'barrier.sync 0;'), 'ok', []],
    ['at two places, .aligned: a note', parted('bar.sync 0;', 'bar.sync 0;'), 'ok', ['N5']],
    [
      'at two places that say the same in other words',
      parted('mov.u32 %r5, 2; barrier.sync %r5, 64;', 'barrier.sync 2, 64;'),
      'ok',
      [],
    ],
    ['with a guard for each', parted('', '', '@%c1 barrier.sync 4; @!%c1 barrier.sync 4;'), 'ok', []],
    [
      'at a barrier that votes',
      parted(
        'setp.eq.u32 %c3, 1, 1; bra.uni B;',
        'setp.eq.u32 %c3, 1, 1; bra.uni B; B: bar.red.and.pred %c4, 0, %c3;',
      ),
      'ok',
      [],
    ],
    [
      'at a barrier that votes, at two places',
      parted(
        'setp.eq.u32 %c3, 1, 1; barrier.red.and.pred %c4, 0, %c3;',
        'setp.eq.u32 %c3, 1, 1; barrier.red.and.pred %c4, 0, %c3;',
      ),
      'ok',
      [],
    ],
    [
      'at a barrier of the cluster',
      parted(
        'barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;',
        'barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;',
      ),
      'ok',
      ['N5'],
    ],
  ]
  test.each(table)('%s', (_, body, verdict, said) => {
    for (const policy of policies) {
      const t = told(body, 64, 0, policy)
      expect([t.verdict.verdict, notes(t)]).toEqual([verdict, said])
      expect(t.left).toEqual(mirrored)
    }
  })
  /** No thread takes this way out: so the ways do not join at the barrier, and only the meeting brings the parts together. */
  const perhapsOver = 'setp.gt.u32 %c7, %t, 999; @%c7 bra E;'
  test('and are one part where they met at one place', () => {
    const t = told(
      `setp.lt.u32 %c1, %l, 8; @%c1 bra A; ${perhapsOver} bra.uni B; A: ${perhapsOver} bra.uni B; B: bar.sync 0; activemask.b32 %v; st.global.b32 [%p], %v; E: st.global.b32 [%p+256], 5; ret;`,
      32,
    )
    // the run finds all lanes together; PTX does not promise it, so a kernel that stores who is there is not ok
    expect([t.verdict.verdict, t.left[0], t.left[31]]).toEqual(['undecided', -1, -1])
  })
  test('when one part has waited for another warp first, in whichever order their lanes are', () => {
    for (const first of ['%c1', '!%c1']) {
      const t = told(
        `.shared .align 8 .b8 m[8]; mov.u32 %r9, m; setp.eq.u32 %c2, %t, 0; @%c2 mbarrier.init.shared.b64 [%r9], 32; bar.sync 1; setp.ge.u32 %c3, %t, 32; @%c3 mbarrier.arrive.shared.b64 _, [%r9];
setp.lt.u32 %c1, %l, 8; @%c3 bra B; @${first} bra A; W: mbarrier.try_wait.parity.shared.b64 %c4, [%r9], 0; @!%c4 bra W; ${perhapsOver} bra.uni B; A: ${perhapsOver} bra.uni B; B: bar.sync 0; st.global.b32 [%p], 9; E: st.global.b32 [%p+256], 5; ret;`,
        64,
      )
      expect([first, t.verdict.verdict, t.left[0], t.left[63]]).toEqual([first, 'ok', 9, 9])
    }
  })
  test('law 1: whichever comes first', () => {
    for (const p of ['%c1', '!%c1']) {
      const t = told(
        `setp.lt.u32 %c1, %l, 8; st.shared.b32 [%r21], %v; @${p} bra A; add.u32 %v, %v, 1; barrier.sync 0; bra.uni J; A: barrier.sync 0; J: ret;`,
        64,
      )
      expect(t.verdict.verdict).toBe('ok')
    }
  })
  test('at an instruction of the whole warp', () => {
    const t = told(
      `st.shared.b32 [%r21], %v; bar.sync 0; setp.eq.u32 %c1, %t, 0; and.b32 %r1, %l, 7; shl.b32 %r1, %r1, 4; mov.u32 %r2, s; add.u32 %r2, %r2, %r1; mov.u32 %r4, 0; @%c1 bra A; mov.u32 %r4, 1; bra.uni B; A: mov.u32 %r4, 2; bra.uni B;
B: ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r3}, [%r2]; add.u32 %r3, %r3, %r4; st.global.b32 [%p], %r3; ret;`,
      32,
    )
    expect(t.verdict.verdict).toBe('ok')
    expect(t.left.slice(0, 32)).toEqual(Array.from({ length: 32 }, (_, i) => i + (i === 0 ? 2 : 1)))
  })
  test('those that wait behind the branch go on without them, where it is not .aligned', () => {
    const t = told(
      'setp.lt.u32 %c1, %l, 16; st.shared.b32 [%r21], %v; @!%c1 bra J; barrier.sync 0; J: ld.shared.b32 %r3, [%r21]; add.u32 %r3, %r3, 1; st.global.b32 [%p], %r3; ret;',
      64,
    )
    expect(t.verdict.verdict).toBe('ok')
    expect(t.left.slice(0, 65)).toEqual([...Array.from({ length: 64 }, (_, i) => i + 1), 64])
  })
  test('and come to the next meeting, and are one part again', () => {
    const t = told(
      'setp.lt.u32 %c1, %l, 16; @!%c1 bra J; barrier.sync 0; add.u32 %v, %v, 100; J: barrier.sync 0; st.global.b32 [%p], %v; ret;',
      32,
    )
    // the first meeting is of the first barrier of some lanes and the second of the others, as PTX has it; the last waits for nobody
    expect([t.verdict.verdict, t.left[0], t.left[16]]).toEqual(['ok', 100, 16])
  })
})

// ---------------------------------------------------------------- what the barrier of the cluster tells

describe('threads read what another warp stored before the barrier of the cluster', () => {
  /** Lanes below 8 arrive by the first of two instructions and the others by the second; each thread reads the word of the thread `by` away. */
  const across = (first: string, second: string, by: number): string =>
    `setp.lt.u32 %c1, %l, 8; xor.b32 %r1, %t, ${String(by)}; shl.b32 %r1, %r1, 2; mov.u32 %r2, s; add.u32 %r2, %r2, %r1; st.shared.b32 [%r21], %v;
@%c1 bra A; barrier.cluster.arrive${second}; bra.uni J; A: barrier.cluster.arrive${first}; J: barrier.cluster.wait; ld.shared.b32 %r3, [%r2]; st.global.b32 [%p], %r3; ret;`
  test.each([
    ['', '', 'ok'],
    ['.relaxed', '.relaxed', 'hazard'],
    ['.relaxed', '', 'hazard'],
    ['', '.relaxed', 'hazard'],
  ])('and has told of by arrive%s of some lanes and arrive%s of the others', (first, second, verdict) => {
    for (const policy of policies)
      expect(told(across(first, second, 32), 64, 0, policy).verdict.verdict).toBe(verdict)
  })
})

// ---------------------------------------------------------------- what cannot come together

describe('refused', () => {
  const table: ReadonlyArray<readonly [string, string, RegExp]> = [
    [
      'lanes that do not execute a barrier that is .aligned',
      'setp.lt.u32 %c1, %l, 16; @!%c1 bra J; bar.sync 0; J: st.global.b32 [%p], %v; ret;',
      /warp\.aligned: .*bar\.sync.*all lanes of the warp must execute this instruction together.*lanes 0\.\.15 wait here and lanes 16\.\.31 wait at .*st\.global/u,
    ],
    [
      'nor where a guard leaves them out',
      'setp.ne.u32 %c1, %l, 3; @%c1 bar.sync 0; st.global.b32 [%p], %v; ret;',
      /warp\.aligned: .*lanes 0\.\.2, 4\.\.31 wait here and lane 3 waits at/u,
    ],
    [
      'parts at different barriers',
      parted('barrier.sync 1, 64;', 'barrier.sync 2, 64;'),
      /warp\.barrier: .*a barrier waits for all lanes of its warp that have not ended, but lanes 0\.\.7 wait here and lanes 8\.\.31 wait at/u,
    ],
    ...[48, 0, -32].map(
      (count) =>
        [
          `a count of ${String(count)} threads`,
          `mov.s32 %r5, ${String(count)}; barrier.sync 1, %r5; ret;`,
          new RegExp(
            `bar\\.count: .*expected a positive multiple of 32 threads, found ${String(count)}`,
            'u',
          ),
        ] as const,
    ),
    ...[
      'or.pred %c4, 0, %c3',
      'and.pred %c5, 0, %c3',
      'and.pred %c4, 0, %c6',
      'and.pred %c4, 0, !%c3',
      'and.pred %c4, 1, %c3',
      'and.pred %c4, 0, 32, %c3',
    ].map(
      (other) =>
        [
          `votes that differ: ${other}`,
          parted(
            'setp.eq.u32 %c3, 1, 1; setp.eq.u32 %c6, 1, 1; barrier.red.and.pred %c4, 0, %c3;',
            `setp.eq.u32 %c3, 1, 1; setp.eq.u32 %c6, 1, 1; barrier.red.${other};`,
          ),
          /warp\.barrier/u,
        ] as const,
    ),
    ['with different counts', parted('barrier.sync 1, 64;', 'barrier.sync 1, 32;'), /warp\.barrier/u],
    ['one arrives, one waits', parted('barrier.arrive 1, 64;', 'barrier.sync 1, 64;'), /warp\.barrier/u],
    [
      'an instruction of the whole warp at two places',
      parted('wgmma.fence.sync.aligned;', 'wgmma.fence.sync.aligned;'),
      /warp\.aligned/u,
    ],
    [
      'lanes that have ended do not hold fragments',
      'setp.lt.u32 %c1, %l, 16; @!%c1 exit; ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r3}, [%r21]; ret;',
      /some have ended/u,
    ],
  ]
  test.each(table)('%s', (_, body, why) => {
    const { verdict } = told(body, 64)
    expect(verdict.verdict).toBe('invalid')
    expect(verdict.reason).toMatch(why)
  })
  test('a warp that never comes is missed by a barrier that counts it', () => {
    const { verdict } = told('setp.ge.u32 %c1, %t, 32; @%c1 exit; barrier.sync 1, 64; ret;', 64)
    expect(verdict.verdict).toBe('deadlock')
  })
})

// ---------------------------------------------------------------- frames

describe('law 2: a part leaves its frame', () => {
  const outer = frame(9, -1, null, false)
  const inner = frame(5, 0xffff, outer, false)
  const called = frame(7, 0xff, inner, true)
  interface Held {
    readonly mask: number
    frame: Frame | null
  }
  const held = (mask: number, f: Frame | null): Held => ({ mask, frame: f })

  test('and no other lane moves', () => {
    const parts = [held(0xf, called), held(0xf0, called), held(0xff00, inner), held(~0xffff, outer)]
    apart(parts, parts[2]!)
    expect(parts.map(({ mask }) => mask)).toEqual([0xf, 0xf0, 0xff00, ~0xffff])
    expect(parts[2]!.frame).toBe(outer)
    expect(parts[3]!.frame).toBe(outer)
    // what was one frame is one
    expect(parts[0]!.frame).toBe(parts[1]!.frame)
    expect(parts[0]!.frame).toEqual(frame(7, 0xff, frame(5, 0xff, outer, false), true))
  })
  test('one without a frame stays', () => {
    const parts = [held(1, null), held(2, outer)]
    apart(parts, parts[0]!)
    expect(parts).toEqual([held(1, null), held(2, outer)])
  })
})
