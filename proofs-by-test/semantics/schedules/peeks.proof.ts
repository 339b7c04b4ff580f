/**
 * One schedule decides programs with peeks, too: random ones against a search of all schedules, in which a peek is what the barrier says; the smallest program for which
 * each rule is needed; and pipelines whose peeks are carried around their loops.
 */
import { describe, expect, it } from 'vitest'
import { defaults, verdictOf, type PeekRule } from '../../../src/semantics/judging/detector/index.js'
import { explore } from '../../../src/semantics/schedules/naive/explore.js'
import { peekingOf } from '../../../src/semantics/schedules/naive/random.js'
import { eager, lazy, roundRobin, seeded, type AnyPolicy } from '../../../src/semantics/execution/policy.js'
import { launch, noArguments } from '../../../src/semantics/execution/launch.js'
import { unit } from '../../../src/numerics/unit.js'
import { right } from '../../either.js'
import { nightly, sampled } from '../../extent.js'
import {
  damages,
  pipelines,
  skeletonOfPipeline,
  programOfPipeline,
  type Pipeline,
} from './naive/peeked-pipelines.js'
import { skeleton } from './naive/skeletons.js'
import {
  expectAgreement,
  judgements,
  programOf,
  showTally,
  sweep,
  weakened,
  type Sweep,
} from './naive/theorem.js'

const rules: ReadonlyArray<PeekRule> = [
  'peeksAsTheyWent',
  'noCertainPeeks',
  'lateC4',
  'noSparedC4',
  'anyPeek',
  'weakPeeks',
]

const how: Sweep = nightly
  ? {
      from: 2_000_000 + Number(process.env['TCSPEC_FROM'] ?? 0),
      count: Number(process.env['TCSPEC_PROGRAMS'] ?? 100_000),
      allocating: 1,
      thrice: 4,
      validated: 50,
      searched: 20,
      kinds: 1,
      weakened: 1,
      weakenings: rules,
    }
  : {
      from: 0,
      count: 150,
      allocating: 1,
      thrice: 16,
      validated: 50,
      searched: 40,
      kinds: 1,
      weakened: 1,
      weakenings: [],
    }

describe('one schedule decides programs with peeks', () => {
  it('the theorem, on random programs', { timeout: 14_400_000 }, () => {
    const tally = sweep(how, { drawn: (seed) => peekingOf(seed), written: programOf })
    if (nightly) console.log(showTally(tally))
    expectAgreement(tally)
    expect(tally.tooLarge).toBeLessThan(how.count / 1000)
    expect(tally.clean).toBeGreaterThan(how.count / 6)
    expect(tally.failing).toBeGreaterThan(how.count / 6)
    expect(tally.ok).toBeGreaterThan(tally.runs / 8)
    expect(tally.undecided).toBeGreaterThan(tally.runs / 100)
    // the rarest counterexample is one in some ten thousands
    for (const rule of how.count < 100_000 ? [] : how.weakenings)
      expect(tally.weak[rule].unsound + tally.weak[rule].incomplete, rule).toBeGreaterThan(0)
  })
})

// ---------------------------------------------------------------- rules

const policies: ReadonlyArray<AnyPolicy> = [
  eager,
  lazy,
  roundRobin,
  ...Array.from({ length: 60 }, (_, k) => seeded(k)),
]

const isClean = (text: string): boolean => {
  const all = explore(skeleton(text))
  return all !== 'too large' && all.clean
}
const verdicts = (text: string, rule?: PeekRule): ReadonlySet<string> =>
  new Set(
    judgements(programOf(skeleton(text)), policies, [rule === undefined ? defaults : weakened(rule)]).map(
      ({ judged }) => verdictOf(judged[0]!),
    ),
  )

/** Without the rule some run says ok and some schedule is wrong; or, of the one that is right in every schedule, that it is not. */
const needed: Readonly<Record<PeekRule, string>> = {
  // had the peek been false, nothing would order the read and the write
  peeksAsTheyWent: 'b@0:1 | t0@0: peek #0 0 @p; wr s0.x; wait #0 0 @p | t1@0: rd s0.x; arr #0',
  // the peek comes after the arrive in every schedule, so the write is seen in every one
  noCertainPeeks:
    'b@0:1 c@0:1 | t0@0: wait #1 0 ~; peek #0 0 @p; rd s0.x; wait #0 0 @p | t1@0: wr s0.x; arr #0; arr #1 ~',
  // the peek is true on the fresh barrier, too
  lateC4:
    'b@0:1 c@0:1 | t0@0: peek #0 1 @p; wait #1 0; wait #0 1 @p; wr s0.x | t1@0: arr #0; arr #1; rd s0.x; arr #0',
  // the peek is false, and its wait comes two arrivals too late
  noSparedC4: 'b@0:1 | t0@0: peek #0 0 @p; wait #0 0 @p | t1@0: arr #0; arr #0',
  // the outcome is of c, and the wait for b
  anyPeek: 'b@0:1 c@0:1 | t0@0: peek #1 0 @p; wait #0 0 @p; rd s0.x | t1@0: arr #1; wr s0.x; arr #0',
  // the peek is true and acquires nothing
  weakPeeks: 'b@0:1 | t0@0: peek #0 0 ~ @p; wait #0 0 @p; rd s0.x | t1@0: wr s0.x; arr #0',
}

