/**
 * Grids whose CTAs take numbers from one counter. Oracle: the search that follows every order of what decides.
 *
 * | what                                                                                  | oracle                              |
 * |---------------------------------------------------------------------------------------|-------------------------------------|
 * | random kernels of two CTAs that draw two to four numbers, by night 20,000              | the search finds nothing            |
 * | kernels in which one of the conditions E1 to E5 and Q1 to Q8 does not hold             | they are not decided by it          |
 * | counters of other kinds, and what all turns read                                       | the search finds nothing            |
 * | the same kernels, where what does not hold is a mistake                               | the search finds it                 |
 */
import * as E from 'fp-ts/lib/Either.js'
import { expect, test } from 'vitest'
import { elaborate } from '../../../src/dialects/ptx/elaboration/elaborate.js'
import { parseModule } from '../../../src/dialects/ptx/index.js'
import { bits } from '../../../src/numerics/bits.js'
import { shadow } from '../../../src/numerics/shadow.js'
import {
  usualSharedBase,
  warpSource,
  type GivenTensor,
} from '../../../src/semantics/execution/launch-warps.js'
import { recorded, roundRobin, type AnyPolicy } from '../../../src/semantics/execution/policy.js'
import { defaults } from '../../../src/semantics/judging/detector/index.js'
import type { Verdict } from '../../../src/semantics/judging/verdict.js'
import type { Source } from '../../../src/semantics/machine/source.js'
import { dice, type Dice } from '../../../src/semantics/schedules/naive/random.js'
import { outcomes } from '../../../src/semantics/schedules/outcomes/outcomes.js'
import { checkSource, standardOptions } from '../../../src/semantics/verdict/check.js'
import { right } from '../../either.js'
import { nightly } from '../../extent.js'
import { moduleOf } from '../../dialects/ptx/small-text.js'

interface Kernel {
  readonly ctas: number
  readonly threads: number
  readonly tiles: number
  /** before the loop */
  readonly before: ReadonlyArray<string>
  /** in each turn: the draw, how the others hear of it, what a turn does before it asks whether it is the last, and behind that */
  readonly draw: ReadonlyArray<string>
  readonly hand: ReadonlyArray<string>
  readonly leaves: ReadonlyArray<string>
  readonly work: ReadonlyArray<string>
  readonly behind: ReadonlyArray<string>
  /** how the one run goes; eagerly if it is left out */
  readonly first?: AnyPolicy
}

const textOf = (k: Kernel): string =>
  moduleOf(
    ['a', 'b', 'c'],
    `.reg .pred %p<9>;
.reg .b32 %r<40>;
.reg .b64 %rd<40>;
.shared .align 4 .b8 s[1024];
ld.param.u64 %rd1, [a];
ld.param.u64 %rd2, [b];
ld.param.u64 %rd3, [c];
mov.u32 %r1, %tid.x;
mov.u32 %r2, %ntid.x;
mov.u32 %r20, 0;
mov.u32 %r21, s;
shl.b32 %r22, %r1, 2;
add.u32 %r22, %r22, %r21;
setp.eq.u32 %p1, %r1, 0;
${k.before.join('\n')}
AGAIN:
${[...k.draw, ...k.hand, ...k.leaves, ...k.work].join('\n')}
bra AGAIN;
DONE:
${k.behind.join('\n')}
ret;`,
  )
const bytesOf = 2048

const sourceOf = (k: Kernel): Source => {
  const { program } = right(elaborate(right(parseModule(textOf(k))), 'k', 'k.ptx'))
  const tensor = (name: string): GivenTensor => ({
    name,
    role: 'inout' as const,
    contents: new Uint8Array(bytesOf),
    bytes: bytesOf,
    elements: null,
    symbol: null,
  })
  return warpSource(program, {
    grid: [k.ctas],
    block: [k.threads],
    cluster: null,
    dynamicBytes: 0,
    parameters: new Uint8Array(24),
    pointers: [
      { offset: 0, tensor: 'words' },
      { offset: 8, tensor: 'x' },
      { offset: 16, tensor: 'y' },
    ],
    tensors: [tensor('words'), tensor('x'), tensor('y')],
    unknown: new Set(['x', 'y']),
    sharedBase: usualSharedBase,
  })
}

