/** Law 1 of `symmetry.ts`, on every form that it names; and forms that are not symmetric are not named. */
import { describe, expect, it } from 'vitest'
import {
  isSymmetric,
  rest,
  scalarOperation,
  scalarOperations,
  wordsOf,
  type ScalarOperation,
} from '../../../src/numerics/scalar/index.js'

const special = [
  0, -0x80000000, 1, -1, 0x3f800000, 0x7f800000, -0x800000, 0x7fc00001, -0x3fffff, 0x7fa00001, 0x3c003c00,
  0x7e017e00, 0x00008000, 0x7f7fffff,
]

const drawing = (seed: number): (() => number) => {
  let x = seed | 1
  return () => {
    x ^= x << 13
    x ^= x >>> 17
    x ^= x << 5
    return x
  }
}

const resultOf = ({ compute, results }: ScalarOperation, words: ReadonlyArray<number>): string => {
  const first = compute(...words)
  const count = results.reduce((n, type) => n + wordsOf(type), 0)
  return [first, ...Array.from({ length: count - 1 }, (_, k) => rest[k])].join()
}

const exchanged = ({ operands }: ScalarOperation, words: ReadonlyArray<number>): ReadonlyArray<number> => {
  const n = wordsOf(operands[0]!)
  return [...words.slice(n, 2 * n), ...words.slice(0, n), ...words.slice(2 * n)]
}

describe('operands that may be exchanged', () => {
  it('leave every word of the results as it was', () => {
    const named = scalarOperations.filter(isSymmetric)
    expect(named.length).toBeGreaterThan(60)
    const draw = drawing(7)
    for (const row of named) {
      const count = row.operands.reduce((n, type) => n + wordsOf(type), 0)
      const word = (type: string): number => {
        const one = draw()
        const x = (one & 3) === 0 ? draw() : special[(one >>> 3) % special.length]!
        return type === 'pred' ? x & 1 : x
      }
      const types = row.operands.flatMap((type) => (wordsOf(type) === 2 ? [type, type] : [type]))
      for (let k = 0; k < 200; k++) {
        const words = Array.from({ length: count }, (_, i) => word(types[i]!))
        expect([row.name, words, resultOf(row, exchanged(row, words))]).toEqual([
          row.name,
          words,
          resultOf(row, words),
        ])
      }
    }
  })
  it('are those of sums, products and logic, and not of what has a first and a second', () => {
    const is = (name: string): boolean => isSymmetric(scalarOperation(name)!)
    expect(
      ['add.rn.f32', 'fma.rn.f32', 'max.f32', 'mul.wide.u32', 'xor.b32', 'add.rn.f16x2'].map(is),
    ).toEqual(Array<boolean>(6).fill(true))
    expect(['sub.rn.f32', 'shl.b32', 'div.s32', 'add.rn.f64'].map(is)).toEqual(Array<boolean>(4).fill(false))
  })
})
