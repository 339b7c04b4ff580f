/**
 * Fellows. Oracle: each cluster computes by itself, with rows of its own and without fellows (law 2); and so does the warp that has them (law 3).
 */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { scalarOperation } from '../../../src/numerics/scalar/index.js'
import { mark } from '../../../src/numerics/shadow.js'
import { fellowship } from '../../../src/semantics/machine/fellowship.js'
import * as V from '../../../src/semantics/machine/value.js'
import * as Fellows from '../../../src/semantics/warps/fellows.js'
import type { Given, Operation, Place } from '../../../src/semantics/warps/program.js'
import { ofPredicate } from '../../../src/semantics/warps/program.js'
import {
  another,
  forget,
  lanesOf,
  rows,
  setAll,
  setLane,
  setPredicate,
  wordAt,
  type Rows,
} from '../../../src/semantics/warps/rows.js'
import * as Shadows from '../../../src/semantics/warps/shadows.js'
import * as Silent from '../../../src/semantics/warps/silent.js'

const registers = 5
const predicates = 2
const clusters = [3, 4, 6, 9]
const places: ReadonlyArray<Place> = [
  ...Array.from({ length: registers }, (_, row) => row),
  ...Array.from({ length: predicates }, (_, p) => ofPredicate(p)),
]

// ---------------------------------------------------------------- programs

type Scalar = Extract<Operation, { readonly _tag: 'scalar' }>
type Step =
  | { readonly _tag: 'computes'; readonly o: Scalar; readonly mask: number }
  | { readonly _tag: 'decides'; readonly place: Place; readonly mask: number }
  | {
      readonly _tag: 'comes'
      readonly place: Place
      readonly mask: number
      readonly words: ReadonlyArray<number>
    }

const row = fc.nat(registers - 1)
const predicate = fc.nat(predicates - 1).map(ofPredicate)
const masks = fc.oneof(
  { weight: 2, arbitrary: fc.constant(-1) },
  fc.constantFrom(1, 1 << 31, 0xffff, 0xaaaaaaaa | 0),
  fc.integer(),
)
const operations: fc.Arbitrary<Scalar> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      _tag: fc.constant('scalar' as const),
      name: fc.constantFrom('add.s32', 'and.b32', 'min.s32'),
      from: fc.tuple(row, row),
      to: fc.tuple(row),
    }),
  },
  fc.record({
    _tag: fc.constant('scalar' as const),
    name: fc.constant('setp.lt.s32'),
    from: fc.tuple(row, row),
    to: fc.tuple(predicate),
  }),
  fc.record({
    _tag: fc.constant('scalar' as const),
    name: fc.constant('setp.lt.s32'),
    from: fc.tuple(fc.constant(0), row),
    to: fc.tuple(predicate),
  }),
  {
    weight: 2,
    arbitrary: fc.record({
      _tag: fc.constant('scalar' as const),
      name: fc.constant('selp.b32'),
      from: fc.tuple(fc.oneof(row, fc.constant(4)), row, predicate),
      to: fc.tuple(row),
    }),
  },
)
/** Lanes that are compared: those of which something is not known, and others. */
const looked = [0, 1, 2, 5, 7, 8, 9, 16, 24, 31]
const place = fc.constantFrom(...places)
const steps: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ _tag: fc.constant('computes' as const), o: operations, mask: masks }) },
  fc.record({ _tag: fc.constant('decides' as const), place, mask: fc.oneof(fc.constant(1), masks) }),
  fc.record({
    _tag: fc.constant('comes' as const),
    place,
    mask: masks,
    words: fc.array(fc.nat(3), { minLength: 32, maxLength: 32 }),
  }),
)

const compute = (r: Rows, o: Scalar, mask: number, isWhole: boolean): null => {
  const operation = scalarOperation(o.name)!
  if (r.shadow !== null) Shadows.follow(r, o, operation, mask)
  Silent.scalar(r, o.name, operation, o.from, o.to, mask, isWhole)
  return null
}

const comes = (r: Rows, at: Place, mask: number, words: ReadonlyArray<number>): void => {
  if (at >= 0) {
    if (mask === -1 && words.every((w) => w === words[0])) setAll(r, at, words[0]!)
    else for (const lane of lanesOf(mask)) setLane(r, at, lane, words[lane]!)
  } else
    setPredicate(
      r,
      -1 - at,
      mask,
      words.reduce((all, w, lane) => all | ((w & 1) << lane), 0),
      0,
    )
  if (r.shadow !== null) for (const lane of lanesOf(mask)) Shadows.markAs(r.shadow, at, lane, 0)
}

// ---------------------------------------------------------------- what they hold

const wordIn = (r: Rows, at: Place, lane: number): number =>
  at >= 0 ? wordAt(r, at, lane) : (r.predicates[-1 - at]! >>> lane) & 1

