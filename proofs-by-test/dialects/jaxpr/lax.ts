/** What lax gives for two integers, before it is cut to the width of their type. */
import type { IntegerBinary } from '../../../src/dialects/jaxpr/arithmetic.js'

export const lax: Readonly<Record<IntegerBinary, (x: bigint, y: bigint, bits: number) => bigint>> = {
  add: (x, y) => x + y,
  sub: (x, y) => x - y,
  mul: (x, y) => x * y,
  div: (x, y) => (y === 0n ? -1n : x / y),
  rem: (x, y) => (y === 0n ? x : x % y),
  max: (x, y) => (x > y ? x : y),
  min: (x, y) => (x < y ? x : y),
  and: (x, y) => x & y,
  or: (x, y) => x | y,
  xor: (x, y) => x ^ y,
  shift_left: (x, y) => x << y,
  shift_right_logical: (x, y, bits) => BigInt.asUintN(bits, x) >> y,
  shift_right_arithmetic: (x, y, bits) => BigInt.asIntN(bits, x) >> y,
}
