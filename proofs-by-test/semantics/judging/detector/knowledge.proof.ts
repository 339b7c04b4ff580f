/** Generation sets and knowledge vectors. Oracle: sets of numbers, and maps with pointwise maximum. */
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { GenerationSets, Knowledge } from '../../../../src/semantics/judging/detector/index.js'
import { put, valueAt } from '../../../../src/semantics/judging/detector/sparse.js'
import './rows.js'

const numbers = fc.uniqueArray(fc.integer({ min: 0, max: 24 }), { maxLength: 12 })
const setOf = (xs: ReadonlyArray<number>): GenerationSets.GenerationSet =>
  xs.reduce<GenerationSets.GenerationSet>(
    (s, x) => GenerationSets.union(s, GenerationSets.singleton(x)),
    GenerationSets.empty,
  )
const members = (s: GenerationSets.GenerationSet): ReadonlyArray<number> =>
  Array.from({ length: 26 }, (_, g) => g).filter((g) => GenerationSets.has(s, g))
const sorted = (xs: Iterable<number>): ReadonlyArray<number> => [...xs].sort((a, b) => a - b)

describe('generation sets', () => {
  it('laws 1 and 2: union is that of sets', () => {
    fc.assert(
      fc.property(numbers, numbers, numbers, (a, b, c) => {
        const u = GenerationSets.union
        const [x, y, z] = [setOf(a), setOf(b), setOf(c)]
        expect(members(u(x, y))).toEqual(sorted(new Set([...a, ...b])))
        expect(u(x, y)).toEqual(u(y, x))
        expect(u(u(x, y), z)).toEqual(u(x, u(y, z)))
        expect(u(x, x)).toBe(x)
        expect(u(x, GenerationSets.empty)).toBe(x)
        expect(GenerationSets.highest(x)).toBe(Math.max(-1, ...a))
      }),
    )
  })
  it('law 3: canonical, whatever the order of insertion', () => {
    fc.assert(
      fc.property(numbers, (a) => {
        expect(setOf(a)).toEqual(setOf(sorted(a)))
        const s = setOf(a)
        s.forEach((edge, i) => {
          if (i > 0) expect(edge).toBeGreaterThan(s[i - 1]!)
        })
      }),
    )
  })
  it('an operand that holds the other is the union itself', () => {
    const [all, part, other] = [setOf([0, 1, 2, 5, 6]), setOf([1, 5]), setOf([2, 3])]
    expect(GenerationSets.union(all, part)).toBe(all)
    expect(GenerationSets.union(part, all)).toBe(all)
    expect(GenerationSets.union(all, setOf([0, 1, 2, 5, 6]))).toBe(all)
    for (const x of [all, other]) expect(GenerationSets.union(all, other)).not.toBe(x)
  })
  it('worked: {0, 1, 2, 5}', () => {
    expect(setOf([5, 0, 2, 1])).toEqual([0, 3, 5, 6])
  })
})

const extent: Knowledge.Extent = { agents: 2, barriers: 2 }
const arbitrary = fc
  .tuple(
    fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 22, maxLength: 22 }),
    fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 60, maxLength: 60 }),
    fc.array(numbers, { minLength: 4, maxLength: 4 }),
  )
  .map(([order, rest, sets]) => {
    const k = Knowledge.nothing()
    const set = (vector: Knowledge.Vector, values: ReadonlyArray<number>): void => {
      values.forEach((at, clock) => put(vector, clock, at))
    }
    set(k.order, order)
    set(k.visible.counters, rest.slice(0, 20))
    set(k.async.counters, rest.slice(20, 40))
    set(k.tensor, rest.slice(40))
    sets.forEach((s, i) => {
      put((i < 2 ? k.visible : k.async).acquired, i % 2, setOf(s))
    })
    return k
  })
const joined = (a: Knowledge.Knowledge, b: Knowledge.Knowledge): Knowledge.Knowledge => {
  const k = Knowledge.copy(a)
  Knowledge.join(k, b)
  return k
}

describe('knowledge', () => {
  it('law 1: join is idempotent, commutative, associative, and an upper bound', () => {
    fc.assert(
      fc.property(arbitrary, arbitrary, arbitrary, (a, b, c) => {
        expect(joined(a, a)).toEqual(a)
        expect(joined(a, b)).toEqual(joined(b, a))
        expect(joined(joined(a, b), c)).toEqual(joined(a, joined(b, c)))
        const j = joined(a, b)
        for (let i = 0; i < 22; i++)
          expect(valueAt(j.order, i)).toBe(Math.max(valueAt(a.order, i), valueAt(b.order, i)))
        expect(joined(j, a)).toEqual(j)
      }),
    )
  })
  it('law 2: a copy shares nothing that changes', () => {
    const a = Knowledge.nothing()
    const b = Knowledge.copy(a)
    put(b.order, 0, 7)
    put(b.visible.counters, 0, 7)
    put(b.visible.acquired, 0, [0, 1])
    put(b.async.acquired, 1, [0, 1])
    put(b.tensor, 3, 7)
    expect(a).toEqual(Knowledge.nothing())
  })
  it('clocks do not collide', () => {
    const all = [0, 1].flatMap((x) =>
      (
        [
          'program',
          'bulkRead',
          'bulkFull',
          'wgmma',
          'cpAsync',
          'queue',
          'tensorLoad',
          'tensorStore',
          'fencedGlobal',
          'fencedRegisters',
        ] as const
      ).map((c) => Knowledge.clockOf(c, x)),
    )
    all.push(Knowledge.barrierClock(extent, 0), Knowledge.barrierClock(extent, 1))
    expect(new Set(all).size).toBe(22)
  })
})
