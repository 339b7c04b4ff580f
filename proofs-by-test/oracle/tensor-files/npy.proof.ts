import { readFileSync } from 'node:fs'
import * as E from 'fp-ts/lib/Either.js'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  decodeNpy,
  descrBytes,
  descrs,
  encodeNpy,
  npyArray,
  type Descr,
  type NpyArray,
  type NpyFailure,
} from '../../../src/oracle/tensor-files/npy.js'
import { right } from '../../either.js'
import { nightly } from '../../extent.js'

const left = (e: E.Either<NpyFailure, unknown>): NpyFailure => {
  if (E.isRight(e)) throw new Error('expected a refusal')
  return e.left
}

/** A file put together by hand, with as much freedom to be wrong as one likes. */
const file = (
  header: string,
  data: ArrayLike<number>,
  version: readonly [number, number] = [1, 0],
): Uint8Array => {
  const text = Array.from(header, (c) => c.charCodeAt(0))
  const length = Array.from({ length: version[0] === 1 ? 2 : 4 }, (_, i) => (text.length >> (8 * i)) & 255)
  return Uint8Array.from(
    [0x93, ...'NUMPY']
      .map((c) => (typeof c === 'number' ? c : c.charCodeAt(0)))
      .concat([...version], length, text, Array.from(data)),
  )
}
const dictionary = (descr: string, shape: string, fortran = 'False'): string =>
  `{'descr': '${descr}', 'fortran_order': ${fortran}, 'shape': ${shape}, }\n`

const arrays: fc.Arbitrary<NpyArray> = fc
  .record({
    descr: fc.constantFrom(...descrs),
    shape: fc.array(fc.integer({ min: 0, max: 5 }), { maxLength: 4 }),
    seed: fc.integer({ min: 0, max: 255 }),
  })
  .map(({ descr, shape, seed }) => ({
    descr,
    shape,
    data: Uint8Array.from(
      { length: shape.reduce((n, d) => n * d, 1) * descrBytes(descr) },
      (_, i) => (seed + 37 * i) % 256,
    ),
  }))

const golden: ReadonlyArray<readonly [string, Descr, ReadonlyArray<number>]> = [
  ['matmul_f16_256x256x256_a', 'f2', [256, 256]],
  ['matmul_f16_256x256x256_b', 'f2', [256, 256]],
  ['matmul_f16_256x256x256_out', 'f2', [256, 256]],
  ['matmul_bf16_512x512x1024_a_bf16bits', 'u2', [512, 1024]],
  ['matmul_bf16_512x512x1024_b_bf16bits', 'u2', [1024, 512]],
  ['matmul_bf16_512x512x1024_out_bf16bits', 'u2', [512, 512]],
]
const goldenBytes = (name: string): Uint8Array =>
  new Uint8Array(readFileSync(new URL(`../../../conformance/kernels/${name}.npy`, import.meta.url)))

/** Headers as NumPy 2.4 writes them: element type, shape, where the data starts. */
const ones = (n: number): ReadonlyArray<number> => Array.from({ length: n }, () => 1)
const numpyHeaders: ReadonlyArray<readonly [Descr, ReadonlyArray<number>, string, number]> = [
  ['f8', [], "{'descr': '<f8', 'fortran_order': False, 'shape': (), }", 128],
  ['i1', [0, 3], "{'descr': '|i1', 'fortran_order': False, 'shape': (0, 3), }", 128],
  ['u8', [3], "{'descr': '<u8', 'fortran_order': False, 'shape': (3,), }", 128],
  ['f4', ones(12), `{'descr': '<f4', 'fortran_order': False, 'shape': (${ones(12).join(', ')}), }`, 128],
  ['u2', ones(32), `{'descr': '<u2', 'fortran_order': False, 'shape': (${ones(32).join(', ')}), }`, 192],
  // The boundary: one dimension more and the header takes another block.
  ['f2', [1000, ...Array.from({ length: 13 }, () => 0)], '', 128],
  ['f2', [1000, ...Array.from({ length: 14 }, () => 0)], '', 192],
]

