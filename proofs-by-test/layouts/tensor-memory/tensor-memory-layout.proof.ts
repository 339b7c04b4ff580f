import { describe, expect, test } from 'vitest'
import * as T from '../../../src/layouts/tensor-memory/tensor-memory-layout.js'
import type { TensorMemoryLayout } from '../../../src/layouts/tensor-memory/tensor-memory-layout.js'
import { accumulator, accumulatorCell } from '../../../src/layouts/tensor-memory/accumulator.js'
import { copyLanes } from '../../../src/layouts/tensor-memory/copy-shape.js'
import * as Tiled from '../../../src/layouts/tiled.js'
import { indices, range } from '../captured.js'
import { byBases, log2 } from './bases.js'
import { nightly, sampled, small } from '../../extent.js'
import { code, right } from '../../either.js'

const half = right(T.halfLane(32, 1))
const half16 = right(T.halfLane(16, 1))
const halfPacked = right(T.halfLane(16, 8))
const m64 = right(T.m64Collective(32, 2))

/** [lanes, column, part] of element (i, j) of an array with so many rows and columns. */
type Closed = (
  i: number,
  j: number,
  rows: number,
  columns: number,
) => readonly [lanes: readonly number[], column: number, part: number]

/** Inside one base tile; tiles follow row by row. */
const tiled =
  (bm: number, bn: number, width: number, form: Closed): Closed =>
  (i, j, _, columns) => {
    const [lanes, column, part] = form(i % bm, j % bn, bm, bn)
    return [lanes, (Math.floor(i / bm) * (columns / bn) + Math.floor(j / bn)) * width + column, part]
  }

const cases: readonly (readonly [string, TensorMemoryLayout, number, readonly number[], Closed])[] = [
  ['DEFAULT(1)', right(T.defaultLayout(1)), 32, [128, 1], tiled(128, 1, 1, (i) => [[i], 0, 0])],
  ['DEFAULT(2)', right(T.defaultLayout(2)), 16, [128, 2], tiled(128, 2, 1, (i, j) => [[i], 0, j])],
  ['DEFAULT(8)', right(T.defaultLayout(8)), 4, [128, 8], tiled(128, 8, 1, (i, j) => [[i], 0, j])],
  [
    'HALF_LANE(16, 1)',
    half16,
    32,
    [64, 16],
    tiled(64, 16, 8, (i, j) => [[32 * (i >> 4) + 16 * (j >> 3) + (i % 16)], j % 8, 0]),
  ],
  [
    'HALF_LANE(16, 8)',
    halfPacked,
    4,
    [64, 16],
    tiled(64, 16, 1, (i, j) => [[32 * (i >> 4) + 16 * (j >> 3) + (i % 16)], 0, j % 8]),
  ],
  [
    'M64_COLLECTIVE(32, 2)',
    m64,
    16,
    [64, 32],
    tiled(64, 32, 8, (i, j) => [[64 * (j >> 4) + i], (j % 16) >> 1, j % 2]),
  ],
  [
    'SCALES',
    T.scales,
    8,
    [128, 4],
    (i, k, rows) => [
      range(4).map((q) => 32 * q + (i % 32)),
      4 * (rows / 128) * (k >> 2) + 4 * Math.floor(i / 128) + ((i % 128) >> 5),
      k % 4,
    ],
  ],
  [
    'B_SCALES_M64_COLLECTIVE',
    T.bScalesM64Collective,
    8,
    [256, 4],
    // CuTe: lane x mod 32 + 64 h + 32 r for r = 0, 1, with h the half of N.
    (i, k) => [
      range(2).map((r) => (i % 32) + 64 * (i >> 7) + 32 * r),
      4 * (k >> 2) + ((i % 128) >> 5),
      k % 4,
    ],
  ],
  ['SPARSE_METADATA', T.sparseMetadata, 2, [128, 16], tiled(128, 16, 1, (i, j) => [[i], 0, j])],
]

