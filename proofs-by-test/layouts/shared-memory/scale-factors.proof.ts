/** Scale factors: a bijection, Triton's bases, Mosaic's transpose. */
import { expect, test } from 'vitest'
import { scaleAtom, scaleIndex, scaleOffset } from '../../../src/layouts/shared-memory/scale-factors.js'
import { indices, range } from './captured.js'
import { code, right } from '../../either.js'

test('worked by hand', () => {
  const offset = right(scaleOffset(...scaleAtom))
  expect([offset(0, 0), offset(33, 2), offset(127, 3), offset(96, 0)]).toEqual([0, 22, 511, 12])
  expect(right(scaleOffset(256, 16))(128, 5)).toBe(512 * 5 + 1)
})

test.each([
  [128, 4],
  [256, 16],
  [384, 12],
])('law 1: a bijection with its inverse, %i x %i', (rows, blocks) => {
  const offset = right(scaleOffset(rows, blocks))
  const index = right(scaleIndex(rows, blocks))
  const all = indices([rows, blocks])
  expect(all.map(([x, j]) => offset(x!, j!)).sort((a, b) => a - b)).toEqual(range(rows * blocks))
  expect(all.filter(([x, j]) => index(offset(x!, j!)).join() !== `${String(x)},${String(j)}`)).toEqual([])
})

test('law 2: Triton, bases of 256 x 16 by offset bit', () => {
  const bases = [
    [0, 1],
    [0, 2],
    [32, 0],
    [64, 0],
    [1, 0],
    [2, 0],
    [4, 0],
    [8, 0],
    [16, 0],
    [0, 4],
    [0, 8],
    [128, 0],
  ]
  const index = right(scaleIndex(256, 16))
  const wrong = range(4096).filter((at) => {
    let [x, j] = [0, 0]
    bases.forEach(([row, block], k) => {
      if ((at >> k) % 2 === 1) [x, j] = [x ^ row!, j ^ block!]
    })
    return index(at).join() !== [x, j].join()
  })
  expect(wrong).toEqual([])
})

test('law 3: Mosaic, (word, lane, block) to (lane, word, block)', () => {
  const offset = right(scaleOffset(128, 4))
  const listed = indices([32, 4, 4]).map(([lane, word, j]) => [32 * word! + lane!, j!] as const)
  expect(listed.map(([x, j]) => offset(x, j))).toEqual(range(512))
})

test('refusals', () => {
  for (const [rows, blocks] of [
    [64, 4],
    [128, 2],
    [0, 4],
    [128, 0],
    [-128, 4],
    [192, 4],
    [128, 6],
  ] as const) {
    expect(code(scaleOffset(rows, blocks))).toBe('scale.shape')
    expect(code(scaleIndex(rows, blocks))).toBe('scale.shape')
  }
})
