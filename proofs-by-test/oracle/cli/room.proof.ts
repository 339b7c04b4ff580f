/**
 * Memory that runs out. Oracle: a heap of numbers, of which some are garbage.
 *
 * | what                                       | oracle                                                     |
 * |--------------------------------------------|------------------------------------------------------------|
 * | the end comes where too much is kept       | the heap knows what of it is garbage                       |
 * | garbage alone ends nothing                 | the same                                                   |
 * | between two collections much is used       | the heap counts its collections                            |
 * | a run asks, whatever it computes           | ticks that are spent                                       |
 */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { roomOf } from '../../../src/oracle/cli/room.js'
import { effort, spend } from '../../../src/semantics/machine/effort.js'
import { betweenLooks, lookingForRoom } from '../../../src/semantics/machine/looks.js'

const limit = 1000

/** A heap that grows by these amounts, of each of which a share is garbage; at which step it ended, and how often it was collected. */
const grown = (steps: ReadonlyArray<readonly [kept: number, garbage: number]>) => {
  let [kept, garbage, collections] = [0, 0, 0]
  const room = roomOf({
    limit: () => limit,
    used: () => kept + garbage,
    held: () => 0,
    machine: Infinity,
    collect: () => {
      garbage = 0
      collections++
    },
  })
  for (const [more, waste] of steps) {
    kept += more
    garbage += waste
    if (room() !== null) return { kept, collections, ended: true }
  }
  return { kept, collections, ended: false }
}

const amount = fc.integer({ min: 0, max: 20 })

describe('room', () => {
  test('the end comes where an eighth is free or less, and not before', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(amount, amount), { maxLength: 200 }), (steps) => {
        const { kept, ended } = grown(steps)
        expect(ended).toBe(ended ? kept > (7 / 8) * limit : false)
        if (!ended) expect(kept).toBeLessThan(limit)
      }),
    )
  })

  test('garbage ends nothing, and is collected now and then', () => {
    const { ended, collections } = grown(Array.from({ length: 5000 }, () => [0, 10] as const))
    expect(ended).toBe(false)
    expect(collections).toBe(Math.floor((5000 * 10) / 750))
  })

  test('who keeps almost all is not collected at every look', () => {
    const { ended, collections } = grown([
      [700, 0],
      ...Array.from({ length: 5000 }, () => [0.01, 1] as const),
    ])
    expect(ended).toBe(false)
    expect(collections).toBeLessThan(150)
  })

  test('a process that holds what its machine has ends', () => {
    const room = roomOf({
      limit: () => limit,
      used: () => 0,
      held: () => 96,
      machine: 100,
      collect: () => undefined,
    })
    expect(room()).toMatch(/^out of memory/u)
  })

  test('a run asks, every so many ticks', () => {
    let looks = 0
    lookingForRoom(() => {
      looks++
    })
    const e = effort()
    for (let n = 0; n < 10; n++) spend(e, betweenLooks / 2 + 1)
    lookingForRoom(() => undefined)
    expect(looks).toBeGreaterThanOrEqual(4)
    expect(looks).toBeLessThanOrEqual(5)
  })
})
