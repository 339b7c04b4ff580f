/**
 * Which write holds which byte. Oracle: a plane of bytes, each with the write, the element and the byte of the element that it holds.
 */
import { describe, expect, it } from 'vitest'
import type { Dtype } from '../../../../src/numerics/dtype.js'
import { bitsOf } from '../../../../src/numerics/dtype.js'
import { addressesIn, type Footprint, type Header } from '../../../../src/semantics/log/events.js'
import { footprints, ofAddresses, ofLayout } from '../../../../src/semantics/machine/footprint.js'
import { dice } from '../../../../src/semantics/schedules/naive/random.js'
import { memory, read, write, type Memory } from '../../../../src/semantics/judging/provenance/memory.js'
import { added, joined } from '../../../../src/semantics/judging/provenance/joined.js'
import {
  picked,
  remembered,
  table,
  tables,
  type Moved,
} from '../../../../src/semantics/judging/provenance/tables.js'
import {
  addressOf,
  input,
  other,
  pick,
  sum,
  zero,
  type Terms,
} from '../../../../src/semantics/judging/provenance/terms.js'
import * as Ref from '../../../../src/transforms/ref.js'
import { header, names, smemPlane, texts } from './terms.js'
import { right } from '../../../either.js'

const bytes = header.planes[smemPlane]!.bytes

interface Held {
  readonly write: number
  readonly element: number
  readonly byte: number
  readonly dtype: Dtype
}

const addressesOf = (f: Footprint): ReadonlyArray<number> =>
  f.map._tag === 'scatter' ? [...addressesIn(f.map)] : [...Ref.swizzledAddresses(f.map.layout, f.map.base)]

/** What element e of write n is: an element of input `a` that no other write has. */
const originOf = (n: number): number => n * 4096
const expected = (
  held: ReadonlyArray<Held | undefined>,
  f: Footprint,
  here: Header,
): ReadonlyArray<string> | null => {
  const width = bitsOf(f.dtype) / 8
  const out: string[] = []
  for (const at of addressesOf(f)) {
    const first = held[at]
    if (at < 0 || first?.byte !== 0 || first.dtype !== f.dtype) return null
    for (let b = 0; b < width; b++) {
      const h = held[at + b]
      if (h?.write !== first.write || h.element !== first.element || h.byte !== b) return null
    }
    out.push(`a+${String(originOf(first.write) + 2 * first.element)}`)
  }
  return here.planes.length === 0 ? null : out
}

describe('law 1: a read takes for each element the newest write of its bytes', () => {
  const dtypes = ['f16', 'f16', 'f16', 'bf16', 'f32', 'e4m3'] as const
  it('of boxes and of scattered elements, against bytes one by one', () => {
    const count = { whole: 0, none: 0 }
    for (let seed = 0; seed < 60; seed++) {
      const die = dice(seed)
      const store = footprints()
      const place = (): Footprint => {
        const dtype = die.pick(dtypes)
        const width = bitsOf(dtype) / 8
        const shape = [1 + die.below(3), 1 + die.below(4)]
        const base = width * die.below(20)
        if (die.chance(0.3)) {
          const order = Array.from({ length: 12 }, (_, i) => [die.below(100), i] as const).sort(
            (p, q) => p[0] - q[0],
          )
          const n = shape[0]! * shape[1]!
          return ofAddresses(
            store,
            smemPlane,
            dtype,
            shape,
            Int32Array.from(order.slice(0, n), ([, i]) => base + width * i),
          ).footprint
        }
        const row = shape[1]! + die.below(3)
        return ofLayout(store, smemPlane, dtype, right(Ref.ofStrides(shape, bitsOf(dtype), [row, 1])), base)
          .footprint
      }
      const m = memory(header, tables())
      const held: (Held | undefined)[] = Array.from({ length: bytes }, () => undefined)
      for (let n = 0; n < 30; n++) {
        const f = place()
        if (die.chance(0.5)) {
          const addresses = addressesOf(f)
          const offsets = Int32Array.from(addresses, (_, e) => 2 * e)
          write(m, f, input(0, table(m.tables, offsets), originOf(n)), 0)
          addresses.forEach((a, element) => {
            for (let b = 0; b < bitsOf(f.dtype) / 8; b++)
              held[a + b] = { write: n, element, byte: b, dtype: f.dtype }
          })
          continue
        }
        const found = read(m, f)
        const should = expected(held, f, header)
        if (should === null) expect(found._tag).toBe('other')
        else expect(texts(found, addressesOf(f).length)).toEqual(should)
        count[should === null ? 'none' : 'whole']++
      }
    }
    expect(count.whole).toBeGreaterThan(50)
    expect(count.none).toBeGreaterThan(100)
  })
})

