import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, test } from 'vitest'
import * as Tiled from '../../src/layouts/tiled.js'
import type { TiledLayout, TiledSpec } from '../../src/layouts/tiled.js'
import { code, indices, range, right } from './captured.js'

const { replicated } = Tiled

type Closed = (
  i: number,
  j: number,
) => readonly [warp: number, lane: number, register: number, vector: number]

const places = (layout: TiledLayout, shape: readonly number[]): readonly Tiled.TiledPlace[] =>
  indices([4, 32, Tiled.registerCount(layout, shape), Tiled.vectorLength(layout)]).map(
    ([warp, lane, register, vector]) => ({
      warp: warp!,
      lane: lane!,
      register: register!,
      vector: vector!,
    }),
  )

/** Name, an array shape, replication, and elements that some places hold. */
const table: readonly (readonly [string, TiledLayout, readonly number[], number])[] = [
  ['WGMMA', Tiled.WGMMA, [128, 16], 1],
  ['WGMMA_ACC_32BIT', Tiled.WGMMA_ACC_32BIT, [64, 16], 1],
  ['WGMMA_ROW', Tiled.WGMMA_ROW, [128], 4],
  ['WGMMA_COL', Tiled.WGMMA_COL, [32], 32],
  ['WGMMA_8BIT', Tiled.WGMMA_8BIT, [64, 32], 1],
  ['WGMMA_UPCAST_2X', Tiled.WGMMA_UPCAST_2X, [64, 32], 1],
  ['WGMMA_UPCAST_4X', Tiled.WGMMA_UPCAST_4X, [64, 32], 1],
  ['WGMMA_TRANSPOSED', Tiled.WGMMA_TRANSPOSED, [64, 16], 1],
  ['TCGEN05', Tiled.TCGEN05, [128, 16], 1],
  ['TCGEN05_TRANSPOSED', Tiled.TCGEN05_TRANSPOSED, [128, 8], 1],
  ['TCGEN05_ROW', Tiled.TCGEN05_ROW, [128], 4],
  ['TMA_INDICES', Tiled.TMA_INDICES, [32], 32],
  ['TMA_INDICES_4', Tiled.TMA_INDICES_4, [8], 128],
  ['TMEM_NATIVE(2)', right(Tiled.TMEM_NATIVE(2)), [128, 8], 1],
  ['WGMMA with a leading dimension', Tiled.WGMMA, [2, 64, 8], 1],
]

describe.each([...table])('%s', (_, layout, shape, replication) => {
  // Owners by the definition alone: every place, listed under the element it holds.
  const held = new Map<string, string[]>()
  for (const p of places(layout, shape)) {
    const e = Tiled.elementAt(layout, shape, p).join()
    held.set(e, [...(held.get(e) ?? []), JSON.stringify(p)])
  }

  test('law 1: partition: every element in exactly `replication` places, every place an element', () => {
    expect([...held.keys()].sort()).toEqual(
      indices(shape)
        .map((e) => e.join())
        .sort(),
    )
    expect([...new Set([...held.values()].map((found) => found.length))]).toEqual([replication])
    expect(Tiled.replication(layout)).toBe(replication)
  })

  test('law 2: owners are the places that hold the element', () => {
    const different = indices(shape).filter(
      (e) =>
        Tiled.ownersOf(layout, shape, e)
          .map((p) => JSON.stringify(p))
          .sort()
          .join() !== [...held.get(e.join())!].sort().join(),
    )
    expect(different).toEqual([])
  })

  test('laws 3 and 4: constants are canonical', () => {
    expect(right(Tiled.canonicalize(layout))).toEqual(layout)
    expect(Tiled.isTiledLayout(JSON.parse(JSON.stringify(layout)))).toBe(true)
  })

  test('law 5: the table of positions', () => {
    const strides = shape.map((_, k) => shape.slice(k + 1).reduce((a, b) => a * b, 1))
    const expected = places(layout, shape).map((p) =>
      Tiled.elementAt(layout, shape, p).reduce((sum, i, k) => sum + i * strides[k]!, 0),
    )
    expect([...Tiled.positionTable(layout, shape)]).toEqual(expected)
  })
})

