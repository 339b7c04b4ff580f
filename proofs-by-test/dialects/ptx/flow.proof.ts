/** Control flow: where lanes meet again, what is waiting, which registers are in flight. */
import { describe, expect, it } from 'vitest'
import { flightsOf, graphOf, peeksOf, spinsOf, type Code } from '../../../src/dialects/ptx/index.js'
import { nightly, sampled } from '../../extent.js'
import { everyFile, moduleText } from './modules.js'
import { codesOf, moduleOf } from './small-text.js'

const code = (lines: string): Code =>
  codesOf(
    moduleOf(
      [],
      `.reg .pred %p<8>; .reg .b32 %r<8>; .reg .b64 %rd<8>; .reg .f32 %f<40>;
${lines}`,
      { before: '.func fail() .noreturn { trap; }' },
    ),
  )[1]!

describe('post-dominators', () => {
  it('of a branch around something is what lies behind', () => {
    const { blocks, postDominators } = graphOf(
      code('@%p1 bra over; add.s32 %r1, %r1, 1; over: @%p2 exit; call fail; nowhere: bra nowhere;'),
    )
    expect(blocks.map((b) => [b.first, b.end, b.successors])).toEqual([
      [0, 1, [2, 1]],
      [1, 2, [2]],
      [2, 3, [5, 3]],
      [3, 4, [5]],
      [4, 5, [4]],
    ])
    expect(postDominators).toEqual([2, 2, 5, 5, 5])
  })
})

const test = (p: string, label = ''): string =>
  `${label} mbarrier.try_wait.parity.shared::cta.b64 ${p}, [%r1], %r2;`

