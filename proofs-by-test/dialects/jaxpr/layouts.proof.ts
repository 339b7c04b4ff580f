/** Layouts by the names of Pallas, against the library's own constructors. */
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, test } from 'vitest'
import { readLayout, stridedFor } from '../../../src/dialects/jaxpr/layouts.js'
import { splatLayout } from '../../../src/layouts/splat.js'
import { stridedLayout } from '../../../src/layouts/strided.js'
import { tiledLayout, WGMMA } from '../../../src/layouts/tiled.js'
import { right } from '../../either.js'
import type { Layout } from '../../../src/dialects/jaxpr/document.js'

const read = (
  layout: unknown,
  shape: ReadonlyArray<number> = [128, 64],
  dtype: 'f16' | 'f32' | 'i4' = 'f16',
) => readLayout(layout as Layout, shape, dtype)

describe('strided', () => {
  test.each([
    // eight bytes of a lane, if there are so many elements
    [[128, 64], 'f16', 4],
    [[128, 64], 'f32', 2],
    [[128, 64], 'u8', 8],
    [[128], 'f16', 1],
    [[256], 'f16', 2],
    [[384], 'f16', 3],
    [[640], 'u8', 5],
    [[640], 'f16', 1],
    [[128], 'i64', 1],
  ] as const)('%j of %s: vectors of %d', (shape, dtype, vector) => {
    expect(stridedFor(shape, dtype)).toEqual(right(stridedLayout(shape, vector)))
  })
  test.each([
    [[64], 'f16'],
    [[130], 'f32'],
    [[128], 'i4'],
  ] as const)('%j of %s has none', (shape, dtype) => {
    expect(stridedFor(shape, dtype)).toBeNull()
  })
})

describe('read', () => {
  test('by a name, with what is said to it by place or by name', () => {
    expect(read({ name: 'WGMMA' })).toEqual(E.right(WGMMA))
    expect(read({ name: 'WG_SPLAT' }, [3, 5])).toEqual(E.right(splatLayout([3, 5])))
    expect(read({ name: 'WG_STRIDED' })).toEqual(E.right(right(stridedLayout([128, 64], 4))))
    for (const args of [[[128], 1], { shape: [128], vec: 1 }])
      expect(read({ name: 'WG_STRIDED', args })).toEqual(E.right(right(stridedLayout([128], 1))))
    expect(read({ name: 'WG_STRIDED', args: [[64, 128], 2] })).toEqual(
      E.right(right(stridedLayout([64, 128], 2))),
    )
  })
  test('reduced, along one axis or several', () => {
    const rows = right(read({ reduce: 1, of: { name: 'WGMMA' } }))
    expect(rows).toEqual(right(read({ reduce: [1], of: { name: 'WGMMA' } })))
    expect(rows).not.toEqual(right(read({ reduce: 0, of: { name: 'WGMMA' } })))
  })
  test('tiled', () => {
    const tiled = { tiling: [[64], [16], [2]], warp: [-3], lane: [{ replicated: 4 }, -2], vec: -1 }
    expect(read({ tiled })).toEqual(
      tiledLayout({
        tiling: tiled.tiling,
        warpDims: [-3],
        laneDims: [{ _tag: 'Replicated', times: 4 }, -2],
        vectorDim: -1,
      }),
    )
  })
  test.each([
    [{ name: 'WG_STRIDED' }, 'a multiple of 128 elements', '(3, 5)'],
    [
      { reduce: 0, of: { name: 'WG_SPLAT' } },
      'a tiled layout that is reduced',
      '{"reduce":0,"of":{"name":"WG_SPLAT"}}',
    ],
    [{ reduce: 0, of: { name: 'WG_STRIDED' } }, 'a multiple of 128 elements', '(3, 5)'],
  ] as const)('refused: %j', (layout, expected, found) => {
    expect(read(layout, [3, 5])).toEqual(E.left([expected, found]))
  })
  test('a name that no layout has', () => {
    const none = read({ name: 'PEAR', args: [[128], 1] })
    expect(E.isLeft(none) && none.left[1]).toContain('{"name":"PEAR","args":[[128],1]}: ')
  })
})