describe('a read of just what was written', () => {
  const store = footprints()
  const offsets = (m: Memory, count: number) =>
    table(
      m.tables,
      Int32Array.from({ length: count }, (_, e) => 2 * e),
    )
  it('finds it element by element', () => {
    const m = memory(header, tables())
    const f = ofLayout(store, smemPlane, 'f16', right(Ref.ofStrides([2, 3], 16, [8, 1])), 4).footprint
    const terms = input(0, offsets(m, 6), 32)
    write(m, f, terms, 0)
    expect(texts(read(m, f), 6)).toEqual(['a+32', 'a+34', 'a+36', 'a+38', 'a+40', 'a+42'])
    // bytes of another dtype are not elements of this one
    const g = ofLayout(store, smemPlane, 'bf16', right(Ref.ofStrides([2, 3], 16, [8, 1])), 4).footprint
    expect(read(m, g)).toEqual(other('smem holds f16 (here) and is read as bf16'))
  })
  it('finds the last of two elements in one place twice', () => {
    const m = memory(header, tables())
    const f = ofAddresses(store, smemPlane, 'f16', [3], Int32Array.of(0, 2, 0)).footprint
    write(m, f, input(0, offsets(m, 3), 0), 0)
    expect(texts(read(m, f), 3)).toEqual(['a+4', 'a+2', 'a+4'])
  })
})

