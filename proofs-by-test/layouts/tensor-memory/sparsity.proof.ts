/**
 * Where sparse metadata lie in tensor memory: `sparsity.ts`, against the two public definitions of it, each written down here as what it is: JAX's as a
 * reshape and a transpose of numbers of 2 bits, CuTe's as shapes and strides of elements of k in a memory that counts lanes first.
 */
import { describe, expect, test } from 'vitest'
import { placeInTensorMemory, rowInTensorMemory } from '../../../src/layouts/tensor-memory/sparsity.js'
import { formatTcgen05SparseMetadata } from '../../../src/dialects/pallas/index.js'
import type { Dtype } from '../../../src/numerics/dtype.js'
import { right } from '../../either.js'
import { cuteLines } from './sparse-lines.js'

/** Row-major: an array reshaped to `shape`, its dimensions in another order. */
const transposed = (
  x: ReadonlyArray<number>,
  shape: ReadonlyArray<number>,
  order: ReadonlyArray<number>,
): ReadonlyArray<number> => {
  const strides = shape.map((_, d) => shape.slice(d + 1).reduce((n, s) => n * s, 1))
  const to = order.map((d) => shape[d]!)
  return x.map((_, at) => {
    let [rest, from] = [at, 0]
    for (let d = to.length - 1; d >= 0; d--) {
      from += (rest % to[d]!) * strides[order[d]!]!
      rest = Math.floor(rest / to[d]!)
    }
    return x[from]!
  })
}

/** Numbers that differ in every row and column, as far as two bits can. */
const numbers = (count: number): ReadonlyArray<number> =>
  Array.from({ length: count }, (_, i) => (Math.imul(i + 1, 0x9e3779b1) >>> 13) % 4)
const inWords = (x: ReadonlyArray<number>): ReadonlyArray<number> =>
  Array.from({ length: x.length / 16 }, (_, w) =>
    x.slice(16 * w, 16 * w + 16).reduce((word, n, i) => word + n * 4 ** i, 0),
  )

describe('law 3: rows and groups in lanes, columns and bits', () => {
  const dtypes: ReadonlyArray<Dtype> = ['tf32', 'f16', 'bf16', 'e4m3', 'i8', 'e2m1']
  test.each(dtypes)('%s: a bijection, which reading a row inverts', (dtype) => {
    const [rows, groups] = [128, 24]
    const taken = new Set<string>()
    const lanes = new Array<number>((rows * groups) / 8).fill(0)
    const said = numbers(rows * groups * 2)
    for (let row = 0; row < rows; row++)
      for (let g = 0; g < groups; g++) {
        const { lane, column, bit } = placeInTensorMemory(dtype, row, g)
        expect([lane >> 4, column, bit % 4]).toEqual([row >> 4, g >> 3, 0])
        taken.add(`${String(lane)} ${String(column)} ${String(bit)}`)
        const at = 2 * (row * groups + g)
        lanes[lane * 3 + column] = lanes[lane * 3 + column]! + (said[at]! + 4 * said[at + 1]!) * 2 ** bit
      }
    expect(taken.size).toBe(rows * groups)
    for (let row = 0; row < rows; row++)
      expect(Array.from(rowInTensorMemory(dtype, lanes, 3, row), (w) => w >>> 0)).toEqual(
        inWords(said.slice(2 * row * groups, 2 * (row + 1) * groups)),
      )
  })

  test.each(dtypes)('%s: where the strides of CuTe put it', (dtype) => {
    const [rows, groups] = [128, 32]
    const bits = Array.from({ length: rows * groups }, (_, i) => (Math.imul(i + 7, 0x85ebca6b) >>> 9) % 16)
    const lines = cuteLines(dtype, rows, groups, (row, g) => bits[row * groups + g]!)
    const wanted = new Array<number>((rows * groups) / 8).fill(0)
    for (let row = 0; row < rows; row++)
      for (let g = 0; g < groups; g++) {
        const { lane, column, bit } = placeInTensorMemory(dtype, row, g)
        const at = (lane * groups) / 8 + column
        wanted[at] = wanted[at]! + bits[row * groups + g]! * 2 ** bit
      }
    expect(wanted).toEqual(lines)
  })
})

describe('format_tcgen05_sparse_metadata is the transpose that JAX says', () => {
  const [m, k] = [256, 128]
  const given = numbers(m * k)
  const formatted = (dtype: Dtype): ReadonlyArray<number> =>
    right(formatTcgen05SparseMetadata(given, [m, k / 2, 2], dtype))
  test('8 bits', () => {
    expect(formatted('e4m3')).toEqual(inWords(transposed(given, [m / 128, 128, k / 64, 64], [0, 2, 1, 3])))
  })
  test('16 bits', () => {
    const wanted = transposed(given, [m / 128, 8, 2, 8, k / 64, 4, 2, 8], [0, 4, 1, 6, 3, 5, 2, 7])
    expect(formatted('f16')).toEqual(inWords(wanted))
    expect(formatted('bf16')).toEqual(inWords(wanted))
    expect(formatted('e4m3')).not.toEqual(formatted('f16'))
  })
})
