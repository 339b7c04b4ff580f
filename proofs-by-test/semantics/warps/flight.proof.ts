/**
 * Registers in flight, and warpgroups whose warps go apart: small kernels of one product, right and with one line wrong. What is expected of each is what the ISA says of
 * wgmma.fence, of wgmma.wait_group and of warps that must do alike.
 */
import { describe, expect, it } from 'vitest'
import { checkPtx } from '../../../src/oracle/cli/ptx.js'
import type { Verdict } from '../../../src/semantics/judging/verdict.js'
import { elaborate } from '../../../src/dialects/ptx/elaboration/elaborate.js'
import { parseModule } from '../../../src/dialects/ptx/index.js'
import { bits } from '../../../src/numerics/bits.js'
import { launchWarps, usualSharedBase } from '../../../src/semantics/execution/launch-warps.js'
import { eager, lazy, type AnyPolicy } from '../../../src/semantics/execution/policy.js'
import { collect, run, settings } from '../../../src/semantics/execution/run.js'
import { right } from '../../either.js'
import { sampled } from '../../extent.js'
import { differences } from '../model/comparison.js'
import { inMemory } from '../../oracle/disk.js'
import { worldOf } from '../../oracle/world.js'
import { moduleOf } from '../../dialects/ptx/small-text.js'

const product = (n: 8 | 16, d: ReadonlyArray<string>, a: string, scale = '1'): string =>
  `wgmma.mma_async.sync.aligned.m64n${String(n)}k16.f32.f16.f16 {${d.join(',')}}, ${a}, %rd5, ${scale}, 1, 1, ${a.startsWith('{') ? '0' : '0, 0'};`
const four = ['%f1', '%f2', '%f3', '%f4']
const eight = [...four, '%f5', '%f6', '%f7', '%f8']
const registers = '{%r11,%r12,%r13,%r14}'
const zeros = (fs: ReadonlyArray<string>): ReadonlyArray<string> => fs.map((f) => `mov.f32 ${f}, 0f00000000;`)
const fence = 'wgmma.fence.sync.aligned;'
const commit = 'wgmma.commit_group.sync.aligned;'
const wait = (pending: number): string => `wgmma.wait_group.sync.aligned ${String(pending)};`
const leave = 'st.global.f32 [%rd2], %f1;'
const changeA = 'mov.b32 %r12, 7;'

const before = [
  'mov.u32 %r1, %tid.x;',
  'mov.u32 %r2, sm;',
  'shl.b32 %r3, %r1, 4;',
  'add.u32 %r4, %r2, %r3;',
  'mov.b32 %r5, 0;',
  ...[11, 12, 13, 14].map((r) => `mov.b32 %r${String(r)}, ${String(r)};`),
  'st.shared.v4.b32 [%r4], {%r5,%r5,%r5,%r5};',
  'st.shared.v4.b32 [%r4+2048], {%r5,%r5,%r5,%r5};',
  'fence.proxy.async.shared::cta;',
  'bar.sync 0;',
  'shr.u32 %r6, %r2, 4;',
  'cvt.u64.u32 %rd3, %r6;',
  // 128 and 256 bytes between tiles
  'add.u64 %rd4, %rd3, 68720001024;'.replace('68720001024', String(8n * 65536n + 16n * 2n ** 32n)),
  'add.u64 %rd5, %rd4, 128;',
  'ld.param.u64 %rd1, [out];',
  'mul.wide.u32 %rd6, %r1, 4;',
  'add.u64 %rd2, %rd1, %rd6;',
  'shr.u32 %r7, %r1, 5;',
  'setp.eq.u32 %p1, %r7, 3;',
]
const after = (body: ReadonlyArray<string>, without: string | null = null): string =>
  moduleOf(
    ['out'],
    `.reg .pred %p<4>; .reg .b32 %r<32>; .reg .b64 %rd<16>; .reg .f32 %f<32>;
.shared .align 1024 .b8 sm[4096];
${[...before.filter((line) => line !== without), ...body, 'ret;'].join('\n')}`,
  )
