/**
 * Integers of `arithmetic.ts` as expressions, whichever of their operands is known: what they come to, by an evaluator of a few lines that knows nothing of types of JAX, is what
 * lax gives.
 */
import { describe, expect, test } from 'vitest'
import {
  chosen,
  comparisons,
  constantOf,
  integerBinaries,
  integerBinary,
  integerCompare,
  integerConvert,
  leadingZeros,
  negated,
  normal,
  wrapped,
  type IntegerBinary,
} from '../../../src/dialects/jaxpr/arithmetic.js'
import { checked } from '../../../src/semantics/language/index-types.js'
import type { Expr, ExprNode } from '../../../src/semantics/language/expression.js'
import { lax } from './lax.js'

// ---------------------------------------------------------------- an evaluator

/** A word of so many bits, with its sign; a float by its number. */
interface Word {
  readonly bits: 1 | 32 | 64 | 'float'
  readonly x: bigint
  readonly real: number
}
const word = (bits: 1 | 32 | 64, x: bigint): Word => ({
  bits,
  x: bits === 1 ? x & 1n : BigInt.asIntN(bits, x),
  real: Number.NaN,
})
const plain = ({ bits, x }: Word): bigint => (bits === 'float' ? x : BigInt.asUintN(bits, x))

const evaluated = (e: ExprNode, names: ReadonlyMap<string, Word>): Word => {
  const at = (x: ExprNode): Word => evaluated(x, names)
  switch (e._tag) {
    case 'const':
      return word(e.dtype === 'i1' ? 1 : e.dtype === 'i64' ? 64 : 32, BigInt(e.value))
    case 'name':
      return names.get(e.name)!
    case 'select':
      return at(e.cond).x === 1n ? at(e.x) : at(e.y)
    case 'compare': {
      const [p, q] = [at(e.x), at(e.y)].map((w) => (e.signed ? w.x : plain(w))) as [bigint, bigint]
      const is = { eq: p === q, ne: p !== q, lt: p < q, le: p <= q, gt: p > q, ge: p >= q }[e.op]
      return word(1, is ? 1n : 0n)
    }
    case 'convert': {
      const from = at(e.x)
      if (e.to === 'f32') return { bits: 'float', x: 0n, real: Math.fround(Number(from.x)) }
      if (from.bits === 'float')
        return word(32, BigInt(new Int32Array(Float32Array.of(from.real).buffer)[0]!))
      return word(e.to === 'i64' ? 64 : 32, e.op === 'extU' ? plain(from) : from.x)
    }
    case 'binary': {
      const [a, b] = [at(e.x), at(e.y)]
      if (a.bits === 'float' || a.bits !== b.bits)
        throw new Error(`${e.op} of ${String(a.bits)} and ${String(b.bits)}`)
      const of = (x: bigint): Word => word(a.bits as 1 | 32 | 64, x)
      switch (e.op) {
        case 'add':
          return of(a.x + b.x)
        case 'sub':
          return of(a.x - b.x)
        case 'mul':
          return of(a.x * b.x)
        case 'quo':
          return of(b.x === 0n ? 0n : a.x / b.x)
        case 'rem':
          return of(b.x === 0n ? 0n : a.x % b.x)
        case 'max':
          return of(a.x > b.x ? a.x : b.x)
        case 'min':
          return of(a.x < b.x ? a.x : b.x)
        case 'and':
          return of(a.x & b.x)
        case 'or':
          return of(a.x | b.x)
        case 'xor':
          return of(a.x ^ b.x)
        case 'shl':
          return of(a.x << b.x)
        case 'shrS':
          return of(a.x >> b.x)
        case 'shrU':
          return of(plain(a) >> b.x)
        default:
          throw new Error(e.op)
      }
    }
    default:
      throw new Error(e._tag)
  }
}

// ---------------------------------------------------------------- types and values

