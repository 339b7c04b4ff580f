/**
 * Scalars by kind: which operation each kind of scalar has, and what it says where it has none. The arithmetic of 32 and 64 bits itself is
 * proven in `evaluate.proof.ts`; here are tables of bits, of conversions, and of operands that do not go together.
 */
import { describe, expect, test } from 'vitest'
import { bits } from '../../../src/numerics/bits.js'
import { field } from '../../../src/numerics/field.js'
import { real64 } from '../../../src/numerics/real64.js'
import { unit } from '../../../src/numerics/unit.js'
import type { BinaryName, CompareName } from '../../../src/semantics/language/expression.js'
import {
  binaryScalar,
  bitBinary,
  carrierOf,
  compareScalar,
  constantOf,
  convertScalar,
  dtypeOfScalar,
  scalarOf,
} from '../../../src/semantics/machine/scalar.js'
import * as V from '../../../src/semantics/machine/value.js'
import type { FaultValue, Value } from '../../../src/semantics/machine/value.js'
import type { World } from '../../../src/semantics/machine/world.js'
import type { ScalarName } from '../../../src/semantics/language/types.js'
import { launched, solo } from './machine-samples.js'

const nothing = solo(function* () {
  yield* []
})
const chip: World = launched(nothing, bits('hopper')).world
const exact: World = launched(nothing, real64).world
const residues: World = launched(nothing, field(1)).world
const empty: World = launched(nothing, unit).world

/** A value, or the code of its fault. */
const found = (v: Value): Value | string => (V.isFault(v) ? v.code : v)
const f32 = (x: number): Value => V.float('f32', x)
const place = V.ptr('f16', 0, 0)

describe('bits', () => {
  const pairs = [
    [false, false],
    [false, true],
    [true, false],
    [true, true],
  ] as const
  // arithmetic modulo 2, and the order false < true
  test.each<readonly [BinaryName, ReadonlyArray<boolean | null>]>([
    ['and', [false, false, false, true]],
    ['mul', [false, false, false, true]],
    ['min', [false, false, false, true]],
    ['or', [false, true, true, true]],
    ['max', [false, true, true, true]],
    ['xor', [false, true, true, false]],
    ['add', [false, true, true, false]],
    ['sub', [false, true, true, false]],
    ['shl', [null, null, null, null]],
    ['quo', [null, null, null, null]],
  ])('%s', (op, expected) => {
    expect(pairs.map(([x, y]) => bitBinary(op, x, y))).toEqual(expected)
    expect(pairs.map(([x, y]) => found(binaryScalar(chip, op, x, y)))).toEqual(
      expected.map((b) => b ?? 'algebra.lacks'),
    )
  })
  test.each<readonly [CompareName, ReadonlyArray<boolean>]>([
    ['eq', [true, false, false, true]],
    ['ne', [false, true, true, false]],
    ['lt', [false, true, false, false]],
    ['le', [true, true, false, true]],
    ['gt', [false, false, true, false]],
    ['ge', [true, false, true, true]],
  ])('%s', (op, expected) => {
    expect(pairs.map(([x, y]) => compareScalar(chip, op, false, x, y))).toEqual(expected)
  })
})

describe('operands of two kinds', () => {
  const kinds: ReadonlyArray<readonly [string, Value]> = [
    ['i1', true],
    ['i32', 1],
    ['i64', 1n],
    ['f32', f32(1)],
    ['f16', V.float('f16', 1)],
    ['a pointer', place],
  ]
  const pairs = kinds.flatMap(([a, x]) => kinds.map(([b, y]) => [a, b, x, y] as const))
  test.each(pairs)('%s and %s', (a, b, x, y) => {
    const together = a === b && a !== 'a pointer'
    for (const world of [chip, exact]) {
      expect(found(binaryScalar(world, 'add', x, y)) === 'type.mismatch').toBe(!together)
      expect(found(compareScalar(world, 'lt', true, x, y)) === 'type.mismatch').toBe(!together)
    }
  })
})

