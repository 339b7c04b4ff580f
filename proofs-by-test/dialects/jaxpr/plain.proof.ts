/** Small functions of jaxprs: what loops count, names of allocations, and which JSON is a document. Oracles: tables by hand; remainders of integers. */
import { describe, expect, test } from 'vitest'
import { carriedBy, countedWhile } from '../../../src/dialects/jaxpr/counters.js'
import { isDocument } from '../../../src/dialects/jaxpr/index.js'
import type { Eqn, Jaxpr, Type, Value } from '../../../src/dialects/jaxpr/index.js'
import { namesFor } from '../../../src/dialects/jaxpr/names.js'
import { literal } from '../../../src/dialects/jaxpr/scalar-operands.js'
import { document, k, scalar, v } from './documents.js'

const i32 = scalar('i32')
const jaxpr = (given: ReadonlyArray<number>, eqns: ReadonlyArray<Eqn>, out: ReadonlyArray<Value>): Jaxpr => ({
  in: given.map((n) => ({ v: n, type: i32 })),
  eqns,
  out,
})
const made = (op: string, out: number, ...given: ReadonlyArray<Value>): Eqn => ({
  op,
  in: given,
  out: [{ v: out, type: i32 }],
})

describe('what a loop carries', () => {
  test.each<readonly [string, ReadonlyArray<Eqn>, Value, string]>([
    ['itself', [], v(2), 'same'],
    ['another', [], v(1), 'carried'],
    ['a number', [], k(1), 'carried'],
    ['itself and one', [made('add', 5, v(2), k(1))], v(5), 'counts'],
    ['itself and one, written', [made('add', 5, v(2), k('1'))], v(5), 'counts'],
    ['itself and two', [made('add', 5, v(2), k(2))], v(5), 'carried'],
    ['itself and what is no number', [made('add', 5, v(2), v(1))], v(5), 'carried'],
    ['one and itself', [made('add', 5, k(1), v(2))], v(5), 'carried'],
    ['another and one', [made('add', 5, v(1), k(1))], v(5), 'carried'],
    ['less one', [made('sub', 5, v(2), k(1))], v(5), 'carried'],
    ['what nothing makes', [], v(9), 'carried'],
    ['what is made behind another', [made('add', 4, v(1), k(1)), made('add', 5, v(2), k(1))], v(5), 'counts'],
  ])('%s', (_, eqns, out, how) => {
    // variable 0 is a constant of the body, and so is not carried
    expect(carriedBy(jaxpr([0, 1, 2], eqns, [v(1), out]), 1)).toEqual(['same', how])
    expect(carriedBy(jaxpr([2, 1], eqns, [out]), 0)).toEqual([how, 'carried'])
  })
})

describe('a while', () => {
  // three are carried: the first counts, the second is carried, the third stays
  const body = jaxpr([1, 2, 3], [made('add', 5, v(1), k(1))], [v(5), k(7), v(3)])
  const condition = (x: number, y: number, op = 'lt'): Jaxpr =>
    jaxpr([11, 12, 13], [made(op, 20, v(x), v(y))], [v(20)])
  const counted = (
    test_: Jaxpr,
    loop: Jaxpr = body,
    condConsts = 0,
    at: readonly [number, number] = [1, 2],
  ): unknown => countedWhile(document([], [], [test_, loop]), ...at, condConsts, 0)
  test('counts where one that counts is less than one that stays: every pair', () => {
    for (const x of [11, 12, 13])
      for (const y of [11, 12, 13])
        expect(counted(condition(x, y))).toEqual(x === 11 && y === 13 ? { index: 0, below: 2 } : null)
  })
  test('and by no other condition', () => {
    expect(counted(condition(11, 13, 'le'))).toBeNull()
    expect(counted(condition(11, 13), body, 1)).toBeNull()
    expect(counted(condition(11, 13), body, 0, [1, 9])).toBeNull()
    expect(counted(condition(11, 13), body, 0, [9, 2])).toBeNull()
    const less = made('lt', 20, v(11), v(13))
    for (const [eqns, out] of [
      [[less, made('lt', 21, v(11), v(13))], [v(20)]],
      [[], [v(20)]],
      [[less], [v(21)]],
      [[less], [k(1)]],
      [[made('lt', 20, v(11), k(8))], [v(20)]],
      [[made('lt', 20, k(8), v(13))], [v(20)]],
    ] as const)
      expect(counted(jaxpr([11, 12, 13], eqns, out))).toBeNull()
    // what it compares is not carried
    expect(counted(condition(30, 13))).toBeNull()
    expect(counted(condition(11, 30))).toBeNull()
  })
})

