/** Floating point: arithmetic in f32, f64, and in halves one or two at a time. */
import { computes } from './acts.js'
import { rowsOf, type Form } from './form.js'

const arithmetic = rowsOf('floating point', 'Floating Point Instructions', computes)
const halves = rowsOf('floating point', 'Half Precision Floating-Point Instructions', computes)

const sum = (base: string, sign: string): string => `
  ${base} rnd=$rnd? ftz? sat? type=f32 | d=@type a:@type b:@type | d = a ${sign} b
  ${base} rnd=$rnd? type=f64 | d=@type a:@type b:@type | d = a ${sign} b
  ${base} rnd=$rnd? ftz? type=f32x2 | d=b64 a:b64 b:b64 | d = a ${sign} b, two at a time`
const half = (base: string, sign: string): string => `
  ${base} rnd=rn? ftz? sat? type=f16|f16x2 | d=@type a:@type b:@type | d = a ${sign} b
  ${base} rnd=rn? type=bf16|bf16x2 | d=@type a:@type b:@type | d = a ${sign} b`
const extreme = (base: string, which: string): string => `
  ${base} ftz? nan=NaN? xorsign.abs? type=f32 | d=@type a:@type b:@type | d = the ${which} one
  ${base} ftz? nan=NaN? abs type=f32 | d=@type a:@type b:@type c:@type | d = the ${which} one of three magnitudes
  ${base} ftz? nan=NaN? type=f32 | d=@type a:@type b:@type c:@type | d = the ${which} one of three
  ${base} type=f64 | d=@type a:@type b:@type | d = the ${which} one`

