/** Buffers in shared memory, against the chunk form of the swizzle, tilings, and tables by hand. */
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, test } from 'vitest'
import {
  apply,
  inputSize,
  isInjective,
  isSurjective,
  positionTable,
} from '../../../src/layouts/linear/linear-layout.js'
import type { LinearLayout } from '../../../src/layouts/linear/linear-layout.js'
import type { EncodingSpec, SharedSpec, SwizzledShared } from '../../../src/layouts/triton/encoding.js'
import { alignmentBytes, copyBox, defaultSwizzle, swizzlePhases } from '../../../src/layouts/triton/shared.js'
import { onShape } from '../../../src/layouts/triton/to-linear.js'
import { ofTransforms, swizzledAddresses } from '../../../src/transforms/ref.js'
import type { Shape } from '../../../src/transforms/shape.js'
import { swizzle, tile } from '../../../src/transforms/transform.js'
import { basesIn, computed, linearOf, nvmma, range, specOf } from './readers.js'
import { code, right } from '../../either.js'

const widths = [32, 64, 128]
const bitWidths = [8, 16, 32, 64]

const swizzled = (
  vec: number,
  perPhase: number,
  maxPhase: number,
  order: readonly number[],
): SwizzledShared => ({
  _tag: 'swizzled_shared',
  vec,
  perPhase,
  maxPhase,
  order,
})

/** Row-major position of the element at every offset. */
const positions = (layout: LinearLayout): readonly number[] => [...positionTable(layout, ['offset'])]

/** Byte address of every element, row-major; of elements that lie at several offsets, the last. */
const addresses = (layout: LinearLayout, bits: number): readonly number[] => {
  const at: number[] = []
  positions(layout).forEach((position, offset) => {
    at[position] = (offset * bits) / 8
  })
  return at
}

test('law 1: a block holds every element of its share once; padded ones twice', () => {
  for (const { encoding, shape } of computed().conversion) {
    const spec = specOf(encoding)
    if (spec._tag !== 'swizzled_shared' && spec._tag !== 'nvmma_shared') continue
    const layout = linearOf(spec, shape)
    expect(isSurjective(layout)).toBe(true)
    const offsets = { ...layout, inputs: layout.inputs.filter(({ name }) => name === 'offset') }
    expect(isInjective(offsets)).toBe(spec._tag !== 'nvmma_shared' || !spec.fp4Padded)
  }
})

describe('law 2', () => {
  test.each(widths.flatMap((w) => bitWidths.map((b) => [w, b] as const)))(
    'chunk c of row r lies at c xor ((r div (128/W)) mod (W/16)): W = %i, %i bits',
    (w, bits) => {
      const columns = (8 * w) / bits
      const found = positions(linearOf(nvmma(w, bits), [64, columns]))
      const inChunk = 128 / bits
      const expected = range(64 * columns).map((offset) => {
        const row = Math.floor(offset / columns)
        const chunk = Math.floor((offset % columns) / inChunk) ^ (Math.floor(row / (128 / w)) % (w / 16))
        return row * columns + chunk * inChunk + (offset % inChunk)
      })
      expect(found).toEqual(expected)
    },
  )

  test('the terms of the rows', () => {
    const terms = widths.flatMap((w) =>
      [8, 16, 32].map((bits) => {
        const columns = (8 * w) / bits
        return basesIn(nvmma(w, bits), [8, columns])
          ['offset']!.slice(-3)
          .map((basis) => basis.join())
      }),
    )
    expect(terms).toEqual([
      ['1,0', '2,0', '4,16'],
      ['1,0', '2,0', '4,8'],
      ['1,0', '2,0', '4,4'],
      ['1,0', '2,16', '4,32'],
      ['1,0', '2,8', '4,16'],
      ['1,0', '2,4', '4,8'],
      ['1,16', '2,32', '4,64'],
      ['1,8', '2,16', '4,32'],
      ['1,4', '2,8', '4,16'],
    ])
  })

  test('phases: elements of 16 bytes, 128 / W rows, W / 16 phases; alignment is the period', () => {
    const phases = (w: number, b: number): readonly number[] =>
      Object.values(swizzlePhases({ swizzlingByteWidth: w, elementBitWidth: b }))
    expect(phases(128, 16)).toEqual([8, 1, 8])
    expect(phases(64, 8)).toEqual([16, 2, 4])
    expect(phases(32, 32)).toEqual([4, 4, 2])
    expect(phases(0, 64)).toEqual([2, 1, 1])
    expect([128, 64, 32, 0].map((w) => alignmentBytes(nvmma(w, 16)))).toEqual([1024, 512, 256, 128])
    const aligned: readonly SharedSpec[] = [
      { _tag: 'shared_linear', offsetBases: [[1]], alignment: 512 },
      { _tag: 'shared_linear', offsetBases: [[1]] },
      swizzled(1, 1, 1, [0]),
    ]
    expect(aligned.map(alignmentBytes)).toEqual([512, 16, 16])
  })
})

