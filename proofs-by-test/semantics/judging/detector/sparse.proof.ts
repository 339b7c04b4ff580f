/** Sparse rows against plain arrays: any sequence of writes, copies, joins and meets, of rows that share chunks with one another. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  clear,
  copyOf,
  exceeds,
  forEach,
  lower,
  merge,
  put,
  raise,
  row,
  textOf,
  valueAt,
  type Sparse,
} from '../../../../src/semantics/judging/detector/sparse.js'

const width = 400
const place = fc.oneof(fc.nat(3), fc.integer({ min: 120, max: 135 }), fc.nat(width - 1))
const which = fc.nat(3)
const action = fc.oneof(
  fc.record({ _tag: fc.constant('put' as const), of: which, at: place, value: fc.nat(9) }),
  fc.record({ _tag: fc.constant('copy' as const), of: which, to: which }),
  fc.record({ _tag: fc.constant('raise' as const), of: which, to: which }),
  fc.record({ _tag: fc.constant('merge' as const), of: which, to: which }),
  fc.record({ _tag: fc.constant('lower' as const), of: which, to: which }),
  fc.record({ _tag: fc.constant('clear' as const), of: which }),
)

const plain = (r: Sparse<number>): ReadonlyArray<number> =>
  Array.from({ length: width }, (_, i) => valueAt(r, i))

describe('laws', () => {
  test('1 to 4: four rows do what four arrays do, whatever they share', () => {
    fc.assert(
      fc.property(fc.array(action, { maxLength: 40 }), (actions) => {
        const rows = Array.from({ length: 4 }, () => row(0))
        const arrays = Array.from({ length: 4 }, () => new Array<number>(width).fill(0))
        for (const a of actions) {
          // a text that is asked for is kept, and is that of what the row holds all the same
          const texts = rows.map((r) => textOf(r, String))
          for (const [k, text] of texts.entries())
            expect(texts.map((other) => other === text)).toEqual(
              arrays.map((other) => other.join() === arrays[k]!.join()),
            )
          switch (a._tag) {
            case 'put':
              put(rows[a.of]!, a.at, a.value)
              arrays[a.of]![a.at] = a.value
              break
            case 'copy':
              rows[a.to] = copyOf(rows[a.of]!)
              arrays[a.to] = arrays[a.of]!.slice()
              break
            case 'raise':
              raise(rows[a.to]!, rows[a.of]!)
              arrays[a.to] = arrays[a.to]!.map((x, i) => Math.max(x, arrays[a.of]![i]!))
              break
            case 'merge':
              merge(rows[a.to]!, rows[a.of]!, Math.max)
              arrays[a.to] = arrays[a.to]!.map((x, i) => Math.max(x, arrays[a.of]![i]!))
              break
            case 'lower':
              rows[a.to] = lower(rows[a.to]!, rows[a.of]!)
              arrays[a.to] = arrays[a.to]!.map((x, i) => Math.min(x, arrays[a.of]![i]!))
              break
            case 'clear':
              clear(rows[a.of]!)
              arrays[a.of] = new Array<number>(width).fill(0)
          }
        }
        for (const [k, r] of rows.entries()) {
          expect(plain(r)).toEqual(arrays[k])
          const seen: (readonly [number, number])[] = []
          forEach(r, (value, i) => seen.push([i, value]))
          expect(seen).toEqual(arrays[k]!.flatMap((value, i) => (value === 0 ? [] : [[i, value]])))
          for (const [j, other] of rows.entries())
            expect(exceeds(r, other)).toBe(arrays[k]!.some((x, i) => x > arrays[j]![i]!))
        }
      }),
    )
  })
  test('a copy shares its chunks until one of the two is written to, and takes no room by itself', () => {
    const a = row(0)
    put(a, 300, 7)
    const b = copyOf(a)
    expect(b.chunks[2]).toBe(a.chunks[2])
    put(b, 301, 1)
    expect(b.chunks[2]).not.toBe(a.chunks[2])
    expect([valueAt(a, 301), valueAt(b, 300)]).toEqual([0, 7])
    expect([a.chunks[0], a.chunks[1]]).toEqual([undefined, undefined])
  })
  test('who hears a message that is nowhere below what it has keeps its chunks, until it writes', () => {
    const message = row(0)
    for (const i of [0, 130, 131, 260]) put(message, i, 5)
    const [one, other] = [row(0), row(0)]
    put(one, 130, 3)
    put(one, 261, 1)
    put(other, 130, 5)
    put(other, 131, 5)
    for (const r of [one, other]) raise(r, copyOf(message))
    expect([one.chunks[0], one.chunks[1]]).toEqual([message.chunks[0], message.chunks[1]])
    for (const c of [0, 1]) expect(one.chunks[c]).toBe(other.chunks[c])
    // what is its own is above the message there
    expect(one.chunks[2]).not.toBe(message.chunks[2])
    expect([260, 261].map((i) => [valueAt(one, i), valueAt(message, i)])).toEqual([
      [5, 5],
      [1, 0],
    ])
    put(one, 130, 9)
    put(message, 131, 8)
    expect([130, 131].map((i) => [one, other, message].map((r) => valueAt(r, i)))).toEqual([
      [9, 5, 5],
      [5, 5, 8],
    ])
  })
  test('a row that gives a chunk away in a join copies it before it writes', () => {
    const [from, into] = [row(0), row(0)]
    put(from, 7, 5)
    put(into, 7, 3)
    raise(into, from)
    put(from, 7, 9)
    put(into, 8, 1)
    expect([7, 8].map((i) => [valueAt(from, i), valueAt(into, i)])).toEqual([
      [9, 5],
      [0, 1],
    ])
  })
})
