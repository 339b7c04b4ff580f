/**
 * Barriers of a grid that the last CTA opens for the others. Oracle: the search that follows every order of what decides.
 *
 * | what                                                                                  | oracle                              |
 * |---------------------------------------------------------------------------------------|-------------------------------------|
 * | random barriers of two and three CTAs with one to three rounds, by night 20,000        | the search finds nothing            |
 * | kernels in which one of the conditions F1 to F8 and J1 to J6 does not hold             | they are not decided by it          |
 * | the same kernels, where what does not hold is a mistake                               | the search finds it                 |
 * | forty CTAs                                                                            | one run                             |
 */
import { expect, test } from 'vitest'
import { roundRobin, type AnyPolicy } from '../../../src/semantics/execution/policy.js'
import type { Verdict } from '../../../src/semantics/judging/verdict.js'
import { dice, type Dice } from '../../../src/semantics/schedules/naive/random.js'
import { nightly } from '../../extent.js'
import { show, verdictOf, type Drawn } from '../schedules/outcomes/equals.js'

type Lines = ReadonlyArray<string>
interface Kernel {
  readonly ctas: number
  readonly threads: number
  readonly rounds: number
  /** each round is written out */
  readonly unrolled: boolean
  readonly begins: Lines
  /** what is written before, what is read behind */
  readonly writes: Lines
  readonly meets: Lines
  readonly who: Lines
  readonly looks: Lines
  readonly tells: Lines
  readonly counts: Lines
  readonly asks: Lines
  readonly last: Lines
  readonly waits: Lines
  readonly hears: Lines
  readonly leaves: Lines
  readonly reads: Lines
  readonly ends: Lines
  /** how the one run goes; eagerly if it is left out */
  readonly first?: AnyPolicy
}

const acq = 'fence.acq_rel.gpu;'
const reset = 'st.relaxed.gpu.global.u32 [%rd1], 0;'
const opened = 'st.relaxed.gpu.global.u32 [%rd1+4], %r28;'
const flag: Kernel = {
  ctas: 2,
  threads: 1,
  rounds: 2,
  unrolled: false,
  begins: [],
  writes: ['@%p4 st.global.u32 [%rd10], %r27;'],
  meets: [],
  who: ['setp.ne.u32 %p1, %r2, 0;', '@%p1 bra ON$;'],
  looks: ['xor.b32 %r28, %r28, 1;'],
  tells: [acq],
  counts: ['atom.relaxed.gpu.global.add.u32 %r16, [%rd1], 1;'],
  asks: ['setp.eq.u32 %p2, %r16, %r5;', '@%p2 bra LAST$;'],
  last: [reset, acq, opened],
  waits: [
    'WAIT$:',
    'ld.relaxed.gpu.global.u32 %r17, [%rd1+4];',
    'setp.ne.u32 %p3, %r17, %r28;',
    '@%p3 bra WAIT$;',
  ],
  hears: [acq],
  leaves: ['ON$:'],
  reads: ['@%p4 ld.global.u32 %r15, [%rd11];', '@%p4 st.global.u32 [%rd12], %r15;'],
  ends: [],
}
const another: Lines = [
  'WAIT$:',
  'ld.relaxed.gpu.global.u32 %r17, [%rd1+4];',
  'setp.eq.u32 %p3, %r17, %r28;',
  '@%p3 bra WAIT$;',
]
const look = 'ld.relaxed.gpu.global.u32 %r28, [%rd1+4];'
const generation: Kernel = {
  ...flag,
  looks: [look],
  last: [reset, acq, 'red.relaxed.gpu.global.add.u32 [%rd1+4], 1;'],
  waits: another,
}
const warps: Partial<Kernel> = {
  threads: 64,
  meets: ['bar.sync 0;'],
  leaves: ['ON$:', 'bar.sync 0;'],
}

