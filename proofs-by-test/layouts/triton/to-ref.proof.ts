/** Encodings of buffers as refs; the oracle is the linear layout, which is the compiler's. */
import * as E from 'fp-ts/lib/Either.js'
import { expect, test } from 'vitest'
import { apply, basesOf } from '../../../src/layouts/linear/linear-layout.js'
import type { EncodingSpec } from '../../../src/layouts/triton/encoding.js'
import { isTensorMemory, toRef, type BufferSpec } from '../../../src/layouts/triton/to-ref.js'
import { onShape } from '../../../src/layouts/triton/to-linear.js'
import * as Ref from '../../../src/transforms/ref.js'
import type { Shape } from '../../../src/transforms/shape.js'
import { swizzle, tile } from '../../../src/transforms/transform.js'
import { computed, indices, linearOf, nvmma, specOf, tmem } from './readers.js'
import { code, right } from '../../either.js'
import { nightly, sampled } from '../../extent.js'

const isBuffer = (spec: EncodingSpec): spec is BufferSpec =>
  spec._tag === 'swizzled_shared' ||
  spec._tag === 'nvmma_shared' ||
  spec._tag === 'shared_linear' ||
  spec._tag === 'tensor_memory' ||
  spec._tag === 'tensor_memory_scales'

const laneBytes = 2048

/** Does the linear layout have every element of the first block's share where the ref says? */
const agrees = (spec: BufferSpec, shape: Shape, bits: number, ref: Ref.TransformedRef): boolean => {
  const layout = linearOf(spec, shape)
  // both maps are linear: of large buffers the powers of two tell
  const asked =
    ref.shape.reduce((n, extent) => n * extent, 1) <= 2048
      ? indices(ref.shape)
      : ref.shape.flatMap((extent, d) =>
          Array.from({ length: Math.log2(extent) }, (_, bit) =>
            ref.shape.map((_, e) => (d === e ? 2 ** bit : 0)),
          ),
        )
  return asked.every((index) => {
    const address = Ref.addressOf(ref, 0, index)
    const input = isTensorMemory(spec)
      ? { row: Math.floor(address / laneBytes), col: ((address % laneBytes) * 8) / bits }
      : { offset: (address * 8) / bits }
    return JSON.stringify(apply(layout)({ ...input, block: 0 })) === JSON.stringify(index)
  })
}

const swizzled = (vec: number, perPhase: number, maxPhase: number): BufferSpec => ({
  _tag: 'swizzled_shared',
  vec,
  perPhase,
  maxPhase,
  order: [1, 0],
})

test('law 1: every captured encoding that has a ref lies where the compiler says', () => {
  let made = 0
  for (const { encoding, shape } of sampled(4, computed().conversion)) {
    const spec = specOf(encoding)
    if (!isBuffer(spec)) continue
    const bits = spec._tag === 'nvmma_shared' ? spec.elementBitWidth : isTensorMemory(spec) ? 32 : 16
    // what is wider than a lane of tensor memory is no buffer
    if (isTensorMemory(spec) && (2 ** basesOf(linearOf(spec, shape), 'col').length * bits) / 8 > laneBytes)
      continue
    const ref = toRef(spec, shape, bits, shape.length)
    if (E.isLeft(ref)) {
      expect(ref.left.code, JSON.stringify({ encoding, shape })).toBe('triton.not-a-ref')
      continue
    }
    made++
    expect(agrees(spec, shape, bits, ref.right), JSON.stringify({ encoding, shape })).toBe(true)
  }
  expect(made).toBeGreaterThan(nightly ? 60 : 12)
})

test.each([
  ['two panels', nvmma(128, 16), [64, 128], 16],
  ['transposed', nvmma(64, 16, true), [64, 64], 16],
  ['rows beyond a box', nvmma(32, 32), [512, 16], 32],
  ['no swizzle', nvmma(0, 16), [64, 64], 16],
  ['rows of tensor memory in 16 lanes of every quarter', tmem(64, 32), [64, 32], 32],
  ['packed', tmem(128, 64), [128, 64], 16],
  ['spread out', tmem(128, 64, { colStride: 2 }), [128, 64], 16],
  ['two blocks of rows', tmem(128, 32), [256, 32], 32],
  ['scales', { _tag: 'tensor_memory_scales' } as const, [128, 8], 8],
  ['a swizzle of 128 bytes by another name', swizzled(8, 1, 8), [64, 64], 16],
  ['a swizzle of 64 bytes by another name', swizzled(8, 2, 4), [64, 32], 16],
] as const)('laws 1, 2: %s, alone and in three buffers', (_, spec, shape, bits) => {
  const one = right(toRef(spec, shape, bits))
  expect(agrees(spec, shape, bits, one)).toBe(true)
  const three = right(toRef(spec, [3, ...shape], bits))
  expect(three.shape).toEqual([3, ...shape])
  const layout = right(onShape(spec)(shape))
  const bytes = isTensorMemory(spec)
    ? 4 * Math.ceil((2 ** basesOf(layout, 'col').length * bits) / 32)
    : (2 ** basesOf(layout, 'offset').length * bits) / 8
  expect(Ref.slotStrideBytes(three)).toBe(bytes)
  expect(Ref.sameRef(right(Ref.slotShape(three)), one)).toBe(true)
})

test('by hand: two panels of 64 columns, swizzled', () => {
  const ref = right(toRef(nvmma(128, 16), [64, 128], 16))
  // row 3 of the second panel: 8192 + 3 * 128 bytes, its fourth unit of 16 bytes xor 3
  expect(Ref.addressOf(ref, 0, [3, 64 + 3 * 8])).toBe(8192 + 384)
  expect(ref.swizzle).toBe(128)
})

test.each([32, 64, 128] as const)(
  'law 3: one panel of a swizzle of %i bytes is that of the transforms',
  (width) => {
    const columns = width / 2
    for (const rows of [8, 64]) {
      const transforms = [right(tile([8, columns])), right(swizzle(width))]
      const wanted = right(Ref.ofTransforms([rows, columns], 16, transforms))
      expect(Ref.sameRef(right(toRef(nvmma(width, 16), [rows, columns], 16)), wanted)).toBe(true)
    }
  },
)

test('law 4: refused, with no swizzle or with too many', () => {
  // 4 elements of 16 bits stay together: units of 8 bytes
  expect(code(toRef(swizzled(4, 1, 8), [64, 32], 16))).toBe('triton.not-a-ref')
  expect(code(toRef(swizzled(8, 2, 8), [64, 64], 16))).toBe('triton.not-a-ref')
  expect(code(toRef(nvmma(128, 16), [64, 32], 16))).toBe('triton.too-small')
  expect(code(toRef(nvmma(128, 16), [3, 48, 64], 16))).toBe('triton.shape')
})
