/**
 * The approximate functions, from the special function unit (`special-functions/`), in the forms of the instructions.
 *
 * | form                                        | what it is                                                  |
 * |---------------------------------------------|-------------------------------------------------------------|
 * | ex2, lg2, rcp, rsqrt .approx(.ftz).f32      | `special-functions/`, all operands measured                 |
 * | tanh.approx                                 | the same                                                    |
 * | div.full(.ftz), div.approx.ftz              | the same                                                    |
 * | sqrt, sin, cos .approx(.ftz).f32            | the same                                                    |
 * | rcp, rsqrt .approx.ftz.f64                  | the same, of the upper word                                 |
 * | rsqrt.approx.f64                            | that, and one step of third order behind it                 |
 *
 * What one step makes of y near 1 / sqrt x: with e = 1 - x y^2, y + (3/8 e + 1/2) e y, fused. An operand that is not normal is scaled by 2^54, the result by 2^27.
 *
 * By hand: ex2.approx.ftz.f32 of 0x40000000 is 0x40800000, 2^2 = 4.
 *
 * Laws
 * 1. A pair is its halves.
 *
 * Source: PTX ISA; measured on an H100.
 */
import { unaryFunction, binaryFunction } from '../special-functions/functions.js'
import type { SpecialBinary, SpecialUnary } from '../special-functions/names.js'
import { magnitudeOf, multiply, smallestNormal } from '../special-functions/binary32.js'
import { rcpUpper, rsqrtUpper } from '../special-functions/double.js'
import {
  divFullDividend,
  divFullFlushedDividend,
  divFullFlushedReciprocal,
  divFullReciprocal,
} from '../special-functions/division.js'
import { rcpFlushed } from '../special-functions/rcp.js'
import { cosine, sine } from '../special-functions/sine.js'
import { sqrt, sqrtFlushed } from '../special-functions/sqrt.js'
import { fma64, isNaN64, quiet64, words64 } from './binary64.js'
import { onHalves } from './half.js'
import { operation, rest, type Compute, type ScalarOperation } from './operation.js'
import { doubleOf, highWordOf } from './words.js'

/** The pattern of 2^24. */
const twoTo24 = 0x4b800000

const unary = [
  'ex2.approx.ftz.f32',
  'ex2.approx.f32',
  'lg2.approx.ftz.f32',
  'lg2.approx.f32',
  'rcp.approx.ftz.f32',
  'rcp.approx.f32',
  'rsqrt.approx.ftz.f32',
  'rsqrt.approx.f32',
  'tanh.approx.f32',
] as const satisfies readonly SpecialUnary[]

const halves = [
  ['ex2.approx.f16', 'f16'],
  ['ex2.approx.ftz.bf16', 'bf16'],
  ['tanh.approx.f16', 'f16'],
  ['tanh.approx.bf16', 'bf16'],
] as const satisfies readonly (readonly [SpecialUnary, 'f16' | 'bf16'])[]

const binary = [
  'div.full.f32',
  'div.full.ftz.f32',
  'div.approx.ftz.f32',
] as const satisfies readonly SpecialBinary[]

/** Both operands of `div.approx` are scaled by 2^24 where the divisor is subnormal. */
const approxScaled = (x: number, b: number): number =>
  magnitudeOf(b) < smallestNormal ? multiply(x, twoTo24) : x

/** Products to nearest. */
const divApproxUnflushed = (a: number, b: number): number =>
  multiply(rcpFlushed(approxScaled(b, b)), approxScaled(a, b))

/** The factors of the last product of a quotient, which a sum may take. */
const factors: ReadonlyArray<
  readonly [name: string, reciprocal: (b: number) => number, dividend: (a: number, b: number) => number]
> = [
  ['div.full.f32', divFullReciprocal, divFullDividend],
  ['div.full.ftz.f32', divFullFlushedReciprocal, divFullFlushedDividend],
  ['div.approx.f32', (b) => rcpFlushed(approxScaled(b, b)), approxScaled],
  ['div.approx.ftz.f32', rcpFlushed, (a) => a],
]

/** No forms of opcodes: what quotients are made of. */
export const quotientRows: readonly ScalarOperation[] = factors.flatMap(([name, reciprocal, dividend]) => [
  operation('approximate', `reciprocal.${name}`, ['f32'], ['f32'], (b) => reciprocal(b >>> 0) | 0),
  operation(
    'approximate',
    `dividend.${name}`,
    ['f32', 'f32'],
    ['f32'],
    (a, b) => dividend(a >>> 0, b >>> 0) | 0,
  ),
])

/** Functions of f32 that only PTX asks for. */
const more: ReadonlyArray<readonly [name: string, f: (x: number) => number]> = [
  ['sqrt.approx.ftz.f32', sqrtFlushed],
  ['sqrt.approx.f32', sqrt],
  ['sin.approx.ftz.f32', sine],
  ['sin.approx.f32', sine],
  ['cos.approx.ftz.f32', cosine],
  ['cos.approx.f32', cosine],
]

/** Of the upper word alone; the lower word of the result is zero. */
const upper =
  (f: (word: number) => number): Compute =>
  (_, high) => {
    rest[0] = f(high)
    return 0
  }

/** A normal f64's 1 / sqrt x, from what the unit says of it. */
const refined = (x: number, high: number): number => {
  const y = doubleOf(0, rsqrtUpper(high) | 0)
  const e = fma64(x, -(y * y), 1)
  return fma64(fma64(e, 0.375, 0.5), e * y, y)
}

const rsqrt64: Compute = (low, high) => {
  if (isNaN64(low, high)) return quiet64(low, high)
  const x = doubleOf(low, high)
  if (x === 0) return words64(high < 0 ? -Infinity : Infinity)
  if (high < 0) {
    rest[0] = -0x00080000
    return 0
  }
  if (x === Infinity) return words64(0)
  if (high >= 0x00100000) return words64(refined(x, high))
  const scaled = x * 2 ** 54
  return words64(refined(scaled, highWordOf(scaled)) * 2 ** 27)
}

export const approximateRows: readonly ScalarOperation[] = [
  ...unary.map((name) => {
    const f = unaryFunction[name]
    return operation('approximate', name, ['f32'], ['f32'], (a) => f(a >>> 0) | 0)
  }),
  ...more.map(([name, f]) => operation('approximate', name, ['f32'], ['f32'], (a) => f(a >>> 0) | 0)),
  operation('approximate', 'rcp.approx.ftz.f64', ['f64'], ['f64'], upper(rcpUpper)),
  operation('approximate', 'rsqrt.approx.ftz.f64', ['f64'], ['f64'], upper(rsqrtUpper)),
  operation('approximate', 'rsqrt.approx.f64', ['f64'], ['f64'], rsqrt64),
  ...halves.flatMap(([name, type]) => {
    const f = unaryFunction[name]
    return [
      operation('approximate', name, [type], [type], (a) => f(a & 0xffff)),
      operation('approximate', `${name}x2`, [`${type}x2`], [`${type}x2`], onHalves(f)),
    ]
  }),
  operation(
    'approximate',
    'div.approx.f32',
    ['f32', 'f32'],
    ['f32'],
    (a, b) => divApproxUnflushed(a >>> 0, b >>> 0) | 0,
  ),
  ...binary.map((name) => {
    const f = binaryFunction[name]
    return operation('approximate', name, ['f32', 'f32'], ['f32'], (a, b) => f(a >>> 0, b >>> 0) | 0)
  }),
]
