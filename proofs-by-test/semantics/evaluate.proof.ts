/** Expressions against their definitions: integers by BigInt, reductions by the order written out. */
import { fc, test as prop } from '@fast-check/vitest'
import { describe, expect, test } from 'vitest'
import { WGMMA } from '../../src/layouts/tiled.js'
import { bits } from '../../src/numerics/bits.js'
import { real64 } from '../../src/numerics/real64.js'
import { unit } from '../../src/numerics/unit.js'
import type { Algebra } from '../../src/numerics/algebra.js'
import type { BinaryName, CompareName, Expr, ExprNode } from '../../src/semantics/expression.js'
import * as X from '../../src/semantics/expression.js'
import { evaluate } from '../../src/semantics/machine/evaluate.js'
import { isFault, type Value } from '../../src/semantics/machine/value.js'
import { launched, solo } from './machine-samples.js'

const nothing = solo(function* () {
  yield* []
})
const worlds = new Map([bits('hopper'), real64, unit].map((a) => [a.name, launched(nothing, a).world]))
const value = (e: Expr, algebra: Algebra['name'] = 'bits', frame: ReadonlyArray<Value> = []): Value =>
  evaluate(worlds.get(algebra)!, { agent: 0, cta: 0, place: 0, cluster: 0 }, frame, e as unknown as ExprNode)
const local = (slot: number): Expr<'i32'> => ({ _tag: 'local', slot }) as unknown as Expr<'i32'>
const tileOf = (e: Expr, algebra: Algebra['name'] = 'bits'): ReadonlyArray<number> => {
  const v = value(e, algebra)
  if (typeof v !== 'object' || v._tag !== 'tile' || v.data === null) throw new Error(JSON.stringify(v))
  return [...v.data]
}

/** What PTX and LLVM say of each operation, on unbounded integers; the result is taken to the width. */
const floor = (x: bigint, y: bigint): bigint => {
  let q = x / y
  while (q * y > x === y > 0n && q * y !== x) q -= 1n
  return q
}
const definition = (op: BinaryName, width: bigint, x: bigint, y: bigint): bigint | null => {
  const unsigned = BigInt.asUintN(Number(width), x)
  const far = y < 0n || y >= width
  switch (op) {
    case 'add':
      return x + y
    case 'sub':
      return x - y
    case 'mul':
      return x * y
    case 'min':
      return x < y ? x : y
    case 'max':
      return x < y ? y : x
    case 'quo':
      return y === 0n ? 0n : (x < 0n === y < 0n ? 1n : -1n) * ((x < 0n ? -x : x) / (y < 0n ? -y : y))
    case 'rem':
      return y === 0n ? 0n : (x < 0n ? -1n : 1n) * ((x < 0n ? -x : x) % (y < 0n ? -y : y))
    case 'div':
      return y === 0n ? 0n : floor(x, y)
    case 'mod':
      return y === 0n ? 0n : x - y * floor(x, y)
    case 'and':
      return x & y
    case 'or':
      return x | y
    case 'xor':
      return x ^ y
    case 'shl':
      return far ? 0n : x * 2n ** y
    case 'shrS':
      return far ? (x < 0n ? -1n : 0n) : floor(x, 2n ** y)
    case 'shrU':
      return far ? 0n : unsigned / 2n ** y
    case 'fdiv':
    case 'div.full.f32':
    case 'div.full.ftz.f32':
    case 'div.approx.ftz.f32':
      return null
  }
}
const ops = [
  'add',
  'sub',
  'mul',
  'min',
  'max',
  'quo',
  'rem',
  'div',
  'mod',
  'and',
  'or',
  'xor',
  'shl',
  'shrS',
  'shrU',
] as const
const operations: Readonly<Record<(typeof ops)[number], (x: Expr<'i32'>, y: Expr<'i32'>) => Expr<'i32'>>> = {
  add: X.add,
  sub: X.sub,
  mul: X.mul,
  min: X.min,
  max: X.max,
  quo: X.quo,
  rem: X.rem,
  div: X.div,
  mod: X.mod,
  and: X.and,
  or: X.or,
  xor: X.xor,
  shl: X.shl,
  shrS: X.shrS,
  shrU: X.shrU,
}
const edges = [-(2 ** 31), -(2 ** 31) + 1, -65537, -65536, -1, 0, 1, 31, 32, 33, 65535, 46341, 2 ** 31 - 1]
const smalls = Array.from({ length: 41 }, (_, i) => i - 20)