describe('each rule is needed', () => {
  it.each(rules)('%s', (rule) => {
    const text = needed[rule]
    const isRight = rule === 'noCertainPeeks'
    expect(isClean(text)).toBe(isRight)
    const [said, weak] = [verdicts(text), verdicts(text, rule)]
    if (isRight) expect([...said]).toEqual(['ok'])
    else expect(said.has('ok')).toBe(false)
    expect(weak.has(isRight ? 'hazard' : 'ok')).toBe(true)
  })
})

describe('what a peek is', () => {
  const table: ReadonlyArray<readonly [what: string, text: string, clean: boolean, said: string]> = [
    [
      'work between a peek and its wait',
      'b@0:1 | t0@0: peek #0 0 @p; wr s0.y; wait #0 0 @p; rd s0.x | t1@0: wr s0.x; arr #0',
      true,
      'ok',
    ],
    [
      'the peek of a fresh barrier: it is true',
      'b@0:1 | t0@0: peek #0 1 @p; wr s0.x; wait #0 1 @p; arr #0 | t1@0: wait #0 0; rd s0.x',
      true,
      'ok',
    ],
    [
      'two peeks, the second waited for first',
      'b@0:1 c@0:1 | t0@0: peek #0 0 @p; peek #1 0 @q; wait #1 0 @q; rd s0.y; wait #0 0 @p; rd s0.x | t1@0: wr s0.x; arr #0; wr s0.y; arr #1',
      true,
      'ok',
    ],
    [
      'a peek of the generation after the next',
      'b@0:1 c@0:1 | t0@0: peek #0 1 @p; wait #0 0; rd s0.x; arr #1; wait #0 1 @p; rd s0.x | t1@0: wr s0.x; arr #0; wait #1 0; wr s0.x; arr #0',
      false,
      'hazard undecided',
    ],
    [
      'an outcome that spares two waits',
      'b@0:1 | t0@0: peek #0 0 @p; wait #0 0 @p; wait #0 0 @p; rd s0.x | t1@0: wr s0.x; arr #0',
      true,
      'undecided',
    ],
    [
      'two names for one barrier at once: its last test alone is a peek',
      'b@0:1 | t0@0: peek #0 0 @p; peek #0 0 @q; wait #0 0 @p; rd s0.x | t1@0: wr s0.x; arr #0',
      true,
      'undecided',
    ],
    [
      'a peek of the other parity',
      'b@0:1 | t0@0: peek #0 1 @p; wait #0 0 @p; rd s0.x | t1@0: wr s0.x; arr #0',
      false,
      'hazard undecided',
    ],
  ]
  it.each(table)('%s', (_, text, clean, said) => {
    expect(isClean(text)).toBe(clean)
    const all = verdicts(text)
    for (const verdict of all) expect(said.split(' ')).toContain(verdict)
    expect(all.has('ok')).toBe(said === 'ok')
  })
  it('limit: a visibility hazard that needs two peeks to be false, which no schedule has', () => {
    const text =
      'd@0:1 b1@0:1 b2@0:1 r1@0:1 r2@0:1 e@0:1 | t0@0: wait #3 0 ~; peek #1 0 @p; wait #5 0; rd s0.x; wait #1 0 @p | t1@0: wait #4 0 ~; peek #2 0 @q; arr #5; wait #2 0 @q | t2@0: wait #0 0; arr #2; arr #3 ~ | t3@0: wr s0.x; arr #0 | t4@0: wait #0 0; arr #1; arr #4 ~'
    expect(isClean(text)).toBe(true)
    expect([...verdicts(text)]).toEqual(['hazard'])
  })
})

// ---------------------------------------------------------------- loops

describe('peeks that are carried around loops', () => {
  const run = (p: Pipeline): ReadonlySet<string> => {
    const launched = right(launch(programOfPipeline(p), unit, noArguments))
    expect(launched.world.header.nondeterminism).toEqual([])
    return new Set(
      judgements(programOfPipeline(p), [eager, lazy, seeded(1), seeded(2), seeded(3)], [defaults]).map(
        ({ judged }) => verdictOf(judged[0]!),
      ),
    )
  }
  it.each(sampled(4, pipelines).map((p) => [JSON.stringify(p), p] as const))('%s', (_, p) => {
    const all = explore(skeletonOfPipeline(p))
    if (all === 'too large') throw new Error('too large')
    const said = run(p)
    expect(all.clean).toBe(p.damage === null)
    expect(all.clean ? [...said] : said.has('ok')).toEqual(all.clean ? ['ok'] : false)
  })
  it('every damage is among them', () => {
    expect(new Set(pipelines.flatMap((p) => (p.damage === null ? [] : [p.damage])))).toEqual(new Set(damages))
  })
})
