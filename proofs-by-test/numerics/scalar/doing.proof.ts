/** The laws of `doing.ts`. Oracle: the arithmetic of each row, which knows nothing of its name, and whole numbers of the host. */
import { describe, expect, it } from 'vitest'
import {
  doingOf,
  rest,
  scalarOperations,
  wordsOf,
  type ScalarOperation,
} from '../../../src/numerics/scalar/index.js'

const named = <T extends ReturnType<typeof doingOf>['_tag']>(
  tag: T,
): ReadonlyArray<readonly [ScalarOperation, Extract<ReturnType<typeof doingOf>, { readonly _tag: T }>]> =>
  scalarOperations.flatMap((row) => {
    const does = doingOf(row.name)
    return does._tag === tag ? [[row, does as Extract<typeof does, { readonly _tag: T }>] as const] : []
  })

const bitsOf = (type: string): number => Number(type.slice(1))
const isWhole = (type: string): boolean => /^[bus]\d+$/.test(type)
/** What the bits of x are as a number of this type. */
const asType = (type: string, x: bigint): bigint =>
  type.startsWith('s') ? BigInt.asIntN(bitsOf(type), x) : BigInt.asUintN(bitsOf(type), x)
const wordsOfNumber = (type: string, x: bigint): ReadonlyArray<number> =>
  bitsOf(type) === 64
    ? [Number(BigInt.asIntN(32, x)), Number(BigInt.asIntN(32, x >> 32n))]
    : [Number(BigInt.asIntN(32, x))]

const numbers = [0n, 1n, -1n, 2n, 127n, 128n, -128n, 255n, 32767n, 0x7fffffffn, -0x80000000n, 1n << 62n]

const comparisons: Readonly<Record<string, (a: bigint, b: bigint) => boolean>> = {
  eq: (a, b) => a === b,
  ne: (a, b) => a !== b,
  lt: (a, b) => a < b,
  le: (a, b) => a <= b,
  gt: (a, b) => a > b,
  ge: (a, b) => a >= b,
  lo: (a, b) => a < b,
  ls: (a, b) => a <= b,
  hi: (a, b) => a > b,
  hs: (a, b) => a >= b,
}

describe('what an operation does', () => {
  it('law 1: a choice has one of its values, as the last operand says', () => {
    const rows = named('chooses')
    expect(rows.length).toBeGreaterThan(8)
    for (const [{ name, operands, results, compute }] of rows) {
      const n = wordsOf(results[0]!)
      const [yes, no] = [[1, 2].slice(0, n), [3, 4].slice(0, n)]
      expect([name, operands.at(-1), operands.length]).toEqual([name, 'pred', 3])
      for (const [c, chosen] of [
        [1, yes],
        [0, no],
      ] as const) {
        const found = [compute(...yes, ...no, c), rest[0]!].slice(0, n)
        expect([name, c, found]).toEqual([name, c, chosen])
      }
    }
  })
  it('law 2: a plain comparison of whole numbers says what holds', () => {
    const rows = named('compares').filter(([, { plain, type }]) => plain && isWhole(type))
    expect(rows.length).toBeGreaterThan(40)
    for (const [{ name, compute }, { by, type }] of rows)
      for (const a of numbers)
        for (const b of numbers) {
          const holds = comparisons[by]!(asType(type, a), asType(type, b))
          const p = compute(...wordsOfNumber(type, a), ...wordsOfNumber(type, b))
          expect([name, a, b, p, rest[0]]).toEqual([name, a, b, holds ? 1 : 0, holds ? 0 : 1])
        }
  })
  it('what is no plain comparison has another operand, or takes subnormal numbers as zeros', () => {
    for (const [{ name, operands }, { plain }] of named('compares'))
      expect([name, plain]).toEqual([name, operands.length === 2 && !name.includes('.ftz')])
  })
  it('law 3: a plain conversion of whole numbers leaves what both types have', () => {
    const rows = named('converts').filter(
      ([, { modifiers, to, from }]) => modifiers.length === 0 && isWhole(to) && isWhole(from),
    )
    expect(rows.length).toBeGreaterThan(40)
    for (const [{ name, compute }, { to, from }] of rows)
      for (const x of numbers) {
        if (asType(from, x) !== x || asType(to, x) !== x) continue
        const found = [compute(...wordsOfNumber(from, x)), rest[0]!].slice(0, bitsOf(to) === 64 ? 2 : 1)
        expect([name, x, found]).toEqual([name, x, wordsOfNumber(to, x)])
      }
  })
  it('types of a conversion are those of its row', () => {
    for (const [{ name, results, operands }, { to, from, count }] of named('converts')) {
      const isPair = (type: string): boolean => type.endsWith('x2')
      expect([name, results[0]!.startsWith(to) || wordsOf(results[0]!) === 1]).toEqual([name, true])
      if (isPair(results[0]!)) expect([name, count]).toEqual([name, 2])
      if (isWhole(from)) expect([name, operands[0]]).toEqual([name, from])
    }
  })
  it('everything else computes', () => {
    for (const [{ name }, { op, type, modifiers }] of named('computes'))
      expect([op, ...modifiers, type].join('.')).toBe(name)
    const others = named('computes').map(([{ name }]) => name)
    expect(others.filter((name) => /^(?:selp|setp)\b|^cvt\.(?!pack)/.test(name))).toEqual([])
    expect(doingOf('no.such.operation')).toMatchObject({ _tag: 'computes', op: '' })
  })
})
