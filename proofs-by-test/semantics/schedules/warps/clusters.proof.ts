/**
 * The theorem with warps once more, on kernels of clusters, named barriers and words of memory (`drawn.ts`): by day a handful, by night 100,000, where also each
 * rule of theirs is switched off once, and the sweep must find the theorem false. What a sweep has found stands below it.
 */
import { describe, expect, it, test } from 'vitest'
import { explore } from '../../../../src/semantics/schedules/naive/explore.js'
import { verdictOf, type WarpRule } from '../../../../src/semantics/judging/detector/index.js'
import { eager, lazy, seeded } from '../../../../src/semantics/execution/policy.js'
import { nightly } from '../../../extent.js'
import { skeleton } from '../naive/skeletons.js'
import { allStyles, asItShouldBe, clusteredOf } from './drawn.js'
import { kernelOf } from './kernels.js'
import { judged, sweep } from './sweep.js'

const count = nightly ? Number(process.env['TCSPEC_PROGRAMS'] ?? 100_000) : 40

/** Rules, and a number of kernels among which one shows that each is needed. */
const rules: ReadonlyArray<readonly [rule: WarpRule | 'arrivesOnlyAtExit', within: number]> = [
  ['anyScope', 5_000],
  ['noRemoteRelease', 5_000],
  ['firmMeetings', 5_000],
  ['silentMeetings', 5_000],
  ['unpairedMeetings', 5_000],
  ['anyCount', 5_000],
  ['anyMembers', 5_000],
  ['noB9', 5_000],
  ['anyWordScope', 5_000],
  ['anyWord', 5_000],
  ['arrivesOnlyAtExit', 5_000],
]

test('the theorem, on random kernels of clusters', { timeout: 14_400_000 }, () => {
  const from = Number(process.env['TCSPEC_FROM'] ?? 0)
  const { counts, unsound, incomplete, unreal, weak } = sweep({
    first: [],
    from: nightly ? 9_000_000 + from : from,
    count,
    drawn: clusteredOf,
    weakened: nightly ? rules.map(([rule]) => rule) : [],
  })
  if (nightly || process.env['TALLY'] !== undefined)
    console.log(counts, [unreal.length, unsound.length, incomplete.length], [...weak])
  expect([unreal[0], unsound[0], incomplete[0]]).toEqual([undefined, undefined, undefined])
  expect(counts.clean).toBeGreaterThan(count / 6)
  expect(counts.kernels - counts.clean).toBeGreaterThan(count / 6)
  expect(counts.ok).toBeGreaterThan(count / 6)
  expect(counts.peeks).toBeGreaterThan(count / 50)
  for (const [rule, within] of rules) {
    const { times, first } = weak.get(rule) ?? { times: 1, first: 0 }
    if (count < within) continue
    expect(times, rule).toBeGreaterThan(0)
    expect(first, rule).toBeLessThanOrEqual(within)
  }
})

test('a program without a damage is clean in every schedule', () => {
  for (const style of allStyles)
    for (let seed = 0; seed < (nightly ? 400 : 3); seed++) {
      const all = explore(asItShouldBe(seed, style))
      expect([style, seed, all !== 'too large' && all.clean]).toEqual([style, seed, true])
    }
})

describe('what a sweep has found', () => {
  const table: ReadonlyArray<readonly [what: string, text: string, clean: boolean, said: string]> = [
    [
      'a wait at the cluster barrier that nothing has arrived for',
      ' | t0@0: cla; clw | t1@1: cla; clw; clw',
      false,
      'hazard',
    ],
    [
      'an agent that ends is not waited for, and nothing is heard from it',
      ' | t0@0: cla; clw | t1@1: cla; clw | t2@0: wr s1.x',
      false,
      'hazard',
    ],
    [
      'nor is one that has arrived before, and comes no more',
      ' | t0@0: cla ~; rd s1.x | t1@1: cla ~; clw; cla; clw | t2@0: cla ~; clw; cla',
      false,
      'hazard',
    ],
    ['one that has still to leave is waited for', ' | t0@0: cla ~; clw; cla ~ | t1@1: cla; clw', true, 'ok'],
    [
      'a wait for a word that is stored after something else, in the same run',
      ' | t0@0: wr g.x; tel g.f 1; hea g.e ge 1; wr g.x | t1@0: hea g.f ge 1; rd g.x; tel g.e 1',
      true,
      'ok',
    ],
    [
      'a word that tells nothing keeps no read before it',
      ' | t0@0: wr g.x; tel g.f 1; hea g.e ge 1; wr g.x | t1@0: hea g.f ge 1; rd g.x; tel g.e 1 ~',
      false,
      'hazard',
    ],
    [
      'a word that is waited for has come, though it tells nothing',
      ' | t0@0: hea s0.f ge 1 ~ | t1@1: add s0.f 1 ~',
      true,
      'ok',
    ],
    [
      'another write before it has perhaps not',
      ' | t0@0: hea s0.f ge 1 ~ | t1@1: wr s0.x; add s0.f 1 ~',
      false,
      'hazard',
    ],
    [
      'a word that was found may be stored in a narrower scope',
      ' | t0@0: hea g.f ge 1 ~; tel g.f 2 < | t1@1: tel g.f 1 ~',
      true,
      'ok',
    ],
    [
      'one that was not may not',
      ' | t0@0: cla; clw; tel g.f 2 < | t1@1: tel g.f 1 ~; cla ~; clw',
      false,
      'hazard',
    ],
    [
      'it may be waited for in a narrower scope, too',
      ' | t0@0: hea g.f ge 1 ~; hea g.f ge 2 < | t1@1: tel g.f 2',
      true,
      'ok',
    ],
    [
      'a relaxed wait acquires with a fence behind it',
      'f0@0:1 | t0@0: arx #0 1; ld > s0.x:#0:1; hea s0.e ge 1 <; arx #0 1; ld > s0.x:#0:1 | t1@0: wait #0 0 ~; fem <; tel s0.e 1 ~ <; wait #0 1; rd s0.x',
      true,
      'ok',
    ],
    [
      'and without one not',
      'f0@0:1 | t0@0: arx #0 1; ld > s0.x:#0:1; hea s0.e ge 1 <; arx #0 1; ld > s0.x:#0:1 | t1@0: wait #0 0 ~; tel s0.e 1 ~ <; wait #0 1; rd s0.x',
      false,
      'hazard',
    ],
  ]
  it.each(table)('%s', (_, text, clean, said) => {
    const s = skeleton(text)
    const all = explore(s)
    expect(all !== 'too large' && all.clean).toBe(clean)
    for (const seed of nightly ? [1, 2, 3] : [1])
      for (const policy of [eager, lazy, seeded(seed)])
        expect(verdictOf(judged(kernelOf(s, seed)!, policy))).toBe(said)
  })

  it('halves of a warp at one named barrier come to it together', () => {
    const s = skeleton(' | t0@0: wr s0.x; bas 1 2; bar 2 2 | t1@0: bas 1 2; rd s0.x; bas 2 2; wr s0.x')
    const halves = Array.from({ length: nightly ? 60 : 30 }, (_, seed) => kernelOf(s, seed)!).filter(
      ({ text }) => text.split('barrier.sync 1').length === 5,
    )
    expect(halves.length).toBeGreaterThan(0)
    for (const kernel of halves)
      for (const policy of [eager, lazy, seeded(1)]) expect(verdictOf(judged(kernel, policy))).toBe('ok')
  })
})
