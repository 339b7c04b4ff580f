import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import type { Listing } from '../../src/layouts/listing.js'
import {
  checkSize,
  differences,
  holders,
  listing,
  listingOf,
  mostPlaces,
  placeAt,
} from '../../src/layouts/listing.js'
import { elementTable, owners, type RegisterLayout } from '../../src/layouts/register-layout.js'
import { splatLayout } from '../../src/layouts/splat.js'
import { stridedLayout } from '../../src/layouts/strided.js'
import { WGMMA, WGMMA_ACC_32BIT, WGMMA_ROW, WGMMA_TRANSPOSED } from '../../src/layouts/tiled.js'
import { sizeOf, unravel } from '../../src/transforms/shape.js'
import { right } from '../either.js'

const cases: ReadonlyArray<readonly [string, RegisterLayout, ReadonlyArray<number>]> = [
  ['WGMMA', WGMMA, [64, 16]],
  ['WGMMA_ROW: four holders of each', WGMMA_ROW, [128]],
  ['strided', right(stridedLayout([4, 128], 2)), [4, 128]],
  ['splat', splatLayout([8, 1]), [8, 4]],
]

describe('listings', () => {
  it.each(cases)('law 1: %s is its element table', (_, layout, shape) => {
    const listed = right(listingOf(layout, shape))
    expect(listed.positions).toEqual(elementTable(layout, shape))
    expect(listed.positions.length).toBe(listed.warps * listed.lanes * listed.registers)
    expect([listed.warps, listed.lanes, listed.splat, listed.shape]).toEqual([
      4,
      32,
      layout._tag === 'splat',
      shape,
    ])
  })
  it.each(cases)('law 2: holders of %s are its owners', (_, layout, shape) => {
    const who = holders(right(listingOf(layout, shape)))
    for (let p = 0; p < sizeOf(shape); p++) expect(who(p)).toEqual(owners(layout, shape, unravel(shape)(p)))
  })
  it('law 2: elements that nobody holds, and places by number', () => {
    const listed = right(listing([5], 1, 2, 2, Int32Array.of(4, 0, 4, 2)))
    expect([0, 1, 2, 3, 4].map((p) => holders(listed)(p).length)).toEqual([1, 0, 1, 0, 2])
    expect(holders(listed)(4)).toEqual([
      { warp: 0, lane: 0, register: 0 },
      { warp: 0, lane: 1, register: 0 },
    ])
    const wide: Listing = { ...listed, warps: 3, lanes: 2, registers: 4, positions: new Int32Array(24) }
    expect([0, 3, 4, 7, 8, 23].map(placeAt(wide))).toEqual([
      { warp: 0, lane: 0, register: 0 },
      { warp: 0, lane: 0, register: 3 },
      { warp: 0, lane: 1, register: 0 },
      { warp: 0, lane: 1, register: 3 },
      { warp: 1, lane: 0, register: 0 },
      { warp: 2, lane: 1, register: 3 },
    ])
  })
  it('law 3: equal exactly when every element has the same holders', () => {
    const [a, b] = [right(listingOf(WGMMA, [64, 8])), right(listingOf(WGMMA_ACC_32BIT, [64, 8]))]
    expect(right(differences(a, b))).toEqual({ count: 0, first: null })
    const t = right(listingOf(WGMMA_TRANSPOSED, [64, 8]))
    expect(right(differences(a, t))).toEqual({
      count: 256,
      first: {
        element: [0, 1],
        left: [{ warp: 0, lane: 0, register: 1 }],
        right: [{ warp: 0, lane: 4, register: 0 }],
      },
    })
    // One register, one lane, one warp, one more holder: each alone is a difference.
    const one = right(listing([2, 2], 1, 1, 4, Int32Array.of(0, 1, 2, 3)))
    const others = [
      right(listing([2, 2], 1, 1, 4, Int32Array.of(0, 1, 3, 2))),
      right(listing([2, 2], 1, 4, 1, Int32Array.of(0, 1, 2, 3))),
      right(listing([2, 2], 4, 1, 1, Int32Array.of(0, 1, 2, 3))),
      right(listing([2, 2], 2, 1, 4, Int32Array.of(0, 1, 2, 3, 0, 1, 2, 3))),
    ]
    expect(others.map((other) => right(differences(one, other)))).toEqual([
      {
        count: 2,
        first: {
          element: [1, 0],
          left: [{ warp: 0, lane: 0, register: 2 }],
          right: [{ warp: 0, lane: 0, register: 3 }],
        },
      },
      {
        count: 3,
        first: {
          element: [0, 1],
          left: [{ warp: 0, lane: 0, register: 1 }],
          right: [{ warp: 0, lane: 1, register: 0 }],
        },
      },
      {
        count: 3,
        first: {
          element: [0, 1],
          left: [{ warp: 0, lane: 0, register: 1 }],
          right: [{ warp: 1, lane: 0, register: 0 }],
        },
      },
      {
        count: 4,
        first: {
          element: [0, 0],
          left: [{ warp: 0, lane: 0, register: 0 }],
          right: [
            { warp: 0, lane: 0, register: 0 },
            { warp: 1, lane: 0, register: 0 },
          ],
        },
      },
    ])
    // Exchanged between two warps, two lanes, two registers, and one of two holders moved: each is seen by itself.
    const two = (
      warps: number,
      lanes: number,
      registers: number,
      positions: ReadonlyArray<number>,
    ): Listing => right(listing([2], warps, lanes, registers, Int32Array.from(positions)))
    for (const [w, l, r] of [
      [2, 1, 1],
      [1, 2, 1],
      [1, 1, 2],
    ] as const)
      expect(right(differences(two(w, l, r, [0, 1]), two(w, l, r, [1, 0]))).count).toBe(2)
    expect(right(differences(two(1, 3, 1, [0, 0, 1]), two(1, 3, 1, [0, 1, 0]))).count).toBe(2)
    expect(differences(one, right(listing([4], 1, 1, 4, Int32Array.of(0, 1, 2, 3))))).toMatchObject({
      left: { code: 'listing.shape', message: 'Expected two layouts of one shape, found (2, 2) and (4,)' },
    })
  })
  it('law 4: what is no listing is refused', () => {
    expect(listing([4], 1, 2, 2, Int32Array.of(0, 1, 2))).toMatchObject({
      left: {
        code: 'listing.length',
        message: expect.stringMatching(/^1 warps of 2 lanes with 2 registers hold 4 .* 3$/),
      },
    })
    expect(listing([4], 1, 2, 1, Int32Array.of(0, 4))).toMatchObject({ left: { code: 'listing.position' } })
    expect(listing([4], 1, 2, 1, Int32Array.of(-1, 3))).toMatchObject({ left: { code: 'listing.position' } })
    expect(E.isRight(listing([4], 1, 2, 1, Int32Array.of(0, 3)))).toBe(true)
    expect(E.isRight(checkSize(mostPlaces, [mostPlaces]))).toBe(true)
    expect(checkSize(mostPlaces + 1, [1])).toMatchObject({
      left: {
        code: 'listing.too-large',
        message: 'A layout is written out for at most 4194304 elements and places, found 4194305 on (1,)',
      },
    })
    expect(checkSize(1, [mostPlaces + 1])).toMatchObject({ left: { code: 'listing.too-large' } })
    expect(listingOf(WGMMA_ROW, [64 * 2 ** 15])).toMatchObject({ left: { code: 'listing.too-large' } })
    expect(listingOf(WGMMA, [63, 8])).toMatchObject({ left: { code: 'layout.shape' } })
  })
})
