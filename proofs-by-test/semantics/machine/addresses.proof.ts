/** Spans by hand: maximal intervals of bytes, and whether two lists of them share one. */
import { describe, expect, test } from 'vitest'
import { intervalsOf, share } from '../../../src/semantics/machine/addresses.js'
import { asSpans } from '../../../src/semantics/log/events.js'

describe('spans', () => {
  test.each<readonly [string, ReadonlyArray<number>, number, ReadonlyArray<number>]>([
    ['nothing', [], 4, []],
    ['one', [8], 4, [8, 12]],
    ['neighbours are one', [0, 4, 8], 4, [0, 12]],
    ['in any order', [100, 9, 96, 0], 4, [0, 4, 9, 13, 96, 104]],
    ['twice the same', [4, 4], 4, [4, 8]],
    ['that overlap', [0, 2, 3], 4, [0, 7]],
    ['a gap of one byte', [0, 5], 4, [0, 4, 5, 9]],
    ['what is nowhere', [-1, 0, -8], 2, [0, 2]],
  ])('%s', (_, addresses, bytes, expected) => {
    expect([...intervalsOf(Int32Array.from(addresses), bytes)]).toEqual(expected)
  })
  test.each<readonly [string, ReadonlyArray<number>, ReadonlyArray<number>, boolean]>([
    ['nothing and something', [], [0, 4], false],
    ['apart', [0, 4], [8, 12], false],
    ['one ends where the other begins', [0, 4], [4, 8], false],
    ['one byte in common', [0, 5], [4, 8], true],
    ['the same', [4, 8], [4, 8], true],
    ['one inside the other', [0, 100], [40, 41], true],
    ['interleaved', [0, 4, 8, 12, 16, 20], [4, 8, 12, 16, 20, 24], false],
    ['the last of each', [0, 4, 20, 24], [8, 12, 23, 28], true],
    ['behind several of the other', [0, 2, 4, 6, 8, 10, 30, 34], [33, 40], true],
    ['between two of the other', [0, 2, 40, 44], [4, 6, 8, 40], false],
    ['two that end together, then one that meets', [0, 4, 10, 12], [6, 8, 11, 12], true],
  ])('a byte in common: %s', (_, a, b, expected) => {
    expect(share(asSpans(Int32Array.from(a)), asSpans(Int32Array.from(b)))).toBe(expected)
    expect(share(asSpans(Int32Array.from(b)), asSpans(Int32Array.from(a)))).toBe(expected)
    for (const [p, q] of [
      [0, 1000],
      [1000, 0],
      [7, 3],
    ] as const) {
      const from = (list: ReadonlyArray<number>, by: number) => ({
        list: Int32Array.from(list, (x) => x - by),
        by,
      })
      expect(share(from(a, p), from(b, q))).toBe(expected)
    }
  })
})
