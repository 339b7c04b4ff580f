/**
 * Loops that try for a lock until they have it. Oracle: every order of the same loop, in which a load of a parameter stands, so that it stays a loop.
 *
 * | what                                                              | oracle                               |
 * |-------------------------------------------------------------------|--------------------------------------|
 * | random locks of two and three CTAs, some of them right, by night 20,000 | every order of the loop        |
 * | kernels kind by kind: what `locks.ts` asks (L1 to L4)              | the same; what is wrong is found      |
 * | twelve equal CTAs at a lock                                       | twice as many states, and one         |
 */
import { expect, test } from 'vitest'
import { dice, type Dice } from '../../../../src/semantics/schedules/naive/random.js'
import { nightly } from '../../../extent.js'
import { show, verdictOf, type Drawn } from './equals.js'

const from = nightly ? 1_000_000 + Number(process.env['TCSPEC_FROM'] ?? 0) : 1
const count = Number(process.env['TCSPEC_PROGRAMS'] ?? (nightly ? 20_000 : 6))
const budget = nightly ? 60_000 : 10_000

interface Locked {
  readonly ctas: number
  readonly threads: number
  readonly before: ReadonlyArray<string>
  /** the exchange, and how the loop goes round */
  readonly takes: string
  readonly asks: string
  readonly round: ReadonlyArray<string>
  readonly got: ReadonlyArray<string>
  readonly work: ReadonlyArray<string>
  readonly gives: ReadonlyArray<string>
  readonly behind: ReadonlyArray<string>
}

const linesOf = (l: Locked, apart: boolean, name: string = 'A'): ReadonlyArray<string> => [
  'mov.u32 %r2, %tid.x;',
  ...l.before,
  `${name}:`,
  ...(apart ? ['ld.param.u64 %rd30, [a];'] : []),
  l.takes,
  l.asks,
  ...l.round.map((line) => line.replaceAll('AGAIN', name)),
  ...l.got,
  ...l.work,
  ...l.gives,
  ...l.behind,
]

const acq = 'fence.acq_rel.gpu;'
const sum = ['ld.global.u32 %r17, [%rd2+64];', 'add.u32 %r17, %r17, 1;', 'st.global.u32 [%rd2+64], %r17;']
const right: Locked = {
  ctas: 2,
  threads: 1,
  before: [],
  takes: 'atom.relaxed.gpu.global.cas.b32 %r16, [%rd1+4], 0, 1;',
  asks: 'setp.ne.u32 %p2, %r16, 0;',
  round: ['@%p2 bra AGAIN;'],
  got: [acq],
  work: sum,
  gives: [acq, 'atom.relaxed.gpu.global.exch.b32 %r18, [%rd1+4], 0;'],
  behind: [],
}
const one = (die: Dice, all: ReadonlyArray<string>): string => all[die.below(all.length)]!
const cas = (how: string, compare: string, value: string): string =>
  `atom.${how}.gpu.global.cas.b32 %r16, [%rd1+4], ${compare}, ${value};`
const only = (cta: number, name: string, lines: ReadonlyArray<string>): ReadonlyArray<string> => [
  `setp.ne.u32 %p7, %r1, ${String(cta)};`,
  `@%p7 bra ${name};`,
  ...lines,
  `${name}:`,
]

