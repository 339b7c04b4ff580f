/** The lanes of a warp among themselves, each against the pseudo-code of PTX on 32 separate values. */
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import * as Lanes from '../../../src/semantics/warps/lanes.js'
import { rows, setAll, setLane, setPredicate, wordAt, type Rows } from '../../../src/semantics/warps/rows.js'
import { prop } from '../../prop.js'
import { nightly } from '../../extent.js'

const lanes = Array.from({ length: 32 }, (_, l) => l)
const mask = fc.integer().filter((m) => m !== 0)
const word = fc.oneof(fc.integer(), fc.constantFrom(0, 1, -1, 7))
const warp = fc.array(word, { minLength: 32, maxLength: 32 })
const has = (m: number, lane: number): boolean => ((m >>> lane) & 1) === 1
const among = (m: number): ReadonlyArray<number> => lanes.filter((l) => has(m, l))

const filled = (...columns: ReadonlyArray<ReadonlyArray<number>>): Rows => {
  const r = rows(8, 2, null, null, null, null, null, null)
  columns.forEach((column, row) => {
    column.forEach((x, lane) => {
      setLane(r, row, lane, x)
    })
  })
  return r
}
const knows = (r: Rows, row: number, lane: number): boolean => !has(r.unknown[row]!, lane)

type Mode = 'up' | 'down' | 'bfly' | 'idx'
const modes: ReadonlyArray<Mode> = ['up', 'down', 'bfly', 'idx']

/** PTX ISA, shfl: the lane that is read, and the predicate. */
const defined = (mode: Mode, lane: number, b: number, c: number): readonly [number, boolean] => {
  const bval = b & 0x1f
  const cval = c & 0x1f
  const segment = (c & 0x1f00) / 0x100
  const maxLane = (lane & segment) + (cval & (31 - segment))
  const [j, p] = ((): readonly [number, boolean] => {
    switch (mode) {
      case 'up':
        return [lane - bval, lane - bval >= maxLane]
      case 'down':
        return [lane + bval, lane + bval <= maxLane]
      case 'bfly':
        return [lane ^ bval, (lane ^ bval) <= maxLane]
      case 'idx': {
        const to = (lane & segment) + (bval & (31 - segment))
        return [to, to <= maxLane]
      }
    }
  })()
  return [p ? j : lane, p]
}