const roundOf = (k: Kernel, name: string): Lines =>
  [
    ...k.writes,
    ...k.meets,
    ...k.who,
    ...k.looks,
    ...k.tells,
    ...k.counts,
    ...k.asks,
    ...k.waits,
    'bra MEET$;',
    'LAST$:',
    ...k.last,
    'MEET$:',
    ...k.hears,
    ...k.leaves,
    ...k.reads,
    'add.u32 %r27, %r27, 1;',
    'add.u64 %rd10, %rd10, 32;',
    'add.u64 %rd11, %rd11, 32;',
    'add.u64 %rd12, %rd12, 32;',
  ].map((line) => line.replaceAll('$', name))

const linesOf = (k: Kernel): Lines => [
  'mov.u32 %r2, %tid.x;',
  'and.b32 %r6, %r2, 31;',
  'setp.eq.u32 %p4, %r6, 0;',
  'shr.u32 %r6, %r2, 5;',
  'mad.lo.u32 %r6, %r1, 2, %r6;',
  'mul.wide.u32 %rd8, %r6, 4;',
  'add.u64 %rd10, %rd2, %rd8;',
  'add.u64 %rd12, %rd3, %rd8;',
  'add.u32 %r7, %r1, 1;',
  'rem.u32 %r7, %r7, %r3;',
  'mul.wide.u32 %rd8, %r7, 8;',
  'add.u64 %rd11, %rd2, %rd8;',
  'add.u32 %r5, %r3, -1;',
  'mov.u32 %r27, 0;',
  'mov.u32 %r28, 0;',
  'mov.u32 %r20, 0;',
  ...k.begins,
  ...(k.unrolled
    ? Array.from({ length: k.rounds }, (_, r) => roundOf(k, `_${String(r)}`)).flat()
    : ['AGAIN:', ...roundOf(k, ''), `setp.lt.u32 %p5, %r27, ${String(k.rounds)};`, '@%p5 bra AGAIN;']),
  ...k.ends,
]
const drawnOf = (k: Kernel): Drawn => ({
  ctas: k.ctas,
  threads: k.threads,
  fuel: 3_000,
  lines: linesOf(k),
  blank: false,
})

// ---------------------------------------------------------------- kernels

const one = (die: Dice, all: Lines): string => all[die.below(all.length)]!
const without = (all: Lines, k: number): Lines => all.filter((line, i) => i !== k || line.endsWith(':'))
const put = (die: Dice, all: Lines, ...lines: Lines): Lines => {
  const at = die.below(all.length + 1)
  return [...all.slice(0, at), ...lines, ...all.slice(at)]
}
const fences: Lines = [
  acq,
  acq,
  'fence.sc.gpu;',
  'membar.gl;',
  'membar.cta;',
  'fence.acq_rel.cta;',
  'fence.acquire.gpu;',
  'fence.release.gpu;',
  'fence.acq_rel.sys;',
]
/** Of one CTA alone. */
const only = (die: Dice, line: string): Lines => [
  `setp.${one(die, ['eq', 'ne'])}.u32 %p6, %r1, ${String(die.below(2))};`,
  line.startsWith('@') ? line : `@%p6 ${line}`,
]
const parts = [
  'begins',
  'writes',
  'meets',
  'looks',
  'tells',
  'counts',
  'asks',
  'last',
  'hears',
  'leaves',
  'reads',
  'ends',
] as const
const names: Lines = ['%rd1', '%rd1', '%rd1+4', '%rd1+4', '%rd1+8']
const strange = (die: Dice): string =>
  one(die, [
    `st.global.u32 [${one(die, names)}], %r27;`,
    `st.relaxed.gpu.global.u32 [${one(die, names)}], ${one(die, ['0', '1', '%r27', '%r28'])};`,
    `ld.relaxed.gpu.global.u32 %r20, [${one(die, names)}];`,
    `ld.acquire.gpu.global.u32 %r20, [${one(die, names)}];`,
    `ld.global.u32 %r20, [${one(die, names)}];`,
    `red.relaxed.gpu.global.add.u32 [${one(die, names)}], ${one(die, ['1', '0', '-1'])};`,
    'st.global.u32 [%rd2+124], %r1;',
    'ld.global.u32 %r20, [%rd2+124];',
    'st.global.u32 [%rd12], %r20;',
    'st.global.u32 [%rd12], %r16;',
    'st.global.u32 [%rd12], %r17;',
    'add.u32 %r20, %r20, 1;',
    'add.u32 %r28, %r28, 1;',
    'xor.b32 %r28, %r28, 1;',
    'mov.u32 %r28, %r16;',
    'mov.u32 %r5, %r16;',
    'add.u32 %r5, %r5, 1;',
    'add.u64 %rd1, %rd1, 8;',
    '@%p4 ld.global.u32 %r15, [%rd11];',
    'st.global.u32 [%rd10], %r27;',
    acq,
  ])

