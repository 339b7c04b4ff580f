/** What proofs of this room check a mutant with. */
import { instanceOf, kernelNamed, type Settings } from '../../../src/kernels/catalogue/index.js'
import { standardOptions, type CheckOptions } from '../../../src/semantics/verdict/check.js'
import type { Program } from '../../../src/semantics/language/program.js'
import { right } from '../../either.js'

export const options: CheckOptions = {
  ...standardOptions,
  fuel: 1_000_000,
}

export const programOf = (name: string, settings: Settings): Program =>
  right(instanceOf(right(kernelNamed(name)), settings, [])).program
