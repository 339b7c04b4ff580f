/**
 * Unordered writes of one value by two warps. Oracle: what each warp stores, as a text by hand, and both orders of the two. The inputs hold ones alone: that the
 * numbers of a run are equal says nothing.
 */
import { describe, expect, it } from 'vitest'
import { bits } from '../../../src/numerics/bits.js'
import * as Policy from '../../../src/semantics/execution/policy.js'
import { ignore, run, settings } from '../../../src/semantics/execution/run.js'
import * as Plane from '../../../src/semantics/machine/plane.js'
import { noArguments } from '../../../src/semantics/machine/source.js'
import { dice } from '../../../src/semantics/schedules/naive/random.js'
import { right } from '../../either.js'
import { ofZeros, sourceOfText, verdictOfText, type TextLaunch } from '../../dialects/ptx/launched-text.js'
import { moduleOf } from '../../dialects/ptx/small-text.js'

/** What is made of word %r10 of a lane, in words and in PTX; what it leaves is in %r11. */
const made: Readonly<Record<string, string>> = {
  x: 'mov.b32 %r11, %r10;',
  'x + x': 'add.f32 %r11, %r10, %r10;',
  '2 x': 'mul.f32 %r11, %r10, 0f40000000;',
  '2 (x + x)': 'add.f32 %r11, %r10, %r10; mul.f32 %r11, %r11, 0f40000000;',
  'of the next lane': 'shfl.sync.bfly.b32 %r11, %r10, 1, 31, -1;',
  'the greater': 'setp.gt.f32 %p2, %r10, 0f00000000; selp.b32 %r11, %r10, 1065353216, %p2;',
  'through shared memory':
    'st.shared.b32 [%r3], %r10; bar.warp.sync -1; ld.shared.b32 %r11, [%r3]; add.f32 %r11, %r11, %r11;',
  one: 'mov.b32 %r11, 1065353216;',
}

/** A warp reads row `from` of x, makes something of it, and stores it at row `at` of y. */
interface Storing {
  readonly from: number
  readonly as: string
  readonly at: number
}

const body = ({ from, as, at }: Storing): string =>
  `ld.global.b32 %r10, [%rd4+${String(128 * from)}]; ${made[as]!} st.global.b32 [%rd5+${String(128 * at)}], %r11;`

const textOf = (text: string): string =>
  moduleOf(
    ['px', 'py'],
    `.reg .b32 %r<32>; .reg .b64 %rd<16>; .reg .pred %p<4>;
ld.param.u64 %rd1, [px]; ld.param.u64 %rd2, [py];
mov.u32 %r1, %tid.x; and.b32 %r2, %r1, 31; mul.wide.u32 %rd3, %r2, 4; add.s64 %rd4, %rd1, %rd3; add.s64 %rd5, %rd2, %rd3;
shl.b32 %r3, %r1, 2; mov.u32 %r4, s; add.s32 %r3, %r3, %r4; setp.lt.u32 %p1, %r1, 32;
${text}`,
    { before: '.shared .align 4 .b8 s[256];' },
  )

const apart = (first: string, second: string): string =>
  textOf(`@!%p1 bra other;\n${first}\nret;\nother:\n${second}\nret;`)

const launchOf = (x: Uint32Array): TextLaunch => ({
  threads: 64,
  buffers: [{ name: 'x', role: 'in', words: x }, ...ofZeros(128, 'y')],
  outputs: ['y'],
})

const ones = new Uint32Array(128).fill(0x3f800000)

const said = (module: string, x = ones): string => {
  const { verdict, findings, notes } = verdictOfText(module, launchOf(x))
  return [verdict, ...new Set([...findings, ...notes].map((f) => f.id))].join(' ')
}

/** What y holds where warp `last` is last. */
const left = (module: string, x: Uint32Array, last: number): ReadonlyArray<number> => {
  const launched = sourceOfText(module, launchOf(x)).launch(bits('hopper'), noArguments)
  const { world, machine } = right(launched)
  const ran = run(world, machine, settings(Policy.starvingAgent(last, 1)), ignore)
  const y = new Uint8Array(512)
  Plane.copyOut(ran.machine.planes[world.header.planes.findIndex(({ name }) => name === 'y')]!, 0, 512, y)
  return [...y]
}

