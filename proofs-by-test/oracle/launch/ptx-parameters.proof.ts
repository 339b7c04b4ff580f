/**
 * Arguments of an entry as bytes. Oracle: typed arrays, which wrap and round by themselves; and layouts by hand.
 */
import { describe, expect, test } from 'vitest'
import {
  elementBytes,
  layArgument,
  numeric,
  objectOf,
  scalarBytes,
  type Laying,
} from '../../../src/oracle/launch/ptx-parameters.js'
import type { PtxArgument } from '../../../src/oracle/launch/ptx-file.js'
import { spotOf, typeText } from '../../../src/oracle/launch/ptx-words.js'

const arrays = {
  s8: Int8Array,
  u8: Uint8Array,
  s16: Int16Array,
  u16: Uint16Array,
  s32: Int32Array,
  u32: Uint32Array,
} as const
const wide = { s64: BigInt64Array, u64: BigUint64Array } as const

describe('a number in its type', () => {
  const numbers = [
    0,
    1,
    -1,
    127,
    128,
    -128,
    -129,
    255,
    256,
    32767,
    32768,
    -32768,
    65535,
    2 ** 31 - 1,
    2 ** 31,
    -(2 ** 31),
    2 ** 32 - 1,
    2 ** 32,
  ]
  test.each(Object.entries(arrays))('%s holds what it does not change, and nothing else', (type, Typed) => {
    for (const n of numbers) {
      const array = Typed.of(n)
      const expected = array[0] === n ? new Uint8Array(array.buffer) : null
      for (const said of [n, String(n)]) expect([n, scalarBytes(type, said)]).toEqual([n, expected])
    }
  })
  test.each(Object.entries(wide))('%s, in words where a number has no room', (type, Typed) => {
    for (const n of [
      0n,
      1n,
      -1n,
      2n ** 53n + 1n,
      2n ** 63n - 1n,
      2n ** 63n,
      -(2n ** 63n),
      2n ** 64n - 1n,
      2n ** 64n,
    ]) {
      const array = Typed.of(n)
      expect([n, scalarBytes(type, String(n))]).toEqual([
        n,
        array[0] === n ? new Uint8Array(array.buffer) : null,
      ])
    }
    expect(scalarBytes(type, 2 ** 53)).toBeNull()
  })
  test('a type of bits holds a number of either sign', () => {
    expect(scalarBytes('b8', -128)).toEqual(Uint8Array.of(128))
    expect(scalarBytes('b8', 255)).toEqual(Uint8Array.of(255))
    expect(scalarBytes('b8', 256)).toBeNull()
    expect(scalarBytes('b8', -129)).toBeNull()
  })
  test.each([
    ['0.1', 0.1],
    [0.1, 0.1],
    ['inf', Infinity],
    ['-INF', -Infinity],
    ['+inf', Infinity],
    ['nan', NaN],
    ['1e300', 1e300],
    [-3, -3],
  ] as const)('%s as a float', (said, x) => {
    expect(scalarBytes('f32', said)).toEqual(new Uint8Array(Float32Array.of(x).buffer))
    expect(scalarBytes('f64', said)).toEqual(new Uint8Array(Float64Array.of(x).buffer))
  })
  test.each([
    ['f32', ''],
    ['f32', ' '],
    ['f32', 'x'],
    ['f64', 'NaN'],
    ['f64', NaN],
    ['u32', 1.5],
    ['u32', '1.0'],
    ['u32', ''],
    ['u32', '0x10'],
    ['pear', 1],
  ] as const)('%s has no %j', (type, said) => {
    expect(scalarBytes(type, said)).toBeNull()
  })
  test.each([
    ['f16', 2],
    ['bf16', 2],
    ['b64', 8],
    ['pred', 1],
    ['e4m3', 1],
    ['e5m2', 1],
    ['i8', 1],
    ['i16', 2],
    ['i64', 8],
    ['i7', 0],
    ['xi16', 0],
    ['i160', 0],
    ['', 0],
  ] as const)('an element of %s has %d bytes', (type, bytes) => {
    expect(elementBytes(type)).toBe(bytes)
  })
})

