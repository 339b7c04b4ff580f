/**
 * Word terms. Oracle of law 1: the same program on other inputs, word by word. Of laws 3 and 4, which hold words of one value to have one term: a table of pairs, by hand.
 */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { scalarOperation } from '../../../src/numerics/scalar/index.js'
import { another, blank, byteTerms, constant, ledger } from '../../../src/semantics/machine/ledger.js'
import type { WordTerms } from '../../../src/semantics/machine/warp-stand.js'
import * as Lanes from '../../../src/semantics/warps/lanes.js'
import type { Place, Silent as SilentOperation } from '../../../src/semantics/warps/program.js'
import { ofPredicate } from '../../../src/semantics/warps/program.js'
import {
  forget,
  lanesOf,
  rows,
  setAll,
  setLane,
  setPredicate,
  wordAt,
  type Rows,
} from '../../../src/semantics/warps/rows.js'
import * as Silent from '../../../src/semantics/warps/silent.js'
import * as Terms from '../../../src/semantics/warps/word-terms.js'

// ---------------------------------------------------------------- a warp of four lanes

const lanes = 0b1111
const [x, y, constants, free] = [0, 1, 2, 10]
/** Words of the text, the same for all inputs: in row `constants` and on. */
const texts = [32, 0, -1, 0x3f800000, 5, 0x80000000 | 0, 1, 31]
const isOne = constants + 3
const isZero = constants + 1
const isOnes = constants + 2
const isHalf = constants
const isFive = constants + 4
const isLaneOne = constants + 6
const isLast = constants + 7
const count = free + 5
const predicates = 3

const compute = (r: Rows, o: SilentOperation, mask: number): void => {
  switch (o._tag) {
    case 'scalar':
      Silent.scalar(r, o.name, scalarOperation(o.name)!, o.from, o.to, mask, false)
      return
    case 'move':
      Silent.move(r, o, mask, false)
      return
    case 'part':
      Silent.part(r, o, mask, false)
      return
    case 'pack':
      Silent.pack(r, o, mask, false)
      return
    case 'predicate':
      Silent.predicate(r, o, mask)
      return
    case 'shuffle':
      Lanes.shuffle(r, o, mask)
      return
    case 'vote':
      Lanes.vote(r, o, mask)
      return
    case 'reduce':
      Lanes.reduce(r, o, mask)
      return
    default:
      throw new Error(o._tag)
  }
}

/** Inputs: what the lanes of rows x and y hold. */
const begun = (inputs: ReadonlyArray<number>): Rows => {
  const r = rows(count, predicates, null, null, null, null, null, null)
  for (let lane = 0; lane < 4; lane++) {
    setLane(r, x, lane, inputs[lane]!)
    setLane(r, y, lane, inputs[4 + lane]! & 0xffff)
  }
  texts.forEach((word, k) => {
    setAll(r, constants + k, word)
  })
  // one row differs from lane to lane, and is no data
  for (let lane = 0; lane < 4; lane++) setLane(r, free, lane, lane)
  for (let row = free + 1; row < count; row++) setAll(r, row, row === count - 1 ? 0 : 7)
  forget(r, count - 1, 0b0100)
  for (let p = 0; p < predicates; p++) setPredicate(r, p, -1, p === 0 ? -1 : p === 1 ? 0b1000 : 0, 0)
  return r
}
const termed = (r: Rows): WordTerms => {
  const t = Terms.wordTerms(count, predicates, new Set([isFive]), ledger(true))
  for (const row of [x, y])
    for (let lane = 0; lane < 4; lane++) Terms.setTerm(t, row, lane, another(t.ledger))
  expect(r.words.length).toBe(32 * count)
  return t
}
const place = (at: Place): number => (at >= 0 ? at : -1 - at)
const isUnknown = (r: Rows, at: Place, lane: number): boolean =>
  (((at >= 0 ? r.unknown : r.unknownPredicates)[place(at)]! >>> lane) & 1) === 1
const wordIn = (r: Rows, at: Place, lane: number): number =>
  at >= 0 ? wordAt(r, at, lane) : (r.predicates[place(at)]! >>> lane) & 1

// ---------------------------------------------------------------- law 1

const row = fc.nat(count - 1)
const data = fc.oneof(row, fc.constantFrom(x, y))
const target = fc.constantFrom(x, free, free + 1, free + 2, free + 4)
/** Registers of 16 bits, as a word that is narrow has. */
const narrow = fc.constantFrom(y, free + 3)
const predicate = fc.nat(predicates - 1)
const scalars = (
  name: fc.Arbitrary<string>,
  from: ReadonlyArray<fc.Arbitrary<Place>>,
  to: ReadonlyArray<fc.Arbitrary<Place>>,
): fc.Arbitrary<SilentOperation> =>
  fc
    .record({ name, from: fc.tuple(...from), to: fc.tuple(...to) })
    // two results go to two places
    .map(({ name: its, from: a, to: b }) => ({
      _tag: 'scalar' as const,
      name: its,
      from: a,
      to: b.length === 2 && b[0] === b[1] ? [b[0]!, null] : b,
    }))