const judged = (text: string, threads = 128): Verdict => {
  const launch = {
    schema: 'tcspec.launch/1',
    kernel: 'k',
    grid: [1],
    block: [threads],
    args: [{ kind: 'pointer', tensor: 'out', dtype: 'f32', shape: [threads], role: 'out' }],
    outputs: [],
  }
  const files = new Map([
    ['k.ptx', new TextEncoder().encode(text)],
    ['launch.json', new TextEncoder().encode(JSON.stringify(launch))],
  ])
  return right(checkPtx(worldOf(inMemory(files)), 'k.ptx', { launch: 'launch.json' })).json() as Verdict
}

/** Instructions as findings name them, for a part of a line of the text. */
const at = (text: string, part: string): string =>
  `(line ${String(text.split('\n').findIndex((line) => line.includes(part)) + 1)})`

const cases: ReadonlyArray<
  readonly [
    name: string,
    body: ReadonlyArray<string>,
    ids: ReadonlyArray<string>,
    /** lines, of which each must be a side of the first finding */
    sides: ReadonlyArray<string>,
  ]
> = [
  ['a product', [...zeros(four), fence, product(8, four, '%rd4'), commit, wait(0), leave], [], []],
  ['of A in registers', [...zeros(four), fence, product(8, four, registers), commit, wait(0), leave], [], []],
  [
    'two, one behind the other',
    [...zeros(four), fence, product(8, four, '%rd4'), product(8, four, '%rd4'), commit, wait(0), leave],
    [],
    [],
  ],
  [
    'accumulators of which nothing is read need no words',
    [fence, product(8, four, '%rd4', '0'), commit, wait(0), leave],
    [],
    [],
  ],
  [
    'accumulators that nothing has written',
    [fence, product(8, four, '%rd4'), commit, wait(0), leave],
    ['I1'],
    ['wgmma.mma_async'],
  ],
  [
    'no fence behind a write',
    [fence, ...zeros(four), product(8, four, '%rd4'), commit, wait(0), leave],
    ['P1'],
    ['mov.f32 %f4', 'wgmma.mma_async'],
  ],
  [
    'no fence behind a write of A',
    [...zeros(four), fence, changeA, product(8, four, registers), commit, wait(0), leave],
    ['P1'],
    ['mov.b32 %r12, 7', 'wgmma.mma_async'],
  ],
  [
    'read before the wait',
    [...zeros(four), fence, product(8, four, '%rd4'), commit, leave, wait(0)],
    ['M1'],
    ['wgmma.mma_async', 'st.global.f32'],
  ],
  [
    'read behind a wait that leaves it pending',
    [...zeros(four), fence, product(8, four, '%rd4'), commit, wait(1), leave, wait(0)],
    ['M1'],
    ['wgmma.mma_async', 'st.global.f32'],
  ],
  [
    'read behind a wait that covers it, another pending',
    [
      ...zeros(eight),
      fence,
      product(8, four, '%rd4'),
      commit,
      product(8, eight.slice(4), '%rd4'),
      commit,
      wait(1),
      leave,
      wait(0),
    ],
    [],
    [],
  ],
  [
    'written before the wait',
    [...zeros(four), fence, product(8, four, '%rd4'), commit, 'mov.f32 %f3, 0f3f800000;', wait(0), leave],
    ['M1'],
    ['wgmma.mma_async', 'mov.f32 %f3, 0f3f800000'],
  ],
  [
    'A written before the wait',
    [...zeros(four), fence, product(8, four, registers), commit, changeA, wait(0), leave],
    ['W3'],
    ['wgmma.mma_async', 'mov.b32 %r12, 7'],
  ],
  [
    'A written behind the wait',
    [...zeros(four), fence, product(8, four, registers), commit, wait(0), changeA, leave],
    [],
    [],
  ],
  [
    'A read before the wait',
    [...zeros(four), fence, product(8, four, registers), commit, 'add.u32 %r15, %r12, 1;', wait(0), leave],
    [],
    [],
  ],
  [
    'another shape on the same accumulators, behind a fence',
    [
      ...zeros(eight),
      fence,
      product(8, four, '%rd4'),
      commit,
      wait(0),
      fence,
      product(16, eight, '%rd4'),
      commit,
      wait(0),
      leave,
    ],
    [],
    [],
  ],
]

