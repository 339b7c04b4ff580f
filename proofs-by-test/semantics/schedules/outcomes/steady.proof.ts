/**
 * Waits that nothing undoes, and reads that no write overtakes, go alone. Oracle: the same search in which everything is tried in turn.
 *
 * | what                                                              | oracle                                        |
 * |-------------------------------------------------------------------|-----------------------------------------------|
 * | random kernels of two to four CTAs that wait for one another, by night 20,000 | the verdict with nothing that goes alone, and no equals |
 * | kernels in which a wait is undone, or a read overtaken            | the same; and that what is wrong is found     |
 */
import { expect, test } from 'vitest'
import { nightly } from '../../../extent.js'
import { show, verdictOf } from './equals.js'
import { drawnWaiting } from './waits.js'

const from = nightly ? 1_000_000 + Number(process.env['TCSPEC_FROM'] ?? 0) : 5
const count = Number(process.env['TCSPEC_PROGRAMS'] ?? (nightly ? 20_000 : 4))
const budget = nightly ? 60_000 : 20_000

test(
  `${String(count)} kernels: the same verdict with what goes alone and without`,
  {
    timeout: 14_400_000,
  },
  () => {
    const wrong: string[] = []
    let fewer = 0
    for (let seed = from; seed < from + count; seed++) {
      const d = drawnWaiting(seed)
      const some = verdictOf(d, false, budget)
      if (some.search === null) continue
      const all = verdictOf(d, true, budget, true)
      if (some.verdict !== all.verdict && all.verdict !== 'undecided')
        wrong.push(
          `seed ${String(seed)}: ${some.verdict} (${some.reason}), in turn ${all.verdict} (${all.reason})\n${show(d)}`,
        )
      if (all.search !== null && some.search.states < all.search.states) fewer++
    }
    expect(wrong).toEqual([])
    expect(fewer).toBeGreaterThan(count / 20)
  },
)

/** By the turn in which a CTA has come to the counter. */
const inTurn = (...turns: ReadonlyArray<ReadonlyArray<string>>): ReadonlyArray<string> => [
  'atom.relaxed.gpu.global.add.u32 %r9, [%rd1], 1;',
  ...turns.flatMap((lines, turn) => [
    `setp.eq.u32 %p1, %r9, ${String(turn)};`,
    `@!%p1 bra E${String(turn)};`,
    ...lines,
    'bra DONE;',
    `E${String(turn)}:`,
  ]),
]
const counted = 'atom.acq_rel.gpu.global.add.u32 %r9, [%rd1], 1;'
const wait = (name: string, comparison: string, value: string): ReadonlyArray<string> => [
  `${name}:`,
  'ld.relaxed.gpu.global.u32 %r16, [%rd1+4];',
  `setp.${comparison}.u32 %p2, %r16, ${value};`,
  `@!%p2 bra ${name};`,
]
const raise = (value: string): string => `st.relaxed.gpu.global.u32 [%rd1+4], ${value};`
const mine = 'st.global.u32 [%rd2+120], %r1;'
const mineIf = (value: string): ReadonlyArray<string> => [`setp.eq.u32 %p3, %r16, ${value};`, `@%p3 ${mine}`]

/** The first run of each finds nothing: CTAs come in turn, and each does all that it has to do. */
const kinds: ReadonlyArray<readonly [what: string, lines: ReadonlyArray<string>, verdict: string]> = [
  [
    'S1 a flag goes on before it was seen: who waits for it waits for ever',
    inTurn([raise('1')], wait('L0', 'eq', '1'), [...wait('L1', 'eq', '1'), raise('2')]),
    'deadlock',
  ],
  [
    'S2 a wait for any flag, and which it is decides',
    inTurn(
      [raise('1'), mine],
      [...wait('L0', 'ne', '0'), ...mineIf('2')],
      [...wait('L1', 'eq', '1'), raise('2')],
    ),
    'hazard',
  ],
  [
    'S3 a read that finds what comes later decides',
    inTurn([mine], ['ld.relaxed.gpu.global.u32 %r16, [%rd1+4];', ...mineIf('1')], [raise('1')]),
    'hazard',
  ],
  [
    'a barrier that is right',
    [
      'mul.wide.u32 %rd8, %r1, 4;',
      'add.u64 %rd9, %rd2, %rd8;',
      'st.global.u32 [%rd9], %r3;',
      counted,
      'L1:',
      'ld.acquire.gpu.global.u32 %r16, [%rd1];',
      'setp.lt.u32 %p2, %r16, 3;',
      '@%p2 bra L1;',
      'ld.global.u32 %r15, [%rd2];',
      'ld.global.u32 %r14, [%rd2+8];',
      'setp.eq.u32 %p1, %r9, 0;',
      '@%p1 st.global.u32 [%rd3], %r15;',
    ],
    'ok',
  ],
]

test.each(kinds)('%s', (_, lines, verdict) => {
  const d = { ctas: 3, lines, blank: true }
  const [some, all] = [verdictOf(d, false), verdictOf(d, true, Infinity, true)]
  expect([some.verdict, all.verdict]).toEqual([verdict, verdict])
})
