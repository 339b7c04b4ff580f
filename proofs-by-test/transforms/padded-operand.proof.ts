/**
 * Padded operands: where an element lies is counted by hand, in rows of 128 bytes whose chunks of 16 bytes are exchanged, and compared with the ref; what
 * does not lie so is null.
 */
import { expect, test } from 'vitest'
import { nvmma } from '../dialects/coverage/ttng/operations.js'
import { toRef } from '../../src/layouts/triton/to-ref.js'
import { mmaOperand } from '../../src/transforms/mma-operand.js'
import { layoutAddresses } from '../../src/semantics/machine/addresses.js'
import { paddedBytes, paddedOf } from '../../src/transforms/padded-operand.js'
import * as Ref from '../../src/transforms/ref.js'
import { right } from '../either.js'

const inByte = { 4: 2, 6: 4 } as const

/** Rows by k elements in spans of 128 bytes, each 8 by n tiles behind each other; in halves or quarters of bytes. */
const padded = (rows: number, k: number, bits: 4 | 6 = 4): Ref.TransformedRef =>
  Ref.ofChains(
    [
      [
        { size: rows / 8, stride: 1024 * inByte[bits] },
        { size: 8, stride: 128 * inByte[bits] },
      ],
      [
        { size: k / 128, stride: rows * 128 * inByte[bits] },
        { size: 8, stride: 16 * inByte[bits] },
        { size: 16, stride: bits === 4 ? 1 : 3 },
      ],
    ],
    bits,
    0,
    128,
  )

test.each([
  [64, 128, 4],
  [128, 256, 4],
  [64, 128, 6],
  [128, 256, 6],
] as const)('law 1: %i rows of %i elements of %i bits', (rows, k, bits) => {
  const ref = padded(rows, k, bits)
  const bytes = paddedBytes(1, ref)!
  const addresses = layoutAddresses(ref, 0)
  expect(right(mmaOperand('a')(bytes))).toMatchObject({ swizzle: 128, major: 'k', mn: rows, k })
  for (let i = 0; i < rows; i += 3)
    for (let j = 0; j < k; j++) {
      const chunk = (Math.floor(j / 16) % 8) ^ (i % 8)
      const byte = Math.floor(j / 128) * rows * 128 + i * 128 + chunk * 16
      expect(Ref.addressOf(bytes, 0, [i, j - (j % 16)])).toBe(byte)
      expect(Ref.addressOf(ref, 0, [i, j])).toBe(byte + Math.floor(((j % 16) * bits) / 8))
      expect(addresses[i * k + j]! * (8 / inByte[bits])).toBe(8 * byte + (j % 16) * bits)
    }
  expect(layoutAddresses(paddedOf(bits)(1, bytes)!, 0)).toEqual(layoutAddresses(ref, 0))
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
  // three elements of four bytes: no gap
  expect(paddedBytes(1, right(Ref.ofTransforms([64, 256], 6, [])))).toBeNull()
})

test('law 3: 16 bytes of K that do not lie together have no padded elements', () => {
  const rows = right(Ref.ofTransforms([64, 128], 8, []))
  expect(paddedOf(6)(1, rows)).not.toBeNull()
  expect(paddedOf(6)(0, rows)).toBeNull()
  expect(paddedOf(4)(1, right(Ref.ofTransforms([64, 24], 8, [])))).toBeNull()
  expect(paddedOf(4)(1, right(Ref.ofStrides([64, 32], 8, [40, 1])))).toBeNull()
  expect(paddedOf(6)(1, right(Ref.ofStrides([64, 32], 16, [32, 1])))).toBeNull()
})

test('elements of 6 bits without gaps lie behind one another: four of them have three bytes', () => {
  const ref = right(Ref.ofTransforms([4, 8], 6, []))
  expect(Ref.isRowMajor(ref)).toBe(true)
  expect(Ref.extentBytes(ref)).toBe(24)
  expect(Array.from(layoutAddresses(ref, 5))).toEqual(Array.from({ length: 32 }, (_, i) => 20 + 3 * i))
  expect(right(Ref.sliceOffsetBytes(ref, [2, 4]))).toBe(15)
  expect(Ref.spans(right(Ref.sliceShape([2, 4])(ref)), 7)).toEqual([
    [7, 3],
    [13, 3],
  ])
})