describe('registers in flight', () => {
  it.each(cases)('%s', (_, body, ids, sides) => {
    const text = after(body)
    const v = judged(text)
    expect([...new Set(v.findings.map(({ id }) => id as string))], v.reason).toEqual(ids)
    expect(v.verdict, v.reason).toBe(ids.length === 0 ? 'ok' : 'hazard')
    const [first] = v.findings
    const found = [first?.a.site ?? '', first?.b?.site ?? ''].join(' ')
    for (const side of sides) expect(found).toContain(at(text, side))
  })
  it('another shape on the same accumulators, without a fence', () => {
    const v = judged(
      after([
        ...zeros(eight),
        fence,
        product(8, four, '%rd4'),
        product(16, eight, '%rd4'),
        commit,
        wait(0),
        leave,
      ]),
    )
    expect(v.verdict).toBe('invalid')
    expect(v.reason).toMatch(
      /M1: .*m64n16k16.*accumulator is that of a product of 8 columns, and now of 16/su,
    )
  })
})

describe('warps of a warpgroup', () => {
  const whole = [...zeros(four), fence, product(8, four, '%rd4'), commit, wait(0), leave]
  it('one that does not multiply is waited for, and named', () => {
    const v = judged(after(['@%p1 bra done;', ...whole, 'done:']))
    expect(v.verdict).toBe('deadlock')
    expect(v.reason).toMatch(/the wgmma group of .*warp 3@0/su)
  })
  it('one that multiplies something else is told where', () => {
    const other = ['@%p1 add.u64 %rd4, %rd4, 1;']
    const v = judged(
      after([...zeros(four), fence, ...other, product(8, four, '%rd4'), commit, wait(0), leave]),
    )
    expect(v.verdict).toBe('invalid')
    expect(v.reason).toMatch(
      /wgmma.warpgroup: .*the warps of a warpgroup must do the same: warp \d has .* where warp \d has/su,
    )
  })
  it('one that commits where another multiplies is told where', () => {
    const v = judged(
      after([...zeros(four), fence, '@%p1 bra on;', product(8, four, '%rd4'), 'on:', commit, wait(0), leave]),
    )
    expect(v.verdict).toBe('invalid')
    expect(v.reason).toMatch(/wgmma.warpgroup: .*a commit/su)
  })
  it('there must be four of them', () => {
    const v = judged(after(whole), 64)
    expect(v.verdict).toBe('invalid')
    expect(v.reason).toMatch(/wgmma.warpgroup: .*needs four warps/su)
  })
  it('what one has written another multiplies: the barrier between them is missed', () => {
    const v = judged(after(whole, 'bar.sync 0;'))
    expect(v.verdict).not.toBe('ok')
    const sides = v.findings.map(({ a, b }) => `${a.site} ${b?.site ?? ''}`)
    expect(sides.some((s) => s.includes('st.shared') && s.includes('wgmma.mma_async'))).toBe(true)
  })
  it('each reads all of A in shared memory: what one writes of its own rows, the others must wait for', () => {
    const own = ['@%p1 st.shared.v4.b32 [%r2+1536], {%r5,%r5,%r5,%r5};', 'fence.proxy.async.shared::cta;']
    expect(judged(after([...own, ...whole])).verdict).toBe('hazard')
    expect(judged(after([...own, 'bar.sync 0;', ...whole])).verdict).toBe('ok')
  })
  it('a wait of one knows the products of all: it may write over what they have read', () => {
    const lone = [
      '@%p1 st.shared.v4.b32 [%r2], {%r5,%r5,%r5,%r5};',
      '@%p1 st.shared.v4.b32 [%r2+2048], {%r5,%r5,%r5,%r5};',
    ]
    expect(judged(after([...whole, ...lone])).verdict).toBe('ok')
    const early = [...zeros(four), fence, product(8, four, '%rd4'), commit, ...lone, wait(0), leave]
    expect(judged(after(early)).verdict).toBe('hazard')
  })
})