const algebra = shadow(bits('hopper'))
const verdictOf = (k: Kernel, policy: AnyPolicy = standardOptions.policy): Verdict =>
  right(
    checkSource(sourceOf(k), {
      ...standardOptions,
      algebra,
      everyCluster: true,
      budget: 0,
      explain: false,
      fuel: 20_000,
      policy,
    }),
  ).verdict
const isByTickets = ({ verdict, decidedBy, conditions }: Verdict): boolean =>
  verdict === 'ok' && decidedBy === 'one-schedule' && !conditions.C1.holds

/** What the search of every order shows; null: it was not complete. */
const shownBySearch = (k: Kernel): string | null => {
  const launched = sourceOf(k).launch(algebra, standardOptions.arguments)
  if (E.isLeft(launched)) throw new Error(launched.left.message)
  const bounds = { states: 1_500, events: 40_000 }
  const all = outcomes(launched.right, defaults, bounds, undefined, undefined, null, true)!
  if (all.found === null) return all.complete ? 'ok' : null
  return verdictOf(k, recorded(all.found)).verdict
}

// ---------------------------------------------------------------- kernels

const meet = 'bar.sync 0;'
const drawing = (by: string = '%p1', value: string = '1'): ReadonlyArray<string> => [
  `@!${by} bra HAND;`,
  `atom.global.add.u32 %r3, [%rd1], ${value};`,
  'st.shared.u32 [s], %r3;',
  'HAND:',
]
const at = (tensor: string, index: string): ReadonlyArray<string> => [
  `mul.wide.u32 %rd8, ${index}, 4;`,
  `add.u64 %rd9, ${tensor}, %rd8;`,
]
/** Of tile %r4 the element of this thread. */
const own = ['mad.lo.u32 %r5, %r4, %r2, %r1;']
const computed = [...own, ...at('%rd2', '%r5'), 'ld.global.u32 %r6, [%rd9];', 'add.u32 %r6, %r6, 1;']
const stored = [...own, ...at('%rd3', '%r5'), 'st.global.u32 [%rd9], %r6;']
/** Through shared memory, to the thread of the same number in the other warp. */
const passed = [
  'st.shared.u32 [%r22+16], %r6;',
  meet,
  'xor.b32 %r7, %r1, 32;',
  'shl.b32 %r8, %r7, 2;',
  'add.u32 %r8, %r8, %r21;',
  'ld.shared.u32 %r6, [%r8+16];',
]
const usual: Kernel = {
  ctas: 2,
  threads: 64,
  tiles: 3,
  before: [],
  draw: drawing(),
  hand: [meet, 'ld.shared.u32 %r4, [s];', meet],
  leaves: ['setp.ge.u32 %p2, %r4, 3;', '@%p2 bra DONE;'],
  work: [...computed, ...stored],
  behind: [],
}

const one = (die: Dice, all: ReadonlyArray<string>): string => all[die.below(all.length)]!
const without = (all: ReadonlyArray<string>, k: number): ReadonlyArray<string> =>
  all.filter((_, i) => i !== k)

