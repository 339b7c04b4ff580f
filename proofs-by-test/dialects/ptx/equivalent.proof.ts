/**
 * Modules that mean the same get the same verdict. Oracle: the module as its compiler wrote it, and its broken twins; each is written anew, in ways that change no result.
 * A search may come to the end of its budget where a writing has more steps: by one writing at most a broken twin may be undecided.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { checkPtx } from '../../../src/oracle/cli/ptx.js'
import type { Verdict } from '../../../src/semantics/judging/verdict.js'
import { right } from '../../either.js'
import { nightly } from '../../extent.js'
import { inMemory } from '../../oracle/disk.js'
import { worldOf } from '../../oracle/world.js'
import { moduleOf } from './small-text.js'

type Writing = (module: string) => string

/** Declares registers of its own at the beginning of every function's body. */
const declaring: Writing = (module) =>
  module.replace(/^(\s*\.reg \.pred\s+%p<\d+>;)/mu, '$1\n.reg .pred %qp<8>; .reg .b32 %qr<8>;')

const plainly = /^\s*(?:mov|add|sub|shl|shr|selp|setp|cvt|mul|mad|mbarrier\.init|st)\.[\w.:]*\s[^@{}]*;$/u
/** Each simple instruction that stands on a line of its own, under a guard that is always true. */
const guarded =
  (says: string): Writing =>
  (module) =>
    declaring(module)
      .split('\n')
      .map((line) => (plainly.test(line) ? `${says}\n@%qp2 ${line.trim()}` : line))
      .join('\n')

/** Branches by a predicate, as another one says it. */
const told =
  (as: (predicate: string, negated: boolean) => string): Writing =>
  (module) =>
    declaring(module).replace(
      /@(!?)(%p\d+|%?\w*[Dd]one\w*|p)\s+bra(\.uni)?\s/gu,
      (_, not: string, predicate: string) => `${as(predicate, not === '!')} bra `,
    )

const waits =
  /^(\s*)(\$?\w+):\s*\n((?:(?!\$?\w+:)[^\n]*\n)*?)(\s*mbarrier\.try_wait[^\n]*;\s*\n)(\s*@(\w+|%p\d+) bra[^;]*;)[^\n]*\n(\s*bra[^;]*;)/gmu

/** Loops that wait ask so often in a turn. */
const unrolled =
  (times: number): Writing =>
  (module) =>
    module.replace(
      waits,
      (_all, _s, label: string, before: string, ask: string, leave: string, _p, back: string) =>
        [`${label}:`, before, ...Array.from({ length: times }, () => `${ask}${leave}\n`), back].join('\n'),
    )
/** They ask so often before they go round. */
const peeled =
  (times: number): Writing =>
  (module) =>
    module.replace(
      waits,
      (_all, _s, label: string, before: string, ask: string, leave: string, _p, back: string) =>
        [
          before,
          ...Array.from({ length: times }, () => `${ask}${leave}\n`),
          `${label}:`,
          before,
          `${ask}${leave}`,
          back,
        ].join('\n'),
    )

const writings: ReadonlyArray<readonly [name: string, writing: Writing]> = [
  ['a constant comparison', guarded('setp.eq.s32 %qp2, 0, 0;')],
  ['a register that equals itself', guarded('setp.ge.u32 %qp2, %qr1, %qr1;')],
  ['a constant in a register', guarded('mov.u32 %qr2, 5; setp.lt.u32 %qp2, %qr2, 7;')],
  [
    'a constant predicate, negated twice',
    guarded('mov.pred %qp1, 0; not.pred %qp3, %qp1; and.pred %qp2, %qp3, %qp3;'),
  ],
  ['the opposite', told((p, not) => `not.pred %qp1, ${p};\n@${not ? '' : '!'}%qp1`)],
  ['a copy', told((p, not) => `mov.pred %qp1, ${p};\n@${not ? '!' : ''}%qp1`)],
  ['both of one', told((p, not) => `or.pred %qp1, ${p}, ${p};\n@${not ? '!' : ''}%qp1`)],
  [
    'a word',
    told((p, not) => `selp.u32 %qr1, 1, 0, ${p};\nsetp.ne.s32 %qp1, %qr1, 0;\n@${not ? '!' : ''}%qp1`),
  ],
  ['unrolled twice', unrolled(2)],
  ['unrolled three times', unrolled(3)],
  ['peeled', peeled(1)],
  ['peeled twice', peeled(2)],
]

