/** The types that the rows give are those written by hand, each and exactly; text of no form gives none. */
import type { Derived, Fields, Given, Rows } from '../../../src/semantics/language/derive.js'
import type {
  Completion,
  InstructionName,
  InstructionOf,
} from '../../../src/semantics/language/instruction.js'
import type { completion } from '../../../src/semantics/language/rows.js'

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
/** The members of a type apart from how it is put together. */
type Flat<A> = { [F in keyof A]: A[F] }

export const names: Same<keyof Rows, InstructionName> = true
export const completions: Same<Fields<typeof completion>, Flat<Completion>> = true

/** The instructions whose derived type is another. */
type Drifted = {
  [K in InstructionName]: Same<Derived<K>, Flat<InstructionOf<K>>> extends true ? never : K
}[InstructionName]
export const none: Same<Drifted, never> = true

type Misspelt =
  'views smem' | 'view shared' | 'view smem of f33' | 'view smem rank two' | 'tile i33' | 'i33' | ''
export const unread: Same<{ [T in Misspelt]: Given<T> }[Misspelt], never> = true
