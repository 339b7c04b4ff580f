import { expect, test } from 'vitest'
import { commitArrivals, commitMask } from '../../../src/dialects/cutlass/multicast.js'
import { range } from '../../layouts/captured.js'

test('clusters, laws 1 to 3', () => {
  expect(commitMask([4, 2], [2, 1], [1, 0], 'both')).toBe(0x3f)
  expect(commitMask([4, 2], [2, 1], [1, 0], 'row')).toBe(0x33)
  expect(commitMask([4, 2], [2, 1], [1, 0], 'column')).toBe(0x0f)
  expect(commitMask([4, 2], [2, 1], [2, 1], 'both')).toBe(0xfc)
  expect(commitMask([2, 4], [1, 2], [0, 3], 'column')).toBe(0xf0)
  const bits = (mask: number): number => range(16).filter((r) => mask & (1 << r)).length
  for (const cx of [1, 2, 4])
    for (const cy of [1, 2, 4])
      for (const ax of [1, 2].filter((a) => cx % a === 0))
        for (const y of range(cy))
          for (const x of range(cx)) {
            const mask = (d: 'row' | 'column' | 'both', dx: number = x): number =>
              commitMask([cx, cy], [ax, 1], [dx, y], d)
            expect(mask('both')).toBe(mask('row') | mask('column'))
            expect(mask('both') & (1 << (x + cx * y))).not.toBe(0)
            expect(mask('both', x - (x % ax))).toBe(mask('both'))
            expect(bits(mask('both'))).toBe(ax * commitArrivals([cx, cy], [ax, 1]))
          }
  expect(commitArrivals([4, 4], [2, 2])).toBe(3)
})
