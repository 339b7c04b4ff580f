/** What stands where an instruction was. Oracle: by hand, instruction by instruction, what its results are where nothing has happened. */
import { expect, test } from 'vitest'
import type { Code } from '../../../../src/dialects/ptx/index.js'
import { leftOut } from '../../../../src/dialects/ptx/mutants/absent.js'
import { printInstruction } from '../../../../src/dialects/ptx/text/printer.js'
import type { Statement } from '../../../../src/dialects/ptx/text/module.js'
import { codesOf, moduleOf } from '../small-text.js'

const declared =
  '.reg .pred %p<8>; .reg .b16 %h<8>; .reg .b32 %r<16>; .reg .b64 %rd<8>; .reg .b128 %q<2>; .reg .f32 %f<8>; .reg .f64 %fd<8>; .reg .v4 .b32 %v;'
const code = (lines: string): Code =>
  codesOf(moduleOf([], `${declared}\n${lines}`, { target: 'sm_100a' }))[0]!

const shown = (s: Statement): string =>
  s._tag === 'instruction' ? printInstruction(s).replaceAll(/\s+/gu, ' ') : s._tag
/** The instructions that something stands in the place of, by their numbers. */
const absent = (lines: string, at = 0): Readonly<Record<number, ReadonlyArray<string>>> | null => {
  const c = code(lines)
  const instead = leftOut(c, at)
  if (instead === null) return null
  return Object.fromEntries(
    [...instead].map(([s, by]) => [c.instructions.findIndex(({ instruction: i }) => i === s), by.map(shown)]),
  )
}

test.each([
  ['nothing, where nothing is written', 'st.shared.b32 [%r1], %r2;', []],
  ['a word', 'ld.shared.b32 %r2, [%r1];', ['mov.b32 %r2, 0;']],
  ['half a word', 'ld.shared.u16 %h2, [%r1];', ['mov.b16 %h2, 0;']],
  ['a long one', 'ld.shared.s64 %rd2, [%r1];', ['mov.b64 %rd2, 0;']],
  ['a float', 'ld.shared.f32 %f2, [%r1];', ['mov.f32 %f2, 0f00000000;']],
  ['a long float', 'ld.shared.f64 %fd2, [%r1];', ['mov.f64 %fd2, 0d0000000000000000;']],
  [
    'all of a vector, but for what is dropped',
    'ld.shared.v4.b32 {%r2, _, %r3, %r4}, [%r1];',
    ['mov.b32 %r2, 0;', 'mov.b32 %r3, 0;', 'mov.b32 %r4, 0;'],
  ],
  [
    'both of a pair',
    'shfl.sync.idx.b32 %r2|%p2, %r1, 0, 31, -1;',
    ['mov.b32 %r2, 0;', 'setp.ne.u32 %p2, 0, 0;'],
  ],
  ['a predicate is false', 'vote.sync.any.pred %p2, %p1, -1;', ['setp.ne.u32 %p2, 0, 0;']],
  ['one of a vector that is declared as one', 'ld.shared.b32 %v.y, [%r1];', ['mov.b32 %v.y, 0;']],
  ['under its guard', '@!%p1 ld.shared.b32 %r2, [%r1];', ['@!%p1 mov.b32 %r2, 0;']],
  [
    'a test of an mbarrier is true',
    '@%p1 mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r1], %r2; selp.b32 %r3, 1, 0, %p2; st.shared.b32 [%r4], %r3;',
    ['@%p1 setp.eq.u32 %p2, 0, 0;'],
  ],
  [
    'the other one, too',
    'mbarrier.test_wait.shared::cta.b64 %p2, [%r1], %rd2; selp.b32 %r3, 1, 0, %p2; st.shared.b32 [%r4], %r3;',
    ['setp.eq.u32 %p2, 0, 0;'],
  ],
])('%s', (_, lines, by) => {
  expect(absent(lines)).toEqual({ 0: by })
})

