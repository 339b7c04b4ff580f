/** What the terms of an output prove. Oracle: contents of the output written by hand, each with the sentence that it deserves. */
import { describe, expect, it } from 'vitest'
import type { Dtype } from '../../../../src/numerics/dtype.js'
import { bitsOf } from '../../../../src/numerics/dtype.js'
import { footprints, ofLayout } from '../../../../src/semantics/machine/footprint.js'
import { dice, type Dice } from '../../../../src/semantics/schedules/naive/random.js'
import { memory, write, type Memory } from '../../../../src/semantics/judging/provenance/memory.js'
import { table, tables } from '../../../../src/semantics/judging/provenance/tables.js'
import { input, other, sum, zero, type Terms } from '../../../../src/semantics/judging/provenance/terms.js'
import { copy, matmul } from '../../../../src/semantics/judging/provenance/theorem.js'
import * as Ref from '../../../../src/transforms/ref.js'
import { extent, header } from './terms.js'
import { nightly } from '../../../extent.js'
import { right } from '../../../either.js'

const [A, B, C] = [0, 1, 2]
const store = footprints()

/** Rows `from` to `from + rows` of c, written as `dtype` from byte `shift` of them on. */
const rowsOf = (from: number, rows: number, dtype: Dtype = 'f16', shift = 0) =>
  ofLayout(
    store,
    C,
    dtype,
    right(Ref.ofStrides([rows * extent], bitsOf(dtype), [1])),
    2 * extent * from + shift,
  ).footprint

interface Sums {
  readonly a?: number
  readonly b?: number
  readonly row?: number
  readonly column?: number
  readonly ks?: ReadonlyArray<number>
  readonly scaled?: boolean
}
/** `rows` whole rows of the product, from row `from`. */
const sums = (m: Memory, from: number, rows: number, o: Sums = {}): Terms => {
  const count = rows * extent
  return sum(
    o.a ?? A,
    o.b ?? B,
    table(
      m.tables,
      Int32Array.from({ length: count }, (_, e) => Math.floor(e / extent)),
    ),
    o.row ?? from,
    table(
      m.tables,
      Int32Array.from({ length: count }, (_, e) => e % extent),
    ),
    o.column ?? 0,
    o.ks ?? [0, extent],
    o.scaled ?? false,
  )
}

const spec = { _tag: 'matmul', a: 'a', b: 'b', out: 'c', accumulator: 'f32', blockK: 16 } as const
const scales = { a: 'v', b: 'd', block: 16 } as const

/** The output in two halves, the second as `second` says; what the theorem says of it. */
const of = (second: (m: Memory) => Terms | null, claimed: Parameters<typeof matmul>[1] = spec) => {
  const m = memory(header, tables())
  const scaled = claimed.scales !== undefined
  write(m, rowsOf(0, 8), sums(m, 0, 8, { scaled }), 0)
  const terms = second(m)
  if (terms !== null) write(m, rowsOf(8, 8), terms, 1)
  return matmul(m, claimed)
}
const why = (second: (m: Memory) => Terms | null, claimed: Parameters<typeof matmul>[1] = spec): string => {
  const said = of(second, claimed)
  expect(said).toMatchObject({ proved: false, inOrder: false })
  return said.text
}
const proof =
  'c = a @ b for all inputs of shape (16, 16) x (16, 16): each of the 256 elements is the sum over its row and column, every k of 0:16 exactly once'