/** Right ones, but for a few changes. */
const drawn = (seed: number): Kernel => {
  const die = dice(seed)
  const tiles = 2 + die.below(3)
  const leaves = [`setp.ge.u32 %p2, %r4, ${String(tiles)};`, '@%p2 bra DONE;']
  const work = die.pick([
    [...computed, ...stored],
    [...computed, ...passed, ...stored],
    [...computed, ...passed, meet, ...stored],
  ])
  const start: Kernel = { ...usual, tiles, leaves, work }
  const changes: ReadonlyArray<(k: Kernel) => Partial<Kernel>> = [
    (k) => ({ hand: without(k.hand, 0) }),
    (k) => ({ hand: without(k.hand, 2) }),
    (k) => ({ hand: [...k.hand, meet] }),
    (k) => {
      // a jump needs its label
      const line = die.below(k.work.length)
      return k.work[line]!.endsWith(':') ? {} : { work: without(k.work, line) }
    },
    (k) => ({ work: [...k.work, meet] }),
    () => ({ draw: drawing('%p1', one(die, ['2', '0', '-1'])) }),
    (k) => ({ before: [...k.before, 'setp.lt.u32 %p1, %r1, 2;'] }),
    (k) => ({ before: [...k.before, 'setp.eq.u32 %p1, %r1, 40;'] }),
    (k) => ({
      draw: ['rem.u32 %r30, %r20, 2;', 'setp.eq.u32 %p3, %r30, %r1;', ...drawing('%p3')],
      work: [...k.work, 'add.u32 %r20, %r20, 1;'],
    }),
    // a sum that goes from turn to turn, in a register or in shared memory
    (k) => ({
      work: [...k.work, 'add.u32 %r20, %r20, %r6;'],
      behind: [
        ...k.behind,
        ...at('%rd3', '%r1'),
        ...(die.chance(0.5) ? ['st.global.u32 [%rd9+1024], %r20;'] : []),
      ],
    }),
    (k) => ({
      before: [...k.before, 'st.shared.u32 [%r22+512], %r20;'],
      work: [
        ...k.work,
        'ld.shared.u32 %r10, [%r22+512];',
        'add.u32 %r10, %r10, 1;',
        'st.shared.u32 [%r22+512], %r10;',
      ],
      ...(die.chance(0.5)
        ? {
            behind: [
              ...k.behind,
              'ld.shared.u32 %r10, [%r22+512];',
              ...at('%rd3', '%r1'),
              'st.global.u32 [%rd9+1024], %r10;',
            ],
          }
        : {}),
    }),
    // a table that is written before the loop
    (k) => ({
      before: [...k.before, 'st.shared.u32 [%r22+512], %r1;', ...(die.chance(0.6) ? [meet] : [])],
      work: [...k.work, 'ld.shared.u32 %r10, [s+512];'],
    }),
    // places that tiles share
    (k) => ({
      work: [...k.work, ...at('%rd3', '%r1'), `st.global.u32 [%rd9+1024], ${one(die, ['%r6', '%r1'])};`],
    }),
    (k) => ({
      work: [
        ...k.work,
        'shr.u32 %r10, %r4, 1;',
        ...at('%rd3', '%r10'),
        '@%p1 st.global.u32 [%rd9+1536], %r4;',
      ],
    }),
    (k) => ({
      work: [
        'add.u32 %r10, %r4, 1;',
        'mad.lo.u32 %r10, %r10, %r2, %r1;',
        ...at('%rd3', '%r10'),
        'ld.global.u32 %r11, [%rd9];',
        ...k.work,
      ],
    }),
    (k) => ({ work: [...k.work, ...at('%rd3', '%r1'), 'red.global.add.u32 [%rd9+1024], 1;'] }),
    (k) => ({
      before: [
        ...k.before,
        ...at('%rd3', '%r1'),
        `${one(die, ['st.global.u32 [%rd9+1024], %r1', 'ld.global.u32 %r11, [%rd9]'])};`,
      ],
    }),
    // what depends on the number
    (k) => ({
      work: [
        'and.b32 %r10, %r4, 1;',
        'setp.eq.u32 %p4, %r10, 0;',
        `@%p4 bra ODD${String(k.work.length)};`,
        meet,
        `ODD${String(k.work.length)}:`,
        ...k.work,
      ],
    }),
    (k) => ({
      work: [
        ...k.work,
        'and.b32 %r10, %r4, 1;',
        'shl.b32 %r10, %r10, 7;',
        'add.u32 %r10, %r10, %r22;',
        'st.shared.u32 [%r10+512], %r6;',
      ],
    }),
    (k) => ({
      work: [
        'setp.eq.u32 %p4, %r4, 1;',
        'setp.gt.u32 %p5, %r1, 31;',
        'and.pred %p4, %p4, %p5;',
        '@%p4 bra DONE;',
        ...k.work,
      ],
    }),
    (k) => ({ work: [...k.work, 'setp.eq.u32 %p4, %r4, 1;', '@%p4 ld.global.u32 %r11, [%rd1];'] }),
    // the counter is touched by others
    (k) => ({
      behind: [
        ...k.behind,
        `@%p1 ${one(die, ['st.global.u32 [%rd1], 0', 'st.relaxed.gpu.global.u32 [%rd1], 0', 'ld.relaxed.gpu.global.u32 %r11, [%rd1]', 'red.global.add.u32 [%rd1], 1'])};`,
      ],
    }),
    (k) => ({ work: [...k.work, '@%p1 red.global.add.u32 [%rd1], 1;'] }),
    // who is asked
    (k) => ({
      before: [...k.before, `mov.u32 %r12, ${one(die, ['%ctaid.x', '%smid'])};`],
      work: [...k.work, 'add.u32 %r6, %r6, %r12;', ...(die.chance(0.5) ? stored : [])],
    }),
    (k) => ({ hand: k.hand.map((line) => (line === meet && die.chance(0.5) ? 'bar.sync 1;' : line)) }),
    (k) => ({ hand: k.hand.map((line) => (line === meet && die.chance(0.5) ? 'bar.sync 1, 64;' : line)) }),
    (k) => ({
      hand: [k.hand[0]!, 'setp.ne.u32 %p6, %r1, 5;', '@%p6 ld.shared.u32 %r4, [s];', ...k.hand.slice(2)],
    }),
    () => ({
      draw: [
        '@!%p1 bra HAND;',
        'ld.shared.u32 %r13, [s];',
        'atom.global.add.u32 %r3, [%rd1], 1;',
        'st.shared.u32 [s], %r3;',
        'HAND:',
      ],
    }),
    (k) => ({ ctas: 3, tiles: k.tiles }),
    () => ({ threads: die.pick([32, 33, 40]) }),
  ]
  const often = [0, 1, 1, 1, 2, 2][die.below(6)]!
  return Array.from({ length: often }).reduce<Kernel>((k) => ({ ...k, ...die.pick(changes)(k) }), start)
}

