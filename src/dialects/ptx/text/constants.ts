/**
 * Constants: numbers, and expressions of numbers, which are computed where they are read.
 *
 *     0x80   -1   8U   0f3F800000   1.5   (1<<4)|3   (.s64)7
 *
 * Integers have 64 bits. A constant is unsigned where it is written with `U` or where its value needs the last bit; an expression is unsigned where one of its
 * operands is, comparisons give a signed 0 or 1. Of floating constants there are literals alone, with a sign before them.
 *
 * Source: PTX ISA 9.0, constants; constant expressions.
 */
import {
  fail,
  here,
  isMark,
  isText,
  kindAhead,
  kindAt,
  expect,
  take,
  textAt,
  within,
  type Cursor,
} from './cursor.js'
import { kinds } from './lexer.js'
import type { Constant, FloatConstant, IntegerConstant } from './module.js'
import { own } from '../../../own.js'

const integer = (value: bigint, unsigned: boolean, text: string): IntegerConstant => ({
  _tag: 'integer',
  value: unsigned ? BigInt.asUintN(64, value) : BigInt.asIntN(64, value),
  unsigned,
  text,
})
const zero = integer(0n, false, '0')

/** More digits than any number of 64 bits has. */
const mostDigits = 80

const view = new DataView(new ArrayBuffer(8))
const float = (width: 32 | 64, bits: bigint, text: string): FloatConstant => ({
  _tag: 'float',
  width,
  bits,
  text,
})

/** One number; `negative` where a sign stood before it. */
const literal = (c: Cursor): Constant => {
  const at = here(c)
  const text = textAt(c)
  if (text.length > mostDigits) {
    fail(c, 'a number of 64 bits', at, `one of ${String(text.length)} characters`, 'ptx.number')
    return zero
  }
  c.at += 1
  const second = text.charCodeAt(1) | 32
  if (text.charCodeAt(0) === 48 && text.length > 1) {
    // 0f and 0d say bits
    if (second === 102 || second === 100)
      return float(second === 102 ? 32 : 64, BigInt(`0x${text.slice(2)}`), text)
  }
  if (/[.eE]/.test(text) && second !== 120) {
    view.setFloat64(0, Number(text))
    return float(64, view.getBigUint64(0), text)
  }
  const marked = text.endsWith('U')
  const digits = marked ? text.slice(0, -1) : text
  const octal = digits.length > 1 && digits.charCodeAt(0) === 48 && second !== 120 && second !== 98
  if (octal && /[89]/.test(digits)) {
    fail(c, 'octal digits after a first 0', at, `'${text}'`, 'ptx.number')
    return zero
  }
  const value = BigInt(octal ? `0o${digits}` : digits)
  if (value >> 64n !== 0n) {
    fail(c, 'a number of 64 bits', at, `'${text}'`, 'ptx.number')
    return zero
  }
  return integer(value, marked || value >> 63n !== 0n, text)
}

// ---------------------------------------------------------------- expressions

type Operator = readonly [rank: number, of: (a: bigint, b: bigint) => bigint, compares?: true]
const bit = (b: boolean): bigint => (b ? 1n : 0n)
const operators: Readonly<Record<string, Operator>> = {
  '||': [1, (a, b) => bit(a !== 0n || b !== 0n), true],
  '&&': [2, (a, b) => bit(a !== 0n && b !== 0n), true],
  '|': [3, (a, b) => a | b],
  '^': [4, (a, b) => a ^ b],
  '&': [5, (a, b) => a & b],
  '==': [6, (a, b) => bit(a === b), true],
  '!=': [6, (a, b) => bit(a !== b), true],
  '<=': [7, (a, b) => bit(a <= b), true],
  '>=': [7, (a, b) => bit(a >= b), true],
  '<': [7, (a, b) => bit(a < b), true],
  '>': [7, (a, b) => bit(a > b), true],
  // ptxas takes the last six bits of a count
  '<<': [8, (a, b) => a << (b & 63n)],
  '>>': [8, (a, b) => a >> (b & 63n)],
  '+': [9, (a, b) => a + b],
  '-': [9, (a, b) => a - b],
  '*': [10, (a, b) => a * b],
  '/': [10, (a, b) => a / b],
  '%': [10, (a, b) => a % b],
}

/** The operator that is next, of one character or of two that touch. */
const operatorHere = (c: Cursor): string | undefined => {
  const kind = kindAt(c)
  if (kind <= kinds.string || kind === 44 || kind === 59) return undefined
  const one = String.fromCharCode(kind)
  const next = kindAhead(c, 1)
  const two =
    next > kinds.string && c.tokens.starts[c.at + 1] === c.tokens.ends[c.at]
      ? one + String.fromCharCode(next)
      : one
  return own(operators, two) !== undefined ? two : own(operators, one) !== undefined ? one : undefined
}