export const floating: ReadonlyArray<Form> = [
  ...arithmetic(`
  testp op=finite|infinite|number|notanumber|normal|subnormal type=f32|f64 | p=pred a:@type | p = is a of that kind?
  copysign type=f32|f64 | d=@type a:@type b:@type | d = b with the sign of a
  ${sum('add', '+')}
  ${sum('sub', '-')}
  add rnd=$rnd? sat? type=f32 atype=f16|bf16 | d=f32 a:@atype c:f32 | d = a + c
  sub rnd=$rnd? sat? type=f32 atype=f16|bf16 | d=f32 a:@atype c:f32 | d = a - c
  ${sum('mul', '*')}
  fma rnd=$rnd ftz? sat? type=f32 | d=@type a:@type b:@type c:@type | d = a * b + c, rounded once
  fma rnd=$rnd type=f64 | d=@type a:@type b:@type c:@type | d = a * b + c, rounded once
  fma rnd=$rnd ftz? type=f32x2 | d=b64 a:b64 b:b64 c:b64 | d = a * b + c, two at a time
  fma rnd=$rnd sat? type=f32 abtype=f16|bf16 | d=f32 a:@abtype b:@abtype c:f32 | d = a * b + c, rounded once
  mad rnd=$rnd ftz? sat? type=f32 | d=@type a:@type b:@type c:@type | d = a * b + c, rounded once
  mad rnd=$rnd type=f64 | d=@type a:@type b:@type c:@type | d = a * b + c, rounded once
  div approx ftz? type=f32 | d=@type a:@type b:@type | d = a * (1 / b), within 2 ulp
  div full ftz? type=f32 | d=@type a:@type b:@type | d = a / b, within 2 ulp over the whole range
  div rnd=$rnd ftz? type=f32 | d=@type a:@type b:@type | d = a / b
  div rnd=$rnd type=f64 | d=@type a:@type b:@type | d = a / b
  abs ftz? type=f32 | d=@type a:@type | d = |a|
  abs type=f64 | d=@type a:@type | d = |a|
  neg ftz? type=f32 | d=@type a:@type | d = -a
  neg type=f64 | d=@type a:@type | d = -a
  ${extreme('min', 'smaller')}
  ${extreme('max', 'larger')}
  rcp approx ftz? type=f32 | d=@type a:@type | d = 1 / a, within 1 ulp
  rcp rnd=$rnd ftz? type=f32 | d=@type a:@type | d = 1 / a
  rcp rnd=$rnd type=f64 | d=@type a:@type | d = 1 / a
  rcp approx ftz type=f64 | d=@type a:@type | d = 1 / a, of the upper 32 bits
  sqrt approx ftz? type=f32 | d=@type a:@type | d = the square root, nearly
  sqrt rnd=$rnd ftz? type=f32 | d=@type a:@type | d = the square root
  sqrt rnd=$rnd type=f64 | d=@type a:@type | d = the square root
  rsqrt approx ftz? type=f32|f64 | d=@type a:@type | d = 1 / the square root, nearly
  sin approx ftz? type=f32 | d=@type a:@type | d = the sine, nearly
  cos approx ftz? type=f32 | d=@type a:@type | d = the cosine, nearly
  lg2 approx ftz? type=f32 | d=@type a:@type | d = the logarithm of base 2, approximately
  ex2 approx ftz? type=f32 | d=@type a:@type | d = 2 to the a, nearly
  tanh approx type=f32 | d=@type a:@type | d = the hyperbolic tangent, nearly
`),
  ...halves(`
  ${half('add', '+')}
  ${half('sub', '-')}
  ${half('mul', '*')}
  fma rnd=rn ftz? sat? type=f16|f16x2 | d=@type a:@type b:@type c:@type | d = a * b + c, rounded once
  fma rnd=rn ftz? relu type=f16|f16x2 | d=@type a:@type b:@type c:@type | d = a * b + c, rounded once, at least 0
  fma rnd=rn relu? type=bf16|bf16x2 | d=@type a:@type b:@type c:@type | d = a * b + c, rounded once, with relu at least 0
  fma rnd=rn oob relu? type=f16|f16x2|bf16|bf16x2 | d=@type a:@type b:@type c:@type | d = a * b + c, 0 where a or b is the NaN for out of bounds
  neg ftz? type=f16|f16x2 | d=@type a:@type | d = -a
  neg type=bf16|bf16x2 | d=@type a:@type | d = -a
  abs ftz? type=f16|f16x2 | d=@type a:@type | d = |a|
  abs type=bf16|bf16x2 | d=@type a:@type | d = |a|
  min ftz? nan=NaN? xorsign.abs? type=f16|f16x2 | d=@type a:@type b:@type | d = the smaller one
  min nan=NaN? xorsign.abs? type=bf16|bf16x2 | d=@type a:@type b:@type | d = the smaller one
  max ftz? nan=NaN? xorsign.abs? type=f16|f16x2 | d=@type a:@type b:@type | d = the larger one
  max nan=NaN? xorsign.abs? type=bf16|bf16x2 | d=@type a:@type b:@type | d = the larger one
  tanh approx type=f16|f16x2|bf16|bf16x2 | d=@type a:@type | d = the hyperbolic tangent, nearly
  ex2 approx type=f16|f16x2 | d=@type a:@type | d = 2 to the a, nearly
  ex2 approx ftz type=bf16|bf16x2 | d=@type a:@type | d = 2 to the a, nearly
`),
]

const compare = (types: string, compares: string, ftz = '', truths = 'u32|s32|f32|f16|bf16'): string => `
  setp cmp=${compares} ${ftz} type=${types} | p=pred_|q=pred_? a:@type b:@type | p = a cmp b, q = the opposite
  setp cmp=${compares} bool=$bool ${ftz} type=${types} | p=pred_|q=pred_? a:@type b:@type c!pred | p = (a cmp b) bool c, q = (the opposite) bool c
  set cmp=${compares} ${ftz} dtype=${truths} type=${types} | d=@dtype a:@type b:@type | d = all ones or 1.0 where a cmp b, else 0
  set cmp=${compares} bool=$bool ${ftz} dtype=${truths} type=${types} | d=@dtype a:@type b:@type c!pred | d = all ones or 1.0 where (a cmp b) bool c, else 0`

