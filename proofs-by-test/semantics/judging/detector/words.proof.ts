/** Words of a footprint: by hand, of elements in rows with gaps and of elements that lie anywhere. */
import { expect, test } from 'vitest'
import { wordsOf } from '../../../../src/semantics/judging/detector/words.js'
import { footprints, ofAddresses, ofLayout } from '../../../../src/semantics/machine/footprint.js'
import * as Ref from '../../../../src/transforms/ref.js'
import { right } from '../../../either.js'

test.each([
  ['f32', [2, 2], [4, 1], 0, [0, 4, 16, 20]],
  ['f32', [3, 1], [2, 1], 8, [8, 16, 24]],
  ['f16', [2, 3], [8, 1], 4, [4, 6, 8, 20, 22, 24]],
  ['i8', [2, 2], [4, 1], 0, [0, 1, 4, 5]],
] as const)('%s of %j, strides %j, from %d', (dtype, shape, strides, from, words) => {
  const bits = { f32: 32, f16: 16, i8: 8 }[dtype]
  const layout = right(Ref.ofStrides([...shape], bits, [...strides]))
  expect(
    [...wordsOf(ofLayout(footprints(), 0, dtype, layout, from).footprint)].sort((x, y) => x - y),
  ).toEqual(words)
})

test('elements that lie anywhere; one that is nowhere has no word', () => {
  const of = (...addresses: ReadonlyArray<number>): ReadonlyArray<number> =>
    wordsOf(ofAddresses(footprints(), 0, 'f32', [addresses.length], Int32Array.from(addresses)).footprint)
  expect(of(0, 8, 4)).toEqual([0, 8, 4])
  expect(of(-1, 8)).toEqual([8])
})
