/**
 * The approximate functions, from the special function unit (`special-functions/`), in the forms of the instructions.
 *
 * | form                                        | what it is                                                  |
 * |---------------------------------------------|-------------------------------------------------------------|
 * | ex2, lg2, rcp, rsqrt .approx(.ftz).f32      | `special-functions/`, all operands measured                 |
 * | tanh.approx                                 | the same                                                    |
 * | div.full(.ftz), div.approx.ftz              | the same                                                    |
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
import { rcpFlushed } from '../special-functions/rcp.js'
import { onHalves } from './half.js'
import { operation, type ScalarOperation } from './operation.js'

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

/** Both operands scaled by 2^24 where the divisor is subnormal, products to nearest. */
const divApproxUnflushed = (a: number, b: number): number => {
  const subnormal = magnitudeOf(b) < smallestNormal
  const scaled = (x: number): number => (subnormal ? multiply(x, twoTo24) : x)
  return multiply(rcpFlushed(scaled(b)), scaled(a))
}

export const approximateRows: readonly ScalarOperation[] = [
  ...unary.map((name) => {
    const f = unaryFunction[name]
    return operation('approximate', name, ['f32'], ['f32'], (a) => f(a >>> 0) | 0)
  }),
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
