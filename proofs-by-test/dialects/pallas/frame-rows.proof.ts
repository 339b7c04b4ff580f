/** The rows of the frame: each example comes out as it says, and differently if its operation does nothing. */
import { describe, expect, test } from 'vitest'
import * as Pallas from '../../../src/dialects/pallas/index.js'
import { fails } from '../coverage/row.js'
import { rows } from '../coverage/pallas/frame.js'

describe('rows of the frame', () => {
  test.each(rows.map((row) => [row.operation, row] as const))('%s', (_, row) => {
    expect(fails(row, Pallas)).toBeNull()
  })
})
