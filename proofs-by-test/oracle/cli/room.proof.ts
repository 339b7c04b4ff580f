/**
 * Memory that runs out. Oracle: a heap of numbers, of which some are garbage.
 *
 * | what                                       | oracle                                                     |
 * |--------------------------------------------|------------------------------------------------------------|
 * | the end comes where too much is kept       | the heap knows what of it is garbage                       |
 * | garbage alone ends nothing                 | the same                                                   |
 * | between two collections much is used       | the heap counts its collections                            |
 * | a run asks, whatever it computes           | ticks that are spent, and events that spend none           |
 */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { least, roomOf } from '../../../src/oracle/cli/room.js'
import { effort, spend } from '../../../src/semantics/machine/effort.js'
import {
  betweenLooks,
  eventsBetweenLooks,
  lookAfterEvent,
  lookingForRoom,
} from '../../../src/semantics/machine/looks.js'

const unit = 2 ** 20
const limit = 1000

/** A heap that grows by these amounts, of each of which a share is garbage; at which step it ended, and how often it was collected. */
const grown = (steps: ReadonlyArray<readonly [kept: number, garbage: number]>, most = limit) => {
  let [kept, garbage, collections] = [0, 0, 0]
  const room = roomOf({
    limit: () => most * unit,
    used: () => (kept + garbage) * unit,
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

  test('in a small heap so much is free at the end that a table can double', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 17, max: 127 }),
        fc.array(fc.tuple(amount, amount), { maxLength: 200 }),
        (most, steps) => {
          const { kept, ended } = grown(steps, most)
          if (ended) expect(kept).toBeGreaterThan(most - least / unit)
          else expect(kept).toBeLessThan(most)
        },
      ),
    )
    expect(grown([[20, 0]], 35)).toMatchObject({ ended: true })
    expect(grown([[18, 0]], 35)).toMatchObject({ ended: false })
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

  test('events that spend nothing ask as well', () => {
    let looks = 0
    lookingForRoom(() => {
      looks++
    })
    for (let n = 0; n < 10 * (eventsBetweenLooks + 1); n++) lookAfterEvent()
    lookingForRoom(() => undefined)
    expect(looks).toBe(10)
  })
})