describe('integers', () => {
  test.each(ops)('i32 %s: small operands exhaustively, and every pair of edges', (op) => {
    const e = operations[op](local(0), local(1))
    const wrong: string[] = []
    for (const among of [smalls, edges])
      for (const x of among)
        for (const y of among) {
          const expected = Number(BigInt.asIntN(32, definition(op, 32n, BigInt(x), BigInt(y))!))
          const found = value(e, 'bits', [x, y])
          if (!Object.is(found, expected))
            wrong.push(`${String(x)} ${op} ${String(y)} = ${String(found)}, not ${String(expected)}`)
        }
    expect(wrong).toEqual([])
  })

  test.each(ops)('i64 %s: small operands exhaustively, and every pair of edges', (op) => {
    const e = operations[op](local(0), local(1))
    const wide = [...edges.map(BigInt), 63n, 64n, -(2n ** 63n), 2n ** 63n - 1n, 2n ** 53n + 1n, 3037000500n]
    for (const among of [smalls.map(BigInt), wide])
      for (const x of among)
        for (const y of among)
          expect(value(e, 'bits', [x, y]), `${String(x)} ${op} ${String(y)}`).toBe(
            BigInt.asIntN(64, definition(op, 64n, x, y)!),
          )
  })

  test.each(ops)('%s of tiles is that of their elements', (op) => {
    const n = 16
    const splat = (x: number): X.Tile<'i32', 1> => X.splat<'i32', 1>(X.i32(x), [n])
    const x = X.sub(X.iota<1>([n], 0), splat(8))
    for (const y of [-7, -1, 0, 3, 33]) {
      const e = operations[op](x as unknown as Expr<'i32'>, splat(y) as unknown as Expr<'i32'>)
      expect(tileOf(e)).toEqual(
        Array.from({ length: n }, (_, i) =>
          Number(BigInt.asIntN(32, definition(op, 32n, BigInt(i - 8), BigInt(y))!)),
        ),
      )
    }
  })

  test('comparisons, signed and unsigned, of i32, i64 and tiles of both', () => {
    const names: ReadonlyArray<CompareName> = ['eq', 'ne', 'lt', 'le', 'gt', 'ge']
    const holds = (op: CompareName, x: bigint, y: bigint): boolean =>
      ({ eq: x === y, ne: x !== y, lt: x < y, le: x <= y, gt: x > y, ge: x >= y })[op]
    const compare = (op: CompareName, signed: boolean, x: Expr, y: Expr): Expr =>
      ({ _tag: 'compare', op, signed, x, y }) as unknown as Expr
    const tile = (e: Expr): Expr => X.splat(e as Expr<'i32'>, [1])
    for (const op of names)
      for (const signed of [true, false])
        for (const x of edges)
          for (const y of edges)
            for (const width of [32, 64] as const) {
              const [a, b] = [x, y].map((v) => (signed ? BigInt(v) : BigInt.asUintN(width, BigInt(v))))
              const operands = width === 32 ? [X.i32(x), X.i32(y)] : [X.i64(BigInt(x)), X.i64(BigInt(y))]
              const expected = holds(op, a!, b!)
              const what = `${String(x)} ${op} ${String(y)} ${signed ? 'signed' : 'unsigned'} i${String(width)}`
              expect(value(compare(op, signed, operands[0]!, operands[1]!)), what).toBe(expected)
              expect(tileOf(compare(op, signed, tile(operands[0]!), tile(operands[1]!))), what).toEqual([
                expected ? 1 : 0,
              ])
            }
  })

  prop.prop([fc.integer(), fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })])(
    'widths: extensions, truncations, packing',
    (x, y) => {
      expect(value(X.extS(X.i32(x), 'i64'))).toBe(BigInt(x))
      expect(value(X.extU(X.i32(x), 'i64'))).toBe(BigInt.asUintN(32, BigInt(x)))
      expect(value(X.trunc(X.i64(y), 'i32'))).toBe(Number(BigInt.asIntN(32, y)))
      expect(value(X.trunc(X.i32(x), 'i1'))).toBe((x & 1) === 1)
      const halves = [0, 1].map((part) => value(X.unpack('i32', part, X.i64(y))))
      expect(halves).toEqual([Number(BigInt.asIntN(32, y)), Number(BigInt.asIntN(32, y >> 32n))])
      expect(
        value(
          X.pack(
            'i64',
            halves.map((h) => X.i32(Number(h))),
          ),
        ),
      ).toBe(y)
    },
  )
})

