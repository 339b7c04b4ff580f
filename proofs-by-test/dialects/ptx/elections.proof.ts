/** Which predicates elect one lane. Oracle: their value in every thread of a CTA, computed here from the number of the thread. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { electionOf } from '../../../src/dialects/ptx/mutants/elections.js'
import { codesOf, moduleOf } from './small-text.js'

/** %p1 by these instructions, in a CTA of so many threads. */
const elected = (lines: string, threads = 64): string => {
  const [code] = codesOf(
    moduleOf(
      [],
      `.reg .pred %p<6>; .reg .b32 %r<8>;
mov.u32 %r1, %tid.x; mov.u32 %r2, %laneid; and.b32 %r3, %r1, 31; ${lines}
@%p1 add.s32 %r7, %r7, 1;
ret;`,
    ),
  )
  const last = code!.instructions.find(({ guard }) => guard?.register.name === '%p1')!
  const election = electionOf(code!, last.guard!.register, [threads, 1, 1])
  return election === null ? 'none' : election.isTrue ? 'one' : 'all others'
}

/** One lane of some warps, and the lane behind it is there; or all but such. */
const by = (holds: (t: number) => boolean, threads = 64): string => {
  const all = Array.from({ length: threads }, (_, t) => t)
  const isOne = (some: ReadonlyArray<number>): boolean =>
    some.length > 0 &&
    new Set(some.map((t) => t >> 5)).size === some.length &&
    some.every((t) => t % 32 < 31 && t + 1 < threads)
  return isOne(all.filter(holds)) ? 'one' : isOne(all.filter((t) => !holds(t))) ? 'all others' : 'none'
}

const comparisons: Readonly<Record<string, (a: number, b: number) => boolean>> = {
  eq: (a, b) => a === b,
  ne: (a, b) => a !== b,
}
const registers: ReadonlyArray<readonly [string, (t: number) => number]> = [
  ['%r1', (t) => t],
  ['%r2', (t) => t % 32],
  ['%r3', (t) => t % 32],
]

test('a comparison of the thread or the lane with a number', () => {
  for (const [cmp, is] of Object.entries(comparisons))
    for (const [register, of] of registers)
      for (const n of [0, 1, 5, 30, 31, 32, 63])
        expect(
          elected(`setp.${cmp}.u32 %p1, ${register}, ${String(n)};`),
          `${cmp} ${register} ${String(n)}`,
        ).toBe(by((t) => is(of(t), n)))
})

test('the opposite, both, either, and a predicate by way of a word', () => {
  const first = 'setp.eq.u32 %p2, %r3, 0; setp.lt.u32 %p3, %r1, 32;'
  for (const [lines, holds] of [
    ['not.pred %p1, %p2;', (t: number) => t % 32 !== 0],
    ['and.pred %p1, %p2, %p3;', (t: number) => t === 0],
    ['or.pred %p1, %p2, %p3;', (t: number) => t % 32 === 0 || t < 32],
    ['selp.b32 %r4, 1, 0, %p2; setp.ne.u32 %p1, %r4, 0;', (t: number) => t % 32 === 0],
    ['selp.b32 %r4, 0, 1, %p2; setp.ne.u32 %p1, %r4, 0;', (t: number) => t % 32 !== 0],
  ] as const)
    expect(elected(`${first} ${lines}`), lines).toBe(by(holds))
})

test('of a comparison with two results neither is taken for one, and no other CTA is looked at', () => {
  expect(elected('setp.eq.u32 %p1|%p2, %r3, 0;')).toBe('none')
  expect(elected('setp.eq.u32 %p2|%p1, %r3, 0;')).toBe('none')
  expect(elected('setp.eq.u32 %p1, %r1, 0; @%p2 setp.eq.u32 %p1, %r1, 1;')).toBe('none')
  // the lane behind the last is none
  expect(elected('setp.eq.u32 %p1, %r1, 4;', 5)).toBe('none')
  expect(elected('setp.eq.u32 %p1, %r1, 3;', 5)).toBe('one')
})

// ---------------------------------------------------------------- whole computations

type Word = (t: number) => number
type Truth = (t: number) => boolean
/** Lines, what they leave in every thread, and whether all of them are followed. */
interface Made<A> {
  readonly lines: ReadonlyArray<string>
  readonly of: A
  readonly isFollowed: boolean
}

const operations: Readonly<Record<string, (a: number, b: number) => number>> = {
  'add.s32': (a, b) => (a + b) | 0,
  'sub.s32': (a, b) => (a - b) | 0,
  'and.b32': (a, b) => a & b,
  'or.b32': (a, b) => a | b,
  'xor.b32': (a, b) => a ^ b,
  'shl.b32': (a, b) => (b > 31 ? 0 : a << b),
  'shr.u32': (a, b) => (b > 31 ? 0 : (a >>> b) | 0),
  'shr.s32': (a, b) => (b > 31 ? a >> 31 : a >> b),
  // nothing follows from a product
  'mul.lo.s32': (a, b) => Math.imul(a, b),
}
const chosenWord = fc.constantFrom(
  ['%tid.x', (t: number) => t] as const,
  ['%laneid', (t: number) => t % 32] as const,
)
const steps = fc.array(
  fc.tuple(
    fc.oneof(
      { weight: 4, arbitrary: fc.constantFrom('add.s32', 'sub.s32', 'xor.b32') },
      fc.constantFrom(...Object.keys(operations)),
    ),
    fc.constantFrom(0, 1, 3, 5, 31, 32, -1),
    fc.boolean(),
  ),
  { maxLength: 3 },
)