/** Closed forms, each written from the instruction's register table. */
const closed: Readonly<Record<string, readonly [TiledLayout, readonly number[], Closed]>> = {
  WGMMA: [
    Tiled.WGMMA,
    [128, 32],
    (i, j) => [
      (i >> 4) % 4,
      4 * (i % 8) + ((j % 8) >> 1),
      ((i >> 6) * 4 + (j >> 3)) * 2 + ((i % 16) >> 3),
      j % 2,
    ],
  ],
  WGMMA_ACC_32BIT: [
    Tiled.WGMMA_ACC_32BIT,
    [64, 16],
    (i, j) => [(i >> 4) % 4, 4 * (i % 8) + ((j % 8) >> 1), (j >> 3) * 4 + ((i % 16) >> 3) * 2 + (j % 2), 0],
  ],
  WGMMA_8BIT: [
    Tiled.WGMMA_8BIT,
    [64, 32],
    (i, j) => [(i >> 4) % 4, 4 * (i % 8) + ((j % 16) >> 2), (j >> 4) * 2 + ((i % 16) >> 3), j % 4],
  ],
  // Groups of four columns of a row of 16 go to lanes 0, 2, 1, 3.
  WGMMA_UPCAST_2X: [
    Tiled.WGMMA_UPCAST_2X,
    [64, 16],
    (i, j) => [(i >> 4) % 4, 4 * (i % 8) + [0, 2, 1, 3][j >> 2]!, (i % 16) >> 3, j % 4],
  ],
  WGMMA_UPCAST_4X: [
    Tiled.WGMMA_UPCAST_4X,
    [64, 32],
    (i, j) => [(i >> 4) % 4, 4 * (i % 8) + (j >> 3), (i % 16) >> 3, j % 8],
  ],
  TCGEN05: [
    Tiled.TCGEN05,
    [128, 16],
    (i, j) => [i >> 5, 4 * (i % 8) + ((j % 8) >> 1), (j >> 3) * 4 + ((i % 32) >> 3), j % 2],
  ],
  TMEM_NATIVE: [right(Tiled.TMEM_NATIVE(2)), [128, 8], (i, j) => [i >> 5, i % 32, j >> 1, j % 2]],
  // A 2 x 2 block of WGMMA, transposed: rows and columns of the block exchange.
  WGMMA_TRANSPOSED: [
    Tiled.WGMMA_TRANSPOSED,
    [64, 16],
    (i, j) => {
      const [ti, tj] = [i - (i % 2) + (j % 2), j - (j % 2) + (i % 2)]
      return [(ti >> 4) % 4, 4 * (ti % 8) + ((tj % 8) >> 1), (tj >> 3) * 2 + ((ti % 16) >> 3), tj % 2]
    },
  ],
}

test.each(Object.entries(closed))('law 2: %s in closed form, every element', (_, [layout, shape, form]) => {
  for (const [i, j] of indices(shape)) {
    const [warp, lane, register, vector] = form(i!, j!)
    expect(Tiled.ownersOf(layout, shape, [i!, j!])).toEqual([{ warp, lane, register, vector }])
    expect(Tiled.elementAt(layout, shape, { warp, lane, register, vector })).toEqual([i, j])
  }
})

test('law 2: golden lanes', () => {
  const held = (layout: TiledLayout, shape: readonly number[], warp: number, lane: number): string =>
    indices([Tiled.registerCount(layout, shape), Tiled.vectorLength(layout)])
      .map(
        ([register, vector]) =>
          `(${Tiled.elementAt(layout, shape, { warp, lane, register: register!, vector: vector! }).join()})`,
      )
      .join('')
  expect(held(Tiled.WGMMA, [64, 16], 0, 0)).toBe('(0,0)(0,1)(8,0)(8,1)(0,8)(0,9)(8,8)(8,9)')
  expect(held(Tiled.WGMMA, [64, 8], 0, 5)).toBe('(1,2)(1,3)(9,2)(9,3)')
  expect(held(Tiled.WGMMA, [64, 8], 3, 31)).toBe('(55,6)(55,7)(63,6)(63,7)')
  expect(held(Tiled.WGMMA_ROW, [64], 2, 9)).toBe('(34)(42)')
  expect(held(Tiled.WGMMA_COL, [16], 3, 6)).toBe('(4)(5)(12)(13)')
  expect([0, 1, 4, 5].map((lane) => held(Tiled.WGMMA_TRANSPOSED, [64, 8], 0, lane).slice(0, 10))).toEqual([
    '(0,0)(1,0)',
    '(0,2)(1,2)',
    '(0,1)(1,1)',
    '(0,3)(1,3)',
  ])
  expect(held(Tiled.TCGEN05, [128, 8], 0, 0)).toBe('(0,0)(0,1)(8,0)(8,1)(16,0)(16,1)(24,0)(24,1)')
  expect(held(Tiled.TCGEN05, [128, 8], 3, 31)).toBe(
    '(103,6)(103,7)(111,6)(111,7)(119,6)(119,7)(127,6)(127,7)',
  )
})

