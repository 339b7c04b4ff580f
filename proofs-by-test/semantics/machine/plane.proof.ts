/** Planes against a plain map: of bytes, or halves of them, in `bits`; of whole elements elsewhere. */
import { fc, test as prop } from '@fast-check/vitest'
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
/** Some elements, near each other and near the edges of the pages, so that they collide and straddle. */
const access = (bytes: number): fc.Arbitrary<Access> =>
  fc.constantFrom(...whole.filter((d) => bytesOf(d) <= bytes)).chain((dtype) => {
    const [least, greatest] = bounds(dtype)
    return fc
      .array(
        fc.tuple(
          fc.constantFrom(0, 16, 4080, 4096, 8176),
          fc.integer({ min: 0, max: 24 }),
          fc.bigInt({ min: least, max: greatest }),
          fc.boolean(),
        ),
        { minLength: 1, maxLength: 8 },
      )
      .map((elements) => ({
        dtype,
        addresses: elements.map(([near, by, , there]) => (there || by % 5 !== 0 ? near + by : -1)),
        data: elements.map(([, , x]) => Number(x)),
      }))
  })

const store = (p: Plane, a: Access, edit: Edit | null): Plane =>
  write(p, cells(a.dtype, Int32Array.from(a.addresses)), Float64Array.from(a.data), edit)
const all = Int32Array.from({ length: size }, (_, i) => i)
const bytesIn = (p: Plane): ReadonlyArray<number> => [...(read(p, cells('u8', all)).data ?? [])]

/** The oracle of `bytes`: two's complement, little end first; what nobody wrote is 255. */
type Bytes = ReadonlyMap<number, number>
const storeBytes = (m: Bytes, a: Access): Bytes => {
  const out = new Map(m)
  a.addresses.forEach((at, i) => {
    if (at < 0) return
    const width = bytesOf(a.dtype)
    const pattern = BigInt.asUintN(8 * width, BigInt(a.data[i]!))
    for (let b = 0; b < width; b++) out.set(at + b, Number((pattern >> BigInt(8 * b)) & 255n))
  })
  return out
}
const loadBytes = (m: Bytes, dtype: Dtype, at: number): number => {
  const width = bytesOf(dtype)
  let pattern = 0n
  for (let b = width - 1; b >= 0; b--) pattern = pattern * 256n + BigInt(m.get(at + b) ?? 255)
  return Number(bounds(dtype)[0] < 0n ? BigInt.asIntN(8 * width, pattern) : pattern)
}

/** The oracle of `slots`: live elements by their address; a write ends all that it overlaps. */
type Elements = ReadonlyMap<number, { readonly dtype: Dtype; readonly x: number }>
const storeElements = (m: Elements, a: Access): Elements => {
  const out = new Map(m)
  a.addresses.forEach((at, i) => {
    if (at < 0) return
    for (const [start, e] of out)
      if (start < at + bytesOf(a.dtype) && at < start + bytesOf(e.dtype)) out.delete(start)
    out.set(at, { dtype: a.dtype, x: a.data[i]! })
  })
  return out
}

const history = fc.array(access(8), { minLength: 1, maxLength: 12 })

