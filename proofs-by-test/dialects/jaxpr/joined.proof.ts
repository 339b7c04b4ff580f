/**
 * `concatenate`: arrays in registers, one after another.
 *
 * Oracle: lists of rows, put together by `concat`; nothing of layouts.
 */
import { describe, expect, test } from 'vitest'
import { elaborate, type Eqn } from '../../../src/dialects/jaxpr/index.js'
import { left } from '../../either.js'
import { array, document, ran, swap, v } from './documents.js'

type Shape = readonly [rows: number, columns: number]

const loaded = (variable: number, shape: ReadonlyArray<number>, layout: string | null): Eqn => ({
  op: 'get',
  uses: { ref: { ref: v(variable - 10) } },
  ...(layout === null ? {} : { params: { layout: { name: layout } } }),
  out: [{ v: variable, type: array('i32', shape) }],
})
const kernel = (
  dimension: number,
  shapes: ReadonlyArray<Shape>,
  whole: Shape,
  layouts: ReadonlyArray<string | null>,
) =>
  document(
    [
      ...shapes.map((shape, i) => ({ name: `x${String(i)}`, role: 'in' as const, dtype: 'i32', shape })),
      { name: 'z', role: 'out', dtype: 'i32', shape: whole },
    ],
    [
      ...shapes.map((shape, i) => loaded(10 + i, shape, layouts[i] ?? null)),
      {
        op: 'concatenate',
        in: shapes.map((_, i) => v(10 + i)),
        params: { dimension },
        out: [{ v: 30, type: array('i32', whole) }],
      },
      swap(shapes.length, v(30)),
    ],
  )

const rowsOf = (which: number, [rows, columns]: Shape): number[][] =>
  Array.from({ length: rows }, (_, i) =>
    Array.from({ length: columns }, (__, j) => 100_000 * (which + 1) + 1000 * i + j),
  )
const joined = (dimension: number, parts: ReadonlyArray<number[][]>): number[] =>
  dimension === 0 ? parts.flat(2) : (parts[0] ?? []).flatMap((_, i) => parts.flatMap((part) => part[i] ?? []))

describe.each([
  [
    'rows',
    0,
    [
      [64, 64],
      [128, 64],
    ],
    [192, 64],
    'WGMMA',
  ],
  [
    'columns',
    1,
    [
      [64, 64],
      [64, 128],
    ],
    [64, 192],
    'WGMMA',
  ],
  [
    'three, none as large as another',
    1,
    [
      [64, 16],
      [64, 8],
      [64, 64],
    ],
    [64, 88],
    'WGMMA',
  ],
  ['one', 0, [[64, 8]], [64, 8], 'WGMMA'],
  [
    'strided rows',
    0,
    [
      [4, 64],
      [8, 64],
    ],
    [12, 64],
    'WG_STRIDED',
  ],
  [
    'without a layout',
    0,
    [
      [4, 64],
      [8, 64],
    ],
    [12, 64],
    null,
  ],
] as ReadonlyArray<readonly [string, number, ReadonlyArray<Shape>, Shape, string | null]>)(
  '%s',
  (_, dimension, shapes, whole, layout) => {
    test('every element is where the lists have it', () => {
      const parts = shapes.map((shape, i) => rowsOf(i, shape))
      const given = Object.fromEntries(parts.map((part, i) => [`x${String(i)}`, part.flat()]))
      const d = kernel(
        dimension,
        shapes,
        whole,
        shapes.map(() => layout),
      )
      expect(ran(d, given)['z']).toEqual(joined(dimension, parts))
    })
  },
)

describe('refused', () => {
  const message = (...of: Parameters<typeof kernel>): string => left(elaborate(kernel(...of))).message
  test('strided arrays along another dimension, as JAX refuses them', () => {
    expect(
      message(
        1,
        [
          [4, 64],
          [4, 64],
        ],
        [4, 128],
        ['WG_STRIDED', 'WG_STRIDED'],
      ),
    ).toContain('strided ones along dimension 0')
  })
  test('strided arrays of other vectors, as JAX refuses them', () => {
    expect(
      message(
        0,
        [
          [2, 64],
          [4, 64],
        ],
        [6, 64],
        [null, null],
      ),
    ).toContain('one tiled layout')
  })
  test('arrays that lie in two ways', () => {
    expect(
      message(
        0,
        [
          [64, 64],
          [64, 64],
        ],
        [128, 64],
        ['WGMMA', 'WGMMA_TRANSPOSED'],
      ),
    ).toContain('one tiled layout')
  })
  test('arrays that differ along another dimension', () => {
    expect(
      message(
        0,
        [
          [64, 64],
          [64, 8],
        ],
        [128, 64],
        ['WGMMA', 'WGMMA'],
      ),
    ).toContain('differ along dimension 0 alone')
  })
  test('a dimension that they have not', () => {
    expect(
      message(
        2,
        [
          [64, 64],
          [64, 64],
        ],
        [128, 64],
        ['WGMMA', 'WGMMA'],
      ),
    ).toContain('dimension 2')
  })
})
