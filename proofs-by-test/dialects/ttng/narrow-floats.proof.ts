/**
 * Products with scales of every two of the types of kind mxf8f6f4. The oracle takes values from the bits of every code, puts elements where the manual's packing
 * has them, and adds in f64, which is exact here.
 */
import { describe, expect, test } from 'vitest'
import * as Ttng from '../../../src/dialects/ttng/index.js'
import { sampled } from '../../extent.js'
import { narrowFloats, scaledOf } from '../coverage/ttng/operations.js'
import { fails, type Example } from '../coverage/row.js'

/** As a row of the coverage; by what it is called does not matter. */
const comesOut = (example: Example<typeof Ttng>): string | null =>
  fails(
    {
      operation: '',
      names: [],
      page: '',
      example,
      kind: 'view',
      without: (surface) => surface,
    },
    Ttng,
    false,
  )

const pairs = narrowFloats.flatMap((a) => narrowFloats.map((b) => [a, b] as const))

describe('tc_gen5_mma_scaled', () => {
  test.each(sampled(5, pairs))('%s by %s', (a, b) => {
    expect(comesOut(scaledOf(`${a} by ${b}`, a, b))).toBe(null)
  })
})
