import { describe, expect, test } from 'vitest'
import * as Ref from '../../src/transforms/ref.js'
import type { TransformedRef } from '../../src/transforms/ref.js'
import { mmaOperand } from '../../src/transforms/mma-operand.js'
import { physicalShape } from '../../src/transforms/transform.js'
import * as T from '../../src/transforms/transform.js'
import type { DescriptorMap } from './captured.js'
import { descriptorMaps, indices } from './captured.js'
import { code, right } from '../either.js'

const spans = [32, 64, 128] as const
const widths = [8, 16, 32] as const

const operandRef = (shape: readonly number[], bits: number, span: number): TransformedRef =>
  right(Ref.ofTransforms(shape, bits, [right(T.tile([8, (8 * span) / bits])), right(T.swizzle(span))]))

/** The descriptor's swizzle, as CuTe's bit field exchange. */
const x = (span: number, a: number): number => {
  const field = Math.floor(a / 128) % (span / 16)
  const chunk = Math.floor(a / 16) % 8
  return a - chunk * 16 + (chunk ^ field) * 16
}

describe.each(spans.flatMap((s) => widths.map((b) => [s, b] as const)))(
  'swizzle %i, %i-bit elements',
  (span, bits) => {
    const minor = (8 * span) / bits
    const bytes = bits / 8

    test('law 1, identity 4: K-major image = descriptor with SBO = 8 S * K tiles, 64 rows x 2 tiles', () => {
      const ref = operandRef([64, 2 * minor], bits, span)
      const operand = right(mmaOperand('a')(ref))
      expect(operand).toEqual({
        swizzle: span,
        major: 'k',
        mn: 64,
        k: 2 * minor,
        mnTileStrideBytes: 16 * span,
        kTileStrideBytes: 8 * span,
      })
      const addresses = Ref.swizzledAddresses(ref, 8192)
      const sbo = 8 * span * 2
      const wrong = indices([64, 2 * minor]).filter(([r, k]) => {
        const kByte = k! * bytes
        // The next tile along K starts 8 S further on; inside a tile, steps of 32 bytes just move the start.
        const start = 8192 + Math.floor(kByte / span) * 8 * span + Math.floor((kByte % span) / 32) * 32
        const expected = x(span, start + Math.floor(r! / 8) * sbo + (r! % 8) * span + (kByte % 32))
        return addresses[r! * 2 * minor + k!] !== expected
      })
      expect(wrong).toEqual([])
    })

    test('law 1, identity 5: the transposed 16-bit operand = MN-major descriptor with LBO = 8 S, SBO = 8 S * MN tiles', () => {
      if (bits !== 16) return
      // A buffer of (k, mn), two tiles along mn, 32 of k, seen as (mn, k).
      const buffer = operandRef([32, 2 * minor], bits, span)
      const seen = right(Ref.transpose([1, 0])(buffer))
      const operand = right(mmaOperand('a')(seen))
      expect(operand).toEqual({
        swizzle: span,
        major: 'mn',
        mn: 2 * minor,
        k: 32,
        mnTileStrideBytes: 8 * span,
        kTileStrideBytes: 16 * span,
      })
      expect(Ref.tiledShape(seen)).toEqual([2, 4, minor, 8])
      expect(seen.strides).toEqual([1, 0, 3, 2].map((k) => buffer.strides[k]))
      const addresses = Ref.swizzledAddresses(seen, 8192)
      const v = span / 2
      const [lbo, sbo] = [8 * span, 16 * span]
      const wrong = indices([2 * minor, 32]).filter(
        ([mn, k]) =>
          addresses[mn! * 32 + k!] !==
          x(
            span,
            8192 + Math.floor(mn! / v) * lbo + Math.floor(k! / 8) * sbo + (k! % 8) * 2 * v + (mn! % v) * 2,
          ),
      )
      expect(wrong).toEqual([])
    })

    test('identity 3: nvmma_shared core tile on one panel is the tiled and swizzled ref; beyond it panels differ', () => {
      const rows = 64
      const panel = (r: number, c: number): number => {
        const inner = c % minor
        const chunk = Math.floor((inner * bytes) / 16)
        const phase = Math.floor(r / (128 / span)) % (span / 16)
        return (
          Math.floor(c / minor) * rows * span + r * span + ((chunk ^ phase) * 16 + ((inner * bytes) % 16))
        )
      }
      const same = (panels: number): boolean => {
        const ref = operandRef([rows, panels * minor], bits, span)
        const addresses = Ref.swizzledAddresses(ref, 0)
        return indices([rows, panels * minor]).every(([r, c], at) => addresses[at] === panel(r!, c!))
      }
      expect(same(1)).toBe(true)
      expect(same(2)).toBe(false)
    })

    test('identity 15: a tile-aligned slice of an operand is an operand', () => {
      const ref = operandRef([64, 4 * minor], bits, span)
      const part = right(Ref.slice([16, minor], [32, 2 * minor])(ref))
      expect(right(mmaOperand('a')(part))).toEqual({
        swizzle: span,
        major: 'k',
        mn: 32,
        k: 2 * minor,
        mnTileStrideBytes: 32 * span,
        kTileStrideBytes: 8 * span,
      })
    })

    test('which dimension is K: operand a is (M, K), operand b is (K, N)', () => {
      const ref = operandRef([64, minor], bits, span)
      expect(right(mmaOperand('b')(ref))).toEqual({
        swizzle: span,
        major: 'mn',
        mn: minor,
        k: 64,
        mnTileStrideBytes: 0,
        kTileStrideBytes: 8 * span,
      })
      expect(right(mmaOperand('b')(right(Ref.transpose([1, 0])(ref)))).major).toBe('k')
      expect(right(mmaOperand('a')(right(Ref.transpose([1, 0])(ref)))).major).toBe('mn')
    })
  },
)