const from = nightly ? 1_000_000 + Number(process.env['TCSPEC_FROM'] ?? 0) : 1
const count = Number(process.env['TCSPEC_PROGRAMS'] ?? (nightly ? 20_000 : 12))

test(`${String(count)} kernels: what one run decides, every order says`, { timeout: 14_400_000 }, () => {
  const wrong: string[] = []
  let [decided, confirmed, missed] = [0, 0, 0]
  for (let seed = from; seed < from + count; seed++) {
    const k = drawn(seed)
    const verdict = verdictOf(k)
    const isOurs = isByTickets(verdict)
    if (!isOurs && process.env['TALLY'] === undefined) continue
    if (!isOurs && verdict.verdict !== 'undecided') continue
    const shown = shownBySearch(k)
    if (isOurs) decided++
    if (isOurs && shown === 'ok') confirmed++
    if (!isOurs && shown === 'ok') missed++
    if (isOurs && (shown === 'hazard' || shown === 'deadlock' || shown === 'invalid'))
      wrong.push(`seed ${String(seed)}: ${shown}\n${String(k.ctas)} x ${String(k.threads)}\n${textOf(k)}`)
  }
  if (nightly || process.env['TALLY'] !== undefined) console.log({ decided, confirmed, missed })
  expect(wrong).toEqual([])
  expect(decided).toBeGreaterThan(count / 6)
})

// ---------------------------------------------------------------- condition by condition

