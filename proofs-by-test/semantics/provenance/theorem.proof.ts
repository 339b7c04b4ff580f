/** What the terms of an output prove. Oracle: contents of the output written by hand, each with the sentence that it deserves. */
import { describe, expect, it } from 'vitest'
import type { Dtype } from '../../../src/numerics/dtype.js'
import { bitsOf } from '../../../src/numerics/dtype.js'
import { footprints, ofLayout } from '../../../src/semantics/machine/footprint.js'
import { memory, write, type Memory } from '../../../src/semantics/provenance/memory.js'
import { table, tables } from '../../../src/semantics/provenance/tables.js'
import { input, other, sum, zero, type Terms } from '../../../src/semantics/provenance/terms.js'
import { copy, matmul } from '../../../src/semantics/provenance/theorem.js'
import * as Ref from '../../../src/transforms/ref.js'
import { right } from '../samples.js'
import { extent, header } from './terms.js'

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