const widths = {
  i1: 1,
  i4: 4,
  u4: 4,
  i8: 8,
  u8: 8,
  i16: 16,
  u16: 16,
  i32: 32,
  u32: 32,
  i64: 64,
  u64: 64,
} as const
type Type = keyof typeof widths
const types = Object.keys(widths) as ReadonlyArray<Type>
const registerOf = (type: Type): 1 | 32 | 64 => (type === 'i1' ? 1 : widths[type] === 64 ? 64 : 32)
const inType = (type: Type, x: bigint): bigint =>
  type === 'i1'
    ? x & 1n
    : type.startsWith('i')
      ? BigInt.asIntN(widths[type], x)
      : BigInt.asUintN(widths[type], x)
/** As a register holds it. */
const held = (type: Type, x: bigint): Word => word(registerOf(type), inType(type, x))
const some = (type: Type): ReadonlyArray<bigint> => {
  const top = 1n << BigInt(widths[type] - 1)
  return [...new Set([0n, 1n, 3n, -1n, -6n, top, top - 1n].map((x) => inType(type, x)))]
}
const literal = (type: Type, x: bigint): Expr => {
  const w = held(type, x)
  return checked<Expr, ExprNode>(
    w.bits === 64
      ? { _tag: 'const', dtype: 'i64', value: w.x.toString() }
      : { _tag: 'const', dtype: w.bits === 1 ? 'i1' : 'i32', value: Number(w.x) },
  )
}
const variable = (name: string): Expr => checked<Expr, ExprNode>({ _tag: 'name', name })

/** An operand as a name and as a literal. */
const forms = ['named', 'known'] as const
const formed = (form: 'named' | 'known', name: string, type: Type, x: bigint): Expr =>
  form === 'named' ? variable(name) : literal(type, x)

const logic: Partial<Readonly<Record<IntegerBinary, IntegerBinary>>> = {
  mul: 'and',
  min: 'and',
  add: 'or',
  max: 'or',
}

describe('of two, whichever of them is known', () => {
  const all = integerBinaries.flatMap((op) => types.map((type) => [op, type] as const))
  test.each(all)('%s of %s', (op, type) => {
    const bits = widths[type]
    let asked = 0
    const wrong: unknown[] = []
    for (const x of some(type))
      for (const y of op.startsWith('shift') ? [0n, 1n, BigInt(bits - 1)] : some(type))
        for (const left of forms)
          for (const right of forms) {
            const made = integerBinary(op, type, formed(left, 'x', type, x), formed(right, 'y', type, y))
            if (made === null) continue
            asked++
            const does = type === 'i1' ? (logic[op] ?? op) : op
            const found = evaluated(
              made,
              new Map([
                ['x', held(type, x)],
                ['y', held(type, y)],
              ]),
            )
            expect([x, y, left, right, found]).toEqual([x, y, left, right, held(type, lax[does](x, y, bits))])
          }
    expect(wrong).toEqual([])
    // quotients of 64 bits without a sign are refused, but for those that are known; of truth values there are no shifts
    expect(asked > 0).toBe(type !== 'i1' || ['and', 'or', 'xor', 'add', 'mul', 'max', 'min'].includes(op))
  })
  test('a quotient of 64 bits without a sign is refused', () => {
    for (const op of ['div', 'rem'] as const)
      expect(integerBinary(op, 'u64', variable('x'), variable('y'))).toBeNull()
  })
  test('what one of them decides is no operation any more', () => {
    const x = variable('x')
    const [zero, one] = [literal('i32', 0n), literal('i32', 1n)]
    for (const op of ['add', 'or', 'xor'] as const) {
      expect(integerBinary(op, 'i32', x, zero)).toBe(x)
      expect(integerBinary(op, 'i32', zero, x)).toBe(x)
    }
    for (const op of ['sub', 'shift_left', 'shift_right_logical', 'shift_right_arithmetic'] as const)
      expect(integerBinary(op, 'i32', x, zero)).toBe(x)
    expect(integerBinary('mul', 'i32', x, one)).toBe(x)
    expect(integerBinary('mul', 'i32', one, x)).toBe(x)
    expect(integerBinary('div', 'i32', x, one)).toBe(x)
    for (const [op, a, b] of [
      ['mul', x, zero],
      ['mul', zero, x],
      ['and', x, zero],
      ['and', zero, x],
      ['rem', zero, variable('y')],
      ['rem', x, one],
    ] as const)
      expect([op, constantOf(integerBinary(op, 'i32', a, b)!)]).toEqual([op, 0n])
    // and of truth values
    const [c, yes, no] = [variable('c'), literal('i1', 1n), literal('i1', 0n)]
    for (const [op, a, b, made] of [
      ['and', c, yes, c],
      ['and', yes, c, c],
      ['and', c, no, no],
      ['and', no, c, no],
      ['or', c, yes, yes],
      ['or', yes, c, yes],
      ['or', c, no, c],
      ['or', no, c, c],
      ['xor', c, no, c],
      ['xor', no, c, c],
    ] as const)
      expect([op, integerBinary(op, 'i1', a, b)]).toEqual([op, made])
    // a divisor that is known and not zero is not asked for
    expect(JSON.stringify(integerBinary('div', 'i32', x, literal('i32', 3n)))).not.toContain('select')
    expect(JSON.stringify(integerBinary('div', 'i32', x, variable('y')))).toContain('select')
  })
})

