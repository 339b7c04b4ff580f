/**
 * Problems: what is wrong with a program, and checks that look for it.
 *
 * A check gives the first problem it finds, or null. Checks are combined in two ways: one after another (`first`, lazily, so that a
 * later one may rely on what an earlier one has made sure), and over a list (`each`). The order is part of what users see: a
 * program with several faults is refused for the same one every time.
 *
 *     first([() => null, () => p, () => q])     p, and the third is never asked
 *     each([1, 2, 3], odd)                      the problem of 2
 *
 * Laws
 * 1. `first` and `each` give the earliest problem, and null exactly if there is none.
 * 2. A check after a problem is not run.
 */
import { failure } from '../../../failure.js'
import type { Refusal } from '../refusal.js'
import type { TypeErrorCode } from '../typecheck.js'

// ---------------------------------------------------------------- model

export type ValidationCode =
  | TypeErrorCode
  | 'name.bound-twice'
  | 'agent.unknown'
  | 'agent.duplicate'
  | 'agent.warps'
  | 'agent.fork'
  | 'launch.grid'
  | 'param.shape'
  | 'storage.overlap'
  | 'storage.owner'
  | 'storage.size'
  | 'barrier.count'
  | 'barrier.id'
  | 'registers.count'
  | 'arch'
  | 'mma.shape'
  | 'mma.dtype'
  | 'mma.agent'
  | 'mma.unsupported-transforms'
  | 'mma.tensor-memory'
  | 'mma.scales'
  | 'mma.sparsity'
  | 'tcgen05.shape'
  | 'A1'
  | 'A2'
  | 'A3'
  | 'A4'
  | 'tcgen05.ctaGroup'
  | 'M5'
  | 'M7'
  | 'T3'

export type Problem = Refusal<ValidationCode>
/** The problem found, or null. */
export type Checked = Problem | null

// ---------------------------------------------------------------- constructors

export const no = (code: ValidationCode, message: string): Problem => failure(code, message)

// ---------------------------------------------------------------- combinators

/** One check after another. */
export const first = (checks: ReadonlyArray<() => Checked>): Checked => {
  for (const check of checks) {
    const problem = check()
    if (problem !== null) return problem
  }
  return null
}
/** One check of every element. */
export const each = <A>(list: ReadonlyArray<A>, check: (a: A, k: number) => Checked): Checked => {
  for (const [k, a] of list.entries()) {
    const problem = check(a, k)
    if (problem !== null) return problem
  }
  return null
}

/** A count: an integer of 0 or more. */
export const isNat = (n: number): boolean => Number.isSafeInteger(n) && n >= 0
