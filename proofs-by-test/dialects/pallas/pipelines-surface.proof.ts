/** Rows and refusals of pipelines and loops. */
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, test } from 'vitest'
import { codes } from '../../../src/dialects/pallas/codes.js'
import * as Pallas from '../../../src/dialects/pallas/index.js'
import { rows } from '../coverage/pallas/pipelines.js'
import { fails } from '../coverage/row.js'
import { refusals } from './refusals/pipelines.js'

describe('rows', () => {
  test.each(rows.map((row) => [row.operation, row] as const))('%s', (_, row) => {
    expect(fails(row, Pallas)).toBeNull()
  })
})

describe('refusals', () => {
  test.each(refusals.map((r) => [r.code, r.message, r] as const))(
    '%s: %s',
    (_, __, { code, message, use }) => {
      const found = use()
      expect(E.isLeft(found) ? found.left : null).toEqual({ code, message })
    },
  )
  test('every code of the room has a message', () => {
    const own = Object.keys(codes).filter((c) =>
      /^pallas\.(find_swizzle|planar_snake|nd_loop|dynamic_scheduling_loop|emit_pipeline)/.test(c),
    )
    expect(new Set(refusals.map((r) => r.code))).toEqual(new Set(own))
  })
})
