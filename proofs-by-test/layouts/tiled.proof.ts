import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, test } from 'vitest'
import * as Tiled from '../../src/layouts/tiled.js'
import type { TiledLayout, TiledSpec } from '../../src/layouts/tiled.js'
import { indices, range } from './captured.js'
import { nightly, sampled, small } from '../extent.js'
import { code, right } from '../either.js'

const { replicated } = Tiled

/** The place, or the places, of element (i, j) of the base tile, from the instruction's register table. */
type Closed = (
  i: number,
  j: number,
) => readonly [warps: readonly number[], lanes: readonly number[], register: number, vector: number]

const places = (layout: TiledLayout, shape: readonly number[]): readonly Tiled.TiledPlace[] =>
  indices([4, 32, Tiled.registerCount(layout, shape), Tiled.vectorLength(layout)]).map(
    ([warp, lane, register, vector]) => ({
      warp: warp!,
      lane: lane!,
      register: register!,
      vector: vector!,
    }),
  )

const all4 = range(4)
const four = (first: number): readonly number[] => all4.map((k) => first + k)

/** A closed form with rows and columns exchanged inside every aligned 2 x 2 block. */
const swapped =
  (form: Closed): Closed =>
  (i, j) =>
    form(i - (i % 2) + (j % 2), j - (j % 2) + (i % 2))

const wgmma: Closed = (i, j) => [[i >> 4], [4 * (i % 8) + (j >> 1)], (i % 16) >> 3, j % 2]
const tcgen05: Closed = (i, j) => [[i >> 5], [4 * (i % 8) + (j >> 1)], (i % 32) >> 3, j % 2]

const m64 = (c: number): Closed => {
  const w = c / 2
  return (i, j) => [
    [2 * Math.floor(j / w) + (i >> 5)],
    [4 * (i % 8) + (((j % w) % 8) >> 1)],
    ((i % 32) >> 3) * (w / 8) + ((j % w) >> 3),
    j % 2,
  ]
}

/** PTX mma m16n8, e elements in 32 bits, w warps along M and n = 4 / w along N: all three fragments. */
const mmaLhs =
  (e: number, w: number): Closed =>
  (i, j) => [
    range(4 / w).map((copy) => (i >> 4) * (4 / w) + copy),
    [4 * (i % 8) + Math.floor((j % (4 * e)) / e)],
    2 * Math.floor(j / (4 * e)) + ((i % 16) >> 3),
    j % e,
  ]
const mmaRhs =
  (e: number, w: number): Closed =>
  (i, j) => [
    range(w).map((copy) => copy * (4 / w) + (j >> 3)),
    [4 * (j % 8) + Math.floor((i % (4 * e)) / e)],
    Math.floor(i / (4 * e)),
    i % e,
  ]
const mmaAcc =
  (w: number): Closed =>
  (i, j) => [[(i >> 4) * (4 / w) + (j >> 3)], [4 * (i % 8) + ((j % 8) >> 1)], (i % 16) >> 3, j % 2]