const multiples = small
  ? ([[2, 2]] as const)
  : nightly
    ? ([
        [1, 1],
        [2, 1],
        [1, 2],
        [3, 3],
      ] as const)
    : ([
        [1, 1],
        [2, 3],
      ] as const)

// by day every second layout
describe.each(sampled(2, cases))('%s', (name, layout, bits, base, closed) => {
  const copies = { SCALES: 4, B_SCALES_M64_COLLECTIVE: 2 }[name] ?? 1

  test.each([...multiples])(
    'laws 1 to 4, by exhaustion, %i x %i base tiles: places in closed form, elements back, the table',
    (up, across) => {
      const rows = base[0]! * (layout.kind === 'b-scales-m64-collective' ? 1 : up)
      const shape = [rows, base[1]! * across]
      expect(code(T.checkType(layout, shape, bits))).toBeNull()
      const [columns, length] = [T.columnsOf(layout, shape), T.vectorLength(layout)]
      expect(columns).toBe((shape[0]! * shape[1]! * copies) / 128 / length)
      expect(T.replication(layout)).toBe(copies)
      const table = T.positionTable(layout, shape)
      expect(table.length).toBe(128 * columns * length)
      const wrong: unknown[] = []
      let filled = 0
      for (const [i, j] of indices(shape)) {
        const [lanes, column, part] = closed(i!, j!, shape[0]!, shape[1]!)
        const found = T.places(layout, shape, [i!, j!])
        const expected = lanes.map((lane) => ({ lane, column, part }))
        if (found.length !== copies || expected.some((p, k) => !same(p, found[k]!))) wrong.push([i, j, found])
        for (const p of expected) {
          const at = (p.lane * columns + p.column) * length + p.part
          const [bi, bj] = T.elementAt(layout, shape, p)
          if (table[at] !== i! * shape[1]! + j! || bi !== i || bj !== j) wrong.push([i, j, p])
          filled += 1
        }
      }
      expect(wrong).toEqual([])
      expect(filled).toBe(table.length)
    },
  )

  test('law 6: its name, and data from outside', () => {
    expect(T.showTensorMemoryLayout(layout)).toBe(name)
    expect(right(T.parseTensorMemoryName(name))).toEqual(layout)
    expect(right(T.parseTensorMemoryName(`plgpu.TMEMLayout.${name}`))).toEqual(layout)
    expect(T.isTensorMemoryLayout(JSON.parse(JSON.stringify(layout)))).toBe(true)
    for (const [, other] of cases) expect(T.sameTensorMemoryLayout(layout, other)).toBe(layout === other)
    for (const { kind } of T.tensorMemoryFamilies)
      expect(T.isTensorMemoryLayout({ _tag: 'tensor-memory', kind, tiled: layout.tiled })).toBe(
        kind === layout.kind,
      )
  })
})

const same = (a: T.TmemPlace, b: T.TmemPlace): boolean =>
  a.lane === b.lane && a.column === b.column && a.part === b.part

