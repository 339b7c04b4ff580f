/** Pages and runs against the plain plane: the same after any writes, with a token and without, moved in runs or one by one. */
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { bitsOf, dtypes, isFloat, type Dtype } from '../../../../src/numerics/dtype.js'
import { addressesInByte, bytesOf, isPacked, type Cells } from '../../../../src/semantics/machine/cells.js'
import { readBytes, writeBytes } from '../../../../src/semantics/machine/fast/byte-pages.js'
import { moveRuns, readRuns, writeRuns } from '../../../../src/semantics/machine/fast/runs.js'
import {
  comingAt,
  copy,
  copyOut,
  empty,
  read,
  settled,
  write,
  writeLate,
  type Plane,
} from '../../../../src/semantics/machine/plane.js'
import { plainPlane, readPlain, writePlain } from './plain-plane.js'
import { prop } from '../../../prop.js'
import { nightly } from '../../../extent.js'

/** Two pages of 4096 bytes and a bit. */
const size = 8192 + 64

interface Written {
  readonly cells: Cells
  readonly data: Float64Array
}
const bounds = (dtype: Dtype): readonly [bigint, bigint] => {
  const bits = BigInt(isPacked(dtype) ? bitsOf(dtype) : 8 * bytesOf(dtype))
  const signed = !isFloat(dtype) && dtype.startsWith('i') && dtype !== 'i1'
  // carriers are exact numbers: 64-bit ones stay below 2^53
  if (bits === 64n) return signed ? [-(2n ** 53n) + 1n, 2n ** 53n - 1n] : [0n, 2n ** 53n - 1n]
  return signed ? [-(2n ** (bits - 1n)), 2n ** (bits - 1n) - 1n] : [0n, 2n ** bits - 1n]
}
/** A few pieces of elements one behind the other, near each other and near the edges of pages, some nowhere; so that they collide, straddle, and run. */
const written: fc.Arbitrary<Written> = fc
  .tuple(
    fc.constantFrom(...dtypes),
    fc.array(
      fc.tuple(
        fc.constantFrom(0, 16, 4064, 4080, 8160),
        fc.integer({ min: 0, max: 23 }),
        fc.integer({ min: 1, max: 10 }),
        fc.integer({ min: 0, max: 7 }),
      ),
      { minLength: 1, maxLength: 4 },
    ),
    fc.constantFrom(0, 0, 8, 3),
    fc.integer({ min: 1, max: 2 ** 30 }),
  )
  .map(([dtype, pieces, origin, seed]) => {
    const inByte = addressesInByte(dtype)
    const width = isPacked(dtype) ? (bitsOf(dtype) * inByte) / 8 : bytesOf(dtype)
    const last = inByte * size - width
    const addresses = pieces.flatMap(([near, by, count, there]) =>
      Array.from({ length: count }, (_, i) =>
        there === 0 ? -1 : Math.min(last, inByte * near + by * (there > 4 ? width : 1) + i * width),
      ),
    )
    const [least, greatest] = bounds(dtype)
    const data = addresses.map((_, i) => {
      const x = BigInt(seed) * BigInt(i + 1) * 2654435761n
      return Number(least + (x % (greatest - least + 1n)))
    })
    return {
      cells: {
        dtype,
        offsets: Int32Array.from(addresses, (at) => (at < 0 ? -1 - origin : at - origin)),
        origin,
      },
      data: Float64Array.from(data),
    }
  })
const writes = fc.array(written, { minLength: 1, maxLength: 8 })
const edit = { run: Symbol('run') }

