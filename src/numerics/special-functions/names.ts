/**
 * The special functions by name: PTX's instructions, and the library functions that are made of them.
 *
 * A name says everything: which instruction, whether subnormals are flushed, of which dtype. So it stands for one function on bit patterns,
 * whatever compiles, and a kernel that asks for it gets that one. What a compiler makes of `exp` in its source is in `compilers.ts`.
 *
 * | name                  | what it approximates | dtype |
 * |-----------------------|----------------------|-------|
 * | `ex2.approx.ftz.f32`  | 2^x                  | f32   |
 * | `tanh.approx.bf16`    | tanh x               | bf16  |
 * | `expf`, `logf`        | e^x, ln x            | f32   |
 * | `div.full.f32`        | a / b                | f32   |
 * | `__nv_sinf`           | sin x                | f32   |
 *
 * `reciprocal.` and `dividend.` are the factors of the product that `div.full.f32` ends with, for a sum that takes it into its rounding.
 * `__nv_` is libdevice's where subnormals are flushed (`libdevice.ts`).
 *
 * Laws
 * 1. A PTX name ends in its dtype; the library's functions are of f32.
 */

export const specialUnaryNames = [
  'ex2.approx.ftz.f32',
  'ex2.approx.f32',
  'ex2.approx.f16',
  'ex2.approx.ftz.bf16',
  'exp2f',
  'expf',
  '__expf',
  'logf',
  'log2f',
  'tanhf',
  'rcp.approx.ftz.f32',
  'rcp.approx.f32',
  'lg2.approx.ftz.f32',
  'lg2.approx.f32',
  'rsqrt.approx.ftz.f32',
  'rsqrt.approx.f32',
  'sqrt.approx.ftz.f32',
  'sin.approx.ftz.f32',
  'cos.approx.ftz.f32',
  'tanh.approx.f32',
  'tanh.approx.f16',
  'tanh.approx.bf16',
  'reciprocal.div.full.f32',
  '__nv_expf',
  '__nv_expm1f',
  '__nv_logf',
  '__nv_log2f',
  '__nv_log1pf',
  '__nv_sinf',
  '__nv_cosf',
  '__nv_tanhf',
  '__nv_erff',
] as const

export const specialBinaryNames = [
  'div.full.f32',
  'div.full.ftz.f32',
  'div.approx.ftz.f32',
  'dividend.div.full.f32',
] as const

export type SpecialUnary = (typeof specialUnaryNames)[number]
export type SpecialBinary = (typeof specialBinaryNames)[number]

/** What a special function of one operand approximates. */
export type Meaning =
  | 'exp2'
  | 'exp'
  | 'expm1'
  | 'log'
  | 'log2'
  | 'log1p'
  | 'rcp'
  | 'sqrt'
  | 'rsqrt'
  | 'sin'
  | 'cos'
  | 'tanh'
  | 'erf'

export const meaningOf: Readonly<Record<SpecialUnary, Meaning>> = {
  'ex2.approx.ftz.f32': 'exp2',
  'ex2.approx.f32': 'exp2',
  'ex2.approx.f16': 'exp2',
  'ex2.approx.ftz.bf16': 'exp2',
  exp2f: 'exp2',
  expf: 'exp',
  __expf: 'exp',
  logf: 'log',
  log2f: 'log2',
  tanhf: 'tanh',
  'rcp.approx.ftz.f32': 'rcp',
  'rcp.approx.f32': 'rcp',
  'lg2.approx.ftz.f32': 'log2',
  'lg2.approx.f32': 'log2',
  'rsqrt.approx.ftz.f32': 'rsqrt',
  'rsqrt.approx.f32': 'rsqrt',
  'tanh.approx.f32': 'tanh',
  'tanh.approx.f16': 'tanh',
  'tanh.approx.bf16': 'tanh',
  'sqrt.approx.ftz.f32': 'sqrt',
  'sin.approx.ftz.f32': 'sin',
  'cos.approx.ftz.f32': 'cos',
  'reciprocal.div.full.f32': 'rcp',
  __nv_expf: 'exp',
  __nv_expm1f: 'expm1',
  __nv_logf: 'log',
  __nv_log2f: 'log2',
  __nv_log1pf: 'log1p',
  __nv_sinf: 'sin',
  __nv_cosf: 'cos',
  __nv_tanhf: 'tanh',
  __nv_erff: 'erf',
}

const unaryNames: ReadonlySet<string> = new Set(specialUnaryNames)
const binaryNames: ReadonlySet<string> = new Set(specialBinaryNames)

/** Is this the name of a special function of one operand? */
export const isSpecialUnary = (name: string): name is SpecialUnary => unaryNames.has(name)

/** Is this the name of a special function of two operands? */
export const isSpecialBinary = (name: string): name is SpecialBinary => binaryNames.has(name)

/** The dtype of the operands and of the result of a special function, by the end of its name. */
export type SpecialDtype<N extends SpecialUnary | SpecialBinary> = N extends `${string}.bf16`
  ? 'bf16'
  : N extends `${string}.f16`
    ? 'f16'
    : 'f32'

/** The same as a value. */
export const specialDtype = (name: SpecialUnary | SpecialBinary): 'f32' | 'f16' | 'bf16' =>
  name.endsWith('.bf16') ? 'bf16' : name.endsWith('.f16') ? 'f16' : 'f32'