describe('identity 12', () => {
  /** Does every cell hold what both say? `cell` gives the lane and column of an element, if it is in this array. */
  const differences = (
    layout: TensorMemoryLayout,
    rows: number,
    n: number,
    triton: (...inputs: readonly number[]) => readonly number[],
    cell: (i: number, j: number) => { readonly lane: number; readonly column: number },
  ): number => {
    const table = T.positionTable(layout, [rows, n])
    const columns = table.length / 128
    let different = 0
    table.forEach((position, at) => {
      const [i, j] = triton(Math.floor(at / columns), at % columns)
      if (position !== i! * n + j!) different += 1
    })
    for (let i = 0; i < rows; i++)
      for (let j = 0; j < n; j++) {
        const { lane, column } = cell(i, j)
        if (table[lane * columns + column] !== i * n + j) different += 1
      }
    return different
  }
  const bits = (n: number, dimension: number): readonly (readonly number[])[] =>
    log2(n).map((k) => (dimension === 0 ? [1 << k, 0] : [0, 1 << k]))

  test.each([16, 32, 64, 128, 256])('default = tensor_memory(128) = data path D, %i columns', (n) => {
    const d = right(accumulator('D', n))
    const triton = byBases(bits(128, 0), bits(n, 1))
    expect(differences(right(T.defaultLayout(1)), 128, n, triton, (i, j) => accumulatorCell(d, i, j))).toBe(0)
  })

  test.each([16, 32, 64, 128, 256])(
    'half_lane on %i columns = tensor_memory(64, blockN = N/2) = two data paths F, at lanes 0 and 16',
    (n) => {
      const triton = byBases([...bits(16, 0), [0, n / 2], [16, 0], [32, 0]], bits(n / 2, 1))
      const f = [right(accumulator('F', n / 2)), right(accumulator('F', n / 2, 16))]
      expect(
        differences(right(T.halfLane(n, 1)), 64, n, triton, (i, j) =>
          accumulatorCell(f[Math.floor((2 * j) / n)]!, i, j % (n / 2)),
        ),
      ).toBe(0)
    },
  )

  test.each([16, 32, 64, 128, 256])(
    'm64_collective on %i columns = tensor_memory(64, twoCTAs) = each half of data path B',
    (n) => {
      const triton = byBases([...bits(64, 0), [0, n / 2]], bits(n / 2, 1))
      const b = right(accumulator('B', n))
      for (const cta of [0, 1])
        expect(
          differences(right(T.m64Collective(n, 1)), 64, n, triton, (i, j) =>
            accumulatorCell(b, 64 * cta + i, j),
          ),
        ).toBe(0)
    },
  )
})

describe('identity 14: scales', () => {
  test('= Triton, rows first (256 x 8), and as the copy of 32 x 128b to four warps writes them', () => {
    // Bases of the column, a byte each: k 1, 2; rows 32, 64, 128; k 4.
    const triton = byBases(
      [...log2(32).map((k) => [1 << k, 0]), [0, 0], [0, 0]],
      [
        [0, 1],
        [0, 2],
        [32, 0],
        [64, 0],
        [128, 0],
        [0, 4],
      ],
    )
    for (const [x, k] of indices([256, 8])) {
      const found = T.places(T.scales, [256, 8], [x!, k!])
      // An atom of 128 rows x 4: byte (x mod 32) 16 + (x div 32) 4 + k; row = byte div 16; atoms follow rows first.
      const atom = 2 * (k! >> 2) + (x! >> 7)
      const byte = (x! % 32) * 16 + ((x! % 128) >> 5) * 4 + (k! % 4)
      const lanes = copyLanes('32x128b.warpx4', byte >> 4)
      const expected = lanes.map((lane) => ({
        lane,
        column: 4 * atom + ((byte % 16) >> 2),
        part: byte % 4,
      }))
      if (JSON.stringify(found) !== JSON.stringify(expected)) expect(found).toEqual(expected)
      for (const p of found)
        if (triton(p.lane, 4 * p.column + p.part).join() !== `${x!},${k!}`) expect(p).toBe([x, k])
    }
  })

  test('scales of B for a pair, as the copy of 64 x 128b to warps 0 and 1, 2 and 3 writes them', () => {
    for (const [x, k] of indices([256, 4])) {
      const row = 32 * (x! >> 7) + (x! % 32)
      expect(T.places(T.bScalesM64Collective, [256, 4], [x!, k!]).map(({ lane }) => lane)).toEqual(
        copyLanes('64x128b.warpx2::01_23', row),
      )
    }
  })
})

