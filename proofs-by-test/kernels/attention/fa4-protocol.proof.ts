/**
 * The protocol of FA4 by itself: how many states it has, and that every schedule of it is clean.
 *
 * Three independent countings meet. The published numbers come from a model of the protocol in which copies land at once and a read of a tile is one
 * step. `interleavings` counts that model, and the same protocol in steps of the machine. `explore` searches the machine itself, on a
 * program that is generated from the numbers of tiles and slots. At the published grain the counter gives the published numbers, all of them;
 * at the machine's grain it gives what `explore` finds but for the set-up, which is a chain of 2 S + 17 states: an allocation, 2 S + 13 barriers,
 * the fork, and what is left at the end. So the difference between the numbers is the grain, and nothing else.
 */
import { describe, expect, test } from 'vitest'
import { defaultExplore, explore } from '../../../src/semantics/schedules/explore/index.js'
import { noArguments } from '../../../src/semantics/execution/launch.js'
import { interleavings, machine, published } from './fa4-interleavings.js'
import { protocol, type Protocol } from './fa4-protocol.js'
import { idsOf, judged } from './fa4-runs.js'
import { nightly } from '../../extent.js'
import { right } from '../../either.js'

/** tiles, slots, reachable states of the published model */
const table: ReadonlyArray<readonly [tiles: number, slots: number, states: number]> = [
  [1, 2, 663],
  [1, 3, 663],
  [1, 4, 663],
  [1, 5, 663],
  [2, 2, 6168],
  [2, 3, 10239],
  [2, 4, 12145],
  [2, 5, 12145],
  ...(nightly
    ? ([
        [3, 2, 14316],
        [4, 2, 22464],
        [3, 3, 32375],
        [4, 3, 54511],
        [3, 4, 51175],
        [3, 5, 67753],
      ] as const)
    : []),
]

const plain = (tiles: number, slots: number): Protocol => ({
  tiles,
  slots,
  factorAcquire: true,
  outputWait: true,
  touches: false,
  apart: true,
})

test.each(table)('%i tiles, %i slots: %i states, one end', (tiles, slots, states) => {
  expect(interleavings(tiles, slots, published)).toEqual({ states, last: 1 })
})

/** an allocation, 2 S + 13 barriers, the fork, and what is left at the end */
const setUp = (slots: number): number => 2 * slots + 17

describe.each(
  (
    [
      [1, 2],
      [1, 3],
      ...(nightly
        ? ([
            [2, 2],
            [2, 3],
            [3, 2],
            [3, 3],
            [4, 2],
          ] as const)
        : []),
    ] as const
  ).flatMap(([tiles, slots]) => [true, false].map((apart) => [tiles, slots, apart] as const)),
)('%i tiles, %i slots, commits by themselves %o', (tiles, slots, apart) => {
  test('the search without a reduction finds the states that are counted, and a reduced one their end', () => {
    const program = protocol({ ...plain(tiles, slots), apart })
    const counted = interleavings(tiles, slots, { ...machine, commits: apart ? 'apart' : 'named' })
    const how = { arguments: noArguments, ...defaultExplore, stop: false }
    const all = right(explore(program, { ...how, reduced: false }))
    expect([all.complete, all.found, all.ends.length]).toEqual([true, [], 1])
    expect([all.states, counted.last]).toEqual([counted.states + setUp(slots), 1])
    const fewer = right(explore(program, how))
    expect([fewer.complete, fewer.found, fewer.ends]).toEqual([true, [], all.ends])
    expect(fewer.states).toBeLessThan(all.states / 2)
  })
})

describe('every schedule is clean: tensor memory is touched, too; with and without the redundant waits', () => {
  for (let tiles = 1; tiles <= (nightly ? 4 : 2); tiles++)
    for (const slots of nightly ? [2, 3, 4, 5] : [tiles === 2 ? 3 : 2])
      test(`${String(tiles)} tiles, ${String(slots)} slots`, () => {
        for (const factorAcquire of [true, false])
          for (const outputWait of [true, false]) {
            const program = protocol({ ...plain(tiles, slots), touches: true, factorAcquire, outputWait })
            const found = right(explore(program, { arguments: noArguments, ...defaultExplore, stop: false }))
            expect([found.complete, found.found, found.ends.length]).toEqual([true, [], 1])
            // and one schedule would have decided it
            const one = judged(program)
            expect([one.verdict.verdict, one.verdict.decidedBy, idsOf(one)]).toEqual([
              'ok',
              'one-schedule',
              [],
            ])
          }
      })
})
