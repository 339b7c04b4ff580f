/**
 * Questions about final states: `exists (P1:r0 == 1 /\ x == 2)`, `~exists`, `forall`, perhaps of those states alone that a filter admits.
 *
 * | question    | holds if                                       |
 * |-------------|------------------------------------------------|
 * | `exists`    | some final state satisfies the condition       |
 * | `notExists` | none does                                      |
 * | `forall`    | every one does                                 |
 *
 * Law 1. What a thread that waits for ever would still have written has no value, and a comparison with it is false, `!=` too.
 */
import { compares } from './paths.js'
import type { Comparison } from './program.js'

/** A thing that a condition compares. */
export type Asked =
  | { readonly _tag: 'number'; readonly value: number }
  | { readonly _tag: 'register'; readonly thread: string; readonly name: string }
  | { readonly _tag: 'memory'; readonly location: string }

/** A condition on a final state. */
export type StateCondition =
  | { readonly _tag: 'compare'; readonly is: Comparison; readonly a: Asked; readonly b: Asked }
  | { readonly _tag: 'and' | 'or'; readonly a: StateCondition; readonly b: StateCondition }
  | { readonly _tag: 'not'; readonly of: StateCondition }

/** What is asked of a program. */
export interface Question {
  readonly quantifier: 'exists' | 'notExists' | 'forall'
  readonly condition: StateCondition
  readonly filter: StateCondition | undefined
}

/** What a run leaves: registers as `P0:r1`, memory by location. */
export interface FinalState {
  readonly registers: ReadonlyMap<string, number | undefined>
  readonly memory: ReadonlyMap<string, number>
  /** the threads that wait at a barrier for ever */
  readonly waiting: ReadonlyArray<string>
}

/** The name that a state has an asked thing under; nothing for a number. */
export const nameOf = (a: Asked): string | undefined => {
  switch (a._tag) {
    case 'number':
      return undefined
    case 'register':
      return `${a.thread}:${a.name}`
    case 'memory':
      return a.location
  }
}

const valueIn = (state: FinalState, a: Asked): number | undefined => {
  switch (a._tag) {
    case 'number':
      return a.value
    case 'register': {
      const name = `${a.thread}:${a.name}`
      return state.registers.has(name) ? state.registers.get(name) : 0
    }
    case 'memory':
      return state.memory.get(a.location)
  }
}

/** Whether a state satisfies a condition. */
export const satisfies = (state: FinalState, c: StateCondition): boolean => {
  switch (c._tag) {
    case 'compare': {
      const [a, b] = [valueIn(state, c.a), valueIn(state, c.b)]
      return a !== undefined && b !== undefined && compares(c.is, a, b)
    }
    case 'and':
      return satisfies(state, c.a) && satisfies(state, c.b)
    case 'or':
      return satisfies(state, c.a) || satisfies(state, c.b)
    case 'not':
      return !satisfies(state, c.of)
  }
}

/** What a condition compares, in order, each once. */
export const askedIn = (c: StateCondition): ReadonlyArray<Asked> => {
  const all = (d: StateCondition): ReadonlyArray<Asked> => {
    switch (d._tag) {
      case 'compare':
        return [d.a, d.b]
      case 'and':
      case 'or':
        return [...all(d.a), ...all(d.b)]
      case 'not':
        return all(d.of)
    }
  }
  return all(c).filter(
    (a, k, every) => a._tag !== 'number' && every.findIndex((b) => nameOf(b) === nameOf(a)) === k,
  )
}