/** A wait for %r20 in phase %r21, as compilers write it; `$` is another number for each. */
const ask =
  '{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%r20], %r21; selp.u32 %r22, 1, 0, p; }'
const yes = (to: string): string => `${ask} setp.ne.s32 %p2, %r22, 0; @%p2 bra ${to};`
const no = (to: string): string => `${ask} setp.eq.s32 %p2, %r22, 0; @%p2 bra ${to};`
const forms: Readonly<Record<string, string>> = {
  once: `w$: ${no('w$')}`,
  'twice in a turn': `w$: ${yes('d$')} ${no('w$')} d$:`,
  'three times, and sleeps': `w$: ${yes('d$')} ${yes('d$')} nanosleep.u32 20; ${no('w$')} bra d$; d$:`,
  'twice before': `${yes('d$')} ${yes('d$')} w$: ${no('w$')} d$:`,
  'four times before': `${yes('d$').repeat(4)} w$: ${no('w$')} d$:`,
  'by two words': `w$: ${ask} setp.ne.s32 %p2, %r22, 0; @%p2 bra d$; ${ask} mov.u32 %r23, %r22; setp.eq.s32 %p3, %r23, 0; @%p3 bra w$; d$:`,
}
/** Another phase in the same loop: no wait, whatever comes first. */
const other = `w$: ${yes('d$')} xor.b32 %r21, %r21, 1; ${no('w$')} d$:`

/** A ring of one place. Where a wait stands at the beginning of the loop around it, the two begin at one label. */
const ring = (form: string, arrivals = ''): string =>
  moduleOf(
    ['px', 'py'],
    `.reg .b32 %r<32>; .reg .b64 %rd<8>; .reg .pred %p<8>;
ld.param.u64 %rd1, [px]; ld.param.u64 %rd2, [py]; mov.u32 %r1, %tid.x; and.b32 %r2, %r1, 31; mul.wide.u32 %rd3, %r2, 4;
add.s64 %rd1, %rd1, %rd3; add.s64 %rd2, %rd2, %rd3; mov.u32 %r3, s; shl.b32 %r4, %r2, 2; add.s32 %r3, %r3, %r4;
setp.ne.u32 %p1, %r1, 0; @%p1 bra begun; mbarrier.init.shared.b64 [full], 32; mbarrier.init.shared.b64 [empty], 32;
begun: bar.sync 0; mov.u32 %r5, 0; setp.ge.u32 %p1, %r1, 32; @%p1 bra consumer; mov.u32 %r21, 1;
producer: mov.u32 %r20, empty; setp.eq.u32 %p4, %r5, 0; @%p4 bra free;
${form.replaceAll('$', '1')}
free: xor.b32 %r21, %r21, 1; ld.global.b32 %r6, [%rd1]; st.shared.b32 [%r3], %r6; mbarrier.arrive.shared.b64 _, [full];
add.s32 %r5, %r5, 1; setp.lt.u32 %p4, %r5, 3; @%p4 bra producer; ret;
consumer: mov.u32 %r21, 0; mov.u32 %r20, full;
${form.replaceAll('$', '2').replace(/^w2:/u, 'w2: mov.u32 %r20, full;')}
xor.b32 %r21, %r21, 1; ld.shared.b32 %r6, [%r3]; st.global.b32 [%rd2], %r6; ${arrivals} mbarrier.arrive.shared.b64 _, [empty];
add.s32 %r5, %r5, 1; setp.lt.u32 %p4, %r5, 3; @%p4 bra ${form.startsWith('w$') ? 'w2' : 'consumer2'}; ret;`,
    { before: '.shared .align 8 .b64 full; .shared .align 8 .b64 empty; .shared .align 4 .b8 s[128];' },
  ).replace('mov.u32 %r21, 0; mov.u32 %r20, full;', 'mov.u32 %r21, 0; consumer2: mov.u32 %r20, full;')

const home = new URL('../../../conformance/hopper/cuda/', import.meta.url)
const filesOf = (kernel: string): ReadonlyMap<string, Uint8Array> => {
  const folder = new URL(`${kernel}/`, home)
  return new Map(
    readdirSync(folder)
      .filter((name) => /\.(?:ptx|json|npy)$/u.test(name))
      .map((name) => [name, new Uint8Array(readFileSync(new URL(name, folder)))]),
  )
}
const verdictOf = (files: ReadonlyMap<string, Uint8Array>, module: string): string => {
  const there = new Map([...files, ['k.ptx', new TextEncoder().encode(module)]])
  const said = checkPtx(worldOf(inMemory(there)), 'k.ptx', { launch: 'launch.json' })
  const { verdict, findings } = right(said).json() as Verdict
  return [verdict, ...new Set(findings.map(({ id }) => id))].join(' ')
}