/** Name, base tile, in how many places an element is, closed form. A base tile of rank 1 has rows only. */
const table: readonly (readonly [string, TiledLayout, readonly number[], number, Closed])[] = [
  ['WGMMA', Tiled.WGMMA, [64, 8], 1, wgmma],
  [
    'WGMMA_ACC_32BIT',
    Tiled.WGMMA_ACC_32BIT,
    [64, 8],
    1,
    (i, j) => [[i >> 4], [4 * (i % 8) + (j >> 1)], 2 * ((i % 16) >> 3) + (j % 2), 0],
  ],
  ['WGMMA_ROW', Tiled.WGMMA_ROW, [64], 4, (i) => [[i >> 4], four(4 * (i % 8)), (i % 16) >> 3, 0]],
  [
    'WGMMA_COL',
    Tiled.WGMMA_COL,
    [8],
    32,
    (j) => [all4, range(8).map((copy) => 4 * copy + (j >> 1)), 0, j % 2],
  ],
  [
    'WGMMA_8BIT',
    Tiled.WGMMA_8BIT,
    [64, 16],
    1,
    (i, j) => [[i >> 4], [4 * (i % 8) + (j >> 2)], (i % 16) >> 3, j % 4],
  ],
  // Groups of four columns of a row of 16 go to lanes 0, 2, 1, 3.
  [
    'WGMMA_UPCAST_2X',
    Tiled.WGMMA_UPCAST_2X,
    [64, 16],
    1,
    (i, j) => [[i >> 4], [4 * (i % 8) + [0, 2, 1, 3][j >> 2]!], (i % 16) >> 3, j % 4],
  ],
  [
    'WGMMA_UPCAST_4X',
    Tiled.WGMMA_UPCAST_4X,
    [64, 32],
    1,
    (i, j) => [[i >> 4], [4 * (i % 8) + (j >> 3)], (i % 16) >> 3, j % 8],
  ],
  ['WGMMA_TRANSPOSED', Tiled.WGMMA_TRANSPOSED, [64, 8], 1, swapped(wgmma)],
  ['TCGEN05', Tiled.TCGEN05, [128, 8], 1, tcgen05],
  ['TCGEN05_TRANSPOSED', Tiled.TCGEN05_TRANSPOSED, [128, 8], 1, swapped(tcgen05)],
  ['TCGEN05_ROW', Tiled.TCGEN05_ROW, [128], 4, (i) => [[i >> 5], four(4 * (i % 8)), (i % 32) >> 3, 0]],
  ...[1, 2, 4].map(
    (v) =>
      [
        `TMEM_NATIVE(${String(v)})`,
        right(Tiled.TMEM_NATIVE(v)),
        [128, v],
        1,
        (i, j) => [[i >> 5], [i % 32], 0, j],
      ] satisfies readonly [string, TiledLayout, readonly number[], number, Closed],
  ),
  ['TMA_INDICES', Tiled.TMA_INDICES, [16], 32, (i) => [[i >> 2], range(32), 0, i % 4]],
  ['TMA_INDICES_4', Tiled.TMA_INDICES_4, [4], 128, (i) => [all4, range(32), 0, i]],
  ...[48].map(
    (c) =>
      [
        `TCGEN05_M64_COLLECTIVE(${String(c)})`,
        right(Tiled.TCGEN05_M64_COLLECTIVE(c)),
        [64, c],
        1,
        m64(c),
      ] satisfies readonly [string, TiledLayout, readonly number[], number, Closed],
  ),
  ...[
    [8, 4],
    [16, 2],
    [32, 1],
    [16, 4],
  ].flatMap(([bits, w]) => [
    [
      `MMA_LHS(${String(bits)}, ${String(w)})`,
      right(Tiled.MMA_LHS(bits!, w!)),
      [16 * w!, 256 / bits!],
      4 / w!,
      mmaLhs(32 / bits!, w!),
    ] satisfies readonly [string, TiledLayout, readonly number[], number, Closed],
    [
      `MMA_RHS(${String(bits)}, ${String(w)})`,
      right(Tiled.MMA_RHS(bits!, w!)),
      [256 / bits!, 32 / w!],
      w!,
      mmaRhs(32 / bits!, w!),
    ] satisfies readonly [string, TiledLayout, readonly number[], number, Closed],
  ]),
  ...[1, 2].map(
    (w) =>
      [`MMA_ACC(${String(w)})`, right(Tiled.MMA_ACC(w)), [16 * w, 32 / w], 1, mmaAcc(w)] satisfies readonly [
        string,
        TiledLayout,
        readonly number[],
        number,
        Closed,
      ],
  ),
]

const multiples = small
  ? [[2, 2]]
  : nightly
    ? [
        [1, 1],
        [2, 1],
        [1, 2],
        [3, 3],
      ]
    : [
        [1, 1],
        [2, 3],
      ]

