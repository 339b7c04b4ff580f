/**
 * Loops in which a barrier tells all threads of a CTA whether one of them asks a word again. Oracle: every order of the same loop, in which one more load of a parameter stands, so
 * that it stays a loop.
 *
 * | what                                                                 | oracle                                    |
 * |----------------------------------------------------------------------|-------------------------------------------|
 * | random turnstiles of two CTAs, some of them right, by night 20,000   | every order of the loop                   |
 * | kernels kind by kind: what `gathered.ts` asks (G1 to G8)             | the same; what is wrong is found          |
 */
import { expect, test } from 'vitest'
import { dice, type Dice } from '../../../../src/semantics/schedules/naive/random.js'
import { nightly } from '../../../extent.js'
import { everyOrderOf, show, verdictOf, type Drawn } from './equals.js'

const from = nightly ? 1_000_000 + Number(process.env['TCSPEC_FROM'] ?? 0) : 1
const count = Number(process.env['TCSPEC_PROGRAMS'] ?? (nightly ? 20_000 : 6))
const budget = nightly ? 60_000 : 10_000

interface Turnstile {
  readonly ctas: number
  /** what a thread that does not ask holds */
  readonly state: string
  /** computes %p1: who does not ask */
  readonly skips: string
  readonly fetch: ReadonlyArray<string>
  readonly between: ReadonlyArray<string>
  /** computes %r20: what is waited for */
  readonly mine: string
  readonly compared: string
  readonly reduction: string
  readonly loaded: string
  /** where the loop is entered, behind the fetch */
  readonly entered: string
  readonly guarded: boolean
  readonly before: ReadonlyArray<string>
  readonly behind: ReadonlyArray<string>
  readonly release: ReadonlyArray<string>
}

const byFirst = (lines: ReadonlyArray<string>): ReadonlyArray<string> => lines.map((line) => `@!%p2 ${line}`)
/** A datum of each warp, which CTA after CTA adds to. */
const work = [
  '@%p4 ld.global.u32 %r22, [%rd9];',
  'add.u32 %r22, %r22, 1;',
  '@%p4 st.global.u32 [%rd9], %r22;',
]

const linesOf = (t: Turnstile, apart: boolean): ReadonlyArray<string> => [
  'mov.u32 %r2, %tid.x;',
  'setp.ne.u32 %p2, %r2, 0;',
  'shr.u32 %r12, %r2, 5;',
  'mul.wide.u32 %rd8, %r12, 4;',
  'add.u64 %rd9, %rd2, %rd8;',
  'and.b32 %r13, %r2, 31;',
  'setp.eq.u32 %p4, %r13, 0;',
  t.skips,
  `mov.u32 %r18, ${t.state};`,
  t.mine,
  ...t.fetch,
  ...t.between,
  `bra ${t.entered};`,
  'AGAIN:',
  ...(t.guarded ? [`@!%p1 ${t.loaded}`] : [t.loaded]),
  'ASK:',
  ...(apart ? ['ld.param.u64 %rd30, [a];'] : []),
  t.compared,
  `bar.red.${t.reduction}.pred %p5, 0, %p3;`,
  '@!%p5 bra OUT;',
  ...(t.guarded ? ['bra AGAIN;'] : ['TURN:', '@%p1 bra ASK;', 'bra AGAIN;']),
  'OUT:',
  ...t.before,
  ...work,
  ...t.behind,
  ...t.release,
]

const load = (how: string): string => `ld.global.${how}.u32 %r18, [%rd1];`
const around = (line: string): ReadonlyArray<string> => ['@%p1 bra F;', line, 'F:']
const acquire = load('acquire.gpu')
const next = ['add.u32 %r21, %r1, 1;']
const right: Turnstile = {
  ctas: 2,
  state: '-1',
  skips: 'setp.ne.u32 %p1, %r2, 0;',
  fetch: around(acquire),
  between: [],
  mine: 'mov.u32 %r20, %r1;',
  compared: 'setp.ne.s32 %p3, %r18, %r20;',
  reduction: 'and',
  loaded: acquire,
  entered: 'ASK',
  guarded: false,
  before: ['bar.sync 0;'],
  behind: ['bar.sync 0;'],
  release: [...next, ...byFirst(['st.release.gpu.global.u32 [%rd1], %r21;'])],
}

