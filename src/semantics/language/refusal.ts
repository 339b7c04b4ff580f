/**
 * Refusals: a failure that says, beside its words, what of the program is refused.
 *
 * | concern   | refused is                                                                     |
 * |-----------|--------------------------------------------------------------------------------|
 * | statement | what stands there; the innermost statement that has the problem, or several    |
 * | storage   | a declaration                                                                  |
 * | space     | all that is declared there together, or against what the program allocates     |
 *
 * Where nothing of the program in particular is refused, there is none.
 */
import { failure, type Failure } from '../../failure.js'
import type { Site } from './program.js'

export type Concern =
  | { readonly _tag: 'statement'; readonly site: Site }
  | { readonly _tag: 'storage'; readonly storage: string }
  | { readonly _tag: 'space'; readonly space: 'smem' | 'tmem' }

export interface Refusal<Code extends string = string> extends Failure<Code> {
  readonly about?: ReadonlyArray<Concern>
}

/** The failure, and what else it is about. */
export const about = <Code extends string>(
  { code, message, about: known = [] }: Refusal<Code>,
  ...concerns: ReadonlyArray<Concern>
): Refusal<Code> => Object.assign({ about: [...known, ...concerns] }, failure(code, message))

export const statement = (site: Site): Concern => ({ _tag: 'statement', site })
export const declared = (storage: string): Concern => ({ _tag: 'storage', storage })
export const space = (of: 'smem' | 'tmem'): Concern => ({ _tag: 'space', space: of })