test('none of a register that no instruction writes a zero into', () => {
  expect(absent('ld.global.b128 %q1, [%rd1];')).toBe(null)
})

const word = 'ld.acquire.gpu.global.u32 %r1, [%rd1];'
const ask = (p: string): string => `mbarrier.try_wait.parity.shared::cta.b64 ${p}, [%r1], %r2;`

test('a wait on an mbarrier: its flag is true', () => {
  expect(absent(`a: ${ask('%p1')} @!%p1 bra a; ret;`)).toEqual({ 0: ['setp.eq.u32 %p1, 0, 0;'] })
  // of two waits the one that is asked for
  expect(absent(`a: ${ask('%p1')} @!%p1 bra a; b: ${ask('%p2')} @!%p2 bra b; ret;`, 2)).toEqual({
    2: ['setp.eq.u32 %p2, 0, 0;'],
  })
})
test('no wait but the one that is asked for is left', () => {
  const sleeping = `a: ${ask('%p1')} @%p1 bra b; nanosleep.u32 20; bra a; b: ${ask('%p2')} @!%p2 bra b; st.shared.b32 [%r1], %r2; ret;`
  expect(absent(sleeping)).toEqual({ 0: ['setp.eq.u32 %p1, 0, 0;'], 2: [] })
  expect(absent(sleeping, 4)).toEqual({ 4: ['setp.eq.u32 %p2, 0, 0;'] })
  expect(absent(sleeping, 6)).toEqual({ 6: [] })
  expect(absent(`a: ${word} setp.ne.u32 %p1, %r1, 5; @%p1 bra a; st.shared.b32 [%r1], %r2; ret;`, 3)).toEqual(
    { 3: [] },
  )
})
test('what is done between its turns is left out with it, but for the jumps', () => {
  expect(
    absent(
      `a: ${ask('%p1')} @%p1 bra b; mov.u64 %rd1, %globaltimer; setp.lt.s64 %p2, %rd1, 5; @%p2 bra c; nanosleep.u32 20; c: bra a; b: ret;`,
    ),
  ).toEqual({ 0: ['setp.eq.u32 %p1, 0, 0;'], 2: [], 3: [], 5: [] })
})
test('a peek: its flag is false, so the wait behind it is made', () => {
  const peek = `${ask('%p1')} @%p1 bra out; a: ${ask('%p2')} @!%p2 bra a; out: ret;`
  expect(absent(peek)).toEqual({ 0: ['setp.ne.u32 %p1, 0, 0;'] })
  expect(absent(peek, 2)).toEqual({ 2: ['setp.eq.u32 %p2, 0, 0;'] })
})

test('a wait for a word: it is zero, and the loop is left whatever it is', () => {
  expect(absent(`a: ${word} setp.ne.u32 %p1, %r1, 5; @%p1 bra a; ret;`)).toEqual({
    0: ['mov.b32 %r1, 0;'],
    2: [],
  })
  expect(absent(`a: ${word} setp.eq.u32 %p1, %r1, 5; @%p1 bra b; bra a; b: ret;`)).toEqual({
    0: ['mov.b32 %r1, 0;'],
    2: ['bra b;'],
  })
  // a branch that goes on in the loop stays
  expect(
    absent(`a: @%p3 bra c; nanosleep.u32 20; c: ${word} setp.ne.u32 %p1, %r1, 5; @%p1 bra a; ret;`, 2),
  ).toEqual({ 2: ['mov.b32 %r1, 0;'], 4: [] })
  // the way out is the end of the function
  expect(absent(`a: ${word} setp.eq.u32 %p1, %r1, 5; @%p1 bra b; bra a; b:`)).toEqual({
    0: ['mov.b32 %r1, 0;'],
    2: ['bra b;'],
  })
})
test('a strong load that waits for nothing is a load', () => {
  expect(absent(`${word} setp.ne.u32 %p1, %r1, 5; @%p1 bra a; nanosleep.u32 20; a: ret;`)).toEqual({
    0: ['mov.b32 %r1, 0;'],
  })
})