/** What a fellow holds, beside the warp. */
const heldBeside = (r: Rows, fellow: number, at: Place, lane: number): number => {
  const f = r.fellows!
  const held = at >= 0 ? f.words[at]! : f.predicates[-1 - at]!
  if (held === null) return wordIn(r, at, lane)
  const kind = held.by.of[fellow]!
  if (at < 0) return (held.words[kind]! >>> lane) & 1
  return held.words.length === held.by.members.length ? held.words[kind]! : held.words[32 * kind + lane]!
}

/** What is known of all places. */
const knowledge = (r: Rows): string =>
  places
    .map((at) => {
      const unknown = at >= 0 ? r.unknown[at]! : r.unknownPredicates[-1 - at]!
      return `${String(unknown)}: ${looked.map((lane) => (r.shadow === null ? 0 : Shadows.markIn(r.shadow, at, lane))).join()}`
    })
    .join(' ')

const begin = (
  word: number,
  wordsOf: ReadonlyArray<number>,
  hasData: boolean,
): { warp: Rows; each: ReadonlyArray<Rows> } => {
  const of = fellowship(clusters)
  const given: Given = { _tag: 'cta', axis: 0 } as unknown as Given
  const cluster: Given = { _tag: 'cluster', axis: 0 } as unknown as Given
  const thread: Given = { _tag: 'thread', axis: 0 } as unknown as Given
  const f = Fellows.beginning(
    of,
    registers,
    predicates,
    [
      { row: 0, given },
      { row: 1, given: cluster },
      // what a thread is given is the same in all clusters, and is not asked
      { row: 2, given: thread },
    ],
    (c, g) => (g === given ? wordsOf[clusters.indexOf(c)]! : g === cluster ? word : c),
    () => word,
  )
  const shadow = hasData ? Shadows.shadow(registers, predicates) : null
  const plain = rows(registers, predicates, null, null, shadow, null, null, null)
  for (let at = 0; at < registers; at++) setAll(plain, at, at < 3 ? word : at)
  // lane 5 of row 3 holds nothing; of row 4 some lanes hold data that is not known, and so does lane 7 of a predicate
  forget(plain, 3, 1 << 5)
  for (let p = 0; p < predicates; p++) setPredicate(plain, p, -1, 0xf0, p === 1 ? 1 << 9 : 0)
  if (shadow !== null) {
    for (const [lane, m] of [
      [2, mark(1, 1)],
      [8, mark(1, 15)],
      [31, mark(2, 3)],
    ] as const)
      Shadows.markAs(shadow, 4, lane, m)
    Shadows.markAs(shadow, ofPredicate(1), 7, mark(3, 15))
  }
  const each = wordsOf.map((w) => {
    const r = another(plain, null)
    setAll(r, 0, w)
    return r
  })
  return { warp: Object.assign({}, plain, { fellows: f }), each }
}

/** It is computed along, and once where no fellow reads anything else; what is kept of what it writes is as little as can be. */
const timesComputed = (r: Rows, o: Scalar, mask: number, isWhole: boolean): boolean => {
  const f = r.fellows!
  const isMoved = Fellows.differs(f, o.from)
  let times = 0
  Fellows.along(r, f, o, mask, isWhole, () => {
    times++
    return compute(r, o, mask, isWhole)
  })
  const [to] = o.to
  const held = to! >= 0 ? f.words[to!]! : f.predicates[-1 - to!]!
  const fellows = clusters.flatMap((_, fellow) => (f.of.alike[fellow] === 1 ? [fellow] : []))
  if (!isMoved || held === null) return times === (isMoved ? times : 1)
  const words = fellows.map((fellow) => lanesOf(-1).map((lane) => heldBeside(r, fellow, to!, lane)))
  const own = lanesOf(-1).map((lane) => wordIn(r, to!, lane))
  const isOne = to! < 0 || words.every((all) => all.every((w) => w === all[0]))
  const kinds = new Set(words.map((all) => all.join()))
  return (
    (fellows.length === 0 || words.some((all) => all.join() !== own.join())) &&
    (held.words.length === held.by.members.length) === isOne &&
    (to! < 0 || !isOne || new Set(held.words).size === held.words.length || kinds.size < clusters.length)
  )
}

