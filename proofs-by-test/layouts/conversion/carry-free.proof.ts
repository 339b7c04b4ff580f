import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, test } from 'vitest'
import { apply } from '../../../src/layouts/linear/linear-layout.js'
import * as CarryFree from '../../../src/layouts/conversion/carry-free.js'
import { range } from '../captured.js'

const spec = (values: ReadonlyArray<number>, size: number): Parameters<typeof CarryFree.carryFree>[0] => ({
  inputs: [{ name: 'x', bases: values.map((v) => [v]) }],
  outputs: [{ name: 'y', size }],
})

const sumOfBits = (values: ReadonlyArray<number>, x: number): number =>
  values.reduce((sum, v, bit) => sum + ((x >> bit) & 1) * v, 0)

describe('sums that are exclusive ors', () => {
  test('Laws 1 and 2: three values below 8 are accepted exactly when every sum is the exclusive or', () => {
    for (const a of range(8))
      for (const b of range(8))
        for (const c of range(8)) {
          const values = [a, b, c]
          const made = CarryFree.carryFree(spec(values, 8))
          const xor = (x: number): number => values.reduce((sum, v, bit) => sum ^ (((x >> bit) & 1) * v), 0)
          const agree = range(8).every((x) => sumOfBits(values, x) === xor(x))
          expect(E.isRight(made), values.join()).toBe(agree)
          if (E.isRight(made))
            for (const x of range(8)) expect(apply(made.right)({ x })).toEqual([sumOfBits(values, x)])
        }
  })

  test('Law 2: the message names the two bits and the output', () => {
    const carried = CarryFree.carryFree({
      inputs: [
        { name: 'row', bases: [[0, 4]] },
        {
          name: 'col',
          bases: [
            [1, 1],
            [2, 6],
          ],
        },
      ],
      outputs: [
        { name: 'dim0', size: 8 },
        { name: 'dim1', size: 8 },
      ],
    })
    expect(carried).toEqual(
      E.left({
        code: 'conversion.carry',
        message:
          'Not linear over GF(2): along dim1, bit 0 of row adds 4 and bit 1 of col adds 6, and their sum carries',
      }),
    )
  })

  test('values beyond 32 bits are compared in full', () => {
    expect(E.isLeft(CarryFree.carryFree(spec([2 ** 29 + 1, 1], 2 ** 30)))).toBe(true)
    expect(E.isRight(CarryFree.carryFree(spec([2 ** 29, 1], 2 ** 30)))).toBe(true)
  })

  test('Law 3: extents that are powers of two, and no others', () => {
    const checked = CarryFree.checkExtents((d) => `dimension ${String(d)}`)
    const powers = range(20).map((k) => 2 ** k)
    expect(checked(powers)).toEqual(E.right(powers))
    for (const n of [0, -2, 3, 6, 48, 1.5, 0.5])
      expect(checked([4, n])).toEqual(
        E.left({
          code: 'conversion.extent',
          message: `dimension 1 has extent ${String(n)}, but a layout over GF(2) counts in bits: expected a power of two`,
        }),
      )
  })

  test('doublings and unit vectors', () => {
    expect(CarryFree.doublings(8, 3)).toEqual([3, 6, 12])
    expect(CarryFree.doublings(1, 3)).toEqual([])
    expect(CarryFree.along(3, 1)(5)).toEqual([0, 5, 0])
  })
})
