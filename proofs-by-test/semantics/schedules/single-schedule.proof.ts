import { describe, expect, it } from 'vitest'
import { defaults, verdictOf } from '../../../src/semantics/judging/detector/index.js'
import { explore } from '../../../src/semantics/schedules/naive/explore.js'
import { eager, lazy, roundRobin, seeded, type AnyPolicy } from '../../../src/semantics/execution/policy.js'
import { skeleton } from './naive/skeletons.js'
import {
  expectTheorem,
  half,
  judgements,
  programOf,
  showTally,
  sweep,
  weakened,
  weakenings,
  type Weakening,
} from './naive/theorem.js'
import { nightly } from '../../extent.js'

describe('one schedule decides', () => {
  it('the theorem, on the first half of the programs', { timeout: 14_400_000 }, () => {
    const how = half(0)
    const tally = sweep(how)
    if (nightly) console.log(showTally(tally))
    expectTheorem(how, tally)
  })
})

const policies: ReadonlyArray<AnyPolicy> = [
  eager,
  lazy,
  roundRobin,
  ...Array.from({ length: 40 }, (_, k) => seeded(k)),
]

const isClean = (text: string): boolean => {
  const all = explore(skeleton(text))
  return all !== 'too large' && all.clean
}

describe('what a copy arrives on', () => {
  const table: ReadonlyArray<readonly [string, string, string]> = [
    [
      'the wait for the copies is over before the arrival has been made: it must come before the CTA ends',
      'b@0:1 | t@0: cp > s0.x; cc; ca #0; cw 0',
      'U2',
    ],
    [
      'the same where the group is committed after the arrival was asked for',
      'b@0:1 | t@0: cp > s0.x; ca #0; cc; cw 0',
      'U2',
    ],
    [
      'to know the copies is not to know the arrival: a wait can pass two generations too early',
      'f0@0:1 e0@0:1 f1@0:1 e1@0:1 | p@0: cp > s0.x0; ca #0; cp > s0.x1; ca #2; wait #1 0; cp > s0.x0; ca #0 | c@0: wait #2 0; rd s0.x0; arr #1 ~; wait #2 0; rd s0.x1; arr #3; wait #0 1; rd s0.x0; arr #1',
      '',
    ],
  ]
  it.each(table)('%s', (_, text, id) => {
    expect(isClean(text)).toBe(false)
    for (const { judged } of judgements(programOf(skeleton(text)), policies, [defaults])) {
      expect(verdictOf(judged[0]!)).not.toBe('ok')
      if (id !== '') expect(judged[0]!.findings.map((f) => f.id)).toContain(id)
    }
  })
})