// by day every third layout, from the first
describe.each(sampled(3, table))('%s', (_, layout, base, copies, closed) => {
  test('laws 1, 2 and 5, by exhaustion at the base tile and multiples of it: the closed form, back, the table', () => {
    for (const multiple of multiples) {
      const shape = base.map((t, k) => t * multiple[k]!)
      expect(code(Tiled.checkShape(layout, shape))).toBeNull()
      expect(Tiled.replication(layout)).toBe(copies)
      const [length, registers] = [Tiled.vectorLength(layout), Tiled.registerCount(layout, shape)]
      const [rows, columns] = [shape[0]!, shape[1] ?? 1]
      const inBase = (base[0]! * (base[1] ?? 1) * copies) / 128 / length
      const found = Tiled.positionTable(layout, shape)
      const seen = new Uint8Array(found.length)
      const wrong: unknown[] = []
      for (let i = 0; i < rows; i++)
        for (let j = 0; j < columns; j++) {
          const [warps, lanes, inTile, vector] = closed(i % base[0]!, j % (base[1] ?? 1))
          // Base tiles follow one another row-major, and with them the registers.
          const tile = Math.floor(i / base[0]!) * (columns / (base[1] ?? 1)) + Math.floor(j / (base[1] ?? 1))
          const register = tile * inBase + inTile
          const element = base.length === 1 ? [i] : [i, j]
          const owners = Tiled.ownersOf(layout, shape, element)
          if (owners.length !== copies) wrong.push([i, j, owners])
          let k = 0
          for (const warp of warps)
            for (const lane of lanes) {
              const at = ((warp * 32 + lane) * registers + register) * length + vector
              const o = owners[k++]!
              const isOwner =
                o.warp === warp && o.lane === lane && o.register === register && o.vector === vector
              if (!isOwner || found[at] !== i * columns + j || seen[at] === 1) wrong.push([i, j, o])
              seen[at] = 1
            }
          const last = Tiled.elementAt(layout, shape, owners[owners.length - 1]!)
          if (last[0] !== i || (base.length === 2 && last[1] !== j)) wrong.push([i, j, last])
        }
      expect(wrong).toEqual([])
      expect(seen.every((n) => n === 1)).toBe(true)
    }
  })

  test('law 2: every place of the base tile is among the owners of its element', () => {
    const strides = base.map((_, k) => base.slice(k + 1).reduce((a, b) => a * b, 1))
    const positions = Tiled.positionTable(layout, base)
    const wrong = places(layout, base).filter((p, at) => {
      const element = Tiled.elementAt(layout, base, p)
      return element.reduce((sum, i, k) => sum + i * strides[k]!, 0) !== positions[at]
    })
    expect(wrong).toEqual([])
  })

  test('laws 3 and 4: constants are canonical', () => {
    expect(right(Tiled.canonicalize(layout))).toEqual(layout)
    expect(Tiled.isTiledLayout(JSON.parse(JSON.stringify(layout)))).toBe(true)
  })
})