/** (0 .. 23) - 5 in shape (2, 3, 4), as NumPy 2.4 wrote it in other orders (u1: modulo 200). */
const numpyOrders: ReadonlyArray<readonly [string, string, string]> = [
  [
    '<i4',
    'True',
    '+////wcAAAD/////CwAAAAMAAAAPAAAA/P///wgAAAAAAAAADAAAAAQAAAAQAAAA/f///wkAAAABAAAADQAAAAUAAAARAAAA/v///woAAAACAAAADgAAAAYAAAASAAAA',
  ],
  [
    '>i8',
    'True',
    '//////////sAAAAAAAAAB///////////AAAAAAAAAAsAAAAAAAAAAwAAAAAAAAAP//////////wAAAAAAAAACAAAAAAAAAAAAAAAAAAAAAwAAAAAAAAABAAAAAAAAAAQ//////////0AAAAAAAAACQAAAAAAAAABAAAAAAAAAA0AAAAAAAAABQAAAAAAAAAR//////////4AAAAAAAAACgAAAAAAAAACAAAAAAAAAA4AAAAAAAAABgAAAAAAAAAS',
  ],
  ['|u1', 'True', 'wwfHCwMPxAgADAQQxQkBDQURxgoCDgYS'],
  [
    '<f8',
    'False',
    'AAAAAAAAFMAAAAAAAAAQwAAAAAAAAAjAAAAAAAAAAMAAAAAAAADwvwAAAAAAAAAAAAAAAAAA8D8AAAAAAAAAQAAAAAAAAAhAAAAAAAAAEEAAAAAAAAAUQAAAAAAAABhAAAAAAAAAHEAAAAAAAAAgQAAAAAAAACJAAAAAAAAAJEAAAAAAAAAmQAAAAAAAAChAAAAAAAAAKkAAAAAAAAAsQAAAAAAAAC5AAAAAAAAAMEAAAAAAAAAxQAAAAAAAADJA',
  ],
  ['>f2', 'False', 'xQDEAMIAwAC8AAAAPABAAEIARABFAEYARwBIAEiASQBJgEoASoBLAEuATABMQEyA'],
]
const reader = (descr: Descr, data: Uint8Array): ((i: number) => number) => {
  const view = new DataView(data.buffer, data.byteOffset)
  switch (descr) {
    case 'i4':
      return (i) => view.getInt32(4 * i, true)
    case 'i8':
      return (i) => Number(view.getBigInt64(8 * i, true))
    case 'f8':
      return (i) => view.getFloat64(8 * i, true)
    default:
      return (i) => data[i]!
  }
}

describe('npy law 1: decode after encode is the identity', () => {
  it('for arrays of every element type and small shapes', () => {
    fc.assert(
      fc.property(arrays, (a) => {
        expect(right(decodeNpy(right(encodeNpy(a))))).toEqual(a)
      }),
    )
  })
})

describe("npy law 2: NumPy's own files come back byte for byte", () => {
  it.each(golden)('%s', (name, descr, shape) => {
    const bytes = goldenBytes(name)
    const array = right(decodeNpy(bytes))
    expect(array.descr).toBe(descr)
    expect(array.shape).toEqual(shape)
    expect(Buffer.compare(right(encodeNpy(array)), bytes)).toBe(0)
  })
  it.each(numpyHeaders)('header of %s %j', (descr, shape, text, dataStart) => {
    const elements = shape.reduce((n, d) => n * d, 1)
    const bytes = right(encodeNpy({ descr, shape, data: new Uint8Array(elements * descrBytes(descr)) }))
    const header = String.fromCharCode(...bytes.subarray(0, bytes.length - elements * descrBytes(descr)))
    expect(header.length).toBe(dataStart)
    expect(header.slice(0, 8)).toBe('\x93NUMPY\x01\x00')
    expect(header.charCodeAt(8) + 256 * header.charCodeAt(9)).toBe(dataStart - 10)
    expect(header.endsWith(' \n')).toBe(true)
    if (text !== '') expect(header.slice(10).trimEnd()).toBe(text)
  })
  it('the data of a decoded file is a copy', () => {
    const bytes = goldenBytes('matmul_f16_256x256x256_a')
    const array = right(decodeNpy(bytes))
    const before = array.data[0]!
    bytes[128] = before ^ 255
    expect(array.data[0]).toBe(before)
  })
})

