/** The order of findings for a reader who looks at a few: by hand. */
import { expect, test } from 'vitest'
import { foremost, type Finding, type HazardId } from '../../../src/semantics/judging/finding.js'

const finding = (id: HazardId, text: string): Finding => ({
  id,
  severity: 'E',
  text,
  a: { index: 0, agent: 'w@0', site: 'here', path: [], iteration: [], at: 1, does: 'reads' },
})
/** `R1.2` is the second finding of R1. */
const ordered = (...texts: ReadonlyArray<string>): string =>
  foremost(texts.map((text) => finding(text.split('.')[0] as HazardId, text)))
    .map((f) => f.text)
    .join(' ')

test.each([
  ['nothing', [], ''],
  [
    'the first of each id, then the others, both in their order',
    ['R1.1', 'R1.2', 'W1.1', 'R1.3', 'W1.2', 'D1.1'],
    'R1.1 W1.1 D1.1 R1.2 R1.3 W1.2',
  ],
  ['one id', ['R1.1', 'R1.2', 'R1.3'], 'R1.1 R1.2 R1.3'],
  ['each another', ['W1.1', 'R1.1', 'D1.1'], 'W1.1 R1.1 D1.1'],
] as const)('%s', (_, given, expected) => {
  expect(ordered(...given)).toBe(expected)
})
test('none is lost or told twice, be they equal', () => {
  const [x, y] = [finding('R1', 'a'), finding('R1', 'a')]
  expect(foremost([x, y])).toEqual([x, y])
  expect(foremost([x, y])[1]).toBe(y)
})