const carried = [
  'ld.shared.u32 %r10, [%r22+512];',
  'add.u32 %r10, %r10, 1;',
  'st.shared.u32 [%r22+512], %r10;',
]
const last = (lines: ReadonlyArray<string>): ReadonlyArray<string> => ['setp.ne.u32 %p4, %r4, 1;', ...lines]
/** Kernels, and what the search of every order shows; null: it is not asked. */
const kinds: ReadonlyArray<readonly [what: string, change: Partial<Kernel>, shown: string | null]> = [
  [
    'E1 it asks which CTA it is',
    { before: ['mov.u32 %r12, %ctaid.x;'], work: [...usual.work, 'add.u32 %r6, %r6, %r12;'] },
    'ok',
  ],
  [
    'E1 what is written by the number of the CTA',
    { before: ['mov.u32 %r12, %ctaid.x;'], work: [...at('%rd3', '%r12'), '@%p1 st.global.u32 [%rd9], %r4;'] },
    'ok',
  ],
  ['E2 two draws', { hand: [...usual.hand, '@%p1 atom.global.add.u32 %r14, [%rd1+64], 1;'] }, null],
  [
    'E3 a sum is carried from turn to turn',
    {
      work: [...usual.work, 'add.u32 %r20, %r20, 1;'],
      behind: [...at('%rd3', '%r20'), '@%p1 st.global.u32 [%rd9+1024], %r20;'],
    },
    null,
  ],
  ['Q3 another strong access', { work: [...usual.work, '@%p1 red.global.add.u32 [%rd3+1024], 1;'] }, null],
  [
    'Q3 behind its last turn a CTA stores if it is the first to find a word as it was',
    {
      behind: [
        '@!%p1 bra END;',
        'ld.relaxed.gpu.global.u32 %r11, [%rd1+64];',
        'st.relaxed.gpu.global.u32 [%rd1+64], 1;',
        'setp.eq.u32 %p4, %r11, 0;',
        '@%p4 st.global.u32 [%rd3+1024], %r1;',
        'END:',
      ],
    },
    'hazard',
  ],
  [
    'Q3 two threads draw: with which second number the first one comes is open',
    {
      tiles: 6,
      draw: [
        'and.b32 %r30, %r1, 31;',
        'setp.ne.u32 %p3, %r30, 0;',
        '@%p3 bra HAND;',
        'atom.global.add.u32 %r3, [%rd1], 1;',
        '@%p1 st.shared.u32 [s], %r3;',
        'HAND:',
      ],
      leaves: ['setp.ge.u32 %p2, %r4, 6;', '@%p2 bra DONE;', 'shr.u32 %r4, %r4, 1;'],
    },
    'hazard',
  ],
  ['Q3 the counter is set back', { behind: ['@%p1 st.global.u32 [%rd1], 0;'] }, 'hazard'],
  [
    'Q3 nothing is added',
    { draw: drawing('%p1', '0'), leaves: ['setp.eq.u32 %p2, %r1, %r1;', '@%p2 bra DONE;'] },
    null,
  ],
  [
    'Q4 all tiles are written to one place',
    { work: [...computed, ...at('%rd3', '%r1'), 'st.global.u32 [%rd9], %r6;'] },
    'hazard',
  ],
  [
    'Q4 a tile reads what the next one writes',
    {
      work: [
        ...computed,
        'add.u32 %r10, %r5, %r2;',
        ...at('%rd3', '%r10'),
        'ld.global.u32 %r11, [%rd9];',
        'add.u32 %r6, %r6, %r11;',
        ...stored,
      ],
    },
    'hazard',
  ],
  [
    'Q5 shared memory is carried from turn to turn',
    { before: ['st.shared.u32 [%r22+512], %r20;'], work: [...usual.work, ...carried] },
    'ok',
  ],
  [
    'Q6 what is touched depends on the number',
    {
      work: [
        ...computed,
        'shl.b32 %r10, %r4, 7;',
        'add.u32 %r10, %r10, %r22;',
        'st.shared.u32 [%r10+512], %r6;',
        ...stored,
      ],
    },
    'ok',
  ],
  [
    'Q6 a turn that is followed by itself races',
    {
      tiles: 4,
      leaves: ['setp.ge.u32 %p2, %r4, 4;', '@%p2 bra DONE;'],
      hand: [
        meet,
        'ld.shared.u32 %r4, [s];',
        'and.b32 %r10, %r4, 1;',
        'setp.eq.u32 %p4, %r10, 0;',
        '@%p4 bra EVEN;',
        meet,
        'EVEN:',
      ],
    },
    'hazard',
  ],
  [
    'Q7 no barrier in the last turn',
    {
      work: [
        ...last([]),
        '@%p4 bra ON;',
        'setp.gt.u32 %p5, %r1, 31;',
        '@%p5 bra DONE;',
        'ON:',
        ...usual.work,
      ],
    },
    null,
  ],
  [
    'Q7 lanes of one warp meet, and no barrier of the CTA is in a turn',
    { threads: 32, hand: ['bar.warp.sync -1;', 'ld.shared.u32 %r4, [s];', 'bar.warp.sync -1;'] },
    'ok',
  ],
  [
    'Q7 a barrier of some threads',
    { work: [...usual.work, 'setp.lt.u32 %p5, %r1, 32;', '@!%p5 bra ON;', 'bar.sync 1, 32;', 'ON:'] },
    'ok',
  ],
  [
    'Q8 no last turn follows what comes before the loop, with which it races',
    {
      first: roundRobin,
      tiles: 4,
      before: ['setp.eq.u32 %p5, %r1, 40;', '@%p5 st.shared.u32 [s+600], %r1;'],
      draw: [
        ...drawing().slice(0, 3),
        'setp.ge.u32 %p6, %r3, 4;',
        '@%p6 st.shared.u32 [s+600], %r3;',
        'HAND:',
      ],
      leaves: ['setp.ge.u32 %p2, %r4, 4;', '@%p2 bra DONE;'],
    },
    'hazard',
  ],
  ['Q8 no turn follows another', { ctas: 3, leaves: ['setp.ge.u32 %p2, %r4, 1;', '@%p2 bra DONE;'] }, 'ok'],
]

