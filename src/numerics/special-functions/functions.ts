/**
 * The special functions as functions on bit patterns, by name.
 *
 * By hand: `unaryFunction['ex2.approx.ftz.f32'](0x40000000)` is 0x40800000, 2^2 = 4.
 *
 * Laws
 * 1. Every function of `names.ts` is here; a result is a pattern of the function's dtype, and a NaN is the canonical one.
 */
import type { SpecialBinary, SpecialUnary } from './names.js'
import { divApprox, divFull, divFullDividend, divFullFlushed, divFullReciprocal } from './division.js'
import { ex2, ex2Flushed } from './ex2.js'
import { expf, expfIntrinsic } from './exponential.js'
import { ex2Bf16, ex2F16, tanhBf16, tanhF16 } from './half.js'
import { lg2, lg2Flushed } from './lg2.js'
import * as libdevice from './libdevice.js'
import { rcp, rcpFlushed } from './rcp.js'
import { rsqrt, rsqrtFlushed } from './rsqrt.js'
import { cosine, sine } from './sine.js'
import { sqrtFlushed } from './sqrt.js'
import { tanh } from './tanh.js'

export const unaryFunction: Readonly<Record<SpecialUnary, (x: number) => number>> = {
  'ex2.approx.ftz.f32': ex2Flushed,
  'ex2.approx.f32': ex2,
  'ex2.approx.f16': ex2F16,
  'ex2.approx.ftz.bf16': ex2Bf16,
  exp2f: ex2,
  expf,
  __expf: expfIntrinsic,
  logf: libdevice.kept.logf,
  log2f: libdevice.kept.log2f,
  tanhf: libdevice.kept.tanhf,
  'rcp.approx.ftz.f32': rcpFlushed,
  'rcp.approx.f32': rcp,
  'lg2.approx.ftz.f32': lg2Flushed,
  'lg2.approx.f32': lg2,
  'rsqrt.approx.ftz.f32': rsqrtFlushed,
  'rsqrt.approx.f32': rsqrt,
  'tanh.approx.f32': tanh,
  'tanh.approx.f16': tanhF16,
  'tanh.approx.bf16': tanhBf16,
  'sqrt.approx.ftz.f32': sqrtFlushed,
  'sin.approx.ftz.f32': sine,
  'cos.approx.ftz.f32': cosine,
  'reciprocal.div.full.f32': divFullReciprocal,
  __nv_expf: libdevice.expf,
  __nv_expm1f: libdevice.expm1f,
  __nv_logf: libdevice.flushed.logf,
  __nv_log2f: libdevice.flushed.log2f,
  __nv_log1pf: libdevice.log1pf,
  __nv_sinf: libdevice.sinf,
  __nv_cosf: libdevice.cosf,
  __nv_tanhf: libdevice.flushed.tanhf,
  __nv_erff: libdevice.erff,
}

export const binaryFunction: Readonly<Record<SpecialBinary, (a: number, b: number) => number>> = {
  'div.full.f32': divFull,
  'div.full.ftz.f32': divFullFlushed,
  'div.approx.ftz.f32': divApprox,
  'dividend.div.full.f32': divFullDividend,
}