describe.each(['bytes', 'slots'] as const)('%s', (memory) => {
  prop([writes, written])('what is read is what the plain plane reads', (before, probe) => {
    const plain = before.reduce((p, w) => writePlain(p, w.cells, w.data), plainPlane(memory))
    const expected = readPlain(plain, probe.cells, 5)
    for (const runs of [false, true])
      for (const token of [null, edit]) {
        const paged = before.reduce<Plane>(
          (p, w) => write(p, w.cells, w.data, token),
          empty(memory, size, runs),
        )
        expect(read(paged, probe.cells, 5)).toEqual(expected)
        for (const w of before) expect(read(paged, w.cells, 5)).toEqual(readPlain(plain, w.cells, 5))
      }
  })
  prop([writes, writes, written], { numRuns: nightly ? 40 : 15 })(
    'a write changes no plane but its own',
    (before, then, probe) => {
      const kept = before.reduce<Plane>((p, w) => write(p, w.cells, w.data, null), empty(memory, size, true))
      const plain = before.reduce((p, w) => writePlain(p, w.cells, w.data), plainPlane(memory))
      then.reduce<Plane>((p, w) => write(p, w.cells, w.data, edit), kept)
      expect(read(kept, probe.cells, 5)).toEqual(readPlain(plain, probe.cells, 5))
    },
  )
})

test('elements that begin inside bytes, one after the other in every place: those that share a quarter end each other', () => {
  const at = (dtype: Dtype, address: number): Cells => ({ dtype, offsets: Int32Array.of(address), origin: 0 })
  const places = (['e2m1', 'e2m3', 'e3m2', 'u8'] as const).flatMap((dtype) =>
    Array.from({ length: 4 * addressesInByte(dtype) }, (_, k) => at(dtype, k)),
  )
  for (const memory of ['bytes', 'slots'] as const)
    for (const x of places)
      for (const y of places) {
        const both = [
          [x, 9],
          [y, 6],
        ] as const
        const plain = both.reduce((p, [c, v]) => writePlain(p, c, Float64Array.of(v)), plainPlane(memory))
        const paged = both.reduce<Plane>(
          (p, [c, v]) => write(p, c, Float64Array.of(v), null),
          empty(memory, size),
        )
        for (const c of [x, y, at('u8', 0), at('u8', 1)])
          expect(read(paged, c, 5)).toEqual(readPlain(plain, c, 5))
      }
})

describe('late writes', () => {
  const whole: Cells = { dtype: 'u8', offsets: Int32Array.from({ length: size }, (_, i) => i), origin: 0 }
  const steps = fc.array(
    fc.tuple(written, fc.constantFrom('now', 'late', 'coming'), fc.integer({ min: 0, max: 3 }), fc.boolean()),
    { minLength: 1, maxLength: 8 },
  )
  prop([steps, written])('the plane is the plain one, whatever is late and read between', (those, probe) => {
    for (const token of [null, edit]) {
      let plain = plainPlane('bytes')
      let paged = empty('bytes', size, true)
      for (const [w, when, again, looks] of those) {
        // the same place more than once, as a chain of products has it
        for (let turn = 0; turn <= again; turn++) {
          const data = w.data.map((_, i) => w.data[(i + turn) % w.data.length]!)
          plain = writePlain(plain, w.cells, data)
          paged =
            when === 'coming'
              ? writeLate(paged, w.cells, { count: data.length, made: () => data }, token)
              : (when === 'late' ? writeLate : write)(paged, w.cells, data, token)
          if (looks) expect(read(paged, w.cells, 5)).toEqual(readPlain(plain, w.cells, 5))
        }
        if (looks) expect(read(paged, probe.cells, 5)).toEqual(readPlain(plain, probe.cells, 5))
      }
      const all = readPlain(plain, whole, 0).data!
      const bytes = new Uint8Array(size)
      copyOut(paged, 0, size, bytes)
      expect(bytes.join()).toBe(all.join())
      expect(settled(paged)).toHaveProperty('late', null)
      expect(read(copy(paged, whole, 0, empty('bytes', size, true), whole, null), probe.cells, 5)).toEqual(
        readPlain(plain, probe.cells, 5),
      )
    }
  })
  test('what is still to come is made when it is read, and another place does not say what comes', () => {
    const at = (address: number): Cells => ({ dtype: 'f32', offsets: Int32Array.of(address), origin: 0 })
    const [here, there] = [at(0), at(8)]
    let asked = 0
    const coming = {
      count: 1,
      made: () => {
        asked++
        return Float64Array.of(7)
      },
    }
    const before = writeLate(empty('bytes', size, true), here, Float64Array.of(3), edit)
    const after = writeLate(before, here, coming, edit)
    expect(comingAt(before, here)).toBeNull()
    expect(comingAt(after, here)).toBe(coming)
    expect(comingAt(after, there)).toBeNull()
    expect(asked).toBe(0)
    expect(read(after, here).data).toEqual(Float64Array.of(7))
    // without a token it is made at once
    const now = writeLate(before, here, coming, null)
    expect(comingAt(now, here)).toBeNull()
    expect(read(now, here).data).toEqual(Float64Array.of(7))
    expect(read(writeLate(after, there, Float64Array.of(5), edit), here).data).toEqual(Float64Array.of(7))
  })
  test('elements that share a byte, or are nowhere, are written at once', () => {
    const at = (...addresses: number[]): Cells => ({
      dtype: 'f32',
      offsets: Int32Array.from(addresses),
      origin: 0,
    })
    const isLate = (c: Cells): boolean => {
      const p = writeLate(empty('bytes', size, true), c, new Float64Array(c.offsets.length), edit)
      return p._tag === 'bytes' && p.late !== null
    }
    expect([at(0, 4), at(8, 0, 4), at(0, 2), at(4, 4), at(0, -1)].map(isLate)).toEqual([
      true,
      true,
      false,
      false,
      false,
    ])
  })
})