describe('law 3', () => {
  const tiled = (rows: number, columns: number, w: number, bits: number): readonly number[] => [
    ...swizzledAddresses(
      right(ofTransforms([rows, columns], bits, [right(tile([8, (8 * w) / bits])), right(swizzle(w))])),
      0,
    ),
  ]
  test.each(widths.flatMap((w) => [8, 16, 32].map((b) => [w, b] as const)))(
    'Tiling(8, 8W/bits) and Swizzle(W) on one panel, not on two: W = %i, %i bits',
    (w, bits) => {
      const columns = (8 * w) / bits
      expect(addresses(linearOf(nvmma(w, bits), [64, columns]), bits)).toEqual(tiled(64, columns, w, bits))
      const wider = addresses(linearOf(nvmma(w, bits), [64, 2 * columns]), bits)
      const tiles = tiled(64, 2 * columns, w, bits)
      expect(wider).not.toEqual(tiles)
      // Both begin with the first tile, and only that.
      const at = (row: number, column: number): number => row * 2 * columns + column
      for (const row of [0, 7]) expect(wider[at(row, columns - 1)]).toBe(tiles[at(row, columns - 1)])
      expect(wider[at(8, 0)]).not.toBe(tiles[at(8, 0)])
    },
  )

  test('panels: rows up to 256 come before columns, and more rows before more columns', () => {
    const panels = basesIn(nvmma(128, 16), [512, 256])['offset']!.slice(9)
    expect(panels.map((basis) => basis.join())).toEqual([
      '8,0',
      '16,0',
      '32,0',
      '64,0',
      '128,0',
      '256,0',
      '0,64',
      '0,128',
    ])
  })

  test('rank 3: the rows are all dimensions but the last, box by box', () => {
    expect(basesIn(nvmma(64, 16), [2, 512, 64])['offset']!.map((basis) => basis.join(' '))).toEqual([
      ...['0 0 1', '0 0 2', '0 0 4', '0 0 8', '0 0 16'],
      ...['0 1 0', '0 2 8', '0 4 16', '0 8 0', '0 16 0', '0 32 0', '0 64 0', '0 128 0'],
      ...['1 0 0', '0 256 0', '0 0 32'],
    ])
  })
})

describe('law 4', () => {
  const exchanged = (bases: ReturnType<typeof basesIn>): readonly (readonly number[])[] =>
    bases['offset']!.map(([r, c]) => [c!, r!])
  test('transposed is the layout of the transposed tensor, within the rows of a box', () => {
    for (const w of [0, ...widths])
      for (const bits of [8, 16, 32])
        for (const [rows, columns] of [
          [8, 128],
          [256, (8 * Math.max(w, 32)) / bits],
        ] as const)
          expect(exchanged(basesIn(nvmma(w, bits, true), [columns, rows]))).toEqual(
            basesIn(nvmma(w, bits), [rows, columns])['offset'],
          )
  })

  test('beyond it dimension 0 still repeats first', () => {
    expect(exchanged(basesIn(nvmma(32, 16, true), [32, 512])).slice(-2)).toEqual([
      [0, 16],
      [256, 0],
    ])
    expect(basesIn(nvmma(32, 16), [512, 32])['offset']!.slice(-2)).toEqual([
      [256, 0],
      [0, 16],
    ])
  })

  test('without a swizzle, beyond the box: the last dimension first', () => {
    const tail = (transposed: boolean): readonly string[] =>
      basesIn(nvmma(0, 16, transposed), [512, 512])
        ['offset']!.slice(16)
        .map((basis) => basis.join())
    expect(tail(false)).toEqual(['0,256', '256,0'])
    expect(tail(true)).toEqual(['256,0', '0,256'])
  })

  test('rank 3, transposed: the first dimension is contiguous; the others as the compiler deals them', () => {
    const bases = basesIn(nvmma(128, 16, true), [64, 2, 8])['offset']!.map((basis) => basis.join(' '))
    expect(bases).toEqual([
      ...['1 0 0', '2 0 0', '4 0 0', '8 0 0', '16 0 0', '32 0 0'],
      ...['8 0 2', '16 0 4', '32 1 0', '0 0 1'],
    ])
  })
})

