/** When a program is better than before, by hand: it is ok, or what was wrong is gone and nothing else has come. */
import { describe, expect, test } from 'vitest'
import type { Finding } from '../../../src/semantics/judging/finding.js'
import { isBetter } from '../../../src/semantics/mending/mend.js'
import type { Checked } from '../../../src/semantics/verdict/check.js'

const finding = (id: Finding['id'], a: string, b?: string, agent = 'one@0'): Finding => {
  const operation = (site: string): Finding['a'] => ({
    index: 0,
    agent,
    site,
    path: [],
    iteration: [],
    at: 1,
    does: 'reads',
  })
  const said = { id, severity: 'E', text: '', a: operation(a) } as const
  return b === undefined ? said : { ...said, b: operation(b) }
}
const checked = (
  verdict: string,
  findings: ReadonlyArray<Finding> = [],
  notes: ReadonlyArray<Finding> = [],
): Checked => ({ verdict: { verdict, findings, notes } }) as unknown as Checked

const [race, other] = [finding('D1', 'write', 'read'), finding('W1', 'load', 'use')]
const before = checked('hazard', [race, other])

describe('a program is better', () => {
  test.each<readonly [string, Checked, boolean]>([
    ['that is ok', checked('ok'), true],
    ['that is ok, with a note', checked('ok', [], [finding('D2', 'x')]), true],
    ['that has the other finding alone', checked('hazard', [other]), true],
    ['that has it as a note', checked('hazard', [], [other]), true],
    ['that has the finding still', checked('hazard', [race]), false],
    ['that has it as a note', checked('hazard', [], [race]), false],
    ['that has another one', checked('hazard', [other, finding('D2', 'write', 'read')]), false],
    ['that has it between others', checked('hazard', [finding('D1', 'write', 'use')]), false],
    ['that has it of another first one', checked('hazard', [finding('D1', 'load', 'read')]), false],
    ['that has it of one', checked('hazard', [finding('D1', 'write')]), false],
    ['that has it by another agent', checked('hazard', [finding('D1', 'write', 'read', 'two@0')]), false],
    ['of which less is known', checked('undecided', [other]), false],
    ['that comes to no end', checked('out-of-fuel', [other]), false],
    ['that cannot be run', checked('invalid', [other]), false],
    ['that is stuck', checked('deadlock', [other]), true],
    ['that computes something else', checked('wrong-result', []), true],
  ])('%s', (_, after, expected) => {
    expect(isBetter(before, race, after)).toBe(expected)
  })
  test('where no more was known before, no more is asked', () => {
    for (const verdict of ['undecided', 'out-of-fuel', 'invalid'])
      expect(isBetter(checked(verdict, [race]), race, checked(verdict))).toBe(true)
    expect(isBetter(checked('undecided', [race]), race, checked('out-of-fuel'))).toBe(false)
  })
})
