import { describe, expect, it } from 'vitest'
import { instanceOf, kernels } from '../../../../src/kernels/catalogue/index.js'
import { check, standardOptions } from '../../../../src/semantics/verdict/check.js'
import { mutantsOf } from '../../../../src/semantics/mutation/index.js'
import type { Program } from '../../../../src/semantics/language/program.js'
import type { Verdict } from '../../../../src/semantics/judging/verdict.js'
import { nightly } from '../../../extent.js'
import { right } from '../../../either.js'

const verdict = (program: Program): Verdict =>
  right(
    check(program, {
      ...standardOptions,
      provenance: false,
      explore: false,
      fuel: 1_000_000,
    }),
  ).verdict

const arrives: ReadonlySet<string> = new Set([
  'mbarrier.arrive',
  'mbarrier.arriveExpectTx',
  'mbarrier.cpAsyncArrive',
  'tcgen05.commit',
])

describe('a kernel of the catalogue without one of its arrives', () => {
  it('is stuck, and that is said without a search of the schedules', () => {
    let stuck = 0
    for (const kernel of kernels.filter((_, i) => nightly || i % 6 === 0)) {
      const { program } = right(instanceOf(kernel, {}, []))
      for (const m of mutantsOf(program, ['DROP']).filter((x) => arrives.has(x.instruction))) {
        const { verdict: name, search } = verdict(m.program)
        if (name !== 'deadlock') continue
        stuck++
        expect(search, `${kernel.name}: ${m.site}`).toBe(null)
      }
    }
    expect(stuck).toBeGreaterThan(3)
  })
})
