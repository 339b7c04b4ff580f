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
 * An empty place was not measured: the table has nothing there. Products are rounded to nearest. By hand, exp(1): triton rounds log2 e to
 * 0x3FB8AA3B and takes ex2, 0x402DF853; pytorch's expf gives 0x402DF854. `pallas, approximate` is Mosaic GPU with `approx_math`, as the
 * shipped attention kernels are compiled.
 *
 * Laws
 * 1. Each place is the composition it names.
 * 2. xla's exp2 is not exact at integers, the others' is.
 *
 * Source: compiled and compared on an H100, 8192 operands a place: jax 0.11.2, triton 3.6.0, torch 2.11.0, CUDA 13.0.
 */
import { multiply } from './binary32.js'
import { ex2, ex2Flushed } from './ex2.js'
import { expf, expfIntrinsic, log2e } from './exponential.js'
import { lg2Flushed } from './lg2.js'
import { rcp } from './rcp.js'
import { rsqrt } from './rsqrt.js'

export const compilers = ['pallas.approx', 'pallas', 'xla', 'triton', 'pytorch'] as const
export type Compiler = (typeof compilers)[number]

/** The functions of a source language that a compiler has to make of something. */
export const sourceFunctions = ['exp2', 'exp', 'log', 'rcp', 'rsqrt'] as const
export type SourceFunction = (typeof sourceFunctions)[number]

type Lowering = Readonly<Partial<Record<SourceFunction, (x: number) => number>>>

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