/** A word of registers whose names begin so. */
const wordBy = (name: string): fc.Arbitrary<Made<Word>> =>
  fc.tuple(chosenWord, fc.boolean(), steps).map(([[special, of], isLane, all]) => {
    const lines = [`mov.u32 %${name}0, ${special};`]
    let word: Word = of
    if (isLane) {
      lines.push(`and.b32 %${name}1, %${name}0, 31;`)
      word = (t) => t % 32
    }
    let at = isLane ? 1 : 0
    let isFollowed = true
    for (const [op, n, isFirst] of all) {
      const [before, f] = [word, operations[op]!]
      const isShift = op.startsWith('sh')
      const [a, b] =
        isFirst && !isShift ? [String(n), `%${name}${String(at)}`] : [`%${name}${String(at)}`, String(n)]
      // a shift has no negative count
      if (isShift && n < 0) continue
      lines.push(`${op} %${name}${String(at + 1)}, ${a}, ${b};`)
      word = isFirst && !isShift ? (t) => f(n, before(t)) : (t) => f(before(t), n)
      if (op === 'mul.lo.s32' || (op.startsWith('shr') && n > 31)) isFollowed = false
      at++
    }
    lines.push(`mov.b32 %${name}9, %${name}${String(at)};`)
    return { lines, of: word, isFollowed }
  })

/** The predicate %p<number>. */
const compared = (number: number): fc.Arbitrary<Made<Truth>> =>
  fc
    .tuple(
      wordBy(`w${String(number)}`),
      fc.oneof({ weight: 5, arbitrary: fc.constantFrom('eq', 'ne') }, fc.constant('lt')),
      fc.oneof({ weight: 3, arbitrary: fc.nat(40) }, fc.constantFrom(-1, -2, 64)),
    )
    .map(([{ lines, of, isFollowed }, cmp, n]) => ({
      lines: [...lines, `setp.${cmp}.s32 %p${String(number)}, %w${String(number)}9, ${String(n)};`],
      of: (t: number) => (cmp === 'eq' ? of(t) === n : cmp === 'ne' ? of(t) !== n : of(t) < n),
      isFollowed: isFollowed && cmp !== 'lt',
    }))

const predicate: fc.Arbitrary<Made<Truth>> = fc
  .tuple(
    compared(2),
    compared(3),
    fc.constantFrom('mov', 'not', 'and', 'or', 'xor', 'one', 'other', 'negated'),
  )
  .map(([x, y, how]) => {
    const both = (line: string, of: Truth): Made<Truth> => ({
      lines: [...x.lines, ...y.lines, line],
      of,
      isFollowed: x.isFollowed && y.isFollowed,
    })
    const single = (line: string, of: Truth): Made<Truth> => ({
      lines: [...x.lines, line],
      of,
      isFollowed: x.isFollowed,
    })
    switch (how) {
      case 'not':
        return single('not.pred %p1, %p2;', (t) => !x.of(t))
      case 'and':
        return both('and.pred %p1, %p2, %p3;', (t) => x.of(t) && y.of(t))
      case 'negated':
        return both('and.pred %p1, %p2, !%p3;', (t) => x.of(t) && !y.of(t))
      case 'or':
        return both('or.pred %p1, %p2, %p3;', (t) => x.of(t) || y.of(t))
      case 'xor':
        return both('xor.pred %p1, %p2, %p3;', (t) => x.of(t) !== y.of(t))
      case 'one':
        return single('selp.b32 %w50, 4, 0, %p2; setp.ne.s32 %p1, %w50, 0;', x.of)
      case 'other':
        return single('selp.b32 %w50, 4, 9, %p2; setp.eq.s32 %p1, %w50, 9;', (t) => !x.of(t))
      default:
        return single('mov.pred %p1, %p2;', x.of)
    }
  })

const declared = '.reg .b32 %w2<10>; .reg .b32 %w3<10>; .reg .b32 %w5<2>;'

test('computations of some steps: what is followed is right, and what is not elects at most one', () => {
  let [elections, refused] = [0, 0]
  fc.assert(
    fc.property(predicate, fc.constantFrom(32, 33, 64), ({ lines, of, isFollowed }, threads) => {
      const [is, found] = [by(of, threads), elected(`${declared} ${lines.join(' ')}`, threads)]
      if (isFollowed) expect(found, lines.join(' ')).toBe(is)
      else if (found !== 'none') {
        // it may be true of one lane of a warp, and is true of no other
        const those = Array.from({ length: threads }, (_, t) => t).filter((t) => of(t) === (found === 'one'))
        expect(new Set(those.map((t) => t >> 5)).size, lines.join(' ')).toBe(those.length)
      }
      if (isFollowed && is !== 'none') elections++
      if (is === 'none') refused++
    }),
    { numRuns: 120, seed: 7 },
  )
  expect(elections).toBeGreaterThan(15)
  expect(refused).toBeGreaterThan(15)
})
