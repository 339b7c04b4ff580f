/**
 * Expressions against their definitions: integers by BigInt, reductions by the order written out; then, by tables, what every operation
 * does gives for scalars, tiles, pointers and unknown data (what has no value, and which operand's fault is handed on: `faults.proof.ts`).
 */
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { WGMMA, WGMMA_COL, WGMMA_ROW } from '../../../src/layouts/tiled.js'
import { bits } from '../../../src/numerics/bits.js'
import { real64 } from '../../../src/numerics/real64.js'
import { unit } from '../../../src/numerics/unit.js'
import type { Algebra } from '../../../src/numerics/algebra.js'
import type {
  BinaryName,
  CompareName,
  ConvertName,
  Expr,
  ExprNode,
} from '../../../src/semantics/language/expression.js'
import * as X from '../../../src/semantics/language/expression.js'
import { evaluate } from '../../../src/semantics/machine/evaluate.js'
import { float, isFault, ptr, type TileValue, type Value } from '../../../src/semantics/machine/value.js'
import type { ScalarName } from '../../../src/semantics/language/types.js'
import { launched, solo } from './machine-samples.js'
import { prop } from '../../prop.js'

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
    case 'dividend.div.full.f32':
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
    const wrong: string[] = []
    for (const among of [smalls.map(BigInt), wide])
      for (const x of among)
        for (const y of among) {
          const expected = BigInt.asIntN(64, definition(op, 64n, x, y)!)
          const found = value(e, 'bits', [x, y])
          if (found !== expected)
            wrong.push(`${String(x)} ${op} ${String(y)} = ${String(found)}, not ${String(expected)}`)
        }
    expect(wrong).toEqual([])
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
    const wrong: string[] = []
    for (const op of names)
      for (const signed of [true, false])
        for (const x of edges)
          for (const y of edges)
            for (const width of [32, 64] as const) {
              const [a, b] = [x, y].map((v) => (signed ? BigInt(v) : BigInt.asUintN(width, BigInt(v))))
              const operands = width === 32 ? [X.i32(x), X.i32(y)] : [X.i64(BigInt(x)), X.i64(BigInt(y))]
              const expected = holds(op, a!, b!)
              const what = `${String(x)} ${op} ${String(y)} ${signed ? 'signed' : 'unsigned'} i${String(width)}`
              const found = value(compare(op, signed, operands[0]!, operands[1]!))
              const tiled = tileOf(compare(op, signed, tile(operands[0]!), tile(operands[1]!)))
              if (found !== expected || tiled.join() !== (expected ? '1' : '0')) wrong.push(what)
            }
    expect(wrong).toEqual([])
  })

  prop([fc.integer(), fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })])(
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

describe('an i64 is cast as its tile is', () => {
  // 65504 is the largest f16; between 4096 and 8192 they are 4 apart
  test.each<readonly [string, bigint, 'rn' | 'rz', boolean, number]>([
    ['to the nearest', 4099n, 'rn', false, 0x6c01],
    ['towards zero', 4099n, 'rz', false, 0x6c00],
    ['towards zero, below it', -4099n, 'rz', false, 0xec00],
    ['too large: infinity', 100000n, 'rn', false, 0x7c00],
    ['saturating: the largest', 100000n, 'rn', true, 0x7bff],
    ['and the smallest', -100000n, 'rn', true, 0xfbff],
  ])('%s', (_, x, rounding, saturate, pattern) => {
    expect(value(X.cast(X.i64(x), 'f16', rounding, saturate))).toEqual(float('f16', pattern))
    expect(tileOf(X.cast(X.splat<'i64', 1>(X.i64(x), [1]), 'f16', rounding, saturate))).toEqual([pattern])
  })
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

// ---------------------------------------------------------------- operands of every kind, on demand

const raw = (e: ExprNode): Expr => e as unknown as Expr
const slot = (k: number): ExprNode => ({ _tag: 'local', slot: k })
/** A tile by its contents. */
const given = (
  element: TileValue['element'],
  data: ReadonlyArray<number> | null,
  more: Partial<TileValue> = {},
): TileValue => ({
  _tag: 'tile',
  shape: [data === null ? 2 : data.length],
  element,
  pointee: 'i8',
  plane: -1,
  layout: 'any',
  data: data === null ? null : Float64Array.from(data),
  origin: { _tag: 'other' },
  ...more,
})
const pointers = (data: ReadonlyArray<number>, plane: number): TileValue =>
  given('ptr', data, { pointee: 'f16', plane })
const pointer = ptr('f16', 3, 8)
/** What an expression comes to over a frame: the code of its fault, the contents of a tile, or the scalar. */
const outcome = (e: ExprNode, frame: ReadonlyArray<Value | undefined>, algebra: Algebra['name']): unknown => {
  const v = value(raw(e), algebra, frame as ReadonlyArray<Value>)
  if (isFault(v)) return v.code
  return typeof v === 'object' && v._tag === 'tile' ? (v.data === null ? null : [...v.data]) : v
}
const f32 = (x: number): Value => ({ _tag: 'float', dtype: 'f32', x })
const unary: ExprNode = { _tag: 'unary', op: 'neg', mode: 'rn', x: slot(0) }
const binary = (op: BinaryName): ExprNode => ({ _tag: 'binary', op, x: slot(0), y: slot(1) })
const less = (signed: boolean = true): ExprNode => ({
  _tag: 'compare',
  op: 'lt',
  signed,
  x: slot(0),
  y: slot(1),
})
const fused: ExprNode = { _tag: 'fma', x: slot(0), y: slot(1), z: slot(2) }
const choice: ExprNode = { _tag: 'select', cond: slot(0), x: slot(1), y: slot(2) }
const convert = (op: ConvertName, to: ScalarName, saturate: boolean = false): ExprNode => ({
  _tag: 'convert',
  op,
  to,
  rounding: 'rn',
  saturate,
  x: slot(0),
})
const pack = (to: ScalarName, parts: number): ExprNode => ({
  _tag: 'pack',
  to,
  parts: Array.from({ length: parts }, (_, k) => slot(k)),
})
const unpack = (to: ScalarName, part: number): ExprNode => ({ _tag: 'unpack', to, part, x: slot(0) })

type Row = readonly [
  what: string,
  expression: ExprNode,
  frame: ReadonlyArray<Value | undefined>,
  expected: unknown,
  algebra?: Algebra['name'],
]
const table = (rows: ReadonlyArray<Row>): void => {
  for (const [what, e, frame, expected, algebra = 'bits'] of rows)
    test(what, () => {
      expect(outcome(e, frame, algebra)).toEqual(expected)
    })
}
const ones = given('f32', [1, 1])
const unknown = given('f32', null)

describe('one operand', () => {
  table([
    ['a scalar', unary, [f32(3)], f32(-3), 'real64'],
    ['a tile', unary, [given('f32', [1, -2])], [-1, 2], 'real64'],
    ['without data', unary, [unknown], null, 'real64'],
    ['a tile of what the algebra lacks', { ...unary, op: 'exp2' }, [ones], 'algebra.lacks'],
  ])
})

describe('two operands', () => {
  table([
    ['a tile and a scalar', binary('sub'), [given('i32', [5, 7]), 2], [3, 5]],
    ['a scalar and a tile', binary('sub'), [2, given('i32', [5, 7])], [-3, -5]],
    ['a tile and what failed', binary('add'), [ones, undefined], 'name.unset'],
    ['a tile and an i64 that no element holds', binary('add'), [given('i64', [1]), 2n ** 53n], 'i64.range'],
    ['other ranks', binary('add'), [ones, given('f32', [1, 1], { shape: [1, 2] })], 'tile.shape'],
    ['floats', binary('mul'), [given('f32', [2, 3]), given('f32', [5, 7])], [10, 21], 'real64'],
    [
      'i32 has no quotient of floats',
      binary('fdiv'),
      [given('i32', [1]), given('i32', [1])],
      'algebra.lacks',
    ],
    ['i1', binary('and'), [given('i1', [0, 0, 1, 1]), given('i1', [0, 1, 0, 1])], [0, 0, 0, 1]],
    ['i1, either', binary('or'), [given('i1', [0, 0, 1, 1]), given('i1', [0, 1, 0, 1])], [0, 1, 1, 1]],
    ['i1 is not shifted', binary('shl'), [given('i1', [1]), given('i1', [1])], 'algebra.lacks'],
    ['i64', binary('mul'), [given('i64', [3, -4]), given('i64', [5, 2 ** 40])], [15, -(2 ** 42)]],
    [
      'i64 has no quotient of floats',
      binary('fdiv'),
      [given('i64', [1]), given('i64', [1])],
      'algebra.lacks',
    ],
    ['i64 up to 2^53', binary('add'), [given('i64', [2 ** 53 - 2]), given('i64', [1])], [2 ** 53 - 1]],
    ['and not beyond', binary('add'), [given('i64', [0, 2 ** 53 - 1]), given('i64', [0, 1])], 'i64.range'],
    ['i64 of other shapes', binary('add'), [given('i64', [1]), given('i64', [1, 1])], 'tile.shape'],
    ['i64 without data', binary('add'), [given('i64', null), given('i64', [1, 1])], null],
  ])
  test('the layout is that of the operand that has one, of the first if both have', () => {
    const layoutOf = (...frame: ReadonlyArray<Value>): unknown => {
      const v = value(raw(binary('add')), 'real64', frame)
      return typeof v === 'object' && v._tag === 'tile' ? v.layout : v
    }
    const rows = given('f32', [1, 2], { layout: WGMMA_ROW })
    const columns = given('f32', [1, 2], { layout: WGMMA_COL })
    expect([
      layoutOf(ones, columns),
      layoutOf(rows, ones),
      layoutOf(rows, columns),
      layoutOf(f32(1), columns),
      layoutOf(rows, f32(1)),
      layoutOf(ones, ones),
      layoutOf(ones, given('f32', null, { layout: WGMMA_COL })),
    ]).toEqual([WGMMA_COL, WGMMA_ROW, WGMMA_ROW, WGMMA_COL, WGMMA_ROW, 'any', WGMMA_COL])
  })
})

describe('three operands of an fma', () => {
  const half = given('f16', [1, 1])
  table([
    ['scalars', fused, [f32(2), f32(3), f32(4)], f32(10), 'real64'],
    ['tiles', fused, [given('f32', [2, 3]), given('f32', [5, 7]), given('f32', [1, -1])], [11, 20], 'real64'],
    ['elements of another second', fused, [ones, half, ones], 'type.mismatch'],
    ['elements of another third', fused, [ones, ones, half], 'type.mismatch'],
    [
      'scalars of a dtype without arithmetic',
      fused,
      new Array<Value>(3).fill(float('e4m3', 1)),
      'algebra.lacks',
    ],
    ['tiles of it', fused, new Array<Value>(3).fill(given('e4m3', [1])), 'algebra.lacks'],
  ])
})

describe('comparisons', () => {
  const flags = [given('i1', [0, 0, 1, 1]), given('i1', [0, 1, 0, 1])]
  table([
    ['a tile and a scalar', less(), [given('i32', [1, 3]), 2], [1, 0]],
    ['a scalar and a tile', less(), [2, given('i32', [1, 3])], [0, 1]],
    ['other shapes', less(), [ones, given('f32', [1])], 'tile.shape'],
    ['floats', less(), [given('f32', [1, 2, 3]), given('f32', [2, 2, 2])], [1, 0, 0], 'real64'],
    ['bits', less(), flags, [0, 1, 0, 0]],
    ['bits, unsigned', less(false), flags, [0, 1, 0, 0]],
  ])
})

describe('choices', () => {
  const flags = given('i1', [1, 0])
  const [a, b] = [given('i32', [1, 2]), given('i32', [3, 4])]
  table([
    ['by a tile', choice, [flags, a, b], [1, 4]],
    ['of two shapes', choice, [flags, a, given('i32', [1])], 'tile.shape'],
    ['of two kinds', choice, [flags, a, given('i64', [1, 2])], 'type.mismatch'],
    ['of two planes', choice, [flags, pointers([0, 2], 1), pointers([4, 6], 2)], 'type.mismatch'],
  ])
  test('of pointers: pointers of that plane, to the same', () => {
    const v = value(raw(choice), 'bits', [flags, pointers([0, 2], 5), pointers([4, 6], 5)])
    expect(v).toEqual(pointers([0, 6], 5))
  })
})

describe('conversions', () => {
  table([
    ['a tile', convert('cast', 'i32'), [given('f32', [1.5, -2.5])], [2, -2], 'real64'],
    ['a tile that no cast knows', convert('cast', 'i32'), [ones], 'algebra.lacks', 'unit'],
    ['a tile of unknown data', convert('cast', 'f16'), [unknown], null, 'real64'],
    ['an i64 to a float', convert('cast', 'f32'), [3n], f32(3), 'real64'],
    ['an i64 beyond 2^53 to a float', convert('cast', 'f32'), [2n ** 53n], 'i64.range', 'real64'],
    ['an i64 to a narrow float', convert('cast', 'f16'), [4099n], float('f16', 0x6c01)],
    ['an i64 beyond a narrow float', convert('cast', 'f16'), [100000n], float('f16', 0x7c00)],
    ['an i64 to itself', convert('extS', 'i64'), [2n ** 60n], 2n ** 60n],
    [
      'an i64 to the one value that a float has',
      convert('cast', 'f32'),
      [3n],
      { _tag: 'float', dtype: 'f32', x: 0 },
      'unit',
    ],
    ['a bit, by its sign', convert('extS', 'i64'), [true], -1n],
    ['a bit, by zeros', convert('extU', 'i32'), [true], 1],
    ['i32 that saturate', convert('cast', 'f16', true), [given('i32', [100000, 1])], [0x7bff, 0x3c00]],
    ['i32 that do not', convert('cast', 'f16'), [given('i32', [100000, 1])], [0x7c00, 0x3c00]],
  ])
  test('a cast keeps what the tile is made of; the same bits read otherwise are something else', () => {
    const made = given('f32', [1, 1], { origin: { _tag: 'value', id: 7 } })
    const originOf = (e: ExprNode): unknown => {
      const v = value(raw(e), 'bits', [made])
      return typeof v === 'object' && v._tag === 'tile' ? v.origin : v
    }
    expect(originOf(convert('cast', 'f16'))).toEqual({ _tag: 'value', id: 7 })
    expect(originOf(convert('bitcast', 'i32'))).toEqual({ _tag: 'other' })
  })
})

describe('packing', () => {
  const half = (x: number): Value => ({ _tag: 'float', dtype: 'f16', x })
  table([
    ['a part that no number holds', pack('i64', 1), [2n ** 60n], 'type.mismatch'],
    ['to a float', pack('f32', 2), [half(0x5678), half(0x9234)], f32(0x92345678)],
    ['to an i32 below zero', pack('i32', 2), [half(0x5678), half(0x9234)], 0x92345678 - 2 ** 32],
    ['to an i64 below zero', pack('i64', 2), [-1, -2], -(2n ** 32n) - 1n],
    ['the low half', unpack('f16', 0), [0x12345678], half(0x5678)],
    ['the high half', unpack('f16', 1), [0x12345678], half(0x1234)],
    ['the high half below zero', unpack('f16', 1), [-1], half(0xffff)],
    ['half of a float', unpack('bf16', 1), [f32(0x3f800000)], { _tag: 'float', dtype: 'bf16', x: 0x3f80 }],
    ['an i32 out of an i64', unpack('i32', 1), [-(2n ** 33n)], -2],
  ])
})

describe('tiles made, taken apart and given another shape', () => {
  const splat = (x: ExprNode, shape: ReadonlyArray<number> = [2]): ExprNode => ({
    _tag: 'splat',
    x,
    shape,
    layout: 'any',
  })
  const broadcast = (...shape: ReadonlyArray<number>): ExprNode => ({
    _tag: 'broadcast',
    x: slot(0),
    shape,
    layout: 'any',
  })
  const reshape = (...shape: ReadonlyArray<number>): ExprNode => ({
    _tag: 'reshape',
    x: slot(0),
    shape,
    layout: 'any',
  })
  const expand = (axis: number): ExprNode => ({ _tag: 'expandDims', x: slot(0), axis, layout: 'any' })
  const turn = (...perm: ReadonlyArray<number>): ExprNode => ({
    _tag: 'transpose',
    x: slot(0),
    perm,
    layout: 'any',
  })
  const item: ExprNode = { _tag: 'item', x: slot(0) }
  const relaid: ExprNode = { _tag: 'convertLayout', x: slot(0), layout: WGMMA }
  const summed = (axis: number, result: ExprNode): ExprNode => ({
    _tag: 'reduce',
    x: slot(0),
    axis,
    combine: { params: ['l', 'r'], body: [], result },
    layout: 'any',
  })
  const named = (name: string): ExprNode => ({ _tag: 'name', name })
  const sum: ExprNode = { _tag: 'binary', op: 'add', x: named('l'), y: named('r') }
  const cube = given('i32', [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11], { shape: [2, 2, 3] })
  const counts: ExprNode = { _tag: 'iota', shape: [2, 3], axis: 0, start: 5, layout: 'any' }
  const looked = (axis: number): ExprNode => ({
    _tag: 'gather',
    x: slot(0),
    index: slot(1),
    axis,
    layout: 'any',
  })
  const places = (data: ReadonlyArray<number>, shape: ReadonlyArray<number>): Value =>
    given('i32', data, { shape })
  const none = Array<number>(30).fill(0)
  const ofBytes = places([1, 2, ...none], [32, 1])
  const dot = (saturate: boolean): ExprNode => ({
    _tag: 'dot',
    x: slot(0),
    y: slot(1),
    z: slot(2),
    as: 'i8',
    saturate,
  })
  table([
    [
      'looked up along the first',
      looked(0),
      [cube, places([1, 0, 1, 0, 1, 0], [1, 2, 3])],
      [6, 1, 8, 3, 10, 5],
    ],
    [
      'looked up along the middle',
      looked(1),
      [cube, places([1, 1, 0, 0, 1, 0], [2, 1, 3])],
      [3, 4, 2, 6, 10, 8],
    ],
    [
      'looked up along the last',
      looked(2),
      [cube, places([2, 1, 0, 0, 2, 2, 1, 1], [2, 2, 2])],
      [2, 1, 3, 3, 8, 8, 10, 10],
    ],
    ['looked up behind the end', looked(2), [cube, places([3, 0, 0, 0], [2, 2, 1])], 'tile.index'],
    ['looked up before the beginning', looked(2), [cube, places([-1, 0, 0, 0], [2, 2, 1])], 'tile.index'],
    ['looked up in another shape', looked(2), [cube, places([0, 0], [1, 2, 1])], 'tile.shape'],
    // a byte is the low bits: 300 is 44
    [
      'a product of bytes',
      dot(false),
      [places([127, 300, ...none], [1, 32]), ofBytes, places([5], [1, 1])],
      [220],
    ],
    [
      'a product that saturates',
      dot(true),
      [places([127, 300, ...none], [1, 32]), ofBytes, places([2 ** 31 - 9], [1, 1])],
      [2 ** 31 - 1],
    ],
    [
      'a product that wraps',
      dot(false),
      [places([127, 300, ...none], [1, 32]), ofBytes, places([2 ** 31 - 9], [1, 1])],
      [-(2 ** 31) + 206],
    ],
    [
      'a product of less than an instruction',
      dot(false),
      [places([1], [1, 1]), places([1], [1, 1]), places([1], [1, 1])],
      'algebra.lacks',
    ],
    [
      'a product of other extents',
      dot(false),
      [places([1, 2], [1, 2]), places([1], [1, 1]), places([1], [1, 1])],
      'tile.shape',
    ],
    ['counts along the rows', counts, [], [5, 5, 5, 6, 6, 6]],
    ['counts along the columns', { ...counts, axis: 1 } as ExprNode, [], [5, 6, 7, 5, 6, 7]],
    [
      'counts along the middle of three',
      { _tag: 'iota', shape: [2, 2, 2], axis: 1, start: 0, layout: 'any' },
      [],
      [0, 0, 1, 1, 0, 0, 1, 1],
    ],
    ['a scalar everywhere', splat(slot(0), [2, 2]), [7], [7, 7, 7, 7]],
    ['an i64 that no element holds everywhere', splat(slot(0)), [2n ** 53n], 'type.mismatch'],
    ['a float that nobody knows everywhere', splat(slot(0)), [f32(0)], null, 'unit'],
    ['an integer is known to everybody', splat(slot(0)), [7], [7, 7], 'unit'],
    ['repeated along the rows', broadcast(2, 2), [given('i32', [1, 2], { shape: [1, 2] })], [1, 2, 1, 2]],
    ['repeated along the columns', broadcast(2, 2), [given('i32', [1, 2], { shape: [2, 1] })], [1, 1, 2, 2]],
    [
      'repeated in the middle of three',
      broadcast(2, 2, 2),
      [given('i32', [1, 2, 3, 4], { shape: [2, 1, 2] })],
      [1, 2, 1, 2, 3, 4, 3, 4],
    ],
    ['repeated from two to four', broadcast(4), [given('i32', [1, 2])], 'tile.shape'],
    ['cut from four to two', broadcast(2), [given('i32', [1, 2, 3, 4])], 'tile.shape'],
    ['the axes of three in turn', turn(1, 2, 0), [cube], [0, 6, 1, 7, 2, 8, 3, 9, 4, 10, 5, 11]],
    ['the axes of three the other way', turn(2, 0, 1), [cube], [0, 3, 6, 9, 1, 4, 7, 10, 2, 5, 8, 11]],
    ['the first two exchanged', turn(1, 0, 2), [cube], [0, 1, 2, 6, 7, 8, 3, 4, 5, 9, 10, 11]],
    ['as many in another shape', reshape(4), [given('i32', [1, 2, 3, 4], { shape: [2, 2] })], [1, 2, 3, 4]],
    ['one element', item, [given('i32', [7])], 7],
    ['one element of rank 0', item, [given('i1', [1], { shape: [] })], true],
    ['an integer that nobody knows', item, [given('i32', null, { shape: [] })], 'algebra.control'],
    ['a pointer that nobody knows', item, [given('ptr', null, { shape: [] })], 'algebra.control'],
    ['a pointer', item, [pointers([6], 4)], ptr('f16', 4, 6)],
    ['a sum over the middle of three', summed(1, sum), [cube], [3, 5, 7, 15, 17, 19]],
    ['a sum over the last of three', summed(2, sum), [cube], [3, 12, 21, 30]],
    ['a sum of one element calls nothing', summed(0, named('other')), [given('i32', [3])], [3]],
    ['of floats that cannot be added', summed(0, sum), [given('e4m3', [1, 2])], 'algebra.lacks'],
    [
      'a sum over a layout of another shape',
      summed(0, sum),
      [given('f32', [1, 2], { layout: WGMMA })],
      'layout.shape',
    ],
  ])
  test('a body of a combine binds names, one after another', () => {
    const e: ExprNode = {
      _tag: 'reduce',
      x: slot(0),
      axis: 0,
      combine: {
        params: ['l', 'r'],
        body: [
          { name: 'twice', value: { _tag: 'binary', op: 'add', x: named('r'), y: named('r') } },
          { name: 'both', value: { _tag: 'binary', op: 'sub', x: named('l'), y: named('twice') } },
        ],
        result: {
          _tag: 'binary',
          op: 'add',
          x: named('both'),
          y: { _tag: 'const', dtype: 'i32', value: 100 },
        },
      },
      layout: 'any',
    }
    // (1 - 2*2 + 100) - 2*3 + 100
    expect(outcome(e, [given('i32', [1, 2, 3])], 'bits')).toEqual([191])
  })
  test('a value that was read, in another shape: its origin stays only where the whole of it does', () => {
    const read = given('i32', [1, 2], { shape: [1, 2], origin: { _tag: 'value', id: 3 } })
    const originOf = (e: ExprNode): unknown => {
      const v = value(raw(e), 'bits', [read])
      return typeof v === 'object' && v._tag === 'tile' ? [v.origin._tag, v.shape, v.layout] : v
    }
    expect(originOf(relaid)).toEqual(['value', [1, 2], WGMMA])
    expect(originOf(reshape(2))).toEqual(['other', [2], 'any'])
    expect(originOf(expand(1))).toEqual(['other', [1, 1, 2], 'any'])
    expect(originOf(expand(2))).toEqual(['other', [1, 2, 1], 'any'])
    expect(originOf(turn(1, 0))).toEqual(['other', [2, 1], 'any'])
  })
  test('what an accumulator may begin with: a zero that is written as one, of a float or an i32', () => {
    const zero = (dtype: ScalarName, text: number | string = 0): ExprNode => ({
      _tag: 'const',
      dtype,
      value: text,
    })
    const originOf = (x: ExprNode): unknown => {
      const v = value(raw(splat(x)), 'bits', [0])
      return typeof v === 'object' && v._tag === 'tile' ? v.origin._tag : v
    }
    expect([zero('f32'), zero('f16', '-0'), zero('i32')].map(originOf)).toEqual(['zero', 'zero', 'zero'])
    expect([zero('f32', 1), zero('i32', 1), zero('i64', '0'), zero('i1'), slot(0)].map(originOf)).toEqual(
      new Array(5).fill('other'),
    )
  })
  test('pointers stay pointers of their plane, to the same', () => {
    const row = { ...pointers([0, 2], 6), shape: [1, 2] }
    const wide = { ...pointers([0, 2, 0, 2], 6), shape: [2, 2] }
    expect(value(raw(broadcast(2, 2)), 'bits', [row])).toEqual(wide)
    expect(value(raw(turn(1, 0)), 'bits', [row])).toEqual({ ...row, shape: [2, 1] })
    expect(value(raw(reshape(2)), 'bits', [row])).toEqual(pointers([0, 2], 6))
    expect(value(raw(splat(slot(0))), 'bits', [pointer])).toEqual(pointers([8, 8], 3))
    expect(value(raw(broadcast(2, 2)), 'bits', [{ ...row, data: null }])).toEqual({ ...wide, data: null })
  })
})

describe('names', () => {
  test('an unbound one, and a slot that no statement has filled', () => {
    expect(outcome({ _tag: 'name', name: 'nobody' }, [], 'bits')).toBe('name.unbound')
    expect(outcome(slot(1), [1], 'bits')).toBe('name.unset')
    expect(outcome(slot(0), [0], 'bits')).toBe(0)
    expect(outcome(slot(0), [false], 'bits')).toBe(false)
  })
})