describe('columns that come and go', () => {
  const own = (x: number): string => `t${String(x)}@0: all 32 1; fre 32 1`
  const uses = (x: number): string => `t${String(x)}@0: all 32 1; tst t0.y; wst; fre 32 1`
  /** what is said of it, under whatever policy: verdicts of whole runs, \`refused\`, and the ids that are found */
  const table: ReadonlyArray<
    readonly [what: string, text: string, clean: boolean, said: string, ids: string]
  > = [
    [
      'allocated, freed, allocated: the second is left',
      ' | t@0: all 32 1; fre 32 1; all 32 1',
      false,
      'hazard',
      'T1',
    ],
    ['allocated and freed twice', ' | t@0: all 32 1; fre 32 1; all 32 1; fre 32 1', true, 'ok', ''],
    [
      'of two agents, each its own: which columns they have is not fixed',
      ` | ${own(0)} | ${own(1)}`,
      true,
      'undecided',
      '',
    ],
    ['the same in order', `b@0:1 | ${own(0)}; arr #0 | t1@0: wait #0 0; all 32 1; fre 32 1`, true, 'ok', ''],
    [
      'the same, and each frees its own in no order',
      'b@0:1 c@0:1 | t0@0: all 32 1; arr #0; wait #1 0; fre 32 1 | t1@0: wait #0 0; all 32 1; arr #1; fre 32 1',
      true,
      'ok',
      '',
    ],
    [
      'both store where one of them has its columns',
      ` | ${uses(0)} | ${uses(1)}`,
      false,
      'hazard refused',
      'D4 M4 U2',
    ],
    [
      'freed by an agent that does not know of it',
      ' | t0@0: all 32 1 | t1@0: fre 32 1',
      false,
      'hazard refused',
      'D4',
    ],
    [
      'what one CTA of a pair takes and the other does not',
      ' | t0@0: all 32 2; fre 32 2 | t1@1: all 32 2; fre 32 2; all 32 2; fre 32 2',
      false,
      'hazard',
      'K4 T4 T5',
    ],
    ['the steps of a pair', ' | t0@0: all 32 2; fre 32 2 | t1@1: all 32 2; fre 32 2', false, 'hazard', 'K4'],
    [
      'the same, when both have allocated',
      ' | t0@0: all 32 2; rdv x 0,1; fre 32 2 | t1@1: all 32 2; rdv x 0,1; fre 32 2',
      true,
      'ok',
      '',
    ],
    [
      'one CTA of a pair frees what the other may still use, or has not allocated yet',
      ' | t0@0: all 32 2; tst t0.y0; wst; fre 32 2; rdv x 0,1 | t1@1: all 32 2; fre 32 2; rdv x 0,1',
      false,
      'hazard',
      'K4 U2',
    ],
  ]
  it.each(table)('%s', (_, text, clean, said, ids) => {
    expect(isClean(text)).toBe(clean)
    const all = judgements(programOf(skeleton(text)), policies, [defaults])
    const verdicts = all.map(({ outcome, judged }) =>
      outcome._tag === 'fault' ? 'refused' : verdictOf(judged[0]!),
    )
    expect([...new Set(verdicts)].sort().join(' ')).toBe(said)
    const found = all.flatMap(({ outcome, judged }) =>
      outcome._tag === 'fault' ? [] : judged[0]!.findings.map((f) => f.id),
    )
    expect([...new Set(found)].sort().join(' ')).toBe(ids)
  })
})

/** The smallest programs that the sweep found. A rule is needed: without it some run says ok, and some schedule is wrong. */
describe('each rule is needed', () => {
  const counterexamples: Readonly<Record<Weakening, string>> = {
    // the wait passes before both arrivals, and CTA 0 ends before they reach it
    oneSidedC4: 'b0@0:1 | t0@0: | t1@1: arr #0 ~; arr #0 | t2@0: wait #0 1',
    // the bytes may be expected of generation 0 or of generation 1
    c3CountedOnly: 'b0@0:1 b1@0:2 | t0@0: exp #0 1; wait #0 0 | t1@0: arr #0',
    // the bytes may be expected before or after both arrivals
    noC6: 'b0@1:1 b1@0:2 | t0@0: arr #1; wait #1 1; rdv x 0,1,2 ~ | t1@1: arr #1; rdv x 0,1,2 ~ | t2@0: exp #1 1; rdv x 0,1,2 ~',
    // the second allocates while the promise stands, or before it is given
    anyAllocation: ' | t0@0: rel 1 | t1@0: all 32 1; fre 32 1',
    // here every schedule is right
    noWriteWriteException:
      'f0@0:1 e0@0:1 | p@0: cp > s0.x0; ca #0; wait #1 0; cp > s0.x0; ca #0 | c@0: wait #0 0; rd s0.x0; arr #1 ~; wait #0 1',
  }
  it.each(weakenings)('%s', (weakening) => {
    const text = counterexamples[weakening]
    const refusesTheRight = weakening === 'noWriteWriteException'
    expect(isClean(text)).toBe(refusesTheRight)
    const verdicts = judgements(programOf(skeleton(text)), policies, [defaults, weakened(weakening)])
      .filter(({ outcome }) => outcome._tag !== 'fault')
      .map(({ judged }) => judged.map(verdictOf))
    const [whole, weak] = [0, 1].map((k) => new Set(verdicts.map((of) => of[k]!)))
    expect(whole!.has('ok')).toBe(refusesTheRight)
    expect(weak!.has(refusesTheRight ? 'hazard' : 'ok')).toBe(true)
  })
})
