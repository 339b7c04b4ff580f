/**
 * Barriers of a grid of which one run says what every order does. Oracle: the search that follows every order of what decides.
 *
 * | what                                                                              | oracle                               |
 * |-----------------------------------------------------------------------------------|--------------------------------------|
 * | random kernels of two and three CTAs with one to three rounds, by night 20,000     | the search finds nothing             |
 * | kernels in which one of the rules R1 to R5 does not hold, and no other             | what is wrong is found               |
 * | `isOneSign`, `needsAll`: random words                                              | each number between; each part       |
 */
import { expect, test } from 'vitest'
import { recorded } from '../../../../src/semantics/execution/policy.js'
import { holds } from '../../../../src/semantics/log/comparison.js'
import { isOneSign, needsAll } from '../../../../src/semantics/judging/detector/sums.js'
import { dice } from '../../../../src/semantics/schedules/naive/random.js'
import { nightly } from '../../../extent.js'
import { everyOrderOf, show, verdictOf } from './equals.js'
import { drawnRounds } from './waits.js'

const from = nightly ? 1_000_000 + Number(process.env['TCSPEC_FROM'] ?? 0) : 1
const count = Number(process.env['TCSPEC_PROGRAMS'] ?? (nightly ? 20_000 : 12))

test(`${String(count)} kernels: what one run decides, every order says`, { timeout: 14_400_000 }, () => {
  const wrong: string[] = []
  let decided = 0
  for (let seed = from; seed < from + count; seed++) {
    const d = drawnRounds(seed)
    const one = verdictOf(d, true, 0)
    if (one.verdict !== 'ok' || one.decidedBy !== 'one-schedule') continue
    decided++
    const all = everyOrderOf(d, { states: 1_500, events: 60_000 })
    // what is read and comes to nothing does not race where it is run
    const shown = all.found === null ? 'ok' : verdictOf(d, true, 0, true, recorded(all.found)).verdict
    if (shown === 'hazard' || shown === 'deadlock' || shown === 'invalid')
      wrong.push(`seed ${String(seed)}\n${show(d)}`)
  }
  if (nightly || process.env['TALLY'] !== undefined) console.log({ decided })
  expect(wrong).toEqual([])
  expect(decided).toBeGreaterThan(count / 6)
})

const own = ['mul.wide.u32 %rd8, %r1, 4;', 'add.u64 %rd9, %rd2, %rd8;', 'st.global.u32 [%rd9], %r3;']
const add = (value: string): string => `red.release.gpu.global.add.u32 [%rd1], ${value};`
const wait = (name: string, comparison: string, value: string): ReadonlyArray<string> => [
  `${name}:`,
  'ld.acquire.gpu.global.u32 %r16, [%rd1];',
  `setp.${comparison}.u32 %p2, %r16, ${value};`,
  `@!%p2 bra ${name};`,
]
const only = (cta: number, lines: ReadonlyArray<string>): ReadonlyArray<string> => [
  `setp.eq.u32 %p1, %r1, ${String(cta)};`,
  `@!%p1 bra E${String(cta)};`,
  ...lines,
  `E${String(cta)}:`,
]
const sign = (name: string, value: string): ReadonlyArray<string> => [
  'fence.acq_rel.gpu;',
  `atom.relaxed.gpu.global.add.u32 %r9, [%rd1], ${value};`,
  `${name}:`,
  'ld.relaxed.gpu.global.u32 %r16, [%rd1];',
  'xor.b32 %r17, %r16, %r9;',
  'setp.gt.s32 %p2, %r17, -1;',
  `@%p2 bra ${name};`,
  'fence.acq_rel.gpu;',
]
const getFrom = (cta: number): string =>
  [
    `ld.global.u32 %r15, [%rd2+${String(4 * cta)}];`,
    'mul.wide.u32 %rd8, %r1, 4;',
    'add.u64 %rd9, %rd3, %rd8;',
    'st.global.u32 [%rd9], %r15;',
  ].join('\n')
const mine = 'st.global.u32 [%rd2+120], %r1;'

const kinds: ReadonlyArray<
  readonly [what: string, ctas: number, lines: ReadonlyArray<string>, verdict: string]
> = [
  [
    'two rounds of a counter',
    3,
    [...own, add('1'), ...wait('W0', 'ge', '3'), getFrom(1), add('1'), ...wait('W1', 'ge', '6'), ...own],
    'ok',
  ],
  [
    'two rounds of a sign',
    3,
    [
      ...own,
      'setp.eq.u32 %p1, %r1, 0;',
      'selp.b32 %r20, 0x7ffffffe, 1, %p1;',
      ...sign('W0', '%r20'),
      getFrom(1),
      ...sign('W1', '%r20'),
      ...own,
    ],
    'ok',
  ],
  ['R1 two of three are enough', 3, [...own, add('1'), ...wait('W0', 'ge', '2'), getFrom(0)], 'hazard'],
  [
    'R2 what a wait has found decides',
    2,
    [
      add('1'),
      ...wait('W0', 'ge', '2'),
      ...only(1, [mine, 'red.relaxed.gpu.global.add.u32 [%rd1], 1;']),
      'setp.eq.u32 %p3, %r16, 3;',
      `@%p3 ${mine}`,
    ],
    'hazard',
  ],
  [
    'R3 what comes later may come in the place of what a wait has needed',
    3,
    [
      ...own,
      ...only(2, [add('1'), 'bra DONE;']),
      add('1'),
      ...wait('W0', 'ge', '2'),
      ...only(0, [getFrom(1)]),
    ],
    'hazard',
  ],
  [
    'R4 what comes later may undo a wait',
    2,
    [add('1'), ...wait('W0', 'ge', '2'), ...only(1, [add('-2')])],
    'deadlock',
  ],
  [
    'R5 who comes behind another finds another sign',
    2,
    [...only(1, [add('0x80000000'), 'bra DONE;']), ...sign('W0', '1')],
    'deadlock',
  ],
]

test.each(kinds)('%s', (_, ctas, lines, verdict) => {
  expect(verdictOf({ ctas, lines, blank: true }, true).verdict).toBe(verdict)
})

test('isOneSign and needsAll: of words', () => {
  const die = dice(7)
  const half = 2 ** 31
  for (let k = 0; k < 3_000; k++) {
    const low = die.chance(0.5) ? die.below(8) : half - 6 + die.below(12)
    const added = Array.from({ length: 1 + die.below(4) }, () => 1 + die.below(4))
    const all = added.reduce((a, b) => a + b, 0)
    const signs = new Set(Array.from({ length: all + 1 }, (_, x) => ((low + x) | 0) < 0))
    expect(isOneSign(low, all)).toBe(signs.size === 1)
    const value = die.chance(0.5) ? 0 : -half
    const until = die.pick(['os', 'ss'] as const)
    if (!needsAll({ low, added }, until, value)) continue
    for (let part = 0; part < 2 ** added.length - 1; part++) {
      const some = added.reduce((sum, x, i) => (((part >> i) & 1) === 1 ? sum + x : sum), low)
      expect(holds(until, some | 0, value)).toBe(false)
    }
  }
})
