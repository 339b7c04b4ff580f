/** Marks of registers: after any silent operation the known bytes are the same whatever the unknown ones held before it. */
import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { bitsOfBytes, scalarOperation } from '../../../src/numerics/scalar/index.js'
import { bytesOfMark, mark, markOf, ofProduct } from '../../../src/numerics/shadow.js'
import * as Lanes from '../../../src/semantics/warps/lanes.js'
import { transpose } from '../../../src/semantics/warps/effects/matrices.js'
import { ofPredicate, type Silent as SilentOperation } from '../../../src/semantics/warps/program.js'
import { rows, setLane, setPredicate, wordAt, type Rows } from '../../../src/semantics/warps/rows.js'
import * as Shadows from '../../../src/semantics/warps/shadows.js'
import * as Silent from '../../../src/semantics/warps/silent.js'
import { nightly } from '../../extent.js'

const [rowCount, predicateCount] = [5, 3]

const row = fc.nat(rowCount - 1)
const predicate = fc.nat(predicateCount - 1)
const guard = fc.record({ predicate, negated: fc.boolean() })

const scalars = [
  'add.s32',
  'and.b32',
  'or.b32',
  'selp.b32',
  'prmt.b32',
  'shl.b32',
  'setp.lt.s32',
  'fma.rn.f32',
  'mul.wide.u32',
]
const scalar = fc.constantFrom(...scalars).chain((name) => {
  const { operands, results } = scalarOperation(name)!
  const placeOf = (type: string): fc.Arbitrary<number> =>
    type === 'pred' ? predicate.map((p) => -1 - p) : row
  return fc
    .tuple(
      fc.tuple(...operands.map(placeOf)),
      fc.tuple(...results.flatMap((type) => (type === 'u64' ? [row, row] : [placeOf(type)]))),
    )
    .map(([from, to]): SilentOperation => ({ _tag: 'scalar', name, from, to }))
})

const operation: fc.Arbitrary<SilentOperation> = fc.oneof(
  scalar,
  fc.uniqueArray(row, { minLength: 1, maxLength: 3 }).chain((to) =>
    fc.record({
      _tag: fc.constant('move' as const),
      to: fc.constant(to),
      from: fc.tuple(...to.map(() => row)),
    }),
  ),
  fc.record({
    _tag: fc.constant('part' as const),
    to: row,
    from: row,
    at: fc.constantFrom(0, 8, 16),
    bits: fc.constantFrom(8 as const, 16 as const),
  }),
  fc.record({
    _tag: fc.constant('pack' as const),
    to: row,
    from: fc.tuple(row, row),
    bits: fc.constantFrom(8 as const, 16 as const),
  }),
  fc.record({
    _tag: fc.constant('predicate' as const),
    op: fc.constantFrom('and' as const, 'or' as const, 'xor' as const),
    to: predicate,
    from: fc.tuple(guard, guard),
  }),
  fc.record({
    _tag: fc.constant('predicate' as const),
    op: fc.constantFrom('not' as const, 'mov' as const),
    to: predicate,
    from: fc.tuple(guard),
  }),
  fc.record({
    _tag: fc.constant('shuffle' as const),
    mode: fc.constantFrom('up' as const, 'down' as const, 'bfly' as const, 'idx' as const),
    to: row,
    inRange: predicate,
    value: row,
    lane: row,
    clamp: row,
    members: fc.constant(null),
  }),
  fc.record({
    _tag: fc.constant('vote' as const),
    mode: fc.constantFrom('all' as const, 'any' as const, 'uni' as const, 'ballot' as const),
    to: row,
    toPredicate: predicate,
    by: guard,
    members: fc.constant(null),
  }),
  fc.record({
    _tag: fc.constant('reduce' as const),
    op: fc.constantFrom('add' as const, 'min' as const, 'xor' as const),
    signed: fc.boolean(),
    to: row,
    value: row,
    members: row,
  }),
  fc.record({
    _tag: fc.constant('match' as const),
    mode: fc.constantFrom('any' as const, 'all' as const),
    to: row,
    all: predicate,
    value: fc.tuple(row),
    members: row,
  }),
  fc.record({ _tag: fc.constant('transposeMatrix' as const), to: row, from: row }),
  fc.record({ _tag: fc.constant('setPredicate' as const), to: predicate, value: fc.boolean() }),
)

const perform = (r: Rows, o: SilentOperation, mask: number): void => {
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
    case 'setPredicate':
      setPredicate(r, o.to, mask, o.value ? mask : 0, 0)
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
    case 'match':
      Lanes.match(r, o, mask)
      return
    case 'transposeMatrix':
      transpose(r, o)
      return
    default:
  }
}

/** A word of a few values, or any: choices, counts and equal words are to occur. */
const word = fc.oneof(fc.constantFrom(0, 1, 2, 8, 31, 0x3210, -1), fc.integer())

interface Sample {
  readonly words: ReadonlyArray<number>
  readonly others: ReadonlyArray<number>
  readonly bytes: ReadonlyArray<number>
  readonly truths: ReadonlyArray<number>
  readonly open: ReadonlyArray<number>
}