describe('npy law 3: byte order and element order do not matter', () => {
  it.each(numpyOrders)(
    '%s fortran_order %s, against the values that NumPy was given',
    (descr, fortran, base64) => {
      const array = right(
        decodeNpy(file(dictionary(descr, '(2, 3, 4)', fortran), Buffer.from(base64, 'base64'))),
      )
      expect(array.descr).toBe(descr.slice(1))
      expect(array.shape).toEqual([2, 3, 4])
      if (array.descr === 'f2') {
        const swapped = Buffer.from(base64, 'base64').swap16()
        expect(Buffer.compare(array.data, swapped)).toBe(0)
        return
      }
      const at = reader(array.descr, array.data)
      const modulus = descr === '|u1' ? 200 : Infinity
      const value = (i: number): number => (i - 5 < 0 && modulus === 200 ? i + 195 : i - 5)
      expect(Array.from({ length: 24 }, (_, i) => at(i))).toEqual(
        Array.from({ length: 24 }, (_, i) => value(i)),
      )
    },
  )
  it('a big-endian file has the bytes of each element turned round', () => {
    const one = right(decodeNpy(file(dictionary('>u4', '(2,)'), [1, 2, 3, 4, 5, 6, 7, 8])))
    expect([...one.data]).toEqual([4, 3, 2, 1, 8, 7, 6, 5])
  })
  it('a Fortran-order file of any shape, by the definition of its order', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 4 }), { maxLength: 4 }), (shape) => {
        const n = shape.reduce((p, d) => p * d, 1)
        const tuple = `(${shape.map((d) => `${String(d)},`).join(' ')})`
        const got = right(
          decodeNpy(
            file(
              dictionary('<u2', tuple, 'True'),
              Array.from({ length: 2 * n }, (_, i) => (i % 2 === 0 ? (i / 2) & 255 : i >> 9)),
            ),
          ),
        )
        // Element c of C order has the index (c div later sizes) mod size; its place in the file weighs it by earlier sizes.
        const expected = Array.from({ length: n }, (_, c) => {
          let rest = c
          let place = 0
          for (let axis = shape.length - 1; axis >= 0; axis--) {
            place += (rest % shape[axis]!) * shape.slice(0, axis).reduce((p, d) => p * d, 1)
            rest = Math.floor(rest / shape[axis]!)
          }
          return place
        })
        expect(expected.map((_, c) => got.data[2 * c]! + 256 * got.data[2 * c + 1]!)).toEqual(expected)
      }),
    )
  })
})

