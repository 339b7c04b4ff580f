import { expect, test } from 'vitest'
import {
  composePermutations,
  identityPermutation,
  inversePermutation,
  isPermutation,
  permutation,
  permute,
} from '../../src/transforms/transpose.js'
import { range } from './captured.js'
import { code, right } from '../either.js'

const orders = (items: readonly number[]): readonly (readonly number[])[] =>
  items.length === 0
    ? [[]]
    : items.flatMap((first) => orders(items.filter((x) => x !== first)).map((rest) => [first, ...rest]))
const ranks = [0, 1, 2, 3, 4]

test('law 1: the inverse undoes (all permutations of up to 4)', () => {
  for (const rank of ranks)
    for (const p of orders(range(rank))) {
      const x = p.map((_, k) => `x${String(k)}`)
      expect(permute(inversePermutation(p))(permute(p)(x))).toEqual(x)
      expect(permute(p)(x)).toEqual(p.map((k) => `x${String(k)}`))
    }
})

test('law 2: composition', () => {
  for (const rank of [2, 3])
    for (const p of orders(range(rank)))
      for (const q of orders(range(rank)))
        expect(permute(composePermutations(p, q))([10, 20, 30].slice(0, rank))).toEqual(
          permute(q)(permute(p)([10, 20, 30].slice(0, rank))),
        )
  expect(permute(identityPermutation(3))([7, 8, 9])).toEqual([7, 8, 9])
})

test('law 3: dot products stay', () => {
  for (const p of orders(range(4))) {
    const [i, s] = [
      [1, 2, 3, 4],
      [7, 50, 300, 1],
    ]
    const dot = (a: readonly number[], b: readonly number[]): number =>
      a.reduce((sum, x, k) => sum + x * b[k]!, 0)
    expect(dot(permute(p)(i), permute(p)(s))).toBe(dot(i, s))
  }
})

test('what is a permutation: all lists of up to 3 numbers from -1 to 3', () => {
  const numbers = [-1, 0, 1, 2, 3]
  const lists = [
    [],
    ...numbers.map((a) => [a]),
    ...numbers.flatMap((a) => numbers.map((b) => [a, b])),
    ...numbers.flatMap((a) => numbers.flatMap((b) => numbers.map((c) => [a, b, c]))),
  ]
  const legal = lists.filter(isPermutation).map((p) => p.join(''))
  expect(legal.sort()).toEqual(['', '0', '01', '012', '021', '10', '102', '120', '201', '210'].sort())
  expect(right(permutation([1, 0]))).toEqual([1, 0])
  expect(['0,0', '0,2', '-1,0', '0.5,1'].map((p) => code(permutation(p.split(',').map(Number))))).toEqual(
    new Array(4).fill('transpose.not-a-permutation'),
  )
})