const oneOf = (die: Dice, all: ReadonlyArray<string>): string => all[die.below(all.length)]!

/** One that is right, but for a few changes. */
const drawn = (seed: number): Turnstile => {
  const die = dice(seed)
  const changes: ReadonlyArray<(t: Turnstile) => Partial<Turnstile>> = [
    () => ({ state: oneOf(die, ['0', '1', '%r1']) }),
    () => ({
      skips: oneOf(die, [
        'setp.gt.u32 %p1, %r2, 1;',
        'setp.gt.u32 %p1, %r2, 99;',
        'setp.ne.u32 %p1, %r2, 33;',
      ]),
    }),
    () => ({ fetch: [] }),
    () => ({ fetch: around(load(oneOf(die, ['relaxed.gpu', 'volatile', 'acquire.cta']))) }),
    () => ({ fetch: [acquire] }),
    () => ({ fetch: [`@!%p1 ${acquire}`] }),
    () => ({
      between: [
        oneOf(die, [
          'mov.u32 %r18, 0;',
          '@%p4 mov.u32 %r18, 1;',
          'setp.ne.u32 %p1, %r2, 1;',
          'bar.sync 0;',
          ...work.slice(0, 1),
        ]),
      ],
    }),
    () => ({
      mine: oneOf(die, [
        'mov.u32 %r20, 0;',
        'and.b32 %r20, %r2, 1;',
        'min.u32 %r20, %r1, %r2;',
        'add.u32 %r20, %r1, 1;',
      ]),
    }),
    () => ({
      compared: oneOf(die, [
        'setp.lt.u32 %p3, %r18, %r20;',
        'setp.lt.s32 %p3, %r18, %r20;',
        'setp.eq.s32 %p3, %r18, %r20;',
      ]),
    }),
    () => ({ reduction: 'or' }),
    () => ({ loaded: load(oneOf(die, ['relaxed.gpu', 'volatile'])) }),
    () => ({ entered: 'AGAIN' }),
    (t) => (t.guarded ? {} : { entered: 'TURN' }),
    () => ({ guarded: true, entered: 'ASK' }),
    () => ({ before: [] }),
    () => ({ before: ['bar.sync 0;', '@%p2 bra L;', 'st.global.u32 [%rd3], %r18;', 'L:'] }),
    () => ({ behind: [] }),
    () => ({ release: [...next, ...byFirst(['st.relaxed.gpu.global.u32 [%rd1], %r21;'])] }),
    () => ({
      release: [...next, 'fence.acq_rel.gpu;', ...byFirst(['st.relaxed.gpu.global.u32 [%rd1], %r21;'])],
    }),
    () => ({ release: byFirst(['red.release.gpu.global.add.u32 [%rd1], 1;']) }),
    () => ({
      release: [...next, 'rem.u32 %r21, %r21, %r3;', ...byFirst(['st.release.gpu.global.u32 [%rd1], %r21;'])],
    }),
    () => ({ release: [] }),
  ]
  let t = right
  for (let n = die.below(4); n > 0; n--) t = { ...t, ...changes[die.below(changes.length)]!(t) }
  return t
}

const kernelOf = (t: Turnstile, apart: boolean): Drawn => ({
  ctas: t.ctas,
  threads: 64,
  fuel: 2_000,
  lines: linesOf(t, apart),
  blank: false,
})

const findsNothing = (d: Drawn): boolean => everyOrderOf(d, { states: 4_000, events: 400_000 }).found === null

