/** Planes of shadows: what is read of them is what was written, byte by byte with its mark; against a map of bytes and marks. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Dtype } from '../../../src/numerics/dtype.js'
import { bits } from '../../../src/numerics/bits.js'
import {
  bytesOfMark,
  datumOf,
  isKnown,
  mark,
  marked,
  markOf,
  ofProduct,
  patternOf,
  shadow,
} from '../../../src/numerics/shadow.js'
import { cells, type Cells } from '../../../src/semantics/machine/cells.js'
import * as Plane from '../../../src/semantics/machine/plane.js'
import { nightly } from '../../extent.js'

const runs = { numRuns: nightly ? 2000 : 25 }
const size = 5000

const bytesOfDtype: Readonly<Partial<Record<Dtype, 1 | 2 | 4>>> = { u8: 1, u16: 2, f16: 2, i32: 4, f32: 4 }

/** A known byte is its number, one that is not is minus its datum. */
type Bytes = Map<number, number>

const element = (plain: Bytes, at: number, width: number): number => {
  let word = 0
  let bytes = 0
  let datum = 0
  for (let b = 0; b < width; b++) {
    const byte = plain.get(at + b) ?? 0xff
    if (byte < 0) {
      bytes |= 1 << b
      datum = Math.max(datum, -byte)
    } else word |= byte << (8 * b)
  }
  return marked(word, mark(bytes, datum))
}

const write = (plain: Bytes, at: number, width: number, x: number): void => {
  for (let b = 0; b < width; b++)
    plain.set(
      at + b,
      (bytesOfMark(markOf(x)) >>> b) & 1 ? -datumOf(markOf(x)) : (patternOf(x) >>> (8 * b)) & 0xff,
    )
}

interface Access {
  readonly dtype: Dtype
  readonly at: ReadonlyArray<number>
  readonly seed: ReadonlyArray<number>
  readonly forgets: boolean
}

const access = fc.record<Access>({
  dtype: fc.constantFrom<Dtype>('u8', 'u16', 'f16', 'i32', 'f32'),
  at: fc.uniqueArray(fc.nat(40), { minLength: 1, maxLength: 6 }),
  seed: fc.array(fc.integer(), { minLength: 6, maxLength: 6 }),
  forgets: fc.boolean(),
})

const cellsOf = ({ dtype, at }: Access): Cells =>
  // over the edge of a page, too
  cells(
    dtype,
    Int32Array.from(at, (k) => 4000 + 4 * k),
  )

const carriersOf = ({ dtype, at, seed }: Access): Float64Array => {
  const width = bytesOfDtype[dtype]!
  const all = 2 ** width - 1
  return Float64Array.from(at, (_, i) => {
    const s = seed[i]!
    const pattern = width === 4 ? (dtype === 'i32' ? s | 0 : s >>> 0) : (s >>> 0) % 2 ** (8 * width)
    return (s & 64) === 0 ? pattern : marked(pattern, mark((s >>> 8) & all, 1 + ((s >>> 12) & 0x7f)))
  })
}