describe('runs', () => {
  const row = (from: number, count: number, dtype: Dtype = 'f16'): Cells => ({
    dtype,
    offsets: Int32Array.from({ length: count }, (_, i) => i * bytesOf(dtype)),
    origin: from,
  })
  const pages = writeBytes(
    [],
    row(0, 4000, 'u8'),
    Float64Array.from({ length: 4000 }, (_, i) => (i * 7) % 251),
    null,
  )

  prop([written])('where they answer, they are the one by one', ({ cells, data }) => {
    const together = readRuns(pages, cells, 5)
    if (together !== null) expect(together).toEqual(readBytes(pages, cells, 5))
    const after = writeRuns(pages, cells, data, null)
    if (after !== null) {
      const one = writeBytes(pages, cells, data, null)
      // as text: thousands of numbers are compared sooner
      expect(readBytes(after, row(0, size, 'u8'), 0).join()).toBe(
        readBytes(one, row(0, size, 'u8'), 0).join(),
      )
    }
  })
  test('they answer for a row, and for what they cannot do they do not', () => {
    expect(readRuns(pages, row(64, 32), 0)).toEqual(readBytes(pages, row(64, 32), 0))
    expect(writeRuns(pages, row(4090, 32), new Float64Array(32).fill(9), null)).not.toBeNull()
    for (const dtype of ['i32', 'i64', 'u64'] as const)
      expect(readRuns(pages, row(64, 32, dtype), 0)).toBeNull()
    expect(readRuns(pages, row(63, 32), 0)).toBeNull()
    expect(moveRuns(pages, row(64, 32), [], row(64, 32, 'bf16'), null)).toBeNull()
  })
  prop([fc.integer({ min: 0, max: 60 }), fc.integer({ min: 0, max: 60 }), fc.integer({ min: 1, max: 90 })])(
    'a copy is a write of what is read',
    (from, to, count) => {
      const source: Plane = { _tag: 'bytes', size, pages, runs: true, late: null, plain: null }
      const [a, b] = [row(4080 - 2 * from, count), row(4090 - 2 * to, count)]
      const copied = copy(source, a, 0, empty('bytes', size, true), b, null)
      const plain = writePlain(plainPlane('bytes'), b, readBytes(pages, a, 0))
      expect(read(copied, row(3900, 400, 'u8'), 0)).toEqual(readPlain(plain, row(3900, 400, 'u8'), 0))
    },
  )
})
