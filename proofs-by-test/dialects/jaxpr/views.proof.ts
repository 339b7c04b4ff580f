/** Law 1 of `refs.ts`: element i of a use is at the byte that Mosaic GPU gives it. */
import { describe, expect, test } from 'vitest'
import { swizzleAddress } from '../../../src/transforms/swizzle.js'
import type { Eqn, Jaxpr, Transform, Type } from '../../../src/dialects/jaxpr/index.js'
import { array, document, k, ran, v } from './documents.js'

const [rows, columns] = [16, 64] as const
/** f32 (16, 64) in tiles of (8, 32), swizzled by 128 bytes. */
const lies = [2, 2, 8, 32] as const
const transforms: ReadonlyArray<Transform> = [{ unswizzle: 128 }, { untile: [8, 32] }]

const i32 = (shape: ReadonlyArray<number>): Type => array('i32', shape)
const iota = (x: number, shape: ReadonlyArray<number>, dimension: number): Eqn => ({
  op: 'iota',
  params: { dtype: 'i32', shape, dimension },
  out: [{ v: x, type: i32(shape) }],
})
/** 64 i + j at (i, j) */
const numbered: ReadonlyArray<Eqn> = [
  iota(20, [rows, columns], 0),
  iota(21, [rows, columns], 1),
  { op: 'mul', in: [v(20), k(columns)], out: [{ v: 22, type: i32([rows, columns]) }] },
  { op: 'add', in: [v(22), v(21)], out: [{ v: 23, type: i32([rows, columns]) }] },
]

const through = (
  own: ReadonlyArray<Transform>,
  stored: ReadonlyArray<Transform>,
  read: ReadonlyArray<Transform>,
  shape: ReadonlyArray<number>,
): ReadonlyArray<number> => {
  const body: Jaxpr = {
    in: [
      { v: 10, type: { ref: 'gmem', dtype: 'i32', shape } },
      { v: 11, type: { ref: 'smem', dtype: 'i32', shape: lies, transforms: own } },
    ],
    eqns: [
      ...numbered,
      { op: 'swap', in: [v(23)], uses: { ref: { ref: v(11), view: stored } }, out: [null] },
      { op: 'get', uses: { ref: { ref: v(11), view: read } }, out: [{ v: 24, type: i32(shape) }] },
      { op: 'swap', in: [v(24)], uses: { ref: { ref: v(10) } }, out: [null] },
    ],
    out: [],
  }
  const scoped: Eqn = {
    op: 'run_scoped',
    in: [v(0)],
    params: { allocations: 1, collectiveAxes: [] },
    jaxprs: { body: 1 },
    out: [],
  }
  return ran(document([{ name: 'z', role: 'out', dtype: 'i32', shape }], [scoped], [body]))['z']!
}

const all = Array.from({ length: rows * columns }, (_, i) => i)

describe('law 1', () => {
  test('through its transforms an array is what was stored', () => {
    expect(through(transforms, transforms, transforms, [rows, columns])).toEqual(all)
    expect(through([], transforms, transforms, [rows, columns])).toEqual(all)
  })
  test('as it lies it is tiled and swizzled', () => {
    const wanted = new Array<number>(rows * columns)
    for (const n of all) {
      const [i, j] = [Math.floor(n / columns), n % columns]
      const at = ((Math.floor(i / 8) * 2 + Math.floor(j / 32)) * 8 + (i % 8)) * 32 + (j % 32)
      wanted[swizzleAddress(128)(4 * at) / 4] = n
    }
    expect(through(transforms, transforms, [], lies)).toEqual(wanted)
    expect(through([], transforms, [], lies)).toEqual(wanted)
  })
  test('a transposition behind the tiling', () => {
    const wanted = all.map((n) => (n % rows) * columns + Math.floor(n / rows))
    const untile: Transform = { untile: [8, 32] }
    expect(through([], [untile], [untile, { transpose: [1, 0] }], [columns, rows])).toEqual(wanted)
  })
  test('a part', () => {
    const part: Transform = {
      index: [
        { from: k(8), size: 8 },
        { from: k(32), size: 32 },
      ],
    }
    const wanted = all.filter((n) => n >= 8 * columns && n % columns >= 32)
    expect(through(transforms, transforms, [...transforms, part], [8, 32])).toEqual(wanted)
  })
})
