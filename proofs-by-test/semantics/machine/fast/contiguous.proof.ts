/** Bytes moved in runs against bytes moved one by one: planes read, written and copied between. */
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { bitsOf, dtypes, type Dtype } from '../../../../src/numerics/dtype.js'
import {
  bytesOf,
  cells,
  copy,
  empty,
  read,
  write,
  type Cells,
  type Plane,
} from '../../../../src/semantics/machine/plane.js'
import { movesOf, runsOf } from '../../../../src/semantics/machine/fast/contiguous.js'
import { prop } from '../../../prop.js'

/** Two pages and a bit. */
const size = 8192 + 512
const all = cells(
  'u8',
  Int32Array.from({ length: size }, (_, i) => i),
)
const bytesIn = (p: Plane): ReadonlyArray<number> => [...(read(p, all).data ?? [])]

interface Piece {
  readonly start: number
  readonly count: number
  readonly there: boolean
}
/** Pieces near each other and over the edges of pages, some nowhere; long ones, and scraps. */
const pieces: fc.Arbitrary<ReadonlyArray<Piece>> = fc.array(
  fc.record({
    start: fc.oneof(
      fc.integer({ min: 0, max: 40 }),
      fc.integer({ min: 4060, max: 4110 }),
      fc.integer({ min: 8150, max: 8200 }),
    ),
    count: fc.oneof(fc.constant(1), fc.constantFrom(4, 8, 9), fc.integer({ min: 10, max: 90 })),
    there: fc.integer({ min: 0, max: 5 }).map((x) => x > 0),
  }),
  { minLength: 1, maxLength: 6 },
)
const offsetsOf = (ps: ReadonlyArray<Piece>, width: number, whole: boolean): Int32Array =>
  Int32Array.from(
    ps.flatMap(({ start, count, there }) =>
      Array.from({ length: count }, (_, i) =>
        there ? (whole ? start - (start % width) : start) + i * width : -1,
      ),
    ),
  )
const access = (dtype: fc.Arbitrary<Dtype>): fc.Arbitrary<Cells> =>
  fc
    .tuple(dtype, pieces, fc.integer({ min: 0, max: 9 }), fc.constantFrom(0, 0, 4, 3, 8))
    .map(([d, ps, whole, origin]) => ({
      dtype: d,
      offsets: offsetsOf(ps, bytesOf(d), whole > 0),
      origin,
    }))
const anyDtype = fc.constantFrom(...dtypes)
const narrow = fc.constantFrom<Dtype>(
  'u8',
  'e4m3',
  'f16',
  'bf16',
  'f32',
  'u32',
  'tf32',
  'i8',
  'i32',
  'e2m1',
  'i64',
)

/** Some bytes of memory, with a part that nobody has written. */
const filled = (runs: boolean, seed: number): Plane =>
  write(
    empty('bytes', size, runs),
    cells(
      'u8',
      Int32Array.from({ length: 6000 }, (_, i) => i),
    ),
    Float64Array.from({ length: 6000 }, (_, i) => ((i + seed) * 2654435761) % 256),
    null,
  )
const data = (c: Cells, seed: number): Float64Array =>
  Float64Array.from({ length: c.offsets.length }, (_, i) => {
    const bits = Math.min(bitsOf(c.dtype), 52)
    const x = ((i + 1) * (seed + 7) * 2654435761) % 2 ** bits
    return c.dtype.startsWith('i') && c.dtype !== 'i1' && x >= 2 ** (bits - 1) ? x - 2 ** bits : x
  })

