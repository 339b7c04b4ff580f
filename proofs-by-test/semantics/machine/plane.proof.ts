/** Planes by hand; after any writes they are compared with plain maps in `fast/pages.proof.ts`. */
import { describe, expect, test } from 'vitest'
import { bitsOf, dtypes, isFloat, type Dtype } from '../../../src/numerics/dtype.js'
import {
  bytesOf,
  cells,
  copy,
  copyOut,
  empty,
  ofBytes,
  read,
  write,
  type Cells,
  type Edit,
  type Plane,
} from '../../../src/semantics/machine/plane.js'

/** Two pages of 4096 bytes and a bit. */
const size = 8192 + 64
const whole: ReadonlyArray<Dtype> = dtypes.filter((d) => bitsOf(d) % 8 === 0)
const bounds = (dtype: Dtype): readonly [bigint, bigint] => {
  const bits = BigInt(8 * bytesOf(dtype))
  const signed = !isFloat(dtype) && dtype.startsWith('i') && dtype !== 'i1'
  // carriers are exact numbers: 64-bit ones stay below 2^53
  if (bits === 64n) return signed ? [-(2n ** 53n) + 1n, 2n ** 53n - 1n] : [0n, 2n ** 53n - 1n]
  return signed ? [-(2n ** (bits - 1n)), 2n ** (bits - 1n) - 1n] : [0n, 2n ** bits - 1n]
}

interface Access {
  readonly dtype: Dtype
  readonly addresses: ReadonlyArray<number>
  readonly data: ReadonlyArray<number>
}
const store = (p: Plane, a: Access, edit: Edit | null): Plane =>
  write(p, cells(a.dtype, Int32Array.from(a.addresses)), Float64Array.from(a.data), edit)
const all = Int32Array.from({ length: size }, (_, i) => i)
const bytesIn = (p: Plane): ReadonlyArray<number> => [...(read(p, cells('u8', all)).data ?? [])]

describe('bytes', () => {
  test('law 1: signed and unsigned integers of every width, at both ends of their range, across a page', () => {
    for (const dtype of whole.filter((d) => !isFloat(d)))
      for (const at of [0, 4096 - 1, 4096 - Math.max(1, bytesOf(dtype) / 2)])
        for (const x of bounds(dtype).map(Number)) {
          const p = store(empty('bytes', size), { dtype, addresses: [at], data: [x] }, null)
          expect(read(p, cells(dtype, Int32Array.of(at))).data, `${dtype} at ${String(at)}`).toEqual(
            Float64Array.of(x),
          )
        }
  })
})

test('slots, law 1: an element that lies inside a later one is gone, and so is its tail', () => {
  const half = store(empty('slots', size), { dtype: 'f16', addresses: [4098], data: [5] }, null)
  const both = store(half, { dtype: 'i64', addresses: [4094], data: [7] }, null)
  const at = (dtype: Dtype, address: number): unknown => read(both, cells(dtype, Int32Array.of(address)))
  expect(at('f16', 4098)).toEqual({ data: Float64Array.of(NaN), retyped: 4098 })
  expect(at('f16', 4096)).toEqual({ data: Float64Array.of(NaN), retyped: 4096 })
  expect(at('i64', 4094)).toEqual({ data: Float64Array.of(7), retyped: null })
})

describe.each(['bytes', 'slots'] as const)('edit tokens in %s', (memory) => {
  test('law 2: with the token pages are overwritten, without it they are not', () => {
    const edit: Edit = { run: Symbol('run') }
    const word = (x: number): Access => ({ dtype: 'u32', addresses: [64], data: [x] })
    const at = (p: Plane): number => read(p, cells('u32', Int32Array.of(64))).data![0]!
    const first = store(empty(memory, size), word(1), edit)
    const second = store(first, word(2), edit)
    expect([at(first), at(second)]).toEqual([2, 2])
    const third = store(second, word(3), null)
    expect([at(second), at(third)]).toEqual([2, 3])
  })
})

// ---------------------------------------------------------------- elements of half a byte

describe('elements of half a byte', () => {
  test('by hand: the low half first; unwritten ones are all ones', () => {
    const nibbles = (count: number): Cells =>
      cells(
        'e2m1',
        Int32Array.from({ length: count }, (_, i) => i),
      )
    const one = write(empty('bytes', size), cells('e2m1', Int32Array.of(0, 3)), Float64Array.of(2, 7), null)
    expect([...read(one, nibbles(5)).data!]).toEqual([2, 15, 15, 7, 15])
    expect(bytesIn(one).slice(0, 3)).toEqual([0xf2, 0x7f, 0xff])
    const slots = write(empty('slots', size), cells('e2m1', Int32Array.of(0, 3)), Float64Array.of(2, 7), null)
    expect(read(slots, nibbles(5))).toEqual({ data: Float64Array.of(2, NaN, NaN, 7, NaN), retyped: null })
  })
  test.each(['bytes', 'slots'] as const)(
    'integers of 4 bits in %s: signs, and the other half stays',
    (memory) => {
      const all = Int32Array.from({ length: 16 }, (_, i) => i)
      const x = Float64Array.from(all, (i) => i - 8)
      const signed = write(empty(memory, size), cells('i4', all), x, null)
      expect([...read(signed, cells('i4', all)).data!]).toEqual([...x])
      const changed = write(signed, cells('i4', Int32Array.of(3)), Float64Array.of(-1), null)
      expect([...read(changed, cells('i4', all)).data!]).toEqual([...x.map((v, i) => (i === 3 ? -1 : v))])
      const unsigned = write(empty(memory, size), cells('u4', all), Float64Array.from(all), null)
      expect([...read(unsigned, cells('u4', all)).data!]).toEqual([...all])
      if (memory === 'bytes')
        expect([...read(unsigned, cells('i4', all)).data!]).toEqual([...all].map((i) => (i << 28) >> 28))
    },
  )
  test.each(['bytes', 'slots'] as const)(
    'with a token pages of %s are overwritten, without it they are not',
    (memory) => {
      const edit: Edit = { run: Symbol('run') }
      const store = (p: Plane, x: number, by: Edit | null): Plane =>
        write(p, cells('e2m1', Int32Array.of(9)), Float64Array.of(x), by)
      const at = (p: Plane): number => read(p, cells('e2m1', Int32Array.of(9))).data![0]!
      const first = store(empty(memory, size), 1, edit)
      const second = store(first, 2, edit)
      expect([at(first), at(second)]).toEqual([2, 2])
      const third = store(second, 3, null)
      expect([at(second), at(third)]).toEqual([2, 3])
    },
  )
})