describe('law 1: a matmul', () => {
  it('is proved where every element is its sum, in order or not', () => {
    expect(of((m) => sums(m, 8, 8))).toEqual({
      proved: true,
      inOrder: true,
      text: `${proof}, added in ascending order`,
    })
    expect(of((m) => sums(m, 8, 8, { ks: [0, 4, 4, 16] }))).toMatchObject({ proved: true })
    expect(of((m) => sums(m, 8, 8, { ks: [8, 16, 0, 8] }))).toEqual({
      proved: true,
      inOrder: false,
      text: proof,
    })
    expect(of((m) => sums(m, 8, 8, { scaled: true }), { ...spec, scales })).toEqual({
      proved: true,
      inOrder: true,
      text: 'c = a @ b, scaled by v and d every 16 of k, for all inputs of shape (16, 16) x (16, 16): each of the 256 elements is the sum over its row and column, every k of 0:16 exactly once, added in ascending order',
    })
  })

  it('is asked of the transpose of the output, where that is said', () => {
    const turned = { ...spec, transposedOut: true }
    expect(why((m) => sums(m, 8, 8), turned)).toBe(
      'c.T[0, 1], written by here, is the sum for row 1 and column 0',
    )
    const m = memory(header, tables())
    const s = sums(m, 0, extent)
    if (s._tag !== 'sum') throw new Error('sums are sums')
    write(m, rowsOf(0, extent), sum(A, B, s.columns, 0, s.rows, 0, s.ks, false), 0)
    expect(matmul(m, turned)).toEqual({
      proved: true,
      inOrder: true,
      text: `${proof.replace('c =', 'c.T =')}, added in ascending order`,
    })
    expect(matmul(m, spec)).toMatchObject({ proved: false })
  })

  it('is refused at the first element that is something else', () => {
    expect(why(() => null)).toBe('c[8, 0] is never written')
    expect(why(() => zero)).toBe('c[8, 0], written by there, is zero: no product was added')
    expect(why(() => other('lost its way'))).toBe('c[8, 0], written by there, lost its way')
    expect(why((m) => input(B, table(m.tables, new Int32Array(128)), 0))).toBe(
      'c[8, 0], written by there, is an element of b',
    )
    const others = 'c[8, 0], written by there, multiplies other tensors'
    expect(why((m) => sums(m, 8, 8, { a: B }))).toBe(others)
    expect(why((m) => sums(m, 8, 8, { b: A }))).toBe(others)
    expect(why((m) => sums(m, 8, 8, { a: B, b: A }))).toBe(others)
    expect(why((m) => sums(m, 8, 8, { scaled: true }))).toBe(
      'c[8, 0], written by there, is a sum of scaled elements',
    )
    expect(why((m) => sums(m, 8, 8), { ...spec, scales })).toBe(
      'c[8, 0], written by there, is not a sum of scaled elements',
    )
    expect(why((m) => sums(m, 8, 8, { row: 7 }))).toBe(
      'c[8, 0], written by there, is the sum for row 7 and column 0',
    )
    expect(why((m) => sums(m, 8, 8, { column: 1 }))).toBe(
      'c[8, 0], written by there, is the sum for row 8 and column 1',
    )
    expect(why((m) => sums(m, 8, 8, { ks: [0, 15] }))).toMatch(/^c\[8, 0\], written by there, has .*15/)
    expect(why((m) => sums(m, 8, 8, { ks: [0, 16, 3, 4] }))).toMatch(/^c\[8, 0\], written by there, has .*3/)
    expect(why((m) => sums(m, 8, 8), { ...spec, a: 'nobody' })).toBe(
      'the program names tensors that it does not have',
    )
    for (const name of ['b', 'out'])
      expect(why((m) => sums(m, 8, 8), { ...spec, [name]: 'nobody' })).toBe(
        'the program names tensors that it does not have',
      )
  })

  it('is of whole elements: what was overwritten by halves is not written', () => {
    const m = memory(header, tables())
    write(m, rowsOf(0, 16), sums(m, 0, 16), 0)
    expect(matmul(m, spec)).toMatchObject({ proved: true })
    // a bf16 lies where an f16 should be, and then two bytes across two elements
    const one = ofLayout(store, C, 'bf16', right(Ref.ofStrides([1], 16, [1])), 6)
    write(m, one.footprint, zero, 1)
    expect(matmul(m, spec).text).toBe('c[0, 3] is never written')
    const n = memory(header, tables())
    write(n, rowsOf(0, 16), sums(n, 0, 16), 0)
    const between = ofLayout(store, C, 'f16', right(Ref.ofStrides([1], 16, [1])), 41)
    write(n, between.footprint, zero, 1)
    expect(matmul(n, spec).text).toBe('c[1, 4] is never written')
  })
})

