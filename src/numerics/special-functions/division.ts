/**
 * Quotients by reciprocals: a / b as rcp(b) times a.
 *
 * | form                 | result                                                                                         |
 * |----------------------|------------------------------------------------------------------------------------------------|
 * | `div.full.f32`       | rcp.ftz(b k) * (a k), k as for rcp: 2^24 for subnormal b, 1/4 above 2^126, else 1              |
 * | `div.full.ftz.f32`   | the same with k = 1/4 above 2^126 only, every multiplication with subnormals as zeros          |
 * | `div.approx.ftz.f32` | rcp.ftz(b) * a, with subnormals as zeros                                                       |
 *
 * By hand, 1 / 3: rcp.ftz(3) is 0x3EAAAAAB (y = 11184811 where 11184810.67 is exact), times 1 the same. 2^127 / 2^127: `div.full` takes
 * k = 1/4, 2^-125 * 2^125 = 1; `div.approx` finds rcp.ftz(2^127) = 0 and answers 0.
 *
 * The assembler makes `div.full.f32` of these instructions, and takes the last of them, the product, into the rounding of a sum (`add.f32`) behind it.
 *
 * Laws
 * 1. x / x of powers of two is 1 by div.full, for subnormals too; by its ftz form for normal x; by div.approx below 2^127.
 * 2. All three are odd in either operand where the result is no NaN.
 * 3. div.full is within 2 units in the last place for |b| in [2^-126, 2^126] and normal operands and results.
 *
 * Source: PTX ISA, div; the arithmetic measured on an H100: 2^16 pairs with the edges of the range among them.
 */
import { flush, multiply, multiplyFlushed, patternOf } from './binary32.js'
import { rcpFlushed, rcpScale } from './rcp.js'

/** The first factor of `div.full.f32`. */
export const divFullReciprocal = (b: number): number => rcpFlushed(multiply(b, patternOf(rcpScale(b))))
/** The second one. */
export const divFullDividend = (a: number, b: number): number => multiply(a, patternOf(rcpScale(b)))

/** `div.full.f32` */
export const divFull = (a: number, b: number): number => multiply(divFullReciprocal(b), divFullDividend(a, b))

const flushedScale = (b: number): number => patternOf(rcpScale(flush(b)) === 0.25 ? 0.25 : 1)
/** The factors of `div.full.ftz.f32`. */
export const divFullFlushedReciprocal = (b: number): number => rcpFlushed(multiplyFlushed(b, flushedScale(b)))
export const divFullFlushedDividend = (a: number, b: number): number => multiplyFlushed(a, flushedScale(b))

/** `div.full.ftz.f32` */
export const divFullFlushed = (a: number, b: number): number =>
  multiplyFlushed(divFullFlushedReciprocal(b), divFullFlushedDividend(a, b))

/** `div.approx.ftz.f32` */
export const divApprox = (a: number, b: number): number => multiplyFlushed(rcpFlushed(b), a)
