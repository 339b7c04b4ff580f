/** Integer sums in vectors against the captured results of the chip and against the plain form: law 1. */
import * as O from 'fp-ts/lib/Option.js'
import { describe, expect, it, test } from 'vitest'
import * as fast from '../../src/fast/index.js'
import { fastIntegerSum } from '../../src/fast/integer-sum.js'
import type { IntegerMmaTypes, Mma, MmaShape } from '../../src/numerics/algebra.js'
import { arithmetics, bits } from '../../src/numerics/bits.js'
import { field } from '../../src/numerics/field.js'
import { integerMma } from '../../src/numerics/integer-product.js'
import { capturedIntegers, mismatches } from '../numerics/captured.js'
import { generator } from '../numerics/exact.js'
import { integerKinds, integers, mixes } from '../numerics/integer-matrices.js'
import { nightly } from '../extent.js'

const vectors = (types: IntegerMmaTypes, shape: MmaShape): Mma => {
  const mma = fastIntegerSum(types, shape)
  if (mma === null) throw new Error('no vectors')
  return mma
}
const plain = (types: IntegerMmaTypes, shape: MmaShape): Mma =>
  O.getOrElseW(() => {
    throw new Error('no product')
  })(integerMma(types, shape))

describe('law 1: the captured results of the chip', () => {
  it.each(capturedIntegers)('$file', ({ types, m, n, k, tiles }) => {
    for (const t of tiles) expect(mismatches(vectors(types, { m, n, k })(t.a, t.b, t.c), t.d)).toBe(0)
  })
})

describe('law 1: the plain form', () => {
  it.each(mixes)('$a x $b, saturating: $saturate', (types) => {
    const next = generator(78)
    // odd and even rows; one column, a whole panel, a panel and a bit; one instruction, and a chain
    for (const [m, n, blocks] of [
      [1, 1, 1],
      [2, 16, 2],
      [5, 37, 3],
    ] as const)
      for (const left of integerKinds)
        for (const right of integerKinds)
          // every kind of C beside every kind of A, and nightly beside every pair
          for (const [at, acc] of integerKinds.entries())
            for (
              let round = 0;
              round <
              (nightly
                ? 20
                : at === (integerKinds.indexOf(left) + 2 * integerKinds.indexOf(right)) % 5
                  ? 1
                  : 0);
              round++
            ) {
              const shape = { m, n, k: 32 * blocks }
              const a = integers(left, types.a, m * shape.k, next)
              const b = integers(right, types.b, shape.k * n, next)
              const c = integers(acc, 'i32', m * n, next)
              const kept = [a.slice(), b.slice(), c.slice()]
              const [x, y] = [vectors(types, shape)(a, b, c), plain(types, shape)(a, b, c)]
              if (mismatches(x, y) !== 0) expect([left, right, acc, ...x]).toEqual([left, right, acc, ...y])
              expect([a, b, c].map((x, i) => mismatches(x, kept[i]!))).toEqual([0, 0, 0])
            }
  })
  test('the largest sums that there are, into both limits, a chain of many', () => {
    for (const [types, x, y, c] of [
      [
        mixes.find(({ a, b, saturate }) => a === 'u8' && b === 'u8' && saturate)!,
        255,
        255,
        2 ** 31 - 32 * 255 ** 2,
      ],
      [
        mixes.find(({ a, b, saturate }) => a === 'i8' && b === 'u8' && saturate)!,
        -128,
        255,
        -(2 ** 31) + 32 * 128 * 255,
      ],
    ] as const)
      for (const off of [-1, 0, 1])
        for (const k of [32, 64, 4096]) {
          const shape = { m: 1, n: 1, k }
          const given = [
            new Float64Array(k).fill(x),
            new Float64Array(k).fill(y),
            Float64Array.of(c + off),
          ] as const
          expect(vectors(types, shape)(...given)).toEqual(plain(types, shape)(...given))
        }
  })
  test('no vectors for no elements and for a part of an instruction', () => {
    for (const shape of [
      { m: 0, n: 1, k: 32 },
      { m: 1, n: 0, k: 32 },
      { m: 1, n: 1, k: 0 },
      { m: 1, n: 1, k: 48 },
    ])
      expect(fastIntegerSum({ saturate: false }, shape)).toBeNull()
  })
})

test('the algebras in vectors have the products of the plain ones, and no others', () => {
  const next = generator(79)
  for (const [x, y] of [
    ...arithmetics.map((chip) => [fast.bits(chip), bits(chip)] as const),
    [fast.field(1), field(1)] as const,
  ])
    for (const types of mixes)
      for (const k of [0, 16, 32, 48, 64]) {
        const shape = { m: 3, n: 5, k }
        const [p, q] = [x.mma(types, shape), y.mma(types, shape)]
        expect(O.isSome(p)).toBe(O.isSome(q))
        if (O.isNone(p) || O.isNone(q)) continue
        const given = [
          integers('any', types.a, 3 * k, next),
          integers('any', types.b, 5 * k, next),
          integers('limits', 'i32', 15, next),
        ] as const
        expect(p.value(...given)).toEqual(q.value(...given))
      }
})