describe('reductions', () => {
  test('law 6: the reduced lane holds the projection of what it held: all lanes', () => {
    for (const [layout, axis, shape] of [
      [Tiled.WGMMA, 0, [64, 16]],
      [Tiled.WGMMA, 1, [64, 16]],
      [Tiled.WGMMA_8BIT, 0, [64, 16]],
      [Tiled.WGMMA_8BIT, 1, [64, 16]],
      [Tiled.WGMMA_TRANSPOSED, 0, [64, 8]],
      [Tiled.WGMMA_TRANSPOSED, 1, [64, 8]],
      [Tiled.TCGEN05, 0, [128, 8]],
      [Tiled.TCGEN05, 1, [128, 8]],
      [right(Tiled.TMEM_NATIVE(2)), 1, [128, 4]],
    ] as const) {
      const reduced = right(Tiled.reduce([axis])(layout))
      const left = [shape[1 - axis]!]
      const [inReduced, inLayout] = [places(reduced, left), places(layout, shape)]
      for (const [warp, lane] of indices([4, 32])) {
        const of = (
          all: readonly Tiled.TiledPlace[],
          l: TiledLayout,
          s: readonly number[],
          k: number,
        ): readonly number[] =>
          [
            ...new Set(
              all.filter((p) => p.warp === warp && p.lane === lane).map((p) => Tiled.elementAt(l, s, p)[k]!),
            ),
          ].sort((a, b) => a - b)
        expect(of(inReduced, reduced, left, 0)).toEqual(of(inLayout, layout, shape, 1 - axis))
      }
    }
  })

  test('identity 10: WGMMA.reduce(1) = WGMMA_ROW, WGMMA.reduce(0) = WGMMA_COL, TCGEN05 likewise', () => {
    expect(right(Tiled.reduce([1])(Tiled.WGMMA))).toEqual(Tiled.WGMMA_ROW)
    expect(right(Tiled.reduce([0])(Tiled.WGMMA))).toEqual(Tiled.WGMMA_COL)
    expect(right(Tiled.reduce([1])(Tiled.TCGEN05))).toEqual(Tiled.TCGEN05_ROW)
    expect(right(Tiled.reduce([0])(Tiled.TCGEN05))).toEqual(Tiled.TCGEN05_COL)
  })

  test('refused', () => {
    expect(code(Tiled.reduce([2])(Tiled.WGMMA))).toBe('tiled.reduce-axis')
    expect(code(Tiled.reduce([-1])(Tiled.WGMMA))).toBe('tiled.reduce-axis')
    expect(code(Tiled.reduce([0, 1])(Tiled.WGMMA))).toBe('tiled.reduce-axis')
  })
})

describe('canonical form', () => {
  const specs: readonly (readonly [TiledSpec, readonly number[]])[] = [
    [
      {
        tiling: [
          [64, 8],
          [16, 8],
          [16, 8],
          [8, 8],
          [1, 2],
        ],
        warpDims: [-10],
        laneDims: [-4, -3],
        vectorDim: -1,
      },
      [64, 8],
    ],
    [
      {
        tiling: [[8], [8], [8], [2]],
        warpDims: [replicated(4), -3],
        laneDims: [replicated(8), -2],
        vectorDim: -1,
      },
      [16],
    ],
    [{ tiling: [[4, 32, 1]], warpDims: [-3], laneDims: [-2], vectorDim: -1 }, [4, 64, 3]],
    [
      {
        tiling: [
          [4, 32],
          [1, 32],
        ],
        warpDims: [-4],
        laneDims: [-1],
        vectorDim: -3,
      },
      [8, 64],
    ],
    [
      {
        tiling: [
          [4, 32],
          [4, 32],
        ],
        warpDims: [-2],
        laneDims: [-1],
        vectorDim: -3,
      },
      [8, 64],
    ],
    [
      { tiling: [[4, 1, 1, 1, 32, 2]], warpDims: [-6, replicated(1)], laneDims: [-2], vectorDim: -1 },
      [4, 2, 3, 1, 32, 2],
    ],
  ]

  /** elementAt from the definition, for data that is not canonical. */
  const brute = (spec: TiledSpec, shape: readonly number[], place: Tiled.TiledPlace): readonly number[] => {
    let tiled = [...shape]
    for (const t of spec.tiling) {
      const head = tiled.length - t.length
      tiled = [...tiled.slice(0, head), ...t.map((n, k) => tiled[head + k]! / n), ...t]
    }
    const taken = [...spec.warpDims, ...spec.laneDims, spec.vectorDim]
      .filter((d) => typeof d === 'number')
      .map((d) => tiled.length + d)
    const at = tiled.map(() => 0)
    const spread = (entries: readonly Tiled.Partitioned[], value: number): void => {
      let rest = value
      for (const entry of [...entries].reverse()) {
        const n = typeof entry === 'number' ? tiled[tiled.length + entry]! : entry.times
        if (typeof entry === 'number') at[tiled.length + entry] = rest % n
        rest = Math.floor(rest / n)
      }
    }
    spread(spec.warpDims, place.warp)
    spread(spec.laneDims, place.lane)
    at[tiled.length + spec.vectorDim] = place.vector
    let rest = place.register
    for (let d = tiled.length - 1; d >= 0; d--)
      if (!taken.includes(d)) {
        at[d] = rest % tiled[d]!
        rest = Math.floor(rest / tiled[d]!)
      }
    let index: readonly number[] = at
    for (const t of [...spec.tiling].reverse()) {
      const head = index.length - 2 * t.length
      const before = index
      index = [
        ...before.slice(0, head),
        ...t.map((n, k) => before[head + k]! * n + before[head + t.length + k]!),
      ]
    }
    return index
  }

  const differences = (
    layout: TiledLayout,
    spec: TiledSpec,
    shape: readonly number[],
  ): readonly Tiled.TiledPlace[] =>
    places(layout, shape).filter(
      (p) => Tiled.elementAt(layout, shape, p).join() !== brute(spec, shape, p).join(),
    )

  test('laws 3 and 4: canonicalize is idempotent and keeps every place', () => {
    for (const [spec, shape] of specs) {
      expect(code(Tiled.tiledLayout(spec)), JSON.stringify(spec)).toBe(
        spec === specs[2]![0] ? null : 'tiled.not-canonical',
      )
      const canonical = right(Tiled.canonicalize(spec))
      expect(right(Tiled.canonicalize(canonical))).toEqual(canonical)
      expect(differences(canonical, spec, shape)).toEqual([])
    }
    for (const [, layout, shape] of table) expect(differences(layout, layout, shape)).toEqual([])
  })

  test('law 3: canonical forms by hand', () => {
    expect(right(Tiled.canonicalize(specs[0]![0]))).toEqual(Tiled.WGMMA)
    expect(right(Tiled.canonicalize(specs[1]![0]))).toEqual(Tiled.WGMMA_COL)
    expect(right(Tiled.canonicalize(specs[4]![0]))).toMatchObject({
      tiling: [[4, 32], [1]],
      warpDims: [-3],
      laneDims: [-2],
      vectorDim: -1,
    })
  })
})