describe('special functions by name', () => {
  const thirds = X.splat<'f32', 1>(X.float('f32', 1 / 3), [2])
  test('a scalar and a tile: what the chip answers in bits, the function itself in real64', () => {
    const ex2 = X.special('ex2.approx.ftz.f32', X.float('f32', -3))
    expect(value(ex2)).toEqual({ _tag: 'float', dtype: 'f32', x: 0x3e000000 })
    expect(value(ex2, 'real64')).toEqual({ _tag: 'float', dtype: 'f32', x: 0.125 })
    expect(tileOf(X.special('rcp.approx.ftz.f32', thirds))).toEqual([0x40400000, 0x40400000])
    expect(tileOf(X.specialQuotient('div.full.f32', thirds, thirds))).toEqual([0x3f800000, 0x3f800000])
    expect(tileOf(X.specialQuotient('div.full.f32', thirds, thirds), 'real64')).toEqual([1, 1])
  })
  test("a source's exp2 needs a compiler", () => {
    const exp2 = X.exp2(X.float('f32', 0.3))
    const wrong = value(exp2)
    expect(isFault(wrong) && wrong.code).toBe('algebra.lacks')
    const triton = launched(nothing, bits('hopper', 'triton')).world
    const here = { agent: 0, cta: 0, place: 0, cluster: 0 }
    expect(evaluate(triton, here, [], exp2 as unknown as ExprNode)).toEqual({
      _tag: 'float',
      dtype: 'f32',
      x: 0x3f9d9624,
    })
  })
})

describe('total: what cannot be computed is a fault that propagates', () => {
  const faulty = (e: Expr, algebra: Algebra['name']): string => {
    const v = value(e, algebra)
    if (!isFault(v)) throw new Error(`no fault: ${JSON.stringify(v)}`)
    return v.code
  }
  test('an unbound slot, a lacking operation, unknown data, mixed types', () => {
    expect(faulty(X.add(X.add(local(9), X.i32(1)), X.i32(2)), 'bits')).toBe('name.unset')
    expect(faulty(X.bitcast(X.float('f32', 1), 'i32'), 'real64')).toBe('algebra.lacks')
    expect(
      faulty(
        X.any(X.lt(X.splat<'f16', 1>(X.float('f16', 1), [4]), X.splat<'f16', 1>(X.float('f16', 2), [4]))),
        'unit',
      ),
    ).toBe('algebra.control')
    expect(faulty(X.add(X.i32(1), X.i64(1n) as unknown as X.Int), 'bits')).toBe('type.mismatch')
  })
  test('select does not look at the arm it does not take', () => {
    expect(value(X.select(X.i1(true), X.i32(1), local(9)))).toBe(1)
  })
})

test('select over tiles takes each element from one of the two', () => {
  const [x, y] = [X.iota<1>([5], 0), X.splat<'i32', 1>(X.i32(10), [5])]
  const even = X.eq(X.and(x, X.splat<'i32', 1>(X.i32(1), [5])), X.splat<'i32', 1>(X.i32(0), [5]))
  expect(tileOf(X.select(even, x, y))).toEqual([0, 10, 2, 10, 4])
})
test('pack: the first part is lowest, each as wide as it is', () => {
  expect(value(X.pack('i64', [X.i32(-2), X.i32(3)]))).toBe(3n * 2n ** 32n + 2n ** 32n - 2n)
  expect(value(X.pack('i32', [X.float('f16', 1), X.float('f16', 2)]))).toBe(0x40003c00)
})

test('an i64 cut off at one bit, and at 32', () => {
  const of = (x: bigint): ReadonlyArray<Value> => [
    value(X.trunc(X.i64(x), 'i1')),
    value(X.trunc(X.i64(x), 'i32')),
  ]
  expect([of(2n), of(3n), of(-1n), of(2n ** 32n), of(2n ** 31n + 1n)]).toEqual([
    [false, 2],
    [true, 3],
    [true, -1],
    [false, 0],
    [true, -(2 ** 31) + 1],
  ])
})

test('not: the other one', () => {
  expect([value(X.not(X.i1(true))), value(X.not(X.i1(false)))]).toEqual([false, true])
  const below = X.lt(X.iota<1>([3], 0), X.splat<'i32', 1>(X.i32(1), [3]))
  expect(tileOf(X.not(below))).toEqual([0, 1, 1])
})

