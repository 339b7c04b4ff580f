/**
 * Compiler parameters: what is said about a kernel beside its body.
 *
 * | parameter                 | here                                                                                        |
 * |---------------------------|---------------------------------------------------------------------------------------------|
 * | unsafe_no_auto_barriers   | leaves out the warpgroup's barriers before stores and copies and around warp maps            |
 * | dimension_semantics       | `pallas_call`: the axes that are blocks, and those that are steps of one block's pipeline     |
 * | max_concurrent_steps      | `pallas_call`: the slots of that pipeline                                                    |
 * | approx_math               | nothing: an operation says itself whether it is approximate                                   |
 * | reduction_scratch_bytes   | nothing: registers are reduced without memory                                                 |
 * | profile_space, profile_dir | nothing: there is no time to be measured                                                     |
 * | lowering_semantics        | nothing: both lower to the same instructions                                                  |
 *
 * Without automatic barriers a kernel is right only if no region is read and written by one thread, and none is committed, read
 * and then overwritten asynchronously. With threads that are their warps the detector decides it (`auto-barriers.ts`).
 *
 * Names: `plgpu.CompilerParams`.
 *
 * Source: JAX docs, Pallas:MGPU reference (compiler params).
 */
import * as E from 'fp-ts/lib/Either.js'
import type { Failure } from '../../failure.js'
import { refuse, type Code } from './codes.js'

// ---------------------------------------------------------------- model

export interface CompilerParams {
  readonly unsafeNoAutoBarriers?: boolean
  readonly dimensionSemantics?: ReadonlyArray<'parallel' | 'sequential'>
  /** default 1 */
  readonly maxConcurrentSteps?: number
  readonly approxMath?: boolean
  readonly reductionScratchBytes?: number
  readonly profileSpace?: number
  readonly profileDir?: string
  readonly loweringSemantics?: 'Lane' | 'Warpgroup'
}

/** The effect of each parameter here: on the statements of a kernel, on those of a `pallas_call`, or none. */
export const decides: Readonly<Record<keyof CompilerParams, 'kernel' | 'pallas_call' | 'nothing'>> = {
  unsafeNoAutoBarriers: 'kernel',
  dimensionSemantics: 'pallas_call',
  maxConcurrentSteps: 'pallas_call',
  approxMath: 'nothing',
  reductionScratchBytes: 'nothing',
  profileSpace: 'nothing',
  profileDir: 'nothing',
  loweringSemantics: 'nothing',
}

// ---------------------------------------------------------------- preconditions

/** Refuses a profile with one of its two parameters, and a number of steps below 1. */
export const checkParams = (label: string, p: CompilerParams): E.Either<Failure<Code>, CompilerParams> => {
  if ((p.profileSpace === undefined) !== (p.profileDir === undefined))
    return refuse(
      'pallas.params.profile',
      `${label}: ${p.profileDir === undefined ? 'profile_space is given and profile_dir is not' : 'profile_dir is given and profile_space is not'}: expected both or neither`,
    )
  const steps = p.maxConcurrentSteps ?? 1
  return Number.isSafeInteger(steps) && steps >= 1
    ? E.right(p)
    : refuse(
        'pallas.params.steps',
        `${label}: max_concurrent_steps is ${String(steps)}: expected a positive integer`,
      )
}
