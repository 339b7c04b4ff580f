/** Zip archives and the arrays in them: what is written is read, and what a directory lies about is refused before it costs anything. */
import { deflateSync, zipSync } from 'fflate'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { encodeNpy, type NpyArray } from '../../../src/oracle/tensor-files/npy.js'
import { arrayOf, encodeNpz, namesOf } from '../../../src/oracle/tensor-files/npz.js'
import { checksumOf, contentOf, encodeZip, membersOf } from '../../../src/oracle/tensor-files/zip.js'
import { code, right } from '../../either.js'
import { nightly } from '../../extent.js'

const text = (s: string): Uint8Array => new TextEncoder().encode(s)
const bytesOf = (seed: number, length: number): Uint8Array =>
  Uint8Array.from({ length }, (_, i) => (seed + 31 * i + (i >> 4)) % 256)

const members = fc
  .uniqueArray(fc.tuple(fc.string({ minLength: 1, maxLength: 8 }), fc.nat(255), fc.nat(400)), {
    selector: ([name]) => name,
    maxLength: 5,
  })
  .map((all) => new Map(all.map(([name, seed, n]) => [`${name}.npy`, bytesOf(seed, n)])))
const names = (bytes: Uint8Array): ReadonlyArray<string> => right(membersOf(bytes)).map((m) => m.name)

/** An archive with each field of the directory in reach. */
const fields = { flags: 8, method: 10, checksum: 16, packed: 20, size: 24, name: 28, local: 42 } as const
const changed = (
  bytes: Uint8Array,
  entry: number,
  field: keyof typeof fields,
  value: number,
  wide = field !== 'flags' && field !== 'method' && field !== 'name',
): Uint8Array => {
  const copy = bytes.slice()
  const view = new DataView(copy.buffer)
  let at = view.getUint32(copy.length - 22 + 16, true)
  for (let k = 0; k < entry; k++) at += 46 + view.getUint16(at + 28, true)
  if (wide) view.setUint32(at + fields[field], value, true)
  else view.setUint16(at + fields[field], value, true)
  return copy
}

describe('zip law 1: what is written is read', () => {
  it('members of any names and bytes, and the same members are the same archive', () => {
    fc.assert(
      fc.property(members, (all) => {
        const bytes = right(encodeZip(all))
        expect(right(encodeZip(all))).toEqual(bytes)
        const found = right(membersOf(bytes))
        expect(found.map((m) => [m.name, right(contentOf(bytes)(m))])).toEqual([...all])
      }),
    )
  })
  it('deflated ones, with a comment behind them', () => {
    const content = new Map([
      ['zeros.npy', new Uint8Array(100_000)],
      ['a.npy', bytesOf(3, 70_000)],
      ['empty.npy', new Uint8Array(0)],
    ])
    const bytes = zipSync(Object.fromEntries(content), { level: 9, comment: 'PK\u0005\u0006 and more' })
    const packed = Uint8Array.from([...bytes, ...text('PK!')])
    new DataView(packed.buffer).setUint16(bytes.length - 2, 3, true)
    for (const archive of [bytes, packed]) {
      const found = right(membersOf(archive))
      expect(found.map((m) => [m.name, right(contentOf(archive)(m))])).toEqual([...content])
    }
  })
  it("the checksum of '123456789' is the one that every CRC-32 is known by", () => {
    expect(checksumOf(text('123456789'))).toBe(0xcbf43926)
  })
  it('a name is as long as its length can say', () => {
    expect(names(right(encodeZip(new Map([['n'.repeat(65_535), text('x')]]))))[0]).toHaveLength(65_535)
    expect(code(encodeZip(new Map([['n'.repeat(65_536), text('x')]])))).toBe('zip-member')
  })
})