describe('laws 2 and 3', () => {
  test('what a register holds beside a warp is what it holds when the cluster is run; who comes another way is parted, and no other', () => {
    fc.assert(
      fc.property(
        fc.nat(3),
        fc.array(fc.nat(3), { minLength: 4, maxLength: 4 }),
        fc.constantFrom(0, 0xff000000 | 0, 1),
        fc.boolean(),
        fc.array(steps, { minLength: 1, maxLength: 12 }),
        (word, wordsOf, ended, hasData, all) => {
          const { warp: r, each } = begin(word, wordsOf, hasData)
          const alone = another(Object.assign({}, r, { fellows: null }), null)
          const isAlike = clusters.map(() => true)
          const f = r.fellows!
          for (const s of all) {
            const mask = s.mask & ~ended
            if (mask === 0) continue
            const isWhole = (mask | ended) === -1
            switch (s._tag) {
              case 'computes':
                expect(timesComputed(r, s.o, mask, isWhole)).toBe(true)
                for (const one of [alone, ...each]) compute(one, s.o, mask, isWhole)
                break
              case 'decides':
                Fellows.agree(r, [s.place], mask)
                each.forEach((one, fellow) => {
                  if (
                    lanesOf(mask).some((lane) => wordIn(one, s.place, lane) !== wordIn(alone, s.place, lane))
                  )
                    isAlike[fellow] = false
                })
                break
              case 'comes':
                comes(r, s.place, mask, s.words)
                Fellows.overwritten(r, f, s.place, isWhole ? -1 : mask)
                for (const one of [alone, ...each]) comes(one, s.place, mask, s.words)
            }
            const own = knowledge(alone)
            expect(knowledge(r)).toBe(own)
            each.forEach((one, fellow) => {
              if (knowledge(one) !== own) isAlike[fellow] = false
            })
            expect([...f.of.alike].map(Boolean)).toEqual(isAlike)
            const wrong: string[] = []
            for (const at of places)
              for (const lane of looked) {
                if (((ended >>> lane) & 1) === 1) continue
                if (wordIn(r, at, lane) !== wordIn(alone, at, lane)) wrong.push(`warp ${String(at)}`)
                each.forEach((one, fellow) => {
                  if (isAlike[fellow]! && heldBeside(r, fellow, at, lane) !== wordIn(one, at, lane))
                    wrong.push(`fellow ${String(fellow)}: ${String(at)}`)
                })
              }
            expect(wrong).toEqual([])
          }
        },
      ),
      { numRuns: 150 },
    )
  })
  test('a fellow that faults is parted; where the warp faults, nothing is computed for them', () => {
    const { warp: r } = begin(1, [1, 2, 2, 1], true)
    const f = r.fellows!
    const o: Scalar = { _tag: 'scalar', name: 'add.s32', from: [0, 3], to: [3] }
    const fault = V.fault('I1', 'two')
    const along = (word: number) => {
      let times = 0
      const wrong = Fellows.along(r, f, o, -1, true, () => {
        times++
        return wordAt(r, 0, 0) === word ? fault : compute(r, o, -1, true)
      })
      return [wrong, times, [...f.of.alike]]
    }
    expect(along(1)).toEqual([fault, 1, [1, 1, 1, 1]])
    // once for the warp, and once for each of the two kinds
    expect(along(2)).toEqual([null, 3, [1, 0, 0, 1]])
  })
  // the warp and fellows 0 and 3 choose the first row, the others the second
  const [one, two] = [mark(1, 1), mark(2, 1)]
  test.each([
    ['both are known', [], [], [1, 1, 1, 1]],
    ['the first holds data in one lane', [[31, one]], [], [1, 0, 0, 1]],
    ['the second does', [], [[31, one]], [1, 0, 0, 1]],
    ['both do, in other lanes', [[31, one]], [[30, one]], [1, 0, 0, 1]],
    ['both hold the same data', [[31, one]], [[31, one]], [1, 1, 1, 1]],
    ['other bytes of it', [[31, one]], [[31, two]], [1, 0, 0, 1]],
    ['other bytes of it, in the first lane alone', [[0, one]], [[0, two]], [1, 0, 0, 1]],
  ] as ReadonlyArray<
    [string, ReadonlyArray<[number, number]>, ReadonlyArray<[number, number]>, ReadonlyArray<number>]
  >)('of a choice: %s', (_, first, second, alike) => {
    for (const [isMarked, unmarked] of [
      [first, second],
      [second, first],
    ]) {
      const { warp: r } = begin(1, [1, 2, 2, 1], true)
      setAll(r, 2, 2)
      for (const [at, all] of [
        [3, isMarked],
        [4, unmarked],
      ] as const) {
        comes(
          r,
          at,
          -1,
          Array.from({ length: 32 }, () => 7),
        )
        for (const [lane, m] of all!) Shadows.markAs(r.shadow!, at, lane, m)
      }
      const along = (name: string, from: ReadonlyArray<Place>, to: Place): void => {
        const o: Scalar = { _tag: 'scalar', name, from, to: [to] }
        expect(Fellows.along(r, r.fellows!, o, -1, true, () => compute(r, o, -1, true))).toBeNull()
      }
      along('setp.lt.s32', [0, 2], ofPredicate(0))
      expect([...r.fellows!.of.alike]).toEqual([1, 1, 1, 1])
      along('selp.b32', [3, 4, ofPredicate(0)], 1)
      expect([...r.fellows!.of.alike]).toEqual(alike)
      // what the warp has chosen is what it holds, whatever the last fellow chose
      expect(looked.map((lane) => Shadows.markIn(r.shadow!, 1, lane))).toEqual(
        looked.map((lane) => new Map(isMarked).get(lane) ?? 0),
      )
    }
  })
  test('a warp without fellows has none to part', () => {
    expect(() => {
      Fellows.agree(rows(1, 1, null, null, null, null, null, null), [0, -1], -1)
    }).not.toThrow()
  })
})