describe('shifts that leave nothing, of what is known', () => {
  test.each([
    ['shift_left', 'i8', 1n, 8n, 0n],
    ['shift_left', 'i32', 1n, 32n, 0n],
    ['shift_left', 'i32', 1n, -1n, 0n],
    ['shift_right_logical', 'u8', 255n, 8n, 0n],
    ['shift_right_logical', 'i64', -1n, 64n, 0n],
    ['shift_right_logical', 'i64', -1n, -1n, 0n],
    ['shift_right_arithmetic', 'i8', -128n, 8n, -1n],
    ['shift_right_arithmetic', 'i32', -5n, 40n, -1n],
    ['shift_right_arithmetic', 'i32', 5n, -1n, 0n],
  ] as const)('%s of %s: %d by %d', (op, type, x, y, expected) => {
    expect(constantOf(integerBinary(op, type, literal(type, x), literal(type, y))!)).toBe(expected)
  })
})

describe('order', () => {
  test.each(comparisons.flatMap((op) => types.map((type) => [op, type] as const)))('%s of %s', (op, type) => {
    const wrong: unknown[] = []
    for (const x of some(type))
      for (const y of some(type))
        for (const left of forms)
          for (const right of forms) {
            const made = integerCompare(op, type, formed(left, 'x', type, x), formed(right, 'y', type, y))
            const found = evaluated(
              made,
              new Map([
                ['x', held(type, x)],
                ['y', held(type, y)],
              ]),
            )
            const is = { eq: x === y, ne: x !== y, lt: x < y, le: x <= y, gt: x > y, ge: x >= y }[op]
            if (found.x !== (is ? 1n : 0n)) wrong.push([x, y, left, right, found.x])
          }
    expect(wrong).toEqual([])
  })
  test('a condition that was made a number, and is compared with 0 or 1, is a condition again', () => {
    const c = variable('c')
    const select = (x: bigint, y: bigint): Expr =>
      checked<Expr, ExprNode>({ _tag: 'select', cond: c, x: literal('i32', x), y: literal('i32', y) })
    expect(integerCompare('eq', 'i32', select(1n, 0n), literal('i32', 1n))).toBe(c)
    expect(integerCompare('ne', 'i32', select(1n, 0n), literal('i32', 0n))).toBe(c)
    for (const [op, of, y] of [
      ['eq', select(1n, 0n), 0n],
      ['ne', select(1n, 0n), 1n],
      ['eq', select(1n, 0n), 2n],
      ['ne', select(1n, 0n), 2n],
      ['lt', select(1n, 0n), 1n],
      ['ge', select(1n, 0n), 1n],
      ['eq', select(2n, 0n), 1n],
      ['eq', select(1n, 3n), 0n],
      ['eq', select(0n, 1n), 1n],
    ] as const)
      for (const truth of [0n, 1n]) {
        const names = new Map([['c', word(1, truth)]])
        const x = evaluated(of, names).x
        const is = { eq: x === y, ne: x !== y, lt: x < y, ge: x >= y }[op]
        expect([op, y, evaluated(integerCompare(op, 'i32', of, literal('i32', y)), names).x]).toEqual([
          op,
          y,
          is ? 1n : 0n,
        ])
      }
  })
  test('not undoes itself, and is known of what is known', () => {
    const c = checked<Expr<'i1'>, Expr>(variable('c'))
    expect(negated(negated(c))).toBe(c)
    for (const truth of [0n, 1n]) {
      expect(evaluated(negated(c), new Map([['c', word(1, truth)]])).x).toBe(1n - truth)
      expect(constantOf(negated(checked<Expr<'i1'>, Expr>(literal('i1', truth))))).toBe(1n - truth)
    }
    // an exclusive or with something else is none
    const other = checked<Expr<'i1'>, ExprNode>({ _tag: 'binary', op: 'xor', x: c, y: variable('d') })
    expect(
      evaluated(
        negated(other),
        new Map([
          ['c', word(1, 1n)],
          ['d', word(1, 0n)],
        ]),
      ).x,
    ).toBe(0n)
  })
  test('a choice that is known is made', () => {
    const [x, y] = [variable('x'), variable('y')]
    const known = (truth: bigint): Expr<'i1'> => checked<Expr<'i1'>, Expr>(literal('i1', truth))
    expect([chosen(known(1n), x, y), chosen(known(0n), x, y)]).toEqual([x, y])
    expect(chosen(checked<Expr<'i1'>, Expr>(variable('c')), x, y)._tag).toBe('select')
  })
})