describe('shapes', () => {
  test('broadcast, transpose, expandDims and reshape against plain indices', () => {
    const x = X.add(X.mul(X.iota<2>([3, 4], 0), X.splat<'i32', 2>(X.i32(10), [3, 4])), X.iota<2>([3, 4], 1))
    expect(tileOf(X.transpose(x, [1, 0]))).toEqual(
      [0, 1, 2, 3].flatMap((j) => [0, 1, 2].map((i) => 10 * i + j)),
    )
    expect(tileOf(X.reshape(x, [2, 6]))).toEqual(
      [0, 1, 2].flatMap((i) => [0, 1, 2, 3].map((j) => 10 * i + j)),
    )
    const row = X.iota<1>([4], 0)
    expect(tileOf(X.broadcast(X.expandDims(row, 0), [3, 4]))).toEqual([0, 1, 2].flatMap(() => [0, 1, 2, 3]))
    expect(tileOf(X.broadcast(X.expandDims(row, 1), [4, 2]))).toEqual([0, 1, 2, 3].flatMap((i) => [i, i]))
  })
})

/** f32 addition, one rounding. */
const plus = (x: number, y: number): number => Math.fround(x + y)

describe('reduce', () => {
  test('a WGMMA row sum: column 8 j + 2 c + v by j, then v, then lanes c by butterfly', () => {
    const [rows, columns] = [64, 64]
    // terms whose sum depends on the order
    const term = (i: number, j: number): number =>
      Math.fround(Math.sin(1 + 37 * i + j) * 2 ** ((7 * j + i) % 24))
    const pattern = (x: number): number => new Uint32Array(Float32Array.of(x).buffer)[0]!
    const data = Float64Array.from({ length: rows * columns }, (_, k) =>
      pattern(term(Math.floor(k / columns), k % columns)),
    )
    const v = value(X.reduce(local(0) as unknown as X.Tile<'f32', 2>, 1, X.add), 'bits', [
      {
        _tag: 'tile',
        shape: [rows, columns],
        element: 'f32',
        pointee: 'i8',
        plane: -1,
        layout: WGMMA,
        data,
        origin: { _tag: 'other' },
      },
    ])
    const expected = Array.from({ length: rows }, (_, i) => {
      const s = (c: number, lane: number): number =>
        Array.from({ length: columns / 8 - 1 }, (__, j) => term(i, 8 * (j + 1) + 2 * c + lane)).reduce(
          plus,
          term(i, 2 * c + lane),
        )
      const lane = (c: number): number => plus(s(c, 0), s(c, 1))
      return plus(plus(lane(0), lane(1)), plus(lane(2), lane(3)))
    })
    const leftToRight = Array.from({ length: rows }, (_, i) =>
      Array.from({ length: columns }, (__, j) => term(i, j)).reduce(plus),
    )
    expect(v).toMatchObject({ _tag: 'tile', shape: [rows], data: Float64Array.from(expected, pattern) })
    expect(expected).not.toEqual(leftToRight)
  })

  test('of floats by one operation, its two operands as they come, exchanged, or one of them twice', () => {
    const counts = X.add(X.iota<2>([1, 3], 1), X.splat<'i32', 2>(X.i32(2), [1, 3]))
    const terms = X.cast(counts, 'f32') as X.Tile<'f32', 2>
    const by = (combine: (a: Expr<'f32'>, b: Expr<'f32'>) => Expr<'f32'>): ReadonlyArray<number> =>
      tileOf(X.reduce(terms, 1, combine), 'real64')
    expect(by((a, b) => X.sub(a, b))).toEqual([2 - 3 - 4])
    expect(by((a, b) => X.sub(b, a))).toEqual([4 - (3 - 2)])
    expect(by((_, b) => X.add(b, b))).toEqual([8])
    expect(by((a) => X.add(a, a))).toEqual([8])
    expect(by((a, b) => X.add(X.add(a, b), b))).toEqual([2 + 6 + 8])
  })

  test('without a layout it goes left to right', () => {
    const x = X.iota<2>([2, 5], 1)
    const last = X.reduce(x, 1, (a, b) => X.sub(X.mul(a, X.i32(3)), b))
    const expected = [1, 2, 3, 4].reduce((a, b) => 3 * a - b, 0)
    expect(tileOf(last)).toEqual([expected, expected])
  })
})
