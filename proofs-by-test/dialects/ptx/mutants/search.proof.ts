/**
 * Ends of smaller launches. Oracle: the search that follows every schedule.
 *
 * | what                                                        | by day                         | by night                |
 * |-------------------------------------------------------------|--------------------------------|-------------------------|
 * | law 2: where one run stands for all, its end is every end   | some mutants of four kernels   | all of eleven kernels   |
 * | law 1, and an arrival more or less: by one run, by search   | a ring of mbarriers            | the same                |
 */
import * as E from 'fp-ts/lib/Either.js'
import { expect, test } from 'vitest'
import { elaborate } from '../../../../src/dialects/ptx/elaboration/elaborate.js'
import { ptxMutants } from '../../../../src/dialects/ptx/mutants/judge.js'
import { compared, endOfRun, endsOf, smallLaunches } from '../../../../src/dialects/ptx/mutants/search.js'
import * as fast from '../../../../src/fast/index.js'
import type { End } from '../../../../src/semantics/schedules/explore/index.js'
import { right } from '../../../either.js'
import { nightly } from '../../../extent.js'
import { groundOf } from './subjects.js'

const algebra = fast.bits('hopper')
const shown = (ends: ReadonlyArray<End>): ReadonlyArray<string> => [
  ...new Set(
    ends.map(({ wave, left }) =>
      [String(wave), ...left.map(({ text }) => text.replaceAll(/ \(init [^)]*\)/gu, '')).sort()].join('  '),
    ),
  ),
]

const kernels = nightly
  ? [
      'block_reduce',
      'carried_peeks',
      'cluster_copy',
      'cluster_pingpong',
      'cluster_ring',
      'cpasync_double',
      'cpasync_mbarrier',
      'cpasync_stages',
      'named_barriers',
      'own_cpasync',
      'tma_reduce',
    ]
  : ['block_reduce', 'cpasync_mbarrier', 'cpasync_stages', 'named_barriers']
const every = nightly ? 1 : 41
const everywhere = (): boolean => true

test('law 2: a search finds the end of the one run, and no other', { timeout: 14_400_000 }, () => {
  let both = 0
  for (const kernel of kernels) {
    const ground = groundOf(kernel)
    const [small] = smallLaunches(ground.program, ground.given, algebra, ground.integers, 1, everywhere)
    for (const [k, m] of right(ptxMutants(ground)).entries()) {
      if (small === undefined || k % every !== 0) continue
      const made = elaborate(m.module(), ground.entry, ground.name)
      if (E.isLeft(made)) continue
      const one = endOfRun(made.right.program, small.given, algebra)
      if (one === null) continue
      const all = endsOf(made.right.program, small.given, algebra, 20_000)
      if (all === null) continue
      both++
      expect(shown(all), `${kernel}: ${m.key}`).toEqual(shown([one]))
    }
  }
  if (nightly || process.env['TALLY'] !== undefined) console.log({ both })
  expect(both).toBeGreaterThan(nightly ? 60 : 1)
})

test('law 1, and what is different, by one run and by search', { timeout: 120_000 }, () => {
  const ground = groundOf('cpasync_mbarrier')
  const small = smallLaunches(ground.program, ground.given, algebra, ground.integers, 4000, everywhere)
  const bySearch = small.map((launch) => ({ ...launch, end: null }))
  const mutants = right(ptxMutants(ground))
  expect(small.some(({ end }) => end !== null)).toBe(true)
  const asked = [
    null,
    ...mutants.filter(({ change }) => change.operator === 'COUNT').slice(0, nightly ? 40 : 1),
  ]
  for (const m of asked) {
    const made = elaborate(m === null ? ground.module : m.module(), ground.entry, ground.name)
    if (E.isLeft(made)) continue
    const label = m?.change.site.label ?? mutants[0]!.change.site.label
    const answers = [small, bySearch].map((launches) =>
      compared(launches, made.right.program, label, new Set()),
    )
    expect(answers[0], m?.key ?? 'the text itself').toBe(answers[1])
    if (m === null) expect(answers).toEqual(['equal', 'equal'])
  }
})
