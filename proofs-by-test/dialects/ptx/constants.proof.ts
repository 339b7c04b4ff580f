/**
 * Constant expressions, against an evaluator of their trees by the rules of C for 64 bits (shifts as ptxas makes them): a tree is written with the brackets that it needs, and no others.
 */
import * as E from 'fp-ts/lib/Either.js'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseModule } from '../../../src/dialects/ptx/index.js'

const head = '.version 8.7\n.target sm_90a\n.address_size 64\n'
interface Read {
  readonly value: bigint
  readonly unsigned: boolean
}
/** What a text comes to; null: it is none. */
const read = (text: string): Read | null => {
  const made = parseModule(`${head}.global .s64 x = ${text};\n`)
  if (E.isLeft(made)) return null
  const [item] = made.right.items
  const initial = item?._tag === 'variable' ? item.initial : null
  return initial?._tag === 'integer' ? { value: initial.value, unsigned: initial.unsigned } : null
}

// ---------------------------------------------------------------- trees

type Tree =
  | {
      readonly _tag: 'number'
      readonly value: bigint
      readonly marked: boolean
      readonly base: 2 | 8 | 10 | 16
    }
  | { readonly _tag: 'sign'; readonly sign: '-' | '+' | '~' | '!' | '(.s64)' | '(.u64)'; readonly x: Tree }
  | { readonly _tag: 'binary'; readonly op: string; readonly x: Tree; readonly y: Tree }
  | { readonly _tag: 'choice'; readonly c: Tree; readonly x: Tree; readonly y: Tree }

/** From the weakest to the strongest, as C has them. */
const ranks = [
  ['||'],
  ['&&'],
  ['|'],
  ['^'],
  ['&'],
  ['==', '!='],
  ['<', '>', '<=', '>='],
  ['<<', '>>'],
  ['+', '-'],
  ['*', '/', '%'],
]
const rankOf = (op: string): number => ranks.findIndex((r) => r.includes(op)) + 1

const written = (t: Tree): readonly [text: string, rank: number] => {
  const inside = (x: Tree, least: number): string => {
    const [text, rank] = written(x)
    return rank < least ? `(${text})` : text
  }
  switch (t._tag) {
    case 'number': {
      const digits = {
        2: `0b${t.value.toString(2)}`,
        8: `0${t.value.toString(8)}`,
        10: t.value.toString(),
        16: `0x${t.value.toString(16)}`,
      }[t.base]
      return [`${digits}${t.marked ? 'U' : ''}`, 12]
    }
    case 'sign':
      return [`${t.sign}${inside(t.x, 11)}`, 11]
    case 'binary':
      // of one rank the left one is first
      return [`${inside(t.x, rankOf(t.op))} ${t.op} ${inside(t.y, rankOf(t.op) + 1)}`, rankOf(t.op)]
    case 'choice':
      return [`${inside(t.c, 1)} ? ${inside(t.x, 0)} : ${inside(t.y, 0)}`, 0]
  }
}

const word = (value: bigint, unsigned: boolean): Read => ({
  value: unsigned ? BigInt.asUintN(64, value) : BigInt.asIntN(64, value),
  unsigned,
})
/** Null: it divides by zero. */
const valueOf = (t: Tree): Read | null => {
  switch (t._tag) {
    case 'number':
      return word(t.value, t.marked || t.value >= 2n ** 63n)
    case 'sign': {
      const x = valueOf(t.x)
      if (x === null) return null
      const of = {
        '-': -x.value,
        '+': x.value,
        '~': ~x.value,
        '!': x.value === 0n ? 1n : 0n,
        '(.s64)': x.value,
        '(.u64)': x.value,
      }[t.sign]
      return word(of, t.sign === '(.u64)' || (t.sign !== '(.s64)' && t.sign !== '!' && x.unsigned))
    }
    case 'choice': {
      const [c, x, y] = [valueOf(t.c), valueOf(t.x), valueOf(t.y)]
      return c === null || x === null || y === null
        ? null
        : word(c.value !== 0n ? x.value : y.value, x.unsigned || y.unsigned)
    }
    case 'binary': {
      const [x, y] = [valueOf(t.x), valueOf(t.y)]
      if (x === null || y === null) return null
      if (t.op === '<<' || t.op === '>>') {
        const by = BigInt.asUintN(6, y.value)
        return word(t.op === '<<' ? x.value << by : x.value >> by, x.unsigned)
      }
      const unsigned = x.unsigned || y.unsigned
      const [a, b] = unsigned
        ? [BigInt.asUintN(64, x.value), BigInt.asUintN(64, y.value)]
        : [x.value, y.value]
      const truth = (is: boolean): Read => word(is ? 1n : 0n, false)
      switch (t.op) {
        case '||':
          return truth(a !== 0n || b !== 0n)
        case '&&':
          return truth(a !== 0n && b !== 0n)
        case '==':
          return truth(a === b)
        case '!=':
          return truth(a !== b)
        case '<':
          return truth(a < b)
        case '>':
          return truth(a > b)
        case '<=':
          return truth(a <= b)
        case '>=':
          return truth(a >= b)
        case '|':
          return word(a | b, unsigned)
        case '^':
          return word(a ^ b, unsigned)
        case '&':
          return word(a & b, unsigned)
        case '+':
          return word(a + b, unsigned)
        case '-':
          return word(a - b, unsigned)
        case '*':
          return word(a * b, unsigned)
        case '/':
          return b === 0n ? null : word(a / b, unsigned)
        default:
          return b === 0n ? null : word(a % b, unsigned)
      }
    }
  }
}