test('as tiled layouts: the default is TMEM_NATIVE; base tiles; which names are equal', () => {
  for (const p of [1, 2, 4, 8])
    expect(right(T.defaultLayout(p)).tiled).toEqual(right(Tiled.canonicalize(right(Tiled.TMEM_NATIVE(p)))))
  expect(cases.map(([, { tiled: t }]) => Tiled.baseTileShape(t))).toEqual(cases.map(([, , , base]) => base))
  expect(cases.map(([, layout]) => T.vectorLength(layout))).toEqual([1, 2, 8, 1, 8, 2, 4, 4, 16])
})

test('columns: three packed bf16 refs of 128 x 256 take 128 each', () => {
  expect(T.columnsOf(right(T.defaultLayout(2)), [128, 256])).toBe(128)
  expect(T.columnsOf(right(T.defaultLayout(1)), [128, 256])).toBe(256)
  expect(T.columnsOf(right(T.halfLane(256, 1)), [64, 256])).toBe(128)
  expect(T.columnsOf(T.scales, [256, 8])).toBe(16)
  expect(T.columnsOf(T.bScalesM64Collective, [256, 8])).toBe(8)
})

test('what may have which layout', () => {
  const check = (layout: TensorMemoryLayout, shape: readonly number[], bits: number): string | null =>
    code(T.checkType(layout, shape, bits))
  const [one, two] = [right(T.defaultLayout(1)), right(T.defaultLayout(2))]
  expect([1, 8, 16, 32, 64].map((bits) => check(one, [128, 8], bits))).toEqual([
    null,
    null,
    null,
    null,
    'tmem.packing',
  ])
  expect([8, 16, 32].map((bits) => check(two, [128, 8], bits))).toEqual([
    'tmem.packing',
    null,
    'tmem.packing',
  ])
  expect(check(two, [128, 7], 16)).toBe('layout.shape')
  expect(check(two, [64, 8], 16)).toBe('layout.shape')
  expect(check(two, [2, 128, 8], 16)).toBe('tmem.rank')
  expect(check(two, [128], 16)).toBe('tmem.rank')
  expect(check(half, [64, 48], 32)).toBe('layout.shape')
  expect(check(T.bScalesM64Collective, [512, 4], 8)).toBe('tmem.rows')
  expect(check(T.bScalesM64Collective, [256, 6], 8)).toBe('layout.shape')
})

test('parameters', () => {
  expect([0, 1, 2, 3, 4, 6, 8, 16].map((p) => code(T.defaultLayout(p)))).toEqual(
    [0, 1, 2, 3, 4, 6, 8, 16].map((p) => ([1, 2, 4, 8].includes(p) ? null : 'tmem.packing')),
  )
  for (const make of [T.halfLane, T.m64Collective]) {
    expect([-16, 0, 8, 16, 24, 32, 16.5].map((c) => code(make(c, 1)))).toEqual(
      [-16, 0, 8, 16, 24, 32, 16.5].map((c) => (c === 16 || c === 32 ? null : 'tmem.columns')),
    )
    expect(code(make(32, 16))).toBe('tmem.packing')
  }
  // A tiled layout with another number of columns or another packing is none of these.
  const forged = (kind: T.TensorMemoryKind, columns: number, p: number): boolean =>
    T.isTensorMemoryLayout({
      _tag: 'tensor-memory',
      kind,
      tiled: right(
        Tiled.canonicalize({
          tiling: [[64, columns], [16, columns / 2], [p]],
          warpDims: [-5],
          laneDims: [-4, -3],
          vectorDim: -1,
        }),
      ),
    })
  expect(forged('half-lane', 32, 4)).toBe(true)
  expect(forged('half-lane', 24, 4)).toBe(false)
  expect(forged('half-lane', 64, 16)).toBe(false)
  expect(forged('m64-collective', 32, 4)).toBe(false)
  expect(
    T.isTensorMemoryLayout({ _tag: 'tensor-memory', kind: 'default', tiled: right(Tiled.TMEM_NATIVE(16)) }),
  ).toBe(false)
})

