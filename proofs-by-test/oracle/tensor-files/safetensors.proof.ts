/** safetensors: what is written is read, and a header is believed where it agrees with the bytes. */
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  contentsOf,
  elementBytes,
  elementTypes,
  encodeSafetensors,
  mostHeader,
  tensorIn,
  type StoredTensor,
} from '../../../src/oracle/tensor-files/safetensors.js'
import { code, right } from '../../either.js'

/** A file put together by hand. */
const file = (header: unknown, data: ArrayLike<number> = [], length?: number): Uint8Array => {
  const json = new TextEncoder().encode(typeof header === 'string' ? header : JSON.stringify(header))
  const bytes = new Uint8Array(8 + json.length + data.length)
  new DataView(bytes.buffer).setBigUint64(0, BigInt(length ?? json.length), true)
  bytes.set(json, 8)
  bytes.set(data, 8 + json.length)
  return bytes
}
const one = (over: object): object => ({ a: { dtype: 'U8', shape: [4], data_offsets: [0, 4], ...over } })
const four = [1, 2, 3, 4]
const why = (bytes: Uint8Array): string => JSON.stringify(contentsOf(bytes))

const stored: fc.Arbitrary<StoredTensor> = fc
  .record({
    dtype: fc.constantFrom(...elementTypes),
    shape: fc.array(fc.nat(4), { maxLength: 4 }),
    seed: fc.nat(255),
  })
  .map(({ dtype, shape, seed }) => ({
    dtype,
    shape,
    data: Uint8Array.from(
      { length: shape.reduce((n, d) => n * d, 1) * elementBytes[dtype] },
      (_, i) => (seed + 37 * i) % 256,
    ),
  }))
const tensors = fc
  .uniqueArray(fc.tuple(fc.string({ maxLength: 6 }), stored), { selector: ([name]) => name, maxLength: 6 })
  .map((all) => new Map(all))

describe('safetensors laws 1, 2 and 4: through a file and back', () => {
  it('tensors of every type', () => {
    fc.assert(
      fc.property(tensors, (all) => {
        const bytes = right(encodeSafetensors(all))
        const { tensors: found, data } = right(contentsOf(bytes))
        expect(new Set(found.keys())).toEqual(new Set(all.keys()))
        expect(data % 8).toBe(0)
        const again = new Map([...found.keys()].map((name) => [name, right(tensorIn(bytes)(name))]))
        for (const [name, t] of all) {
          expect(again.get(name)).toEqual(t)
          expect(found.get(name)!.from % elementBytes[t.dtype]).toBe(0)
        }
        expect(right(encodeSafetensors(again))).toEqual(bytes)
      }),
    )
  })
  it('by hand', () => {
    const bytes = right(
      encodeSafetensors(
        new Map([
          ['b', { dtype: 'U8', shape: [1], data: Uint8Array.of(7) }],
          ['1', { dtype: 'BF16', shape: [1], data: Uint8Array.of(0x80, 0x3f) }],
        ]),
      ),
    )
    const header =
      '{"1":{"dtype":"BF16","shape":[1],"data_offsets":[0,2]},"b":{"dtype":"U8","shape":[1],"data_offsets":[2,3]}}'
    expect(new TextDecoder().decode(bytes.subarray(8, 8 + header.length))).toBe(header)
    expect([...bytes.subarray(-3)]).toEqual([0x80, 0x3f, 7])
    expect(bytes[0]).toBe(8 * Math.ceil(header.length / 8))
  })
  it('with texts about it, and names that objects have', () => {
    const about = { __metadata__: { format: 'pt' }, ...one({}) }
    expect([...right(contentsOf(file(about, four))).tensors.keys()]).toEqual(['a'])
    const odd = '{"__proto__":{"dtype":"I8","shape":[],"data_offsets":[0,1]}}'
    expect(right(tensorIn(file(odd, [255]))('__proto__')).data).toEqual(Uint8Array.of(255))
    expect(code(tensorIn(file(odd, [255]))('constructor'))).toBe('tensor-name')
  })
})

