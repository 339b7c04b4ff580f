/** The algebras in vectors against those of `numerics`: matrix products over the field and in order of k, and what is handed on. */
import * as O from 'fp-ts/lib/Option.js'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import * as fast from '../../src/fast/index.js'
import type { Algebra, Mma } from '../../src/numerics/algebra.js'
import { arithmetics, bits } from '../../src/numerics/bits.js'
import { floatDtypes, type FloatDtype } from '../../src/numerics/dtype.js'
import { field, prime } from '../../src/numerics/field.js'
import { kinds, matrix } from '../numerics/adversarial.js'
import { mismatches } from '../numerics/captured.js'
import { generator } from '../numerics/exact.js'
import { nightly } from '../extent.js'
import { prop } from '../prop.js'

const some = (o: O.Option<Mma>): Mma =>
  O.getOrElseW(() => {
    throw new Error('no product')
  })(o)
const both = (
  of: readonly [Algebra, Algebra],
  types: Parameters<Algebra['mma']>[0],
  shape: Parameters<Algebra['mma']>[1],
  matrices: readonly [Float64Array, Float64Array, Float64Array],
): void => {
  const [x, y] = of.map((algebra) => some(algebra.mma(types, shape))(...matrices))
  expect(mismatches(x!, y!)).toBe(0)
}

describe('the field', () => {
  const algebras = [fast.field(3), field(3)] as const
  const f16 = { a: 'f16', b: 'f16', acc: 'f32' } as const
  prop([
    fc.record({
      m: fc.integer({ min: 1, max: 9 }),
      n: fc.integer({ min: 1, max: 11 }),
      k: fc.integer({ min: 0, max: 40 }),
    }),
    fc.infiniteStream(
      fc.oneof(fc.integer({ min: 0, max: prime - 1 }), fc.constantFrom(0, 1, prime - 1, prime - 2)),
    ),
  ])('is the field', (shape, stream) => {
    const take = (n: number): Float64Array => Float64Array.from({ length: n }, () => stream.next().value)
    both(algebras, f16, shape, [take(shape.m * shape.k), take(shape.k * shape.n), take(shape.m * shape.n)])
  })
  test('the largest residues, 1 to 3 times what 64 bits hold before they are reduced', () => {
    for (const k of [2047, 2048, 2049, 4096, 6145]) {
      const all = (n: number): Float64Array => new Float64Array(n).fill(prime - 1)
      both(algebras, f16, { m: 1, n: 5, k }, [all(k), all(5 * k), all(5)])
    }
  })
  test('a carrier that is no residue spreads as it does there', () => {
    for (const at of [0, 1, 2]) {
      const given = [
        Float64Array.of(1, 2, 3, 4),
        Float64Array.of(5, 6, 7, 8),
        Float64Array.of(1, 1, 1, 1),
      ] as const
      given[at]![1] = NaN
      both(algebras, f16, { m: 2, n: 2, k: 2 }, given)
    }
  })
})

describe('in order of k', () => {
  const algebras = [fast.bits('ieee32'), bits('ieee32')] as const
  const operands: readonly FloatDtype[] = ['f32', 'f16', 'bf16', 'tf32', 'e4m3', 'e5m2']
  test.each(operands)('%s', (dtype) => {
    const next = generator(5)
    for (const [m, n, k] of [
      [1, 1, 1],
      [6, 16, 5],
      [4, 19, 7],
    ] as const)
      for (const left of kinds)
        for (const right of kinds)
          for (const acc of nightly
            ? kinds
            : [kinds[(kinds.indexOf(left) + kinds.indexOf(right)) % kinds.length]!])
            both(algebras, { a: dtype, b: dtype, acc: 'f32' }, { m, n, k }, [
              matrix(left, dtype, m * k, next),
              matrix(right, dtype, k * n, next),
              matrix(acc, 'f32', m * n, next),
            ])
  })
})

test('which products there are, and all that is no product, is as it was', () => {
  const shapes = [0, 7, 8, 16, 32].map((k) => ({ m: 2, n: 3, k }))
  for (const chip of arithmetics) {
    const [x, y] = [fast.bits(chip), bits(chip)]
    expect({ ...x, mma: y.mma }).toEqual({
      ...y,
      runs: true,
      unary: x.unary,
      binary: x.binary,
      cast: x.cast,
      constant: x.constant,
      fromBits: x.fromBits,
      fma: x.fma,
      compare: x.compare,
      scaledMma: x.scaledMma,
    })
    const types = floatDtypes.flatMap((a) =>
      floatDtypes.flatMap((b) => floatDtypes.map((acc) => ({ a, b, acc }))),
    )
    for (const shape of shapes)
      expect(types.filter((t) => O.isSome(x.mma(t, shape)) !== O.isSome(y.mma(t, shape)))).toEqual([])
  }
})
