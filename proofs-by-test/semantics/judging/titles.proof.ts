/** What a finding is called: a register that a product does not see, whatever else the finding is about. */
import { expect, test } from 'vitest'
import { hazards } from '../../../src/semantics/judging/hazards.js'
import { ofBarrier, type Subject } from '../../../src/semantics/judging/subject.js'
import { productFenceTitle, titleOf } from '../../../src/semantics/judging/titles.js'

const planes = [
  { space: 'smem', name: 'x', bytes: 16, initialised: true },
  { space: 'regs', name: 'r', bytes: 16, initialised: true },
] as const
const plane = (k: number): Subject => ({ _tag: 'plane', plane: k }) as Subject

test.each([
  ['a register', [plane(1)], true],
  ['a register beside memory', [plane(0), plane(1)], true],
  ['a register beside a barrier', [plane(1), ofBarrier(0)], true],
  ['memory', [plane(0)], false],
  ['a barrier', [ofBarrier(1)], false],
  ['nothing', [], false],
] as const)('%s', (_, about, isProduct) => {
  expect(titleOf({ planes }, { id: 'P1', about })).toBe(isProduct ? productFenceTitle : hazards.P1.title)
  expect(titleOf({ planes }, { id: 'D1', about })).toBe(hazards.D1.title)
})
