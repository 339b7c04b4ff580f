import { readFileSync } from 'node:fs'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { dtypes } from '../../../src/numerics/dtype.js'
import { decodeNpy, descrs, encodeNpy, type Descr } from '../../../src/oracle/tensor-files/npy.js'
import {
  carrierOf,
  dtypeOfDescr,
  indexOfFlat,
  isTensorDtype,
  npyOfTensor,
  patternBits,
  tensor,
  tensorDtypes,
  tensorOfNpy,
  tensorOfReals,
  type TensorDtype,
} from '../../../src/oracle/tensor-files/tensor.js'
import { right } from '../../either.js'

/** The table of the module's header, written out: width, written as, read from. */
const table: Readonly<Record<TensorDtype, readonly [number, Descr, ReadonlyArray<Descr>]>> = {
  f64: [64, 'f8', ['f8', 'u8']],
  f32: [32, 'f4', ['f4', 'u4']],
  tf32: [32, 'f4', ['f4', 'u4']],
  f16: [16, 'f2', ['f2', 'u2']],
  bf16: [16, 'u2', ['u2']],
  e4m3: [8, 'u1', ['u1']],
  e5m2: [8, 'u1', ['u1']],
  ue4m3: [8, 'u1', ['u1']],
  e8m0: [8, 'u1', ['u1']],
  e2m3: [6, 'u1', ['u1']],
  e3m2: [6, 'u1', ['u1']],
  e2m1: [4, 'u1', ['u1']],
  i1: [1, 'u1', ['u1']],
  i4: [4, 'u1', ['u1']],
  u4: [4, 'u1', ['u1']],
  i8: [8, 'i1', ['i1', 'u1']],
  u8: [8, 'u1', ['u1']],
  i16: [16, 'i2', ['i2', 'u2']],
  u16: [16, 'u2', ['u2']],
  i32: [32, 'i4', ['i4', 'u4']],
  u32: [32, 'u4', ['u4']],
  i64: [64, 'i8', ['i8', 'u8']],
  u64: [64, 'u8', ['u8']],
}
const bytesOf = (descr: Descr): number => Number(descr[1])

/** Patterns that use every bit of a width. */
const patterns = (width: number): fc.Arbitrary<ReadonlyArray<bigint>> =>
  fc.array(fc.bigInt({ min: 0n, max: (1n << BigInt(width)) - 1n }), { minLength: 1, maxLength: 20 })

describe('the table of carriers', () => {
  it('has every dtype of the project, and f64', () => {
    expect(new Set(tensorDtypes)).toEqual(new Set([...dtypes, 'f64']))
    expect(Object.keys(table).sort()).toEqual([...tensorDtypes].sort())
    expect(['f8', '', 'F16', 'toString'].filter(isTensorDtype)).toEqual([])
  })
  it.each(Object.entries(table))('%s', (name, [width, written, read]) => {
    if (!isTensorDtype(name)) throw new Error(name)
    expect(isTensorDtype(name)).toBe(true)
    expect(patternBits(name)).toBe(width)
    expect(carrierOf(name)).toBe(written)
    descrs.forEach((descr) => {
      const answer = tensorOfNpy(name)({ descr, shape: [1], data: new Uint8Array(bytesOf(descr)) })
      // bytes of which nothing is said are of every dtype of their size
      const bare = descr === `V${String(bytesOf(written))}`
      expect(E.isRight(answer)).toBe(bare || read.includes(descr))
      if (E.isLeft(answer)) {
        expect(answer.left).toEqual({
          code: 'tensor-dtype',
          message: `expected elements of ${read.join(' or ')} for dtype ${name}, found ${descr}`,
        })
      }
    })
  })
  it('a file that nobody names a dtype for', () => {
    const expected: Readonly<Record<Descr, TensorDtype | null>> = {
      f2: 'f16',
      f4: 'f32',
      f8: 'f64',
      i1: 'i8',
      i2: 'i16',
      i4: 'i32',
      i8: 'i64',
      u1: 'u8',
      u2: 'u16',
      u4: 'u32',
      u8: 'u64',
      V1: null,
      V2: null,
    }
    descrs.forEach((descr) => {
      expect(dtypeOfDescr(descr)).toBe(expected[descr])
      const read = tensorOfNpy(undefined)({ descr, shape: [0], data: new Uint8Array(0) })
      if (expected[descr] === null)
        expect(read).toMatchObject(
          E.left({
            code: 'tensor-dtype',
            message: expect.stringContaining(`elements of ${descr} are bytes`),
          }),
        )
      else expect(right(read).dtype).toBe(expected[descr])
    })
  })
})