describe('what an algebra has', () => {
  test('floats: the five operations and a quotient; no remainder, no bits', () => {
    const [six, two] = [f32(6), f32(2)]
    const by = (op: BinaryName): Value | string => found(binaryScalar(exact, op, six, two))
    expect((['add', 'sub', 'mul', 'min', 'max', 'fdiv'] as const).map(by)).toEqual(
      [8, 4, 12, 2, 6, 3].map(f32),
    )
    for (const op of ['quo', 'rem', 'div', 'mod', 'and', 'or', 'xor', 'shl', 'shrS', 'shrU'] as const)
      expect(by(op), op).toBe('algebra.lacks')
    expect((['div.full.f32', 'div.full.ftz.f32', 'div.approx.ftz.f32'] as const).map(by)).toEqual(
      [3, 3, 3].map(f32),
    )
  })
  test('integers have no quotient of floats', () => {
    expect(found(binaryScalar(chip, 'fdiv', 6, 2))).toBe('algebra.lacks')
    expect(found(binaryScalar(chip, 'fdiv', 6n, 2n))).toBe('algebra.lacks')
  })
  test('floats are compared where the algebra has an order', () => {
    const less = (world: World): Value | string =>
      found(compareScalar(world, 'lt', true, constantOf(world, 'f32', 1), constantOf(world, 'f32', 2)))
    expect([chip, exact, residues, empty].map(less)).toEqual([true, true, 'algebra.lacks', 'algebra.lacks'])
  })
})

describe('scalars and their carriers', () => {
  test.each<readonly [ScalarName, Value, number]>([
    ['i1', true, 1],
    ['i1', false, 0],
    ['i32', -5, -5],
    ['i64', -5n, -5],
    ['f16', V.float('f16', 0x3c00), 0x3c00],
  ])('%s', (dtype, v, carrier) => {
    expect(dtypeOfScalar(v)).toBe(dtype)
    expect(carrierOf(v)).toBe(carrier)
    expect(scalarOf(dtype, carrier)).toEqual(v)
  })
  test('an i64 is a carrier as long as a number holds it exactly', () => {
    const last = 2n ** 53n - 1n
    const of = (x: bigint): unknown => found(carrierOf(x) as Value)
    expect([last, -last, last + 1n, -last - 1n].map(of)).toEqual([
      Number(last),
      -Number(last),
      'i64.range',
      'i64.range',
    ])
  })
  test('what is no scalar has neither', () => {
    const broken = V.fault('broken', '')
    expect([place, V.token, broken].map(dtypeOfScalar)).toEqual([null, null, null])
    expect([place, V.token, broken].map((v) => found(carrierOf(v) as Value))).toEqual([
      'type.mismatch',
      'type.mismatch',
      'broken',
    ])
  })
  test.each<readonly [ScalarName, number | string, Value]>([
    ['i1', 0, false],
    ['i1', 1, true],
    ['i32', -7, -7],
    ['i32', 2 ** 31, -(2 ** 31)],
    ['i64', '-9007199254740993', -9007199254740993n],
    ['f32', '-0', V.float('f32', 0x80000000)],
    ['f16', 1, V.float('f16', 0x3c00)],
  ])('a constant %s %s', (dtype, text, v) => {
    expect(constantOf(chip, dtype, text)).toEqual(v)
  })
})

describe('what a value is', () => {
  test('a fault, and nothing else, is one', () => {
    const broken = V.fault('broken', 'why')
    const others = [null, undefined, 0, 'fault', true, 1n, {}, [], { _tag: 'float' }, place, V.token]
    expect(V.isFault(broken)).toBe(true)
    expect(others.filter(V.isFault)).toEqual([])
  })
  test.each<readonly [Value, string]>([
    [true, 'i1'],
    [false, 'i1'],
    [0, 'i32'],
    [0n, 'i64'],
    [V.float('f16', 0), 'float'],
    [place, 'ptr'],
    [V.token, 'token'],
    [V.barrier(0, [], 'ptx', false), 'barrier'],
  ])('in messages %s is %s', (v, kind) => {
    expect(V.kindOf(v)).toBe(kind)
  })
})

