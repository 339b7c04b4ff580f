/** Columns of pixels, beside an enumeration of the pixels of the window that knows nothing of carries. What the chip makes of copies is held in `dialects/ptx/columns.proof.ts`. */
import { describe, expect, it } from 'vitest'
import * as fc from 'fast-check'
import * as Im2col from '../../../src/layouts/shared-memory/im2col.js'
import { code } from '../../either.js'

const columns = (more: Partial<Im2col.Columns> = {}): Im2col.Columns => ({
  bits: 16,
  pixels: 4,
  channels: 8,
  lower: [-1],
  upper: [0],
  elementStrides: [1, 1, 1],
  swizzle: 16,
  ...more,
})
/** The first channel of each pixel, divided by the channels: the pixel of the tensor, image by image. */
const pixelsOf = (
  c: Im2col.Columns,
  dims: ReadonlyArray<number>,
  at: ReadonlyArray<number>,
  offsets: ReadonlyArray<number>,
) => {
  const strides = dims.map((_, d) => dims.slice(d + 1).reduce((n, x) => n * x, 1))
  const found = Im2col.columnOffsets(c, dims, strides, at, offsets)
  return Array.from({ length: c.pixels }, (_, k) => {
    const first = found[k * c.channels]!
    return first < 0 ? -1 : first / dims.at(-1)!
  })
}

it('the header, by hand', () => {
  expect(pixelsOf(columns(), [2, 4, 8], [0, 2, 0], [0])).toEqual([2, 3, -1, 4])
  expect(pixelsOf(columns(), [2, 4, 8], [0, 2, 0], [1])).toEqual([3, -1, 4, 5])
})

it('law 3: a window of the whole tensor has its pixels in their order', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 2, maxLength: 4 }),
      fc.nat({ max: 40 }),
      (images, first) => {
        const dims = [...images, 8]
        const all = images.reduce((n, x) => n * x, 1)
        const start = first % all
        const at = images.map(
          (n, d) => Math.floor(start / images.slice(d + 1).reduce((m, x) => m * x, 1)) % n,
        )
        const c = columns({
          pixels: 50,
          lower: images.slice(1).map(() => 0),
          upper: images.slice(1).map(() => 0),
          elementStrides: dims.map(() => 1),
        })
        expect(pixelsOf(c, dims, [...at, 0], [])).toEqual(
          Array.from({ length: 50 }, (_, k) => (start + k < all ? start + k : -1)),
        )
      },
    ),
  )
})

describe('what is refused, and where', () => {
  it.each([
    ['columns.rank', columns(), [4, 8]],
    ['columns.channels', columns({ channels: 4 }), [2, 4, 8]],
    ['columns.channels', columns({ channels: 40, swizzle: 64 }), [2, 4, 64]],
    ['columns.pixels', columns({ pixels: 1025 }), [2, 4, 8]],
    ['columns.element-stride', columns({ elementStrides: [1, 9, 1] }), [2, 4, 8]],
    ['columns.corner', columns({ lower: [-32769] }), [2, 4, 8]],
    ['columns.window', columns({ lower: [0], upper: [-4] }), [2, 4, 8]],
  ] as const)('%s', (id, c, dims) => {
    expect(code(Im2col.checkColumns(c, dims))).toBe(id)
  })
  it.each([
    ['columns.start', 'load', [0, 4, 0], [0]],
    ['columns.start', 'load', [0, -2, 0], [0]],
    ['columns.channel', 'load', [0, 0, 4], [0]],
    ['columns.offset', 'load', [0, 0, 0], [65536]],
    ['columns.store', 'store', [0, 0, 0], []],
  ] as const)('%s of a %s', (id, direction, at, offsets) => {
    expect(code(Im2col.checkStart(columns(), [2, 4, 8], direction, at, offsets))).toBe(id)
  })
})
