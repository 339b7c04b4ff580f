/**
 * Lanes of one warp that wait for different words. Oracle: every order of the same threads, each in a warp of its own.
 *
 * | what                                                            | oracle                                    |
 * |-----------------------------------------------------------------|-------------------------------------------|
 * | random work behind such waits, by night 2,000                    | no `ok` where a warp a lane shows more    |
 * | kernels kind by kind (G1 to G3)                                    | the same, and what is right stays `ok`    |
 */
import { expect, test } from 'vitest'
import { dice } from '../../../../src/semantics/schedules/naive/random.js'
import { nightly } from '../../../extent.js'
import { show, verdictOf, type Drawn } from './equals.js'

type Lines = ReadonlyArray<string>

/** CTA 0: each of two lanes waits for a word of its own, then they work. CTA 1 raises both. */
interface Waiting {
  readonly both: Lines
  readonly work: readonly [Lines, Lines]
  readonly raises: Lines
}

const only = (lane: number, lines: Lines): Lines =>
  lines.length === 0
    ? []
    : [`setp.eq.u32 %p3, %r2, ${String(lane)};`, `@!%p3 bra X${String(lane)};`, ...lines, `X${String(lane)}:`]
const linesOf = ({ both, work, raises }: Waiting): Lines => [
  'setp.ne.u32 %p7, %r1, 0;',
  '@%p7 bra OTHER;',
  'mul.wide.u32 %rd8, %r2, 4;',
  'add.u64 %rd9, %rd1, %rd8;',
  'W:',
  'ld.relaxed.gpu.global.u32 %r16, [%rd9];',
  'setp.eq.u32 %p2, %r16, 0;',
  '@%p2 bra W;',
  ...both,
  ...only(0, work[0]),
  ...only(1, work[1]),
  'bra DONE;',
  'OTHER:',
  'setp.ne.u32 %p6, %r2, 0;',
  '@%p6 bra DONE;',
  ...raises,
]
const lanesOf = (k: Waiting): Drawn => ({
  ctas: 2,
  threads: 2,
  fuel: 2_000,
  lines: ['mov.u32 %r2, %tid.x;', ...linesOf(k)],
  blank: false,
})
const warpsOf = (k: Waiting): Drawn => ({
  ctas: 2,
  threads: 33,
  fuel: 2_000,
  lines: [
    'mov.u32 %r30, %tid.x;',
    'and.b32 %r31, %r30, 31;',
    'setp.ne.u32 %p8, %r31, 0;',
    '@%p8 bra DONE;',
    'shr.u32 %r2, %r30, 5;',
    ...linesOf(k),
  ],
  blank: false,
})

const raise = (lane: number): string => `st.relaxed.gpu.global.u32 [%rd1+${String(4 * lane)}], 1;`
const flag = 'st.relaxed.gpu.global.u32 [%rd1+64], 1;'
const look: Lines = ['ld.relaxed.gpu.global.u32 %r9, [%rd1+64];', 'setp.eq.u32 %p5, %r9, 1;']
const acq = 'fence.acq_rel.gpu;'

const drawn = (seed: number): Waiting => {
  const die = dice(seed)
  const fence = (): Lines => (die.chance(0.3) ? [acq] : [])
  const looks = (): Lines => [
    `ld.relaxed.gpu.global.u32 %r9, [%rd1+${die.pick(['64', '64', '68'])}];`,
    ...(die.chance(0.5) ? [acq] : []),
    `setp.${die.pick(['eq', 'ne'])}.u32 %p5, %r9, ${die.pick(['0', '1', '1'])};`,
    die.pick([
      '@%p5 ld.global.u32 %r21, [%rd2+64];',
      '@%p5 st.global.u32 [%rd2+64], %r9;',
      '@%p5 st.relaxed.gpu.global.u32 [%rd1+68], 1;',
      '@%p5 bra DONE;',
    ]),
  ]
  const work = (): Lines =>
    die.pick([
      [...fence(), flag],
      ['st.global.u32 [%rd2+64], 1;'],
      ['st.global.u32 [%rd2+64], 1;', ...fence(), flag],
      [...fence(), 'st.relaxed.gpu.global.u32 [%rd1+68], 1;'],
      [
        'ld.relaxed.gpu.global.u32 %r9, [%rd1+68];',
        'setp.eq.u32 %p5, %r9, 1;',
        '@%p5 st.global.u32 [%rd2+64], 1;',
      ],
      [],
    ])
  const first = die.below(2)
  return {
    both: [],
    work: [work(), work()],
    raises: [
      ...fence(),
      raise(first),
      ...fence(),
      ...looks(),
      ...fence(),
      raise(1 - first),
      ...(die.chance(0.3) ? looks() : []),
    ],
  }
}