test('refusals by code', () => {
  const wgmma: TiledSpec = {
    tiling: [[64, 8], [16, 8], [8, 8], [2]],
    warpDims: [-7],
    laneDims: [-3, -2],
    vectorDim: -1,
  }
  const changed = (part: Partial<TiledSpec>): string | null => code(Tiled.tiledLayout({ ...wgmma, ...part }))
  expect(changed({})).toBeNull()
  expect(changed({ tiling: [] })).toBe('tile.empty')
  expect(
    changed({
      tiling: [
        [64, 8],
        [48, 8],
      ],
    }),
  ).toBe('tile.not-divisible')
  expect(changed({ warpDims: [7] })).toBe('tiled.dimension-range')
  expect(changed({ warpDims: [-10] })).toBe('tiled.dimension-range')
  expect(changed({ vectorDim: 0 })).toBe('tiled.dimension-range')
  expect(changed({ vectorDim: -1.5 })).toBe('tiled.dimension-range')
  expect(changed({ vectorDim: -2 })).toBe('tiled.dimension-duplicate')
  expect(changed({ warpDims: [-5] })).toBe('tiled.warps')
  expect(changed({ laneDims: [-3] })).toBe('tiled.lanes')
  expect(changed({ warpDims: [-7, replicated(2)] })).toBe('tiled.warps')
  expect(changed({ warpDims: [-7, replicated(0)] })).toBe('tiled.replication')
  expect(changed({ warpDims: [-7, replicated(1)] })).toBe('tiled.not-canonical')
  expect(changed({ warpDims: [-7, -4] })).toBe('tiled.not-canonical')
  expect(Tiled.isTiledLayout({ _tag: 'tiled', ...wgmma, laneDims: [-3] })).toBe(false)
  expect(code(Tiled.checkShape(Tiled.WGMMA, [64, 12]))).toBe('layout.shape')
  expect(code(Tiled.checkShape(Tiled.WGMMA, [64]))).toBe('layout.shape')
  expect(E.isRight(Tiled.checkShape(Tiled.WGMMA, [2, 64, 8]))).toBe(true)
  expect(Tiled.sameTiledLayout(Tiled.WGMMA, Tiled.WGMMA_ACC_32BIT)).toBe(false)
  expect(Tiled.sameBaseTile(Tiled.WGMMA, Tiled.WGMMA_ACC_32BIT)).toBe(true)
  expect(Tiled.sameTiledLayout(Tiled.WGMMA_COL, right(Tiled.reduce([0])(Tiled.WGMMA)))).toBe(true)
  expect(range(4).map((v) => code(Tiled.TMEM_NATIVE(v)))).toEqual(['tile.not-positive', null, null, null])
})