const changes = (die: Dice): ReadonlyArray<(l: Locked) => Partial<Locked>> => [
  () => ({ got: [] }),
  (l) => ({ gives: l.gives.slice(1) }),
  () => ({ got: [one(die, ['fence.acq_rel.cta;', 'fence.sc.gpu;', 'fence.acquire.gpu;'])] }),
  () => ({
    takes: cas(one(die, ['acquire', 'acq_rel', 'release']), '0', '1'),
    got: die.chance(0.7) ? [] : [acq],
  }),
  () => ({ takes: cas('relaxed', '0', one(die, ['0', '2', '%r3', '%r1'])) }),
  () => ({ takes: cas('relaxed', one(die, ['1', '%r1', '%r9']), one(die, ['1', '2', '0'])) }),
  () => ({
    asks: one(die, [
      'setp.eq.u32 %p2, %r16, 1;',
      'setp.gt.u32 %p2, %r16, 0;',
      'setp.ne.u32 %p2, %r16, 1;',
      'setp.ge.s32 %p2, %r16, 1;',
    ]),
  }),
  () => ({
    asks: 'setp.eq.u32 %p2, %r16, 0;',
    round: ['@%p2 bra OUT;', 'nanosleep.u32 20;', 'bra AGAIN;', 'OUT:'],
  }),
  () => ({ asks: 'setp.eq.u32 %p2, %r16, 0;', round: ['@!%p2 bra AGAIN;'] }),
  // what is found in vain, or each turn, comes to something
  () => ({
    before: ['mov.u32 %r20, 0;'],
    round: ['add.u32 %r20, %r20, 1;', '@%p2 bra AGAIN;'],
    behind: die.chance(0.5) ? ['st.global.u32 [%rd3], %r20;'] : [],
  }),
  (l) => ({ behind: [...l.behind, 'st.global.u32 [%rd3+4], %r16;'] }),
  // how it is given back
  () => ({
    gives: [
      acq,
      one(die, [
        'st.relaxed.gpu.global.u32 [%rd1+4], 0;',
        'st.volatile.global.u32 [%rd1+4], 0;',
        'st.global.u32 [%rd1+4], 0;',
        'st.release.gpu.global.u32 [%rd1+4], 0;',
      ]),
    ],
  }),
  () => ({ gives: ['st.release.gpu.global.u32 [%rd1+4], 0;'] }),
  () => ({
    gives: [
      acq,
      one(die, [
        'atom.relaxed.gpu.global.exch.b32 %r18, [%rd1+4], 1;',
        'atom.relaxed.gpu.global.exch.b32 %r18, [%rd1], 0;',
        'atom.relaxed.gpu.global.cas.b32 %r18, [%rd1+4], 1, 0;',
        'red.relaxed.gpu.global.add.u32 [%rd1+4], -1;',
        'red.relaxed.gpu.global.and.b32 [%rd1+4], 0;',
      ]),
    ],
  }),
  () => ({ gives: [] }),
  (l) => ({ gives: [...l.gives, l.gives[0] ?? acq] }),
  () => ({
    gives: only(die.below(2), 'GIVEN', [acq, 'atom.relaxed.gpu.global.exch.b32 %r18, [%rd1+4], 0;']),
  }),
  // who works
  (l) => ({ work: [...l.work, 'st.global.u32 [%rd2+68], %r1;'] }),
  (l) => ({
    behind: [
      ...l.behind,
      one(die, [
        'ld.global.u32 %r21, [%rd2+64];',
        'st.global.u32 [%rd2+64], %r1;',
        'st.global.u32 [%rd2+72], %r1;',
      ]),
    ],
  }),
  (l) => ({
    before: [
      ...l.before,
      one(die, [
        'st.global.u32 [%rd2+64], %r1;',
        'ld.relaxed.gpu.global.u32 %r9, [%rd1+4];',
        'ld.acquire.gpu.global.u32 %r9, [%rd1+4];',
        'st.relaxed.gpu.global.u32 [%rd1+4], 0;',
        'red.relaxed.gpu.global.add.u32 [%rd1+8], 1;',
      ]),
    ],
  }),
  (l) => ({
    before: [
      ...l.before,
      ...only(die.below(2), `NOT${String(l.before.length)}`, [
        'st.global.u32 [%rd2+64], %r1;',
        ...(die.chance(0.5) ? [acq] : []),
        'bra DONE;',
      ]),
    ],
  }),
  (l) => ({
    behind: [
      ...l.behind,
      'atom.relaxed.gpu.global.add.u32 %r9, [%rd1+8], 1;',
      'setp.eq.u32 %p5, %r9, 1;',
      ...(die.chance(0.6) ? [acq] : []),
      '@%p5 ld.global.u32 %r21, [%rd2+64];',
      '@%p5 st.global.u32 [%rd3+8], %r21;',
    ],
  }),
  (l) => ({
    work: [...l.work, 'st.relaxed.gpu.global.u32 [%rd1+12], 1;'],
    before: [
      ...l.before,
      'ld.relaxed.gpu.global.u32 %r9, [%rd1+12];',
      'setp.eq.u32 %p5, %r9, 1;',
      '@%p5 ld.global.u32 %r21, [%rd2+64];',
      '@%p5 st.global.u32 [%rd3+8], %r21;',
    ],
  }),
  () => ({
    threads: 2 + die.below(2),
    ...(die.chance(0.6) ? { before: ['setp.ne.u32 %p6, %r2, 0;', '@%p6 bra DONE;'] } : {}),
  }),
  () => ({ ctas: 3 }),
]