const changes: ReadonlyArray<(die: Dice, k: Kernel) => Partial<Kernel>> = [
  (die) => ({ tells: die.chance(0.5) ? [] : [one(die, fences)] }),
  (die, k) => ({
    tells: die.chance(0.6) ? [] : k.tells,
    counts: [
      `atom.${one(die, ['acquire', 'release', 'acq_rel', 'acq_rel', 'relaxed'])}.${one(die, ['gpu', 'gpu', 'gpu', 'cta', 'sys'])}.global.${one(die, ['add.u32 %r16, [%rd1], 1', 'add.u32 %r16, [%rd1], 1', 'add.s32 %r16, [%rd1], 1', 'inc.u32 %r16, [%rd1], %r5'])};`,
    ],
    ...(die.chance(0.4) ? { last: k.last.slice(1) } : {}),
  }),
  (die) => ({
    counts: [
      `atom.relaxed.gpu.global.${one(die, ['add.u32 %r16, [%rd1], 2', 'add.u32 %r16, [%rd1+8], 1', 'add.u32 %r16, [%rd1], %r3', 'or.b32 %r16, [%rd1], 1', 'dec.u32 %r16, [%rd1], %r5', 'add.u32 %r16, [%rd1], %r1'])};`,
    ],
  }),
  () => ({ counts: ['atom.relaxed.gpu.global.inc.u32 %r16, [%rd1], %r5;'], last: flag.last.slice(1) }),
  (die) => ({
    asks: [
      one(die, [
        'setp.ge.u32 %p2, %r16, %r5;',
        'setp.eq.u32 %p2, %r16, 1;',
        'setp.eq.u32 %p2, %r16, 0;',
        'setp.eq.u32 %p2, %r16, %r1;',
        'setp.gt.u32 %p2, %r16, 0;',
        'setp.eq.u32 %p2, %r16, %r27;',
      ]),
      '@%p2 bra LAST$;',
    ],
  }),
  (die) => ({ begins: [`add.u32 %r6, %r1, ${one(die, ['0', '1'])};`, 'max.u32 %r5, %r5, %r6;'] }),
  () => ({ begins: ['setp.eq.u32 %p6, %r1, 0;', '@%p6 add.u32 %r5, %r5, 1;'] }),
  (_, k) => ({ asks: ['setp.ne.u32 %p2, %r16, %r5;', '@!%p2 bra LAST$;'], unrolled: k.unrolled }),
  () => ({ asks: ['add.u32 %r18, %r16, 1;', 'setp.eq.u32 %p2, %r18, %r3;', '@%p2 bra LAST$;'] }),
  // the last arm
  (die, k) => ({ last: without(k.last, die.below(k.last.length)) }),
  (die, k) => {
    const at = die.below(k.last.length)
    return { last: put(die, without(k.last, at), k.last[at]!) }
  },
  (die, k) => ({ last: k.last.map((line) => (line === acq ? one(die, fences) : line)) }),
  (die, k) => ({
    last: k.last.map((line) =>
      line !== reset
        ? line
        : one(die, [
            'st.global.u32 [%rd1], 0;',
            'st.volatile.global.u32 [%rd1], 0;',
            'st.release.gpu.global.u32 [%rd1], 0;',
            'st.relaxed.cta.global.u32 [%rd1], 0;',
            'st.relaxed.gpu.global.u32 [%rd1], 1;',
            'st.relaxed.gpu.global.u32 [%rd1], %r27;',
            'atom.relaxed.gpu.global.exch.b32 %r18, [%rd1], 0;',
            'red.relaxed.gpu.global.and.b32 [%rd1], 0;',
            'red.relaxed.gpu.global.add.u32 [%rd1], -2;',
            'st.relaxed.gpu.global.u32 [%rd1+8], 0;',
          ]),
    ),
  }),
  (die, k) => ({
    last: k.last.map((line) =>
      !line.includes('[%rd1+4]')
        ? line
        : one(die, [
            'st.global.u32 [%rd1+4], %r28;',
            'st.volatile.global.u32 [%rd1+4], %r28;',
            'st.release.gpu.global.u32 [%rd1+4], %r28;',
            'st.release.cta.global.u32 [%rd1+4], %r28;',
            'st.relaxed.gpu.global.u32 [%rd1+4], 1;',
            'st.relaxed.gpu.global.u32 [%rd1+4], %r1;',
            'st.relaxed.gpu.global.u32 [%rd1+8], %r28;',
            'atom.relaxed.gpu.global.exch.b32 %r18, [%rd1+4], %r28;',
            'atom.release.gpu.global.add.u32 %r18, [%rd1+4], 1;',
            'red.relaxed.gpu.global.xor.b32 [%rd1+4], 1;',
            'red.relaxed.gpu.global.add.u32 [%rd1+4], 2;',
          ]),
    ),
  }),
  () => ({ last: [reset, 'st.release.gpu.global.u32 [%rd1+4], %r28;'] }),
  (die) => ({
    last: [reset, one(die, fences), 'add.u32 %r18, %r28, 1;', 'st.relaxed.gpu.global.u32 [%rd1+4], %r18;'],
    ...(die.chance(0.8) ? { waits: another, looks: [look] } : {}),
  }),
  (die) => ({
    last: [
      reset,
      one(die, fences),
      'ld.relaxed.gpu.global.u32 %r18, [%rd1+4];',
      `add.u32 %r18, %r18, ${one(die, ['1', '1', '2', '%r1'])};`,
      'st.relaxed.gpu.global.u32 [%rd1+4], %r18;',
    ],
    ...(die.chance(0.8) ? { waits: another, looks: [look] } : {}),
  }),
  // the look, and the sign that is turned
  (die, k) => ({
    looks: [],
    tells: die.chance(0.5) ? [...k.tells, ...k.looks] : k.tells,
    counts: die.chance(0.5) ? [...k.counts, ...k.looks] : k.counts,
  }),
  (die, k) => ({
    looks: k.looks.map((line) =>
      line !== look
        ? line
        : one(die, [
            'ld.global.u32 %r28, [%rd1+4];',
            'ld.volatile.global.u32 %r28, [%rd1+4];',
            'ld.acquire.gpu.global.u32 %r28, [%rd1+4];',
            'ld.relaxed.gpu.global.u32 %r28, [%rd1+8];',
          ]),
    ),
  }),
  (die) => ({ begins: [`mov.u32 %r28, ${one(die, ['1', '%r1', '%r3'])};`] }),
  (die) => ({ looks: [one(die, ['xor.b32 %r28, %r28, 1;', 'add.u32 %r28, %r28, 1;', 'mov.u32 %r28, 1;'])] }),
  // the wait
  (die, k) => ({
    waits: k.waits.map((line) =>
      line.startsWith('ld')
        ? `ld.${one(die, ['acquire.gpu', 'acquire.gpu', 'acquire.cta', 'volatile', 'relaxed.sys', 'relaxed.cta', 'weak'])}.global.u32 %r17, [%rd1+${one(die, ['4', '4', '4', '8', '0'])}];`
        : line,
    ),
    hears: die.chance(0.5) ? [] : k.hears,
  }),
  (die, k) => ({
    waits: k.waits.map((line) =>
      line.startsWith('setp')
        ? one(die, [
            'setp.lt.u32 %p3, %r17, %r28;',
            'setp.ne.u32 %p3, %r17, 1;',
            'setp.eq.u32 %p3, %r17, %r28;',
            'setp.eq.u32 %p3, %r17, 0;',
            'setp.ne.u32 %p3, %r17, %r27;',
          ])
        : line,
    ),
  }),
  (die, k) => ({ hears: die.chance(0.5) ? [] : [one(die, fences)], unrolled: k.unrolled }),
  (die, k) => ({ hears: [], waits: [...k.waits, one(die, fences)] }),
  (die, k) => ({ hears: [], last: [...k.last, one(die, fences)] }),
  (die, k) => ({ hears: [], leaves: put(die, k.leaves, one(die, fences)) }),
  (die) => ({ [one(die, ['tells', 'hears'])]: only(die, acq) }),
  (die, k) => {
    const part = die.pick(['last', 'waits', 'counts', 'tells'] as const)
    const at = die.below(k[part].length)
    return {
      [part]: k[part].flatMap((line, i) => (i === at && line.endsWith(';') ? only(die, line) : [line])),
    }
  },
  // anything, anywhere
  (die, k) => {
    const part = die.pick(parts)
    return { [part]: put(die, k[part], strange(die)) }
  },
  (die, k) => {
    const part = die.pick(parts)
    return { [part]: put(die, k[part], ...only(die, strange(die))) }
  },
  (die, k) => {
    const part = die.pick(parts)
    return { [part]: without(k[part], die.below(Math.max(1, k[part].length))) }
  },
  // who comes
  (die, k) => ({ who: [...only(die, 'bra ON$;'), ...k.who] }),
  () => ({ who: [] }),
  (die, k) =>
    k.threads > 1
      ? { who: ['shl.b32 %r6, %r27, 5;', 'setp.ne.u32 %p1, %r2, %r6;', '@%p1 bra ON$;'] }
      : { ctas: 2 + die.below(2) },
  (_, k) =>
    k.threads > 1
      ? { who: ['and.b32 %r6, %r2, 31;', 'setp.ne.u32 %p1, %r6, 0;', '@%p1 bra ON$;'] }
      : { rounds: 1 },
  (die) => ({ ctas: 3, rounds: 1 + die.below(2) }),
  (die) => ({ rounds: 1 + die.below(3) }),
  () => ({ unrolled: true }),
  () => warps,
  () => ({ rounds: 1, ctas: 3 }),
]

