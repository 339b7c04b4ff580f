/** The suite `swizzle` against two lines of its own rules: tiles row-major, then bits 7.. added to bits 4... */
import * as E from 'fp-ts/lib/Either.js'
import { expect, test } from 'vitest'
import { swizzleSuite } from '../../../src/oracle/vectors/swizzle.js'

interface Question {
  readonly dtype: string
  readonly shape: readonly [number, number]
  readonly tile: readonly [number, number] | null
  readonly swizzle: number
  readonly base: number
}
const bits: Readonly<Record<string, number>> = {
  f32: 32,
  tf32: 32,
  f16: 16,
  bf16: 16,
  e4m3: 8,
  i8: 8,
  e2m1: 4,
}

const address = ({ dtype, shape, tile, swizzle, base }: Question, i: number, j: number): number => {
  const [h, w] = tile ?? shape
  const inTiles = (Math.floor(i / h) * (shape[1] / w) + Math.floor(j / w)) * h * w + (i % h) * w + (j % w)
  const b = base + Math.floor((inTiles * bits[dtype]!) / 8)
  return b ^ (((b >> 7) % (swizzle / 16)) << 4)
}

test('every case that is not refused', () => {
  let seen = 0
  for (const one of swizzleSuite.cases()) {
    const asked = swizzleSuite.ask(one.question)
    if (E.isLeft(asked)) continue
    const q = one.question as unknown as Question
    const { addresses } = asked.right as { addresses: { bits: number[] } }
    const expected = Array.from({ length: q.shape[0] * q.shape[1] }, (_, k) =>
      address(q, Math.floor(k / q.shape[1]), k % q.shape[1]),
    )
    expect(addresses.bits, one.name).toEqual(expected)
    seen++
  }
  expect(seen).toBeGreaterThan(50)
})

test('elements of 4 bits: two in a byte, the first in the low bits', () => {
  const asked = swizzleSuite.ask({ dtype: 'e2m1', shape: [1, 4], tile: null, swizzle: 16, base: 0 })
  expect(asked).toMatchObject({ left: { code: 'swizzle.minor-dimension' } })
  const whole = swizzleSuite.ask({ dtype: 'e2m1', shape: [1, 32], tile: null, swizzle: 16, base: 0 })
  expect(whole).toMatchObject({
    right: { addresses: { bits: Array.from({ length: 32 }, (_, k) => k >> 1) }, bitOffsets: { dtype: 'u8' } },
  })
})
