/**
 * Padded operands: where an element lies is counted by hand, in rows of 128 bytes whose chunks of 16 bytes are exchanged, and compared with the ref; what
 * does not lie so is null.
 */
import { expect, test } from 'vitest'
import { nvmma } from '../dialects/coverage/ttng/operations.js'
import { toRef } from '../../src/layouts/triton/to-ref.js'
import { mmaOperand } from '../../src/transforms/mma-operand.js'
import { paddedBytes } from '../../src/transforms/padded-operand.js'
import * as Ref from '../../src/transforms/ref.js'
import { right } from '../either.js'

/** Rows by k elements in spans of 128 bytes, each 8 by n tiles behind each other; in half bytes. */
const padded = (rows: number, k: number): Ref.TransformedRef =>
  Ref.ofChains(
    [
      [
        { size: rows / 8, stride: 2048 },
        { size: 8, stride: 256 },
      ],
      [
        { size: k / 128, stride: rows * 256 },
        { size: 8, stride: 32 },
        { size: 16, stride: 1 },
      ],
    ],
    4,
    0,
    128,
  )

test.each([
  [64, 128],
  [128, 256],
])('law 1: %i rows of %i elements', (rows, k) => {
  const bytes = paddedBytes(1, padded(rows, k))!
  expect(right(mmaOperand('a')(bytes))).toMatchObject({ swizzle: 128, major: 'k', mn: rows, k })
  for (let i = 0; i < rows; i += 3)
    for (let j = 0; j < k; j++) {
      const chunk = (Math.floor(j / 16) % 8) ^ (i % 8)
      const byte = Math.floor(j / 128) * rows * 128 + i * 128 + chunk * 16
      expect(Ref.addressOf(bytes, 0, [i, j - (j % 16)])).toBe(byte)
      expect(Ref.addressOf(padded(rows, k), 0, [i, j])).toBe(byte + Math.floor((j % 16) / 2))
    }
})

test('the memdesc of Triton that is padded lies so, by halves', () => {
  const ref = right(toRef({ ...nvmma(128, 8), fp4Padded: true }, [64, 64], 8))
  const bytes = Array.from({ length: 64 }, (_, j) => Ref.addressOf(ref, 0, [1, j]))
  // byte j of row 1: eight, then a gap of eight, chunk c at c xor 1
  expect(bytes).toEqual(Array.from({ length: 64 }, (_, j) => 128 + (Math.floor(j / 8) ^ 1) * 16 + (j % 8)))
})

test('law 2: elements without gaps, in gaps of another width, and of other bits are none', () => {
  const plain = right(Ref.ofTransforms([64, 256], 4, []))
  expect(paddedBytes(1, plain)).toBeNull()
  expect(paddedBytes(0, padded(64, 128))).toBeNull()
  expect(paddedBytes(1, { ...padded(64, 128), bits: 8 })).toBeNull()
  const narrow = Ref.ofChains(
    [
      [{ size: 8, stride: 256 }],
      [
        { size: 8, stride: 24 },
        { size: 16, stride: 1 },
      ],
    ],
    4,
    0,
    128,
  )
  expect(paddedBytes(1, narrow)).toBeNull()
})