const operations: fc.Arbitrary<SilentOperation> = fc.oneof(
  scalars(fc.constantFrom('add.s32', 'sub.s32', 'add.f32', 'mul.f32', 'xor.b32'), [data, data], [target]),
  scalars(fc.constant('fma.rn.f32'), [data, data, data], [target]),
  scalars(
    fc.constantFrom('or.b64', 'and.b64', 'xor.b64'),
    [data, row, fc.constantFrom(isZero, isOnes, x), row],
    [target, target],
  ),
  scalars(fc.constantFrom('shl.b64', 'shr.u64', 'shr.b64'), [data, data, row], [target, target]),
  scalars(fc.constantFrom('cvt.u64.u32'), [data], [target, target]),
  scalars(fc.constant('cvt.u16.u32'), [data], [narrow]),
  scalars(fc.constant('cvt.u32.u16'), [narrow], [target]),
  scalars(fc.constant('setp.lt.s32'), [data, data], [predicate.map(ofPredicate)]),
  scalars(fc.constant('selp.b32'), [data, data, predicate.map(ofPredicate)], [target]),
  fc.record({
    _tag: fc.constant('part' as const),
    to: narrow,
    from: data,
    at: fc.constantFrom(0, 16),
    bits: fc.constant(16 as const),
  }),
  fc.record({
    _tag: fc.constant('pack' as const),
    to: target,
    from: fc.tuple(narrow, narrow),
    bits: fc.constant(16 as const),
  }),
  fc.record({ _tag: fc.constant('move' as const), to: fc.tuple(target), from: fc.tuple(row) }),
  fc.record({
    _tag: fc.constant('predicate' as const),
    op: fc.constantFrom('and' as const, 'or' as const, 'xor' as const),
    to: predicate,
    from: fc.tuple(
      fc.record({ predicate, negated: fc.boolean() }),
      fc.record({ predicate, negated: fc.boolean() }),
    ),
  }),
  fc.record({
    _tag: fc.constant('shuffle' as const),
    mode: fc.constantFrom('bfly' as const, 'idx' as const),
    to: fc.option(target),
    inRange: fc.option(predicate),
    value: data,
    lane: fc.constantFrom(isLaneOne, isZero, free),
    clamp: fc.constant(isLast),
    members: fc.constant(null),
  }),
  fc.record({
    _tag: fc.constant('vote' as const),
    mode: fc.constant('ballot' as const),
    to: target,
    toPredicate: fc.constant(null),
    by: fc.record({ predicate, negated: fc.boolean() }),
    members: fc.constant(null),
  }),
  fc.record({
    _tag: fc.constant('reduce' as const),
    op: fc.constant('add' as const),
    signed: fc.constant(false),
    to: target,
    value: data,
    members: fc.constant(isOnes),
  }),
)
const word = fc.oneof(fc.nat(2), fc.constantFrom(0x3f800000, 0x40490fdb, -1, 0x00050006), fc.integer())
const inputs = fc.array(word, { minLength: 8, maxLength: 8 })
const places: ReadonlyArray<Place> = [
  ...Array.from({ length: count }, (_, at) => at),
  ...Array.from({ length: predicates }, (_, p) => ofPredicate(p)),
]

describe('law 1', () => {
  test('words with one term are equal on other inputs too, and a word without is the same', () => {
    fc.assert(
      fc.property(inputs, inputs, fc.array(operations, { minLength: 1, maxLength: 14 }), (a, b, all) => {
        const [r, other] = [begun(a), begun(b)]
        const t = termed(r)
        for (const o of all) {
          Terms.follow(r, t, o, lanes)
          compute(r, o, lanes)
          compute(other, o, lanes)
        }
        const by = new Map<number, number>()
        const wrong: string[] = []
        for (const at of places)
          for (const lane of lanesOf(lanes)) {
            if (isUnknown(r, at, lane)) continue
            const term = Terms.termIn(r, t, at, lane)
            const its = term === 0 ? constant(wordIn(r, at, lane)) : term
            const [here, there] = [wordIn(r, at, lane), wordIn(other, at, lane)]
            if (term === 0 && here !== there) wrong.push(`${String(at)} of lane ${String(lane)} is data`)
            const first = by.get(its)
            if (first !== undefined && first !== there) wrong.push(`${String(at)} of lane ${String(lane)}`)
            by.set(its, there)
          }
        expect(wrong).toEqual([])
      }),
      { numRuns: 250 },
    )
  })
})

// ---------------------------------------------------------------- laws 2 to 4