test('what is inferred from rows, and leading dimensions', () => {
  const infer = (shape: readonly number[], bits: number, collective: boolean, packed?: boolean): string => {
    const layout = T.inferLayout(shape, bits, packed === undefined ? { collective } : { collective, packed })
    return layout._tag === 'Right' ? T.showTensorMemoryLayout(layout.right) : layout.left.code
  }
  expect(infer([128, 256], 32, false)).toBe('DEFAULT(1)')
  expect(infer([128, 256], 32, true)).toBe('DEFAULT(1)')
  expect(infer([128, 256], 16, false, true)).toBe('DEFAULT(2)')
  expect(infer([128, 256], 16, false, false)).toBe('DEFAULT(1)')
  expect(infer([128, 256], 8, false, true)).toBe('DEFAULT(4)')
  expect(infer([128, 256], 4, false, true)).toBe('DEFAULT(8)')
  expect(infer([64, 256], 32, false)).toBe('HALF_LANE(256, 1)')
  expect(infer([64, 256], 32, true)).toBe('M64_COLLECTIVE(256, 1)')
  expect(infer([2, 3, 64, 16], 16, true, true)).toBe('M64_COLLECTIVE(96, 2)')
  expect(infer([128, 256], 16, false)).toBe('tmem.packed-unsaid')
  expect(infer([128, 256], 64, false, false)).toBe('tmem.packing')
  expect(infer([128, 256], 2, false, true)).toBe('tmem.packing')
  expect(infer([128, 255], 16, false, true)).toBe('tmem.packing')
  expect(infer([32, 256], 32, false)).toBe('tmem.rows')
  expect(infer([256, 256], 32, false)).toBe('tmem.rows')
  expect(infer([64, 24], 32, false)).toBe('tmem.columns')
  expect(infer([128], 32, false)).toBe('tmem.rank')
  expect(T.inferLayout([2, 32, 256], 32, { collective: false })).toMatchObject({
    left: { message: expect.stringContaining('Dimension 1:') },
  })
  expect(T.inferLayout([3, 128, 255], 16, { collective: false, packed: true })).toMatchObject({
    left: { message: expect.stringContaining('Dimension 2:') },
  })
  expect(right(T.collapseBatch([4, 2, 128, 32]))).toEqual([128, 256])
  expect(right(T.collapseBatch([128, 32]))).toEqual([128, 32])
})