describe('zip law 2: a directory is believed where its parts agree', () => {
  const bytes = zipSync({ 'a.npy': new Uint8Array(5000), 'b.npy': bytesOf(1, 300) }, { level: 6 })
  const at = (e: unknown): string => JSON.stringify(e)
  it('a bomb is refused by its directory', () => {
    // a kilobyte of zeros deflated says that it becomes a gigabyte, or more than deflate can say in its bytes
    const [a] = right(membersOf(bytes))
    expect(at(membersOf(changed(bytes, 0, 'size', 2 ** 30)))).toContain('zip-size')
    expect(code(membersOf(changed(bytes, 0, 'size', a!.packed * 1032 + 1)))).toBe('zip-size')
    const large = zipSync({ 'a.npy': new Uint8Array(2 ** 22) }, { level: 9 })
    expect(right(membersOf(large))[0]!.size).toBe(2 ** 22)
    expect(code(membersOf(changed(large, 0, 'size', 2 ** 31)))).toBe('zip-size')
  })
  it('inflating stops at the size that was said', () => {
    for (const [said, found] of [
      [4999, 'found more'],
      [10, 'found more'],
      [5001, 'found 5000'],
    ] as const) {
      const lies = changed(bytes, 0, 'size', said)
      expect(at(contentOf(lies)(right(membersOf(lies))[0]!))).toContain(found)
    }
    // 2^22 zeros in 4 KB, which say that they are ten bytes: not even a piece of them is kept
    const bomb = zipSync({ 'a.npy': new Uint8Array(2 ** 22) }, { level: 9 })
    const lies = changed(bomb, 0, 'size', 10)
    expect(code(contentOf(lies)(right(membersOf(lies))[0]!))).toBe('zip-content')
  })
  it('members that are the same bytes', () => {
    const twice = zipSync({ 'a.npy': bytesOf(1, 300), 'b.npy': bytesOf(1, 300) }, { level: 0 })
    const [a] = right(membersOf(twice))
    expect(at(membersOf(changed(twice, 1, 'local', a!.start - 35)))).toContain('of its own')
  })
  it.each([
    ['encrypted', changed(bytes, 0, 'flags', 1), 'not encrypted'],
    ['another method', changed(bytes, 0, 'method', 12), 'found method 12'],
    ['stored, of two sizes', changed(bytes, 0, 'method', 0), 'as stored'],
    ['64 bits', changed(bytes, 1, 'local', 0xffffffff), 'a record of 64 bits'],
    ['no header there', changed(bytes, 1, 'local', 3), 'its header at byte 3'],
    ['a header in the directory', changed(bytes, 1, 'local', bytes.length - 30), 'its header at byte'],
    ['bytes in the directory', changed(bytes, 1, 'packed', 2 ** 20), 'before the directory'],
    ['a long name', changed(bytes, 0, 'name', 60_000), 'not a zip archive'],
    ['cut off', bytes.subarray(0, bytes.length - 1), 'not a zip archive'],
    ['nothing', new Uint8Array(0), 'not a zip archive'],
    ['prefixed', Uint8Array.from([0, ...bytes]), 'not a zip archive'],
  ])('%s', (_, archive, why) => {
    expect(at(membersOf(archive))).toContain(why)
  })
  it('a name twice', () => {
    const twice = right(encodeZip(new Map([['a', text('x')]])))
    const other = right(encodeZip(new Map([['b', text('y')]])))
    // both members, then both entries
    const cut = (b: Uint8Array): readonly [Uint8Array, Uint8Array] => {
      const view = new DataView(b.buffer)
      const begin = view.getUint32(b.length - 6, true)
      return [b.slice(0, begin), b.slice(begin, b.length - 22)]
    }
    const [[m, e], [n, f]] = [cut(twice), cut(other)]
    f.set(text('a'), 46)
    new DataView(f.buffer).setUint32(42, m.length, true)
    const end = twice.slice(-22)
    const view = new DataView(end.buffer)
    view.setUint16(8, 2, true)
    view.setUint16(10, 2, true)
    view.setUint32(12, e.length + f.length, true)
    view.setUint32(16, m.length + n.length, true)
    expect(at(membersOf(Uint8Array.from([...m, ...n, ...e, ...f, ...end])))).toContain('each name once')
  })
})

describe('zip law 3: a changed byte of a content is refused, or changes nothing', () => {
  it.each([0, 6] as const)('at level %i, wherever it stands', (level) => {
    const bytes = zipSync({ 'a.npy': bytesOf(9, 500) }, { level })
    const [member] = right(membersOf(bytes))
    // by day every fifth byte, from the last
    for (let k = member!.packed - 1; k >= 0; k -= nightly ? 1 : 5) {
      const damaged = bytes.slice()
      damaged[member!.start + k]! ^= 1 << (k % 8)
      const answer = contentOf(damaged)(right(membersOf(damaged))[0]!)
      // the last bits of a deflated stream are of nothing
      if (level === 6 && k === member!.packed - 1 && answer._tag === 'Right')
        expect(answer.right).toEqual(bytesOf(9, 500))
      else expect(code(answer)).toBe('zip-content')
    }
  })
  it('what is no deflated stream says so', () => {
    const bytes = zipSync({ 'a.npy': bytesOf(9, 500) }, { level: 6 })
    const [member] = right(membersOf(bytes))
    const garbage = bytes.slice()
    garbage.fill(0xff, member!.start, member!.start + member!.packed)
    expect(JSON.stringify(contentOf(garbage)(member!))).toContain('expected deflated bytes, found')
    const cut = deflateSync(new Uint8Array(100)).subarray(0, 2)
    const short = { ...member!, packed: cut.length, start: 0 }
    expect(code(contentOf(cut)(short))).toBe('zip-content')
  })
})

describe('npz laws: arrays by name', () => {
  const array = (shape: ReadonlyArray<number>, seed: number): NpyArray => ({
    descr: 'u2',
    shape,
    data: bytesOf(seed, 2 * shape.reduce((n, d) => n * d, 1)),
  })
  const all = new Map([
    ['a', array([2, 3], 1)],
    ['w/0', array([], 2)],
    ['', array([0], 3)],
    ['__proto__', array([1], 4)],
  ])
  it('through a file and back', () => {
    const bytes = right(encodeNpz(all))
    expect(right(namesOf(bytes))).toEqual([...all.keys()])
    for (const [name, expected] of all) expect(right(arrayOf(bytes)(name))).toEqual(expected)
    expect(arrayOf(bytes)('b')).toMatchObject({ left: { code: 'tensor-name' } })
  })
  it('what is not an array is left out; what is none inside is refused by its name', () => {
    const bytes = zipSync({
      'a.npy': right(encodeNpy(array([3], 1))),
      'notes.txt': text('hello'),
      'b.npy': text('b'),
    })
    expect(right(namesOf(bytes))).toEqual(['a', 'b'])
    expect(arrayOf(bytes)('b')).toMatchObject({
      left: { code: 'npy-magic', message: expect.stringMatching(/^b: not an npy file/) },
    })
    expect(encodeNpz(new Map([['a', { descr: 'f2', shape: [3], data: new Uint8Array(5) }]]))).toMatchObject({
      left: { code: 'npy-truncated', message: expect.stringMatching(/^a: /) },
    })
  })
})
