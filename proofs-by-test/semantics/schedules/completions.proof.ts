/**
 * Bytes that an agent completes itself (mbarrier.completeTx), in every schedule.
 *
 * Oracle: the search of all schedules that shares no code with the machine, in which such bytes are an expectation of fewer than none. By hand
 * first; then random programs some of whose arrivals and copies are such bytes.
 */
import { describe, expect, it } from 'vitest'
import { defaults, verdictOf } from '../../../src/semantics/judging/detector/index.js'
import { eager, lazy, roundRobin, seeded, type AnyPolicy } from '../../../src/semantics/execution/policy.js'
import * as X from '../../../src/semantics/language/expression.js'
import type { Program } from '../../../src/semantics/language/program.js'
import { isDoSite } from '../../../src/semantics/mutation/change.js'
import { replace, sitesOf } from '../../../src/semantics/mutation/sites.js'
import { explore } from '../../../src/semantics/schedules/naive/explore.js'
import { allFamilies, dice, skeletonOf } from '../../../src/semantics/schedules/naive/random.js'
import * as S from '../../../src/semantics/schedules/naive/skeleton.js'
import { nightly } from '../../extent.js'
import { skeleton } from './naive/skeletons.js'
import { expectAgreement, judgements, programOf, sweep, type Sweep } from './naive/theorem.js'

/** An expectation of fewer bytes than none is a completion. */
const completing = (program: Program): Program =>
  sitesOf(program)
    .filter(isDoSite)
    .reduce((p, site) => {
      const { statement } = site
      const i = statement.instruction
      if (i._tag !== 'mbarrier.expectTx' || i.bytes._tag !== 'const' || Number(i.bytes.value) >= 0) return p
      const instruction = {
        _tag: 'mbarrier.completeTx',
        barrier: i.barrier,
        bytes: X.i32(-Number(i.bytes.value)),
      } as const
      return replace(p, site, [{ ...statement, instruction }])
    }, program)

const policies: ReadonlyArray<AnyPolicy> = [
  eager,
  lazy,
  roundRobin,
  ...Array.from({ length: 12 }, (_, k) => seeded(k)),
]

describe('by hand', () => {
  const table: ReadonlyArray<
    readonly [what: string, text: string, clean: boolean, said: string, ids: string]
  > = [
    [
      'bytes announced with the arrival and completed by another agent: its writes are not published',
      'f@0:1 | p@0: wr s0.x; exp #0 -1 | q@0: arx #0 1 | c@0: wait #0 0; rd s0.x',
      false,
      'hazard',
      'V1',
    ],
    ['the same, and nothing is read', 'f@0:1 | p@0: exp #0 -1 | q@0: arx #0 1; wait #0 0', true, 'ok', ''],
    [
      'completed before it is announced: the arrival is still missing',
      'f@0:1 | p@0: exp #0 -1; arx #0 1; wait #0 0',
      true,
      'ok',
      '',
    ],
    [
      'the agent that completes arrives first',
      'f@0:2 | p@0: arr #0; exp #0 -1 | q@0: arx #0 1; wait #0 0',
      true,
      'ok',
      '',
    ],
    [
      'of the next generation, by an agent that has not waited for the first',
      'f@0:1 | p@0: exp #0 -1; exp #0 -1 | q@0: arx #0 1; wait #0 0; arx #0 1; wait #0 1',
      false,
      'deadlock undecided',
      'B4',
    ],
    ['more than is announced', 'f@0:1 | p@0: exp #0 -2 | q@0: arx #0 1; wait #0 0', false, 'deadlock', 'B4'],
    [
      'announced alone, in no order with the arrival',
      'f@0:1 | p@0: exp #0 1; exp #0 -1 | q@0: arr #0; wait #0 0',
      true,
      'undecided',
      '',
    ],
    [
      'in two generations, each completed by an agent that waits',
      'f@0:1 e@0:1 | p@0: exp #0 -1; wait #0 0; arr #1; exp #0 -1 | q@0: arx #0 1; wait #0 0; wait #1 0; arx #0 1; wait #0 1',
      true,
      'ok',
      '',
    ],
  ]
  it.each(table)('%s', (_, text, clean, said, ids) => {
    const all = explore(skeleton(text))
    const judged = judgements(completing(programOf(skeleton(text))), policies, [defaults]).map(
      (run) => run.judged[0]!,
    )
    expect({
      clean: all !== 'too large' && all.clean,
      said: [...new Set(judged.map(verdictOf))].sort().join(' '),
      ids: [...new Set(judged.flatMap((j) => j.findings.map((f) => f.id)))].sort().join(' '),
    }).toEqual({ clean, said, ids })
  })
})

/** Some arrivals become bytes: announced with an arrival and completed at once, or by an agent at random; some copies are completed without being made. */
const drawn = (seed: number): S.Skeleton => {
  const s = skeletonOf(seed, allFamilies)
  const die = dice(seed ^ 0x51ed)
  const bodies = s.agents.map((a) => [...a.ops])
  for (const ops of bodies)
    for (let k = ops.length - 1; k >= 0; k--) {
      const op = ops[k]!
      if (op._tag === 'arrive' && op.barriers.length === 1 && op.on && die.chance(0.5)) {
        const b = op.barriers[0]!
        ops[k] = S.arriveExpect(b, 1, op.relaxed, op.tensor)
        const other = die.chance(0.5) ? ops : die.pick(bodies)
        const at = other === ops ? k + die.below(2) : die.below(other.length + 1)
        other.splice(at, 0, S.expect(b, -1))
      } else if (op._tag === 'load' && op.on && die.chance(0.3))
        ops.splice(k, 1, ...op.destinations.map((d) => S.expect(d.barrier, -d.units)))
    }
  return { ...s, agents: s.agents.map((a, x) => ({ ...a, ops: bodies[x]! })) }
}

it('the theorem, on random programs with such bytes', { timeout: 14_400_000 }, () => {
  const count = nightly ? 100_000 : 60
  const how: Sweep = {
    from: 0,
    count,
    allocating: count,
    thrice: 16,
    validated: 50,
    searched: 5,
    kinds: 4,
    weakened: 1,
    weakenings: [],
  }
  let completions = 0
  const tally = sweep(how, {
    drawn,
    written: (s) => {
      if (s.agents.some((a) => a.ops.some((op) => op._tag === 'expect' && op.units < 0))) completions += 1
      return completing(programOf(s))
    },
  })
  expectAgreement(tally)
  expect(completions).toBeGreaterThan(count / 2)
  expect(tally.clean).toBeGreaterThan(count / 5)
  expect(tally.failing).toBeGreaterThan(count / 10)
  expect(tally.ok).toBeGreaterThan(count / 5)
})
