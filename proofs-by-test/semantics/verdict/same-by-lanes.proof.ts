/**
 * Lanes of one warp that store one value into one byte, and loads that come to nothing. Oracle: the same threads, each in a warp or a CTA of its own; and what each stores, by hand.
 *
 * All contents are zeros here, so that whatever is loaded is the same on these data. Lanes of one instruction that store the same on the data that are given are no race
 * on them; between warps terms are asked, which hold for all data, and so they are of lanes whose data are not given.
 */
import { expect, test } from 'vitest'
import { verdictOf, type Drawn } from '../schedules/outcomes/equals.js'

type Lines = ReadonlyArray<string>
const kernel = (how: 'lanes' | 'warps' | 'CTAs', lines: Lines): Drawn => {
  const number: Lines =
    how === 'lanes'
      ? ['mov.u32 %r1, %tid.x;']
      : how === 'CTAs'
        ? []
        : [
            'mov.u32 %r30, %tid.x;',
            'and.b32 %r31, %r30, 31;',
            'setp.ne.u32 %p8, %r31, 0;',
            '@%p8 bra DONE;',
            'shr.u32 %r1, %r30, 5;',
          ]
  const place = ['mul.wide.u32 %rd8, %r1, 4;', 'add.u64 %rd9, %rd2, %rd8;']
  const threads = { lanes: 2, warps: 33, CTAs: 1 }[how]
  return { ctas: how === 'CTAs' ? 2 : 1, threads, blank: false, lines: [...number, ...place, ...lines] }
}
const found = (how: 'lanes' | 'warps' | 'CTAs', lines: Lines): string => {
  const { verdict, findings, notes } = verdictOf(kernel(how, lines), how !== 'lanes')
  return [verdict, ...new Set([...findings, ...notes].map(({ id }) => id))].join(' ')
}

const own = 'ld.global.u32 %r10, [%rd9+32];'
const store = (what: string): string => `st.global.u32 [%rd2], ${what};`
test.each<readonly [string, Lines, string, string]>([
  ['words of their own', [own, store('%r10')], 'ok', 'hazard D2'],
  ['what is made of them', [own, 'add.u32 %r11, %r10, 1;', store('%r11')], 'ok', 'hazard D2'],
  [
    'what such a word has chosen',
    [own, 'setp.eq.u32 %p1, %r10, 0;', 'selp.u32 %r11, 2, %r1, %p1;', store('%r11')],
    'ok',
    'hazard D2',
  ],
  [
    'what was moved where such a word says so',
    [own, 'mov.u32 %r11, %r1;', 'setp.eq.u32 %p1, %r10, 0;', '@%p1 mov.u32 %r11, 2;', store('%r11')],
    'ok',
    'hazard D2',
  ],
  ['one word', ['ld.global.u32 %r10, [%rd2+32];', store('%r10')], 'ok', 'ok N4'],
  ['a constant', [store('1')], 'ok', 'ok N4'],
  ['a parameter', ['ld.param.u32 %r10, [a];', store('%r10')], 'ok', 'ok N4'],
  ['numbers of their own', [store('%r1')], 'hazard D5', 'hazard D2'],
])('lanes store %s', (_, lines, lanes, warps) => {
  expect([found('lanes', lines), found('warps', lines)]).toEqual([lanes, warps])
})

test('the sum of words of their own, by a butterfly, is one', () => {
  const butterfly = ['shfl.sync.bfly.b32 %r11, %r10, 1, 31, 3;', 'add.u32 %r11, %r11, %r10;']
  expect(found('lanes', [own, ...butterfly, store('%r11')])).toBe('ok')
})

// the write of its own agent hides the read, until the two writes are one
const after = ['setp.eq.u32 %p1, %r1, 1;', '@%p1 bra BOTH;', 'ld.global.u32 %r10, [%rd2];']
test.each<readonly [string, Lines, string]>([
  ['drops it', [...after, 'BOTH:', store('1')], 'ok N4'],
  ['stores it', [...after, 'st.global.u32 [%rd3], %r10;', 'BOTH:', store('1')], 'hazard D3 N4'],
])('a thread reads what it and another store alike, and %s', (_, lines, ctas) => {
  expect(found('CTAs', lines)).toBe(ctas)
})
