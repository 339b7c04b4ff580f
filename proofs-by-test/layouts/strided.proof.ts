import { expect, test } from 'vitest'
import { canBroadcast, splatLayout, WG_SPLAT } from '../../src/layouts/splat.js'
import { defaultVectorLength, isStridedLayout, stridedLayout, WG_STRIDED } from '../../src/layouts/strided.js'
import { elementOf, owners, registersPerLane } from '../../src/layouts/register-layout.js'
import { indices } from './captured.js'
import { code, right } from '../either.js'

test('law 1: a bijection; elements by the formula', () => {
  for (const [shape, v] of [
    [[4, 128], 2],
    [[2, 16, 32], 4],
    [[640], 1],
    [[96, 32], 8],
  ] as const) {
    const layout = right(stridedLayout(shape, v))
    const size = indices(shape).length
    const seen = new Set<number>()
    const wrong: (readonly [thread: number, register: number])[] = []
    for (const [warp, lane, register] of indices([4, 32, registersPerLane(layout, shape)])) {
      const e = elementOf(layout, shape, warp!, lane!, register!)
      const position = e.reduce((p, i, k) => p * shape[k]! + i, 0)
      const t = warp! * 32 + lane!
      if (position !== Math.floor(register! / v) * 128 * v + t * v + (register! % v))
        wrong.push([t, register!])
      const [owner, ...others] = owners(layout, shape, e)
      if (owner?.warp !== warp || owner?.lane !== lane || owner?.register !== register || others.length > 0)
        wrong.push([t, register!])
      seen.add(position)
    }
    expect(wrong).toEqual([])
    expect(seen.size).toBe(size)
    expect(registersPerLane(layout, shape)).toBe(size / 128)
  }
})

test('law 1: threads 0, 1 and 127 of WG_STRIDED((4, 128), 2)', () => {
  const layout = right(WG_STRIDED([4, 128], 2))
  const held = (t: number): readonly number[] =>
    [0, 1, 2, 3].map((r) => elementOf(layout, [4, 128], t >> 5, t % 32, r)).map(([i, j]) => i! * 128 + j!)
  expect([0, 1, 127].map(held)).toEqual([
    [0, 1, 256, 257],
    [2, 3, 258, 259],
    [254, 255, 510, 511],
  ])
})

test('law 2: the default vector length', () => {
  const by = (size: number, bits: number): number | string | null => {
    const result = defaultVectorLength([size], bits)
    return result._tag === 'Right' ? result.right : result.left.code
  }
  expect([by(128, 32), by(256, 32), by(512, 32), by(4096, 16), by(4096, 8), by(4096, 64)]).toEqual([
    1, 2, 2, 4, 8, 1,
  ])
  expect([by(384, 16), by(640, 16), by(768, 16), by(128, 8)]).toEqual([3, 1, 2, 1])
  expect([by(100, 32), by(128, 4), by(256, 4)]).toEqual(['strided.no-default', 'strided.no-default', 2])
})

test('refusals, and data from outside', () => {
  expect(code(stridedLayout([4, 100], 2))).toBe('strided.not-divisible')
  expect(code(stridedLayout([4, 128], 0))).toBe('strided.vector')
  expect(code(stridedLayout([-4, -128], 2))).toBe('strided.shape')
  expect(stridedLayout([128, 0], 2)).toMatchObject({
    left: { message: 'Dimension 1 of a strided layout must be a positive extent, found 0' },
  })
  expect(code(defaultVectorLength([0], 32))).toBe('strided.no-default')
  expect(code(defaultVectorLength([-128], 32))).toBe('strided.no-default')
  expect(isStridedLayout({ _tag: 'strided', shape: [4, 128], vectorLength: 4 })).toBe(true)
  expect(isStridedLayout({ _tag: 'strided', shape: [4, 128], vectorLength: 3 })).toBe(false)
  expect(isStridedLayout({ _tag: 'strided', shape: [4, 0], vectorLength: 1 })).toBe(false)
})

test('splats, laws 1 and 2', () => {
  expect(WG_SPLAT([64, 8])).toEqual({ _tag: 'splat', shape: [64, 8] })
  expect(owners(splatLayout([2, 2]), [2, 2], [1, 0])).toEqual(
    indices([4, 32]).map(([warp, lane]) => ({ warp, lane, register: 0 })),
  )
  const shapes = [[], [1], [2], [3], [1, 1], [2, 3], [1, 3], [2, 1], [4, 2, 3]]
  // NumPy: pad with ones on the left, then every extent is equal or 1.
  for (const from of shapes)
    for (const to of shapes) {
      const padded = [...new Array<number>(Math.max(0, to.length - from.length)).fill(1), ...from]
      expect(canBroadcast(from, to)).toBe(
        padded.length === to.length && padded.every((n, k) => n === 1 || n === to[k]),
      )
    }
})