const trees = fc.letrec<{ tree: Tree }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 5, depthSize: 'small' },
    fc.record({
      _tag: fc.constant('number' as const),
      value: fc.constantFrom(
        0n,
        1n,
        2n,
        3n,
        7n,
        40n,
        64n,
        65n,
        255n,
        2n ** 31n,
        2n ** 63n - 1n,
        2n ** 63n,
        2n ** 64n - 1n,
      ),
      marked: fc.boolean(),
      base: fc.constantFrom(2 as const, 8 as const, 10 as const, 16 as const),
    }),
    fc.record({
      _tag: fc.constant('sign' as const),
      sign: fc.constantFrom(
        '-' as const,
        '+' as const,
        '~' as const,
        '!' as const,
        '(.s64)' as const,
        '(.u64)' as const,
      ),
      x: tie('tree'),
    }),
    fc.record({
      _tag: fc.constant('binary' as const),
      op: fc.constantFrom(...ranks.flat()),
      x: tie('tree'),
      y: tie('tree'),
    }),
    fc.record({ _tag: fc.constant('choice' as const), c: tie('tree'), x: tie('tree'), y: tie('tree') }),
  ),
})).tree

test('an expression comes to what its tree comes to', () => {
  fc.assert(
    fc.property(trees, (t) => {
      // behind `=` a text begins with a number, a bracket or a sign
      const text = `(${written(t)[0]})`
      expect([text, read(text)]).toEqual([text, valueOf(t)])
    }),
    { numRuns: 400 },
  )
})

describe('numbers', () => {
  test.each([
    ['1-2-3', -4n, false],
    ['7 % 4*2', 6n, false],
    ['1+2*3', 7n, false],
    ['-7/2', -3n, false],
    ['-7 % 3', -1n, false],
    ['-1<0U', 0n, false],
    ['-1<0', 1n, false],
    // as ptxas 13.0 has them in its cubin
    ['1<<64', 1n, false],
    ['1<<65', 2n, false],
    ['1<<-1', -(2n ** 63n), false],
    ['-1>>70', -1n, false],
    ['0x8000000000000000>>64', 2n ** 63n, true],
    ['0x8000000000000000>>70', 2n ** 57n, true],
    ['-8>>1', -4n, false],
    ['0xFFFFFFFFFFFFFFFF', 2n ** 64n - 1n, true],
    ['017', 15n, false],
    ['0b101', 5n, false],
    ['8U', 8n, true],
    ['(.s64)0xFFFFFFFFFFFFFFFF', -1n, false],
    ['(.u64)-1', 2n ** 64n - 1n, true],
    ['1?2:3', 2n, false],
    ['0?2:3U', 3n, true],
  ] as const)('%s is %d', (text, value, unsigned) => {
    expect(read(text)).toEqual({ value, unsigned })
  })
  test.each([
    '1/0',
    '1 % 0',
    '7%4',
    '1%(2-2)',
    '09',
    '08',
    '0x1FFFFFFFFFFFFFFFFF',
    '18446744073709551616',
    '~1.5',
    '1.5+1',
    '1+1.5',
    '(1',
    '1?2',
  ])('%s is none', (text) => {
    expect(read(text)).toBeNull()
  })
})