test(`${String(count)} kernels: the same as a wait and as a loop`, { timeout: 14_400_000 }, () => {
  const wrong: string[] = []
  const seen = new Map<string, number>()
  for (let seed = from; seed < from + count; seed++) {
    const t = drawn(seed)
    const some = verdictOf(kernelOf(t, false), false, budget)
    const all = verdictOf(kernelOf(t, true), true, budget, true)
    const name = `${some.verdict} ${String(some.decidedBy)} | ${all.verdict}`
    seen.set(name, (seen.get(name) ?? 0) + 1)
    // the first schedule may ask for ever where another one ends: then every order is followed, and a way that comes back to where it was is followed once
    const isOpen =
      some.verdict === 'undecided' ||
      all.verdict === 'undecided' ||
      (all.verdict === 'out-of-fuel' && some.verdict === 'ok' && findsNothing(kernelOf(t, true)))
    if (!isOpen && (some.verdict === 'ok') !== (all.verdict === 'ok'))
      wrong.push(
        `seed ${String(seed)}: ${some.verdict} (${some.reason}), as a loop ${all.verdict} (${all.reason})\n${show(kernelOf(t, false))}`,
      )
  }
  if (nightly || process.env['TALLY'] !== undefined) console.log([...seen])
  expect(wrong).toEqual([])
})

const kinds: ReadonlyArray<readonly [what: string, t: Partial<Turnstile>, verdict: string]> = [
  ['a turnstile that is right', {}, 'ok'],
  ['without a fetch', { fetch: [] }, 'ok'],
  ['G7 a fetch that does not acquire', { fetch: around(load('relaxed.gpu')) }, 'hazard'],
  ['nothing acquires', { fetch: around(load('relaxed.gpu')), loaded: load('relaxed.gpu') }, 'hazard'],
  ['G7 another word than what was fetched', { between: ['@!%p1 mov.u32 %r18, %r1;'] }, 'hazard'],
  ['G5 one asks before the others say no', { state: '%r1', entered: 'TURN' }, 'hazard'],
  ['threads that do not ask have what is waited for', { state: '%r1' }, 'hazard'],
]

test('G6 of two threads that ask one waits for what never comes: it stays a loop', () => {
  const mine = 'mad.lo.u32 %r20, %r2, 50, %r1;'
  const t = { ...right, skips: 'setp.gt.u32 %p1, %r2, 1;', mine }
  const v = verdictOf(kernelOf(t, false), false)
  expect([v.verdict, v.decidedBy]).toEqual(['ok', 'exploration'])
})

test('G8 who waits for another word has fetched what was there before: it stays a loop', () => {
  const first = byFirst([
    'st.release.gpu.global.u32 [%rd1], 1;',
    'st.release.gpu.global.u32 [%rd1], 0;',
    'st.release.gpu.global.u32 [%rd1+4], 1;',
    'st.global.u32 [%rd3], %r1;',
    'st.release.gpu.global.u32 [%rd1], 1;',
  ])
  const elsewhere = [
    'L2:',
    'ld.acquire.gpu.global.u32 %r25, [%rd1+4];',
    'setp.eq.u32 %p7, %r25, 0;',
    '@%p7 bra L2;',
  ]
  const t = { ...right, between: elsewhere }
  const lines = linesOf(t, false)
  const out = lines.indexOf('OUT:')
  const d: Drawn = {
    ctas: 2,
    threads: 64,
    fuel: 2_000,
    blank: false,
    lines: [
      ...lines.slice(0, 10),
      'setp.ne.u32 %p8, %r1, 0;',
      '@%p8 bra SECOND;',
      ...first,
      'bra DONE;',
      'SECOND:',
      ...lines.slice(10, out + 1),
      'bar.sync 0;',
      '@!%p2 ld.global.u32 %r26, [%rd3];',
      '@!%p2 st.global.u32 [%rd3+4], %r26;',
    ],
  }
  expect(verdictOf(d, false).verdict).not.toBe('ok')
})

test('who waits for nothing waits for ever', () => {
  const t = { ...right, release: [] }
  expect(verdictOf(kernelOf(t, false), false).verdict).toBe('deadlock')
})

test.each(kinds)('%s', (_, some, verdict) => {
  const t = { ...right, ...some }
  const [asWait, asLoop] = [
    verdictOf(kernelOf(t, false), false),
    verdictOf(kernelOf(t, true), true, Infinity, true),
  ]
  expect([asWait.verdict, asLoop.verdict]).toEqual([verdict, verdict])
  if (verdict === 'ok') expect([asWait.decidedBy, asLoop.decidedBy]).toEqual(['one-schedule', 'exploration'])
})
