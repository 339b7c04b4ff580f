/** Law 1 of `refs.ts`: element i of a use is at the byte that Mosaic GPU gives it. */
import { describe, expect, test } from 'vitest'
import { swizzleAddress } from '../../../src/transforms/swizzle.js'
import {
  elaborate,
  type Eqn,
  type Jaxpr,
  type Transform,
  type Type,
} from '../../../src/dialects/jaxpr/index.js'
import { left } from '../../either.js'
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

describe('swizzled and not tiled', () => {
  const size = 32
  const swizzled: ReadonlyArray<Transform> = [{ unswizzle: 128 }]
  const turned: ReadonlyArray<Transform> = [...swizzled, { transpose: [1, 0] }]
  const square: Type = array('i32', [size, size])
  /** A matrix is stored through one view and read through another. */
  const kernel = (
    stored: ReadonlyArray<Transform>,
    read: ReadonlyArray<Transform>,
    lowering: 'lane' | 'warpgroup' = 'lane',
  ) => {
    const body: Jaxpr = {
      in: [
        { v: 10, type: { ref: 'gmem', dtype: 'i32', shape: [size, size] } },
        { v: 11, type: { ref: 'gmem', dtype: 'i32', shape: [size, size] } },
        { v: 12, type: { ref: 'smem', dtype: 'i32', shape: [size, size] } },
      ],
      eqns: [
        { op: 'get', uses: { ref: { ref: v(10) } }, out: [{ v: 20, type: square }] },
        { op: 'swap', in: [v(20)], uses: { ref: { ref: v(12), view: stored } }, out: [null] },
        { op: 'get', uses: { ref: { ref: v(12), view: read } }, out: [{ v: 21, type: square }] },
        { op: 'swap', in: [v(21)], uses: { ref: { ref: v(11) } }, out: [null] },
      ],
      out: [],
    }
    const scoped: Eqn = {
      op: 'run_scoped',
      in: [v(0), v(1)],
      params: { allocations: 1, collectiveAxes: [] },
      jaxprs: { body: 1 },
      out: [],
    }
    return document(
      [
        { name: 'x', role: 'in', dtype: 'i32', shape: [size, size] },
        { name: 'z', role: 'out', dtype: 'i32', shape: [size, size] },
      ],
      [scoped],
      [body],
      { params: { lowering } },
    )
  }
  const x = Array.from({ length: size * size }, (_, n) => n)
  const across = x.map((n) => (n % size) * size + Math.floor(n / size))
  const lying = (xs: ReadonlyArray<number>): ReadonlyArray<number> => {
    const wanted = new Array<number>(xs.length)
    for (const [n, value] of xs.entries()) wanted[swizzleAddress(128)(4 * n) / 4] = value
    return wanted
  }
  test('what is read through a transposition is the transposed matrix', () => {
    expect(ran(kernel(swizzled, turned), { x })['z']).toEqual(across)
    expect(ran(kernel(turned, swizzled), { x })['z']).toEqual(across)
    expect(ran(kernel(turned, turned), { x })['z']).toEqual(x)
  })
  test('what is stored through one lies transposed, and swizzled by its addresses', () => {
    expect(ran(kernel(turned, []), { x })['z']).toEqual(lying(across))
    expect(ran(kernel(swizzled, []), { x })['z']).toEqual(lying(x))
  })
  test('for warpgroups JAX 0.11.2 lowers that, and 0.10.2 does not', () => {
    const d = kernel(swizzled, turned, 'warpgroup')
    expect(ran(d, { x })['z']).toEqual(across)
    expect(left(elaborate({ ...d, producer: { jax: '0.10.2' } })).message).toContain(
      "can't transpose the swizzled dimension",
    )
  })
})

describe('batches of tensor memory', () => {
  const tmem = (shape: ReadonlyArray<number>, name: string): Type => ({
    ref: 'tmem',
    dtype: 'i32',
    shape,
    layout: { name, args: [1] },
    packed: false,
    collective: false,
  })
  const batch = (at: number): ReadonlyArray<Transform> => [
    { expandLeading: [2] },
    { index: [{ at: k(at) }, { from: k(0), size: 128 }, { from: k(0), size: 32 }] },
  ]
  const store = (at: number, from: number): ReadonlyArray<Eqn> => [
    {
      op: 'get',
      uses: {
        ref: {
          ref: v(10),
          view: [{ index: [{ at: k(from) }, { from: k(0), size: 128 }, { from: k(0), size: 32 }] }],
        },
      },
      out: [{ v: 20 + at, type: i32([128, 32]) }],
    },
    {
      op: 'layout_cast',
      in: [v(20 + at)],
      params: { layout: { name: 'TCGEN05' } },
      out: [{ v: 30 + at, type: i32([128, 32]) }],
    },
    { op: 'async_store_tmem', in: [v(30 + at)], uses: { ref: { ref: v(12), view: batch(at) } } },
  ]
  test('are parts of its columns', () => {
    const body: Jaxpr = {
      in: [
        { v: 10, type: { ref: 'gmem', dtype: 'i32', shape: [2, 128, 32] } },
        { v: 11, type: { ref: 'gmem', dtype: 'i32', shape: [128, 64] } },
        { v: 12, type: tmem([128, 64], 'TMEM_DEFAULT') },
      ],
      eqns: [
        ...store(0, 0),
        ...store(1, 1),
        { op: 'commit_tmem' },
        { op: 'async_load_tmem', uses: { ref: { ref: v(12) } }, out: [{ v: 40, type: i32([128, 64]) }] },
        { op: 'wait_load_tmem' },
        { op: 'swap', in: [v(40)], uses: { ref: { ref: v(11) } }, out: [null] },
      ],
      out: [],
    }
    const scoped: Eqn = {
      op: 'run_scoped',
      in: [v(0), v(1)],
      params: { allocations: 1, collectiveAxes: [] },
      jaxprs: { body: 1 },
      out: [],
    }
    const operands = [
      { name: 'x', role: 'in', dtype: 'i32', shape: [2, 128, 32] },
      { name: 'z', role: 'out', dtype: 'i32', shape: [128, 64] },
    ] as const
    const x = Array.from({ length: 2 * 128 * 32 }, (_, i) => i)
    const z = Array.from({ length: 128 * 64 }, (_, i) => {
      const [row, column] = [Math.floor(i / 64), i % 64]
      return Math.floor(column / 32) * 4096 + row * 32 + (column % 32)
    })
    expect(ran(document(operands, [scoped], [body]), { x })['z']).toEqual(z)
  })
})