test('law 5: padded: offset x of a row, swizzled as bytes, holds column 8 (x div 16) + x mod 8', () => {
  const padded = linearOf(nvmma(128, 8, false, true), [32, 64])
  expect(JSON.stringify(basesIn(nvmma(128, 8, false, true), [32, 64])['offset'])).toBe(
    '[[0,1],[0,2],[0,4],[0,0],[0,8],[0,16],[0,32],[1,8],[2,16],[4,32],[8,0],[16,0]]',
  )
  const bytes = linearOf(nvmma(128, 8), [32, 128])
  for (const offset of range(inputSize(padded, 'offset'))) {
    const [row, x] = apply(bytes)({ offset })
    if (apply(padded)({ offset }).join() !== [row, 8 * (x! >> 4) + (x! % 8)].join())
      expect.fail(`offset ${String(offset)}`)
  }
})

describe('law 6', () => {
  const extents = [1, 4, 8, 16, 32, 64, 256]
  test('the widest swizzle that the shape has a layout for', () => {
    for (const bits of bitWidths)
      for (const rows of extents)
        for (const columns of extents)
          for (const transposed of [false, true]) {
            const shape = transposed ? [columns, rows] : [rows, columns]
            const widest = [128, 64, 32].find((w) => E.isRight(onShape(nvmma(w, bits, transposed))(shape)))
            expect(defaultSwizzle(shape, bits, { transposed })).toBe(widest ?? 0)
          }
  })

  test('by hand', () => {
    expect(defaultSwizzle([128, 64], 16)).toBe(128)
    expect(defaultSwizzle([128, 96], 16)).toBe(64)
    expect(defaultSwizzle([128, 48], 16)).toBe(32)
    expect(defaultSwizzle([128, 8], 16)).toBe(0)
    expect(defaultSwizzle([4, 2, 64], 16)).toBe(128)
    expect(defaultSwizzle([3, 2, 64], 16)).toBe(0)
    expect(defaultSwizzle([1024], 16)).toBe(0)
    expect(defaultSwizzle([8, 64], 8, { fp4Padded: true })).toBe(128)
    expect(defaultSwizzle([64, 2, 4], 16, { transposed: true })).toBe(128)
  })
})

describe('swizzled_shared', () => {
  test('rows of 4 under vec 1, perPhase 1, maxPhase 4', () => {
    expect(positions(linearOf(swizzled(1, 1, 4, [1, 0]), [4, 4])).map((position) => position % 4)).toEqual([
      ...[0, 1, 2, 3],
      ...[1, 0, 3, 2],
      ...[2, 3, 0, 1],
      ...[3, 2, 1, 0],
    ])
  })

  test('row r has group g at g xor ((r div perPhase) mod maxPhase), modulo the columns', () => {
    for (const [vec, perPhase, maxPhase] of [
      [1, 1, 4],
      [2, 2, 4],
      [4, 1, 8],
      [8, 4, 2],
    ] as const) {
      const found = positions(linearOf(swizzled(vec, perPhase, maxPhase, [1, 0]), [32, 16]))
      expect(found).toEqual(
        range(512).map((offset) => {
          const row = offset >> 4
          return 16 * row + ((offset % 16) ^ ((vec * (Math.floor(row / perPhase) % maxPhase)) % 16))
        }),
      )
    }
  })

  test('the order names the columns, the rows, and the rest', () => {
    expect(
      basesIn(swizzled(2, 1, 2, [1, 2, 0]), [2, 4, 2])['offset']!.map((basis) => basis.join(' ')),
    ).toEqual(['0 1 0', '0 2 0', '0 2 1', '1 0 0'])
    expect(basesIn(swizzled(2, 1, 2, [0]), [4])).toEqual({ offset: [[1], [2]], block: [] })
  })

  test('blocks have shares of their own', () => {
    expect(
      basesIn(
        {
          ...swizzled(1, 1, 4, [1, 0]),
          cgaBases: [
            [0, 1],
            [0, 0],
          ],
        },
        [4, 4],
      ),
    ).toEqual({
      offset: [
        [0, 1],
        [1, 1],
        [2, 0],
      ],
      block: [
        [0, 2],
        [0, 0],
      ],
    })
    const two = basesIn({ ...nvmma(32, 16), cgaBases: [[0, 1]] }, [8, 32])
    expect(two['block']).toEqual([[0, 16]])
    expect(two['offset']).toEqual(basesIn(nvmma(32, 16), [8, 16])['offset'])
  })
})

