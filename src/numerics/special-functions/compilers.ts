/**
 * What compilers make of `exp2`, `exp`, `log`, `1/x` and `rsqrt` in their source, for f32.
 *
 * | compiler          | exp2                | exp                       | log                     | 1/x            | rsqrt            |
 * |-------------------|---------------------|---------------------------|-------------------------|----------------|------------------|
 * | pallas, approximate | ex2.approx.ftz    | ex2.approx.ftz(x log2 e)  | lg2.approx.ftz(x) ln 2  | rcp.approx     | rsqrt.approx     |
 * | pallas            | ex2.approx          | expf                      |                         | rcp.approx     | rsqrt.approx     |
 * | xla               | expf(x ln 2)        | expf                      |                         |                |                  |
 * | triton            | ex2.approx.ftz      | ex2.approx(x log2 e)      |                         |                |                  |
 * | pytorch           | ex2.approx          | expf                      |                         |                |                  |
 *
 * An empty place was not measured: the table has nothing there. Products are rounded to nearest. By hand, exp(20) = 485165195.41, which is
 * 0x4DE75844 to the nearest: triton rounds 20 log2 e before ex2 and gives 0x4DE75846, pytorch's expf gives 0x4DE75845, and
 * xla's exp2(100) is 0x71800012 where the others have 0x71800000 = 2^100. `pallas, approximate` is Mosaic GPU with `approx_math`, as the
 * shipped attention kernels are compiled.
 *
 * Laws
 * 1. Each place is the composition it names.
 * 2. xla's exp2 is not exact at 216 of the integers from -126 to 127, the others' is at all of them.
 *
 * Source: compiled and compared on an H100, 8192 operands a place: jax 0.11.2, triton 3.6.0, torch 2.11.0, CUDA 13.0.
 */
import type { ElementaryUnary, Unary } from '../algebra.js'
import { multiply } from './binary32.js'
import { ex2, ex2Flushed } from './ex2.js'
import { expf, expfIntrinsic, log2e } from './exponential.js'
import { lg2Flushed } from './lg2.js'
import { rcp } from './rcp.js'
import { rsqrt } from './rsqrt.js'

export const compilers = ['pallas.approx', 'pallas', 'xla', 'triton', 'pytorch'] as const
export type Compiler = (typeof compilers)[number]

/** The code of a compiler for the functions of a source; none for those that were not measured. */
export type Lowering = Readonly<Partial<Record<ElementaryUnary, Unary>>>

/** ln 2, rounded to f32. */
const ln2 = 0x3f317218

export const lowerings: Readonly<Record<Compiler, Lowering>> = {
  'pallas.approx': {
    exp2: ex2Flushed,
    exp: (x) => ex2Flushed(multiply(x, log2e)),
    log: (x) => multiply(lg2Flushed(x), ln2),
    rcp,
    rsqrt,
  },
  pallas: { exp2: ex2, exp: expf, rcp, rsqrt },
  xla: { exp2: (x) => expf(multiply(x, ln2)), exp: expf },
  triton: { exp2: ex2Flushed, exp: expfIntrinsic },
  pytorch: { exp2: ex2, exp: expf },
}