describe('two warps', () => {
  const one: Storing = { from: 0, as: 'x + x', at: 2 }
  const pair = (other: Partial<Storing>): string => apart(body(one), body({ ...one, ...other }))

  it('store the same', () => {
    expect(said(pair({}))).toBe('ok N4')
  })
  it('store what is equal in this run alone', () => {
    for (const other of [{ from: 1 }, { as: '2 x' }, { as: 'through shared memory', from: 1 }, { as: 'one' }])
      expect([other, said(pair(other))]).toEqual([other, 'hazard D2'])
  })
  it('store a sum, each its own word first', () => {
    const sum = (op: string, x: string, y: string): string =>
      `ld.global.b32 %r10, [%rd4]; ld.global.b32 %r12, [%rd4+128]; ${op}.f32 %r11, ${x}, ${y}; st.global.b32 [%rd5+256], %r11;`
    const apartBy = (op: string): string => apart(sum(op, '%r10', '%r12'), sum(op, '%r12', '%r10'))
    for (const op of ['add', 'mul', 'max']) expect([op, said(apartBy(op))]).toEqual([op, 'ok N4'])
    // of ones it is the same today
    expect(said(apartBy('sub'))).toBe('hazard D2')
  })
  it('store a sum of two words, in either order', () => {
    const both = 'ld.global.b32 %r10, [%rd4]; ld.global.b32 %r12, [%rd4+128]; add.s64 %rd8, %rd5, %rd3;'
    const sum = (op: string, x: string, y: string): string =>
      `${both} mov.b64 %rd9, {%r10, %r12}; mov.b64 %rd10, {%r12, %r12}; ${op} %rd11, ${x}, ${y}; st.global.b64 [%rd8], %rd11;`
    const apartBy = (op: string): string => apart(sum(op, '%rd9', '%rd10'), sum(op, '%rd10', '%rd9'))
    for (const op of ['add.s64', 'xor.b64']) expect([op, said(apartBy(op))]).toEqual([op, 'ok N4'])
    // of ones it is the same today
    expect(said(apartBy('sub.s64'))).toBe('hazard D2')
  })
  it('store what they have copied, as far as a word has said', () => {
    const copying = (by: number): string =>
      `ld.global.b32 %r20, [%rd1+${String(by)}]; shr.u32 %r20, %r20, 23; and.b32 %r20, %r20, 4; cp.async.ca.shared.global [%r3], [%rd4], 4, %r20; cp.async.wait_all;`
    const found = 'ld.shared.b32 %r11, [%r3]; st.global.b32 [%rd5+256], %r11;'
    expect(said(apart(copying(0) + found, copying(0) + found))).toBe('ok N4')
    expect(said(apart(copying(0) + found, copying(384) + found))).toBe('hazard D2')
    // what a copy has been led by is in what it copies, and in nothing else
    expect(said(apart(copying(0) + body(one), copying(384) + body(one)))).toBe('ok N4')
  })
  it('read what is there, and then store: it may be what the other has stored', () => {
    const look = 'ld.global.b32 %r20, [%rd5+256];'
    const keep = 'st.global.b32 [%rd5+384], %r20;'
    expect(said(apart(`${look} ${body(one)} ${keep}`, body(one)))).toBe('hazard D2 N4')
    expect(said(apart(body(one), `${look} ${body(one)} ${keep}`))).toBe('hazard D2 N4')
  })
  it('store two words, put together in other ways', () => {
    const both = 'ld.global.b32 %r10, [%rd4]; ld.global.b32 %r12, [%rd4+128];'
    const y = 'add.s64 %rd8, %rd5, %rd3; st.global.b64 [%rd8], %rd9;'
    const put = 'mov.b64 %rd9, {%r10, %r12};'
    const by = (low: string, high: string, how: string): string =>
      `cvt.u64.u32 %rd10, ${low}; cvt.u64.u32 %rd11, ${high}; shl.b64 %rd11, %rd11, ${how}; or.b64 %rd9, %rd10, %rd11;`
    expect(said(apart(`${both} ${put} ${y}`, `${both} ${by('%r10', '%r12', '32')} ${y}`))).toBe('ok N4')
    const mask = 'and.b64 %rd9, %rd9, -4294967296; mov.b64 {%r13, %r14}, %rd9; mov.b64 %rd9, {%r10, %r14};'
    expect(said(apart(`${both} ${put} ${y}`, `${both} ${put} ${mask} ${y}`))).toBe('ok N4')
    // alike today: words exchanged, and another half
    expect(said(apart(`${both} ${put} ${y}`, `${both} ${by('%r12', '%r10', '32')} ${y}`))).toBe('hazard D2')
    expect(said(apart(`${both} ${put} ${y}`, `${both} mov.b64 %rd9, {%r10, %r10}; ${y}`))).toBe('hazard D2')
  })
  it('store one term, come by another way', () => {
    expect(said(pair({ as: 'through shared memory' }))).toBe('ok N4')
  })

  it('whatever they store: proved exactly where both write one text', () => {
    let [equal, unequal] = [0, 0]
    for (let seed = 0; seed < 60; seed++) {
      const die = dice(seed)
      const storingOf = (): Storing => ({
        from: die.below(2),
        as: die.pick(Object.keys(made)),
        at: 2 + die.below(2),
      })
      const p = storingOf()
      const q = die.chance(0.5) ? p : storingOf()
      const text = ({ from, as }: Storing): string =>
        as === 'one' ? as : `${as === 'through shared memory' ? 'x + x' : as} of row ${String(from)}`
      const module = apart(body(p), body(q))
      const isEqual = text(p) === text(q)
      expect([p, q, said(module)]).toEqual([p, q, p.at !== q.at ? 'ok' : isEqual ? 'ok N4' : 'hazard D2'])
      if (p.at !== q.at) continue
      if (!isEqual) {
        unequal++
        continue
      }
      equal++
      // law 1: what is proved is so with numbers, whichever comes last
      const x = Uint32Array.from({ length: 128 }, () => 0x3f800000 + die.below(1 << 24))
      expect(left(module, x, 0)).toEqual(left(module, x, 1))
    }
    expect(equal).toBeGreaterThan(10)
    expect(unequal).toBeGreaterThan(5)
  })
})

