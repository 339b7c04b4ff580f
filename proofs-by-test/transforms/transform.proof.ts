import { expect, test } from 'vitest'
import * as T from '../../src/transforms/transform.js'
import { code, right } from '../either.js'

const physical = (
  bits: number,
  shape: readonly number[],
  ...transforms: readonly T.Transform[]
): readonly number[] => right(T.physicalShape(bits, transforms)(shape))
const refused = (
  bits: number,
  shape: readonly number[],
  ...transforms: readonly T.Transform[]
): string | null => code(T.physicalShape(bits, transforms)(shape))

const tile = (...levels: readonly (readonly number[])[]): T.Transform => right(T.tile(...levels))
const swizzle = (bytes: number): T.Transform => right(T.swizzle(bytes))
const transpose = (...p: readonly number[]): T.Transform => right(T.transpose(p))

test('law 1: physical shapes, by hand', () => {
  expect(physical(16, [128, 128], tile([8, 64]), swizzle(128))).toEqual([16, 2, 8, 64])
  expect(physical(32, [4, 64, 64], tile([8, 32]), swizzle(128))).toEqual([4, 8, 2, 8, 32])
  expect(physical(8, [2, 3, 5], transpose(2, 0, 1))).toEqual([5, 2, 3])
  expect(physical(16, [64, 128], transpose(1, 0), tile([8, 64]), swizzle(128))).toEqual([16, 1, 8, 64])
  expect(physical(16, [64, 64], tile([64, 8], [8, 8]))).toEqual([1, 8, 8, 1, 8, 8])
  expect(physical(16, [7, 9])).toEqual([7, 9])
})

test('law 2: applied left to right', () => {
  const [first, second] = [tile([8, 16]), transpose(1, 0, 3, 2)]
  expect(physical(16, [16, 64], first, second, tile([4]))).toEqual(
    physical(16, physical(16, [16, 64], first, second), tile([4])),
  )
  expect(physical(16, [16, 64], first, second)).toEqual([4, 2, 16, 8])
})

test('law 3: a swizzle wants exactly 8 S / bits elements: all S, bits and minor extents up to 140', () => {
  for (const [s, bits] of [16, 32, 64, 128].flatMap((s) =>
    [4, 8, 16, 32, 64].map((bits) => [s, bits] as const),
  )) {
    const legal = Array.from({ length: 300 }, (_, k) => k + 1).filter(
      (minor) => refused(bits, [8, minor], swizzle(s)) === null,
    )
    expect(legal).toEqual([(s * 8) / bits])
    expect(physical(bits, [8, (s * 8) / bits], swizzle(s))).toEqual([8, (s * 8) / bits])
  }
  expect(refused(24, [8, 5], swizzle(16))).toBe('swizzle.element-bits')
  expect(T.physicalShape(16, [swizzle(128)])([8, 32])).toMatchObject({
    left: {
      message:
        'Swizzle 128 requires the trailing dimension to be of size 64 (16-bit elements), but got (8, 32)',
    },
  })
})

test('refusals by code', () => {
  expect(refused(16, [128, 48], tile([8, 64]))).toBe('tile.not-divisible')
  expect(refused(16, [64], tile([8, 64]))).toBe('tile.rank')
  expect(refused(16, [64, 8], transpose(0))).toBe('transpose.rank')
  expect(refused(16, [64, 64], swizzle(128), tile([8, 64]))).toBe('transform.after-swizzle')
  expect(refused(16, [64, 64], swizzle(128), transpose(1, 0))).toBe('transform.after-swizzle')
  expect(refused(16, [64, 64], swizzle(128), swizzle(128))).toBe('transform.after-swizzle')
  expect(code(T.tile())).toBe('tile.empty')
  expect(code(T.swizzle(48))).toBe('swizzle.span')
  expect(code(T.transpose([1, 1]))).toBe('transpose.not-a-permutation')
})

test('older names denote the same', () => {
  expect(T.TileTransform([8, 64])).toEqual(T.tile([8, 64]))
  expect(T.TilingTransform([8, 64])).toEqual(T.tile([8, 64]))
  expect(T.SwizzleTransform(64)).toEqual(T.swizzle(64))
  expect(T.TransposeTransform([1, 0])).toEqual(T.transpose([1, 0]))
  expect([tile([8, 64], [8]), swizzle(32), transpose(1, 0)].map(T.showTransform)).toEqual([
    'Tile(8, 64)(8,)',
    'Swizzle(32)',
    'Transpose(1, 0)',
  ])
})
