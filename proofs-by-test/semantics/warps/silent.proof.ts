/** Scalar operations on rows, against the operation itself on 32 separate threads: each has its words, and says what it knows. */
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { rest, scalarOperation } from '../../../src/numerics/scalar/index.js'
import { rows, setAll, setLane, setPredicate, wordAt, type Rows } from '../../../src/semantics/warps/rows.js'
import { move, pack, part, predicate, scalar } from '../../../src/semantics/warps/silent.js'
import { nightly } from '../../extent.js'
import { prop } from '../../prop.js'

const lanes = Array.from({ length: 32 }, (_, l) => l)
const has = (m: number, lane: number): boolean => ((m >>> lane) & 1) === 1
const word = fc.oneof(fc.integer(), fc.constantFrom(0, 1, -1, 7))
const mask = fc.oneof(fc.constant(-1), fc.integer())

/** A register of a warp: one word or 32, and the lanes that have none. */
const register = fc.tuple(
  fc.boolean(),
  fc.array(word, { minLength: 32, maxLength: 32 }),
  fc.oneof(fc.constantFrom(0, 0, -1), fc.integer()),
)
const count = 4

const held = (registers: ReadonlyArray<readonly [boolean, ReadonlyArray<number>, number]>): Rows => {
  const r = rows(count, 2, null, null, null, null, null, null)
  registers.forEach(([uniform, words, unknown], row) => {
    if (uniform) setAll(r, row, words[0]!)
    else
      words.forEach((x, lane) => {
        setLane(r, row, lane, x)
      })
    r.unknown[row] = unknown
  })
  setPredicate(r, 0, -1, registers[0]![1][0]!, registers[0]![2])
  setPredicate(r, 1, -1, 0, 0)
  return r
}

const place = fc.integer({ min: -2, max: count - 1 })
const row = fc.nat(count - 1)
/** Operands and results may be one register. */
const operation = fc.oneof(
  fc.tuple(fc.constantFrom('neg.s32', 'not.b32'), fc.tuple(row), fc.tuple(row)),
  fc.tuple(fc.constantFrom('add.s32', 'shl.b32', 'min.u32'), fc.tuple(row, row), fc.tuple(row)),
  fc.tuple(fc.constantFrom('mad.lo.s32', 'fma.rn.f32'), fc.tuple(row, row, row), fc.tuple(row)),
  fc.tuple(fc.constant('selp.b32'), fc.tuple(row, row, fc.constantFrom(-1, -2)), fc.tuple(place)),
  fc.tuple(fc.constant('setp.lt.s32'), fc.tuple(row, row), fc.tuple(fc.constantFrom(-1, -2))),
  fc.constantFrom<readonly [string, readonly [number, number], readonly [number, number]]>(
    ['mul.wide.u32', [0, 1], [2, 3]],
    ['mul.wide.u32', [0, 3], [1, 2]],
  ),
)

const at = (r: Rows, p: number, lane: number): number =>
  p >= 0 ? wordAt(r, p, lane) : has(r.predicates[-1 - p]!, lane) ? 1 : 0
const knows = (r: Rows, p: number, lane: number): boolean =>
  !has(p >= 0 ? r.unknown[p]! : r.unknownPredicates[-1 - p]!, lane)

prop([fc.array(register, { minLength: count, maxLength: count }), operation, mask], {
  numRuns: nightly ? 300 : 60,
})(
  'law 1: in every lane of the mask the operation, and nothing in the others',
  (registers, [name, from, to], active) => {
    if (active === 0) return true
    const op = scalarOperation(name)!
    const before = held(registers)
    const after = held(registers)
    scalar(after, name, op, from, to, active, active === -1)
    // counted, for an expectation a word takes most of the time
    const wrong: string[] = []
    for (const lane of lanes) {
      const first = op.compute(...from.map((p) => at(before, p, lane)))
      const results = [first, ...rest]
      // law 2: of a choice what it is made by, and what it takes
      const by = from[from.length - 1]!
      const half = (from.length - 1) / 2
      const chosen =
        knows(before, by, lane) && at(before, by, lane) !== 0 ? from.slice(0, half) : from.slice(half, -1)
      const counts = name.startsWith('selp.') ? [by, ...chosen] : from
      const known = counts.every((p) => knows(before, p, lane))
      for (const p of [0, 1, 2, 3, -1, -2]) {
        const i = to.findIndex((place) => place === p)
        const isWritten = i >= 0 && has(active, lane)
        const should = isWritten ? known : knows(before, p, lane)
        const result = results[Math.max(i, 0)]!
        const word = !isWritten ? at(before, p, lane) : p >= 0 ? result | 0 : result === 0 ? 0 : 1
        if (knows(after, p, lane) !== should || ((should || !isWritten) && at(after, p, lane) !== word))
          wrong.push(`place ${String(p)} of lane ${String(lane)}`)
      }
    }
    expect(wrong).toEqual([])
    return true
  },
)

/** Registers and what is moved into them, all at once. */
const moved = fc
  .uniqueArray(row, { minLength: 1, maxLength: count })
  .chain((to) => fc.tuple(fc.constant(to), fc.tuple(...to.map(() => row))))