const drawn = (seed: number): Kernel => {
  const die = dice(seed)
  const start: Kernel = { ...(die.chance(0.6) ? flag : generation), ...(die.chance(0.12) ? warps : {}) }
  const often = die.pick([0, 1, 1, 1, 2, 2, 2, 3])
  return Array.from({ length: often }).reduce<Kernel>((k) => ({ ...k, ...die.pick(changes)(die, k) }), start)
}

const from = nightly ? 1_000_000 + Number(process.env['TCSPEC_FROM'] ?? 0) : 1
const count = Number(process.env['TCSPEC_PROGRAMS'] ?? (nightly ? 20_000 : 12))
const isByGates = ({ verdict, decidedBy, conditions }: Verdict): boolean =>
  verdict === 'ok' && decidedBy === 'one-schedule' && !conditions.C1.holds

/** What every order of what decides shows, and each that it ends with; null: not all were followed. */
const shownBySearch = (d: Drawn): string | null => {
  const { verdict } = verdictOf(d, true, 200_000, true)
  return verdict === 'undecided' || verdict === 'out-of-fuel' ? null : verdict
}

test(`${String(count)} kernels: what one run decides, every order says`, { timeout: 14_400_000 }, () => {
  const wrong: string[] = []
  let [decided, confirmed, missed] = [0, 0, 0]
  const seen = new Map<string, number>()
  for (let seed = from; seed < from + count; seed++) {
    const d = drawnOf(drawn(seed))
    const verdict = verdictOf(d, true, 0)
    const isOurs = isByGates(verdict)
    seen.set(verdict.verdict, (seen.get(verdict.verdict) ?? 0) + 1)
    if (!isOurs && process.env['TALLY'] === undefined) continue
    if (!isOurs && verdict.verdict !== 'undecided') continue
    const shown = shownBySearch(d)
    if (isOurs) decided++
    if (isOurs && shown === 'ok') confirmed++
    if (!isOurs && shown === 'ok') {
      missed++
      if (process.env['TALLY'] === 'missed') console.log(`missed ${String(seed)}\n${show(d)}`)
    }
    if (isOurs && (shown === 'hazard' || shown === 'deadlock' || shown === 'invalid'))
      wrong.push(`seed ${String(seed)}: ${shown}\n${show(d)}`)
  }
  if (nightly || process.env['TALLY'] !== undefined) console.log({ decided, confirmed, missed }, [...seen])
  expect(wrong).toEqual([])
  expect(decided).toBeGreaterThan(count / 12)
})

