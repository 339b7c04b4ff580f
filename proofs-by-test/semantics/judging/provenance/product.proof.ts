/**
 * What an mma adds to its accumulator. Oracle: every element of the accumulator worked out by itself, from lists of coordinates; what is refused, by hand.
 */
import { describe, expect, it } from 'vitest'
import { dice } from '../../../../src/semantics/schedules/naive/random.js'
import {
  product,
  products,
  type Operand,
  type Products,
} from '../../../../src/semantics/judging/provenance/product.js'
import { tables, type Tables } from '../../../../src/semantics/judging/provenance/tables.js'
import { input, other, pick, zero, type Terms } from '../../../../src/semantics/judging/provenance/terms.js'
import { table } from '../../../../src/semantics/judging/provenance/tables.js'
import { scaleIndex } from '../../../../src/layouts/shared-memory/scale-factors.js'
import type { Header } from '../../../../src/semantics/log/events.js'
import { box, extent, header, names, texts } from './terms.js'
import { right } from '../../../either.js'

const [A, B, C, D, V] = [0, 1, 2, 3, 4]

interface Kit {
  readonly t: Tables
  readonly s: Products
}
const kit = (of: Header = header): Kit => {
  const t = tables()
  return { t, s: products(of, t) }
}
const range = (from: number, count: number): ReadonlyArray<number> =>
  Array.from({ length: count }, (_, i) => from + i)
const of = (
  { t }: Kit,
  plane: number,
  rows: ReadonlyArray<number>,
  columns: ReadonlyArray<number>,
): Operand => ({ terms: box(t, plane, rows, columns), shape: [rows.length, columns.length] })

/** Element by element: which row of `a`, which column of `b`, the k's one after another. */
const worked = (
  a: string,
  b: string,
  rows: ReadonlyArray<number>,
  columns: ReadonlyArray<number>,
  ks: ReadonlyArray<number>,
): ReadonlyArray<string> =>
  rows.flatMap((r) => columns.map((c) => `${a}[${String(r)}] ${b}[${String(c)}] ${ks.join()}`))

const unscaled = { a: [], b: [] }

const why = (t: Terms): string => (t._tag === 'other' ? t.why : t._tag)

