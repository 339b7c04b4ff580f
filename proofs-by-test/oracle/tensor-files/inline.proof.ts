/** Tensors inside JSON: both forms read to the same tensor, what is written reads back, and what does not fit is refused. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { inlineOfTensor, isInline, tensorOfInline } from '../../../src/oracle/tensor-files/inline.js'
import { patternBits, tensor, tensorDtypes } from '../../../src/oracle/tensor-files/tensor.js'
import { code, right } from '../../either.js'
import { nightly } from '../../extent.js'

const tensors = fc
  .tuple(fc.constantFrom(...tensorDtypes), fc.array(fc.nat({ max: 4 }), { maxLength: 3 }))
  .chain(([dtype, shape]) => {
    const count = shape.reduce((n, d) => n * d, 1)
    const pattern = fc.bigInt({ min: 0n, max: 2n ** BigInt(patternBits(dtype)) - 1n })
    return fc
      .array(pattern, { minLength: count, maxLength: count })
      .map((bits) => right(tensor(dtype, shape, bits)))
  })

describe('inline tensors', () => {
  test('law 1: what is written reads back, also through JSON', () => {
    fc.assert(
      fc.property(tensors, (t) => {
        const json: unknown = JSON.parse(JSON.stringify(inlineOfTensor(t)))
        expect(isInline(json)).toBe(true)
        expect(right(tensorOfInline(json))).toEqual(t)
      }),
      { numRuns: nightly ? 100 : 20 },
    )
  })
  test('patterns as integers are the same tensor', () => {
    fc.assert(
      fc.property(tensors, ({ dtype, shape, bits }) => {
        fc.pre(patternBits(dtype) <= 32)
        expect(right(tensorOfInline({ dtype, shape, bits: Array.from<unknown>(bits).map(Number) }))).toEqual({
          dtype,
          shape,
          bits,
        })
      }),
      { numRuns: nightly ? 100 : 20 },
    )
  })
  test('by hand: 1.0 and 2.0 in bf16', () => {
    const two = { dtype: 'bf16', shape: [2] }
    const found = right(tensorOfInline({ ...two, bits: [0x3f80, 0x4000] }))
    expect(inlineOfTensor(found)).toEqual({ ...two, base64: 'gD8AQA==' })
  })
  test.each([
    [{ dtype: 'f16', shape: [2], bits: [1] }, 'tensor-shape'],
    [{ dtype: 'f16', shape: [2], bits: [1, 65536] }, 'tensor-bits'],
    [{ dtype: 'f16', shape: [2], bits: [1, 0.5] }, 'tensor-bits'],
    [{ dtype: 'f16', shape: [2], bits: [1, '1'] }, 'tensor-bits'],
    [{ dtype: 'f16', shape: [2], bits: [1, null] }, 'tensor-bits'],
    [{ dtype: 'u64', shape: [1], bits: [2 ** 53] }, 'tensor-bits'],
    [{ dtype: 'e2m1', shape: [1], base64: 'EA==' }, 'tensor-bits'],
    [{ dtype: 'f16', shape: [2], base64: 'AAAA' }, 'tensor-shape'],
    [{ dtype: 'f16', shape: [2], base64: 'AAAA*A==' }, 'tensor-shape'],
    [{ dtype: 'f16', shape: [1e15, 1e15], base64: '' }, 'tensor-shape'],
    [{ dtype: 'f16', shape: [2 ** 40], bits: [] }, 'tensor-shape'],
    [{ dtype: 'f16', shape: [2], bits: [1, 2], base64: 'AAAAAA==' }, 'tensor-form'],
    [{ dtype: 'f16', shape: [2] }, 'tensor-form'],
    [{ dtype: 'f16', shape: [2], bits: 'x' }, 'tensor-form'],
    [{ dtype: 'f16', shape: [-2], bits: [] }, 'tensor-form'],
    [{ dtype: 'f17', shape: [2], bits: [1, 2] }, 'tensor-form'],
    [{ dtype: 'f16', shape: [2], bits: [1, 2], more: 1 }, 'tensor-form'],
    [null, 'tensor-form'],
  ])('%j is refused: %s', (json, expected) => {
    expect(code(tensorOfInline(json))).toBe(expected)
  })
})
