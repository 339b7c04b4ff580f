/**
 * The algebra of bit patterns: what the chip computes.
 *
 * A carrier is the bit pattern of its dtype, an integer in [0, 2^bits). Scalar operations on f16, bf16 and f32
 * are correctly rounded, subnormals kept, every NaN result canonical; conversions round once; `min` and `max`
 * are PTX's (a NaN loses). Comparisons are IEEE 754's: `ne` alone is true on a NaN (PTX `setp.neu`). `neg` and
 * `abs` touch the sign bit alone, of a NaN too.
 *
 * A special function by its own name (`ex2.approx.ftz.f32`) is Hopper's, measured, for every chip: no other was measured. What a source
 * calls `exp2` or `exp` (mode `approx`) is what the given compiler makes of it, in f32.
 *
 * Lacking: `approx` of anything without a compiler, or what that compiler was not measured on; `rn` of what is not correctly rounded
 * anywhere (exp2, log2, exp, log, tanh, rsqrt); arithmetic in formats below 16 bits; and matrix products that the chosen chip has no
 * instruction for.
 *
 * | arithmetic | matrix product                                                                        |
 * |------------|---------------------------------------------------------------------------------------|
 * | hopper     | Hopper's tensor cores: one-shot aligned truncated sums (`tensor-core.ts`), fidelity silicon |
 * | blackwell  | tcgen05 by the documented rule, the same sums of other lengths and widths; fidelity documented |
 * | ieee32     | k from 0 upwards, product and sum each rounded to the accumulator's format, to nearest (`ordered-product.ts`) |
 * | ieee32-fused | the same, product and sum rounded together: a chain of fma |
 *
 * Laws: 1, 2 and 3 of `algebra.ts`; the laws of `float-format.ts`, `rounded-arithmetic.ts`, `tensor-core.ts`; and
 * 1. `neg` is an involution, also on NaN patterns.
 * 2. `cast` to a wider format and back is the identity but for NaN payloads.
 */
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import type {
  Algebra,
  Binary,
  BinaryOp,
  Compare,
  CompareOp,
  ElementaryUnary,
  FloatMmaTypes,
  Mma,
  MmaShape,
  ScaledMma,
  Unary,
  UnaryMode,
  UnaryOp,
} from './algebra.js'
import { bitsOf, isFloat, type Dtype, type FloatDtype } from './dtype.js'
import { decoder, encoder, type RoundingMode } from './float-format.js'
import { floatToInteger, integerCast } from './integer.js'
import { orderedMma } from './ordered-product.js'
import { integerMma } from './integer-product.js'
import {
  isArithmetic,
  roundedBinary,
  roundedFma,
  roundedUnary,
  rounder,
  type ArithmeticDtype,
} from './rounded-arithmetic.js'
import { dequantised, dequantisedColumns } from './scales.js'
import {
  binaryFunction,
  isSpecialBinary,
  isSpecialUnary,
  lowerings,
  specialDtype,
  unaryFunction,
  type Compiler,
  type Lowering,
} from './special-functions/index.js'
import { scaledMma, scaledRules } from './scaled-tensor-core.js'
import { blackwellRules, hopperRules, tensorCoreMma, type ArithmeticRules } from './tensor-core.js'

/** Whose matrix products. */
export const arithmetics = ['hopper', 'blackwell', 'ieee32', 'ieee32-fused'] as const
export type Arithmetic = (typeof arithmetics)[number]

const arithmetic = (dtype: FloatDtype): O.Option<ArithmeticDtype> => O.fromPredicate(isArithmetic)(dtype)

const elementary = (
  lowering: Lowering,
  op: ElementaryUnary,
  mode: UnaryMode,
  dtype: FloatDtype,
): O.Option<Unary> =>
  pipe(
    arithmetic(dtype),
    O.chain((d): O.Option<Unary> => {
      const signBit = 2 ** (bitsOf(d) - 1)
      if (op === 'neg') return O.some((x) => (x >= signBit ? x - signBit : x + signBit))
      if (op === 'abs') return O.some((x) => (x >= signBit ? x - signBit : x))
      // The lowerings were measured on f32.
      if (mode === 'approx') return d === 'f32' ? O.fromNullable(lowering[op]) : O.none
      return pipe(
        roundedUnary(op, d),
        O.map((f): Unary => {
          const value = decoder(d)
          const pattern = encoder(d)
          return (x) => pattern(f(value(x)))
        }),
      )
    }),
  )

const unary =
  (lowering: Lowering) =>
  (op: UnaryOp, mode: UnaryMode, dtype: FloatDtype): O.Option<Unary> =>
    isSpecialUnary(op)
      ? specialDtype(op) === dtype
        ? O.some(unaryFunction[op])
        : O.none
      : elementary(lowering, op, mode, dtype)

const binary = (op: BinaryOp, dtype: FloatDtype): O.Option<Binary> =>
  isSpecialBinary(op)
    ? specialDtype(op) === dtype
      ? O.some(binaryFunction[op])
      : O.none
    : pipe(
        arithmetic(dtype),
        O.map((d): Binary => {
          const f = roundedBinary(op, d)
          const value = decoder(d)
          const pattern = encoder(d)
          return (x, y) => pattern(f(value(x), value(y)))
        }),
      )

/** IEEE comparison of values. */
export const compareValues = (op: CompareOp): Compare => {
  switch (op) {
    case 'eq':
      return (x, y) => x === y
    case 'ne':
      return (x, y) => x !== y
    case 'lt':
      return (x, y) => x < y
    case 'le':
      return (x, y) => x <= y
    case 'gt':
      return (x, y) => x > y
    case 'ge':
      return (x, y) => x >= y
  }
}