describe('what a read finds, by hand', () => {
  const store = footprints()
  const view = (plane: number, dtype: Dtype, from: number, count: number): Footprint =>
    ofLayout(store, plane, dtype, right(Ref.ofStrides([count], bitsOf(dtype), [1])), from).footprint
  const why = (t: Terms): string => (t._tag === 'other' ? t.why : t._tag)
  const filled = (
    ...writes: ReadonlyArray<
      readonly [from: number, count: number, terms: (m: Memory) => Terms, dtype?: Dtype, site?: number]
    >
  ): Memory => {
    const m = memory(header, tables())
    for (const [from, count, terms, dtype, site] of writes)
      write(m, view(smemPlane, dtype ?? 'f16', from, count), terms(m), site ?? 0)
    return m
  }
  const part =
    (plane: number, origin: number, count = 8) =>
    (m: Memory): Terms =>
      input(
        plane,
        table(
          m.tables,
          Int32Array.from({ length: count }, (_, e) => 2 * e),
        ),
        origin,
      )
  const total =
    (a: number, b: number, row: number, ks: ReadonlyArray<number>, count = 8) =>
    (m: Memory): Terms =>
      sum(
        a,
        b,
        table(
          m.tables,
          Int32Array.from({ length: count }, (_, e) => e),
        ),
        row,
        table(m.tables, new Int32Array(count)),
        3,
        ks,
        false,
      )
  const at = (m: Memory, from: number, count: number, dtype: Dtype = 'f16'): Terms =>
    read(m, view(smemPlane, dtype, from, count))

  it('law 2: inputs are there from the start, and nothing else is', () => {
    const m = memory(header, tables())
    expect(texts(read(m, view(1, 'f16', 6, 3)), 3)).toEqual(['b+6', 'b+8', 'b+10'])
    expect(why(at(m, 0, 4))).toBe('smem is read before anything was written to it')
    const n = filled([0, 8, part(0, 0)])
    expect(why(at(n, 16, 4))).toBe('smem is read before anything was written to it')
    expect(why(at(n, 8, 8))).toBe('smem is read before anything was written to byte 16')
    write(n, view(1, 'f16', 0, 2), zero, 0)
    expect(why(read(n, view(1, 'f16', 0, 4)))).toBe('b is read where it was partly overwritten')
    expect(texts(read(n, view(1, 'f16', 4, 2)), 2)).toEqual(['b+4', 'b+6'])
  })
  it('elements of less than a byte, of another type, from the middle, across two', () => {
    const m = filled([0, 8, part(0, 0), 'f16', 1])
    expect(why(at(m, 0, 2, 'e2m1'))).toBe('elements of less than a byte are not followed')
    expect(why(at(m, 0, 8, 'bf16'))).toBe('smem holds f16 (there) and is read as bf16')
    expect(why(at(m, 1, 2, 'e4m3'))).toBe('smem is read from the middle of an element, at byte 1')
    expect(why(at(m, 0, 1, 'e4m3'))).toBe('smem holds f16 (there) and is read as e4m3')
    expect(why(at(m, 0, 2, 'f32'))).toBe('smem is read across two elements, at byte 0')
    const two = filled([0, 4, part(0, 0)], [8, 4, part(1, 0), 'bf16'])
    expect(why(at(two, 4, 4, 'bf16'))).toBe('smem holds f16 (here) and is read as bf16')
    expect(why(at(two, 4, 4))).toBe('smem holds bf16 (here) and is read as f16')
    const scattered = ofAddresses(store, smemPlane, 'f16', [2], Int32Array.of(0, -1)).footprint
    expect(why(read(two, scattered))).toBe('elements outside the tensor take part')
  })
  it('several writes: of one kind, of one input, of the same tensors and k’s', () => {
    const kinds = (x: (m: Memory) => Terms, y: (m: Memory) => Terms): Terms =>
      at(filled([0, 4, x], [8, 4, y, 'f16', 1]), 4, 4)
    const mixed = 'elements of different kinds are adjacent: from here and from there'
    expect(texts(kinds(part(0, 0), part(0, 64)), 4)).toEqual(['a+4', 'a+6', 'a+64', 'a+66'])
    expect(why(kinds(part(0, 0), part(1, 64)))).toBe(mixed)
    expect(texts(kinds(total(0, 1, 0, [0, 4]), total(0, 1, 10, [0, 4])), 4)).toEqual([
      'a[2] b[3] 0,1,2,3',
      'a[3] b[3] 0,1,2,3',
      'a[10] b[3] 0,1,2,3',
      'a[11] b[3] 0,1,2,3',
    ])
    expect(why(kinds(total(0, 1, 0, [0, 4]), total(0, 1, 10, [0, 5])))).toBe(
      'elements that are sums over 0:4 and over 0:5 of k are adjacent: from here and from there',
    )
    expect(why(kinds(total(0, 1, 0, [0, 4]), total(2, 1, 10, [0, 4])))).toBe(mixed)
    expect(why(kinds(total(0, 1, 0, [0, 4]), total(0, 2, 10, [0, 4])))).toBe(mixed)
    const scaled =
      (row: number) =>
      (m: Memory): Terms => {
        const terms = total(0, 1, row, [0, 4])(m)
        return terms._tag === 'sum' ? { ...terms, scaled: true } : terms
      }
    expect(kinds(scaled(0), scaled(10))).toMatchObject({ _tag: 'sum', scaled: true })
    expect(why(kinds(scaled(0), total(0, 1, 10, [0, 4])))).toBe(mixed)
    expect(why(kinds(part(0, 0), total(0, 1, 0, [0, 4])))).toBe(mixed)
    expect(why(kinds(total(0, 1, 0, [0, 4]), part(0, 0)))).toBe(mixed)
    // a zero beside elements of an input is one that is nowhere
    const placesIn = (t: Terms): unknown =>
      t._tag === 'input' ? [0, 1, 2, 3].map((e) => addressOf(t, e)) : t
    expect(placesIn(kinds(part(0, 0), () => zero))).toEqual([4, 6, -1, -1])
    expect(placesIn(kinds(() => zero, part(0, 64)))).toEqual([-1, -1, 64, 66])
    expect(why(kinds(total(0, 1, 0, [0, 4]), () => zero))).toBe(mixed)
    expect(
      why(
        kinds(
          () => zero,
          () => zero,
        ),
      ),
    ).toBe('zero')
    expect(why(kinds(part(0, 0), () => other('lost')))).toBe('lost')
    expect(why(kinds(() => other('lost'), part(0, 0)))).toBe('lost')
  })
})