describe('law 9 of planes', () => {
  it('reads are what was written, marks and all; copies too', () => {
    fc.assert(
      fc.property(fc.array(access, { maxLength: 12 }), access, (accesses, last) => {
        const plain: Bytes = new Map()
        let plane = Plane.empty('shadow', size, true)
        const own = { run: Symbol('own') }
        accesses.forEach((a, i) => {
          const c = cellsOf(a)
          const width = bytesOfDtype[a.dtype]!
          const data = carriersOf(a)
          if (a.forgets) {
            plane = Plane.forget(plane, c, ofProduct, i % 2 === 0 ? own : null)
            for (const at of c.offsets) for (let b = 0; b < width; b++) plain.set(at + b, -ofProduct)
          } else {
            plane = Plane.write(plane, c, data, i % 2 === 0 ? own : null)
            c.offsets.forEach((at, k) => {
              write(plain, at, width, data[k]!)
            })
          }
        })
        const c = cellsOf(last)
        const width = bytesOfDtype[last.dtype]!
        const signed = last.dtype === 'i32'
        const expected = Array.from(c.offsets, (at) => {
          const x = element(plain, at, width)
          return isKnown(x) ? (signed ? x | 0 : width === 4 ? x >>> 0 : x) : x
        })
        expect([...(Plane.read(plane, c).data ?? [])]).toEqual(expected)
        const elsewhere = cells(
          last.dtype,
          c.offsets.map((at) => at - 3000),
        )
        const copy = Plane.copy(plane, c, 0, Plane.empty('shadow', size, true), elsewhere, null)
        expect([...(Plane.read(copy, elsewhere).data ?? [])]).toEqual(expected)
      }),
      runs,
    )
  })

  it('inputs are not known, and what fills a box outside of its tensor is', () => {
    const plane = Plane.ofShadow(Uint8Array.of(1, 2, 3, 4), 7, true)
    const c = cells('u16', Int32Array.of(0, 2, -1))
    expect([...(Plane.read(plane, c, 5).data ?? [])].map(markOf)).toEqual([mark(3, 7), mark(3, 7), 0])
    const to = cells('u16', Int32Array.of(0, 2, 4))
    const box = Plane.copy(plane, c, 5, Plane.empty('shadow', 64, true), to, null)
    const { data } = Plane.read(box, to)
    expect([data![2], markOf(data![0]!)]).toEqual([5, mark(3, 7)])
    expect(
      markOf(Plane.read(Plane.ofShadow(Uint8Array.of(1), null), cells('u8', Int32Array.of(0))).data![0]!),
    ).toBe(0)
  })

  it('of bytes of several data the greatest is said', () => {
    const bytes = cells('u8', Int32Array.of(0, 1))
    const of = Float64Array.of(marked(0, mark(1, 9)), marked(0, mark(1, 3)))
    const plane = Plane.write(Plane.empty('shadow', 64), bytes, of, null)
    expect(markOf(Plane.read(plane, cells('u16', Int32Array.of(0))).data![0]!)).toBe(mark(3, 9))
  })

  it('of a byte of two halves one that is not known makes it so', () => {
    const halves = cells('e2m1', Int32Array.of(0, 1))
    const plane = Plane.write(
      Plane.empty('shadow', 64),
      halves,
      Float64Array.of(5, marked(0, mark(1, 3))),
      null,
    )
    expect([...(Plane.read(plane, halves).data ?? [])].map(markOf)).toEqual([mark(1, 3), mark(1, 3)])
  })
})

describe('the algebra of shadows', () => {
  const word = fc.integer({ min: 0, max: 0xffff })
  const of = bits('hopper')
  const over = shadow(of)
  const valueOf = <A>(o: { readonly _tag: string; readonly value?: A }): A => o.value!

  it('laws 1 to 3: marks are kept, known carriers are those of bits, others are sound', () => {
    fc.assert(
      fc.property(
        word,
        word,
        fc.nat(3),
        fc.nat(3),
        fc.integer({ min: 1, max: 254 }),
        word,
        (x, y, m, n, datum, z) => {
          const [p, q] = [marked(x, mark(m, datum)), marked(y, mark(n, datum))]
          expect([markOf(p), patternOf(p) & ~(m & 1 ? 0xff : 0) & ~(m & 2 ? 0xff00 : 0)]).toEqual([
            mark(m, datum),
            x & ~(m & 1 ? 0xff : 0) & ~(m & 2 ? 0xff00 : 0),
          ])
          const [add, exact] = [valueOf(over.binary('add', 'f16')), valueOf(of.binary('add', 'f16'))]
          const [fma, fused] = [valueOf(over.fma('f16')), valueOf(of.fma('f16'))]
          if (m === 0 && n === 0) {
            expect(add(p, q)).toBe(exact(x, y))
            expect(fma(p, q, z)).toBe(fused(x, y, z))
          } else {
            expect(markOf(add(p, q))).toBe(mark(3, datum))
            expect(markOf(fma(z, p, q))).toBe(mark(3, datum))
          }
        },
      ),
      runs,
    )
  })
})
