/** Box images: every captured TMA copy and status, and the rules one by one. */
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, test } from 'vitest'
import {
  boxBytes,
  boxImage,
  boxShape,
  checkBox,
  checkCopy,
  elementSteps,
  isInside,
  nanFill,
  tensorIndex,
  tensorOffsets,
  type Box,
  type CopyDirection,
} from '../../../src/layouts/shared-memory/box-image.js'
import { addressOf, ofTransforms, sameRef } from '../../../src/transforms/ref.js'
import { swizzle } from '../../../src/transforms/transform.js'
import { indices, range, tma, type TmaEntry } from './captured.js'
import { code, right } from '../../either.js'

interface Entry extends TmaEntry {
  readonly box_bytes: number
  readonly expect_tx?: number
}
const captured = tma()
const entries = captured.entries as readonly Entry[]
const { bin } = captured
const ok = entries.filter((e) => e.status === 'ok')
const back = (xs: readonly number[]): readonly number[] => [...xs].reverse()

const boxOf = (e: Entry): Box => ({
  bits: 8 * e.element_bytes,
  extents: back(e.box),
  elementStrides: back(e.element_strides),
  swizzle: ([16, 32, 64, 128] as const)[e.swizzle]!,
})
const directionOf = (e: Entry): CopyDirection => (e.kind === 1 || e.kind === 4 ? 'store' : 'load')

const globalValue = (e: Entry, i: number): number =>
  e.element_bytes === 1
    ? (i * 167 + (i >> 8) * 59 + 13) & 255
    : e.element_bytes === 2
      ? (i + 1) & 0xffff
      : i + 1
const write = (image: Buffer, at: number, value: number, bytes: number): void => {
  for (let k = 0; k < bytes; k++) image[at + k] = Math.floor(value / 256 ** k) % 256
}

const expected = (e: Entry): Buffer => {
  const box = boxOf(e)
  const bytes = e.element_bytes
  const image = right(boxImage(box))
  const dims = back(e.dims)
  const under = tensorIndex(box, dims, back(e.coords))
  const linear = (at: readonly number[]): number => at.reduce((sum, c, d) => sum * dims[d]! + c, 0)
  const shared = (index: readonly number[]): number => addressOf(image, 65536 + e.smem_offset, index) - 65536
  const all = indices(boxShape(box))
  if (directionOf(e) === 'load') {
    const out = Buffer.alloc(e.kind === 3 ? e.bin_bytes / 2 : e.bin_bytes, 0xee)
    for (const index of all) {
      const at = under(index)
      const outside = e.oob_nan === 0 ? 0 : nanFill(bytes === 4 ? 32 : 16)
      write(out, shared(index), at === null ? outside : globalValue(e, linear(at)), bytes)
    }
    return e.kind === 3 ? Buffer.concat([out, out]) : out
  }
  const count = dims.reduce((n, d) => n * d, 1)
  const out = Buffer.alloc(count * bytes, 0xee)
  if (e.kind === 4) for (let i = 0; i < count; i++) write(out, 4 * i, globalValue(e, i), 4)
  for (const index of all) {
    const at = under(index)
    if (at === null) continue
    const from = shared(index)
    if (e.kind === 4) write(out, 4 * linear(at), globalValue(e, linear(at)) + 1000000 * (from / 4 + 1), 4)
    else
      for (const a of range(bytes).map((b) => from + b))
        out[linear(at) * bytes + a - from] = (a * 73 + (a >> 8) * 31 + 7) & 255
  }
  return out
}

test(`law 1 on silicon: ${String(ok.length)} images, byte for byte`, () => {
  expect(ok.length).toBe(98)
  const different = ok.filter(
    (e) => !expected(e).equals(bin.subarray(e.bin_offset, e.bin_offset + e.bin_bytes)),
  )
  expect(different.map((e) => `${String(e.id)} ${e.name}`)).toEqual([])
})

test('law 2 on silicon: the transaction count', () => {
  const counted = ok.filter((e) => e.expect_tx !== undefined)
  expect(counted.length).toBeGreaterThan(50)
  for (const e of counted)
    expect(boxBytes(boxOf(e)), e.name).toBe(e.kind === 2 ? e.expect_tx! - 4096 : e.expect_tx)
})

test(`law 3 on silicon: the status of all ${String(entries.length)} copies`, () => {
  const statusOf = (e: Entry): string => {
    const box = boxOf(e)
    if (E.isLeft(checkBox(box))) return 'encode refused'
    switch (code(checkCopy(box, directionOf(e), back(e.coords), 65536 + e.smem_offset))) {
      case null:
        return 'ok'
      case 'box.shared-address':
        return 'fault: misaligned address'
      case 'box.inner-coordinate':
      case 'box.negative-coordinate':
        return 'fault: an illegal instruction was encountered'
      default:
        return 'no such status'
    }
  }
  expect(entries.length).toBe(143)
  expect(entries.filter((e) => statusOf(e) !== e.status).map((e) => `${String(e.id)} ${e.name}`)).toEqual([])
  expect(new Set(entries.map(({ status }) => status)).size).toBe(4)
})

