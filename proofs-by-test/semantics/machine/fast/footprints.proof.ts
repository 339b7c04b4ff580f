/**
 * Footprints: one object for one place, and its bytes. Spans and addresses against those of the layout itself, listed anew, and small ones by hand.
 */
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Dtype } from '../../../../src/numerics/dtype.js'
import * as Footprint from '../../../../src/semantics/machine/footprint.js'
import type { Elements } from '../../../../src/semantics/machine/operation.js'
import { ofStrides, ofTransforms, spans, swizzledAddresses } from '../../../../src/transforms/ref.js'
import { swizzle, tile } from '../../../../src/transforms/transform.js'
import { addressesIn, spansOf, type Scatter } from '../../../../src/semantics/log/events.js'
import { spansAt } from '../../../../src/semantics/machine/addresses.js'
import { prop } from '../../../prop.js'
import { right } from '../../../either.js'

describe('footprints', () => {
  const refs = [
    right(ofTransforms([2, 64, 128], 16, [right(tile([8, 64])), right(swizzle(128))])),
    right(ofTransforms([64, 32], 16, [right(tile([8, 32])), right(swizzle(64))])),
    right(ofTransforms([64, 16], 16, [right(tile([8, 16])), right(swizzle(32))])),
    right(ofStrides([5, 7], 32, [16, 1])),
    right(ofStrides([24, 8], 16, [64, 1], 128)),
  ]
  test('law 1 and law 2: one object for one place, its addresses and spans those of the ref at that base', () => {
    for (const layout of refs) {
      const store = Footprint.footprints()
      const dtype = layout.bits === 32 ? 'f32' : 'f16'
      const ids = new Set<number>()
      const bases = [0, 128, 256, 384, 1024, 1152, 65536, 65536 + 640]
      for (const base of bases) {
        const e = Footprint.ofLayout(store, 3, dtype, layout, base)
        // as text: thousands of numbers are compared sooner
        expect(Footprint.addressesOf(e).join()).toBe(swizzledAddresses(layout, base).join())
        expect([...spansOf(e.footprint)]).toEqual(spans(layout, base).flatMap(([s, n]) => [s, s + n]))
        expect([...Footprint.intervalsOf(Footprint.addressesOf(e), layout.bits / 8)]).toEqual([
          ...spansOf(e.footprint),
        ])
        expect(Footprint.ofLayout(store, 3, dtype, { ...layout }, base)).toBe(e)
        ids.add(e.footprint.id)
      }
      expect(ids.size).toBe(bases.length)
      expect(Footprint.ofLayout(store, 4, dtype, layout, 0)).not.toBe(
        Footprint.ofLayout(store, 3, dtype, layout, 0),
      )
    }
  })

  test('law 1: scattered elements are one object when every address is equal, whatever their hash', () => {
    const store = Footprint.footprints()
    const at = (...addresses: ReadonlyArray<number>): Elements =>
      Footprint.ofAddresses(store, 0, 'f16', [addresses.length], Int32Array.from(addresses))
    expect(at(0, 4, -1, 8)).toBe(at(0, 4, -1, 8))
    expect(at(0, 4, -1, 8)).not.toBe(at(0, 4, 8, -1))
    expect([...spansOf(at(10, -1, 0, 2, 2).footprint)]).toEqual([0, 4, 10, 12])
    // two ways to lie that the hash cannot tell apart: 0 a x and 0 b y
    const step = (h: number, x: number): number => Math.imul(h ^ x, 0x01000193)
    const begun = step(0x811c9dc5, 0)
    const [a, x] = [4, 1 << 20]
    const other = Array.from({ length: 4000 }, (_, k) => 2 * k + 6)
      .map((c) => [c, x ^ step(begun, a) ^ step(begun, c)] as const)
      .find(([, y]) => y >= 0)!
    expect(step(step(begun, other[0]), other[1])).toBe(step(step(begun, a), x))
    expect(at(0, ...other)).not.toBe(at(0, a, x))
    expect(at(0, ...other).offsets).not.toEqual(at(0, a, x).offsets)
    const all = new Set(
      Array.from({ length: 3000 }, (_, k) => at(2 * k, 2 * ((k * 7919) % 3000)).footprint.id),
    )
    expect(all.size).toBe(3000)
  })

  test('law 1: another plane, another dtype, another layout or another base is another object, and says so', () => {
    const store = Footprint.footprints()
    const layouts = [
      right(ofStrides([4], 32, [1])),
      right(ofStrides([4], 32, [2])),
      right(ofStrides([2, 2], 32, [2, 1])),
    ]
    const ids = new Set<number>()
    let asked = 0
    for (const plane of [0, 1, 2, 5])
      for (const dtype of ['f32', 'tf32', 'i32', 'u32'] as const)
        for (const layout of layouts)
          for (const base of [0, 4, 16]) {
            asked++
            expect(Footprint.known(store, plane, dtype, layout, base)).toBeUndefined()
            const e = Footprint.ofLayout(store, plane, dtype, layout, base)
            expect(e).toMatchObject({ plane, dtype, shape: layout.shape })
            expect(e.footprint).toMatchObject({ plane, dtype, map: { _tag: 'view', layout, base } })
            expect(Footprint.known(store, plane, dtype, layout, base)).toBe(e)
            ids.add(e.footprint.id)
          }
    expect(ids.size).toBe(asked)
  })
  test('law 1: scattered elements too: plane, dtype, shape, how many', () => {
    const store = Footprint.footprints()
    const at = (
      plane: number,
      dtype: Dtype,
      shape: ReadonlyArray<number>,
      ...addresses: ReadonlyArray<number>
    ): Elements => Footprint.ofAddresses(store, plane, dtype, shape, Int32Array.from(addresses))
    const e = at(0, 'f16', [4], 0, 2, 4, 6)
    expect(e).toMatchObject({ plane: 0, dtype: 'f16', shape: [4], origin: 0 })
    expect(e.footprint.map).toEqual({
      _tag: 'scatter',
      shape: [4],
      offsets: Int32Array.of(0, 2, 4, 6),
      by: 0,
    })
    for (const other of [
      at(1, 'f16', [4], 0, 2, 4, 6),
      at(0, 'bf16', [4], 0, 2, 4, 6),
      at(0, 'f16', [2, 2], 0, 2, 4, 6),
      at(0, 'f16', [4], 0, 2, 4, 8),
      at(0, 'f16', [4], 0, 2, 4),
    ])
      expect(other.footprint.id).not.toBe(e.footprint.id)
    expect(at(0, 'f16', [4], 0, 2, 4, 6)).toBe(e)
  })
  test('laws 1 and 3: elsewhere, elements that lie alike are another object with the same lists', () => {
    const store = Footprint.footprints()
    const at = (dtype: Dtype, plane: number, ...addresses: ReadonlyArray<number>): Elements =>
      Footprint.ofAddresses(store, plane, dtype, [addresses.length], Int32Array.from(addresses))
    // the least address need not be the first; of elements of 4 bits a base is a whole byte
    for (const [dtype, lie] of [
      ['f32', [24, 0, 8, 8]],
      ['u8', [1, 0, 2, 5]],
      ['e2m1', [3, 0, 1, 6]],
    ] as const) {
      const bases = [0, 2, 64, 1000, 1026]
      const all = bases.map((base) => at(dtype, 1, ...lie.map((x) => x + base)))
      expect(new Set(all.map(({ footprint }) => footprint.id)).size).toBe(bases.length)
      all.forEach((e, i) => {
        const addresses = Int32Array.from(lie, (x) => x + bases[i]!)
        expect([...Footprint.addressesOf(e)]).toEqual([...addresses])
        expect([...spansOf(e.footprint)]).toEqual([...spansAt(dtype, addresses)])
        expect([...addressesIn(e.footprint.map as Scatter)]).toEqual([...addresses])
        expect(e.offsets).toBe(all[0]!.offsets)
        expect(e.footprint.spans.list).toBe(all[0]!.footprint.spans.list)
        expect(at(dtype, 2, ...addresses)).not.toBe(e)
        expect(at(dtype, 1, ...addresses)).toBe(e)
      })
    }
    expect(at('e2m1', 1, 4, 1).origin).toBe(0)
    expect([...spansOf(at('e2m1', 1, 5, 4).footprint)]).toEqual([2, 3])
    // where one is nowhere nothing is moved
    expect(at('f32', 1, 64, -1)).toMatchObject({ origin: 0, offsets: Int32Array.of(64, -1) })
    expect(at('f32', 1, 64, -1)).not.toBe(at('f32', 1, 0, -1))
  })
  test('law 4: what is listed for a program serves its next run, and is what another store lists', () => {
    const [program, another] = [{}, {}]
    const lie = [96, 0, 32]
    const of = (store: Footprint.Footprints, ...addresses: ReadonlyArray<number>): Elements =>
      Footprint.ofAddresses(store, 0, 'i32', [addresses.length], Int32Array.from(addresses))
    const first = of(Footprint.footprints(program), ...lie)
    const store = Footprint.footprints(program)
    const next = of(store, ...lie.map((x) => x + 8))
    const alone = of(Footprint.footprints(), ...lie.map((x) => x + 8))
    expect(next.offsets).toBe(first.offsets)
    expect(next).toEqual(alone)
    expect(next.footprint.id).toBe(0)
    expect(of(Footprint.footprints(another), ...lie).offsets).not.toBe(first.offsets)
    expect(alone.offsets).not.toBe(first.offsets)
    // another dtype or another shape is listed for itself
    expect(Footprint.ofAddresses(store, 0, 'f32', [3], Int32Array.from(lie)).dtype).toBe('f32')
    expect(Footprint.ofAddresses(store, 0, 'i32', [1, 3], Int32Array.from(lie)).shape).toEqual([1, 3])
  })
  prop([
    fc.array(fc.oneof(fc.integer({ min: 0, max: 400 }), fc.constantFrom(-1, 64)), {
      minLength: 1,
      maxLength: 6,
    }),
    fc.constantFrom<readonly [Dtype, number, number]>(
      ['i32', 4, 1],
      ['i32', 4, 4],
      ['u8', 1, 3],
      ['u16', 2, 2],
    ),
  ])('law 6: from each start on', (starts, [dtype, bytes, count]) => {
    const store = Footprint.footprints()
    const addresses = Int32Array.from(
      starts.flatMap((start) =>
        Array.from({ length: count }, (_, k) => (start < 0 ? -1 : start + k * bytes)),
      ),
    )
    const shape = count === 1 ? [starts.length] : [starts.length, count]
    const e = Footprint.ofStarts(store, 3, dtype, starts, bytes, count)
    expect(Footprint.ofAddresses(store, 3, dtype, shape, addresses)).toBe(e)
    expect([...Footprint.addressesOf(e)]).toEqual([...addresses])
    return true
  })
  prop([
    fc.array(fc.oneof(fc.integer({ min: -3, max: 60 }), fc.constantFrom(8, 16)), {
      minLength: 1,
      maxLength: 6,
    }),
    fc.constantFrom<Dtype>('i32', 'u8', 'u16', 'e2m1'),
    fc.array(fc.tuple(fc.nat(2), fc.boolean(), fc.boolean(), fc.constantFrom<Dtype>('i32', 'u8')), {
      maxLength: 8,
    }),
  ])('law 5: a list that is kept, in many stores, planes, dtypes and shapes', (list, own, asked) => {
    const program = {}
    const kept = Int32Array.from(list)
    Footprint.ofKept(Footprint.footprints(program), 0, own, [list.length], kept)
    for (const isOneStore of [false, true]) {
      const one = Footprint.footprints(program)
      for (const [plane, isFirst, isFlat, dtype] of asked) {
        const store = isOneStore ? one : Footprint.footprints(program)
        const shape = isFlat ? [list.length] : [1, list.length]
        const plain = () => Footprint.ofAddresses(store, plane, dtype, shape, Int32Array.from(list))
        const before = isFirst ? plain() : null
        const e = Footprint.ofKept(store, plane, dtype, shape, kept)
        if (before !== null) expect(e).toBe(before)
        expect(plain()).toBe(e)
        expect(e).toMatchObject({ plane, dtype, shape })
        expect([...Footprint.addressesOf(e)]).toEqual(list)
      }
    }
    return true
  })
  test('a base below zero, as a view that has left its plane has it', () => {
    const lines = right(ofTransforms([8, 64], 16, [right(swizzle(128))]))
    for (const base of [-16, -128, -1152])
      for (const layout of [lines, refs[3]!]) {
        const e = Footprint.ofLayout(Footprint.footprints(), 0, 'f16', layout, base)
        expect([...Footprint.addressesOf(e)]).toEqual([...swizzledAddresses(layout, base)])
      }
  })
  test('places of one layout share their offsets where the swizzle repeats', () => {
    const store = Footprint.footprints()
    const offsets = (base: number): Int32Array => Footprint.ofLayout(store, 0, 'f16', refs[0]!, base).offsets
    expect(offsets(2048)).toBe(offsets(1024))
    expect(offsets(1152)).toBe(offsets(128))
    expect(offsets(128)).not.toBe(offsets(0))
  })
  test('a layout made again for the same part of a program is the one made before', () => {
    const [part, another] = [{}, {}]
    const made = () => right(ofStrides([2, 3], 16, [8, 1]))
    const first = Footprint.asBefore(part, made())
    expect(first).toEqual(made())
    expect(Footprint.asBefore(part, made())).toBe(first)
    expect(Footprint.asBefore(another, made())).not.toBe(first)
    const wider = right(ofStrides([2, 3], 16, [9, 1]))
    expect(Footprint.asBefore(part, wider)).toBe(wider)
    // so the addresses of a box are listed once for all runs
    expect(Footprint.placedAt(Footprint.asBefore(part, made()), 64).placed.addresses).toBe(
      Footprint.placedAt(first, 0).placed.addresses,
    )
  })
  test('elements of 4 bits: two addresses in a byte, one byte for both', () => {
    const store = Footprint.footprints()
    // two rows of three elements, eight bytes apart
    const e = Footprint.ofLayout(store, 0, 'e2m1', right(ofStrides([2, 3], 4, [16, 1])), 5)
    expect([...Footprint.addressesOf(e)]).toEqual([10, 11, 12, 26, 27, 28])
    expect([...spansOf(e.footprint)]).toEqual([5, 7, 13, 15])
    expect(Footprint.firstOf(e)).toBe(10)
    const every = Footprint.ofLayout(store, 0, 'e2m1', right(ofStrides([3], 4, [3])), 0)
    expect([...Footprint.addressesOf(every)]).toEqual([0, 3, 6])
    expect([...spansOf(every.footprint)]).toEqual([0, 2, 3, 4])
    const scattered = Footprint.ofAddresses(store, 0, 'e2m1', [4], Int32Array.of(9, -1, 2, 3))
    expect([...spansOf(scattered.footprint)]).toEqual([1, 2, 4, 5])
  })
  test('the first element, and where there is one', () => {
    const store = Footprint.footprints()
    const e = Footprint.ofLayout(store, 0, 'f16', right(ofStrides([3], 16, [4])), 100)
    expect(Footprint.firstOf(e)).toBe(100)
    expect([...spansOf(e.footprint)]).toEqual([100, 102, 108, 110, 116, 118])
    const scattered = Footprint.ofAddresses(store, 0, 'f32', [3], Int32Array.of(40, -1, 8))
    expect(Footprint.firstOf(scattered)).toBe(40)
    expect([...spansOf(scattered.footprint)]).toEqual([8, 12, 40, 44])
    const nowhere = Footprint.ofAddresses(store, 0, 'f32', [1], Int32Array.of(-1))
    expect([...spansOf(nowhere.footprint)]).toEqual([])
  })
})