describe('what is proved, and what is not', () => {
  const both = (text: string): string => textOf(`${text}\nret;`)
  it('what is stored twice may be read, and written over behind a barrier', () => {
    const twice = 'ld.global.b32 %r10, [%rd4]; st.global.b32 [%rd5], %r10;'
    expect(said(both(`${twice} ld.global.b32 %r11, [%rd5]; st.shared.b32 [%r3], %r11;`))).toBe('ok N4')
    const later = 'ld.global.b32 %r12, [%rd4+128]; st.global.b32 [%rd5], %r12;'
    expect(said(both(`${twice} bar.sync 0; ${later}`))).toBe('ok N4')
    // without it, what was stored first may come last
    expect(said(both(`${twice} ${later}`))).toMatch(/^hazard D2/u)
    expect(
      said(both(`${twice} @%p1 bra end; bar.arrive 1, 64; bra done; end: bar.sync 1, 64; ${later} done:`)),
    ).toBe('ok N4')
    expect(said(both(`${twice} @%p1 bra end; bra done; end: ${later} done:`))).toMatch(/^hazard D2/u)
  })
  it('what data has decided is of these data', () => {
    const branch = (from: number): string =>
      `ld.global.b32 %r10, [%rd4+${String(from)}]; mov.b32 %r11, 1; setp.gt.s32 %p2, %r10, 5; @%p2 bra over$; mov.b32 %r11, 2; over$: `
    const store = 'st.global.b32 [%rd5+256], %r11;'
    // one code, one decision
    expect(said(both(`${branch(0).replaceAll('$', '1')} ${store}`))).toBe('ok N4')
    // two that are alike today
    expect(
      said(
        apart(`${branch(0).replaceAll('$', '1')} ${store}`, `${branch(128).replaceAll('$', '2')} ${store}`),
      ),
    ).toBe('hazard D2')
    // and that one of them may not have taken
    expect(
      said(apart(`mov.b32 %r11, 1; bra in; in: ${store}`, `${branch(128).replaceAll('$', '2')} ${store}`)),
    ).toBe('hazard D2')
  })
  it('an atomic leaves nothing that is known', () => {
    expect(
      said(
        both(
          'ld.global.b32 %r10, [%rd4]; atom.global.exch.b32 %r11, [%rd5], %r10; st.global.b32 [%rd5+128], %r11;',
        ),
      ),
    ).toContain('D2')
  })
})