describe('spins', () => {
  const spins = (lines: string) => spinsOf(code(lines)).map((s) => [s.kind, s.test])
  it.each([
    ['a branch back', `${test('%p1', 'a:')} @!%p1 bra a; ret;`],
    ['a branch out', `${test('%p1', 'a:')} @%p1 bra b; bra a; b: ret;`],
    [
      'through a register',
      `${test('%p1', 'a:')} selp.b32 %r3, 1, 0, %p1; setp.eq.s32 %p2, %r3, 0; @%p2 bra a; ret;`,
    ],
    [
      'left at its beginning, as a debug build has it',
      `bra a; a: setp.ne.s32 %p2, %r3, 0; not.pred %p3, %p2; not.pred %p4, %p3; @%p4 bra b; bra c; c: {.reg .pred q; mbarrier.try_wait.parity.shared::cta.b64 q, [%r1], %r2; selp.u32 %r4, 1, 0, q;} mov.u32 %r3, %r4; bra a; b: ret;`,
      6,
    ],
    ['sleeping', `${test('%p1', 'a:')} @%p1 bra b; nanosleep.u32 20; bra a; b: ret;`],
  ])('%s', (_, lines, at = 0) => {
    expect(spins(lines)).toEqual([['mbarrier', at]])
  })
  it.each([
    ['counting its turns', 'add.s32 %r4, %r4, 1;'],
    ['asking the time', 'mov.u64 %rd1, %globaltimer; sub.s64 %rd2, %rd1, %rd3;'],
    [
      'sleeping the longer the later it is',
      'add.s32 %r4, %r4, 1; setp.lt.s32 %p2, %r4, 16; @%p2 bra a; nanosleep.u32 %r4;',
    ],
  ])('behind the test, %s', (_, behind) => {
    expect(spins(`${test('%p1', 'a:')} @%p1 bra b; ${behind} bra a; b: ret;`)).toEqual([['mbarrier', 0]])
  })
  it.each([
    ['a trap', '@%p2 bra c; bra a; c: trap;'],
    ['a call that does not return', '@%p2 bra c; bra a; c: st.global.b32 [%rd1], 0; call fail;'],
    ['a trap by its guard', '@%p2 trap; bra a;'],
  ])('left by %s where it takes too long', (_, behind) => {
    expect(
      spins(
        `${test('%p1', 'a:')} @%p1 bra b; mov.u64 %rd1, %clock64; setp.gt.s64 %p2, %rd1, 9; ${behind} b: ret;`,
      ),
    ).toEqual([['mbarrier', 0]])
  })
  it('counting beside the test, which nothing reads', () => {
    expect(spins(`${test('%p1', 'a:')} add.s32 %r4, %r4, 1; @!%p1 bra a; ret;`)).toEqual([['mbarrier', 0]])
  })
  it('idle is what only a turn that goes round comes to', () => {
    const c = code(
      `${test('%p1', 'a:')} selp.b32 %r3, 1, 0, %p1; setp.ne.s32 %p2, %r3, 0; @%p2 bra b; add.s32 %r4, %r4, 1; setp.lt.s32 %p3, %r4, 9; @%p3 bra a; nanosleep.u32 9; bra a; b: ret;`,
    )
    const { blocks } = graphOf(c)
    const [spin] = spinsOf(c)
    expect([...spin!.idle].sort((a, b) => a - b).map((b) => [blocks[b]!.first, blocks[b]!.end])).toEqual([
      [4, 7],
      [7, 9],
    ])
  })
  it.each([
    ['what is read later', 'add.s32 %r4, %r4, 1;', 'b: st.shared.b32 [%r1], %r4; ret;'],
    ['what the test reads', 'xor.b32 %r2, %r2, 1;', 'b: ret;'],
    ['memory', 'st.shared.b32 [%r1], 0;', 'b: ret;'],
    ['a way out', 'add.s32 %r4, %r4, 1; setp.lt.s32 %p2, %r4, 16; @%p2 bra b;', 'b: ret;'],
    ['a loop of its own', 'c: add.s32 %r4, %r4, 1; setp.lt.s32 %p2, %r4, 16; @%p2 bra c;', 'b: ret;'],
  ])('no spin where it is behind the test: %s', (_, behind, after) => {
    expect(spins(`${test('%p1', 'a:')} @%p1 bra b; ${behind} bra a; ${after}`)).toEqual([])
  })
  it('between turns, in a loop that begins with them', () => {
    const back = 'a: setp.lt.s32 %p2, %r4, 16; @%p2 bra c; nanosleep.u32 20; bra d; c: add.s32 %r4, %r4, 1;'
    expect(spins(`mov.u32 %r4, 0; ${back} ${test('%p1', 'd:')} @!%p1 bra a; ret;`)).toEqual([['mbarrier', 6]])
  })
  it('no spin where a way round has no test', () => {
    const back = 'a: setp.lt.s32 %p2, %r4, 16; @%p2 bra c; add.s32 %r4, %r4, 1; bra a; c: nanosleep.u32 20;'
    expect(spins(`mov.u32 %r4, 0; ${back} ${test('%p1')} @!%p1 bra a; ret;`)).toEqual([])
  })
  it('a word of memory', () => {
    expect(
      spins('a: ld.acquire.gpu.global.u32 %r3, [%rd1]; setp.ne.s32 %p1, %r3, %r4; @%p1 bra a; ret;'),
    ).toEqual([['semaphore', 0]])
  })
  it.each([
    ['left where it is false', `${test('%p1', 'a:')} @%p1 bra a; ret;`],
    [
      'counting, and the count is read',
      `${test('%p1', 'a:')} add.s32 %r4, %r4, 1; @!%p1 bra a; st.shared.b32 [%r1], %r4; ret;`,
    ],
    [
      'turns that do not ask',
      `a: setp.lt.s32 %p2, %r4, 9; @%p2 bra c; ${test('%p1')} @%p1 bra b; c: add.s32 %r4, %r4, 1; bra a; b: ret;`,
    ],
    ['the answer of the turn before', `a: mov.pred %p2, %p1; ${test('%p1')} @%p2 bra b; bra a; b: ret;`],
    [
      'asking for another place each turn',
      `${test('%p1', 'a:')} @%p1 bra b; add.s32 %r1, %r1, 8; bra a; b: ret;`,
    ],
    [
      'an answer that time decides',
      `${test('%p1', 'a:')} mov.u64 %rd1, %clock64; setp.gt.s64 %p2, %rd1, 9; @%p2 bra d; @%p1 bra b; d: bra a; b: ret;`,
    ],
    [
      'a way out by time that goes on',
      `${test('%p1', 'a:')} @%p1 bra b; mov.u64 %rd1, %clock64; setp.gt.s64 %p2, %rd1, 9; @%p2 bra b; bra a; b: ret;`,
    ],
    ['another parity each time', `${test('%p1', 'a:')} xor.b32 %r2, %r2, 1; @!%p1 bra a; ret;`],
    ['storing', `${test('%p1', 'a:')} st.shared.b32 [%r1], 0; @!%p1 bra a; ret;`],
    ['two tests', `${test('%p1', 'a:')} ${test('%p2')} @!%p1 bra a; ret;`],
    [
      'left where a word is so, and where it is not',
      `a: ld.acquire.gpu.global.u32 %r3, [%rd1]; setp.eq.s32 %p1, %r3, %r4; @%p1 bra b; setp.eq.s32 %p2, %r3, %r4; @!%p2 bra c; bra a; b: ret; c: ret;`,
    ],
    ['left for another reason', `${test('%p1', 'a:')} @%p2 bra b; @!%p1 bra a; b: ret;`],
    ['a plain load', 'a: ld.global.u32 %r3, [%rd1]; setp.ne.s32 %p1, %r3, 0; @%p1 bra a; ret;'],
    ['a lock', 'a: atom.global.cas.b32 %r3, [%rd1], 0, 1; setp.ne.s32 %p1, %r3, 0; @%p1 bra a; ret;'],
  ])('no spin: %s', (_, lines) => {
    expect(spins(lines)).toEqual([])
  })
})