const sample = fc.record<Sample>({
  words: fc.array(word, { minLength: rowCount * 32, maxLength: rowCount * 32 }),
  others: fc.array(fc.integer(), { minLength: rowCount * 32, maxLength: rowCount * 32 }),
  // most is known
  bytes: fc.array(fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat(15) }), {
    minLength: rowCount * 32,
    maxLength: rowCount * 32,
  }),
  truths: fc.array(fc.integer(), { minLength: predicateCount * 2, maxLength: predicateCount * 2 }),
  open: fc.array(fc.oneof(fc.constant(0), fc.integer()), {
    minLength: predicateCount,
    maxLength: predicateCount,
  }),
})

/** Registers with these words; where bytes are not known, those of `others` if asked. */
const filled = (s: Sample, otherwise: boolean): Rows => {
  const r = rows(
    rowCount,
    predicateCount,
    null,
    null,
    Shadows.shadow(rowCount, predicateCount),
    null,
    null,
    null,
  )
  for (let i = 0; i < rowCount * 32; i++) {
    const free = bitsOfBytes(s.bytes[i]!)
    const w = s.words[i]! | 0
    setLane(r, Math.floor(i / 32), i % 32, otherwise ? (w & ~free) | (s.others[i]! & free) : w)
    Shadows.came(r, Math.floor(i / 32), i % 32, mark(s.bytes[i]!, 1 + (i % 3)), 32, false)
  }
  for (let p = 0; p < predicateCount; p++) {
    const truth = s.truths[p]!
    setPredicate(r, p, -1, otherwise ? truth ^ (s.truths[predicateCount + p]! & s.open[p]!) : truth, 0)
    r.shadow!.predicates[p] = s.open[p]! | 0
    r.shadow!.data.fill(2, p * 32, p * 32 + 32)
  }
  return r
}

const unknownBytes = (r: Rows, at: number, lane: number): number =>
  bytesOfMark(markOf(Shadows.carrierAt(r, at, lane, wordAt(r, at, lane))))

describe('law 1', () => {
  it('known bytes are what any data would make of them', () => {
    fc.assert(
      fc.property(
        sample,
        fc.array(operation, { minLength: 1, maxLength: 4 }),
        fc.oneof(fc.constant(-1), fc.integer()),
        (s, os, some) => {
          const [r, other] = [filled(s, false), filled(s, true)]
          for (const o of os) {
            const mask = o._tag === 'transposeMatrix' ? -1 : some
            if (mask === 0) continue
            Shadows.follow(r, o, o._tag === 'scalar' ? scalarOperation(o.name)! : null, mask)
            perform(r, o, mask)
            perform(other, o, mask)
            for (let at = 0; at < rowCount; at++)
              for (let lane = 0; lane < 32; lane++)
                expect(
                  (wordAt(r, at, lane) ^ wordAt(other, at, lane)) & ~bitsOfBytes(unknownBytes(r, at, lane)),
                  o._tag,
                ).toBe(0)
            for (let p = 0; p < predicateCount; p++)
              expect((r.predicates[p]! ^ other.predicates[p]!) & ~r.shadow!.predicates[p]!, o._tag).toBe(0)
          }
        },
      ),
      { numRuns: nightly ? 3000 : 25 },
    )
  })
})

