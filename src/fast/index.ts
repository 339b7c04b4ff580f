/**
 * The algebras with their matrix products in vectors and their bytes moved in runs: the same numbers, sooner. To turn it off, take the algebra of
 * `numerics`.
 *
 * Law 1. `fast.bits(chip)` and `fast.field(seed)` are `bits(chip)` and `field(seed)`, result by result (`proofs-by-test/fast`).
 */
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import type { Algebra, FloatMmaTypes, Mma, MmaShape } from '../numerics/algebra.js'
import { bits as plainBits, type Arithmetic } from '../numerics/bits.js'
import { field as plainField, type Field } from '../numerics/field.js'
import type { Compiler } from '../numerics/special-functions/index.js'
import { blackwellRules, hopperRules } from '../numerics/tensor-core.js'
import { fastBlockSum } from './block-sum.js'
import { fastIntegerSum } from './integer-sum.js'
import { fastOrderedSum } from './ordered-sum.js'
import { fastResidueSum } from './residue-sum.js'

const mmaOf: Readonly<Record<Arithmetic, (types: FloatMmaTypes, shape: MmaShape) => Mma | null>> = {
  hopper: (types, shape) =>
    pipe(
      hopperRules(types),
      O.match(
        () => null,
        (rules) => fastBlockSum(rules, shape),
      ),
    ),
  blackwell: (types, shape) =>
    pipe(
      blackwellRules(types),
      O.match(
        () => null,
        (rules) => fastBlockSum(rules, shape),
      ),
    ),
  ieee32: ({ a, b, acc }, shape) => (acc === 'f32' ? fastOrderedSum(a, b, shape) : null),
  // the vectors have no fma
  'ieee32-fused': () => null,
}

/** Bit patterns, with the matrix products of a chip, and the approximate functions of a compiler. */
export const bits = (chip: Arithmetic, compiler: Compiler | null = null): Algebra => {
  const plain = plainBits(chip, compiler)
  const mma: Algebra['mma'] = (types, shape) =>
    pipe(
      plain.mma(types, shape),
      O.map(
        (definition) =>
          (types.acc === 'i32' ? fastIntegerSum(types, shape) : mmaOf[chip](types, shape)) ?? definition,
      ),
    )
  return { ...plain, runs: true, mma }
}

/** The field modulo 2^26 - 5 with the inputs of a seed. */
export const field = (seed: number): Field => {
  const plain = plainField(seed)
  const mma: Algebra['mma'] = (types, shape) =>
    pipe(
      plain.mma(types, shape),
      O.map(
        (definition) =>
          (types.acc === 'i32' ? fastIntegerSum(types, shape) : fastResidueSum(definition, shape)) ??
          definition,
      ),
    )
  return { ...plain, mma }
}