describe('tensor laws 1 and 2: through a file and back', () => {
  it.each(tensorDtypes)('%s, with the bytes little-endian', (dtype) => {
    fc.assert(
      fc.property(patterns(table[dtype][0]), (ps) => {
        const t = right(tensor(dtype, [ps.length], ps))
        const bytes = right(encodeNpy(npyOfTensor(t)))
        const width = bytesOf(table[dtype][1])
        // Another way to write the same bytes: shift and mask.
        const expected = ps.flatMap((p) =>
          Array.from({ length: width }, (_, i) => Number((p >> BigInt(8 * i)) & 255n)),
        )
        expect([...bytes.subarray(128)]).toEqual(expected)
        expect(right(pipe(bytes, decodeNpy, E.chainW(tensorOfNpy(dtype))))).toEqual(t)
      }),
      { numRuns: 30 },
    )
  })
  it('data that does not begin at a multiple of its width', () => {
    const buffer = Uint8Array.of(0, 1, 0, 0, 0, 0, 0, 0, 0x80)
    expect(right(tensorOfNpy(undefined)({ descr: 'u8', shape: [1], data: buffer.subarray(1) })).bits).toEqual(
      BigUint64Array.of((0x80n << 56n) | 1n),
    )
  })
  it('1.0 in bf16 is 80 3f on disk; the captured bf16 inputs are values of a normal distribution', () => {
    expect([...npyOfTensor(right(tensor('bf16', [], [0x3f80]))).data]).toEqual([0x80, 0x3f])
    const url = new URL(
      '../../../conformance/kernels/matmul_bf16_512x512x1024_a_bf16bits.npy',
      import.meta.url,
    )
    const t = right(pipe(readFileSync(url), decodeNpy, E.chainW(tensorOfNpy('bf16'))))
    const values = new Float32Array(Uint32Array.from([...t.bits].map((b) => Number(b) * 65536)).buffer)
    const mean = values.reduce((s, x) => s + x, 0) / values.length
    const variance = values.reduce((s, x) => s + x * x, 0) / values.length
    expect(Math.abs(mean)).toBeLessThan(0.01)
    expect(variance).toBeGreaterThan(0.1)
    expect(variance).toBeLessThan(2)
  })
  it('f64 from numbers', () => {
    const t = right(tensorOfReals([2], Float64Array.of(1, -0)))
    expect([...t.bits]).toEqual([0x3ff0000000000000n, 0x8000000000000000n])
  })
})

describe('tensor law 3: no bit above the width', () => {
  it.each(tensorDtypes.filter((d) => patternBits(d) < 8))('%s: all 256 bytes', (dtype) => {
    for (let b = 0; b < 256; b++) {
      const legal = b < 2 ** table[dtype][0]
      expect(E.isRight(tensorOfNpy(dtype)({ descr: 'u1', shape: [2], data: Uint8Array.of(0, b) }))).toBe(
        legal,
      )
      expect(E.isRight(tensor(dtype, [2], [0, b]))).toBe(legal)
    }
    const wrong = tensorOfNpy(dtype)({ descr: 'u1', shape: [3], data: Uint8Array.of(0, 1, 200) })
    expect(wrong).toMatchObject(
      E.left({ code: 'tensor-bits', message: expect.stringContaining('found 200 at element 2') }),
    )
  })
  it('of every dtype, at the limit', () => {
    tensorDtypes.forEach((dtype) => {
      const limit = 1n << BigInt(table[dtype][0])
      expect(E.isRight(tensor(dtype, [1], [limit - 1n]))).toBe(true)
      expect(tensor(dtype, [1], [limit])).toMatchObject(E.left({ code: 'tensor-bits' }))
    })
    const strange = [-1, 0.5, NaN, Infinity]
    strange.forEach((p) => {
      expect(tensor('f16', [1], [p])).toMatchObject(E.left({ code: 'tensor-bits' }))
    })
  })
  it('nor an element too many or too few', () => {
    expect(tensor('f16', [2, 3], [1, 2])).toEqual(
      E.left({ code: 'tensor-shape', message: 'expected 6 elements for shape (2, 3), found 2' }),
    )
  })
})

describe('indexOfFlat', () => {
  it('counts as nested loops do', () => {
    const shape = [3, 1, 4, 2]
    let flat = 0
    for (let a = 0; a < 3; a++)
      for (let c = 0; c < 4; c++)
        for (let d = 0; d < 2; d++) expect(indexOfFlat(shape, flat++)).toEqual([a, 0, c, d])
    expect(indexOfFlat([], 0)).toEqual([])
  })
})
