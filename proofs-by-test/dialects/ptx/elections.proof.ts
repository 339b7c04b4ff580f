/** Which predicates elect one lane. Oracle: their value in every thread of a CTA, computed here from the number of the thread. */
import { expect, test } from 'vitest'
import { codeOf, parseModule } from '../../../src/dialects/ptx/index.js'
import { electionOf } from '../../../src/dialects/ptx/mutants/elections.js'
import { right } from '../../either.js'

/** %p1 by these instructions, in a CTA of so many threads. */
const elected = (lines: string, threads = 64): string => {
  const [code] = right(
    codeOf(
      right(
        parseModule(`.version 8.7
.target sm_90a
.address_size 64
.entry k() {
.reg .pred %p<6>; .reg .b32 %r<8>;
mov.u32 %r1, %tid.x; mov.u32 %r2, %laneid; and.b32 %r3, %r1, 31; ${lines}
@%p1 add.s32 %r7, %r7, 1;
ret;
}`),
      ),
    ),
  )
  const last = code!.instructions.find(({ guard }) => guard?.register.name === '%p1')!
  const election = electionOf(code!, last.guard!.register, [threads, 1, 1])
  return election === null ? 'none' : election.isTrue ? 'one' : 'all others'
}

/** One lane of some warps, and the lane behind it is there; or all but such. */
const by = (holds: (t: number) => boolean, threads = 64): string => {
  const all = Array.from({ length: threads }, (_, t) => t)
  const isOne = (some: ReadonlyArray<number>): boolean =>
    some.length > 0 &&
    new Set(some.map((t) => t >> 5)).size === some.length &&
    some.every((t) => t % 32 < 31 && t + 1 < threads)
  return isOne(all.filter(holds)) ? 'one' : isOne(all.filter((t) => !holds(t))) ? 'all others' : 'none'
}

const comparisons: Readonly<Record<string, (a: number, b: number) => boolean>> = {
  eq: (a, b) => a === b,
  ne: (a, b) => a !== b,
}
const registers: ReadonlyArray<readonly [string, (t: number) => number]> = [
  ['%r1', (t) => t],
  ['%r2', (t) => t % 32],
  ['%r3', (t) => t % 32],
]

test('a comparison of the thread or the lane with a number', () => {
  for (const [cmp, is] of Object.entries(comparisons))
    for (const [register, of] of registers)
      for (const n of [0, 1, 5, 30, 31, 32, 63])
        expect(
          elected(`setp.${cmp}.u32 %p1, ${register}, ${String(n)};`),
          `${cmp} ${register} ${String(n)}`,
        ).toBe(by((t) => is(of(t), n)))
})

test('the opposite, both, either, and a predicate by way of a word', () => {
  const first = 'setp.eq.u32 %p2, %r3, 0; setp.lt.u32 %p3, %r1, 32;'
  for (const [lines, holds] of [
    ['not.pred %p1, %p2;', (t: number) => t % 32 !== 0],
    ['and.pred %p1, %p2, %p3;', (t: number) => t === 0],
    ['or.pred %p1, %p2, %p3;', (t: number) => t % 32 === 0 || t < 32],
    ['selp.b32 %r4, 1, 0, %p2; setp.ne.u32 %p1, %r4, 0;', (t: number) => t % 32 === 0],
    ['selp.b32 %r4, 0, 1, %p2; setp.ne.u32 %p1, %r4, 0;', (t: number) => t % 32 !== 0],
  ] as const)
    expect(elected(`${first} ${lines}`), lines).toBe(by(holds))
})

test('of a comparison with two results neither is taken for one, and no other CTA is looked at', () => {
  expect(elected('setp.eq.u32 %p1|%p2, %r3, 0;')).toBe('none')
  expect(elected('setp.eq.u32 %p2|%p1, %r3, 0;')).toBe('none')
  expect(elected('setp.eq.u32 %p1, %r1, 0; @%p2 setp.eq.u32 %p1, %r1, 1;')).toBe('none')
  // the lane behind the last is none
  expect(elected('setp.eq.u32 %p1, %r1, 4;', 5)).toBe('none')
  expect(elected('setp.eq.u32 %p1, %r1, 3;', 5)).toBe('one')
})
