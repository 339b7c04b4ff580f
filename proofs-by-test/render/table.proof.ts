import { expect, it } from 'vitest'
import { plain } from '../../src/render/palette.js'
import { fields, table } from '../../src/render/table.js'

it('law 1: as many lines as rows, whatever a cell holds', () => {
  expect(
    table([
      ['name', 'what'],
      ['a\nverdict  ok', 'x'],
    ]),
  ).toBe('name            what\na\\nverdict  ok  x')
})
it('labelled rows are as wide as the palette says', () => {
  const words = Array.from({ length: 40 }, () => 'word').join(' ')
  for (const columns of [40, 110])
    for (const line of fields({ ...plain, columns }, 10, [['label', words]]).split('\n'))
      expect(line.length).toBeLessThanOrEqual(columns)
})
