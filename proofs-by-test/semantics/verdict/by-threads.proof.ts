/**
 * Orders of the lanes of a warp, asked of threads.
 *
 * | what                                                             | oracle                                                     |
 * |------------------------------------------------------------------|------------------------------------------------------------|
 * | random kernels of 3 to 5 threads as lanes of one warp, and of two; by night 2,000 | every order of the same threads, each a CTA |
 * | kernels of two lanes that part (`parted.ts`)                       | every order of the same threads, each in a warp of its own |
 * | what becomes of a verdict                                          | a table                                                    |
 */
import * as E from 'fp-ts/lib/Either.js'
import { expect, test } from 'vitest'
import { nightly } from '../../extent.js'
import { refuse } from '../../../src/failure.js'
import type { ReplayableFinding, Verdict } from '../../../src/semantics/judging/verdict.js'
import { byThreads } from '../../../src/semantics/verdict/by-threads.js'
import { oneOrderOfLanes } from '../../../src/semantics/verdict/scope.js'
import { drawn, show, verdictOf, type Drawn } from '../schedules/outcomes/equals.js'
import * as Parted from '../schedules/outcomes/parted.js'

/** The same threads: lanes of one warp, or of two in a CTA each. */
const inOneWarp = (k: Drawn): Drawn => ({
  ...k,
  ctas: 1,
  threads: k.ctas,
  blind: true,
  fuel: 2_000,
  lines: ['mov.u32 %r1, %tid.x;', 'mov.u32 %r3, %ntid.x;', ...k.lines],
})
const inTwoWarps = (k: Drawn): Drawn => ({
  ...k,
  ctas: 2,
  threads: k.ctas / 2,
  fuel: 2_000,
  lines: [
    'mov.u32 %r30, %tid.x;',
    'mov.u32 %r31, %ntid.x;',
    'mad.lo.u32 %r1, %r1, %r31, %r30;',
    'mul.lo.u32 %r3, %r3, %r31;',
    ...k.lines,
  ],
})
const isOpen = (verdict: string): boolean => verdict === 'undecided' || verdict === 'out-of-fuel'

const [from, count] = nightly ? [0, 2_000] : [22, 4]
test(`${String(count)} kernels: ok only if it is so of CTAs`, { timeout: 14_400_000 }, () => {
  const wrong: string[] = []
  let ok = 0
  for (let seed = from; seed < from + count; seed++) {
    const k = drawn(seed)
    for (const lanes of [inOneWarp(k), ...(k.ctas % 2 === 0 ? [inTwoWarps(k)] : [])]) {
      const told = verdictOf(lanes, false, 100_000)
      if (told.verdict !== 'ok') continue
      ok++
      const { verdict, reason } = verdictOf({ ...k, fuel: 2_000 }, true, 1_000_000, true)
      if (verdict !== 'ok' && !isOpen(verdict))
        wrong.push(`seed ${String(seed)}: ${verdict} (${reason})\n${show(lanes)}`)
    }
  }
  expect(wrong).toEqual([])
  expect(ok).toBeGreaterThan(count / 3)
})

test('an order of lanes that no schedule of warps has: a race, and no ok', () => {
  const k = drawn(31)
  expect(verdictOf(k, true).verdict).toBe('hazard')
  const { verdict, findings } = verdictOf(inOneWarp(k), false)
  // what threads show has no schedule of warps
  expect([verdict, findings]).toEqual(['undecided', []])
})

const [nothing, wait, loop] = Parted.firsts.map(([, within]) => within)
test.each([
  ['nothing', 6, nothing],
  ['nothing', 58, nothing],
  ['a wait', 1, wait],
  ['a wait', 57, wait],
  ['a loop', 6, loop],
  ['a loop', 8, loop],
] as const)('behind %s, seed %i: right in every order of lanes', (_, seed, within) => {
  const k = { ...Parted.drawn(seed), within: within! }
  expect(verdictOf(Parted.warpsOf(k), true, Infinity, true).verdict).toBe('ok')
  const { verdict, decidedBy } = verdictOf(Parted.lanesOf(k), false)
  expect([verdict, decidedBy]).toEqual(['ok', 'exploration'])
})

test('a note of threads alone is in the scope', () => {
  const k = { ...Parted.drawn(8), within: nothing! }
  const notes = verdictOf(Parted.warpsOf(k), true, Infinity, true).notes
  const { verdict, scope } = verdictOf(Parted.lanesOf(k), false)
  expect(verdict).toBe('ok')
  expect(notes.filter(({ text }) => scope.some((line) => line.includes(text)))).toHaveLength(1)
})

test('what is left of the budget does not suffice: as before', () => {
  const k = { ...Parted.drawn(58), within: nothing! }
  const spent = (budget: number): string => verdictOf(Parted.lanesOf(k), false, budget).verdict
  expect([800, 100_000].map(spent)).toEqual(['undecided', 'ok'])
})

const noted = (id: string, site: number, other?: number): ReplayableFinding =>
  ({
    id,
    text: `${id} at ${String(site)}`,
    a: { site },
    ...(other === undefined ? {} : { b: { site: other } }),
  }) as unknown as ReplayableFinding
const judged = (verdict: Verdict['verdict'], reason: string, more: Partial<Verdict> = {}): Verdict =>
  ({ verdict, reason, notes: [], scope: [], ...more }) as unknown as Verdict
const scope = [oneOrderOfLanes, 'another']
const notes = [noted('N1', 1, 2)]

test.each([
  ['ok', judged('ok', 't'), 'ok', 't, where each thread goes on by itself', ['another']],
  ['a hazard', judged('hazard', 't'), 'undecided', 'w: where each thread goes on by itself, t', scope],
  ['a deadlock', judged('deadlock', 't'), 'undecided', 'w: where each thread goes on by itself, t', scope],
  ['a fault', judged('invalid', 't'), 'undecided', 'w: where each thread goes on by itself, t', scope],
  ['open', judged('undecided', 't'), null, 'w', scope],
  ['not at its end', judged('out-of-fuel', 't'), null, 'w', scope],
  [
    'notes, one of which is new',
    judged('ok', 't', { notes: [noted('N1', 2, 1), noted('N1', 3), noted('N1', 3), noted('N2', 1, 2)] }),
    'ok',
    't, where each thread goes on by itself',
    [
      'another',
      'other orders of lanes of one warp, of which a note would say: N1 at 3',
      'other orders of lanes of one warp, of which a note would say: N2 at 1',
    ],
  ],
] as const)('of threads it is %s', (_, of, name, reason, left) => {
  for (const before of ['ok', 'undecided'] as const) {
    const asked: number[] = []
    const verdict = judged(before, 'w', { scope, notes })
    const found = byThreads({ verdict, byLanes: 7 }, (budget, threads) => {
      asked.push(budget, threads)
      return E.right({ verdict: of })
    }).verdict
    expect([found.verdict, found.reason, found.scope]).toEqual([name ?? before, reason, left])
    expect(asked).toEqual([7, before === 'ok' ? 16 : 256])
  }
})

test('refused, or nothing is open: as before', () => {
  const verdict = judged('ok', 'w', { scope })
  const open = { verdict, byLanes: 7 }
  expect(byThreads(open, () => refuse('launch.alone', ''))).toBe(open)
  const decided = { verdict }
  expect(byThreads(decided, () => E.right({ verdict: judged('hazard', 't') }))).toBe(decided)
})