const counting = (draws: string): ReadonlyArray<string> =>
  drawing().map((line) => (line.startsWith('atom') ? draws : line))
test.each<readonly [string, Partial<Kernel>]>([
  ['the usual kernel', {}],
  [
    'a counter of 64 bits',
    { draw: counting('atom.global.add.u64 %rd20, [%rd1], 1; cvt.u32.u64 %r3, %rd20;') },
  ],
  ['a counter that goes round', { draw: counting('atom.global.inc.u32 %r3, [%rd1], 100;') }],
  ['numbers that fall', { draw: counting('atom.global.add.u32 %r3, [%rd1], -1; sub.u32 %r3, 0, %r3;') }],
  [
    'what is added is loaded',
    {
      draw: counting(
        'ld.global.u32 %r31, [%rd1+64]; add.u32 %r31, %r31, 1; atom.global.add.u32 %r3, [%rd1], %r31;',
      ),
    },
  ],
  [
    'all read tables that were written before the loop, in shared memory and in global memory; what is written there is read behind',
    {
      before: ['st.shared.u32 [%r22+512], %r1;', meet],
      work: ['ld.shared.u32 %r10, [%r22+512];', 'ld.global.u32 %r11, [%rd2+1024];', ...usual.work],
      behind: ['ld.shared.u32 %r10, [%r22+512];', 'st.shared.u32 [%r22+16], %r10;'],
    },
  ],
])('%s: one run decides', (_, change) => {
  const k: Kernel = { ...usual, ...change }
  expect(isByTickets(verdictOf(k))).toBe(true)
  expect(shownBySearch(k)).toBe('ok')
})
test.each(kinds)('%s', (_, change, shown) => {
  const k: Kernel = { ...usual, ...change }
  expect(isByTickets(verdictOf(k, k.first))).toBe(false)
  if (shown !== null) expect(shownBySearch(k)).toBe(shown)
})