const scalar = (name: string, from: ReadonlyArray<Place>, ...to: ReadonlyArray<Place>): SilentOperation => ({
  _tag: 'scalar',
  name,
  from,
  to,
})
const [p, q, u, v, w] = [free + 1, free + 2, free + 3, free + 4, free]
const shuffled = (to: number, value: number, lane: number): SilentOperation => ({
  _tag: 'shuffle',
  mode: 'bfly',
  to,
  inRange: null,
  value,
  lane,
  clamp: isLast,
  members: null,
})
const part = (to: number, from: number, at: number, bits: 8 | 16): SilentOperation => ({
  _tag: 'part',
  to,
  from,
  at,
  bits,
})
const pack = (to: number, bits: 8 | 16, ...from: ReadonlyArray<number>): SilentOperation => ({
  _tag: 'pack',
  to,
  from,
  bits,
})
const bfly = {
  _tag: 'shuffle',
  mode: 'bfly',
  to: p,
  inRange: null,
  value: isFive,
  lane: isLaneOne,
  clamp: isLast,
  members: null,
} as const
const sum = { _tag: 'reduce', op: 'add', signed: false, to: p, value: x, members: isOnes } as const
const keep: SilentOperation = { _tag: 'move', to: [q], from: [p] }
const [same, different] = [true, false]
type Pair = readonly [
  what: string,
  code: ReadonlyArray<SilentOperation>,
  one: readonly [Place, number],
  two: readonly [Place, number],
  is: boolean,
]
const table: ReadonlyArray<Pair> = [
  ['a sum', [scalar('add.f32', [x, y], p), scalar('add.f32', [y, x], q)], [p, 0], [q, 0], same],
  [
    'a sum with a constant',
    [scalar('add.f32', [x, isFive], p), scalar('add.f32', [isFive, x], q)],
    [p, 1],
    [q, 1],
    same,
  ],
  ['a difference', [scalar('sub.f32', [x, y], p), scalar('sub.f32', [y, x], q)], [p, 0], [q, 0], different],
  ['of other data', [scalar('add.f32', [x, y], p), scalar('add.f32', [x, x], q)], [p, 0], [q, 0], different],
  ['of another lane', [scalar('add.f32', [x, y], p)], [p, 0], [p, 1], different],
  ['another name', [scalar('add.f32', [x, y], p), scalar('add.s32', [x, y], q)], [p, 0], [q, 0], different],
  [
    'a sum of 64 bits',
    [scalar('add.u64', [x, y, y, y], p, q), scalar('add.u64', [y, y, x, y], u, v)],
    [p, 0],
    [u, 0],
    same,
  ],
  [
    'its upper word',
    [scalar('add.u64', [x, y, y, x], p, q), scalar('add.u64', [y, x, x, y], u, v)],
    [q, 0],
    [v, 0],
    same,
  ],
  [
    'words exchanged with their halves',
    [scalar('add.u64', [x, y, y, x], p, q), scalar('add.u64', [x, x, y, y], u, v)],
    [p, 0],
    [u, 0],
    different,
  ],
  ['its two words', [scalar('add.u64', [x, y, y, y], p, q)], [p, 0], [q, 0], different],
  ['a butterfly', [shuffled(p, x, isLaneOne), scalar('add.f32', [x, p], q)], [q, 2], [q, 3], same],
  ['two butterflies', [shuffled(p, x, isLaneOne), scalar('add.f32', [x, p], q)], [q, 1], [q, 2], different],
  ['what a lane is shown', [shuffled(p, x, isLaneOne)], [p, 2], [x, 3], same],
  ['what it is not shown', [shuffled(p, x, isLaneOne)], [p, 2], [x, 2], different],
  ['a move', [{ _tag: 'move', to: [p], from: [x] }], [p, 3], [x, 3], same],
  [
    'two moves that exchange',
    [
      { _tag: 'move', to: [p, q], from: [x, y] },
      { _tag: 'move', to: [p, q], from: [q, p] },
    ],
    [p, 3],
    [y, 3],
    same,
  ],
  ['the second of two that are put together', [pack(p, 16, x, y), part(q, p, 16, 16)], [q, 0], [y, 0], same],
  ['the first', [pack(p, 16, x, y), part(q, p, 0, 16)], [q, 0], [x, 0], same],
  ['the third of four', [pack(p, 8, x, y, isFive, x), part(q, p, 16, 8)], [q, 0], [isFive, 0], same],
  ['of four, two at once', [pack(p, 8, x, y, isFive, x), part(q, p, 0, 16)], [q, 0], [x, 0], different],
  ['a part of a word', [part(q, x, 0, 16)], [q, 0], [x, 0], different],
  [
    'a narrow word that is widened and narrowed',
    [scalar('cvt.u32.u16', [x], p), scalar('cvt.u16.u32', [p], q)],
    [q, 0],
    [x, 0],
    same,
  ],
  ['a wide word that is narrowed', [scalar('cvt.u16.u32', [x], q)], [q, 0], [x, 0], different],
  ['the lower word of a wide one', [scalar('cvt.u64.u32', [x], p, q)], [p, 0], [x, 0], same],
  ['its upper word is no data', [scalar('cvt.u64.u32', [x], p, q)], [q, 0], [isZero, 0], same],
  ['a shift by 32 to the left', [scalar('shl.b64', [x, y, isHalf], p, q)], [q, 0], [x, 0], same],
  ['what comes in', [scalar('shl.b64', [x, y, isHalf], p, q)], [p, 0], [isZero, 0], same],
  ['a shift by 32 to the right', [scalar('shr.u64', [x, y, isHalf], p, q)], [p, 0], [y, 0], same],
  ['of bits', [scalar('shr.b64', [x, y, isHalf], p, q)], [p, 0], [y, 0], same],
  ['its zeros', [scalar('shr.b64', [x, y, isHalf], p, q)], [q, 0], [isZero, 0], same],
  ['of signs', [scalar('shr.s64', [x, y, isHalf], p, q)], [p, 0], [y, 0], different],
  ['by another number', [scalar('shl.b64', [x, y, isFive], p, q)], [q, 0], [x, 0], different],
  ['by data', [scalar('shl.b64', [x, y, y], p, q)], [q, 0], [x, 0], different],
  ['or with zeros', [scalar('or.b64', [x, y, isZero, isZero], p, q)], [p, 0], [x, 0], same],
  ['the other way round', [scalar('or.b64', [isZero, isZero, x, y], p, q)], [q, 0], [y, 0], same],
  ['or of two halves', [scalar('or.b64', [x, isZero, isZero, y], p, q)], [q, 0], [y, 0], same],
  ['xor with zeros', [scalar('xor.b64', [x, y, isZero, isZero], p, q)], [q, 0], [y, 0], same],
  ['or with ones', [scalar('or.b64', [x, y, isOnes, isZero], p, q)], [p, 0], [x, 0], different],
  ['and with ones', [scalar('and.b64', [x, y, isOnes, isOnes], p, q)], [p, 0], [x, 0], same],
  ['and with zeros', [scalar('and.b64', [x, y, isZero, isOnes], p, q)], [p, 0], [isZero, 0], same],
  ['and with zeros, beside', [scalar('and.b64', [x, y, isZero, isOnes], p, q)], [q, 0], [y, 0], same],
  ['and with a number', [scalar('and.b64', [x, y, isFive, isOnes], p, q)], [p, 0], [x, 0], different],
  ['and of data', [scalar('and.b64', [x, y, y, isOnes], p, q)], [p, 0], [x, 0], different],
  ['a choice that no data decides', [scalar('selp.b32', [x, y, ofPredicate(0)], p)], [p, 0], [x, 0], same],
  ['the other choice', [scalar('selp.b32', [x, y, ofPredicate(1)], p)], [p, 0], [y, 0], same],
  ['a choice of a constant', [scalar('selp.b32', [x, isFive, ofPredicate(1)], p)], [p, 0], [isFive, 0], same],
  [
    'a choice of two words',
    [scalar('selp.b64', [x, y, isFive, isOne, ofPredicate(0)], p, q)],
    [q, 0],
    [y, 0],
    same,
  ],
  ['the other two', [scalar('selp.b64', [isFive, isOne, x, y, ofPredicate(1)], p, q)], [p, 0], [x, 0], same],
  [
    'a choice that data decide',
    [scalar('setp.lt.s32', [x, y], ofPredicate(2)), scalar('selp.b32', [x, x, ofPredicate(2)], p)],
    [p, 0],
    [x, 0],
    different,
  ],
  [
    'an exact product and its sum',
    [scalar('mul.f32', [x, isOne], p), scalar('add.f32', [p, y], q), scalar('fma.rn.f32', [x, isOne, y], u)],
    [q, 0],
    [u, 0],
    same,
  ],
  [
    'of the factors the other way round',
    [scalar('mul.f32', [x, isOne], p), scalar('add.f32', [y, p], q), scalar('fma.rn.f32', [isOne, x, y], u)],
    [q, 0],
    [u, 0],
    same,
  ],
  [
    'of a negative zero',
    [
      scalar('mul.f32', [x, isHalf + 5], p),
      scalar('add.f32', [y, p], q),
      scalar('fma.rn.f32', [isHalf + 5, x, y], u),
    ],
    [q, 0],
    [u, 0],
    same,
  ],
  [
    'a product that is rounded',
    [
      scalar('mul.f32', [x, isFive], p),
      scalar('add.f32', [p, y], q),
      scalar('fma.rn.f32', [x, isFive, y], u),
    ],
    [q, 0],
    [u, 0],
    different,
  ],
  [
    'a product of data',
    [scalar('mul.f32', [x, y], p), scalar('add.f32', [p, y], q), scalar('fma.rn.f32', [x, y, y], u)],
    [q, 0],
    [u, 0],
    different,
  ],
  [
    'a product of a type that has no such rule',
    [scalar('fma.rn.bf16', [x, isOne, y], p), scalar('fma.rn.bf16', [isOne, x, y], q)],
    [p, 0],
    [q, 0],
    same,
  ],
  ['sums of no data', [scalar('add.s32', [isFive, isZero], p)], [p, 0], [isFive, 0], same],
  ['what a lane has from no data', [scalar('add.s32', [w, isFive], p)], [p, 2], [p, 3], different],
  ['two words that nothing has written', [], [count - 1, 2], [count - 1, 2], different],
  [
    'the same predicate',
    [scalar('setp.lt.s32', [x, y], ofPredicate(1)), scalar('setp.lt.s32', [x, y], ofPredicate(2))],
    [ofPredicate(1), 0],
    [ofPredicate(2), 0],
    same,
  ],
  [
    'another comparison',
    [scalar('setp.lt.s32', [x, y], ofPredicate(1)), scalar('setp.gt.s32', [x, y], ofPredicate(2))],
    [ofPredicate(1), 0],
    [ofPredicate(2), 0],
    different,
  ],
  [
    'a choice of which one word is dropped',
    [{ _tag: 'scalar', name: 'selp.b64', from: [isFive, isFive, x, y, ofPredicate(2)], to: [null, p] }],
    [p, 0],
    [x, 0],
    different,
  ],
  ['a shift by data that are 32', [scalar('shl.b64', [x, y, y], p, q)], [q, 3], [x, 3], different],
  [
    'or with zeros that nothing has written',
    [scalar('or.b64', [x, y, count - 1, isZero], p, q)],
    [p, 2],
    [x, 2],
    different,
  ],
  ['lanes by data', [shuffled(p, isFive, y)], [p, 0], [isFive, 0], different],
  ['a bound by data', [{ ...bfly, clamp: y }], [p, 0], [isFive, 0], different],
  ['members by data', [{ ...bfly, members: y }], [p, 0], [isFive, 0], different],
  ['members of the text', [{ ...bfly, members: isOnes }], [p, 0], [isFive, 0], same],
  [
    'whether a lane is in range is no data',
    [scalar('setp.lt.s32', [x, y], ofPredicate(2)), { ...bfly, to: null, inRange: 2 }],
    [ofPredicate(2), 0],
    [ofPredicate(0), 0],
    same,
  ],
  ['a sum of all lanes, twice', [sum, keep, sum], [p, 0], [q, 0], same],
  [
    'after one lane has other data',
    [sum, keep, scalar('selp.b32', [y, x, ofPredicate(1)], x), sum],
    [p, 0],
    [q, 0],
    different,
  ],
  ['of two lanes', [sum], [p, 0], [p, 1], different],
  ['sums at two places', [sum, { ...sum, to: q }], [p, 0], [q, 0], different],
  ['a sum of no data', [{ ...sum, value: isFive }], [p, 0], [p, 1], same],
]

