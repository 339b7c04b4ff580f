/** Copies and accesses: every row holds, every refusal says what it must. */
import { describe, expect, test } from 'vitest'
import * as Pallas from '../../../src/dialects/pallas/index.js'
import { rows } from '../coverage/pallas/copies.js'
import { elaboratesTo, fails } from '../coverage/row.js'

describe('rows', () => {
  test.each(rows.map((row) => [row.operation, row] as const))('%s', (_, row) => {
    expect([fails(row, Pallas), elaboratesTo(row, Pallas)]).toEqual([null, expect.anything()])
  })
})