describe('shuffles', () => {
  // all b, all clamps, and segments of every size and one that is none
  test.each(modes)('%s: every lane, b, clamp and segment', (mode) => {
    let wrong = 0
    for (const segment of [0, 16, 24, 28, 30, 31, 5])
      for (let clamp = 0; clamp < 32; clamp++)
        for (let b = 0; b < 32; b++)
          for (let lane = 0; lane < 32; lane++) {
            const c = (segment << 8) | clamp
            const { lane: from, inRange } = Lanes.sourceLane(mode, lane, b, c)
            const [j, p] = defined(mode, lane, b, c)
            if (from !== j || inRange !== p) wrong++
          }
    expect(wrong).toBe(0)
  })
  prop([fc.constantFrom(...modes), fc.nat(31), fc.integer(), fc.integer()], { numRuns: nightly ? 300 : 60 })(
    'other bits of b and c do not matter',
    (mode, lane, b, c) => {
      const { lane: from, inRange } = Lanes.sourceLane(mode, lane, b, c)
      expect([from, inRange]).toEqual(defined(mode, lane, b, c))
      return true
    },
  )
  const whole = fc.oneof(mask, fc.constant(-1))
  // all lanes may ask alike, and say so with a uniform row
  const asked = fc.oneof(
    warp,
    word.map((x) => Array.from(lanes, () => x)),
  )
  prop([fc.constantFrom(...modes), warp, asked, asked, whole, mask, fc.boolean()], {
    numRuns: nightly ? 150 : 30,
  })('of a mask: words, range, and what is not known', (mode, d, b, c, active, known, inPlace) => {
    const r = filled(d, b, c)
    for (const [row, xs] of [
      [1, b],
      [2, c],
    ] as const)
      if (xs.every((x) => x === xs[0])) setAll(r, row, xs[0]!)
    r.unknown[0] = ~known
    const to = inPlace ? 0 : 3
    Lanes.shuffle(
      r,
      { _tag: 'shuffle', mode, to, inRange: 0, value: 0, lane: 1, clamp: 2, members: null },
      active,
    )
    for (const lane of lanes) {
      if (!has(active, lane)) {
        if (inPlace) expect(wordAt(r, 0, lane)).toBe(d[lane])
        continue
      }
      const [j, p] = defined(mode, lane, b[lane]!, c[lane]!)
      expect(has(r.predicates[0]!, lane)).toBe(p)
      const there = has(active, j) && has(known, j)
      expect(knows(r, to, lane)).toBe(there)
      if (there) expect(wordAt(r, to, lane)).toBe(d[j])
    }
    return true
  })
  test.each(modes)('%s: all lanes ask alike, every b', (mode) => {
    for (const c of [31, 0x1800 | 7])
      for (let b = 0; b < 32; b++) {
        const r = filled(lanes)
        setAll(r, 1, b)
        setAll(r, 2, c)
        Lanes.shuffle(
          r,
          { _tag: 'shuffle', mode, to: 3, inRange: 0, value: 0, lane: 1, clamp: 2, members: null },
          -1,
        )
        expect(lanes.map((l) => [wordAt(r, 3, l), has(r.predicates[0]!, l)])).toEqual(
          lanes.map((l) => [...defined(mode, l, b, c)]),
        )
      }
  })
  prop([warp, fc.nat(31)], { numRuns: 50 })('law 1: a butterfly twice is the identity', (d, b) => {
    const r = filled(d)
    setAll(r, 1, b)
    setAll(r, 2, 31)
    for (let i = 0; i < 2; i++)
      Lanes.shuffle(
        r,
        { _tag: 'shuffle', mode: 'bfly', to: 0, inRange: null, value: 0, lane: 1, clamp: 2, members: null },
        -1,
      )
    expect(lanes.map((l) => wordAt(r, 0, l))).toEqual(d)
    return true
  })
})

describe('votes', () => {
  prop([fc.integer(), mask, fc.boolean(), fc.constantFrom('all', 'any', 'uni', 'ballot')], {
    numRuns: nightly ? 300 : 60,
  })('law 3 and each against its quantifier', (holds, active, negated, mode) => {
    const r = rows(2, 3, null, null, null, null, null, null)
    setPredicate(r, 0, -1, holds, 0)
    setPredicate(r, 1, -1, 0, 0)
    const says = among(active).map((l) => has(holds, l) !== negated)
    const m = mode as 'all' | 'any' | 'uni' | 'ballot'
    Lanes.vote(
      r,
      { _tag: 'vote', mode: m, to: 0, toPredicate: 1, by: { predicate: 0, negated }, members: null },
      active,
    )
    if (mode === 'ballot')
      for (const l of among(active))
        expect(wordAt(r, 0, l)).toBe(
          lanes.reduce((w, k) => (has(active, k) && has(holds, k) !== negated ? w | (1 << k) : w), 0),
        )
    else {
      const outcome =
        mode === 'all'
          ? says.every((x) => x)
          : mode === 'any'
            ? says.some((x) => x)
            : new Set(says).size === 1
      expect(r.predicates[1]).toBe(outcome ? active : 0)
    }
    expect(r.unknownPredicates[1]).toBe(0)
    return true
  })
})

