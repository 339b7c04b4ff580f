/**
 * The half-precision forms: an f32 function on the widened operand, its result cut off.
 *
 * | format | operand                 | result                                                                  |
 * |--------|-------------------------|-------------------------------------------------------------------------|
 * | f16    | widened, subnormals too | 10 fraction bits, cut off; below 2^-14 a subnormal, cut off; from 2^16 on infinity |
 * | bf16   | widened                 | the upper 16 bits of the f32 pattern                                    |
 *
 * By hand, ex2.approx.f16 of 0.5 (0x3800): ex2 gives 0x3FB504F3, that is 1.41421354 = 1 + 424.15 / 2^10, so 0x3C00 + 424 = 0x3DA8.
 *
 * Of bf16 operands `ex2` flushes the subnormals, as its f32 form does by itself, and `tanh` keeps them. NaN is 0x7FFF.
 *
 * Laws: the complete functions, 65536 operands each, are the captured ones.
 *
 * Source: PTX ISA, ex2 and tanh; measured on an H100.
 */
import { decoder, encoder } from '../float-format.js'
import { infinity, magnitudeOf, patternOf, signOf, valueOf } from './binary32.js'
import { ex2Flushed } from './ex2.js'
import { tanh } from './tanh.js'

const widenF16 = decoder('f16')
const cutToF16 = encoder('f16', 'rz')

/** To f16, cut off; but what is 2^16 or more is infinity. */
const narrowF16 = (x: number): number => {
  const magnitude = magnitudeOf(x)
  return magnitude >= 0x47800000 && magnitude <= infinity ? signOf(x) / 65536 + 0x7c00 : cutToF16(valueOf(x))
}

const onF16 =
  (f: (x: number) => number) =>
  (x: number): number =>
    narrowF16(f(patternOf(widenF16(x))))

const onBf16 =
  (f: (x: number) => number) =>
  (x: number): number =>
    f(x * 65536) >>> 16

/** `ex2.approx.f16`, a half of `ex2.approx.f16x2`. */
export const ex2F16: (x: number) => number = onF16(ex2Flushed)
/** `ex2.approx.ftz.bf16`, a half of `ex2.approx.ftz.bf16x2`. */
export const ex2Bf16: (x: number) => number = onBf16(ex2Flushed)
/** `tanh.approx.f16`, a half of `tanh.approx.f16x2`. */
export const tanhF16: (x: number) => number = onF16(tanh)
/** `tanh.approx.bf16`, a half of `tanh.approx.bf16x2`. */
export const tanhBf16: (x: number) => number = onBf16(tanh)
