/**
 * Optimized stores. Oracle: the 8 bytes that each lane of the WGMMA layout writes of an f32 array, by hand (row 8 h + lane / 4, columns 8 j + 2 (lane mod 4)), in both
 * orders for the lanes of odd rows, and the banks of each half of the lanes counted.
 */
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, test } from 'vitest'
import { checkOptimized } from '../../../src/dialects/pallas/copy/optimized.js'
import { WGMMA } from '../../../src/layouts/tiled.js'
import * as Ref from '../../../src/transforms/ref.js'
import * as T from '../../../src/transforms/transform.js'
import { right } from '../../either.js'

const lanes = Array.from({ length: 32 }, (_, lane) => lane)

/** A tile of 8 rows of 32 f32, swizzled over 16 bytes by its row if `span` is 128. */
const addressOf = (span: 0 | 128, row: number, column: number): number => {
  const chunk = Math.floor(column / 4)
  return 128 * row + 16 * (span === 128 ? chunk ^ (row % 8) : chunk) + 4 * (column % 4)
}

/** Do the lanes write without conflicts, where those of odd rows take column group j xor `jump`? Half of the lanes go at once. */
const isFree = (span: 0 | 128, jump: number): boolean =>
  [0, 1, 2, 3].every((j) =>
    [0, 16].every((first) => {
      const words = lanes.slice(first, first + 16).flatMap((lane) => {
        const row = Math.floor(lane / 4)
        const at = addressOf(span, row, 8 * (row % 2 === 1 ? j ^ jump : j) + 2 * (lane % 4))
        return [at / 4, at / 4 + 1]
      })
      return new Set(words.map((w) => w % 32)).size === words.length
    }),
  )

const stores = (span: 0 | 128): boolean => {
  const transforms = [right(T.tile([8, 32])), ...(span === 0 ? [] : [right(T.swizzle(span))])]
  const layout = right(Ref.ofTransforms([64, 32], 32, transforms))
  return E.isRight(checkOptimized('store', 'store', WGMMA, { name: 's', dtype: 'f32', layout }))
}

describe('an f32 array of the WGMMA layout', () => {
  test.each([0, 128] as const)('under swizzle %i: optimized if some order is without conflicts', (span) => {
    expect(stores(span)).toBe([0, 1, 2, 3].some((jump) => isFree(span, jump)))
  })
  test('one order alone meets conflicts, and two do not', () => {
    expect([isFree(128, 0), isFree(128, 1), isFree(128, 2)]).toEqual([false, false, true])
    expect([stores(128), stores(0)]).toEqual([true, false])
  })
})
