/**
 * Equals that go first for one another. Oracle: the same search in which every cluster is itself.
 *
 * | what                                                       | oracle                                       |
 * |------------------------------------------------------------|----------------------------------------------|
 * | random kernels of three to five CTAs, by night 20,000      | the verdict of every CTA by itself           |
 * | kernels in which a number of a CTA decides, kind by kind   | the same; and that what is wrong is found    |
 */
import { expect, test } from 'vitest'
import { nightly } from '../../../extent.js'
import { drawn, show, verdictOf } from './equals.js'

const from = nightly ? 1_000_000 + Number(process.env['TCSPEC_FROM'] ?? 0) : 1
const count = Number(process.env['TCSPEC_PROGRAMS'] ?? (nightly ? 20_000 : 6))
const budget = 60_000

test(`${String(count)} kernels: the same verdict with equals and without`, { timeout: 14_400_000 }, () => {
  const seen = new Map<string, number>()
  const wrong: string[] = []
  let fewer = 0
  for (let seed = from; seed < from + count; seed++) {
    const d = drawn(seed)
    const some = verdictOf(d, false, budget)
    const name = `${some.verdict}${some.search?.exchanged === true ? ' by equals' : ''}${some.decidedBy === 'exploration' ? ' explored' : ''}`
    seen.set(name, (seen.get(name) ?? 0) + 1)
    if (some.search === null) continue
    const all = verdictOf(d, true, budget)
    if (some.verdict !== all.verdict && all.verdict !== 'undecided')
      wrong.push(
        `seed ${String(seed)}: ${some.verdict} (${some.reason}), every CTA ${all.verdict} (${all.reason})\n${show(d)}`,
      )
    if (some.search.exchanged === true && (all.search?.states ?? 0) > some.search.states) fewer++
  }
  if (nightly || process.env['TALLY'] !== undefined) console.log([...seen], { fewer })
  expect(wrong).toEqual([])
  expect(fewer).toBeGreaterThan(count / 12)
})

const counted = 'atom.acq_rel.gpu.global.add.u32 %r9, [%rd1], 1;'
const skipUnless = (what: string, lines: ReadonlyArray<string>): ReadonlyArray<string> => [
  `setp.eq.u32 %p1, ${what};`,
  '@!%p1 bra E0;',
  ...lines,
  'E0:',
]
const own = ['mul.wide.u32 %rd8, %r1, 4;', 'add.u64 %rd9, %rd2, %rd8;']
const racy = ['st.global.u32 [%rd2+120], %r3;']
/** A datum comes to a place of its own. */
const put = [...own, 'ld.global.u32 %r13, [%rd3+64];', 'st.global.u32 [%rd9], %r13;']
const gather = [0, 1, 2].flatMap((i) => [
  `ld.global.u32 %r15, [%rd2+${String(4 * i)}];`,
  'add.u32 %r14, %r14, %r15;',
])

/** What is wrong where CTAs come in another order than that of their numbers, in which the first of equals goes first. */
const kinds: ReadonlyArray<readonly [what: string, lines: ReadonlyArray<string>]> = [
  [
    'X1 a CTA does something else where it has another turn than its number',
    [counted, 'setp.ne.u32 %p1, %r9, %r1;', '@!%p1 bra E0;', ...racy, 'E0:'],
  ],
  [
    'X2 a CTA leaves its number, and who finds that of the last one writes a place that is not its own',
    [
      ...put,
      'atom.relaxed.gpu.global.exch.b32 %r9, [%rd1+4], %r1;',
      ...skipUnless('%r9, 2', ['st.global.u32 [%rd2+4], %r3;']),
    ],
  ],
  [
    'X4 the last one reads what the first two have written, of which the third has told nothing',
    [
      ...put,
      'fence.acq_rel.gpu;',
      'atom.relaxed.gpu.global.add.u32 %r9, [%rd1], 1;',
      ...skipUnless('%r9, 1', [
        'fence.acq_rel.gpu;',
        'ld.global.u32 %r15, [%rd2];',
        'ld.global.u32 %r14, [%rd2+4];',
        'add.u32 %r14, %r14, %r15;',
        'st.global.u32 [%rd3], %r14;',
      ]),
    ],
  ],
]

test.each(kinds)('%s', (_, lines) => {
  const d = { ctas: 3, lines, blank: true }
  const [some, all] = [verdictOf(d, false), verdictOf(d, true)]
  expect(some.verdict).toBe(all.verdict)
})

test('three blocks that count themselves are four states, and eight without equals', () => {
  const lines = [
    ...put,
    'fence.acq_rel.gpu;',
    'atom.relaxed.gpu.global.add.u32 %r9, [%rd1], 1;',
    ...skipUnless('%r9, 2', [
      'fence.acq_rel.gpu;',
      'mov.u32 %r14, 0;',
      ...gather,
      'st.global.u32 [%rd3], %r14;',
    ]),
  ]
  const d = { ctas: 3, lines, blank: true }
  const [some, all] = [verdictOf(d, false), verdictOf(d, true)]
  expect([some.verdict, all.verdict]).toEqual(['ok', 'ok'])
  expect([some.search?.states, some.search?.exchanged]).toEqual([4, true])
  expect([all.search?.states, all.search?.exchanged]).toEqual([8, undefined])
  const open = verdictOf(
    { ctas: 3, lines: lines.filter((line) => !line.startsWith('fence')), blank: true },
    false,
  )
  expect(open.verdict).toBe('hazard')
})