test('laws 1 and 5 with leading dimensions', () => {
  const shape = [2, 3, 64, 8]
  const found = Tiled.positionTable(Tiled.WGMMA, shape)
  const expected = places(Tiled.WGMMA, shape).map((p) =>
    Tiled.elementAt(Tiled.WGMMA, shape, p).reduce((sum, i, k) => sum * shape[k]! + i, 0),
  )
  expect([...found]).toEqual(expected)
  expect(new Set(expected).size).toBe(expected.length)
  expect(Tiled.registerCount(Tiled.WGMMA, shape)).toBe(6 * 2)
  expect(Tiled.elementAt(Tiled.WGMMA, shape, { warp: 0, lane: 0, register: 9, vector: 1 })).toEqual([
    1, 1, 8, 1,
  ])
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

describe('broadcasting back', () => {
  const { WGMMA, WGMMA_ROW, WGMMA_COL, WGMMA_8BIT, TCGEN05, TCGEN05_ROW, WGMMA_ACC_32BIT } = Tiled

  test('what goes to what: five vectors, eleven matrices, both axes', () => {
    const vectors = { WGMMA_ROW, WGMMA_COL, TCGEN05_ROW, T: Tiled.TMA_INDICES, T4: Tiled.TMA_INDICES_4 }
    const legal: string[] = []
    for (const [from, reduced] of Object.entries(vectors))
      for (const [to, whole, base] of table)
        if (base.length === 2 && !to.includes('('))
          for (const axis of [0, 1])
            if (code(Tiled.checkBroadcast([axis])(reduced, whole)) === null)
              legal.push(`${from} ${to} ${String(axis)}`)
    expect(legal.sort()).toEqual(
      [
        // WGMMA_UPCAST_2X leaves the same rows in the same lanes, but as 2 times 2 copies: other data.
        ...['WGMMA', 'WGMMA_ACC_32BIT', 'WGMMA_8BIT', 'WGMMA_UPCAST_4X'].map((to) => `WGMMA_ROW ${to} 1`),
        'TCGEN05_ROW TCGEN05 1',
        'WGMMA_COL WGMMA 0',
        'WGMMA_COL TCGEN05 0',
      ].sort(),
    )
  })

  test('law 7: each register takes its value from the same lane', () => {
    for (const [whole, axis, shape] of [
      [WGMMA, 0, [64, 16]],
      [WGMMA, 1, [128, 16]],
      [WGMMA, 1, [2, 64, 8]],
      [WGMMA_ACC_32BIT, 0, [64, 16]],
      [WGMMA_8BIT, 0, [64, 32]],
      [Tiled.WGMMA_TRANSPOSED, 1, [64, 8]],
      [TCGEN05, 1, [128, 16]],
      [right(Tiled.TMEM_NATIVE(4)), 1, [128, 8]],
    ] as const) {
      const reduced = right(Tiled.reduce([axis])(whole))
      const left = shape.filter((_, k) => k !== axis + shape.length - 2)
      const from = right(Tiled.broadcastRegisters([axis])(whole, shape))
      const [inWhole, inReduced] = [Tiled.positionTable(whole, shape), Tiled.positionTable(reduced, left)]
      const [perLane, perReduced] = [inWhole.length / 128, inReduced.length / 128]
      expect(from.length).toBe(perLane)
      const [columns, rows] = [shape[shape.length - 1]!, shape[shape.length - 2]!]
      const project = (p: number): number =>
        axis === 1 ? Math.floor(p / columns) : Math.floor(p / (rows * columns)) * columns + (p % columns)
      const wrong = range(128 * perLane).filter((at) => {
        const taken = inReduced[Math.floor(at / perLane) * perReduced + from[at % perLane]!]!
        return taken !== project(inWhole[at]!)
      })
      expect(wrong).toEqual([])
    }
  })

  test('law 7: rows to WGMMA by hand: registers of four elements (two rows of two) in turn', () => {
    expect([...right(Tiled.broadcastRegisters([1])(WGMMA, [64, 16]))]).toEqual([0, 0, 1, 1, 0, 0, 1, 1])
    expect([...right(Tiled.broadcastRegisters([0])(WGMMA, [64, 16]))]).toEqual([0, 1, 0, 1, 2, 3, 2, 3])
  })

  test('refused', () => {
    expect(code(Tiled.checkBroadcast([0])(WGMMA_ROW, WGMMA))).toBe('tiled.broadcast')
    expect(code(Tiled.checkBroadcast([2])(WGMMA_ROW, WGMMA))).toBe('tiled.reduce-axis')
    expect(code(Tiled.broadcastRegisters([2])(WGMMA, [64, 8]))).toBe('tiled.reduce-axis')
    expect(right(Tiled.checkBroadcast([1])(WGMMA_ROW, WGMMA))).toBe(WGMMA)
  })
})

describe('slices', () => {
  test('law 8: a lane keeps some of its registers', () => {
    for (const [layout, shape, starts, sizes] of [
      [Tiled.WGMMA, [128, 32], [64, 8], [64, 16]],
      [Tiled.WGMMA, [128, 32], [0, 0], [128, 32]],
      [Tiled.WGMMA, [3, 64, 16], [1, 0, 8], [2, 64, 8]],
      [Tiled.WGMMA_8BIT, [64, 64], [0, 16], [64, 32]],
      [Tiled.WGMMA_COL, [48], [8], [24]],
    ] as const) {
      const slice = right(Tiled.slice(starts, sizes)(layout, shape))
      expect(slice.shape).toEqual(sizes)
      const wrong = places(layout, sizes).filter((p) => {
        const outer = Tiled.elementAt(layout, shape, { ...p, register: slice.registers[p.register]! })
        return Tiled.elementAt(layout, sizes, p).some((i, k) => i + starts[k]! !== outer[k])
      })
      expect(wrong).toEqual([])
    }
    expect([...right(Tiled.slice([64, 8], [64, 16])(Tiled.WGMMA, [128, 32])).registers]).toEqual([
      10, 11, 12, 13,
    ])
  })

  test('refused, by dimension', () => {
    const slice = (
      starts: readonly number[],
      sizes: readonly number[],
    ): readonly [string | null, string | undefined] => {
      const result = Tiled.slice(starts, sizes)(Tiled.WGMMA, [2, 128, 16])
      return [code(result), E.isLeft(result) ? /Dimension \d/.exec(result.left.message)?.[0] : undefined]
    }
    expect(slice([0, 0, 0], [2, 128, 16])).toEqual([null, undefined])
    expect(slice([1, 64, 8], [1, 64, 8])).toEqual([null, undefined])
    expect(slice([0, 0], [128, 16])[0]).toBe('slice.rank')
    expect(slice([0, 0, 0], [128, 16])[0]).toBe('slice.rank')
    expect(slice([0, 0], [2, 128, 16])[0]).toBe('slice.rank')
    expect(slice([2, 0, 0], [1, 64, 8])).toEqual(['slice.bounds', 'Dimension 0'])
    expect(slice([-1, 0, 0], [1, 64, 8])).toEqual(['slice.bounds', 'Dimension 0'])
    expect(slice([0, 0, 0], [0, 64, 8])).toEqual(['slice.bounds', 'Dimension 0'])
    expect(slice([0, 128, 0], [1, 64, 8])).toEqual(['slice.bounds', 'Dimension 1'])
    expect(slice([0.5, 0, 0], [1, 64, 8])).toEqual(['slice.bounds', 'Dimension 0'])
    expect(slice([0, 0, 16], [1, 64, 8])).toEqual(['slice.bounds', 'Dimension 2'])
    expect(slice([0, 32, 0], [1, 64, 8])).toEqual(['slice.unaligned', 'Dimension 1'])
    expect(slice([0, 0, 0], [1, 32, 8])).toEqual(['slice.unaligned', 'Dimension 1'])
    expect(slice([0, 0, 4], [1, 64, 8])).toEqual(['slice.unaligned', 'Dimension 2'])
    expect(slice([0, 0, 0], [1, 64, 12])).toEqual(['slice.unaligned', 'Dimension 2'])
  })
})

test('parameters', () => {
  expect([0, 8, 16, 24, -16, 16.5, 32].map((c) => code(Tiled.TCGEN05_M64_COLLECTIVE(c)))).toEqual([
    'tiled.parameter',
    'tiled.parameter',
    null,
    'tiled.parameter',
    'tiled.parameter',
    'tiled.parameter',
    null,
  ])
  for (const make of [Tiled.MMA_LHS, Tiled.MMA_RHS]) {
    expect([2, 4, 8, 16, 32, 64].map((bits) => code(make(bits, 4)))).toEqual([
      'tiled.parameter',
      null,
      null,
      null,
      null,
      'tiled.parameter',
    ])
    expect([0, 1, 2, 3, 4, 8].map((w) => code(make(16, w)))).toEqual([
      'tiled.parameter',
      null,
      null,
      'tiled.parameter',
      null,
      'tiled.parameter',
    ])
  }
  expect(code(Tiled.MMA_ACC(3))).toBe('tiled.parameter')
  // Along M alone, the accumulator of mma is that of wgmma.
  expect(right(Tiled.MMA_ACC(4))).toEqual(Tiled.WGMMA)
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
    for (const [, layout, base] of table.slice(0, 11)) expect(differences(layout, layout, base)).toEqual([])
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
  expect(code(Tiled.checkShape(Tiled.WGMMA, [0, 8]))).toBe('layout.shape')
  expect(code(Tiled.checkShape(Tiled.WGMMA, [-64, 8]))).toBe('layout.shape')
  expect(code(Tiled.checkShape(Tiled.WGMMA, [0, 64, 8]))).toBe('layout.shape')
  expect(Tiled.checkShape(Tiled.WGMMA, [3, 64, 12])).toMatchObject({
    left: {
      message:
        'The base tile (64, 8) does not divide the array shape (3, 64, 12): dimension 2 must be a positive multiple of 8, found 12',
    },
  })
  expect(Tiled.checkShape(Tiled.WGMMA, [-3, 64, 8])).toMatchObject({
    left: { message: expect.stringContaining('dimension 0 must be a positive multiple of 1, found -3') },
  })
  expect(Tiled.checkShape(Tiled.WGMMA, [64])).toMatchObject({
    left: { message: expect.stringContaining('expected rank 2 or more, found 1') },
  })
  expect(E.isRight(Tiled.checkShape(Tiled.WGMMA, [2, 64, 8]))).toBe(true)
  expect(Tiled.sameTiledLayout(Tiled.WGMMA, Tiled.WGMMA_ACC_32BIT)).toBe(false)
  expect(Tiled.sameBaseTile(Tiled.WGMMA, Tiled.WGMMA_ACC_32BIT)).toBe(true)
  expect(Tiled.sameTiledLayout(Tiled.WGMMA_COL, right(Tiled.reduce([0])(Tiled.WGMMA)))).toBe(true)
  expect(range(4).map((v) => code(Tiled.TMEM_NATIVE(v)))).toEqual(['tile.not-positive', null, null, null])
})
