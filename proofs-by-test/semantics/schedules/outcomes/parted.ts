/**
 * Random kernels whose lanes part: two lanes of CTA 0 wait for words of their own, go round a loop, or do nothing first, and then each works; CTA 1 raises the words and looks.
 *
 * Each is drawn twice: the two as lanes of one warp, and as warps of their own.
 */
import { dice } from '../../../../src/semantics/schedules/naive/random.js'
import type { Drawn } from './equals.js'

export type Lines = ReadonlyArray<string>

/** CTA 0: each of two lanes waits for a word of its own, then they work. CTA 1 raises both. */
export interface Waiting {
  readonly both: Lines
  /** more lines in the loop: with some of them it is no wait to the machine; null: they wait for nothing */
  readonly within?: Lines | null
  readonly work: readonly [Lines, Lines]
  readonly raises: Lines
}

const only = (lane: number, lines: Lines): Lines =>
  lines.length === 0
    ? []
    : [`setp.eq.u32 %p3, %r2, ${String(lane)};`, `@!%p3 bra X${String(lane)};`, ...lines, `X${String(lane)}:`]
const linesOf = ({ both, within = [], work, raises }: Waiting): Lines => [
  'setp.ne.u32 %p7, %r1, 0;',
  '@%p7 bra OTHER;',
  'mul.wide.u32 %rd8, %r2, 4;',
  'add.u64 %rd9, %rd1, %rd8;',
  ...(within === null
    ? []
    : [
        'W:',
        'ld.relaxed.gpu.global.u32 %r16, [%rd9];',
        ...within,
        'setp.eq.u32 %p2, %r16, 0;',
        '@%p2 bra W;',
      ]),
  ...both,
  ...only(0, work[0]),
  ...only(1, work[1]),
  'bra DONE;',
  'OTHER:',
  'setp.ne.u32 %p6, %r2, 0;',
  '@%p6 bra DONE;',
  ...raises,
]
export const lanesOf = (k: Waiting): Drawn => ({
  ctas: 2,
  threads: 2,
  fuel: 2_000,
  lines: ['mov.u32 %r2, %tid.x;', ...linesOf(k)],
  blank: false,
})
export const warpsOf = (k: Waiting): Drawn => ({
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

export const raise = (lane: number): string => `st.relaxed.gpu.global.u32 [%rd1+${String(4 * lane)}], 1;`
export const flag = 'st.relaxed.gpu.global.u32 [%rd1+64], 1;'
export const look: Lines = ['ld.relaxed.gpu.global.u32 %r9, [%rd1+64];', 'setp.eq.u32 %p5, %r9, 1;']
const acq = 'fence.acq_rel.gpu;'

export const drawn = (seed: number): Waiting => {
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

/** What the lanes do first. */
export const firsts: ReadonlyArray<readonly [string, Lines | null]> = [
  ['nothing', null],
  ['a wait', []],
  ['a loop that reads an argument', ['ld.param.u64 %rd20, [a];']],
]
