/** What a kernel is said to compute, by words. Oracle: the table. */
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import { computesOf, type Computed } from '../../src/dialects/computes.js'

const tensors = new Map<string, Computed>([
  ['a', { shape: [64, 96], dtype: 'f16' }],
  ['b', { shape: [96, 32], dtype: 'f16' }],
  ['turned', { shape: [32, 96], dtype: 'f16' }],
  ['tall', { shape: [96, 64], dtype: 'f16' }],
  ['odd.T', { shape: [96, 32], dtype: 'f16' }],
  ['c', { shape: [64, 32], dtype: 'f32' }],
  ['ct', { shape: [32, 64], dtype: 'f32' }],
])

describe('computes', () => {
  it.each([
    ['matmul:a,b,c', 'a', 'b', undefined, undefined],
    ['matmul:a,turned.T,c', 'a', 'turned', 'b', undefined],
    ['matmul:tall.T,b,c', 'tall', 'b', 'a', undefined],
    ['matmul:tall.T,turned.T,c', 'tall', 'turned', 'both', undefined],
    ['matmul:a,b,ct.T', 'a', 'b', undefined, true],
    ['matmul:b.T,a.T,ct', 'b', 'a', 'both', undefined],
    // a tensor may be called so
    ['matmul:a,odd.T,c', 'a', 'odd.T', undefined, undefined],
  ])('%s', (text, a, b, transposed, transposedOut) => {
    const found = computesOf(text, tensors)
    if (E.isLeft(found) || found.right._tag !== 'matmul') throw new Error(text)
    const { right } = found
    expect([right.a, right.b, right.transposed, right.transposedOut]).toEqual([
      a,
      b,
      transposed,
      transposedOut,
    ])
  })
  it.each(['matmul:a,turned,c', 'matmul:a.T,b,c', 'matmul:a,b.T,c', 'matmul:a,b,c.T', 'copy:b.T,turned'])(
    '%s is refused',
    (text) => {
      expect(E.isLeft(computesOf(text, tensors))).toBe(true)
    },
  )
})