describe('shared_linear', () => {
  const spec: EncodingSpec = {
    _tag: 'shared_linear',
    offsetBases: [
      [0, 1],
      [1, 1],
    ],
    blockBases: [[2, 0]],
  }
  test('is what it says', () => {
    expect(basesIn(spec, [4, 2])).toEqual({ offset: spec.offsetBases, block: [[2, 0]] })
    expect(basesIn({ _tag: 'shared_linear', offsetBases: [[1]] }, [2])).toEqual({ offset: [[1]], block: [] })
  })
  test('on another shape, or with holes, is refused', () => {
    expect(onShape(spec)([4, 4])).toEqual(
      E.left({ code: 'triton.shape', message: 'The bases cover (4, 2), not (4, 4)' }),
    )
    expect(code(onShape({ _tag: 'shared_linear', offsetBases: [[2]] })([4]))).toBe('linear.not-surjective')
  })
})

describe('shapes without a layout', () => {
  const message = (spec: EncodingSpec, shape: Shape): string => {
    const result = onShape(spec)(shape)
    return E.isLeft(result) ? `${result.left.code}: ${result.left.message}` : 'a layout'
  }
  test('too narrow, too few rows, one dimension, no definition', () => {
    expect(message(nvmma(128, 16), [64, 32])).toBe(
      "triton.too-small: A block's share must have 64 elements or more in dimension 1, the width of the swizzle, found (64, 32)",
    )
    expect(message(nvmma(128, 16, true), [32, 64])).toBe(
      "triton.too-small: A block's share must have 64 elements or more in dimension 0, the width of the swizzle, found (32, 64)",
    )
    expect(message({ ...nvmma(128, 16), cgaBases: [[0, 1]] }, [64, 64])).toContain('found (64, 32)')
    expect(message(nvmma(128, 8, false, true), [8, 32])).toContain('must have 64 elements or more')
    expect(message(nvmma(128, 16), [4, 64])).toBe(
      'triton.too-small: A swizzle needs 8 rows or more next to the contiguous dimension, found 4 in a box of (4, 64)',
    )
    expect(message(nvmma(128, 16, true), [64, 4])).toContain('found 4 in a box of (64, 4)')
    expect(message(nvmma(32, 8), [64])).toBe(
      'triton.shape: A swizzle needs two dimensions or more, found (64,)',
    )
    expect(message(nvmma(0, 16, true), [2, 4, 8])).toBe(
      'triton.undefined: A transposed buffer without swizzle has a layout at rank 2 only, found (2, 4, 8)',
    )
    expect(message({ ...nvmma(0, 8), cgaBases: [[1]] }, [8, 8])).toContain('linear.')
  })

  test('at their bounds they have one', () => {
    for (const [spec, shape] of [
      [nvmma(128, 16), [8, 64]],
      [nvmma(128, 16, true), [64, 8]],
      [nvmma(128, 8, false, true), [8, 64]],
      [nvmma(0, 16), [64]],
      [nvmma(0, 16), [1, 2, 4, 8]],
    ] as const)
      expect(message(spec, shape)).toBe('a layout')
  })
})

test('boxes of copies: the width of the swizzle, 256 at most', () => {
  const box = (spec: Parameters<typeof copyBox>[0], share: Shape): Shape => right(copyBox(spec, share))
  expect(box(nvmma(128, 16), [512, 128])).toEqual([256, 64])
  expect(box(nvmma(64, 8, true), [512, 128])).toEqual([64, 128])
  expect(box(nvmma(128, 8, false, true), [512, 128])).toEqual([256, 64])
  expect(box(nvmma(0, 8), [2, 1024, 512])).toEqual([2, 256, 256])
})