describe('law 2: by writes as by elements', () => {
  interface Cell {
    readonly row: number
    readonly column: number
    readonly ks: ReadonlyArray<number>
    readonly dtype: Dtype
  }
  /** What the product of two matrices is, cell by cell. */
  const judged = (cells: ReadonlyArray<Cell | undefined>): readonly [proved: boolean, inOrder: boolean] => {
    const multiset = (ks: ReadonlyArray<number>): string => {
      const all: number[] = []
      for (let i = 0; i < ks.length; i += 2) for (let k = ks[i]!; k < ks[i + 1]!; k++) all.push(k)
      return all.sort((p, q) => p - q).join()
    }
    const every = Array.from({ length: extent }, (_, k) => k).join()
    const proved = cells.every(
      (c, at) =>
        c?.dtype === 'f16' &&
        c.row === Math.floor(at / extent) &&
        c.column === at % extent &&
        multiset(c.ks) === every,
    )
    return [proved, proved && cells.every((c) => c!.ks.join() === `0,${String(extent)}`)]
  }
  /** Ascending cuts of 0 .. extent. */
  const cuts = (die: Dice): ReadonlyArray<number> => [
    0,
    ...Array.from({ length: extent - 1 }, (_, i) => i + 1).filter(() => die.chance(0.15)),
    extent,
  ]

  it('over boxes that cover the output or not, in place or not, one over another', () => {
    const count = { proved: 0, inOrder: 0, refused: 0 }
    // 1765: ascending by what is written last, in pieces, over one that is not
    for (const seed of [...Array(nightly ? 2000 : 150).keys(), 1765]) {
      const die = dice(seed)
      const m = memory(header, tables())
      const cells: (Cell | undefined)[] = Array.from({ length: extent * extent }, () => undefined)
      const orders = die.pick([
        [[0, 16]],
        [
          [0, 16],
          [8, 16, 0, 8],
          [0, 4, 4, 16],
        ],
      ])
      const put = (top: number, left: number, rows: number, columns: number, wrong: boolean): void => {
        const kind = wrong ? die.below(9) : -1
        const dtype: Dtype = kind === 0 ? 'bf16' : 'f16'
        const ks =
          kind === 1
            ? die.pick([
                [0, 15],
                [0, 16, 3, 4],
                [1, 16],
              ])
            : die.pick(orders)
        const order = Array.from({ length: rows * columns }, (_, e) => e)
        if (kind === 2) {
          const [e, f] = [die.below(order.length), die.below(order.length)]
          const moved = order[e]!
          order[e] = order[f]!
          order[f] = moved
        }
        const row = order.map((e) => Math.floor(e / columns))
        const column = order.map((e) => e % columns)
        // some or all lie where they say, but say it of an element that the matrix does not have
        if (kind === 8) {
          const by = die.pick([1, -1])
          order.forEach((_, e) => {
            if (!die.chance(0.3)) return
            row[e]! -= by
            column[e]! += by * extent
          })
        }
        const down = [0, 0, 0, 1, 0, 0, -1, 1][kind] ?? 0
        const over = [0, 0, 0, 0, -1, 0, extent, -extent][kind] ?? 0
        const shift = kind === 5 ? 2 * die.pick([1, -1, 16]) : 0
        const at = 2 * (extent * top + left) + shift
        if (at < 0 || at + 2 * (extent * (rows - 1) + columns) > 2 * extent * extent) return
        const { footprint } = ofLayout(
          store,
          C,
          dtype,
          right(Ref.ofStrides([rows, columns], 16, [extent, 1])),
          at,
        )
        const of = (xs: ReadonlyArray<number>) => table(m.tables, Int32Array.from(xs))
        write(m, footprint, sum(A, B, of(row), top + down, of(column), left + over, ks, false), 0)
        for (let e = 0; e < rows * columns; e++)
          cells[at / 2 + extent * Math.floor(e / columns) + (e % columns)] = {
            row: top + down + row[e]!,
            column: left + over + column[e]!,
            ks,
            dtype,
          }
      }
      const some = (wrong: number): void => {
        const [top, left] = [die.below(extent), die.below(extent)]
        put(top, left, 1 + die.below(extent - top), 1 + die.below(extent - left), die.chance(wrong))
      }
      if (die.chance(0.3)) some(0.7)
      const [across, along] = [cuts(die), cuts(die)]
      const wrong = die.chance(0.5) ? 0.1 : 0
      for (let i = 1; i < across.length; i++)
        for (let j = 1; j < along.length; j++)
          if (!die.chance(wrong / 2))
            put(
              across[i - 1]!,
              along[j - 1]!,
              across[i]! - across[i - 1]!,
              along[j]! - along[j - 1]!,
              die.chance(wrong),
            )
      if (die.chance(0.3)) some(0.3)
      const said = matmul(m, spec)
      const [proved, inOrder] = judged(cells)
      expect([seed, said.proved, said.inOrder]).toEqual([seed, proved, inOrder])
      count[inOrder ? 'inOrder' : proved ? 'proved' : 'refused']++
    }
    expect(Math.min(count.proved, count.inOrder, count.refused)).toBeGreaterThan(nightly ? 100 : 5)
  })
})