describe('by hand', () => {
  const one = (): Rows => {
    const r = rows(3, 2, null, null, Shadows.shadow(3, 2), null, null, null)
    for (let at = 0; at < 3; at++) for (let lane = 0; lane < 32; lane++) setLane(r, at, lane, lane)
    return r
  }
  it('a ballot is unknown in the bytes of those lanes that are', () => {
    const r = one()
    setPredicate(r, 0, -1, 0x0f, 0)
    r.shadow!.predicates[0] = 1 << 9
    r.shadow!.data[9] = 4
    const by = { predicate: 0, negated: false }
    Shadows.follow(r, { _tag: 'vote', mode: 'ballot', to: 1, toPredicate: null, by, members: null }, null, -1)
    expect(unknownBytes(r, 1, 0)).toBe(2)
    for (const [mode, settled] of [
      ['any', true],
      ['all', true],
      ['uni', true],
    ] as const) {
      Shadows.follow(r, { _tag: 'vote', mode, to: null, toPredicate: 1, by, members: null }, null, -1)
      expect(r.shadow!.predicates[1] === 0, mode).toBe(settled)
    }
    setPredicate(r, 0, -1, 0, 0)
    Shadows.follow(r, { _tag: 'vote', mode: 'any', to: null, toPredicate: 1, by, members: null }, null, -1)
    expect(r.shadow!.predicates[1]).toBe(-1)
  })
  it('a conjunction with what does not hold is known', () => {
    const r = one()
    setPredicate(r, 0, -1, 0, 0)
    setPredicate(r, 1, -1, 0x3, 0)
    r.shadow!.predicates[0] = -1
    const from = [
      { predicate: 0, negated: false },
      { predicate: 1, negated: false },
    ]
    Shadows.follow(r, { _tag: 'predicate', op: 'and', to: 0, from }, null, -1)
    expect(r.shadow!.predicates[0]).toBe(0)
    r.shadow!.predicates[0] = -1
    r.shadow!.data.fill(9)
    Shadows.follow(r, { _tag: 'predicate', op: 'and', to: 0, from }, null, -1)
    expect(r.shadow!.predicates[0]).toBe(3)
    expect(Shadows.dependsOn(r, [-1], 1)).toBe(9)
    expect(Shadows.dependsOn(r, [-1], 4)).toBe(0)
  })
  it('movmatrix: row 1, column 3 becomes row 3, column 1', () => {
    const r = one()
    // lane 5 has columns 2 and 3 of row 1
    Shadows.came(r, 0, 5, mark(12, 7), 32, false)
    Shadows.follow(r, { _tag: 'transposeMatrix', to: 1, from: 0 }, null, -1)
    for (let lane = 0; lane < 32; lane++) expect(unknownBytes(r, 1, lane)).toBe(lane === 12 ? 12 : 0)
  })
  it('what is written anew is known, in the lanes that write', () => {
    const r = one()
    for (const place of [-1, -2, 2]) {
      r.shadow!.predicates.fill(-1)
      r.shadow!.lanes.fill(-1)
      Shadows.known(r, [place, null], 0xff)
      const left = [...r.shadow!.predicates, ...r.shadow!.lanes]
      expect(left).toEqual(left.map((_, i) => (i === (place < 0 ? -1 - place : 2 + place) ? ~0xff : -1)))
    }
  })
  it('a product is never known', () => {
    const r = one()
    const held = { a: [0], b: [1], c: [2], d: [0, 1] } as never
    Shadows.follow(r, Object.assign({ _tag: 'multiply' }, held) as SilentOperation, null, -1)
    expect(Shadows.dependsOn(r, [0], 1)).toBe(ofProduct)
  })
})

describe('a word that came', () => {
  const datum = 3
  // of what is not known, the bytes above a narrow value are copies of its sign, and not known as it is
  it.each([
    [8, true, 0b0001, 0b1111],
    [8, false, 0b0001, 0b0001],
    [16, true, 0b0010, 0b1110],
    [16, true, 0b0001, 0b0001],
    [16, true, 0b0011, 0b1111],
    [16, false, 0b0010, 0b0010],
    [32, true, 0b1000, 0b1000],
    [32, true, 0b0001, 0b0001],
    [32, false, 0b1010, 0b1010],
  ] as const)('of %d bits, signed %s: bytes %d are then %d', (bits, signed, bytes, then) => {
    const r = rows(2, 1, null, null, Shadows.shadow(2, 1), null, null, null)
    Shadows.came(r, 1, 5, mark(bytes, datum), bits, signed)
    const all = Array.from({ length: 32 }, (_, lane) => markOf(Shadows.carrierAt(r, 1, lane, 0)))
    expect(all.map((m) => bytesOfMark(m))).toEqual(all.map((_, lane) => (lane === 5 ? then : 0)))
    Shadows.came(r, 1, 5, 0, bits, signed)
    expect(markOf(Shadows.carrierAt(r, 1, 5, 0))).toBe(0)
  })
})

describe('votes', () => {
  // three lanes, each of which votes yes or no or is not known
  const votes = Array.from({ length: 27 }, (_, n) => [n % 3, Math.floor(n / 3) % 3, Math.floor(n / 9)])
  const resultOf = (mode: string, yes: ReadonlyArray<boolean>): boolean =>
    mode === 'all'
      ? yes.every(Boolean)
      : mode === 'any'
        ? yes.some(Boolean)
        : yes.every(Boolean) || !yes.some(Boolean)
  test.each(['all', 'any', 'uni'] as const)('%s: known where every completion has one result', (mode) => {
    for (const negated of [false, true])
      for (const all of votes) {
        const r = rows(1, 2, null, null, Shadows.shadow(1, 2), null, null, null)
        all.forEach((vote, lane) => {
          setPredicate(r, 0, 1 << lane, vote === 0 ? 0 : -1, 0)
          if (vote === 2) Shadows.markAs(r.shadow!, ofPredicate(0), lane, mark(1, 5))
        })
        Shadows.follow(
          r,
          { _tag: 'vote', mode, to: null, toPredicate: 1, by: { predicate: 0, negated }, members: null },
          null,
          0b111,
        )
        const completions = Array.from({ length: 8 }, (_, n) =>
          resultOf(
            mode,
            all.map((vote, lane) => (vote === 2 ? ((n >>> lane) & 1) === 1 : (vote === 1) !== negated)),
          ),
        )
        const isKnown = new Set(completions).size === 1
        expect([all, [0, 1, 2].map((lane) => Shadows.markIn(r.shadow!, ofPredicate(1), lane))]).toEqual([
          all,
          [0, 1, 2].map(() => (isKnown ? 0 : mark(1, 5))),
        ])
      }
  })
})
