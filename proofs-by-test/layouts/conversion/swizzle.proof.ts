import { describe, expect, test } from 'vitest'
import { elementSwizzle, linearOfSwizzle } from '../../../src/layouts/conversion/swizzle.js'
import * as Sw from '../../../src/layouts/cute/swizzle.js'
import { apply, outputShape } from '../../../src/layouts/linear/linear-layout.js'
import { swizzleAddress, swizzles } from '../../../src/transforms/swizzle.js'
import { range } from '../captured.js'
import { code, right } from '../../either.js'

describe('swizzles as linear layouts', () => {
  test('Law 1: all small swizzles, downwards and upwards; how far they reach', () => {
    for (const b of range(3))
      for (const m of range(3))
        for (const s of [b, b + 1, -b - 1]) {
          const swizzle = right(Sw.swizzle(b, m, s))
          const linear = right(linearOfSwizzle(swizzle, 16))
          const f = apply(linear)
          expect(range(16).map((offset) => f({ offset })[0])).toEqual(range(16).map(Sw.apply(swizzle)))
          expect(outputShape(linear)).toEqual([s < 0 ? Math.max(16, 2 ** (m + b - s)) : 16])
        }
  })

  test.each(swizzles)('Law 2: the swizzle of %i bytes, on elements of 4, 8, 16, 32 and 128 bits', (span) => {
    for (const bits of [4, 8, 16, 32, 128]) {
      const f = apply(right(linearOfSwizzle(right(elementSwizzle(span, bits)), 4096)))
      const wrong = range(4096).filter((offset) => {
        const byte = Math.floor((offset * bits) / 8)
        return f({ offset })[0]! * bits !== 8 * swizzleAddress(span)(byte) + ((offset * bits) % 8)
      })
      expect(wrong).toEqual([])
    }
  })

  test('refusal: elements of a width that is no power of two', () => {
    expect(code(elementSwizzle(128, 12))).toBe('cute.swizzle')
  })
})