describe('npy law 4: too short, too long and malformed files are refused, and nothing throws', () => {
  const samples = [
    right(encodeNpy({ descr: 'f2', shape: [2, 3], data: new Uint8Array(12) })),
    file(dictionary('<u2', '(3,)'), [0, 0, 1, 0, 2, 0], [2, 0]),
    file(dictionary('<f8', '()'), [0, 0, 0, 0, 0, 0, 0, 0]),
  ]
  it('every proper prefix of a file (all lengths)', () => {
    samples.forEach((bytes) => {
      expect(E.isRight(decodeNpy(bytes))).toBe(true)
      for (let n = 0; n < bytes.length; n++) {
        expect(left(decodeNpy(bytes.subarray(0, n))).code).toBe('npy-truncated')
      }
    })
  })
  it('every length of bytes after the end', () => {
    samples.forEach((bytes) => {
      for (let n = 1; n < 20; n++) {
        expect(left(decodeNpy(Uint8Array.from([...bytes, ...new Uint8Array(n)]))).code).toBe(
          'npy-trailing-bytes',
        )
      }
    })
  })
  it('every byte of preamble and header replaced by every byte (all 256 values) never throws', () => {
    const bytes = samples[0]!
    // by day those that mean something, and every fifth
    const all = Array.from({ length: 256 }, (_, b) => b)
    const some = nightly ? all : all.filter((b) => b % 5 === 0 || (b >= 0x20 && b < 0x80))
    const accepted = new Set<number>()
    for (let at = 0; at < 128; at++) {
      for (const b of some) {
        const changed = Uint8Array.from(bytes)
        changed[at] = b
        const answer = decodeNpy(changed)
        if (E.isRight(answer) && b !== bytes[at]) accepted.add(at)
      }
    }
    // White space, the comma before the brace, and byte order and kind of the element type may change without harm.
    const harmless = [...accepted].filter((at) => at < bytes.indexOf(0x7d))
    expect(harmless.map((at) => String.fromCharCode(bytes[at]!)).join('')).toBe(' <f     , ')
  })
  it('says what was expected and what was found', () => {
    const bytes = goldenBytes('matmul_f16_256x256x256_a')
    expect(left(decodeNpy(bytes.subarray(0, 70000))).message).toBe(
      'expected 131072 bytes of data for shape (256, 256) of f2, found 69872',
    )
    expect(left(decodeNpy(bytes.subarray(0, 100))).message).toBe('expected a header of 118 bytes, found 90')
    expect(left(decodeNpy(bytes.subarray(0, 9))).message).toBe('expected a preamble of 10 bytes, found 9')
    expect(left(decodeNpy(samples[1]!.subarray(0, 11))).message).toBe(
      'expected a preamble of 12 bytes, found 11',
    )
    expect(left(decodeNpy(new Uint8Array(0))).message).toBe('expected a preamble of 10 bytes, found 0')
    expect(left(decodeNpy(Uint8Array.from([...bytes, 0]))).message).toBe(
      'expected 131072 bytes of data for shape (256, 256) of f2, found 131073',
    )
  })
  it.each([
    ['<V2', [0x80, 0x3f], [0x80, 0x3f]],
    ['|V2', [0x80, 0x3f], [0x80, 0x3f]],
    ['>V2', [0x3f, 0x80], [0x80, 0x3f]],
    ['|V1', [0x38], [0x38]],
    ['<V1', [0x38], [0x38]],
  ])('ml_dtypes: bfloat16 and 8-bit floats as %s', (descr, bytesOfOne, data) => {
    expect(right(decodeNpy(file(dictionary(descr, '(1,)'), bytesOfOne)))).toEqual({
      descr: descr.slice(1),
      shape: [1],
      data: Uint8Array.from(data),
    })
  })
  const refusals: ReadonlyArray<readonly [string, Uint8Array, string, string]> = [
    ['a zip', Uint8Array.from([0x50, 0x4b, 3, 4, 0, 0, 0, 0, 0, 0]), 'npy-magic', 'found 50 4b 03 04 00 00'],
    ['version 3.0', file(dictionary('<f2', '()'), [0, 0], [3, 0]), 'npy-version', '3.0'],
    ['a truth value', file(dictionary('|b1', '(1,)'), [0]), 'npy-dtype', "found '|b1'"],
    [
      'bytes of a size that no element has',
      file(dictionary('|V4', '(1,)'), [0, 0, 0, 0]),
      'npy-dtype',
      "'|V4'",
    ],
    ['a complex', file(dictionary('<c8', '(1,)'), [0]), 'npy-dtype', "'<c8'"],
    ['native order', file(dictionary('=f4', '(1,)'), [0, 0, 0, 0]), 'npy-dtype', "'=f4'"],
    ['no order', file(dictionary('|f4', '(1,)'), [0, 0, 0, 0]), 'npy-dtype', "'|f4'"],
    ['objects', file(dictionary('|O', '(1,)'), []), 'npy-dtype', "'|O'"],
    [
      'fields',
      file("{'descr': [('x', '<f4')], 'fortran_order': False, 'shape': (1,), }", []),
      'npy-dtype',
      "[('x', '<f4')]",
    ],
    ['a number for a shape', file(dictionary('|u1', '(3)'), [0, 0, 0]), 'npy-shape', 'found (3)'],
    ['a negative dimension', file(dictionary('|u1', '(-3,)'), []), 'npy-header', 'found {'],
    ['two commas', file(dictionary('|u1', '(3,,)'), [0, 0, 0]), 'npy-shape', '(3,,)'],
    [
      'a long number',
      file(dictionary('|u1', `(${'9'.repeat(60000)},)`), [0]),
      'npy-shape',
      'found (Infinity,)',
    ],
    ['a bare comma', file(dictionary('|u1', '(,)'), [0]), 'npy-shape', '(,)'],
    ['a huge shape', file(dictionary('<f8', '(99999999, 99999999)'), []), 'npy-shape', '99999999'],
    [
      'a dimension of 400 digits',
      file(dictionary('<f8', `(${'9'.repeat(400)}, 0)`), []),
      'npy-shape',
      'Infinity',
    ],
    ['a shape as a list', file(dictionary('|u1', '[3]'), [0, 0, 0]), 'npy-shape', '[3]'],
    [
      'an order that is neither',
      file(dictionary('|u1', '(1,)', "'False'"), [0]),
      'npy-header',
      'fortran_order',
    ],
    ['65 dimensions', file(dictionary('|u1', `(${ones(65).join(', ')})`), [0]), 'npy-shape', 'found 65'],
    [
      'a key twice',
      file("{'descr': '|u1', 'descr': '|u1', 'fortran_order': False, 'shape': (), }", [0]),
      'npy-header',
      'found {',
    ],
    [
      'a key too many',
      file("{'descr': '|u1', 'fortran_order': False, 'shape': (), 'x': (), }", [0]),
      'npy-header',
      'found {',
    ],
    ['a key too few', file("{'descr': '|u1', 'fortran_order': False, }", [0]), 'npy-header', 'found {'],
    [
      'no closing brace',
      file("{'descr': '|u1', 'fortran_order': False, 'shape': (), ", [0]),
      'npy-header',
      'found {',
    ],
    [
      'text after the dictionary',
      file(`${dictionary('|u1', '()').trim()} x\n`, [0]),
      'npy-header',
      'found {',
    ],
    [
      'no comma between',
      file("{'descr': '|u1' 'fortran_order': False, 'shape': ()}", [0]),
      'npy-header',
      'found {',
    ],
    ['an empty header', file('', []), 'npy-header', 'found '],
    [
      'a header of 4 GiB',
      Uint8Array.from([...file('', [], [2, 0]).subarray(0, 8), 255, 255, 255, 255]),
      'npy-header',
      '4294967295',
    ],
  ]
  it.each(refusals)('%s', (_, bytes, code, words) => {
    const failure = left(decodeNpy(bytes))
    expect(failure.code).toBe(code)
    expect(failure.message).toContain(words)
    expect(failure.message).not.toContain('\n')
  })
  const harmless: ReadonlyArray<readonly [string, string, ReadonlyArray<number>]> = [
    ['other key order, double quotes', `{"shape": (2, 1), "fortran_order": False, "descr": "|u1"}`, [2, 1]],
    ['no spaces', `{'descr':'|u1','fortran_order':False,'shape':(2,)}`, [2]],
    ['many spaces', `  { 'descr' : '|u1' , 'fortran_order' : False , 'shape' : ( 2 , ) , }   \n`, [2]],
    ['long integers of Python 2', `{'descr': '|u1', 'fortran_order': False, 'shape': (2L, 1L), }`, [2, 1]],
    ['an order on single bytes', `{'descr': '>u1', 'fortran_order': False, 'shape': (2,), }`, [2]],
  ]
  it.each(harmless)('but accepts %s', (_, header, shape) => {
    expect(right(decodeNpy(file(header, [7, 9])))).toEqual({ descr: 'u1', shape, data: Uint8Array.of(7, 9) })
  })
  it('a header full of almost-tuples takes no time', () => {
    const started = performance.now()
    decodeNpy(file(dictionary('|u1', `(${'1, '.repeat(20000)}x)`), []))
    decodeNpy(file(dictionary('|u1', `(${'1 '.repeat(30000)})`), []))
    decodeNpy(file(' '.repeat(65000), []))
    expect(performance.now() - started).toBeLessThan(2000)
  })
  it('an array whose data does not fit its shape is neither made nor written', () => {
    const bad: NpyArray = { descr: 'f4', shape: [2, 2], data: new Uint8Array(15) }
    expect(left(npyArray(bad.descr, bad.shape, bad.data)).code).toBe('npy-truncated')
    expect(left(encodeNpy(bad)).message).toBe('expected 16 bytes of data for shape (2, 2) of f4, found 15')
    expect(left(encodeNpy({ descr: 'f4', shape: [-1], data: new Uint8Array(0) })).code).toBe('npy-shape')
    expect(left(encodeNpy({ descr: 'f4', shape: [0.5, 2], data: new Uint8Array(4) })).code).toBe('npy-shape')
  })
})

describe('npy law 5: the data starts at a multiple of 64', () => {
  it('and at byte 128 for up to four dimensions below 100,000', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 99_999 }), { maxLength: 3 }), (shape) => {
        const bytes = right(encodeNpy({ descr: 'u2', shape: [0, ...shape], data: new Uint8Array(0) }))
        expect(bytes.length).toBe(128)
      }),
    )
  })
  it('for shapes of up to 64 dimensions', () => {
    for (let rank = 0; rank <= 64; rank++) {
      const bytes = right(encodeNpy({ descr: 'u1', shape: ones(rank), data: Uint8Array.of(5) }))
      expect((bytes.length - 1) % 64).toBe(0)
      expect(right(decodeNpy(bytes)).shape).toEqual(ones(rank))
    }
  })
})