describe('slices', () => {
  const cut = (start: number, size: number, step?: number) =>
    ({ _tag: 'slice', start, size, ...(step === undefined ? {} : { step }) }) as const
  const of = (
    layout: TensorMemoryLayout,
    shape: readonly number[],
    start: number,
    size: number,
  ): ReturnType<typeof T.sliceColumns> => T.sliceColumns(layout, shape, [cut(0, shape[0]!), cut(start, size)])

  test('law 5: elements of the slice lie where those of the whole do, from its first column on', () => {
    for (const [layout, shape, start, size] of [
      [right(T.defaultLayout(1)), [128, 32], 8, 16],
      [right(T.defaultLayout(2)), [128, 32], 6, 10],
      [half, [64, 96], 32, 64],
      [m64, [64, 64], 0, 32],
      [T.scales, [256, 16], 4, 8],
      [T.bScalesM64Collective, [256, 16], 8, 8],
      [T.sparseMetadata, [128, 48], 16, 32],
      [right(T.defaultLayout(1)), [256, 8], 0, 8],
    ] as const) {
      const slice = right(of(layout, shape, start, size))
      expect(slice.shape).toEqual([shape[0], size])
      const wrong = indices(slice.shape).filter(([i, j]) => {
        const inSlice = T.places(layout, slice.shape, [i!, j!])
        const inWhole = T.places(layout, shape, [i!, start + j!])
        return inSlice.some((p, k) => !same({ ...p, column: p.column + slice.column }, inWhole[k]!))
      })
      expect(wrong).toEqual([])
    }
    expect(right(of(right(T.defaultLayout(2)), [128, 32], 6, 10)).column).toBe(3)
    expect(right(of(T.scales, [256, 16], 4, 8)).column).toBe(8)
  })

  test('refused', () => {
    const [one, two] = [right(T.defaultLayout(1)), right(T.defaultLayout(2))]
    const at = { _tag: 'at', index: 0 } as const
    expect(code(T.sliceColumns(one, [128, 32], [cut(0, 128)]))).toBe('tmem.rank')
    expect(code(T.sliceColumns(one, [128, 32], [cut(0, 128), cut(0, 32), cut(0, 1)]))).toBe('tmem.rank')
    expect(code(T.sliceColumns(one, [128, 32], []))).toBe('tmem.rank')
    expect(code(T.sliceColumns(one, [128, 32], [at, cut(0, 32)]))).toBe('tmem.slice-index')
    expect(T.sliceColumns(one, [128, 32], [at, at])).toMatchObject({
      left: { message: expect.stringContaining('Dimension 0') },
    })
    const index = T.sliceColumns(one, [128, 32], [cut(0, 128), at])
    expect(index).toMatchObject({ left: { code: 'tmem.slice-index' } })
    expect(index).toMatchObject({ left: { message: expect.stringContaining('Dimension 1') } })
    for (const rows of [cut(32, 96), cut(32, 128), cut(0, 64), cut(0, 128, 2)])
      expect(code(T.sliceColumns(one, [128, 32], [rows, cut(0, 32)]))).toBe('tmem.slice-rows')
    expect(code(T.sliceColumns(one, [128, 32], [cut(0, 128, 1), cut(0, 32, 1)]))).toBeNull()
    for (const [layout, shape, start, size] of [
      [two, [128, 32], 1, 2],
      [two, [128, 32], 2, 3],
      [two, [128, 32], 30, 4],
      [two, [128, 32], -2, 4],
      [two, [128, 32], 2, 0],
      [half, [64, 32], 0, 16],
      [m64, [64, 64], 16, 32],
      [T.scales, [128, 8], 2, 4],
      [one, [256, 8], 0, 4],
      [one, [256, 8], 4, 4],
    ] as const)
      expect([start, size, code(of(layout, shape, start, size))]).toEqual([start, size, 'tmem.slice-columns'])
    expect(code(T.sliceColumns(one, [128, 32], [cut(0, 128), cut(0, 16, 2)]))).toBe('tmem.slice-columns')
  })
})

test('names that are none', () => {
  const name = (text: string): string | null => code(T.parseTensorMemoryName(text))
  expect(name('HALF_LANE(64')).toBe('name.syntax')
  expect(name('HALFLANE(64, 1)')).toBe('name.unknown')
  expect(T.parseTensorMemoryName('HALFLANE(64, 1)')).toMatchObject({
    left: { message: expect.stringContaining('; did you mean HALF_LANE, ') },
  })
  for (const text of [
    'HALF_LANE',
    'HALF_LANE(64)',
    'HALF_LANE(64, 1, 1)',
    'HALF_LANE((64,), 1)',
    'SCALES(1)',
  ])
    expect([text, name(text)]).toEqual([text, 'name.arguments'])
  const message = (text: string): string => {
    const result = T.parseTensorMemoryName(text)
    return result._tag === 'Left' ? result.left.message : ''
  }
  expect(message('SCALES(1)')).toBe('SCALES: expected no arguments, found "SCALES(1)"')
  expect(message('HALF_LANE')).toBe('HALF_LANE: expected (columns, packing), found "HALF_LANE"')
  expect(name('HALF_LANE(64, 1, (1,))')).toBe('name.arguments')
  expect(name('SCALES.reduce(0)')).toBe('name.arguments')
  expect(name('HALF_LANE(24, 1)')).toBe('tmem.columns')
  expect(name('DEFAULT(3)')).toBe('tmem.packing')
})