/** What has a sign or brackets before it. */
const primary = (c: Cursor): Constant => {
  if (kindAt(c) === kinds.number) return literal(c)
  const at = here(c)
  if (take(c, '(')) {
    if (isText(c, '.s64') || isText(c, '.u64')) {
      const unsigned = isText(c, '.u64')
      c.at += 1
      expect(c, ')')
      const of = integral(
        c,
        within(c, () => primary(c), zero),
      )
      return integer(of.value, unsigned, `(${unsigned ? '.u64' : '.s64'})${of.text}`)
    }
    const inside = within(c, () => ternary(c), zero)
    expect(c, ')')
    return inside._tag === 'integer' ? { ...inside, text: `(${inside.text})` } : inside
  }
  const sign = isMark(c, '-')
    ? '-'
    : isMark(c, '+')
      ? '+'
      : isMark(c, '~')
        ? '~'
        : isMark(c, '!')
          ? '!'
          : null
  if (sign === null) {
    fail(c, 'a number')
    return zero
  }
  c.at += 1
  const of = within(c, () => primary(c), zero)
  const text = `${sign}${of.text}`
  if (of._tag === 'float') {
    if (sign !== '-' && sign !== '+') fail(c, 'an integer', at, `'${of.text}'`)
    return float(of.width, sign === '-' ? of.bits ^ (1n << BigInt(of.width - 1)) : of.bits, text)
  }
  switch (sign) {
    case '-':
      return integer(-of.value, of.unsigned, text)
    case '+':
      return integer(of.value, of.unsigned, text)
    case '~':
      return integer(~of.value, of.unsigned, text)
    case '!':
      return integer(bit(of.value === 0n), false, text)
  }
}

const integral = (c: Cursor, of: Constant): IntegerConstant => {
  if (of._tag === 'integer') return of
  fail(c, 'an integer', here(c), `'${of.text}'`)
  return zero
}

const binary = (c: Cursor, least: number): Constant => {
  let left = primary(c)
  for (;;) {
    const operator = operatorHere(c)
    const row = operator === undefined ? undefined : own(operators, operator)
    if (operator === undefined || row === undefined || row[0] < least) return left
    const at = here(c)
    c.at += operator.length
    const right = integral(
      c,
      within(c, () => binary(c, row[0] + 1), zero),
    )
    const whole = integral(c, left)
    if ((operator === '/' || operator === '%') && right.value === 0n) {
      fail(c, 'a divisor other than 0', at, `'${right.text}'`, 'ptx.number')
      return zero
    }
    const unsigned = whole.unsigned || right.unsigned
    const of = (v: bigint): bigint => (unsigned ? BigInt.asUintN(64, v) : v)
    const shifts = operator === '<<' || operator === '>>'
    const value = row[1](shifts ? whole.value : of(whole.value), shifts ? right.value : of(right.value))
    const compares = row[2] === true
    left = integer(
      value,
      compares ? false : shifts ? whole.unsigned : unsigned,
      `${whole.text}${operator}${right.text}`,
    )
  }
}

const ternary = (c: Cursor): Constant => {
  const condition = binary(c, 1)
  if (!take(c, '?')) return condition
  const yes = integral(
    c,
    within(c, () => ternary(c), zero),
  )
  expect(c, ':')
  const no = integral(
    c,
    within(c, () => ternary(c), zero),
  )
  const chosen = integral(c, condition)
  return integer(
    chosen.value !== 0n ? yes.value : no.value,
    yes.unsigned || no.unsigned,
    `${chosen.text}?${yes.text}:${no.text}`,
  )
}

/** A number or an expression; `(`, a sign or a digit is next. */
export const readConstant = (c: Cursor): Constant => {
  if (kindAt(c) === kinds.number) {
    const next = kindAhead(c, 1)
    // nearly all of them
    if (next === 44 || next === 59 || next === 93 || next === 125) return literal(c)
  }
  return ternary(c)
}

/** Is what is next the beginning of a constant? */
export const isConstant = (c: Cursor): boolean => {
  const kind = kindAt(c)
  return kind === kinds.number || kind === 45 || kind === 43 || kind === 126 || kind === 40
}

/** A whole number from `least` to `most`, as directives have it. */
export const readCount = (c: Cursor, what: string, least: number, most: number): number => {
  const at = here(c)
  if (!isConstant(c)) {
    fail(c, what)
    return least
  }
  const constant = readConstant(c)
  const value = constant._tag === 'integer' ? constant.value : null
  if (c.failed === null && (value === null || value < BigInt(least) || value > BigInt(most)))
    fail(c, what, at, `'${constant.text}'`, 'ptx.number')
  return value === null ? least : Number(value)
}

/** Bytes behind an address or a symbol, if any are said: `+16`, `+-4`. */
export const readOffset = (c: Cursor): number => {
  const at = here(c)
  if (!take(c, '+')) return 0
  const constant = binary(c, 9)
  const value = constant._tag === 'integer' ? constant.value : null
  const signed = value === null ? null : BigInt.asIntN(64, value)
  if (c.failed === null && (signed === null || signed > 0x7fffffffn || signed < -0x80000000n))
    fail(c, 'an offset of 32 bits', at, `'${constant.text}'`, 'ptx.number')
  return signed === null ? 0 : Number(signed)
}
