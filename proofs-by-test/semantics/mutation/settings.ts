/** What proofs of this room check a mutant with. */
import * as E from 'fp-ts/lib/Either.js'
import { instanceOf, kernelNamed, type Settings } from '../../../src/kernels/catalogue/index.js'
import { standardOptions, type CheckOptions } from '../../../src/semantics/check.js'
import type { Program } from '../../../src/semantics/program.js'

export const right = <A>(e: E.Either<{ readonly message: string }, A>): A => {
  if (E.isLeft(e)) throw new Error(e.left.message)
  return e.right
}

export const options: CheckOptions = {
  ...standardOptions,
  fuel: 1_000_000,
}

export const programOf = (name: string, settings: Settings): Program =>
  right(instanceOf(right(kernelNamed(name)), settings, [])).program