describe('copies', () => {
  const from = (memory: 'bytes' | 'slots' | 'none', runs: boolean): Plane =>
    write(
      empty(memory, size, runs),
      cells(
        'e2m1',
        Int32Array.from({ length: 64 }, (_, i) => i),
      ),
      Float64Array.from({ length: 64 }, (_, i) => i % 16),
      null,
    )
  const sixteen = (start: number, origin = 0): Cells => ({
    dtype: 'e2m1',
    offsets: Int32Array.from({ length: 16 }, (_, i) => start + i),
    origin,
  })
  test.each([
    ['bytes in runs', 'bytes', true],
    ['bytes', 'bytes', false],
    ['slots', 'slots', false],
  ] as const)('law 5, halves of bytes from an odd one to an even one, in %s', (_, memory, runs) => {
    const to = copy(from(memory, runs), sixteen(1, 2), 0, empty(memory, size, runs), sixteen(40), null)
    expect([...read(to, sixteen(40)).data!]).toEqual([3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2])
  })
  test('what is nowhere is filled; nothing comes out of a plane of nothing', () => {
    const source: Cells = { dtype: 'e2m1', offsets: Int32Array.of(3, -1), origin: 0 }
    const target: Cells = { dtype: 'e2m1', offsets: Int32Array.of(0, 1), origin: 0 }
    for (const memory of ['bytes', 'slots'] as const) {
      const to = copy(from(memory, false), source, 9, empty(memory, size), target, null)
      expect([...read(to, target).data!]).toEqual([3, 9])
      const kept = empty(memory, size)
      expect(copy(empty('none', size), source, 9, kept, target, null)).toBe(kept)
    }
  })
  test('slots at an origin', () => {
    const at = (origin: number): Cells => ({ dtype: 'f16', offsets: Int32Array.of(0, 4, -100), origin })
    const p = write(empty('slots', size), at(4094), Float64Array.of(1, 2, 3), null)
    expect(read(p, cells('f16', Int32Array.of(4094, 4098, 3994)))).toEqual({
      data: Float64Array.of(1, 2, 3),
      retyped: null,
    })
    expect(read(copy(p, at(4094), 0, empty('slots', size), at(50), null), at(50), 8).data).toEqual(
      Float64Array.of(1, 2, 8),
    )
  })
})

test('a plane of nothing holds nothing', () => {
  const p = empty('none', size)
  expect(store(p, { dtype: 'f16', addresses: [0], data: [1] }, null)).toBe(p)
  expect(read(p, cells('f16', Int32Array.of(0)))).toEqual({ data: null, retyped: null })
})

describe('bytes taken out and brought in', () => {
  const some = store(
    empty('bytes', size),
    { dtype: 'u8', addresses: [0, 5, 4095, 4096, 8191, 8192, size - 1], data: [1, 2, 3, 4, 5, 6, 7] },
    null,
  )
  test('any interval, over the edges of pages, pages that nobody has written: those bytes at their places, and no others', () => {
    const bytes = bytesIn(some)
    for (const start of [0, 1, 5, 4095, 4096, 4097, 8192])
      for (const end of [start, start + 1, 4096, 4097, 8191, 8193, size].filter((x) => x >= start)) {
        const into = new Uint8Array(size).fill(77)
        copyOut(some, start, end, into)
        expect([...into]).toEqual(bytes.map((b, at) => (at >= start && at < end ? b : 77)))
      }
    const untouched = new Uint8Array(size)
    copyOut(empty('bytes', size), 0, size, untouched)
    expect(new Set(untouched)).toEqual(new Set([255]))
    copyOut(store(empty('slots', size), { dtype: 'u8', addresses: [0], data: [1] }, null), 0, 8, untouched)
    expect(untouched[0]).toBe(255)
  })
  test('a plane of bytes is those bytes, and is written like any other', () => {
    for (const count of [0, 1, 4096, 4097, 2 * 4096, size]) {
      const bytes = Uint8Array.from({ length: count }, (_, i) => (i * 37) % 251)
      for (const runs of [false, true]) {
        const p = ofBytes(bytes, runs)
        expect(p.size).toBe(count)
        const back = new Uint8Array(count)
        copyOut(p, 0, count, back)
        expect(back).toEqual(bytes)
        if (count < 16) continue
        const after = store(p, { dtype: 'u16', addresses: [2, 4], data: [0x1234, 0x5678] }, null)
        expect([...read(after, cells('u8', Int32Array.of(1, 2, 3, 4, 5, 6))).data!]).toEqual([
          bytes[1],
          0x34,
          0x12,
          0x78,
          0x56,
          bytes[6],
        ])
        copyOut(p, 0, count, back)
        expect(back).toEqual(bytes)
      }
    }
  })
})