describe('terms', () => {
  it('pick: the term of element elements[i]', () => {
    const s = tables()
    const t = (...xs: number[]) => table(s, Int32Array.from(xs))
    const elements = t(2, 0)
    expect(texts(pick(s, input(1, t(0, 6, 10), 100), elements), 2)).toEqual(['b+110', 'b+100'])
    expect(texts(pick(s, sum(0, 1, t(0, 1, 2), 10, t(5, 6, 7), 20, [0, 2], false), elements), 2)).toEqual([
      'a[12] b[27] 0,1',
      'a[10] b[25] 0,1',
    ])
    expect(pick(s, zero, elements)).toBe(zero)
    expect(names.length).toBe(5)
  })
  it('tables: equal contents give one, other contents another, also where hashes meet', () => {
    const s = tables()
    const t = (...xs: number[]) => table(s, Int32Array.from(xs))
    expect(t(1, 2)).toBe(t(1, 2))
    expect(t(1, 2)).not.toBe(t(2, 1))
    expect(t(1, 2)).not.toBe(t(1, 2, 0))
    // 0x01000193 is odd: two lists of two numbers with the same hash
    const [x, y] = [Math.imul(Math.imul(2 ^ 0, 0x01000193), 1), Math.imul(Math.imul(2 ^ 1, 0x01000193), 1)]
    expect(t(0, 7 ^ x)).not.toBe(t(1, 7 ^ y))
    expect(t(0, 7 ^ x)).toBe(t(0, 7 ^ x))
    expect(t(1, 7 ^ y)).toBe(t(1, 7 ^ y))
    const values = Int32Array.of(4, 5)
    expect(table(s, values)).toBe(table(s, values))
    const moved = ({ table: { values }, by }: Moved): ReadonlyArray<number> => [...values].map((x) => x + by)
    expect(moved(picked(s, t(5, 6, 7), t(2, 2, 0)))).toEqual([7, 7, 5])
    expect(picked(s, t(5, 6, 7), t(2, 2, 0))).toBe(picked(s, t(5, 6, 7), t(2, 2, 0)))
    expect(picked(s, t(5, 6, 7), t(0, 1)).table).toBe(picked(s, t(5, 6, 7), t(1, 2)).table)
    expect(picked(s, t(5, 6, 7), t())).toEqual({ table: t(), by: 0 })
    let made = 0
    const memo = new Map<number, Map<number, number>>()
    const ask = (p: number, q: number): number => remembered(memo, p, q, () => (made++, p * 10 + q))
    expect([ask(1, 2), ask(1, 2), ask(1, 3), ask(2, 2), ask(1, 3)]).toEqual([12, 12, 13, 22, 13])
    expect(made).toBe(3)
  })
  it('joined: sums of the same tensors, rows and columns add up; nothing else does', () => {
    const s = tables()
    const t = (...xs: number[]) => table(s, Int32Array.from(xs))
    const of = (a: number, b: number, row: number, column: number, ks: ReadonlyArray<number>): Terms =>
      sum(a, b, t(0, 1), row, t(0, 0), column, ks, false)
    const x = of(0, 1, 4, 6, [0, 4])
    const why = (y: Terms): string => (y._tag === 'other' ? y.why : y._tag)
    expect(added(x, of(0, 1, 4, 6, [4, 8]))).toMatchObject({ ks: [0, 4, 4, 8], row: 4, column: 6 })
    expect(added(zero, x)).toBe(x)
    expect(added(x, zero)).toBe(x)
    expect(why(added(other('old'), other('new')))).toBe('old')
    expect(why(added(zero, other('new')))).toBe('new')
    const unlike = 'a reduction adds to something other than a sum of the same two tensors'
    for (const y of [of(2, 1, 4, 6, []), of(0, 2, 4, 6, []), input(0, t(0, 2), 0)]) {
      expect(why(added(x, y))).toBe(unlike)
      expect(why(added(y, x))).toBe(unlike)
    }
    expect(why(added(x, of(0, 1, 5, 6, [])))).toBe(
      'a reduction adds the sum for row 5 and column 6 to that for row 4 and column 6',
    )
    expect(why(added(x, of(0, 1, 4, 7, [])))).toBe(
      'a reduction adds the sum for row 4 and column 7 to that for row 4 and column 6',
    )
    expect(why(added(x, sum(0, 1, t(0, 2), 4, t(0, 0), 6, [], false)))).toBe(
      'a reduction adds the sum for row 6 and column 6 to that for row 5 and column 6',
    )
    const scaled = sum(0, 1, t(0, 1), 4, t(0, 0), 6, [4, 8], true)
    expect([why(added(x, scaled)), why(added(scaled, x))]).toEqual([unlike, unlike])
    expect(added(scaled, scaled)).toMatchObject({ ks: [4, 8, 4, 8], scaled: true })
    expect(joined('add', zero, x)).toBe(x)
    expect(joined('exchange', other('old'), x)).toBe(x)
    expect(why(joined('max', zero, x))).toBe('a reduction by max is not a sum')
  })
})
