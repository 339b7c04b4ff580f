/**
 * Sums and maxima of rows: in the order of Mosaic GPU, bit for bit, and back to the array they came from.
 *
 * The oracle of the order is the table of the module's essay, written down with `Math.fround`.
 */
import { describe, expect, test } from 'vitest'
import * as E from 'fp-ts/lib/Either.js'
import * as Pallas from '../../../src/dialects/pallas/index.js'
import { splatLayout } from '../../../src/layouts/splat.js'
import { WGMMA, WGMMA_COL, WGMMA_ROW } from '../../../src/layouts/tiled.js'
import { bits, decode, encode } from '../../../src/numerics/index.js'
import * as B from '../../../src/semantics/writing/builder.js'
import { add, float, reduce, splat, type Tile } from '../../../src/semantics/language/expression.js'
import { readTensor } from '../../../src/semantics/execution/launch.js'
import { randomPatterns } from '../../../src/kernels/reference-inputs.js'
import { checked } from './programs.js'
import { right } from '../../either.js'

const f = Math.fround
const fold = (xs: ReadonlyArray<number>): number => xs.reduce((a, b) => f(a + b))

/** Columns of a row: register j has columns 8 j to 8 j + 7, lane c two of them. */
const byHand = (row: ReadonlyArray<number>, parts: number): number => {
  const registers = row.length / 8
  const lane = (c: number): number => {
    const vector = [0, 1].map((v) => {
      const of = (j: number): number => row[8 * j + 2 * c + v]!
      const all = Array.from({ length: registers }, (_, j) => j)
      return fold(Array.from({ length: parts }, (_, p) => fold(all.filter((j) => j % parts === p).map(of))))
    })
    return f(vector[0]! + vector[1]!)
  }
  return f(f(lane(0) + lane(1)) + f(lane(2) + lane(3)))
}

const sumOf = (
  shape: readonly [number, number],
  values: Float64Array,
  body: (x: Tile<'f32', 2>) => B.Build<Tile<'f32', 1>>,
): ReadonlyArray<number> => {
  const program = right(
    Pallas.kernel(
      { name: 'sums', arch: 'sm90a' },
      function* () {
        return {
          x: yield* B.tensorParam('x', 'f32', shape, { role: 'in' }),
          out: yield* B.tensorParam('out', 'f32', [shape[0]], { role: 'out' }),
        }
      },
      function* ({ x, out }) {
        const given = yield* Pallas.load('x', x.view, { layout: WGMMA })
        yield* Pallas.store('out', out.view, yield* body(given))
      },
    ),
  )
  const run = checked(program, { provenance: false }, bits('hopper'), new Map([['x', values]]))
  return Array.from(readTensor(run.world, run.machine, 'out') ?? [], (x) => decode('f32', x))
}

describe('law 1: the order of a sum', () => {
  // rows, statistics of a lane, partial sums of eight additions at once
  test.each([
    [64, 2, 2],
    [128, 4, 1],
    [192, 6, 1],
  ] as const)('%i rows: %i statistics of a lane, %i partial sums', (rows, _, parts) => {
    for (const columns of [16, 64, 128]) {
      const shape = [rows, columns] as const
      expect(Pallas.partialSums(WGMMA, shape, 1, 8)).toBe(parts)
      const values = randomPatterns('f32', rows + columns, 0, rows * columns)
      const row = (i: number): ReadonlyArray<number> =>
        Array.from(values.slice(i * columns, (i + 1) * columns), (x) => decode('f32', x))
      const all = Array.from({ length: rows }, (_x, i) => i)
      expect(sumOf(shape, values, (x) => Pallas.reduceSum('sum', x, 1))).toEqual(
        all.map((i) => byHand(row(i), parts)),
      )
      expect(sumOf(shape, values, (x) => Pallas.reduceSum('sum', x, 1, { ilp: 1 }))).toEqual(
        all.map((i) => byHand(row(i), 1)),
      )
      expect(sumOf(shape, values, (x) => Pallas.reduceMax('max', x, 1))).toEqual(
        all.map((i) => Math.max(...row(i))),
      )
    }
  })
  test('the orders differ: two partial sums keep what one loses', () => {
    // 2^24 in register 0, ones in registers 1, 3, 5, 7: added one by one to 2^24 they vanish
    const values = new Float64Array(64 * 64)
    for (let i = 0; i < 64; i++) {
      values[64 * i] = encode('f32', 2 ** 24)
      for (const j of [1, 3, 5, 7]) values[64 * i + 8 * j] = encode('f32', 1)
    }
    const two = sumOf([64, 64], values, (x) => Pallas.reduceSum('sum', x, 1))
    const one = sumOf([64, 64], values, (x) => Pallas.reduceSum('sum', x, 1, { ilp: 1 }))
    expect([two[0], one[0]]).toEqual([2 ** 24 + 4, 2 ** 24])
  })
})

test('a combination that is written the other way round gives the same sums', () => {
  const shape = [64, 64] as const
  const values = randomPatterns('f32', 3, 0, 64 * 64)
  const backwards = sumOf(shape, values, (x) =>
    B.letIn(
      'sum',
      reduce(x, 1, (a, b) => add<'f32'>(b, a), WGMMA_ROW),
    ),
  )
  expect(backwards).toEqual(sumOf(shape, values, (x) => Pallas.reduceSum('sum', x, 1, { ilp: 1 })))
})

describe('law 2: back to the array', () => {
  const meets = (layout: 'row' | 'column' | 'splat' | 'any'): E.Either<unknown, unknown> =>
    Pallas.kernel(
      { name: 'meets', arch: 'sm90a' },
      function* () {},
      function* () {
        const lies = {
          row: WGMMA_ROW,
          column: WGMMA_COL,
          splat: splatLayout([64]),
          any: 'any',
        } as const
        const x = splat<'f32', 1>(float('f32', 1), [64], lies[layout])
        yield* Pallas.broadcastInDim('b', x, [64, 64], 1, WGMMA)
      },
    )
  test.each(['row', 'splat', 'any'] as const)('%s is taken', (layout) => {
    expect(E.isRight(meets(layout))).toBe(true)
  })
  test('a statistic of columns is refused for rows', () => {
    expect(meets('column')).toMatchObject(E.left({ code: 'pallas.array.broadcast' }))
  })
})