describe('arguments in their places', () => {
  const laid = (bytes: number, a: PtxArgument, type = 'b8', offset = 8) => {
    const into: Laying = { bytes: new Uint8Array(32), pointers: [], maps: [], tensors: [] }
    const failure = layArgument(into, { name: 'p', type, offset, bytes }, a)
    return { into, failure: failure === null ? null : `${failure.code} ${failure.message}` }
  }
  const bytesOf = (bytes: number, a: PtxArgument, type?: string): ReadonlyArray<number> => {
    const { into, failure } = laid(bytes, a, type)
    expect(failure).toBeNull()
    return [...into.bytes].slice(0, 16)
  }
  const none = [0, 0, 0, 0, 0, 0, 0, 0]

  test('a number goes to its own bytes', () => {
    expect(bytesOf(4, 258, 'u32')).toEqual([...none, 2, 1, 0, 0, 0, 0, 0, 0])
    expect(bytesOf(4, '-2', 'u32')).toEqual([...none, 254, 255, 255, 255, 0, 0, 0, 0])
    expect(bytesOf(1, true, 'u8')).toEqual([...none, 1, 0, 0, 0, 0, 0, 0, 0])
    expect(bytesOf(4, 1, 'f32')).toEqual([...none, ...new Uint8Array(Float32Array.of(1).buffer), 0, 0, 0, 0])
    expect(bytesOf(2, { kind: 'scalar', type: 's16', value: -1 })).toEqual([
      ...none,
      255,
      255,
      0,
      0,
      0,
      0,
      0,
      0,
    ])
  })
  test('a tensor is an address, which eight bytes hold', () => {
    for (const a of ['x', { tensor: 'x' } as const]) {
      const { into, failure } = laid(8, a)
      expect([failure, into.pointers.map((p) => [p.offset, p.tensor])]).toEqual([null, [[8, 'x']]])
      expect(into.tensors.map((t) => t.tensor)).toEqual(['x'])
    }
    expect(laid(4, 'x', 'u32').failure).toBe("launch.parameter p: expected a number of type b32, found 'x'")
    expect(laid(4, { tensor: 'x' }).failure).toBe('launch.parameter p: expected 4 bytes, found 8')
  })
  test('a number is as wide as its parameter', () => {
    expect(laid(8, { kind: 'scalar', type: 'u32', value: 1 }).failure).toBe(
      'launch.parameter p: expected 8 bytes, found 4',
    )
    expect(laid(4, { kind: 'scalar', type: 'pear', value: 1 }).failure).toBe(
      'launch.parameter p: there is no type pear of numbers',
    )
    expect(laid(1, { kind: 'scalar', type: 'u8', value: 256 }).failure).toBe(
      'launch.parameter p: 256 is not a value of type u8',
    )
  })

  const map = { kind: 'tensormap', tensor: 'm', dtype: 'f16', dims: [64, 32], box: [64, 8] } as const
  test('a tensor map lies in the parameter, or its address does', () => {
    const own = laid(128, map).into
    expect([own.maps.map((m) => [m.into, m.offset, m.tensor]), own.pointers]).toEqual([[[null, 8, 'm']], []])
    const far = laid(8, map).into
    expect(far.maps.map((m) => [m.into, m.offset, m.tensor])).toEqual([[objectOf('m'), 0, 'm']])
    expect(far.pointers).toEqual([{ offset: 8, tensor: objectOf('m') }])
    expect(far.tensors.map((t) => [t.tensor, t.shape])).toEqual([
      ['m', [32, 64]],
      [objectOf('m'), [128]],
    ])
    expect(laid(16, map).failure).toBe('launch.parameter p: expected 16 bytes, found 128')
  })

  const struct = (bytes: number, ...fields: ReadonlyArray<object>): PtxArgument =>
    ({ kind: 'struct', bytes, fields }) as PtxArgument
  test('fields of a struct lie at their offsets', () => {
    const a = struct(24, { kind: 'scalar', type: 'u16', value: 7, offset: 4 }, { tensor: 'x', offset: 8 })
    const { into, failure } = laid(24, a)
    expect([failure, [...into.bytes].slice(8, 16), into.pointers.map((p) => [p.offset, p.tensor])]).toEqual([
      null,
      [0, 0, 0, 0, 7, 0, 0, 0],
      [[16, 'x']],
    ])
    // without an offset the first byte is meant
    expect([...laid(8, struct(8, { kind: 'scalar', type: 'u8', value: 9 })).into.bytes].slice(8, 10)).toEqual(
      [9, 0],
    )
  })
  test.each([
    [struct(16), 24, 'p: expected 24 bytes, found a struct of 16'],
    [struct(8, { tensor: 'x', offset: 1 }), 8, 'p, offset 1: expected 8 bytes for the address of x, found 7'],
    [
      struct(8, { kind: 'scalar', type: 'u32', value: 1, offset: 6 }),
      8,
      'p, offset 6: expected at most 2 bytes, found 4 of type u32',
    ],
    [
      struct(8, { kind: 'scalar', type: 'u8', value: 1, offset: 9 }),
      8,
      'p, offset 9: expected at most 0 bytes, found 1 of type u8',
    ],
    [struct(4, { ...map, offset: 0 }), 4, 'p, offset 0: expected 128 bytes for the tensor map of m, found 4'],
  ])('what has no room: %#', (a, bytes, text) => {
    expect(laid(bytes, a).failure).toBe(`launch.parameter ${text}`)
  })
  test('a descriptor of Triton is none of PTX', () => {
    expect(
      laid(128, { kind: 'tensordesc', tensor: 'x', dtype: 'f16', shape: [8], block: [8] }).failure,
    ).toMatch(/^launch.parameter p: expected a tensor map/)
  })
  test.each([
    ['f32', 4, 'f32'],
    ['f64', 8, 'f64'],
    ['u32', 4, 'b32'],
    ['b8', 16, 'b128'],
  ] as const)('%s of %d bytes holds numbers of %s', (type, bytes, expected) => {
    expect(numeric({ type, bytes })).toBe(expected)
  })
})

describe('where a word belongs', () => {
  const parameters = Array.from({ length: 12 }, (_, k) => ({
    name: `p${String(k)}`,
    type: 'u32',
    offset: 4 * k,
    bytes: 4,
  }))
  test.each([
    ['p3', { parameter: 3, offset: null }],
    ['p3+16', { parameter: 3, offset: 16 }],
    ['2', { parameter: 2, offset: null }],
    ['11', { parameter: 11, offset: null }],
    ['11+4', { parameter: 11, offset: 4 }],
    ['count', { parameter: 1, offset: null }],
    ['12', null],
    ['-1', null],
    ['1x', null],
    ['x1', null],
    ['p12', null],
    ['', null],
  ] as const)('%s', (key, expected) => {
    expect(spotOf(parameters as never, ['size', 'count'], key)).toEqual(expected)
  })
  test.each([
    ['u32', 4, 'u32'],
    ['b8', 128, 'b8[128]'],
    ['b8', 1, 'b8'],
    ['u16', 8, 'u16[4]'],
    ['pear', 4, 'pear'],
  ] as const)('%s of %d bytes is called %s', (type, bytes, text) => {
    expect(typeText({ name: 'p', type, offset: 0, bytes } as never)).toBe(text)
  })
})