const cast = (from: Dtype, to: Dtype, rounding: RoundingMode, saturate: boolean): O.Option<Unary> => {
  if (!isFloat(from))
    return isFloat(to) ? O.some(encoder(to, rounding, saturate)) : integerCast(from, to, saturate)
  const value = decoder(from)
  if (!isFloat(to))
    return pipe(
      floatToInteger(to, rounding),
      O.map(
        (f): Unary =>
          (x) =>
            f(value(x)),
      ),
    )
  if (from === to && !saturate) return O.some((x) => x)
  const pattern = encoder(to, rounding, saturate)
  return O.some((x) => pattern(value(x)))
}

type MmaOf = (types: FloatMmaTypes, shape: MmaShape) => O.Option<Mma>

const blockMma =
  (rulesOf: (types: FloatMmaTypes) => O.Option<ArithmeticRules>): MmaOf =>
  (types, shape) =>
    pipe(
      rulesOf(types),
      O.filter((rules) => shape.k % rules.blockK === 0),
      O.map((rules): Mma => tensorCoreMma(rules, shape)),
    )

const mmaOf: Readonly<Record<Arithmetic, MmaOf>> = {
  hopper: blockMma(hopperRules),
  blackwell: blockMma(blackwellRules),
  ieee32: orderedMma,
  'ieee32-fused': (types, shape) => orderedMma(types, shape, { order: 'ascending', fused: true }),
}

/** Block-scaled products in order of k: f64 holds the operands times their scales exactly. */
const orderedScaledMma =
  (fused: boolean): Algebra['scaledMma'] =>
  (types, { m, n, k }) =>
    pipe(
      arithmetic(types.acc),
      O.map((acc): ScaledMma => {
        const round = rounder(acc)
        const fma = roundedFma(acc)
        const times = (x: number, y: number): number => x * y
        return (a, b, sa, sb, c) => {
          if (k === 0) return c.slice()
          const scale = decoder(types.scale)
          const av = dequantised(a.map(decoder(types.a)), k, types.block, sa.map(scale), times)
          const bv = dequantisedColumns(b.map(decoder(types.b)), n, k, types.block, sb.map(scale), times)
          const d = c.map(decoder(acc))
          for (let i = 0; i < m; i++)
            for (let p = 0; p < k; p++)
              for (let j = 0; j < n; j++) {
                const [x, y, z] = [av[i * k + p]!, bv[p * n + j]!, d[i * n + j]!]
                d[i * n + j] = fused ? fma(x, y, z) : round(z + round(x * y))
              }
          return d.map(encoder(acc))
        }
      }),
    )

/** Blackwell's block-scaled products by the documented rule, or in order of k. */
const scaledMmaOf: Readonly<Record<Arithmetic, Algebra['scaledMma']>> = {
  hopper: () => O.none,
  blackwell: (types, shape) =>
    pipe(
      scaledRules(types),
      O.filter((rules) => shape.k % rules.blockK === 0),
      O.map((rules): ScaledMma => scaledMma(rules, shape)),
    ),
  ieee32: orderedScaledMma(false),
  'ieee32-fused': orderedScaledMma(true),
}

const described: Readonly<Record<Arithmetic, string>> = {
  hopper: 'bit patterns; matrix products as on Hopper tensor cores (measured)',
  blackwell: 'bit patterns; matrix products by the documented rule of Blackwell tensor cores (not measured)',
  ieee32: 'bit patterns; matrix products in order of k, every operation rounded to nearest',
  'ieee32-fused': 'bit patterns; matrix products in order of k, product and sum rounded to nearest together',
}

const noLowering: Lowering = {}

/**
 * Bit patterns, with the matrix products of a chip, and the approximate functions of a compiler.
 *
 * @example
 * ```ts
 * import { bits, mmaTypes } from 'tensorcore-spec/numerics'
 * import * as O from 'fp-ts/lib/Option.js'
 * import { pipe } from 'fp-ts/lib/function.js'
 *
 * const one = 0x3c00, tiny = 0x0c00 // 1 and 2^-12 in f16
 * const mma = pipe(mmaTypes('f16', 'f16', 'f32'), O.chain((types) => bits('hopper').mma(types, { m: 1, n: 1, k: 16 })))
 * const row = new Float64Array(16).fill(tiny, 0, 1) // times itself: 2^-24
 * // 1 + 2^-24 in f32: a tensor core cuts off
 * console.log(O.isSome(mma) ? mma.value(row, row, Float64Array.of(0x3f800000))[0]?.toString(16) : 'no such product') // 3f800000
 * ```
 */
export const bits = (chip: Arithmetic, compiler: Compiler | null = null): Algebra => ({
  name: 'bits',
  description:
    compiler === null
      ? described[chip]
      : `${described[chip]}; exp2 and its like as ${compiler} lowers them (measured on Hopper)`,
  memory: 'bytes',
  constant: (dtype, x) => encoder(dtype)(x),
  fromBits: (_dtype, pattern) => pattern,
  unary: unary(compiler === null ? noLowering : lowerings[compiler]),
  binary,
  fma: (dtype) =>
    pipe(
      arithmetic(dtype),
      O.map((d) => {
        const f = roundedFma(d)
        const value = decoder(d)
        const pattern = encoder(d)
        return (x, y, z) => pattern(f(value(x), value(y), value(z)))
      }),
    ),
  compare: (op, dtype) =>
    pipe(
      arithmetic(dtype),
      O.map((d) => {
        const holds = compareValues(op)
        const value = decoder(d)
        return (x, y) => holds(value(x), value(y))
      }),
    ),
  cast,
  mma: (types, shape) => (types.acc === 'i32' ? integerMma(types, shape) : mmaOf[chip](types, shape)),
  scaledMma: scaledMmaOf[chip],
})
