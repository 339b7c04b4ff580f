/**
 * Quiet generations. Oracle: the search that follows every schedule.
 *
 * Law 1, on random programs of two mbarriers: an agent that waits for the one or not, arrives at it or not, and lets two or three others go, which arrive at it once or
 * twice, and may wait for it in the end.
 *
 *     e@0:2 g@0:1   p@0: wait #0 1; arr #1     t0@0: wait #1 0; arr #0; arr #0     t1@0: wait #1 0; arr #0       quiet
 *     e@0:2 g@0:1   p@0: arr #1; wait #0 1     t0@0: wait #1 0; arr #0; arr #0     t1@0: wait #1 0; arr #0       not: the phase may turn before the wait
 */
import { expect, test } from 'vitest'
import { unit } from '../../../../src/numerics/unit.js'
import { launch, noArguments } from '../../../../src/semantics/execution/launch.js'
import { eager, seeded } from '../../../../src/semantics/execution/policy.js'
import { run, settings } from '../../../../src/semantics/execution/run.js'
import { defaults, detector } from '../../../../src/semantics/judging/detector/index.js'
import type { Judgement } from '../../../../src/semantics/judging/finding.js'
import { leftIn, showEnd } from '../../../../src/semantics/schedules/explore/index.js'
import { showEnds } from '../../../../src/semantics/schedules/explore/ends.js'
import { dice } from '../../../../src/semantics/schedules/naive/random.js'
import { right } from '../../../either.js'
import { nightly } from '../../../extent.js'
import { programOf, searched } from '../../schedules/explore/programs.js'

const drawn = (seed: number): string => {
  const die = dice(seed)
  const oneOf = <A>(all: ReadonlyArray<A>): A => all[die.below(all.length)]!
  const count = 1 + die.below(4)
  const looks = ['wait #0 1', 'wait #0 0', '', '']
  const first = [
    oneOf(['arr #0', 'arr #0', '', '', '']),
    oneOf(looks),
    'arr #1',
    oneOf(['', '', '', ...looks]),
  ]
  const others = Array.from({ length: 2 + die.below(2) }, () => {
    const times = 1 + die.below(2)
    return [
      oneOf(['wait #1 0', 'wait #1 0', 'wait #1 0', '']),
      ...Array.from({ length: times }, () => 'arr #0'),
      oneOf(['', '', '', 'wait #0 0']),
    ]
  })
  const said = [first, ...others].map(
    (words, k) => `t${String(k)}@0: ${words.filter((word) => word !== '').join('; ')}`,
  )
  return `e@0:${String(count)} g@0:1 | ${said.join(' | ')}`
}

const failsAlone = ({ findings, conditions: { C1, C2, C3, C4, C5, C6 } }: Judgement): boolean =>
  findings.length === 0 && !C3.holds && [C1, C2, C4, C5, C6].every(({ holds }) => holds)

test('law 1: what a search of all schedules finds where C3 alone fails, in quiet generations', () => {
  const tally = { quiet: 0, other: 0, wrong: 0 }
  for (let seed = 0; seed < (nightly ? 20_000 : 400); seed++) {
    const text = drawn(seed)
    const { world, machine } = right(launch(programOf(text), unit, noArguments))
    const judging = detector({ ...defaults, quiet: true })
    const ran = run(world, machine, settings(seed % 2 === 0 ? eager : seeded(seed)), judging)
    if (ran.outcome._tag !== 'completed' || !failsAlone(ran.result)) continue
    const all = searched({ world, machine })
    const its = [showEnd({ wave: 0, left: leftIn(world, ran.machine) })]
    const isAsSaid = all.complete && all.clean && showEnds(all.ends).join() === its.join()
    if (ran.result.quiet) {
      tally.quiet++
      expect(isAsSaid, text).toBe(true)
    } else {
      tally.other++
      if (!isAsSaid) tally.wrong++
    }
  }
  if (nightly || process.env['TALLY'] !== undefined) console.log(tally)
  expect(tally.quiet).toBeGreaterThan(30)
  expect(tally.wrong).toBeGreaterThan(1)
})

test('law 2: without being asked nothing is quiet', () => {
  const text = 'e@0:2 g@0:1 | t0@0: arr #1 | t1@0: wait #1 0; arr #0; arr #0 | t2@0: wait #1 0; arr #0'
  const { world, machine } = right(launch(programOf(text), unit, noArguments))
  const asked = (quiet: Partial<{ readonly quiet: true }>): boolean =>
    run(world, machine, settings(eager), detector({ ...defaults, ...quiet })).result.quiet
  expect([asked({ quiet: true }), asked({})]).toEqual([true, false])
})