describe('tables', () => {
  const spelt = (offsets: Int32Array, width: number): void => {
    const runs = runsOf(offsets, width)
    if (runs === null) return
    const out: number[] = []
    for (let r = 0; r < runs.length; r += 2)
      for (let i = 0; i < runs[r + 1]!; i++) out.push(runs[r]! < 0 ? -1 : runs[r]! + i * width)
    expect(out).toEqual([...offsets])
  }
  prop([pieces, fc.constantFrom(1, 2, 4)])('law 1: runs spelt out are the offsets', (ps, width) => {
    spelt(offsetsOf(ps, width, true), width)
  })
  test('by hand: two rows of 32 bytes, the halves of the second exchanged', () => {
    const row = (from: number, n: number): ReadonlyArray<number> =>
      Array.from({ length: n }, (_, i) => from + 2 * i)
    const offsets = Int32Array.from([...row(0, 16), ...row(48, 8), ...row(32, 8)])
    expect([...(runsOf(offsets, 2) ?? [])]).toEqual([0, 16, 48, 8, 32, 8])
    const straight = Int32Array.from(row(0, 32))
    expect([...(movesOf(straight, offsets, 2) ?? [])]).toEqual([0, 0, 32, 32, 48, 16, 48, 32, 16])
  })
  test('no table of scraps, nor of what begins inside an element; one width does not answer for another', () => {
    expect(
      runsOf(
        Int32Array.from({ length: 64 }, (_, i) => 6 * i),
        2,
      ),
    ).toBeNull()
    expect(runsOf(Int32Array.of(1, 3, 5, 7), 2)).toBeNull()
    const offsets = Int32Array.of(0, 2, 4, 6, 8, 10, 12, 14)
    expect([...(runsOf(offsets, 2) ?? [])]).toEqual([0, 8])
    expect(runsOf(offsets, 1)).toBeNull()
    expect(movesOf(offsets, Int32Array.of(0, 2, 4, 6, -1, -1, -1, -1), 2)).toBeNull()
    expect(movesOf(offsets, Int32Array.of(0, 2, 4, 6), 2)).toBeNull()
  })
})

describe('tables of short runs', () => {
  /** `count` runs of `each` elements of two bytes, with a gap behind each. */
  const pieces2 = (count: number, each: number, gap: number): Int32Array =>
    Int32Array.from({ length: count * each }, (_, i) => 2 * (i + gap * Math.floor(i / each)))
  test('four elements on average are worth one, two are not', () => {
    expect([...(runsOf(pieces2(4, 4, 3), 2) ?? [])]).toEqual([0, 4, 14, 4, 28, 4, 42, 4])
    expect(runsOf(pieces2(16, 2, 3), 2)).toBeNull()
    expect([...(movesOf(pieces2(4, 4, 3), pieces2(4, 4, 5), 2) ?? [])]).toEqual([
      0, 0, 8, 14, 18, 8, 28, 36, 8, 42, 54, 8,
    ])
    expect(movesOf(pieces2(16, 2, 3), pieces2(16, 2, 5), 2)).toBeNull()
    // either side ends a move
    expect([...(movesOf(pieces2(1, 16, 0), pieces2(2, 8, 1), 2) ?? [])]).toEqual([0, 0, 16, 16, 18, 16])
    expect([...(movesOf(pieces2(2, 8, 1), pieces2(1, 16, 0), 2) ?? [])]).toEqual([0, 0, 16, 18, 16, 16])
  })
  test('law 2: what is nowhere begins at -1, whatever its numbers', () => {
    const offsets = Int32Array.of(-5, -7, -1, -2, 4, 6, 8, 10, -9, -9, -9, -9)
    expect([...(runsOf(offsets, 2) ?? [])]).toEqual([-1, 4, 4, 4, -1, 4])
    const elsewhere = Int32Array.from(offsets, (_, i) => 2 * i)
    expect([movesOf(offsets, elsewhere, 2), movesOf(elsewhere, offsets, 2)]).toEqual([null, null])
  })
  test('a table is made once for one width, and again for another', () => {
    const offsets = Int32Array.from({ length: 16 }, (_, i) => 4 * i)
    const other = offsets.slice()
    const [four, moves4] = [runsOf(offsets, 4), movesOf(offsets, other, 4)]
    expect([...four!]).toEqual([0, 16])
    expect([...moves4!]).toEqual([0, 0, 64])
    expect(runsOf(offsets, 4)).toBe(four)
    expect(movesOf(offsets, other, 4)).toBe(moves4)
    expect([runsOf(offsets, 2), movesOf(offsets, other, 2)]).toEqual([null, null])
    expect([...runsOf(offsets, 4)!]).toEqual([0, 16])
  })
  test('an element that does not begin at a multiple of its width has none, wherever it stands', () => {
    expect(runsOf(Int32Array.of(0, 2, 4, 6, 9, 11, 13, 15), 2)).toBeNull()
    expect(runsOf(Int32Array.of(2, 6, 10, 14), 4)).toBeNull()
    expect([...(runsOf(Int32Array.of(), 4) ?? [7])]).toEqual([])
  })
})

