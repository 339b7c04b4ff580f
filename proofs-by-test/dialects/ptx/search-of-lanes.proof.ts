/**
 * A search of schedules follows warps: a candidate that is one between lanes alone is not refuted by it. Oracle: two kernels of which by hand one is right, where arrivals
 * at a barrier that nobody waits for may change places, so that one run does not decide.
 */
import { describe, expect, it, test } from 'vitest'
import { elaborate } from '../../../src/dialects/ptx/elaboration/elaborate.js'
import { parseModule } from '../../../src/dialects/ptx/index.js'
import { bits } from '../../../src/numerics/bits.js'
import { warpSource } from '../../../src/semantics/execution/launch-warps.js'
import { checkSource, standardOptions, type CheckOptions } from '../../../src/semantics/verdict/check.js'
import { right } from '../../either.js'
import { sampled } from '../../extent.js'
import { fileText, kernelNames } from './cuda.js'
import { argumentsOf } from './runs.js'
import { groundOfText } from './mutants/subjects.js'
import { arrival, told, wait } from './mutants/warps.js'

const mixed = (label: string): ReadonlyArray<string> => [
  `@%p1 bra ${label};`,
  'mbarrier.arrive.shared::cta.b64 _, [%r10];',
  `${label}:`,
]

const verdictOn = (meet: ReadonlyArray<string>, how: Partial<CheckOptions> = {}) => {
  const { program, given } = groundOfText(
    told(
      [...meet, ...arrival],
      [...mixed('mixed'), ...wait],
      [...mixed('mixing'), 'st.shared.u32 [%r4], 7;'],
    ),
    64,
  )
  const options = Object.assign({}, standardOptions, { algebra: bits('hopper') }, how)
  return right(checkSource(warpSource(program, given), options)).verdict
}

test('all lanes have met before lane 0 arrives: the search decides', () => {
  expect(verdictOn(['bar.warp.sync -1;'])).toMatchObject({ verdict: 'ok', decidedBy: 'exploration' })
})

test('they have not: the search refutes nothing, and the finding stays', () => {
  const verdict = verdictOn([])
  expect(verdict).toMatchObject({ verdict: 'undecided', search: { complete: true } })
  expect(verdict.findings.map(({ id }) => id)).toContain('D1')
})

test('where a warp is one thread there is nothing to find', () => {
  expect(verdictOn([], { lanes: 'off' })).toMatchObject({ verdict: 'ok', findings: [] })
})

describe('a right kernel is right as one of warps as well', () => {
  it.each(sampled(6, kernelNames))('%s', { timeout: 120_000 }, (kernel) => {
    const module = right(parseModule(fileText(`${kernel}/${kernel}.ptx`)))
    const { program, parameters } = right(elaborate(module, null, `${kernel}.ptx`))
    const options = Object.assign({}, standardOptions, {
      algebra: bits('hopper'),
      lanes: 'off',
      explore: false,
    })
    const { verdict } = right(checkSource(warpSource(program, argumentsOf(kernel, parameters)), options))
    expect(verdict.findings).toEqual([])
    for (const [name, { holds }] of Object.entries(verdict.conditions ?? {}))
      expect([name, name === 'C1' || holds]).toEqual([name, true])
  })
})