const drawn = (seed: number): Locked => {
  const die = dice(seed)
  const all = changes(die)
  let l = right
  for (let n = die.below(4); n > 0; n--) l = { ...l, ...all[die.below(all.length)]!(l) }
  return l
}
const kernelOf = (l: Locked, apart: boolean): Drawn => ({
  ctas: l.ctas,
  threads: l.threads,
  fuel: 2_000,
  lines: linesOf(l, apart),
  blank: false,
})

test(`${String(count)} kernels: the same as a wait and as a loop`, { timeout: 14_400_000 }, () => {
  const wrong: string[] = []
  const seen = new Map<string, number>()
  for (let seed = from; seed < from + count; seed++) {
    const l = drawn(seed)
    const some = verdictOf(kernelOf(l, false), false, budget)
    const all = verdictOf(kernelOf(l, true), true, budget, true)
    const name = `${some.verdict} ${String(some.decidedBy)} | ${all.verdict}`
    seen.set(name, (seen.get(name) ?? 0) + 1)
    const isOpen = [some, all].some(({ verdict }) => verdict === 'undecided' || verdict === 'out-of-fuel')
    if (!isOpen && (some.verdict === 'ok') !== (all.verdict === 'ok'))
      wrong.push(
        `seed ${String(seed)}: ${some.verdict} (${some.reason}), as a loop ${all.verdict} (${all.reason})\n${show(kernelOf(l, false))}`,
      )
  }
  if (nightly || process.env['TALLY'] !== undefined) console.log([...seen])
  expect(wrong).toEqual([])
})

const kinds: ReadonlyArray<readonly [what: string, l: Partial<Locked>, verdict: string]> = [
  ['a lock that is right', {}, 'ok'],
  [
    'who sleeps in between',
    {
      asks: 'setp.eq.u32 %p2, %r16, 0;',
      round: ['@%p2 bra OUT;', 'nanosleep.u32 20;', 'bra AGAIN;', 'OUT:'],
    },
    'ok',
  ],
  ['it is taken without a fence', { got: [] }, 'hazard'],
  ['it is given back without a fence', { gives: right.gives.slice(1) }, 'hazard'],
  ['it is not given back', { gives: [] }, 'deadlock'],
  ['who takes it leaves it free', { takes: cas('relaxed', '0', '0') }, 'hazard'],
  ['L2 the loop is left where it is held by another', { asks: 'setp.ne.u32 %p2, %r16, 1;' }, 'hazard'],
  [
    'L2 the loop is left where it is not what it is compared with',
    { asks: 'setp.eq.u32 %p2, %r16, 0;' },
    'hazard',
  ],
]

/** A flag that is stored while the lock is held, and read without it. */
const flagged: Partial<Locked> = {
  before: [
    'ld.relaxed.gpu.global.u32 %r9, [%rd1+12];',
    'setp.eq.u32 %p5, %r9, 1;',
    '@%p5 ld.global.u32 %r21, [%rd2+64];',
    '@%p5 st.global.u32 [%rd3+8], %r21;',
  ],
  work: [...sum, 'st.relaxed.gpu.global.u32 [%rd1+12], 1;'],
}
test.each([
  ['one thread', 1, 'hazard'],
  ['L4 lanes of one warp: no order says ok', 2, 'undecided'],
] as const)('a flag inside of a lock, %s', (_, threads, verdict) => {
  expect(verdictOf(kernelOf({ ...right, ...flagged, threads }, false), false).verdict).toBe(verdict)
  expect(verdictOf(kernelOf({ ...right, ...flagged, threads }, true), true, Infinity, true).verdict).toBe(
    'hazard',
  )
})

test.each(kinds)('%s', (_, change, verdict) => {
  expect(verdictOf(kernelOf({ ...right, ...change }, false), false).verdict).toBe(verdict)
})

test('of twelve equal CTAs each takes the lock and gives it back: a state for each, and the end', () => {
  const { verdict, search } = verdictOf({ ...kernelOf({ ...right, ctas: 12 }, false), blank: true }, false)
  expect([verdict, search?.states, search?.exchanged]).toEqual(['ok', 25, true])
})