describe('bytes', () => {
  prop.prop([history, access(8)])(
    'law 1: any read after any writes is what a map of bytes says',
    (writes, probe) => {
      const p = writes.reduce((plane, a) => store(plane, a, null), empty('bytes', size))
      const m = writes.reduce(storeBytes, new Map<number, number>())
      expect(bytesIn(p).findIndex((byte, at) => byte !== (m.get(at) ?? 255))).toBe(-1)
      const found = read(p, cells(probe.dtype, Int32Array.from(probe.addresses)), 7)
      expect([...found.data!]).toEqual(
        probe.addresses.map((at) => (at < 0 ? 7 : loadBytes(m, probe.dtype, at))),
      )
      expect(found.retyped).toBeNull()
    },
  )

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

describe('slots', () => {
  prop.prop([history])('law 1: the elements that live are those of a map', (writes) => {
    const p = writes.reduce((plane, a) => store(plane, a, null), empty('slots', size))
    const m = writes.reduce(storeElements, new Map())
    for (const dtype of new Set(writes.map((a) => a.dtype)))
      for (const near of [0, 4080, 8176]) {
        const addresses = Int32Array.from({ length: 48 }, (_, i) => near + i)
        const { data, retyped } = read(p, cells(dtype, addresses))
        const alive = [...addresses].map((at) => m.get(at))
        expect([...data!]).toEqual(alive.map((e) => (e?.dtype === dtype ? e.x : NaN)))
        const inside = (at: number): boolean =>
          [...m].some(([start, e]) => start <= at && at < start + bytesOf(e.dtype))
        const first = [...addresses].find((at, i) => alive[i]?.dtype !== dtype && inside(at))
        expect(retyped).toBe(first ?? null)
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

/** Everything that can be seen of a plane. */
const seen = (p: Plane): unknown =>
  p._tag === 'bytes' ? bytesIn(p) : whole.map((dtype) => [...(read(p, cells(dtype, near)).data ?? [])])
/** Where the accesses of a history fall. */
const near = Int32Array.from([0, 4080, 8176].flatMap((at) => Array.from({ length: 48 }, (_, i) => at + i)))

describe.each(['bytes', 'slots'] as const)('edit tokens in %s', (memory) => {
  prop.prop([history, history], { numRuns: 40 })(
    'law 2: a run that overwrites its own pages sees what a run that copies sees, and disturbs nobody',
    (before, after) => {
      const kept = before.reduce((p, a) => store(p, a, null), empty(memory, size))
      const asKept = seen(kept)
      const mine: Edit = { run: Symbol('mine') }
      const yours: Edit = { run: Symbol('yours') }
      const copied = after.reduce((p, a) => store(p, a, null), kept)
      const owned = after.reduce((p, a) => store(p, a, mine), kept)
      expect(seen(owned)).toEqual(seen(copied))
      expect(seen(kept)).toEqual(asKept)
      // another run that starts from the pages of the first
      const theirs = before.reduce((p, a) => store(p, a, yours), owned)
      expect(seen(owned)).toEqual(seen(copied))
      expect(seen(theirs)).toEqual(seen(before.reduce((p, a) => store(p, a, null), copied)))
    },
  )

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

interface Placed extends Access {
  readonly origin: number
}
/** Elements of 4 bits, of 6 and of whole bytes, near each other and over the edge of a page; addresses count halves of bytes where the dtype has two in one. */
const mixed: fc.Arbitrary<Placed> = fc
  .tuple(
    fc.constantFrom<Dtype>('e2m1', 'e2m1', 'e2m1', 'e2m3', 'u8', 'f16', 'i32'),
    fc.array(
      fc.tuple(
        fc.constantFrom(0, 4090),
        fc.integer({ min: 0, max: 12 }),
        fc.integer({ min: 0, max: 1 }),
        fc.integer({ min: 0, max: 15 }),
        fc.integer({ min: 0, max: 6 }),
      ),
      { minLength: 1, maxLength: 6 },
    ),
    fc.constantFrom(0, 0, 3, 8),
  )
  .map(([dtype, elements, origin]) => ({
    dtype,
    origin,
    addresses: elements.map(([at, by, half, , there]) =>
      there === 0 ? -1 : dtype === 'e2m1' ? 2 * (at + by) + half : at + by,
    ),
    data: elements.map(([, , , x]) => x),
  }))
const cellsOf = (a: Placed): Cells => ({
  dtype: a.dtype,
  offsets: Int32Array.from(a.addresses, (at) => at - a.origin),
  origin: a.origin,
})
const put = (p: Plane, a: Placed, edit: Edit | null): Plane =>
  write(p, cellsOf(a), Float64Array.from(a.data), edit)
const inHalves = (dtype: Dtype): number => (dtype === 'e2m1' ? 1 : 2 * bytesOf(dtype))
const startOf = (dtype: Dtype, at: number): number => (dtype === 'e2m1' ? at : 2 * at)
const mixes = fc.array(mixed, { minLength: 1, maxLength: 10 })

describe('elements of half a byte', () => {
  prop.prop([mixes, mixed])(
    'law 3, bytes: any read after any writes is what a map of halves says',
    (writes, probe) => {
      const p = writes.reduce((plane, a) => put(plane, a, null), empty('bytes', size))
      const halves = new Map<number, number>()
      for (const a of writes)
        a.addresses.forEach((at, i) => {
          for (let h = 0; at >= 0 && h < inHalves(a.dtype); h++)
            halves.set(startOf(a.dtype, at) + h, Math.floor(a.data[i]! / 16 ** h) % 16)
        })
      const expected = probe.addresses.map((at) => {
        if (at < 0) return 5
        let x = 0
        for (let h = inHalves(probe.dtype) - 1; h >= 0; h--)
          x = 16 * x + (halves.get(startOf(probe.dtype, at) + h) ?? 15)
        return probe.dtype === 'i32' ? x | 0 : x
      })
      expect(read(p, cellsOf(probe), 5)).toEqual({ data: Float64Array.from(expected), retyped: null })
    },
  )

  /** Live elements by their first half; a write ends all that it overlaps. */
  type Live = ReadonlyMap<number, { readonly dtype: Dtype; readonly x: number }>
  const after = (m: Live, a: Placed): Live => {
    const out = new Map(m)
    a.addresses.forEach((at, i) => {
      if (at < 0) return
      const start = startOf(a.dtype, at)
      for (const [from, e] of out)
        if (from < start + inHalves(a.dtype) && start < from + inHalves(e.dtype)) out.delete(from)
      out.set(start, { dtype: a.dtype, x: a.data[i]! })
    })
    return out
  }
  prop.prop([mixes, mixed])('law 3, slots: the elements that live are those of a map', (writes, probe) => {
    const p = writes.reduce((plane, a) => put(plane, a, null), empty('slots', size))
    const live = writes.reduce(after, new Map())
    const at = (address: number): number | null => {
      const e = live.get(startOf(probe.dtype, address))
      return e?.dtype === probe.dtype ? e.x : null
    }
    /** Something else lies in the byte that is read first; its other half is not something else. */
    const another = (address: number): boolean => {
      const byte = Math.floor(startOf(probe.dtype, address) / 2)
      return [...live].some(
        ([from, e]) =>
          from < 2 * byte + 2 &&
          2 * byte < from + inHalves(e.dtype) &&
          (e.dtype !== probe.dtype || (probe.dtype !== 'e2m1' && from !== 2 * byte)),
      )
    }
    const wrong = probe.addresses.find((address) => address >= 0 && at(address) === null && another(address))
    expect(read(p, cellsOf(probe), 5)).toEqual({
      data: Float64Array.from(probe.addresses, (address) => (address < 0 ? 5 : (at(address) ?? NaN))),
      retyped: wrong === undefined ? null : probe.dtype === 'e2m1' ? wrong >> 1 : wrong,
    })
  })

  const everywhere: ReadonlyArray<Cells> = (['e2m1', 'e2m3', 'u8', 'f16', 'i32'] as const).map((dtype) =>
    cells(
      dtype,
      Int32Array.from(
        [0, 4090].flatMap((from) =>
          Array.from({ length: 40 }, (_, i) => (dtype === 'e2m1' ? 2 * from : from) + i),
        ),
      ),
    ),
  )
  const visible = (p: Plane): unknown => everywhere.map((c) => read(p, c))
  prop.prop([fc.constantFrom('bytes', 'slots'), mixes, mixes], { numRuns: 15 })(
    'law 2: with a token as without, and nobody is disturbed',
    (memory, before, then) => {
      const mine: Edit = { run: Symbol('mine') }
      const kept = before.reduce((p, a) => put(p, a, null), empty(memory, size))
      const asKept = visible(kept)
      const copied = then.reduce((p, a) => put(p, a, null), kept)
      const owned = then.reduce((p, a) => put(p, a, mine), kept)
      expect(visible(owned)).toEqual(visible(copied))
      expect(visible(kept)).toEqual(asKept)
      const theirs = before.reduce((p, a) => put(p, a, { run: Symbol('yours') }), owned)
      expect(visible(owned)).toEqual(visible(copied))
      expect(visible(theirs)).toEqual(visible(before.reduce((p, a) => put(p, a, null), copied)))
    },
  )

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