const count = Number(process.env['TCSPEC_PROGRAMS'] ?? (nightly ? 2_000 : 12))
// among the first of these are two that lanes in turn hide
const from = Number(process.env['TCSPEC_FROM'] ?? 43)

test(`${String(count)} kernels: no ok where a warp a lane shows more`, { timeout: 14_400_000 }, () => {
  const wrong: string[] = []
  for (let seed = from; seed < from + count; seed++) {
    const k = drawn(seed)
    const lanes = verdictOf(lanesOf(k), false, 100_000)
    if (lanes.verdict !== 'ok') continue
    const warps = verdictOf(warpsOf(k), true, 100_000, true)
    if (!['ok', 'undecided', 'out-of-fuel'].includes(warps.verdict))
      wrong.push(`seed ${String(seed)}: ${warps.verdict} (${warps.reason})\n${show(lanesOf(k))}`)
  }
  expect(wrong).toEqual([])
})

const waitsFor72: Lines = [
  'V:',
  'ld.relaxed.gpu.global.u32 %r17, [%rd1+72];',
  'setp.eq.u32 %p4, %r17, 0;',
  '@%p4 bra V;',
]
const base: Waiting = { both: [], work: [[], [flag]], raises: [] }
test.each([
  [
    'G2 the flag of the lane that goes ahead ends the other CTA: the other lane waits for ever',
    { ...base, raises: [raise(1), ...look, '@%p5 bra DONE;', raise(0)] },
    'undecided',
    'deadlock',
  ],
  [
    'G2 the same, by a lane that waits for another word first',
    {
      ...base,
      work: [[], [...waitsFor72, flag]],
      raises: [raise(1), 'st.relaxed.gpu.global.u32 [%rd1+72], 1;', ...look, '@%p5 bra DONE;', raise(0)],
    },
    'undecided',
    'deadlock',
  ],
  [
    'G3 both words are raised before the other CTA looks',
    { ...base, raises: [raise(1), raise(0), ...look, '@%p5 bra DONE;'] },
    'ok',
    'ok',
  ],
  [
    'G2 what they do ahead is work that others do not see before a flag of both',
    {
      both: ['st.global.u32 [%rd9+32], %r16;'],
      work: [[], []],
      raises: [raise(1), ...look, '@%p5 bra DONE;', raise(0)],
    },
    'ok',
    'ok',
  ],
  [
    'G2 another agent stands at a word that they do not touch',
    {
      ...base,
      raises: [
        raise(1),
        'ld.relaxed.gpu.global.u32 %r9, [%rd1+76];',
        'setp.eq.u32 %p5, %r9, 1;',
        '@%p5 bra DONE;',
        raise(0),
      ],
    },
    'ok',
    'ok',
  ],
  [
    'a lane raises the word of the other, behind another wait of its own',
    {
      ...base,
      work: [[], [...waitsFor72, raise(0)]],
      raises: [raise(1), 'st.relaxed.gpu.global.u32 [%rd1+72], 1;'],
    },
    'ok',
    'ok',
  ],
] as const)('%s', (_, k, lanes, warps) => {
  expect(verdictOf(lanesOf(k), false).verdict).toBe(lanes)
  expect(verdictOf(warpsOf(k), true, Infinity, true).verdict).toBe(warps)
})

test.each([
  ['the lanes meet behind the wait', 'bar.warp.sync 3;'],
  ['so does the block', 'bar.sync 0;'],
  ['they vote', 'vote.sync.any.pred %p4, %p2, 3;'],
])('%s: nothing goes ahead', (_, meet) => {
  const raises = [raise(1), ...look, '@%p5 bra DONE;', raise(0)]
  // the flag is raised when both have come, so no CTA leaves early
  const { verdict } = verdictOf(lanesOf({ ...base, both: [meet], raises }), false)
  expect(verdict).toBe('ok')
})