// ---------------------------------------------------------------- condition by condition

/** Of CTA `cta` alone, which is the last one in the first run, or is not. */
const ofOne = (cta: number, ...lines: Lines): Lines => [
  `setp.eq.u32 %p6, %r1, ${String(cta)};`,
  ...lines.map((line) => `@%p6 ${line}`),
]
const elsewhere = (cta: number): Lines => ['mov.u64 %rd13, %rd1;', ...ofOne(cta, 'add.u64 %rd13, %rd13, 8;')]
/** The search of it takes as long as those of all others. */
const byNight = 'J2 a thread of each warp arrives'
/** Kernels, and what the search of every order shows of them, whichever CTA it is, or of one of the CTAs. */
const kinds: ReadonlyArray<readonly [what: string, change: (cta: number) => Partial<Kernel>, shown: string]> =
  [
    [
      'F1 what is added is computed',
      () => ({
        begins: ['add.u32 %r6, %r10, 1;'],
        counts: ['atom.relaxed.gpu.global.add.u32 %r16, [%rd1], %r6;'],
      }),
      'ok',
    ],
    [
      'F2 one CTA asks for another number',
      (cta) => ({ begins: ofOne(cta, 'add.u32 %r5, %r5, 5;') }),
      'deadlock',
    ],
    [
      'F2 one CTA asks for another number more',
      (cta) => ({
        begins: ['mov.u32 %r6, 1;', ...ofOne(cta, 'add.u32 %r6, %r6, 1;')],
        asks: ['add.u32 %r18, %r16, %r6;', 'setp.eq.u32 %p2, %r18, %r3;', '@%p2 bra LAST$;'],
      }),
      'deadlock',
    ],
    [
      'F2 one CTA adds once more',
      (cta) => ({
        asks: [
          'add.u32 %r18, %r16, 1;',
          ...ofOne(cta, 'add.u32 %r18, %r18, 1;'),
          'setp.eq.u32 %p2, %r18, %r3;',
          '@%p2 bra LAST$;',
        ],
      }),
      'deadlock',
    ],
    ['F2 what an arrival has found is stored', () => ({ ends: ['st.global.u32 [%rd12+32], %r16;'] }), 'ok'],
    ['F3 an arm stores besides', () => ({ last: ['st.global.u32 [%rd2+124], %r27;', ...flag.last] }), 'ok'],
    [
      'F3 one CTA stores besides, if it is the last, behind the opening',
      (cta) => ({
        rounds: 1,
        last: [...flag.last, ...ofOne(cta, 'st.global.u32 [%rd2+124], %r3;')],
        reads: ['ld.global.u32 %r15, [%rd2+124];', 'st.global.u32 [%rd12], %r15;'],
      }),
      'hazard',
    ],
    ['F3 an arm parts', (cta) => ({ last: [...flag.last, ...ofOne(cta, 'bra MEET$;')] }), 'ok'],
    [
      'F4 the counter is not what is set back',
      () => ({ rounds: 1, last: ['st.relaxed.gpu.global.u32 [%rd1+8], 0;', ...flag.last.slice(1)] }),
      'ok',
    ],
    [
      'F4 one CTA opens another gate',
      (cta) => ({
        begins: elsewhere(cta),
        last: [...flag.last.slice(0, 2), 'st.relaxed.gpu.global.u32 [%rd13+4], %r28;'],
      }),
      'deadlock',
    ],
    [
      'F4 one CTA sets back another counter',
      (cta) => ({
        begins: elsewhere(cta),
        last: ['st.relaxed.gpu.global.u32 [%rd13], 0;', ...flag.last.slice(1)],
      }),
      'deadlock',
    ],
    [
      'F5 one CTA opens with another word',
      (cta) => ({
        looks: [...flag.looks, 'mov.u32 %r29, %r28;', ...ofOne(cta, 'add.u32 %r29, %r29, 2;')],
        last: [...flag.last.slice(0, 2), 'st.relaxed.gpu.global.u32 [%rd1+4], %r29;'],
      }),
      'deadlock',
    ],
    ['F6 one CTA has no fence before it arrives', (cta) => ({ tells: ofOne(cta, acq) }), 'hazard'],
    ['F6 one CTA has no fence behind the gate', (cta) => ({ hears: ofOne(cta, acq) }), 'hazard'],
    [
      'F6 the last has heard of none',
      () => ({ ctas: 3, rounds: 1, last: [reset, 'st.release.gpu.global.u32 [%rd1+4], %r28;'] }),
      'hazard',
    ],
    [
      'F6 the last has heard of none, and what is read is of the CTA that is the last in the first run',
      (cta) => ({
        ctas: 3,
        rounds: 1,
        last: [reset, 'st.release.gpu.global.u32 [%rd1+4], %r28;'],
        reads: ofOne(cta, 'ld.global.u32 %r15, [%rd2+16];', 'st.global.u32 [%rd12], %r15;'),
      }),
      'hazard',
    ],
    ['F6 the counter is set back behind the opening', () => ({ last: [acq, opened, reset] }), 'deadlock'],
    ['F6 the look is behind the fence', () => ({ ...generation, looks: [acq], tells: [look] }), 'deadlock'],
    [
      'F7 an arm counts what is stored in the end',
      () => ({ last: ['add.u32 %r20, %r20, 1;', ...flag.last], ends: ['st.global.u32 [%rd12+32], %r20;'] }),
      'ok',
    ],
    [
      'J4 one CTA goes to the last arm at once',
      (cta) => ({ tells: [acq, ...ofOne(cta, 'bra LAST$;')], rounds: 1 }),
      'hazard',
    ],
    ['J2 another strong access', () => ({ ends: ['red.relaxed.gpu.global.add.u32 [%rd1+8], 1;'] }), 'ok'],
    [
      byNight,
      () => ({
        ...warps,
        rounds: 1,
        begins: ['add.u32 %r5, %r5, %r3;'],
        who: ['and.b32 %r6, %r2, 31;', 'setp.ne.u32 %p1, %r6, 0;', '@%p1 bra ON$;'],
      }),
      'ok',
    ],
    [
      'J2 another lane of the warp arrives in each round: it may come first',
      () => ({
        threads: 2,
        writes: ['setp.eq.u32 %p4, %r2, %r27;', ...flag.writes],
        who: ['setp.ne.u32 %p1, %r2, %r27;', '@%p1 bra ON$;'],
        looks: ['mov.u32 %r28, %r27;', 'xor.b32 %r28, %r28, 1;'],
      }),
      'deadlock',
    ],
    ['J3 the counter is stored besides', () => ({ ends: ofOne(0, 'st.global.u32 [%rd1], 0;') }), 'ok'],
    [
      'J4 one CTA sets the counter back to another number, if it is the last',
      (cta) => ({
        rounds: 1,
        begins: [
          `setp.eq.u32 %p6, %r1, ${String(cta)};`,
          '@%p6 bra OWN;',
          ...roundOf({ ...flag, writes: [], reads: [] }, '_A'),
          'bra BOTH;',
          'OWN:',
          ...roundOf(
            {
              ...flag,
              writes: [],
              reads: [],
              last: ['st.relaxed.gpu.global.u32 [%rd1], 5;', ...flag.last.slice(1)],
            },
            '_B',
          ),
          'BOTH:',
          'mov.u32 %r27, 0;',
        ],
        asks: ['setp.eq.u32 %p2, %r16, 6;', '@%p2 bra LAST$;'],
      }),
      'deadlock',
    ],
    [
      'J4 one CTA does not come',
      () => ({
        ctas: 3,
        rounds: 1,
        begins: ['mov.u32 %r5, 1;'],
        who: ['setp.eq.u32 %p6, %r1, 2;', '@%p6 bra DONE;', ...flag.who],
        writes: [],
        reads: [],
      }),
      'ok',
    ],
    [
      'J5 the gate is open in the beginning, and each waits behind the opening: by its fences, in this run',
      () => ({
        rounds: 1,
        begins: ['mov.u32 %r28, 1;'],
        waits: [acq, acq, acq, ...flag.waits],
        first: roundRobin,
      }),
      'hazard',
    ],
    ['J5 the gate is open in the beginning', () => ({ begins: ['mov.u32 %r28, 1;'] }), 'deadlock'],
  ]

