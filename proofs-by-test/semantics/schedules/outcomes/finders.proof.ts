/** Finders: the ways in which lanes and words of one instruction are asked what they find. */
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { byLanes, type Older } from '../../../../src/semantics/execution/step.js'
import {
  findersOf,
  given,
  mostReadings,
  readings,
  type Finder,
  type Given,
} from '../../../../src/semantics/schedules/outcomes/finders.js'
import { prop } from '../../../prop.js'

const older = (byte: number, back: number): Older => ({ plane: 0, byte, back, held: `0${String(back)}` })
const waysOf = (byte: number, most: number): ReadonlyArray<Older> =>
  Array.from({ length: most }, (_, k) => older(byte, k + 1))

/** Words that so many lanes find, each of them so far back. */
const drawn = fc
  .record({
    words: fc.integer({ min: 1, max: 3 }),
    lanes: fc.integer({ min: 1, max: 9 }),
    most: fc.integer({ min: 1, max: 3 }),
  })
  .map(({ words, lanes, most }) => ({
    lanes,
    most,
    words,
    finders: Array.from({ length: words }, (_, w) =>
      findersOf((1 << lanes) - 1, [[(1 << lanes) - 1, most]], waysOf(4 * w, most)),
    ).flat(),
  }))

const isFew = ({
  finders,
  most,
}: {
  readonly finders: ReadonlyArray<Finder>
  readonly most: number
}): boolean => (most + 1) ** finders.length <= mostReadings
const few = drawn.filter(isFew)
const many = drawn.filter((d) => d.finders.length > 1 && !isFew(d))

/** How far back a lane goes in a word. */
const backIn = (words: ReadonlyArray<Older>, byte: number, lane: number): ReadonlyArray<number> =>
  words
    .filter((w) => w.byte === byte && (w.lanes === undefined || ((w.lanes >>> lane) & 1) === 1))
    .map(({ back }) => back)

/** All finders of a way, as a text. */
const vectorOf = (words: ReadonlyArray<Older>, of: number, lanes: number): ReadonlyArray<number> =>
  Array.from({ length: of * lanes }, (_, i) => backIn(words, 4 * Math.floor(i / lanes), i % lanes)[0] ?? 0)

describe('readings', () => {
  prop([few])('law 1: few finders have every way', ({ finders, lanes, most, words }) => {
    const count = (most + 1) ** finders.length
    const { ways, some } = readings(finders, false)
    expect(some).toBe(false)
    expect(new Set(ways.map((w) => vectorOf(w.words, words, lanes).join())).size).toBe(count - 1)
  })
  prop([many])(
    'law 2: of many each two find every two of the oldest and the last',
    ({ finders, lanes, most, words }) => {
      const { ways, some } = readings(finders, false)
      expect(some).toBe(true)
      const vectors = [[...finders.map(() => 0)], ...ways.map((w) => vectorOf(w.words, words, lanes))]
      for (let a = 0; a < finders.length; a++)
        for (let b = 0; b < a; b++)
          for (const pair of [
            [0, 0],
            [0, most],
            [most, 0],
            [most, most],
          ])
            expect(vectors.some((v) => v[a] === pair[0] && v[b] === pair[1])).toBe(true)
      // one alone, and all but one, of each word, and of each lane with all its words
      for (let a = 0; a < finders.length; a++)
        for (const [one, others] of [
          [most, 0],
          [0, most],
        ])
          expect(
            vectors.some((v) =>
              v.every((x, i) =>
                i === a ? x === one : Math.floor(i / lanes) !== Math.floor(a / lanes) || x === others,
              ),
            ),
          ).toBe(true)
      for (let lane = 0; lane < lanes && lanes > 1; lane++)
        for (const [one, others] of [
          [most, 0],
          [0, most],
        ])
          expect(vectors.some((v) => v.every((x, i) => x === (i % lanes === lane ? one : others)))).toBe(true)
      // what parts nothing
      for (const w of readings(finders, true).ways) {
        const v = vectorOf(w.words, words, lanes)
        for (let i = 0; i < v.length; i++) expect(v[i]).toBe(v[lanes * Math.floor(i / lanes)])
      }
    },
  )
  prop([drawn])(
    'law 3: no word twice for a lane, and no lanes where all find the same',
    ({ finders, lanes, words }) => {
      for (const { words: found } of readings(finders, false).ways) {
        for (let w = 0; w < words; w++)
          for (let lane = 0; lane < lanes; lane++) expect(backIn(found, 4 * w, lane).length).toBeLessThan(2)
        for (const one of found) expect(one.lanes).not.toBe((1 << lanes) - 1)
      }
    },
  )
  test('lanes that may not go as far back are asked together, each as far as it goes', () => {
    const ways = waysOf(0, 2)
    const all: ReadonlyArray<Finder> = findersOf(
      0b111,
      [
        [0b001, 0],
        [0b010, 1],
        [0b100, 2],
      ],
      ways,
    )
    expect(readings(all, false).ways.map(({ words }) => words)).toEqual([
      [byLanes(ways[0]!, 0b110)],
      [byLanes(ways[0]!, 0b010), byLanes(ways[1]!, 0b100)],
    ])
  })
})

describe('given', () => {
  /** What lanes that come one after the other may be given. */
  const sequences = (lanes: number, most: number, taken: Given = []): ReadonlyArray<string> =>
    taken.length === lanes
      ? [taken.map(([, way]) => way).join()]
      : given(lanes, taken, most, false).ways.flatMap((way) =>
          sequences(lanes, most, [...taken, [most, way]]),
        )
  for (const lanes of [2, 3, 5, 8])
    for (const most of [1, 2])
      test(`law 4: ${String(lanes)} lanes, ${String(most)} ways`, () => {
        const finders = findersOf((1 << lanes) - 1, [[(1 << lanes) - 1, most]], waysOf(0, most))
        const asked = readings(finders, false).ways.map((w) => vectorOf(w.words, 1, lanes).join())
        expect([...sequences(lanes, most)].sort()).toEqual([...asked, Array(lanes).fill(0).join()].sort())
      })
})