describe('peeks', () => {
  it('keep the flag, wait where it was false', () => {
    const c = code(`
      ${test('%p1')} selp.b32 %r3, 1, 0, %p1;
      add.s32 %r4, %r4, 1;
      setp.ne.s32 %p2, %r3, 0;
      @%p2 bra over;
      ${test('%p3', 'a:')} @!%p3 bra a;
      over: ret;`)
    expect(peeksOf(c)).toEqual([{ test: 0, spins: [5] }])
  })
  it('a test whose flag goes elsewhere is none', () => {
    const c = code(`${test('%p1')} selp.b32 %r3, 1, 0, %p1; st.shared.b32 [%r1], %r3; ret;`)
    expect(peeksOf(c)).toEqual([])
  })
})

describe('registers in flight', () => {
  const accumulators = Array.from({ length: 4 }, (_, k) => `%f${String(k)}`).join(', ')
  const product = `wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {${accumulators}}, %rd1, %rd2, %p1, 1, 1, 0, 0;`
  const commit = 'wgmma.commit_group.sync.aligned;'
  const wait = (n: number) => `wgmma.wait_group.sync.aligned ${String(n)};`
  it('until the wait that covers them', () => {
    const flights = flightsOf(code([product, commit, product, commit, wait(1), wait(0), 'ret;'].join('\n')))
    expect(flights.map((f) => [f.product, f.waits, f.touches])).toEqual([
      [0, [4], []],
      [2, [5], []],
    ])
    expect(flights[0]!.accumulators.map((r) => r.name)).toEqual(['%f0', '%f1', '%f2', '%f3'])
  })
  it('what touches them is found', () => {
    const [flight] = flightsOf(code([product, commit, wait(1), 'add.f32 %f9, %f3, %f3;', wait(0)].join('\n')))
    expect(flight!.touches).toEqual([3])
  })
})

describe('modules', () => {
  it('all waits of compilers are spins; programs that ask step by step test, and some ask so often', () => {
    let tests = 0
    let spins = 0
    const others: Record<string, number> = {}
    let products = 0
    // by day some, and those that are counted by name
    const counted = /^cuda\/capture_(mbar|mbar_steps|tma)\.ptx$/u
    const some = sampled(2, everyFile)
    for (const file of everyFile.filter((name) => some.includes(name) || counted.test(name)))
      for (const c of codesOf(moduleText(file))) {
        const own = c.instructions.filter((i) => /^mbarrier\.(try|test)_wait$/.test(i.form.base)).length
        const found = spinsOf(c).filter((s) => s.kind === 'mbarrier').length
        if (own !== found) others[file] = (others[file] ?? 0) + own - found
        tests += own
        spins += found
        expect(peeksOf(c)).toEqual([])
        for (const flight of flightsOf(c)) {
          products += 1
          expect(flight.touches, file).toEqual([])
          expect(flight.waits.length, file).toBeGreaterThan(0)
        }
      }
    if (nightly) expect({ tests, spins, products }).toEqual({ tests: 249, spins: 231, products: 490 })
    else expect([spins > 20, products > 20]).toEqual([true, true])
    // answers that are stored, and loops of at most 2,000 questions
    expect(others).toEqual({
      'cuda/capture_mbar.ptx': 9,
      'cuda/capture_mbar_steps.ptx': 5,
      'cuda/capture_tma.ptx': 4,
    })
  })
})