test('unsupported transforms', () => {
  const of = (shape: readonly number[], bits: number, ...ts: readonly T.Transform[]): string | null =>
    code(mmaOperand('a')(right(Ref.ofTransforms(shape, bits, ts))))
  const no = 'mma.unsupported-transforms'
  const [t, s] = [
    (...levels: readonly (readonly number[])[]) => right(T.tile(...levels)),
    (n: number) => right(T.swizzle(n)),
  ]
  expect(of([64, 64], 16, t([8, 64]), s(128))).toBeNull()
  expect(of([64, 64], 16)).toBe(no)
  expect(of([64, 64], 16, s(128))).toBe(no)
  expect(of([64, 64], 16, t([8, 64]))).toBe(no)
  expect(of([64, 8], 16, t([8, 8]), s(16))).toBe(no)
  expect(of([64, 64], 16, t([16, 64]), s(128))).toBe(no)
  expect(of([64, 64], 16, t([4, 64]), s(128))).toBe(no)
  expect(of([64, 64], 16, t([64]), s(128))).toBe(no)
  expect(of([2, 64, 64], 16, t([8, 64]), s(128))).toBe(no)
  expect(of([64, 64], 16, t([8, 64], [8, 64]), s(128))).toBe(no)
  expect(code(mmaOperand('a')(right(Ref.ofStrides([64, 64], 16, [64, 1], 128))))).toBe(no)
  const deep = right(Ref.ofTransforms([64, 64], 16, [t([8, 64], [1, 1])]))
  expect(code(mmaOperand('a')({ ...deep, swizzle: 128 }))).toBe(no)
  expect(of([64, 64], 16, right(T.transpose([1, 0])), t([8, 64]), s(128))).toBeNull()
  expect(of([64, 64], 16, t([8, 64]), right(T.transpose([1, 0, 2, 3])), s(128))).toBeNull()
  expect(of([64, 64], 16, t([64, 8]), right(T.transpose([0, 1, 3, 2])), s(128))).toBeNull()
  expect(code(mmaOperand('a')({ ...operandRef([64, 64], 16, 128), swizzle: 64 }))).toBe(no)
  expect(code(mmaOperand('a')({ ...operandRef([64, 64], 16, 128), strides: [512, 0, 128, 1] }))).toBe(no)
  expect(code(mmaOperand('a')({ ...operandRef([64, 64], 16, 128), strides: [512, 0, 64, 2] }))).toBe(no)
  expect(physicalShape(16, [t([8, 64])])([64, 64])).toMatchObject({ right: [8, 1, 8, 64] })

  // Transposed: the first dimension contiguous, tiles of (64, 8), rows of 64 elements.
  const turned = right(Ref.transpose([1, 0])(operandRef([64, 128], 16, 128)))
  expect(turned).toMatchObject({ tiling: [[64, 8]], strides: [512, 1024, 1, 64] })
  expect(code(mmaOperand('a')(turned))).toBeNull()
  expect(code(mmaOperand('a')({ ...turned, strides: [512, 1024, 2, 64] }))).toBe(no)
  expect(code(mmaOperand('a')({ ...turned, strides: [512, 1024, 1, 128] }))).toBe(no)
  expect(code(mmaOperand('a')({ ...turned, strides: [512, 1024, 2, 128] }))).toBe(no)
  // Rows as far apart as the swizzle is long, but filled only by half; three dimensions that end like an operand.
  const half = { ...operandRef([64, 64], 16, 128), shape: [64, 32], tiling: [[8, 32]] }
  expect(code(mmaOperand('a')(half))).toBe(no)
  const three = { ...operandRef([64, 64], 16, 128), shape: [64, 64, 2], strides: [512, 0, 64, 1, 0] }
  expect(code(mmaOperand('a')(three))).toBe(no)
})