describe('model = detector', () => {
  const logged = (text: string, policy: AnyPolicy) => {
    const { program } = right(elaborate(right(parseModule(text)), null, 'k.ptx'))
    const { world, machine } = right(
      launchWarps(
        program,
        {
          grid: [1],
          block: [128],
          cluster: null,
          dynamicBytes: 0,
          parameters: new Uint8Array(8),
          pointers: [{ offset: 0, tensor: 'out' }],
          tensors: [
            {
              name: 'out',
              role: 'inout',
              contents: new Uint8Array(512),
              bytes: 512,
              elements: null,
              symbol: null,
            },
          ],
          sharedBase: usualSharedBase,
        },
        bits('hopper'),
      ),
    )
    const { result, outcome } = run(world, machine, settings(policy), collect)
    return {
      header: world.header,
      log: result,
      whole: outcome._tag === 'completed' || outcome._tag === 'stuck',
    }
  }
  const lone = '@%p1 st.shared.v4.b32 [%r2], {%r5,%r5,%r5,%r5};'
  const whole = [...zeros(four), fence, product(8, four, '%rd4'), commit]
  const bodies: ReadonlyArray<readonly [string, ReadonlyArray<string>]> = [
    ...sampled(3, cases).map(([name, body]) => [name, body] as const),
    ['behind the wait of all', [...whole, wait(0), lone, leave]],
    ['before the wait of all', [...whole, lone, wait(0), leave]],
    [
      'behind the wait for an older group',
      [...whole, product(8, four, '%rd4'), commit, wait(1), lone, wait(0), leave],
    ],
    [
      'what a warp has read before its issue',
      ['ld.shared.b32 %r20, [sm+3000];', ...whole, wait(0), '@%p1 st.shared.b32 [sm+3000], %r5;', leave],
    ],
    ['one warp is missing', ['@%p1 bra done;', ...whole, wait(0), leave, 'done:']],
  ]
  it.each(bodies)('%s', (_, body) => {
    for (const policy of [eager, lazy]) {
      const { header, log, whole: all } = logged(after(body), policy)
      expect(differences(header, log, { lanes: 'off' }, [], all)).toEqual([])
    }
  })
})

describe('stores of one value', () => {
  const store = (value: string): ReadonlyArray<string> => [
    `st.shared.b32 [sm+64], ${value};`,
    'bar.sync 0;',
    'ld.shared.b32 %r20, [sm+64];',
    'st.global.b32 [%rd2], %r20;',
  ]
  it('of a constant, by all warps: a note', () => {
    const v = judged(after(store('7')))
    expect([v.verdict, v.notes.map(({ id }) => id as string)]).toEqual(['ok', expect.arrayContaining(['N4'])])
  })
  it('of a constant that is moved first: a note', () => {
    const v = judged(after(['mov.b32 %r21, 7;', ...store('%r21')]))
    expect(v.verdict).toBe('ok')
  })
  it('of what warps differ in: a race', () => {
    expect(judged(after(store('%r7'))).verdict).toBe('hazard')
  })
  it('of two constants: a race', () => {
    const v = judged(after(['@%p1 st.shared.b32 [sm+64], 8;', ...store('7')]))
    expect(v.verdict).toBe('hazard')
  })
})
