/** Every operation of the seed's page: its row. Oracle: products by plain loops, rows picked from a list. */
import { describe, expect, test } from 'vitest'
import * as Ttng from '../../../src/dialects/ttng/index.js'
import { fails } from '../coverage/row.js'
import { rows } from '../coverage/ttng/operations.js'

describe('rows', () => {
  test('the 28 operations, each once', () => {
    expect(new Set(rows.map(({ operation }) => operation)).size).toBe(28)
    expect(rows).toHaveLength(28)
  })
  test.each(rows.map((row) => [row.operation, row] as const))('%s', (_, row) => {
    expect(fails(row, Ttng)).toBeNull()
  })
})
