/** Paces. Oracle: for each of the 32 lanes a vector of its own, with the maximum and the minimum clock by clock. */
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { clocks, width, type ClockName } from '../../../../src/semantics/judging/detector/clocks.js'
import * as Pace from '../../../../src/semantics/judging/detector/pace.js'
import type { Lag, Paced } from '../../../../src/semantics/judging/detector/pace.js'

// ---------------------------------------------------------------- drawn

const small = fc.integer({ min: 0, max: 3 })

/** Clocks of lanes as they are drawn; those of a whole warp stand still. */
const pace: fc.Arbitrary<Pace.Pace> = fc
  .array(small, { minLength: Pace.laneSlots.length, maxLength: Pace.laneSlots.length })
  .map((at) => {
    const out = new Array<number>(Pace.paceLength).fill(0)
    Pace.laneSlots.forEach((slot, i) => {
      out[slot] = at[i]!
    })
    return out
  })

const isBehind = (x: Pace.Pace, y: Pace.Pace): boolean => Pace.laneSlots.some((s) => x[s]! < y[s]!)
const least = (x: Pace.Pace, y: Pace.Pace): Pace.Pace => x.map((at, i) => Math.min(at, y[i]!))

/** Every lane is given to one of three lags, or to none. */
const paced: fc.Arbitrary<Paced> = fc
  .tuple(
    pace,
    fc.array(pace, { minLength: 3, maxLength: 3 }),
    fc.array(fc.integer({ min: 0, max: 5 }), { minLength: 32, maxLength: 32 }),
  )
  .map(([all, behind, whose]) => ({
    pace: all,
    lags: behind.flatMap((b, i): ReadonlyArray<Lag> => {
      const lanes = whose.reduce((mask, lag, lane) => (lag === i ? mask | (1 << lane) : mask), 0)
      const own = least(b, all)
      return lanes === 0 || !isBehind(own, all) ? [] : [{ lanes, pace: own }]
    }),
  }))
const mask = fc.oneof(
  fc.integer(),
  fc.constantFrom(-1, 0, 1),
  fc.integer({ min: 0, max: 31 }).map((l) => 1 << l),
)

// ---------------------------------------------------------------- lane by lane

const lanes = Array.from({ length: 32 }, (_, lane) => lane)
const isIn = (all: number, lane: number): boolean => ((all >>> lane) & 1) === 1
/** The clocks of lanes, of one lane. */
const clocksOf = (p: Paced, lane: number): ReadonlyArray<number> => {
  const own = p.lags.find((l) => isIn(l.lanes, lane))?.pace ?? p.pace
  return Pace.laneSlots.map((s) => own[s]!)
}
const byLane = (p: Paced): ReadonlyArray<ReadonlyArray<number>> => lanes.map((lane) => clocksOf(p, lane))
const pointwise = (
  x: Paced,
  y: Paced,
  f: (a: number, b: number) => number,
): ReadonlyArray<ReadonlyArray<number>> =>
  lanes.map((lane) => {
    const other = clocksOf(y, lane)
    return clocksOf(x, lane).map((at, i) => f(at, other[i]!))
  })
const overlaps = (lags: ReadonlyArray<Lag>): boolean =>
  lanes.some((lane) => lags.filter((l) => isIn(l.lanes, lane)).length > 1)
const saysNothing = ({ pace: all, lags }: Paced): boolean => lags.some((l) => !isBehind(l.pace, all))

const law = (name: string, holds: (x: Paced, y: Paced, m: number) => void): void => {
  test(name, () => {
    fc.assert(fc.property(paced, paced, mask, holds), { numRuns: 60 })
  })
}

describe('join and meet', () => {
  law('law 1: the join is the maximum, lane by lane', (x, y) => {
    expect(byLane(Pace.join(x, y))).toEqual(pointwise(x, y, Math.max))
  })
  law('the meet is the minimum', (x, y) => {
    expect(byLane(Pace.meet(x, y))).toEqual(pointwise(x, y, Math.min))
  })
  law('law 2: no lane lags twice', (x, y) => {
    for (const { lags } of [Pace.join(x, y), Pace.meet(x, y)]) expect(overlaps(lags)).toBe(false)
  })
  law('law 3: a lag is behind', (x, y) => {
    for (const p of [Pace.join(x, y), Pace.meet(x, y)]) expect(saysNothing(p)).toBe(false)
  })
  law('what is joined twice is joined once', (x, y) => {
    expect(byLane(Pace.join(Pace.join(x, y), y))).toEqual(byLane(Pace.join(x, y)))
    expect(Pace.join(x, x)).toEqual(x)
  })
  test('without lags nothing is made', () => {
    expect(Pace.join(Pace.standing, Pace.standing)).toBe(Pace.standing)
  })
})