const termAt = (r: Rows, t: WordTerms, [at, lane]: readonly [Place, number]): number => {
  const term = Terms.termIn(r, t, at, lane)
  return isUnknown(r, at, lane) ? another(t.ledger) : term === 0 ? constant(wordIn(r, at, lane)) : term
}

describe('laws 2 to 4', () => {
  test.each(table)('%s', (_, code, one, two, is) => {
    const r = begun([11, 12, 13, 14, 15, 16, 17, 32])
    const t = termed(r)
    for (const o of code) {
      Terms.follow(r, t, o, lanes)
      compute(r, o, lanes)
    }
    expect(termAt(r, t, one) === termAt(r, t, two)).toBe(is)
  })
})

// ---------------------------------------------------------------- paths, ways, memory

const fresh = (): { r: Rows; t: WordTerms } => {
  const r = begun([11, 12, 13, 14, 15, 16, 17, 32])
  return { r, t: termed(r) }
}
const storedOf = (r: Rows, t: WordTerms, at: number, bytes = 4): ReadonlyArray<ReadonlyArray<number>> => {
  const out = Terms.originOf(r, t, [at], [0, 1, 2], bytes)
  if (out._tag !== 'terms') throw new Error(out._tag)
  return [[...out.stored.terms], [...out.stored.index]]
}