test.each([
  ['a flag', flag],
  ['generations', generation],
  [
    'a flag, by one more than what is found',
    { ...flag, asks: ['add.u32 %r18, %r16, 1;', 'setp.eq.u32 %p2, %r18, %r3;', '@%p2 bra LAST$;'] },
  ],
  ['a flag, two warps', { ...flag, ...warps }],
  [
    'a counter that goes round',
    { ...flag, counts: ['atom.relaxed.gpu.global.inc.u32 %r16, [%rd1], %r5;'], last: flag.last.slice(1) },
  ],
  [
    'releases and acquires',
    {
      ...flag,
      tells: [],
      counts: ['atom.acq_rel.gpu.global.add.u32 %r16, [%rd1], 1;'],
      last: [reset, 'st.release.gpu.global.u32 [%rd1+4], %r28;'],
      waits: flag.waits.map((line) => line.replace('relaxed', 'acquire')),
      hears: [],
    },
  ],
] satisfies ReadonlyArray<readonly [string, Kernel]>)('%s: one run decides', (_, k) => {
  expect(isByGates(verdictOf(drawnOf(k), true, 0))).toBe(true)
  expect(isByGates(verdictOf(drawnOf({ ...k, unrolled: true }), true, 0))).toBe(true)
  expect(shownBySearch(drawnOf({ ...k, rounds: 1 }))).toBe('ok')
})

test.each(kinds.filter(([what]) => nightly || what !== byNight))(
  '%s',
  { timeout: 120_000 },
  (_, change, shown) => {
    const kernels = [0, 1].map((cta): Kernel => ({ ...flag, ...change(cta) }))
    const all = kernels.map(drawnOf)
    for (const [k, d] of all.entries())
      expect(isByGates(verdictOf(d, true, 0, false, kernels[k]!.first))).toBe(false)
    expect(all.map(shownBySearch)).toContain(shown)
  },
)

test('forty CTAs, three rounds', () => {
  const d = drawnOf({ ...generation, ctas: 40, rounds: 3, writes: [], reads: [] })
  const { verdict, decidedBy, reason, notes } = verdictOf(d, true)
  expect([verdict, decidedBy, notes.length]).toEqual(['ok', 'one-schedule', 0])
  expect(reason).toContain('J1-J6 hold, so one run is enough, whichever CTA arrives last in each of 3 rounds')
})
