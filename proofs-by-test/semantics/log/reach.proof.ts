/** Reach: the table of scopes, and which pairs are atomic together, every pair of reaches at every distance. */
import { expect, test } from 'vitest'
import { atomicTogether, between, reachOf } from '../../../src/semantics/log/reach.js'

test('scopes, by how far they reach; without one, the grid', () => {
  expect((['cta', 'cluster', 'gpu', 'sys', undefined] as const).map((scope) => reachOf(scope))).toEqual([
    1, 2, 3, 3, 3,
  ])
})

test('from one agent to another', () => {
  expect([between(true, true), between(false, true), between(false, false)]).toEqual([1, 2, 3])
})

test('law 1: together if each reaches the other, through one proxy, at one width', () => {
  const access = (reach: 0 | 1 | 2 | 3, proxy = 'generic', dtype: 'f32' | 'i32' | 'f16' = 'f32') => ({
    reach,
    proxy,
    footprint: { dtype },
  })
  for (const x of [0, 1, 2, 3] as const)
    for (const y of [0, 1, 2, 3] as const)
      for (const distance of [1, 2, 3] as const) {
        const both = x >= distance && y >= distance
        expect(atomicTogether(access(x), access(y), distance)).toBe(both)
        expect(atomicTogether(access(x), access(y, 'generic', 'i32'), distance)).toBe(both)
        expect(atomicTogether(access(x), access(y, 'async'), distance)).toBe(false)
        expect(atomicTogether(access(x), access(y, 'generic', 'f16'), distance)).toBe(false)
      }
})