describe('what is known of lanes', () => {
  law('one lane', (x) => {
    for (const lane of lanes)
      expect(Pace.laneSlots.map((s) => Pace.paceOf(x, lane)[s]!)).toEqual(clocksOf(x, lane))
  })
  law('all of several', (x, _, m) => {
    Pace.laneSlots.forEach((slot, i) => {
      for (const at of [0, 1, 2, 3, 4])
        expect(Pace.reaches(x, m, slot, at)).toBe(
          lanes.every((lane) => !isIn(m, lane) || clocksOf(x, lane)[i]! >= at),
        )
    })
  })
  law('of those that lag', (x, _, m) => {
    const lagging = x.lags.reduce((all, l) => all | l.lanes, 0)
    Pace.laneSlots.forEach((slot, i) => {
      for (const at of [0, 1, 2, 3, 4])
        expect(Pace.lagsReach(x.lags, m, slot, at)).toBe(
          lanes.every((lane) => !isIn(m & lagging, lane) || clocksOf(x, lane)[i]! >= at),
        )
    })
  })
})

describe('lags', () => {
  const lanesOf = (lags: ReadonlyArray<Lag>): number => lags.reduce((all, l) => all | l.lanes, 0)
  law('without some lanes, and of these alone', (x, _, m) => {
    const [without, only] = [Pace.lagsWithout(x.lags, m), Pace.lagsOnly(x.lags, m)]
    expect([lanesOf(without), lanesOf(only)]).toEqual([lanesOf(x.lags) & ~m, lanesOf(x.lags) & m])
    for (const lane of lanes) {
      const kept = isIn(m, lane) ? only : without
      const own = x.lags.find((l) => isIn(l.lanes, lane))
      expect(kept.find((l) => isIn(l.lanes, lane))?.pace).toEqual(own?.pace)
    }
  })
  law('raised in some clocks', (x) => {
    const slots = Pace.laneSlots.filter((_, i) => i % 3 === 0)
    for (const [i, l] of Pace.raised(x.lags, slots, 2).entries())
      expect(l).toEqual({
        lanes: x.lags[i]!.lanes,
        pace: x.lags[i]!.pace.map((at, s) => (slots.includes(s) ? Math.max(at, 2) : at)),
      })
  })
  law('one clock raised, of some lanes', (x, _, m) => {
    Pace.laneSlots.forEach((slot, i) => {
      for (const at of [0, 2, 4]) {
        const raised = Pace.raisedOf(x, m, slot, at)
        expect(overlaps(raised.lags)).toBe(false)
        expect(byLane(raised)).toEqual(
          byLane(x).map((own, lane) =>
            own.map((before, s) => (s === i && isIn(m, lane) ? Math.max(before, at) : before)),
          ),
        )
      }
    })
  })
  law('of order alone: the other windows stand at nothing', (x) => {
    const cut = Pace.orderAlone(x)
    for (const lane of lanes)
      expect(Pace.paceOf(cut, lane)).toEqual(Pace.paceOf(x, lane).map((at, slot) => (slot < width ? at : 0)))
  })
  test.each<readonly ['shared' | 'global', ReadonlyArray<readonly [into: ClockName, from: ClockName]>]>([
    [
      'shared',
      [
        ['program', 'program'],
        ['cpAsync', 'cpAsync'],
      ],
    ],
    ['global', [['fencedGlobal', 'program']]],
  ])('a fence of %s memory hands on what is seen', (space, moves) => {
    fc.assert(
      fc.property(paced, ({ lags }) => {
        const by = (lag: Lag): Pace.Pace => {
          const out = lag.pace.slice()
          for (const [into, from] of moves) {
            const slot = Pace.slotNamed('async', into)
            out[slot] = Math.max(out[slot]!, lag.pace[Pace.slotNamed('visible', from)]!)
          }
          return out
        }
        expect(Pace.fenced(lags, space)).toEqual(lags.map((l) => ({ lanes: l.lanes, pace: by(l) })))
      }),
    )
  })
})

test('a slot is a window and a clock', () => {
  const names = Object.keys(clocks) as ReadonlyArray<ClockName>
  const windows = ['order', 'visible', 'async'] as const
  for (const [i, window] of windows.entries())
    for (const name of names) expect(Pace.slotNamed(window, name)).toBe(i * width + clocks[name])
})
