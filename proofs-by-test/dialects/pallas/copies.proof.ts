/** Copies and accesses: every row holds, every refusal says what it must. */
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, test } from 'vitest'
import * as Pallas from '../../../src/dialects/pallas/index.js'
import { rows } from '../coverage/pallas/copies.js'
import { elaboratesTo, fails } from '../coverage/row.js'
import { refusals } from './refusals/copies.js'

describe('rows', () => {
  test.each(rows.map((row) => [row.operation, row] as const))('%s', (_, row) => {
    expect([fails(row, Pallas), elaboratesTo(row, Pallas)]).toEqual([null, expect.anything()])
  })
})

describe('refusals', () => {
  test.each(refusals.map((r, k) => [`${r.code}: ${r.message}`, r, k] as const))(
    '%s',
    (_, { code, message, use }) => {
      const found = use()
      expect(E.isLeft(found) ? found.left : 'accepted').toEqual({ code, message })
    },
  )
})