describe('law 4: offsets of the tensor elements', () => {
  const box: Box = { bits: 16, extents: [3, 5, 8], elementStrides: [2, 3, 4], swizzle: 16 }
  const dims = [6, 7, 20]
  const strides = [1000, 40, 1]

  test('listed, in bounds and out of bounds at every side', () => {
    expect(elementSteps(box)).toEqual([2, 3, 1])
    expect(boxShape(box)).toEqual([2, 2, 8])
    expect(boxBytes(box)).toBe(64)
    for (const at of [
      [0, 0, 0],
      [3, 3, 12],
      [4, 3, 12],
      [3, 4, 12],
      [3, 3, 13],
      [-1, 0, 0],
      [0, -3, 0],
      [0, 0, -8],
      [5, 6, 16],
      [-9, 99, 0],
    ]) {
      const under = tensorIndex(box, dims, at)
      const listed = indices([2, 2, 8]).map((index) => {
        const element = under(index)
        return element === null ? -1 : element.reduce((sum, c, d) => sum + c * strides[d]!, 0)
      })
      expect([...tensorOffsets(box, dims, strides, at)]).toEqual(listed)
      expect(isInside(box, dims, at)).toBe(!listed.includes(-1))
    }
    expect(isInside(box, dims, [3, 3, 12])).toBe(true)
    expect(isInside(box, dims, [4, 3, 12])).toBe(false)
  })

  test('which element of the tensor', () => {
    expect(tensorIndex(box, dims, [1, 2, 3])([1, 1, 7])).toEqual([3, 5, 10])
    expect(tensorIndex(box, dims, [4, 2, 3])([1, 1, 7])).toBeNull()
    expect(tensorIndex(box, dims, [3, 4, 3])([1, 1, 7])).toBeNull()
    expect(tensorIndex(box, dims, [3, -1, 3])([1, 0, 7])).toBeNull()
  })
})

describe('the image', () => {
  test('the header: box (3, 32) of f16 under swizzle 128', () => {
    const box: Box = { bits: 16, extents: [3, 32], elementStrides: [1, 1], swizzle: 128 }
    expect(boxBytes(box)).toBe(192)
    const image = right(boxImage(box))
    const at = (index: readonly number[]) => addressOf(image, 1024, index) - 1024
    expect([at([0, 0]), at([1, 0]), at([2, 0]), at([1, 8])]).toEqual([0, 128 + 16, 256 + 32, 128])
  })

  test('outer dimensions are flattened in box order, thinned out', () => {
    const box: Box = { bits: 8, extents: [4, 3, 2, 16], elementStrides: [3, 1, 2, 8], swizzle: 16 }
    const image = right(boxImage(box))
    expect(image.shape).toEqual([2, 3, 1, 16])
    expect(addressOf(image, 0, [1, 2, 0, 5])).toBe(16 * (1 * 3 + 2) + 5)
  })

  test('law 5: a box as wide as the span is a transformed ref', () => {
    for (const span of [32, 64, 128] as const)
      for (const bits of [8, 16, 32]) {
        const extents = [6, (8 * span) / bits]
        const image = right(boxImage({ bits, extents, elementStrides: [1, 1], swizzle: span }))
        expect(sameRef(image, right(ofTransforms(extents, bits, [right(swizzle(span))])))).toBe(true)
      }
  })
})

describe('law 3: the rules', () => {
  const box: Box = { bits: 16, extents: [8, 64], elementStrides: [1, 1], swizzle: 128 }
  const of = (change: Partial<Box>) => code(checkBox({ ...box, ...change }))
  const ranked = (n: number) => of({ extents: range(n).map(() => 8), elementStrides: range(n).map(() => 1) })

  test('of maps', () => {
    expect(of({})).toBeNull()
    expect(range(7).map(ranked)).toEqual(['box.rank', null, null, null, null, null, 'box.rank'])
    expect(of({ elementStrides: [1] })).toBe('box.rank')
    expect([0, 1, 256, 257, 1.5].map((n) => of({ extents: [n, 64] }))).toEqual([
      'box.extent',
      null,
      null,
      'box.extent',
      'box.extent',
    ])
    expect(of({ extents: [8, 257], swizzle: 16 })).toBe('box.extent')
    expect([0, 1, 8, 9].map((n) => of({ elementStrides: [n, 1] }))).toEqual([
      'box.element-stride',
      null,
      null,
      'box.element-stride',
    ])
    expect(of({ elementStrides: [1, 9] })).toBe('box.element-stride')
    expect([4, 8, 12, 56, 64, 72].map((n) => of({ extents: [8, n] }))).toEqual([
      'box.inner-bytes',
      null,
      'box.inner-bytes',
      null,
      null,
      'box.swizzle',
    ])
    expect(of({ extents: [8, 72], swizzle: 16 })).toBeNull()
    expect(of({ extents: [8, 24], swizzle: 32 })).toBe('box.swizzle')
  })

  test('of copies', () => {
    const at = (direction: CopyDirection, coordinates: readonly number[], address: number) =>
      code(checkCopy(box, direction, coordinates, address))
    expect(at('load', [-3, -8], 128)).toBeNull()
    expect(at('store', [0, 8], 0)).toBeNull()
    expect(at('load', [0], 128)).toBe('box.rank')
    expect(at('load', [0, 0, 0], 128)).toBe('box.rank')
    expect(at('load', [0, 4], 128)).toBe('box.inner-coordinate')
    expect(at('store', [0, 4], 128)).toBe('box.inner-coordinate')
    expect(at('store', [-1, 0], 128)).toBe('box.negative-coordinate')
    expect(at('store', [0, -8], 128)).toBe('box.negative-coordinate')
    expect(at('load', [0, 0], 64)).toBe('box.shared-address')
    expect(E.isRight(checkCopy(box, 'load', [0, 0], 256)) && right(checkCopy(box, 'load', [0, 0], 256))).toBe(
      256,
    )
  })
  test('the fill', () => {
    expect([nanFill(16), nanFill(32)]).toEqual([0x7ff7, 0x7ff77ff7])
  })
})