prop([fc.array(register, { minLength: count, maxLength: count }), moved, mask], {
  numRuns: nightly ? 300 : 60,
})('of a move of several registers each is what the other was before', (registers, [to, from], active) => {
  if (active === 0) return true
  const before = held(registers)
  const after = held(registers)
  move(after, { _tag: 'move', to, from }, active, active === -1)
  return lanes.every((lane) =>
    [0, 1, 2, 3].every((p) => {
      const i = has(active, lane) ? to.indexOf(p) : -1
      const source = i < 0 ? p : from[i]!
      const should = knows(before, source, lane)
      return knows(after, p, lane) === should && (!should || at(after, p, lane) === at(before, source, lane))
    }),
  )
})

// ---------------------------------------------------------------- parts and pairs of words

const bits = fc.constantFrom<8 | 16>(8, 16)
const pieces = fc.oneof(
  fc.record({
    kind: fc.constant('part' as const),
    to: row,
    from: fc.tuple(row),
    bits,
    at: fc.constantFrom(0, 8, 16, 24),
  }),
  fc.record({
    kind: fc.constant('pack' as const),
    to: row,
    from: fc.tuple(row, row),
    bits,
    at: fc.constant(0),
  }),
  fc.record({
    kind: fc.constant('pack' as const),
    to: row,
    from: fc.tuple(row, row, row, row),
    bits: fc.constant<8>(8),
    at: fc.constant(0),
  }),
)

prop([fc.array(register, { minLength: count, maxLength: count }), pieces, mask], {
  numRuns: nightly ? 600 : 120,
})('a part of a word, and a word of parts, is that of each lane', (registers, o, active) => {
  if (active === 0) return true
  const before = held(registers)
  const after = held(registers)
  const ones = o.bits === 8 ? 0xff : 0xffff
  if (o.kind === 'part')
    part(after, { _tag: 'part', to: o.to, from: o.from[0], at: o.at, bits: o.bits }, active, active === -1)
  else pack(after, { _tag: 'pack', to: o.to, from: o.from, bits: o.bits }, active, active === -1)
  return lanes.every((lane) =>
    [0, 1, 2, 3].every((p) => {
      if (!has(active, lane) || p !== o.to)
        return knows(after, p, lane) === knows(before, p, lane) && at(after, p, lane) === at(before, p, lane)
      const words = o.from.map((from) => at(before, from, lane) >>> 0)
      const should =
        o.kind === 'part'
          ? (words[0]! >>> o.at) & ones
          : words.reduce((word, x, k) => word + (x & ones) * 2 ** (k * o.bits), 0) | 0
      const known = o.from.every((from) => knows(before, from, lane))
      return knows(after, p, lane) === known && (!known || at(after, p, lane) === should)
    }),
  )
})

// ---------------------------------------------------------------- predicates

test('of predicates that hold nothing as much is known as three values of logic say', () => {
  // a lane for each pair: false, true, and what holds nothing and is false or true in the words
  const values = [0, 1, null, null]
  const places = lanes.slice(0, 16).map((lane) => [lane % 4, Math.floor(lane / 4)] as const)
  const of = (k: 0 | 1, holds: (x: number) => boolean): number =>
    places.reduce((m, pair, lane) => (holds(pair[k]) ? m | (1 << lane) : m), 0)
  const not = (x: number | null): number | null => (x === null ? null : 1 - x)
  const and = (x: number | null, y: number | null): number | null =>
    x === 0 || y === 0 ? 0 : x === null || y === null ? null : 1
  for (const op of ['and', 'or', 'xor', 'not', 'mov'] as const)
    for (const [first, second] of [
      [false, false],
      [true, false],
      [false, true],
      [true, true],
    ] as const) {
      const r = rows(1, 3, null, null, null, null, null, null)
      for (const k of [0, 1] as const)
        setPredicate(
          r,
          k,
          -1,
          of(k, (x) => x === 1 || x === 3),
          of(k, (x) => values[x] === null),
        )
      setPredicate(r, 2, -1, 0, 0)
      const from = [
        { predicate: 0, negated: first },
        { predicate: 1, negated: second },
      ].slice(0, op === 'not' || op === 'mov' ? 1 : 2)
      predicate(r, { _tag: 'predicate', op, to: 2, from }, 0xffff)
      const said = places.map((_, lane) => (knows(r, -3, lane) ? at(r, -3, lane) : null))
      expect(said, `${op} ${String(first)} ${String(second)}`).toEqual(
        places.map(([x, y]) => {
          const [a, b] = [first ? not(values[x]!) : values[x]!, second ? not(values[y]!) : values[y]!]
          switch (op) {
            case 'and':
              return and(a, b)
            case 'or':
              return not(and(not(a), not(b)))
            case 'xor':
              return a === null || b === null ? null : a ^ b
            case 'not':
              return not(a)
            case 'mov':
              return a
          }
        }),
      )
      expect([r.predicates[2]! & ~0xffff, r.unknownPredicates[2]! & ~0xffff]).toEqual([0, 0])
    }
})
