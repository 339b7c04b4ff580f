/**
 * Loops that ask an mbarrier until it has come: what may be made of the answer between the question and the branch (`made-of-a-flag.ts`). Oracle: by hand; a loop is a wait where it is left when the answer
 * is yes and at no other time, and where nothing else is done in it.
 */
import { describe, expect, test } from 'vitest'
import { madeOfAFlag, opposite, registersOfFlags } from './made-of-a-flag.js'
import { moduleOf, programOf } from './small-text.js'

const asked = (loop: string): string => {
  const { code } = programOf(
    moduleOf(
      ['out'],
      `${registersOfFlags}
${loop}
st.global.b32 [%rd1], %r9;
ret;`,
    ),
  )
  const waits = code.flatMap(({ operation: o }) => (o._tag === 'mbarrierWait' ? [o.blocks] : []))
  return waits.length === 1 ? (waits[0]! ? 'waits' : 'asks') : JSON.stringify(waits)
}
const ask = 'mbarrier.try_wait.parity.shared::cta.b64 %p1, [%r1], 0;'

describe('what is made of the answer', () => {
  test.each(madeOfAFlag.map((m) => [m.what, m] as const))('%s', (_, { made, guard, is }) => {
    const said = asked(`AGAIN: ${ask} ${made} ${opposite(guard)} bra AGAIN;`)
    expect(said).toBe(is === 'both' || is === 'spin' ? 'waits' : 'asks')
  })
  test('nothing, and it asks of something else', () => {
    expect(asked(`AGAIN: ${ask} setp.ne.b32 %p2, %r9, 3; @!%p2 bra AGAIN;`)).toBe('asks')
  })
})

describe('what else stands in the loop', () => {
  test.each([
    ['a sum that is read in it alone', 'add.s32 %r5, %r9, 1;', 'waits'],
    ['a count that is read behind it', 'add.s32 %r9, %r9, 1;', 'asks'],
    ['a store', 'st.global.b32 [%rd1], %r7;', 'asks'],
    ['another address', 'add.s32 %r1, %r1, 8;', 'asks'],
    ['a barrier', 'bar.sync 0;', 'asks'],
  ])('%s', (_, line, is) => {
    expect(asked(`AGAIN: ${ask} ${line} @!%p1 bra AGAIN;`)).toBe(is)
  })
  test('a way out that asks nothing', () => {
    expect(asked(`AGAIN: ${ask} @%p7 bra OUT; @!%p1 bra AGAIN; OUT:`)).toBe('asks')
  })
  test('a way out of its own for yes, and back by a jump', () => {
    expect(asked(`AGAIN: ${ask} @%p1 bra OUT; bra.uni AGAIN; OUT:`)).toBe('waits')
    expect(asked(`AGAIN: ${ask} @!%p1 bra OUT; bra.uni AGAIN; OUT:`)).toBe('asks')
  })
})
