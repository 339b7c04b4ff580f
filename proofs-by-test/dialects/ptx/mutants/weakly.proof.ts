/** Writes that are weak, by hand: what is read at one line, and what strong writes touch of it, byte by byte. */
import { expect, test } from 'vitest'
import { findsWeakWrites } from '../../../../src/dialects/ptx/mutants/weakly.js'
import { conclusion, observeAll } from '../../../../src/semantics/log/events.js'
import { read } from '../../../semantics/model/litmus.js'

const found = (label: string, ...lines: ReadonlyArray<string>): boolean => {
  const { header, log } = read(lines)
  const fold = findsWeakWrites(label)
  return conclusion(fold, observeAll(fold, fold.init(header), log), true)
}

// x is the 16 bytes before y; a strong access is of the first 4 bytes of its place
test.each([
  ['nothing is written strongly', ['T0: write x', 'T1: read x'], true],
  ['what is read is written strongly', ['T0: store x', 'T1: read x'], false],
  ['what lies behind it is written strongly', ['T0: store y', 'T1: read x'], true],
  ['what lies before it is written strongly', ['T0: store x', 'T1: read y', 'T1: read x'], false],
  ['another place of the same number is', ['T0: store s', 'T1: read x'], true],
  ['another line reads', ['T0: write x', 'T1: read y'], false],
  ['a strong read is no write', ['T0: load x', 'T1: read x'], true],
] as const)('%s', (_, lines, isWeak) => {
  expect(found('T1: read x', ...lines)).toBe(isWeak)
})