test('an allocation has the name of its author, or that of its kind, and no other has it', () => {
  const smem: Type = { ref: 'smem', dtype: 'f32', shape: [4] }
  const rows: ReadonlyArray<readonly [string | undefined, Type, string]> = [
    ["allocs['in'][0]", smem, 'allocs.in.0'],
    ['allocs["out"]', smem, 'allocs.out'],
    ['x[12]', smem, 'x.12'],
    ['x[1]y[2]', smem, 'x.1y.2'],
    ['a b--c', smem, 'a_b_c'],
    ['[0]', smem, '0'],
    ['..x_', smem, 'x'],
    ['...', smem, 'smem'],
    [undefined, smem, 'smem'],
    [undefined, { ref: 'tmem', dtype: 'f32', shape: [4] }, 'tmem'],
    [undefined, { ref: 'smem', dtype: 'f32', shape: [4], accumulator: true }, 'acc'],
    [undefined, i32, 'value'],
  ]
  for (const [name, type, expected] of rows) {
    const variable = (n: number) => ({ v: n, type, ...(name === undefined ? {} : { name }) })
    const names = namesFor(['taken'])
    expect([name, names.of(variable(1), '')]).toEqual([name, expected])
    // the same again, from another place, and another variable
    expect(names.of(variable(1), '')).toBe(expected)
    expect(names.of(variable(1), '7')).toBe(`${expected}_2`)
    expect(names.of(variable(2), '')).toBe(`${expected}_3`)
    expect(names.of(variable(1), '7')).toBe(`${expected}_2`)
    expect(namesFor([expected, `${expected}_2`]).of(variable(1), '')).toBe(`${expected}_3`)
  }
})

test('integers wrap to the register that they lie in, and what is no integer loses its fraction', () => {
  const found = (dtype: 'i32' | 'i64' | 'u8' | 'i1', value: number | bigint | boolean): unknown => {
    const e = literal(dtype, value)
    return e._tag === 'const' ? [e.dtype, Number(e.value)] : null
  }
  for (const value of [0, 1, -1, 2 ** 31, 2 ** 32 + 5, -(2 ** 31) - 1, 2.75, -2.75]) {
    const whole = Math.trunc(value)
    const wrapped = ((((whole + 2 ** 31) % 2 ** 32) + 2 ** 32) % 2 ** 32) - 2 ** 31
    for (const given of Number.isInteger(value) ? [value, BigInt(value)] : [value]) {
      expect(found('i32', given)).toEqual(['i32', wrapped])
      expect(found('i64', given)).toEqual(['i64', whole + 0])
      expect(found('i1', given)).toEqual(['i1', whole === 0 ? 0 : 1])
    }
  }
  expect([found('i32', true), found('i1', false), found('i64', 2n ** 63n)]).toEqual([
    ['i32', 1],
    ['i1', 0],
    ['i64', -(2 ** 63)],
  ])
})

test('a document says its schema', () => {
  for (const schema of ['tcspec.jaxpr/1', 'tcspec.jaxpr/99']) expect(isDocument({ schema })).toBe(true)
  for (const other of [
    ...[null, undefined, 7, 'tcspec.jaxpr/1', [], {}, ['schema']],
    ...[{ schema: 'tcspec.launch/1' }, { schema: 7 }, { schema: null }, { schema: ['tcspec.jaxpr/1'] }],
    ...[{ schema: 'x tcspec.jaxpr/1' }, { schemas: 'tcspec.jaxpr/1' }],
  ])
    expect(isDocument(other)).toBe(false)
})