describe('what leads to a load or a store goes with the words that it moves', () => {
  /** Lane 1 of one warp and lane 2 of the other store to one place; all words are ones, so today they store the same. */
  const byLanes = (text: string): string =>
    textOf(
      `${text} shr.u32 %r20, %r1, 5; add.u32 %r20, %r20, 1; setp.eq.u32 %p3, %r2, %r20; @%p3 st.global.b32 [%rd2+256], %r11; end: ret;`,
    )
  const butterfly = (...steps: ReadonlyArray<number>): string =>
    steps
      .map((n) => `shfl.sync.bfly.b32 %r12, %r11, ${String(n)}, 31, -1; add.f32 %r11, %r11, %r12;`)
      .join(' ')
  const every = butterfly(16, 8, 4, 2, 1)
  /** A word of x says where in x this lane loads, or how many lanes load. */
  const loads = {
    'by address':
      'ld.global.b32 %r10, [$]; and.b32 %r10, %r10, 1; mul.wide.u32 %rd6, %r10, 128; add.s64 %rd6, %rd6, %rd4; ld.global.b32 %r11, [%rd6+128];',
    'by predicate':
      'ld.global.b32 %r10, [$]; setp.lt.u32 %p2, %r2, %r10; mov.b32 %r11, 0; @%p2 ld.global.b32 %r11, [%rd4+128];',
  }
  const ofOne = '%rd1'
  const ofItsOwn = 'shr.u32 %r20, %r1, 5; mul.wide.u32 %rd7, %r20, 4; add.s64 %rd7, %rd7, %rd1;'

  it('lanes hold one sum of what each has loaded, if one number has led them', () => {
    for (const [name, load] of Object.entries(loads)) {
      const by = (text: string): readonly [string, string] => [name, said(byLanes(text))]
      expect(by(`${load.replace('$', ofOne)} ${every}`)).toEqual([name, 'ok N4'])
      // pairs of lanes have not been summed
      expect(by(`${load.replace('$', ofOne)} ${butterfly(16, 8, 4, 2)}`)).toEqual([name, 'hazard D2'])
      // each warp by a number of its own
      expect(by(`${ofItsOwn} ${load.replace('$', '%rd7')} ${every}`)).toEqual([name, 'hazard D2'])
    }
  })
  it('and if they come the same way past a branch', () => {
    const load = loads['by address'].replace('$', ofOne)
    const past = (word: string): string =>
      `ld.global.b32 %r10, [${word}]; setp.eq.s32 %p2, %r10, 5; @%p2 bra end; ${load} ${every}`
    expect(said(byLanes(past(ofOne)))).toBe('ok N4')
    expect(said(byLanes(past('%rd4')))).toBe('hazard D2')
  })
  it('a word of another lane says what that lane has come by', () => {
    const others = (word: string): string =>
      `mov.b32 %r11, 1; setp.lt.u32 %p2, %r2, 16; @%p2 bra met; ld.global.b32 %r10, [${word}]; setp.eq.s32 %p2, %r10, 5; @%p2 bra met; mov.b32 %r11, 2; met: shfl.sync.bfly.b32 %r11, %r11, 16, 31, -1;`
    expect(said(byLanes(others(ofOne)))).toBe('ok N4')
    expect(said(byLanes(others('%rd4')))).toBe('hazard D2')
  })
  it('a word that was left out of a load says so', () => {
    // lane 1 loads and lane 2 does not, or both do not
    const out = (limit: string): string =>
      `ld.global.b32 %r10, [${limit}]; and.b32 %r10, %r10, 0; setp.lt.u32 %p2, %r2, %r10; mov.b32 %r11, 0; @%p2 ld.global.b32 %r11, [%rd4+128];`
    expect(said(byLanes(`${out(ofOne)} mov.b32 %r11, 0;`))).toBe('ok N4')
    expect(said(byLanes(out(ofOne)))).toBe('hazard D2')
  })
  it('what a store has left says what has led to it', () => {
    const through = (guard: string): string =>
      `ld.global.b32 %r10, [%rd1]; setp.gt.s32 %p2, %r10, 5; ld.global.b32 %r11, [%rd4+128]; st.shared.b32 [%r3], %r10; ${guard} st.shared.b32 [%r3], %r11; ld.shared.b32 %r11, [%r3]; st.global.b32 [%rd5+256], %r11;`
    const plain = 'ld.global.b32 %r11, [%rd4+128]; st.global.b32 [%rd5+256], %r11;'
    expect(said(apart(through(''), plain))).toBe('ok N4')
    expect(said(apart(through('@%p2'), plain))).toBe('hazard D2')
  })
  it('a product that is exact may be rounded with its sum', () => {
    // a factor by the lane: of lanes 1 and 2, lane 1 has the first and lane 2 the second
    const by = (first: string, second: string, sum: string): string =>
      byLanes(
        `ld.global.b32 %r10, [%rd4]; setp.eq.u32 %p2, %r2, 1; selp.b32 %r14, ${first}, ${second}, %p2; mul.f32 %r11, %r14, %r10; shfl.sync.bfly.b32 %r12, %r11, 3, 31, -1; ${sum}`,
      )
    const fma = 'fma.rn.f32 %r11, %r14, %r10, %r12;'
    const turned = 'fma.rn.f32 %r11, %r10, %r14, %r12;'
    for (const [first, second] of [
      ['0f3F800000', '0f00000000'],
      ['0f00000000', '0fBF800000'],
    ] as const)
      for (const sum of [fma, turned, 'add.f32 %r11, %r12, %r11;'])
        expect([first, sum, said(by(first, second, sum))]).toEqual([first, sum, 'ok N4'])
    // a third is not: the lanes round another product
    expect(said(by('0f3F800000', '0f3EAAAAAB', fma))).toBe('hazard D2')
    expect(said(by('0f3F800000', '0f3EAAAAAB', 'add.f32 %r11, %r11, %r12;'))).toBe('ok N4')
  })
  it('narrow words go through a shuffle of whole ones, and side by side', () => {
    const halves = (out: string): string =>
      byLanes(
        `{ .reg .b16 %h<5>; ld.global.b32 %r11, [%rd4]; mov.b32 {%h1, %h2}, %r11; cvt.u32.u16 %r12, %h2; shfl.sync.bfly.b32 %r13, %r12, 3, 31, -1; cvt.u16.u32 %h3, %r13; ${out} cvt.u32.u16 %r11, %h4; }`,
      )
    const pair = 'mov.b32 %r15, {%h2, %h3};'
    expect(said(halves('add.f16 %h4, %h2, %h3;'))).toBe('ok N4')
    expect(said(halves('sub.f16 %h4, %h2, %h3;'))).toBe('hazard D2')
    expect(said(halves(`${pair} mov.b32 {%h1, %h4}, %r15; add.f16 %h4, %h4, %h1;`))).toBe('ok N4')
    expect(said(halves(`${pair} mov.b32 {%h1, %h4}, %r15; add.f16 %h4, %h4, %h2;`))).toBe('ok N4')
    expect(said(halves(`${pair} mov.b32 {%h4, %h1}, %r15; add.f16 %h4, %h4, %h2;`))).toBe('hazard D2')
  })
})