describe('planes', () => {
  prop([access(anyDtype), fc.nat(255), fc.nat(3)])('law 4: reads are the same', (c, seed, fill) => {
    expect(read(filled(true, seed), c, fill)).toEqual(read(filled(false, seed), c, fill))
  })
  prop([access(anyDtype), access(anyDtype), fc.nat(255), fc.boolean()])(
    'law 4: writes are the same, with a token or without, and leave the plane before as it was',
    (c, then, seed, token) => {
      const edit = token ? { run: Symbol('run') } : null
      const both = [true, false].map((runs) => {
        const before = filled(runs, seed)
        const after = write(write(before, c, data(c, seed), edit), then, data(then, seed + 1), edit)
        return [bytesIn(before), bytesIn(after)]
      })
      expect(both[0]).toEqual(both[1])
    },
  )
  prop([narrow, narrow, pieces, pieces, fc.nat(255), fc.constantFrom(0, 0, 4, 16), fc.boolean()])(
    'law 5: a copy is a write of what is read, with runs and without',
    (d, other, ps, qs, seed, origin, same) => {
      const width = bytesOf(d)
      // the same elements on both sides, in pieces of their own
      const [from, to] = [offsetsOf(ps, width, true), offsetsOf(qs, width, true)]
      const n = Math.min(from.length, to.length)
      const source: Cells = { dtype: d, offsets: from.slice(0, n), origin }
      const target: Cells = { dtype: same ? d : other, offsets: to.slice(0, n), origin: 0 }
      const [plain, fast] = [false, true].map((runs) => {
        const [a, b] = [filled(runs, seed), filled(runs, seed + 1)]
        return bytesIn(copy(a, source, 0, b, target, null))
      })
      const a = filled(false, seed)
      expect(plain).toEqual(bytesIn(write(filled(false, seed + 1), target, read(a, source, 0).data, null)))
      expect(fast).toEqual(plain)
      const within = [false, true].map((runs) => {
        const p = filled(runs, seed)
        return bytesIn(copy(p, source, 0, p, target, null))
      })
      expect(within[1]).toEqual(within[0])
    },
  )
  test('eight elements of two bytes at a time, as a swizzle leaves them; and 16 bytes that are copied so', () => {
    const row = Int32Array.from(
      [16, 48, 0, 32].flatMap((a) => Array.from({ length: 8 }, (_, i) => a + 2 * i)),
    )
    for (const origin of [0, 4096 - 32, 8]) {
      const c: Cells = { dtype: 'bf16', offsets: row, origin }
      expect(runsOf(row, 2)).not.toBeNull()
      expect(read(filled(true, 5), c)).toEqual(read(filled(false, 5), c))
      const straight: Cells = {
        dtype: 'bf16',
        offsets: Int32Array.from({ length: 32 }, (_, i) => 2 * i),
        origin: 0,
      }
      const [x, y] = [false, true].map((runs) =>
        bytesIn(copy(filled(runs, 5), c, 0, filled(runs, 8), straight, null)),
      )
      expect(y).toEqual(x)
    }
  })
  test('what is nowhere is filled, at any origin', () => {
    const offsets = Int32Array.from([
      ...Array.from({ length: 8 }, () => -1),
      ...Array.from({ length: 8 }, (_, i) => 2 * i),
    ])
    for (const origin of [0, 64]) {
      const c: Cells = { dtype: 'f16', offsets, origin }
      expect(read(filled(true, 1), c, 3)).toEqual(read(filled(false, 1), c, 3))
    }
  })
  test('a long row, from page to page, at every distance of the two', () => {
    for (const by of [0, 1, 2, 4, 100, 1024, 4094]) {
      const n = 1500
      const row = (from: number): Cells => ({
        dtype: 'f16',
        offsets: Int32Array.from({ length: n }, (_, i) => 2 * i),
        origin: from,
      })
      const [x, y] = [false, true].map((runs) => {
        const a = filled(runs, 9)
        return bytesIn(copy(a, row(by), 0, filled(runs, 3), row(2 * 501), { run: Symbol('run') }))
      })
      expect(y).toEqual(x)
    }
  })
})