describe('a wait', () => {
  const said = (module: string): string => {
    const there = new Map([['k.ptx', new TextEncoder().encode(module)]])
    const arg = ['0=f32[32]', '1=f32[32]:out']
    return (
      right(checkPtx(worldOf(inMemory(there)), 'k.ptx', { grid: '1', block: '64', arg })).json() as Verdict
    ).verdict
  }
  test.each(Object.keys(forms))('%s', (how) => {
    expect(said(ring(forms[how]!))).toBe('ok')
    // an arrival that fails to come in one turn
    expect(said(ring(forms[how]!, 'setp.eq.u32 %p5, %r5, 1; @!%p5'))).toBe('deadlock')
  })
  test('is spared by a test of its own barrier alone', () => {
    // where the test comes before the arrival, the wait for the other barrier is asked
    const two = (arrivals: string): string =>
      `.version 8.8
.target sm_90a
.address_size 64
.shared .align 8 .b64 a; .shared .align 8 .b64 b;
.visible .entry k(.param .u64 px, .param .u64 py) {
.reg .b32 %r<4>; .reg .b64 %rd<4>; .reg .pred %p<4>;
mov.u32 %r1, %tid.x; ld.param.u64 %rd1, [py]; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd1, %rd1, %rd2;
setp.lt.u32 %p1, %r1, 32; @%p1 st.global.b32 [%rd1], %r1; setp.ne.u32 %p1, %r1, 0; @%p1 bra begun; mbarrier.init.shared.b64 [a], 1; mbarrier.init.shared.b64 [b], 1;
begun: bar.sync 0; setp.eq.u32 %p1, %r1, 0; @%p1 bra arrive; setp.eq.u32 %p1, %r1, 32; @%p1 bra ask; ret;
arrive: ${arrivals} ret;
ask: mbarrier.test_wait.parity.shared.b64 %p2, [a], 0; @%p2 bra done;
w: mbarrier.test_wait.parity.shared.b64 %p2, [b], 0; @!%p2 bra w;
done: ret;
}`
    const arrive = (at: string): string => `mbarrier.arrive.shared.b64 _, [${at}];`
    expect(said(two(arrive('a')))).toBe('deadlock')
    expect(said(two(arrive('b')))).toBe('ok')
    expect(said(two(arrive('a') + arrive('b')))).toBe('ok')
  })
  test('is one only where it asks for the same', () => {
    expect(said(ring(other))).not.toBe('ok')
  })
})

const kernels = ['carried_peeks', 'cxx_barrier', 'peek_pipeline']

/**
 * By day a module is written anew in a third of the ways, another third for each kernel, and a broken one, whose search is long, in one way; by night
 * in every way. What a writing leaves as it was would be held against itself, and is none.
 */
const writingsOf = (text: string, kernel: string, isBroken: boolean): typeof writings => {
  const all = writings.filter(([, writing]) => writing(text) !== text)
  const turn = kernels.indexOf(kernel)
  return nightly ? all : isBroken ? [all.at(-1 - turn)!] : all.filter((_, i) => i % kernels.length === turn)
}

describe.each(kernels)('%s', (kernel) => {
  const files = filesOf(kernel)
  const textOf = (name: string): string => new TextDecoder().decode(files.get(name))
  const broken = nightly ? [1, 2, 3, 4, 5] : kernel === 'cxx_barrier' ? [] : [2]
  const modules = [`${kernel}.ptx`, ...broken.map((k) => `broken${String(k)}.ptx`)]
  test.each(modules)('%s', (name) => {
    const text = textOf(name)
    const isBroken = name.startsWith('broken')
    const expected = verdictOf(files, text)
    expect(expected === 'ok').toBe(!isBroken)
    const others = writingsOf(text, kernel, isBroken).flatMap(([how, writing]) => {
      const said = verdictOf(files, writing(text))
      return said === expected ? [] : [`${how}: ${said}`]
    })
    if (nightly && isBroken) expect(others.slice(1)).toEqual([])
    expect(isBroken && nightly ? others.filter((one) => !/: undecided\b/u.test(one)) : others).toEqual([])
  })
})