const few = fc.array(fc.constantFrom(0, 1, -1), { minLength: 32, maxLength: 32 })
describe('match, redux, elect', () => {
  prop([few, few, mask, fc.boolean()], { numRuns: nightly ? 200 : 40 })(
    'match: law 2, of one word or two',
    (a, b, active, wide) => {
      const r = filled(a, b)
      setPredicate(r, 0, -1, 0, 0)
      const alike = (k: number, l: number): boolean => a[k] === a[l] && (!wide || b[k] === b[l])
      const value = wide ? [0, 1] : [0]
      Lanes.match(r, { _tag: 'match', mode: 'any', to: 2, all: null, value, members: 3 }, active)
      Lanes.match(r, { _tag: 'match', mode: 'all', to: 4, all: 0, value, members: 3 }, active)
      const one = among(active).every((l) => among(active).every((k) => alike(k, l)))
      for (const l of among(active)) {
        expect(among(wordAt(r, 2, l))).toEqual(among(active).filter((k) => alike(k, l)))
        expect(wordAt(r, 4, l)).toBe(one ? active : 0)
      }
      expect(r.predicates[0]).toBe(one ? active : 0)
      return true
    },
  )
  prop([warp, mask, fc.constantFrom('add', 'min', 'max', 'and', 'or', 'xor'), fc.boolean(), mask], {
    numRuns: nightly ? 300 : 60,
  })('redux against integers of unbounded size', (d, active, op, signed, known) => {
    const r = filled(d)
    r.unknown[0] = ~known
    const o = op as 'add'
    Lanes.reduce(r, { _tag: 'reduce', op: o, signed, to: 1, value: 0, members: 2 }, active)
    const xs = among(active).map((l) => (signed ? BigInt(d[l]!) : BigInt.asUintN(32, BigInt(d[l]!))))
    const two: Readonly<Record<string, (x: bigint, y: bigint) => bigint>> = {
      add: (x, y) => x + y,
      min: (x, y) => (x < y ? x : y),
      max: (x, y) => (x > y ? x : y),
      and: (x, y) => x & y,
      or: (x, y) => x | y,
      xor: (x, y) => x ^ y,
    }
    const all = Number(BigInt.asIntN(32, xs.reduce(two[op]!)))
    const there = (active & ~known) === 0
    for (const l of among(active)) {
      expect(wordAt(r, 1, l)).toBe(all)
      expect(knows(r, 1, l)).toBe(there)
    }
    return true
  })
  prop(
    [
      fc.array(fc.oneof(fc.float({ noDefaultInfinity: false, noNaN: true }), fc.constantFrom(0, -0, NaN)), {
        minLength: 32,
        maxLength: 32,
      }),
      mask,
      fc.constantFrom('min', 'max'),
      fc.boolean(),
      fc.boolean(),
    ],
    { numRuns: nightly ? 300 : 60 },
  )(
    'redux of f32 against JavaScript, whose zeros are ordered as the chip orders them',
    (xs, active, op, magnitudes, propagates) => {
      const words = new Int32Array(Float32Array.from(xs).buffer)
      const r = filled([...words])
      const float = { magnitudes, propagates }
      Lanes.reduce(
        r,
        { _tag: 'reduce', op: op as 'min', signed: false, to: 1, value: 0, members: 2, float },
        active,
      )
      const taken = among(active).map((l) =>
        magnitudes ? Math.abs(Math.fround(xs[l]!)) : Math.fround(xs[l]!),
      )
      const numbers = taken.filter((x) => !Number.isNaN(x))
      const isNaN_ = propagates ? numbers.length < taken.length : numbers.length === 0
      const wanted = isNaN_
        ? 0x7fffffff
        : new Int32Array(Float32Array.of(Math[op as 'min'](...numbers)).buffer)[0]!
      for (const l of among(active)) expect(wordAt(r, 1, l)).toBe(wanted)
      return true
    },
  )
  prop([mask], { numRuns: nightly ? 100 : 20 })(
    'elect: one lane of the mask, which all are told',
    (active) => {
      const r = rows(2, 1, null, null, null, null, null, null)
      for (const [election, lane] of [
        ['highest', among(active).at(-1)],
        ['lowest', among(active)[0]],
      ] as const) {
        Lanes.elect(r, { _tag: 'elect', to: 0, elected: 0, members: 1 }, active, election)
        expect(among(r.predicates[0]!)).toEqual([lane])
        for (const l of among(active)) expect(wordAt(r, 0, l)).toBe(lane)
      }
      Lanes.activeLanes(r, { _tag: 'activeLanes', to: 1 }, active)
      for (const l of among(active)) expect(wordAt(r, 1, l)).toBe(active)
      return true
    },
  )
})