describe('a product', () => {
  it('of boxes anywhere, of any rows, columns and k’s: law 1 too, since all of them share one memory', () => {
    const shared = kit()
    for (let seed = 0; seed < 400; seed++) {
      const die = dice(seed)
      // few shapes and tables, so that they come again at other places
      const some = (count: number): ReadonlyArray<number> => {
        const start = die.below(extent)
        const step = die.pick([1, 1, 1, 2, 3])
        return range(0, count).map((i) => (start + i * step) % extent)
      }
      const [rows, columns, ks] = [some(2 + die.below(2)), some(2 + die.below(2)), some(1 + die.below(3))]
      const [left, right] = [die.pick([A, C, D]), die.pick([B, D])]
      for (const k of [shared, kit()]) {
        const found = product(
          k.s,
          [of(k, left, rows, ks)],
          [of(k, right, ks, columns)],
          unscaled,
          die.chance(0.5) ? null : zero,
          [rows.length, columns.length],
        )
        expect(texts(found, rows.length * columns.length)).toEqual(
          worked(names[left]!, names[right]!, rows, columns, ks),
        )
      }
    }
  })

  it('with the factors exchanged is the same product, at the transposed places: products commute', () => {
    const asked = (transposed: 'a' | 'b' | 'both' | undefined): Header => ({
      ...header,
      computes: {
        _tag: 'matmul',
        a: 'a',
        b: 'b',
        out: 'c',
        accumulator: 'f32',
        blockK: 16,
        ...(transposed === undefined ? {} : { transposed }),
      },
    })
    // an operand whose element (i, j) is that of (j, i) of a box
    const turned = ({ t }: Kit, { terms, shape }: Operand): Operand => {
      const [p, q] = [shape[0]!, shape[1]!]
      const places = Int32Array.from({ length: p * q }, (_, e) => (e % p) * q + Math.floor(e / p))
      return { terms: pick(t, terms, table(t, places)), shape: [q, p] }
    }
    const [rows, columns] = [range(3, 2), range(9, 4)]
    for (const how of [undefined, 'a', 'b', 'both'] as const) {
      const k = kit(asked(how))
      const step = (old: Terms | null, from: number): Terms => {
        const ks = range(from, 3)
        // where a factor lies as its transpose, its tensor is (k, m), or (n, k)
        const left = how === 'a' || how === 'both' ? turned(k, of(k, A, ks, rows)) : of(k, A, rows, ks)
        const right = how === 'b' || how === 'both' ? turned(k, of(k, B, columns, ks)) : of(k, B, ks, columns)
        return product(k.s, [turned(k, right)], [turned(k, left)], unscaled, old, [
          columns.length,
          rows.length,
        ])
      }
      const found = step(step(null, 1), 4)
      expect(texts(found, 8)).toEqual(
        columns.flatMap((c) => rows.map((r) => `a[${String(r)}] b[${String(c)}] 1,2,3,4,5,6`)),
      )
      // one factor from both sides is no exchange
      const both = product(k.s, [of(k, A, rows, rows)], [of(k, A, rows, rows)], unscaled, null, [2, 2])
      expect(both).not.toMatchObject({ a: A, b: B })
    }
  })

  it('added to another', () => {
    const k = kit()
    const [rows, columns] = [range(4, 2), range(8, 3)]
    const step = (old: Terms | null, from: number, r = rows, c = columns, b = B): Terms =>
      product(k.s, [of(k, A, r, range(from, 2))], [of(k, b, range(from, 2), c)], unscaled, old, [
        r.length,
        c.length,
      ])
    const first = step(null, 0)
    expect(first).toMatchObject({ _tag: 'sum', ks: [0, 2] })
    expect(step(first, 2)).toMatchObject({ ks: [0, 4] })
    expect(step(first, 4)).toMatchObject({ ks: [0, 2, 4, 6] })
    expect(step(first, 0)).toMatchObject({ ks: [0, 2, 0, 2] })
    expect(texts(step(first, 2), 6)).toEqual(worked('a', 'b', rows, columns, [0, 1, 2, 3]))
    expect(why(step(first, 2, range(5, 2)))).toBe(
      'an mma adds the product of row 5 and column 8 to an accumulator of row 4 and column 8',
    )
    expect(why(step(first, 2, rows, range(7, 3)))).toBe(
      'an mma adds the product of row 4 and column 7 to an accumulator of row 4 and column 8',
    )
    expect(why(step(first, 2, [4, 6]))).toBe(
      'an mma adds the product of row 6 and column 8 to an accumulator of row 5 and column 8',
    )
    expect(why(step(first, 2, rows, [8, 9, 11]))).toBe(
      'an mma adds the product of row 4 and column 11 to an accumulator of row 4 and column 10',
    )
    expect(why(step(first, 2, rows, columns, D))).toBe(
      'an mma adds to an accumulator that holds something else',
    )
    expect(why(step(box(k.t, C, rows, columns), 0))).toBe(
      'an mma adds to an accumulator that holds something else',
    )
    expect(why(step(other('lost'), 0))).toBe('lost')
    expect(
      why(product(k.s, [of(k, C, rows, [2, 3])], [of(k, B, [2, 3], columns)], unscaled, first, [2, 3])),
    ).toBe('an mma adds to an accumulator that holds something else')
    // the same coordinates from other tables: every other row of a box twice as large
    const again = step(first, 2, range(4, 2), columns)
    expect(why(step(again, 4))).toBe('sum')
  })

  describe('of boxes that leave their tensors', () => {
    /** Coordinates from before the tensor to behind it; what is outside is at address -1, however the table is moved. */
    const atEdge = (
      k: Kit,
      plane: number,
      rows: ReadonlyArray<number>,
      columns: ReadonlyArray<number>,
    ): Operand => {
      const inside = (x: number): boolean => x >= 0 && x < extent
      const [down, across] = plane === D ? [1, extent] : [extent, 1]
      const at = rows.flatMap((r) =>
        columns.map((c) => (inside(r) && inside(c) ? 2 * (r * down + c * across) : -1)),
      )
      const values = Int32Array.from(at, (x) => x - at[0]!)
      return { terms: input(plane, table(k.t, values), at[0]!), shape: [rows.length, columns.length] }
    }
    const shown = (x: number): number => (x >= 0 && x < extent ? x : -1)
    const inside = (xs: ReadonlyArray<number>): ReadonlyArray<number> => xs.filter((x) => shown(x) >= 0)

    it('zeros: a row or a column that is nowhere stays so, and a k that is nowhere is not added', () => {
      const shared = kit()
      let edges = 0
      for (let seed = 0; seed < 600; seed++) {
        const die = dice(seed)
        const some = (count: number): ReadonlyArray<number> => range(die.below(extent + 6) - 3, count)
        const [rows, columns, ks] = [some(2 + die.below(2)), some(2 + die.below(2)), some(1 + die.below(3))]
        const [left, right] = [die.pick([A, C, D]), die.pick([B, D])]
        const [m, n, kept] = [inside(rows).length, inside(columns).length, inside(ks)]
        if (m + n < rows.length + columns.length || kept.length < ks.length) edges++
        for (const k of [shared, kit()]) {
          const found = product(
            k.s,
            [atEdge(k, left, rows, ks)],
            [atEdge(k, right, ks, columns)],
            unscaled,
            null,
            [rows.length, columns.length],
          )
          // of a box that is nowhere altogether only the other one says which k's there were
          const expected =
            kept.length === 0 || m + n === 0
              ? rows.flatMap(() => columns.map(() => '0'))
              : worked(names[left]!, names[right]!, rows.map(shown), columns.map(shown), kept)
          expect(texts(found, rows.length * columns.length)).toEqual(expected)
        }
      }
      expect(edges).toBeGreaterThan(200)
    })

    it('steps over the end of k add up, and what is nowhere adds nothing', () => {
      const k = kit()
      const [rows, columns] = [range(14, 3), range(15, 2)]
      const step = (old: Terms | null, from: number): Terms =>
        product(
          k.s,
          [atEdge(k, A, rows, range(from, 3))],
          [atEdge(k, B, range(from, 3), columns)],
          unscaled,
          old,
          [3, 2],
        )
      let sum = step(null, 0)
      for (const from of [3, 6, 9, 12, 15, 18]) sum = step(sum, from)
      expect(sum).toMatchObject({ _tag: 'sum', ks: [0, 16] })
      expect(texts(sum, 6)).toEqual(worked('a', 'b', [14, 15, -1], [15, -1], range(0, 16)))
    })

    it('a k that is nowhere in one operand alone is refused, and so are holes', () => {
      const k = kit()
      const said = (a: Operand, b: Operand): string => why(product(k.s, [a], [b], unscaled, null, [2, 2]))
      const far = range(15, 2)
      expect(said(atEdge(k, A, [0, 1], far), of(k, B, [15, 0], [0, 1]))).toBe(
        'the operands do not match: the part outside of A with k-slice 0 of B',
      )
      expect(said(of(k, A, [0, 1], [14, 15]), atEdge(k, B, [14, 16], [0, 1]))).toBe(
        'the operands do not match: k-slice 15 of A with the part outside of B',
      )
      const hole = { terms: input(A, table(k.t, Int32Array.of(0, 2, 32, -1)), 0), shape: [2, 2] }
      expect(said(hole, of(k, B, [0, 1], [0, 1]))).toMatch(
        /^operand A is scrambled: its element \[1, 1\] is outside a, where a\[1, 1\] was expected/,
      )
      const other_ = { terms: input(A, table(k.t, Int32Array.of(0, -1, 34, -1)), 0), shape: [2, 2] }
      expect(said(other_, atEdge(k, B, [0, 16], [0, 1]))).toMatch(
        /^operand A is scrambled: its element \[1, 0\] is a\[1, 1\], where a\[1, 0\] was expected/,
      )
    })
  })

  it('of what lies twice, and of parts side by side', () => {
    const k = kit()
    const [rows, ks] = [range(2, 2), range(4, 3)]
    const a = of(k, A, rows, ks)
    const parts = [of(k, B, ks, range(0, 2)), of(k, B, ks, range(6, 2))]
    expect(texts(product(k.s, [a, a], parts, unscaled, null, [2, 4]), 8)).toEqual(
      worked('a', 'b', rows, [0, 1, 6, 7], ks),
    )
    expect(texts(product(k.s, [a], [...parts].reverse(), unscaled, null, [2, 4]), 8)).toEqual(
      worked('a', 'b', rows, [6, 7, 0, 1], ks),
    )
    const not = 'the two copies of operand A are not the same'
    for (const copy of [
      of(k, C, rows, ks),
      of(k, A, [2, 4], ks),
      of(k, A, range(3, 2), ks),
      of(k, A, rows, [4, 5, 7]),
      of(k, A, rows, range(5, 3)),
    ])
      expect(why(product(k.s, [a, copy], parts, unscaled, null, [2, 4]))).toBe(not)
    expect(why(product(k.s, [a, { terms: zero, shape: [2, 3] }], parts, unscaled, null, [2, 4]))).toBe(
      'operand A is not a box of an input',
    )
    expect(why(product(k.s, [a], [parts[0]!, of(k, D, ks, range(6, 2))], unscaled, null, [2, 4]))).toBe(
      'the two CTAs have columns of different inputs as operand B',
    )
    expect(
      why(product(k.s, [a], [parts[0]!, of(k, B, [4, 5, 7], range(6, 2))], unscaled, null, [2, 4])),
    ).toBe('the operands do not match: k-slice 6 of A with k-slice 7 of B')
  })

  it('is refused by the first thing that is wrong', () => {
    const k = kit()
    const a = of(k, A, [0, 1], [0, 1])
    const b = of(k, B, [0, 1], [0, 1])
    const said = (left: ReadonlyArray<Operand>, right: ReadonlyArray<Operand>): string =>
      why(product(k.s, left, right, unscaled, null, [2, 2]))
    expect(said([], [b])).toBe('an mma without operands')
    expect(said([a], [])).toBe('an mma without operands')
    expect(said([{ terms: other('lost'), shape: [2, 2] }], [b])).toBe('operand A: lost')
    expect(said([a], [{ terms: other('lost'), shape: [2, 2] }])).toBe('operand B: lost')
    expect(said([{ terms: zero, shape: [2, 2] }], [b])).toBe('operand A is not a box of an input')
    expect(said([a], [{ terms: zero, shape: [2, 2] }])).toBe('operand B is not a box of an input')
    expect(said([of(k, V, [0, 1], [0, 1])], [b])).toBe('operand A comes from v, which is not a matrix')
    expect(said([of(k, A, [0, 1], [2, 3])], [b])).toBe(
      'the operands do not match: k-slice 2 of A with k-slice 0 of B',
    )
    expect(said([of(k, A, [0, 1], [0, 2])], [b])).toBe(
      'the operands do not match: k-slice 2 of A with k-slice 1 of B',
    )
    // (0, 0), (0, 1), (1, 1), (1, 0): the second row the other way round
    const scrambled = { terms: input(A, table(k.t, Int32Array.of(0, 2, 34, 32)), 64), shape: [2, 2] }
    expect(said([scrambled], [b])).toBe(
      'operand A is scrambled: its element [1, 0] is a[3, 1], where a[3, 0] was expected: the bytes were written under one layout and read under another',
    )
    expect(said([a], [scrambled])).toMatch(/^operand B is scrambled: its element \[1, 0\] is a\[3, 1\]/)
  })

  it('law 1: a box that leaves its row is another box', () => {
    const k = kit()
    // four elements behind each other: within a row at column 4, over its end at column 14
    const flat = (from: number): Operand => ({
      terms: input(A, table(k.t, Int32Array.of(0, 2, 4, 6)), 2 * from),
      shape: [1, 4],
    })
    const right = (rows: ReadonlyArray<number>): Operand => of(k, B, rows, [0])
    const at = (from: number, rows: ReadonlyArray<number>): string =>
      why(product(k.s, [flat(from)], [right(rows)], unscaled, null, [1, 1]))
    expect(at(4, [4, 5, 6, 7])).toBe('sum')
    expect(at(12, [12, 13, 14, 15])).toBe('sum')
    expect(at(13, [13, 14, 15, 0])).toMatch(/scrambled: its element \[0, 3\] is a\[1, 0\]/)
    expect(at(30, [14, 15, 0, 1])).toMatch(/scrambled/)
    expect(at(20, [4, 5, 6, 7])).toBe('sum')
    // the same down a column, where columns lie behind each other
    const down = (from: number): Operand => ({
      terms: input(D, table(k.t, Int32Array.of(0, 2, 4, 6)), 2 * from),
      shape: [4, 1],
    })
    const below = (from: number, column: number): string =>
      why(product(k.s, [down(from)], [of(k, B, [column], [0])], unscaled, null, [4, 1]))
    expect(below(4, 0)).toBe('sum')
    expect(below(12, 0)).toBe('sum')
    expect(below(13, 0)).toMatch(/scrambled: its element \[3, 0\] is d\[0, 1\]/)
    expect(below(20, 1)).toBe('sum')
    // backwards from its first element
    const back = (from: number): Operand => ({
      terms: input(A, table(k.t, Int32Array.of(0, -2, -4)), 2 * from),
      shape: [1, 3],
    })
    const of3 = (from: number, rows: ReadonlyArray<number>): string =>
      why(product(k.s, [back(from)], [right(rows)], unscaled, null, [1, 1]))
    expect(of3(20, [4, 3, 2])).toBe('sum')
    expect(of3(18, [2, 1, 0])).toBe('sum')
    expect(of3(17, [1, 0, 15])).toMatch(/scrambled: its element \[0, 2\] is a\[0, 15\]/)
  })
})