test('the refusal says what was found', () => {
  const found = (ref: TransformedRef): string => {
    const operand = mmaOperand('b')(ref)
    return operand._tag === 'Left' ? operand.left.message : ''
  }
  expect(found(right(Ref.ofTransforms([64, 64], 16, [])))).toContain(
    'operand b: expected a rank 2 ref with tiling (8, 8S/16) and swizzle S of 32, 64 or 128, or its transpose, found shape (64, 64) with no tiling and no swizzle',
  )
  expect(found({ ...operandRef([64, 64], 16, 128), swizzle: 64 })).toContain(
    'found shape (64, 64) with tiling (8, 64) and swizzle 64',
  )
})

test('one tile along a dimension: nothing to step over', () => {
  expect(right(mmaOperand('a')(operandRef([8, 64], 16, 128)))).toMatchObject({
    mnTileStrideBytes: 0,
    kTileStrideBytes: 0,
  })
})

describe('captured descriptor maps', () => {
  const { entries, bin } = descriptorMaps()
  const spanOf = (m: DescriptorMap): 16 | 32 | 64 | 128 => ([16, 128, 64, 32] as const)[m.swizzle_mode]!

  test('law 1: the K-major maps with dense tiles are operands as made by transforms', () => {
    const dense = entries.filter(
      (m) =>
        m.mn_major === 0 &&
        m.swizzle_mode > 0 &&
        m.base_offset === 0 &&
        m.sbo === 8 * spanOf(m) &&
        m.start < spanOf(m),
    )
    expect(dense.length).toBeGreaterThanOrEqual(15)
    for (const m of dense) {
      const span = spanOf(m)
      const addresses = Ref.swizzledAddresses(
        operandRef([m.rows, span / m.element_bytes], 8 * m.element_bytes, span),
        0,
      )
      for (const [r, k] of indices([m.rows, m.k]))
        expect(
          addresses[r! * (span / m.element_bytes) + k! + m.start / m.element_bytes]! / m.element_bytes,
        ).toBe(bin.readUInt16LE(m.bin_offset + 2 * (r! * m.k + k!)))
    }
  })
})