describe('what is stored', () => {
  test('a word of data is its term, byte by byte; one of the program its bytes; nothing is blank', () => {
    const { r, t } = fresh()
    const ofX = [0, 1, 2].map((lane) => Terms.termIn(r, t, x, lane))
    expect(storedOf(r, t, x)).toEqual([
      ofX.flatMap((term) => [term, term, term, term]),
      [0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3],
    ])
    setAll(r, p, 0x04030201)
    expect(storedOf(r, t, p)).toEqual([Array(12).fill(0), [1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4]])
    expect(storedOf(r, t, p, 2)[1]).toEqual([1, 2, 1, 2, 1, 2])
    // lane 2 of the last row holds nothing
    expect(storedOf(r, t, count - 1)[0]!.map((term) => term === blank)).toEqual([
      ...Array(8).fill(false),
      ...Array(4).fill(true),
    ])
  })
  test('what data have decided goes with what a lane stores, but with no constant of the text', () => {
    const { r, t } = fresh()
    const before = storedOf(r, t, x)
    Terms.decide(r, t, [x], 0b001, 4)
    Terms.decide(r, t, [isFive, w], 0b010, 4)
    const after = storedOf(r, t, x)
    expect(after[0]!.map((term, at) => term === before[0]![at])).toEqual([
      ...Array(4).fill(false),
      ...Array(8).fill(true),
    ])
    // the lane's number is stored because of data, the constant as it is
    expect(storedOf(r, t, w)[0]!.map((term) => term !== 0)).toEqual([
      ...Array(4).fill(true),
      ...Array(8).fill(false),
    ])
    expect(storedOf(r, t, isFive)[0]).toEqual(Array(12).fill(0))
  })
  test('decisions of other data, at other places, or after others are other paths', () => {
    const pathOf = (...all: ReadonlyArray<readonly [number, number]>): number => {
      const { r, t } = fresh()
      for (const [at, site] of all) Terms.decide(r, t, [at], 1, site)
      return t.path[0]!
    }
    const paths = [
      pathOf([x, 1]),
      pathOf([y, 1]),
      pathOf([x, 2]),
      pathOf([x, 1], [x, 1]),
      pathOf([x, 1], [y, 1]),
    ]
    expect(new Set(paths).size).toBe(5)
    expect(pathOf([x, 1])).toBe(paths[0])
    expect(pathOf([isFive, 1])).toBe(0)
  })
  test('a way goes with the access alone: with what is stored by it, and with what is loaded', () => {
    const { r, t } = fresh()
    const plain = storedOf(r, t, x)
    expect(Terms.waysOf(t, [0, 1, 2], 2)).toBeNull()
    Terms.lead(r, t, [y], 0b010, null)
    const ways = Terms.waysOf(t, [0, 1, 2], 2)!
    expect([...ways].map((way) => way !== 0)).toEqual([false, false, true, true, false, false])
    expect(ways[2]).toBe(ways[3])
    expect(storedOf(r, t, x)[0]!.map((term, at) => term === plain[0]![at])).toEqual([
      ...Array(4).fill(true),
      ...Array(4).fill(false),
      ...Array(4).fill(true),
    ])
    Terms.cameByWay(r, t, [isFive], lanes)
    expect([0, 1, 2, 3].map((lane) => Terms.termIn(r, t, isFive, lane) !== 0)).toEqual([
      false,
      true,
      false,
      false,
    ])
    Terms.begin(t, lanes)
    expect(Terms.waysOf(t, [0, 1, 2], 2)).toBeNull()
    expect(storedOf(r, t, x)).toEqual(plain)
    // by a predicate the site counts, by an address it does not
    const wayBy = (site: number | null): number => {
      Terms.begin(t, lanes)
      Terms.lead(r, t, [y], 1, site)
      return t.way[0]!
    }
    expect(new Set([wayBy(null), wayBy(1), wayBy(3), wayBy(4)]).size).toBe(4)
  })
  test('a lane is shown what has led another to its word, unless it has come that way itself', () => {
    const shownAfter = (mask: number): boolean => {
      const { r, t } = fresh()
      const [own] = [Terms.termIn(r, t, x, 1)]
      Terms.decide(r, t, [isLaneOne, ofPredicate(2)], mask, 1)
      if (mask !== 0) for (const lane of lanesOf(mask)) t.path[lane] = 77
      Terms.follow(r, t, shuffled(p, x, isLaneOne), lanes)
      return Terms.termIn(r, t, p, 0) === own
    }
    expect([0, 0b01, 0b10, 0b11].map(shownAfter)).toEqual([true, true, false, true])
  })
  test('what data have led a lane to is in what all lanes make together', () => {
    const vote: SilentOperation = {
      _tag: 'vote',
      mode: 'ballot',
      to: p,
      toPredicate: null,
      by: { predicate: 0, negated: false },
      members: null,
    }
    const { r, t } = fresh()
    const after = (lane: number, at: number): number => {
      t.path.fill(0)
      Terms.decide(r, t, [at], 1 << lane, 1)
      Terms.follow(r, t, vote, lanes)
      return Terms.termIn(r, t, p, 0)
    }
    const all = [after(0, isFive), after(0, x), after(3, x), after(3, y)]
    expect(all[0]).toBe(0)
    expect(new Set(all).size).toBe(4)
    expect(after(3, x)).toBe(all[2])
  })
  test('one place of data among others decides, and what it was counts', () => {
    const { r, t } = fresh()
    const pathOf = (...at: ReadonlyArray<number>): number => {
      t.path.fill(0)
      Terms.decide(r, t, at, 1, 1)
      return t.path[0]!
    }
    const wayOf = (...at: ReadonlyArray<number>): number => {
      Terms.begin(t, lanes)
      Terms.lead(r, t, at, 1, null)
      return t.way[0]!
    }
    for (const of of [pathOf, wayOf]) {
      const all = [of(x), of(y), of(x, isFive), of(isFive, x), of(x, y)]
      expect(all.every((term) => term !== 0)).toBe(true)
      expect(new Set(all).size).toBe(5)
      expect(of(isFive, isOnes)).toBe(0)
    }
  })
  test('what came by a way: other ways, other words', () => {
    const { r, t } = fresh()
    const came = (by: number, at: number): number => {
      Terms.begin(t, lanes)
      Terms.lead(r, t, [by], 1, null)
      Terms.setTerm(t, p, 0, 0)
      setAll(r, p, at)
      Terms.cameByWay(r, t, [p], 1)
      return Terms.termIn(r, t, p, 0)
    }
    expect(new Set([came(x, 1), came(y, 1), came(x, 2)]).size).toBe(3)
    expect(came(x, 1)).toBe(came(x, 1))
  })
  test('two words of each lane, one after the other; what is stored behind other data is other data', () => {
    const { r, t } = fresh()
    const of = (): ReadonlyArray<number> => {
      const out = Terms.originOf(r, t, [x, y], [0, 3], 4)
      return out._tag === 'terms' ? [...out.stored.terms].filter((_, at) => at % 4 === 0) : []
    }
    const plain = of()
    expect(plain).toEqual([0, 3].flatMap((lane) => [x, y].map((at) => Terms.termIn(r, t, at, lane))))
    Terms.decide(r, t, [x], 1, 1)
    const behind = of()
    Terms.decide(r, t, [y], 1, 1)
    expect(new Set([...plain.slice(0, 2), ...behind.slice(0, 2), ...of().slice(0, 2)]).size).toBe(6)
    expect(behind.slice(2)).toEqual(plain.slice(2))
    const all = Terms.originOfRows(r, t, [x, isFive])
    if (all._tag !== 'terms') throw new Error(all._tag)
    expect(all.stored.terms.length).toBe(256)
    expect([...all.stored.terms.subarray(0, 4)].every((term) => term === of()[0])).toBe(true)
    expect(all.stored.terms[12]).toBe(plain[2])
    expect([...all.stored.index.subarray(128, 132)]).toEqual([5, 0, 0, 0])
  })
})