export const comparison: ReadonlyArray<Form> = [
  ...rowsOf(
    'comparison',
    'Comparison and Selection Instructions',
    computes,
  )(`
  ${compare('$bits', '$cmpB')}
  ${compare('$signed', '$cmpS')}
  ${compare('$unsigned', '$cmpU')}
  ${compare('f32', '$cmpF', 'ftz?', 'u32|s32|f32|f16')}
  set cmp=$cmpF dtype=bf16 type=f32 | d=@dtype a:@type b:@type | d = 1.0 where a cmp b, else 0
  set cmp=$cmpF bool=$bool dtype=bf16 type=f32 | d=@dtype a:@type b:@type c!pred | d = 1.0 where (a cmp b) bool c, else 0
  ${compare('f64', '$cmpF')}
  selp type=$bits|$int|f32|f64 | d=@type a:@type b:@type c!pred | d = a where c, else b
  slct type=$bits|$int|f32|f64 ctype=s32 | d=@type a:@type b:@type c:@ctype | d = a where c >= 0, else b
  slct ftz? type=$bits|$int|f32|f64 ctype=f32 | d=@type a:@type b:@type c:@ctype | d = a where c >= 0, else b
`),
  ...rowsOf(
    'comparison',
    'Half Precision Comparison Instructions',
    computes,
  )(`
  setp cmp=$cmpF ftz? type=f16 | p=pred a:@type b:@type | p = a cmp b
  setp cmp=$cmpF bool=$bool ftz? type=f16 | p=pred a:@type b:@type c!pred | p = (a cmp b) bool c
  setp cmp=$cmpF type=bf16 | p=pred a:@type b:@type | p = a cmp b
  setp cmp=$cmpF bool=$bool type=bf16 | p=pred a:@type b:@type c!pred | p = (a cmp b) bool c
  setp cmp=$cmpF ftz? type=f16x2 | p=pred_|q=pred_ a:@type b:@type | p and q = the comparisons of the two halves
  setp cmp=$cmpF bool=$bool ftz? type=f16x2 | p=pred_|q=pred_ a:@type b:@type c!pred | p and q = the comparisons of the two halves, bool c
  setp cmp=$cmpF type=bf16x2 | p=pred_|q=pred_ a:@type b:@type | p and q = the comparisons of the two halves
  setp cmp=$cmpF bool=$bool type=bf16x2 | p=pred_|q=pred_ a:@type b:@type c!pred | p and q = the comparisons of the two halves, bool c
  set cmp=$cmpF ftz? dtype=u16|s16|u32|s32|f16 type=f16 | d=@dtype a:@type b:@type | d = all ones or 1.0 where a cmp b, else 0
  set cmp=$cmpF dtype=u16|s16|u32|s32|bf16 type=bf16 | d=@dtype a:@type b:@type | d = all ones or 1.0 where a cmp b, else 0
  set cmp=$cmpF ftz? dtype=u32|s32|f16x2 type=f16x2 | d=@dtype a:@type b:@type | d = all ones or 1.0 where a cmp b, else 0, in each half
  set cmp=$cmpF dtype=u32|s32|bf16x2 type=bf16x2 | d=@dtype a:@type b:@type | d = all ones or 1.0 where a cmp b, else 0, in each half
  set cmp=$cmpF bool=$bool ftz? dtype=u16|s16|u32|s32|f16 type=f16 | d=@dtype a:@type b:@type c!pred | d = all ones or 1.0 where (a cmp b) bool c, else 0
  set cmp=$cmpF bool=$bool dtype=u16|s16|u32|s32|bf16 type=bf16 | d=@dtype a:@type b:@type c!pred | d = all ones or 1.0 where (a cmp b) bool c, else 0
  set cmp=$cmpF bool=$bool ftz? dtype=u32|s32|f16x2 type=f16x2 | d=@dtype a:@type b:@type c!pred | d = all ones or 1.0 where (a cmp b) bool c, else 0, in each half
  set cmp=$cmpF bool=$bool dtype=u32|s32|bf16x2 type=bf16x2 | d=@dtype a:@type b:@type c!pred | d = all ones or 1.0 where (a cmp b) bool c, else 0, in each half
`),
]
