import * as O from 'fp-ts/lib/Option.js'
import { expect, test } from 'vitest'
import * as GF2 from '../../src/layouts/gf2.js'
import { indices, range } from './captured.js'

/** All matrices of these many columns and rows. */
const matrices = (columns: number, rows: number): readonly GF2.Matrix[] =>
  indices(range(columns).map(() => 2 ** rows)).map((m) => m.map(BigInt))

/** All matrices of up to 3 columns and 3 rows, and those of 4 columns and 2 rows. */
const small = [...range(4).flatMap((n) => range(4).map((rows) => matrices(n, rows))), matrices(4, 2)].flat()

/** The value as the parity of each row's chosen bits. */
const value = (m: GF2.Matrix, x: number): number =>
  range(3).reduce((y, row) => {
    const ones = m.filter(
      (column, i) => Math.floor(x / 2 ** i) % 2 === 1 && (Number(column) >> row) % 2 === 1,
    )
    return y + (ones.length % 2) * 2 ** row
  }, 0)

const inputs = (m: GF2.Matrix): readonly number[] => range(2 ** m.length)
const image = (m: GF2.Matrix): ReadonlySet<number> => new Set(inputs(m).map((x) => value(m, x)))

test('the example of the header', () => {
  const m = [1n, 3n, 2n, 4n]
  expect(GF2.pivots(m)).toEqual([0, 1, 3])
  expect(GF2.rank(m)).toBe(3)
  expect(GF2.kernel(m)).toEqual([0b0111n])
  expect(GF2.solve(m)(6n)).toEqual(O.some(0b1011n))
  expect(GF2.solve(m)(8n)).toEqual(O.none)
})

test('law 1: the product is linear, all small matrices', () => {
  for (const m of small)
    expect(inputs(m).map((x) => GF2.multiply(m)(BigInt(x)))).toEqual(
      inputs(m).map((x) => BigInt(value(m, x))),
    )
})

test('law 2: rank and pivots by the size of the image, all small matrices', () => {
  for (const m of small) {
    const size = (n: number): number => image(m.slice(0, n)).size
    expect(2 ** GF2.rank(m)).toBe(size(m.length))
    expect(GF2.pivots(m)).toEqual(range(m.length).filter((i) => size(i + 1) > size(i)))
  }
})

test('law 3: the least solution by search, all small matrices', () => {
  for (const m of small) {
    const solve = GF2.solve(m)
    const least = range(8).map((y) => inputs(m).find((x) => value(m, x) === y))
    expect(range(8).map((y) => O.toUndefined(solve(BigInt(y))))).toEqual(
      least.map((x) => (x === undefined ? x : BigInt(x))),
    )
  }
})

test('law 4: the kernel by search, all small matrices', () => {
  for (const m of small) {
    const kernel = GF2.kernel(m)
    expect(kernel.length + GF2.rank(m)).toBe(m.length)
    const spanned = inputs(kernel).map((x) => GF2.multiply(kernel)(BigInt(x)))
    expect(new Set(spanned)).toEqual(
      new Set(
        inputs(m)
          .filter((x) => value(m, x) === 0)
          .map(BigInt),
      ),
    )
  }
})

test('any number of rows', () => {
  const m = [1n << 90n, 5n, (1n << 90n) | 4n]
  expect(GF2.rank(m)).toBe(3)
  expect(GF2.solve(m)(1n)).toEqual(O.some(0b111n))
})