describe('conversions', () => {
  type Op = 'trunc' | 'extS' | 'extU' | 'cast' | 'bitcast'
  const by = (world: World, op: Op, from: ScalarName, to: ScalarName): ((x: number) => number) | FaultValue =>
    convertScalar(world, op, from, to, 'rn', false)
  test.each<readonly [Op, ScalarName, ScalarName, ReadonlyArray<readonly [number, number]>]>([
    [
      'trunc',
      'i32',
      'i1',
      [
        [2, 0],
        [-3, 1],
        [-4, 0],
        [1, 1],
      ],
    ],
    [
      'trunc',
      'i64',
      'i32',
      [
        [2 ** 32 + 5, 5],
        [2 ** 31, -(2 ** 31)],
        [-(2 ** 40) - 1, -1],
      ],
    ],
    [
      'extS',
      'i1',
      'i32',
      [
        [0, 0],
        [1, -1],
      ],
    ],
    [
      'extS',
      'i32',
      'i64',
      [
        [-1, -1],
        [5, 5],
      ],
    ],
    [
      'extU',
      'i1',
      'i32',
      [
        [0, 0],
        [1, 1],
      ],
    ],
    [
      'extU',
      'i32',
      'i64',
      [
        [-1, 2 ** 32 - 1],
        [5, 5],
      ],
    ],
    [
      'cast',
      'i32',
      'f16',
      [
        [1, 0x3c00],
        [100000, 0x7c00],
      ],
    ],
    [
      'bitcast',
      'f32',
      'i32',
      [
        [0x3f800000, 0x3f800000],
        [0xbf800000, 0xbf800000 - 2 ** 32],
      ],
    ],
    [
      'bitcast',
      'i32',
      'f32',
      [
        [0x3f800000, 0x3f800000],
        [0xbf800000 - 2 ** 32, 0xbf800000],
      ],
    ],
    ['bitcast', 'f16', 'bf16', [[0xbc00, 0xbc00]]],
    ['bitcast', 'f16', 'i32', [[0xbc00, 0xbc00]]],
    ['bitcast', 'e8m0', 'i32', [[0xff, 0xff]]],
    [
      'bitcast',
      'i32',
      'bf16',
      [
        [0x3f80, 0x3f80],
        [-1, 0xffff],
        [0x12345678, 0x5678],
      ],
    ],
    [
      'bitcast',
      'i32',
      'e4m3',
      [
        [-2, 0xfe],
        [0x17f, 0x7f],
      ],
    ],
    ['bitcast', 'f32', 'f32', [[0xbf800000, 0xbf800000]]],
  ])('%s of %s to %s', (op, from, to, rows) => {
    const f = by(chip, op, from, to)
    expect(typeof f).toBe('function')
    if (typeof f === 'function') expect(rows.map(([x]) => f(x))).toEqual(rows.map(([, y]) => y))
  })
  test.each<readonly [string, World, Op, ScalarName, ScalarName, string]>([
    ['a float cut off', chip, 'trunc', 'f32', 'i32', 'algebra.lacks'],
    ['an integer cut off to a float', chip, 'trunc', 'i32', 'f16', 'algebra.lacks'],
    ['nothing is cut off to 64 bits', chip, 'trunc', 'i32', 'i64', 'algebra.lacks'],
    ['a float cut off to a bit', chip, 'trunc', 'f32', 'i1', 'algebra.lacks'],
    ['a float extended by its sign', chip, 'extS', 'f16', 'f32', 'algebra.lacks'],
    ['to a float', chip, 'extS', 'i32', 'f32', 'algebra.lacks'],
    ['a float extended by zeros', chip, 'extU', 'f16', 'i32', 'algebra.lacks'],
    ['an integer to a float', chip, 'extU', 'i32', 'f32', 'algebra.lacks'],
    ['a number of one value', empty, 'cast', 'f32', 'i32', 'algebra.lacks'],
    ['other widths', chip, 'bitcast', 'f16', 'f32', 'type.mismatch'],
    ['another integer', chip, 'bitcast', 'i64', 'f16', 'type.mismatch'],
    ['bits of what has one value', empty, 'bitcast', 'f16', 'i32', 'algebra.lacks'],
    ['an algebra without bits', exact, 'bitcast', 'f16', 'bf16', 'algebra.lacks'],
  ])('%s: refused', (_, world, op, from, to, code) => {
    const f = by(world, op, from, to)
    expect(typeof f === 'function' ? 'a function' : f.code).toBe(code)
  })
  test('rounding and saturation are those asked for', () => {
    const half = (rounding: 'rn' | 'rz', saturate: boolean): ReadonlyArray<unknown> => {
      const f = convertScalar(chip, 'cast', 'i32', 'f16', rounding, saturate)
      // 4097 lies between 4096 (0x6c00) and 4100; 4099 between 4096 and 4100 (0x6c01); 70000 is beyond all of them
      return typeof f === 'function' ? [f(4097), f(4099), f(70000)] : []
    }
    expect(half('rn', false)).toEqual([0x6c00, 0x6c01, 0x7c00])
    expect(half('rz', false).slice(0, 2)).toEqual([0x6c00, 0x6c00])
    expect(half('rn', true)[2]).toBe(0x7bff)
  })
})