describe('into another type', () => {
  test.each(types.flatMap((from) => types.map((to) => [from, to] as const)))('%s to %s', (from, to) => {
    for (const x of some(from))
      for (const form of forms) {
        const found = evaluated(
          integerConvert(from, to, formed(form, 'x', from, x)),
          new Map([['x', held(from, x)]]),
        )
        const expected = to === 'i1' ? word(1, x === 0n ? 0n : 1n) : held(to, x)
        expect([x, form, found]).toEqual([x, form, expected])
      }
  })
  test('where it fits already nothing is done', () => {
    const x = variable('x')
    for (const [from, to] of [
      ['u4', 'i8'],
      ['i4', 'i8'],
      ['u8', 'u16'],
      ['i8', 'i32'],
      ['u16', 'u32'],
      ['i64', 'u64'],
      ['i16', 'u32'],
      ['f32', 'i32'],
      ['i32', 'f32'],
    ] as const)
      expect(integerConvert(from, to, x)).toBe(x)
    expect(integerConvert('i4', 'u8', x)).not.toBe(x)
  })
  test('back into its range', () => {
    for (const type of types)
      if (widths[type] > 1 && widths[type] < 32)
        for (const x of [0n, 7n, 8n, 15n, 16n, 127n, 128n, 255n, 256n, 32768n, 65535n, 65536n, -1n, -129n])
          for (const form of ['named', 'known'] as const) {
            const e = form === 'named' ? variable('x') : literal('i32', x)
            const found = evaluated(
              normal(type, checked<Expr<'i32'>, Expr>(e)),
              new Map([['x', word(32, x)]]),
            )
            expect([type, x, form, found]).toEqual([type, x, form, held(type, x)])
          }
    expect([wrapped('i1', 3n), wrapped('u32', 2n ** 32n - 1n), wrapped('i64', 2n ** 63n)]).toEqual([
      1n,
      -1n,
      -(2n ** 63n),
    ])
  })
})

test('zeros before the first bit, and none of truth values, floats and words of 64 bits', () => {
  for (const type of ['i4', 'u4', 'i8', 'u8', 'i16', 'u16', 'i32', 'u32'] as const)
    for (const x of [
      0n,
      1n,
      2n,
      3n,
      5n,
      7n,
      8n,
      -1n,
      1n << BigInt(widths[type] - 1),
      (1n << BigInt(widths[type] - 1)) - 1n,
    ]) {
      const bits = BigInt.asUintN(widths[type], x)
      const zeros = bits === 0n ? widths[type] : widths[type] - bits.toString(2).length
      const found = evaluated(
        leadingZeros(type, variable('x'), (e) => e)!,
        new Map([['x', held(type, x)]]),
      )
      expect([type, x, found.x]).toEqual([type, x, BigInt(zeros)])
    }
  for (const type of ['i1', 'f32', 'i64', 'u64'] as const)
    expect(leadingZeros(type, variable('x'), (e) => e)).toBeNull()
})