describe('scales', () => {
  // 256 lines of 256 k's, a scale for every 32 of them: two atoms down and two across, in a tensor of its own for A and for B
  const [lines, K] = [256, 256]
  const block = 32
  const blocks = K / block
  const [X, Y, XS, YS] = [0, 1, 2, 3]
  const plain = { _tag: 'matmul', a: 'x', b: 'y', out: 'x', accumulator: 'f32', blockK: 32 } as const
  const scaledHeader: Header = {
    ...header,
    planes: ['x', 'y', 'xs', 'ys'].map((name, plane) => ({
      space: 'gmem',
      name,
      bytes: plane < 2 ? lines * K : lines * blocks,
      initialised: true,
    })),
    tensors: [
      { name: 'x', plane: X, dtype: 'e4m3', shape: [lines, K], strides: [K, 1] },
      { name: 'y', plane: Y, dtype: 'e4m3', shape: [K, lines], strides: [1, K] },
      ...['xs', 'ys'].map((name, i) => ({
        name,
        plane: XS + i,
        dtype: 'e8m0' as const,
        shape: [2, 2, 32, 16],
        strides: [1024, 512, 16, 1],
      })),
    ],
    computes: { ...plain, scales: { a: 'xs', b: 'ys', block } },
  }
  const indexOf = right(scaleIndex(lines, blocks))
  /** The byte whose scale is that of a line and a block, found by looking at them all. */
  const byteOf = (line: number, at: number): number =>
    Array.from({ length: lines * blocks }, (_, byte) => byte).find((byte) => {
      const [x, j] = indexOf(byte)
      return x === line && j === at
    })!
  const placed = (
    { t }: Kit,
    plane: number,
    rows: ReadonlyArray<number>,
    columns: ReadonlyArray<number>,
    at: (row: number, column: number) => number,
  ): Operand => ({
    terms: input(plane, table(t, Int32Array.from(rows.flatMap((r) => columns.map((c) => at(r, c))))), 0),
    shape: [rows.length, columns.length],
  })
  const scalesOf = (
    k: Kit,
    plane: number,
    rows: ReadonlyArray<number>,
    columns: ReadonlyArray<number>,
  ): Operand => placed(k, plane, rows, columns, byteOf)
  const rectangle = (
    k: Kit,
    plane: number,
    rows: ReadonlyArray<number>,
    columns: ReadonlyArray<number>,
  ): Operand => placed(k, plane, rows, columns, (r, c) => (plane === X ? r * K + c : c * K + r))
  // rows 130.. of x, columns 40.. and 200.. of y, k's 160:224: blocks 5 and 6
  const [rows, near, far, ks] = [range(130, 3), range(40, 2), range(200, 2), range(160, 64)]
  const said = (
    a: (k: Kit) => ReadonlyArray<Operand>,
    b: (k: Kit) => ReadonlyArray<Operand>,
    of: Header = scaledHeader,
    steps: ReadonlyArray<number> = ks,
  ): string => {
    const k = kit(of)
    const found = product(
      k.s,
      [rectangle(k, X, rows, steps)],
      [rectangle(k, Y, steps, near), rectangle(k, Y, steps, far)],
      { a: a(k), b: b(k) },
      null,
      [3, 4],
    )
    return found._tag === 'sum' ? `sum${found.scaled ? ', scaled' : ''}` : why(found)
  }
  const goodA = (k: Kit): ReadonlyArray<Operand> => [scalesOf(k, XS, rows, [5, 6])]
  const goodB = (k: Kit): ReadonlyArray<Operand> => [scalesOf(k, YS, [...near, ...far], [5, 6])]

  it('are those of the rows, of the columns of both parts, and of the blocks of k', () => {
    expect(said(goodA, goodB)).toBe('sum, scaled')
    expect(said((k) => [...goodA(k), ...goodA(k)], goodB)).toBe('sum, scaled')
    expect(
      said(
        () => [],
        () => [],
      ),
    ).toBe('sum')
  })

  it('are refused at the first that is another', () => {
    const a = (plane: number, of: ReadonlyArray<number>, at: ReadonlyArray<number>): string =>
      said((k) => [scalesOf(k, plane, of, at)], goodB)
    const b = (plane: number, of: ReadonlyArray<number>, at: ReadonlyArray<number>): string =>
      said(goodA, (k) => [scalesOf(k, plane, of, at)])
    const all = [...near, ...far]
    expect(a(XS, range(131, 3), [5, 6])).toBe(
      'the scales of A: line 130 meets another scale than that of its k-slice 160:192',
    )
    expect(a(XS, [130, 131, 4], [5, 6])).toBe(
      'the scales of A: line 132 meets another scale than that of its k-slice 160:192',
    )
    expect(a(XS, rows, [5, 7])).toBe(
      'the scales of A: line 130 meets another scale than that of its k-slice 192:224',
    )
    expect(b(YS, [...far, ...near], [5, 6])).toBe(
      'the scales of B: line 40 meets another scale than that of its k-slice 160:192',
    )
    expect(b(YS, [...near, ...near], [5, 6])).toBe(
      'the scales of B: line 200 meets another scale than that of its k-slice 160:192',
    )
    expect(b(YS, all, [5, 6].reverse())).toBe(
      'the scales of B: line 40 meets another scale than that of its k-slice 160:192',
    )
    // of the other operand, of none, of too few lines, of too few blocks
    expect(a(YS, rows, [5, 6])).toBe('the scales of A are not a box of xs')
    expect(b(XS, all, [5, 6])).toBe('the scales of B are not a box of ys')
    expect(said(() => [{ terms: zero, shape: [3, 2] }], goodB)).toBe('the scales of A are not a box of xs')
    expect(said(() => [{ terms: other('lost'), shape: [3, 2] }], goodB)).toBe('the scales of A: lost')
    expect(said(goodA, () => [{ terms: other('lost'), shape: [4, 2] }])).toBe('the scales of B: lost')
    expect(a(XS, [130, 131], [5, 6])).toBe(
      'the scales of A are 2 by 2 for 3 lines and 64 of k, where a scale is that of 32',
    )
    expect(b(YS, all, [5])).toBe(
      'the scales of B are 4 by 1 for 4 lines and 64 of k, where a scale is that of 32',
    )
    // every copy is asked
    expect(said((k) => [...goodA(k), scalesOf(k, XS, rows, [5, 7])], goodB)).toMatch(
      /^the scales of A: line 130/,
    )
  })

  it('are of the whole sum: a product with scales is not added to one without, nor the other way round', () => {
    const k = kit(scaledHeader)
    const step = (with1: boolean, old: Terms | null): Terms =>
      product(
        k.s,
        [rectangle(k, X, rows, ks)],
        [rectangle(k, Y, ks, near), rectangle(k, Y, ks, far)],
        with1 ? { a: goodA(k), b: goodB(k) } : unscaled,
        old,
        [3, 4],
      )
    expect(step(true, step(true, null))).toMatchObject({ _tag: 'sum', scaled: true })
    expect(step(false, step(false, null))).toMatchObject({ _tag: 'sum', scaled: false })
    for (const first of [true, false])
      expect(why(step(!first, step(first, null)))).toBe(
        'an mma adds to an accumulator that holds something else',
      )
  })

  it('belong to whole blocks of k', () => {
    const shifted = range(144, 64)
    expect(said(goodA, goodB, scaledHeader, shifted)).toBe(
      'the scales of A: block 0 of the operand is not one block of k',
    )
    // the second block of k leaves one out
    const holes = [...range(160, 32), ...range(192, 31), 224]
    expect(said(goodA, goodB, scaledHeader, holes)).toBe(
      'the scales of A: block 1 of the operand is not one block of k',
    )
    // two blocks that do not follow one another
    const jumped = [...range(160, 32), ...range(224, 32)]
    expect(
      said(
        (k) => [scalesOf(k, XS, rows, [5, 7])],
        (k) => [scalesOf(k, YS, [...near, ...far], [5, 7])],
        scaledHeader,
        jumped,
      ),
    ).toBe('sum, scaled')
  })

  it('are asked of what the program says', () => {
    const unsaid = 'the program does not say that its product is block-scaled'
    expect(said(goodA, goodB, { ...scaledHeader, computes: plain })).toBe(unsaid)
    expect(said(goodA, goodB, { ...scaledHeader, computes: null })).toBe(unsaid)
    expect(said(goodA, goodB, { ...scaledHeader, computes: { _tag: 'copy', from: 'x', out: 'y' } })).toBe(
      unsaid,
    )
    const renamed = (shape: ReadonlyArray<number>): Header => ({
      ...scaledHeader,
      tensors: scaledHeader.tensors.map((t) => (t.name === 'xs' ? { ...t, shape } : t)),
    })
    expect(said(goodA, goodB, renamed([256, 8]))).toBe('xs is not a tensor of atoms of scales')
    expect(said(goodA, goodB, renamed([2048]))).toBe('xs is not a tensor of atoms of scales')
    expect(said(goodA, goodB, { ...scaledHeader, tensors: scaledHeader.tensors.slice(0, 2) })).toBe(
      'the scales of A are not a box of xs',
    )
  })
})
