/** tcgen05 and the transfers of tensor memory: rows, refusals, laws. */
import { describe, expect, test } from 'vitest'
import * as Pallas from '../../../src/dialects/pallas/index.js'
import { rows } from '../coverage/pallas/tcgen05.js'
import { fails } from '../coverage/row.js'

describe('rows', () => {
  test.each(rows.map((row) => [row.operation, row] as const))('%s', (_, row) => {
    expect(fails(row, Pallas)).toBeNull()
  })
})