describe('what is loaded', () => {
  const incoming = (t: WordTerms, terms: ReadonlyArray<number>, index: ReadonlyArray<number>): void => {
    const of = byteTerms(terms.length)
    of.terms.set(terms)
    of.index.set(index)
    t.ledger.incoming = of
  }
  test('a word that is whole is itself, and one of the program has no term', () => {
    const { r, t } = fresh()
    const term = another(t.ledger)
    incoming(t, [term, term, term, term, 0, 0, 0, 0], [0, 1, 2, 3, 9, 9, 9, 9])
    Terms.received(r, t, [1, 3], [p], 4, false)
    expect([1, 3].map((lane) => Terms.termIn(r, t, p, lane))).toEqual([term, 0])
    Terms.received(r, t, [1], [null, q], 4, false)
    expect(Terms.termIn(r, t, q, 1)).toBe(0)
  })
  test('words of several lanes, each of several rows; and the way by which they came', () => {
    const { r, t } = fresh()
    const terms = Array.from({ length: 6 }, () => another(t.ledger))
    incoming(
      t,
      terms.flatMap((term) => [term, term, term, term]),
      terms.flatMap(() => [0, 1, 2, 3]),
    )
    const found = (): ReadonlyArray<number> =>
      [1, 3].flatMap((lane) => [p, q, u].map((at) => Terms.termIn(r, t, at, lane)))
    Terms.received(r, t, [1, 3], [p, q, u], 4, false)
    expect(found()).toEqual(terms)
    Terms.lead(r, t, [x], 0b1000, null)
    Terms.received(r, t, [1, 3], [p, q, u], 4, false)
    expect(found().map((term, k) => term === terms[k])).toEqual([true, true, true, false, false, false])
    Terms.isConstant(r, t, p, 1, 1, 8, 4, false)
    Terms.isConstant(r, t, p, 3, 1, 8, 4, false)
    expect(found()[0]).not.toBe(found()[3])
    // a narrow word of the program is one of the program
    t.ledger.incoming = byteTerms(2)
    Terms.begin(t, lanes)
    Terms.received(r, t, [1], [p], 2, false)
    expect(Terms.termIn(r, t, p, 1)).toBe(0)
    // two bytes of four that are asked for are not there
    Terms.received(r, t, [1], [p], 4, false)
    expect(Terms.termIn(r, t, p, 1)).not.toBe(0)
  })
  test('what is narrow is another word, and its sign counts', () => {
    const { r, t } = fresh()
    const term = another(t.ledger)
    const narrowed = (signed: boolean): number => {
      incoming(t, [term, term], [0, 1])
      Terms.received(r, t, [1], [p], 2, signed)
      return Terms.termIn(r, t, p, 1)
    }
    expect(new Set([term, narrowed(false), narrowed(true), 0]).size).toBe(4)
    expect(narrowed(true)).toBe(narrowed(true))
  })
  test('what nothing has written is nothing; of more than was found nothing can be said', () => {
    const { r, t } = fresh()
    setAll(r, p, 1)
    incoming(t, [blank, 0, 0, 0, 0, 0, 0, 0], [0, 1, 2, 3, 0, 0, 0, 0])
    Terms.received(r, t, [1, 2, 3], [p], 4, false)
    expect([1, 2, 3].map((lane) => isUnknown(r, p, lane))).toEqual([true, false, false])
    expect([1, 2, 3].map((lane) => Terms.termIn(r, t, p, lane) !== 0)).toEqual([false, false, true])
    t.ledger.incoming = null
    Terms.received(r, t, [2], [p], 4, false)
    expect(Terms.termIn(r, t, p, 2)).not.toBe(0)
  })
  test('whole rows, four bytes a lane', () => {
    const { r, t } = fresh()
    const terms = Array.from({ length: 64 }, () => another(t.ledger))
    incoming(
      t,
      terms.flatMap((term) => [term, term, term, term]),
      terms.flatMap(() => [0, 1, 2, 3]),
    )
    Terms.receivedRows(r, t, [p, q])
    expect([p, q].flatMap((at) => lanesOf(-1).map((lane) => Terms.termIn(r, t, at, lane)))).toEqual(terms)
    t.ledger.incoming!.terms[4] = blank
    Terms.receivedRows(r, t, [p])
    expect([0, 1, 2].map((lane) => isUnknown(r, p, lane))).toEqual([false, true, false])
    t.ledger.incoming = null
    Terms.receivedRows(r, t, [p])
    expect(new Set(lanesOf(-1).map((lane) => Terms.termIn(r, t, p, lane))).size).toBe(32)
  })
  test('a word of four fields of two bytes each is blank where one of the eight is', () => {
    const { r, t } = fresh()
    for (const at of [0, 7, 8, 15, 16, 31]) {
      setAll(r, p, 1)
      setAll(r, q, 1)
      const of = Array.from({ length: 32 }, (_, k) => (k === at ? blank : 0))
      incoming(
        t,
        of,
        of.map(() => 0),
      )
      Terms.receivedFields(r, t, [0, 2], [p, q])
      const blanks = [0, 2].flatMap((lane) => [p, q].map((row1) => isUnknown(r, row1, lane)))
      expect(blanks).toEqual([0, 1, 2, 3].map((k) => Math.floor(at / 8) === k))
    }
  })
  test('what is filled in is data or not, in these lanes', () => {
    const { r, t } = fresh()
    Terms.filled(t, [p, null], 0b101, true)
    expect([0, 1, 2].map((lane) => Terms.termIn(r, t, p, lane) !== 0)).toEqual([true, false, true])
    expect(Terms.termIn(r, t, p, 0)).not.toBe(Terms.termIn(r, t, p, 2))
    Terms.filled(t, [p], 0b001, false)
    expect([0, 1, 2].map((lane) => Terms.termIn(r, t, p, lane) !== 0)).toEqual([false, false, true])
    Terms.setTerm(t, ofPredicate(2), 1, 5)
    Terms.setTerm(t, ofPredicate(1), 2, 5)
    expect([0, 1, 2].map((at) => Terms.ofDataIn(t, at, lanes))).toEqual([0, 0b100, 0b010])
    expect(Terms.ofDataIn(t, 1, 0b011)).toBe(0)
    Terms.settled(t, 1, 0b100)
    expect(Terms.ofDataIn(t, 1, lanes)).toBe(0)
  })
  test('words of memory that nothing writes: one term for a word, others for its parts', () => {
    const { r, t } = fresh()
    const at = (byte: number, bytes: number, signed = false, plane = 1): number => {
      Terms.isConstant(r, t, p, 0, plane, byte, bytes, signed)
      return Terms.termIn(r, t, p, 0)
    }
    expect(at(8, 4)).toBe(at(8, 4))
    const all = [at(8, 4), at(12, 4), at(8, 4, false, 2), at(8, 2), at(10, 2), at(8, 1), at(8, 2, true)]
    expect(new Set(all).size).toBe(all.length)
  })
  test('of two words of which it is not known which, the one where they are alike', () => {
    const { t } = fresh()
    const [one, two] = [another(t.ledger), another(t.ledger)]
    const of = (
      condition: number,
      a: readonly [number, number],
      b: readonly [number, number],
      unknown = [false, false],
    ): number => Terms.chosen(t, condition, [a, b], unknown)
    expect(of(9, [one, 1], [one, 2])).toBe(one)
    expect(of(9, [0, 4], [0, 4])).toBe(0)
    expect(of(9, [one, 1], [two, 1])).toBe(of(9, [one, 1], [two, 1]))
    expect(of(9, [one, 1], [two, 1])).not.toBe(of(8, [one, 1], [two, 1]))
    expect(of(9, [one, 1], [two, 1])).not.toBe(of(9, [two, 1], [one, 1]))
    expect(of(0, [one, 1], [two, 1])).not.toBe(of(0, [one, 1], [two, 1]))
    expect(of(9, [0, 4], [0, 5])).not.toBe(0)
    expect(of(9, [one, 1], [one, 1], [true, false])).not.toBe(one)
    expect(of(9, [one, 1], [one, 1], [false, true])).not.toBe(one)
  })
})
