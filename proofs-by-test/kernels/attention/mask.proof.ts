/** Masks: against tables written by hand, and against their definition, query by query. */
import { describe, expect, test } from 'vitest'
import {
  alignments,
  bandOf,
  blocksOf,
  causal,
  keysOf,
  noMask,
  sees,
  showMask,
  slidingWindow,
  type Lengths,
  type Mask,
} from '../../../src/kernels/attention/index.js'

const picture = (mask: Mask, lengths: Lengths): ReadonlyArray<string> => {
  const band = bandOf(mask, lengths)
  return Array.from({ length: lengths.q }, (_, q) =>
    Array.from({ length: lengths.kv }, (_x, k) => (sees(band, q, k) ? 'x' : '.')).join(''),
  )
}

describe('law 1: pictures', () => {
  const three: Lengths = { q: 3, kv: 5 }
  test.each<readonly [Mask, ReadonlyArray<string>]>([
    [noMask, ['xxxxx', 'xxxxx', 'xxxxx']],
    [causal(), ['x....', 'xx...', 'xxx..']],
    [causal('bottom-right'), ['xxx..', 'xxxx.', 'xxxxx']],
    [slidingWindow(1), ['.xx..', '..xx.', '...xx']],
    [slidingWindow(0, 1, 'top-left'), ['xx...', '.xx..', '..xx.']],
    [slidingWindow(null, 1, 'top-left'), ['xx...', 'xxx..', 'xxxx.']],
    [slidingWindow(1, null, 'top-left'), ['xxxxx', 'xxxxx', '.xxxx']],
  ])('%j', (mask, expected) => {
    expect(picture(mask, three)).toEqual(expected)
  })
  test('more queries than keys, bottom-right: the first rows see nothing', () => {
    expect(picture(causal('bottom-right'), { q: 4, kv: 2 })).toEqual(['..', '..', 'x.', 'xx'])
  })
  test('in words', () => {
    expect([noMask, causal('bottom-right'), slidingWindow(3, null)].map(showMask)).toEqual([
      'no mask',
      'causal bottom-right',
      'window 3 left, all right, bottom-right',
    ])
  })
})

/** Every mask of small ends. */
const masks: ReadonlyArray<Mask> = [
  noMask,
  ...alignments.flatMap((alignment): ReadonlyArray<Mask> => [
    causal(alignment),
    ...[null, 0, 1, 3, 6].flatMap((left) =>
      [null, 0, 2, 5].map((right) => slidingWindow(left, right, alignment)),
    ),
  ]),
]
const lengths: ReadonlyArray<Lengths> = [1, 2, 5, 8].flatMap((q) => [1, 3, 8, 13].map((kv) => ({ q, kv })))
const upTo = (n: number): ReadonlyArray<number> => Array.from({ length: n }, (_, i) => i)

test('law 2: the keys of a query are those that it sees', () => {
  for (const mask of masks)
    for (const l of lengths)
      for (const q of upTo(l.q)) {
        const band = bandOf(mask, l)
        const [from, to] = keysOf(band, l, q)
        expect([mask, l, q, upTo(l.kv).filter((k) => k >= from && k < to)]).toEqual([
          mask,
          l,
          q,
          upTo(l.kv).filter((k) => sees(band, q, k)),
        ])
      }
})

test('law 3: blocks hold every key that is seen, and whole ones are seen by all', () => {
  for (const mask of masks)
    for (const l of lengths)
      for (const size of [1, 2, 3, 4])
        for (const count of [1, 2, 4])
          for (const first of upTo(l.q).filter((r) => r + count <= l.q)) {
            const band = bandOf(mask, l)
            const { from, to, whole } = blocksOf(band, l, { first, count }, size)
            const rows = upTo(count).map((r) => first + r)
            const of = (b: number): ReadonlyArray<number> => upTo(size).map((i) => b * size + i)
            const inside = upTo(Math.ceil(l.kv / size))
            const some = inside.filter((b) =>
              rows.some((q) => of(b).some((k) => k < l.kv && sees(band, q, k))),
            )
            const all = inside.filter((b) =>
              rows.every((q) => of(b).every((k) => k < l.kv && sees(band, q, k))),
            )
            const found = {
              // nothing more than asked for, where somebody sees something
              blocks: some.length === 0 ? null : [from, to],
              whole: inside.filter((b) => b >= whole[0] && b < whole[1]),
            }
            const expected = {
              blocks: some.length === 0 ? null : [some[0]!, some[some.length - 1]! + 1],
              whole: all,
            }
            // said so: a comparison with its context for every one of so many would take longer than all of them
            if (JSON.stringify(found) !== JSON.stringify(expected))
              expect([mask, l, size, count, first, found]).toEqual([mask, l, size, count, first, expected])
          }
})
