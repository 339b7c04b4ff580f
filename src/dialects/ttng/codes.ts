/**
 * Everything that the Triton surface refuses, by a stable code.
 *
 * A code says which rule of an operation's verifier failed, or which of its lowering (Triton itself says so later, or not at all). The
 * message names the operation, the operand, what was expected and what was found.
 *
 * Law 1. Every code has an example of its message, and every refusal of this folder has one of these codes.
 *
 * Source: Triton, verifiers of the TritonGPU and TritonNvidiaGPU dialects.
 */
import * as E from 'fp-ts/lib/Either.js'
import { failure, refuse as refuseAny, type Failure } from '../../failure.js'
import { fail, type Build } from '../../semantics/builder.js'

/** Who says so in Triton. */
export type Says = 'verifier' | 'lowering' | 'nobody'

const table = {
  // barriers and copies
  'ttng.barrier': 'verifier',
  // tensor cores and tensor memory

  // the surroundings: memdescs, tensors, partitions
} as const

export type Code = keyof typeof table
export const codes: Readonly<Record<Code, Says>> = table

/** Refuses, as an `Either`. */
export const refuse = (code: Code, message: string): E.Either<Failure<Code>, never> =>
  refuseAny(code, message)
/** Refuses, inside a program. */
export const refused = (code: Code, message: string): Build<never> => fail(failure(code, message))