describe('a copy', () => {
  const claim = { _tag: 'copy', from: 'a', out: 'c' } as const
  const offsets = (m: Memory, count: number, step = 2) =>
    table(
      m.tables,
      Int32Array.from({ length: count }, (_, e) => step * e),
    )
  const copied = (second: (m: Memory) => Terms | null, claimed: Parameters<typeof copy>[1] = claim) => {
    const m = memory(header, tables())
    write(m, rowsOf(0, 8), input(A, offsets(m, 128), 0), 0)
    const terms = second(m)
    if (terms !== null) write(m, rowsOf(8, 8), terms, 1)
    return copy(m, claimed)
  }
  const here = (m: Memory): Terms => input(A, offsets(m, 128), 256)

  it('is proved where every element is the same one of the input', () => {
    expect(copied(here)).toEqual({
      proved: true,
      inOrder: true,
      text: 'c = a for all inputs: each of the 256 elements is copied once',
    })
  })
  it('is refused at the first that is not', () => {
    const refused = (second: (m: Memory) => Terms | null, claimed = claim): string => {
      const said = copied(second, claimed)
      expect(said).toMatchObject({ proved: false, inOrder: false })
      return said.text
    }
    expect(refused(() => null)).toBe('element 128 of c is never written')
    expect(refused(() => zero)).toBe('element 128 of c is not an element of an input')
    expect(refused((m) => sums(m, 8, 8))).toBe('element 128 of c is not an element of an input')
    expect(refused((m) => input(A, offsets(m, 128), 258))).toBe('element 128 of c is another element of a')
    expect(refused((m) => input(B, offsets(m, 128), 256))).toBe('element 128 of c is another element of b')
    expect(refused((m) => input(A, offsets(m, 128, 0), 256))).toBe('element 129 of c is another element of a')
    const names = 'the program names tensors that it does not have'
    expect(copied(here, { ...claim, from: 'nobody' }).text).toBe(names)
    expect(copied(here, { ...claim, out: 'nobody' }).text).toBe(names)
  })
  it('goes by rows and columns, however they lie', () => {
    // d lies column by column: its element (i, j) is at 16 j + i
    const m = memory(header, tables())
    const at = Int32Array.from({ length: 256 }, (_, e) => 2 * ((e % 16) * 16 + Math.floor(e / 16)))
    write(m, rowsOf(0, 16), input(3, table(m.tables, at), 0), 0)
    expect(copy(m, { ...claim, from: 'd' })).toMatchObject({ proved: true })
    expect(copy(m, { ...claim, from: 'a' }).text).toBe('element 0 of c is another element of d')
  })
})