describe('safetensors law 3: the header and the bytes agree', () => {
  const good = file(one({}), four)
  it('no more and no fewer bytes', () => {
    expect(right(tensorIn(good)('a'))).toEqual({ dtype: 'U8', shape: [4], data: Uint8Array.from(four) })
    for (let n = 0; n < good.length; n++)
      expect(code(contentsOf(good.subarray(0, n)))).toBe('safetensors-truncated')
    expect(why(Uint8Array.from([...good, 0]))).toContain(
      'expected 4 bytes of data, as the header says, found 5',
    )
  })
  it.each([
    [
      'offsets turned round, of a dtype of no name here',
      one({ dtype: 'C64', data_offsets: [4, 0] }),
      'not before its beginning',
    ],
    ['a gap before such a one', one({ dtype: 'F4', data_offsets: [1, 4] }), 'expected bytes from 0'],
    ['fewer bytes than its shape', one({ shape: [5] }), 'expected 5 bytes for shape (5) of U8'],
    ['a shape beyond all numbers', one({ shape: [2 ** 52, 2 ** 52] }), 'for shape'],
    ['offsets turned round', one({ data_offsets: [4, 0] }), 'found offsets 4 and 0'],
    ['a gap', one({ shape: [3], data_offsets: [1, 4] }), 'expected bytes from 0'],
    ['a negative extent', one({ shape: [-4] }), 'expected an integer of 0 or more, found -4'],
    ['an extent that is none', one({ shape: ['4'] }), '$.a.shape[0]'],
    ['three offsets', one({ data_offsets: [0, 4, 4] }), 'two elements'],
    ['another key', one({ strides: [1] }), 'no such key in a tensor'],
    ['many dimensions', one({ shape: Array.from({ length: 65 }, () => 1) }), 'at most 64 dimensions'],
    ['a tensor that is text', { a: 'U8' }, '$.a'],
    ['metadata of numbers', { __metadata__: { n: 1 }, ...one({}) }, '__metadata__: $.n'],
    ['the last bytes of no tensor', one({ shape: [3], data_offsets: [0, 3] }), 'expected 3 bytes of data'],
    [
      'an overlap',
      { ...one({}), b: { dtype: 'U8', shape: [2], data_offsets: [2, 4] } },
      'b: expected bytes from 4, where the tensor before it ends, found 2',
    ],
    ['JSON cut off', '{"a"', 'header: expected JSON'],
    ['a list', '[]', 'begins with {'],
    ['deep', `{"a":${'['.repeat(600)}${']'.repeat(600)}}`, 'at most 512 levels'],
  ])('%s', (_, header, expected) => {
    expect(why(file(header, four))).toContain(expected)
  })
  it('a dtype of no name here is refused where its tensor is asked for', () => {
    const two = file(
      { ...one({ dtype: 'F4', shape: [8] }), b: { dtype: 'U8', shape: [], data_offsets: [4, 5] } },
      [...four, 9],
    )
    expect(right(tensorIn(two)('b')).data).toEqual(Uint8Array.of(9))
    expect(tensorIn(two)('a')).toMatchObject({
      left: {
        code: 'safetensors-dtype',
        message: expect.stringMatching(/^a: expected a dtype of F64 .*, found F4$/),
      },
    })
  })
  it('a name twice leaves bytes without a tensor', () => {
    const entry = (from: number): string =>
      `"a":{"dtype":"U8","shape":[2],"data_offsets":[${String(from)},${String(from + 2)}]}`
    expect(code(contentsOf(file(`{${entry(0)},${entry(2)}}`, four)))).toBe('safetensors-offsets')
  })
  it('the length of the header is looked at first', () => {
    expect(why(file('{}', [], mostHeader + 1))).toContain(`at most ${String(mostHeader)} bytes`)
    expect(why(file('{}', [], Number.MAX_SAFE_INTEGER))).toContain('at most')
    expect(why(file('{}', [], 3))).toContain('expected a header of 3 bytes, found 2')
  })
  it('what cannot be written', () => {
    const t: StoredTensor = { dtype: 'F32', shape: [2], data: new Uint8Array(7) }
    expect(encodeSafetensors(new Map([['x', t]]))).toMatchObject({ left: { code: 'safetensors-offsets' } })
    const about: StoredTensor = { dtype: 'U8', shape: [], data: new Uint8Array(1) }
    expect(code(encodeSafetensors(new Map([['__metadata__', about]])))).toBe('tensor-name')
    expect(code(encodeSafetensors(new Map([['x'.repeat(mostHeader), about]])))).toBe('safetensors-header')
  })
})
